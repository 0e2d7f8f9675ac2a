r"""One instance generator, four readers.

A statement's `instance(draw)` asks a `Draw` for integers, reals, choices and arrays. Every answer is built by rational
arithmetic from two primitive draws, an integer of a range and a *unit*, an integer $k$ that stands for
$k/2^{24} \in [0, 1]$. They are kept on a `Tape`. Who answers:

* `CoarseDraw`, `HypothesisDraw`: few and simple numbers, of a numpy Generator or of Hypothesis;
* `RandomDraw`: a numpy Generator, for volume, with edges mixed in;
* `LenientDraw`: a tape that may have been changed, as far as it fits: also a point of the unit cube, rounded to units
  (`on_grid`), which an optimiser moves;
* `TapeDraw`: a recorded tape, in floats or exactly (`exact=True`), which is how a witness is certified.

Because values are rational functions of the tape, the exact reading satisfies the assumptions exactly where floats
only nearly do: simplex points are integer weights over their sum, sphere points come from the stereographic map,
rotations are products of rational Givens rotations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from arubatheory.arithmetic import Array, Exact, Undecided
from arubatheory.kernel import kernel, on
from arubatheory.problems.numbers import MOST, as_dimension, as_floats, as_numbers, as_order, shown
from arubatheory.problems.signatures import typed

BITS = 24
GRID = 1 << BITS
STEP = 2.0**-BITS
FEW = 20  # numbers that a list is faster for than an array
OCTAVES = 1000  # a scale of floats may have so many on either side of 1
SCALE = 32  # dyadic exponents of drawn scales lie in [-SCALE, SCALE]: a power of two, so that 2**k is on the grid
BLOCK = 128  # words of a random generator read at a time
WORD = (1 << 30) - 1
X = TypeVar("X")


def _size(shape: int | tuple[int, ...] | None) -> int:
    if shape is None:
        return 1
    if type(shape) is int and 0 <= shape <= MOST:
        return shape
    sides = shape if isinstance(shape, tuple) else (shape,)
    size = 1
    for n in sides:
        size *= n if type(n) is int and n >= 0 else _whole("shape", n, 0)
    if size > MOST:
        raise ValueError(f"shape must hold at most {MOST} numbers, got {shape!r}")
    return size


def _whole(name: str, value: Any, least: int | None = None) -> int:
    """An integer, of at least `least`, as an int, or the error that names it."""
    if type(value) is not int and (isinstance(value, bool) or not isinstance(value, int | np.integer)):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if least is not None and not least <= value <= MOST:
        raise ValueError(f"{name} must be >= {least} and at most {MOST}, got {value!r}")
    return int(value)


def _ends(low: Any, high: Any) -> tuple[int, int]:
    """Two integers as ints, or the error that names what is none."""
    return _whole("low", low), _whole("high", high)


class Tape(NamedTuple):
    """The raw answers: integers, and units as numerators over 2**24, each in the order they were asked for."""

    integers: list[int]
    units: list[int]


class Draw:
    """What an instance generator talks to. Readers provide `_integer` and `_units`; the rest is arithmetic on them."""

    exact = False

    def __init__(self) -> None:
        self.tape = Tape([], [])
        self.sizes: dict[str, int] = {}
        self.held: dict[str, int] = {}  # sizes that are given, whatever would be drawn
        self._tape_integers, self._tape_units = self.tape

    def _integer(self, low: int, high: int) -> int:
        raise TypeError(f"{type(self).__name__} is not a reader: it draws no integers")

    def _units(self, n: int, centred: bool) -> list[int]:
        raise TypeError(f"{type(self).__name__} is not a reader: it draws no units")

    def _scale_units(self, n: int, low: int, high: int) -> list[int]:
        return self._units(n, True)

    def _sized(self, least: int, usual: int, most: int) -> int:
        return self._integer(least, usual) if least < usual else least

    # discrete --------------------------------------------------------------------------------------------------
    def integer(self, low: int, high: int) -> int:
        r"""An integer of $\{low, \dots, high\}$; shrinks towards `low`."""
        if type(low) is not int or type(high) is not int:
            low, high = _ends(low, high)
        if low > high:
            raise ValueError(f"low must not exceed high, got low={low}, high={high}")
        k = self._integer(low, high) if low < high else low
        self._tape_integers.append(k)
        return k

    def size(self, name: str, usual: int, limit: int | None = None, least: int = 1) -> int:
        r"""A number of rounds, tasks or dimensions: an integer $\ge least$, mostly of $\{least, \dots, usual\}$.
        Engines go on to larger ones, never beyond `limit`, an assumption of the claim; shrinks towards `least`.

        The largest of each name is kept in `sizes`: the verdict tells the worst ratio by size. Raises TypeError for a
        name that is no string or a number that is no integer, ValueError unless 0 <= least <= usual <= limit.
        """
        if not isinstance(name, str) or not name:
            raise TypeError(f"name must be a string that is not empty, got {name!r}")
        least = _whole("least", least, 0)
        usual = _whole("usual", usual, max(least, 1))
        most = MOST if limit is None else _whole("limit", limit, usual)
        k = self._sized(least, usual, most)
        if name in self.held:
            k = min(max(self.held[name], least), most)
        self.sizes[name] = max(k, self.sizes.get(name, k))
        self._tape_integers.append(k)
        return k

    def choice(self, options: Sequence[X]) -> X:
        """One of `options`; shrinks towards the first."""
        if not isinstance(options, Sequence) or not options:
            raise ValueError(f"options must be a sequence that is not empty, got {options!r}")
        return options[self.integer(0, len(options) - 1)]

    def boolean(self) -> bool:
        """True or False; shrinks towards False."""
        return self.integer(0, 1) == 1

    def integers(self, low: int, high: int, n: int) -> Array:
        """An int64 array of n integers."""
        drawn = [self.integer(low, high) for _ in range(_whole("n", n, 0))]
        try:
            return np.array(drawn, dtype=np.int64)
        except OverflowError as error:
            raise ValueError(f"low and high must be in the range of int64, got low={low}, high={high}") from error

    # continuous ------------------------------------------------------------------------------------------------
    def _fractions(self, shape: int | tuple[int, ...] | None, centred: bool) -> list[Any]:
        """As many numbers of [0, 1] as `shape` holds, in a list: arrays of a few numbers cost more than they save."""
        units = self._units(_size(shape), centred)
        self._tape_units += units
        return [Exact(k) / GRID for k in units] if self.exact else [k * STEP for k in units]

    def _shaped(self, values: list[Any], shape: int | tuple[int, ...] | None) -> Any:
        if shape is None:
            return values[0]
        out = self.array(values)
        return out if isinstance(shape, int) else out.reshape(shape)

    def unit(self, shape: int | tuple[int, ...] | None = None) -> Any:
        r"""Numbers of $[0, 1]$, ends included; shrinks towards 0, 1, 1/2, 1/4, ..."""
        return self._shaped(self._fractions(shape, centred=False), shape)

    def real(self, low: Any = -1, high: Any = 1, shape: int | tuple[int, ...] | None = None) -> Any:
        r"""Numbers of $[low, high]$, ends included; shrinks towards the middle, then the ends, then quarters."""
        fractions = self._fractions(shape, centred=True)
        try:
            if isinstance(low, np.ndarray) or isinstance(high, np.ndarray):
                low = as_numbers("low", low)
                return low + (as_numbers("high", high) - low) * self._shaped(fractions, shape)
            width = high - low
            if (not self.exact and not math.isfinite(width)) or (type(width) is int and width < 0):
                raise ValueError("not finite, or reversed")
            if len(fractions) > FEW and not self.exact:
                return float(low) + float(width) * self._shaped(fractions, shape)
            return self._shaped([low + width * t for t in fractions], shape)
        except (TypeError, ValueError, OverflowError, Undecided) as error:
            kind, ends = TypeError if isinstance(error, TypeError) else ValueError, f"{shown(low)} and {shown(high)}"
            if self.exact and float in (type(low), type(high)):
                ends += ": a float is no exact number, write draw.number(p, q) or a Fraction"
            raise kind(f"low and high must be finite numbers that fit the shape, low first, got {ends}") from error

    def positive(self, low: int = -SCALE, high: int = SCALE, shape: int | tuple[int, ...] | None = None) -> Any:
        r"""Numbers of $[2^{low}, 2^{high}]$, piecewise linear between powers of two; shrinks towards 1, 2, 1/2, ..."""
        if type(low) is not int or type(high) is not int or not -OCTAVES <= low <= high <= OCTAVES:
            low, high = _ends(low, high)
            if not -OCTAVES <= low <= high <= OCTAVES:
                ends = f"low={shown(low)}, high={shown(high)}"
                raise ValueError(f"low and high must lie in [-{OCTAVES}, {OCTAVES}], low first, got {ends}")
        units = self._scale_units(_size(shape), low, high)
        self._tape_units += units
        return self._shaped([self._octaves(k * (high - low), low) for k in units], shape)

    def _octaves(self, k: int, low: int) -> Any:
        """k/2**24 octaves above 2**low."""
        exponent, part = low + (k >> BITS), k & (GRID - 1)
        if self.exact:
            return (1 + Exact(part) / GRID) * Exact(2) ** exponent
        return math.ldexp(1 + part * STEP, exponent)

    def array(self, values: Sequence[Any]) -> Array:
        """An array in the arithmetic of this draw from drawn numbers and integers, in lists of lists too."""
        try:
            if not self.exact:
                return np.array(values, np.float64)
            out = np.array(values, dtype=object, order="C")
            out.ravel()[:] = [x if isinstance(x, Exact) else Exact(x) for x in out.ravel().tolist()]
            return out
        except (TypeError, ValueError, OverflowError, MemoryError) as error:
            raise TypeError(f"values must be numbers of this draw, got {shown(values)}") from error

    def number(self, numerator: int, denominator: int = 1) -> Any:
        """The rational numerator/denominator in the arithmetic of this draw."""
        if type(numerator) is not int or type(denominator) is not int or denominator == 0:
            numerator, denominator = _whole("numerator", numerator), _whole("denominator", denominator, 1)
        try:
            return Exact(numerator) / denominator if self.exact else numerator / denominator
        except OverflowError as error:
            raise ValueError(f"numerator must be in the range of float64, got {numerator!r}") from error

    def zeros(self, shape: int | tuple[int, ...]) -> Array:
        """Zeros in the arithmetic of this draw."""
        _size(shape) if shape is not None else _whole("shape", shape)
        return np.full(shape, self.number(0)) if self.exact else np.zeros(shape)

    def eye(self, d: int) -> Array:
        """The identity matrix in the arithmetic of this draw."""
        out = self.zeros((as_order(d), d))
        out.reshape(-1)[:: d + 1] = self.number(1)
        return out

    # constrained -----------------------------------------------------------------------------------------------
    def simplex(self, d: int) -> Array:
        r"""A point of the probability simplex, faces and vertices included: integer weights over their sum."""
        d = as_dimension(d)
        weights = self._units(d, False)
        self._tape_units += weights
        total = sum(weights)
        if total == 0:
            return self.array([self.number(1, d)] * d)
        return self.array([self.number(w, total) for w in weights])

    def sphere(self, d: int) -> Array:
        r"""A rational point of the unit sphere of $\mathbb R^d$ by the stereographic map (d = 1: $\pm 1$)."""
        return np.asarray(self.spheres(1, as_dimension(d))[0])

    def spheres(self, n: int, d: int) -> Array:
        r"""n such points, (n, d)."""
        d = as_dimension(d)
        signs = self.array([1 - 2 * self.integer(0, 1) for _ in range(_whole("n", n, 0))])
        return on(_stereographic, signs)(signs, self.real(-1, 1, (n, d - 1)))

    def rotation(self, d: int) -> Array:
        r"""A rational orthogonal matrix: the product of $d(d-1)/2$ Givens rotations with rational cosines and sines."""
        d = as_order(d)
        t = self.real(-1, 1, d * (d - 1) // 2)
        return on(_rotate, t)(self.eye(d), t)

    def spd(self, d: int, low: int = -4, high: int = 4) -> Array:
        r"""A symmetric positive definite matrix $Q \operatorname{diag}(\lambda) Q^T$, $\lambda_i \in [2^{low},
        2^{high}]$."""
        d = as_order(d)
        t, spectrum = self.real(-1, 1, d * (d - 1) // 2), self.positive(low, high, d)
        return on(_conjugate, t)(self.eye(d), t, spectrum)


@kernel
def _stereographic(signs: Array, s: Array) -> Array:
    r"""[exact] $\pm (2s, 1 - \|s\|^2)/(1 + \|s\|^2)$ for every row of s (n, d - 1)."""
    n, last = s.shape
    points = np.zeros((n, last + 1), signs.dtype)
    for i in range(n):
        square = signs[i] - signs[i]
        for j in range(last):
            square = square + s[i, j] * s[i, j]
        factor = signs[i] / (1 + square)
        for j in range(last):
            points[i, j] = 2 * factor * s[i, j]
        points[i, last] = factor * (1 - square)
    return points


@kernel
def _rotate(q: Array, t: Array) -> Array:
    r"""[exact] q (d, d), changed in place, times a Givens rotation for every pair of coordinates, with cosine
    $(1 - t^2)/(1 + t^2)$ and sine $2t/(1 + t^2)$."""
    d, n = q.shape[0], 0
    for i in range(d):
        for j in range(i + 1, d):
            square = t[n] * t[n]
            cosine, sine = (1 - square) / (1 + square), 2 * t[n] / (1 + square)
            for k in range(d):
                q[k, i], q[k, j] = cosine * q[k, i] - sine * q[k, j], sine * q[k, i] + cosine * q[k, j]
            n += 1
    return q


@kernel
def _conjugate(q: Array, t: Array, spectrum: Array) -> Array:
    r"""[exact] $Q \operatorname{diag}(\lambda) Q^T$ for the rotation Q of `_rotate`, symmetric to the last bit."""
    q = _rotate(q, t)
    out = np.empty_like(q)
    for i in range(q.shape[0]):
        for j in range(i + 1):
            s = q[i, 0] * spectrum[0] * q[j, 0]
            for k in range(1, q.shape[0]):
                s = s + q[i, k] * spectrum[k] * q[j, k]
            out[i, j] = out[j, i] = s
    return out


class RandomDraw(Draw):
    """Reads a numpy Generator; `words` are words it has given and nobody has read, for draws that share it. One array
    in eight consists of edges (0, 1/2, 1); other units are uniform. With a `reach` >= 2 half of the sizes are larger
    than usual, up to so many times.

    In every other instance all scales lie within an eighth of their range around its middle: with so many octaves each
    way, terms of independent scales would hardly ever be comparable, and a bound is tight where they are.
    """

    @typed
    def __init__(self, rng: np.random.Generator, words: list[int] | None = None, reach: int = 1) -> None:
        super().__init__()
        self.reach = _whole("reach", reach, 1)
        self._words: list[int] = [] if words is None else words
        self._generator = rng.bit_generator
        self._tame = self._take(1)[0] & 1

    def _take(self, n: int) -> list[int]:
        """n words: the low 30 bits, which are one digit of a Python integer, and 6 bits more than a unit has."""
        words = self._words
        if len(words) < n:
            words += (self._generator.random_raw(BLOCK + n) & WORD).tolist()
        taken, words[-n:] = words[-n:], []
        return taken

    def integer(self, low: int, high: int) -> int:
        """The next integer of the generator."""
        words = self._words
        if not words or type(low) is not int or type(high) is not int or not low < high <= low + WORD:
            return super().integer(low, high)
        k = low + words.pop() % (high - low + 1)
        self._tape_integers.append(k)
        return k

    def _sized(self, least: int, usual: int, most: int) -> int:
        most = min(usual * self.reach, most)
        if most > usual and self._take(1)[0] & 1:
            return self._integer(usual + 1, most)
        return super()._sized(least, usual, most)

    def _integer(self, low: int, high: int) -> int:
        word = self._words.pop() if self._words else self._take(1)[0]
        for _ in range((high - low).bit_length() // 30):
            word = word << 30 | self._take(1)[0]
        return low + word % (high - low + 1)

    def _units(self, n: int, centred: bool) -> list[int]:
        words = self._take(n + 1)
        if words.pop() & 7:
            return [word >> 6 for word in words]
        return [word % 3 * (GRID >> 1) for word in words]

    def _scale_units(self, n: int, low: int, high: int) -> list[int]:
        units = self._units(n, True)
        return [(7 * (GRID >> 4)) + (k >> 3) for k in units] if self._tame else units


def on_grid(points: Any) -> list[Any]:
    """Numbers of [0, 1] (others are clipped) as units, in lists nested as the array is."""
    scaled = np.rint(np.clip(as_floats("points", points), 0, 1) * GRID)
    units: list[Any] = scaled.astype(np.int64).tolist()
    return units


class TapeDraw(Draw):
    """Replays a tape, in floats or, with `exact=True`, in exact numbers. A tape that does not fit is a ValueError."""

    @typed
    def __init__(self, tape: Tape, exact: bool = False) -> None:
        super().__init__()
        self.exact = exact
        self._source = Tape(list(tape.integers)[::-1], list(tape.units)[::-1])

    def integer(self, low: int, high: int) -> int:
        """The next integer of the tape; a ValueError if it does not fit."""
        if type(low) is not int or type(high) is not int:
            low, high = _ends(low, high)
        k = self._sized(low, low, high)
        self._tape_integers.append(k)
        return k

    def _sized(self, least: int, usual: int, most: int) -> int:
        if not self._source.integers:
            raise ValueError("the tape ran out of integers: it does not belong to this statement")
        k = self._source.integers.pop()
        if not least <= k <= most:
            raise ValueError(f"the tape holds {k} where an integer of [{least}, {most}] is drawn")
        return k

    def _units(self, n: int, centred: bool) -> list[int]:
        if len(self._source.units) < n:
            raise ValueError("the tape ran out of units: it does not belong to this statement")
        units = [self._source.units.pop() for _ in range(n)]
        if not all(0 <= k <= GRID for k in units):
            raise ValueError(f"the tape holds a unit outside [0, 2**{BITS}]: {units}")
        return units
