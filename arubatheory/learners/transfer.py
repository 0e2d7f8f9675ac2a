r"""Transfer: meta-training on T sampled tasks, many replicates a call, and the exact risk on a task that is new.

Algorithm 1 on an `Environment` over $\Theta = [0, 1]^d$: lazy OGD within tasks from $\phi_t$ with
$\eta_t = v_t/(G\sqrt m)$, INIT by the mean of the past optima (FTL, $\phi_1$ the middle of $\Theta$), SIM by
$\varepsilon$-EWOO or a constant. Task t is bounded by
$$U_t(\phi, v) = \Big(\frac{\|\theta_t^\ast - \phi\|_2^2}{2v} + v\Big)G\sqrt m ,$$
jointly convex, and $\bar\phi, \bar v$ are the averages of $\phi_t, v_t$. A learner that stays where it begins has
$\eta_t = 0$ (v = 0) and its own regret for a bound: $U_t(\phi) = \sum_i\ell_{t,i}(\phi) - \ell_{t,i}(\theta_t^\ast)$.

On a new task the averaged iterate $\bar\theta$ of m rounds has the risk
$E_{\mathcal P^m}\ell_{\mathcal P}(\bar\theta)$, and no sampling is needed for it (`expected_risk`): risk and OGD are
separable over coordinates, and in one coordinate

* squares with $\eta \le \frac12$ never leave the interval; $\bar\theta$ is affine in the labels, so two moments do;
* Bernoulli tasks with absolute losses have linear risks and $\theta_t = \mathrm{Proj}(\phi - \eta S_t)$ with $S_t$ a
  random walk on the integers;
* all else is listed: a round shows label -1, label +1 or another input.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from arubatheory.arithmetic import Array, ArrayLike
from arubatheory.kernel import kernel
from arubatheory.learners.ewoo import exp_concavity_of
from arubatheory.learners.meta import CONSTANT, EWOO, Sim, eps_ewoo_rate, rate_after
from arubatheory.problems.environments import (
    Atoms,
    Environment,
    Sampler,
    atoms,
    least,
    lipschitz,
    loss_at,
    mean_at,
    minimisers,
    pick,
    risk,
    sampler,
    slope_at,
)
from arubatheory.problems.losses import ABSOLUTE, SQUARE, link_slope, link_value
from arubatheory.problems.numbers import as_floats, as_vector, check_count, check_generator, in_floats, real
from arubatheory.problems.signatures import typed

CHUNK = 64  # replicates that one generator serves, whatever the number of threads
LARGEST_LISTING = 3**10
STAY = Sim(CONSTANT, 0.0, 0.0, 0.0, 0.0)


class Trained(NamedTuple):
    r"""Of each of n replicates: $\bar\phi$ (n, d), $\bar v$ (n,), the average regret-upper-bound and the average regret
    (n,)."""

    phi: Array
    v: Array
    upper: Array
    regret: Array


# within a task -----------------------------------------------------------------------------------------------------
@kernel
def _clipped(x: Any) -> Any:
    return min(max(x, 0.0), 1.0)


@kernel
def play_task(
    E: Environment, A: Atoms, loss: Array, j: int, phi: Array, eta: Any, m: int, rng: Any, theta: Array, counts: Array
) -> Any:
    r"""OGD on m sampled losses of task j: what it pays. Leaves how often each label came in `counts` (d, 2), and in the
    rows of `theta` (4, d) the last iterate, m times $\bar\theta$, the sums of gradients, and what is for work."""
    d, paid, link = phi.shape[0], 0.0, E.link
    weight, a, b, cumulative = A.weight[j], A.a[j], A.b[j], loss[j]  # a tuple's array costs a round to reach
    for h in range(d):
        theta[0, h], theta[1, h], theta[2, h], theta[3, h] = phi[h], 0.0, 0.0, 0.0
        counts[h, 0] = counts[h, 1] = 0
    for n in range(1, m + 1):
        k = pick(cumulative, rng.random())
        i, label = k >> 1, k & 1
        slope, w, x = a[i, label], weight[i], theta[0, i]
        z = slope * x - b[i, label]
        paid += w * link_value(link, z)
        theta[1, i] += x * (n - theta[3, i])  # the rounds since it last changed
        theta[2, i] += w * slope * link_slope(link, z, 1.0 - label)
        theta[0, i], theta[3, i] = _clipped(phi[i] - eta * theta[2, i]), n
        counts[i, label] += 1
    for h in range(d):
        theta[1, h] += theta[0, h] * (m - theta[3, h])
    return paid


@kernel
def count_labels(cumulative: Array, m: int, rng: Any, counts: Array) -> None:
    r"""The labels (d, 2) of m sampled losses: the same as `play_task` meets from the same generator."""
    counts[:] = 0
    for _ in range(m):
        k = pick(cumulative, rng.random())
        counts[k >> 1, k & 1] += 1


@kernel
def total_at(E: Environment, A: Atoms, j: int, counts: Array, theta: Array) -> Any:
    r"""The sum of a sample's losses at $\theta$ (d,), by its `counts`."""
    s = 0.0
    for i in range(theta.shape[0]):
        for k in range(2):
            s += counts[i, k] * loss_at(E, A, j, i, k, theta[i])
    return s


