"""AOGD and OGD for dynamic regret against their definitions, in floats and exactly; causality, extremes, bad input."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from arubatheory.arithmetic import Exact, approximate, exact, precision
from arubatheory.kernel import on
from arubatheory.learners import aogd, dynamic_ogd, greedy_ogd, hindsight, regret
from arubatheory.problems import domains
from arubatheory.problems import losses as problem_losses
from arubatheory.problems.constants import smoothness, strong_convexity
from arubatheory.problems.domains import SPACE, ball, box, contains, interval, simplex, space
from arubatheory.problems.losses import LINEAR, SQUARE, Losses, losses
from arubatheory.problems.regularizers import EUCLIDEAN
from tests.learners.learner_instances import KINDS, assert_same_up_to, both, spliced

EPS = np.finfo(np.float64).eps
SEEDS = range(4)
LEARNT = ("aogd", "dynamic_ogd")


def strongly_convex(p):
    """The problem with ridges of at least 1, in its arithmetic."""
    return p._replace(losses=p.losses._replace(ridge=p.losses.ridge + 1))


def pair(seed, kind, link=LINEAR, m=5, d=2):
    return tuple(strongly_convex(p) for p in both(seed, kind, EUCLIDEAN, link=link, m=m, d=d))


def gradient(p, t, x):
    return on(problem_losses.subgradient, x)(p.losses, t, x)


def literal_aogd(p, alpha):
    """def:aogd, with the sum of the first t constants from scratch in every round."""
    actions = [p.phi]
    for t in range(len(p.losses.a) - 1):
        step = 1 / sum(alpha[: t + 1])
        actions.append(on(domains.project, p.phi)(p.domain, actions[-1] - step * gradient(p, t, actions[-1])))
    return np.array(actions)


def literal_dynamic(p, h):
    """Algorithm 1 of Mokhtari et al.: a projected step, and a share h of the way to it."""
    actions = [p.phi]
    for t in range(len(p.losses.a) - 1):
        x = actions[-1]
        hat = on(domains.project, p.phi)(p.domain, x - p.eta * gradient(p, t, x))
        actions.append((1 - h) * x + h * hat)
    return np.array(actions)


def tolerance(p, actions, step):
    """Roundings of a round, 64 of them, times how a round's error comes back through the curvature of later ones."""
    L = p.losses
    reach = 1 + np.abs(L.c).max() + np.abs(actions).max()
    curvature = L.ridge.max() + (np.abs(L.weight) * (L.a**2).sum(axis=1)).max()
    pull = np.abs(L.weight[:, None] * L.a).max() * (1 + np.abs(L.b).max()) + curvature * reach
    return 64 * EPS * (reach + step * pull) * (1 + step * curvature) ** len(L.a)


def play(name, p, h=1):
    if name == "aogd":
        return aogd(p.losses, p.domain, p.phi)
    return dynamic_ogd(p.losses, p.domain, p.phi, p.eta, h)


