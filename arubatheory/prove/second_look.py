r"""Whether the programs of a certificate are what a statement computes: the statement's own run, at points of the
scope.

First nothing traces: the statement is read by `Follower`, which draws units as any reader does and writes down the
values of the variables that a certificate speaks of; the program is evaluated at these values along the path whose
steps they meet, in exact numbers, and both sides must be those that the statement gives, and up to rounding those that
it gives in floats: code may ask how a number is represented. Where they are, the paths are traced again and compared
term by term.
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from arubatheory.arithmetic import Exact, Undecided, Undefined, approximate, precision
from arubatheory.problems.draw import BITS, GRID, _size
from arubatheory.prove.certificate import Proof
from arubatheory.prove.paths import MOST_PATHS, nodes_of, words
from arubatheory.prove.program import OPERATIONS, Path, Turn, merged, written
from arubatheory.prove.tracing import Answering, Cell, Untraceable
from arubatheory.statements.core import NotAnInstance, Statement, all_sides

POINTS = 6  # of each cell
CLOSE = Exact(Fraction(1, 1 << 100))
FLOATS, ROUNDED = 1e-6, 2.0**-40  # how far floats may be off, relative to a side, and to the largest number on the way


class Follower(Answering):
    """Answers integers as told and reals at random, ends included; notes the values of a certificate's variables."""

    def __init__(self, integers: Sequence[int], ranges: Sequence[tuple[Fraction, Fraction]], seed: int) -> None:
        super().__init__()
        self._told, self.ranges, self._random = list(integers)[::-1], ranges, random.Random(seed)
        self.values: list[Any] = []
        self.asked: list[list[Any]] = []
        self.full = True

    def _sized(self, least: int, usual: int, most: int) -> int:
        """The integer that is told; a ValueError where it does not fit."""
        if not self._told or not least <= self._told[-1] <= most:
            raise ValueError(f"an integer of [{least}, {most}] is drawn, the certificate has {self._told[-1:]}")
        self.asked.append([least, most, self._told[-1]])
        return self._told.pop()

    def _unit(self) -> int:
        k = self._random.randrange(4)
        return (0, GRID >> 1, GRID)[k] if k < 3 and self._random.randrange(3) == 0 else self._random.randrange(GRID + 1)

    def _units(self, n: int, centred: bool) -> list[int]:
        return [self._unit() for _ in range(n)]

    def _fractions(self, shape: Any, centred: bool) -> list[Any]:
        found = [self.number(k, GRID) for k in self._units(_size(shape), centred)]
        self.values += found
        return found

    def real(self, low: Any = -1, high: Any = 1, shape: Any = None) -> Any:
        """Numbers of [low, high]; where that is the variables' range, they are the variables."""
        first = len(self.values)
        found = super().real(low, high, shape)
        if self.exact and first < len(self.ranges) and not any(hasattr(end, "shape") for end in (low, high)):
            ends = tuple(Exact(end) for end in self.ranges[first])
            if (low, high) == ends:
                self.values[first:] = [low + (high - low) * t for t in self.values[first:]]
        return found

    def positive(self, low: int = -32, high: int = 32, shape: Any = None) -> Any:
        """Scales within the range of the variable."""
        found = []
        for _ in range(_size(shape)):
            least, most = (_exponent(end) for end in self.ranges[len(self.values)])
            self.full = self.full and (least, most) == (low, high)
            found.append(self._octaves(((least - low) << BITS) + self._unit() * (most - least), low))
            self.values.append(found[-1])
        return self._shaped(found, shape)

    def simplex(self, d: int) -> Any:
        """A point of the simplex, and how its stick is broken."""
        first = len(self.tape.units)
        point = super().simplex(d)
        del self.tape.units[first:]
        left = self.number(1)
        for x in point[:-1]:
            self.values.append(x / left if left > 0 else 0 * left)
            left = left - x
        return point


def _exponent(end: Fraction) -> int:
    found = end.numerator.bit_length() - end.denominator.bit_length()
    if end != Fraction(2) ** found:
        raise ValueError(f"a scale has an end that is no power of 2: {end}")
    return found


class Evaluated:
    """The nodes of one cell at one point."""

    def __init__(self, cell: dict[str, Any], values: Sequence[Any]) -> None:
        self.nodes, self.point = cell["nodes"], values
        self.values: dict[int, Any] = {}

    def at(self, n: int) -> Any:
        """The value of a node."""
        if n not in self.values:
            op, *operands = self.nodes[n]
            if op == "const":
                self.values[n] = Exact(Fraction(operands[0]))
            elif op == "var":
                self.values[n] = self.point[operands[0]]
            else:
                self.values[n] = OPERATIONS[op](*[self.at(k) for k in operands])
        return self.values[n]

    def meets(self, path: dict[str, Any]) -> bool:
        """Whether the point is on a path."""
        values = ((self.at(n), mask) for n, mask in path["steps"])
        return all(mask & (1 if x < 0 else 2 if x == 0 else 4) for x, mask in values)


