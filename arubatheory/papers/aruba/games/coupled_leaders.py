r"""Coupled games of follow-the-leader: two sequences on which it plays the same, two norms, and their constants.

$$\ell_t = k (f_t + \alpha_t B_R(c_t\|\cdot)), \qquad \ell'_t = f_t + \tfrac{\alpha_t}2 (\cdot - c_t)^\top Q (\cdot -
c_t), \qquad x^\top Q x \ge \|x\|_B^2.$$
Either $\ell_t = k \ell'_t$, with convex $f_t$; or $f_t = 0$, $c_t \in \Theta$, and $R(x) = \frac12 x^\top P x + q \sum
x_j^4$ is anything strictly convex, so that by clm:mean both play the weighted means of the $c_t$ although
$B_R(c_t\|\cdot)$ need not be convex; or, in games that `rise`, with these R the sum of the first t losses is $k_t \ge
k_{t-1}$ times that of the $\alpha_sB_R(c_s\|\cdot)$, whose leaders are the same: $\ell_t$ looks back at all centres.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.learners.ftl import play_ftl
from arubatheory.learners.running_means import running_means
from arubatheory.papers.aruba.games.leaders import plain_losses
from arubatheory.papers.aruba.games.means import WEIGHTS, points, potential, weights
from arubatheory.papers.aruba.games.potentials import QUARTIC, divergence_of, slope_of
from arubatheory.problems import domains, losses, norms
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, Domain, extent, vertices
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import times
from arubatheory.problems.losses import DISTANCE, LINEAR, Losses, argument, subgradient, value
from arubatheory.problems.norms import Norm, dual_square, norm_square, plain_norm, squared_constant
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import MAHALANOBIS, Regularizer
from arubatheory.problems.scalar import larger, smaller
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.functions import within
from arubatheory.statements.games import MOST_D, MOST_T

RISING = 12  # of the kinds of game


def _game(draw: Draw, kinds: Sequence[int] = domains.KINDS, convex: bool = False, compare: bool = False) -> Instance:
    d = draw.size("d", 3, MOST_D)
    domain = _pinched(draw, random_domain(draw, d, kinds))
    A, B = norms.random_norm(draw, d), norms.random_norm(draw, d)
    Q = B.matrix if B.kind == norms.MATRIX else draw.eye(d) * (d if B.kind == norms.L1 else 1)
    T, mode = draw.size("T", 4, MOST_T), draw.integer(0, RISING)
    scaled = 8 < mode < RISING
    links = range(DISTANCE + 1) if mode == 11 else (LINEAR,) if scaled else ()
    f = plain_losses(draw, T, d, domain, links)
    P, q = potential(draw, d)
    if scaled or (A.kind == norms.MATRIX and draw.boolean()):
        P, q = (Q if scaled else A.matrix), draw.zeros(1)[0]
    if convex and q > 0:
        P, q = draw.eye(d), draw.zeros(1)[0]
    center, phi = points(draw, T, domain), random_point(domain, draw)
    alpha, k = weights(draw, T), draw.positive(-8, 8)
    x = Instance(domain=domain, A=A, B=B, losses=f, Q=Q, alpha=alpha, center=center, k=k, P=P, q=q, phi=phi)
    x.comparator = random_point(domain, draw) if compare else phi
    if mode == RISING:
        x.rise = draw.positive(-16, 8, T) * draw.integers(0, 1, T)
    return x


def _own(x: Instance) -> tuple[Array, Array]:
    r"""The weights and centres of $\ell_t/k$: those of $\ell'_t$, or where it rises, up to a constant, those of
    $k_t\alpha_tB_R(c_t\|\cdot) + (k_t - k_{t-1})\sum_{s<t}\alpha_sB_R(c_s\|\cdot)$."""
    if not hasattr(x, "rise"):
        return x.alpha, x.center
    factors, pulls = 1 + np.cumsum(x.rise), x.alpha[:, None] * x.center
    own = factors * x.alpha + x.rise * (np.cumsum(x.alpha) - x.alpha)
    pulls = factors[:, None] * pulls + x.rise[:, None] * (np.cumsum(pulls, axis=0) - pulls)
    return own, pulls / own[:, None]


def _pinched(draw: Draw, domain: Domain) -> Domain:
    """Two boxes in three have a coordinate that does not move, at a place of any scale."""
    if domain.kind != BOX or draw.integer(0, 2) == 0:
        return domain
    j, low, high = draw.integer(0, len(domain.low) - 1), domain.low.copy(), domain.high.copy()
    low[j] = high[j] = draw.positive()
    return domain._replace(low=low, high=high)


lipschitz_game = partial(_game, kinds=(BALL, BOX, SIMPLEX, BOX))  # on a bounded domain, where its losses are Lipschitz
convex_game = partial(_game, convex=True)
compared_game = partial(_game, compare=True)  # with a comparator of its own


def actions_of(x: Instance) -> Array:
    """The T + 1 actions of follow-the-leader, on either sequence."""
    if not max(x.losses.weight.tolist()) > 0:
        return running_means(x.center, x.alpha, x.phi)
    R = Regularizer(MAHALANOBIS, x.Q)
    return play_ftl(x.losses, x.domain, x.phi, R, x.alpha, x.center, 1).actions


@kernel
def _corners(domain: Domain) -> Array:
    """The vertices of the domain, or of the box around a ball."""
    if domain.kind != BALL:
        return vertices(domain)
    low, high = domain.center - domain.radius[0], domain.center + domain.radius[0]
    return vertices(Domain(BOX, low, high, domain.center, domain.radius))


@kernel
def _slopes(L: Losses, t: int, corners: Array) -> Any:
    r"""An interval that holds the slopes of the link of loss t over the domain with these corners."""
    link, zero = L.link[t], L.b[t] - L.b[t]
    if link == LINEAR:
        return zero + 1, zero + 1
    if link == losses.HINGE or link == losses.LOGISTIC:
        return zero - 1, zero
    if link == losses.ABSOLUTE or link == losses.HUBER:
        return zero - 1, zero + 1
    if link == DISTANCE:
        return zero, zero
    low = argument(L, t, corners[0])
    high = low
    for k in range(1, corners.shape[0]):
        z = argument(L, t, corners[k])
        low, high = smaller(low, z), larger(high, z)
    return low, high


@kernel
def _affine_square(norm: Norm, L: Losses, t: int, alpha: Any, P: Array, center: Array, corners: Array) -> Any:
    r"""$\sup \|\nabla f_t(x) + \alpha P(x - c)\|_*^2$ over a bounded domain: convex in x and in the slope of the link,
    so at vertices."""
    best, ends = alpha - alpha, _slopes(L, t, corners)
    for k in range(corners.shape[0]):
        bend = times(P, corners[k] - center)
        for end in ends:
            best = larger(best, dual_square(norm, alpha * bend + L.weight[t] * end * L.a[t]))
    if L.link[t] == DISTANCE and L.weight[t] > 0:
        # a subgradient of l2 norm at most 1, whose dual norm is at most sup |x|_2 / |x|
        more = L.weight[t] * L.weight[t] * squared_constant(plain_norm(norms.L2, L.a.shape[1], L.a[t]), norm)
        best = best + more + 2 * np.sqrt(best * more)
    return best


@kernel
def _quartic_square(norm: Norm, alpha: Any, P: Array, q: Any, center: Array, domain: Domain) -> Any:
    r"""$\sup \|\alpha (P + 12 q \operatorname{diag}(x^2)) (x - c)\|_*^2$ over a bounded domain with c in it: each
    coordinate has a range around 0, and the norm is largest at a corner of the box of ranges."""
    d = center.shape[0]
    low, high, best = 0 * center, 0 * center, alpha - alpha
    for j in range(d):
        least, most = extent(domain, j)
        size = 12 * q * larger(least * least, most * most)
        low[j], high[j] = size * (least - center[j]), size * (most - center[j])
        for i in range(d):
            least, most = extent(domain, i)
            one, other = P[j, i] * (least - center[i]), P[j, i] * (most - center[i])
            low[j], high[j] = low[j] + smaller(one, other), high[j] + larger(one, other)
    corners = vertices(Domain(BOX, low, high, low, low))
    for k in range(corners.shape[0]):
        best = larger(best, dual_square(norm, corners[k]))
    return alpha * alpha * best


@kernel
def lipschitz_squares(
    L: Losses, domain: Domain, norm: Norm, alpha: Array, center: Array, k: Any, P: Array, q: Any
) -> Array:
    r"""[exact] $G_t^2$ of $k(f_t + \alpha_tB_R(c_t\|\cdot))$ over a bounded domain: upper bounds, exact for quadratics
    on boxes and simplices."""
    out, corners = np.zeros_like(alpha), _corners(domain)
    for t in range(alpha.shape[0]):
        if q > 0:
            one = _quartic_square(norm, alpha[t], P, q, center[t], domain)
        else:
            one = _affine_square(norm, L, t, alpha[t], P, center[t], corners)
        out[t] = k * k * one
    return out


@kernel
def _values(L: Losses, alpha: Array, center: Array, k: Any, P: Array, q: Any, at: Array) -> Array:
    out = np.empty_like(alpha)
    for t in range(alpha.shape[0]):
        x = at[min(t, at.shape[0] - 1)]
        out[t] = k * alpha[t] * divergence_of(QUARTIC, P, q, center[t], x)
        if L.weight[t] > 0:
            out[t] = out[t] + k * value(L, t, x)
    return out


@kernel
def slope_squares(
    L: Losses, actions: Array, norm: Norm, alpha: Array, center: Array, k: Any, P: Array, q: Any
) -> Array:
    r"""[exact] $\|\nabla_t\|_\ast^2$ of the same at $\theta_t$."""
    out = np.zeros_like(alpha)
    for t in range(alpha.shape[0]):
        slope = alpha[t] * slope_of(P, q, center[t], actions[t])
        out[t] = k * k * dual_square(norm, slope + subgradient(L, t, actions[t]))
    return out


def falls(x: Instance, actions: Array, end: Array) -> Any:
    r"""$\sum_t \ell_t(\theta_t) - \ell_t(b_t)$ for points from row to row, or one row for all t."""
    played, other = (on(_values, x.phi)(x.losses, *_own(x), x.k, x.P, x.q, at) for at in (actions, end))
    return sum(played - other)


def squared_steps(norm: Norm, actions: Array) -> list[Any]:
    r"""$\|\theta_t - \theta_{t+1}\|^2$ for all t."""
    return [on(norm_square, step)(norm, step) for step in actions[:-1] - actions[1:]]


def strengths(x: Instance) -> Array:
    r"""$\alpha_t + 2\alpha_{1:t-1}$."""
    return 2 * np.cumsum(x.alpha) - x.alpha


def pairs_of(x: Instance) -> Array:
    r"""Rows of $G_t^2$ (in A) and $G'^2_t$ (in B) of a game."""
    squares, one, none = on(lipschitz_squares, x.phi), x.k / x.k, 0 * x.k
    own = squares(x.losses, x.domain, x.A, *_own(x), x.k, x.P, x.q)
    return np.stack([own, squares(x.losses, x.domain, x.B, x.alpha, x.center, one, x.Q, none)], axis=1)


