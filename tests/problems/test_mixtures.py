"""Distributions over losses: closed forms against large samples, minimisers against grids, exact against floats."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from arubatheory.arithmetic import Exact, approximate
from arubatheory.kernel import on
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.mixtures import (
    bernoulli_distances,
    loss_at,
    minimiser,
    mixture,
    random_mixture,
    sample,
    squares,
    weighted_loss,
)

GRID = np.linspace(0, 1, 2001)


def drawn(seed, count=3, bend=False):
    return random_mixture(RandomDraw(np.random.default_rng(seed)), count, bend)


@pytest.mark.parametrize("M", [bernoulli_distances(0.3), squares([0.2, 0.8], [0.1, 0.9]), drawn(1), drawn(2)], ids=str)
def test_the_risk_is_the_mean_of_a_large_sample(M):
    n = 200_000
    seen = sample(M, np.random.default_rng(0), n)
    for x in (0.0, 0.37, 1.0):
        values = np.array([loss_at(M, k, x) for k in range(M.p.size)])
        error = values.std() / np.sqrt(n)
        assert abs(values[seen].mean() - weighted_loss(M, M.p, x)) <= 6 * max(error, 1e-12)


def test_closed_forms():
    M = bernoulli_distances(0.3)
    assert weighted_loss(M, M.p, 0.25) == pytest.approx(0.3 * 0.75 + 0.7 * 0.25)
    assert minimiser(M, M.p) == 0
    assert minimiser(bernoulli_distances(0.7), np.array([0.3, 0.7])) == 1
    M = squares([0.2, 0.8], [0.1, 0.9])
    assert minimiser(M, M.p) == pytest.approx(0.2 * 0.1 + 0.8 * 0.9)
    assert weighted_loss(M, M.p, minimiser(M, M.p)) == pytest.approx(0.2 * 0.8 * 0.8**2)
    assert weighted_loss(mixture([1.0], base=0.5), np.array([1.0]), 0.3) == 0.5


def test_no_grid_point_has_less_than_the_minimiser_and_none_left_of_it_as_little():
    for seed in range(200):
        M = drawn(seed, 1 + seed % 4)
        weights = np.random.default_rng(seed).integers(0, 3, M.p.size).astype(float)
        values = np.array([weighted_loss(M, weights, x) for x in GRID])
        x = minimiser(M, weights)
        least = weighted_loss(M, weights, x)
        assert 0 <= x <= 1 and least <= values.min() + 1e-12
        assert values[GRID < x - 1e-6].min(initial=np.inf) >= least - 1e-12


def test_drawn_losses_lie_in_the_unit_interval_and_are_convex():
    for seed in range(200):
        M = drawn(seed, 3, bend=seed % 2 == 1)
        assert M.p.sum() == pytest.approx(1)
        assert (M.bend >= 0).all() and (M.corner >= 0).all() and (seed % 2 == 0 or (M.bend > 0).all())
        for k in range(3):
            values = np.array([loss_at(M, k, x) for x in GRID])
            assert values.min() >= -1e-12 and values.max() <= 1 + 1e-12
            assert (values[2:] - 2 * values[1:-1] + values[:-2]).min() >= -1e-12


def test_exact_numbers_and_floats_agree():
    for seed in range(50):
        draw = RandomDraw(np.random.default_rng(seed))
        M = random_mixture(draw, 3)
        E = random_mixture(TapeDraw(draw.tape, exact=True), 3)
        assert sum(E.p) == 1
        x = on(minimiser, E.p)(E, E.p)
        value = on(weighted_loss, E.p)(E, E.p, x)
        assert isinstance(value, Exact)
        assert approximate(value) == pytest.approx(weighted_loss(M, M.p, minimiser(M, M.p)), abs=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mixture([0.5, 0.6]), "p must be probabilities that sum to 1, got [0.5, 0.6]"),
        (lambda: mixture([-0.5, 1.5]), "p must be probabilities"),
        (lambda: mixture([]), "p must not be empty"),
        (lambda: mixture([np.nan, 1.0]), "p must be finite"),
        (lambda: mixture([1.0], slope=np.inf), "slope must be finite, got inf"),
        (lambda: mixture([0.5, 0.5], z=[0.1, 0.2, 0.3]), "z must have a shape that broadcasts to (2,), got (3,)"),
        (lambda: mixture([1.0], bend=-1.0), "bend must not be negative, got -1.0"),
        (lambda: mixture([1.0], corner=-1.0), "corner must not be negative, got -1.0"),
        (lambda: bernoulli_distances(1.5), "q must be <= 1, got 1.5"),
        (lambda: squares([1.0], [2.0]), "centres must lie in [0, 1], got [2.0]"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mixture("x"), "p must hold real numbers, got 'x'"),
        (lambda: mixture([True]), "p must hold real numbers, got [True]"),
        (lambda: mixture([Exact(1)]), "p must be in floats, got exact numbers"),
        (lambda: mixture([1.0], slope=Fraction(1, 2)), "slope must be in floats, got exact numbers"),
        (lambda: mixture([1.0], z="a"), "z must hold real numbers, got 'a'"),
        (lambda: bernoulli_distances("a"), "q must be a real number, got 'a'"),
        (lambda: squares([1.0], [Fraction(1, 2)]), "centres must be in floats, got exact numbers"),
    ],
)
def test_what_is_not_in_floats_is_named(make, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        make()
