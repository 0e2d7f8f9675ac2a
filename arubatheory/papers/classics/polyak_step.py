r"""Polyak, Minimization of unsmooth functionals, 1969: the step that knows the minimum.

On trial: SURVIVED at quick and standard (0.4 s, 4.6 s).
"""

from arubatheory import Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import IN_RATIONALS
from arubatheory.problems.scalar import smaller


def game(draw: Draw) -> Instance:
    r"""$f(x) = \max_i|\langle a_i, x\rangle|$, whose minimum is 0, and a start."""
    n, d = draw.size("n", 3), draw.size("d", 3)
    return Instance(T=draw.size("T", 12, IN_RATIONALS), rows=draw.real(-1, 1, (n, d)), start=draw.real(-1, 1, d))


@kernel
def steepest(rows, x):  # type: ignore[no-untyped-def]
    r"""[exact] The i of the largest $|\langle a_i, x\rangle|$, and $\langle a_i, x\rangle$."""
    at, most = 0, 0 * x[0]
    for i in range(rows.shape[0]):
        value = 0 * x[0]
        for j in range(x.shape[0]):
            value = value + rows[i, j] * x[j]
        if abs(value) > abs(most):
            at, most = i, value
    return at, most


@kernel
def least(rows, start, T):  # type: ignore[no-untyped-def]
    r"""[exact] The least $f(x_t)^2$ of T points."""
    x, best = 0 * start + start, 0 * start[0]
    for t in range(T):
        at, value = steepest(rows, x)
        best = value * value if t == 0 else smaller(best, value * value)
        square = 0 * value
        for j in range(x.shape[0]):
            square = square + rows[at, j] * rows[at, j]
        for j in range(x.shape[0]):
            x[j] = x[j] - value * rows[at, j] / square if square > 0 else x[j]
    return best


@claim(
    "thm:polyak-step",
    r"\min_{t\le T}f(x_t)-f^\ast\le\frac{G\|x_1-x^\ast\|}{\sqrt T},\ x_{t+1}=x_t-\frac{f(x_t)-f^\ast}{\|g_t\|^2}g_t",
    game,
)
def sides(x: Instance) -> Sides:
    r"""Polyak's step size.

    True. On trial squared: all is rational."""
    G2 = (x.rows * x.rows).sum(axis=1).max()
    return Sides(on(least, x.start)(x.rows, x.start, x.T) * x.T, G2 * (x.start @ x.start))
