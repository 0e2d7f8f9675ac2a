r"""thm:dynamic and cor:dynamic: the rates of Algorithm 1 with OGD as INIT, in the forms of `rates`."""

from __future__ import annotations

from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games.rates import ALTERNATING, EPS_EWOO, EQUAL, MAIN_EWOO, OUTLIER, STEADY, UNIT_BALL
from arubatheory.papers.aruba.s3_similarity import rates
from arubatheory.papers.aruba.s3_similarity.rates import DECAYS, HALVES, Form, Rate, drawn, in_games, in_long_games

BRACKETS = rates.EWOO_MINIMUM + r"+\min\left\{\frac{1+P_\Psi}{VT},\sqrt{\frac{1+P_\Psi}T}\right\}"
LEAD = rates.SETTING + (
    r"The leading term is that of the corrected explicit form, $4V_\Psi$: against $2V_\Psi$ see cor:dynamic/rate/"
    r"leading-two. The slope is that of the worst of many $\Psi$. "
)
REGIME = (
    r"$\psi_t=\bar\theta^\ast$, two tasks in turn or a first half and a second, $T=2^{10},\dots,2^{40}$. Up to "
    r"$T=2^{11}$ the excess of tasks in turn still grows, and up to $2^{14}$ it falls more slowly than claimed."
)


def formula(rate: Rate, right: str, where: str = "") -> str:
    r"""`rates.formula` for $V_\Psi$."""
    return rates.formula(rate, right).replace("V", r"V_\Psi ") + where


def forms_of(rate: Rate) -> tuple[Form, ...]:
    r"""The rate as a whole; where V stays; where V vanishes; on patterns that were sought; in long games."""
    whole, decays = formula(rate, BRACKETS), (rate.decay, 0.5)
    staying = formula(rate, r"\frac1{\sqrt T}", r"\quad\text{for}\quad V_\Psi=\Omega_T(1),\quad P_\Psi=0")
    falling = formula(rate, r"\frac1{\sqrt[4]T}", r"\quad\text{for}\quad V_\Psi=\mathcal O(\varepsilon),\quad P_\Psi=0")
    # Many Psi are tried for a ratio: a second at T = 2^18, too long to be carried on to 10^7.
    ratio, long = in_games(rates.ratio(rate), 0.0, limit=None), in_long_games(rates.long_ratio(rate), 0.0)
    stays = in_long_games(rates.long_excess(rate), -0.5)
    falls = in_games(rates.above_mean(rate, decays), -rate.decay)
    steady, shrinking = drawn((ALTERNATING, HALVES), (0.0,)), drawn((*STEADY, EQUAL, OUTLIER), decays)
    mean = rates.SETTING + r"$\psi_t=\bar\theta^\ast$. "
    in_turn = (
        rates.SETTING
        + rates.LONG_NOTE
        + r", two in turn; $\psi_t=\bar\theta^\ast$, and $\theta_t^\ast$ for the halves."
    )
    return (
        Form(rates.WHOLE, whole, drawn(rates.ALL_SHAPES, DECAYS), ratio, LEAD + rates.WHOLE_NOTE),
        Form(rates.FIXED, staying, steady, stays, rates.SETTING + REGIME),
        Form(rates.VANISHING, falling, shrinking, falls, mean + rates.EQUAL_NOTE),
        Form(rates.SOUGHT, whole, rates.hunted_game(rate), ratio, LEAD + rates.SOUGHT_NOTE),
        Form(rates.IN_LONG_GAMES, whole, drawn((EQUAL, ALTERNATING, HALVES), DECAYS), long, in_turn),
    )


OF_OGD = {"uses": ("alg:general", "cor:dynamic/explicit/corrected")}
MAIN = Rate(MAIN_EWOO, greedy=True, decay=0.25, leading=4.0)
WHOLE, STAYING, VANISHING, SOUGHT, LONG_GAMES = forms_of(MAIN)
THEOREM = (
    claim("thm:dynamic/rate", **WHOLE.said, **OF_OGD)(WHOLE.growth),
    claim("thm:dynamic/rate/fixed", **STAYING.said, **OF_OGD)(STAYING.growth),
    claim("thm:dynamic/rate/vanishing", **VANISHING.said, **OF_OGD)(VANISHING.growth),
    claim("thm:dynamic/rate/adversarial", **SOUGHT.said, **OF_OGD)(SOUGHT.growth),
    claim("thm:dynamic/rate/long", **LONG_GAMES.said, **OF_OGD)(LONG_GAMES.growth),
)

WITH_EWOO = MAIN._replace(sim=EPS_EWOO)
WHOLE, STAYING, VANISHING, SOUGHT, LONG_GAMES = forms_of(WITH_EWOO)
COROLLARY = (
    claim("cor:dynamic/rate", **WHOLE.said, **OF_OGD)(WHOLE.growth),
    claim("cor:dynamic/rate/fixed", **STAYING.said, **OF_OGD)(STAYING.growth),
    claim("cor:dynamic/rate/vanishing", **VANISHING.said, **OF_OGD)(VANISHING.growth),
    claim("cor:dynamic/rate/adversarial", **SOUGHT.said, **OF_OGD)(SOUGHT.growth),
    claim("cor:dynamic/rate/long", **LONG_GAMES.said, **OF_OGD)(LONG_GAMES.growth),
)

TWO = WITH_EWOO._replace(leading=2.0)
LEADING_TWO = claim(
    "cor:dynamic/rate/leading-two",
    formula(TWO, BRACKETS),
    drawn((ALTERNATING,), DECAYS),
    UNIT_BALL,
    title="The excess over the printed leading term",
    note=rates.SETTING + r"Two tasks in turn, $\psi_t=\bar\theta^\ast$: OGD is always at the other one, and pays "
    r"$4V_\Psi$. An unspecified constant hides that; the explicit form does not (cor:dynamic/explicit/any-constant).",
    **OF_OGD,
)(in_long_games(rates.long_ratio(TWO), 0.0))
