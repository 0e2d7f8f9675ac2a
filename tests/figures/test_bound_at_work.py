"""Theorem A.1 at work: the regret stays below the bound, and the supremum is one."""

from __future__ import annotations

import numpy as np
import pytest

from figures.bound_at_work import GAMES, compute, extremal_ratio, supremum

ROUNDS = range(1, 17)


def test_no_regret_exceeds_the_bound() -> None:
    series = compute()
    horizons, bound = series["bound"]
    for game in GAMES:
        # The classical bound has eta G^2 T / 2: at this eta three quarters of the paper's, far beyond rounding.
        assert (series[game][1] < 0.76 * bound).all()
    assert (series["equal gradients"][1] > 0).all()
    assert bound**2 == pytest.approx(2 * horizons)


def test_the_supremum_solves_its_equation() -> None:
    m = np.array(ROUNDS, dtype=np.float64)
    r = supremum(m)
    # Both sides are sums of terms below 2m, each with a few roundings.
    assert (abs(2 * r * r + (m - 1) * r - m) <= 16 * np.finfo(float).eps * m).all()
    assert (abs(r - (1 - m + np.sqrt(m * m + 6 * m + 1)) / 4) <= 16 * np.finfo(float).eps * m).all()


@pytest.mark.parametrize("m", ROUNDS)
def test_the_supremum_is_reached_and_not_exceeded(m: int) -> None:
    r = float(supremum(m))
    rounding = 8 * m * np.finfo(float).eps  # m additions on each side, of terms whose sum is a few times the result
    assert extremal_ratio(m) == pytest.approx(r, rel=rounding)
    rng = np.random.default_rng(m)
    for _ in range(200):
        g = rng.standard_normal((m, 2))
        shift = -g.sum(axis=0) / r  # the comparator that helps the left side most
        before = np.vstack([np.zeros(2), np.cumsum(g, axis=0)[:-1]])
        lhs = float((g * -before).sum() - g.sum(axis=0) @ shift)
        assert lhs <= r * float(shift @ shift / 2 + (g * g).sum()) * (1 + rounding)
