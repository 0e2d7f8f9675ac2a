"""Numbers with gradients meet sizes, matrices and linear systems as users write them."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory import Sides, log, solve, sqrt
from arubatheory.problems.duals import Dual, DualDraw, slopes_of


@pytest.mark.parametrize("bound", [lambda n: sqrt(n), lambda n: 3 * log(n + 1), lambda n: sqrt(log(n + 1) / 2)])
def test_a_root_or_a_logarithm_of_a_size_leaves_a_gradient(bound):
    g = DualDraw(np.array([0.5, 0.5]), []).unit(2)
    ratio, slope = slopes_of([Sides(sum(g) * bound(2), bound(2) + g[0])], 2)
    b, rhs = float(bound(2)), float(bound(2)) + 0.5
    assert np.allclose([ratio, *slope], [b / rhs, b / rhs - b / rhs**2, b / rhs])


def test_the_solution_of_a_linear_system_has_a_gradient():
    draw = DualDraw(np.array([0.25, 0.5]), [])
    x, y = draw.unit(2)
    first = solve(draw.array([[x, 1], [2, y]]), draw.array([1, 0]))[0]  # y / (x y - 2)
    value, slope = slopes_of([Sides(first, 0 * x)], 2)
    assert np.allclose([value, *slope], [-4 / 15, -0.25 / 1.875**2, -2 / 1.875**2])


def test_a_matrix_of_drawn_numbers_has_a_gradient():
    draw = DualDraw(np.array([0.25, 0.5]), [])
    x = draw.unit(2)
    by_columns = np.array([[x[0], 1], [2, x[1]]], dtype=object).T  # as it lies in memory
    rows = [draw.array([x[0], 2]), draw.array([1, x[1]])]
    for A in (draw.array([[x[0], 2], [1, x[1]]]), draw.array(rows), draw.array(by_columns)):
        assert A.shape == (2, 2) and all(isinstance(a, Dual) for a in A.ravel())
        side = Sides(A[0, 0] * A[1, 1] + A[0, 1] + A[1, 0], 1 + 0 * x[0])
        assert [np.asarray(v).tolist() for v in slopes_of([side], 2)] == [3.125, [0.5, 0.25]]
