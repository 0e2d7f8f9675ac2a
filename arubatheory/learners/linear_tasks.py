r"""Tasks of linear losses on a ball in the Euclidean geometry: what `meta` asks of them, in closed form.

For $\ell_{t,i}(x) = w_i(\langle a_i, x\rangle - b_i)$ on $\{\|x - c\|_2 \le r\}$
$$\sigma_t^2 = \sum_i w_i^2\|a_i\|_2^2, \qquad \theta_t^\ast = c - r\,\frac{g_t}{\|g_t\|_2}, \ g_t = \sum_i w_i a_i$$
($\theta_t^\ast = c$ for $g_t = 0$: the point next to the centre), and OMD plays $\theta_i = c + k_i s_i$ with
$k_i = \min(1, r/\|s_i\|_2)$ and $s_{i+1} = s_i - \eta w_i a_i$ as in `mirror_descent`. A round adds
$w_i(k_i\langle a_i, s_i\rangle + \langle a_i, c - \theta^\ast\rangle)$ to the regret: b cancels, no action is written
down, and a task is O(d) of memory. Its losses are read once for $\sigma_t$ and $g_t$ and once for the play.

Arrays have an axis of n runs in front; their losses lie one after the other, `step` of them for each run (0: all runs
have the same). Floats only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import apart, kernel
from arubatheory.learners.many_runs import only
from arubatheory.learners.meta_rules import (
    MEAN,
    PRINTED,
    Init,
    MetaTrajectory,
    Sim,
    State,
    begin,
    mean_of,
    rate_after,
    remember,
    with_gamma,
)
from arubatheory.learners.mirror_descent import step_along
from arubatheory.learners.running_means import carry, summed
from arubatheory.problems.domains import BALL, Domain
from arubatheory.problems.losses import Losses
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer
from arubatheory.problems.scalar import EPSILON
from arubatheory.problems.tasks import Tasks, count

LARGEST = 1e300  # of a square; the general loop scales what is beyond


@kernel
def measure(a: Array, weight: Array, offsets: Array, step: int, squares: Array) -> None:
    r"""Writes $\sigma_t^2$ into `squares` (n, T)."""
    n, T = squares.shape
    for k in range(n):
        for t in range(T):
            total = 0.0
            for i in range(k * step + offsets[t], k * step + offsets[t + 1]):
                square = 0.0
                for j in range(a.shape[1]):
                    square += a[i, j] * a[i, j]
                total += weight[i] * weight[i] * square
            squares[k, t] = total


@apart
def _add(x: Array, w: Any, g: Array) -> Any:
    r"""$g \leftarrow g + w x$; the square of x."""
    square = 0.0
    for j in range(g.shape[0]):
        square, g[j] = square + x[j] * x[j], g[j] + w * x[j]
    return square


@kernel
def gather(a: Array, weight: Array, offsets: Array, step: int, squares: Array, pull: Array) -> None:
    r"""Writes $\sigma_t^2$ into `squares` (n, T) and $g_t$ into `pull` (n, T, d). One loss at a time: memory is fastest
    where it is read in one line."""
    n, T, d = pull.shape
    g = np.empty(d)
    for k in range(n):
        for t in range(T):
            total = 0.0
            for j in range(d):
                g[j] = 0.0
            for i in range(k * step + offsets[t], k * step + offsets[t + 1]):
                total += weight[i] * weight[i] * _add(a[i], weight[i], g)
            squares[k, t] = total
            for j in range(d):
                pull[k, t, j] = g[j]


@kernel
def lowest(center: Array, radius: Array, pull: Array) -> None:
    r"""Turns $g_t$ (n, T, d) into $\theta_t^\ast$, for centres (n, d) and radii (n,)."""
    n, T, d = pull.shape
    for k in range(n):
        for t in range(T):
            largest, square = 0.0, 0.0
            for j in range(d):
                largest = max(largest, abs(pull[k, t, j]))
            for j in range(d):
                pull[k, t, j] = pull[k, t, j] / largest if largest > 0 else 0.0
                square += pull[k, t, j] * pull[k, t, j]
            length = radius[k] / np.sqrt(max(square, 1.0))  # one entry is 1, or all are 0
            for j in range(d):
                pull[k, t, j] = center[k, j] - length * pull[k, t, j]


@kernel
def _fits(center: Array, radius: Array, points: Array) -> Any:
    r"""Whether points (n, T, d) lie in the balls of their runs, up to the rounding that `contains` allows for."""
    n, T, d = points.shape
    slack = 2 * (d + 4) * EPSILON
    for k in range(n):
        r = radius[k]
        for t in range(T):
            square, size, largest = 0.0, 0.0, 0.0
            for j in range(d):
                x, away = abs(points[k, t, j]), abs(points[k, t, j] - center[k, j])
                square, size, largest = square + away * away, size + away * (x + abs(center[k, j])), max(largest, x)
            if not (square < LARGEST and r * r - square >= -slack * (size + r * (r + largest))):
                return False
    return True


@kernel
def _regret(
    a: Array, weight: Array, first: int, stop: int, center: Array, radius: Any, eta: Any, phi: Array, theta: Array
) -> Any:
    r"""The regret of OMD from phi, in the ball, against theta on losses first, ..., stop - 1; NaN where a square might
    overflow."""
    d, regret, square, total = phi.shape[0], 0.0, 0.0, 0.0
    s, away = np.empty(d), np.empty(d)
    for j in range(d):
        s[j], away[j] = phi[j] - center[j], center[j] - theta[j]
    for i in range(first, stop):
        k = radius / np.sqrt(square) if square > radius * radius else 1.0
        beside, along, square, _ = step_along(a[i], away, 1, eta * weight[i], s)
        regret += weight[i] * (k * along + beside)
        total += square
    return regret if total < LARGEST else np.nan


@kernel
def _iterate(
    a: Array, weight: Array, first: int, stop: int, center: Array, radius: Any, way: Any, phi: Array, theta: Array
) -> None:
    r"""Writes the last iterate of OMD, what it would play after the last round, or the average into theta; `way` is
    $\eta$ and whether it is the last."""
    eta, last = way
    d, s = phi.shape[0], phi - center
    for j in range(d):
        theta[j] = 0.0
    for i in range(first, stop + 1):
        square = 0.0
        for j in range(d):
            square += s[j] * s[j]
        k = radius / np.sqrt(square) if square > radius * radius else 1.0
        share = k * (i == stop if last else (i < stop) / (stop - first))
        for j in range(d):
            theta[j] += share * s[j]
            s[j] -= eta * weight[i] * a[i, j] if i < stop else 0.0
    for j in range(d):
        theta[j] += center[j]


@kernel
def play_linear(
    a: Array, weight: Array, offsets: Array, step: int, center: Array, radius: Array, sim: Sim, update: int, out: Any
) -> None:
    r"""All tasks of n runs into the `MetaTrajectory` out, whose sigma, optima and state are there, and whose updates
    are the optima; $\phi_{t+1}$ is the mean."""
    phis, v, eta, sigma, optima, updates, regret, upper, state = out
    n, T, d = phis.shape
    for k in range(n):
        phi, sums, last, top = state.phi[k], state.sums[k], state.last[k], 0.0
        for t in range(T):
            top = max(top, sigma[k, t])
        rule = with_gamma(sim, top)
        for t in range(T):
            rate = rate_after(rule, summed(sums, 2 * d), summed(sums, 2 * d + 1))
            near, moved = 0.0, 0.0
            for j in range(d):
                phis[k, t, j] = phi[j]
                near += (optima[k, t, j] - phi[j]) * (optima[k, t, j] - phi[j])
            v[k, t], eta[k, t], regret[k, t], upper[k, t] = rate, 0.0, 0.0, 0.0
            if not sigma[k, t] > 0:
                continue
            eta[k, t], theta = rate / sigma[k, t], updates[k, t]
            first, stop, c, r = k * step + offsets[t], k * step + offsets[t + 1], center[k], radius[k]
            regret[k, t] = _regret(a, weight, first, stop, c, r, eta[k, t], phi, theta)
            if update > 0:
                _iterate(a, weight, first, stop, c, r, (eta[k, t], update == 1), phi, theta)
            upper[k, t] = (near / 2 / rate + rate) * sigma[k, t]
            for j in range(d):
                moved += (theta[j] - phi[j]) * (theta[j] - phi[j])
            remember(sums, theta, sigma[k, t], moved / 2 + sim.eps * sim.eps)
            mean_of(sums, phi)
            carry(sums, last[0])
            last[0] += 1


def is_linear(L: Losses, domain: Domain, R: Regularizer, init: Init, sim: Sim) -> bool:
    """Whether tasks, geometry and rules are those of this module."""
    euclidean = R.kind == EUCLIDEAN and domain.kind == BALL
    return bool(euclidean and init.code == MEAN and sim.code != PRINTED and not L.link.any() and not L.ridge.any())


def learn_linear(
    n: int | None, tasks: Tasks, domain: Domain, init: Init, sim: Sim, optima: Any, update: int, state: State | None
) -> MetaTrajectory | None:
    """`meta_learn` on n runs, or for None on one without an axis of runs; None where a square overflows, or a start or
    an optimum may lie outside the ball: the general loop tells."""
    L, T, d, runs = tasks.losses, count(tasks), init.phi.shape[-1], n or 1
    if optima is not None and optima.shape[-2:] != (T, d):
        return None
    a, weight = np.ascontiguousarray(L.a).reshape(-1, d), np.ascontiguousarray(L.weight).reshape(-1)
    step = L.b.shape[1] if L.b.ndim == 2 and len(L.b) > 1 else 0
    center, radius = _repeated(domain.center, runs, d), _repeated(domain.radius, runs, 1)[:, 0]
    phi, sums, last = begin(init) if state is None else state
    now = State(_repeated(phi, runs, d), _repeated(sums, runs, 3, 2 * d + 3), _repeated(last, runs, 2))
    squares = np.empty((runs, T))
    if optima is None:
        points = np.empty((runs, T, d))
        gather(a, weight, tasks.offsets, step, squares, points)
        lowest(center, radius, points)
    else:
        points = optima.reshape(runs, T, d) if optima.size == runs * T * d else _repeated(optima, runs, T, d)
        measure(a, weight, tasks.offsets, step, squares)
    if not (_fits(center, radius, points) and _fits(center, radius, now.phi[:, None]) and np.isfinite(squares).all()):
        return None
    v, eta, regret, upper = (np.empty((runs, T)) for _ in range(4))
    updates = points.copy() if update > 0 else points
    out = MetaTrajectory(np.empty_like(points), v, eta, np.sqrt(squares), points, updates, regret, upper, now)
    play_linear(a, weight, tasks.offsets, step, center, radius, sim, update, out)
    if not (np.isfinite(upper).all() and np.isfinite(regret).all()):
        return None
    return only(out) if n is None else out


def _repeated(x: Array, *shape: int) -> Array:
    """A copy in floats that every run has for itself."""
    return np.array(np.broadcast_to(x, shape), dtype=np.float64)
