"""False siblings of the statements in papers/aruba/a_background/ftrlomd.py."""

from arubatheory.kernel import on
from arubatheory.learners.mirror_descent import play_greedy_ogd
from arubatheory.papers.aruba.a_background import ftrlomd
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer
from arubatheory.statements.core import Sides
from tests.power.siblings.changes import no_divergence_term, quarter_of_the_gradient_term, with_rhs


def greedy_in_place_of_lazy(sides):
    def false(x):
        played = on(play_greedy_ogd, x.phi)(x.losses, x.domain, x.phi, x.eta).actions[-1]
        return Sides(ftrlomd.ftrl_objective(x, played), ftrlomd.ftrl_objective(x, x.comparator))

    return false


def euclidean_linear_game(draw):
    return ftrlomd.linear_game(draw, regularizer=lambda draw, d, domain: Regularizer(EUCLIDEAN, draw.zeros((d, d))))


def wrong_sign_of_the_step(sides):
    def false(x):
        flipped = type(x)(**{**vars(x), "g": -x.g})
        p = ftrlomd.multiplicative_weights(flipped)
        return sides(x)._replace(lhs=ftrlomd.omd_objective(x, p))

    return false


SIBLINGS = {
    "thm:ftrlomd/ftrl": [(with_rhs(quarter_of_the_gradient_term), None), (with_rhs(no_divergence_term), None)],
    "thm:ftrlomd/omd": [(with_rhs(quarter_of_the_gradient_term), None), (with_rhs(no_divergence_term), None)],
    "text:ftrl-is-omd": [(greedy_in_place_of_lazy, euclidean_linear_game)],
    "text:multiplicative-weights": [(wrong_sign_of_the_step, None)],
}
