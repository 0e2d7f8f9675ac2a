"""OMD against its literal definition, the greedy learner against projected steps, and the fused kernel against both."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory.arithmetic import Undecided, approximate, precision
from arubatheory.kernel import on
from arubatheory.learners import Trajectory, greedy_ogd, omd
from arubatheory.problems import domains
from arubatheory.problems import losses as problem_losses
from arubatheory.problems.domains import SPACE, ball, box, interval, simplex, space
from arubatheory.problems.losses import LINEAR, SQUARE, losses
from arubatheory.problems.regularizers import EUCLIDEAN, entropy, euclidean, mirror_step
from tests.learners.learner_instances import KINDS, PAIRS, both, problem

EPS = np.finfo(np.float64).eps
SEEDS = range(4)


def literal_omd(p):
    """def:omd, every round from scratch."""
    actions, gradients = [], []
    for i in range(len(p.losses.a)):
        past = p.phi * 0
        for g in gradients:
            past = past + g
        actions.append(on(mirror_step, p.phi)(p.R, p.domain, p.phi, p.eta * past))
        gradients.append(on(problem_losses.subgradient, p.phi)(p.losses, i, actions[-1]))
    return np.array(actions)


def literal_greedy(p):
    actions = [p.phi]
    for i in range(len(p.losses.a) - 1):
        g = on(problem_losses.subgradient, p.phi)(p.losses, i, actions[-1])
        actions.append(on(domains.project, p.phi)(p.domain, actions[-1] - p.eta * g))
    return np.array(actions)


def size(p, actions):
    """The magnitudes that a round adds, times how a round's error comes back through the ridge of later gradients."""
    L, reach = p.losses, np.abs(p.losses.c).max() + np.abs(actions).max()
    pull = np.abs(L.weight[:, None] * L.a).sum() + (L.ridge * reach).sum()
    feedback = (1 + p.eta * L.ridge.sum()) ** 2
    return (reach + p.eta * pull) * feedback * np.linalg.cond(p.R.matrix + np.eye(len(p.phi)))


@pytest.mark.parametrize(("domain", "regularizer"), PAIRS)
@pytest.mark.parametrize("seed", SEEDS)
def test_omd_is_the_literal_definition(domain, regularizer, seed):
    # Linear losses: no kink turns a rounding into another gradient.
    p = problem(seed, domain, regularizer, link=LINEAR, m=6, d=3)
    expected = literal_omd(p)
    assert np.allclose(omd(*p).actions, expected, rtol=0, atol=64 * EPS * size(p, expected))


def may_be_equal(x, y):
    """Equal rationals, or balls that overlap."""
    try:
        return bool(x == y)
    except Undecided:
        return True


@pytest.mark.parametrize("link", [LINEAR, SQUARE])
@pytest.mark.parametrize(("domain", "regularizer"), PAIRS)
def test_omd_is_the_definition_in_exact_arithmetic(domain, regularizer, link):
    for seed in SEEDS:
        _, p = both(seed, domain, regularizer, link=link, m=3)
        with precision(256):
            expected, got = literal_omd(p), omd(*p)
            assert all(map(may_be_equal, got.actions.ravel(), expected.ravel()))
            # overlapping balls say something only if they are thin
            size = 1 + np.abs(approximate(expected)).max()
            assert np.allclose(approximate(got.actions), approximate(expected), rtol=0, atol=4 * EPS * size)


