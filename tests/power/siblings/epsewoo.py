"""False siblings of the statements in papers/aruba/c_dynamic/ewoo.py."""

from arubatheory.kernel import on
from arubatheory.papers.aruba.games.similarity_losses import first_term
from arubatheory.problems.scalar import smaller
from tests.power.siblings.changes import lowered, with_rhs


def no_price(x, s):
    return s.rhs - s.rhs


def first_term_of(numerator, denominator, printed):
    """min{eps^2/x, n eps/d} in place of min{eps^2/x, k eps}, on the left side."""

    def change(sides):
        def false(i):
            s, mass = sides(i), sum(i.alpha)
            less = on(smaller, i.B)(i.eps / i.comparator * i.eps, numerator * i.eps / denominator) * mass
            return s._replace(lhs=s.lhs + first_term(i.eps, i.comparator, mass, printed) - less)

        return false

    return change


SIBLINGS = {
    "cor:ewoo/corrected": [(first_term_of(7, 8, 2), None), (with_rhs(no_price), None)],
    "cor:ewoo/proof-1": [(lowered(1, 16), None)],
    "cor:ewoo/proof-2": [(lowered(11, 12), None)],
    "cor:ewoo/proof-3": [(with_rhs(no_price), None)],
    "cor:ewoo/proof-4/corrected": [(first_term_of(15, 8, 2), None)],
    "eq:ewoo/regret": [(first_term_of(15, 16, 1), None), (with_rhs(no_price), None)],
}
