"""Small matrices against numpy, their own definitions and hand-made cases, in floats, rationals and balls."""

import functools
from fractions import Fraction

import numpy as np
import pytest

from arubatheory.arithmetic import Exact, Undecided, approximate, exact, midpoint, precision
from arubatheory.kernel import on
from arubatheory.problems import matrices
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.linear import factor, is_definite

DIMENSIONS = (1, 2, 3, 4)


def sensitivity(weight, a):
    """d sum_i W_ii A_ii: what a unit of rounding in A = LDL^T costs a function of A with the gradient W at most.

    Higham, Accuracy and Stability of Numerical Algorithms, ch. 10; W is the inverse for log det.
    """
    return len(a) * sum(abs(weight[i, i] * a[i, i]) for i in range(len(a)))


def rationals(rows):
    return np.array([[Exact(Fraction(x)) for x in row] for row in rows], dtype=object)


def both(make, seed):
    """What a generator makes from one tape, in floats and in rationals."""
    draw = RandomDraw(np.random.default_rng(seed))
    floats = make(draw)
    return floats, make(TapeDraw(draw.tape, exact=True))


@pytest.mark.parametrize("d", DIMENSIONS)
def test_products_and_traces_are_numpys(d):
    rng = np.random.default_rng(d)
    a, b, x, y = rng.normal(size=(4, d, d))
    s = (x + x.T) / 2
    np.testing.assert_allclose(matrices.product(a, b), a @ b, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(matrices.conjugate(a, s), a @ s @ a.T, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(matrices.gram(a), a.T @ a, rtol=1e-13, atol=1e-14)
    assert matrices.trace(a) == pytest.approx(np.trace(a), abs=1e-13)
    assert matrices.trace_product(a, b) == pytest.approx(np.trace(a @ b), abs=1e-12)
    assert matrices.quadratic_trace(a, x, b, y) == pytest.approx(np.trace(a @ x @ b @ y), abs=1e-12)


def test_products_of_oblong_matrices():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 4)), rng.normal(size=(4, 3))
    np.testing.assert_allclose(matrices.product(a, b), a @ b, rtol=1e-13)
    np.testing.assert_allclose(matrices.gram(a), a.T @ a, rtol=1e-13)
    assert matrices.gram(a).shape == (4, 4)
    assert matrices.trace_product(a, a.T.copy()) == pytest.approx((a * a).sum())


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("seed", range(4))
def test_the_inverse_of_a_rational_matrix_is_its_inverse(d, seed):
    _, x = both(lambda draw: matrices.random_spd(draw, d), seed)
    inverse = on(matrices.inverse, x)(x)
    assert (on(matrices.product, x)(x, inverse) == exact(np.eye(d))).all()
    assert (inverse == inverse.T).all()


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("seed", range(4))
def test_floats_agree_with_rationals_within_what_sensitivity_allows(d, seed):
    """4 n eps times the sensitivity, n the operations of a factorisation, bounds the error, though condition numbers
    reach 2**24."""
    x, exactly = both(lambda draw: matrices.random_spd(draw, d), seed)
    inverse = matrices.inverse(x)
    unit = 4 * 4 * d**3 * np.finfo(float).eps
    of_log = approximate(on(matrices.log_det, exactly)(exactly))
    assert abs(matrices.log_det(x) - of_log) <= unit * (sensitivity(inverse, x) + abs(of_log))
    of_trace = approximate(on(matrices.trace, exactly)(on(matrices.inverse, exactly)(exactly)))
    allowed = sensitivity(matrices.gram(inverse), x)
    assert abs(matrices.trace(inverse) - of_trace) <= unit * allowed


def test_pivots_inverse_and_log_determinant_by_hand():
    a = rationals([[4, 2], [2, 3]])
    assert np.diagonal(on(factor, a)(a)).tolist() == [4, 2]
    assert approximate(on(matrices.log_det, a)(a)) == pytest.approx(3 * np.log(2))
    assert on(matrices.inverse, a)(a).tolist() == [[Fraction(3, 8), Fraction(-1, 4)], [Fraction(-1, 4), Fraction(1, 2)]]
    assert matrices.log_det(approximate(a)) == pytest.approx(3 * np.log(2))


