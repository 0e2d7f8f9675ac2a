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
`data_dependent`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, approximate, is_exact
from arubatheory.papers.aruba.a_background.online_to_batch import nonnegative, realised, worst_regret
from arubatheory.papers.aruba.games.samples import LOW, Rising, rising_sides
from arubatheory.papers.aruba.games.stopping import coin_game, play
from arubatheory.papers.aruba.games.transfer import FREE, TRANSFER, transfer_game
from arubatheory.papers.aruba.games.trigger import (
    EVERY,
    REALISED,
    RUB,
    SELF_BOUNDED,
    TAR,
    VALID,
    Transfer,
    averaged,
    largest_of_task,
    least_risks,
    mean_upper,
    self_bounded_game,
    transfer,
)
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Instance, Sides, Statement
from arubatheory.statements.functions import root

Threshold = Callable[[tuple[Any, ...], Any], Any]
Left = Callable[[Instance, Transfer], tuple[Array, Array]]


# the left side -----------------------------------------------------------------------------------------------------
def _mean_over_tasks(x: Instance, t: Transfer) -> tuple[Array, Array]:
    """A fresh sample of every task, and the average of the excess risks."""
    weights, (excess,) = averaged(x, t, t.excess)
    return weights, excess


def _one_task(x: Instance, t: Transfer) -> tuple[Array, Array]:
    """One fresh task with its sample."""
    return t.prob[:, None] * x.q[t.task] * t.chance, t.excess


def _one_task_left(x: Instance, t: Transfer) -> tuple[Array, Array]:
    """The risk of one fresh task against the mean of the least risks."""
    weights, excess = _one_task(x, t)
    least = least_risks(x)
    return weights, excess + x.m * (least - sum(x.q * least))[t.task]


# the right side, m times -------------------------------------------------------------------------------------------
def _self_bounding_terms(bound: Any, rho: Any, L: Any) -> Any:
    r"""$r + \sqrt{2\rho rL} + (3\rho + 2)L$."""
    return bound + root(2 * rho * bound * L) + (3 * rho + 2) * L


def _printed(params: tuple[Any, ...], L: Any) -> Any:
    r"""thm:o2bwhp: $r = R + b\sqrt{8\log(2/\delta)/T}$ with b = m for R = TAR and $B\sqrt m$ for RUB."""
    bound, reach, T, rho = params
    L = L + np.log(0 * L + 2)
    return _self_bounding_terms(bound + reach * root(8 * L / T), rho, L)


def _section_five(params: tuple[Any, ...], L: Any) -> Any:
    r"""thm:statistical/2: $\log\frac1\delta$ in $\mathcal L_T$."""
    bound, reach, T, rho = params
    return _self_bounding_terms(bound + reach * root(8 * L / T), rho, L + np.log(0 * L + 2))


def _with_worst_sample(params: tuple[Any, ...], L: Any) -> Any:
    r"""thm:o2bwhp with $B\sqrt{\frac2m\log\frac2\delta}$ added to $\mathcal L_T$."""
    bound, reach, T, rho = params
    return _printed((bound + reach * root(2 * (L + np.log(0 * L + 2))), reach, T, rho), L)


def _nonnegative_root(params: tuple[Any, ...], L: Any) -> Any:
    r"""thm:o2bwhp with $\max\{\TAR_T, 0\}$ under the root."""
    bound, nonnegative, reach, T, rho = params
    return bound - nonnegative + _printed((nonnegative, reach, T, rho), L)


def _tail_sides(gap: Array, params: tuple[Any, ...], threshold: Threshold, size: Any, prob: Array) -> tuple[Sides, ...]:
    r"""Of most pairs floats see that they violate at no $\delta$: they stay out, which can only hide a violation. If
    all do, how far the worst falls short as $\delta\to1$ is what search can climb from."""
    params = tuple(np.broadcast_to(p, gap.shape) if isinstance(p, np.ndarray) else p for p in params)
    gap, prob, params = _where(prob > 0, gap, prob, params)
    with np.errstate(divide="ignore", invalid="ignore"):  # where a root does not exist, the pair stays in
        least, at = threshold(approximate(params), 2.0**LOW), approximate(gap)
        reached = np.nanmax(at / least, initial=0)
    gap, prob, params = _where(~(at <= least), gap, prob, params)
    if not len(gap):
        return (Sides(0, 0, 1) if is_exact(gap) else Sides(reached - 1, 1, 1),)
    return rising_sides(Rising(gap, params, threshold, size), prob)


