r"""Action spaces $\Theta \subset \mathbb R^d$: the whole space, boxes, balls and (floored) simplices, as data.

| kind | set |
|---|---|
| `SPACE` | $\mathbb R^d$ |
| `BOX` | $\{x : low \le x \le high\}$; an interval is a box with $d = 1$ |
| `BALL` | $\{x : \|x - center\|_2 \le radius\}$ |
| `SIMPLEX` | $\{x : x \ge low,\ \sum_i x_i = 1\}$; $low = 0$ is the probability simplex, $low > 0$ a floored one |

Point domains ($low = high$, $radius = 0$, $\sum_i low_i = 1$) are valid. Everything marked [exact] runs on exact
numbers as well (`on(project, x)(domain, x)`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, exact, is_exact
from arubatheory.kernel import borrowing, kernel, on
from arubatheory.problems.linear import dot
from arubatheory.problems.numbers import as_dimension, as_vector, check_count, in_common, shaped, shown, zeros_like
from arubatheory.problems.scalar import exceeds, larger, overflows, rounding, smaller
from arubatheory.problems.signatures import typed

SPACE, BOX, BALL, SIMPLEX = range(4)
KINDS = (BALL, BOX, SIMPLEX, SPACE)
NAMES = ("space", "box", "ball", "simplex")
BOUNDED = (BALL, BOX, SIMPLEX)


class Domain(NamedTuple):
    r"""A closed convex set of $\mathbb R^d$ by its kind and arrays; fields that a kind does not use are zeros."""

    kind: int
    low: Array  # (d,)
    high: Array  # (d,)
    center: Array  # (d,)
    radius: Array  # (1,)

    def one(self, k: int) -> Domain:
        """The domain of run k, of a batch (views)."""
        return Domain(self.kind, *(x[k % len(x)] for x in self[1:]))


# constructors --------------------------------------------------------------------------------------------------
def space(d: int) -> Domain:
    r"""$\mathbb R^d$. Raises ValueError unless $d \ge 1$."""
    return Domain(SPACE, *map(np.zeros, [as_dimension(d)] * 3 + [1]))


def box(low: Any, high: Any) -> Domain:
    r"""$\{x : low_i \le x_i \le high_i\}$ from vectors (d,); a scalar is repeated to the length of the other.

    Raises ValueError when some $low_i > high_i$, for NaN, infinities, or lengths that differ.
    """
    lower, upper = as_vector("low", low), as_vector("high", high)
    d = max(lower.size, upper.size)
    lower, upper = in_common(shaped("low", low, d), shaped("high", high, d), "low and high")
    if not np.all(lower <= upper):
        raise ValueError(f"low must not exceed high, got low={shown(low)}, high={shown(high)}")
    return Domain(BOX, lower, upper, zeros_like(d, lower), zeros_like(1, lower))


def interval(low: Any, high: Any) -> Domain:
    r"""$[low, high] \subset \mathbb R$, the box with $d = 1$. Raises ValueError unless low <= high, both scalars."""
    made = box(low, high)
    for name, value in (("low", low), ("high", high)):
        if np.ndim(value) != 0:
            raise ValueError(f"{name} must be a number, got {value!r}")
    return made


def ball(center: Any, radius: Any) -> Domain:
    r"""$\{x : \|x - center\|_2 \le radius\}$, center (d,). Raises ValueError unless the radius is >= 0, both finite."""
    c, r = as_vector("center", center), as_vector("radius", radius)
    if r.size != 1:
        raise ValueError(f"radius must be a number, got {shown(radius)}")
    if not r[0] >= 0:
        raise ValueError(f"radius must be >= 0, got {shown(radius)}")
    c, r = in_common(c, r, "center and radius")
    return Domain(BALL, zeros_like(c.size, c), zeros_like(c.size, c), c, r)


def simplex(d: int, floor: Any = 0) -> Domain:
    r"""$\{x \in \mathbb R^d : x_i \ge floor_i, \sum_i x_i = 1\}$; `floor` >= 0 a number or a vector (d,).

    The arithmetic is that of `floor`. Raises ValueError when a floor is negative or the floors sum to more than 1 (in
    floats: by more than the $d \varepsilon$ that their sum may be rounded by).
    """
    low = shaped("floor", floor, as_dimension(d))
    if not np.all(low >= 0):
        raise ValueError(f"floor must be >= 0, got {shown(floor)}")
    slack = 0 if is_exact(low) else low.size * float(np.finfo(np.float64).eps)
    if low.sum() > 1 + slack:
        raise ValueError(f"floor must sum to at most 1, got {shown(floor)}")
    return Domain(SIMPLEX, low, zeros_like(low.size, low), zeros_like(low.size, low), zeros_like(1, low))


@typed
def batch(parts: Sequence[Domain]) -> Domain:
    """Domains of one kind and dimension side by side, for n runs at once: every array has a leading axis of length n.

    ValueError for none, several kinds or dimensions; TypeError for two arithmetics.
    """
    found = sorted({(NAMES[part.kind], part.low.shape) for part in parts})
    if len(found) != 1:
        raise ValueError(f"parts must be domains of one kind and dimension, got {found}")
    if len({is_exact(part.low) for part in parts}) > 1:
        raise TypeError("parts must be all in floats or all exact, got both")
    return Domain(parts[0].kind, *(np.stack(field) for field in list(zip(*parts, strict=True))[1:]))


# kernels -------------------------------------------------------------------------------------------------------
@kernel
def project(domain: Domain, x: Array) -> Array:
    r"""[exact] $\arg\min_{y \in \Theta} \|y - x\|_2$ for x (d,), or for each of n points (n, d); a new array.

    `projections.projected` looks at what it is given, and is faster for many points.
    """
    y = np.empty_like(x)
    for k in range(x.shape[0] if x.ndim > 1 else 1):
        project_into(domain, x[k] if x.ndim > 1 else x, y[k] if x.ndim > 1 else y)
    return y


@borrowing
def project_into(domain: Domain, x: Array, y: Array) -> None:
    r"""[exact] Write the projection of x (d,) into y, which may be x."""
    if domain.kind == BALL:
        _project_ball(domain.center, domain.radius[0], x, y)
    elif domain.kind == BOX:
        for i in range(x.size):
            y[i] = smaller(larger(x[i], domain.low[i]), domain.high[i])
    elif domain.kind == SIMPLEX:
        _project_simplex(domain.low, x, y)
    else:
        for i in range(x.size):
            y[i] = x[i]


@borrowing
def _project_ball(center: Array, radius: Any, x: Array, y: Array) -> None:
    r"""[exact] $c + (x - c) \min(1, r / \|x - c\|_2)$; rational wherever x is inside."""
    square = x[0] * 0
    for i in range(x.size):
        square += (x[i] - center[i]) * (x[i] - center[i])
    if not exceeds(square, radius * radius):
        for i in range(x.size):
            y[i] = x[i]
    elif radius == 0:
        for i in range(x.size):
            y[i] = center[i]
    elif overflows(square):
        for i in range(x.size):
            y[i] = center[i] / 4 - x[i] / 4
        minimize_on_ball(center, radius, y, y)
    else:
        shrink = radius / np.sqrt(larger(square, radius * radius))
        for i in range(x.size):
            y[i] = center[i] + (x[i] - center[i]) * shrink


@borrowing
def mass(low: Array) -> Any:
    r"""[exact] What the floors of a simplex leave to distribute, $1 - \sum_i low_i \ge 0$."""
    left = 1 - low[0]
    for i in range(1, low.size):
        left -= low[i]
    return larger(left, left * 0)


@kernel
def project_simplex(low: Array, x: Array) -> Array:
    r"""[exact] $low + \max(x - low - \tau, 0)$ with $\tau$ such that the sum is 1."""
    y = np.empty_like(x)
    _project_simplex(low, x, y)
    return y


@borrowing
def _project_simplex(low: Array, x: Array, y: Array) -> None:
    r"""[exact] $low + \max(x - low - \tau, 0)$ with $\tau$ such that the sum is 1.

    Michelot's iteration: $\tau$ over a shrinking support increases to the solution in at most d passes. It compares
    coordinates with $\tau$ only, never with each other, so equal balls raise no `Undecided`. The largest coordinate is
    subtracted first: what is left on the support is in $[-1, 0]$, and the sum is right to a few units of rounding.
    """
    d, rest = x.size, mass(low)
    for i in range(d):
        y[i] = x[i] - low[i]
    top = y[0]
    for i in range(1, d):
        top = larger(top, y[i])
    # written back before it is summed: compiled sums may be reassociated, which would undo the shift
    for i in range(d):
        y[i] -= top
    zero, far = rest * 0, rest * 0 - 1024  # what has left the support is below any tau to come, whatever rounds
    tau, n, before = -rest - (zero + 1) / 64, d + 1, d + 2  # tau is at least -rest, where balls may tie
    while n > 0 and n < before:
        before, n, total = n, 0, zero
        for i in range(d):
            kept = y[i] > tau  # told by no branch, so that the loop becomes vector instructions
            y[i] = y[i] if kept else far
            total += y[i] if kept else zero
            n += 1 if kept else 0
        if n > 0:
            tau = (total - rest) / n
    for i in range(d):
        y[i] = low[i] + larger(y[i] - tau, zero)


@borrowing
def extent(domain: Domain, j: int) -> Any:
    r"""[exact] The least and the largest coordinate j of a bounded domain."""
    if domain.kind == BALL:
        return domain.center[j] - domain.radius[0], domain.center[j] + domain.radius[0]
    if domain.kind == SIMPLEX:
        return domain.low[j], domain.low[j] + mass(domain.low)
    return domain.low[j], domain.high[j]


@borrowing
def vertex_into(domain: Domain, k: int, x: Array) -> None:
    r"""[exact] Writes vertex k of a box ($k < 2^d$) or of a simplex ($k < d$) into x."""
    for j in range(x.shape[0]):
        x[j] = domain.high[j] if domain.kind == BOX and (k >> j) & 1 == 1 else domain.low[j]
    if domain.kind == SIMPLEX:
        x[k] = x[k] + mass(domain.low)


@kernel
def vertices(domain: Domain) -> Array:
    r"""[exact] The vertices of a box ($2^d$ of them) or of a simplex, one a row."""
    d = domain.low.shape[0]
    out = np.empty((d if domain.kind == SIMPLEX else 1 << d, d), domain.low.dtype)
    for k in range(out.shape[0]):
        vertex_into(domain, k, out[k])
    return out


@borrowing
def inside(domain: Domain, x: Array) -> Any:
    r"""[exact] A margin that is >= 0 exactly when $x \in \Theta$.

    Box: the least slack; ball: $r^2 - \|x - c\|^2$; simplex: the least slack, and $-|1 - \sum x_i|$ if that is not 0.
    """
    margin = x[0] - x[0]
    if domain.kind == SPACE:
        for i in range(1, x.size):
            margin += x[i] - x[i]
        return margin
    if domain.kind == BALL:
        margin += domain.radius[0] * domain.radius[0]
        for i in range(x.size):
            margin -= (x[i] - domain.center[i]) * (x[i] - domain.center[i])
        return margin
    total = margin
    for i in range(x.size):
        slack = x[i] - domain.low[i]
        if domain.kind == BOX:
            slack = smaller(slack, domain.high[i] - x[i])
        margin, total = slack if i == 0 else smaller(margin, slack), total + x[i]
    if domain.kind == SIMPLEX and exceeds(abs(1 - total), 0):
        margin = smaller(margin, -abs(1 - total))
    return margin


@kernel
def linear_minimizer(domain: Domain, g: Array) -> Array:
    r"""[exact] A point of $\arg\min_{x \in \Theta} \langle g, x\rangle$; ValueError when $\Theta$ is not bounded."""
    if domain.kind == SPACE:
        raise ValueError("a linear function has no minimizer on the whole space")
    if domain.kind == BALL:
        y = np.empty_like(domain.center)
        minimize_on_ball(domain.center, domain.radius[0], g, y)
        return y
    if domain.kind == BOX:
        return np.where(g < 0, domain.high, domain.low)
    y = domain.low.copy()
    y[np.argmin(g)] += mass(domain.low)
    return y


@borrowing
def minimize_on_ball(center: Array, radius: Any, g: Array, y: Array) -> None:
    r"""Write $c - r g/\|g\|_2$ into y, which may be g; scaled to largest entry 1, so that no square overflows."""
    top = abs(g[0])
    for i in range(1, g.size):
        top = larger(top, abs(g[i]))
    for i in range(g.size):
        y[i] = g[i] / top if top != 0 else center[i]
    if top != 0:
        shrink = radius / np.sqrt(dot(y, y))
        for i in range(g.size):
            y[i] = center[i] - y[i] * shrink


# questions -----------------------------------------------------------------------------------------------------
@typed
def dimension(domain: Domain) -> int:
    r"""The d of $\Theta \subset \mathbb R^d$."""
    return int(domain.low.size)


@typed
def check_dimension(d: int, domain: Domain) -> None:
    """ValueError unless the domain has dimension d."""
    if d != dimension(domain):
        raise ValueError(f"d must be {dimension(domain)}, the dimension of the domain, got {d!r}")


@typed
def contains(domain: Domain, x: Any) -> bool:
    r"""Whether $x \in \Theta$: exactly for exact numbers and where squares or sums of floats would overflow, else up to
    the rounding of the margin itself.

    That slack is $2 (d + 4) \varepsilon$ times the magnitudes added: a float point that was projected, or weights over
    their float sum, are inside. Raises ValueError when x is not a vector (d,) of numbers.
    """
    point = as_vector("x", x)
    if point.size != dimension(domain):
        raise ValueError(f"x must have {dimension(domain)} entries, got {point.size}: {shown(x)}")
    if not (is_exact(point) or is_exact(domain.low)):
        with np.errstate(over="ignore"):
            slack = 2 * (point.size + 4) * rounding(point[0]) * _magnitude(domain, point)
        if math.isfinite(slack):
            return bool(inside(domain, point) >= -slack)
    return bool(on(inside, exact(point))(exact(domain), exact(point)) >= 0)


def _magnitude(domain: Domain, x: Array) -> float:
    size = float(np.max(np.abs(x)))
    if domain.kind == BALL:
        # (x - c)^2 is as wrong as x and c are rounded: 2 |x - c| (|x| + |c|) eps, not (x - c)^2 eps.
        coordinates = np.abs(x) + np.abs(domain.center)
        return float(np.dot(np.abs(x - domain.center), coordinates) + domain.radius[0] * (domain.radius[0] + size))
    return 1.0 + float(np.sum(np.abs(x))) if domain.kind == SIMPLEX else 0.0


@typed
def center(domain: Domain) -> Array:
    r"""The centre of the least $\ell_2$ ball that covers $\Theta$ (the origin for $\mathbb R^d$)."""
    if domain.kind == BOX:
        return (domain.low + domain.high) / 2
    if domain.kind == SIMPLEX:
        return domain.low + on(mass, domain.low)(domain.low) / dimension(domain)
    return domain.center.copy()


@typed
def radius(domain: Domain) -> Any:
    r"""The $\ell_2$ radius: of the least ball that covers $\Theta$; $\infty$ for $\mathbb R^d$.

    Box: $\|high - low\|/2$; simplex: $(1 - \sum_i low_i) \sqrt{(d - 1)/d}$.
    """
    if domain.kind == SPACE:
        return math.inf
    if domain.kind == BALL:
        return domain.radius[0]
    if domain.kind == BOX:
        side = domain.high - domain.low
        return np.sqrt(side @ side) / 2
    d, one = dimension(domain), domain.radius[0] * 0 + 1
    return on(mass, domain.low)(domain.low) * np.sqrt(one * (d - 1) / d)


@typed
def diameter(domain: Domain) -> Any:
    r"""$\sup_{x, y \in \Theta} \|x - y\|_2$; $\infty$ for $\mathbb R^d$. Simplex: $\sqrt 2 (1 - \sum_i low_i)$."""
    if domain.kind == SIMPLEX:
        root = np.sqrt(domain.radius[0] * 0 + 2) if dimension(domain) > 1 else domain.radius[0] * 0
        return on(mass, domain.low)(domain.low) * root
    return 2 * radius(domain)


@typed
def extreme_points(domain: Domain, limit: int = 64) -> list[Array]:
    r"""At most `limit` extreme points: vertices, for a ball $center \pm radius\, e_i$. ValueError for $\mathbb R^d$."""
    if domain.kind == SPACE:
        raise ValueError("domain must be bounded to have extreme points, got the whole space")
    check_count("limit", limit)
    return list(itertools.islice(_extremes(domain), limit))


def _extremes(domain: Domain) -> Any:
    d = dimension(domain)
    if domain.kind == BOX:
        for corner in itertools.product((False, True), repeat=d):
            yield np.where(corner, domain.high, domain.low)
        return
    signs = (1,) if domain.kind == SIMPLEX else (-1, 1)
    reach = domain.radius[0] if domain.kind == BALL else on(mass, domain.low)(domain.low)
    for i, sign in itertools.product(range(d), signs):
        point = (domain.center if domain.kind == BALL else domain.low).copy()
        point[i] += sign * reach
        yield point
