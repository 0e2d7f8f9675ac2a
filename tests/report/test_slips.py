"""The table of what slipped: each item that fails has a kind and a sentence, and no other item has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger
from arubatheory.report.slips import Slip, counted, fails, read_slips, table

ROOT = Path(__file__).resolve().parents[2]
LINES = table(ARUBA, ledger.find(ROOT, ARUBA) or {})


def test_every_item_has_a_line() -> None:
    assert [line.item for line in LINES] == list(ARUBA.items)
    assert all(line.words.endswith(".") for line in LINES)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.item.slug)
def test_what_fails_has_a_slip_and_nothing_else_has(line) -> None:  # type: ignore[no-untyped-def]
    assert fails(line) == (line.slip is not None)


def test_slips_are_counted_by_kind() -> None:
    found = counted(LINES)
    assert list(found) == list(Slip) and sum(found.values()) == len(read_slips(ARUBA)) == sum(map(fails, LINES))


def test_a_paper_without_a_table_has_no_slips(tmp_path: Path) -> None:
    assert read_slips(replace(ARUBA, home=tmp_path)) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slug\twords\n", r"slips\.tsv must have the columns"),
        ("slug\tslip\twords\nclm:mean\trate\n", r"slips\.tsv, line 2: a row must have 3 cells, got 2"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "slips.tsv").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_slips(replace(ARUBA, home=tmp_path))


def test_a_table_may_end_its_lines_as_another_system_does(tmp_path: Path) -> None:
    (tmp_path / "slips.tsv").write_bytes(b"slug\tslip\twords\r\nclm:scmin\trate\tof order T\r\n")
    assert read_slips(replace(ARUBA, home=tmp_path)) == {"clm:scmin": (Slip.RATE, "of order T")}
