"""Tables in Markdown, each in its place in docs/practice.md below the command that produces it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from arubatheory.report.files import replace_text


class Table(NamedTuple):
    """A table named `experiment/part`, its caption, its header and its rows; `note` stands below it."""

    name: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    @property
    def command(self) -> str:
        """What prints it."""
        return f"python -m practice {self.name.partition('/')[0]} --table {self.name}"

    def markdown(self) -> str:
        """The caption, the rows between bars, the note."""
        lines = [self.header, tuple("---" for _ in self.header), *self.rows]
        body = "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
        return "\n\n".join(part for part in (self.caption, body, self.note) if part)


def recorded(text: str, tables: Iterable[Table]) -> str:
    """A page with tables in their places: between `<!-- table NAME -->` and `<!-- end -->`, command first.

    Raises ValueError for a table that has no place on the page.
    """
    for table in tables:
        place = re.compile(rf"(<!-- table {re.escape(table.name)} -->\n).*?(<!-- end -->)", re.S)
        if not place.search(text):
            raise ValueError(f"the page has no place for the table {table.name}: <!-- table {table.name} -->")
        held = f"```sh\n{table.command}\n```\n\n{table.markdown()}\n"
        text = place.sub(lambda found, held=held: f"{found[1]}{held}{found[2]}", text)  # type: ignore[misc]
    return text


def record(page: Path, tables: Iterable[Table]) -> Path:
    """Write tables into their places on a page. Errors as in `recorded`."""
    return replace_text(page, recorded(page.read_text(encoding="utf-8"), tables))
