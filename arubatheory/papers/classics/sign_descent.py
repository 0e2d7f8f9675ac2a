r"""Karimireddy, Rebjock, Stich, Jaggi, Error feedback fixes SignSGD and other gradient compression schemes, ICML 2019.

Normalised descent has $\min_tf(x_t)-f^\ast\le G\left(\frac{\|x_1-x^\ast\|^2}{2\gamma T}+\frac\gamma2\right)$ for
convex f; with $\|\mathrm{sign}(g)\|^2=d$ one expects $\frac{\gamma d}2$ and the $\ell_1$ norm of g.

On trial: REFUTED at quick and standard (0.4 s, 2.8 s).
"""

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import IN_RATIONALS
from arubatheory.problems.scalar import larger, smaller


def game(draw: Draw) -> Instance:
    r"""$f(x) = |\langle a, x\rangle| + |\langle b, x\rangle|$ in the plane, a start, and a step."""
    T, rows, start = draw.size("T", 12, IN_RATIONALS), draw.real(-1, 1, (2, 2)), draw.real(-1, 1, 2)
    return Instance(T=T, rows=rows, start=start, step=draw.positive(-8, 2))


@kernel
def sign(x):  # type: ignore[no-untyped-def]
    r"""[exact] -1, 0 or 1."""
    return (x > 0) * 1 - (x < 0) * 1


@kernel
def best(rows, start, step, T):  # type: ignore[no-untyped-def]
    r"""[exact] The least value of T points, and the largest $\|g_t\|_1$, of descent along signs of gradients."""
    x, y = start[0], start[1]
    least, G = 0 * x, 0 * x
    for t in range(T):
        p, q = rows[0, 0] * x + rows[0, 1] * y, rows[1, 0] * x + rows[1, 1] * y
        value = abs(p) + abs(q)
        least = value if t == 0 else smaller(least, value)
        g, h = sign(p) * rows[0, 0] + sign(q) * rows[1, 0], sign(p) * rows[0, 1] + sign(q) * rows[1, 1]
        G = larger(G, abs(g) + abs(h))
        x, y = x - step * sign(g), y - step * sign(h)
    return least, G


@claim(
    "thm:sign-descent",
    r"\min_{t\le T}f(x_t)-f^\ast\le G_1\left(\frac{\|x_1-x^\ast\|_2^2}{2\gamma T}+\frac{\gamma d}2\right),\quad"
    r"x_{t+1}=x_t-\gamma\,\mathrm{sign}(g_t)",
    game,
    (Assumption(r"\gamma>0", lambda x: x.step),),
)
def sides(x: Instance) -> Sides:
    r"""Sign descent converges as normalised descent does.

    False folklore: it may never leave a line on which $f>f^\ast$ (the same paper, counterexamples 1 to 3)."""
    least, G = on(best, x.start)(x.rows, x.start, x.step, x.T)
    return Sides(least, G * (x.start @ x.start / (2 * x.step * x.T) + x.step))
