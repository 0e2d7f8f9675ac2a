"""Losses as compiled functions, called from compiled loops: one round of them, and their sum."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.problems.own.rounds import Rounds

MOST = 4  # arrays of data


def observer_of(losses: Rounds) -> Any:
    """The kernel of (data, t, x) that returns the value and the gradient of round t; None where data are no arrays."""
    if not all(isinstance(column, np.ndarray) for column in losses.data) or len(losses.data) > MOST:
        return None
    return _observer(losses._value, losses._gradient, len(losses.data))


@functools.cache
def _observer(value: Any, gradient: Any, arrays: int) -> Any:
    @kernel
    def one(data: Any, t: int, x: Array) -> Any:
        return value(x, data[0][t]), gradient(x, data[0][t])

    @kernel
    def two(data: Any, t: int, x: Array) -> Any:
        return value(x, data[0][t], data[1][t]), gradient(x, data[0][t], data[1][t])

    @kernel
    def three(data: Any, t: int, x: Array) -> Any:
        row = (data[0][t], data[1][t], data[2][t])
        return value(x, row[0], row[1], row[2]), gradient(x, row[0], row[1], row[2])

    @kernel
    def four(data: Any, t: int, x: Array) -> Any:
        row = (data[0][t], data[1][t], data[2][t], data[3][t])
        return value(x, row[0], row[1], row[2], row[3]), gradient(x, row[0], row[1], row[2], row[3])

    return (one, two, three, four)[arrays - 1]


@functools.cache
def _summed(observe: Any) -> Any:
    @kernel
    def summed(data: Any, m: int, x: Array) -> Any:
        total, size, g = 0.0, 0.0, np.zeros(x.size)
        for t in range(m):
            value, slope = observe(data, t, x.copy())
            if slope.size != x.size:
                raise ValueError("a gradient has another shape than the point")
            total, size, g = total + value, size + abs(value), g + slope
        return total, g, size

    return summed


def summed_compiled(losses: Rounds, x: Array) -> tuple[float, Array, float] | None:
    r"""$\sum_t\ell_t(x)$, its gradient (d,) and $\sum_t|\ell_t(x)|$; None where Python has to look at it."""
    observe = observer_of(losses)
    if observe is None or losses.dimension not in (None, x.size):
        return None
    try:
        value, g, size = _summed(observe)(losses.data, len(losses), x)
    except Exception:  # of the compiler, or of the functions: Python meets the latter again
        return None
    return (value, g, size) if np.isfinite(size) and np.isfinite(g).all() else None