def _where(mask: Array, gap: Array, prob: Array, params: tuple[Any, ...]) -> tuple[Array, Array, tuple[Any, ...]]:
    return gap[mask], prob[mask], tuple(p[mask] if isinstance(p, np.ndarray) else p for p in params)


def _sides(
    part: str, reading: str, left: Left = _mean_over_tasks, threshold: Threshold = _printed
) -> Callable[[Instance], tuple[Sides, ...]]:
    def sides(x: Instance) -> tuple[Sides, ...]:
        t = transfer(x, part, reading)
        weights, excess = left(x, t)
        bounds = (t.bound, nonnegative(t.bound)) if threshold is _nonnegative_root else (t.bound,)
        return _tail_sides(excess, (*(b[:, None] for b in bounds), t.reach, x.T, x.rho), threshold, x.m, weights)

    return sides


# the proof ---------------------------------------------------------------------------------------------------------
def _half(L: Any) -> Any:
    r"""Probability $\frac\delta2$ is left, so that it is less than 1/2: L is $\log\frac2\delta$, $\delta < 1$."""
    least = np.log(0 * L + 2)
    return np.where(L > least, L, least)


def _fresh(params: tuple[Any, ...], L: Any) -> Any:
    r"""$E_P(U + \sqrt{2\rho UL} + (3\rho + 2)L)$ of the fresh samples."""
    return _fresh_terms(params, _half(L))


def _fresh_printed(params: tuple[Any, ...], L: Any) -> Any:
    r"""The same with $\log\frac1\delta$, where probability $\frac\delta2$ is left for a violation."""
    rest = L - np.log(0 * L + 2)
    return np.where(rest > 0, _fresh_terms(params, np.where(rest > 0, rest, 0 * L)), params[0])


def _fresh_terms(params: tuple[Any, ...], L: Any) -> Any:
    upper, roots, rho, _ = params
    return upper + roots * root(2 * rho * L) + (3 * rho + 2) * L


def _fresh_at_every_level(params: tuple[Any, ...], L: Any) -> Any:
    r"""$E_PU + \sqrt{2\rho E_PU\,l} + (3\rho + 4)l$, $l = L + \log(m + 1)$."""
    upper, _, rho, m = params
    L = _half(L) + np.log(0 * L + m + 1)
    return _self_bounding_terms(upper, rho, L) + 2 * L


def _fresh_game(draw: Draw) -> Instance:
    """One task whose learner stops, maybe as soon as it has paid so and so often; or a game of any kind."""
    if draw.boolean():
        x = coin_game(draw, nonnegative=True, levels=(-3, 2))
        most = draw.integer(1, x.T) if draw.boolean() else x.most
        return Instance(
            q=draw.array([1]), M=x.M, m=x.T, T=1, method=FREE, states=x.points, table=draw.zeros((1, 1)),
            eta=draw.number(1), slack=draw.number(0), long=True, rho=x.rho, wakes=False, level=x.level,
            most=most,
        )  # fmt: skip
    x = self_bounded_game(draw)
    x.level, x.most = 0 * x.rho, x.m + 1
    return x


def _stopping(x: Instance, reading: str) -> tuple[Array, list[Array]]:
    r"""Of the samples of a task whose learner stops: their probabilities (1, n), m times the excess risk of
    $\bar\theta$ ($\theta^\ast = 0$ costs nothing), and U, which is the regret, or the largest of them."""
    p = play(Instance(M=x.M, star=0 * x.rho, T=x.m, rho=x.rho, level=x.level, most=x.most))
    upper = realised(p) if reading == REALISED else 0 * p.paid + worst_regret(p)
    return p.prob[None, :], [x.m * p.average[None, :], upper[None, :], np.sqrt(upper)[None, :]]


