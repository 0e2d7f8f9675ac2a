r"""Making a certified violation easy to read: the tape of a witness, simplified as long as it still refutes.

Integers go towards their smallest values and units towards coarse fractions, greedily, one at a time; whatever the
changed tape draws is judged by exact arithmetic. The draws that a shorter tape leaves open take their simplest value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from arubatheory.arithmetic import Undecided
from arubatheory.engines.exact import BrokenAssumption, Certificate, certify
from arubatheory.engines.witness import encode_instance
from arubatheory.problems.draw import GRID, Draw, Tape
from arubatheory.statements.core import Statement

COARSE = tuple(GRID * k // 32 for k in (16, 17, 15, 18, 14, 32, 0, 8, 24, 4, 12, 20, 28))
"""Units tried for any other: the middle and, on a scale of 64 octaves, 4, 1/4, 16, 1/16; the ends, quarters,
eighths."""
ATTEMPTS = 400
SHRINK_BITS = 512


class _Lenient(Draw):
    """Reads a tape that may no longer fit: integers are clamped, missing draws take their simplest value."""

    exact = True

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._integers, self._source = iter(tape.integers), iter(tape.units)

    def integer(self, low: int, high: int) -> int:
        k = min(max(next(self._integers, low), low), high)
        self.tape.integers.append(k)
        return k

    def _units(self, n: int, centred: bool) -> list[int]:
        return [next(self._source, GRID // 2 if centred else 0) for _ in range(n)]


def shrink(statement: Statement, tape: Tape, certificate: Certificate) -> tuple[Tape, Certificate]:
    """The simplest tape that a greedy descent reaches from `tape`, which `certificate` says refutes the claim."""
    best, least, attempts = (tape, certificate), cost(tape, certificate), 0
    improved = True
    while improved and attempts < ATTEMPTS:
        improved = False
        for candidate in _simpler(best[0]):
            attempts += 1
            found = _attempt(statement, candidate)
            if found is not None and cost(*found) < least:
                best, least, improved = found, cost(*found), True
                break
            if attempts >= ATTEMPTS:
                break
    return best


def _attempt(statement: Statement, candidate: Tape) -> tuple[Tape, Certificate] | None:
    draw = _Lenient(candidate)
    try:
        statement.instance(draw)
        certificate = certify(statement, draw.tape, SHRINK_BITS)
    except (BrokenAssumption, Undecided, ValueError):
        return None
    return (draw.tape, certificate) if certificate.outcome in ("violated", "undefined") else None


def _simpler(tape: Tape) -> Iterator[Tape]:
    for i, k in enumerate(tape.integers):
        for smaller in dict.fromkeys((0, 1, k // 2, k - 1)):
            if 0 <= smaller < k:
                yield Tape([*tape.integers[:i], smaller, *tape.integers[i + 1 :]], tape.units)
    for i, k in enumerate(tape.units):
        for coarse in _coarser(k):
            yield Tape(tape.integers, [*tape.units[:i], coarse, *tape.units[i + 1 :]])


def _coarser(k: int) -> Iterator[int]:
    yield from (coarse for coarse in COARSE if coarse != k)
    for bits in (4, 6, 8, 12, 16):
        rounded = round(k * 2**bits / GRID) * GRID // 2**bits
        if rounded != k:
            yield rounded


def cost(tape: Tape, certificate: Certificate) -> tuple[int, int, int]:
    """Fewer draws first, then fewer characters to write the instance down, then smaller integers drawn."""
    draws = len(tape.integers) + len(tape.units)
    length = 0 if certificate.instance is None else len(json.dumps(encode_instance(certificate.instance)))
    return draws, length, sum(tape.integers)
