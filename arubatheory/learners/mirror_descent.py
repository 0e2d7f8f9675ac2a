r"""Online mirror descent, lazy and linearised as the paper defines it, and greedy projected gradient descent.

Setting: losses $\ell_1, \ell_2, \dots$ on a convex $\Theta \subset \mathbb R^d$, a regulariser $R$, a start
$\phi \in \Theta$, a step size $\eta > 0$, and $\nabla_s \in \partial\ell_s(\theta_s)$.

* `omd` (def:omd):
  $\theta_t = \arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \eta\sum_{s<t}\langle\nabla_s, \theta\rangle$.
* `greedy_ogd`: $\theta_1 = \phi$, $\theta_{t+1} = \mathrm{Proj}_\Theta(\theta_t - \eta\nabla_t)$, Zinkevich's
  algorithm.

With $R = \frac12\|\cdot\|_2^2$ both are called online gradient descent. They agree on $\mathbb R^d$ and differ on
bounded domains: the lazy one projects the sum of all gradients from $\phi$, the greedy one forgets what was projected
away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, Number
from arubatheory.kernel import borrowing, kernel, on
from arubatheory.learners.ogd import dynamic_ogd_into
from arubatheory.learners.trajectory import Trajectory, finite
from arubatheory.problems.arguments import check_regularizer, checked
from arubatheory.problems.domains import BALL, Domain, project_into
from arubatheory.problems.losses import LINEAR, Losses, observe
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer, mirror_step
from arubatheory.problems.scalar import exceeds, larger, overflows


@borrowing
def _all_linear(L: Losses) -> Any:
    for i in range(L.link.shape[0]):
        if L.link[i] != LINEAR or L.ridge[i] > 0:
            return False
    return True


@borrowing
def _linear_on_ball(
    L: Losses, domain: Domain, phi: Array, eta: Any, lazy: bool, s: Array, actions: Array, values: Array
) -> None:
    r"""Euclidean steps on a ball under linear losses: every gradient is read from memory once.

    With $s_i$ the unprojected point minus the centre, $\theta_i = c + k_i s_i$ with $k_i = \min(1, r/\|s_i\|)$, and
    $s_{i+1} = k_i s_i - \eta w_i a_i$ (greedy) or $s_i - \eta w_i a_i$ (lazy). One loop, nothing called in it: a call
    or an array reached through a tuple inside the loop costs as much as the round itself when d is small.
    """
    a, b, weight, center, radius = L.a, L.b, L.weight, domain.center, domain.radius[0]
    m, d = a.shape
    zero, whole = 0 * eta, radius * radius
    square, one = zero, 1 + zero
    for j in range(d):
        s[j] = phi[j] - center[j]
        square = square + s[j] * s[j]
    for i in range(m):
        k = one
        if exceeds(square, whole):
            k = _far(radius, s) if overflows(square) else radius / np.sqrt(larger(square, whole))
        kept = one if lazy else k
        step, dot, square = eta * weight[i], zero, zero
        for j in range(d):
            g, t = a[i, j], s[j]
            x, y = center[j] + k * t, kept * t - step * g
            actions[i, j], s[j] = x, y
            dot = dot + g * x
            square = square + y * y
        values[i] = weight[i] * (dot - b[i])


@borrowing
def _far(radius: Any, s: Array) -> Any:
    r"""$r/\|s\|_2$ where the square of the norm overflows."""
    largest, square = abs(s[0]), 0 * s[0]
    for j in range(1, s.shape[0]):
        largest = larger(largest, abs(s[j]))
    for j in range(s.shape[0]):
        square = square + (s[j] / largest) * (s[j] / largest)
    return radius / largest / np.sqrt(square)


@kernel
def play_omd(L: Losses, domain: Domain, R: Regularizer, phi: Array, eta: Any) -> Any:
    """[exact] The trajectory of `omd`, unvalidated."""
    actions, values = np.empty_like(L.a), np.empty_like(L.b)
    omd_into(L, domain, R, phi, eta, actions, values)
    return Trajectory(actions, values, 0 * L.b)


@kernel
def omd_into(L: Losses, domain: Domain, R: Regularizer, phi: Array, eta: Any, actions: Array, values: Array) -> None:
    r"""[exact] Write the actions and values of `omd` into arrays (m, d) and (m,), unvalidated."""
    total, g, support = 0 * phi, 0 * phi, np.empty(phi.size, np.bool_)
    if R.kind == EUCLIDEAN:
        _euclidean_omd(L, domain, phi, eta, total, g, support, actions, values)
        return
    for i in range(L.a.shape[0]):
        theta = mirror_step(R, domain, phi, eta * total)
        values[i] = observe(L, i, theta, g)
        for j in range(phi.size):
            actions[i, j], total[j] = theta[j], total[j] + g[j]


@borrowing
def _euclidean_omd(
    L: Losses,
    domain: Domain,
    phi: Array,
    eta: Any,
    total: Array,
    g: Array,
    support: Array,
    actions: Array,
    values: Array,
) -> None:
    if domain.kind == BALL and _all_linear(L):
        _linear_on_ball(L, domain, phi, eta, True, g, actions, values)
        return
    for i in range(L.a.shape[0]):
        theta = actions[i]
        for j in range(phi.size):
            theta[j] = phi[j] - eta * total[j]
        project_into(domain, theta, theta, support)
        values[i] = observe(L, i, theta, g)
        for j in range(phi.size):
            total[j] = total[j] + g[j]


@kernel
def play_greedy_ogd(L: Losses, domain: Domain, phi: Array, eta: Any) -> Any:
    """[exact] The trajectory of `greedy_ogd`, unvalidated."""
    actions, values = np.empty_like(L.a), np.empty_like(L.b)
    greedy_ogd_into(L, domain, phi, eta, actions, values)
    return Trajectory(actions, values, 0 * L.b)


@kernel
def greedy_ogd_into(L: Losses, domain: Domain, phi: Array, eta: Any, actions: Array, values: Array) -> None:
    r"""[exact] Write the actions and values of `greedy_ogd` into arrays (m, d) and (m,), unvalidated."""
    if domain.kind == BALL and _all_linear(L):
        _linear_on_ball(L, domain, phi, eta, False, 0 * phi, actions, values)
    else:
        dynamic_ogd_into(L, domain, phi, eta, 1, actions, values)


def omd(losses: Losses, domain: Domain, R: Regularizer, phi: ArrayLike, eta: Number) -> Trajectory:
    r"""Lazy linearised online mirror descent (def:omd) on m losses, from $\phi \in \Theta$ with step size $\eta > 0$:
    $$\theta_t = \arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \eta\sum_{s<t} \langle\nabla_s, \theta\rangle.$$

    `phi` has shape (d,); actions of the result have shape (m, d). In exact numbers when the losses are.

    Raises ValueError for a start outside the domain, eta <= 0, NaN or infinities, shapes that do not fit, no losses,
    or a regulariser that is not defined on the domain; TypeError for two arithmetics and for other types;
    OverflowError when a number leaves the range of float64.
    """
    losses, start, step = checked(losses, domain, phi, eta)
    check_regularizer(R, domain, losses)
    with np.errstate(all="ignore"):  # uncompiled, numpy would warn of what `finite` reports
        return finite("omd", on(play_omd, start)(losses, domain, R, start, step))


def greedy_ogd(losses: Losses, domain: Domain, phi: ArrayLike, eta: Number) -> Trajectory:
    r"""Greedy projected online gradient descent: $\theta_1 = \phi$,
    $\theta_{t+1} = \mathrm{Proj}_\Theta(\theta_t - \eta\nabla_t)$.

    Arguments, result and errors are those of `omd` with $R = \frac12\|\cdot\|_2^2$ (Zinkevich, ICML 2003).
    """
    losses, start, step = checked(losses, domain, phi, eta)
    with np.errstate(all="ignore"):
        return finite("greedy_ogd", on(play_greedy_ogd, start)(losses, domain, start, step))
