r"""Zinkevich, Online convex programming and generalized infinitesimal gradient ascent, ICML 2003, theorem 1.

On trial: SURVIVED at quick and standard (0.6 s, 5.0 s).
"""

import numpy as np

from arubatheory import Instance, Sides
from arubatheory.kernel import on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import GIVEN, descend, linear_game, regret, roots


@claim(
    "thm:zinkevich",
    r"\sum_{t=1}^Tg_t(x_t-u)\le\frac{D^2\sqrt T}2+\left(\sqrt T-\frac12\right)G^2,\quad"
    r"x_{t+1}=\mathrm{Proj}\left(x_t-\frac{g_t}{\sqrt t}\right)",
    linear_game,
    GIVEN,
)
def sides(x: Instance) -> Sides:
    r"""Greedy projection with $\eta_t=1/\sqrt t$.

    True: convex losses are no worse than their linear parts, and on a box these split into coordinates."""
    actions = on(descend, x.g)(x.g, 1 / on(roots, x.g)(x.g), x.start, x.D)
    root = np.sqrt(x.T)
    return Sides(on(regret, x.g)(x.g, actions, x.u), x.D * x.D * root / 2 + (2 * root - 1) / 2 * x.G * x.G)
