r"""Appendix E: fast transfer for strongly convex upper bounds (thm:o2b), and section 5, part 3.

RUB is the average $\frac1T\sum_tU_t(s_t)$: the largest of any sequence, or under `/realised` that of the sequence. The
claims are compared at the worst $\delta$: where sequences of probability P have an excess of at least e, and upper
bounds of at most u, a bound that holds with probability $1-\delta$ is at least e at $\delta = P$ and u. Multiplied by m
and freed of what does not depend on $\delta$, thm:o2b says that
$$m(E\ell_P(\bar\theta) - E\ell_P(\theta^\ast)) - U^\ast - RUB \le 4G\sqrt{\frac{c\,RUB}{\alpha T}L}
  + \frac{\max\{16G^2, 6\alpha B\sqrt m\}}{\alpha T}L, \quad L = \log\frac{8\log T}\delta, $$
with $c = m/T$ as printed. Its proof applies thm:o2bsc to the $U_t$, whose regret is at most $T\cdot RUB$, and that
gives $c = 1$. RUB need not vanish as T grows, and then the root is of the order $T^{-1/2}$ at c = 1: no fast rate.
Under `/regret` the regret $R = \max\{0, \sum_tU_t(s_t) - \min_s\sum_tU_t(s)\}$ of the states has the place of
$T\cdot RUB$. It is all that thm:o2bsc asks for; follow the leader has $R \le \frac{G^2}{2\alpha}(1 + \log T)$, and
then the excess is $U^\ast/m$ and $\tilde O(1/T)$.

Games are listed in full (`transfer_games`, gradient descent with a fixed rate) or have up to $2^{48}$ tasks
(`tall_games`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.games.many_tasks import budgeted, tall_game, uppers
from arubatheory.papers.aruba.games.samples import nonnegative, slope_bound
from arubatheory.papers.aruba.games.transfer import (
    OGD,
    TRANSFER,
    Outcomes,
    expected,
    listing,
    outcomes_of,
    plays_from,
    risk_at,
    transfer_game,
)
from arubatheory.papers.aruba.games.trigger import SELF_BOUNDING, largest_of_task, over_training, self_bounding
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import Mixture, minimiser
from arubatheory.problems.scalar import larger
from arubatheory.statements.chance import at_worst
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import root

LISTED = 1024  # training sequences times samples of a fresh task, at most


class Training(NamedTuple):
    r"""Groups of training sequences: their probability, $E_{P^m}\ell_P(\bar\theta)$ averaged over Q, $EU(\bar s)$, and
    their RUB; and the largest RUB of any sequence."""

    prob: Array
    risk: Array
    upper: Array
    realised: Array
    bound: Any


class Curve(NamedTuple):
    r"""$\alpha$, G and $B\sqrt m$ of all $U_t$ on [0, 1]; $EU(s^\ast)$ at the drawn $s^\ast$; and $\min_sEU(s)$."""

    alpha: Any
    G: Any
    reach: Any
    anchored: Any
    least: Any


class Reading(NamedTuple):
    r"""RUB of the sequence or of the worst; $U^\ast$ the least or at a drawn $s^\ast$; $c = 1$ or $m/T$; U of every
    sample its own, or for all samples of a task the largest of them; $R/T$ for RUB."""

    realised: bool = False
    least: bool = False
    corrected: bool = False
    every: bool = False
    regret: bool = False


# games ---------------------------------------------------------------------------------------------------------------
def _is_tall(x: Instance) -> bool:
    return bool(x.budget >= 0)


def _one(x: Instance, value: Any) -> Array:
    return 0 * x.q[:1] + value


def training(x: Instance, every: bool = False) -> Training:
    """The training sequences of a game; with `every`, U is the largest over the samples of its task."""
    if _is_tall(x):
        b, upper = budgeted(x), x.q @ uppers(x, x.states[0])
        prob, risk, realised = (_one(x, part) for part in (b.prob, risk_at(x, x.states[0]), b.realised))
        return Training(prob, risk, _one(x, upper), realised, b.bound)
    g = listing(x)
    o, prob, plays = g.outcomes, g.training.prob, plays_from(x, g.outcomes, g.training.state)
    realised = over_training(x, g, _uppers_of(o, g.plays.upper, every))
    bound = max(u for p, u in zip(prob, realised, strict=True) if p > 0)
    upper = expected(o, _uppers_of(o, plays.upper, every))
    return Training(prob, expected(o, plays.risk), upper, realised, bound)


def regrets(x: Instance) -> Array:
    r"""$R/T$ of each group of `training`, U of every sample its own. In a tall game at most `budget` tasks 1 have come:
    a maximum over s of what is linear in their number is largest at an end. Of gradient descent,
    $\sum_t(\theta_t^\ast - s)^2$ is least at the mean of the $\theta_t^\ast$."""
    if _is_tall(x):
        shares = [np.array([x.T - n, n]) / (0 * x.q + x.T) for n in (0, x.budget)]
        best = [uppers(x, on(minimiser, x.star)(x.M, share)) for share in shares]
        return _one(x, max(s @ (uppers(x, x.states[0]) - b) for s, b in zip(shares, best, strict=True)))
    g = listing(x)
    star, none = g.outcomes.star, 0 * g.plays.upper
    away = star - x.states[:, None]
    paid, square, mean = (over_training(x, g, none + value) for value in (away * away, star * star, star))
    return nonnegative((paid - square + mean * mean) / (2 * x.eta))


def _uppers_of(o: Outcomes, upper: Array, every: bool) -> Array:
    return largest_of_task(upper, o.chance, o.task) if every else upper


def _best_state(x: Instance, o: Outcomes, every: bool) -> Any:
    r"""The s of the least $EU(s)$ of gradient descent, $U = (\theta^\ast - s)^2/(2\eta)$ and a constant: the largest
    over $\theta^\ast \in [c - r, c + r]$ is $((s - c)^2 + 2r|s - c| + r^2)/(2\eta)$ and the constant."""
    if not every:
        return o.chance @ o.star
    stars = [o.star[(o.task == j) & ((o.chance > 0) | (q == 0))] for j, q in enumerate(x.q)]
    low, high = (np.array([end(s) for s in stars], x.q.dtype) for end in (min, max))
    r, none = (high - low) / 2, 0 * x.q
    return on(minimiser, x.star)(Mixture(x.q, r * r, none, none + 1, 2 * r, (low + high) / 2), x.q)


def curve(x: Instance, every: bool = False) -> Curve:
    """What is known of U. Gradient descent's is a quadratic around the best action of the sample; with `every`, the
    largest of those of its task."""
    ends = np.array([0 * x.star, 0 * x.star + 1, x.anchor, x.anchor], dtype=x.q.dtype)
    if _is_tall(x):
        ends[3] = on(minimiser, x.star)(x.M, x.q)
        values = np.array([uppers(x, s) for s in ends], dtype=x.q.dtype)
        chance, alpha, G = x.q, 2 * x.m * min(x.M.bend), x.m * slope_bound(x.M)
    else:
        o = outcomes_of(x)
        ends[3] = _best_state(x, o, every)
        values, chance, alpha = _uppers_of(o, plays_from(x, o, ends).upper, every), o.chance, 1 / x.eta
        G = max(max(o.star), 1 - min(o.star)) / x.eta
    reach = max(u for row in values[:2] for u, p in zip(row, chance, strict=True) if p > 0)
    return Curve(alpha, G, reach, values[2] @ chance, values[3] @ chance)


# the claims ----------------------------------------------------------------------------------------------------------
def deviation(x: Instance, c: Curve, rub: Any, delta: Any, corrected: bool) -> Any:
    r"""m times the last two terms of $\mathcal L_T$."""
    log = np.log(8 * np.log(0 * x.star + x.T) / delta)
    factor = 1 / (0 * x.star + x.T) if corrected else x.m / (0 * x.star + x.T) / x.T
    linear = on(larger, log)(16 * c.G * c.G, 6 * c.alpha * c.reach) / (c.alpha * x.T)
    return 4 * c.G * root(factor * rub * log / c.alpha) + linear * log


def _terms(x: Instance, r: Reading) -> tuple[Training, Curve, Array, Any, Any]:
    t, c = training(x, r.every), curve(x, r.every)
    star = c.least if r.least else c.anchored
    size = 2 * (x.m + star + t.bound)
    if r.regret:
        return t, c, regrets(x), star, size + 8 * c.reach
    return t, c, t.realised if r.realised else 0 * t.risk + t.bound, star, size


def in_expectation(r: Reading) -> Callable[[Instance], tuple[Sides, ...]]:
    """thm:o2b/expectation in one reading."""

    def sides(x: Instance) -> tuple[Sides, ...]:
        t, c, rub, star, size = _terms(x, r)
        excess = x.m * (t.risk - risk_at(x, x.star)) - star - rub
        return at_worst(excess, rub, t.prob, lambda u, delta: deviation(x, c, u, delta, r.corrected))

    return sides


def second_line(r: Reading) -> Callable[[Instance], tuple[Sides, ...]]:
    r"""The second line of the proof: thm:o2bsc with probability $1-\delta/2$."""

    def sides(x: Instance) -> tuple[Sides, ...]:
        t, c, rub, star, size = _terms(x, r)
        bound = lambda u, delta: deviation(x, c, u, delta, r.corrected)  # noqa: E731
        return at_worst(t.upper - star - rub, rub, t.prob, bound, share=2)

    return sides


def first_line(x: Instance) -> tuple[Sides, ...]:
    r"""$E\ell_P(\bar\theta) \le E\ell_P(\theta^\ast) + EU(\bar s)/m$ for every training sequence."""
    t = training(x)
    best = risk_at(x, x.star)
    pairs = zip(t.risk, t.upper / x.m, strict=True)
    return tuple(Sides(risk - best, upper, risk + best + upper) for risk, upper in pairs)


def self_bounded(r: Reading) -> Callable[[Instance], tuple[Sides, ...]]:
    """thm:o2b/self-bounded in one reading: the fresh task's sample belongs to what happens with some probability."""

    def sides(x: Instance) -> tuple[Sides, ...]:
        t, c, rub, star, size = _terms(x, r)
        prob, risk, rub = with_sample(x, t, rub)

        def bound(u: Any, delta: Any) -> Any:
            log, moved = np.log(2 / delta), deviation(x, c, u, delta, r.corrected)
            return moved + root(2 * x.rho * (star + u + moved) * log) + (3 * x.rho + 2) * log

        return at_worst(x.m * (risk - risk_at(x, x.star)) - star - rub, rub, prob, bound)

    return sides


