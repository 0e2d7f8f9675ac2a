r"""Shapiro, Advanced problem 4603, American Mathematical Monthly 61, 1954, p. 571: a cyclic inequality.

On trial: SURVIVED at quick (0.4 s), REFUTED at standard (4.5 s); /where-it-holds SURVIVED at quick and standard (0.2 s,
2.0 s); /fourteen SURVIVED at quick (0.2 s), REFUTED at standard (2.0 s).
"""

from collections.abc import Callable

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim

SUM = r"\frac n2\le\sum_{i=1}^n\frac{x_i}{x_{i+1}+x_{i+2}}"
TRUE = (*range(3, 13), *range(13, 24, 2))
NONNEGATIVE = (Assumption(r"x_i\ge0", lambda i: i.x.min()),)


def numbers(size: Callable[[Draw], int]) -> Callable[[Draw], Instance]:
    r"""As many numbers of $[0, 1]$ as `size` draws."""
    return lambda draw: Instance(x=draw.unit(size(draw)))


@kernel
def cyclic(x):  # type: ignore[no-untyped-def]
    r"""[exact] $\sum_ix_i/(x_{i+1} + x_{i+2})$; n where a denominator is 0: such numbers are no instance."""
    n, total = x.shape[0], 0 * x[0]
    for i in range(n):
        below = x[(i + 1) % n] + x[(i + 2) % n]
        if below == 0:
            return 0 * x[0] + n
        total = total + x[i] / below
    return total


def sides(i: Instance) -> Sides:
    """Half of n, and the sum."""
    return Sides((0 * i.x[0] + len(i.x)) / 2, on(cyclic, i.x)(i.x))


@claim("thm:shapiro", SUM, numbers(lambda draw: draw.size("n", 12, least=3)), NONNEGATIVE)
def for_all(i: Instance) -> Sides:
    r"""Shapiro's cyclic inequality for every n.

    False for $n=20$ (Lighthill 1956), all even n from 14 on, all odd n from 25 on, for no other (Troesch 1989)."""
    return sides(i)


@claim("thm:shapiro/where-it-holds", SUM, numbers(lambda draw: draw.choice(TRUE)), NONNEGATIVE)
def where_it_holds(i: Instance) -> Sides:
    r"""The same for $n\le12$ and odd $n\le23$.

    True (Godunova and Levin 1976 for 12, Troesch 1989 for 23)."""
    return sides(i)


OF_14 = {"title": "The same for n = 14", "note": "False."}
FOURTEEN = claim("thm:shapiro/fourteen", SUM, numbers(lambda draw: 14), NONNEGATIVE, **OF_14)(sides)
