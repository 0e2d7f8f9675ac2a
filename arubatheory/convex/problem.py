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
from arubatheory.kernel import borrowing, on
from arubatheory.problems.domains import Domain
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


def closed_form(P: Problem) -> Array:
    r"""The minimiser of a problem that is not `GENERAL`, for $\kappa = 1$, in any arithmetic."""
    L, R, phi, step = Losses(*(x[: P.n] for x in P.losses)), P.R, P.phi, on(mirror_step, P.phi)
    gradient = sum((P.eta * on(subgradient, phi)(L, i, phi) for i in range(P.n)), 0 * phi)
    bent, ridge = (L.link == SQUARE) & (L.weight > 0).astype(bool), P.eta * L.ridge.sum()
    if R.kind != MAHALANOBIS and not bent.any():
        return step(R, P.domain, phi, gradient / (1 + ridge))
    hessian = P.eta * (L.a[bent].T * L.weight[bent]) @ L.a[bent] + np.diag(0 * phi + ridge)
    matrix = hessian + (R.matrix if R.kind == MAHALANOBIS else np.diag(0 * phi + 1))
    return step(Regularizer(MAHALANOBIS, (matrix + matrix.T) / 2), P.domain, phi, gradient)
