r"""Environments for prp:quadraticgrowth: Q and each P finite, so that every expectation in it is a finite sum.

| world | losses | Q and m |
|---|---|---|
| `tables` | on a box, sums over coordinates of functions that are linear between knots, convex or not | m <= 12 |
| `quadratics` | $\sum_j \frac{\kappa_j}2 (x_j - c_j)^2$ on a box that holds every c | any m |
| `flats` | on an interval, convex, of integer knots and slopes: minima are intervals | m <= 12, or P is one loss |
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
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import larger, smaller
from arubatheory.statements.core import Instance
from arubatheory.statements.games import MOST_D

ATOMS, LISTED, MAX_OCTAVES = 3, 12, 32  # of 12 draws of three atoms there are 91 samples, all of which are listed
TABLES, QUADRATICS = range(2)
FLATS, CREASES = range(2)
LARGEST_CREASE = 64  # m = 4^125, in closed forms


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


def chances(prob: Array, m: int) -> Array:
    r"""The probability of each sample (K, N) from those of the atoms (K, 3)."""
    counts, orders = samples(m)
    return orders * (prob[:, None, :] ** counts).prod(axis=2)


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
def measured_tables(knots: Array, values: Array, weights: Array, occurs: Array) -> Any:
    r"""[exact] The minimisers (K, N, d) of averages with these `weights` (K, N, 3), those of the tasks first, their
    excess (K, N), and $G^2$ and $\alpha$ of those that occur, for `knots` (d, n), `values` (K, 3, d, n)."""
    (K, N, _), d = weights.shape, knots.shape[0]
    zero = knots[0, 0] - knots[0, 0]
    at, excess = np.empty((K, N, d), knots.dtype), np.empty((K, N), knots.dtype)
    G2, alpha, none = zero, zero, True
    for k in range(K):
        for s in range(N):
            at[k, s], excess[k, s], square = knots[:, 0], zero, zero
            if not occurs[k, s]:
                continue
            for j in range(d):
                F, P = tabulated(values[k], j, weights[k, s]), tabulated(values[k], j, weights[k, 0])
                best, grows = leader_at(knots[j], F)
                alpha, none = (grows if none else smaller(alpha, grows)), False
                square = square + steepest(knots[j], F)
                at[k, s, j] = knots[j, best]
                excess[k, s] = excess[k, s] + (P[best] - P[leader_at(knots[j], P)[0]])
            G2 = larger(G2, square)
    return at, excess, G2, alpha


def _compared(x: Instance, G2: Any, alpha: Any, at: Array, excess: Array, chance: Array) -> Compared:
    r"""From the minimisers `at` (K, 1 + N, d) of tasks and samples, and the samples' excess (K, N)."""
    star, hat, weights = at[:, 0], at[:, 1:], x.q[:, None] * chance
    true, empirical = (x.q[:, None] * star).sum(axis=0), (weights[:, :, None] * hat).sum(axis=(0, 1))

    def square(chances: Array, away: Array) -> Any:
        return (chances[..., None] * away * away).sum()

    V2, Vh2 = square(x.q, star - true), square(weights, hat - empirical)
    apart, at_true = square(weights, hat - star[:, None]), square(weights, hat - true)
    lost = (weights * excess).sum()
    return Compared(x.m, G2, alpha, V2, Vh2, lost, apart, at_true, square(x.q, star - empirical))


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
    knots: Array, slopes: Array, weights: Array, occurs: Array, pick: Array, phi: Any, broken: bool
) -> Any:
    r"""[exact] The minimisers (K, N, 1) of averages with these integer `weights` (K, N, 3), and G and $1/\alpha$ of
    those that occur, for `slopes` (K, 3, n - 1) of the atoms. Of several minimisers the one nearest to `phi` if ties
    are `broken` so, else the one at `pick` (K, N) of the interval."""
    K, N, _ = weights.shape
    at = np.empty((K, N, 1), knots.dtype)
    G, inverse = knots[0] - knots[0], knots[0] - knots[0]
    for k in range(K):
        for s in range(N):
            rows, mass = slopes[k, 0] - slopes[k, 0], 0
            for a in range(3):
                rows, mass = rows + slopes[k, a] * weights[k, s, a], mass + weights[k, s, a]
            low, high, grown, top = flat_minimum(knots, rows)
            at[k, s, 0] = smaller(larger(phi, low), high) if broken else low + pick[k, s] * (high - low)
            if occurs[k, s]:
                G, inverse = larger(G, top / mass), larger(inverse, grown * mass)
    return at, G, inverse


def with_tasks(tasks: Array, draws: Array) -> Array:
    r"""The weights (K, 1 + N, 3) of the atoms in the tasks (K, 3) and then in the samples (N, 3)."""
    samples = np.broadcast_to(draws, (len(tasks), *draws.shape))
    return np.concatenate([tasks[:, None], samples], axis=1)


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
    K, d = draw.size("T", 3, MOST_D), draw.size("d", 2, MOST_D)
    world = draw.integer(0, 1)
    prob, q = _mixture(draw, K), draw.simplex(K)
    parts = (_quadratics if world == QUADRATICS else _tables)(draw, K, d)
    return _world(world, UNIQUE, prob=prob, q=q, **parts)


