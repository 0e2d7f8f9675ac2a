"""Domains: projections against independent solvers, margins, sizes, drawing, and bad input."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arubatheory.arithmetic import Exact, approximate, exact, precision
from arubatheory.kernel import on
from arubatheory.problems.coarse import HypothesisDraw
from arubatheory.problems.domains import (
    BALL,
    BOUNDED,
    BOX,
    KINDS,
    NAMES,
    SIMPLEX,
    SPACE,
    Domain,
    ball,
    box,
    center,
    contains,
    diameter,
    dimension,
    extreme_points,
    inside,
    interval,
    linear_minimizer,
    project,
    radius,
    simplex,
    space,
)
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.random_domains import random_domain, random_point

EPS = float(np.finfo(np.float64).eps)


def draws(n: int, seed: int = 0):
    return (RandomDraw(np.random.default_rng([seed, k])) for k in range(n))


def bisected(excess, low: float, high: float) -> float:
    """The root of a decreasing function by 200 halvings."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return (low + high) / 2


def reference_projection(domain: Domain, x):
    """By bisection on the multiplier, with none of the library's formulas."""
    if domain.kind == SPACE:
        return x
    if domain.kind == BOX:
        return np.clip(x, domain.low, domain.high)
    if domain.kind == BALL:
        y, r = x - domain.center, domain.radius[0]
        if np.linalg.norm(y) <= r:
            return x
        shift = bisected(lambda s: np.linalg.norm(y) * (1 - s) - r, 0.0, 1.0)
        return domain.center + y * (1 - shift)
    y = x - domain.low
    rest = 1 - domain.low.sum()
    tau = bisected(lambda t: np.maximum(y - t, 0).sum() - rest, y.max() - 1.0, y.max())
    return domain.low + np.maximum(y - tau, 0)


def size(domain: Domain, x) -> float:
    fields = (domain.low, domain.high, domain.center, domain.radius, x)
    return 1.0 * (domain.kind == SIMPLEX) + max(float(np.abs(approximate(v)).max()) for v in fields)


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: NAMES[k])
def test_projection_matches_bisection(kind):
    for draw in draws(150, kind):
        d = draw.integer(1, 6)
        domain = random_domain(draw, d, (kind,))
        x = draw.real(-3, 3, d) * draw.positive(-20, 20)
        # both routes are backward stable sums of d terms, and the projection is 1-Lipschitz
        tolerance = 8 * (d + 2) * EPS * size(domain, x)
        assert np.abs(project(domain, x) - reference_projection(domain, x)).max() <= tolerance


@pytest.mark.parametrize("kind", BOUNDED, ids=lambda k: NAMES[k])
def test_exact_projection_satisfies_the_variational_inequality(kind):
    for draw in draws(40, kind):
        d = draw.integer(1, 6)
        domain = random_domain(draw, d, (kind,))
        x = draw.real(-3, 3, d) * draw.positive()
        tape = TapeDraw(draw.tape, exact=True)
        tape.integer(1, 6)
        domain_ = random_domain(tape, d, (kind,))
        x_ = tape.real(-3, 3, d) * tape.positive()
        with precision(256):
            y = on(project, x_)(domain_, x_)
            gap = (y - x_) @ (y - on(linear_minimizer, x_)(domain_, y - x_)) if np.any(y - x_) else Exact(0)
        if kind == BALL:
            # 0 in truth; its midpoint is as far off as 256 bits allow, with bits to spare for the sums
            assert abs(approximate(gap)) <= 2.0**-190 * approximate(1 + x_ @ x_ + y @ y)
        else:
            assert gap == 0
            assert all(v.is_rational for v in y)
        moved = approximate(y) - project(domain, x)
        assert np.abs(moved).max() <= 16 * (d + 2) * EPS * size(domain, x)


