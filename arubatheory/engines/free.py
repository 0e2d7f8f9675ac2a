r"""Which numbers of a witness matter? Those of which other values leave both sides as they are do not: they are free.

Each number of the stored instance is replaced by others, alone or with those of its array, and both sides are computed
again in exact arithmetic; then all that are free together. Nothing is said of values that assumptions do not admit,
nor where it would take too long.
"""

from __future__ import annotations

import contextlib
import copy
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

from arubatheory.arithmetic import COUNT, Undecided
from arubatheory.engines.exact import certify_instance, show
from arubatheory.engines.shrink import SHRINK_BITS
from arubatheory.engines.told import Place, arrays_of, at
from arubatheory.engines.verdict import Witness
from arubatheory.engines.witness import decode_instance
from arubatheory.statements.core import Statement
from arubatheory.statements.untrusted import rational

Other = Callable[[Fraction, int], Fraction]
OTHERS: tuple[Other, ...] = (
    lambda v, k: 2 * v + 1 + Fraction(k, 11),
    lambda v, k: v + Fraction(5, 3) + Fraction(k, 7),
    lambda v, k: v / 2 + Fraction(k % 3, 13),
    lambda v, k: -v - Fraction(3, 5) - Fraction(k, 5),
)
OPERATIONS = 4_000_000  # of exact numbers, for one witness
LONGEST = 24  # numbers of an array that are looked at one by one
FEWEST = 2  # other values that must be admitted
UNREADABLE = (ValueError, TypeError, ArithmeticError, IndexError, Undecided)
Judged = tuple[str, str, str]


class Parts(NamedTuple):
    """The rational numbers of an instance: how many there are, and the names of those that are free, as
    "domain.center[1]", or "domain.center" for all of an array. `matter` are the others; `idle` are the places of those
    that are free."""

    numbers: int
    matter: int
    free: tuple[str, ...]
    idle: frozenset[Place]


def parts_of(witness: Witness, statement: Statement, most: float = math.inf) -> Parts:
    """The numbers of a witness of `statement`; once more than `most` matter, the others are not looked at."""
    found, arrays = _Instance(statement, witness.instance), [array for array, _ in arrays_of(witness.instance)]
    matter = 0
    for array in arrays:
        matter += len(array) - found.look(array) if matter <= most else 0
    numbers, idle = sum(map(len, arrays)), {*chain(*found.free)}
    names = tuple(_name(p[0][:-1] if p in arrays else p[0]) for p in found.free)
    return Parts(numbers, numbers - len(idle), names, frozenset(idle))


class _Instance:
    """An encoded instance with its sides as they are; none where no file can hold it: nothing is free then."""

    def __init__(self, statement: Statement, data: dict[str, Any]) -> None:
        self.statement, self.data, self.most = statement, data, COUNT.operations + OPERATIONS
        self.free: list[list[Place]] = []
        self.sides = self._with([], OTHERS[0])

    def look(self, array: list[Place]) -> int:
        """Enter the array, if it is free together with what is entered; else each of its numbers that is. How many were
        entered."""
        if self._enter(array):
            return len(array)
        return sum(self._enter([place]) for place in array) if 1 < len(array) <= LONGEST else 0

    def _enter(self, places: list[Place]) -> bool:
        """Whether all other values of these numbers that are admitted leave the sides as they are; not said any more
        once the operations are spent."""
        free = COUNT.operations <= self.most and self._are_free([*chain(*self.free), *places])
        self.free += [places] if free else []
        return free

    def _are_free(self, places: Sequence[Place]) -> bool:
        admitted = 0
        for other in OTHERS:
            judged = self._with(places, other)
            if judged not in (None, self.sides):
                return False
            admitted += judged is not None
        return admitted >= FEWEST

    def _with(self, places: Sequence[Place], other: Other) -> Judged | None:
        data = copy.deepcopy(self.data)
        for k, (*path, last) in enumerate(places):
            holder = at(data, tuple(path))
            holder[last] = str(other(rational(holder[last]), k))
        with contextlib.suppress(*UNREADABLE):
            return self._judged(data)
        return None

    def _judged(self, data: dict[str, Any]) -> Judged:
        seen = certify_instance(self.statement, decode_instance(data, self.statement), SHRINK_BITS)
        both = ("undefined",) * 2 if seen.sides is None else (show(seen.sides.lhs), show(seen.sides.rhs))
        return (seen.outcome, *both)


def _name(place: Place) -> str:
    """As "losses.c[3]"."""
    text = ""
    for key in place:
        if key not in ("fields", "items", "array", "number"):
            text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text