def with_sample(x: Instance, t: Training, rub: Array) -> tuple[Array, Array, Array]:
    r"""Training and a fresh sample of every task: probability, $E_{P\sim Q}\ell_P(\bar\theta)$, and RUB."""
    if _is_tall(x):
        if x.trigger:
            return t.prob * x.q[1], 0 * t.risk + x.M.slope[1] * x.states[0] * (x.m - 1) / x.m, rub
        return t.prob, t.risk, rub
    o = outcomes_of(x)
    risks = plays_from(x, o, listing(x).training.state).risk
    each = len(o.chance) // len(x.q)
    prob, risk = t.prob[:, None], 0 * t.prob[:, None]
    for j, q in enumerate(x.q):
        if q > 0:
            block = slice(j * each, j * each + each)
            prob = (prob[:, :, None] * (o.chance[block] / q)).reshape(len(t.prob), -1)
            risk = (risk[:, :, None] + q * risks[:, None, block]).reshape(len(t.prob), -1)
    return prob.ravel(), risk.ravel(), np.repeat(rub, prob.shape[1])


# generators ----------------------------------------------------------------------------------------------------------
def _listed_game(draw: Draw, shortest: int) -> Instance:
    """Gradient descent; where a game is too short, or its fresh samples too many, two tasks of one loss each."""
    x = transfer_game(draw, (OGD,))
    J, K = len(x.q), len(x.M.p) // len(x.q)
    samples, sequences = K ** (x.m * J), x.T + 1 if x.long else (J * K**x.m) ** x.T
    if x.T < (2 if shortest else 1) or (J > 1 and samples * sequences > LISTED):
        x.M, x.T, x.states = Mixture(*(part[::K] for part in x.M)), 2, draw.unit(4)[: 1 + J]
        x.M.p[:] = 0 * x.M.p + 1
        x.long = False
    return Instance(**vars(x), star=draw.unit(), anchor=draw.unit(), rho=draw.number(4), budget=-1, trigger=False)