def test_projection_of_far_and_of_nearby_points():
    with np.errstate(over="ignore"):
        far = project(ball(np.zeros(2), 1.0), np.array([3e200, -4e200]))
        farther = project(ball(np.array([1e300, 0.0]), 1.0), np.array([-1e308, 0.0]))
    assert far == pytest.approx([0.6, -0.8], rel=4 * EPS)
    assert farther == pytest.approx([1e300, 0.0], rel=4 * EPS)
    assert project(ball(np.zeros(1), 0.0), np.array([5.0])).tolist() == [0.0]
    assert project(simplex(3), np.array([2.0**60, 0.0, 2.0**60])).tolist() == [0.5, 0.0, 0.5]
    assert project(simplex(2, [0.25, 0.75]), np.array([9.0, -9.0])).tolist() == [0.25, 0.75]


def test_projection_of_an_enclosed_boundary_point_is_decided():
    """A point of the sphere known as a ball only: inside and outside cannot be told apart, yet its projection can."""
    with precision(128):
        root = Exact(2).sqrt() / 2
        x = np.array([root, root])
        y = on(project, x)(ball(exact(np.zeros(2)), Exact(1)), x)
    assert abs(approximate(y) - math.sqrt(0.5)).max() <= EPS
    assert not y[0] - root > Exact(1) / 2**100 and not root - y[0] > Exact(1) / 2**100


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: NAMES[k])
def test_random_points_are_inside_exactly(kind):
    for draw in draws(60, 7 + kind):
        d = draw.integer(1, 6)
        domain = random_domain(draw, d, (kind,))
        point = random_point(domain, draw)
        assert contains(domain, point)
        tape = TapeDraw(draw.tape, exact=True)
        tape.integer(1, 6)
        domain_ = random_domain(tape, d, (kind,))
        point_ = random_point(domain_, tape)
        assert all(x.is_rational for x in point_)
        assert on(inside, point_)(domain_, point_) >= 0
        assert contains(domain_, point_)


@pytest.mark.parametrize("kind", BOUNDED, ids=lambda k: NAMES[k])
def test_sizes_bound_sampled_points_and_are_attained(kind):
    for draw in draws(60, 3 + kind):
        d = draw.integer(1, 5)
        domain = random_domain(draw, d, (kind,))
        points = np.array([random_point(domain, draw) for _ in range(8)] + extreme_points(domain))
        slack = 8 * (d + 2) * EPS * size(domain, points[0])
        distances = [float(np.linalg.norm(a - b)) for a, b in itertools.combinations(points, 2)]
        assert max(distances) <= diameter(domain) + slack
        assert max(distances) >= diameter(domain) - slack
        assert np.linalg.norm(points - center(domain), axis=1).max() == pytest.approx(radius(domain), abs=slack)


@pytest.mark.parametrize("kind", BOUNDED, ids=lambda k: NAMES[k])
def test_linear_minimizer_beats_all_extreme_points(kind):
    for draw in draws(40, 11 + kind):
        d = draw.integer(1, 5)
        domain, g = random_domain(draw, d, (kind,)), draw.real(-1, 1, d)
        best = linear_minimizer(domain, g)
        assert contains(domain, best)
        others = [random_point(domain, draw) for _ in range(8)] + extreme_points(domain)
        slack = 8 * (d + 2) * EPS * size(domain, g) * (1 + np.abs(g).sum())
        assert all(g @ best <= g @ x + slack for x in others)


def test_known_sizes():
    assert diameter(space(3)) == radius(space(3)) == math.inf
    assert (diameter(simplex(3)), diameter(simplex(1))) == (math.sqrt(2), 0)
    assert radius(simplex(4)) == pytest.approx(math.sqrt(3) / 2, rel=EPS)
    assert diameter(box([0, 0], [3, 4])) == 5 and radius(interval(-1, 2)) == 1.5
    assert diameter(ball([1, 2], 3)) == 6 and radius(ball([1, 2], 3)) == 3
    assert diameter(box([Fraction(0)] * 2, [3, 4])) == 5
    assert dimension(simplex(4)) == 4 and center(simplex(4)).tolist() == [0.25] * 4


