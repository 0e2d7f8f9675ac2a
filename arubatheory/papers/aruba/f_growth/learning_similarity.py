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
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import on
from arubatheory.learners.ewoo_curves import inverse_mean
from arubatheory.papers.aruba.games.adaptive import harmonic
from arubatheory.papers.aruba.games.approximate import (
    AOGD,
    FTL,
    GAME,
    QUADRATIC,
    QUARTIC,
    Constants,
    Measured,
    against,
    constants,
    diameter_squared,
    from_start,
    game,
    measure,
    steepness,
)
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import root

SidesOf = Callable[[Instance], Any]
DATA, EPS_FTL, EPS_EWOO = range(3)


# SIM ---------------------------------------------------------------------------------------------------------------
def _with_rates(draw: Draw, x: Instance) -> Instance:
    r"""$\varepsilon$, of the size of D or of 1, SIM, the place of $D_1$ in its interval, and $D_t - \varepsilon$ of
    data, which is 0 in half of the instances."""
    T = len(x.sigma)
    x.sim = draw.choice((DATA, EPS_FTL, DATA, EPS_EWOO))
    x.eps, x.place = x.ratio * _length(x) if draw.boolean() else draw.positive(-4, 4), draw.unit()
    x.more = _length(x) * draw.positive(-8, 4, T) * draw.integer(0, 1)
    return x


def _length(x: Instance) -> Any:
    r"""A rational of the size of $\sqrt{B_R}$: a side of the domain times $1 + \operatorname{tr}P$."""
    side = max(abs(x.corners[-1] - x.corners[0]))
    trace = 1 + sum(x.R.matrix.diagonal())
    return side * trace if side > 0 else trace


def any_game(draw: Draw) -> Instance:
    r"""Any R, any SIM, V > 0."""
    return _with_rates(draw, game(draw, apart=True))


def _nice(draw: Draw) -> Instance:
    return _with_rates(draw, game(draw, (QUADRATIC,), apart=True))


def _euclidean(draw: Draw) -> Instance:
    return _with_rates(draw, game(draw, (QUADRATIC,), apart=True, own=False))


def _quartics(draw: Draw) -> Instance:
    return _with_rates(draw, game(draw, (QUARTIC,), apart=True, away=True))


def _large_rates(draw: Draw) -> Instance:
    r"""$\varepsilon > 1$."""
    x = any_game(draw)
    x.eps = 1 + draw.positive(-2, 4)
    return x


def _equal_references(draw: Draw) -> Instance:
    return _with_rates(draw, game(draw))


def _any_rate(draw: Draw) -> Instance:
    x = _equal_references(draw)
    x.rate = x.eps * draw.positive(-8, 8)
    return x


def rates(x: Instance, m: Measured) -> Array:
    r"""$D_1, \dots, D_T$; those of the two algorithms on $(B_R(\hat\theta_t\|\phi_t)/x + x)\sigma_t$."""
    first = (root(from_start(x)) + x.eps) / 2 * (1 + x.place)
    out, D2 = [first], diameter_squared(x)
    eps2 = x.eps * x.eps
    hi, top = root(D2 + eps2), max(x.sigma)
    gamma = 2 / (root(D2) * top) * on(smaller, D2)(eps2 / D2, D2 / D2) if x.sim == EPS_EWOO and D2 > 0 else D2
    mass, spread = x.sigma[0] * 0, x.sigma[0] * 0
    for t in range(1, len(x.sigma)):
        mass, spread = mass + x.sigma[t - 1], spread + x.sigma[t - 1] * (m.hat[t - 1] + eps2)
        if x.sim == DATA:
            out.append(x.eps + x.more[t])
        elif x.sim == EPS_FTL or not D2 > 0:
            out.append(root(spread / mass))
        else:
            out.append(on(inverse_mean, x.first)(gamma * spread, gamma * mass, x.eps, hi))
    return _array(out)


def _array(values: list[Any]) -> Array:
    if not is_exact(values[0]):
        return np.array(values, dtype=np.float64)
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


