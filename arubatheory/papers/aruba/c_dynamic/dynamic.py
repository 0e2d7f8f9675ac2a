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

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.games.adaptive import (
    EPS_EWOO,
    IN_THETA,
    OGD,
    PRICE,
    REFERENCE,
    euclidean_game,
    ewoo_price,
    first_term,
    least_inside,
    path_of,
    points_in,
    rates_of,
    spread_about,
    start_divergences,
    upper_bound,
    upper_sum,
)
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, project, random_domain, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import magnitude, root

LARGEST_POWER = 96  # of the closed family
FIRST_V = r"\min\left\{\frac{\varepsilon^2}{V_\Psi},\varepsilon\right\}\sigma_{1:T}"


# cor:dynamic -------------------------------------------------------------------------------------------------------
def _deviation(x: Instance, star: Array, psi: Array) -> Any:
    r"""$V_\Psi$ of thm:app:general; of the optimal actions themselves it is 0, without rounding."""
    if psi is star:
        return 0 * x.eps
    return root(on(spread_about, x.phi)(star, x.sigma, x.R, psi) / sum(x.sigma))


def _path(psi: Array) -> Any:
    return on(path_of, psi)(psi)


def _printed(x: Instance, psi: Array) -> Sides:
    upper, mass, top = upper_bound(x, OGD, EPS_EWOO), sum(x.sigma), max(x.sigma)
    V, path = _deviation(x, x.star, psi), 1 + _path(psi)
    second = root(2 * top * mass * path)
    switching = second if V == 0 else on(smaller, V)(x.D * top / V * path, second)
    least, rhs = first_term(x, V), ewoo_price(x) + 2 * x.D * switching + 2 * V * mass
    return Sides(upper - least, rhs, (upper + least + rhs) * len(x.sigma))


def _init_price(x: Instance, psi: Array) -> Any:
    r"""$\sigma_{\max}D(D + 2P)$."""
    return max(x.sigma) * x.D * (x.D + 2 * _path(psi))


def _learned(x: Instance, V: Any, psi: Array) -> tuple[Any, Any]:
    r"""$\min\{\varepsilon^2/(2V), 2\varepsilon\}\sigma_{1:T}$, and the other terms of the corrected bound."""
    mass, Q = sum(x.sigma), _init_price(x, psi)
    second = 2 * root(Q * mass)
    switching = second if V == 0 else on(smaller, V)(Q / (2 * V), second)
    return first_term(x, 2 * V, 2), ewoo_price(x) + switching + 4 * V * mass


def _corrected(x: Instance) -> Sides:
    upper = upper_bound(x, OGD, EPS_EWOO)
    least, rhs = _learned(x, _deviation(x, x.star, x.psi), x.psi)
    return Sides(upper - least, rhs, (upper + least + rhs) * len(x.sigma))


def _corrected_minimisers(x: Instance) -> Sides:
    upper, mass = upper_bound(x, OGD, EPS_EWOO), sum(x.sigma)
    least, rhs = 2 * x.eps * mass, ewoo_price(x) + root(2 * _init_price(x, x.star) * mass)
    return Sides(upper - least, rhs, (upper + least + rhs) * len(x.sigma))


def _init_sides(x: Instance, psi: Array) -> tuple[Any, Any]:
    r"""$\sum_tf_t(\phi_t)$ and $\sum_tf_t(\psi_t)$."""
    played = on(start_divergences, x.phi)(x.star, x.star, x.sigma, x.R, x.phi, OGD)
    return sum(played * x.sigma), on(spread_about, x.phi)(x.star, x.sigma, x.R, psi)


def _printed_init(x: Instance) -> Sides:
    played, compared = _init_sides(x, x.psi)
    rhs = 2 * x.D * x.D * max(x.sigma) * (1 + _path(x.psi))
    return Sides(played - compared, rhs, (played + compared + rhs) * len(x.sigma))


def _corrected_init(x: Instance) -> Sides:
    played, compared = _init_sides(x, x.psi)
    rhs = _init_price(x, x.psi)
    return Sides(played - 4 * compared, rhs, (played + 4 * compared + rhs) * len(x.sigma))


def _init_of_minimisers(x: Instance) -> Sides:
    played, _ = _init_sides(x, x.star)
    rhs = _init_price(x, x.star) / 2
    return Sides(played, rhs, (played + rhs) * len(x.sigma))


# tasks in turn -----------------------------------------------------------------------------------------------------
def _in_turn(draw: Draw) -> Instance:
    r"""T, a power of two, that no loop would reach; $V_\Psi = G\sqrt m = 1$ are units, $D = 2\sqrt2$."""
    return Instance(T=draw.number(2 ** draw.integer(0, LARGEST_POWER)))


