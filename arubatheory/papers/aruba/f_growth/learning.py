r"""Appendix F: approximate meta-updates while SIM learns the task-similarity (thm:learning).

The proof replaces $\phi_1$ by $\tilde\phi_1 = \hat\theta_1$, and then uses SIM's regret as if SIM had met the
divergences at $\tilde\phi_t$. It met $B_R(\hat\theta_1\|\phi_1)$, and its regret is compared with
$\kappa B_R(\hat\theta_1\|\phi_1)\sigma_1/V$ for that round, which is not in the bound: where V is small the theorem
fails for FTL, in the Euclidean Exact case with two tasks. It holds with $\kappa D^2\iota\sigma_1/V$ in place of
$(2\kappa D + \varepsilon)\iota\sigma_1$ (`/corrected`), or as printed if $R_T$ is the regret that the actions would
have had on the cheating losses (`/cheating-regret`); and for AOGD in $\|\cdot\|_2$.

$D_t \ge \varepsilon$ is data (a legitimate SIM whose realised regret is its own), or that of $\varepsilon$-FTL or
$\varepsilon$-EWOO. $R_T$ is the realised regret: against the best action, which is the largest, or against V.

The weights $\alpha_t$ of asu:general: the display with $\Delta^\ast_{1:T}/\varepsilon$ needs
$\alpha_t = \varepsilon\sigma_t/D_t$, or the inequality for every t with $\alpha_t = \sigma_t$, since
$D_t \ge \varepsilon$. With the sum at $\alpha_t = \sigma_t$ (`/sigma-weights`), or at $\sigma_t/D_t$
(`/rate-weights`, where $\Delta^\ast$ is already divided), the theorem is false.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners import meta
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import approximate
from arubatheory.papers.aruba.games.approximate import AOGD, EUCLIDEAN, FTL, GAME, MODULUS
from arubatheory.papers.aruba.games.potentials import QUADRATIC, QUARTIC
from arubatheory.papers.aruba.games.similarity_losses import ewoo_rule, play_sim
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root

DATA, EPS_FTL, EPS_EWOO = range(3)


def _game(draw: Draw, **options: Any) -> Instance:
    r"""$\varepsilon$, of the size of D or of 1, SIM, the place of $D_1$ in its interval, and $D_t - \varepsilon$ of
    data, which is 0 in half of the instances."""
    x = approximate.game(draw, **options)
    T, D = len(x.sigma), _length(x)
    x.sim = draw.choice((DATA, EPS_FTL, DATA, EPS_EWOO))
    x.eps, x.place = x.ratio * D if draw.boolean() else draw.positive(-4, 4), draw.unit()
    x.more = D * draw.positive(-8, 4, T) * draw.integer(0, 1)
    return x


def _length(x: Instance) -> Any:
    r"""A rational of the size of $\sqrt{B_R}$: a side of the domain times $1 + \operatorname{tr}P$."""
    side = max(abs(x.corners[-1] - x.corners[0]))
    trace = 1 + sum(x.R.matrix.diagonal())
    return side * trace if side > 0 else trace


any_game = partial(_game, apart=True)  # any R, any SIM, V > 0
_nice = partial(any_game, kinds=(QUADRATIC,))


def _large_rates(draw: Draw) -> Instance:
    r"""$\varepsilon > 1$."""
    x = any_game(draw)
    x.eps = 1 + draw.positive(-2, 4)
    return x


def _any_rate(draw: Draw) -> Instance:
    x = _game(draw)
    x.rate = x.eps * draw.positive(-8, 8)
    return x


def rates(x: Instance, m: approximate.Measured) -> Array:
    r"""$D_1, \dots, D_T$; those of the two algorithms on $(B_R(\hat\theta_t\|\phi_t)/x + x)\sigma_t$."""
    first, D2 = (root(approximate.from_start(x)) + x.eps) / 2 * (1 + x.place), approximate.diameter_squared(x)
    if x.sim == DATA:
        return np.array([first, *(x.eps + x.more[1:])])
    rule = meta.Sim(meta.FTL, D2, x.eps, D2, first, x.eps)
    if x.sim == EPS_EWOO and D2 > 0:
        rule = ewoo_rule(root(D2), x.eps, max(x.sigma), x.eps)
    return np.array([first, *play_sim(rule, x.sigma, m.hat + x.eps * x.eps)[1:]])


Weights = Callable[[Instance, Array], Array]


class Learned(NamedTuple):
    r"""What is measured, $D_t$, the constants, $V^2\sigma_{1:T}$, V, and $T\bar U$."""

    m: approximate.Measured
    D: Array
    c: approximate.Factors
    deviation: Any
    V: Any
    upper: Any


def weights_needed(x: Instance, D: Array) -> Array:
    r"""$\alpha_t = \varepsilon\sigma_t/D_t$."""
    return np.asarray(x.eps * x.sigma / D)


def learned(x: Instance, dyn: int = FTL, weights: Weights = weights_needed) -> Learned:
    r"""The game with FTL or AOGD, and the constants for `weights(x, D)`."""
    m = approximate.measure(x, dyn)
    D = rates(x, m)
    deviation = sum(m.reference * x.sigma)
    V = root(deviation / sum(x.sigma))
    return Learned(m, D, approximate.factors(x, m, weights(x, D)), deviation, V, sum((m.star / D + D) * x.sigma))


def sim_sum(B: Array, D: Any, sigma: Array) -> Any:
    r"""$\sum_t(B_t/D_t + D_t)\sigma_t$."""
    return sum((B / D + D) * sigma)


def regret(x: Instance, k: Learned, B: Array, v: Any = None) -> Any:
    r"""The regret of SIM's actions on $(B_t/x + x)\sigma_t$ against v, or against the best action."""
    best = 2 * root(sum(B * x.sigma) * sum(x.sigma)) if v is None else sim_sum(B, v, x.sigma)
    return sim_sum(B, k.D, x.sigma) - best


