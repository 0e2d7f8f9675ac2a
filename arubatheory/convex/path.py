r"""The central path of a `Problem`: its variables, and where it starts.

A loss with a kink is a maximum over a dual number, $\psi(z) = \max_{l \le \lambda \le u} \lambda y - \frac h2\lambda^2$
($y = z$, or $z - 1$ for the hinge; $h = 1$ for Huber, else 0); a distance is a maximum over a dual vector
$|v| \le 1$; the logistic loss is the same with the entropy of $\lambda$ in place of the bounds. The central path of
the parameter $\tau$ replaces complementarity by products equal to $\tau$:
$$y - h\lambda = p - q,\quad \eta w\, p\,(u - \lambda) = \eta w\, q\,(\lambda - l) = \tau,\qquad
  x - c = k v,\quad \eta w\, k (1 - |v|^2) = 2\tau,$$
and a multiplier times the slack of its domain constraint equals $\tau$ as well. Slacks are state, not differences: a
difference such as $u - \lambda$ keeps no relative accuracy once it is below rounding, and everything here divides by
it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.convex.problem import Problem
from arubatheory.kernel import borrowing, kernel, standing
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, Domain, mass
from arubatheory.problems.linear import dot
from arubatheory.problems.losses import ABSOLUTE, DISTANCE, HINGE, HUBER, LOGISTIC, Losses
from arubatheory.problems.regularizers import ENTROPY, Regularizer
from arubatheory.problems.scalar import rounding


class PathState(NamedTuple):
    r"""Where the path stands. `free` (d,) marks coordinates that can move; `slack` and `mult` are (2, d): below, above.

    Per loss: `up` $= u - \lambda$, `down` $= \lambda - l$, p, q; for a distance the rows of `v`, `y` $= x - c$, the
    slack `s` $= 1 - |v|^2$ and k. `ball` holds $(r^2 - |x - c|^2)/2$ and its multiplier.
    """

    x: Array
    free: Array
    slack: Array
    mult: Array
    ball: Array
    up: Array
    down: Array
    p: Array
    q: Array
    v: Array
    y: Array
    s: Array
    k: Array


@kernel
def copied(state: PathState) -> PathState:
    r"""An independent copy of a state."""
    x, slack, mult, ball = state.x.copy(), state.slack.copy(), state.mult.copy(), state.ball.copy()
    up, down, p, q = state.up.copy(), state.down.copy(), state.p.copy(), state.q.copy()
    v, y, s, k = state.v.copy(), state.y.copy(), state.s.copy(), state.k.copy()
    return PathState(x, state.free, slack, mult, ball, up, down, p, q, v, y, s, k)


@borrowing
def kinked(link: int) -> Any:
    r"""Whether the dual number of the link lives in an interval with a barrier."""
    return link == ABSOLUTE or link == HINGE or link == HUBER


@borrowing
def upper_end(link: int) -> int:
    r"""Where the interval of $\lambda$ ends: $[-1, 0]$ for hinge and logistic, else $[-1, 1]$."""
    return 0 if link == HINGE or link == LOGISTIC else 1


@borrowing
def dual(link: int, up: Any, down: Any) -> Any:
    r"""$\lambda$ from its distances to the ends of its interval, accurate near 0 too."""
    return -up if upper_end(link) == 0 else down - 1


@borrowing
def bounded(R: Regularizer, domain: Domain, j: int, side: int) -> Any:
    r"""Whether $x_j \ge$ `low` (side 0) or $x_j \le$ `high` (side 1) needs a barrier: entropy keeps $x_j \ge 0$ by
    itself."""
    if domain.kind != BOX and (domain.kind != SIMPLEX or side == 1):
        return False
    return side == 1 or not (R.kind == ENTROPY and domain.low[j] == 0)


@kernel
def free_coordinates(P: Problem) -> Array:
    r"""1 where $x_j$ can move, 0 where the domain or an entropy start $\phi_j = 0$ pins it."""
    R, domain, phi = P.R, P.domain, P.phi
    d = phi.shape[0]
    free = np.ones(d, np.int64)
    for j in range(d):
        if R.kind == ENTROPY and phi[j] == 0:
            free[j] = 0
        if domain.kind == BOX and not domain.low[j] < domain.high[j]:
            free[j] = 0
    # Floors that sum to 1 up to the rounding of the sum leave no interior to start from.
    if domain.kind == SIMPLEX and not mass(domain.low) > d * rounding(phi[0]):
        free[:] = 0
    # A ball of the positive orthant meets the face x_j = 0 in one point at most.
    if domain.kind == BALL and (free.min() == 0 or not domain.radius[0] > 0):
        free[:] = 0
    return free


@kernel
def interior(domain: Domain, phi: Array, free: Array) -> Array:
    r"""A point of the relative interior (the start itself on $\mathbb R^d$)."""
    middle = (domain.low + domain.high) / 2 if domain.kind == BOX else phi
    if domain.kind == BALL:
        middle = domain.center
    elif domain.kind == SIMPLEX:
        middle = domain.low + mass(domain.low) / max(free.sum(), 1)
    return np.where(free == 1, middle, phi)


@borrowing
def argument_and_noise(L: Losses, i: int, x: Array) -> Any:
    r"""$z = \langle a_i, x\rangle - b_i$ and a bound on its rounding."""
    z, size = -L.b[i], abs(L.b[i])
    for j in range(x.shape[0]):
        z = z + L.a[i, j] * x[j]
        size = size + abs(L.a[i, j] * x[j])
    return z, size * rounding(z) * (x.shape[0] + 1) / 2


@borrowing
def bend_argument(L: Losses, i: int, x: Array) -> Any:
    r"""y of loss i, z or z - 1 for the hinge, and a bound on its rounding."""
    z, noise = argument_and_noise(L, i, x)
    if L.link[i] == HINGE:
        return z - 1, noise + rounding(z) * abs(z - 1)
    return z, noise


@standing
def begin(P: Problem, tau: Any) -> PathState:
    r"""A state in the interior whose products are about $\tau$ and whose slacks are consistent."""
    L, n, domain, R, eta, d = P.losses, P.n, P.domain, P.R, P.eta, P.phi.shape[0]
    free = free_coordinates(P)
    x = interior(domain, P.phi, free)
    one, zero = 1 + 0 * eta, 0 * eta
    slack, mult, ball = np.zeros((2, d), x.dtype) + one, np.zeros((2, d), x.dtype) + one, np.zeros(2, x.dtype) + one
    for j in range(d):
        for side in range(2):
            if free[j] == 1 and bounded(R, domain, j, side):
                slack[side, j] = x[j] - domain.low[j] if side == 0 else domain.high[j] - x[j]
                mult[side, j] = tau / slack[side, j]
    if domain.kind == BALL and domain.radius[0] > 0:
        ball[0] = domain.radius[0] * domain.radius[0] / 2
        ball[1] = tau / ball[0]
    ones = np.zeros(n, x.dtype) + one
    v, y = np.zeros((n, d), x.dtype) + zero, np.zeros((n, d), x.dtype) + zero
    up, down, p, q, s, k = ones, ones.copy(), ones.copy(), ones.copy(), ones.copy(), ones.copy()
    state = PathState(x, free, slack, mult, ball, up, down, p, q, v, y, s, k)
    for i in range(n):
        if L.weight[i] > 0:
            _begin_loss(L, i, state, tau / (eta * L.weight[i]))
    return state


@borrowing
def _begin_loss(L: Losses, i: int, state: PathState, t: Any) -> None:
    link = L.link[i]
    if upper_end(link) == 0:
        state.up[i], state.down[i] = state.up[i] / 2, state.down[i] / 2
    if kinked(link):
        z = bend_argument(L, i, state.x)[0]
        if link == HUBER:
            z = z - (state.down[i] - 1)
        least = t / state.up[i]
        state.p[i] = (abs(z) + z) / 2 + least
        state.q[i] = (abs(z) - z) / 2 + least
    if link == DISTANCE:
        for j in range(state.x.shape[0]):
            state.y[i, j] = state.x[j] - L.c[i, j]
        # k solves k (1 - |y|^2/k^2) = 2t, so the start is on the path of its own loss.
        k = t + np.sqrt(t * t + dot(state.y[i], state.y[i]))
        state.k[i], state.s[i] = k, 2 * t / k
        for j in range(state.x.shape[0]):
            state.v[i, j] = state.y[i, j] / k


@borrowing
def products(P: Problem, state: PathState) -> Any:
    r"""The sum of the complementarity products and their number: $\tau$ is about their quotient."""
    L, domain, R, eta = P.losses, P.domain, P.R, P.eta
    total, count = 0 * eta, 0
    for j in range(state.x.shape[0]):
        for side in range(2):
            if state.free[j] == 1 and bounded(R, domain, j, side):
                total, count = total + state.mult[side, j] * state.slack[side, j], count + 1
    if domain.kind == BALL and domain.radius[0] > 0:
        total, count = total + state.ball[0] * state.ball[1], count + 1
    for i in range(P.n):
        rate = eta * L.weight[i]
        if kinked(L.link[i]) and L.weight[i] > 0:
            total, count = total + rate * (state.p[i] * state.up[i] + state.q[i] * state.down[i]), count + 2
        if L.link[i] == DISTANCE and L.weight[i] > 0:
            total, count = total + rate * state.k[i] * state.s[i], count + 2
    return total, count
