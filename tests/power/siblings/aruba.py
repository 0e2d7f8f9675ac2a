"""False siblings of the statements in papers/aruba/s3_similarity/regret_upper_bound.py."""

from tests.power.siblings.changes import largest_g_quarter, quarter_of_the_gradient_term, reversed_inequality, with_rhs

SIBLINGS = {
    "eq:omdregret/bound": [(with_rhs(largest_g_quarter), None)],
    "eq:omdregret/convexity": [(reversed_inequality, None)],
    "eq:regret": [(with_rhs(quarter_of_the_gradient_term), None)],
}
