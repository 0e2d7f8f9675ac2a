r"""Making a certified violation easy to read: the tape of a witness, simplified as long as it still refutes.

What is simple has few numbers that have to be told, and few draws (`cost`). Other small games are looked for first, of
each smaller size and of any. Then sizes go down, rows cut or left out one by one, or not at all: the simplest
outcome stays. Integers go towards their smallest values; all units at once, those of an array, blocks and rows of them,
and each by itself towards coarse fractions, towards those before and towards others of the tape; then a few at random
at once. Floats judge the candidates and exact arithmetic certifies what they leave; where it does not, a step before.
Where floats do not see the violation, exact arithmetic judges each of fewer candidates. The draws that a shorter tape
leaves open take their simplest value.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from arubatheory.arithmetic import FIRST_BITS, Undecided, precision
from arubatheory.engines.evaluation import evaluated
from arubatheory.engines.exact import BrokenAssumption, Certificate, certify
from arubatheory.engines.told import written
from arubatheory.engines.witness import encode_instance
from arubatheory.problems.coarse import COARSE as SIMPLE
from arubatheory.problems.coarse import CoarseDraw, LenientDraw
from arubatheory.problems.draw import GRID, WORD, Draw, Tape, TapeDraw
from arubatheory.problems.rows import Question, RowsDraw, questions
from arubatheory.statements.core import Instance, NotAnInstance, Statement

COARSE = tuple(GRID * k // 32 for k in (16, 17, 15, 18, 14, 32, 0, 8, 24, 4, 12, 20, 28))
"""Units tried for any other: the middle and, on a scale of 64 octaves, 4, 1/4, 16, 1/16; the ends, quarters,
eighths."""
ROUNDINGS = (1, 2, 3, 4, 6, 8, 12, 16)  # bits that are left of a unit
ROWS = 48  # of a game that are left out one by one
ATTEMPTS, EXACT_ATTEMPTS = 500, 100
CHANGES, JUMPS = 3, 40  # of a tape at once, at most; how often that is tried
SMALLEST = (1, 2, 3, 4)  # sizes of which other games are looked for
GAMES = 12  # of a size, that are looked at
OTHERS = 24  # numbers of a tape that another may become
SHRINK_BITS = 512
Found = tuple[Tape, Certificate]
Weigh = Callable[[Tape, Instance | None], tuple[float, ...]]
Weighed = tuple[Tape, tuple[float, ...]] | None  # None: it does not refute the claim


def simplest(statement: Statement, violated: Sequence[Found]) -> Found | None:
    """The simplest of some certified violations, simplified further; None if there is none."""
    return shrink(statement, *min(violated, key=lambda found: cost(found[0], found[1].instance))) if violated else None


def shrink(
    statement: Statement, tape: Tape, certificate: Certificate, effort: int = 1, weigh: Weigh | None = None
) -> Found:
    """The simplest tape that a greedy descent reaches from `tape`, which `certificate` says refutes the claim; so many
    times the usual `effort` goes into it, and what is simple is as `weigh` (else `cost`) has it."""
    with np.errstate(all="ignore"):
        runs = [_Simplifying(statement, tape, certificate, rows, effort, weigh or cost) for rows in (True, False)]
        runs[1].known = runs[0].known
        runs[0].look_around()
        for run in runs:
            run.descend()
    steps = min(runs, key=lambda run: run.least).kept
    back = 1
    while back < len(steps):
        found = _certified(statement, steps[-back])
        if found is not None:
            return found
        back *= 2
    return tape, certificate


class _Simplifying:
    """The tapes that are kept, each simpler than the one before, the first as it was given, and how many candidates may
    still be tried that are not `known`; `rows`: games are cut before other numbers become simpler."""

    def __init__(
        self, statement: Statement, tape: Tape, certificate: Certificate, rows: bool, effort: int, weigh: Weigh
    ) -> None:
        self.rows, self.effort, self.weigh, self.known = rows, effort, weigh, dict[Any, Weighed]()
        self.statement, self.kept, self.least = statement, [tape], weigh(tape, certificate.instance)
        self.in_floats = certificate.outcome == "violated" and self._refutes(TapeDraw(tape), floats=True)
        self.attempts = ATTEMPTS * effort if self.in_floats else EXACT_ATTEMPTS

    def descend(self) -> None:
        """Pass after pass, and changes of several numbers at once, until nothing becomes simpler."""
        before, rng = None, np.random.default_rng(0)
        while self.attempts and before != self.least:
            before = self.least
            self._pass()
            if before == self.least:
                any(self._keeps(altered(self.kept[-1], words_of(rng))) for _ in range(JUMPS * self.effort))

    def look_around(self) -> None:
        """Other games of few and simple numbers: any, and those in which one size is smaller."""
        rng = np.random.default_rng(len(self.kept[0].units))
        names = dict.fromkeys(str(q.kind) for q in questions(self.statement.instance, self.kept[-1]) if q.is_size)
        for held in ({}, *({name: k} for name in names for k in SMALLEST)):
            any(map(self._keeps, self._games(rng, held)))

    def _games(self, rng: np.random.Generator, held: Mapping[str, int]) -> Iterator[Tape]:
        for _ in range(min(GAMES * self.effort, self.attempts)):
            draw = CoarseDraw(rng)
            draw.held = dict(held)
            with contextlib.suppress(NotAnInstance):
                self.statement.instance(draw)
                yield draw.tape

    def _pass(self) -> None:
        """Each size and each integer once; then all units, halves, quarters, ..., each by itself; arrays and rows."""
        k = 0
        while self.rows and k < len(asked := questions(self.statement.instance, self.kept[-1])):
            k += not any(map(self._keeps, self._shorter(asked, k)))
        k = 0
        while k < len(self.kept[-1].integers):
            any(map(self._keeps, _smaller(self.kept[-1], k)))
            k += 1
        for part in _blocks(self.statement, self.kept[-1]):
            any(map(self._keeps, _coarser(self.kept[-1], part)))

    def _shorter(self, asked: Sequence[Question], k: int) -> Iterator[Tape]:
        """The games in which the k-th question, if it is one for a size, has a smaller answer: their first or last
        rows, or all but one."""
        if not asked[k].is_size:
            return
        old = asked[k].answer[0]
        for new in dict.fromkeys(n for n in (1, 2, *_towards(old), old - 1) if 0 < n < old):
            ends = [np.arange(new), np.arange(old - new, old)]
            for rows in ends if new < old - 1 else [np.delete(np.arange(old), i) for i in range(min(old, ROWS))][::-1]:
                draw = RowsDraw(asked, {k: new}, {(old, new): rows})
                with contextlib.suppress(NotAnInstance):
                    self.statement.instance(draw)
                    yield draw.tape

    def _keeps(self, candidate: Tape) -> bool:
        """Keep a candidate that is simpler and still refutes."""
        key = (tuple(candidate.integers), tuple(candidate.units))
        if key not in self.known and self.attempts:
            self.attempts -= 1
            self.known[key] = self._weighed(candidate)
        found = self.known.get(key)
        if found is None or found[1] >= self.least:
            return False
        self.kept.append(found[0])
        self.least = found[1]
        return True

    def _weighed(self, candidate: Tape) -> Weighed:
        """What a candidate draws and how simple that is; None where it does not refute the claim."""
        draw = LenientDraw(candidate, exact=not self.in_floats)
        with contextlib.suppress(BrokenAssumption, Undecided, ValueError, ArithmeticError):
            if self._refutes(draw, self.in_floats):
                with precision(FIRST_BITS):
                    return draw.tape, self.weigh(draw.tape, self.statement.instance(TapeDraw(draw.tape, exact=True)))
        return None

    def _refutes(self, draw: Draw, floats: bool) -> bool:
        instance = self.statement.instance(draw)
        if floats:
            return evaluated(self.statement, instance).apparent
        return _certified(self.statement, draw.tape) is not None


def _certified(statement: Statement, tape: Tape) -> Found | None:
    try:
        certificate = certify(statement, tape, SHRINK_BITS)
    except (BrokenAssumption, Undecided, ValueError):
        return None
    return (tape, certificate) if certificate.outcome in ("violated", "undefined") else None


def _towards(n: int) -> list[int]:
    """Half of n, and numbers that come ever nearer to n where it is large."""
    return [n // 2, *(n - (n >> k) for k in range(2, n.bit_length() - 4))]


def _smaller(tape: Tape, k: int) -> Iterator[Tape]:
    """The k-th integer towards 0."""
    here = tape.integers[k]
    for smaller in dict.fromkeys((0, 1, *_towards(here), here - 1)):
        if 0 <= smaller < here:
            yield Tape([*tape.integers[:k], smaller, *tape.integers[k + 1 :]], tape.units)


def words_of(rng: np.random.Generator) -> list[int]:
    """The random words that `altered` wants, and one more, its last."""
    words: list[int] = (rng.bit_generator.random_raw(2 * CHANGES + 2) & WORD).tolist()
    return words


def altered(tape: Tape, words: Sequence[int]) -> Tape:
    """A tape with a few of its numbers replaced: integers by small ones or those next to them, units by simple ones or
    by others of it."""
    integers, units, places = list(tape.integers), list(tape.units), len(tape.integers) + len(tape.units)
    for place, word in zip(words[: words[2 * CHANGES] % CHANGES + 1], words[CHANGES:], strict=False):
        k = place % max(places, 1) - len(integers)
        if k < 0:
            integers[k] = word % 5 if word & 32 else max(integers[k] + (-1, 1, -2, 2)[word % 4], 0)
        elif units:
            others = units if word & 1 else SIMPLE[word >> 1 & 1]
            units[k] = others[(word >> 2) % len(others)]
    return Tape(integers, units)


def _blocks(statement: Statement, tape: Tape) -> Iterator[slice]:
    """All units of a tape, arrays, rows of them, halves, quarters, ..., each unit by itself."""
    start, size = 0, len(tape.units)
    yield slice(0, size)
    for shape, answer, _ in questions(statement.instance, tape):
        if isinstance(shape, tuple) and len(answer) > 1:
            width = len(answer) // shape[0] if len(shape) > 1 else 1
            yield slice(start, start + len(answer))
            yield from (slice(k, k + width) for k in range(start, start + len(answer), width) if width > 1)
        start += len(answer) if isinstance(shape, tuple) else 0
    while size := size // 2:
        yield from (slice(k, k + size) for k in range(0, len(tape.units), size))


def _coarser(tape: Tape, part: slice) -> Iterator[Tape]:
    """Some units as simpler fractions: all the same, or each rounded; as those before them, or one as another is."""
    units, alone = tape.units[part], len(tape.units[part]) == 1
    known = COARSE.index(units[0]) if alone and units[0] in COARSE else len(COARSE) if alone else 7
    tried = [[coarse] * len(units) for coarse in COARSE[:known]]
    if known >= 7:
        tried += [[round(k * 2**bits / GRID) * GRID // 2**bits for k in units] for bits in ROUNDINGS]
        tried += [[k] * len(units) for k in dict.fromkeys(tape.units[:OTHERS])]
        tried += [tape.units[part.start - len(units) : part.start]] if part.start >= len(units) > 1 else []
    for new in tried:
        if new != units:
            yield Tape(tape.integers, [*tape.units[: part.start], *new, *tape.units[part.start + len(units) :]])


def cost(tape: Tape, instance: Instance | None) -> tuple[int, ...]:
    """Fewer draws and numbers that have to be told first, then fewer numbers, then fewer characters to write the
    instance down, then smaller integers drawn."""
    draws = len(tape.integers) + len(tape.units)
    if instance is None:
        return draws, 0, 0, sum(tape.integers)
    return *written(draws, encode_instance(instance)), sum(tape.integers)
