r"""Performance estimation problems as PEPit states them, read exactly.

PEPit keeps every vector and every value as a combination of leaves whose coefficients are floats; rows that depend on
each other in the problem are independent after rounding, and no exact multiplier is left. Here the weight of a leaf is
a `Weight`, which carries a fraction through PEPit's own arithmetic: a float that meets one is taken for the simplest
rational near it (0.1 for 1/10), once, and everything that is derived from it agrees.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np

from arubatheory.prove.check_cells import plus
from arubatheory.prove.problem import GramProblem, Key, Matrix, Row, Terms
from arubatheory.prove.rationals import simplest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PEPit's docstrings hold escapes that Python deprecates
    from cvxpy.error import SolverError
    from PEPit import PEP, Expression, Point

TOLERANCES = (1e-8, 1e-10)  # asked of PEPit's solver
CLOSE, LOST = 2.0**-45, 2.0**10  # a number and its relative, each moved by at most NEAR, and a small one so much more
LONG = 1 << 16  # a denominator beyond this says that a number was no short fraction


class Floats:
    """The floats met in reading a problem, each with the rational that it is taken for."""

    def __init__(self) -> None:
        self.known: dict[float, Fraction] = {}
        self.moved = 0.0

    def fraction(self, value: Any) -> Fraction:
        """The rational that a number stands for."""
        if isinstance(value, Weight):
            return value.value
        if isinstance(value, int | np.integer):
            return Fraction(int(value))
        if (value := float(value)) not in self.known:
            found = self.known[value] = self._related(value) or simplest(value)
            if float(found) != value:
                self.moved = max(self.moved, abs(float((found - Fraction(value)) / Fraction(value))))
        return self.known[value]

    def _related(self, value: float) -> Fraction | None:
        """What a float is of a number met before, up to rounding: weights that add up to one must do so exactly."""
        near = (r for q in self.known.values() if q.denominator > LONG for r in _relatives(q))
        off = CLOSE * min(max(1.0, abs(value)), LOST * abs(value))
        return next((r for r in near if abs(float(r) - value) <= off), None)


def _relatives(number: Fraction) -> Iterator[Fraction]:
    """1 - a, 1 + a, a - 1, a^2, 1/a and the quotients of these: how the steps of methods hang together."""
    for other in (1 - number, 1 + number, number - 1):
        yield other
        if other:
            yield from (1 / other, number / other)
    yield from (1 / number, number * number)


class Weight:
    """A rational weight of a leaf; it takes part in PEPit's arithmetic as a float would."""

    __slots__ = ("reading", "value")
    __array_ufunc__ = None

    def __init__(self, value: Fraction, reading: Floats) -> None:
        self.value, self.reading = value, reading

    def _of(self, value: Fraction) -> Weight:
        return Weight(value, self.reading)

    def __mul__(self, other: Any) -> Weight:
        return self._of(self.value * self.reading.fraction(other))

    def __add__(self, other: Any) -> Weight:
        return self._of(self.value + self.reading.fraction(other))

    def __sub__(self, other: Any) -> Weight:
        return self._of(self.value - self.reading.fraction(other))

    def __rsub__(self, other: Any) -> Weight:
        return self._of(self.reading.fraction(other) - self.value)

    def __truediv__(self, other: Any) -> Weight:
        return self._of(self.value / self.reading.fraction(other))

    def __neg__(self) -> Weight:
        return self._of(-self.value)

    def __eq__(self, other: object) -> bool:
        return self.value == self.reading.fraction(other)

    __rmul__, __radd__, __hash__ = __mul__, __add__, None  # type: ignore[assignment]

    def __float__(self) -> float:
        return float(self.value)


@contextmanager
def _put(kind: Any, name: str, made: Any) -> Iterator[None]:
    """Within this context a class of PEPit's has another function of this name."""
    before = getattr(kind, name)
    setattr(kind, name, made)
    try:
        yield
    finally:
        setattr(kind, name, before)


