r"""The constants of losses over a domain, from their arrays: Lipschitz $G$, convexity $\alpha$, smoothness $\beta$.

They refer to the norm in which the regulariser $R$ is 1-strongly convex over the domain: $\|\cdot\|_2$ for the
Euclidean one (and for R = None), $\sqrt{x^\top A x}$ for Mahalanobis, and for the entropy $\|x\|_1/\sqrt S$ with
$S = \sup_{x\in\Theta}\|x\|_1$. $G$ bounds the dual norm of every subgradient that a loss may return.

Sound in one direction: $G$ and $\beta$ are never under-estimates and $\alpha$ never is an over-estimate. Exact numbers
give this literally; floats up to rounding of the magnitudes added, and a decision that rounding could flip (does the
domain reach the kink?) is taken on the safe side. $G$ is the supremum itself

* without a ridge, unless the range of $\langle a, x\rangle - b$ touches a kink of hinge or absolute with one end only;
* with a ridge, in $\|\cdot\|_2$, for linear losses and distances over ball, box and simplex;
* with a ridge, for squares over a simplex (any norm) or an interval.

Elsewhere slope and ridge are maximised one apart from the other. `inf` stands for "there is none", in exact arrays too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, exact, is_exact
from arubatheory.kernel import borrowing, kernel, on
from arubatheory.problems.arguments import check_domain, check_regularizer
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, Domain, mass, project, vertices
from arubatheory.problems.linear import squared_difference
from arubatheory.problems.losses import DISTANCE, LINEAR, LOGISTIC, SQUARE, Losses, link_bounds, subgradient_into
from arubatheory.problems.matrices import trace
from arubatheory.problems.norms import L1, MATRIX, Norm, dual_square, norm_of
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer
from arubatheory.problems.scalar import EPSILON, larger, smaller
from arubatheory.problems.signatures import typed

VERTEX_LIMIT = 6  # a box of at most so many dimensions has its vertices enumerated, where a maximum is at one


# ranges of the link's argument -----------------------------------------------------------------------------------
@borrowing
def _range(L: Losses, i: int, domain: Domain, eps: Any) -> Any:
    r"""The range of $\langle a_i, x\rangle - b_i$ over a bounded domain, and by how much rounding may have moved it."""
    low, high, size = -L.b[i], -L.b[i], abs(L.b[i])
    square, smallest, largest = size - size, L.a[i, 0], L.a[i, 0]
    for j in range(L.a.shape[1]):
        a = L.a[i, j]
        x, y = domain.low[j], domain.low[j]
        if domain.kind == BALL:
            x, y = domain.center[j], domain.center[j]
        elif domain.kind == BOX and a > 0:
            y = domain.high[j]
        elif domain.kind == BOX:
            x = domain.high[j]
        low, high, size = low + a * x, high + a * y, size + abs(a) * (abs(x) + abs(y))
        square, smallest, largest = square + a * a, min(a, smallest), max(a, largest)
    if domain.kind == BALL:
        reach = domain.radius[0] * np.sqrt(square)
        low, high, size = low - reach, high + reach, size + reach
    elif domain.kind == SIMPLEX:
        rest = mass(domain.low)
        low, high, size = low + rest * smallest, high + rest * largest, size + abs(smallest) + abs(largest)
    return low, high, eps * size


@borrowing
def _is_constant(L: Losses, i: int) -> Any:
    """Whether the link's argument does not depend on x, or its term is absent."""
    for j in range(L.a.shape[1]):
        if L.a[i, j] != 0:
            return L.weight[i] == 0
    return True


@borrowing
def _bounds_over(L: Losses, i: int, domain: Domain, eps: Any) -> Any:
    """`link_bounds` over a domain (there is no bound of the slope of a square over all of R)."""
    zero = L.b[i] - L.b[i]  # from a datum: for a ball low, low - low is not 0
    if L.link[i] == DISTANCE or _is_constant(L, i):
        return zero, zero, zero, zero, False
    if L.link[i] == LINEAR:
        return zero + 1, zero + 1, zero, zero, False
    if domain.kind != SPACE:
        low, high, slack = _range(L, i, domain, eps)
        return link_bounds(L.link[i], low, high, slack, zero)
    if L.link[i] == LOGISTIC:
        return zero - 1, zero, zero, (zero + 1) / 4, False
    return link_bounds(L.link[i], zero - 2, zero + 2, zero, zero)  # all that the other links do happens there


# Lipschitz constants ---------------------------------------------------------------------------------------------
@borrowing
def _reach(norm: Norm) -> Any:
    r"""At least $\sup_{\|u\|_2 \le 1} \|u\|_*^2$."""
    return _spectral_bound(norm.inverse) if norm.kind == MATRIX else norm.inverse[0, 0]