def fast_game(draw: Draw, shortest: int = 0, longest: int = 24, widest: int = 8, step: int = 1) -> Instance:
    r"""A listed game or a tall one, of one task at least, or of two for `shortest` > 0."""
    return tall_game(draw, shortest, longest, widest, step) if draw.boolean() else _listed_game(draw, shortest)


def _two_tasks(draw: Draw) -> Instance:
    return fast_game(draw, 1)


def _squares(x: Instance) -> Instance:
    r"""The same game; where it is listed, the losses are $(\theta - z_k)^2$, whose excess is 4-self-bounded."""
    if not _is_tall(x):
        none = 0 * x.M.p
        x.M = x.M._replace(base=none, slope=none, bend=none + 1, corner=none)
    return x


def _any_sample(draw: Draw) -> Instance:
    return _squares(fast_game(draw))


def _two_tasks_any_sample(draw: Draw) -> Instance:
    return _squares(fast_game(draw, 1))


def _every_sample(draw: Draw) -> Instance:
    r"""No trigger, so that in tall games U bounds the regret on every sample of a task. There T and m are powers of 16,
    T often a high one."""
    x = _squares(fast_game(draw, 9 if draw.boolean() else 1, longest=12, widest=9, step=4))
    x.trigger = False
    return x


GAME = (
    *TRANSFER,
    Assumption(r"\theta^\ast,s^\ast\in[0,1]", lambda x: min(x.star, 1 - x.star, x.anchor, 1 - x.anchor)),
    Assumption(r"\alpha,\rho>0", lambda x: min(curve(x).alpha, x.rho)),
)
SELF_BOUNDED_GAME = (
    *GAME,
    Assumption(SELF_BOUNDING, lambda x: x.rho if _is_tall(x) else self_bounding(x)),  # no excess of a tall game varies
)