@pytest.mark.parametrize("domain", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_greedy_is_a_projected_step(domain, seed):
    p = problem(seed, domain, EUCLIDEAN, link=LINEAR, m=6, d=3)
    got = greedy_ogd(p.losses, p.domain, p.phi, p.eta)
    expected = literal_greedy(p)
    assert np.allclose(got.actions, expected, rtol=0, atol=64 * EPS * size(p, expected))


@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize("domain", KINDS)
def test_floats_agree_with_exact_numbers(domain, lazy):
    for seed in SEEDS:
        floats, p = both(seed, domain, EUCLIDEAN, link=LINEAR, m=5)
        play = omd if lazy else (lambda L, D, R, phi, eta: greedy_ogd(L, D, phi, eta))
        a, b = play(*floats), play(*p)
        scale = size(floats, a.actions)
        assert np.allclose(a.actions, approximate(b.actions), rtol=0, atol=64 * EPS * scale)
        # values: the actions' error times a slope, which is part of the scale
        assert np.allclose(a.values, approximate(b.values), rtol=0, atol=256 * EPS * (1 + scale) ** 2)


def test_entropy_on_the_simplex_is_multiplicative_weights():
    rng = np.random.default_rng(1)
    g, phi, eta = rng.normal(size=(30, 5)), rng.dirichlet(np.ones(5)), 0.7
    got = omd(losses("linear", g), simplex(5), entropy(5), phi, eta)
    weights = phi * np.exp(-eta * (np.cumsum(g, axis=0) - g))
    expected = weights / weights.sum(axis=1, keepdims=True)
    # exp turns an absolute error of its exponent, at most 30 * 4 * eta * eps, into a relative one
    assert np.allclose(got.actions, expected, rtol=256 * EPS, atol=0)


def test_greedy_and_lazy_differ_on_a_bounded_domain():
    L = losses("linear", [[-2.0], [1.0], [0.0]])
    lazy = omd(L, interval(-1.0, 1.0), euclidean(1), [0.0], 1.0)
    greedy = greedy_ogd(L, interval(-1.0, 1.0), [0.0], 1.0)
    assert lazy.actions.ravel().tolist() == [0.0, 1.0, 1.0]  # proj(0 + 2), proj(0 + 2 - 1)
    assert greedy.actions.ravel().tolist() == [0.0, 1.0, 0.0]  # proj(1 - 1)
    L = losses("linear", [[-2.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    disc = ball([0.0, 0.0], 1.0)
    assert omd(L, disc, euclidean(2), [0.0, 0.0], 1.0).actions[:, 0].tolist() == [0.0, 1.0, 1.0]
    assert greedy_ogd(L, disc, [0.0, 0.0], 1.0).actions[:, 0].tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("seed", SEEDS)
def test_greedy_and_lazy_agree_on_space(seed):
    _, p = both(seed, SPACE, EUCLIDEAN, link=LINEAR, m=5)
    lazy, greedy = omd(*p), greedy_ogd(p.losses, p.domain, p.phi, p.eta)
    assert np.all(lazy.actions == greedy.actions)


@pytest.mark.parametrize("radius", [0.0, 2.0**-40, 0.5, 2.0**40])
@pytest.mark.parametrize("eta", [2.0**-40, 1.0, 2.0**40])
def test_the_fused_kernel_is_the_general_one(radius, eta):
    rng = np.random.default_rng(3)
    a = rng.normal(size=(12, 5))
    fused = losses("linear", a, rng.normal(size=12), weight=rng.uniform(0, 2, 12))
    # A last loss with another link sends the same sequence through the general kernel.
    general = losses(
        ["linear"] * 12 + ["square"],
        np.vstack([a, a[:1]]),
        np.append(fused.b, 0.0),
        weight=np.append(fused.weight, 1.0),
    )
    center = rng.normal(size=5)
    domain, R = ball(center, radius), euclidean(5)
    scale = 1 + np.abs(center).max() + radius
    for play in (lambda L: omd(L, domain, R, center, eta), lambda L: greedy_ogd(L, domain, center, eta)):
        one, other = play(fused), play(general)
        # A step that stays inside keeps the rounding of the sum of 12 gradients, 5 |a| w < 200 together.
        tolerance = 64 * EPS * (scale + min(200 * eta, radius))
        assert np.allclose(one.actions, other.actions[:12], rtol=0, atol=tolerance)
        assert np.allclose(one.values, other.values[:12], rtol=0, atol=64 * EPS * scale + 20 * tolerance)


def test_overflow_in_the_norm_is_not_an_answer():
    L = losses("linear", [[-1e200, 0.0], [-1e200, 0.0], [0.0, 0.0]], b=0)
    got = omd(L, ball([0.0, 0.0], 1.0), euclidean(2), [0.0, 0.0], 1.0)
    assert got.actions.tolist() == [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]]
    got = greedy_ogd(L, ball([0.0, 0.0], 1.0), [0.0, 0.0], 1.0)
    assert got.actions.tolist() == [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]]


def test_overflow_is_an_error():
    L = losses("square", [[1e200]] * 3, b=1e150)
    with pytest.raises(OverflowError, match="omd left the range of float64 at round"):
        omd(L, space(1), euclidean(1), [0.0], 2.0**40)
    with pytest.raises(OverflowError, match="greedy_ogd left the range of float64 at round"):
        greedy_ogd(L, space(1), [0.0], 2.0**40)


@pytest.mark.parametrize("lazy", [True, False])
def test_degenerate_but_valid(lazy):
    R = euclidean(2)
    play = omd if lazy else (lambda L, D, R, phi, eta: greedy_ogd(L, D, phi, eta))
    point = np.array([0.25, 0.75])
    for domain in (ball(point, 0.0), box(point, point), simplex(2, point)):
        got = play(losses("linear", [[1.0, 2.0]] * 3), domain, R, point, 1.0)
        assert np.all(got.actions == point)
    zero = play(losses("linear", np.zeros((4, 2))), ball([0.0, 0.0], 1.0), R, [1.0, 0.0], 3.0)
    assert np.all(zero.actions == [1.0, 0.0]) and np.all(zero.values == 0) and np.all(zero.gap == 0)
    assert play(losses("absolute", [[1.0, 0.0]]), space(2), R, point, 1.0).actions.tolist() == [point.tolist()]


@pytest.mark.parametrize("eta", [1e-9, 0.03, 0.7, 5.0, 1e9])
def test_greedy_steps_on_a_ball_lose_no_digits(eta):
    """Out of the ball, back and to its centre: the norm that a step is projected by is taken from the terms of its
    square, of which most may cancel."""
    rng, r, center = np.random.default_rng(3), 0.5, np.array([0.25, -1.0, 4.0])
    g, x, expected = rng.normal(size=(400, 3)) * 2.0 ** rng.integers(-20, 8, (400, 1)), center.copy(), []
    for t in range(400):
        expected.append(x)
        if t % 4 == 3:  # to the centre but for what is left over, or to the other side
            g[t] = (x - center) / eta * (1 + rng.choice([0, 1e-15, 1e-8, 1, 1 + 1e-15]))
        s = x - eta * g[t] - center
        x = center + s * min(1.0, r / max(np.linalg.norm(s), 1e-300))
    got = greedy_ogd(losses("linear", g), ball(center, r), center, eta).actions
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
    assert np.linalg.norm(got - center, axis=1).max() <= r * (1 + 1e-14)


@pytest.mark.parametrize("last", [0.0, 1e-200, 0.5])
@pytest.mark.parametrize("d", [1, 3, 20])
@pytest.mark.parametrize("lazy", [True, False])
def test_a_ball_around_0_is_played_as_any_other(lazy, d, last):
    center = np.zeros(d)
    center[-1] = last
    g = np.random.default_rng(d).normal(size=(60, d))
    s, expected = np.zeros(d), []
    for t in range(60):
        x = s * min(1.0, 0.5 / max(np.linalg.norm(s), 1e-300))
        expected.append(center + x)
        s = (s if lazy else x) - 0.3 * g[t]
    L, domain = losses("linear", g, b=0.25), ball(center, 0.5)
    got = omd(L, domain, euclidean(d), center, 0.3) if lazy else greedy_ogd(L, domain, center, 0.3)
    np.testing.assert_allclose(got.actions, expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(got.values, (g * expected).sum(1) - 0.25, rtol=0, atol=1e-13)
    assert got.actions[0, -1] == last


@pytest.mark.parametrize("lazy", [True, False])
def test_the_action_of_an_only_round_is_written(lazy):
    L, domain, phi = losses("linear", [[1.0, 2.0]]), ball([0.5, 0.0], 1.0), np.array([0.25, 0.5])
    out = Trajectory(np.full((1, 2), np.nan), np.full(1, np.nan), np.full(1, np.nan))
    got = omd(L, domain, euclidean(2), phi, 0.3, out=out) if lazy else greedy_ogd(L, domain, phi, 0.3, out=out)
    assert got.actions.tolist() == [phi.tolist()] and got.values.tolist() == [1.25]
