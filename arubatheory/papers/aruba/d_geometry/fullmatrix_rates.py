r"""Section 4 and appendix D: the exponents of thm:fullmatrix and thm:app:fullmatrix, measured.

What grows is $\RUB_T - \min_{\phi,H}\frac1T\sum_t\U_t(\phi,H)$ at $m = 4$ in one and two dimensions, on tasks whose
optima and gradients have sizes from 1 on, or are all equal, or vanish. That is more than the theorem claims, whose
right side has $2\lambda_1^2(H)/\lambda_d(H)\,(1 + \log T)/T$ in addition (`/rate/printed`).
"""

from __future__ import annotations

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.geometry_ftl import play_matrices
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.d_geometry.fullmatrix import deviations
from arubatheory.papers.aruba.games.diagonal import means
from arubatheory.papers.aruba.games.matrices import least
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.games import MOST_D
from arubatheory.statements.growth import grows

TASKS = ("random", "equal", "line", "no gradients", "alternating", "phases")
ROUNDS = 4
SHORTEST, LONGEST = 1 << 10, 1 << 18
LIMIT = 1 << 20  # tasks in d <= 2, where roots have closed forms: four times as many take 1.4 GB
OVER = r"\RUB_T-\min_{\phi\in\Theta,H\succ0}\frac1T\sum_{t=1}^T\U_t(\phi,H)=\mathcal O\left("
SIZES = (Assumption("D,G>0", lambda x: min(x.size, x.slope)),)


def _family(draw: Draw, least: int = 1, most: int = 2) -> Instance:
    r"""A kind of tasks, the dimension, a seed, the sizes of optima and gradients, and $\phi_1$."""
    x = Instance(tasks=draw.choice(TASKS), d=draw.integer(least, most), seed=draw.integer(0, 1 << 20))
    x.size, x.slope, x.first = draw.positive(0, 4), draw.positive(0, 4), draw.real(-1, 1)
    return x


GROWTH = {"game": _family, "given": SIZES, "uses": ("eq:matrix", "prp:matrixftl")}