@contextmanager
def exact_leaves(reading: Floats) -> Iterator[None]:
    """Within this context PEPit's leaves carry fractions."""

    def made(init: Callable[..., None]) -> Callable[..., None]:
        def start(self: Any, *args: Any, **more: Any) -> None:
            init(self, *args, **more)
            if self.get_is_leaf():
                self.decomposition_dict = {self: Weight(Fraction(1), reading)}

        return start

    with _put(Point, "__init__", made(Point.__init__)), _put(Expression, "__init__", made(Expression.__init__)):
        yield


def read(pep: Any, reading: Floats) -> GramProblem:
    """A problem as PEPit would send it to its solver."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        if pep.objective is None:
            pep._prepare_constraints(verbose=0)
    rows = [_row(c, reading) for c in pep._list_of_prepared_constraints if c.activated]
    matrices = []
    for number, psd in enumerate(m for m in pep._list_of_prepared_psd if m.activated):
        matrix, equalities = _matrix(psd, f"matrix {number}", reading)
        matrices.append(matrix)
        rows += equalities
    return GramProblem(Point.counter, _terms(pep.objective, reading), tuple(rows), tuple(matrices), reading.moved)


def _row(constraint: Any, reading: Floats) -> Row:
    equality = constraint.equality_or_inequality == "equality"
    return Row(str(constraint.get_name() or ""), _terms(constraint.expression, reading), equality)


def _matrix(psd: Any, name: str, reading: Floats) -> tuple[Matrix, list[Row]]:
    """The upper triangle, and that the lower one is equal to it, which PEPit demands of the values only."""
    size = psd.shape[0]
    terms = {(i, j): _terms(psd[i, j], reading) for i in range(size) for j in range(size)}
    uneven = [(i, j) for i in range(size) for j in range(i) if terms[i, j] != terms[j, i]]
    equalities = [Row(f"{name} is symmetric", plus(terms[i, j], terms[j, i], -1), True) for i, j in uneven]
    return Matrix(name, size, {(i, j): v for (i, j), v in terms.items() if i <= j}), equalities


def _terms(expression: Any, reading: Floats) -> Terms:
    found: Terms = {}
    for key, value in expression.decomposition_dict.items():
        name = _key(key)
        found[name] = found.get(name, Fraction(0)) + reading.fraction(value)
    return {key: value for key, value in found.items() if value}


def _key(key: Any) -> Key:
    if isinstance(key, tuple):
        return tuple(sorted(point.counter for point in key))
    return (key.counter,) if isinstance(key, Expression) else ()


def captured(build: Callable[[], Any]) -> list[GramProblem]:
    """The problems that a function, such as a script of PEPit's, solves: it runs as it is, but for `PEP.solve`."""
    reading, found = Floats(), list[GramProblem]()

    def kept(self: Any, *args: Any, **more: Any) -> float:
        found.append(read(self, reading))
        self.wrapper = SimpleNamespace(solver_name="none")
        return float("nan")

    with _put(PEP, "solve", kept), exact_leaves(reading):
        returned = build()
        if isinstance(returned, PEP) and not found:
            found.append(read(returned, reading))
    return found


def problem_of(given: Any) -> GramProblem:
    """The problem of a PEP, or that of a function which builds one. Raises ValueError unless there is just one."""
    if isinstance(given, PEP):
        return read(given, Floats())
    if not callable(given):
        raise TypeError(f"problem must be a PEP or a function that builds one, got {given!r}")
    if len(found := captured(given)) != 1:
        raise ValueError(f"problem must be a function that solves or returns one PEP, got {len(found)} from {given!r}")
    return found[0]


def solved_by_pepit(build: Callable[[], Any]) -> tuple[float, Any]:
    """The smallest dual value that PEPit and Clarabel find at two tolerances for the problem that a function solves
    (NaN: none), and what the function returns."""
    solve, values = PEP.solve, list[float]()

    def several(self: Any, *args: Any, **more: Any) -> float:
        for tolerance in TOLERANCES:
            asked = {"tol_gap_abs": tolerance, "tol_gap_rel": tolerance, "tol_feas": tolerance}
            with suppress(SolverError):
                value = solve(self, wrapper="cvxpy", solver="CLARABEL", verbose=0, **asked)
                values.extend([] if value is None else [float(value)])
        return min(values, default=float("nan"))

    with _put(PEP, "solve", several):
        returned = build()
    return min(values, default=float("nan")), returned
