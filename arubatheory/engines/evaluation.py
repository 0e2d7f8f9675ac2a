r"""One instance in floats: how bad it looks, and whether it still does when its inputs are an ulp off."""

from __future__ import annotations

import contextlib
import math
import operator
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.statements.core import Columns, Instance, Sides, Statement, all_sides, check_numbers

EPSILON = float(np.finfo(np.float64).eps)
TIE = 2.0**-40
NUDGE = 2.0**-20  # relative
TIE_HANDICAP = 10.0  # from a tie nothing can be climbed, other starts go first; what was overruled does not attract
UNRESOLVED = -1.0


class Evaluation(NamedTuple):
    r"""One instance in floats. `badness` orders instances: lhs/rhs where rhs > 0, else lhs - rhs, and 1 more where that
    is positive. A tie has at most 1, and `UNRESOLVED` where rhs <= 0: 0 <= 0 is no close call. `counted`: all sides are
    finite. `claims`: by how much each inequality looks broken, 0 for one that does not. `overruled`: none is. Where the
    badness leads nowhere, `nearness` orders instances in its place."""

    badness: float
    counted: bool
    tie: bool
    claims: tuple[float, ...]
    overruled: bool = False
    nearness: float | None = None

    @property
    def apparent(self) -> bool:
        """Whether an inequality looks broken."""
        return any(self.claims)


UNCOUNTED = Evaluation(-math.inf, False, False, ())


def rank(seen: Evaluation) -> float:
    """How promising an instance is for those who want a worse one."""
    return rounded(seen.badness if seen.nearness is None else seen.nearness) - TIE_HANDICAP * seen.tie


def rounded(badness: float) -> float:
    """The nearest number of 40 bits: where a search goes does not hang on what floats cannot tell apart."""
    if not math.isfinite(2 * badness):
        return badness
    mantissa, exponent = math.frexp(badness)
    return math.ldexp(round(mantissa / TIE) * TIE, exponent)


def compared(lhs: float, rhs: float) -> tuple[float, bool, float]:
    """The badness of one inequality in floats (-inf where it has none), whether it is a tie, and by how much it looks
    broken."""
    gap = lhs - rhs
    if not math.isfinite(gap):
        return -math.inf, False, 0.0
    if abs(gap) <= TIE * max(abs(lhs), abs(rhs)):
        return (min(lhs / rhs, 1.0) if rhs > 0 else UNRESOLVED), True, 0.0
    return (lhs / rhs if rhs > 0 else gap + (gap > 0)), False, max(gap, 0.0)


def _compared_at_once(lhs: Array, rhs: Array) -> Evaluation:
    """The worst of many inequalities, each as `compared` has it."""
    gap, positive = lhs - rhs, rhs > 0
    finite = np.isfinite(gap)
    tie = finite & (abs(gap) <= TIE * np.maximum(abs(lhs), abs(rhs)))
    ratio = lhs / np.where(positive, rhs, 1)
    close = np.where(positive, np.minimum(ratio, 1), UNRESOLVED)
    badness = np.where(tie, close, np.where(positive, ratio, gap + (gap > 0)))
    badness[~finite] = -math.inf
    worst = int(np.argmax(badness))
    claims = np.where(finite & ~tie & (gap > 0), gap, 0.0).tolist()
    return Evaluation(float(badness[worst]), bool(badness.min() > -math.inf), bool(tie[worst]), tuple(claims))


def evaluated(statement: Statement, instance: Instance) -> Evaluation:
    """The worst of the inequalities of a statement on an instance in floats; `UNCOUNTED` where Python's own floats
    leave their range, as numpy's do in silence: exact arithmetic has the word then."""
    try:
        sides = all_sides(statement, instance)
        if isinstance(sides, Columns):
            return _compared_at_once(sides.lhs, sides.rhs)
        seen = [compared(float(lhs), float(rhs)) for lhs, rhs, _ in sides]
        vars(instance)
    except (ZeroDivisionError, OverflowError):
        return UNCOUNTED
    except TypeError:
        check_numbers(statement, instance)
        raise
    badness, tie, _ = max(seen, key=operator.itemgetter(0)) if len(seen) > 1 else seen[0]
    return Evaluation(badness, min(seen)[0] > -math.inf, tie, tuple([one[2] for one in seen]))


def nearness(statement: Statement, instance: Instance) -> float | None:
    """lhs - rhs where it is negative, or lhs that has to be positive first, in units of what it changes, to first
    order, when each input does by about its size: how near to 0 it is whatever its scale. None where it has no such
    unit."""
    with contextlib.suppress(Exception):
        nudged = Instance(**{name: _nudged(value, 1, NUDGE) for name, value in vars(instance).items()})
        pairs = zip(all_sides(statement, instance), all_sides(statement, nudged), strict=True)
        near = max(gap * NUDGE / abs(moved - gap) for gap, moved in [_lacking(one, other) for one, other in pairs])
        return near if -math.inf < near < 0 else None
    return None


def _lacking(one: Sides, other: Sides) -> tuple[float, float]:
    """What must become positive first, before and after a move: a left side that moves with a positive right one."""
    part = 0 if one.rhs > 0 and one.lhs != other.lhs else 1
    return float(one.lhs - part * one.rhs), float(other.lhs - part * other.rhs)


def repeats(
    statement: Statement, instance: Instance, claims: tuple[float, ...], runs: int, least: float, most: float = math.inf
) -> bool:
    """Whether so many runs with inputs an ulp off claim as much again, up to these factors: rounding hardly does."""
    return all(_claims_again(moved(statement, instance, k), claims, least, most) for k in range(runs))


def _claims_again(again: Evaluation | None, claims: tuple[float, ...], least: float, most: float) -> bool:
    if again is None or len(again.claims) != len(claims):  # nothing is known: exact arithmetic is asked
        return True
    pairs = zip(claims, again.claims, strict=True)
    return any(before > 0 and least * before <= now <= most * before for before, now in pairs)


def moved(statement: Statement, instance: Instance, k: int) -> Evaluation | None:
    """The evaluation of an instance whose floats are an ulp off, in the k-th way; None if it has none."""
    try:
        return evaluated(statement, Instance(**{name: _nudged(value, k) for name, value in vars(instance).items()}))
    except Exception:
        return None


def _nudged(value: Any, k: int, by: float = EPSILON) -> Any:
    """A part of an instance with its floats an ulp off; what was equal stays so, as a point and the bound it is at."""
    if isinstance(value, float):
        return value * (1 + (by if hash((k, value)) & 64 else -by))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.array([_nudged(x, k, by) for x in value.flat], value.dtype).reshape(value.shape)
    if isinstance(value, tuple):
        parts = [_nudged(part, k, by) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
