r"""Projections of many points at once: the loops of a block of points become vector instructions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, is_exact
from arubatheory.kernel import borrowing, kernel, on, prefetch
from arubatheory.problems.domains import BALL, SPACE, Domain, dimension, project_into
from arubatheory.problems.numbers import as_numbers, floats
from arubatheory.problems.scalar import exceeds, larger, overflows
from arubatheory.problems.signatures import typed

BLOCK, AHEAD = 32, 320  # points that stay in the nearest cache, and how far ahead they are asked for


@kernel
def project_rows(domain: Domain, points: Array, out: Array) -> Any:
    r"""[exact] Write the projections of points (n, d) into `out`.

    Returns a number that is finite only where all coordinates are: a pass over them that only checks takes a quarter of
    the time of the projections.
    """
    work = np.zeros((2, BLOCK), points.dtype)
    total = work[0, 0]
    for first in range(0, points.shape[0], BLOCK):
        block = points[first : first + BLOCK]
        total += _project_block(domain, block, block.reshape(block.size), out[first : first + BLOCK], work)
    return total


@borrowing
def _project_block(domain: Domain, points: Array, flat: Array, out: Array, work: Array) -> Any:
    if domain.kind == BALL:
        return _shrink_rows(domain, points, out, work[0], work[1])
    total = flat[0]
    for k in range(1, flat.size):
        total += flat[k]
    for k in range(points.shape[0]):
        project_into(domain, points[k], out[k])
    return total


@borrowing
def _shrink_rows(domain: Domain, points: Array, out: Array, squares: Array, scales: Array) -> Any:
    """Projections onto a ball, and the sum of squared distances from its centre. No branch tells points inside from
    others, which a processor that foresees branches would get wrong half of the time."""
    (n, d), center, radius = points.shape, domain.center, domain.radius[0]
    whole, zero, total = radius * radius, radius * 0, radius * 0
    for k in range(n):
        square = zero
        prefetch(points, k * d + AHEAD)
        prefetch(out, k * d)
        for j in range(d):
            square += (points[k, j] - center[j]) * (points[k, j] - center[j])
        squares[k] = square
    for k in range(n):
        total += squares[k]
        scales[k] = radius / np.sqrt(larger(squares[k], whole)) if exceeds(squares[k], whole) else zero + 1
    for k in range(n):
        scale, outside = scales[k], zero + 1 if exceeds(squares[k], whole) else zero
        if overflows(squares[k]):
            project_into(domain, points[k], out[k])
        else:
            for j in range(d):
                near = center[j] * outside  # inside, 0 + (x - 0) 1 is x in whatever order it is computed
                out[k, j] = near + (points[k, j] - near) * scale
    return total


def _check_out(out: Any, points: Array, domain: Domain) -> None:
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be an array, got {out!r}")
    if out.shape != points.shape or out.dtype != points.dtype or not out.flags.c_contiguous:
        raise ValueError(f"out must be C-ordered {points.dtype} of shape {points.shape}, got {out.dtype} {out.shape}")
    apart = [*domain[1:]] if out.ctypes.data == points.ctypes.data else [points, *domain[1:]]
    if any(np.may_share_memory(out, x) for x in apart):
        raise ValueError(f"out must not share memory with points or the domain, got an array of shape {out.shape}")


@typed
def projected(domain: Domain, points: ArrayLike, *, out: Array | None = None) -> Array:
    r"""$\mathrm{Proj}_\Theta$ of a point (d,) or of each of n points (n, d), as new arrays or written into `out`.

    `out` may be the points themselves. Raises ValueError for points of another dimension, NaN and infinities, and an
    `out` of another shape, dtype or order, or over a part of points or domain; TypeError for two arithmetics.
    """
    given, d = points, dimension(domain)
    if not (type(given) is np.ndarray and given.dtype == np.float64 and given.flags.c_contiguous):
        given = as_numbers("points", points)
    if domain.low.ndim != 1 or given.ndim not in (1, 2) or given.shape[-1] != d:
        raise ValueError(f"points must have shape {(d,)} or (n, {d}), got {given.shape}")
    if domain.kind != SPACE and is_exact(given) != is_exact(domain.low):
        raise TypeError("points and domain must be both in floats or both exact, got one of each")
    found = np.empty_like(given) if out is None else out
    if out is not None:
        _check_out(out, given, domain)
    with np.errstate(all="ignore"):  # uncompiled, numpy would warn of what is looked at next
        total = on(project_rows, given)(domain, np.atleast_2d(given), np.atleast_2d(found))
    if not is_exact(given) and not math.isfinite(total):
        floats("points", given)
    return found
