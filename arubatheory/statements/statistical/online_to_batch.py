r"""Appendix A: online-to-batch conversion (prp:o2bexp to cor:o2bsb, and what the text says of self-bounding losses).

Every expectation and every violation probability is a finite sum over the sequences of losses (`sampled_games`), so
that "with probability $1-\delta$" is an inequality of two numbers for every $\delta$ (`tail_sides`). $R_T$ is the
smallest number that bounds the learner's regret $\sum\ell_t(\theta_t) - \min_\theta\sum\ell_t(\theta)$ on every
sequence; under `/realised` it is the regret of the sequence itself against $\theta^\ast$ alone, which claims more.
prp:o2b and the random iterate of cor:o2bwhp do not ask for convex losses: there the losses have any values in [0, 1]
at every node of the learner's tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.kernel import kernel, on
from arubatheory.problems.draw import Draw
from arubatheory.problems.environments import minimiser, weighted_loss
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.statistical.sampled_games import (
    GAME,
    Listed,
    Tail,
    listed,
    mean_over,
    sampled_game,
    slope_bound,
    tail_sides,
)

Array = np.ndarray
Tails = Callable[[Instance, Listed], Tail]


def _worst_regret(p: Listed) -> Any:
    """The largest regret of any sequence that can happen."""
    regrets = [paid - least for q, paid, least in zip(p.prob, p.paid, p.least, strict=True) if q > 0]
    worst = regrets[0]
    for regret in regrets[1:]:
        worst = on(larger, worst)(worst, regret)
    return worst


def _bounded(p: Listed) -> Array:
    """The regret bound, for every sequence the same."""
    return 0 * p.paid + _worst_regret(p)


def _realised(p: Listed) -> Array:
    r"""$\sum\ell_t(\theta_t) - \ell_t(\theta^\ast)$ of each sequence."""
    return p.paid - p.compared


def nonnegative(regret: Array) -> Array:
    r"""$\max\{R, 0\}$ of numbers (n,)."""
    out = regret.copy()
    out[:] = [on(larger, r)(r, r - r) for r in regret]
    return out


def _likely(tails: Tails) -> Callable[[Instance], tuple[Sides, ...]]:
    def sides(x: Instance) -> tuple[Sides, ...]:
        p = listed(x)
        return tail_sides(tails(x, p), p.prob)

    return sides


def _risk(x: Instance, at: Any) -> Any:
    return on(weighted_loss, x.star)(x.M, x.M.p, at)


# prp:o2bexp ----------------------------------------------------------------------------------------------------------
def _in_expectation(x: Instance) -> Sides:
    p = listed(x)
    rhs = _risk(x, x.star) + _worst_regret(p) / x.T
    return Sides(mean_over(p.average, p.prob), rhs, len(p.prob) * 4)


def _in_expectation_realised(x: Instance) -> Sides:
    p = listed(x)
    rhs = _risk(x, x.star) + mean_over(_realised(p), p.prob) / x.T
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
    rhs = _worst_regret(p) + x.T * _risk(x, x.star)
    return Sides(mean_over(p.paid, p.prob), rhs, len(p.prob) * x.T * 4)


# prp:o2b and cor:o2bwhp ----------------------------------------------------------------------------------------------
def _hoeffding(gap: Array, factor: int, T: int) -> Tail:
    """T times the printed deviation is the root of factor T log(1/delta)."""
    return Tail(gap, 0 * gap + factor * T, 0, 0)


def _average_iterate(regret: Callable[[Listed], Array]) -> Tails:
    return lambda x, p: _hoeffding(x.T * (p.average - _risk(x, x.star)) - regret(p), 8, x.T)


def _comparator_deviates(x: Instance, p: Listed) -> Tail:
    return _hoeffding(p.compared - x.T * _risk(x, x.star), 2, x.T)


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


# self-bounding losses ------------------------------------------------------------------------------------------------
def _variance_sides(values: Any, chances: Any, rho: Any) -> Sides:
    r"""$E(\ell - E\ell)^2 \le \rho E\ell$."""
    mean = sum(chances * values)
    spread = sum(chances * (values - mean) * (values - mean))
    return Sides(spread, rho * mean, sum(chances * values * values) + rho * sum(chances * abs(values)))


def _values(draw: Draw) -> Instance:
    count = draw.integer(1, 4)
    return Instance(values=draw.unit(count), chances=draw.simplex(count))


def _regression(draw: Draw) -> Instance:
    r"""$\ell_k(\theta) = (\theta z_k - y_k)^2$ for $\theta, z_k, y_k \in [0, 1]$, and the best $\theta^\ast$."""
    count = draw.integer(1, 4)
    z, y, chances, theta = draw.unit(count), draw.unit(count), draw.simplex(count), draw.unit()
    moment, square = sum(chances * z * y), sum(chances * z * z)
    star = theta if not square > 0 else moment / square if moment < square else 1 + 0 * square
    return Instance(z=z, y=y, chances=chances, star=star, theta=theta)


def _scaled_regression(draw: Draw) -> Instance:
    x = _regression(draw)
    size = draw.positive()
    return Instance(**{**vars(x), "z": size * x.z, "y": size * x.y})


def _excess_variance(x: Instance) -> Sides:
    return _variance_sides((x.theta * x.z - x.y) ** 2 - (x.star * x.z - x.y) ** 2, x.chances, 4)


# thm:o2bsb and cor:o2bsb ---------------------------------------------------------------------------------------------
def _self_bounding_game(draw: Draw) -> Instance:
    r"""$\rho$ times losses in [0, 1], $\rho \le 1$; or the excess $\ell - \ell(\theta^\ast)$ of squares, $\rho = 4$."""
    if draw.boolean():
        x = _squares_game(draw)
        away = x.star - x.M.z
        x.M, x.rho = x.M._replace(base=-away * away), draw.number(4)
    else:
        x, rho = sampled_game(draw), draw.positive(-16, 0)
        M = x.M
        x.M = M._replace(base=rho * M.base, slope=rho * M.slope, bend=rho * M.bend, corner=rho * M.corner)
        x.rho = rho
    return x


def _range_margin(x: Instance) -> Any:
    r"""How far the losses are from leaving [-1, 1]: they are convex, so largest at an end."""
    margins = []
    for k in range(len(x.M.p)):
        alone = 0 * x.M.p
        alone[k] = alone[k] + 1
        least, *ends = (
            on(weighted_loss, x.star)(x.M, alone, at)
            for at in (on(minimiser, x.star)(x.M, alone), 0 * x.star, 0 * x.star + 1)
        )
        margins += [1 + least, 1 - max(ends)]
    return min(margins)


def _self_bounded(x: Instance, p: Listed) -> Tail:
    r"""T times the bound: $\sqrt{2\rho\max\{0,\sum\ell_t(\theta_t)\} L} + (3\rho + 2)L$."""
    return Tail(x.T * p.average - p.paid, 2 * x.rho * nonnegative(p.paid), 3 * x.rho + 2, 0)


def _excess_self_bounded(regret: Callable[[Listed], Array], under_root: Callable[[Listed], Array]) -> Tails:
    r"""T times the bound at $\rho = 4$: $\sqrt{8R_T L} + 14L$ beyond $TE\ell(\theta^\ast) + R_T$."""
    return lambda x, p: Tail(x.T * (p.average - _risk(x, x.star)) - regret(p), 8 * under_root(p), 14, 0)


def _squares_game(draw: Draw) -> Instance:
    r"""Losses $(\theta - z_k)^2$ on [0, 1] and their best $\theta^\ast$: their excess is 4-self-bounded."""
    x = sampled_game(draw)
    count = len(x.M.p)
    none = draw.zeros(count)
    M = x.M._replace(base=none, slope=none, bend=draw.array([1] * count), corner=none)
    return Instance(**{**vars(x), "M": M, "star": on(minimiser, x.star)(M, M.p)})


TABLE = (Assumption(r"\ell:\Theta\mapsto[0,1]", lambda x: min(x.table.min(), 1 - x.table.max())),)
CURVED = (*GAME, Assumption(r"\alpha>0", lambda x: _steepness(x)[0]))
RANGE = Assumption(r"\ell(\theta)\in[-1,1]", _range_margin)
BEST = Assumption(
    r"\theta^\ast\in\argmin_{\theta\in\Theta}\E_{\ell\sim\mathcal D}\ell(\theta)",
    lambda x: _risk(x, on(minimiser, x.star)(x.M, x.M.p)) - _risk(x, x.star),
)

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


DEVIATIONS = (
    _deviation("upper", r"\le", "+", lambda x, p: _hoeffding(p.risk - p.paid, 2, x.T)),
    _deviation("lower", r"\ge", "-", lambda x, p: _hoeffding(p.paid - p.risk, 2, x.T)),
    _competitive("random-iterate", "", _table_game, _on_table(_random_iterate(_realised)), TABLE, REALISED),
    _competitive("average-iterate", "", sampled_game, _likely(_average_iterate(_bounded)), GAME, SMALLEST),
    _competitive("average-iterate", "/realised", sampled_game, _likely(_average_iterate(_realised)), GAME, REALISED),
    Statement(
        label="cor:o2bwhp/proof-1", kind="proof step", number="A.1", step_of="cor:o2bwhp",
        title="The loss of the comparator is close to its risk",
        latex=rf"\frac1T\sum_{{t=1}}^T\ell_t(\theta^\ast)\le{RISK}(\theta^\ast)+\sqrt{{\frac2T\log\frac1\delta}}{WHP}",
        instance=sampled_game, sides=_likely(_comparator_deviates), assumptions=GAME, uses=("prp:o2b/lower",),
    ),
)  # fmt: skip

FAST = (
    rf"{RISK}(\bar\theta)\le{RISK}(\theta^\ast)+\frac{{\R_T}}T+\frac{{4G}}T\sqrt{{\frac{{\R_T}}\alpha"
    r"\log\frac{4\log T}\delta}+\frac{\max\{16G^2,6\alpha B\}}{\alpha T}\log\frac{4\log T}\delta" + WHP
)


def _fast(reading: str, game: Any, regret: Any, note: str, **more: Any) -> Statement:
    return Statement(
        label="thm:o2bsc" + reading, kind="theorem", number="A.4", title="Fast rates for strongly convex losses",
        latex=FAST, instance=game, sides=_likely(_strongly_convex(regret)), assumptions=CURVED, uses=("def:regret",),
        note=note, part_of="thm:o2bsc" if reading else None, **more,
    )  # fmt: skip


VACUOUS = (
    r"With at most 128 rounds nothing came near it: $\frac{6B}T\log(4\log T)$ alone is most of what losses in $[0,B]$ "
    r"can deviate by. thm:o2b/proof-2/corrected is its form for up to $2^{24}$ rounds."
)
SELF = (
    rf"{RISK}(\bar\theta)\le\bar L_T+\sqrt{{\frac{{2\rho\max\{{0,\bar L_T\}}}}T\log\frac1\delta}}"
    r"+\frac{3\rho+2}T\log\frac1\delta" + WHP
)
EXCESS = (
    rf"{RISK}(\bar\theta)\le{RISK}(\theta^\ast)+\frac{{\R_T}}T+\frac1T\sqrt{{2\rho\R_T\log\frac1\delta}}"
    r"+\frac{3\rho+2}T\log\frac1\delta" + WHP
)


def _excess(reading: str, regret: Any, under_root: Any, note: str, **more: Any) -> Statement:
    return Statement(
        label="cor:o2bsb" + reading, kind="corollary", number="A.2", title="The same against the best action",
        latex=EXCESS, instance=_squares_game, sides=_likely(_excess_self_bounded(regret, under_root)),
        assumptions=(*GAME, BEST), uses=("thm:o2bsb", "def:regret", "def:selfbounding"),
        part_of="cor:o2bsb" if reading else None,
        note=r"Squared losses, for which $\rho=4$ (text:least-squares-rho). " + note, **more,
    )  # fmt: skip


def _variance(label: str, title: str, game: Any, sides: Any, rho: int, what: str, note: str, **more: Any) -> Statement:
    return Statement(
        label=label, kind="claim in text" if label.startswith("text:") else "definition", title=title,
        latex=rf"{rho}\,\E_{{\ell\sim\mathcal D}}{what}\ge\E_{{\ell\sim\mathcal D}}\left({what}-"
        rf"\E_{{\ell\sim\mathcal D}}{what}\right)^2",
        instance=game, sides=sides, note=note, part_of=label.partition("/")[0], **more,
    )  # fmt: skip


LEAST = r"\Delta\ell(\theta)"
BOUNDED_NOTE = r"Any loss with values in $[0,1]$ is $1$-self-bounding; it need not be convex."
LEAST_NOTE = (
    r"$\Delta\ell(\theta)=(\theta z-y)^2-(\theta^\ast z-y)^2$ with $\theta,z,y\in[0,1]$ and $\theta^\ast$ the best of "
    r"$[0,1]$: then $|\theta z+\theta^\ast z-2y|\le2$ and $\E\Delta\ell\ge\E(\theta-\theta^\ast)^2z^2$."
)
STATEMENTS = (
    *EXPECTATION,
    *DEVIATIONS,
    _fast("", _from_two_rounds, _bounded, rf"For $T\ge2$: $\log\log1$ does not exist. {SMALLEST} {VACUOUS}",
          corrects=("thm:o2bsc/literal",)),
    _fast("/realised", _from_two_rounds, _realised,
          rf"{REALISED} Under the root it is $\max\{{\R_T,0\}}$. {VACUOUS}"),
    _fast("/literal", _curved, _bounded, r"At $T=1$ the bound holds $\log0$."),
    _variance("def:selfbounding/bounded-convex", "Losses in [0, 1] are 1-self-bounding", _values,
              lambda x: _variance_sides(x.values, x.chances, 1), 1, r"\ell(\theta)", BOUNDED_NOTE,
              assumptions=(Assumption(r"\ell(\theta)\in[0,1]", lambda x: min(min(x.values), 1 - max(x.values))),)),
    _variance("def:selfbounding/least-squares", "The excess of bounded least squares is 4-self-bounding", _regression,
              _excess_variance, 4, LEAST, LEAST_NOTE),
    _variance("text:least-squares-rho/bounded", "Least squares with rho = 4 where losses are at most 1", _regression,
              _excess_variance, 4, LEAST, LEAST_NOTE, corrects=("text:least-squares-rho/literal",)),
    _variance("text:least-squares-rho/literal", "Least squares with rho = 4 for data of any size", _scaled_regression,
              _excess_variance, 4, LEAST, r"For data up to $B$ in size $\rho=4B^2$ is needed."),
    Statement(
        label="thm:o2bsb", kind="theorem", number="A.5", title="Online to batch for self-bounding losses", latex=SELF,
        instance=_self_bounding_game, sides=_likely(_self_bounded), uses=("def:selfbounding",),
        assumptions=(*GAME, RANGE, Assumption(r"\rho>0", lambda x: x.rho)),
        note=r"$\rho$ times losses in $[0,1]$, $\rho\le1$, which are $\rho$-self-bounding; or the excess of squared "
        r"losses over those of the best action, in $[-1,1]$, with $\rho=4$.",
    ),
    _excess("", _bounded, _bounded, SMALLEST, corrects=("cor:o2bsb/realised",)),
    _excess("/realised", _realised, _realised, REALISED + r" It may be negative, and then the root does not exist."),
    _excess("/realised/nonnegative", _realised, lambda p: nonnegative(_realised(p)),
            REALISED + r" Under the root it is $\max\{\R_T,0\}$.", corrects=("cor:o2bsb/realised",)),
)  # fmt: skip
