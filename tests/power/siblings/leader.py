"""False siblings of the statements in papers/aruba/b_coupling/btl_stability.py."""

from fractions import Fraction

from arubatheory.arithmetic import is_exact


def scaled(share):
    """The right-hand side times a share of it."""

    def change(sides):
        def false(x):
            s = sides(x)
            factor = share if is_exact(s.rhs) else float(share)
            return s._replace(rhs=s.rhs * factor)

        return false

    return change


SIBLINGS = {
    "thm:ftlaogd/ftl": [(scaled(Fraction(9, 10)), None)],
    "lem:btl": [(scaled(Fraction(15, 16)), None)],
    "lem:btl/nonconvex": [(scaled(Fraction(15, 16)), None)],
    "lem:stability": [(scaled(Fraction(15, 16)), None)],
    "lem:stability/any-subgradient": [(scaled(Fraction(7, 8)), None)],
    "lem:stability/proof-1": [(scaled(Fraction(15, 16)), None)],
    "lem:stability/proof-2": [(scaled(Fraction(15, 16)), None)],
    "lem:stability/proof-3": [(scaled(Fraction(15, 16)), None)],
    "lem:stability/proof-4": [(scaled(Fraction(15, 16)), None)],
}
