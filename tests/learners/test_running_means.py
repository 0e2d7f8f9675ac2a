"""FTL on Bregman divergences: the leader by brute force, exactly and in floats, for convex losses and for others."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from arubatheory.arithmetic import Exact, approximate, exact
from arubatheory.learners import bregman_ftl
from arubatheory.learners.running_means import running_means
from arubatheory.papers.aruba.b_coupling import bregman as statements
from arubatheory.papers.aruba.games.potentials import ENTROPY, QUADRATIC, QUARTIC, divergence, lipschitz, squared_norm
from arubatheory.problems.draw import RandomDraw

EPS = float(np.finfo(np.float64).eps)


def literal(points, alpha, first):
    """The definition in rationals, one sum after the other."""
    means = [[Fraction(float(x)) for x in first]]
    for t in range(1, len(points)):
        weights = [Fraction(float(a)) for a in alpha[:t]]
        rows = [[Fraction(float(x)) for x in row] for row in points[:t]]
        total = sum(weights)
        means.append([sum(w * row[j] for w, row in zip(weights, rows, strict=True)) / total for j in range(len(first))])
    return means


@given(st.integers(0, 2**32 - 1))
def test_the_actions_are_the_weighted_means_of_the_past(seed):
    rng = np.random.default_rng(seed)
    T, d = rng.integers(1, 12), rng.integers(1, 4)
    points, alpha = rng.normal(size=(T, d)), 2.0 ** rng.integers(-32, 33, T)
    first = rng.normal(size=d)
    want = literal(points, alpha, first)
    got = bregman_ftl(points, alpha, first)
    assert np.abs(got - np.array(want, dtype=float)).max() <= 2 * (T + 2) * EPS * np.abs(points).max() + EPS
    assert (
        bregman_ftl(exact(points), exact(alpha), exact(first))
        == exact(np.array([[0.0]])) + np.array([[Exact(x) for x in row] for row in want])
    ).all()


def potential(theta, kappa, phi):
    """B_R(theta || phi) of R = x^2/2 + kappa x^4/12, by its definition."""
    R = lambda x: x * x / 2 + kappa * x**4 / 12  # noqa: E731
    return R(theta) - R(phi) - (phi + kappa * phi**3 / 3) * (theta - phi)


def test_the_mean_leads_also_where_the_losses_are_not_convex():
    rng = np.random.default_rng(1)
    for _ in range(20):
        points, alpha, kappa = rng.uniform(-2, 2, 5), rng.uniform(0.1, 3, 5), 10.0
        total = lambda u: sum(a * potential(p, kappa, u) for a, p in zip(alpha, points, strict=True))  # noqa: B023, E731
        grid = np.linspace(-2, 2, 4001)
        best = grid[np.argmin([total(u) for u in grid])]
        found = minimize_scalar(total, bounds=(best - 0.01, best + 0.01), method="bounded", options={"xatol": 1e-9})
        mean = bregman_ftl(np.append(points, 0.0)[:, None], np.append(alpha, 1.0), [0.0])[-1, 0]
        assert abs(mean - found.x) < 1e-6  # the square root of rounding is what minimising can tell
    p, step = 0.9, 1e-3
    assert potential(2, 10, p - step) + potential(2, 10, p + step) < 2 * potential(2, 10, p) - 1e-6


def test_actions_do_not_see_the_future():
    rng = np.random.default_rng(2)
    points, alpha, first = rng.normal(size=(300, 2)), rng.uniform(0.1, 2, 300), np.zeros(2)
    before = bregman_ftl(points, alpha, first)
    for t in (0, 1, 64, 200):
        other, weights = points.copy(), alpha.copy()
        other[t:], weights[t:] = 17, 1e200
        assert (bregman_ftl(other, weights, first)[: t + 1] == before[: t + 1]).all()


def test_a_million_rounds_keep_their_digits():
    rng = np.random.default_rng(3)
    points, alpha = 1 + rng.random((1_000_000, 1)), np.exp(3 * rng.normal(size=1_000_000))
    total = np.cumsum(alpha.astype(np.longdouble))
    want = np.cumsum(alpha.astype(np.longdouble) * points[:, 0]) / total
    got = bregman_ftl(points, alpha, [1.0])[1:, 0]
    assert np.abs(got / want[:-1] - 1).max() < 200 * EPS


def test_weights_at_the_ends_of_the_range():
    for alpha in ([5e-324] * 4, [1e308] * 4, [1e-300, 1e300, 5e-324, 1e-300], [1e300, 5e-324, 1e-300, 1.0]):
        want = np.array(literal([[1.0], [0.0], [3.0], [2.0]], alpha, [9.0]), dtype=float)
        assert np.allclose(bregman_ftl([[1.0], [0.0], [3.0], [2.0]], alpha, [9.0]), want, rtol=16 * EPS, atol=0), alpha


def test_a_number_is_a_weight_for_every_round():
    points = [[0.0, 1.0], [2.0, 3.0], [4.0, -5.0]]
    assert (bregman_ftl(points, 3.0, [7.0, 7.0]) == [[7, 7], [0, 1], [1, 2]]).all()
    assert bregman_ftl(points, [1, 2, 3], [0, 0]).shape == (3, 2)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"points": [1.0, 2.0]}, ValueError, r"points must be a non-empty array \(T, d\), got shape \(2,\)"),
        ({"points": np.zeros((0, 2))}, ValueError, "points must be a non-empty array"),
        ({"points": [[1.0, np.nan]]}, ValueError, "points must be finite"),
        ({"points": [["x", "y"]]}, TypeError, "points must hold real numbers"),
        ({"alpha": 0.0}, ValueError, "alpha must be > 0, got .*0.0.* in round 1"),
        ({"alpha": [1.0, -2.0]}, ValueError, "alpha must be > 0, got .*-2.0.* in round 2"),
        (
            {"alpha": [1.0, 1.0, 1.0]},
            ValueError,
            "alpha must be a number or have one entry for each of 2 rounds, got 3",
        ),
        ({"alpha": np.inf}, ValueError, "alpha must be finite"),
        ({"first": [1.0]}, ValueError, "first must have 2 entries, got 1"),
        ({"points": np.full((4, 2), 1.7e308)}, OverflowError, "bregman_ftl left the range"),
        ({"points": exact(np.eye(2)), "alpha": 0.5}, TypeError, "points and alpha must not mix floats and exact"),
    ],
)
def test_bad_input_is_named(change, error, message):
    with pytest.raises(error, match=message):
        bregman_ftl(**({"points": np.eye(2), "alpha": 1.0, "first": np.zeros(2)} | change))


# what the statements draw -----------------------------------------------------------------------------------------
def instances(n, seed=0):
    rng = np.random.default_rng(seed)
    return [statements.game(RandomDraw(rng)) for _ in range(n)]


def test_some_of_the_drawn_divergences_are_not_convex_and_are_those_of_the_quartic():
    found = {QUADRATIC: 0, QUARTIC: 0, ENTROPY: 0}
    for i in instances(600):
        for theta in i.points:
            middle = divergence(i.R, theta, (i.first + i.comparator) / 2)
            ends = (divergence(i.R, theta, i.first) + divergence(i.R, theta, i.comparator)) / 2
            found[i.R.kind] += bool(middle > ends * (1 + 1e-9) + 1e-14 * squared_norm(i.R, abs(i.first) + abs(theta)))
    assert found[QUARTIC] > 10 and found[QUADRATIC] == found[ENTROPY] == 0, found


def test_the_lipschitz_constants_bound_the_slopes_and_are_attained():
    """Between near points of the domain no slope exceeds G, and on boxes and simplices some come within 10 %."""
    rng, reached = np.random.default_rng(5), {}
    for i in instances(400, seed=6):
        theta, G, d = i.points[0], lipschitz(i.R, i.domain, i.points[0]), len(i.first)
        for _ in range(8):
            u, v = (statements.random_point(i.domain, RandomDraw(rng)) for _ in range(2))
            w = u + (v - u) * 1e-6
            apart = float(np.sqrt(squared_norm(i.R, w - u)))
            if apart < 1e-3 * 1e-6 * max(np.abs(u).max(), 1e-9):
                continue
            step = abs(divergence(i.R, theta, w) - divergence(i.R, theta, u))
            noise = 1e-14 * (divergence(i.R, theta, u) + float(np.abs(i.R.matrix).sum()) * np.abs(u).max() ** 2)
            assert step <= G * apart * (1 + 1e-5) + noise
            if noise < 1e-6 * step:
                key = (i.R.kind, i.R.norm, i.domain.kind, d)
                reached[key] = max(reached.get(key, 0), step / apart / G)
    assert sum(ratio > 0.9 for ratio in reached.values()) > 12, reached


def test_floats_and_exact_numbers_agree_on_the_kernel():
    for i in instances(40, seed=7):
        floats = running_means(i.points, i.alpha, i.first)
        precise = approximate(np.array(literal([*i.points, i.points[0]], [*i.alpha, i.alpha[0]], i.first)[:]))
        reach = max(np.abs(i.points).max(), np.abs(i.first).max())
        assert np.abs(floats - precise.astype(float)).max() <= 2 * (len(i.alpha) + 2) * EPS * reach
