"""False siblings of the statements in papers/aruba/s5_statistical/sampled.py."""

import math

from arubatheory.papers.aruba.s5_statistical import sampled
from arubatheory.problems.environments import Environment, atoms, self_bounding
from arubatheory.problems.losses import ABSOLUTE
from arubatheory.statements.core import Instance


def beyond(excess, bound):
    """The excess of each replicate beyond another bound."""
    return lambda chance: chance._replace(excess=excess(bound))


def deviation(constant=8.0, tasks=1, losses=1):
    r"""$\bar U/m + B(constant/(m^{losses}T^{tasks})\log(1/\delta))^{1/2}$."""

    def bound(x, upper):
        B = sampled.largest_upper(x) / math.sqrt(x.m)
        return upper / x.m + B * math.sqrt(constant / (x.m**losses * x.T**tasks) * math.log(1 / x.delta))

    return bound


def unequal_tasks(draw):
    """Two tasks whose labels are certain, before a learner that stays where it begins: nothing but Q is left to chance,
    so that the deviation is as large as it can be."""
    half = draw.array([draw.number(1, 2)] * 2).reshape(2, 1)
    E = Environment(ABSOLUTE, draw.array([3, 1]) / 4, draw.array([1]), draw.array([0, 1]).reshape(2, 1), half, half)
    T, m = draw.integer(250, 300), draw.integer(30, 50)
    return Instance(E=E, T=T, m=m, rule=sampled.STAYING, v=draw.number(0), delta=draw.number(1, 100))


def without_upper(x, upper):
    """Part 1 without the average upper bound."""
    return sampled.general_bound(0 * upper, sampled.largest_upper(x) / math.sqrt(x.m), x.T, x.m, x.delta)


def without_slack(x, upper):
    r"""Part 2 without $\bar U$, and a sixteenth of what is left."""
    rho = float(self_bounding(x.E, atoms(x.E)))
    return sampled.self_bounded_bound(without_upper(x, upper), rho, x.m, x.delta) / 16


def shrunk(x, upper):
    """A sixty-fourth of part 3."""
    return sampled.strongly_convex(x, upper) / 64


def confident(power):
    r"""The bound at $\delta^{1/power}$, claimed at $\delta$."""

    def bound(x, upper):
        return sampled.general_bound(upper, math.sqrt(x.m), x.T, x.m, float(x.delta) ** (1 / power))

    return beyond(sampled.expected_excess, bound)


def below(chance):
    """A mean that is smaller by a quarter."""
    return chance._replace(excess=lambda x, rng, n: chance.excess(x, rng, n) + 0.25)


GENERAL = [
    (beyond(sampled.expected_excess, deviation(constant=1 / 64)), unequal_tasks),
    (beyond(sampled.expected_excess, deviation(tasks=2)), unequal_tasks),
    (beyond(sampled.expected_excess, deviation(losses=3)), unequal_tasks),
    (confident(512), unequal_tasks),
    (beyond(sampled.expected_excess, without_upper), None),
]
SIBLINGS = {
    "prp:o2bexp/sampled": [(below, None)],
    "thm:o2bexp/rub/sampled": GENERAL,
    "thm:statistical/1/sampled": GENERAL,
    "thm:statistical/2/sampled": [(beyond(sampled.fresh_excess, without_slack), None)],
    "thm:statistical/3/sampled": [(beyond(sampled.expected_excess, shrunk), None)],
}
