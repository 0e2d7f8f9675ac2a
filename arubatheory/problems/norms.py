r"""Norms on $\mathbb R^d$ and their duals: l2, l1, the maximum norm, and $\sqrt{x^\top A x}$; how they compare.

Squares of norms are rational for rational vectors, so that exact arithmetic takes roots last. The constants
$C$ with $\|x\|_A \le C \|x\|_B$ are known in closed form for all pairs but two matrices:

| $C^2 = \sup \|x\|_A^2/\|x\|_B^2$ | B = l2 | B = l1 | B = max | B = matrix N |
|---|---|---|---|---|
| A = l2 | 1 | 1 | d | $\lambda_{\max}(N^{-1})$ |
| A = l1 | d | 1 | $d^2$ | $\max_s s^\top N^{-1} s$ |
| A = max | 1 | 1 | 1 | $\max_i (N^{-1})_{ii}$ |
| A = matrix M | $\lambda_{\max}(M)$ | $\max_i M_{ii}$ | $\max_s s^\top M s$ | $\lambda_{\max}(N^{-1} M)$ |

with $s$ over $\{\pm 1\}^d$. The largest eigenvalue is exact for diagonal matrices and otherwise bounded by the trace of
a power (`top_eigenvalue`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import kernel, on
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, Domain, mass, project_simplex
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, is_positive_definite, solve, times
from arubatheory.problems.numbers import as_dimension, as_items, as_numbers, as_vector
from arubatheory.problems.scalar import larger, smaller

NORMS = ("l2", "l1", "linf", "matrix")
L2, L1, LINF, MATRIX = range(4)
SQUARINGS = 5  # the trace of a 32nd power: at most d^(1/32) above the largest eigenvalue
CORNERS = 10  # signs are enumerated up to so many dimensions, and bounded by absolute values beyond


class Norm(NamedTuple):
    r"""$\|x\|_2$, $\|x\|_1$, $\|x\|_\infty$ or $\sqrt{x^T A x}$ with the inverse of A at hand; `kind` indexes
    `NORMS`."""

    kind: int
    matrix: Array
    inverse: Array


def standard_norm(name: str, d: int) -> Norm:
    r"""The norm l2, l1 or linf on $\mathbb R^d$, in floats. Raises ValueError for another name or d < 1."""
    if name not in NORMS[:MATRIX]:
        raise ValueError(f"name must be one of {', '.join(NORMS[:MATRIX])}, got {name!r}")
    return Norm(NORMS.index(name), np.eye(as_dimension(d)), np.eye(d))


def matrix_norm(matrix: Any) -> Norm:
    r"""$\sqrt{x^\top A x}$ for a symmetric positive definite A (d, d). Raises ValueError for any other array."""
    a = as_numbers("matrix", as_items("matrix", matrix), matrix)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or a.size == 0:
        raise ValueError(f"matrix must be square, got shape {a.shape}")
    if not np.all(a == a.T) or not is_positive_definite(a):
        raise ValueError(f"matrix must be symmetric and positive definite, got {matrix!r}")
    unit = np.eye(len(a)).astype(np.int64).astype(object) if is_exact(a) else np.eye(len(a))
    inverse = np.array([on(solve, a)(a, unit[j] + 0 * a[0]) for j in range(len(a))])
    return Norm(MATRIX, a, (inverse + inverse.T) / 2)


def random_norm(draw: Draw, d: int) -> Norm:
    r"""One of `NORMS`; the matrix is $Q \operatorname{diag}(\lambda) Q^T$ for a drawn spectrum and rotation, Q = I half
    of the time."""
    kind = draw.integer(0, 3)
    if kind < 3:
        return Norm(kind, draw.eye(d), draw.eye(d))
    rotation = draw.rotation(d) if draw.boolean() else draw.eye(d)
    spectrum = draw.positive(-8, 8, d)
    return Norm(kind, (rotation * spectrum) @ rotation.T, (rotation / spectrum) @ rotation.T)


# kernels -----------------------------------------------------------------------------------------------------------
@kernel
def _square(kind: int, matrix: Array, x: Array) -> Any:
    if kind == MATRIX:
        return dot(x, times(matrix, x))
    if kind == L2:
        return dot(x, x)
    size = abs(x[0])
    for j in range(1, x.shape[0]):
        size = larger(size, abs(x[j])) if kind == LINF else size + abs(x[j])
    return size * size


@kernel
def norm_square(norm: Norm, x: Array) -> Any:
    r"""[exact] $\|x\|^2$."""
    return _square(norm.kind, norm.matrix, x)


@kernel
def dual_square(norm: Norm, g: Array) -> Any:
    r"""[exact] $\|g\|_\ast^2$: l2 is its own dual, l1 and the maximum norm are each other's, A's is its inverse."""
    kind = norm.kind
    if kind == L1:
        kind = LINF
    elif kind == LINF:
        kind = L1
    return _square(kind, norm.inverse, g)


@kernel
def top_eigenvalue(matrix: Array) -> Any:
    r"""[exact] An upper bound of the largest eigenvalue of a matrix with real positive ones.

    $\lambda_{\max} \le (\operatorname{tr} A^k)^{1/k}$ with $k = 2^5$, for $A/\operatorname{tr} A$; exact if diagonal.
    """
    d = matrix.shape[0]
    trace, largest, diagonal = matrix[0, 0], matrix[0, 0], True
    for i in range(d):
        if i > 0:
            trace, largest = trace + matrix[i, i], larger(largest, matrix[i, i])
        for j in range(d):
            diagonal = diagonal and (i == j or matrix[i, j] == 0)
    if diagonal:
        return largest
    power = matrix / trace
    for _ in range(SQUARINGS):
        before = power.copy()
        for i in range(d):
            power[i] = times(before.T, before[i])
    root = power[0, 0]
    for i in range(1, d):
        root = root + power[i, i]
    for _ in range(SQUARINGS):
        root = np.sqrt(root)
    return trace * root


@kernel
def _largest_on_signs(matrix: Array) -> Any:
    r"""$\max_{s \in \{\pm 1\}^d} s^\top M s$ (an upper bound beyond `CORNERS` dimensions)."""
    d = matrix.shape[0]
    best = matrix[0, 0] - matrix[0, 0]
    if d > CORNERS:
        for i in range(d):
            for j in range(d):
                best = best + abs(matrix[i, j])
        return best
    for k in range(1 << (d - 1)):  # s and -s agree
        s = matrix[0, 0] - matrix[0, 0]
        for i in range(d):
            for j in range(d):
                s = s + matrix[i, j] if ((k >> i) ^ (k >> j)) & 1 == 0 else s - matrix[i, j]
        best = larger(best, s)
    return best


@kernel
def _largest_diagonal(matrix: Array) -> Any:
    best = matrix[0, 0]
    for i in range(1, matrix.shape[0]):
        best = larger(best, matrix[i, i])
    return best


@kernel
def squared_constant(A: Norm, B: Norm) -> Any:
    r"""[exact] $C^2$ with $\|x\|_A \le C\|x\|_B$ for all $x \in \mathbb R^d$: the least one (table above), but for two
    matrices and matrices that are not diagonal against l2 an upper bound of it, within $d^{1/32}$."""
    d = A.matrix.shape[0]
    one = A.matrix[0, 0] - A.matrix[0, 0] + 1
    if A.kind == MATRIX:
        if B.kind == L1:
            return _largest_diagonal(A.matrix)
        if B.kind == LINF:
            return _largest_on_signs(A.matrix)
        product = A.matrix
        if B.kind == MATRIX:
            product = A.matrix.copy()
            for i in range(d):
                product[i] = times(A.matrix, B.inverse[i])
        return top_eigenvalue(product)
    if B.kind == MATRIX:
        if A.kind == L1:
            return _largest_on_signs(B.inverse)
        return _largest_diagonal(B.inverse) if A.kind == LINF else top_eigenvalue(B.inverse)
    if A.kind == L1 and B.kind != L1:
        return one * d if B.kind == L2 else one * d * d
    return one * d if A.kind == L2 and B.kind == LINF else one


@kernel
def vertex_into(domain: Domain, k: int, x: Array) -> None:
    r"""[exact] Writes vertex k of a box ($k < 2^d$) or of a simplex ($k < d$) into x."""
    free = mass(domain.low) if domain.kind == SIMPLEX else domain.low[0]
    for j in range(x.shape[0]):
        if domain.kind == BOX:
            x[j] = domain.high[j] if (k >> j) & 1 == 1 else domain.low[j]
        else:
            x[j] = domain.low[j] + free if j == k else domain.low[j]


@kernel
def _largest_square(A: Norm, domain: Domain) -> Any:
    r"""An upper bound of $\sup_\Theta \|x\|_A^2$, $\Theta$ bounded: at a vertex, or by a ball's centre and radius."""
    d = domain.low.shape[0]
    x = domain.center.copy()
    if domain.kind == BALL:
        reach = domain.radius[0] * domain.radius[0]
        if A.kind != L2:
            reach = reach * squared_constant(A, Norm(L2, A.matrix, A.matrix))
        middle = norm_square(A, x)
        return middle + reach + 2 * np.sqrt(middle * reach)
    best = domain.low[0] - domain.low[0]
    if domain.kind == BOX and d > CORNERS:
        for j in range(d):
            x[j] = larger(abs(domain.low[j]), abs(domain.high[j]))
        if A.kind == MATRIX:
            return dot(x, x) * top_eigenvalue(A.matrix)
        return norm_square(A, x)
    for k in range(d if domain.kind == SIMPLEX else 1 << d):
        vertex_into(domain, k, x)
        best = larger(best, norm_square(A, x))
    return best


