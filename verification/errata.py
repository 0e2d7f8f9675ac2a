r"""What a reader of the paper should know, statement by statement: `python -m verification.errata` writes ERRATA.md.

Made from the paper's list of statements, the verdicts on record in `ledger.csv` and the files in `witnesses/`, and from
nothing else: nothing is run. A test compares the committed file with what this makes, so it is written again whenever a
verdict is recorded. Formulas are for GitHub, without the paper's macros and without what GitHub refuses.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from arubatheory.engines.campaign import read_witness
from arubatheory.engines.verdict import Status, Witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger
from arubatheory.report.files import replace_text
from arubatheory.report.formula import expand
from arubatheory.report.outcome import ratio_text, replay_line
from arubatheory.report.plain import instance_lines, number
from arubatheory.report.standing import READINGS, Role, Stand, Standing, Tried, standings
from arubatheory.statements.core import Statement
from arubatheory.statements.items import Item

HOME = Path(__file__).resolve().parents[1]
LOCATION = Path("verification") / "ERRATA.md"
HEAD = """\
# Errata

What a reader of *Adaptive Gradient-Based Meta-Learning Methods* (Khodak, Balcan and Talwalkar, NeurIPS 2019) should
know, in the order of the paper. Every failure below is a concrete instance on which both sides were computed in
rational or ball arithmetic, or on which a side is undefined; the command beside it computes them again, and a *suspect*
was only measured. "What holds instead" survived the same engines, which is evidence and not proof. A *main reading* is
the most natural one, a *literal reading* takes the words as they stand.

Made by `python -m verification.errata` from `ledger.csv` and `witnesses/`; not edited by hand.
"""
SHOWN = 2  # titles in one row of the table
LONG = 20  # lines of an instance that are left to its file
BROKEN = (Status.REFUTED, Status.SUSPECT)


class Record:
    """The ledger, the witnesses beside it, and who corrects whom."""

    def __init__(self, statements: Sequence[Statement], rows: Mapping[str, ledger.Row], folder: Path) -> None:
        self.rows, self.folder = rows, folder
        self.statuses = {label: Status(row.status) for label, row in rows.items()}
        self.corrected: dict[str, list[Statement]] = {}
        for s in statements:
            for target in s.corrects:
                self.corrected.setdefault(target, []).append(s)

    def witness(self, label: str) -> tuple[Witness, Path] | None:
        """The simplest witness of a statement that the ledger names."""
        name = self.rows[label].witness
        return (read_witness(self.folder / name), ledger.WITNESSES / name) if name else None

    def instead(self, label: str) -> list[Statement]:
        """What corrects a statement and survived."""
        return [s for s in self.corrected.get(label, ()) if self.statuses.get(s.label) is Status.SURVIVED]


def errata(statements: Sequence[Statement], rows: Mapping[str, ledger.Row], folder: Path) -> str:
    """The text of ERRATA.md; `folder` holds the witness files."""
    record = Record(statements, rows, folder)
    found = standings([s for s in statements if s.label in rows], record.statuses)
    broken = {slug: s for slug, s in found.items() if any(t.status in BROKEN for t in s.tried)}
    lines = [HEAD, _summary(found), ""]
    by_section = sorted(
        (i for i in ARUBA.items if i.slug in broken), key=lambda i: [j.file for j in ARUBA.items].index(i.file)
    )
    lines += [*_table(by_section, broken), ""]
    for file, items in groupby(by_section, key=lambda item: item.file):
        lines += [f"## {ARUBA.sections[file][0]}", ""]
        for item in items:
            lines += _item(item, broken[item.slug], record)
    return "\n".join(lines).rstrip("\n") + "\n"


def _summary(found: Mapping[str, Standing]) -> str:
    words = {
        Stand.FAILS: "the main reading is refuted",
        Stand.PARTLY: "a part or another reading is refuted",
        Stand.PROOF: "only a line of the proof is refuted",
        Stand.SUSPECT: "a reading is suspect",
    }
    counts = [f"{text} in {sum(s.stand is stand for s in found.values())}" for stand, text in words.items()]
    return f"Of the {len(found)} items of the paper with a recorded verdict, {', '.join(counts)}."


def _table(items: Sequence[Item], broken: Mapping[str, Standing]) -> Iterator[str]:
    yield from ("| Item | What fails | How it stands |", "|---|---|---|")
    for item in items:
        standing, heading = broken[item.slug], _heading(item)
        yield f"| [{heading}](#{_address(heading)}) | {_cell(_what_fails(standing))} | {standing.sentence} |"


def _what_fails(standing: Standing) -> str:
    """The titles of what is broken in the gravest role that has any, at most two."""
    for role in (Role.MAIN, Role.LITERAL, Role.READING, Role.STEP):
        titles = list(dict.fromkeys(_short(t.statement) for t in standing.of(role) if t.status in BROKEN))
        if titles:
            return "; ".join(titles[:SHOWN]) + (f"; and {len(titles) - SHOWN} more" if len(titles) > SHOWN else "")
    return ""


def _short(s: Statement) -> str:
    """A title; with the first sentence of the note where it leans on the statement before it, or is not there."""
    if s.title and not s.title.startswith("The same"):
        return s.title
    return ": ".join(filter(None, (s.title, re.split(r"(?<=[.?!])\s", s.note, maxsplit=1)[0].rstrip("."))))


def _cell(text: str) -> str:
    """Words for a cell of a table, where a bar would end it."""
    return prose(text).replace(r"\|", r"\Vert ").replace("|", r"\vert ")


def _heading(item: Item) -> str:
    return f"{f'{item.kind.capitalize()} {item.number}'.strip()} (`{item.slug}`)"


def _address(heading: str) -> str:
    """Where GitHub puts a heading: lower case, hyphens for blanks, no other punctuation."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _item(item: Item, standing: Standing, record: Record) -> Iterator[str]:
    yield from (f"### {_heading(item)}", "", standing.sentence, "")
    told: list[str] = []  # corrected forms whose formula stands above already
    for t in standing.of(*READINGS, Role.CORRECTED):
        if t.status in BROKEN:
            yield from _reading(t, record, told)
    steps = [t for t in standing.of(Role.STEP) if t.status in BROKEN]
    if steps:
        yield from ("#### In the proof", "")
        for t in steps:
            yield from _reading(t, record, told)