@pytest.mark.parametrize("link", [LINEAR, SQUARE])
@pytest.mark.parametrize("domain", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_aogd_is_the_literal_definition(domain, link, seed):
    p, _ = pair(seed, domain, link, m=6, d=3)
    alpha = strong_convexity(p.losses, p.domain)
    expected = literal_aogd(p, alpha)
    atol = tolerance(p, expected, 1 / alpha[0])
    for got in (aogd(p.losses, p.domain, p.phi), aogd(p.losses, p.domain, p.phi, alpha)):
        assert np.allclose(got.actions, expected, rtol=0, atol=atol)
        assert np.array_equal(got.values, problem_losses.values(p.losses, got.actions))
        assert np.all(got.gap == 0)


@pytest.mark.parametrize("h", [1, 0.5, 2.0**-10])
@pytest.mark.parametrize("domain", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_dynamic_ogd_is_the_literal_algorithm(domain, h, seed):
    p, _ = pair(seed, domain, m=6, d=3)
    expected = literal_dynamic(p, h)
    got = dynamic_ogd(p.losses, p.domain, p.phi, p.eta, h)
    assert np.allclose(got.actions, expected, rtol=0, atol=tolerance(p, expected, p.eta))


@pytest.mark.parametrize("link", [LINEAR, SQUARE])
@pytest.mark.parametrize("domain", KINDS)
@pytest.mark.parametrize("name", LEARNT)
def test_floats_agree_with_exact_numbers(name, domain, link):
    for seed in SEEDS:
        floats, p = pair(seed, domain, link)
        h = Fraction(1, 4) if seed % 2 else 1
        with precision(256):
            alpha = strong_convexity(p.losses, p.domain)
            expected = literal_aogd(p, alpha) if name == "aogd" else literal_dynamic(p, h)
            got = play(name, p, h)
        a, step = play(name, floats, h), 1 if name == "aogd" else floats.eta
        atol = tolerance(floats, a.actions, step)
        assert np.allclose(approximate(got.actions), approximate(expected), rtol=4 * EPS, atol=4 * EPS)
        assert np.allclose(a.actions, approximate(got.actions), rtol=0, atol=atol)


def test_aogd_after_one_quadratic_is_at_its_centre():
    """The step 1/alpha_1 of theta_1 - (theta_1 - c_1) is the whole way; after t of them it is the mean of centres."""
    c = np.array([[0.5, 0.25], [-0.5, 0.75], [0.0, -1.0], [0.25, 0.5]])
    L = losses("linear", np.zeros((4, 2)), ridge=3.0, c=c)
    got = aogd(L, ball([0.0, 0.0], 2.0), [1.0, 1.0])
    means = np.cumsum(c, axis=0) / np.arange(1, 5)[:, None]
    assert np.allclose(got.actions[1:], means[:3], rtol=0, atol=16 * EPS)


def test_the_bound_of_aogd_is_attained():
    """x^2 about 1 and about -1 from -1 on [-1, 1]: regret 3 against 0, and 1/2 (4/1 + 4/2) = 3."""
    L = exact(losses("linear", [[0.0], [0.0]], ridge=1.0, c=[[1.0], [-1.0]]))
    domain = exact(interval(-1.0, 1.0))
    got = aogd(L, domain, [-1])
    assert [str(x) for x in got.actions.ravel()] == ["Exact(-1)", "Exact(1)"]
    assert regret(got, L, exact(np.zeros(1))) == Exact(3)


@pytest.mark.parametrize("domain", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_dynamic_ogd_with_the_whole_step_is_greedy_ogd(domain, seed):
    p, _ = pair(seed, domain)
    greedy, got = greedy_ogd(p.losses, p.domain, p.phi, p.eta), dynamic_ogd(p.losses, p.domain, p.phi, p.eta)
    assert np.array_equal(greedy.actions, got.actions) and np.array_equal(greedy.values, got.values)


@pytest.mark.parametrize("domain", [k for k in KINDS if k != SPACE])
@pytest.mark.parametrize("h", [1, 0.25])
def test_a_round_of_dynamic_ogd_contracts_as_its_docstring_says(domain, h):
    for seed in SEEDS:
        p, _ = pair(seed, domain, SQUARE, m=1, d=2)
        L = Losses(*(np.concatenate([field] * 2) for field in p.losses))
        alpha, eta = strong_convexity(L, p.domain), 1 / smoothness(L, p.domain).max()
        x = dynamic_ogd(L, p.domain, p.phi, eta, h).actions
        best = hindsight(p.losses, p.domain).action
        before, after = np.linalg.norm(x[0] - best), np.linalg.norm(x[1] - best)
        # hindsight's action is as far off as the root of its duality gap, about sqrt(eps)
        assert after <= np.sqrt(1 - h * alpha[0] * eta) * before + 64 * np.sqrt(EPS)


@pytest.mark.parametrize("domain", KINDS)
@pytest.mark.parametrize("name", LEARNT)
def test_they_are_causal(name, domain):
    for seed in range(3):
        (p, _), (other, _) = pair(seed, domain, SQUARE), pair(seed + 50, domain, SQUARE)
        before = play(name, p)
        for t in range(1, 5):
            assert_same_up_to(before, play(name, p._replace(losses=spliced(p.losses, other.losses, t))), t)


@pytest.mark.parametrize("name", LEARNT)
@pytest.mark.parametrize(
    "domain", [box([-1.0, 0.0], [2.0, 0.0]), ball([1.0, 1.0], 3.0), simplex(2), ball([0.5, 0.5], 0.0)]
)
@pytest.mark.parametrize("power", [-300, -40, 0, 40, 300])
def test_any_scale_stays_in_the_domain(name, domain, power):
    L = losses("linear", [[1.0, -1.0]] * 5, weight=2.0**power, ridge=2.0 ** (power // 2), c=[0.5, 0.25])
    phi = domains.center(domain)
    got = aogd(L, domain, phi) if name == "aogd" else dynamic_ogd(L, domain, phi, 2.0**-power, 0.75)
    assert all(np.isfinite(part).all() for part in got)
    assert all(contains(domain, x) for x in got.actions)


def test_rounds_without_curvature_keep_the_step():
    L = losses("linear", [[1.0]] * 3, weight=[0.0, 1.0, 1.0], ridge=[2.0, 0.0, 0.0], c=0.0)
    assert aogd(L, space(1), [1.0]).actions.ravel().tolist() == [1.0, 0.0, -0.5]


def test_a_single_round_plays_the_start():
    L = losses("square", [[1.0]])
    assert aogd(L, space(1), [3.0]).actions.tolist() == [[3.0]]
    assert dynamic_ogd(L, space(1), [3.0], 1.0).actions.tolist() == [[3.0]]


def test_exact_losses_take_plain_numbers():
    L = exact(losses("linear", [[1.0], [1.0], [1.0]]))
    assert [str(x) for x in aogd(L, space(1), [0], 0.5).actions.ravel()] == ["Exact(0)", "Exact(-2)", "Exact(-3)"]
    got = dynamic_ogd(L, space(1), [0], Fraction(1, 3), Fraction(1, 2)).actions
    assert [str(x) for x in got.ravel()] == ["Exact(0)", "Exact(-1/6)", "Exact(-1/3)"]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"phi": [2.0]}, ValueError, r"phi must lie in the domain, got \[2.0\]"),
        ({"phi": [0.0, 0.0]}, ValueError, r"phi must have shape \(1,\), got \(2,\)"),
        ({"alpha": [1.0, -0.5]}, ValueError, "alpha must be >= 0, got .*-0.5.* in round 1"),
        ({"alpha": -1.0}, ValueError, "alpha must be >= 0, got .*-1.0.* in round 0"),
        ({"alpha": 0.0}, ValueError, "alpha must be > 0 in the first round, whose step is 1/alpha, got .*0.0"),
        ({"alpha": [0.0, 1.0]}, ValueError, "alpha must be > 0 in the first round"),
        ({"alpha": [1.0, np.nan]}, ValueError, "alpha must be finite"),
        ({"alpha": [1.0]}, ValueError, r"alpha must have shape \(2,\) or \(\), got \(1,\)"),
        ({"alpha": "1"}, TypeError, "alpha must hold real numbers, got '1'"),
        ({"alpha": [Exact(1), Exact(1)]}, TypeError, "alpha is exact and the losses are floats"),
        ({"losses": losses("linear", [[1.0], [1.0]])}, ValueError, "the first loss is not strongly convex"),
        ({"losses": None}, TypeError, "losses must be a Losses or a Rounds, got None"),
        ({"domain": space(2)}, ValueError, "domain must have dimension 1 as the losses do, got 2"),
        ({"domain": exact(interval(-1.0, 1.0)), "alpha": 1.0}, TypeError, "domain is exact and the losses are floats"),
    ],
)
def test_aogd_names_bad_input(change, error, message):
    good = {"losses": losses("square", [[1.0], [1.0]]), "domain": interval(-1.0, 1.0), "phi": [0.0]}
    with pytest.raises(error, match=message):
        aogd(**{**good, **change})


@pytest.mark.parametrize(
    ("h", "error", "message"),
    [
        (0, ValueError, "h must be > 0, got 0"),
        (-0.5, ValueError, "h must be > 0, got -0.5"),
        (1.5, ValueError, "h must be <= 1, got 1.5"),
        (np.nan, ValueError, "h must be finite, got nan"),
        (Fraction(1, 10**400), ValueError, "h must be in the range of float64, got Fraction"),
        (True, TypeError, "h must be a real number, got True"),
        ("1", TypeError, "h must be a real number, got '1'"),
        (Exact(1), TypeError, r"h must be in floats, got Exact\(1\)"),
    ],
)
def test_dynamic_ogd_names_a_bad_share(h, error, message):
    with pytest.raises(error, match=message):
        dynamic_ogd(losses("square", [[1.0]]), interval(-1.0, 1.0), [0.0], 1.0, h)


def test_overflow_is_an_error():
    L = losses("square", [[1e200]] * 3, b=1e150)
    with pytest.raises(OverflowError, match="dynamic_ogd left the range of float64 at round"):
        dynamic_ogd(L, space(1), [0.0], 2.0**40)
    with pytest.raises(OverflowError, match="aogd left the range of float64 at round"):
        aogd(L, space(1), [0.0], 1.0)
