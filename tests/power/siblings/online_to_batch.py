"""False siblings of the statements in papers/aruba/a_background/online_to_batch.py."""

from arubatheory.papers.aruba.a_background import online_to_batch as o2b
from arubatheory.papers.aruba.games.samples import listed, tail_sides
from arubatheory.papers.aruba.games.stopping import play
from tests.power.siblings.changes import lowered


def steeper(factor):
    """-log P(violation at delta) >= factor log(1/delta): a constant under the root that is so much smaller."""

    def change(sides):
        return lambda x: tuple(s._replace(lhs=factor * s.lhs, scale=factor * s.scale) for s in sides(x))

    return change


def without_regret(tails, sequences=listed):
    """R_T replaced by 0: a learner that never learns is no better than one that does."""

    def change(_):
        def sides(x):
            p = sequences(x)
            return tail_sides(tails(x, p._replace(paid=p.compared, least=p.compared)), p.prob)

        return sides

    return change


def slower(tails):
    """A thirty-second of max{16 G^2, 6 alpha B}: in so few rounds the last term alone is above what can happen."""
    return lambda x, p: (lambda tail: tail._replace(linear=tail.linear / 32))(tails(x, p))


def without_gain(sides):
    """The bound without R_T/T."""
    return lambda x: sides(x)._replace(rhs=sides(x).rhs - o2b.worst_regret(listed(x)) / x.T)


SMALLER = [(lowered(1, 8), None)]
SIBLINGS = {
    "prp:o2bexp": [(without_gain, None)],
    "prp:o2bexp/realised": SMALLER,
    "prp:o2bexp/proof-1": SMALLER,
    "prp:o2bexp/proof-2": [(lowered(1, 64), None)],
    "prp:o2bexp/proof-3": SMALLER,
    "prp:o2b/upper": [(steeper(6), None)],
    "prp:o2b/lower": [(steeper(6), None)],
    "cor:o2bwhp/random-iterate": [(steeper(32), None)],
    "cor:o2bwhp/average-iterate": [(without_regret(o2b._average_iterate(o2b.bounded), play), None)],
    "cor:o2bwhp/average-iterate/realised": [(steeper(96), None)],
    "cor:o2bwhp/proof-1": [(steeper(24), None)],
    "cor:o2bwhp/proof-2/corrected": [(steeper(4), None)],
    "thm:o2bsc": [(without_regret(slower(o2b._strongly_convex(o2b.bounded))), None)],
    "thm:o2bsc/realised": [(without_regret(slower(o2b._strongly_convex(o2b.realised))), None)],
}
