r"""Do the engines see what is false? Each false sibling, and each refuted statement again without its witnesses.

    python -m verification.power [PATTERN...] [--errors] [--terms] [--jobs N] [--seed S] [--output FILE]

The siblings are those of `tests/power/siblings`, each a little too strong to be true; a claim about growth gets one
whose exponent is smaller by 3/4. Budgets are those of the tests: 800 evaluations of check, 6,000 of search, 20 families
of rate, 6,000 replicates of simulate. Writes verification/power.csv, which the page shows; with patterns of labels,
only their rows are made again. The exit code is 1 if an engine misses a sibling.

What errors of a factor 1.5, 1.1 or 1.01 on the right side the run in the ledger would have found needs no run: it is
read off its worst ratio and the worst that is known, of the ledger and of verification/sharp.csv; and which exponents,
claimed smaller by 1/2, 1/4 or 1/10, off the slopes that were measured. These rows are made again each time; `--errors`
makes no others.

With `--terms` a search of 1,500 evaluations says of each survivor (that the patterns select) how many terms of its
right side are needed: without one of them, the claim breaks in exact arithmetic at an instance that was met. Nothing
else is run.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from arubatheory.cli.codes import NothingSelected, Refused, fail  # noqa: E402  (numpy reads the variables when imported)
from arubatheory.cli.selection import select  # noqa: E402  (numpy reads the variables when imported)
from arubatheory.engines.rate import NO_GROWTH  # noqa: E402
from arubatheory.engines.sharpen import FACTOR  # noqa: E402
from arubatheory.engines.units import engine_of  # noqa: E402
from arubatheory.engines.verdict import Status  # noqa: E402
from arubatheory.papers.aruba import ARUBA  # noqa: E402
from arubatheory.report import ledger  # noqa: E402
from arubatheory.report import power as kept  # noqa: E402
from arubatheory.report.power import ASKED, BLIND, BUDGETS, SIBLINGS, TABLE, PowerRow  # noqa: E402
from arubatheory.report.sharp import TABLE as SHARP  # noqa: E402
from arubatheory.statements.core import Statement  # noqa: E402
from verification import shared  # noqa: E402

EARLY = 8  # most fall within an eighth of the budget
TERMS = 1500  # evaluations of search, for the terms of a right side
SLOWER = 0.75  # what is taken from the exponent of a claim about growth
HOME = Path(__file__).resolve().parents[1]


class Task(NamedTuple):
    """One false statement for one engine: sibling `number` of a label, or (`what` is "blind") the statement itself."""

    label: str
    what: str
    number: int
    engine: str
    seed: int


@functools.cache
def falsehoods() -> dict[str, list[Statement]]:
    """The false siblings of each statement, by its label."""
    planted: Any = importlib.import_module("tests.power.siblings")
    found: dict[str, list[Statement]] = {}
    for sibling in planted.siblings():
        found.setdefault(sibling.label.rpartition("/false-")[0], []).append(sibling)
    for label, s in planted.BY_LABEL.items():
        if s.growth is not None:
            slower = s.growth._replace(exponent=s.growth.exponent - SLOWER)
            found.setdefault(label, []).append(replace(s, growth=slower, label=f"{label}/false-1"))
    return found


def broken(root: Path) -> list[str]:
    """The labels that the ledger has as refuted or suspect."""
    return [row.label for row in (ledger.find(root, ARUBA) or {}).values() if row.status in ledger.BROKEN]


def tasks(patterns: Sequence[str], seed: int, root: Path) -> list[Task]:
    """What is to be tried, statement by statement; the ledger under `root` says what is refuted.

    Raises Refused where the patterns select nothing that is.
    """
    planted: Any = importlib.import_module("tests.power.siblings")
    known: dict[str, Statement] = planted.BY_LABEL
    chosen = [(label, SIBLINGS, len(made)) for label, made in falsehoods().items()]
    chosen += [(label, BLIND, 1) for label in broken(root) if label in known]
    selected = set(select(patterns, known))
    found = [
        Task(label, what, number, engine, seed)
        for label, what, count in chosen
        if label in selected
        for number in range(count)
        for engine in known[label].engines
        if engine in BUDGETS
    ]
    if not found:
        raise NothingSelected(f"nothing false is known of what {' '.join(patterns)} selects")
    return found


def find(task: Task) -> bool:
    """Whether the engine finds this falsehood, within its budget."""
    planted: Any = importlib.import_module("tests.power.siblings")
    false = planted.BY_LABEL[task.label] if task.what == BLIND else falsehoods()[task.label][task.number]
    measured = task.engine in ("rate", "simulate")
    sought = Status.SUSPECT if measured else Status.REFUTED
    budget, engine = BUDGETS[task.engine], engine_of(task.engine)
    early = [] if measured else [budget // EARLY]
    with unshrunk():
        return any(engine(false, b, task.seed).status is sought for b in (*early, budget))


@contextmanager
def unshrunk() -> Iterator[None]:
    """Whether a falsehood is found does not depend on how short its witness gets, and that takes most of the time."""
    shrinking: Any = importlib.import_module("arubatheory.engines.shrink")
    before, shrinking.shrink = shrinking.shrink, lambda statement, tape, certificate: (tape, certificate)
    try:
        yield
    finally:
        shrinking.shrink = before


def rows(done: Iterable[tuple[Task, bool]]) -> list[PowerRow]:
    """One row for each label and kind, in the order in which they come."""
    found: dict[tuple[str, str], dict[str, list[bool]]] = {}
    for task, seen in done:
        found.setdefault((task.label, task.what), {}).setdefault(task.engine, []).append(seen)
    made = []
    for (label, what), by in found.items():
        check, search, rate, simulate = (sum(by[e]) if e in by else None for e in ASKED)
        made.append(PowerRow(label, what, len(next(iter(by.values()))), check, search, rate, simulate))
    return made


def run(plan: Sequence[Task], jobs: int) -> list[tuple[Task, bool]]:
    """Every task with what came of it, in the order of the plan. Raises ValueError for jobs < 1."""
    return list(zip(plan, shared(find, [(task,) for task in plan], jobs), strict=True))


def terms(label: str, seed: int) -> tuple[int, int] | None:
    """How many terms the right side of a statement has, and how many a search needs; None where it is no sum, and where
    the search refutes the claim."""
    statement = next(s for s in ARUBA.statements if s.label == label)
    found = engine_of("search")(statement, TERMS, seed).reach.terms
    return (int(found[1]), int(found[2])) if found else None


def term_rows(patterns: Sequence[str], seed: int, jobs: int, root: Path) -> list[PowerRow]:
    """A row for each survivor whose right side is a sum."""
    searched = {s.label for s in ARUBA.statements if "search" in s.engines}
    ledgers = (ledger.find(root, ARUBA) or {}).values()
    known = [row.label for row in ledgers if row.label in searched and row.status not in ledger.BROKEN]
    chosen = set(select(patterns, known, only=True))
    plan = [(label, seed) for label in known if label in chosen]
    made = zip(plan, shared(terms, plan, jobs), strict=True)
    return [PowerRow(label, kept.TERMS, n[0], None, n[1], None, None) for (label, _), n in made if n]


def errors(root: Path) -> list[PowerRow]:
    """What errors the run on record would have found: a factor, for each statement that it did not break and of which
    more than this run is known (verification/sharp.csv, or that there is equality), and an exponent for each growth."""
    sharp: dict[str, float] = {}
    for label, rows in SHARP.of(ARUBA, root).items():
        sharp[label] = max(float(row.refuted) for row in rows if row.constant == FACTOR)
    made = []
    for label, row in (ledger.find(root, ARUBA) or {}).items():
        worst = float(row.worst_ratio or 0)
        if row.status == Status.SURVIVED and row.found_by == "rate" and worst > NO_GROWTH:
            made.append(_row(label, kept.EXPONENTS, "", kept.slower(worst)))
        elif row.status == Status.SURVIVED and worst > 0 and (label in sharp or worst == 1):
            best = max(worst, sharp.get(label, 0.0))
            made.append(_row(label, kept.FACTORS, f"{best:.12g}", kept.finds(worst, best)))
    return made


def _row(label: str, what: str, best: str, found: Sequence[float]) -> PowerRow:
    return PowerRow(label, what, len(kept.PLANTED), None, None, None, None, best, " ".join(f"{f:g}" for f in found))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.power", description=__doc__)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--terms", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=HOME / TABLE.location(ARUBA))
    given = parser.parse_args(arguments)
    start = time.perf_counter()
    try:
        plan = [] if given.errors or given.terms else tasks(given.patterns, given.seed, HOME)
        made = term_rows(given.patterns, given.seed, given.jobs, HOME) if given.terms else []
    except Refused as error:
        return fail(error.code, str(error))
    made += rows(run(plan, given.jobs))
    partly = given.patterns or given.errors or given.terms
    old = TABLE.read(given.output) if given.output.is_file() else []
    stays = (SIBLINGS, BLIND, kept.TERMS) if partly else (kept.TERMS,)
    again = {(row.label, row.what): row for row in made}
    before = [again.pop((row.label, row.what), row) for row in old if row.what in stays]
    TABLE.write(given.output, [*before, *again.values(), *errors(HOME)])
    return _report(made, time.perf_counter() - start)


def _report(made: Sequence[PowerRow], seconds: float) -> int:
    missed = 0
    for row in made:
        if row.what != kept.TERMS and min(row.found.values()) < row.tried:
            print(f"{row.label}: {row.sentence}")
            missed += row.what == SIBLINGS
    for what, name in ((SIBLINGS, "false siblings"), (BLIND, "refuted statements, blind")):
        some = [row for row in made if row.what == what]
        if not some:
            continue
        by = ", ".join(f"{engine} {sum(row.found.get(engine, 0) for row in some)}" for engine in ASKED)
        print(f"{sum(row.tried for row in some)} {name}: found by {by}")
    sums = [row for row in made if row.what == kept.TERMS]
    if sums:
        every, seen = sum(row.tried for row in sums), sum(row.search or 0 for row in sums)
        whole = sum(row.search == row.tried for row in sums)
        print(f"{every} terms of {len(sums)} right sides: {seen} are needed, all of them in {whole}")
    for what, sizes in ((kept.FACTORS, kept.PLANTED), (kept.EXPONENTS, kept.SLOWER)):
        known = [row.sizes.split() for row in errors(HOME) if row.what == what]
        counts = ", ".join(f"{f:g} in {sum(f'{f:g}' in found for found in known)}" for f in sizes)
        print(f"{what} of {len(known)} survivors that the run on record would have found: {counts}")
    print(f"{seconds:.0f} s")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
