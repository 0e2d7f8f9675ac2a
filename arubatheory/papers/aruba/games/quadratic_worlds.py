r"""Environments for prp:quadraticgrowth: Q and each P finite, so that every expectation in it is a finite sum.

| world | losses | Q and m |
|---|---|---|
| `tables` | on a box, sums over coordinates of functions that are linear between knots, convex or not | m <= 5 |
| `quadratics` | $\sum_j \frac{\kappa_j}2 (x_j - c_j)^2$ on a box that holds every c | any m |
| `flats` | on an interval, convex, of integer knots and slopes: minima are intervals | m <= 4, or P is one loss |
| `creases` | in $\mathbb R^3$: minima are segments that turn with the sample (below) | any even m |

An atom of P is drawn m times with positive probability, so an almost sure property of averages is one of the atoms: G
and $\alpha$ are taken over $\ell_P$ and all averages that occur. Linear between knots, $f - \frac\alpha2|x - x^\ast|^2$
is concave on each piece, so the QG constant is attained at a knot.

Creases. $g^\ast(p,q) = \frac12(p^2+\|q\|^2) + \max_j\langle u_j + p v_j, q\rangle$, $p\in\mathbb R$, $q\in\mathbb R^2$,
$\|v_j\| \le \frac12$, is $\frac12$-strongly convex, since $|p\langle v_j,q\rangle| \le \frac14(p^2+\|q\|^2)$; so its
conjugate g is convex and 2-smooth. The losses are $g(x,y) \mp x + \frac12 \ge 0$, the average of m of them is
$g - px + \frac12$ with p the mean sign, and its minimisers are $\partial g^\ast(p,0) = \{p\}\times\mathrm{Conv}
\{u_j+pv_j\}$. From $g^\ast(p+p',q) \le g^\ast(p,0) + pp' + \max_j\langle u_j+pv_j,q\rangle +
\frac34(p'^2+\|q\|^2)$ it is $\frac23$-QG. On the ball of radius 5/4 about 0, which holds all minimisers for $|p|\le1$
and $\phi_R = (0,0,-\frac54)$, gradients are at most $1 + 2(\frac54+\frac1{16}) = \frac{29}8$.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import larger, smaller
from arubatheory.statements.core import Assumption, Instance

ATOMS, MAX_TASKS, MAX_SAMPLES, MAX_FLAT_SAMPLES, MAX_OCTAVES = 3, 3, 5, 4, 32
TABLES, QUADRATICS = range(2)
FLATS, CREASES = range(2)
LARGEST_CREASE = 16


class Compared(NamedTuple):
    r"""$m$, $G^2$, $\alpha$, $V^2$, $\hat V_m^2$, $E(\ell_P(\hat\theta_m) - \ell_P(\theta_P^\ast))$,
    $E\|\hat\theta_m - \theta_P^\ast\|^2$, $E\|\hat\theta_m - \phi^\ast\|^2$, $E\|\theta_P^\ast - \phi_m^\ast\|^2$."""

    m: Any
    G2: Any
    alpha: Any
    V2: Any
    Vh2: Any
    excess: Any
    apart: Any
    at_true: Any
    at_empirical: Any


@functools.cache
def samples(m: int) -> tuple[Array, Array]:
    r"""How often each of three atoms is among m draws (N, 3), and in how many orders (N,)."""
    counts = [(a, b, m - a - b) for a in range(m + 1) for b in range(m - a + 1)]
    orders = [math.factorial(m) // math.prod(map(math.factorial, c)) for c in counts]
    return np.array(counts, np.int64), np.array(orders, np.int64)


@kernel
def chances(prob: Array, counts: Array, orders: Array) -> Array:
    r"""[exact] The probability of each sample (K, N) from those of the atoms (K, 3)."""
    out = np.empty((prob.shape[0], counts.shape[0]), prob.dtype)
    for k in range(prob.shape[0]):
        for s in range(counts.shape[0]):
            out[k, s] = prob[k, 0] - prob[k, 0] + orders[s]
            for a in range(prob.shape[1]):
                for _ in range(counts[s, a]):
                    out[k, s] = out[k, s] * prob[k, a]
    return out


@kernel
def tabulated(f: Array, j: int, weights: Array) -> Array:
    r"""[exact] The weighted sum of the atoms' functions of coordinate j, f (3, d, n), at the knots (n,)."""
    out = f[0, j] * weights[0]
    for a in range(1, f.shape[0]):
        out = out + f[a, j] * weights[a]
    return out


