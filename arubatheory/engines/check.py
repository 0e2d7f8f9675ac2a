r"""check: small and simple instances, and changes of the worst of them, until one violates the claim; that one is
simplified."""

from __future__ import annotations

import numpy as np

from arubatheory.engines.evaluation import rank
from arubatheory.engines.shrink import altered, simplest, words_of
from arubatheory.engines.trial import Best, Record, check_run, keep
from arubatheory.engines.verdict import Verdict
from arubatheory.problems.coarse import CoarseDraw, LenientDraw
from arubatheory.problems.draw import Draw, Tape
from arubatheory.statements.core import Statement


def check(statement: Statement, budget: int, seed: int) -> Verdict:
    """Try `budget` >= 1 instances of simple numbers, and no more after the first certified violation. Raises TypeError
    for no `Statement`, ValueError for a budget or a `seed` that is none."""
    check_run(statement, budget, seed)
    record = Record(statement, "check", seed)
    rng, words = np.random.default_rng([seed, 0xC4E]), list[int]()
    draw: Draw = LenientDraw(Tape([], []))  # the simplest of all
    best: Best = {}
    with np.errstate(all="ignore"):
        while record.evaluations < budget and not record.violated:
            keep(best, rank(record.evaluate(draw)), draw.tape)
            draw = LenientDraw(changed(best, rng)) if record.evaluations % 2 else CoarseDraw(rng, words)
    record.settle()
    return record.verdict(budget, simplest(statement, record.violated))


def changed(best: Best, rng: np.random.Generator) -> Tape:
    """One of the best tapes, altered."""
    words = words_of(rng)
    parents, word = sorted(best.values(), key=lambda found: -found[0]), words.pop()
    return altered(parents[0 if word & 1 else (word >> 1) % len(parents)][1], words)
