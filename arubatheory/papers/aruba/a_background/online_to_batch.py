r"""Appendix A: online-to-batch conversion (prp:o2bexp to thm:o2bsc; self-bounding losses are in `data_dependent`).

Every expectation and every violation probability is a finite sum over the sequences of losses (`sampled_games`), so
that "with probability $1-\delta$" is an inequality of two numbers for every $\delta$ (`tail_sides`). $R_T$ is the
smallest number that bounds the learner's regret $\sum\ell_t(\theta_t) - \min_\theta\sum\ell_t(\theta)$ on every
sequence; under `/realised` it is the regret of the sequence itself against $\theta^\ast$ alone, which claims more.
prp:o2b and the random iterate of cor:o2bwhp do not ask for convex losses: there the losses have any values in [0, 1]
at every node of the learner's tree.

A learner may stop as soon as it is past a bound (`stopping_games`). It gains by that only where the deviation shrinks
with what was paid (`data_dependent`). Azuma's has no such part, and whatever the learner does it holds at time T;
thm:o2bsc has the regret under its root, and pays for a union over the sizes of it with $\log(4\log T)$.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.papers.aruba.games.samples import (
    GAME,
    Listed,
    Tail,
    listed,
    mean_over,
    sampled_game,
    slope_bound,
    tail_sides,
)
from arubatheory.papers.aruba.games.stopping import play, unit_game
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import weighted_loss
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Assumption, Instance, Sides, Statement

Tails = Callable[[Instance, Listed], Tail]


def worst_regret(p: Listed) -> Any:
    """The largest regret of any sequence that can happen."""
    regrets = [paid - least for q, paid, least in zip(p.prob, p.paid, p.least, strict=True) if q > 0]
    worst = regrets[0]
    for regret in regrets[1:]:
        worst = on(larger, worst)(worst, regret)
    return worst


def bounded(p: Listed) -> Array:
    """The regret bound, for every sequence the same."""
    return 0 * p.paid + worst_regret(p)


def realised(p: Listed) -> Array:
    r"""$\sum\ell_t(\theta_t) - \ell_t(\theta^\ast)$ of each sequence."""
    return p.paid - p.compared


def nonnegative(regret: Array) -> Array:
    r"""$\max\{R, 0\}$ of numbers (n,)."""
    out = regret.copy()
    out[:] = [on(larger, r)(r, r - r) for r in regret]
    return out


def likely(tails: Tails, sequences: Callable[[Instance], Listed] = listed) -> Callable[[Instance], tuple[Sides, ...]]:
    r"""$P(\text{violation at }\delta)\le\delta$ of the sequences of a game."""

    def sides(x: Instance) -> tuple[Sides, ...]:
        p = sequences(x)
        return tail_sides(tails(x, p), p.prob)

    return sides


def _risk(x: Instance, at: Any) -> Any:
    return on(weighted_loss, x.star)(x.M, x.M.p, at)


# prp:o2bexp ----------------------------------------------------------------------------------------------------------
def _in_expectation(x: Instance) -> Sides:
    p = listed(x)
    rhs = _risk(x, x.star) + worst_regret(p) / x.T
    return Sides(mean_over(p.average, p.prob), rhs, len(p.prob) * 4)


def _in_expectation_realised(x: Instance) -> Sides:
    p = listed(x)
    rhs = _risk(x, x.star) + mean_over(realised(p), p.prob) / x.T
    return Sides(mean_over(p.average, p.prob), rhs, len(p.prob) * 4)


def _jensen(x: Instance) -> Sides:
    p = listed(x)
    return Sides(mean_over(p.average, p.prob), mean_over(p.risk, p.prob) / x.T, len(p.prob) * 2)


def _no_lookahead(x: Instance) -> tuple[Sides, Sides]:
    r"""$\theta_t$ depends on the past only."""
    p = listed(x)
    risk, paid, scale = mean_over(p.risk, p.prob), mean_over(p.paid, p.prob), len(p.prob) * x.T * 2
    return Sides(risk, paid, scale), Sides(paid, risk, scale)


def _comparator_mean(x: Instance) -> Sides:
    p = listed(x)
    rhs = worst_regret(p) + x.T * _risk(x, x.star)
    return Sides(mean_over(p.paid, p.prob), rhs, len(p.prob) * x.T * 4)


# prp:o2b and cor:o2bwhp ----------------------------------------------------------------------------------------------
def _hoeffding(gap: Array, factor: int, T: int) -> Tail:
    """T times the printed deviation is the root of factor T log(1/delta)."""
    return Tail(gap, 0 * gap + factor * T, 0, 0)


def _average_iterate(regret: Callable[[Listed], Array]) -> Tails:
    return lambda x, p: _hoeffding(x.T * (p.average - _risk(x, x.star)) - regret(p), 8, x.T)


def _comparator_deviates(x: Instance, p: Listed) -> Tail:
    return _hoeffding(p.compared - x.T * _risk(x, x.star), 2, x.T)


def _either_deviates(x: Instance, p: Listed) -> Tail:
    """A sequence breaks the chain if it breaks either line."""
    lines = p.risk - p.compared - bounded(p), p.compared - x.T * _risk(x, x.star)
    return _hoeffding(np.array([on(larger, a)(a, b) for a, b in zip(*lines, strict=True)], p.prob.dtype), 2, x.T)


def _together(x: Instance, p: Listed) -> Tail:
    return _hoeffding(p.risk - x.T * (x.chances @ x.star) - realised(p), 2, x.T)


@kernel
def list_table(table: Array, star: Array, chances: Array, T: int) -> Listed:
    r"""[exact] Losses with any values (nodes, K) on the tree of a learner, and (K,) at $\theta^\ast$. There is no
    $\bar\theta$ and no other action: `average` holds `risk`/T and `least` holds `compared`."""
    K = chances.shape[0]
    n = K**T
    prob, paid, risk = np.zeros(n, table.dtype), np.zeros(n, table.dtype), np.zeros(n, table.dtype)
    compared = np.zeros(n, table.dtype)
    zero = star[0] - star[0]
    for o in range(n):
        chance, first, width, code, rest = 1 + zero, 0, 1, 0, n
        for _ in range(T):
            rest //= K
            k = (o // rest) % K
            node = first + code
            chance = chance * chances[k]
            paid[o], compared[o] = paid[o] + table[node, k], compared[o] + star[k]
            for j in range(K):
                risk[o] = risk[o] + chances[j] * table[node, j]
            first, code = first + width, code * K + k
            width *= K
        prob[o] = chance
    return Listed(prob, paid, risk, compared, compared.copy(), risk / T)


def _table_game(draw: Draw) -> Instance:
    r"""Losses of 0 and 1, or of any values in [0, 1], at every history and at $\theta^\ast$."""
    count = draw.integer(1, 3)
    T = draw.integer(1, (6, 6, 3)[count - 1])
    nodes = sum(count**t for t in range(T))
    if draw.boolean():
        values = draw.unit((nodes, count))
    else:
        values = draw.array([draw.integer(0, 1) for _ in range(nodes * count)]).reshape(nodes, count)
    return Instance(table=values, star=draw.unit(count), chances=draw.simplex(count), T=T)


def _on_table(tails: Tails) -> Callable[[Instance], tuple[Sides, ...]]:
    def sides(x: Instance) -> tuple[Sides, ...]:
        p = on(list_table, x.star)(x.table, x.star, x.chances, x.T)
        return tail_sides(tails(x, p), p.prob)

    return sides


def _random_iterate(regret: Callable[[Listed], Array]) -> Tails:
    return lambda x, p: _hoeffding(p.risk - x.T * (x.chances @ x.star) - regret(p), 8, x.T)


# thm:o2bsc -----------------------------------------------------------------------------------------------------------
def _steepness(x: Instance) -> tuple[Any, Any]:
    r"""$\alpha$, the least strong convexity of a loss, and $G$, a bound of all their slopes on [0, 1]."""
    return 2 * min(x.M.bend), slope_bound(x.M)


def _strongly_convex(regret: Callable[[Listed], Array]) -> Tails:
    r"""T times the bound with B = 1: $4G\sqrt{R_T L/\alpha} + \max\{16G^2, 6\alpha\}L/\alpha$ beyond
    $TE\ell(\theta^\ast) + R_T$, $L = \log(4\log T) + \log\frac1\delta$."""

    def tails(x: Instance, p: Listed) -> Tail:
        alpha, G = _steepness(x)
        R = regret(p)
        linear = on(larger, G)(16 * G * G, 6 * alpha) / alpha
        gap = x.T * (p.average - _risk(x, x.star)) - R
        return Tail(gap, 16 * G * G / alpha * nonnegative(R), linear, np.log(4 * np.log(x.star * 0 + x.T)))

    return tails


def _curved(draw: Draw) -> Instance:
    return sampled_game(draw, bend=True, longest=7)


def _from_two_rounds(draw: Draw) -> Instance:
    x = _curved(draw)
    return x if x.T > 1 else Instance(**{**vars(x), "T": 2, "points": draw.unit(1 + len(x.M.p))})


TABLE = (Assumption(r"\ell:\Theta\mapsto[0,1]", lambda x: min(x.table.min(), 1 - x.table.max())),)
CURVED = (*GAME, Assumption(r"\alpha>0", lambda x: _steepness(x)[0]))

# statements ----------------------------------------------------------------------------------------------------------
REALISED = r"$\R_T$ is the regret of the sequence itself against $\theta^\ast$: this claims more than is printed."
SMALLEST = r"$\R_T$ is the smallest bound of the learner's regret that holds on every sequence."
RISK = r"\E_{\ell\sim\mathcal D}\ell"
WHP = r"\qquad\text{w.p. }1-\delta"


def _exp(reading: str, sides: Any, note: str) -> Statement:
    return Statement(
        label="prp:o2bexp" + reading, kind="proposition", number="A.1", title="Online to batch in expectation",
        latex=rf"\E_{{\mathcal D^T}}{RISK}(\bar\theta)\le{RISK}(\theta^\ast)+\frac{{\R_T}}T", instance=sampled_game,
        sides=sides, assumptions=GAME, uses=("def:regret", "def:convex"), note=note,
        part_of="prp:o2bexp" if reading else None,
    )  # fmt: skip


def _exp_line(n: int, latex: str, sides: Any) -> Statement:
    return Statement(
        label=f"prp:o2bexp/proof-{n}", kind="proof step", number="A.1", title=f"Line {n} of the proof", latex=latex,
        instance=sampled_game, sides=sides, assumptions=GAME, step_of="prp:o2bexp", uses=("def:regret", "def:convex"),
    )  # fmt: skip


PAID = r"\E_{\mathcal D^T}\sum_{t=1}^T\ell_t(\theta_t)"
RISKS = rf"\E_{{\mathcal D^T}}\sum_{{t=1}}^T{RISK}(\theta_t)"
EXPECTATION = (
    _exp("", _in_expectation, SMALLEST),
    _exp("/realised", _in_expectation_realised, r"$\R_T$ is the expected regret against $\theta^\ast$."),
    _exp_line(1, rf"\E_{{\mathcal D^T}}{RISK}(\bar\theta)\le\frac1T{RISKS}", _jensen),
    _exp_line(2, rf"{RISKS}={PAID}", _no_lookahead),
    _exp_line(3, rf"{PAID}\le\R_T+\sum_{{t=1}}^T{RISK}(\theta^\ast)", _comparator_mean),
)


def _deviation(part: str, relation: str, sign: str, tails: Tails) -> Statement:
    return Statement(
        label=f"prp:o2b/{part}", kind="proposition", number="A.2", part_of="prp:o2b",
        title="The average loss of any online learner is close to its average risk",
        latex=rf"\frac1T\sum_{{t=1}}^T{RISK}(\theta_t){relation}\frac1T\sum_{{t=1}}^T\ell_t(\theta_t){sign}"
        rf"\sqrt{{\frac2T\log\frac1\delta}}{WHP}",
        instance=_table_game, sides=_on_table(tails), assumptions=TABLE,
    )  # fmt: skip


def _competitive(part: str, reading: str, game: Any, sides: Any, assumptions: Any, note: str) -> Statement:
    lhs = r"\E_{t\sim\mathcal U[T]}" + RISK + r"(\theta_t)" if part == "random-iterate" else RISK + r"(\bar\theta)"
    return Statement(
        label=f"cor:o2bwhp/{part}{reading}", kind="corollary", number="A.1", part_of="cor:o2bwhp",
        title="Online to batch with high probability: the " + part.replace("-", " "),
        latex=rf"{lhs}\le{RISK}(\theta^\ast)+\frac{{\R_T}}T+\sqrt{{\frac8T\log\frac1\delta}}{WHP}",
        instance=game, sides=sides, assumptions=assumptions, uses=("prp:o2b/upper", "def:regret"), note=note,
    )  # fmt: skip


AVERAGE = rf"\frac1T\sum_{{t=1}}^T{RISK}(\theta_t)"
AZUMA = r"\sqrt{\frac2T\log\frac1\delta}"


def _chain(
    reading: str, title: str, latex: str, game: Any, sides: Any, assumptions: Any, note: str, **more: Any
) -> Statement:
    return Statement(
        label="cor:o2bwhp/proof-2" + reading, kind="proof step", number="A.1", step_of="cor:o2bwhp", title=title,
        latex=latex, instance=game, sides=sides, assumptions=assumptions, note=note,
        uses=("prp:o2b/upper", "prp:o2b/lower", "def:regret"), **more,
    )  # fmt: skip


DEVIATIONS = (
    _deviation("upper", r"\le", "+", lambda x, p: _hoeffding(p.risk - p.paid, 2, x.T)),
    _deviation("lower", r"\ge", "-", lambda x, p: _hoeffding(p.paid - p.risk, 2, x.T)),
    _competitive("random-iterate", "", _table_game, _on_table(_random_iterate(realised)), TABLE, REALISED),
    _competitive("average-iterate", "", unit_game, likely(_average_iterate(bounded), play), GAME, SMALLEST),
    _competitive("average-iterate", "/realised", unit_game, likely(_average_iterate(realised), play), GAME, REALISED),
    Statement(
        label="cor:o2bwhp/proof-1", kind="proof step", number="A.1", step_of="cor:o2bwhp",
        title="The loss of the comparator is close to its risk",
        latex=rf"\frac1T\sum_{{t=1}}^T\ell_t(\theta^\ast)\le{RISK}(\theta^\ast)+\sqrt{{\frac2T\log\frac1\delta}}{WHP}",
        instance=sampled_game, sides=likely(_comparator_deviates), assumptions=GAME, uses=("prp:o2b/lower",),
    ),
    _chain(
        "", "The two lines of the display",
        rf"\begin{{aligned}}{AVERAGE}&\le\frac1T\sum_{{t=1}}^T\ell_t(\theta^\ast)+\frac{{\R_T}}T+{AZUMA}\\"
        rf"&\le{RISK}(\theta^\ast)+\frac{{\R_T}}T+2{AZUMA}\end{{aligned}}{WHP}",
        sampled_game, likely(_either_deviates), GAME,
        r"Each inequality has probability $1-\delta$, and they may fail on different sequences: with $T=1$ and a loss "
        r"that is 0 or 1 for all $\theta$, each with probability 1/2, one of them always fails for "
        r"$\delta>e^{-1/8}$. A union bound gives $1-2\delta$. " + SMALLEST,
    ),
    _chain(
        "/corrected", "Both lines in one",
        rf"{AVERAGE}-{RISK}(\theta^\ast)\le\frac1T\sum_{{t=1}}^T\left(\ell_t(\theta_t)-\ell_t(\theta^\ast)\right)"
        rf"+{AZUMA}{WHP}",
        _table_game, _on_table(_together), TABLE,
        r"$\ell_t(\theta_t)-\ell_t(\theta^\ast)$ less its mean is a martingale difference with a range of length 2, "
        r"for which Azuma's inequality gives what prp:o2b prints for a range of length 1. So the corollary holds, and "
        r"with half of its deviation.", corrects=("cor:o2bwhp/proof-2",),
    ),
)  # fmt: skip

FAST = (
    rf"{RISK}(\bar\theta)\le{RISK}(\theta^\ast)+\frac{{\R_T}}T+\frac{{4G}}T\sqrt{{\frac{{\R_T}}\alpha"
    r"\log\frac{4\log T}\delta}+\frac{\max\{16G^2,6\alpha B\}}{\alpha T}\log\frac{4\log T}\delta" + WHP
)


def _fast(reading: str, game: Any, regret: Any, note: str, **more: Any) -> Statement:
    return Statement(
        label="thm:o2bsc" + reading, kind="theorem", number="A.4", title="Fast rates for strongly convex losses",
        latex=FAST, instance=game, sides=likely(_strongly_convex(regret)), assumptions=CURVED, uses=("def:regret",),
        note=note, part_of="thm:o2bsc" if reading else None, **more,
    )  # fmt: skip


VACUOUS = (
    r"With at most 128 rounds nothing came near it: $\frac{6B}T\log(4\log T)$ alone is most of what losses in $[0,B]$ "
    r"can deviate by. thm:o2b/proof-2/corrected is its form for up to $2^{24}$ rounds."
)
STATEMENTS = (
    *EXPECTATION,
    *DEVIATIONS,
    _fast("", _from_two_rounds, bounded, rf"For $T\ge2$: $\log\log1$ does not exist. {SMALLEST} {VACUOUS}",
          corrects=("thm:o2bsc/literal",)),
    _fast("/realised", _from_two_rounds, realised,
          rf"{REALISED} Under the root it is $\max\{{\R_T,0\}}$: $\log(4\log T)$ pays for all its sizes. {VACUOUS}"),
    _fast("/literal", _curved, bounded, r"At $T=1$ the bound holds $\log0$."),
)  # fmt: skip
