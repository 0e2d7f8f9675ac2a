r"""Independent losses of two kinds, and the average iterate on every sample of them (rem:oracle)."""

from __future__ import annotations

import numpy as np

from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Instance, Sides
from arubatheory.statements.games import MOST_D

MOST_M = 8  # losses of a sample, all of which are listed


def drawn_losses(draw: Draw) -> Instance:
    r"""$\frac w2\|x\|_2^2 - \langle b, x\rangle$ on $\mathbb R^d$, m of them independent, with (w, b) one of two: the
    second with probability p, and w > 0; the first may be linear."""
    d, m = draw.size("d", 2, MOST_D), draw.size("m", 5, MOST_M)
    w, b = draw.positive(-6, 6, 2), draw.real(-1, 1, (2, d)) * draw.positive(-6, 6)
    w[0] = w[0] * draw.integer(0, 1)
    p, phi = draw.positive(-6, 0), draw.real(-1, 1, d) * draw.positive(-8, 8)
    return Instance(m=m, p=p, w=w, b=b, phi=phi, eta=draw.positive(-16, 16))


def average_of_drawn(x: Instance, leads: bool) -> tuple[Sides, Sides]:
    r"""Of FTRL if it `leads`, else OMD, over all $2^m$ samples: $\frac\alpha2E\|\bar\theta-\theta^\ast\|^2$ and
    $E R_m/m$; that and the mean of the upper bound."""
    chances = np.array([1 - x.p, x.p])
    alpha, pull = chances @ x.w, chances @ x.b
    best, theta, total, pulled = pull / alpha, x.phi[None], 0 * x.phi[None], 0 * x.phi[None]
    mass, paid, squares, chance = (0 * x.phi[:1] + k for k in (0, 0, 0, 1))
    for _ in range(x.m):  # each sample goes on with a loss of either kind
        kind, before = np.divmod(np.arange(2 * len(theta)), len(theta))
        w, b, theta = x.w[kind], x.b[kind], theta[before]
        g, step = w[:, None] * theta - b, theta - best
        cost = w * ((theta * theta).sum(axis=1) - best @ best) / 2 - (b * step).sum(axis=1)
        paid, squares, total = paid[before] + cost, squares[before] + (g * g).sum(axis=1), total[before] + step
        mass, pulled, chance = mass[before] + w, pulled[before] + b, chance[before] * chances[kind]
        theta = (x.phi + x.eta * pulled) / (1 + x.eta * mass)[:, None] if leads else theta - x.eta * g
    far, regret, slopes = chance @ (total * total).sum(axis=1), chance @ paid, chance @ squares
    start, m = x.phi - best, x.m
    upper = (start @ start) / (2 * x.eta * m) + x.eta * slopes / m
    return Sides(alpha / 2 * far / (m * m), regret / m), Sides(regret / m, upper)
