"""Numbers with gradients meet sizes, matrices and linear systems as users write them."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory import Instance, Sides, Statement, log, solve, sqrt
from arubatheory.engines.climb import ascend
from arubatheory.engines.trial import Record
from arubatheory.problems.draw import GRID, Tape
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


@pytest.mark.parametrize("undefined", [lambda x: sqrt(x - 2), lambda x: log(x - 2), lambda x: log(1 - x)])
def test_a_root_or_a_logarithm_without_a_value_ends_no_ascents(undefined):
    """Of the start alone nothing is known: from others the search goes on."""

    def sides(i):
        return Sides(i.x if i.x < 1 else i.x + undefined(i.x), 1)

    claim = Statement("undefined", "claim", "x", lambda draw: Instance(x=draw.real(0, 1)), sides)
    record = Record(claim, "search", 0)
    with np.errstate(all="ignore"):  # as a search has it
        nowhere, (better, tape) = (ascend(record, (0.0, Tape([], [units])), 9) for units in (GRID, GRID // 4))
    assert nowhere[1].units == [GRID] and tape.units[0] > GRID // 2 and better > 1 / 2
