r"""Section 5 and appendix E: the corollaries with rates in T and m, cor:statistical, cor:batch and cor:scbatch.

Their exponents are measured here; with constants they are in `batch_bounds`, their proofs in `batch_proofs`. What
grows is the transfer excess risk, an upper quantile over training runs, in the worlds of `games.known_risks`:

* `/rate`: it is $\tilde O(1)$ times what stands in the brackets, for $m = 8, \sqrt T, T$ and $V_Q = 0$ or
  $\Theta(T^{-a})$. Where $V_Q/\sqrt m$ outgrows the rest of the brackets (`leads`), it is subtracted on both sides:
  beside it the rest would not be seen, and the ratio would go on rising to its limit, about 1/2, beyond every grid.
  Elsewhere it stays where it is printed: what is subtracted from an excess of a larger order vanishes beside it like
  $T^{-1/4}$ at $a = \frac14, \frac34$, and that rise to a limit is no growth;
* `/rate/still`: the excess itself for $V_Q = 0$, where the brackets are a power of T;
* `/rate/fixed`: the excess for a $V_Q$ that stays and $m = T$: it is that of $V_Q/\sqrt m$;
* `/rate/rounds`: the excess in m, for $V_Q = 0$.

With $\eta$ known the brackets may be without $1/T$: then T can stay and m grow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.e_batch.batch_bounds import LEARNING, batch_epsilon
from arubatheory.papers.aruba.e_batch.o2b import BEST, MEAN
from arubatheory.papers.aruba.games import known_risks
from arubatheory.papers.aruba.games.known_risks import COINS, KINKS, equal_tasks, rounds, world
from arubatheory.papers.aruba.games.rates import EPS_EWOO, MAIN_EWOO, LearnedRate
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Instance
from arubatheory.statements.growth import FAR, Growth

HALVES = (0, 1, 2)  # of c
DECAYS = (0, 1, 2, 3, 4)  # of a, in quarters
SHORTEST, LONGEST = 64, 1 << 12
MOST_ROUNDS = 256  # where T = m^2
FEW = 64  # tasks, of the growth in m at a known rate
KNOWN = -1  # beside what learns the rate: it is V_Q + 1/sqrt T, and known
ORDER = MEAN + "-" + BEST + r"=\tilde{\mathcal O}\left("
BRACKETS = {
    True: r"\frac{V_\Q}{\sqrt m}+\frac1{\sqrt{mT}}+\frac1T\right)",
    False: r"\frac{V_\Q}{\sqrt m}+" + LEARNING + r"+\frac1{\sqrt T}\right)",
}
SETTING = {
    KNOWN: r"$\eta=(V_\Q+1/\sqrt T)/(G\sqrt m)$ with $T$ and $V_\Q$ known. ",
    EPS_EWOO: r"$\varepsilon$-EWOO as in the appendix, from $\varepsilon$. ",
    MAIN_EWOO: r"$\varepsilon$-EWOO as eq:ewoo prints it, from 0. ",
}
WORLDS = r"$\Theta=[0,1]$, kinks or coins, the largest of eight training runs: $\delta$ is about $\frac19$. "


def _said(rate: int, title: str, right: str, game: Callable[[Draw], Instance], note: str = "") -> dict[str, Any]:
    """What the claims of a corollary have in common."""
    explicit = "cor:scbatch/explicit" if rate == KNOWN else "cor:epsewoo/explicit/corrected"
    said = {"title": title, "note": SETTING[rate] + WORLDS + note, "uses": ("alg:general", "thm:statistical", explicit)}
    return {"latex": ORDER + right, "game": game, "given": known_risks.WORLD, **said}


def _still_or_not(draw: Draw) -> Instance:
    return equal_tasks(draw, HALVES) if draw.integer(0, 4) == 4 else world(draw, (KINKS, COINS), DECAYS, HALVES)


def _whole(rate: int) -> dict[str, Any]:
    where, above = (r"$a<\frac12$", "; there nothing exceeds it.") if rate == KNOWN else (r"$a=0$ at $m=\sqrt T$", ".")
    note = (
        r"The exponent, claimed to be 0, is that of the left side over the brackets. $T=64,\dots,2^{12}$, "
        r"$m=8,\sqrt T,T$ and $V_\Q=0$ or $\Theta(T^{-a})$, $a=0,\frac14,\frac12,\frac34,1$. Where $V_\Q/\sqrt m$ "
        rf"outgrows the rest, for {where}, it is subtracted on both sides, with 1 for its constant{above}"
    )
    title = "The transfer excess, relative to what is claimed"
    return _said(rate, title, BRACKETS[rate == KNOWN], _still_or_not, note)


def _still(rate: int) -> dict[str, Any]:
    halves, where = ((0,), "m=8") if rate == KNOWN else ((1, 2), r"m=\sqrt T,T")
    right = r"\frac1{\sqrt T}\right)\quad\text{for}\quad V_\Q=0,\ " + where
    return _said(rate, "The excess where all tasks are equal", right, lambda draw: equal_tasks(draw, halves))


def _fixed(rate: int) -> dict[str, Any]:
    right = r"\frac1{\sqrt T}\right)\quad\text{for}\quad V_\Q=\Omega_T(1),\ m=T"
    return _said(rate, r"The excess where $V_\Q$ stays", right, lambda draw: world(draw, (KINKS, COINS), (0,), (2,)))


def _rounds(rate: int) -> dict[str, Any]:
    right, note = r"\frac1m\right)\quad\text{for}\quad V_\Q=0,\ T=m^2", ""
    if rate == KNOWN:
        right = rf"\frac1{{\sqrt m}}\right)\quad\text{{for}}\quad V_\Q=0,\ T={FEW}"
        note = r"This claims more than the brackets, which keep their $1/T$: see cor:scbatch/explicit."
    title = "Growth with the number m of rounds within a task"
    return _said(rate, title, right, lambda draw: equal_tasks(draw, (0,)), note)


def beyond_leading(rate: int, T: float, m: float, V: float) -> float:
    r"""What stands in the brackets beside $V_Q/\sqrt m$, without $\delta$ and logarithms."""
    if rate == KNOWN:
        return float(1 / np.sqrt(m * T) + 1 / T)
    with np.errstate(divide="ignore"):
        inverse = 1 / np.float64(V)
    learning = min((1 / np.sqrt(m) + 1 / np.sqrt(T)) * inverse / m, (m**3 * T) ** -0.25 + 1 / m)
    return float(learning + 1 / np.sqrt(T))


def leads(rate: int, a: float, c: float) -> bool:
    r"""Whether $V_Q/\sqrt m$ outgrows the rest of the brackets for $V_Q = \Theta(T^{-a})$ and $m = \Theta(T^c)$,
    $0 \le c \le 1$, by their exponents in T."""
    rest = -(1 + c) / 2
    if rate != KNOWN:
        learning = min(-c / 2 + a - c, max(-(3 * c + 1) / 4, -c))
        rest = max(learning, -1 / 2)
    return bool(-a - c / 2 > rest)


def played(rate: int, x: Instance, T: int, m: int) -> tuple[float, float]:
    r"""The transfer excess, and $V_Q$."""
    r = known_risks.radius(x, T)
    V = known_risks.variance_root(x.world, r, m)
    v = V + T**-0.5 if rate == KNOWN else LearnedRate(rate, batch_epsilon(m, T), m**0.5)
    return known_risks.upper_excess(x, T, m, r, v), V


def _ratio(rate: int) -> Growth:
    def excess(x: Instance, T: int) -> float:
        m = rounds(x, T)
        found, V = played(rate, x, T, m)
        leading, rest = V / np.sqrt(m), beyond_leading(rate, T, m, V)
        if leads(rate, x.decay, x.power):
            return float((found - leading) / rest)
        return float(found / (leading + rest))

    return Growth(excess, 0.0, 1.0, SHORTEST, LONGEST)


def _itself(rate: int, longest: int = LONGEST, limit: int | None = FAR) -> Growth:
    return Growth(lambda x, T: played(rate, x, T, rounds(x, T))[0], -0.5, 1.0, SHORTEST, longest, limit=limit)


def _in_rounds(rate: int) -> Growth:
    if rate == KNOWN:
        return Growth(lambda x, m: played(rate, x, FEW, m)[0], -0.5, 0.0, SHORTEST, LONGEST, "m")
    return Growth(lambda x, m: played(rate, x, m * m, m)[0], -1.0, 1.0, 16, MOST_ROUNDS, "m")


# A game of /rate takes some 20 s at T = 10^7, one of /fixed most of a second at 2^15: these are not carried there.
GROWING = (
    claim("cor:statistical/known-variance/rate", **_whole(KNOWN))(_ratio(KNOWN)),
    claim("cor:statistical/known-variance/rate/still", **_still(KNOWN))(_itself(KNOWN)),
    claim("cor:statistical/known-variance/rate/fixed", **_fixed(KNOWN))(_itself(KNOWN, LONGEST // 2, None)),
    claim("cor:statistical/known-variance/rate/rounds", **_rounds(KNOWN))(_in_rounds(KNOWN)),
    claim("cor:statistical/learned-rate/rate", **_whole(MAIN_EWOO))(_ratio(MAIN_EWOO)),
    claim("cor:statistical/learned-rate/rate/still", **_still(MAIN_EWOO))(_itself(MAIN_EWOO)),
    claim("cor:statistical/learned-rate/rate/fixed", **_fixed(MAIN_EWOO))(_itself(MAIN_EWOO, LONGEST // 2, None)),
    claim("cor:statistical/learned-rate/rate/rounds", **_rounds(MAIN_EWOO))(_in_rounds(MAIN_EWOO)),
    claim("cor:batch/rate", **_whole(EPS_EWOO))(_ratio(EPS_EWOO)),
    claim("cor:batch/rate/still", **_still(EPS_EWOO))(_itself(EPS_EWOO)),
    claim("cor:batch/rate/fixed", **_fixed(EPS_EWOO))(_itself(EPS_EWOO, LONGEST // 2, None)),
    claim("cor:batch/rate/rounds", **_rounds(EPS_EWOO))(_in_rounds(EPS_EWOO)),
    claim("cor:scbatch/rate", **_whole(KNOWN))(_ratio(KNOWN)),
    claim("cor:scbatch/rate/still", **_still(KNOWN))(_itself(KNOWN)),
    claim("cor:scbatch/rate/fixed", **_fixed(KNOWN))(_itself(KNOWN, LONGEST // 2, None)),
    claim("cor:scbatch/rate/rounds", **_rounds(KNOWN))(_in_rounds(KNOWN)),
)
