"""False siblings of the statements in papers/aruba/d_geometry/diagftl.py."""

from arubatheory.papers.aruba.games import diagonal as games
from tests.power.siblings.bregman import times
from tests.power.siblings.changes import with_rhs


def without_the_quartic(i, s):
    return s.rhs - games.learned(i, 4 + 8 / i.p, 0)


def without_the_proofs_quartic(i, s):
    return s.rhs - games.learned(i, games.proof_constants(i.p)[0], 0)


def without_the_smaller_quartic(i, s):
    return s.rhs - games.learned(i, 4 / (3 * i.p), 0)


SIBLINGS = {
    "prp:diagftl": [(with_rhs(without_the_quartic), None), (times(1, 160), None)],
    "prp:diagftl/explicit": [(with_rhs(without_the_proofs_quartic), None), (times(1, 500), None)],
    "prp:diagftl/smaller-constants": [(with_rhs(without_the_smaller_quartic), None), (times(1, 20), None)],
}
