"""Compiled and pure versions of one source."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from arubatheory import kernel as kernels
from arubatheory.arithmetic import Exact, exact
from arubatheory.kernel import kernel, on, pure


@kernel
def half(x):
    return x / 2


@kernel
def norm(x):
    s = x[0] - x[0]
    for j in range(x.shape[0]):
        s = s + x[j] * x[j]
    return np.sqrt(s)


@kernel
def half_norm(x):
    return half(norm(x))


@kernel
def even(n):
    return True if n == 0 else odd(n - 1)


@kernel
def odd(n):
    return False if n == 0 else even(n - 1)


@kernel
def with_defaults(x, shift=1):
    return half(x) + shift


def test_the_pure_version_runs_callees_on_exact_numbers():
    x = exact(np.array([3.0, 4.0]))
    result = pure(half_norm)(x)
    assert result == Fraction(5, 2) and result.is_rational
    assert half_norm(np.array([3.0, 4.0])) == 2.5


def test_a_pure_irrational_result_is_a_ball():
    result = pure(half_norm)(exact(np.array([1.0, 1.0])))
    assert isinstance(result, Exact) and not result.is_rational
    assert Fraction(7071, 10000) < result < Fraction(7072, 10000)


def test_mutual_references_end():
    assert pure(even)(10) is True
    assert pure(odd)(10) is False


def test_defaults_survive():
    assert pure(with_defaults)(Exact(1)) == Fraction(3, 2)
    assert with_defaults(1.0) == 1.5


def test_pure_is_cached():
    assert pure(half_norm) is pure(half_norm)


def test_an_ordinary_function_calls_pure_kernels_too():
    def through(x):
        return half_norm(x) + 1

    assert pure(through)(exact(np.array([3.0, 4.0]))) == Fraction(7, 2)
    assert through(np.array([3.0, 4.0])) == 3.5


def test_on_picks_the_version_by_the_numbers():
    assert on(norm, np.zeros(2)) is norm
    assert on(norm, exact(np.zeros(2))) is pure(norm)
    assert on(norm, Exact(1)) is pure(norm)


def test_on_runs_either_version():
    for x in (np.array([3.0, 4.0]), exact(np.array([3.0, 4.0]))):
        assert on(norm, x)(x) == 5


def test_nan_and_infinity_keep_their_meaning():
    @kernel
    def violations(x):
        n = 0
        for j in range(x.shape[0]):
            if not x[j] <= 1:
                n += 1
        return n

    assert violations(np.array([0.0, 2.0, np.nan, np.inf, -np.inf, np.nan])) == 4


def test_the_users_cache_setting_is_left_alone():
    before = kernels.config.CACHE_DIR
    kernel(lambda x: x)
    assert kernels.config.CACHE_DIR == before
