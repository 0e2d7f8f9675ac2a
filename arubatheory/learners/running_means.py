r"""Follow the leader on weighted Bregman divergences (prp:bregman).

The losses are $\ell_t(\phi) = \alpha_t B_R(\theta_t\|\phi)$ with $\alpha_t > 0$. By clm:mean the leader after t rounds
is the mean
$$\phi_{t+1} = \frac1{\alpha_{1:t}}\sum_{s\le t}\alpha_s\theta_s,$$
whatever R is, and also where the losses are not convex in $\phi$: R does not enter. The first action is arbitrary.

In floats the sums are made of sums of blocks and of 64 blocks, so that a million terms are rounded about 200 times on
the way and not a million times; weights are scaled by powers of two, which rounds nothing, so that sums of weights near
the ends of the range of float64 neither overflow nor vanish.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, is_exact
from arubatheory.kernel import kernel, on
from arubatheory.problems.numbers import as_numbers, as_vector, in_common
from arubatheory.problems.scalar import twin

BLOCK = 64
HUGE = 2.0**500


@twin(lambda x: 1)
def scaling(x: Any) -> Any:
    r"""A power of two that brings x > 0 to about 1 (a denormal x: to at least $2^{-51}$); 1 in exact arithmetic."""
    return math.ldexp(1.0, min(-math.frexp(x)[1], 1023))


@twin(lambda x: False)
def outgrows(x: Any) -> Any:
    """Whether a scaled weight is so large that the scale has to change; never in exact arithmetic."""
    return x > HUGE


def running_means(points: Array, alpha: Array, first: Array) -> Array:
    r"""$\phi_1, \dots, \phi_{T+1}$ (T + 1, d): `first`, then the weighted means of the first t rows of `points`
    (T, d), for $\alpha_t > 0$ (T,). Unvalidated, in any arithmetic; made by numpy: see `runs.room`."""
    means = np.empty((len(points) + 1, points.shape[1]), points.dtype)
    on(_means_into, points)(points, alpha, first, means)
    return means


@kernel
def _means_into(points: Array, alpha: Array, first: Array, means: Array) -> None:
    T, d = points.shape
    sums = np.zeros((3, d + 1), points.dtype)  # a block, 64 blocks, the rest; the last column adds the weights alone
    means[0] = first
    scale = scaling(alpha[0])
    for t in range(T):
        scale = mean_after(sums, scale, points, alpha, t, t, means)


@kernel
def mean_after(sums: Array, scale: Any, points: Array, alpha: Array, row: int, t: int, means: Array) -> Any:
    r"""[exact] Adds a row of `points`, which is term t, to `sums` (3, d + 1), writes the mean of all so far into the
    next row of `means`, and returns the scale of the weights from there on."""
    d, w = points.shape[1], alpha[row] * scale
    if outgrows(w):
        scale = _rescaled(sums, scale, alpha[row])
        w = alpha[row] * scale
    for j in range(d):
        sums[0, j] += w * points[row, j]
    sums[0, d] += w
    mass = summed(sums, d)
    for j in range(d):
        means[row + 1, j] = summed(sums, j) / mass
    carry(sums, t)
    return scale


@kernel
def summed(sums: Array, j: int) -> Any:
    """[exact] Sum j: the block, the blocks, the rest."""
    return sums[2, j] + (sums[1, j] + sums[0, j])


@kernel
def carry(sums: Array, t: int) -> None:
    """[exact] After term t, the 64th of its block or of its 64 blocks: the block is added to the blocks, and so on."""
    for level in range(2):
        if (t + 1) % (BLOCK if level == 0 else BLOCK * BLOCK) == 0:
            for j in range(sums.shape[1]):
                sums[level + 1, j] += sums[level, j]
                sums[level, j] = 0


@kernel
def _rescaled(sums: Array, scale: Any, weight: Any) -> Any:
    """The scale that suits `weight`, with `sums` brought to it; what underflows is too small to be seen beside it."""
    suited = scaling(weight)
    sums *= suited / scale
    return suited


def bregman_ftl(points: ArrayLike, alpha: ArrayLike, first: ArrayLike) -> Array:
    r"""FTL on $\alpha_t B_R(\theta_t\|\cdot)$: $\phi_1$ and $\phi_{t+1} = \sum_{s\le t}\alpha_s\theta_s/\alpha_{1:t}$,
    the actions $\phi_1, \dots, \phi_T$ (T, d), whatever R; O(d) a round (clm:mean, prp:bregman).

    `points` $\theta_t$ (T, d), `alpha` > 0 (T,) or a number, `first` $= \phi_1$ (d,); floats or exact numbers.

    Raises ValueError for $\alpha_t \le 0$, NaN, infinities, no rounds, shapes that do not fit; TypeError for what is
    not a real number; OverflowError when a weighted sum leaves the range of float64.
    """
    theta = as_numbers("points", points)
    if theta.ndim != 2 or theta.size == 0:
        raise ValueError(f"points must be a non-empty array (T, d), got shape {theta.shape}")
    start = as_vector("first", first)
    if start.size != theta.shape[1]:
        raise ValueError(f"first must have {theta.shape[1]} entries, got {start.size}: {first!r}")
    flat, weights = in_common(theta.ravel(), positive_weights(alpha, len(theta)), "points and alpha")
    flat, start = in_common(flat, start, "points and first")
    flat, weights = in_common(flat, weights, "points and alpha")
    with np.errstate(all="ignore"):
        means = running_means(flat.reshape(theta.shape), weights, start)[:-1]
    if not is_exact(means) and not np.isfinite(means).all():
        raise OverflowError("bregman_ftl left the range of float64: the points are too large")
    return means


def positive_weights(alpha: ArrayLike, rounds: int) -> Array:
    r"""$\alpha$ (T,) from T positive numbers or one; the ValueError that names what is wrong otherwise."""
    weights = as_vector("alpha", alpha)
    if not np.all(weights > 0):
        t = int(np.argmax(~(weights > 0)))
        raise ValueError(f"alpha must be > 0, got {weights[t]} in round {t + 1}")
    if np.ndim(alpha) == 0:
        weights = np.repeat(weights, rounds)
    if weights.size != rounds:
        raise ValueError(f"alpha must be a number or have one entry for each of {rounds} rounds, got {weights.size}")
    return weights
