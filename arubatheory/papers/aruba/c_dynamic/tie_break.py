r"""Appendix C's tie-break: of all best actions in hindsight the one of least $B_R(\cdot\|\phi_R)$ (text:tie-break).

Two minimisers of least divergence would have a midpoint that is a minimiser too (`/convex`) and whose divergence is
less by $\frac18$ of their squared distance (the plain label): so there is only one. Neither step needs $\phi_R$ to lie
in $\Theta$; what $B_R(\cdot\|\phi_R)$ needs is a gradient of R at $\phi_R$. The printed conditions are $\phi_R \in
\Theta$, which is not enough (`/any-start`); the printed example, the origin, need not lie in $\Theta$, and does no harm
where R is differentiable everywhere (`/outside`).
"""

from __future__ import annotations

from typing import Any

from arubatheory.kernel import on
from arubatheory.problems.domains import SIMPLEX, random_domain, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import random_losses
from arubatheory.problems.regularizers import (
    ENTROPY,
    EUCLIDEAN,
    MAHALANOBIS,
    Regularizer,
    bregman,
    random_regularizer,
    random_start,
)
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import in_domain, magnitude, squared_norm_of, total_of, yardstick

MAX_DIMENSION = 3


def _sequence(draw: Draw) -> Instance:
    r"""A sum of convex losses, two points of $\Theta$ and a weight."""
    d = draw.integer(1, MAX_DIMENSION)
    domain = random_domain(draw, d)
    losses = random_losses(draw, draw.integer(1, 3), d, domain)
    points = {name: random_point(domain, draw) for name in ("x", "y")}
    return Instance(losses=losses, domain=domain, weight=draw.unit(), **points)


def _two_points(draw: Draw) -> Instance:
    r"""R, two points of $\Theta$ and $\phi_R \in \Theta$ where R has a gradient; half of the time x and y are mirror
    images in $\phi_R$, if the mirror image is in $\Theta$ at all: there their divergences may agree."""
    d = draw.integer(1, MAX_DIMENSION)
    domain = random_domain(draw, d)
    R = random_regularizer(draw, d, domain)
    points = {name: random_point(domain, draw) for name in ("x", "y")}
    phi = random_start(R, domain, draw)
    if draw.boolean() and R.kind != ENTROPY:
        phi = (points["x"] + points["y"]) / 2
    return Instance(domain=domain, R=R, phi=phi, **points)


def _anywhere(draw: Draw) -> Instance:
    r"""The same for a R that is differentiable everywhere, with $\phi_R$ anywhere, the origin included."""
    i = _two_points(draw)
    d = len(i.x)
    kind = draw.choice((EUCLIDEAN, MAHALANOBIS))
    i.R = Regularizer(kind, draw.spd(d) if kind == MAHALANOBIS else draw.zeros((d, d)))
    i.phi = draw.zeros(d) if draw.boolean() else draw.positive() * draw.real(-1, 1, d)
    return i


def _any_start(draw: Draw) -> Instance:
    r"""Any $\phi_R\in\Theta$; half of the time R is the entropy and $\Theta$ a simplex."""
    i = _two_points(draw)
    if draw.boolean():
        d = len(i.x)
        i.domain, i.R = random_domain(draw, d, (SIMPLEX,)), Regularizer(ENTROPY, draw.zeros((d, d)))
        i.x, i.y = (random_point(i.domain, draw) for _ in range(2))
    i.phi = random_point(i.domain, draw)
    return i


def _sublevel(i: Instance) -> Sides:
    z = i.x + i.weight * (i.y - i.x)
    at_x, at_y, between = (total_of(i.losses, p) for p in (i.x, i.y, z))
    top = on(larger, at_x)(at_x, at_y)
    return Sides(between, top, yardstick(i.losses, i.x) + yardstick(i.losses, i.y))


def _nearest(i: Instance) -> Sides:
    middle, apart = (i.x + i.y) / 2, squared_norm_of(i.R, i.domain, i.x - i.y)
    at_x, at_y, between = (on(bregman, i.phi)(i.R, p, i.phi) for p in (i.x, i.y, middle))
    top = on(larger, at_x)(at_x, at_y)
    return Sides(between + apart / 8, top, between + apart + top + _size(i))


def _size(i: Instance) -> Any:
    """The rounding of the midpoint, as the quadratics see it."""
    reach = magnitude(i.x) + magnitude(i.y) + magnitude(i.phi)
    return reach * reach * (1 + abs(i.R.matrix).sum()) if i.R.kind != ENTROPY else reach


LABEL = "text:tie-break"
X, Y = (Assumption(rf"{n}\in\Theta", in_domain(n)) for n in ("x", "y"))
START = Assumption(r"\phi_R\in\Theta", in_domain("phi"))
GRADIENT = Assumption(
    r"R\ \text{differentiable at}\ \phi_R", lambda i: min(i.phi) if i.R.kind == ENTROPY else 0 * i.phi[0]
)
NEAREST = r"\Breg_R\left(\frac{x+y}2||\phi_R\right)+\frac18\|x-y\|^2\le\max\{\Breg_R(x||\phi_R),\Breg_R(y||\phi_R)\}"


def _claim(reading: str, title: str, latex: str, instance: Any, sides: Any, assumptions: Any, **more: Any) -> Statement:
    return Statement(
        label=LABEL + reading, kind="claim in text", title=title, latex=latex, instance=instance, sides=sides,
        assumptions=assumptions, part_of=LABEL if reading else None, **more,
    )  # fmt: skip


STATEMENTS = (
    _claim(
        "", "Two best actions of least divergence are one", NEAREST, _two_points, _nearest, (X, Y, START, GRADIENT),
        uses=("def:bregman:app", "def:convex"), corrects=(f"{LABEL}/any-start",),
        note=r"For $x\ne y$ of equal divergence their midpoint has less, and it is a minimiser (`/convex`): uniqueness "
        r"with the modulus of strong convexity, in the norm of R. The squared norm of the entropy is "
        r"$\|\cdot\|_1^2/\max_\Theta\|\cdot\|_1$.",
    ),
    _claim(
        "/convex", "The optimisers of a convex function are a convex set",
        r"\sum_{\ell\in\mathcal S}\ell((1-\lambda)x+\lambda y)\le\max\left\{\sum_{\ell\in\mathcal S}\ell(x),"
        r"\sum_{\ell\in\mathcal S}\ell(y)\right\}",
        _sequence, _sublevel, (X, Y, Assumption(r"\lambda\in[0,1]", lambda i: min(i.weight, 1 - i.weight))),
        uses=("def:convex",),
        note=r"For any two points of $\Theta$: with two minimisers the right side is the minimum. That a minimum "
        r"exists is assumed in the paper; on $\mathbb R^d$ a sum of logistic losses has none.",
    ),
    _claim(
        "/outside", r"The same with $\phi_R$ in $\Theta$ or not, where R is differentiable", NEAREST, _anywhere,
        _nearest, (X, Y), uses=("def:bregman:app", "def:convex"),
        note=r"Quadratic R. `From some fixed $\phi_R\in\Theta$, e.g. the origin in Euclidean space': a ball away from "
        r"the origin does not hold it, and it will do all the same.",
    ),
    _claim(
        "/any-start", r"The same for every $\phi_R\in\Theta$", NEAREST, _any_start, _nearest, (X, Y, START),
        uses=("def:bregman:app", "def:convex"),
        note=r"The entropy has no gradient at the boundary of the simplex: with $\phi_R=(1,0)$ the divergence of every "
        r"other point is infinite, and all minimisers tie. The plain label asks R to be differentiable at $\phi_R$.",
    ),
)  # fmt: skip
