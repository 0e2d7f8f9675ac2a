"""Norms, their duals, and the constants between them: against definitions, and over domains."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arubatheory.arithmetic import Exact, approximate, exact, is_exact, precision
from arubatheory.kernel import on
from arubatheory.problems import domains
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, ball, box, simplex, space
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.norms import (
    CORNERS,
    NORMS,
    Norm,
    norm_of,
    plain_norm,
    random_norm,
    squared_constant,
    squared_constant_on,
    squared_dual_norm,
    squared_norm,
    top_eigenvalue,
)
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import mahalanobis

EPS = np.finfo(np.float64).eps


def standard_norm(name, d):
    """l2, l1 or linf."""
    return plain_norm(NORMS.index(name), d, np.zeros(d))


def matrix_norm(matrix):
    """That of a positive definite matrix."""
    matrix = np.asarray(matrix)
    domain = space(len(matrix))
    return on(norm_of, matrix)(mahalanobis(matrix), exact(domain) if is_exact(matrix) else domain)


def norms(d, seed=0):
    """One of each kind, with two matrices: a diagonal one and a rotated one."""
    rng = np.random.default_rng([seed, d])
    root = rng.normal(size=(d, d))
    matrix = root @ root.T + np.eye(d) / 4
    return [
        *(standard_norm(name, d) for name in NORMS[:3]),
        matrix_norm(np.diag(rng.random(d) * 8 + 0.1)),
        matrix_norm((matrix + matrix.T) / 2),
    ]


def constant(A, B, domain=None):
    """A C with |x|_A <= C |x|_B everywhere, or on the domain."""
    if domain is None:
        return np.sqrt(on(squared_constant, A.matrix)(A, B))
    return np.sqrt(on(squared_constant_on, A.matrix)(A, B, domain))


def by_definition(norm, x):
    if norm.kind == 3:
        return np.sqrt(x @ norm.matrix @ x)
    return np.linalg.norm(x, {0: 2, 1: 1, 2: np.inf}[norm.kind])


def directions(d, n=400):
    """Random ones, axes and signs."""
    rng = np.random.default_rng(d)
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=d)))
    return np.concatenate([rng.normal(size=(n, d)), np.eye(d), -np.eye(d), signs])


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_norms_are_what_they_are_called(d):
    for norm, x in itertools.product(norms(d), directions(d, 20)):
        assert squared_norm(norm, x) == pytest.approx(by_definition(norm, x) ** 2, rel=32 * d * d * EPS)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_dual_norms_are_suprema_of_inner_products(d):
    for norm in norms(d):
        x = directions(d, 4000)
        x = x / np.array([by_definition(norm, row) for row in x])[:, None]
        for g in directions(d, 5):
            dual = np.sqrt(squared_dual_norm(norm, g))
            assert np.max(x @ g) <= dual * (1 + 64 * EPS)
            # random directions come near the supremum: within 2 % for d = 3
            assert np.max(x @ g) >= 0.98 * dual


@pytest.mark.parametrize("d", [1, 2, 3])
def test_constants_bound_the_ratio_and_are_reached(d):
    for A, B in itertools.product(norms(d, 1), norms(d, 2)):
        C = constant(A, B)
        ratios = [by_definition(A, x) / by_definition(B, x) for x in directions(d, 4000)]
        assert max(ratios) <= C * (1 + 64 * EPS)
        # the square of a bound by the trace of the 32nd power is at most d^(1/32) above
        assert max(ratios) >= 0.97 * C / d ** (1 / 64)


def test_constants_in_closed_form():
    l2, l1, linf = (standard_norm(name, 4) for name in NORMS[:3])
    table = {(0, 0): 1, (0, 1): 1, (0, 2): 2, (1, 0): 2, (1, 1): 1, (1, 2): 4, (2, 0): 1, (2, 1): 1, (2, 2): 1}
    for (i, j), C in table.items():
        assert constant((l2, l1, linf)[i], (l2, l1, linf)[j]) == C
    diagonal = matrix_norm(np.diag([1.0, 4.0, 9.0, 16.0]))
    assert constant(diagonal, l2) == 4 and constant(l2, diagonal) == 1
    assert constant(diagonal, l1) == 4 and constant(diagonal, linf) == pytest.approx(np.sqrt(30), rel=4 * EPS)
    assert constant(linf, diagonal) == 1 and constant(diagonal, diagonal) == 1


def test_the_largest_eigenvalue_is_bounded_closely():
    rng = np.random.default_rng(3)
    for d in (2, 3, 6):
        root = rng.normal(size=(d, d))
        matrix = root @ root.T
        top = np.linalg.eigvalsh(matrix)[-1]
        assert top * (1 - 64 * EPS) <= top_eigenvalue(matrix) <= top * d ** (1 / 32) * (1 + 64 * EPS)
    assert top_eigenvalue(np.diag([3.0, 7.0])) == 7


def test_beyond_the_enumeration_the_bound_holds():
    d = CORNERS + 2
    A = norms(d)[4]
    linf = standard_norm("linf", d)
    signs = np.sign(np.random.default_rng(0).normal(size=(500, d)))
    assert max(by_definition(A, s) for s in signs) <= constant(A, linf)
    wide = box(np.full(d, 1.0), np.full(d, 2.0))
    for N in norms(d):
        assert by_definition(N, wide.high) <= constant(N, linf, wide) * 2 * (1 + EPS)


DOMAINS = [
    box([1.0, -0.5], [1.0, 0.5]),
    box([-1.0, 2.0], [3.0, 4.0]),
    ball([3.0, 1.0], 0.5),
    ball([0.0, 0.0], 2.0),
    simplex(2),
    simplex(2, [0.25, 0.5]),
    ball([1.0, 1.0], 0.0),
]


@pytest.mark.parametrize("domain", DOMAINS)
def test_constants_over_a_domain_bound_the_ratio_on_it(domain):
    rng = np.random.default_rng(1)
    points = [domains.project(domain, x) for x in rng.normal(size=(300, 2)) * 3]
    for A, B in itertools.product(norms(2, 1), norms(2, 2)):
        C = constant(A, B, domain)
        assert C <= constant(A, B) * (1 + 4 * EPS)
        assert max(by_definition(A, x) / by_definition(B, x) for x in points if x.any()) <= C * (1 + 64 * EPS)


def test_a_domain_may_need_a_much_smaller_constant():
    """On {1} x [-h, h] the norms diag(1, K^2) and l2 nearly agree, and the differences of its points see K."""
    A, l2 = matrix_norm(np.diag([1.0, 64.0])), standard_norm("l2", 2)
    thin = box([1.0, -1 / 16], [1.0, 1 / 16])
    assert constant(A, l2) == 8
    assert constant(A, l2, thin) == pytest.approx(np.sqrt(1.25), rel=4 * EPS)
    assert constant(A, l2, space(2)) == 8


@given(st.integers(0, 10**6))
def test_floats_and_exact_numbers_agree(seed):
    def drawn(draw):
        d = draw.integer(1, 3)
        domain = random_domain(draw, d)
        return random_norm(draw, d), random_norm(draw, d), domain, random_point(domain, draw), draw.real(-1, 1, d)

    draw = RandomDraw(np.random.default_rng(seed))
    A, B, domain, x, g = drawn(draw)
    with precision(256):
        M, N, area, y, h = drawn(TapeDraw(draw.tape, exact=True))
        pairs = [
            (squared_norm(A, x), squared_norm(M, y)),
            (squared_dual_norm(A, g), squared_dual_norm(M, h)),
            (constant(A, B), constant(M, N)),
        ]
        # spectra in [2^-8, 2^8]: two matrices have condition 2^32 between them, which roundings are multiplied by
        for one, other in pairs:
            assert one == pytest.approx(approximate(other), rel=1e-5, abs=0)
        low, high = squared_norm(M, y), constant(M, N, area)
        if domain.kind in (BALL, BOX, SIMPLEX) and any(t != 0 for t in y):
            assert approximate(low) <= approximate(high * high * squared_norm(N, y)) * (1 + 1e-12)


def test_exact_matrix_norms():
    A = matrix_norm(exact(np.array([[2.0, 1.0], [1.0, 2.0]])))
    assert isinstance(A, Norm) and squared_dual_norm(A, exact(np.array([1.0, 1.0]))) * 3 == 2


@pytest.mark.parametrize(("size", "name"), [(squared_norm, "x"), (squared_dual_norm, "g")])
@pytest.mark.parametrize(
    ("point", "error", "message"),
    [
        (np.ones(6), ValueError, "must have the dimension 2 of the norm, got 6"),
        ([1.0], ValueError, "must have the dimension 2 of the norm, got 1"),
        (np.ones((2, 2)), ValueError, r"must be a vector, got an array of shape \(2, 2\)"),
        ([1.0, np.nan], ValueError, r"must be finite, got \[1.0, nan\]"),
        (["a", "b"], TypeError, "must hold real numbers"),
        ([Exact(1), Exact(2)], TypeError, "must be both in floats or both exact"),
    ],
)
def test_a_point_that_does_not_fit_the_norm_is_named(size, name, point, error, message):
    for norm in (matrix_norm(np.eye(2)), standard_norm("l1", 2)):
        with pytest.raises(error, match=f"{name} {message}"):
            size(norm, point)
    assert size(matrix_norm(np.eye(2)), [3, 4]) == 25.0
