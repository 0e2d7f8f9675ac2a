r"""Coupled games of follow-the-leader: two sequences on which it plays the same, two norms, and their constants.

$$\ell_t = k (f_t + \alpha_t B_R(c_t\|\cdot)), \qquad \ell'_t = f_t + \tfrac{\alpha_t}2 (\cdot - c_t)^\top Q (\cdot -
c_t), \qquad x^\top Q x \ge \|x\|_B^2.$$
Either $\ell_t = k \ell'_t$, with convex $f_t$; or $f_t = 0$, $c_t \in \Theta$, and $R(x) = \frac12 x^\top P x + q \sum
x_j^4$ is anything strictly convex, so that by clm:mean both play the weighted means of the $c_t$ although
$B_R(c_t\|\cdot)$ need not be convex.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import kernel, on
from arubatheory.learners.ftl import enclosed_leaders, play_ftl
from arubatheory.learners.running_means import running_means
from arubatheory.papers.aruba.games.means import divergence, points, potential, slope, weights
from arubatheory.problems.domains import (
    BALL,
    BOX,
    KINDS,
    SIMPLEX,
    Domain,
    extent,
    random_domain,
    random_point,
    vertex_into,
)
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import times
from arubatheory.problems.losses import (
    ABSOLUTE,
    DISTANCE,
    HINGE,
    HUBER,
    LINEAR,
    LOGISTIC,
    Losses,
    argument,
    random_losses,
    subgradient,
    value,
)
from arubatheory.problems.norms import (
    L1,
    L2,
    MATRIX,
    Norm,
    dual_square,
    norm_square,
    plain_norm,
    random_norm,
    squared_constant,
    squared_constant_on,
)
from arubatheory.problems.regularizers import MAHALANOBIS, Regularizer
from arubatheory.problems.scalar import larger, smaller
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.functions import within

BOUNDED_KINDS = (BALL, BOX, SIMPLEX, BOX)


def _game(draw: Draw, kinds: Sequence[int], convex: bool = False, compare: bool = False) -> Instance:
    d = draw.integer(1, 3)
    domain = _pinched(draw, random_domain(draw, d, kinds))
    A, B = random_norm(draw, d), random_norm(draw, d)
    Q = B.matrix if B.kind == MATRIX else draw.eye(d) * (d if B.kind == L1 else 1)
    T, mode = draw.integer(1, 4), draw.integer(0, 11)
    losses = _losses(draw, T, d, domain, mode)
    P, q = potential(draw, d)
    if mode > 8 or (A.kind == MATRIX and draw.boolean()):
        P, q = (Q if mode > 8 else A.matrix), draw.zeros(1)[0]
    if convex and q > 0:
        P, q = draw.eye(d), draw.zeros(1)[0]
    center, phi = points(draw, T, domain), random_point(domain, draw)
    alpha, k = weights(draw, T), draw.positive(-8, 8)
    u = random_point(domain, draw) if compare else phi
    return Instance(
        domain=domain, A=A, B=B, losses=losses, Q=Q, alpha=alpha, center=center, k=k, P=P, q=q, phi=phi, comparator=u
    )


def _pinched(draw: Draw, domain: Domain) -> Domain:
    """Two boxes in three have a coordinate that does not move, at a place of any scale."""
    if domain.kind != BOX or draw.integer(0, 2) == 0:
        return domain
    j, low, high = draw.integer(0, len(domain.low) - 1), domain.low.copy(), domain.high.copy()
    low[j] = high[j] = draw.positive()
    return domain._replace(low=low, high=high)


def _losses(draw: Draw, T: int, d: int, domain: Domain, mode: int) -> Losses:
    if mode > 8:
        links = range(DISTANCE + 1) if mode == 11 else (LINEAR,)
        return random_losses(draw, T, d, domain, links, ridge=False)
    zero, row = draw.zeros(T), draw.zeros((T, d))
    return Losses(np.zeros(T, np.int64), row, zero, zero, zero, row, zero)


def lipschitz_game(draw: Draw) -> Instance:
    """A coupled game on a bounded domain, where its losses are Lipschitz."""
    return _game(draw, BOUNDED_KINDS)


def convex_game(draw: Draw) -> Instance:
    """A coupled game with convex losses, on any domain."""
    return _game(draw, KINDS, convex=True)


def compared_game(draw: Draw) -> Instance:
    """A coupled game on any domain, with a comparator of its own."""
    return _game(draw, KINDS, compare=True)


def actions_of(x: Instance) -> Array:
    """The T + 1 actions of follow-the-leader, on either sequence."""
    if not max(x.losses.weight.tolist()) > 0:
        return on(running_means, x.phi)(x.center, x.alpha, x.phi)
    play = enclosed_leaders if is_exact(x.phi) else play_ftl
    actions: Array = play(x.losses, x.domain, x.phi, Regularizer(MAHALANOBIS, x.Q), x.alpha, x.center).actions
    return actions


@kernel
def _corner_into(domain: Domain, k: int, x: Array) -> None:
    """Vertex k of the domain, or of the box around a ball."""
    if domain.kind != BALL:
        vertex_into(domain, k, x)
        return
    for j in range(x.shape[0]):
        low, high = extent(domain, j)
        x[j] = high if (k >> j) & 1 == 1 else low


@kernel
def _slopes(L: Losses, t: int, domain: Domain, x: Array, count: int) -> Any:
    r"""An interval that holds the slopes of the link of loss t over the domain; x is scratch."""
    link, zero = L.link[t], L.b[t] - L.b[t]
    if link == LINEAR:
        return zero + 1, zero + 1
    if link == HINGE or link == LOGISTIC:
        return zero - 1, zero
    if link == ABSOLUTE or link == HUBER:
        return zero - 1, zero + 1
    if link == DISTANCE:
        return zero, zero
    _corner_into(domain, 0, x)
    low = argument(L, t, x)
    high = low
    for k in range(1, count):
        _corner_into(domain, k, x)
        z = argument(L, t, x)
        low, high = smaller(low, z), larger(high, z)
    return low, high


@kernel
def _affine_square(norm: Norm, L: Losses, t: int, alpha: Any, P: Array, center: Array, domain: Domain) -> Any:
    r"""$\sup \|\nabla f_t(x) + \alpha P(x - c)\|_*^2$ over a bounded domain: convex in x and in the slope of the link,
    so at vertices."""
    x = center.copy()
    d, best = x.shape[0], alpha - alpha
    count = d if domain.kind == SIMPLEX else 1 << d
    ends = _slopes(L, t, domain, x, count)
    for k in range(count):
        _corner_into(domain, k, x)
        bend = times(P, x - center)
        for end in ends:
            best = larger(best, dual_square(norm, alpha * bend + L.weight[t] * end * L.a[t]))
    if L.link[t] == DISTANCE and L.weight[t] > 0:
        # a subgradient of l2 norm at most 1, whose dual norm is at most sup |x|_2 / |x|
        more = L.weight[t] * L.weight[t] * squared_constant(plain_norm(L2, L.a.shape[1], L.a[t]), norm)
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
    g = low.copy()
    for k in range(1 << d):
        for j in range(d):
            g[j] = high[j] if (k >> j) & 1 == 1 else low[j]
        best = larger(best, dual_square(norm, g))
    return alpha * alpha * best


@kernel
def lipschitz_pairs(
    L: Losses, domain: Domain, A: Norm, B: Norm, Q: Array, alpha: Array, center: Array, k: Any, P: Array, q: Any
) -> Array:
    r"""[exact] Rows of $G_t^2$ (in A) and $G'^2_t$ (in B) over a bounded domain: upper bounds, exact for quadratics on
    boxes and simplices."""
    out = np.zeros((alpha.shape[0], 2), alpha.dtype)
    for t in range(alpha.shape[0]):
        if q > 0:
            one = _quartic_square(A, alpha[t], P, q, center[t], domain)
        else:
            one = _affine_square(A, L, t, alpha[t], P, center[t], domain)
        out[t, 0] = k * k * one
        out[t, 1] = _affine_square(B, L, t, alpha[t], Q, center[t], domain)
    return out


@kernel
def _loss(L: Losses, t: int, alpha: Array, center: Array, k: Any, P: Array, q: Any, x: Array) -> Any:
    r"""$\ell_t(x)$."""
    f = k * alpha[t] * divergence(P, q, center[t], x)
    return f + k * value(L, t, x) if L.weight[t] > 0 else f


@kernel
def drops(
    L: Losses, alpha: Array, center: Array, k: Any, P: Array, q: Any, actions: Array, u: Array, A: Norm, B: Norm
) -> Array:
    r"""[exact] Rows of $\ell_t(\theta_t) - \ell_t(u)$, $\ell_t(\theta_t) - \ell_t(\theta_{t+1})$,
    $\|\theta_t - \theta_{t+1}\|_A^2$, the same in B, and $\alpha_t + 2\alpha_{1:t-1}$."""
    T, before = alpha.shape[0], alpha[0] - alpha[0]
    out = np.zeros((T, 5), alpha.dtype)
    for t in range(T):
        played = _loss(L, t, alpha, center, k, P, q, actions[t])
        out[t, 0] = played - _loss(L, t, alpha, center, k, P, q, u)
        out[t, 1] = played - _loss(L, t, alpha, center, k, P, q, actions[t + 1])
        out[t, 2] = norm_square(A, actions[t] - actions[t + 1])
        out[t, 3] = norm_square(B, actions[t] - actions[t + 1])
        out[t, 4] = alpha[t] + 2 * before
        before = before + alpha[t]
    return out


@kernel
def slope_pairs(
    L: Losses, actions: Array, A: Norm, B: Norm, Q: Array, alpha: Array, center: Array, k: Any, P: Array, q: Any
) -> Array:
    r"""[exact] Rows of $\|\nabla_t\|_{A,\ast}^2$ and $\|\nabla'_t\|_{B,\ast}^2$ at $\theta_t$."""
    out = np.zeros((alpha.shape[0], 2), alpha.dtype)
    for t in range(alpha.shape[0]):
        one, other = slope(P, q, center[t], actions[t]), slope(Q, 0 * q, center[t], actions[t])
        g = subgradient(L, t, actions[t])
        out[t, 0] = k * k * dual_square(A, alpha[t] * one + g)
        out[t, 1] = dual_square(B, alpha[t] * other + g)
    return out


