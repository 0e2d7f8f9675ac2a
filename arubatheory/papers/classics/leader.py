r"""Shalev-Shwartz, Online learning and online convex optimization, 2012, example 2.2: follow the leader.

On trial: REFUTED at quick and standard (0.3 s, 2.0 s); /ahead SURVIVED at quick and standard (0.4 s, 5.3 s).
"""

from typing import Any

import numpy as np

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim

GIVEN = (Assumption(r"|g_t|\le1", lambda x: 1 - abs(x.g).max()),)


def game(draw: Draw) -> Instance:
    """Slopes of linear losses."""
    T = draw.size("T", 12)
    return Instance(T=draw.number(T), g=draw.real(-1, 1, T))


@kernel
def played(g, ahead):  # type: ignore[no-untyped-def]
    r"""[exact] The regret on $[-1, 1]$ of who plays the leader of all losses but the last one (`ahead` 0) or of all."""
    summed, paid = 0 * g[0], 0 * g[0]
    for t in range(g.shape[0]):
        leader = summed + ahead * g[t]
        paid = paid + g[t] * ((leader < 0) * 1 - (leader > 0) * 1)
        summed = summed + g[t]
    return paid + abs(summed)


def regret(x: Instance, ahead: int) -> Any:
    """The regret against the best point."""
    return on(played, x.g)(x.g, ahead)


@claim("thm:leader", r"R_T\le GD\sqrt T,\quad x_t\in\arg\min_x\sum_{s<t}g_sx", game, GIVEN)
def follow(x: Instance) -> Sides:
    r"""Follow the leader on linear losses.

    False folklore: slopes that alternate cost 1 in every round."""
    return Sides(regret(x, 0), 2 * np.sqrt(x.T))


@claim("thm:leader/ahead", r"R_T\le0,\quad x_t\in\arg\min_x\sum_{s\le t}g_sx", game, GIVEN)
def be(x: Instance) -> Sides:
    r"""Be the leader.

    True (Hannan 1957; Kalai and Vempala 2005)."""
    return Sides(regret(x, 1), 0 * x.T)
