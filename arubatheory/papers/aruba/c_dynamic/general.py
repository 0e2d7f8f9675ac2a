r"""Section 2 and the head of appendix C: from regret within tasks to average regret over tasks (thm:general).

The theorem holds for every INIT and SIM whose regret is bounded by $U^{init}(\Psi)$ and $U^{sim}(v)$, so both are put
on trial as tightly as they can be: $U^{init}(\Psi)$ is the realised dynamic regret against the drawn $\Psi$, and
$U^{sim}$ the least non-increasing function above the realised regret against every v (`smallest_sim_bound`). Where
$U^{init}(\Psi) < 0$ its root does not exist, where $V_\Psi = 0$ the quotient does not, and where $G_t = 0$ there is no
$\eta_t$: `/literal` keeps all three, the others take $\max\{U^{init}(\Psi), 0\}$, read the minimum as its second term
and play any $\eta_t$.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import adaptive, potentials, tasks
from arubatheory.papers.aruba.games.similarity_losses import sim_loss
from arubatheory.papers.aruba.games.tasks import GAME, OPTIMA, Played, deviation, meta_game, play, smallest_sim_bound
from arubatheory.problems import domains
from arubatheory.problems.draw import Draw
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer
from arubatheory.problems.scalar import larger, smaller
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import largest, root, within
from arubatheory.statements.games import MOST_D, MOST_T, played_by_ftrl, played_by_omd

Of = Callable[[Instance], Any]


# thm:general
def of_play(sides: Callable[[Played, Instance], Any], learner: Callable[[Instance], Array] = played_by_omd) -> Of:
    r"""Sides of the game as it was played by a learner within tasks; nothing to compare where no loss of any task has a
    gradient."""

    @functools.wraps(sides)
    def of(x: Instance) -> Any:
        p = play(x, learner)
        return sides(p, x) if sum(p.sigma) > 0 else Sides(0 * p.sigma[0], 0 * p.sigma[0])

    return of


def _upper(p: Played, x: Instance) -> Any:
    r"""$T \bar U_T = \sum_t (B_t^2/v_t + v_t)\sigma_t$."""
    return sum(sim_loss(p.at_phi, x.v, p.sigma))


def init_regret(p: Played) -> Any:
    r"""$\sum_t (B_R(\theta_t^\ast\|\phi_t) - B_R(\theta_t^\ast\|\psi_t))\sigma_t$."""
    return sum((p.at_phi - p.at_psi) * p.sigma)


def bound(p: Played, sim: Any, init: Any, literal: bool = False) -> Any:
    r"""T times the right side of thm:general."""
    V, mass = deviation(p), sum(p.sigma)
    second = 2 * root(init * mass)
    if not literal and V == 0:
        return sim + second
    return sim + on(smaller, V)(init / V, second) + 2 * V * mass


BOUND = (
    r"\TAR_T\le\RUB_T\le\frac{\Rsim_T(V_\Psi)}T+\frac1T\min\left\{\frac{\Rinit_T(\Psi)}{V_\Psi},"
    r"2\sqrt{\Rinit_T(\Psi)\sigma_{1:T}}\right\}+\frac{2V_\Psi}T\sigma_{1:T}"
)
USES = ("eq:regret", "eq:auxregret", "alg:general", "def:dynamic")
THEOREM: dict[str, Any] = {"latex": BOUND, "game": meta_game, "given": GAME, "uses": USES}


@claim("thm:general", **THEOREM, corrects=("thm:general/literal",))
@of_play
def general(p: Played, x: Instance) -> tuple[Sides, Sides]:
    r"""From bounds of INIT and SIM to the average regret.

    $\Rsim_T$ is the least non-increasing bound of SIM's realised regret, $\Rinit_T(\Psi)$ the realised one, or 0 if
    that is negative; the minimum is its second term where $V_\Psi=0$, and $\eta_t$ is arbitrary where $G_t=0$. The norm
    of $G_t$ is the one in which R is 1-strongly convex. It is needed that $\Rsim_T$ does not increase: for one task,
    $G\sqrt m=1$, $\Breg_R(\theta_1^\ast||\phi_1)=10$ and $\Breg_R(\theta_1^\ast||\psi_1)=1$, SIM's regret against
    $V_\Psi=1$ itself leaves 3 too little on the right, whatever $v_1$ is.
    """
    upper, init = _upper(p, x), init_regret(p)
    rhs = bound(p, smallest_sim_bound(p, upper, deviation(p)), on(larger, init)(init, 0 * init))
    return Sides(sum(p.regret), upper), Sides(upper, rhs)


@claim("thm:general/ftrl", r"\TAR_T\le\RUB_T", meta_game, GAME, uses=(*USES, "def:ftrl"))
@functools.partial(of_play, learner=played_by_ftrl)
def general_with_ftrl(p: Played, x: Instance) -> Sides:
    r"""The same with FTRL within tasks.

    The first inequality: the second one does not depend on what is played within tasks. The norm is that of the plain
    label. Actions are played to the accuracy that a duality gap certifies.
    """
    return Sides(sum(p.regret), _upper(p, x))


@claim("thm:general/literal", **THEOREM)
@of_play
def literal(p: Played, x: Instance) -> Sides:
    r"""The same where $\Rinit_T(\Psi)<0$, $V_\Psi=0$ or $G_t=0$.

    A dynamic regret may be negative, and its root does not exist; $V_\Psi=0$ when $\Psi$ holds the optimal actions,
    and the quotient has no value; nor has $\eta_t=v_t/(G_t\sqrt{m_t})$ where all losses of a task are constant.
    """
    upper = _upper(p, x) + 0 * sum(x.v / p.sigma)  # the step sizes must have values
    return Sides(upper, bound(p, smallest_sim_bound(p, upper, deviation(p)), init_regret(p), literal=True))


APPENDIX = claim("thm:app:general", **THEOREM, corrects=("thm:app:general/literal",))(general.sides)
APPENDIX_LITERAL = claim("thm:app:general/literal", **THEOREM)(literal.sides)


# the proof of thm:general
def _with_rate(draw: Draw) -> Instance:
    x = meta_game(draw)
    x.rate = draw.positive()
    return x


RATE = Assumption("v>0", lambda x: x.rate)
STEP: dict[str, Any] = {"game": _with_rate, "given": (*GAME, RATE), "uses": USES}
SUM = r"\sum_{t=1}^T\left(\frac{\Breg_R(\theta_t^\ast||%s)}%s+%s\right)\sigma_t"
REFERENCES = SUM % (r"\psi_t", "v", "v")


@claim(
    "thm:general/proof-1", SUM % (r"\phi_t", "{v_t}", "v_t") + r"\le\Rsim_T(v)+" + SUM % (r"\phi_t", "v", "v"), **STEP
)
@of_play
def _first_line(p: Played, x: Instance) -> Sides:
    """Line 1 of the proof."""
    upper = _upper(p, x)
    return Sides(upper, smallest_sim_bound(p, upper, x.rate) + sum(sim_loss(p.at_phi, x.rate, p.sigma)))


@claim("thm:general/proof-2", SUM % (r"\phi_t", "v", "v") + r"\le\frac{\Rinit_T(\Psi)}v+" + REFERENCES, **STEP)
@of_play
def _second_line(p: Played, x: Instance) -> Sides:
    """Line 2 of the proof."""
    at_phi, at_psi = (sum(sim_loss(B, x.rate, p.sigma)) for B in (p.at_phi, p.at_psi))
    return Sides(at_phi, init_regret(p) / x.rate + at_psi)


@claim(
    "thm:general/proof-3",
    r"\Rsim_T(v)+\frac{\Rinit_T(\Psi)}v+" + REFERENCES + r"\le\Rsim_T(V_\Psi)+"
    r"\min\left\{\frac{\Rinit_T(\Psi)}{V_\Psi},2\sqrt{\Rinit_T(\Psi)\sigma_{1:T}}\right\}+2V_\Psi\sigma_{1:T}"
    r"\quad\text{at}\quad v=\max\left\{V_\Psi,\sqrt{\Rinit_T(\Psi)/\sigma_{1:T}}\right\}",
    **STEP,
)
@of_play
def _third_line(p: Played, x: Instance) -> Sides:
    """Line 3 of the proof."""
    upper, V, init = _upper(p, x), deviation(p), init_regret(p)
    init = on(larger, init)(init, 0 * init)
    v = on(larger, V)(V, root(init / sum(p.sigma)))
    if v == 0:  # phi_t = psi_t = theta_t^*: every v is allowed and the line's infimum is that at 0
        return Sides(v, v)
    lhs = smallest_sim_bound(p, upper, v) + init / v + sum(sim_loss(p.at_psi, v, p.sigma))
    return Sides(lhs, bound(p, smallest_sim_bound(p, upper, V), init))


# eq:auxregret and the text around it
@claim(
    "eq:auxregret",
    r"\fsim_t(v)=\U_t\left(\phi_t,\frac v{G_t\sqrt{m_t}}\right)=\frac{\finit_t(\phi_t)}v+vG_t\sqrt{m_t}",
    **STEP | {"uses": ("eq:regret",)},
)
@of_play
def losses_of_both(p: Played, x: Instance) -> tuple[Sides, ...]:
    """The losses of SIM and INIT are the regret-upper-bound.

    Both relations that section 2 states after the display: the losses of SIM are regret-upper-bounds, and for fixed
    $v$ an affine function of those of INIT.
    """
    sides: list[Sides] = []
    for b, s in zip(p.at_phi, p.sigma, strict=True):
        if s > 0:
            eta, f = x.rate / s, sim_loss(b, x.rate, s)
            sides += (*equality(f, b / eta + eta * s * s), *equality(f, b * s / x.rate + x.rate * s))
    return tuple(sides)


@claim(
    "text:tar-below-rub",
    r"\R_t\le\U_t(\phi_t,\eta_t)\ \forall\ t\quad\text{and}\quad\TAR_T\le\RUB_T",
    meta_game,
    (tasks.CONVEX, tasks.START, OPTIMA, tasks.RATES),
    uses=("eq:regret", "alg:general"),
)
@of_play
def _regret_below_upper(p: Played, x: Instance) -> tuple[Sides, ...]:
    """Regret is at most its upper bound, task by task."""
    each = map(Sides, p.regret, sim_loss(p.at_phi, x.v, p.sigma))
    return (*each, Sides(sum(p.regret), _upper(p, x)))


def _weighted_divergences(draw: Draw) -> Instance:
    T = draw.size("T", 5, MOST_T)
    B = draw.unit(T) * draw.positive()
    return Instance(B=B, sigma=draw.positive(shape=T) if draw.boolean() else draw.array([1] * T), rate=draw.positive())


WEIGHTED = (
    Assumption(r"\Breg_R(\theta_t^\ast||\phi)\ge0", lambda x: x.B.min()),
    Assumption(r"\sigma_t>0", lambda x: x.sigma.min()),
)


@claim(
    "text:min-average",
    r"\min_{v>0}\frac1T\sum_{t=1}^T\U_t\left(\phi,\frac v{\sigma_t}\right)=\frac{2V\sigma_{1:T}}T"
    r"\quad\text{for}\quad V^2=\frac1{\sigma_{1:T}}\sum_{t=1}^T\sigma_t\Breg_R(\theta_t^\ast||\phi)",
    _weighted_divergences,
    (*WEIGHTED, RATE),
    uses=("eq:regret",),
)
def least_average(x: Instance) -> tuple[Sides, Sides]:
    r"""The least average upper bound, with its constant.

    The paper says $\mathcal O(GV\sqrt m)$; the constant is 2 for any $\phi$, with $V$ taken at that $\phi$, and
    $\eta_t=V/\sigma_t$ attains it.
    """
    mass, spread = sum(x.sigma), sum(x.B * x.sigma)
    least, V = 2 * root(spread * mass), root(spread / mass)
    at_V = sum(sim_loss(x.B, V, x.sigma)) if V > 0 else least
    return Sides(least, sum(sim_loss(x.B, x.rate, x.sigma))), Sides(at_V, least)


# text:v-below-dstar
def _optima(draw: Draw) -> Instance:
    d, T = draw.size("d", 3, MOST_D), draw.size("T", 6, MOST_T)
    domain = random_domain(draw, d)
    cluster = random_point(domain, draw)
    points = [random_point(domain, draw) if draw.boolean() else cluster for _ in range(T)]
    return Instance(domain=domain, star=np.stack(points))


def _optima_of_any(draw: Draw) -> Instance:
    r"""Optimal actions for any R, half of the time two of them."""
    R, domain = potentials.random_pair(draw, draw.size("d", 3, MOST_D))
    points = [random_point(domain, draw) for _ in range(2 if draw.boolean() else draw.size("T", 6, MOST_T))]
    return Instance(R=R, domain=domain, star=np.stack(points))


def _outlier(draw: Draw) -> Instance:
    d, T = draw.size("d", 3, MOST_D), draw.size("T", 12, MOST_T)
    domain = random_domain(draw, d)
    star = np.stack([random_point(domain, draw)] * T)
    star[draw.integer(0, T - 1)] = random_point(domain, draw)
    return Instance(domain=domain, star=star)


def _largest_of_pairs(x: Instance, size: Callable[[Array, Array], Any]) -> Any:
    return largest(size(p, q) for p in x.star for q in x.star)


def _average_divergence(x: Instance) -> Any:
    r"""$V^2$, attained at the mean (clm:mean)."""
    mean = sum(x.star) / len(x.star)
    return sum(on(potentials.divergence, mean)(x.R, p, mean) for p in x.star) / len(x.star)


def _spread(x: Instance) -> tuple[Any, Any]:
    r"""$\frac1T\sum_t\frac12\|\theta_t^\ast - \bar\theta^\ast\|^2$, and the largest half of a squared distance."""
    shifts = x.star - sum(x.star) / len(x.star)
    return sum(s @ s for s in shifts) / (2 * len(x.star)), adaptive.widest_square(x.star) / 2


ANY_V = r"V^2=\min_{\phi\in\Theta}\frac1T\sum_{t=1}^T\Breg_R(\theta_t^\ast||\phi)\le"
PART: dict[str, Any] = {
    "game": _optima_of_any,
    "given": (OPTIMA,),
    "part_of": "text:v-below-dstar/at-most",
    "uses": ("clm:mean",),
}


@claim(
    "text:v-below-dstar/at-most",
    r"V^2=\frac1T\sum_{t=1}^T\frac12\|\theta_t^\ast-\bar\theta^\ast\|_2^2\le"
    r"\max_{s,t}\frac12\|\theta_s^\ast-\theta_t^\ast\|_2^2",
    _optima,
    (OPTIMA,),
)
def at_most(x: Instance) -> Sides:
    r"""The average deviation is at most the largest.

    $R=\frac12\|\cdot\|_2^2$ and ${D^\ast}^2$ its largest divergence: the largest distance is divided by
    $\sqrt2$.
    """
    return Sides(*_spread(x))


@claim("text:v-below-dstar/at-most/literal", ANY_V + r"\max_{s,t}\|\theta_s^\ast-\theta_t^\ast\|^2", **PART)
def below_distance(x: Instance) -> Sides:
    r"""The same for any R and the largest distance.

    V is that of thm:similarity, and the norm one in which R is 1-strongly convex, which bounds divergences from
    below only: for $R=50x^2$ and $\theta_t^\ast=\pm1$ it is $V^2=50$, $D^\ast=2$.
    """
    return Sides(_average_divergence(x), _largest_of_pairs(x, lambda p, q: on(potentials.squared_norm, p)(x.R, p - q)))


@claim(
    "text:v-below-dstar/at-most/divergence",
    ANY_V + r"\max_{s,t}\Breg_R(\theta_s^\ast||\theta_t^\ast)",
    corrects=("text:v-below-dstar/at-most/literal",),
    **PART,
)
def below_divergence(x: Instance) -> Sides:
    r"""The same for any R and the largest divergence.

    The minimum is at most the average at any $\theta_s^\ast$.
    """
    return Sides(_average_divergence(x), _largest_of_pairs(x, lambda p, q: on(potentials.divergence, p)(x.R, p, q)))


@claim(
    "text:v-below-dstar/outlier",
    r"\theta_1^\ast=\dots=\theta_{T-1}^\ast\ \implies\ V^2\le\frac{{D^\ast}^2}T",
    _outlier,
    (OPTIMA,),
)
def one_outlier(x: Instance) -> Sides:
    r"""With one outlier it is much smaller.

    $V^2=\frac{T-1}{T^2}{D^\ast}^2$ in closed form.
    """
    V, most = _spread(x)
    return Sides(V, most / len(x.star))


# text:finit-lipschitz
def _quadratic(draw: Draw) -> Instance:
    d = draw.size("d", 3, MOST_D)
    domain = random_domain(draw, d, (domains.BOX, domains.BALL, domains.SIMPLEX))
    points = {name: random_point(domain, draw) for name in ("star", "first", "second")}
    R = Regularizer(EUCLIDEAN, draw.zeros((d, d)))
    return Instance(domain=domain, R=R, **points, G=draw.positive(), m=draw.size("m", 100))


def _quadratic_slope(x: Instance, square: Any) -> Sides:
    r"""$|f(\phi) - f(\phi')| \le DG\sqrt m\|\phi - \phi'\|$ for $f(\phi) = \frac12\|\theta^\ast - \phi\|^2 G\sqrt m$,
    squared, with the given $D^2$."""
    a, b, step = x.star - x.first, x.star - x.second, x.first - x.second
    gap, weight = (a @ a - b @ b) / 2, x.G * x.G * x.m
    return Sides(gap * gap * weight, square * (step @ step) * weight)


FINIT = (
    r"|\finit_t(\phi)-\finit_t(\phi')|\le DG\sqrt m\|\phi-\phi'\|_2\quad\text{for}\quad R=\frac12\|\cdot\|_2^2,\ "
    r"\finit_t(\phi)=\frac12\|\theta_t^\ast-\phi\|_2^2G\sqrt m"
)
LIPSCHITZ: dict[str, Any] = {
    "game": _quadratic,
    "given": (Assumption(r"G>0", lambda x: x.G), OPTIMA, within(r"\phi,\phi'\in\Theta", "first", "second")),
    "uses": ("eq:auxregret",),
}


@claim(
    "text:finit-lipschitz",
    FINIT + r",\ D=\max_{\theta,\phi\in\Theta}\|\theta-\phi\|_2",
    corrects=("text:finit-lipschitz/literal", "text:finit-lipschitz/literal-bregman"),
    **LIPSCHITZ,
)
def lipschitz(x: Instance) -> Sides:
    r"""The losses of INIT are Lipschitz quadratics.

    Both sides squared. $D$ is the diameter, as in the appendix; the largest distance between the three points is at
    most that. In the main text it is the radius first, then the root of a bound of $\Breg_R$.
    """
    steps = (x.first - x.second, x.star - x.first, x.star - x.second)
    return _quadratic_slope(x, largest(s @ s for s in steps))


@claim("text:finit-lipschitz/literal", FINIT + r",\ D=\min_c\max_{\theta\in\Theta}\|\theta-c\|_2", **LIPSCHITZ)
def lipschitz_by_radius(x: Instance) -> Sides:
    r"""The losses of INIT are Lipschitz quadratics, with the radius.

    Both sides squared. Section 2 has D for the radius of $\Theta$. On $[-1,1]$ with $\theta_t^\ast=1$ the slope at
    $-1$ is 2.
    """
    return _quadratic_slope(x, domains.radius(x.domain) ** 2)


@claim(
    "text:finit-lipschitz/literal-bregman",
    FINIT + r",\ D^2=\max_{\theta,\phi\in\Theta}\frac12\|\theta-\phi\|_2^2",
    **LIPSCHITZ,
)
def lipschitz_by_bregman(x: Instance) -> Sides:
    r"""The losses of INIT are Lipschitz quadratics, with the root of the largest $\Breg_R$.

    Both sides squared. Section 3 has $D^2$ for the bound of $\Breg_R$ before eq:ewoo. On $[-1,1]$ that is 2, and
    with $\theta_t^\ast=1$ the slope at $-1$ is 2.
    """
    return _quadratic_slope(x, domains.diameter(x.domain) ** 2 / 2)
