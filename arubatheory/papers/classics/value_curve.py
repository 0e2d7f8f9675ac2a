r"""Barzilai, Shamir and Zamani, Are convex optimization curves convex?, arXiv 2503.10138 (journal version).

On trial: SURVIVED at quick (3.0 s); /two REFUTED at quick (3.8 s).
"""

from collections.abc import Callable

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import on
from arubatheory.papers.classics.bends import at, random_bend
from arubatheory.papers.classics.claim import claim

CURVE = r"f(x_{k+1})-f(x_{k+2})\le f(x_k)-f(x_{k+1}),\quad x_{k+1}=x_k-\eta f'(x_k),\quad\eta L\le"


def game(p: int, q: int) -> Callable[[Draw], Instance]:
    r"""A convex function with $0 \le f'' \le L = 1$, a start, and a step size of at most p/q."""

    def instance(draw: Draw) -> Instance:
        largest = draw.number(p, q)
        return Instance(f=random_bend(draw, 0, 1), start=draw.real(-8, 8), eta=largest * draw.unit(), largest=largest)

    return instance


GIVEN = (
    Assumption(r"0\le f''\le L=1", lambda x: min(x.f.slopes.min(), 1 - x.f.slopes.max())),
    Assumption(r"\eta\ \text{in its range}", lambda x: min(x.eta, x.largest - x.eta)),
)


def falls(x: Instance) -> Sides:
    """The second fall of the value, and the first."""
    f, point, found = on(at, x.start), x.start, []
    for _ in range(3):
        value, slope = f(x.f, point)
        found.append(value)
        point = point - x.eta * slope
    return Sides(found[1] - found[2], found[0] - found[1])


@claim("thm:value-curve", CURVE + r"\frac74", game(7, 4), GIVEN)
def seven_quarters(x: Instance) -> Sides:
    r"""The values of gradient descent form a convex curve.

    True; $\frac74$ is the largest step for which it is (three points make it convex or not)."""
    return falls(x)


@claim("thm:value-curve/two", CURVE + "2", game(2, 1), GIVEN)
def two(x: Instance) -> Sides:
    r"""The same for every step for which the values decrease.

    False for $\eta L$ between $\frac74$ and 2 (the same paper); true there for quadratic functions."""
    return falls(x)
