r"""Exact multipliers for a problem, from floats: facial reduction, rounding, and an exact check.

Peyrl and Parrilo (Theoret. Comput. Sci. 409, 2008) round a solution with room on all sides and project it. Here the
projection comes first (`dual`), and room is made: half of PEPit's problems have no interior dual point, because a
vector v obeys every homogeneous constraint (all points moved together, say), so that S v = 0 in all proofs. The
multipliers of the largest room show such vectors; they are small rationals, and S v = 0 are equations more (Permenter
and Parrilo, Math. Program. 171, 2018). Whatever floats suggest, the last word is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.prove.dual import (
    Cones,
    Dual,
    Face,
    Point,
    Reduced,
    Vector,
    dual_of,
    exact_solution,
    matrix_at,
    reduced,
    value_at,
)
from arubatheory.prove.pep import Problem
from arubatheory.prove.rationals import is_semidefinite, simplest_between

TOLERANCE = 1e-10  # asked of the solver
ROOM = 1e-6  # less is none
STEPS = 8  # of facial reduction
LARGEST_DENOMINATOR = 64  # of an entry of a kernel vector
STRAY = 1e-4  # how far an entry of one may be from its rational
ROUNDINGS = tuple(Fraction(1, 10**k) for k in range(2, 16))
BLENDS = tuple(10.0**-k for k in range(13))


class NotProved(Exception):
    """No certificate was found; the message says why."""


class Multipliers(NamedTuple):
    """An exact proof that the objective is at most `tau`: all x, and the face that it was found on."""

    x: Vector
    tau: Fraction
    face: Face


def face_of(dual: Dual) -> tuple[Cones, Point]:
    """The smallest face that floats can tell, with a point that has room on it.

    Raises NotProved if there is no multiplier, or the face cannot be told.
    """
    face, near = Face(frozenset(), tuple({} for _ in dual.blocks)), None
    room = float("nan")
    for _ in range(STEPS):
        try:
            cones = Cones(reduced(dual, face, near))
        except ValueError:
            raise NotProved("the face that floats suggest holds no exact multipliers") from None
        point = cones.roomiest(None, TOLERANCE)
        room = point.room
        if room > ROOM:
            return cones, point
        if room < -1e-4:
            raise NotProved(f"there are no multipliers: the largest least eigenvalue is {room:.1e}")
        near = cones.x @ point.y + cones.x0
        if (smaller := _smaller(cones, point)) == face:
            break
        face = smaller
    raise NotProved(f"the multipliers have no interior (room {room:.1e}), and no face with rational equations is seen")


def _smaller(cones: Cones, point: Point) -> Face:
    """The face that the multipliers of the largest room point to."""
    face = cones.problem.face
    signs, blocks, _ = cones.values(point.y)
    largest = max([1e-3, *point.signs, *(np.trace(block) for block in point.blocks)])
    zeros = {k for k, z, v in zip(cones.signs, point.signs, signs, strict=True) if z > 1e-4 * largest and z > 10 * v}
    kernels = []
    for left, known, z in zip(cones.left, face.kernels, point.blocks, strict=True):
        found = _rational_range(z, 1e-4 * largest) if left else {}
        kernels.append(_joined(known, {left[p]: {left[j]: c for j, c in v.items()} for p, v in found.items()}))
    return Face(face.zeros | zeros, tuple(kernels))


def _rational_range(z: Array, threshold: float) -> dict[int, Vector]:
    """The range of a positive semidefinite matrix: vectors with small rational entries, in echelon form, by pivots.

    Those whose entries are not near such rationals are left out.
    """
    values, vectors = np.linalg.eigh(z)
    basis = vectors[:, values > threshold].T.copy()
    pivots: list[int] = []
    for i in range(len(basis)):
        row, column = divmod(int(np.argmax(abs(basis[i:]))), basis.shape[1])
        basis[[i, i + row]] = basis[[i + row, i]]
        basis[i] /= basis[i, column]
        others = np.arange(len(basis)) != i
        basis[others] -= np.outer(basis[others, column], basis[i])
        pivots.append(column)
    found = {}
    for pivot, row in zip(pivots, basis, strict=True):
        entries = {j: Fraction(float(v)).limit_denominator(LARGEST_DENOMINATOR) for j, v in enumerate(row)}
        if all(abs(float(c) - row[j]) < STRAY for j, c in entries.items()):
            found[pivot] = {j: c for j, c in entries.items() if c}
    return found


def _joined(known: dict[int, Vector], new: dict[int, Vector]) -> dict[int, Vector]:
    """Both in one echelon form: the new vectors do not touch the old pivots."""
    joined = dict(new)
    for pivot, row in known.items():
        row = dict(row)
        for other, v in new.items():
            if c := row.pop(other, None):
                for j, value in v.items():
                    if j != other:
                        row[j] = row.get(j, Fraction(0)) - c * value
        joined[pivot] = {j: c for j, c in row.items() if c}
    return joined


def proved_bound(problem: Problem, slack: Fraction, tau: float) -> Multipliers:
    """Multipliers for a bound of at most tau + slack |tau|, with tau a float near the optimum. Raises NotProved."""
    cones, inner = face_of(dual_of(problem))
    best = cones.best(TOLERANCE)
    allowed = tau + float(slack) * abs(tau)
    start, end = cones.roomiest(allowed + abs(tau) + 1e-3, TOLERANCE), best.y
    for blend in BLENDS:
        y = blend * start.y + (1 - blend) * end
        if cones.values(y)[2] <= tau + 0.9 * (allowed - tau):
            for rounded in _roundings(y):
                if (found := _exact(cones, rounded)) and found.tau <= Fraction(allowed):
                    return found
    raise NotProved("every rounding breaks a sign or an eigenvalue")


def proved_exactly(problem: Problem, tau: Fraction) -> Multipliers:
    """Multipliers for the bound tau itself, attained or not. Raises NotProved."""
    cones, inner = face_of(dual_of(problem, tau))
    for rounded in _roundings(inner.y):
        if found := _exact(cones, rounded):
            return found
    raise NotProved("every rounding breaks a sign or an eigenvalue")


def _roundings(y: Array) -> Iterator[list[Fraction]]:
    for unit in ROUNDINGS:
        yield [simplest_between(Fraction(float(v)) - unit, Fraction(float(v)) + unit) for v in y]


def _exact(cones: Cones, y: list[Fraction]) -> Multipliers | None:
    """The multipliers at y if they prove anything."""
    signs, blocks, _ = cones.values(np.array([float(v) for v in y]))
    if min(signs, default=0) < -1e-12 or any(len(b) and np.linalg.eigvalsh(b)[0] < -1e-12 for b in blocks):
        return None
    dual, x = cones.problem.dual, exact_solution(cones.problem, y)
    if any(x[k] < 0 for k in cones.signs):
        return None
    for block, left in zip(dual.blocks, cones.left, strict=True):
        matrix = matrix_at(block, x)
        if not is_semidefinite([[matrix[i][j] for j in left] for i in left]):
            return None
    return Multipliers({k: v for k, v in x.items() if v}, value_at(dual.tau, x), cones.problem.face)
