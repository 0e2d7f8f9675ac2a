r"""How far from optimal a point of a `Problem` with the objective F is, by duality.

Each loss has an affine minorant: with $\lambda$ in the interval of the link,
$\psi(z) \ge \lambda z - \psi^\ast(\lambda)$; for a distance $\|x - c\| \ge \langle v, x - c\rangle$ with $|v| \le 1$;
smooth terms are linearised at a point. With g the gradient of their sum, the minorised problem has the solution
$x' = $ `mirror_step` and
$$F(x) - \min F \le \underbrace{\langle r, x - x'\rangle - \kappa B_R(x'\|x)}_{r = \kappa(\nabla R(x) - \nabla
R(\phi)) + g}
   + \eta\sum_s (\text{loss} - \text{minorant})(x).$$
Every term is nonnegative and computed as such, never as a difference of two values of F: that is why the gap can be far
below the rounding of F itself. In floats the rounding of z, of g and of x' is added, so the gap covers its own
evaluation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, sure
from arubatheory.convex.path import PathState, argument_and_noise, dual
from arubatheory.convex.problem import Problem
from arubatheory.kernel import borrowing, kernel, standing
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, Domain
from arubatheory.problems.linear import dot, quadratic_form, solve, times
from arubatheory.problems.losses import DISTANCE, HINGE, HUBER, LINEAR, LOGISTIC, SQUARE, Losses, link_slope
from arubatheory.problems.regularizers import ENTROPY, MAHALANOBIS, Regularizer, bregman, mirror_step
from arubatheory.problems.scalar import rounding, smaller, twin


class Minorants(NamedTuple):
    r"""Affine minorants of n losses.

    `slope` $\lambda$ and, for a smooth link, the argument `point` $z_0$ it is the derivative at; `up` and `down`, the
    distances of $\lambda$ to its ends; `v` (n, d) for distances; `x` (d,) where ridge terms are linearised.
    """

    slope: Array
    point: Array
    up: Array
    down: Array
    v: Array
    x: Array


@kernel
def minorants(P: Problem, state: PathState, x: Array) -> Minorants:
    r"""Duals of kinked losses and distances from the path, of smooth ones from x."""
    L = P.losses
    slope, point = np.zeros(P.n, x.dtype) + 0 * x[0], np.zeros(P.n, x.dtype) + 0 * x[0]
    for i in range(P.n):
        link = L.link[i]
        if link == SQUARE or link == LOGISTIC:
            point[i] = argument_and_noise(L, i, x)[0]
            slope[i] = link_slope(link, point[i], L.kink[i])
        elif link == LINEAR:
            slope[i] = 1 + 0 * x[0]
        elif link != DISTANCE:
            slope[i] = dual(link, state.up[i], state.down[i])
    return Minorants(slope, point, state.up, state.down, state.v, x)


@kernel
def gradient_of_minorants(P: Problem, M: Minorants) -> Any:
    r"""$\eta\sum_s$ of the minorants' gradients, and the sum of the magnitudes added."""
    L, eta = P.losses, P.eta
    g, size = 0 * M.x, 0 * M.x
    for i in range(P.n):
        for j in range(g.shape[0]):
            part = L.weight[i] * M.v[i, j] if L.link[i] == DISTANCE else L.weight[i] * M.slope[i] * L.a[i, j]
            if L.ridge[i] > 0:
                bend = L.ridge[i] * (M.x[j] - L.c[i, j])
                size[j] = size[j] + eta * abs(bend)
                part = part + bend
            g[j] = g[j] + eta * part
            size[j] = size[j] + abs(eta * part)
    return g, size


def _length_exact(s: Any, rough: Any) -> Any:
    return sure(lambda: np.sqrt(s), rough)


@twin(_length_exact)
def _length(s: Any, rough: Any) -> Any:
    r"""$\sqrt s$; for a ball s around 0 the over-estimate `rough` instead of a refusal."""
    return np.sqrt(s)


def _logistic_gap_exact(z: Any, miss: Any, up: Any, down: Any) -> Any:
    size = abs(z)
    # softplus(-z) + up log up + down log down + up z, written so that a saturated loss cancels nothing.
    loss = np.log(1 + np.exp(-size)) + (size - z) / 2 + up * z
    divergence = loss + sum(x * np.log(x) for x in (up, down) if x > 0)
    return smaller(miss * miss / 8, abs(divergence))


@twin(_logistic_gap_exact)
def _logistic_gap(z: Any, miss: Any, up: Any, down: Any) -> Any:
    r"""$\psi$ minus its tangent at an argument that differs by `miss`: 1/4-smooth; in balls also a divergence."""
    return miss * miss / 8


