r"""Appendix A.2, Online Algorithms: the regret of lazy linearised OMD and of FTRL.

Two slips of the printed thm:ftrlomd matter to who takes it to the letter. It bounds $R_T$, which def:regret defines
with the *best* action, by a right side "for all $\theta^\ast \in \Theta$" (`/literal`). And the losses are functions on
$\Theta$ that are Lipschitz there, which does not bound every subgradient of them: at a boundary point any normal vector
of $\Theta$ may be added to a subgradient (`/any-subgradient`, for OMD only: FTRL plays no subgradients).
`thm:ftrlomd/omd` and `thm:ftrlomd/ftrl` are the theorem as its source means it: regret against the $\theta^\ast$ of
the right side, and subgradients of dual norm at most $G_t$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems.domains import BOX, SIMPLEX, simplex
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import LINEAR, total
from arubatheory.problems.random_domains import random_point
from arubatheory.problems.regularizers import ENTROPY, Regularizer, bregman, mirror_step, random_start
from arubatheory.statements import games
from arubatheory.statements.core import Instance, Sides
from arubatheory.statements.games import MOST_D, MOST_T

BOUND = r"\frac{\Breg_R(\theta^\ast||\phi)}\eta+\eta G^2T"
REGRET = r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\theta^\ast)\le" + BOUND
LITERAL = r"\sum_{t=1}^T\ell_t(\theta_t)-\min_{\theta\in\Theta}\sum_{t=1}^T\ell_t(\theta)\le" + BOUND
FTRL, OMD = {"uses": ("def:ftrl", "def:regret")}, {"uses": ("def:omd", "def:regret")}


@claim("thm:ftrlomd/ftrl", REGRET, games.short_game, games.GIVEN, corrects=("thm:ftrlomd/ftrl/literal",), **FTRL)
def ftrl(x: Instance) -> Sides:
    r"""Regret of follow-the-regularised-leader.

    Regret against the $\theta^\ast$ of the right side; $G^2$ is the mean of $G_t^2$ (a larger one makes the bound
    weaker). The norm of $G_t$ is the one in
    which R is 1-strongly convex, which the theorem leaves out (thm:app:general says so): $R=\frac{x^2}{200}$ is it in
    $\frac1{10}|\cdot|$, and on $[-1,1]$ the losses $x$, $-x$, 1-Lipschitz in $|\cdot|$, cost 1 at $\eta=\frac1{100}$,
    $\phi=\theta^\ast=0$, where the bound would be $\frac1{50}$. Actions are played to the accuracy that a
    duality gap certifies.
    """
    return games.regret_bound(x, games.played_by_ftrl(x), x.comparator)


@claim(
    "thm:ftrlomd/ftrl/literal",
    LITERAL,
    games.with_best(games.short_game),
    (*games.GIVEN, games.BEST),
    part_of="thm:ftrlomd/ftrl",
    **FTRL,
)
def ftrl_literal(x: Instance) -> Sides:
    r"""FTRL, with the regret of def:regret and any $\theta^\ast$ on the right.

    def:regret has the best action on the left, the theorem any $\theta^\ast$ on the right: at $\theta^\ast=\phi$ the
    bound does not see how far the best action is. Any $\theta$ in place of the minimiser under-states the left side.
    """
    return games.regret_bound(x, games.played_by_ftrl(x), x.best)


@claim(
    "thm:ftrlomd/omd",
    REGRET,
    games.online_game,
    games.GIVEN,
    corrects=("thm:ftrlomd/omd/literal", "thm:ftrlomd/omd/any-subgradient"),
    **OMD,
)
def omd(x: Instance) -> Sides:
    r"""Regret of lazy linearised online mirror descent.

    Regret against the $\theta^\ast$ of the right side; subgradients of dual norm at most $G_t$, at kinks any; $G^2$ is
    the mean of $G_t^2$ (a larger one makes the bound weaker). The norm of $G_t$ is the one in
    which R is 1-strongly convex, which the theorem leaves out (thm:app:general says so): $R=\frac{x^2}{200}$ is it in
    $\frac1{10}|\cdot|$, and on $[-1,1]$ the losses $x$, $-x$, 1-Lipschitz in $|\cdot|$, cost 1 at $\eta=\frac1{100}$,
    $\phi=\theta^\ast=0$, where the bound would be $\frac1{50}$.
    """
    return games.regret_bound(x, games.played_by_omd(x), x.comparator)


@claim(
    "thm:ftrlomd/omd/literal",
    LITERAL,
    games.with_best(games.online_game),
    (*games.GIVEN, games.BEST),
    part_of="thm:ftrlomd/omd",
    note=ftrl_literal.note,
    **OMD,
)
def omd_literal(x: Instance) -> Sides:
    r"""OMD, with the regret of def:regret and any $\theta^\ast$ on the right."""
    return games.regret_bound(x, games.played_by_omd(x), x.best)


def _normal_game(draw: Draw) -> Instance:
    x = games.online_game(draw, games.ALL_LINKS, rounds=3, kinds=(BOX, SIMPLEX))
    x.outward = draw.positive(shape=x.losses.a.shape)
    return x


def _any_subgradients(x: Instance) -> tuple[Array, Array]:
    omd = on(mirror_step, x.phi)
    return games.any_subgradients(x, lambda t, theta, g, summed: omd(x.R, x.domain, x.phi, x.eta * summed))


@claim(
    "thm:ftrlomd/omd/any-subgradient",
    REGRET,
    _normal_game,
    (*games.GIVEN, games.normal_to(r"n_t\in N_\Theta(\theta_t)", _any_subgradients)),
    part_of="thm:ftrlomd/omd",
    **OMD,
)
def omd_any_subgradient(x: Instance) -> Sides:
    r"""OMD, with any subgradient of the losses as functions on $\Theta$.

    A $G_t$-Lipschitz loss on $\Theta$ has subgradients of any length at the boundary: a normal vector $n_t$ of
    $\Theta$ may be added. The bound needs subgradients of dual norm at most $G_t$.
    """
    return games.regret_bound(x, _any_subgradients(x)[0], x.comparator)


def linear_game(draw: Draw, **limits: Any) -> Instance:
    """An online game with linear losses only."""
    return games.online_game(draw, links=(LINEAR,), ridge=False, **limits)


def ftrl_objective(x: Instance, theta: Array) -> Any:
    r"""$B_R(\theta\|\phi) + \eta\sum_{s<T}\ell_s(\theta)$."""
    return on(bregman, theta)(x.R, theta, x.phi) + x.eta * on(total, theta)(x.losses, len(x.losses.b) - 1, theta)


@claim(
    "text:ftrl-is-omd",
    r"\ell_s(\cdot)=\langle\nabla_s,\cdot\rangle\ \implies\ \Breg_R(\theta_t^{\OMD}||\phi)"
    r"+\eta\sum_{s<t}\ell_s(\theta_t^{\OMD})\le\Breg_R(\theta||\phi)+\eta\sum_{s<t}\ell_s(\theta)"
    r"\quad\forall\ \theta\in\Theta",
    linear_game,
    games.GIVEN,
    uses=("def:omd", "def:ftrl"),
)
def coincide(x: Instance) -> Sides:
    """FTRL and OMD coincide on linear losses.

    OMD's action attains FTRL's minimum; by strict convexity there is no other.
    """
    return Sides(ftrl_objective(x, games.played_by_omd(x)[-1]), ftrl_objective(x, x.comparator))


def _entropy_game(draw: Draw) -> Instance:
    d = draw.size("d", 4, MOST_D)
    domain, R = simplex(d, draw.zeros(d)), Regularizer(ENTROPY, draw.zeros((d, d)))
    m = draw.size("m", 4, MOST_T)
    phi, g = random_start(R, domain, draw), draw.real(-1, 1, (m, d)) * draw.positive(-16, 16)
    eta = draw.positive(-16, 16)
    return Instance(domain=domain, R=R, phi=phi, g=g, eta=eta, comparator=random_point(domain, draw))


def multiplicative_weights(x: Instance) -> Array:
    r"""$p_1 = \phi$, $p_{t+1,i} \propto p_{t,i} \exp(-\eta g_{t,i})$, normalised at each round."""
    p = x.phi
    for g in x.g:
        w = p * np.exp(-x.eta * (g - min(g)))  # the least gradient keeps its weight, so that nothing overflows
        p = w / sum(w)
    return np.asarray(p)


def omd_objective(x: Instance, p: Array) -> Any:
    r"""$B_R(p\|\phi) + \eta\langle g_{1:T}, p\rangle$."""
    return on(bregman, p)(x.R, p, x.phi) + (x.eta * x.g.sum(axis=0)) @ p


@claim(
    "text:multiplicative-weights",
    r"p_{t+1,i}\propto p_{t,i}e^{-\eta\nabla_{t,i}}\ \implies\ \Breg_R(p_t||\phi)"
    r"+\eta\langle\nabla_{1:t-1},p_t\rangle\le\Breg_R(\theta||\phi)+\eta\langle\nabla_{1:t-1},\theta\rangle"
    r"\quad\forall\ \theta\in\Theta",
    _entropy_game,
    (games.START, games.STEP, games.COMPARATOR),
    uses=("def:omd",),
)
def weights_are_omd(x: Instance) -> Sides:
    """OMD with negative entropy on the simplex is multiplicative weights.

    The multiplicative update, normalised at every round, attains the minimum that def:omd asks for.
    """
    return Sides(omd_objective(x, multiplicative_weights(x)), omd_objective(x, x.comparator))
