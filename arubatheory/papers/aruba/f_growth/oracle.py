r"""rem:oracle and text:approx-o1: the last or the average iterate of a task in place of its optimal action.

The paper says that this costs $o(\sqrt m)$ under quadratic growth and refers to a former paper for it. Two readings:

* the *average* of the losses of a task grows quadratically around its unique minimiser. The online losses may then
  come in an adverse order: OMD with a step of order $1/\sqrt m$ forgets the first half of the task, so its last iterate
  is the optimum of the second half, and its average iterate weighs losses by time and not by curvature. Both stay away
  from $\theta^\ast$ for all m. FTRL on the losses themselves does not forget, and for its last iterate the remark is
  true (`/last/ftrl`); its average iterate remembers the first half for too long (`/average/ftrl`). In expectation over
  independent losses the last iterate of OMD is near (`/last/independent`), and so are the average iterates of both
  (`/average/independent`, `/average/ftrl/independent`): there an iterate does not know the loss that it meets, and
  regret bounds its risk. Elsewhere regret is no help: it is negative in such tasks.
* *every* loss grows quadratically around the same point. Then regret bounds the distance of the average iterate
  (`/average/corrected`), and the last iterate of OMD contracts (`/last/corrected`).

What a distance costs is text:approx-o1/parentheses: $V$ becomes $V + \delta$ plus another $\delta$, inside the
parentheses.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from arubatheory.kernel import on
from arubatheory.learners.meta import constant_rate, meta_learn
from arubatheory.learners.meta import mean as mean_of_updates
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import approximate, iterates
from arubatheory.papers.aruba.games.potentials import QUADRATIC
from arubatheory.problems.domains import ball
from arubatheory.problems.draw import Draw
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import FAMILIES
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root
from arubatheory.statements.games import MOST_D, MOST_T
from arubatheory.statements.growth import grows

LONGEST, FIRST_POWER, LAST_POWER = 14, 40, 96  # (1 - eta)^m has m times as many digits
STEP = Assumption(r"\eta>0", lambda x: x.eta)
TASK = (
    STEP,
    Assumption(r"w>0", lambda x: min(x.w)),
    Assumption(r"\phi\in\Theta", lambda x: 1 - abs(x.phi)),
    Assumption(r"c\in\Theta", lambda x: 1 - max(abs(x.c))),
    Assumption(r"\eta w\le1", lambda x: 1 - x.eta * max(x.w)),
)
QG = (
    r"\frac1m\sum_{i=1}^m\ell_i(\theta)-\ell_i(\theta^\ast)\ge\frac\alpha2\|\theta-\theta^\ast\|^2"
    r"\ \forall\ \theta\in\Theta\implies"
)
EACH = r"\ell_i(\theta)-\ell_i(\theta^\ast)\ge\frac\alpha2\|\theta-\theta^\ast\|^2\ \forall\ i,\theta\implies"
AVERAGE = r"\frac\alpha2\left\|\frac1m\sum_{i=1}^m\theta_i-\theta^\ast\right\|^2\le"
UPPER = r"\frac{\Breg_R(\theta^\ast||\phi)}{\eta m}+\eta G^2"
COSTS = r"\RUB_T(\hat\theta)-\RUB_T(\theta^\ast)\le"
USES = ("alg:fmrl", "def:omd", "eq:regret")
OF_FTRL = ("alg:fmrl", "def:ftrl", "eq:regret")


def _half(start: Any, c: Any, shrink: Any, power: Any, n: Any) -> tuple[Any, Any, Any]:
    r"""The last of n steps $x \mapsto c + q(x - c)$, the sum of the points before each, and that of their squared
    distances from c; `power` is $q^n$, `shrink` $1 - q > 0$."""
    away = start - c
    moved = away * (1 - power)
    squares = away * away * ((1 - power * power) / (shrink * (2 - shrink)))
    return c + away * power, n * c + moved / shrink, squares


def _family(draw: Draw) -> Instance:
    return Instance(m=draw.number(2 ** draw.integer(FIRST_POWER, LAST_POWER)))


def _cost(x: Instance, w: tuple[Any, Any], last: bool) -> Any:
    r"""By how much $\bar U$ of two equal tasks with $D_t = 1$ exceeds that with the optimal actions:
    $\frac12B_R(\theta^\ast\|\hat\theta_1)\sigma$, as $\phi_1 = \theta^\ast$. The halves have $c = 1, -1$ and weights w,
    $\sigma^2 = m\frac12\sum(2w)^2$."""
    sigma = root(2 * (w[0] * w[0] + w[1] * w[1])) * root(x.m)
    optimum, n = (w[0] - w[1]) / (w[0] + w[1]), x.m / 2
    point, total = optimum, optimum * 0
    for weight, c in zip(w, (1, -1), strict=True):
        shrink = weight / sigma
        power = np.exp(n * np.log(1 - shrink))
        point, summed, _ = _half(point, point * 0 + c, shrink, power, n)
        total = total + summed
    away = (point if last else total / x.m) - optimum
    return away * away / 4 * sigma


LONG: dict[str, Any] = {
    "game": _family,
    "given": (Assumption(r"m\ge2^{40}", lambda x: x.m - (1 << FIRST_POWER)),),
    "uses": USES,
}


@claim("rem:oracle/last", QG + COSTS + r"\frac{\sqrt m}{10}\quad\text{for}\quad m\ge2^{40}", **LONG)
def last(x: Instance) -> Sides:
    r"""The last iterate of OMD costs $o(\sqrt m)$.

    Closed form in m: $T=2$ equal tasks, $D_t=1$, $\phi_1=\theta^\ast$, $\Theta=[-1,1]$, losses $\frac{w_i}2(x-c_i)^2$
    with $c_i=1$ in the first half, $-1$ in the second; $\eta=1/\sigma$ is of order $1/\sqrt m$. With $w_i=1$ the
    optimum is 0, the last iterate tends to $-1$ and the cost to $\frac12\sqrt m$: any constant and any m could stand
    here.
    """
    one = x.m / x.m
    return Sides(_cost(x, (one, one), True), root(x.m) / 10)


@claim("rem:oracle/average", QG + COSTS + r"\frac{\sqrt m}{100}\quad\text{for}\quad m\ge2^{40}", **LONG)
def average(x: Instance) -> Sides:
    r"""The average iterate of OMD costs $o(\sqrt m)$.

    Closed form in m: $T=2$ equal tasks, $D_t=1$, $\phi_1=\theta^\ast$, $\Theta=[-1,1]$, losses $\frac{w_i}2(x-c_i)^2$
    with $c_i=1$ in the first half, $-1$ in the second; $\eta=1/\sigma$ is of order $1/\sqrt m$. With $w_i=1$, then
    $\frac12$, the optimum is $\frac13$, the average iterate tends to 0: OMD spends half of its time near 1 and half
    near $-1$, whatever the curvatures. The cost tends to $\frac1{36}\sqrt{5m/2}$.
    """
    one = x.m / x.m
    return Sides(_cost(x, (one, one / 2), False), root(x.m) / 100)


@claim(
    "rem:oracle/average/ftrl",
    QG + COSTS + r"\frac{\sqrt m}5\quad\text{for}\quad m\ge2^{40}",
    **LONG | {"uses": OF_FTRL},
)
def average_of_ftrl(x: Instance) -> Sides:
    r"""The average iterate of FTRL costs $o(\sqrt m)$.

    The tasks of rem:oracle/last, $w_i=1$: after j losses of the second half FTRL is near
    $\frac{m/2-j}{m/2+j}$, so that its average iterate tends to $\log2$, while the optimum is 0. The cost tends to
    $\frac{(\log2)^2}2\sqrt m$. Sums of monotone terms are under-stated by integrals.
    """
    n, eta = x.m / 2, 1 / (2 * root(x.m))
    rising = n - 1 - np.log(1 + eta * (n - 1)) / eta
    falling = (1 + 2 * eta * n) / eta * np.log((1 + 2 * eta * n) / (1 + eta * n)) - n
    away = (rising + falling) / x.m
    return Sides(away * away / 2 * root(x.m), root(x.m) / 5)


def _regularised(draw: Draw) -> Instance:
    r"""$\frac{w_i}2\|x - c_i\|_2^2$ on $\mathbb R^d$, some of them flat, in any order: FTRL does not mind."""
    d, m = draw.size("d", 2, MOST_D), draw.size("m", 6, MOST_T)
    w = draw.positive(-8, 8, m) * draw.integers(0, 1, m)
    w[0] = draw.positive(-8, 8)
    c, phi = draw.real(-1, 1, (m, d)), draw.real(-1, 1, d) * draw.positive(-8, 8)
    return Instance(w=w, c=c, phi=phi, eta=draw.positive())


@claim(
    "rem:oracle/last/ftrl",
    QG + r"\frac\alpha2\|\hat\theta-\theta^\ast\|^2\le"
    r"\frac{\Breg_R(\theta^\ast||\phi)-\Breg_R(\hat\theta||\phi)}{\eta m}",
    _regularised,
    (STEP, Assumption(r"\sum_iw_i>0", lambda x: sum(x.w))),
    uses=("def:ftrl",),
    corrects=("rem:oracle/last",),
)
def last_of_ftrl(x: Instance) -> Sides:
    r"""The last iterate of FTRL is near the optimum.

    FTRL minimises $\sum_i\ell_i+\frac1\eta\Breg_R(\cdot||\phi)$: compare its values at $\hat\theta$ and
    $\theta^\ast$. At $\eta$ of order $1/\sqrt m$ the distance is $\mathcal O(m^{-1/4})$. Tried on quadratics, where
    half of the right side is enough.
    """
    mass, m = sum(x.w), len(x.w)
    best = (x.w @ x.c) / mass
    played = (x.phi / x.eta + x.w @ x.c) / (1 / x.eta + mass)
    away, far, near = played - best, best - x.phi, played - x.phi
    return Sides(mass / m / 2 * (away @ away), (far @ far - near @ near) / (2 * x.eta * m))


def _around_zero(draw: Draw) -> Instance:
    x = _regularised(draw)
    x.w, x.c = draw.positive(-8, 8, len(x.w)), 0 * x.c
    return x


@claim(
    "rem:oracle/average/ftrl/corrected",
    EACH + AVERAGE + r"\frac{\R_m}m\le" + UPPER,
    _around_zero,
    (STEP, Assumption(r"0<\alpha\le\min_iw_i", lambda x: min(x.w))),
    uses=("def:ftrl", "thm:ftrlomd/ftrl"),
)
def average_of_shared_by_ftrl(x: Instance) -> tuple[Sides, Sides]:
    r"""The average iterate of FTRL, if every loss grows around the same point.

    By Jensen's inequality, each loss being at its own iterate, and by thm:ftrlomd with the gradients at the iterates.
    Tried on quadratics about 0 on $\mathbb R^d$, $\alpha=\min_iw_i$.
    """
    mass = np.cumsum(x.w) - x.w
    points = np.array([x.phi / (1 + x.eta * s) for s in mass])
    squares = np.array([p @ p for p in points])
    m, average = len(x.w), sum(points) / len(x.w)
    regret, slopes = sum(x.w * squares) / (2 * m), sum(x.w * x.w * squares) / m
    upper = x.phi @ x.phi / (2 * x.eta * m) + x.eta * slopes
    return Sides(min(x.w) / 2 * (average @ average), regret), Sides(regret, upper)


def _independent(draw: Draw) -> Instance:
    r"""$\frac12(x - c_i)^2$ with independent $c_i$ of mean $\mu$ and variance $s^2$."""
    return Instance(
        m=1 << draw.integer(0, LONGEST), eta=draw.positive(-LONGEST, 0), phi=draw.real(-1, 1), s=draw.unit()
    )


@claim(
    "rem:oracle/last/independent",
    r"\ell_i=\frac12|\cdot-c_i|^2,\ c_i\ \text{i.i.d.}\implies\E|\theta_{m+1}-\theta^\ast|^2\le"
    r"(1-\eta)^{2m}|\phi-\mu|^2+s^2\left(\frac\eta{2-\eta}+\frac1m\right)",
    _independent,
    (STEP, Assumption(r"\eta\le1", lambda x: 1 - x.eta)),
    uses=("def:omd",),
    corrects=("rem:oracle/last",),
)
def last_of_independent(x: Instance) -> Sides:
    r"""The last iterate of OMD on independent losses.

    In expectation over a sample whose losses have minimisers of their own, of mean $\mu=0$ and variance $s^2$:
    $\theta_{m+1}=(1-\eta)^m\phi+\eta\sum_i(1-\eta)^{m-i}c_i$, $\theta^\ast$ is the mean of the $c_i$. At $\eta$ of
    order $1/\sqrt m$ the distance is $\mathcal O(m^{-1/4})$, and the cost of a task $\mathcal O(1)$.
    """
    power, noise, one = (1 - x.eta) ** x.m, x.s * x.s, x.eta / x.eta
    weights = x.eta * (1 - power * power) / (2 - x.eta) - 2 * (1 - power) / x.m + one / x.m
    start = power * power * x.phi * x.phi
    return Sides(start + noise * weights, start + noise * (x.eta / (2 - x.eta) + one / x.m))


DRAWN: dict[str, Any] = {
    "latex": r"\ell_i\ \text{i.i.d.},\ \E(\ell_i(\theta)-\ell_i(\theta^\ast))\ge\frac\alpha2\|\theta-\theta^\ast\|^2"
    r"\ \forall\ \theta\implies\E" + AVERAGE + r"\frac{\E\R_m}m\le\E\left(" + UPPER + r"\right)",
    "game": iterates.drawn_losses,
    "given": (STEP, Assumption(r"0<p\le1,\ w_2>0", lambda x: min(x.p, 1 - x.p, x.w[1]))),
}


@claim("rem:oracle/average/independent", **DRAWN, uses=("def:omd", "thm:ftrlomd/omd"), corrects=("rem:oracle/average",))
def average_of_independent(x: Instance) -> tuple[Sides, Sides]:
    r"""The average iterate of OMD on independent losses.

    Only their mean has to grow: $\theta_i$ does not know $\ell_i$, so that by Jensen's inequality regret against the
    minimiser $\theta^\ast$ of the risk bounds the excess risk. At $\eta$ of order $1/\sqrt m$ the distance is
    $\mathcal O(m^{-1/4})$, and the cost of a task $\mathcal O(1)$. All samples of m losses, quadratic or linear,
    of two.
    """
    return iterates.average_of_drawn(x, False)


@claim(
    "rem:oracle/average/ftrl/independent",
    **DRAWN,
    uses=("def:ftrl", "thm:ftrlomd/ftrl"),
    corrects=("rem:oracle/average/ftrl",),
)
def average_of_independent_by_ftrl(x: Instance) -> tuple[Sides, Sides]:
    r"""The average iterate of FTRL on independent losses.

    As for OMD: FTRL's $\theta_i$ does not know $\ell_i$ either. All samples of m losses, quadratic or linear, of two.
    """
    return iterates.average_of_drawn(x, True)


def _shared(draw: Draw) -> Instance:
    r"""$\frac{r_i}2\|x - \theta^\ast\|^2 + w_i|\langle a_i, x - \theta^\ast\rangle|$ on $\mathbb R^d$, with
    $\theta^\ast = 0$, $r_i\eta \le 1$."""
    d, m = draw.size("d", 2, MOST_D), draw.size("m", 6, MOST_T)
    ridge = draw.positive(-6, 0, m) if draw.boolean() else draw.array([1] * m)
    weight = draw.positive(-6, 6, m) * draw.integer(0, 1)
    eta, a = draw.positive(-6, 0) / max(ridge), draw.real(-1, 1, (m, d))
    phi = draw.real(-1, 1, d) * draw.positive(-8, 8)
    return Instance(ridge=ridge, weight=weight, a=a, eta=eta, alpha=min(ridge), phi=phi)


def _descent(x: Instance) -> tuple[list[Any], Any, list[Any]]:
    r"""The points (d,) of OMD, one more than losses, the regret, and $\|g_i\|_2^2$; at a kink the subgradient is 0."""
    points, squares, regret = [x.phi], [], 0 * x.eta
    for r, w, a in zip(x.ridge, x.weight, x.a, strict=True):
        point, slope = points[-1], a @ points[-1]
        g = r * point + w * (1 if slope > 0 else -1 if slope < 0 else 0) * a
        regret = regret + r / 2 * (point @ point) + w * abs(slope)
        squares.append(g @ g)
        points.append(point - x.eta * g)
    return points, regret, squares


SHARED: dict[str, Any] = {
    "game": _shared,
    "given": (STEP, Assumption(r"0<\alpha\le\frac1\eta", lambda x: min(x.alpha, 1 - x.alpha * x.eta))),
}


@claim(
    "rem:oracle/last/corrected",
    EACH + r"\|\theta_{m+1}-\theta^\ast\|^2\le(1-\alpha\eta)^m\|\phi-\theta^\ast\|^2+\frac{\eta G^2}\alpha",
    **SHARED,
    uses=("def:omd",),
)
def last_of_shared(x: Instance) -> Sides:
    r"""The last iterate of OMD, if every loss grows around the same point.

    $\Theta=\mathbb R^d$, $R=\frac12\|\cdot\|_2^2$, $\|\nabla_i\|\le G$: each step gives
    $\|\theta_{i+1}-\theta^\ast\|^2\le(1-\alpha\eta)\|\theta_i-\theta^\ast\|^2+\eta^2G^2$.
    """
    (*_, last), _, squares = _descent(x)
    share = 1 - x.alpha * x.eta
    return Sides(last @ last, share ** len(x.ridge) * (x.phi @ x.phi) + x.eta / x.alpha * max(squares))


def _two_halves(draw: Draw) -> Instance:
    r"""$\frac{w_i}2(x - c_i)^2$ on $\Theta = [-1, 1]$: n losses with (w, c) and n with (w', c'); $\eta\max w \le 1$, so
    that no step leaves $\Theta$; $\phi$ is anywhere, or $\theta^\ast$."""
    n = 1 << draw.integer(0, LONGEST)
    w, c = draw.positive(-4, 0, 2), draw.real(-1, 1, 2)
    optimum = (w @ c) / sum(w)
    phi = optimum if draw.boolean() else draw.real(-1, 1)
    return Instance(n=n, w=w, c=c, optimum=optimum, phi=phi, eta=draw.positive(-LONGEST, 0) / max(w))


def _played(x: Instance) -> tuple[Any, Any]:
    r"""The average iterate, and the losses of OMD."""
    point, total, paid = x.phi, x.phi * 0, x.phi * 0
    for w, c in zip(x.w, x.c, strict=True):
        shrink = x.eta * w
        power = (1 - shrink) ** x.n
        point, summed, squares = _half(point, c, shrink, power, point * 0 + x.n)
        total, paid = total + summed, paid + w / 2 * squares
    return total / (2 * x.n), paid


def _growth_at(x: Instance, point: Any) -> Any:
    r"""$\frac\alpha2(x - \theta^\ast)^2$ for the average of the losses, which it is plus a constant."""
    return sum(x.w) / 4 * (point - x.optimum) * (point - x.optimum)


@claim("text:approx-o1/average", QG + AVERAGE + UPPER, _two_halves, TASK, uses=USES)
def average_below_upper(x: Instance) -> Sides:
    """The average iterate is as near the optimum as the regret bound says.

    A task of two halves, as in rem:oracle/average. Jensen's inequality would need the average loss at every
    iterate; regret has one loss at each.
    """
    slopes = x.w * (1 + abs(x.c))  # G_i on [-1, 1]
    start = (x.phi - x.optimum) * (x.phi - x.optimum) / (4 * x.eta * x.n)
    return Sides(_growth_at(x, _played(x)[0]), start + x.eta * (slopes @ slopes) / 2)


@claim("text:approx-o1/regret", QG + AVERAGE + r"\frac{\R_m}m", _two_halves, TASK, uses=USES)
def average_below_regret(x: Instance) -> Sides:
    """The average iterate is as near the optimum as regret is small.

    Regret against a fixed action may well be negative.
    """
    point, paid = _played(x)
    best = sum(x.n * w / 2 * (x.optimum - c) * (x.optimum - c) for w, c in zip(x.w, x.c, strict=True))
    return Sides(_growth_at(x, point), (paid - best) / (2 * x.n))


@claim(
    "text:approx-o1/corrected",
    EACH + AVERAGE + r"\frac{\R_m}m\le" + UPPER,
    **SHARED,
    uses=USES,
    corrects=("text:approx-o1/average", "text:approx-o1/regret", "rem:oracle/average"),
)
def average_of_shared(x: Instance) -> tuple[Sides, Sides]:
    r"""The average iterate, if every loss grows around the same point.

    $\R_m\ge\frac\alpha2\sum_i\|\theta_i-\theta^\ast\|^2$, and the norm is convex. Equal losses are such;
    independent ones are so in expectation.
    """
    m, ((*points, _), regret, squares) = len(x.ridge), _descent(x)
    middle, upper = sum(points) / m, (x.phi @ x.phi) / (2 * x.eta) + x.eta * sum(squares)
    lhs = x.alpha / 2 * (middle @ middle)
    return Sides(lhs, regret / m), Sides(lhs, upper / m)


@claim(
    "text:approx-o1/parentheses",
    r"\left(\sum_{t=1}^T\sigma_t\Breg_R(\theta_t^\ast||\phi_t)\right)^{\frac12}\le\left(D^2\sigma_1+C"
    r"\sum_{t=1}^T\frac{\sigma_t^2}{\sigma_{1:t}}+(V+\delta)^2\sigma_{1:T}\right)^{\frac12}"
    r"+\delta\sqrt{\sigma_{1:T}}\quad\text{for}\quad\delta^2=\frac1{\sigma_{1:T}}\sum_{t=1}^T\sigma_t"
    r"\Breg_R(\theta_t^\ast||\hat\theta_t)",
    partial(approximate.game, kinds=(QUADRATIC,)),
    approximate.GAME,
    uses=("asu:general", "thm:fixed"),
)
def inside_the_parentheses(x: Instance) -> Sides:
    r"""A distance $\delta$ adds to V inside the parentheses.

    $R=\frac12\|\cdot\|_A^2$, FTL on $\hat\theta_t$, $V$ the deviation of the $\theta_t^\ast$,
    $C=\frac{{G'}^2}2$. Minkowski's inequality twice around thm:fixed/ftl/nice; so $\delta=\mathcal O(m^{-1/4})$ costs
    $\mathcal O(m^{1/4})$ in each task.
    """
    m, mass = approximate.measure(x, approximate.FTL), sum(x.sigma)
    V2 = sum(x.sigma * approximate.about_mean(x, x.star)) / mass
    delta = root(sum(x.sigma * on(approximate.divergences, x.first)(x.R, x.star, x.hat)) / mass)
    first, steep = approximate.diameter_squared(x) * x.sigma[0], approximate.steepness(x, approximate.FTL)
    rhs = root(first + steep + (root(V2) + delta) ** 2 * mass) + delta * root(mass)
    return Sides(root(sum(m.star * x.sigma)), rhs)


def _similar_tasks(draw: Draw) -> Instance:
    return Instance(seed=draw.integer(0, 1 << 20), V=draw.positive(-4, 0), losses=draw.integer(0, 1))


@claim(
    "text:approx-o1/rate",
    r"\ell_{t,1}=\dots=\ell_{t,m}\implies|\RUB_T(\hat\theta)-\RUB_T(\theta^\ast)|=\mathcal O(m^{\frac14})",
    _similar_tasks,
    (Assumption("V>0", lambda x: x.V),),
    uses=USES,
)
@grows(exponent=0.25, longest=1024, variable="m")
def cost(x: Instance, m: int) -> float:
    r"""On tasks of equal losses the average iterate costs $\mathcal O(m^{1/4})$.

    Eight tasks of quadratics or of distances around points of deviation V, at $D_t=1$; what the corrected claims
    give, and less than $\sqrt m$.
    """
    rng = np.random.default_rng(x.seed)
    kind = ("quadratic", "distance")[x.losses]
    found = FAMILIES["similar"](rng, 8, m, 2, V=float(x.V), losses=kind, noise=0.0, center=np.zeros(2))
    domain, R, start = ball(np.zeros(2), 4.0), euclidean(2), mean_of_updates(np.ones(2))
    runs = [
        meta_learn(found.tasks, domain, R, start, constant_rate(1.0), optima=found.optima, update=update)
        for update in ("average", "optimal")
    ]
    return abs(runs[0].average_upper - runs[1].average_upper)
