"""Bounded divergences of a function with a kink: FTL's regret is linear, and Algorithm 1 stays above 2V."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from arubatheory import PAPER
from arubatheory.arithmetic import Exact
from arubatheory.kernel import on
from arubatheory.papers.aruba.b_coupling import bregman_kinks as kinks
from arubatheory.papers.aruba.games.rates import EPS_EWOO, EPS_FTL, MAIN_EWOO, LearnedRate, average_upper
from arubatheory.papers.aruba.s3_similarity import kink_rates
from arubatheory.problems.draw import RandomDraw

BY_LABEL = {s.label: s for s in PAPER}
HALF, ONE = Exact(1) / 2, Exact(1)


def tasks(T: int) -> np.ndarray:
    """1/2, -1, 1, -1, ..."""
    theta = np.where(np.arange(T) % 2 == 1, -1.0, 1.0)
    theta[0] = 0.5
    return theta


def test_a_divergence_is_what_its_definition_says_and_at_most_its_bound():
    """R(x) - R(y) - R'(y)(x - y) with R'(y) = y + kappa sign y; at least half the squared distance."""
    kappa, points = 0.7, np.linspace(-1, 1, 41)
    R = lambda x: x * x / 2 + kappa * abs(x)  # noqa: E731
    found = []
    for y in points:
        slope = y + kappa * (np.sign(y) if abs(y) > 1e-12 else 0.3)
        for x in points:
            b = kinks.kinked(kappa, 0.3, x, y if abs(y) > 1e-12 else 0.0)
            assert b == pytest.approx(R(x) - R(y) - slope * (x - y), abs=1e-12)
            assert b >= (x - y) ** 2 / 2 - 1e-12
            found.append(b)
    assert max(found) == pytest.approx(kinks.largest(kappa))


def test_three_rounds_by_hand():
    """B(1/2||0) = 5/8, B(-1||1/2) = 9/8 + 2 and B(1||-1/4) = 25/32 + 2, against 5/8 + 3/2 + 3/2 at 0."""
    lhs = on(kinks.regret, ONE)(3, ONE, 0 * ONE, HALF, 0 * ONE, 0 * ONE)
    assert abs(lhs - Exact(93) / 32) < Exact(1) / 10**9


@pytest.mark.parametrize("at_zero", [-1.0, 0.0, 0.5, 1.0])
def test_regret_is_linear_whatever_the_subgradient_at_zero(at_zero):
    for T, known in ((256, 258.3), (1024, 1027.0), (4096, 4099.7)):
        lhs = kinks.regret(T, 1.0, at_zero, 0.5, 0.5, 0.0)
        assert lhs == pytest.approx(known, abs=3)


def test_a_differentiable_function_leaves_three_quarters():
    """R = x^2/2 + |x|^(5/4): sixteen times the rounds, eight times the regret."""
    R = lambda x: x * x / 2 + abs(x) ** 1.25  # noqa: E731
    found = []
    for T in (1 << 12, 1 << 16, 1 << 20):
        theta = tasks(T)
        phi = np.concatenate([[0.0], np.cumsum(theta)[:-1] / np.arange(1, T)])
        slope = phi + 1.25 * np.sign(phi) * abs(phi) ** 0.25
        B = R(theta) - R(phi) - slope * (theta - phi)
        assert B.min() >= 0 and B.max() <= 4.5
        found.append(B.sum() - R(theta).sum())
    assert [b / a for a, b in pairwise(found)] == pytest.approx([8, 8], rel=0.03)


def test_the_statement_falls_where_the_logarithm_is_outgrown():
    statement = BY_LABEL["text:bregman-log-regret/bounded"]
    game = SimpleNamespace(kappa=1.0, opening=0.5, first=0.0, comparator=0.0, at_zero=0.0)
    short, long = (statement.sides(SimpleNamespace(T=T, **vars(game))) for T in (256, 2048))
    assert short.lhs < short.rhs
    assert long.lhs > 2048 > long.rhs == pytest.approx(80 * (1 + np.log(2048)))
    draw = RandomDraw(np.random.default_rng(0))
    assert all(a.margin(i) >= 0 for i in [statement.instance(draw) for _ in range(50)] for a in statement.assumptions)


def test_the_deviation_of_four_tasks_by_hand():
    """The mean is -1/8: V^2 = (5/8 + 9/2)/4 - (1/128 + 1/8)."""
    square = kink_rates.deviation(Exact(4), ONE) ** 2
    assert abs(square - Exact(147) / 128) < Exact(1) / 10**9


@pytest.mark.parametrize("code", [EPS_FTL, EPS_EWOO, MAIN_EWOO])
def test_no_sim_comes_below_the_loss_that_the_rates_are_tried_with(code):
    statement = BY_LABEL["thm:similarity/rate/kink"]
    for T in (4, 64, 1024):
        theta, game = tasks(T), SimpleNamespace(T=float(T), kappa=1.0)
        phi = np.concatenate([[0.0], np.cumsum(theta)[:-1] / np.arange(1, T)])
        B = np.array([kinks.kinked(1.0, 0.0, x, y) for x, y in zip(theta, phi, strict=True)])
        lhs = statement.sides(game).lhs
        assert average_upper(B, LearnedRate(code, T**-0.25, 1.0)) - 2 * kink_rates.deviation(T, 1.0) >= lhs
    assert lhs == pytest.approx(2 * np.sqrt(2.5) - 2 * np.sqrt(1.5), abs=0.01)


@pytest.mark.parametrize("slug", ["thm:similarity", "cor:epsftl", "cor:epsewoo"])
def test_the_excess_over_twice_the_deviation_does_not_vanish(slug):
    statement = BY_LABEL[f"{slug}/rate/kink"]
    game = SimpleNamespace(T=Exact(2) ** 48, kappa=ONE)
    sides = statement.sides(game)
    assert sides.lhs > sides.rhs
    assert f"{slug}/rate/kink" in BY_LABEL[f"{slug}/rate"].corrects
