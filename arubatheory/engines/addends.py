r"""The terms of a right side: which of them could be left out, and the closest instances would not show it?

Both sides are computed again in exact arithmetic by numbers that know what they were added from. What is multiplied or
divided by a single number keeps its terms; a sum that a loop adds up is one term, and so is what a root is taken of.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from arubatheory.arithmetic import FIRST_BITS, Exact, precision
from arubatheory.engines.exact import ratio_of, surely_positive
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Statement, all_sides

MOST = 6  # terms that a sum may have: what has more is one


class Summed(Exact):
    """A number that knows its terms, and where in the code it was added up."""

    __slots__ = ("terms", "where")
    terms: list[Any]
    where: tuple[int, int]


def _terms(x: Any) -> list[Any]:
    return getattr(x, "terms", [x] if isinstance(x, Exact) else [Exact(1) * x] if x else [])


def _sum(a: Any, b: Any, sum_: Any, minus: bool) -> Any:
    frame = sys._getframe(2)
    sum_.where = (id(frame.f_code), frame.f_lasti)
    terms = [*_terms(a), *([-t for t in _terms(b)] if minus else _terms(b))]
    goes_on = sum_.where in (getattr(a, "where", None), getattr(b, "where", None))
    sum_.terms = [sum_] if goes_on or len(terms) > MOST else terms
    return sum_


def _product(a: Any, b: Any, product: Any, quotient: bool) -> Any:
    several, one = (a, b) if len(_terms(b)) == 1 else (b, a)
    if len(_terms(several)) > 1 and len(_terms(one)) == 1 and not (quotient and several is b):
        product.terms = [t / one if quotient else t * one for t in _terms(several)]
    return product


def _operator(name: str, kept: Callable[[Any, Any, Any, bool], Any], flag: bool, swapped: bool) -> Any:
    plain = getattr(Exact, name)

    def operator(self: Summed, other: Any) -> Any:
        made = plain(self, other)
        if made is NotImplemented:
            return made
        return kept(other, self, made, flag) if swapped else kept(self, other, made, flag)

    return operator


for _name, _kept, _flag in (
    ("add", _sum, False),
    ("sub", _sum, True),
    ("mul", _product, False),
    ("truediv", _product, True),
):
    setattr(Summed, f"__{_name}__", _operator(f"__{_name}__", _kept, _flag, False))
    setattr(Summed, f"__r{_name}__", _operator(f"__r{_name}__", _kept, _flag, True))


@contextlib.contextmanager
def _summing() -> Iterator[None]:
    """All that is computed in exact arithmetic here knows its terms."""
    Exact.made = Summed
    try:
        with precision(FIRST_BITS):
            yield
    finally:
        Exact.made = Exact


def left_out(statement: Statement, draw: Draw) -> tuple[int, ...]:
    """Of each term of the right side of the closest inequality, on the instance that an exact `draw` makes: 1 where
    that inequality is broken for certain without it, 0 where not, -1 of a term that is negative. Nothing where a side
    has no value, or a branch is undecided."""
    with _summing(), contextlib.suppress(ArithmeticError):
        sides = max(all_sides(statement, statement.instance(draw)), key=lambda s: ratio_of(s)[0])
        gap = sides.lhs - sides.rhs
        return tuple(-1 if surely_positive(-term) else int(surely_positive(gap + term)) for term in _terms(sides.rhs))
    return ()


def needed(found: Iterable[tuple[int, ...]]) -> tuple[int, int]:
    """How many terms the right side has on the first of these instances and those with as many, and how many of them
    one of the instances needs; terms that are negative on all count as little as one that is the only one."""
    first, *others = found
    best = [max(several) for several in zip(first, *(o for o in others if len(o) == len(first)), strict=True)]
    terms = [k for k in best if k >= 0]
    return (len(terms), sum(terms)) if len(terms) > 1 else (0, 0)
