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
from arubatheory.problems.domains import BOX, SIMPLEX, random_point, simplex
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import subgradient, total
from arubatheory.problems.regularizers import ENTROPY, Regularizer, bregman, mirror_step, random_start
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import magnitude, normal, normality, yardstick
from arubatheory.statements.games import (
    ALL_LINKS,
    COMPARATOR,
    CONVEX,
    START,
    STEP,
    is_in,
    linear_game,
    lipschitz_squares,
    omd_bound,
    online_game,
    played_by_ftrl,
    played_by_omd,
    regret_bound,
)

# OMD and FTRL ------------------------------------------------------------------------------------------------------


def _omd_bound(x: Instance) -> Sides:
    return omd_bound(x, x.comparator, x.comparator)


def _short_game(draw: Draw) -> Instance:
    return online_game(draw, rounds=4)


def _ftrl_bound(x: Instance) -> Sides:
    actions = played_by_ftrl(x)
    return regret_bound(x, actions, x.comparator, x.comparator, lipschitz_squares(x))


def _with_best(game: Any) -> Any:
    def instance(draw: Draw) -> Instance:
        x = game(draw)
        x.best = random_point(x.domain, draw)
        return x

    return instance


def _omd_literal(x: Instance) -> Sides:
    return omd_bound(x, x.best, x.comparator)


def _ftrl_literal(x: Instance) -> Sides:
    actions = played_by_ftrl(x)
    return regret_bound(x, actions, x.best, x.comparator, lipschitz_squares(x))


def _normal_game(draw: Draw) -> Instance:
    x = online_game(draw, ALL_LINKS, rounds=3, kinds=(BOX, SIMPLEX))
    x.outward = draw.positive(shape=x.losses.a.shape)
    return x


def _any_subgradients(x: Instance) -> tuple[Array, Array, Array]:
    r"""OMD with the loss's subgradient plus a normal vector of $\Theta$ at $\theta_t$, which is a subgradient too: the
    actions, the normal vectors and the sum of what was played."""
    actions, normals = np.empty_like(x.losses.a), np.empty_like(x.losses.a)
    g = x.phi - x.phi
    for t in range(len(actions)):
        actions[t] = theta = on(mirror_step, x.phi)(x.R, x.domain, x.phi, x.eta * g)
        normals[t] = normal(x.domain, theta, x.outward[t])
        g = g + on(subgradient, x.phi)(x.losses, t, theta) + normals[t]
    return actions, normals, g


def _normality(x: Instance) -> Any:
    actions, normals, _ = _any_subgradients(x)
    return min(normality(x.domain, theta, n) for theta, n in zip(actions, normals, strict=True))


def _omd_any_subgradient(x: Instance) -> Sides:
    actions, _, _ = _any_subgradients(x)
    return regret_bound(x, actions, x.comparator, x.comparator, lipschitz_squares(x))


def _ftrl_objective(x: Instance, n: int, theta: Array) -> tuple[Any, Any]:
    r"""$B_R(\theta\|\phi) + \eta\sum_{s<n}\ell_s(\theta)$, and the magnitudes added."""
    b = on(bregman, theta)(x.R, theta, x.phi)
    f = on(total, theta)(x.losses, n, theta)
    return b + x.eta * f, b + x.eta * yardstick(x.losses, theta)


def _coincide(x: Instance) -> Sides:
    n = len(x.losses.b) - 1
    played = played_by_omd(x)[n]
    lhs, scale = _ftrl_objective(x, n, played)
    rhs, other = _ftrl_objective(x, n, x.comparator)
    stretch = (1 + sum(abs(x.R.matrix).ravel())) * (magnitude(played) + magnitude(x.phi))
    return Sides(lhs, rhs, scale + other + stretch * (magnitude(played) + magnitude(x.phi)))


def _entropy_game(draw: Draw) -> Instance:
    d = draw.integer(1, 4)
    domain, R = simplex(d, draw.zeros(d)), Regularizer(ENTROPY, draw.zeros((d, d)))
    m = draw.integer(1, 4)
    return Instance(
        domain=domain, R=R, phi=random_start(R, domain, draw), g=draw.real(-1, 1, (m, d)) * draw.positive(-16, 16),
        eta=draw.positive(-16, 16), comparator=random_point(domain, draw),
    )  # fmt: skip


def _multiplicative_weights(x: Instance) -> Array:
    r"""$p_1 = \phi$, $p_{t+1,i} \propto p_{t,i} \exp(-\eta g_{t,i})$, normalised at each round."""
    p = x.phi
    for g in x.g:
        w = p * np.exp(-x.eta * (g - min(g)))  # the least gradient keeps its weight, so that nothing overflows
        p = w / sum(w)
    return np.asarray(p)


def _weights_are_omd(x: Instance) -> Sides:
    summed = x.eta * x.g.sum(axis=0)
    p = _multiplicative_weights(x)
    divergence_p, divergence_u = (on(bregman, p)(x.R, q, x.phi) for q in (p, x.comparator))
    lhs, rhs = divergence_p + summed @ p, divergence_u + summed @ x.comparator
    return Sides(lhs, rhs, abs(divergence_p) + abs(divergence_u) + x.eta * sum(abs(x.g).ravel()) + 1)


