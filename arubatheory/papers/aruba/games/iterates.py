r"""Independent losses of two kinds, and the average iterate on every sample of them (rem:oracle)."""

from __future__ import annotations

from itertools import product

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
    chances = (1 - x.p, x.p)
    alpha, pull = (sum(p * part for p, part in zip(chances, parts, strict=True)) for parts in (x.w, x.b))
    best, far, regret, slopes = pull / alpha, 0 * x.eta, 0 * x.eta, 0 * x.eta
    for kinds in product((0, 1), repeat=x.m):
        theta, total, mass, pulled, chance = x.phi, 0 * x.phi, 0 * x.eta, 0 * x.phi, 0 * x.eta + 1
        paid, squares = 0 * x.eta, 0 * x.eta
        for w, b, p in ((x.w[k], x.b[k], chances[k]) for k in kinds):
            g, step = w * theta - b, theta - best
            paid, squares = paid + w * (theta @ theta - best @ best) / 2 - b @ step, squares + g @ g
            total, mass, pulled, chance = total + step, mass + w, pulled + b, chance * p
            theta = (x.phi + x.eta * pulled) / (1 + x.eta * mass) if leads else theta - x.eta * g
        far, regret, slopes = far + chance * (total @ total), regret + chance * paid, slopes + chance * squares
    start, m = x.phi - best, x.m
    upper = (start @ start) / (2 * x.eta * m) + x.eta * slopes / m
    return Sides(alpha / 2 * far / (m * m), regret / m), Sides(regret / m, upper)
