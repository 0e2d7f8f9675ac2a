r"""Projected gradient descent for strongly convex losses: adaptive OGD, and OGD for dynamic regret.

With $\nabla_t \in \partial\ell_t(\theta_t)$ and an arbitrary $\theta_1 = \phi \in \Theta$,

* `aogd` (def:aogd) plays $\theta_{t+1} = \mathrm{Proj}_\Theta(\theta_t - \nabla_t/\alpha_{1:t})$ on losses that are
  $\alpha_t$-strongly convex in $\|\cdot\|_2$. The paper prints $\nabla f(\theta_t)$ for $\nabla\ell_t(\theta_t)$, and
  $t > 1$ where the step is meant for every $t \ge 1$.
* `dynamic_ogd` plays $\theta_{t+1} = \theta_t + h\,(\mathrm{Proj}_\Theta(\theta_t - \eta\nabla_t) - \theta_t)$ with
  $h \in (0, 1]$, the algorithm of Mokhtari, Shahrampour, Jadbabaie and Ribeiro (CDC 2016), whose $\gamma$ is
  $1/\eta$. The theorem of section A.4 says OGD, which is $h = 1$ and `greedy_ogd`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, Number, is_exact
from arubatheory.kernel import kernel
from arubatheory.learners.compiled_rounds import adapt, descend
from arubatheory.learners.descents import AdaptiveOGD, DynamicOGD
from arubatheory.learners.runs import each_of, played, rounds_of
from arubatheory.learners.stepped import played_as_functions
from arubatheory.learners.trajectory import Trajectory
from arubatheory.problems.arguments import checked_rates, checked_runs
from arubatheory.problems.constants import strong_convexity
from arubatheory.problems.domains import Domain
from arubatheory.problems.losses import Losses, numbers
from arubatheory.problems.numbers import real
from arubatheory.problems.own.rounds import AnyLosses
from arubatheory.problems.own.steps import AnyDomain
from arubatheory.problems.signatures import typed

_aogd_run, _dynamic_run = rounds_of(adapt), rounds_of(descend)
_aogd_runs, _dynamic_runs = each_of(_aogd_run), each_of(_dynamic_run)


@kernel
def play_aogd(L: Losses, domain: Domain, phi: Array, alpha: Array) -> Any:
    """[exact] The trajectory of `aogd`, unvalidated."""
    actions, values = np.empty_like(L.a), np.empty_like(L.b)
    _aogd_run(L, domain, phi, alpha, np.empty((3, phi.size), phi.dtype), actions, values)
    return Trajectory(actions, values, 0 * L.b)


@kernel
def play_dynamic_ogd(L: Losses, domain: Domain, phi: Array, eta: Any, h: Any) -> Any:
    """[exact] The trajectory of `dynamic_ogd`, unvalidated."""
    actions, values = np.empty_like(L.a), np.empty_like(L.b)
    _dynamic_run(L, domain, phi, (eta, h), np.empty((3, phi.size), phi.dtype), actions, values)
    return Trajectory(actions, values, 0 * L.b)


@typed
def aogd(
    losses: AnyLosses,
    domain: AnyDomain,
    phi: ArrayLike,
    alpha: ArrayLike | None = None,
    *,
    actions: bool = True,
    out: Trajectory | None = None,
) -> Trajectory:
    r"""Adaptive online gradient descent (def:aogd) on m losses from $\theta_1 = \phi \in \Theta$:
    $$\theta_{t+1} = \mathrm{Proj}_\Theta\left(\theta_t - \frac1{\alpha_{1:t}}\nabla\ell_t(\theta_t)\right).$$

    `phi` has shape (d,), `alpha` (m,), or () for one that serves every round: $\ell_t$ is $\alpha_t$-strongly convex
    in $\|\cdot\|_2$. None stands for the constants of the losses over the domain (`constants.strong_convexity`). Some
    $\alpha_t$ may be 0, but not the first: no round has a step before $\alpha_{1:t} > 0$. Actions of the result have
    shape (m, d), in exact numbers when the losses are; `actions` and `out` are those of `omd`. Losses, domain and `phi`
    may have a leading axis for n runs at once, which then have the same `alpha`, to be given.

    Raises ValueError for a start outside the domain, alpha < 0, a first alpha of 0, NaN or infinities, shapes that do
    not fit, or no losses; TypeError for two arithmetics; OverflowError when a number leaves the range of float64.
    """
    if not (isinstance(losses, Losses) and isinstance(domain, Domain)):
        return played_as_functions(AdaptiveOGD(domain, phi, alpha), losses, actions, out)
    runs = checked_runs(losses, domain, phi)
    return played("aogd", _aogd_runs, runs, _curvatures(losses, domain, alpha), actions, out)


def _curvatures(losses: Losses, domain: Domain, alpha: ArrayLike | None) -> Array:
    m = losses.b.shape[-1]
    if alpha is None:
        given = strong_convexity(losses, domain)
    else:
        given = numbers("alpha", alpha, is_exact(losses.b))
        if given.shape not in ((), (m,)):
            raise ValueError(f"alpha must have shape {(m,)} or (), got {given.shape}")
        given = np.array(np.broadcast_to(given, (m,)))
    for t in np.flatnonzero(~(given >= 0).astype(bool)):
        raise ValueError(f"alpha must be >= 0, got {given[t]} in round {t}")
    if not given[0] > 0:
        source = "the first loss is not strongly convex" if alpha is None else f"alpha={alpha!r}"
        raise ValueError(f"alpha must be > 0 in the first round, whose step is 1/alpha, got {given[0]} ({source})")
    return given


@typed
def dynamic_ogd(
    losses: AnyLosses,
    domain: AnyDomain,
    phi: ArrayLike,
    eta: ArrayLike | Number,
    h: Number = 1,
    *,
    actions: bool = True,
    out: Trajectory | None = None,
) -> Trajectory:
    r"""Online gradient descent for dynamic regret (section A.4) on m losses, from $\theta_1 = \phi \in \Theta$:
    $$\theta_{t+1} = \theta_t + h\left(\mathrm{Proj}_\Theta(\theta_t - \eta\nabla\ell_t(\theta_t)) - \theta_t\right).$$

    $\eta > 0$ is the step size and $h \in (0, 1]$ the share of the way to the projected point that is gone; $h = 1$ is
    `greedy_ogd`. For $\alpha$-strongly convex and $\beta$-smooth losses and $\eta \le 1/\beta$ a round brings
    $\theta_t$ closer to the minimiser of $\ell_t$ by the factor $\sqrt{1 - h\alpha\eta}$.

    Arguments, result and errors are those of `greedy_ogd`; ValueError unless $0 < h \le 1$, OverflowError when a number
    leaves the range of float64.
    """
    if not (isinstance(losses, Losses) and isinstance(domain, Domain)):
        return played_as_functions(DynamicOGD(domain, phi, eta, h), losses, actions, out)
    rates = checked_rates("eta", eta, losses)
    runs = checked_runs(losses, domain, phi, eta=(rates, 1))
    share = real("h", h, above=0, most=1, in_exact=is_exact(runs.phi))
    rates = np.array([(rate, share) for rate in rates.reshape(-1)], dtype=rates.dtype)
    return played("dynamic_ogd", _dynamic_runs, runs, rates, actions, out)
