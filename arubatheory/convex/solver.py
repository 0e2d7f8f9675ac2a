r"""The minimiser of a `Problem` in floats: the central path, followed until the certified gap stops shrinking."""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.convex.gap import certify, minorants
from arubatheory.convex.newton import advance
from arubatheory.convex.path import PathState, begin, copied, free_coordinates, interior, products, upper_end
from arubatheory.convex.problem import Problem
from arubatheory.kernel import borrowing, kernel, standing
from arubatheory.problems.domains import SIMPLEX, SPACE, Domain, project
from arubatheory.problems.linear import dot
from arubatheory.problems.losses import DISTANCE, LINEAR, SQUARE, Losses, argument, link_slope, squared_distance
from arubatheory.problems.regularizers import ENTROPY, Regularizer, bregman, mirror_step

STEPS = 120
PATIENCE, LONGER = 8, 40  # steps without a better gap, where it may be rounding, and where it is none
ROUNDING, FAR = 1e-12, 1e3  # of the largest products; of the products
RESTARTS = 3
NEAR, BLIND = 1e-7, 10  # no gap is asked for while the products are large, in the first steps
TINY = 1e-300


@borrowing
def reach_of(L: Losses, i: int, x: Array) -> Any:
    r"""The slope of loss i at x without its weight, the distance to where it bends, and the distance to $c_i$."""
    away, slope = np.sqrt(squared_distance(L, i, x)), np.sqrt(dot(L.a[i], L.a[i]))
    if L.link[i] == DISTANCE:
        return 1.0, away, away
    near = abs(argument(L, i, x)) / slope if slope > 0 and L.link[i] != LINEAR else 0.0
    if L.link[i] == SQUARE:
        return slope * slope * near, near, away
    return slope, near, away


@borrowing
def pull_of(P: Problem, x: Array) -> Any:
    r"""How hard the losses pull at x, each whatever its direction, and how far away the last of them bends."""
    L, pull, far = P.losses, 0.0, 0.0
    for i in range(P.n):
        slope, near, away = reach_of(L, i, x)
        pull += P.eta * (L.weight[i] * slope + L.ridge[i] * away)
        if L.weight[i] * slope > 0:
            far = max(far, near)
        if L.ridge[i] > 0:
            far = max(far, away)
    return pull, far


@borrowing
def first_tau(P: Problem, x: Array) -> Any:
    r"""Where the path starts from x: about how much the losses vary over the part of the domain that matters."""
    kappa, domain = P.kappa, P.domain
    pull, far = pull_of(P, x)
    reach = min(pull / kappa, 2 * far) if far > 0 else pull / kappa
    if domain.kind == SIMPLEX:
        reach = min(reach, 1.0)
    elif domain.kind != SPACE:
        width = domain.radius[0]
        for j in range(x.shape[0]):
            width += abs(domain.high[j] - domain.low[j])
        reach = min(reach, width)
    return (pull * reach + kappa * reach * reach + kappa * bregman(P.R, x, P.phi)) / (P.n + x.shape[0])


@kernel
def _set_to_tangents(P: Problem, state: PathState) -> None:
    r"""Set the duals to subgradients at x: on a point domain nothing has to balance."""
    L = P.losses
    for i in range(P.n):
        if L.link[i] == DISTANCE:
            state.v[i] = (state.x - L.c[i]) / max(reach_of(L, i, state.x)[2], TINY)
        elif L.link[i] != LINEAR and L.link[i] != SQUARE:
            slope = link_slope(L.link[i], argument(L, i, state.x), L.kink[i])
            state.down[i] = slope + 1
            state.up[i] = upper_end(L.link[i]) - slope


@kernel
def _into(domain: Domain, R: Regularizer, x: Array) -> Array:
    r"""x moved into the domain by its last roundings; entropy keeps positive coordinates positive."""
    if R.kind == ENTROPY:
        return mirror_step(R, domain, x, 0 * x)
    return project(domain, x)


@standing
def solve(P: Problem) -> Any:
    r"""$(x, gap, state)$: follow the path until the certified gap stops shrinking, and return the best."""
    tau = first_tau(P, interior(P.domain, P.phi, free_coordinates(P)))
    begun, restarts = max(tau, TINY), 0
    state = begin(P, begun)
    best, gap, kept = P.phi.copy(), np.inf, copied(state)
    if state.free.max() == 0:
        _set_to_tangents(P, kept)
        return best, 0.0, kept
    first, stalled = products(P, state)[0], 0
    for k in range(STEPS):
        step = advance(P, state, tau, 0.995)
        if not np.isfinite(state.x.sum()):
            # Newton's matrix was singular to the last bit: from further up the path it is better conditioned.
            if gap < np.inf or restarts == RESTARTS:
                break
            restarts, begun = restarts + 1, begun * 1e6
            tau = begun
            state = begin(P, begun)
            continue
        mass, count = products(P, state)
        tau = mass / max(count, 1) * (0.02 if step > 0.9 else (0.2 if step > 0.5 else 0.7))
        first = max(first, mass)
        if mass > NEAR * first and k < BLIND:
            continue
        x, bound = certify(P, _into(P.domain, P.R, state.x), minorants(P, state, state.x))
        # What keeps a gap up that is far larger than the products is a loss without any (a logistic one), and they
        # wait for it; while they are as large as the gap, they do, and they still have to fall.
        if bound > FAR * mass:
            tau = mass / max(count, 1)
        stalled = stalled + 1 if gap < np.inf and bound >= gap / 2 and 100 * mass <= gap else 0
        if bound < gap:
            best, gap, kept = x, bound, copied(state)
        if stalled >= (PATIENCE if gap <= ROUNDING * first else LONGER) or gap == 0:
            break
    return best, gap, kept