def sigma_weights(x: Instance, D: Array) -> Array:
    r"""$\alpha_t = \sigma_t$."""
    return np.asarray(x.sigma)


EPS = Assumption(r"\varepsilon>0", lambda x: x.eps)
LARGE = Assumption(r"D_t\ge\varepsilon\ \forall\ t>1", lambda x: min(x.more))
PLACE = Assumption(
    r"\frac12(\max_\theta\sqrt{\Breg_R(\theta||\phi_1)}+\varepsilon)\le D_1\le"
    r"\max_\theta\sqrt{\Breg_R(\theta||\phi_1)}+\varepsilon",
    lambda x: min(x.place, 1 - x.place),
)
ASSUMED = (*GAME, EPS, LARGE, PLACE)
STEEP = r"\frac{\kappa C}%s\sum_{t=1}^T\frac{\sigma_t^2}{\sigma_{1:t}}"
DRIFT = r"\frac{\Delta_{1:T}^\ast}\varepsilon"
REST = r"\iota\sigma_1+\kappa\R_T+" + STEEP % "V" + r"+\kappa(\nu+1)V\sigma_{1:T}+" + DRIFT + r"+\frac{\kappa\Delta'}V"
PRINTED, NEEDED = r"(2\kappa D+\varepsilon)", r"\frac{\kappa D^2}V"
BOUND = r"\RUB_TT\le" + PRINTED + REST
USES = ("asu:general", "alg:fmrl", "clm:mean", "thm:ftlaogd", "def:regret")
WITH_FTL: dict[str, Any] = {"given": ASSUMED, "uses": (*USES, "prp:bregman/bound")}
WITH_AOGD: dict[str, Any] = {"uses": (*USES, "def:aogd")}


def _printed_first(x: Instance, k: Learned) -> Any:
    return (2 * k.c.kappa * root(approximate.diameter_squared(x)) + x.eps) * x.sigma[0]


def _needed_first(x: Instance, k: Learned, v: Any) -> Any:
    return k.c.kappa * approximate.diameter_squared(x) / v * x.sigma[0]


