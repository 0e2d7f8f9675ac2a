r"""Exact linear algebra over the rationals, and the rationals that floats stand for."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor, isfinite
from typing import Any

import flint

NEAR = Fraction(1, 1 << 47)  # a few dozen roundings of a float


def simplest(value: float, tolerance: Fraction = NEAR) -> Fraction:
    r"""The rational with the least denominator within `tolerance` |value| of a float: 1/3 for 0.3333333333333333.

    Raises ValueError for a value that is not finite.
    """
    if not isfinite(value):
        raise ValueError(f"only a finite number has a rational near it, got {value!r}")
    centre = Fraction(value)
    return simplest_between(centre - tolerance * abs(centre), centre + tolerance * abs(centre))


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    r"""The rational with the least denominator in [low, high], by continued fractions."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_between(-high, -low)
    whole = floor(low)
    if whole == low or whole + 1 <= high:
        return Fraction(whole if whole == low else whole + 1)
    return whole + 1 / simplest_between(1 / (high - whole), 1 / (low - whole))


def rational(q: Fraction | flint.fmpq) -> flint.fmpq:
    """A rational of the library."""
    return flint.fmpq(q.numerator, q.denominator)


def fraction(c: flint.fmpq) -> Fraction:
    """A rational of Python's."""
    return Fraction(int(c.p), int(c.q))


def echelon(rows: Sequence[dict[int, Any]], order: Sequence[int]) -> dict[int, dict[int, Fraction]]:
    r"""Gauss-Jordan elimination of sparse rows: for each pivot the entries of its row apart from the pivot's own 1.

    Columns are tried as pivots in the given order; a column that is not in it comes last and is never one: the right
    side. Raises ValueError for a row 0 = 1.
    """
    place = {column: i for i, column in enumerate(order)}
    last = sorted({c for row in rows for c in row} - set(place))
    columns = [*order, *last]
    place |= {column: len(order) + i for i, column in enumerate(last)}
    matrix = flint.fmpq_mat(len(rows), max(len(columns), 1))
    for i, row in enumerate(rows):
        for column, value in row.items():
            matrix[i, place[column]] = rational(value)
    reduced, rank = matrix.rref()
    found = {}
    for i in range(rank):
        entries = {c: fraction(reduced[i, j]) for j, c in enumerate(columns) if reduced[i, j] != 0}
        pivot = next(iter(entries))
        if pivot in last:
            raise ValueError("the equations contradict each other")
        del entries[pivot]
        found[pivot] = entries
    return found


def is_semidefinite(matrix: Sequence[Sequence[Fraction]]) -> bool:
    r"""Whether a symmetric matrix is positive semidefinite, by $LDL^T$: no pivot is negative, and the row of a pivot
    that is 0 is 0."""
    rows = [[*map(rational, row)] for row in matrix]
    while rows:
        pivot, *first = rows[0]
        if pivot < 0 or (pivot == 0 and any(v != 0 for v in first)):
            return False
        scaled = [v / pivot if pivot != 0 else v for v in first]
        rows = [[v - s * w for v, w in zip(r[1:], first, strict=True)] for r, s in zip(rows[1:], scaled, strict=True)]
    return True