def _sampled_fresh(x: Instance, reading: str) -> tuple[Array, list[Array]]:
    """The same of the fresh samples of all tasks of a game, averaged over tasks."""
    t = transfer(x, RUB, reading)
    upper = t.upper if reading == REALISED else largest_of_task(t.upper, t.chance, t.task)
    return averaged(x, t, t.excess, upper, np.sqrt(upper))


def _first_line(threshold: Threshold, reading: str) -> Callable[[Instance], tuple[Sides, ...]]:
    def sides(x: Instance) -> tuple[Sides, ...]:
        weights, (excess, upper, roots) = (_stopping if x.level > 0 else _sampled_fresh)(x, reading)
        return _tail_sides(excess, (upper, roots, x.rho, x.m), threshold, x.m, weights)

    return sides


def _second_line(x: Instance) -> tuple[Sides, ...]:
    r"""$(E\sqrt{U(\bar s)})^2 \le \frac1T\sum_tEU(s_t)$."""
    prob, jensen, mean = mean_upper(x)
    return tuple(Sides(a, b, 4 * (a + b)) for p, a, b in zip(prob, jensen, mean, strict=True) if p > 0)


def _hoeffding(params: tuple[Any, ...], L: Any) -> Any:
    bound, reach, T = params
    return bound + reach * root(8 * _half(L) / T)


def _third_line(x: Instance) -> tuple[Sides, ...]:
    t = transfer(x, RUB, REALISED)
    return _tail_sides(t.mean, (t.bound, t.reach, x.T), _hoeffding, t.reach, t.prob)


# statements --------------------------------------------------------------------------------------------------------
MEAN = r"\E_{\mathcal P\sim\Q}"
RISK = r"\E_{\ell\sim\mathcal P}\ell"
WHP = r"\qquad\text{w.p. }1-\delta"
HALF = r"\qquad\text{w.p. }1-\frac\delta2"
LOG = r"\log\frac2\delta"
AZUMA = {TAR: rf"\sqrt{{\frac8T{LOG}}}", RUB: rf"B\sqrt{{\frac8{{mT}}{LOG}}}"}
SYMBOL = {TAR: r"\TAR_T", RUB: r"\RUB_T"}
STATE = {TAR: r"\E_{t\sim\mathcal U[T]}", RUB: ""}
BEST = r"$\theta^\ast$ is the best action of each task, and B the smallest that fits."
SAMPLES = r"Every P has a fresh sample of its own. "
OWN = (
    r"The bounds of the training tasks depend on their samples, as those of OGD do through $\theta_t^\ast$; "
    r"$\RUB_T$ is their average. "
)
ALWAYS = (
    r"The bounds of tasks depend on their samples; $\RUB_T$ is no less than their average on every training sequence. "
)
FAR = r"With at most 128 tasks nothing came near it: $\sqrt{\frac8T\log\frac2\delta}$ alone is more than a fifth. "
OF_TASK = r"The bound of a task holds on every sample of it and may depend on the task. "


def _claim(part: str, left: str = MEAN, right: str = MEAN, extra: str = "", under: str = "") -> str:
    symbol, azuma = SYMBOL[part], AZUMA[part] + extra
    return (
        rf"{STATE[part]}{left}{RISK}(\bar\theta)\le{right}{RISK}(\theta^\ast)+\frac{{{symbol}}}m"
        rf"+\sqrt{{\frac{{2\rho}}m\left(\frac{{{under or symbol}}}m+{azuma}\right){LOG}}}"
        rf"+{azuma}+\frac{{3\rho+2}}m{LOG}{WHP}"
    )


def _theorem(part: str, reading: str, latex: str, sides: Any, note: str, **more: Any) -> Statement:
    label = f"thm:o2bwhp/{part.lower()}"
    what = "the average state" if part == RUB else "a random state"
    return Statement(
        label=label + reading, kind="theorem", number="E.2", latex=latex, instance=self_bounded_game, sides=sides,
        title=f"Transfer with high probability for self-bounded losses: {what}", assumptions=SELF_BOUNDED,
        uses=("cor:o2bsb", "prp:o2b/upper", "def:selfbounding", "eq:regret"), part_of="thm:o2bwhp",
        note=note + BEST, **more,
    )  # fmt: skip


