r"""The recorded power of the engines: of the false siblings of each statement, how many each engine refutes.

A check that has never failed is decoration. `python -m verification.power` makes the table; the page shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from arubatheory.report.csv_table import Table
from arubatheory.statements.effort import USUAL
from arubatheory.statements.paper import Paper

SIBLINGS, BLIND = "siblings", "blind"
BUDGETS = {"check": 800, "search": 6000, "rate": 20, "simulate": 6000}  # that the siblings were tried with
ASKED = USUAL


class PowerRow(NamedTuple):
    """What engines found without help. `what` is "siblings" (`tried` false siblings of a statement) or "blind" (the
    refuted statement itself, no stored witness in sight); each engine's column counts what it found, None where it was
    not asked."""

    label: str
    what: str
    tried: int
    check: int | None
    search: int | None
    rate: int | None
    simulate: int | None

    @property
    def found(self) -> dict[str, int]:
        """What each engine that was asked found."""
        counts = {engine: getattr(self, engine) for engine in ASKED}
        return {engine: n for engine, n in counts.items() if n is not None}

    @property
    def is_whole(self) -> bool:
        """Whether every engine that was asked found all siblings: then the table of the page says as much."""
        return self.what == SIBLINGS and min(self.found.values()) == self.tried

    @property
    def sentence(self) -> str:
        """The row in words."""
        if self.what == BLIND:
            seen = [engine for engine, n in self.found.items() if n]
            return f"Found again without stored witnesses by {' and '.join(seen) or 'no engine'}."
        noun = "false sibling" if self.tried == 1 else "false siblings"
        return f"Power: of {self.tried} {noun}, found by {', by '.join(f'{e} {n}' for e, n in self.found.items())}."


def _check(row: PowerRow) -> None:
    if row.what not in (SIBLINGS, BLIND):
        raise ValueError(f"unknown kind {row.what!r}")
    if not row.found:
        raise ValueError("no engine was asked")


TABLE = Table(PowerRow, _check)


def location(paper: Paper) -> Path:
    """The table of a paper, under the root of a run."""
    return paper.folder / "power.csv"


def planted(rows: Iterable[PowerRow], spent: Mapping[str, int]) -> str:
    """How many false siblings are known to be found with what was `spent` on each statement, in words; nothing where
    none was planted."""
    known = [row for row in rows if row.what == SIBLINGS]
    enough = [engine for engine, budget in BUDGETS.items() if spent.get(engine, 0) >= budget]
    found = sum(max((n for engine, n in row.found.items() if engine in enough), default=0) for row in known)
    measured = ", ".join(f"{engine} {budget:,}" for engine, budget in BUDGETS.items())
    of = f"of {sum(row.tried for row in known)} siblings planted beside these statements"
    return f"{of}, so much is known to find {found} (power.csv, measured with {measured})" if known else ""
