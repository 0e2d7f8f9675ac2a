r"""Appendix E: transfer with high probability for self-bounded losses (thm:o2bwhp), and section 5, part 2.

On the left is $E_{P\sim Q}\ell_P(\bar\theta)$ without $E_{P^m}$, so that $\bar\theta$ depends on fresh samples and
"with probability $1-\delta$" speaks of them and of the training tasks together. Where nothing else is said, every P has
an independent fresh sample; $\theta^\ast$ is the best action of each task, which makes the right side smaller than any
common $\theta^\ast$ does; B is the smallest that fits.

*What fails.* Line 1 of the proof applies cor:o2bsb to the fresh sample, and that has a constant for the regret: its
$U_m(\bar s)$ must bound the regret on every sample of the task. (With the $U_m$ of the fresh sample itself line 1 fails
for a learner that stops, as thm:o2bsb does.) Line 3 bounds $E_{P\sim Q}U_m(s_t)$ by what the samples of the training
tasks show. Nothing bounds the one by the other where U depends on the sample, as that of OGD does through
$\theta_t^\ast$: let the learner play 1 for the rest of a task if its first loss is of a kind that comes with
probability q, else 0. With probability q the excess risk is near 1, while $\RUB_T/m$ is near q. Not even a bound for
every training sequence helps: the meta-learner may be careless until it was hurt once.

*What holds.* Let $U_P(s)$ bound the regret on every sample of P. Write $\mu$ for the average over $i\le m$ of the
excess risk of $\theta_i$, and $u = U_P(s)/m$. By Bernstein's inequality and self-bounding, for
$\lambda\in(0,\frac32)$,
$$E_{P^m}\exp(m\lambda(\mu(1-\kappa)-u))\le1,\qquad\kappa=\frac{\rho\lambda}{2(1-2\lambda/3)}.$$
exp is convex, so $\mu$ and u may be averaged over $P\sim Q$ (and over t), whatever their samples have to do with each
other. The averages $\bar\mu,\bar u$ thus have $\bar\mu(1-\kappa)\le\bar u+\frac1{\lambda m}\log\frac1\delta$
w.p. $1-\delta$, and as $\bar u$ is no random variable once the training is over, $\lambda$ may be the best for it:
$\bar\mu\le\bar u+\sqrt{2\rho\bar ul}+(2\rho+\frac43)l$, $l=\frac1m\log\frac1\delta$. By Hoeffding's inequality
$\bar u\le\RUB_T/m+B\sqrt{\log(1/\delta)/(2mT)}$, and $\frac12$ leaves so much room to 8 that $\log\frac1\delta$ in
section 5 is enough as well: bad events of $\delta^{16}$ and $\frac\delta2$, the second whatever the training was, are
avoided with probability $(1-\delta^{16})(1-\frac\delta2)\ge1-\delta$.

*Line 1.* It has $E_{P\sim Q}\sqrt{U_P}$ for $\sqrt{E_{P\sim Q}U_P}$, which is less. With fresh samples that are
independent given the tasks, and weights $q_P$ of these, every P may have a $\lambda_P$ of its own in
$E\exp(\sum_P\lambda_P(M_P(1-\kappa_P)-U_P))\le1$, where $M_P = m\mu_P$. With $\lambda_P(1-\kappa_P) = cq_P$ and
$B = 2\rho + \frac43$ it is $1/(1-\kappa_P) \le 1 + \frac\rho2cq_P/(1-Bc)$ for $c < 1/B$, so that
$\sum_Pq_PM_P \le \sum_Pq_PU_P + \frac\rho2c\sum_Pq_P^2U_P/(1-Bc) + l/c$ w.p. $1-e^{-l}$. The best c leaves
$\sqrt{2\rho l\sum_Pq_P^2U_P} + Bl$, and $\sqrt{\sum_Pq_P^2U_P} \le \sum_Pq_P\sqrt{U_P}$. With the $U_m$ of the fresh
samples, $\bar U = E_{P\sim Q}U_m(\bar s)$ is random, and a union over its levels 0, ..., m is paid for, as in
`selfbounding`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, approximate, is_exact
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.e_batch.o2b import BEST, DRAWN, SAMPLE
from arubatheory.papers.aruba.e_batch.o2bexp import AVERAGE, FRESH, MEAN, RISK, WHP
from arubatheory.papers.aruba.games import samples, stopping, transfer, trigger
from arubatheory.papers.aruba.games.samples import Threshold, nonnegative
from arubatheory.papers.aruba.games.trigger import EVERY, REALISED, RUB, SELF_BOUNDED, TAR, VALID, self_bounded_game
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Instance, Several, Sides
from arubatheory.statements.functions import root


# the right side, m times -------------------------------------------------------------------------------------------
def self_bounding_terms(bound: Any, rho: Any, L: Any) -> Any:
    r"""$r + \sqrt{2\rho rL} + (3\rho + 2)L$."""
    return bound + root(2 * rho * bound * L) + (3 * rho + 2) * L


def printed(params: tuple[Any, ...], L: Any) -> Any:
    r"""thm:o2bwhp: $r = R + b\sqrt{8\log(2/\delta)/T}$ with b = m for R = TAR and $B\sqrt m$ for RUB."""
    bound, reach, T, rho = params
    L = L + np.log(0 * L + 2)
    return self_bounding_terms(bound + reach * root(8 * L / T), rho, L)


def section_five(params: tuple[Any, ...], L: Any) -> Any:
    r"""thm:statistical/2: $\log\frac1\delta$ in $\mathcal L_T$."""
    bound, reach, T, rho = params
    return self_bounding_terms(bound + reach * root(8 * L / T), rho, L + np.log(0 * L + 2))


def with_worst_sample(params: tuple[Any, ...], L: Any) -> Any:
    r"""thm:o2bwhp with $B\sqrt{\frac2m\log\frac2\delta}$ added to $\mathcal L_T$."""
    bound, reach, T, rho = params
    return printed((bound + reach * root(2 * (L + np.log(0 * L + 2))), reach, T, rho), L)


def nonnegative_root(params: tuple[Any, ...], L: Any) -> Any:
    r"""thm:o2bwhp with $\max\{\TAR_T, 0\}$ under the root."""
    bound, reach, T, rho = params
    return bound - nonnegative(bound) + printed((nonnegative(bound), reach, T, rho), L)


def pair_sides(gap: Array, prob: Array, params: tuple[Any, ...], threshold: Threshold, most: Any) -> Several:
    r"""`rising_sides` of pairs of a training sequence and fresh samples. Of most pairs floats see that they violate at
    no $\delta$: they stay out, which can only hide a violation. If all do, how far the worst falls short as
    $\delta\to1$ is what search can climb from."""
    everywhere = (np.broadcast_to(p, gap.shape) if isinstance(p, np.ndarray) else p for p in params)
    gap, prob, *rest = samples.where(prob > 0, gap, prob, *everywhere)
    with np.errstate(divide="ignore", invalid="ignore"):  # where a root does not exist, the pair stays in
        least, at = threshold(approximate(tuple(rest)), 2.0**samples.LOW), approximate(gap)
        reached = np.nanmax(at / least, initial=0)
    gap, prob, *rest = samples.where(~(at <= least), gap, prob, *rest)
    if not len(gap):
        return (Sides(0, 0) if is_exact(gap) else Sides(reached - 1, 1),)
    return samples.rising_sides(gap, prob, tuple(rest), threshold, most)


def transferred(
    x: Instance, part: str, reading: str, threshold: Threshold = printed, fresh: Callable[..., Any] = trigger.averaged
) -> Several:
    r"""thm:o2bwhp in one reading of $\TAR_T$ or $\RUB_T$ and of what is fresh: a sample of every task, or one task."""
    t = trigger.transfer(x, part, reading)
    weights, (excess,) = fresh(x, t, t.excess)
    return pair_sides(excess, weights, (t.bound[:, None], t.reach, x.T, x.rho), threshold, x.m)


# thm:o2bwhp --------------------------------------------------------------------------------------------------------
HALF = r"\qquad\text{w.p. }1-\frac\delta2"
LOG = r"\log\frac2\delta"
AZUMA = {TAR: rf"\sqrt{{\frac8T{LOG}}}", RUB: rf"B\sqrt{{\frac8{{mT}}{LOG}}}"}
SYMBOL = {TAR: r"\TAR_T", RUB: r"\RUB_T"}
STATE = {TAR: r"\E_{t\sim\mathcal U[T]}", RUB: ""}


def _bound(part: str, left: str = MEAN, right: str = MEAN, extra: str = "", under: str = "") -> str:
    symbol, azuma = SYMBOL[part], AZUMA[part] + extra
    return (
        rf"{STATE[part]}{left}{RISK}(\bar\theta)\le{right}{RISK}(\theta^\ast)+\frac{{{symbol}}}m"
        rf"+\sqrt{{\frac{{2\rho}}m\left(\frac{{{under or symbol}}}m+{azuma}\right){LOG}}}"
        rf"+{azuma}+\frac{{3\rho+2}}m{LOG}{WHP}"
    )


OF_RANDOM = _bound(TAR)
OF_THEOREM = ("cor:o2bsb", "prp:o2b/upper", "def:selfbounding", "eq:regret")
GAME: dict[str, Any] = {"game": self_bounded_game, "given": SELF_BOUNDED, "uses": OF_THEOREM}


@claim("thm:o2bwhp/tar", OF_RANDOM, **GAME)
def random_state(x: Instance) -> Several:
    r"""Transfer with high probability for self-bounded losses: a random state.

    Every P has a fresh sample of its own. $\TAR_T$ is the average regret of the training tasks; the root of a negative
    one need not exist. $\theta^\ast$ is the best action of each task, and B the smallest that fits."""
    return transferred(x, TAR, REALISED)


@claim("thm:o2bwhp/tar/nonnegative", _bound(TAR, under=r"\max\{\TAR_T,0\}"), **GAME)
def random_state_nonnegative(x: Instance) -> Several:
    r"""Transfer with high probability for self-bounded losses: a random state.

    Every P has a fresh sample of its own. $\TAR_T$ is the average regret of the training tasks, under the root
    $\max\{\TAR_T,0\}$. $\theta^\ast$ is the best action of each task, and B the smallest that fits."""
    return transferred(x, TAR, REALISED, nonnegative_root)


@claim("thm:o2bwhp/tar/every-sequence", OF_RANDOM, **GAME)
def random_state_every_sequence(x: Instance) -> Several:
    r"""Transfer with high probability for self-bounded losses: a random state.

    Every P has a fresh sample of its own. $\TAR_T$ is the least number that bounds the average regret on every training
    sequence. $\theta^\ast$ is the best action of each task, and B the smallest that fits."""
    return transferred(x, TAR, EVERY)


OF_TAR = ("thm:o2bwhp/tar", "thm:o2bwhp/tar/nonnegative", "thm:o2bwhp/tar/every-sequence")


@claim("thm:o2bwhp/tar/corrected", OF_RANDOM, corrects=OF_TAR, **GAME)
def random_state_corrected(x: Instance) -> Several:
    r"""Transfer with high probability for self-bounded losses: a random state.

    Every P has a fresh sample of its own. The bound of a task holds on every sample of it and may depend on the task.
    $\TAR_T$ is its average over the training tasks; it is never negative. With at most 128 tasks nothing came near it:
    $\sqrt{\frac8T\log\frac2\delta}$ alone is more than a fifth. $\theta^\ast$ is the best action of each task, and B
    the smallest that fits."""
    return transferred(x, TAR, VALID)


OF_AVERAGE = _bound(RUB)


@claim("thm:o2bwhp/rub", OF_AVERAGE, **GAME)
def average_state(x: Instance) -> Several:
    r"""Transfer with high probability for self-bounded losses: the average state.

    Every P has a fresh sample of its own. The bounds of the training tasks depend on their samples, as those of OGD do
    through $\theta_t^\ast$; $\RUB_T$ is their average. $\theta^\ast$ is the best action of each task, and B the
    smallest that fits."""
    return transferred(x, RUB, REALISED)


@claim("thm:o2bwhp/rub/every-sequence", OF_AVERAGE, **GAME)
def average_state_every_sequence(x: Instance) -> Several:
    r"""Transfer with high probability for self-bounded losses: the average state.

    Every P has a fresh sample of its own. The bounds of tasks depend on their samples; $\RUB_T$ is no less than their
    average on every training sequence. $\theta^\ast$ is the best action of each task, and B the smallest that fits."""
    return transferred(x, RUB, EVERY)


def alone(x: Instance, t: trigger.Transfer, excess: Array) -> tuple[Array, list[Array]]:
    """One fresh task with its sample: probabilities and m times the excess risks (n, A)."""
    return t.prob[:, None] * x.q[t.task] * t.chance, [excess]


@claim("thm:o2bwhp/rub/one-task", _bound(RUB, "", ""), **GAME)
def one_task(x: Instance) -> Several:
    r"""Transfer with high probability for self-bounded losses: the average state.

    One task and one sample are drawn, and both sides are about that task. The bound of a task holds on every sample of
    it and may depend on the task. $\theta^\ast$ is the best action of each task, and B the smallest that fits."""
    return transferred(x, RUB, VALID, fresh=alone)


def alone_on_the_left(x: Instance, t: trigger.Transfer, excess: Array) -> tuple[Array, list[Array]]:
    """The risk of one fresh task against the mean of the least risks."""
    least = trigger.least_risks(x)
    return alone(x, t, excess + x.m * (least - sum(x.q * least))[t.task])


@claim("thm:o2bwhp/rub/one-task/left", _bound(RUB, ""), **GAME)
def one_task_on_the_left(x: Instance) -> Several:
    r"""Transfer with high probability for self-bounded losses: the average state.

    One task and one sample are drawn; the right side keeps its mean over tasks. The bound of a task holds on every
    sample of it and may depend on the task. $\theta^\ast$ is the best action of each task, and B the smallest that
    fits."""
    return transferred(x, RUB, VALID, fresh=alone_on_the_left)


OF_RUB = ("thm:o2bwhp/rub", "thm:o2bwhp/rub/every-sequence", "thm:o2bwhp/rub/one-task", "thm:o2bwhp/rub/one-task/left")


@claim("thm:o2bwhp/rub/corrected", OF_AVERAGE, corrects=OF_RUB, **GAME)
def average_state_corrected(x: Instance) -> Several:
    r"""Transfer with high probability for self-bounded losses: the average state.

    Every P has a fresh sample of its own. The bound of a task holds on every sample of it and may depend on the task.
    This includes a $\U_m$ that is one function of the state for all tasks. With bounds that depend on the sample,
    thm:o2bexp/rub bounds the expectation over it. $\theta^\ast$ is the best action of each task, and B the smallest
    that fits."""
    return transferred(x, RUB, VALID)


WORST = _bound(RUB, extra=rf"+B\sqrt{{\frac2m{LOG}}}")


@claim("thm:o2bwhp/rub/corrected/worst-sample", WORST, corrects=OF_RUB[:1], **GAME)
def worst_sample(x: Instance) -> Several:
    r"""Transfer with high probability for self-bounded losses: the average state.

    Every P has a fresh sample of its own. The bounds of the training tasks depend on their samples, as those of OGD do
    through $\theta_t^\ast$; $\RUB_T$ is their average. The new term alone is more than any $\U_m/m$: nothing is left of
    what was learned. $\theta^\ast$ is the best action of each task, and B the smallest that fits."""
    return transferred(x, RUB, REALISED, with_worst_sample)


# line 1 of the proof -----------------------------------------------------------------------------------------------
def half(L: Any) -> Any:
    r"""Probability $\frac\delta2$ is left, so that it is less than 1/2: L is $\log\frac2\delta$, $\delta < 1$."""
    least = np.log(0 * L + 2)
    return np.where(L > least, L, least)


def fresh_terms(params: tuple[Any, ...], L: Any) -> Any:
    r"""$E_P(U + \sqrt{2\rho UL} + (3\rho + 2)L)$ of the fresh samples."""
    upper, roots, rho, _ = params
    return upper + roots * root(2 * rho * L) + (3 * rho + 2) * L


def fresh(params: tuple[Any, ...], L: Any) -> Any:
    r"""The same with $\log\frac2\delta$."""
    return fresh_terms(params, half(L))


def fresh_printed(params: tuple[Any, ...], L: Any) -> Any:
    r"""That with $\log\frac1\delta$, where probability $\frac\delta2$ is left for a violation."""
    rest = L - np.log(0 * L + 2)
    return np.where(rest > 0, fresh_terms(params, nonnegative(rest)), params[0])


def fresh_at_every_level(params: tuple[Any, ...], L: Any) -> Any:
    r"""$E_PU + \sqrt{2\rho E_PU\,l} + (3\rho + 4)l$, $l = L + \log(m + 1)$."""
    upper, _, rho, m = params
    L = half(L) + np.log(0 * L + m + 1)
    return self_bounding_terms(upper, rho, L) + 2 * L


def fresh_game(draw: Draw) -> Instance:
    """One task whose learner stops, maybe as soon as it has paid so and so often; or a game of any kind."""
    if draw.boolean():
        x = stopping.coin_game(draw, nonnegative=True, levels=(-3, 2))
        x.most = draw.integer(1, x.T) if draw.boolean() else x.most
        x.q, x.m, x.T, x.method, x.states = draw.array([1]), x.T, 1, transfer.FREE, x.points
        x.table, x.eta, x.slack, x.wakes = draw.zeros((1, 1)), draw.number(1), draw.number(0), False
        del x.points, x.star
        return x
    x = self_bounded_game(draw)
    x.level, x.most = 0 * x.rho, x.m + 1
    return x


def stopped(x: Instance, reading: str) -> tuple[Array, list[Array]]:
    r"""Of the samples of a task whose learner stops: their probabilities (1, n), m times the excess risk of
    $\bar\theta$ ($\theta^\ast = 0$ costs nothing), and U, which is the regret, or the largest of them."""
    p = stopping.play(Instance(M=x.M, star=0 * x.rho, T=x.m, rho=x.rho, level=x.level, most=x.most))
    upper = p.paid - p.compared if reading == REALISED else 0 * p.paid + samples.worst_regret(p)
    return p.prob[None, :], [x.m * p.average[None, :], upper[None, :], np.sqrt(upper)[None, :]]


def sampled_fresh(x: Instance, reading: str) -> tuple[Array, list[Array]]:
    """The same of the fresh samples of all tasks of a game, averaged over tasks."""
    t = trigger.transfer(x, RUB, reading)
    upper = t.upper if reading == REALISED else trigger.largest_of_task(t.upper, t.chance, t.task)
    return trigger.averaged(x, t, t.excess, upper, np.sqrt(upper))


def first_line(x: Instance, threshold: Threshold, reading: str) -> Several:
    """The excess risk of fresh samples against a threshold in U, its root, rho and m."""
    weights, (excess, upper, roots) = (stopped if x.level > 0 else sampled_fresh)(x, reading)
    return pair_sides(excess, weights, (upper, roots, x.rho, x.m), threshold, x.m)


def _line_one(log: str) -> str:
    return (
        rf"{MEAN}{RISK}(\bar\theta)\le{MEAN}\left({RISK}(\theta^\ast)+\frac{{\U_m(\bar s)}}m"
        rf"+\frac1m\sqrt{{2\rho\U_m(\bar s){log}}}+\frac{{3\rho+2}}m{log}\right){HALF}"
    )


IN_TASK: dict[str, Any] = {"game": fresh_game, "given": SELF_BOUNDED, "uses": ("cor:o2bsb",)}


@claim("thm:o2bwhp/proof-1", _line_one(r"\log\frac1\delta"), **IN_TASK)
def line_one(x: Instance) -> Several:
    r"""Online to batch within a fresh task.

    $\U_m(\bar s)$ bounds the regret on every sample of the fresh task and may depend on the task. As $\delta\to1$ it
    says that $\U_m$ is a median of what it bounds. Let $\ell=X\theta$, $P(X=1)=0.7$, $m=4$, and play 1 until 1 has come
    twice: $\U_m=2$, and the excess risk is $2.1/m$ or more with probability 0.51."""
    return first_line(x, fresh_printed, VALID)


@claim("thm:o2bwhp/proof-1/realised", _line_one(LOG), **IN_TASK)
def line_one_realised(x: Instance) -> Several:
    r"""Online to batch within a fresh task.

    $\U_m(\bar s)$ is that of the fresh sample. Losses $X\theta$ and a learner that stops, as in thm:o2bsb
    ($P(X=1)=0.6$, $m=2336$, $\delta=0.98$)."""
    return first_line(x, fresh, REALISED)


LINE_ONE = ("thm:o2bwhp/proof-1", "thm:o2bwhp/proof-1/realised")


@claim("thm:o2bwhp/proof-1/corrected", _line_one(LOG), corrects=LINE_ONE, **IN_TASK)
def line_one_corrected(x: Instance) -> Several:
    r"""Online to batch within a fresh task.

    $\U_m(\bar s)$ bounds the regret on every sample of the fresh task and may depend on the task. It is for cor:o2bsb,
    where the bound of the regret is a constant."""
    return first_line(x, fresh, VALID)


LEVELS = r"\log\frac{2(m+1)}\delta"
AT_LEVELS = (
    rf"{MEAN}{RISK}(\bar\theta)\le{MEAN}{RISK}(\theta^\ast)+\frac{{\bar\U}}m"
    rf"+\frac1m\sqrt{{2\rho\bar\U{LEVELS}}}+\frac{{3\rho+4}}m{LEVELS}{HALF},\qquad\bar\U={MEAN}\U_m(\bar s)"
)


@claim("thm:o2bwhp/proof-1/corrected/realised", AT_LEVELS, corrects=LINE_ONE[1:], **IN_TASK)
def line_one_every_level(x: Instance) -> Several:
    r"""Online to batch within a fresh task.

    $\U_m(\bar s)$ is that of the fresh sample. A union over the levels $0,\dots,m$ of $\bar\U$, as in
    thm:o2bsb/corrected."""
    return first_line(x, fresh_at_every_level, REALISED)


# its other lines ---------------------------------------------------------------------------------------------------
JENSEN = rf"\left({FRESH}\sqrt{{\U_m(\bar s)}}\right)^2\le{AVERAGE}\U_m(s_t)"


@claim("thm:o2bwhp/proof-2", JENSEN, transfer.transfer_game, transfer.TRANSFER, uses=("def:convex",))
def line_two(x: Instance) -> Several:
    """Jensen's inequality for the bound and for its root.

    Behind line 2."""
    l = transfer.listing(x)
    roots = transfer.expected(l.outcomes, np.sqrt(transfer.plays_from_average(x, l).upper))
    means = transfer.over_tasks(l.training, transfer.expected(l.outcomes, l.plays.upper))
    return tuple(Sides(a * a, b) for p, a, b in zip(l.training.prob, roots, means, strict=True) if p > 0)


DEVIATION = rf"{AVERAGE}\left(\frac{{\U_m(s_t)}}m\right)\le\frac{{\RUB_T}}m+{AZUMA[RUB]}{HALF}"


def hoeffding(params: tuple[Any, ...], L: Any) -> Any:
    r"""$\RUB + b\sqrt{8\log(2/\delta)/T}$."""
    bound, reach, T = params
    return bound + reach * root(8 * half(L) / T)


@claim("thm:o2bwhp/proof-3", DEVIATION, **GAME | {"uses": ("prp:o2b/upper",)})
def line_three(x: Instance) -> Several:
    """The expected bound is close to the realised one.

    The expectation is over samples, too: over tasks alone it is what fails in the theorem."""
    t = trigger.transfer(x, RUB, REALISED)
    return pair_sides(t.mean, t.prob, (t.bound, t.reach, x.T), hoeffding, t.reach)


# section 5 ---------------------------------------------------------------------------------------------------------
PART_TWO = (
    rf"{DRAWN}\le{BEST}+\mathcal L_T{SAMPLE}{WHP},\qquad"
    r"\mathcal L_T=\frac{\RUB_T}m+B\sqrt{\frac8{mT}\log\frac1\delta}"
)
SECTION: dict[str, Any] = GAME | {"uses": ("thm:o2bwhp/rub",)}


@claim("thm:statistical/2", PART_TWO, note=average_state.note, **SECTION)
def part_two(x: Instance) -> Several:
    """Transfer risk of self-bounded losses."""
    return transferred(x, RUB, REALISED, section_five)


@claim("thm:statistical/2/every-sequence", PART_TWO, note=average_state_every_sequence.note, **SECTION)
def part_two_every_sequence(x: Instance) -> Several:
    """Transfer risk of self-bounded losses."""
    return transferred(x, RUB, EVERY, section_five)


READINGS = ("thm:statistical/2", "thm:statistical/2/every-sequence")


@claim("thm:statistical/2/corrected", PART_TWO, corrects=READINGS, **SECTION)
def part_two_corrected(x: Instance) -> Several:
    r"""Transfer risk of self-bounded losses.

    Every P has a fresh sample of its own. The bound of a task holds on every sample of it and may depend on the task.
    $\theta^\ast$ is the best action of each task, and B the smallest that fits."""
    return transferred(x, RUB, VALID, section_five)
