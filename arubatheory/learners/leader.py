r"""Follow the regularised leader (def:ftrl), with a certificate of every inner minimum.

$$\theta_t = \arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \eta\sum_{s<t} \ell_s(\theta).$$

* All past losses linear: FTRL is OMD (text:ftrl-is-omd), one `mirror_step`, gap 0.
* Linear, squared and ridge terms with a quadratic R: the objective is $B_{R'}(\theta\|\phi) + \langle h, \theta\rangle$
  up to a constant, with h the gradient of $\eta\sum\ell_s$ at $\phi$ and $R'$ the quadratic form of $\nabla^2 R$ plus
  its Hessian. One `mirror_step` again; its gap is computed, since $R'$ may be ill-conditioned.
* Anything else: a primal-dual interior-point method (`barrier`) and a duality gap (`certificate`). The objective is
  1-strongly convex in the norm of R, so $\|\theta - \theta_t\|^2 \le 2\,$gap.

In exact arithmetic the third case continues the path in balls from the float solution, rounds the duals to rationals,
and returns actions that are balls of that radius: they enclose the true minimiser.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import kernel
from arubatheory.learners.barrier import advance
from arubatheory.learners.central_path import State, begin, free_coordinates, interior, products
from arubatheory.learners.certificate import certify, minorants
from arubatheory.learners.mirror_descent import check_regularizer, checked, finite
from arubatheory.learners.trajectory import Trajectory
from arubatheory.problems.domains import SIMPLEX, SPACE, Domain, project
from arubatheory.problems.losses import (
    DISTANCE,
    HINGE,
    LINEAR,
    LOGISTIC,
    SQUARE,
    Losses,
    argument,
    link_slope,
    subgradient,
    total,
    values,
)
from arubatheory.problems.regularizers import ENTROPY, MAHALANOBIS, Regularizer, bregman, mirror_step

STEPS = 120
PATIENCE = 8
RESTARTS = 3
NEAR, BLIND = 1e-7, 10  # no gap is asked for while the products are large, in the first steps
TINY = 1e-300
ENOUGH = 1e-13
LINEAR_ONLY, QUADRATIC, GENERAL = range(3)


@kernel
def shape_of(L: Losses, n: int, R: Regularizer) -> Any:
    r"""Which of the three cases the first n losses are."""
    shape = LINEAR_ONLY
    for i in range(n):
        if L.link[i] == LINEAR or not L.weight[i] > 0:
            if L.ridge[i] > 0 and shape == LINEAR_ONLY:
                shape = QUADRATIC
        elif L.link[i] == SQUARE:
            if shape == LINEAR_ONLY:
                shape = QUADRATIC
        else:
            return GENERAL
    if shape == QUADRATIC and R.kind == ENTROPY:
        return GENERAL
    return shape


@kernel
def closed_form(L: Losses, n: int, domain: Domain, R: Regularizer, phi: Array, eta: Any) -> Any:
    r"""The minimiser under linear, squared and ridge terms (linear ones only when R is the entropy)."""
    d = phi.shape[0]
    gradient = 0 * phi
    matrix = np.zeros((d, d), phi.dtype) + 0 * eta
    ridge = 0 * eta
    bent = R.kind == MAHALANOBIS
    for i in range(n):
        gradient = gradient + eta * subgradient(L, i, phi)
        ridge = ridge + eta * L.ridge[i]
        bent = bent or (L.link[i] == SQUARE and L.weight[i] > 0)
    if not bent:
        return mirror_step(R, domain, phi, gradient / (1 + ridge))
    for j in range(d):
        if R.kind == MAHALANOBIS:
            for e in range(d):
                matrix[j, e] = matrix[j, e] + R.matrix[j, e]
        else:
            matrix[j, j] = matrix[j, j] + 1
        matrix[j, j] = matrix[j, j] + ridge
    for i in range(n):
        if L.link[i] == SQUARE:
            for j in range(d):
                for e in range(d):
                    matrix[j, e] = matrix[j, e] + eta * L.weight[i] * (L.a[i, j] * L.a[i, e])
    return mirror_step(Regularizer(MAHALANOBIS, matrix), domain, phi, gradient)


@kernel
def scale(L: Losses, n: int, domain: Domain, eta: Any, kappa: Any, x: Array) -> Any:
    r"""About how much the losses vary over the part of the domain that matters: where the path starts."""
    pull, far = 0.0, 0.0
    for i in range(n):
        slope, near, away = reach_of(L, i, x)
        pull += eta * L.weight[i] * slope + eta * L.ridge[i] * away
        if L.weight[i] * slope > 0:
            far = max(far, near)
        if L.ridge[i] > 0:
            far = max(far, away)
    reach = min(pull / kappa, 2 * far) if far > 0 else pull / kappa
    if domain.kind == SIMPLEX:
        reach = min(reach, 1.0)
    elif domain.kind != SPACE:
        reach = min(reach, domain.radius[0] + np.abs(domain.high - domain.low).sum())
    return pull * reach + kappa * reach * reach


@kernel
def reach_of(L: Losses, i: int, x: Array) -> Any:
    r"""The slope of loss i at x without its weight, the distance to where it bends, and the distance to $c_i$."""
    square, size = 0.0, 0.0
    for j in range(x.shape[0]):
        square += (x[j] - L.c[i, j]) ** 2
        size += L.a[i, j] ** 2
    away, slope = np.sqrt(square), np.sqrt(size)
    if L.link[i] == DISTANCE:
        return 1.0, away, away
    near = abs(argument(L, i, x)) / slope if slope > 0 and L.link[i] != LINEAR else 0.0
    if L.link[i] == SQUARE:
        return slope * slope * near, near, away
    return slope, near, away


@kernel
def copied(state: State) -> Any:
    r"""An independent copy of a state."""
    return State(
        state.x.copy(),
        state.free,
        state.slack.copy(),
        state.mult.copy(),
        state.ball.copy(),
        state.up.copy(),
        state.down.copy(),
        state.p.copy(),
        state.q.copy(),
        state.v.copy(),
        state.y.copy(),
        state.s.copy(),
        state.k.copy(),
    )


@kernel
def tangent(L: Losses, n: int, state: State) -> Any:
    r"""Set the duals to subgradients at x: on a point domain nothing has to balance."""
    for i in range(n):
        if L.link[i] == DISTANCE:
            away = max(reach_of(L, i, state.x)[2], TINY)
            state.v[i] = (state.x - L.c[i]) / away
        elif L.link[i] != LINEAR and L.link[i] != SQUARE:
            slope = link_slope(L.link[i], argument(L, i, state.x), L.kink[i])
            state.down[i] = slope + 1
            state.up[i] = -slope if L.link[i] == HINGE or L.link[i] == LOGISTIC else 1 - slope


@kernel
def into(domain: Domain, R: Regularizer, x: Array) -> Any:
    r"""x moved into the domain by its last roundings; entropy keeps positive coordinates positive."""
    if R.kind == ENTROPY:
        return mirror_step(R, domain, x, 0 * x)
    return project(domain, x)


@kernel
def solve(L: Losses, n: int, domain: Domain, R: Regularizer, phi: Array, eta: Any, kappa: Any) -> Any:
    r"""$(x, gap, state)$: follow the path until the certified gap stops shrinking, and return the best."""
    start = interior(domain, phi, free_coordinates(domain, R, phi))
    tau = (scale(L, n, domain, eta, kappa, start) + kappa * bregman(R, start, phi)) / (n + phi.shape[0])
    begun, restarts = max(tau, TINY), 0
    state = begin(L, n, domain, R, phi, eta, begun)
    best, gap, kept = phi.copy(), np.inf, copied(state)
    if state.free.max() == 0:
        tangent(L, n, kept)
        return best, 0.0, kept
    first, stalled = products(L, n, domain, R, eta, state)[0], 0
    for k in range(STEPS):
        step = advance(L, n, domain, R, phi, eta, kappa, state, tau, 0.995)
        if not np.isfinite(state.x.sum()):
            # Newton's matrix was singular to the last bit: from further up the path it is better conditioned.
            if gap < np.inf or restarts == RESTARTS:
                break
            restarts, begun = restarts + 1, begun * 1e6
            tau = begun
            state = begin(L, n, domain, R, phi, eta, begun)
            continue
        mass, count = products(L, n, domain, R, eta, state)
        tau = mass / max(count, 1) * (0.02 if step > 0.9 else (0.2 if step > 0.5 else 0.7))
        first = max(first, mass)
        if mass > NEAR * first and k < BLIND:
            continue
        x, bound = certify(L, n, domain, R, phi, eta, kappa, into(domain, R, state.x), minorants(L, n, state, state.x))
        # While the products are as large as the gap, they are what keeps it up, and they still have to fall.
        stalled = stalled + 1 if gap < np.inf and bound >= gap / 2 and 100 * mass <= gap else 0
        if bound < gap:
            best, gap, kept = x, bound, copied(state)
        if stalled >= PATIENCE or gap == 0:
            break
    return best, gap, kept


@kernel
def minimiser(L: Losses, n: int, domain: Domain, R: Regularizer, phi: Array, eta: Any) -> Any:
    r"""$\arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \eta\sum_{s<n} \ell_s(\theta)$ and its gap, in floats only."""
    shape = shape_of(L, n, R)
    if shape == GENERAL:
        x, gap, _state = solve(L, n, domain, R, phi, eta, 1.0)
        return x, gap
    x, gap = closed_form(L, n, domain, R, phi, eta), 0.0
    if shape == LINEAR_ONLY:
        return x, gap
    # R' may be ill-conditioned: then the path has digits that the closed form has lost.
    gap = np.inf
    if np.isfinite(x.sum()):
        lines = minorants(L, n, begin(L, n, domain, R, phi, eta, 1.0), x)
        x, gap = certify(L, n, domain, R, phi, eta, 1.0, into(domain, R, x), lines)
    if not gap <= ENOUGH * (bregman(R, x, phi) + eta * abs(total(L, n, x))):
        other, bound, _state = solve(L, n, domain, R, phi, eta, 1.0)
        if not gap <= bound:
            return other, bound
    return x, gap


@kernel
def play_ftrl(L: Losses, domain: Domain, R: Regularizer, phi: Array, eta: Any) -> Any:
    """The actions of `ftrl`, unvalidated; in floats only (exactly: `enclosed_ftrl`)."""
    actions, gap = np.empty_like(L.a), 0 * L.b
    for n in range(L.a.shape[0]):
        x, gap[n] = minimiser(L, n, domain, R, phi, eta)
        actions[n] = x
    return Trajectory(actions, values(L, actions), gap)


def ftrl(losses: Losses, domain: Domain, R: Regularizer, phi: Any, eta: Any) -> Trajectory:
    r"""Follow the regularised leader (def:ftrl) on m losses, from $\phi \in \Theta$ with step size $\eta > 0$:
    $$\theta_t = \arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \eta\sum_{s<t} \ell_s(\theta).$$

    `phi` has shape (d,); actions of the result (m, d), and `gap` (m,) a certified bound of each inner suboptimality,
    0 after linear losses. For exact losses the actions are balls that contain $\theta_t$, and the values contain
    $\ell_t(\theta_t)$.

    Raises ValueError for a start outside the domain, eta <= 0, NaN or infinities, shapes that do not fit, no losses,
    or a regulariser that is not defined on the domain; OverflowError when a number leaves the range of float64.
    """
    losses, start, step = checked(losses, domain, phi, eta)
    check_regularizer(R, domain, losses)
    if is_exact(start):
        from arubatheory.learners.enclosure import enclosed_ftrl

        return enclosed_ftrl(losses, domain, R, start, step)
    with np.errstate(all="ignore"):
        return finite("ftrl", play_ftrl(losses, domain, R, start, step))
