r"""A tape read question by question: games made longer or shorter, and blocks of their rounds moved.

A tape says nothing about what its numbers were for. `questions` reads one again and notes what was asked: sizes,
integers with their ranges, and arrays of units with their shapes. Questions that come in turn, once a round or once for
each of several sizes, are an array, too (`group`). `RowsDraw` then answers a generator from these questions, with other
sizes, and with the rows of each array taken where a map of indices says.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import GRID, Draw, Tape

LADDER = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765, 10946, 17711, 28657)
"""The sizes by which others are classed."""
Shape = tuple[int, ...]


class Question(NamedTuple):
    """What a generator asked and was told: a size by its name, an integer (no name) between two `ends`, or units
    (`kind` is their shape)."""

    kind: str | Shape
    answer: list[int]
    ends: tuple[int, int] = (0, 0)

    @property
    def form(self) -> str | int:
        """What another question must have in common with this one to be answered like it."""
        return len(self.kind) if isinstance(self.kind, tuple) else self.kind

    @property
    def is_size(self) -> bool:
        """Whether it has a name."""
        return isinstance(self.kind, str) and self.kind != ""


def rung(k: int) -> int:
    """The least size of the ladder that is not smaller, or its last."""
    return LADDER[min(bisect.bisect_left(LADDER, k), len(LADDER) - 1)]


class _Shaped(Draw):
    """A reader that knows the shape of the array that is asked for."""

    _shape: Shape | None = None

    def _fractions(self, shape: int | Shape | None, centred: bool) -> list[Any]:
        self._shape = _as_shape(shape)
        return super()._fractions(shape, centred)

    def positive(self, low: int = -32, high: int = 32, shape: int | Shape | None = None) -> Any:
        """As every reader, with the shape kept."""
        self._shape = _as_shape(shape)
        return super().positive(low, high, shape)

    def _asked(self, n: int) -> Shape:
        shape, self._shape = self._shape, None
        return (n,) if shape is None else shape


def _as_shape(shape: int | Shape | None) -> Shape:
    return () if shape is None else shape if isinstance(shape, tuple) else (shape,)


class _Noting(_Shaped, LenientDraw):
    """Replays a tape and notes the questions."""

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape)
        self.questions: list[Question] = []

    def size(self, name: str, usual: int, limit: int | None = None, least: int = 1) -> int:
        """The size of the tape, noted."""
        k = super().size(name, usual, limit, least)
        self.questions.append(Question(name, [k]))
        return k

    def integer(self, low: int, high: int) -> int:
        """The integer of the tape, noted."""
        k = super().integer(low, high)
        self.questions.append(Question("", [k], (low, high)))
        return k

    def _units(self, n: int, centred: bool) -> list[int]:
        units = super()._units(n, centred)
        self.questions.append(Question(self._asked(n), units))
        return units


def questions(instance: Any, tape: Tape) -> list[Question]:
    """What the generator `instance` asks when the tape answers."""
    draw = _Noting(tape)
    instance(draw)
    return draw.questions


def answered(asked: Sequence[Question]) -> Tape:
    """The tape of all answers."""
    integers = [q.answer[0] for q in asked if not isinstance(q.kind, tuple)]
    return Tape(integers, [k for q in asked if isinstance(q.kind, tuple) for k in q.answer])


def groups(asked: Sequence[Question], start: int, place: int) -> Iterator[Array]:
    """The places of the questions from `start` on, array by array: (outer, rows, of a row), a row for each of the size
    at a place. Of the sizes asked before as many make an array as the run of like questions has room for; one row
    where that size is not among them."""
    like = [(q.form, q.ends) for q in asked]
    sizes = [k for k, q in enumerate(asked) if k == place or q.is_size]
    while start < len(asked):
        outer, n, width = _group(asked, like, sizes[: bisect.bisect_left(sizes, start)], start, place)
        yield np.arange(start, start := start + outer * n * width).reshape(outer, n, width)


def _group(asked: Sequence[Question], like: Sequence[object], before: Sequence[int], k: int, place: int) -> Shape:
    """The shape of the array that begins at k; `before` are the places of the sizes before it."""
    n = asked[place].answer[0] if place < k else 1
    if n < 2 or (isinstance(asked[k].kind, tuple) and n in asked[k].kind):
        return 1, 1, 1
    period, times = _run(like, k, n)
    parts: dict[int, tuple[int, ...]] = {1: ()}
    for j in before:
        parts = {more: (*of, j) for part, of in parts.items() if (more := part * asked[j].answer[0]) <= times} | parts
    most = max(parts)
    if place not in parts[most]:
        return 1, 1, most * period
    outer = math.prod(asked[j].answer[0] for j in parts[most] if j < place)
    return outer, n, most // outer // n * period


def _run(like: Sequence[object], k: int, n: int) -> tuple[int, int]:
    """The least period of what stands from k on that comes n times in turn, and how often it does."""
    for period in range(1, (len(like) - k) // n + 1):
        second, end = k + period, k + n * period
        if like[k] == like[second] and like[k : end - period] == like[second:end]:
            stop = next((j for j in range(end, len(like)) if like[j] != like[j - period]), len(like))
            return period, (stop - k) // period
    return 1, 1


def _carried(asked: Sequence[Question], place: int, new: int, rows: Array) -> list[Question]:
    """The questions with another size at a place, and of those that come once for each of it those of these rows."""
    out = [*asked[:place], asked[place]._replace(answer=[new])]
    for order in groups(asked, place + 1, place):
        out += [asked[j] for j in (order if order.shape[1] == 1 else order[:, rows]).ravel().tolist()]
    return out


class RowsDraw(_Shaped):
    r"""Answers from noted questions: `integers` has new answers by the place of a question, `rows` the old row of each
    new one, by the numbers of rows before and now. Of arrays that became longer otherwise the rows repeat, of shorter
    ones the first stay. `factors`, one for each new row, take centred numbers nearer to the middle or further from it.
    Of an integer with another upper end than before the part `along` of the difference is added: 0, 1, or None for as
    large a part as it was of its range. A question that comes more often than before is answered like the first of its
    form; one that came never, with what is simplest. `apart`: in a matrix with new
    rows and columns each copy of the old one has its own, and the others are 0."""

    def __init__(
        self,
        asked: Sequence[Question],
        integers: Mapping[int, int],
        rows: Mapping[tuple[int, int], Array],
        factors: Array | None = None,
        apart: bool = False,
        along: int | None = 0,
    ) -> None:
        super().__init__()
        self._apart, self._along = apart, along
        self._noted, self._rows, self._factors = asked, rows, factors
        self._at, self._name = 0, ""
        self._shorter = any(k < asked[place].answer[0] for place, k in integers.items())
        for place in sorted(integers, reverse=True):
            old, new = asked[place].answer[0], integers[place]
            self._noted = _carried(self._noted, place, new, rows.get((old, new), np.arange(new) % max(old, 1)))

    def _sized(self, least: int, usual: int, most: int) -> int:
        place = self._place(self._name)
        return least if place is None else min(max(self._noted[place].answer[0], least), most)

    def size(self, name: str, usual: int, limit: int | None = None, least: int = 1) -> int:
        """The size that was noted, or its new answer."""
        self._name = name
        k = super().size(name, usual, limit, least)
        self._name = ""
        return k

    def integer(self, low: int, high: int) -> int:
        """The integer that was noted, or its new answer."""
        place, k = self._place(""), low
        if place is not None:
            _, (k,), (least, most) = self._noted[place]
            part = (k - least) / max(most - least, 1) if self._along is None else self._along
            k = min(max(k + round((high - most) * part), low), high)
        self._tape_integers.append(k)
        return k

    def _units(self, n: int, centred: bool) -> list[int]:
        shape = self._asked(n)
        place = self._place(len(shape))
        if place is None:
            return [GRID // 2 if centred else 0] * n
        noted = self._noted[place]
        old = _as_shape(noted.kind if isinstance(noted.kind, tuple) else None)
        array, free = np.array(noted.answer).reshape(old), dict(self._rows)
        for axis, (before, now) in enumerate(zip(old, shape, strict=True)):
            taken = free.pop((before, now), None)
            if taken is None and before != now:
                taken = np.arange(now) % max(before, 1) if before else np.zeros(0, np.int64)
            if taken is not None and before:
                array = np.take(array, taken, axis=axis)
                if self._factors is not None and centred and len(self._factors) == now:
                    factors = self._factors.reshape(-1, *(1,) * (array.ndim - axis - 1))
                    array = np.clip(GRID // 2 + (array - GRID // 2) * factors, 0, GRID).astype(np.int64)
        if self._apart and centred and len(shape) == 2 and all(0 < k < now for k, now in zip(old, shape, strict=True)):
            blocks = [np.arange(now) // before for before, now in zip(old, shape, strict=True)]
            array = np.where(np.equal.outer(*blocks), array, GRID // 2)
        units: list[int] = array.reshape(-1).tolist()
        return units if len(units) == n else [GRID // 2 if centred else 0] * n

    def _place(self, form: str | int) -> int | None:
        """The place of the question that answers the next one of a form."""
        noted, at = self._noted, self._at
        if at < len(noted) and noted[at].form == form:
            self._at += 1
            return at
        ahead = self._among(range(at, len(noted)), form)
        behind = self._among(range(self._at), form)
        place = (behind if ahead is None else ahead) if self._shorter else (ahead if behind is None else behind)
        if place is not None:
            self._at = place + 1
        return place

    def _among(self, places: range, form: str | int) -> int | None:
        return next((place for place in places if self._noted[place].form == form), None)