# meta-training -----------------------------------------------------------------------------------------------------
@kernel
def train(
    E: Environment, A: Atoms, S: Sampler, sim: Sim, T: int, m: int, rng: Any, playing: bool, middle: Array, out: Array
) -> None:
    r"""One replicate for every row of `middle` (n, d), which gets $\bar\phi$; `out` (n, 3) gets $\bar v$, the average
    upper bound and the average regret. What is learned from a task are its labels: OGD need not be played for it."""
    d, sigma = middle.shape[1], lipschitz(E, A) * math.sqrt(m)
    theta, counts, best = np.empty((4, d)), np.empty((d, 2), np.int64), np.empty(d)
    phi, total = np.empty(d), np.empty(d)
    for r in range(middle.shape[0]):
        phi[:], total[:], middle[r], out[r] = 0.5, 0.0, 0.0, 0.0
        spread = 0.0
        for t in range(T):
            v, j = rate_after(sim, sigma * t, sigma * spread), pick(S.task, rng.random())
            regret, away = np.nan, 0.0
            if playing:
                regret = play_task(E, A, S.loss, j, phi, v / sigma, m, rng, theta, counts)
            else:
                count_labels(S.loss[j], m, rng, counts)
                if v == 0:
                    regret = total_at(E, A, j, counts, phi)
            for i in range(d):
                best[i] = least(E.link, E.centre[j, i], E.radius[j, i], float(counts[i, 0]), float(counts[i, 1]))
                away += (best[i] - phi[i]) * (best[i] - phi[i]) / 2
                middle[r, i] += phi[i] / T
                total[i] += best[i]
                phi[i] = total[i] / (t + 1)
            spread += away + sim.eps * sim.eps
            if playing or v == 0:
                regret -= total_at(E, A, j, counts, best)
            out[r, 0] += v / T
            out[r, 1] += ((away / v + v) * sigma if v > 0 else regret) / T
            out[r, 2] += regret / T


# the risk of the averaged iterate ----------------------------------------------------------------------------------
@kernel
def _by_moments(E: Environment, j: int, i: int, phi: Any, eta: Any, m: int) -> Any:
    r"""$E(\bar\theta_i - y)^2$ with $\theta' = (1 - 2\eta b)\theta + 2\eta b y$, b = 1 where the input is $e_i$."""
    x, p, c, r, a = E.inputs[i], E.chance[j, i], E.centre[j, i], E.radius[j, i], 2 * eta
    mean = c + (2 * p - 1) * r
    square = mean * mean + 4 * p * (1 - p) * r * r
    first, second, total, total2, mixed = phi, phi * phi, phi, phi * phi, phi * phi
    for _ in range(m - 1):
        second = (1 - x + x * (1 - a) * (1 - a)) * second + 2 * x * a * (1 - a) * mean * first + x * a * a * square
        first = (1 - a * x) * first + a * x * mean
        mixed = (1 - a * x) * mixed + a * x * mean * total
        total, total2, mixed = total + first, total2 + 2 * mixed + second, mixed + second
    return total2 / (m * m) - 2 * mean * total / m + square


@kernel
def _by_walk(E: Environment, A: Atoms, j: int, i: int, phi: Any, eta: Any, m: int) -> Any:
    r"""The linear risk at $E\bar\theta_i$; the walk goes down with label +1, of slope -1."""
    x, p = E.inputs[i], E.chance[j, i]
    here, nxt, total = np.zeros(2 * m + 1), np.zeros(2 * m + 1), phi
    here[m] = 1.0
    for t in range(1, m):
        for k in range(m - t, m + t + 1):
            nxt[k] = (1 - x) * here[k] + x * ((1 - p) * here[k - 1] + p * here[k + 1])
            total += nxt[k] * _clipped(phi - eta * (k - m))
        here, nxt = nxt, here
    return mean_at(E, A, j, i, total / m)


