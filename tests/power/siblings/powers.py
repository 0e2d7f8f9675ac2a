"""False siblings of the statements in papers/aruba/d_geometry/powersum.py."""

import numpy as np

from arubatheory.papers.aruba.d_geometry import powersum as powers
from arubatheory.statements.core import Sides
from tests.power.siblings.changes import lowered


def lowered_only(which, parts, of):
    """One inequality of several, with its right-hand side lowered by parts/of of its size."""

    def change(sides):
        def false(x):
            s = tuple(sides(x))[which]
            return s._replace(rhs=s.rhs - abs(s.rhs) * parts / of)

        return false

    return change


def same_weights(sides):
    """The norm as its own dual."""

    def false(i):
        bound = powers.weighted_norm(i.a, i.x) * powers.weighted_norm(i.a, i.y)
        return Sides(i.x @ i.y, bound)

    return false


def largest_coordinate(sides):
    """max_j sqrt(a_j)|x_j| in place of the root of the sum of squares: not the norm that is dual."""

    def false(i):
        bound = max((np.sqrt(i.a) * abs(i.x)).tolist()) * powers.weighted_norm(1 / i.a, i.y)
        return Sides(i.x @ i.y, bound)

    return false


# Shares just above what separates the worst ratio from 1: log(3/2) = 0.405 and 2 log(3/2) = 0.811 for the lower bounds.
SIBLINGS = {
    "clm:powersum/lower-0": [(lowered(3, 5), None)],
    "clm:powersum/lower-1": [(lowered(1, 5), None)],
    "clm:powersum/upper": [(lowered(1, 1000), None)],
    "clm:powersum/proof-1": [
        (lowered_only(0, 1, 1000), None),
        (lowered_only(1, 1, 1000), None),
        (lowered_only(2, 1, 1000), None),
        (lowered_only(3, 1, 1000), None),
    ],
    "clm:powersum/proof-2": [(lowered_only(0, 1, 1000), None), (lowered_only(1, 1, 1000), None)],
    "clm:fourthpower": [(lowered(1, 1000), None)],
    "clm:fourthpower/proof-1": [(lowered_only(k, 1, 1000), None) for k in range(5)],
    "text:weighted-norm": [(lowered_only(0, 1, 1000), None), (lowered_only(1, 1, 1000), None)],
    "text:weighted-norm/homogeneous": [(lowered_only(0, 1, 1000), None), (lowered_only(1, 1, 1000), None)],
    "text:weighted-norm/dual": [(lowered(1, 1000), None), (same_weights, None), (largest_coordinate, None)],
    "text:weighted-norm/dual/attained": [(lowered_only(0, 1, 1000), None), (lowered_only(1, 1, 1000), None)],
}
