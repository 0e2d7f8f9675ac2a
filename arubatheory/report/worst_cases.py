r"""The recorded table of worst cases, claimed beside computed beside found: read, written, and as cells of text.

A row is a game (statement, learner, class of losses) in n rounds, and three ratios regret/bound: what the statement
claims (1), what the semidefinite program says (`engines.worst_case`), and the worst that `search` found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from arubatheory.engines.worst_case import EXACT, UPPER
from arubatheory.report.csv_table import DIGITS, Table

HEAD = ("n", "claimed", "SDP worst case", "worst found", "gap")


class WorstCase(NamedTuple):
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
        return None if self.found is None else round(self.sdp, DIGITS) - round(self.found, DIGITS)


def _check(row: WorstCase) -> None:
    if row.kind not in (EXACT, UPPER):
        raise ValueError(f"unknown kind {row.kind!r}")


TABLE = Table(WorstCase, _check, "worst_case.csv", more=("gap",))


def games(rows: Iterable[WorstCase]) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Each game of the rows: a heading, and for each n the cells under HEAD."""
    found = groupby(rows, key=lambda r: (r.learner, r.losses, r.kind, r.caveat))
    return [
        (f"{learner}, {losses} losses ({'; '.join(filter(None, said))})", [_cells(row) for row in game])
        for (learner, losses, *said), game in found
    ]


def _cells(row: WorstCase) -> tuple[str, ...]:
    bound = "<= " if row.kind == UPPER else ""
    return str(row.n), f"{row.claimed:g}", bound + TABLE.cell(row.sdp), ratio(row.found), TABLE.cell(row.gap) or "-"


def ratio(value: float | None) -> str:
    """A ratio as precise as it is recorded; a found one below 1 is never rounded up to 1."""
    if value is None:
        return "-"
    return TABLE.cell(math.floor(value * 10**DIGITS) / 10**DIGITS if 1 - 10**-DIGITS < value < 1 else value)
