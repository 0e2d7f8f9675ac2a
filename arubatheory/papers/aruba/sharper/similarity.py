r"""Similar tasks: thm:general in its exact form, what FTL of starts pays in l2, and prp:ftl with a smaller constant.

The proofs stand in docs/theorems/similarity.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.learners.eps_ftl import game_values
from arubatheory.papers.aruba.b_coupling.ftl import actions_of
from arubatheory.papers.aruba.c_dynamic import general
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import adaptive, similarity_losses, tasks
from arubatheory.papers.aruba.games.adaptive import EPS_EWOO, EPS_FTL, FTL, IN_THETA
from arubatheory.papers.aruba.games.similarity_losses import ewoo_price, first_term, regularised, sim_loss, total_loss
from arubatheory.papers.aruba.games.tasks import Played
from arubatheory.problems.domains import BALL
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root

USES = ("eq:regret", "eq:auxregret", "alg:general", "def:dynamic")
OFFSET = 2789  # thousandths: (1 + Euler's constant)/2 + 2, rounded up


# thm:general
def _with_slack(draw: Draw) -> Instance:
    x = tasks.meta_game(draw)
    x.rate, x.slack = draw.positive(), draw.positive(-24, 0, 2)
    return x


SLACK = (Assumption(r"v>0", lambda x: x.rate), Assumption(r"\text{bounds bound}", lambda x: min(x.slack)))


@claim(
    "thm:general/sharp",
    r"\RUB_TT\le\Rsim_T(v)+2\sqrt{\sigma_{1:T}W}\quad\text{at}\quad v=\sqrt{W/\sigma_{1:T}},\ "
    r"W=V_\Psi^2\sigma_{1:T}+\Rinit_T(\Psi)",
    _with_slack,
    (*tasks.GAME, *SLACK),
    uses=USES,
)
@general.of_play
def exact_form(p: Played, x: Instance) -> Sides:
    r"""From bounds of INIT and SIM to the average regret, exactly.

    $\Rsim_T$ may be any bound, monotone or not, and $\Rinit_T$ negative: $W\ge0$ always. Where W = 0, any v > 0 and
    $\Rsim_T(v)+v\sigma_{1:T}$. With the realised regrets of both it is an equality. Proved in
    docs/theorems/similarity.md.
    """
    upper, S = sum(sim_loss(p.at_phi, x.v, p.sigma)), sum(p.sigma)
    W = sum(p.at_phi * p.sigma) + x.slack[0] * S
    v = root(W / S) if W > 0 else x.rate
    sim = upper - sum(sim_loss(p.at_phi, v, p.sigma)) + x.slack[1] * S
    return Sides(upper, sim + (2 * root(S * W) if W > 0 else v * S))


def _terms(draw: Draw) -> Instance:
    V, S = draw.positive(shape=2)
    return Instance(V=V, S=S, R=V * V * S * (draw.positive(-8, 8) if draw.boolean() else draw.number(4)))


@claim(
    "thm:general/sharp/gain",
    r"2\sqrt{\sigma_{1:T}W}\le\min\left\{\frac R{V_\Psi},2\sqrt{R\sigma_{1:T}}\right\}+2V_\Psi\sigma_{1:T}\le"
    r"\frac3{\sqrt5}2\sqrt{\sigma_{1:T}W}\quad\text{for}\quad R=\Rinit_T(\Psi)\ge0",
    _terms,
    (Assumption(r"V_\Psi,\sigma_{1:T}>0,\ R\ge0", lambda x: min(x.V, x.S, x.R)),),
    uses=USES,
)
def gain(x: Instance) -> tuple[Sides, Sides]:
    r"""How much the printed form loses.

    At $R=4V_\Psi^2\sigma_{1:T}$ it is $\frac3{\sqrt5}$.
    """
    sharp = 2 * root(x.S * (x.V * x.V * x.S + x.R))
    printed = on(smaller, x.V)(x.R / x.V, 2 * root(x.R * x.S)) + 2 * x.V * x.S
    return Sides(sharp, printed), Sides(printed, 3 / root(5 + 0 * x.V) * sharp)


# INIT in l2
def equalised(x: Instance, weights: str = "sigma") -> Instance:
    """The same game with the first weight always."""
    setattr(x, weights, getattr(x, weights)[0] + 0 * getattr(x, weights))
    return x


def squared_radius(x: Instance) -> Any:
    r"""$r^2$, r the circumradius of a ball or a box."""
    if x.domain.kind == BALL:
        return x.domain.radius[0] ** 2
    return sum((x.domain.high - x.domain.low) ** 2) / 4


def init_price(x: Instance) -> Any:
    r"""$\frac{r^2}2\log T + 2.789r^2$."""
    return squared_radius(x) * (np.log(0 * x.eps + len(x.star)) / 2 + (0 * x.eps + OFFSET) / 1000)


EQUAL: dict[str, Any] = {
    "game": lambda draw: equalised(adaptive.adaptive_game(draw, euclidean=True)),
    "given": IN_THETA,
}
INIT_REGRET = (
    r"\sum_{t=1}^T\frac\sigma2\|\theta_t^\ast-\phi_t\|_2^2-\min_\phi\sum_{t=1}^T\frac\sigma2"
    r"\|\theta_t^\ast-\phi\|_2^2\le"
)


def _init_regret(x: Instance) -> Any:
    return sum(x.sigma * adaptive.divergences_of_init(x, FTL)) - adaptive.spread_of(x)


@claim(
    "ours:s2",
    INIT_REGRET
    + r"\sigma\left(\frac{r^2}2\left(1+\sum_{t=1}^{T-1}\frac1t\right)+\frac{\|\theta_1^\ast-\phi_1\|_2^2}2\right)",
    **EQUAL,
    uses=("thm:ftlaogd/ftl", "clm:mean"),
)
def init_in_l2(x: Instance) -> Sides:
    r"""FTL of starts in l2, with equal weights.

    r is the circumradius of $\Theta$. Proved in docs/theorems/similarity.md.
    """
    T, r2 = len(x.star), squared_radius(x)
    first, harmonic = x.star[0] - x.phi, sum((1 / (t + 0 * x.eps) for t in range(1, T)), 0 * x.eps)
    return Sides(_init_regret(x), x.sigma[0] * (r2 * (1 + harmonic) + first @ first) / 2)


@claim("ours:s2/closed", INIT_REGRET + r"\sigma\left(\frac{r^2}2\log T+2.789\,r^2\right)", **EQUAL, uses=("ours:s2",))
def init_in_closed_form(x: Instance) -> Sides:
    """The same with a logarithm."""
    return Sides(_init_regret(x), x.sigma[0] * init_price(x))


@claim(
    "ours:s2/proof-1",
    r"\left(1-\frac1t\right)\frac{\|w_t-u_t\|_2^2}t=\frac{\|w_t\|_2^2}t-\left(\|u_{t+1}\|_2^2-\|u_t\|_2^2\right)"
    r"-\frac{\|u_t\|_2^2}t\quad\text{for}\quad u_t=\frac1{t-1}w_{1:t-1},\ w_t=\theta_t^\ast",
    **EQUAL,
)
def identity_of_means(x: Instance) -> tuple[Sides, ...]:
    """What telescopes; the circumcentre is the origin."""
    sides: list[Sides] = []
    for t in range(2, len(x.star) + 1):
        u, after, w = sum(x.star[: t - 1]) / (t - 1), sum(x.star[:t]) / t, x.star[t - 1]
        left = (w - u) @ (w - u) * (t - 1) / t / t
        right = w @ w / t - (after @ after - u @ u) - u @ u / t
        sides += [Sides(left + u @ u / t + after @ after, w @ w / t + u @ u), Sides(right, left)]
    return tuple(sides) or (Sides(0 * x.eps, 0 * x.eps),)


# prp:ftl
def _scalar_game(draw: Draw) -> Instance:
    x = similarity_losses.similarity_game(draw, 8, True)
    if draw.boolean():  # long, and the best action below eps
        T = 1 << draw.integer(3, 8)  # roots of ever longer sums
        change = draw.integer(0, 8) * T // 8
        x.B = x.D * draw.array([1] * change + [0] * (T - change)) * draw.positive(-8, 0)
        x.alpha = draw.array([1] * T)
    if draw.boolean():
        x.comparator = root(sum(x.alpha * x.B**2) / sum(x.alpha)) + x.eps * draw.positive(-16, 0)
    return x


def ftl_price(x: Instance, weights: Array) -> Any:
    r"""$\frac{D^4}{4\varepsilon^3}\sum_t\alpha_t^2/\alpha_{1:t} + \frac{D^2}{2\varepsilon}\alpha_{\max}$."""
    ratio = x.D / x.eps
    return x.D * ratio**3 / 4 * adaptive.harmonic(weights) + x.D * ratio / 2 * max(weights)


SCALAR: dict[str, Any] = {"game": _scalar_game, "given": similarity_losses.GAME, "uses": ("def:ftl", "def:regret")}
SUM = r"\frac{D^4}{4\varepsilon^3}\sum_{t=1}^T\frac{\alpha_t^2}{\alpha_{1:t}}"


@claim(
    "prp:ftl/sharp",
    r"\sum_{t=1}^T\ell_t(x_t)-\ell_t(x^\ast)\le\min\left\{\frac{\varepsilon^2}{x^\ast},\varepsilon\right\}\alpha_{1:T}+"
    + SUM
    + r"+\frac{D^2}{2\varepsilon}\alpha_{\max}\quad\forall\ x^\ast>0",
    **SCALAR,
)
def scalar_ftl(x: Instance) -> Sides:
    r"""Regret of epsilon-FTL.

    $x_1$ is any point of the interval; $D^3$ and $D^4/\varepsilon^3$ of prp:ftl become a half and a quarter of less.
    Proved in docs/theorems/similarity.md.
    """
    regret = sum(game_values(x.B, x.alpha, actions_of(x))) - total_loss(x.B, x.alpha, x.comparator)
    return Sides(regret, first_term(x.eps, x.comparator, sum(x.alpha)) + ftl_price(x, x.alpha))


@claim(
    "prp:ftl/sharp/proof-1",
    r"\sum_{t=1}^T\tilde\ell_t(x_t)-\min_{x>0}\sum_{t=1}^T\tilde\ell_t(x)=\sum_{t=1}^T\alpha_{1:t}\frac{(x_{t+1}-x_t)^2}{x_t}"
    r"\le" + SUM,
    **SCALAR,
)
def scalar_steps(x: Instance) -> tuple[Sides, ...]:
    r"""The regret on the regularised losses.

    $x_{t+1}^2-x_t^2=\frac{\alpha_t}{\alpha_{1:t}}(\tilde B_t^2-x_t^2)$.
    """
    y, size = actions_of(x), regularised(x)
    played, least = sum(sim_loss(size, y[:-1], x.alpha)), 2 * root(sum(x.alpha * size) * sum(x.alpha))
    steps = sum(np.cumsum(x.alpha) * ((y[1:] - y[:-1]) ** 2 / y[:-1]))
    most = x.D * (x.D / x.eps) ** 3 / 4 * adaptive.harmonic(x.alpha)
    return Sides(played, least + steps), Sides(least + steps, played), Sides(steps, most)


@claim(
    "prp:ftl/sharp/proof-2",
    r"\sum_{t=1}^T\alpha_t\left(\varepsilon-\frac{\varepsilon^2}{x_t}\right)\le\Theta\left(\sum_{t=1}^T\frac{\alpha_tB_t^2}"
    r"{\alpha_{1:T}}\right)\alpha_{1:T}+\left(\varepsilon-\frac{\varepsilon^2}{\sqrt{D^2+\varepsilon^2}}\right)\alpha_{\max}"
    r"\quad\text{for}\quad\Theta(q^2)=2\min\{q,\varepsilon\}-\frac{\min\{q,\varepsilon\}^2}\varepsilon",
    **SCALAR,
)
def far_from_epsilon(x: Instance) -> Sides:
    r"""How far actions can be from epsilon although the last one is near.

    By the potential $\alpha_{1:t}\Theta$ of the running mean.
    """
    y, mass = actions_of(x)[:-1], sum(x.alpha)
    q = root(sum(x.alpha * x.B**2) / mass)
    near = on(smaller, q)(q, x.eps)
    potential = (2 * near - near * near / x.eps) * mass
    most = x.eps - x.eps * (x.eps / root(x.D * x.D + x.eps * x.eps))
    return Sides(sum(x.alpha * (x.eps - x.eps * (x.eps / y))), potential + most * max(x.alpha))


# Algorithm 1
def _algorithm(x: Instance, sim: int, learning: Any, times: int) -> Sides:
    mass = sum(x.sigma)
    W = adaptive.spread_of(x) + x.sigma[0] * init_price(x)
    upper = adaptive.upper_bound(x, FTL, sim) - first_term(x.eps, root(W / mass), mass, times)
    return Sides(upper, learning + 2 * root(mass * W))


AT_V = r"\quad\text{for}\quad v^2=V^2+\frac{r^2}T\left(\frac{\log T}2+2.789\right)"


@claim(
    "cor:epsftl/sharp",
    r"\RUB_TT\le\min\left\{\frac{\varepsilon^2}v,\varepsilon\right\}\sigma T+"
    + r"\frac{D^4}{4\varepsilon^3}\sigma\sum_{t=1}^T\frac1t+\frac{D^2}{2\varepsilon}\sigma+2\sigma Tv"
    + AT_V,
    **EQUAL,
    uses=("thm:general/sharp", "prp:ftl/sharp", "ours:s2/closed"),
)
def with_ftl(x: Instance) -> Sides:
    r"""Algorithm 1 with FTL and eps-FTL in l2.

    Equal weights, r the circumradius of $\Theta$, D any bound of its diameter. The first term is taken to the left
    side.
    """
    return _algorithm(x, EPS_FTL, ftl_price(x, x.sigma), 1)


@claim(
    "cor:epsewoo/sharp",
    r"\RUB_TT\le\min\left\{\frac{\varepsilon^2}v,2\varepsilon\right\}\sigma T+"
    + adaptive.EWOO_PRICE
    + r"+2\sigma Tv"
    + AT_V,
    **EQUAL,
    uses=("thm:general/sharp", "cor:ewoo/corrected", "ours:s2/closed"),
)
def with_ewoo(x: Instance) -> Sides:
    r"""Algorithm 1 with FTL and eps-EWOO in l2.

    As cor:epsftl/sharp.
    """
    return _algorithm(x, EPS_EWOO, ewoo_price(x.sigma, x.D, x.eps), 2)
