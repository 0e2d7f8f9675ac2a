r"""Section 2, Average Regret-Upper-Bound Analysis: the regret-upper-bounds of the within-task learners.

eq:omdregret writes $\sum_i \ell_{t,i}(\theta_t)$ where $\theta_{t,i}$ is meant; it is read so throughout. eq:regret
bounds $R_t$, which section 2 defines with $\min_\theta$, by $U_t$ "for any $\theta_t^\ast \in \Theta$": read to the
letter the comparator of the left side and the $\theta^\ast$ of the right side are independent, and that is the
`/literal` reading.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.problems.domains import random_domain, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.games import (
    COMPARATOR,
    CONVEX,
    START,
    STEP,
    is_in,
    lipschitz_squares,
    online_game,
    played_by_ftrl,
    played_by_omd,
    regret_bound,
)


def _euclidean(draw: Draw, d: int, domain: Any) -> Any:
    return Regularizer(EUCLIDEAN, draw.zeros((d, d)))


def _ogd_game(draw: Draw) -> Instance:
    return online_game(draw, regularizer=_euclidean)


def _ogd_bound(x: Instance) -> Sides:
    squares = lipschitz_squares(x)
    largest = np.full(len(squares), squares.max())  # "m convex G-Lipschitz losses": one G for all
    return regret_bound(x, played_by_omd(x), x.comparator, x.comparator, largest)


def _two_parameters(draw: Draw) -> Instance:
    d = draw.integer(1, 3)
    domain = random_domain(draw, d)
    points = {name: random_point(domain, draw) for name in ("comparator", "phi", "other")}
    return Instance(
        domain=domain, **points, eta=draw.positive(), other_eta=draw.positive(), weight=draw.unit(),
        G=draw.positive(), m=draw.integer(1, 100),
    )  # fmt: skip


def _upper_bound(x: Instance, phi: Any, eta: Any) -> Any:
    shift = x.comparator - phi
    return (shift @ shift) / (2 * eta) + eta * (x.G * x.G) * x.m


def _convexity(x: Instance) -> Sides:
    kept, other = 1 - x.weight, x.weight
    mixed = _upper_bound(x, kept * x.phi + other * x.other, kept * x.eta + other * x.other_eta)
    chord = kept * _upper_bound(x, x.phi, x.eta) + other * _upper_bound(x, x.other, x.other_eta)
    reach = abs(x.comparator).max() + abs(x.phi).max() + abs(x.other).max()
    eta = min(x.eta, x.other_eta)
    return Sides(mixed, chord, mixed + chord + len(x.phi) * reach * reach / eta)


def _any_learner_game(draw: Draw) -> Instance:
    return Instance(learner=draw.choice(("OMD", "FTRL")), **vars(online_game(draw, rounds=4)))


def _played(x: Instance) -> Any:
    if x.learner == "OMD":
        return played_by_omd(x)
    return played_by_ftrl(x)


def _regret(x: Instance) -> Sides:
    return regret_bound(x, _played(x), x.comparator, x.comparator, lipschitz_squares(x))


def _literal_game(draw: Draw) -> Instance:
    x = _any_learner_game(draw)
    x.best = random_point(x.domain, draw)
    return x


def _literal(x: Instance) -> Sides:
    return regret_bound(x, _played(x), x.best, x.comparator, lipschitz_squares(x))


BEST = Assumption(r"\theta\in\Theta", is_in("best"))
UPPER = r"\U_t(\phi,\eta)=\frac1{2\eta}\|\theta_t^\ast-\phi\|_2^2+\eta G^2m"

STATEMENTS = (
    Statement(
        label="eq:omdregret/bound",
        kind="equation",
        title="Regret-upper-bound of OGD",
        latex=UPPER + r"\ge\sum_{i=1}^m\ell_{t,i}(\theta_{t,i})-\ell_{t,i}(\theta_t^\ast)",
        instance=_ogd_game,
        sides=_ogd_bound,
        assumptions=(CONVEX, START, STEP, COMPARATOR),
        uses=("thm:ftrlomd/omd", "def:omd", "def:regret"),
        part_of="eq:omdregret",
        note=r"Lazy OGD as section 2 prints it; $G$ is the largest Lipschitz constant over the domain, the "
        r"comparator any point of it. The printed sum has $\theta_t$ for $\theta_{t,i}$.",
    ),
    Statement(
        label="eq:omdregret/convexity",
        kind="equation",
        title=r"The regret-upper-bound of OGD is jointly convex in $(\phi,\eta)$",
        latex=r"\U_t((1-\lambda)x+\lambda x')\le(1-\lambda)\U_t(x)+\lambda\U_t(x')"
        r"\quad\text{for}\quad x=(\phi,\eta),\ x'=(\phi',\eta'),\ \lambda\in[0,1]",
        instance=_two_parameters,
        sides=_convexity,
        assumptions=(
            START,
            STEP,
            COMPARATOR,
            Assumption(r"\phi'\in\Theta", is_in("other")),
            Assumption(r"\eta'>0", lambda x: x.other_eta),
        ),
        part_of="eq:omdregret",
    ),
    Statement(
        label="eq:regret",
        kind="equation",
        title="Data-dependent regret-upper-bound of OMD and FTRL",
        latex=r"\sum_{i=1}^{m_t}\ell_{t,i}(\theta_{t,i})-\ell_{t,i}(\theta_t^\ast)\le\U_t(\phi_t,\eta_t)"
        r"=\frac1{\eta_t}\Breg_R(\theta_t^\ast||\phi_t)+\eta_tG_t^2m_t",
        instance=_any_learner_game,
        sides=_regret,
        assumptions=(CONVEX, START, STEP, COMPARATOR),
        uses=("thm:ftrlomd/omd", "thm:ftrlomd/ftrl", "def:omd", "def:ftrl", "def:regret"),
        corrects=("eq:regret/literal",),
        note=r"The regret is taken against the $\theta^\ast$ of the right side; $G_t^2$ is the mean of the squared "
        r"Lipschitz constants in the norm in which $R$ is 1-strongly convex.",
    ),
    Statement(
        label="eq:regret/literal",
        kind="equation",
        title=r"eq:regret with the $\R_t$ of section 2 and any $\theta^\ast$ on the right",
        latex=r"\sum_{i=1}^{m_t}\ell_{t,i}(\theta_{t,i})-\min_{\theta\in\Theta}\sum_{i=1}^{m_t}\ell_{t,i}(\theta)"
        r"\le\frac1{\eta_t}\Breg_R(\theta_t^\ast||\phi_t)+\eta_tG_t^2m_t\quad\text{for any}\quad\theta_t^\ast\in\Theta",
        instance=_literal_game,
        sides=_literal,
        assumptions=(CONVEX, START, STEP, COMPARATOR, BEST),
        part_of="eq:regret",
        uses=("def:omd", "def:ftrl", "def:regret"),
        note=r"Section 2 defines $\R_t$ with the minimum over $\theta$, and eq:regret is claimed for any "
        r"$\theta_t^\ast\in\Theta$: at $\theta_t^\ast=\phi$ the right side does not see how far the best action is. "
        r"Any $\theta$ in place of the minimiser under-states the left side.",
    ),
)