def _tables(draw: Draw, K: int, d: int) -> dict[str, Any]:
    n, m = draw.size("knots", 5, MOST_D, least=2), draw.size("m", 5, LISTED)
    gaps = draw.array([draw.number(1)] * (d * (n - 1))) if draw.boolean() else draw.positive(-4, 4, d * (n - 1))
    low, unit = draw.real(-2, 2, d), draw.positive()
    knots = np.stack([_running(draw, low[j] * n, gaps[j * (n - 1) : (j + 1) * (n - 1)]) for j in range(d)]) * unit
    span = knots[:, -1] - knots[:, 0]
    rough, sharp, bent = draw.integer(0, 1) * draw.unit(), draw.unit(), draw.unit()
    centres, free = draw.unit((K, ATOMS, d)), draw.unit((K, ATOMS, d, n))
    steep = draw.positive(-4, 4, (K, ATOMS)) if draw.boolean() else draw.array([1] * (K * ATOMS)).reshape(K, ATOMS)
    x = (knots - knots[:, :1] - (centres * span)[..., None]) / abs(span).max()
    values = steep[:, :, None, None] * (sharp * abs(x) + bent * x * x + rough * free)
    return {"knots": knots, "values": values * draw.positive(), "m": m}


def _running(draw: Draw, start: Any, gaps: Array) -> Array:
    return draw.array(list(accumulate(gaps, initial=start)))


def _quadratics(draw: Draw, K: int, d: int) -> dict[str, Any]:
    half = draw.positive(-4, 4, d) * draw.positive()
    centre = draw.real(-2, 2, d) * half
    if draw.boolean():
        points = draw.real(-1, 1, (K, ATOMS, d))
    else:
        points = draw.array([draw.integer(-1, 1) for _ in range(K * ATOMS * d)]).reshape(K, ATOMS, d)
    m = draw.size("m", 8) if draw.boolean() else 2 ** draw.integer(0, MAX_OCTAVES)
    kappa = draw.positive() * draw.positive(-2, 2, d)
    return {"c": centre + points * half, "low": centre - half, "high": centre + half, "kappa": kappa, "m": m}


def compare(x: Instance) -> Compared:
    """Every quantity of the proposition and its proof, in an environment with unique minimisers."""
    return _compare_quadratics(x) if x.world == QUADRATICS else _compare_tables(x)


def _compare_tables(x: Instance) -> Compared:
    chance, tasks = chances(x.prob, x.m), x.q[:, None] > 0
    weights = with_tasks(x.prob, (samples(x.m)[0] + 0 * x.q[0]) / x.m)
    occurs = np.concatenate([tasks, tasks & (chance > 0)], axis=1)
    at, excess, G2, alpha = on(measured_tables, x.q)(x.knots, x.values, weights, occurs)
    return _compared(x, G2, alpha, at, excess[:, 1:], chance)


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
    K, n, noisy = draw.size("T", 2, MOST_D), draw.size("knots", 4, MOST_D), draw.boolean()
    drawn = draw.size("m", 4, LISTED) if noisy else 1
    knots = _running(draw, draw.number(draw.integer(-4, 4)), draw.array([draw.integer(1, 4) for _ in range(n)]))
    slopes, top = np.empty((K, ATOMS, n), knots.dtype), draw.integer(0, 3)
    for k in range(K):
        for a in range(ATOMS):
            slopes[k, a] = draw.array(sorted(draw.integer(-top, top) for _ in range(n)))
    weights = np.array([[draw.integer(0, 3) for _ in range(ATOMS)] for _ in range(K)], np.int64)
    weights[:, 1:] *= noisy
    weights[:, 0] += weights.sum(axis=1) == 0
    pick, place = draw.unit((K, len(samples(drawn)[0]) + 1)), draw.unit()
    q, phi = draw.simplex(K), knots[0] + place * (knots[-1] - knots[0])
    m = drawn if noisy else 4 ** draw.integer(0, MAX_OCTAVES // 2)
    return _world(FLATS, FLAT, knots=knots, slopes=slopes, weights=weights, q=q, drawn=drawn, pick=pick, m=m, phi=phi)


def compare_flats(x: Instance, broken: bool) -> Compared:
    r"""The same on `flats`, without the excess; where every average is flat all over, any $\alpha$ will do, and 1 is
    taken."""
    weights = with_tasks(x.weights, samples(x.drawn)[0])
    occurs = ((weights == 0) | (x.weights[:, None] > 0)).all(axis=2)
    at, G, inverse = on(measured_flats, x.q)(x.knots, x.slopes, weights, occurs, x.pick, x.phi, broken)
    tasks = x.weights + 0 * x.knots[0]
    chance = chances(tasks / tasks.sum(axis=1)[:, None], x.drawn)
    alpha = 1 / inverse if inverse > 0 else 0 * G + 1
    return _compared(x, G * G, alpha, at, 0 * chance, chance)


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
