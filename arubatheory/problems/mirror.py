r"""The argmin of a mirror descent step over each domain where it is more than a Euclidean projection.

$$\theta = \arg\min_{\theta \in \Theta} B_R(\theta \| \phi) + \langle g, \theta\rangle$$

For the quadratic $R(x) = x^\top A x / 2$: a linear solve on $\mathbb R^d$; a secular equation in the multiplier of a
ball (Moré and Sorensen, Computing a trust region step, 1983; the hard case needs an indefinite $A$); a finite primal
active-set method for boxes and simplices (Nocedal and Wright, Numerical Optimization, ch. 16). For the entropy, the
KKT conditions are solved coordinate by coordinate, with one multiplier for a simplex or a ball.

In exact numbers the quadratic programs come out rational, and a multiplier as a ball between two certain signs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, Exact, approximate
from arubatheory.kernel import kernel, standing
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, Domain, mass, minimize_on_ball, project
from arubatheory.problems.linear import dot, factor, factor_solve, shifted, solve, times
from arubatheory.problems.scalar import enclose_root, exceeds, larger, overflows, rounding, smaller, twin


# quadratic -----------------------------------------------------------------------------------------------------
@standing
def quadratic_step(matrix: Array, domain: Domain, phi: Array, g: Array) -> Array:
    r"""[exact] $\arg\min_{\theta \in \Theta} (\theta - \phi)^\top A (\theta - \phi)/2 + \langle g, \theta\rangle$."""
    free: Array = phi - solve(matrix, g)
    if domain.kind == BALL:
        return _quadratic_ball(matrix, domain.center, domain.radius[0], phi, g, free)
    if domain.kind != BOX and domain.kind != SIMPLEX:
        return free
    plane, high, start = domain.kind == SIMPLEX, domain.high.copy(), project(domain, free)
    if plane:
        if mass(domain.low) <= 0:
            return start
        for i in range(high.size):
            high[i] = domain.low[i] + 2  # out of reach: a simplex has no upper bounds
    return _active_set(matrix, domain.low, high, plane, phi, g, start)


@kernel
def _quadratic_ball(matrix: Array, center: Array, radius: Any, phi: Array, g: Array, free: Array) -> Array:
    y: Array = free - center
    if not exceeds(dot(y, y), radius * radius):
        return free
    if radius == 0:
        return center.copy()
    b = times(matrix, phi - center) - g
    if overflows(dot(y, y)):  # so far out the matrix is nothing beside the multiplier
        minimize_on_ball(center, radius, -b, y)
    else:
        y = center + solve(shifted(matrix, _ball_multiplier(matrix, b, radius)), b)
    return y


def _enclosed_ball_multiplier(matrix: Array, b: Array, radius: Any) -> Exact:
    def excess(shift: Exact) -> tuple[Exact, Exact]:
        f = factor(shifted(matrix, shift))
        y = factor_solve(f, b)
        return y @ y - radius * radius, -2 * (y @ factor_solve(f, y))

    near = float(_ball_multiplier(*approximate((matrix, b, radius))))
    return enclose_root(excess, near, np.trace(matrix) / b.size, 0)


@twin(_enclosed_ball_multiplier)
def _ball_multiplier(matrix: Array, b: Array, radius: Any) -> Any:
    r"""The $\lambda \ge 0$ with $\|(A + \lambda I)^{-1} b\| = r$, 0 if that norm is below r at 0.

    $1/\|(A + \lambda I)^{-1} b\|$ is concave and increasing, so Newton from 0 increases to the root.
    """
    shift = b[0] * 0
    for _ in range(100):
        f = factor(shifted(matrix, shift))
        y = factor_solve(f, b)
        norm = np.sqrt(dot(y, y))
        step = (norm - radius) / radius * (norm * norm / dot(y, factor_solve(f, y)))
        if not shift + step > shift:
            break
        shift += step
    return shift


@kernel
def _active_set(matrix: Array, low: Array, high: Array, plane: bool, phi: Array, g: Array, start: Array) -> Array:
    r"""[exact] The strictly convex quadratic program over a box, or on the plane of a simplex, from a feasible start.

    Every coordinate at a bound is held except the one just released, which moves inwards: each step is longer than 0,
    the objective falls, no working set comes back, and the method ends at the KKT point. Rounding may fake a sign: in
    floats a multiplier within the rounding of its own sum counts as zero, and the number of steps is capped.
    """
    theta, d = start.copy(), start.size
    side = np.zeros(d, np.int64)
    for i in range(d):
        side[i] = (theta[i] >= high[i]) * 1 - (theta[i] <= low[i]) * 1
        if not low[i] < high[i]:
            side[i] = 2  # a point coordinate is never released
    released = 0
    for _ in range(20 * (d + 8)):
        if _advance(matrix, low, high, plane, phi, g, theta, side):
            continue
        released = _next_release(matrix, plane, phi, g, theta, side, released)
        if released < 0:
            break
        side[released] = 0
    return theta


@kernel
def _advance(
    matrix: Array, low: Array, high: Array, plane: bool, phi: Array, g: Array, theta: Array, side: Array
) -> bool:
    """Moves `theta` to the optimum of the free coordinates, or as far as the bounds allow: then True."""
    p = _free_direction(matrix, plane, times(matrix, theta - phi) + g, side)
    step, bound, block = g[0] * 0 + 1, g[0], -1
    for i in range(side.size):
        if side[i] == 0:
            target = theta[i] + p[i]
            edge = low[i] if target < low[i] else high[i]
            if target < low[i] or target > high[i]:
                ratio = (edge - theta[i]) / p[i]
                if block < 0 or ratio < step:
                    step, bound, block = ratio, edge, i
    for i in range(side.size):
        if side[i] == 0:
            theta[i] = bound if i == block else theta[i] + step * p[i]
            if theta[i] <= low[i]:
                theta[i], side[i] = low[i], -1
            elif theta[i] >= high[i]:
                theta[i], side[i] = high[i], 1
    return block >= 0


@kernel
def _free_direction(matrix: Array, plane: bool, gradient: Array, side: Array) -> Array:
    r"""$p$ with $A_{FF} p_F = -\nabla_F - \nu 1$, $p = 0$ off the free set F, and $\sum p = 0$ on the plane.

    Held rows and columns are replaced by those of the identity, which leaves the system positive definite.
    """
    block, b, ones = matrix.copy(), gradient.copy(), gradient.copy()
    level = gradient[0] * 0
    for i in range(b.size):
        if side[i] == 0 and plane:
            level = gradient[i]
    for i in range(b.size):
        # On the plane a common shift of the gradient is free; it keeps a large common part from cancelling later.
        b[i] = level - gradient[i] if side[i] == 0 else level * 0
        ones[i] = level * 0 + (side[i] == 0) * 1
        for j in range(b.size):
            if side[i] != 0 or side[j] != 0:
                block[i, j] = level * 0 + (i == j) * 1
    f = factor(block)
    p = factor_solve(f, b)
    if plane:
        normal = factor_solve(f, ones)
        p = p - normal * (dot(ones, p) / dot(ones, normal))
    return p


@kernel
def _next_release(matrix: Array, plane: bool, phi: Array, g: Array, theta: Array, side: Array, after: int) -> int:
    """The next held coordinate, in cyclic order, whose multiplier has the wrong sign; -1 if there is none."""
    d = theta.size
    unit = rounding(g[0]) * 8 * (d + 2)
    gradient, size, level, noise = g.copy(), np.abs(g), g[0] * 0, g[0] * 0
    for i in range(d):
        for j in range(d):
            term = matrix[i, j] * (theta[j] - phi[j])
            gradient[i] += term
            size[i] += abs(term)
        if plane and side[i] == 0:
            level, noise = gradient[i], size[i]
    for k in range(1, d + 1):
        i = (after + k) % d
        if abs(side[i]) == 1 and (gradient[i] - level) * side[i] > unit * (size[i] + noise):
            return i
    return -1


# entropy -------------------------------------------------------------------------------------------------------
@standing
def entropy_step(domain: Domain, phi: Array, g: Array) -> Array:
    r"""[exact] The step of $R(x) = \sum x_i \log x_i$, of which $\theta_i \propto \phi_i e^{-g_i}$ is the simplex's.

    A coordinate with $\phi_i = 0$ stays at 0. Raises ValueError on $\mathbb R^d$.
    """
    if domain.kind == SIMPLEX:
        return _entropy_simplex(domain.low, phi, g)
    if domain.kind == BOX:
        return _entropy_box(domain.low, domain.high, phi, g)
    if domain.kind == BALL:
        return _entropy_ball(domain.center, domain.radius[0], phi, g)
    raise ValueError("the entropy is not defined on the whole space")


@kernel
def _entropy_simplex(low: Array, phi: Array, g: Array) -> Array:
    """Multiplicative weights; with floors, the weights below theirs are held at them (water-filling)."""
    theta, weights, rest = low.copy(), _weights(phi, g), low[0] * 0 + 1
    free = np.ones(phi.size, np.bool_)
    if mass(low) <= 0:
        return theta
    for _ in range(phi.size):
        count, total = 0, low[0] * 0
        for i in range(phi.size):
            if free[i]:
                count, total = count + 1, total + weights[i]
        if not exceeds(total, 0):
            break
        for i in range(phi.size):
            if free[i]:
                theta[i] = rest if count == 1 else weights[i] * (rest / total)
        held = False
        for i in range(phi.size):
            # a floor of 0 holds no weight, and the last one free has what is left
            if free[i] and count > 1 and low[i] > 0 and theta[i] < low[i]:
                theta[i], free[i], held = low[i], False, True
                rest -= low[i]
        if not held:
            break
    return theta


@kernel
def _weights(phi: Array, g: Array) -> Array:
    r"""$\phi_i e^{\min g - g_i}$, the minimum over $\phi_i > 0$: no exponent is positive and one is 0."""
    first = -1
    least = g[0]
    for i in range(g.size):
        if phi[i] > 0:
            least = g[i] if first < 0 else smaller(least, g[i])
            first = i
    w = phi.copy()
    for i in range(g.size):
        if phi[i] > 0:
            w[i] = phi[i] * np.exp(least - g[i])
    return w


@kernel
def _entropy_box(low: Array, high: Array, phi: Array, g: Array) -> Array:
    theta = low.copy()
    for i in range(g.size):
        if phi[i] > 0 and low[i] < high[i]:
            theta[i] = smaller(larger(_grown(phi[i], g[i], high[i]), low[i]), high[i])
    return theta


@twin(lambda x, g, high: x * np.exp(-g))
def _grown(x: Any, g: Any, high: Any) -> Any:
    r"""$x e^{-g}$, or `high` where that is exceeded anyway (the exponential alone may overflow)."""
    if g < -700 and np.log(x) - g >= np.log(high):
        return high
    return x * np.exp(-g) if g >= -700 else np.exp(np.log(x) - g)


def _enclosed_entropy_ball(center: Array, radius: Any, phi: Array, g: Array) -> Array:
    """The same with certain signs, for the ball's multiplier and for each coordinate of u at a multiplier."""
    if radius == 0:
        return center.copy()
    if any(x == 0 for x in phi):
        return phi.copy()
    theta = phi * np.exp(-g)
    y = theta - center
    if not exceeds(y @ y, radius * radius):
        return theta
    offset = np.log(center / phi) + g
    seed = _entropy_ball_seed(center, radius, offset)

    def relative(shift: Exact, i: int) -> Exact:
        return _enclosed_log(shift * center[i], offset[i]).exp()

    def excess(shift: Exact) -> tuple[Exact, Exact]:
        ratio = np.array([relative(shift, i) for i in range(phi.size)], dtype=object)
        y = center * (ratio - 1)
        return y @ y - radius * radius, -2 * np.sum(y * y * center * ratio / (1 + shift * center * ratio))

    shift = enclose_root(excess, seed, 1 / np.max(center), 0)
    return np.array([center[i] * relative(shift, i) for i in range(phi.size)], dtype=object)


