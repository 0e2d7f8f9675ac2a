"""False siblings of the statements in papers/aruba/b_coupling/cdual_scmin.py."""

from arubatheory.problems import norms
from arubatheory.statements import functions


def norm_in_place_of_dual(sides):
    def false(i):
        g = functions.slope_of(i.f, i.x)
        rhs = functions.root(norms.squared_norm(i.norm, g) * norms.squared_norm(i.norm, i.x - i.y))
        return sides(i)._replace(rhs=rhs)

    return false


def twice_the_growth(sides):
    """alpha in place of alpha / 2."""

    def false(i):
        s = sides(i)
        grown = i.alpha * functions.squared_norm_of(i.R, i.domain, i.x - i.minimum) / 2
        return s._replace(lhs=s.lhs + grown)

    return false


SIBLINGS = {"clm:cdual": [(norm_in_place_of_dual, None)], "clm:scmin": [(twice_the_growth, None)]}
