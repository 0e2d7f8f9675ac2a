r"""Jaggi, Revisiting Frank-Wolfe: projection-free sparse convex optimization, ICML 2013, theorem 1.

On trial: SURVIVED at quick and standard (0.4 s, 5.3 s).
"""

from typing import Any

from arubatheory import Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import IN_RATIONALS


def game(draw: Draw) -> Instance:
    r"""$f(x) = \frac12\|x - c\|^2$ on the simplex, a start, and a comparator."""
    d = draw.size("d", 3)
    return Instance(k=draw.size("k", 12, IN_RATIONALS), c=draw.real(-2, 2, d), start=draw.simplex(d), u=draw.simplex(d))


@kernel
def moved(c, start, k):  # type: ignore[no-untyped-def]
    r"""[exact] The point after k steps $\gamma_i = 2/(i + 2)$."""
    x = 0 * start + start
    for i in range(k):
        best = 0
        for j in range(x.shape[0]):
            if x[j] - c[j] < x[best] - c[best]:
                best = j
        for j in range(x.shape[0]):
            x[j] = i * x[j] / (i + 2)
        x[best] = x[best] + (0 * x[best] + 2) / (i + 2)
    return x


def excess(i: Instance) -> Any:
    r"""$f(x_k) - f(u)$."""
    x = on(moved, i.c)(i.c, i.start, i.k)
    return ((x - i.c) @ (x - i.c) - (i.u - i.c) @ (i.u - i.c)) / 2


@claim("thm:frank-wolfe", r"f(x_k)-f(u)\le\frac{2LD^2}{k+2}", game)
def sides(i: Instance) -> Sides:
    r"""Frank and Wolfe's method with steps $2/(k+2)$.

    True; $L=1$, $D^2=2$."""
    return Sides(excess(i) * (i.k + 2), 4 + 0 * i.c[0])