@kernel
def leader_at(knots: Array, F: Array) -> Any:
    r"""[exact] Of a function F (n,), linear between `knots`: where it is least (the first such knot), and its QG
    constant about it, 0 if there is another."""
    best = 0
    for n in range(1, F.size):
        if F[n] < F[best]:
            best = n
    alpha, first = F[0] - F[0], True
    for n in range(F.size):
        if n != best:
            gap = knots[n] - knots[best]
            a = 2 * (F[n] - F[best]) / (gap * gap)
            alpha, first = (a if first else smaller(alpha, a)), False
    return best, alpha


@kernel
def steepest(knots: Array, F: Array) -> Any:
    r"""[exact] The largest slope in magnitude, squared."""
    top = F[0] - F[0]
    for n in range(1, F.size):
        top = larger(top, abs((F[n] - F[n - 1]) / (knots[n] - knots[n - 1])))
    return top * top


@kernel
def measured_tables(knots: Array, values: Array, prob: Array, q: Array, counts: Array, chance: Array, m: int) -> Any:
    r"""[exact] $\theta_P^\ast$ (K, d), $\hat\theta_m$ (K, N, d), excess (K, N), $G^2$ and $\alpha$ for `knots` (d, n),
    `values` (K, 3, d, n)."""
    K, d, N = values.shape[0], knots.shape[0], counts.shape[0]
    zero = knots[0, 0] - knots[0, 0]
    star, hat = np.empty((K, d), knots.dtype), np.empty((K, N, d), knots.dtype)
    excess = np.empty((K, N), knots.dtype)
    G2, alpha, none = zero, zero, True
    weights = prob[0] - prob[0]
    for k in range(K):
        for s in range(-1, N):
            if s >= 0:
                hat[k, s], excess[k, s] = knots[:, 0], zero
            else:
                star[k] = knots[:, 0]
            if q[k] == 0 or (s >= 0 and chance[k, s] == 0):  # does not occur, and does not count
                continue
            for a in range(3):
                weights[a] = prob[k, a] if s < 0 else (zero + counts[s, a]) / m
            square, lost = zero, zero
            for j in range(d):
                F = tabulated(values[k], j, weights)
                best, grows = leader_at(knots[j], F)
                alpha, none = (grows if none else smaller(alpha, grows)), False
                square = square + steepest(knots[j], F)
                if s < 0:
                    star[k, j] = knots[j, best]
                else:
                    hat[k, s, j] = knots[j, best]
                    P = tabulated(values[k], j, prob[k])
                    lost = lost + P[best] - P[leader_at(knots[j], P)[0]]
            G2 = larger(G2, square)
            if s >= 0:
                excess[k, s] = lost
    return star, hat, excess, G2, alpha


@kernel
def moments(star: Array, hat: Array, excess: Array, chance: Array, q: Array) -> Any:
    r"""[exact] $V^2$, $\hat V_m^2$ and the other expectations of `Compared`, in its order."""
    K, N, d = hat.shape
    zero = star[0, 0] - star[0, 0]
    true, empirical = star[0] - star[0], star[0] - star[0]
    for k in range(K):
        true = true + q[k] * star[k]
        for s in range(N):
            empirical = empirical + q[k] * chance[k, s] * hat[k, s]
    out = np.empty(6, star.dtype)
    for i in range(6):
        out[i] = zero
    for k in range(K):
        for j in range(d):
            out[0] += q[k] * (star[k, j] - true[j]) * (star[k, j] - true[j])
            out[5] += q[k] * (star[k, j] - empirical[j]) * (star[k, j] - empirical[j])
        for s in range(N):
            w = q[k] * chance[k, s]
            out[2] += w * excess[k, s]
            for j in range(d):
                out[1] += w * (hat[k, s, j] - empirical[j]) * (hat[k, s, j] - empirical[j])
                out[3] += w * (hat[k, s, j] - star[k, j]) * (hat[k, s, j] - star[k, j])
                out[4] += w * (hat[k, s, j] - true[j]) * (hat[k, s, j] - true[j])
    return out


