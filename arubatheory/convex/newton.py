r"""One primal-dual Newton step along the central path (`path`), in floats or in balls.

`advance` is an ordinary kernel: in floats it runs some twenty times from a point in the interior (`solver`); in balls
it continues from the float answer and gains digits (`enclosure`). Duals and multipliers are eliminated, so the linear
system is that of the d coordinates of x. Nothing in this module is a certificate; see `gap`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.convex.path import PathState, bend_argument, bounded
from arubatheory.convex.problem import Problem
from arubatheory.kernel import borrowing, kernel, standing
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, Domain
from arubatheory.problems.linear import dot, factor, factor_solve
from arubatheory.problems.losses import DISTANCE, HUBER, LINEAR, LOGISTIC, SQUARE, Losses, argument
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, MAHALANOBIS, Regularizer
from arubatheory.problems.scalar import exceeds, larger, smaller, twin


@borrowing
def _assemble(P: Problem, state: PathState, tau: Any, H: Array, r: Array) -> None:
    r"""The Newton system $H \Delta = r$ after the duals are eliminated."""
    L, R, phi, eta, kappa, x = P.losses, P.R, P.phi, P.eta, P.kappa, state.x
    for j in range(r.shape[0]):
        r[j] = 0 * eta
        for e in range(r.shape[0]):
            H[j, e] = kappa * R.matrix[j, e] if R.kind == MAHALANOBIS else 0 * eta
        if R.kind == MAHALANOBIS:
            # A loop of its own: compiled as one sum it is rounded less, which saves one step in twenty.
            for e in range(r.shape[0]):
                r[j] = r[j] - kappa * R.matrix[j, e] * (x[e] - phi[e])
        elif R.kind == ENTROPY and state.free[j] == 1:
            H[j, j] = kappa / x[j]
            r[j] = -kappa * np.log(x[j] / phi[j])
        elif R.kind == EUCLIDEAN:
            H[j, j] = kappa + 0 * eta
            r[j] = -kappa * (x[j] - phi[j])
    _add_domain(R, P.domain, state, tau, H, r)
    for i in range(P.n):
        _add_loss(L, i, eta, state, tau, H, r)


@borrowing
def _add_domain(R: Regularizer, domain: Domain, state: PathState, tau: Any, H: Array, r: Array) -> None:
    d = r.shape[0]
    for j in range(d):
        for side in range(2):
            if state.free[j] == 1 and bounded(R, domain, j, side):
                H[j, j] = H[j, j] + state.mult[side, j] / state.slack[side, j]
                r[j] = r[j] + (1 - 2 * side) * tau / state.slack[side, j]
    if domain.kind == BALL:
        for j in range(d):
            u = state.x[j] - domain.center[j]
            H[j, j] = H[j, j] + state.ball[1]
            r[j] = r[j] - tau / state.ball[0] * u
            for e in range(d):
                H[j, e] = H[j, e] + state.ball[1] / state.ball[0] * u * (state.x[e] - domain.center[e])


@borrowing
def _add_loss(L: Losses, i: int, eta: Any, state: PathState, tau: Any, H: Array, r: Array) -> None:
    d = state.x.shape[0]
    link, rate = L.link[i], eta * L.ridge[i]
    if L.ridge[i] > 0:
        for j in range(d):
            H[j, j] = H[j, j] + rate
            r[j] = r[j] - rate * (state.x[j] - L.c[i, j])
    if not L.weight[i] > 0:
        return
    rate = eta * L.weight[i]
    if link == DISTANCE:
        _add_distance(i, rate, state, tau / rate, H, r)
        return
    slope, rise, curvature = _dual_newton(L, i, state, tau / rate)
    for j in range(d):
        r[j] = r[j] - rate * (slope + rise) * L.a[i, j]
        if link != LINEAR:
            for e in range(d):
                H[j, e] = H[j, e] + rate * curvature * L.a[i, j] * L.a[i, e]


@borrowing
def _dual_newton(L: Losses, i: int, state: PathState, t: Any) -> Any:
    r"""$(\lambda, \delta, 1/D)$ such that $\lambda^{new} = \lambda + \delta + \langle a, \Delta\rangle / D$. Apart,
    since the distance to an end of the interval may change by far less than $\lambda$ is rounded."""
    link = L.link[i]
    if link == LINEAR:
        return 1 + 0 * t, 0 * t, 0 * t
    if link == SQUARE:
        return argument(L, i, state.x), 0 * t, 1 + 0 * t
    up, down = state.up[i], state.down[i]
    if link == LOGISTIC:
        miss = argument(L, i, state.x) - np.log(down / up)
        return down - 1, miss * up * down, up * down
    flat = state.p[i] / up + state.q[i] / down
    y, noise = bend_argument(L, i, state.x)
    if link == HUBER:
        flat = flat + 1
        y = y - (down - 1)
    # y = p - q holds along straight steps, and then p - q has the digits that y has lost.
    miss = state.p[i] - state.q[i]
    if exceeds(abs(y - miss), 4 * noise):
        miss = y
    return down - 1, (miss - t / up + t / down) / flat, 1 / flat


@borrowing
def _add_distance(i: int, rate: Any, state: PathState, t: Any, H: Array, r: Array) -> None:
    r"""$\Delta v = M^{-1}(\Delta + y - (2t/s) v)$ with $M^{-1} = (I - 2 v v^T/(1 + |v|^2))/k$."""
    d = state.x.shape[0]
    s, k = state.s[i], state.k[i]
    fold = 2 / (2 - s)
    inner = 0 * t
    for j in range(d):
        inner = inner + state.v[i, j] * (state.y[i, j] - 2 * t / s * state.v[i, j])
    for j in range(d):
        vj = state.v[i, j]
        e = state.y[i, j] - 2 * t / s * vj
        r[j] = r[j] - rate * (vj + (e - fold * inner * vj) / k)
        H[j, j] = H[j, j] + rate / k
        for f in range(d):
            H[j, f] = H[j, f] - rate * fold * vj * state.v[i, f] / k


@kernel
def _direction(domain: Domain, state: PathState, H: Array, r: Array) -> Array:
    r"""$\Delta$ over the free coordinates, on the simplex with $\sum_j x_j + \Delta_j = 1$."""
    d = r.shape[0]
    for j in range(d):
        if state.free[j] == 0:
            H[j, :], H[:, j] = 0 * r[j], 0 * r[j]
            H[j, j] = 1 + 0 * r[j]
            r[j] = 0 * r[j]
    f = factor(H)
    r = factor_solve(f, r)
    if domain.kind == SIMPLEX and state.free.max() == 1:
        ones = factor_solve(f, state.free + 0 * r)
        top, bottom = 0 * r[0] - 1, 0 * r[0]
        for j in range(d):
            top = top + state.x[j] + state.free[j] * r[j]
            bottom = bottom + state.free[j] * ones[j]
        for j in range(d):
            r[j] = r[j] - state.free[j] * (top / bottom * ones[j])
    return r


@twin(lambda slack: slack / 2**20)
def _least(slack: Any) -> Any:
    r"""What a step to the sphere leaves of its slack: where digits are many, far less."""
    return slack / 10


@borrowing
def _step_limit(value: Any, change: Any, limit: Any) -> Any:
    r"""The largest step $\le$ limit that keeps value + step * change >= 0; equal losses reach 0 together."""
    if exceeds(-limit * change, value):
        return value / -change
    return limit


@standing
def advance(P: Problem, state: PathState, tau: Any, keep: Any) -> Any:
    r"""One Newton step towards the point of the path at $\tau$, at most `keep` (< 1) of the way to the boundary.

    Returns the length of the step, in (0, 1]; the state moves in place.
    """
    L, n, R, domain, phi, eta = P.losses, P.n, P.R, P.domain, P.phi, P.eta
    d = phi.shape[0]
    H, r = np.zeros((d, d), phi.dtype), np.zeros(d, phi.dtype)
    _assemble(P, state, tau, H, r)
    r = _direction(domain, state, H, r)
    dmult, dball = np.zeros((2, d), phi.dtype), np.zeros(2, phi.dtype)
    limit = _domain_direction(R, domain, state, tau, r, dmult, dball, (1 + 0 * eta) / keep)
    change = np.zeros((n, 3), phi.dtype)  # of lambda, p, q; of k, <v, dv>, |dv|^2 for a distance
    dv = np.zeros((n, d), phi.dtype)
    for i in range(n):
        if L.weight[i] > 0:
            limit = _loss_direction(L, i, state, tau / (eta * L.weight[i]), r, change, dv, limit)
    step = keep * limit
    shift = _shift(R, domain, state, step, r)
    _move_domain(R, domain, state, step, shift, dmult, dball)
    for i in range(n):
        if L.weight[i] > 0:
            _move_loss(L, i, state, step, shift, change, dv)
    return step


@kernel
def _shift(R: Regularizer, domain: Domain, state: PathState, step: Any, delta: Array) -> Array:
    r"""What is added to x: `step * delta`, bent where a straight step is a poor guide; the ball's slack moves here.

    An entropy coordinate's Newton step is relative: $\Delta_j / x_j$ is minus a gradient, the change of $\log x_j$. A
    fraction-to-the-boundary rule would hold all coordinates back for the sake of one that is negligible. And a straight
    step cannot follow the sphere: one that would leave the ball is pulled back to `_least` of the slack.
    """
    shift = step * delta
    if R.kind == ENTROPY:
        largest = state.x[0]
        for j in range(delta.shape[0]):
            largest = larger(largest, state.x[j])
        for j in range(delta.shape[0]):
            if state.free[j] == 1:
                shift[j] = _bent(state.x[j], shift[j], largest / 1000)
                if domain.kind == BOX and shift[j] > 0:
                    shift[j] = smaller(shift[j], larger(step * delta[j], state.slack[1, j] / 2))
    if domain.kind == BALL:
        away = state.x - domain.center
        slack, least = state.ball[0] - dot(away, shift) - dot(shift, shift) / 2, _least(state.ball[0])
        if slack < least:
            whole = domain.radius[0] * domain.radius[0]
            part = np.sqrt((whole - 2 * least) / (whole - 2 * slack))
            shift = part * shift + (part - 1) * away
        state.ball[0] = larger(slack, least)
    return shift


@borrowing
def _bent(x: Any, shift: Any, small: Any) -> Any:
    r"""A relative change beyond a half down, or beyond one up to a small size, is exponential."""
    if shift < -x / 2:
        return x * (np.exp(larger(shift / x, -20 + 0 * x)) - 1)
    if shift > x:
        return larger(shift, smaller(x * np.exp(smaller(shift / x, 40 + 0 * x)), small) - x)
    return shift


@borrowing
def _domain_direction(
    R: Regularizer, domain: Domain, state: PathState, tau: Any, delta: Array, dmult: Array, dball: Array, limit: Any
) -> Any:
    d = delta.shape[0]
    slack, mult = state.slack, state.mult
    for j in range(d):
        for side in range(2):
            if state.free[j] == 1 and bounded(R, domain, j, side):
                inward = (1 - 2 * side) * delta[j]
                dmult[side, j] = (tau - mult[side, j] * (slack[side, j] + inward)) / slack[side, j]
                limit = _step_limit(slack[side, j], inward, limit)
                limit = _step_limit(mult[side, j], dmult[side, j], limit)
    if domain.kind == BALL and domain.radius[0] > 0:
        inner = 0 * tau
        for j in range(d):
            inner = inner + (state.x[j] - domain.center[j]) * delta[j]
        dball[0], dball[1] = inner, (tau - state.ball[1] * (state.ball[0] - inner)) / state.ball[0]
        limit = _step_limit(state.ball[1], dball[1], limit)
    return limit


@borrowing
def _loss_direction(
    L: Losses, i: int, state: PathState, t: Any, delta: Array, change: Array, dv: Array, limit: Any
) -> Any:
    link = L.link[i]
    if link == DISTANCE:
        return _distance_direction(i, state, t, delta, change, dv, limit)
    if link == LINEAR or link == SQUARE:
        return limit
    _slope, change[i, 0], curvature = _dual_newton(L, i, state, t)
    for j in range(delta.shape[0]):
        change[i, 0] = change[i, 0] + curvature * L.a[i, j] * delta[j]
    up, down = state.up[i], state.down[i]
    if link != LOGISTIC:
        limit = _step_limit(up, -change[i, 0], _step_limit(down, change[i, 0], limit))
        change[i, 1] = t / up - state.p[i] + state.p[i] / up * change[i, 0]
        change[i, 2] = t / down - state.q[i] - state.q[i] / down * change[i, 0]
        limit = _step_limit(state.p[i], change[i, 1], _step_limit(state.q[i], change[i, 2], limit))
    return limit


@borrowing
def _distance_direction(i: int, state: PathState, t: Any, delta: Array, change: Array, dv: Array, limit: Any) -> Any:
    d = delta.shape[0]
    s, k = state.s[i], state.k[i]
    for j in range(d):
        dv[i, j] = state.y[i, j] - 2 * t / s * state.v[i, j] + delta[j]
    inner = dot(state.v[i], dv[i])
    for j in range(d):
        dv[i, j] = (dv[i, j] - 2 / (2 - s) * inner * state.v[i, j]) / k
    change[i, 1], change[i, 2] = dot(state.v[i], dv[i]), dot(dv[i], dv[i])
    change[i, 0] = (2 * t - k * s + 2 * k * change[i, 1]) / s
    return _step_limit(k, change[i, 0], limit)


@borrowing
def _move_domain(
    R: Regularizer, domain: Domain, state: PathState, step: Any, shift: Array, dmult: Array, dball: Array
) -> None:
    for j in range(shift.shape[0]):
        for side in range(2):
            if state.free[j] == 1 and bounded(R, domain, j, side):
                state.slack[side, j] = state.slack[side, j] + (1 - 2 * side) * shift[j]
                state.mult[side, j] = state.mult[side, j] + step * dmult[side, j]
        if state.free[j] == 1:
            state.x[j] = state.x[j] + shift[j]
    if domain.kind == BALL:
        state.ball[1] = state.ball[1] + step * dball[1]


@borrowing
def _move_loss(L: Losses, i: int, state: PathState, step: Any, shift: Array, change: Array, dv: Array) -> None:
    link = L.link[i]
    if link == DISTANCE:
        _move_distance(i, state, step, shift, change, dv)
    elif link == LOGISTIC:
        _move_logistic(i, state, step * change[i, 0])
    elif link != LINEAR and link != SQUARE:
        state.up[i] = state.up[i] - step * change[i, 0]
        state.down[i] = state.down[i] + step * change[i, 0]
        state.p[i] = state.p[i] + step * change[i, 1]
        state.q[i] = state.q[i] + step * change[i, 2]


@borrowing
def _move_logistic(i: int, state: PathState, rise: Any) -> None:
    r"""The dual of a logistic loss is an entropy variable (`_shift`); the smaller of up and down keeps digits."""
    small, large = state.down, state.up
    if state.up[i] < state.down[i]:
        small, large, rise = state.up, state.down, -rise
    small[i] = small[i] + _bent(small[i], rise, 1 / (1000 + 0 * rise))
    if small[i] > 1 - large[i] / 2 + 0 * rise:
        small[i] = 1 - large[i] / 2
    large[i] = 1 - small[i]


@borrowing
def _move_distance(i: int, state: PathState, step: Any, shift: Array, change: Array, dv: Array) -> None:
    r"""Near the sphere a straight step cannot turn v: one that would leave keeps its direction and `_least` slack."""
    s = state.s[i] - 2 * step * change[i, 1] - step * step * change[i, 2]
    least = _least(state.s[i])
    scale = 1 + 0 * step
    if s < least:
        scale = np.sqrt((1 - least) / (1 - s))
        s = least
    for j in range(shift.shape[0]):
        state.y[i, j] = state.y[i, j] + shift[j]
        state.v[i, j] = scale * (state.v[i, j] + step * dv[i, j])
    state.s[i] = s
    state.k[i] = state.k[i] + step * change[i, 0]
