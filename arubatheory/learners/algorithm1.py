r"""Algorithm 1 (alg:general) as state beside a loop of one's own, and on tasks whose losses are functions.

A task starts at $\phi_t$ with step size $\eta_t = v_t/\sigma_t$, $\sigma_t = G_t\sqrt{m_t}$, and ends at
$\hat\theta_t$: its best action, its last or its average iterate. INIT and SIM are those of `meta`.

>>> import numpy as np
>>> from arubatheory.learners.meta import eps_ftl_rate, mean
>>> from arubatheory.problems.domains import ball
>>> from arubatheory.problems.regularizers import euclidean
>>> start = np.zeros(2)
>>> learned = Algorithm1(ball(start, 1.0), euclidean(2), mean(start), eps_ftl_rate(1.0, 0.25))
>>> for task in range(3):
...     phi, eta = learned.start(sigma=2.0)
...     theta = np.array([0.5, 0.0])  # by a loop of one's own, from phi with step size eta
...     learned.end(theta)
>>> learned.phi.tolist(), round(learned.v, 3)
([0.5, 0.0], 0.32)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.convex.hindsight import hindsight
from arubatheory.learners import meta_rules
from arubatheory.learners.descents import OMD
from arubatheory.learners.meta_rules import Init, MetaTrajectory, Sim, State
from arubatheory.learners.running_means import carry
from arubatheory.problems.domains import Domain, space
from arubatheory.problems.losses import numbers
from arubatheory.problems.numbers import as_floats, real
from arubatheory.problems.own.rounds import Rounds, observe, total
from arubatheory.problems.own.steps import AnyDomain, AnyRegularizer, bregman, check_regularizer, onto, start_in
from arubatheory.problems.regularizers import Regularizer
from arubatheory.problems.signatures import typed
from arubatheory.problems.tasks import Tasks, each


class Algorithm1:
    r"""INIT and SIM as state: `start`, a loop of one's own, `end`. `sigma` is $\sigma_t$ where all tasks have the same.

    `phi` (d,) and `v` are those of the next task. It pickles and copies, and no call that raises has changed it. With a
    domain of one's own INIT is projected onto it; with an R of one's own INIT is `mean`, and SIM not `printed_rate`.

    Raises ValueError for a start outside the domain, an R that does not fit it, $\varepsilon$-EWOO without gamma and
    sigma, TypeError for other types and exact numbers.
    """

    @typed
    def __init__(
        self, domain: AnyDomain, R: AnyRegularizer, init: Init, sim: Sim, *, sigma: float | None = None
    ) -> None:
        self.domain, self.R, self.init = domain, R, init._replace(phi=_floats(start_in(domain, init.phi)))
        check_regularizer(R, domain, self.init.phi)
        if not isinstance(R, Regularizer) and (init.code != meta_rules.MEAN or sim.code == meta_rules.PRINTED):
            needed = "mean and sim not printed_rate for an R of one's own"
            raise ValueError(f"init must be {needed}, got {init!r} and {sim!r}")
        self.sigma = None if sigma is None else real("sigma", sigma, above=0)
        if self.sigma is None and sim.code == meta_rules.EWOO and sim.gamma == 0:
            raise ValueError(f"gamma must be given in sim, or sigma for all tasks, got {sim!r}")
        self.sim = sim if self.sigma is None else meta_rules.with_gamma(sim, self.sigma)
        self.state, self.running = meta_rules.begin(self.init), None

    running: float | None
    state: State

    @property
    def phi(self) -> Array:
        r"""$\phi_t$ of the task that runs or comes next."""
        return self.state.phi.copy()

    @property
    def v(self) -> float:
        r"""$v_t$ of the task that runs or comes next."""
        return float(meta_rules.current_rate(self.sim, self.state))

    def start(self, sigma: Any = None) -> tuple[Array, float]:
        r"""$\phi_t$ (d,) and $\eta_t = v_t/\sigma_t$ of a new task. ValueError for a sigma that is not positive or is
        given nowhere; RuntimeError while a task is running."""
        if self.running is not None:
            raise RuntimeError("start came at the wrong time: a task is running: end it first")
        size = self.sigma if sigma is None else real("sigma", sigma, above=0)
        if size is None:
            raise ValueError(f"sigma must be given here or for all tasks, got {sigma!r}")
        self.running = size
        return self.phi, self.v / size

    def end(self, theta: Any, sigma: Any = None) -> None:
        r"""The task ended at $\hat\theta_t$ = `theta` (d,); `sigma` where only now $\sigma_t$ is known. RuntimeError
        before `start`, ValueError for a theta of another shape, NaN and infinities; OverflowError."""
        if self.running is None:
            raise RuntimeError("end came at the wrong time: no task has been started")
        size = self.running if sigma is None else real("sigma", sigma, above=0)
        point = numbers("theta", theta, in_exact=False)
        if point.shape != self.init.phi.shape:
            raise ValueError(f"theta must have shape {self.init.phi.shape}, got {point.shape}: {theta!r}")
        after = State(*(part.copy() for part in self.state))
        with np.errstate(all="ignore"):
            self._learn(after, point, size)
        if not all(np.isfinite(part).all() for part in after):
            raise OverflowError(f"the task left the range of float64 at theta={theta!r}, sigma={size!r}")
        self.state, self.running = after, None

    def _learn(self, state: State, theta: Array, sigma: float) -> None:
        over = self.domain if isinstance(self.domain, Domain) else space(theta.size)
        if isinstance(self.R, Regularizer):
            meta_rules.learn(over, self.R, self.init, self.sim, state, theta, sigma)
        else:
            before, t = bregman(self.R, theta, state.phi), state.last[0]
            meta_rules.absorb(over, self.init, self.sim, state, theta, sigma, before, theta)
            carry(state.sums, t)
        if not isinstance(self.domain, Domain):
            state.phi[:] = onto(self.domain, state.phi)


def _floats(phi: Array) -> Array:
    if phi.dtype != np.float64:
        raise TypeError(f"init must have a phi in floats, over a domain in floats, got {phi!r}")
    return phi


def learn_functions(
    tasks: Tasks,
    domain: AnyDomain,
    R: AnyRegularizer,
    init: Init,
    sim: Sim,
    optima: Any,
    update: str,
    state: State | None,
) -> MetaTrajectory:
    """`meta_learn` on tasks of `Rounds`, or over a domain or with an R of one's own: OMD within each, `Algorithm1`
    between them."""
    sigma = sigmas_of(tasks)
    learned = Algorithm1(domain, R, init, meta_rules.with_gamma(sim, sigma.max()))
    if state is not None:
        learned.state = State(*(np.array(part, dtype=np.float64) for part in state))
    parts, d = list(each(tasks)), learned.phi.size
    best = [hindsight(part, domain, None, learned.phi).action for part in parts] if optima is None else optima
    best = as_floats("optima", best)
    if best.shape != (len(parts), d):
        raise ValueError(f"optima must have shape {(len(parts), d)}, got {best.shape}")
    told = [_one_task(learned, part, sigma[t], best[t], update) for t, part in enumerate(parts)]
    phis, v, eta, updates, regret, upper = map(np.array, zip(*told, strict=True))
    return MetaTrajectory(phis, v, eta, sigma, best, updates, regret, upper, learned.state)


def _one_task(learned: Algorithm1, part: Rounds, sigma: float, optimum: Array, update: str) -> tuple[Any, ...]:
    r"""$\phi_t, v_t, \eta_t, \hat\theta_t$, the regret and its bound; a task without weight teaches nothing."""
    phi, v = learned.phi, learned.v
    if not sigma > 0:
        return phi, v, 0.0, optimum, 0.0, 0.0
    _, eta = learned.start(sigma)
    state, paid, middle = OMD(learned.domain, learned.R, phi, eta), 0.0, 0 * phi
    for t in range(len(part)):
        value, g = observe(part, t, state.action)
        paid, middle = paid + value, middle + state.action / len(part)
        state.see(g)
    theta = {"optimal": optimum, "last": state.action, "average": middle}[update]
    learned.end(theta)
    upper = (bregman(learned.R, optimum, phi) / v + v) * sigma
    return phi, v, eta, theta, paid - total(part, optimum), upper


def sigmas_of(tasks: Tasks) -> Array:
    r"""$\sigma_t = (\sum_i G_{t,i}^2)^{1/2}$ (T,) from the `lipschitz` of the losses; ValueError without it."""
    if not isinstance(tasks.losses, Rounds) or tasks.losses.lipschitz is None:
        raise ValueError(f"tasks must hold Rounds with lipschitz, for sigma, got {tasks.losses!r}")
    return np.asarray(np.sqrt(np.add.reduceat(tasks.losses.lipschitz**2, tasks.offsets[:-1])))
