"""Paired intervals over seeds, and what an interval says of a sentence."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

LEVEL = 0.95
CONFIRMED, NOT_CONFIRMED, CONTRADICTED, TOO_LITTLE = "confirmed", "not confirmed", "contradicted", "too little data"


class Interval(NamedTuple):
    """A mean, its interval at the level 95% (Student's, over `n` seeds), in the unit of the data."""

    mean: float
    low: float
    high: float
    n: int

    def shown(self, digits: int = 2, scale: float = 1.0) -> str:
        """`0.42 [0.10, 0.74]`, times `scale`."""
        mean, low, high = (f"{scale * x:.{digits}f}" for x in self[:3])
        return f"{mean} [{low}, {high}]"


def interval(values: Any) -> Interval:
    r"""$\bar x \pm t_{n-1}(0.975)\,s/\sqrt n$ of n independent numbers; infinitely wide for one.

    Of paired differences, one for each seed, it is the paired interval. Raises ValueError for no numbers, or for
    numbers that are not finite.
    """
    from scipy.stats import t

    x = np.asarray(values, dtype=np.float64).reshape(-1)
    if x.size == 0 or not np.isfinite(x).all():
        raise ValueError(f"values must be finite numbers, at least one, got {x.tolist()!r}")
    if x.size == 1:
        return Interval(float(x[0]), -np.inf, np.inf, 1)
    half = float(t.ppf((1 + LEVEL) / 2, x.size - 1)) * float(x.std(ddof=1)) / x.size**0.5
    return Interval(float(x.mean()), float(x.mean()) - half, float(x.mean()) + half, x.size)


def paired(first: Any, second: Any) -> Interval:
    """The interval of first - second, seed by seed."""
    return interval(np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64))


def judged(found: Interval, least: float, resolution: float) -> str:
    """What an interval says of the claim that a mean is at least `least` (or above it: the bound has no weight).

    Confirmed, if all of it lies there; contradicted, if none does; else it is not confirmed, and where the interval is
    wider than `resolution` the data are too few to say so.
    """
    if found.low >= least:
        return CONFIRMED
    if found.high < least:
        return CONTRADICTED
    return TOO_LITTLE if found.high - found.low > resolution else NOT_CONFIRMED
