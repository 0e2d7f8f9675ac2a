"""False siblings of the statements in papers/aruba/a_background/ewoo.py."""

import numpy as np

from arubatheory.learners.ewoo_curves import CORNER
from arubatheory.problems.curves import Curves
from arubatheory.statements.core import Instance
from tests.power.siblings.changes import with_rhs


def larger_gamma(sides):
    """9/8 of the exp-concavity."""
    return lambda x: sides(Instance(**{**vars(x), "gamma": 9 * x.gamma / 8}))


def third(x, s):
    """d/(3 gamma); six rounds need 0.66 of the right side."""
    return s.rhs / 3


def no_dimension(x, s):
    """(1 + log(T + 1))/gamma in two dimensions."""
    return s.rhs / 2


def steep_triangle(draw):
    """Six equal losses on a triangle, the affine function 1 at some corners and 2^-8 or 2^-16 at others."""
    v = draw.array([draw.number(1, 1 << (8 * draw.integer(0, 2))) for _ in range(3)])
    nothing = draw.zeros(0)
    return Instance(
        kind=CORNER,
        curves=Curves(np.zeros(0, np.int64), nothing, nothing, nothing),
        low=draw.number(0),
        high=draw.number(1),
        v=np.stack([v] * 6),
        gamma=draw.positive(),
        comparator=draw.simplex(3),
    )


SIBLINGS = {
    "def:expconcave": [(larger_gamma, None)],
    "thm:ewoo": [(with_rhs(third), None), (with_rhs(no_dimension), steep_triangle)],
}
