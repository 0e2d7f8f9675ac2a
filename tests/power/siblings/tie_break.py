"""False siblings of the statements in papers/aruba/c_dynamic/tie_break.py."""

from arubatheory.kernel import on
from arubatheory.problems.scalar import smaller
from arubatheory.statements.functions import squared_norm_of, total_of
from tests.power.siblings.changes import with_rhs


def larger_modulus(sides):
    """1/7 in place of 1/8."""

    def false(i):
        s = sides(i)
        return s._replace(lhs=s.lhs + squared_norm_of(i.R, i.domain, i.x - i.y) * (8 - 7) / 56)

    return false


def smaller_end(i, s):
    """The smaller of the two values: the midpoint need not be below that."""
    return on(smaller, s.rhs)(total_of(i.losses, i.x), total_of(i.losses, i.y))


SIBLINGS = {
    "text:tie-break": [(larger_modulus, None)],
    "text:tie-break/convex": [(with_rhs(smaller_end), None)],
    "text:tie-break/outside": [(larger_modulus, None)],
}
