r"""Exact multipliers for a problem, from floats: facial reduction, rounding, and an exact check.

Peyrl and Parrilo (Theoret. Comput. Sci. 409, 2008) round a solution with room on all sides and project it. Here the
projection comes first (`dual`), and room is made: half of PEPit's problems have no interior dual point, because a
vector v obeys every homogeneous constraint (all points moved together, say), so that S v = 0 in all proofs. The
multipliers of the largest room show such vectors; they are small rationals, and S v = 0 are equations more (Permenter
and Parrilo, Math. Program. 171, 2018). Whatever floats suggest, the last word is exact.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import ldexp
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.prove.certificate import SECONDS
from arubatheory.prove.dual import Cones, DualProgram, Face, Point, Vector, dual_of, exact_solution, matrix_at, value_at
from arubatheory.prove.problem import GramProblem, named
from arubatheory.prove.rationals import is_semidefinite, simplest_between

TOLERANCES = (1e-10, 1e-8)  # asked of the solver for the optimum
TOLERANCE = 1e-10  # and for room
ROOM = 1e-6  # less is none
NO_MULTIPLIERS = 1e-4  # missing room says that there are none
STEPS = 40  # of facial reduction, wrong guesses included
SEEN = 1e-4  # of the largest multiplier: less is noise
READINGS = ((1e-7, 300), (1e-6, 100), (1e-5, 60), (1e-4, 30), (1e-3, 6))  # how far an entry may be from a rational
FEW = 40  # numbers: the common denominator of more simplest rationals is long
SIMPLE = tuple(Fraction(1, 10**k) for k in range(2, 9))
BITS = (10, 14, 18, 22, 26, 30, 34, 38, 42, 46, 50)
BLENDS = tuple(10.0**-k for k in range(13))


class NotProved(Exception):
    """No certificate was found; the message says why."""


class Multipliers(NamedTuple):
    """An exact proof that the objective is at most `tau`: all x, and the face that it was found on."""

    x: Vector
    tau: Fraction
    face: Face


class Clock:
    """So many seconds, for all that goes into one certificate."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.end = seconds, time.process_time() + seconds

    def check(self) -> None:
        """Raises NotProved when they are over."""
        if time.process_time() > self.end:
            raise NotProved(f"{self.seconds:g} seconds are over")


def face_of(dual: DualProgram, clock: Clock | None = None, steps: int = STEPS) -> tuple[Cones, Point]:
    """The largest face with room on it that floats can tell in so many steps, and a point that has room.

    Raises NotProved if there are no multipliers, or the face cannot be told.
    """
    return _Descent(dual, clock or Clock(SECONDS), steps).down(Face(frozenset(), tuple({} for _ in dual.blocks)), None)


class _Descent:
    """Facial reduction, step by step; what turns out to hold no multipliers is taken back."""

    def __init__(self, dual: DualProgram, clock: Clock, steps: int) -> None:
        self.dual, self.clock, self.steps = dual, clock, steps

    def down(self, face: Face, near: Array | None) -> tuple[Cones, Point]:
        """The face below this one that has room."""
        if self.steps == 0:
            raise NotProved("no face with room was found in so many steps")
        self.steps -= 1
        self.clock.check()
        try:
            cones = Cones(self.dual, face, near)
        except ValueError:
            raise NotProved("the face that floats suggest holds no exact multipliers") from None
        point = cones.roomiest(None, TOLERANCE)
        if point.room > ROOM:
            return cones, point
        if not point.room > -NO_MULTIPLIERS:
            raise NotProved(f"there are no multipliers: the largest least eigenvalue is {point.room:.1e}")
        near, failure = cones.x @ point.y + cones.x0, f"no face is seen, and the room is {point.room:.1e}"
        for smaller in _smaller(cones, point):
            try:
                return self.down(smaller, near)
            except NotProved as error:
                failure = str(error)
        raise NotProved(failure)


def _smaller(cones: Cones, point: Point) -> Iterator[Face]:
    """Faces that the multipliers of the largest room point to, the safest guess first."""
    face = cones.problem.face
    signs, _, _ = cones.values(point.y)
    largest = max([1e-3, *point.signs, *(np.trace(block) for block in point.blocks)])
    zeros = {k for k, z, v in zip(cones.signs, point.signs, signs, strict=True) if z > SEEN * largest and z > 10 * v}
    seen = {_fingerprint(face)}
    for leading in (False, True):
        ranges = [
            _range(z, SEEN * largest, leading) if left else [] for left, z in zip(cones.left, point.blocks, strict=True)
        ]
        for stray, denominator in READINGS:
            kernels = []
            for left, known, rows in zip(cones.left, face.kernels, ranges, strict=True):
                new = _rational_rows(rows, stray, denominator)
                kernels.append(_joined(known, {left[p]: {left[j]: c for j, c in v.items()} for p, v in new.items()}))
            smaller = Face(face.zeros | zeros, tuple(kernels))
            if _fingerprint(smaller) not in seen:
                seen.add(_fingerprint(smaller))
                yield smaller


