r"""Games of follow-the-leader that several statements share: losses with curvature, and kernels for what is claimed.

A game has convex losses $\ell_t = f_t + \alpha_t B_R(\cdot\|c_t)$ on a domain $\Theta$, an arbitrary $\theta_1$
(`phi`) and a comparator, both in $\Theta$. For the Euclidean R the curvature is the losses' own ridge, with centres
`losses.c`; for the others it is `alpha` and `center`. The strengths $\alpha_t$ lie on many scales, and some may be 0
after the first round: a sum that is strongly convex has one leader whatever is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import kernel, on
from arubatheory.learners.ftl import Leaders, curved_value, enclosed_leaders, play_ftl
from arubatheory.problems.constants import dot_rounding, lipschitz_squares
from arubatheory.problems.domains import (
    BALL,
    BOX,
    KINDS,
    SIMPLEX,
    Domain,
    mass,
    random_domain,
    random_point,
    vertex_into,
)
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, times
from arubatheory.problems.losses import LINEAR, SQUARE, Losses, random_losses, subgradient
from arubatheory.problems.norms import dual_square, norm_of, top_eigenvalue
from arubatheory.problems.regularizers import (
    ENTROPY,
    EUCLIDEAN,
    MAHALANOBIS,
    Regularizer,
    bregman,
    gradient,
    mass_bound,
    random_regularizer,
    random_start,
)
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.functions import within
from arubatheory.statements.games import ALL_LINKS

QUADRATIC = ((), (LINEAR,), (LINEAR,), (LINEAR, SQUARE))  # what losses with closed forms have beside their curvature
MODES = (*QUADRATIC * 3, ALL_LINKS)  # a round of the solver takes as long as ten games without it


def leading_game(
    draw: Draw,
    modes: Sequence[Sequence[int]] = MODES,
    kinds: Sequence[int] = KINDS,
    steep: bool = False,
    compare: bool = False,
    regularizer: Any = random_regularizer,
) -> Instance:
    r"""At most four rounds in at most three dimensions. With `steep`, gradients are bounded on the domain: the entropy
    is drawn only where every point of it is positive. The comparator is drawn if asked for; it is $\theta_1$
    otherwise."""
    d = draw.integer(1, 3)
    domain = random_domain(draw, d, kinds)
    R = regularizer(draw, d, domain)
    if steep and R.kind == ENTROPY and not least_coordinate(domain) > 0:
        R = Regularizer(EUCLIDEAN, R.matrix)
    m = draw.integer(1, 4)
    losses, alpha = _plain_losses(draw, m, d, domain, draw.choice(modes)), _strengths(draw, m)
    center = _centers(draw, m, domain, R)
    if R.kind == EUCLIDEAN:
        losses, alpha = losses._replace(ridge=alpha, c=center), draw.zeros(m)
    phi = random_start(R, domain, draw)
    comparator = random_point(domain, draw) if compare else phi
    return Instance(losses=losses, domain=domain, R=R, alpha=alpha, center=center, phi=phi, comparator=comparator)


def least_coordinate(domain: Domain) -> Any:
    """A lower bound of the coordinates of the points of a box, ball or simplex."""
    low = domain.center - domain.radius[0] if domain.kind == BALL else domain.low
    return min(low.tolist())


def _plain_losses(draw: Draw, m: int, d: int, domain: Domain, links: Sequence[int]) -> Losses:
    if links:
        return random_losses(draw, m, d, domain, links, ridge=False)
    zero, row = draw.zeros(m), draw.zeros((m, d))
    return Losses(np.zeros(m, np.int64), row, zero, zero, zero, row, zero)


def _strengths(draw: Draw, m: int) -> Array:
    """All ones, one scale for all, m scales, m numbers of [0, 1], or only the first; the first is positive."""
    kind = draw.integer(0, 4)
    if kind == 4:
        return draw.array([draw.positive()] + [draw.number(0)] * (m - 1))
    if kind == 2:
        return np.asarray(draw.positive(shape=m))
    if kind < 2:
        return draw.array([draw.positive() if kind else draw.number(1)] * m)
    alpha = draw.unit(m)
    if alpha[0] == 0:
        alpha[0] = alpha[0] + 1
    return np.asarray(alpha)


def _centers(draw: Draw, m: int, domain: Domain, R: Regularizer) -> Array:
    if draw.integer(0, 2) < 2:
        return np.array([random_start(R, domain, draw) for _ in range(m)])
    point = random_start(R, domain, draw)
    return np.array([point] * m)


@kernel
def strengths(L: Losses, R: Regularizer, alpha: Array) -> Array:
    r"""[exact] The $\alpha_t$ in the norm of R."""
    return alpha + L.ridge if R.kind == EUCLIDEAN else alpha.copy()


@kernel
def steepness(R: Regularizer, domain: Domain, center: Array) -> Any:
    r"""[exact] An upper bound of $\sup_\Theta \|\nabla R(x) - \nabla R(c)\|_*^2$ for a bounded domain: exact for boxes
    and simplices, and for balls in one dimension."""
    x = center.copy()
    best, d = x[0] - x[0], x.shape[0]
    if R.kind == ENTROPY:
        for j in range(d):
            low, high = domain.low[j], domain.high[j]
            if domain.kind == SIMPLEX:
                high = low + mass(domain.low)
            elif domain.kind == BALL:
                low, high = domain.center[j] - domain.radius[0], domain.center[j] + domain.radius[0]
            best = larger(best, larger(abs(np.log(low / center[j])), abs(np.log(high / center[j]))))
        return mass_bound(domain) * best * best
    if domain.kind == BALL:
        reach, middle = domain.radius[0] * domain.radius[0], 2 * bregman(R, domain.center, center)
        if R.kind == MAHALANOBIS:
            reach = reach * top_eigenvalue(R.matrix)
        return reach + middle + 2 * np.sqrt(reach * middle)
    for k in range(d if domain.kind == SIMPLEX else 1 << d):
        vertex_into(domain, k, x)
        best = larger(best, 2 * bregman(R, x, center))
    return best


@kernel
def curved_squares(L: Losses, R: Regularizer, alpha: Array, center: Array, domain: Domain, eps: Any) -> Array:
    r"""[exact] $G_t^2$: Lipschitz constants of the losses over a bounded domain, in the norm of R."""
    squares = lipschitz_squares(L, R, domain, eps)
    for t in range(alpha.shape[0]):
        if alpha[t] > 0:
            bend = alpha[t] * alpha[t] * steepness(R, domain, center[t])
            squares[t] = squares[t] + bend + 2 * np.sqrt(squares[t] * bend)
    return squares


@kernel
def squared_length(R: Regularizer, domain: Domain, x: Array) -> Any:
    r"""[exact] $\|x\|^2$ in the norm of R, without a root."""
    if R.kind == EUCLIDEAN:
        return dot(x, x)
    if R.kind == MAHALANOBIS:
        return dot(x, times(R.matrix, x))
    s = abs(x[0])
    for j in range(1, x.shape[0]):
        s = s + abs(x[j])
    return s * s / mass_bound(domain)


@kernel
def curved_regret(L: Losses, R: Regularizer, alpha: Array, center: Array, actions: Array, u: Array) -> Any:
    r"""[exact] $\sum_t \ell_t(\theta_t) - \ell_t(u)$."""
    s = u[0] - u[0]
    for t in range(L.b.shape[0]):
        s = s + (curved_value(L, t, R, alpha, center, actions[t]) - curved_value(L, t, R, alpha, center, u))
    return s


@kernel
def descent(L: Losses, R: Regularizer, alpha: Array, center: Array, actions: Array) -> Any:
    r"""[exact] $\sum_t \ell_t(\theta_t) - \ell_t(\theta_{t+1})$."""
    s = actions[0, 0] - actions[0, 0]
    for t in range(L.b.shape[0]):
        before = curved_value(L, t, R, alpha, center, actions[t])
        s = s + (before - curved_value(L, t, R, alpha, center, actions[t + 1]))
    return s


@kernel
def logarithmic_bound(L: Losses, R: Regularizer, alpha: Array, squares: Array) -> Any:
    r"""[exact] $\frac12\sum_t G_t^2/\alpha_{1:t}$."""
    bent, total, bound = strengths(L, R, alpha), 0 * alpha[0], 0 * alpha[0]
    for t in range(alpha.shape[0]):
        total = total + bent[t]
        bound = bound + squares[t] / total
    return bound / 2


@kernel
def curved_slope(L: Losses, t: int, R: Regularizer, alpha: Array, center: Array, x: Array) -> Array:
    r"""[exact] The subgradient of $\ell_t$ at x that its kinks pick."""
    g = subgradient(L, t, x)
    return g + alpha[t] * (gradient(R, x) - gradient(R, center[t])) if alpha[t] > 0 else g


@kernel
def last_step(L: Losses, domain: Domain, R: Regularizer, alpha: Array, center: Array, actions: Array, n: Array) -> Any:
    r"""[exact] $\|\theta_T - \theta_{T+1}\|^2$, $\|\nabla_T\|_*^2$ for the loss's subgradient plus n, and
    $\alpha_T + 2\alpha_{1:T-1}$."""
    t, bent = alpha.shape[0] - 1, strengths(L, R, alpha)
    strong, x = bent[t], actions[t]
    for s in range(t):
        strong = strong + 2 * bent[s]
    dual = dual_square(norm_of(R, domain), curved_slope(L, t, R, alpha, center, x) + n)
    return squared_length(R, domain, x - actions[t + 1]), dual, strong


@kernel
def last_growth(L: Losses, domain: Domain, R: Regularizer, alpha: Array, center: Array, actions: Array) -> Any:
    r"""[exact] $\ell_{1:T-1}(\theta_{T+1}) - \ell_{1:T-1}(\theta_T)$, $\ell_T(\theta_T) - \ell_T(\theta_{T+1})$,
    $\|\theta_T - \theta_{T+1}\|^2$, $\alpha_{1:T-1}$ and $\alpha_T$."""
    t, bent = alpha.shape[0] - 1, strengths(L, R, alpha)
    grown, fallen, before = bent[0] - bent[0], bent[0] - bent[0], bent[0] - bent[0]
    for s in range(t + 1):
        near = curved_value(L, s, R, alpha, center, actions[t])
        far = curved_value(L, s, R, alpha, center, actions[t + 1])
        if s == t:
            fallen = near - far
        else:
            grown, before = grown + (far - near), before + bent[s]
    return grown, fallen, squared_length(R, domain, actions[t] - actions[t + 1]), before, bent[t]


def led(x: Instance) -> Array:
    """The T + 1 actions of follow-the-leader: enclosures in exact arithmetic."""
    actions: Array = leaders_of(x).actions
    return actions


def leaders_of(x: Instance) -> Leaders:
    """The actions and their gaps."""
    play = enclosed_leaders if is_exact(x.phi) else play_ftl
    return play(x.losses, x.domain, x.phi, x.R, x.alpha, x.center)


def squares_of(x: Instance) -> Array:
    """`curved_squares` of a game."""
    eps = dot_rounding(x.losses)
    return on(curved_squares, x.phi)(x.losses, x.R, x.alpha, x.center, x.domain, eps)


def _strong(x: Instance) -> Any:
    bent = x.alpha + x.losses.ridge if x.R.kind == EUCLIDEAN else x.alpha
    return min(bent.tolist())


FIRST = within(r"\theta_1\in\Theta", "phi")
CURVED = Assumption(r"\ell_t\ \alpha_t\text{-strongly convex}", _strong)
UNIQUE = Assumption(r"\alpha_1>0", lambda x: x.alpha[0] + x.losses.ridge[0])
CONVEX_PART = Assumption(r"\ell_t\ \text{convex}", lambda x: min(x.losses.weight.tolist()))
PLAYED = (CONVEX_PART, CURVED, UNIQUE, FIRST)
BOUNDED_KINDS = (BALL, BOX, SIMPLEX)
