r"""The judge of last resort: one instance again, in rationals, or in balls that refuse to guess.

The raw draws are replayed with exact numbers, the assumptions' margins are checked, and both sides are compared. Balls
double their precision from `FIRST_BITS` until the comparison is decided, a limit is reached, or they stay as wide.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import FIRST_BITS, LAST_BITS, Exact, Undecided, Undefined, approximate, enclosure, precision
from arubatheory.problems.draw import Tape, TapeDraw
from arubatheory.problems.signatures import typed
from arubatheory.statements.core import Instance, Sides, Statement, all_sides

Floats = Sequence[float]
READABLE = 400  # characters of a rational
PERSISTS = 1 / 16  # of the gap that floats claim: what is smaller for certain was rounding


class BrokenAssumption(ValueError):
    """A generator made an instance on which an assumption of its own statement fails: the code is wrong, not the
    claim."""


class Certificate(NamedTuple):
    r"""What exact arithmetic says of one instance.

    `outcome`: "violated" (lhs > rhs for certain), "holds" (lhs < rhs), "tie" (lhs = rhs in rationals), "undecided"
    (balls of `bits` bits still overlap) or "undefined" (a side is not a real number). `bits` is 0 when all sides are
    rational. `sides` are those of the worst inequality, None where a branch was undecided; `gaps` are lhs - rhs of all.
    """

    outcome: str
    sides: Sides | None
    bits: int
    instance: Instance | None
    margins: dict[str, Any]
    gaps: tuple[Any, ...] = ()
    reason: str = ""


@typed
def certify(
    statement: Statement, tape: Tape, last_bits: int = LAST_BITS, claims: Floats = (), first_bits: int = FIRST_BITS
) -> Certificate:
    """Judge the instance that `tape` draws exactly. Raises `BrokenAssumption` if a margin is negative, ValueError for
    `first_bits` < 2."""
    if first_bits < 2:
        raise ValueError(f"first_bits must be >= 2, got {first_bits!r}")
    with precision(FIRST_BITS):  # instances are rational: only the sides may need balls
        instance = statement.instance(TapeDraw(tape, exact=True))
    return certify_instance(statement, instance, last_bits, claims, first_bits)


def certify_instance(
    statement: Statement,
    instance: Instance,
    last_bits: int = LAST_BITS,
    claims: Floats = (),
    first_bits: int = FIRST_BITS,
) -> Certificate:
    """Judge an instance that is given in exact numbers (as a witness file holds it), doubling the precision of balls
    until they decide, exclude the gaps that floats claim, or stay as wide as they were."""
    certificate, bits = Certificate("undecided", None, 0, instance, {}), first_bits
    while bits <= last_bits:
        before = certificate.gaps
        with precision(bits):
            try:
                certificate = judge_exactly(statement, instance)
            except Undecided as error:
                certificate = certificate._replace(reason=str(error))
        certificate = certificate._replace(bits=bits if certificate.bits or certificate.sides is None else 0)
        stuck = bits >= 512 and _as_wide(certificate.gaps, before)  # certified minimisers have 320 bits at least
        if stuck or certificate.outcome != "undecided" or (claims and excludes(certificate, claims)):
            break
        bits *= 2
    return certificate


def _as_wide(new: Sequence[Any], old: Sequence[Any]) -> bool:
    """Whether no ball is half as wide as before: a solver limits them all, and not the precision."""
    wide = [x.is_rational or y.is_rational or 2 * x.v.rad() > y.v.rad() for x, y in zip(new, old, strict=False)]
    return new is not old and wide != [] and all(wide)


def certify_margins(statement: Statement, tape: Tape) -> None:
    """Judge the margins alone of the instance that `tape` draws. Raises `BrokenAssumption` if one is negative."""
    for bits in (FIRST_BITS, 2 * FIRST_BITS):
        with precision(bits), contextlib.suppress(Undecided):
            if OPEN not in [*exact_margins(statement, statement.instance(TapeDraw(tape, exact=True))).values()]:
                return


def judge_exactly(statement: Statement, instance: Instance) -> Certificate:
    """Margins and sides on an exact instance, at the current ball precision; raises TypeError for a side in floats."""
    margins = exact_margins(statement, instance)
    try:
        sides = _exact_sides(statement, instance)
    except Undefined as error:
        sides = _forgiven(statement, instance)
        if not sides:
            return Certificate("undefined", None, 0, instance, margins, reason=str(error))
    outcomes = [_compare(s) for s in sides]
    worst = min(range(len(sides)), key=lambda i: (_ORDER.index(outcomes[i]), -ratio_of(sides[i])[0]))
    rational = all(x.is_rational for s in sides for x in s[:2])
    gaps = tuple(s.lhs - s.rhs for s in sides)
    outcome = "undecided" if outcomes[worst] == "violated" and OPEN in [*margins.values()] else outcomes[worst]
    return Certificate(outcome, sides[worst], 0 if rational else 1, instance, margins, gaps)


def _exact_sides(statement: Statement, instance: Instance) -> list[Sides]:
    return [Sides(*(_exactly(statement, x) for x in s[:2])) for s in all_sides(statement, instance)]


def _forgiven(statement: Statement, instance: Instance) -> list[Sides]:
    """The sides where only branches that are not taken are undefined, of which `np.where` computes all; else none."""
    Exact.forgives = True
    try:
        sides = _exact_sides(statement, instance)
        return sides if all(x.is_rational or x.v.is_finite() for s in sides for x in s[:2]) else []
    except ArithmeticError:
        return []
    finally:
        Exact.forgives = False


def in_floats(instance: Instance) -> Instance:
    """The same instance in floats."""
    return Instance(**{name: approximate(value) for name, value in vars(instance).items()})


OPEN = "undecided"  # a margin whose sign balls leave open
_ORDER = ("violated", "undecided", "tie", "holds")


def _exactly(statement: Statement, side: Any) -> Exact:
    """The exact number that a side is; a float among the exact sides would let rounding refute a claim."""
    if not isinstance(side, Exact | int | np.integer | Fraction):
        raise TypeError(
            f"{statement.label}: a side left exact arithmetic, got the {type(side).__name__} {side!r}: no side is a "
            "float, and p / q of two integers is one: write draw.number(p, q) or Fraction(p, q)"
        )
    return side if isinstance(side, Exact) else Exact(side if isinstance(side, Fraction) else int(side))


def _compare(sides: Sides) -> str:
    try:
        if sides.lhs > sides.rhs:
            return "violated"
        return "tie" if sides.lhs.is_rational and sides.rhs.is_rational and sides.lhs == sides.rhs else "holds"
    except Undecided:
        return "undecided"


def exact_margins(statement: Statement, instance: Instance) -> dict[str, Any]:
    """The margin of every assumption on an exact instance, `OPEN` where balls do not tell its sign; raises
    `BrokenAssumption` at the first negative one."""
    margins = dict[str, Any]()
    for assumption in statement.assumptions:
        try:
            margins[assumption.latex] = margin = assumption.margin(instance)
            met = margin >= 0  # NaN is no margin either
        except Undecided:
            margins[assumption.latex], met = OPEN, True
        if not met:
            raise BrokenAssumption(
                f"{statement.label}: the generator broke the assumption {assumption.latex!r} (margin {show(margin)}); "
                "it has to draw what meets it, or to raise NotAnInstance"
            )
    return margins


def excludes(certificate: Certificate, claims: Sequence[float]) -> bool:
    """Whether no inequality is broken by as much as `PERSISTS` of what floats claim of it (0: nothing is claimed). A
    branch of a kernel that is undecided supports no claim."""
    if certificate.outcome != "undecided" or certificate.sides is None:
        return certificate.outcome not in ("violated", "undefined")
    return all(surely_positive(Fraction(claim * PERSISTS) - gap) for gap, claim in _claimed(certificate, claims))


def disowns(certificate: Certificate, claims: Sequence[float]) -> bool:
    """Whether the middle of no enclosure is a gap of as much as `PERSISTS` of what floats claim: where a solver and not
    the precision limits the radius, it still is by far the better estimate."""
    return all(approximate(gap) < claim * PERSISTS for gap, claim in _claimed(certificate, claims))


def _claimed(certificate: Certificate, claims: Sequence[float]) -> list[tuple[Any, float]]:
    """Each gap with what floats claim of it: the largest of their claims where they see another number of
    inequalities, as by a branch that rounding takes."""
    each = claims if len(claims) == len(certificate.gaps) else [max(claims)] * len(certificate.gaps)
    return [(gap, claim) for gap, claim in zip(certificate.gaps, each, strict=True) if claim > 0]


def ratio_of(sides: Sides | None) -> tuple[float, str]:
    """lhs/rhs where rhs > 0, else lhs - rhs, as a float, and which of the two it is; NaN of sides without a value."""
    if sides is None:
        return math.nan, ""
    if surely_positive(sides.rhs):
        return _as_float(sides.lhs / sides.rhs), "lhs/rhs"
    return _as_float(sides.lhs - sides.rhs), "lhs-rhs"


def surely_positive(x: Any) -> bool:
    """Whether x > 0 for certain."""
    try:
        return bool(x > 0)
    except Undecided:
        return False


def _as_float(x: Any) -> float:
    try:
        return float(approximate(x))
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def show(x: Any) -> str:
    """An exact number as text: p/q, or a ball as centre +/- radius."""
    return str(x.v).strip("[]") if isinstance(x, Exact) else str(x)


def brief(x: Any) -> str:
    """The same, but a rational longer than anyone reads as a ball that contains it."""
    text = show(x)
    if isinstance(x, Exact) and x.is_rational and len(text) > READABLE:
        return str(enclosure(x)).strip("[]")
    return text