def drops_of(x: Instance, u: Array | None = None) -> Array:
    r"""`drops` against u, or the best action in hindsight, which is $\theta_{T+1}$."""
    actions = actions_of(x)
    against = actions[-1] if u is None else u
    out: Array = on(drops, x.phi)(x.losses, x.alpha, x.center, x.k, x.P, x.q, actions, against, x.A, x.B)
    return out


def pairs_of(x: Instance) -> Array:
    """`lipschitz_pairs` of a game."""
    out: Array = on(lipschitz_pairs, x.phi)(x.losses, x.domain, x.A, x.B, x.Q, x.alpha, x.center, x.k, x.P, x.q)
    return out


def slopes_at(x: Instance) -> Array:
    """`slope_pairs` of a game, at its actions."""
    out: Array = on(slope_pairs, x.phi)(x.losses, actions_of(x), x.A, x.B, x.Q, x.alpha, x.center, x.k, x.P, x.q)
    return out


def on_the_domain(x: Instance) -> Any:
    r"""The square of a C as printed: $\|\theta\|_A \le C\|\theta\|_B$ for $\theta \in \Theta$."""
    return on(squared_constant_on, x.phi)(x.A, x.B, x.domain)


def on_differences(x: Instance) -> Any:
    r"""The square of a C with $\|\theta\|_A \le C\|\theta\|_B$ for all vectors."""
    return on(squared_constant, x.phi)(x.A, x.B)


WEIGHTS = Assumption(r"\alpha_t>0", lambda x: min(x.alpha.tolist()))
CONVEX = Assumption(r"f_t\ \text{convex}", lambda x: min(x.losses.weight.tolist()))
SCALE = Assumption(r"k>0", lambda x: x.k)
COMPARATOR = within(r"\theta^\ast\in\Theta", "comparator")
QUADRATIC = Assumption(r"\ell_t\ \text{convex}", lambda x: -x.q)
GAME = (within(r"c_t\in\Theta", "center"), WEIGHTS, CONVEX, SCALE, within(r"\theta_1\in\Theta", "phi"))