def _bound(x: Instance, k: Learned, lost: Any, first: Any, dyn: int = FTL, on_points: bool = False) -> Sides:
    r"""The terms of $R_T$, the first round, V, $\Delta^\ast$ and $\Delta'$ are on the left: only C's remains."""
    steep = k.c.kappa * approximate.steepness(x, dyn, on_points) / k.V
    spread = k.c.kappa * (k.c.nu + 1) * k.V * sum(x.sigma)
    gaps = k.c.drift / x.eps + k.c.kappa * k.c.gap / k.V
    return approximate.against(k.upper - k.c.kappa * lost - spread - gaps, first, steep)


def _with_cheating_regret(x: Instance, weights: Weights = weights_needed, on_points: bool = False) -> Sides:
    k = learned(x, FTL, weights)
    return _bound(x, k, regret(x, k, k.m.cheat), _printed_first(x, k), on_points=on_points)


@claim("thm:learning/ftl", BOUND, any_game, **WITH_FTL)
def ftl(x: Instance) -> Sides:
    r"""Regret-upper-bound with FTL while the rate is learned.

    $\R_T$ is SIM's realised regret against the best action, $\alpha_t=\varepsilon\sigma_t/D_t$, and C' is that of
    the points. The proof bounds SIM's regret on divergences from the cheating sequence by that on those it met:
    $\kappa\Breg_R(\hat\theta_1||\phi_1)\sigma_1/V$ is lost.
    """
    k = learned(x)
    return _bound(x, k, regret(x, k, k.m.hat), _printed_first(x, k), on_points=True)


@claim("thm:learning/ftl/nice", BOUND, _nice, **WITH_FTL)
def nice(x: Instance) -> Sides:
    r"""The same in the Nice case.

    Fails without C': all $\theta_t^\ast$ close together and far from $\phi_1$, so that V and $G'$ are small. Exact,
    $\sigma_t=1$, $D_t=D$: the left side is $(T+1)D$, the right one $(T+3)D-2D\sqrt T+\varepsilon$ as V tends to 0.
    """
    k = learned(x)
    return _bound(x, k, regret(x, k, k.m.hat), _printed_first(x, k))


@claim("thm:learning/ftl/cheating-regret", BOUND, any_game, **WITH_FTL)
def cheating_regret(x: Instance) -> Sides:
    r"""The same with SIM's regret on the cheating losses.

    $\R_T$ is what SIM's actions would have regretted, against V, with $\Breg_R(\hat\theta_t||\tilde\phi_t)$ for the
    divergences; C' for differences, $\alpha_t=\varepsilon\sigma_t/D_t$. Then it holds as printed:
    $\kappa\Breg_R(\hat\theta_1||\phi_1)/D_1\le2\kappa D$ is all that the first round adds.
    """
    k = learned(x)
    return _bound(x, k, regret(x, k, k.m.cheat, k.V), _printed_first(x, k))


@claim("thm:learning/ftl/points", BOUND, partial(any_game, kinds=(QUARTIC,), away=True), **WITH_FTL)
def points(x: Instance) -> Sides:
    """The same, C' for the points.

    As /cheating-regret, but against the best action, which is more, and with C' where it is printed: it inherits
    the failure of thm:coupling. Tried on quartics, where the two differ.
    """
    return _with_cheating_regret(x, on_points=True)


@claim("thm:learning/ftl/sigma-weights", BOUND, any_game, **WITH_FTL)
def at_sigma_weights(x: Instance) -> Sides:
    r"""The same with $\alpha_t=\sigma_t$.

    $\R_T$ as in /points. $\hat\theta_t$ may be good for $\theta_t^\ast$ where $D_t$ is large and bad where it is
    $\varepsilon$: dividing the sums by $D_t$ is not allowed.
    """
    return _with_cheating_regret(x, sigma_weights)


@claim("thm:learning/ftl/rate-weights", BOUND, _large_rates, **WITH_FTL)
def at_rate_weights(x: Instance) -> Sides:
    r"""The same with $\alpha_t=\sigma_t/D_t$.

    $\R_T$ as in /points. Here $\Delta_{1:T}^\ast$ is a bound of the sums divided by $D_t$, and dividing it by
    $\varepsilon$ again is wrong for $\varepsilon>1$.
    """
    return _with_cheating_regret(x, lambda x, D: x.sigma / D)


