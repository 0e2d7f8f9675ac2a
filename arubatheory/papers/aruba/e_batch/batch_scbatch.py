r"""Section 5 and appendix E: the corollaries with rates in T and m, cor:statistical, cor:batch and cor:scbatch.

Their exponents are measured here; with constants they are in `transfer_bounds`, their proofs in `transfer_proofs`. What
grows is the transfer excess risk, an upper quantile over training runs, in the worlds of `rate_worlds`:

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
from typing import Any, NamedTuple

import numpy as np

from arubatheory.papers.aruba.e_batch.batch_bounds import LEARNING, LISTED, batch_epsilon
from arubatheory.papers.aruba.e_batch.batch_proofs import PROOFS
from arubatheory.papers.aruba.games.known_risks import (
    COINS,
    KINKS,
    WORLD,
    equal_tasks,
    radius,
    rounds,
    upper_excess,
    variance_root,
    world,
)
from arubatheory.papers.aruba.games.rates import EPS_EWOO, MAIN_EWOO, Sim
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Instance, Statement
from arubatheory.statements.growth import Growth, growth_sides

HALVES = (0, 1, 2)  # of c
DECAYS = (0, 1, 2, 3, 4)  # of a, in quarters
SHORTEST, LONGEST = 64, 1 << 12
MOST_ROUNDS = 256  # where T = m^2
FEW = 64  # tasks, of the growth in m at a known rate
Excess = Callable[[Instance, int], float]


class Claim(NamedTuple):
    r"""An item and how its $v_t$ are learned (None: $V_Q + 1/\sqrt T$ is known)."""

    slug: str
    number: str
    sim: int | None
    explicit: str


CLAIMS = (
    Claim("cor:statistical/known-variance", "5.1", None, "cor:scbatch/explicit"),
    Claim("cor:statistical/learned-rate", "5.1", MAIN_EWOO, "cor:epsewoo/explicit/corrected"),
    Claim("cor:batch", "E.1", EPS_EWOO, "cor:epsewoo/explicit/corrected"),
    Claim("cor:scbatch", "E.2", None, "cor:scbatch/explicit"),
)


# what is claimed ---------------------------------------------------------------------------------------------------
def beyond_leading(claim: Claim, T: float, m: float, V: float) -> float:
    r"""What stands in the brackets beside $V_Q/\sqrt m$, without $\delta$ and logarithms."""
    if claim.sim is None:
        return float(1 / np.sqrt(m * T) + 1 / T)
    with np.errstate(divide="ignore"):
        inverse = 1 / np.float64(V)
    learning = min((1 / np.sqrt(m) + 1 / np.sqrt(T)) * inverse / m, (m**3 * T) ** -0.25 + 1 / m)
    return float(learning + 1 / np.sqrt(T))


def leads(claim: Claim, a: float, c: float) -> bool:
    r"""Whether $V_Q/\sqrt m$ outgrows the rest of the brackets for $V_Q = \Theta(T^{-a})$ and $m = \Theta(T^c)$,
    $0 \le c \le 1$, by their exponents in T."""
    rest = -(1 + c) / 2
    if claim.sim is not None:
        learning = min(-c / 2 + a - c, max(-(3 * c + 1) / 4, -c))
        rest = max(learning, -1 / 2)
    return bool(-a - c / 2 > rest)


def played(claim: Claim, x: Instance, T: int, m: int) -> tuple[float, float]:
    r"""The transfer excess, and $V_Q$."""
    r = radius(x, T)
    V = variance_root(x.world, r, m)
    v = V + T**-0.5 if claim.sim is None else Sim(claim.sim, batch_epsilon(m, T), m**0.5)
    return upper_excess(x, T, m, r, v), V


def _ratio(claim: Claim) -> Excess:
    def excess(x: Instance, T: int) -> float:
        m = rounds(x, T)
        found, V = played(claim, x, T, m)
        leading, rest = V / np.sqrt(m), beyond_leading(claim, T, m, V)
        if leads(claim, x.decay, x.power):
            return float((found - leading) / rest)
        return float(found / (leading + rest))

    return excess


def _itself(claim: Claim) -> Excess:
    return lambda x, T: played(claim, x, T, rounds(x, T))[0]


def _in_rounds(claim: Claim) -> Excess:
    return lambda x, m: played(claim, x, FEW if claim.sim is None else m * m, m)[0]


# statements --------------------------------------------------------------------------------------------------------
EXCESS = r"\E_{\mathcal P\sim\Q}\E_{\mathcal P^m}\ell_{\mathcal P}(\bar\theta)-\E_{\mathcal P\sim\Q}\ell_{\mathcal P}"
EXCESS += r"(\theta^\ast)"
ORDER = r"=\tilde{\mathcal O}\left("
BRACKETS = {
    True: r"\frac{V_\Q}{\sqrt m}+\frac1{\sqrt{mT}}+\frac1T",
    False: r"\frac{V_\Q}{\sqrt m}+" + LEARNING + r"+\frac1{\sqrt T}",
}
SETTING = {
    None: r"$\eta=(V_\Q+1/\sqrt T)/(G\sqrt m)$ with $T$ and $V_\Q$ known. ",
    EPS_EWOO: r"$\varepsilon$-EWOO as in the appendix, from $\varepsilon$. ",
    MAIN_EWOO: r"$\varepsilon$-EWOO as eq:ewoo prints it, from 0. ",
}
WORLDS = r"$\Theta=[0,1]$, kinks or coins, the largest of eight training runs: $\delta$ is about $\frac19$. "


def _statement(claim: Claim, part: str, title: str, right: str, instance: Any, growth: Growth, note: str) -> Statement:
    return Statement(
        label=f"{claim.slug}/rate{part}", kind="corollary", number=claim.number, title=title,
        latex=EXCESS + ORDER + right, instance=instance, sides=growth_sides(growth), growth=growth, engines=("rate",),
        assumptions=WORLD, part_of=claim.slug.partition("/")[0],
        uses=("alg:general", "thm:statistical", claim.explicit), note=SETTING[claim.sim] + WORLDS + note,
    )  # fmt: skip


def _still_or_not(draw: Draw) -> Instance:
    if draw.integer(0, 4) == 4:
        return equal_tasks(draw, HALVES)
    return world(draw, (KINKS, COINS), DECAYS, HALVES)


def _whole(claim: Claim) -> Statement:
    where = r"$a<\frac12$" if claim.sim is None else r"$a=0$ at $m=\sqrt T$"
    return _statement(
        claim, "", "The transfer excess, relative to what is claimed", BRACKETS[claim.sim is None] + r"\right)",
        _still_or_not, Growth(_ratio(claim), 0.0, 1.0, SHORTEST, LONGEST),
        r"The exponent, claimed to be 0, is that of the left side over the brackets. $T=64,\dots,2^{12}$, "
        r"$m=8,\sqrt T,T$ and $V_\Q=0$ or $\Theta(T^{-a})$, $a=0,\frac14,\frac12,\frac34,1$. Where $V_\Q/\sqrt m$ "
        rf"outgrows the rest, for {where}, it is subtracted on both sides, with 1 for its constant"
        + ("; there nothing exceeds it." if claim.sim is None else "."),
    )  # fmt: skip


def _still(claim: Claim) -> Statement:
    halves, where = ((0,), "m=8") if claim.sim is None else ((1, 2), r"m=\sqrt T,T")
    return _statement(
        claim, "/still", "The excess where all tasks are equal", r"\frac1{\sqrt T}\right)\quad\text{for}\quad V_\Q=0,\ "
        + where, lambda draw: equal_tasks(draw, halves), Growth(_itself(claim), -0.5, 1.0, SHORTEST, LONGEST), "",
    )  # fmt: skip


def _fixed(claim: Claim) -> Statement:
    return _statement(
        claim, "/fixed", r"The excess where $V_\Q$ stays", r"\frac1{\sqrt T}\right)\quad\text{for}\quad "
        r"V_\Q=\Omega_T(1),\ m=T", lambda draw: world(draw, (KINKS, COINS), (0,), (2,)),
        Growth(_itself(claim), -0.5, 1.0, SHORTEST, LONGEST // 2), "",
    )  # fmt: skip


def _rounds(claim: Claim) -> Statement:
    if claim.sim is None:
        right, growth = (
            rf"\frac1{{\sqrt m}}\right)\quad\text{{for}}\quad V_\Q=0,\ T={FEW}",
            Growth(_in_rounds(claim), -0.5, 0.0, SHORTEST, LONGEST, "m"),
        )
        note = r"This claims more than the brackets, which keep their $1/T$: see cor:scbatch/explicit."
    else:
        right, note = r"\frac1m\right)\quad\text{for}\quad V_\Q=0,\ T=m^2", ""
        growth = Growth(_in_rounds(claim), -1.0, 1.0, 16, MOST_ROUNDS, "m")
    return _statement(
        claim, "/rounds", "Growth with the number m of rounds within a task", right,
        lambda draw: equal_tasks(draw, (0,)), growth, note,
    )  # fmt: skip


GROWING = tuple(part(c) for c in CLAIMS for part in (_whole, _still, _fixed, _rounds))
STATEMENTS: tuple[Statement, ...] = (*LISTED, *PROOFS, *GROWING)
