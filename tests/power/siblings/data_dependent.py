"""False siblings of the statements in papers/aruba/a_background/selfbounding.py."""

from arubatheory.papers.aruba.a_background import selfbounding as sb
from arubatheory.papers.aruba.games.samples import tail_sides
from arubatheory.papers.aruba.games.stopping import play
from tests.power.siblings.changes import lowered
from tests.power.siblings.online_to_batch import steeper


def judged(tail):
    """The sides of a tail that is made of the sequences of a game."""

    def sides(x):
        p = play(x)
        return tail_sides(tail(x, p), p.prob)

    return lambda _: sides


def at_any_level(x, p):
    """The bound at level r whatever was paid."""
    return sb.at_fixed_level(x, p._replace(paid=0 * p.paid))


def without_what_was_paid(x, p):
    """The deviation alone."""
    return sb.at_every_level(x, sb.self_bounded(x, p._replace(paid=0 * p.paid)))


def without_regret(x, p):
    """R_T replaced by 0."""
    return sb.excess_self_bounded(x, p, 0 * p.paid, 0 * p.paid)


SIBLINGS = {
    "def:selfbounding/bounded-convex": [(lowered(1, 2), None)],
    "def:selfbounding/least-squares": [(lowered(7, 8), None)],
    "text:least-squares-rho": [(lowered(7, 8), None)],
    "thm:o2bsb/fixed-level": [(judged(at_any_level), None), (steeper(6), None)],
    "thm:o2bsb/corrected": [(judged(without_what_was_paid), None)],
    "cor:o2bsb": [(judged(without_regret), None)],
    "cor:o2bsb/realised/corrected": [(judged(lambda x, p: sb.at_every_level(x, without_regret(x, p))), None)],
}
