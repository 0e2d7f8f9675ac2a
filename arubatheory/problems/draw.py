r"""One instance generator, four readers.

A statement's `instance(draw)` asks a `Draw` for integers, reals, choices and arrays. Every answer is built by rational
arithmetic from two primitive draws, an integer of a range and a *unit*, an integer $k$ that stands for
$k/2^{24} \in [0, 1]$. They are kept on a `Tape`. Who answers:

* `HypothesisDraw`: edge cases first, shrinks towards simple fractions;
* `RandomDraw`: a numpy Generator, for volume, with edges mixed in;
* `CubeDraw`: a point of the unit cube, which an optimiser moves;
* `TapeDraw`: a recorded tape, in floats or exactly (`exact=True`), which is how a witness is certified.

Because values are rational functions of the tape, the exact reading satisfies the assumptions exactly where floats
only nearly do: simplex points are integer weights over their sum, sphere points come from the stereographic map,
rotations are products of rational Givens rotations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from arubatheory.arithmetic import Exact

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject, SearchStrategy

BITS = 24
GRID = 1 << BITS
SCALE = 32  # dyadic exponents of drawn scales lie in [-SCALE, SCALE]: a power of two, so that 2**k is on the grid
Array = np.ndarray
X = TypeVar("X")


def _size(shape: int | tuple[int, ...] | None) -> int:
    return 1 if shape is None else math.prod(shape) if isinstance(shape, tuple) else int(shape)


class Tape(NamedTuple):
    """The raw answers: integers, and units as numerators over 2**24, each in the order they were asked for."""

    integers: list[int]
    units: list[int]


class Draw:
    """What an instance generator talks to. Readers provide `_integer` and `_units`; the rest is arithmetic on them."""

    exact = False

    def __init__(self) -> None:
        self.tape = Tape([], [])

    def _integer(self, low: int, high: int) -> int:
        raise TypeError(f"{type(self).__name__} is not a reader: it draws no integers")

    def _units(self, n: int, centred: bool) -> list[int]:
        raise TypeError(f"{type(self).__name__} is not a reader: it draws no units")

    def _scale_units(self, n: int, low: int, high: int) -> list[int]:
        return self._units(n, True)

    # discrete --------------------------------------------------------------------------------------------------
    def integer(self, low: int, high: int) -> int:
        r"""An integer of $\{low, \dots, high\}$; shrinks towards `low`."""
        if low > high:
            raise ValueError(f"low must not exceed high, got low={low}, high={high}")
        k = self._integer(low, high) if low < high else low
        self.tape.integers.append(k)
        return k

    def choice(self, options: Sequence[X]) -> X:
        """One of `options`; shrinks towards the first."""
        if not options:
            raise ValueError("options must not be empty")
        return options[self.integer(0, len(options) - 1)]

    def boolean(self) -> bool:
        """True or False; shrinks towards False."""
        return self.integer(0, 1) == 1

    def integers(self, low: int, high: int, n: int) -> Array:
        """An int64 array of n integers."""
        return np.array([self.integer(low, high) for _ in range(n)], dtype=np.int64)

    # continuous ------------------------------------------------------------------------------------------------
    def _fractions(self, shape: int | tuple[int, ...] | None, centred: bool) -> Any:
        n = _size(shape)
        units = self._units(n, centred)
        self.tape.units.extend(units)
        if not self.exact:
            if shape is None:
                return units[0] / GRID
            values = np.array(units, dtype=np.float64)
            values /= GRID
            return values if isinstance(shape, int) else values.reshape(shape)
        if shape is None:
            return Exact(units[0]) / GRID
        out = np.empty(n, dtype=object)
        out[:] = [Exact(k) / GRID for k in units]
        return out.reshape(shape)

    def unit(self, shape: int | tuple[int, ...] | None = None) -> Any:
        r"""Numbers of $[0, 1]$, ends included; shrinks towards 0, 1, 1/2, 1/4, ..."""
        return self._fractions(shape, centred=False)

    def real(self, low: Any = -1, high: Any = 1, shape: int | tuple[int, ...] | None = None) -> Any:
        r"""Numbers of $[low, high]$, ends included; shrinks towards the middle, then the ends, then quarters."""
        if self.exact or shape is None or isinstance(low, np.ndarray):
            return low + (high - low) * self._fractions(shape, centred=True)
        values = self._fractions(shape, centred=True)
        values *= high - low
        values += low
        return values

    def positive(self, low: int = -SCALE, high: int = SCALE, shape: int | tuple[int, ...] | None = None) -> Any:
        r"""Numbers of $[2^{low}, 2^{high}]$, piecewise linear between powers of two; shrinks towards 1, 2, 1/2, ..."""
        n = _size(shape)
        units = self._scale_units(n, low, high)
        self.tape.units.extend(units)
        values = [self._octaves(k, low, high) for k in units]
        if shape is None:
            return values[0]
        return np.array(values, dtype=object if self.exact else np.float64).reshape(shape)

    def _octaves(self, k: int, low: int, high: int) -> Any:
        whole, part = divmod(k * (high - low), GRID)
        exponent = low + whole
        if self.exact:
            return (1 + Exact(part) / GRID) * Exact(2) ** exponent
        return (1 + part / GRID) * 2.0**exponent

    def array(self, values: Sequence[Any]) -> Array:
        """An array in the arithmetic of this draw from drawn numbers and integers."""
        if not self.exact:
            return np.array(values, dtype=np.float64)
        out = np.empty(len(values), dtype=object)
        out[:] = [x if isinstance(x, Exact) else Exact(x) for x in values]
        return out

    def number(self, numerator: int, denominator: int = 1) -> Any:
        """The rational numerator/denominator in the arithmetic of this draw."""
        return Exact(numerator) / denominator if self.exact else numerator / denominator

    def zeros(self, shape: int | tuple[int, ...]) -> Array:
        """Zeros in the arithmetic of this draw."""
        if not self.exact:
            return np.zeros(shape)
        return np.full(shape, Exact(0), dtype=object)

    def eye(self, d: int) -> Array:
        """The identity matrix in the arithmetic of this draw."""
        out = self.zeros((d, d))
        for i in range(d):
            out[i, i] = self.number(1)
        return out

    # constrained -----------------------------------------------------------------------------------------------
    def simplex(self, d: int) -> Array:
        r"""A point of the probability simplex, faces and vertices included: integer weights over their sum."""
        weights = self._units(d, False)
        self.tape.units.extend(weights)
        total = sum(weights)
        if total == 0:
            return self.array([self.number(1, d)] * d)
        return self.array([self.number(w, total) for w in weights])

    def sphere(self, d: int) -> Array:
        r"""A rational point of the unit sphere of $\mathbb R^d$ by the stereographic map (d = 1: $\pm 1$)."""
        sign = 1 - 2 * self.integer(0, 1)
        if d == 1:
            return self.array([self.number(sign)])
        s = self.real(-1, 1, d - 1)
        square = s @ s
        return sign * np.append(2 * s / (1 + square), (1 - square) / (1 + square))

    def rotation(self, d: int) -> Array:
        r"""A rational orthogonal matrix: the product of $d(d-1)/2$ Givens rotations with rational cosines and sines."""
        q = self.eye(d)
        for i in range(d):
            for j in range(i + 1, d):
                t = self.real(-1, 1)
                cosine, sine = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
                q[:, i], q[:, j] = cosine * q[:, i] - sine * q[:, j], sine * q[:, i] + cosine * q[:, j]
        return q

    def spd(self, d: int, low: int = -4, high: int = 4) -> Array:
        r"""A symmetric positive definite matrix $Q \operatorname{diag}(\lambda) Q^T$, $\lambda_i \in [2^{low},
        2^{high}]$."""
        q = self.rotation(d)
        matrix = (q * self.positive(low, high, d)) @ q.T
        return (matrix + matrix.T) / 2

    def ordered(self, n: int, low: Any = -1, high: Any = 1) -> Array:
        """n reals of [low, high] in non-decreasing order, ties included."""
        return np.sort(self.real(low, high, n))


class RandomDraw(Draw):
    """Reads a numpy Generator. One array in eight consists of edges (0, 1/2, 1); other units are uniform.

    In every other instance all scales lie within an eighth of their range around its middle: with so many octaves each
    way, terms of independent scales would hardly ever be comparable, and a bound is tight where they are.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__()
        self._words: list[int] = []
        self._raw = rng.bit_generator.random_raw
        self._tame = self._take(1)[0] & 1

    def _take(self, n: int) -> list[int]:
        if len(self._words) < n:
            self._words += self._raw(128 + n).tolist()
        words = self._words[-n:]
        del self._words[-n:]
        return words

    def _integer(self, low: int, high: int) -> int:
        words = self._words
        if not words:
            words += self._raw(128).tolist()
        return low + (words.pop() >> 8) % (high - low + 1)

    def _units(self, n: int, centred: bool) -> list[int]:
        mode, *words = self._take(n + 1)
        if mode & 7 == 0:
            return [((word >> 20) % 3) * (GRID >> 1) for word in words]
        return [word >> (64 - BITS) for word in words]

    def _scale_units(self, n: int, low: int, high: int) -> list[int]:
        units = self._units(n, True)
        return [(7 * (GRID >> 4)) + (k >> 3) for k in units] if self._tame else units


