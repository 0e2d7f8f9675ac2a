"""The recorded sharpness of bounds: intervals rounded outwards, guesses along sizes, the table and the sentence."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from arubatheory.engines.sharpen import Sharp
from arubatheory.engines.source import Source
from arubatheory.papers.aruba import ARUBA
from arubatheory.report.article import Beside
from arubatheory.report.page import beside_of
from arubatheory.report.sharp import TABLE, SharpRow, guesses, interval, sentence, worst
from arubatheory.statements.untrusted import RecordError
from verification.sharp import better, lines, rows_of, with_run

CURVE = [(n, (1 - n + math.sqrt(n * n + 6 * n + 1)) / 4) for n in range(1, 6)]
FOUND = [Sharp(n, x * (1 - 1e-9), x + 1e-6, 100, None, 9, 3) for n, x in CURVE]
ROWS = rows_of("thm:x", "factor", 1, "m", [*FOUND, Sharp(None, 0.8, 0.81, 200, None), Sharp(9, None, None, 7, None)])
ALONE = SharpRow("clm:y", "factor", "1", "", 0, "0.249999999", "0.250001", 9, 4, 4)


def test_rows_are_what_is_refuted_in_twelve_digits(tmp_path: Path) -> None:
    assert [row.value for row in ROWS] == [1, 2, 3, 4, 5, 0]
    assert ROWS[0] == SharpRow("thm:x", "factor", "1", "m", 1, "0.707106780479", "0.707107781187", 100, 9, 3)
    TABLE.write(tmp_path / "sharp.csv", ROWS)
    assert TABLE.read(tmp_path / "sharp.csv") == ROWS


@pytest.mark.parametrize(
    "row, message",
    [
        (ALONE._replace(value=-1), "value must be >= 0, got -1"),
        (ALONE._replace(refuted="0.3"), "clm:y: a factor of 0.3 is refuted, 0.250001 is said to survive"),
    ],
)
def test_rows_that_make_no_sense_are_named(tmp_path: Path, row: SharpRow, message: str) -> None:
    TABLE.write(tmp_path / "sharp.csv", [row])
    with pytest.raises(RecordError, match=message):
        TABLE.read(tmp_path / "sharp.csv")


def test_what_a_witness_refuted_stays_refuted() -> None:
    less, more = (ALONE._replace(refuted=x, survived="0.26", trials=n) for x, n in (("0.2", 1), ("0.255", 2)))
    assert better([ALONE], [less]) == [ALONE] and better([ALONE], [more]) == [more] and better([ALONE], []) == [ALONE]
    other = more._replace(printed="2"), more._replace(value=3), more._replace(constant="c")
    assert better([ALONE], other) == [ALONE] and better([], [more]) == []


def test_intervals_are_rounded_outwards() -> None:
    assert interval(ALONE) == "[0.249999, 0.250001]"
    assert interval(ALONE._replace(refuted="0.0231336999", survived="0.0231337")) == "[0.0231336, 0.0231337]"


def test_the_worst_size_is_the_first_that_has_the_largest_constant() -> None:
    assert worst(ROWS).value == 5
    assert worst([ROWS[0], ROWS[0]._replace(value=2, refuted="0.7071067804801")]).value == 1


def test_guesses_follow_the_curve_where_it_only_rises_or_falls() -> None:
    limit, guess = guesses(ROWS)
    assert guess == "$2 x^2 + n x - x - n = 0$" and limit.startswith("[0.8708, 1.0")
    shaken = [ROWS[1]._replace(value=1), ROWS[0]._replace(value=2), *ROWS[2:]]
    assert guesses(shaken) == ("", "")
    falling = [ALONE._replace(size="T", value=n, refuted=f"{0.5 / n**3:.12g}") for n in (1, 2, 3)]
    assert guesses(falling) == ("[0, 0.01852]", "")
    assert guesses([ALONE]) == ("", "1/4")


def test_the_table_and_the_sentence() -> None:
    head, rule, first, second = lines([*ROWS, ALONE])
    assert head.count("|") == rule.count("|") == first.count("|") == second.count("|") == 7
    assert first.startswith("| `thm:x` | 1 | [0.870828, 0.87083] | m = 5 | [0.8708, 1.0")
    assert second == "| `clm:y` | 1 | [0.249999, 0.250001] | no size |  | 1/4 |"
    assert sentence([ALONE]) == "Sharp factor in [0.249999, 0.250001] (printed: 1); a guess: 1/4."
    assert ", for m = 5; extrapolated limit [" in sentence(ROWS)


def test_a_worse_run_on_record_stands_in_the_row_for_all_sizes() -> None:
    assert with_run(ROWS, 0.79, 50) == ROWS
    *same, whole = with_run(ROWS, 0.95, 50)
    assert same == ROWS[:-1] and (whole.refuted, whole.survived) == ("0.94999999905", "0.950001")
    assert (whole.trials, whole.climbs) == (250, 0)
    assert with_run(ROWS[:-1], 0.95, 50) == ROWS[:-1]


def test_the_page_reads_the_table(tmp_path: Path) -> None:
    (tmp_path / "verification").mkdir()
    TABLE.write(tmp_path / TABLE.location(ARUBA), ROWS)
    beside = beside_of(tmp_path / "out" / "index.html", tmp_path, Source())
    assert isinstance(beside, Beside) and beside.sharp == {"thm:x": ROWS}