def _any_constant(x: Instance) -> Sides:
    r"""$\theta_t^\ast = \pm\sqrt2$ in turn, $\psi_t = \phi_1 = 0$: $B_1 = 1$ and $B_t = 4$ after it, and any v costs at
    least $2\sqrt{B_t}$ a round."""
    T = x.T
    D = root(8 + 0 * T)
    eps = D / root(root(T))
    others = first_term(Instance(eps=eps, sigma=[T]), 1 + 0 * T) + D * D / (eps * eps) * D + D * root(T)
    rhs = 100 * (1 + np.log(T)) * others + 2 * T
    return Sides(4 * T - 2, rhs, 4 * T + rhs)


# text:dynamic-adaptive ---------------------------------------------------------------------------------------------
def _step_game(draw: Draw) -> Instance:
    r"""A point, at most four task parameters and weights, and the share a of the way."""
    d, k = draw.integer(1, 3), draw.integer(1, 4)
    domain = random_domain(draw, d, (BOX, BALL, SIMPLEX))
    return Instance(
        domain=domain, phi=random_point(domain, draw), hat=np.stack([random_point(domain, draw) for _ in range(k)]),
        sigma=draw.positive(), share=draw.unit() if draw.boolean() else draw.number(1),
    )  # fmt: skip


def _same_points(x: Instance, hat: Array, share: Any) -> Sides:
    r"""$\|\mathrm{Proj}(\phi - \frac a\sigma\sigma(\phi - \hat\theta)) - \phi - a(\hat\theta - \phi)\|^2 \le 0$."""
    step = share / x.sigma
    descended = on(project, x.phi)(x.domain, x.phi - step * (x.sigma * (x.phi - hat)))
    gap = descended - (x.phi + share * (hat - x.phi))
    size = magnitude(x.phi) + magnitude(hat)
    return Sides(gap @ gap, 0 * x.sigma, size * size + 1)


def _reptile(x: Instance) -> Sides:
    return _same_points(x, x.hat[0], x.share)


def _fedavg(x: Instance) -> Sides:
    r"""The mean of k parameters in place of one: the step 1/sigma on the mean of their losses."""
    return _same_points(x, sum(x.hat) / len(x.hat), x.share * 0 + 1)


def _approximate_game(draw: Draw) -> Instance:
    r"""The game with $\hat\theta_t$: equal to $\theta_t^\ast$, part of the way to other points, or anywhere."""
    x = euclidean_game(draw)
    away, part = points_in(draw, len(x.sigma), x.domain), draw.unit() if draw.boolean() else draw.positive(-24, 0)
    x.hat = x.star + part * (away - x.star)
    return x


def _price(x: Instance) -> Sides:
    r"""INIT and SIM learn from $\hat\theta_t$; the upper bounds are those of $\theta_t^\ast$."""
    played, learned = (_divergences(x, points) for points in (x.star, x.hat))
    upper = on(upper_sum, x.phi)(played, rates_of(x, learned, EPS_EWOO), x.sigma)
    gaps = [root(g @ g) for g in x.hat - x.star]
    shift = root(sum(s * g * g for s, g in zip(x.sigma, gaps, strict=True)) / (2 * sum(x.sigma)))
    least, rhs = _learned(x, _deviation(x, x.star, x.psi) + shift, x.psi)
    cost = x.D / x.eps * sum(s * g for s, g in zip(x.sigma, gaps, strict=True))
    return Sides(upper - least - cost, rhs, (upper + least + cost + rhs) * len(x.sigma))


def _divergences(x: Instance, points: Array) -> Array:
    r"""$\frac12\|p_t - \phi_t\|^2$ (T,), where $\phi_t$ follows $\hat\theta_t$."""
    return np.asarray(on(start_divergences, x.phi)(points, x.hat, x.sigma, x.R, x.phi, OGD))


