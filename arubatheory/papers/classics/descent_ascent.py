r"""Nedic and Ozdaglar, Subgradient methods for saddle-point problems, 2009: gradient descent-ascent, on average.

On trial: SURVIVED at quick and standard (0.4 s, 4.6 s); /last REFUTED at quick and standard (0.3 s, 1.4 s).
"""

from typing import Any

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import IN_RATIONALS, clip

GAP = r"\max_yf(%s,y)-\min_xf(x,%s)\le\frac{D_x^2+D_y^2}{2\eta T}+\frac\eta2(G_x^2+G_y^2)"
STEP = (Assumption(r"\eta>0", lambda z: z.eta),)


def game(draw: Draw) -> Instance:
    r"""$f(x, y) = axy + bx + cy$ on $[-1, 1]^2$, a start, and a step size."""
    a, b, c = draw.real(-1, 1, 3)
    start = draw.real(-1, 1, 2)
    return Instance(T=draw.size("T", 12, IN_RATIONALS), a=a, b=b, c=c, start=start, eta=draw.positive(-8, 8))


@kernel
def played(a, b, c, start, eta, T):  # type: ignore[no-untyped-def]
    r"""[exact] Averages of $x_t$ and $y_t$, and the last ones."""
    x, y, one = start[0], start[1], 0 * a + 1
    sums, last = 0 * start, 0 * start
    for _ in range(T):
        last[0], last[1] = x, y
        sums[0], sums[1] = sums[0] + x, sums[1] + y
        x, y = clip(x - eta * (a * y + b), -one, one), clip(y + eta * (a * x + c), -one, one)
    return sums / T, last


def gap(z: Instance, point: Any) -> Sides:
    """The duality gap of a point, and the bound."""
    x, y = point
    slopes = (abs(z.a) + abs(z.b)) ** 2 + (abs(z.a) + abs(z.c)) ** 2
    return Sides(z.b * x + abs(z.a * x + z.c) - z.c * y + abs(z.a * y + z.b), 4 / (z.eta * z.T) + z.eta * slopes / 2)


@claim("thm:descent-ascent", GAP % (r"\bar x", r"\bar y"), game, STEP)
def on_average(z: Instance) -> Sides:
    r"""The duality gap of the average iterate.

    True; on trial for bilinear games on a square."""
    return gap(z, on(played, z.a)(z.a, z.b, z.c, z.start, z.eta, z.T)[0])


@claim("thm:descent-ascent/last", GAP % ("x_T", "y_T"), game, STEP)
def of_the_last(z: Instance) -> Sides:
    r"""The same for the last iterate.

    False folklore: the last iterate moves away from the equilibrium (Bailey and Piliouras 2018)."""
    return gap(z, on(played, z.a)(z.a, z.b, z.c, z.start, z.eta, z.T)[1])
