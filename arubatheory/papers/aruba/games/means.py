r"""Games that follow-the-leader plays by weighted means: $\ell_t = \alpha_t B_R(x_t\|\cdot)$, convex or not (clm:mean).

$R(x) = \frac12 x^\top P x + q \sum_j x_j^4$ is strictly convex on $\mathbb R^d$, and
$$B_R(x\|y) = \tfrac12 (x - y)^\top P (x - y) + q \sum_j (x_j - y_j)^2 (x_j^2 + 2 x_j y_j + 3 y_j^2)$$
is not convex in y where $q > 0$: in one dimension $36 y^2 - 24 x y$ is negative for $0 < y < 2x/3$. Everything is
rational.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.problems.domains import KINDS, Domain, inside, random_domain, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, times
from arubatheory.statements.core import Assumption, Instance, Sides


# drawing -----------------------------------------------------------------------------------------------------------
def mean_game(draw: Draw, kinds: Sequence[int] = KINDS) -> Instance:
    r"""At most four points $x_t$ of a domain of at most three dimensions, positive weights, R, $\theta_1$ and a
    comparator."""
    d = draw.integer(1, 3)
    domain = random_domain(draw, d, kinds)
    P, q = potential(draw, d)
    T = draw.integer(1, 4)
    return Instance(
        domain=domain, x=points(draw, T, domain), alpha=weights(draw, T), P=P, q=q, phi=random_point(domain, draw),
        comparator=random_point(domain, draw),
    )  # fmt: skip


def potential(draw: Draw, d: int) -> tuple[Array, Any]:
    """P and q of R: a quartic alone, the two, or a quadratic alone."""
    kind = draw.integer(0, 3)
    if kind == 0:
        return draw.zeros((d, d)), draw.number(1)
    P = draw.spd(d) if draw.boolean() else draw.eye(d)
    return P, draw.zeros(1)[0] if kind == 3 else draw.positive(-8, 8)


def points(draw: Draw, T: int, domain: Domain) -> Array:
    """T points of the domain, all of them equal in one game of four."""
    if draw.integer(0, 3) < 3:
        return np.array([random_point(domain, draw) for _ in range(T)])
    return np.array([random_point(domain, draw)] * T)


def weights(draw: Draw, T: int) -> Array:
    """All ones, one scale for all, or T scales."""
    kind = draw.integer(0, 2)
    if kind == 2:
        return np.asarray(draw.positive(shape=T))
    return draw.array([draw.positive() if kind else draw.number(1)] * T)


# kernels -----------------------------------------------------------------------------------------------------------
@kernel
def divergence(P: Array, q: Any, x: Array, y: Array) -> Any:
    r"""[exact] $B_R(x\|y)$; a sum of terms >= 0, as the quadratic form of P and $x^2 + 2xy + 3y^2$ are."""
    s = dot(x - y, times(P, x - y)) / 2
    for j in range(x.shape[0]):
        s = s + q * (x[j] - y[j]) * (x[j] - y[j]) * (x[j] * x[j] + 2 * x[j] * y[j] + 3 * y[j] * y[j])
    return s


@kernel
def slope(P: Array, q: Any, x: Array, y: Array) -> Array:
    r"""[exact] The gradient of $B_R(x\|\cdot)$ at y: $(P + 12 q \operatorname{diag}(y^2)) (y - x)$."""
    g = times(P, y - x)
    for j in range(x.shape[0]):
        g[j] = g[j] + 12 * q * y[j] * y[j] * (y[j] - x[j])
    return g


@kernel
def weighted_means(alpha: Array, x: Array, phi: Array) -> Array:
    r"""[exact] $\phi$, then $\theta_{t+1} = \sum_{s\le t}\alpha_s x_s/\alpha_{1:t}$: the leaders (T + 1, d)."""
    T, d = x.shape
    out, total, sums = np.empty((T + 1, d), x.dtype), 0 * alpha[0], 0 * phi
    for j in range(d):
        out[0, j] = phi[j]
    for t in range(T):
        total = total + alpha[t]
        for j in range(d):
            sums[j] = sums[j] + alpha[t] * x[t, j]
            out[t + 1, j] = sums[j] / total
    return out


@kernel
def roughness(P: Array, q: Any, size: Any) -> Any:
    r"""[exact] The magnitudes behind $B_R$ of points of that size."""
    s = 0 * size
    for i in range(P.shape[0]):
        for j in range(P.shape[0]):
            s = s + abs(P[i, j])
    return (s + 12 * q * size * size) * size * size


@kernel
def reach_of(x: Array, phi: Array, u: Array) -> Any:
    """[exact] The sum of the magnitudes of all points of a game."""
    s = 0 * phi[0]
    for j in range(x.shape[1]):
        s = s + abs(phi[j]) + abs(u[j])
        for t in range(x.shape[0]):
            s = s + abs(x[t, j])
    return s


@kernel
def regret_and_descent(alpha: Array, P: Array, q: Any, x: Array, actions: Array, u: Array) -> Any:
    r"""[exact] $\sum_t \ell_t(\theta_t) - \ell_t(u)$, $\sum_t \ell_t(\theta_t) - \ell_t(\theta_{t+1})$, the scale."""
    regret = 0 * u[0]
    descent, scale, size = regret, regret, reach_of(x, actions[0], u)
    for t in range(alpha.shape[0]):
        played = alpha[t] * divergence(P, q, x[t], actions[t])
        regret = regret + (played - alpha[t] * divergence(P, q, x[t], u))
        descent = descent + (played - alpha[t] * divergence(P, q, x[t], actions[t + 1]))
        scale = scale + alpha[t] * roughness(P, q, size)
    return regret, descent, scale


def be_the_leader(i: Instance) -> Sides:
    r"""The two sides of lem:btl."""
    actions = on(weighted_means, i.phi)(i.alpha, i.x, i.phi)
    return Sides(*on(regret_and_descent, i.phi)(i.alpha, i.P, i.q, i.x, actions, i.comparator))


WEIGHTS = Assumption(r"\alpha_t>0", lambda i: min(i.alpha.tolist()))
POINTS = Assumption(r"x_t\in\Theta", lambda i: min(on(inside, p)(i.domain, p) for p in i.x))
FIRST = Assumption(r"\theta_1\in\Theta", lambda i: on(inside, i.phi)(i.domain, i.phi))
COMPARATOR = Assumption(r"\theta^\ast\in\Theta", lambda i: on(inside, i.comparator)(i.domain, i.comparator))
STRICT = Assumption(r"R\ \text{strictly convex}", lambda i: max(i.P[0, 0], i.q))
GAME = (WEIGHTS, POINTS, STRICT, FIRST, COMPARATOR)
