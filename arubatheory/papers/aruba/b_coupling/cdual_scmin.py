r"""Appendix B, Strongly Convex Coupling: the two standard facts about convex functions that it starts from.

The norms are l2, l1, the maximum norm and $\sqrt{x^T A x}$, with their duals. At a kink the subgradient is a drawn
datum: both claims hold for every choice of it.
"""

from __future__ import annotations

from arubatheory.kernel import on
from arubatheory.problems.domains import random_domain, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.norms import random_norm, squared_dual_norm, squared_norm
from arubatheory.problems.regularizers import ENTROPY, bregman, random_regularizer, random_start
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import (
    convex_sum,
    in_domain,
    magnitude,
    normal,
    normality,
    root,
    slope_of,
    squared_norm_of,
    total_of,
    yardstick,
)

X = Assumption(r"x\in S", in_domain("x"))
Y = Assumption(r"y\in S", in_domain("y"))
CONVEX = Assumption(r"f\ \text{convex}", lambda x: min(x.f.weight.min(), x.f.ridge.min()))


def _two_points(draw: Draw) -> Instance:
    d = draw.integer(1, 3)
    domain = random_domain(draw, d)
    return Instance(
        domain=domain, f=convex_sum(draw, d, domain), norm=random_norm(draw, d),
        x=random_point(domain, draw), y=random_point(domain, draw),
    )  # fmt: skip


def _cdual(i: Instance) -> Sides:
    g = slope_of(i.f, i.x)
    lhs = total_of(i.f, i.x) - total_of(i.f, i.y)
    rhs = root(squared_dual_norm(i.norm, g) * squared_norm(i.norm, i.x - i.y))
    linear = magnitude(g) * (magnitude(i.x) + magnitude(i.y))
    return Sides(lhs, rhs, yardstick(i.f, i.x) + yardstick(i.f, i.y) + linear + rhs)


def _minimised(draw: Draw) -> Instance:
    d = draw.integer(1, 3)
    domain = random_domain(draw, d)
    R = random_regularizer(draw, d, domain)
    # grad R must exist at the minimiser, for the tilt that makes it one; the entropy has none on the boundary.
    minimum = random_start(R, domain, draw) if R.kind == ENTROPY else random_point(domain, draw)
    return Instance(
        domain=domain, R=R, alpha=draw.positive(), f=convex_sum(draw, d, domain), minimum=minimum,
        outward=normal(domain, minimum, draw.unit(d)), x=random_point(domain, draw),
    )  # fmt: skip


def _growth(i: Instance) -> Sides:
    r"""$f = h - \langle\nabla h(x^\ast), \cdot\rangle - \langle n, \cdot\rangle + \alpha B_R(\cdot\|x^\ast)$:
    alpha-strongly convex, and minimal at $x^\ast$ because $\nabla f(x^\ast) = -n$ for an n of the normal cone."""
    shift = i.x - i.minimum
    tilt = slope_of(i.f, i.minimum) + i.outward
    curved = i.alpha * on(bregman, i.x)(i.R, i.x, i.minimum)
    at_x = total_of(i.f, i.x) - tilt @ i.x + curved
    at_minimum = total_of(i.f, i.minimum) - tilt @ i.minimum
    grown = i.alpha * squared_norm_of(i.R, i.domain, shift) / 2
    added = yardstick(i.f, i.x) + yardstick(i.f, i.minimum) + magnitude(tilt) * (magnitude(i.x) + magnitude(i.minimum))
    reach = i.alpha * (1 + magnitude(i.x) + magnitude(i.minimum)) * (magnitude(i.x) + magnitude(i.minimum))
    stretch = sum(abs(i.R.matrix).ravel()) + 1
    return Sides(at_minimum + grown, at_x, added + abs(grown) + abs(curved) + reach * stretch)


STATEMENTS = (
    Statement(
        label="clm:cdual",
        kind="claim",
        number="B.1",
        title="Convex functions fall at most at the rate of the dual norm",
        latex=r"f(x)-f(y)\le\|\nabla f(x)\|_\ast\|x-y\|\quad\forall\ x,y\in S",
        instance=_two_points,
        sides=_cdual,
        assumptions=(CONVEX, X, Y),
    ),
    Statement(
        label="clm:scmin",
        kind="claim",
        number="B.2",
        title="Quadratic growth of strongly convex functions at the minimum",
        latex=r"f(x)\ge f(x^\ast)+\frac\alpha2\|x-x^\ast\|^2\quad\forall\ x\in S",
        instance=_minimised,
        sides=_growth,
        assumptions=(
            CONVEX,
            X,
            Assumption(r"x^\ast\in S", in_domain("minimum")),
            Assumption(r"\alpha>0", lambda i: i.alpha),
            Assumption(
                r"x^\ast\in\operatorname{argmin}_{y\in S}f(y)", lambda i: normality(i.domain, i.minimum, i.outward)
            ),
        ),
        uses=("def:convex",),
        note=r"Uniqueness of the minimiser is the case $f(x)=f(x^\ast)$ of the inequality.",
    ),
)
