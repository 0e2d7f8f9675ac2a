r"""Intervals of floats with outward rounding, for many boxes at once: values and gradients of a program.

An interval is a pair of arrays (low, high) of one number per box, an end that is unknown infinite. Sums, products,
quotients and roots of floats are rounded to nearest, so the next float outward encloses them; what is exactly 0 stays 0,
because a sign is what a proof ends with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.prove.program import ANY, NEGATIVE, POSITIVE, ZERO, Program

Interval = tuple[Array, Array]
ULPS = 4  # of error that a library's exponential or logarithm may have; the checker computes its own


def down(x: Array) -> Array:
    """The next float below, but for 0."""
    return np.where(x == 0, x, np.nextafter(x, -np.inf))


def up(x: Array) -> Array:
    """The next float above, but for 0."""
    return np.where(x == 0, x, np.nextafter(x, np.inf))


def add(a: Interval, b: Interval) -> Interval:
    """a + b."""
    return down(a[0] + b[0]), up(a[1] + b[1])


def sub(a: Interval, b: Interval) -> Interval:
    """a - b."""
    return down(a[0] - b[1]), up(a[1] - b[0])


def _product(x: Array, y: Array) -> Array:
    """x y, where 0 times an unknown end is 0."""
    return np.where((x == 0) | (y == 0), 0.0, x * y)


def _outward(products: list[Array]) -> Interval:
    low, high = np.minimum.reduce(products), np.maximum.reduce(products)
    return np.nextafter(low, -np.inf, out=low, where=low != 0), np.nextafter(high, np.inf, out=high, where=high != 0)


def mul(a: Interval, b: Interval) -> Interval:
    """a b; a square where both are one interval."""
    if a is b:
        ends = _product(a[0], a[0]), _product(a[1], a[1])
        low, high = _outward([*ends])
        return np.where((a[0] <= 0) & (a[1] >= 0), 0.0, np.maximum(low, 0.0)), high
    return _outward([_product(x, y) for x in a for y in b])


def div(a: Interval, b: Interval, sign: int) -> Interval:
    """a/b, where b is not 0 and has the sign of a mask."""
    low, high = b
    below = (low < 0) & (not sign & POSITIVE) | (high < 0)
    above = (low > 0) | ((low >= 0) & (not sign & ZERO)) | np.full(low.shape, not sign & (NEGATIVE | ZERO))
    low, high = np.where(above, np.maximum(low, 0.0), low), np.where(below, np.minimum(high, 0.0), high)
    inverse_low = np.where(above, 1 / high, np.where(below & (high == 0), -np.inf, np.where(below, 1 / high, -np.inf)))
    inverse_high = np.where(above & (low == 0), np.inf, np.where(above | below, 1 / low, np.inf))
    return mul(a, (down(inverse_low), up(inverse_high)))


def root(a: Interval) -> Interval:
    """The root of a >= 0."""
    low, high = np.sqrt(np.maximum(a[0], 0.0)), np.sqrt(np.maximum(a[1], 0.0))
    return np.maximum(down(low), 0.0), up(high)


def _widened(low: Array, high: Array) -> Interval:
    for _ in range(ULPS):
        low, high = down(low), up(high)
    return low, high


def clamped(a: Interval, mask: int) -> Interval:
    """What of an interval has a sign of a mask."""
    low = a[0] if mask & NEGATIVE else np.maximum(a[0], 0.0)
    return low, a[1] if mask & POSITIVE else np.minimum(a[1], 0.0)


def misses(a: Interval, mask: int) -> Array:
    """Whether no number of an interval has a sign of a mask."""
    negative, positive = a[0] < 0, a[1] > 0
    zero = (a[0] <= 0) & (a[1] >= 0)
    return ~((negative & bool(mask & NEGATIVE)) | (zero & bool(mask & ZERO)) | (positive & bool(mask & POSITIVE)))


class Boxed:
    """The values, and if asked the gradients, of the nodes of a program over boxes (low, high), each (N, n)."""

    def __init__(self, program: Program, order: list[int], masks: dict[int, int], box: Interval, slopes: bool) -> None:
        self.program, self.masks, self.box, self.slopes = program, masks, box, slopes
        self.values: dict[int, Interval] = {}
        self.raw: dict[int, Interval] = {}
        self.gradients: dict[int, Interval | None] = {}
        with np.errstate(all="ignore"):
            for n in order:
                self._take(n)

    def _take(self, n: int) -> None:
        op, *at = self.program.nodes[n]
        low, high = self.box
        if op == "const":
            value = np.full(len(low), float(at[0]))
            thin = at[0] == at[0].__class__(float(at[0]))
            self.raw[n] = (value, value) if thin else (np.nextafter(value, -np.inf), np.nextafter(value, np.inf))
        elif op == "var":
            self.raw[n] = low[:, at[0]], high[:, at[0]]
        else:
            self.raw[n] = self._computed(op, at)
        self.values[n] = clamped(self.raw[n], self.masks[n]) if n in self.masks else self.raw[n]
        if self.slopes:
            self.gradients[n] = self._gradient(op, at, n)

    def _computed(self, op: str, at: list[int]) -> Interval:
        a = self.values[at[0]]
        if op == "add":
            return add(a, self.values[at[1]])
        if op == "sub":
            return sub(a, self.values[at[1]])
        if op == "mul":
            return mul(a, self.values[at[1]])
        if op == "div":
            return div(a, self.values[at[1]], self.masks.get(at[1], ANY))
        if op == "sqrt":
            return root(a)
        f = np.exp if op == "exp" else np.log
        low, high = _widened(f(a[0]) if op == "exp" else f(np.maximum(a[0], 0.0)), f(a[1]))
        return (np.maximum(low, 0.0), high) if op == "exp" else (low, high)

    def _wide(self, n: int) -> Interval:
        low, high = self.values[n]
        return low[:, None], high[:, None]

    def _gradient(self, op: str, at: list[int], n: int) -> Interval | None:
        if op == "const":
            return None
        if op == "var":
            unit = np.zeros(self.box[0].shape)
            unit[:, at[0]] = 1
            return unit, unit
        slopes = [self.gradients[k] for k in at]
        if all(s is None for s in slopes):
            return None
        if op in ("add", "sub"):
            return _combined(op, slopes[0], slopes[1])
        if op == "mul":
            left = None if slopes[0] is None else mul(slopes[0], self._wide(at[1]))
            if at[0] == at[1] and left is not None:
                return 2 * left[0], 2 * left[1]
            return _combined("add", left, None if slopes[1] is None else mul(slopes[1], self._wide(at[0])))
        if op == "div":
            over = self._wide(at[1])
            back = None if slopes[1] is None else mul(slopes[1], self._wide(n))
            found = _combined("sub", slopes[0], back)
            return None if found is None else div(found, over, self.masks.get(at[1], ANY))
        assert slopes[0] is not None
        if op == "sqrt":
            twice = 2 * self._wide(n)[0], 2 * self._wide(n)[1]
            return div(slopes[0], twice, POSITIVE)
        return mul(slopes[0], self._wide(n)) if op == "exp" else div(slopes[0], self._wide(at[0]), POSITIVE)


def _combined(op: str, a: Interval | None, b: Interval | None) -> Interval | None:
    """a op b, where what is None is 0."""
    if b is None:
        return a
    if a is None:
        return b if op == "add" else (-b[1], -b[0])
    return add(a, b) if op == "add" else sub(a, b)
