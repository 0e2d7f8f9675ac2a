r"""Making a certified violation easy to read: the tape of a witness, simplified as long as it still refutes.

Sizes go down first, with their rows cut or left out one by one, or not at all: the simpler outcome stays. Integers go
towards their smallest values; all units at once, blocks of them, and each by itself towards coarse fractions. Floats
judge the candidates and exact arithmetic certifies what they leave; where it does not, a step before. Where floats do
not see the violation, exact arithmetic judges each of fewer candidates. The draws that a shorter tape leaves open take
their simplest value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np

from arubatheory.arithmetic import FIRST_BITS, Undecided, precision
from arubatheory.engines.evaluation import evaluated
from arubatheory.engines.exact import BrokenAssumption, Certificate, certify
from arubatheory.engines.witness import encode_instance
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import GRID, Draw, Tape, TapeDraw
from arubatheory.problems.rows import Question, RowsDraw, questions
from arubatheory.statements.core import Instance, Statement

COARSE = tuple(GRID * k // 32 for k in (16, 17, 15, 18, 14, 32, 0, 8, 24, 4, 12, 20, 28))
"""Units tried for any other: the middle and, on a scale of 64 octaves, 4, 1/4, 16, 1/16; the ends, quarters,
eighths."""
ROUNDINGS = (1, 2, 3, 4, 6, 8, 12, 16)  # bits that are left of a unit
ROWS = 48  # of a game that are left out one by one
ATTEMPTS, EXACT_ATTEMPTS = 500, 100
SHRINK_BITS = 512
Found = tuple[Tape, Certificate]


def simplest(statement: Statement, violated: Sequence[Found]) -> Found | None:
    """The simplest of some certified violations, simplified further; None if there is none."""
    return shrink(statement, *min(violated, key=lambda found: cost(found[0], found[1].instance))) if violated else None


def shrink(statement: Statement, tape: Tape, certificate: Certificate) -> Found:
    """The simplest tape that a greedy descent reaches from `tape`, which `certificate` says refutes the claim."""
    with np.errstate(all="ignore"):
        runs = [_Simplifying(statement, tape, certificate, rows) for rows in (True, False)]
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
    still be tried; `rows`: games are cut before other numbers become simpler."""

    def __init__(self, statement: Statement, tape: Tape, certificate: Certificate, rows: bool) -> None:
        self.rows = rows
        self.statement, self.kept, self.least = statement, [tape], cost(tape, certificate.instance)
        self.in_floats = certificate.outcome == "violated" and self._refutes(TapeDraw(tape), floats=True)
        self.attempts = ATTEMPTS if self.in_floats else EXACT_ATTEMPTS

    def descend(self) -> None:
        """Pass after pass, until nothing becomes simpler."""
        before = None
        while self.attempts and before != self.least:
            before = self.least
            self._pass()

    def _pass(self) -> None:
        """Each size and each integer once; then all units, halves, quarters, ..., each by itself."""
        k = 0
        while self.rows and k < len(asked := questions(self.statement.instance, self.kept[-1])):
            k += not any(map(self._keeps, self._shorter(asked, k)))
        k = 0
        while k < len(self.kept[-1].integers):
            any(map(self._keeps, _smaller(self.kept[-1], k)))
            k += 1
        size = len(self.kept[-1].units)
        while size:
            for start in range(0, len(self.kept[-1].units), size):
                any(map(self._keeps, _coarser(self.kept[-1], slice(start, start + size))))
            size //= 2

    def _shorter(self, asked: Sequence[Question], k: int) -> Iterator[Tape]:
        """The games in which the k-th question, if it is one for a size, has a smaller answer: their first or last
        rows, or all but one."""
        if not isinstance(asked[k].kind, str) or not asked[k].kind:
            return
        old = asked[k].answer[0]
        for new in dict.fromkeys(n for n in (1, 2, old // 2, old - 1) if 0 < n < old):
            ends = [np.arange(new), np.arange(old - new, old)]
            for rows in ends if new < old - 1 else [np.delete(np.arange(old), i) for i in range(min(old, ROWS))][::-1]:
                draw = RowsDraw(asked, {k: new}, {(old, new): rows})
                self.statement.instance(draw)
                yield draw.tape

    def _keeps(self, candidate: Tape) -> bool:
        """Keep a candidate that is simpler and still refutes."""
        if not self.attempts:
            return False
        self.attempts -= 1
        draw = LenientDraw(candidate, exact=not self.in_floats)
        try:
            if not self._refutes(draw, self.in_floats):
                return False
            with precision(FIRST_BITS):
                least = cost(draw.tape, self.statement.instance(TapeDraw(draw.tape, exact=True)))
        except (BrokenAssumption, Undecided, ValueError, ArithmeticError):
            return False
        if least >= self.least:
            return False
        self.kept.append(draw.tape)
        self.least = least
        return True

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


def _smaller(tape: Tape, k: int) -> Iterator[Tape]:
    """The k-th integer towards 0."""
    here = tape.integers[k]
    for smaller in dict.fromkeys((0, 1, here // 2, here - 1)):
        if 0 <= smaller < here:
            yield Tape([*tape.integers[:k], smaller, *tape.integers[k + 1 :]], tape.units)


def _coarser(tape: Tape, part: slice) -> Iterator[Tape]:
    """Some units as simpler fractions: all the same, or each rounded."""
    units, alone = tape.units[part], len(tape.units[part]) == 1
    known = COARSE.index(units[0]) if alone and units[0] in COARSE else len(COARSE) if alone else 7
    tried = [[coarse] * len(units) for coarse in COARSE[:known]]
    if known >= 7:
        tried += [[round(k * 2**bits / GRID) * GRID // 2**bits for k in units] for bits in ROUNDINGS]
    for new in tried:
        if new != units:
            yield Tape(tape.integers, [*tape.units[: part.start], *new, *tape.units[part.stop :]])


def cost(tape: Tape, instance: Instance | None) -> tuple[int, int, int]:
    """Fewer draws first, then fewer characters to write the instance down, then smaller integers drawn."""
    draws = len(tape.integers) + len(tape.units)
    length = 0 if instance is None else len(json.dumps(encode_instance(instance)))
    return draws, length, sum(tape.integers)
