r"""Orabona and Pal, Coin betting and parameter-free online learning, NeurIPS 2016, corollary 5 with $\epsilon=1$.

On trial: SURVIVED at quick and standard (0.4 s, 8.0 s); /no-logarithm REFUTED at quick and standard (0.3 s, 2.1 s).
"""

from typing import Any

import numpy as np

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim

GIVEN = (Assumption(r"|c_t|\le1", lambda x: 1 - abs(x.coins).max()),)


def game(draw: Draw) -> Instance:
    """Coins, and a comparator."""
    T = draw.size("T", 12)
    return Instance(T=draw.number(T), coins=draw.real(-1, 1, T), u=draw.real(-1, 1) * draw.positive(-8, 8))


@kernel
def regret(coins, u):  # type: ignore[no-untyped-def]
    r"""[exact] $\sum_tc_t(u-x_t)$, $x_t = \frac1t\sum_{s<t}c_s\,W_{t-1}$, where $W_t = 1 + \sum_{s\le t}c_sx_s$."""
    total, summed, wealth = 0 * u, 0 * u, 0 * u + 1
    for t in range(coins.shape[0]):
        bet = summed / (t + 1) * wealth
        total, summed, wealth = total + coins[t] * (u - bet), summed + coins[t], wealth + coins[t] * bet
    return total


def paid(x: Instance, factor: Any) -> Sides:
    """The regret, against the comparator's size times a factor, and the coin that was there at the beginning."""
    return Sides(on(regret, x.coins)(x.coins, x.u), abs(x.u) * factor + 1)


@claim("thm:coin-betting", r"\sum_{t=1}^Tc_t(u-x_t)\le|u|\sqrt{T\log(1+24T^2u^2)}+1", game, GIVEN)
def sides(x: Instance) -> Sides:
    r"""The Krichevsky-Trofimov bettor needs no step size.

    True."""
    square = x.T * x.u
    return paid(x, np.sqrt(x.T * np.log(1 + 24 * square * square)))


@claim("thm:coin-betting/no-logarithm", r"\sum_{t=1}^Tc_t(u-x_t)\le|u|\sqrt{2T}+1", game, GIVEN)
def no_logarithm(x: Instance) -> Sides:
    r"""The same without the logarithm.

    False: no learner has it (McMahan and Orabona 2014)."""
    return paid(x, np.sqrt(2 * x.T))