class Learned(NamedTuple):
    r"""What is measured, $D_t$, the constants, $V^2\sigma_{1:T}$, V, and $T\bar U$."""

    m: Measured
    D: Array
    c: Constants
    deviation: Any
    V: Any
    upper: Any


def weights_needed(x: Instance, D: Array) -> Array:
    r"""$\alpha_t = \varepsilon\sigma_t/D_t$."""
    return np.asarray(x.eps * x.sigma / D)


def learned(x: Instance, dyn: int, weights: Any) -> Learned:
    r"""The game with FTL or AOGD, and the constants for `weights(x, D)`."""
    m = measure(x, dyn)
    D = rates(x, m)
    deviation = sum(m.reference * x.sigma)
    V = root(deviation / sum(x.sigma))
    return Learned(m, D, constants(x, m, weights(x, D)), deviation, V, sum((m.star / D + D) * x.sigma))


def sim_sum(B: Array, D: Any, sigma: Array) -> Any:
    r"""$\sum_t(B_t/D_t + D_t)\sigma_t$."""
    return sum((B / D + D) * sigma)


def _best(B: Array, sigma: Array) -> Any:
    r"""$\inf_{v>0}\sum_t(B_t/v + v)\sigma_t$."""
    return 2 * root(sum(B * sigma) * sum(sigma))


# thm:learning ------------------------------------------------------------------------------------------------------
def against_best(x: Instance, k: Learned) -> Any:
    r"""SIM's regret on what it met against the best action."""
    return sim_sum(k.m.hat, k.D, x.sigma) - _best(k.m.hat, x.sigma)


def _against_V(x: Instance, k: Learned) -> Any:
    return sim_sum(k.m.hat, k.D, x.sigma) - sim_sum(k.m.hat, k.V, x.sigma)


def cheating(x: Instance, k: Learned) -> Any:
    r"""The regret of SIM's actions on the cheating losses against the best action."""
    return sim_sum(k.m.cheat, k.D, x.sigma) - _best(k.m.cheat, x.sigma)


def _cheating_at_V(x: Instance, k: Learned) -> Any:
    return sim_sum(k.m.cheat, k.D, x.sigma) - sim_sum(k.m.cheat, k.V, x.sigma)


def _printed_first(x: Instance, k: Learned, v: Any) -> Any:
    return (2 * k.c.kappa * root(diameter_squared(x)) + x.eps) * x.sigma[0]


def _needed_first(x: Instance, k: Learned, v: Any) -> Any:
    return k.c.kappa * diameter_squared(x) / v * x.sigma[0]


def _theorem_sides(dyn: int, regret: Any, first: Any, on_points: bool = False, weights: Any = weights_needed) -> Any:
    r"""The terms of $R_T$, the first round, V, $\Delta^\ast$ and $\Delta'$ are on the left: only C's remains."""

    def sides(x: Instance) -> Sides:
        k = learned(x, dyn, weights)
        steep = k.c.kappa * steepness(x, dyn, on_points) / k.V * on(harmonic, x.first)(x.sigma)
        start = first(x, k, k.V) if dyn == FTL else 0 * steep
        spread = k.c.kappa * (k.c.nu + 1) * k.V * sum(x.sigma)
        gaps = k.c.drift / x.eps + k.c.kappa * k.c.gap / k.V
        lhs = k.upper - k.c.kappa * regret(x, k) - spread - gaps
        return against(lhs, start, steep, scale_of(x, k, k.V) + start + spread + gaps + steep)

    return sides


def scale_of(x: Instance, k: Learned, v: Any) -> Any:
    r"""The yardstick of a bound at the rate v."""
    mass, c = sum(x.sigma), k.c
    each = sum((k.m.hat + k.m.rough) * x.sigma)
    largest = k.m.rough * mass * (1 + c.nu) * c.kappa
    sums = c.kappa * (sim_sum(k.m.hat, k.D, x.sigma) + each / v + v * mass + _best(k.m.hat + k.m.rough, x.sigma))
    return (k.upper + sums + largest / x.eps + largest / v) * len(x.sigma)


