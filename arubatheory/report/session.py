r"""A run from end to end: what is stored is not done again, what is found is kept, and the ledger is consulted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from arubatheory.engines.executors import PROCESSES, ExecutorError, check_executor, hired
from arubatheory.engines.pool import Care, Results, finished
from arubatheory.engines.source import Source
from arubatheory.engines.units import CERTIFICATES, PROOFS, RECORD, WITNESSES, Unit, units_of
from arubatheory.engines.verdict import Status, Tally, UntilRefuted, Verdict, combine
from arubatheory.engines.witness_files import certified_again, file_stem, witness_files
from arubatheory.report import ledger, power
from arubatheory.report.outcome import Outcome, certificate_paths, write_certificates, write_witnesses
from arubatheory.report.standing import Role, role_of
from arubatheory.report.store import Store, StoreError
from arubatheory.sources import Edited
from arubatheory.statements.core import Statement
from arubatheory.statements.effort import ENGINES, LARGEST, USUAL, Effort, budget_of, check_engines, fits, starts
from arubatheory.statements.paper import Paper

CACHE = Path(".cache")
STORE = CACHE / "arubatheory.sqlite"
PAPER = Source()
KEPT = "{} of {} units are finished and kept"
Told = Callable[[list[Outcome]], None]


def _unheard(news: Any) -> None:
    """What nobody asked for."""


@dataclass(frozen=True)
class Settings:
    """What a run is asked to do. A user's file has neither ledger nor witnesses on record."""

    root: Path = Path(".")
    engines: tuple[str, ...] = USUAL
    budget: str = "standard"
    seed: int = 0
    jobs: int = 1
    fresh: bool = False
    blind: bool = False
    first: bool = False  # a statement that is refuted is not tried any more
    source: Source = PAPER
    timeout: float | None = None  # seconds that a unit may take
    executor: str = PROCESSES  # where units run

    def __post_init__(self) -> None:
        check_engines(self.engines)
        check_executor(self.executor)
        budget_of(self.budget, next(iter(ENGINES)))
        for name, value, low in (("jobs", self.jobs, 1), ("seed", self.seed, 0)):
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= LARGEST[name]:
                raise ValueError(f"{name} must be an integer >= {low} and <= {LARGEST[name]}, got {value!r}")
        if self.timeout is not None and not 0 < self.timeout < math.inf:
            raise ValueError(f"timeout must be a positive number of seconds, got {self.timeout!r}")

    @property
    def cache(self) -> Path:
        """Where this run keeps its store and its witnesses."""
        return self.root / (self.source.paper.cache if self.source.paper else CACHE)

    def store(self) -> Store:
        """The store of this run."""
        return Store(self.cache / STORE.name, self.source.digest(), self.blind, self.fresh)

    def witnesses(self) -> Path:
        """Where this run keeps its witnesses: a blind one beside those that `show` and `report` name."""
        return self.cache / ("witnesses/blind" if self.blind else "witnesses")

    def certificates(self) -> Path:
        """Where this run keeps what it has proved."""
        return self.cache / CERTIFICATES

    def trial(self, statement: Statement) -> Outcome:
        """A statement and what this run puts into it: the engines it asks for that the statement allows.

        Raises ValueError where the budget is too small for one of them.
        """
        engines = tuple(e for e in self.engines if fits(e, statement.engines) and budget_of(self.budget, e))
        return Outcome(statement, effort=Effort(engines, self.budget, self.seed, self.blind, self.first))


class Event(NamedTuple):
    """Progress: `done` of `of` units are finished, the last of them `unit` with `verdict`; without one, `note` says
    what becomes of a unit that is not finished. Witnesses on record are units of their own, and so are certificates,
    each kind counted apart. `stored`: an earlier run has finished it."""

    unit: Unit
    verdict: Verdict | None
    done: int
    of: int
    note: str = ""
    stored: bool = False


class Interrupted(Exception):
    """The run was stopped by the user: `done` of `of` units are finished and kept."""

    def __init__(self, done: int, of: int) -> None:
        super().__init__(f"interrupted: {KEPT.format(done, of)}")
        self.done, self.of = done, of


