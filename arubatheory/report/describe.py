r"""A statement in words and as one JSON object: what `show` prints, and what `replay` says of a witness."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arubatheory.engines.verdict import Witness
from arubatheory.engines.witness import Replay
from arubatheory.report import ledger, proofs, worst_cases
from arubatheory.report.changes import changed, sentence
from arubatheory.report.markup import text
from arubatheory.report.outcome import Outcome, ratio_text, record
from arubatheory.report.standing import role_of
from arubatheory.report.worst_cases import HEAD
from arubatheory.statements.core import Statement
from arubatheory.statements.items import Item
from arubatheory.statements.paper import Paper
from arubatheory.statements.untrusted import line


def describe(
    label: str,
    item: Item | None,
    outcomes: Sequence[Outcome],
    related: Sequence[Statement],
    root: Path,
    paper: Paper | None,
) -> dict[str, Any]:
    """What is known of a label: the item of the paper it names, and each of its statements."""
    rows = ledger.find(root, paper) or {}
    worst, proved = (t.TABLE.of(paper, root) for t in (worst_cases, proofs))
    described = [_one(o.statement, related, rows.get(o.statement.label), paper) for o in outcomes]
    for data, outcome in zip(described, outcomes, strict=True):
        data["verdict"] = record(outcome) if outcome.verdict else None
        data["proved"] = [proofs.TABLE.to_json(row) for row in proved.get(outcome.statement.label, [])]
        data["worst_case"] = [worst_cases.TABLE.to_json(row) for row in worst.get(outcome.statement.label, [])]
    name = paper.name if paper else None
    return {"label": label, "paper": name, "item": item._asdict() if item else None, "statements": described}


def _one(
    s: Statement, related: Sequence[Statement], row: ledger.LedgerRow | None, paper: Paper | None
) -> dict[str, Any]:
    macros = paper.macros if paper else {}
    return {
        **{name: getattr(s, name) for name in ("label", "kind", "number", "title", "latex")},
        "role": role_of(s, paper).value,
        "assumptions": [a.latex for a in s.assumptions],
        **{name: getattr(s, name) for name in ("where", "note", "part_of", "step_of")},
        "corrects": list(s.corrects),
        "corrected_by": [o.label for o in related if s.label in o.corrects],
        "changes": {o.label: sentence(changed(s, o, macros), str, str) for o in related if s.label in o.corrects},
        "parts": [o.label for o in related if o.part_of == s.label],
        "uses": list(s.uses),
        "used_by": [o.label for o in related if s.label in o.uses],
        "engines": list(s.engines),
        "ledger": row._asdict() if row else None,
    }


def description(data: dict[str, Any]) -> str:
    """The text of what `describe` found."""
    read = worst_cases.TABLE.from_json
    made = text(line, ratio_text=ratio_text, worst_rows=lambda rows: worst_cases.games(map(read, rows)), HEAD=HEAD)
    return made.get_template("show.txt").render(data).strip("\n")


def replayed(witness: Witness, seen: Replay) -> str:
    """What a replay says, beside what the file says."""
    how = f"balls of {seen.bits} bits" if seen.bits else "floats" if seen.outcome == "float" else "rational arithmetic"
    then = vars(witness) | {"outcome": witness.certified}
    names = [name for name in ("outcome", "lhs", "rhs", "ratio", "bits") if then[name] != getattr(seen, name)]
    other = [f"{name} {then[name]}" for name in names]
    made = text(line, w=witness, seen=seen, how=how, other=other, ratio_text=ratio_text)
    return made.get_template("replay.txt").render().rstrip("\n")
