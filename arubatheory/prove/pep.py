r"""Performance estimation problems as PEPit states them, read exactly.

PEPit keeps every vector and every value as a combination of leaves whose coefficients are floats; rows that depend on
each other in the problem are independent after rounding, and no exact multiplier is left. Here the weight of a leaf is a
`Weight`, which carries a fraction through PEPit's own arithmetic: a float that meets one is taken for the simplest
rational near it (0.1 for 1/10), once, and everything that is derived from it agrees.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from arubatheory.prove.rationals import simplest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PEPit's docstrings hold escapes that Python deprecates
    from PEPit import PEP, Expression, Point

Key = tuple[int, ...]  # (): the number 1; (i,): value number i; (i, j) with i <= j: inner product of points i and j
Terms = dict[Key, Fraction]


class Row(NamedTuple):
    """A constraint `terms` <= 0, or = 0 for an `equality`."""

    name: str
    terms: Terms
    equality: bool = False


class Matrix(NamedTuple):
    """A matrix that must be positive semidefinite, by its entries (i, j), i <= j."""

    name: str
    size: int
    entries: dict[tuple[int, int], Terms]


class Problem(NamedTuple):
    r"""Maximise `objective` over all vectors and values that obey `rows` and `matrices`, in every dimension.

    `moved` is how far, relatively, a number of the data was moved to the rational that stands for it, and `foreign` how many
    were moved to a rational whose nearest float they are not.
    """

    points: int
    objective: Terms
    rows: tuple[Row, ...]
    matrices: tuple[Matrix, ...] = ()
    moved: float = 0.0


class Reading:
    """The floats met in reading a problem, each with the rational that it is taken for."""

    def __init__(self) -> None:
        self.known: dict[float, Fraction] = {}
        self.moved = 0.0

    def fraction(self, value: Any) -> Fraction:
        """The rational that a number stands for."""
        if isinstance(value, Weight):
            return value.value
        if isinstance(value, int | np.integer | Fraction):
            return Fraction(value)
        if (value := float(value)) not in self.known:
            found = self.known[value] = simplest(value)
            if float(found) != value:
                self.moved = max(self.moved, abs(float((found - Fraction(value)) / Fraction(value))))
        return self.known[value]


class Weight:
    """A rational weight of a leaf; it takes part in PEPit's arithmetic as a float would."""

    __slots__ = ("reading", "value")
    __array_ufunc__ = None

    def __init__(self, value: Fraction, reading: Reading) -> None:
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
def exact_leaves(reading: Reading) -> Iterator[None]:
    """Within this context PEPit's leaves carry fractions."""
    kept = {kind: kind.__init__ for kind in (Point, Expression)}

    def made(kind: Any) -> Callable[..., None]:
        def start(self: Any, *args: Any, **more: Any) -> None:
            kept[kind](self, *args, **more)
            if self.get_is_leaf():
                self.decomposition_dict = {self: Weight(Fraction(1), reading)}

        return start

    for kind in kept:
        kind.__init__ = made(kind)
    try:
        yield
    finally:
        for kind, start in kept.items():
            kind.__init__ = start


def read(pep: Any, reading: Reading) -> Problem:
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
    objective = _terms(pep.objective, reading)
    return Problem(Point.counter, objective, tuple(rows), tuple(matrices), reading.moved)


def _row(constraint: Any, reading: Reading) -> Row:
    equality = constraint.equality_or_inequality == "equality"
    return Row(str(constraint.get_name() or ""), _terms(constraint.expression, reading), equality)


def _matrix(psd: Any, name: str, reading: Reading) -> tuple[Matrix, list[Row]]:
    """The upper triangle, and that the lower one is equal to it, which PEPit demands of the values only."""
    size = psd.shape[0]
    terms = {(i, j): _terms(psd[i, j], reading) for i in range(size) for j in range(size)}
    uneven = [(i, j) for i in range(size) for j in range(i) if terms[i, j] != terms[j, i]]
    equalities = [Row(f"{name} is symmetric", difference(terms[i, j], terms[j, i]), True) for i, j in uneven]
    return Matrix(name, size, {(i, j): v for (i, j), v in terms.items() if i <= j}), equalities


def difference(a: Terms, b: Terms) -> Terms:
    """a - b."""
    found = dict(a)
    for key, value in b.items():
        found[key] = found.get(key, Fraction(0)) - value
    return {key: value for key, value in found.items() if value}


def _terms(expression: Any, reading: Reading) -> Terms:
    found: Terms = {}
    for key, value in expression.decomposition_dict.items():
        name = _key(key)
        found[name] = found.get(name, Fraction(0)) + reading.fraction(value)
    return {key: value for key, value in found.items() if value}


def _key(key: Any) -> Key:
    if isinstance(key, tuple):
        return tuple(sorted(point.counter for point in key))
    return (key.counter,) if isinstance(key, Expression) else ()


def captured(build: Callable[[], Any]) -> list[Problem]:
    """The problems that a function, such as a script of PEPit's, solves: it runs as it is, but for `PEP.solve`."""
    reading, found, solve = Reading(), [], PEP.solve

    def kept(self: Any, *args: Any, **more: Any) -> float:
        found.append(read(self, reading))
        self.wrapper = SimpleNamespace(solver_name="none")
        return float("nan")

    PEP.solve = kept
    try:
        with exact_leaves(reading):
            build()
    finally:
        PEP.solve = solve
    return found
