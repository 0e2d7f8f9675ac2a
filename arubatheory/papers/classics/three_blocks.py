r"""Chen, He, Ye and Yuan, The direct extension of ADMM for multi-block convex minimization problems ..., 2016.

For $a_1x_1+a_2x_2+a_3x_3=0$ with penalty 1; with two blocks the distance never grows (He and Yang 1998).

On trial: /two SURVIVED at quick and standard (0.4 s, 4.4 s); REFUTED at quick and standard (0.3 s, 3.0 s).
"""

from arubatheory import Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import IN_RATIONALS

FALLS = r"\sum_{i\ge2}\|a_ix_i^k\|^2+\|\lambda^k\|^2\le\sum_{i\ge2}\|a_ix_i^0\|^2+\|\lambda^0\|^2"


def game(draw: Draw) -> Instance:
    r"""Three columns of length 1, a start of $(x_2, x_3)$ and of the multiplier, and the number of sweeps."""
    k = draw.size("k", 12, IN_RATIONALS)
    return Instance(k=k, A=draw.spheres(3, 3), x=draw.real(-1, 1, 2), dual=draw.real(-1, 1, 3))


@kernel
def swept(A, start, dual, sweeps, blocks):  # type: ignore[no-untyped-def]
    r"""[exact] The squared distance after so many sweeps over `blocks` of the rows of A."""
    x, residual, distance = 0 * dual, 0 * dual + dual, 0 * dual[0]  # residual: the multiplier and all a_i x_i
    x[1], x[2] = start[0], start[1] * (blocks - 2)
    residual = residual + x[1] * A[1] + x[2] * A[2]
    for _ in range(sweeps):
        for i in range(blocks):
            step = A[i, 0] * residual[0] + A[i, 1] * residual[1] + A[i, 2] * residual[2]
            x[i] = x[i] - step
            residual = residual - step * A[i]
        residual = residual + x[0] * A[0] + x[1] * A[1] + x[2] * A[2]
    for j in range(3):
        multiplier = residual[j] - x[0] * A[0, j] - x[1] * A[1, j] - x[2] * A[2, j]
        distance = distance + multiplier * multiplier + (x[j] * x[j] if j > 0 else 0 * x[j])
    return distance


def fall(i: Instance, blocks: int) -> Sides:
    """The squared distance at the end and at the start."""
    return Sides(*(on(swept, i.x)(i.A, i.x, i.dual, k, blocks) for k in (i.k, 0)))


@claim("thm:three-blocks/two", FALLS, game)
def two(i: Instance) -> Sides:
    r"""ADMM with two blocks.

    True."""
    return fall(i, 2)


@claim("thm:three-blocks", FALLS, game)
def three(i: Instance) -> Sides:
    r"""The same with three blocks.

    False folklore: the distance may grow, and the method diverge."""
    return fall(i, 3)
