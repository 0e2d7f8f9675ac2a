r"""Numbers that carry their gradient: a fourth arithmetic for the same generators and sides.

A `Dual` is a float $x$ that knows from which others it came: one way back gives $\nabla x$ in all units of a tape, so
that a round of a long game costs what one of a short game does. It is taken for an exact number, and kernels run
uncompiled on it; a float is a constant, as no `Dual` turns into one. What needs more than field operations, roots,
exponentials and logarithms (a closed form of balls, a compiled solver) fails, and whoever asked does without a
gradient. Branches follow the value, so that at a kink the gradient is that of one side. Nothing rests on these numbers:
they point uphill.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from arubatheory.arithmetic import Array, Counter, Exact, approximate
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import Tape
from arubatheory.problems.numbers import MOST

TRACED = Counter()  # operations on numbers with gradients
Step = tuple[int, float, int, float]
"""Where a number came from: the places of two earlier ones, -1 for a constant, and its slopes in them."""


class Dual(Exact):
    """A float and its place in the trace of numbers that depend on the units, -1 for a constant."""

    __slots__ = ("at", "x")
    trace: ClassVar[list[Step]] = []

    def __init__(self, x: float, at: int = -1) -> None:
        self.x, self.at = x, at

    @property
    def is_rational(self) -> bool:
        """No closed form of rationals applies."""
        return False

    def sqrt(self) -> Dual:
        """The root; its slope at 0 is taken to be 0."""
        root = math.sqrt(self.x) if self.x >= 0 else math.nan
        return self._chained(root, 1 / (2 * root) if root > 0 else 0.0)

    def exp(self) -> Dual:
        """The exponential."""
        value = math.exp(self.x)
        return self._chained(value, value)

    def log(self) -> Dual:
        """The natural logarithm."""
        return self._chained(math.log(self.x) if self.x > 0 else math.nan, 1 / self.x)

    def _chained(self, x: float, slope: float) -> Dual:
        return _traced(x, self.at, slope, -1, 0.0)

    def _whole_power(self, power: int) -> Dual:
        return self._chained(self.x**power, power * self.x ** (power - 1) if power else 0.0)

    def __neg__(self) -> Dual:
        return self._chained(-self.x, -1.0)

    def __abs__(self) -> Dual:
        return -self if self.x < 0 else self

    def __bool__(self) -> bool:
        return self.x != 0

    def __hash__(self) -> int:
        return hash(self.x)

    def __float__(self) -> float:
        raise TypeError("a Dual never turns into a float by itself")

    def __repr__(self) -> str:
        return f"Dual({self.x!r})"


def _value(other: Any) -> Dual:
    if isinstance(other, Dual):
        return other
    if isinstance(other, Exact):
        return Dual(approximate(other))
    if type(other) is int or isinstance(other, int | float | np.integer | Fraction):  # an int, mostly
        return Dual(float(other))
    raise TypeError(f"a Dual does not mix with {type(other).__name__} {other!r}")


def _traced(x: float, i: int, slope: float, j: int, other: float) -> Dual:
    TRACED.operations += 1
    if i < 0 and j < 0:
        return Dual(x)
    Dual.trace.append((i, slope, j, other))
    return Dual(x, len(Dual.trace) - 1)


def _operator(f: Callable[[Dual, Dual], Any], swapped: bool = False) -> Callable[[Dual, Any], Any]:
    """An operator that leaves arrays to numpy, which applies it elementwise."""

    def applied(self: Dual, other: Any) -> Any:
        if type(other) is not Dual:
            if isinstance(other, np.ndarray):
                return NotImplemented
            other = _value(other)
        return f(other, self) if swapped else f(self, other)

    return applied


_ARITHMETIC: dict[str, Callable[[Dual, Dual], Dual]] = {
    "add": lambda a, b: _traced(a.x + b.x, a.at, 1.0, b.at, 1.0),
    "sub": lambda a, b: _traced(a.x - b.x, a.at, 1.0, b.at, -1.0),
    "mul": lambda a, b: _traced(a.x * b.x, a.at, b.x, b.at, a.x),
    "truediv": lambda a, b: _traced(a.x / b.x, a.at, 1 / b.x, b.at, -a.x / b.x / b.x),
}
for _name, _f in _ARITHMETIC.items():
    setattr(Dual, f"__{_name}__", _operator(_f))
    setattr(Dual, f"__r{_name}__", _operator(_f, swapped=True))
for _name in ("lt", "gt", "le", "ge", "eq", "ne"):
    _compares = functools.partial(lambda how, a, b: how(a.x, b.x), getattr(operator, _name))
    setattr(Dual, f"__{_name}__", _operator(_compares))


class DualDraw(LenientDraw):
    """Replays integers; units are the coordinates of a point of the unit cube, each with its own direction."""

    def __init__(self, point: Array, integers: list[int]) -> None:
        super().__init__(Tape(integers, []), exact=True)
        self._point, self._at = point.tolist(), 0
        Dual.trace = [(-1, 0.0, -1, 0.0)] * len(point)

    def _next(self, n: int) -> list[Any]:
        at, self._at = self._at, self._at + n
        if self._at > len(self._point):
            raise ValueError(f"the point has {len(self._point)} coordinates, the generator asks for more")
        return [Dual(self._point[k], k) for k in range(at, at + n)]

    def _fractions(self, shape: int | tuple[int, ...] | None, centred: bool) -> list[Any]:
        return self._next(_count(shape))

    def positive(self, low: int = -32, high: int = 32, shape: int | tuple[int, ...] | None = None) -> Any:
        """Numbers of $[2^{low}, 2^{high}]$, as every reader has them."""
        return self._shaped([_octaves(t, low, high) for t in self._next(_count(shape))], shape)

    def array(self, values: Sequence[Any]) -> Array:
        """An array of numbers with gradients, from lists of lists too."""
        out = np.array(values, dtype=object, order="C")
        out.ravel()[:] = [_value(x) for x in out.ravel().tolist()]
        return out

    def number(self, numerator: int, denominator: int = 1) -> Any:
        """A constant."""
        return Dual(numerator / denominator)

    def zeros(self, shape: int | tuple[int, ...]) -> Array:
        """Zeros."""
        return np.full(shape, Dual(0.0), dtype=object)

    def simplex(self, d: int) -> Array:
        r"""A point of the probability simplex."""
        weights = self._next(d)
        total = sum(weights[1:], weights[0])
        return self.array([w / total for w in weights] if total.x > 0 else [Dual(1 / d)] * d)


def _count(shape: int | tuple[int, ...] | None) -> int:
    return min(math.prod(() if shape is None else shape if isinstance(shape, tuple) else (shape,)), MOST)


def _octaves(t: Dual, low: int, high: int) -> Dual:
    """2**low and t (high - low) octaves more, linear between powers of two."""
    octaves = t * (high - low)
    whole = min(math.floor(octaves.x), high - low - 1) if high > low else 0
    return (1 + octaves - whole) * Fraction(2) ** (low + whole)


def slopes_of(sides: Sequence[Any], n: int) -> tuple[float, Array]:
    r"""How bad the worst of some inequalities is, lhs/rhs where both are > 0, else lhs - rhs, and its gradient (n,)."""
    pairs = [(_value(s.lhs), _value(s.rhs)) for s in sides]
    worst = max((a / b if a.x > 0 and b.x > 0 else a - b for a, b in pairs), key=lambda dual: dual.x)
    slopes = [0.0] * (len(Dual.trace) + 1)  # the last takes what goes to constants
    slopes[worst.at] = 1.0
    for k in range(worst.at, n - 1, -1):
        if slope := slopes[k]:
            i, by, j, other = Dual.trace[k]
            slopes[i] += slope * by
            slopes[j] += slope * other
    return worst.x, np.array(slopes[:n])
