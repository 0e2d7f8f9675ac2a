r"""The dual of a problem with its equations solved exactly, and its numerical solution.

A proof that `objective` <= tau is the identity

    objective - tau = sum_k x_k c_k - <S, G>,

where the columns $c_k$ are the rows of the problem (x_k >= 0, or free for an equality) and minus the entries of its
matrices (whose x make up matrices that are positive semidefinite), G is the Gram matrix of the points, and S is
positive semidefinite. The coefficients of the values must agree, and those of the number 1 where tau is given: linear
equations for x. They are solved exactly, once: x is then an affine function of a few free numbers y, and whatever
rational y is taken, the identity holds. Floats look for the y at which signs and matrices are as they must be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse

from arubatheory.arithmetic import Array
from arubatheory.prove.problem import GramProblem, Key, Terms
from arubatheory.prove.rationals import echelon

try:
    import clarabel
except ImportError as error:
    raise ImportError("certificates need PEPit, of the extra prove: pip install 'arubatheory[prove]'") from error

SECONDS = 20.0  # for one program
RIGHT = -1  # the column of the right side
Vector = dict[int, Fraction]


class Block(NamedTuple):
    """A symmetric matrix, affine in x (`RIGHT`: its constant), that must be positive semidefinite."""

    size: int
    entries: dict[tuple[int, int], Vector]


class Face(NamedTuple):
    """What must vanish: columns whose x is 0, and for every block vectors v, in echelon form, with S v = 0; by their
    pivots."""

    zeros: frozenset[int]
    kernels: tuple[dict[int, Vector], ...]


class DualProgram(NamedTuple):
    """The unknowns x of a problem: which of them must be >= 0, the blocks that they make, and tau."""

    unknowns: int
    signs: tuple[int, ...]
    equations: tuple[Vector, ...]
    blocks: tuple[Block, ...]
    tau: Vector


class Reduced(NamedTuple):
    """A dual on a face: x is given by the numbers `free`, and what is left of the signs and blocks must be positive."""

    dual: DualProgram
    face: Face
    free: tuple[int, ...]
    pivots: dict[int, Vector]


class Point(NamedTuple):
    """A solution in floats, the least sign or eigenvalue where that was maximised, and the multipliers of the cones."""

    status: str
    y: Array
    room: float
    signs: Array
    blocks: list[Array]


def dual_of(problem: GramProblem, tau: Fraction | None = None) -> DualProgram:
    """The dual of a problem; a given tau is an equation more."""
    columns = columns_of(problem)
    goal = {key: {RIGHT: value} for key, value in problem.objective.items()}
    by_key: dict[Key, Vector] = goal
    for k, terms in enumerate(columns):
        for key, value in terms.items():
            by_key.setdefault(key, {})[k] = value
    equations = [row for key, row in by_key.items() if len(key) == 1]
    constant = by_key.get((), {})
    if tau is not None:
        equations.append({**constant, RIGHT: constant.get(RIGHT, Fraction(0)) - tau})
    gram = {key: _halved(row, key) for key, row in by_key.items() if len(key) == 2}
    blocks, place = [Block(problem.points, gram)], len(problem.rows)
    for matrix in problem.matrices:
        blocks.append(Block(matrix.size, {ij: {place + n: Fraction(1)} for n, ij in enumerate(matrix.entries)}))
        place += len(matrix.entries)
    signs = tuple(k for k, row in enumerate(problem.rows) if not row.equality)
    return DualProgram(place, signs, tuple(equations), tuple(blocks), _moved(constant))


def columns_of(problem: GramProblem) -> list[Terms]:
    """The terms of each unknown: the rows, then the entries (twice off the diagonal) of each matrix, negated."""
    found = [row.terms for row in problem.rows]
    for matrix in problem.matrices:
        for (i, j), terms in matrix.entries.items():
            found.append({key: -value * (1 if i == j else 2) for key, value in terms.items()})
    return found


def _moved(row: Vector) -> Vector:
    """sum_k x_k c_k - right as an affine function, the other way round for tau; and of one that is 0 the equation."""
    return {k: value if k == RIGHT else -value for k, value in row.items()}


def _halved(row: Vector, key: Key) -> Vector:
    return {k: (-value if k == RIGHT else value) / (1 + (key[0] != key[1])) for k, value in row.items()}


def _reduced(dual: DualProgram, face: Face, near: Array | None) -> Reduced:
    rows = [_without(row, face.zeros) for row in dual.equations]
    for block, kernel in zip(dual.blocks, face.kernels, strict=True):
        rows += [_moved(_without(row, face.zeros)) for v in kernel.values() for row in _products(block, v)]
    signed = set(dual.signs)
    rank = {k: (k in signed, 0.0 if near is None else -abs(near[k])) for k in range(dual.unknowns)}
    order = sorted((k for k in range(dual.unknowns) if k not in face.zeros), key=rank.__getitem__)
    pivots = echelon([row for row in rows if row], order)
    return Reduced(dual, face, tuple(k for k in order if k not in pivots), pivots)


def _without(row: Vector, zeros: frozenset[int]) -> Vector:
    return {k: value for k, value in row.items() if k not in zeros}


def _products(block: Block, v: Vector) -> Iterator[Vector]:
    """The entries of S v."""
    rows: list[Vector] = [{} for _ in range(block.size)]
    for (i, j), entry in block.entries.items():
        for a, b in {(i, j), (j, i)}:
            if b in v:
                for k, value in entry.items():
                    rows[a][k] = rows[a].get(k, Fraction(0)) + value * v[b]
    return ({k: value for k, value in row.items() if value} for row in rows)


def exact_solution(problem: Reduced, y: Sequence[Fraction]) -> Vector:
    """All x, by the free ones."""
    x = dict(zip(problem.free, y, strict=True))
    known = {**x, RIGHT: Fraction(-1)}
    solved = {p: -sum((c * known[k] for k, c in row.items()), Fraction(0)) for p, row in problem.pivots.items()}
    return {**x, **solved}


def value_at(row: Vector, x: Vector) -> Fraction:
    """An affine function at x; what is not in x is 0."""
    return sum((c * x[k] for k, c in row.items() if k in x), row.get(RIGHT, Fraction(0)))


def matrix_at(block: Block, x: Vector) -> list[list[Fraction]]:
    """A block at x."""
    found = [[Fraction(0)] * block.size for _ in range(block.size)]
    for (i, j), entry in block.entries.items():
        found[i][j] = found[j][i] = value_at(entry, x)
    return found


# floats ---------------------------------------------------------------------------------------------------------------


class Cones:
    """A dual on a face in floats: signs(y) >= 0, blocks(y) positive semidefinite, tau(y).

    Numbers that are large at `near` are solved for first. Raises ValueError if the face is empty.
    """

    def __init__(self, dual: DualProgram, face: Face, near: Array | None) -> None:
        self.problem = problem = _reduced(dual, face, near)
        self.x, self.x0 = _solution(problem)
        self.signs = [k for k in dual.signs if k not in face.zeros]
        self.left = [
            [i for i in range(block.size) if i not in kernel]
            for block, kernel in zip(dual.blocks, face.kernels, strict=True)
        ]
        parts = [[{k: Fraction(1)} for k in self.signs]]
        parts += [_upper(block, left) for block, left in zip(dual.blocks, self.left, strict=True)]
        self.maps = [self._affine(rows) for rows in parts]
        self.tau, self.tau0 = self._affine([dual.tau])

    def _affine(self, rows: Sequence[Vector]) -> tuple[sparse.csc_matrix, Array]:
        entries = [(i, k, float(c)) for i, row in enumerate(rows) for k, c in row.items() if k != RIGHT]
        over = _sparse(entries, (len(rows), self.problem.dual.unknowns))
        return over @ self.x, over @ self.x0 + np.array([float(row.get(RIGHT, 0)) for row in rows])

    def best(self, tolerance: float) -> Point:
        """The least tau."""
        return self._solve(self.tau.toarray()[0], [], False, tolerance)

    def roomiest(self, tau: float | None, tolerance: float) -> Point:
        """The y with the largest least sign or eigenvalue (at most 1), where tau(y) is at most a number."""
        bounds = [] if tau is None else [(self.tau, tau - self.tau0)]
        return self._solve(np.zeros(len(self.problem.free)), bounds, True, tolerance)

    def _solve(self, q: Array, bounds: list[tuple[sparse.csc_matrix, Array]], room: bool, tolerance: float) -> Point:
        rows, right, cones = [-self.maps[0][0]], [self.maps[0][1]], [clarabel.NonnegativeConeT(len(self.signs))]
        margins = [np.ones(len(self.signs))]
        for (matrix, constant), left in zip(self.maps[1:], self.left, strict=True):
            scale = _scales(len(left))
            rows.append(-sparse.diags(scale) @ matrix)
            right.append(scale * constant)
            margins.append((scale == 1).astype(float))
            cones.append(clarabel.PSDTriangleConeT(len(left)))
        for matrix, constant in bounds:
            rows, right, margins = [*rows, matrix], [*right, constant], [*margins, np.zeros(1)]
            cones.append(clarabel.NonnegativeConeT(1))
        a = sparse.vstack(rows)
        if room:
            a = sparse.hstack([a, sparse.csc_matrix(np.concatenate(margins)[:, None])])
            a = sparse.vstack([a, _sparse([(0, a.shape[1] - 1, 1.0)], (1, a.shape[1]))])
            right, q = [*right, np.ones(1)], np.append(q, -1.0)
            cones.append(clarabel.NonnegativeConeT(1))
        return self._read(_clarabel(q, a, np.concatenate(right), cones, tolerance), room)

    def _read(self, solution: clarabel.DefaultSolution, room: bool) -> Point:
        y, z, at = np.array(solution.x), np.array(solution.z), len(self.signs)
        blocks = []
        for left in self.left:
            n = len(left)
            blocks.append(_unpacked(z[at : at + n * (n + 1) // 2] / _scales(n), n))
            at += n * (n + 1) // 2
        count = len(self.problem.free)
        return Point(str(solution.status), y[:count], y[count] if room else 0.0, z[: len(self.signs)], blocks)

    def values(self, y: Array) -> tuple[Array, list[Array], float]:
        """The signs, the blocks and tau at y."""
        (matrix, constant), *blocks = self.maps
        shown = [_unpacked(m @ y + c, len(left)) for (m, c), left in zip(blocks, self.left, strict=True)]
        return matrix @ y + constant, shown, float((self.tau @ y + self.tau0)[0])


def _solution(problem: Reduced) -> tuple[sparse.csc_matrix, Array]:
    """x = X y + x0 in floats."""
    place = {k: i for i, k in enumerate(problem.free)}
    entries, constant = [(k, i, 1.0) for k, i in place.items()], np.zeros(problem.dual.unknowns)
    for pivot, row in problem.pivots.items():
        entries += [(pivot, place[k], -float(c)) for k, c in row.items() if k != RIGHT]
        constant[pivot] = float(row.get(RIGHT, 0))
    return _sparse(entries, (problem.dual.unknowns, len(place))), constant


def _sparse(entries: Iterable[tuple[int, int, float]], shape: tuple[int, int]) -> sparse.csc_matrix:
    entries = list(entries)
    i, j, v = zip(*entries, strict=True) if entries else ((), (), ())
    return sparse.csc_matrix((np.array(v, dtype=float), (np.array(i, dtype=int), np.array(j, dtype=int))), shape)


def _upper(block: Block, left: Sequence[int]) -> list[Vector]:
    """The upper triangle of the rows and columns that are left, column by column."""
    return [block.entries.get((i, j), {}) for b, j in enumerate(left) for i in left[: b + 1]]


def _scales(n: int) -> Array:
    """What the solver wants the entries of an upper triangle multiplied by."""
    j, i = np.tril_indices(n)
    return np.where(i == j, 1.0, np.sqrt(2.0))


def _unpacked(upper: Array, n: int) -> Array:
    found = np.zeros((n, n))
    j, i = np.tril_indices(n)
    found[i, j] = found[j, i] = upper
    return found


def _clarabel(
    q: Array, a: sparse.spmatrix, b: Array, cones: list[object], tolerance: float
) -> clarabel.DefaultSolution:
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_iter, settings.time_limit = False, 200, SECONDS
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    settings.direct_solve_method = "qdldl"  # of one thread: a process forked off one that has solved has no others
    p = sparse.csc_matrix((len(q), len(q)))
    return clarabel.DefaultSolver(p, q, sparse.csc_matrix(a), b, cones, settings).solve()