def run(
    trials: Sequence[Outcome],
    settings: Settings,
    progress: Callable[[Event], None] = _unheard,
    partway: Told = _unheard,
) -> list[Outcome]:
    """Put statements on trial, keep verdicts and witnesses under `root`, and compare with the ledger found there;
    `partway` is told what is known once the main readings are done, but for those with a witness on record, and others
    are not.

    Raises `Interrupted` on Ctrl-C, StoreError where the disk is full, ExecutorError where workers cannot be had or are
    of another version, with everything finished kept.
    """
    rows = ledger.find(settings.root, settings.source.paper)
    known = power.best_known(settings.root, settings.source.paper)

    def seen(outcomes: Sequence[Outcome]) -> list[Outcome]:
        return [_powered(reported(o, settings, rows), known) if o.verdict else o for o in outcomes]

    with settings.store() as store:
        record = on_record(trials, settings)

        def stand(outcomes: Sequence[Outcome]) -> list[Outcome]:
            return [_standing(o, settings, store) for o in outcomes]

        done = stand(tried(trials, settings, store, record, progress, lambda found: partway(seen(stand(found)))))
        for outcome in done:
            if outcome.verdict:
                store.settle(outcome.verdict, settings.source.shelf)
    return seen(done)


def _standing(outcome: Outcome, settings: Settings, store: Store) -> Outcome:
    """The outcome, refuted still where the last run of the same sources kept a witness that refutes the claim, unless
    this one is blind or fresh."""
    label, verdict = outcome.statement.label, outcome.verdict
    before, digest = store.latest(label, settings.source.shelf) or (None, "")
    known = before and before.status is Status.REFUTED and digest == store.digest
    if not known or verdict is None or verdict.status is Status.REFUTED or settings.blind or settings.fresh:
        return outcome
    again = certified_again(outcome.statement, witness_files([label], settings.witnesses())[label])
    return outcome._replace(verdict=combine(label, [verdict, again], verdict.seed))


def _powered(outcome: Outcome, known: Mapping[str, float]) -> Outcome:
    """The outcome with what error its run would have found."""
    if outcome.verdict is None:
        return outcome
    return outcome._replace(power=power.words(outcome.verdict, known.get(outcome.statement.label)))


def tried(
    trials: Sequence[Outcome],
    settings: Settings,
    store: Store,
    record: Sequence[Unit],
    progress: Callable[[Event], None],
    partway: Told = _unheard,
) -> list[Outcome]:
    """The trials with their verdicts, each finished unit kept in the store. Witnesses of the `record` are certified
    again first; then come main readings without any, certificates of the record, and the rest.

    Raises as `run` does.
    """
    found, told = _Found(trials, record, progress, settings.source.paper), False
    try:
        with closing(_results(found, _unknown(trials, store, found), trials, settings)) as results:
            for unit, verdict, seconds in _checked(results, settings.source):
                if unit.engine != RECORD and not verdict.unfinished:
                    store.keep(unit, verdict, seconds)
                found.add(unit, verdict, seconds)
                if not told and unit.engine != RECORD and found.mains and not any(map(found.left.get, found.mains)):
                    told = True  # also where the store knew of all main readings
                    partway(found.outcomes(trials))
        settings.source.check()
    except KeyboardInterrupt:
        raise Interrupted(found.done, found.of) from None
    except (StoreError, Edited, ExecutorError) as error:
        raise type(error)(f"{error}; {KEPT.format(found.done, found.of)}") from error
    return found.outcomes(trials)


def _results(found: _Found, waiting: Iterator[Unit], trials: Sequence[Outcome], settings: Settings) -> Results:
    """What is on record, which this machine certifies, and what the workers find."""
    care = Care(settings.timeout, found.say)
    here = (({t.statement.label: t.statement for t in trials}), settings.source, settings.jobs, care)
    if settings.executor == PROCESSES:
        yield from finished(_in_turn(found, waiting), *here)
        return
    with hired(settings.executor, settings.source, care) as hands:
        yield from finished(found.record, *here)
        yield from hands.finished(waiting)


