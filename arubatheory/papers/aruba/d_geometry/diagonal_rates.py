r"""Section 4: the rates of the diagonal learner (thm:diagonal), measured as exponents of growth in T, m and d.

What is measured is the excess of $\bar U_T$ over the best $\phi$ and H in hindsight, in one coordinate: with variance v
of the $\theta_t^\ast$ and mean gradient square g these pay $\sqrt{2vg}$. The theorem says $T^{-2/5}$ up to logarithms
where the best H stays away from 0 and infinity, and $T^{-1/5}$ where it does not.
"""

from __future__ import annotations

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import diagonal as games
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.growth import FAR, grows

SPREAD, ALTERNATING, DRIFTING, PHASES, FADING = range(5)
NO_GRADIENTS, EQUAL_TASKS = range(2)
LONGEST = 1 << 15  # tasks
BEST = r"\RUB_T-\min_{\phi,H}\frac1T\sum_{t=1}^T\U_t(\phi,H)=\ "


def excess(star: Array, squares: Array, m: float, first: float = 0.0, H: float | None = None) -> float:
    r"""$\bar U_T$ in one coordinate less what the best $\phi$ and H in hindsight pay, or the mean and a given H.

    $\theta_t^\ast$ (T,), $\sum_i \nabla_{t,i}^2$ (T,), and $\phi_1$ = `first`; eq:percoord with $\varepsilon = 1$,
    $\zeta = \sqrt m$, p = 2/5.
    """
    phi = games.means(star[:, None], np.array([first]))[:, 0]
    variance, slope = float(np.mean((star - star.mean()) ** 2)) / 2, float(squares.mean())
    best = 2 * np.sqrt(variance * slope) if H is None else variance / H + slope * H
    return games.average_paid((star - phi) ** 2 / 2, squares, m) - best


def tasks(x: Instance, T: int) -> tuple[Array, Array]:
    r"""$\theta_t^\ast$ and $\sum_i \nabla_{t,i}^2$ (T,), of the sizes drawn.

    The first at random, in turn, drifting, or in phases, the second in [1/4, 1] at random, or falling by half in the
    second quarter; or in turn of size $T^{-1/5}$ and a tenth of $T^{-2/5}$, so that losses and regularisers fall alike.
    """
    t, signs = np.arange(T), (-1.0) ** np.arange(T)
    star, squares = signs, np.where(t < T / 4, 1.0, 0.5)
    if x.kind == SPREAD:
        star = np.random.default_rng(x.seed).uniform(-1, 1, T)
        squares = np.random.default_rng([x.seed, 1]).uniform(0.25, 1, T)
    elif x.kind == DRIFTING:
        star = t / T
    elif x.kind == PHASES:
        star = np.where(t < T / 4, signs / 4, signs)
    elif x.kind == FADING:
        star, squares = signs / T**0.2, np.full(T, T**-0.4 / 10)
    return x.size * star, x.slope**2 * x.m * squares


def moving(draw: Draw) -> Instance:
    """Tasks that differ and have gradients, of scales 4 to 16: smaller ones outgrow eps and zeta beyond the grid."""
    kind, seed, m = draw.integer(SPREAD, FADING), draw.integer(0, 1 << 20), 4 ** draw.integer(0, 3)
    return Instance(kind=kind, seed=seed, m=m, size=draw.positive(2, 4), slope=draw.positive(2, 4))


def still(draw: Draw) -> Instance:
    """Tasks without gradients, or all of them equal."""
    x = moving(draw)
    x.degenerate = draw.integer(NO_GRADIENTS, EQUAL_TASKS)
    return x


def either(draw: Draw) -> Instance:
    """Any of these."""
    x = still(draw)
    x.degenerate = draw.choice((None, x.degenerate))
    return x


def long_tasks(draw: Draw) -> Instance:
    r"""$\theta_t^\ast$ in turn, next to no gradients, and the number of rounds in units of $T^{2/5}$."""
    return Instance(factor=4 ** draw.integer(2, 4), size=draw.positive(0, 1))


USES = ("eq:percoord", "prp:diagftl")
RATE = {"latex": BEST + r"\tilde O\left(T^{-2/5}\right)", "game": moving, "given": (games.ROUNDS,), "uses": USES}


