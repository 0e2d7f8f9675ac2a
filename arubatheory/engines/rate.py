r"""Growth exponents over a geometric grid of T, with intervals: what can be said of "$\tilde O(T^p)$" by measurement.

For every drawn family of sequences the claimed quantity is computed on the grid of the statement's `Growth`, and its
slope is fitted twice, without a logarithm and with the claimed one. A slope whose interval lies above the claimed
exponent makes the claim SUSPECT; a grid never refutes, since a constant may hide anything finite. The intervals of one
run hold together at the error level `statistics.ERROR`, as far as the residuals are independent and normal.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arubatheory.engines.exact import Certificate
from arubatheory.engines.statistics import Fit, fit
from arubatheory.engines.trial import check_run, copied, drawn, leaving_out, measured, nothing_measured
from arubatheory.engines.verdict import Verdict, Witness
from arubatheory.engines.witness import make_witness
from arubatheory.problems.draw import RandomDraw, Tape, TapeDraw
from arubatheory.statements.core import Sides, Statement
from arubatheory.statements.growth import Growth

NO_GROWTH = -1e300  # the excess where nothing grew
ROUNDING = 1e-9  # of a slope of logarithms of floats that were computed to some ten digits
Found = tuple[float, Tape, Fit]


def rate(statement: Statement, budget: int, seed: int) -> Verdict:
    """Fit `budget` >= 1 drawn families; a trial is one value on a grid, and none counts where no family gave a slope.

    Raises TypeError for no `Statement`, ValueError for one that claims no growth and a budget or a `seed` that is none.
    """
    check_run(statement, budget, seed)
    growth = statement.growth
    if growth is None:
        raise ValueError(f"statement {statement.label} claims no growth: it has no `growth`")
    uncounted: dict[str, int] = {}
    found = _fits(statement, growth, budget, seed, uncounted)
    if not found:
        return nothing_measured(statement, "rate", seed, budget, budget, uncounted)
    worst = max(found, key=lambda f: f[0])
    fitted = any(f[2].claimed is not None for f in found)
    trials = sum(int(np.isfinite(f[2].y).sum()) for f in found) if fitted else 0
    witness = _witness(statement, growth, worst, seed)
    return measured(witness, budget, worst[0] > ROUNDING, trials, budget, uncounted)


def _fits(statement: Statement, growth: Growth, budget: int, seed: int, uncounted: dict[str, int]) -> list[Found]:
    rng, found = np.random.default_rng(seed), list[Found]()
    for _ in range(budget):
        draw = RandomDraw(rng)
        with leaving_out(uncounted):
            seen = fit(growth, drawn(statement, draw), budget)
            excess = -np.inf if seen.claimed is None else seen.claimed.low - growth.exponent
            found.append((float(excess), copied(draw.tape), seen))
    return found


def _witness(statement: Statement, growth: Growth, found: Found, seed: int) -> Witness:
    excess, tape, seen = found
    sides = Sides(max(excess, NO_GROWTH), 0.0)
    instance = statement.instance(TapeDraw(tape, exact=True))
    certificate = Certificate("float", sides, 0, instance, {})
    witness = make_witness(statement, tape, certificate, "rate", seed, describe(growth, seen))
    return replace(witness, curve=[[float(T), float(f"{y:.6g}")] for T, y in zip(seen.T, seen.y, strict=True)])


def describe(growth: Growth, seen: Fit) -> str:
    """Both slopes in words, and what the grid cannot tell apart."""
    n = growth.variable
    if seen.plain is None or seen.claimed is None:
        return f"no growth on {n} = {seen.T[0]}..{seen.T[-1]}; claimed {growth.exponent:g}"
    plain, claimed = (f"{s.value:.3f} [{s.low:.3f}, {s.high:.3f}]" for s in (seen.plain, seen.claimed))
    text = f"exponent {plain} on {n} = {seen.T[len(seen.T) // 2]}..{seen.T[-1]}"
    if growth.power:
        text += f", {claimed} with log^{growth.power:g} {n} divided out"
    return f"{text}; claimed {growth.exponent:g}; the grid tells exponents apart that differ by {seen.resolution:.2f}"
