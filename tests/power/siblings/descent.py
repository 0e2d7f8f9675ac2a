"""False siblings of the statements in papers/aruba/a_background/ftlaogd.py."""

from arubatheory.papers.aruba.a_background import ftlaogd
from arubatheory.problems.constants import lipschitz_squared
from tests.power.siblings.changes import with_rhs


def slightly_less(x, s):
    """0.45 in place of 1/2: quadratics attain 1/2."""
    return 9 * s.rhs / 10


def all_curvature_at_once(x, s):
    """alpha_{1:T} in place of alpha_{1:t}."""
    return sum(lipschitz_squared(x.losses, x.domain)) / sum(ftlaogd._alpha(x)) / 2


SIBLINGS = {"thm:ftlaogd/aogd": [(with_rhs(slightly_less), None), (with_rhs(all_curvature_at_once), None)]}
