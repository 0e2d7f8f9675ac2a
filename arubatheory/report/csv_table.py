r"""Tables on record as csv: read with the file, the row and the mistake named, written in one step."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from arubatheory.report.files import replace_text


class Labelled(Protocol):
    """A row about a statement."""

    @property
    def label(self) -> str:
        """The statement's label."""


R = TypeVar("R")
L = TypeVar("L", bound=Labelled)


def read(path: Path, columns: Sequence[str], row: Callable[[dict[str, str]], R], error: type[ValueError]) -> list[R]:
    """The rows of a table, each made by `row` from its entries ("" where there is none).

    Raises `error` for a missing column, and with the number of the row for a TypeError or ValueError of `row`.
    """
    found = []
    with path.open(newline="", encoding="utf-8") as lines:
        reader = csv.DictReader(lines)
        missing = [c for c in columns if c not in (reader.fieldnames or ())]
        if missing:
            raise error(f"{path} has no column {', '.join(missing)}")
        for i, entry in enumerate(reader, 1):
            try:
                found.append(row({c: entry[c] or "" for c in columns}))
            except (TypeError, ValueError) as mistake:
                raise error(f"{path}, row {i}: {mistake}") from mistake
    return found


def by_label(rows: Iterable[L]) -> dict[str, list[L]]:
    """The rows of each label, in their order."""
    found: dict[str, list[L]] = {}
    for row in rows:
        found.setdefault(row.label, []).append(row)
    return found


def write(path: Path, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a table; the old one is replaced in one step."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    replace_text(path, out.getvalue())
