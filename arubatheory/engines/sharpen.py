r"""sharpen: how large must a constant be?

A free constant of a claim is a factor c on its right side, unless the statement declares others (`Constant`). For each
size the answer is an interval: the largest constant that a witness, certified in exact arithmetic, refutes, and the
smallest that a search did not break; the latter is evidence, not proof.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from arubatheory.engines.exact import certify
from arubatheory.engines.search import search
from arubatheory.engines.verdict import Status, Verdict, Witness
from arubatheory.problems.draw import Draw, Tape
from arubatheory.statements.core import Constant, Instance, Sides, Statement, all_sides

FACTOR = "factor"
CLOSE = Fraction(1, 10**9)  # relative: how far below its ratio a witness refutes a constant for certain
STEPS = 24  # of a bisection
SIZES = (1, 2, 3, 5, 8, 13)


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
        return tuple(Sides(s.lhs, s.rhs * _like(c, s.rhs)) for s in all_sides(statement, instance))

    return replace(statement, sides=sides, gram=None)


def _like(c: Fraction, x: Any) -> Any:
    return float(c) if isinstance(x, float) else c


def of_size(statement: Statement, name: str, size: int) -> Statement:
    """The statement on games in which the size of this name has this value, as far as its limit admits it."""

    def instance(draw: Draw) -> Instance:
        draw.held = {name: size}
        return statement.instance(draw)

    return replace(statement, instance=instance)


def first_size(statement: Statement) -> str | None:
    """The name of the first size that the statement draws; None without any."""
    from arubatheory.problems.coarse import LenientDraw

    draw = LenientDraw(Tape([], []))
    statement.instance(draw)
    return next(iter(draw.sizes), None)


def sharpen(
    statement: Statement, name: str | None = None, sizes: Sequence[int] = SIZES, budget: int = 2500, seed: int = 0
) -> list[Sharp]:
    """The interval of a constant for each size, and then for all; for none but all where the statement draws no size.
    Raises ValueError for a constant that it does not have, sizes below 1, and sides that are not finite at all."""
    if any(isinstance(k, bool) or not isinstance(k, int) or k < 1 for k in sizes):
        raise ValueError(f"sizes must be integers >= 1, got {list(sizes)!r}")
    constant, size = constant_of(statement, name), first_size(statement)
    found = [_sharp(constant, size, k, budget, seed) for k in sizes] if size else []
    return [*found, _sharp(constant, None, None, budget * (2 if size else 1), seed)]


def _sharp(constant: Constant, name: str | None, size: int | None, budget: int, seed: int) -> Sharp:
    def at(c: Fraction) -> Statement:
        made = constant.at(c)
        return of_size(made, name, size) if name and size else made

    if constant.name == FACTOR:
        return _factor(at, size, budget, seed)
    return _bisected(constant, at, size, budget, seed)


def _factor(at: Any, size: int | None, budget: int, seed: int) -> Sharp:
    """A factor needs no bisection: the worst ratio is the largest factor that is refuted."""
    plain = at(Fraction(1))
    verdicts = [search(plain, budget, seed + k) for k in range(2)]
    worst = max(verdicts, key=_ratio)
    if worst.trials == 0:
        raise ValueError(f"{plain.label}: no trial has finite sides, there is no constant to look for")
    ratio, witness = _ratio(worst), worst.worst
    if witness is None or not math.isfinite(ratio) or ratio <= 0:
        return Sharp(size, None, None, sum(v.trials for v in verdicts), witness)
    below = Fraction(ratio) * (1 - CLOSE)
    refuted = certify(at(below), Tape(**witness.tape)).outcome == "violated"
    ends = [end for v in verdicts for end in v.reach.climbs]
    agree = sum(abs(end - ratio) <= 1e-6 * ratio for end in ends)
    trials = sum(v.trials for v in verdicts)
    return Sharp(size, float(below) if refuted else None, _above(ratio), trials, witness, len(ends), agree)


def _ratio(verdict: Verdict) -> float:
    usable = verdict.worst_ratio is not None and verdict.measure == "lhs/rhs"
    return float(verdict.worst_ratio or 0.0) if usable else -math.inf


def _above(ratio: float) -> float:
    """A little above: rounded up in the sixth digit."""
    scale = 10.0 ** (5 - math.floor(math.log10(ratio)))
    return math.ceil(ratio * scale * (1 + 1e-9)) / scale


def _bisected(constant: Constant, at: Any, size: int | None, budget: int, seed: int) -> Sharp:
    """Halve the interval of constants: a certified violation refutes one, a search that finds none lets it survive."""
    low, high = constant.ends
    trials, witness = 0, None
    for _ in range(STEPS):
        middle = (low + high) / 2
        verdict = search(at(middle), budget, seed, first=True)
        trials += verdict.trials
        refuted = verdict.status is Status.REFUTED
        witness = verdict.simplest if refuted else witness
        if refuted is constant.largest:
            high = middle
        else:
            low = middle
        if high - low <= CLOSE.limit_denominator() * 10**5 * high:
            break
    broken, whole = (high, low) if constant.largest else (low, high)
    return Sharp(size, float(broken) if witness else None, float(whole), trials, witness)
