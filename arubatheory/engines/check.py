r"""check: small and simple instances, and changes of the worst of them, until one violates the claim; that one is
simplified."""

from __future__ import annotations

import numpy as np

from arubatheory.engines.shrink import simplest
from arubatheory.engines.trial import Best, Record, check_run, keep, rank
from arubatheory.engines.verdict import Verdict
from arubatheory.problems.coarse import COARSE, CoarseDraw, LenientDraw
from arubatheory.problems.draw import WORD, Draw, Tape
from arubatheory.statements.core import Statement

CHANGES = 3  # of the worst tape, at most, to get the next one


def check(statement: Statement, budget: int, seed: int) -> Verdict:
    """Try `budget` >= 1 instances of simple numbers, and no more after the first certified violation. Raises TypeError
    for no `Statement`, ValueError for a budget or a `seed` that is none."""
    check_run(statement, budget, seed)
    record = Record(statement, "check", seed)
    rng, words = np.random.default_rng([seed, 0xC4E]), list[int]()
    draw: Draw = LenientDraw(Tape([], []))  # the simplest of all
    best: Best = {}
    with np.errstate(all="ignore"):
        keep(best, rank(record.evaluate(draw)), draw.tape)
        while record.evaluations < budget and not record.violated:
            draw = LenientDraw(changed(best, rng)) if record.evaluations % 2 else CoarseDraw(rng, words)
            keep(best, rank(record.evaluate(draw)), draw.tape)
    record.settle()
    return record.verdict(budget, simplest(statement, record.violated))


def changed(best: Best, rng: np.random.Generator) -> Tape:
    """One of the best tapes with a few of its numbers replaced: integers by small ones or those next to them, units by
    simple ones or by others of it."""
    words = (rng.bit_generator.random_raw(2 * CHANGES + 2) & WORD).tolist()
    parents, word = sorted(best.values(), key=lambda found: -found[0]), words.pop()
    tape = parents[0 if word & 1 else (word >> 1) % len(parents)][1]
    integers, units, places = list(tape.integers), list(tape.units), len(tape.integers) + len(tape.units)
    for place, word in zip(words[: words[-1] % CHANGES + 1], words[CHANGES:], strict=False):
        k = place % max(places, 1) - len(integers)
        if k < 0:
            integers[k] = word % 5 if word & 32 else max(integers[k] + (-1, 1, -2, 2)[word % 4], 0)
        elif units:
            others = units if word & 1 else COARSE[word >> 1 & 1]
            units[k] = others[(word >> 2) % len(others)]
    return Tape(integers, units)
