r"""The instrument on trial: the same instances in every arithmetic, against the record and against known answers.

Every instance on record, and one drawn anew for each statement, is evaluated in rationals with balls of `FIRST_BITS`,
in balls throughout (its numbers forced into balls) of `SECOND_BITS`, in floats, and in `Plain` numbers, which share no
operation with `Exact`. What must hold: `Plain` lies in every ball, balls overlap, rationals are equal; a float lies in
the ball of `FLOAT_BITS`, three bits wider at each step than floats are, so that the bound is the conditioning of that
very evaluation; the outcome is the one that `Plain` numbers have; floats nominate what they cannot miss; and a witness
says what its file says. An evaluation that balls or floats cannot finish (a branch is undecided, a float overflows) is
left out and not counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from arubatheory.arithmetic import COUNT, FIRST_BITS, Exact, approximate, enclosure, precision
from arubatheory.crosscheck.definitions import broken_definitions
from arubatheory.crosscheck.known_answers import wrong_answers
from arubatheory.crosscheck.plain_numbers import ends, mapped, meet, plain
from arubatheory.engines.evaluation import TIE, compared
from arubatheory.engines.exact import certify_instance
from arubatheory.engines.units import derived_seed
from arubatheory.engines.witness import decode_instance, replay
from arubatheory.engines.witness_files import read_witness
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.statements.blame import said
from arubatheory.statements.core import Instance, NotAnInstance, Statement, all_sides
from arubatheory.statements.paper import Paper

SECOND_BITS = 256
FLOAT_BITS = 50  # 53 bits of a float, less 3: a function of the library may be wrong by some units in the last place
LONG = 20_000  # operations of a judgement: a longer one is not done again in every arithmetic
NEITHER = (ArithmeticError, AttributeError, TypeError)  # what a branch, or a rational that became a ball, may raise


def disagreements(root: Path, paper: Paper, seed: int = 0, seen: Counter[str] | None = None) -> Iterator[str]:
    """What disagrees, one line each that names the kernel, the label or the file; `seen` counts what was compared."""
    seen = Counter() if seen is None else seen
    yield from wrong_answers(seed, seen)
    yield from broken_definitions(seed, seen)
    statements = {s.label: s for s in paper.statements}
    for path in sorted((root / paper.witnesses).glob("*.json")):
        yield from (f"{path}: {line}" for line in _of_file(path, statements, seen))
    for statement in statements.values():
        if "check" in statement.engines:
            yield from (f"{statement.label}, seed {seed}: {line}" for line in drawn_anew(statement, seed, seen))


def _of_file(path: Path, statements: dict[str, Statement], seen: Counter[str]) -> Iterator[str]:
    """What a witness on record disagrees with."""
    try:
        witness = read_witness(path)
        if witness.certified == "float":  # measured, and not decided
            return
        before = COUNT.operations
        again = replay(witness, statements[witness.label])
    except Exception as error:
        yield f"{type(error).__name__}: {error}"
        return
    seen["witnesses"] += 1
    if not again.redrawn:
        yield "the draws on record no longer give its instance"
    if not again.agrees:
        said = f"{witness.certified}: lhs {witness.lhs}, rhs {witness.rhs}"
        yield f"on record {said}; now {again.outcome}: lhs {again.lhs}, rhs {again.rhs}"
    if COUNT.operations - before > LONG:
        return
    statement = statements[witness.label]
    yield from _compared(statement, decode_instance(witness.instance, statement), again.outcome, seen)


def drawn_anew(statement: Statement, seed: int, seen: Counter[str]) -> Iterator[str]:
    """What one instance drawn anew disagrees with, or where in an author's code it cannot be evaluated."""
    draw = RandomDraw(np.random.default_rng(derived_seed(seed, statement.label)))
    try:
        statement.instance(draw)
        with precision(FIRST_BITS):
            instance = statement.instance(TapeDraw(draw.tape, exact=True))
        before = COUNT.operations
        outcome = certify_instance(statement, instance, FIRST_BITS).outcome
    except NotAnInstance:  # nothing is claimed of it
        return
    except Exception as error:
        yield said(error)
        return
    seen["fresh instances"] += 1
    if COUNT.operations - before <= LONG:
        yield from _compared(statement, instance, outcome, seen)


