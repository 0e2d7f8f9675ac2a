"""The constants of losses over domains: sound in every pair of regulariser and domain, tight where it is claimed."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from arubatheory.arithmetic import FIRST_BITS, Exact, Undecided, approximate, exact, precision
from arubatheory.kernel import on, pure
from arubatheory.problems import domains, norms, regularizers
from arubatheory.problems import losses as module
from arubatheory.problems.constants import lipschitz, lipschitz_squared, smoothness, strong_convexity
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.losses import (
    ABSOLUTE,
    DISTANCE,
    HINGE,
    HUBER,
    LINEAR,
    LINKS,
    LOGISTIC,
    SQUARE,
    Losses,
    losses,
    random_losses,
    rows,
)
from arubatheory.problems.random_domains import random_domain, random_point

EPS = float(np.finfo(np.float64).eps)
BOUNDED = (domains.BALL, domains.BOX, domains.SIMPLEX)
R_KINDS = (regularizers.EUCLIDEAN, regularizers.MAHALANOBIS, regularizers.ENTROPY)
PAIRS = list(itertools.product(BOUNDED, R_KINDS))


@pytest.fixture(autouse=True)
def _first_precision():
    with precision(FIRST_BITS):
        yield


def instance(draw, kind, R_kind, m=4, points=6):
    """Losses, a domain of the kind, a regulariser of the kind, and points of the domain, extreme ones included."""
    d = draw.integer(1, 3)
    domain = random_domain(draw, d, (kind,), positive=R_kind == regularizers.ENTROPY)
    matrix = draw.spd(d) if R_kind == regularizers.MAHALANOBIS else draw.zeros((d, d))
    R = regularizers.Regularizer(R_kind, matrix)
    L = random_losses(draw, m, d, domain)
    if draw.boolean():
        L = L._replace(c=L.c + draw.real(-2, 2, (m, d)))
    inside = [random_point(domain, draw) for _ in range(points)]
    return L, domain, R, inside + domains.extreme_points(domain, 6)


def not_less(x, y) -> bool:
    """Whether x >= y, or both are the same up to balls thinner than rounding."""
    try:
        return bool(x >= y)
    except Undecided:
        return bool(abs(approximate(x - y)) <= 2.0**-60 * abs(approximate(y)))


def ratio(x, y) -> float:
    return float(approximate(x / y))


# soundness, exactly ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind,R_kind", PAIRS)
@pytest.mark.parametrize("seed", range(6))
def test_constants_are_sound_in_exact_numbers(kind, R_kind, seed):
    source = RandomDraw(np.random.default_rng(seed))
    instance(source, kind, R_kind)
    L, domain, R, points = instance(TapeDraw(source.tape, exact=True), kind, R_kind)
    for given in (None, R) if R_kind != regularizers.EUCLIDEAN else (None,):
        S = given or regularizers.Regularizer(regularizers.EUCLIDEAN, R.matrix)
        squared, alpha, beta = (f(L, domain, given) for f in (lipschitz_squared, strong_convexity, smoothness))
        for i, x in itertools.product(range(len(L.link)), points):
            g = pure(module.subgradient)(L, i, x)
            assert not_less(squared[i], dual_norm_squared(S, domain, g))
            for y in points[:3]:
                _assert_curvature(L, i, domain, S, x, y, g, alpha[i], beta[i])


def _assert_curvature(L, i, domain, R, x, y, g, alpha, beta):
    gap = pure(module.value)(L, i, y) - pure(module.value)(L, i, x) - g @ (y - x)
    square = _norm_squared(R, domain, y - x)
    assert _sound(gap - alpha * square / 2, L, i, x, y)
    if not isinstance(beta, float):
        assert _sound(beta * square / 2 - gap, L, i, x, y)


class Constants(NamedTuple):
    """Of all losses together."""

    G: Any
    L: Any
    alpha: Any
    beta: Any


def constants(L, domain, R=None):
    """All of them."""
    G = lipschitz(L, domain, R)
    largest = max(G, key=lambda g: math.inf if isinstance(g, float) else approximate(g))
    return Constants(
        G, max(G) if G.dtype != object else largest, strong_convexity(L, domain, R), smoothness(L, domain, R)
    )


def dual_norm_squared(R, domain, g):
    """The square of the dual of the norm of R over the domain."""
    return on(norms.dual_square, g)(on(norms.norm_of, g)(R, domain), g)


def _norm_squared(R, domain, h):
    if R.kind == regularizers.EUCLIDEAN:
        return h @ h
    if R.kind == regularizers.MAHALANOBIS:
        return h @ (R.matrix @ h)
    return sum(abs(h)) ** 2 / pure(regularizers.mass_bound)(domain)


def _sound(margin, L, i, x, y) -> bool:
    try:
        return bool(margin >= 0)
    except Undecided:
        size = sum(float(approximate(abs(pure(module.value)(L, i, p)))) for p in (x, y))
        steep = sum(float(approximate(sum(abs(pure(module.subgradient)(L, i, p))))) for p in (x, y))
        reach = float(approximate(sum(abs(x)) + sum(abs(y)) + 1))
        return abs(float(approximate(margin))) <= 2.0**-60 * (1 + size + steep * reach) * (1 + reach)


# soundness, by sampling ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind,R_kind", PAIRS)
def test_lipschitz_constants_hold_on_dense_samples(kind, R_kind):
    """In floats up to rounding of the magnitudes that make up a gradient: fewer than 60 roundings."""
    for seed in range(12):
        draw = RandomDraw(np.random.default_rng([seed, kind, R_kind]))
        L, domain, R, points = instance(draw, kind, R_kind, points=40)
        G = lipschitz(L, domain, R)
        for i, x in itertools.product(range(len(L.link)), points):
            g = module.subgradient(L, i, x)
            size = np.abs(L.a[i]) * L.weight[i] * (np.abs(L.a[i]) @ np.abs(x) + abs(L.b[i]) + 1) + L.weight[i]
            size = size + L.ridge[i] * (np.abs(x) + np.abs(L.c[i]))
            slack = _dual_of_sizes(R, domain, size) * 60 * EPS
            assert np.sqrt(dual_norm_squared(R, domain, g)) <= G[i] + slack
            assert np.isfinite(G[i])


def _dual_of_sizes(R, domain, size):
    """A bound of the dual norm of any vector of at most these magnitudes."""
    unit = np.eye(len(size))
    return sum(s * np.sqrt(dual_norm_squared(R, domain, e)) for s, e in zip(size, unit, strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_float_and_exact_constants_agree(seed):
    source = RandomDraw(np.random.default_rng(seed))
    kind, R_kind = PAIRS[seed % len(PAIRS)]
    L, domain, R, _ = instance(source, kind, R_kind)
    E, exact_domain, exact_R = exact(L), exact(domain), exact(R)
    floats, exacts = constants(L, domain, R), constants(E, exact_domain, exact_R)
    for x, y in zip(floats, exacts, strict=True):
        x = np.ravel(x)
        y = np.array([v if isinstance(v, float) else approximate(v) for v in np.ravel(np.array(y, dtype=object))])
        # A kink so near the domain that rounding cannot tell counts in floats, and only there.
        assert (np.isinf(x) | ~np.isinf(y)).all()
        assert all(code in (HINGE, ABSOLUTE, DISTANCE) for code in L.link[np.isinf(floats.beta)])
        finite = np.isfinite(x)
        # Cancellation in <a, x> - b and a condition number of 2**8 are the only magnifiers of rounding here.
        np.testing.assert_allclose(x[finite], y[finite], rtol=1e6 * EPS, atol=1e6 * EPS * _largest_term(L, domain))


def _largest_term(L: Losses, domain) -> float:
    reach = sum(float(np.abs(v).max()) for v in (domain.low, domain.high, domain.center, domain.radius)) + 1
    reach += float(np.abs(L.c).max())
    steep = float((L.weight * (1 + np.abs(L.a).max(axis=1) ** 2) * (1 + np.abs(L.b)) + L.ridge).max())
    return steep * reach * reach


# tightness -------------------------------------------------------------------------------------------------------
def at(L, x, R=None, domain=None, i=0):
    """The squared dual norm of the subgradient at x, exactly."""
    g = pure(module.subgradient)(L, i, x)
    return g @ g if R is None else dual_norm_squared(R, domain, g)


def vector(*items):
    return np.array([Exact(Fraction(x)) for x in items], dtype=object)


BALL3 = domains.ball(vector(1, 2), Fraction(3))
BOX2 = domains.box(vector(-1, 0), vector(2, 3))
SIMPLEX2 = domains.simplex(2, vector(0, Fraction(1, 4)))
EXACT_DOMAINS = {"ball": BALL3, "box": BOX2, "simplex": SIMPLEX2}
A = vector(3, -4)[None]


@pytest.mark.parametrize("name", EXACT_DOMAINS)
@pytest.mark.parametrize("link", [LINEAR, ABSOLUTE, SQUARE, HUBER, HINGE, LOGISTIC])
def test_no_ridge_is_tight(name, link):
    domain = EXACT_DOMAINS[name]
    L = losses(link, A, Fraction(1, 3), weight=Fraction(5, 7))
    ends = [pure(domains.linear_minimizer)(domain, sign * A[0]) for sign in (1, -1)]
    reached = [at(L, x) for x in ends]
    best = reached[0] if reached[0] > reached[1] else reached[1]
    bound = lipschitz_squared(L, domain)[0]
    assert not_less(bound, best) and ratio(bound, best) == 1
    if link != LOGISTIC:
        assert bound.is_rational and bound == best


@pytest.mark.parametrize("R", [None, regularizers.mahalanobis(exact(np.array([[2.0, 1.0], [1.0, 3.0]])))])
def test_a_linear_loss_has_the_norm_of_its_gradient(R):
    L = losses("linear", A, weight=2)
    for domain in (*EXACT_DOMAINS.values(), domains.space(2)):
        truth = at(L, vector(1, 0), R, domain)
        assert lipschitz_squared(L, domain, R)[0] == truth
        assert R is not None or constants(L, domain, R).L == 10


def _farthest(domain, target):
    """The points of the domain that are extreme in the direction away from `target`."""
    if domain.kind == domains.BALL:
        way = domain.center - target
        return [domain.center + domain.radius[0] * way / np.sqrt(way @ way)]
    return domains.extreme_points(domain)


@pytest.mark.parametrize("name", EXACT_DOMAINS)
@pytest.mark.parametrize("link,b", [("linear", 0), ("distance", 0)])
def test_a_ridge_on_linear_losses_and_distances_is_tight(name, link, b):
    domain, r = EXACT_DOMAINS[name], Fraction(2)
    a = A if link == "linear" else A / 5
    L = losses(link, a, b, ridge=r, c=vector(-2, Fraction(1, 5))[None])
    centre = L.c[0] if link == "distance" else L.c[0] - A[0] / r
    best = max(approximate(at(L, x)) for x in _farthest(domain, centre))
    assert approximate(lipschitz_squared(L, domain)[0]) == pytest.approx(best, rel=8 * EPS)


def test_squares_with_a_ridge_are_tight_on_a_simplex_and_an_interval():
    L = losses("square", A, 1, ridge=3, c=vector(2, -5)[None])
    corners = [at(L, x) for x in domains.extreme_points(SIMPLEX2)]
    assert lipschitz_squared(L, SIMPLEX2)[0] == max(corners)
    line, M = domains.interval(Exact(-2), Exact(5)), losses("square", [[Exact(3)]], 1, ridge=2, c=[[Fraction(1, 2)]])
    assert lipschitz_squared(M, line)[0] == max(at(M, x) for x in domains.extreme_points(line))


def test_the_range_of_the_argument_is_used():
    far = domains.interval(Exact(2), Exact(3))
    for link, truth in (("hinge", 0), ("absolute", 1), ("huber", 1), ("square", 9)):
        assert lipschitz_squared(losses(link, [[Exact(1)]]), far)[0] == truth
    near = domains.interval(Exact(Fraction(-1, 4)), Exact(Fraction(1, 2)))
    assert lipschitz_squared(losses("huber", [[Exact(1)]]), near)[0] == Fraction(1, 4)
    assert lipschitz_squared(losses("hinge", [[Exact(1)]]), near)[0] == 1
    assert approximate(lipschitz(losses("logistic", [[Exact(1)]]), near)[0]) == pytest.approx(1 / (1 + math.exp(-0.25)))


def test_entropy_norm_on_the_simplex_is_the_largest_entry():
    L = losses("linear", [[3.0, -4.0]], weight=0.5)
    assert constants(L, domains.simplex(2), regularizers.entropy(2)).G.tolist() == [2.0]


# curvature -------------------------------------------------------------------------------------------------------
def test_strong_convexity_and_smoothness_by_hand():
    line = domains.interval(-0.5, 2.0)
    expected = {
        "linear": (0, 0),
        "square": (4, 4),
        "hinge": (0, math.inf),
        "absolute": (0, math.inf),
        "huber": (0, 4),
        "distance": (0, math.inf),
    }
    for link, (alpha, beta) in expected.items():
        a = 1.0 if link == "distance" else 2.0
        L = losses(link, [[a]], ridge=[1.0])
        assert strong_convexity(L, line).tolist() == [alpha + 1]
        assert smoothness(L, line).tolist() == [beta + 1]
    L = losses("logistic", [[2.0]])
    assert smoothness(L, line)[0] == 1.0
    assert strong_convexity(L, line)[0] == pytest.approx(4 * math.exp(-4) / (1 + math.exp(-4)) ** 2, rel=8 * EPS)
    inner, outer = domains.interval(-0.25, 0.25), domains.interval(1.0, 2.0)
    assert strong_convexity(losses("huber", [[2.0]]), inner)[0] == 4
    assert smoothness(losses("huber", [[2.0]]), outer)[0] == 0
    for link in ("hinge", "absolute"):
        assert smoothness(losses(link, [[2.0]]), outer)[0] == 0


def test_a_distance_is_smooth_away_from_its_centre():
    domain = domains.ball([3.0, 4.0], 1.0)
    L = losses("distance", 0, weight=2, c=[[0.0, 0.0], [3.0, 4.5]])
    found = smoothness(L, domain)
    assert found[0] == pytest.approx(0.5, rel=60 * EPS) and found[0] >= 0.5 and found[1] == math.inf
    assert smoothness(rows(L, 0, 1), domains.box([3.0, 4.0], [4.0, 5.0]))[0] == pytest.approx(0.4, rel=60 * EPS)
    assert smoothness(losses("distance", 0, c=[[1.0]]), domains.interval(2.0, 3.0))[0] == 0


def test_curvature_in_other_norms():
    R = regularizers.mahalanobis(np.diag([4.0, 1.0]))
    L = losses("linear", [[1.0, 0.0]], ridge=2)
    domain = domains.box([0.5, 0.5], [1.0, 3.0])
    assert strong_convexity(L, domain, R).tolist() == [0.5] and smoothness(L, domain, R).tolist() == [2.0]
    S = regularizers.entropy(2)  # S = 4: alpha = r S / d, beta = r S
    assert strong_convexity(L, domain, S).tolist() == [4.0] and smoothness(L, domain, S).tolist() == [8.0]


# the whole space -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("in_exact", [False, True])
def test_the_whole_space(in_exact):
    a = np.array([[3.0, 4.0]] * 6 + [[0.5, 0.75]])
    L, domain = losses(range(7), exact(a) if in_exact else a), domains.space(2)
    domain = exact(domain) if in_exact else domain
    C = constants(L, domain)
    assert [x == 5 for x in C.G] == [True, False, True, True, True, True, False]
    assert C.G[SQUARE] == math.inf and C.G[DISTANCE] == 1 and C.L == math.inf
    assert all(x == 0 for x in C.alpha)
    assert C.beta[LINEAR] == 0 and C.beta[SQUARE] == 25 and C.beta[HUBER] == 25 and C.beta[LOGISTIC] == Fraction(25, 4)
    assert all(C.beta[i] == math.inf for i in (HINGE, ABSOLUTE, DISTANCE))
    ridged = constants(L._replace(ridge=L.weight), domain)
    assert all(x == math.inf for x in ridged.G) and all(x == 1 for x in ridged.alpha)


def test_losses_that_vanish_have_constants_zero():
    for domain in (domains.space(2), domains.box([-1, -1], [1, 1]), domains.ball([0, 0], 0), domains.simplex(2)):
        for link in LINKS:
            L = losses(link, [[0.0, 0.0]], weight=0)
            assert [float(np.ravel(x)[0]) for x in constants(L, domain)] == [0, 0, 0, 0]
            if link != "distance":
                M = losses(link, [[0.0, 0.0]], 3)
                assert [float(np.ravel(x)[0]) for x in constants(M, domain)] == [0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(30))
def test_decisions_at_a_kink_fall_on_the_safe_side(seed):
    """The domain ends at a kink exactly; however the float range rounds, the slope on the other side is counted."""
    draw = RandomDraw(np.random.default_rng(seed))
    d = draw.integer(1, 4)
    low = draw.real(-2, 2, d) / 3
    domain = domains.box(low, low + draw.unit(d) / 7)
    a = np.abs(draw.real(-1, 1, d)) / 3 + 0.01
    z = on(module.argument, a)(losses("linear", a[None]), 0, low)
    assert lipschitz(losses("hinge", a[None], z - 1), domain)[0] == pytest.approx(np.linalg.norm(a), rel=8 * EPS)
    for link, kink in (("hinge", 1), ("absolute", 0)):
        assert smoothness(losses(link, a[None], z - kink), domain)[0] == math.inf


# bad input -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("function", [lipschitz, lipschitz_squared, strong_convexity, smoothness, constants])
def test_bad_arguments_are_named(function):
    L = losses("linear", [[1.0, 2.0]])
    with pytest.raises(ValueError, match="domain must have dimension 2 as the losses do, got 3"):
        function(L, domains.simplex(3))
    with pytest.raises(ValueError, match="R and domain must agree in dimension, got 3 and 2"):
        function(L, domains.simplex(2), regularizers.euclidean(3))
    with pytest.raises(
        TypeError, match=r"domain is (exact and the losses are floats|in floats and the losses are exact)"
    ):
        function(exact(L), domains.simplex(2))
    with pytest.raises(ValueError, match="entropy needs a bounded domain"):
        function(L, domains.space(2), regularizers.entropy(2))
