r"""Domains and points of domains, drawn: rationals of many scales, faces, corners and point domains included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.problems.domains import BALL, BOX, KINDS, SIMPLEX, SPACE, Domain, mass
from arubatheory.problems.draw import Draw
from arubatheory.problems.numbers import as_dimension
from arubatheory.problems.scalar import smaller
from arubatheory.problems.signatures import typed


@typed
def random_point(domain: Domain, draw: Draw) -> Array:
    r"""A rational point of $\Theta$: of the inside, the boundary, or an extreme one; many scales for $\mathbb R^d$."""
    t: Any
    d, mode = len(domain.low), draw.integer(0, 3)
    if domain.kind == SPACE:
        t = draw.real(-1, 1, d)
        return draw.positive() * t if mode == 3 else t
    if domain.kind == BOX:
        t = draw.unit(d) if mode < 2 else draw.array([draw.integer(0, 1) for _ in range(d)])
        return on(_between, t)(domain.low, domain.high, t)
    if domain.kind == BALL:
        t = draw.unit() if mode < 2 else 1
        direction = _axis(draw, d) if mode == 3 else draw.sphere(d)
        return domain.center + domain.radius[0] * t * direction
    weights = abs(_axis(draw, d)) if mode == 3 else draw.simplex(d)
    return on(_shared, weights)(domain.low, weights)


@kernel
def _between(low: Array, high: Array, t: Array) -> Array:
    r"""[exact] $low + t (high - low)$ for t in $[0, 1]^d$; where that misses high by one rounding, high."""
    y = np.empty_like(t)
    for i in range(t.size):
        y[i] = smaller(low[i] + (high[i] - low[i]) * t[i], high[i])
    return y


@kernel
def _shared(low: Array, weights: Array) -> Array:
    r"""[exact] $low + (1 - \sum_i low_i)\, weights$."""
    y, left = np.empty_like(weights), mass(low)
    for i in range(low.size):
        y[i] = low[i] + left * weights[i]
    return y


def _axis(draw: Draw, d: int) -> Array:
    e = draw.zeros(d)
    k = draw.integer(0, 2 * d - 1)
    e[k // 2] = draw.number(1 - 2 * (k % 2))
    return e


@typed
def random_domain(draw: Draw, d: int, kinds: Sequence[int] = KINDS, positive: bool = False) -> Domain:
    r"""A domain of one of `kinds` in $\mathbb R^d$, point domains and scales $2^{-32}$ to $2^{32}$ included.

    With `positive` it lies in the nonnegative orthant, in its interior off the faces (entropy is defined on it), and
    `SPACE` is not drawn. Raises ValueError for unknown or no kinds.
    """
    if positive or kinds is not KINDS:
        kinds = tuple(k for k in kinds if not (positive and k == SPACE))
        if not kinds or any(k not in KINDS for k in kinds):
            raise ValueError(f"kinds must be some of {KINDS}, got {kinds!r}")
    d = as_dimension(d)
    kind, zero = draw.choice(kinds), draw.zeros(d)
    if kind == SPACE:
        return Domain(SPACE, zero, zero, zero, draw.zeros(1))
    size = draw.integer(0, 7)  # 0-3: scale 1, 4-6: any scale, 7: a point
    scale = draw.positive() if 4 <= size < 7 else draw.number(1)
    if kind == SIMPLEX:
        return Domain(SIMPLEX, _random_floor(draw, d, size), zero, zero, draw.zeros(1))
    if kind == BOX:
        low, high = _random_corners(draw, d, scale, size == 7, positive)
        return Domain(BOX, low, high, zero, draw.zeros(1))
    r = draw.number(0) if size == 7 else scale * draw.positive(-2, 2)
    if positive:
        c = (scale if size == 7 else r) * (1 + draw.unit(d) * draw.integer(0, 3))
    else:
        c = draw.real(-2, 2, d) * (scale * draw.integer(0, 1))
    return Domain(BALL, zero, zero, c, draw.array([r]))


def _random_floor(draw: Draw, d: int, size: int) -> Array:
    if size == 7:
        return (1 + draw.simplex(d) * d) / (2 * d)
    return draw.simplex(d) * (draw.real(0, 1) * 7 / 8) if size % 2 else draw.zeros(d)


def _random_corners(draw: Draw, d: int, scale: Any, is_point: bool, positive: bool) -> tuple[Array, Array]:
    low = scale * draw.real(0 if positive else -2, 2, d)
    if is_point:
        low = low + scale * draw.positive(-4, 0, d) if positive else low
        return low, low
    return low, low + scale * draw.positive(-4, 2, d)
