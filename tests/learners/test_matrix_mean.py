"""The geometric mean against 500-bit arithmetic, over conditions, orders of grading, shapes and scales."""

from __future__ import annotations

import itertools
from importlib import import_module

import numpy as np
import pytest

from arubatheory.arithmetic import exact
from arubatheory.learners.matrix_mean import low_rank_mean, matrix_mean, matrix_mean_from_factors, mean_of_factors
from benchmarks._reference import bits, exact_mean, lifted, reference, thompson

module = import_module("arubatheory.learners.matrix_mean")  # the package has a function of that name

EPS = float(np.finfo(np.float64).eps)


def error_of(K, L):
    """Thompson's distance of `matrix_mean_from_factors` from the exact mean of the float factors."""
    return thompson(matrix_mean_from_factors(K, L), exact_mean(K, L))


def error_of_full(B2, G2):
    with bits(700):
        exactly = reference(lifted(B2), lifted(G2))
    return thompson(matrix_mean(B2, G2), exactly)


# instances -------------------------------------------------------------------------------------------------------
def orthogonal(rng, d):
    return np.linalg.qr(rng.standard_normal((d, d)))[0]


def pair(kind, d, condition, seed=0):
    """Factors whose condition number is about `condition`, before any scaling of their rows."""
    rng = np.random.default_rng(seed)
    s = np.logspace(0, -np.log10(condition), d)
    near = [np.eye(d) + 0.3 * rng.standard_normal((d, d)) / np.sqrt(d) for _ in range(2)]
    mixed = rng.permutation(d)
    Q = orthogonal(rng, d)
    if kind == "generic":
        return orthogonal(rng, d) * s @ orthogonal(rng, d), orthogonal(rng, d) * s @ orthogonal(rng, d)
    if kind == "commuting":
        return Q * s @ orthogonal(rng, d), Q * s @ orthogonal(rng, d)
    if kind == "opposed":
        return Q * s @ orthogonal(rng, d), Q * s[::-1] @ orthogonal(rng, d)
    if kind == "rows alike":
        return s[mixed, None] * near[0], s[mixed, None] * near[1]
    if kind == "rows opposed":
        return s[:, None] * near[0], s[::-1, None] * near[1]
    if kind == "columns":
        return near[0] * s, near[1] * s
    assert kind == "low rank"
    return (
        np.hstack([np.eye(d) / condition, rng.standard_normal((d, 2))]),
        np.hstack([np.eye(d) / condition, rng.standard_normal((d, 3))]),
    )


KINDS = ("generic", "commuting", "rows alike", "rows opposed", "columns", "low rank")


def scaled_condition(K):
    return np.linalg.cond(K / np.linalg.norm(K, axis=1, keepdims=True))


def residual(H, B2, G2):
    norm = lambda A: np.linalg.norm(A, 2)  # noqa: E731
    return norm(H @ G2 @ H - B2) / (norm(B2) + norm(H) ** 2 * norm(G2))


# accuracy --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("condition", [1.0, 30.0, 1e3, 1e7, 1e12])
@pytest.mark.parametrize("kind", KINDS)
def test_factors_are_as_accurate_as_their_own_condition_allows(kind, condition):
    for d, seed in ((2, 0), (12, 1)):
        K, L = pair(kind, d, condition, seed)
        allowed = EPS * (10 * d + 4 * (scaled_condition(K) + scaled_condition(L)))
        assert error_of(K, L) <= max(allowed, 2e-12 if condition < 1e3 else 20 * d * EPS)


@pytest.mark.parametrize("condition", [1.0, 30.0, 1e3, 1e6])
@pytest.mark.parametrize("kind", KINDS)
def test_full_matrices_are_as_accurate_as_their_own_condition_allows(kind, condition):
    for d, seed in ((2, 2), (12, 3)):
        B2, G2 = (F @ F.T for F in pair(kind, d, condition, seed))
        if kind == "low rank" and condition == 1e6:
            continue  # beyond d eps cond = 0.1, as a test below has it
        own = scaled_condition(B2) + scaled_condition(G2)
        assert error_of_full(B2, G2) <= EPS * (20 * d + 4 * own) + 1e-12


