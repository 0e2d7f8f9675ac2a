r"""Distributions over losses whose population risk is known in closed form.

A `Mixture` is a distribution with K losses on [0, 1], loss k with probability $p_k$:
$$\ell_k(x) = base_k + slope_k x + bend_k (x - z_k)^2 + corner_k |x - z_k|,$$
convex for nonnegative `bend` and `corner`. Its risk is a finite sum, its minimiser is found piece by piece, and both
are exact on exact numbers. Absolute losses with Bernoulli targets, squared losses on an interval and deterministic
tasks (K = 1) are members; `random_mixture` draws from all of those with values in [0, 1].
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.problems.draw import Draw
from arubatheory.problems.numbers import check_count
from arubatheory.problems.scalar import larger, smaller
from arubatheory.problems.signatures import typed


class Mixture(NamedTuple):
    r"""Probabilities p, and base, slope, bend, corner and z of the losses, all (K,)."""

    p: Array
    base: Array
    slope: Array
    bend: Array
    corner: Array
    z: Array


# kernels -----------------------------------------------------------------------------------------------------------
@kernel
def loss_at(M: Mixture, k: int, x: Any) -> Any:
    r"""[exact] $\ell_k(x)$."""
    away = x - M.z[k]
    return M.base[k] + M.slope[k] * x + M.bend[k] * away * away + M.corner[k] * abs(away)


@kernel
def weighted_loss(M: Mixture, weights: Array, x: Any) -> Any:
    r"""[exact] $\sum_k w_k\ell_k(x)$; the population risk with w = p, a sum of losses with w their counts."""
    s = weights[0] * loss_at(M, 0, x)
    for k in range(1, weights.shape[0]):
        s = s + weights[k] * loss_at(M, k, x)
    return s


@kernel
def _stationary(M: Mixture, weights: Array, low: Any, high: Any) -> Any:
    r"""The minimiser over [low, high] of $\sum_k w_k\ell_k$ where no $z_k$ lies inside: there it is a quadratic."""
    bend, slope = low - low, low - low
    for k in range(weights.shape[0]):
        bend = bend + 2 * weights[k] * M.bend[k]
        corner = M.corner[k] if M.z[k] <= low else -M.corner[k]
        slope = slope + weights[k] * (M.slope[k] - 2 * M.bend[k] * M.z[k]) + weights[k] * corner
    if not bend * low + slope < 0:
        return low
    if not bend * high + slope > 0:
        return high
    return -slope / bend


@kernel
def minimiser(M: Mixture, weights: Array) -> Any:
    r"""[exact] The leftmost point of [0, 1] with the least $\sum_k w_k\ell_k$, for convex losses and $w_k \ge 0$."""
    zero, count = weights[0] - weights[0], M.z.shape[0]
    edges = np.zeros(count + 2, M.z.dtype) + zero
    edges[count] = 1 + zero
    for k in range(count):
        edges[k] = smaller(larger(M.z[k], zero), 1 + zero)
    edges = np.sort(edges)
    best = zero
    least = weighted_loss(M, weights, best)
    for i in range(count + 1):
        x = _stationary(M, weights, edges[i], edges[i + 1])
        value = weighted_loss(M, weights, x)
        if value < least:
            best, least = x, value
    return best


# drawing -----------------------------------------------------------------------------------------------------------
@typed
def random_mixture(draw: Draw, count: int, bend: bool = False) -> Mixture:
    r"""`count` convex losses with values in [0, 1]: each a convex combination of a constant, x or 1 - x, $(x-z)^2$,
    $|x-z|$; with `bend` every one has a quadratic part."""
    check_count("count", count)
    base, slope, curved, corner, z = (draw.zeros(count) for _ in range(5))
    for k in range(count):
        part, falling = draw.simplex(4), draw.boolean()
        if bend and not part[2] > 0:
            part = (part + draw.array([0, 0, 1, 0])) / 2
        slope[k] = -part[1] if falling else part[1]
        base[k] = part[0] * draw.unit() + (part[1] if falling else 0)
        curved[k], corner[k], z[k] = part[2], part[3], draw.unit()
    return Mixture(draw.simplex(count), base, slope, curved, corner, z)