def differences(proof: Proof, statement: Statement) -> Iterator[str]:
    """Where a certificate of paths is not about a statement, or says more of its scope than its cells do."""
    if proof.label != statement.label:
        yield f"the certificate belongs to {proof.label!r}, not to {statement.label!r}"
        return
    cells, asked, full = proof.data["cells"], list[Any](), True
    told: dict[str, Any] = {"outside": True} if any(p["undefined"] is None for c in cells for p in c["paths"]) else {}
    told |= {"integers": [c["integers"] for c in cells], "reals": [c["ranges"] for c in cells]}
    if proof.shape != {**told, "whole": proof.shape["whole"], "asked": proof.shape["asked"]}:
        yield "its scope is not that of its cells"
    if proof.scope != (said := words(proof.shape)):
        yield f"its scope must be {said!r}, got {proof.scope!r}"
    for cell in cells:
        try:
            ranges = [(Fraction(low), Fraction(high)) for low, high in cell["ranges"]]
            draws = [Follower(cell["integers"], ranges, j) for j in range(POINTS)]
            seen = [_seen(cell, statement, draw) for draw in draws]
            if found := next(filter(None, seen), None):  # of another claim there may be far more paths
                yield from found
                return
            yield from ["at none of some points the statement is decided"] * all(one is None for one in seen)
            yield from _retraced(cell, again := Cell(statement, cell["integers"], cell["octaves"]))
        except (ValueError, IndexError, Untraceable, Undefined) as error:
            yield f"its variables or paths are not those of the statement: {error}"
            return
        full = full and all(draw.full for draw in draws) and not again.narrowed
        asked.append([tuple(a) for a in max((draw.asked for draw in draws), key=len)])
    if list(map(_shape, proof.shape["asked"])) != list(map(_shape, asked)):
        yield "it says something else of the integers that are drawn"
    if proof.shape["whole"] and not (full and covered(asked)):
        yield "it does not cover the whole claim"


def _shape(asked: Any) -> list[Any]:
    """What of the integers that are drawn decides whether sizes are 2 and more; how large others may be, does not."""
    return [(low, low == high, k) for low, high, k, *_ in asked]


def _retraced(cell: dict[str, Any], again: Cell) -> Iterator[str]:
    """Where the program and the paths of a cell are not those of the statement, term by term."""
    paths = [written(path) for path in merged(again.paths(MOST_PATHS))]
    kept = [written(path) for path in merged([_read(path) for path in cell["paths"]])]
    ranges = [[str(low), str(high)] for low, high in again.program.ranges]
    if cell["nodes"][: len(nodes := nodes_of(again.program))] != nodes or cell["ranges"] != ranges:
        yield "its program is not that of the statement"
    if len(kept) != len(paths) or any(path not in kept for path in paths):
        yield "its paths are not those of the statement"


def _read(path: dict[str, Any]) -> Path:
    """A path as a certificate holds it."""
    steps = tuple(Turn(node, mask, False) for node, mask in path["steps"])
    return Path(steps, tuple((left, right) for left, right in path["sides"]), path["undefined"])


def _seen(cell: dict[str, Any], statement: Statement, draw: Follower) -> list[str] | None:
    """What is wrong at a point; None where the statement is undecided."""
    with suppress(Undecided):
        return list(_different(cell, statement, draw))
    return None


def _different(cell: dict[str, Any], statement: Statement, draw: Follower) -> Iterator[str]:
    floats = _in_floats(statement, copy.deepcopy(draw))
    with precision(256):
        try:
            sides = all_sides(statement, statement.instance(draw))
            if len(draw.values) != len(draw.ranges):
                raise ValueError(f"{len(draw.values)} reals are drawn, the certificate has {len(draw.ranges)}")
        except NotAnInstance:
            sides = ()
        except Undefined as error:
            yield f"a side is not a real number: {error}"
            return
        point = Evaluated(cell, draw.values)
        found = [path for path in cell["paths"] if point.meets(path)]
        if len(found) != 1 or len(found[0]["sides"]) != len(sides):
            yield "no path, or more than one, is that of a point"
        else:
            for (left, right), pair in zip(found[0]["sides"], sides, strict=True):
                if not (_agree(point.at(left), pair.lhs) and _agree(point.at(right), pair.rhs)):
                    yield f"a side is {pair.lhs!r} or {pair.rhs!r}, the program has other numbers"
        exact = _pictures(x for pair in sides for x in pair[:2])
        if floats is not None and _are_apart(floats, exact, _pictures(point.values.values())):
            yield f"at a point its sides are {floats or 'none'} in floats and {exact or 'none'} in exact numbers"


def _in_floats(statement: Statement, draw: Follower) -> list[float] | None:
    """The sides in floats, none where there is no instance; None where floats fail, or are not finite."""
    draw.exact = False
    try:
        with np.errstate(all="ignore"):
            found = _pictures(x for pair in all_sides(statement, statement.instance(draw)) for x in pair[:2])
    except Exception as error:
        return [] if isinstance(error, NotAnInstance) else None
    return found if all(map(math.isfinite, found)) else None


def _pictures(numbers: Iterable[Any]) -> list[float]:
    """Numbers in floats, infinite where they are too large."""
    found = [math.inf]
    with suppress(OverflowError):
        found = [float(approximate(x)) for x in numbers]
    return found


def _are_apart(floats: list[float], exact: list[float], others: list[float]) -> bool:
    """Whether floats are further from exact numbers than rounding takes them: what asks for digits, or how a number is
    represented, may go another way with them."""
    off = ROUNDED * max(map(abs, others), default=0.0)
    far = (abs(x - y) > off + FLOATS * (1 + abs(y)) for x, y in zip(floats, exact, strict=False))
    return len(floats) != len(exact) or any(far)


def _agree(x: Any, y: Any) -> bool:
    try:
        return bool(x == y)
    except Undecided:
        return bool(abs(x - y) <= CLOSE * (1 + abs(x)))


def covered(asked: Sequence[Sequence[tuple[int, int, int]]], depth: int = 0) -> bool:
    """Whether answers, each a list of (low, high, answer), are all that can be given."""
    if any(len(a) == depth for a in asked):
        return len(asked) == 1
    low, high, _ = asked[0][depth]
    if high - low >= len(asked):
        return False
    parts = [[a for a in asked if a[depth][2] == k] for k in range(low, high + 1)]
    return all(part and covered(part, depth + 1) for part in parts)
