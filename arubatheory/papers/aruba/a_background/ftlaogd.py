r"""Appendix A.2, Online Algorithms: the regret of adaptive online gradient descent on strongly convex losses.

AOGD's half of thm:ftlaogd is written for a general norm, while def:aogd steps and projects in $\|\cdot\|_2$:
`/both-norms` asks for $\alpha_t$ in both and takes $G_t$ to the letter, and the plain label has $\|\cdot\|_2$
throughout. As in thm:ftrlomd, losses that are Lipschitz on $\Theta$ have longer subgradients at its boundary
(`/any-subgradient`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.learners.ogd import play_aogd
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems.constants import lipschitz_squared, strong_convexity
from arubatheory.problems.domains import BALL, BOUNDED, Domain, extreme_points, project
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import LINEAR, Losses, random_losses
from arubatheory.problems.norms import L1, LINF, MATRIX, Norm, random_norm, squared_dual_norm
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.statements import games
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root
from arubatheory.statements.games import MOST_D, MOST_T

AOGD = r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\theta^\ast)\le\frac12\sum_{t=1}^T\frac{G_t^2}{\alpha_{1:t}}"
READING = {"part_of": "thm:ftlaogd/aogd", "uses": ("def:aogd", "def:convex", "def:regret")}
GAME = (games.CONVEX, games.START, games.COMPARATOR)
DECLARED = Assumption(r"\ell_t\ \text{$\alpha_t$-strongly convex w.r.t. $\|\cdot\|_2$}", lambda x: 1 - x.share.max())
POSITIVE = Assumption(r"\alpha_{1:t}>0", lambda x: x.share[0] * x.losses.ridge[0])
NORMED = Assumption(r"\alpha_{1:t}>0", lambda x: x.losses.ridge[0])


def _ridges(draw: Draw, m: int) -> Array:
    """Coefficients of the quadratic terms: equal, of many scales, or 0 after the first."""
    kind, base = draw.integer(0, 3), draw.positive() if draw.boolean() else draw.number(1)
    if kind == 0:
        return draw.array([base] * m)
    if kind == 3:
        return draw.array([base] + [draw.number(0)] * (m - 1))
    wide = 8 * kind - 4
    return base * draw.positive(-wide, wide, m)


def _shares(draw: Draw, m: int) -> Array:
    r"""What share of each loss's strong convexity is taken for $\alpha_t$: all of it, or less."""
    return draw.positive(-8, 0, m) if draw.boolean() else draw.array([draw.number(1)] * m)


def _losses(draw: Draw, m: int, domain: Domain, links: Sequence[int], phi: Array) -> Losses:
    r"""Losses of `links` with ridges; or quadratics and nothing else, about one point, about m, or about a point and
    $\phi$ in turn, which sends AOGD from one to the other."""
    d, ridge = domain.low.size, _ridges(draw, m)
    if draw.boolean():
        return random_losses(draw, m, d, domain, links, False)._replace(ridge=ridge)
    few = [random_point(domain, draw) for _ in range(m if draw.boolean() else 1)]
    few += [phi] * (len(few) == 1 and draw.boolean())
    flat, zero = draw.zeros((m, d)), draw.zeros(m)
    return Losses(np.zeros(m, np.int64), flat, zero, zero, ridge, np.array([few[t % len(few)] for t in range(m)]), zero)


def _aogd_game(draw: Draw) -> Instance:
    d, m = draw.size("d", 3, MOST_D), draw.size("m", 5, MOST_T)
    domain = random_domain(draw, d, BOUNDED)
    phi = random_point(domain, draw)
    losses, share = _losses(draw, m, domain, games.ALL_LINKS, phi), _shares(draw, m)
    return Instance(losses=losses, domain=domain, phi=phi, share=share, comparator=random_point(domain, draw))


def _alpha(x: Instance) -> Array:
    r"""$\alpha_t$ in $\|\cdot\|_2$: the drawn share of what the losses have."""
    return x.share * strong_convexity(x.losses, x.domain)


def _bound(x: Instance, actions: Array, alpha: Array, squares: Array) -> Sides:
    r"""Regret of `actions`, and $\frac12\sum_t G_t^2/\alpha_{1:t}$."""
    return Sides(on(games.regret_of, x.phi)(x.losses, actions, x.comparator), sum(squares / np.cumsum(alpha)) / 2)


def _played(x: Instance, alpha: Array) -> Array:
    """The actions of AOGD."""
    return on(play_aogd, x.phi)(x.losses, x.domain, x.phi, alpha).actions


@claim(
    "thm:ftlaogd/aogd",
    AOGD,
    _aogd_game,
    (*GAME, DECLARED, POSITIVE),
    uses=READING["uses"],
    corrects=("thm:ftlaogd/aogd/both-norms", "thm:ftlaogd/aogd/any-subgradient"),
)
def aogd(x: Instance) -> Sides:
    r"""Regret of adaptive online gradient descent.

    In $\|\cdot\|_2$, as def:aogd has it, with subgradients of norm at most $G_t$. def:aogd prints
    $\nabla f(\theta_t)$, read $\nabla\ell_t(\theta_t)$, and its step “for $t>1$”, read for $t\ge1$. An $\alpha_t$
    below the largest that the loss allows is allowed too, 0 after the first round.
    """
    alpha = _alpha(x)
    return _bound(x, _played(x, alpha), alpha, lipschitz_squared(x.losses, x.domain))


