r"""The problem $\min_{x\in\Theta} \kappa B_R(x\|\phi) + \eta\sum_{s<n} f_s(x)$, and when it takes one step only.

* All losses linear: one `mirror_step`.
* Linear, squared and ridge terms with a quadratic R: the objective is $B_{R'}(x\|\phi) + \langle h, x\rangle$ up to a
  constant, with h the gradient of $\eta\sum f_s$ at $\phi$ and $R'$ the quadratic form of $\nabla^2 R$ plus its
  Hessian. One `mirror_step` again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import borrowing, kernel
from arubatheory.problems.domains import Domain
from arubatheory.problems.linear import shifted
from arubatheory.problems.losses import LINEAR, SQUARE, Losses, subgradient
from arubatheory.problems.regularizers import ENTROPY, MAHALANOBIS, Regularizer, mirror_step

LINEAR_ONLY, QUADRATIC, GENERAL = range(3)


class Problem(NamedTuple):
    r"""The first `n` of the losses, $\Theta$, R, $\phi \in \Theta$ (d,), $\eta > 0$ and $\kappa > 0$."""

    losses: Losses
    n: int
    domain: Domain
    R: Regularizer
    phi: Array
    eta: Any
    kappa: Any


@borrowing
def shape_of(L: Losses, n: int, R: Regularizer) -> Any:
    r"""Whether the first n losses are linear, or everything is linear and quadratic, or neither."""
    bent = False
    for i in range(n):
        if L.weight[i] > 0 and L.link[i] != LINEAR and L.link[i] != SQUARE:
            return GENERAL
        bent = bent or L.ridge[i] > 0 or (L.weight[i] > 0 and L.link[i] == SQUARE)
    if not bent:
        return LINEAR_ONLY
    return GENERAL if R.kind == ENTROPY else QUADRATIC


@kernel
def closed_form(P: Problem) -> Array:
    r"""[exact] The minimiser of a problem that is not `GENERAL`, for $\kappa = 1$."""
    L, R, phi, eta = P.losses, P.R, P.phi, P.eta
    d = phi.shape[0]
    gradient, ridge = 0 * phi, 0 * eta
    bent = R.kind == MAHALANOBIS
    for i in range(P.n):
        gradient = gradient + eta * subgradient(L, i, phi)
        ridge = ridge + eta * L.ridge[i]
        bent = bent or (L.link[i] == SQUARE and L.weight[i] > 0)
    if not bent:
        return mirror_step(R, P.domain, phi, gradient / (1 + ridge))
    matrix = np.zeros((d, d), phi.dtype) + 0 * eta
    matrix = shifted(matrix + R.matrix if R.kind == MAHALANOBIS else shifted(matrix, 1), ridge)
    for i in range(P.n):
        if L.link[i] == SQUARE:
            for j in range(d):
                for e in range(d):
                    matrix[j, e] = matrix[j, e] + eta * L.weight[i] * (L.a[i, j] * L.a[i, e])
    return mirror_step(Regularizer(MAHALANOBIS, matrix), P.domain, phi, gradient)