@pytest.mark.parametrize("kind", ["rows alike", "columns", "generic"])
def test_graded_factors_of_more_than_25_dimensions(kind):  # from there on LAPACK divides and conquers
    K, L = pair(kind, 40, 1e9)
    assert error_of(K, L) <= EPS * (1000 + scaled_condition(K) * (kind == "generic"))


@pytest.mark.parametrize("d", [2, 12])
def test_the_correction_is_left_out_only_where_it_corrects_nothing(d, monkeypatch):
    for stretch, seed in itertools.product((1.0, 2.0**3), range(2)):  # at the ends of what goes uncorrected
        K, L = orthogonal(np.random.default_rng(seed), d) * np.geomspace(1, stretch, d), np.eye(d)
        exactly = exact_mean(K, L)
        plain = thompson(matrix_mean_from_factors(K, L), exactly)
        monkeypatch.setattr(module, "MILD", 0.0)
        corrected = thompson(matrix_mean_from_factors(K, L), exactly)
        monkeypatch.undo()
        assert max(plain, corrected) <= EPS * (10 * d + 2 * stretch)


def test_zeros_of_either_sign_are_symmetric():
    B2 = np.array([[4.0, 0.0], [-0.0, 9.0]])
    np.testing.assert_allclose(matrix_mean(B2, np.eye(2)), np.diag([2.0, 3.0]), rtol=1e-15)


def test_grading_costs_the_plain_decomposition_every_digit():
    K, L = pair("rows alike", 12, 1e8)
    _, S, Vt = np.linalg.svd(L.T @ K)
    assert thompson((K @ Vt.T / S) @ Vt @ K.T, exact_mean(K, L)) > 1e-5
    assert error_of(K, L) < 1e-13


@pytest.mark.parametrize("d", [2, 10, 60])
@pytest.mark.parametrize("kind", KINDS)
def test_residual_and_definiteness_to_condition_1e14(kind, d):
    for condition in (1.0, 1e4, 1e9, 1e14):
        if kind == "low rank" and condition == 1e14:
            condition = 1e12  # its factors are worse conditioned by the norm of what is added
        K, L = pair(kind, d, condition)
        H = matrix_mean_from_factors(K, L)
        assert (H == H.T).all()
        np.linalg.cholesky(H)
        assert residual(H, K @ K.T, L @ L.T) <= 1e-12


@pytest.mark.parametrize("d", [2, 10, 100])
def test_residual_and_definiteness_from_full_matrices(d):
    for condition in (1.0, 1e3, 1e8, 0.02 / d / EPS):
        for kind in ("generic", "commuting"):
            B2, G2 = (F @ F.T for F in pair(kind, d, np.sqrt(condition)))
            H = matrix_mean(B2, G2)
            assert (H == H.T).all()
            np.linalg.cholesky(H)
            assert residual(H, B2, G2) <= 1e-12


@pytest.mark.parametrize("d", [1, 2, 10, 100])
def test_pyriemann_agrees(d):
    from pyriemann.geometry.geodesic import geodesic_riemann  # a second, of the one process that runs this

    rng = np.random.default_rng(d)
    F, J = rng.standard_normal((2, d, 3 * d))
    B2, G2 = F @ F.T, J @ J.T
    np.testing.assert_allclose(matrix_mean(B2, G2), geodesic_riemann(np.linalg.inv(G2), B2), rtol=1e-9, atol=1e-11)


# what must hold --------------------------------------------------------------------------------------------------
def test_closed_forms():
    assert matrix_mean([[4.0]], [[9.0]])[0, 0] == pytest.approx(2 / 3, rel=1e-15)
    np.testing.assert_allclose(matrix_mean(np.diag([4.0, 9.0]), np.diag([1.0, 16.0])), np.diag([2, 0.75]), rtol=1e-15)
    A = np.array([[2.0, 1.0], [1.0, 3.0]])
    np.testing.assert_allclose(matrix_mean(A, np.linalg.inv(A)), A, rtol=1e-14)
    np.testing.assert_allclose(matrix_mean(A, A), np.eye(2), atol=1e-15)


