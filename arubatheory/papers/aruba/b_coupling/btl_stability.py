r"""Appendix A.2 and B: follow-the-leader on strongly convex losses: its logarithmic regret and its stability.

The losses are $f_t + \alpha_t B_R(\cdot\|c_t)$ with any convex $f_t$ and any regulariser R: $\alpha_t$-strongly convex
in the norm of R, which is l2, $\sqrt{x^\top A x}$ or a multiple of l1. After the first round an $\alpha_t$ may be 0,
so that $\ell_t$ is merely convex: a leader is unique as soon as the sum is strongly convex. That is a little more than
def:ftl asks for, and it is where lem:stability is an equality.
"""

from __future__ import annotations

from typing import Any

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import on
from arubatheory.learners.ftl import Leaders
from arubatheory.papers.aruba.games import means
from arubatheory.papers.aruba.games.leaders import (
    BOUNDED_KINDS,
    CONVEX_PART,
    CURVED,
    FIRST,
    QUADRATIC,
    UNIQUE,
    last_growth,
    last_step,
    leaders_of,
    leading_game,
    led,
    logarithmic_bound,
    regret_and_descent,
    root,
    sizes_of,
    solver_error,
    squares_of,
)
from arubatheory.problems.domains import BOX, SIMPLEX
from arubatheory.problems.draw import Draw
from arubatheory.problems.regularizers import EUCLIDEAN, MAHALANOBIS, Regularizer
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import normal, normality
from arubatheory.statements.games import COMPARATOR

# regret ------------------------------------------------------------------------------------------------------------


def _regret(x: Instance, actions: Array, compared: Array) -> tuple[Any, Any, Any]:
    return on(regret_and_descent, x.phi)(x.losses, x.R, x.alpha, x.center, actions, compared, sizes_of(x))


def _bounded_game(draw: Draw) -> Instance:
    return leading_game(draw, kinds=BOUNDED_KINDS, steep=True)


def _logarithmic(x: Instance) -> Sides:
    actions = led(x)
    regret, _, scale = _regret(x, actions, actions[-1])
    bound = on(logarithmic_bound, x.phi)(x.losses, x.R, x.alpha, squares_of(x))
    return Sides(regret, bound, scale + bound)


def _be_the_leader(x: Instance) -> Sides:
    return Sides(*_regret(x, led(x), x.comparator))


def _compared_game(draw: Draw) -> Instance:
    return leading_game(draw, compare=True)


# stability ---------------------------------------------------------------------------------------------------------


def _step_of(x: Instance, led: Leaders, n: Array) -> Any:
    r"""$\|\theta_T - \theta_{T+1}\|$, $\|\nabla_T\|_\ast$, $\alpha_T + 2\alpha_{1:T-1}$ and the scales of the two."""
    square, dual, strong, size, rough = on(last_step, x.phi)(
        x.losses, x.domain, x.R, x.alpha, x.center, led.actions, n, sizes_of(x)
    )
    error = 0 if is_exact(x.phi) else solver_error(led)
    return root(square), root(dual), strong, size + error, rough


def _stable(x: Instance, led: Leaders, n: Array) -> Sides:
    r"""The claim for t = T: the first t losses of a game are a game, so that this is the claim for every t."""
    step, slope, strong, size, rough = _step_of(x, led, n)
    bound = 2 * slope / strong
    return Sides(step, bound, size + (bound + 2 * rough / strong))


def _stability(x: Instance) -> Sides:
    return _stable(x, leaders_of(x), 0 * x.phi)


def _quadratic(draw: Draw, d: int, domain: Any) -> Regularizer:
    bent = draw.boolean()
    return Regularizer(MAHALANOBIS if bent else EUCLIDEAN, draw.spd(d) if bent else draw.zeros((d, d)))


def _normal_game(draw: Draw) -> Instance:
    # Rational leaders of quadratic programs lie on the boundary exactly, or not at all.
    x = leading_game(draw, QUADRATIC, (BOX, SIMPLEX), regularizer=_quadratic)
    x.outward = draw.positive(shape=len(x.phi)) if draw.boolean() else draw.unit(len(x.phi))
    return x


def _any_stability(x: Instance) -> Sides:
    led = leaders_of(x)
    return _stable(x, led, normal(x.domain, led.actions[-2], x.outward))


def _normality(x: Instance) -> Any:
    theta = led(x)[-2]
    return normality(x.domain, theta, normal(x.domain, theta, x.outward))


# its proof ---------------------------------------------------------------------------------------------------------


def _growth(x: Instance, actions: Array) -> Any:
    return on(last_growth, x.phi)(x.losses, x.domain, x.R, x.alpha, x.center, actions, sizes_of(x))


def _grown_at_the_leader(x: Instance) -> Sides:
    grown, fallen, square, before, now, scale = _growth(x, led(x))
    return Sides((before + now) / 2 * square, fallen - grown, scale)


def _grown_before(x: Instance) -> Sides:
    grown, _, square, before, _, scale = _growth(x, led(x))
    return Sides(before / 2 * square, grown, scale)


def _added(x: Instance) -> Sides:
    _, fallen, square, before, now, scale = _growth(x, led(x))
    return Sides((now / 2 + before) * square, fallen, scale)


