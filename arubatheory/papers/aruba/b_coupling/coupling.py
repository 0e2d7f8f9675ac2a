r"""Appendix B, Strongly Convex Coupling: thm:coupling, its two parts and the displays of its proof.

The theorem takes C from $\|\theta\|_A \le C \|\theta\|_B$ for $\theta \in \Theta$; its proof needs it for differences
of points of $\Theta$. Where $\Theta$ is far from the origin the two have little to do with each other:
on $\{1\} \times [-h, h]$ the norm $\sqrt{x^2 + K^2 y^2}$ is nearly l2, and differences see K. The coupled sequences
are those of `games.coupled_leaders`.
"""

from __future__ import annotations

from typing import Any

from arubatheory.arithmetic import Array
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import coupled_leaders as coupled
from arubatheory.papers.aruba.games.coupled_leaders import GAME, actions_of, falls, pairs_of, slopes_at, squared_steps
from arubatheory.statements.core import Instance, Sides
from arubatheory.statements.functions import enclosed_root

REGRET = r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\theta^\ast)\le"
DESCENT = r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\theta_{t+1})"
STEP = r"\|\theta_t-\theta_{t+1}\|"
SLOPE = r"\|\nabla_t\|_{A,\ast}"
LIPSCHITZ = r"2C\sum_{t=1}^T\frac{G_tG_t'}{\alpha_t+2\alpha_{1:t-1}}"
CONVEX = r"2C\sum_{t=1}^T\frac{" + SLOPE + r"\|\nabla_t'\|_{B,\ast}}{\alpha_t+2\alpha_{1:t-1}}"
ON_THETA = r"\|\theta\|_A\le C\|\theta\|_B\ \forall\ \theta\in\Theta"
ON_ALL = r"\|\theta\|_A\le C\|\theta\|_B\ \forall\ \theta\in\mathbb R^d"
USES = ("def:ftl", "lem:btl", "lem:stability")
IN_LIPSCHITZ: dict[str, Any] = {"game": coupled.lipschitz_game, "given": GAME}
IN_CONVEX: dict[str, Any] = {"game": coupled.convex_game, "given": (*GAME, coupled.QUADRATIC)}


def _bound(x: Instance, pairs: Array, C: Any) -> Any:
    r"""$2C\sum_t g_t g'_t/(\alpha_t + 2\alpha_{1:t-1})$ from the squares of C, g and g'."""
    return 2 * sum(enclosed_root(C * (g * h)) / s for (g, h), s in zip(pairs, coupled.strengths(x), strict=True))


def _coupled(x: Instance, pairs: Array, C: Any) -> Sides:
    actions = actions_of(x)
    return Sides(falls(x, actions, actions[-1:]), _bound(x, pairs, C))


@claim("thm:coupling/lipschitz", REGRET + LIPSCHITZ + r",\quad " + ON_THETA, **IN_LIPSCHITZ, uses=USES)
def lipschitz(x: Instance) -> Sides:
    r"""Regret of FTL on Lipschitz losses by coupling.

    C is taken where the theorem takes it, on $\Theta$; the proof applies it to $\theta_t-\theta_{t+1}$, which is a
    difference of points of $\Theta$ and may be a much longer vector in A than in B. Of all $\theta^\ast$ the
    worst is tried, $\theta_{T+1}$.
    """
    return _coupled(x, pairs_of(x), coupled.on_the_domain(x))


@claim("thm:coupling/lipschitz/corrected", REGRET + LIPSCHITZ + r",\quad " + ON_ALL, **IN_LIPSCHITZ, uses=USES)
def lipschitz_for_vectors(x: Instance) -> Sides:
    r"""Regret of FTL on Lipschitz losses by coupling, C for all vectors.

    It is enough that $\|\theta-\phi\|_A\le C\|\theta-\phi\|_B$ for $\theta,\phi\in\Theta$. Of all $\theta^\ast$ the
    worst is tried, $\theta_{T+1}$.
    """
    return _coupled(x, pairs_of(x), coupled.on_differences(x))


@claim("thm:coupling/convex", REGRET + CONVEX + r",\quad " + ON_THETA, **IN_CONVEX, uses=USES)
def convex(x: Instance) -> Sides:
    r"""Regret of FTL on convex losses by coupling.

    C is taken where the theorem takes it, on $\Theta$; the proof applies it to $\theta_t-\theta_{t+1}$, which is a
    difference of points of $\Theta$ and may be a much longer vector in A than in B. Of all $\theta^\ast$ the
    worst is tried, $\theta_{T+1}$.
    """
    return _coupled(x, slopes_at(x), coupled.on_the_domain(x))


