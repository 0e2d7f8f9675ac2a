r"""Appendix A: online-to-batch conversion (prp:o2bexp to thm:o2bsc; self-bounding losses are in `selfbounding`).

Every expectation and every violation probability is a finite sum over the sequences of losses (`samples`), so
that "with probability $1-\delta$" is an inequality of two numbers for every $\delta$ (`tail_sides`). $R_T$ is the
smallest number that bounds the learner's regret $\sum\ell_t(\theta_t) - \min_\theta\sum\ell_t(\theta)$ on every
sequence, under `/expected-regret` what its name says; under `/realised` it is the regret of the sequence itself against
$\theta^\ast$ alone, which claims more.
prp:o2b and the random iterate of cor:o2bwhp do not ask for convex losses: there the losses have any values in [0, 1]
at every node of the learner's tree.

A learner may stop as soon as it is past a bound (`stopping`). It gains by that only where the deviation shrinks
with what was paid (`selfbounding`). Azuma's has no such part, and whatever the learner does it holds at time T;
thm:o2bsc has the regret under its root, and pays for a union over the sizes of it with $\log(4\log T)$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import samples, stopping
from arubatheory.papers.aruba.games.samples import GAME, Listed, Tail, listed, risk, sampled_game, tail_sides
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Several, Sides, equality

RISK = r"\E_{\ell\sim\mathcal D}\ell"
WHP = r"\qquad\text{w.p. }1-\delta"
EXPECTED = rf"\E_{{\mathcal D^T}}{RISK}(\bar\theta)\le{RISK}(\theta^\ast)+\frac{{\R_T}}T"
PAID = r"\E_{\mathcal D^T}\sum_{t=1}^T\ell_t(\theta_t)"
RISKS = rf"\E_{{\mathcal D^T}}\sum_{{t=1}}^T{RISK}(\theta_t)"
SAMPLED: dict[str, Any] = {"game": sampled_game, "given": GAME}
FREE = SAMPLED | {"uses": ("def:regret", "def:convex")}


def excess(x: Instance, p: Listed) -> Array:
    r"""$T(E\ell(\bar\theta) - E\ell(\theta^\ast))$ of each sequence."""
    return x.T * (p.average - risk(x, x.star))


# prp:o2bexp --------------------------------------------------------------------------------------------------------
@claim("prp:o2bexp", EXPECTED, **FREE, corrects=("prp:o2bexp/random-bound",))
def in_expectation(x: Instance) -> Sides:
    r"""Online to batch in expectation.

    $\R_T$ is the smallest bound of the learner's regret that holds on every sequence."""
    p = listed(x)
    return Sides(p.prob @ p.average, risk(x, x.star) + samples.worst_regret(p) / x.T)


@claim("prp:o2bexp/expected-regret", EXPECTED, **FREE)
def in_expectation_realised(x: Instance) -> Sides:
    r"""Online to batch in expectation.

    $\R_T$ is the expected regret against $\theta^\ast$."""
    p = listed(x)
    return Sides(p.prob @ p.average, risk(x, x.star) + p.prob @ (p.paid - p.compared) / x.T)


@claim("prp:o2bexp/random-bound", EXPECTED, **FREE)
def with_a_random_bound(x: Instance) -> Sides:
    r"""Online to batch in expectation, a random number on the right.

    On every sequence: then it says that the least regret against $\theta^\ast$ is as large as the expected one."""
    p = listed(x)
    return Sides(p.prob @ p.average, risk(x, x.star) + min(p.paid - p.compared) / x.T)


@claim("prp:o2bexp/proof-1", rf"\E_{{\mathcal D^T}}{RISK}(\bar\theta)\le\frac1T{RISKS}", **FREE)
def _jensen(x: Instance) -> Sides:
    """Line 1 of the proof."""
    p = listed(x)
    return Sides(p.prob @ p.average, p.prob @ p.risk / x.T)


@claim("prp:o2bexp/proof-2", f"{RISKS}={PAID}", **FREE)
def _past_alone(x: Instance) -> tuple[Sides, Sides]:
    """Line 2 of the proof."""
    p = listed(x)
    return equality(p.prob @ p.risk, p.prob @ p.paid)


@claim("prp:o2bexp/proof-3", rf"{PAID}\le\R_T+\sum_{{t=1}}^T{RISK}(\theta^\ast)", **FREE)
def _against_best(x: Instance) -> Sides:
    """Line 3 of the proof."""
    p = listed(x)
    return Sides(p.prob @ p.paid, samples.worst_regret(p) + x.T * risk(x, x.star))


# prp:o2b and cor:o2bwhp --------------------------------------------------------------------------------------------
def table_game(draw: Draw) -> Instance:
    r"""Losses of 0 and 1, or of any values in [0, 1], at every history and at $\theta^\ast$."""
    count, T, nodes = samples.short_tree(draw)
    n = nodes * count
    values = draw.unit(n) if draw.boolean() else draw.array([draw.integer(0, 1) for _ in range(n)])
    return Instance(table=values.reshape(nodes, count), star=draw.unit(count), chances=draw.simplex(count), T=T)


