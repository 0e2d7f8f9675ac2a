"""The best fixed action: its lower bound is never above any value, and ties are broken by the divergence."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from arubatheory.arithmetic import Exact, approximate, exact, precision
from arubatheory.kernel import pure
from arubatheory.learners import greedy_ogd, hindsight, omd, regret
from arubatheory.problems import domains
from arubatheory.problems import losses as f
from arubatheory.problems.domains import SIMPLEX, SPACE, ball, box, interval, simplex, space
from arubatheory.problems.losses import LINEAR, LINKS, losses
from arubatheory.problems.regularizers import entropy, euclidean
from tests.learners.learner_instances import PAIRS, both, problem

EPS = np.finfo(np.float64).eps


def values(L, points):
    return np.array([f.total(L, len(L.a), x) for x in points])


@pytest.mark.parametrize("link", range(len(LINKS)))
@pytest.mark.parametrize(("domain", "regularizer"), PAIRS)
def test_the_lower_bound_is_valid_and_tight(domain, regularizer, link):
    p = problem(17, domain, regularizer, link=link, m=5)
    if domain == SPACE and link == LINEAR:
        with pytest.raises(ValueError, match="losses must have a sum with a lower bound over the domain"):
            hindsight(p.losses._replace(ridge=0 * p.losses.ridge), p.domain, p.R, p.phi)
        return
    best = hindsight(p.losses, p.domain, p.R, p.phi)
    magnitude = best.value + np.abs(p.losses.b) @ p.losses.weight + np.abs(p.losses.a).sum() + 1
    assert domains.contains(p.domain, best.action)
    assert best.lower <= best.value <= best.lower + 1e-8 * magnitude
    rng = np.random.default_rng(link)
    for scale in (1.0, 1e-3, 1e-6):
        near = [domains.project(p.domain, best.action + scale * rng.normal(size=2)) for _ in range(40)]
        assert np.all(values(p.losses, near) >= best.lower - 32 * EPS * magnitude)


@pytest.mark.parametrize(("domain", "regularizer"), PAIRS)
def test_exact_losses_have_an_exact_lower_bound(domain, regularizer):
    for seed in range(3):
        floats, p = both(seed, domain, regularizer, m=3)
        try:
            best = hindsight(p.losses, p.domain, p.R, p.phi)
        except ValueError as error:
            assert domain == SPACE and "lower bound" in str(error)
            continue
        assert pure(domains.inside)(p.domain, best.action) >= 0
        with precision(512):
            assert best.lower.is_rational and best.lower <= best.value
        assert isinstance(best.value, Exact)
        magnitude = 1 + abs(approximate(best.value)) + np.abs(floats.losses.b).sum() + floats.losses.weight.sum()
        assert approximate(best.value - best.lower) <= 1e-8 * magnitude


@pytest.mark.parametrize("far", [0.0, 1.0, 1e8])
def test_the_bound_of_ridges_is_below_the_exact_minimum(far):
    """On R^d the least sum of <a, x> + r |x - c|^2 / 2 is known in fractions."""
    for seed in range(40):
        rng, m = np.random.default_rng(seed), 1 + 13 * seed
        a, c, r = seed % 2 * rng.normal(size=(m, 2)), far + rng.normal(size=(m, 2)), rng.random(m) + 0.1
        best, least = hindsight(losses("linear", a, ridge=r, c=c), space(2), phi=np.full(2, far)), Fraction(0)
        shares = [Fraction(x) for x in r]
        for slopes, centers in zip(a.T, c.T, strict=True):
            pull, points = sum(map(Fraction, slopes)), [Fraction(x) for x in centers]
            x = (sum(q * y for q, y in zip(shares, points, strict=True)) - pull) / sum(shares)
            least += pull * x + sum(q * (x - y) ** 2 for q, y in zip(shares, points, strict=True)) / 2
        assert best.lower <= least <= Fraction(best.value) + Fraction(best.value - best.lower)
        assert best.value - best.lower <= 1e-9 * (abs(float(least)) + m * (1 + far))


def test_regret_with_a_hindsight_uses_the_lower_bound():
    L = losses("absolute", [[1.0], [1.0], [1.0]], b=[0.0, 0.5, 1.0])
    domain = interval(-1.0, 1.0)
    got, best = omd(L, domain, euclidean(1), [0.0], 0.25), hindsight(L, domain)
    assert regret(got, L, best) == got.values.sum() - best.lower
    assert regret(got, L, best) >= regret(got, L, best.action)
    assert abs(best.action[0] - 0.5) < 1e-9 and abs(best.value - 1.0) < 1e-9


@pytest.mark.parametrize(("phi", "expected"), [(0.0, 0.25), (0.5, 0.5), (1.0, 0.75)])
def test_ties_go_to_the_least_divergence(phi, expected):
    L = losses("absolute", [[1.0], [1.0]], b=[0.25, 0.75])  # every point of [1/4, 3/4] is optimal
    best = hindsight(L, interval(0.0, 1.0), euclidean(1), [phi])
    assert abs(best.action[0] - expected) < 1e-6
    best = hindsight(L, interval(0.0, 1.0), entropy(1), [max(phi, 0.125)])
    assert abs(best.action[0] - expected) < 1e-6


def test_squares_that_leave_a_direction_free_have_an_action_in_the_ball():
    rng = np.random.default_rng(0)
    for k in range(4):  # the last covariate is a multiple of the first
        a = np.column_stack([np.full(9, 0.5), rng.integers(0, 4, 9) / 6 - 0.5, np.full(9, -0.3)])
        labels = a @ [0.6, 2.7, -2.7] if k % 2 else rng.choice([-0.5, 0.5, 1.0], 9)
        best = hindsight(losses("square", a, labels), ball(np.zeros(3), 1.0))
        assert np.linalg.norm(best.action) <= 1 + 4 * EPS
        assert best.value - best.lower <= 1e-10


def test_ties_of_linear_losses():
    L = losses("linear", [[1.0, 0.0, 0.0]])
    best = hindsight(L, simplex(3), entropy(3), [0.5, 0.125, 0.375])
    assert np.allclose(best.action, [0, 0.25, 0.75], rtol=0, atol=1e-9) and best.value <= 1e-12
    best = hindsight(L, box([-1.0] * 3, [1.0] * 3), euclidean(3), [0.0, 0.25, -0.5])
    assert np.allclose(best.action, [-1, 0.25, -0.5], rtol=0, atol=1e-9) and -1 - 1e-13 < best.lower <= -1
    nothing = hindsight(losses("linear", np.zeros((2, 2))), ball([0.0, 0.0], 1.0), euclidean(2), [0.5, 0.5])
    assert nothing.action.tolist() == [0.5, 0.5] and nothing.value == nothing.lower == 0


def test_the_whole_space():
    L = losses("absolute", [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], b=[1.0, 2.0, 3.0])
    best = hindsight(L, space(2))
    assert np.allclose(best.action, [1, 2], rtol=0, atol=1e-8) and -1e-9 <= best.lower <= best.value <= 1e-7
    squares = hindsight(losses("square", [[1.0], [1.0]], b=[0.0, 1.0]), space(1))
    assert abs(squares.action[0] - 0.5) < 1e-9 and squares.value - squares.lower < 1e-9
    balanced = hindsight(losses("linear", [[1.0], [-1.0]], b=[1.0, 2.0]), space(1))
    assert balanced.lower == balanced.value == -3.0
    separable = hindsight(losses("logistic", [[1.0]]), space(1))
    assert separable.lower == 0.0 <= separable.value


def test_unbounded_sums_are_refused():
    with pytest.raises(ValueError, match="losses must have a sum with a lower bound over the domain"):
        hindsight(losses("linear", [[1.0, 0.0]]), space(2))
    with pytest.raises(ValueError, match="losses must have a sum with a lower bound over the domain"):
        hindsight(losses(["linear", "absolute"], [[2.0], [1.0]]), space(1))


def test_bad_arguments():
    L = losses("linear", [[1.0, 0.0]])
    with pytest.raises(ValueError, match="phi must lie in the domain"):
        hindsight(L, ball([0.0, 0.0], 1.0), phi=[2.0, 0.0])
    with pytest.raises(ValueError, match="domain must have dimension 2"):
        hindsight(L, interval(0.0, 1.0))
    with pytest.raises(ValueError, match="entropy needs a bounded domain"):
        hindsight(L, ball([0.0, 0.0], 1.0), entropy(2))


def test_regret_refuses_other_shapes():
    L = losses("linear", [[1.0, 0.0]])
    got = greedy_ogd(L, ball([0.0, 0.0], 1.0), [0.0, 0.0], 1.0)
    with pytest.raises(ValueError, match="comparator must have shape"):
        regret(got, L, [0.0])
    with pytest.raises(ValueError, match="trajectory must have actions of shape"):
        regret(got, losses("linear", [[1.0]]), [0.0])
    with pytest.raises(ValueError, match=r"comparator must be finite, got \[nan, 0\]"):
        regret(got, L, [np.nan, 0])
    with pytest.raises(TypeError, match="comparator is exact and the losses are floats"):
        regret(got, L, [Exact(0), Exact(0)])


def test_point_domains():
    point = np.array([0.25, 0.75])
    for domain in (ball(point, 0.0), box(point, point), simplex(2, point)):
        best = hindsight(losses(["hinge", "distance", "huber"], np.zeros((3, 2)) + 0.5, c=1.0), domain)
        assert best.action.tolist() == point.tolist() and best.value - best.lower < 1e-12


CLOSED = {
    "linear": ("linear", 0.0),
    "ridge": ("linear", 0.3),
    "square": ("square", 0.0),
    "mixed": (["linear", "square"] * 4, 0.1),
}
THETA = {
    "ball": ball([0.1, 0.2], 0.5),
    "box": box([-0.5, 0.0], [0.1, 0.3]),
    "simplex": simplex(2, 0.1),
    "space": space(2),
}


@pytest.mark.parametrize("domain", THETA)
@pytest.mark.parametrize("kind", CLOSED)
def test_closed_forms_are_what_the_solver_finds(kind, domain, monkeypatch):
    link, ridge = CLOSED[kind]
    rng = np.random.default_rng(5)
    L = losses(link, rng.normal(size=(8, 2)), rng.normal(size=8), ridge=ridge, c=rng.normal(size=(8, 2)))
    if kind == "linear" and domain == "space":
        return
    quick, sharp = (
        hindsight(L, THETA[domain]),
        hindsight(exact(L), exact(THETA[domain]) if domain != "space" else space(2)),
    )
    assert exact(quick.lower) <= sharp.value and quick.lower <= quick.value
    monkeypatch.setattr("arubatheory.convex.hindsight.least_quadratic", lambda *given: (False, None, 0.0, 0.0))
    slow = hindsight(L, THETA[domain])
    size = 1 + abs(slow.value)
    assert np.allclose(quick.action, slow.action, rtol=0, atol=1e-6)
    assert abs(quick.value - slow.value) <= 1e-12 * size and slow.lower - quick.lower <= 1e-12 * size


def test_a_tie_that_is_not_for_floats_to_break_goes_to_the_solver():
    for domain, R in ((simplex(3), euclidean(3)), (box([0.0] * 3, [1.0] * 3), entropy(3))):
        best = hindsight(losses("linear", [[1.0, 0.0, 0.0]]), domain, R, [0.5, 0.125, 0.375])
        assert np.allclose(best.action, [0, 0.375, 0.625] if domain.kind == SIMPLEX else [0, 0.125, 0.375], atol=1e-6)