BEST = Assumption(r"\theta\in\Theta", is_in("best"))
BOUND = r"\frac{\Breg_R(\theta^\ast||\phi)}\eta+\eta G^2T"
REGRET = r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\theta^\ast)\le" + BOUND
LITERAL = r"\sum_{t=1}^T\ell_t(\theta_t)-\min_{\theta\in\Theta}\sum_{t=1}^T\ell_t(\theta)\le" + BOUND
LITERAL_NOTE = (
    r"def:regret has the best action on the left, the theorem any $\theta^\ast$ on the right: at $\theta^\ast=\phi$ "
    r"the bound does not see how far the best action is. Any $\theta$ in place of the minimiser under-states the "
    r"left side."
)
ONE_NORM = (
    r"The norm of $G_t$ is the one in which R is 1-strongly convex, which the theorem leaves out (thm:app:general says "
    r"so): $R=\frac{x^2}{200}$ is it in $\frac1{10}|\cdot|$, and on $[-1,1]$ the losses $x$, $-x$, 1-Lipschitz in "
    r"$|\cdot|$, cost 1 at $\eta=\frac1{100}$, $\phi=\theta^\ast=0$, where the bound would be $\frac1{50}$."
)
GAME = (CONVEX, START, STEP, COMPARATOR)


def _theorem(part: str, title: str, latex: str, instance: Any, sides: Any, **more: Any) -> Statement:
    return Statement(
        label=f"thm:ftrlomd/{part}", kind="theorem", number="A.1", title=title, latex=latex, instance=instance,
        sides=sides, assumptions=more.pop("assumptions", GAME), part_of=more.pop("part_of", "thm:ftrlomd"), **more,
    )  # fmt: skip


FTRL_USES, OMD_USES = ("def:ftrl", "def:regret"), ("def:omd", "def:regret")
FTRLOMD = (
    _theorem("ftrl", "Regret of follow-the-regularised-leader", REGRET, _short_game, _ftrl_bound, uses=FTRL_USES,
             corrects=("thm:ftrlomd/ftrl/literal",),
             note=r"Regret against the $\theta^\ast$ of the right side; $G^2$ is the mean of $G_t^2$ (a larger one "
             r"makes the bound weaker). " + ONE_NORM + " Actions are played to the accuracy that a duality gap "
             "certifies."),
    _theorem("ftrl/literal", r"FTRL, with the regret of def:regret and any $\theta^\ast$ on the right", LITERAL,
             _with_best(_short_game), _ftrl_literal, assumptions=(*GAME, BEST), part_of="thm:ftrlomd/ftrl",
             uses=FTRL_USES, note=LITERAL_NOTE),
    _theorem("omd", "Regret of lazy linearised online mirror descent", REGRET, online_game, _omd_bound, uses=OMD_USES,
             corrects=("thm:ftrlomd/omd/literal", "thm:ftrlomd/omd/any-subgradient"),
             note=r"Regret against the $\theta^\ast$ of the right side; subgradients of dual norm at most $G_t$, at "
             r"kinks any; $G^2$ is the mean of $G_t^2$ (a larger one makes the bound weaker). " + ONE_NORM),
    _theorem("omd/literal", r"OMD, with the regret of def:regret and any $\theta^\ast$ on the right", LITERAL,
             _with_best(online_game), _omd_literal, assumptions=(*GAME, BEST), part_of="thm:ftrlomd/omd",
             uses=OMD_USES, note=LITERAL_NOTE),
    _theorem("omd/any-subgradient", r"OMD, with any subgradient of the losses as functions on $\Theta$", REGRET,
             _normal_game, _omd_any_subgradient, part_of="thm:ftrlomd/omd", uses=OMD_USES,
             assumptions=(*GAME, Assumption(r"n_t\in N_\Theta(\theta_t)", _normality)),
             note=r"A $G_t$-Lipschitz loss on $\Theta$ has subgradients of any length at the boundary: a normal vector "
             r"$n_t$ of $\Theta$ may be added. The bound needs subgradients of dual norm at most $G_t$."),
)  # fmt: skip

TEXT = (
    Statement(
        label="text:ftrl-is-omd",
        kind="claim in text",
        title="FTRL and OMD coincide on linear losses",
        latex=r"\ell_s(\cdot)=\langle\nabla_s,\cdot\rangle\ \implies\ \Breg_R(\theta_t^{\OMD}||\phi)"
        r"+\eta\sum_{s<t}\ell_s(\theta_t^{\OMD})\le\Breg_R(\theta||\phi)+\eta\sum_{s<t}\ell_s(\theta)"
        r"\quad\forall\ \theta\in\Theta",
        instance=linear_game,
        sides=_coincide,
        assumptions=GAME,
        uses=("def:omd", "def:ftrl"),
        note="OMD's action attains FTRL's minimum; by strict convexity there is no other.",
    ),
    Statement(
        label="text:multiplicative-weights",
        kind="claim in text",
        title="OMD with negative entropy on the simplex is multiplicative weights",
        latex=r"p_{t+1,i}\propto p_{t,i}e^{-\eta\nabla_{t,i}}\ \implies\ \Breg_R(p_t||\phi)"
        r"+\eta\langle\nabla_{1:t-1},p_t\rangle\le\Breg_R(\theta||\phi)+\eta\langle\nabla_{1:t-1},\theta\rangle"
        r"\quad\forall\ \theta\in\Theta",
        instance=_entropy_game,
        sides=_weights_are_omd,
        assumptions=(START, STEP, COMPARATOR),
        uses=("def:omd",),
        note="The multiplicative update, normalised at every round, attains the minimum that def:omd asks for.",
    ),
)

STATEMENTS = (*FTRLOMD, *TEXT)
