r"""Many statements, many engines, many processes: the same seed gives the same verdicts for any number of jobs.

A *unit* is one engine's run of fixed budget on one statement; its seed is derived from the campaign's seed, the label,
the engine and its place in the split, so units are independent and may run in any order. Statements may hold lambdas,
which do not pickle: workers get (file, label) and import the statements again.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from arubatheory.engines.check import check
from arubatheory.engines.rate import rate
from arubatheory.engines.search import search
from arubatheory.engines.simulate import LEAST, simulate
from arubatheory.engines.trial import failure
from arubatheory.engines.verdict import COUNTED_MINIMUM, Status, Verdict, Witness
from arubatheory.engines.witness import redraws, replay
from arubatheory.kernel import source_digest
from arubatheory.statements.core import Statement

ENGINES: dict[str, Callable[[Statement, int, int], Verdict]] = {
    "check": check,
    "search": search,
    "rate": rate,
    "simulate": simulate,
}
BUDGETS: dict[str, dict[str, int]] = {
    "quick": {"check": 120, "search": 2500, "rate": 20, "simulate": 20_000},
    "standard": {"check": 1000, "search": 30_000, "rate": 100, "simulate": 200_000},
    "deep": {"check": 5000, "search": 300_000, "rate": 500, "simulate": 2_000_000},
}
SMALLEST = {"simulate": LEAST}
# The most evaluations of one unit: what a process does at a stretch. The error of simulate is that of one whole run.
SHARD = {"check": 1000, "search": 10_000, "rate": 10, "simulate": 2_000_000}


@dataclass(frozen=True)
class Unit:
    """One engine's run of `budget` evaluations on one statement from one seed."""

    label: str
    engine: str
    budget: int
    seed: int


class Event(NamedTuple):
    """Progress: `done` of `of` units are finished, the last of them `unit` with `verdict`."""

    unit: Unit
    verdict: Verdict
    done: int
    of: int


class Interrupted(Exception):
    """The campaign was stopped by the user: `done` of `of` units are finished and kept."""

    def __init__(self, done: int, of: int) -> None:
        super().__init__(f"interrupted: {done} of {of} units are finished and kept")
        self.done, self.of = done, of


def budget_of(budget: str | int, engine: str) -> int:
    """Evaluations that a named or numeric budget gives an engine; raises ValueError for anything else."""
    if isinstance(budget, str) and budget in BUDGETS:
        return BUDGETS[budget][engine]
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise ValueError(f"budget must be one of {', '.join(BUDGETS)} or a positive integer, got {budget!r}")
    if budget < SMALLEST.get(engine, 1):
        raise ValueError(f"budget must be at least {SMALLEST[engine]} for the engine {engine}, got {budget!r}")
    return budget


def derived_seed(*parts: object) -> int:
    """A seed of 62 bits from the parts: independent streams for independent units."""
    text = json.dumps([str(p) for p in parts]).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 2


def units_of(statement: Statement, engines: Iterable[str], budget: str | int, seed: int) -> list[Unit]:
    """The units of one statement: each engine's budget in shards of a fixed size."""
    units = []
    for engine in engines:
        if engine not in ENGINES:
            raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
        if engine not in statement.engines:
            continue
        total, size = budget_of(budget, engine), SHARD[engine]
        for k, start in enumerate(range(0, total, size)):
            part = derived_seed(seed, statement.label, engine, k)
            units.append(Unit(statement.label, engine, min(size, total - start), part))
    return units


# statements by name ------------------------------------------------------------------------------------------------


def load(file: Path | None) -> dict[str, Statement]:
    """Statements by label: the paper's, or all `Statement` values (also in tuples or lists) of a user's Python file."""
    if file is None:
        from arubatheory import PAPER

        return {s.label: s for s in PAPER}
    return _load_file(file, digest_of(file))


@cache
def _load_file(file: Path, digest: str) -> dict[str, Statement]:
    """The statements of a file as it was when it had this digest."""
    module = _import(file)
    found: dict[str, Statement] = {}
    for value in vars(module).values():
        for s in value if isinstance(value, tuple | list) else (value,):
            if isinstance(s, Statement):
                stem = file_stem(s.label)
                other = found.setdefault(stem, s)
                if other.label != s.label:
                    both = f"{other.label!r} and {s.label!r}"
                    raise ValueError(f"file {file} holds the labels {both}: the witnesses of both are {stem}-*.json")
                if other is not s:
                    raise ValueError(f"file {file} holds two statements with the label {s.label!r}")
    return {s.label: s for s in found.values()}