@claim("thm:coupling/convex/corrected", REGRET + CONVEX + r",\quad " + ON_ALL, **IN_CONVEX, uses=USES)
def convex_for_vectors(x: Instance) -> Sides:
    r"""Regret of FTL on convex losses by coupling, C for all vectors.

    It is enough that $\|\theta-\phi\|_A\le C\|\theta-\phi\|_B$ for $\theta,\phi\in\Theta$. Of all $\theta^\ast$ the
    worst is tried, $\theta_{T+1}$.
    """
    return _coupled(x, slopes_at(x), coupled.on_differences(x))


COMPARED = STEP + r"_A\le C" + STEP + r"_B,\quad "


def _compared(x: Instance, C: Any) -> Sides:
    last = actions_of(x)[-2:]
    in_A, in_B = (squared_steps(norm, last)[0] for norm in (x.A, x.B))
    return Sides(enclosed_root(in_A), enclosed_root(C * in_B))


@claim("thm:coupling/lipschitz/proof-1", COMPARED + ON_THETA, **IN_LIPSCHITZ)
def compared(x: Instance) -> Sides:
    r"""From norm A to norm B.

    Tried for $t=T$: the first t losses are a game of their own. C is taken where the theorem takes it, on $\Theta$; the
    proof applies it to $\theta_t-\theta_{t+1}$, which is a difference of points of $\Theta$ and may be a much longer
    vector in A than in B.
    """
    return _compared(x, coupled.on_the_domain(x))


@claim("thm:coupling/lipschitz/proof-1/corrected", COMPARED + ON_ALL, **IN_LIPSCHITZ)
def compared_for_vectors(x: Instance) -> Sides:
    r"""From norm A to norm B, C for all vectors.

    Tried for $t=T$: the first t losses are a game of their own.
    """
    return _compared(x, coupled.on_differences(x))


@claim(
    "thm:coupling/lipschitz/proof-2",
    "C" + STEP + r"_B\le\frac{2CG_t'}{\alpha_t+2\alpha_{1:t-1}}",
    **IN_LIPSCHITZ,
    uses=("lem:stability",),
)
def stable(x: Instance) -> Sides:
    r"""Stability of the coupled sequence.

    Tried for $t=T$: the first t losses are a game of their own.
    """
    C, in_B = coupled.on_differences(x), squared_steps(x.B, actions_of(x))[-1]
    return Sides(enclosed_root(C * in_B), 2 * enclosed_root(C * pairs_of(x)[-1, 1]) / coupled.strengths(x)[-1])


@claim(
    "thm:coupling/lipschitz/proof-3",
    REGRET + DESCENT,
    coupled.compared_game,
    (*GAME, coupled.COMPARATOR),
    uses=("lem:btl",),
)
def leads(x: Instance) -> Sides:
    """Be the leader."""
    actions = actions_of(x)
    return Sides(falls(x, actions, x.comparator.reshape(1, -1)), falls(x, actions, actions[1:]))


LENGTHS = r"\sum_{t=1}^TG_t" + STEP + "_A"
SLOPE_LENGTHS = r"\sum_{t=1}^T" + SLOPE + STEP + "_A"


def _lengths(x: Instance, actions: Array, pairs: Array) -> Any:
    r"""$\sum_t g_t \|\theta_t - \theta_{t+1}\|_A$."""
    return sum(enclosed_root(g * step) for g, step in zip(pairs[:, 0], squared_steps(x.A, actions), strict=True))


def _descended(x: Instance, pairs: Array) -> Sides:
    actions = actions_of(x)
    return Sides(falls(x, actions, actions[1:]), _lengths(x, actions, pairs))


def _bounded(x: Instance, pairs: Array) -> Sides:
    return Sides(_lengths(x, actions_of(x), pairs), _bound(x, pairs, coupled.on_differences(x)))


@claim("thm:coupling/lipschitz/proof-4", DESCENT + r"\le" + LENGTHS, **IN_LIPSCHITZ)
def lipschitz_descent(x: Instance) -> Sides:
    """Lipschitz losses."""
    return _descended(x, pairs_of(x))


@claim("thm:coupling/lipschitz/proof-5", LENGTHS + r"\le" + LIPSCHITZ + r",\quad " + ON_ALL, **IN_LIPSCHITZ)
def lipschitz_steps(x: Instance) -> Sides:
    """The steps bounded.

    With C for all vectors; as printed it falls with the first display.
    """
    return _bounded(x, pairs_of(x))


@claim("thm:coupling/convex/proof-1", DESCENT + r"\le" + SLOPE_LENGTHS, **IN_CONVEX, uses=("clm:cdual",))
def convex_descent(x: Instance) -> Sides:
    """Convex losses."""
    return _descended(x, slopes_at(x))


@claim(
    "thm:coupling/convex/proof-2",
    SLOPE_LENGTHS + r"\le" + CONVEX + r",\quad " + ON_ALL,
    **IN_CONVEX,
    uses=("lem:stability",),
)
def convex_steps(x: Instance) -> Sides:
    """The steps bounded.

    With C for all vectors; as printed it falls with the first display of the other part.
    """
    return _bounded(x, slopes_at(x))