@borrowing
def _spectral_bound(matrix: Array) -> Any:
    """An upper bound of the eigenvalues of a positive definite matrix: trace or largest absolute row sum."""
    largest = abs(matrix[0, 0])
    for i in range(matrix.shape[0]):
        row = abs(matrix[i, 0])
        for j in range(1, matrix.shape[0]):
            row = row + abs(matrix[i, j])
        largest = larger(largest, row)
    return smaller(trace(matrix), largest)


@kernel
def _candidates(norm: Norm, domain: Domain) -> Array:
    r"""The vertices, at one of which a convex function is largest; none where there is only one candidate."""
    if domain.kind == SIMPLEX or (domain.kind == BOX and norm.kind == MATRIX and domain.low.size <= VERTEX_LIMIT):
        return vertices(domain)
    return np.empty((0, domain.low.size), domain.low.dtype)


@borrowing
def _move_to_candidate(norm: Norm, domain: Domain, u: Array, r: Any) -> None:
    r"""Moves u to the one candidate for u + r x of $\sup_{x\in\Theta} \|u + r x\|_*$: a centre's, or the largest
    entries."""
    for j in range(u.shape[0]):
        low, high = u[j] + r * domain.low[j], u[j] + r * domain.high[j]
        if domain.kind == BALL:
            u[j] = u[j] + r * domain.center[j]
            if norm.kind == L1:
                u[j] = abs(u[j]) + r * domain.radius[0]
        elif norm.kind == MATRIX:
            u[j] = (low + high) / 2
        else:
            u[j] = larger(abs(low), abs(high))


@borrowing
def _remaining_radius_squared(norm: Norm, domain: Domain) -> Any:
    r"""The square of an l2 radius in which $\Theta$ lies around the one candidate, where there is only one."""
    if domain.kind == BALL and norm.kind != L1:
        return domain.radius[0] * domain.radius[0]
    if domain.kind == BOX and norm.kind == MATRIX and domain.low.size > VERTEX_LIMIT:
        return squared_difference(domain.high, domain.low) / 4
    return domain.radius[0] - domain.radius[0]


@borrowing
def _square_of_sum(s: Any, t: Any) -> Any:
    r"""$(\sqrt s + \sqrt t)^2$."""
    return s + t + 2 * np.sqrt(s * t)


@borrowing
def _affine_sup(norm: Norm, reach: Any, domain: Domain, corners: Array, u: Array, y: Array, r: Any) -> Any:
    r"""An upper bound of $\sup_{x \in \Theta} \|u + r x\|_*^2$; u may move, y is room for another (d,).

    $\Theta$ is bounded unless r = 0.
    """
    if r == 0:
        return dual_square(norm, u)
    if corners.shape[0] == 0:
        rest = reach * r * r * _remaining_radius_squared(norm, domain)
        _move_to_candidate(norm, domain, u, r)
        return _square_of_sum(dual_square(norm, u), rest)
    best = u[0] - u[0]
    for k in range(corners.shape[0]):
        for j in range(u.shape[0]):
            y[j] = u[j] + r * corners[k, j]
        best = larger(best, dual_square(norm, y))
    return best


@borrowing
def _lipschitz_squared_one(
    L: Losses, i: int, norm: Norm, reach: Any, domain: Domain, corners: Array, eps: Any, u: Array, y: Array
) -> Any:
    w, r = L.weight[i], L.ridge[i]
    best = w - w
    if L.link[i] == SQUARE and domain.kind == SIMPLEX:
        # The gradient of a quadratic is affine, so its norm is convex: the supremum is at a vertex.
        for k in range(corners.shape[0]):
            subgradient_into(L, i, corners[k], u)
            best = larger(best, dual_square(norm, u))
        return best
    low, high, _, _, _ = _bounds_over(L, i, domain, eps)
    for end in range(1 if L.link[i] == LINEAR else 2):
        slope = w * (low if end == 0 else high)
        for j in range(u.shape[0]):
            u[j] = slope * L.a[i, j]
        if r > 0:
            for j in range(u.shape[0]):
                u[j] = u[j] - r * L.c[i, j]
        best = larger(best, _affine_sup(norm, reach, domain, corners, u, y, r))
    if L.link[i] == DISTANCE:
        return _square_of_sum(best, w * w * reach)
    return best


@kernel
def lipschitz_squares(L: Losses, R: Regularizer, domain: Domain, eps: Any) -> Array:
    r"""[exact] $(G_i^2)_i$ (m,), unvalidated; `eps` is `dot_rounding` of the losses."""
    norm = norm_of(R, domain)
    reach, corners, out = _reach(norm), _candidates(norm, domain), np.zeros_like(L.b)
    _lipschitz_into(L, norm, reach, domain, corners, eps, 0 * L.a[0], 0 * L.a[0], out)
    return out


@borrowing
def _lipschitz_into(
    L: Losses, norm: Norm, reach: Any, domain: Domain, corners: Array, eps: Any, u: Array, y: Array, out: Array
) -> None:
    for i in range(L.b.shape[0]):
        if domain.kind == SPACE and (L.ridge[i] > 0 or (L.link[i] == SQUARE and not _is_constant(L, i))):
            out[i] = np.inf
        else:
            out[i] = _lipschitz_squared_one(L, i, norm, reach, domain, corners, eps, u, y)


