r"""Appendix E: online-to-batch conversion of the task-averaged regret (thm:o2bexp), and section 5, part 1.

All worlds are listed (`transfer_games`): the transfer risk and every probability are finite sums, and
$\min_\theta E_{P\sim Q}\ell_P(\theta)$ stands for $\theta^\ast$, which is not random. $B\sqrt m$, called b here, is the
largest U that can happen; it takes part in the claims only as b, so that all is rational:
$B\sqrt{\frac8{mT}\log\frac1\delta} = \frac bm\sqrt{\frac8T\log\frac1\delta}$.

$TAR_T$ and $RUB_T$ are the smallest numbers that bound the average regret and the average U on every sequence; under
`/realised` they are those of the training sequence itself, which claims more. What is proved is more yet: U lies in
[0, b] and a regret in [-m, m], so that by Azuma's inequality 1/2 may stand for the 8 of RUB and 2 for that of TAR.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arubatheory.arithmetic import Array
from arubatheory.papers.aruba.games.samples import Tail, tail_sides
from arubatheory.papers.aruba.games.transfer import (
    FREE,
    OGD,
    STAY,
    TABLE,
    TRANSFER,
    Listing,
    Plays,
    expected,
    least_risk,
    listing,
    over_tasks,
    plays_from_average,
    range_of,
    transfer_game,
)
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Instance, Sides, Statement

Claim = Callable[[Instance], tuple[Sides, ...]]
Reading = Callable[[Listing, Array], Array]


def worst(p: Listing, average: Array) -> Array:
    """The smallest bound of an average over tasks that holds on every training sequence, for each of them."""
    return 0 * average + max(a for q, a in zip(p.training.prob, average, strict=True) if q > 0)


def realised(p: Listing, average: Array) -> Array:
    """The average itself."""
    return average


def excess_of_random_state(x: Instance, p: Listing) -> Array:
    r"""$m$ times $E_tE_PE_{P^m}\ell_P(\bar\theta) - \min_\theta E_P\ell_P(\theta)$ from $s_t$, of each training
    sequence."""
    return x.m * (over_tasks(p.training, expected(p.outcomes, p.plays.risk)) - least_risk(x))


def excess_of_average_state(x: Instance, p: Listing) -> Array:
    r"""The same from $\bar s$."""
    fresh = plays_from_average(x, p)
    return x.m * (expected(p.outcomes, fresh.risk) - least_risk(x))


def _likely(x: Instance, p: Listing, gap: Array, square: Any, size: Any) -> tuple[Sides, ...]:
    r"""$gap \le \sqrt{\frac{square}{2T}\log\frac1\delta}$ w.p. $1-\delta$; `size`: what gap is added from."""
    return tail_sides(Tail(gap, (0 * gap + square) / (2 * x.T), 0, 0, size), p.training.prob)


# the theorem ---------------------------------------------------------------------------------------------------------
def _tar(halves: int, reading: Reading) -> Claim:
    r"""m times the bound deviates by $m\sqrt{\frac8T\log\frac1\delta}$."""

    def sides(x: Instance) -> tuple[Sides, ...]:
        p = listing(x)
        gap = excess_of_random_state(x, p) - reading(p, p.training.regret)
        return _likely(x, p, gap, halves * x.m * x.m, 4 * x.m)

    return sides


def _rub(halves: int, reading: Reading) -> Claim:
    r"""m times the bound deviates by $b\sqrt{\frac8T\log\frac1\delta}$."""

    def sides(x: Instance) -> tuple[Sides, ...]:
        p = listing(x)
        b, gap = range_of(p), excess_of_average_state(x, p) - reading(p, p.training.upper)
        return _likely(x, p, gap, halves * b * b, 2 * (x.m + b))

    return sides


# its proof -----------------------------------------------------------------------------------------------------------
def _upper_deviates(halves: int) -> Claim:
    r"""$\frac1T\sum_tEU(s_t) - \frac1T\sum_tU_t(s_t)$."""

    def sides(x: Instance) -> tuple[Sides, ...]:
        p = listing(x)
        b, mean = range_of(p), over_tasks(p.training, expected(p.outcomes, p.plays.upper))
        return _likely(x, p, mean - p.training.upper, halves * b * b, 2 * b)

    return sides


def _regret_deviates(x: Instance) -> tuple[Sides, ...]:
    r"""The same of the regrets with 1 for B, so that $\sqrt m$ is in the place of m."""
    p = listing(x)
    mean = over_tasks(p.training, expected(p.outcomes, p.plays.regret))
    return _likely(x, p, mean - p.training.regret, 16 * x.m, 2 * x.m)


def _each(lhs: Array, rhs: Array, size: Any) -> tuple[Sides, ...]:
    return tuple(Sides(low, high, abs(low) + abs(high) + size) for low, high in zip(lhs, rhs, strict=True))


def _from_any_state(bound: Callable[[Plays], Array]) -> Claim:
    r"""$m(E_PE_{P^m}\ell_P(\bar\theta) - \min_\theta E_P\ell_P(\theta)) \le EU(s)$ for every state of the game."""

    def sides(x: Instance) -> tuple[Sides, ...]:
        p = listing(x)
        excess = x.m * (expected(p.outcomes, p.plays.risk) - least_risk(x))
        return _each(excess, expected(p.outcomes, bound(p.plays)), 2 * x.m)

    return sides


def _jensen(x: Instance) -> tuple[Sides, ...]:
    p = listing(x)
    fresh = plays_from_average(x, p)
    mean = over_tasks(p.training, expected(p.outcomes, p.plays.upper))
    return _each(expected(p.outcomes, fresh.upper), mean, 2 * x.m)


def _rescaled(x: Instance) -> tuple[Sides, ...]:
    r"""$EU(s)/m = \frac{2b}m E(\frac{U(s)}{2b} + \frac m{2b}) - 1$ for every state of the game."""
    p, m = listing(x), x.m
    b, mean = range_of(p), expected(p.outcomes, p.plays.upper)
    through = 2 * b / m * (mean / (2 * b) + m / (2 * b)) - 1
    return (*_each(mean / m, through, 2), *_each(through, mean / m, 2))


def _in_unit(shift: Callable[[Instance, Any], Any]) -> Claim:
    r"""$0 \le \frac{U(s)}{2b} + shift \le 1$ for every state of the game and every outcome."""

    def sides(x: Instance) -> tuple[Sides, ...]:
        p = listing(x)
        b = range_of(p)
        losses = (p.plays.upper / (2 * b) + shift(x, b))[:, p.outcomes.chance > 0].ravel()
        return (*_each(losses, 0 * losses + 1, 0), *_each(0 * losses, losses, 0))

    return sides


def _printed_shift(x: Instance, b: Any) -> Any:
    return x.m / (2 * b)


def _half(x: Instance, b: Any) -> Any:
    return b / (2 * b)


def _with_slack(draw: Draw) -> Instance:
    """B > 0, by a slack that is not 0."""
    x = transfer_game(draw)
    x.slack = draw.positive(-8, 8)
    return x


# statements ----------------------------------------------------------------------------------------------------------
def _any_method(draw: Draw) -> Instance:
    return transfer_game(draw, (STAY, OGD, TABLE, FREE))


WHP = r"\qquad\text{w.p. }1-\delta"
RISK = r"\E_{\mathcal P\sim\Q}\E_{\mathcal P^m}\E_{\ell\sim\mathcal P}\ell(\bar\theta)"
STAR = r"\E_{\mathcal P\sim\Q}\E_{\ell\sim\mathcal P}\ell(\theta^\ast)"
FRESH = r"\E_{\mathcal P\sim\Q}\E_{\mathcal P^m}"
SMALLEST = r" is the smallest bound that holds on every training sequence."
REALISED = r" is the average on the training sequence itself: this claims more than is printed."
AZUMA = r"Not in the paper: what Azuma's inequality gives for variables in "


def _root(rate: str, B: str = "B") -> str:
    return rf"{B}\sqrt{{\frac{rate}\log\frac1\delta}}"


def _tar_claim(reading: str, rate: str, halves: int, read: Reading, note: str, **more: Any) -> Statement:
    return Statement(
        label="thm:o2bexp/tar" + reading, kind="theorem", number="E.1", part_of="thm:o2bexp",
        title="Transfer from the state of a random task",
        latex=rf"\E_{{t\sim\mathcal U[T]}}{RISK}\le{STAR}+\frac{{\TAR_T}}m+{_root(rate, '')}{WHP}",
        instance=_any_method, sides=_tar(halves, read), assumptions=TRANSFER, note=note,
        uses=("prp:o2bexp", "prp:o2b/upper", "def:regret"), **more,
    )  # fmt: skip


def _rub_claim(label: str, kind: str, number: str, rate: str, halves: int, read: Reading, note: str) -> Statement:
    return Statement(
        label=label, kind=kind, number=number, part_of=label.partition("/")[0],
        title="Transfer from the average state",
        latex=rf"{RISK}\le{STAR}+\frac{{\RUB_T}}m+{_root(rate)}{WHP}", instance=transfer_game,
        sides=_rub(halves, read), assumptions=TRANSFER, note=note,
        uses=("prp:o2bexp", "prp:o2b/upper", "def:regret", "def:convex"),
    )  # fmt: skip


def _step(n: str, latex: str, sides: Claim, game: Any, title: str, note: str = "", **more: Any) -> Statement:
    return Statement(
        label=f"thm:o2bexp/proof-{n}", kind="proof step", number="E.1", step_of="thm:o2bexp", title=title, latex=latex,
        instance=game, sides=sides, assumptions=TRANSFER, note=note, **more,
    )  # fmt: skip


RESCALED = rf"\frac{{2B}}{{\sqrt m}}{FRESH}\left(\frac{{\U_m(s)}}{{2B\sqrt m}}+\frac{{\sqrt m}}{{2B}}\right)-1"
MEAN = r"\frac1T\sum_{t=1}^T" + FRESH
DEVIATION = rf"{MEAN}\frac{{\U_m(s_t)}}m\le\frac{{\RUB_T}}m+"
STATEMENTS = (
    _tar_claim("", "8T", 16, worst, r"$\TAR_T$" + SMALLEST, corrects=("thm:o2bexp/proof-7",)),
    _tar_claim("/realised", "8T", 16, realised, r"$\TAR_T$" + REALISED),
    _tar_claim("/sharper", "2T", 4, realised, AZUMA + r"$[-m,m]$. $\TAR_T$" + REALISED),
    _rub_claim("thm:o2bexp/rub", "theorem", "E.1", "8{mT}", 16, worst, r"$\RUB_T$" + SMALLEST),
    _rub_claim("thm:o2bexp/rub/realised", "theorem", "E.1", "8{mT}", 16, realised, r"$\RUB_T$" + REALISED),
    _rub_claim("thm:o2bexp/constant-2", "theorem", "E.1", "2{mT}", 4, worst, r"$\RUB_T$" + SMALLEST),
    _rub_claim("thm:o2bexp/constant-2/realised", "theorem", "E.1", "2{mT}", 4, realised, r"$\RUB_T$" + REALISED),
    _rub_claim("thm:o2bexp/constant-2/sharper", "theorem", "E.1", "1{2mT}", 1, realised,
               AZUMA + r"$[0,B\sqrt m]$. No smaller constant serves every $T$: a binomial number of costly tasks alone "
               r"needs 0.407 at $T=1$, 0.457 at $T=128$, and tends to $\frac12$. $\RUB_T$" + REALISED),
    _rub_claim("thm:statistical/1", "theorem", "5.1", "8{mT}", 16, worst, r"$\RUB$" + SMALLEST),
    _rub_claim("thm:statistical/1/realised", "theorem", "5.1", "8{mT}", 16, realised, r"$\RUB$" + REALISED),
    _step("1", rf"{RISK}\le{STAR}+{FRESH}\frac{{\U_m(s)}}m", _from_any_state(lambda plays: plays.upper), transfer_game,
          "Line 1 of the proof", r"From any state $s$.", uses=("prp:o2bexp",)),
    _step("2", rf"{FRESH}\U_m(\bar s)\le{MEAN}\U_m(s_t)", _jensen, transfer_game, "Line 2 of the proof: Jensen",
          uses=("def:convex",)),
    _step("3", rf"{FRESH}\frac{{\U_m(s)}}m={RESCALED}", _rescaled, transfer_game, "Line 3 of the proof: rescaling",
          r"From any state $s$. At $B=0$ it divides by 0."),
    _step("3/corrected", rf"{FRESH}\frac{{\U_m(s)}}m={RESCALED}", _rescaled, _with_slack,
          "Line 3 of the proof, for B > 0", r"From any state $s$. For $B=0$ lines 1 and 2 are enough.",
          corrects=("thm:o2bexp/proof-3",)),
    _step("4", r"0\le\frac{\U_m(s)}{2B\sqrt m}+\frac{\sqrt m}{2B}\le1", _in_unit(_printed_shift), _with_slack,
          "What line 3 hands to prp:o2b is a loss in [0, 1]", r"False unless $B\ge\sqrt m$.", uses=("prp:o2b/upper",)),
    _step("4/corrected", r"0\le\frac{\U_m(s)}{2B\sqrt m}+\frac12\le1", _in_unit(_half), _with_slack,
          "The same with the shift 1/2", r"Any shift is taken back by the $-1$, then $-\frac12$, of line 3.",
          corrects=("thm:o2bexp/proof-4",), uses=("prp:o2b/upper",)),
    _step("5", DEVIATION + _root("8{mT}") + WHP, _upper_deviates(16), transfer_game, "Line 4 of the proof",
          r"$\RUB_T$" + REALISED, uses=("prp:o2b/upper",)),
    _step("6", rf"{RISK}\le{STAR}+{FRESH}\frac{{\R_m(s)}}m", _from_any_state(lambda plays: plays.regret), _any_method,
          "Line 1 of the proof for the regret", r"From any state $s$.", uses=("prp:o2bexp",)),
    _step("7", rf"{MEAN}\frac{{\R_m(s_t)}}m\le\frac{{\TAR_T}}m+{_root('8{mT}', '')}{WHP}", _regret_deviates,
          _any_method, "Line 4 of the proof for the regret, with 1 for B",
          r"$\TAR_T$ is the average on the training sequence itself. A regret is $m$-bounded and not "
          r"$\sqrt m$-bounded: it takes $\sqrt m$ for $B$, as the theorem has it.", uses=("prp:o2b/upper",)),
    Statement(
        label="text:eight-by-two", kind="claim in text", title="8 may be replaced by 2",
        latex=DEVIATION + _root("2{mT}") + WHP, instance=transfer_game, sides=_upper_deviates(4), assumptions=TRANSFER,
        uses=("prp:o2b/upper",), note=r"As regret upper bounds are nonnegative; thm:o2bexp/constant-2 is the theorem "
        r"with it. $\RUB_T$" + REALISED,
    ),
)  # fmt: skip
