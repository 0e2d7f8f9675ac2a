"""False siblings of the statements in papers/aruba/a_background/online_to_batch.py."""

from arubatheory.papers.aruba.a_background.online_to_batch import excess, strongly_convex
from arubatheory.papers.aruba.games.samples import Tail, listed, tail_sides, worst_regret
from arubatheory.papers.aruba.games.stopping import play
from tests.power.siblings.changes import lowered


def steeper(factor):
    """-log P(violation at delta) >= factor log(1/delta): a constant under the root that is so much smaller."""
    return lambda sides: lambda x: tuple(s._replace(lhs=factor * s.lhs) for s in sides(x))


def average_iterate_without_regret(_):
    """R_T replaced by 0: a learner that never learns is no better than one that does."""

    def sides(x):
        p = play(x)
        return tail_sides(Tail(excess(x, p), 8 * x.T), p.prob)

    return sides


def slower_without_regret(_):
    """The same with a thirty-second of max{16 G^2, 6 alpha B}: in so few rounds the last term alone is above what can
    happen."""

    def sides(x):
        p = listed(x)
        tail = strongly_convex(x, p, 0 * p.paid)
        return tail_sides(tail._replace(linear=tail.linear / 32), p.prob)

    return sides


def without_gain(sides):
    """The bound without R_T/T."""
    return lambda x: sides(x)._replace(rhs=sides(x).rhs - worst_regret(listed(x)) / x.T)


SMALLER = [(lowered(1, 8), None)]
SIBLINGS = {
    "prp:o2bexp": [(without_gain, None)],
    "prp:o2bexp/expected-regret": SMALLER,
    "prp:o2bexp/proof-1": SMALLER,
    "prp:o2bexp/proof-2": [(lowered(1, 64), None)],
    "prp:o2bexp/proof-3": SMALLER,
    "prp:o2b/upper": [(steeper(6), None)],
    "prp:o2b/lower": [(steeper(6), None)],
    "cor:o2bwhp/random-iterate": [(steeper(32), None)],
    "cor:o2bwhp/average-iterate": [(average_iterate_without_regret, None)],
    "cor:o2bwhp/average-iterate/realised": [(steeper(96), None)],
    "cor:o2bwhp/proof-1": [(steeper(24), None)],
    "cor:o2bwhp/proof-2/corrected": [(steeper(4), None)],
    "thm:o2bsc": [(slower_without_regret, None)],
    "thm:o2bsc/realised": [(slower_without_regret, None)],
}
