r"""Appendix F: approximate meta-updates (asu:general): what its constants are worth, and when it holds."""

from __future__ import annotations

from typing import Any

from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import approximate
from arubatheory.papers.aruba.games.approximate import FTL, GAME, Curve
from arubatheory.papers.aruba.games.potentials import QUADRATIC, QUARTIC
from arubatheory.problems.domains import BOX
from arubatheory.problems.draw import Draw
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import within
from arubatheory.statements.games import MOST_D

S = Assumption("s>0", lambda x: x.s)


def _compared(draw: Draw) -> Instance:
    x = approximate.eps_game(draw)
    x.comparator = random_point(x.domain, draw)
    return x


@claim(
    "asu:general/deviation",
    r"V^2\le\frac1{\sigma_{1:T}}\sum_{t=1}^T\sigma_t\Breg_R(\theta_t'||\phi)\quad\forall\ \phi\in\Theta",
    _compared,
    (*GAME, within(r"\phi\in\Theta", "comparator")),
    uses=("clm:mean",),
)
def deviation(x: Instance) -> Sides:
    r"""V is the least average deviation.

    So V is that of thm:app:general in the Exact case, where $\kappa=\nu=1$, $\Delta=0$ will do.
    """
    anywhere = on(approximate.divergences, x.first)(x.R, x.reference, x.comparator.reshape(1, -1))
    return Sides(sum(x.sigma * approximate.about_mean(x, x.reference)), sum(x.sigma * anywhere))


def _smooth(draw: Draw) -> Instance:
    r"""R with $I \le \nabla^2R \le \beta I$ on a box: a quadratic, or $\frac12\|x\|^2 + q\sum_jx_j^4$; and s > 0, on
    which $\kappa$ and $\nu$ may depend."""
    x = approximate.game(draw, (QUADRATIC, QUARTIC), own=False)
    d = len(x.first)
    size = max(max(abs(x.domain.low)), max(abs(x.domain.high)))
    bend = draw.unit() * (draw.positive(-8, 4) / (size * size) if size > 0 else 1) * draw.integer(0, 1)
    spectrum = 1 + draw.integer(0, 1) * draw.positive(-8, 4, d)
    x.R = Curve(QUARTIC, draw.eye(d) * spectrum, draw.array([bend]), draw.eye(d))
    x.beta, x.s = max(spectrum) + 12 * bend * size * size, draw.positive(-8, 8)
    return x


SMOOTH: dict[str, Any] = {"game": _smooth, "given": (*GAME, Assumption(r"\beta\ge1", lambda x: x.beta - 1), S)}


@claim(
    "asu:general/kappa",
    r"\Breg_R(\theta_t^\ast||\phi_t)\le\frac{\beta}2\left(1+\frac1s\right)\|\theta_t^\ast-\hat\theta_t\|^2"
    r"+\beta(1+s)\Breg_R(\hat\theta_t||\phi_t)\quad\forall\ s>0",
    **SMOOTH,
    uses=("def:smooth", "def:convex"),
)
def kappa(x: Instance) -> tuple[Sides, ...]:
    r"""$\kappa$ and $\Delta^\ast$ for smooth R.

    That is $\kappa=\beta(1+s)$, $\Delta_t^\ast=\frac{\alpha_t\beta}2(1+\frac1s)\|\theta_t^\ast-\hat\theta_t\|^2$
    for any $\alpha_t\ge0$, task by task: $\Breg_R\le\frac\beta2\|\cdot\|^2$,
    $\|a+b\|^2\le(1+s)\|a\|^2+(1+\frac1s)\|b\|^2$ and strong convexity.
    """
    m = approximate.measure(x, FTL)
    drift = x.beta / 2 * (1 + 1 / x.s) * ((x.star - x.hat) ** 2).sum(axis=1)
    return tuple(map(Sides, m.star, drift + x.beta * (1 + x.s) * m.hat))


@claim(
    "asu:general/nu",
    r"\sum_{t=1}^T\sigma_t\Breg_R(\hat\theta_t||\hat\phi)\le\frac\beta2\left(1+\frac1s\right)\sum_{t=1}^T\sigma_t"
    r"\|\hat\theta_t-\theta_t'\|^2+\beta(1+s)\sum_{t=1}^T\sigma_t\Breg_R(\theta_t'||\phi')\quad\forall\ s>0",
    **SMOOTH,
    uses=("clm:mean", "def:smooth", "def:convex"),
)
def nu(x: Instance) -> Sides:
    r"""$\nu$ and $\Delta'$ for smooth R.

    $\hat\phi$ minimises the left side (clm:mean), so $\phi'$ may replace it; then as for $\kappa$.
    """
    m = approximate.measure(x, FTL)
    gap = x.beta / 2 * (1 + 1 / x.s) * sum(x.sigma * ((x.hat - x.reference) ** 2).sum(axis=1))
    return Sides(sum(x.sigma * m.spread), gap + x.beta * (1 + x.s) * sum(x.sigma * m.reference))


def _triangle(draw: Draw) -> Instance:
    """Three points of a box."""
    domain = random_domain(draw, draw.size("d", 2, MOST_D), (BOX,))
    d = len(domain.low)
    R = Curve(QUADRATIC, draw.spd(d), draw.zeros(1), draw.eye(d))
    star, hat, phi = (random_point(domain, draw) for _ in range(3))
    return Instance(domain=domain, R=R, star=star, hat=hat, phi=phi, s=draw.positive(-8, 8))


@claim(
    "asu:general/squares",
    r"\Breg_R(\theta^\ast||\phi)\le(1+s)\Breg_R(\hat\theta||\phi)+\left(1+\frac1s\right)\Breg_R(\theta^\ast||\hat\theta)"
    r"\quad\text{for}\quad R=\frac12\|\cdot\|_A^2",
    _triangle,
    (S, within(r"\theta^\ast,\hat\theta,\phi\in\Theta", "star", "hat", "phi")),
    uses=("def:bregman:app",),
)
def squares(x: Instance) -> Sides:
    r"""$\kappa$ and $\Delta^\ast$ for squared norms.

    Without $\beta$: $\kappa=1+s$ is as near to 1 as one likes.
    """
    B = on(approximate.breg, x.phi)
    near, far = B(x.R, x.hat, x.phi), B(x.R, x.star, x.hat)
    return Sides(B(x.R, x.star, x.phi), (1 + x.s) * near + (1 + 1 / x.s) * far)
