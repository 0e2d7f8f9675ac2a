r"""search: an adversary climbs lhs/rhs.

Half of the budget draws instances at random, until one refutes the claim; the best structures (the integers of a tape:
sizes, kinds, choices) are kept, and for each of them CMA-ES moves the units of the tape, seen as a point of the unit
cube, uphill.
"""

from __future__ import annotations

import contextlib
import math
import sys
import warnings
from typing import Any

import numpy as np

from arubatheory.engines.shrink import simplest
from arubatheory.engines.trial import TIE_HANDICAP, Best, Climber, Enough, Record, check_run, copied, keep, rank
from arubatheory.engines.verdict import Verdict
from arubatheory.problems.draw import GRID, GridDraw, RandomDraw, Tape, on_grid
from arubatheory.statements.core import Statement

FULL = 8  # units up to which the climb learns a full covariance
SIGMAS = (0.1, 0.1, 0.03)  # first steps in the rounds of climbing
WORSE = 4  # of a budget, the part that goes into worse witnesses once random instances have refuted the claim
CEILING = 1e6  # a ratio this large needs no climbing


def search(statement: Statement, budget: int, seed: int, first: bool = False) -> Verdict:
    """Spend `budget` >= 1 evaluations on making lhs/rhs as large as possible; with `first`, end at the first certified
    violation. Raises TypeError for no `Statement` and a `first` that is no bool, ValueError for a budget or a `seed`
    that is none."""
    check_run(statement, budget, seed)
    if not isinstance(first, bool):
        raise TypeError(f"first must be True or False, got {first!r}")
    record = Record(statement, "search", seed, first)
    rng = np.random.default_rng([seed, 0x5EA])
    with np.errstate(all="ignore"), contextlib.suppress(Enough):
        best = _scatter(record, rng, (budget + 1) // 2)
        last = min(budget, record.evaluations + budget // WORSE) if record.violated else budget
        _tournament(record, [found for found in best if found[0] < CEILING and found[1].units], last, rng)
        _scatter(record, rng, budget - record.evaluations)
    record.settle()
    return record.verdict(budget, simplest(statement, record.violated))


def _tournament(record: Record, climbers: list[Climber], budget: int, rng: np.random.Generator) -> None:
    """Rounds of climbing with equal shares of what is left; after each, the lower half of the climbers leaves."""
    for rounds_left, sigma in zip(range(len(SIGMAS), 0, -1), SIGMAS, strict=True):
        if not climbers:
            return
        share = (budget - record.evaluations) // rounds_left // len(climbers)
        climbed = [_climb(record, climber, sigma, share, int(rng.integers(2**31))) for climber in climbers]
        climbed.sort(key=lambda found: -found[0])
        climbers = climbed[: (len(climbed) + 1) // 2]


def _scatter(record: Record, rng: np.random.Generator, n: int) -> list[tuple[float, Tape]]:
    """n random instances, none after a certified violation; the best tape of each of the best structures."""
    best: Best = {}
    floor = -np.inf
    words: list[int] = []
    for _ in range(n):
        if record.violated:
            break
        draw = RandomDraw(rng, words)
        badness = rank(record.evaluate(draw))
        if badness > floor:
            floor = keep(best, badness, draw.tape)
    return sorted(best.values(), key=lambda found: -found[0])


def _climb(record: Record, climber: Climber, sigma: float, budget: int, seed: int) -> Climber:
    """CMA-ES on the units of a tape, its integers held fixed, with first steps of size sigma; the best tape met."""
    tape = climber[1]
    if len(tape.units) == 1:
        return _best(record, climber, on_grid(np.linspace(0, 1, budget)[:, None]))[0]
    # A full covariance takes n^2 evaluations to learn and n^3 operations to sample from, a diagonal one n and n.
    full, diagonal = _strategies()
    strategy = full if len(tape.units) <= FULL else diagonal
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        optimizer = strategy(mean=np.array(tape.units) / GRID, sigma=sigma, seed=seed % 2**31)
    size = optimizer.population_size
    for _ in range(budget // size):
        if optimizer.should_stop():
            break
        asked = [optimizer.ask() for _ in range(size)]
        climber, badness = _best(record, climber, on_grid(fold(np.array(asked))))
        optimizer.tell([(x, _cost(b)) for x, b in zip(asked, badness, strict=True)])
    return climber


def _strategies() -> tuple[Any, Any]:
    """CMA-ES with a full covariance, and with a diagonal one.

    cmaes imports scipy.stats if it can, for strategies that are not asked for here: a process that searches would take
    twice as long to start.
    """
    if not {"cmaes", "scipy.stats"} & set(sys.modules):
        sys.modules["scipy.stats"] = None  # type: ignore[assignment]
        try:
            import cmaes  # noqa: F401
        finally:
            del sys.modules["scipy.stats"]
    from cmaes import CMA, SepCMA

    return CMA, SepCMA


def _best(record: Record, climber: Climber, points: list[list[int]]) -> tuple[Climber, list[float]]:
    """Try a tape's integers with other units: the best tape up to now, and how bad each try was."""
    badness = []
    for units in points:
        draw = GridDraw(units, climber[1].integers)
        seen = record.evaluate(draw)
        badness.append(seen.badness - TIE_HANDICAP if seen.overruled else seen.badness)
        if badness[-1] > climber[0]:
            climber = (badness[-1], copied(draw.tape))
    return climber, badness


def fold(x: np.ndarray) -> list[Any]:
    """The real line folded onto [0, 1] by reflection, in lists nested as x is: bounds without resampling."""
    folded: list[Any] = (1 - np.abs(x % 2 - 1)).tolist()
    return folded


def _cost(badness: float) -> float:
    return -badness if math.isfinite(badness) else 1e12