# curvature -------------------------------------------------------------------------------------------------------
@kernel
def _strong_convexity(L: Losses, R: Regularizer, domain: Domain, eps: Any) -> Array:
    norm = norm_of(R, domain)
    least = norm.inverse[0, 0]  # at most the infimum of |h|_2^2 where |h| = 1
    if norm.kind == MATRIX:
        least = 1 / _spectral_bound(norm.matrix)
    elif norm.kind == L1:
        least = least / L.a.shape[1]
    out = np.zeros_like(L.b)
    for i in range(L.b.shape[0]):
        alpha = L.ridge[i]
        # The link curves one direction only: it adds to the smallest eigenvalue in dimension one and nowhere else.
        if L.a.shape[1] == 1:
            alpha = alpha + L.weight[i] * L.a[i, 0] * L.a[i, 0] * _bounds_over(L, i, domain, eps)[2]
        out[i] = alpha * least
    return out


@kernel
def _gap(L: Losses, i: int, domain: Domain, eps: Any) -> Any:
    r"""A lower bound of the distance of $c_i$ from the domain (0 where they meet or rounding cannot tell)."""
    c, x, size = L.c[i], domain.center, domain.radius[0]
    square = size - size
    if domain.kind == SPACE:
        return square
    if domain.kind != BALL:
        x = project(domain, c)
    for j in range(c.shape[0]):
        square, size = square + (c[j] - x[j]) * (c[j] - x[j]), size + abs(c[j]) + abs(x[j])
    if square <= domain.radius[0] * domain.radius[0]:
        return square - square
    return larger(np.sqrt(square) - domain.radius[0] - eps * size, square - square)


@kernel
def _smoothness(L: Losses, R: Regularizer, domain: Domain, eps: Any) -> Array:
    norm = norm_of(R, domain)
    reach = _reach(norm)
    out = np.zeros_like(L.b)
    for i in range(L.b.shape[0]):
        w = L.weight[i]
        _, _, _, top, kink = _bounds_over(L, i, domain, eps)
        beta = L.ridge[i] * reach + w * top * dual_square(norm, L.a[i])
        if L.link[i] == DISTANCE and w > 0:
            gap = _gap(L, i, domain, eps)
            kink = gap == 0
            if not kink and L.a.shape[1] > 1:
                beta = beta + w / gap * reach
        out[i] = beta
        if kink:
            out[i] = np.inf
    return out


# public ----------------------------------------------------------------------------------------------------------
@typed
def dot_rounding(losses: Losses) -> Any:
    """Roundings of a dot product of length d and of a norm, doubled; there are none among exact numbers."""
    return 0 if is_exact(losses.a) else (2 * losses.a.shape[1] + 16) * EPSILON


def _run(function: Any, losses: Losses, domain: Domain, R: Regularizer | None) -> Array:
    check_domain(domain, losses)
    if domain.kind == SPACE and is_exact(losses.a):
        domain = exact(domain)
    if R is not None:
        check_regularizer(R, domain, losses)
    norm = R if R is not None else Regularizer(EUCLIDEAN, np.zeros((1, 1), losses.a.dtype))
    return np.asarray(on(function, losses.a)(losses, norm, domain, dot_rounding(losses)))


@typed
def lipschitz_squared(losses: Losses, domain: Domain, R: Regularizer | None = None) -> Array:
    r"""$(G_i^2)_i$ (m,): see `lipschitz`; rational for rational data unless a root is unavoidable."""
    return _run(lipschitz_squares, losses, domain, R)


@typed
def lipschitz(losses: Losses, domain: Domain, R: Regularizer | None = None) -> Array:
    r"""$G_i \ge \sup_{x \in \Theta} \|\nabla f_i(x)\|_*$ (m,), whichever subgradient is taken at a kink; may be inf.

    Raises ValueError if the dimensions differ or R is not defined on the domain, TypeError for two arithmetics.
    """
    return _roots(lipschitz_squared(losses, domain, R))


def _roots(squares: Array) -> Array:
    if not is_exact(squares):
        return np.asarray(np.sqrt(squares))
    return np.array([math.inf if isinstance(s, float) else s.sqrt() for s in squares], dtype=object)


@typed
def strong_convexity(losses: Losses, domain: Domain, R: Regularizer | None = None) -> Array:
    r"""$\alpha_i \ge 0$ (m,) such that $f_i$ is $\alpha_i$-strongly convex over the domain (def:convex)."""
    return _run(_strong_convexity, losses, domain, R)


@typed
def smoothness(losses: Losses, domain: Domain, R: Regularizer | None = None) -> Array:
    r"""$\beta_i$ (m,) such that $f_i$ is $\beta_i$-strongly smooth over the domain (def:smooth); inf at a kink."""
    return _run(_smoothness, losses, domain, R)