@kernel
def flat_minimum(knots: Array, slopes: Array) -> Any:
    r"""[exact] Of a convex function by its `slopes` (n - 1,) between `knots` (n,): the ends of its set of minimisers,
    $1/\alpha$ with respect to that set (0 where it is the whole domain), and its largest slope in magnitude."""
    n = slopes.size
    first, last = 0, n
    while first < n and slopes[first] < 0:
        first += 1
    while last > 0 and slopes[last - 1] > 0:
        last -= 1
    worst, value = slopes[0] - slopes[0], slopes[0] - slopes[0]
    for i in range(last, n):
        value = value + slopes[i] * (knots[i + 1] - knots[i])
        gap = knots[i + 1] - knots[last]
        worst = larger(worst, gap * gap / (2 * value))
    value = value - value
    for i in range(first - 1, -1, -1):
        value = value - slopes[i] * (knots[i + 1] - knots[i])
        gap = knots[first] - knots[i]
        worst = larger(worst, gap * gap / (2 * value))
    return knots[first], knots[last], worst, larger(abs(slopes[0]), abs(slopes[n - 1]))


@kernel
def measured_flats(
    knots: Array, slopes: Array, weights: Array, counts: Array, pick: Array, phi: Any, broken: bool
) -> Any:
    r"""[exact] $\theta_P^\ast$ (K, 1), $\hat\theta_m$ (K, N, 1), G and $1/\alpha$ for `slopes` (K, 3, n - 1) of the
    atoms, drawn with the integer `weights` (K, 3). Of several minimisers the one nearest to `phi` if ties are `broken`
    so, else the one at `pick` (K, N + 1) of the interval."""
    K, N = slopes.shape[0], counts.shape[0]
    star, hat = np.empty((K, 1), knots.dtype), np.empty((K, N, 1), knots.dtype)
    G, inverse = knots[0] - knots[0], knots[0] - knots[0]
    for k in range(K):
        for s in range(-1, N):
            rows, mass = slopes[k, 0] - slopes[k, 0], 0
            occurs = True
            for a in range(3):
                times = weights[k, a] if s < 0 else counts[s, a]
                rows, mass = rows + slopes[k, a] * times, mass + times
                occurs = occurs and (times == 0 or weights[k, a] > 0)
            low, high, grown, top = flat_minimum(knots, rows)
            x = smaller(larger(phi, low), high) if broken else low + pick[k, s + 1] * (high - low)
            if s < 0:
                star[k, 0] = x
            else:
                hat[k, s, 0] = x
            if occurs:
                G, inverse = larger(G, top / mass), larger(inverse, grown * mass)
    return star, hat, G, inverse


UNIQUE = ("c", "low", "high", "kappa", "knots", "values")
FLAT = ("knots", "slopes", "weights", "drawn", "pick", "phi", "s")


def _world(code: int, names: tuple[str, ...], **parts: Any) -> Instance:
    """An instance with these parts, 0 for those that its world does not have: a witness is read by its names."""
    return Instance(world=code, **(dict.fromkeys(names, 0) | parts))


def _mixture(draw: Draw, K: int) -> Array:
    """Probabilities of three atoms for each of K tasks, of fewer than three atoms too."""
    rows = []
    for _ in range(K):
        n = draw.integer(1, ATOMS)
        rows.append(draw.array([*draw.simplex(n), *([0] * (ATOMS - n))]))
    return np.stack(rows)


def unique_world(draw: Draw) -> Instance:
    r"""Tables or quadratics; where an average has two minimisers at knots, its $\alpha$ is 0."""
    K, d = draw.integer(1, MAX_TASKS), draw.integer(1, 2)
    world = draw.integer(0, 1)
    prob, q = _mixture(draw, K), draw.simplex(K)
    return (_quadratics if world == QUADRATICS else _tables)(draw, K, d, prob, q)


def _tables(draw: Draw, K: int, d: int, prob: Array, q: Array) -> Instance:
    n, m = draw.integer(2, 5), draw.integer(1, MAX_SAMPLES)
    gaps = draw.array([draw.number(1)] * (d * (n - 1))) if draw.boolean() else draw.positive(-4, 4, d * (n - 1))
    low, unit = draw.real(-2, 2, d), draw.positive()
    knots = np.stack([_running(draw, low[j] * n, gaps[j * (n - 1) : (j + 1) * (n - 1)]) for j in range(d)]) * unit
    width = abs(knots[:, -1] - knots[:, 0]).max()
    rough, sharp, bent = draw.integer(0, 1) * draw.unit(), draw.unit(), draw.unit()
    centres, free = draw.unit((K, ATOMS, d)), draw.unit((K, ATOMS, d, n))
    steep = draw.positive(-4, 4, (K, ATOMS)) if draw.boolean() else draw.array([1] * (K * ATOMS)).reshape(K, ATOMS)
    values = np.empty((K, ATOMS, d, n), knots.dtype)
    for k in range(K):
        for a in range(ATOMS):
            for j in range(d):
                x = (knots[j] - knots[j, 0] - centres[k, a, j] * (knots[j, -1] - knots[j, 0])) / width
                values[k, a, j] = steep[k, a] * (sharp * abs(x) + bent * x * x + rough * free[k, a, j])
    return _world(TABLES, UNIQUE, knots=knots, values=values * draw.positive(), prob=prob, q=q, m=m)


