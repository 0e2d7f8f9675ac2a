"""False siblings of the statements in papers/aruba/b_coupling/coupling.py."""

from fractions import Fraction

from tests.power.siblings.leader import scaled

SIBLINGS = {
    "thm:coupling/lipschitz/corrected": [(scaled(Fraction(1, 5)), None)],
    "thm:coupling/convex/corrected": [(scaled(Fraction(1, 3)), None)],
    "thm:coupling/lipschitz/proof-1/corrected": [(scaled(Fraction(15, 16)), None)],
    "thm:coupling/lipschitz/proof-2": [(scaled(Fraction(2, 3)), None)],
    "thm:coupling/lipschitz/proof-3": [(scaled(Fraction(15, 16)), None)],
    "thm:coupling/lipschitz/proof-4": [(scaled(Fraction(2, 3)), None)],
    "thm:coupling/lipschitz/proof-5": [(scaled(Fraction(2, 5)), None)],
    "thm:coupling/convex/proof-1": [(scaled(Fraction(3, 4)), None)],
    "thm:coupling/convex/proof-2": [(scaled(Fraction(3, 4)), None)],
}
