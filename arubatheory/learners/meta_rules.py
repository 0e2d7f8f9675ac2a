r"""INIT and SIM: what Algorithm 1 learns between tasks, and what it remembers of them.

INIT learns $\phi_t$ from $f_t^{init}(\phi) = \sigma_t B_R(\hat\theta_t\|\phi)$ and SIM $v_t$ from
$f_t^{sim}(v) = (B_t^2/v + v)\sigma_t$, $B_t^2 = B_R(\hat\theta_t\|\phi_t)$; see `meta`, which has all of these names.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, Exact
from arubatheory.kernel import kernel
from arubatheory.learners.ewoo import exp_concavity_of
from arubatheory.learners.ewoo_curves import inverse_mean
from arubatheory.learners.running_means import carry, summed
from arubatheory.problems.domains import Domain, project
from arubatheory.problems.linear import times
from arubatheory.problems.numbers import as_numbers, as_vector, real
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, Regularizer, bregman, gradient, value
from arubatheory.problems.signatures import typed

MEAN, AOGD, OGD = range(3)
EWOO, FTL, PRINTED, CONSTANT = range(4)


class Init(NamedTuple):
    r"""How $\phi_t$ is learned: the code, $\phi_1$ (d,), and the step size of OGD."""

    code: int
    phi: Array
    step: float


class Sim(NamedTuple):
    r"""How $v_t$ is learned: the code, D, $\varepsilon$, $\gamma$ of EWOO (0: from $\max_t\sigma_t$), $v_1$, and the
    left end of EWOO's interval: $\varepsilon$, or 0 in eq:ewoo. Exact numbers where statements play it."""

    code: int
    D: float | Exact
    eps: float | Exact
    gamma: float | Exact
    first: float | Exact
    low: float | Exact = 0.0


class State(NamedTuple):
    r"""What the meta-learner remembers between tasks: $\phi$ (d,); `sums` (3, 2d + 3), whose columns add up to
    $\sum\sigma_s\hat\theta_s$, $\sum\hat\theta_s$, $\sum\sigma_s$, $\sum\sigma_s(B_s^2+\varepsilon^2)$ and $\sum
    R(\hat\theta_s)$, in blocks as in `running_means`; and `last`, the number t of tasks with weight and the v of
    `printed_rate`."""

    phi: Array
    sums: Array
    last: Array


class MetaTrajectory(NamedTuple):
    r"""Of each task: $\phi_t$ (T, d), $v_t$, $\eta_t$, $\sigma_t$ (T,), $\theta_t^\ast$ and $\hat\theta_t$ (T, d), the
    regret $\sum_i \ell_{t,i}(\theta_{t,i}) - \ell_{t,i}(\theta_t^\ast)$ (T,) and its upper bound $U_t$ (T,); and the
    `state` to go on from."""

    phi: Array
    v: Array
    eta: Array
    sigma: Array
    optima: Array
    updates: Array
    regret: Array
    upper: Array
    state: State

    @property
    def average_regret(self) -> Any:
        r"""TAR, $\frac1T\sum_t R_t$; (n,) for n runs."""
        return _averages(self.regret)

    @property
    def average_upper(self) -> Any:
        r"""The average regret-upper-bound, $\frac1T\sum_t U_t$; (n,) for n runs."""
        return _averages(self.upper)


def _averages(values: Array) -> Any:
    return float(values.mean()) if values.ndim == 1 else values.mean(axis=1)


def _starts(phi: Any) -> Array:
    """A start (d,), or one for each of n runs (n, d)."""
    starts = as_numbers("phi", phi)
    return starts if starts.ndim == 2 and starts.size else as_vector("phi", phi)


def mean(phi: ArrayLike) -> Init:
    r"""INIT as FTL: $\phi_1$ = `phi`, $\phi_{t+1} = \sum_{s\le t}\sigma_s\hat\theta_s / \sigma_{1:t}$."""
    return Init(MEAN, _starts(phi), 0.0)


