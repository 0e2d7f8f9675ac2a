r"""Section 4: the rates of the diagonal learner (thm:diagonal), measured as exponents of growth in T, m and d.

What is measured is the excess of $\bar U_T$ over the best $\phi$ and H in hindsight, in one coordinate: with variance v
of the $\theta_t^\ast$ and mean gradient square g these pay $\sqrt{2vg}$. The theorem says $T^{-2/5}$ up to logarithms
where the best H stays away from 0 and infinity, and $T^{-1/5}$ where it does not.
"""

from __future__ import annotations

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Statement
from arubatheory.statements.growth import Growth, growth_sides

SPREAD, ALTERNATING, DRIFTING, PHASES, FADING = range(5)
NO_GRADIENTS, EQUAL_TASKS = range(2)
LONGEST = 1 << 15  # tasks
TASKS = 64  # of the growth in m


# the learner in one coordinate -------------------------------------------------------------------------------------
def excess(star: Array, squares: Array, m: float, first: float = 0.0, H: float | None = None) -> float:
    r"""$\bar U_T$ in one coordinate less what the best $\phi$ and H in hindsight pay, or the mean and a given H.

    $\theta_t^\ast$ (T,), $\sum_i \nabla_{t,i}^2$ (T,), and $\phi_1$ = `first`; eq:percoord with $\varepsilon = 1$,
    $\zeta = \sqrt m$, p = 2/5.
    """
    T = np.arange(1.0, len(star) + 1)
    phi = np.append(first, (np.cumsum(star) / T)[:-1])
    b, w = (star - phi) ** 2 / 2, T**-0.4
    eta = np.sqrt(_before(b, w) / _before(squares, m * w))
    variance, slope = float(np.mean((star - star.mean()) ** 2)) / 2, float(squares.mean())
    best = 2 * np.sqrt(variance * slope) if H is None else variance / H + slope * H
    return float(np.mean(b / eta + squares * eta)) - best


def _before(x: Array, w: Array) -> Array:
    r"""$\sum_{s<t} x_s + w_s$ with $x_0 = 0$, for t = 1, ..., T."""
    sums: Array = np.cumsum(np.append(0.0, x[:-1]) + w)
    return sums


# families ----------------------------------------------------------------------------------------------------------
def _stars(i: Instance, T: int) -> Array:
    r"""$\theta_t^\ast$ of size one: at random, in turn, drifting, or in phases; in turn, of size $T^{-1/5}$."""
    t, signs = np.arange(T), (-1.0) ** np.arange(T)
    if i.kind == SPREAD:
        return np.random.default_rng(i.seed).uniform(-1, 1, T)
    if i.kind == FADING:
        return signs / T**0.2
    return signs if i.kind == ALTERNATING else t / T if i.kind == DRIFTING else np.where(t < T / 4, signs / 4, signs)


def _gradients(i: Instance, T: int) -> Array:
    r"""$\frac1m\sum_i \nabla_{t,i}^2$: in [1/4, 1] at random, or falling by half in the second quarter; or a tenth of
    $T^{-2/5}$, so that losses and regularisers fall alike."""
    if i.kind == SPREAD:
        return np.random.default_rng([i.seed, 1]).uniform(0.25, 1, T)
    if i.kind == FADING:
        return np.full(T, T**-0.4 / 10)
    return np.where(np.arange(T) < T / 4, 1.0, 0.5)


def _moving(draw: Draw) -> Instance:
    """Tasks that differ and have gradients, of scales 4 to 16: smaller ones outgrow eps and zeta beyond the grid."""
    return Instance(
        kind=draw.integer(SPREAD, FADING), seed=draw.integer(0, 1 << 20), m=4 ** draw.integer(0, 3),
        size=draw.positive(2, 4), slope=draw.positive(2, 4),
    )  # fmt: skip


def _moving_excess(i: Instance, T: int) -> float:
    return excess(i.size * _stars(i, T), i.slope**2 * i.m * _gradients(i, T), i.m)


def _still(draw: Draw) -> Instance:
    """Tasks without gradients, or all of them equal."""
    i = _moving(draw)
    i.degenerate = draw.integer(NO_GRADIENTS, EQUAL_TASKS)
    return i


def _still_excess(i: Instance, T: int) -> float:
    star, squares = i.size * _stars(i, T), i.slope**2 * i.m * _gradients(i, T)
    if i.degenerate == NO_GRADIENTS:
        return excess(star, 0 * squares, i.m)
    return excess(0 * star + i.size, squares, i.m)


