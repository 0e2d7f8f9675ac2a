r"""Tables on record as csv: a column for each field of a named tuple, read and written by the types of its fields."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, get_type_hints

from arubatheory.report.files import replace_text
from arubatheory.statements.paper import Paper
from arubatheory.statements.untrusted import RecordError, read_text, visible

DIGITS = 6  # of a float
# What a spreadsheet would compute, and what would be taken for the guard of such a cell; a number is none.
FORMULA = re.compile(r"(?!-(inf|[\d.]+(e[-+]?\d+)?)\Z)'*[=+\-@\t]")
R = TypeVar("R", bound=NamedTuple)
READERS: dict[Any, Callable[[str], Any]] = {
    str: str,
    int: int,
    float: float,
    int | None: lambda text: int(text) if text else None,
    float | None: lambda text: float(text) if text else None,
}


class Table(Generic[R]):
    """The tables with rows of this type. `check(row)` raises ValueError for a row that makes no sense; `name` is that
    of a paper's file, and `more` are properties of a row that are written as columns too."""

    def __init__(
        self, row: type[R], check: Callable[[R], None] = lambda row: None, name: str = "", more: tuple[str, ...] = ()
    ) -> None:
        self.row, self.check, self.name = row, check, name
        self.fields: tuple[str, ...] = row._fields
        self.columns = (*self.fields, *more)

    def read(self, path: Path) -> list[R]:
        """The rows of a file. Raises RecordError for a missing column without default, and for a row that is none, with
        its number; FileNotFoundError for no file."""
        reader = csv.DictReader(io.StringIO(read_text(path), newline=""))
        rows: list[R] = []
        try:
            needed = [c for c in self.fields if c not in self.row._field_defaults]
            missing = [c for c in needed if c not in (reader.fieldnames or ())]
            for entry in () if missing else reader:
                rows.append(self._row(entry))
        except (TypeError, ValueError, csv.Error) as error:
            raise RecordError(f"{path}, row {len(rows) + 1}: {error}") from error
        if missing:
            raise RecordError(f"{path} has no column {', '.join(missing)}")
        return rows

    def _row(self, entry: dict[str, str]) -> R:
        if None in entry or None in entry.values():
            raise ValueError("a row must have as many cells as the head")
        types = get_type_hints(self.row)
        cells: dict[str, Any] = {c: READERS[types[c]](_bare(entry[c])) for c in self.fields if c in entry}
        row = self.row._make(cells.get(c, self.row._field_defaults.get(c)) for c in self.fields)
        self.check(row)
        return row

    def location(self, paper: Paper) -> Path:
        """The table of a paper, under the root of a run."""
        return paper.folder / self.name

    def of(self, paper: Paper | None, root: Path) -> dict[str, list[R]]:
        """The rows of each label in the table of a paper; none without one."""
        return self.by_label(root / self.location(paper)) if paper else {}

    def by_label(self, path: Path) -> dict[str, list[R]]:
        """The rows of each label, in their order; none where there is no file."""
        found: dict[str, list[R]] = {}
        try:
            for row in self.read(path):
                found.setdefault(row.label, []).append(row)  # type: ignore[attr-defined]
        except FileNotFoundError:
            return {}
        return found

    def write(self, path: Path, rows: Iterable[R]) -> None:
        """Write a file; the old one is replaced in one step."""
        replace_text(path, as_csv(self.columns, ([self.cell(getattr(r, c)) for c in self.columns] for r in rows)))

    def cell(self, value: Any) -> str:
        """A value as it is written; a number that rounds to 0 is 0, and not -0."""
        if isinstance(value, float):
            return f"{round(value, DIGITS) + 0.0:.{DIGITS}f}"
        return "" if value is None else str(value)

    def to_json(self, row: R) -> dict[str, Any]:
        """A row as a JSON object."""
        return {c: getattr(row, c) for c in self.columns}

    def from_json(self, data: dict[str, Any]) -> R:
        """The row of an object that `to_json` made."""
        return self.row(*(data[c] for c in self.fields))


def as_csv(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """The text of a table with a head: no cell is a formula for a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_guarded(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return out.getvalue()


def _guarded(text: str) -> str:
    """A cell that is read as text, behind a ' where it would be computed."""
    shown = visible(text)
    return f"'{shown}" if FORMULA.match(shown) else shown


def _bare(text: str) -> str:
    """A cell as it was before it was guarded."""
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text
