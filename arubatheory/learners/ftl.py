r"""Follow the leader (def:ftl): an arbitrary $\theta_1 \in \Theta$, then
$$\theta_t = \arg\min_{\theta\in\Theta} \sum_{s<t} \ell_s(\theta), \qquad
  \ell_s = f_s + \alpha_s B_R(\cdot\|c_s),$$
with convex `Losses` f and, if asked for, a `Curvature`: Bregman terms of any regulariser, which make the losses
$\alpha_s$-strongly convex in the norm of R.

The terms of a regulariser are one term: up to a constant,
$$\sum_{s<t} \alpha_s B_R(\theta\|c_s) = \alpha_{1:t-1} B_R(\theta\|p) + \langle h, \theta\rangle, \qquad
  h = \sum_{s<t} \alpha_s (\nabla R(p) - \nabla R(c_s)),$$
so that the leader is FTRL's action with $\phi = p$, $\eta = 1/\alpha_{1:t-1}$ and one more linear loss. For a quadratic
R the mean $p$ of the $c_s$ has $h = 0$; ridges count as Euclidean terms.

* Linear losses and ridges: the projection of a running mean, O(d) a round.
* Linear and squared losses with quadratic curvature: sums are carried too (`carried`), O(d^3) a round at most.
* Anything else: the solver of `convex` on all past losses, with its certified gap, $\|\theta - \theta_t\|^2 \le
  2\,$gap$\,/\alpha_{1:t-1}$.

Without any curvature a leader may not exist, or not be unique: see `flat_leaders`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, Exact, ball, is_exact, precision
from arubatheory.convex.enclosure import bits, enclosed_minimiser
from arubatheory.convex.problem import Problem
from arubatheory.convex.solver import solve
from arubatheory.kernel import borrowing, kernel, on, pure
from arubatheory.learners.carried import Curvature as Curvature
from arubatheory.learners.carried import bending, carried_from, carried_minimisers, folding
from arubatheory.learners.flat_leaders import flat_leader
from arubatheory.learners.many_runs import in_a_row
from arubatheory.learners.trajectory import Trajectory, finite
from arubatheory.problems.arguments import check_regularizer, checked, several
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, Domain, inside, project
from arubatheory.problems.linear import times
from arubatheory.problems.losses import LINEAR, Losses, numbers, rows, value
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, MAHALANOBIS, Regularizer, bregman
from arubatheory.problems.scalar import exceeds, larger, overflows, smaller
from arubatheory.problems.signatures import typed


class Leaders(NamedTuple):
    r"""$\theta_1, \dots, \theta_{m+1}$ (m + 1, d), the gap of each, and $\alpha_{1:t-1}$ (the ridges' if R is
    Euclidean)."""

    actions: Array
    gap: Array
    mass: Array


class Sum(NamedTuple):
    r"""The losses of the rounds so far: $\alpha_{1:n} B_R(\cdot\|base) + \langle linear, \cdot\rangle$ and the rows of
    `losses` from 1 to `rows`; row 0 is where the linear part goes in the end."""

    losses: Losses
    base: Array
    linear: Array
    mass: Array
    rows: Array


# the running mean --------------------------------------------------------------------------------------------------
@kernel
def play_means(L: Losses, stop: int, domain: Domain, phi: Array, alpha: Array, center: Array, actions: Array) -> Any:
    r"""[exact] Writes the leaders of the first `stop` losses, which are linear but for Euclidean terms, into `actions`.

    One loop, nothing called in it on a box or a ball: a call costs as much as the round itself when d is small.
    """
    a, c, weight, ridge, kind = L.a, L.c, L.weight, L.ridge, domain.kind
    low, high, middle, radius = domain.low, domain.high, domain.center, domain.radius[0]
    d = a.shape[1]
    s, mass, whole = 0 * phi, 0 * phi[0], radius * radius
    for i in range(stop):
        w, r, q = weight[i], ridge[i], alpha[i]
        mass = mass + r + q
        if w > 0:
            for j in range(d):
                s[j] = s[j] - w * a[i, j]
        if q > 0:
            for j in range(d):
                s[j] = s[j] + q * center[i, j]
        if not mass > 0:
            for j in range(d):
                actions[i + 1, j] = phi[j]
            continue
        part, square = 1 / mass, 0 * mass
        for j in range(d):
            t = s[j] + r * c[i, j]
            s[j], actions[i + 1, j] = t, part * t
        if kind == BOX:
            for j in range(d):
                actions[i + 1, j] = smaller(larger(actions[i + 1, j], low[j]), high[j])
        elif kind == BALL:
            for j in range(d):
                x = actions[i + 1, j] - middle[j]
                square = square + x * x
        if kind == SIMPLEX:
            actions[i + 1] = project(domain, actions[i + 1])
        elif kind == BALL and exceeds(square, whole):
            if overflows(square) or not radius > 0:
                actions[i + 1] = project(domain, actions[i + 1])
            else:
                shrink = radius / np.sqrt(larger(square, whole))
                for j in range(d):
                    actions[i + 1, j] = middle[j] + shrink * (actions[i + 1, j] - middle[j])


# the sum of the rounds so far ----------------------------------------------------------------------------------------
@kernel
def empty_sum(L: Losses) -> Any:
    """[exact] The sum of no losses, with room for all of them."""
    m, d = L.a.shape
    table, row = np.zeros((m + 1, d), L.a.dtype) + 0 * L.b[0], np.zeros(m + 1, L.a.dtype) + 0 * L.b[0]
    rows = Losses(np.zeros(m + 1, np.int64), table, row, row.copy(), row.copy(), table.copy(), row.copy())
    rows.weight[0] = rows.weight[0] + 1
    return Sum(rows, table[0].copy(), table[0].copy(), row[:1].copy(), np.zeros(1, np.int64))


@kernel
def _pull(S: Sum, alpha: Any, center: Array) -> None:
    """Add a quadratic term: the base is the running mean."""
    S.mass[0] = S.mass[0] + alpha
    share = alpha / S.mass[0]
    for j in range(center.shape[0]):
        S.base[j] = center[j] if S.mass[0] == alpha else S.base[j] + share * (center[j] - S.base[j])


@kernel
def _tilt(S: Sum, alpha: Any, center: Array) -> None:
    """Add a term of the entropy: the base stays the first centre, which is a point of the domain."""
    for j in range(center.shape[0]):
        if not S.mass[0] > 0:
            S.base[j] = center[j]
        S.linear[j] = S.linear[j] + alpha * np.log(S.base[j] / center[j])
    S.mass[0] = S.mass[0] + alpha


@kernel
def add(S: Sum, L: Losses, i: int, R: Regularizer, alpha: Any, center: Array) -> None:
    r"""[exact] Add $f_i + \alpha B_R(\cdot\|c)$ to the sum, in place."""
    ridge = L.ridge[i]
    if R.kind == EUCLIDEAN and ridge > 0:
        _pull(S, ridge, L.c[i])
        ridge = 0 * ridge
    if alpha > 0 and R.kind == ENTROPY:
        _tilt(S, alpha, center)
    elif alpha > 0:
        _pull(S, alpha, center)
    if (L.link[i] == LINEAR or not L.weight[i] > 0) and not ridge > 0:
        for j in range(center.shape[0]):
            S.linear[j] = S.linear[j] + L.weight[i] * L.a[i, j]
        return
    S.rows[0] += 1
    k, rows = S.rows[0], S.losses
    rows.link[k], rows.b[k], rows.weight[k] = L.link[i], L.b[i], L.weight[i]
    rows.a[k], rows.c[k], rows.ridge[k], rows.kink[k] = L.a[i], L.c[i], ridge, L.kink[i]


@kernel
def anchor(S: Sum, domain: Domain, R: Regularizer, phi: Array) -> Any:
    r"""[exact] The base, or $\phi$ where that is not in the domain, with row 0 of the losses set to what belongs to it.

    The solver starts where it is told, and leaves coordinates that the domain pins as they are.
    """
    row, x = S.losses.a[0], S.base.copy()
    row[:] = S.linear
    if R.kind == ENTROPY or not exceeds(0 * x[0], inside(domain, x)):
        return x
    shift = phi - x
    if R.kind == MAHALANOBIS:
        shift = times(R.matrix, shift)
    row += S.mass[0] * shift
    return phi.copy()


def play_ftl(L: Losses, domain: Domain, phi: Array, R: Regularizer, alpha: Array, center: Array, first: int) -> Leaders:
    r"""[exact] `leaders`, unvalidated: of exact losses balls that contain them. Where $\alpha_{1:n}$ is 0 the gap is
    infinite. A leader that takes a solver is left out before that of the first `first` losses. In pieces, so that means
    compile no solver."""
    if is_exact(phi):
        return _balls(L, domain, phi, R, alpha, center, first)
    m, d = L.a.shape
    found = Leaders(np.empty((m + 1, d)), np.zeros(m + 1), np.zeros(m + 1))  # made by numpy: see `runs.room`
    curve = Curvature(R, alpha, center)
    stop, last = _lead_by_means(L, domain, phi, curve, found)
    start = max(first, stop + 1)
    if last > stop:
        kept = carried_from(0.0, R, center[0])
        carried_minimisers(L, curve, kept, start, last, domain, found.actions, found.gap)
    hard = (found.mass > 0) & ~(found.gap < np.inf)
    hard[:start] = False
    if hard.any():
        _lead_by_solving(L, domain, phi, curve, hard, found)
    return found


@kernel
def _lead_by_means(L: Losses, domain: Domain, phi: Array, curve: Curvature, found: Leaders) -> tuple[int, int]:
    """Writes what is a mean; returns of how many losses the last of these is, and the last that sums can hold."""
    (R, alpha, center), (actions, gap, mass) = curve, found
    actions[0], stop = phi, folding(L, R) if R.kind == EUCLIDEAN else 0
    for n in range(1, L.a.shape[0] + 1):
        mass[n] = mass[n - 1] + (L.ridge[n - 1] if R.kind == EUCLIDEAN else 0.0) + alpha[n - 1]
        actions[n], gap[n] = phi, (0.0 if n <= stop and mass[n] > 0 else np.inf)
    play_means(L, stop, domain, phi, alpha, center, actions)
    return stop, bending(L, R, stop)


@kernel
def _lead_by_solving(L: Losses, domain: Domain, phi: Array, curve: Curvature, hard: Array, found: Leaders) -> None:
    (R, alpha, center), (actions, gap, mass), S = curve, found, empty_sum(L)
    for n in range(1, L.a.shape[0] + 1):
        add(S, L, n - 1, R, alpha[n - 1], center[n - 1])
        if hard[n]:
            base = anchor(S, domain, R, phi)
            x, bound, _state = solve(Problem(S.losses, S.rows[0] + 1, domain, R, base, 1 / mass[n], 1.0))
            actions[n], gap[n] = x, mass[n] * bound


def _balls(L: Losses, domain: Domain, phi: Array, R: Regularizer, alpha: Array, center: Array, first: int) -> Leaders:
    """`play_ftl` on exact losses."""
    m, d = L.a.shape
    zero = Exact(0)
    actions, gap, mass = (np.full(shape, zero, dtype=object) for shape in ((m + 1, d), m + 1, m + 1))
    actions[:] = phi
    stop = pure(folding)(L, R) if R.kind == EUCLIDEAN else 0
    pure(play_means)(L, stop, domain, phi, alpha, center, actions)
    S = pure(empty_sum)(L)
    with precision(bits()):
        for n in range(1, m + 1):
            pure(add)(S, L, n - 1, R, alpha[n - 1], center[n - 1])
            mass[n] = S.mass[0]
            if n > stop and n >= first and mass[n] > 0:
                base = pure(anchor)(S, domain, R, phi)
                sums = Problem(S.losses, int(S.rows[0]) + 1, domain, R, base, 1 / mass[n], Exact(1))
                x, radius, bound = enclosed_minimiser(sums)
                actions[n] = [y + ball(0, r) for y, r in zip(x, radius, strict=True)]
                gap[n] = mass[n] * bound
    return Leaders(actions, gap, mass)


# public --------------------------------------------------------------------------------------------------------------
@borrowing
def curved_value(L: Losses, i: int, R: Regularizer, alpha: Array, center: Array, x: Array) -> Any:
    r"""[exact] $f_i(x) + \alpha_i B_R(x\|c_i)$."""
    f = value(L, i, x)
    return f + alpha[i] * bregman(R, x, center[i]) if alpha[i] > 0 else f


@kernel
def _curved_values(L: Losses, R: Regularizer, alpha: Array, center: Array, X: Array, out: Array) -> None:
    r"""[exact] Writes $f_i(X_i) + \alpha_i B_R(X_i\|c_i)$, loss i at row i of X."""
    for i in range(X.shape[0]):
        out[i] = curved_value(L, i, R, alpha, center, X[i])


@typed
def leaders(losses: Losses, domain: Domain, phi: ArrayLike, curvature: Curvature | None = None) -> Leaders:
    r"""$\theta_1 = \phi$ and $\theta_{t+1} = \arg\min_\Theta \ell_{1:t}$ for $t \le m$: m + 1 actions of `ftl`.

    Arguments and errors are those of `ftl`; a leader of all m losses must exist, too.
    """
    losses, start, _ = checked(losses, domain, phi, 1)
    return found_leaders(losses, domain, start, checked_curvature(curvature, losses, domain), len(losses.a) + 1)


@typed
def ftl(losses: Losses, domain: Domain, phi: ArrayLike, curvature: Curvature | None = None) -> Trajectory:
    r"""Follow the leader (def:ftl) on m losses $\ell_t = f_t + \alpha_t B_R(\cdot\|c_t)$ from $\theta_1 = \phi$:
    $$\theta_t = \arg\min_{\theta\in\Theta} \sum_{s<t} \ell_s(\theta).$$

    `phi` has shape (d,); actions of the result (m, d), and `gap` (m,) a certified bound of each suboptimality, 0 for
    closed forms. For exact losses the actions are balls that contain $\theta_t$ (rational where the leader is). Losses,
    domain and `phi` may have a leading axis for n runs, played one after the other with the same curvature.

    A leader that is not unique is, on a bounded domain, the one next to $\phi$ in l2 (see `flat_leaders`). Raises
    ValueError, naming the round, where no unique leader exists on $\mathbb R^d$ or none can be enclosed in exact
    arithmetic; for a start outside the domain, NaN or infinities, $\alpha_t < 0$, shapes that do not fit, or no losses;
    OverflowError when a number leaves the range of float64.
    """
    if runs := several(losses, domain, phi):
        return in_a_row([ftl(*runs.one(k), curvature) for k in range(runs.shape[0])])
    losses, start, _ = checked(losses, domain, phi, 1)
    curve = checked_curvature(curvature, losses, domain)
    actions, gap, _ = found_leaders(losses, domain, start, curve, len(losses.a))
    with np.errstate(all="ignore"):
        values = np.empty_like(losses.b)
        on(_curved_values, start)(losses, *curve, actions, values)
        return finite("ftl", Trajectory(actions, values, gap))


def found_leaders(
    losses: Losses, domain: Domain, start: Array, curve: Curvature, count: int, first: int = 1, others: int = 0
) -> Leaders:
    """The first `count` of `leaders` (arguments already checked), and of those before the leader of `first` losses only
    what costs nothing; an error counts so many other rounds."""
    with np.errstate(all="ignore"):
        actions, gap, mass = (part[:count] for part in play_ftl(losses, domain, start, *curve, first))
    for n in np.flatnonzero([not w > 0 for w in mass] if is_exact(start) else ~((mass > 0) | (gap < np.inf))):
        if n >= first:
            actions[n], gap[n] = flat_leader(rows(losses, 0, int(n)), domain, start, int(n) + others)
    return Leaders(actions, gap, mass)


def checked_curvature(curvature: Curvature | None, losses: Losses, domain: Domain) -> Curvature:
    """The curvature in the arithmetic of the losses; none is a Euclidean one of strength 0."""
    m, d = losses.a.shape
    if curvature is None:
        return Curvature(Regularizer(EUCLIDEAN, np.zeros((d, d), losses.a.dtype)), 0 * losses.b, losses.c)
    if not isinstance(curvature, Curvature):
        raise TypeError(f"curvature must be a Curvature, got {type(curvature).__name__}")
    check_regularizer(curvature.R, domain, losses)
    alpha, center = (numbers(name, getattr(curvature, name), is_exact(losses.a)) for name in ("alpha", "center"))
    for name, array, shape in (("alpha", alpha, (m,)), ("center", center, (m, d))):
        if array.shape != shape:
            raise ValueError(f"curvature.{name} must have shape {shape}, got {array.shape}")
    if any(x < 0 for x in alpha):
        raise ValueError(f"curvature.alpha must be >= 0, got {alpha!r}")
    if curvature.R.kind == ENTROPY and any(x <= 0 for a, c in zip(alpha, center, strict=True) if a > 0 for x in c):
        raise ValueError(f"curvature.center must have positive coordinates for the entropy, got {center!r}")
    return Curvature(curvature.R, alpha, np.ascontiguousarray(center))
