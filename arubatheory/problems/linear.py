r"""Symmetric positive definite systems by $A = L D L^\top$: no square root, so rationals stay rational.

Without pivoting the factorisation of a positive definite matrix is backward stable (Higham, Accuracy and Stability of
Numerical Algorithms, ch. 10), and the pivots $D$ are all positive exactly when the matrix is positive definite.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, exact
from arubatheory.kernel import borrowing, kernel


@kernel
def factor(matrix: Array) -> Array:
    r"""[exact] $L D L^\top$ of a symmetric matrix (d, d): unit lower $L$ below the result's diagonal, $D$ on it."""
    n = matrix.shape[0]
    f = matrix.copy()
    for j in range(n):
        for k in range(j):
            f[j, j] -= f[j, k] * f[j, k] * f[k, k]
        for i in range(j + 1, n):
            for k in range(j):
                f[i, j] -= f[i, k] * f[j, k] * f[k, k]
            f[i, j] /= f[j, j]
    return f


@kernel
def factor_solve(f: Array, b: Array) -> Array:
    r"""[exact] The solution of $A x = b$ from `f = factor(A)`."""
    n = b.size
    x = b.copy()
    for i in range(n):
        for k in range(i):
            x[i] -= f[i, k] * x[k]
    for i in range(n):
        x[i] /= f[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= f[k, i] * x[k]
    return x


@kernel
def solve(matrix: Array, b: Array) -> Array:
    r"""[exact] $A^{-1} b$ for a symmetric positive definite $A$ (d, d) and $b$ (d,)."""
    return factor_solve(factor(matrix), b)


@kernel
def times(matrix: Array, x: Array) -> Array:
    r"""[exact] $A x$ for $A$ (n, d) and $x$ (d,)."""
    y = np.empty(matrix.shape[0], x.dtype)
    for i in range(y.size):
        y[i] = dot(matrix[i], x)
    return y


@borrowing
def dot(x: Array, y: Array) -> Any:
    r"""[exact] $\langle x, y\rangle$ for two vectors (d,)."""
    s = x[0] * y[0]
    for i in range(1, x.size):
        s += x[i] * y[i]
    return s


@borrowing
def squared_difference(x: Array, y: Array) -> Any:
    r"""[exact] $\|x - y\|_2^2$ for two vectors (d,)."""
    s = (x[0] - y[0]) * (x[0] - y[0])
    for i in range(1, x.size):
        s += (x[i] - y[i]) * (x[i] - y[i])
    return s


@borrowing
def quadratic_form(matrix: Array, x: Array) -> Any:
    r"""[exact] $x^\top A x$ for A (d, d) and x (d,)."""
    s = x[0] * dot(matrix[0], x)
    for i in range(1, x.size):
        s += x[i] * dot(matrix[i], x)
    return s


@borrowing
def form_of_difference(matrix: Array, x: Array, y: Array) -> Any:
    r"""[exact] $(x - y)^\top A (x - y)$ for A (d, d) and two vectors (d,)."""
    s = matrix[0, 0] * 0
    for i in range(x.size):
        for j in range(x.size):
            s += (x[i] - y[i]) * matrix[i, j] * (x[j] - y[j])
    return s


@kernel
def shifted(matrix: Array, shift: Any) -> Array:
    r"""[exact] $A + \lambda I$."""
    m = matrix.copy()
    for i in range(m.shape[0]):
        m[i, i] += shift
    return m


def is_definite(matrix: Array) -> bool:
    r"""Whether a symmetric matrix (d, d) is positive definite, decided in rationals where float pivots are in doubt.

    A float pivot that exceeds $8 d^2 \varepsilon A_{ii}$, the bound of the factorisation's backward error, is not.
    """
    d = matrix.shape[0]
    diagonal = np.diagonal(matrix)
    if any(x <= 0 for x in diagonal.tolist()):
        return False
    if matrix.dtype != object:
        with np.errstate(all="ignore"):
            pivots = np.diagonal(factor(matrix))
        doubt = 8 * d * d * np.finfo(np.float64).eps * diagonal
        if np.all(np.isfinite(pivots)) and np.all(pivots > doubt):
            return True
    return has_positive_pivots(matrix if matrix.dtype == object else exact(matrix))


def has_positive_pivots(matrix: Array) -> bool:
    """Whether all pivots of an exact matrix are positive: eliminates row by row up to the first that is not."""
    rest = matrix.copy()
    while rest.shape[0]:
        if not rest[0, 0] > 0:
            return False
        rest = rest[1:, 1:] - np.outer(rest[1:, 0], rest[0, 1:] / rest[0, 0])
    return True
