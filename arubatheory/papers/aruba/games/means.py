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
from arubatheory.learners.running_means import running_means
from arubatheory.problems.domains import KINDS, Domain, random_domain, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, times
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import within


def mean_game(draw: Draw, kinds: Sequence[int] = KINDS) -> Instance:
    r"""At most four points $x_t$ of a domain of at most three dimensions, positive weights, R, $\theta_1$ and a
    comparator."""
    d = draw.integer(1, 3)
    domain = random_domain(draw, d, kinds)
    P, q = potential(draw, d)
    T = draw.integer(1, 4)
    x, alpha = points(draw, T, domain), weights(draw, T)
    phi, comparator = random_point(domain, draw), random_point(domain, draw)
    return Instance(domain=domain, x=x, alpha=alpha, P=P, q=q, phi=phi, comparator=comparator)


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
def regret(alpha: Array, P: Array, q: Any, x: Array, actions: Array, u: Array) -> Any:
    r"""[exact] $\sum_t \ell_t(\theta_t) - \ell_t(u)$."""
    s = 0 * u[0]
    for t in range(alpha.shape[0]):
        s = s + (alpha[t] * divergence(P, q, x[t], actions[t]) - alpha[t] * divergence(P, q, x[t], u))
    return s


@kernel
def descent(alpha: Array, P: Array, q: Any, x: Array, actions: Array) -> Any:
    r"""[exact] $\sum_t \ell_t(\theta_t) - \ell_t(\theta_{t+1})$."""
    s = 0 * alpha[0]
    for t in range(alpha.shape[0]):
        s = s + alpha[t] * (divergence(P, q, x[t], actions[t]) - divergence(P, q, x[t], actions[t + 1]))
    return s


def be_the_leader(x: Instance) -> Sides:
    r"""The two sides of lem:btl: the leaders are the weighted means."""
    actions = on(running_means, x.phi)(x.x, x.alpha, x.phi)
    lhs = on(regret, x.phi)(x.alpha, x.P, x.q, x.x, actions, x.comparator)
    return Sides(lhs, on(descent, x.phi)(x.alpha, x.P, x.q, x.x, actions))


WEIGHTS = Assumption(r"\alpha_t>0", lambda x: min(x.alpha.tolist()))
STRICT = Assumption(r"R\ \text{strictly convex}", lambda x: max(x.P[0, 0], x.q))
FIRST, COMPARATOR = within(r"\theta_1\in\Theta", "phi"), within(r"\theta^\ast\in\Theta", "comparator")
GAME = (WEIGHTS, within(r"x_t\in\Theta", "x"), STRICT, FIRST, COMPARATOR)
