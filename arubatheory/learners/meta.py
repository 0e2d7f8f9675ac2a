r"""Learning to learn: mirror descent within tasks, meta-updates of its start and step size between them.

Task t is a sequence of $m_t$ losses with Lipschitz constants $G_{t,i}$ in the norm of R;
$\sigma_t = G_t\sqrt{m_t} = (\sum_i G_{t,i}^2)^{1/2}$. Algorithm 1 (alg:general) plays OMD or FTRL with regulariser R
from $\phi_t$ with step size $\eta_t = v_t/\sigma_t$, and pays at most
$$U_t = \frac{B_R(\theta_t^\ast\|\phi_t)}{\eta_t} + \eta_t G_t^2 m_t
      = \Big(\frac{B_R(\theta_t^\ast\|\phi_t)}{v_t} + v_t\Big)\sigma_t .$$

* INIT learns $\phi_t$ from $f_t^{init}(\phi) = \sigma_t B_R(\hat\theta_t\|\phi)$: the weighted mean of the past
  (`mean`, which is FTL by clm:mean), AOGD (`adaptive_descent`) or OGD (`descent`) on them.
* SIM learns $v_t$ from $f_t^{sim}(v) = (B_t^2/v + v)\sigma_t$, $B_t^2 = B_R(\hat\theta_t\|\phi_t)$: $\varepsilon$-EWOO,
  $\varepsilon$-FTL, a constant (`rate_after`, which the statements about SIM play), or the rule printed after eq:ewoo.
* $\hat\theta_t$ is the best action in hindsight, or in Algorithm 3 (alg:fmrl) the last or the average iterate.

All state is a few vectors, so that tasks may come in chunks (`stream`) and memory stays flat in T. A
task whose losses are constant ($\sigma_t = 0$) has no weight: it is played at $\phi_t$ with $\eta_t = \infty$ on paper
(0 here), at no regret, and it leaves INIT and SIM where they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, Exact, is_exact
from arubatheory.convex.hindsight import hindsight
from arubatheory.convex.problem import LINEAR_ONLY, shape_of
from arubatheory.kernel import kernel
from arubatheory.learners.ewoo import exp_concavity_of
from arubatheory.learners.ewoo_curves import inverse_mean
from arubatheory.learners.ftrl import play_ftrl
from arubatheory.learners.mirror_descent import play_omd
from arubatheory.learners.running_means import carry, summed
from arubatheory.problems.constants import dot_rounding, lipschitz_squares
from arubatheory.problems.domains import Domain, contains, dimension, inside, project
from arubatheory.problems.linear import times
from arubatheory.problems.losses import LINEAR, Losses, total
from arubatheory.problems.numbers import as_floats, as_vector, real
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, Regularizer, bregman, check_pair, gradient
from arubatheory.problems.regularizers import value as regularizer_value
from arubatheory.problems.signatures import typed
from arubatheory.problems.tasks import Tasks, count, each

MEAN, AOGD, OGD = range(3)
EWOO, FTL, PRINTED, CONSTANT = range(4)
WITHIN = ("omd", "ftrl")
UPDATES = ("optimal", "last", "average")


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
    def average_regret(self) -> float:
        r"""TAR, $\frac1T\sum_t R_t$."""
        return float(self.regret.mean())

    @property
    def average_upper(self) -> float:
        r"""The average regret-upper-bound, $\frac1T\sum_t U_t$."""
        return float(self.upper.mean())


def mean(phi: ArrayLike) -> Init:
    r"""INIT as FTL: $\phi_1$ = `phi`, $\phi_{t+1} = \sum_{s\le t}\sigma_s\hat\theta_s / \sigma_{1:t}$."""
    return Init(MEAN, as_vector("phi", phi), 0.0)


def adaptive_descent(phi: ArrayLike) -> Init:
    r"""INIT as AOGD: $\phi_{t+1} = \mathrm{Proj}(\phi_t - \nabla f_t^{init}(\phi_t)/\sigma_{1:t})$."""
    return Init(AOGD, as_vector("phi", phi), 0.0)


def descent(phi: ArrayLike, step: float) -> Init:
    r"""INIT as OGD with a fixed `step` > 0: $\phi_{t+1} = \mathrm{Proj}(\phi_t - step \nabla f_t^{init}(\phi_t))$."""
    return Init(OGD, as_vector("phi", phi), real("step", step, above=0))


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


@typed
def begin(init: Init) -> State:
    """The state before the first task."""
    return State(init.phi.copy(), np.zeros((3, 2 * init.phi.size + 3)), np.zeros(2))


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
def _rate(sim: Sim, state: State) -> Any:
    r"""$v_t$ from what the past tasks left."""
    if sim.code == PRINTED and state.last[0] > 0:
        return state.last[1]
    return rate_after(sim, summed(state.sums, 2 * state.phi.size), summed(state.sums, 2 * state.phi.size + 1))


@kernel
def _printed(R: Regularizer, sim: Sim, state: State, phi: Array) -> Any:
    r"""$\varepsilon^2 t + \sum_{s\le t} B_R(\hat\theta_s\|\phi)$ by sums: all of the past against one $\phi$."""
    t, slope, d = state.last[0], gradient(R, phi), phi.size
    spread = summed(state.sums, 2 * d + 2) - t * regularizer_value(R, phi)
    for j in range(d):
        spread -= slope[j] * (summed(state.sums, d + j) - t * phi[j])
    return np.sqrt(sim.eps * sim.eps * t + max(spread, 0.0))


@kernel
def _learn(domain: Domain, R: Regularizer, init: Init, sim: Sim, state: State, theta: Array, sigma: Any) -> None:
    r"""The meta-updates after a task with update parameter $\hat\theta$ = `theta`."""
    phi, before, d = state.phi.copy(), bregman(R, theta, state.phi), theta.size
    block, t = state.sums[0], state.last[0]
    for j in range(d):
        block[j] += sigma * theta[j]
        block[d + j] += theta[j]
    block[2 * d] += sigma
    block[2 * d + 1] += sigma * (before + sim.eps * sim.eps)
    mass = summed(state.sums, 2 * d)
    if init.code == MEAN:
        for j in range(d):
            state.phi[j] = summed(state.sums, j) / mass
    else:
        step = 1 / mass if init.code == AOGD else init.step
        state.phi[:] = project(domain, phi - step * sigma * _slope(R, theta, phi))
    state.last[0] = t + 1
    if sim.code == PRINTED:
        block[2 * d + 2] += regularizer_value(R, theta)
        state.last[1] = _printed(R, sim, state, phi)
    carry(state.sums, t)


@kernel
def _part(L: Losses, start: int, stop: int) -> Any:
    i = slice(start, stop)
    return Losses(L.link[i], L.a[i], L.b[i], L.weight[i], L.ridge[i], L.c[i], L.kink[i])


@kernel
def _with_nothing_after(L: Losses) -> Any:
    """The losses and one that is 0: what is played on it is what would be played after the last round."""
    zero = np.zeros((1, L.a.shape[1]))
    link, a, c = np.append(L.link, LINEAR), np.concatenate((L.a, zero)), np.concatenate((L.c, zero))
    b, weight = np.append(L.b, 0.0), np.append(L.weight, 0.0)
    ridge, kink = np.append(L.ridge, 0.0), np.append(L.kink, 0.0)
    return Losses(link, a, b, weight, ridge, c, kink)


@kernel
def _play_task(L: Losses, domain: Domain, R: Regularizer, phi: Array, eta: Any, ftrl: Any, update: int) -> Any:
    r"""The sum of the losses of one task, and its last or average iterate (or the first, if neither is asked for).

    `ftrl` is True, or None for OMD: a type of its own, so that a play of OMD does not compile the solver of FTRL.
    """
    m, last = L.b.shape[0], update == 1
    longer = _with_nothing_after(L) if last else L
    if ftrl is not None and shape_of(L, m, R) != LINEAR_ONLY:  # on linear losses FTRL is OMD (text:ftrl-is-omd)
        played = play_ftrl(longer, domain, R, phi, eta)
    else:
        played = play_omd(longer, domain, R, phi, eta)
    paid, middle = 0.0, 0 * phi
    for i in range(m):
        paid += played.values[i]
        middle += played.actions[i]
    return paid, (played.actions[m] if last else middle / m)


@kernel
def _margins(domain: Domain, points: Array) -> Array:
    out = np.empty(points.shape[0])
    for t in range(points.shape[0]):
        out[t] = inside(domain, points[t])
    return out


@kernel
def play_meta(
    L: Losses,
    offsets: Array,
    domain: Domain,
    R: Regularizer,
    optima: Array,
    sigma: Array,
    init: Init,
    sim: Sim,
    ftrl: Any,
    update: int,
    state: State,
) -> Any:
    """All tasks, unvalidated, in floats; `state` is changed in place."""
    T, d = offsets.shape[0] - 1, optima.shape[1]
    phis, updates = np.empty((T, d)), np.empty((T, d))
    v, eta, regret, upper = np.empty(T), np.zeros(T), np.zeros(T), np.zeros(T)
    for t in range(T):
        part = _part(L, offsets[t], offsets[t + 1])
        phis[t], updates[t], v[t] = state.phi, optima[t], _rate(sim, state)
        if not sigma[t] > 0:
            continue
        eta[t] = v[t] / sigma[t]
        paid, iterate = _play_task(part, domain, R, phis[t], eta[t], ftrl, update)
        if update > 0:
            updates[t] = iterate
        regret[t] = paid - total(part, part.b.shape[0], optima[t])
        upper[t] = (bregman(R, optima[t], phis[t]) / v[t] + v[t]) * sigma[t]
        _learn(domain, R, init, sim, state, updates[t], sigma[t])
    return phis, v, eta, updates, regret, upper


@typed
def meta_learn(
    tasks: Tasks,
    domain: Domain,
    R: Regularizer,
    init: Init,
    sim: Sim,
    *,
    optima: ArrayLike | None = None,
    within: str = "omd",
    update: str = "optimal",
    state: State | None = None,
) -> MetaTrajectory:
    r"""Algorithm 1 (`update="optimal"`) or Algorithm 3 (`"last"`, `"average"`) on a sequence of T tasks.

    `optima` (T, d) are the $\theta_t^\ast$, points of the domain; without them each is computed by `hindsight` with the
    tie-break of appendix C. `within` is "omd" or "ftrl". `state` goes on from a former trajectory (it is not changed).

    Raises ValueError for a start or an optimum outside the domain, Lipschitz constants that are infinite on it, an
    entropy whose gradient does not exist at $\phi_t$, shapes that do not fit; TypeError for exact numbers and other
    types; OverflowError when a number leaves the range of float64.
    """
    check_play(tasks, domain, R, init, within, update)
    now = begin(init) if state is None else _continued(state, init)
    best = best_actions(tasks, domain, R, optima)
    L = Losses(*map(np.ascontiguousarray, tasks.losses))
    sigma = _sigmas(L, tasks.offsets, R, domain)
    if sim.code == EWOO and sim.gamma == 0:
        sim = sim._replace(gamma=exp_concavity_of(sigma.max(), sim.D, sim.eps) if sigma.max() > 0 else 1.0)
    how = True if within == "ftrl" else None, UPDATES.index(update)
    with np.errstate(all="ignore"):
        phis, v, eta, updates, regret, upper = play_meta(L, tasks.offsets, domain, R, best, sigma, init, sim, *how, now)
    if not (np.isfinite(upper).all() and np.isfinite(regret).all()):
        t = int(np.argmin(np.isfinite(upper) & np.isfinite(regret)))
        raise OverflowError(f"meta_learn left the range of float64 in task {t} (phi={phis[t]!r}, v={v[t]!r})")
    return MetaTrajectory(phis, v, eta, sigma, best, updates, regret, upper, now)


def _sigmas(L: Losses, offsets: Array, R: Regularizer, domain: Domain) -> Array:
    r"""$\sigma_t$ (T,); the Lipschitz constants must be finite."""
    squares = lipschitz_squares(L, R, domain, dot_rounding(L))
    if not np.isfinite(squares).all():
        i = int(np.argmin(np.isfinite(squares)))
        raise ValueError(f"tasks must hold losses that are Lipschitz on the domain, got one that is not: loss {i}")
    return np.asarray(np.sqrt(np.add.reduceat(squares, offsets[:-1])))


@typed
def stream(
    chunks: Iterable[tuple[Tasks, ArrayLike | None]], domain: Domain, R: Regularizer, init: Init, sim: Sim, **how: Any
) -> Iterator[MetaTrajectory]:
    r"""`meta_learn` on chunks (tasks, optima) one after the other, each from where the last one ended.

    Nothing is kept but the state. Raises ValueError for $\varepsilon$-EWOO without gamma: the largest $\sigma_t$ of a
    stream is not known in advance.
    """
    if sim.code == EWOO and sim.gamma == 0:
        raise ValueError(f"gamma must be given for a stream, got {sim!r}")
    state = None
    for tasks, optima in (pair("chunks", chunk) for chunk in chunks):
        played = meta_learn(tasks, domain, R, init, sim, optima=optima, state=state, **how)
        state = played.state
        yield played


def pair(name: str, item: Any) -> tuple[Any, Any]:
    """The two parts of an item of `name`, or the TypeError that says what it is."""
    if not isinstance(item, tuple) or len(item) != 2:
        raise TypeError(f"{name} must hold pairs, got {item!r}")
    return item


@typed
def check_play(tasks: Tasks, domain: Domain, R: Regularizer, init: Init, within: str, update: str) -> None:
    """The errors of `meta_learn` about its arguments, but for sim, the optima and the losses."""
    if is_exact(tasks.losses.a) or is_exact(domain.low) or is_exact(init.phi):
        raise TypeError("tasks, domain and phi must be in floats, got exact numbers")
    if count(tasks) < 1:
        raise ValueError(f"tasks must hold at least one task, got offsets {tasks.offsets!r}")
    sizes = np.diff(tasks.offsets)
    if tasks.offsets[0] != 0 or tasks.offsets[-1] != len(tasks.losses.b) or (sizes < 1).any():
        raise ValueError(f"tasks must have increasing offsets from 0 to {len(tasks.losses.b)}, got {tasks.offsets!r}")
    d = tasks.losses.a.shape[1]
    if dimension(domain) != d or init.phi.size != d:
        raise ValueError(f"domain and phi must have dimension {d}, got {dimension(domain)} and {init.phi.size}")
    check_pair(R, domain)
    if not contains(domain, init.phi):
        raise ValueError(f"phi must lie in the domain, got {init.phi!r}")
    for name, value, known in (("within", within, WITHIN), ("update", update, UPDATES)):
        if value not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")


def _continued(state: State, init: Init) -> State:
    """A copy of the state, which must be one of this dimension."""
    expected = begin(init)
    if [np.shape(part) for part in state] != [part.shape for part in expected]:
        raise ValueError(f"state must belong to dimension {init.phi.size}, got phi of shape {np.shape(state[0])}")
    return State(*(np.array(part, dtype=np.float64) for part in state))


@typed
def best_actions(tasks: Tasks, domain: Domain, R: Regularizer, optima: ArrayLike | None) -> Array:
    r"""The $\theta_t^\ast$ (T, d): those given, which must lie in the domain, or the best in hindsight for None."""
    if optima is None:
        return np.stack([hindsight(part, domain, R).action for part in each(tasks)])
    best = as_floats("optima", optima)
    if best.shape != (count(tasks), dimension(domain)):
        raise ValueError(f"optima must have shape {(count(tasks), dimension(domain))}, got {best.shape}")
    for t in np.flatnonzero(~(_margins(domain, best) >= 0)):  # outside, or by a rounding that `contains` allows for
        if not (np.isfinite(best[t]).all() and contains(domain, best[t])):
            raise ValueError(f"optima must lie in the domain, got {best[t]!r} in task {t}")
    return best