def test_congruence_by_powers_of_two_is_exact_in_the_graded_route():
    K, L = pair("rows alike", 6, 1e6)
    scale = 2.0 ** np.array([20, -7, 3, 0, 30, -31])
    H = matrix_mean_from_factors(K, L)
    moved = matrix_mean_from_factors(scale[:, None] * K, L / scale[:, None])
    np.testing.assert_allclose(moved, scale[:, None] * H * scale, rtol=1e-12)


def test_the_factors_of_the_mean_and_of_its_inverse():
    for kind, condition in (("commuting", 50.0), ("generic", 1e7)):  # either route
        K, L = pair(kind, 8, condition)
        mean = mean_of_factors(K, L)
        np.testing.assert_allclose(mean.W.T @ mean.Z, np.eye(8), atol=1e-12 if condition < 100 else 1e-7)
        x = np.random.default_rng(0).standard_normal(8)
        white = mean.Z.T @ x / np.sqrt(mean.S)
        assert white @ white == pytest.approx(np.sum(np.linalg.solve(K, x) ** 2), rel=1e-6)
        white = mean.W.T @ x / np.sqrt(mean.S)
        assert white @ white == pytest.approx(np.sum(np.linalg.solve(L, x) ** 2), rel=1e-6)


def test_both_routes_are_taken(monkeypatch):
    calls = []
    product = module._product
    monkeypatch.setattr(module, "_product", lambda K, L: (calls.append(1), product(K, L))[1])
    matrix_mean_from_factors(*pair("generic", 6, 10.0))
    assert calls == []
    matrix_mean_from_factors(*pair("generic", 6, 1e6))
    assert calls == [1]


@pytest.mark.parametrize(("p", "q"), [(0, 0), (1, 0), (0, 3), (2, 5), (6, 6)])
def test_low_rank_is_the_dense_mean(p, q):
    rng = np.random.default_rng(10 * p + q)
    d, b, g = 12, 0.3, 0.02
    F, J = rng.standard_normal((d, p)), rng.standard_normal((d, q))
    mean = low_rank_mean(b, F, g, J)
    Q = mean.basis
    H = mean.rest * (np.eye(d) - Q @ Q.T) + Q @ mean.W @ mean.W.T @ Q.T
    np.testing.assert_allclose(mean.matrix(), H, rtol=0, atol=1e-13)
    np.testing.assert_allclose(H, matrix_mean(b * np.eye(d) + F @ F.T, g * np.eye(d) + J @ J.T), rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [-255, -100, 1, 255])
def test_low_rank_means_of_any_scale_are_rounded_alike(k):
    rng = np.random.default_rng(4)
    F, J, c = rng.standard_normal((5, 2)), rng.standard_normal((5, 1)), 2.0**k
    one, other = low_rank_mean(0.3, F, 0.02, J), low_rank_mean(0.3 * c**2 * c**2, c**2 * F, 0.02, J)
    assert np.array_equal(other.W, c * one.W) and np.array_equal(c * other.Z, one.Z)
    assert other.rest == c**2 * one.rest and np.array_equal(other.S, c**2 * one.S)


def test_low_rank_takes_columns_that_depend_on_each_other():
    x = np.arange(1.0, 7.0)[:, None]
    F, J = np.hstack([x, x]), np.hstack([2 * x, 0 * x])
    np.testing.assert_allclose(
        low_rank_mean(1.0, F, 1.0, J).matrix(), matrix_mean(np.eye(6) + F @ F.T, np.eye(6) + J @ J.T), atol=1e-13
    )


