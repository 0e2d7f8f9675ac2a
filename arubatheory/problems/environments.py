r"""Distributions $\mathcal Q$ over task distributions $\mathcal P$: risks, minimisers, $V_{\mathcal Q}$ and $\rho$.

Regression over basis vectors on $\Theta = [0, 1]^d$. Task j has probability $q_j$. A loss of task j shows the input
$e_i$ with probability $x_i$ and a label $s = \pm1$, $P(s = 1) = p_{ji}$, and depends on $\theta_i$ alone. With a centre
$c_{ji}$ and a radius $r_{ji}$ it has values in [0, 1]:

| link | loss | least $\theta_i$ after $n_+$ and $n_-$ labels |
|---|---|---|
| absolute | $\lvert\theta_i - (c + sr)\rvert$ | $c \pm r$, the side of the majority |
| square | $(\theta_i - (c + sr))^2$ | $c + r(n_+-n_-)/(n_++n_-)$ |
| hinge | $\max\{0, r - s(\theta_i - c)\}/(1+r)$ | $c \pm r$ |
| logistic | $\log(1+e^{-s(\theta_i-c)/r})/\log(1+e^{1/r})$ | $c + r\log(n_+/n_-)$, at most 1, at least 0 |

Of several minimisers it is the one nearest to the middle of $\Theta$, as in appendix C. Absolute losses with Bernoulli
tasks are $c = r = \frac12$, deterministic tasks $p \in \{0, 1\}$, d = 1 is an interval. The population risk is a sum of
2d terms and has its minimum where the counts are $p$ and $1 - p$; the empirical minimiser of m losses depends on
binomial counts, so its moments are finite sums.

$\rho$: with $\Delta = \ell(\theta) - \ell(\theta^\ast)$ the ratio $E\Delta^2/E\Delta$ of one coordinate is, between the
kinks, a convex function over a positive affine one (or, for squares, a convex quadratic), so that it is largest at 0, 1
or $c \pm r$; sums over coordinates have at most the largest ratio. Logistic losses have slopes at most L and curvature
at least $\alpha$ on the interval, so that $\rho = 2L^2/\alpha = 2e^{\max\{c, 1-c\}/r}/\log(1+e^{1/r})$ will do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import ABSOLUTE, HINGE, LINKS, LOGISTIC, SQUARE, link_slope, link_value
from arubatheory.problems.numbers import as_floats, as_vector, probabilities, spread
from arubatheory.problems.scalar import infinite, larger, rounding, smaller
from arubatheory.problems.signatures import typed

KINDS = {name: LINKS.index(name) for name in ("absolute", "square", "hinge", "logistic")}


class Environment(NamedTuple):
    r"""The link's code, q (J,), x (d,), and p, c, r (J, d)."""

    link: int
    tasks: Array
    inputs: Array
    chance: Array
    centre: Array
    radius: Array


class Atoms(NamedTuple):
    r"""The losses $w\,\psi(a\theta_i - b)$ themselves: w (J, d), a and b (J, d, 2), labels -1 and +1 in this order."""

    weight: Array
    a: Array
    b: Array


class Sampler(NamedTuple):
    r"""Cumulative probabilities: of the tasks (J,), and of the losses of each (J, 2d), loss 2i + k with label k."""

    task: Array
    loss: Array


# kernels -----------------------------------------------------------------------------------------------------------
@kernel
def atoms(E: Environment) -> Atoms:
    """[exact] The losses of every task."""
    J, d = E.chance.shape
    weight, a, b = np.empty_like(E.chance), np.empty((J, d, 2), E.chance.dtype), np.empty((J, d, 2), E.chance.dtype)
    for j in range(J):
        for i in range(d):
            c, r = E.centre[j, i], E.radius[j, i]
            one = 1 + (c - c)
            weight[j, i] = one + one if E.link == SQUARE else one
            if E.link == HINGE:
                weight[j, i] = r / (1 + r)
            if E.link == LOGISTIC:
                weight[j, i] = 1 / link_value(LOGISTIC, -1 / r)
            for k in range(2):
                s = 2 * k - 1
                if E.link == HINGE or E.link == LOGISTIC:
                    a[j, i, k], b[j, i, k] = s / r, s * c / r
                else:
                    a[j, i, k], b[j, i, k] = one, c + s * r
    return Atoms(weight, a, b)