def _running(draw: Draw, start: Any, gaps: Array) -> Array:
    points = [start]
    for g in gaps:
        points.append(points[-1] + g)
    return draw.array(points)


def _quadratics(draw: Draw, K: int, d: int, prob: Array, q: Array) -> Instance:
    half = draw.positive(-4, 4, d) * draw.positive()
    centre = draw.real(-2, 2, d) * half
    points = draw.real(-1, 1, (K, ATOMS, d)) if draw.boolean() else np.asarray(_corners(draw, K, d))
    m = draw.integer(1, 8) if draw.boolean() else 2 ** draw.integer(0, MAX_OCTAVES)
    kappa = draw.positive() * draw.positive(-2, 2, d)
    return _world(
        QUADRATICS,
        UNIQUE,
        c=centre + points * half,
        low=centre - half,
        high=centre + half,
        kappa=kappa,
        prob=prob,
        q=q,
        m=m,
    )


def _corners(draw: Draw, K: int, d: int) -> Array:
    return draw.array([draw.integer(-1, 1) for _ in range(K * ATOMS * d)]).reshape(K, ATOMS, d)


def compare(x: Instance) -> Compared:
    """Every quantity of the proposition and its proof, in an environment with unique minimisers."""
    return _compare_quadratics(x) if x.world == QUADRATICS else _compare_tables(x)


def _compare_tables(x: Instance) -> Compared:
    counts, orders = samples(x.m)
    chance = on(chances, x.prob)(x.prob, counts, orders)
    star, hat, excess, G2, alpha = on(measured_tables, x.q)(x.knots, x.values, x.prob, x.q, counts, chance, x.m)
    return Compared(x.m, G2, alpha, *on(moments, x.q)(star, hat, excess, chance, x.q))


def _compare_quadratics(x: Instance) -> Compared:
    r"""$\hat\theta_m$ is the mean of the sampled centres: unbiased, of variance $\mathrm{Var}(c)/m$."""
    star = (x.prob[:, :, None] * x.c).sum(axis=1)
    deviations = x.c - star[:, None, :]
    variance = (x.q[:, None] * (x.prob[:, :, None] * deviations * deviations).sum(axis=1)).sum(axis=0) / x.m
    away = star - (x.q[:, None] * star).sum(axis=0)
    V2, apart = (x.q[:, None] * away * away).sum(), variance.sum()
    occurs = (x.prob > 0) & (x.q[:, None] > 0)
    far = np.maximum(abs(x.c - x.low), abs(x.high - x.c)) * x.kappa
    G2 = (far * far).sum(axis=2)[occurs].max()
    excess = (x.kappa * variance).sum() / 2
    return Compared(x.m, G2, x.kappa.min(), V2, V2 + apart, excess, apart, V2 + apart, V2)