def _import(file: Path) -> object:
    name = f"_arubatheory_user_{hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise ValueError(f"file must be a Python file with Statement values, got {str(file)!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def digest_of(file: Path | None) -> str:
    """What a verdict was computed with: the package's source digest, and the user's file's beside it."""
    if file is None:
        return source_digest()
    if not file.is_file():
        raise ValueError(f"file must be a Python file with Statement values, got {str(file)!r}")
    return f"{source_digest()}-{hashlib.sha256(file.read_bytes()).hexdigest()[:8]}"


# running -----------------------------------------------------------------------------------------------------------


def run_unit(statement: Statement, unit: Unit) -> tuple[Verdict, float]:
    """One unit, timed; an exception becomes an ERROR verdict."""
    start = time.perf_counter()
    try:
        verdict = ENGINES[unit.engine](statement, unit.budget, unit.seed)
    except Exception as error:
        verdict = failure(statement, unit.engine, unit.seed, unit.budget, error)
    return verdict, time.perf_counter() - start


def _work(file: Path | None, unit: Unit) -> tuple[Verdict, float]:
    return run_unit(load(file)[unit.label], unit)


def _start_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    """A parent that was killed cannot stop its workers, which would hold its pipes open."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def run_campaign(
    statements: Sequence[Statement],
    engines: Sequence[str],
    budget: str | int,
    seed: int,
    jobs: int = 1,
    done: Callable[[Unit], tuple[Verdict, float] | None] = lambda unit: None,
    keep: Callable[[Unit, Verdict, float], None] = lambda unit, verdict, seconds: None,
    file: Path | None = None,
    blind: bool = False,
    witnesses: Path | None = None,
    progress: Callable[[Event], None] = lambda event: None,
) -> dict[str, Verdict]:
    r"""Put statements on trial and combine what the engines say of each, in the order given.

    `done` returns what is already known of a unit, `keep` stores a finished one (both run in this process only).
    Unless `blind`, the witness files in the folder `witnesses` are re-certified first. With `jobs` > 1, `statements`
    must come from `file` (None: the paper).

    Raises ValueError for jobs < 1, an unknown engine or budget; `Interrupted` on Ctrl-C, with everything finished kept.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be >= 1, got {jobs}")
    plan = {s.label: units_of(s, engines, budget, seed) for s in statements}
    by_label = {s.label: s for s in statements}
    total = sum(len(units) for units in plan.values())
    results: dict[Unit, tuple[Verdict, float]] = {}

    def finished(unit: Unit, verdict: Verdict, seconds: float) -> None:
        results[unit] = (verdict, seconds)
        progress(Event(unit, verdict, len(results), total))

    open_units = []
    for unit in (u for units in plan.values() for u in units):
        known = done(unit)
        if known is None:
            open_units.append(unit)
        else:
            finished(unit, *known)

    def record(unit: Unit, verdict: Verdict, seconds: float) -> None:
        keep(unit, verdict, seconds)
        finished(unit, verdict, seconds)

    try:
        if jobs == 1 or len(open_units) <= 1:
            for unit in open_units:
                record(unit, *run_unit(by_label[unit.label], unit))
        else:
            # Engine by engine: neighbours are then different statements, which seldom compile the same kernels at once.
            _run_parallel(sorted(open_units, key=lambda u: list(engines).index(u.engine)), file, jobs, record)
        return {s.label: _outcome(s, [results[u] for u in plan[s.label]], seed, blind, witnesses) for s in statements}
    except KeyboardInterrupt:
        raise Interrupted(len(results), total) from None


def _run_parallel(
    units: list[Unit], file: Path | None, jobs: int, record: Callable[[Unit, Verdict, float], None]
) -> None:
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(units)), mp_context=context, initializer=_start_worker)
    try:
        pending: dict[Future[tuple[Verdict, float]], Unit] = {pool.submit(_work, file, u): u for u in units}
        while pending:
            ready, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in ready:
                record(pending.pop(future), *future.result())
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _outcome(
    statement: Statement, results: list[tuple[Verdict, float]], seed: int, blind: bool, witnesses: Path | None
) -> Verdict:
    verdicts = [verdict for verdict, _ in results]
    if not blind and witnesses is not None:
        verdicts += stored_verdicts(statement, witnesses)
    combined = combine(statement.label, verdicts, seed)
    return combined.with_seconds(sum(seconds for _, seconds in results))


# combining ---------------------------------------------------------------------------------------------------------