def _fingerprint(face: Face) -> str:
    return repr((sorted(face.zeros), [sorted((p, sorted(v.items())) for p, v in k.items()) for k in face.kernels]))


def _range(z: Array, threshold: float, leading: bool) -> list[tuple[int, Array]]:
    """The range of a positive semidefinite matrix in echelon form: pivots and rows. The pivots are the largest entries,
    or (`leading`) the first that are not small."""
    values, vectors = np.linalg.eigh(z)
    basis, found = vectors[:, values > threshold].T.copy(), []
    for i in range(len(basis)):
        size = abs(basis[i:])
        if leading:
            column = int(np.argmax(size.max(axis=0) > 0.03 * size.max()))
            row = int(np.argmax(size[:, column]))
        else:
            row, column = divmod(int(np.argmax(size)), basis.shape[1])
        basis[[i, i + row]] = basis[[i + row, i]]
        basis[i] /= basis[i, column]
        others = np.arange(len(basis)) != i
        basis[others] -= np.outer(basis[others, column], basis[i])
        found.append(column)
    return list(zip(found, basis, strict=True))


def _rational_rows(rows: list[tuple[int, Array]], stray: float, denominator: int) -> dict[int, Vector]:
    """The rows whose entries are near rationals with small denominators, by their pivots."""
    found = {}
    for pivot, row in rows:
        entries = {j: Fraction(float(v)).limit_denominator(denominator) for j, v in enumerate(row)}
        if all(abs(float(c) - row[j]) < stray for j, c in entries.items()):
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


class BoundSearch:
    """The proofs of a problem's bounds: its face, a point with room on it, and the least bound in floats.

    Raises NotProved if there are no multipliers, or the face cannot be told.
    """

    def __init__(self, problem: GramProblem, clock: Clock) -> None:
        self.clock = clock
        self.cones, _ = face_of(dual_of(problem), clock)
        self.ends = [self.cones.best(tolerance).y for tolerance in TOLERANCES]
        self.least = min(self.cones.values(y)[2] for y in self.ends)
        if not np.isfinite(self.least):
            raise NotProved("the solver finds no least bound")

    def at_most(self, limit: Fraction) -> Multipliers:
        """Multipliers for a bound of at most `limit`, which must be larger than the least. Raises NotProved."""
        least, most = self.least, float(limit)
        start = self.cones.roomiest(max(most, least) + abs(least) + 1e-3, TOLERANCE)
        for blend, end in product(BLENDS, self.ends):
            y = blend * start.y + (1 - blend) * end
            if self.cones.values(y)[2] <= least + 0.9 * (most - least):
                for rounded in _roundings(y):
                    self.clock.check()
                    if (found := _exact(self.cones, rounded)) and found.tau <= limit:
                        return found
        raise NotProved("every rounding breaks a sign or an eigenvalue")


def proved_exactly(problem: GramProblem, tau: Fraction, clock: Clock | None = None) -> Multipliers:
    """Multipliers for the bound tau itself, which may be attained. Raises NotProved."""
    return exactly(dual_of(problem, tau), clock)


def exactly(dual: DualProgram, clock: Clock | None = None, steps: int = STEPS) -> Multipliers:
    """Exact unknowns of a dual. Raises NotProved."""
    cones, inner = face_of(dual, clock, steps)
    for rounded in _roundings(inner.y):
        if found := _exact(cones, rounded):
            return found
    raise NotProved("every rounding breaks a sign or an eigenvalue")


def _roundings(y: Array) -> Iterator[list[Fraction]]:
    """Rationals near y: the simplest, which may be those of a closed form, then multiples of one power of two, whose
    combinations stay short however many they are."""
    if len(y) <= FEW:
        for unit in SIMPLE:
            yield [simplest_between(Fraction(float(v)) - unit, Fraction(float(v)) + unit) for v in y]
    for bits in BITS:
        yield [Fraction(round(ldexp(v, bits)), 1 << bits) for v in y.tolist()]


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


# what a certificate holds ---------------------------------------------------------------------------------------------
def data_of(problem: GramProblem, found: Multipliers, claimed: Fraction) -> dict[str, Any]:
    """What `check_certificate` reads: the rows and matrices that have multipliers, and these."""
    x, place = found.x, len(problem.rows)
    rows, matrices = [], []
    for k, row in enumerate(problem.rows):
        if k in x:
            sign = "= 0" if row.equality else "<= 0"
            rows.append({"name": row.name, "sign": sign, "terms": named(row.terms), "multiplier": str(x[k])})
    for matrix in problem.matrices:
        weights = {f"{i},{j}": str(x[place + n]) for n, (i, j) in enumerate(matrix.entries) if place + n in x}
        place += len(matrix.entries)
        if weights:
            entries = {f"{i},{j}": named(terms) for (i, j), terms in matrix.entries.items()}
            matrices.append({"name": matrix.name, "size": matrix.size, "entries": entries, "multiplier": weights})
    head = {"bound": str(found.tau), "claimed": str(claimed), "points": problem.points}
    return {**head, "objective": named(problem.objective), "rows": rows, "matrices": matrices}
