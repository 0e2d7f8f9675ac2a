"""False siblings of the statements in papers/aruba/a_background/convexity.py."""

from arubatheory.papers.aruba.a_background import convexity
from arubatheory.statements import functions
from arubatheory.statements.core import Sides
from tests.power.siblings.changes import doubled_lhs


def symmetric_divergence(sides):
    def false(i):
        b, scale = functions.divergence(i.f, i.x, i.y)
        c, other = functions.divergence(i.f, i.y, i.x)
        return Sides(b, c, scale + other)

    return false


def euclidean_pairs(draw):
    """Both points carry a gradient."""
    i = convexity._preserving_points(draw)
    return i


def no_linear_term(sides):
    def false(i):
        far, far_scale = functions.divergence(i.f, i.z, i.y)
        near, near_scale = functions.divergence(i.f, i.x, i.y)
        return Sides(near, far, far_scale + near_scale)

    return false


def unweighted_mean(sides):
    def false(i):
        mean = i.x.sum(axis=0) / len(i.x)
        at_mean, scale = convexity._weighted_divergence(i, mean)
        at_y, other = convexity._weighted_divergence(i, i.y)
        size = abs(sum(i.alpha)) * convexity._growth_yardstick(i)
        return Sides(at_mean, at_y, scale + other + size)

    return false


def identity_without_the_sum(sides):
    """The right side of the identity without the factor alpha_{1:n}."""

    def false(i):
        one, other = sides(i)
        total = sum(i.alpha)
        return one._replace(rhs=one.rhs / total), other._replace(lhs=other.lhs / total)

    return false


def a_tenth_more(sides):
    return lambda i: (lambda s: s._replace(lhs=11 * s.lhs / 10))(sides(i))


SIBLINGS = {
    "def:convex": [(a_tenth_more, None)],
    "def:smooth": [(a_tenth_more, None)],
    "def:bregman:app/nonnegative": [(symmetric_divergence, euclidean_pairs)],
    "def:bregman:app/strongly-convex": [(doubled_lhs, None)],
    "def:bregman:app/strongly-smooth": [(doubled_lhs, None)],
    "def:bregman:app/convexity": [(no_linear_term, None)],
    "clm:mean/corrected": [(unweighted_mean, None)],
    "clm:mean/proof-1": [(identity_without_the_sum, None)],
}
