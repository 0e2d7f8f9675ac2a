r"""The minimiser of a `Problem` in exact arithmetic: a point, and a radius in which the minimiser lies.

The interior-point path is continued from the float solution (`solver`), or from its start where floats have lost it, in
balls of `bits()` bits, whose midpoints are the next iterate. The duals it ends with are rounded to rationals inside
their intervals. They define affine minorants of the losses, and one exact `mirror_step` gives $\theta(\lambda)$ and its
duality gap. As the objective is 1-strongly convex in the norm of R, the minimiser is within $\sqrt{2\,gap}$ of
$\theta(\lambda)$: this is the radius of the balls. Only the last step is a proof; how $\lambda$ was found does not
matter.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import numpy as np

from arubatheory.arithmetic import Array, Exact, Undecided, Undefined, approximate, ball, exact, midpoint, wrapped
from arubatheory.convex.gap import Minorants, gradient_of_minorants, loss_gap
from arubatheory.convex.newton import advance
from arubatheory.convex.path import PathState, begin, bounded, dual, interior, products, upper_end
from arubatheory.convex.problem import GENERAL, Problem, closed_form, shape_of
from arubatheory.convex.solver import first_tau, solve
from arubatheory.kernel import pure
from arubatheory.problems import linear
from arubatheory.problems.domains import BALL, BOX, Domain, diameter
from arubatheory.problems.losses import DISTANCE, LINEAR, LOGISTIC, SQUARE, Losses, argument
from arubatheory.problems.losses import value as loss_value
from arubatheory.problems.regularizers import ENTROPY, MAHALANOBIS, Regularizer, mass_bound, mirror_step
from arubatheory.problems.scalar import working_bits

BITS = 320
REFINEMENTS = 64
KEEP = Exact(2**20 - 1) / 2**20  # of the way to the boundary: products become that much smaller
SMALL = 85 / 128  # of the working bits: by how many the products become smaller
LEAST = Exact(1) / Exact(2) ** 1100


def bits() -> int:
    """How many bits a minimiser is enclosed with."""
    return max(BITS, working_bits())


def enclosed_minimiser(P: Problem) -> tuple[Array, Array, Exact]:
    r"""$\theta(\lambda)$, the radius of each coordinate, and the gap, of an exact problem with $\kappa = 1$.

    Raises Undecided where no minimiser is enclosed: an operation without a real value on the way to it says nothing of
    the claim that asks.
    """
    try:
        return _enclosed(P)
    except Undefined as error:
        raise Undecided(f"no minimiser was enclosed: {error}") from error


def _enclosed(P: Problem) -> tuple[Array, Array, Exact]:
    zero = np.array([Exact(0)] * len(P.phi), dtype=object)
    if pure(shape_of)(P.losses, P.n, P.R) != GENERAL:
        return pure(closed_form)(P), zero, Exact(0)
    floats = approximate(P)
    with np.errstate(all="ignore"):
        state = solve(floats)[2]
        tau = first_tau(floats, interior(floats.domain, floats.phi, state.free))
    if state.free.max() == 0:  # a point, or so small a domain that floats see one: theta is within its diameter
        width = diameter(P.domain)
        return P.phi, zero + width, width * width / 2
    theta, gap = _followed(P, state)
    if np.isfinite(tau) and above(gap) > exact(tau) / 2 ** (working_bits() // 2):  # floats have lost the path
        theta, gap = min((theta, gap), _followed(P, pure(begin)(P, exact(tau))), key=lambda found: above(found[1]))
    return theta, _radius(P.R, P.domain, gap), gap


def _followed(P: Problem, state: PathState) -> tuple[Array, Exact]:
    r"""$\theta(\lambda)$ and its gap, from the end of the path that a state is on."""
    lines = rational_minorants(P, refined(P, state))
    g, _ = pure(gradient_of_minorants)(P, lines)
    theta = pure(mirror_step)(P.R, P.domain, P.phi, g)
    gap = sum((P.eta * pure(loss_gap)(P.losses, i, theta, lines) for i in range(P.n)), Exact(0))
    return theta, abs(gap)  # of a ball around 0 only the part above 0 is possible


def _radius(R: Regularizer, domain: Domain, gap: Exact) -> Array:
    r"""What $\|x\|_R^2 \le 2\,gap$ allows coordinate j: $\sqrt{2\,gap}$, times $\sqrt{(A^{-1})_{jj}}$ or $\sqrt S$."""
    d = R.matrix.shape[0]
    high = above(2 * gap)
    if R.kind == ENTROPY:
        return np.array([np.sqrt(high * pure(mass_bound)(domain))] * d, dtype=object)
    if R.kind != MAHALANOBIS:
        return np.array([high.sqrt()] * d, dtype=object)
    return np.array([np.sqrt(high * (e @ pure(linear.solve)(R.matrix, e))) for e in exact(np.eye(d))], dtype=object)


def above(x: Exact) -> Exact:
    """A rational that is not below any point of the ball x."""
    return x if x.is_rational else midpoint(wrapped([x.v.upper()])[0])


def enclosed_value(L: Losses, i: int, theta: Array, radius: Array) -> Exact:
    r"""A ball that contains $\ell_i$ at every point within `radius` of `theta`, coordinate by coordinate."""
    wide = np.array([x + ball(0, r) for x, r in zip(theta, radius, strict=True)], dtype=object)
    with contextlib.suppress(Undecided, Undefined):
        return pure(loss_value)(L, i, wide)
    # A kink inside the ball: the links that compare there are 1-Lipschitz, so a rational point nearby decides.
    middle = np.array([midpoint(x) for x in theta], dtype=object)
    spread = np.array([above(abs(x - y) + r) for x, y, r in zip(theta, middle, radius, strict=True)], dtype=object)
    reach = spread.sum() if L.link[i] == DISTANCE else (abs(L.a[i]) * spread).sum()
    bare = Losses(L.link, L.a, L.b, L.weight, L.ridge * 0, L.c, L.kink)
    bend = ((wide - L.c[i]) * (wide - L.c[i])).sum() * L.ridge[i] / 2
    return pure(loss_value)(bare, i, middle) + ball(0, L.weight[i] * reach) + bend


def refined(P: Problem, state: PathState) -> PathState:
    """The state further down the path, by as many digits as `SMALL` says, as rationals; the last good one if balls stop
    deciding, or floats were so far off that a root has no real value."""
    best = lifted(state)
    with contextlib.suppress(Undecided, Undefined):
        _refine(P, _synchronised(P, best))
    return best


def _refine(P: Problem, best: PathState) -> None:
    total, count = pure(products)(P, best)
    tau, goal = total / max(count, 1), total / Exact(2) ** int(SMALL * working_bits())
    for k in range(REFINEMENTS):
        current = PathState(*map(_balls, best))
        step = pure(advance)(P, current, tau, KEEP)
        moved = PathState(*map(_midpoints, current))
        far = abs(moved.x - best.x).max() * Exact(2) ** (bits() // 2)  # where nothing has a product: squared in a step
        for old, new in zip(best, moved, strict=True):
            old[...] = new
        total, count = pure(products)(P, moved)
        if k > 3 and (total < goal if count else far <= abs(moved.x).max()) and step > Exact(99) / 100:
            return
        tau = midpoint(total / max(count, 1)) / (10**6 if k > 1 and step > Exact(9) / 10 else 1)


def lifted(state: PathState) -> PathState:
    """A copy of a float state in exact numbers."""
    return PathState(*(part.copy() if part.dtype != np.float64 else exact(part) for part in state))


def _each(f: Callable[[Exact], Exact], part: Array) -> Array:
    """f of every number of an array; an array of integers itself."""
    if part.dtype != object:
        return part
    out = np.empty_like(part)
    out.ravel()[:] = [f(x) for x in part.ravel()]
    return out


def _balls(part: Array) -> Array:
    tiny = Exact(1) / Exact(2) ** (4 * BITS)
    return _each(lambda x: ball(x, abs(x) * tiny), part)


def _midpoints(part: Array) -> Array:
    return _each(midpoint, part)


def _synchronised(P: Problem, state: PathState) -> PathState:
    """Slacks and duals that agree with x and each other to the last digit: in floats they had drifted by roundings."""
    domain, x, slack = P.domain, state.x, state.slack
    for j in range(len(x)):
        if state.free[j] and pure(bounded)(P.R, domain, j, 0) and (domain.kind != BOX or slack[0, j] < slack[1, j]):
            x[j] = domain.low[j] + slack[0, j]
        elif state.free[j] and domain.kind == BOX:
            x[j] = domain.high[j] - slack[1, j]
        if state.free[j] and domain.kind == BOX:
            slack[0, j], slack[1, j] = x[j] - domain.low[j], domain.high[j] - x[j]
    if domain.kind == BALL:
        _synchronise_ball(domain, state)
    for i in range(P.n):
        small, large = (state.up, state.down) if state.up[i] < state.down[i] else (state.down, state.up)
        large[i] = 1 + pure(upper_end)(P.losses.link[i]) - small[i]
        if P.losses.link[i] == DISTANCE:
            state.y[i] = x - P.losses.c[i]
            _move_inside_sphere(state.v[i], state.s[i])
            state.s[i] = 1 - state.v[i] @ state.v[i]
    return state


def _synchronise_ball(domain: Domain, state: PathState) -> None:
    offset, whole = state.x - domain.center, domain.radius[0] * domain.radius[0]
    square = offset @ offset
    if square > 0:
        part = midpoint(np.sqrt((whole - 2 * state.ball[0]) / square))
        state.x[:] = domain.center + part * offset
        state.ball[0] = (whole - part * part * square) / 2


def _move_inside_sphere(v: Array, slack: Exact) -> None:
    r"""Shrink v, in place, until $|v|^2 < 1$, to about $1 - slack$."""
    square = v @ v
    if not square < 1:
        v *= midpoint(np.sqrt((1 - slack / 2) / square)) * (1 - slack / 4)


def _distance_dual(y: Array, v: Array, slack: Exact) -> Array:
    r"""A rational v with $|v| \le 1$: $y/|y|$ where the path is at the sphere, for $|y| = \langle v, y\rangle$."""
    square = y @ y
    # At a kink y is noise, and v is what the path says.
    if slack < Exact(1) / 1000 and square > 0 and (v @ y) * (v @ y) * (1 + slack * 4) > square * (1 - slack * 4):
        v = y * midpoint(1 / np.sqrt(square))
    square = v @ v
    return v / square if square > 1 else v


def rational_minorants(P: Problem, state: PathState) -> Minorants:
    """Minorants with rational slopes inside their intervals, whatever the state has become."""
    L, x, v = P.losses, _midpoints(state.x), _midpoints(state.v)
    slope, point, up, down = (np.array([Exact(0)] * P.n, dtype=object) for _ in range(4))
    for i in range(P.n):
        link = L.link[i]
        if link == LINEAR:
            slope[i] = Exact(1)
        elif link == SQUARE:
            slope[i] = point[i] = pure(argument)(L, i, x)
        elif link == DISTANCE:
            v[i] = _distance_dual(x - L.c[i], v[i], state.s[i])
        else:
            whole, least = 1 + pure(upper_end)(link), LEAST if link == LOGISTIC else Exact(0)
            small, large = (up, down) if state.up[i] < state.down[i] else (down, up)
            small[i] = min(max(midpoint(min(state.up[i], state.down[i])), least), whole - least)
            large[i] = whole - small[i]
            slope[i] = pure(dual)(link, up[i], down[i])
            if link == LOGISTIC:
                point[i] = np.log(down[i] / up[i])
    return Minorants(slope, point, up, down, v, x)
