r"""Appendix A.2 and B: follow-the-leader on strongly convex losses: its logarithmic regret and its stability.

The losses are $f_t + \alpha_t B_R(\cdot\|c_t)$ with any convex $f_t$ and any regulariser R: $\alpha_t$-strongly convex
in the norm of R, which is l2, $\sqrt{x^\top A x}$ or a multiple of l1. After the first round an $\alpha_t$ may be 0,
so that $\ell_t$ is merely convex: a leader is unique as soon as the sum is strongly convex. That is a little more than
def:ftl asks for, and it is where lem:stability is an equality.
"""

from __future__ import annotations

from typing import Any

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import leaders, means
from arubatheory.papers.aruba.games.leaders import PLAYED, leading_game, led
from arubatheory.problems.domains import BOX, SIMPLEX, Domain
from arubatheory.problems.draw import Draw
from arubatheory.problems.regularizers import EUCLIDEAN, MAHALANOBIS, Regularizer
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import enclosed_root, normal, normality
from arubatheory.statements.games import COMPARATOR

DROP = r"\ell_t(\theta_t)-\ell_t(\theta_{t+1})"
LEMMA = r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\theta^\ast)\le\sum_{t=1}^T" + DROP
STABLE = r"\|\theta_t-\theta_{t+1}\|\le\frac{2\|\nabla_t\|_\ast}{\alpha_t+2\alpha_{1:t-1}}\quad\forall\ t\in[T]"


def _regret(x: Instance, actions: Array, compared: Array) -> Any:
    return on(leaders.curved_regret, x.phi)(x.losses, x.R, x.alpha, x.center, actions, compared)


def _bounded_game(draw: Draw) -> Instance:
    return leading_game(draw, kinds=leaders.BOUNDED_KINDS, steep=True)


@claim(
    "thm:ftlaogd/ftl",
    r"\R_T\le\frac12\sum_{t=1}^T\frac{G_t^2}{\alpha_{1:t}}",
    _bounded_game,
    PLAYED,
    uses=("def:ftl", "def:regret", "def:convex"),
)
def logarithmic(x: Instance) -> Sides:
    r"""Logarithmic regret of follow-the-leader.

    The best action in hindsight is $\theta_{T+1}$; $G_t$ is an upper bound of the Lipschitz constant over $\Theta$ in
    the norm of R, tight for l2 on boxes and simplices. After the first round $\alpha_t=0$ is allowed.
    """
    actions = led(x)
    bound = on(leaders.logarithmic_bound, x.phi)(x.losses, x.R, x.alpha, leaders.squares_of(x))
    return Sides(_regret(x, actions, actions[-1]), bound)


def _compared_game(draw: Draw) -> Instance:
    return leading_game(draw, compare=True)


@claim(
    "lem:btl", LEMMA + r"\quad\forall\ \theta^\ast\in\Theta", _compared_game, (*PLAYED, COMPARATOR), uses=("def:ftl",)
)
def btl(x: Instance) -> Sides:
    r"""Be the leader.

    After the first round $\alpha_t=0$ is allowed.
    """
    actions = led(x)
    fallen = on(leaders.descent, x.phi)(x.losses, x.R, x.alpha, x.center, actions)
    return Sides(_regret(x, actions, x.comparator), fallen)


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
    return means.be_the_leader(x)


def _step_of(x: Instance, actions: Array, n: Array) -> tuple[Any, Any, Any]:
    r"""$\|\theta_T - \theta_{T+1}\|$, $\|\nabla_T\|_\ast$ and $\alpha_T + 2\alpha_{1:T-1}$."""
    square, dual, strong = on(leaders.last_step, x.phi)(x.losses, x.domain, x.R, x.alpha, x.center, actions, n)
    return enclosed_root(square), enclosed_root(dual), strong


def _stable(x: Instance, actions: Array, n: Array) -> Sides:
    r"""The claim for t = T: the first t losses of a game are a game, so that this is the claim for every t."""
    step, slope, strong = _step_of(x, actions, n)
    return Sides(step, 2 * slope / strong)


@claim("lem:stability", STABLE, leading_game, PLAYED, uses=("def:ftl", "def:convex"))
def stability(x: Instance) -> Sides:
    r"""Stability of follow-the-leader on strongly convex losses.

    Tried for $t=T$: the first t losses are a game of their own. At kinks any subgradient of $\ell_t$. After the first
    round $\alpha_t=0$ is allowed.
    """
    return _stable(x, led(x), 0 * x.phi)


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


STEP: dict[str, Any] = {"game": leading_game, "given": PLAYED}
LAST = "Tried for $t=T$: the first t losses are a game of their own."


def _growth(x: Instance) -> Any:
    return on(leaders.last_growth, x.phi)(x.losses, x.domain, x.R, x.alpha, x.center, led(x))


@claim(
    "lem:stability/proof-1",
    r"\sum_{s=1}^t\ell_s(\theta_t)\ge\sum_{s=1}^t\ell_s(\theta_{t+1})"
    r"+\frac{\alpha_{1:t}}2\|\theta_t-\theta_{t+1}\|^2",
    **STEP,
    uses=("clm:scmin",),
    note=LAST,
)
def grown_at_the_leader(x: Instance) -> Sides:
    """Growth of the sum at its leader."""
    grown, fallen, square, before, now = _growth(x)
    return Sides((before + now) / 2 * square, fallen - grown)


@claim(
    "lem:stability/proof-2",
    r"\sum_{s=1}^{t-1}\ell_s(\theta_{t+1})\ge\sum_{s=1}^{t-1}\ell_s(\theta_t)"
    r"+\frac{\alpha_{1:t-1}}2\|\theta_{t+1}-\theta_t\|^2",
    **STEP,
    uses=("clm:scmin",),
    note=LAST,
)
def grown_before(x: Instance) -> Sides:
    """Growth of the sum before."""
    grown, _, square, before, _ = _growth(x)
    return Sides(before / 2 * square, grown)


@claim(
    "lem:stability/proof-3",
    r"\left(\frac{\alpha_t}2+\alpha_{1:t-1}\right)\|\theta_t-\theta_{t+1}\|^2\le" + DROP,
    **STEP,
    note=LAST,
)
def added(x: Instance) -> Sides:
    """The two inequalities added."""
    _, fallen, square, before, now = _growth(x)
    return Sides((now / 2 + before) * square, fallen)


@claim(
    "lem:stability/proof-4",
    DROP + r"\le\|\nabla_t\|_\ast\|\theta_t-\theta_{t+1}\|",
    **STEP,
    uses=("clm:cdual",),
    note=LAST,
)
def slope_at_the_action(x: Instance) -> Sides:
    """The slope at the action."""
    step, slope, _ = _step_of(x, led(x), 0 * x.phi)
    return Sides(_growth(x)[1], slope * step)
