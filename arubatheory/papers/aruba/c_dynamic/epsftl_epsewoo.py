r"""Appendix C: the explicit guarantees of Algorithm 1 in static environments, cor:epsftl and cor:epsewoo.

Three readings of what is printed. The plain label takes $V^2 = \min_\phi\frac1{\sigma_{1:T}}\sum_t\sigma_t
B_R(\theta_t^\ast\|\phi)$ as in thm:app:general, `/literal` the $V$ as printed, without $1/\sigma_{1:T}$: then
$2V\sigma_{1:T}$ is of the order $\sigma^{3/2}$ where all the rest is of the order $\sigma$. With $\varepsilon$-EWOO
also the plain reading falls, because cor:ewoo does: `/corrected` has its $2\varepsilon$.

Where cor:epsewoo falls, all tasks are equal and $\phi_1 = \theta^\ast$, so that only SIM pays. Against it stands the
price $\sqrt{8CDT\sum1/t}$ of learning $\phi$. It is small if D, which is any bound, exceeds the diameter (C is the
gradient's bound), or for a flat R. With the Euclidean R and D the diameter it is $D\sqrt{8T\sum1/t}$, and yet: for
$\varepsilon = rD$ the actions exceed $\varepsilon$ by a constant share of the width $\approx D/(2r)$ of SIM's interval
up to the round $t\approx r^3$, in the sum by the order $T^{2/3}D$ for $T\approx r^3$ (`/euclidean`).

The first term of the right sides is moved to the left: equal tasks at $v_t = \varepsilon$ would else make a tie that
hides the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.kernel import on
from arubatheory.learners.meta import rate_after
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import adaptive
from arubatheory.papers.aruba.games.adaptive import EPS_EWOO, EPS_FTL, EWOO_PRICE, FTL, IN_THETA
from arubatheory.papers.aruba.games.similarity_losses import ewoo_price, ewoo_rule, first_term, whole
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root

LARGEST_POWER = 40  # of the closed families


def _static(x: Instance, sim: int, learning: Any, times: int = 1) -> Sides:
    mass = sum(x.sigma)
    V = root(adaptive.spread_of(x) / mass)
    starting = root(8 * x.C * x.D * mass * adaptive.harmonic(x.sigma))
    upper = adaptive.upper_bound(x, FTL, sim) - first_term(x.eps, V, mass, times)
    return Sides(upper, learning + starting + 2 * V * mass)


FIRST = r"\RUB_TT\le\min\left\{\frac{\varepsilon^2}V,\varepsilon\right\}\sigma_{1:T}+"
STARTING = r"+\sqrt{8CD\sigma_{1:T}\sum_{t=1}^T\frac{\sigma_t^2}{\sigma_{1:t}}}+2V\sigma_{1:T}"
FTL_PRICE = r"2D\max\left\{\frac{D^3}{\varepsilon^3},1\right\}\sum_{t=1}^T\frac{\sigma_t^2}{\sigma_{1:t}}"
WITH_FTL, WITH_EWOO = FIRST + FTL_PRICE + STARTING, FIRST + EWOO_PRICE + STARTING
FTL_USES = {"uses": ("alg:general", "prp:bregman/bound", "prp:ftl", "thm:app:general")}
EWOO_USES = {"uses": ("alg:general", "prp:bregman/bound", "cor:ewoo", "thm:app:general")}
ANY_GAME = {"game": adaptive.adaptive_game, "given": IN_THETA}


@claim("cor:epsftl/explicit", WITH_FTL, corrects=("cor:epsftl/explicit/literal",), **ANY_GAME, **FTL_USES)
def with_ftl(x: Instance) -> Sides:
    r"""Algorithm 1 with FTL and eps-FTL, explicitly.

    $V^2=\min_\phi\frac1{\sigma_{1:T}}\sum_t\sigma_t\Breg_R(\theta_t^\ast||\phi)$, as thm:app:general has it. $D$ is
    any bound of the diameter and of $\sqrt{\Breg_R}$.
    """
    ratio = x.D / x.eps
    return _static(x, EPS_FTL, 2 * x.D * (ratio**3 if ratio > 1 else 1) * adaptive.harmonic(x.sigma))


@claim("cor:epsewoo/explicit", WITH_EWOO, **ANY_GAME, **EWOO_USES)
def with_ewoo(x: Instance) -> Sides:
    r"""Algorithm 1 with FTL and eps-EWOO, explicitly.

    $V^2=\min_\phi\frac1{\sigma_{1:T}}\sum_t\sigma_t\Breg_R(\theta_t^\ast||\phi)$, as thm:app:general has it. $D$ is
    any bound of the diameter and of $\sqrt{\Breg_R}$. It rests on cor:ewoo, and equal tasks with $\phi_1=\theta^\ast$
    and $\varepsilon=D$ break it in the same way, from some ten rounds on, if $D$ exceeds the diameter so far that the
    third term is small.
    """
    return _static(x, EPS_EWOO, ewoo_price(x.sigma, x.D, x.eps))


# V as printed
def _in_turn(draw: Draw) -> Instance:
    r"""T, a power of two, $\varepsilon$, and $\sigma_t = \sigma$; D = 1 is the unit of length."""
    T = draw.number(2 ** draw.integer(1, LARGEST_POWER))
    return Instance(T=T, eps=draw.positive(-8, 2), sigma=draw.positive())


def _literal(x: Instance, learning: Any) -> Sides:
    r"""$\theta_t^\ast = 0, 1$ in turn, $\phi_1 = \frac12$: $B_t = \frac18$ where t is odd and
    $\frac18(t/(t-1))^2$ where it is even; any v costs at least $2\sqrt{B_t}$ a round, and
    $\sum_t\frac1t \le 1 + \log T$. `learning` is what SIM pays for $\sigma = 1$."""
    T, sigma, mass = x.T, x.sigma, x.sigma * x.T
    V = root(mass / 8)
    rhs = learning * sigma + sigma * root(8 * T * (1 + np.log(T + 0 * x.eps))) + 2 * V * mass
    return Sides(2 * root(x.eps / x.eps / 8) * mass - first_term(x.eps, V, mass), rhs)


FAMILY = (
    Assumption(r"T\ge1", lambda x: x.T - 1),
    Assumption(r"\varepsilon>0", lambda x: x.eps),
    Assumption(r"\sigma>0", lambda x: x.sigma),
)
PRINTED_V = r"\quad\text{for}\quad V^2=\min_{\phi\in\Theta}\sum_{t=1}^T\sigma_t\Breg_R(\theta_t^\ast||\phi)"
LITERAL: dict[str, Any] = {
    "game": _in_turn,
    "given": FAMILY,
    "note": r"As printed, without $1/\sigma_{1:T}$: as $\sigma\to0$ the term $2V\sigma_{1:T}$ vanishes before all "
    r"others. The family $\Theta=[0,1]$, $R=\frac12|\cdot|^2$, $D=C=1$, $\theta_t^\ast=0,1$ in turn, $\phi_1=\frac12$, "
    r"T a power of two, $\sigma_t=\sigma$: any $v_t$ cost at least $\sigma T/\sqrt2$, and below "
    r"$\varepsilon=\frac1{\sqrt2}$ the other terms are smaller from some hundred rounds on.",
}


@claim("cor:epsftl/explicit/literal", WITH_FTL + PRINTED_V, **LITERAL, **FTL_USES)
def _literal_ftl(x: Instance) -> Sides:
    """Algorithm 1 with FTL and eps-FTL, V as printed."""
    ratio = 1 / x.eps if x.eps < 1 else x.eps / x.eps
    return _literal(x, 2 * ratio**3 * (1 + np.log(x.T + 0 * x.eps)))


@claim("cor:epsewoo/explicit/literal", WITH_EWOO + PRINTED_V, **LITERAL, **EWOO_USES)
def _literal_ewoo(x: Instance) -> Sides:
    """Algorithm 1 with FTL and eps-EWOO, V as printed."""
    ratio = 1 / x.eps if x.eps < 1 else x.eps / x.eps
    return _literal(x, ratio**2 / 2 * (1 + np.log(x.T + ratio / ratio)))


# equal tasks on the line
def _equal_tasks(draw: Draw) -> Instance:
    r"""T, a power of two, and r of $\varepsilon = rD$; D = 1 and $\sigma_t = 1$ are units."""
    return Instance(T=draw.number(2 ** draw.integer(0, LARGEST_POWER)), eps=draw.positive(-4, 16))


def least_actions(T: int, eps: Any) -> Any:
    r"""At most $\sum_{t\le T}v_t$ of $\varepsilon$-EWOO after divergences that are all 0, with $D = \sigma_t = 1$.

    The density of round t + 1 is $e^{-\gamma th}$ with $h(x) = \varepsilon^2/x + x$ increasing on the interval, so its
    mean falls with t (the derivative is $-\gamma$ times the covariance of x and h): a block of rounds has at least its
    number times its last action."""
    one, total, first = eps / eps, eps - eps, 1
    rule = ewoo_rule(one, eps, one, eps)
    while first <= T:
        last = min(T, max(first, first + first // 4 - 1))  # four blocks of rounds for each doubling of T
        total = total + (last - first + 1) * on(rate_after, eps)(rule, one * (last - 1), (last - 1) * eps * eps)
        first = last + 1
    return total


@claim("cor:epsewoo/explicit/euclidean", WITH_EWOO, _equal_tasks, FAMILY[:2], **EWOO_USES)
def euclidean(x: Instance) -> Sides:
    r"""The same for equal tasks on the line, D the diameter.

    The family $\Theta=[0,1]$, $R=\frac12|\cdot|^2$, $D=C=G\sqrt m=1$, $\theta_t^\ast=\phi_1$, $\varepsilon=r$
    (drawn), T a power of two: $V=0$ and $\Breg_R(\theta_t^\ast||\phi_t)=0$. SIM alone pays more than $\varepsilon T$ by
    about $0.3\,T^{2/3}$ at $r\approx(T/16)^{1/3}$, so that no tight $D$ saves the corollary. The left side under-states
    $\sum_tv_t$ by blocks of rounds, the right side over-states $\sum_t\frac1t$. $\varepsilon T$ has moved to the left:
    of the whole right side it is a share of order $T^{-2/3}$.
    """
    eps, T = x.eps, x.T  # the sum of 1/t is at most 1 + log T
    price = (1 + np.log(T + 1)) / 2 * (1 / (eps * eps) if eps < 1 else eps / eps)
    return Sides(least_actions(whole(T), eps) - eps * T, price + root(8 * T * (1 + np.log(T))))


@claim(
    "cor:epsewoo/explicit/corrected",
    WITH_EWOO.replace(r",\varepsilon\right", r",2\varepsilon\right"),
    corrects=("cor:epsewoo/explicit", "cor:epsewoo/explicit/literal", "cor:epsewoo/explicit/euclidean"),
    **ANY_GAME | EWOO_USES,
)
def corrected(x: Instance) -> Sides:
    r"""Algorithm 1 with FTL and eps-EWOO, explicitly, with $2\varepsilon$.

    $V^2=\min_\phi\frac1{\sigma_{1:T}}\sum_t\sigma_t\Breg_R(\theta_t^\ast||\phi)$, as thm:app:general has it. $D$ is
    any bound of the diameter and of $\sqrt{\Breg_R}$. $2\varepsilon$ as in cor:ewoo/corrected:
    $\min\{\varepsilon^2/v,2\varepsilon\}\sigma_{1:T}$ does not increase with $v$, so thm:app:general applies.
    """
    return _static(x, EPS_EWOO, ewoo_price(x.sigma, x.D, x.eps), 2)
