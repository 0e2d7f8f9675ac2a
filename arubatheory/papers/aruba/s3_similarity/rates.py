r"""Section 3 and appendix C: the rates of Algorithm 1.

thm:similarity, cor:epsftl, cor:epsewoo, thm:dynamic, cor:dynamic end in $\bar U_T = \tilde O(\rho(T, V) + V)\sqrt m$.
What is measured, for $R = \frac12\|\cdot\|_2^2$ (`kink_rates` has another R), is the excess of $\bar U_T/\sigma$,
$\sigma = G\sqrt m$, over the leading term of the explicit form that holds: $2V$ with FTL as INIT, $4V_\Psi$ with OGD
(cor:dynamic/explicit/corrected; $2V_\Psi$ as printed is a constant factor too little, and `/leading-two` shows it).
For each item:

* `/rate`: the excess over $\rho(T, V)$ is $\tilde O(1)$, for every family, also with $V = sT^{-a}$ at several a; for
  OGD against the worst of five $\Psi$: the mean, the optimal actions, means over $T^{1/4}$, $T^{1/2}$, $T^{3/4}$
  blocks;
* `/rate/fixed`: where V stays, the exponent is that of $T^{-1/2}$, or $T^{-2/5}$ for $\varepsilon$-FTL;
* `/rate/vanishing`: where V vanishes at least like $\varepsilon$, that of $\varepsilon$, $T^{-1/4}$ or $T^{-1/5}$;
* `/rate/adversarial`: the first for patterns that a search found at T = 64, repeated for ever;
* `/rate/long`: the first for T up to 2^40, for sequences whose $B_t$ have a closed form.

An unspecified constant hides the factor 2 of OGD, so that thm:dynamic holds as it is printed: by
cor:dynamic/explicit/corrected with $\varepsilon = T^{-1/4}$ and $D(D + 2P) \le \max\{D^2, 2D\}(1 + P)$.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.papers.aruba.games.rates import (
    ALTERNATING,
    EPS_EWOO,
    EPS_FTL,
    EQUAL,
    MAIN_EWOO,
    OUTLIER,
    PERIODIC,
    SHAPES,
    STEADY,
    UNIT_BALL,
    Sim,
    Stretch,
    average_upper,
    block_means,
    deviation,
    family,
    long_average,
    path,
    squares,
    starts,
    tasks,
)
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Instance, Statement
from arubatheory.statements.growth import Growth, growth_sides

DECAYS = (0.0, 0.125, 0.25, 0.5, 1.0)
SHORTEST, LONGEST = 64, 1 << 14
LONG, ASTRONOMICAL = 1 << 10, 1 << 40
HUNT = 100
HALVES = len(SHAPES)  # a first half and a second: of the long games only
POWER = 1.0  # of log T, in all the explicit forms


class Claim(NamedTuple):
    r"""An item, its SIM and whether INIT is OGD; $-\log_T\varepsilon$, and the exponent where V stays; $\bar U_T$'s
    leading term in units of V."""

    slug: str
    number: str
    kind: str
    sim: int
    greedy: bool
    decay: float
    fixed: float
    leading: float
    explicit: str


CLAIMS = (
    Claim("thm:similarity", "3.2", "theorem", MAIN_EWOO, False, 0.25, -0.5, 2.0, "cor:epsewoo/explicit/corrected"),
    Claim("thm:dynamic", "3.3", "theorem", MAIN_EWOO, True, 0.25, -0.5, 4.0, "cor:dynamic/explicit/corrected"),
    Claim("cor:epsftl", "C.1", "corollary", EPS_FTL, False, 0.2, -0.4, 2.0, "cor:epsftl/explicit"),
    Claim("cor:epsewoo", "C.3", "corollary", EPS_EWOO, False, 0.25, -0.5, 2.0, "cor:epsewoo/explicit/corrected"),
    Claim("cor:dynamic", "C.4", "corollary", EPS_EWOO, True, 0.25, -0.5, 4.0, "cor:dynamic/explicit/corrected"),
)


# what is claimed ---------------------------------------------------------------------------------------------------
def printed_rate(claim: Claim, T: float, V: float, P: float) -> float:
    r"""$\rho(T, V)$, without logarithms; of OGD with the second minimum."""
    with np.errstate(all="ignore"):
        inverse = 1 / np.float64(V)
        if claim.sim == EPS_FTL:
            first = min(inverse * T**-0.4 + T**-0.5, T**-0.2)
        else:
            first = min((1 + inverse) * T**-0.5, T**-0.25)
        second = min((1 + P) * inverse / T, np.sqrt((1 + P) / T)) if claim.greedy else 0.0
    return float(first + second)


def _sim(claim: Claim, x: Instance, T: float) -> Sim:
    return Sim(claim.sim, T**-claim.decay, float(x.sigma))


def _references(claim: Claim, star: Array) -> list[Array]:
    mean = block_means(star, 1)
    if not claim.greedy:
        return [mean]
    counts = sorted({round(len(star) ** (k / 4)) for k in (1, 2, 3)})
    return [mean, star, *(block_means(star, count) for count in counts)]


def _played(claim: Claim, x: Instance, T: int, decay: float) -> tuple[float, Array]:
    star = tasks(x, T, decay)
    divergence = squares(star - starts(star, x.start, claim.greedy))
    return average_upper(divergence, _sim(claim, x, T)), star


def _ratio(claim: Claim) -> Callable[[Instance, int], float]:
    def excess(x: Instance, T: int) -> float:
        upper, star = _played(claim, x, T, DECAYS[x.decay])
        each = [(deviation(star, psi), path(psi)) for psi in _references(claim, star)]
        return max((upper - claim.leading * V) / printed_rate(claim, T, V, P) for V, P in each)

    return excess


def _above_mean(claim: Claim, decays: tuple[float, ...]) -> Callable[[Instance, int], float]:
    def excess(x: Instance, T: int) -> float:
        upper, star = _played(claim, x, T, decays[x.decay])
        return upper - claim.leading * deviation(star, block_means(star, 1))

    return excess


# adversarial games -------------------------------------------------------------------------------------------------
@functools.cache
def hunted(claim: Claim, decay: int, seed: int) -> tuple[int, ...]:
    r"""Eight levels (in 256ths) of a periodic pattern: the one with the largest excess relative to what is claimed at
    T = 64 that `HUNT` steps of a (1+1) evolution strategy found."""
    rng, excess = np.random.default_rng(seed), _ratio(claim)

    def value(levels: Array) -> float:
        game = Instance(
            shape=PERIODIC, decay=decay, size=1.0, start=np.array([0.5, 0.0]), sigma=1.0, levels=levels / 256
        )
        return excess(game, 64)

    best = rng.integers(-256, 257, 8)
    most, spread = value(best), 128.0
    for _ in range(HUNT):
        near = np.clip(np.rint(best + spread * rng.standard_normal(8)), -256, 256).astype(np.int64)
        found = value(near)
        better = found > most
        best, most = (near, found) if better else (best, most)
        spread = min(spread * 1.5, 128.0) if better else max(spread / 1.1, 1.0)
    return tuple(int(level) for level in best)


def _hunted_game(claim: Claim) -> Callable[[Draw], Instance]:
    def instance(draw: Draw) -> Instance:
        x = family(draw, (PERIODIC,), DECAYS)
        levels = hunted(claim, x.decay, draw.integer(0, 3))
        x.levels = draw.array([draw.number(level, 256) for level in levels])
        return x

    return instance


# long games --------------------------------------------------------------------------------------------------------
def _stretches(claim: Claim, x: Instance, T: int, gap: float) -> list[Stretch]:
    r"""$B_t$ for equal tasks, for two in turn at the distance `gap` (OGD only), and for two halves."""
    first = Stretch(1, 1, float(x.start @ x.start) / 2, False)
    square = gap * gap / 2
    if x.shape == EQUAL:
        return [first, Stretch(2, T, 0.0, False)]
    if x.shape == ALTERNATING:
        return [first, Stretch(2, T, square, False)]
    h = T // 2
    calm = Stretch(2, h, 0.0, False)
    if not claim.greedy:
        return [first, calm, Stretch(h + 1, T, square, True)]
    return [first, calm, Stretch(h + 1, h + 1, square, False), Stretch(h + 2, T, 0.0, False)]


def _long_upper(claim: Claim, x: Instance, T: int, gap: float) -> tuple[float, float]:
    r"""$\bar U_T/\sigma$, and V of the mean."""
    upper = long_average(_stretches(claim, x, T, gap), _sim(claim, x, T))
    return upper, 0.0 if x.shape == EQUAL else gap / float(np.sqrt(8))


def _long_ratio(claim: Claim) -> Callable[[Instance, int], float]:
    def excess(x: Instance, T: int) -> float:
        gap = float(x.size) * T ** -DECAYS[x.decay]
        upper, V = _long_upper(claim, x, T, gap)
        ratio = (upper - claim.leading * V) / printed_rate(claim, T, V, 0.0)
        if claim.greedy and x.shape == HALVES:  # against the optimal actions themselves
            ratio = max(ratio, upper / printed_rate(claim, T, 0.0, gap))
        return ratio

    return excess


def _long_excess(claim: Claim) -> Callable[[Instance, int], float]:
    def excess(x: Instance, T: int) -> float:
        upper, V = _long_upper(claim, x, T, float(x.size))
        return upper - claim.leading * V

    return excess


# statements --------------------------------------------------------------------------------------------------------
MINIMUM = {
    EPS_FTL: r"\min\left\{\frac1{VT^{\frac25}}+\frac1{\sqrt T},\frac1{\sqrt[5]T}\right\}",
    EPS_EWOO: r"\min\left\{\frac{1+\frac1V}{\sqrt T},\frac1{\sqrt[4]T}\right\}",
}
SWITCHING = r"+\min\left\{\frac{1+P_\Psi}{VT},\sqrt{\frac{1+P_\Psi}T}\right\}"


def _formula(claim: Claim, right: str) -> str:
    text = rf"\frac{{\RUB_T}}{{G\sqrt m}}-{claim.leading:g}V=\tilde{{\mathcal O}}\left({right}\right)"
    return text.replace("V", r"V_\Psi ") if claim.greedy else text


def _printed(claim: Claim) -> str:
    return MINIMUM[EPS_FTL if claim.sim == EPS_FTL else EPS_EWOO] + (SWITCHING if claim.greedy else "")


def _power_of_T(exponent: float) -> str:
    return {-0.5: r"\frac1{\sqrt T}", -0.4: r"\frac1{T^{\frac25}}", -0.25: r"\frac1{\sqrt[4]T}",
            -0.2: r"\frac1{\sqrt[5]T}"}[exponent]  # fmt: skip


def _statement(
    claim: Claim, part: str, title: str, latex: str, instance: Any, growth: Growth, note: str, **more: Any
) -> Statement:
    return Statement(
        label=f"{claim.slug}/rate{part}", kind=claim.kind, number=claim.number, title=title, latex=latex,
        instance=instance, sides=growth_sides(growth), growth=growth, engines=("rate",), assumptions=UNIT_BALL,
        part_of=claim.slug, uses=("alg:general", claim.explicit), note=note, **more,
    )  # fmt: skip


def _drawn(shapes: tuple[int, ...], decays: tuple[float, ...], octaves: int = 3) -> Callable[[Draw], Instance]:
    return lambda draw: family(draw, shapes, decays, octaves)


ALL_SHAPES = tuple(range(len(SHAPES)))
SETTING = r"$\Theta$ is the unit ball, $R=\frac12\|\cdot\|_2^2$. "
LEAD = {
    False: r"The leading term is the explicit form's. ",
    True: r"The leading term is that of the corrected explicit form, $4V_\Psi$: against $2V_\Psi$ see cor:dynamic/rate/"
    r"leading-two. The slope is that of the worst of five $\Psi$. ",
}
REGIME = {
    False: r"Sizes are at least $\frac12$: V exceeds $T^{-\frac14}$ in the upper half of $T=64,\dots,2^{14}$. For "
    r"smaller V the other branch of the minimum holds there (see the item's /rate).",
    True: r"$\psi_t=\bar\theta^\ast$, two tasks in turn or a first half and a second, $T=2^{10},\dots,2^{40}$. Up to "
    r"$T=2^{11}$ the excess of tasks in turn still grows, and up to $2^{14}$ it falls more slowly than claimed.",
}
WHOLE = (
    r"The exponent, claimed to be 0, is that of the left side over what stands in the brackets, for $T=64,\dots,"
    r"2^{14}$ and $V=\Theta(T^{-a})$, $a=0,\frac18,\frac14,\frac12,1$."
)
BOUNDED_ONLY = r" For other R with bounded $\Breg_R$ the excess over 2V need not vanish ({}/rate/kink)."


def _whole(claim: Claim) -> Statement:
    return _statement(
        claim, "", "The excess over the leading term, relative to what is claimed", _formula(claim, _printed(claim)),
        _drawn(ALL_SHAPES, DECAYS), Growth(_ratio(claim), 0.0, POWER, SHORTEST, LONGEST),
        SETTING + LEAD[claim.greedy] + WHOLE + ("" if claim.greedy else BOUNDED_ONLY.format(claim.slug)),
        corrects=() if claim.greedy else (f"{claim.slug}/rate/kink",),
    )  # fmt: skip


def _fixed(claim: Claim) -> Statement:
    if claim.greedy:
        where, drawn = r"V_\Psi=\Omega_T(1),\quad P_\Psi=0", _drawn((ALTERNATING, HALVES), (0.0,))
        growth = Growth(_long_excess(claim), claim.fixed, POWER, LONG, ASTRONOMICAL)
    else:
        where, drawn = r"V=\Omega_T(1)", _drawn(STEADY, (0.0,), 1)
        growth = Growth(_above_mean(claim, (0.0,)), claim.fixed, POWER, SHORTEST, LONGEST)
    return _statement(
        claim, "/fixed", "The excess where V stays", _formula(claim, _power_of_T(claim.fixed))
        + r"\quad\text{for}\quad " + where, drawn, growth, SETTING + REGIME[claim.greedy],
    )  # fmt: skip


def _vanishing(claim: Claim) -> Statement:
    decays = (claim.decay, 0.5)
    return _statement(
        claim, "/vanishing", r"The excess where V vanishes like $\varepsilon$ or faster",
        _formula(claim, _power_of_T(-claim.decay)) + r"\quad\text{for}\quad "
        + (r"V=\mathcal O(\varepsilon)" if not claim.greedy else r"V_\Psi=\mathcal O(\varepsilon),\quad P_\Psi=0"),
        _drawn((*STEADY, EQUAL, OUTLIER), decays),
        Growth(_above_mean(claim, decays), -claim.decay, POWER, SHORTEST, LONGEST),
        SETTING + (r"$\psi_t=\bar\theta^\ast$. " if claim.greedy else "") + r"Equal tasks pay $\varepsilon$ a round.",
    )  # fmt: skip


def _long(claim: Claim) -> Statement:
    shapes = (EQUAL, ALTERNATING, HALVES) if claim.greedy else (EQUAL, HALVES)
    return _statement(
        claim, "/long", "The excess over the leading term, relative to what is claimed, in very long games",
        _formula(claim, _printed(claim)), _drawn(shapes, DECAYS),
        Growth(_long_ratio(claim), 0.0, POWER, LONG, ASTRONOMICAL),
        SETTING + r"$T=2^{10},\dots,2^{40}$: equal tasks, a first half and a second"
        + (r", two in turn; $\psi_t=\bar\theta^\ast$, and $\theta_t^\ast$ for the halves." if claim.greedy else "."),
    )  # fmt: skip


def _adversarial(claim: Claim) -> Statement:
    return _statement(
        claim, "/adversarial", "The excess over the leading term, relative to what is claimed, on patterns that were "
        "sought", _formula(claim, _printed(claim)), _hunted_game(claim),
        Growth(_ratio(claim), 0.0, POWER, SHORTEST, LONGEST),
        SETTING + LEAD[claim.greedy] + r"Patterns of ten tasks on a line, repeated for ever: those with the largest "
        r"left side over the brackets at $T=64$ that a search of its own found.",
    )  # fmt: skip


DYNAMIC = CLAIMS[-1]
TWO = DYNAMIC._replace(leading=2.0)
LEADING_TWO = _statement(
    TWO, "/leading-two", "The excess over the printed leading term", _formula(TWO, _printed(TWO)),
    _drawn((ALTERNATING,), DECAYS), Growth(_long_ratio(TWO), 0.0, POWER, LONG, ASTRONOMICAL),
    SETTING + r"Two tasks in turn, $\psi_t=\bar\theta^\ast$: OGD is always at the other one, and pays $4V_\Psi$. An "
    r"unspecified constant hides that; the explicit form does not (cor:dynamic/explicit/any-constant).",
)  # fmt: skip

STATEMENTS = (
    *(part(claim) for claim in CLAIMS for part in (_whole, _fixed, _vanishing, _adversarial, _long)),
    LEADING_TWO,
)
