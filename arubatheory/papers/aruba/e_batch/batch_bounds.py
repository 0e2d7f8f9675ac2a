r"""Section 5 and appendix E: what cor:statistical, cor:batch and cor:scbatch say with constants, and their proofs.

$\Theta = [0, 1]$, so that D = 1, and every world is listed (`games.transfer`): two tasks with one loss or two each. The
meta-learner is the paper's, $\phi_{t+1} = \frac1t\theta_{1:t}^\ast$, and $v_t$ is fixed or learned by
$\varepsilon$-EWOO. With $\bar\phi = \frac1T\phi_{1:T}$ and $\mu = E\theta^\ast$,
$$E_PE_{P^m}\ell_P(\bar\theta) - E_P\ell_P(\theta_P^\ast) \le \frac{E\,U(\bar\phi)}m
  = \Big(\frac{V_Q^2 + \|\bar\phi-\mu\|_2^2}{2\varepsilon} + \varepsilon\Big)\frac G{\sqrt m} .$$

**Known variance.** $\bar\phi - \mu = \frac1T(\phi_1-\mu) + \sum_s w_s(\theta_s^\ast-\mu)$ with
$w_s = \frac1T\sum_{t>s}\frac1{t-1}$ and $\sum_s w_s^2 \le \frac2T$: by Hoeffding's inequality
$|\bar\phi - \mu| \le \frac1T + \sqrt{\frac1T\log\frac2\delta}$ with probability $1-\delta$. At
$\varepsilon = V_Q + 1/\sqrt T$ this gives `cor:scbatch/explicit`, without thm:o2b and its wrong factor, and better than
printed: no logarithm of T, and no $1/T$.

**Every $\delta$.** cor:batch and cor:scbatch are read as in the main text, cor:statistical, which has $\delta\le1/e$.
For every $\delta\in(0,1)$, as they are printed (`/literal`), nothing is left on the right as $\delta\to1$ for a world
without chance and with $V_Q = 0$.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.learners.meta import rates_after
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.e_batch.o2b import BEST, MEAN
from arubatheory.papers.aruba.games import transfer
from arubatheory.papers.aruba.games.samples import CONVEX, rising_sides, slope_bound
from arubatheory.papers.aruba.games.similarity_losses import ewoo_rule
from arubatheory.papers.aruba.games.transfer import Outcomes, expected, outcomes_of, plays_from
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import Mixture, random_mixture
from arubatheory.problems.scalar import larger, smaller
from arubatheory.statements.core import Assumption, Columns, Instance, Several, Sides
from arubatheory.statements.functions import root

FEW, FEW_LEARNED, FEW_STATES = 6, 4, 3  # listed tasks, usually
# and at most: there are 2^(T-1) sequences, and 8^T of noisy tasks, each with a rate of EWOO where that is learned
MOST_T, MOST_LEARNED, LONGEST = 8, 6, 10


def _world(draw: Draw, usual: int, most: int) -> Instance:
    r"""Two tasks: of one loss each, m up to 16 and T up to `usual`, at most `most`, or of two losses, $m, T \le 2$; and
    $\phi_1$."""
    noisy = draw.boolean()
    losses, m = (2, draw.integer(1, 2)) if noisy else (1, 1 << draw.integer(0, 4))
    T = draw.integer(1, 2) if noisy else draw.size("T", usual, most)
    tasks = [random_mixture(draw, losses) for _ in range(2)]
    x = Instance(q=draw.simplex(2), M=transfer.joined(tasks), m=m, T=T, start=draw.unit(), method=transfer.OGD)
    x.table, x.eta, x.slack = draw.zeros((1, 1)), draw.number(1), draw.number(0)
    return x


def _states(draw: Draw) -> Instance:
    r"""The same with free states $(\phi_t, v_t)$."""
    x = _world(draw, FEW_STATES, FEW_STATES)
    x.phi, x.v = draw.unit(x.T), draw.positive(-8, 2, x.T)
    return x


def steep(x: Instance) -> Any:
    """G: a bound of all slopes, or 1 if there is no slope."""
    G = slope_bound(x.M)
    return G if G > 0 else G + 1


def _number(x: Instance, n: int) -> Any:
    """n in the arithmetic of the instance."""
    return x.start * 0 + n


def variance(o: Outcomes) -> Any:
    r"""$V_Q^2$."""
    away = o.star - o.chance @ o.star
    return o.chance @ (away * away)


def fixed_rate(x: Instance, o: Outcomes) -> Any:
    r"""$\varepsilon = V_Q + 1/\sqrt T$."""
    return root(variance(o)) + 1 / root(_number(x, x.T))


def excess_risk(x: Instance, o: Outcomes, phi: Array, v: Any) -> Array:
    r"""$E_PE_{P^m}\ell_P(\bar\theta) - E_P\min\ell_P$ of OGD from every $\phi$ with $\eta = v/(G\sqrt m)$."""
    eta = v / (steep(x) * root(_number(x, x.m)))
    plays = plays_from(Instance(**{**vars(x), "eta": eta}), o, phi)
    return np.asarray(expected(o, plays.risk) - o.chance @ o.best)


def _upper(x: Instance, o: Outcomes, phi: Any, v: Any) -> Any:
    r"""$E\,U(\phi)/m$ at $\eta = v/(G\sqrt m)$."""
    away = o.star - phi
    return (o.chance @ (away * away) / (2 * v) + v) * steep(x) / root(_number(x, x.m))


class AverageStates(NamedTuple):
    r"""Of each training sequence: its probability, $\bar\phi$ and $\bar v$."""

    prob: Array
    phi: Array
    v: Array


def distinct(o: Outcomes) -> tuple[Array, Array]:
    r"""The values of $\theta^\ast$ that can happen, and their probabilities: equal ones would make equal balls, which
    exact arithmetic cannot order."""
    star: list[Any] = []
    chance: list[Any] = []
    for value, p in zip(o.star, o.chance, strict=True):
        if value in star:
            chance[star.index(value)] += p
        elif p > 0:
            star.append(value)
            chance.append(p)
    return np.array(star, o.star.dtype), np.array(chance, o.star.dtype)


def trained(x: Instance, o: Outcomes, rate: Callable[[Array, int], Array]) -> AverageStates:
    r"""All training sequences, as far as $\theta_{T-1}^\ast$; $v_t$ is `rate` of
    $\sum_{s<t}\frac12(\theta_s^\ast-\phi_s)^2$ and t - 1."""
    stars, chances = distinct(o)
    phi = x.start + 0 * chances[:1]
    prob, spread, phis, rates = 0 * phi + 1, 0 * phi, phi, rate(0 * phi, 0)
    for t in range(x.T - 1):
        prob, spread, phi, phis, rates = (np.repeat(a, len(stars)) for a in (prob, spread, phi, phis, rates))
        star, chance = (np.tile(a, len(phi) // len(stars)) for a in (stars, chances))
        prob, spread = prob * chance, spread + (star - phi) * (star - phi) / 2
        phi = (t * phi + star) / (t + 1)
        phis, rates = phis + phi, rates + rate(spread, t + 1)
    return AverageStates(prob, phis / x.T, rates / x.T)


def batch_epsilon(m: Any, T: Any) -> Any:
    r"""$\varepsilon = (mT)^{-1/4} + m^{-1/2}$."""
    return 1 / root(root(m * T)) + 1 / root(m)


def _learned(eps: Any) -> Callable[[Array, int], Array]:
    r"""$v_t$ of $\varepsilon$-EWOO on $[\varepsilon, \sqrt{1+\varepsilon^2}]$, $\gamma G\sqrt m =
    2\min\{\varepsilon^2, 1\}$."""
    rule = ewoo_rule(0 * eps + 1, eps, 0 * eps + 1, eps)
    return lambda spread, t: on(rates_after, eps)(rule, t + 0 * spread, spread + t * eps * eps)


def _threshold(parts: tuple[Any, ...], L: Any) -> Array:
    square, linear, shift = parts
    return np.asarray(np.sqrt(square * (shift + L)) - np.sqrt(square * shift) + linear * L)


def tail(gap: Array, square: Array, linear: Any, found: AverageStates, shift: Any = 0) -> Several:
    r"""$gap \le \sqrt{square\,L} + linear\,L$ with probability $1-\delta$, $L = shift + \log\frac1\delta$, for all
    $\delta$. What the right side is at $\delta = 1$ is moved to the left."""
    certain = np.sqrt(square * shift) + linear * shift
    return rising_sides(gap - certain, found.prob, (square, linear, shift), _threshold, 4)


def _likely(sides: Several) -> Several:
    r"""The claim for $\delta\le\frac1e$ only: $L_o \le \max\{-\log P(L\ge L_o), 1\}$."""
    if isinstance(sides, Columns):
        return Columns(sides.lhs, np.where(sides.rhs >= 1, sides.rhs, 1.0))
    return tuple(Sides(s.lhs, on(larger, s.rhs)(s.rhs, 1 + 0 * s.rhs)) for s in sides)


def train_fixed(x: Instance) -> tuple[Outcomes, AverageStates]:
    """What can happen, and the training sequences of a known rate."""
    o = outcomes_of(x)
    return o, trained(x, o, lambda spread, t: 0 * spread)


def known_variance(x: Instance, roots: int, parts: int = 1) -> Several:
    r"""$C(V_Q/\sqrt m + (1/\sqrt{mT} + 1/T)(L + roots\sqrt L))$ with C = 4G/parts."""
    o, found = train_fixed(x)
    m, T, C = _number(x, x.m), _number(x, x.T), 4 * steep(x) / parts
    gap = excess_risk(x, o, found.phi, fixed_rate(x, o)) - C * root(variance(o) / m)
    slope = C * (1 / root(m * T) + 1 / T)
    return tail(gap, 0 * gap + roots * slope * slope, slope, found)


def explicit(x: Instance, parts: int = 1) -> Several:
    r"""$C(\frac32V_Q + L/\sqrt T)$ with $C = \frac G{parts\sqrt m}$, $L = 1 + \frac1T + \log\frac2\delta$."""
    o, found = train_fixed(x)
    unit, one = steep(x) / (parts * root(_number(x, x.m))), _number(x, 1)
    gap = excess_risk(x, o, found.phi, fixed_rate(x, o)) - unit * 3 * root(variance(o)) / 2
    return tail(gap, 0 * gap, unit / root(one * x.T), found, 1 + one / x.T + np.log(2 * one))


def learning(V: Any, m: Any, T: Any) -> Any:
    r"""$\min\{(m^{-1/2}+T^{-1/2})/(V_Qm), (m^3T)^{-1/4}+m^{-1}\}$; its second where $V_Q = 0$."""
    second = batch_epsilon(m, T) / root(m)
    first = (1 / root(m) + 1 / root(T)) / m
    return second if not first < second * V else first / V


def learned_rate(x: Instance, parts: int = 1) -> Several:
    r"""The right side of cor:batch with the constant 2G/parts."""
    o = outcomes_of(x)
    m, T, C = _number(x, x.m), _number(x, x.T), 2 * steep(x) / parts
    found, V = trained(x, o, _learned(batch_epsilon(m, T))), root(variance(o))
    excess = [excess_risk(x, o, found.phi[i : i + 1], v)[0] for i, v in enumerate(found.v)]
    gap = np.array(excess, found.phi.dtype) - C * (V / root(m) + learning(V, m, T))
    return _likely(tail(gap, 0 * gap + C * C / T, 0, found))


WORLD = (transfer.TASKS, transfer.SAMPLES, CONVEX, Assumption(r"\phi_1\in[0,1]", lambda x: min(x.start, 1 - x.start)))
SIZES = Assumption(r"m,T\ge1", lambda x: min(x.m, x.T) - 1)
FREE = (
    *WORLD,
    Assumption(r"\phi_t\in[0,1]", lambda x: min(min(x.phi), 1 - max(x.phi))),
    Assumption("v_t>0", lambda x: min(x.v)),
)
TRANSFER = rf"{MEAN}\le{BEST}+"
WHP = r"\quad\text{w.p. }1-\delta"
SMALL = r",\ \delta\le\frac1e"
LOGS = r"\max\left\{\log\frac1\delta,\sqrt{\log\frac1\delta}\right\}"
LEARNING = r"\min\left\{\frac{\frac1{\sqrt m}+\frac1{\sqrt T}}{V_\Q m},\frac1{\sqrt[4]{m^3T}}+\frac1m\right\}"
KNOWN_SUM = r"\left(\frac{V_\Q}{\sqrt m}+\left(\frac1{\sqrt{mT}}+\frac1T\right)"
KNOWN = TRANSFER + "4G" + KNOWN_SUM
LEARNED = TRANSFER + rf"2G\left(\frac{{V_\Q}}{{\sqrt m}}+{LEARNING}+\sqrt{{\frac1T\log\frac1\delta}}\right)" + WHP
USES = ("alg:general", "thm:statistical")
LISTED: dict[str, Any] = {"game": lambda draw: _world(draw, FEW, MOST_T), "given": WORLD, "uses": USES}
LISTED_LEARNED: dict[str, Any] = LISTED | {"game": lambda draw: _world(draw, FEW_LEARNED, MOST_LEARNED)}
LISTED_LONG: dict[str, Any] = LISTED | {"game": lambda draw: _world(draw, FEW, LONGEST)}
CORRECTS: dict[str, Any] = {"corrects": ("cor:scbatch/literal", "cor:scbatch/half")}
CORRECTS_LEARNED: dict[str, Any] = {"corrects": ("cor:batch/literal", "cor:batch/third")}


@claim("cor:statistical/known-variance", KNOWN + r"\log\frac1\delta\right)" + WHP + SMALL, **LISTED, **CORRECTS)
def at_known_variance(x: Instance) -> Several:
    r"""Transfer at a known variance.

    A named constant, which cor:scbatch/explicit proves, and $\delta\le1/e$ as cor:statistical has it. $\Theta=[0,1]$;
    $\theta^\ast$ is the best action of each task, which claims more than one for all. (Section 5 sets it against a
    slower $\mathcal O(1/\sqrt T)$ elsewhere; at a fixed $m$ its own $1/\sqrt{mT}$ is of that order.) $D=1$; two tasks,
    of one loss each, $m\le16$ a power of two and $T\le8$, or of two, $m,T\le2$."""
    return _likely(known_variance(x, 0))


@claim("cor:statistical/learned-rate", LEARNED + SMALL, **LISTED_LEARNED, **CORRECTS_LEARNED)
def at_learned_rate(x: Instance) -> Several:
    r"""Transfer with a learned rate.

    A named constant, seen only, and $\delta\le1/e$ as cor:statistical has it. $\Theta=[0,1]$; $\theta^\ast$ is the best
    action of each task, which claims more than one for all. $\varepsilon$-EWOO is the appendix's, from $\varepsilon$;
    as in thm:similarity it would be eq:ewoo's, from 0: that reading is tried in /rate only. $D=1$; two tasks, of one
    loss each, $m\le16$ a power of two and $T\le6$, or of two, $m,T\le2$."""
    return learned_rate(x)


@claim("cor:scbatch", KNOWN + LOGS + r"\right)" + WHP + SMALL, **LISTED, **CORRECTS)
def scbatch(x: Instance) -> Several:
    r"""Transfer at a known variance.

    A named constant, which `/explicit` proves, and $\delta\le1/e$ as cor:statistical has it, where the maximum is the
    logarithm. $\Theta=[0,1]$; $\theta^\ast$ is the best action of each task, which claims more than one for all. $D=1$;
    two tasks, of one loss each, $m\le16$ a power of two and $T\le8$, or of two, $m,T\le2$."""
    return _likely(known_variance(x, 0))


@claim("cor:scbatch/half", TRANSFER + r"\frac G2" + KNOWN_SUM + LOGS + r"\right)" + WHP + SMALL, **LISTED_LONG)
def half(x: Instance) -> Several:
    r"""Transfer at a known variance, with the constant 1/2.

    Of the two tasks $\theta$ and $1-\theta$ each comes with probability 1/2: at $m=1$ the excess is $\frac G2$ on every
    training sequence, and from 8 tasks on less is claimed. $\Theta=[0,1]$ and $D=1$; two tasks, of one loss each,
    $m\le16$ a power of two and $T\le10$, or of two, $m,T\le2$."""
    return _likely(known_variance(x, 0, 8))


@claim("cor:scbatch/literal", TRANSFER + r"\frac G2" + KNOWN_SUM + LOGS + r"\right)" + WHP, **LISTED)
def scbatch_literal(x: Instance) -> Several:
    r"""Transfer at a known variance.

    For every $\delta\in(0,1)$, with a named constant and the sum in the place of the maximum. Where there is one task
    without noise, $V_\Q=0$ and the left side is certain: as $\delta\to1$ the right side vanishes, whatever the
    constant. $\Theta=[0,1]$; $\theta^\ast$ is the best action of each task, which claims more than one for all. $D=1$;
    two tasks, of one loss each, $m\le16$ a power of two and $T\le8$, or of two, $m,T\le2$."""
    return known_variance(x, 1, 8)


EXPLICIT = r"\frac G{\sqrt m}\left(\frac32V_\Q+\frac{1+\frac1T+\log\frac2\delta}{\sqrt T}\right)"


@claim("cor:scbatch/explicit", TRANSFER + EXPLICIT + WHP, part_of=None, **LISTED, **CORRECTS)
def scbatch_explicit(x: Instance) -> Several:
    r"""Transfer at a known variance, explicitly.

    For every $\delta\in(0,1)$, without $1/T$ and logarithms of $T$. $D=1$; from the two lines of its proof, not from
    thm:o2b. $\Theta=[0,1]$; $\theta^\ast$ is the best action of each task, which claims more than one for all. $D=1$;
    two tasks, of one loss each, $m\le16$ a power of two and $T\le8$, or of two, $m,T\le2$."""
    return explicit(x)


@claim(
    "cor:scbatch/explicit/proof-1",
    rf"{MEAN}-{BEST}\le\left(\frac{{V_\Q^2+|\bar\phi-\mu|^2}}{{2\varepsilon}}+\varepsilon\right)\frac G{{\sqrt m}}"
    r"\quad\text{for}\quad\mu=\E\theta^\ast,\ \varepsilon=V_\Q+\frac1{\sqrt T}",
    **LISTED | {"uses": (*USES, "prp:o2bexp", "eq:omdregret")},
)
def at_a_state(x: Instance) -> Sides:
    r"""The upper bound at any state.

    $\Theta=[0,1]$; $\theta^\ast$ is the best action of each task, which claims more than one for all. $D=1$; two tasks,
    of one loss each, $m\le16$ a power of two and $T\le8$, or of two, $m,T\le2$."""
    o = outcomes_of(x)
    eps, states = fixed_rate(x, o), x.start + np.zeros_like(o.chance[:1])  # phi-bar = start
    return Sides(excess_risk(x, o, states, eps)[0], _upper(x, o, x.start, eps))


@claim("cor:scbatch/explicit/proof-2", r"|\bar\phi-\mu|\le\frac1T+\sqrt{\frac1T\log\frac2\delta}" + WHP, **LISTED)
def deviation(x: Instance) -> Several:
    r"""The average initialisation is near the mean.

    Hoeffding's inequality for $\sum_sw_s(\theta_s^\ast-\mu)$, $\sum_sw_s^2\le2/T$. $D=1$; two tasks, of one loss each,
    $m\le16$ a power of two and $T\le8$, or of two, $m,T\le2$."""
    o, found = train_fixed(x)
    gap = abs(found.phi - o.chance @ o.star) - _number(x, 1) / x.T
    return tail(gap, 0 * gap + _number(x, 1) / x.T, 0, found, np.log(_number(x, 2)))


@claim("cor:batch", LEARNED + SMALL, **LISTED_LEARNED, **CORRECTS_LEARNED)
def batch(x: Instance) -> Several:
    r"""Transfer with a learned rate.

    A named constant, seen only, and $\delta\le1/e$ as cor:statistical has it. $\Theta=[0,1]$; $\theta^\ast$ is the best
    action of each task, which claims more than one for all. $D=1$; two tasks, of one loss each, $m\le16$ a power of two
    and $T\le6$, or of two, $m,T\le2$."""
    return learned_rate(x)


def _two_sides(draw: Draw) -> Instance:
    r"""The tasks $\theta$ with probability $q\in(0,1)$ and $1-\theta$; m a power of two."""
    zero, slope = draw.zeros(2), draw.array([1, -1])
    M = Mixture(draw.array([1, 1]), draw.array([0, 1]), slope, zero, zero, zero)
    q = draw.number(1 + draw.integer(0, 14), 16)
    x = Instance(q=draw.array([q, 1 - q]), M=M, m=1 << draw.integer(0, 7), T=1, start=q, method=transfer.OGD)
    x.table, x.eta, x.slack = draw.zeros((1, 1)), draw.number(1), draw.number(0)
    return x


@claim(
    "cor:batch/third",
    r"\E_{\mathcal P\sim\Q}\ell_{\mathcal P}(\bar\theta)\le\E_{\mathcal P\sim\Q}\ell_{\mathcal P}(\theta^\ast)+\frac G3"
    r"\left(\frac{V_\Q}{\sqrt m}+\min\left\{\frac1{V_\Q\sqrt{m^3}},\frac1m\right\}\right)\quad\text{from }"
    r"\phi=\E\theta^\ast,\ v^2=\frac{V_\Q^2}2+\frac1m",
    _two_sides,
    WORLD,
    uses=USES,
)
def third(x: Instance) -> Sides:
    r"""Transfer with a learned rate and the constant 1/3, as $T\to\infty$.

    What cor:batch claims with $\frac G3$ at a fixed m: almost surely $\bar\phi\to\E\theta^\ast$ and
    $\bar v^2\to\frac12V_\Q^2+\frac1m$, and OGD on the tasks $\theta$ and $1-\theta$, each of one loss, depends
    continuously on both. It fails from $m=8$ on: with the constant 1/3 cor:batch is false for all large T."""
    o = outcomes_of(x)
    m, V2 = _number(x, x.m), variance(o)
    excess = excess_risk(x, o, np.array([o.chance @ o.star]), root(V2 / 2 + 1 / m))[0]
    first, second = 1 / (root(V2) * m * root(m)), 1 / m
    return Sides(excess, steep(x) / 3 * (root(V2 / m) + on(smaller, first)(first, second)))


@claim(
    "cor:batch/proof-1",
    r"\E\left[\ell_{\mathcal P}(\bar\theta)-\ell_{\mathcal P}(\theta^\ast)\right]\le\frac{\E\U_m(\bar\phi,\bar v)}m\le"
    r"\frac1{mT}\sum_{t=1}^T\E\U_m(\phi_t,v_t)\quad\text{for}\quad\bar\phi=\frac1T\phi_{1:T},\ \bar v=\frac1Tv_{1:T}",
    _states,
    FREE,
    uses=(*USES, "eq:omdregret/convexity"),
)
def jensen(x: Instance) -> tuple[Sides, Sides]:
    r"""The average state is no worse than the average.

    The upper bound is jointly convex in $(\phi,v)$, and what is averaged is $v_t$ (or $\eta_t$, the same at equal
    $G\sqrt m$); $\phi_1$ counts. Any states. $\Theta=[0,1]$; $\theta^\ast$ is the best action of each task, which
    claims more than one for all. $D=1$; two tasks, of one loss each, $m\le16$ a power of two and $T\le3$, or of two,
    $m,T\le2$."""
    o = outcomes_of(x)
    phi, v = sum(x.phi) / x.T, sum(x.v) / x.T
    average = sum(_upper(x, o, p, r) for p, r in zip(x.phi, x.v, strict=True)) / x.T
    at = _upper(x, o, phi, v)
    return Sides(at, average), Sides(excess_risk(x, o, phi + np.zeros_like(o.chance[:1]), v)[0], at)
