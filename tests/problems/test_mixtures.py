"""Distributions over losses: closed forms against large samples, minimisers against grids, exact against floats."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory.arithmetic import Exact, approximate
from arubatheory.kernel import on
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.mixtures import Mixture, loss_at, minimiser, random_mixture, weighted_loss

GRID = np.linspace(0, 1, 2001)


def mixture(p, base=0.0, slope=0.0, bend=0.0, corner=0.0, z=0.0):
    """A mixture in floats; each argument is one number for all losses or one for each."""
    return Mixture(np.array(p), *(np.broadcast_to(part, len(p)) + 0.0 for part in (base, slope, bend, corner, z)))


def bernoulli_distances(q):
    """|x - Z| with P(Z = 1) = q."""
    return mixture([1 - q, q], corner=1.0, z=[0.0, 1.0])


def squares(p, centres):
    """(x - Z)^2 for a Z with these values."""
    return mixture(p, bend=1.0, z=centres)


def drawn(seed, count=3, bend=False):
    return random_mixture(RandomDraw(np.random.default_rng(seed)), count, bend)


@pytest.mark.parametrize("M", [bernoulli_distances(0.3), squares([0.2, 0.8], [0.1, 0.9]), drawn(1), drawn(2)], ids=str)
def test_the_risk_is_the_mean_of_a_large_sample(M):
    n = 200_000
    seen = np.random.default_rng(0).choice(M.p.size, size=n, p=M.p / M.p.sum())
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