def _either(draw: Draw) -> Instance:
    """Any of these."""
    i = _still(draw)
    i.degenerate = draw.choice((None, i.degenerate))
    return i


def _rounds_excess(i: Instance, m: int) -> float:
    r"""For `TASKS` tasks of m rounds."""
    i = Instance(**{**vars(i), "m": m})
    return _moving_excess(i, TASKS) if i.degenerate is None else _still_excess(i, TASKS)


def _coordinates_excess(i: Instance, d: int) -> float:
    r"""The sum over d coordinates that share the size of a task and of its gradients."""
    parts = (
        Instance(**{**vars(i), "seed": int(i.seed) + j, "size": i.size / d**0.5, "slope": i.slope / d**0.5})
        for j in range(d)
    )
    return sum(_rounds_excess(part, i.m) for part in parts)


def _long_tasks(draw: Draw) -> Instance:
    r"""$\theta_t^\ast$ in turn, next to no gradients, and the number of rounds in units of $T^{2/5}$."""
    return Instance(factor=4 ** draw.integer(2, 4), size=draw.positive(0, 1))


def _long_excess(i: Instance, T: int) -> float:
    """Over the mean and H = 1."""
    m = round(i.factor * T**0.4)
    return excess(i.size * (-1.0) ** np.arange(T), np.full(T, 1 / m), m, H=1.0)


# statements --------------------------------------------------------------------------------------------------------
BEST = r"\RUB_T-\min_{\phi,H}\frac1T\sum_{t=1}^T\U_t(\phi,H)=\ "
POSITIVE = (Assumption(r"m\ge1", lambda i: i.m - 1),)
USES = ("eq:percoord", "prp:diagftl")
RATES = (
    ("rate", "Coordinates with gradients and tasks that differ", BEST + r"\tilde O\left(T^{-2/5}\right)", _moving,
     Growth(_moving_excess, -0.4, 1.0, longest=LONGEST), POSITIVE,
     r"One coordinate: tasks at random, in turn, drifting, in phases, or fading like $T^{-1/5}$; the last attain the "
     r"exponent. m is fixed, and the best H of order one."),
    ("rate/degenerate", "Coordinates without gradients, or with equal tasks",
     BEST + r"\tilde O\left(T^{-1/5}\right)", _still, Growth(_still_excess, -0.2, 1.0, longest=LONGEST), POSITIVE,
     r"One coordinate in which the best H is infinite, or 0; $\phi_1$ is not the common action."),
    ("rate/rounds", "Growth with the number m of rounds within a task", BEST + r"\tilde O\left(\sqrt m\right)",
     _either, Growth(_rounds_excess, 0.5, variable="m"), POSITIVE,
     f"{TASKS} tasks; the grid is one of m. Gradients of the same size and $\\zeta^2=m$ scale all by $\\sqrt m$."),
    ("rate/coordinates", "Growth with the dimension", BEST + r"\tilde O(d)", _either,
     Growth(_coordinates_excess, 1.0, longest=512, variable="d"), POSITIVE,
     f"{TASKS} tasks; the grid is one of d. The lengths of $\\theta_t^\\ast$ and of the gradients are fixed and shared "
     r"alike by the coordinates."),
    ("rate/long-tasks", r"Tasks of $m=cT^{2/5}$ rounds, against H = 1",
     r"\RUB_T-\min_\phi\frac1T\sum_{t=1}^T\U_t(\phi,I_d)=\ \tilde O\left(\frac{\sqrt m}{T^{2/5}}\right)"
     r"=\ \tilde O\left(T^{-1/5}\right)", _long_tasks, Growth(_long_excess, -0.2, 1.0, longest=LONGEST),
     (Assumption(r"c>0", lambda i: i.factor),),
     r"$\theta_t^\ast$ in turn and gradients $1/m$, as in the family that refutes thm:diagonal; here it is played."),
)  # fmt: skip

STATEMENTS = tuple(
    Statement(
        label=f"{slug}/{part}", kind="theorem", number=number, part_of=slug, title=title, latex=latex,
        instance=instance, sides=growth_sides(growth), growth=growth, engines=("rate",), assumptions=assumptions,
        uses=USES, note=note,
    )
    for slug, number in (("thm:diagonal", "4.1"), ("thm:app:diagonal", "D.1"))
    for part, title, latex, instance, growth, assumptions, note in RATES
)  # fmt: skip
