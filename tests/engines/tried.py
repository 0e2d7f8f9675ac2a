"""Runs of a few statements from end to end, under a folder of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arubatheory.engines.source import Source
from arubatheory.engines.verdict import Verdict
from arubatheory.report.session import Event, Settings, run
from arubatheory.statements.core import Statement


def tried(
    root: Path,
    statements: Sequence[Statement],
    engines: Sequence[str],
    budget: int,
    seed: int,
    progress: Any = lambda event: None,
    file: Path = Path("toys.py"),
    **more: Any,
) -> dict[str, Verdict]:
    """The verdicts by label, without their times."""
    settings = Settings(root, tuple(engines), str(budget), seed, source=more.pop("source", Source(file)), **more)
    outcomes = run([settings.trial(s) for s in statements], settings, progress)
    return {o.statement.label: replace(o.verdict, seconds=0.0) for o in outcomes if o.verdict}


def stop_after_two(event: Event) -> None:
    """A user who loses patience."""
    if event.done == 2:
        raise KeyboardInterrupt
