r"""Tables on record as csv: a column for each field of a named tuple, read and written by the types of its fields."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, get_type_hints

from arubatheory.report.files import replace_text
from arubatheory.statements.untrusted import RecordError

DIGITS = 6  # of a float
R = TypeVar("R", bound=NamedTuple)
READERS: dict[Any, Callable[[str], Any]] = {
    str: str,
    int: int,
    float: float,
    int | None: lambda text: int(text) if text else None,
    float | None: lambda text: float(text) if text else None,
}


class Table(Generic[R]):
    """The tables with rows of this type. `check(row)` raises ValueError for a row that makes no sense; `more` are
    properties of a row that are written as columns too."""

    def __init__(self, row: type[R], check: Callable[[R], None] = lambda row: None, more: tuple[str, ...] = ()) -> None:
        self.row, self.check = row, check
        self.fields: tuple[str, ...] = row._fields
        self.columns = (*self.fields, *more)

    def read(self, path: Path) -> list[R]:
        """The rows of a file. Raises RecordError for a missing column, and for a row that is none, with its number."""
        with path.open(newline="", encoding="utf-8") as lines:
            reader = csv.DictReader(lines)
            missing = [c for c in self.fields if c not in (reader.fieldnames or ())]
            if missing:
                raise RecordError(f"{path} has no column {', '.join(missing)}")
            return [self._row(entry, f"{path}, row {i}") for i, entry in enumerate(reader, 1)]

    def _row(self, entry: dict[str, str], where: str) -> R:
        try:
            types = get_type_hints(self.row)
            row = self.row(*(READERS[types[c]](entry[c] or "") for c in self.fields))
            self.check(row)
        except (TypeError, ValueError) as mistake:
            raise RecordError(f"{where}: {mistake}") from mistake
        return row

    def by_label(self, path: Path) -> dict[str, list[R]]:
        """The rows of each label, in their order; none where there is no file."""
        found: dict[str, list[R]] = {}
        for row in self.read(path) if path.is_file() else ():
            found.setdefault(row.label, []).append(row)  # type: ignore[attr-defined]
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
    """The text of a table with a head."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()
