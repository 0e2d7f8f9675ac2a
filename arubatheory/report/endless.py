r"""Seed after seed, without an end: of all that is found, only what is new is kept.

New is a worse or a simpler witness, a refutation where there was none, and an instance on which a survivor is closer
than ever. A seed's units are stored while it lasts and forgotten when it is over, so that the store does not grow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from arubatheory.engines.units import units_of
from arubatheory.engines.verdict import Status, Verdict, combine
from arubatheory.report import ledger, power
from arubatheory.report.outcome import Outcome, worst_text
from arubatheory.report.session import Event, Settings, on_record, reported, tried
from arubatheory.statements.effort import LARGEST, budget_of


class Seed(NamedTuple):
    """A seed that is over: all that is known by now of the statements tried at it, and which of them say something
    new, with that in words. `earlier`: it was over before this run began."""

    seed: int
    outcomes: list[Outcome]
    news: list[tuple[Outcome, str]]
    earlier: bool = False


def forever(trials: Sequence[Outcome], settings: Settings, progress: Callable[[Event], None]) -> Iterator[Seed]:
    """One seed after another, beginning with the settings' or where an earlier run was stopped; first, what that knew.

    Raises what `session.run` raises; `Interrupted` counts the units of the seed that was not finished.
    """
    record, rows = on_record(trials, settings), ledger.find(settings.root, settings.source.paper)
    with settings.store() as store:
        known = {t.statement.label: store.so_far(t.statement.label, t.effort) or (None, 0) for t in trials}
        first = settings.seed + min(seeds for _, seeds in known.values())
        if first > settings.seed:
            before = [t._replace(verdict=known[t.statement.label][0]) for t in trials]
            yield Seed(first - 1, [reported(t, settings, rows) for t in before], [], earlier=True)
        for seed in range(first, LARGEST["seed"] + 1):
            behind = [t for t in trials if settings.seed + known[t.statement.label][1] <= seed]
            now = [t._replace(effort=t.effort._replace(seed=seed)) for t in behind]
            over = Seed(seed, [], [])
            for trial, last in zip(behind, tried(now, settings, store, record, progress), strict=True):
                verdict, seeds = known[trial.statement.label]
                both, new = _together(verdict, last.verdict)
                # The units of the first seed are those of a run that has an end, too.
                store.go_on(both, trial.effort, seeds + 1, units_of(last.statement, last.effort) if seeds else ())
                known[trial.statement.label] = both, seeds + 1
                if settings.source.paper:
                    store.settle(both)
                over.outcomes.append(reported(trial._replace(verdict=both), settings, rows))
                if new:
                    over.news.append((over.outcomes[-1], new))
            yield over
            record = []


def _together(before: Verdict | None, last: Verdict | None) -> tuple[Verdict, str]:
    """What is known with one more verdict, and what of that is new. One that was not reached adds nothing to others."""
    assert last is not None
    if before is None:
        return last, ""
    if last.status is Status.ERROR or last.unfinished:
        return before, f"{last.status} at the seed {last.seed}: {last.error}"
    both = combine(before.label, [before, last], before.seed).with_seconds(before.seconds + last.seconds)
    return both, novelty(before, both)


def novelty(before: Verdict, now: Verdict) -> str:
    """What is new in a verdict that holds an earlier one, in words; nothing where all was known."""
    if now.status is not before.status:
        return f"{before.status} -> {now.status}"
    if now.worst != before.worst:
        what = "a worse witness" if now.status in ledger.BROKEN else "a closer instance"
        return f"{what}: {' -> '.join(dict.fromkeys(map(worst_text, (before, now))))}"
    return "a simpler witness" if now.simplest != before.simplest else ""


def effort_in_words(seeds: int, trials: Sequence[Outcome], settings: Settings) -> str:
    """How many seeds were tried, and what so much is known to find."""
    last = settings.seed + seeds - 1
    said = f"{seeds} {'seed' if seeds == 1 else 'seeds'} tried ({settings.seed}{f' to {last}' if seeds > 1 else ''})"
    paper = settings.source.paper
    table = settings.root / power.TABLE.location(paper) if paper else None
    if table is None or not table.is_file():
        return said
    labels = {t.statement.label for t in trials}
    spent = {e: seeds * budget_of(settings.budget, e) for e in settings.engines}
    known = power.planted([row for row in power.TABLE.read(table) if row.label in labels], spent)
    return f"{said}; {known}" if known else said
