r"""Moves that know games and no statement: from a tape to another that may be worse.

A game is made longer or shorter, or summed with copies of itself; its rows repeat, are copied, left out, put in or
turned round; several numbers at once go to an end, to the middle, to each other or to the other side, and so do several
integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.engines.words import Spelling, reset, spellings
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import GRID, Draw, Tape
from arubatheory.problems.rows import LADDER, Question, RowsDraw, answered, questions, rung

HANDFUL = 8  # numbers that a move sets at most, when it sets neither a block nor all of them
PERIODS = 3
CHOICES = 3  # of eight changes nearby, those of a choice
BLOCK = 12  # rows that come twice or go
ROUNDS_OF_A_NUMBER = 64  # that are as much work as one more number
LONG = 512  # rounds of which each is more work if there are more
COPIES = 4  # of a game, side by side, at most


def resized(rng: np.random.Generator, asked: Sequence[Question], most: int) -> Draw | None:
    """One size, or a length where there is none, further up or down the ladder; None where nothing may change, or more
    than `most` numbers would be drawn, rounds counted by their work."""
    ways = [(place, n) for place, n in spellings(asked) if place is not None]
    if not ways:
        return None
    place, old = ways[rng.integers(len(ways))]
    new = _other_size(rng, old)
    if new > old and sum(len(q.answer) for q in asked) * new // max(old, 1) + work_of([new]) > most:
        return None
    factors, along = _factors(rng, new) if rng.integers(2) else None, (0, 1, None)[rng.integers(3)]
    return RowsDraw(asked, {place: new}, {(old, new): _rows_of_other(rng, old, new)}, factors, along=along)


def work_of(sizes: Iterable[int]) -> int:
    """How many numbers drawn are as much work as the rounds, tasks and dimensions of a game with these sizes, of which
    none may be drawn: one for every 64, and more where there are more than 512."""
    n = sum(sizes)
    return n // ROUNDS_OF_A_NUMBER * (1 + n // LONG)


def summed(rng: np.random.Generator, asked: Sequence[Question], most: int) -> Draw | None:
    """A direct sum: copies of a game side by side, each with rounds and coordinates of its own; None where a game has
    fewer than two sizes, or more than `most` numbers would be drawn."""
    places = [k for k, q in enumerate(asked) if q.is_size]
    if len(places) < 2:
        return None
    two, copies = rng.permutation(places)[:2].tolist(), int(rng.integers(2, COPIES + 1))
    new = {place: asked[place].answer[0] * copies for place in two}
    rows = {(k // copies, k): np.arange(k) % (k // copies) for k in new.values() if k}
    fits = sum(len(q.answer) for q in asked) * copies**2 <= most
    return RowsDraw(asked, new, rows, apart=True) if fits else None


def doubled(rng: np.random.Generator, instance: Callable[[Draw], Any], asked: Sequence[Question]) -> Draw | None:
    """Two copies of a game side by side and one more row, which tells them apart: it is at one end in the first, at
    the other in the second; None where a game has fewer than two sizes, or rows that have no part of each."""
    places = [k for k, q in enumerate(asked) if q.is_size and q.answer[0]]
    if len(places) < 2:
        return None
    long, wide = rng.permutation(places)[:2].tolist()
    t, n = asked[long].answer[0] + 1, 2 * asked[wide].answer[0]
    draw = RowsDraw(asked, {long: t, wide: n}, {})
    instance(draw)
    twice, side = questions(instance, draw.tape), int(rng.integers(2))
    if [q.answer for k in (long, wide) for q in twice[k : k + 1]] != [[t], [n]]:  # beyond a limit
        return None
    ends = [q.ends for q in twice if not isinstance(q.kind, tuple)], [(0, GRID)] * len(draw.tape.units)
    last, copy = Spelling(twice, long, t).only([t - 1], [0]), Spelling(twice, wide, n).only(range(n // 2, n), [0])
    for numbers, row, second, of in zip(draw.tape, last, copy, ends, strict=True):
        for k in row:
            numbers[k] = of[k][(k in second) ^ side]
    return LenientDraw(draw.tape) if any(last) else None


def _factors(rng: np.random.Generator, n: int) -> Array:
    """By which the rows of a block, or all up to it, come nearer to the middle or further from it."""
    (start, end), by = sorted(rng.integers(n + 1, size=2)), rng.normal(0, 0.7)
    return np.exp(np.repeat([0, by, 0], np.diff([0, start * rng.integers(2), end, n])))


def _other_size(rng: np.random.Generator, old: int) -> int:
    here = LADDER.index(rung(max(old, 1)))
    up, down = [LADDER[min(here + k, len(LADDER) - 1)] for k in (1, 2)], LADDER[max(here - 1, 0)]
    block = int(rng.integers(1, BLOCK + 1))
    choices = [old + 1, *up, 2 * old, old + min(block, old), max(old - 1, 1), max(old - block, 1), down]
    return choices[rng.integers(len(choices))]


def _rows_of_other(rng: np.random.Generator, old: int, new: int) -> Array:
    """The old row of each new one: stretched, with a block twice or left out, or with what there is, or its last rows,
    again and again; from the end to the start as often."""
    rows, kind = np.arange(new), rng.integers(8)
    if old == 0:
        return 0 * rows
    if kind == 0:
        return rows * old // new
    if kind > 3 and new < 2 * old:
        return _with_block(rng, old, new)
    period = old if kind % 2 else int(rng.integers(1, old + 1))
    taken = np.where(rows < old, rows, old - period + (rows - old) % period)
    return taken if rng.integers(2) else old - 1 - taken[::-1]


def _with_block(rng: np.random.Generator, old: int, new: int) -> Array:
    """Rows of which a block comes twice in turn, or is left out; new < 2 old."""
    more, start = new - old, int(rng.integers(min(new, 2 * old - new) + 1))
    rows = np.arange(new)
    rows[start + max(more, 0) :] -= more
    return rows


def rearranged(rng: np.random.Generator, asked: Sequence[Question]) -> Draw | None:
    """The rows of a game in another order: those of a longer or shorter one that is made from it, or of one that
    repeats a few, or with a block turned round; None where a game has no rows."""
    ways = [(place, n) for place, n in spellings(asked) if n > 1]
    if not ways or all(q.is_size for q in asked):
        return None
    place, n = ways[rng.integers(len(ways))]
    other = _other_size(rng, n) if rng.integers(4) else int(rng.integers(1, PERIODS + 1))
    rows = _rows_of_other(rng, n, other)[_rows_of_other(rng, other, n)]
    if rng.integers(4) == 0:
        start, end = sorted(rng.integers(n + 1, size=2))
        rows[start:end] = rows[start:end][::-1].copy()
    return RowsDraw(asked, {} if place is None else {place: n}, {(n, n): rows})


def replaced(rng: np.random.Generator, tape: Tape, mate: Tape) -> Draw | None:
    """Some units set at once (`reset`), nearer to the middle or further from it, or to those of a mate."""
    units = np.array(tape.units, np.int64)
    if not len(units):
        return None
    kind, places = rng.integers(8), _some(rng, len(units))
    if kind == 0:
        factors = np.exp(rng.normal(0, 2.0 ** -rng.integers(0, 7), len(units) if rng.integers(2) else 1))
        units[places] = np.clip(GRID // 2 + ((units - GRID // 2) * factors)[places], 0, GRID)
    elif kind == 1 and len(mate.units) == len(units):
        units[places] = np.array(mate.units)[places]
    else:
        units = reset(rng, units, places, units)
    return LenientDraw(Tape(list(tape.integers), units.tolist()))


def _some(rng: np.random.Generator, n: int) -> Array:
    """The places of a block of n numbers, of a handful, of each k-th, or of all."""
    kind = rng.integers(4)
    if kind == 0:
        start = int(rng.integers(n))
        return np.arange(start, int(rng.integers(start, n)) + 1)
    if kind == 1:
        return rng.integers(0, n, int(rng.integers(1, HANDFUL + 1)))
    step = int(rng.integers(1, HANDFUL + 1))
    return np.arange(int(rng.integers(step)) % n, n, step) if kind == 2 else np.arange(n)


def chosen(rng: np.random.Generator, asked: Sequence[Question], mate: Tape) -> Draw | None:
    """Some integers that are no sizes set at once, as often one: to an end of their range, to each other, to the other
    side, to those some places on or of a mate, anywhere, or nearby; None where there are none."""
    noted = [q for q in asked if not isinstance(q.kind, tuple)]
    free = [k for k, q in enumerate(noted) if not q.is_size]
    if not free:
        return None
    tape, kind, turn = answered(asked), rng.integers(8), int(rng.integers(len(free)))
    old, other = [tape.integers[k] for k in free], mate if len(mate.integers) == len(tape.integers) else tape
    for j in _some(rng, len(free)) if rng.integers(2) else [turn]:
        (low, high), here = noted[free[j]].ends, old[j]
        away = low + high - here, old[(j + turn) % len(old)], other.integers[free[j]]
        near = here + (1 if rng.integers(2) else -1), low + int(rng.random() * (high - low + 1))
        tape.integers[free[j]] = min(max((low, high, old[turn], *away, *near)[kind], low), high)
    return LenientDraw(tape)


def nearby(rng: np.random.Generator, instance: Callable[[Draw], Any], tape: Tape) -> Draw:
    """A change of some integers or of some numbers; the same game where there is none to change."""
    draw = chosen(rng, questions(instance, tape), tape) if rng.integers(8) < CHOICES else None
    return draw or replaced(rng, tape, tape) or LenientDraw(tape)
