"""Mathematics for sides: the same word is a float in floats, and exact where exact arithmetic is at work."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import arubatheory
from arubatheory.arithmetic import Array, Exact, Undefined, approximate, exact, is_exact, precision
from arubatheory.problems import plain_math
from arubatheory.problems.plain_math import exp, identity, inverse, log, norm_at_most, solve, sqrt, zeros

A = np.array([[2, 1, 0], [0.5, 3, -1], [0.25, 0, 4]])


def test_the_package_offers_them() -> None:
    assert all(getattr(arubatheory, name) is getattr(plain_math, name) for name in plain_math.__all__)


@pytest.mark.parametrize(
    ("f", "g", "x", "rational"), [(sqrt, math.sqrt, 9, 3), (log, math.log, 1, 0), (exp, math.exp, 0, 1)]
)
def test_an_integer_is_exact_where_it_must_be(f: Any, g: Any, x: int, rational: int) -> None:
    assert isinstance(f(x), float) and f(2) == pytest.approx(g(2), rel=1e-15)
    with precision(128):
        for value in (x, np.int64(x), Fraction(x), Exact(x)):
            assert f(value) == rational and f(value).is_rational
        assert not f(2).is_rational and approximate(f(2)) == pytest.approx(g(2), rel=1e-15)
        assert f(0.5 + x) == pytest.approx(g(0.5 + x))  # a float is the caller's


def test_arrays_go_entry_by_entry() -> None:
    for given in ([1, 4], (1, 4), np.array([1, 4]), np.array([1.0, 4.0])):
        assert sqrt(given).tolist() == [1.0, 2.0]
    with precision(128):
        large = sqrt([10**40, 4])
        assert is_exact(large) and large.tolist() == [10**20, 2]
        given = np.array([[Fraction(1), Fraction(4)]], dtype=object)
        assert sqrt(given.T).shape == (2, 1) and type(given[0, 0]) is Fraction  # what is given stays as it is


def test_what_has_no_value_says_so() -> None:
    with np.errstate(all="ignore"):
        assert math.isnan(sqrt(-1)) and log(0) == -math.inf
        assert np.isnan(inverse([[1, 2], [2, 4]])).all() and np.isnan(solve([[math.nan]], [1])).all()
    with precision(128):
        for call in (lambda: sqrt(-1), lambda: log(0), lambda: inverse([[1, 2], [2, 4]])):
            with pytest.raises(Undefined):
                call()


@pytest.mark.parametrize("made", [np.array, exact])
def test_elimination_solves_any_regular_system(made: Callable[[Array], Array]) -> None:
    M, b = made(A), made(np.array([1.0, 2.0, 4.0]))
    with precision(128):
        close = partial(np.testing.assert_allclose, atol=1e-15) if made is np.array else np.testing.assert_array_equal
        close(M @ solve(M, b), b)
        close(M @ inverse(M), identity(3, M))
        close(solve(M, M), identity(3, M))
        swap = made(np.array([[0.0, 1.0], [1.0, 0.0]]))
        close(inverse(swap), swap)


def test_balls_are_solved_too() -> None:
    with precision(128):
        root = sqrt(2)
        found = solve(np.array([[root, Exact(0)], [Exact(1), root]]), [root, 1])
        assert found[0] - 1 <= Fraction(1, 2**100) and abs(approximate(found[1])) < 1e-30


@pytest.mark.parametrize(("c", "sign"), [(3, 0), (Fraction(7, 2), 1), (2, -1), (-4, -1)])
def test_a_margin_of_the_spectral_norm(c: Any, sign: int) -> None:
    B = np.array([[0.0, 3.0], [0.0, 0.0], [0.0, 0.0]])
    assert np.sign(norm_at_most(B, float(c))) == sign
    with precision(128):
        margin = norm_at_most(exact(B), c)
        assert (margin > 0) - (margin < 0) == sign
        assert norm_at_most(B, Exact(3)) == 0


def test_norms_whose_squares_overflow():
    A = np.array([[1e308, 0.25], [0.25, 1.25]])
    assert norm_at_most(A, Fraction(1, 3)) < 0 < norm_at_most(A, 1.1e308) and norm_at_most(A, 0.9e308) < 0
    assert norm_at_most(np.eye(2) / 4, Fraction(1, 3)) == pytest.approx(1 / 9 - 1 / 16)


def test_arrays_to_begin_with_are_of_the_right_arithmetic() -> None:
    for like in (np.ones(1), 1.0):
        assert zeros((2, 3), like).dtype == identity(2, like).dtype == np.float64
    for like in (exact(np.ones(1)), Exact(1)):
        assert (zeros((2, 3), like).shape, zeros(2, like).tolist()) == ((2, 3), [0, 0])
        assert all(isinstance(x, Exact) for x in identity(2, like).ravel())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: sqrt("2"), TypeError, "x must be a number or an array of numbers, got '2'"),
        (lambda: log(True), TypeError, "x must be a number or an array of numbers, got True"),
        (lambda: exp(["2"]), TypeError, "x must hold real numbers"),
        (
            lambda: solve([[1, 2]], [1]),
            ValueError,
            r"A must be \(d, d\) and b \(d,\) or \(d, n\), got the shapes \(1, 2\)",
        ),
        (lambda: inverse(3), ValueError, r"A must be \(d, d\)"),
        (lambda: inverse([]), ValueError, r"A must be \(d, d\)"),
        (lambda: norm_at_most([1], 1), ValueError, r"A must be an array \(n, d\) with n, d >= 1, got shape \(1,\)"),
        (lambda: identity(0, 1.0), ValueError, "d must be >= 1, got 0"),
    ],
)
def test_bad_input_is_named(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
