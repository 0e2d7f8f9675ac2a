"""What the terminal shows: the table, the closing lines, the remarks, progress."""

from __future__ import annotations

import io
import math
from pathlib import Path

import pytest
from toy import FALSE, outcomes, verdict, witness

from arubatheory.engines.units import Unit
from arubatheory.engines.verdict import Status
from arubatheory.papers.aruba import ARUBA
from arubatheory.report.ledger import Comparison
from arubatheory.report.outcome import LINE, Outcome, closest_line, ratio_text
from arubatheory.report.session import Event
from arubatheory.report.table import Watch, console, coverage_line, remarks, summary, table


def printed(*things: object) -> str:
    out = io.StringIO()
    console(out).print(*things)
    return out.getvalue()


def test_the_table_has_a_row_for_each_statement() -> None:
    text = printed(table(outcomes()))
    for o in outcomes():
        line = next(line for line in text.splitlines() if f" {o.statement.label} " in line)
        assert (o.verdict.status.value if o.verdict else "no verdict") in line
    assert all(name in text for name in ("worst ratio", "trials", "ties", "found by", "seconds"))


def test_markup_in_a_label_is_not_obeyed() -> None:
    odd = Outcome(FALSE.__class__("[red]x[/red]", "claim", "x", FALSE.instance, FALSE.sides), None)
    assert "[red]x[/red]" in printed(table([odd]))


def test_the_closing_lines() -> None:
    text = summary(outcomes(), 2.0)
    assert text == "6 statements: 1 REFUTED, 1 SUSPECT, 1 SURVIVED, 1 IDLE, 1 ERROR; 600 trials in 2.0 s"
    assert coverage_line(outcomes(), ARUBA) == "5 of 97 items of the paper have a verdict"


def test_remarks_name_errors_replays_and_differences() -> None:
    refuted = outcomes()[1]._replace(
        comparison=Comparison("differs", "the ledger says SURVIVED"), simplest=Path("w.json")
    )
    text = "\n".join(str(line) for line in remarks([refuted, outcomes()[3]], Path("mine.py")))
    assert "clm:scmin: the ledger says SURVIVED" in text
    assert "arubatheory replay w.json --exact --file mine.py" in text
    assert "clm:mean: The code failed, not the claim. RuntimeError: <boom> & more" in text


@pytest.mark.parametrize(
    ("ratio", "measure", "text"),
    [
        (None, "lhs/rhs", "-"),
        (math.nan, "undefined", "-"),
        (1.0, "lhs/rhs", "1"),
        (1 - 1e-9, "lhs/rhs", "1-1.0e-09"),
        (1 + 2e-16 * 5, "lhs/rhs", "1+1.1e-15"),
        (1.00002, "lhs/rhs", "1+2.0e-05"),
        (0.123456789, "lhs/rhs", "0.12346"),
        (math.inf, "lhs/rhs", "inf"),
        (-0.25, "lhs-rhs", "Δ -0.25"),
    ],
)
def test_a_ratio_is_never_rounded_across_one(ratio: float | None, measure: str, text: str) -> None:
    assert ratio_text(ratio, measure) == text


def test_progress_goes_to_stderr_one_line_for_a_unit(capsys: pytest.CaptureFixture[str]) -> None:
    event = Event(Unit("clm:cdual", "check", 150, 3), verdict("clm:cdual", Status.SURVIVED), 2, 5)
    with Watch() as watch:
        watch(event)
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err == "[2/5] clm:cdual check SURVIVED\n"


def test_progress_on_a_terminal_is_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Watch() as watch:
        watch(Event(Unit("clm:cdual", "check", 150, 3), verdict("clm:cdual", Status.SURVIVED), 2, 5))
        assert watch.bar is not None
        assert (watch.bar.tasks[0].completed, watch.bar.tasks[0].total) == (2, 5)
    assert capsys.readouterr().out == ""


def test_the_closest_instance_stands_in_one_line() -> None:
    """However many numbers it has; a short one stands there whole."""
    large = witness(instance={f"part{k}": {"number": str(k)} for k in range(100)})
    line = closest_line(verdict("clm:scmin", Status.SURVIVED, worst=large))
    assert line.startswith("closest: ") and line.endswith(" ...") and "part0 = 0, part1 = 1" in line
    assert LINE - 20 < len(line) <= LINE and "\n" not in line
    assert closest_line(verdict("clm:scmin", Status.SURVIVED, worst=witness())).endswith("x = 1, y = 1")
    assert closest_line(verdict("clm:scmin", Status.SURVIVED)) == ""
