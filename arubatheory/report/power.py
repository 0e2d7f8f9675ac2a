r"""The recorded power of the engines: of the false siblings of each statement, how many each engine refutes.

A check that has never failed is decoration. `python -m verification.power` makes the table; the page shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from arubatheory.engines.rate import NO_GROWTH
from arubatheory.engines.statistics import ROUNDING
from arubatheory.engines.verdict import Status, Verdict
from arubatheory.report.csv_table import Table
from arubatheory.statements.effort import USUAL
from arubatheory.statements.paper import Paper

SIBLINGS, BLIND, FACTORS, EXPONENTS, TERMS = "siblings", "blind", "factors", "exponents", "terms"
PLANTED = (1.5, 1.1, 1.01)  # sizes of an error on a right side
SLOWER = (0.5, 0.25, 0.1)  # of one in an exponent
BUDGETS = {"check": 800, "search": 6000, "rate": 20, "simulate": 6000}  # that the siblings were tried with
ASKED = USUAL


class PowerRow(NamedTuple):
    """What engines found without help. `what` is "siblings" (`tried` false siblings of a statement) or "blind" (the
    refuted statement itself, no stored witness in sight); each engine's column counts what it found, None where it was
    not asked. "factors" needs no run: `best` is the worst ratio known, and `sizes` are those errors on the right side,
    of `tried`, that the run on record would have found (`finds`); "exponents" likewise, of errors in an exponent.
    "terms": of so many terms of the right side, how many a search needs (`Reach.terms`)."""

    label: str
    what: str
    tried: int
    check: int | None
    search: int | None
    rate: int | None
    simulate: int | None
    best: str = ""
    sizes: str = ""

    @property
    def found(self) -> dict[str, int]:
        """What each engine that was asked found."""
        counts = {engine: getattr(self, engine) for engine in ASKED}
        return {engine: n for engine, n in counts.items() if n is not None}

    def says_more(self, verdict: Verdict | None) -> bool:
        """Whether the row adds to what the page says beside a verdict: in its table, of siblings that every engine
        found, and in the notes of the run, of errors, and of terms that the run shows to be needed, too."""
        if self.what == TERMS:
            return (self.search or 0) > (verdict.reach.terms[2] if verdict and verdict.reach.terms else -1)
        return self.what == BLIND or (self.what == SIBLINGS and min(self.found.values()) < self.tried)

    @property
    def sentence(self) -> str:
        """The row in words."""
        if self.what in (FACTORS, EXPONENTS):
            return f"Of {self.tried} {self.what} the run on record would have found {self.sizes or 'none'}."
        if self.what == TERMS:
            return f"Of {self.tried} terms on the right, a search shows {self.search} to be needed."
        if self.what == BLIND:
            seen = [engine for engine, n in self.found.items() if n]
            return f"Found again blind by {' and '.join(seen) or 'no engine'}."
        noun = "false sibling" if self.tried == 1 else "false siblings"
        return f"Power: of {self.tried} {noun}, found by {', by '.join(f'{e} {n}' for e, n in self.found.items())}."


def _check(row: PowerRow) -> None:
    if row.what not in (SIBLINGS, BLIND, FACTORS, EXPONENTS, TERMS):
        raise ValueError(f"unknown kind {row.what!r}")
    if row.what == FACTORS:
        float(row.best)
    elif row.what != EXPONENTS and not row.found:
        raise ValueError("no engine was asked")


TABLE = Table(PowerRow, _check, "power.csv")


def finds(worst: float, best: float) -> tuple[float, ...]:
    r"""The factors f for which a run whose worst ratio is r > 0 refutes the claim with a right side so much smaller
    that at the closest instance known, of ratio $r^\ast$, the left side is f times it: those with $r f > r^\ast$.

    The search does not see how large the right side is until it refutes, so that this needs no other run.
    """
    return tuple(f for f in PLANTED if worst * f > best)


def slower(excess: float) -> tuple[float, ...]:
    """By how much smaller a claimed exponent would have made the claim suspect, where the lower end of the worst slope
    exceeds the claimed one by `excess` (negative for a survivor). No other run need tell: slopes are measured whatever
    is claimed."""
    return tuple(e for e in SLOWER if excess + e > ROUNDING)


def words(verdict: Verdict, best: float | None) -> str:
    """What error a run that broke nothing would have found; empty where nothing is known of it."""
    worst = verdict.worst_ratio
    if verdict.status is not Status.SURVIVED or worst is None:
        return ""
    if verdict.found_by == "rate" and worst > NO_GROWTH:
        return _said(SLOWER, slower(worst), "an exponent that is claimed smaller by", "")
    if worst <= 0 or verdict.measure != "lhs/rhs":
        return ""
    if best is None:
        return f"a right side smaller by a factor above {1 / worst:.4g} would have been refuted"
    at = f" (closest ratio known: {max(best, worst):.5g})"
    return _said(PLANTED, finds(worst, max(best, worst)), "an error of the factor", at)


def _said(sizes: Sequence[float], found: Sequence[float], what: str, at: str) -> str:
    missed = next((size for size in sizes if size not in found), None)
    if not found:
        return f"{what} {missed}{at} would not have been found"
    return f"{what} {found[-1]}{at} would have been found{f', {missed} not' if missed else ''}"


def best_known(root: Path, paper: Paper | None) -> dict[str, float]:
    """The worst ratio known of each label, from the table of a paper; none where there is no table."""
    rows = TABLE.of(paper, root)
    return {label: float(row.best) for label, mine in rows.items() for row in mine if row.what == FACTORS}


def planted(rows: Iterable[PowerRow], spent: Mapping[str, int]) -> str:
    """How many false siblings are known to be found with what was `spent` on each statement, in words; nothing where
    none was planted."""
    known = [row for row in rows if row.what == SIBLINGS]
    enough = [engine for engine, budget in BUDGETS.items() if spent.get(engine, 0) >= budget]
    found = sum(max((n for engine, n in row.found.items() if engine in enough), default=0) for row in known)
    measured = ", ".join(f"{engine} {budget:,}" for engine, budget in BUDGETS.items())
    of = f"of {sum(row.tried for row in known)} siblings planted beside these statements"
    return f"{of}, so much is known to find {found} (power.csv, measured with {measured})" if known else ""
