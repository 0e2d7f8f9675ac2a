r"""Do the engines see what is false? Each false sibling, and each refuted statement again without its witnesses.

    python -m verification.power [PATTERN...] [--jobs N] [--seed S] [--output FILE]

The siblings are those of `tests/power/siblings`, each a little too strong to be true; a claim about growth gets one
whose exponent is smaller by 3/4. Budgets are those of the tests: 800 evaluations of check, 6,000 of search, 20 families
of rate, 6,000 replicates of simulate. Writes verification/power.csv, which the page shows; with patterns of labels,
only their rows are made again. The exit code is 1 if an engine misses a sibling.
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

from arubatheory.cli import NothingSelected, Refused, fail, select  # noqa: E402  (numpy reads the variables when imported)
from arubatheory.engines.units import engine_of  # noqa: E402
from arubatheory.engines.verdict import Status  # noqa: E402
from arubatheory.papers.aruba import ARUBA  # noqa: E402
from arubatheory.report import ledger  # noqa: E402
from arubatheory.report.power import ASKED, BLIND, BUDGETS, SIBLINGS, TABLE, PowerRow, location  # noqa: E402
from arubatheory.statements.core import Statement  # noqa: E402
from verification import shared  # noqa: E402

EARLY = 8  # most fall within an eighth of the budget
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
    return [
        PowerRow(label, what, len(next(iter(by.values()))), *(sum(by[e]) if e in by else None for e in ASKED))
        for (label, what), by in found.items()
    ]


def run(plan: Sequence[Task], jobs: int) -> list[tuple[Task, bool]]:
    """Every task with what came of it, in the order of the plan. Raises ValueError for jobs < 1."""
    return list(zip(plan, shared(find, [(task,) for task in plan], jobs), strict=True))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.power", description=__doc__)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=HOME / location(ARUBA))
    given = parser.parse_args(arguments)
    start = time.perf_counter()
    try:
        plan = tasks(given.patterns, given.seed, HOME)
    except Refused as error:
        return fail(error.code, str(error))
    made = rows(run(plan, given.jobs))
    old = TABLE.read(given.output) if given.patterns and given.output.is_file() else []
    again = {(row.label, row.what): row for row in made}
    kept = [again.pop((row.label, row.what), row) for row in old]
    TABLE.write(given.output, [*kept, *again.values()])
    return _report(made, time.perf_counter() - start)


def _report(made: Sequence[PowerRow], seconds: float) -> int:
    missed = 0
    for row in made:
        if min(row.found.values()) < row.tried:
            print(f"{row.label}: {row.sentence}")
            missed += row.what == SIBLINGS
    for what, name in ((SIBLINGS, "false siblings"), (BLIND, "refuted statements, blind")):
        some = [row for row in made if row.what == what]
        by = ", ".join(f"{engine} {sum(row.found.get(engine, 0) for row in some)}" for engine in ASKED)
        print(f"{sum(row.tried for row in some)} {name}: found by {by}")
    print(f"{seconds:.0f} s")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
