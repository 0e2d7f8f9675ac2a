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
from arubatheory.learners.ewoo_curves import inverse_mean
from arubatheory.papers.aruba.c_dynamic.dynamic import DYNAMIC
from arubatheory.papers.aruba.games.adaptive import (
    EPS_EWOO,
    EPS_FTL,
    FTL,
    IN_THETA,
    PRICE,
    adaptive_game,
    ewoo_price,
    first_term,
    ftl_price,
    harmonic,
    spread_of,
    upper_bound,
)
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import root

LARGEST_POWER, BLOCKS = 40, 4  # of the closed family; blocks of rounds for each doubling of T


# sides -------------------------------------------------------------------------------------------------------------
def _static(x: Instance, sim: int, V: Any, times: int = 1) -> Sides:
    upper, mass = upper_bound(x, FTL, sim), sum(x.sigma)
    learning = ftl_price(x) if sim == EPS_FTL else ewoo_price(x)
    starting = root(8 * x.C * x.D * mass * on(harmonic, x.phi)(x.sigma))
    least, rhs = first_term(x, V, times), learning + starting + 2 * V * mass
    return Sides(upper - least, rhs, (upper + least + rhs) * len(x.sigma))


def _as_general(x: Instance, sim: int, times: int = 1) -> Sides:
    return _static(x, sim, root(spread_of(x) / sum(x.sigma)), times)


# equal tasks on the line -------------------------------------------------------------------------------------------
def _equal_tasks(draw: Draw) -> Instance:
    r"""T, a power of two, and r of $\varepsilon = rD$; D = 1 and $\sigma_t = 1$ are units."""
    return Instance(T=draw.number(2 ** draw.integer(0, LARGEST_POWER)), eps=draw.positive(-4, 16))


def _in_turn(draw: Draw) -> Instance:
    r"""T, a power of two, $\varepsilon$, and $\sigma_t = \sigma$; D = 1 is the unit of length."""
    T = draw.number(2 ** draw.integer(1, LARGEST_POWER))
    return Instance(T=T, eps=draw.positive(-8, 2), sigma=draw.positive())


def _literal(x: Instance, sim: int) -> Sides:
    r"""$\theta_t^\ast = 0, 1$ in turn, $\phi_1 = \frac12$: $B_t = \frac18$ where t is odd and
    $\frac18(t/(t-1))^2$ where it is even; any v costs at least $2\sqrt{B_t}$ a round, and
    $\sum_t\frac1t \le 1 + \log T$."""
    T, sigma, one = x.T, x.sigma, x.eps / x.eps
    mass, logarithm, ratio = sigma * T, 1 + np.log(T + 0 * x.eps), 1 / x.eps
    V = root(mass / 8)
    larger_ratio = ratio if ratio > 1 else one
    learning = 2 * larger_ratio**3 * logarithm if sim == EPS_FTL else larger_ratio**2 / 2 * (1 + np.log(T + one))
    least = first_term(Instance(eps=x.eps, sigma=[mass]), V)
    rhs = learning * sigma + sigma * root(8 * T * logarithm) + 2 * V * mass
    upper = 2 * root(one / 8) * mass
    return Sides(upper - least, rhs, upper + least + rhs)


def _rounds(T: Any) -> int:
    return int(T) if isinstance(T, float) else int(T.v.p)


