r"""Symmetric positive definite matrices H that precondition a gradient step: diagonal, full, or low rank plus c I.

$\theta - H\nabla$ is descent in the norm $\|x\|_{H^{-1}}^2 = x^\top H^{-1} x$, in which the gradients are measured by
$\|g\|_H^2 = g^\top H g$.
"""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike
from arubatheory.problems.numbers import as_dimension, as_floats, shown
from arubatheory.problems.signatures import typed


class Late:
    """A module that is imported at first use: scipy takes a fifth of the time in which a process starts."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = vars(self)[name] = getattr(importlib.import_module(self._name), name)
        return value


linalg, blas, lapack = Late("scipy.linalg"), Late("scipy.linalg.blas"), Late("scipy.linalg.lapack")


class Diagonal(NamedTuple):
    r"""$H = \mathrm{Diag}(\eta)$ for a positive `eta` (d,): a step size for each coordinate."""

    eta: Array

    def matrix(self) -> Array:
        """H (d, d)."""
        return np.diag(self.eta)

    def inverse(self) -> Diagonal:
        r"""$H^{-1}$."""
        return Diagonal(1 / self.eta)

    def squares(self, X: Array) -> Array:
        r"""$\|x\|_H^2$ of the rows of X (n, d)."""
        return (X * X) @ self.eta


class Factored(NamedTuple):
    r"""$H = c\,(I - Q Q^\top) + Q W W^\top Q^\top$ and $H^{-1} = \frac1c (I - Q Q^\top) + Q Z Z^\top Q^\top$.

    `rest` is c, `basis` the Q (d, r) with orthonormal columns, W and Z are (r, r) with $W^\top Z = I$. Where W is
    (d, d), Q is the identity and is not stored: `basis` is (d, 0). A geometric mean has its singular values S (r,).
    """

    rest: float
    basis: Array
    W: Array
    Z: Array
    S: Array = np.empty(0)

    @property
    def whole(self) -> bool:
        """Whether W is (d, d)."""
        return self.basis.shape[1] == 0 and len(self.W) == len(self.basis)

    def matrix(self) -> Array:
        """H (d, d)."""
        square = self.W @ self.W.T
        if self.whole:
            return square
        H = self.basis @ (square - self.rest * np.eye(len(square))) @ self.basis.T
        return np.ascontiguousarray((H + H.T) / 2 + self.rest * np.eye(len(H)))

    def inverse(self) -> Factored:
        r"""$H^{-1}$."""
        return Factored(1 / self.rest, self.basis, self.Z, self.W, self.S)

    def roots(self, X: Array) -> Array:
        r"""For the rows x of X (n, d) vectors of which $\|x\|_H$ are the norms: the $W^\top x$ where W is (d, d)."""
        if self.whole:
            return X @ self.W
        within = X @ self.basis
        return np.hstack([within @ self.W, np.sqrt(self.rest) * (X - within @ self.basis.T)])

    def squares(self, X: Array) -> Array:
        r"""$\|x\|_H^2$ of the rows of X (n, d)."""
        return (self.roots(X) ** 2).sum(axis=1)


Preconditioner = Diagonal | Factored


def whole(W: Array, Z: Array, *S: Array) -> Factored:
    r"""$H = W W^\top$ for W, Z (d, d) with $W^\top Z = I$."""
    return Factored(1.0, np.empty((len(W), 0)), np.ascontiguousarray(W), np.ascontiguousarray(Z), *S)


def from_matrix(A: Array) -> Factored:
    """The preconditioner that a symmetric A (d, d) is; ValueError where it is not positive definite in floats."""
    W, failed = lapack.dpotrf(A, lower=1)
    if failed:
        raise ValueError(f"H must be positive definite in floats, got {shown(A.tolist())}")
    return whole(W, lapack.dtrtri(W, lower=1)[0].T)


@typed
def preconditioner(H: ArrayLike | Preconditioner, d: int) -> Preconditioner:
    r"""H from outside: a positive number or vector (d,) is a diagonal, a symmetric positive definite (d, d) a matrix.

    Raises ValueError naming H for NaN, infinities, another shape, entries of a diagonal that are not positive, a matrix
    that is not symmetric to the last bit or not positive definite in floats; TypeError for what is no number.
    """
    if isinstance(H, Diagonal | Factored):
        size = len(H.eta) if isinstance(H, Diagonal) else len(H.basis)
        if size != d:
            raise ValueError(f"H must have dimension {d}, got {size}")
        return H
    d, A = as_dimension(d), as_floats("H", H)
    if A.ndim == 0:
        A = np.full(d, A)
    if A.shape not in ((d,), (d, d)):
        raise ValueError(f"H must have shape {(d,)} or {(d, d)}, got {A.shape}")
    if A.ndim == 1:
        if not (A > 0).all():
            raise ValueError(f"H must be positive, got {shown(H)}")
        return Diagonal(A)
    if not (A == A.T).all():
        raise ValueError(f"H must be symmetric, got {shown(H)}")
    return from_matrix(A)
