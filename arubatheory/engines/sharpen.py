r"""sharpen: how large must a constant be?

A free constant of a claim is a factor c on its right side, unless the statement declares others (`Constant`). For each
size the answer is an interval: the largest constant that a witness, certified in exact arithmetic, refutes, and the
smallest that a search did not break; the latter is evidence, not proof.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from arubatheory.engines.exact import certify
from arubatheory.engines.polish import polish, stretched, tried
from arubatheory.engines.search import search
from arubatheory.engines.trial import Enough, Record
from arubatheory.engines.verdict import Status, Verdict, Witness
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import Draw, Tape
from arubatheory.statements.core import Constant, Instance, NotAnInstance, Sides, Statement, all_sides

FACTOR = "factor"
CLOSE = Fraction(1, 10**9)  # relative: how far below its ratio a witness refutes a constant for certain
AGAIN = 3  # times that what survived halving is tried
NARROW = Fraction(1, 10**6)  # relative: the width at which halving ends
SIZES = (1, 2, 3, 5, 8, 13)
OPERATIONS = 500  # with gradients, for each evaluation of a budget


class Sharp(NamedTuple):
    """What was found for one size (None: all): constants up to `refuted` are refuted by a certified witness (None: no
    constant is), and those from `survived` on were not broken in so many trials. `largest` swaps both: the claim holds
    for small constants."""

    size: int | None
    refuted: float | None
    survived: float | None
    trials: int
    witness: Witness | None
    climbs: int = 0
    agree: int = 0


def constants_of(statement: Statement) -> tuple[Constant, ...]:
    """The declared constants of a statement, or the factor on its right side."""
    return statement.constants or (Constant(FACTOR, 1, lambda c: times(statement, c)),)


def constant_of(statement: Statement, name: str | None) -> Constant:
    """The constant of this name, the first without one; ValueError for one that the statement does not have."""
    known = constants_of(statement)
    found = known[0] if name is None else next((c for c in known if c.name == name), None)
    if found is None:
        raise ValueError(f"constant must be one of {', '.join(c.name for c in known)}, got {name!r}")
    return found


def times(statement: Statement, c: Fraction) -> Statement:
    """The statement with its right sides multiplied by c."""

    def sides(instance: Instance) -> tuple[Sides, ...]:
        return tuple(Sides(s.lhs, s.rhs * c) for s in all_sides(statement, instance))

    return replace(statement, sides=sides, gram=None)


def of_size(statement: Statement, name: str, size: int) -> Statement:
    """The statement on games in which the size of this name has this value, as far as its limit admits it."""

    def instance(draw: Draw) -> Instance:
        draw.held = {name: size}
        return statement.instance(draw)

    return replace(statement, instance=instance)


class _Sizes(LenientDraw):
    """The simplest draw; notes how large each size usually is."""

    def __init__(self) -> None:
        super().__init__(Tape([], []))
        self.usual: dict[str, int] = {}

    def size(self, name: str, usual: int, limit: int | None = None, least: int = 1) -> int:
        self.usual[name] = max(usual, self.usual.get(name, 0))
        return super().size(name, usual, limit, least)


def size_of(statement: Statement, name: str | None = None) -> str | None:
    """The name of the size along which a constant is looked for: the given one, else that which usually is the
    largest (the first of several); None where none is drawn. ValueError for a size that is not drawn."""
    draw = _Sizes()
    with contextlib.suppress(NotAnInstance):
        statement.instance(draw)
    if name is not None and name not in draw.usual:
        raise ValueError(f"size must be one of {', '.join(draw.usual) or 'none'}, got {name!r}")
    return name or max(draw.usual, key=lambda each: draw.usual[each], default=None)


def admits(statement: Statement, name: str, size: int) -> bool:
    """Whether the limit of the size of this name admits this value."""
    draw = LenientDraw(Tape([], []))
    with contextlib.suppress(NotAnInstance):
        of_size(statement, name, size).instance(draw)
    return draw.sizes.get(name) == size


def sharpen(
    statement: Statement,
    name: str | None = None,
    sizes: Sequence[int] | None = None,
    budget: int = 2500,
    seed: int = 0,
    size: str | None = None,
) -> list[Sharp]:
    """The interval of a constant for each value of `size` (default: `size_of`; those of `SIZES` that its limit admits),
    and then for all; for none but all where the statement draws no size.

    Raises ValueError for a constant or a size that it does not have, sizes below 1 or beyond a limit, and sides that
    are not finite at all."""
    if any(isinstance(k, bool) or not isinstance(k, int) or k < 1 for k in sizes or ()):
        raise ValueError(f"sizes must be integers >= 1, got {list(sizes or ())!r}")
    constant, along = constant_of(statement, name), size_of(statement, size)
    wanted = sorted(set(sizes or SIZES))
    admitted = [k for k in wanted if along and admits(statement, along, k)]
    if sizes and along and admitted != wanted:
        raise ValueError(f"sizes must be admitted by the limit of {along}, got {list(sizes)!r}")
    found = list[Sharp]()
    for k, effort in [*((k, budget) for k in admitted), (None, budget * (2 if along else 1))]:

        def at(c: Fraction, k: int | None = k) -> Statement:
            return of_size(constant.at(c), along, k) if along and k else constant.at(c)

        if statement.constants:
            found.append(_bisected(constant, at, k, effort, seed))
        else:
            found.append(_factor(at, along, k, effort, seed, [Tape(**s.witness.tape) for s in found if s.witness]))
    return found


def _factor(at: Any, name: str | None, size: int | None, budget: int, seed: int, before: Sequence[Tape]) -> Sharp:
    """A factor needs no bisection: the worst ratio is the largest factor that is refuted. The witnesses of smaller
    sizes, stretched, are climbed again."""
    plain = at(Fraction(1))
    searched = [search(plain, budget, seed + k) for k in range(2)]
    tapes = [Tape(**v.worst.tape) for v in searched if v.worst and v.trials]
    if not tapes:
        raise ValueError(f"{plain.label}: no trial has finite sides, there is no constant to look for")
    record = Record(plain, "search", seed)
    with np.errstate(all="ignore"):
        if name and size:
            tapes += [_of_size(record, tape, name, size) for tape in before[-2:]]
        ends = polish(record, tapes + list(before if size is None else ()), budget, OPERATIONS * budget, seed)
        record.settle()
    verdicts = [*searched, record.verdict(budget)]
    worst = max(verdicts, key=_ratio)
    ratio, witness, trials = _ratio(worst), worst.worst, sum(v.trials for v in verdicts)
    if witness is None or not math.isfinite(ratio) or ratio <= 0:
        return Sharp(size, None, None, trials, witness)
    below = Fraction(ratio) * (1 - CLOSE)
    refuted = certify(at(below), Tape(**witness.tape)).outcome == "violated"
    ends += [end for v in searched for end in v.reach.climbs]
    agree = sum(abs(end - ratio) <= 1e-6 * ratio for end in ends)
    return Sharp(size, float(below) if refuted else None, above(ratio), trials, witness, len(ends), agree)


def _of_size(record: Record, tape: Tape, name: str, size: int) -> Tape:
    """The worst of the games of another size that a tape is stretched to."""
    games = [tried(record, draw) for draw in stretched(record.statement.instance, tape, name, size)]
    return max(games, key=lambda climber: climber[0], default=(0.0, tape))[1]


def _ratio(verdict: Verdict) -> float:
    usable = verdict.worst_ratio is not None and verdict.measure == "lhs/rhs"
    return float(verdict.worst_ratio or 0.0) if usable else -math.inf


def above(ratio: float) -> float:
    """A little above: rounded up in the sixth digit."""
    scale = 10.0 ** (5 - math.floor(math.log10(ratio)))
    return math.ceil(ratio * scale * (1 + 1e-9)) / scale


def _bisected(constant: Constant, at: Any, size: int | None, budget: int, seed: int) -> Sharp:
    """Halve the interval of constants, from the end that should be refuted: a certified violation, looked for near the
    last one first, refutes a constant; a search that finds none lets it survive. What survives in the end is tried
    again from other seeds, and where it falls, halving goes on below it; None survives where the last try fell."""
    holds, broken = constant.ends if constant.largest else constant.ends[::-1]
    trials, witness = _broken(at(broken), None, budget, seed)
    survived, tries = holds, 0
    while tries < AGAIN:
        ends = abs(broken - survived) <= NARROW * max(abs(broken), abs(survived))
        tries += ends
        middle = survived if ends else (broken + survived) / 2
        spent, found = _broken(at(middle), None if ends else witness, budget, seed + tries)
        trials, witness = trials + spent, found or witness
        if found is None:
            survived = middle
        else:
            broken, survived = middle, holds if ends else survived
    return Sharp(size, float(broken) if witness else None, None if found else float(survived), trials, witness)


def _broken(statement: Statement, near: Witness | None, budget: int, seed: int) -> tuple[int, Witness | None]:
    """Trials, and a certified violation if one is found."""
    trials = 0
    if near:
        record = Record(statement, "search", seed, first=True)
        with contextlib.suppress(Enough), np.errstate(all="ignore"):
            polish(record, [Tape(**near.tape)], budget, OPERATIONS * budget, seed, math.inf)
        verdict = record.verdict(budget)
        trials = verdict.trials
        if verdict.status is Status.REFUTED:
            return trials, verdict.worst
    verdict = search(statement, budget, seed, first=True)
    return trials + verdict.trials, verdict.worst if verdict.status is Status.REFUTED else None
