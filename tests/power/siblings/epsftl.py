"""False siblings of the statements in papers/aruba/b_coupling/ftl.py."""

from arubatheory.papers.aruba.b_coupling import ftl as epsftl
from arubatheory.statements.functions import root
from tests.power.siblings.bregman import times
from tests.power.siblings.changes import with_rhs


def without_the_price(i, s):
    """The coupling term alone: the losses with epsilon are not those without."""
    return s.rhs - s.rhs + epsftl._coupled(i)


def without_the_coupling(i, s):
    return s.rhs - epsftl._coupled(i)


def part_of_the_price(i, s):
    return epsftl._coupled(i) + (s.rhs - epsftl._coupled(i)) * 9 / 10


def without_epsilon(sides):
    """The leader of the losses without epsilon."""

    def false(i):
        s, mass = sides(i), sum(i.alpha)
        x = root(sum(i.alpha * i.B * i.B) / mass)
        x = x if x > i.eps else i.eps
        return s._replace(lhs=epsftl.total_regularised(i, x))

    return false


def without_epsilon_coupled(sides):
    def false(i):
        s, mass = sides(i), sum(i.alpha)
        x = root(sum(i.alpha * i.B * i.B) / mass)
        x = x if x > i.eps else i.eps
        return s._replace(lhs=epsftl.strongly_convex_total(i, x))

    return false


SIBLINGS = {
    "prp:ftl": [
        (with_rhs(without_the_price), None),
        (with_rhs(without_the_coupling), None),
        (with_rhs(part_of_the_price), None),
    ],
    "prp:ftl/proof-1": [(without_epsilon, None)],
    "prp:ftl/proof-2": [(without_epsilon_coupled, None)],
    "prp:ftl/proof-3": [(times(9, 10), None)],
    "prp:ftl/proof-4": [(times(9, 10), None)],
    "prp:ftl/proof-5": [(times(9, 10), None)],
    "prp:ftl/proof-6": [(times(1, 16), None)],
    "prp:ftl/proof-7": [(times(1, 24), None)],
    "prp:ftl/proof-8": [(times(9, 10), None)],
    "prp:ftl/proof-9": [(with_rhs(without_the_coupling), None)],
    "prp:ftl/proof-10": [(times(9, 10), None)],
    "prp:ftl/proof-11": [(times(9, 10), None)],
}
