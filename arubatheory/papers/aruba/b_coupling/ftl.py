r"""$\varepsilon$-FTL on the scalar game of SIM: prp:ftl and its proof.

prp:ftl bounds the regret "for all $x^\ast>0$", while def:regret has the best action on the left: as `/literal` both
stand as printed, under the plain label $x^\ast$ is the same on both sides. The proof's last display ends with
$2\varepsilon$ where the claim has $\varepsilon$; both are on trial (`/proof-11`, `/proof-11/needed`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.eps_ftl import game_values, leaders
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games.similarity_losses import GAME, regularised, similarity_game, total_loss
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root

PLAYED = GAME[:3]
PLACE = Assumption(r"x^\ast\in[\varepsilon,\sqrt{D^2+\varepsilon^2}]", lambda x: min(x.place, 1 - x.place))
COUPLED = r"2D\max\left\{\frac{D^3}{\varepsilon^3},1\right\}\sum_{t=1}^T\frac{\alpha_t^2}{\alpha_t+2\alpha_{1:t-1}}"
PRICE = r"\min\left\{\frac{\varepsilon^2}{x^\ast},\varepsilon\right\}\alpha_{1:T}+"
AGAINST = r"\sum_{t=1}^T\tilde\ell_t(x_t)-\tilde\ell_t(x^\ast)\le" + COUPLED
DOUBLE = r"2\sqrt{\alpha_{1:T}\sum_{t=1}^T\alpha_t\tilde B_t^2}"
EVERY = r"\quad\forall\ x^\ast>0"
USES = ("thm:coupling", "def:ftl", "def:regret")


def top(x: Instance) -> Any:
    r"""$\sqrt{D^2 + \varepsilon^2}$."""
    return root(x.D * x.D + x.eps * x.eps)


def actions_of(x: Instance) -> Array:
    r"""$x_1, \dots, x_{T+1}$."""
    hi = top(x)
    return leaders(x.B, x.alpha, x.eps, hi, x.eps, x.eps + x.first * (hi - x.eps))


def total_regularised(x: Instance, at: Any) -> Any:
    r"""$\sum_t \tilde\ell_t$ at a point."""
    return sum((regularised(x) / at + at) * x.alpha)


def strongly_convex_total(x: Instance, at: Any) -> Any:
    r"""$\sum_t (x^2/2 - \tilde B_t^2\log(x/\varepsilon))\alpha_t$ at a point."""
    return sum((at * at / 2 - regularised(x) * np.log(at / x.eps)) * x.alpha)


def _sums(x: Instance) -> tuple[Any, Any]:
    r"""$\sum_t \ell_t(x_t)$ and $\sum_t \tilde\ell_t(x_t)$."""
    actions = actions_of(x)
    plain = sum(game_values(x.B, x.alpha, actions))
    return plain, plain + sum(x.eps / actions[:-1] * x.eps * x.alpha)


def _coupled(x: Instance) -> Any:
    r"""$2D\max\{D^3/\varepsilon^3, 1\}\sum_t \alpha_t^2/(\alpha_t + 2\alpha_{1:t-1})$."""
    ratio = max(x.D / x.eps, x.D / x.eps * 0 + 1)
    return 2 * x.D * ratio**3 * sum(x.alpha / (2 * np.cumsum(x.alpha) - x.alpha) * x.alpha)


def game(draw: Draw, point: bool = True) -> Instance:
    """The scalar game, D = 0 included; the comparator may also be near the interval, or a fraction of D."""
    x = similarity_game(draw, 8, point)
    kind = draw.integer(0, 2)
    if kind == 1:
        x.comparator = x.eps + x.D * draw.unit()
    elif kind == 2:
        x.comparator = draw.positive(-8, 0) * (x.D if x.D > 0 else x.eps)
    return x


def _with_best(draw: Draw) -> Instance:
    x = game(draw)
    x.best = draw.positive() if draw.boolean() else x.eps * draw.positive(-8, 8)
    if draw.boolean():
        x.comparator = x.eps * draw.positive(0, 16)
    return x


def _regret(x: Instance, compared: Any) -> Sides:
    price = min(x.eps / x.comparator * x.eps, x.eps) * sum(x.alpha)
    return Sides(_sums(x)[0] - total_loss(x.B, x.alpha, compared), price + _coupled(x))


ANYWHERE: dict[str, Any] = {"game": game, "given": GAME}


@claim(
    "prp:ftl",
    r"\sum_{t=1}^T\ell_t(x_t)-\ell_t(x^\ast)\le" + PRICE + COUPLED + EVERY,
    **ANYWHERE,
    uses=USES,
    corrects=("prp:ftl/literal",),
)
def ftl(x: Instance) -> Sides:
    r"""Regret of epsilon-FTL.

    Regret against the $x^\ast$ of the right side. $x_1$ is any point of the interval, and D may be 0. For
    $x^\ast<\varepsilon$ the proof as printed gives $2\varepsilon$ in place of $\varepsilon$.
    """
    return _regret(x, x.comparator)


@claim(
    "prp:ftl/literal",
    r"\sum_{t=1}^T\ell_t(x_t)-\min_{x>0}\sum_{t=1}^T\ell_t(x)\le" + PRICE + COUPLED + EVERY,
    _with_best,
    (*GAME, Assumption(r"x>0", lambda x: x.best)),
    uses=USES,
)
def literal(x: Instance) -> Sides:
    r"""Epsilon-FTL, with the regret of def:regret and any comparator on the right.

    As $x^\ast\to\infty$ the first term vanishes, but $B_t=0$ costs $\varepsilon\alpha_{1:T}$ whatever D is. Any x in
    place of the minimiser under-states the left side.
    """
    return _regret(x, x.best)


def _inside_game(draw: Draw) -> Instance:
    r"""The game with a comparator at `place` of $[\varepsilon, \sqrt{D^2 + \varepsilon^2}]$."""
    x = game(draw)
    x.place = draw.unit()
    return x


def _placed(x: Instance) -> Any:
    return x.eps + x.place * (top(x) - x.eps)


def _wide_game(draw: Draw) -> Instance:
    r"""D > 0: at D = 0 the bound is 0, and that no x is better than the only action is proof-1. Half of the games are
    where the bound is least loose, D about $\varepsilon$ and $x^\ast$ about the interval."""
    x = game(draw, point=False)
    if draw.boolean():
        x.eps = x.D * draw.positive(-1, 1)
        x.comparator = x.eps + x.D * draw.unit()
    return x


def _one_loss(draw: Draw) -> Instance:
    r"""$B \in [0, D]$, $\alpha$ and a point of the interval."""
    x = similarity_game(draw, 1, point=True)
    x.place = draw.unit()
    return x


INSIDE: dict[str, Any] = {"game": _inside_game, "given": (*PLAYED, PLACE)}
ONE_LOSS: dict[str, Any] = INSIDE | {"game": _one_loss}


@claim(
    "prp:ftl/proof-1",
    r"\sum_{s\le T}\tilde\ell_s(x_{T+1})\le\sum_{s\le T}\tilde\ell_s(x)\quad\text{for}\quad "
    r"x_{T+1}^2=\frac{\sum_{s\le T}\alpha_s\tilde B_s^2}{\alpha_{1:T}}",
    **INSIDE,
    uses=("def:ftl",),
)
def leads(x: Instance) -> Sides:
    r"""FTL on the regularised losses plays the root of the mean.

    For all x of the interval, which holds $x_{T+1}$.
    """
    return Sides(total_regularised(x, actions_of(x)[-1]), total_regularised(x, _placed(x)))


@claim(
    "prp:ftl/proof-2",
    r"\sum_{s\le T}\tilde\ell_s'(x_{T+1})\le\sum_{s\le T}\tilde\ell_s'(x)\quad\text{for}\quad "
    r"\tilde\ell_t'(x)=\left(\frac{x^2}2-\tilde B_t^2\log x\right)\alpha_t",
    **INSIDE,
    uses=("def:ftl",),
)
def leads_coupled(x: Instance) -> Sides:
    r"""FTL on the coupled losses plays the same.

    The logarithm is that of $x/\varepsilon$: the unit of length adds a constant to every loss.
    """
    return Sides(strongly_convex_total(x, actions_of(x)[-1]), strongly_convex_total(x, _placed(x)))


@claim(
    "prp:ftl/proof-3",
    r"\alpha_t\left|1-\frac{\tilde B_t^2}{x^2}\right|\le\frac{\alpha_tD^2}{\varepsilon^2}",
    **ONE_LOSS,
)
def lipschitz(x: Instance) -> Sides:
    """Lipschitz constant of the regularised losses."""
    alpha, at = x.alpha[0], _placed(x)
    return Sides(alpha * abs(1 - regularised(x)[0] / (at * at)), alpha * (x.D / x.eps) * (x.D / x.eps))


@claim(
    "prp:ftl/proof-4",
    r"\alpha_t\left|x-\frac{\tilde B_t^2}x\right|\le\alpha_t\max\left\{D,\frac{D^2}\varepsilon\right\}",
    **ONE_LOSS,
)
def lipschitz_coupled(x: Instance) -> Sides:
    """Lipschitz constant of the coupled losses."""
    alpha, at = x.alpha[0], _placed(x)
    return Sides(alpha * abs(at - regularised(x)[0] / at), alpha * max(x.D, x.D / x.eps * x.D))


@claim(
    "prp:ftl/proof-5",
    r"\alpha_t\le\partial_{xx}\tilde\ell_t'=\alpha_t\left(1+\frac{\tilde B_t^2}{x^2}\right)",
    **ONE_LOSS,
    uses=("def:convex",),
)
def curved(x: Instance) -> Sides:
    """The coupled losses are strongly convex."""
    alpha, at = x.alpha[0], _placed(x)
    return Sides(alpha, alpha * (1 + regularised(x)[0] / (at * at)))


@claim("prp:ftl/proof-6", AGAINST, **INSIDE, uses=USES)
def coupling_inside(x: Instance) -> Sides:
    """Coupling, against points of the interval."""
    return Sides(_sums(x)[1] - total_regularised(x, _placed(x)), _coupled(x))


@claim("prp:ftl/proof-7", AGAINST + EVERY, _wide_game, GAME, uses=USES)
def coupling_anywhere(x: Instance) -> Sides:
    """Coupling, against all comparators."""
    return Sides(_sums(x)[1] - total_regularised(x, x.comparator), _coupled(x))


@claim("prp:ftl/proof-8", r"\sum_{t=1}^T\ell_t(x_t)\le\sum_{t=1}^T\tilde\ell_t(x_t)", game, PLAYED)
def dropping_epsilon(x: Instance) -> Sides:
    """Dropping epsilon lowers the losses."""
    return Sides(*_sums(x))


@claim(
    "prp:ftl/proof-9",
    rf"\sum_{{t=1}}^T\ell_t(x_t)\le\frac{{\varepsilon^2}}{{x^\ast}}\alpha_{{1:T}}+{COUPLED}+\sum_{{t=1}}^T\ell_t(x^\ast){EVERY}",
    **ANYWHERE,
    uses=USES,
)
def chain(x: Instance) -> Sides:
    """The chain of inequalities, at any comparator."""
    price = x.eps / x.comparator * x.eps * sum(x.alpha)
    return Sides(_sums(x)[0], price + _coupled(x) + total_loss(x.B, x.alpha, x.comparator))


def _root_of_both(x: Instance) -> tuple[Any, Any]:
    r"""$X = \sqrt{\sum\alpha_t\tilde B_t^2/\alpha_{1:T}}$ and $2\sqrt{\alpha_{1:T}\sum\alpha_t\tilde B_t^2}$."""
    mass = sum(x.alpha)
    mean = root(sum(x.alpha * regularised(x)) / mass)
    return mean, 2 * mass * mean


@claim(
    "prp:ftl/proof-10",
    r"\min_{x^\ast>0}\sum_{t=1}^T\left(\frac{B_t^2+\varepsilon^2}{x^\ast}+x^\ast\right)\alpha_t\le" + DOUBLE,
    game,
    PLAYED,
)
def substituted(x: Instance) -> Sides:
    """Substituting the minimiser.

    At the point that the paper substitutes: an identity.
    """
    mean, double = _root_of_both(x)
    return Sides(total_regularised(x, mean), double)


@claim(
    "prp:ftl/proof-11",
    DOUBLE + r"\le2\varepsilon\alpha_{1:T}+\sum_{t=1}^T\ell_t(x^\ast)" + EVERY,
    **ANYWHERE,
    corrects=("prp:ftl/proof-11/needed",),
)
def last_display(x: Instance) -> Sides:
    r"""The last inequality of the proof.

    It leads to $2\varepsilon\alpha_{1:T}$, not to the $\varepsilon\alpha_{1:T}$ of prp:ftl.
    """
    return Sides(_root_of_both(x)[1], 2 * x.eps * sum(x.alpha) + total_loss(x.B, x.alpha, x.comparator))


@claim("prp:ftl/proof-11/needed", DOUBLE + r"\le\varepsilon\alpha_{1:T}+\sum_{t=1}^T\ell_t(x^\ast)" + EVERY, **ANYWHERE)
def last_display_needed(x: Instance) -> Sides:
    r"""The last inequality, as the claim would need it.

    Not printed: $\varepsilon$ where the proof has $2\varepsilon$, as the proof would need it to end in prp:ftl. For
    $B_t=0$ it says $2\varepsilon\le\varepsilon+x^\ast$. The first step of the chain gives
    $\varepsilon^2\sum_t\alpha_t/x_t$ away, which is what the claim lives on.
    """
    return Sides(_root_of_both(x)[1], x.eps * sum(x.alpha) + total_loss(x.B, x.alpha, x.comparator))