def _entropy_ball_seed(center: Array, radius: Any, offset: Array) -> float:
    c, r, shift = approximate((center, radius, offset))
    return float(_entropy_ball_multiplier(c, r, shift, np.zeros(center.size)))


def _enclosed_log(scaled: Exact, offset: Exact) -> Exact:
    r"""The root u of $u + \mu (e^u - 1) + L = 0$, the same for each point of the balls $\mu$ and $L$."""
    guess = _entropy_log(approximate(scaled), approximate(offset))

    def falling(u: Exact) -> tuple[Exact, Exact]:
        growth = u.exp()
        return -(u + scaled * (growth - 1) + offset), -(1 + scaled * growth)

    return enclose_root(falling, guess, Exact(1))


@twin(_enclosed_entropy_ball)
def _entropy_ball(center: Array, radius: Any, phi: Array, g: Array) -> Array:
    r"""$\theta = c e^u$ over a ball, $u_i + \lambda c_i (e^{u_i} - 1) + \log(c_i/\phi_i) + g_i = 0$.

    $\lambda = 0$ when $\phi e^{-g}$ is inside, else $\|\theta - c\| = r$. Where $\phi_i = 0$ the ball touches the face,
    and $\phi$ is the only point of it with $\theta_i = 0$.
    """
    offset, logs = g.copy(), g.copy()
    if radius == 0:
        return center.copy()
    for i in range(g.size):
        if phi[i] <= 0:
            return phi.copy()
        offset[i] = np.log(center[i] / phi[i]) + g[i]
        # beyond e^300 the point is outside anyway, and its square must not overflow
        logs[i] = min(-offset[i], 300.0)
    theta: Array = center * np.exp(logs)
    if dot(theta - center, theta - center) <= radius * radius:
        return theta
    _entropy_ball_multiplier(center, radius, offset, logs)
    return center * np.exp(logs)


