r"""How an item of the paper stands: its own words, other readings of them, the lines of its proof, what holds instead.

One item has many statements, and one refuted reading does not make a false theorem. So nothing is summed up in the
gravest status: the *main readings* (labels that are the item's slug or slug/part) decide whether it stands, ours where
there are none, and literal ones where there are none of those; other readings and lines of proof are counted apart,
what the paper does not claim is not counted, and a refuted reading is *mended* where a corrected form survives.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from arubatheory.engines.verdict import SMALL, Status
from arubatheory.report.ledger import BROKEN
from arubatheory.statements.claim import NOT_PRINTED, PROOF_STEP
from arubatheory.statements.core import Statement
from arubatheory.statements.items import Item
from arubatheory.statements.paper import Paper


class Role(StrEnum):
    """What a statement is to its item."""

    MAIN = "main reading"
    READING = "our reading"
    LITERAL = "literal reading"
    OURS = "not printed"
    STEP = "proof step"
    CORRECTED = "corrected form"


class Stand(StrEnum):
    """How an item stands, from bad to good, `OPEN` without a verdict: its mark, in few words, in a sentence."""

    mark: str
    badge: str
    meaning: str

    ERROR = "error", "!", "error", "The code failed, not the claim"
    FAILS = "fails", "✗", "refuted", "What it says is refuted"
    PARTLY = "partly", "◐", "refuted in part", "Part of what it says is refuted, part of it survived"
    SUSPECT = "suspect", "?", "suspect", "What it says is not refuted, but a reading of it is suspect"
    READ = "read", "◔", "refuted in a reading", "What it says is not refuted, but another reading of it is"
    PROOF = "proof", "✓", "not refuted, but its proof is", "No reading of it is refuted, but a line of its proof is"
    HOLDS = "holds", "✓", "not refuted", "Nothing that was tried refutes it"
    PART = "part", "◧", "proved in part", "Nothing that was tried refutes it, and a part of it is proved"
    PROVED = "proved", "■", "proved", "Certificates prove what it says"
    IDLE = "idle", "·", "idle", "Too few trials counted"
    OPEN = "open", "·", "without a verdict", "No verdict"

    def __new__(cls, name: str, mark: str, badge: str, meaning: str) -> Stand:
        """The member with this name."""
        made = str.__new__(cls, name)
        made._value_, made.mark, made.badge, made.meaning = name, mark, badge, meaning
        return made


class Tried(NamedTuple):
    """A statement of an item with its status (None: no verdict), and how far it is proved."""

    statement: Statement
    role: Role
    status: Status | None
    proved: str = ""


class Standing(NamedTuple):
    """How one item stands, and what it rests on. `mended`: each refuted reading has a corrected form that survived."""

    stand: Stand
    mended: bool
    tried: tuple[Tried, ...]

    def of(self, *roles: Role) -> list[Tried]:
        """The statements with one of these roles that have a verdict."""
        return [t for t in self.tried if t.role in roles and t.status is not None]

    @property
    def sentence(self) -> str:
        """The standing in words, with the counts that it rests on."""
        counted = [_count(self.of(*READINGS), "reading"), _count(self.of(Role.STEP), "line of proof", "lines of proof")]
        lost = [t for t in self.of(*READINGS) if t.status is Status.REFUTED]
        if lost and self.mended:
            counted.append("a corrected form survived" if len(lost) == 1 else "corrected forms survived")
        counts = "; ".join(c for c in counted if c)
        return f"{self.stand.meaning}{': ' if counts else ''}{counts}."


UNBROKEN = (Status.SURVIVED, Status.PROVED)
READINGS = (Role.MAIN, Role.READING, Role.LITERAL)


def _count(tried: Sequence[Tried], one: str, many: str = "") -> str:
    if not tried:
        return ""
    lost, doubtful = (sum(t.status is status for t in tried) for status in BROKEN)
    noun = one if len(tried) == 1 else many or one + "s"
    counted = f"{lost} of {len(tried)} {noun} refuted" if lost else f"{len(tried)} {noun}, none refuted"
    return f"{counted}, {doubtful} suspect" if doubtful else counted


def item_of(paper: Paper | None, label: str) -> Item | None:
    """The item of a label; None without a paper, as for a user's file, and for a label outside it."""
    return paper.item_of(label) if paper else None


