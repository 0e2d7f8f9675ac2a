r"""The recorded table of worst cases, claimed beside computed beside found: read, written, and as lines of text.

A row is a game (statement, learner, class of losses) in n rounds, and three ratios regret/bound: what the statement
claims (1), what the semidefinite program says (`engines.worst_case`), and the worst that `search` found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from arubatheory.engines.worst_case import EXACT, GAMES, UPPER
from arubatheory.report import csv_table
from arubatheory.report.ledger import LedgerError

LOCATION = Path("verification") / "worst_case.csv"
AGAIN = "python -m verification.worst_case"
DIGITS = 6


class TableError(LedgerError):
    """The table of worst cases cannot be read; the message names the file, the row and what is wrong."""


class Row(NamedTuple):
    """One game in n rounds. `rebuilt` is the ratio of our learner on losses made of the program's solution (None for
    an upper bound), `found` the worst of `evaluations` of search (None: not searched)."""

    label: str
    learner: str
    losses: str
    n: int
    claimed: float
    sdp: float
    kind: str
    rebuilt: float | None
    found: float | None
    evaluations: int

    @property
    def gap(self) -> float | None:
        """What search left to be found, or, of an upper bound, what is not there."""
        return None if self.found is None else self.sdp - self.found


COLUMNS = (*Row._fields, "gap")


def read(path: Path) -> list[Row]:
    """The rows of a table. Raises TableError for a missing column, a value that is no number, or an unknown kind."""
    return csv_table.read(path, Row._fields, _row, TableError)


def _row(entry: dict[str, str]) -> Row:
    row = Row(
        entry["label"],
        entry["learner"],
        entry["losses"],
        int(entry["n"]),
        float(entry["claimed"]),
        float(entry["sdp"]),
        entry["kind"],
        _number(entry["rebuilt"]),
        _number(entry["found"]),
        int(entry["evaluations"]),
    )
    if row.kind not in (EXACT, UPPER):
        raise ValueError(f"unknown kind {row.kind!r}")
    return row


def _number(text: str) -> float | None:
    return float(text) if text else None


def find(root: Path) -> dict[str, list[Row]]:
    """The rows of the table under `root` by label; none where there is no table."""
    path = root / LOCATION
    return csv_table.by_label(read(path)) if path.is_file() else {}


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write a table; the old one is replaced in one step."""
    csv_table.write(path, COLUMNS, ([*(_cell(value) for value in row), _cell(row.gap)] for row in rows))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    # A gap of search's last digits is 0, and not -0.
    return f"{value:.{DIGITS}f}".replace("-0.000000", "0.000000") if isinstance(value, float) else str(value)


def record(row: Row) -> dict[str, Any]:
    """A row as a JSON object."""
    return {**row._asdict(), "gap": row.gap}


def row(recorded: Mapping[str, Any]) -> Row:
    """The row of a JSON object that `record` made."""
    return Row(**{name: recorded[name] for name in Row._fields})


def blocks(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Each game of the rows: a heading, and its rows by n."""
    for (learner, losses, kind), game in groupby(rows, key=lambda row: (row.learner, row.losses, row.kind)):
        caveat = next((g.caveat for g in GAMES if (g.learner, g.losses) == (learner, losses)), "")
        yield f"{learner}, {losses} losses ({kind}{'; ' + caveat if caveat else ''})", list(game)


def ratio(value: float | None) -> str:
    """A ratio of the table, as precise as it is recorded; a found one below 1 is never rounded up to 1."""
    if value is None:
        return "-"
    down = math.floor(value * 10**DIGITS) / 10**DIGITS if 1 - 10**-DIGITS < value < 1 else value
    return f"{down:.{DIGITS}f}"


def computed(row: Row) -> str:
    """The program's value, marked where it is an upper bound."""
    return ("<= " if row.kind == UPPER else "") + f"{row.sdp:.{DIGITS}f}"


def gap(row: Row) -> str:
    """The gap between the program's value and what search found."""
    return "-" if row.gap is None else _cell(row.gap)


def lines(rows: Sequence[Row]) -> list[str]:
    """The table of one statement as text."""
    if not rows:
        return []
    out = [f"worst ratio regret/bound in n rounds (recorded; again: {AGAIN})"]
    for heading, game in blocks(rows):
        out += [
            f"  {heading}",
            f"    {'n':>2}  {'claimed':>8}  {'SDP worst case':>14}  {'worst found':>11}  {'gap':>8}",
        ]
        for row in game:
            out.append(f"    {row.n:>2}  {row.claimed:>8g}  {computed(row):>14}  {ratio(row.found):>11}  {gap(row):>8}")
    return out
