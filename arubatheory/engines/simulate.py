r"""Claims in expectation or "with probability $1-\delta$", by replicates: what sampling can say, and at which error.

Half of the budget looks for the problem on which the claim fares worst, by a race: of many problems, each tried on few
replicates, the worst eighth goes on, beside three changes of each, with twice as many. The other half tests the last on
fresh replicates, so that looking does not bias the test. A probability is tested by Clopper and Pearson's interval, a
mean by a confidence sequence, which may be stopped at any time. All intervals of one run hold together with probability
at least 1 - ERROR; an interval above the claim makes it SUSPECT. Only exact probabilities refute, and those are sides
like any other (`statements.chance`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from arubatheory.engines.moves import nearby
from arubatheory.engines.statistics import ERROR, Interval, estimate
from arubatheory.engines.trial import check_run, copied, drawn, leaving_out, measured
from arubatheory.engines.verdict import Status, Verdict, reached
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import Draw, RandomDraw, Tape
from arubatheory.statements.chance import Chance
from arubatheory.statements.core import Instance, Statement
from arubatheory.statements.effort import ENGINES

TESTED = 2  # problems at the end of a race


class Found(NamedTuple):
    """A problem, how it was drawn, and by how much the claim fails on it."""

    instance: Instance
    tape: Tape
    excess: Interval
    replicates: int

    @property
    def score(self) -> float:
        """The excess in units of its half-width, that on the side of 0; one less where it is none, and no chance."""
        value, low, high, varies = self.excess
        return value / max(value - low if value > 0 else high - value, 1e-300) - (value <= 0 and not varies)


def simulate(statement: Statement, budget: int, seed: int) -> Verdict:
    """Try the statement on `budget` >= 32 replicates; a trial is one replicate.

    Raises TypeError for no `Statement`, ValueError for one that claims nothing about a sample and a budget or a `seed`
    that is none.
    """
    check_run(statement, budget, seed, ENGINES["simulate"].least)
    if statement.chance is None:
        raise ValueError(f"statement {statement.label} claims nothing about a sample: it has no `chance`")
    uncounted: dict[str, int] = {}
    looking, testing = np.random.default_rng(seed).spawn(2)
    laps = list(_raced(statement, budget, looking, uncounted))
    last = [LenientDraw(found.tape) for found in laps[-1]]
    laps += [_looked(statement, last, budget // (2 * TESTED), testing, uncounted)]
    trials = sum(found.replicates for lap in laps for found in lap)
    said: dict[str, Any] = {"engine": "simulate", "seed": seed, "budget": budget, "uncounted": uncounted}
    if not laps[-1]:
        return reached(Status.IDLE, statement.label, evaluations=trials, **said)
    found = max(laps[-1], key=lambda found: found.excess.low)
    low, note = found.excess.low, describe(statement.chance, found)
    return measured(statement, found.tape, low, note, low > 0, [], trials=trials, evaluations=trials, **said)


def _raced(
    statement: Statement, budget: int, rng: np.random.Generator, uncounted: dict[str, int]
) -> Iterator[list[Found]]:
    """The problems of each lap, half as many as before; half of those drawn have sizes up to 2, 4 or 8 times the usual
    ones."""
    laps, change = max(budget.bit_length() // 2 - 1, 1), functools.partial(nearby, rng, statement.instance)
    field: list[Draw] = [RandomDraw(rng, reach=1 << max(k % 6 - 2, 0)) for k in range(TESTED << laps - 1)]
    for lap in reversed(range(laps)):
        size = TESTED << lap
        yield (found := _looked(statement, field[:size], budget // (2 * laps * size), rng, uncounted))
        worse = sorted(found, key=lambda found: -found.score)[: max(size // 8, 1)]
        field = [draw for _, tape, *_ in worse for draw in (LenientDraw(tape), *(change(tape) for _ in range(3)))]


def _looked(
    statement: Statement, draws: Iterable[Draw], replicates: int, rng: np.random.Generator, uncounted: dict[str, int]
) -> list[Found]:
    """What is drawn, on so many replicates each; what is no instance is left out."""
    found = []
    for draw in draws:
        with leaving_out(uncounted):
            instance = drawn(statement, draw)
            excess = estimate(statement.chance, instance, rng, replicates, ERROR / TESTED)
            found.append(Found(instance, copied(draw.tape), excess, replicates))
    return found


def describe(chance: Chance, found: Found) -> str:
    """The interval in words, with its error level."""
    value, low, high, _ = found.excess
    level = f"{found.replicates} replicates, error {ERROR:g} for all intervals of the run"
    if chance.delta is None:
        return f"mean excess {value:.4g} [{low:.4g}, {high:.4g}], claimed at most 0; {level}"
    delta = float(chance.delta(found.instance))
    ends = f"{value + delta:.4g} [{low + delta:.4g}, {high + delta:.4g}]"
    return f"violated with probability {ends}, claimed at most {delta:.4g}; {level}"
