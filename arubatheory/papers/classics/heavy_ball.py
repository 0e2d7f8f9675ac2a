r"""Polyak, Some methods of speeding up the convergence of iteration methods, 1964: heavy ball, $\kappa=L/\mu$.

With $\rho=\frac{\sqrt\kappa-1}{\sqrt\kappa+1}$: $x_{k+1}=x_k-\frac4{(\sqrt L+\sqrt\mu)^2}f'(x_k)+\rho^2(x_k-x_{k-1})$.
The rate holds for quadratic functions, and near a minimum; that it holds for all strongly convex ones is refuted by
Lessard, Recht and Packard (2016), and that any other choice of its parameters accelerates by Goujaud, Taylor and
Dieuleveut (Provable non-accelerations of the heavy-ball method, 2023).

On trial: /quadratic SURVIVED at quick and standard (0.4 s, 3.8 s); REFUTED at quick and standard (0.3 s, 3.0 s).
"""

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.bends import at, random_bend
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import IN_RATIONALS

RATE = r"|x_k-x^\ast|\le%s(1+2k)\rho^k|x_0-x^\ast|,\quad x_{-1}=x_0,\ \mu=1"
GIVEN = (Assumption(r"1\le f''\le\kappa", lambda x: min(x.f.slopes.min() - 1, x.root * x.root - x.f.slopes.max())),)


def game(draw: Draw, is_quadratic: bool = False) -> Instance:
    r"""A root of $\kappa$, a function with $1 \le f'' \le \kappa$, a start, and the number of steps."""
    root = draw.real(1, 6)
    low, high = draw.number(1), root * root
    if is_quadratic:
        low = high = draw.real(low, high)
    k = draw.size("k", 12, IN_RATIONALS)
    return Instance(steps=k, root=root, f=random_bend(draw, low, high), start=draw.real(-8, 8))


@kernel
def rolled(f, start, steps, root):  # type: ignore[no-untyped-def]
    r"""[exact] $|x_k|$, and $(1 + 2k)\rho^k|x_0|$."""
    before, x, rho, bound = start, start, (root - 1) / (root + 1), abs(start)
    for _ in range(steps):
        before, x = x, x - 4 / ((root + 1) * (root + 1)) * at(f, x)[1] + rho * rho * (x - before)
        bound = bound * rho
    return abs(x), (1 + 2 * steps) * bound


@claim("thm:heavy-ball/quadratic", RATE % "", lambda draw: game(draw, True), GIVEN)
def for_quadratics(x: Instance) -> Sides:
    r"""The heavy ball on quadratic functions.

    True."""
    return Sides(*on(rolled, x.start)(x.f, x.start, x.steps, x.root))


@claim("thm:heavy-ball", RATE % r"\kappa", game, GIVEN)
def in_general(x: Instance) -> Sides:
    r"""The same for all strongly convex functions, up to a factor $\kappa$.

    False folklore: it may run in a cycle for ever ($\kappa=25$)."""
    left, right = on(rolled, x.start)(x.f, x.start, x.steps, x.root)
    return Sides(left, x.root * x.root * right)