# bad input -------------------------------------------------------------------------------------------------------
GOOD = np.eye(2)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (np.ones((2, 3)), ValueError, r"must be square, got shape \(2, 3\)"),
        (np.empty((0, 0)), ValueError, r"must be square, got shape \(0, 0\)"),
        ([[1.0, 0.5], [0.25, 1.0]], ValueError, "must be symmetric, got .*0.25"),
        ([[1.0, np.nan], [np.nan, 1.0]], ValueError, "must be finite, got .*nan"),
        ([[np.inf, 0.0], [0.0, 1.0]], ValueError, "must be finite, got .*inf"),
        ([[1.0, 2.0], [2.0, 1.0]], ValueError, "must be positive definite: it is not in floats, got .*2"),
        ([[1.0, 1.0], [1.0, 1.0]], ValueError, "must be positive definite"),
        ([[0.0, 0.0], [0.0, 1.0]], ValueError, "must be positive definite"),
        ([[1.0, 1 - 1e-15], [1 - 1e-15, 1.0]], ValueError, r"it has condition number 2.0e\+15 and so, with d = 2"),
        ("identity", TypeError, "must hold real numbers"),
        (exact(GOOD), TypeError, "must be in floats, got exact numbers"),
        (np.eye(3), ValueError, "B2 and G2 must have the same dimension"),
    ],
)
def test_bad_matrices_are_named(bad, error, message):
    for arguments, name in (((bad, GOOD), "B2"), ((GOOD, bad), "G2")):
        with pytest.raises(error, match=f"(?s){name}.*{message.removeprefix('B2 and G2')}"):
            matrix_mean(*arguments)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (np.ones((2, 1)), ValueError, r"must be a matrix with at least as many columns as rows, got shape \(2, 1\)"),
        (np.ones(2), ValueError, "must be a matrix"),
        (np.ones((2, 2)), ValueError, "must have rank 2 in floats"),
        (np.zeros((2, 4)), ValueError, "must have rank 2 in floats, its condition number is inf"),
        ([[1.0, np.nan], [0.0, 1.0]], ValueError, "must be finite, got .*nan"),
        (exact(GOOD), TypeError, "must be in floats"),
    ],
)
def test_bad_factors_are_named(bad, error, message):
    for arguments, name in (((bad, GOOD), "K"), ((GOOD, bad), "L")):
        with pytest.raises(error, match=f"(?s){name} {message}"):
            matrix_mean_from_factors(*arguments)
    with pytest.raises(ValueError, match="K and L must have the same dimension, got 2 and 3"):
        matrix_mean_from_factors(GOOD, np.eye(3))


def test_a_mean_that_floats_cannot_hold_is_refused_and_its_factors_are_not():
    K, L = pair("opposed", 8, 1e12)
    with pytest.raises(ValueError, match=r"H is too badly conditioned for a matrix of floats, S is in \[.*e-1[12]"):
        matrix_mean_from_factors(K, L)
    assert np.isfinite(mean_of_factors(K, L).W).all()


@pytest.mark.parametrize("condition", [0.02, 30.0])
@pytest.mark.parametrize("kind", ["generic", "commuting"])
def test_matrices_are_refused_about_where_they_stop_being_definite(kind, condition):
    for d in (4, 40):
        B2, G2 = (F @ F.T for F in pair(kind, d, np.sqrt(condition / d / EPS)))
        if condition < 0.1:
            matrix_mean(B2, G2)
        else:
            with pytest.raises(ValueError, match="B2 must be positive definite"):
                matrix_mean(B2, G2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"b": 0.0}, "b must be > 0, got 0.0"),
        ({"g": np.nan}, "g must be finite, got nan"),
        ({"F": np.ones((3, 4))}, r"F and J must be \(d, p\) and \(d, q\) with p \+ q <= d, got \(3, 4\) and \(3, 1\)"),
        ({"J": np.ones((2, 1))}, "F and J must be"),
        ({"J": np.full((3, 1), np.inf)}, "J must be finite"),
        ({"b": 1e-30}, "b must not be lost beside columns of norm 1.7e\\+00, got 1e-30"),
        ({"g": 1e-30}, "g must not be lost beside columns of norm 2.2e"),
        ({"b": 1e308, "g": 1e-310}, "b / g must have a root in the range of float64, got b=1e\\+308, g=1e-310"),
    ],
)
def test_bad_low_rank_input_is_named(change, message):
    good = {"b": 1.0, "F": np.ones((3, 1)), "g": 1.0, "J": np.arange(3.0)[:, None]}
    with pytest.raises(ValueError, match=message):
        low_rank_mean(**(good | change))
