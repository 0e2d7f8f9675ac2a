"""False siblings of the statements in papers/aruba/s3_similarity/fsim.py."""

from arubatheory.papers.aruba.s3_similarity import fsim
from tests.power.siblings.bregman import times
from tests.power.siblings.changes import with_rhs


def with_a_divergence(draw):
    """theta* and phi differ: then the loss is strongly convex near 0."""
    i = fsim.linear(draw)
    i.b = draw.positive()
    return i


def without_the_price(i, s):
    """Without 1/v: regret of order T^{3/5} with the same constant for all v."""
    rounds = i.comparator * 0 + len(i.B)
    eps = fsim.fifth_root(rounds)
    return (2 + fsim.np.log(2 * rounds - 1)) / (eps * eps * eps) / 4


def without_the_logarithm(i, s):
    """sqrt T min{1/v, T^{1/4}} alone."""
    rounds = i.comparator * 0 + len(i.B)
    return s.rhs - fsim.root(rounds) * (1 + fsim.np.log(rounds + 1)) / 2


SIBLINGS = {
    "eq:ewoo/square-root/corrected": [(with_rhs(without_the_logarithm), None)],
    "text:v-rule/corrected": [(times(1, 4), None), (with_rhs(without_the_price), None)],
    "text:fsim-shape/not-smooth": [(times(1, 8), None)],
    "text:fsim-shape/not-strongly-convex": [(lambda sides: sides, with_a_divergence)],
}
