r"""Kingma and Ba, Adam: a method for stochastic optimization, ICLR 2015, lemma 10.3.

On trial: REFUTED at quick and standard (0.2 s, 1.9 s); /corrected SURVIVED at quick and standard (0.4 s, 5.5 s).
"""

from typing import Any

import numpy as np

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import ROUNDS, roots

GIVEN = (Assumption(r"|g_t|\le G_\infty", lambda x: x.G - abs(x.g).max()),)


def game(draw: Draw) -> Instance:
    """Slopes and a bound on them."""
    G = draw.positive(-8, 8)
    return Instance(G=G, g=G * draw.real(-1, 1, draw.size("T", ROUNDS)))


def parts(x: Instance) -> tuple[Any, Any]:
    r"""$\sum_t|g_t|/\sqrt t$ and $\|g_{1:T}\|_2$."""
    return sum(abs(x.g) / on(roots, x.g)(x.g)), np.sqrt(x.g @ x.g)


@claim("lem:adam-roots", r"\sum_{t=1}^T\sqrt{\frac{g_t^2}t}\le2G_\infty\|g_{1:T}\|_2", game, GIVEN)
def sides(x: Instance) -> Sides:
    r"""A lemma of Adam's proof.

    False: the sides have different units, and for $G_\infty<\frac12$ one round refutes it (Bock, Goppold and Weiss, An
    improvement of the convergence proof of the ADAM-optimizer, 2018)."""
    total, norm = parts(x)
    return Sides(total, 2 * x.G * norm)


@claim("lem:adam-roots/corrected", r"\sum_{t=1}^T\sqrt{\frac{g_t^2}t}\le\sqrt{1+\log T}\|g_{1:T}\|_2", game, GIVEN)
def corrected(x: Instance) -> Sides:
    r"""The same by Cauchy and Schwarz.

    True."""
    total, norm = parts(x)
    return Sides(total, np.sqrt(1 + np.log(0 * x.G + len(x.g))) * norm)
