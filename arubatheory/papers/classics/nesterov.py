r"""Nesterov, A method for solving the convex programming problem with convergence rate $O(1/k^2)$, 1983.

In the form of Beck and Teboulle (FISTA, 2009), with $t_k=\frac{k+1}2$.

On trial: SURVIVED at quick and standard (0.3 s, 4.0 s); /monotone REFUTED at quick and standard (0.4 s, 2.3 s).
"""

from typing import Any

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.bends import at, random_bend
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import IN_RATIONALS

GIVEN = (Assumption(r"0\le f''\le1", lambda x: min(x.f.slopes.min(), 1 - x.f.slopes.max())),)
METHOD = r"x_{k+1}=y_k-f'(y_k),\ y_{k+1}=x_{k+1}+\frac k{k+3}(x_{k+1}-x_k)"


def game(draw: Draw) -> Instance:
    r"""A convex function with $0 \le f'' \le 1$ and minimum 0 at 0, a start, and the number of steps."""
    return Instance(steps=draw.size("k", 12, IN_RATIONALS), f=random_bend(draw, 0, 1), start=draw.real(-8, 8))


@kernel
def last_two(f, start, steps):  # type: ignore[no-untyped-def]
    r"""[exact] $x_{k-1}$ and $x_k$ after so many steps with $L = 1$."""
    before, x, y = start, start, start
    for k in range(steps):
        _, slope = at(f, y)
        before, x = x, y - slope
        y = x + k * (x - before) / (k + 3)
    return before, x


def values(x: Instance) -> tuple[Any, Any]:
    r"""$f(x_{k-1})$ and $f(x_k)$."""
    before, now = on(last_two, x.start)(x.f, x.start, x.steps)
    return on(at, x.start)(x.f, before)[0], on(at, x.start)(x.f, now)[0]


@claim("thm:nesterov", r"f(x_k)-f^\ast\le\frac{2L\|x_0-x^\ast\|^2}{(k+1)^2},\quad" + METHOD, game, GIVEN)
def rate(x: Instance) -> Sides:
    r"""Nesterov's rate.

    True; on trial for piecewise quadratic functions of one variable, $L=1$."""
    return Sides(values(x)[1] * (x.steps + 1) ** 2, 2 * x.start * x.start)


@claim("thm:nesterov/monotone", r"f(x_{k+1})\le f(x_k),\quad" + METHOD, game, GIVEN)
def monotone(x: Instance) -> Sides:
    r"""Nesterov's method descends in every step.

    False folklore: the values ripple (O'Donoghue and Candès, Adaptive restart, 2015)."""
    before, now = values(x)
    return Sides(now, before)