def _fallen(x: Instance) -> Sides:
    led = leaders_of(x)
    _, fallen, _, _, _, scale = _growth(x, led.actions)
    step, slope, _, size, rough = _step_of(x, led, 0 * x.phi)
    return Sides(fallen, slope * step, scale + slope * (step + size) + rough * size)


GAME = (CONVEX_PART, CURVED, UNIQUE, FIRST, COMPARATOR)
PLAYED = (CONVEX_PART, CURVED, UNIQUE, FIRST)
DROP = r"\ell_t(\theta_t)-\ell_t(\theta_{t+1})"
LEMMA = r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\theta^\ast)\le\sum_{t=1}^T" + DROP
STABLE = r"\|\theta_t-\theta_{t+1}\|\le\frac{2\|\nabla_t\|_\ast}{\alpha_t+2\alpha_{1:t-1}}\quad\forall\ t\in[T]"
LAST = r"Tried for $t=T$: the first t losses are a game of their own. "
MERELY = r"After the first round $\alpha_t=0$ is allowed."


def _step(n: int, title: str, latex: str, sides: Any, uses: tuple[str, ...] = ()) -> Statement:
    return Statement(
        label=f"lem:stability/proof-{n}", kind="proof step", number="B.2", title=title, latex=latex,
        instance=leading_game, sides=sides, assumptions=PLAYED, uses=uses, step_of="lem:stability", note=LAST.strip(),
    )  # fmt: skip


STATEMENTS = (
    Statement(
        label="thm:ftlaogd/ftl",
        kind="theorem",
        number="A.2",
        title="Logarithmic regret of follow-the-leader",
        latex=r"\R_T\le\frac12\sum_{t=1}^T\frac{G_t^2}{\alpha_{1:t}}",
        instance=_bounded_game,
        sides=_logarithmic,
        assumptions=PLAYED,
        part_of="thm:ftlaogd",
        uses=("def:ftl", "def:regret", "def:convex"),
        note=r"The best action in hindsight is $\theta_{T+1}$; $G_t$ is an upper bound of the Lipschitz constant over "
        r"$\Theta$ in the norm of R, tight for l2 on boxes and simplices. " + MERELY,
    ),
    Statement(
        label="lem:btl",
        kind="lemma",
        number="B.1",
        title="Be the leader",
        latex=LEMMA + r"\quad\forall\ \theta^\ast\in\Theta",
        instance=_compared_game,
        sides=_be_the_leader,
        assumptions=GAME,
        uses=("def:ftl",),
        note=MERELY,
    ),
    Statement(
        label="lem:btl/nonconvex",
        kind="lemma",
        number="B.1",
        title="Be the leader, on losses that are not convex",
        latex=LEMMA + r"\quad\text{for}\quad\ell_t=\alpha_t\Breg_R(x_t||\cdot)",
        instance=means.mean_game,
        sides=means.be_the_leader,
        assumptions=means.GAME,
        part_of="lem:btl",
        uses=("def:ftl",),
        note=r"R is $\frac12x^\top Px+q\sum_jx_j^4$, whose divergences are not convex in their second argument; by "
        r"clm:mean the leader is the weighted mean of the $x_s$.",
    ),
    Statement(
        label="lem:stability",
        kind="lemma",
        number="B.2",
        title="Stability of follow-the-leader on strongly convex losses",
        latex=STABLE,
        instance=leading_game,
        sides=_stability,
        assumptions=PLAYED,
        uses=("def:ftl", "def:convex"),
        note=LAST + r"At kinks any subgradient of $\ell_t$. " + MERELY,
    ),
    Statement(
        label="lem:stability/any-subgradient",
        kind="lemma",
        number="B.2",
        title=r"Stability, with any subgradient of the losses as functions on $\Theta$",
        latex=STABLE,
        instance=_normal_game,
        sides=_any_stability,
        assumptions=(*PLAYED, Assumption(r"n_t\in N_\Theta(\theta_t)", _normality)),
        part_of="lem:stability",
        uses=("def:ftl", "def:convex"),
        note=r"A normal vector $n_t$ of $\Theta$ at $\theta_t$ is added to the subgradient of the loss: that is a "
        r"subgradient of $\ell_t$ on $\Theta$, and may be shorter.",
    ),
    _step(
        1,
        "Growth of the sum at its leader",
        r"\sum_{s=1}^t\ell_s(\theta_t)\ge\sum_{s=1}^t\ell_s(\theta_{t+1})+\frac{\alpha_{1:t}}2\|\theta_t-\theta_{t+1}\|^2",
        _grown_at_the_leader,
        ("clm:scmin",),
    ),
    _step(
        2,
        "Growth of the sum before",
        r"\sum_{s=1}^{t-1}\ell_s(\theta_{t+1})\ge\sum_{s=1}^{t-1}\ell_s(\theta_t)"
        r"+\frac{\alpha_{1:t-1}}2\|\theta_{t+1}-\theta_t\|^2",
        _grown_before,
        ("clm:scmin",),
    ),
    _step(
        3,
        "The two inequalities added",
        r"\left(\frac{\alpha_t}2+\alpha_{1:t-1}\right)\|\theta_t-\theta_{t+1}\|^2\le" + DROP,
        _added,
    ),
    _step(
        4,
        "The slope at the action",
        DROP + r"\le\|\nabla_t\|_\ast\|\theta_t-\theta_{t+1}\|",
        _fallen,
        ("clm:cdual",),
    ),
)
