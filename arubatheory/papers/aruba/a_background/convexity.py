r"""Appendix A.1, Convex Functions: strong convexity and smoothness of the losses we draw (def:convex, def:smooth), what
def:bregman:app says of Bregman divergences, and clm:mean about their means.

A function f on S is a regulariser or a sum of losses with a ridge; the norms are the regulariser's own and l2. clm:mean
allows weights of either sign with a positive sum: the mean may then leave S, so that the claim is put on trial as
printed and, as `/corrected`, for nonnegative weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems.constants import smoothness, strong_convexity
from arubatheory.problems.domains import KINDS, SPACE, Domain
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import HUBER, LINEAR, LOGISTIC, SQUARE, random_losses
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import ENTROPY, random_regularizer, random_start
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import Shape, bregman_of, depth, slope, squared_norm_of, strictly_convex, within
from arubatheory.statements.games import ALL_LINKS, MOST_D, MOST_T

SMOOTH_LINKS = (LINEAR, SQUARE, LOGISTIC, HUBER)
TWO_POINTS = (within(r"x\in S", "x"), within(r"y\in S", "y"))


def _loss_and_points(draw: Draw, links: Sequence[int] = ALL_LINKS) -> Instance:
    """One loss, two points and a norm; its argument at x takes a value of [-2, 2], often that of a kink."""
    d = draw.size("d", 3, MOST_D)
    domain = random_domain(draw, d)
    L = random_losses(draw, 1, d, domain, links)
    x = L.c[0] if draw.boolean() else random_point(domain, draw)
    at = draw.integer(0, 3)
    if at > 0:
        L.b[0] = L.a[0] @ x - (at - 2)
    R = random_regularizer(draw, d, domain)
    return Instance(losses=L, domain=domain, R=R, x=x, y=random_point(domain, draw))


def _smooth_loss_and_points(draw: Draw) -> Instance:
    """The same, seldom with a link that has a kink: those losses are smooth only where the domain avoids it."""
    return _loss_and_points(draw, SMOOTH_LINKS if draw.integer(0, 7) < 7 else ALL_LINKS)


def _curvature(x: Instance) -> tuple[Any, Any]:
    r"""$f(y) - f(x) - \langle\nabla f(x), y - x\rangle$, and $\|y - x\|^2/2$ in the norm of R."""
    return bregman_of(Shape(False, x.losses, x.R), x.y, x.x), squared_norm_of(x.R, x.domain, x.y - x.x) / 2


@claim(
    "def:convex",
    r"f(y)\ge f(x)+\langle\nabla f(x),y-x\rangle+\frac\alpha2\|y-x\|^2\quad\forall\ x,y\in S",
    _loss_and_points,
    TWO_POINTS,
)
def strongly_convex(x: Instance) -> Sides:
    """Strong convexity.

    On trial are the constants that the package computes from a loss's arrays: all links, domains and norms of R, and
    at kinks any subgradient.
    """
    above, square = _curvature(x)
    return Sides(strong_convexity(x.losses, x.domain, x.R)[0] * square, above)


@claim(
    "def:smooth",
    r"f(y)\le f(x)+\langle\nabla f(x),y-x\rangle+\frac\beta2\|y-x\|^2\quad\forall\ x,y\in S",
    _smooth_loss_and_points,
    TWO_POINTS,
    note=strongly_convex.note,
)
def strongly_smooth(x: Instance) -> Sides:
    """Strong smoothness."""
    above, square = _curvature(x)
    beta = smoothness(x.losses, x.domain, x.R)[0]
    if isinstance(beta, float) and math.isinf(beta):  # in exact arrays too: nothing is claimed, so nothing counts
        return Sides(above - above, above - above)
    return Sides(above, beta * square)


def _function(draw: Draw, d: int, kinds: Sequence[int] = KINDS) -> tuple[Domain, Shape]:
    domain = random_domain(draw, d, kinds)
    return domain, strictly_convex(draw, d, domain)


def _differentiable(draw: Draw, domain: Domain, f: Shape) -> Array:
    """A point with a gradient: the entropy has one at positive points only."""
    return random_start(f.R, domain, draw) if f.is_regularizer else random_point(domain, draw)


def _two_points(draw: Draw) -> Instance:
    domain, f = _function(draw, draw.size("d", 3, MOST_D))
    y = _differentiable(draw, domain, f)
    return Instance(domain=domain, f=f, x=random_point(domain, draw), y=y, z=random_point(domain, draw))


@claim("def:bregman:app/nonnegative", r"\Breg_f(x||y)\ge0", _two_points, TWO_POINTS)
def nonnegative(x: Instance) -> Sides:
    """Bregman divergences are nonnegative."""
    b = bregman_of(x.f, x.x, x.y)
    return Sides(b - b, b)


def _half_square(x: Instance, shift: Array) -> Any:
    """Half the squared norm in which alpha and beta are taken: R's own for R, l2 for a sum of losses."""
    return (squared_norm_of(x.f.R, x.domain, shift) if x.f.is_regularizer else shift @ shift) / 2


