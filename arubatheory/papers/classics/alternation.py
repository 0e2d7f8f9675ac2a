r"""Tammelin, Burch, Johanson and Bowling, Solving heads-up limit Texas Hold'em, IJCAI 2015: the proof of CFR+.

It uses that regrets bound exploitability (Zinkevich et al. 2007, theorem 2), where the second player's regret is taken
against strategies that have moved on already. The error was pointed out by Farina, Kroer and Sandholm (2018) and mended
by Burch, Moravcik and Schmid (Revisiting CFR+ and alternating updates, JAIR 2019).

On trial: /simultaneous SURVIVED at quick and standard (0.9 s, 38.0 s); REFUTED at quick and standard (0.5 s, 2.9 s).
"""

from typing import Any

from arubatheory import Draw, Instance, Sides
from arubatheory.papers.classics.claim import claim

BOUND = r"\max_xx^\top A\bar y-\min_y\bar x^\top Ay\le\frac{R^1_T+R^2_T}T"


def game(draw: Draw) -> Instance:
    r"""A matrix of payoffs, strategies $x_1, \dots, x_{T+1}$ and $y_1, \dots, y_T$."""
    T, d = draw.size("T", 8), draw.size("d", 2)
    A = draw.real(-1, 1, (d, d))
    x, y = [draw.simplex(d) for _ in range(T + 1)], [draw.simplex(d) for _ in range(T)]
    return Instance(A=A, x=tuple(x), y=tuple(y))


def value(i: Instance, late: int) -> Any:
    r"""$\sum_tx_{t+late}^\top Ay_t$."""
    return sum(i.x[t + late] @ i.A @ i.y[t] for t in range(len(i.y)))


def exploited(i: Instance, late: int) -> Any:
    r"""T times the exploitability of the averages of $x_{t+late}$ and $y_t$."""
    T = len(i.y)
    return (i.A @ sum(i.y)).max() - (sum(i.x[late : T + late]) @ i.A).min()


def regrets(i: Instance, late: int) -> Any:
    r"""$R^1_T + R^2_T$, the second one against $x_{t+late}$."""
    first = (i.A @ sum(i.y)).max() - value(i, 0)
    return first + value(i, late) - (sum(i.x[late : len(i.y) + late]) @ i.A).min()


@claim("thm:alternation/simultaneous", BOUND, game)
def simultaneous(i: Instance) -> Sides:
    r"""Regrets bound exploitability.

    True, with equality."""
    return Sides(exploited(i, 0), regrets(i, 0))


@claim("thm:alternation", BOUND + r",\quad R^2_T=\max_y\sum_tx_{t+1}^\top A(y_t-y),\ \bar x=\frac1T\sum_tx_{t+1}", game)
def alternating(i: Instance) -> Sides:
    r"""The same for alternating updates, any strategies.

    False: the difference is $\sum_t(x_t-x_{t+1})^\top Ay_t$, which CFR+ happens to keep from being positive."""
    return Sides(exploited(i, 1), regrets(i, 1))
