r"""The meta-learning game of sections 2 and 3: tasks, starts, step sizes and comparators, all of them drawn.

A theorem about "any INIT and SIM" is one about any sequences $\phi_t \in \Theta$ and $v_t > 0$, so these are data, as
are the $\theta_t^\ast$ (eq:regret allows any point of $\Theta$) and the reference sequence $\Psi$. Within a task lazy
OMD or FTRL is played with $\eta_t = v_t/\sigma_t$, $\sigma_t = G_t\sqrt{m_t} = (\sum_i G_{t,i}^2)^{1/2}$; where
$\sigma_t = 0$, as where $\Theta$ is a point, any $\eta_t$ will do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.games.adaptive import divergences
from arubatheory.papers.aruba.games.similarity_losses import sim_loss
from arubatheory.problems.constants import lipschitz_squared
from arubatheory.problems.domains import SPACE, Domain
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import DISTANCE, LINEAR, Losses, random_losses, rows
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import Regularizer, random_regularizer, random_start
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.functions import root, within
from arubatheory.statements.games import ALL_LINKS, LIPSCHITZ_LINKS, MOST_D, MOST_T, played_by_omd, regret_of

MAX_TASKS, MAX_ROUNDS, MAX_DIMENSION = 3, 3, 2


def meta_game(draw: Draw) -> Instance:
    r"""A few tasks of a few losses: T, $m_t$, R, $\Theta$, $\phi_t$, $v_t$, $\theta_t^\ast$ and $\psi_t$ are drawn.
    Some gradient of each task is not 0."""
    d, T = draw.size("d", MAX_DIMENSION, MOST_D), draw.size("T", MAX_TASKS, MOST_T)
    domain = random_domain(draw, d)
    R = random_regularizer(draw, d, domain)
    losses, offsets = _tasks(draw, T, d, domain)
    phi, psi = _sequence(draw, T, R, domain), _sequence(draw, T, R, domain)
    star = np.stack([random_point(domain, draw) for _ in range(T)])
    v = _rates(draw, T, star - phi)
    return Instance(losses=losses, offsets=offsets, domain=domain, R=R, phi=phi, psi=psi, star=star, v=v)


def _rates(draw: Draw, T: int, shifts: Array) -> Array:
    r"""$v_t$: free, all equal, or a drawn multiple of the distance from $\phi_t$, where U is least."""
    kind = draw.integer(0, 2)
    if kind == 0:
        return draw.array([draw.positive()] * T)
    if kind == 1:
        return np.asarray(draw.positive(shape=T))
    distances = [sum(abs(s)) for s in shifts]
    return draw.array([w * (x if x > 0 else 1) for w, x in zip(draw.positive(-3, 3, T), distances, strict=True)])


def _tasks(draw: Draw, T: int, d: int, domain: Domain) -> tuple[Losses, Array]:
    sizes = [draw.size("m", MAX_ROUNDS, MOST_T) for _ in range(T)]
    links = LIPSCHITZ_LINKS if domain.kind == SPACE else ALL_LINKS
    losses = random_losses(draw, sum(sizes), d, domain, links, False if domain.kind == SPACE else None)
    offsets = np.cumsum([0, *sizes]).astype(np.int64)
    slopes = draw.positive(shape=(T, d))
    for t in range(T):
        start = offsets[t]
        if all(_is_constant(losses, i) for i in range(start, offsets[t + 1])):  # eta_t = v_t / 0 has no value
            losses.link[start], losses.weight[start], losses.a[start] = LINEAR, draw.number(1), slopes[t]
    return losses, offsets


def _is_constant(losses: Losses, i: int) -> bool:
    sloped = losses.link[i] == DISTANCE or any(x != 0 for x in losses.a[i])
    return not losses.ridge[i] > 0 and not (losses.weight[i] > 0 and sloped)


def _sequence(draw: Draw, T: int, R: Regularizer, domain: Domain) -> Array:
    r"""T points with a gradient of R: one for all, two in turn, or free."""
    kind = draw.integer(0, 2)
    count = (1, 2, T)[kind]
    points = [random_start(R, domain, draw) for _ in range(count)]
    return np.stack([points[t % count] for t in range(T)])


class Played(NamedTuple):
    r"""Of each task: $\sigma_t$, the regret, and $B_R(\theta_t^\ast\|\cdot)$ at $\phi_t$ and $\psi_t$, all (T,)."""

    sigma: Array
    regret: Array
    at_phi: Array
    at_psi: Array


def play(x: Instance, learner: Callable[[Instance], Array] = played_by_omd) -> Played:
    """The tasks played from their starts by the learner within them."""
    squares, sigma, regret = lipschitz_squared(x.losses, x.domain, x.R), [], []
    for t, phi in enumerate(x.phi):
        start, stop = int(x.offsets[t]), int(x.offsets[t + 1])
        part, size = rows(x.losses, start, stop), root(sum(squares[start:stop]))
        eta = x.v[t] / size if size > 0 else x.v[t]  # where every step has the length 0
        actions = learner(Instance(losses=part, domain=x.domain, R=x.R, phi=phi, eta=eta))
        sigma.append(size)
        regret.append(on(regret_of, phi)(part, actions, x.star[t]))
    at_phi, at_psi = (on(divergences, phi)(x.star, x.R, points) for points in (x.phi, x.psi))
    return Played(np.array(sigma), np.array(regret), at_phi, at_psi)


def smallest_sim_bound(p: Played, played: Any, v: Any) -> Any:
    r"""The least non-increasing function of v above SIM's regret against every $v' > 0$:
    $\sum_t f_t^{sim}(v_t) - \min_{v' \ge v}\sum_t f_t^{sim}(v')$, whose minimum is at
    $\max\{v, (\sum_t B_t^2\sigma_t/\sigma_{1:T})^{1/2}\}$."""
    best = root(sum(p.at_phi * p.sigma) / sum(p.sigma))
    if best == 0 and v == 0:
        return played
    return played - sum(sim_loss(p.at_phi, on(larger, v)(v, best), p.sigma))


def deviation(p: Played) -> Any:
    r"""$V_\Psi$, the root of the weighted mean of $B_R(\theta_t^\ast\|\psi_t)$."""
    return root(sum(p.at_psi * p.sigma) / sum(p.sigma))


START = within(r"\phi_t\in\Theta", "phi")
REFERENCE = within(r"\psi_t\in\Theta", "psi")
OPTIMA = within(r"\theta_t^\ast\in\Theta", "star")
RATES = Assumption(r"v_t>0", lambda x: x.v.min())
CONVEX = Assumption(r"\ell_{t,i}\ \text{convex}", lambda x: min(x.losses.weight.tolist() + x.losses.ridge.tolist()))
GAME = (CONVEX, START, REFERENCE, OPTIMA, RATES)
