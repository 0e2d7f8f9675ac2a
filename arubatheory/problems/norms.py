r"""Norms on $\mathbb R^d$ and their duals: l2, l1, the maximum norm, and $\sqrt{x^\top A x}$; how they compare.

`norm_of` is the norm in which a regulariser is 1-strongly convex over a domain.

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
from arubatheory.kernel import borrowing, kernel, on
from arubatheory.problems.domains import BALL, BOX, SPACE, Domain, project_simplex, vertices
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, quadratic_form, shifted, times
from arubatheory.problems.matrices import inverse, trace
from arubatheory.problems.numbers import as_vector, shown
from arubatheory.problems.regularizers import EUCLIDEAN, MAHALANOBIS, Regularizer, mass_bound
from arubatheory.problems.scalar import larger, smaller
from arubatheory.problems.signatures import typed

NORMS = ("l2", "l1", "linf", "matrix")
L2, L1, LINF, MATRIX = range(4)
SQUARINGS = 5  # the trace of a 32nd power: at most d^(1/32) above the largest eigenvalue
CORNERS = 10  # signs are enumerated up to so many dimensions, and bounded by absolute values beyond


class Norm(NamedTuple):
    r"""$\sqrt{x^T A x}$ with the inverse of A at hand, or $\sqrt m$ times $\|x\|_2$, $\|x\|_1$ or $\|x\|_\infty$ where
    A is $mI$; `kind` indexes `NORMS`."""

    kind: int
    matrix: Array
    inverse: Array


@typed
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
def plain_norm(kind: int, d: int, x: Array) -> Norm:
    r"""[exact] The norm l2, l1 or linf on $\mathbb R^d$ in the arithmetic of x."""
    unit = shifted(np.zeros((d, d), x.dtype) + 0 * x[0], 1)
    return Norm(kind, unit, unit)


@kernel
def norm_of(R: Regularizer, domain: Domain) -> Norm:
    r"""[exact] The norm in which R is 1-strongly convex over the domain: l2, $\|x\|_1/\sqrt S$ with
    $S = \sup_\Theta\|x\|_1$ for the entropy, or that of the matrix."""
    if R.kind == MAHALANOBIS:
        return Norm(MATRIX, R.matrix.copy(), inverse(R.matrix))
    plain = plain_norm(L2 if R.kind == EUCLIDEAN else L1, R.matrix.shape[0], domain.low)
    if R.kind == EUCLIDEAN:
        return plain
    S = mass_bound(domain)
    return Norm(L1, plain.matrix / S, plain.matrix * S)


@borrowing
def _square(kind: int, matrix: Array, x: Array) -> Any:
    if kind == MATRIX:
        return quadratic_form(matrix, x)
    if kind == L2:
        return matrix[0, 0] * dot(x, x)
    size = abs(x[0])
    for j in range(1, x.shape[0]):
        size = larger(size, abs(x[j])) if kind == LINF else size + abs(x[j])
    return matrix[0, 0] * size * size


@borrowing
def norm_square(norm: Norm, x: Array) -> Any:
    r"""[exact] $\|x\|^2$."""
    return _square(norm.kind, norm.matrix, x)


@borrowing
def dual_square(norm: Norm, g: Array) -> Any:
    r"""[exact] $\|g\|_\ast^2$: l2 is its own dual, l1 and the maximum norm are each other's, A's is its inverse."""
    kind = norm.kind
    return _square(L1 + LINF - kind if kind == L1 or kind == LINF else kind, norm.inverse, g)


@kernel
def top_eigenvalue(matrix: Array) -> Any:
    r"""[exact] An upper bound of the largest eigenvalue of a matrix with real positive ones.

    $\lambda_{\max} \le (\operatorname{tr} A^k)^{1/k}$ with $k = 2^5$, for $A/\operatorname{tr} A$; exact if diagonal.
    """
    if _is_diagonal(matrix):
        return _largest_diagonal(matrix)
    size = trace(matrix)
    power = matrix / size
    for _ in range(SQUARINGS):
        before = power.copy()
        for i in range(matrix.shape[0]):
            power[i] = times(before.T, before[i])
    root = trace(power)
    for _ in range(SQUARINGS):
        root = np.sqrt(root)
    return size * root


@kernel
def _is_diagonal(matrix: Array) -> Any:
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[0]):
            if i != j and matrix[i, j] != 0:
                return False
    return True


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
    d, scale = A.matrix.shape[0], A.matrix[0, 0]
    if A.kind == MATRIX:
        scale = B.inverse[0, 0]
        if B.kind == L1:
            return scale * _largest_diagonal(A.matrix)
        if B.kind == LINF:
            return scale * _largest_on_signs(A.matrix)
        if B.kind == L2:
            return scale * top_eigenvalue(A.matrix)
        product = A.matrix.copy()
        for i in range(d):
            product[i] = times(A.matrix, B.inverse[i])
        return top_eigenvalue(product)
    if B.kind == MATRIX:
        if A.kind == L1:
            return scale * _largest_on_signs(B.inverse)
        return scale * (_largest_diagonal(B.inverse) if A.kind == LINF else top_eigenvalue(B.inverse))
    scale = scale * B.inverse[0, 0]
    if A.kind == L1 and B.kind != L1:
        return scale * d if B.kind == L2 else scale * d * d
    return scale * d if A.kind == L2 and B.kind == LINF else scale


@kernel
def _largest_square(A: Norm, domain: Domain) -> Any:
    r"""An upper bound of $\sup_\Theta \|x\|_A^2$, $\Theta$ bounded: at a vertex, or by a ball's centre and radius."""
    d = domain.low.shape[0]
    x = domain.center.copy()
    if domain.kind == BALL:
        reach = domain.radius[0] * domain.radius[0]
        if A.kind != L2:
            reach = reach * squared_constant(A, plain_norm(L2, x.shape[0], x))
        middle = norm_square(A, x)
        return middle + reach + 2 * np.sqrt(middle * reach)
    best = domain.low[0] - domain.low[0]
    if domain.kind == BOX and d > CORNERS:
        for j in range(d):
            x[j] = larger(abs(domain.low[j]), abs(domain.high[j]))
        if A.kind == MATRIX:
            return dot(x, x) * top_eigenvalue(A.matrix)
        return norm_square(A, x)
    corners = vertices(domain)
    for k in range(corners.shape[0]):
        best = larger(best, norm_square(A, corners[k]))
    return best


