r"""Losses as compiled functions: the rounds of `play` in one compiled loop, on the update kernels of all other plays.

Nothing is checked in it. A play that ends in an error, or with a number that is not finite, is played again in Python,
which says in which round and why.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import borrowing, kernel
from arubatheory.problems.domains import Domain, project_into
from arubatheory.problems.own.compiled import observer_of
from arubatheory.problems.own.rounds import Rounds
from arubatheory.problems.own.steps import ahead_into, partway_into, shortened_into
from arubatheory.problems.regularizers import EUCLIDEAN, mirror_step


@borrowing
def descend(domain: Domain, R: Any, phi: Array, rates: Any, t: int, theta: Array, g: Array, memory: Array) -> None:
    r"""$\theta + h(\mathrm{Proj}(\theta - \eta g) - \theta)$, in place, for rates $(\eta, h)$."""
    ahead_into(theta, rates[0], g, g)
    project_into(domain, g, g)
    partway_into(theta, g, rates[1], theta)


@borrowing
def adapt(domain: Domain, R: Any, phi: Array, rates: Array, t: int, theta: Array, g: Array, memory: Array) -> None:
    r"""$\mathrm{Proj}(\theta - g/\alpha_{1:t})$, in place; memory holds the sum."""
    memory[0] += rates[t]
    shortened_into(theta, g, memory[0], theta)
    project_into(domain, theta, theta)


@kernel
def mirror(domain: Domain, R: Any, phi: Array, rates: Array, t: int, theta: Array, g: Array, memory: Array) -> None:
    r"""$\arg\min B_R(\theta\|\phi) + \eta\langle\nabla_{1:t}, \theta\rangle$, in place; memory holds the sum."""
    for j in range(g.size):
        memory[j] += g[j]
    if R.kind == EUCLIDEAN:
        ahead_into(phi, rates[0], memory, theta)
        project_into(domain, theta, theta)
    else:
        theta[:] = mirror_step(R, domain, phi, rates[0] * memory)


@functools.cache
def loop_of(observe: Any, update: Any) -> Any:
    """The compiled rounds of a learner, from what tells it of a round and what it does then."""

    @kernel
    def loop(
        data: Any,
        domain: Domain,
        R: Any,
        phi: Array,
        rates: Array,
        theta: Array,
        memory: Array,
        actions: Array,
        values: Array,
    ) -> None:
        for t in range(values.shape[0]):
            if actions.shape[0] > 0:
                actions[t] = theta
            values[t], g = observe(data, t, theta.copy())
            if g.size != theta.size:
                raise ValueError("a gradient has another shape than the point")
            update(domain, R, phi, rates, t, theta, g.copy(), memory)

    return loop


def played_compiled(
    update: Callable[..., None],
    losses: Rounds,
    domain: Domain,
    R: Any,
    rates: Array,
    phi: Array,
    first: Array,
    rows: int,
) -> tuple[Array, Array] | None:
    """Actions (rows, d) and values (m,), or None where Python has to look at it."""
    actions, values, theta = np.empty((rows, phi.size)), np.empty(len(losses)), first.copy()
    observe = observer_of(losses)
    if observe is None:
        return None
    try:
        loop_of(observe, update)(losses.data, domain, R, phi, rates, theta, 0 * phi, actions, values)
    except Exception:  # of the compiler, or of the functions: Python meets the latter again
        return None
    return (actions, values) if np.isfinite(values).all() and np.isfinite(actions).all() else None