# statements ----------------------------------------------------------------------------------------------------------
WHP = r"\qquad\text{w.p. }1-\delta"
MEAN = r"\E_{\mathcal P\sim\Q}\E_{\mathcal P^m}\ell_{\mathcal P}(\bar\theta)"
DRAWN = r"\E_{\mathcal P\sim\Q}\ell_{\mathcal P}(\bar\theta)"
BEST = r"\E_{\mathcal P\sim\Q}\ell_{\mathcal P}(\theta^\ast)"
LOG = r"\log\frac{8\log T}\delta"
LAST = rf"\frac{{\max\{{16G^2,6\alpha B\sqrt m\}}}}{{\alpha mT}}{LOG}"
SAMPLE = r"+\sqrt{\frac{2\rho\mathcal L_T}m\log\frac2\delta}+\frac{3\rho+2}m\log\frac2\delta"


def _terms_of(star: str, corrected: bool, regret: bool = False) -> str:
    printed, right = r"\frac{4G}T\sqrt{\frac\RUB{\alpha m}", r"\frac{4G}m\sqrt{\frac\RUB{\alpha T}"
    paid, second = r"\RUB", right if corrected else printed
    if regret:
        paid, second = r"\frac1T\R_T", r"\frac{4G}{mT}\sqrt{\frac{\R_T}\alpha"
    return rf"\frac{{{star}+{paid}}}m+{second}{LOG}}}+{LAST}"


def _loss(r: Reading) -> str:
    least, drawn = r"\min_x\E_{\mathcal P\sim\Q}\U(x)", r"\E_{\mathcal P\sim\Q}\U(s^\ast)"
    return _terms_of(least if r.least else drawn, r.corrected, r.regret)