def least_actions(T: int, eps: Any) -> Any:
    r"""At most $\sum_{t\le T}v_t$ of $\varepsilon$-EWOO after divergences that are all 0, with $D = \sigma_t = 1$.

    The density of round t + 1 is $e^{-\gamma th}$ with $h(x) = \varepsilon^2/x + x$ increasing on the interval, so its
    mean falls with t (the derivative is $-\gamma$ times the covariance of x and h): a block of rounds has at least its
    number times its last action."""
    hi, ratio = root(1 + eps * eps), eps * eps
    gamma = 2 * (ratio if ratio < 1 else ratio / ratio)
    total, first = eps - eps, 1
    while first <= T:
        last = min(T, max(first, first + first // BLOCKS - 1))
        weight = gamma * (last - 1)
        total = total + (last - first + 1) * on(inverse_mean, eps)(weight * eps * eps, weight, eps, hi)
        first = last + 1
    return total


def _euclidean(x: Instance) -> Sides:
    r"""$\sum_{t\le T}\frac1t \le 1 + \log T$."""
    eps, logarithm = x.eps, np.log(x.T + 1)
    played = least_actions(_rounds(x.T), eps)
    price = (1 + logarithm) / 2 * (1 / (eps * eps) if eps < 1 else eps / eps)
    rhs = price + root(8 * x.T * (1 + np.log(x.T)))
    return Sides(played - eps * x.T, rhs, 2 * played + rhs)


# statements --------------------------------------------------------------------------------------------------------
FIRST = r"\min\left\{\frac{\varepsilon^2}V,\varepsilon\right\}\sigma_{1:T}"
STARTING = r"\sqrt{8CD\sigma_{1:T}\sum_{t=1}^T\frac{\sigma_t^2}{\sigma_{1:t}}}+2V\sigma_{1:T}"
WITHIN = r"$D$ is any bound of the diameter and of $\sqrt{\Breg_R}$."
GENERAL_V = (
    r"$V^2=\min_\phi\frac1{\sigma_{1:T}}\sum_t\sigma_t\Breg_R(\theta_t^\ast||\phi)$, as thm:app:general has it. "
)
NAMES = {EPS_FTL: ("cor:epsftl", "C.1", "eps-FTL", "prp:ftl"), EPS_EWOO: ("cor:epsewoo", "C.3", "eps-EWOO", "cor:ewoo")}


def _reading(sim: int, reading: str, title: str, first: str, sides: Any, note: str, **more: Any) -> Statement:
    slug, number, name, used = NAMES[sim]
    return Statement(
        label=f"{slug}/explicit{reading}", kind="corollary", number=number, title=title.format(name),
        latex=rf"\RUB_TT\le{first}+{PRICE[sim]}+{STARTING}" + more.pop("where", ""),
        instance=more.pop("instance", adaptive_game), sides=sides, assumptions=more.pop("assumptions", IN_THETA),
        part_of=slug, uses=("alg:general", "prp:bregman/bound", used, "thm:app:general"), note=note, **more,
    )  # fmt: skip


FAMILY = (
    Assumption(r"T\ge1", lambda x: x.T - 1),
    Assumption(r"\varepsilon>0", lambda x: x.eps),
    Assumption(r"\sigma>0", lambda x: x.sigma),
)
PRINTED_V = r"\quad\text{for}\quad V^2=\min_{\phi\in\Theta}\sum_{t=1}^T\sigma_t\Breg_R(\theta_t^\ast||\phi)"
LITERAL_NOTE = (
    r"As printed, without $1/\sigma_{1:T}$: as $\sigma\to0$ the term $2V\sigma_{1:T}$ vanishes before all others. The "
    r"family $\Theta=[0,1]$, $R=\frac12|\cdot|^2$, $D=C=1$, $\theta_t^\ast=0,1$ in turn, $\phi_1=\frac12$, T a power "
    r"of two, $\sigma_t=\sigma$: any $v_t$ cost at least $\sigma T/\sqrt2$, and below $\varepsilon=\frac1{\sqrt2}$ the "
    r"other terms are smaller from some hundred rounds on."
)


def _printed_V(sim: int) -> Statement:
    return _reading(
        sim, "/literal", "Algorithm 1 with FTL and {}, V as printed", FIRST, lambda x: _literal(x, sim), LITERAL_NOTE,
        where=PRINTED_V, instance=_in_turn, assumptions=FAMILY,
    )  # fmt: skip


EXPLICIT = "Algorithm 1 with FTL and {}, explicitly"
STATIC = (
    _reading(EPS_FTL, "", EXPLICIT, FIRST, lambda x: _as_general(x, EPS_FTL), GENERAL_V + WITHIN,
             corrects=("cor:epsftl/explicit/literal",)),
    _printed_V(EPS_FTL),
    _reading(EPS_EWOO, "", EXPLICIT, FIRST, lambda x: _as_general(x, EPS_EWOO), GENERAL_V + WITHIN
             + r" It rests on cor:ewoo, and equal tasks with $\phi_1=\theta^\ast$ and $\varepsilon=D$ break it in the "
             r"same way, from some ten rounds on, if $D$ exceeds the diameter so far that the third term is small."),
    _printed_V(EPS_EWOO),
    _reading(EPS_EWOO, "/euclidean", "The same for equal tasks on the line, D the diameter", FIRST, _euclidean,
             r"The family $\Theta=[0,1]$, $R=\frac12|\cdot|^2$, $D=C=G\sqrt m=1$, $\theta_t^\ast=\phi_1$, "
             r"$\varepsilon=r$ (drawn), T a power of two: $V=0$ and $\Breg_R(\theta_t^\ast||\phi_t)=0$. SIM alone pays "
             r"more than $\varepsilon T$ by about $0.3\,T^{2/3}$ at $r\approx(T/16)^{1/3}$, so that no tight $D$ "
             r"saves the corollary. The left side under-states $\sum_tv_t$ by blocks of rounds, the right side "
             r"over-states $\sum_t\frac1t$.", instance=_equal_tasks,
             assumptions=FAMILY[:2]),
    _reading(EPS_EWOO, "/corrected", EXPLICIT + r", with $2\varepsilon$",
             FIRST.replace(r",\varepsilon", r",2\varepsilon"),
             lambda x: _as_general(x, EPS_EWOO, 2), GENERAL_V + WITHIN + r" $2\varepsilon$ as in cor:ewoo/corrected: "
             r"$\min\{\varepsilon^2/v,2\varepsilon\}\sigma_{1:T}$ does not increase with $v$, so thm:app:general "
             r"applies.",
             corrects=("cor:epsewoo/explicit", "cor:epsewoo/explicit/literal", "cor:epsewoo/explicit/euclidean")),
)  # fmt: skip

STATEMENTS = (*STATIC, *DYNAMIC)
