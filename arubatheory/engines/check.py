r"""check: small and simple instances, and changes of the worst of them, until one violates the claim; that one is
simplified."""

from __future__ import annotations

import operator

import numpy as np

from arubatheory.engines.shrink import simplest
from arubatheory.engines.trial import Record, check_run, rank
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
    with np.errstate(all="ignore"):
        worst = (rank(record.evaluate(draw)), draw.tape)
        while record.evaluations < budget and not record.violated:
            draw = LenientDraw(changed(worst[1], rng)) if record.evaluations % 2 else CoarseDraw(rng, words)
            worst = max(worst, (rank(record.evaluate(draw)), draw.tape), key=operator.itemgetter(0))
    record.settle()
    return record.verdict(budget, simplest(statement, record.violated))


def changed(tape: Tape, rng: np.random.Generator) -> Tape:
    """A tape with a few of its numbers replaced: integers by ones next to them, units by simple ones or by others of
    it."""
    integers, units = list(tape.integers), list(tape.units)
    places, words = len(integers) + len(units), (rng.bit_generator.random_raw(2 * CHANGES + 1) & WORD).tolist()
    for place, word in zip(words[: words[-1] % CHANGES + 1], words[CHANGES:], strict=False):
        k = place % max(places, 1) - len(integers)
        if k < 0:
            integers[k] = max(integers[k] + (-1, 1, -2, 2)[word % 4], 0)
        elif units:
            others = units if word & 1 else COARSE[word >> 1 & 1]
            units[k] = others[(word >> 2) % len(others)]
    return Tape(integers, units)