def by_section(paper: Paper) -> dict[tuple[str, str], list[Item]]:
    """The items of a paper, those of one section together: (section, title)."""
    found: dict[tuple[str, str], list[Item]] = {}
    for item in paper.everything:
        found.setdefault(paper.sections[item.file], []).append(item)
    return found


def role_of(s: Statement, paper: Paper | None) -> Role:
    r"""The role of a statement in its item, by its relations and its label.

    What corrects only its own sub-labels (prp:ftl corrects prp:ftl/literal) is a reading of what is printed; what
    corrects another statement of its item is a corrected form.
    """
    if s.step_of or s.kind == PROOF_STEP:
        return Role.STEP
    if s.kind == NOT_PRINTED:
        return Role.OURS
    item = item_of(paper, s.label)
    tail = s.label.removeprefix(item.slug).split("/") if item else []
    if item and s.label in {f"{item.slug}/{part}" for part in item.parts}:
        return Role.MAIN
    if "corrected" in tail or any(item_of(paper, c) is item and not c.startswith(s.label + "/") for c in s.corrects):
        return Role.CORRECTED
    if any(part.startswith("literal") for part in tail):
        return Role.LITERAL
    return Role.MAIN if item is None or s.label == item.slug else Role.READING


def standing(slug: str, tried: Sequence[Tried], corrected: Container[str]) -> Standing:
    """How the item `slug` with these statements stands; of the labels `corrected` a corrected form survived."""
    readings = [t for t in tried if t.role in READINGS and t.status is not None]
    main = next(filter(None, ([t for t in readings if t.role is role] for role in READINGS)), [])
    lost, doubtful = ([t for t in readings if t.status is status] for status in BROKEN)
    statuses = {t.status for t in tried}
    if not statuses - {None}:
        stand = Stand.OPEN
    elif Status.ERROR in statuses:
        stand = Stand.ERROR
    elif lost or doubtful:
        stand = _lost(slug, main, lost, bool(doubtful))
    elif any(t.status is Status.REFUTED for t in tried if t.role is Role.STEP):
        stand = Stand.PROOF
    else:
        stand = _unbroken(main, readings or tried)
    return Standing(stand, bool(lost) and all(t.statement.label in corrected for t in lost), tuple(tried))


def _unbroken(main: Sequence[Tried], basis: Sequence[Tried]) -> Stand:
    """How an item stands of which nothing fails, by its main readings and by all that says something of it. What is
    proved of lines of its proof proves nothing of the item."""
    if main and all(t.status is Status.PROVED for t in main):
        return Stand.PROVED
    if any(t.proved not in ("", SMALL) for t in main):
        return Stand.PART
    return Stand.HOLDS if any(t.status in UNBROKEN for t in basis) else Stand.IDLE


def standings(
    statements: Iterable[Statement],
    statuses: Mapping[str, Status],
    paper: Paper | None,
    proved: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Standing]:
    """How each item of the paper stands that has a statement among these, by slug; `statuses` are verdicts by label,
    `proved` how far certificates go."""
    chosen = list(statements)
    corrected = {c for s in chosen if statuses.get(s.label) in UNBROKEN for c in s.corrects}
    by_item: dict[str, list[Tried]] = {}
    for s in chosen:
        item = item_of(paper, s.label)
        if item:
            tried = Tried(s, role_of(s, paper), statuses.get(s.label), proved.get(s.label, ""))
            by_item.setdefault(item.slug, []).append(tried)
    return {slug: standing(slug, tried, corrected) for slug, tried in by_item.items()}


def _lost(slug: str, main: Sequence[Tried], lost: Sequence[Tried], doubtful: bool) -> Stand:
    """How badly an item stands that has lost readings, or suspect ones: the whole of it, which its own label is, some
    of its parts, or only how it may be read."""
    fallen = [t for t in main if t in lost]
    if len(fallen) == len(main) or any(t.statement.label == slug for t in fallen):
        return Stand.FAILS
    return Stand.PARTLY if fallen else Stand.SUSPECT if doubtful else Stand.READ
