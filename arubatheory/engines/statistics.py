r"""What measurement can say: slopes of logarithms with intervals, and intervals from replicates.

The slope of $\log y(T)$ against $\log T$ on a geometric grid is fitted twice, as it is and with the claimed $\log^q T$
divided out. The two differ by about $q/\log T$: exponents closer than that look alike on the grid, and
`Fit.resolution` says so. A probability has Clopper and Pearson's interval, a mean a confidence sequence.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.engines.evaluation import TIE
from arubatheory.problems.numbers import real, shown
from arubatheory.statements.chance import Chance
from arubatheory.statements.core import Instance, NotAnInstance, Sides, Statement
from arubatheory.statements.growth import FARTHER, Growth

ERROR = 0.01  # of all the intervals of one run together
ROUNDING = 1e-9  # of a slope of logarithms of floats that were computed to some ten digits
SLACK = 0.95  # of an excess times log T, what is left of it beyond the grid where it lasts
LEAST = 4  # times the longest T of a grid: what is carried less far says nothing
FEWEST = 3  # points that a slope with an interval needs
REPLICATES = 256  # that a recorded sample is looked at again with
CHUNK = 1 << 14  # replicates that are asked for at once: a game may hold an array for each


class Interval(NamedTuple):
    """An estimate and the ends of its interval; `varies`: not all replicates say the same."""

    value: float
    low: float
    high: float
    varies: bool = True


class Fit(NamedTuple):
    r"""The slopes on the grid from its `start` on: as it is, and with $\log^{power} T$ divided out. None where fewer
    than three values are positive. `over`: by how much the lower end of the latter exceeds the claimed exponent, at
    most 0 where that does not last."""

    T: tuple[int, ...]
    y: tuple[float, ...]
    start: int
    plain: Interval | None
    claimed: Interval | None
    over: float

    @property
    def resolution(self) -> float:
        """Exponents that differ by less than this look alike on the grid."""
        if self.plain is None or self.claimed is None:
            return math.inf
        return abs(self.plain.value - self.claimed.value) + (self.claimed.high - self.claimed.low) / 2

    def per_logarithm(self, exponent: float) -> float:
        r"""By how much the slope exceeds the exponent, in units of $1/\log T$; 0 where there is none."""
        middle = (math.log(self.T[self.start]) + math.log(self.T[-1])) / 2
        return middle * (self.claimed.value - exponent) if self.claimed else 0.0

    def constant(self, growth: Growth) -> float:
        r"""What the claim needs at least: the largest of the last three $y / (T^{exponent} \log^{power} T)$."""
        T, y = np.array(self.T[-FEWEST:]), np.array(self.y[-FEWEST:])
        return float(np.max(np.where(np.isfinite(y), y, -np.inf) / (T**growth.exponent * np.log(T) ** growth.power)))


def grid(growth: Growth) -> list[int]:
    r"""The lengths T: powers of $\sqrt2$, rounded, up to the longest."""
    count = round(2 * math.log2(growth.longest / growth.shortest)) + 1
    return sorted({min(round(growth.shortest * 2 ** (k / 2)), growth.longest) for k in range(count)})


def slope(T: Array, y: Array, power: float, families: int = 1) -> Interval | None:
    r"""The least-squares slope of $\log y - q\log\log T$ against $\log T$ over the positive y, with Student's
    interval, at a level that `families` of them hold together. A straight line leaves no residual: then both ends are
    the slope."""
    from scipy.special import stdtrit  # at first use: a sixth of the time in which a process starts

    kept = (y > 0) & np.isfinite(y)
    if kept.sum() < FEWEST:
        return None
    x, z = np.log(T[kept]), np.log(y[kept])
    z = z - power * np.log(x)
    away = x - x.mean()
    value = float(away @ z / (away @ away))
    left = z - z.mean() - value * away
    freedom = int(kept.sum()) - 2
    half = float(stdtrit(freedom, 1 - ERROR / families / 2) * np.sqrt(left @ left / freedom / (away @ away)))
    return Interval(value, value - half, value + half)


def fit(growth: Growth, instance: Instance, families: int = 1, known: tuple[float, ...] = ()) -> Fit:
    """The quantity on the grid, whose first values may be known, and its slopes as one of so many families: over the
    upper half, or from the last known value on."""
    lengths = grid(growth)
    y = [*known, *(float(growth.excess(instance, T)) for T in lengths[len(known) :])]
    start = len(known) - 1 if known else len(lengths) // 2
    T, top = np.array(lengths[start:], dtype=np.float64), np.array(y[start:])
    plain, claimed = (slope(T, top, power, families) for power in (0.0, growth.power))
    over = -math.inf if claimed is None else claimed.low - growth.exponent
    return Fit(tuple(lengths), tuple(y), start, plain, claimed, over)


def carried(growth: Growth, instance: Instance, seen: Fit, families: int = 1) -> Fit:
    r"""A fit that exceeds the claim, carried beyond the grid as far as it does so, stays finite and is an instance.

    A slope that is too large by a constant stays so, or it falls like $1/\log T$ where a logarithm is missing. What
    keeps less than `SLACK` of its product with log T at the last step fades: a smaller power, or a start that ends.
    """
    limit, before = growth.limit or FARTHER * growth.longest, seen
    while seen.over > ROUNDING and LEAST * growth.longest <= limit:
        growth = growth._replace(longest=min(FARTHER * growth.longest, limit))
        try:
            farther = fit(growth, instance, families, seen.y)
        except NotAnInstance:
            break
        if not np.isfinite(farther.y).all():
            break
        before, seen = seen, farther
    fades = seen.per_logarithm(growth.exponent) < SLACK * before.per_logarithm(growth.exponent)
    return seen._replace(over=min(seen.over, 0.0)) if fades else seen


def clopper_pearson(count: int, n: int, error: float) -> Interval:
    r"""The exact binomial interval: each end misses the probability of the event with probability at most error/2.

    $0 \le count \le n$, $n \ge 1$, $0 < error < 1$. Raises ValueError. Clopper and Pearson 1934.
    """
    if not (isinstance(n, int | np.integer) and n >= 1):
        raise ValueError(f"n must be a positive integer, got {n!r}")
    from scipy.special import betaincinv

    if not 0 <= count <= n:
        raise ValueError(f"count must be between 0 and n = {n}, got {count!r}")
    if not 0 < error < 1:
        raise ValueError(f"error must lie in (0, 1), got {error!r}")
    low = float(betaincinv(count, n - count + 1, error / 2)) if count > 0 else 0.0
    high = float(betaincinv(count + 1, n - count, 1 - error / 2)) if count < n else 1.0
    return Interval(count / n, low, high, 0 < count < n)


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
    r"""By how much the claim fails (above 0) or holds: $P - \delta$ or $E[\text{excess}]$, from n >= 1 replicates, with
    an interval that misses it with probability at most `error`.

    Raises ValueError for an excess that is no n numbers, unless one of delta and reach is given, finite and >= 0, and
    for a reach that the excess passes; TypeError for what is no number.
    """
    parts = [CHUNK] * (n // CHUNK) + [n % CHUNK] * (n % CHUNK > 0)
    excess = np.concatenate([np.atleast_1d(np.array(chance.excess(instance, rng, k), np.float64)) for k in parts])
    if excess.shape != (n,) or np.isnan(excess).any():
        raise ValueError(f"excess must be n = {n} numbers, got {shown(excess)}")
    if chance.delta is not None and chance.reach is None:
        delta = real("delta", chance.delta(instance), least=0)
        p = clopper_pearson(int((excess > TIE * np.abs(excess).max()).sum()), n, error)
        return Interval(p.value - delta, p.low - delta, p.high - delta, p.varies)
    if chance.reach is None or chance.delta is not None:
        raise ValueError("a claim about a sample needs delta or reach, and not both")
    reach = real("reach", chance.reach(instance), least=0)
    largest = float(np.abs(excess).max())
    if not largest <= reach:
        raise ValueError(f"reach must bound the excess, got {reach!r} below {largest!r}")
    centre, low, high = mean_sequence((excess / (reach or 1.0) + 1) / 2, error)
    # All of the sequence holds at once, so the best of its ends do.
    value, least, most = (reach * (2 * float(end) - 1) for end in (centre[-1], low.max(), high.min()))
    return Interval(value, least, most, bool(np.ptp(excess)))


def measured_sides(statement: Statement, instance: Instance) -> Sides:
    """By how much the lower end of the slope's interval exceeds the exponent, or that of the sample's the claim,
    against 0; an instance in floats."""
    if statement.growth is not None:
        return Sides(carried(statement.growth, instance, fit(statement.growth, instance)).over, 0.0)
    return Sides(estimate(statement.chance, instance, np.random.default_rng(0), REPLICATES, ERROR).low, 0.0)
