"""False siblings of the statements in papers/aruba/d_geometry/opconvex.py."""

from types import SimpleNamespace

import numpy as np

from arubatheory.kernel import on
from arubatheory.papers.aruba.d_geometry import opconvex as operators
from arubatheory.problems.linear import shifted
from arubatheory.problems.matrices import inverse, product, quadratic_trace, trace, trace_product
from arubatheory.statements.core import Sides
from tests.power.siblings.changes import lowered
from tests.power.siblings.powers import lowered_only


def altered(**changes):
    """The sides of an instance with some of its parts replaced by change(instance)."""

    def change(sides):
        return lambda i: sides(SimpleNamespace(**vars(i) | {name: made(i) for name, made in changes.items()}))

    return change


def with_gap(gap):
    """A gap of the given size asked for between the two sides."""

    def change(sides):
        def false(i):
            s = sides(i)
            return s._replace(lhs=s.lhs + gap(i))

        return false

    return change


def of_function(function):
    """v'f(X)v convex for another f."""

    def change(sides):
        def false(i):
            def value(x):
                return on(trace_product, x)(i.A, function(x))

            rhs = i.t * value(i.X) + (1 - i.t) * value(i.Y)
            return Sides(value(i.t * i.X + (1 - i.t) * i.Y), rhs)

        return false

    return change


def cube(x):
    """Convex for numbers and commuting matrices, and no operator convex function."""
    return on(product, x)(on(product, x)(x, x), x)


def gap_of_squares(i):
    """t(1-t) v'(X-Y)^2v is the gap of x^2: a little more is too much."""
    step = i.X - i.Y
    return i.t * (1 - i.t) * on(trace_product, step)(i.A, on(product, step)(step, step)) * 1001 / 1000


def gap_of_inverses(i):
    """t(1-t) v'M((1-t)/X + t/Y)^{-1}Mv, M = 1/X - 1/Y, is the gap of 1/x."""
    x, y = on(inverse, i.X)(i.X), on(inverse, i.X)(i.Y)
    middle = on(inverse, x)((1 - i.t) * x + i.t * y)
    return i.t * (1 - i.t) * on(quadratic_trace, x)(i.A, x - y, middle, x - y) * 1001 / 1000


def gap_of_function(i):
    """The gaps of c x^2 and of all w/(x + s)."""

    def moved(x, s):
        return on(shifted, x)(x, s)

    curved = [SimpleNamespace(**vars(i) | {"X": moved(i.X, s), "Y": moved(i.Y, s)}) for s in i.f.shifts]
    return i.f.square[0] * gap_of_squares(i) + sum(
        w * gap_of_inverses(j) for w, j in zip(i.f.weights, curved, strict=True)
    )


def gap_of_quadratic_traces(i):
    step = i.X - i.Y
    return i.t * (1 - i.t) * on(quadratic_trace, step)(i.A, step, i.B, step) * 1001 / 1000


def indefinite(name):
    """The weight less a quarter of its trace in one direction."""

    def made(i):
        weight = getattr(i, name).copy()
        weight[0, 0] = weight[0, 0] - on(trace, weight)(weight) / 4
        return weight

    return made


def gradient_in_coordinates(sides):
    """The derivatives by the entries on and above the diagonal, taken for the gradient."""

    def false(i):
        step, upside = i.Y - i.X, on(inverse, i.X)(i.X)
        extra = on(trace_product, step)(upside, step) - (np.diagonal(upside) * np.diagonal(step)).sum()
        remainder, square = on(operators.divergence, i.X)(i.X, i.Y)
        root = np.sqrt(square)
        return Sides((remainder + extra) * (1 - root), square / 2)

    return false


SIBLINGS = {
    "clm:logdetgrad": [
        (lowered_only(0, 1, 100), None),
        (lowered_only(1, 1, 100), None),
        (gradient_in_coordinates, None),
    ],
    "clm:logdetsc": [(lowered(1, 100), None)],
    "clm:logdetsc/frobenius": [(lowered(1, 100), None)],
    "def:opconvex/inverse": [(with_gap(gap_of_inverses), None)],
    "def:opconvex/identity": [(lowered(1, 1000), None)],
    "def:opconvex/square": [(with_gap(gap_of_squares), None), (of_function(cube), None)],
    "clm:opconvex": [(with_gap(gap_of_function), None), (altered(A=indefinite("A")), None)],
    "clm:opconvex/proof-1": [(altered(A=indefinite("A")), None), (lowered_only(1, 1, 1000), None)],
    "cor:opconvex/inverse": [(with_gap(gap_of_inverses), None)],
    "cor:opconvex/linear": [(lowered(1, 1000), None)],
    "cor:trconvex": [(with_gap(gap_of_quadratic_traces), None), (altered(B=indefinite("B")), None)],
}
