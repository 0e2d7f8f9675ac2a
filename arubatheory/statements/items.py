r"""The items of a paper, as its table lists them, and how much of them has been put on trial.

`items.tsv` has one row for each numbered item and each claim of the running text. An item's slug is the label of the
paper's source, or one in its style where the source has none; a statement's label is a slug, then `/part`, `/reading`,
`/proof-<n>` or `/corrected`. Nothing here needs the mathematics: listing a paper is immediate.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol

from arubatheory.statements.untrusted import read_rows

DEFINING_KINDS = ("definition", "algorithm", "assumption")
COLUMNS = ("file", "kind", "number", "slug", "parts", "note")


class Item(NamedTuple):
    """One row of a paper's contents: `number` is as printed ("" for text and unnumbered), `parts` are part slugs.

    `is_defining`: it introduces something instead of claiming something, and other statements exercise it.
    """

    file: str
    kind: str
    number: str
    slug: str
    parts: tuple[str, ...]
    note: str
    is_defining: bool


def read_items(path: Path, defining: tuple[str, ...] = ()) -> tuple[Item, ...]:
    """The items of a table; the slugs in `defining` define something although their kind does not say so.

    Raises ValueError, naming the file and the line, for a table that cannot be read.
    """
    items: dict[str, Item] = {}
    for at, (file, kind, printed, slug, parts, note) in read_rows(path, COLUMNS):
        if not slug or slug in items:
            raise ValueError(f"{at}: a slug must be given once, got {slug!r}")
        is_defining = kind in DEFINING_KINDS or slug in defining
        items[slug] = Item(file, kind, printed, slug, tuple(parts.split()), note, is_defining)
    return tuple(items.values())


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


def item_of(items: Iterable[Item], label: str) -> Item | None:
    """The item that a statement label belongs to: the longest slug that is the label or a prefix before a `/`.

    None for a label outside the paper, as a user's own statement has.
    """
    fitting = [item for item in items if f"{label}/".startswith(f"{item.slug}/")]
    return max(fitting, key=lambda item: len(item.slug), default=None)


def coverage(items: tuple[Item, ...], statements: Iterable[Labelled]) -> Coverage:
    """For each item: has it a statement, is it a definition that some statement names in `uses`, or is it to come?

    A theorem that is merely used has not been tried, so only items that introduce something count as exercised.
    """
    known = list(statements)
    tried, used = _slugs(items, (s.label for s in known)), _slugs(items, (label for s in known for label in s.uses))
    return Coverage({item.slug: _covered(item, tried, used) for item in items})


def _slugs(items: tuple[Item, ...], labels: Iterable[str]) -> set[str]:
    return {found.slug for label in labels if (found := item_of(items, label))}


def _covered(item: Item, tried: set[str], used: set[str]) -> Covered:
    if item.slug in tried:
        return Covered.STATEMENT
    return Covered.EXERCISED if item.slug in used and item.is_defining else Covered.TO_COME