def _section(reading: str, sides: Any, note: str, **more: Any) -> Statement:
    return Statement(
        label="thm:statistical/2" + reading, kind="theorem", number="5.1", part_of="thm:statistical",
        title="Transfer risk of self-bounded losses",
        latex=rf"{MEAN}\ell_{{\mathcal P}}(\bar\theta)\le{MEAN}\ell_{{\mathcal P}}(\theta^\ast)+\mathcal L_T"
        rf"+\sqrt{{\frac{{2\rho\mathcal L_T}}m{LOG}}}+\frac{{3\rho+2}}m{LOG}{WHP},\qquad"
        r"\mathcal L_T=\frac{\RUB_T}m+B\sqrt{\frac8{mT}\log\frac1\delta}",
        instance=self_bounded_game, sides=sides, assumptions=SELF_BOUNDED, uses=("thm:o2bwhp/rub",),
        note=note + BEST, **more,
    )  # fmt: skip


def _step(reading: str, title: str, latex: str, sides: Any, note: str = "", **more: Any) -> Statement:
    return Statement(
        label="thm:o2bwhp/proof-" + reading, kind="proof step", number="E.2", step_of="thm:o2bwhp", title=title,
        latex=latex, sides=sides, note=note,
        **{"instance": self_bounded_game, "assumptions": SELF_BOUNDED, "uses": ("cor:o2bsb",), **more},
    )  # fmt: skip


def _line_one(log: str, upper: str = r"\U_m(\bar s)") -> str:
    return (
        rf"{MEAN}{RISK}(\bar\theta)\le{MEAN}\left({RISK}(\theta^\ast)+\frac{{{upper}}}m"
        rf"+\frac1m\sqrt{{2\rho{upper}{log}}}+\frac{{3\rho+2}}m{log}\right){HALF}"
    )


def _line(reading: str, latex: str, threshold: Threshold, bound: str, note: str, **more: Any) -> Statement:
    return _step("1" + reading, "Online to batch within a fresh task", latex, _first_line(threshold, bound), note,
                 instance=_fresh_game, **more)  # fmt: skip


