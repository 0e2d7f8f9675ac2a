r"""Hazan, Agarwal and Kale, Logarithmic regret algorithms for online convex optimization, 2007, theorem 2: ONS.

On trial: REFUTED at quick and standard (0.2 s, 2.0 s); /later SURVIVED at quick and standard (2.4 s, 7.7 s).
"""

import numpy as np

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import ROUNDS, clip
from arubatheory.problems.scalar import larger, smaller

REGRET = r"\sum_{t=1}^T\ell_t(x_t)-\ell_t(u)\le"
TERM = r"\left(\frac1\alpha+GD\right)n\log T"
GIVEN = (Assumption(r"a_t,b_t>0", lambda x: min(x.a.min(), x.b.min())),)


def game(draw: Draw, least: int = 1) -> Instance:
    r"""Losses $-\log((1 - x)a_t + xb_t)$ on $[0, 1]$, which are 1-exp-concave: a portfolio of two assets."""
    T = draw.size("T", ROUNDS, least=least)
    a, b = draw.positive(-6, 0, T), draw.positive(-6, 0, T)
    return Instance(T=draw.number(T), a=a, b=b, start=draw.unit(), u=draw.unit())


@kernel
def played(a, b, start, u):  # type: ignore[no-untyped-def]
    r"""[exact] The regret of the online Newton step ($\alpha = D = n = 1$), and G, the largest slope."""
    regret, x, G = 0 * u, start, 0 * u
    for t in range(a.shape[0]):
        G = larger(G, abs(b[t] - a[t]) / smaller(a[t], b[t]))
    beta = 0 * u + 1 if 4 * G <= 1 else 1 / (4 * G)
    beta = beta / 2
    A = 1 / (beta * beta)
    for t in range(a.shape[0]):
        value = (1 - x) * a[t] + x * b[t]
        regret = regret + np.log(((1 - u) * a[t] + u * b[t]) / value)
        slope = (a[t] - b[t]) / value
        A = A + slope * slope
        x = clip(x - slope / (A * beta), 0 * u, 0 * u + 1)
    return regret, G


@claim("thm:ons", REGRET + "5" + TERM, game, GIVEN)
def as_printed(x: Instance) -> Sides:
    r"""The online Newton step.

    False as printed at $T=1$, where the logarithm is 0 and the regret need not be."""
    regret, G = on(played, x.a)(x.a, x.b, x.start, x.u)
    return Sides(regret, 5 * (1 + G) * np.log(x.T))


@claim("thm:ons/later", REGRET + "2" + TERM + r",\quad T\ge4", lambda draw: game(draw, 4), GIVEN)
def in_the_book(x: Instance) -> Sides:
    r"""The same from the fourth round on, with constant 2.

    True (Hazan, Introduction to online convex optimization, second edition, theorem 4.5)."""
    regret, G = on(played, x.a)(x.a, x.b, x.start, x.u)
    return Sides(regret, 2 * (1 + G) * np.log(x.T))
