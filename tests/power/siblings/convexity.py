"""False siblings of the statements in papers/aruba/a_background/convexity.py."""

from arubatheory.papers.aruba.a_background import convexity
from arubatheory.statements.core import Sides
from arubatheory.statements.functions import bregman_of
from tests.power.siblings.changes import doubled_lhs


def symmetric_divergence(sides):
    return lambda x: Sides(bregman_of(x.f, x.x, x.y), bregman_of(x.f, x.y, x.x))


def no_linear_term(sides):
    return lambda x: Sides(bregman_of(x.f, x.x, x.y), bregman_of(x.f, x.z, x.y))


def unweighted_mean(sides):
    def false(x):
        mean = x.x.sum(axis=0) / len(x.x)
        return Sides(convexity.weighted_divergence(x, mean), convexity.weighted_divergence(x, x.y))

    return false


def identity_without_the_sum(sides):
    """The right side of the identity without the factor alpha_{1:n}."""

    def false(x):
        one, other = sides(x)
        total = sum(x.alpha)
        return one._replace(rhs=one.rhs / total), other._replace(lhs=other.lhs / total)

    return false


def a_tenth_more(sides):
    return lambda x: (lambda s: s._replace(lhs=11 * s.lhs / 10))(sides(x))


SIBLINGS = {
    "def:convex": [(a_tenth_more, None)],
    "def:smooth": [(a_tenth_more, None)],
    "def:bregman:app/nonnegative": [(symmetric_divergence, convexity._preserving_points)],
    "def:bregman:app/strongly-convex": [(doubled_lhs, None)],
    "def:bregman:app/strongly-smooth": [(doubled_lhs, None)],
    "def:bregman:app/convexity": [(no_linear_term, None)],
    "clm:mean/corrected": [(unweighted_mean, None)],
    "clm:mean/proof-1": [(identity_without_the_sum, None)],
}
