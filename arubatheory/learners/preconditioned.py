r"""Online mirror descent in the norm of a symmetric positive definite matrix (eq:matrix), for any H and any domain.

$$\theta_i = \arg\min_{\theta\in\Theta} \tfrac12\|\theta - \phi\|_{H^{-1}}^2 + \langle\nabla_{1:i-1}, \theta\rangle$$

is `omd` with $R(x) = \frac12 x^\top H^{-1} x$ and $\eta = 1$. The free point $f = \phi - H\nabla_{1:i-1}$ needs no
inverse; where it leaves the domain the argmin is

* ball around c: $\theta = c + (I + \lambda H)^{-1}(f - c)$ with $\lambda \ge 0$ such that it is on the sphere, diagonal
  in the eigenvectors of H;
* box, H diagonal: f clipped; simplex, H diagonal: $\max(low, f - \tau\eta)$ with $\tau$ such that the sum is 1;
* box and simplex, H full: the quadratic program of `problems.mirror`.

The paper calls $\theta_{i+1} = \theta_i - H\nabla_i$ the same iteration; that is so on $\mathbb R^d$ only
(`preconditioned_descent`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import kernel, on
from arubatheory.learners.mirror_descent import checked, finite, omd
from arubatheory.learners.preconditioner import Diagonal, Factored, Preconditioner, preconditioner
from arubatheory.learners.trajectory import Trajectory
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, Domain, inside, mass, space
from arubatheory.problems.linear import factor, factor_solve, is_positive_definite
from arubatheory.problems.losses import Losses, numbers, subgradient, value
from arubatheory.problems.regularizers import MAHALANOBIS, Regularizer, mirror_step


# steps -----------------------------------------------------------------------------------------------------------
@kernel
def _multiplier(a: Array, h: Array, beyond: Any, rest: Any, radius: Any) -> Any:
    r"""The $\lambda$ with $\sum_j (a_j/(1 + \lambda h_j))^2 + beyond/(1 + \lambda c)^2 = r^2$, if that is more at 0.

    One over the norm is concave and increasing in $\lambda$, so Newton from 0 increases to the root.
    """
    shift = 0.0
    for _ in range(100):
        tail = beyond / (1 + shift * rest) / (1 + shift * rest)
        square, slope = tail, tail * rest / (1 + shift * rest)
        for j in range(a.size):
            y = a[j] / (1 + shift * h[j])
            square += y * y
            slope += y * y * h[j] / (1 + shift * h[j])
        size = np.sqrt(square)
        step = (size - radius) / radius * (square / slope)
        if not shift + step > shift:
            break
        shift += step
    return shift


@kernel
def _onto_ball(domain: Domain, V: Array, h: Array, rest: Any, free: Array) -> Array:
    r"""$c + (I + \lambda H)^{-1}(f - c)$ on the sphere for a free point outside the ball."""
    radius = domain.radius[0]
    if radius == 0:
        return domain.center.copy()
    y = free - domain.center
    a = np.dot(V.T, y)
    beyond = y - np.dot(V, a)
    shift = _multiplier(a, h, np.dot(beyond, beyond), rest, radius)
    return domain.center + np.dot(V, a / (1 + shift * h)) + beyond / (1 + shift * rest)


@kernel
def diagonal_step(eta: Array, domain: Domain, free: Array) -> Array:
    r"""The point of the domain nearest to `free` (d,) in $\|\cdot\|_{H^{-1}}$, $H = \mathrm{Diag}(\eta)$, in floats."""
    theta = free.copy()
    if domain.kind == BALL:
        y = free - domain.center
        if np.sum(y * y) > domain.radius[0] * domain.radius[0]:
            shift = _multiplier(y, eta, 0.0, 1.0, domain.radius[0]) if domain.radius[0] > 0 else np.inf
            theta = domain.center + y / (1 + shift * eta)
    elif domain.kind == BOX:
        for j in range(free.size):
            theta[j] = min(max(free[j], domain.low[j]), domain.high[j])
    elif domain.kind == SIMPLEX:
        theta = _onto_simplex(eta, domain.low, free)
    return theta


@kernel
def _onto_simplex(eta: Array, low: Array, free: Array) -> Array:
    r"""$\max(low, f - \tau\eta)$; $\tau$ over a shrinking support increases to its value, as in `project_simplex`.

    A large $\tau$ is rounded by more than the simplex is wide. What the sum then lacks is shared out by $\eta$, which
    is a correction to $\tau$.
    """
    d, rest, y = free.size, mass(low), free - low
    held, top = np.zeros(d, np.bool_), np.argmax(y / eta)  # which the support always holds, whatever rounding says
    tau, before, n = 0.0, d + 1, d
    while n < before:
        before, weight, total = n, 0.0, 0.0
        for j in range(d):
            if not held[j]:
                weight += eta[j]
                total += y[j]
        tau = (total - rest) / weight
        for j in range(d):
            if not held[j] and j != top and y[j] <= eta[j] * tau:
                held[j] = True
                n -= 1
    theta, weight, total = y - eta * tau, 0.0, 0.0
    for j in range(d):
        theta[j] = 0.0 if held[j] else max(theta[j], 0.0)
        total += theta[j]
        weight += 0.0 if held[j] else eta[j]
    theta = theta + eta * ((rest - total) / weight)
    for j in range(d):
        theta[j] = low[j] + (0.0 if held[j] else max(theta[j], 0.0))
    return theta


# play ------------------------------------------------------------------------------------------------------------
@kernel
def _play_diagonal(L: Losses, domain: Domain, eta: Array, phi: Array) -> Any:
    actions, values, summed = np.empty_like(L.a), np.empty_like(L.b), 0 * phi
    for i in range(L.b.size):
        theta = diagonal_step(eta, domain, phi - eta * summed)
        actions[i], values[i] = theta, value(L, i, theta)
        summed = summed + subgradient(L, i, theta)
    return actions, values


@kernel
def _moved(basis: Array, W: Array, rest: Any, g: Array) -> Array:
    r"""$H g$ for the H of a `Factored`."""
    if basis.shape[1] > 0:
        within = np.dot(basis.T, g)
        inner = np.dot(W, np.dot(W.T, within))
        return rest * (g - np.dot(basis, within)) + np.dot(basis, inner)
    return np.dot(W, np.dot(W.T, g)) if W.shape[0] == g.size else rest * g


@kernel
def _play_factored(L: Losses, domain: Domain, H: Any, V: Array, h: Array, phi: Array) -> Any:
    """Free points; those outside a ball are brought onto it where the spectrum of H is given (V with columns)."""
    basis, W, rest = H
    actions, values, summed = np.empty_like(L.a), np.empty_like(L.b), 0 * phi
    for i in range(L.b.size):
        theta = phi - _moved(basis, W, rest, summed)
        if domain.kind == BALL and V.shape[1] > 0:
            y = theta - domain.center
            if np.sum(y * y) > domain.radius[0] * domain.radius[0]:
                theta = _onto_ball(domain, V, h, rest, theta)
        actions[i], values[i] = theta, value(L, i, theta)
        summed = summed + subgradient(L, i, theta)
    return actions, values


@kernel
def _all_inside(domain: Domain, actions: Array) -> Any:
    for i in range(actions.shape[0]):
        if not inside(domain, actions[i]) >= 0:
            return False
    return True


@kernel
def _play_program(L: Losses, domain: Domain, A: Array, R: Regularizer, phi: Array) -> Any:
    """The quadratic program wherever the free point is outside."""
    actions, values, summed = np.empty_like(L.a), np.empty_like(L.b), 0 * phi
    for i in range(L.b.size):
        theta = phi - np.dot(A, summed)
        if not inside(domain, theta) >= 0:
            theta = mirror_step(R, domain, phi, summed)
        actions[i], values[i] = theta, value(L, i, theta)
        summed = summed + subgradient(L, i, theta)
    return actions, values


@kernel
def subgradients(L: Losses, actions: Array) -> Array:
    r"""$\nabla_i \in \partial\ell_i(\theta_i)$ at the actions (m, d), as every learner takes them."""
    out = np.empty_like(actions)
    for i in range(actions.shape[0]):
        out[i] = subgradient(L, i, actions[i])
    return out


def play_preconditioned(L: Losses, domain: Domain, H: Preconditioner, phi: Array) -> tuple[Array, Array]:
    """Actions (m, d) and values (m,) of `preconditioned_omd`, unvalidated, in floats."""
    if isinstance(H, Diagonal):
        return _play_diagonal(L, domain, H.eta, phi)
    matrices = (H.basis, H.W, H.rest)
    played: tuple[Array, Array] = _play_factored(L, domain, matrices, np.empty((len(phi), 0)), np.empty(0), phi)
    if domain.kind == SPACE or _all_inside(domain, played[0]):
        return played
    if domain.kind == BALL:
        V, h = spectrum(H)
        return _play_factored(L, domain, matrices, V, h, phi)
    return _play_program(L, domain, H.matrix(), Regularizer(MAHALANOBIS, H.inverse()), phi)


def spectrum(H: Factored) -> tuple[Array, Array]:
    r"""V (d, r) and h (r,) with $H = V\,\mathrm{Diag}(h) V^\top + c\,(I - V V^\top)$, from the root W: it has twice the
    digits of H."""
    U, roots, _ = np.linalg.svd(H.W)
    V = U if H.whole else H.basis @ U
    if V.shape[1] == 0:  # a multiple of the identity: any direction is an eigenvector
        V, roots = np.eye(len(V), 1), np.array([np.sqrt(H.rest)])
    return np.ascontiguousarray(V), roots * roots


# public ----------------------------------------------------------------------------------------------------------
def preconditioned_omd(losses: Losses, domain: Domain, H: Any, phi: Any) -> Trajectory:
    r"""OMD preconditioned by H (eq:matrix) on m losses, from $\phi \in \Theta$:
    $$\theta_i = \arg\min_{\theta\in\Theta} \tfrac12\|\theta-\phi\|_{H^{-1}}^2 + \langle\nabla_{1:i-1},\theta\rangle.$$

    `H` is a positive number, a positive vector (d,) (its diagonal), a symmetric positive definite (d, d), or a
    `Preconditioner`; `phi` (d,). Actions (m, d). In exact numbers when the losses are, H then being a number, a vector
    or a matrix (floats are taken at their value).

    Raises ValueError for a start outside the domain, an H that is not positive definite or symmetric, NaN, infinities,
    shapes that do not fit, no losses; OverflowError when a number leaves the range of float64.
    """
    losses, start, _ = checked(losses, domain, phi, 1)
    if is_exact(start):
        return omd(losses, domain, _exact_regularizer(H, len(start)), start, 1)
    chosen = preconditioner(H, len(start))
    with np.errstate(all="ignore"):
        actions, values = play_preconditioned(losses, domain, chosen, start)
    return finite("preconditioned_omd", Trajectory(actions, values, np.zeros(len(values))))


def preconditioned_descent(losses: Losses, H: Any, phi: Any) -> Trajectory:
    r"""$\theta_1 = \phi$, $\theta_{i+1} = \theta_i - H\nabla_i$: no projection, so $\theta_i$ may leave any domain.

    Arguments and errors are those of `preconditioned_omd`.
    """
    if not isinstance(losses, Losses):
        raise TypeError(f"losses must be a Losses, got {type(losses).__name__}")
    return preconditioned_omd(losses, space(losses.a.shape[1]), H, phi)


def _exact_regularizer(H: Any, d: int) -> Regularizer:
    r"""$R(x) = \frac12 x^\top H^{-1} x$ in rationals."""
    A = numbers("H", H, True)
    if A.ndim == 0:
        A = np.repeat(A, d)
    if A.shape not in ((d,), (d, d)):
        raise ValueError(f"H must have shape {(d,)} or {(d, d)}, got {A.shape}")
    identity = numbers("H", np.eye(d), True)
    if A.ndim == 1:
        A = identity * A
    if not (np.all(A == A.T) and is_positive_definite(A)):
        raise ValueError(f"H must be symmetric and positive definite, got {H!r}")
    f, column_of = on(factor, A)(A), on(factor_solve, A)
    return Regularizer(MAHALANOBIS, np.array([column_of(f, x) for x in identity], dtype=object))