def _reading(t: Tried, record: Record, told: list[str]) -> Iterator[str]:
    s = t.statement
    title = f": {prose(s.title)}" if s.title else ""
    yield from (f"**{_role(t)} (`{s.label}`)**{title}", "", display(s.latex), "")
    if s.assumptions:
        yield from (f"assuming {'; '.join(inline(a.latex) for a in s.assumptions)}.", "")
    if s.note:
        yield from (f"> {prose(s.note)}", "")
    yield from _failure(s, record)
    yield from _instead(record.instead(s.label), told)


def _role(t: Tried) -> str:
    step = re.search(r"proof-(\d+)", t.statement.label)
    return f"Line {step[1]} of the proof" if t.role is Role.STEP and step else t.role.value.capitalize()


def _failure(s: Statement, record: Record) -> Iterator[str]:
    row, found = record.rows[s.label], record.witness(s.label)
    verb = "Fails" if record.statuses[s.label] is Status.REFUTED else "Suspect"
    if found is None:
        yield from (f"*{verb}* (worst ratio {row.worst_ratio or 'none'}, found by {row.found_by}).", "")
        return
    w, path = found
    yield from (f"*{verb}*: {_sides(w)}", "")
    lines = instance_lines(w.instance)
    if 0 < len(lines) <= LONG:
        yield from ("```", *lines, "```", "")
    yield from (f"`{replay_line(path)}`", "")


def _sides(w: Witness) -> str:
    if w.certified == "float":
        return f"{w.note}."
    if w.certified == "undefined":
        return "a side is not a real number on an instance that meets every assumption."
    how = f"in balls of {w.bits} bits" if w.bits else "in rational arithmetic"
    ratio = f"{w.measure} = {ratio_text(w.ratio, w.measure)}"
    return f"the left side is {number(w.lhs)}, the right side {number(w.rhs)} ({ratio}), {how}."


def _instead(forms: Sequence[Statement], told: list[str]) -> Iterator[str]:
    if not forms:
        yield from ("*No corrected form is known here.*", "")
    for s in forms:
        title = f": {prose(s.title)}" if s.title else ""
        yield from (f"*What holds instead* (`{s.label}`){title}{', as above.' if s.label in told else ''}", "")
        if s.label not in told:
            told.append(s.label)
            yield from (display(s.latex), "")
            if s.assumptions:
                yield from (f"assuming {'; '.join(inline(a.latex) for a in s.assumptions)}.", "")


# formulas ----------------------------------------------------------------------------------------------------------


def plain_latex(latex: str) -> str:
    r"""A formula that GitHub draws: no macros of the paper, no \operatorname (not allowed there), no bare < and >."""
    text = re.sub(r"\\operatorname\{", r"\\mathrm{", expand(latex.strip().strip("$")))
    return text.replace("<", r"\lt ").replace(">", r"\gt ").replace("\n", " ").strip()


def display(latex: str) -> str:
    """A formula on its own, or a sentence with formulas."""
    return prose(latex) if _is_prose(latex) else f"$$\n{plain_latex(latex)}\n$$"


def inline(latex: str) -> str:
    """A formula within a sentence."""
    return prose(latex) if _is_prose(latex) else f"${plain_latex(latex)}$"


def _is_prose(latex: str) -> bool:
    bare = latex.strip()
    whole = bare.startswith("$") and bare.endswith("$") and bare.count("$") == 2
    return "$" in bare and not whole and not re.search(r"\\text(rm)?\{[^{}]*\$", bare)


def prose(text: str) -> str:
    """Words as Markdown shows them, with the formulas between dollar signs made plain."""
    pieces = re.split(r"\$\$?", text)
    if len(pieces) % 2 == 0:
        return _escaped(text)
    return "".join(f"${plain_latex(p)}$" if i % 2 else _escaped(p) for i, p in enumerate(pieces))


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_<\[\]])", r"\\\1", text).replace("\n", " ")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.errata", description=__doc__)
    parser.add_argument("--output", type=Path, default=HOME / LOCATION)
    given = parser.parse_args(arguments)
    replace_text(given.output, present())
    print(given.output)
    return 0


def present() -> str:
    """The text as the files of the project give it now."""
    from arubatheory import PAPER

    return errata(PAPER, ledger.find(HOME) or {}, HOME / ledger.WITNESSES)


if __name__ == "__main__":
    sys.exit(main())
