r"""Appendix E: online-to-batch conversion of the task-averaged regret (thm:o2bexp), and section 5, part 1.

All worlds are listed (`transfer`): the transfer risk and every probability are finite sums, and
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
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import transfer
from arubatheory.papers.aruba.games.samples import Tail, tail_sides
from arubatheory.papers.aruba.games.transfer import Listing, expected, listing, over_tasks, transfer_game
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Instance, Several, Sides

Reading = Callable[[Listing, Array], Array]


def worst(p: Listing, average: Array) -> Array:
    """The smallest bound of an average over tasks that holds on every training sequence, for each of them."""
    return 0 * average + max(average[p.training.prob > 0])


def realised(p: Listing, average: Array) -> Array:
    """The average itself."""
    return average


def from_random_state(x: Instance, halves: int, reading: Reading) -> Several:
    r"""m times the transfer risk from $s_t$ deviates by $m\sqrt{\frac{halves}{2T}\log\frac1\delta}$."""
    p = listing(x)
    risk = over_tasks(p.training, expected(p.outcomes, p.plays.risk))
    gap = x.m * (risk - transfer.least_risk(x)) - reading(p, p.training.regret)
    return deviates(x, p, gap, halves * x.m * x.m, 4 * x.m)


def from_average_state(x: Instance, halves: int, reading: Reading) -> Several:
    r"""m times the transfer risk from $\bar s$ deviates by $b\sqrt{\frac{halves}{2T}\log\frac1\delta}$."""
    p = listing(x)
    b, risk = transfer.range_of(p), expected(p.outcomes, transfer.plays_from_average(x, p).risk)
    gap = x.m * (risk - transfer.least_risk(x)) - reading(p, p.training.upper)
    return deviates(x, p, gap, halves * b * b, 2 * (x.m + b))


def deviates(x: Instance, p: Listing, gap: Array, square: Any, most: Any) -> Several:
    r"""$gap \le \sqrt{\frac{square}{2T}\log\frac1\delta}$ w.p. $1-\delta$."""
    return tail_sides(Tail(gap, (0 * gap + square) / (2 * x.T), most=most), p.training.prob)


# thm:o2bexp --------------------------------------------------------------------------------------------------------
WHP = r"\qquad\text{w.p. }1-\delta"
MEAN = r"\E_{\mathcal P\sim\Q}"
RISK = r"\E_{\ell\sim\mathcal P}\ell"
FRESH = MEAN + r"\E_{\mathcal P^m}"
TRANSFER = rf"{FRESH}{RISK}(\bar\theta)\le{MEAN}{RISK}(\theta^\ast)+"
TAR = rf"\E_{{t\sim\mathcal U[T]}}{TRANSFER}\frac{{\TAR_T}}m+\sqrt{{\frac8T\log\frac1\delta}}{WHP}"
BY_RUB = r"\frac{\RUB_T}m+B\sqrt{\frac%s\log\frac1\delta}" + WHP
RUB, RUB_WITH_TWO = TRANSFER + BY_RUB % "8{mT}", TRANSFER + BY_RUB % "2{mT}"
AVERAGE = r"\frac1T\sum_{t=1}^T" + FRESH
OF_REGRET = ("prp:o2bexp", "prp:o2b/upper", "def:regret")
OF_STATE: dict[str, Any] = {"game": transfer_game, "given": transfer.TRANSFER, "uses": (*OF_REGRET, "def:convex")}
ANY_METHOD = OF_STATE | {"game": lambda draw: transfer_game(draw, transfer.METHODS), "uses": OF_REGRET}
OF_TASKS = OF_STATE | {"uses": ("prp:o2b/upper",)}


@claim("thm:o2bexp/tar", TAR, corrects=("thm:o2bexp/proof-7",), **ANY_METHOD)
def random_state(x: Instance) -> Several:
    r"""Transfer from the state of a random task.

    $\TAR_T$ is the smallest bound that holds on every training sequence."""
    return from_random_state(x, 16, worst)


@claim("thm:o2bexp/tar/realised", TAR, **ANY_METHOD)
def random_state_realised(x: Instance) -> Several:
    r"""Transfer from the state of a random task.

    $\TAR_T$ is the average on the training sequence itself: this claims more than is printed."""
    return from_random_state(x, 16, realised)


@claim("thm:o2bexp/tar/sharper", TAR.replace(r"\frac8T", r"\frac2T"), **ANY_METHOD)
def random_state_sharper(x: Instance) -> Several:
    r"""Transfer from the state of a random task.

    Not in the paper: what Azuma's inequality gives for variables in $[-m,m]$. $\TAR_T$ is the average on the training
    sequence itself: this claims more than is printed."""
    return from_random_state(x, 4, realised)


@claim("thm:o2bexp/rub", RUB, **OF_STATE)
def average_state(x: Instance) -> Several:
    r"""Transfer from the average state.

    $\RUB_T$ is the smallest bound that holds on every training sequence."""
    return from_average_state(x, 16, worst)


@claim("thm:o2bexp/rub/realised", RUB, **OF_STATE)
def average_state_realised(x: Instance) -> Several:
    r"""Transfer from the average state.

    $\RUB_T$ is the average on the training sequence itself: this claims more than is printed."""
    return from_average_state(x, 16, realised)


@claim("thm:o2bexp/constant-2", RUB_WITH_TWO, **OF_STATE)
def with_two(x: Instance) -> Several:
    r"""Transfer from the average state.

    $\RUB_T$ is the smallest bound that holds on every training sequence."""
    return from_average_state(x, 4, worst)


@claim("thm:o2bexp/constant-2/realised", RUB_WITH_TWO, **OF_STATE)
def with_two_realised(x: Instance) -> Several:
    r"""Transfer from the average state.

    $\RUB_T$ is the average on the training sequence itself: this claims more than is printed."""
    return from_average_state(x, 4, realised)


@claim("thm:o2bexp/constant-2/sharper", TRANSFER + BY_RUB % "1{2mT}", **OF_STATE)
def with_half(x: Instance) -> Several:
    r"""Transfer from the average state.

    Not in the paper: what Azuma's inequality gives for variables in $[0,B\sqrt m]$. No smaller constant serves every
    $T$: a binomial number of costly tasks alone needs 0.407 at $T=1$, 0.457 at $T=128$, and tends to $\frac12$.
    $\RUB_T$ is the average on the training sequence itself: this claims more than is printed."""
    return from_average_state(x, 1, realised)


@claim("thm:statistical/1", RUB, **OF_STATE)
def part_one(x: Instance) -> Several:
    r"""Transfer from the average state.

    $\RUB$ is the smallest bound that holds on every training sequence."""
    return from_average_state(x, 16, worst)


@claim("thm:statistical/1/realised", RUB, **OF_STATE)
def part_one_realised(x: Instance) -> Several:
    r"""Transfer from the average state.

    $\RUB$ is the average on the training sequence itself: this claims more than is printed."""
    return from_average_state(x, 16, realised)


# its proof ---------------------------------------------------------------------------------------------------------
def each(lhs: Array, rhs: Array) -> tuple[Sides, ...]:
    """One inequality for each place."""
    return tuple(map(Sides, lhs, rhs))


def from_any_state(x: Instance, p: Listing, bound: Array) -> tuple[Sides, ...]:
    r"""$m(E_PE_{P^m}\ell_P(\bar\theta) - \min_\theta E_P\ell_P(\theta))$ of every state of the game against the
    expectation of what bounds the regret."""
    excess = x.m * (expected(p.outcomes, p.plays.risk) - transfer.least_risk(x))
    return each(excess, expected(p.outcomes, bound))


@claim("thm:o2bexp/proof-1", TRANSFER + FRESH + r"\frac{\U_m(s)}m", **OF_STATE | {"uses": ("prp:o2bexp",)})
def line_one(x: Instance) -> tuple[Sides, ...]:
    r"""Line 1 of the proof.

    From any state $s$."""
    p = listing(x)
    return from_any_state(x, p, p.plays.upper)


@claim("thm:o2bexp/proof-2", rf"{FRESH}\U_m(\bar s)\le{AVERAGE}\U_m(s_t)", **OF_STATE | {"uses": ("def:convex",)})
def line_two(x: Instance) -> tuple[Sides, ...]:
    """Line 2 of the proof: Jensen."""
    p = listing(x)
    fresh = expected(p.outcomes, transfer.plays_from_average(x, p).upper)
    return each(fresh, over_tasks(p.training, expected(p.outcomes, p.plays.upper)))


RESCALED = (
    rf"{FRESH}\frac{{\U_m(s)}}m=\frac{{2B}}{{\sqrt m}}{FRESH}"
    r"\left(\frac{\U_m(s)}{2B\sqrt m}+\frac{\sqrt m}{2B}\right)-1"
)


def rescaled(x: Instance) -> tuple[Sides, ...]:
    """An identity, for every state of the game."""
    p, m = listing(x), x.m
    b, mean = transfer.range_of(p), expected(p.outcomes, p.plays.upper)
    through = 2 * b / m * (mean / (2 * b) + m / (2 * b)) - 1
    return (*each(mean / m, through), *each(through, mean / m))


@claim("thm:o2bexp/proof-3", RESCALED, transfer_game, transfer.TRANSFER)
def line_three(x: Instance) -> tuple[Sides, ...]:
    r"""Line 3 of the proof: rescaling.

    From any state $s$. At $B=0$ it divides by 0."""
    return rescaled(x)


def with_slack(draw: Draw) -> Instance:
    """B > 0, by a slack that is not 0."""
    x = transfer_game(draw)
    x.slack = draw.positive(-8, 8)
    return x


@claim("thm:o2bexp/proof-3/corrected", RESCALED, with_slack, transfer.TRANSFER)
def line_three_corrected(x: Instance) -> tuple[Sides, ...]:
    r"""Line 3 of the proof, for B > 0.

    From any state $s$. For $B=0$ lines 1 and 2 are enough."""
    return rescaled(x)


def in_unit(x: Instance, p: Listing, shift: Any) -> tuple[Sides, ...]:
    r"""$0 \le \frac{U(s)}{2b} + shift \le 1$ for every state of the game and every outcome."""
    losses = (p.plays.upper / (2 * transfer.range_of(p)) + shift)[:, p.outcomes.chance > 0].ravel()
    return (*each(losses, 0 * losses + 1), *each(0 * losses, losses))


HANDED = r"0\le\frac{\U_m(s)}{2B\sqrt m}+%s\le1"
WITH_SLACK = OF_TASKS | {"game": with_slack}


@claim("thm:o2bexp/proof-4", HANDED % r"\frac{\sqrt m}{2B}", **WITH_SLACK)
def handed_on(x: Instance) -> tuple[Sides, ...]:
    r"""What line 3 hands to prp:o2b is a loss in [0, 1].

    False unless $B\ge\sqrt m$."""
    p = listing(x)
    return in_unit(x, p, x.m / (2 * transfer.range_of(p)))


@claim("thm:o2bexp/proof-4/corrected", HANDED % r"\frac12", **WITH_SLACK)
def handed_on_corrected(x: Instance) -> tuple[Sides, ...]:
    r"""The same with the shift 1/2.

    Any shift is taken back by the $-1$, then $-\frac12$, of line 3."""
    return in_unit(x, listing(x), (0 * x.slack + 1) / 2)


def upper_deviates(x: Instance, halves: int) -> Several:
    r"""$\frac1T\sum_tEU(s_t) - \frac1T\sum_tU_t(s_t)$."""
    p = listing(x)
    b, mean = transfer.range_of(p), over_tasks(p.training, expected(p.outcomes, p.plays.upper))
    return deviates(x, p, mean - p.training.upper, halves * b * b, 2 * b)


DEVIATION = AVERAGE + r"\frac{\U_m(s_t)}m\le" + BY_RUB


@claim("thm:o2bexp/proof-5", DEVIATION % "8{mT}", **OF_TASKS)
def line_four(x: Instance) -> Several:
    r"""Line 4 of the proof.

    $\RUB_T$ is the average on the training sequence itself: this claims more than is printed."""
    return upper_deviates(x, 16)


@claim("thm:o2bexp/proof-6", TRANSFER + FRESH + r"\frac{\R_m(s)}m", **ANY_METHOD | {"uses": ("prp:o2bexp",)})
def line_one_of_regret(x: Instance) -> tuple[Sides, ...]:
    r"""Line 1 of the proof for the regret.

    From any state $s$."""
    p = listing(x)
    return from_any_state(x, p, p.plays.regret)


OF_TAR = AVERAGE + r"\frac{\R_m(s_t)}m\le\frac{\TAR_T}m+\sqrt{\frac8{mT}\log\frac1\delta}" + WHP


@claim("thm:o2bexp/proof-7", OF_TAR, **ANY_METHOD | {"uses": ("prp:o2b/upper",)})
def line_four_of_regret(x: Instance) -> Several:
    r"""Line 4 of the proof for the regret, with 1 for B.

    $\TAR_T$ is the average on the training sequence itself. A regret is $m$-bounded and not $\sqrt m$-bounded: it takes
    $\sqrt m$ for $B$, as the theorem has it."""
    p = listing(x)
    mean = over_tasks(p.training, expected(p.outcomes, p.plays.regret))
    return deviates(x, p, mean - p.training.regret, 16 * x.m, 2 * x.m)


@claim("text:eight-by-two", DEVIATION % "2{mT}", **OF_TASKS)
def eight_by_two(x: Instance) -> Several:
    r"""8 may be replaced by 2.

    As regret upper bounds are nonnegative; thm:o2bexp/constant-2 is the theorem with it. $\RUB_T$ is the average on the
    training sequence itself: this claims more than is printed."""
    return upper_deviates(x, 4)