@kernel
def loss_at(E: Environment, A: Atoms, j: int, i: int, k: int, x: Any) -> Any:
    r"""[exact] The loss of task j at input i with label k where $\theta_i = x$."""
    return A.weight[j, i] * link_value(E.link, A.a[j, i, k] * x - A.b[j, i, k])


@kernel
def slope_at(E: Environment, A: Atoms, j: int, i: int, k: int, x: Any) -> Any:
    r"""[exact] Its slope; at a kink the one towards the target, so that Bernoulli tasks have linear losses."""
    a, one = A.a[j, i, k], 1 + (x - x)
    return A.weight[j, i] * a * link_slope(E.link, a * x - A.b[j, i, k], (1 - k) * one)


@kernel
def mean_at(E: Environment, A: Atoms, j: int, i: int, x: Any) -> Any:
    r"""[exact] $E\ell$ in task j given the input i, where $\theta_i = x$."""
    p = E.chance[j, i]
    return (1 - p) * loss_at(E, A, j, i, 0, x) + p * loss_at(E, A, j, i, 1, x)


@kernel
def risk(E: Environment, A: Atoms, j: int, theta: Array) -> Any:
    r"""[exact] $\ell_{\mathcal P}(\theta)$ of task j at $\theta$ (d,)."""
    s = theta[0] - theta[0]
    for i in range(theta.shape[0]):
        s = s + E.inputs[i] * mean_at(E, A, j, i, theta[i])
    return s


@kernel
def least(link: int, c: Any, r: Any, minus: Any, plus: Any) -> Any:
    r"""[exact] Of the points with the least loss over `minus` and `plus` labels (any weights), the nearest to 1/2."""
    half = (1 + (c - c)) / 2
    if not minus + plus > 0:
        return half
    if link == SQUARE:
        return c + r * (plus - minus) / (plus + minus)
    if link == LOGISTIC:
        if not minus > 0:
            return 2 * half
        if not plus > 0:
            return half - half
        return larger(smaller(c + r * np.log(plus / minus), 2 * half), half - half)
    if minus == plus:
        return larger(smaller(half, c + r), c - r)
    side = c + r if plus > minus else c - r
    if link == HINGE and not minus > 0:
        return larger(side, half)
    if link == HINGE and not plus > 0:
        return smaller(side, half)
    return side


@kernel
def minimisers(E: Environment) -> Array:
    r"""[exact] $\theta^\ast \in \arg\min_{\Theta}\ell_{\mathcal P}$ of every task (J, d)."""
    out = np.empty_like(E.chance)
    for j in range(out.shape[0]):
        for i in range(out.shape[1]):
            p = E.chance[j, i]
            out[j, i] = least(E.link, E.centre[j, i], E.radius[j, i], 1 - p, p)
    return out


@kernel
def least_risk(E: Environment, A: Atoms) -> Any:
    r"""[exact] $E_{\mathcal P\sim\mathcal Q}\min_\theta\ell_{\mathcal P}(\theta)$."""
    best, s = minimisers(E), E.tasks[0] - E.tasks[0]
    for j in range(best.shape[0]):
        s = s + E.tasks[j] * risk(E, A, j, best[j])
    return s


@kernel
def grow_binomial(row: Array, n: int, p: Any) -> None:
    r"""[exact] Turns the probabilities of n - 1 tosses (in `row`, which is longer) into those of n."""
    row[n] = p * row[n - 1]
    for k in range(n - 1, 0, -1):
        row[k] = (1 - p) * row[k] + p * row[k - 1]
    row[0] = (1 - p) * row[0]