def _claim(label: str, r: Reading, game: Any, note: str, sample: bool = False, **more: Any) -> Statement:
    lhs, rhs = (DRAWN, r"\mathcal L_T" + SAMPLE) if sample else (MEAN, r"\mathcal L_T")
    slug, _, reading = label.partition("/")
    part = f"{slug}/{reading.partition('/')[0]}"
    return Statement(
        label=label, kind="theorem", number="E.3" if slug == "thm:o2b" else "5.1",
        title="Fast transfer for strongly convex upper bounds" + (": self-bounded losses" if sample else ""),
        latex=rf"\begin{{aligned}}&{lhs}\le{BEST}+{rhs}{WHP},\\&\mathcal L_T={_loss(r)}\end{{aligned}}",
        instance=game, sides=(self_bounded if sample else in_expectation)(r),
        assumptions=SELF_BOUNDED_GAME if sample else GAME, note=note,
        uses=("thm:o2bsc", "def:convex", *(("cor:o2bsb", "def:selfbounding") if sample else ("prp:o2bexp",))),
        part_of=slug if label == part else part, **more,
    )  # fmt: skip


def _step(n: str, latex: str, sides: Any, note: str, game: Any = _two_tasks, **more: Any) -> Statement:
    return Statement(
        label=f"thm:o2b/proof-{n}", kind="proof step", number="E.3", title=f"Line {n[0]} of the proof", latex=latex,
        instance=game, sides=sides, assumptions=GAME, note=note, step_of="thm:o2b/expectation", **more,
    )  # fmt: skip


def _moved(corrected: bool) -> str:
    return (
        rf"\frac1m\E_{{\mathcal P\sim\Q}}\U_m(\bar s)\le{_terms_of(STAR, corrected)}"
        r"\qquad\text{w.p. }1-\frac\delta2"
    )


