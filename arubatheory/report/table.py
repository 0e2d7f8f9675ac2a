r"""A campaign on the terminal: progress while it runs (stderr), the table, the summary and the coverage (stdout)."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from arubatheory.engines.units import PROOFS, RECORD
from arubatheory.engines.verdict import Status, Verdict
from arubatheory.report.outcome import Outcome, closest_line, counting, counts, replay_line, worst_text
from arubatheory.report.plain import count
from arubatheory.statements.effort import ENGINES
from arubatheory.statements.paper import Paper
from arubatheory.statements.untrusted import visible

WIDTH = 132  # of the table where there is no terminal to ask
STYLES = {
    Status.REFUTED: "bold red",
    Status.SUSPECT: "bold yellow",
    Status.PROVED: "bold green",
    Status.SURVIVED: "green",
    Status.IDLE: "dim",
    Status.ERROR: "bold magenta",
}
COLUMNS = (
    *("label", "number", "kind", "status", "proved", "worst ratio"),
    *("trials", "ties", "found by", "seconds", "ledger"),
)
EVALUATING = [e.name for e in ENGINES.values() if e.counts == "evaluations"]
FEW = 12  # statements of a run that are told more of
NUMBERS = ("worst ratio", "trials", "ties", "seconds")


class Verbatim(Console):
    """A console to which what it is given is text: it obeys no mark-up and no control character in it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """The segments of what is printed; only those of the console itself steer the terminal."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))

    def on_broken_pipe(self) -> None:
        """Whoever reads has left: the command, not the console, decides how it ends."""
        raise BrokenPipeError


def console(file: IO[str] | None = None) -> Console:
    """A console on `file` (standard output) that keeps a table in one piece when it is not a terminal."""
    stream = file or sys.stdout
    return Verbatim(file=stream, width=None if stream.isatty() else WIDTH, soft_wrap=False)


def table(outcomes: Iterable[Outcome]) -> Table:
    """One row for each statement; how far it is proved has a column where something is."""
    outcomes = list(outcomes)
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    proved = any(o.verdict and o.verdict.proofs for o in outcomes)
    columns = [name for name in COLUMNS if proved or name != "proved"]
    for name in columns:
        grid.add_column(name, justify="right" if name in NUMBERS else "left", overflow="fold")
    for outcome in outcomes:
        cells = dict(zip(COLUMNS, _cells(outcome), strict=True))
        grid.add_row(*(cells[name] for name in columns))
    return grid


def _cells(outcome: Outcome) -> list[Text]:
    statement, verdict = outcome.statement, outcome.verdict
    head = [Text(statement.label), Text(statement.number), Text(statement.kind)]
    if verdict is None:
        return [*head, Text("no verdict", "dim"), *[Text("")] * 7]
    word = outcome.comparison.word
    return [
        *head,
        Text(_status(outcome, verdict), STYLES[verdict.status]),
        Text(verdict.proved),
        Text(worst_text(verdict)),
        Text(f"{verdict.trials:,}"),
        Text(f"{verdict.ties:,}"),
        Text(verdict.found_by),
        Text(f"{verdict.seconds:.1f}"),
        Text("" if word == "off" else word, "bold red" if outcome.comparison.differs else "dim"),
    ]


def _status(outcome: Outcome, verdict: Verdict) -> str:
    """The status; beside what survived the least budget, how little that is."""
    quick = verdict.status is Status.SURVIVED and outcome.effort.budget == "quick"
    return f"{verdict.status} (quick)" if quick else verdict.status.value


def summary(outcomes: Sequence[Outcome], seconds: float | None = None, evaluations: int = 0) -> str:
    """The closing line: how many statements ended in which status, on how many trials; of a run, how long it took, and
    how many evaluations it made a second."""
    tally = [f"{n} {status}" for status, n in counts(outcomes).items() if n]
    trials = count(sum(o.verdict.trials for o in outcomes if o.verdict), "trial")
    ending = "" if seconds is None else f" in {seconds:.1f} s"
    rate = f", {evaluations / seconds:,.0f} evaluations a second" if seconds and evaluations else ""
    return f"{count(len(outcomes), 'statement')}: {', '.join(tally) or 'no verdict'}; {trials}{ending}{rate}"


def coverage_line(outcomes: Iterable[Outcome], paper: Paper) -> str:
    """How many items of the paper have a verdict, through at least one of their statements."""
    tried = {found for o in outcomes if o.verdict and (found := paper.item_of(o.statement.label)) in paper.items}
    return f"{len(tried)} of {len(paper.items)} items of the paper have a verdict"


def remarks(outcomes: Sequence[Outcome], file: Path | None = None, paper: Paper | None = None) -> list[Text]:
    """What needs a reader's eye: errors, broken claims with their replay command, how the ledger differs; of a few
    statements, how close they came."""
    lines = []
    for outcome in outcomes:
        if outcome.verdict is None:
            continue
        label, status = outcome.statement.label, outcome.verdict.status
        if status is Status.ERROR or outcome.verdict.unfinished:
            lines.append(Text(f"{label}: {outcome.verdict.sentence} {outcome.verdict.error}", STYLES[status]))
        elif status is Status.IDLE:
            lines.append(Text(f"{label}: {outcome.verdict.sentence} {counting(outcome.verdict)}", STYLES[status]))
        elif status in (Status.REFUTED, Status.SUSPECT):
            lines.append(Text(f"{label}: {outcome.verdict.sentence}", STYLES[status]))
            lines += _evidence(outcome, file, paper)
        elif len(outcomes) <= FEW:
            lines += _unbroken(outcome, file, paper)
        lines += _certificates(outcome, file, paper)
        if outcome.comparison.word in ("differs", "new", "weaker"):
            style = "bold red" if outcome.comparison.differs else "dim"
            lines.append(Text(f"{label}: {outcome.comparison.sentence}", style))
    return lines


def _certificates(outcome: Outcome, file: Path | None, paper: Paper | None) -> list[Text]:
    """What is proved, with the command that checks it; or why nothing is, where a prover was asked."""
    verdict = outcome.verdict
    assert verdict is not None
    label, lines = outcome.statement.label, []
    if verdict.unproved and not verdict.proofs:
        lines.append(Text(f"{label}: not proved: {verdict.unproved}", "dim"))
    if "prove" in outcome.effort.engines and verdict.proofs:
        lines.append(Text(f"{label}: {verdict.proved_for}.", STYLES[Status.PROVED]))
        lines += [Text(f"  {replay_line(path, file, paper, exact=False)}") for path in outcome.certificates]
    return lines


def _unbroken(outcome: Outcome, file: Path | None, paper: Paper | None) -> list[Text]:
    """What a search says of a claim that it did not break, and how to look at the closest instance."""
    verdict = outcome.verdict
    assert verdict is not None
    if not outcome.notes:
        return []
    lines = [Text(f"{outcome.statement.label}: {'; '.join(outcome.notes)}"), Text(f"  {closest_line(verdict)}")]
    return lines + [Text(f"  {replay_line(path, file, paper)}") for path in (outcome.worst,) if path]


def _evidence(outcome: Outcome, file: Path | None, paper: Paper | None) -> list[Text]:
    """The command that looks at the witness again, or what was measured where there is none."""
    if outcome.verdict is not None and outcome.verdict.measured:
        return [Text(f"  {outcome.verdict.measured}")]
    return [Text(f"  {replay_line(path, file, paper)}") for path in (outcome.simplest or outcome.worst,) if path]


class Watch(AbstractContextManager["Watch"]):
    """Progress of a campaign on stderr: a bar on a terminal, and a line for each statement that is refuted and not on
    record as such; elsewhere one line for each finished unit. `evaluations` are those of check and search, without what
    earlier runs have stored."""

    def __init__(self, quiet: bool = False) -> None:
        self.console = Verbatim(stderr=True, quiet=quiet)
        columns = (SpinnerColumn(), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
        self.bar = Progress(*columns, TimeElapsedColumn(), console=self.console, transient=True)
        self.task = self.bar.add_task("starting", total=None)
        self.start, self.evaluations, self.refuted, self.proved = time.perf_counter(), 0, set[str](), set[str]()

    def __enter__(self) -> Watch:
        if self.console.is_terminal:
            self.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.console.is_terminal:
            self.bar.stop()

    def __call__(self, event: Any) -> None:
        """Show one event of the campaign: a finished unit, or a note on another, and how many of how many are
        finished."""
        unit, verdict = event.unit, event.verdict
        said = event.note if verdict is None else verdict.status.value
        text = f"{unit.label} {'on record' if unit.engine == RECORD else unit.engine} {said}".rstrip()
        if verdict is not None and self.console.is_terminal:
            self.bar.update(self.task, completed=event.done, total=event.of, description=text)
        elif verdict is None or verdict.engine:
            self._say(f"[{event.done}/{event.of}] {text}")
        if verdict is not None:
            self._count(event, text)

    def _count(self, event: Any, text: str) -> None:
        """Count a verdict. One that refutes stays on the terminal, and so does what the record comes to."""
        refutes, known = event.verdict.status is Status.REFUTED, event.unit.label in self.refuted
        if refutes:
            self.refuted.add(event.unit.label)
        if event.verdict.proofs:
            self.proved.add(event.unit.label)
        if event.unit.engine == RECORD:
            if event.done == event.of:
                proofs, seconds = event.unit.shard == PROOFS, time.perf_counter() - self.start
                again = count(len(self.proved), "proof") if proofs else count(len(self.refuted), "refutation")
                self._say(f"{again} on record certified again, {seconds:.0f} s after the start")
        elif refutes and not known and self.console.is_terminal:
            self._say(text)
        if event.unit.engine in EVALUATING and not event.stored:
            self.evaluations += event.verdict.evaluations

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)
