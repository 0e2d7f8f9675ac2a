"""False siblings of the statements in papers/aruba/s6_empirical."""

from arubatheory.kernel import on
from arubatheory.learners.algorithm2 import fading_weights
from arubatheory.papers.aruba.s6_empirical import algorithm2
from arubatheory.statements.core import each_equal, equality
from tests.power.siblings.changes import lowered


def without_the_last_regulariser(sides):
    """The sum stops at s = t - 2."""

    def false(x):
        top, bottom = algorithm2.summed(x, 0)
        last = on(fading_weights, x.eps)(x.p, x.count)[-1] if x.count else x.p - x.p
        wrong = (top - x.eps * x.eps * last) / (bottom - x.zeta * x.zeta * last)
        return each_equal(algorithm2.squared_rates(x), wrong)

    return false


def the_whole_squared_distance(sides):
    def false(x):
        moved = x.final[: x.count] - x.initial[: x.count]
        top, bottom = algorithm2.summed(x, 0)
        return each_equal(algorithm2.squared_rates(x), (top + (moved * moved / 2).sum(axis=0)) / bottom)

    return false


def nearly_the_whole_squared_distance(sides):
    """63/64 of it."""
    return lambda x: algorithm2.stays(x, (x.eps - x.eps + 64) / 63)


def only(place, change):
    """The change of one of the sides."""
    return lambda sides: lambda x: (change(sides)(x)[place],)


def regularisers_out_of_step(sides):
    """That of g has the exponent's base one lower."""

    def false(x):
        w = on(fading_weights, x.eps)(x.p, len(x.initial) + 1)
        b, g = on(algorithm2.trained, x.eps)(x.eps, x.zeta, w, x.initial, x.final, x.gradients, x.count)
        g = g + x.zeta * x.zeta * (w[0] - w[x.count])
        return each_equal(b / g, [algorithm2.first_square(x)] * len(b))

    return false


def the_present_gradient_counts(sides):
    """AdaGrad as it is published: the gradient of step i is in the rate of step i."""

    def false(x):
        found, g, seen = [], x.g, x.g / x.c
        for gradient in x.gradients:
            seen = seen + gradient * gradient
            found += equality(x.b / g, x.b / x.c / seen)
            g = g + x.c * gradient * gradient
        return tuple(found)

    return false


SIBLINGS = {
    "eq:percoord": [(without_the_last_regulariser, None), (the_whole_squared_distance, None)],
    "text:one-step-maml/corrected": [(nearly_the_whole_squared_distance, None)],
    "text:one-step-maml/between": [(only(0, lowered(1, 32)), None), (only(1, lowered(1, 32)), None)],
    "text:one-step-maml/decay": [(lowered(7, 8), None)],
    "text:initial-rate": [(lowered(1, 1024), None)],
    "text:initial-rate/no-data": [(regularisers_out_of_step, None)],
    "alg:aruba/plus-plus": [(the_present_gradient_counts, None)],
    "alg:aruba/smaller-rate/corrected": [(lowered(1, 32), None)],
    "alg:aruba/fedavg/corrected": [(lowered(1, 32), None)],
    "text:adagrad-like/attained": [(lowered(1, 4), None)],
}
