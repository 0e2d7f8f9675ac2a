r"""The minimum of linear and quadratic losses over a domain, in floats and certified, at two passes over the losses.

With $F = \sum_i \ell_i$ of linear and squared losses and ridges, $\rho = \sum_i r_i$ and Q the Hessian of the squares,
$$F(y) = F(x) + \langle\nabla F(x), y - x\rangle + \tfrac12 (y - x)^\top (Q + \rho I) (y - x).$$
A linear F is least on a face or on the sphere, a quadratic one at one `mirror_step` from anywhere. At the point x that
is found, $F(y) \ge F(x) - \max_{y\in\Theta} \langle\nabla F(x), x - y\rangle$, or on $\mathbb R^d$ without squares
$F(y) \ge F(x) - \|\nabla F(x)\|_2^2 / (2\rho)$.

Every rounding on the way is bounded: a sum of n products, added in any order, is wrong by at most $n \varepsilon$ times
the magnitudes added, while $n \varepsilon < 1/2$ ($\varepsilon = 2^{-52}$ is twice the unit of rounding). Losses are
summed in blocks, so that n is that of a block and the number of blocks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.convex.problem import GENERAL, LINEAR_ONLY, shape_of
from arubatheory.kernel import borrowing, kernel
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, Domain, linear_minimizer, mass, project
from arubatheory.problems.linear import dot, factor, shifted
from arubatheory.problems.losses import SQUARE, Losses
from arubatheory.problems.regularizers import EUCLIDEAN, MAHALANOBIS, Regularizer, mirror_step
from arubatheory.problems.scalar import EPSILON

BLOCK = 256  # losses


@kernel
def _expand(L: Losses, x: Array, unit: Any, g: Array, size: Array) -> Any:
    """`_expand_block`, of all losses."""
    value, behind, ridge, part, rough = 0.0, 0.0, 0.0, np.empty_like(g), np.empty_like(g)
    for j in range(g.size):
        g[j], size[j] = 0.0, 0.0
    for start in range(0, L.b.size, BLOCK):
        v, b, r = _expand_block(L, start, min(start + BLOCK, L.b.size), x, unit, part, rough)
        value, behind, ridge = value + v, behind + b, ridge + r
        for j in range(g.size):
            g[j], size[j] = g[j] + part[j], size[j] + rough[j]
    return value, behind, ridge


@borrowing
def _expand_block(L: Losses, start: int, stop: int, x: Array, unit: Any, g: Array, size: Array) -> Any:
    r"""$F(x)$, the magnitudes behind it, and $\rho$; writes $\nabla F(x)$ into g, the magnitudes behind it into size.

    `unit` is the relative error of a sum; what multiplies it bounds what each number is wrong by.
    """
    value, behind, ridge = 0.0, 0.0, 0.0
    for j in range(x.shape[0]):
        g[j], size[j] = 0.0, 0.0
    for i in range(start, stop):
        w, r = L.weight[i], L.ridge[i]
        z, rough = -L.b[i], abs(L.b[i])
        for j in range(x.shape[0]):
            z += L.a[i, j] * x[j]
            rough += abs(L.a[i, j] * x[j])
        slope, noise = w, w
        if L.link[i] == SQUARE:
            slope, noise = w * z, 2 * w * rough
            value += slope * z / 2
            behind += noise * (abs(z) + unit * rough)
        else:
            value += w * z
            behind += w * rough
        for j in range(x.shape[0]):
            g[j] += slope * L.a[i, j]
            size[j] += noise * abs(L.a[i, j])
        if r > 0:
            ridge += r
            for j in range(x.shape[0]):
                u, v = x[j] - L.c[i, j], abs(x[j]) + abs(L.c[i, j])
                value += r * u * u / 2
                behind += 2 * r * v * (abs(u) + unit * v)
                g[j] += r * u
                size[j] += 2 * r * v
    return value, behind, ridge


@borrowing
def _hessian(L: Losses, Q: Array) -> None:
    r"""Adds the squares' Hessian $\sum_i w_i a_i a_i^\top$ to Q."""
    d = Q.shape[0]
    for i in range(L.b.shape[0]):
        if L.link[i] == SQUARE:
            for j in range(d):
                part = L.weight[i] * L.a[i, j]
                for e in range(d):
                    Q[j, e] += part * L.a[i, e]
    for j in range(d):
        for e in range(j):
            Q[j, e] = Q[e, j]


