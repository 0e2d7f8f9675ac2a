r"""The minimum of linear and quadratic losses over a domain, in floats and certified, at one pass over the losses.

With $F = \sum_i \ell_i$ of linear and squared losses and ridges, $\rho = \sum_i r_i$ and the Hessian H,
$$F(y) = F(x) + \langle\nabla F(x), y - x\rangle + \tfrac12 (y - x)^\top H (y - x).$$
A linear F is least on a face or on the sphere, a quadratic one at one `mirror_step` from anywhere. At the point x that
is found, $F(y) \ge F(x) - \max_{y\in\Theta} \langle\nabla F(x), x - y\rangle$, or on $\mathbb R^d$ without squares
$F(y) \ge F(x) - \|\nabla F(x)\|_2^2 / (2\rho)$.

Every rounding on the way is bounded: a sum of n products, added in any order, is wrong by at most $n \varepsilon$ times
the magnitudes added, while $n \varepsilon < 1/2$ ($\varepsilon = 2^{-52}$ is twice the unit of rounding). Losses are
summed in blocks, so that n is that of a block and the number of blocks. An entry of H is wrong by at most
$n\varepsilon\sqrt{H_{jj} H_{ee}}$, since $\sum_i w_i |a_{ij} a_{ie}|$ is at most that root. Where $F(x)$ is so small
beside what was added that digits are missing, a second pass takes it at x.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import apart, borrowing, kernel, prefetch
from arubatheory.problems.domains import BOX, SIMPLEX, SPACE, Domain, linear_minimizer, mass, project, project_simplex
from arubatheory.problems.linear import dot, factor, times
from arubatheory.problems.losses import LINEAR, SQUARE, Losses
from arubatheory.problems.mirror import quadratic_step
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer
from arubatheory.problems.scalar import EPSILON, smaller

BLOCK = 192  # losses
ENOUGH = 1e-10  # of the value: what it may be wrong by after one pass


@apart
def add_block(
    L: Losses, start: int, stop: int, x: Array, unit: Any, A: Array, room: Array, H: Array, g: Array, size: Array
) -> Any:
    r"""Adds losses start, ..., stop - 1 at x to the Hessian H, to the gradient g and to size, the magnitudes behind g.
    Returns their value and the magnitudes behind it.

    `unit` is the relative error of a sum; what multiplies it bounds what each number is wrong by. A (d, BLOCK) and room
    (4, BLOCK) are written on, or narrower ones for fewer losses, A of two columns at least: a block is turned on its
    side, for loops over losses are made of vector instructions.
    """
    value, behind, d, n = 0.0, 0.0, x.shape[0], stop - start
    link, b, weight = L.link[start:stop], L.b[start:stop], L.weight[start:stop]
    z, rough, slope, noise = room[0], room[1], room[2], room[3]
    straight, bent, spread = 0.0, 0.0, 0.0
    _turn(n, L.a[start:stop], A)
    for k in range(n):
        z[k], rough[k] = -b[k], abs(b[k])
    for j in range(d):
        row, y = A[j], x[j]
        if y == 0:
            continue
        for k in range(n):
            z[k] += row[k] * y
            rough[k] += abs(row[k] * y)
    for k in range(n):
        w, q = weight[k], weight[k] if link[k] == SQUARE else 0.0
        slope[k], noise[k] = q * z[k] + (w - q), w - q
        value += (q * z[k] / 2 + (w - q)) * z[k]
        behind += 2 * q * rough[k] * (abs(z[k]) + unit * rough[k]) + (w - q) * rough[k]
        straight, bent, spread = straight + (w - q), bent + q, spread + q * rough[k] * rough[k]
        rough[k] = q
    _add_times(n, slope, A, g)
    for j in range(d if straight > 0 else 0):
        coarse, row = 0.0, A[j]
        for k in range(n):
            coarse += noise[k] * abs(row[k])
        size[j] += coarse
    if bent > 0:
        _add_squares(n, rough, A, room[2:], spread, H, size)
    v, w = _add_ridges(L.c[start:stop], L.ridge[start:stop], x, unit, A.reshape(A.size)[: 2 * d], H, g, size)
    return value + v, behind + w


@apart
def _turn(n: int, a: Array, A: Array) -> None:
    """Writes the n rows of a as columns of A, eight at a time; as many rows after them are asked for meanwhile."""
    d = A.shape[0]
    for i in range(0, n - 7, 8):
        for j in range(d):
            prefetch(a, (n + i) * d + 8 * j)
            for k in range(i, i + 8):
                A[j, k] = a[k, j]
    for k in range(n - n % 8, n):
        for j in range(d):
            A[j, k] = a[k, j]


@apart
def _add_times(n: int, w: Array, A: Array, g: Array) -> None:
    """Adds Aw to g, two rows at a time."""
    d = g.shape[0]
    for j in range(0, d, 2):
        i, one, two = min(j + 1, d - 1), 0.0, 0.0
        row, other = A[j], A[i]
        for k in range(n):
            one += w[k] * row[k]
            two += w[k] * other[k]
        g[j] += one
        if i > j:
            g[i] += two


@apart
def _add_squares(n: int, q: Array, A: Array, room: Array, spread: Any, H: Array, size: Array) -> None:
    r"""Adds $\sum_k q_k A_{jk} A_{ek}$ to H, two rows and two columns at a time: what is loaded is used twice. Equal
    weights are multiplied by once. room (2, n) is written on.

    What a gradient of squares adds up, $\sum_k 2 q_k u_k|A_{jk}|$, is at most twice the root of
    `spread` $= \sum_k q_k u_k^2$ times $\sum_k q_k A_{jk}^2$, which goes to size.
    """
    unequal, d = 0, H.shape[0]
    for k in range(n):
        unequal += (q[k] != q[0]) * 1
    factor = 1.0 if unequal > 0 else q[0]
    for j in range(0, d, 2):
        i, one, four = min(j + 1, d - 1), 0.0, 0.0
        left, under = A[j], A[i]
        if unequal > 0:
            for k in range(n):
                room[0, k], room[1, k] = q[k] * left[k], q[k] * under[k]
            left, under = room[0], room[1]
        for e in range(0, j + 1, 2):
            row, other = A[e], A[min(e + 1, d - 1)]
            one, two, three, four = 0.0, 0.0, 0.0, 0.0
            for k in range(n):
                one += left[k] * row[k]
                two += left[k] * other[k]
                three += under[k] * row[k]
                four += under[k] * other[k]
            H[j, e] += factor * one
            if e < j:
                H[j, e + 1] += factor * two
            if i > j:
                H[i, e] += factor * three
                H[i, e + 1] += factor * four
        size[j] += 2 * np.sqrt(spread * factor * one)
        if i > j:
            size[i] += 2 * np.sqrt(spread * factor * four)
    for j in range(d):
        for e in range(j):
            H[e, j] = H[j, e]


@apart
def _add_pair(c: Array, e: Array, x: Array, q: Any, r: Any, pull: Array, square: Array) -> None:
    """Adds q(x - c) + r(x - e) to `pull`, and to `square` the same of the squares, coordinate by coordinate."""
    for j in range(x.shape[0]):
        u, v = x[j] - c[j], x[j] - e[j]
        y, z = q * u, r * v
        pull[j], square[j] = pull[j] + (y + z), square[j] + (y * u + z * v)


@apart
def _add_ridges(c: Array, ridge: Array, x: Array, unit: Any, sums: Array, H: Array, g: Array, size: Array) -> Any:
    r"""What ridges add, as in `add_block`, two losses at a time; sums (2d,) is written on.

    A coordinate u of $x - c_k$ is wrong by a rounding of its own, so that the magnitude of $r_k u$ is $r_k|u|$, and the
    sum of these is at most $\sqrt{\sum_k r_k \sum_k r_k u^2}$.
    """
    value, bent, d, last = 0.0, ridge.sum(), x.shape[0], ridge.shape[0] - 1
    if not bent > 0:
        return value, value
    pull, square = sums[:d], sums[d:]
    sums[:] = 0.0
    for k in range(0, last + 1, 2):
        after = min(k + 1, last)
        _add_pair(c[k], c[after], x, ridge[k], ridge[after] if k < last else 0.0, pull, square)
    for j in range(d):
        value, size[j] = value + square[j], size[j] + 2 * np.sqrt(bent * square[j])
        g[j], H[j, j] = g[j] + pull[j], H[j, j] + bent
    return value / 2, 2 * (1 + unit) * value


@kernel
def _expand(L: Losses, x: Array, unit: Any, H: Array, g: Array, size: Array) -> Any:
    """`add_block`, of all losses."""
    value, behind, A, room = 0.0, 0.0, np.empty((x.size, BLOCK + 8)), np.empty((4, BLOCK + 8))
    for start in range(0, L.b.size, BLOCK):
        v, b = add_block(L, start, min(start + BLOCK, L.b.size), x, unit, A, room, H, g, size)
        value, behind = value + v, behind + b
    return value, behind


@kernel
def beside(H: Array, y: Array) -> Any:
    r"""$Hy$ and the magnitudes behind it: each $|H_{je}|$ is at most $\sqrt{H_{jj} H_{ee}}$."""
    roots = np.sqrt(np.diag(H))
    return times(H, y), roots * dot(roots, np.abs(y))


@kernel
def least_linear(domain: Domain, phi: Array, g: Array, noise: Array) -> Any:
    r"""The point of $\arg\min_{x\in\Theta} \langle g, x\rangle$, and whether it is the only one.

    Entries of g that differ by less than their noise are equal. A box keeps $\phi_j$ where $g_j$ is 0. [exact] on
    boxes and balls.
    """
    x, only = phi.copy(), True
    if domain.kind == BOX:
        for j in range(g.size):
            if abs(g[j]) > noise[j]:
                x[j] = domain.low[j] if g[j] > 0 else domain.high[j]
            elif domain.low[j] < domain.high[j]:
                only = False
        return x, only
    if domain.kind != SIMPLEX:
        only = bool(dot(g, g) > dot(noise, noise))
        return (linear_minimizer(domain, g) if only else x), only
    best = int(np.argmin(g))
    for j in range(g.size):
        only = only and (j == best or g[j] - g[best] > noise[j] + noise[best])
    return linear_minimizer(domain, g), only or mass(domain.low) <= 0


@kernel
def nearest_least(domain: Domain, phi: Array, g: Array) -> Array:
    r"""[exact] The point of $\arg\min_{x\in\Theta} \langle g, x\rangle$ next to $\phi$, on a bounded domain."""
    if domain.kind != SIMPLEX:
        return least_linear(domain, phi, g, 0 * g)[0]
    x, least, count, rest = phi.copy(), g[0], 0, mass(domain.low)
    for j in range(1, g.size):
        least = smaller(least, g[j])
    for j in range(g.size):
        count += g[j] == least
    # The face is a simplex of its own: scaled to mass 1, with no floor, it is projected onto and scaled back.
    face = np.empty_like(phi[:count])
    k = 0
    for j in range(g.size):
        x[j] = domain.low[j]
        if g[j] == least:
            face[k] = (phi[j] - domain.low[j]) / rest if rest > 0 else 0 * rest
            k += 1
    face = project_simplex(0 * face, face)
    k = 0
    for j in range(g.size):
        if g[j] == least:
            x[j] = x[j] + rest * face[k]
            k += 1
    return x


@kernel
def _slack(domain: Domain, x: Array, g: Array, noise: Array) -> Any:
    r"""At least $\max_{y\in\Theta} \langle h, x - y\rangle$ over a bounded domain for all h within `noise` of g."""
    y, rest = linear_minimizer(domain, g), mass(domain.low) if domain.kind == SIMPLEX else domain.radius[0]
    width = domain.high - domain.low if domain.kind == BOX else 2 * rest + 0 * x
    gap = max(dot(g, x - y) + dot(noise, width + np.abs(x - y)), 0.0)
    return gap + 4 * (x.size + 4) * EPSILON * dot(np.abs(g), np.abs(x) + np.abs(y) + np.abs(domain.center) + rest)


@borrowing
def _census(L: Losses) -> Any:
    """How many losses are squares, how many neither squares nor linear, and the sum of the ridges."""
    squares, others, ridge = 0, 0, 0.0
    for i in range(L.link.shape[0]):
        bent = (L.weight[i] > 0) * (L.link[i] != LINEAR) * 1
        square = bent * (L.link[i] == SQUARE)
        squares, others, ridge = squares + square, others + bent - square, ridge + L.ridge[i]
    return squares, others, ridge


@kernel
def least_quadratic(L: Losses, domain: Domain, R: Regularizer, phi: Array) -> Any:
    r"""Whether this is a closed form, and if so x, $F(x)$ and a certified lower bound of $\min_\Theta F$; in floats.

    It is none for other losses, where a tie is for R to break and R is not Euclidean, where no minimum exists or the
    Hessian is too close to singular for its factors to show that it is not, and for squares on $\mathbb R^d$.
    """
    m, d = L.a.shape
    unit = (min(m, BLOCK) + m // BLOCK + d + 12) * EPSILON
    x, g, size, H, none = phi.copy(), np.zeros(d), np.zeros(d), np.zeros((d, d)), (False, phi.copy(), 0.0, 0.0)
    squares, others, ridge = _census(L)
    flat = squares == 0 and not ridge > 0
    if others > 0 or unit > 1e-6 or (domain.kind == SPACE and (squares > 0 or flat)):
        return none
    # what is no further from 0 than the domain is wide is taken at 0, which costs nothing to multiply by
    width = mass(domain.low) if domain.kind == SIMPLEX else domain.radius[0]
    near = np.where(np.abs(phi) <= np.maximum(width, domain.high - domain.low), 0 * phi, phi)
    value, behind = _expand(L, near, unit, H, g, size)
    if flat:
        x, only = least_linear(domain, phi, g, unit * size)
        if not only and (R.kind != EUCLIDEAN or domain.kind == SIMPLEX):
            return none
    elif squares > 0:
        if not np.all(np.diag(factor(H)) > 8 * d * (m + d) * EPSILON * np.diag(H)):
            return none
        x = quadratic_step(H, domain, near, g)
    else:
        x = project(domain, near - g / ridge)
    y, way = x - near, np.abs(x - near)
    bent, rough = beside(H, y)
    value, behind = value + dot(g, y) + dot(y, bent) / 2, behind + dot(size, way) + dot(rough, way) / 2
    g, size = g + bent, size + rough
    if not flat and unit * behind > ENOUGH * abs(value):
        g, size = np.zeros(d), np.zeros(d)
        value, behind = _expand(L, x, unit, H, g, size)
    far, bounded = np.abs(g) + unit * size, domain.kind != SPACE
    gap = _slack(domain, x, g, unit * size) if bounded else dot(far, far) / (2 * ridge) * (1 + 2 * unit)
    lower = value - (unit * behind + gap) * (1 + 8 * EPSILON)
    lower -= 4 * EPSILON * (abs(lower) + abs(value))
    return np.isfinite(lower) and np.isfinite(x.sum()), x, value, lower
