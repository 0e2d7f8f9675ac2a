r"""Numbers and trials whose answers are known: what `Exact`, the tie rule and the judge of last resort must say.

Operations are compared with `Plain` numbers; a made-up statement breaks, holds or ties by construction, by gaps down to
$10^{-60}$ of either sign, in rationals and behind roots.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from arubatheory.arithmetic import (
    FIRST_BITS,
    LAST_BITS,
    Exact,
    Undecided,
    Undefined,
    approximate,
    ball,
    exact,
    midpoint,
    precision,
)
from arubatheory.crosscheck.plain_numbers import Plain, ends, meet
from arubatheory.engines.evaluation import evaluated
from arubatheory.engines.exact import Certificate, certify, disowns, excludes, ratio_of
from arubatheory.engines.search import search
from arubatheory.engines.trial import Record
from arubatheory.engines.verdict import Status, combine, decided
from arubatheory.problems.draw import Draw, Tape, TapeDraw
from arubatheory.statements.core import Assumption, Instance, Sides, Statement

NUMBERS = (Fraction(0), Fraction(1), Fraction(-1), Fraction(9, 4), Fraction(-7, 5), Fraction(2), Fraction(1, 3 << 60))
GAPS = tuple(sign * Fraction(1, 10**k) for k in (0, 3, 7, 12, 15, 20, 30, 60) for sign in (1, -1))
EMPTY = Tape([], [])
TWO = (ball(Exact(0), Exact(1)), Exact(100))  # gaps of two inequalities


def wrong_answers(seed: int, seen: Counter[str]) -> Iterator[str]:
    """What is not as it is known to be, a line each; `seen` counts what was compared."""
    for bits in (FIRST_BITS, 2 * FIRST_BITS):
        with precision(bits):
            yield from (f"arithmetic, {bits} bits: {line}" for line in _numbers(seen))
    for name, holds in {**_conversions(), **_judgements(), **_trials(seed)}.items():
        seen["known answers"] += 1
        try:
            right = holds()
        except Exception as error:
            yield f"{name}: {type(error).__name__}: {error}"
            continue
        if not right:
            yield f"{name}: not so"


# numbers ----------------------------------------------------------------------------------------------------------
def _numbers(seen: Counter[str]) -> Iterator[str]:
    """Every operation on rationals, and on the balls and the decimals that functions make of them."""
    makers: tuple[Callable[[Any], Any], ...] = (lambda x: x, lambda x: abs(x).sqrt(), lambda x: x.exp())
    pairs = [(make(Exact(q)), make(Plain(q))) for make in makers for q in NUMBERS]
    one: dict[str, Callable[[Any], Any]] = {name: operator.methodcaller(name) for name in ("sqrt", "exp", "log")}
    one |= {"abs": abs, "neg": operator.neg, "square": lambda x: x**2}
    one |= {"cube": lambda x: x**3, "inverse": lambda x: x**-1, "one": lambda x: x**0}
    for name, act in one.items():
        yield from (line for x, p in pairs for line in _same(f"{name}({p})", lambda y: act(y), (x,), (p,), seen))  # noqa: B023
    for name in ("add", "sub", "mul", "truediv"):
        act2 = getattr(operator, name)
        for x, p in pairs:
            for y, q in pairs:
                yield from _same(f"{name}({p}, {q})", act2, (x, y), (p, q), seen)
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        for x, p in pairs:
            yield from (line for y, q in pairs for line in _decides(name, x, y, p, q, seen))


def _outcome(act: Callable[..., Any], *numbers: Any) -> Any:
    try:
        return act(*numbers)
    except (Undefined, Undecided) as error:
        return type(error)


def _same(name: str, act: Callable[..., Any], xs: Any, ps: Any, seen: Counter[str]) -> Iterator[str]:
    """An operation, which must enclose what plain numbers have, and be exact where they are."""
    seen["operations"] += 1
    got, want = _outcome(act, *xs), _outcome(act, *ps)
    if isinstance(got, Exact) and isinstance(want, Plain):
        narrow = got.is_rational == want.is_rational and _width(got) <= Fraction(1, 1 << 64)
        if not (meet(want, got) and (narrow or not all(x.is_rational for x in xs))):
            yield f"{name} is {want!r:.60}, got {got!r:.60}"
    elif got is not want and got is not Undecided:
        yield f"{name}: {want!r:.60}, got {got!r:.60}"


def _width(x: Exact) -> Fraction:
    low, high = ends(x)
    return (high - low) / (abs(high) or 1)


def _decides(name: str, x: Exact, y: Exact, p: Plain, q: Plain, seen: Counter[str]) -> Iterator[str]:
    """A comparison: right where it is made, made wherever two numbers differ, and between two rationals."""
    seen["operations"] += 1
    compare, rational = getattr(operator, name), x.is_rational and y.is_rational
    got, equal = _outcome(compare, x, y), meet(p, q)
    want = Undecided if equal and not rational else compare(p, q)
    fits = got is want or (equal and _width(x) == _width(y) == 0)  # a ball that is a point
    if not fits:
        yield f"{name}({p!r:.40}, {q!r:.40}) is {want}, got {got}"


def _conversions() -> dict[str, Callable[[], bool]]:
    third, pi = Exact(Fraction(1, 3)), Exact(10).sqrt()
    return {
        "exact(0.1) is the dyadic rational": lambda: ends(exact(0.1))[0] == Fraction(0.1),
        "approximate(1/3)": lambda: approximate(third) == 1 / 3,
        "approximate(a ball)": lambda: abs(approximate(pi) - 10**0.5) < 1e-15,
        "ball(1/3, 1/8)": lambda: ends(ball(third, Fraction(1, 8)))[0] <= Fraction(5, 24) < Fraction(11, 24),
        "ball(1/3, 1/8) above": lambda: Fraction(11, 24) <= ends(ball(third, Fraction(1, 8)))[1] < Fraction(12, 24),
        "midpoint(a ball)": lambda: ends(pi)[0] <= ends(midpoint(pi))[0] <= ends(pi)[1] and midpoint(pi).is_rational,
        "exact(nan) is refused": lambda: _refuses(ValueError, lambda: exact(float("nan"))),
        "floats do not mix": lambda: _refuses(TypeError, lambda: third + 0.5) and _refuses(TypeError, lambda: 0.5 < pi),
        "no float by itself": lambda: _refuses(TypeError, lambda: float(third)),
    }


def _refuses(kind: type[Exception], act: Callable[[], Any]) -> bool:
    try:
        act()
    except kind:
        return True
    return False


# judgements -------------------------------------------------------------------------------------------------------
def _claim(sides: Callable[[Draw], tuple[Any, Any]], **more: Any) -> Statement:
    """A claim about no instance but one, made of numbers in the arithmetic of the draw."""

    def instance(draw: Draw) -> Instance:
        lhs, rhs = sides(draw)
        return Instance(lhs=lhs, rhs=rhs)

    return Statement("doctor", "claim", "lhs <= rhs", instance, lambda i: Sides(i.lhs, i.rhs), **more)


def _is(statement: Statement, outcome: str, bits: int = 0, last: int = LAST_BITS) -> bool:
    found = certify(statement, EMPTY, last)
    return (found.outcome, found.bits) == (outcome, bits)


def _apart(gap: Fraction, draw: Draw) -> tuple[Any, Any]:
    return draw.number(1) + draw.number(gap.numerator, gap.denominator), draw.number(1)


def _rooted(gap: Fraction) -> Statement:
    """The square of the root of 2 against 2 - gap: in exact numbers the root is taken where sides are."""

    def sides(i: Instance) -> Sides:
        root = i.two.sqrt() if isinstance(i.two, Exact) else i.two**0.5
        return Sides(root * root, i.two - i.gap)

    def instance(draw: Draw) -> Instance:
        return Instance(two=draw.number(2), gap=draw.number(gap.numerator, gap.denominator))

    return Statement("doctor", "claim", "lhs <= rhs", instance, sides)


def _judgements() -> dict[str, Callable[[], bool]]:
    """The judge on gaps that are known."""
    found: dict[str, Callable[[], bool]] = {}
    for gap in GAPS:
        outcome, one = "violated" if gap > 0 else "holds", _claim(partial(_apart, gap))
        bits = FIRST_BITS * (2 if abs(gap) < Fraction(1, 10**35) else 1)
        found[f"certify 1 + {float(gap)} <= 1"] = partial(_is, one, outcome)
        found[f"floats on 1 + {float(gap)} <= 1"] = partial(_nominated, one, gap)
        found[f"certify root(2)^2 <= 2 - {float(gap)}"] = partial(_is, _rooted(gap), outcome, bits)
    tie = _claim(lambda draw: (draw.number(1, 3) + draw.number(2, 3), draw.number(1)))
    found |= {
        "certify 1/3 + 2/3 <= 1": lambda: _is(tie, "tie"),
        "floats on a tie": lambda: _nominated(tie, Fraction(0)),
        "root(2)^2 <= 2": lambda: _is(_rooted(Fraction(0)), "undecided", 512, 512),
        "1/0 is undefined": lambda: certify(_undefined(), EMPTY).outcome == "undefined",
        "lhs/rhs": lambda: ratio_of(Sides(Exact(3), Exact(2))) == (1.5, "lhs/rhs"),
        "lhs-rhs": lambda: ratio_of(Sides(Exact(3), Exact(-2))) == (5.0, "lhs-rhs"),
        "a gap that is surely small is excluded": lambda: excludes(_gap(0, 1), (1000.0,)),
        "a gap that may be as claimed is not": lambda: not excludes(_gap(0, 1), (8.0,)),
        "a gap whose middle is small is disowned": lambda: disowns(_gap(0, 1), (8.0,)),
        "a gap whose middle is as claimed is not": lambda: not disowns(_gap(2, 3), (8.0,)),
        "each gap has its own claim": lambda: (
            excludes(_gap(0, 1)._replace(gaps=TWO), (1000.0, 0.0))
            and not excludes(_gap(0, 1)._replace(gaps=TWO), (0.0, 8.0))
        ),
        "a violation is never excluded": lambda: not excludes(_gap(0, 1)._replace(outcome="violated"), (1000.0,)),
        "99 trials are idle": lambda: (decided(99), decided(100)) == (Status.IDLE, Status.SURVIVED),
    }
    return found


def _gap(centre: int, radius: int) -> Certificate:
    return Certificate(
        "undecided", Sides(Exact(1), Exact(1)), FIRST_BITS, None, {}, (ball(Exact(centre), Exact(radius)),)
    )


def _undefined() -> Statement:
    return Statement(
        "doctor", "claim", "lhs <= rhs", lambda draw: Instance(x=draw.number(0)), lambda i: Sides(1 / i.x, i.x)
    )


def _nominated(statement: Statement, gap: Fraction) -> bool:
    """Whether floats call a gap what it is: broken above the rule of ties, a tie below, fine under 0."""
    seen = evaluated(statement, statement.instance(TapeDraw(EMPTY)))
    tie = abs(gap) < Fraction(9, 10**13)
    return (seen.tie, seen.apparent, seen.counted) == (tie, gap > 0 and not tie, True)


# trials -----------------------------------------------------------------------------------------------------------
def _record(statement: Statement, engine: str = "check") -> Record:
    record = Record(statement, engine, 0)
    record.evaluate(TapeDraw(EMPTY))
    record.settle()
    return record


def _product(factor: int) -> Statement:
    def instance(draw: Draw) -> Instance:
        return Instance(x=draw.real(-2, 2), y=draw.real(-2, 2))

    margin = Assumption("x in [-2, 2]", lambda i: 2 - abs(i.x))
    sides = lambda i: Sides(factor * i.x * i.y, i.x * i.x + i.y * i.y)  # noqa: E731
    return Statement("doctor", "claim", "c x y <= x^2 + y^2", instance, sides, (margin,))


def _trials(seed: int) -> dict[str, Callable[[], bool]]:
    """Whole trials: a violation that floats cannot see, one that only floats see, and the two ends of a search."""
    hidden = _claim(lambda draw: (draw.number(1) + draw.number(1, 10**30), draw.number(1)))
    false = _claim(lambda draw: (draw.number(1, 10) + draw.number(2, 10) - draw.number(3, 10), draw.number(0)))
    broken = _claim(lambda draw: (draw.number(2), draw.number(1)))
    return {
        "a violation below rounding is settled": lambda: _status(_record(hidden)) == (Status.REFUTED, 0),
        "a violation by rounding alone is overruled": lambda: _status(_record(false)) == (Status.IDLE, 1),
        "a violation is certified": lambda: _status(_record(broken)) == (Status.REFUTED, 0),
        "a violation has a witness": lambda: getattr(_record(broken).verdict(1).simplest, "lhs", None) == "2",
        "an undefined side refutes": lambda: _record(_infinite()).verdict(1).kind == "undefined",
        "search on 2xy <= x^2 + y^2": lambda: search(_product(2), 200, seed).status == Status.SURVIVED,
        "search on 3xy <= x^2 + y^2": lambda: search(_product(3), 200, seed).status == Status.REFUTED,
        "a refutation outweighs": lambda: _combined(seed) == Status.REFUTED,
    }


def _infinite() -> Statement:
    def sides(i: Instance) -> Sides:
        return Sides(1 / i.x if isinstance(i.x, Exact) else float("inf"), i.x)

    return Statement("doctor", "claim", "lhs <= rhs", lambda draw: Instance(x=draw.number(0)), sides)


def _status(record: Record) -> tuple[Status, int]:
    verdict = record.verdict(1)
    return verdict.status, verdict.overruled


def _combined(seed: int) -> Status:
    return combine("doctor", [search(_product(factor), 100, seed) for factor in (2, 3)], seed).status