@kernel
def _empirical(E: Environment, j: int, i: int, m: int) -> Any:
    r"""[exact] Mean and mean square of the empirical minimiser's coordinate i after m losses of task j."""
    p, zero = E.chance[j, i], E.chance[j, i] - E.chance[j, i]
    seen, row = np.zeros(m + 1, E.chance.dtype), np.zeros(m + 1, E.chance.dtype)
    seen[0], row[0] = 1 + zero, 1 + zero
    for n in range(1, m + 1):
        grow_binomial(seen, n, E.inputs[i])
    first, second = zero, zero
    for n in range(m + 1):
        if n > 0:
            grow_binomial(row, n, p)
        for k in range(n + 1):
            x = least(E.link, E.centre[j, i], E.radius[j, i], n - k + zero, k + zero)
            w = seen[n] * row[k]
            first, second = first + w * x, second + w * x * x
    return first, second


@kernel
def squared_deviation(E: Environment, m: int) -> Any:
    r"""[exact] $V_{\mathcal Q}^2 = \min_\phi E_{\mathcal P\sim\mathcal Q}E_{\mathcal P^m}\|\theta^\ast - \phi\|_2^2$,
    $\theta^\ast$ the empirical minimiser of m losses. ValueError for m below 1."""
    if m < 1:
        raise ValueError(f"m must be an integer >= 1, got {m}")
    J, d = E.chance.shape
    total = E.tasks[0] - E.tasks[0]
    for i in range(d):
        mean, square = total - total, total - total
        for j in range(J):
            first, second = _empirical(E, j, i, m)
            mean, square = mean + E.tasks[j] * first, square + E.tasks[j] * second
        total = total + (square - mean * mean)
    return total


@kernel
def lipschitz(E: Environment, A: Atoms) -> Any:
    r"""[exact] The largest slope of any loss on $\Theta$ that can occur."""
    J, d = E.chance.shape
    zero = E.tasks[0] - E.tasks[0]
    top = zero
    for j in range(J):
        for i in range(d):
            if E.tasks[j] > 0 and E.inputs[i] > 0:
                for k in range(2):
                    top = larger(top, abs(slope_at(E, A, j, i, k, zero)))
                    top = larger(top, abs(slope_at(E, A, j, i, k, 1 + zero)))
    return top


@kernel
def _ratio(E: Environment, A: Atoms, j: int, i: int, best: Any, x: Any) -> Any:
    r"""[exact] $E\Delta^2/E\Delta$ in coordinate i: infinite where only the denominator is 0, 0 where both are
    (in floats: where $\Delta$ is of the size of its rounding)."""
    p = E.chance[j, i]
    down = loss_at(E, A, j, i, 0, x) - loss_at(E, A, j, i, 0, best)
    up = loss_at(E, A, j, i, 1, x) - loss_at(E, A, j, i, 1, best)
    mean, square = (1 - p) * down + p * up, (1 - p) * down * down + p * up * up
    if mean > 0:
        return square / mean
    tiny = 64 * rounding(mean)
    return infinite(mean) if square > tiny * tiny else square - square


@kernel
def _ratio_of(E: Environment, A: Atoms, j: int, i: int, best: Any) -> Any:
    r"""[exact] A bound of $E\Delta^2/E\Delta$ in coordinate i of task j, the least one but for logistic losses."""
    c, r = E.centre[j, i], E.radius[j, i]
    if E.link == LOGISTIC:
        return 2 * A.weight[j, i] * np.exp(larger(1 - c, c) / r)
    zero = c - c
    top = larger(_ratio(E, A, j, i, best, zero), _ratio(E, A, j, i, best, 1 + zero))
    return larger(top, larger(_ratio(E, A, j, i, best, c - r), _ratio(E, A, j, i, best, c + r)))


