r"""Symmetric positive definite matrices H that precondition a gradient step: diagonal, full, or low rank plus c I.

$\theta - H\nabla$ is descent in the norm $\|x\|_{H^{-1}}^2 = x^\top H^{-1} x$, in which the gradients are measured by
$\|g\|_H^2 = g^\top H g$.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from scipy.linalg import lapack

from arubatheory.arithmetic import Array
from arubatheory.learners.matrix_mean import LowRank, Mean
from arubatheory.problems.numbers import as_items, as_numbers


class Diagonal(NamedTuple):
    r"""$H = \mathrm{Diag}(\eta)$ for a positive `eta` (d,): a step size for each coordinate."""

    eta: Array

    def matrix(self) -> Array:
        """H (d, d)."""
        return np.diag(self.eta)

    def inverse(self) -> Array:
        r"""$H^{-1}$ (d, d)."""
        return np.diag(1 / self.eta)

    def squares(self, X: Array) -> Array:
        r"""$\|x\|_H^2$ of the rows of X (n, d)."""
        return (X * X) @ self.eta

    def dual_squares(self, X: Array) -> Array:
        r"""$\|x\|_{H^{-1}}^2$ of the rows of X (n, d)."""
        return (X * X) @ (1 / self.eta)


class Factored(NamedTuple):
    r"""$H = c\,(I - Q Q^\top) + Q W W^\top Q^\top$ and $H^{-1} = \frac1c (I - Q Q^\top) + Q Z Z^\top Q^\top$.

    `rest` is c, `basis` the Q (d, r) with orthonormal columns, W and Z are (r, r). Where W is (d, d), Q is the identity
    and is not stored: `basis` is (d, 0).
    """

    rest: float
    basis: Array
    W: Array
    Z: Array

    @property
    def whole(self) -> bool:
        """Whether W is (d, d)."""
        return self.basis.shape[1] == 0 and len(self.W) == len(self.basis)

    def matrix(self) -> Array:
        """H (d, d)."""
        return self._assembled(self.rest, self.W)

    def inverse(self) -> Array:
        r"""$H^{-1}$ (d, d)."""
        return self._assembled(1 / self.rest, self.Z)

    def squares(self, X: Array) -> Array:
        r"""$\|x\|_H^2$ of the rows of X (n, d)."""
        return self._squares(self.rest, self.W, X)

    def dual_squares(self, X: Array) -> Array:
        r"""$\|x\|_{H^{-1}}^2$ of the rows of X (n, d)."""
        return self._squares(1 / self.rest, self.Z, X)

    def _assembled(self, rest: float, root: Array) -> Array:
        if self.whole:
            return np.ascontiguousarray(root @ root.T)
        inner = root @ root.T - rest * np.eye(len(root))
        H = self.basis @ inner @ self.basis.T
        return np.ascontiguousarray((H + H.T) / 2 + rest * np.eye(len(H)))

    def _squares(self, rest: float, root: Array, X: Array) -> Array:
        if self.whole:
            return _row_squares(X @ root)
        within = X @ self.basis
        return _row_squares(within @ root) + rest * _row_squares(X - within @ self.basis.T)


Preconditioner = Diagonal | Factored


def of_mean(mean: Mean | LowRank) -> Factored:
    """The preconditioner that a geometric mean is."""
    if isinstance(mean, LowRank):
        inner, basis, rest = mean.mean, mean.basis, mean.rest
    else:
        inner, basis, rest = mean, np.empty((len(mean.W), 0)), 1.0
    return Factored(rest, basis, np.ascontiguousarray(inner.W), np.ascontiguousarray(inner.Z))


def preconditioner(H: Any, d: int) -> Preconditioner:
    r"""H from outside: a positive number or vector (d,) is a diagonal, a symmetric positive definite (d, d) a matrix.

    Raises ValueError naming H for NaN, infinities, another shape, entries of a diagonal that are not positive, a matrix
    that is not symmetric to the last bit or not positive definite in floats; TypeError for what is no number.
    """
    if isinstance(H, Diagonal | Factored):
        size = len(H.eta) if isinstance(H, Diagonal) else len(H.basis)
        if size != d:
            raise ValueError(f"H must have dimension {d}, got {size}")
        return H
    A = as_numbers("H", as_items("H", H), H)
    if A.ndim == 0:
        A = np.full(d, A)
    if A.shape not in ((d,), (d, d)):
        raise ValueError(f"H must have shape {(d,)} or {(d, d)}, got {A.shape}")
    if A.ndim == 1:
        if not (A > 0).all():
            raise ValueError(f"H must be positive, got {H!r}")
        return Diagonal(A)
    if not (A == A.T).all():
        raise ValueError(f"H must be symmetric, got {H!r}")
    W, failed = lapack.dpotrf(A, lower=1)
    if failed:
        raise ValueError(f"H must be positive definite in floats, got {H!r}")
    Z = scipy.linalg.solve_triangular(W, np.eye(d), lower=True).T
    return Factored(1.0, np.empty((d, 0)), np.ascontiguousarray(W), np.ascontiguousarray(Z))


def _row_squares(X: Array) -> Array:
    return np.einsum("ij,ij->i", X, X)