def slopes_at(x: Instance) -> Array:
    r"""Rows of $\|\nabla_t\|_{A,\ast}^2$ and $\|\nabla'_t\|_{B,\ast}^2$ of a game, at its actions."""
    squares, one, none, actions = on(slope_squares, x.phi), x.k / x.k, 0 * x.k, actions_of(x)
    own = squares(x.losses, actions, x.A, *_own(x), x.k, x.P, x.q)
    return np.stack([own, squares(x.losses, actions, x.B, x.alpha, x.center, one, x.Q, none)], axis=1)


def on_the_domain(x: Instance) -> Any:
    r"""The square of a C as printed: $\|\theta\|_A \le C\|\theta\|_B$ for $\theta \in \Theta$."""
    return on(norms.squared_constant_on, x.phi)(x.A, x.B, x.domain)


def on_differences(x: Instance) -> Any:
    r"""The square of a C with $\|\theta\|_A \le C\|\theta\|_B$ for all vectors."""
    return on(squared_constant, x.phi)(x.A, x.B)


CONVEX = Assumption(r"f_t\ \text{convex}", lambda x: min(x.losses.weight.tolist()))
SCALE = Assumption(r"k>0", lambda x: x.k)
COMPARATOR = within(r"\theta^\ast\in\Theta", "comparator")
QUADRATIC = Assumption(r"\ell_t\ \text{convex}", lambda x: -x.q)
GAME = (within(r"c_t\in\Theta", "center"), WEIGHTS, CONVEX, SCALE, within(r"\theta_1\in\Theta", "phi"))
