r"""Functions R for prp:bregman that are 1-strongly convex in a norm, beyond the regularisers that a learner runs with.

| kind | $R(x)$ | norms |
|---|---|---|
| `QUADRATIC` | $x^TAx/2$, such as $\frac K2\|x\|_2^2$ | $\sqrt{x^TAx}$; if $A \ge I$ also the three below |
| `QUARTIC` | $\sum_i x_i^2/2 + \kappa x_i^4/12$ | $\|x\|_2$, $\|x\|_1/\sqrt d$, $\|x\|_\infty$ |
| `ENTROPY` | $\sum_i x_i\log x_i$, floored | $\|x\|_1/\sqrt S$, $S \ge \|x\|_1$ on $\Theta$; $\|x\|_2$ on a simplex |

The gradient of $\phi \mapsto B_R(\theta\|\phi)$ is $\nabla^2R(\phi)(\phi - \theta)$. For the quartic
$B_R(\theta\|\cdot)$ is not convex if $\kappa\theta^2 > 3$; the other two are convex in $\phi$.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.problems import norms, regularizers
from arubatheory.problems.domains import BALL, BOUNDED, BOX, SIMPLEX, Domain, extent, mass, vertices
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, times
from arubatheory.problems.matrices import inverse
from arubatheory.problems.norms import Norm, dual_square, norm_square, plain_norm
from arubatheory.problems.random_domains import random_domain
from arubatheory.problems.regularizers import Regularizer, bregman
from arubatheory.problems.scalar import larger, smaller

QUADRATIC, QUARTIC, ENTROPY = range(3)
NORMS = MATRIX, L2, L1, LINF = range(4)


class Potential(NamedTuple):
    r"""R by its kind: A (d, d), $\kappa$ (1,); the norm, the largest eigenvalue of A (1,) and S (1,), which is d where
    the norm $\|x\|_1/\sqrt S$ is not the entropy's. All of them rational."""

    kind: int
    norm: int
    matrix: Array
    bend: Array
    largest: Array
    mass: Array


@kernel
def divergence_of(kind: int, P: Array, q: Any, x: Array, y: Array) -> Any:
    r"""[exact] $B_R(x\|y)$ of $R = \frac12 x^\top P x + q\sum_j x_j^4$, or of the entropy: a sum of terms >= 0, as the
    quadratic form of P and $x^2 + 2xy + 3y^2$ are."""
    if kind == ENTROPY:
        return bregman(Regularizer(regularizers.ENTROPY, P), x, y)
    s = dot(x - y, times(P, x - y)) / 2
    for j in range(x.shape[0]):
        s = s + q * (x[j] - y[j]) * (x[j] - y[j]) * (x[j] * x[j] + 2 * x[j] * y[j] + 3 * y[j] * y[j])
    return s


@kernel
def slope_of(P: Array, q: Any, x: Array, y: Array) -> Array:
    r"""[exact] The gradient of $B_R(x\|\cdot)$ at y: $(P + 12 q \operatorname{diag}(y^2)) (y - x)$."""
    g = times(P, y - x)
    for j in range(x.shape[0]):
        g[j] = g[j] + 12 * q * y[j] * y[j] * (y[j] - x[j])
    return g


@kernel
def divergence(R: Potential, x: Array, y: Array) -> Any:
    r"""[exact] $B_R(x\|y)$."""
    return divergence_of(R.kind, R.matrix, R.bend[0] / 12, x, y)


@kernel
def norm_in(R: Potential) -> Norm:
    r"""[exact] The norm of R, with its dual."""
    if R.norm == MATRIX:
        return Norm(norms.MATRIX, R.matrix.copy(), inverse(R.matrix))
    unit = plain_norm(R.norm - 1, R.matrix.shape[0], R.mass)
    S = R.mass[0] if R.norm == L1 else R.mass[0] / R.mass[0]
    return Norm(unit.kind, unit.matrix / S, unit.matrix * S)


@kernel
def squared_norm(R: Potential, x: Array) -> Any:
    r"""[exact] $\|x\|^2$ in the norm of R, rational for a rational x."""
    return norm_square(norm_in(R), x)


@kernel
def lipschitz(R: Potential, domain: Domain, theta: Array) -> Any:
    r"""[exact] The Lipschitz constant over $\Theta$ of $B_R(\theta\|\cdot)$ in the norm of R, or an upper bound of it.

    It is exact for quadratics on boxes and simplices (the supremum of a convex function is at a vertex) and, in l2 and
    A's norm, for multiples of the Euclidean one on balls; for the quartic on boxes; for the entropy's own norm on boxes
    and simplices.
    """
    if R.kind == QUADRATIC:
        return _quadratic_lipschitz(R, domain, theta)
    if R.kind == ENTROPY and R.norm == L1 and domain.kind == SIMPLEX:
        return _tangent_lipschitz(domain, theta)
    g = theta.copy()
    for i in range(g.size):
        low, high = extent(domain, i)
        g[i] = _steepest(R, theta[i], low, high)
    return np.sqrt(dual_square(norm_in(R), g))