def _at_any_rate(x: Instance) -> Sides:
    r"""The corrected bound at v in place of V, with SIM's regret at v."""
    k = learned(x, FTL, weights_needed)
    v, c = x.rate, k.c
    steep = c.kappa * steepness(x, FTL) / v * on(harmonic, x.first)(x.sigma)
    regret = sim_sum(k.m.hat, k.D, x.sigma) - sim_sum(k.m.hat, v, x.sigma)
    rest = c.kappa * (c.nu * k.deviation / v + v * sum(x.sigma) + c.gap / v) + c.drift / x.eps
    start = _needed_first(x, k, v)
    return against(k.upper - c.kappa * regret - rest, start, steep, scale_of(x, k, v) + start + rest + steep)


# statements --------------------------------------------------------------------------------------------------------
EPS = Assumption(r"\varepsilon>0", lambda x: x.eps)
LARGE = Assumption(r"D_t\ge\varepsilon\ \forall\ t>1", lambda x: min(x.more))
PLACE = Assumption(
    r"\frac12(\max_\theta\sqrt{\Breg_R(\theta||\phi_1)}+\varepsilon)\le D_1\le"
    r"\max_\theta\sqrt{\Breg_R(\theta||\phi_1)}+\varepsilon",
    lambda x: min(x.place, 1 - x.place),
)
ASSUMED = (*GAME, EPS, LARGE, PLACE)
RATE = Assumption("v>0", lambda x: x.rate)
STEEP = r"\frac{\kappa C}%s\sum_{t=1}^T\frac{\sigma_t^2}{\sigma_{1:t}}"
DRIFT = r"\frac{\Delta_{1:T}^\ast}\varepsilon"
PRINTED, NEEDED = r"(2\kappa D+\varepsilon)\iota\sigma_1", r"\frac{\kappa D^2}V\iota\sigma_1"


def _bound(first: str) -> str:
    return (
        r"\RUB_TT\le" + first + r"+\kappa\R_T+" + STEEP % "V" + r"+\kappa(\nu+1)V\sigma_{1:T}+" + DRIFT
        + r"+\frac{\kappa\Delta'}V"
    )  # fmt: skip


ANY_RATE = (
    r"\RUB_TT\le\frac{\kappa D^2}v\iota\sigma_1+\kappa\R_T(v)+" + STEEP % "v"
    + r"+\kappa\left(\frac{\nu V^2}v+v\right)\sigma_{1:T}+" + DRIFT + r"+\frac{\kappa\Delta'}v\quad\forall\ v>0"
)  # fmt: skip
USES = ("asu:general", "alg:fmrl", "clm:mean", "thm:ftlaogd", "def:regret")
FTL_USES = (*USES, "prp:bregman/bound")
READINGS = ("", "/points", "/sigma-weights", "/rate-weights", "/literal", "/nice")


def _theorem(part: str, title: str, instance: Any, sides: SidesOf, note: str, **more: Any) -> Statement:
    return Statement(
        label=f"thm:learning/{part}", kind="theorem", number="F.2", title=title,
        latex=more.pop("latex", _bound(PRINTED)), instance=instance, sides=sides,
        assumptions=(*ASSUMED, *more.pop("assume", ())), part_of="thm:learning", note=note,
        uses=USES if part.startswith("aogd") else FTL_USES, **more,
    )  # fmt: skip


def sigma_weights(x: Instance, D: Array) -> Array:
    r"""$\alpha_t = \sigma_t$."""
    return np.asarray(x.sigma)


def _over_rates(x: Instance, D: Array) -> Array:
    return np.asarray(x.sigma / D)


