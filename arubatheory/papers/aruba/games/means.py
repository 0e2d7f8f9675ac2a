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
from arubatheory.problems.domains import KINDS, Domain
from arubatheory.problems.draw import Draw
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.functions import within
from arubatheory.statements.games import MOST_D, MOST_T


def mean_game(draw: Draw, kinds: Sequence[int] = KINDS) -> Instance:
    r"""Points $x_t$ of a domain, usually at most four in at most three dimensions, positive weights, R, $\theta_1$ and
    a comparator."""
    d = draw.size("d", 3, MOST_D)
    domain = random_domain(draw, d, kinds)
    P, q = potential(draw, d)
    T = draw.size("T", 4, MOST_T)
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


WEIGHTS = Assumption(r"\alpha_t>0", lambda x: min(x.alpha.tolist()))
STRICT = Assumption(r"R\ \text{strictly convex}", lambda x: max(x.P[0, 0], x.q))
FIRST, COMPARATOR = within(r"\theta_1\in\Theta", "phi"), within(r"\theta^\ast\in\Theta", "comparator")
GAME = (WEIGHTS, within(r"x_t\in\Theta", "x"), STRICT, FIRST, COMPARATOR)