class CubeDraw(Draw):
    r"""Reads a point of $[0, 1]^n$; given `integers`, these are replayed and the point steers the units only.

    Coordinates beyond the point's length read as 1/2.
    """

    def __init__(self, point: Sequence[float], integers: Sequence[int] | None = None) -> None:
        super().__init__()
        scaled = np.rint(np.clip(np.asarray(point, dtype=np.float64), 0, 1) * GRID)
        self._point: list[int] = scaled.astype(np.int64).tolist()
        self._at = 0
        self._fixed = None if integers is None else list(integers)[::-1]

    def integer(self, low: int, high: int) -> int:
        if self._fixed is None:
            return super().integer(low, high)
        k = min(max(self._fixed.pop(), low), high) if self._fixed else low
        self.tape.integers.append(k)
        return k

    def _integer(self, low: int, high: int) -> int:
        return min(low + self._units(1, False)[0] * (high - low + 1) // GRID, high)

    def _units(self, n: int, centred: bool) -> list[int]:
        units = self._point[self._at : self._at + n]
        self._at += n
        return units + [GRID >> 1] * (n - len(units))


class TapeDraw(Draw):
    """Replays a tape, in floats or, with `exact=True`, in exact numbers. A tape that does not fit is a ValueError."""

    def __init__(self, tape: Tape, exact: bool = False) -> None:
        super().__init__()
        self.exact = exact
        self._source = Tape(list(tape.integers)[::-1], list(tape.units)[::-1])

    def integer(self, low: int, high: int) -> int:
        if not self._source.integers:
            raise ValueError("the tape ran out of integers: it does not belong to this statement")
        k = self._source.integers.pop()
        if not low <= k <= high:
            raise ValueError(f"the tape holds {k} where an integer of [{low}, {high}] is drawn")
        self.tape.integers.append(k)
        return k

    def _units(self, n: int, centred: bool) -> list[int]:
        if len(self._source.units) < n:
            raise ValueError("the tape ran out of units: it does not belong to this statement")
        units = [self._source.units.pop() for _ in range(n)]
        if not all(0 <= k <= GRID for k in units):
            raise ValueError(f"the tape holds a unit outside [0, 2**{BITS}]: {units}")
        return units


class HypothesisDraw(Draw):
    """Reads Hypothesis: `data` is the DataObject of `st.data()`. Units are enumerated from coarse to fine."""

    def __init__(self, data: DataObject) -> None:
        super().__init__()
        self._draw: Callable[[SearchStrategy[int]], int] = data.draw
        from hypothesis import strategies

        self._st = strategies

    def _integer(self, low: int, high: int) -> int:
        return self._draw(self._st.integers(low, high))

    def _units(self, n: int, centred: bool) -> list[int]:
        ranks = self._st.one_of(self._st.integers(0, 8), self._st.integers(0, GRID))
        return [unit_of_rank(self._draw(ranks), centred) for _ in range(n)]

    def _scale_units(self, n: int, low: int, high: int) -> list[int]:
        powers = self._st.integers(0, 2 * min(-low, high)) if low < 0 < high else self._st.nothing()
        ranks = self._st.one_of(powers, self._st.integers(0, GRID))
        return [unit_of_scale(self._draw(ranks), low, high) for _ in range(n)]


def unit_of_scale(rank: int, low: int, high: int) -> int:
    r"""The unit of a scale of $[2^{low}, 2^{high}]$ by simplicity: 1, 2, 1/2, 4, 1/4, ..., then as `unit_of_rank`."""
    powers = max(2 * min(-low, high) + 1, 0)
    if rank >= powers:
        return unit_of_rank(min(rank - powers, GRID), centred=True)
    exponent = (rank + 1) // 2 * (1 if rank % 2 else -1)
    return (exponent - low) * GRID // (high - low)


def unit_of_rank(rank: int, centred: bool) -> int:
    r"""The unit of a given simplicity: 0, 1, 1/2, 1/4, 3/4, 1/8, ... (centred: 1/2, 1, 0, 1/4, 3/4, ...), over
    $2^{24}$."""
    if rank < 3:
        return ((1, 2, 0) if centred else (0, 2, 1))[rank] * (GRID >> 1)
    level = (rank - 1).bit_length()
    odd = 2 * (rank - 1 - (1 << (level - 1))) + 1
    return odd << (BITS - level)
