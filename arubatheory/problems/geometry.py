r"""The norm in which a regulariser is 1-strongly convex over a domain, as the constants of losses need it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.problems.domains import Domain
from arubatheory.problems.linear import solve
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, MAHALANOBIS, Regularizer, mass_bound
from arubatheory.problems.scalar import larger


class Geometry(NamedTuple):
    r"""The norm of a regulariser over a domain: `dual` $= A^{-1}$, and `sizes` $= (S, D, P)$ with

    $D \ge \sup_{\|u\|_2 \le 1} \|u\|_*^2$ and $P \le \inf_{\|h\| = 1} \|h\|_2^2$.
    """

    kind: int
    dual: Array
    sizes: Array


@kernel
def geometry(R: Regularizer, domain: Domain) -> Geometry:
    """[exact] What the constants need of the norm of R over the domain."""
    x = domain.low
    d = x.shape[0]
    sizes = np.zeros(3, x.dtype)
    for k in range(3):
        sizes[k] = sizes[k] + 1
    if R.kind == EUCLIDEAN:
        return Geometry(R.kind, np.zeros((1, 1), x.dtype), sizes)
    if R.kind == ENTROPY:
        mass = mass_bound(domain)
        sizes[0], sizes[1], sizes[2] = mass, mass, mass / d
        return Geometry(R.kind, np.zeros((1, 1), x.dtype), sizes)
    dual = np.zeros((d, d), x.dtype)
    for k in range(d):
        e = np.zeros(d, x.dtype)
        e[k] = e[k] + 1
        dual[k] = solve(R.matrix, e)
    sizes[1], sizes[2] = _spectral_bound(dual), 1 / _spectral_bound(R.matrix)
    return Geometry(R.kind, dual, sizes)


@kernel
def _spectral_bound(matrix: Array) -> Any:
    """An upper bound of the eigenvalues of a positive definite matrix: trace or largest absolute row sum."""
    trace, largest = matrix[0, 0], abs(matrix[0, 0])
    for i in range(matrix.shape[0]):
        row = abs(matrix[i, 0])
        for j in range(1, matrix.shape[0]):
            row = row + abs(matrix[i, j])
        largest = row if i == 0 else larger(largest, row)
        trace = trace if i == 0 else trace + matrix[i, i]
    return trace if trace < largest else largest


@kernel
def dual_squared(norm: Geometry, g: Array) -> Any:
    r"""[exact] $\|g\|_*^2$ for g (d,)."""
    s = g[0] - g[0]
    if norm.kind == ENTROPY:
        for j in range(g.shape[0]):
            s = larger(s, abs(g[j]))
        return norm.sizes[0] * s * s
    for i in range(g.shape[0]):
        if norm.kind == MAHALANOBIS:
            row = s - s
            for j in range(g.shape[0]):
                row = row + norm.dual[i, j] * g[j]
            s = s + g[i] * row
        else:
            s = s + g[i] * g[i]
    return s
