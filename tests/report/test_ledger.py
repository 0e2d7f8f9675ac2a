"""The ledger: reading, writing, and the rule by which a run is compared with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy import verdict

from arubatheory.engines.verdict import Status
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger
from arubatheory.report.ledger import Effort, LedgerRow
from arubatheory.statements.untrusted import RecordError


def row(status: Status, label: str = "clm:cdual", budget: str = "quick", engines: str = "check search") -> LedgerRow:
    return LedgerRow(label, "claim", status.value, "1", "120", "check", "", 'a, "note"', engines, budget, "0")


def effort(budget: str = "quick", engines: tuple[str, ...] = ("check", "search"), blind: bool = False) -> Effort:
    return Effort(engines, budget, blind=blind)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "verification" / "ledger.csv"
    rows = [row(Status.REFUTED), row(Status.SURVIVED, "clm:scmin")]
    ledger.write(path, rows)
    assert ledger.find(tmp_path, ARUBA) == {r.label: r for r in rows}
    assert [p.name for p in path.parent.iterdir()] == ["ledger.csv"]


def test_without_a_ledger_the_rule_is_off(tmp_path: Path) -> None:
    assert ledger.find(tmp_path, ARUBA) is None is ledger.find(tmp_path, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("label,kind\n", "has no column status"),
        ("{head}\nx,claim,TRUE,,,,,,,quick,0,,\n", "x has the unknown status 'TRUE'"),
        ("{head}\nx,claim,PROVED,,,,,,,quick,0,in part,T = 2\n", "x is PROVED and proved 'in part': that cannot be"),
        ("{head}\nx,claim,SURVIVED,,,,,,,quick,0,in full,all\n", "x is SURVIVED and proved 'in full'"),
        ("{head}\nx,claim,SURVIVED,,,,,,,quick,0,somewhat,T = 2\n", "x is SURVIVED and proved 'somewhat'"),
        ("{head}\nx,claim,IDLE,,,,,,,quick,0,,\nx,claim,IDLE,,,,,,,quick,0,,\n", "x has two rows"),
    ],
)
def test_a_bad_ledger_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ledger.csv"
    path.write_text(text.format(head=",".join(LedgerRow._fields[:13])))
    with pytest.raises(RecordError, match=message):
        ledger.read(path)


S, R, P, I, E = Status.SURVIVED, Status.REFUTED, Status.SUSPECT, Status.IDLE, Status.ERROR


@pytest.mark.parametrize(
    ("seen", "recorded", "with_effort", "word"),
    [
        (S, S, effort(), "same"),
        (S, R, effort(), "differs"),
        (S, R, effort("deep"), "differs"),
        (S, R, effort("149"), "weaker"),
        (S, R, effort("3000"), "differs"),
        (S, R, effort(engines=("check",)), "weaker"),
        (S, R, effort(blind=True), "weaker"),
        (I, S, effort("10"), "weaker"),
        (I, S, effort(), "differs"),
        (R, S, effort("10"), "differs"),
        (P, S, effort("10", ("search",)), "differs"),
        (Status.PROVED, S, effort("10"), "differs"),
        (P, R, effort("10"), "weaker"),
        (R, P, effort(), "differs"),
        (R, None, effort("10"), "differs"),
        (P, None, effort(), "differs"),
        (S, None, effort(), "new"),
        (E, S, effort(), "error"),
    ],
)
def test_the_ledger_rule(seen: Status, recorded: Status | None, with_effort: Effort, word: str) -> None:
    known = None if recorded is None else row(recorded)
    comparison = ledger.compare(verdict("clm:cdual", seen), known, with_effort)
    assert comparison.word == word
    assert comparison.differs == (word == "differs")


def test_a_label_that_is_not_recorded_is_said() -> None:
    comparison = ledger.compare(verdict("clm:cdual", S), None, effort())
    assert comparison.sentence == "clm:cdual is not in the ledger; this run says SURVIVED"


def test_a_row_remembers_what_it_took() -> None:
    made = ledger.row_of(verdict("clm:cdual", S, worst_ratio=None), "claim", effort("deep", ("search",)), "", "why")
    assert (made.engines, made.budget, made.seed, made.worst_ratio, made.note) == ("search", "deep", "0", "", "why")


def test_merging_keeps_the_order_of_the_paper_and_strangers_last() -> None:
    old = {k: row(S, k) for k in ("z", "b", "a")}
    new = {k: row(R, k) for k in ("c", "b")}
    rows = ledger.merged(old, new, ["a", "b", "c"])
    assert [r.label for r in rows] == ["a", "b", "c", "z"]
    assert [r.status for r in rows] == ["SURVIVED", "REFUTED", "REFUTED", "SURVIVED"]