@borrowing
def loss_gap(L: Losses, i: int, x: Array, M: Minorants) -> Any:
    r"""An upper bound of $f_i(x)$ minus its minorant at x, without comparisons that balls could not decide."""
    gap = 0 * x[0]
    if L.ridge[i] > 0:
        for j in range(x.shape[0]):
            gap = gap + L.ridge[i] * (x[j] - M.x[j]) * (x[j] - M.x[j]) / 2
    link = L.link[i]
    if link == LINEAR or not L.weight[i] > 0:
        return gap
    if link == DISTANCE:
        return gap + L.weight[i] * _distance_gap(L, i, x, M)
    z, noise = argument_and_noise(L, i, x)
    if link == SQUARE:
        miss = abs(z - M.point[i]) + 2 * noise
        return gap + L.weight[i] * miss * miss / 2
    if link == LOGISTIC:
        return gap + L.weight[i] * _logistic_gap(z, abs(z - M.point[i]) + 2 * noise, M.up[i], M.down[i])
    above, below = z + noise, noise - z
    if link == HINGE:
        above, below = z - 1 + noise, 1 - z + noise
    if link == HUBER:
        miss = abs((abs(z + 1) - abs(z - 1)) / 2 - M.slope[i]) + noise
        gap = gap + L.weight[i] * miss * miss / 2
        above, below = z - 1 + noise, -1 - z + noise
    return gap + L.weight[i] * (M.up[i] * (abs(above) + above) + M.down[i] * (abs(below) + below)) / 2


@borrowing
def _distance_gap(L: Losses, i: int, x: Array, M: Minorants) -> Any:
    r"""$|y| - \langle v, y\rangle$ with $y = x - c_i$, whose entries are rounded once each."""
    square, inner, rough = 0 * x[0], 0 * x[0], 0 * x[0]
    for j in range(x.shape[0]):
        y = x[j] - L.c[i, j]
        square = square + y * y
        inner = inner + M.v[i, j] * y
        rough = rough + abs(y)
    size = _length(square, rough)
    return abs(size - inner) + (x.shape[0] + 3) * rounding(x[0]) * size


@kernel
def _gradient_difference(R: Regularizer, x: Array, phi: Array) -> Any:
    r"""$\nabla R(x) - \nabla R(\phi)$ (0 where both are $-\infty$) and the magnitudes added."""
    g, size = x - phi, np.abs(x - phi)
    if R.kind == MAHALANOBIS:
        return times(R.matrix, g), times(np.abs(R.matrix), size)
    if R.kind == ENTROPY:
        for j in range(x.shape[0]):
            met = x[j] > 0 and phi[j] > 0
            g[j] = np.log(x[j] / phi[j]) if met else 0 * x[j]
            size[j] = abs(g[j]) + met
    return g, size


@standing
def certify(P: Problem, x: Array, M: Minorants) -> Any:
    r"""$(x, gap)$ or $(x', gap)$, whichever is better, for a feasible x."""
    R, domain, eta, kappa = P.R, P.domain, P.eta, P.kappa
    g, size = gradient_of_minorants(P, M)
    r, more = _gradient_difference(R, x, P.phi)
    r = kappa * r + g
    noise = (size + kappa * more) * rounding(eta) * (P.n + x.shape[0] + 4) / 2
    other = mirror_step(R, domain, x, r / kappa)
    slip, excess = slip_of(R, domain, kappa, x, other, r, noise)
    gap, twin_gap = slip + excess, slip
    for i in range(P.n):
        gap = gap + eta * loss_gap(P.losses, i, x, M)
        twin_gap = twin_gap + eta * loss_gap(P.losses, i, other, M)
    if twin_gap < gap:
        return other, twin_gap
    return x, gap


@kernel
def slip_of(R: Regularizer, domain: Domain, kappa: Any, x: Array, other: Array, r: Array, noise: Array) -> Any:
    r"""What the rounding of r, wrong by `noise`, and of $x'$ adds; $\langle r, x - x'\rangle - \kappa B_R(x'\|x)$."""
    away = x - other
    slip = dot(noise + rounding(kappa) * np.abs(r), np.abs(away)) + _second_order(R, x, noise) / kappa
    if domain.kind == BALL:
        slip = smaller(slip, 2 * domain.radius[0] * noise.sum())
    elif domain.kind != SPACE:
        slip = smaller(slip, dot(noise, domain.high - domain.low) if domain.kind == BOX else noise.sum())
    return slip + _rounded_point(R, domain, kappa, other, r), abs(dot(r, away) - kappa * bregman(R, other, x))


@kernel
def _rounded_point(R: Regularizer, domain: Domain, kappa: Any, x: Array, r: Array) -> Any:
    r"""What the rounding of the coordinates of a minimiser x costs: second order inside, first order on a curved face.

    A box is met exactly; a sphere or the plane of a simplex is missed by some $\varepsilon |x|$, times the force r.
    """
    unit = 8 * rounding(kappa)
    size = unit * np.abs(x)
    if R.kind == MAHALANOBIS:
        cost = quadratic_form(np.abs(R.matrix), size) / 2
    else:
        cost = (unit * size.sum() if R.kind == ENTROPY else dot(size, size)) / 2
    if domain.kind == BALL or domain.kind == SIMPLEX:
        return kappa * cost + dot(np.abs(r), size + unit * np.abs(domain.center))
    return kappa * cost


@kernel
def _second_order(R: Regularizer, x: Array, noise: Array) -> Any:
    r"""What an error of size `noise` in the gradient can change the minimum by: half its squared dual norm at x."""
    if R.kind == MAHALANOBIS:
        return dot(noise, solve(R.matrix, noise)) / 2
    return (dot(noise * noise, x) if R.kind == ENTROPY else dot(noise, noise)) / 2
