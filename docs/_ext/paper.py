"""Pages made while building: the reference, one page for each subpackage, and the paper's statements, section by
section, with formulas, relations and the verdicts of the ledger."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from corrections import document
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

from arubatheory import PAPER
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger, sharp
from arubatheory.report.changes import changed, sentence
from arubatheory.report.formula import expand
from arubatheory.report.slips import Line, counted, fails, table
from arubatheory.statements.core import Statement
from arubatheory.statements.items import Item

ROOT = Path(__file__).resolve().parents[2]
LABELS = {s.label for s in PAPER}
REFERENCE = {
    "": "Foundations: numbers and kernels",
    "problems": "Problems: what nature supplies",
    "problems/own": "Problems of one's own: functions, sets, data",
    "convex": "Convex: a minimum with a certificate",
    "learners": "Learners: what an algorithm plays",
    "untried": "Untried: what no statement plays yet",
    "statements": "Statements: what a claim is",
    "engines": "Engines: who tries to break it",
    "prove": "Prove: certificates that anyone can check",
    "report": "Report: what is told",
    "scaffold": "Scaffold: a paper's source becomes a folder",
}


def write_pages(app: Sphinx) -> None:
    """Write the sources of the made pages; the folder ignores itself in git."""
    folder = Path(app.srcdir) / "generated"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    for name, title in REFERENCE.items():
        (folder / f"{name.replace('/', '-') or 'foundations'}.md").write_text(_reference(name, title), encoding="utf-8")
    (folder / "corrections.md").write_text(document(), encoding="utf-8")
    for file in dict.fromkeys(item.file for item in ARUBA.everything):
        page = f"# {': '.join(ARUBA.sections[file])}\n\n```{{paper}} {file}\n```\n"
        (folder / f"{_page(file)}.md").write_text(page, encoding="utf-8")


def _reference(name: str, title: str) -> str:
    """The modules of one subpackage; its own subpackages hold the paper's statements, which have pages of their own."""
    modules = sorted((ROOT / "arubatheory" / name).glob("*.py"))
    stems = [path.stem for path in modules if not path.stem.startswith("__") and path.stem not in ("testing", "plugin")]
    names = [".".join(filter(None, ("arubatheory", *name.split("/"), stem))) for stem in stems]
    parts = [f"## {m}\n\n```{{eval-rst}}\n.. automodule:: {m}\n```\n" for m in names]
    return "\n".join([f"# {title}\n", *parts])


class Record(Directive):
    """Every item of the paper with its verdict in a sentence and what slipped."""

    def run(self) -> list[nodes.Node]:
        """How many items slipped in what, and the table."""
        lines = table(ARUBA, ledger.find(ROOT, ARUBA) or {})
        counts = ", ".join(f"{n} of {slip}" for slip, n in counted(lines).items())
        said = f"Of {len(lines)} items {sum(map(fails, lines))} have a slip: {counts}."
        return [nodes.paragraph("", said), _table(("item", "verdict", "slip"), map(_cells, lines))]


def _cells(line: Line) -> tuple[list[nodes.Node], ...]:
    item, slip = line.item, line.slip or ""
    kind = f"{item.kind} {item.number}".strip()
    return [nodes.Text(f"{kind} "), _link(item.slug)], prose(line.words), [nodes.Text(slip)]


def _table(names: Sequence[str], rows: Iterable[Sequence[list[nodes.Node]]]) -> nodes.table:
    """A table whose cells are rows of text."""
    head = [[nodes.Text(name)] for name in names]
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in names), cols=len(names))
    group += nodes.thead("", _row(head))
    group += nodes.tbody("", *map(_row, rows))
    return nodes.table("", group)


def _row(cells: Sequence[list[nodes.Node]]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *cell)) for cell in cells))


class Sharpness(Directive):
    """Each sharper theorem (a row is `name; status; labels; lower bound`) with the interval of its constant."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The table; of each label what verification/sharp.csv has, or the status and the worst ratio of the ledger."""
        known, rows = sharp.TABLE.of(ARUBA, ROOT), ledger.find(ROOT, ARUBA) or {}
        lines = [[cell.strip() for cell in line.split(";", 3)] for line in self.content if line]
        head = ("", "status", "statements, the factor on the right that is needed", "from below")
        cells = [(prose(a), prose(b), _needed(labels.split(), known, rows), prose(c)) for a, b, labels, c in lines]
        return [_table(head, cells)]