def test_point_domains_are_domains():
    for domain, point in (
        (box([1, 2], [1, 2]), [1.0, 2.0]),
        (ball([1, 2], 0), [1.0, 2.0]),
        (simplex(2, [0.25, 0.75]), [0.25, 0.75]),
        (simplex(1), [1.0]),
    ):
        d = len(point)
        assert diameter(domain) == 0 and contains(domain, point)
        assert project(domain, np.arange(d) * 5.0).tolist() == point
        assert linear_minimizer(domain, np.ones(d)).tolist() == point


def test_margins_are_exact():
    half = Exact(1) / 2
    tiny = Exact(1) / 2**200
    plane = exact(np.array([0.5, 0.5]))
    off = np.array([half, half + tiny])
    simple = simplex(2, Exact(0))
    assert on(inside, plane)(simple, plane) == half
    assert on(inside, off)(simple, off) == -tiny
    assert contains(simple, plane) and not contains(simple, off)
    unit = ball([Exact(0), Exact(0)], 1)
    assert contains(unit, [Exact(3) / 5, Exact(4) / 5]) and not contains(unit, [Exact(3) / 5, Exact(4) / 5 + tiny])
    assert inside(interval(0, 1), np.array([0.25])) == 0.25 and inside(interval(0, 1), np.array([2.0])) == -1


def test_float_membership_allows_for_rounding_only():
    weights = np.array([0.1] * 10)
    assert contains(simplex(10), weights) and not contains(simplex(10), weights * (1 + 1e-12))
    unit = ball([0.0, 0.0], 1.0)
    assert contains(unit, [math.sqrt(0.5)] * 2) and not contains(unit, [math.sqrt(0.5) + 1e-12] * 2)
    assert not contains(interval(0, 1), [1 + 1e-15]) and contains(space(2), [1e300, -1e300])


ERRORS = [
    (lambda: ball([0.0], -1), ValueError, r"radius must be >= 0, got -1"),
    (lambda: ball([0.0], float("nan")), ValueError, r"radius must be finite, got nan"),
    (lambda: ball([0.0], [1, 2]), ValueError, r"radius must be a number, got \[1, 2\]"),
    (lambda: ball([], 1), ValueError, r"center must not be empty, got \[\]"),
    (lambda: ball([[0.0]], 1), ValueError, r"center must be a vector, got an array of shape \(1, 1\)"),
    (lambda: ball("ab", 1), TypeError, r"center must hold real numbers, got 'ab'"),
    (lambda: ball([1j], 1), TypeError, r"center must hold real numbers"),
    (lambda: ball([True], 1), TypeError, r"center must hold real numbers, got \[True\]"),
    (lambda: ball([None], 1), TypeError, r"center must hold real numbers, got \[None\]"),
    (lambda: ball([[1], [1, 2]], 1), ValueError, r"center must be a regular array"),
    (lambda: ball([10**400], 1), ValueError, r"center must be finite"),
    (lambda: ball([Exact(1)], 0.5), TypeError, r"must not mix floats and exact numbers"),
    (lambda: ball([Exact(1), 0.5], 1), TypeError, r"center must hold real numbers, floats or exact ones but not both"),
    (lambda: box([0, 2], [1, 1]), ValueError, r"low must not exceed high, got low=\[0, 2\], high=\[1, 1\]"),
    (lambda: box([0, 0], [1, 1, 1]), ValueError, r"low must have 3 entries, got 2"),
    (lambda: box(0, math.inf), ValueError, r"high must be finite, got inf"),
    (lambda: ball([0.0], np.float64("inf")), ValueError, r"radius must be finite, got inf"),
    (lambda: ball([0.0], np.float64(-1)), ValueError, r"radius must be >= 0, got -1.0"),
    (lambda: interval([0], 1), ValueError, r"low must be a number, got \[0\]"),
    (lambda: interval(2, 1), ValueError, r"low must not exceed high, got low=2, high=1"),
    (lambda: simplex(0), ValueError, r"d must be >= 1, got 0"),
    (lambda: simplex(2.0), TypeError, r"d must be an integer, got 2.0"),
    (lambda: space(True), TypeError, r"d must be an integer, got True"),
    (lambda: simplex(2, -0.1), ValueError, r"floor must be >= 0, got -0.1"),
    (lambda: simplex(2, 0.6), ValueError, r"floor must sum to at most 1, got 0.6"),
    (lambda: simplex(2, Fraction(2, 3)), ValueError, r"floor must sum to at most 1"),
    (lambda: simplex(2, [0.1] * 3), ValueError, r"floor must have 2 entries, got 3"),
    (lambda: contains(simplex(2), [1.0]), ValueError, r"x must have 2 entries, got 1"),
    (lambda: contains(space(1), [math.nan]), ValueError, r"x must be finite, got \[nan\]"),
    (
        lambda: extreme_points(space(2)),
        ValueError,
        r"domain must be bounded to have extreme points, got the whole space",
    ),
    (lambda: extreme_points(simplex(2), 2.5), TypeError, r"limit must be an integer, got 2.5"),
    (lambda: extreme_points(simplex(2), 0), ValueError, r"limit must be an integer >= 1, got 0"),
    (lambda: linear_minimizer(space(2), np.ones(2)), ValueError, r"no minimizer on the whole space"),
    (lambda: random_domain(next(draws(1)), 2, ()), ValueError, r"kinds must be some of"),
    (lambda: random_domain(next(draws(1)), 2, (9,)), ValueError, r"kinds must be some of .* got \(9,\)"),
    (lambda: random_domain(next(draws(1)), 2, (SPACE,), positive=True), ValueError, r"kinds must be some of"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS, ids=[m for _, _, m in ERRORS])
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("domain", "point", "within"),
    [
        (ball([0.0, 0.0], 1.0), [1e300, 0.0], False),
        (ball([0.0, 0.0], 1e200), [1e200, 0.0], True),
        (ball([0.0, 0.0], 1e200), [1e200, 1e199], False),
        (simplex(2), [1e308, 1e308], False),
    ],
)
def test_squares_and_sums_that_overflow_do_not_blur_the_border(domain, point, within):
    assert contains(domain, point) is within


