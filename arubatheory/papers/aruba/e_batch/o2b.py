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

Games are listed in full (`transfer`, gradient descent with a fixed rate) or have up to $2^{48}$ tasks
(`many_tasks`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import transfer, trigger
from arubatheory.papers.aruba.games.many_tasks import budgeted, tall_game, uppers
from arubatheory.papers.aruba.games.samples import in_unit, nonnegative, slope_bound, squares
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import Mixture, minimiser
from arubatheory.problems.scalar import larger
from arubatheory.statements.chance import at_worst
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import root

LISTED = 1024  # training sequences times samples of a fresh task, at most


class Groups(NamedTuple):
    r"""Groups of training sequences: their probability, $E_{P^m}\ell_P(\bar\theta)$ averaged over Q, $EU(\bar s)$, and
    their RUB; and the largest RUB of any sequence."""

    prob: Array
    risk: Array
    upper: Array
    realised: Array
    bound: Any


class UpperBound(NamedTuple):
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


# games -------------------------------------------------------------------------------------------------------------
def _is_tall(x: Instance) -> bool:
    return bool(x.budget >= 0)


def _one(x: Instance, value: Any) -> Array:
    return 0 * x.q[:1] + value


def groups(x: Instance, every: bool = False) -> Groups:
    """The training sequences of a game; with `every`, U is the largest over the samples of its task."""
    if _is_tall(x):
        b, upper = budgeted(x), x.q @ uppers(x, x.states[0])
        prob, risk, realised = (_one(x, part) for part in (b.prob, transfer.risk_at(x, x.states[0]), b.realised))
        return Groups(prob, risk, _one(x, upper), realised, b.bound)
    g = transfer.listing(x)
    o, prob, plays = g.outcomes, g.training.prob, transfer.plays_from(x, g.outcomes, g.training.state)
    realised = trigger.over_training(x, g, _uppers_of(o, g.plays.upper, every))
    upper = transfer.expected(o, _uppers_of(o, plays.upper, every))
    return Groups(prob, transfer.expected(o, plays.risk), upper, realised, max(realised[prob > 0]))


def regrets(x: Instance) -> Array:
    r"""$R/T$ of each of the `groups`, U of every sample its own. In a tall game at most `budget` tasks 1 have come:
    a maximum over s of what is linear in their number is largest at an end. Of gradient descent,
    $\sum_t(\theta_t^\ast - s)^2$ is least at the mean of the $\theta_t^\ast$."""
    if _is_tall(x):
        shares = [np.array([x.T - n, n]) / (0 * x.q + x.T) for n in (0, x.budget)]
        best = [uppers(x, on(minimiser, x.star)(x.M, share)) for share in shares]
        return _one(x, max(s @ (uppers(x, x.states[0]) - b) for s, b in zip(shares, best, strict=True)))
    g = transfer.listing(x)
    star, none = g.outcomes.star, 0 * g.plays.upper
    away = star - x.states[:, None]
    paid, square, mean = (trigger.over_training(x, g, none + value) for value in (away * away, star * star, star))
    return nonnegative((paid - square + mean * mean) / (2 * x.eta))


def _uppers_of(o: transfer.Outcomes, upper: Array, every: bool) -> Array:
    return trigger.largest_of_task(upper, o.chance, o.task) if every else upper


def _best_state(x: Instance, o: transfer.Outcomes, every: bool) -> Any:
    r"""The s of the least $EU(s)$ of gradient descent, $U = (\theta^\ast - s)^2/(2\eta)$ and a constant: the largest
    over $\theta^\ast \in [c - r, c + r]$ is $((s - c)^2 + 2r|s - c| + r^2)/(2\eta)$ and the constant."""
    if not every:
        return o.chance @ o.star
    stars = [o.star[(o.task == j) & ((o.chance > 0) | (q == 0))] for j, q in enumerate(x.q)]
    low, high = (np.array([end(s) for s in stars], x.q.dtype) for end in (min, max))
    r, none = (high - low) / 2, 0 * x.q
    return on(minimiser, x.star)(Mixture(x.q, r * r, none, none + 1, 2 * r, (low + high) / 2), x.q)


def upper_bound(x: Instance, every: bool = False) -> UpperBound:
    """What is known of U. Gradient descent's is a quadratic around the best action of the sample; with `every`, the
    largest of those of its task."""
    ends = np.array([0 * x.star, 0 * x.star + 1, x.anchor, x.anchor], dtype=x.q.dtype)
    if _is_tall(x):
        ends[3] = on(minimiser, x.star)(x.M, x.q)
        values = np.array([uppers(x, s) for s in ends], dtype=x.q.dtype)
        chance, alpha, G = x.q, 2 * x.m * min(x.M.bend), x.m * slope_bound(x.M)
    else:
        o = transfer.outcomes_of(x)
        ends[3] = _best_state(x, o, every)
        values, chance, alpha = _uppers_of(o, transfer.plays_from(x, o, ends).upper, every), o.chance, 1 / x.eta
        G = max(max(o.star), 1 - min(o.star)) / x.eta
    return UpperBound(alpha, G, max(values[:2, chance > 0].ravel()), values[2] @ chance, values[3] @ chance)


def _listed_game(draw: Draw, shortest: int) -> Instance:
    """Gradient descent; where a game is too short, or its fresh samples too many, two tasks of one loss each."""
    x = transfer.transfer_game(draw, (transfer.OGD,))
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


def _any_sample(draw: Draw, *size: int) -> Instance:
    r"""The same; where it is listed, the losses are $(\theta - z_k)^2$, whose excess is 4-self-bounded."""
    x = fast_game(draw, *size)
    if not _is_tall(x):
        x.M = squares(x.M)
    return x


def _every_sample(draw: Draw) -> Instance:
    r"""No trigger, so that in tall games U bounds the regret on every sample of a task. There T and m are powers of 16,
    T often a high one."""
    x = _any_sample(draw, 9 if draw.boolean() else 1, 12, 9, 4)
    x.trigger = False
    return x


GAME = (
    *transfer.TRANSFER,
    Assumption(r"\theta^\ast,s^\ast\in[0,1]", lambda x: in_unit([x.star, x.anchor])),
    Assumption(r"\alpha,\rho>0", lambda x: min(upper_bound(x).alpha, x.rho)),
)
SELF_BOUNDING = (
    *GAME,  # no excess of a tall game varies
    Assumption(trigger.SELF_BOUNDING, lambda x: x.rho if _is_tall(x) else trigger.self_bounding(x)),
)


# what is claimed ---------------------------------------------------------------------------------------------------
def deviation(x: Instance, c: UpperBound, rub: Any, delta: Any, corrected: bool) -> Any:
    r"""m times the last two terms of $\mathcal L_T$."""
    log = np.log(8 * np.log(0 * x.star + x.T) / delta)
    factor = 1 / (0 * x.star + x.T) if corrected else x.m / (0 * x.star + x.T) / x.T
    linear = on(larger, log)(16 * c.G * c.G, 6 * c.alpha * c.reach) / (c.alpha * x.T)
    return 4 * c.G * root(factor * rub * log / c.alpha) + linear * log


def _terms(x: Instance, r: Reading) -> tuple[Groups, UpperBound, Array, Any]:
    t, c = groups(x, r.every), upper_bound(x, r.every)
    rub = regrets(x) if r.regret else t.realised if r.realised else 0 * t.risk + t.bound
    return t, c, rub, c.least if r.least else c.anchored


def in_expectation(x: Instance, r: Reading) -> tuple[Sides, ...]:
    """thm:o2b/expectation in one reading."""
    t, c, rub, star = _terms(x, r)
    excess = x.m * (t.risk - transfer.risk_at(x, x.star)) - star - rub
    return at_worst(excess, rub, t.prob, lambda u, delta: deviation(x, c, u, delta, r.corrected))


def self_bounded(x: Instance, r: Reading) -> tuple[Sides, ...]:
    """thm:o2b/self-bounded in one reading: the fresh task's sample belongs to what happens with some probability."""
    t, c, rub, star = _terms(x, r)
    prob, risk, rub = with_sample(x, t, rub)

    def bound(u: Any, delta: Any) -> Any:
        log, moved = np.log(2 / delta), deviation(x, c, u, delta, r.corrected)
        return moved + root(2 * x.rho * (star + u + moved) * log) + (3 * x.rho + 2) * log

    return at_worst(x.m * (risk - transfer.risk_at(x, x.star)) - star - rub, rub, prob, bound)


def with_sample(x: Instance, t: Groups, rub: Array) -> tuple[Array, Array, Array]:
    r"""Training and a fresh sample of every task: probability, $E_{P\sim Q}\ell_P(\bar\theta)$, and RUB."""
    if _is_tall(x):
        if x.trigger:
            return t.prob * x.q[1], 0 * t.risk + x.M.slope[1] * x.states[0] * (x.m - 1) / x.m, rub
        return t.prob, t.risk, rub
    o = transfer.outcomes_of(x)
    risks = transfer.plays_from(x, o, transfer.listing(x).training.state).risk
    prob, (risk,) = trigger.with_fresh_samples(x.q, t.prob, o.task, trigger.given_task(x, o.chance, o.task), risks)
    return prob.ravel(), risk.ravel(), np.repeat(rub, prob.shape[1])


WHP = r"\qquad\text{w.p. }1-\delta"
MEAN = r"\E_{\mathcal P\sim\Q}\E_{\mathcal P^m}\ell_{\mathcal P}(\bar\theta)"
DRAWN = r"\E_{\mathcal P\sim\Q}\ell_{\mathcal P}(\bar\theta)"
BEST = r"\E_{\mathcal P\sim\Q}\ell_{\mathcal P}(\theta^\ast)"
LOG = r"\log\frac{8\log T}\delta"
LAST = rf"\frac{{\max\{{16G^2,6\alpha B\sqrt m\}}}}{{\alpha mT}}{LOG}"
SECOND = r"\frac{4G}T\sqrt{\frac\RUB{\alpha m}"
SAMPLE = r"+\sqrt{\frac{2\rho\mathcal L_T}m\log\frac2\delta}+\frac{3\rho+2}m\log\frac2\delta"


def _loss(star: str, r: Reading) -> str:
    r"""$\mathcal L_T$."""
    paid, second = r"\RUB", r"\frac{4G}m\sqrt{\frac\RUB{\alpha T}" if r.corrected else SECOND
    if r.regret:
        paid, second = r"\frac1T\R_T", r"\frac{4G}{mT}\sqrt{\frac{\R_T}\alpha"
    return rf"\frac{{{star}+{paid}}}m+{second}{LOG}}}+{LAST}"


def _bound(r: Reading, lhs: str = MEAN, sample: str = "") -> str:
    star = r"\min_x\E_{\mathcal P\sim\Q}\U(x)" if r.least else r"\E_{\mathcal P\sim\Q}\U(s^\ast)"
    claimed, loss = rf"{lhs}\le{BEST}+\mathcal L_T{sample}{WHP}", _loss(star, r)
    return rf"\begin{{aligned}}&{claimed},\\&\mathcal L_T={loss}\end{{aligned}}"


def _drawn(r: Reading) -> str:
    return _bound(r, DRAWN, SAMPLE)


PRINTED, REALISED, REGRET = Reading(), Reading(realised=True, corrected=True), Reading(regret=True, corrected=True)
EVERY = REALISED._replace(every=True)
LEAST, LEAST_REALISED, LEAST_REGRET, LEAST_EVERY = (r._replace(least=True) for r in (PRINTED, REALISED, REGRET, EVERY))
OF_SAMPLE = ("thm:o2bsc", "def:convex", "cor:o2bsb", "def:selfbounding")
FAST: dict[str, Any] = {"game": fast_game, "given": GAME, "uses": ("thm:o2bsc", "def:convex", "prp:o2bexp")}
FRESH: dict[str, Any] = {"game": _any_sample, "given": SELF_BOUNDING, "uses": OF_SAMPLE}
TWO_TASKS = FAST | {"game": lambda draw: fast_game(draw, 1)}
FRESH_TWO_TASKS = FRESH | {"game": lambda draw: _any_sample(draw, 1)}
EVERY_SAMPLE = FRESH | {"game": _every_sample}
PART, FRESH_PART = TWO_TASKS | {"part_of": "thm:o2b/expectation"}, {"part_of": "thm:o2b/self-bounded"}
THREE, IN_TWO = TWO_TASKS | {"part_of": "thm:statistical/3"}, {"part_of": "thm:statistical/3-in-2"}
WRONG = ("thm:o2b/expectation", "thm:o2b/expectation/two-tasks", "thm:o2b/expectation/realised")
FRESH_WRONG = ("thm:o2b/self-bounded", "thm:o2b/self-bounded/two-tasks", "thm:o2b/self-bounded/every-sample")
WRONG_THREE = ("thm:statistical/3/two-tasks", "thm:statistical/3")
IN_TWO_CORRECTED = EVERY_SAMPLE | IN_TWO | {"corrects": ("thm:statistical/3-in-2/two-tasks", "thm:statistical/3-in-2")}


# thm:o2b -----------------------------------------------------------------------------------------------------------
@claim("thm:o2b/expectation", _bound(PRINTED), **FAST)
def printed(x: Instance) -> tuple[Sides, ...]:
    r"""Fast transfer for strongly convex upper bounds.

    $\RUB$ is the largest average of upper bounds of any sequence of tasks. At $T=1$ the bound holds $\log0$. $T\RUB$
    bounds the regret of the states, and thm:o2bsc then has $\frac{4G}m\sqrt{\RUB/(\alpha T)}$: as printed, that term is
    too small by $\sqrt{T/m}$, which tells from $2^{18}=262144$ tasks on in this family."""
    return in_expectation(x, PRINTED)


@claim("thm:o2b/expectation/two-tasks", _bound(PRINTED), **PART)
def two_tasks(x: Instance) -> tuple[Sides, ...]:
    r"""Fast transfer for strongly convex upper bounds.

    $T\ge2$. $\RUB$ is the largest average of upper bounds of any sequence of tasks. $T\RUB$ bounds the regret of the
    states, and thm:o2bsc then has $\frac{4G}m\sqrt{\RUB/(\alpha T)}$: as printed, that term is too small by
    $\sqrt{T/m}$, which tells from $2^{18}=262144$ tasks on in this family."""
    return in_expectation(x, PRINTED)


@claim("thm:o2b/expectation/realised", _bound(PRINTED), **PART)
def realised(x: Instance) -> tuple[Sides, ...]:
    r"""Fast transfer for strongly convex upper bounds.

    $T\ge2$. $\RUB=\frac1T\sum_t\U_t(s_t)$ of the sequence itself: this claims more. $T\RUB$ bounds the regret of the
    states, and thm:o2bsc then has $\frac{4G}m\sqrt{\RUB/(\alpha T)}$: as printed, that term is too small by
    $\sqrt{T/m}$, which tells from $2^{18}=262144$ tasks on in this family."""
    return in_expectation(x, Reading(realised=True))


@claim("thm:o2b/expectation/corrected", _bound(REALISED), corrects=WRONG, **PART)
def corrected(x: Instance) -> tuple[Sides, ...]:
    r"""Fast transfer for strongly convex upper bounds.

    With $\frac{4G}m\sqrt{\RUB/(\alpha T)}$, for $T\ge2$. $\RUB=\frac1T\sum_t\U_t(s_t)$ of the sequence itself: this
    claims more. $\RUB$ need not vanish with $T$ (that of OGD at a fixed rate is at least $\frac12\eta G^2m$): then the
    second term is of the order $T^{-\frac12}$, as in part 1. The fast rate in $T$ of section 5 rests on the printed
    factor; /regret has one."""
    return in_expectation(x, REALISED)


@claim("thm:o2b/expectation/regret", _bound(REGRET), corrects=WRONG, **PART)
def by_regret(x: Instance) -> tuple[Sides, ...]:
    r"""Fast transfer for strongly convex upper bounds.

    What thm:o2bsc gives for the $\U_t$, $T\ge2$: $\R_T=\max\{0,\sum_t\U_t(s_t)-\min_s\sum_t\U_t(s)\}$ of the sequence
    itself has the place of $T\cdot\RUB\ge\R_T$, so that $\U^\ast$ counts once. Follow the leader has
    $\R_T\le\frac{G^2}{2\alpha}(1+\log T)$; then all but $\U^\ast/m$ is $\tilde{\mathcal O}(1/T)$, the fast rate in the
    number of tasks that section 5 speaks of."""
    return in_expectation(x, REGRET)


@claim("thm:o2b/self-bounded", _drawn(PRINTED), **FRESH)
def fresh(x: Instance) -> tuple[Sides, ...]:
    r"""Fast transfer for strongly convex upper bounds: self-bounded losses.

    $\RUB$ is the largest average of upper bounds of any sequence of tasks. At $T=1$ the bound holds $\log0$. $\U$ may
    depend on the sample, as that of OGD does. A learner that plays badly once the first loss of a task was a rare one
    does so with the new task with more than $\delta$, and seldom in training."""
    return self_bounded(x, PRINTED)


@claim("thm:o2b/self-bounded/two-tasks", _drawn(PRINTED), **FRESH_PART, **FRESH_TWO_TASKS)
def fresh_two_tasks(x: Instance) -> tuple[Sides, ...]:
    r"""Fast transfer for strongly convex upper bounds: self-bounded losses.

    $T\ge2$. $\RUB$ is the largest average of upper bounds of any sequence of tasks. $\U$ may depend on the sample, as
    that of OGD does. A learner that plays badly once the first loss of a task was a rare one does so with the new task
    with more than $\delta$, and seldom in training."""
    return self_bounded(x, PRINTED)


@claim("thm:o2b/self-bounded/every-sample", _drawn(PRINTED), **FRESH_PART, **EVERY_SAMPLE)
def fresh_every_sample(x: Instance) -> tuple[Sides, ...]:
    r"""Fast transfer for strongly convex upper bounds: self-bounded losses.

    $\RUB$ is the largest average of upper bounds of any sequence of tasks. $\U$ bounds the regret on every sample of a
    task: of OGD it is the largest over the samples. $T\ge2$; the term that is too small tells from about $10^9$ tasks
    of $10^6$ rounds on."""
    return self_bounded(x, Reading(every=True))


@claim("thm:o2b/self-bounded/corrected", _drawn(EVERY), corrects=FRESH_WRONG, **FRESH_PART, **EVERY_SAMPLE)
def fresh_corrected(x: Instance) -> tuple[Sides, ...]:
    r"""Fast transfer for strongly convex upper bounds: self-bounded losses.

    With $\frac{4G}m\sqrt{\RUB/(\alpha T)}$, for $T\ge2$. $\RUB=\frac1T\sum_t\U_t(s_t)$ of the sequence itself: this
    claims more. $\U$ bounds the regret on every sample of a task: of OGD it is the largest over the samples."""
    return self_bounded(x, EVERY)


# section 5, part 3: min E U has the place of E U(s*) ---------------------------------------------------------------
def _as(other: Statement) -> dict[str, str]:
    """Title and note of another statement."""
    return {"title": other.title, "note": other.note}


three = claim("thm:statistical/3", _bound(LEAST), **FAST, **_as(printed))(lambda x: in_expectation(x, LEAST))
three_corrected = claim(
    "thm:statistical/3/corrected", _bound(LEAST_REALISED), **THREE, corrects=WRONG_THREE, **_as(corrected)
)(lambda x: in_expectation(x, LEAST_REALISED))
three_by_regret = claim(
    "thm:statistical/3/regret", _bound(LEAST_REGRET), **THREE, corrects=WRONG_THREE, **_as(by_regret)
)(lambda x: in_expectation(x, LEAST_REGRET))
three_two_tasks = claim("thm:statistical/3/two-tasks", _bound(LEAST), **THREE, **_as(two_tasks))(
    lambda x: in_expectation(x, LEAST)
)
in_two = claim("thm:statistical/3-in-2", _drawn(LEAST), **FRESH, **_as(fresh))(lambda x: self_bounded(x, LEAST))
in_two_two_tasks = claim(
    "thm:statistical/3-in-2/two-tasks", _drawn(LEAST), **IN_TWO, **FRESH_TWO_TASKS, **_as(fresh_two_tasks)
)(lambda x: self_bounded(x, LEAST))
in_two_corrected = claim(
    "thm:statistical/3-in-2/corrected", _drawn(LEAST_EVERY), **IN_TWO_CORRECTED, **_as(fresh_corrected)
)(lambda x: self_bounded(x, LEAST_EVERY))


# its proof ---------------------------------------------------------------------------------------------------------
STEP = TWO_TASKS | {"step_of": "thm:o2b/expectation", "uses": ("thm:o2bsc",)}
UPPER = r"\frac1m\E_{\mathcal P\sim\Q}\U_m(\bar s)"
HALF, STAR = r"\qquad\text{w.p. }1-\frac\delta2", r"\E_{\mathcal P\sim\Q}\U_m(s^\ast)"


@claim("thm:o2b/proof-1", rf"{MEAN}\le{BEST}+{UPPER}", **STEP | {"game": fast_game, "uses": ("prp:o2bexp",)})
def _line_one(x: Instance) -> tuple[Sides, ...]:
    """Line 1 of the proof.

    For every sequence of tasks."""
    t = groups(x)
    return tuple(map(Sides, t.risk - transfer.risk_at(x, x.star), t.upper / x.m))


def second_line(x: Instance, r: Reading) -> tuple[Sides, ...]:
    r"""The second line of the proof: thm:o2bsc with probability $1-\delta/2$."""
    t, c, rub, star = _terms(x, r)
    excess = t.upper - star - rub
    return at_worst(excess, rub, t.prob, lambda u, delta: deviation(x, c, u, delta, r.corrected), share=2)


@claim("thm:o2b/proof-2", rf"{UPPER}\le{_loss(STAR, PRINTED)}{HALF}", **STEP)
def _line_two(x: Instance) -> tuple[Sides, ...]:
    r"""Line 2 of the proof.

    $T\ge2$. $\RUB$ is the largest average of upper bounds of any sequence of tasks. $T\RUB$ bounds the regret of the
    states, and thm:o2bsc then has $\frac{4G}m\sqrt{\RUB/(\alpha T)}$: as printed, that term is too small by
    $\sqrt{T/m}$, which tells from $2^{18}=262144$ tasks on in this family."""
    return second_line(x, PRINTED)


@claim("thm:o2b/proof-2/corrected", rf"{UPPER}\le{_loss(STAR, REALISED)}{HALF}", **STEP)
def _line_two_corrected(x: Instance) -> tuple[Sides, ...]:
    r"""Line 2 of the proof.

    With $\frac{4G}m\sqrt{\RUB/(\alpha T)}$, for $T\ge2$. $\RUB=\frac1T\sum_t\U_t(s_t)$ of the sequence itself: this
    claims more."""
    return second_line(x, REALISED)
