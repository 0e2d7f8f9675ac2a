r"""Barzilai, Shamir and Zamani, Are convex optimization curves convex?, TMLR 2025.

On trial: SURVIVED at quick and standard (0.4 s, 3.6 s); /two REFUTED at quick and standard (0.3 s, 1.6 s).
"""

from dataclasses import replace
from fractions import Fraction

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import on
from arubatheory.papers.classics.bends import at, random_bend
from arubatheory.papers.classics.claim import claim
from arubatheory.statements.core import Constant, Statement

CURVE = r"f(x_{k+1})-f(x_{k+2})\le f(x_k)-f(x_{k+1}),\quad x_{k+1}=x_k-\eta f'(x_k),\quad\eta L\le"


def game(draw: Draw, step: Fraction) -> Instance:
    r"""A convex function with $0 \le f'' \le L = 1$, a start, and a step size of at most `step`."""
    largest = draw.number(step.numerator, step.denominator)
    return Instance(f=random_bend(draw, 0, 1), start=draw.real(-8, 8), eta=largest * draw.unit(), largest=largest)


GIVEN = (
    Assumption(r"0\le f''\le L=1", lambda x: min(x.f.slopes.min(), 1 - x.f.slopes.max())),
    Assumption(r"\eta\ \text{in its range}", lambda x: min(x.eta, x.largest - x.eta)),
)


def falls(x: Instance) -> Sides:
    """The second fall of the value, and the first."""
    points = [x.start]
    for _ in range(2):
        points.append(points[-1] - x.eta * on(at, x.start)(x.f, points[-1])[1])
    first, second, third = (on(at, x.start)(x.f, point)[0] for point in points)
    return Sides(second - third, first - second)


def with_step(c: Fraction) -> Statement:
    r"""The theorem with another largest step (times L)."""
    return replace(seven_quarters, instance=lambda draw: game(draw, c))


STEP = Constant("step", Fraction(7, 4), with_step, (Fraction(1), Fraction(2)), largest=True)


@claim("thm:value-curve", CURVE + r"\frac74", lambda draw: game(draw, Fraction(7, 4)), GIVEN, constants=(STEP,))
def seven_quarters(x: Instance) -> Sides:
    r"""The values of gradient descent form a convex curve.

    True; $\frac74$ is the largest step for which it is (three points make it convex or not)."""
    return falls(x)


@claim("thm:value-curve/two", CURVE + "2", lambda draw: game(draw, Fraction(2)), GIVEN)
def two(x: Instance) -> Sides:
    r"""The same for every step for which the values decrease.

    False for $\eta L$ between $\frac74$ and 2 (the same paper); true there for quadratic functions."""
    return falls(x)