@kernel
def _has_squares(L: Losses) -> Any:
    for i in range(L.b.shape[0]):
        if L.link[i] == SQUARE and L.weight[i] > 0:
            return True
    return False


@kernel
def _least_linear(domain: Domain, phi: Array, g: Array, noise: Array) -> Any:
    r"""The point of $\arg\min_{x\in\Theta} \langle g, x\rangle$, and whether it is the only one.

    Entries of g that differ by less than their noise are equal. A box keeps $\phi_j$ where $g_j$ is 0.
    """
    x, only = phi.copy(), True
    if domain.kind == BOX:
        for j in range(g.size):
            if abs(g[j]) > noise[j]:
                x[j] = domain.low[j] if g[j] > 0 else domain.high[j]
            elif domain.low[j] < domain.high[j]:
                only = False
        return x, only
    if domain.kind == BALL:
        only = bool(dot(g, g) > dot(noise, noise))
        return (linear_minimizer(domain, g) if only else x), only
    best = int(np.argmin(g))
    for j in range(g.size):
        only = only and (j == best or g[j] - g[best] > noise[j] + noise[best])
    return linear_minimizer(domain, g), only or mass(domain.low) <= 0


@kernel
def _slack(domain: Domain, x: Array, g: Array, noise: Array) -> Any:
    r"""At least $\max_{y\in\Theta} \langle h, x - y\rangle$ over a bounded domain for all h within `noise` of g."""
    y = linear_minimizer(domain, g)
    gap, rough = 0.0, 0.0
    rest = mass(domain.low) if domain.kind == SIMPLEX else domain.radius[0]
    for j in range(x.size):
        width = domain.high[j] - domain.low[j] if domain.kind == BOX else 2 * rest
        gap += g[j] * (x[j] - y[j])
        rough += abs(g[j]) * (abs(x[j]) + abs(y[j]) + abs(domain.center[j]) + rest)
        gap += noise[j] * (width + abs(x[j] - y[j]))
    return max(gap, 0.0) + 4 * (x.size + 4) * EPSILON * rough


@kernel
def least_quadratic(L: Losses, domain: Domain, R: Regularizer, phi: Array) -> Any:
    r"""Whether this is a closed form, and if so x, $F(x)$ and a certified lower bound of $\min_\Theta F$; in floats.

    It is none for other losses, where a tie is for R to break and R is not Euclidean, where no minimum exists or the
    Hessian is too close to singular for its factors to show that it is not, and for squares on $\mathbb R^d$.
    """
    m, d = L.a.shape
    unit = (min(m, BLOCK) + m // BLOCK + d + 8) * EPSILON
    x, g, noise, Q = phi.copy(), np.zeros(d), np.zeros(d), np.zeros((d, d))
    shape, squares = shape_of(L, m, Regularizer(EUCLIDEAN, Q)), _has_squares(L)
    none = (False, x, 0.0, 0.0)
    if shape == GENERAL or unit > 1e-6 or (domain.kind == SPACE and (squares or shape == LINEAR_ONLY)):
        return none
    value, behind, ridge = _expand(L, phi, unit, g, noise)
    if shape == LINEAR_ONLY:
        x, only = _least_linear(domain, phi, g, unit * noise)
        if not only and (R.kind != EUCLIDEAN or domain.kind == SIMPLEX):
            return none
    elif squares:
        _hessian(L, Q)
        Q = shifted(Q, ridge)
        pivots = factor(Q)
        for j in range(d):
            if not pivots[j, j] > 8 * d * (m + d) * EPSILON * Q[j, j]:
                return none
        x = mirror_step(Regularizer(MAHALANOBIS, Q), domain, phi, g)
    else:
        x = project(domain, phi - g / ridge)
    if shape == LINEAR_ONLY:  # the gradient is the same everywhere
        value += dot(g, x - phi)
        behind += dot(noise, np.abs(x) + np.abs(phi))
    else:
        value, behind, ridge = _expand(L, x, unit, g, noise)
    if domain.kind == SPACE:
        gap = 0.0
        for j in range(d):
            gap += (abs(g[j]) + unit * noise[j]) ** 2 / (2 * ridge) * (1 + 2 * unit)
    else:
        gap = _slack(domain, x, g, unit * noise)
    lower = value - (unit * behind + gap) * (1 + 8 * EPSILON)
    lower -= 4 * EPSILON * (abs(lower) + abs(value))
    return np.isfinite(lower) and np.isfinite(x.sum()), x, value, lower
