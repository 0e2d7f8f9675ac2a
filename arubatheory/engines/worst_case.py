r"""worst_case: the largest ratio regret/bound over all games of n rounds, by semidefinite programming (PEPit).

No instance is drawn and none is climbed: one convex program has the worst game in any dimension as its solution, and
its dual is a numerical proof that there is no worse one. `kind` says what the value is: for an *exact class* the worst
ratio itself, to the accuracy of the solver; an *upper bound* of it where the conditions that can be asked of finitely
many points are necessary and not sufficient (`pep_games` has them all).

* the regret $\sum_t \ell_t(\theta_t) - \ell_t(u)$ over $\|u - \phi\|^2/(2\eta) + \eta\sum_t G_t^2$, for any closed
  convex $\Theta$, any $\phi, u \in \Theta$, $\eta$ and $G_t$; by translation and scaling $\phi = 0$ and $\eta = 1$.
* the same regret over $\frac12\sum_t G_t^2/\alpha_{1:t}$ for $\alpha_1 = \dots = \alpha_n$, which are 1
  by scaling. A product of a free $\alpha_t$ and an inner product is beyond a semidefinite program.

For an exact class losses are rebuilt from the solver's vectors and our own learners play on them: the ratio they come
to is that of the program, a worst case that is seen and not only computed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.ftl import ftl
from arubatheory.learners.ftrl import ftrl
from arubatheory.learners.mirror_descent import greedy_ogd, omd
from arubatheory.learners.ogd import aogd
from arubatheory.problems.domains import space
from arubatheory.problems.losses import Losses, losses, total, values
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.signatures import typed

if TYPE_CHECKING:
    from arubatheory.engines.pep_games import Solution

EXACT, UPPER = "exact class", "upper bound"
NEGLIGIBLE = 1e-3  # of the largest singular value: a Gram matrix good to 1e-7 has square roots good to 3e-4
MISSING = "the engine worst_case needs PEPit, of the extra worst-case: pip install 'arubatheory[worst-case]'"


class Game(NamedTuple):
    """A learner and a class of losses; `logarithmic`: measured against the second bound."""

    learner: str
    losses: str
    kind: str = EXACT
    logarithmic: bool = False


GAMES = (
    *(Game(learner, losses) for learner in ("lazy OGD", "greedy OGD", "FTRL") for losses in ("linear", "convex")),
    *(
        Game(learner, losses, kind, True)
        for learner in ("FTL", "AOGD")
        for losses, kind in (("quadratic", EXACT), ("strongly convex", UPPER))
    ),
)


class Rebuilt(NamedTuple):
    r"""Losses and a comparator made of the solver's vectors, and regret/bound of our learner on them, from the origin
    of $\mathbb R^d$ with step size 1."""

    losses: Losses
    comparator: Array
    ratio: float


class Supremum(NamedTuple):
    """The worst ratio of a game in n rounds: `value`, what it is (its `kind`), how good the solution is
    (`residual` of the primal constraints, duality `gap`), and a game `rebuilt` from it (None for an upper bound)."""

    game: Game
    n: int
    value: float
    solver: str
    status: str
    residual: float
    gap: float
    rebuilt: Rebuilt | None


def available() -> bool:
    """Whether the extra is installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("PEPit", "cvxpy"))


@typed
def find_game(learner: str, losses: str) -> Game:
    """The game of a learner and a class of losses; ValueError with all there are if there is none."""
    for game in GAMES:
        if (game.learner, game.losses) == (learner, losses):
            return game
    known = "; ".join(f"{game.learner} on {game.losses}" for game in GAMES)
    raise ValueError(f"no game of learner={learner!r} and losses={losses!r}; there are {known}")


def worst_case(learner: str, losses: str, n: int) -> Supremum:
    """The worst case of a learner (`lazy OGD`, `greedy OGD`, `FTRL`, `FTL`, `AOGD`) on a class of losses in n rounds.

    Raises ValueError for a pair that is no game (`GAMES`) or n < 1, TypeError if n is no integer, ImportError without
    the extra, and `pep_games.SolverError` when the solver has no accurate solution. Seconds for n = 8.
    """
    game = find_game(learner, losses)
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(f"n must be an integer, got {n!r}")
    if n < 1:
        raise ValueError(f"n must be >= 1, got {n}")
    if not available():
        raise ImportError(MISSING)
    from arubatheory.engines import pep_games

    found = pep_games.solve(learner, losses, n, game.logarithmic)
    rebuilt = rebuild(game, found) if game.kind == EXACT else None
    return Supremum(game, n, found.value, pep_games.SOLVER, found.status, found.residual, found.gap, rebuilt)


# a game rebuilt ------------------------------------------------------------------------------------------------------


def _play(learner: str, L: Losses, start: Array) -> Array:
    r"""The actions of our own learner on $\mathbb R^d$ with step size 1."""
    area, R = space(start.size), euclidean(start.size)
    learners: dict[str, Callable[[], Array]] = {
        "lazy OGD": lambda: omd(L, area, R, start, 1).actions,
        "greedy OGD": lambda: greedy_ogd(L, area, start, 1).actions,
        "FTRL": lambda: ftrl(L, area, R, start, 1).actions,
        "FTL": lambda: ftl(L, area, start).actions,
        "AOGD": lambda: aogd(L, area, start, 1).actions,
    }
    return learners[learner]()


def rebuild(game: Game, found: Solution) -> Rebuilt:
    r"""Losses from the subgradients played: $\langle g_t, \cdot\rangle$, or for the logarithmic bound the quadratics
    $\frac12\|\cdot - \theta_t + g_t\|^2$.

    They are played on $\mathbb R^d$. Quadratics are Lipschitz on a bounded set only: $\Theta$ is the hull of what is
    played and of the comparator, so that nothing is ever projected, and each is steepest at one of these points.
    """
    vectors = _coordinates(np.vstack([found.gradients, found.actions, found.comparator[None]]))
    n = len(found.actions)
    g, actions, u = vectors[:n], vectors[n : 2 * n], vectors[2 * n]
    flat = not game.logarithmic
    L = losses("linear", g) if flat else losses("linear", 0 * g, ridge=1, c=actions - g)
    played = _play(game.learner, L, np.zeros(u.size))
    regret = float(values(L, played).sum() - total(L, n, u))
    if flat:
        return Rebuilt(L, u, regret / float(u @ u / 2 + (g * g).sum()))
    squares = ((np.vstack([played, u])[None] - L.c[:, None]) ** 2).sum(axis=2).max(axis=1)
    return Rebuilt(L, u, regret / float((squares / np.arange(1, n + 1)).sum() / 2))


def _coordinates(vectors: Array) -> Array:
    """The vectors in an orthonormal basis of the directions that matter; at least one."""
    _, sizes, axes = np.linalg.svd(vectors, full_matrices=False)
    d = max(1, int((sizes > NEGLIGIBLE * sizes[0]).sum()))
    return vectors @ axes[:d].T
