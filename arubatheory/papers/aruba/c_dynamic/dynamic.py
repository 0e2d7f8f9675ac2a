r"""Appendix C: the explicit guarantee of Algorithm 1 in changing environments (cor:dynamic), and text:dynamic-adaptive.

INIT is OGD with the step $1/\sigma_{\max}$ on $f_t(\phi) = \frac{\sigma_t}2\|\theta_t^\ast - \phi\|^2$:
$\phi_{t+1} = \phi_t + \lambda_t(\theta_t^\ast - \phi_t)$, $\lambda_t = \sigma_t/\sigma_{\max}$ (a point of $\Theta$, so
nothing is projected). What it achieves against any $\Psi$, with $P = \sum_{t\ge2}\|\psi_t - \psi_{t-1}\|$:
$$\sum_t f_t(\phi_t) \le 4\sum_t f_t(\psi_t) + \sigma_{\max}D(D + 2P) .$$
Let $e_t = \|\phi_t - \psi_t\|$, $r_t = \|\theta_t^\ast - \psi_t\|$. The square is convex, so
$\|\phi_{t+1} - \psi_t\|^2 \le (1 - \lambda_t)e_t^2 + \lambda_tr_t^2$, and $e_{t+1}^2 \le \|\phi_{t+1} - \psi_t\|^2 +
2D\|\psi_{t+1} - \psi_t\|$ because both lengths are at most D. In the sum $\sum_t\lambda_te_t^2 \le D^2 + 2DP +
\sum_t\lambda_tr_t^2$, and $\|\phi_t - \theta_t^\ast\|^2 \le 2e_t^2 + 2r_t^2$. Against the minimisers themselves
$r_t = 0$ and $e_t$ is the distance asked for: half of the second term. The 4 is needed: two optimal actions in turn
around a fixed $\psi$ make $f_t(\phi_t) = 4f_t(\psi_t)$.

So thm:app:general's argument at $v = \max\{2V_\Psi, (Q/\sigma_{1:T})^{1/2}\}$, $Q = \sigma_{\max}D(D + 2P)$, gives
$4V_\Psi\sigma_{1:T} + \min\{Q/(2V_\Psi), 2\sqrt{Q\sigma_{1:T}}\}$ in place of the last two printed terms. The printed
ones multiply a length by a length, and rest on thm:mokhtari with $1/(1 - \rho) = 2$ and any reference sequence.

text:dynamic-adaptive suggests that Reptile is such an OGD. As an update it is (`/reptile`, `/fedavg`); that it learns
from last iterates $\hat\theta_t$ costs at most $D\sigma_t/\varepsilon$ times their distance from $\theta_t^\ast$,
because $\|\theta^\ast - \phi\|^2 - \|\hat\theta - \phi\|^2 = \langle\theta^\ast - \hat\theta,
\theta^\ast + \hat\theta - 2\phi\rangle \le 2D\|\theta^\ast - \hat\theta\|$ and $v_t \ge \varepsilon$ (`/price`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import adaptive
from arubatheory.papers.aruba.games.adaptive import EPS_EWOO, EWOO_PRICE, IN_THETA, OGD, path_of, spread_about
from arubatheory.papers.aruba.games.similarity_losses import ewoo_price, first_term, sim_loss
from arubatheory.problems import domains
from arubatheory.problems.draw import Draw
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root, within
from arubatheory.statements.games import MOST_D, MOST_T

LARGEST_POWER = 96  # of the closed family


# cor:dynamic as printed
def deviation_of(x: Instance, psi: Array) -> Any:
    r"""$V_\Psi$ of thm:app:general; of the optimal actions themselves it is 0, without rounding."""
    return 0 * x.eps if psi is x.star else root(spread_about(x, psi) / sum(x.sigma))


def _least(V: Any, first: Any, second: Any) -> Any:
    r"""$\min\{first/V, second\}$, which is the second at V = 0."""
    return second if V == 0 else on(smaller, V)(first / V, second)


def _upper(x: Instance) -> Any:
    return adaptive.upper_bound(x, OGD, EPS_EWOO)


def _printed(x: Instance, psi: Array) -> Sides:
    upper, mass, top = _upper(x), sum(x.sigma), max(x.sigma)
    V, path = deviation_of(x, psi), 1 + path_of(psi)
    switching = _least(V, x.D * top * path, root(2 * top * mass * path))
    rhs = ewoo_price(x.sigma, x.D, x.eps) + 2 * x.D * switching + 2 * V * mass
    return Sides(upper - first_term(x.eps, V, mass), rhs)


PRINTED = (
    r"\RUB_TT\le\min\left\{\frac{\varepsilon^2}{V_\Psi},\varepsilon\right\}\sigma_{1:T}+" + EWOO_PRICE + "+2D"
    r"\min\left\{\frac{D\sigma_{\max}}{V_\Psi}(1+P_\Psi),\sqrt{2\sigma_{\max}\sigma_{1:T}(1+P_\Psi)}\right\}"
    r"+2V_\Psi\sigma_{1:T}"
)
MINIMISERS = r"\quad\text{for}\quad\psi_t=\theta_t^\ast"
AGAINST_ANY = {"game": adaptive.euclidean_game, "given": (*IN_THETA, adaptive.REFERENCE)}
AGAINST_MINIMISERS = {"game": adaptive.euclidean_game, "given": IN_THETA}
USES = {"uses": ("alg:general", "thm:mokhtari", "cor:ewoo", "thm:app:general")}


@claim("cor:dynamic/explicit", PRINTED, **AGAINST_ANY, **USES)
def explicit(x: Instance) -> Sides:
    """Algorithm 1 with OGD and eps-EWOO against any reference sequence.

    The dynamic regret bound that it rests on holds against the minimisers only, and multiplies a length by a
    length.
    """
    return _printed(x, x.psi)


@claim("cor:dynamic/explicit/minimisers", PRINTED + MINIMISERS, **AGAINST_MINIMISERS, **USES)
def explicit_minimisers(x: Instance) -> Sides:
    r"""The same against the optimal actions themselves.

    $\psi_t=\theta_t^\ast$ gives $V_\Psi=0$.
    """
    return _printed(x, x.star)


def _in_turn(draw: Draw) -> Instance:
    r"""T, a power of two, that no loop would reach; $V_\Psi = G\sqrt m = 1$ are units, $D = 2\sqrt2$."""
    return Instance(T=draw.number(2 ** draw.integer(0, LARGEST_POWER)))


@claim(
    "cor:dynamic/explicit/any-constant",
    r"\RUB_TT\le100(1+\log T)\left(\min\left\{\frac{\varepsilon^2}{V_\Psi},\varepsilon\right\}T+\frac{D^3}"
    r"{\varepsilon^2}+D\min\left\{\frac{D(1+P_\Psi)}{V_\Psi},\sqrt{T(1+P_\Psi)}\right\}\right)+2V_\Psi T",
    _in_turn,
    (Assumption(r"T\ge1", lambda x: x.T - 1),),
    **USES,
)
def any_constant(x: Instance) -> Sides:
    r"""No constants save $2V_\Psi$.

    The family $\theta_t^\ast=\pm\sqrt2$ in turn, $\psi_t=\phi_1=0$, $\sigma_t=1$, $\varepsilon=DT^{-1/4}$:
    $\phi_t=\theta_{t-1}^\ast$ is twice as far as $\psi_t$, so that the upper bound is at least $(4T-2)V_\Psi$. The
    minimum is over-stated by $\sqrt T$.
    """
    T, D = x.T, root(8 + 0 * x.T)
    eps = D / root(root(T))  # B_1 = 1 and B_t = 4 after it, and any v costs at least 2 sqrt(B_t) a round
    others = first_term(eps, 1 + 0 * T, T) + D * D / (eps * eps) * D + D * root(T)
    return Sides(4 * T - 2, 100 * (1 + np.log(T)) * others + 2 * T)


# cor:dynamic, corrected
def _init_price(x: Instance, psi: Array) -> Any:
    r"""$\sigma_{\max}D(D + 2P)$."""
    return max(x.sigma) * x.D * (x.D + 2 * path_of(psi))


def _learned(x: Instance, upper: Any, V: Any) -> Sides:
    r"""`upper` less $\min\{\varepsilon^2/(2V), 2\varepsilon\}\sigma_{1:T}$, and the other terms of the bound."""
    mass, Q = sum(x.sigma), _init_price(x, x.psi)
    rhs = ewoo_price(x.sigma, x.D, x.eps) + _least(V, Q / 2, 2 * root(Q * mass)) + 4 * V * mass
    return Sides(upper - first_term(x.eps, 2 * V, mass, 2), rhs)


CORRECTED = (
    r"\RUB_TT\le\min\left\{\frac{\varepsilon^2}{2V_\Psi},2\varepsilon\right\}\sigma_{1:T}+"
    + EWOO_PRICE
    + r"+\min\left\{\frac{\sigma_{\max}D(D+2P_\Psi)}{2V_\Psi},2\sqrt{\sigma_{\max}\sigma_{1:T}D(D+2P_\Psi)}\right\}"
    r"+4V_\Psi\sigma_{1:T}"
)
FROM_INIT = {"uses": ("alg:general", "cor:dynamic/proof-1/corrected", "cor:ewoo/corrected", "thm:app:general")}


@claim(
    "cor:dynamic/explicit/corrected",
    CORRECTED + r"\quad\text{for}\quad P_\Psi=\sum_{t=2}^T\|\psi_t-\psi_{t-1}\|_2",
    **AGAINST_ANY | FROM_INIT,
    corrects=("cor:dynamic/explicit", "cor:dynamic/explicit/any-constant"),
)
def corrected(x: Instance) -> Sides:
    r"""Algorithm 1 with OGD and eps-EWOO against any reference sequence, corrected.

    Twice the deviation, lengths times lengths, and $2\varepsilon$. At $v=\max\{2V_\Psi,\sqrt{Q/\sigma_{1:T}}\}$,
    $Q=\sigma_{\max}D(D+2P_\Psi)$, with proof-1/corrected.
    """
    return _learned(x, _upper(x), deviation_of(x, x.psi))


@claim(
    "cor:dynamic/explicit/minimisers/corrected",
    rf"\RUB_TT\le2\varepsilon\sigma_{{1:T}}+{EWOO_PRICE}"
    r"+\sqrt{2\sigma_{\max}\sigma_{1:T}D(D+2P_\Psi)}" + MINIMISERS,
    **AGAINST_MINIMISERS | FROM_INIT,
)
def corrected_minimisers(x: Instance) -> Sides:
    r"""The same against the optimal actions themselves, corrected.

    With proof-1/corrected for the minimisers, at $v=\sqrt{Q/(2\sigma_{1:T})}$, where $V_\Psi=0$.
    """
    mass = sum(x.sigma)
    rhs = ewoo_price(x.sigma, x.D, x.eps) + root(2 * _init_price(x, x.star) * mass)
    return Sides(_upper(x) - 2 * x.eps * mass, rhs)


# the dynamic regret of INIT
def _init_cost(x: Instance) -> Any:
    r"""$\sum_tf_t(\phi_t)$; $\sum_tf_t(\psi_t)$ is `spread_about`."""
    return sum(adaptive.divergences_of_init(x, OGD) * x.sigma)


INIT, COMPARED = r"\sum_{t=1}^T\finit_t(\phi_t)", r"\sum_{t=1}^T\finit_t(\psi_t)"


@claim(
    "cor:dynamic/proof-1",
    rf"{INIT}-{COMPARED}\le2D^2\sigma_{{\max}}(1+P_\Psi)",
    **AGAINST_ANY,
    uses=("thm:mokhtari", "text:finit-lipschitz"),
)
def printed_init(x: Instance) -> Sides:
    r"""The dynamic regret of OGD that the bound amounts to.

    thm:mokhtari for $D\sigma_{\max}$-Lipschitz functions, with the 2 that the printed bound has for
    $1/(1-\rho)$.
    """
    return Sides(_init_cost(x) - spread_about(x, x.psi), 2 * x.D * x.D * max(x.sigma) * (1 + path_of(x.psi)))


@claim(
    "cor:dynamic/proof-1/minimisers",
    INIT + r"\le\frac{\sigma_{\max}D}2(D+2P_\Psi)" + MINIMISERS,
    **AGAINST_MINIMISERS,
    uses=("alg:general",),
)
def init_of_minimisers(x: Instance) -> Sides:
    r"""The same against the optimal actions themselves, with the constant that it has.

    As proof-1/corrected, where $\|\theta_t^\ast-\psi_t\|=0$.
    """
    return Sides(_init_cost(x), _init_price(x, x.star) / 2)


@claim(
    "cor:dynamic/proof-1/corrected",
    rf"{INIT}\le4{COMPARED}+\sigma_{{\max}}D(D+2P_\Psi)",
    **AGAINST_ANY,
    uses=("alg:general",),
)
def corrected_init(x: Instance) -> Sides:
    r"""The dynamic regret of OGD, corrected.

    $\phi_{t+1}=\phi_t+\frac{\sigma_t}{\sigma_{\max}}(\theta_t^\ast-\phi_t)$ and convexity of the square give
    $\sum_t\sigma_t\|\phi_t-\psi_t\|^2\le\sigma_{\max}(D^2+2DP_\Psi)+\sum_t\sigma_t\|\theta_t^\ast-\psi_t\|^2$.
    """
    return Sides(_init_cost(x) - 4 * spread_about(x, x.psi), _init_price(x, x.psi))


# text:dynamic-adaptive
def _step_game(draw: Draw) -> Instance:
    r"""A point, task parameters and weights, and the share a of the way."""
    d, k = draw.size("d", 3, MOST_D), draw.size("k", 4, MOST_T)
    domain = random_domain(draw, d, (domains.BOX, domains.BALL, domains.SIMPLEX))
    phi, hat = random_point(domain, draw), np.stack([random_point(domain, draw) for _ in range(k)])
    sigma, share = draw.positive(), draw.unit() if draw.boolean() else draw.number(1)
    return Instance(domain=domain, phi=phi, hat=hat, sigma=sigma, share=share)


def _same_points(x: Instance, hat: Array, share: Any) -> Sides:
    r"""$\|\mathrm{Proj}(\phi - \frac a\sigma\sigma(\phi - \hat\theta)) - \phi - a(\hat\theta - \phi)\|^2 \le 0$."""
    step = share / x.sigma
    descended = on(domains.project, x.phi)(x.domain, x.phi - step * (x.sigma * (x.phi - hat)))
    gap = descended - (x.phi + share * (hat - x.phi))
    return Sides(gap @ gap, 0 * x.sigma)


IN_DOMAIN = within(r"\phi\in\Theta", "phi"), within(r"\hat\theta\in\Theta", "hat")
STEP = {
    "game": _step_game,
    "given": (*IN_DOMAIN, Assumption(r"a\in[0,1]", lambda x: min(x.share, 1 - x.share))),
    "uses": ("eq:auxregret", "thm:dynamic"),
}


@claim(
    "text:dynamic-adaptive/reptile",
    r"\Proj_\Theta\left(\phi-\frac{a}{\sigma}\nabla \finit(\phi)\right)=\phi+a(\hat\theta-\phi)"
    r"\quad\text{for}\quad \finit(\phi)=\frac\sigma2\|\hat\theta-\phi\|_2^2",
    **STEP,
)
def reptile(x: Instance) -> Sides:
    r"""Reptile's update is a step of OGD.

    The learning rate of thm:dynamic, $\frac1{G\sqrt m}$, is $a=1$: the start of a task is where the last one
    ended.
    """
    return _same_points(x, x.hat[0], x.share)


@claim(
    "text:dynamic-adaptive/fedavg",
    r"\Proj_\Theta\left(\phi-\frac1\sigma\nabla f(\phi)\right)=\frac1k\sum_{j=1}^k\hat\theta_j"
    r"\quad\text{for}\quad f(\phi)=\frac1k\sum_{j=1}^k\frac\sigma2\|\hat\theta_j-\phi\|_2^2",
    **STEP,
)
def fedavg(x: Instance) -> Sides:
    """FedAvg's update is a step of OGD.

    k tasks of equal weight between two updates, at the learning rate of thm:dynamic.
    """
    return _same_points(x, sum(x.hat) / len(x.hat), x.share * 0 + 1)


def _approximate_game(draw: Draw) -> Instance:
    r"""The game with $\hat\theta_t$: equal to $\theta_t^\ast$, part of the way to other points, or anywhere."""
    x = adaptive.euclidean_game(draw)
    away = adaptive.points_in(draw, len(x.sigma), x.domain)
    part = draw.unit() if draw.boolean() else draw.positive(-24, 0)
    x.hat = x.star + part * (away - x.star)
    return x


@claim(
    "text:dynamic-adaptive/price",
    CORRECTED.replace("V_\\Psi", r"\hat V") + r"+\frac D\varepsilon\sum_{t=1}^T\sigma_t\delta_t"
    r"\quad\text{for}\quad\delta_t=\|\hat\theta_t-\theta_t^\ast\|_2,\quad\hat V=V_\Psi"
    r"+\sqrt{\frac{\sum_t\sigma_t\delta_t^2}{2\sigma_{1:T}}}",
    _approximate_game,
    (*IN_THETA, adaptive.REFERENCE, within(r"\hat\theta_t\in\Theta", "hat")),
    uses=("alg:fmrl", "cor:dynamic/explicit/corrected"),
)
def price(x: Instance) -> Sides:
    r"""What learning from $\hat\theta_t$ in place of $\theta_t^\ast$ costs.

    INIT (OGD) and SIM learn from any $\hat\theta_t\in\Theta$, such as last iterates; the upper bound is that of the
    $\theta_t^\ast$. For $\delta_t=0$ it is cor:dynamic/explicit/corrected: that far Reptile is adaptive. The first and
    the last term are taken to the left side.
    """
    played, learned = (adaptive.divergences_of_init(x, OGD, x.hat, points) for points in (x.star, x.hat))
    upper = sum(sim_loss(played, adaptive.rates_of(x, learned, EPS_EWOO), x.sigma))
    gaps = np.array([root(g @ g) for g in x.hat - x.star])
    shift = root(sum(x.sigma * gaps * gaps) / (2 * sum(x.sigma)))
    return _learned(x, upper - x.D / x.eps * sum(x.sigma * gaps), deviation_of(x, x.psi) + shift)
