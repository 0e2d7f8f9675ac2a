"""False siblings of the statements in statements/geometry/: matrix_ftl.py, matrix_ftl_proof.py, matrix_ftl_chain.py."""

from arubatheory.papers.aruba.d_geometry import matrixftl as matrix_ftl
from arubatheory.papers.aruba.d_geometry import matrixftl_proof as matrix_ftl_proof
from arubatheory.papers.aruba.games import matrices as games
from arubatheory.statements.core import Sides
from tests.power.siblings.bregman import times
from tests.power.siblings.changes import with_rhs


def only_the_logarithm(i, s):
    """Without what epsilon and zeta cost in every round."""
    return games.coupled(i)


def only_the_logarithm_printed(i, s):
    return s.rhs - matrix_ftl.printed_bound(i, 0, games.rounds_of(i))


def without_epsilon(sides):
    """The leader of losses with 4 epsilon^2 in place of epsilon^2."""

    def false(i):
        s, (B, G) = sides(i), games.regularised_sums(i)
        other = games.shift(B, 3 * i.eps * i.eps * len(i.B2))
        X, inverted = (games.on(games.geometric, B)(a, b) for a, b in ((other, G), (G, other)))
        lhs = games.trace_of(inverted, B) + games.trace_of(X, G)
        return Sides(lhs, s.rhs, lhs + s.rhs)

    return false


def twice_the_sum_of_g(sides):
    """The leader for twice the gradients' squares."""

    def false(i):
        e, z = games.squares_of(i)
        B = (i.sigma_B**2 * sum(i.b) / 2 + e) * i.T
        G = (i.m * i.sigma_G**2 * sum(i.g) / 2 + z) * i.T
        root = matrix_ftl_proof.np.sqrt
        x = root(B / (2 * G))
        y = root(B / G) * i.x if i.near else i.x
        log = matrix_ftl_proof.np.log
        return matrix_ftl_proof._compared((sum(G * x * x) / 2, sum(B * log(x))), (sum(G * y * y) / 2, sum(B * log(y))))

    return false


def half_the_slope(sides):
    """The gradient of Tr(X^{-1} B), halved."""

    def false(i):
        s, inverted = sides(i), games.invert(i.X)
        B = matrix_ftl_proof._last(i)[0]
        at_x, slope = games.trace_of(inverted, B), games.trace_of(inverted, B, inverted, i.Y)
        return s._replace(lhs=3 * at_x / 2 - slope / 2)

    return false


def twice_as_convex(sides):
    def false(i):
        s, size = sides(i), games.spectral(i.Y - i.X)
        return s._replace(lhs=s.lhs + size * size)

    return false


def without_zeta(sides):
    """What the regularisation adds, with epsilon alone."""

    def false(i):
        one, other = sides(i)
        extra = i.zeta * i.zeta * games.trace_of(i.X) * len(i.B2)
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
