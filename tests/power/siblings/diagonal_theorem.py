"""False siblings of the statements in papers/aruba/d_geometry/diagonal.py."""

from arubatheory.papers.aruba.d_geometry import diagonal as theorem
from arubatheory.papers.aruba.games import diagonal as games
from tests.power.siblings.bregman import times
from tests.power.siblings.changes import lowered, with_rhs


def without_the_start(i, s):
    return s.rhs - theorem.starting(i)


def without_the_quartic(i, s):
    """Without the terms in D^4 and G^4."""
    game = theorem.game(i)
    return s.rhs - games.learned(game, 4 + 8 / game.p, 0)


SIBLINGS = {
    "thm:diagonal/corrected": [(times(1, 500), None)],
    "thm:app:diagonal/corrected": [(times(1, 500), None)],
    "thm:app:diagonal/explicit": [(with_rhs(without_the_quartic), None), (times(1, 500), None)],
    "thm:app:diagonal/proof-1": [(lowered(1, 16), None)],
    "thm:app:diagonal/proof-2": [(lowered(1, 16), None)],
    "thm:app:diagonal/proof-3": [(with_rhs(without_the_quartic), None), (times(1, 400), None)],
    "thm:app:diagonal/proof-4": [(times(1, 4), None)],
}
