r"""What the article of one statement says beside its formula: how it is judged, its witnesses, what it relates to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup, escape

from arubatheory.engines.verdict import Scope, Status, Witness
from arubatheory.report import album, power, sharp, simplicity, worst_cases
from arubatheory.report.changes import Change, changed
from arubatheory.report.markup import anchor
from arubatheory.report.outcome import Outcome
from arubatheory.report.plain import LENGTH, approximation, needs_decimals
from arubatheory.report.standing import Role, Stand, item_of, role_of
from arubatheory.statements.core import Statement
from arubatheory.statements.items import Item
from arubatheory.statements.paper import Paper

SIGNS = {Status.REFUTED: Stand.FAILS.mark, Status.SUSPECT: Stand.SUSPECT.mark, Status.ERROR: Stand.ERROR.mark}
BREAKING = ("violated", "undefined")  # how a witness is judged that breaks its claim
CORRECTED, LINES = "corrected by", "lines of its proof"
MANY = 6  # links of one kind that are shown at once
SHORT = 60  # characters of a formula or a note that is written again rather than referred to


def status_of(outcome: Outcome | None) -> str:
    """The status of an outcome, NONE where there is no verdict."""
    return outcome.verdict.status.value if outcome and outcome.verdict else "NONE"


class Link(NamedTuple):
    """Where a label stands on the page ("" if nowhere), and its status where that needs a sign."""

    target: str
    status: str
    sign: str


class Beside(NamedTuple):
    """What the page may show beside the verdicts: the paper, or a user's file of statements, pictures and the address
    of their folder, the recorded worst cases, power, sharp constants and numbers that matter by label, the address of
    the folder with the sources; `blind`: the run did without stored witnesses."""

    paper: Paper | None = None
    file: Path | None = None
    pictures: Sequence[album.Picture] = ()
    base: str = "figures"
    worst: Mapping[str, Sequence[worst_cases.WorstCase]] = {}
    power: Mapping[str, Sequence[power.PowerRow]] = {}
    root: str = ".."
    blind: bool = False
    sharp: Mapping[str, Sequence[sharp.SharpRow]] = {}
    simple: Mapping[str, Sequence[simplicity.SimplicityRow]] = {}

    @property
    def subject(self) -> str:
        """What is on trial."""
        return self.paper.name.upper() if self.paper else self.file.name if self.file else "Statements"


class Around:
    """What the articles of a page refer to: the outcomes and the items on it, who says what about whom, the recorded
    tables, the user's file of statements, and what stands on the page already and is not written again."""

    def __init__(self, outcomes: Sequence[Outcome], beside: Beside) -> None:
        self.paper = paper = beside.paper
        self.file, self.worst, self.power = beside.file, beside.worst, beside.power
        self.simple = beside.simple
        self.sharp = {label: sharp.sentence(rows) for label, rows in beside.sharp.items()}
        self.outcomes = {o.statement.label: o for o in outcomes}
        self.numbers = {label: str(i) for i, label in enumerate(self.outcomes, 1)}
        tried = (item_of(paper, label) for label in self.outcomes)
        self.items = {item.slug: anchor(item.slug, "i") for item in tried if item}
        self.back = _backlinks(outcomes)
        self.written: dict[str, tuple[str, bool]] = {}
        self.leading: dict[tuple[Item | None, str], str] = {}
        self.assumed: dict[tuple[Item | None, tuple[str, ...]], str] = {}

    def written_at(self, label: str, text: str, instead: bool) -> tuple[str, bool]:
        """Where a formula or a note stands that is to be written at a label: there, or at one before it, and whether it
        stands there as what holds instead."""
        return (label, instead) if len(text) <= SHORT else self.written.setdefault(text, (label, instead))

    def assumed_at(self, s: Statement) -> str:
        """The first statement with the same assumptions, of the same item where they are short."""
        said = tuple(a.latex for a in s.assumptions)
        item = item_of(self.paper, s.label) if len("".join(said)) <= SHORT else None
        return self.assumed.setdefault((item, said), s.label)

    def link(self, label: str) -> Link:
        """The way to a label."""
        if label not in self.outcomes:
            return Link(self.items.get(label, ""), "", "")
        verdict = self.outcomes[label].verdict
        sign = SIGNS.get(verdict.status, "") if verdict else ""
        return Link(self.numbers[label], status_of(self.outcomes[label]) if sign else "", sign)

    def role(self, s: Statement) -> str:
        """What a statement is to its item, in words; its kind where it has none."""
        role, step = role_of(s, self.paper), re.search(r"proof-(\d+)", s.label)
        known = role.value if item_of(self.paper, s.label) else s.kind
        name = f"line {step[1]} of the proof" if role is Role.STEP and step else known
        name += ", corrected" if role is Role.STEP and "corrected" in s.label.split("/") else ""
        return name[0].upper() + name[1:]

    def corrected(self, s: Statement) -> list[Statement]:
        """What holds instead of a statement that fails."""
        if status_of(self.outcomes[s.label]) not in (Status.REFUTED, Status.SUSPECT):
            return []
        return [self.outcomes[by].statement for relation, by in self.back.get(s.label, ()) if relation == CORRECTED]

    def changed(self, before: Statement, after: Statement) -> Change:
        """What changes from one statement to another."""
        return changed(before, after, self.paper.macros if self.paper else {})

    def place(self, label: str) -> tuple[Path, int, bool] | None:
        """The file and the line where the label of one of the paper's statements is written, and whether it is the
        first of its item there."""
        module, line = self.paper.places.get(label, ("", 0)) if self.paper and self.paper.is_shipped else ("", 0)
        if not module:
            return None
        first = self.leading.setdefault((item_of(self.paper, label), module), label) == label
        return Path(*module.split(".")).with_suffix(".py"), line, first

    def relations(self, s: Statement) -> dict[str, list[str]]:
        """The labels that a statement is related to, by relation."""
        found: dict[str, list[str]] = {}
        item = item_of(self.paper, s.label)
        above = item.slug if item else None  # under whose heading it stands
        own = [(is_, of) for is_, of in (("part of", s.part_of), ("proof step of", s.step_of)) if of != above]
        own += [("corrects", c) for c in s.corrects] + [("uses", u) for u in s.uses]
        shown = self.corrected(s)  # what holds instead stands above
        for relation, target in [*own, *self.back.get(s.label, ())]:
            if target and not (shown and relation == CORRECTED):
                found.setdefault(relation, []).append(target)
        return found

    def witnesses(self, outcome: Outcome) -> list[tuple[str, Witness, Path | None]]:
        """The witnesses with names and files: one if the simplest is the worst, none that holds beside a refutation."""
        v = outcome.verdict
        assert v is not None
        pairs = [("Simplest witness", v.simplest, outcome.simplest)]
        if v.simplest == v.worst:
            pairs = [("Simplest and worst witness", v.simplest, outcome.simplest)]
        elif v.status is not Status.REFUTED or (v.worst and v.worst.certified in BREAKING):
            pairs.append(("Worst instance found", v.worst, outcome.worst))
        return [(name, w, path) for name, w, path in pairs if w]

    def free(self, witness: Witness) -> tuple[str, ...]:
        """The numbers of a witness that do not matter."""
        return simplicity.free_of(self.simple, witness)

    def proofs(self, outcome: Outcome) -> list[tuple[Scope, Path | None]]:
        """What certificates prove, with their files."""
        assert outcome.verdict is not None
        files = {path.stem.rpartition("-")[2]: path for path in outcome.certificates}
        return [(proof, files.get(proof.method)) for proof in outcome.verdict.proofs]


def _backlinks(outcomes: Iterable[Outcome]) -> dict[str, list[tuple[str, str]]]:
    """For each label, who says something about it: (relation, label)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for o in outcomes:
        s = o.statement
        relations = [(CORRECTED, c) for c in s.corrects] + [("used by", u) for u in s.uses]
        relations += [("has the part", s.part_of or ""), (LINES, s.step_of or "")]
        for relation, target in relations:
            found.setdefault(target, []).append((relation, s.label))
    return found


def number(text: str) -> Markup:
    """A rational or a ball as `show` writes it: itself if short, else 10 digits, exact in `title`."""
    value = approximation(text)
    if value is None or (len(text) <= LENGTH and not needs_decimals(text)):
        return escape(text)
    if len(text) > LENGTH:
        return Markup('<span title="{}">≈ {}</span>').format(text if len(text) <= 120 else text[:120] + " …", value)
    return Markup('{} <span class="small">≈ {}</span>').format(text, value)
