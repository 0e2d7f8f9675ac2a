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

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.learners.ftl import curved_value, play_ftl
from arubatheory.problems import domains, regularizers
from arubatheory.problems.constants import dot_rounding, lipschitz_squares
from arubatheory.problems.domains import BALL, Domain, extent, vertices
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import LINEAR, SQUARE, Losses, random_losses, subgradient
from arubatheory.problems.norms import top_eigenvalue
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import Regularizer, bregman, gradient, mass_bound, random_start
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.functions import within
from arubatheory.statements.games import ALL_LINKS, MOST_D, MOST_T

QUADRATIC = ((), (LINEAR,), (LINEAR,), (LINEAR, SQUARE))  # what losses with closed forms have beside their curvature
MODES = (*QUADRATIC * 3, ALL_LINKS)  # a round of the solver takes as long as ten games without it


def leading_game(
    draw: Draw,
    modes: Sequence[Sequence[int]] = MODES,
    kinds: Sequence[int] = domains.KINDS,
    steep: bool = False,
    compare: bool = False,
    regularizer: Any = regularizers.random_regularizer,
) -> Instance:
    r"""Usually at most four rounds and three dimensions. With `steep`, gradients are bounded on the domain: the entropy
    is drawn only where every point of it is positive. The comparator is drawn if asked for; it is $\theta_1$
    otherwise."""
    d = draw.size("d", 3, MOST_D)
    domain = random_domain(draw, d, kinds)
    R = regularizer(draw, d, domain)
    if steep and R.kind == regularizers.ENTROPY and not least_coordinate(domain) > 0:
        R = Regularizer(regularizers.EUCLIDEAN, R.matrix)
    m = draw.size("m", 4, MOST_T)
    losses, alpha = plain_losses(draw, m, d, domain, draw.choice(modes)), _strengths(draw, m)
    center = _centers(draw, m, domain, R)
    if R.kind == regularizers.EUCLIDEAN:
        losses, alpha = losses._replace(ridge=alpha, c=center), draw.zeros(m)
    phi = random_start(R, domain, draw)
    comparator = random_point(domain, draw) if compare else phi
    return Instance(losses=losses, domain=domain, R=R, alpha=alpha, center=center, phi=phi, comparator=comparator)


def least_coordinate(domain: Domain) -> Any:
    """A lower bound of the coordinates of the points of a box, ball or simplex."""
    low = domain.center - domain.radius[0] if domain.kind == BALL else domain.low
    return min(low.tolist())


def plain_losses(draw: Draw, m: int, d: int, domain: Domain, links: Sequence[int]) -> Losses:
    """Losses of these links without a ridge, or losses that are 0."""
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
def steepness(R: Regularizer, domain: Domain, center: Array) -> Any:
    r"""[exact] An upper bound of $\sup_\Theta \|\nabla R(x) - \nabla R(c)\|_*^2$ for a bounded domain: exact for boxes
    and simplices, and for balls in one dimension."""
    best = center[0] - center[0]
    if R.kind == regularizers.ENTROPY:
        for j in range(center.shape[0]):
            low, high = extent(domain, j)
            best = larger(best, larger(abs(np.log(low / center[j])), abs(np.log(high / center[j]))))
        return mass_bound(domain) * best * best
    if domain.kind == BALL:
        reach, middle = domain.radius[0] * domain.radius[0], 2 * bregman(R, domain.center, center)
        if R.kind == regularizers.MAHALANOBIS:
            reach = reach * top_eigenvalue(R.matrix)
        return reach + middle + 2 * np.sqrt(reach * middle)
    corners = vertices(domain)
    for k in range(corners.shape[0]):
        best = larger(best, 2 * bregman(R, corners[k], center))
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
def _falls(L: Losses, R: Regularizer, alpha: Array, center: Array, start: Array, end: Array) -> Array:
    out = np.empty_like(L.b)
    for t in range(out.shape[0]):
        high = curved_value(L, t, R, alpha, center, start[min(t, start.shape[0] - 1)])
        out[t] = high - curved_value(L, t, R, alpha, center, end[min(t, end.shape[0] - 1)])
    return out


def falls(x: Instance, start: Array, end: Array) -> Array:
    r"""$\ell_t(a_t) - \ell_t(b_t)$ (T,) for points from row to row, or one row for all t."""
    return on(_falls, x.phi)(x.losses, x.R, x.alpha, x.center, start, end)


def led(x: Instance) -> Array:
    """The T + 1 actions of follow-the-leader: enclosures in exact arithmetic."""
    return play_ftl(x.losses, x.domain, x.phi, x.R, x.alpha, x.center, 1).actions


def strengths(x: Instance) -> Array:
    r"""The $\alpha_t$ in the norm of R."""
    return x.alpha + x.losses.ridge if x.R.kind == regularizers.EUCLIDEAN else x.alpha


def last_strengths(x: Instance) -> tuple[Any, Any]:
    r"""$\alpha_{1:T-1}$ and $\alpha_T$."""
    *before, now = strengths(x)
    return sum(before, 0 * now), now


def squares_of(x: Instance) -> Array:
    r"""$G_t^2$ of a game."""
    return on(curved_squares, x.phi)(x.losses, x.R, x.alpha, x.center, x.domain, dot_rounding(x.losses))


def last_slope(x: Instance, at: Array) -> Array:
    r"""The subgradient of $\ell_T$ that its kinks pick."""
    g, alpha, center = on(subgradient, at)(x.losses, len(x.alpha) - 1, at), x.alpha[-1], x.center[-1]
    return g + alpha * (on(gradient, at)(x.R, at) - on(gradient, at)(x.R, center)) if alpha > 0 else g


FIRST = within(r"\theta_1\in\Theta", "phi")
CURVED = Assumption(r"\ell_t\ \alpha_t\text{-strongly convex}", lambda x: min(strengths(x).tolist()))
UNIQUE = Assumption(r"\alpha_1>0", lambda x: x.alpha[0] + x.losses.ridge[0])
CONVEX_PART = Assumption(r"\ell_t\ \text{convex}", lambda x: min(x.losses.weight.tolist()))
PLAYED = (CONVEX_PART, CURVED, UNIQUE, FIRST)
