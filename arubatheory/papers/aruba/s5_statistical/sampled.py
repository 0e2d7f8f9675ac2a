r"""Section 5 in worlds too large to list: up to 300 tasks of up to 50 losses, tried on replicates (engine "simulate").

A replicate is a training sequence, played by Algorithm 1 (`learners.transfer`). The transfer risk that follows from it
is computed, not sampled, and so are $E\min_\theta\ell_{\mathcal P}(\theta)$, $V_{\mathcal Q}$ and $\rho$
(`problems.environments`): whether a replicate violates a bound at $\delta$ is a matter of rounding only, and
their number is tested by Clopper and Pearson. Parts 1 and 3 claim a little more than is printed: $\bar{\mathbf U}$
is the average upper bound of the sequence itself, and every task is compared with its own best action. Part 2 does so
too, but its $\rho$ bounds $E\Delta^2$ and not the variance alone, and is not the least for logistic losses: there it
claims less. $B\sqrt m$, $G$ and $\alpha$ are those of $U(\phi, v) = (\|\theta^\ast-\phi\|^2/(2v) + v)\sigma$ on
$\Theta$ and the range of v, $\sigma = G\sqrt m$.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.meta import Sim, constant_rate
from arubatheory.learners.transfer import STAY, fresh, learned_rate, meta_train, scale_of, transfer_risk
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.e_batch.o2b import BEST, DRAWN, LAST, LOG, MEAN, SAMPLE, SECOND, WHP
from arubatheory.problems import environments
from arubatheory.problems.draw import Draw
from arubatheory.problems.environments import Environment, atoms
from arubatheory.problems.losses import ABSOLUTE, HINGE, LOGISTIC, SQUARE
from arubatheory.statements.chance import Chance
from arubatheory.statements.core import Assumption, Instance

FIXED, LEARNED, STAYING = range(3)
MOST_TASKS, MOST_LOSSES = 300, 50  # a game is played thousands of times, with T m rounds each
MOST_LISTED = (8, 6)  # losses where all their courses are listed, of one input and of several


def _environment(draw: Draw, uneven: bool = False) -> tuple[Environment, bool]:
    """Up to three tasks of up to three inputs, all of whose losses are listed, and whether OGD has to be listed on
    them; `uneven` keeps label probabilities out of (3/8, 5/8): at 1/2 no rho exists for piecewise linear losses, and
    towards it rho grows without bound."""
    link = draw.choice((SQUARE, ABSOLUTE, HINGE, LOGISTIC))
    E = environments.random_environment(draw, link, draw.integer(1, 3), draw.integer(1, 3))
    if uneven and link in (ABSOLUTE, HINGE):
        p = E.chance
        E = E._replace(chance=np.where(2 * p > 1, 1 - 3 * (1 - p) / 4, 3 * p / 4))
    bernoulli = link == ABSOLUTE and bool((2 * E.radius == 1).all())
    return E, link != SQUARE and not bernoulli


def _world(draw: Draw, rules: tuple[int, ...], first: int, listing: bool = True, uneven: bool = False) -> Instance:
    r"""An environment, T from `first` on, m, a rule for the step size, $v \in [\frac1{32}, \frac12]$ (of EWOO:
    $\varepsilon$; 0 of a learner that stays), and $\delta$ in percent."""
    E, listed = _environment(draw, uneven)
    most = MOST_LISTED[len(E.inputs) > 1] if listed and listing else MOST_LOSSES
    T, m = draw.integer(first, MOST_TASKS), draw.integer(1, most)
    rule, v = draw.choice(rules), (1 + 15 * draw.unit()) / 32
    delta = draw.number(draw.integer(1, 99), 100)
    return Instance(E=E, T=T, m=m, rule=rule, v=v * 0 if rule == STAYING else v, delta=delta)


def _rule(x: Instance) -> Sim:
    """What sets the step sizes."""
    if x.rule == STAYING:
        return STAY
    return learned_rate(x.E, x.m, x.v) if x.rule == LEARNED else constant_rate(x.v)


def largest_upper(x: Instance) -> float:
    r"""$B\sqrt m$: the most that U can be where learning takes place; a learner that stays pays at most m."""
    if x.rule == STAYING:
        return float(x.m)
    d = len(x.E.inputs)
    rates = (x.v, math.hypot(x.v, math.sqrt(d / 2))) if x.rule == LEARNED else (x.v,)
    return scale_of(x.E, x.m) * max(d / (2 * v) + v for v in rates)


def _trained(x: Instance, rng: np.random.Generator, n: int) -> tuple[Array, Array, Array]:
    r"""$\bar\phi$, the step size at $\bar v$, and $\bar{\mathbf U}$ of n replicates."""
    trained = meta_train(x.E, _rule(x), x.T, x.m, n, rng, playing=False)
    return trained.phi, trained.v / scale_of(x.E, x.m), trained.upper


def _best(x: Instance) -> float:
    return float(environments.least_risk(x.E, atoms(x.E)))


PROBABLE = Assumption(
    r"x_i,q_j,p_{ji}\ge0", lambda x: min(x.E.tasks.min(), x.E.inputs.min(), x.E.chance.min(), 1 - x.E.chance.max())
)
BOUNDED = Assumption(
    r"\ell:\Theta\mapsto[0,1]",
    lambda x: min((x.E.centre - x.E.radius).min(), 1 - (x.E.centre + x.E.radius).max(), x.E.radius.min()),
)
WORLD = (PROBABLE, BOUNDED)
UNCERTAIN = (*WORLD, Assumption(r"\delta\in(0,1)", lambda x: min(x.delta, 1 - x.delta)))
USED = ("alg:general", "thm:ftrlomd/omd", "prp:o2bexp", "prp:o2b/upper")


def _one_task(draw: Draw) -> Instance:
    r"""One distribution over losses, T = 1 .. 300 rounds of OGD from any $\phi$ with any step size."""
    link, d = draw.choice((SQUARE, ABSOLUTE, HINGE, LOGISTIC)), draw.integer(1, 3)
    E = environments.random_environment(draw, link, 1, d)
    return Instance(E=E, T=draw.integer(1, MOST_TASKS), phi=draw.unit(d), v=draw.positive(-8, 2))


IN_LONG_GAMES = (
    r"\E_{\mathcal D^T}\E_{\ell\sim\mathcal D}\ell(\bar\theta)\le\E_{\ell\sim\mathcal D}\ell(\theta^\ast)+\frac{\R_T}T"
)


@claim("prp:o2bexp/sampled", IN_LONG_GAMES, _one_task, WORLD, uses=("def:regret", "def:convex"))
@partial(Chance, reach=lambda x: 2.0)
def single_task(x: Instance, rng: np.random.Generator, n: int) -> Array:
    r"""In long games, on replicates.

    Sampled: the losses of up to 300 rounds, played by OGD from any start; $\R_T$ is the expected regret against the
    best action. The mean excess is tested by a confidence sequence at an error of 0.01 for all of a run."""
    start, eta = np.tile(x.phi, (n, 1)), np.full(n, x.v / scale_of(x.E, x.T))
    risks, regrets = fresh(x.E, start, eta, x.T, rng)
    return risks - _best(x) - regrets / x.T


def _in_delta(excess: Any) -> Chance:
    return Chance(excess, delta=lambda x: float(x.delta))


def expected_excess(bound: Any) -> Any:
    r"""$E_{\mathcal P}E_{\mathcal P^m}\ell_{\mathcal P}(\bar\theta) - E_{\mathcal P}\ell_{\mathcal P}(\theta^\ast)$ of
    each replicate beyond bound(instance, upper)."""

    def excess(x: Instance, rng: np.random.Generator, n: int) -> Array:
        phi, eta, upper = _trained(x, rng, n)
        return transfer_risk(x.E, phi, eta, x.m) - _best(x) - np.asarray(bound(x, upper))

    return excess


def fresh_excess(bound: Any) -> Any:
    r"""The same with one fresh sample for each task in the place of $E_{\mathcal P^m}$."""

    def excess(x: Instance, rng: np.random.Generator, n: int) -> Array:
        phi, eta, upper = _trained(x, rng, n)
        return fresh(x.E, phi, eta, x.m, rng)[0] - _best(x) - np.asarray(bound(x, upper))

    return excess


def general_bound(upper: Array, B: float, T: int, m: int, delta: float) -> Array:
    r"""$\mathcal L_T = \frac{\bar{\mathbf U}}m + B\sqrt{\frac8{mT}\log\frac1\delta}$."""
    return np.asarray(upper / m + B * math.sqrt(8 / (m * T) * math.log(1 / delta)))


def _general(x: Instance, upper: Array) -> Array:
    return general_bound(upper, largest_upper(x) / math.sqrt(x.m), x.T, x.m, x.delta)


GENERAL = rf"{MEAN}\le{BEST}+\frac\RUB m+B\sqrt{{\frac8{{mT}}\log\frac1\delta}}{WHP}"


@claim("thm:o2bexp/rub/sampled", GENERAL, lambda draw: _world(draw, (FIXED, LEARNED, STAYING), 1), UNCERTAIN, uses=USED)
@_in_delta
def by_upper_bounds(x: Instance, rng: np.random.Generator, n: int) -> Array:
    r"""In large worlds, on replicates.

    Sampled: training sequences of up to 300 tasks with up to 50 losses each (absolute, squared, hinge and logistic
    regression over basis vectors); the risk after them is computed. One replicate decides nothing: at an error of
    0.01 for all intervals of a run, the number of violations is tested against $\delta$ by Clopper and Pearson.
    $\RUB$ is that of the sequence itself, $\theta^\ast$ the best action of each task. Within tasks it is OGD from
    the mean of past optima, not every learner. Left out: $\delta$ other than 1 to 99 percent, and v (of EWOO:
    $\varepsilon$) outside $[\frac1{32},\frac12]$. Where all courses of OGD are listed (hinge, logistic and other
    absolute losses than $|\theta-Z|$ with Z 0 or 1), $m\le8$ with one input and $m\le6$ with more. The state is
    $(\phi,v)$, v by $\varepsilon$-EWOO or fixed; or the learner stays where it begins, and U is its regret.
    """
    return np.asarray(expected_excess(_general)(x, rng, n))


@claim("thm:statistical/1/sampled", GENERAL, lambda draw: _world(draw, (FIXED, STAYING), 1), UNCERTAIN, uses=USED)
@_in_delta
def part_1(x: Instance, rng: np.random.Generator, n: int) -> Array:
    r"""In large worlds, on replicates.

    Sampled: training sequences of up to 300 tasks with up to 50 losses each (absolute, squared, hinge and logistic
    regression over basis vectors); the risk after them is computed. One replicate decides nothing: at an error of
    0.01 for all intervals of a run, the number of violations is tested against $\delta$ by Clopper and Pearson.
    $\RUB$ is that of the sequence itself, $\theta^\ast$ the best action of each task. Within tasks it is OGD from
    the mean of past optima, not every learner. Left out: $\delta$ other than 1 to 99 percent, and v (of EWOO:
    $\varepsilon$) outside $[\frac1{32},\frac12]$. Where all courses of OGD are listed (hinge, logistic and other
    absolute losses than $|\theta-Z|$ with Z 0 or 1), $m\le8$ with one input and $m\le6$ with more. Its step size is
    fixed; or the learner stays where it begins, and U is its regret.
    """
    return np.asarray(expected_excess(_general)(x, rng, n))


def self_bounded_bound(excess: Array, rho: float, m: int, delta: float) -> Array:
    r"""$\mathcal L_T + \sqrt{\frac{2\rho\mathcal L_T}m\log\frac2\delta} + \frac{3\rho+2}m\log\frac2\delta$."""
    log = math.log(2 / delta)
    return np.asarray(excess + np.sqrt(2 * rho * excess / m * log) + (3 * rho + 2) / m * log)


def self_bounded(x: Instance, upper: Array) -> Array:
    r"""Part 2 with the $\mathcal L_T$ of part 1."""
    return self_bounded_bound(_general(x, upper), float(environments.self_bounding(x.E, atoms(x.E))), x.m, x.delta)


@claim(
    "thm:statistical/2/sampled",
    rf"{DRAWN}\le{BEST}+\mathcal L_T{SAMPLE}{WHP}",
    lambda draw: _world(draw, (FIXED, LEARNED, STAYING), 1, listing=False, uneven=True),
    UNCERTAIN,
    uses=(*USED, "def:selfbounding", "cor:o2bsb"),
)
@_in_delta
def part_2(x: Instance, rng: np.random.Generator, n: int) -> Array:
    r"""In large worlds, on replicates.

    Sampled: training sequences of up to 300 tasks with up to 50 losses each (absolute, squared, hinge and logistic
    regression over basis vectors); the risk after them is computed. One replicate decides nothing: at an error of
    0.01 for all intervals of a run, the number of violations is tested against $\delta$ by Clopper and Pearson.
    $\RUB$ is that of the sequence itself, $\theta^\ast$ the best action of each task. Within tasks it is OGD from
    the mean of past optima, not every learner. Left out: $\delta$ other than 1 to 99 percent, and v (of EWOO:
    $\varepsilon$) outside $[\frac1{32},\frac12]$. The part itself is REFUTED, exactly: to survive here says only
    that $T\le300$ tasks and OGD do not show that violation. $\mathcal L_T$ is that of part 1. Read so: one sample
    for each task of $\Q$, independent of the training, and $1-\delta$ is over all of them. $\rho$ bounds
    $\E\Delta^2$, not the variance alone, and for logistic losses it is not the least: a smaller one would claim
    more. Label probabilities in $(\frac38,\frac58)$ are left out for absolute and hinge losses: at $\frac12$ no
    $\rho$ exists, and towards it $\rho$ grows without bound.
    """
    return np.asarray(fresh_excess(self_bounded)(x, rng, n))


def strongly_convex_bound(
    upper: Array, least: float, G: float, alpha: float, b: float, T: int, m: int, delta: float
) -> Array:
    r"""$\mathcal L_T$ of part 3 with `least` = $\min_xE\mathbf U(x)$ and b = $B\sqrt m$."""
    log, linear = math.log(8 * math.log(T) / delta), max(16 * G * G, 6 * alpha * b) / (alpha * m * T)
    return np.asarray((upper + least) / m + 4 * G / T * np.sqrt(upper / (alpha * m) * log) + linear * log)


def strongly_convex(x: Instance, upper: Array) -> Array:
    r"""$U(\phi) = \|\theta^\ast-\phi\|^2/(2\eta) + \eta G^2m$ is $\frac1\eta$-strongly convex and, $\Theta$ being of
    diameter $\sqrt d$, $\frac{\sqrt d}\eta$-Lipschitz; its mean is least at that of $\theta^\ast$."""
    sigma, d = scale_of(x.E, x.m), len(x.E.inputs)
    eta, V2 = x.v / sigma, float(environments.squared_deviation(x.E, x.m))
    least, b = (V2 / (2 * x.v) + x.v) * sigma, largest_upper(x)
    return strongly_convex_bound(upper, least, math.sqrt(d) / eta, 1 / eta, b, x.T, x.m, x.delta)


@claim(
    "thm:statistical/3/sampled",
    rf"{MEAN}\le{BEST}+\frac{{\RUB+\min_x\E_{{\mathcal P\sim\Q}}\U(x)}}m+{SECOND}{LOG}}}+{LAST}{WHP}",
    lambda draw: _world(draw, (FIXED,), 2),
    UNCERTAIN,
    uses=(*USED, "thm:o2bsc", "text:fixed-rate-strongly-convex"),
)
@_in_delta
def part_3(x: Instance, rng: np.random.Generator, n: int) -> Array:
    r"""In large worlds, on replicates.

    Sampled: training sequences of up to 300 tasks with up to 50 losses each (absolute, squared, hinge and logistic
    regression over basis vectors); the risk after them is computed. One replicate decides nothing: at an error of
    0.01 for all intervals of a run, the number of violations is tested against $\delta$ by Clopper and Pearson.
    $\RUB$ is that of the sequence itself, $\theta^\ast$ the best action of each task. Within tasks it is OGD from
    the mean of past optima, not every learner. Left out: $\delta$ other than 1 to 99 percent, and v (of EWOO:
    $\varepsilon$) outside $[\frac1{32},\frac12]$. Where all courses of OGD are listed (hinge, logistic and other
    absolute losses than $|\theta-Z|$ with Z 0 or 1), $m\le8$ with one input and $m\le6$ with more. The part itself
    is REFUTED, exactly: to survive here says only that $T\le300$ tasks and OGD do not show that violation. With a
    fixed $\eta$, U is $\frac1\eta$-strongly convex. From $T=2$ on: there is no $\log\log1$.
    """
    return np.asarray(expected_excess(strongly_convex)(x, rng, n))