STAR = r"\E_{\mathcal P\sim\Q}\U_m(s^\ast)"
WORST = r"$\RUB$ is the largest average of upper bounds of any sequence of tasks."
OF_SEQUENCE = r"$\RUB=\frac1T\sum_t\U_t(s_t)$ of the sequence itself: this claims more."
ONE = r"At $T=1$ the bound holds $\log0$."
SLOW = (
    r"$T\RUB$ bounds the regret of the states, and thm:o2bsc then has $\frac{4G}m\sqrt{\RUB/(\alpha T)}$: as printed, "
    r"that term is too small by $\sqrt{T/m}$, which tells from $2^{18}=262144$ tasks on in this family."
)
RIGHT = r"With $\frac{4G}m\sqrt{\RUB/(\alpha T)}$, for $T\ge2$."
NOT_FAST = (
    r"$\RUB$ need not vanish with $T$ (that of OGD at a fixed rate is at least $\frac12\eta G^2m$): then the second "
    r"term is of the order $T^{-\frac12}$, as in part 1. The fast rate in $T$ of section 5 rests on the printed "
    r"factor; /regret has one."
)
FAST = (
    r"What thm:o2bsc gives for the $\U_t$, $T\ge2$: $\R_T=\max\{0,\sum_t\U_t(s_t)-\min_s\sum_t\U_t(s)\}$ of the "
    r"sequence itself has the place of $T\cdot\RUB\ge\R_T$, so that $\U^\ast$ counts once. Follow the leader has "
    r"$\R_T\le\frac{G^2}{2\alpha}(1+\log T)$; then all but $\U^\ast/m$ is $\tilde{\mathcal O}(1/T)$, the fast rate in "
    r"the number of tasks that section 5 speaks of."
)
TRIGGER = (
    r"$\U$ may depend on the sample, as that of OGD does. A learner that plays badly once the first loss of a task was "
    r"a rare one does so with the new task with more than $\delta$, and seldom in training."
)
EVERY = r"$\U$ bounds the regret on every sample of a task: of OGD it is the largest over the samples."
TELLS = r"$T\ge2$; the term that is too small tells from about $10^9$ tasks of $10^6$ rounds on."
IN_EXPECTATION = ("thm:o2b/expectation", "thm:o2b/expectation/two-tasks", "thm:o2b/expectation/realised")
STATEMENTS: tuple[Statement, ...] = (
    _claim("thm:statistical/3", Reading(least=True), fast_game, f"{WORST} {ONE} {SLOW}"),
    _claim("thm:statistical/3/corrected", Reading(realised=True, least=True, corrected=True), _two_tasks,
           f"{RIGHT} {OF_SEQUENCE} {NOT_FAST}", corrects=("thm:statistical/3/two-tasks", "thm:statistical/3")),
    _claim("thm:statistical/3/regret", Reading(least=True, corrected=True, regret=True), _two_tasks, FAST,
           corrects=("thm:statistical/3/two-tasks", "thm:statistical/3")),
    _claim("thm:statistical/3/two-tasks", Reading(least=True), _two_tasks, rf"$T\ge2$. {WORST} {SLOW}"),
    _claim("thm:statistical/3-in-2", Reading(least=True), _any_sample, f"{WORST} {ONE} {TRIGGER}", sample=True),
    _claim("thm:statistical/3-in-2/two-tasks", Reading(least=True), _two_tasks_any_sample,
           rf"$T\ge2$. {WORST} {TRIGGER}", sample=True),
    _claim("thm:statistical/3-in-2/corrected", Reading(realised=True, least=True, corrected=True, every=True),
           _every_sample, f"{RIGHT} {OF_SEQUENCE} {EVERY}", sample=True,
           corrects=("thm:statistical/3-in-2/two-tasks", "thm:statistical/3-in-2")),
    _claim("thm:o2b/expectation", Reading(), fast_game, f"{WORST} {ONE} {SLOW}"),
    _claim("thm:o2b/expectation/two-tasks", Reading(), _two_tasks, rf"$T\ge2$. {WORST} {SLOW}"),
    _claim("thm:o2b/expectation/realised", Reading(realised=True), _two_tasks, rf"$T\ge2$. {OF_SEQUENCE} {SLOW}"),
    _claim("thm:o2b/expectation/corrected", Reading(realised=True, corrected=True), _two_tasks,
           rf"{RIGHT} {OF_SEQUENCE} {NOT_FAST}", corrects=IN_EXPECTATION),
    _claim("thm:o2b/expectation/regret", Reading(corrected=True, regret=True), _two_tasks, FAST,
           corrects=IN_EXPECTATION),
    _claim("thm:o2b/self-bounded", Reading(), _any_sample, f"{WORST} {ONE} {TRIGGER}", sample=True),
    _claim("thm:o2b/self-bounded/two-tasks", Reading(), _two_tasks_any_sample, rf"$T\ge2$. {WORST} {TRIGGER}",
           sample=True),
    _claim("thm:o2b/self-bounded/every-sample", Reading(every=True), _every_sample, f"{WORST} {EVERY} {TELLS}",
           sample=True),
    _claim("thm:o2b/self-bounded/corrected", Reading(realised=True, corrected=True, every=True), _every_sample,
           f"{RIGHT} {OF_SEQUENCE} {EVERY}", sample=True,
           corrects=("thm:o2b/self-bounded", "thm:o2b/self-bounded/two-tasks", "thm:o2b/self-bounded/every-sample")),
    _step("1", rf"{MEAN}\le{BEST}+\frac1m\E_{{\mathcal P\sim\Q}}\U_m(\bar s)", first_line,
          "For every sequence of tasks.", fast_game, uses=("prp:o2bexp",)),
    _step("2", _moved(False), second_line(Reading()), rf"$T\ge2$. {WORST} {SLOW}", uses=("thm:o2bsc",)),
    _step("2/corrected", _moved(True), second_line(Reading(realised=True, corrected=True)), f"{RIGHT} {OF_SEQUENCE}",
          uses=("thm:o2bsc",), corrects=("thm:o2b/proof-2",)),
)  # fmt: skip
