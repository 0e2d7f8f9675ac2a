r"""Claims about growth: a quantity is $\tilde O(T^p)$, that is $O(T^p \log^q T)$ for the printed power q.

Such a claim names no constant, so no finite number of values refutes it. What can be measured is the slope of
$\log y(T)$ against $\log T$ on a geometric grid, once as it is and once with the claimed $\log^q T$ divided out. The
two slopes differ by about $q/\log T$: exponents closer than that look alike on the grid. The engine "rate" measures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from arubatheory.statements.core import Instance

FARTHER, FAR = 16, 10**7  # times a grid's longest T: how far what grows too fast is carried at once; to where, compiled


class Growth(NamedTuple):
    r"""`excess(instance, T)` is claimed to be $O(T^{exponent} \log^{power} T)$; T runs over powers of $\sqrt2$ from
    `shortest` to `longest`, and is called `variable` in print. What is not positive is no growth at all: a bound's
    leading term is subtracted before. What grows too fast up to `longest` is carried on, up to `limit`, which is
    `FARTHER` times as far where none is given, to see whether it lasts."""

    excess: Callable[[Instance, int], float]
    exponent: float
    power: float = 0.0
    shortest: int = 16
    longest: int = 4096
    variable: str = "T"
    limit: int | None = None


def grows(
    exponent: float,
    power: float = 0.0,
    shortest: int = 16,
    longest: int = 4096,
    variable: str = "T",
    limit: int | None = None,
) -> Callable[[Callable[[Instance, int], float]], Growth]:
    r"""Over a function excess(instance, T): the claim that it is $O(T^{exponent} \log^{power} T)$."""
    return lambda excess: Growth(excess, exponent, power, shortest, longest, variable, limit)
