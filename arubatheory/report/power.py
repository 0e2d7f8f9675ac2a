r"""The recorded power of the engines: of the false siblings of each statement, how many each engine refutes.

A check that has never failed is decoration. `python -m verification.power` makes the table; the page shows it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from arubatheory.report import csv_table
from arubatheory.report.ledger import LedgerError

LOCATION = Path("verification") / "power.csv"
SIBLINGS, BLIND = "siblings", "blind"
ASKED = ("check", "search", "rate", "simulate")


class PowerError(LedgerError):
    """The table of power cannot be read; the message names the file, the row and what is wrong."""


class Row(NamedTuple):
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
    def sentence(self) -> str:
        """The row in words."""
        if self.what == BLIND:
            seen = [engine for engine, n in self.found.items() if n]
            return f"Found again without stored witnesses by {' and '.join(seen) or 'no engine'}."
        noun = "false sibling" if self.tried == 1 else "false siblings"
        return f"Power: of {self.tried} {noun}, found by {', by '.join(f'{e} {n}' for e, n in self.found.items())}."


def read(path: Path) -> list[Row]:
    """The rows of a table. Raises PowerError for a missing column, a value that is no number, or an unknown kind."""
    return csv_table.read(path, Row._fields, _row, PowerError)


def _row(entry: dict[str, str]) -> Row:
    counts = (int(entry[name]) if entry[name] else None for name in ASKED)
    row = Row(entry["label"], entry["what"], int(entry["tried"]), *counts)
    if row.what not in (SIBLINGS, BLIND):
        raise ValueError(f"unknown kind {row.what!r}")
    if not row.found:
        raise ValueError("no engine was asked")
    return row


def find(root: Path) -> dict[str, list[Row]]:
    """The rows of the table under `root` by label; none where there is no table."""
    path = root / LOCATION
    return csv_table.by_label(read(path)) if path.is_file() else {}


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write a table; the old one is replaced in one step."""
    csv_table.write(path, Row._fields, (["" if value is None else value for value in row] for row in rows))
