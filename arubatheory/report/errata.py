r"""What a reader of a paper should know, statement by statement: the text of ERRATA.md.

Made from the paper's statements, the verdicts on record in its ledger and the files of its witnesses, and from nothing
else: nothing is run. Formulas are for GitHub, without the paper's macros and without what GitHub refuses.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from arubatheory import papers
from arubatheory.engines.verdict import WHOLE, Status, Witness
from arubatheory.engines.witness_files import read_witness
from arubatheory.report import ledger, markup, simplicity
from arubatheory.report.changes import changed, sentence
from arubatheory.report.formula import expand, is_prose, pieces
from arubatheory.report.ledger import BROKEN
from arubatheory.report.outcome import ratio_text, replay_line
from arubatheory.report.plain import instance_lines, number
from arubatheory.report.standing import READINGS, UNBROKEN, Role, Standing, Tried, by_section, standings
from arubatheory.statements.core import Statement
from arubatheory.statements.items import Item
from arubatheory.statements.paper import Paper
from arubatheory.statements.untrusted import line

SHOWN = 2  # titles in one row of the table
ENDING = str.maketrans("`|", "'¦")


class OnRecord:
    """The ledger, the witnesses under `root`, and who corrects whom."""

    def __init__(
        self, statements: Sequence[Statement], rows: Mapping[str, ledger.LedgerRow], root: Path, witnesses: Path
    ) -> None:
        self.rows, self.root, self.witnesses = rows, root, witnesses
        self.statuses = {label: Status(row.status) for label, row in rows.items()}
        self.written: set[tuple[str, str]] = set()
        self.corrected: dict[str, list[Statement]] = {}
        for s in statements:
            for target in s.corrects:
                self.corrected.setdefault(target, []).append(s)

    def witness(self, label: str) -> tuple[Witness | None, Path]:
        """The simplest witness of a statement that the ledger names, and its file."""
        name = self.rows[label].witness
        path = Path(os.path.relpath(self.witnesses)) / name if self.witnesses.is_absolute() else self.witnesses / name
        return (read_witness(self.root / path) if name else None), path

    def instead(self, label: str) -> list[Statement]:
        """What corrects a statement and survived, or is proved."""
        return [s for s in self.corrected.get(label, ()) if self.statuses.get(s.label) in UNBROKEN]

    def proved(self, label: str) -> str:
        """How far certificates prove a statement, in words."""
        row = self.rows[label]
        return {"": "", WHOLE: "; proved in full"}.get(row.proved, f"; proved for {row.scope}")

    def told(self, slug: str, label: str) -> bool:
        """Whether a corrected form stands above already, among those of an item; from now on it does."""
        known = (slug, label) in self.written
        self.written.add((slug, label))
        return known


def errata(paper: Paper, statements: Sequence[Statement], rows: Mapping[str, ledger.LedgerRow], root: Path) -> str:
    """The text for these statements of a paper; the files of its witnesses are found under `root`."""
    record = OnRecord(statements, rows, root, paper.witnesses)
    proved = {label: row.proved for label, row in rows.items()}
    found = standings([s for s in statements if s.label in rows], record.statuses, paper, proved)
    failing = {slug: s for slug, s in found.items() if any(t.status in BROKEN for t in s.tried)}
    sections = [
        (section, [(item, failing[item.slug]) for item in items if item.slug in failing])
        for (section, _), items in by_section(paper).items()
    ]
    words, given = Words(paper.macros), papers.option(paper)
    simple = simplicity.TABLE.of(paper, root)
    made = markup.text(
        **{name: getattr(words, name) for name in ("display", "inline", "prose", "cell")},
        **{
            f.__name__: f
            for f in (heading, address, broken, role, code, number, ratio_text, instance_lines, replay_line)
        },
        change=words.change,
        made_by=shlex.join(["arubatheory", "report", *given, "--errata"]) if given else "python -m verification.errata",
        free=lambda witness: simplicity.free_of(simple, witness),
        paper=paper,
        record=record,
        stands=[found[item.slug].stand for item in paper.items if item.slug in found],
        sections=[(section, items) for section, items in sections if items],
    )
    return re.sub(r"\n{3,}", "\n\n", made.get_template("errata.md").render()).rstrip("\n") + "\n"


def present(paper: Paper, root: Path) -> str:
    """The text as the files under `root` give it now."""
    return errata(paper, paper.statements, ledger.find(root, paper) or {}, root)


def heading(item: Item) -> str:
    """The heading of an item."""
    return f"{_escaped(f'{item.kind.capitalize()} {item.number}'.strip())} ({code(item.slug)})"


def code(text: str) -> str:
    """A text as code, in a table too: nothing in it ends that."""
    return f"`{line(text).translate(ENDING)}`"


def address(item: Item) -> str:
    """Where GitHub puts its heading: lower case, hyphens for blanks, no other punctuation."""
    return re.sub(r"[^\w -]", "", heading(item).lower()).replace(" ", "-")


def broken(standing: Standing, proof: bool) -> list[Tried]:
    """The statements of an item that fail: lines of its proof, or all others."""
    roles = (Role.STEP,) if proof else (*READINGS, Role.CORRECTED, Role.OURS)
    return [t for t in standing.of(*roles) if t.status in BROKEN]


def role(t: Tried) -> str:
    """What a statement is to its item."""
    step = re.search(r"proof-(\d+)", t.statement.label)
    return f"Line {step[1]} of the proof" if t.role is Role.STEP and step else t.role.value.capitalize()


def _short(s: Statement) -> str:
    """A title; with the first sentence of the note where it leans on the statement before it, or is not there."""
    if s.title and not s.title.startswith("The same"):
        return s.title
    return ": ".join(filter(None, (s.title, re.split(r"(?<=[.?!])\s", s.note, maxsplit=1)[0].rstrip("."))))


class Words:
    """Words and formulas as GitHub shows them, for a paper with these macros."""

    def __init__(self, macros: Mapping[str, str]) -> None:
        self.macros = macros

    def plain(self, latex: str) -> str:
        r"""A formula that GitHub draws: without macros, \operatorname (not allowed there), or bare < and >."""
        text = re.sub(r"\\operatorname\{", r"\\mathrm{", expand(latex.strip().strip("$"), self.macros))
        return text.replace("<", r"\lt ").replace(">", r"\gt ").replace("\n", " ").strip()

    def display(self, latex: str) -> str:
        """A formula on its own, or a sentence with formulas."""
        return self.prose(latex) if _is_sentence(latex) else f"$$\n{self.plain(latex)}\n$$"

    def inline(self, latex: str) -> str:
        """A formula within a sentence."""
        return self.prose(latex) if _is_sentence(latex) else f"${self.plain(latex)}$"

    def prose(self, text: str) -> str:
        """Words as Markdown shows them, with the formulas between dollar signs made plain."""
        return "".join(f"${self.plain(p)}$" if i % 2 else _escaped(p) for i, p in enumerate(pieces(text)))

    def change(self, before: Statement, after: Statement) -> str:
        """What changes from one statement to another."""
        return sentence(changed(before, after, self.macros), self.inline, self.prose)

    def cell(self, standing: Standing) -> str:
        """The titles of what fails in the gravest role that has any, at most two, for a cell, where a bar would end
        it."""
        for role in (Role.MAIN, Role.LITERAL, Role.READING, Role.STEP, Role.OURS):
            titles = list(dict.fromkeys(_short(t.statement) for t in standing.of(role) if t.status in BROKEN))
            if titles:
                more = f"; and {len(titles) - SHOWN} more" if len(titles) > SHOWN else ""
                whose = f"{Role.OURS}: " if role is Role.OURS else ""
                text = self.prose(whose + "; ".join(titles[:SHOWN]) + more)
                return text.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
        return ""


def _is_sentence(latex: str) -> bool:
    bare = latex.strip()
    return is_prose(bare) and not (bare.startswith("$") and bare.endswith("$") and bare.count("$") == 2)


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_<\[\]])", r"\\\1", text).replace("\n", " ")