def sequence(x: Instance, T: int) -> tuple[Array, Array]:
    r"""$\theta_t^\ast$ (T, d) and $\nabla_{t,i}$ (T, 4, d); for d = 1 with a second coordinate, which is 0."""
    rng, d, half = np.random.default_rng([x.seed, T]), max(x.d, 2), (x.d + 1) // 2
    points = x.size * rng.uniform(-1, 1, (T, d))
    gradients = x.slope * (2.0 * rng.integers(0, 2, (T, ROUNDS, d)) - 1)
    if x.tasks == "equal":
        points[:] = points[0]
    elif x.tasks == "no gradients":
        gradients[:] = 0
    elif x.tasks == "line" and x.d > 1:  # optima on a line, gradients across it: B and G have rank one
        points[:, half:], gradients[:, :, :half] = 0, 0
    elif x.tasks == "alternating":
        points[:] = x.size * (1 - 2 * (np.arange(T) % 2))[:, None]
    elif x.tasks == "phases":  # first the optima move, then there are gradients
        points[T // 2 :], gradients[: T // 2] = 0, 0
    if x.d == 1:
        points[:, 1], gradients[:, :, 1] = 0, 0
    return points, gradients


def excess(
    x: Instance, T: int, power: float, half: float = 0.5, full: bool = True, m: int = ROUNDS, price: float = 0.0
) -> float:
    r"""$\RUB_T$ less the least average upper bound, $price\operatorname{Tr}H/T$ included, with $\varepsilon = T^{-p}$
    and $\zeta = \sqrt m\varepsilon$ or, if not `full`, $\varepsilon$; the learner has the factor `half` in $B_t^2$."""
    points, gradients = sequence(x, T)
    first, e = x.first * x.size * np.eye(max(x.d, 2))[0], T ** (-2 * power)
    first[1:] = first[0] * (x.d > 1)
    B2, G2 = deviations(points, means(points, first)), np.swapaxes(gradients, 1, 2) @ gradients * m / ROUNDS
    H, inverse = (play_matrices if x.d < 3 else play_wide)(2 * half * B2, G2, e, m * e if full else e)
    paid = (inverse[:-1] * B2).sum() + (H[:-1] * G2).sum()
    B, G = deviations(points, points.mean(axis=0)).sum(axis=0), G2.sum(axis=0) + price * np.eye(len(first))
    return float(paid - (least(B, G) if x.d < 3 else 2 * _roots(_congruent(B, G)[0])[1].sum())) / T


def _roots(A: Array) -> tuple[Array, Array]:
    r"""Eigenvectors and the roots of the eigenvalues of positive semidefinite matrices (..., d, d), in floats."""
    size, U = np.linalg.eigh(A)
    return U, np.sqrt(np.maximum(size, 0))


def _congruent(B: Array, G: Array) -> tuple[Array, Array, Array]:
    r"""$G^{1/2}BG^{1/2}$, and the eigenvectors of G with the roots of its eigenvalues."""
    U, root = _roots(G)
    half = (U * root[..., None, :]) @ np.swapaxes(U, -1, -2)
    return half @ B @ half, U, root


def play_wide(B2: Array, G2: Array, e: float, z: float) -> tuple[Array, Array]:
    r"""`play_matrices` in any dimension, in floats: $G^{-1/2}(G^{1/2}BG^{1/2})^{1/2}G^{-1/2}$ for all sums at once."""
    one = np.eye(B2.shape[1])
    B, G = (np.cumsum(np.concatenate([c * one[None], A + c * one]), axis=0) for A, c in ((B2, e), (G2, z)))
    both, U, root = _congruent(B, G)
    V, inner = _roots(both)
    W = np.swapaxes(U, -1, -2) @ V
    left, right = U @ (W / root[..., :, None]), U @ (W * root[..., :, None])
    turned = (np.swapaxes(A, -1, -2) for A in (left, right))
    H, inverse = (A * c[..., None, :] @ C for A, c, C in zip((left, right), (inner, 1 / inner), turned, strict=True))
    return H, inverse


@claim(
    "thm:fullmatrix/rate", OVER + r"T^{-\frac18}\log T\right)\sqrt m", **GROWTH, corrects=("thm:app:fullmatrix/rate",)
)
@grows(-1 / 8, 1.0, SHORTEST, LONGEST, limit=LIMIT)
def rate(x: Instance, T: int) -> float:
    r"""The rate of learning a full matrix.

    $B_t$, $G_t$, $\varepsilon$, $\zeta$ of the main text, at $m=4$ and $d\le2$, with the proof's logarithm.
    """
    return excess(x, T, 1 / 8)


@claim(
    "thm:fullmatrix/rate/wide",
    OVER + r"T^{-\frac18}\log T\right)\sqrt m",
    **GROWTH | {"game": lambda draw: _family(draw, 3, MOST_D)},
)
@grows(-1 / 8, 1.0, 1 << 7, 1 << 13, limit=1 << 15)
def wide(x: Instance, T: int) -> float:
    r"""The rate of learning a full matrix, in more dimensions.

    As thm:fullmatrix/rate, at $3\le d\le8$, in floats.
    """
    return excess(x, T, 1 / 8)


@claim(
    "thm:fullmatrix/rate/printed",
    r"\RUB_T-\min_{\phi\in\Theta,H\succ0}\left(\frac{2\lambda_1^2(H)}{\lambda_d(H)}\frac{1+\log T}T+\frac1T\sum_{t=1}^T"
    r"\U_t(\phi,H)\right)=\mathcal O\left(T^{-\frac18}\log T\right)\sqrt m",
    **GROWTH,
)
@grows(-1 / 8, 1.0, SHORTEST, LONGEST, limit=LIMIT)
def printed(x: Instance, T: int) -> float:
    r"""The rate against the right side as printed, at a fixed dimension.

    At $m=4$ and $d\le2$; with $\frac{\Tr H}d$, no larger, for $\frac{\lambda_1^2(H)}{\lambda_d(H)}$, and the same for
    $d=1$: less is on the right. What is printed fails for a constant without d (thm:fullmatrix/dimension-free).
    """
    return excess(x, T, 1 / 8, price=2 * (1 + np.log(T)) / x.d)


@claim("thm:fullmatrix/rate/quarter", OVER + r"T^{-\frac14}\log T\right)\sqrt m", **GROWTH)
@grows(-1 / 4, 1.0, SHORTEST, LONGEST, limit=LIMIT)
def quarter(x: Instance, T: int) -> float:
    r"""A better rate, from the same learner.

    At $\varepsilon=T^{-1/4}$ and $\zeta=\sqrt mT^{-1/4}$: not the paper's, but what thm:fullmatrix/corrected
    gives.
    """
    return excess(x, T, 1 / 4)


@claim("thm:fullmatrix/rate/rounds", OVER + r"\sqrt m\right)", **GROWTH)
@grows(1 / 2, longest=2048, variable="m")
def rounds(x: Instance, m: int) -> float:
    r"""Growth with the number m of rounds within a task.

    64 tasks; the grid is one of m. Four gradients a task are repeated: $\sum_i\nabla\nabla^\top$ and $\zeta^2$ grow
    like m, which scales all by $\sqrt m$.
    """
    return excess(x, 64, 1 / 8, m=m)


@claim("thm:app:fullmatrix/rate", OVER + r"T^{-\frac18}\log T\right)\sqrt m", **GROWTH)
@grows(-1 / 8, 1.0, SHORTEST, LONGEST, limit=LIMIT)
def appendix_rate(x: Instance, T: int) -> float:
    r"""The rate, with the matrices of the appendix.

    $B_t^2$ without $\frac12$ and $G_t^2$ with $\varepsilon$, as printed: see thm:app:fullmatrix/literal-half.
    """
    return excess(x, T, 1 / 8, half=1.0, full=False)
