"""Regularisers: values, divergences, the norms they are strongly convex in, drawing, and bad input."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arubatheory.arithmetic import Exact, Undefined, approximate, exact, precision
from arubatheory.kernel import on
from arubatheory.problems import norms
from arubatheory.problems.coarse import HypothesisDraw
from arubatheory.problems.domains import BALL, SIMPLEX, Domain, ball, box, contains, extreme_points, simplex, space
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import (
    ENTROPY,
    EUCLIDEAN,
    MAHALANOBIS,
    Regularizer,
    bregman,
    check_pair,
    entropy,
    euclidean,
    gradient,
    mahalanobis,
    mass_bound,
    random_regularizer,
    random_start,
    value,
)

EPS = float(np.finfo(np.float64).eps)


def norm(R, domain, x):
    """The norm in which R is 1-strongly convex over the domain."""
    return np.sqrt(on(norms.norm_square, x)(on(norms.norm_of, x)(R, domain), x))


def dual_norm_squared(R, domain, g):
    """The square of its dual norm."""
    return on(norms.dual_square, g)(on(norms.norm_of, g)(R, domain), g)


def dual_norm(R, domain, g):
    """Its dual norm."""
    return np.sqrt(dual_norm_squared(R, domain, g))


KINDS = (EUCLIDEAN, ENTROPY, MAHALANOBIS)
NAMES = ("euclidean", "entropy", "mahalanobis")
each_kind = pytest.mark.parametrize("kind", KINDS, ids=NAMES)


def regularizer(draw, kind: int, d: int) -> Regularizer:
    return Regularizer(kind, draw.spd(d) if kind == MAHALANOBIS else draw.zeros((d, d)))


def games(n: int, kind: int):
    """(R, domain, x, y, draw): two points of a domain, gradients existing at y."""
    for k in range(n):
        draw = RandomDraw(np.random.default_rng([41, kind, k]))
        yield (*game(draw, kind), draw)


def game(draw, kind: int):
    d = draw.integer(1, 5)
    domain = random_domain(draw, d, positive=kind == ENTROPY)
    R = regularizer(draw, kind, d)
    return R, domain, random_point(domain, draw), random_start(R, domain, draw)


def scale(R: Regularizer, x, y) -> float:
    """The magnitudes that R(x), R(y) and <grad R(y), x - y> add up."""
    if R.kind == ENTROPY:
        logs = np.abs(np.log(np.where(x > 0, x, 1))) + np.abs(np.log(y))
        return float(np.sum((np.abs(x) + np.abs(y)) * (1 + logs)))
    matrix = np.abs(R.matrix) if R.kind == MAHALANOBIS else np.eye(x.size)
    size = np.abs(x) + np.abs(y)
    return float(size @ matrix @ size)


@each_kind
def test_bregman_is_the_definition(kind):
    for R, _, x, y, _ in games(80, kind):
        definition = value(R, x) - value(R, y) - gradient(R, y) @ (x - y)
        assert bregman(R, x, y) == pytest.approx(definition, abs=8 * (x.size + 2) * EPS * scale(R, x, y), rel=0)


@each_kind
def test_bregman_is_nonnegative_and_zero_at_equality(kind):
    for R, _, x, y, _ in games(80, kind):
        assert bregman(R, x, y) >= 0
        assert bregman(R, y, y) == 0


@each_kind
def test_strong_convexity_in_the_stated_norm(kind):
    r"""$B_R(x \| y) \ge \|x - y\|^2/2$, certainly or not certainly violated, in exact arithmetic."""
    for k in range(60):
        draw = RandomDraw(np.random.default_rng([43, kind, k]))
        game(draw, kind)
        with precision(256):
            R, domain, x, y = game(TapeDraw(draw.tape, exact=True), kind)
            gap = on(bregman, x)(R, x, y) - norm(R, domain, x - y) ** 2 / 2
            assert not certainly_negative(gap)


def certainly_negative(x: Exact) -> bool:
    try:
        return x < 0
    except ArithmeticError:
        return False


def test_strong_convexity_is_attained_for_the_entropy():
    """The modulus 1 is not a loose choice: small steps between two coordinates of weight 1/2 reach it."""
    R, domain, y = entropy(2), simplex(2), np.array([0.5, 0.5])
    t = 2.0**-12
    x = y + np.array([t, -t])
    assert bregman(R, x, y) / (norm(R, domain, x - y) ** 2 / 2) == pytest.approx(1, abs=t * t)


@each_kind
def test_dual_norms_satisfy_cauchy_schwarz_and_attain_it(kind):
    for R, domain, x, y, draw in games(80, kind):
        g = draw.real(-1, 1, x.size) * draw.positive(-20, 20)
        bound = norm(R, domain, x - y) * dual_norm(R, domain, g)
        # the dual norm goes through a solve, whose relative error is a few d^2 eps times the condition number
        kappa = np.linalg.cond(R.matrix) if kind == MAHALANOBIS else 1.0
        slack = 8 * (x.size + 2) ** 2 * EPS * kappa
        assert abs(g @ (x - y)) <= bound * (1 + slack) + 8 * x.size * EPS * np.abs(g) @ np.abs(x - y)
        best = maximizer(R, domain, g)
        assert g @ best == pytest.approx(norm(R, domain, best) * dual_norm(R, domain, g), rel=slack)
        assert dual_norm_squared(R, domain, g) == pytest.approx(dual_norm(R, domain, g) ** 2, rel=4 * EPS)


def maximizer(R: Regularizer, domain: Domain, g):
    if R.kind == EUCLIDEAN:
        return g
    if R.kind == MAHALANOBIS:
        return np.linalg.solve(R.matrix, g)
    k = int(np.argmax(np.abs(g)))
    return np.sign(g[k]) * np.eye(g.size)[k]


def test_the_mass_bound_is_the_largest_l1_norm():
    for _, domain, _, _, draw in games(80, ENTROPY):
        points = [random_point(domain, draw) for _ in range(8)] + extreme_points(domain)
        largest = mass_bound(domain)
        slack = 1 + 8 * (domain.low.size + 2) * EPS
        assert max(float(np.abs(p).sum()) for p in points) <= largest * slack
        if domain.kind == BALL:
            top = domain.center + domain.radius[0] / math.sqrt(domain.low.size)
            assert top.sum() == pytest.approx(largest, rel=8 * domain.low.size * EPS)
        else:
            assert any(np.abs(p).sum() == pytest.approx(largest, rel=8 * domain.low.size * EPS) for p in points)


@each_kind
def test_float_and_exact_values_agree(kind):
    for R, domain, x, y, _ in games(40, kind):
        lifted = tuple(exact(v) for v in (R, domain, x, y))
        with precision(256):
            R_, domain_, x_, y_ = lifted
            pairs = (
                (value(R, x), on(value, x_)(R_, x_)),
                (bregman(R, x, y), on(bregman, x_)(R_, x_, y_)),
                (norm(R, domain, x - y) ** 2, norm(R_, domain_, exact(x - y)) ** 2),
            )
            slope = approximate(on(gradient, y_)(R_, y_))
        for ours, truth in pairs:
            assert ours == pytest.approx(approximate(truth), rel=0, abs=16 * (x.size + 2) * EPS * scale(R, x, y))
        sizes = np.abs(R.matrix) @ np.abs(y) if kind == MAHALANOBIS else np.abs(slope) + 1
        assert np.all(np.abs(gradient(R, y) - slope) <= 8 * (x.size + 2) * EPS * (sizes + np.abs(y)))


def test_rational_things_stay_rational():
    for kind in (EUCLIDEAN, MAHALANOBIS):
        for k in range(20):
            draw = RandomDraw(np.random.default_rng([47, kind, k]))
            game(draw, kind)
            R, domain, x, y = game(TapeDraw(draw.tape, exact=True), kind)
            assert on(bregman, x)(R, x, y).is_rational and on(value, x)(R, x).is_rational
            assert dual_norm_squared(R, domain, x).is_rational
    g = exact(np.array([1.0, -3.0]))
    assert dual_norm_squared(entropy(2), simplex(2, Exact(0)), g) == 9
    assert dual_norm_squared(entropy(2), box([Exact(0)] * 2, [Exact(1), Exact(2)]), g) == 27


def test_kullback_leibler_keeps_its_digits_where_terms_cancel():
    """x close to y: the textbook sum loses all digits, the divergence is about (x - y)^2/(2y)."""
    R = entropy(1)
    with mpmath.workprec(400):
        for y in (1e-9, 0.3, 1.0, 7.0):
            for shift in (1e-14, -1e-9, 1e-5, -1e-3, 0.03, 0.1, 0.12, 0.125, 0.2, -0.5, 3.0):
                x = y * (1 + shift)
                a, b = mpmath.mpf(x), mpmath.mpf(y)
                truth = a * mpmath.log(a / b) - a + b
                assert bregman(R, np.array([x]), np.array([y])) == pytest.approx(float(truth), rel=256 * EPS)


def test_entropy_at_the_boundary():
    R, zero, half = entropy(2), np.array([0.0, 1.0]), np.array([0.5, 0.5])
    assert value(R, zero) == 0
    assert bregman(R, zero, half) == pytest.approx(math.log(2), rel=4 * EPS)
    assert bregman(R, half, zero) == math.inf and bregman(R, np.array([-1.0, 1.0]), half) == math.inf
    assert bregman(R, zero, zero) == 0 and value(R, -half) == math.inf
    assert gradient(R, zero).tolist() == [-math.inf, 1.0]
    R_, zero_, half_ = exact((R, zero, half))
    assert on(value, zero_)(R_, zero_) == 0
    assert on(bregman, zero_)(R_, zero_, zero_) == 0
    for call in (lambda: on(bregman, half_)(R_, half_, zero_), lambda: on(gradient, zero_)(R_, zero_)):
        with pytest.raises(Undefined, match="an infinite value"):
            call()


ERRORS = [
    (lambda: euclidean(0), ValueError, r"d must be >= 1, got 0"),
    (lambda: entropy(1.5), TypeError, r"d must be an integer, got 1.5"),
    (lambda: mahalanobis([1.0]), ValueError, r"matrix must be square, got shape \(1,\)"),
    (lambda: mahalanobis([[1.0, 0.0]]), ValueError, r"matrix must be square, got shape \(1, 2\)"),
    (lambda: mahalanobis([[1.0, 0.5], [0.25, 1.0]]), ValueError, r"matrix must be symmetric, got \[\[1.0, 0.5\]"),
    (lambda: mahalanobis([[1.0, 1.0], [1.0, 1.0]]), ValueError, r"matrix must be positive definite, got"),
    (lambda: mahalanobis([[0.0]]), ValueError, r"matrix must be positive definite, got \[\[0.0\]\]"),
    (lambda: mahalanobis([[-1.0]]), ValueError, r"matrix must be positive definite, got"),
    (lambda: mahalanobis([[math.nan]]), ValueError, r"matrix must be finite, got \[\[nan\]\]"),
    (lambda: mahalanobis([["a"]]), TypeError, r"matrix must hold real numbers, got"),
    (lambda: mahalanobis([[1.0], [1.0, 2.0]]), ValueError, r"matrix must be a regular array"),
    (lambda: check_pair(euclidean(2), simplex(3)), ValueError, r"R and domain must agree in dimension, got 2 and 3"),
    (lambda: check_pair(entropy(2), space(2)), ValueError, r"entropy needs a bounded domain .* got space"),
    (lambda: check_pair(entropy(1), box(-1, 1)), ValueError, r"entropy needs .* got box low=\[-1.\]"),
    (lambda: check_pair(entropy(1), box(0, 0)), ValueError, r"entropy needs .* got box"),
    (lambda: check_pair(entropy(2), ball([1.0, 1.0], 2.0)), ValueError, r"entropy needs .* got ball"),
    (lambda: check_pair(entropy(2), simplex(2, [1.0, 0.0])), ValueError, r"entropy needs .* got simplex"),
    (lambda: mass_bound(space(1)), ValueError, r"entropy is not defined on the whole space"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS, ids=[m for _, _, m in ERRORS])
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_definiteness_is_decided_in_rationals_where_floats_doubt():
    """Hilbert matrices: pivots sink below rounding at d = 8, and the float entries still make a definite matrix."""
    hilbert = 1 / (1 + np.add.outer(np.arange(8), np.arange(8)))
    assert mahalanobis(hilbert).kind == MAHALANOBIS
    one_ulp = np.array([[1.0, 1.0], [1.0, 1.0 + EPS]])
    assert mahalanobis(one_ulp).matrix[1, 1] > 1
    with pytest.raises(ValueError, match="positive definite"):
        mahalanobis([[1.0, 1.0], [1.0, 1.0 - EPS]])
    assert mahalanobis([[Fraction(1), Fraction(1, 3)], [Fraction(1, 3), Fraction(1)]]).matrix[0, 0] == Exact(1)


def test_a_constructor_copies_its_input():
    matrix, low = np.eye(2), np.zeros(2)
    R, domain = mahalanobis(matrix), box(low, low + 1)
    matrix[0, 0] = low[0] = -7
    assert R.matrix[0, 0] == 1 and domain.low[0] == 0


ENTRIES = st.one_of(st.floats(), st.integers(-4, 4), st.fractions(), st.none(), st.text(max_size=1), st.booleans())


@given(st.one_of(ENTRIES, st.lists(ENTRIES, max_size=3), st.lists(st.lists(ENTRIES, max_size=3), max_size=3)))
def test_mahalanobis_is_valid_or_a_clear_error(matrix):
    try:
        R = mahalanobis(matrix)
    except (ValueError, TypeError):
        return
    d = R.matrix.shape[0]
    assert R.matrix.shape == (d, d) and np.all(R.matrix == R.matrix.T)
    assert all(x > 0 for x in np.diagonal(R.matrix))


@given(st.floats(0.01, 100), st.floats(-100, 100), st.floats(0.01, 100))
def test_definiteness_agrees_with_the_determinant(a, b, c):
    determinant = Fraction(a) * Fraction(c) - Fraction(b) ** 2
    if determinant > 0:
        assert mahalanobis([[a, b], [b, c]]).kind == MAHALANOBIS
    else:
        with pytest.raises(ValueError, match="positive definite"):
            mahalanobis([[a, b], [b, c]])


@given(st.data())
def test_drawn_pairs_are_defined_and_starts_are_inside(data):
    draw = HypothesisDraw(data)
    d = draw.integer(1, 3)
    domain = random_domain(draw, d, positive=draw.boolean())
    R = random_regularizer(draw, d, domain)
    check_pair(R, domain)
    phi = random_start(R, domain, draw)
    assert contains(domain, phi) and np.isfinite(gradient(R, phi)).all()


def test_drawn_pairs_are_exact_on_a_tape():
    kinds = set()
    for k in range(80):
        draw = RandomDraw(np.random.default_rng([53, k]))
        domain = random_domain(draw, 2, positive=True)
        R = random_regularizer(draw, 2, domain)
        random_start(R, domain, draw)
        tape = TapeDraw(draw.tape, exact=True)
        domain_ = random_domain(tape, 2, positive=True)
        R_ = random_regularizer(tape, 2, domain_)
        phi_ = random_start(R_, domain_, tape)
        check_pair(R_, domain_)
        assert R_.kind == R.kind and contains(domain_, phi_) and all(x.is_rational for x in phi_)
        assert R.kind != ENTROPY or all(x > 0 for x in phi_)
        kinds.add((R.kind, domain.kind))
    assert {(ENTROPY, SIMPLEX), (ENTROPY, BALL), (MAHALANOBIS, SIMPLEX), (EUCLIDEAN, BALL)} <= kinds
