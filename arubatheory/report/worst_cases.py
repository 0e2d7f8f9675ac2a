r"""The recorded table of worst cases, claimed beside computed beside found: read, written, and as lines of text.

A row is a game (statement, learner, class of losses) in n rounds, and three ratios regret/bound: what the statement
claims (1), what the semidefinite program says (`engines.worst_case`), and the worst that `search` found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from arubatheory.engines.worst_case import EXACT, UPPER
from arubatheory.report.csv_table import Table
from arubatheory.statements.paper import Paper

AGAIN = "python -m verification.worst_case"
DIGITS = 6


class Row(NamedTuple):
    """One game in n rounds. `rebuilt` is the ratio of our learner on losses made of the program's solution (None for
    an upper bound), `found` the worst of `evaluations` of search (None: not searched), `caveat` what is left open."""

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
    caveat: str

    @property
    def gap(self) -> float | None:
        """What search left to be found, or, of an upper bound, what is not there."""
        return None if self.found is None else self.sdp - self.found


def _check(row: Row) -> None:
    if row.kind not in (EXACT, UPPER):
        raise ValueError(f"unknown kind {row.kind!r}")


TABLE = Table(Row, _check, more=("gap",), digits=DIGITS)


def location(paper: Paper) -> Path:
    """The table of a paper, under the root of a run."""
    return paper.folder / "worst_case.csv"


def blocks(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Each game of the rows: a heading, and its rows by n."""
    for (learner, losses, *said), game in groupby(rows, key=lambda r: (r.learner, r.losses, r.kind, r.caveat)):
        yield f"{learner}, {losses} losses ({'; '.join(filter(None, said))})", list(game)


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
    return TABLE.cell(row.gap) or "-"


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
