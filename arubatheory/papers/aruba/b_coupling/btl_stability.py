r"""Appendix A.2 and B: follow-the-leader on strongly convex losses: its logarithmic regret and its stability.

The losses are $f_t + \alpha_t B_R(\cdot\|c_t)$ with any convex $f_t$ and any regulariser R: $\alpha_t$-strongly convex
in the norm of R, which is l2, $\sqrt{x^\top A x}$ or a multiple of l1. After the first round an $\alpha_t$ may be 0,
so that $\ell_t$ is merely convex: a leader is unique as soon as the sum is strongly convex. That is a little more than
def:ftl asks for, and it is where lem:stability is an equality.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.learners.running_means import running_means
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import leaders, means
from arubatheory.papers.aruba.games.leaders import PLAYED, falls, last_strengths, leading_game, led
from arubatheory.papers.aruba.games.potentials import QUARTIC, divergence_of
from arubatheory.problems.domains import BOUNDED, BOX, SIMPLEX, Domain
from arubatheory.problems.draw import Draw
from arubatheory.problems.norms import dual_square, norm_of
from arubatheory.problems.regularizers import EUCLIDEAN, MAHALANOBIS, Regularizer
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import enclosed_root, normal, normality, squared_norm_of
from arubatheory.statements.games import COMPARATOR

DROP = r"\ell_t(\theta_t)-\ell_t(\theta_{t+1})"
LEMMA = r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\theta^\ast)\le\sum_{t=1}^T" + DROP
STABLE = r"\|\theta_t-\theta_{t+1}\|\le\frac{2\|\nabla_t\|_\ast}{\alpha_t+2\alpha_{1:t-1}}\quad\forall\ t\in[T]"


@claim(
    "thm:ftlaogd/ftl",
    r"\R_T\le\frac12\sum_{t=1}^T\frac{G_t^2}{\alpha_{1:t}}",
    partial(leading_game, kinds=BOUNDED, steep=True),
    PLAYED,
    uses=("def:ftl", "def:regret", "def:convex"),
)
def logarithmic(x: Instance) -> Sides:
    r"""Logarithmic regret of follow-the-leader.

    The best action in hindsight is $\theta_{T+1}$; $G_t$ is an upper bound of the Lipschitz constant over $\Theta$ in
    the norm of R, tight for l2 on boxes and simplices. After the first round $\alpha_t=0$ is allowed.
    """
    actions = led(x)
    bound = sum(leaders.squares_of(x) / np.cumsum(leaders.strengths(x))) / 2
    return Sides(sum(falls(x, actions, actions[-1:])), bound)


@claim(
    "lem:btl",
    LEMMA + r"\quad\forall\ \theta^\ast\in\Theta",
    partial(leading_game, compare=True),
    (*PLAYED, COMPARATOR),
    uses=("def:ftl",),
)
def btl(x: Instance) -> Sides:
    r"""Be the leader.

    After the first round $\alpha_t=0$ is allowed.
    """
    actions = led(x)
    return Sides(sum(falls(x, actions, x.comparator.reshape(1, -1))), sum(falls(x, actions, actions[1:])))


@claim(
    "lem:btl/nonconvex",
    LEMMA + r"\quad\text{for}\quad\ell_t=\alpha_t\Breg_R(x_t||\cdot)",
    means.mean_game,
    means.GAME,
    uses=("def:ftl",),
)
def btl_nonconvex(x: Instance) -> Sides:
    r"""Be the leader, on losses that are not convex.

    R is $\frac12x^\top Px+q\sum_jx_j^4$, whose divergences are not convex in their second argument; by clm:mean the
    leader is the weighted mean of the $x_s$.
    """

    def losses(points: Iterable[Array]) -> Array:
        values = (on(divergence_of, x.phi)(QUARTIC, x.P, x.q, c, u) for c, u in zip(x.x, points, strict=False))
        return x.alpha * np.array(list(values))

    actions = running_means(x.x, x.alpha, x.phi)
    played = losses(actions)
    return Sides(sum(played - losses([x.comparator] * len(played))), sum(played - losses(actions[1:])))


def _step(x: Instance, actions: Array) -> Any:
    r"""$\|\theta_T - \theta_{T+1}\|^2$."""
    return squared_norm_of(x.R, x.domain, actions[-2] - actions[-1])


def _slope(x: Instance, actions: Array, n: Any = 0) -> Any:
    r"""$\|\nabla_T\|_\ast$ of the subgradient that the kinks pick, plus n."""
    gradient = leaders.last_slope(x, actions[-2]) + n
    return enclosed_root(on(dual_square, x.phi)(on(norm_of, x.phi)(x.R, x.domain), gradient))


def _stable(x: Instance, actions: Array, n: Any = 0) -> Sides:
    r"""The claim for t = T: the first t losses of a game are a game, so that this is the claim for every t."""
    before, now = last_strengths(x)
    return Sides(enclosed_root(_step(x, actions)), 2 * _slope(x, actions, n) / (now + 2 * before))


@claim("lem:stability", STABLE, leading_game, PLAYED, uses=("def:ftl", "def:convex"))
def stability(x: Instance) -> Sides:
    r"""Stability of follow-the-leader on strongly convex losses.

    Tried for $t=T$: the first t losses are a game of their own. At kinks any subgradient of $\ell_t$. After the first
    round $\alpha_t=0$ is allowed.
    """
    return _stable(x, led(x))


def _quadratic(draw: Draw, d: int, domain: Domain) -> Regularizer:
    bent = draw.boolean()
    return Regularizer(MAHALANOBIS if bent else EUCLIDEAN, draw.spd(d) if bent else draw.zeros((d, d)))


def _normal_game(draw: Draw) -> Instance:
    # Rational leaders of quadratic programs lie on the boundary exactly, or not at all.
    x = leading_game(draw, leaders.QUADRATIC, (BOX, SIMPLEX), regularizer=_quadratic)
    x.outward = draw.positive(shape=len(x.phi)) if draw.boolean() else draw.unit(len(x.phi))
    return x


def _normality(x: Instance) -> Any:
    theta = led(x)[-2]
    return normality(x.domain, theta, normal(x.domain, theta, x.outward))


@claim(
    "lem:stability/any-subgradient",
    STABLE,
    _normal_game,
    (*PLAYED, Assumption(r"n_t\in N_\Theta(\theta_t)", _normality)),
    uses=("def:ftl", "def:convex"),
)
def any_stability(x: Instance) -> Sides:
    r"""Stability, with any subgradient of the losses as functions on $\Theta$.

    A normal vector $n_t$ of $\Theta$ at $\theta_t$ is added to the subgradient of the loss: that is a subgradient of
    $\ell_t$ on $\Theta$, and may be shorter.
    """
    actions = led(x)
    return _stable(x, actions, normal(x.domain, actions[-2], x.outward))


LAST = "Tried for $t=T$: the first t losses are a game of their own."
STEP: dict[str, Any] = {"game": leading_game, "given": PLAYED, "note": LAST}


def _last_falls(x: Instance, actions: Array) -> tuple[Any, Any]:
    r"""$\ell_{1:T-1}(\theta_T) - \ell_{1:T-1}(\theta_{T+1})$, and the same for $\ell_T$."""
    *before, last = falls(x, actions[-2:-1], actions[-1:])
    return sum(before, 0 * x.alpha[0]), last


@claim(
    "lem:stability/proof-1",
    r"\sum_{s=1}^t\ell_s(\theta_t)\ge\sum_{s=1}^t\ell_s(\theta_{t+1})"
    r"+\frac{\alpha_{1:t}}2\|\theta_t-\theta_{t+1}\|^2",
    **STEP,
    uses=("clm:scmin",),
)
def grown_at_the_leader(x: Instance) -> Sides:
    """Growth of the sum at its leader."""
    actions = led(x)
    return Sides(sum(last_strengths(x)) / 2 * _step(x, actions), sum(_last_falls(x, actions)))


@claim(
    "lem:stability/proof-2",
    r"\sum_{s=1}^{t-1}\ell_s(\theta_{t+1})\ge\sum_{s=1}^{t-1}\ell_s(\theta_t)"
    r"+\frac{\alpha_{1:t-1}}2\|\theta_{t+1}-\theta_t\|^2",
    **STEP,
    uses=("clm:scmin",),
)
def grown_before(x: Instance) -> Sides:
    """Growth of the sum before."""
    actions = led(x)
    return Sides(last_strengths(x)[0] / 2 * _step(x, actions), -_last_falls(x, actions)[0])


@claim(
    "lem:stability/proof-3",
    r"\left(\frac{\alpha_t}2+\alpha_{1:t-1}\right)\|\theta_t-\theta_{t+1}\|^2\le" + DROP,
    **STEP,
)
def added(x: Instance) -> Sides:
    """The two inequalities added."""
    actions, (before, now) = led(x), last_strengths(x)
    return Sides((now / 2 + before) * _step(x, actions), _last_falls(x, actions)[1])


@claim("lem:stability/proof-4", DROP + r"\le\|\nabla_t\|_\ast\|\theta_t-\theta_{t+1}\|", **STEP, uses=("clm:cdual",))
def slope_at_the_action(x: Instance) -> Sides:
    """The slope at the action."""
    actions = led(x)
    return Sides(_last_falls(x, actions)[1], _slope(x, actions) * enclosed_root(_step(x, actions)))
