"""False siblings of the statements in papers/aruba/f_growth/quadraticgrowth.py."""

from arubatheory.papers.aruba.f_growth import quadraticgrowth as growth
from arubatheory.papers.aruba.games.quadratic_worlds import compare, compare_flats
from tests.power.siblings.bregman import times
from tests.power.siblings.changes import with_rhs

LABEL = "prp:quadraticgrowth/"
TRUE, EMPIRICAL = LABEL + "true-by-empirical", LABEL + "empirical-by-true"


def noise_of(c):
    return 16 * c.G2 / c.m


def noise(i):
    return noise_of(compare(i))


def no_more_than_the_estimate(i, s):
    """V <= V_hat: neither noise nor a factor."""
    return (s.rhs - noise(i)) / 2


def less_noise(i, s):
    """G^2/8 in place of 16 G^2."""
    return s.rhs - noise(i) * 127 / 128


def less_than_the_measure(i, s, compared=compare):
    """15/16 in place of 2 on the other measure of similarity."""
    noise = noise_of(compared(i))
    return noise + (s.rhs - noise) * 15 / 32


def less_than_the_flat_measure(i, s):
    return less_than_the_measure(i, s, lambda i: compare_flats(i, True))


def less_flat_noise(i, s):
    """G^2/8 in place of 16 G^2."""
    return s.rhs - noise_of(compare_flats(i, True)) * 127 / 128


def a_quarter_of_the_constant(i, s):
    r"""(sqrt 2)/4 G/(alpha sqrt m) in place of sqrt 2."""
    c = compare(i)
    return growth.sharper(growth.exchanged(c._replace(G2=c.G2 / 16))).rhs


SIBLINGS = {
    TRUE: [(with_rhs(no_more_than_the_estimate), None), (with_rhs(less_than_the_measure), None)],
    TRUE + "/corrected": [(times(15, 16), None)],
    TRUE + "/tie-break/corrected": [(with_rhs(less_than_the_flat_measure), None)],
    TRUE + "/proof-1": [(times(9, 10), None)],
    TRUE + "/proof-2": [(times(9, 20), None)],
    TRUE + "/proof-3/corrected": [(times(9, 10), None)],
    EMPIRICAL: [(with_rhs(less_noise), None), (with_rhs(less_than_the_measure), None)],
    EMPIRICAL + "/corrected": [(with_rhs(a_quarter_of_the_constant), None), (times(15, 16), None)],
    EMPIRICAL + "/tie-break/corrected": [
        (with_rhs(less_than_the_flat_measure), None),
        (with_rhs(less_flat_noise), None),
    ],
    EMPIRICAL + "/proof-2": [(times(1, 40), None)],
    EMPIRICAL + "/proof-3": [(times(9, 10), None)],
    EMPIRICAL + "/proof-4": [(times(9, 20), None)],
    EMPIRICAL + "/proof-5": [(times(9, 10), None)],
}