def _alpha(x: Instance) -> Any:
    """R is 1-strongly convex in its norm; the ridges of a sum of losses make it strongly convex in l2."""
    return 1 if x.f.is_regularizer else sum(x.f.losses.ridge)


@claim(
    "def:bregman:app/strongly-convex",
    r"\Breg_f(x||y)\ge\frac\alpha2\|x-y\|^2",
    _two_points,
    TWO_POINTS,
    uses=("def:convex",),
)
def above_a_quadratic(x: Instance) -> Sides:
    """Lower quadratic bound."""
    return Sides(_alpha(x) * _half_square(x, x.x - x.y), bregman_of(x.f, x.x, x.y))


def _smooth_points(draw: Draw) -> Instance:
    """As for strong convexity, but f is smooth: square, logistic and Huber links, or a quadratic R (not the
    entropy)."""
    domain, f = _function(draw, draw.size("d", 3, MOST_D))
    smooth = np.array([(SQUARE, LOGISTIC, HUBER)[link % 3] for link in f.losses.link], dtype=np.int64)
    f = f._replace(is_regularizer=f.is_regularizer and f.R.kind != ENTROPY, losses=f.losses._replace(link=smooth))
    return Instance(domain=domain, f=f, x=random_point(domain, draw), y=random_point(domain, draw))


def _beta(x: Instance) -> Any:
    r"""$\sum_k w_k \|a_k\|_2^2 \sup\psi_k'' + r_k$, with $\sup\psi'' = 1$ (square, Huber) and 1/4 (logistic)."""
    if x.f.is_regularizer:
        return 1
    L = x.f.losses
    return sum(
        w * (a @ a) / (4 if link == LOGISTIC else 1) + r
        for link, a, w, r in zip(L.link, L.a, L.weight, L.ridge, strict=True)
    )


@claim(
    "def:bregman:app/strongly-smooth",
    r"\Breg_f(x||y)\le\frac\beta2\|x-y\|^2",
    _smooth_points,
    TWO_POINTS,
    uses=("def:smooth",),
)
def below_a_quadratic(x: Instance) -> Sides:
    """Upper quadratic bound."""
    return Sides(bregman_of(x.f, x.x, x.y), _beta(x) * _half_square(x, x.x - x.y))


def _preserving_points(draw: Draw) -> Instance:
    x = _two_points(draw)
    if x.f.is_regularizer:  # the middle point carries a gradient too
        x.x = random_start(x.f.R, x.domain, draw)
    return x


@claim(
    "def:bregman:app/convexity",
    r"\Breg_f(z||y)\ge\Breg_f(x||y)+\langle\nabla f(x)-\nabla f(y),z-x\rangle+\frac\alpha2\|z-x\|^2",
    _preserving_points,
    (*TWO_POINTS, within(r"z\in S", "z")),
    uses=("def:convex",),
)
def as_convex_as_its_function(x: Instance) -> Sides:
    """A Bregman divergence is as strongly convex as its function."""
    tangent = bregman_of(x.f, x.x, x.y) + sum((slope(x.f, x.x) - slope(x.f, x.y)) * (x.z - x.x))
    return Sides(tangent + _alpha(x) * _half_square(x, x.z - x.x), bregman_of(x.f, x.z, x.y))


