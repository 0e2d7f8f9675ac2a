r"""Appendix B, Strongly Convex Coupling: the two standard facts about convex functions that it starts from.

The norms are l2, l1, the maximum norm and $\sqrt{x^T A x}$, with their duals. At a kink the subgradient is a drawn
datum: both claims hold for every choice of it.
"""

from __future__ import annotations

from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems import norms
from arubatheory.problems.draw import Draw
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import ENTROPY, bregman, random_regularizer, random_start
from arubatheory.statements import functions
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import slope_of, total_of, within
from arubatheory.statements.games import MOST_D

X = within(r"x\in S", "x")
Y = within(r"y\in S", "y")
CONVEX = Assumption(r"f\ \text{convex}", lambda x: min(x.f.weight.min(), x.f.ridge.min()))


def _two_points(draw: Draw) -> Instance:
    d = draw.size("d", 3, MOST_D)
    domain = random_domain(draw, d)
    f, norm = functions.convex_sum(draw, d, domain), norms.random_norm(draw, d)
    return Instance(domain=domain, f=f, norm=norm, x=random_point(domain, draw), y=random_point(domain, draw))


@claim("clm:cdual", r"f(x)-f(y)\le\|\nabla f(x)\|_\ast\|x-y\|\quad\forall\ x,y\in S", _two_points, (CONVEX, X, Y))
def cdual(x: Instance) -> Sides:
    """Convex functions fall at most at the rate of the dual norm."""
    slope, length = norms.squared_dual_norm(x.norm, slope_of(x.f, x.x)), norms.squared_norm(x.norm, x.x - x.y)
    return Sides(total_of(x.f, x.x) - total_of(x.f, x.y), functions.root(slope * length))


def _minimised(draw: Draw) -> Instance:
    d = draw.size("d", 3, MOST_D)
    domain = random_domain(draw, d)
    R = random_regularizer(draw, d, domain)
    # grad R must exist at the minimiser, for the tilt that makes it one; the entropy has none on the boundary.
    minimum = random_start(R, domain, draw) if R.kind == ENTROPY else random_point(domain, draw)
    alpha, f = draw.positive(), functions.convex_sum(draw, d, domain)
    outward, x = functions.normal(domain, minimum, draw.unit(d)), random_point(domain, draw)
    return Instance(domain=domain, R=R, alpha=alpha, f=f, minimum=minimum, outward=outward, x=x)


MINIMAL = Assumption(
    r"x^\ast\in\operatorname{argmin}_{y\in S}f(y)", lambda x: functions.normality(x.domain, x.minimum, x.outward)
)


@claim(
    "clm:scmin",
    r"f(x)\ge f(x^\ast)+\frac\alpha2\|x-x^\ast\|^2\quad\forall\ x\in S",
    _minimised,
    (CONVEX, X, within(r"x^\ast\in S", "minimum"), Assumption(r"\alpha>0", lambda x: x.alpha), MINIMAL),
    uses=("def:convex",),
)
def scmin(x: Instance) -> Sides:
    r"""Quadratic growth of strongly convex functions at the minimum.

    Uniqueness of the minimiser is the case $f(x)=f(x^\ast)$ of the inequality.
    """
    # f = h - <grad h(x*), .> - <n, .> + alpha B_R(.||x*): alpha-strongly convex, and minimal at x* because grad f(x*)
    # = -n for an n of the normal cone.
    tilt = slope_of(x.f, x.minimum) + x.outward
    at_x = total_of(x.f, x.x) - tilt @ x.x + x.alpha * on(bregman, x.x)(x.R, x.x, x.minimum)
    at_minimum = total_of(x.f, x.minimum) - tilt @ x.minimum
    return Sides(at_minimum + x.alpha * functions.squared_norm_of(x.R, x.domain, x.x - x.minimum) / 2, at_x)
