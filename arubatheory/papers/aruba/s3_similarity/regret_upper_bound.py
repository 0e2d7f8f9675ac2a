r"""Section 2, Average Regret-Upper-Bound Analysis: the regret-upper-bounds of the within-task learners.

eq:omdregret writes $\sum_i \ell_{t,i}(\theta_t)$ where $\theta_{t,i}$ is meant; it is read so throughout. eq:regret
bounds $R_t$, which section 2 defines with $\min_\theta$, by $U_t$ "for any $\theta_t^\ast \in \Theta$": read to the
letter the comparator of the left side and the $\theta^\ast$ of the right side are independent, and that is the
`/literal` reading.
"""

from __future__ import annotations

from typing import Any

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems.constants import lipschitz_squared
from arubatheory.problems.draw import Draw
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer
from arubatheory.statements import games
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import within
from arubatheory.statements.games import MOST_D

UPPER = r"\U_t(\phi,\eta)=\frac1{2\eta}\|\theta_t^\ast-\phi\|_2^2+\eta G^2m"


def _upper_bound(x: Instance, phi: Array, eta: Any, G2: Any, m: int) -> Any:
    shift = x.comparator - phi
    return (shift @ shift) / (2 * eta) + eta * G2 * m


def _ogd_game(draw: Draw) -> Instance:
    return games.online_game(draw, regularizer=lambda draw, d, _: Regularizer(EUCLIDEAN, draw.zeros((d, d))))


@claim(
    "eq:omdregret/bound",
    UPPER + r"\ge\sum_{i=1}^m\ell_{t,i}(\theta_{t,i})-\ell_{t,i}(\theta_t^\ast)",
    _ogd_game,
    games.GIVEN,
    uses=("thm:ftrlomd/omd", "def:omd", "def:regret"),
)
def ogd_bound(x: Instance) -> Sides:
    r"""Regret-upper-bound of OGD.

    Lazy OGD as section 2 prints it; $G$ is the largest Lipschitz constant over the domain, the comparator any point
    of it. The printed sum has $\theta_t$ for $\theta_{t,i}$.
    """
    regret = on(games.regret_of, x.phi)(x.losses, games.played_by_omd(x), x.comparator)
    G2 = lipschitz_squared(x.losses, x.domain).max()
    return Sides(regret, _upper_bound(x, x.phi, x.eta, G2, len(x.losses.b)))


def _two_parameters(draw: Draw) -> Instance:
    d = draw.size("d", 3, MOST_D)
    domain = random_domain(draw, d)
    points = {name: random_point(domain, draw) for name in ("comparator", "phi", "other")}
    rates = {name: draw.positive() for name in ("eta", "other_eta")}
    return Instance(domain=domain, **points, **rates, weight=draw.unit(), G=draw.positive(), m=draw.size("m", 100))


OTHER = within(r"\phi'\in\Theta", "other"), Assumption(r"\eta'>0", lambda x: x.other_eta)


@claim(
    "eq:omdregret/convexity",
    r"\U_t((1-\lambda)x+\lambda x')\le(1-\lambda)\U_t(x)+\lambda\U_t(x')"
    r"\quad\text{for}\quad x=(\phi,\eta),\ x'=(\phi',\eta'),\ \lambda\in[0,1]",
    _two_parameters,
    (games.START, games.STEP, games.COMPARATOR, *OTHER),
)
def jointly_convex(x: Instance) -> Sides:
    r"""The regret-upper-bound of OGD is jointly convex in $(\phi,\eta)$."""
    kept, other, paid = 1 - x.weight, x.weight, (x.G * x.G, x.m)
    mixed = _upper_bound(x, kept * x.phi + other * x.other, kept * x.eta + other * x.other_eta, *paid)
    ends = _upper_bound(x, x.phi, x.eta, *paid), _upper_bound(x, x.other, x.other_eta, *paid)
    return Sides(mixed, kept * ends[0] + other * ends[1])


def _any_learner_game(draw: Draw) -> Instance:
    return Instance(learner=draw.choice(("OMD", "FTRL")), **vars(games.short_game(draw)))


def _played(x: Instance) -> Array:
    return games.played_by_omd(x) if x.learner == "OMD" else games.played_by_ftrl(x)


@claim(
    "eq:regret",
    r"\sum_{i=1}^{m_t}\ell_{t,i}(\theta_{t,i})-\ell_{t,i}(\theta_t^\ast)\le\U_t(\phi_t,\eta_t)"
    r"=\frac1{\eta_t}\Breg_R(\theta_t^\ast||\phi_t)+\eta_tG_t^2m_t",
    _any_learner_game,
    games.GIVEN,
    uses=("thm:ftrlomd/omd", "thm:ftrlomd/ftrl", "def:omd", "def:ftrl", "def:regret"),
    corrects=("eq:regret/literal",),
)
def data_dependent(x: Instance) -> Sides:
    r"""Data-dependent regret-upper-bound of OMD and FTRL.

    The regret is taken against the $\theta^\ast$ of the right side; $G_t^2$ is the mean of the squared Lipschitz
    constants in the norm in which $R$ is 1-strongly convex.
    """
    return games.regret_bound(x, _played(x), x.comparator)


@claim(
    "eq:regret/literal",
    r"\sum_{i=1}^{m_t}\ell_{t,i}(\theta_{t,i})-\min_{\theta\in\Theta}\sum_{i=1}^{m_t}\ell_{t,i}(\theta)"
    r"\le\frac1{\eta_t}\Breg_R(\theta_t^\ast||\phi_t)+\eta_tG_t^2m_t\quad\text{for any}\quad\theta_t^\ast\in\Theta",
    games.with_best(_any_learner_game),
    (*games.GIVEN, games.BEST),
    uses=("def:omd", "def:ftrl", "def:regret"),
)
def data_dependent_literal(x: Instance) -> Sides:
    r"""eq:regret with the $\R_t$ of section 2 and any $\theta^\ast$ on the right.

    Section 2 defines $\R_t$ with the minimum over $\theta$, and eq:regret is claimed for any
    $\theta_t^\ast\in\Theta$: at $\theta_t^\ast=\phi$ the right side does not see how far the best action is. Any
    $\theta$ in place of the minimiser under-states the left side.
    """
    return games.regret_bound(x, _played(x), x.best)
