"""The gallery's table, made while building from the notes of its files and from verification/classics/trials.csv."""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from paper import prose
from sphinx.application import Sphinx

from arubatheory.papers.classics import CLASSICS
from arubatheory.statements.core import Statement

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from verification.gallery import FALSE, TABLE, TRIALS, GalleryTrial, known  # noqa: E402  (found from the source tree only)

HEAD = ("statement", "what is known", "quick", "standard")
WIDTHS = (30, 40, 15, 15)


class Gallery(Directive):
    """The statements of one section of the gallery."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """One table."""
        rows = {(row.label, row.budget): row for row in TABLE.read(TRIALS)}
        group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in WIDTHS), cols=len(HEAD))
        group += nodes.thead("", _row(*([nodes.Text(word)] for word in HEAD)))
        body = nodes.tbody()
        for statement in CLASSICS.statements:
            item = CLASSICS.item_of(statement.label)
            if item is not None and item.file == self.arguments[0]:
                said = [_verdict(rows.get((statement.label, budget))) for budget in HEAD[2:]]
                body += _row(_named(statement, item.note), prose(statement.note), *said)
        group += body
        return [nodes.table("", group)]


class Found(Directive):
    """How many of the false statements each budget refutes, and which it does not."""

    def run(self) -> list[nodes.Node]:
        """One sentence for each budget."""
        false = [s.label for s in CLASSICS.statements if known(s) == FALSE]
        return [_found(budget, false) for budget in HEAD[2:]]


def _found(budget: str, false: list[str]) -> nodes.paragraph:
    rows = {row.label: row.status for row in TABLE.read(TRIALS) if row.budget == budget}
    tried = [label for label in false if label in rows]
    missed = [label for label in tried if rows[label] != "REFUTED"]
    head = f"Of {len(tried)} false statements tried at {budget} {len(tried) - len(missed)} are refuted. Not found: "
    pieces = [piece for label in missed for piece in (nodes.Text(", "), nodes.literal("", label))][1:]
    return nodes.paragraph("", "", nodes.Text(head), *(pieces or [nodes.Text("none")]), nodes.Text("."))


def _row(*cells: list[nodes.Node]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *cell)) for cell in cells))


def _named(statement: Statement, module: str) -> list[nodes.Node]:
    """Label and title; of an item's first statement the reference too."""
    named: list[nodes.Node] = [nodes.literal("", statement.label), nodes.Text(" "), *prose(statement.title + ".")]
    doc = inspect.getdoc(importlib.import_module(f"arubatheory.papers.classics.{module}")) or ""
    return [*named, nodes.Text(" "), nodes.emphasis("", "", *prose(doc.partition("\n\n")[0]))]


def _verdict(row: GalleryTrial | None) -> list[nodes.Node]:
    """Status, ratio and seconds of a trial, and the engine that found the worst."""
    if row is None:
        return [nodes.Text("not tried")]
    status = nodes.inline("", row.status, classes=["status", f"status-{row.status}"])
    ratio = "" if row.worst_ratio is None else f" {row.worst_ratio:.4g}"
    return [status, nodes.Text(f"{ratio}, {row.found_by}, {row.seconds:.1f} s")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Nothing is written before the pages are read."""
    app.add_directive("gallery", Gallery)
    app.add_directive("found", Found)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