@kernel
def _by_listing(E: Environment, A: Atoms, j: int, i: int, phi: Any, eta: Any, m: int) -> Any:
    r"""All courses that m - 1 rounds can take, depth first."""
    x, p = E.inputs[i], E.chance[j, i]
    theta, pulled, total, prob = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    branch = np.zeros(m, np.int64)
    theta[0], pulled[0], total[0], prob[0] = phi, 0.0, phi, 1.0
    t, found = 0, 0.0
    while t >= 0:
        k = branch[t] - 1  # -1: another input, else the label
        if t == m - 1 or k > 1:
            if t == m - 1:
                found += prob[t] * mean_at(E, A, j, i, total[t] / m)
            branch[t] = 0
            t -= 1
            continue
        branch[t] += 1
        chance = 1 - x if k < 0 else (x * p if k == 1 else x * (1 - p))
        if chance > 0:
            pulled[t + 1] = pulled[t] + (slope_at(E, A, j, i, k, theta[t]) if k >= 0 else 0.0)
            theta[t + 1] = _clipped(phi - eta * pulled[t + 1])
            total[t + 1], prob[t + 1] = total[t] + theta[t + 1], prob[t] * chance
            t += 1
    return found


@kernel
def _route(E: Environment, j: int, i: int, eta: Any) -> int:
    """Which of the three: 0 and 1 have closed forms, 2 is listed."""
    if E.link == SQUARE and 2 * eta <= 1:
        return 0
    return 1 if E.link == ABSOLUTE and E.centre[j, i] == 0.5 and E.radius[j, i] == 0.5 else 2


@kernel
def expected_risk(E: Environment, A: Atoms, j: int, phi: Array, eta: Any, m: int) -> Any:
    r"""$E_{\mathcal P^m}\ell_{\mathcal P}(\bar\theta)$ in task j of OGD from $\phi$ (d,) with step size $\eta$."""
    s = 0.0
    for i in range(phi.shape[0]):
        route = _route(E, j, i, eta)
        if E.inputs[i] == 0:
            continue
        if eta == 0:
            found = mean_at(E, A, j, i, phi[i])
        elif route == 0:
            found = _by_moments(E, j, i, phi[i], eta, m)
        elif route == 1:
            found = _by_walk(E, A, j, i, phi[i], eta, m)
        else:
            found = _by_listing(E, A, j, i, phi[i], eta, m)
        s += E.inputs[i] * found
    return s


@kernel
def _expected_risks(E: Environment, A: Atoms, phi: Array, eta: Array, m: int) -> Array:
    out = np.zeros(phi.shape[0])
    for r in range(phi.shape[0]):
        for j in range(E.tasks.shape[0]):
            if E.tasks[j] > 0:
                out[r] += E.tasks[j] * expected_risk(E, A, j, phi[r], eta[r], m)
    return out


@kernel
def _fresh(E: Environment, A: Atoms, S: Sampler, phi: Array, eta: Array, m: int, rng: Any, out: Array) -> None:
    d, best = phi.shape[1], minimisers(E)
    theta, counts = np.empty((4, d)), np.empty((d, 2), np.int64)
    for r in range(phi.shape[0]):
        out[r] = 0.0
        for j in range(E.tasks.shape[0]):
            if E.tasks[j] > 0:
                regret = play_task(E, A, S.loss, j, phi[r], eta[r], m, rng, theta, counts)
                regret -= total_at(E, A, j, counts, best[j])
                out[r, 0] += E.tasks[j] * risk(E, A, j, theta[1] / m)
                out[r, 1] += E.tasks[j] * regret


# public ------------------------------------------------------------------------------------------------------------
@typed
def scale_of(E: Environment, m: int) -> float:
    r"""$\sigma = G\sqrt m$ with G the largest slope of a loss. Raises ValueError for m < 1."""
    check_count("m", m)
    return float(lipschitz(E, atoms(E))) * math.sqrt(m)


@typed
def learned_rate(E: Environment, m: int, eps: float) -> Sim:
    r"""$\varepsilon$-EWOO with $D^2 = d/2 \ge B_R$ on $\Theta$ and the $\gamma$ of prp:expconcave."""
    D, eps = math.sqrt(E.inputs.size / 2), real("eps", eps, above=0)
    gamma = exp_concavity_of(scale_of(E, m), D, eps)
    if not gamma > 0:
        raise ValueError(f"eps must not be so small that gamma is 0, got {eps!r}")
    return eps_ewoo_rate(D, eps, gamma=gamma)


