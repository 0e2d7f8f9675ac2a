r"""Games that several files share: linear losses $g_tx$ on an interval $[0, D]$, and gradient descent on them.

On a box linear losses split into their coordinates, and so do all the learners of the gallery that step along them: one
coordinate is no restriction there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory import Assumption, Draw, Instance
from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.problems.scalar import larger, smaller

ROUNDS = 12
IN_RATIONALS = 64  # the most rounds of a game whose rationals gain digits in each: a witness is judged within seconds
GIVEN = (
    Assumption(r"D>0", lambda x: x.D),
    Assumption(r"|g_t|\le G", lambda x: x.G - abs(x.g).max()),
    Assumption(r"x_1\in[0,D]", lambda x: min(x.start, x.D - x.start)),
    Assumption(r"u\in[0,D]", lambda x: min(x.u, x.D - x.u)),
)


def linear_game(draw: Draw) -> Instance:
    """Slopes, a bound G on them, an interval, a start, and a comparator."""
    T = draw.size("T", ROUNDS)
    D, G = draw.positive(-8, 8), draw.positive(-8, 8)
    g = G * draw.real(-1, 1, T)
    return Instance(T=draw.number(T), g=g, D=D, G=G, start=D * draw.unit(), u=D * draw.unit())


@kernel
def clip(x: Any, low: Any, high: Any) -> Any:
    r"""[exact] The point of $[low, high]$ nearest to x."""
    return smaller(larger(x, low), high)


@kernel
def descend(g: Array, rates: Array, start: Any, high: Any) -> Array:
    r"""[exact] The actions of $x_{t+1} = \mathrm{Proj}_{[0, high]}(x_t - \eta_tg_t)$."""
    out, x = np.empty_like(g), start
    for t in range(g.shape[0]):
        out[t] = x
        x = clip(x - rates[t] * g[t], 0 * high, high)
    return out


@kernel
def regret(g: Array, actions: Array, u: Any) -> Any:
    r"""[exact] $\sum_tg_t(x_t - u)$."""
    total = 0 * u
    for t in range(g.shape[0]):
        total = total + g[t] * (actions[t] - u)
    return total


@kernel
def roots(like: Array) -> Array:
    r"""[exact] $\sqrt1, \sqrt2, \dots$, as many as `like` has entries."""
    out = np.empty_like(like)
    for t in range(like.shape[0]):
        out[t] = np.sqrt(0 * like[t] + (t + 1))
    return out
