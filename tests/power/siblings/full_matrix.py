"""False siblings of the statements in papers/aruba/d_geometry/fullmatrix.py; its rates: tests/papers/aruba."""

from arubatheory.papers.aruba.d_geometry import fullmatrix
from tests.power.siblings.bregman import times
from tests.power.siblings.changes import with_rhs


def without_the_excess(x, s):
    """What the best H and phi pay, and the price of the means."""
    return s.rhs - fullmatrix.excess(x)


def without_the_price_of_the_means(x, s):
    return fullmatrix.at(x, *fullmatrix.comparator(x))


def without_the_distance(sides):
    """The trace of the gradients' part alone."""

    def false(x):
        one, other = sides(x)
        part = fullmatrix.trace_of(fullmatrix.invert(x.H), fullmatrix.deviations(x.points[:1], x.first)[0])
        return one._replace(rhs=one.rhs - part), other

    return false


SIBLINGS = {
    "thm:fullmatrix/tar": [(times(1, 2), None)],
    "thm:fullmatrix/corrected": [(with_rhs(without_the_excess), None)],
    "thm:app:fullmatrix/proof-1": [(without_the_distance, None)],
    "thm:app:fullmatrix/proof-2/corrected": [(times(1, 16), None)],
    "thm:app:fullmatrix/proof-3/corrected": [(with_rhs(without_the_price_of_the_means), None)],
}
