r"""Claims about growth: a quantity is $\tilde O(T^p)$, that is $O(T^p \log^q T)$ for the printed power q.

Such a claim names no constant, so no finite number of values refutes it. What can be measured is the slope of
$\log y(T)$ against $\log T$ on a geometric grid, once as it is and once with the claimed $\log^q T$ divided out. The
two slopes differ by about $q/\log T$: exponents closer than that look alike on the grid, and `Fit.resolution` says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from arubatheory.arithmetic import Array, Exact, Undecided
from arubatheory.statements.core import Instance, Sides

ERROR = 0.01  # of all the intervals of one run together
FEWEST = 3  # points that a slope with an interval needs


class Growth(NamedTuple):
    r"""`excess(instance, T)` is claimed to be $O(T^{exponent} \log^{power} T)$; T runs over powers of $\sqrt2$ from
    `shortest` to `longest`, and is called `variable` in print. What is not positive is no growth at all: a bound's
    leading term is subtracted before."""

    excess: Callable[[Instance, int], float]
    exponent: float
    power: float = 0.0
    shortest: int = 16
    longest: int = 4096
    variable: str = "T"


def grows(
    exponent: float, power: float = 0.0, shortest: int = 16, longest: int = 4096, variable: str = "T"
) -> Callable[[Callable[[Instance, int], float]], Growth]:
    r"""Over a function excess(instance, T): the claim that it is $O(T^{exponent} \log^{power} T)$."""
    return lambda excess: Growth(excess, exponent, power, shortest, longest, variable)


class Slope(NamedTuple):
    """A slope and its two-sided confidence interval."""

    value: float
    low: float
    high: float


class Fit(NamedTuple):
    r"""The slopes on the upper half of the grid: as it is, and with $\log^{power} T$ divided out. None where fewer than
    three values are positive."""

    T: tuple[int, ...]
    y: tuple[float, ...]
    plain: Slope | None
    claimed: Slope | None

    @property
    def resolution(self) -> float:
        """Exponents that differ by less than this look alike on the grid."""
        if self.plain is None or self.claimed is None:
            return math.inf
        return abs(self.plain.value - self.claimed.value) + (self.claimed.high - self.claimed.low) / 2


def grid(growth: Growth) -> list[int]:
    r"""The lengths T: powers of $\sqrt2$, rounded."""
    count = round(2 * math.log2(growth.longest / growth.shortest)) + 1
    return [round(growth.shortest * 2 ** (k / 2)) for k in range(count)]


def slope(T: Array, y: Array, power: float, families: int = 1) -> Slope | None:
    r"""The least-squares slope of $\log y - q\log\log T$ against $\log T$ over the positive y, with Student's
    interval, at a level that `families` of them hold together. A straight line leaves no residual: then both ends are
    the slope."""
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
    return Slope(value, value - half, value + half)


def fit(growth: Growth, instance: Instance, families: int = 1) -> Fit:
    """The quantity on the grid, and its slopes over the upper half, as one of so many families."""
    lengths = grid(growth)
    y = [float(growth.excess(instance, T)) for T in lengths]
    upper = slice(len(lengths) // 2, None)
    T, top = np.array(lengths[upper], dtype=np.float64), np.array(y[upper])
    return Fit(tuple(lengths), tuple(y), slope(T, top, 0.0, families), slope(T, top, growth.power, families))


def growth_sides(growth: Growth) -> Callable[[Instance], Sides]:
    r"""The sides of a statement of growth: by how much the lower end of the slope's interval exceeds the exponent,
    against 0. In floats only: there is nothing exact about a slope."""

    def sides(instance: Instance) -> Sides:
        if any(_is_exact(value) for value in vars(instance).values()):
            raise Undecided("an exponent of growth is estimated, it has no exact value")
        found = fit(growth, instance).claimed
        return Sides(-math.inf if found is None else found.low - growth.exponent, 0.0)

    return sides


def _is_exact(value: Any) -> bool:
    return isinstance(value, Exact) or (isinstance(value, np.ndarray) and value.dtype == object)