def combine(label: str, verdicts: Sequence[Verdict], seed: int) -> Verdict:
    """One verdict from several: the gravest status, all trials, the simplest and the worst witness."""
    if not verdicts:
        return Verdict(label, Status.IDLE, "", seed, 0, source_digest())
    trials = sum(v.trials for v in verdicts)
    status = _status([v.status for v in verdicts], trials)
    worst = max((v for v in verdicts if v.worst), key=_gravity, default=None)
    simplest = min((v.simplest for v in verdicts if v.simplest), key=_length, default=None)
    grave = next((v for v in verdicts if v.status == status), verdicts[0])
    histograms = [v.histogram for v in verdicts if v.histogram]
    return Verdict(
        label=label,
        status=status,
        engine="+".join(dict.fromkeys(v.engine for v in verdicts)),
        seed=seed,
        budget=sum(v.budget for v in verdicts),
        digest=verdicts[0].digest,
        trials=trials,
        evaluations=sum(v.evaluations for v in verdicts),
        ties=sum(v.ties for v in verdicts),
        overruled=sum(v.overruled for v in verdicts),
        worst_ratio=None if worst is None else worst.worst_ratio,
        measure="lhs/rhs" if worst is None else worst.measure,
        found_by=_finder(grave, worst, status),
        kind=next((v.kind for v in verdicts if v.kind == "violation"), grave.kind),
        simplest=simplest,
        worst=None if worst is None else worst.worst,
        error="; ".join(dict.fromkeys(v.error for v in verdicts if v.error)),
        histogram=tuple(map(sum, zip(*histograms, strict=True))),
    )


def _status(statuses: list[Status], trials: int) -> Status:
    for status in (Status.ERROR, Status.REFUTED, Status.SUSPECT):
        if status in statuses:
            return status
    return Status.SURVIVED if trials >= COUNTED_MINIMUM else Status.IDLE


def _finder(grave: Verdict, worst: Verdict | None, status: Status) -> str:
    if status == Status.REFUTED and grave.simplest is not None:
        return grave.simplest.found_by
    return worst.found_by if worst is not None else ""


def _gravity(verdict: Verdict) -> tuple[bool, bool, float]:
    assert verdict.worst is not None
    ratio = verdict.worst.ratio
    return verdict.status == Status.REFUTED, verdict.measure == "lhs/rhs", -1e308 if ratio is None else ratio


def _length(witness: Witness) -> tuple[int, int]:
    return len(witness.tape["integers"]) + len(witness.tape["units"]), len(json.dumps(witness.instance))


# stored witnesses --------------------------------------------------------------------------------------------------


def witness_files(label: str, folder: Path) -> list[Path]:
    """The witness files of one statement in a folder."""
    return sorted(folder.glob(f"{file_stem(label)}-*.json"))


def file_stem(label: str) -> str:
    """A label as a file name: thm:ftrlomd/omd -> thm-ftrlomd--omd; what a system may refuse is percent-encoded.

    Labels that differ in ":" and "-" only share a name, as do "/" and "--"; a file that holds two such is refused.
    """
    return quote(label.replace("/", "--").replace(":", "-"), safe="")


def read_witness(path: Path) -> Witness:
    """The witness in a file; raises ValueError naming a file that is corrupt."""
    try:
        return _checked_witness(Witness(**json.loads(path.read_text(encoding="utf-8"))))
    except FileNotFoundError:
        raise ValueError(f"there is no witness file {str(path)!r}") from None
    except (OSError, ValueError, TypeError) as error:
        raise ValueError(f"corrupt witness file {str(path)!r}: {error}") from error


FIELDS: dict[type, tuple[str, tuple[str, ...]]] = {
    str: ("a string", ("label", "found_by", "digest", "lhs", "rhs", "measure", "certified", "note")),
    int: ("an integer", ("seed", "bits")),
    dict: ("an object", ("tape", "instance", "margins")),
    list: ("an array", ("curve",)),
}


def _checked_witness(witness: Witness) -> Witness:
    """A witness whose fields have the types that are read from them; a ValueError names one that has not."""
    number = isinstance(witness.ratio, int | float) and not isinstance(witness.ratio, bool)
    if not (number or witness.ratio is None):
        raise ValueError(f"ratio must be a number or null, got {witness.ratio!r}")
    for kind, (words, names) in FIELDS.items():
        for name in names:
            if not isinstance(getattr(witness, name), kind):
                raise ValueError(f"{name} must be {words}, got {getattr(witness, name)!r}")
    return witness


def stored_verdicts(statement: Statement, folder: Path) -> list[Verdict]:
    """Stored witnesses of a statement that still break it, each as a verdict."""
    verdicts = []
    for path in witness_files(statement.label, folder):
        try:
            witness = read_witness(path)
            if witness.label != statement.label:  # a part's files begin with its whole's name
                continue
            if not redraws(witness, statement):
                raise ValueError(f"the draws of {str(path)!r} do not give its instance: remove it, or record it again")
            outcome = replay(witness, statement).outcome
        except Exception as error:
            verdicts.append(failure(statement, "witness", 0, 0, error))
            continue
        if outcome in ("violated", "undefined"):
            verdicts.append(_known_refutation(witness, "violation" if outcome == "violated" else "undefined"))
    return verdicts


def _known_refutation(witness: Witness, kind: str) -> Verdict:
    known = replace(witness, digest=source_digest())
    return Verdict(
        witness.label,
        Status.REFUTED,
        "witness",
        witness.seed,
        0,
        source_digest(),
        worst_ratio=witness.ratio,
        measure=witness.measure,
        found_by=witness.found_by,
        kind=kind,
        simplest=known,
        worst=known,
    )