def _weighted_points(draw: Draw, signed: bool, kinds: Sequence[int] = KINDS) -> Instance:
    domain, f = _function(draw, draw.size("d", 2, MOST_D), kinds)
    n = draw.size("n", 4, MOST_T)
    alpha = _weights(draw, n, signed)
    x = np.stack([_differentiable(draw, domain, f) for _ in range(n)])
    return Instance(domain=domain, f=f, alpha=alpha, x=x, y=_differentiable(draw, domain, f))


def _weights(draw: Draw, n: int, signed: bool) -> Array:
    """Weights with a positive sum: of either sign, or none of them negative, over many scales."""
    signs = draw.real(-1, 1, n) if signed else draw.unit(n)
    alpha: Array = signs * (draw.positive(shape=n) if draw.boolean() else draw.positive())
    total = sum(alpha)
    if total == 0:
        alpha[0] = alpha[0] + 1
    return -alpha if total < 0 else alpha


def _mean(x: Instance) -> Any:
    return (x.alpha @ x.x) / sum(x.alpha)


def weighted_divergence(x: Instance, y: Array) -> Any:
    r"""$\sum_i\alpha_iB_f(x_i\|y)$."""
    return sum(w * bregman_of(x.f, p, y) for w, p in zip(x.alpha, x.x, strict=True))


POSITIVE = Assumption(r"\alpha_{1:n}>0", lambda x: sum(x.alpha))
GIVEN = (POSITIVE, within(r"x_1,\dots,x_n\in S", "x"), TWO_POINTS[1])
MEAN_LATEX = r"\bar x=\frac1{\alpha_{1:n}}\sum_{i=1}^n\alpha_ix_i=\argmin_{y\in S}\sum_{i=1}^n\alpha_i\Breg_f(x_i||y)"


def _minimises(x: Instance) -> Sides:
    mean = _mean(x)
    outside = -depth(x.domain, mean)
    if outside > 0:  # f has no value there, and the claim is false without one
        return Sides(outside, outside - outside)
    return Sides(weighted_divergence(x, mean), weighted_divergence(x, x.y))


@claim("clm:mean", MEAN_LATEX, partial(_weighted_points, signed=True), GIVEN, uses=("def:bregman:app/nonnegative",))
def mean_minimises(x: Instance) -> Sides:
    r"""The weighted mean minimises the weighted sum of Bregman divergences.

    The paper allows negative weights as long as their sum is positive; then the mean may leave $S$, where $f$ has
    no value. The inequalities are: $\bar x$ lies in $S$, and no $y\in S$ has a smaller sum.
    """
    return _minimises(x)


@claim(
    "clm:mean/corrected",
    MEAN_LATEX + r"\quad\text{for}\quad\alpha_1,\dots,\alpha_n\ge0,\ \alpha_{1:n}>0",
    partial(_weighted_points, signed=False),
    (Assumption(r"\alpha_i\ge0", lambda x: x.alpha.min()), *GIVEN),
    uses=("def:bregman:app/nonnegative",),
    part_of=None,
)
def mean_minimises_corrected(x: Instance) -> Sides:
    r"""The weighted mean, for nonnegative weights.

    Nonnegative weights keep the mean in the convex set $S$; for weights of any sign the claim holds if $\bar x\in S$.
    """
    return _minimises(x)


@claim(
    "clm:mean/proof-1",
    r"\sum_{i=1}^n\alpha_i\left(\Breg_f(x_i||y)-\Breg_f(x_i||\bar x)\right)=\alpha_{1:n}\Breg_f(\bar x||y)",
    partial(_weighted_points, signed=True, kinds=(SPACE,)),
    GIVEN,
)
def mean_identity(x: Instance) -> tuple[Sides, Sides]:
    r"""The identity behind clm:mean.

    On $S=\mathbb R^d$, where the mean stays in $S$ whatever the signs of the weights.
    """
    mean = _mean(x)
    gained = weighted_divergence(x, x.y) - weighted_divergence(x, mean)
    return equality(gained, sum(x.alpha) * bregman_of(x.f, mean, x.y))