@kernel
def _least_square(B: Norm, domain: Domain) -> Any:
    r"""A lower bound of $\inf_\Theta \|x\|_B^2$ for a bounded domain."""
    x = domain.center.copy()
    zero = x[0] - x[0]
    if domain.kind == BALL:
        gap = larger(np.sqrt(dot(x, x)) - domain.radius[0], zero)
        return gap * gap / squared_constant(plain_norm(L2, x.shape[0], x), B)
    if domain.kind == BOX:
        for j in range(x.shape[0]):
            x[j] = larger(larger(domain.low[j], -domain.high[j]), zero)
    else:
        x = project_simplex(domain.low, x)  # next to 0 in l2, and in the maximum norm as well
        if B.kind == L1:
            return zero + 1
    if B.kind != MATRIX:
        return norm_square(B, x)
    if domain.kind == BOX and _is_diagonal(B.matrix):
        return norm_square(B, x)
    return dot(x, x) / top_eigenvalue(B.inverse)


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
@typed
def squared_norm(norm: Norm, x: Any) -> Any:
    r"""$\|x\|^2$ for x (d,).

    Raises ValueError for NaN, infinities and other shapes, TypeError for what is no number and for two arithmetics.
    """
    point = _checked("x", x, norm)
    return on(norm_square, point)(norm, point)


@typed
def squared_dual_norm(norm: Norm, g: Any) -> Any:
    r"""$\|g\|_\ast^2$ for g (d,); errors as in `squared_norm`."""
    point = _checked("g", g, norm)
    return on(dual_square, point)(norm, point)


def _checked(name: str, x: Any, norm: Norm) -> Array:
    point = as_vector(name, x)
    if point.size != len(norm.matrix):
        raise ValueError(f"{name} must have the dimension {len(norm.matrix)} of the norm, got {point.size}")
    if is_exact(point) != is_exact(norm.matrix):
        raise TypeError(f"norm and {name} must be both in floats or both exact, got {name}={shown(x)}")
    return point
