r"""search: an adversary climbs lhs/rhs.

Half of the budget draws instances at random; the best structures (the integers of a tape: sizes, kinds, choices) are
kept, and for each of them CMA-ES moves the units of the tape, seen as a point of the unit cube, uphill.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from arubatheory.engines.exact import Certificate
from arubatheory.engines.shrink import cost, shrink
from arubatheory.engines.trial import Record, copied
from arubatheory.engines.verdict import Verdict
from arubatheory.problems.draw import GRID, CubeDraw, Draw, RandomDraw, Tape
from arubatheory.statements.core import Statement

STRUCTURES = 4  # climbs a budget is divided among
CEILING = 1e6  # a ratio this large needs no climbing


def search(statement: Statement, budget: int, seed: int) -> Verdict:
    """Spend `budget` evaluations on making lhs/rhs as large as possible."""
    record = Record(statement, "search", seed)
    rng = np.random.default_rng([seed, 0x5EA])
    with np.errstate(all="ignore"):
        best = _scatter(record, rng, (budget + 1) // 2)
        share = (budget - record.evaluations) // max(len(best), 1)
        for rank, (badness, tape) in enumerate(best):
            if badness < CEILING and tape.units and share > 0:
                _climb(record, tape, share, int(rng.integers(2**31)) + rank)
        _scatter(record, rng, budget - record.evaluations)
    return record.verdict(budget, _simplest(record))


def _simplest(record: Record) -> tuple[Tape, Certificate] | None:
    """The simplest certified violation found, shrunk."""
    if not record.violated:
        return None
    return shrink(record.statement, *min(record.violated, key=lambda found: cost(*found)))


def _try(record: Record, draw: Draw) -> float:
    """One evaluation; apparent violations go to exact arithmetic: the first, and then each new worst one."""
    worst = record.worst[0] if record.worst else 1.0
    trial = record.evaluate(draw)
    if trial.apparent and (not record.violated or trial.badness > max(worst, 1.0) * 1.5) and record.checked < 256:
        record.settle(draw.tape)
    return trial.badness


def _scatter(record: Record, rng: np.random.Generator, n: int) -> list[tuple[float, Tape]]:
    """n random instances; the best tape of each of the best structures."""
    best: dict[tuple[int, ...], tuple[float, Tape]] = {}
    floor = -np.inf
    for _ in range(n):
        draw = RandomDraw(rng)
        badness = _try(record, draw)
        if badness > floor:
            floor = _keep(best, badness, draw.tape)
    return sorted(best.values(), key=lambda found: -found[0])


def _keep(best: dict[tuple[int, ...], tuple[float, Tape]], badness: float, tape: Tape) -> float:
    """Enter a tape into the table of the best structures; the badness needed to enter next."""
    key = tuple(tape.integers)
    if key not in best or badness > best[key][0]:
        best[key] = (badness, copied(tape))
    if len(best) > STRUCTURES:
        del best[min(best, key=lambda k: best[k][0])]
    return min(found[0] for found in best.values()) if len(best) == STRUCTURES else -np.inf


def _climb(record: Record, tape: Tape, budget: int, seed: int) -> None:
    """CMA-ES on the units of a tape, its integers held fixed; restarted with a wider step when it has converged."""
    centre = np.array(tape.units) / GRID
    if len(centre) == 1:
        return _sweep(record, tape, budget)
    for sigma, n, restart in _schedule(budget):
        used = _ascend(record, tape, centre, sigma, n, seed + restart)
        if record.worst is not None and record.worst[2].integers == tape.integers:
            centre = np.array(record.worst[2].units) / GRID
        if used < 1:
            return None
    return None


def _schedule(budget: int) -> Iterator[tuple[float, int, int]]:
    yield 0.1, budget // 2, 0
    yield 0.02, budget - budget // 2 - budget // 4, 1
    yield 0.3, budget // 4, 2


def _sweep(record: Record, tape: Tape, budget: int) -> None:
    for u in np.linspace(0, 1, budget):
        _try(record, CubeDraw([float(u)], tape.integers))


def _ascend(record: Record, tape: Tape, centre: np.ndarray, sigma: float, budget: int, seed: int) -> int:
    from cmaes import CMA

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        optimizer = CMA(mean=centre, sigma=sigma, seed=seed % 2**31)
    used = 0
    while used + optimizer.population_size <= budget and not optimizer.should_stop():
        asked = [optimizer.ask() for _ in range(optimizer.population_size)]
        told = [(x, _cost(_try(record, CubeDraw(fold(x), tape.integers)))) for x in asked]
        optimizer.tell(told)
        used += len(told)
    return used


def fold(x: np.ndarray) -> list[float]:
    """The real line folded onto [0, 1] by reflection: bounds without resampling."""
    return (1 - np.abs(x % 2 - 1)).tolist()


def _cost(badness: float) -> float:
    return -badness if np.isfinite(badness) else 1e12