def tabled(x: Instance) -> Listed:
    """The sequences of a game whose losses are a table."""
    return on(samples.list_table, x.star)(x.table, x.star, x.chances, x.T)


IN_UNIT = Assumption(r"\ell:\Theta\mapsto[0,1]", lambda x: samples.in_unit(x.table.ravel()))
TABLE: dict[str, Any] = {"game": table_game, "given": (IN_UNIT,)}
AVERAGE = rf"\frac1T\sum_{{t=1}}^T{RISK}(\theta_t)"
LOSSES = r"\frac1T\sum_{t=1}^T\ell_t(\theta_t)"
COMPARED = r"\frac1T\sum_{t=1}^T\ell_t(\theta^\ast)"
AZUMA = r"\sqrt{\frac2T\log\frac1\delta}"
COMPETES = rf"\le{RISK}(\theta^\ast)+\frac{{\R_T}}T+\sqrt{{\frac8T\log\frac1\delta}}{WHP}"
AVERAGE_ITERATE = rf"{RISK}(\bar\theta){COMPETES}"
OF_UPPER = ("prp:o2b/upper", "def:regret")
UNIT: dict[str, Any] = {"game": stopping.unit_game, "given": GAME, "uses": OF_UPPER}
OF_BOTH = ("prp:o2b/upper", "prp:o2b/lower", "def:regret")


@claim("prp:o2b/upper", rf"{AVERAGE}\le{LOSSES}+{AZUMA}{WHP}", **TABLE)
def _upper(x: Instance) -> Several:
    """The average loss of any online learner is close to its average risk."""
    p = tabled(x)
    return tail_sides(Tail(p.risk - p.paid, 2 * x.T), p.prob)


@claim("prp:o2b/lower", rf"{AVERAGE}\ge{LOSSES}-{AZUMA}{WHP}", **TABLE)
def _lower(x: Instance) -> Several:
    """The average loss of any online learner is close to its average risk."""
    p = tabled(x)
    return tail_sides(Tail(p.paid - p.risk, 2 * x.T), p.prob)


@claim("cor:o2bwhp/random-iterate", rf"\E_{{t\sim\mathcal U[T]}}{RISK}(\theta_t){COMPETES}", uses=OF_UPPER, **TABLE)
def random_iterate(x: Instance) -> Several:
    r"""Online to batch with high probability: the random iterate.

    $\R_T$ is the regret of the sequence itself against $\theta^\ast$: this claims more than is printed."""
    p = tabled(x)
    return tail_sides(Tail(p.risk - x.T * (x.chances @ x.star) - (p.paid - p.compared), 8 * x.T), p.prob)


@claim("cor:o2bwhp/average-iterate", AVERAGE_ITERATE, **UNIT)
def average_iterate(x: Instance) -> Several:
    r"""Online to batch with high probability: the average iterate.

    $\R_T$ is the smallest bound of the learner's regret that holds on every sequence."""
    p = stopping.play(x)
    return tail_sides(Tail(excess(x, p) - samples.worst_regret(p), 8 * x.T), p.prob)


@claim("cor:o2bwhp/average-iterate/realised", AVERAGE_ITERATE, **UNIT)
def average_iterate_realised(x: Instance) -> Several:
    r"""Online to batch with high probability: the average iterate.

    $\R_T$ is the regret of the sequence itself against $\theta^\ast$: this claims more than is printed."""
    p = stopping.play(x)
    return tail_sides(Tail(excess(x, p) - (p.paid - p.compared), 8 * x.T), p.prob)


@claim("cor:o2bwhp/proof-1", rf"{COMPARED}\le{RISK}(\theta^\ast)+{AZUMA}{WHP}", uses=("prp:o2b/lower",), **SAMPLED)
def _comparator(x: Instance) -> Several:
    """The loss of the comparator is close to its risk."""
    p = listed(x)
    return tail_sides(Tail(p.compared - x.T * risk(x, x.star), 2 * x.T), p.prob)


DISPLAY = (
    rf"\begin{{aligned}}{AVERAGE}&\le{COMPARED}+\frac{{\R_T}}T+{AZUMA}\\"
    rf"&\le{RISK}(\theta^\ast)+\frac{{\R_T}}T+2{AZUMA}\end{{aligned}}{WHP}"
)