def _needed(
    labels: Sequence[str], known: dict[str, list[sharp.SharpRow]], rows: dict[str, ledger.LedgerRow]
) -> list[nodes.Node]:
    """Labels, each with the interval of its factor."""
    found: list[nodes.Node] = []
    for label in labels:
        row = rows[label]
        told = sharp.interval(sharp.worst(known[label])) if known.get(label) else f"{float(row.worst_ratio):.4g}"
        found += [_link(label), nodes.Text(f" {told}{', refuted' if row.status == 'REFUTED' else ''}; ")]
    return found


class Paper(Directive):
    """The items of one file of the paper's source, with all statements about each."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """One section for each item."""
        rows = ledger.find(ROOT, ARUBA) or {}
        items = [item for item in ARUBA.everything if item.file == self.arguments[0]]
        return [_item(item, rows) for item in items]


def _item(item: Item, rows: dict[str, ledger.LedgerRow]) -> nodes.section:
    section = nodes.section(ids=[nodes.make_id(f"item-{item.slug}")])
    section += nodes.title(
        "", "", nodes.Text(f"{item.kind} {item.number}".rstrip() + ": "), nodes.literal("", item.slug)
    )
    statements = [s for s in PAPER if _about(s, item)]
    if not statements:
        covered = str(ARUBA.coverage(PAPER).by_slug[item.slug])
        section += nodes.paragraph("", f"No statement of its own: {covered}.")
    for statement in statements:
        section += _statement(statement, rows.get(statement.label))
    return section


def _about(statement: Statement, item: Item) -> bool:
    found = ARUBA.item_of(statement.label)
    return found is not None and found.slug == item.slug


def _statement(s: Statement, row: ledger.LedgerRow | None) -> nodes.container:
    box = nodes.container(ids=[nodes.make_id(s.label)])
    head = nodes.paragraph("", "", nodes.strong("", "", nodes.literal("", s.label)), nodes.Text(" "))
    status = row.status if row else "not in the ledger"
    head += nodes.inline("", status, classes=["status", f"status-{status.partition(' ')[0]}"])
    head += nodes.Text(f" ({s.kind})")
    head += prose(f": {s.title}" if s.title else "")
    box += head
    box += nodes.math_block("", s.latex)
    box += list(_details(s, row))
    return box


def _details(s: Statement, row: ledger.LedgerRow | None) -> Iterator[nodes.paragraph]:
    if s.where:
        yield nodes.paragraph("", "Where ", *prose(s.where))
    if s.assumptions:
        pieces = [piece for a in s.assumptions for piece in (nodes.Text("; "), nodes.math("", a.latex))][1:]
        yield nodes.paragraph("", "Assuming ", *pieces)
    if s.note:
        yield nodes.paragraph("", "", *prose(s.note))
    for name, labels in (("Corrects", s.corrects), ("Corrected by", _correcting(s)), ("Uses", s.uses)):
        if labels:
            pieces = [piece for label in labels for piece in (nodes.Text(", "), _link(label))][1:]
            yield nodes.paragraph("", f"{name} ", *pieces)
    for form in (o for o in PAPER if s.label in o.corrects):
        change = sentence(changed(s, form, ARUBA.macros), _between_dollars, str)
        yield nodes.paragraph("", "What changes in ", _link(form.label), nodes.Text(": "), *prose(change))
    if row and row.note:
        yield nodes.paragraph("", "On record: ", *prose(row.note))


def _link(label: str) -> nodes.Node:
    """A statement by its label, or else its item, as a link to where that stands on these pages."""
    item, name = ARUBA.item_of(label), nodes.literal("", label)
    if item is None:
        return name
    place = label if label in LABELS else f"item-{item.slug}"
    return nodes.reference("", "", name, internal=True, refuri=f"{_page(item.file)}.html#{nodes.make_id(place)}")


def _page(file: str) -> str:
    """The name of the page of one file of the paper's source."""
    return f"paper-{file.removesuffix('.tex')}"


def _correcting(s: Statement) -> Sequence[str]:
    return [other.label for other in PAPER if s.label in other.corrects]


def _between_dollars(latex: str) -> str:
    """A formula that may stand in a sentence: there are none in its words."""
    return f"${expand(latex, ARUBA.macros)}$"


def prose(text: str) -> list[nodes.Node]:
    """A sentence: mathematics between dollar signs, names between backticks."""
    out: list[nodes.Node] = []
    for i, piece in enumerate(text.split("$")):
        if i % 2:
            out.append(nodes.math("", piece))
            continue
        for k, part in enumerate(piece.split("`")):
            out.append(nodes.literal("", part) if k % 2 else nodes.Text(part))
    return out


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before they are read."""
    app.add_directive("paper", Paper)
    app.add_directive("record", Record)
    app.add_directive("sharpness", Sharpness)
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