@kernel
def _entropy_ball_multiplier(center: Array, radius: Any, offset: Array, logs: Array) -> Any:
    r"""The multiplier, by Newton on $1/\|\theta(\lambda) - c\|$ inside a bracket; `logs` becomes u at it (floats only).

    $|\lambda (\theta_i - c_i)| \le |L_i|$ gives the upper end $\|L\|_1/r$ of the bracket.
    """
    low, high = 0.0, np.sum(np.abs(offset)) / radius
    shift = 0.0
    for _ in range(200):
        square, slope = 0.0, 0.0
        for i in range(center.size):
            u = _entropy_log(shift * center[i], offset[i])
            logs[i] = u
            y, theta = center[i] * np.expm1(min(u, 300.0)), center[i] * np.exp(min(u, 300.0))
            square += y * y
            slope += y * y * theta / (1 + shift * theta)
        norm = np.sqrt(square)
        if norm > radius:
            low = shift
        else:
            high = shift
        after = shift + (norm - radius) / radius * (square / slope) if slope > 0 else low
        if not (low < after and after < high):
            after = low + (high - low) / 2
        if abs(norm - radius) <= 1e-16 * norm or abs(after - shift) <= 1e-16 * shift or after == low or after == high:
            break
        shift = after
    return shift


@kernel
def _entropy_log(scaled: Any, offset: Any) -> Any:
    r"""The root of $u + \mu (e^u - 1) + L$ in floats: convex and increasing: Newton from the right falls to it."""
    if offset >= 0:
        u = 0.0
    elif scaled > 0:
        u = min(-offset, np.log1p(-offset / scaled))
    else:
        u = -offset
    for _ in range(100):
        growth = np.expm1(min(u, 700.0))
        after = u - (u + scaled * growth + offset) / (1 + scaled * (growth + 1))
        if not after < u:
            break
        u = after
    return u
