"""False siblings of the statements in papers/aruba/s6_empirical/algorithm2.py."""

import numpy as np

from arubatheory.kernel import on
from arubatheory.papers.aruba.s6_empirical import algorithm2
from tests.power.siblings.changes import lowered


def _state(x, *arguments):
    weights = algorithm2._weights(x, len(x.initial) + 1)
    values = (x.eps, x.zeta, weights, x.initial, x.final, x.gradients, x.count, *arguments)
    return weights, values


def without_the_last_regulariser(sides):
    """The sum stops at s = t - 2."""

    def false(x):
        weights, values = _state(x, 0)
        top, bottom = on(algorithm2.summed, x.eps)(*values)
        last = weights[x.count] if x.count else weights[0] - weights[0]
        return algorithm2._both_ways(
            algorithm2._squared_rates(x), (top - x.eps * x.eps * last) / (bottom - x.zeta * x.zeta * last)
        )

    return false


def the_whole_squared_distance(sides):
    def false(x):
        moved = x.final[: x.count] - x.initial[: x.count]
        top, bottom = on(algorithm2.summed, x.eps)(*_state(x, 0)[1])
        more = sum((moved * moved) / 2) if x.count else top - top
        return algorithm2._both_ways(algorithm2._squared_rates(x), (top + more) / bottom)

    return false


def nearly_the_whole_squared_distance(sides):
    """63/64 of it."""

    def false(x):
        b, g = algorithm2._after_steps(x, (x.eps - x.eps + 64) / 63)
        return algorithm2._both_ways(np.array([b / g]), np.array([x.eps / x.zeta * (x.eps / x.zeta)]))

    return false


def only(place, change):
    """The change of one of the sides."""
    return lambda sides: lambda x: (change(sides)(x)[place],)


def regularisers_out_of_step(sides):
    """That of g has the exponent's base one lower."""

    def false(x):
        weights, values = _state(x)
        b, g = on(algorithm2.trained, x.eps)(*values)
        g = g + x.zeta * x.zeta * (weights[0] - weights[x.count])
        return algorithm2._both_ways(b / g, np.array([x.eps / x.zeta * (x.eps / x.zeta)] * len(b)))

    return false


def the_present_gradient_counts(sides):
    """AdaGrad as it is published: the gradient of step i is in the rate of step i."""

    def false(x):
        found, g, seen = [], x.g, x.g / x.c
        for gradient in x.gradients:
            seen = seen + gradient * gradient
            found += algorithm2._both_ways(np.array([x.b / g]), np.array([x.b / x.c / seen]))
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