def adaptive_descent(phi: ArrayLike) -> Init:
    r"""INIT as AOGD: $\phi_{t+1} = \mathrm{Proj}(\phi_t - \nabla f_t^{init}(\phi_t)/\sigma_{1:t})$."""
    return Init(AOGD, _starts(phi), 0.0)


def descent(phi: ArrayLike, step: float) -> Init:
    r"""INIT as OGD with a fixed `step` > 0: $\phi_{t+1} = \mathrm{Proj}(\phi_t - step \nabla f_t^{init}(\phi_t))$."""
    return Init(OGD, _starts(phi), real("step", step, above=0))


def eps_ewoo_rate(D: float, eps: float, gamma: float | None = None) -> Sim:
    r"""SIM as $\varepsilon$-EWOO over $[\varepsilon, \sqrt{D^2+\varepsilon^2}]$, for $B_R \le D^2$ over $\Theta$.

    `gamma` defaults to $\frac2{D\sigma_{\max}}\min\{\varepsilon^2/D^2, 1\}$ with the largest $\sigma_t$ of the tasks
    that are played: in a stream it has to be given.
    """
    D, eps = real("D", D, above=0), real("eps", eps, above=0)
    rate = 0.0 if gamma is None else real("gamma", gamma, above=0)
    return Sim(EWOO, D, eps, rate, (eps + math.hypot(D, eps)) / 2, eps)


def eps_ftl_rate(D: float, eps: float) -> Sim:
    r"""SIM as $\varepsilon$-FTL (prp:ftl): $v_t^2 = \sum_{s<t}\sigma_s(B_s^2 + \varepsilon^2)/\sigma_{1:t-1}$,
    $v_1 = \sqrt{D^2+\varepsilon^2}$."""
    D, eps = real("D", D, above=0), real("eps", eps, above=0)
    return Sim(FTL, D, eps, 0.0, math.hypot(D, eps))


def printed_rate(D: float, eps: float) -> Sim:
    r"""SIM as section 2 prints it after eq:ewoo: $v_{t+1}^2 = \varepsilon^2 t
    + \sum_{s\le t}B_R(\hat\theta_s\|\phi_t)$, which grows like $\sqrt t$ (see text:v-rule)."""
    D, eps = real("D", D, above=0), real("eps", eps, above=0)
    return Sim(PRINTED, D, eps, 0.0, math.hypot(D, eps))


def constant_rate(v: float) -> Sim:
    r"""SIM as a constant: $\eta_t = v/\sigma_t$ for `v` > 0."""
    return Sim(CONSTANT, 0.0, 0.0, 0.0, real("v", v, above=0))


@kernel
def with_gamma(sim: Sim, largest: Any) -> Sim:
    r"""SIM with the $\gamma$ of `eps_ewoo_rate` for the largest $\sigma_t$, where it was left to the tasks."""
    if sim.code != EWOO or sim.gamma != 0:
        return sim
    gamma = exp_concavity_of(largest, sim.D, sim.eps) if largest > 0 else 1.0
    return Sim(sim.code, sim.D, sim.eps, gamma, sim.first, sim.low)


@typed
def begin(init: Init) -> State:
    """The state before the first task."""
    runs, d = init.phi.shape[:-1], init.phi.shape[-1]
    return State(init.phi.copy(), np.zeros((*runs, 3, 2 * d + 3)), np.zeros((*runs, 2)))


@kernel
def rate_after(sim: Sim, mass: Any, spread: Any) -> Any:
    r"""[exact] $v_t$ of SIM from $\sigma_{1:t-1}$ and $\sum_{s<t}\sigma_s(B_s^2+\varepsilon^2)$."""
    if sim.code == EWOO:
        high = np.sqrt(sim.D * sim.D + sim.eps * sim.eps)
        return inverse_mean(sim.gamma * spread, sim.gamma * mass, sim.low, high)
    if sim.code == FTL and mass > 0:
        return np.sqrt(spread / mass)
    return sim.first


