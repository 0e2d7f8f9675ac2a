r"""Claims about a random sample: $P(\text{lhs} > \text{rhs}) \le \delta$, or $E[\text{lhs} - \text{rhs}] \le 0$.

Where the sample space is finite and small, its outcomes are listed with their probabilities and both sides are exact
numbers (`at_worst`, `binomial_tail`): such a claim is an inequality like any other, and check and search refute it.
Where it is not, replicates are drawn (engine "simulate") and only an interval at a stated error level can speak.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc, betaincinv

from arubatheory.arithmetic import Array, Exact, Undecided, is_exact, regularized_beta
from arubatheory.kernel import on
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Instance, Sides

ERROR = 0.01  # of all the intervals of one run together


class Chance(NamedTuple):
    r"""`excess(instance, rng, n)`: n independent replicates (n,) of lhs - rhs.

    With `delta(instance)` the claim is $P(\text{excess} > 0) \le \delta$; with `reach(instance)`, a number that
    $|\text{excess}|$ never passes, it is $E[\text{excess}] \le 0$.
    """

    excess: Callable[[Instance, np.random.Generator, int], Array]
    delta: Callable[[Instance], float] | None = None
    reach: Callable[[Instance], float] | None = None


class Interval(NamedTuple):
    """An estimate and the ends of its interval."""

    value: float
    low: float
    high: float


# exact -----------------------------------------------------------------------------------------------------------
def binomial_tail(count: int, n: int, p: Any) -> Any:
    r"""$P(X \le count)$ for X binomial with n trials of probability $p \in [0, 1]$: a float, or a ball for an exact p.

    Raises ValueError for a count outside $\{0, \dots, n\}$ or a p outside [0, 1].
    """
    if not 0 <= count <= n:
        raise ValueError(f"count must be between 0 and n = {n}, got {count!r}")
    if not 0 <= p <= 1:
        raise ValueError(f"p must lie in [0, 1], got {p!r}")
    if count == n or p == 0:
        return 1 + 0 * p
    if p == 1:
        return 0 * p
    tail = regularized_beta if isinstance(p, Exact) else lambda x, a, b: float(betainc(a, b, x))
    return tail(1 - p, n - count, count + 1)


def at_worst(
    excess: Array, price: Array, prob: Array, bound: Callable[[Any, Any], Any], share: int = 1
) -> tuple[Sides, ...]:
    r"""$P(\text{excess} > bound(price, \delta)) \le \delta/share$ for all $\delta \in (0, 1)$, where bound grows with
    the price and falls in $\delta$, from outcomes (n,): all or some of what can happen.

    Outcomes with an excess of at least e and a price of at most u have a probability P; if the claim failed on one of
    them at $\delta = share \cdot P$, it would fail on all of them just below. So it implies
    $e \le bound(u, share \cdot P)$. (Where prices are not ordered as the excesses are, that is necessary only.)
    """
    possible = [o for o in range(len(prob)) if prob[o] > 0]
    if not possible:
        return (Sides(0 * prob[0], 0 * prob[0]),)
    kept = [o for o in possible if excess[o] > 0] or [max(possible, key=lambda o: excess[o])]
    excess, price, prob = excess[kept], price[kept], prob[kept]
    sides = []
    for e, u in zip(excess, price, strict=True):
        as_bad = ((excess >= e - _blur(excess)) & (price <= u + _blur(price))).astype(bool)
        delta = sum(prob[as_bad]) * share
        sides.append(Sides(e, bound(u, on(smaller, delta)(delta, 0 * delta + 1))))
    return tuple(sides)


def _blur(values: Array) -> Any:
    """Floats that rounding may have parted count as equal, on the scale of the largest of them; exact numbers do not."""
    return 0 if is_exact(values) else 2.0**-40 * abs(values).max()


# sampled ---------------------------------------------------------------------------------------------------------
def clopper_pearson(count: int, n: int, error: float) -> Interval:
    r"""The exact binomial interval: each end misses the probability of the event with probability at most error/2.

    $0 \le count \le n$, $n \ge 1$, $0 < error < 1$. Raises ValueError. Clopper and Pearson 1934.
    """
    if not (isinstance(n, int | np.integer) and n >= 1):
        raise ValueError(f"n must be a positive integer, got {n!r}")
    if not 0 <= count <= n:
        raise ValueError(f"count must be between 0 and n = {n}, got {count!r}")
    if not 0 < error < 1:
        raise ValueError(f"error must lie in (0, 1), got {error!r}")
    low = float(betaincinv(count, n - count + 1, error / 2)) if count > 0 else 0.0
    high = float(betaincinv(count + 1, n - count, 1 - error / 2)) if count < n else 1.0
    return Interval(count / n, low, high)


def mean_sequence(x: Array, error: float) -> tuple[Array, Array, Array]:
    r"""Running means (n,) of $x_i \in [0, 1]$ with a common conditional mean, and a confidence sequence for it.

    All intervals hold together with probability at least 1 - error, at whatever time one stops: the empirical Bernstein
    sequence with predictable weights $\lambda_i = \min\{(2\log\frac2\alpha / (\hat\sigma_{i-1}^2\, i\log(1+i)))^{1/2},
    \frac12\}$ and half-width $(\log\frac2\alpha + \sum_i 4(x_i-\hat\mu_{i-1})^2\psi(\lambda_i)) / \sum_i\lambda_i$,
    $\psi(\lambda) = (-\log(1-\lambda)-\lambda)/4$. Raises ValueError for values outside [0, 1] or an error outside
    (0, 1). Waudby-Smith and Ramdas 2024, Theorem 2.
    """
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != 1 or x.size < 1 or not (np.isfinite(x).all() and x.min() >= 0 and x.max() <= 1):
        raise ValueError(f"x must be a vector of numbers in [0, 1], got {x!r}")
    if not 0 < error < 1:
        raise ValueError(f"error must lie in (0, 1), got {error!r}")
    i = np.arange(1, x.size + 1)
    means = (0.5 + np.cumsum(x)) / (i + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2)) / (i + 1)
    mean_before = np.concatenate(([0.5], means[:-1]))
    variance_before = np.concatenate(([0.25], variances[:-1]))
    logarithm = np.log(2 / error)
    weight = np.minimum(np.sqrt(2 * logarithm / (variance_before * i * np.log1p(i))), 0.5)
    total = np.cumsum(weight)
    centre = np.cumsum(weight * x) / total
    half = (logarithm + np.cumsum((x - mean_before) ** 2 * (-np.log1p(-weight) - weight))) / total
    return centre, np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def estimate(chance: Chance, instance: Instance, rng: np.random.Generator, n: int, error: float) -> Interval:
    r"""By how much the claim fails (above 0) or holds: $P - \delta$ or $E[\text{excess}]$, from n replicates."""
    excess = np.asarray(chance.excess(instance, rng, n), dtype=np.float64)
    if excess.shape != (n,) or np.isnan(excess).any():
        raise ValueError(f"excess must be n = {n} numbers, got {excess!r}")
    if chance.delta is not None:
        delta = float(chance.delta(instance))
        return Interval(*(end - delta for end in clopper_pearson(int((excess > 0).sum()), n, error)))
    if chance.reach is None:
        raise ValueError("a claim about a sample needs delta or reach")
    reach = float(chance.reach(instance))
    largest = float(np.abs(excess).max())
    if not largest <= reach:
        raise ValueError(f"reach must bound the excess, got {reach!r} below {largest!r}")
    if reach == 0:
        return Interval(0.0, 0.0, 0.0)
    centre, low, high = mean_sequence((excess / reach + 1) / 2, error)
    # All of the sequence holds at once, so the best of its ends do.
    return Interval(*(reach * (2 * float(end) - 1) for end in (centre[-1], low.max(), high.min())))


def chance_sides(chance: Chance, replicates: int = 256) -> Callable[[Instance], Sides]:
    r"""The sides of a claim that has no exact form: its estimate against 0. In floats only."""

    def sides(instance: Instance) -> Sides:
        if any(_is_exact(value) for value in vars(instance).values()):
            raise Undecided("a sampled probability has no exact value")
        return Sides(estimate(chance, instance, np.random.default_rng(0), replicates, ERROR).low, 0.0)

    return sides


def _is_exact(value: Any) -> bool:
    return isinstance(value, Exact) or (isinstance(value, np.ndarray) and value.dtype == object)
