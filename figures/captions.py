r"""Captions out of statements: what is claimed, in the statement's own words and formula, and how it stands.

Mathematics stands between dollar signs, as in the statements' notes; `arubatheory.report.formula.prose` reads it.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from arubatheory import PAPER
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger
from arubatheory.statements.core import Statement

QUOTED, LISTED = 5, 20  # statements in one caption
ROOT = Path(__file__).resolve().parent.parent


@functools.cache
def recorded() -> dict[str, ledger.LedgerRow]:
    """The ledger of this source tree by label, but for rows of statements that are gone; empty where there is none."""
    return {label: row for label, row in (ledger.find(ROOT, ARUBA) or {}).items() if label in _by_label()}


@functools.cache
def _by_label() -> dict[str, Statement]:
    return {s.label: s for s in PAPER}


def statement(label: str) -> Statement:
    """The statement of the paper with this label. Raises ValueError for a label that is not there."""
    try:
        return _by_label()[label]
    except KeyError:
        raise ValueError(f"label must be that of a statement of the paper, got {label!r}") from None


def name(of: Statement) -> str:
    """ "Theorem 3.2 (thm:similarity/rate)"."""
    return f"{of.kind.capitalize()} {of.number}".strip() + f" ({of.label})"


def formula(of: Statement) -> str:
    """The claim with its mathematics between dollar signs."""
    return of.latex if "$" in of.latex else f"${of.latex.strip()}$"


def verdict(label: str) -> str:
    """ " [SURVIVED]", from the ledger; empty where it has no row."""
    row = recorded().get(label)
    return f" [{row.status}]" if row else ""


def counts(labels: Iterable[str]) -> str:
    """How many of some statements have each verdict on record: "40 SURVIVED, 1 SUSPECT"."""
    found = Counter(recorded()[label].status if label in recorded() else "without a verdict" for label in labels)
    return ", ".join(f"{number} {status}" for status, number in found.most_common())


def quoted(label: str) -> str:
    """One sentence: the statement, its title, its claim and its recorded verdict."""
    of = statement(label)
    title = f", “{of.title}”" if of.title else ""
    return f"{name(of)}{title}: {formula(of)}{verdict(label)}."


def caption(words: str, labels: tuple[str, ...]) -> str:
    """What is seen, then the statements it illustrates: their claims, or where they are many their labels."""
    if len(labels) <= QUOTED:
        return " ".join([words, *(quoted(label) for label in labels)])
    return f"{words} Statements: {', '.join(labels)}." if len(labels) <= LISTED else words