# statements --------------------------------------------------------------------------------------------------------
PATH = r"P_\Psi=\sum_{t=2}^T\|\psi_t-\psi_{t-1}\|_2"
PRINTED = (
    rf"\RUB_TT\le{FIRST_V}+{PRICE[EPS_EWOO]}+2D"
    r"\min\left\{\frac{D\sigma_{\max}}{V_\Psi}(1+P_\Psi),\sqrt{2\sigma_{\max}\sigma_{1:T}(1+P_\Psi)}\right\}"
    r"+2V_\Psi\sigma_{1:T}"
)
CORRECTED = (
    r"\RUB_TT\le\min\left\{\frac{\varepsilon^2}{2V_\Psi},2\varepsilon\right\}\sigma_{1:T}+" + PRICE[EPS_EWOO]
    + r"+\min\left\{\frac{\sigma_{\max}D(D+2P_\Psi)}{2V_\Psi},2\sqrt{\sigma_{\max}\sigma_{1:T}D(D+2P_\Psi)}\right\}"
    r"+4V_\Psi\sigma_{1:T}"
)  # fmt: skip
MINIMISERS = (
    r"\RUB_TT\le2\varepsilon\sigma_{1:T}+"
    + PRICE[EPS_EWOO]
    + (r"+\sqrt{2\sigma_{\max}\sigma_{1:T}D(D+2P_\Psi)}\quad\text{for}\quad\psi_t=\theta_t^\ast")
)
INIT = r"\sum_{t=1}^T\finit_t(\phi_t)"
COMPARED = r"\sum_{t=1}^T\finit_t(\psi_t)"
USES = ("alg:general", "thm:mokhtari", "cor:ewoo", "thm:app:general")
FROM_INIT = ("alg:general", "cor:dynamic/proof-1/corrected", "cor:ewoo/corrected", "thm:app:general")


def _reading(
    reading: str, title: str, latex: str, sides: Callable[[Instance], Any], note: str, **more: Any
) -> Statement:
    assumptions = more.pop("assumptions", (*IN_THETA, REFERENCE))
    return Statement(
        label=f"cor:dynamic{reading}", kind=more.pop("kind", "corollary"), number="C.4", title=title, latex=latex,
        instance=more.pop("instance", euclidean_game), sides=sides, assumptions=assumptions,
        uses=more.pop("uses", USES), note=note, **more,
    )  # fmt: skip


DYNAMIC_COROLLARY = (
    _reading("/explicit", "Algorithm 1 with OGD and eps-EWOO against any reference sequence", PRINTED,
             lambda x: _printed(x, x.psi),
             r"The dynamic regret bound that it rests on holds against the minimisers only, and multiplies a length "
             r"by a length.", part_of="cor:dynamic"),
    _reading("/explicit/minimisers", "The same against the optimal actions themselves",
             PRINTED + r"\quad\text{for}\quad\psi_t=\theta_t^\ast", lambda x: _printed(x, x.star),
             r"$\psi_t=\theta_t^\ast$ gives $V_\Psi=0$.", part_of="cor:dynamic", assumptions=IN_THETA),
    _reading("/explicit/any-constant", r"No constants save $2V_\Psi$",
             r"\RUB_TT\le100(1+\log T)\left(\min\left\{\frac{\varepsilon^2}{V_\Psi},\varepsilon\right\}T+\frac{D^3}"
             r"{\varepsilon^2}+D\min\left\{\frac{D(1+P_\Psi)}{V_\Psi},\sqrt{T(1+P_\Psi)}\right\}\right)+2V_\Psi T",
             _any_constant,
             r"The family $\theta_t^\ast=\pm\sqrt2$ in turn, $\psi_t=\phi_1=0$, $\sigma_t=1$, $\varepsilon=DT^{-1/4}$: "
             r"$\phi_t=\theta_{t-1}^\ast$ is twice as far as $\psi_t$, so that the upper bound is at least "
             r"$(4T-2)V_\Psi$. The minimum is over-stated by $\sqrt T$.", part_of="cor:dynamic", instance=_in_turn,
             assumptions=(Assumption(r"T\ge1", lambda x: x.T - 1),)),
    _reading("/explicit/corrected", "Algorithm 1 with OGD and eps-EWOO against any reference sequence, corrected",
             CORRECTED + r"\quad\text{for}\quad " + PATH, _corrected,
             r"Twice the deviation, lengths times lengths, and $2\varepsilon$. At "
             r"$v=\max\{2V_\Psi,\sqrt{Q/\sigma_{1:T}}\}$, $Q=\sigma_{\max}D(D+2P_\Psi)$, with proof-1/corrected.",
             uses=FROM_INIT, part_of="cor:dynamic",
             corrects=("cor:dynamic/explicit", "cor:dynamic/explicit/any-constant")),
    _reading("/explicit/minimisers/corrected", "The same against the optimal actions themselves, corrected", MINIMISERS,
             _corrected_minimisers,
             r"With proof-1/corrected for the minimisers, at $v=\sqrt{Q/(2\sigma_{1:T})}$, where $V_\Psi=0$.",
             uses=FROM_INIT, part_of="cor:dynamic", assumptions=IN_THETA,
             corrects=("cor:dynamic/explicit/minimisers",)),
    _reading("/proof-1", "The dynamic regret of OGD that the bound amounts to",
             INIT + "-" + COMPARED + r"\le2D^2\sigma_{\max}(1+P_\Psi)", _printed_init,
             r"thm:mokhtari for $D\sigma_{\max}$-Lipschitz functions, with the 2 that the printed bound has for "
             r"$1/(1-\rho)$.", kind="proof step", step_of="cor:dynamic", uses=("thm:mokhtari", "text:finit-lipschitz")),
    _reading("/proof-1/minimisers", "The same against the optimal actions themselves, with the constant that it has",
             INIT + r"\le\frac{\sigma_{\max}D}2(D+2P_\Psi)\quad\text{for}\quad\psi_t=\theta_t^\ast",
             _init_of_minimisers, r"As proof-1/corrected, where $\|\theta_t^\ast-\psi_t\|=0$.", kind="proof step",
             step_of="cor:dynamic", uses=("alg:general",), assumptions=IN_THETA),
    _reading("/proof-1/corrected", "The dynamic regret of OGD, corrected",
             INIT + r"\le4" + COMPARED + r"+\sigma_{\max}D(D+2P_\Psi)", _corrected_init,
             r"$\phi_{t+1}=\phi_t+\frac{\sigma_t}{\sigma_{\max}}(\theta_t^\ast-\phi_t)$ and convexity of the square "
             r"give $\sum_t\sigma_t\|\phi_t-\psi_t\|^2\le\sigma_{\max}(D^2+2DP_\Psi)"
             r"+\sum_t\sigma_t\|\theta_t^\ast-\psi_t\|^2$.",
             kind="proof step", step_of="cor:dynamic", uses=("alg:general",), corrects=("cor:dynamic/proof-1",)),
)  # fmt: skip

