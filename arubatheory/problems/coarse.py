r"""Two readers of draws for those who look for a simple counterexample: few and simple numbers, and changed tapes."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from arubatheory.problems.draw import GRID, Draw, RandomDraw, TapeDraw, unit_of_rank, unit_of_scale
from arubatheory.problems.signatures import typed

HANDFULS = (2, 3, 5, 9, 17, 0)  # of simple numbers, of which a coarse instance is made; 0: half of its numbers are any
FINEST = 17
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
        return low + (word >> 2) % (min(high - low, word & 3) + 1 if self._low else high - low + 1)

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

    def integer(self, low: int, high: int) -> int:
        """The next integer of the tape, clipped to the range."""
        if type(low) is not int or type(high) is not int or low > high:
            return super().integer(low, high)
        k = min(max(self._source.integers.pop() if self._source.integers else low, low), high)
        self._tape_integers.append(k)
        return k

    def _units(self, n: int, centred: bool) -> list[int]:
        units, simplest = self._source.units, GRID // 2 if centred else 0
        return [units.pop() if units else simplest for _ in range(n)]
