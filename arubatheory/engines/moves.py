r"""Moves that know games and no statement: from a tape to another that may be worse.

A game is made longer or shorter, or summed with copies of itself; its rows repeat, are copied, left out, put in or
turned round; several numbers at once go to an end, to the middle, to each other or to the other side; a choice becomes
another one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import GRID, Draw, Tape
from arubatheory.problems.rows import LADDER, Question, RowsDraw, rung

HANDFUL = 8  # numbers that a move sets at most, when it sets neither a block nor all of them
PERIODS = 3
CHOICES = 3  # of eight changes nearby, those of a choice
BLOCK = 12  # rows that come twice or go
COPIES = 4  # of a game, side by side, at most


def resized(rng: np.random.Generator, asked: Sequence[Question], most: int) -> Draw | None:
    """One size, or an integer where there is none, further up or down the ladder; None where nothing may change, or
    more than `most` numbers would be drawn."""
    places = [k for k, q in enumerate(asked) if isinstance(q.kind, str) and q.kind]
    places = places or [k for k, q in enumerate(asked) if q.kind == "" and q.answer[0] > 0]
    if not places:
        return None
    place = places[rng.integers(len(places))]
    old = asked[place].answer[0]
    new = _other_size(rng, old)
    total = sum(len(q.answer) for q in asked)
    if new > old and total * new > most * max(old, 1):
        return None
    factors = _factors(rng, new) if rng.integers(2) else None
    return RowsDraw(asked, {place: new}, {(old, new): _rows_of_other(rng, old, new)}, bool(rng.integers(2)), factors)


def summed(rng: np.random.Generator, asked: Sequence[Question], most: int) -> Draw | None:
    """A direct sum: copies of a game side by side, each with rounds and coordinates of its own; None where a game has
    fewer than two sizes, or more than `most` numbers would be drawn."""
    places = [k for k, q in enumerate(asked) if isinstance(q.kind, str) and q.kind]
    if len(places) < 2:
        return None
    two, copies = rng.permutation(places)[:2].tolist(), int(rng.integers(2, COPIES + 1))
    new = {place: asked[place].answer[0] * copies for place in two}
    rows = {(k // copies, k): np.arange(k) % (k // copies) for k in new.values() if k}
    fits = sum(len(q.answer) for q in asked) * copies**2 <= most
    return RowsDraw(asked, new, rows, apart=True) if fits else None


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
    """The old row of each new one: repeated, stretched, held at the last, the last ones, or with a block twice or left
    out."""
    rows, kind = np.arange(new), rng.integers(8)
    if kind == 0 or old == 0:
        return rows % max(old, 1)
    if kind == 1:
        return rows * old // new
    if kind > 3 and new < 2 * old:
        return _with_block(rng, old, new)
    return np.minimum(rows, old - 1) if kind == 2 else np.maximum(rows - (new - old), 0)


def _with_block(rng: np.random.Generator, old: int, new: int) -> Array:
    """Rows of which a block comes twice in turn, or is left out; new < 2 old."""
    more, start = new - old, int(rng.integers(min(new, 2 * old - new) + 1))
    rows = np.arange(new)
    rows[start + max(more, 0) :] -= more
    return rows


def rearranged(rng: np.random.Generator, asked: Sequence[Question]) -> Draw | None:
    """The rows of all arrays of one length in another order; None where no array has rows."""
    lengths = sorted({k for q in asked if isinstance(q.kind, tuple) for k in q.kind[:1] if k > 1})
    if not lengths:
        return None
    n = lengths[rng.integers(len(lengths))]
    return RowsDraw(asked, {}, {(n, n): _order(rng, n)})


def _order(rng: np.random.Generator, n: int) -> Array:
    """n rows of n: periodic, or with a block copied, left out, put in or turned round."""
    rows = np.arange(n)
    kind, size = rng.integers(5), int(rng.integers(1, n))
    start, to = (int(k) for k in rng.integers(0, n - size + 1, 2))
    if kind == 0:
        return start + rows % min(int(rng.integers(1, PERIODS + 1)), n - start)
    if kind == 1:
        rows[to : to + size] = np.arange(start, start + size)
    elif kind == 2:
        rows[start:] = np.minimum(rows[start:] + size, n - 1)
    elif kind == 3:
        rows[start + size :] = np.arange(start, n - size)
    else:
        rows[start : start + size] = rows[start : start + size][::-1].copy()
    return rows


def replaced(rng: np.random.Generator, tape: Tape, mate: Tape) -> Draw | None:
    """Some units set at once: to an end, the middle, each other, the other side, nearer to the middle or further from
    it, to those of a mate, or nearby."""
    units = np.array(tape.units, np.int64)
    if not len(units):
        return None
    kind, places = rng.integers(8), _some(rng, len(units))
    if kind < 3:
        units[places] = (0, GRID, GRID // 2)[kind]
    elif kind == 3:
        units[places] = units[rng.integers(len(units))]
    elif kind == 4:
        units[places] = GRID - units[places]
    elif kind == 5:
        factors = np.exp(rng.normal(0, 2.0 ** -rng.integers(0, 7), len(units) if rng.integers(2) else 1))
        units[places] = np.clip(GRID // 2 + ((units - GRID // 2) * factors)[places], 0, GRID)
    elif kind == 6 and len(mate.units) == len(units):
        units[places] = np.array(mate.units)[places]
    else:
        noise = rng.normal(0, 2.0 ** -rng.integers(2, 9), len(units)) * GRID
        units[places] = np.clip(units + noise, 0, GRID).astype(np.int64)[places]
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


def chosen(rng: np.random.Generator, tape: Tape) -> Draw | None:
    """One of the integers replaced by a small one or by one next to it."""
    if not tape.integers:
        return None
    integers, place = list(tape.integers), int(rng.integers(len(tape.integers)))
    here = integers[place]
    integers[place] = (int(rng.integers(5)), here + 1, max(here - 1, 0), -here)[rng.integers(4)]
    return LenientDraw(Tape(integers, list(tape.units)))


def nearby(rng: np.random.Generator, tape: Tape) -> Draw:
    """A change of a choice or of some numbers; the tape itself where there is none to change."""
    draw = chosen(rng, tape) if rng.integers(8) < CHOICES else None
    return draw or replaced(rng, tape, tape) or LenientDraw(tape)
