"""Small parts of learners by themselves: what only steers them, or is reached by few problems."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from arubatheory.arithmetic import Exact, exact
from arubatheory.crosscheck.plain_numbers import ends
from arubatheory.kernel import on
from arubatheory.learners.ewoo_exact import _hull, _mode, _separate
from arubatheory.learners.matrix_mean import closed_mean, root_det
from arubatheory.learners.meta import printed_rate
from arubatheory.learners.trees import leaves
from arubatheory.problems.curves import LOGLINEAR, QUADRATIC, Curves


def test_the_mode_of_quadratics_is_next_to_their_mean():
    p, q = np.array([3.0, 1.0]), np.array([0.5, 1.5])
    curves = exact(Curves(np.array([QUADRATIC, QUADRATIC]), p, q, 0 * p))
    mode = ends(_mode(curves, 2, Exact(0), Exact(2)))[0]
    assert abs(mode - Fraction(3, 4)) < Fraction(1, 1000)  # (3 * 1/2 + 1 * 3/2) / 4


def test_the_mode_of_two_logarithms_is_between_them():
    curves = exact(Curves(np.array([LOGLINEAR] * 2), np.ones(2), np.array([2.0, -1.0]), np.array([0.0, 2.0])))
    mode = ends(_mode(curves, 2, Exact(Fraction(1, 8)), Exact(Fraction(15, 8))))[0]
    assert abs(mode - 1) < Fraction(1, 1000)  # 2/(2x) = 1/(2 - x)


def test_the_mode_is_an_end_where_the_sum_falls_or_rises():
    curves = exact(Curves(np.array([QUADRATIC]), np.ones(1), np.array([5.0]), np.zeros(1)))
    assert ends(_mode(curves, 1, Exact(0), Exact(2)))[0] > Fraction(199, 100)
    assert _mode(curves, 1, Exact(6), Exact(7)) == 6


def test_a_hull_contains_both_ends():
    low, high = ends(_hull(Exact(1), Exact(2)))
    assert low <= 1 and high >= 2
    assert _hull(Exact(2), Exact(2)).is_rational


def test_what_rounds_to_one_number_is_not_separate():
    assert _separate(Exact(1), Exact(2))
    assert not _separate(Exact(1), 1 + Exact(Fraction(1, 1 << 4000)))
    assert not _separate(Exact(2), Exact(1))


def test_the_root_of_a_determinant_that_rounding_takes_below_0():
    below = np.array([[1.0, 1.0], [1.0, 1.0 - 2.0**-53]])
    assert root_det(below) == 0
    assert root_det(np.array([[4.0, 0.0], [0.0, 9.0]])) == 6


def test_the_closed_mean_solves_its_equation():
    b, g = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([[5.0, -1.0], [-1.0, 1.0]])
    x = closed_mean(b, g)
    assert np.allclose(x @ g @ x, b, rtol=1e-13, atol=0)
    half = on(closed_mean, exact(b))(exact(np.array([[4.0]])), exact(np.array([[9.0]])))
    assert half[0, 0] == Fraction(2, 3)


def test_a_tree_with_a_list_of_another_length():
    for tree in ([1.0, 2.0], [1.0, 2.0, 3.0, 4.0], 5.0):
        with pytest.raises(ValueError, match="must be a list or tuple of 3"):
            leaves("tree", tree, [0.0, 0.0, 0.0])


def test_a_printed_rate_takes_parameters_below_1():
    assert printed_rate(0.5, 0.25).D == 0.5
    for D, eps in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="must be"):
            printed_rate(D, eps)