CORRECTED = tuple(f"thm:learning/ftl{reading}" for reading in READINGS)
THEOREM = (
    _theorem("ftl", "Regret-upper-bound with FTL while the rate is learned", any_game,
             _theorem_sides(FTL, against_best, _printed_first, True),
             r"$\R_T$ is SIM's realised regret against the best action, $\alpha_t=\varepsilon\sigma_t/D_t$, and C' is "
             r"that of the points. The proof bounds SIM's regret on divergences from the cheating sequence by that on "
             r"those it met: $\kappa\Breg_R(\hat\theta_1||\phi_1)\sigma_1/V$ is lost."),
    _theorem("ftl/nice", "The same in the Nice case", _nice, _theorem_sides(FTL, against_best, _printed_first),
             r"Fails without C': all $\theta_t^\ast$ close together and far from $\phi_1$, so that V and $G'$ are "
             r"small. Exact, $\sigma_t=1$, $D_t=D$: the left side is $(T+1)D$, the right one "
             r"$(T+3)D-2D\sqrt T+\varepsilon$ as V tends to 0."),
    _theorem("ftl/cheating-regret", "The same with SIM's regret on the cheating losses", any_game,
             _theorem_sides(FTL, _cheating_at_V, _printed_first),
             r"$\R_T$ is what SIM's actions would have regretted, against V, with "
             r"$\Breg_R(\hat\theta_t||\tilde\phi_t)$ for the divergences; C' for differences, "
             r"$\alpha_t=\varepsilon\sigma_t/D_t$. Then it holds as printed: "
             r"$\kappa\Breg_R(\hat\theta_1||\phi_1)/D_1\le2\kappa D$ is all that the first round adds."),
    _theorem("ftl/points", "The same, C' for the points", _quartics,
             _theorem_sides(FTL, cheating, _printed_first, True),
             r"As /cheating-regret, but against the best action, which is more, and with C' where it is printed: it "
             r"inherits the failure of thm:coupling. Tried on quartics, where the two differ."),
    _theorem("ftl/sigma-weights", r"The same with $\alpha_t=\sigma_t$", any_game,
             _theorem_sides(FTL, cheating, _printed_first, weights=sigma_weights),
             r"$\R_T$ as in /points. $\hat\theta_t$ may be good for $\theta_t^\ast$ where $D_t$ is large and bad where "
             r"it is $\varepsilon$: dividing the sums by $D_t$ is not allowed."),
    _theorem("ftl/rate-weights", r"The same with $\alpha_t=\sigma_t/D_t$", _large_rates,
             _theorem_sides(FTL, cheating, _printed_first, weights=_over_rates),
             r"$\R_T$ as in /points. Here $\Delta_{1:T}^\ast$ is a bound of the sums divided by $D_t$, and dividing it "
             r"by $\varepsilon$ again is wrong for $\varepsilon>1$."),
    _theorem("ftl/literal", "The same where V may be 0", _equal_references,
             _theorem_sides(FTL, cheating, _printed_first),
             r"$\R_T$ as in /points. With one task, or equal $\theta_t'$, $V=0$ and the quotients have no value."),
    _theorem("ftl/corrected", "Regret-upper-bound with FTL while the rate is learned, the first round in full",
             any_game,
             _theorem_sides(FTL, _against_V, _needed_first),
             r"$\R_T$ is SIM's regret against V, on what it met. $\sum_t(\kappa\Breg_R(\hat\theta_t||\phi_t)/D_t+D_t)"
             r"\sigma_t\le\kappa\R_T+\kappa\sum_t(\Breg_R(\hat\theta_t||\phi_t)/V+V)\sigma_t$, and of the last sum the "
             r"first round is at most $D^2\sigma_1/V$, the others are those of the cheating leader. $D_1$ is free.",
             latex=_bound(NEEDED), corrects=CORRECTED),
    _theorem("ftl/corrected-any-v", "The same at any rate v", _any_rate, _at_any_rate,
             r"$\R_T(v)$ is SIM's regret against v. It needs no $V>0$.", latex=ANY_RATE, assume=(RATE,),
             corrects=CORRECTED),
    _theorem("aogd", "Regret-upper-bound with AOGD while the rate is learned, in any norm", _nice,
             _theorem_sides(AOGD, _against_V, _printed_first),
             r"As thm:fixed/aogd: AOGD steps in $\|\cdot\|_2$."),
    _theorem("aogd/corrected", r"Regret-upper-bound with AOGD while the rate is learned, in $\|\cdot\|_2$", _euclidean,
             _theorem_sides(AOGD, _against_V, _printed_first),
             r"As printed ($\iota=0$, so nothing is lost in the first round), even against V.",
             corrects=("thm:learning/aogd",)),
)  # fmt: skip

STATEMENTS = THEOREM
