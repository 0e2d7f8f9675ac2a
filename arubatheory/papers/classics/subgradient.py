r"""Shor, Minimization methods for non-differentiable functions, 1985: subgradient descent with a fixed step.

For the last iterate the bound is larger by a factor of order $\log T$: Harvey, Liaw, Plan and Randhawa (2019) for the
order, Zamani and Glineur (2023) for the exact one.

On trial: SURVIVED at quick and standard (0.5 s, 6.9 s); /last REFUTED at quick and standard (0.4 s, 2.4 s).
"""

from arubatheory import Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import IN_RATIONALS

BOUND = r"-f(u)\le\frac{\|x_1-u\|^2}{2\gamma T}+\frac\gamma2G^2,\quad x_{t+1}=x_t-\gamma g_t,\ g_t\in\partial f(x_t)"


def game(draw: Draw) -> Instance:
    r"""The largest of n affine functions of d variables, a start, a comparator, and a step."""
    T, n, d = draw.size("T", 8, IN_RATIONALS), draw.size("n", 4), draw.size("d", 3)
    x = Instance(T=T, rows=draw.real(-1, 1, (n, d)), levels=draw.real(-1, 1, n), step=draw.positive(-6, 2))
    x.start, x.u = draw.real(-1, 1, d), draw.real(-1, 1, d)
    return x


@kernel
def highest(rows, levels, x):  # type: ignore[no-untyped-def]
    r"""[exact] $\max_i\langle a_i, x\rangle + b_i$, and the first i that attains it."""
    best, at = levels[0], -1
    for i in range(rows.shape[0]):
        value = levels[i] + (rows[i] * x).sum()
        if at < 0 or value > best:
            best, at = value, i
    return best, at


def bound(x: Instance, of_average: bool) -> Sides:
    r"""The excess at the average of $x_1, \dots, x_T$ or at $x_T$, and the bound."""
    f, points = on(highest, x.start), [x.start]
    for _ in range(x.T - 1):
        points.append(points[-1] - x.step * x.rows[f(x.rows, x.levels, points[-1])[1]])
    point, away = sum(points) / x.T if of_average else points[-1], x.start - x.u
    largest = away @ away / (2 * x.step * x.T) + x.step * (x.rows * x.rows).sum(axis=1).max() / 2
    return Sides(f(x.rows, x.levels, point)[0] - f(x.rows, x.levels, x.u)[0], largest)


@claim("thm:subgradient", r"f(\bar x_T)" + BOUND, game)
def on_average(x: Instance) -> Sides:
    r"""Subgradient descent, on average.

    True."""
    return bound(x, True)


@claim("thm:subgradient/last", "f(x_T)" + BOUND, game)
def of_the_last(x: Instance) -> Sides:
    r"""The same for the last iterate.

    False folklore."""
    return bound(x, False)
