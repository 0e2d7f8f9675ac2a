r"""Claims in expectation or "with probability $1-\delta$", by replicates: what sampling can say, and at which error.

Half of the budget looks for the drawn problem on which the claim fares worst, the other half tests the worst ones on
fresh replicates, so that looking does not bias the test. A probability is tested by Clopper and Pearson's interval, a
mean by a confidence sequence, which may be stopped at any time. All intervals of one run hold together with probability
at least 1 - ERROR; an interval above the claim makes it SUSPECT. Only exact probabilities refute, and those are sides
like any other (`statements.chance`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arubatheory.engines.exact import Certificate
from arubatheory.engines.statistics import ERROR, Interval, estimate
from arubatheory.engines.trial import check_run, copied, drawn, leaving_out, measured
from arubatheory.engines.verdict import Status, Verdict, Witness, reached
from arubatheory.engines.witness import make_witness
from arubatheory.problems.draw import RandomDraw, Tape, TapeDraw
from arubatheory.statements.chance import Chance
from arubatheory.statements.core import Instance, Sides, Statement
from arubatheory.statements.effort import ENGINES

LEAST = ENGINES["simulate"].least  # replicates: one to look at each problem, and as many to test with
SEEN, TESTED = LEAST // 2, 4  # problems that are looked at, and those of them that are tested


class Found(NamedTuple):
    """A drawn problem, how it was drawn, and by how much the claim fails on it."""

    instance: Instance
    tape: Tape
    excess: Interval
    replicates: int


def simulate(statement: Statement, budget: int, seed: int) -> Verdict:
    """Try the statement on `budget` >= 32 replicates; a trial is one replicate.

    Raises TypeError for no `Statement`, ValueError for one that claims nothing about a sample and a budget or a `seed`
    that is none.
    """
    check_run(statement, budget, seed, LEAST)
    chance = statement.chance
    if chance is None:
        raise ValueError(f"statement {statement.label} claims nothing about a sample: it has no `chance`")
    uncounted: dict[str, int] = {}
    seen, tested = _tested(statement, chance, budget, seed, uncounted)
    if not tested:
        return reached(Status.IDLE, statement.label, "simulate", seed, budget, evaluations=SEEN, uncounted=uncounted)
    worst = max(tested, key=lambda found: found.excess.low)
    trials = seen * (budget // LEAST) + sum(found.replicates for found in tested)
    return measured(_witness(statement, chance, worst, seed), budget, worst.excess.low > 0, trials, trials, uncounted)


def _tested(
    statement: Statement, chance: Chance, budget: int, seed: int, uncounted: dict[str, int]
) -> tuple[int, list[Found]]:
    """How many problems were looked at, and the worst of them, tested."""
    looking, testing = np.random.default_rng(seed).spawn(2)
    each, fresh = budget // LEAST, budget // (2 * TESTED)
    seen, tested = list[Found](), list[Found]()
    for _ in range(SEEN):
        with leaving_out(uncounted):
            seen.append(_look(statement, chance, looking, each))
    for found in sorted(seen, key=lambda found: -found.excess.value)[:TESTED]:
        with leaving_out(uncounted):
            excess = estimate(chance, found.instance, testing, fresh, ERROR / TESTED)
            tested.append(found._replace(excess=excess, replicates=fresh))
    return len(seen), tested


def _look(statement: Statement, chance: Chance, rng: np.random.Generator, replicates: int) -> Found:
    draw = RandomDraw(rng)
    instance = drawn(statement, draw)
    return Found(instance, copied(draw.tape), estimate(chance, instance, rng, replicates, ERROR), replicates)


def _witness(statement: Statement, chance: Chance, found: Found, seed: int) -> Witness:
    instance = statement.instance(TapeDraw(found.tape, exact=True))
    certificate = Certificate("float", Sides(found.excess.low, 0.0), 0, instance, {})
    return make_witness(statement, found.tape, certificate, "simulate", seed, describe(chance, found))


def describe(chance: Chance, found: Found) -> str:
    """The interval in words, with its error level."""
    value, low, high = found.excess
    level = f"{found.replicates} replicates, error {ERROR:g} for all intervals of the run"
    if chance.delta is None:
        return f"mean excess {value:.4g} [{low:.4g}, {high:.4g}], claimed at most 0; {level}"
    delta = float(chance.delta(found.instance))
    ends = f"{value + delta:.4g} [{low + delta:.4g}, {high + delta:.4g}]"
    return f"violated with probability {ends}, claimed at most {delta:.4g}; {level}"