@pytest.mark.parametrize(
    "rows, margin",
    [
        ([[0]], 0),
        ([[-3]], -3),
        ([[1, 1], [1, 1]], 0),
        ([[1, 2], [2, 1]], -3),
        ([[0, 0], [0, 2]], 0),
        ([[0, 5], [5, 100]], -5),
        ([[0, 0, 0], [0, 1, 1], [0, 1, "1/2"]], "-1/2"),
        ([[2, 0, 0], [0, 3, 0], [0, 0, 5]], 2),
    ],
)
def test_the_margin_of_semidefiniteness_by_hand(rows, margin):
    a = rationals(rows)
    assert matrices.psd_margin(a) == Fraction(margin)
    least = matrices.psd_margin(approximate(a))
    assert least == pytest.approx(np.linalg.eigvalsh(approximate(a))[0], abs=1e-15)
    assert (least >= -1e-14) == (Fraction(margin) >= 0)


@pytest.mark.parametrize("seed", range(60))
def test_the_margin_is_negative_exactly_when_an_eigenvalue_is(seed):
    """Shifted by less and by more than the least eigenvalue; the exact margin needs no eigenvalues."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 5))
    floats, x = both(lambda draw: matrices.random_symmetric(draw, d), seed)
    least = np.linalg.eigvalsh(floats)[0]
    for shift, positive in ((1e-9, False), (-1e-9, True)):
        shifted = x - exact(np.eye(d)) * exact(float(least + shift))
        assert (matrices.psd_margin(shifted) >= 0) is positive
        assert is_definite(shifted) is positive


def test_what_is_drawn_is_semidefinite_sometimes_singular_and_seldom_zero():
    drawn = [both(functools.partial(matrices.random_psd, d=1 + seed % 3), seed)[1] for seed in range(80)]
    assert all(matrices.psd_margin(x) >= 0 and (x == x.T).all() for x in drawn)
    assert 20 < sum(not is_definite(x) for x in drawn) < 70
    assert 0 < sum(all(e == 0 for e in x.ravel()) for x in drawn) < 20


def test_a_gram_matrix_is_semidefinite_and_singular_with_too_few_rows():
    for seed in range(20):
        _, b = both(lambda draw: draw.real(-1, 1, (2, 3)), seed)
        square = on(matrices.gram, b)(b)
        assert matrices.psd_margin(square) >= 0
        assert not is_definite(square)


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("seed", range(3))
def test_the_largest_eigenvalue_is_enclosed(d, seed):
    """The pivots of $\\lambda I - A$ change sign at the ends of the ball, which is thin."""
    floats, x = both(lambda draw: matrices.random_symmetric(draw, d), seed)
    with precision(128):
        found, norm, thin = matrices.largest_eigenvalue(x), matrices.spectral_norm(x), Exact(1) / 2**56
        for value, above in ((midpoint(found) + thin, True), (midpoint(found) - thin, False)):
            assert is_definite(exact(np.eye(d)) * value - x) is above
            assert (value > found) is above
    assert matrices.largest_eigenvalue(floats) == pytest.approx(approximate(found), rel=1e-12)
    assert approximate(norm) == pytest.approx(np.linalg.norm(floats, 2), rel=1e-12)


def test_more_precision_gives_a_thinner_ball_around_the_same_number():
    x = rationals([[2, 1, 0], [1, 3, 1], [0, 1, 4]])  # eigenvalues 3 and 3 +- sqrt 3
    for bits in (128, 512):
        with precision(bits):
            found, root = matrices.largest_eigenvalue(x), 3 + Exact(3).sqrt()
            assert abs(found - root) < Exact(1) / 2 ** (bits // 2 - 8)
            with pytest.raises(Undecided):  # the ball holds the root
                assert found < root


def test_eigenvalues_that_are_rational_multiple_or_zero():
    assert matrices.largest_eigenvalue(rationals([["3/7"]])) == Fraction(3, 7)
    assert matrices.spectral_norm(rationals([[-2]])) == 2
    assert matrices.largest_eigenvalue(rationals([[1, 2], [2, 1]])) == 3
    assert matrices.spectral_norm(rationals([[-1, 2], [2, -1]])) == 3
    assert matrices.spectral_norm(rationals(np.zeros((3, 3), int).tolist())) == 0
    with precision(128):
        fourfold = matrices.largest_eigenvalue(rationals((5 * np.eye(4, dtype=int)).tolist()))
        assert abs(fourfold - 5) < Exact(1) / 2**56


@pytest.mark.parametrize("function", [matrices.psd_margin, matrices.largest_eigenvalue, matrices.spectral_norm])
@pytest.mark.parametrize("shape", [(2,), (2, 3), (0, 0), (2, 2, 2)])
def test_what_is_not_square_is_refused(function, shape):
    with pytest.raises(ValueError, match=r"matrix must be a square array \(d, d\)"):
        function(np.ones(shape))