@typed
def meta_train(
    E: Environment, sim: Sim, T: int, m: int, replicates: int, rng: Generator, *, threads: int = 1, playing: bool = True
) -> Trained:
    r"""Independent replicates of Algorithm 1 on T tasks of m losses, with `sim` a `learned_rate`, a `constant_rate` or
    `STAY`.

    The same generator gives the same replicates for any number of threads, and without `playing`: the regrets of OGD
    are then NaN, and it takes a third of the time. Raises ValueError for T, m, replicates or threads below 1, for
    another rule than those, and for a constant v < 0; TypeError for an rng that is no Generator.
    """
    check_generator(rng)
    for name, n in (("T", T), ("m", m), ("replicates", replicates), ("threads", threads)):
        check_count(name, n)
    _check_rule(sim)
    A, S, starts = atoms(E), sampler(E), range(0, replicates, CHUNK)
    phi, out = np.empty((replicates, E.inputs.size)), np.empty((replicates, 3))

    def run(start: int, child: Generator) -> None:
        rows = slice(start, start + CHUNK)
        train(E, A, S, sim, T, m, child, playing, phi[rows], out[rows])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, starts, rng.spawn(len(starts))))
    return Trained(phi, out[:, 0], out[:, 1], out[:, 2])


def _check_rule(sim: Sim) -> None:
    if not isinstance(sim, Sim) or sim.code not in (EWOO, CONSTANT) or (sim.code == EWOO and not sim.gamma > 0):
        raise ValueError(f"sim must be a constant or eps-EWOO with its gamma, got {sim!r}")
    if sim.code == CONSTANT and not 0 <= sim.first < math.inf:
        raise ValueError(f"the constant v of sim must be >= 0 and finite, got {sim.first!r}")


@typed
def transfer_risk(E: Environment, phi: ArrayLike, eta: ArrayLike, m: int) -> Array:
    r"""$E_{\mathcal P\sim\mathcal Q}E_{\mathcal P^m}\ell_{\mathcal P}(\bar\theta)$ of OGD from each $\phi$ (n, d) with
    each $\eta$ (n,), without sampling.

    Raises ValueError for $\phi$ outside $\Theta$, $\eta < 0$, shapes that do not fit, no starts, m < 1, and where too
    many courses would have to be listed; TypeError for what is not in floats.
    """
    starts, steps = _starts(E, phi, eta, m)
    if _courses(E, steps, m) > LARGEST_LISTING:
        raise ValueError(f"m must be smaller for losses whose courses have to be listed, got {m!r}")
    return np.asarray(_expected_risks(E, atoms(E), starts, steps, m))


@typed
def fresh(E: Environment, phi: ArrayLike, eta: ArrayLike, m: int, rng: Generator) -> tuple[Array, Array]:
    r"""OGD from each $\phi$ (n, d) with each $\eta$ (n,) on one fresh m-sample for each task of $\mathcal Q$: the mean
    over $\mathcal Q$ of the risk $\ell_{\mathcal P}(\bar\theta_{\mathcal P})$, and of the regret against the minimiser
    of $\ell_{\mathcal P}$, both (n,). Errors as in `transfer_risk`, but for the listing;
    TypeError for an rng that is no Generator."""
    check_generator(rng)
    starts, steps = _starts(E, phi, eta, m)
    out = np.empty((len(starts), 2))
    _fresh(E, atoms(E), sampler(E), starts, steps, m, rng, out)
    return out[:, 0], out[:, 1]


def _starts(E: Environment, phi: ArrayLike, eta: ArrayLike, m: int) -> tuple[Array, Array]:
    check_count("m", m)
    starts = as_floats("phi", phi)
    fits = starts.ndim == 2 and starts.size > 0 and starts.shape[1] == E.inputs.size
    if not fits or not ((starts >= 0) & (starts <= 1)).all():
        raise ValueError(f"phi must hold points of [0, 1]^{E.inputs.size}, got {phi!r}")
    steps = in_floats("eta", as_vector("eta", eta))
    if steps.size != len(starts) or not (steps >= 0).all():
        raise ValueError(f"eta must hold {len(starts)} step sizes >= 0, got {eta!r}")
    return starts, steps


def _courses(E: Environment, eta: Array, m: int) -> int:
    """How many courses have to be listed in the worst coordinate."""
    largest = float(eta.max())
    if largest == 0 or all(_route(E, j, i, largest) < 2 for j, i in np.ndindex(*E.chance.shape)):
        return 1
    return int((2 if E.inputs.max() == 1 else 3) ** (m - 1))
