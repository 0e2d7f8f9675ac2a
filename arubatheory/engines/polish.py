r"""From a good tape to the last digits of a supremum: ascents, and small changes from which ascents start again.

Where the sides have a gradient an ascent ends within some $10^{-12}$ of the top of its hill; a change of a few numbers
or of one choice leads to the next hill. Where they have none, evolution with ever smaller steps does what it can.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from arubatheory.engines.climb import NoGradient, ascend, climb
from arubatheory.engines.evaluation import TIE_HANDICAP, rank
from arubatheory.engines.moves import nearby
from arubatheory.engines.trial import Climber, Record, copied
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import Draw, Tape
from arubatheory.problems.rows import RowsDraw, questions

GAIN = 1e-12  # relative: what is no gain
EACH = 120  # gradients of one ascent
HOPS, STALE = 64, 24  # changes, and how many in turn may gain nothing
SIGMAS = (0.1, 0.03, 0.01, 1e-3, 1e-4)


def polish(
    record: Record, tapes: Sequence[Tape], evaluations: int, operations: int, seed: int, attained: float = 1 - GAIN
) -> list[float]:
    """Climb on from the best of some tapes, for so many evaluations and operations with gradients, unless a ratio of
    `attained` is there from the start (beyond that of a claim that holds there is nothing to find); where the climbs
    ended. What was met is in the record."""
    until, rng = record.evaluations + evaluations, np.random.default_rng([seed, 0x901])
    starts = sorted((tried(record, LenientDraw(tape)) for tape in tapes), key=lambda climber: -climber[0])
    starts = [climber for climber in starts if climber[0] >= 1 - TIE_HANDICAP and climber[1].units]
    if not starts or starts[0][0] >= attained:
        return []
    try:
        return _hops(record, starts, until, record.operations + operations, rng)
    except NoGradient:
        return _evolved(record, starts[0], until, rng)


def tried(record: Record, draw: Draw) -> Climber:
    """One evaluation as a climber."""
    return rank(record.evaluate(draw)), copied(draw.tape)


def _hops(record: Record, starts: Sequence[Climber], until: int, most: int, rng: np.random.Generator) -> list[float]:
    """Ascents from the starts, and then from changes of the best, until nothing is gained or all is spent."""
    ends, stale, best = list[float](), 0, starts[0]
    for hop in range(HOPS):
        left = until - record.evaluations
        if stale >= STALE or left < 2 or record.operations > most:
            break
        change = nearby(rng, record.statement.instance, best[1])
        start = starts[hop] if hop < len(starts) else tried(record, change)
        end = ascend(record, start, min(EACH, left - 1), most)
        stale = 0 if end[0] > best[0] * (1 + GAIN) else stale + 1
        best = max(best, end, key=lambda climber: climber[0])
        ends.append(end[0])
    return ends


def _evolved(record: Record, best: Climber, until: int, rng: np.random.Generator) -> list[float]:
    """Climbs with smaller and smaller first steps."""
    ends = []
    for k, sigma in enumerate(SIGMAS):
        share = max(until - record.evaluations, 0) // (len(SIGMAS) - k)
        best = climb(record, best, sigma, share, int(rng.integers(2**31)))
        ends.append(best[0])
    return ends


def stretched(instance: Callable[[Draw], Any], tape: Tape, name: str, size: int) -> Iterator[Draw]:
    """The game of a tape with its first size of this name changed: its rows repeated, spread out, held at the last one,
    and with the first one held."""
    asked = questions(instance, tape)
    place = next((k for k, question in enumerate(asked) if question.kind == name), None)
    if place is None:
        return
    old, rows = asked[place].answer[0], np.arange(size)
    with contextlib.suppress(ValueError, ArithmeticError):
        for taken in (rows % old, rows * old // size, np.minimum(rows, old - 1), np.maximum(rows - (size - old), 0)):
            yield RowsDraw(asked, {place: size}, {(old, size): taken})
