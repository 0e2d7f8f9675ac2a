r"""Growth exponents over a geometric grid of T, with intervals: what can be said of "$\tilde O(T^p)$" by measurement.

For every family of sequences the claimed quantity is computed on the grid of the statement's `Growth`, and its slope is
fitted twice, without a logarithm and with the claimed one. Every other family is an adversary's: the worst known one is
changed at a small T, where that costs little, the worst of its changes at the next T, and so on, until new families may
take its place. A slope whose interval lies above the claimed exponent, also when the family is carried beyond the grid,
makes the claim SUSPECT; a grid never refutes, since a constant may hide anything finite. A family that would soon come
to the constant that others need is carried there: most of them only come late to where others are. The intervals of one
run hold together at the error level `statistics.ERROR`, as far as the residuals are independent and normal.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from arubatheory.engines.moves import nearby
from arubatheory.engines.statistics import ROUNDING, SLACK, Fit, carried, fit, grid
from arubatheory.engines.trial import check_run, copied, drawn, leaving_out, measured
from arubatheory.engines.verdict import Status, Verdict, reached
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import Draw, RandomDraw, Tape, TapeDraw
from arubatheory.problems.numbers import real
from arubatheory.statements.core import Instance, NotAnInstance, Statement
from arubatheory.statements.growth import FARTHER, Growth

NO_GROWTH = -1e300  # the excess where nothing grew
MOVES, FRESH = 4, 12  # changes of a family at one T, before the worst goes on to the next; new ones, at the last
Found = tuple[Tape, Fit]


def rate(statement: Statement, budget: int, seed: int) -> Verdict:
    """Fit `budget` >= 1 drawn families; a trial is one value on a grid, and none counts where no family gave a slope.

    Raises TypeError for no `Statement`, ValueError for one that claims no growth and a budget or a `seed` that is none.
    """
    check_run(statement, budget, seed)
    growth = statement.growth
    if growth is None:
        raise ValueError(f"statement {statement.label} claims no growth: it has no `growth`")
    _check(growth)
    uncounted: dict[str, int] = {}
    said: dict[str, Any] = {"engine": "rate", "seed": seed, "budget": budget, "uncounted": uncounted}
    known = _remembering(statement)
    found = _fits(known, known.growth, budget, seed, uncounted)
    if not found:
        return reached(Status.IDLE, statement.label, evaluations=budget, **said)
    tape, worst = _lasting(known, known.growth, found, budget)
    said["trials"] = any(seen.claimed for _, seen in found) * sum(int(np.isfinite(seen.y).sum()) for _, seen in found)
    curve = [[float(T), float(f"{y:.6g}")] for T, y in zip(worst.T, worst.y, strict=True)]
    note, breaks = describe(growth, worst), worst.over > ROUNDING
    return measured(statement, tape, max(worst.over, NO_GROWTH), note, breaks, curve, evaluations=budget, **said)


def _check(growth: Growth) -> None:
    """Raises TypeError for what is no number, ValueError for an exponent or a power that is not finite, and unless
    1 <= shortest < longest <= limit."""
    for name in ("exponent", "power", "shortest", "longest"):
        real(name, getattr(growth, name))
    if not 1 <= growth.shortest < growth.longest <= (growth.longest if growth.limit is None else growth.limit):
        raise ValueError(f"a grid needs 1 <= shortest < longest <= limit, got {growth[3:5]} and {growth.limit}")


def _remembering(statement: Statement) -> Statement:
    """The same, but that a family which is met again, from the same tape, is the same instance, of which the values
    are known; all are kept until the run ends."""
    met, values = dict[Any, Instance](), dict[tuple[int, int], Any]()

    def instance(draw: Draw) -> Instance:
        made = statement.instance(draw)
        return met.setdefault((draw.exact, *map(tuple, draw.tape)), made)

    def excess(made: Instance, T: int) -> Any:
        if (id(made), T) not in values:
            values[id(made), T] = statement.growth.excess(made, T)
        return values[id(made), T]

    return replace(statement, instance=instance, growth=statement.growth._replace(excess=excess))


def _fits(statement: Statement, growth: Growth, budget: int, seed: int, uncounted: dict[str, int]) -> list[Found]:
    rng, moving, found = np.random.default_rng(seed), np.random.default_rng([seed, 1]), list[Found]()
    for k in range(budget):
        draw: Draw = LenientDraw(_adversary(statement, growth, found, moving)) if k % 2 and found else RandomDraw(rng)
        with leaving_out(uncounted):
            seen = fit(growth, drawn(statement, draw), budget)
            found.append((copied(draw.tape), seen))
    return found


def _lasting(statement: Statement, growth: Growth, found: list[Found], budget: int) -> Found:
    """The family that exceeds the claim the most, of those that do so when they are carried on, and again where as much
    more would bring them to the constant that others need, and has to, if there is any."""
    needed, faded = max(seen.constant(growth) for _, seen in found), list[Found]()
    left = sorted(found, key=lambda family: -family[1].over)
    while left and left[0][1].over > ROUNDING:
        tape, seen = left.pop(0)
        seen = carried(growth, instance := statement.instance(TapeDraw(tape)), seen, budget)
        here = seen.constant(growth)
        if here < needed <= SLACK * here * FARTHER ** max(seen.over, 0.0):
            farther = carried(growth._replace(longest=seen.T[-1]), instance, seen, budget)
            late = farther.T[-1] > seen.T[-1] and SLACK * farther.constant(growth) <= needed
            seen = farther._replace(over=min(farther.over, 0.0)) if late else farther
        if seen.over > ROUNDING:
            return tape, seen
        faded.append((tape, seen))
    return max(faded + left, key=lambda family: family[1].over)


def _adversary(statement: Statement, growth: Growth, found: list[Found], rng: np.random.Generator) -> Tape:
    """The worst family known at some T, changed at each T of the lower half of the grid, where the worst stays; at the
    last of these new ones may be worse."""
    lengths = grid(growth)
    at = int(rng.integers(len(lengths)))
    tape = max(found, key=lambda family: np.nan_to_num(family[1].y[at], nan=-np.inf))[0]
    for T in (short := lengths[: len(lengths) // 2]):
        fresh = [RandomDraw(rng) for _ in range(FRESH if T == short[-1] else 0)]
        changes = [LenientDraw(tape), *fresh, *(nearby(rng, statement.instance, tape) for _ in range(MOVES))]
        tape = max(changes, key=lambda draw: _value(statement, growth, draw, T)).tape
    return tape


def _value(statement: Statement, growth: Growth, draw: Draw, T: int) -> float:
    with suppress(NotAnInstance):
        y = float(growth.excess(drawn(statement, draw), T))
        return y if math.isfinite(y) else -math.inf
    return -math.inf


def describe(growth: Growth, seen: Fit) -> str:
    """Both slopes in words, and what the grid cannot tell apart."""
    n = growth.variable
    if seen.plain is None or seen.claimed is None:
        return f"no growth on {n} = {seen.T[0]}..{seen.T[-1]}; claimed {growth.exponent:g}"
    plain, claimed = (f"{s.value:.3f} [{s.low:.3f}, {s.high:.3f}]" for s in (seen.plain, seen.claimed))
    text = f"exponent {plain} on {n} = {seen.T[seen.start]}..{seen.T[-1]}"
    if growth.power:
        text += f", {claimed} with log^{growth.power:g} {n} divided out"
    if seen.over <= 0 and seen.claimed.low > growth.exponent:
        text += ", which is more and does not last"
    return f"{text}; claimed {growth.exponent:g}; the grid tells exponents apart that differ by {seen.resolution:.2f}"
