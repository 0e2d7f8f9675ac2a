"""False siblings of the statements in papers/aruba/s4_adaptive/matrix.py."""

from arubatheory.papers.aruba.s4_adaptive import matrix as preconditioned
from arubatheory.statements.core import Sides
from tests.power.siblings.bregman import times
from tests.power.siblings.changes import with_rhs


def less_of_the_sum(play):
    """A third of the squared norms, where half of them is needed."""

    def change(x, s):
        _, played, _ = preconditioned._play(x, play)
        return s.rhs - 2 * sum(preconditioned._dual_square(x, g) for g in played) / 3

    return with_rhs(change)


def twice_the_step(sides):
    """theta - 2 H grad in place of theta - H grad."""

    def false(x):
        actions, played, _ = preconditioned._play(x, preconditioned._lazy)
        found, moved = list(sides(x)), preconditioned.magnitude(x.phi)
        for k, (after, theta, g) in enumerate(zip(actions[1:], actions, played, strict=False)):
            step = 2 * preconditioned.on(preconditioned.solve, g)(x.R.matrix, g)
            moved = moved + preconditioned.magnitude(step)
            for j in range(len(g)):
                at = 2 * (k * len(g) + j)
                expected, scale = theta[j] - step[j], found[at].scale + moved
                found[at], found[at + 1] = Sides(after[j], expected, scale), Sides(expected, after[j], scale)
        return tuple(found)

    return false


SIBLINGS = {
    "eq:matrix/bound": [(less_of_the_sum(preconditioned._lazy), None)],
    "eq:matrix/bound/dual-norm": [(times(9, 10), None)],
    "eq:matrix/remark": [(twice_the_step, None)],
    "eq:matrix/remark/greedy": [(less_of_the_sum(preconditioned._greedy), None)],
}
