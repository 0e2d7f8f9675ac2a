r"""A run from end to end: what is stored is not done again, what is found is kept, and the ledger is consulted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from arubatheory.engines.campaign import BUDGETS, ENGINES, Event, budget_of, digest_of, file_stem, run_campaign
from arubatheory.engines.verdict import Status, Verdict
from arubatheory.report import ledger
from arubatheory.report.outcome import WITNESS_FOLDER, Outcome, write_witnesses
from arubatheory.report.store import Store
from arubatheory.statements.core import Statement
from arubatheory.statements.paper import Paper

STORE = Path(".cache") / "arubatheory.sqlite"


@dataclass(frozen=True)
class Settings:
    """What a run is asked to do, of a `paper` (its ledger, its witnesses) or of a user's `file`, which has neither."""

    root: Path = Path(".")
    engines: tuple[str, ...] = tuple(ENGINES)
    budget: str = "standard"
    seed: int = 0
    jobs: int = 1
    fresh: bool = False
    blind: bool = False
    file: Path | None = None
    paper: Paper | None = None

    def __post_init__(self) -> None:
        for engine in self.engines:
            if engine not in ENGINES:
                raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
        strength(self.budget, next(iter(ENGINES)))

    def store(self) -> Store:
        """The store of this run."""
        return Store(self.root / STORE, digest_of(self.file), self.blind, self.fresh)

    def witnesses(self) -> Path:
        """Where this run keeps its witnesses: a blind one beside those that `show` and `report` name."""
        return self.root / (WITNESS_FOLDER / "blind" if self.blind else WITNESS_FOLDER)

    def effort(self, statement: Statement) -> ledger.Effort:
        """What this run puts into a statement: the engines it asks for that the statement allows.

        Raises ValueError where the budget is too small for one of them.
        """
        engines = tuple(e for e in self.engines if e in statement.engines and strength(self.budget, e))
        return ledger.Effort(engines, self.budget, self.blind, strength)


def strength(budget: str, engine: str) -> int:
    """Evaluations that a budget, a name or a number in digits, gives an engine; 0 for an engine that is not known."""
    if engine not in ENGINES:
        return 0
    return budget_of(int(budget) if budget.isdecimal() and budget not in BUDGETS else budget, engine)


def run(statements: Sequence[Statement], settings: Settings, progress: Callable[[Event], None]) -> list[Outcome]:
    """Put statements on trial, keep verdicts and witnesses under `root`, and compare with the ledger found there."""
    kept = settings.root / settings.paper.witnesses if settings.paper else None
    budget = int(settings.budget) if settings.budget.isdecimal() else settings.budget
    known = ledger.find(settings.root, settings.paper)
    with settings.store() as store:
        verdicts = run_campaign(
            statements,
            settings.engines,
            budget,
            settings.seed,
            jobs=settings.jobs,
            done=store.done,
            keep=store.keep,
            file=settings.file,
            blind=settings.blind,
            progress=progress,
            witnesses=kept if kept and kept.is_dir() else None,
        )
        if not settings.file:
            for verdict in verdicts.values():
                store.settle(verdict)
    return [_outcome(s, verdicts[s.label], settings, known) for s in statements]


def _outcome(s: Statement, verdict: Verdict, settings: Settings, known: dict[str, ledger.Row] | None) -> Outcome:
    simplest, worst = write_witnesses(settings.witnesses(), verdict)
    comparison = ledger.OFF if known is None else ledger.compare(verdict, known.get(s.label), settings.effort(s))
    return Outcome(s, verdict, comparison, simplest, worst)


def stored(statements: Sequence[Statement], root: Path) -> list[Outcome]:
    """What the store under `root` knows of statements, without running anything or making a store."""
    path = root / STORE
    if not path.exists():
        return [Outcome(s, None) for s in statements]
    with Store(path, digest_of(None)) as store:
        return [_stored_outcome(s, store, root) for s in statements]


def _stored_outcome(statement: Statement, store: Store, root: Path) -> Outcome:
    found = store.latest(statement.label)
    if found is None:
        return Outcome(statement, None)
    simplest, worst = (_file(root, statement.label, which) for which in ("simplest", "worst"))
    return Outcome(statement, found.verdict, ledger.OFF, simplest, worst, found.digest == store.digest)


def _file(root: Path, label: str, which: str) -> Path | None:
    path = root / WITNESS_FOLDER / f"{file_stem(label)}-{which}.json"
    return path if path.is_file() else None


def record(outcomes: Sequence[Outcome], settings: Settings, paper: Paper, order: Sequence[str]) -> list[Outcome]:
    """Write the verdicts to the ledger and the counterexamples beside it; ERROR verdicts leave their rows as they are.

    Rows of other statements stay. `order` is the order of the labels in the paper.
    """
    old = ledger.find(settings.root, paper) or {}
    new = {}
    for o in outcomes:
        if o.verdict is not None and o.verdict.status is not Status.ERROR:
            s = o.statement
            note = old[s.label].note if s.label in old else ""
            witness = _keep_witnesses(o.verdict, settings.root / paper.witnesses)
            new[s.label] = ledger.row_of(o.verdict, s.kind, settings.effort(s), witness, note)
    ledger.write(settings.root / paper.ledger, ledger.merged(old, new, order))
    rows = {**old, **new}
    return [_compared(o, rows.get(o.statement.label), settings) for o in outcomes]


def _keep_witnesses(verdict: Verdict, folder: Path) -> str:
    """Keep the witnesses of a broken claim; the name of the simplest one (or the worst)."""
    if verdict.status not in ledger.BROKEN:
        return ""
    paths = [p for p in write_witnesses(folder, verdict) if p]
    return paths[0].name if paths else ""


def _compared(outcome: Outcome, row: ledger.Row | None, settings: Settings) -> Outcome:
    if outcome.verdict is None:
        return outcome
    return outcome._replace(comparison=ledger.compare(outcome.verdict, row, settings.effort(outcome.statement)))
