r"""What the engines say of the gallery: `python -m verification.gallery [BUDGET...] [PATTERN...]`.

At each budget (default: quick and standard) each statement is one run of `arubatheory verify --paper classics --blind
--fresh --only` in one process, in which no witness on record helps; it replaces its row of
verification/classics/trials.csv as it ends. The files of the gallery and docs/gallery.md repeat them.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from arubatheory.cli import main
from arubatheory.cli.codes import AS_RECORDED, Refused, fail
from arubatheory.cli.selection import select
from arubatheory.engines.source import Source
from arubatheory.papers.classics import CLASSICS
from arubatheory.report.csv_table import Table
from arubatheory.report.files import replace_text
from arubatheory.statements.core import Statement
from arubatheory.statements.effort import BUDGETS
from arubatheory.statements.items import Item

HOME = Path(__file__).resolve().parent / "classics"
TRIALS = HOME / "trials.csv"
SAID = "On trial: "
TRUE, FALSE, OPEN = "True", "False", "Open"
WIDTH = 120
BLIND = ("verify", "--paper", "classics", "--blind", "--fresh", "--only", "--jobs", "1", "--json")


class GalleryTrial(NamedTuple):
    """What one run said of one statement."""

    label: str
    budget: str
    seed: int
    status: str
    worst_ratio: float | None
    trials: int
    found_by: str
    seconds: float


TABLE = Table(GalleryTrial)


def known(statement: Statement) -> str:
    """What is known of a statement, by the first word of its note. Raises ValueError for another word."""
    word = re.split(r"\W", statement.note, maxsplit=1)[0]
    if word not in (TRUE, FALSE, OPEN):
        raise ValueError(f"note must begin with {TRUE}, {FALSE} or {OPEN}, got {statement.note!r}")
    return word


def tried(budget: str, label: str, seed: int = 0) -> list[GalleryTrial]:
    """The verdict of one blind run. Raises RuntimeError where it fails."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main([*BLIND, "--budget", budget, "--seed", str(seed), label])
    if code > AS_RECORDED + 1:  # a verdict that differs from the ledger is what this is for
        raise RuntimeError(f"verify must end with a verdict, got the exit code {code}")
    found = [json.loads(line) for line in out.getvalue().splitlines()]
    fields = ("status", "worst_ratio", "trials", "found_by", "seconds")
    return [GalleryTrial(d["label"], budget, seed, *(d[name] for name in fields)) for d in found]


def merged(old: Sequence[GalleryTrial], new: Sequence[GalleryTrial]) -> list[GalleryTrial]:
    """Rows of both, new ones winning: by label in the order of the gallery, then by budget."""
    rows = {(row.label, row.budget): row for row in (*old, *new)}
    order = [(label, budget) for label in CLASSICS.labels for budget in BUDGETS]
    return [rows[key] for key in order if key in rows]


def paragraph(item: Item, rows: Sequence[GalleryTrial]) -> str:
    """What a file repeats of its statements' rows, as lines of its docstring."""
    said: dict[str, dict[str, list[GalleryTrial]]] = {}
    for row in rows:
        if (home := CLASSICS.item_of(row.label)) is not None and home.slug == item.slug:
            name = row.label.removeprefix(item.slug) or "as above"
            said.setdefault(name, {}).setdefault(row.status, []).append(row)
    text = SAID + "; ".join(f"{name} {', '.join(map(_in_words, by.values()))}" for name, by in said.items()) + "."
    return textwrap.fill(text.replace("as above ", ""), WIDTH, break_on_hyphens=False)


def _in_words(rows: Sequence[GalleryTrial]) -> str:
    """One status at some budgets: "REFUTED at quick and standard (1.0 s, 2.9 s)"."""
    seconds = ", ".join(f"{row.seconds:.1f} s" for row in rows)
    return f"{rows[0].status} at {' and '.join(row.budget for row in rows)} ({seconds})"


def inscribed(text: str, words: str) -> str:
    """The source of a file with this as the last paragraph of its docstring."""
    end = text.index('"""', 4)
    head = text[4:end].partition(f"\n\n{SAID}")[0].rstrip()
    return f'r"""{head}\n\n{words}\n{text[end:]}'


def inscribe(rows: Sequence[GalleryTrial]) -> None:
    """Write the rows into the files."""
    for item in CLASSICS.items:
        file = CLASSICS.home / f"{item.note}.py"
        text = file.read_text(encoding="utf-8")
        replace_text(file, inscribed(text, paragraph(item, rows)))


def run(words: Sequence[str]) -> int:
    """Run, and write table and files."""
    parser = argparse.ArgumentParser(prog="python -m verification.gallery", description=__doc__)
    parser.add_argument("words", nargs="*", metavar="BUDGET|PATTERN")
    words = parser.parse_args(words).words
    HOME.mkdir(exist_ok=True)
    rows = TABLE.read(TRIALS) if TRIALS.exists() else []
    try:
        labels = select([word for word in words if word not in BUDGETS], CLASSICS.labels, Source(name="classics"))
    except Refused as error:
        return fail(error.code, str(error))
    for budget in [word for word in words if word in BUDGETS] or BUDGETS[:2]:
        for label in labels:
            rows = merged(rows, tried(budget, label))
            TABLE.write(TRIALS, rows)
    inscribe(rows)
    print(f"{len(rows)} rows in {TRIALS.name}; {len(CLASSICS.items)} files")
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