@claim("cor:o2bwhp/proof-2", DISPLAY, uses=OF_BOTH, **SAMPLED)
def two_lines(x: Instance) -> Several:
    r"""The two lines of the display.

    Each inequality has probability $1-\delta$, and they may fail on different sequences: with $T=1$ and a loss that is
    0 or 1 for all $\theta$, each with probability 1/2, one of them always fails for $\delta>e^{-1/8}$. A union bound
    gives $1-2\delta$. $\R_T$ is the smallest bound of the learner's regret that holds on every sequence."""
    p = listed(x)
    gap = np.maximum(p.risk - p.compared - samples.worst_regret(p), p.compared - x.T * risk(x, x.star))
    return tail_sides(Tail(gap, 2 * x.T), p.prob)


REGRETS = r"\sum_{t=1}^T\left(\ell_t(\theta_t)-\ell_t(\theta^\ast)\right)"
IN_ONE = rf"{AVERAGE}-{RISK}(\theta^\ast)\le\frac1T{REGRETS}+{AZUMA}{WHP}"


@claim("cor:o2bwhp/proof-2/corrected", IN_ONE, uses=OF_BOTH, **TABLE)
def one_line(x: Instance) -> Several:
    r"""Both lines in one.

    $\ell_t(\theta_t)-\ell_t(\theta^\ast)$ less its mean is a martingale difference with a range of length 2, for which
    Azuma's inequality gives what prp:o2b prints for a range of length 1. So the corollary holds, and with half of its
    deviation."""
    p = tabled(x)
    return tail_sides(Tail(p.risk - x.T * (x.chances @ x.star) - (p.paid - p.compared), 2 * x.T), p.prob)


# thm:o2bsc ---------------------------------------------------------------------------------------------------------
def strongly_convex(x: Instance, p: Listed, regret: Any) -> Tail:
    r"""T times the bound with B = 1: $4G\sqrt{R_T L/\alpha} + \max\{16G^2, 6\alpha\}L/\alpha$ beyond
    $TE\ell(\theta^\ast) + R_T$, $L = \log(4\log T) + \log\frac1\delta$."""
    alpha, G = _curvature(x), samples.slope_bound(x.M)
    linear = max(16 * G * G, 6 * alpha) / alpha
    square = 16 * G * G / alpha * samples.nonnegative(regret)
    return Tail(excess(x, p) - regret, square, linear, np.log(4 * np.log(x.star * 0 + x.T)))


def _curvature(x: Instance) -> Any:
    r"""$\alpha$, the least strong convexity of a loss."""
    return 2 * min(x.M.bend)


def _curved(draw: Draw) -> Instance:
    return sampled_game(draw, bend=True, longest=7)


def _from_two_rounds(draw: Draw) -> Instance:
    x = _curved(draw)
    return x if x.T > 1 else Instance(**{**vars(x), "T": 2, "points": draw.unit(1 + len(x.M.p))})


CURVED = (*GAME, Assumption(r"\alpha>0", _curvature))
ANY_ROUNDS: dict[str, Any] = {"game": _curved, "given": CURVED, "uses": ("def:regret",)}
TWO_ROUNDS = ANY_ROUNDS | {"game": _from_two_rounds}
FAST_RATE = (
    rf"{RISK}(\bar\theta)\le{RISK}(\theta^\ast)+\frac{{\R_T}}T+\frac{{4G}}T\sqrt{{\frac{{\R_T}}\alpha"
    r"\log\frac{4\log T}\delta}+\frac{\max\{16G^2,6\alpha B\}}{\alpha T}\log\frac{4\log T}\delta" + WHP
)


@claim("thm:o2bsc", FAST_RATE, corrects=("thm:o2bsc/literal",), **TWO_ROUNDS)
def fast(x: Instance) -> Several:
    r"""Fast rates for strongly convex losses.

    For $T\ge2$: $\log\log1$ does not exist. $\R_T$ is the smallest bound of the learner's regret that holds on every
    sequence. With at most 128 rounds nothing came near it: $\frac{6B}T\log(4\log T)$ alone is most of what losses in
    $[0,B]$ can deviate by. thm:o2b/proof-2/corrected is its form for up to $2^{24}$ rounds."""
    p = listed(x)
    return tail_sides(strongly_convex(x, p, samples.worst_regret(p)), p.prob)


@claim("thm:o2bsc/realised", FAST_RATE, **TWO_ROUNDS)
def fast_realised(x: Instance) -> Several:
    r"""Fast rates for strongly convex losses.

    $\R_T$ is the regret of the sequence itself against $\theta^\ast$: this claims more than is printed. Under the root
    it is $\max\{\R_T,0\}$: $\log(4\log T)$ pays for all its sizes. With at most 128 rounds nothing came near it:
    $\frac{6B}T\log(4\log T)$ alone is most of what losses in $[0,B]$ can deviate by. thm:o2b/proof-2/corrected is its
    form for up to $2^{24}$ rounds."""
    p = listed(x)
    return tail_sides(strongly_convex(x, p, p.paid - p.compared), p.prob)


fast_literal = claim("thm:o2bsc/literal", FAST_RATE, note=r"At $T=1$ the bound holds $\log0$.", **ANY_ROUNDS)(
    fast.sides
)