EVERY_SAMPLE = r"$\U_m(\bar s)$ bounds the regret on every sample of the fresh task and may depend on the task. "
FRESH = r"$\U_m(\bar s)$ is that of the fresh sample. "
LEVELS = r"\log\frac{2(m+1)}\delta"
THEOREM = (
    _theorem(TAR, "", _claim(TAR), _sides(TAR, REALISED), SAMPLES
             + r"$\TAR_T$ is the average regret of the training tasks; the root of a negative one need not exist. "),
    _theorem(TAR, "/nonnegative", _claim(TAR, under=r"\max\{\TAR_T,0\}"),
             _sides(TAR, REALISED, threshold=_nonnegative_root),
             SAMPLES + r"$\TAR_T$ is the average regret of the training tasks, under the root $\max\{\TAR_T,0\}$. "),
    _theorem(TAR, "/every-sequence", _claim(TAR), _sides(TAR, EVERY),
             SAMPLES + r"$\TAR_T$ is the least number that bounds the average regret on every training sequence. "),
    _theorem(TAR, "/corrected", _claim(TAR), _sides(TAR, VALID), SAMPLES + OF_TASK
             + r"$\TAR_T$ is its average over the training tasks; it is never negative. " + FAR,
             corrects=("thm:o2bwhp/tar", "thm:o2bwhp/tar/nonnegative", "thm:o2bwhp/tar/every-sequence")),
    _theorem(RUB, "", _claim(RUB), _sides(RUB, REALISED), SAMPLES + OWN),
    _theorem(RUB, "/every-sequence", _claim(RUB), _sides(RUB, EVERY), SAMPLES + ALWAYS),
    _theorem(RUB, "/one-task", _claim(RUB, "", ""), _sides(RUB, VALID, _one_task),
             "One task and one sample are drawn, and both sides are about that task. " + OF_TASK),
    _theorem(RUB, "/one-task/left", _claim(RUB, ""), _sides(RUB, VALID, _one_task_left),
             "One task and one sample are drawn; the right side keeps its mean over tasks. " + OF_TASK),
    _theorem(RUB, "/corrected", _claim(RUB), _sides(RUB, VALID), SAMPLES + OF_TASK
             + r"This includes a $\U_m$ that is one function of the state for all tasks. With bounds that depend on "
             r"the sample, thm:o2bexp/rub bounds the expectation over it. ",
             corrects=("thm:o2bwhp/rub", "thm:o2bwhp/rub/every-sequence", "thm:o2bwhp/rub/one-task",
                       "thm:o2bwhp/rub/one-task/left")),
    _theorem(RUB, "/corrected/worst-sample", _claim(RUB, extra=rf"+B\sqrt{{\frac2m{LOG}}}"),
             _sides(RUB, REALISED, threshold=_with_worst_sample), SAMPLES + OWN
             + r"The new term alone is more than any $\U_m/m$: nothing is left of what was learned. ",
             corrects=("thm:o2bwhp/rub",)),
)  # fmt: skip
STATEMENTS = (
    *THEOREM,
    _line("", _line_one(r"\log\frac1\delta"), _fresh_printed, VALID,
          EVERY_SAMPLE
          + r"As $\delta\to1$ it says that $\U_m$ is a median of what it bounds. Let $\ell=X\theta$, $P(X=1)=0.7$, "
          r"$m=4$, and play 1 until 1 has come twice: $\U_m=2$, and the excess risk is $2.1/m$ or more with "
          r"probability 0.51."),
    _line("/realised", _line_one(LOG), _fresh, REALISED,
          FRESH
          + r"Losses $X\theta$ and a learner that stops, as in thm:o2bsb ($P(X=1)=0.6$, $m=2336$, $\delta=0.98$)."),
    _line("/corrected", _line_one(LOG), _fresh, VALID,
          EVERY_SAMPLE + r"It is for cor:o2bsb, where the bound of the regret is a constant. ",
          corrects=("thm:o2bwhp/proof-1", "thm:o2bwhp/proof-1/realised")),
    _line("/corrected/realised",
          rf"{MEAN}{RISK}(\bar\theta)\le{MEAN}{RISK}(\theta^\ast)+\frac{{\bar\U}}m"
          rf"+\frac1m\sqrt{{2\rho\bar\U{LEVELS}}}+\frac{{3\rho+4}}m{LEVELS}{HALF},\qquad\bar\U={MEAN}\U_m(\bar s)",
          _fresh_at_every_level, REALISED,
          FRESH + r"A union over the levels $0,\dots,m$ of $\bar\U$, as in thm:o2bsb/corrected. ",
          corrects=("thm:o2bwhp/proof-1/realised",)),
    _step("2", "Jensen's inequality for the bound and for its root",
          rf"\left({MEAN}\E_{{\mathcal P^m}}\sqrt{{\U_m(\bar s)}}\right)^2\le"
          rf"\frac1T\sum_{{t=1}}^T{MEAN}\E_{{\mathcal P^m}}\U_m(s_t)",
          _second_line, "Behind line 2.", instance=transfer_game, assumptions=TRANSFER, uses=("def:convex",)),
    _step("3", "The expected bound is close to the realised one",
          rf"\frac1T\sum_{{t=1}}^T{MEAN}\E_{{\mathcal P^m}}\left(\frac{{\U_m(s_t)}}m\right)\le\frac{{\RUB_T}}m"
          rf"+{AZUMA[RUB]}{HALF}",
          _third_line, r"The expectation is over samples, too: over tasks alone it is what fails in the theorem.",
          uses=("prp:o2b/upper",)),
    _section("", _sides(RUB, REALISED, threshold=_section_five), SAMPLES + OWN),
    _section("/every-sequence", _sides(RUB, EVERY, threshold=_section_five), SAMPLES + ALWAYS),
    _section("/corrected", _sides(RUB, VALID, threshold=_section_five), SAMPLES + OF_TASK,
             corrects=("thm:statistical/2", "thm:statistical/2/every-sequence")),
)  # fmt: skip
