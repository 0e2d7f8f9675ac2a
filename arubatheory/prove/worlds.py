r"""Vectors, values, convex functions and convex sets as unknowns: what a game of convex analysis is made of.

A `World` collects unknown vectors and numbers and what is known of them; combinations with rational weights are exact.
What may be asked of finitely many points is in the docstring of `engines.pep_games`; only necessary conditions are
stated here, so that what follows from them holds for all functions and sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from arubatheory.prove.check_cells import plus
from arubatheory.prove.problem import GramProblem, Row, Terms

Weight = int | Fraction


class Combination:
    """A combination of leaves with rational weights; of vectors or of numbers."""

    def __init__(self, terms: dict[Any, Fraction]) -> None:
        self.terms = {key: value for key, value in terms.items() if value}

    def __add__(self, other: Any) -> Any:
        return type(self)(plus(self.terms, other.terms, 1))

    def __mul__(self, weight: Weight) -> Any:
        return type(self)({key: value * weight for key, value in self.terms.items()})

    def __truediv__(self, weight: Weight) -> Any:
        return self * Fraction(1, weight)

    def __sub__(self, other: Any) -> Any:
        return self + other * -1

    def __neg__(self) -> Any:
        return self * -1

    __rmul__ = __mul__


class Number(Combination):
    """A combination of values and inner products."""


class Vector(Combination):
    """A combination of unknown vectors."""

    def __matmul__(self, other: Vector) -> Number:
        terms: Terms = {}
        for i, a in self.terms.items():
            for j, b in other.terms.items():
                key = (min(i, j), max(i, j))
                terms[key] = terms.get(key, Fraction(0)) + a * b
        return Number(terms)

    @property
    def square(self) -> Number:
        """The squared norm."""
        return self @ self


ORIGIN, NOTHING = Vector({}), Number({})


def total(forms: Sequence[Any]) -> Any:
    """The sum of one or more forms."""
    found = forms[0]
    for form in forms[1:]:
        found = found + form
    return found


class World:
    """Unknowns, and inequalities between them."""

    def __init__(self) -> None:
        self.points = self.values = 0
        self.rows: list[Row] = []

    def vector(self) -> Vector:
        """An unknown vector."""
        self.points += 1
        return Vector({self.points - 1: Fraction(1)})

    def number(self) -> Number:
        """An unknown number."""
        self.values += 1
        return Number({(self.values - 1,): Fraction(1)})

    def know(self, name: str, small: Number, large: Number) -> None:
        """That one number is at most another."""
        if terms := (small - large).terms:
            self.rows.append(Row(name, terms))

    def problem(self, left: Number, right: Number) -> GramProblem:
        """Whether left <= right: the largest left - right, which is 0 or infinite, all of it being homogeneous."""
        return GramProblem(self.points, (left - right).terms, tuple(self.rows))


class Function:
    r"""A convex function, $\alpha$-strongly convex and $\beta$-smooth if asked for, at points where it is asked for."""

    def __init__(self, world: World, name: str, alpha: Weight = 0, beta: Weight | None = None) -> None:
        self.world, self.name, self.alpha, self.beta = world, name, alpha, beta
        self.seen: list[tuple[Vector, Number, Vector]] = []

    def at(self, x: Vector) -> tuple[Number, Vector]:
        """The value and a subgradient, the same whenever they are asked for."""
        for y, value, slope in self.seen:
            if y.terms == x.terms:
                return value, slope
        value, slope = self.world.number(), self.world.vector()
        for y, other, other_slope in self.seen:
            self._above((x, value, slope), (y, other, other_slope))
            self._above((y, other, other_slope), (x, value, slope))
        self.seen.append((x, value, slope))
        return value, slope

    def _above(self, one: tuple[Vector, Number, Vector], two: tuple[Vector, Number, Vector]) -> None:
        (x, fx, _), (y, fy, gy) = one, two
        minorant = fy + gy @ (x - y)
        if self.beta is not None:
            minorant = minorant + (one[2] - gy).square / (2 * self.beta)
        elif self.alpha:
            minorant = minorant + (x - y).square * Fraction(self.alpha) * Fraction(1, 2)
        self.world.know(f"{self.name} convex", minorant, fx)

    def __call__(self, x: Vector) -> Number:
        return self.at(x)[0]

    def slope(self, x: Vector) -> Vector:
        """The subgradient."""
        return self.at(x)[1]

    def divergence(self, x: Vector, y: Vector) -> Number:
        r"""$f(x) - f(y) - \langle\nabla f(y), x - y\rangle$."""
        return self(x) - self(y) - self.slope(y) @ (x - y)


class Region:
    """A closed convex set by its points, and normal vectors at some of them."""

    def __init__(self, world: World, *members: Vector) -> None:
        self.world, self.members = world, list(members)
        self.normals: list[tuple[Vector, Vector]] = []

    def add(self, point: Vector, normal: Vector | None = None) -> Vector:
        """A point, and a vector that is normal there."""
        if normal is not None:
            self.normals.append((point, normal))
            for other in self.members:
                self.world.know("normal", normal @ (other - point), NOTHING)
        for at, known in self.normals:
            if at is not point:
                self.world.know("normal", known @ (point - at), NOTHING)
        self.members.append(point)
        return point

    def project(self, point: Vector) -> Vector:
        """The nearest point of the set."""
        nearest = self.world.vector()
        return self.add(nearest, point - nearest)

    def minimiser(self, functions: Sequence[Function], more: Any = None) -> Vector:
        """A minimiser over the set of a sum, `more` adding to its slope."""
        x = self.world.vector()
        slope = total([f.slope(x) for f in functions])
        return self.add(x, -(slope if more is None else slope + more(x)))
