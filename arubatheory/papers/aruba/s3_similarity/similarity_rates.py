r"""thm:similarity, cor:epsftl and cor:epsewoo: the rates of Algorithm 1 with FTL as INIT, in the forms of `rates`."""

from __future__ import annotations

from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games.rates import EPS_EWOO, EPS_FTL, EQUAL, MAIN_EWOO, OUTLIER, STEADY
from arubatheory.papers.aruba.s3_similarity import rates
from arubatheory.papers.aruba.s3_similarity.rates import DECAYS, Form, Rate, drawn, in_games, in_long_games

EXPLICIT = "The leading term is the explicit form's. "
SAME = r"$\Theta$, R as in /rate. "
REGIME = (
    r"Sizes are at least $\frac12$, and V mostly exceeds $T^{-\frac14}$ in the upper half of $T=64,\dots,2^{14}$. "
    r"While it is smaller, the other branch of the minimum holds (see the item's /rate), and a family goes on to "
    r"$T=10^7$ if need be: one whose V is small comes late into its regime."
)


def forms_of(slug: str, rate: Rate, minimum: str, exponent: float, fixed: str, vanishing: str) -> tuple[Form, ...]:
    r"""The rate as a whole; where V stays, with its exponent; where V vanishes; on patterns that were sought; in long
    games. `minimum`, `fixed` and `vanishing` are what is printed in the brackets."""
    only = rf" For an R with a kink and bounded $\Breg_R$ the excess over 2V need not vanish ({slug}/rate/kink)."
    whole = rates.formula(rate, minimum)
    staying = rates.formula(rate, fixed) + r"\quad\text{for}\quad V=\Omega_T(1)"
    falling = rates.formula(rate, vanishing) + r"\quad\text{for}\quad V=\mathcal O(\varepsilon)"
    decays = (rate.decay, 0.5)
    ratio, long = in_games(rates.ratio(rate), 0.0), in_long_games(rates.long_ratio(rate), 0.0)
    stays = in_games(rates.above_mean(rate, (0.0,)), exponent)
    falls = in_games(rates.above_mean(rate, decays), -rate.decay)
    halves = drawn((EQUAL, rates.HALVES), DECAYS, curved=True)
    shrinking = drawn((*STEADY, EQUAL, OUTLIER), decays, curved=True)
    every, steady = drawn(rates.ALL_SHAPES, DECAYS, curved=True), drawn(STEADY, (0.0,), 1, curved=True)
    sought = SAME + EXPLICIT + rates.SOUGHT_NOTE + r" It has $R=\frac12\|\cdot\|_2^2$."
    return (
        Form(rates.WHOLE, whole, every, ratio, rates.CURVED + EXPLICIT + rates.WHOLE_NOTE + only),
        Form(rates.FIXED, staying, steady, stays, rates.CURVED + REGIME),
        Form(rates.VANISHING, falling, shrinking, falls, rates.CURVED + rates.EQUAL_NOTE),
        Form(rates.SOUGHT, whole, rates.hunted_game(rate), ratio, sought),
        Form(rates.IN_LONG_GAMES, whole, halves, long, SAME + rates.LONG_NOTE + "."),
    )


MAIN = Rate(MAIN_EWOO, greedy=False, decay=0.25, leading=2.0)
EWOO_FORMS = (rates.EWOO_MINIMUM, -0.5, r"\frac1{\sqrt T}", r"\frac1{\sqrt[4]T}")
WHOLE, STAYING, VANISHING, SOUGHT, LONG_GAMES = forms_of("thm:similarity", MAIN, *EWOO_FORMS)
OF_SIMILARITY = {"uses": ("alg:general", "cor:epsewoo/explicit/corrected")}
SIMILARITY = (
    claim("thm:similarity/rate", **WHOLE.said, corrects=("thm:similarity/rate/kink",), **OF_SIMILARITY)(WHOLE.growth),
    claim("thm:similarity/rate/fixed", **STAYING.said, **OF_SIMILARITY)(STAYING.growth),
    claim("thm:similarity/rate/vanishing", **VANISHING.said, **OF_SIMILARITY)(VANISHING.growth),
    claim("thm:similarity/rate/adversarial", **SOUGHT.said, **OF_SIMILARITY)(SOUGHT.growth),
    claim("thm:similarity/rate/long", **LONG_GAMES.said, **OF_SIMILARITY)(LONG_GAMES.growth),
)

WITH_FTL = Rate(EPS_FTL, greedy=False, decay=0.2, leading=2.0)
FTL_FORMS = (rates.FTL_MINIMUM, -0.4, r"\frac1{T^{\frac25}}", r"\frac1{\sqrt[5]T}")
WHOLE, STAYING, VANISHING, SOUGHT, LONG_GAMES = forms_of("cor:epsftl", WITH_FTL, *FTL_FORMS)
OF_EPSFTL = {"uses": ("alg:general", "cor:epsftl/explicit")}
EPSFTL = (
    claim("cor:epsftl/rate", **WHOLE.said, corrects=("cor:epsftl/rate/kink",), **OF_EPSFTL)(WHOLE.growth),
    claim("cor:epsftl/rate/fixed", **STAYING.said, **OF_EPSFTL)(STAYING.growth),
    claim("cor:epsftl/rate/vanishing", **VANISHING.said, **OF_EPSFTL)(VANISHING.growth),
    claim("cor:epsftl/rate/adversarial", **SOUGHT.said, **OF_EPSFTL)(SOUGHT.growth),
    claim("cor:epsftl/rate/long", **LONG_GAMES.said, **OF_EPSFTL)(LONG_GAMES.growth),
)

WITH_EWOO = MAIN._replace(sim=EPS_EWOO)
WHOLE, STAYING, VANISHING, SOUGHT, LONG_GAMES = forms_of("cor:epsewoo", WITH_EWOO, *EWOO_FORMS)
EPSEWOO = (
    claim("cor:epsewoo/rate", **WHOLE.said, corrects=("cor:epsewoo/rate/kink",), **OF_SIMILARITY)(WHOLE.growth),
    claim("cor:epsewoo/rate/fixed", **STAYING.said, **OF_SIMILARITY)(STAYING.growth),
    claim("cor:epsewoo/rate/vanishing", **VANISHING.said, **OF_SIMILARITY)(VANISHING.growth),
    claim("cor:epsewoo/rate/adversarial", **SOUGHT.said, **OF_SIMILARITY)(SOUGHT.growth),
    claim("cor:epsewoo/rate/long", **LONG_GAMES.said, **OF_SIMILARITY)(LONG_GAMES.growth),
)
