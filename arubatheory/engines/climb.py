r"""From one tape uphill, its integers held fixed: evolution in the unit cube, and along the gradient where there is
one."""

from __future__ import annotations

import contextlib
import math
import sys
import warnings
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.engines.evaluation import TIE, rank, rounded
from arubatheory.engines.trial import Climber, Record, copied
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import GRID, on_grid
from arubatheory.problems.duals import TRACED, DualDraw, slopes_of
from arubatheory.statements.core import all_sides

FULL = 8  # units up to which the climb learns a full covariance


def climb(record: Record, climber: Climber, sigma: float, budget: int, seed: int) -> Climber:
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
        optimizer.tell([(x, -b if math.isfinite(b) else 1e12) for x, b in zip(asked, badness, strict=True)])
    return climber


def _strategies() -> tuple[Any, Any]:
    """CMA-ES with a full covariance, and with a diagonal one.

    cmaes imports scipy.stats if it can, for strategies that are not asked for here: a process that searches would take
    twice as long to start.
    """
    if sys.modules.keys().isdisjoint(("cmaes", "scipy.stats")):
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
        draw = LenientDraw(climber[1]._replace(units=units))
        seen = record.evaluate(draw)
        badness.append(rank(seen) if seen.overruled or not seen.tie else rounded(seen.badness))
        if rank(seen) > climber[0]:
            climber = (rank(seen), copied(draw.tape))
    return climber, badness


def fold(x: np.ndarray) -> list[Any]:
    """The real line folded onto [0, 1] by reflection, in lists nested as x is: bounds without resampling."""
    folded: list[Any] = (1 - np.abs(x % 2 - 1)).tolist()
    return folded


class NoGradient(Exception):
    """The sides are more than field operations, roots, exponentials and logarithms."""


class _Spent(Exception):
    """No more operations with gradients."""


def ascend(record: Record, climber: Climber, evaluations: int, operations: float = math.inf) -> Climber:
    """L-BFGS-B on the units of a tape in the unit cube, until the record counts so many operations; the better of both
    tapes. Raises NoGradient."""
    from scipy.optimize import minimize

    tape = climber[1]
    if not tape.units:
        return climber
    best = (-math.inf, np.array(tape.units) / GRID)

    def cost(point: Array) -> tuple[float, Array]:
        nonlocal best
        if record.operations > operations:
            raise _Spent
        badness, slope = _slope(record, point, tape.integers)
        if rounded(badness) > best[0]:
            best = rounded(badness), point.copy()
        return (-badness, -slope) if math.isfinite(badness) else (1e12, np.zeros(len(point)))

    how: Any = {"bounds": [(0, 1)] * len(tape.units), "options": {"maxfun": evaluations, "ftol": TIE, "gtol": 1e-12}}
    with contextlib.suppress(_Spent):
        minimize(cost, best[1], jac=True, method="L-BFGS-B", **how)
    return _best(record, climber, on_grid(best[1][None]))[0]


def _slope(record: Record, point: Array, integers: list[int]) -> tuple[float, Array]:
    """The badness at a point of the cube and its gradient; counted as an evaluation."""
    record.evaluations += 1
    before = TRACED.operations
    try:
        with contextlib.suppress(ZeroDivisionError, OverflowError):
            instance = record.statement.instance(DualDraw(point, integers))
            return slopes_of(all_sides(record.statement, instance), len(point))
    except Exception as error:
        raise NoGradient from error
    finally:
        record.operations += TRACED.operations - before
    return -math.inf, np.zeros(len(point))
