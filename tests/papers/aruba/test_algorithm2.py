"""What section 6 says of small movements: the coordinates of Algorithm 2 compared, played by its own learner."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from arubatheory.arithmetic import exact
from arubatheory.engines.check import check
from arubatheory.engines.search import search
from arubatheory.engines.verdict import Status
from arubatheory.learners.algorithm2 import Aruba
from arubatheory.papers.aruba.s6_empirical import algorithm2
from arubatheory.problems.draw import RandomDraw

LITERAL, CORRECTED = algorithm2.less_movement, algorithm2.noisier_is_slower


def test_one_task_with_gradients_0_and_1_is_the_example_of_the_note():
    x = SimpleNamespace(eps=exact(1.0), zeta=exact(1.0), p=exact(1.0), gradients=exact(np.array([[[0.0, 1.0]]])))
    s = LITERAL.sides(x)
    assert s.lhs == 1 and 5 * s.rhs == 4


def test_the_coordinate_that_moves_less_may_have_four_times_the_rate_after_a_thousand_tasks():
    gradients = np.full((1000, 1, 2), [1.0, 0.001])
    b, g = algorithm2.descended(1.0, 1.0, 1 / np.arange(1.0, 1002.0), gradients, 2)
    assert b == pytest.approx([69.3, 7.49], rel=1e-3)
    assert np.sqrt(b / g) == pytest.approx([0.262, 1.0], rel=2e-3)


def test_descents_are_played_by_the_learner():
    for seed in range(40):
        x = LITERAL.instance(RandomDraw(np.random.default_rng(seed)))
        phi = np.zeros(2)
        rates = Aruba(phi, eps=x.eps, zeta=x.zeta, p=x.p)
        for task in x.gradients:
            theta, eta = phi.copy(), rates.start()
            for gradient in task:
                theta -= eta * gradient
                rates.see(gradient)
            rates.end(phi, theta)
        b, g = algorithm2.by_descent(x, x.gradients)
        assert rates.rates() ** 2 == pytest.approx(b / g, rel=1e-9)


@pytest.mark.parametrize("engine", [check, search])
def test_less_movement_is_no_smaller_rate_unless_the_gradients_are_no_smaller(engine):
    assert engine(LITERAL, 200, 1).status == Status.REFUTED
    assert engine(CORRECTED, 200, 1).status == Status.SURVIVED


def test_the_corrected_form_has_two_different_coordinates():
    """In most instances one of them moves less, and has the smaller rate."""
    rng = np.random.default_rng(0)
    sides = [CORRECTED.sides(CORRECTED.instance(RandomDraw(rng))) for _ in range(200)]
    assert sum(s.lhs < 0.9 * s.rhs for s in sides) > 100
