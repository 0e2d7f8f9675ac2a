"""One document for authors and readers, "corrections and sharper constants", made from the ledger, the witnesses, the
slips and docs/theorems: short enough to be printed, each number with the command that computes it again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from arubatheory.engines.verdict import Status, Witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger
from arubatheory.report.errata import OnRecord, Words, code
from arubatheory.report.ledger import LedgerRow
from arubatheory.report.outcome import ratio_text, replay_line
from arubatheory.report.plain import instance_lines, number
from arubatheory.report.slips import Line, counted, fails, table
from arubatheory.report.standing import UNBROKEN, Role, Stand, Tried
from arubatheory.statements.claim import NOT_PRINTED
from arubatheory.statements.core import Statement

ROOT = Path(__file__).resolve().parents[2]
WORDS = Words(ARUBA.macros)
ROLES = (Role.MAIN, Role.READING, Role.LITERAL)
SHORT, LONGEST = 110, 420  # characters of an instance and of a formula that stand here
GROUPS = (("{", "}"), (r"\left", r"\right"))
SHARPER = re.compile(r"/sharp(er)?(/|$)|^ours:")

HEAD = """# Adaptive Gradient-Based Meta-Learning Methods: corrections and sharper constants

What a reader of the paper (Khodak, Balcan and Talwalkar, NeurIPS 2019, arXiv:1906.02717) should know. *Falls* is said
of what a concrete instance breaks that meets every assumption, both sides having been computed in rational or ball
arithmetic; the command beside it computes them again. *Not refuted* is said of what engines have tried to break without
success: it is evidence, and no proof. The *proofs* of the last part stand in [theorems](../theorems/index.md).
`arubatheory show LABEL` prints a claim with all that is on record of it, `arubatheory verify LABEL` tries it again, and
[the record](../record.md) has all items. This page is made by `make docs` from `verification/ledger.csv`.
"""


def document() -> str:
    """The text of the page, in Markdown."""
    rows = ledger.find(ROOT, ARUBA) or {}
    record, lines = OnRecord(ARUBA.statements, rows, ROOT, ARUBA.witnesses), table(ARUBA, rows)
    whole = [line for line in lines if _stands(line, Stand.FAILS, Stand.PARTLY)]
    rest = [line for line in lines if _stands(line, Stand.SUSPECT, Stand.READ, Stand.PROOF)]
    parts = [HEAD, *_standing(lines), "## What falls, and what holds instead\n"]
    parts += [_entry(line, record) for line in whole]
    parts += ["## What is suspect, or falls in one reading, or in its proof, only\n"]
    parts += ["\n".join(map(_short, rest)) + "\n"]
    parts += ["## What falls beside what is printed\n", *_beside(rows)]
    return "\n".join([*parts, "\n## What is sharper\n", *_sharper(rows)])


def _stands(line: Line, *stands: Stand) -> bool:
    return line.standing is not None and line.standing.stand in stands


def _standing(lines: Sequence[Line]) -> Iterator[str]:
    """What stands: how many items slipped, and the names of those that did not."""
    kept = [line for line in lines if line.standing and not fails(line)]
    counts = ", ".join(f"{n} of {slip}" for slip, n in counted(list(lines)).items())
    yield "## What stands\n"
    yield (
        f"Of the paper's {len(lines)} items {sum(map(fails, lines))} have a slip: {counts}. "
        f"Of {len(kept)} others nothing that was tried is refuted: "
        + ", ".join(code(x.item.slug) for x in kept)
        + ".\n"
    )


def _beside(rows: dict[str, LedgerRow]) -> Iterator[str]:
    """The claims near the paper's that it does not make, and that are refuted."""
    for s in ARUBA.statements:
        if s.kind == NOT_PRINTED and s.label in rows and rows[s.label].status == Status.REFUTED:
            yield f"* {code(s.label)}: {WORDS.prose(s.title)}. ({code(f'arubatheory verify {s.label}')})"


