r"""Hazan, Agarwal and Kale, Logarithmic regret algorithms for online convex optimization, 2007, theorem 1.

On trial: SURVIVED at quick and standard (0.4 s, 4.2 s).
"""

import numpy as np

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import ROUNDS, clip


def game(draw: Draw) -> Instance:
    r"""Losses $\frac{h_t}2(x - c_t)^2$ with $h_t \ge H$ on $[0, 1]$, a start, and a comparator."""
    T, H = draw.size("T", ROUNDS), draw.positive(-4, 4)
    h = H * (1 + draw.unit(T))
    return Instance(T=draw.number(T), H=H, h=h, c=draw.real(-2, 3, T), start=draw.unit(), u=draw.unit())


@kernel
def played(h, c, H, start, u):  # type: ignore[no-untyped-def]
    r"""[exact] The regret of $x_{t+1} = \mathrm{Proj}(x_t - \nabla_t/(Ht))$."""
    total, x = 0 * u, start
    for t in range(h.shape[0]):
        total = total + h[t] / 2 * ((x - c[t]) * (x - c[t]) - (u - c[t]) * (u - c[t]))
        x = clip(x - h[t] * (x - c[t]) / (H * (t + 1)), 0 * u, 0 * u + 1)
    return total


def slopes(x: Instance) -> Array:
    """The absolute values of the slopes at both ends."""
    return np.concatenate([x.h * abs(x.c), x.h * abs(1 - x.c)])


@claim(
    "thm:strongly-convex",
    r"\sum_{t=1}^T\ell_t(x_t)-\ell_t(u)\le\frac{G^2}{2H}(1+\log T),\quad\eta_t=\frac1{Ht}",
    game,
    (Assumption(r"\ell_t''\ge H>0", lambda x: (x.h - x.H).min()),),
)
def sides(x: Instance) -> Sides:
    r"""Logarithmic regret under strong convexity.

    True."""
    G = slopes(x).max()
    return Sides(on(played, x.h)(x.h, x.c, x.H, x.start, x.u), G * G / (2 * x.H) * (1 + np.log(x.T)))
