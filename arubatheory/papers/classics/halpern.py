r"""Lieder, On the convergence rate of the Halpern-iteration, Optim. Lett. 2021: a sharp rate for nonexpansive maps.

On trial: SURVIVED at quick and standard (0.4 s, 4.3 s); /averaged REFUTED at quick and standard (0.3 s, 2.0 s).
"""

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import IN_RATIONALS, clip

GAP = r"\|x_k-Tx_k\|\le\frac2{k+1}\|x_0-x^\ast\|,\quad"
INSIDE = (Assumption(r"T0=0", lambda i: i.box),)


def game(draw: Draw) -> Instance:
    r"""$T$: a rotation of the plane, then the projection onto a square around 0."""
    k, turn = draw.size("k", 12, IN_RATIONALS), draw.rotation(2)
    return Instance(k=k, turn=turn, box=draw.positive(-4, 4), start=draw.real(-1, 1, 2))


@kernel
def residual(turn, box, start, k, anchored):  # type: ignore[no-untyped-def]
    r"""[exact] $\|x_k - Tx_k\|^2$."""
    x, y = start[0], start[1]
    for i in range(k + 1):
        p = clip(turn[0, 0] * x + turn[0, 1] * y, -box, box)
        q = clip(turn[1, 0] * x + turn[1, 1] * y, -box, box)
        square = (x - p) * (x - p) + (y - q) * (y - q)
        if anchored:
            x, y = (start[0] + (i + 1) * p) / (i + 2), (start[1] + (i + 1) * q) / (i + 2)
        else:
            x, y = (x + p) / 2, (y + q) / 2
    return square


@claim("thm:halpern", GAP + r"x_{k+1}=\frac{x_0+(k+1)Tx_k}{k+2}", game, INSIDE)
def halpern(i: Instance) -> Sides:
    r"""Halpern's iteration.

    True, and sharp; on trial squared."""
    gap = on(residual, i.start)(i.turn, i.box, i.start, i.k, True)
    return Sides(gap * (i.k + 1) ** 2, 4 * (i.start @ i.start))


@claim("thm:halpern/averaged", GAP + r"x_{k+1}=\frac{x_k+Tx_k}2", game, INSIDE)
def averaged(i: Instance) -> Sides:
    r"""The same for averaged iterations.

    False: their rate is $1/\sqrt k$ (Baillon and Bruck 1992), attained for rotations whose angle depends on k."""
    gap = on(residual, i.start)(i.turn, i.box, i.start, i.k, False)
    return Sides(gap * (i.k + 1) ** 2, 4 * (i.start @ i.start))
