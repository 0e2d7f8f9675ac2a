"""The recorded power: read, written, said, and made by `python -m verification.power`."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from toy import FALSE, TRUE, verdict

from arubatheory.cli.codes import NOTHING, USAGE
from arubatheory.engines import shrink as shrinking
from arubatheory.engines.check import check
from arubatheory.engines.rate import rate
from arubatheory.engines.reach import Reach
from arubatheory.engines.search import search
from arubatheory.engines.sharpen import times
from arubatheory.engines.verdict import Status
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger
from arubatheory.report.power import (
    BLIND,
    EXPONENTS,
    FACTORS,
    PLANTED,
    SIBLINGS,
    SLOWER,
    TABLE,
    TERMS,
    PowerRow,
    finds,
    slower,
    words,
)
from arubatheory.report.sharp import TABLE as SHARP
from arubatheory.report.sharp import SharpRow
from arubatheory.statements.core import Instance, Sides, Statement
from arubatheory.statements.growth import Growth
from arubatheory.statements.untrusted import RecordError
from verification import power as command

ROOT = Path(__file__).resolve().parents[2]
LOCATION = TABLE.location(ARUBA)
ROWS = [
    PowerRow("prp:ftl", SIBLINGS, 2, 2, 1, None, None),
    PowerRow("clm:mean", BLIND, 1, 1, 0, None, None),
    PowerRow("x", SIBLINGS, 1, None, None, 1, None),
]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "verification").mkdir()
    TABLE.write(tmp_path / LOCATION, ROWS)
    assert TABLE.read(tmp_path / LOCATION) == ROWS
    assert TABLE.by_label(tmp_path / LOCATION) == {row.label: [row] for row in ROWS}
    assert TABLE.by_label(tmp_path / "none.csv") == {}


def test_sentences() -> None:
    assert [row.sentence for row in ROWS] == [
        "Power: of 2 false siblings, found by check 2, by search 1.",
        "Found again blind by check.",
        "Power: of 1 false sibling, found by rate 1.",
    ]
    assert ROWS[1]._replace(check=0).sentence == "Found again blind by no engine."


def test_what_stands_beside_a_verdict_already_is_not_said_again() -> None:
    """Siblings that all engines found are counted in the table; errors and terms are notes of the run itself."""
    assert [row.says_more(None) for row in ROWS] == [True, True, False]
    seen = verdict("x", Status.SURVIVED, reach=Reach(terms=(0.5, 3, 2)))
    terms = [PowerRow("x", TERMS, 3, None, n, None, None) for n in (1, 2, 3)]
    assert [row.says_more(seen) for row in terms] == [False, False, True]
    assert [row.says_more(verdict("x", Status.SURVIVED)) for row in terms] == [True] * 3
    errors = (PowerRow("x", what, 3, None, None, None, None, "1", "1.5") for what in (FACTORS, EXPONENTS))
    assert not any(row.says_more(None) for row in errors)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("label,what\n", "has no column tried, check, search, rate, simulate"),
        ("label,what,tried,check,search,rate,simulate\na,siblings,x,1,1,,\n", r"power\.csv, row 1: invalid literal"),
        ("label,what,tried,check,search,rate,simulate\na,siblings,1,,,,\n", r"power\.csv, row 1: no engine was asked"),
        ("label,what,tried,check,search,rate,simulate\na,luck,1,1,1,,\n", r"power\.csv, row 1: unknown kind 'luck'"),
    ],
)
def test_a_table_that_cannot_be_read_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "power.csv"
    path.write_text(text)
    with pytest.raises(RecordError, match=message):
        TABLE.read(path)


# what is read off one run ------------------------------------------------------------------------------------------
FAR = Statement(
    "far", "claim", "x", lambda d: Instance(x=d.unit(4)), lambda i: Sides(sum(i.x) - sum(i.x * i.x) / 2, 5)
)  # 2/5 at x = 1, hard to meet at random


@pytest.mark.parametrize("engine", [check, search])
@pytest.mark.parametrize("seed", range(3))
def test_the_factors_that_a_run_finds_are_those_that_it_refutes(engine, seed) -> None:
    worst = engine(FAR, 100, seed).worst_ratio
    best = Fraction(2, 5)
    found = [f for f in PLANTED if engine(times(FAR, best / Fraction(str(f))), 100, seed).status is Status.REFUTED]
    assert list(finds(worst, float(best))) == found


def test_some_factors_are_found_and_some_are_not() -> None:
    assert finds(0.4, 0.4) == PLANTED and finds(0.38, 0.4) == (1.5, 1.1) and finds(0.2, 0.4) == ()


@pytest.mark.parametrize("power", [0.2, 0.35, 0.45])
def test_the_exponents_that_a_run_finds_are_those_that_it_suspects(power: float) -> None:
    growing = Statement(
        *("my:growth", "claim", r"T^{1/2}", lambda draw: Instance(c=draw.positive(-2, 2))),
        engines=("rate",),
        growth=Growth(lambda i, T: float(i.c) * (T**power + 1 / T), 0.5),
    )
    excess = rate(growing, 4, 0).worst_ratio
    assert excess == pytest.approx(power - 0.5, abs=0.02)

    def suspect(less: float) -> bool:
        claimed = growing.growth._replace(exponent=growing.growth.exponent - less)
        return rate(replace(growing, growth=claimed), 4, 0).status is Status.SUSPECT

    assert slower(excess) == tuple(e for e in SLOWER if suspect(e)) and slower(-0.2) == (0.5, 0.25)


def test_what_a_verdict_says_of_its_power() -> None:
    found = search(FAR, 2000, 0)
    assert found.worst_ratio == pytest.approx(0.4)
    said = "an error of the factor 1.01 (closest ratio known: 0.4) would have been found"
    assert words(found, 0.4) == said
    half = replace(found, worst_ratio=0.38)
    assert words(half, 0.4) == said.replace("1.01", "1.1") + ", 1.01 not"
    assert words(replace(found, worst_ratio=0.1), 0.4).endswith("(closest ratio known: 0.4) would not have been found")
    assert words(half, None) == "a right side smaller by a factor above 2.632 would have been refuted"
    for factor, status in ((Fraction(5, 2), Status.SURVIVED), (Fraction(2501, 1000), Status.REFUTED)):
        assert search(times(FAR, 1 / factor), 2000, 0).status is status, "as of the run whose worst ratio is 2/5"
    assert words(replace(half, worst_ratio=0.0), None) == words(replace(half, status=Status.REFUTED), 0.4) == ""
    assert words(replace(half, measure="lhs-rhs"), 0.4) == words(replace(half, worst_ratio=None), 0.4) == ""
    slow = replace(half, found_by="rate", measure="lhs-rhs", worst_ratio=-0.3)
    assert words(slow, None) == "an exponent that is claimed smaller by 0.5 would have been found, 0.25 not"


def test_errors_are_read_off_the_ledger_and_the_sharp_constants(tmp_path: Path) -> None:
    def row(label: str, ratio: str, found_by: str = "search", status: str = "SURVIVED") -> ledger.LedgerRow:
        return ledger.LedgerRow(label, "claim", status, ratio, "200", found_by, "", "", "", "quick", "0")

    kept = [row("a", "0.5"), row("b", "1"), row("c", "0.5"), row("d", "-0.3", "rate"), row("e", "2", status="REFUTED")]
    ledger.write(tmp_path / ARUBA.ledger, kept)
    SHARP.write(tmp_path / SHARP.location(ARUBA), [SharpRow("a", "factor", "1", "", 0, "0.6", "0.61", 9, 1, 1)])
    assert command.errors(tmp_path) == [
        PowerRow("a", FACTORS, 3, None, None, None, None, "0.6", "1.5"),
        PowerRow("b", FACTORS, 3, None, None, None, None, "1", "1.5 1.1 1.01"),
        PowerRow("d", EXPONENTS, 3, None, None, None, None, "", "0.5"),
    ]


def test_the_terms_of_survivors_are_asked_of_a_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "power.csv"
    TABLE.write(output, [PowerRow("prp:ftl/proof-6", TERMS, 2, None, 0, None, None), ROWS[1]])
    assert command.main(["prp:ftl/proof-6", "--terms", "--jobs", "1", "--output", str(output)]) == 0
    rows = [row for row in TABLE.read(output) if row.what in (TERMS, BLIND)]
    assert rows == [PowerRow("prp:ftl/proof-6", TERMS, 2, None, 1, None, None), ROWS[1]]
    assert rows[0].sentence == "Of 2 terms on the right, a search shows 1 to be needed."
    assert "2 terms of 1 right sides: 1 are needed, all of them in 0\n" in capsys.readouterr().out
    assert command.terms("thm:general/sharp/gain", 1) is None, "its right side is no sum"


# the command -------------------------------------------------------------------------------------------------------


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Toys in the place of the paper, with a sibling that is false and one that is not; a ledger with one refuted."""
    false = replace(FALSE, label="clm:cdual/false-1")
    true = replace(TRUE, label="clm:cdual/false-2")
    module = SimpleNamespace(BY_LABEL={s.label: s for s in (TRUE, FALSE)}, siblings=lambda: iter((false, true)))
    monkeypatch.setitem(sys.modules, "tests.power.siblings", module)
    monkeypatch.setattr(command, "BUDGETS", {"check": 160, "search": 320, "rate": 20})
    monkeypatch.setattr(command, "HOME", tmp_path)
    monkeypatch.setattr(command, "falsehoods", command.falsehoods.__wrapped__)
    kept = [
        ledger.LedgerRow(label, "claim", status.value, *[""] * 6, "quick", "0")
        for label, status in (
            ("clm:scmin", Status.REFUTED),
            ("clm:cdual", Status.SURVIVED),
            ("clm:gone", Status.REFUTED),
        )
    ]
    ledger.write(tmp_path / ARUBA.ledger, kept)
    return tmp_path


