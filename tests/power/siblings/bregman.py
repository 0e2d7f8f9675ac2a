"""False siblings of the statements in papers/aruba/b_coupling/bregman.py."""

from arubatheory.learners.running_means import running_means
from arubatheory.papers.aruba.b_coupling import bregman
from arubatheory.statements.core import Sides


def times(numerator, denominator):
    """The right-hand side times numerator/denominator."""
    return lambda sides: lambda i: (lambda s: s._replace(rhs=s.rhs * numerator / denominator))(sides(i))


def plain_mean(sides):
    """The leader of unweighted losses in place of the weighted ones."""

    def false(i):
        one, other = sides(i)
        mean = running_means(i.points, i.alpha * 0 + 1, i.first)[-1]
        return one._replace(lhs=bregman.cumulative(i, i.R, mean)), other

    return false


def stronger(sides):
    """alpha in place of alpha / 2 in the quadratic term."""

    def false(i):
        s, step = sides(i), i.psi - i.phi
        return Sides(s.lhs + i.alpha * (step @ step) / 2, s.rhs)

    return false


SIBLINGS = {
    "prp:bregman/bound/corrected": [(times(1, 3), None)],
    "prp:bregman/remark/corrected": [(times(4, 5), None)],
    "prp:bregman/proof-1": [(times(9, 10), None)],
    "prp:bregman/proof-2": [(stronger, None)],
    "prp:bregman/proof-3/corrected": [(times(4, 5), None)],
    "prp:bregman/proof-4": [(plain_mean, None)],
    "text:bregman-log-regret": [(times(1, 5), None)],
    "text:bregman-log-regret/euclidean": [(times(9, 10), None)],
}
