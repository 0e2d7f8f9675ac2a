r"""What a formula leaves to its reader, label by label, as a paper's table of readings says it.

`readings.tsv` has one row for each statement of which something is to be said that its formula does not show: whether
the paper claims it at all, and what a symbol stands for where two statements with one formula differ in that.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from arubatheory.statements.untrusted import read_text, visible

COLUMNS = ("label", "whose", "where")
WHOSE = {"": True, "ours": False}


class Meaning(NamedTuple):
    """What is said of a statement: whether the paper claims it, and what its symbols stand for ("": nothing more)."""

    is_printed: bool
    where: str


def read_readings(path: Path) -> dict[str, Meaning]:
    """The readings of a table, by label. Raises ValueError, naming the file and the line, for what cannot be read."""
    head, *lines = read_text(path).replace("\r\n", "\n").rstrip("\n").split("\n")
    if tuple(head.split("\t")) != COLUMNS:
        raise ValueError(f"{path.name} must have the columns {COLUMNS}, got {tuple(head.split(chr(9)))}")
    found: dict[str, Meaning] = {}
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if visible(line) != line or len(cells) != len(COLUMNS) or cells[1] not in WHOSE:
            raise ValueError(
                f"{path.name}, line {number}: a row must be a label, '' or 'ours', and words, got {line!r}"
            )
        if not cells[0] or cells[0] in found:
            raise ValueError(f"{path.name}, line {number}: a label must be given once, got {cells[0]!r}")
        found[cells[0]] = Meaning(WHOSE[cells[1]], cells[2])
    return found
