r"""Section 4 and appendix D: the exponents of thm:fullmatrix and thm:app:fullmatrix, measured.

What grows is $\RUB_T - \min_{\phi,H}\frac1T\sum_t\U_t(\phi,H)$ at $m = 4$ in one and two dimensions, on tasks whose
optima and gradients have sizes from 1 on, or are all equal, or vanish. That is more than the theorem claims, whose
right side has $2\lambda_1^2(H)/\lambda_d(H)\,(1 + \log T)/T$ in addition.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.papers.aruba.games.matrices import least
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Statement
from arubatheory.statements.growth import Growth, growth_sides

TASKS = ("random", "equal", "line", "no gradients", "alternating", "phases")
ROUNDS = 4
FEW = 64  # tasks, of the growth in m
SHORTEST, LONGEST = 1 << 10, 1 << 18


def _family(draw: Draw) -> Instance:
    r"""A kind of tasks, the dimension, a seed, the sizes of optima and gradients, and $\phi_1$."""
    return Instance(
        tasks=draw.choice(TASKS), d=draw.integer(1, 2), seed=draw.integer(0, 1 << 20), size=draw.positive(0, 4),
        slope=draw.positive(0, 4), first=draw.real(-1, 1),
    )  # fmt: skip


def sequence(i: Instance, T: int) -> tuple[Array, Array]:
    r"""$\theta_t^\ast$ (T, 2) and $\nabla_{t,i}$ (T, 4, 2); in one dimension the second coordinates are 0."""
    rng = np.random.default_rng([i.seed, T])
    points = i.size * rng.uniform(-1, 1, (T, 2))
    gradients = i.slope * (2.0 * rng.integers(0, 2, (T, ROUNDS, 2)) - 1)
    if i.tasks == "equal":
        points[:] = points[0]
    elif i.tasks == "no gradients":
        gradients[:] = 0
    elif i.tasks == "line":  # optima on a line, gradients across it: B and G have rank one
        points[:, i.d - 1 :], gradients[:, :, : i.d - 1] = points[:, i.d - 1 :] * (i.d == 1), 0
    elif i.tasks == "alternating":
        points[:] = i.size * (1 - 2 * (np.arange(T) % 2))[:, None]
    elif i.tasks == "phases":  # first the optima move, then there are gradients
        points[T // 2 :], gradients[: T // 2] = 0, 0
    if i.d == 1:
        points[:, 1], gradients[:, :, 1] = 0, 0
    return points, gradients


@kernel
def paid_sums(points: Array, gradients: Array, first: Array, half: Any, e: Any, z: Any) -> Any:
    r"""$\sum_t\U_t(\phi_t, H_t)$ in two dimensions, and $\frac12\sum_t(\theta_t^\ast - \bar\theta)(\theta_t^\ast -
    \bar\theta)^\top$ and $\sum\nabla\nabla^\top$ as their three entries; `half` is the factor in $B_t^2$."""
    p, q, r = e, 0.0, e
    u, v, w = z, 0.0, z
    mean_x, mean_y = first[0], first[1]
    paid = 0.0
    spread, data = np.zeros(3), np.zeros(3)
    for t in range(points.shape[0]):
        x, y = points[t, 0] - mean_x, points[t, 1] - mean_y
        a, b, c = 0.0, 0.0, 0.0
        for k in range(gradients.shape[1]):
            a += gradients[t, k, 0] ** 2
            b += gradients[t, k, 0] * gradients[t, k, 1]
            c += gradients[t, k, 1] ** 2
        ratio = np.sqrt((p * r - q * q) / (u * w - v * v))
        size = np.sqrt(p * u + 2 * q * v + r * w + 2 * ratio * (u * w - v * v))
        inverse = (u + r / ratio) * x * x + 2 * (v - q / ratio) * x * y + (w + p / ratio) * y * y
        paid += inverse / size / 2
        paid += ((p + ratio * w) * a + 2 * (q - ratio * v) * b + (r + ratio * u) * c) / size
        p, q, r = p + e + half * x * x, q + half * x * y, r + e + half * y * y
        u, v, w = u + z + a, v + b, w + z + c
        if t > 0:  # Welford's update: the part of the deviation from the mean so far that the new mean leaves
            kept = t / (t + 1) / 2
            spread[0], spread[1] = spread[0] + kept * x * x, spread[1] + kept * x * y
            spread[2] += kept * y * y
            mean_x, mean_y = mean_x + x / (t + 1), mean_y + y / (t + 1)
        else:
            mean_x, mean_y = points[0, 0], points[0, 1]
        data[0], data[1], data[2] = data[0] + a, data[1] + b, data[2] + c
    return paid, spread, data


def excess(i: Instance, T: int, power: float, half: float = 0.5, full: bool = True, m: int = ROUNDS) -> float:
    r"""$\RUB_T$ less the least average upper bound, with $\varepsilon = T^{-p}$ and $\zeta = \sqrt m\varepsilon$ or,
    if not `full`, $\varepsilon$; the learner has the factor `half` in $B_t^2$."""
    points, gradients = sequence(i, T)
    gradients *= np.sqrt(m / ROUNDS)  # in the sums of squares as good as m / 4 times the same four
    first, e = i.first * i.size * np.array([1.0, i.d - 1.0]), T ** (-2 * power)
    paid, spread, data = paid_sums(points, gradients, first, half, e, m * e if full else e)
    best = least(*(np.array([[a, b], [b, c]]) for a, b, c in (spread, data)))
    return float(paid - best) / T


def _eighth(i: Instance, T: int) -> float:
    return excess(i, T, 1 / 8)


def _quarter(i: Instance, T: int) -> float:
    return excess(i, T, 1 / 4)


def _as_in_the_appendix(i: Instance, T: int) -> float:
    return excess(i, T, 1 / 8, half=1.0, full=False)


def _rounds(i: Instance, m: int) -> float:
    return excess(i, FEW, 1 / 8, m=m)


ROUNDS_GROWTH = Growth(_rounds, 1 / 2, longest=2048, variable="m")
EIGHTH = Growth(_eighth, -1 / 8, power=1.0, shortest=SHORTEST, longest=LONGEST)
QUARTER = Growth(_quarter, -1 / 4, power=1.0, shortest=SHORTEST, longest=LONGEST)
APPENDIX = Growth(_as_in_the_appendix, -1 / 8, power=1.0, shortest=SHORTEST, longest=LONGEST)
OVER = r"\RUB_T-\min_{\phi\in\Theta,H\succ0}\frac1T\sum_{t=1}^T\U_t(\phi,H)=\mathcal O\left("
SIZES = Assumption("D,G>0", lambda i: min(i.size, i.slope))


def _claim(label: str, title: str, rate: str, growth: Growth, number: str, note: str, **more: Any) -> Statement:
    return Statement(
        label=label, kind="theorem", number=number, title=title,
        latex=OVER + (rate + r"\log T\right)\sqrt m" if rate else r"\sqrt m\right)"),
        instance=_family, sides=growth_sides(growth), growth=growth, engines=("rate",), assumptions=(SIZES,),
        part_of=label.split("/")[0], uses=("eq:matrix", "prp:matrixftl"), note=note, **more,
    )  # fmt: skip


RATES = (
    _claim("thm:fullmatrix/rate", "The rate of learning a full matrix", r"T^{-\frac18}", EIGHTH, "4.2",
           r"$B_t$, $G_t$, $\varepsilon$, $\zeta$ of the main text, at $m=4$ and $d\le2$, with the proof's logarithm.",
           corrects=("thm:app:fullmatrix/rate",)),
    _claim("thm:fullmatrix/rate/quarter", "A better rate, from the same learner", r"T^{-\frac14}", QUARTER, "4.2",
           r"At $\varepsilon=T^{-1/4}$ and $\zeta=\sqrt mT^{-1/4}$: not the paper's, but what thm:fullmatrix/corrected "
           r"gives."),
    _claim("thm:fullmatrix/rate/rounds", "Growth with the number m of rounds within a task", "", ROUNDS_GROWTH, "4.2",
           f"{FEW} tasks; the grid is one of m. Four gradients a task are repeated: $\\sum_i\\nabla\\nabla^\\top$ and "
           r"$\zeta^2$ grow like m, which scales all by $\sqrt m$."),
    _claim("thm:app:fullmatrix/rate", "The rate, with the matrices of the appendix", r"T^{-\frac18}", APPENDIX, "D.2",
           r"$B_t^2$ without $\frac12$ and $G_t^2$ with $\varepsilon$, as printed: see "
           r"thm:app:fullmatrix/literal-half."),
)  # fmt: skip