def test_the_command_counts_what_each_engine_finds(planted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = planted / LOCATION
    before, terms = shrinking.shrink, PowerRow("clm:cdual", TERMS, 2, None, 1, None, None)
    TABLE.write(path, [terms, PowerRow("prp:gone", SIBLINGS, 3, 3, 3, None, None)])
    assert command.main(["--jobs", "1", "--output", str(path)]) == 1  # one sibling is true, and is missed
    assert TABLE.read(path) == [
        terms,
        PowerRow("clm:cdual", SIBLINGS, 2, 1, 1, None, None),
        PowerRow("clm:scmin", BLIND, 1, 1, 1, None, None),
    ]
    said = capsys.readouterr().out
    assert "clm:cdual: Power: of 2 false siblings, found by check 1, by search 1." in said
    assert "1 refuted statements, blind: found by check 1, search 1" in said
    assert shrinking.shrink is before


def test_patterns_make_their_rows_again_and_leave_the_others(planted: Path) -> None:
    path = planted / LOCATION
    other = PowerRow("prp:ftl", SIBLINGS, 3, 3, 3, None, None)
    TABLE.write(path, [other, PowerRow("clm:scmin", BLIND, 1, 0, 0, None, None)])
    assert command.main(["clm:sc*", "--jobs", "1", "--output", str(path)]) == 0
    assert TABLE.read(path) == [other, PowerRow("clm:scmin", BLIND, 1, 1, 1, None, None)]


def test_nothing_selected_and_no_process_are_usage_errors(planted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["nothing"]) == USAGE
    assert "unknown label 'nothing'" in capsys.readouterr().err
    assert command.main(["thm:general"]) == command.main(["n*"]) == NOTHING
    assert "nothing selected by thm:general" in capsys.readouterr().err
    ledger.write(planted / ARUBA.ledger, [])
    assert command.main(["clm:scmin"]) == NOTHING
    assert "nothing false is known of what clm:scmin selects" in capsys.readouterr().err
    with pytest.raises(ValueError, match="jobs must be >= 1, got 0"):
        command.run([], 0)


def test_every_statement_with_a_sibling_or_a_growth_is_on_the_plan() -> None:
    from tests.power.siblings import BY_LABEL
    from tests.power.siblings import SIBLINGS as CHANGES

    plan = command.tasks([], 1, ROOT)
    tried = {task.label for task in plan if task.what == SIBLINGS}
    assert set(CHANGES) <= tried
    assert {label for label, s in BY_LABEL.items() if s.growth is not None} <= tried
    assert {"check", "search", "rate"} <= {task.engine for task in plan}
    assert len(set(plan)) == len(plan)


def test_the_table_on_record_is_about_the_present_siblings() -> None:
    """Made again whenever a sibling comes or goes: `python -m verification.power LABEL`."""
    recorded = {row.label: row.tried for row in TABLE.read(ROOT / LOCATION) if row.what == SIBLINGS}
    assert recorded == {label: len(made) for label, made in command.falsehoods().items()}


def test_a_claim_about_growth_gets_a_slower_sibling() -> None:
    made = command.falsehoods()
    label, (false,) = next((k, v) for k, v in made.items() if v[0].growth is not None)
    from tests.power.siblings import BY_LABEL

    assert false.growth.exponent == BY_LABEL[label].growth.exponent - command.SLOWER
