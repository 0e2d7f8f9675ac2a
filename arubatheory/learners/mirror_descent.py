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

import math
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, Exact, is_exact
from arubatheory.kernel import kernel, on
from arubatheory.learners.trajectory import Trajectory
from arubatheory.problems.domains import BALL, SPACE, Domain, contains, inside, project
from arubatheory.problems.losses import LINEAR, Losses, numbers, subgradient, value
from arubatheory.problems.numbers import real
from arubatheory.problems.regularizers import EUCLIDEAN, MAHALANOBIS, Regularizer, check_pair, mirror_step
from arubatheory.problems.scalar import exceeds, larger, overflows


@kernel
def _all_linear(L: Losses) -> Any:
    for i in range(L.link.shape[0]):
        if L.link[i] != LINEAR or L.ridge[i] > 0:
            return False
    return True


@kernel
def _linear_on_ball(L: Losses, domain: Domain, phi: Array, eta: Any, lazy: bool) -> Any:
    r"""Euclidean steps on a ball under linear losses: every gradient is read from memory once.

    With $s_i$ the unprojected point minus the centre, $\theta_i = c + k_i s_i$ with $k_i = \min(1, r/\|s_i\|)$, and
    $s_{i+1} = k_i s_i - \eta w_i a_i$ (greedy) or $s_i - \eta w_i a_i$ (lazy). One loop, nothing called in it: a call
    or an array reached through a tuple inside the loop costs as much as the round itself when d is small.
    """
    a, b, weight, center, radius = L.a, L.b, L.weight, domain.center, domain.radius[0]
    actions, values = np.empty_like(a), np.empty_like(b)
    m, d = a.shape
    s, zero, whole = phi - center, 0 * eta, radius * radius
    square, one = zero, 1 + zero
    for j in range(d):
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
    return actions, values


@kernel
def _far(radius: Any, s: Array) -> Any:
    r"""$r/\|s\|_2$ where the square of the norm overflows."""
    largest = np.max(np.abs(s))
    scaled = s / largest
    return radius / largest / np.sqrt(np.sum(scaled * scaled))


@kernel
def play_omd(L: Losses, domain: Domain, R: Regularizer, phi: Array, eta: Any) -> Any:
    """[exact] The trajectory of `omd`, unvalidated."""
    gap = 0 * L.b
    if R.kind == EUCLIDEAN and domain.kind == BALL and _all_linear(L):
        actions, values = _linear_on_ball(L, domain, phi, eta, True)
        return Trajectory(actions, values, gap)
    actions, values = np.empty_like(L.a), np.empty_like(L.b)
    total = 0 * phi
    for i in range(L.a.shape[0]):
        theta = mirror_step(R, domain, phi, eta * total)
        actions[i] = theta
        values[i] = value(L, i, theta)
        total = total + subgradient(L, i, theta)
    return Trajectory(actions, values, gap)


@kernel
def play_greedy_ogd(L: Losses, domain: Domain, phi: Array, eta: Any) -> Any:
    """[exact] The trajectory of `greedy_ogd`, unvalidated."""
    gap = 0 * L.b
    if domain.kind == BALL and _all_linear(L):
        actions, values = _linear_on_ball(L, domain, phi, eta, False)
        return Trajectory(actions, values, gap)
    actions, values = np.empty_like(L.a), np.empty_like(L.b)
    theta = phi.copy()
    for i in range(L.a.shape[0]):
        actions[i] = theta
        values[i] = value(L, i, theta)
        theta = project(domain, theta - eta * subgradient(L, i, theta))
    return Trajectory(actions, values, gap)


def omd(losses: Losses, domain: Domain, R: Regularizer, phi: Any, eta: Any) -> Trajectory:
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


def greedy_ogd(losses: Losses, domain: Domain, phi: Any, eta: Any) -> Trajectory:
    r"""Greedy projected online gradient descent: $\theta_1 = \phi$,
    $\theta_{t+1} = \mathrm{Proj}_\Theta(\theta_t - \eta\nabla_t)$.

    Arguments, result and errors are those of `omd` with $R = \frac12\|\cdot\|_2^2$ (Zinkevich, ICML 2003).
    """
    losses, start, step = checked(losses, domain, phi, eta)
    with np.errstate(all="ignore"):
        return finite("greedy_ogd", on(play_greedy_ogd, start)(losses, domain, start, step))


def checked(losses: Losses, domain: Domain, phi: Any, eta: Any) -> tuple[Losses, Array, Any]:
    """The losses in C order, `phi` and `eta` in their arithmetic, or the error that names what is wrong."""
    if not isinstance(losses, Losses):
        raise TypeError(f"losses must be a Losses, got {type(losses).__name__}")
    if not isinstance(domain, Domain):
        raise TypeError(f"domain must be a Domain, got {type(domain).__name__}")
    m, d = losses.a.shape
    if m == 0:
        raise ValueError("losses must hold at least one loss, got none")
    if domain.low.size != d:
        raise ValueError(f"domain must have dimension {d} as the losses do, got {domain.low.size}")
    if domain.kind != SPACE or not is_exact(losses.a):
        _check_arithmetic("domain", domain.low, losses)
    start = numbers("phi", phi, is_exact(losses.a))
    if start.shape != (d,):
        raise ValueError(f"phi must have shape {(d,)}, got {start.shape}")
    step = real("eta", eta, above=0, in_exact=is_exact(start))
    if domain.kind != SPACE and not on(inside, start)(domain, start) >= 0 and not contains(domain, start):
        raise ValueError(f"phi must lie in the domain, got {phi!r}")
    if not (losses.a.flags.c_contiguous and losses.c.flags.c_contiguous):  # a kernel compiles anew for each layout
        losses = Losses(*map(np.ascontiguousarray, losses))
    return losses, start, step


def check_regularizer(R: Regularizer, domain: Domain, losses: Losses) -> None:
    """`check_pair`, and TypeError for a matrix in another arithmetic than the losses."""
    check_pair(R, domain)
    if R.kind == MAHALANOBIS:
        _check_arithmetic("R", R.matrix, losses)


def _check_arithmetic(name: str, array: Array, losses: Losses) -> None:
    if is_exact(array) and not is_exact(losses.a):
        raise TypeError(f"{name} is exact and the losses are floats: convert the losses with exact()")
    if is_exact(losses.a) and not is_exact(array):
        raise TypeError(f"{name} is in floats and the losses are exact: convert {name} with exact()")


def finite(name: str, trajectory: Trajectory) -> Trajectory:
    """The trajectory itself, or OverflowError if a float overflowed on the way (then some value is not finite)."""
    total = trajectory.values.sum()
    if not isinstance(total, Exact) and not math.isfinite(total):
        bad = ~np.isfinite(trajectory.values) | ~np.isfinite(trajectory.actions).all(axis=1)
        if bad.any():
            raise OverflowError(f"{name} left the range of float64 at round {int(np.argmax(bad))}")
    return trajectory