def _in_turn(found: _Found, waiting: Iterator[Unit]) -> Iterator[Unit]:
    """Witnesses, main readings, certificates, and the rest."""
    witnesses, proofs = ([unit for unit in found.record if unit.shard == shard] for shard in (WITNESSES, PROOFS))
    yield from witnesses
    for unit in waiting:
        if unit.label not in found.mains:
            yield from proofs
            proofs = []
        yield unit
    yield from proofs


def on_record(trials: Sequence[Outcome], settings: Settings) -> list[Unit]:
    """Units for each statement that has witnesses on record, or certificates, unless the run is blind."""
    paper = settings.source.paper
    if paper is None or settings.blind:
        return []
    labels = [t.statement.label for t in trials]
    folders = (settings.root / paper.witnesses, settings.root / paper.certificates)
    refuted, proved = (witness_files(labels, folder) for folder in folders)
    kinds = (refuted, WITNESSES), (proved, PROOFS)
    return [Unit(k, RECORD, 0, 0, shard, files=tuple(found[k])) for found, shard in kinds for k in labels if found[k]]


def _checked(results: Results, source: Source) -> Results:
    """Results, as long as no source file is edited: else what went wrong, in whatever way, is the edit's doing."""
    try:
        for unit, verdict, seconds in results:
            source.check(verdict)
            yield unit, verdict, seconds
    except Exception:
        source.check()
        raise


class _Found:
    """What the units said that are `done`, `of` so many, statement by statement; of the `record`, so many of each shard
    were looked at `again`; the `mains` are the main readings that the record has no witness against."""

    def __init__(
        self, trials: Sequence[Outcome], record: Sequence[Unit], progress: Callable[[Event], None], paper: Paper | None
    ) -> None:
        self.progress, self.done, self.again, self.record = progress, 0, Counter[int](), record
        mains = {t.statement.label for t in trials if role_of(t.statement, paper) is Role.MAIN}
        self.mains = mains - {unit.label for unit in record if unit.shard == WITNESSES}
        self.efforts = {t.statement.label: t.effort for t in trials}
        self.tallies = {label: (UntilRefuted if e.first else Tally)(label, e.seed) for label, e in self.efforts.items()}
        self.left = {label: sum(len(starts(e.budget, n)) for n in set(e.engines)) for label, e in self.efforts.items()}
        self.of = sum(self.left.values())

    def add(self, unit: Unit, verdict: Verdict, seconds: float, stored: bool = False) -> None:
        """One more."""
        if unit.engine == RECORD:
            self.again[unit.shard] += 1
            if verdict.engine:  # else the files are those of parts, or nothing that refutes
                self.tallies[unit.label].add(self._place(unit), verdict)
            self._leave_out(unit)
            of = sum(unit.shard == other.shard for other in self.record)
            self.progress(Event(unit, verdict, self.again[unit.shard], of))
            return
        self.tallies[unit.label].add(self._place(unit), verdict, seconds)
        self.done += 1
        self.left[unit.label] -= 1
        self._leave_out(unit)
        self.progress(Event(unit, verdict, self.done, self.of, stored=stored))

    def _leave_out(self, unit: Unit) -> None:
        """What is left of a statement that is refuted counts no more, where no more is asked for."""
        tally = self.tallies[unit.label]
        if isinstance(tally, UntilRefuted) and tally.is_refuted:
            self.of -= self.left[unit.label]
            self.left[unit.label] = 0

    def is_over(self, unit: Unit) -> bool:
        """Whether the unit need not run: its statement is refuted, and no more is asked for."""
        tally = self.tallies[unit.label]
        return isinstance(tally, UntilRefuted) and tally.is_over(self._place(unit))

    def _place(self, unit: Unit) -> tuple[int, int]:
        effort = self.efforts[unit.label]
        if unit.engine == RECORD:
            return (-1 if effort.first else len(effort.engines), unit.shard)
        return effort.engines.index(unit.engine), unit.shard

    def outcomes(self, trials: Sequence[Outcome]) -> list[Outcome]:
        """The trials with their verdicts; without, where units are left that may change it."""
        seen = ((t, self.tallies[t.statement.label].verdict()) for t in trials)
        return [t._replace(verdict=None if self.left[v.label] and v.status != Status.REFUTED else v) for t, v in seen]

    def say(self, unit: Unit, note: str) -> None:
        """Something of a unit that is not done."""
        self.progress(Event(unit, None, self.done, self.of, note))


