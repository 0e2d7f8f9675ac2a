r"""Cesa-Bianchi and Lugosi, Prediction, learning, and games, 2006, theorem 2.3: Hedge without a horizon.

On trial: SURVIVED at quick and standard (0.5 s, 7.6 s).
"""

import numpy as np

from arubatheory import Instance, Sides
from arubatheory.kernel import on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.hedge import game, regret
from arubatheory.papers.classics.intervals import roots


@claim(
    "thm:hedge-anytime",
    r"\sum_{t=1}^T\langle p_t,\ell_t\rangle-\ell_{t,i}\le2\sqrt{\frac{T\log N}2}+\sqrt{\frac{\log N}8}",
    game,
)
def sides(x: Instance) -> Sides:
    r"""Hedge with $\eta_t=\sqrt{8\log N/t}$.

    True."""
    log = np.log(x.N)
    rates = np.sqrt(8 * log) / on(roots, x.losses)(x.losses[:, 0])
    return Sides(on(regret, x.losses)(x.losses, rates, x.best), 2 * np.sqrt(x.T * log / 2) + np.sqrt(log / 8))
