"""Losses as data: values and subgradients against definitions, in floats and exactly, at kinks too."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from arubatheory.arithmetic import FIRST_BITS, Exact, Undecided, approximate, exact, is_exact, precision
from arubatheory.kernel import on, pure
from arubatheory.problems import domains
from arubatheory.problems import losses as module
from arubatheory.problems.coarse import HypothesisDraw
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.losses import DISTANCE, LINKS, LOGISTIC, Losses, losses, random_losses, rows, stack
from arubatheory.problems.random_domains import random_domain, random_point

EPS = float(np.finfo(np.float64).eps)
KINKS = {"hinge": 1, "absolute": 0, "huber": 1}  # arguments z at which the slope jumps or the formula changes
CHOICES = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)]


@pytest.fixture(autouse=True)
def _first_precision():
    with precision(FIRST_BITS):
        yield


def definition(link: str, z: mpmath.mpf) -> mpmath.mpf:
    """The link's printed formula, in mpmath."""
    return {
        "linear": lambda: z,
        "square": lambda: z * z / 2,
        "logistic": lambda: mpmath.log1p(mpmath.exp(-z)),
        "hinge": lambda: max(mpmath.mpf(0), 1 - z),
        "absolute": lambda: abs(z),
        "huber": lambda: z * z / 2 if abs(z) <= 1 else abs(z) - mpmath.mpf(1) / 2,
    }[link]()


def one(link: str, a=1.0, b=0.0, **options) -> Losses:
    return losses(link, [[a]], b, **options)


def exact_subgradient(L: Losses, i: int, x: np.ndarray) -> np.ndarray:
    return pure(module.subgradient)(L, i, x)


# values ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("link", LINKS[:6])
@given(z=st.floats(-1e4, 1e4))
@settings(max_examples=60)
def test_values_match_the_definition(link, z):
    with mpmath.workdps(60):
        truth = definition(link, mpmath.mpf(z))
        found = module.value(one(link), 0, np.array([z]))
        # exp amplifies the rounding of nothing here: |z| is exact, so a handful of roundings relative to the value.
        assert abs(found - truth) <= 6 * EPS * abs(truth) + 5e-324


@pytest.mark.parametrize("z,value,slope", [(1e4, 0, 0), (-1e4, 1e4, -1), (1e300, 0, 0), (-1e300, 1e300, -1)])
def test_logistic_neither_overflows_nor_warns(z, value, slope):
    with np.errstate(over="raise", invalid="raise"):
        L = one("logistic")
        assert module.value(L, 0, np.array([z])) == value
        assert module.subgradient(L, 0, np.array([z]))[0] == slope


def test_logistic_keeps_small_values():
    assert module.value(one("logistic"), 0, np.array([50.0])) == pytest.approx(np.exp(-50.0), rel=8 * EPS)
    assert module.subgradient(one("logistic"), 0, np.array([50.0]))[0] == pytest.approx(-np.exp(-50.0), rel=8 * EPS)


def test_weight_ridge_and_offset():
    a, options = [[1.0, 2.0], [3.0, -1.0]], {"weight": [2.0, 3.0], "ridge": [0.0, 5.0], "c": [1.0, 0.0]}
    L = losses(["linear", "square"], a, [4.0, 1.0], **options)
    x = np.array([2.0, 3.0])
    assert L.c.tolist() == [[1, 0], [1, 0]]
    assert module.value(L, 0, x) == 2 * (8 - 4)
    assert module.value(L, 1, x) == 3 * (3 - 1) ** 2 / 2 + 5 * (1 + 9) / 2
    assert module.subgradient(L, 1, x).tolist() == [3 * 2 * 3 + 5 * 1, 3 * 2 * -1 + 5 * 3]
    assert module.total(L, 2, x) == module.value(L, 0, x) + module.value(L, 1, x)
    assert module.total(L, 0, x) == 0
    assert module.evaluate(L, x).tolist() == [8, 31]
    assert module.values(L, np.array([[2.0, 3.0], [0.0, 0.0]])).tolist() == [8, 1.5 + 2.5]


def test_distance():
    L = losses("distance", [[1.0, 0.0]], weight=2, ridge=1, c=[[3.0, 4.0]], kink=0.25)
    assert module.value(L, 0, np.zeros(2)) == 2 * 5 + 12.5
    np.testing.assert_allclose(module.subgradient(L, 0, np.zeros(2)), [-1.4 * 3, -1.4 * 4], rtol=4 * EPS)
    assert module.subgradient(L, 0, np.array([3.0, 4.0])).tolist() == [0.5, 0]