def _name(line: Line) -> str:
    kind = f"{line.item.kind} {line.item.number}".strip()
    return f"**{kind[0].upper()}{kind[1:]}** ({code(line.item.slug)}; {line.slip})"


def _short(line: Line) -> str:
    return f"* {_name(line)}. {WORDS.prose(line.words)}"


def _entry(line: Line, record: OnRecord) -> str:
    """An item that falls: its sentence, the smallest witness of what falls, and what changes."""
    said = [f"{_name(line)}. {WORDS.prose(line.words)}"]
    lost = [t for t in _lost(line) if record.witness(t.statement.label)[0]]
    if lost:
        s = min(lost, key=lambda t: _length(record, t)).statement
        witness, path = record.witness(s.label)
        assert witness is not None
        said.append(f"*Smallest witness* ({code(s.label)}): {_sides(witness)} {code(replay_line(path, paper=ARUBA))}.")
        said += [
            f"*What changes* in {code(form.label)}: {WORDS.change(s, form)}." for form in record.instead(s.label)[:1]
        ]
    return "\n".join(said) + "\n"


def _lost(line: Line) -> list[Tried]:
    """The refuted readings of an item, of the gravest role that has any."""
    assert line.standing is not None
    found = ([t for t in line.standing.of(role) if t.status is Status.REFUTED] for role in ROLES)
    return next((lost for lost in found if lost), [])


def _length(record: OnRecord, t: Tried) -> int:
    witness, _ = record.witness(t.statement.label)
    return len(str(witness.instance)) if witness else 0


def _sides(w: Witness) -> str:
    """The instance, if it is short, and both sides."""
    lines = instance_lines(w.instance)
    drawn = ", ".join(line.strip() for line in lines).replace("= ≈", "≈ ")
    flat = all(" = " in line and not line.startswith(" ") for line in lines) and 0 < len(drawn) <= SHORT
    given = f"{WORDS.prose(drawn)}: " if flat else ""
    if w.certified == "undefined":
        return f"{given}a side is no real number."
    return f"{given}left {number(w.lhs)}, right {number(w.rhs)} ({w.measure} = {ratio_text(w.ratio, w.measure)})."


def _sharper(rows: dict[str, LedgerRow]) -> Iterator[str]:
    """The statements that are sharper than the paper, with the worst ratio seen."""
    pages = sorted(set((ROOT / "docs/theorems").glob("*.md")) - {ROOT / "docs/theorems/index.md"})
    proofs = "".join(path.read_text(encoding="utf-8") for path in pages)
    for s in ARUBA.statements:
        row = rows.get(s.label)
        mine = SHARPER.search(s.label) and s.step_of is None
        if row and mine and Status(row.status) in (*UNBROKEN, Status.REFUTED):
            yield _claim(s, row, s.label in proofs)


def _claim(s: Statement, row: LedgerRow, is_proved: bool) -> str:
    word = "with a proof" if is_proved else "a conjecture"
    word = "refuted" if row.status == Status.REFUTED else word
    formula = f" {' '.join(map(WORDS.inline, _pieces(s.latex)))}" if len(s.latex) <= LONGEST else ""
    seen = f"worst ratio seen {float(row.worst_ratio):.4g}, {code(f'arubatheory verify {s.label}')}"
    return f"* {code(s.label)}: {WORDS.prose(s.title)}.{formula} ({word}; {seen})"


def _pieces(latex: str) -> list[str]:
    r"""A formula cut at each \\quad that stands in no group, where a line may end."""
    found: list[str] = []
    for piece in re.split(r"\\q?quad\b", latex):
        depth = sum(found[-1].count(mark) - found[-1].count(end) for mark, end in GROUPS) if found else 0
        found[-1:] = [f"{found[-1]}\\quad{piece}"] if depth else [*found[-1:], piece]
    return found
