r"""A statement run once on indeterminates: each path through its branches as a straight-line program.

`Traced` is an `Exact` without a value: every operation becomes a node of a `Program`, and whatever asks for its digits
(a float picture, a ball, a message) is refused, so that no guess at a number can steer what is recorded. A comparison
that known signs do not decide is a branch; `paths` runs the statement again until every branch has been taken both
ways. A division by zero and a root of what is negative are branches too, whose path has no sides; nor has one on which
the code raises a ValueError, as the largest of none. A path without sides is proved when nothing runs along it, and one
on which the code raises `NotAnInstance` has nothing to prove.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import flint
import numpy as np

from arubatheory.arithmetic import Exact, Undefined, precision
from arubatheory.problems.draw import OCTAVES, Draw, _size
from arubatheory.prove.check_boxes import opposite
from arubatheory.prove.check_cells import ANY, NEGATIVE, POSITIVE, ZERO
from arubatheory.prove.program import Path, Program, Turn
from arubatheory.statements.core import NotAnInstance, Statement, all_sides

LONGEST = 20_000  # nodes of one cell
TWO = Fraction(2)


class Untraceable(ArithmeticError):
    """The code looked at digits, draws from other ranges on other branches, or has more branches or operations than are
    followed."""


class Trace:
    """One run: the program, the decisions to take first, and the steps that were taken."""

    current: ClassVar[Trace | None] = None

    def __init__(self, program: Program, taken: Sequence[bool]) -> None:
        self.program, self.taken = program, list(taken)
        self.steps: list[Turn] = []
        self.facts: dict[int, int] = {}
        self.known: dict[int, int] = {}  # signs, as they follow from the facts
        self.decided, self.refused = 0, ""

    def asks(self, node: int, mask: int) -> bool:
        """Whether the sign of a node lies in a mask: implied, as told beforehand, or yes."""
        node, mask = self._bare(node, mask)
        signs = self.program.sign_at(node, self.facts, self.known)
        if not signs & mask or not signs & ~mask:
            if self.program.constant(node) is None:
                self._step(node, mask if signs & mask else ANY & ~mask, True)
            return bool(signs & mask)
        if self.decided == len(self.taken):
            self.taken.append(True)
        yes = self.taken[self.decided]
        self.decided += 1
        self._step(node, signs & mask if yes else signs & ~mask, False)
        return yes

    def _step(self, node: int, mask: int, implied: bool) -> None:
        self.facts[node] = self.facts.get(node, ANY) & mask
        if not implied:  # what is computed from a node has a larger number
            self.known = {n: signs for n, signs in self.known.items() if n < node}
        self.steps.append(Turn(node, mask, implied))

    def _bare(self, node: int, mask: int) -> tuple[int, int]:
        """The same question without a constant factor."""
        op, *at = self.program.nodes[node]
        if op == "mul" and (c := self.program.constant(at[0]) or self.program.constant(at[1])):
            other = at[0] if self.program.constant(at[0]) is None else at[1]
            return self._bare(other, mask if c > 0 else opposite(mask))
        if op == "div" and (c := self.program.constant(at[1])):
            return self._bare(at[0], mask if c > 0 else opposite(mask))
        return node, mask

    def node(self, value: Any) -> int:
        """The node of a number."""
        if isinstance(value, Traced):
            return value.at
        if isinstance(value, Exact):
            if not value.is_rational:
                raise _refused("a ball that no indeterminate is in, such as a root of a number")
            return self.program.number(Fraction(int(value.v.p), int(value.v.q)))
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer | Fraction):
            raise _refused(f"an indeterminate does not mix with {type(value).__name__} {value!r}")
        return self.program.number(Fraction(int(value) if isinstance(value, np.integer) else value))

    def compare(self, a: Any, b: Any, mask: int) -> bool:
        """Whether the sign of a - b lies in a mask; b may be infinite."""
        if isinstance(b, float) and math.isinf(b):
            return bool(mask & (NEGATIVE if b > 0 else POSITIVE))
        a, b = self.node(a), self.node(b)
        if a < b and self.program.constant(b) is None:
            return self.asks(self.program.binary("sub", b, a), opposite(mask))
        return self.asks(self.program.binary("sub", a, b), mask)


def _refused(why: str) -> Untraceable:
    """The error, of which the run is told: code may have caught it and gone on."""
    _trace().refused = why
    return Untraceable(why)


def _trace() -> Trace:
    if Trace.current is None:
        raise Untraceable("an indeterminate lives only while its statement is traced")
    return Trace.current


def _of(at: int) -> Traced:
    if at > LONGEST:
        raise _refused(f"more than {LONGEST} operations")
    result = Traced.__new__(Traced)
    result.at = at
    return result


def _operator(op: str, swapped: bool = False) -> Callable[[Traced, Any], Any]:
    def operator(self: Traced, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        trace = _trace()
        a, b = self.at, trace.node(other)
        a, b = (b, a) if swapped else (a, b)
        if op == "div" and trace.asks(b, ZERO):
            raise Undefined("division by zero")
        return _of(trace.program.binary(op, a, b))

    return operator


def _relation(mask: int) -> Callable[[Traced, Any], Any]:
    def relation(self: Traced, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else _trace().compare(self, other, mask)

    return relation


def _digits(self: Any, *_: Any) -> Any:
    raise _refused("the code asks for the digits of an indeterminate")


class Traced(Exact):
    """An indeterminate, or what was computed from some."""

    __slots__ = ("at",)
    at: int

    __add__ = __radd__ = _operator("add")
    __sub__ = _operator("sub")
    __rsub__ = _operator("sub", swapped=True)
    __mul__ = __rmul__ = _operator("mul")
    __truediv__ = _operator("div")
    __rtruediv__ = _operator("div", swapped=True)
    __lt__ = _relation(NEGATIVE)
    __gt__ = _relation(POSITIVE)
    __le__ = _relation(NEGATIVE | ZERO)
    __ge__ = _relation(POSITIVE | ZERO)
    __int__ = __float__ = __index__ = __round__ = __floor__ = __ceil__ = __trunc__ = __hash__ = _digits
    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __divmod__ = __rdivmod__ = _digits

    @property
    def v(self) -> Any:
        """Refused, but for a number."""
        found = _trace().program.constant(self.at)
        return _digits(self) if found is None else Exact(found).v

    @property
    def is_rational(self) -> bool:
        """Whether it is a number; code that asks goes on without digits for all others, as it does with balls."""
        return _trace().program.constant(self.at) is not None

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Exact | Fraction | int | np.integer | float):
            return NotImplemented
        return _trace().compare(self, other, ZERO)

    def _whole_power(self, power: int) -> Any:
        if power < 0:
            return 1 / self._whole_power(-power)
        if power < 2:
            return self if power else _of(_trace().program.number(Fraction(1)))
        half = self._whole_power(power // 2)
        return half * half * self if power % 2 else half * half

    def __neg__(self) -> Any:
        return 0 - self

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def sqrt(self) -> Any:
        """The root, a node; a root of a square of rationals is a number."""
        trace = _trace()
        if trace.asks(self.at, NEGATIVE):
            raise Undefined("square root of a negative number")
        found = trace.program.constant(self.at)
        if found is not None and (root := Exact(found).sqrt()).is_rational:
            return _of(trace.node(root))
        op, *at = trace.program.nodes[self.at]
        if op == "mul" and at[0] == at[1]:
            return abs(_of(at[0]))
        return _of(trace.program.node("sqrt", self.at))

    def exp(self) -> Any:
        """The exponential, a node; 1 at 0."""
        program = _trace().program
        return _of(program.number(Fraction(1)) if program.constant(self.at) == 0 else program.node("exp", self.at))

    def log(self) -> Any:
        """The logarithm, a node; 0 at 1."""
        trace = _trace()
        if trace.asks(self.at, NEGATIVE | ZERO):
            raise Undefined("logarithm of what is not positive")
        one = trace.program.constant(self.at) == 1
        return _of(trace.program.number(Fraction(0)) if one else trace.program.node("log", self.at))

    def __repr__(self) -> str:
        return f"Traced({self.at})"


class Asked(NamedTuple):
    """An integer that was drawn: its range, the answer, and whether it is a size or one of several choices."""

    low: int
    high: int
    answer: int
    kind: str


class Answering(Draw):
    """Asks `_sized` for every integer, also for one that has no choice."""

    exact = True

    def integer(self, low: int, high: int) -> int:
        """The next integer."""
        k = self._sized(low, high, high)
        self.tape.integers.append(k)
        return k


class TracedDraw(Answering):
    r"""Replays `integers` and answers every real by an indeterminate of its range.

    A scale is one of $[2^{low}, 2^{high}]$, or of what of it lies within `octaves` of 1; a point of a simplex is
    $(t_1, (1 - t_1) t_2, \dots)$.
    """

    def __init__(self, integers: Sequence[int], octaves: int) -> None:
        super().__init__()
        self._given, self._near, self.narrowed = list(integers), octaves, False
        self.asked: list[Asked] = []
        self._variables = 0

    def _sized(self, least: int, usual: int, most: int) -> int:
        """The next integer; beyond those that are given, 2 where it is a size of 1 or more, else the least."""
        return self._asked(least, most, min(2, usual) if least == 1 else least, "size")

    def _asked(self, low: int, high: int, otherwise: int, kind: str) -> int:
        n = len(self.asked)
        k = self._given[n] if n < len(self._given) else otherwise
        if not low <= k <= high:
            raise ValueError(f"an integer of [{low}, {high}] is drawn, got {k}")
        self.asked.append(Asked(low, high, k, kind))
        return k

    def choice(self, options: Any) -> Any:
        """One of the options, the first where none is given."""
        k = self._asked(0, len(options) - 1, 0, "choice")
        self.tape.integers.append(k)
        return options[k]

    def boolean(self) -> bool:
        """True or False, False where neither is given."""
        return bool(self.choice((False, True)))

    def _variable(self, low: Fraction, high: Fraction) -> Any:
        program, i = _trace().program, self._variables
        self._variables, found = i + 1, _of(program.variable(low, high, i))
        if program.ranges[i] != (low, high):
            raise _refused("the range of a real depends on a branch")
        return found

    def real(self, low: Any = -1, high: Any = 1, shape: Any = None) -> Any:
        """Numbers of [low, high]: variables where both ends are numbers."""
        trace, arrays = _trace(), isinstance(low, np.ndarray) or isinstance(high, np.ndarray)
        ends = [] if arrays else [trace.program.constant(trace.node(end)) for end in (low, high)]
        if arrays or ends[0] is None or ends[1] is None or ends[0] == ends[1]:
            return super().real(low, high, shape)
        return self._shaped([self._variable(ends[0], ends[1]) for _ in range(_size(shape))], shape)

    def _fractions(self, shape: Any, centred: bool) -> list[Any]:
        return [self._variable(Fraction(0), Fraction(1)) for _ in range(_size(shape))]

    def positive(self, low: int = -32, high: int = 32, shape: Any = None) -> Any:
        """Scales of [2**low, 2**high], as far as they are near enough to 1."""
        near = max(low, -self._near), min(high, self._near)
        if near[0] == near[1]:  # all but one end of the range is further from 1
            near = max(low, near[0] - self._near), min(high, near[1] + self._near)
        if near[0] <= near[1] and near != (low, high):
            self.narrowed, (low, high) = True, near
        return self._shaped([self._variable(TWO**low, TWO**high) for _ in range(_size(shape))], shape)

    def number(self, numerator: int, denominator: int = 1) -> Any:
        """A number that stays exact under a root."""
        return _of(_trace().program.number(Fraction(int(numerator), int(denominator))))

    def array(self, values: Any) -> Any:
        """An array of indeterminates and numbers, from lists of lists too."""
        out = np.array(values, dtype=object, order="C")
        out.ravel()[:] = [_of(_trace().node(x)) for x in out.ravel().tolist()]
        return out

    def simplex(self, d: int) -> Any:
        """A point of the simplex by breaking a stick."""
        left, found = self.number(1), []
        for _ in range(d - 1):
            t = self._variable(Fraction(0), Fraction(1))
            found.append(left * t)
            left = left * (1 - t)
        return self.array([*found, left])


@contextlib.contextmanager
def tracing(trace: Trace) -> Iterator[Trace]:
    """Indeterminates live inside this context."""
    before, Trace.current = (Trace.current, Exact.here), trace
    Exact.here = lambda q: _of(trace.program.number(q))
    try:
        with precision(flint.ctx.prec):
            yield trace
    finally:
        Trace.current, Exact.here = before


class Cell:
    """All paths of a statement for one answer to what integers it draws."""

    def __init__(self, statement: Statement, integers: Sequence[int], octaves: int = OCTAVES) -> None:
        self.statement, self.given, self.octaves = statement, list(integers), octaves
        self.program = Program()
        self.integers: tuple[int, ...] = ()
        self.narrowed = False
        self.asked: list[Asked] = []

    def _run(self, taken: Sequence[bool]) -> tuple[Trace, Path]:
        reader = TracedDraw(self.given, self.octaves)
        with tracing(Trace(self.program, taken)) as trace:
            try:
                pairs = all_sides(self.statement, self.statement.instance(reader))
                path = Path((), tuple((trace.node(s.lhs), trace.node(s.rhs)) for s in pairs), "")
            except (Undefined, ValueError) as error:
                path = Path((), (), None if isinstance(error, NotAnInstance) else str(error))
            finally:
                few, self.asked = sorted((self.asked, reader.asked), key=len)
                self.narrowed = self.narrowed or reader.narrowed or self.asked[: len(few)] != few
                self.integers = tuple(asked.answer for asked in self.asked)
        if trace.refused or any(a.answer != b.answer for a, b in zip(few, self.asked, strict=False)):
            raise Untraceable(trace.refused or "which integers are drawn depends on a branch")
        return trace, path._replace(steps=tuple(trace.steps))

    def paths(self, most: int, until: float = math.inf) -> list[Path]:
        """Every path, in the order of decisions; Untraceable beyond `most`, or when the clock says `until`."""
        found: list[Path] = []
        waiting: list[list[bool]] = [[]]
        while waiting:
            prefix = waiting.pop()
            trace, path = self._run(prefix)
            found.append(path)
            waiting += [[*trace.taken[:k], False] for k in range(len(prefix), len(trace.taken))]
            if len(found) + len(waiting) > most or time.process_time() > until:
                raise Untraceable(f"more than {most if time.process_time() <= until else len(found)} paths")
        return found