@kernel
def self_bounding(E: Environment, A: Atoms) -> Any:
    r"""[exact] A $\rho$ with $\rho E\Delta\ell(\theta) \ge E\Delta\ell(\theta)^2$ on $\Theta$ for every task that can
    occur; infinite if there is none (in exact numbers: undefined)."""
    J, d = E.chance.shape
    best, top = minimisers(E), E.tasks[0] - E.tasks[0]
    for j in range(J):
        for i in range(d):
            if E.tasks[j] > 0 and E.inputs[i] > 0:
                top = larger(top, _ratio_of(E, A, j, i, best[j, i]))
    return top


@kernel
def pick(cumulative: Array, u: float) -> int:
    """The first place whose cumulative probability exceeds u, for u in [0, 1). Without branches: one that nobody can
    predict costs more than a comparison with all of them."""
    k = 0
    for place in range(cumulative.shape[0] - 1):
        k += u >= cumulative[place]
    return k


# construction ------------------------------------------------------------------------------------------------------
@typed
def environment(link: str, tasks: Any, inputs: Any, chance: Any, centre: Any, radius: Any) -> Environment:
    r"""A validated environment in floats: q (J,), x (d,), and p, c, r of shape (J, d) or broadcast to it.

    Raises ValueError for an unknown link, q or x that are not probabilities, p outside [0, 1], $c \pm r$ outside
    [0, 1] (losses would leave it), $r < 0$, or r = 0 for hinge and logistic losses; TypeError for exact numbers.
    """
    if link not in KINDS:
        raise ValueError(f"link must be one of {', '.join(KINDS)}, got {link!r}")
    q, x = probabilities("tasks", tasks), probabilities("inputs", inputs)
    parts = (("chance", chance), ("centre", centre), ("radius", radius))
    p, c, r = (spread(name, as_floats(name, part), (q.size, x.size)) for name, part in parts)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"chance must lie in [0, 1], got {chance!r}")
    if not (r >= 0).all() or (link in ("hinge", "logistic") and not (r > 0).all()):
        raise ValueError(f"radius must be >= 0, and > 0 for hinge and logistic losses, got {radius!r}")
    if not ((c - r >= 0) & (c + r <= 1)).all():
        raise ValueError(f"centre +- radius must lie in [0, 1], else losses leave it, got {centre!r} +- {radius!r}")
    return Environment(KINDS[link], q, x, p, c, r)


def bernoulli_tasks(tasks: Any, chance: Any) -> Environment:
    r"""$|\theta - Z|$, $P(Z = 1) = p_j$ in task j: risk $p(1-\theta) + (1-p)\theta$, $\theta^\ast = [p > \frac12]$."""
    return environment("absolute", tasks, 1.0, as_vector("chance", chance)[:, None], 0.5, 0.5)


@typed
def random_environment(draw: Draw, link: int, J: int, d: int) -> Environment:
    r"""J tasks over d inputs; in every other environment labels are certain, or absolute losses are Bernoulli tasks."""
    q, x, chance = draw.simplex(J), draw.simplex(d), draw.unit((J, d))
    if draw.boolean():
        chance = draw.array([draw.integer(0, 1) for _ in range(J * d)]).reshape(J, d)
    radius = (1 + 7 * draw.unit((J, d))) / 16
    centre = radius + (1 - 2 * radius) * draw.unit((J, d))
    if link == ABSOLUTE and draw.boolean():
        half = draw.zeros((J, d)) + draw.number(1, 2)
        centre, radius = half, half.copy()
    return Environment(link, q, x, chance, centre, radius)


@typed
def sampler(E: Environment) -> Sampler:
    """The cumulative probabilities from which `pick` draws tasks and losses."""
    loss = np.stack([E.inputs * (1 - E.chance), E.inputs * E.chance], axis=2).reshape(len(E.tasks), -1)
    return Sampler(np.cumsum(E.tasks), np.cumsum(loss, axis=1))
