r"""What a formula leaves to its reader, label by label, as a paper's table of readings says it.

`readings.tsv` has one row for each statement of which something is to be said that its formula does not show: whether
the paper claims it at all, and what a symbol stands for where two statements with one formula differ in that.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from arubatheory.statements.untrusted import read_rows

COLUMNS = ("label", "whose", "where")
WHOSE = {"": True, "ours": False}


class Meaning(NamedTuple):
    """What is said of a statement: whether the paper claims it, and what its symbols stand for ("": nothing more)."""

    is_printed: bool
    where: str


def read_readings(path: Path) -> dict[str, Meaning]:
    """The readings of a table, by label. Raises ValueError, naming the file and the line, for what cannot be read."""
    found: dict[str, Meaning] = {}
    for at, (label, whose, where) in read_rows(path, COLUMNS):
        if whose not in WHOSE:
            raise ValueError(f"{at}: a row must be a label, '' or 'ours', and words, got {whose!r}")
        if not label or label in found:
            raise ValueError(f"{at}: a label must be given once, got {label!r}")
        found[label] = Meaning(WHOSE[whose], where)
    return found