@claim("thm:learning/ftl/literal", BOUND, _game, **WITH_FTL)
def without_deviation(x: Instance) -> Sides:
    r"""The same where V may be 0.

    $\R_T$ as in /points. With one task, or equal $\theta_t'$, $V=0$ and the quotients have no value.
    """
    return _with_cheating_regret(x)


READINGS = ("", "/points", "/sigma-weights", "/rate-weights", "/literal", "/nice")
CORRECTED = tuple(f"thm:learning/ftl{reading}" for reading in READINGS)


@claim("thm:learning/ftl/corrected", r"\RUB_TT\le" + NEEDED + REST, any_game, **WITH_FTL, corrects=CORRECTED)
def first_round_in_full(x: Instance) -> Sides:
    r"""Regret-upper-bound with FTL while the rate is learned, the first round in full.

    $\R_T$ is SIM's regret against V, on what it met. $\sum_t(\kappa\Breg_R(\hat\theta_t||\phi_t)/D_t+D_t)
    \sigma_t\le\kappa\R_T+\kappa\sum_t(\Breg_R(\hat\theta_t||\phi_t)/V+V)\sigma_t$, and of the last sum the first
    round is at most $D^2\sigma_1/V$, the others are those of the cheating leader. $D_1$ is free. Whether the printed
    first term is enough with a bound of SIM's regret on all sequences for $\R_T$ is open.
    """
    k = learned(x)
    return _bound(x, k, regret(x, k, k.m.hat, k.V), _needed_first(x, k, k.V))


@claim(
    "thm:learning/ftl/corrected-any-v",
    rf"\RUB_TT\le\frac{{\kappa D^2}}v\iota\sigma_1+\kappa\R_T(v)+{STEEP % 'v'}"
    rf"+\kappa\left(\frac{{\nu V^2}}v+v\right)\sigma_{{1:T}}+{DRIFT}+\frac{{\kappa\Delta'}}v\quad\forall\ v>0",
    _any_rate,
    (*ASSUMED, Assumption("v>0", lambda x: x.rate)),
    uses=(*USES, "prp:bregman/bound"),
    corrects=CORRECTED,
)
def at_any_rate(x: Instance) -> Sides:
    r"""The same at any rate v.

    $\R_T(v)$ is SIM's regret against v. It needs no $V>0$.
    """
    k, v = learned(x), x.rate
    c, first = k.c, _needed_first(x, k, v)
    steep = c.kappa * approximate.steepness(x, FTL) / v
    rest = c.kappa * (c.nu * k.deviation / v + v * sum(x.sigma) + c.gap / v) + c.drift / x.eps
    return approximate.against(k.upper - c.kappa * regret(x, k, k.m.hat, v) - rest, first, steep)


def _of_aogd(x: Instance) -> Sides:
    k = learned(x, AOGD)
    return _bound(x, k, regret(x, k, k.m.hat, k.V), 0 * k.V, AOGD)


@claim("thm:learning/aogd", BOUND, partial(_nice, unit=True), (*ASSUMED, MODULUS), **WITH_AOGD)
def aogd(x: Instance) -> Sides:
    r"""Regret-upper-bound with AOGD while the rate is learned, in any norm.

    As thm:fixed/aogd: AOGD steps in $\|\cdot\|_2$, and gradients may be shorter in the dual norm.
    """
    return _of_aogd(x)


@claim("thm:learning/aogd/corrected", BOUND, partial(_nice, own=False), (*ASSUMED, MODULUS, EUCLIDEAN), **WITH_AOGD)
def aogd_in_l2(x: Instance) -> Sides:
    r"""Regret-upper-bound with AOGD while the rate is learned, in $\|\cdot\|_2$.

    As printed ($\iota=0$, so nothing is lost in the first round), even against V.
    """
    return _of_aogd(x)
