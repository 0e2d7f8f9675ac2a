"""False siblings of the statements in papers/aruba/a_background/selfbounding.py."""

from arubatheory.papers.aruba.a_background import selfbounding as dd
from arubatheory.papers.aruba.a_background.online_to_batch import bounded, likely
from arubatheory.papers.aruba.games.stopping import play
from tests.power.siblings.changes import lowered
from tests.power.siblings.online_to_batch import steeper, without_regret


def at_any_level(x, p):
    """The bound at level r whatever was paid."""
    return dd._at_fixed_level(x, p._replace(paid=0 * p.paid))


def without_what_was_paid(x, p):
    """The deviation alone."""
    return dd._at_every_level(x, p._replace(paid=0 * p.paid))


SIBLINGS = {
    "def:selfbounding/bounded-convex": [(lowered(1, 2), None)],
    "def:selfbounding/least-squares": [(lowered(7, 8), None)],
    "text:least-squares-rho/bounded": [(lowered(7, 8), None)],
    "thm:o2bsb/fixed-level": [(lambda _: likely(at_any_level, play), None), (steeper(6), None)],
    "thm:o2bsb/corrected": [(lambda _: likely(without_what_was_paid, play), None)],
    "cor:o2bsb": [(without_regret(dd._excess_self_bounded(bounded, bounded), play), None)],
    "cor:o2bsb/realised/corrected": [(without_regret(dd._excess_at_every_level, play), None)],
}