STEP = (
    Assumption(r"\phi\in\Theta", lambda x: least_inside(x, [x.phi])),
    Assumption(r"\hat\theta\in\Theta", lambda x: least_inside(x, x.hat)),
    Assumption(r"a\in[0,1]", lambda x: min(x.share, 1 - x.share)),
)
NEAR = Assumption(r"\hat\theta_t\in\Theta", lambda x: least_inside(x, x.hat))


def _text(
    part: str, title: str, latex: str, instance: Any, sides: Any, note: str, assumptions: Any, uses: Any
) -> Statement:
    return Statement(
        label=f"text:dynamic-adaptive/{part}", kind="claim in text", title=title, latex=latex, instance=instance,
        sides=sides, assumptions=assumptions, part_of="text:dynamic-adaptive", uses=uses, note=note,
    )  # fmt: skip


TEXT = (
    _text("reptile", "Reptile's update is a step of OGD",
          r"\Proj_\Theta\left(\phi-\frac{a}{\sigma}\nabla \finit(\phi)\right)=\phi+a(\hat\theta-\phi)"
          r"\quad\text{for}\quad \finit(\phi)=\frac\sigma2\|\hat\theta-\phi\|_2^2", _step_game, _reptile,
          r"The learning rate of thm:dynamic, $\frac1{G\sqrt m}$, is $a=1$: the start of a task is where the last one "
          r"ended.", STEP, ("eq:auxregret", "thm:dynamic")),
    _text("fedavg", "FedAvg's update is a step of OGD",
          r"\Proj_\Theta\left(\phi-\frac1\sigma\nabla f(\phi)\right)=\frac1k\sum_{j=1}^k\hat\theta_j"
          r"\quad\text{for}\quad f(\phi)=\frac1k\sum_{j=1}^k\frac\sigma2\|\hat\theta_j-\phi\|_2^2", _step_game, _fedavg,
          r"k tasks of equal weight between two updates, at the learning rate of thm:dynamic.", STEP,
          ("eq:auxregret", "thm:dynamic")),
    _text("price", r"What learning from $\hat\theta_t$ in place of $\theta_t^\ast$ costs",
          CORRECTED.replace("V_\\Psi", r"\hat V") + r"+\frac D\varepsilon\sum_{t=1}^T\sigma_t\delta_t"
          r"\quad\text{for}\quad\delta_t=\|\hat\theta_t-\theta_t^\ast\|_2,\quad\hat V=V_\Psi"
          r"+\sqrt{\frac{\sum_t\sigma_t\delta_t^2}{2\sigma_{1:T}}}", _approximate_game, _price,
          r"INIT (OGD) and SIM learn from any $\hat\theta_t\in\Theta$, such as last iterates; the upper bound is that "
          r"of the $\theta_t^\ast$. For $\delta_t=0$ it is cor:dynamic/explicit/corrected: that far Reptile is "
          r"adaptive. The first and the last term are taken to the left side.", (*IN_THETA, REFERENCE, NEAR),
          ("alg:fmrl", "cor:dynamic/explicit/corrected")),
)  # fmt: skip

DYNAMIC = (*DYNAMIC_COROLLARY, *TEXT)