NUMBERS = st.one_of(
    st.floats(), st.integers(-3, 3), st.integers(), st.fractions(), st.booleans(), st.none(), st.text(max_size=2)
)
VALUES = st.one_of(NUMBERS, st.lists(NUMBERS, max_size=4), st.lists(st.floats(-1, 1), min_size=1, max_size=4))


@given(st.sampled_from((box, ball, interval, simplex)), VALUES, VALUES)
def test_constructors_give_a_valid_domain_or_a_clear_error(constructor, first, second):
    if constructor is simplex and isinstance(first, int) and first > 50:
        first = 50
    try:
        domain = constructor(first, second)
    except (ValueError, TypeError):
        return
    fields = domain[1:]
    assert all(f.shape == (dimension(domain),) for f in fields[:-1]) and fields[-1].shape == (1,)
    assert all(np.isfinite(approximate(f)).all() for f in fields if f.dtype != object)
    if all(f.dtype != object for f in fields):
        assert contains(domain, center(domain)) or not np.isfinite(center(domain)).all()


@given(st.data())
def test_hypothesis_draws_domains_and_points(data):
    draw = HypothesisDraw(data)
    domain = random_domain(draw, draw.integer(1, 3), positive=draw.boolean())
    assert contains(domain, random_point(domain, draw))


def test_positive_domains_allow_the_entropy():
    for draw in draws(200, 5):
        domain = random_domain(draw, draw.integer(1, 4), positive=True)
        assert domain.kind != SPACE
        assert all(x.min() >= 0 for x in extreme_points(domain))


def test_random_domains_cover_kinds_points_and_scales():
    seen = [random_domain(draw, 2) for draw in draws(400)]
    assert {domain.kind for domain in seen} == set(KINDS)
    diameters = [float(diameter(domain)) for domain in seen if domain.kind in (BALL, BOX)]
    assert 0 in diameters and max(diameters) > 2.0**20 and 0 < min(x for x in diameters if x) < 2.0**-20
    assert any(diameter(domain) == 0 for domain in seen if domain.kind == SIMPLEX)
