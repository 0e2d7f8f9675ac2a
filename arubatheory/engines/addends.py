r"""The terms of a right side: which of them could be left out, and the closest instances would not show it?

Both sides are computed again in exact arithmetic by numbers that know what they were added from. What is multiplied or
divided by a single number keeps its terms; a sum that a loop adds up is one term, and so is what a root is taken of.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from operator import add, mul, sub, truediv
from typing import Any

from arubatheory.arithmetic import FIRST_BITS, Exact, precision
from arubatheory.engines.exact import ratio_of, surely_positive
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import NotAnInstance, Statement, all_sides

MOST = 6  # terms that a sum may have: what has more is one


class Summed(Exact):
    """A number that knows where in the code it was added up, and of how many terms; these are computed when asked for,
    from what it was `made_of`: an operation and two numbers, None where it is one term."""

    count = 1
    made_of: tuple[Callable[[Any, Any], Any], Any, Any] | None = None
    where: tuple[int, int] | None = None


def _count(x: Any) -> int:
    return x.count if isinstance(x, Summed) else int(isinstance(x, Exact) or bool(x))


def _terms(x: Any) -> list[Any]:
    factors = []
    while isinstance(x, Summed) and x.made_of and x.made_of[0] in (mul, truediv):
        times, x, one = x.made_of
        factors.append((times, one))
    if isinstance(x, Summed) and x.made_of:
        plus, a, b = x.made_of
        terms = [*_terms(a), *([-t for t in _terms(b)] if plus is sub else _terms(b))]
    else:
        terms = [x] if isinstance(x, Exact) else [Exact(1) * x] if x else []
    for times, one in reversed(factors):
        terms = [times(t, one) for t in terms]
    return terms


def _sum(a: Any, b: Any, sum_: Any, plus: Any) -> Any:
    frame = sys._getframe(2)
    sum_.where = (id(frame.f_code), frame.f_lasti)
    first, second = _count(a), _count(b)
    if sum_.where in (getattr(a, "where", None), getattr(b, "where", None)):  # the same place again: a loop
        return sum_
    if 1 < first + second <= MOST:
        sum_.count, sum_.made_of = first + second, (plus, a, b)
        if not (first and second):  # 0 is no term
            sum_.made_of = (mul, a, 1) if first else (mul, b, -1 if plus is sub else 1)
    return sum_


def _product(a: Any, b: Any, product: Any, times: Any) -> Any:
    first, second = _count(a), _count(b)
    if first > 1 and second == 1:
        product.count, product.made_of = first, (times, a, b)
    elif first == 1 and second > 1 and times is mul:
        product.count, product.made_of = second, (times, b, a)
    return product


def _operator(name: str, kept: Callable[[Any, Any, Any, Any], Any], how: Any, swapped: bool) -> Any:
    plain = getattr(Exact, name)

    def operator(self: Summed, other: Any) -> Any:
        made = plain(self, other)
        if made is NotImplemented:
            return made
        return kept(other, self, made, how) if swapped else kept(self, other, made, how)

    return operator


for _kept, _how in ((_sum, add), (_sum, sub), (_product, mul), (_product, truediv)):
    for _swapped in (False, True):
        _name = f"__{'r' * _swapped}{_how.__name__}__"
        setattr(Summed, _name, _operator(_name, _kept, _how, _swapped))


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
    has no value, a branch is undecided, or it is no instance."""
    with _summing(), contextlib.suppress(ArithmeticError, NotAnInstance):
        sides = max(all_sides(statement, statement.instance(draw)), key=lambda s: ratio_of(s)[0])
        gap = sides.lhs - sides.rhs
        return tuple(-1 if surely_positive(-term) else int(surely_positive(gap + term)) for term in _terms(sides.rhs))
    return ()


def needed(found: Iterable[tuple[int, ...]]) -> tuple[int, int]:
    """How many terms the right side has on the first of these instances and those with as many, and how many of them
    one of the instances needs; terms that are negative on all count as little as one that is the only one. No more are
    asked for once all are needed."""
    best: tuple[int, ...] | None = None
    for one in found:
        best = one if best is None else tuple(map(max, best, one)) if len(one) == len(best) else best
        if len(best) < 2 or min(best) > 0:
            break
    terms = [k for k in best or () if k >= 0]
    return (len(terms), sum(terms)) if len(terms) > 1 else (0, 0)
