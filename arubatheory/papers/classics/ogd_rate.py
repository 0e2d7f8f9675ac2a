r"""Hazan, Introduction to online convex optimization, 2016, theorem 3.1: descent with steps $D/(G\sqrt t)$.

On trial: SURVIVED at quick and standard (0.4 s, 5.2 s); /one REFUTED at quick and standard (0.4 s, 3.6 s);
/nine-eighths REFUTED at quick and standard (0.5 s, 3.7 s).
"""

import numpy as np

from arubatheory import Instance, Sides
from arubatheory.kernel import on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import GIVEN, descend, linear_game, regret, roots

REGRET = r"\sum_{t=1}^Tg_t(x_t-u)\le"
STEPS = r"GD\sqrt T,\quad x_{t+1}=\mathrm{Proj}\left(x_t-\frac D{G\sqrt t}g_t\right)"


def at_most(x: Instance, p: int, q: int) -> Sides:
    r"""Regret is at most p/q times $GD\sqrt T$."""
    actions = on(descend, x.g)(x.g, x.D / (x.G * on(roots, x.g)(x.g)), x.start, x.D)
    return Sides(on(regret, x.g)(x.g, actions, x.u), p * x.G * x.D * np.sqrt(x.T) / q)


@claim("thm:ogd-rate", REGRET + r"\frac32" + STEPS, linear_game, GIVEN)
def three_halves(x: Instance) -> Sides:
    r"""Gradient descent with $\eta_t=D/(G\sqrt t)$.

    True."""
    return at_most(x, 3, 2)


@claim("thm:ogd-rate/one", REGRET + STEPS, linear_game, GIVEN)
def one(x: Instance) -> Sides:
    r"""The same with constant 1.

    False. It holds for the fixed step $D/(G\sqrt T)$, and is often quoted for the decreasing one."""
    return at_most(x, 1, 1)


@claim("thm:ogd-rate/nine-eighths", REGRET + r"\frac98" + STEPS, linear_game, GIVEN)
def nine_eighths(x: Instance) -> Sides:
    r"""The same with constant $\frac98$.

    False, but only in games of more than a few rounds: a control of how far the engines look."""
    return at_most(x, 9, 8)
