r"""The best fixed action in hindsight, with a lower certificate.

$$\theta^\ast \in \arg\min_{\theta\in\Theta} \sum_i \ell_i(\theta),$$
ties broken as the paper does by the least $B_R(\theta\|\phi)$. The action is the solution of the same problem plus
$\kappa B_R(\theta\|\phi)$ for a small $\kappa$: exactly the tie-broken one where the losses are piecewise linear and
the domain is a polyhedron (then every small enough $\kappa$ gives it), and otherwise within $O(\kappa)$ of it.

Linear and quadratic losses in floats have closed forms, and a `lower` in which every rounding is bounded (`quadratic`).
For all others `lower` is not a difference of floats: the duals found on the way are made rational; they give an affine
minorant of the sum, whose minimum over the domain is computed exactly and rounded down. So `lower` is at most the true
minimum, whatever the solver did, and `regret` computed with it is never under-reported.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, Exact, approximate, exact, is_exact, precision
from arubatheory.convex.enclosure import BITS, above, lifted, rational_minorants, refined
from arubatheory.convex.gap import Minorants, gradient_of_minorants
from arubatheory.convex.path import PathState, begin, upper_end
from arubatheory.convex.problem import GENERAL, Problem, closed_form, shape_of
from arubatheory.convex.quadratic import least_quadratic
from arubatheory.convex.solver import pull_of, solve
from arubatheory.kernel import pure
from arubatheory.problems import domains, regularizers
from arubatheory.problems.arguments import check_regularizer, checked_runs
from arubatheory.problems.domains import SPACE, Domain, box, linear_minimizer, project
from arubatheory.problems.losses import ABSOLUTE, DISTANCE, HINGE, HUBER, LINEAR, LOGISTIC, SQUARE, Losses
from arubatheory.problems.losses import total as paid_at
from arubatheory.problems.own.least import least_of, middle
from arubatheory.problems.own.rounds import AnyLosses
from arubatheory.problems.own.steps import AnyDomain
from arubatheory.problems.regularizers import ENTROPY, Regularizer
from arubatheory.problems.signatures import typed

EXPONENTS = (16, 28, 40, 52)
LIMITS = np.array([LINEAR, ABSOLUTE, HINGE, HINGE, ABSOLUTE, ABSOLUTE, DISTANCE])  # of each of the links, far out
STEEP = 2.0**20
LOOSE = 1e-10  # a gap above this share of the magnitudes is worth a second look at the duals


class Hindsight(NamedTuple):
    r"""`action` (d,), its `value` $= \sum_i \ell_i$, and a certified `lower` $\le \min_\Theta \sum_i \ell_i$; of n runs
    (n, d), (n,) and (n,)."""

    action: Array
    value: Any
    lower: Any


@typed
def hindsight(losses: AnyLosses, domain: AnyDomain, R: Regularizer | None = None, phi: Any = None) -> Hindsight:
    r"""The best fixed action of a sequence over a domain, with a certified lower bound of the minimum.

    `R` (default Euclidean) and `phi` (default: the centre of the domain) break ties by the least $B_R(\theta\|\phi)$.
    For exact losses all three parts are exact: a feasible action, its value, a lower bound. For losses as functions
    the search goes out from `phi`, ties are left as they fall, and `lower` is what convexity certifies
    (`problems.own.least`), up to the rounding of the functions. Losses (n, m, d), domains or starts of n runs are taken
    one after the other.

    Raises ValueError when the sum has no lower bound over $\mathbb R^d$ (or none that the duals can certify), and for
    the bad arguments that `omd` refuses; OverflowError when a number leaves the range of float64.
    """
    if not (isinstance(losses, Losses) and isinstance(domain, Domain)):
        return Hindsight(*least_of(losses, domain, middle(domain) if phi is None else phi))
    if phi is None:  # that of R^d is in floats, also for exact losses
        phi = exact(_center(domain)) if is_exact(losses.a) else _center(domain)
    if len((runs := checked_runs(losses, domain, phi)).shape) > 2:
        found = [hindsight(*part[:2], R, part[2]) for part in map(runs.one, range(runs.shape[0]))]
        return Hindsight(*(np.array(x, losses.a.dtype) for x in zip(*found, strict=True)))
    losses, domain, start = runs.one(0)
    R = regularizers.euclidean(start.size) if R is None else R
    check_regularizer(R, domain, losses)
    return (not is_exact(losses.a) and _closed_form(losses, domain, R, start)) or _certified(losses, domain, R, start)


def _center(domain: Domain) -> Array:
    """The centre, or one for each run."""
    if domain.low.ndim == 1:
        return domains.center(domain)
    return np.array([domains.center(domain.one(k)) for k in range(len(domain.low))])


def _certified(losses: Losses, domain: Domain, R: Regularizer, start: Array) -> Hindsight:
    """The minimiser of a short path, and the bound of the duals that were met on it."""
    plain = Problem(losses, len(losses.a), domain, R, start, 1.0, 1.0)
    floats, rational = approximate(plain), exact(plain)
    with np.errstate(all="ignore"):
        tried = [_regularised(floats, exponent) for exponent in EXPONENTS]
    best = [(x, value, state) for x, value, state in tried if np.isfinite(value) and _is_finite(state)]
    if domain.kind != SPACE:  # where a small kappa meets a Hessian that is singular, the step misses the ball
        best = [one for one in best if domains.contains(floats.domain, one[0])]
    if not best:
        raise OverflowError("hindsight left the range of float64")
    bounds = [bound for _, _, state in best if (bound := _lower_bound(rational, lifted(state))) is not None]
    scale = max(abs(x[1]) for x in best) + float(np.abs(floats.losses.weight).sum())
    least = min(x[1] for x in best)
    if not bounds or least - float(approximate(max(bounds))) > LOOSE * scale:
        bounds += _sharper(rational, floats, best)
    lower = max(bounds, default=None)
    if lower is None:
        raise ValueError("losses must have a sum with a lower bound over the domain, and the duals certify none")
    action = next(x[0] for x in best if x[1] <= least + 8 * np.finfo(float).eps * scale)
    if is_exact(losses.a):
        action = _into(domain, exact(action))
        with precision(BITS):
            return Hindsight(action, pure(paid_at)(losses, plain.n, action), lower)
    value = float(paid_at(losses, plain.n, action))
    return Hindsight(action, value, min(_rounded_down(lower), value))


def _closed_form(losses: Losses, domain: Domain, R: Regularizer, phi: Array) -> Hindsight | None:
    with np.errstate(all="ignore"):
        closed, x, value, lower = least_quadratic(losses, domain, R, phi)
    return Hindsight(x, float(value), float(lower)) if closed else None


def _sharper(P: Problem, floats: Problem, best: list[tuple[Array, float, PathState]]) -> list[Exact]:
    """Bounds from duals that are followed further along their path, in balls, where floats left them too rough."""
    bounds = []
    if shape_of(floats.losses, floats.n, floats.R) == GENERAL:
        for exponent, (_, _, state) in zip(EXPONENTS, best, strict=True):
            kappa = exact(_weight_of_ties(floats) * 2.0**-exponent)
            with precision(BITS):
                further = refined(P._replace(kappa=kappa), state)
            bound = _lower_bound(P, further)
            bounds += [] if bound is None else [bound]
    return bounds


def _into(domain: Domain, x: Array) -> Array:
    """An exact point of the domain next to x. A projection onto a ball is irrational, so there x moves inwards."""
    if domain.kind == domains.BALL:
        offset, radius = x - domain.center, domain.radius[0]
        square = offset @ offset
        if square > radius * radius:
            # r^2 / |x - c|^2 < r / |x - c|: the scaled point is inside, by as little as x was outside.
            return domain.center + offset * (radius * radius / square)
        return x
    return pure(project)(domain, x)


def _regularised(P: Problem, exponent: int) -> tuple[Array, float, PathState]:
    r"""The minimiser of the sum plus $\kappa B_R$, the value of the sum there, and the duals."""
    P = P._replace(kappa=_weight_of_ties(P) * 2.0**-exponent)
    if shape_of(P.losses, P.n, P.R) == GENERAL:
        x, _, state = solve(P)
    else:
        x = closed_form(P._replace(eta=1 / P.kappa))
        state = begin(P, 1.0)
        state.x[:] = x
    return x, float(paid_at(P.losses, P.n, x)), state


def _weight_of_ties(P: Problem) -> float:
    r"""The $\kappa$ at which the regulariser pulls about as hard as the losses do."""
    pull, far = pull_of(P, P.phi)
    width = far if P.domain.kind == SPACE else float(domains.diameter(P.domain))
    if not pull > 0 or not width > 0:
        return 1.0
    bend = 1 / width if P.R.kind == ENTROPY else max(1.0, np.trace(P.R.matrix) / P.phi.size)
    return pull / (bend * width)


def _is_finite(state: PathState) -> bool:
    return all(np.isfinite(part).all() for part in state if part.dtype == np.float64)


def grows(past: Losses) -> bool:
    r"""Whether the recession function of the sum is certainly positive on every face $v_j = \pm 1$ of the unit cube.

    It is $\langle a, v\rangle$ for a linear loss, $|\langle a, v\rangle|$ for absolute and Huber, $\max(0, -\langle a,
    v\rangle)$ for hinge and logistic, $\|v\|_2$ for a distance, and infinite for a square unless $\langle a, v\rangle =
    0$: there a large multiple of the absolute value bounds it below.
    """
    limit = LIMITS[past.link]
    weight = np.where(past.link == SQUARE, STEEP * past.weight.max(), past.weight) * (past.weight > 0)
    b = np.where(limit == HINGE, -1.0, 0.0)
    recession = past._replace(link=limit, b=b, weight=weight, c=0 * past.c)
    for j in range(past.a.shape[1]):
        for side in (-1.0, 1.0):
            low, high = np.full(past.a.shape[1], -1.0), np.ones(past.a.shape[1])
            low[j] = high[j] = side
            if not hindsight(recession, box(low, high)).lower > 0:
                return False
    return True


# the certificate -------------------------------------------------------------------------------------------------
def _lower_bound(P: Problem, state: PathState) -> Exact | None:
    r"""A rational lower bound of $\min_\Theta \sum_i \ell_i$ from the duals of a state; None if they certify none."""
    with precision(BITS):
        bound = _lower_ball(P, state)
        return None if bound is None else -above(-bound)


def _lower_ball(P: Problem, state: PathState) -> Exact | None:
    L, lines = P.losses, rational_minorants(P, state)
    if P.domain.kind == SPACE:
        balanced = _balance(P, lines)
        if balanced is None:
            linear = any(L.link[i] == LINEAR and L.weight[i] > 0 and np.any(L.a[i] != 0) for i in range(P.n))
            return None if linear else _constants(P)
        lines = balanced
    g, _ = pure(gradient_of_minorants)(P, lines)
    bound = sum((_constant(L, i, lines) for i in range(P.n)), Exact(0))
    return bound if P.domain.kind == SPACE else bound + g @ pure(linear_minimizer)(P.domain, g)


def _constants(P: Problem) -> Exact:
    """A bound for losses that are nonnegative but for constants."""
    L = P.losses
    return sum((-L.weight[i] * L.b[i] for i in range(P.n) if L.link[i] == LINEAR), Exact(0))


def _constant(L: Losses, i: int, M: Minorants) -> Exact:
    r"""The minorant of loss i is $\langle g_i, x\rangle$ plus this."""
    constant = L.ridge[i] * (L.c[i] @ L.c[i] - M.x @ M.x) / 2
    slope, b = M.slope[i], L.b[i]
    if L.link[i] == DISTANCE:
        return constant - L.weight[i] * (M.v[i] @ L.c[i])
    part = -slope * b
    if L.link[i] == SQUARE or L.link[i] == HUBER:
        part = part - slope * slope / 2
    if L.link[i] == HINGE:
        part = part - slope
    if L.link[i] == LOGISTIC:
        part = part - sum((p * np.log(p) for p in (-slope, 1 + slope) if p > 0), Exact(0))
    return constant + L.weight[i] * part


def _balance(P: Problem, M: Minorants) -> Minorants | None:
    r"""Minorants whose gradients sum to 0 exactly, by a least change of the duals that leaves them feasible.

    Duals in the interior of their intervals move by $-\omega_i \langle a_i, t\rangle$, and $t$ solves a consistent
    positive semidefinite system in rationals.
    """
    L, slope, v, d = P.losses, M.slope.copy(), M.v.copy(), M.x.size
    rates = [_give(L, i, M) for i in range(P.n)]
    ridge = sum((L.ridge[i] for i in range(P.n)), Exact(0))
    rounds = sum((L.weight[i] * rates[i] for i in range(P.n) if L.link[i] == DISTANCE), Exact(0))
    along = [L.weight[i] * rates[i] * np.outer(L.a[i], L.a[i]) for i in range(P.n) if L.link[i] != DISTANCE]
    matrix = sum(along, exact(np.eye(d)) * (ridge + rounds))
    t = _consistent_solution(matrix, pure(gradient_of_minorants)(P, M)[0])
    if t is None:
        return None
    for i in range(P.n):
        if L.link[i] == DISTANCE:
            v[i] = v[i] - rates[i] * t
        else:
            slope[i] = slope[i] - rates[i] * (L.a[i] @ t)
    moved = Minorants(slope, M.point, M.up, M.down, v, M.x - t if ridge > 0 else M.x)
    return moved if all(_feasible(L.link[i], slope[i], v[i]) for i in range(P.n)) else None


def _give(L: Losses, i: int, M: Minorants) -> Exact:
    """How readily the dual of loss i moves: not at all at an end of its interval."""
    if L.link[i] == LINEAR or not L.weight[i] > 0:
        return Exact(0)
    if L.link[i] == SQUARE:
        return Exact(1)
    if L.link[i] == DISTANCE:
        return (1 - M.v[i] @ M.v[i]) ** 2
    return (M.up[i] * M.down[i]) ** 2


def _feasible(link: int, slope: Exact, v: Array) -> bool:
    if link == LINEAR or link == SQUARE:
        return True
    if link == DISTANCE:
        return bool(v @ v <= 1)
    return bool(-1 <= slope and slope <= pure(upper_end)(link))


def _consistent_solution(matrix: Array, g: Array) -> Array | None:
    """t with matrix t = g for a positive semidefinite matrix of rationals, or None; a zero pivot leaves its t at 0."""
    d, rest = g.size, np.column_stack([matrix, g])
    pivots = []
    for j in range(d):
        if rest[j, j] == 0:
            continue
        pivots.append(j)
        for i in range(d):
            if i != j:
                rest[i] = rest[i] - rest[j] * (rest[i, j] / rest[j, j])
    t = np.array([Exact(0)] * d, dtype=object)
    for j in pivots:
        t[j] = rest[j, d] / rest[j, j]
    return t if np.all(matrix @ t == g) else None


def _rounded_down(x: Exact) -> float:
    """The largest float, or nearly, that is not above a rational."""
    guess = float(approximate(x))
    while exact(guess) > x:
        guess = float(np.nextafter(guess, -np.inf))
    return guess
