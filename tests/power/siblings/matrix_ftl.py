"""False siblings of the statements in papers/aruba/d_geometry/matrixftl*.py."""

import numpy as np

from arubatheory.papers.aruba.d_geometry import matrixftl, matrixftl_proof
from arubatheory.papers.aruba.games import matrices
from arubatheory.statements.core import Sides
from tests.power.siblings.bregman import times
from tests.power.siblings.changes import with_rhs


def only_the_logarithm(x, s):
    """Without what epsilon and zeta cost in every round."""
    return matrices.coupled(x)


def only_the_logarithm_printed(x, s):
    return s.rhs - matrixftl.printed_bound(x, 0, matrices.rounds_of(x))


def without_epsilon(sides):
    """The leader of losses with 4 epsilon^2 in place of epsilon^2."""

    def false(x):
        s, (B, G) = sides(x), matrices.regularised_sums(x)
        other = matrices.shift(B, 3 * x.eps * x.eps * len(x.B2))
        X, inverted = matrices.leader(other, G)
        return Sides(matrices.trace_of(inverted, B) + matrices.trace_of(X, G), s.rhs)

    return false


def twice_the_sum_of_g(sides):
    """The leader for twice the gradients' squares."""

    def false(x):
        B, G = matrixftl_proof.diagonal_sums(x)
        leader = np.sqrt(B / (2 * G))
        other = np.sqrt(B / G) * x.x if x.near else x.x
        return Sides(*(sum(G * y * y) / 2 - sum(B * np.log(y)) for y in (leader, other)))

    return false


def half_the_slope(sides):
    """The gradient of Tr(X^{-1} B), halved."""

    def false(x):
        s, inverted, B = sides(x), matrices.invert(x.X), matrixftl_proof.last(x)[0]
        at_x, slope = matrices.trace_of(inverted, B), matrices.trace_of(inverted, B, inverted, x.Y)
        return s._replace(lhs=3 * at_x / 2 - slope / 2)

    return false


def twice_as_convex(sides):
    def false(x):
        s, size = sides(x), matrices.spectral(x.Y - x.X)
        return s._replace(lhs=s.lhs + size * size)

    return false


def without_zeta(sides):
    """What the regularisation adds, with epsilon alone."""

    def false(x):
        one, other = sides(x)
        extra = x.zeta * x.zeta * matrices.trace_of(x.X) * len(x.B2)
        return one._replace(rhs=one.rhs - extra), other

    return false


SIBLINGS = {
    "prp:matrixftl/corrected": [(with_rhs(only_the_logarithm), None), (times(1, 6), None)],
    "prp:matrixftl/one-dimensional/corrected": [(with_rhs(only_the_logarithm_printed), None)],
    "prp:matrixftl/proof-1": [(without_epsilon, None)],
    "prp:matrixftl/proof-2/corrected": [(twice_the_sum_of_g, None)],
    "prp:matrixftl/proof-3": [(half_the_slope, None)],
    "prp:matrixftl/proof-4": [(times(9, 10), None)],
    "prp:matrixftl/proof-5/corrected": [(times(2, 3), None)],
    "prp:matrixftl/proof-6/corrected": [(times(9, 10), None)],
    "prp:matrixftl/proof-7": [(times(9, 10), None)],
    "prp:matrixftl/proof-8/corrected": [(times(2, 3), None)],
    "prp:matrixftl/proof-9": [(twice_as_convex, None)],
    "prp:matrixftl/proof-10": [(times(9, 10), None)],
    "prp:matrixftl/proof-11/corrected": [(times(1, 128), None)],
    "prp:matrixftl/proof-12": [(times(9, 10), None)],
    "prp:matrixftl/proof-13": [(without_zeta, None)],
    "prp:matrixftl/proof-14/corrected": [(times(9, 10), None)],
    "prp:matrixftl/proof-15/corrected": [(times(9, 10), None)],
}
