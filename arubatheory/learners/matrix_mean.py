r"""The positive definite solution H of $B^2 = H G^2 H$: the geometric mean of $G^{-2}$ and $B^2$.

With factors $B^2 = K K^\top$, $G^2 = L L^\top$ and the singular value decomposition $L^\top K = U S V^\top$,
$$H = W W^\top, \quad H^{-1} = Z Z^\top \quad\text{for}\quad W = K V S^{-1/2} = L^{-\top} U S^{1/2}, \quad
  Z = L U S^{-1/2} = W^{-\top}.$$

How far rounding moves H is measured by Thompson's distance $\max|\log\lambda(H^{-1}\hat H)|$: it is invariant under
congruences, and the mean is nonexpansive in it. Moving the rows of K by $\varepsilon$ of their norms moves H by about
$\varepsilon\,\kappa(K_1)$, $K_1$ being K with its rows scaled to norm 1; so the problem's own condition is
$\kappa(K_1) + \kappa(L_1)$. Of the routes that were compared (benchmarks/matrix_mean.py), two are kept:

* the eigendecomposition $L^\top B^2 L = U S^2 U^\top$ and one correction, the fastest. The rows of
  $N = S^{-1/2} U^\top L^\top K$ are orthogonal but for rounding, and
  $(S^{1/2} N N^\top S^{1/2})^{1/2} = S^{1/2} (I + F) S^{1/2}$ up to the square of
  $F_{ij} = (N N^\top)_{ij}/(s_i + s_j) - \delta_{ij}/2$. That is about $\varepsilon\,\kappa(S^2)$, so its square does
  not count while $\kappa(S) \le 2^{12}$: the error is that of a singular value decomposition,
  $\varepsilon\,\kappa(S) < 10^{-12}$, in half of its time. Up to $\kappa(S) = 2^3$ it has that error already.
* the singular value decomposition by Jacobi rotations of $(D^{-1} L)^\top \Pi R^\top$, where D holds the norms of the
  rows of L and $(D K)^\top\Pi = Q R$ by pivoting (Drmač, Accurate computation of the product-induced singular value
  decomposition, SIAM J. Numer. Anal. 35, 1998), which reaches the problem's own condition. Scaling, pivoting and
  rotations are all needed: where the rows of K and L are graded alike, a decomposition of $L^\top K$ itself loses the
  small singular values, and so does divide and conquer after scaling and pivoting once d > 25.

In two dimensions, with $\beta = \sqrt{\det B^2}$ and $\gamma = \sqrt{\det G^2}$,
$$H = \frac{B^2 + (\beta/\gamma)\operatorname{adj} G^2}{\sqrt{\operatorname{Tr}(B^2G^2) + 2\beta\gamma}},$$
and diagonal matrices of any dimension decouple. That is the twin in exact numbers, and what a game of many short rounds
is played by: it takes no factor, keeps half of the digits that factors keep, and is compiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike
from arubatheory.kernel import kernel
from arubatheory.learners.preconditioner import Factored, blas, lapack, linalg, whole
from arubatheory.problems.matrices import trace_product
from arubatheory.problems.numbers import as_floats, as_items, real, shown
from arubatheory.problems.scalar import larger

EPS = float(np.finfo(np.float64).eps)
STEEP, MILD = 2.0**24, 2.0**6  # the largest conditions of S^2 that are left to the eigendecomposition, and uncorrected
LOST = 0.1  # d eps cond of a matrix, eps cond of a factor: more, and rounding leaves nothing of the smallest direction
EMPTY = np.empty((0, 0))


def matrix_mean(B2: ArrayLike, G2: ArrayLike) -> Array:
    r"""The symmetric positive definite H (d, d) with $B^2 = H G^2 H$, for symmetric positive definite B2, G2 (d, d).

    Accurate to about $\varepsilon\,(\kappa_1(B^2) + \kappa_1(G^2))$ in Thompson's distance, where $\kappa_1$ is the
    condition number once the diagonal is scaled to ones: that much the rounding of the data leaves open.

    Raises ValueError naming the argument for a matrix that is not square, symmetric to the last bit, finite or positive
    definite, or has $d\,\varepsilon\,\kappa_1 > 0.1$ (factors keep twice the digits: `matrix_mean_from_factors`), or
    when H itself cannot be written as a positive definite matrix of floats; TypeError for exact numbers.
    """
    return _dense(*_alike(_cholesky, B2=B2, G2=G2))


def matrix_mean_from_factors(K: ArrayLike, L: ArrayLike) -> Array:
    r"""The symmetric positive definite H (d, d) with $K K^\top = H L L^\top H$, for K (d, p) and L (d, q) of rank d.

    Accurate to about $\varepsilon\,(\kappa(K_1) + \kappa(L_1))$ in Thompson's distance, rows scaled to norm 1, which
    is the root of what the products $K K^\top$, $L L^\top$ would leave: factors of condition 1e14 are within reach.

    Raises ValueError naming the argument for less than d columns, NaN, infinities, and a factor of numerical rank below
    d ($\varepsilon\,\kappa(K_1) > 0.1$); also when H itself cannot be written as a positive definite matrix of
    floats: `mean_of_factors` still has its factors. TypeError for exact numbers.
    """
    return _dense(*_alike(_triangle, K=K, L=L))


def mean_of_factors(K: ArrayLike, L: ArrayLike) -> Factored:
    r"""`matrix_mean_from_factors` by the factors of H and of its inverse; the same errors but the last.

    $S^{-1/2} Z^\top$ and $S^{-1/2} W^\top$ are inverses of K and L, up to rotations:
    $\|S^{-1/2} Z^\top x\|^2 = x^\top B^{-2} x$ and $\|S^{-1/2} W^\top x\|^2 = x^\top G^{-2} x$.
    """
    return whole(*_mean(*_alike(_triangle, K=K, L=L), True))


def mean_of_triangles(K: Array, L: Array) -> Factored:
    r"""`mean_of_factors` for lower triangles (d, d), whose shapes are not looked at."""
    return whole(*_mean(_regular("K", K), _regular("L", L), True))


def low_rank_mean(b: float, F: ArrayLike, g: float, J: ArrayLike) -> Factored:
    r"""H with $B^2 = H G^2 H$ for $B^2 = b I + F F^\top$ and $G^2 = g I + J J^\top$, F (d, p), J (d, q), p + q <= d.

    On the complement of the span of F and J, whose basis is Q, both are multiples of the identity and H is
    $\sqrt{b/g}\,I$; in the span it is the mean of the two compressions: $O(d (p + q)^2)$ in all.

    Raises ValueError for b or g that is not positive and finite, NaN, infinities, shapes that do not fit, where the
    root of b or g is within 10 roundings of the norm of F or J, and where that of b/g is beyond float64; TypeError for
    exact numbers.
    """
    b, g = real("b", b, above=0), real("g", g, above=0)
    left, right = as_floats("F", F), as_floats("J", J)
    if left.ndim != 2 or right.ndim != 2 or len(left) != len(right) or left.shape[1] + right.shape[1] > len(left):
        raise ValueError(f"F and J must be (d, p) and (d, q) with p + q <= d, got {left.shape} and {right.shape}")
    k, l = (2.0 ** round(math.log2(x) / 4) for x in (b, g))  # divided by k^4 and l^4 both are about 1
    rest = math.sqrt((b / k**2 / k**2) / (g / l**2 / l**2)) * (k / l) * (k / l)
    if not 0 < rest < math.inf:
        raise ValueError(f"b / g must have a root in the range of float64, got b={b!r}, g={g!r}")
    if left.shape[1] + right.shape[1] == 0:
        return Factored(rest, left, EMPTY, EMPTY)
    Q, R = linalg.qr(np.hstack([left, right]), mode="economic", check_finite=False)
    for name, number, part in (("b", b, left), ("g", g, right)):
        norm = np.linalg.norm(part)
        if EPS * norm > LOST * np.sqrt(number):
            raise ValueError(f"{name} must not be lost beside columns of norm {norm:.1e}, got {number!r}")
    p, identity = left.shape[1], np.eye(len(R))
    K = np.sqrt(b) * identity  # F lies in the span of the first p vectors of Q
    if p > 0:
        K[:p, :p] = _triangle("F", np.hstack([K[:p, :p], R[:p, :p]]))
    L = _triangle("J", np.hstack([np.sqrt(g) * identity, R[:, p:]]))
    W, Z, S = _mean(K / k**2, L / l**2, True)  # powers of two: rounded as without them, and no product overflows
    return whole(W * (k / l), Z * (l / k), S * k**2 * l**2)._replace(rest=rest, basis=np.ascontiguousarray(Q))


def _cholesky(name: str, value: ArrayLike) -> Array:
    """The lower Cholesky factor of a symmetric matrix, or the error."""
    A = as_items(name, value)
    if A.dtype != np.float64:
        A = as_floats(name, value)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or A.size == 0:
        raise ValueError(f"{name} must be square, got shape {A.shape}")
    if A.tobytes() != A.tobytes("F") and not (A == A.T).all():  # numbers differ where bytes do, but for signs of zeros
        as_floats(name, value)
        raise ValueError(f"{name} must be symmetric, got {shown(value)}")
    K, failed = lapack.dpotrf(A, lower=1)
    limit = LOST / (len(A) * EPS)
    condition = np.inf if failed else _condition(K, np.sqrt(limit)) ** 2
    if not condition <= limit:
        as_floats(name, value)
        found = "is not" if failed else f"has condition number {condition:.1e} and so, with d = {len(A)}, is not"
        raise ValueError(f"{name} must be positive definite: it {found} in floats, got {shown(value)}")
    return K


def _triangle(name: str, value: ArrayLike) -> Array:
    r"""A lower triangle T with $T T^\top = K K^\top$ for K (d, p), or the error."""
    K = as_floats(name, value)
    if K.ndim != 2 or K.size == 0 or K.shape[1] < K.shape[0]:
        raise ValueError(f"{name} must be a matrix with at least as many columns as rows, got shape {K.shape}")
    return _regular(name, linalg.qr(K.T, mode="r", check_finite=False)[0][: len(K)].T)


def _regular(name: str, T: Array) -> Array:
    """A lower triangle, or the error where rounding leaves nothing of its smallest direction."""
    condition = _condition(T, LOST / EPS)
    if not condition <= LOST / EPS:
        found = f"its condition number is {condition:.1e}"
        raise ValueError(f"{name} must have rank {len(T)} in floats, {found}; got the triangle {T!r}")
    return T


def _alike(triangle: Callable[[str, ArrayLike], Array], **given: ArrayLike) -> tuple[Array, Array]:
    """The lower triangles of two arguments, by their names; ValueError where their dimensions differ."""
    K, L = (triangle(name, value) for name, value in given.items())
    if len(K) != len(L):
        raise ValueError(f"{' and '.join(given)} must have the same dimension, got {len(K)} and {len(L)}")
    return K, L


def _condition(T: Array, limit: float) -> float:
    r"""An estimate of $\kappa_2$ of a lower triangle with its rows scaled to norm 1, good where it is about `limit`.

    Scaled rows are within $\sqrt d$ of the best scaling (van der Sluis, Numer. Math. 14, 1969). LAPACK's estimate of
    $\kappa_\infty$, up to d times as large, does while it is below the limit.
    """
    inverse = lapack.dtrcon(T, norm="I", uplo="L")[0]
    if inverse * limit > 1:
        return 1 / float(inverse)
    norms = np.sqrt(np.einsum("ij,ij->i", T, T))
    if not (np.isfinite(norms).all() and norms.all() and T.diagonal().all()):
        return np.inf
    unit = np.asfortranarray(T / norms[:, None])
    inverse = lapack.dtrcon(unit, norm="I", uplo="L")[0]
    if inverse * limit > 1:
        return 1 / float(inverse)
    return float(np.linalg.cond(unit))


def _mean(K: Array, L: Array, both: bool) -> tuple[Array, Array, Array]:
    """W, Z and S from lower triangles; an empty Z unless both are asked for."""
    M = blas.dtrmm(1.0, L, K, lower=1, trans_a=1)
    squares, U, _ = lapack.dsyevd((M @ M.T).T, overwrite_a=1)
    if not squares[-1] <= STEEP * squares[0]:
        return _product(K, L)
    S = np.sqrt(squares)
    root = np.sqrt(S)
    up, down = U * root, U / root
    if not squares[-1] <= MILD * squares[0]:
        N = down.T @ M
        half = (N @ N.T) / (2 * (S + S[:, None]))  # (F + I / 2) / 2
        up, down = up @ half + 0.75 * up, 1.25 * down - down @ half if both else down
    W = blas.dtrsm(1.0, L, up, lower=1, trans_a=1, overwrite_b=1)
    return W, L @ down if both else EMPTY, S


def _product(K: Array, L: Array) -> tuple[Array, Array, Array]:
    norms = np.sqrt(np.einsum("ij,ij->i", L, L))[:, None]
    packed, order, _, _, _ = lapack.dgeqp3((K * norms).T)
    order, T = order - 1, np.triu(packed).T
    values, U, V, scale, _, failed = lapack.dgejsv((L / norms)[order].T @ T, joba=0, jobu=0, jobv=0)
    S = values * (scale[0] / scale[1])
    if failed or not S[-1] > 0:
        raise ValueError(f"the singular values of L^T K must be positive, got S in [{S[-1]:.1e}, {S[0]:.1e}]")
    root, W = np.sqrt(S), np.empty_like(K)
    W[order] = T @ (V / root)
    return W / norms, L @ (U / root), S


def _dense(K: Array, L: Array) -> Array:
    r"""$H = W W^\top$ from lower triangles, symmetric to the last bit and positive definite as it is rounded."""
    W, _, S = _mean(K, L, False)
    H: Array = W @ W.T
    if lapack.dpotrf(H, lower=1, clean=0)[1]:
        raise ValueError(f"H is too badly conditioned for a matrix of floats, S is in [{S.min():.1e}, {S.max():.1e}]")
    return H


@kernel
def root_det(A: Array) -> Any:
    r"""[exact] $\sqrt{\det A}$ of a positive semidefinite A (2, 2); rounding may take a singular one below 0."""
    det = A[0, 0] * A[1, 1] - A[0, 1] * A[0, 1]
    return np.sqrt(larger(det, det * 0))


@kernel
def closed_mean(B: Array, G: Array) -> Array:
    r"""[exact] The X with $B = XGX$ for positive definite B, G (d, d), d <= 2 or diagonal, unvalidated.
    `closed_mean(G, B)` is $X^{-1}$."""
    return closed_mean_into(B.copy(), B, G)


@kernel
def closed_mean_into(X: Array, B: Array, G: Array) -> Array:
    r"""[exact] The same, written into X (d, d), which it gives back."""
    if B.shape[0] == 2:
        beta, gamma = root_det(B), root_det(G)
        ratio, size = beta / gamma, np.sqrt(trace_product(B, G) + 2 * beta * gamma)
        X[0, 0], X[1, 1] = (B[0, 0] + ratio * G[1, 1]) / size, (B[1, 1] + ratio * G[0, 0]) / size
        X[0, 1] = X[1, 0] = (B[0, 1] - ratio * G[0, 1]) / size
        return X
    X[:] = B
    for j in range(B.shape[0]):
        X[j, j] = np.sqrt(B[j, j] / G[j, j])
    return X
