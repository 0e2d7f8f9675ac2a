"""False siblings of the statements in papers/aruba/s4_adaptive/matrix.py."""

from arubatheory.papers.aruba.s4_adaptive import matrix as preconditioned
from arubatheory.statements.core import equality
from tests.power.siblings.bregman import times
from tests.power.siblings.changes import with_rhs


def less_of_the_sum(step):
    """A third of the squared norms, where half of them is needed."""

    def change(x, s):
        _, played, _ = preconditioned.play(x, step)
        return s.rhs - 2 * sum(preconditioned.dual_square(x, g) for g in played) / 3

    return with_rhs(change)


def twice_the_step(sides):
    """theta - 2 H grad in place of theta - H grad."""

    def false(x):
        actions, played, _ = preconditioned.play(x, preconditioned.lazy)
        found = []
        for after, theta, g in zip(actions[1:], actions, played, strict=False):
            step = 2 * preconditioned.on(preconditioned.solve, g)(x.R.matrix, g)
            for moved, expected in zip(after, theta - step, strict=True):
                found += equality(moved, expected)
        return tuple(found)

    return false


SIBLINGS = {
    "eq:matrix/bound": [(less_of_the_sum(preconditioned.lazy), None)],
    "eq:matrix/bound/dual-norm": [(times(9, 10), None)],
    "eq:matrix/remark": [(twice_the_step, None)],
    "eq:matrix/remark/greedy": [(less_of_the_sum(preconditioned.greedy), None)],
}