@kernel
def _least_square(B: Norm, domain: Domain) -> Any:
    r"""A lower bound of $\inf_\Theta \|x\|_B^2$ for a bounded domain."""
    x = domain.center.copy()
    zero = x[0] - x[0]
    if domain.kind == BALL:
        gap = np.sqrt(dot(x, x)) - domain.radius[0]
        gap = larger(gap, zero)
        return gap * gap / squared_constant(Norm(L2, B.matrix, B.matrix), B)
    if domain.kind == BOX:
        for j in range(x.shape[0]):
            x[j] = larger(larger(domain.low[j], -domain.high[j]), zero)
    else:
        x = project_simplex(domain.low, x)  # next to 0 in l2, and in the maximum norm as well
        if B.kind == L1:
            return zero + 1
    if B.kind != MATRIX:
        return norm_square(B, x)
    diagonal = domain.kind == BOX
    for i in range(x.shape[0]):
        for j in range(i):
            diagonal = diagonal and B.matrix[i, j] == 0
    return norm_square(B, x) if diagonal else dot(x, x) / top_eigenvalue(B.inverse)


@kernel
def squared_constant_on(A: Norm, B: Norm, domain: Domain) -> Any:
    r"""[exact] $C^2$ with $\|x\|_A \le C\|x\|_B$ for all $x \in \Theta$: that of $\mathbb R^d$, or
    $\sup_\Theta\|x\|_A^2/\inf_\Theta\|x\|_B^2$ if it is smaller."""
    everywhere = squared_constant(A, B)
    if domain.kind == SPACE:
        return everywhere
    least = _least_square(B, domain)
    return smaller(everywhere, _largest_square(A, domain) / least) if least > 0 else everywhere


