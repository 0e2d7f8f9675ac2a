r"""Readers of draws for those who look for a simple counterexample: few and simple numbers, and changed tapes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from arubatheory.problems.draw import BITS, GRID, Draw, RandomDraw, TapeDraw
from arubatheory.problems.signatures import typed

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject, SearchStrategy

HANDFULS = (2, 3, 5, 9, 17, 0)  # of simple numbers, of which a coarse instance is made; 0: half of its numbers are any
FINEST = 17


@typed
def unit_of_scale(rank: int, low: int, high: int) -> int:
    r"""The unit of a scale of $[2^{low}, 2^{high}]$ by simplicity: 1, 2, 1/2, 4, 1/4, ..., then as `unit_of_rank`."""
    powers = max(2 * min(-low, high) + 1, 0)
    if rank >= powers:
        return unit_of_rank(min(rank - powers, GRID), centred=True)
    exponent = (rank + 1) // 2 * (1 if rank % 2 else -1)
    return (exponent - low) * GRID // (high - low)


@typed
def unit_of_rank(rank: int, centred: bool) -> int:
    r"""The unit of a given simplicity: 0, 1, 1/2, 1/4, 3/4, 1/8, ... (centred: 1/2, 1, 0, 1/4, 3/4, ...), over
    $2^{24}$."""
    if not 0 <= rank <= GRID:
        raise ValueError(f"rank must lie in [0, 2**{BITS}], got {rank!r}")
    if rank < 3:
        return ((1, 2, 0) if centred else (0, 2, 1))[rank] * (GRID >> 1)
    level = (rank - 1).bit_length()
    return (2 * (rank - 1 - (1 << (level - 1))) + 1) << (BITS - level)


COARSE = tuple(tuple(unit_of_rank(rank, centred) for rank in range(FINEST)) for centred in (False, True))


class CoarseDraw(RandomDraw):
    """Reads a numpy Generator as someone tries a claim by hand. An array is made of a handful of simple numbers (by
    rank: `unit_of_rank`, `unit_of_scale`), or of one; some have any others too. In half of the instances all arrays
    have handfuls of one size, and in half the integers are low ones."""

    integer = Draw.integer

    @typed
    def __init__(self, rng: np.random.Generator, words: list[int] | None = None) -> None:
        super().__init__(rng, words)
        style = self._take(1)[0]
        self._same = HANDFULS[(style >> 2) % len(HANDFULS)] if style & 1 else -1
        self._low = style & 2

    def _integer(self, low: int, high: int) -> int:
        word = self._take(1)[0]
        if self._low:
            return low + (word >> 2) % (min(high - low, word & 3) + 1)
        for _ in range((high - low).bit_length() // 28):
            word = word << 30 | self._take(1)[0]
        return low + (word >> 2) % (high - low + 1)

    def _units(self, n: int, centred: bool) -> list[int]:
        return self._simple(n, COARSE[centred])

    def _scale_units(self, n: int, low: int, high: int) -> list[int]:
        return self._simple(n, _coarse_scales(low, high))

    def _simple(self, n: int, coarse: Sequence[int]) -> list[int]:
        """n units of a handful, in one array of eight all the same; without a handful every other one is any at all."""
        words = self._take(n + 1)
        style = words.pop()
        ranks = self._same if self._same >= 0 else HANDFULS[(style >> 3) % len(HANDFULS)]
        if style & 7 == 0:
            words = words[:1] * n
        if ranks:
            return [coarse[word % ranks] for word in words]
        return [word >> 6 if word & 1 else coarse[(word >> 1) % FINEST] for word in words]


@functools.cache
def _coarse_scales(low: int, high: int) -> tuple[int, ...]:
    """The units of the simplest numbers of a scale."""
    return tuple(unit_of_scale(rank, low, high) for rank in range(FINEST))


class LenientDraw(TapeDraw):
    """Replays a tape that may not fit: integers are clamped, and what it does not hold takes its simplest value."""

    def _sized(self, least: int, usual: int, most: int) -> int:
        return min(max(self._source.integers.pop() if self._source.integers else least, least), most)

    def _units(self, n: int, centred: bool) -> list[int]:
        units, left = self._source.units, max(len(self._source.units) - n, 0)
        taken, units[left:] = units[left:][::-1], []
        return taken + [GRID // 2 if centred else 0] * (n - len(taken))


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
