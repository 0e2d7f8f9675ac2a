r"""Online mirror descent in the norm of a symmetric positive definite matrix (eq:matrix), for any H and any domain.

$$\theta_i = \arg\min_{\theta\in\Theta} \tfrac12\|\theta - \phi\|_{H^{-1}}^2 + \langle\nabla_{1:i-1}, \theta\rangle$$

is `omd` with $R(x) = \frac12 x^\top H^{-1} x$ and $\eta = 1$. The free point $f = \phi - H\nabla_{1:i-1}$ needs no
inverse; where it leaves the domain the argmin is

* ball around c: $\theta = c + (I + \lambda H)^{-1}(f - c)$ with $\lambda \ge 0$ such that it is on the sphere, diagonal
  in the eigenvectors of H;
* box, H diagonal: f clipped; simplex, H diagonal: $\max(low, f - \tau\eta)$ with $\tau$ such that the sum is 1;
* box and simplex, H full: the quadratic program of `problems.mirror`.

That is `step`, which the statements on eq:matrix play; in exact numbers its twin is the mirror step in the norm of
$H^{-1}$, a rational quadratic program. The paper calls $\theta_{i+1} = \theta_i - H\nabla_i$ the same iteration; that
is so on $\mathbb R^d$ only (`preconditioned_descent`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, is_exact
from arubatheory.kernel import kernel, on, pure
from arubatheory.learners.many_runs import in_a_row
from arubatheory.learners.preconditioner import Diagonal, Factored, Preconditioner, from_matrix, preconditioner
from arubatheory.learners.stepped import Learner, play
from arubatheory.learners.trajectory import Trajectory, finite
from arubatheory.problems.arguments import checked, several
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, Domain, inside, mass, space
from arubatheory.problems.linear import is_definite
from arubatheory.problems.losses import Losses, numbers, subgradient, value
from arubatheory.problems.matrices import inverse
from arubatheory.problems.numbers import as_vector, shown
from arubatheory.problems.own.rounds import AnyLosses, Rounds
from arubatheory.problems.regularizers import MAHALANOBIS, Regularizer, mirror_step
from arubatheory.problems.scalar import twin
from arubatheory.problems.signatures import typed


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
        theta = np.minimum(np.maximum(free, domain.low), domain.high)
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


class Metric(NamedTuple):
    r"""What a step reads of H: its diagonal `eta` (d,), or if that is (0,) the `rest`, `basis` and W of a `Factored`,
    its eigenvectors V (d, r) and eigenvalues h (r,) over a ball, and $R = \frac12\|\cdot\|_{H^{-1}}^2$ over a box or
    simplex. In exact numbers R is all of it."""

    eta: Array
    rest: Any
    basis: Array
    W: Array
    V: Array
    h: Array
    R: Regularizer


def metric(H: Preconditioner, domain: Domain) -> Metric:
    """H for steps over a domain, in floats."""
    none, empty = np.empty((domain.low.size, 0)), np.empty(0)
    if isinstance(H, Diagonal):
        return Metric(H.eta, 1.0, none, none, none, empty, Regularizer(MAHALANOBIS, none))
    V, h = _spectrum(H) if domain.kind == BALL else (none, empty)
    inverse_norm = H.inverse().matrix() if domain.kind in (BOX, SIMPLEX) else none
    return Metric(empty, H.rest, H.basis, H.W, V, h, Regularizer(MAHALANOBIS, inverse_norm))


def metric_of_inverse(A: Array, domain: Domain) -> Metric:
    r"""$H = A^{-1}$ for steps over a domain, in the arithmetic of a symmetric positive definite A (d, d)."""
    if is_exact(A):
        none = np.empty(0)
        return Metric(none, None, none, none, none, none, Regularizer(MAHALANOBIS, A))
    diagonal = np.diagonal(A)
    H = Diagonal(diagonal) if np.array_equal(A, np.diag(diagonal)) else from_matrix(A)
    return metric(H.inverse(), domain)


@twin(lambda H, domain, phi, g: pure(mirror_step)(H.R, domain, phi, g))
def step(H: Metric, domain: Domain, phi: Array, g: Array) -> Array:
    r"""[exact] $\arg\min_{\theta\in\Theta} \frac12\|\theta - \phi\|_{H^{-1}}^2 + \langle g, \theta\rangle$ (d,)."""
    free = phi - _moved(H, g)
    if domain.kind == SPACE or inside(domain, free) >= 0:
        return free
    if H.eta.size > 0:
        return diagonal_step(H.eta, domain, free)
    if domain.kind == BALL:
        return _onto_ball(domain, H.V, H.h, H.rest, free)
    return mirror_step(H.R, domain, phi, g)


@kernel
def _moved(H: Metric, g: Array) -> Array:
    r"""$H g$."""
    if H.eta.size > 0:
        return H.eta * g
    if H.basis.shape[1] > 0:
        within = np.dot(H.basis.T, g)
        return H.rest * (g - np.dot(H.basis, within)) + np.dot(H.basis, np.dot(H.W, np.dot(H.W.T, within)))
    return np.dot(H.W, np.dot(H.W.T, g)) if H.W.shape[0] == g.size else H.rest * g


@kernel
def _play(L: Losses, domain: Domain, H: Metric, phi: Array) -> Any:
    actions, values, gradients, summed = np.empty_like(L.a), np.empty_like(L.b), np.empty_like(L.a), 0 * phi
    for i in range(L.b.size):
        theta = step(H, domain, phi, summed)
        actions[i], values[i], gradients[i] = theta, value(L, i, theta), subgradient(L, i, theta)
        summed = summed + gradients[i]
    return actions, values, gradients


def play_preconditioned(L: Losses, domain: Domain, H: Preconditioner, phi: Array) -> tuple[Array, Array, Array]:
    r"""Actions (m, d), values (m,) and the $\nabla_i$ (m, d) of `preconditioned_omd`, unvalidated, in floats."""
    # a spectrum or an inverse costs more than playing: first as if there were no domain
    over = domain._replace(kind=SPACE) if isinstance(H, Factored) else domain
    played: tuple[Array, Array, Array] = _play(L, over, metric(H, over), phi)
    if over.kind != domain.kind and not all(inside(domain, theta) >= 0 for theta in played[0]):
        played = _play(L, domain, metric(H, domain), phi)
    return played


class PreconditionedOMD(Learner):
    r"""`preconditioned_omd` as state: the arguments are those, `losses` aside, and so are the errors."""

    def __init__(self, domain: Domain, H: ArrayLike | Preconditioner, phi: Any) -> None:
        super().__init__(domain, phi)
        if not isinstance(domain, Domain):
            raise TypeError(f"domain must be a Domain, in which the norm of H is known, got {domain!r}")
        if is_exact(self.phi):
            self.H = metric_of_inverse(_exact_inverse(H, len(self.phi)), domain)
        else:
            self.H = metric(preconditioner(H, len(self.phi)), domain)
        self._reset()

    def _blank(self) -> Array:
        return 0 * self.phi

    def _next(self, g: Array) -> tuple[Array, Array]:
        summed = self.memory + g
        return on(step, g)(self.H, self.domain, self.phi, summed), summed


def _spectrum(H: Factored) -> tuple[Array, Array]:
    r"""V (d, r) and h (r,) with $H = V\,\mathrm{Diag}(h) V^\top + c\,(I - V V^\top)$, from the root W: it has twice the
    digits of H."""
    U, roots, _ = np.linalg.svd(H.W)
    V = U if H.whole else H.basis @ U
    if V.shape[1] == 0:  # a multiple of the identity: any direction is an eigenvector
        V, roots = np.eye(len(V), 1), np.array([np.sqrt(H.rest)])
    return np.ascontiguousarray(V), roots * roots


def preconditioned_omd(losses: AnyLosses, domain: Domain, H: ArrayLike | Preconditioner, phi: ArrayLike) -> Trajectory:
    r"""OMD preconditioned by H (eq:matrix) on m losses, from $\phi \in \Theta$:
    $$\theta_i = \arg\min_{\theta\in\Theta} \tfrac12\|\theta-\phi\|_{H^{-1}}^2 + \langle\nabla_{1:i-1},\theta\rangle.$$

    `H` is a positive number, a positive vector (d,) (its diagonal), a symmetric positive definite (d, d), or a
    `Preconditioner`; `phi` (d,). Actions (m, d). In exact numbers when the losses are, H then being a number, a vector
    or a matrix (floats are taken at their value). Losses, domain and `phi` may have a leading axis for n runs.

    Raises ValueError for a start outside the domain, an H that is not positive definite or symmetric, NaN, infinities,
    shapes that do not fit, no losses; OverflowError when a number leaves the range of float64, Undecided where a step
    onto a ball in exact numbers asks for more than the present `precision`.
    """
    if isinstance(losses, Rounds):
        return play(PreconditionedOMD(domain, H, phi), losses)
    if runs := several(losses, domain, phi):
        parts = [runs.one(k) for k in range(runs.shape[0])]
        return in_a_row([preconditioned_omd(part, over, H, start) for part, over, start in parts])
    losses, start, _ = checked(losses, domain, phi, 1)
    with np.errstate(all="ignore"):
        if is_exact(start):
            inverted = metric_of_inverse(_exact_inverse(H, len(start)), domain)
            actions, values, _ = pure(_play)(losses, domain, inverted, start)
        else:
            actions, values, _ = play_preconditioned(losses, domain, preconditioner(H, len(start)), start)
    return finite("preconditioned_omd", Trajectory(actions, values, 0 * losses.b))


@typed
def preconditioned_descent(losses: AnyLosses, H: ArrayLike | Preconditioner, phi: ArrayLike) -> Trajectory:
    r"""$\theta_1 = \phi$, $\theta_{i+1} = \theta_i - H\nabla_i$: no projection, so $\theta_i$ may leave any domain.

    Arguments and errors are those of `preconditioned_omd`.
    """
    d = losses.a.shape[-1] if isinstance(losses, Losses) else as_vector("phi", phi).size
    return preconditioned_omd(losses, space(d), H, phi)


def _exact_inverse(H: ArrayLike | Preconditioner, d: int) -> Array:
    r"""$H^{-1}$ (d, d) in rationals."""
    A, identity = numbers("H", H, True), numbers("H", np.eye(d), True)
    if A.shape not in ((), (d,), (d, d)):
        raise ValueError(f"H must have shape {(d,)} or {(d, d)}, got {A.shape}")
    if A.ndim < 2:
        A = identity * A
    if not (np.all(A == A.T) and is_definite(A)):
        raise ValueError(f"H must be symmetric and positive definite, got {shown(H)}")
    return np.asarray(pure(inverse)(A))