# public ------------------------------------------------------------------------------------------------------------
def squared_norm(norm: Norm, x: Any) -> Any:
    r"""$\|x\|^2$ for x (d,).

    Raises ValueError for NaN, infinities and other shapes, TypeError for what is no number and for two arithmetics.
    """
    point = _checked("x", x, norm)
    return on(norm_square, point)(norm, point)


def squared_dual_norm(norm: Norm, g: Any) -> Any:
    r"""$\|g\|_\ast^2$ for g (d,); errors as in `squared_norm`."""
    point = _checked("g", g, norm)
    return on(dual_square, point)(norm, point)


def _checked(name: str, x: Any, norm: Norm) -> Array:
    point = as_vector(name, x)
    if point.size != len(norm.matrix):
        raise ValueError(f"{name} must have the dimension {len(norm.matrix)} of the norm, got {point.size}")
    if is_exact(point) != is_exact(norm.matrix):
        raise TypeError(f"norm and {name} must be both in floats or both exact, got {name}={x!r}")
    return point


def constant(A: Norm, B: Norm, domain: Domain | None = None) -> Any:
    r"""A C with $\|x\|_A \le C\|x\|_B$ for all $x \in \mathbb R^d$, or for all x of the domain, as `squared_constant`.

    Raises ValueError for norms or a domain of different dimensions.
    """
    d = len(A.matrix)
    if len(B.matrix) != d or (domain is not None and domain.low.size != d):
        given = [len(B.matrix)] if domain is None else [len(B.matrix), domain.low.size]
        raise ValueError(f"B and domain must have the dimension {d} of A, got {given}")
    if domain is None:
        return np.sqrt(on(squared_constant, A.matrix)(A, B))
    return np.sqrt(on(squared_constant_on, A.matrix)(A, B, domain))
