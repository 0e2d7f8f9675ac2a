r"""Every item of the paper, and how much of it has been put on trial.

`items.tsv` has one row for each of the 75 numbered items and the 22 claims of the running text. An item's slug is the
label of the paper's source, or one in its style where the source has none; a statement's label is a slug, then
`/part`, `/reading`, `/proof-<n>` or `/corrected`. Nothing here needs the mathematics: listing the paper is immediate.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol

TEXT_CLAIM = "claim in text"
DEFINING_KINDS = ("definition", "algorithm", "assumption")
DEFINING_EQUATIONS = ("eq:auxregret", "eq:ewoo", "eq:percoord")
SECTIONS = {  # of the paper, by the file of its source
    "aruba.tex": ("Sections 2 and 3", "regret-upper-bounds, similar tasks, dynamic environments"),
    "adaptive.tex": ("Section 4", "adapting to the inter-task geometry"),
    "statistical.tex": ("Section 5", "statistical learning-to-learn, fast rates and high probability"),
    "empirical.tex": ("Section 6", "empirical results"),
    "background.tex": ("Appendix A", "background and results for online convex optimization"),
    "coupling.tex": ("Appendix B", "strongly convex coupling"),
    "dynamic.tex": ("Appendix C", "adaptive and dynamic guarantees"),
    "geometry.tex": ("Appendix D", "adapting to the inter-task geometry"),
    "batch.tex": ("Appendix E", "online-to-batch conversion for task-averaged regret"),
    "similarity.tex": ("Appendix F", "adapting to task-similarity under parameter growth"),
    "details.tex": ("Appendix G", "experimental details"),
}
COLUMNS = ("file", "kind", "number", "slug", "parts", "note")


class Item(NamedTuple):
    """One row of the paper's contents: `number` is as printed ("" for text and unnumbered), `parts` are part slugs."""

    file: str
    kind: str
    number: str
    slug: str
    parts: tuple[str, ...]
    note: str

    @property
    def is_text(self) -> bool:
        """Whether the running text claims it, rather than a numbered item."""
        return self.kind == TEXT_CLAIM

    @property
    def is_defining(self) -> bool:
        """Whether it introduces something instead of claiming something: other statements exercise it."""
        return self.kind in DEFINING_KINDS or self.slug in DEFINING_EQUATIONS


def _read(text: str) -> tuple[Item, ...]:
    header, *rows = [line.split("\t") for line in text.splitlines()]
    if tuple(header) != COLUMNS:
        raise ValueError(f"items.tsv must have the columns {COLUMNS}, got {tuple(header)}")
    return tuple(Item(f, kind, number, slug, tuple(parts.split()), note) for f, kind, number, slug, parts, note in rows)


ITEMS: tuple[Item, ...] = _read(Path(__file__).with_name("items.tsv").read_text(encoding="utf-8"))
_BY_SLUG = {row.slug: row for row in ITEMS}


def item(slug: str) -> Item:
    """The item with this slug. Raises ValueError for a slug that the paper does not have."""
    if slug not in _BY_SLUG:
        raise ValueError(f"slug must be an item of the paper, got {slug!r}")
    return _BY_SLUG[slug]


def item_of(label: str) -> Item | None:
    """The item that a statement label belongs to: the longest slug that is the label or a prefix before a `/`.

    None for a label outside the paper, as a user's own statement has.
    """
    slug = label
    while slug and slug not in _BY_SLUG:
        slug = slug.rpartition("/")[0]
    return _BY_SLUG.get(slug)


class Covered(StrEnum):
    """What has been done about an item."""

    STATEMENT = "statement"
    EXERCISED = "definition exercised by others"
    TO_COME = "to come"


class Labelled(Protocol):
    """What coverage asks of a statement."""

    @property
    def label(self) -> str: ...

    @property
    def uses(self) -> tuple[str, ...]: ...


class Coverage(NamedTuple):
    """What has been done about each item, by slug in the order of the paper."""

    by_slug: dict[str, Covered]

    def slugs(self, covered: Covered) -> tuple[str, ...]:
        """The items with this outcome, in the order of the paper."""
        return tuple(slug for slug, outcome in self.by_slug.items() if outcome is covered)

    def count(self, covered: Covered) -> int:
        """How many items have this outcome."""
        return len(self.slugs(covered))

    def sentence(self) -> str:
        """The printed figure."""
        with_statement, exercised = self.count(Covered.STATEMENT), self.count(Covered.EXERCISED)
        return (
            f"{with_statement} of {len(self.by_slug)} items of the paper have a statement, "
            f"{exercised} definitions are exercised by others, {self.count(Covered.TO_COME)} are to come"
        )


def coverage(statements: Iterable[Labelled]) -> Coverage:
    """For each item: has it a statement, is it a definition that some statement names in `uses`, or is it to come?

    A theorem that is merely used has not been tried, so only items that introduce something count as exercised.
    """
    tried: set[str] = set()
    used: set[str] = set()
    for statement in statements:
        tried |= _slugs([statement.label])
        used |= _slugs(statement.uses)
    return Coverage({row.slug: _covered(row, tried, used) for row in ITEMS})


def _slugs(labels: Iterable[str]) -> set[str]:
    return {found.slug for found in map(item_of, labels) if found}


def _covered(row: Item, tried: set[str], used: set[str]) -> Covered:
    if row.slug in tried:
        return Covered.STATEMENT
    return Covered.EXERCISED if row.slug in used and row.is_defining else Covered.TO_COME