def flat_world(draw: Draw) -> Instance:
    r"""Convex losses on an interval of integer knots, and how ties are broken: `pick`, or `phi` of the interval. Some
    tasks have one loss only: then m draws are like one (`drawn`), and m is as large as one likes."""
    K, n, noisy = draw.integer(1, 2), draw.integer(1, 4), draw.boolean()
    drawn = draw.integer(1, MAX_FLAT_SAMPLES) if noisy else 1
    knots = _running(draw, draw.number(draw.integer(-4, 4)), draw.array([draw.integer(1, 4) for _ in range(n)]))
    slopes, top = np.empty((K, ATOMS, n), knots.dtype), draw.integer(0, 3)
    for k in range(K):
        for a in range(ATOMS):
            slopes[k, a] = draw.array(sorted(draw.integer(-top, top) for _ in range(n)))
    weights = np.array([[draw.integer(0, 3) for _ in range(ATOMS)] for _ in range(K)], np.int64)
    weights[:, 1:] *= noisy
    weights[:, 0] += weights.sum(axis=1) == 0
    pick, place = draw.unit((K, len(samples(drawn)[0]) + 1)), draw.unit()
    return _world(
        FLATS,
        FLAT,
        knots=knots,
        slopes=slopes,
        weights=weights,
        q=draw.simplex(K),
        drawn=drawn,
        pick=pick,
        m=drawn if noisy else 4 ** draw.integer(0, MAX_OCTAVES // 2),
        phi=knots[0] + place * (knots[-1] - knots[0]),
    )


def compare_flats(x: Instance, broken: bool) -> Compared:
    r"""The same on `flats`; where every average is flat all over, any $\alpha$ will do, and 1 is taken. What only
    the proof speaks of is left at 0."""
    counts, orders = samples(x.drawn)
    weights = x.weights + 0 * x.knots[0]
    chance = on(chances, x.q)(weights / weights.sum(axis=1)[:, None], counts, orders)
    star, hat, G, inverse = on(measured_flats, x.q)(x.knots, x.slopes, x.weights, counts, x.pick, x.phi, broken)
    V2, Vh2, *_ = on(moments, x.q)(star, hat, 0 * chance, chance, x.q)
    zero = 0 * G
    alpha = 1 / inverse if inverse > 0 else zero + 1
    return Compared(x.m, G * G, alpha, V2, Vh2, zero, zero, zero, zero)


KINDS = Assumption(r"\mathcal P^m\ \text{is a distribution}", lambda x: min(x.m - 1, x.q.min()))


def turning_crease(draw: Draw) -> Instance:
    r"""One task, $u = (\pm s, 0)$, $v = (0, \pm\frac12)$: the segment turns about its middle, and its point nearest to
    $\phi_R$ is an end for $|p| \ge 3s^2$, since $\frac58|p| \ge s^2 + \frac14p^2$ there. $s = 2^{-j}$,
    $m = 4^{2j-3}$."""
    j = draw.integer(4, LARGEST_CREASE)
    return _world(CREASES, FLAT, s=draw.number(1, 2**j), m=4 ** (2 * j - 3), q=draw.array([1]))


def bent_crease(draw: Draw) -> Instance:
    r"""Two tasks, $u = (0, w), (s, 0), (0, w)$, $v = (0, \frac12), 0, (0, -\frac12)$, $w = \frac45s^2$: the nearest
    point is $(s, 0)$ at p = 0 and $(0, w - \frac12|p|)$ for $|p| \ge 2w$. One task has mean 0; the other is the single
    loss $g - 2wx + \frac12$. $s = 2^{-j}$, $m = 4^{2j-4}$."""
    j = draw.integer(5, LARGEST_CREASE)
    half = draw.number(1, 2)
    return _world(CREASES, FLAT, s=draw.number(1, 2**j), m=4 ** (2 * j - 4), q=draw.array([half, half]))


def compare_turning(x: Instance) -> Compared:
    r"""V = 0, and at most $\hat V_m^2$: by symmetry the mean is 0, so $\hat V_m^2 \ge s^2P(|p| \ge 3s^2)$, and
    $P(p^2 \ge \frac9{64m}) \ge \frac13(1-\frac9{64})^2$ by Paley and Zygmund, for $Ep^2 = \frac1m$,
    $Ep^4 \le \frac3{m^2}$."""
    zero = x.s - x.s
    return _crease(x, zero, x.s * x.s * (55 * 55) / (3 * 64 * 64))


def compare_bent(x: Instance) -> Compared:
    r"""$V^2$, and at least $\hat V_m^2$: half of $E\|\hat\theta - \theta_2^\ast\|^2$ in the first task, where the first
    coordinate is p, the second at most s and 0 for $|p| \ge 2w$, the third at most w or $\frac12|p|$. The probability
    that $|p| < 2w$ is at most that of so many values, $2w\sqrt m + m^{-1/2}$, each of at most $m^{-1/2}$."""
    square, root_m = x.s * x.s, math.isqrt(x.m)
    bend = square * 4 / 5
    true = (square + 4 * bend * bend) / 4
    unlucky = 2 * bend * root_m + x.s / x.s / root_m
    spread = (x.s / x.s) * 5 / (4 * x.m) + 5 * bend * bend + square * unlucky
    return _crease(x, true, spread / 2)


def _crease(x: Instance, V2: Any, Vh2: Any) -> Compared:
    zero, one = x.s - x.s, x.s / x.s
    G, alpha = one * 29 / 8, one * 2 / 3
    return Compared(x.m, G * G, alpha, V2, Vh2, zero, zero, zero, zero)
