"""eps-FTL and the rule of the running text against their definitions, written out literally."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from arubatheory.arithmetic import Exact, approximate, exact
from arubatheory.kernel import on
from arubatheory.learners import eps_ewoo, eps_ftl, v_rule
from arubatheory.learners.eps_ftl import leaders

EPS = float(np.finfo(np.float64).eps)


def literal(B, alpha, eps, first):
    """x_t^2 = sum_{s<t} alpha_s (B_s^2 + eps^2) / alpha_{1:t-1} in rationals, the root with 40 digits."""
    actions = [first]
    with mp.workdps(40):
        for t in range(1, len(B)):
            weights = [Fraction(float(a)) for a in alpha[:t]]
            squares = [Fraction(float(b)) ** 2 + Fraction(float(eps)) ** 2 for b in B[:t]]
            mean = sum(w * s for w, s in zip(weights, squares, strict=True)) / sum(weights)
            actions.append(float(mp.sqrt(mp.mpf(mean.numerator) / mean.denominator)))
    return np.array(actions)


@given(st.integers(0, 2**32 - 1))
def test_actions_are_the_printed_ones(seed):
    rng = np.random.default_rng(seed)
    T, D, eps = int(rng.integers(1, 10)), 2.0 ** rng.integers(-32, 33), 2.0 ** rng.integers(-32, 33)
    B, alpha = D * rng.choice([0, 1, rng.random()], T), 2.0 ** rng.integers(-32, 33, T)
    played = eps_ftl(B, alpha, D, eps, first=eps)
    want = literal(B, alpha, eps, eps)
    assert np.abs(played.actions[:, 0] / want - 1).max() <= (T + 8) * EPS
    values = (B**2 / want + want) * alpha
    assert np.abs(played.values / values - 1).max() <= 2 * (T + 12) * EPS
    assert played.actions.shape == (T, 1) and (played.gap == 0).all()


def test_actions_lead_over_the_interval():
    rng = np.random.default_rng(0)
    for _ in range(30):
        D, eps, T = 2.0, float(10 ** rng.uniform(-2, 1)), int(rng.integers(1, 7))
        B, alpha = D * rng.random(T), rng.uniform(0.1, 4, T)
        total = lambda x: np.sum(((B[:-1] ** 2 + eps**2) / x + x) * alpha[:-1])  # noqa: B023, E731
        action = eps_ftl(B, alpha, D, eps).actions[-1, 0]
        if T > 1:
            found = minimize_scalar(total, bounds=(eps, math.hypot(D, eps)), method="bounded", options={"xatol": 1e-10})
            assert abs(action - found.x) < 1e-6 * math.hypot(D, eps)
        assert eps <= action <= math.hypot(D, eps)


def test_the_first_action_is_free_and_by_default_the_upper_end():
    assert eps_ftl([3.0], 1.0, 3.0, 4.0).actions[0, 0] == 5.0
    for first in (4.0, 4.5, 5.0):
        assert eps_ftl([0.0, 3.0], 1.0, 3.0, 4.0, first=first).actions.ravel().tolist() == [first, 4.0]
    assert eps_ftl([0.0, 0.0], 1.0, 0.0, 0.7).actions.ravel().tolist() == [0.7, 0.7]


def test_actions_do_not_see_the_future():
    rng = np.random.default_rng(1)
    B, alpha = rng.random(300), rng.uniform(0.1, 2, 300)
    before = eps_ftl(B, alpha, 1.0, 0.1).actions
    for t in (0, 1, 64, 200):
        other, weights = B.copy(), alpha.copy()
        other[t:], weights[t:] = 1.0, 1e200
        assert (eps_ftl(other, weights, 1.0, 0.1).actions[: t + 1] == before[: t + 1]).all()


def test_exact_numbers_enclose_the_same_actions():
    rng = np.random.default_rng(2)
    B, alpha = rng.random(70), rng.uniform(0.1, 4, 70)
    floats = eps_ftl(B, alpha, 1.0, 0.3, first=0.5).actions[:, 0]
    one = Exact(1)
    balls = on(leaders, exact(B))(exact(B), exact(alpha), exact(0.3), one, one, exact(0.5))
    assert np.abs(floats / approximate(balls)[:-1] - 1).max() < 40 * EPS


def test_a_million_rounds_keep_their_digits():
    rng = np.random.default_rng(3)
    B, alpha = rng.random(1_000_000), np.exp(3 * rng.normal(size=1_000_000))
    wide = alpha.astype(np.longdouble)
    want = np.sqrt(np.longdouble(0.1) ** 2 + np.cumsum(wide * B.astype(np.longdouble) ** 2) / np.cumsum(wide))
    assert np.abs(eps_ftl(B, alpha, 1.0, 0.1).actions[1:, 0] / want[:-1] - 1).max() < 100 * EPS


@pytest.mark.parametrize("alpha", [[5e-324] * 3, [1e300] * 3, [1e-300, 1e150, 5e-324], [1e150, 1e-300, 5e-324]])
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e120])
def test_extreme_weights_and_sizes_play_the_right_action(alpha, scale):
    if scale == 1e120 and max(alpha) == 1e300:
        with pytest.raises(OverflowError, match="eps_ftl left the range of float64: a loss is too large"):
            eps_ftl([scale] * 3, alpha, scale, 1e-20 * scale)
        return
    B = np.array([1.0, 0.0, 0.5]) * scale
    played = eps_ftl(B, alpha, scale, 1e-20 * scale, first=scale)
    want = literal([1.0, 0.0, 0.5], alpha, 1e-20, 1.0) * scale
    assert np.abs(played.actions[:, 0] / want - 1).max() < 32 * EPS
    assert np.isfinite(played.values).all()


def test_sizes_far_below_epsilon_and_far_above():
    assert eps_ftl([1e-200] * 3, 1.0, 1.0, 1e-150).actions[-1, 0] == 1e-150
    assert eps_ftl([1.0] * 3, 1.0, 1.0, 1e200).actions.ravel().tolist() == [1e200] * 3


def test_it_is_where_eps_ewoo_goes_for_large_gamma():
    B = np.array([1.0, 0.2, 0.7, 0.4])
    apart = np.abs(eps_ewoo(B, 1.0, 1.0, 0.3, gamma=1e8).actions[1:] / eps_ftl(B, 1.0, 1.0, 0.3).actions[1:] - 1)
    assert apart[0] < 1e-4  # the leader is an end of the interval: half of a bell of width gamma^(-1/2)
    assert apart[1:].max() < 1e-7


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"eps": 0.0}, ValueError, "eps must be > 0, got 0.0"),
        ({"eps": -1.0}, ValueError, "eps must be > 0, got -1.0"),
        ({"eps": np.nan}, ValueError, "eps must be finite"),
        ({"eps": "1"}, TypeError, "eps must be a real number"),
        ({"D": -1.0}, ValueError, "D must be >= 0, got -1.0"),
        ({"D": np.inf}, ValueError, "D must be finite"),
        ({"D": 0.5}, ValueError, "B must be at most D=0.5, got .*1.0.* in round 2"),
        ({"B": [0.1, -0.2]}, ValueError, "B must be >= 0, got .*-0.2.* in round 2"),
        ({"B": []}, ValueError, "B must not be empty"),
        ({"B": [0.1, np.nan]}, ValueError, "B must be finite"),
        ({"B": [Fraction(1, 2)]}, TypeError, "B must be in floats, got exact numbers"),
        ({"alpha": [1.0, 0.0]}, ValueError, "alpha must be > 0, got .*0.0"),
        ({"alpha": -1.0}, ValueError, "alpha must be > 0, got .*-1.0"),
        (
            {"alpha": [1.0, 1.0, 1.0]},
            ValueError,
            "alpha must be a number or have one entry for each of 2 rounds, got 3",
        ),
        ({"alpha": [Fraction(1, 2)] * 2}, TypeError, "alpha must be in floats"),
        ({"first": 0.05}, ValueError, r"first must lie in \[eps, sqrt\(D\^2 \+ eps\^2\)\] = .*, got 0.05"),
        ({"first": 2.0}, ValueError, "first must lie in"),
        ({"eps": 1e-151}, ValueError, r"D / eps must be at most 1e150"),
        ({"D": 1.7e308, "eps": 1.7e308}, ValueError, "D a moderate float64"),
    ],
)
def test_bad_input_is_named(change, error, message):
    with pytest.raises(error, match=message):
        eps_ftl(**({"B": [0.5, 1.0], "alpha": 1.0, "D": 1.0, "eps": 0.1} | change))


# the printed rule ------------------------------------------------------------------------------------------------
def test_the_printed_rule_is_the_display_and_grows_like_a_root():
    rng = np.random.default_rng(4)
    table, eps = rng.random((9, 9)), 0.3
    played = v_rule(table, eps, 0.5)
    assert played[0] == 0.5
    for t in range(1, 9):
        assert played[t] ** 2 == pytest.approx(eps**2 * t + sum(table[t - 1, s] for s in range(t)), rel=1e-14)
    far = v_rule(np.ones((400, 400)), 0.5, 1.0)
    assert far[-1] == pytest.approx(math.sqrt(1.25 * 399), rel=1e-13)
    future = table.copy()
    future[np.triu_indices(9, 1)] = -7  # divergences from tasks to come
    future[5:] = 3
    assert (v_rule(future, eps, 0.5)[:6] == played[:6]).all()
    precise = v_rule(exact(table), exact(eps), exact(0.5))
    assert np.abs(approximate(precise) / played - 1).max() < 16 * EPS


def test_divided_by_t_it_is_eps_ftl():
    rng = np.random.default_rng(5)
    losses, eps = rng.random(20), 0.2
    mended = [math.sqrt(eps**2 + losses[:t].sum() / t) for t in range(1, 20)]
    assert eps_ftl(np.sqrt(losses), 1.0, 1.0, eps).actions[1:, 0] == pytest.approx(mended, rel=1e-14)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"divergence": np.ones(3)}, r"divergence must have shape \(T, T\), got \(3,\)"),
        ({"divergence": np.ones((2, 3))}, r"divergence must have shape \(T, T\), got \(2, 3\)"),
        ({"divergence": np.zeros((0, 0))}, r"divergence must have shape \(T, T\)"),
        ({"divergence": [[1.0, 0.0], [-1.0, 1.0]]}, "divergence must be >= 0 where s <= t, got .*-1.0"),
        ({"divergence": [[np.nan]]}, "divergence must be finite"),
        ({"eps": 0.0}, "eps must be a number > 0, got 0.0"),
        ({"eps": [1.0, 2.0]}, "eps must be a number > 0"),
        ({"first": -1.0}, "first must be a number > 0, got -1.0"),
        ({"first": np.inf}, "first must be finite"),
    ],
)
def test_bad_input_of_the_rule_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        v_rule(**({"divergence": np.ones((2, 2)), "eps": 1.0, "first": 1.0} | change))
