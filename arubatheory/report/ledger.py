r"""The ledger: the verdicts we stand by, one row for each statement, and how a run compares with them.

A run is compared with a row only if its engines and budgets are at least as strong as the row's: a quick run that did
not find a counterexample contradicts nothing. The other way round needs no such care, so a REFUTED or SUSPECT that is
not on record differs however little work found it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from arubatheory.engines.verdict import EXTENTS, WHOLE, Status, Verdict
from arubatheory.report.csv_table import Table
from arubatheory.statements.effort import ENGINES, Effort, budget_of, check_engines
from arubatheory.statements.paper import Paper
from arubatheory.statements.untrusted import RecordError

BROKEN = (Status.REFUTED, Status.SUSPECT)


class LedgerRow(NamedTuple):
    """One verdict on record. `engines`, `budget` and `seed` say what a run must at least do to be compared with it,
    `proved` how far certificates on record go, and `scope` for what; `by_size` is the worst ratio by size."""

    label: str
    kind: str
    status: str
    worst_ratio: str
    trials: str
    found_by: str
    witness: str
    note: str
    engines: str
    budget: str
    seed: str
    proved: str = ""
    scope: str = ""
    by_size: str = ""


class Comparison(NamedTuple):
    """How a verdict stands to the ledger: `word` is same, differs, new, weaker, error or off."""

    word: str
    sentence: str

    @property
    def differs(self) -> bool:
        """Whether the exit code must say so."""
        return self.word == "differs"


OFF = Comparison("off", "no ledger: nothing to compare with")


def _check(row: LedgerRow) -> None:
    if row.status not in set(Status):
        raise ValueError(f"{row.label} has the unknown status {row.status!r}")
    engines = tuple(row.engines.split())
    check_engines(engines)
    for engine in engines or ENGINES:
        budget_of(row.budget, engine)
    for name in ("trials", "seed"):
        if not re.fullmatch("[0-9]*", getattr(row, name)):
            raise ValueError(f"{name} must be an integer >= 0, got {getattr(row, name)!r}")
    if row.proved not in ("", *EXTENTS) or (row.proved == WHOLE) != (row.status == Status.PROVED):
        raise ValueError(f"{row.label} is {row.status} and proved {row.proved!r}: that cannot be")
    if row.worst_ratio:
        float(row.worst_ratio)
    if Path(row.witness).name != row.witness:
        raise ValueError(f"witness must be the name of a file, got {row.witness!r}")


TABLE = Table(LedgerRow, _check)
write = TABLE.write


def read(path: Path) -> dict[str, LedgerRow]:
    """The rows of a ledger by label. Raises RecordError for one that cannot be read, or has a label twice."""
    found: dict[str, LedgerRow] = {}
    for row in TABLE.read(path):
        if found.setdefault(row.label, row) is not row:
            raise RecordError(f"{path}: {row.label} has two rows")
    return found


def find(root: Path, paper: Paper | None) -> dict[str, LedgerRow] | None:
    """The ledger of a paper under `root`, or None where there is none and the ledger rule is off."""
    try:
        return read(root / paper.ledger) if paper else None
    except FileNotFoundError:
        return None


def compare(verdict: Verdict, row: LedgerRow | None, effort: Effort) -> Comparison:
    """Compare a verdict with its row in the ledger (None: it has none)."""
    seen = verdict.status
    if seen is Status.ERROR:
        return Comparison("error", "the code failed: nothing to compare")
    if verdict.unfinished:
        return Comparison("weaker", f"{verdict.sentence} Nothing is compared")
    if row is None:
        word = "differs" if seen in BROKEN else "new"
        return Comparison(word, f"{verdict.label} is not in the ledger; this run says {seen}")
    if seen == row.status:
        return Comparison("same", f"{seen}, as in the ledger")
    unrecorded = seen is Status.PROVED or (seen in BROKEN and row.status not in BROKEN)
    if effort.weaker_than(tuple(row.engines.split()), row.budget) and not unrecorded:
        return Comparison("weaker", f"the ledger says {row.status}; this run is weaker ({seen}) and is not compared")
    return Comparison("differs", f"the ledger says {row.status}, this run says {seen}")


def row_of(verdict: Verdict, kind: str, effort: Effort, witness: str, note: str) -> LedgerRow:
    """The row that records a verdict."""
    ratio = "" if verdict.worst_ratio is None else f"{verdict.worst_ratio:.12g}"
    found = (verdict.status.value, ratio, str(verdict.trials), verdict.found_by)
    work = (" ".join(effort.engines), str(effort.budget), str(verdict.seed))
    scope = "; and for ".join(proof.words for proof in verdict.proofs)
    row = (verdict.label, kind, *found, witness, note, *work)
    return LedgerRow(*row, verdict.proved, scope, verdict.reach.curves)


def merged(old: Mapping[str, LedgerRow], new: Mapping[str, LedgerRow], order: Iterable[str]) -> list[LedgerRow]:
    """Old and new rows, new ones winning: first in the order of the paper, then the rest as they stood."""
    rows = {**old, **new}
    return [rows[label] for label in dict.fromkeys([*order, *rows]) if label in rows]