def _unknown(trials: Sequence[Outcome], store: Store, found: _Found) -> Iterator[Unit]:
    """The units that the store does not know; what it knows of others is added on the way.

    Main readings first, engine by engine: neighbours are then different statements, which seldom compile the same
    kernels at once.
    """
    pairs = [(t, e) for e in ENGINES for t in trials if e in t.effort.engines]
    pairs.sort(key=lambda pair: pair[0].statement.label not in found.mains)
    for unit in chain.from_iterable(units_of(t.statement, t.effort._replace(engines=(e,))) for t, e in pairs):
        if found.is_over(unit):
            continue
        known = store.done(unit)
        if known:
            found.add(unit, *known, stored=True)
        else:
            yield unit


def reported(trial: Outcome, settings: Settings, rows: dict[str, ledger.LedgerRow] | None) -> Outcome:
    """The trial with its witnesses and certificates written to files, compared with the ledger."""
    assert trial.verdict is not None
    simplest, worst = write_witnesses(settings.witnesses(), trial.verdict)
    proofs = write_certificates(settings.certificates(), trial.verdict)
    return _compared(trial._replace(simplest=simplest, worst=worst, certificates=proofs), rows)


def _compared(trial: Outcome, rows: dict[str, ledger.LedgerRow] | None) -> Outcome:
    if trial.verdict is None or rows is None:
        return trial
    return trial._replace(comparison=ledger.compare(trial.verdict, rows.get(trial.statement.label), trial.effort))


def stored(statements: Sequence[Statement], root: Path, source: Source = PAPER) -> list[Outcome]:
    """What the store under `root` knows of a paper's or a file's statements, without running anything or making a
    store."""
    settings = Settings(root, source=source)
    if not (settings.cache / STORE.name).exists():
        return [Outcome(s) for s in statements]
    known = power.best_known(root, source.paper)
    with settings.store() as store:
        return [_powered(_known(s, store, settings, source.shelf), known) for s in statements]


def _known(statement: Statement, store: Store, settings: Settings, shelf: str) -> Outcome:
    found = store.latest(statement.label, shelf)
    if found is None:
        return Outcome(statement)
    verdict, digest = found
    paths = [settings.witnesses() / f"{file_stem(statement.label)}-{which}.json" for which in ("simplest", "worst")]
    simplest, worst = (path if path.is_file() else None for path in paths)
    made = tuple(path for path in certificate_paths(settings.certificates(), verdict) if path.is_file())
    return Outcome(statement, verdict, ledger.OFF, simplest, worst, digest == store.digest, certificates=made)


def record(outcomes: Sequence[Outcome], settings: Settings, paper: Paper, order: Sequence[str]) -> list[Outcome]:
    """Write the verdicts to the ledger and the counterexamples beside it; ERROR and unfinished verdicts leave
    their rows as they are.

    Rows of other statements stay. `order` is the order of the labels in the paper.
    """
    old = ledger.find(settings.root, paper) or {}
    new = {}
    for o in outcomes:
        if o.verdict is not None and not o.verdict.error:
            s = o.statement
            note = old[s.label].note if s.label in old else ""
            witness = _keep_witnesses(o.verdict, settings.root / paper.witnesses)
            write_certificates(settings.root / paper.certificates, o.verdict)
            new[s.label] = ledger.row_of(o.verdict, s.kind, o.effort, witness, note)
    ledger.write(settings.root / paper.ledger, ledger.merged(old, new, order))
    rows = {**old, **new}
    return [_compared(o, rows) for o in outcomes]


def _keep_witnesses(verdict: Verdict, folder: Path) -> str:
    """Keep the witnesses of a broken claim; the name of the simplest one (or the worst)."""
    if verdict.status not in ledger.BROKEN:
        return ""
    paths = [p for p in write_witnesses(folder, verdict) if p]
    return paths[0].name if paths else ""
