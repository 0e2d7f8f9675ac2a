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
from arubatheory.kernel import borrowing, kernel, on
from arubatheory.learners.trajectory import Trajectory, finite
from arubatheory.problems.arguments import checked
from arubatheory.problems.constants import strong_convexity
from arubatheory.problems.domains import Domain, project_into
from arubatheory.problems.losses import Losses, numbers, observe
from arubatheory.problems.numbers import real


@kernel
def play_aogd(L: Losses, domain: Domain, phi: Array, alpha: Array) -> Any:
    """[exact] The trajectory of `aogd`, unvalidated."""
    actions, values = np.empty_like(L.a), np.empty_like(L.b)
    aogd_into(L, domain, phi.copy(), alpha, 0 * phi, np.empty(phi.size, np.bool_), actions, values)
    return Trajectory(actions, values, 0 * L.b)


@borrowing
def aogd_into(
    L: Losses, domain: Domain, theta: Array, alpha: Array, g: Array, support: Array, actions: Array, values: Array
) -> None:
    r"""[exact] Write the actions and values of `aogd` from `theta`, which moves; g (d,) is room for a gradient."""
    total = alpha[0] - alpha[0]
    for t in range(L.a.shape[0]):
        for j in range(theta.shape[0]):
            actions[t, j] = theta[j]
        values[t] = observe(L, t, theta, g)
        total = total + alpha[t]
        for j in range(theta.shape[0]):
            theta[j] = theta[j] - g[j] / total
        project_into(domain, theta, theta, support)


@kernel
def play_dynamic_ogd(L: Losses, domain: Domain, phi: Array, eta: Any, h: Any) -> Any:
    """[exact] The trajectory of `dynamic_ogd`, unvalidated."""
    actions, values = np.empty_like(L.a), np.empty_like(L.b)
    dynamic_ogd_into(L, domain, phi, eta, h, actions, values)
    return Trajectory(actions, values, 0 * L.b)


@kernel
def dynamic_ogd_into(L: Losses, domain: Domain, phi: Array, eta: Any, h: Any, actions: Array, values: Array) -> None:
    r"""[exact] Write the actions and values of `dynamic_ogd` into arrays (m, d) and (m,), unvalidated."""
    _descend(L, domain, phi.copy(), eta, h, 0 * phi, np.empty(phi.size, np.bool_), actions, values)


@borrowing
def _descend(
    L: Losses, domain: Domain, theta: Array, eta: Any, h: Any, g: Array, support: Array, actions: Array, values: Array
) -> None:
    for t in range(L.a.shape[0]):
        for j in range(theta.shape[0]):
            actions[t, j] = theta[j]
        values[t] = observe(L, t, theta, g)
        for j in range(theta.shape[0]):
            g[j] = theta[j] - eta * g[j]
        project_into(domain, g, g, support)
        for j in range(theta.shape[0]):
            # theta + 1 * (target - theta) is not always target in floats, and may leave the domain by a rounding
            theta[j] = g[j] if h == 1 else theta[j] + h * (g[j] - theta[j])


def aogd(losses: Losses, domain: Domain, phi: ArrayLike, alpha: ArrayLike | None = None) -> Trajectory:
    r"""Adaptive online gradient descent (def:aogd) on m losses from $\theta_1 = \phi \in \Theta$:
    $$\theta_{t+1} = \mathrm{Proj}_\Theta\left(\theta_t - \frac1{\alpha_{1:t}}\nabla\ell_t(\theta_t)\right).$$

    `phi` has shape (d,), `alpha` (m,), or () for one that serves every round: $\ell_t$ is $\alpha_t$-strongly convex
    in $\|\cdot\|_2$. None stands for the constants of the losses over the domain (`constants.strong_convexity`). Some
    $\alpha_t$ may be 0, but not the first: no round has a step before $\alpha_{1:t} > 0$. Actions of the result have
    shape (m, d), in exact numbers when the losses are.

    Raises ValueError for a start outside the domain, alpha < 0, a first alpha of 0, NaN or infinities, shapes that do
    not fit, or no losses; TypeError for two arithmetics; OverflowError when a number leaves the range of float64.
    """
    losses, start, _ = checked(losses, domain, phi, 1)
    curvature = _curvatures(losses, domain, alpha)
    with np.errstate(all="ignore"):  # uncompiled, numpy would warn of what `finite` reports
        return finite("aogd", on(play_aogd, start)(losses, domain, start, curvature))


def _curvatures(losses: Losses, domain: Domain, alpha: ArrayLike | None) -> Array:
    m = losses.b.size
    if alpha is None:
        given = strong_convexity(losses, domain)
    else:
        given = numbers("alpha", alpha, is_exact(losses.b))
        if given.shape not in ((), (m,)):
            raise ValueError(f"alpha must have shape {(m,)} or (), got {given.shape}")
        given = np.array(np.broadcast_to(given, (m,)))
    for t, a in enumerate(given):
        if not a >= 0:
            raise ValueError(f"alpha must be >= 0, got {a!r} in round {t}")
    if not given[0] > 0:
        source = "the first loss is not strongly convex" if alpha is None else f"alpha={alpha!r}"
        raise ValueError(f"alpha must be > 0 in the first round, whose step is 1/alpha, got {given[0]!r} ({source})")
    return given


def dynamic_ogd(losses: Losses, domain: Domain, phi: ArrayLike, eta: Number, h: Number = 1) -> Trajectory:
    r"""Online gradient descent for dynamic regret (section A.4) on m losses, from $\theta_1 = \phi \in \Theta$:
    $$\theta_{t+1} = \theta_t + h\left(\mathrm{Proj}_\Theta(\theta_t - \eta\nabla\ell_t(\theta_t)) - \theta_t\right).$$

    $\eta > 0$ is the step size and $h \in (0, 1]$ the share of the way to the projected point that is gone; $h = 1$ is
    `greedy_ogd`. For $\alpha$-strongly convex and $\beta$-smooth losses and $\eta \le 1/\beta$ a round brings
    $\theta_t$ closer to the minimiser of $\ell_t$ by the factor $\sqrt{1 - h\alpha\eta}$.

    Arguments, result and errors are those of `greedy_ogd`; ValueError unless $0 < h \le 1$, OverflowError when a number
    leaves the range of float64.
    """
    losses, start, step = checked(losses, domain, phi, eta)
    share = real("h", h, above=0, most=1, in_exact=is_exact(start))
    with np.errstate(all="ignore"):
        return finite("dynamic_ogd", on(play_dynamic_ogd, start)(losses, domain, start, step, share))