def _compared(statement: Statement, instance: Instance, outcome: str, seen: Counter[str]) -> Iterator[str]:
    """What the arithmetics disagree about on one exact instance."""
    exact = _sides(statement, instance, FIRST_BITS, lambda x: x)
    again = _sides(statement, instance, SECOND_BITS, plain)
    balls = _sides(statement, instance, SECOND_BITS, lambda x: Exact(enclosure(x)))
    rough = _sides(statement, instance, FLOAT_BITS, lambda x: Exact(enclosure(x)))
    floats = _sides(statement, instance, FLOAT_BITS, approximate)
    for name, others in (("balls", balls), ("plain Python", again)):
        for k, (one, other) in enumerate(_paired(exact, others, seen, name)):
            if not meet(one, other):
                yield f"side {k}: {_shown(one)} in rationals and balls, {_shown(other)} in {name}"
    for k, (one, other) in enumerate(_paired(rough, floats, seen, "floats")):
        claimed = not isinstance(one, int)  # 0 <= 0, where a branch claims nothing
        if claimed and math.isfinite(other) and not meet(one, Fraction(float(other))):
            yield f"side {k}: {other!r} in floats, {_shown(one)} in balls of {FLOAT_BITS} bits"
    if rough is not None and floats is not None and len(rough) == len(floats):
        yield from _nominations(rough, floats)
    if again is not None:
        yield from _judged(again, outcome)


def _sides(statement: Statement, instance: Instance, bits: int, f: Callable[[Any], Any]) -> list[Any] | None:
    """Both sides of every inequality, one after the other, with the numbers of an instance mapped by f; None where this
    arithmetic comes to no end."""
    with precision(bits), np.errstate(all="ignore"):
        try:
            parts = {name: approximate(v) if f is approximate else mapped(v, f) for name, v in vars(instance).items()}
            return [x for s in all_sides(statement, Instance(**parts)) for x in (s.lhs, s.rhs)]
        except NEITHER:
            return None


def _paired(one: list[Any] | None, other: list[Any] | None, seen: Counter[str], name: str) -> list[tuple[Any, Any]]:
    """The sides that two arithmetics have both; none where rounding took another branch with other inequalities."""
    if one is None or other is None or len(one) != len(other):
        return []
    seen[f"sides in {name}"] += len(one)
    return list(zip(one, other, strict=True))


def _nominations(rough: list[Any], floats: list[Any]) -> Iterator[str]:
    """What floats nominate although it surely holds, or do not although it is surely broken by more than a tie."""
    for k in range(0, len(rough), 2):
        (low, high), (least, most) = ends(rough[k]), ends(rough[k + 1])
        tie = Fraction(2 * TIE) * max(abs(x) for x in (low, high, least, most))
        badness, _, claim = compared(float(floats[k]), float(floats[k + 1]))
        if badness > -math.inf and (claim > 0) != (low > most) and (low - most > tie or least > high):
            yield f"inequality {k // 2}: floats say {badness:g}, and balls of {FLOAT_BITS} bits the opposite"


def _judged(sides: list[Any], outcome: str) -> Iterator[str]:
    """An outcome that is not what plain numbers have: a difference that their digits cannot tell from 0 is either."""
    rational = all(not isinstance(x, Exact) or x.is_rational for x in sides)
    pairs = list(zip(sides[::2], sides[1::2], strict=True))
    gaps = [0 if meet(lhs, rhs) else 1 if ends(lhs) > ends(rhs) else -1 for lhs, rhs in pairs]
    expected = "violated" if max(gaps) > 0 else "tie" if max(gaps) == 0 else "holds"
    allowed = {expected} if rational else {expected, "undecided", *({"holds"} if expected == "tie" else ())}
    if outcome not in allowed:
        yield f"the outcome is {outcome!r}, and {expected!r} in plain Python"


def _shown(x: Any) -> str:
    return repr(x)[:120]
