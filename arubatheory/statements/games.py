r"""Games that several statements share: one task of online learning, drawn, and the two sides of a regret bound on it.

A game is losses, a domain $\Theta$, a regulariser R that is 1-strongly convex over $\Theta$ in its norm, a start
$\phi$, a step size $\eta$ and a comparator $\theta^\ast \in \Theta$. The Lipschitz constants are computed from the
losses over $\Theta$, in the norm of R; an unbounded domain therefore gets losses that are Lipschitz on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import kernel, on
from arubatheory.learners.carried import led
from arubatheory.learners.ftrl import enclosed_ftrl
from arubatheory.learners.mirror_descent import play_omd
from arubatheory.problems.constants import lipschitz_squared
from arubatheory.problems.domains import KINDS, SPACE, Domain
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import DISTANCE, SQUARE, random_losses, subgradient, value
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import Regularizer, bregman, random_regularizer, random_start
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import normal, normality, within

Step = Callable[[int, Array, Array, Array], Array]
ALL_LINKS = tuple(range(DISTANCE + 1))
LIPSCHITZ_LINKS = tuple(link for link in ALL_LINKS if link != SQUARE)  # those that are Lipschitz on all of R^d
MAX_ROUNDS, MAX_DIMENSION = 6, 3  # usual ones: engines go on to more rounds, without a limit
MOST_T = 64  # tasks or rounds of games whose exact runs are slow: rationals with ever more digits, integrals of EWOO
MOST_D = 8  # exact projections, rotations and roots in more dimensions take minutes for one witness


def online_game(
    draw: Draw,
    links: Sequence[int] = ALL_LINKS,
    rounds: int = MAX_ROUNDS,
    dimension: int = MAX_DIMENSION,
    kinds: Sequence[int] = KINDS,
    regularizer: Callable[[Draw, int, Domain], Regularizer] = random_regularizer,
    ridge: bool | None = None,
) -> Instance:
    r"""A task of usually at most `rounds` losses on a drawn domain of at most `dimension` dimensions, with
    everything OMD needs."""
    d = draw.size("d", dimension, max(dimension, MOST_D))
    domain = random_domain(draw, d, kinds)
    R = regularizer(draw, d, domain)
    phi = random_start(R, domain, draw)
    m = draw.size("m", rounds)
    if domain.kind == SPACE:
        links, ridge = [link for link in links if link in LIPSCHITZ_LINKS], False
    losses = random_losses(draw, m, d, domain, links, ridge)
    eta = draw.positive()
    return Instance(losses=losses, domain=domain, R=R, phi=phi, eta=eta, comparator=random_point(domain, draw))


def short_game(draw: Draw) -> Instance:
    """A game of at most four rounds, for learners that solve a convex program in each."""
    return online_game(draw, rounds=4)


def with_best(game: Callable[[Draw], Instance]) -> Callable[[Draw], Instance]:
    r"""The game, and a point of $\Theta$ in the place of the best action: any point under-states its regret."""

    def instance(draw: Draw) -> Instance:
        x = game(draw)
        x.best = random_point(x.domain, draw)
        return x

    return instance


START = within(r"\phi\in\Theta", "phi")
STEP = Assumption(r"\eta>0", lambda x: x.eta)
COMPARATOR = within(r"\theta^\ast\in\Theta", "comparator")
BEST = within(r"\theta\in\Theta", "best")
CONVEX = Assumption(r"\ell_t\ \text{convex}", lambda x: min(x.losses.weight.tolist() + x.losses.ridge.tolist()))
GIVEN = (CONVEX, START, STEP, COMPARATOR)


@kernel
def regret_of(L, actions, u):  # type: ignore[no-untyped-def]
    r"""$\sum_t \ell_t(\theta_t) - \ell_t(u)$."""
    regret = u[0] - u[0]
    for t in range(actions.shape[0]):
        regret = regret + (value(L, t, actions[t]) - value(L, t, u))
    return regret


def regret_bound(x: Instance, actions: Array, against: Array) -> Sides:
    r"""Regret of `actions` against a point, and $B_R(\theta^\ast\|\phi)/\eta + \eta\sum_t G_t^2$ of the game."""
    squares = lipschitz_squared(x.losses, x.domain, x.R)
    bound = on(bregman, x.phi)(x.R, x.comparator, x.phi) / x.eta + x.eta * sum(squares)
    return Sides(on(regret_of, x.phi)(x.losses, actions, against), bound)


def any_subgradients(x: Instance, step: Step) -> tuple[Array, Array]:
    r"""A learner that sees each loss's subgradient plus a normal vector $n_t$ of $\Theta$ at $\theta_t$ (sizes in
    `outward`), which is a subgradient of the loss on $\Theta$ too: the actions and the normal vectors.

    `step(t, theta, g, summed)` is $\theta_{t+1}$ after $g_t$ and $g_{1:t}$; the first action is $\phi$.
    """
    actions, normals = np.empty_like(x.losses.a), np.empty_like(x.losses.a)
    theta, summed = x.phi, 0 * x.phi
    for t in range(len(actions)):
        actions[t], normals[t] = theta, normal(x.domain, theta, x.outward[t])
        g = on(subgradient, theta)(x.losses, t, theta) + normals[t]
        summed = summed + g
        theta = step(t, theta, g, summed)
    return actions, normals


def normal_to(latex: str, played: Callable[[Instance], tuple[Array, Array]]) -> Assumption:
    """That the second of what was played are normal vectors of the domain at the first."""
    return Assumption(latex, lambda x: min(normality(x.domain, *pair) for pair in zip(*played(x), strict=True)))


def played_by_omd(x: Instance) -> Array:
    """The actions of lazy linearised OMD on the game."""
    return on(play_omd, x.phi)(x.losses, x.domain, x.R, x.phi, x.eta).actions


def played_by_ftrl(x: Instance) -> Array:
    """The actions of FTRL on the game."""
    if is_exact(x.phi):
        return enclosed_ftrl(x.losses, x.domain, x.R, x.phi, x.eta).actions
    return led(x.losses, 0, len(x.losses.a), x.domain, x.R, x.phi, x.eta)[0]