@grows(-0.4, 1.0, longest=LONGEST, limit=FAR)
def of_moving(x: Instance, T: int) -> float:
    r"""Coordinates with gradients and tasks that differ.

    One coordinate: tasks at random, in turn, drifting, in phases, or fading like $T^{-1/5}$; the last attain the
    exponent. m is fixed, and the best H of order one.
    """
    return excess(*tasks(x, T), x.m)


MAIN_RATE = claim("thm:diagonal/rate", **RATE)(of_moving)
APPENDIX_RATE = claim("thm:app:diagonal/rate", **RATE)(of_moving)
DEGENERATE = RATE | {"latex": BEST + r"\tilde O\left(T^{-1/5}\right)", "game": still}


@grows(-0.2, 1.0, longest=LONGEST, limit=FAR)
def of_still(x: Instance, T: int) -> float:
    r"""Coordinates without gradients, or with equal tasks.

    One coordinate in which the best H is infinite, or 0; $\phi_1$ is not the common action.
    """
    star, squares = tasks(x, T)
    if x.degenerate == NO_GRADIENTS:
        return excess(star, 0 * squares, x.m)
    return excess(0 * star + x.size, squares, x.m)


MAIN_DEGENERATE = claim("thm:diagonal/rate/degenerate", **DEGENERATE)(of_still)
APPENDIX_DEGENERATE = claim("thm:app:diagonal/rate/degenerate", **DEGENERATE)(of_still)
ROUNDS = RATE | {"latex": BEST + r"\tilde O\left(\sqrt m\right)", "game": either}


@grows(0.5, variable="m")
def of_rounds(x: Instance, m: int) -> float:
    r"""Growth with the number m of rounds within a task.

    64 tasks; the grid is one of m. Gradients of the same size and $\zeta^2=m$ scale all by $\sqrt m$.
    """
    x = Instance(**{**vars(x), "m": m})
    return (of_moving if x.degenerate is None else of_still).excess(x, 64)


MAIN_ROUNDS = claim("thm:diagonal/rate/rounds", **ROUNDS)(of_rounds)
APPENDIX_ROUNDS = claim("thm:app:diagonal/rate/rounds", **ROUNDS)(of_rounds)
COORDINATES = RATE | {"latex": BEST + r"\tilde O(d)", "game": either}


@grows(1.0, longest=512, variable="d")
def of_coordinates(x: Instance, d: int) -> float:
    r"""Growth with the dimension.

    64 tasks; the grid is one of d. The lengths of $\theta_t^\ast$ and of the gradients are fixed and shared alike by
    the coordinates.
    """
    share = {"size": x.size / d**0.5, "slope": x.slope / d**0.5}
    parts = (Instance(**{**vars(x), **share, "seed": int(x.seed) + j}) for j in range(d))
    return sum(of_rounds.excess(part, x.m) for part in parts)


MAIN_COORDINATES = claim("thm:diagonal/rate/coordinates", **COORDINATES)(of_coordinates)
APPENDIX_COORDINATES = claim("thm:app:diagonal/rate/coordinates", **COORDINATES)(of_coordinates)
LONG_TASKS = RATE | {
    "latex": r"\RUB_T-\min_\phi\frac1T\sum_{t=1}^T\U_t(\phi,I_d)=\ \tilde O\left(\frac{\sqrt m}{T^{2/5}}\right)"
    r"=\ \tilde O\left(T^{-1/5}\right)",
    "game": long_tasks,
    "given": (Assumption(r"c>0", lambda x: x.factor),),
}


@grows(-0.2, 1.0, longest=LONGEST, limit=FAR)
def of_long_tasks(x: Instance, T: int) -> float:
    r"""Tasks of $m=cT^{2/5}$ rounds, against H = 1.

    $\theta_t^\ast$ in turn and gradients $1/m$, as in the family that refutes thm:diagonal; here it is played.
    """
    m = round(x.factor * T**0.4)
    return excess(x.size * (-1.0) ** np.arange(T), np.full(T, 1 / m), m, H=1.0)


MAIN_LONG_TASKS = claim("thm:diagonal/rate/long-tasks", **LONG_TASKS)(of_long_tasks)
APPENDIX_LONG_TASKS = claim("thm:app:diagonal/rate/long-tasks", **LONG_TASKS)(of_long_tasks)
