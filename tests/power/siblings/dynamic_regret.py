"""False siblings of the statements in papers/aruba/a_background/mokhtari.py."""

from arubatheory.papers.aruba.a_background import mokhtari
from arubatheory.statements.functions import root
from tests.power.siblings.changes import with_rhs


def four_fifths(x, s):
    return 4 * s.rhs / 5


def half_of_the_path(x, s):
    ogd = mokhtari.run(x, mokhtari._rate(x), x.h)
    return s.rhs - ogd.factor * ogd.path / 2


def without_the_rate(x, s):
    """G (D + P), without 1/(1 - rho)."""
    rate = mokhtari._rate(x)
    return s.rhs * rate / (1 + root(1 - rate))


def fourth_power_of_the_rate(x, s):
    """1/(1 - rho^4) in place of 1/(1 - rho); 1/(1 - rho^2) would be true."""
    rate = mokhtari._rate(x)
    return s.rhs / ((1 + root(1 - rate)) * (2 - rate))


SIBLINGS = {
    "thm:mokhtari/corrected": [
        (with_rhs(change), None) for change in (four_fifths, half_of_the_path, without_the_rate)
    ],
    "thm:mokhtari/source": [
        (with_rhs(change), None) for change in (four_fifths, half_of_the_path, fourth_power_of_the_rate)
    ],
}