@pytest.mark.parametrize(
    "link,z,slopes", [("hinge", 1, (-1, 0)), ("absolute", 0, (-1, 1)), ("huber", 1, (1, 1)), ("huber", -1, (-1, -1))]
)
def test_the_kink_picks_between_the_one_sided_slopes(link, z, slopes):
    left, right = slopes
    for kink in CHOICES:
        L = losses(link, [[Exact(1)]], 0, kink=kink)
        assert exact_subgradient(L, 0, exact(np.array([float(z)])))[0] == left + kink * (right - left)
        side = Fraction(1, 10**9)
        for sign, slope in ((-1, left), (1, right)):
            near = exact_subgradient(L, 0, np.array([Exact(z) + sign * side]))[0]
            assert abs(near - slope) <= side


# subgradients ----------------------------------------------------------------------------------------------------
def certainly_negative(margin: Exact) -> bool:
    """Whether the ball lies below zero; one that only touches zero must be as thin as rounding makes it."""
    try:
        return bool(margin < 0)
    except Undecided:
        assert abs(approximate(margin)) <= 2.0**-60
        return False


def assert_supports(L: Losses, i: int, x: np.ndarray, y: np.ndarray) -> None:
    f, g = pure(module.value), exact_subgradient(L, i, x)
    margin = f(L, i, y) - f(L, i, x) - g @ (y - x)
    assert margin.is_rational or L.link[i] in (LOGISTIC, DISTANCE)
    assert not certainly_negative(margin)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("kink", CHOICES)
@given(data=st.data())
@settings(max_examples=12)
def test_subgradient_inequality_at_kinks_and_elsewhere(link, kink, data):
    draw = HypothesisDraw(data)
    d = draw.integer(1, 3)
    x = exact(draw.real(-2, 2, d))
    ys = [exact(draw.real(-2, 2, d)), x + exact(draw.real(-1, 1, d)) / 1024, -x]
    a = exact(draw.sphere(d)) * Fraction(99, 100)
    options = {"weight": exact(draw.unit()), "ridge": exact(draw.unit()), "kink": kink}
    at_kink = a @ x - KINKS.get(link, 0)
    for b in (at_kink, at_kink + exact(draw.real(-2, 2))):
        L = losses(link, a[None], b, c=x[None], **options)
        for y in ys:
            assert_supports(L, 0, x, y)
            assert_supports(L, 0, y, x)


@pytest.mark.parametrize("seed", range(20))
def test_drawn_losses_are_convex_and_read_alike_in_floats_and_exactly(seed):
    tape = RandomDraw(np.random.default_rng(seed))
    L, x = _drawn(tape)
    E, y = _drawn(TapeDraw(tape.tape, exact=True))
    assert all(is_exact(field) for field in E[1:])
    for i in range(len(L.link)):
        size = _size(L, i, x)
        value, slope = approximate(on(module.value, y)(E, i, y)), approximate(on(module.subgradient, y)(E, i, y))
        # Fewer than 60 roundings on the way from the tape; the yardstick adds the magnitudes that were combined.
        assert abs(module.value(L, i, x) - value) <= 60 * EPS * size[0]
        if _is_smooth_nearby(L, i, x):
            assert np.abs(module.subgradient(L, i, x) - slope).max() <= 60 * EPS * size[1]
        assert_supports(E, i, y, y * Fraction(1, 3))


def _drawn(draw):
    d = draw.integer(1, 3)
    domain = random_domain(draw, d, (domains.BOX, domains.BALL, domains.SIMPLEX))
    return random_losses(draw, 4, d, domain), random_point(domain, draw)


def _size(L: Losses, i: int, x: np.ndarray) -> tuple[float, float]:
    """Sums of the magnitudes that make up the value and the subgradient."""
    z = np.abs(L.a[i]) @ np.abs(x) + abs(L.b[i]) + 1
    span = np.abs(x).sum() + np.abs(L.c[i]).sum()
    steep = L.weight[i] * z * (1 + np.abs(L.a[i]).max())
    return L.weight[i] * (z * z + span) + L.ridge[i] * span**2, steep + L.ridge[i] * span


def _is_smooth_nearby(L: Losses, i: int, x: np.ndarray) -> bool:
    if L.link[i] == DISTANCE:
        return bool(module.squared_distance(L, i, x) > 1e-6 * (1 + np.abs(x).max() + np.abs(L.c[i]).max()) ** 2)
    z = module.argument(L, i, x)
    size = np.abs(L.a[i]) @ np.abs(x) + abs(L.b[i]) + 1
    return min(abs(z), abs(z - 1), abs(z + 1)) > 100 * EPS * size


def test_balls_that_straddle_a_kink_still_have_values():
    wide = Exact(2).sqrt() - 2 / Exact(2).sqrt()  # a ball around zero
    half = Fraction(1, 2)
    for link, z, truth in (("absolute", 0, 0), ("hinge", 1, 0), ("huber", 1, half), ("huber", -1, half)):
        L = losses(link, [[Exact(1)]])
        value = pure(module.value)(L, 0, np.array([wide + z], dtype=object))
        assert value.v.contains(exact(Fraction(truth)).v)
        assert abs(approximate(value) - float(truth)) < 1e-30


