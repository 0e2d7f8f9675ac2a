"""The network's gradients against finite differences, and its parts."""

from __future__ import annotations

import numpy as np
import pytest

from practice.charnet import CharNet, correct, gradients, loss, windows

SMALL = CharNet(context=3, width=2, hidden=4, classes=7)


def test_gradients_are_those_of_finite_differences() -> None:
    rng = np.random.default_rng(0)
    theta = np.stack([SMALL.start(rng) + 0.3 * rng.normal(size=SMALL.size) for _ in range(2)])
    X, Y = rng.integers(0, 7, (2, 5, 3)), rng.integers(0, 7, (2, 5))
    found, h = gradients(SMALL, theta, X, Y, np.full_like(theta, np.nan)), 1e-6
    for k in range(2):
        steps = h * np.eye(SMALL.size)
        plus, minus = ([loss(SMALL, theta[k] + sign * e, X[k], Y[k]) for e in steps] for sign in (1, -1))
        assert found[k] == pytest.approx((np.array(plus) - minus) / (2 * h), abs=1e-8)


def test_layers_are_views_of_one_row() -> None:
    theta = np.zeros((2, SMALL.size))
    for k, part in enumerate(SMALL.views(theta)):
        part[...] = k + 1
    assert SMALL.size == 14 + 24 + 4 + 28 + 7
    assert [int(np.count_nonzero(theta[1] == k + 1)) for k in range(5)] == [14, 24, 4, 28, 7]
    first = SMALL.views(SMALL.start(np.random.default_rng(1)))
    assert not first[2].any() and not first[4].any() and all(first[k].all() for k in (0, 1, 3))


def test_windows_are_what_stands_before_each_character() -> None:
    X, Y = windows(np.array([5, 6, 7, 8]), 3)
    assert X.tolist() == [[0, 0, 5], [0, 5, 6], [5, 6, 7]] and Y.tolist() == [6, 7, 8]


def test_predictions_are_the_largest_logits() -> None:
    theta = np.zeros(SMALL.size)
    SMALL.views(theta)[4][...] = [0, 0, 0, 2, 0, 0, 0]
    X, Y = np.zeros((5, 3), int), np.array([3, 1, 3, 0, 3])
    assert correct(SMALL, theta, X, Y, block=2).tolist() == [True, False, True, False, True]
    assert loss(SMALL, theta, X[:1], Y[:1]) == pytest.approx(np.log(6 + np.exp(2)) - 2)