@kernel
def rates_after(sim: Sim, mass: Array, spread: Array) -> Array:
    r"""[exact] `rate_after` for each entry of two arrays (n,)."""
    v = np.zeros_like(spread)
    for t in range(spread.shape[0]):
        v[t] = rate_after(sim, mass[t], spread[t])
    return v


@kernel
def _slope(R: Regularizer, theta: Array, phi: Array) -> Array:
    r"""$\nabla_\phi B_R(\theta\|\phi) = \nabla^2 R(\phi)(\phi - \theta)$."""
    if R.kind == EUCLIDEAN:
        return phi - theta
    if R.kind == ENTROPY:
        return (phi - theta) / phi
    return times(R.matrix, phi - theta)


@kernel
def current_rate(sim: Sim, state: State) -> Any:
    r"""$v_t$ from what the past tasks left."""
    if sim.code == PRINTED and state.last[0] > 0:
        return state.last[1]
    return rate_after(sim, summed(state.sums, 2 * state.phi.size), summed(state.sums, 2 * state.phi.size + 1))


@kernel
def _printed(R: Regularizer, sim: Sim, state: State, phi: Array) -> Any:
    r"""$\varepsilon^2 t + \sum_{s\le t} B_R(\hat\theta_s\|\phi)$ by sums: all of the past against one $\phi$."""
    t, slope, d = state.last[0], gradient(R, phi), phi.size
    spread = summed(state.sums, 2 * d + 2) - t * value(R, phi)
    for j in range(d):
        spread -= slope[j] * (summed(state.sums, d + j) - t * phi[j])
    return np.sqrt(sim.eps * sim.eps * t + max(spread, 0.0))


@kernel
def remember(sums: Array, theta: Array, sigma: Any, spread: Any) -> None:
    r"""Adds $\hat\theta$ = `theta`, $\sigma$ and $\sigma$ `spread` to the sums."""
    d = theta.size
    for j in range(d):
        sums[0, j] += sigma * theta[j]
        sums[0, d + j] += theta[j]
    sums[0, 2 * d] += sigma
    sums[0, 2 * d + 1] += sigma * spread


@kernel
def mean_of(sums: Array, phi: Array) -> None:
    r"""Writes $\sum\sigma_s\hat\theta_s/\sum\sigma_s$ into phi."""
    mass = summed(sums, 2 * phi.size)
    for j in range(phi.size):
        phi[j] = summed(sums, j) / mass


@kernel
def learn(domain: Domain, R: Regularizer, init: Init, sim: Sim, state: State, theta: Array, sigma: Any) -> None:
    r"""The meta-updates after a task with update parameter $\hat\theta$ = `theta`."""
    phi, t = state.phi.copy(), state.last[0]
    slope = _slope(R, theta, phi) if init.code != MEAN else phi
    absorb(domain, init, sim, state, theta, sigma, bregman(R, theta, phi), slope)
    if sim.code == PRINTED:
        state.sums[0, 2 * theta.size + 2] += value(R, theta)
        state.last[1] = _printed(R, sim, state, phi)
    carry(state.sums, t)


@kernel
def absorb(
    domain: Domain, init: Init, sim: Sim, state: State, theta: Array, sigma: Any, before: Any, slope: Array
) -> None:
    r"""The same from $B_R(\hat\theta\|\phi)$ = `before` and its gradient `slope` in $\phi$, but for what is carried."""
    phi = state.phi.copy()
    remember(state.sums, theta, sigma, before + sim.eps * sim.eps)
    if init.code == MEAN:
        mean_of(state.sums, state.phi)
    else:
        step = 1 / summed(state.sums, 2 * theta.size) if init.code == AOGD else init.step
        state.phi[:] = project(domain, phi - step * sigma * slope)
    state.last[0] += 1
