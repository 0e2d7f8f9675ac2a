r"""Long games spelled with few letters: blocks of rounds, each of which repeats a few rows in turn.

The worst game of many rounds is often a word of few letters, such as $(+-)^{40}(-)^9$: its numbers change a few times
only. `Spelling` says where the rows of a short game stand in its tape, a `Word` writes a long one with them. What is
then changed is the length of a block, its letters, and their few numbers, each in all of the rounds that it stands for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.problems.draw import GRID, Tape
from arubatheory.problems.rows import Question, answered, groups

BLOCKS = 5  # of a random word, at most
PERIODS = 3, 6  # letters of a block, at most: with reals in a row, and without
ENDS = (0, 1 / 2, 7 / 8)  # the parts of its numbers that are set to an end
STEP = 3  # rows by which a block becomes longer or shorter, when not by a factor
NEARLY = 2, 6  # octaves down: by how much the rows of a periodic game differ
Rows = list[list[int]]  # places in a tape, row by row; one row alone does not change with the length


class Spelling:
    """Where the n rows of a game stand in a tape whose questions are noted; `place` is that of n among them, None
    where n is given."""

    def __init__(self, asked: Sequence[Question], place: int | None, n: int) -> None:
        self.n = n
        self.place = None if place is None else sum(not isinstance(q.kind, tuple) for q in asked[:place])
        self._pieces: tuple[list[Rows], list[Rows]] = ([], [])
        self._at = [0, 0]
        for order in groups(asked, 0, len(asked) if place is None else place):
            self._add([asked[k] for k in order.flat], order.shape)

    def _add(self, questions: Sequence[Question], shape: tuple[int, ...]) -> None:
        """The places of questions without rows, or of arrays of them with n rows each."""
        found: tuple[list[list[int]], list[list[int]]] = ([], [])
        for question in questions:
            kind = int(isinstance(question.kind, tuple))
            places = range(self._at[kind], self._at[kind] + len(question.answer))
            self._at[kind] = places.stop
            if shape[1] == 1:
                self._pieces[kind].extend(_by_rows(question, places, self.n))
            else:
                found[kind].append(list(places))
                found[1 - kind].append([])
        for pieces, each in zip(self._pieces, found, strict=True):
            rows = [[k for one in each[j : j + shape[2]] for k in one] for j in range(0, len(each), shape[2])]
            pieces += [rows[j : j + self.n] for j in range(0, len(rows), self.n)]

    def block(self, rng: np.random.Generator, length: int) -> Repeat:
        """So many rows of a few in turn, wherever they start."""
        return Repeat(int(rng.integers(self.n)), int(rng.integers(1, PERIODS[not self._at[1]] + 1)), length)

    def spelled(self, rows: Sequence[int]) -> tuple[list[int], list[int]]:
        """The places of the integers, and those of the units, that a game of these rows has."""
        integers, units = (
            [k for piece in pieces for row in ([piece[j] for j in rows] if len(piece) > 1 else piece) for k in row]
            for pieces in self._pieces
        )
        return integers, units

    def only(self, rows: Sequence[int], without: Sequence[int]) -> list[set[int]]:
        """The places of the integers, and those of the units, that these rows have and others have not."""
        return [{*mine} - {*other} for mine, other in zip(self.spelled(rows), self.spelled(without), strict=True)]


def _by_rows(question: Question, places: range, n: int) -> list[Rows]:
    """The places of an array, row by row of its axis of length n."""
    if n == 1 or not isinstance(question.kind, tuple) or n not in question.kind:
        return [[list(places)]]
    before = math.prod(question.kind[: question.kind.index(n)])
    found: list[Rows] = np.reshape(places, (before, n, -1)).tolist()
    return found


def spellings(asked: Sequence[Question]) -> list[tuple[int | None, int]]:
    """The places and values of sizes but 0; without any, of integers that are the length of an array; or lengths."""
    sizes: list[tuple[int | None, int]]
    sizes = [(k, q.answer[0]) for k, q in enumerate(asked) if isinstance(q.kind, str) and q.kind and q.answer[0]]
    lengths = {q.kind[0] for q in asked if isinstance(q.kind, tuple) and q.kind and q.kind[0] > 1}
    sizes = sizes or [(k, q.answer[0]) for k, q in enumerate(asked) if q.kind == "" and q.answer[0] in lengths]
    return sizes or [(None, n) for n in sorted(lengths)]


class Repeat(NamedTuple):
    """So many rows, which are `period` letters from `start` on in turn."""

    start: int
    period: int
    length: int


class Word(NamedTuple):
    """A short game, its tape and its rows, and the blocks of the long game that they spell."""

    spelling: Spelling
    integers: list[int]
    units: Array
    blocks: tuple[Repeat, ...]

    @property
    def rows(self) -> list[int]:
        """The letter of each round; they repeat where the length is given."""
        rows = [(b.start + k % b.period) % self.spelling.n for b in self.blocks for k in range(b.length)]
        return rows if self.spelling.place is not None else [rows[k % len(rows)] for k in range(self.spelling.n)]

    def written(self) -> tuple[Tape, list[int]]:
        """The tape of the long game, and which unit of the short one each of its units is."""
        rows = self.rows
        integers, index = self.spelling.spelled(rows)
        tape = Tape([self.integers[k] for k in integers], self.units[index].tolist())
        if self.spelling.place is not None:
            tape.integers[self.spelling.place] = len(rows)
        return tape, index


def any_word(rng: np.random.Generator, spelling: Spelling, tape: Tape, most: int) -> Word:
    """Some blocks, of at most so many rows, of the rows of a tape, of whose numbers some are set to an end."""
    lengths = np.exp(rng.uniform(0, np.log(most), rng.integers(1, BLOCKS + 1))).astype(int)
    units = np.array(tape.units, np.int64)
    ends = rng.random(len(units)) < rng.choice(ENDS)
    units[ends] = rng.integers(0, 2, len(units))[ends] * GRID
    return Word(spelling, list(tape.integers), units, _cut([spelling.block(rng, int(k)) for k in lengths], most))


def periodic(rng: np.random.Generator, asked: Sequence[Question]) -> Tape | None:
    """The tape of a game whose rows repeat with a short period, and nearly so; None where it has no rows."""
    ways = spellings(asked)
    if not ways:
        return None
    (place, n), tape = ways[rng.integers(len(ways))], answered(asked)
    spelling = Spelling(asked, place, n)
    word = Word(spelling, tape.integers, np.array(tape.units, np.int64), (spelling.block(rng, n),))
    integers, units = word.written()[0]
    noise = rng.normal(0, 2.0 ** -rng.uniform(*NEARLY), len(units)) * GRID
    return Tape(integers, np.clip(units + noise, 0, GRID).astype(np.int64).tolist())


def _cut(blocks: Sequence[Repeat], most: int) -> tuple[Repeat, ...]:
    """At most so many rows."""
    ends = np.minimum(np.cumsum([b.length for b in blocks]), most)
    lengths = np.diff(ends, prepend=0).tolist()
    return tuple([b._replace(length=k) for b, k in zip(blocks, lengths, strict=True) if k > 0])


def varied(rng: np.random.Generator, word: Word, most: int) -> Word:
    """A word with other blocks, of at most so many rows, or other letters."""
    if rng.integers(8) < 3:
        return word._replace(blocks=_cut(_reblocked(rng, word), most) or word.blocks)
    used = np.unique(word.spelling.spelled(word.rows)[1])
    if word.integers and (len(used) == 0 or rng.integers(5) == 0):
        return word._replace(integers=_other_integer(rng, word.integers))
    if not len(used):
        return word
    places = rng.choice(used, len(used) // 4 + 1 if rng.integers(3) == 0 else 1)
    return word._replace(units=reset(rng, word.units, places, word.units[used]))


def _other_integer(rng: np.random.Generator, integers: list[int]) -> list[int]:
    """One integer becomes a small one, one next to it, or another of them."""
    k, other = (int(j) for j in rng.integers(len(integers), size=2))
    new = (int(rng.integers(5)), integers[k] + 1, max(integers[k] - 1, 0), integers[other])[rng.integers(4)]
    return [*integers[:k], new, *integers[k + 1 :]]


def reset(rng: np.random.Generator, units: Array, places: Array, known: Array) -> Array:
    """Units of which those at some places are at an end, in the middle, on the other side, as one of the known ones is,
    or nearby."""
    units, kind = units.copy(), rng.integers(8)
    if kind < 3:
        units[places] = (0, GRID, GRID // 2)[kind]
    elif kind == 3:
        units[places] = GRID - units[places]
    elif kind == 4:
        units[places] = rng.choice(known)
    else:
        noise = rng.normal(0, 2.0 ** -rng.uniform(1, 10), len(places)) * GRID
        units[places] = np.clip(units[places] + noise, 0, GRID).astype(np.int64)
    return units


def _reblocked(rng: np.random.Generator, word: Word) -> list[Repeat]:
    """One block longer or shorter, at the cost of another or not, split, left out, put in, or of other letters; or all
    longer or shorter."""
    new, kind, fresh = list(word.blocks), rng.integers(8), word.spelling.block
    k, j = (int(place) for place in rng.integers(len(new), size=2))
    block, factor = new[k], math.exp(rng.normal(0, 1 / 2))
    length = round(block.length * factor) if rng.integers(2) else block.length + int(rng.integers(-STEP, STEP + 1))
    if kind == 0:
        return [b._replace(length=max(round(b.length * factor), 1)) for b in new]
    if kind < 4:
        new[k] = block._replace(length=max(length, 0))
    if kind == 3:
        new[j] = new[j]._replace(length=max(new[j].length + block.length - max(length, 0), 0))
    elif kind == 4:
        first = int(rng.integers(block.length + 1))
        new[k : k + 1] = [block._replace(length=first), fresh(rng, block.length - first)]
    elif kind == 5:
        del new[k]
    elif kind == 6:
        new.insert(k, fresh(rng, int(rng.integers(1, STEP + 2))))
    elif kind == 7:
        new[k] = fresh(rng, block.length)
    return new
