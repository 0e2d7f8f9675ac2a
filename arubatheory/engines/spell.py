r"""Words on trial: of many starts, each a random `Word`, the better half goes on changing, until one is left."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from arubatheory.engines.trial import Record
from arubatheory.engines.words import Repeat, Spelling, Word, any_word, spellings, varied
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import Draw, Tape
from arubatheory.problems.rows import answered, questions

LETTERS = 8
WIDE, STARTS = 8, 8  # random words of which the best is a start, and starts, at most
LONGEST = 1024  # numbers of a game


class _Spelled(NamedTuple):
    """A word, how promising it is, and how many rows others like it may have."""

    badness: float
    word: Word
    most: int


@dataclass
class Speller:
    """Words of one search: `tried` says how promising a game is, `most` how many rows a word may have by the name of
    their number, `games` lend their rows as letters."""

    record: Record
    rng: np.random.Generator
    tried: Callable[[Draw], float]
    most: Callable[[str], int]
    games: Iterator[Tape | None]

    def bracket(self, until: int) -> None:
        """Starts, half of which go on as long as all of them did; up to so many evaluations of the record."""
        count = min(max((until - self.record.evaluations) // (8 * WIDE), 1), STARTS)
        words = [word for word in [self._start() for _ in range(count)] if word]
        for left in range(len(words).bit_length(), 0, -1):
            share = max(until - self.record.evaluations, 0) // left // len(words)
            words = sorted((self._climbed(share, word) for word in words), key=lambda word: -word.badness)
            words = words[: max(len(words) // 2, 1)]

    def _start(self) -> _Spelled | None:
        """The best of some random words of a few rows of a game, None where it has none."""
        tape = next(self.games)
        asked = questions(self.record.statement.instance, tape) if tape else []
        ways = spellings(asked)
        if tape is None or not ways:
            return None
        place, n = ways[self.rng.integers(len(ways))]
        if place is not None:
            rows = tuple(Repeat(int(k), 1, 1) for k in self.rng.integers(n, size=LETTERS))
            tape = Word(Spelling(asked, place, n), tape.integers, np.array(tape.units, np.int64), rows).written()[0]
            if self.tried(LenientDraw(tape)) == -math.inf:
                return None
            asked = questions(self.record.statement.instance, tape)
            tape, n = answered(asked), asked[place].answer[0]
        most = n if place is None else self.most(str(asked[place].kind))
        most = min(most, LONGEST * n // (len(tape.units) + len(tape.integers)))
        if not 1 < n <= most:
            return None
        words = [self._spelled(any_word(self.rng, Spelling(asked, place, n), tape, most), most) for _ in range(WIDE)]
        return max(words, key=lambda word: word.badness)

    def _spelled(self, word: Word, most: int) -> _Spelled:
        return _Spelled(self.tried(LenientDraw(word.written()[0])), word, most)

    def _climbed(self, share: int, start: _Spelled) -> _Spelled:
        """So many changes in turn, each of the last that was no loss."""
        for _ in range(share):
            other = self._spelled(varied(self.rng, start.word, start.most), start.most)
            start = other if other.badness >= start.badness else start
        return start