def _normed_game(draw: Draw) -> Instance:
    """Quadratics, some with linear terms, and a norm: their constants are known in every norm."""
    d, m = draw.size("d", 3, MOST_D), draw.size("m", 4, MOST_T)
    domain = random_domain(draw, d, BOUNDED)
    phi, anywhere = random_point(domain, draw), random_point(domain, draw)
    losses = _losses(draw, m, domain, (LINEAR,), phi)
    # The centre of a quadratic is a point of the domain too, and for equal ones it is the best.
    comparator = anywhere if draw.boolean() or losses.a.any() else losses.c[0]
    return Instance(losses=losses, domain=domain, norm=random_norm(draw, d), phi=phi, comparator=comparator.copy())


def _stretch(norm: Norm, d: int) -> Any:
    r"""An upper bound of $\sup\|v\|^2/\|v\|_2^2$: d for l1, 1 for l2 and the maximum norm, the largest entry of a
    diagonal matrix and the trace of another."""
    if norm.kind == MATRIX:
        is_diagonal = not (norm.matrix * (1 - np.eye(d, dtype=np.int64))).any()
        return max(norm.matrix.diagonal()) if is_diagonal else norm.matrix.trace()
    return d if norm.kind == L1 else 1


def _gradient_squares(x: Instance) -> Array:
    r"""$\sup_{\theta\in\Theta}\|\nabla\ell_t(\theta)\|_*^2$: the gradients are affine, so it is taken at an extreme
    point; over a ball by the triangle inequality."""
    L, out = x.losses, np.empty_like(x.losses.b)
    points = [x.domain.center] if x.domain.kind == BALL else extreme_points(x.domain)
    for t in range(len(out)):
        slopes = [L.weight[t] * L.a[t] + L.ridge[t] * (p - L.c[t]) for p in points]
        squares = [squared_dual_norm(x.norm, g) for g in slopes]
        out[t] = max(squares) if x.domain.kind != BALL else _enlarged(x, squares[0], L.ridge[t])
    return out


def _enlarged(x: Instance, square: Any, ridge: Any) -> Any:
    r"""$(\|g\|_* + r R \sup_{\|v\|_2=1}\|v\|_*)^2$ over a ball of radius R; the dual of the maximum norm is l1."""
    stretch = x.norm.inverse.trace() if x.norm.kind == MATRIX else x.phi.size if x.norm.kind == LINF else 1
    more = stretch * (ridge * x.domain.radius[0]) * (ridge * x.domain.radius[0])
    return square + more + 2 * root(square * more)


def _both(x: Instance) -> Array:
    r"""$\alpha_t$ in both norms: $\frac r2\|\cdot-c\|_2^2$ is r/S-strongly convex in a norm with
    $\|v\|^2\le S\|v\|_2^2$."""
    return np.asarray(x.losses.ridge / max(1, _stretch(x.norm, x.phi.size)))


BOTH = Assumption(
    r"\ell_t\ \text{$\alpha_t$-strongly convex w.r.t. $\|\cdot\|$ and $\|\cdot\|_2$}",
    lambda x: min(min(x.losses.ridge - _both(x)), min(x.losses.ridge - _both(x) * _stretch(x.norm, x.phi.size))),
)


@claim("thm:ftlaogd/aogd/both-norms", AOGD, _normed_game, (*GAME, BOTH, NORMED), **READING)
def aogd_both_norms(x: Instance) -> Sides:
    r"""AOGD, with $\alpha_t$ in the norm and in $\|\cdot\|_2$.

    def:aogd asks for $\alpha_t$-strong convexity in $\|\cdot\|_2$ and steps and projects there, the theorem has
    $\alpha_t$ and $G_t$ in a norm of its own. Gradients shorter in the dual norm than in $\|\cdot\|_2$ break the bound:
    nothing pays for the length of the step.
    """
    alpha = _both(x)
    return _bound(x, _played(x, alpha), alpha, _gradient_squares(x))


def _normal_game(draw: Draw) -> Instance:
    x = _aogd_game(draw)
    x.outward = draw.positive(0, shape=x.losses.a.shape)
    return x


def _any_subgradients(x: Instance) -> tuple[Array, Array]:
    near, rates = on(project, x.phi), np.cumsum(_alpha(x))
    return games.any_subgradients(x, lambda t, theta, g, summed: near(x.domain, theta - g / rates[t]))


@claim(
    "thm:ftlaogd/aogd/any-subgradient",
    AOGD,
    _normal_game,
    (*GAME, DECLARED, POSITIVE, games.normal_to(r"n_t\in N_\Theta(\theta_t)", _any_subgradients)),
    **READING,
)
def aogd_any_subgradient(x: Instance) -> Sides:
    r"""AOGD, with any subgradient of the losses as functions on $\Theta$.

    A $G_t$-Lipschitz loss on $\Theta$ has subgradients of any length at the boundary: a normal vector $n_t$ of
    $\Theta$ may be added. The bound needs subgradients of norm at most $G_t$.
    """
    return _bound(x, _any_subgradients(x)[0], _alpha(x), lipschitz_squared(x.losses, x.domain))
