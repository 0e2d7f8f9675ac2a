r"""A polynomial as a sum of squares times what is >= 0, exactly.

The multipliers are 1, variables >= 0, what is known to be >= 0 and products of two of these (Schmüdgen, Math. Ann. 289,
1991); each takes the squares of all combinations of monomials up to the degree of the polynomial. That is a
semidefinite program whose equations are solved exactly, and floats only choose where on them to stand: `gram` finds the
face, which a polynomial with zeros needs, and rounds.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import flint

from arubatheory.prove.products import ONE, Multiplier, Product, Ring, Terms, multipliers, plus, times
from arubatheory.prove.rationals import fraction, rational

MOST_UNKNOWNS = 1200


def squared(
    goal: Terms, known: Sequence[tuple[int, Terms]], ring: Ring, factors: int, inside: bool, steps: int, until: float
) -> list[tuple[flint.fmpq, Product]] | None:
    """Products and factors > 0 whose sum is the polynomial, with multipliers of at most so many factors, inside its
    Newton polytope or up to its degree, by so many steps of facial reduction; None where none were found, or there is
    no solver."""
    try:
        from arubatheory.prove.gram import Clock, NotProved, exactly
    except ImportError:
        return None
    size = max(map(abs, goal.values()))
    found = multipliers(goal, known, ring, factors, inside)
    unknowns = sum(len(one.basis) * (len(one.basis) + 1) // 2 for one in found)
    if unknowns > MOST_UNKNOWNS or (left := until - time.process_time()) <= 0:
        return None
    try:
        x = exactly(_dual({m: c / size for m, c in goal.items()}, found, ring), Clock(left / 2), steps).x
    except NotProved:
        return None
    return [(size * rational(c), product) for c, product in _read(found, x)]


def _pairs(one: Multiplier) -> Iterator[tuple[int, int]]:
    return itertools.combinations_with_replacement(range(len(one.basis)), 2)


def _dual(goal: Terms, found: Sequence[Multiplier], ring: Ring) -> Any:
    """The program: an unknown for each pair of monomials beside a multiplier, an equation for each monomial."""
    from arubatheory.prove.dual import RIGHT, Block, DualProgram

    rows = {m: {RIGHT: fraction(c)} for m, c in goal.items()}
    signs, blocks, k = list[int](), list[Block](), 0
    for one in found:
        entries = {}
        for i, j in _pairs(one):
            square = {plus(one.basis[i], one.basis[j]): ONE if i == j else 2 * ONE}
            for m, c in (ring.reduce(times(one.terms, square)) or {}).items():
                rows.setdefault(m, {})[k] = fraction(c)
            entries[i, j] = {k: Fraction(1)}
            k += 1
        if len(entries) == 1:
            signs.append(k - 1)
        else:
            blocks.append(Block(len(one.basis), entries))
    return DualProgram(k, tuple(signs), tuple(rows.values()), tuple(blocks), {})


def _read(found: Sequence[Multiplier], x: dict[int, Fraction]) -> Iterator[tuple[Fraction, Product]]:
    k = 0
    for one in found:
        matrix = [[Fraction(0)] * len(one.basis) for _ in one.basis]
        for i, j in _pairs(one):
            matrix[i][j] = matrix[j][i] = x.get(k, Fraction(0))
            k += 1
        for c, row in squares_of(matrix):
            square = [(m, rational(v)) for m, v in zip(one.basis, row, strict=True) if v]
            if len(square) == 1:
                yield c, Product(one.nodes, plus(one.monomial, plus(square[0][0], square[0][0])), (), {})
            else:
                yield c, Product(one.nodes, one.monomial, tuple(square), {})


def squares_of(matrix: list[list[Fraction]]) -> Iterator[tuple[Fraction, list[Fraction]]]:
    r"""Pivots $c > 0$ and rows v with $S = \sum c v v^\top$, of a matrix S that is positive semidefinite."""
    rows = [list(row) for row in matrix]
    for i in range(len(rows)):
        if c := rows[i][i]:
            v = [entry / c for entry in rows[i]]
            yield c, v
            rows = [[x - c * a * b for x, b in zip(row, v, strict=True)] for row, a in zip(rows, v, strict=True)]