@kernel
def _quadratic_lipschitz(R: Potential, domain: Domain, theta: Array) -> Any:
    norm = norm_in(R)
    if domain.kind == BALL:
        reach = R.largest[0] if R.norm == MATRIX else R.largest[0] * R.largest[0]
        if R.norm == LINF:
            reach = reach * theta.size
        elif R.norm == L1:
            reach = reach * R.mass[0]
        at_center = dual_square(norm, times(R.matrix, domain.center - theta))
        return np.sqrt(at_center) + domain.radius[0] * np.sqrt(reach)
    top, corners = theta[0] - theta[0], vertices(domain)
    for k in range(corners.shape[0]):
        top = larger(top, dual_square(norm, times(R.matrix, corners[k] - theta)))
    return np.sqrt(top)


@kernel
def _tangent_lipschitz(domain: Domain, theta: Array) -> Any:
    r"""[exact] On a simplex differences sum to 0: of the gradient $1 - \theta_i/\phi_i$ counts half the spread, at most
    where $\phi_j$ is at its floor and $\phi_i$ has all the mass (the norm is l1: S = 1)."""
    top = theta[0] - theta[0]
    for j in range(theta.size):
        for i in range(theta.size):
            if i != j:
                spread = theta[j] / domain.low[j] - theta[i] / (domain.low[i] + mass(domain.low))
                top = larger(top, spread / 2)
    return top


@kernel
def _steepest(R: Potential, theta: Any, low: Any, high: Any) -> Any:
    r"""[exact] The supremum over $p \in [low, high]$ of $|h(p)|$: $h = 1 - \theta/p$ (entropy) is monotone,
    $h = (1 + \kappa p^2)(p - \theta)$ (quartic) is so between the zeros of $h' = 1 + 3\kappa p^2 - 2\kappa\theta p$."""
    if R.kind == ENTROPY:
        return larger(abs(1 - theta / low), abs(1 - theta / high))
    kappa = R.bend[0]
    top = larger(abs((1 + kappa * low * low) * (low - theta)), abs((1 + kappa * high * high) * (high - theta)))
    if kappa * theta * theta > 3:
        root = np.sqrt(theta * theta - 3 / kappa)
        for sign in (-1, 1):
            p = smaller(larger((theta + sign * root) / 3, low), high)
            top = larger(top, abs((1 + kappa * p * p) * (p - theta)))
    return top


def matrix_of(draw: Draw, d: int, low: int) -> tuple[Array, Array]:
    r"""A positive definite matrix, isotropic, diagonal or rotated, and its spectrum in $[2^{low}, 2^8]$."""
    shape = draw.integer(0, 2)
    spectrum = draw.array([draw.positive(low, 8)] * d) if shape == 0 else draw.positive(low, 8, d)
    matrix = draw.eye(d) * spectrum
    if shape == 2:
        turn = draw.rotation(d)
        matrix = turn @ matrix @ turn.T
        matrix = (matrix + matrix.T) / 2
    return matrix, spectrum


def random_pair(draw: Draw, d: int, allowed: Sequence[int] = NORMS) -> tuple[Potential, Domain]:
    r"""A bounded domain, points included, and an R that is 1-strongly convex over it in one of the norms."""
    kind = draw.choice((QUADRATIC, QUARTIC, ENTROPY))
    if kind == ENTROPY:
        return _entropy(draw, d, allowed)
    domain = random_domain(draw, d, BOUNDED)
    norm = draw.choice(tuple(n for n in allowed if n != MATRIX or kind == QUADRATIC))
    if kind == QUADRATIC:
        return quadratic(draw, norm, *matrix_of(draw, d, -8 if norm == MATRIX else 0)), domain
    size = 1 if domain.kind == SIMPLEX else max(abs(end) for i in range(d) for end in on(extent, domain.low)(domain, i))
    bend = draw.positive(-4, 12) / (size * size if size > 0 else size + 1)
    return quadratic(draw, norm, draw.eye(d), draw.array([1]))._replace(kind=QUARTIC, bend=draw.array([bend])), domain


def quadratic(draw: Draw, norm: int, A: Array, spectrum: Array) -> Potential:
    r"""$\frac12 x^\top A x$ in one of the norms."""
    return Potential(QUADRATIC, norm, A, draw.zeros(1), draw.array([max(spectrum)]), draw.array([len(A)]))


def _entropy(draw: Draw, d: int, allowed: Sequence[int]) -> tuple[Potential, Domain]:
    r"""The entropy on a domain whose coordinates stay away from 0, where the gradients of $B_R(\theta\|\cdot)$ are
    bounded; in l2 it is 1-strongly convex where they are at most 1, which is asked of simplices only."""
    norm = draw.choice(tuple(n for n in (L1, L2) if n in allowed))
    kind = SIMPLEX if norm == L2 else draw.choice((SIMPLEX, BOX, BALL))
    floor, zero, none = draw.positive(-12, 0, d), draw.zeros(d), draw.zeros(1)
    if kind == SIMPLEX:
        domain, S = Domain(SIMPLEX, floor / d, zero, zero, none), draw.number(1)
    else:
        high = draw.positive() * draw.positive(-2, 2, d)
        domain, S = Domain(BOX, high * floor, high, zero, none), sum(high)
    if kind == BALL:
        radius = min(high) * (1 - floor[0] / 2)
        domain, S = Domain(BALL, zero, zero, high, draw.array([radius])), S + radius * d
    return Potential(ENTROPY, norm, draw.zeros((d, d)), none, draw.array([1]), draw.array([S])), domain
