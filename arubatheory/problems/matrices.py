r"""Small dense matrices in any arithmetic: products, traces, inverses, log-determinants, order and spectrum.

Nothing here takes a root or an eigenvector: everything symmetric goes through $A = LDL^\top$ (`linear.factor`), so that
rationals stay rational. Eigenvalues are irrational; `largest_eigenvalue` encloses one between two matrices
$\lambda I - A$ whose pivots have certain signs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, Exact, approximate, ball, exact, is_exact, midpoint, sure
from arubatheory.kernel import borrowing, kernel, on
from arubatheory.problems.draw import OCTAVES, Draw
from arubatheory.problems.linear import dot, factor, factor_solve, has_positive_pivots
from arubatheory.problems.numbers import as_items, as_numbers, as_order, real, shown
from arubatheory.problems.scalar import larger, working_bits
from arubatheory.problems.signatures import typed


# algebra -----------------------------------------------------------------------------------------------------------
@kernel
def product(a: Array, b: Array) -> Array:
    r"""[exact] $AB$ for A (n, k) and B (k, m)."""
    out = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = dot(a[i], b[:, j])
    return out


@kernel
def conjugate(a: Array, x: Array) -> Array:
    r"""[exact] $AXA^\top$ for A (n, d) and a symmetric X (d, d), symmetric to the last bit."""
    half = product(a, x)
    n = a.shape[0]
    out = np.zeros((n, n), a.dtype)
    for i in range(n):
        for j in range(i + 1):
            out[i, j] = out[j, i] = dot(half[i], a[j])
    return out


@kernel
def gram(b: Array) -> Array:
    r"""[exact] $B^\top B$ (d, d) for B (n, d): the sum of $b_ib_i^\top$ over its rows."""
    d = b.shape[1]
    out = np.zeros((d, d), b.dtype)
    for i in range(d):
        for j in range(i + 1):
            out[i, j] = out[j, i] = dot(b[:, i], b[:, j])
    return out


@borrowing
def trace(a: Array) -> Any:
    r"""[exact] $\operatorname{Tr} A$."""
    s = a[0, 0]
    for i in range(1, a.shape[0]):
        s += a[i, i]
    return s


@kernel
def trace_product(a: Array, b: Array) -> Any:
    r"""[exact] $\operatorname{Tr}(AB)$ for A (n, d) and B (d, n), without the product."""
    s = a[0, 0] - a[0, 0]
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j] * b[j, i]
    return s


@kernel
def quadratic_trace(a: Array, x: Array, b: Array, y: Array) -> Any:
    r"""[exact] $\operatorname{Tr}(AXBY)$ for four matrices (d, d)."""
    return trace_product(product(a, x), product(b, y))


# symmetric positive definite ---------------------------------------------------------------------------------------
@kernel
def inverse(a: Array) -> Array:
    r"""[exact] $A^{-1}$ of a symmetric positive definite A (d, d), symmetric to the last bit."""
    d = a.shape[0]
    f, out = factor(a), np.zeros_like(a)
    for j in range(d):
        column = a[0] - a[0]
        column[j] += 1
        column = factor_solve(f, column)
        for i in range(j + 1):
            out[i, j] = out[j, i] = column[i]
    return out


@kernel
def log_det(a: Array) -> Any:
    r"""[exact] $\log\det A$ of a symmetric positive definite A (d, d): the sum of the logarithms of its pivots."""
    f = factor(a)
    s = np.log(f[0, 0])
    for i in range(1, a.shape[0]):
        s += np.log(f[i, i])
    return s


# order and spectrum ------------------------------------------------------------------------------------------------
def psd_margin(matrix: Array) -> Any:
    r"""A number that is >= 0 exactly when the symmetric matrix (d, d) is positive semidefinite: a margin.

    Floats: the least eigenvalue. Exact numbers: the least pivot. A zero pivot over a zero column is passed by; over any
    other column it gives minus the largest entry of that column, since a matrix with the rows (0, c), (c, x) is
    indefinite.

    Raises ValueError for what is not a square matrix, `Undecided` where balls leave a sign open.
    """
    matrix = _square(matrix)
    if not is_exact(matrix):
        return _spectral(matrix, 0)
    rest, least = matrix, None
    while rest.shape[0]:
        pivot, column = rest[0, 0], rest[1:, 0]
        if pivot == 0:
            steepest = max((abs(x) for x in column.tolist()), default=pivot)
            if steepest > 0:
                return -steepest
            rest = rest[1:, 1:]
        else:
            rest = rest[1:, 1:] - np.outer(column, column / pivot)
        least = pivot if least is None else min(least, pivot)
        if least < 0:
            break
    return least


def largest_eigenvalue(matrix: Array) -> Any:
    r"""$\lambda_{\max}$ of a symmetric matrix (d, d): a float, or exact (d = 1), or a ball that contains it.

    Exactly, d = 2 has the closed form. Else $\lambda$ lies above it exactly when all pivots of $\lambda I - A$ are
    positive, and is bisected until the ball has half the working precision, relative to the largest row sum of $|A|$.

    Raises ValueError for what is not a square matrix.
    """
    matrix = _square(matrix)
    if not is_exact(matrix):
        return _spectral(matrix, -1)
    if matrix.shape[0] == 1:
        return matrix[0, 0]
    if matrix.shape[0] == 2:
        half = (matrix[0, 0] - matrix[1, 1]) / 2
        return (matrix[0, 0] + matrix[1, 1]) / 2 + np.sqrt(half * half + matrix[0, 1] * matrix[0, 1])
    return _bisected(matrix)


def spectral_norm(matrix: Array) -> Any:
    r"""$\|A\|_2 = \max\{\lambda_{\max}(A), \lambda_{\max}(-A)\}$ of a symmetric matrix (d, d), as `largest_eigenvalue`.

    For any other B take the root of the largest eigenvalue of `gram(B)`.
    """
    matrix = _square(matrix)
    return on(larger, matrix)(largest_eigenvalue(matrix), largest_eigenvalue(-matrix))


def _spectral(matrix: Array, k: int) -> float:
    return float(np.linalg.eigvalsh(matrix)[k]) if np.isfinite(matrix).all() else math.nan


def _square(matrix: Any) -> Array:
    """A matrix (d, d) of floats or exact numbers; of what a statement has computed, some may not be finite."""
    items = as_items("matrix", matrix)
    if items.ndim != 2 or items.shape[0] != items.shape[1] or items.size == 0:
        raise ValueError(f"matrix must be a square array (d, d) with d >= 1, got shape {items.shape}")
    made: Any = items.astype(np.float64, copy=False) if items.dtype.kind == "f" else as_numbers("matrix", items)
    pairs = zip(made.flat, made.T.flat, strict=True) if is_exact(made) else ()
    if any(a.is_rational and b.is_rational and a != b for a, b in pairs):
        raise ValueError(f"matrix must be symmetric, got {shown(made)}")
    return made


def _bisected(matrix: Array) -> Exact:
    size = sum(midpoint(sum(map(abs, row))) for row in matrix.tolist())
    if size == 0:
        return Exact(0)
    low, high = -2 * size, 2 * size
    guess = exact(float(np.linalg.eigvalsh(approximate(matrix / size))[-1])) * size
    narrow = size / Exact(2) ** 40
    if _is_above(matrix, guess + narrow) and _is_above(matrix, guess - narrow) is False:
        low, high = guess - narrow, guess + narrow
    finest = size / Exact(2) ** (working_bits() // 2)
    while high - low > finest:
        middle = (low + high) / 2
        above = _is_above(matrix, middle)
        if above is None:
            break
        low, high = (low, middle) if above else (middle, high)
    return ball((low + high) / 2, (high - low) / 2)


def _is_above(matrix: Array, value: Exact) -> bool | None:
    r"""Whether $\lambda > \lambda_{\max}(A)$, by the pivots of $\lambda I - A$; None where balls cannot say."""
    rest = -matrix
    rest[np.diag_indices(matrix.shape[0])] += value
    return sure(lambda: has_positive_pivots(rest), None)


# drawing -----------------------------------------------------------------------------------------------------------
DEFINITE, RANK_ONE, SINGULAR, ZERO = range(4)
MANY = (DEFINITE, RANK_ONE, SINGULAR) * 5  # zero is one kind in 16: it makes most claims trivial


@typed
def random_psd(draw: Draw, d: int, octaves: int = 12) -> Array:
    r"""A symmetric positive semidefinite matrix (d, d): definite, $vv^\top$, with zero eigenvalues, or zero; of any
    scale, with eigenvalues in $2^{\pm octaves}$ of it, diagonal or rotated."""
    d = as_order(d)
    kind = draw.choice((*MANY[:7], ZERO, *MANY[7:]))
    scale = draw.positive()
    if kind == ZERO:
        return draw.zeros((d, d))
    if kind == RANK_ONE:
        v = draw.sphere(d)
        return np.outer(v, v) * scale
    spectrum = _spectrum(draw, d, octaves)
    if kind == SINGULAR:
        spectrum = spectrum * draw.array([1, *draw.integers(0, 1, d - 1).tolist()])
    return _turned(draw, spectrum * scale)


@typed
def random_spd(draw: Draw, d: int, octaves: int = 12) -> Array:
    r"""A symmetric positive definite matrix (d, d) of any scale, with eigenvalues in $2^{\pm octaves}$ of it, diagonal
    or rotated."""
    return _turned(draw, _spectrum(draw, as_order(d), octaves) * draw.positive())


@typed
def random_symmetric(draw: Draw, d: int) -> Array:
    r"""A symmetric matrix (d, d) with entries in $[-1, 1]$."""
    a = draw.real(-1, 1, (as_order(d), d))
    return (a + a.T) / 2


def _spectrum(draw: Draw, d: int, octaves: int) -> Array:
    real("octaves", octaves, least=0, most=OCTAVES)
    return np.asarray(draw.positive(-octaves, octaves, d))


def _turned(draw: Draw, spectrum: Array) -> Array:
    r"""$Q \operatorname{diag}(\lambda) Q^\top$ with Q = I or a rational rotation."""
    d = spectrum.size
    matrix = draw.eye(d) * spectrum
    if d == 1 or not draw.boolean():
        return matrix
    return np.asarray(on(conjugate, spectrum)(draw.rotation(d), matrix))
