r"""Appendix C's tie-break: of all best actions in hindsight the one of least $B_R(\cdot\|\phi_R)$ (text:tie-break).

Two minimisers of least divergence would have a midpoint that is a minimiser too (`/convex`) and whose divergence is
less by $\frac18$ of their squared distance (the plain label): so there is only one. Neither step needs $\phi_R$ to lie
in $\Theta$; what $B_R(\cdot\|\phi_R)$ needs is a gradient of R at $\phi_R$. The printed conditions are $\phi_R \in
\Theta$, which is not enough (`/any-start`); the printed example, the origin, need not lie in $\Theta$, and does no harm
where R is differentiable everywhere (`/outside`).
"""

from __future__ import annotations

from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems import domains, regularizers
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import random_losses
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, MAHALANOBIS, Regularizer
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import squared_norm_of, total_of, within
from arubatheory.statements.games import MAX_DIMENSION, MOST_D, MOST_T


def _two_points(draw: Draw) -> Instance:
    r"""R, two points of $\Theta$ and $\phi_R \in \Theta$ where R has a gradient; half of the time x and y are mirror
    images in $\phi_R$, if the mirror image is in $\Theta$ at all: there their divergences may agree."""
    d = draw.size("d", MAX_DIMENSION, MOST_D)
    domain = random_domain(draw, d)
    R = regularizers.random_regularizer(draw, d, domain)
    x, y = (random_point(domain, draw) for _ in range(2))
    phi = regularizers.random_start(R, domain, draw)
    if draw.boolean() and R.kind != ENTROPY:
        phi = (x + y) / 2
    return Instance(domain=domain, R=R, phi=phi, x=x, y=y)


def _sequence(draw: Draw) -> Instance:
    r"""A sum of convex losses, two points of $\Theta$ and a weight."""
    d = draw.size("d", MAX_DIMENSION, MOST_D)
    domain = random_domain(draw, d)
    losses = random_losses(draw, draw.size("m", 3, MOST_T), d, domain)
    x, y = (random_point(domain, draw) for _ in range(2))
    return Instance(losses=losses, domain=domain, weight=draw.unit(), x=x, y=y)


def _anywhere(draw: Draw) -> Instance:
    r"""Two points for a R that is differentiable everywhere, with $\phi_R$ anywhere, the origin included."""
    x, kind = _two_points(draw), draw.choice((EUCLIDEAN, MAHALANOBIS))
    d = len(x.x)
    x.R = Regularizer(kind, draw.spd(d) if kind == MAHALANOBIS else draw.zeros((d, d)))
    x.phi = draw.zeros(d) if draw.boolean() else draw.positive() * draw.real(-1, 1, d)
    return x


def _any_start(draw: Draw) -> Instance:
    r"""Any $\phi_R\in\Theta$; half of the time R is the entropy and $\Theta$ a simplex."""
    x = _two_points(draw)
    if draw.boolean():
        x.domain = random_domain(draw, d := len(x.x), (domains.SIMPLEX,))
        x.R = Regularizer(ENTROPY, draw.zeros((d, d)))
        x.x, x.y = (random_point(x.domain, draw) for _ in range(2))
    x.phi = random_point(x.domain, draw)
    return x


X, Y, START = within(r"x\in\Theta", "x"), within(r"y\in\Theta", "y"), within(r"\phi_R\in\Theta", "phi")
GRADIENT = Assumption(
    r"R\ \text{differentiable at}\ \phi_R", lambda x: min(x.phi) if x.R.kind == ENTROPY else 0 * x.phi[0]
)
NEAREST = r"\Breg_R\left(\frac{x+y}2||\phi_R\right)+\frac18\|x-y\|^2\le\max\{\Breg_R(x||\phi_R),\Breg_R(y||\phi_R)\}"
USES = {"uses": ("def:bregman:app", "def:convex")}


@claim("text:tie-break", NEAREST, _two_points, (X, Y, START, GRADIENT), corrects=("text:tie-break/any-start",), **USES)
def nearest(x: Instance) -> Sides:
    r"""Two best actions of least divergence are one.

    For $x\ne y$ of equal divergence their midpoint has less, and it is a minimiser (`/convex`): uniqueness with the
    modulus of strong convexity, in the norm of R. The squared norm of the entropy is
    $\|\cdot\|_1^2/\max_\Theta\|\cdot\|_1$.
    """
    at_x, at_y, between = (on(regularizers.bregman, x.phi)(x.R, p, x.phi) for p in (x.x, x.y, (x.x + x.y) / 2))
    return Sides(between + squared_norm_of(x.R, x.domain, x.x - x.y) / 8, on(larger, at_x)(at_x, at_y))


@claim(
    "text:tie-break/convex",
    r"\sum_{\ell\in\mathcal S}\ell((1-\lambda)x+\lambda y)\le\max\left\{\sum_{\ell\in\mathcal S}\ell(x),"
    r"\sum_{\ell\in\mathcal S}\ell(y)\right\}",
    _sequence,
    (X, Y, Assumption(r"\lambda\in[0,1]", lambda x: min(x.weight, 1 - x.weight))),
    uses=("def:convex",),
)
def sublevel(x: Instance) -> Sides:
    r"""The optimisers of a convex function are a convex set.

    For any two points of $\Theta$: with two minimisers the right side is the minimum. That a minimum exists is
    assumed in the paper; on $\mathbb R^d$ a sum of logistic losses has none.
    """
    at_x, at_y, between = (total_of(x.losses, p) for p in (x.x, x.y, x.x + x.weight * (x.y - x.x)))
    return Sides(between, on(larger, at_x)(at_x, at_y))


@claim("text:tie-break/outside", NEAREST, _anywhere, (X, Y), **USES)
def nearest_from_outside(x: Instance) -> Sides:
    r"""The same with $\phi_R$ in $\Theta$ or not, where R is differentiable.

    Quadratic R. `From some fixed $\phi_R\in\Theta$, e.g. the origin in Euclidean space': a ball away from the origin
    does not hold it, and it will do all the same.
    """
    return nearest.sides(x)  # type: ignore[return-value]


@claim("text:tie-break/any-start", NEAREST, _any_start, (X, Y, START), **USES)
def nearest_from_anywhere(x: Instance) -> Sides:
    r"""The same for every $\phi_R\in\Theta$.

    The entropy has no gradient at the boundary of the simplex: with $\phi_R=(1,0)$ the divergence of every other point
    is infinite, and all minimisers tie. The plain label asks R to be differentiable at $\phi_R$.
    """
    return nearest.sides(x)  # type: ignore[return-value]