# construction ----------------------------------------------------------------------------------------------------
def test_broadcasting_and_types():
    L = losses(3, [[1, 2], [3, 4], [5, 6]], [1, 2, 3], kink=1)
    assert L.link.tolist() == [3, 3, 3] and L.link.dtype == np.int64
    assert L.a.shape == L.c.shape == (3, 2) and L.b.shape == L.weight.shape == L.ridge.shape == L.kink.shape == (3,)
    assert all(field.dtype == np.float64 and field.flags.c_contiguous and field.flags.writeable for field in L[1:])
    assert losses("distance", 0, c=[[1.0, 2.0]]).a.tolist() == [[0, 0]]
    assert losses(["linear", 6], [[1.0], [0.5]]).link.tolist() == [0, 6]


def test_one_exact_argument_makes_all_exact():
    L = losses("hinge", [[0.5, 1]], Fraction(1, 3))
    assert all(field.dtype == object and all(isinstance(x, Exact) for x in field.flat) for field in L[1:])
    assert L.b[0] == Fraction(1, 3) and L.a[0, 0] == Fraction(1, 2) and L.kink[0] == Fraction(1, 2)


def test_floats_of_the_right_shape_are_taken_as_they_are_and_all_else_is_copied():
    a, b = np.ones((2, 2)), np.array(1.0)
    assert losses("linear", a).a is a
    assert not np.shares_memory(losses("linear", a.T).a, a)
    L = losses("linear", a.tolist(), b)
    b[...] = 7
    assert L.b.tolist() == [1, 1]


@pytest.mark.parametrize(
    "error,match,arguments,options",
    [
        (ValueError, "link must be one of linear, .* got 'cubic'", ("cubic", [[1.0]]), {}),
        (ValueError, "link must be one of .* got 7", (7, [[1.0]]), {}),
        (ValueError, "link must be one of .* got True", (True, [[1.0]]), {}),
        (
            ValueError,
            "link must name one link or 1, one for each loss, got \\['linear', 'hinge'\\]",
            (["linear", "hinge"], [[1.0]]),
            {},
        ),
        (ValueError, r"a \(or c\) must have shape \(m, d\), got \(2,\)", ("linear", [1.0, 2.0]), {}),
        (ValueError, r"at least one loss and one coordinate, got shape \(0, 3\)", ("linear", np.zeros((0, 3))), {}),
        (ValueError, r"at least one loss and one coordinate, got shape \(2, 0\)", ("linear", np.zeros((2, 0))), {}),
        (ValueError, "a must be finite", ("linear", [[np.nan]]), {}),
        (ValueError, "b must be finite", ("linear", [[1.0]], np.inf), {}),
        (ValueError, "kink must be finite", ("linear", [[Exact(1)]]), {"kink": np.nan}),
        (ValueError, r"b must have a shape that broadcasts to \(1,\), got \(2,\)", ("linear", [[1.0]], [1, 2]), {}),
        (ValueError, r"c must have a shape that broadcasts to \(1, 1\)", ("linear", [[1.0]]), {"c": [1.0, 2.0]}),
        (ValueError, r"weight must be >= 0, got .*-1", ("linear", [[1.0]]), {"weight": -1}),
        (ValueError, r"ridge must be >= 0, got Exact\(-1/2\)", ("linear", [[1.0]]), {"ridge": Fraction(-1, 2)}),
        (ValueError, r"kink must lie in \[0, 1\], got .*1\.5", ("linear", [[1.0]]), {"kink": 1.5}),
        (ValueError, "a must have rows of l2 norm at most 1 for the link distance", ("distance", [[0.8, 0.7]]), {}),
        (ValueError, "a must be a regular array", ("linear", [[1.0], [1.0, 2.0]]), {}),
        (TypeError, "a must hold real numbers, got 'x'", ("linear", "x"), {}),
        (TypeError, "a must hold real numbers", ("linear", [[1j]]), {}),
        (TypeError, "weight must hold real numbers, got True", ("linear", [[1.0]]), {"weight": True}),
        (TypeError, "ridge must hold real numbers, got None", ("linear", [[1.0]]), {"ridge": None}),
    ],
)
def test_bad_arguments_are_named(error, match, arguments, options):
    with pytest.raises(error, match=match):
        losses(*arguments, **options)


def test_unit_rows_normalised_in_floats_are_accepted():
    a = np.random.default_rng(0).standard_normal((200, 7))
    losses("distance", a / np.linalg.norm(a, axis=1, keepdims=True))
    long = np.full((1, 1000), 1000**-0.5 * (1 + 30 * np.finfo(float).eps))
    losses("distance", long)
    losses("distance", long[None])  # a batch, of which d is the last axis, too


shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 8),
    st.floats(),
    st.sampled_from([*LINKS, "", Fraction(1, 3), Exact(2), 1j]),
    hnp.arrays(st.sampled_from([np.float64, np.int64, bool]), shapes),
    st.lists(st.one_of(st.floats(), st.integers(-1, 7), st.sampled_from(LINKS), st.none()), max_size=3),
)
OPTIONS = ("weight", "ridge", "c", "kink")


@given(anything, anything, anything, st.dictionaries(st.sampled_from(OPTIONS), anything, max_size=2), st.booleans())
@settings(max_examples=400)
def test_the_constructor_gives_valid_losses_or_an_error(link, a, b, options, matrix):
    try:
        L = losses(link, [[0.5, 0.0], [0.25, 0.5]] if matrix else a, b, **options)
    except (ValueError, TypeError):
        return
    m, d = L.a.shape
    assert m > 0 and d > 0 and L.c.shape == (m, d)
    assert all(field.shape == (m,) for field in (L.link, L.b, L.weight, L.ridge, L.kink))
    for field in L[1:]:
        assert np.isfinite(approximate(field)).all()
    assert set(L.link) <= set(range(7))
    assert (approximate(L.weight) >= 0).all() and (approximate(L.ridge) >= 0).all()
    assert (approximate(L.kink) >= 0).all() and (approximate(L.kink) <= 1).all()


def test_stacking_and_slicing():
    L, M = losses("linear", [[1.0, 2.0]]), losses("hinge", [[3.0, 4.0], [5.0, 6.0]], ridge=1)
    joined = stack([L, M])
    assert joined.link.tolist() == [0, 3, 3] and joined.ridge.tolist() == [0, 1, 1]
    assert all(np.array_equal(x, y) for x, y in zip(rows(joined, 1, 3), M, strict=True))
    with pytest.raises(ValueError, match="parts must hold at least one"):
        stack([])
    with pytest.raises(ValueError, match=r"the same dimension, got \[1, 2\]"):
        stack([L, one("linear")])
    with pytest.raises(TypeError, match="parts must be all in floats or all exact"):
        stack([L, exact(L)])


def test_evaluate_checks_its_point():
    with pytest.raises(ValueError, match=r"x must have shape \(1,\), got \(2,\)"):
        module.evaluate(one("linear"), np.zeros(2))
    with pytest.raises(TypeError, match="x is exact and the losses are floats"):
        module.evaluate(losses("linear", [[1.0]]), [Exact(1)])
    with pytest.raises(ValueError, match="x must be finite"):
        module.evaluate(one("linear"), np.array([np.nan]))


# drawing ---------------------------------------------------------------------------------------------------------
def test_drawn_losses_reach_what_they_promise():
    draw = RandomDraw(np.random.default_rng(0))
    domain = domains.box([-1, -1], [1, 1])
    drawn = [random_losses(draw, 5, 2, domain) for _ in range(400)]
    assert {int(code) for L in drawn for code in L.link} == set(range(7))
    assert any(len(set(L.link)) == 1 for L in drawn) and any(len(set(L.link)) > 2 for L in drawn)
    assert any((L.a == 0).all(axis=1).any() for L in drawn) and any((L.weight == 0).any() for L in drawn)
    assert any((L.ridge > 0).any() for L in drawn) and any((L.ridge == 0).all() for L in drawn)
    scales = np.concatenate([L.weight[L.weight > 0] for L in drawn])
    assert scales.min() < 2.0**-30 and scales.max() > 2.0**30
    for L in drawn:
        losses(L.link, *L[1:3], weight=L.weight, ridge=L.ridge, c=L.c, kink=L.kink)


def test_drawn_losses_respect_links_and_ridge():
    draw = RandomDraw(np.random.default_rng(1))
    domain = domains.simplex(3)
    for ridge in (False, True):
        for _ in range(50):
            L = random_losses(draw, 3, 3, domain, links=(1, 4), ridge=ridge)
            assert set(L.link) <= {1, 4}
            assert ridge or (L.ridge == 0).all()


def test_drawn_kinks_are_met_exactly():
    """In exact numbers the anchors sit on kinks whenever the drawn argument is one."""
    found = 0
    for seed in range(200):
        source = RandomDraw(np.random.default_rng(seed))
        domain = domains.box([-1], [1])
        random_losses(source, 2, 1, domain, links=(4,), ridge=True)
        L = random_losses(TapeDraw(source.tape, exact=True), 2, 1, exact(domain), links=(4,), ridge=True)
        found += sum(pure(module.argument)(L, i, L.c[i]) == 0 for i in range(2))
    assert found >= 10
