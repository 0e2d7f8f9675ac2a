"""A table of readings: what the paper does not claim, and what symbols stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from arubatheory.papers.aruba import ARUBA
from arubatheory.papers.aruba.claim import READINGS
from arubatheory.statements.claim import NOT_PRINTED
from arubatheory.statements.readings import Meaning, read_readings

HEAD = "label\twhose\twhere\n"


def test_a_table_is_read(tmp_path: Path) -> None:
    path = tmp_path / "readings.tsv"
    path.write_text(f"{HEAD}a:b\t\tx is 1\na:c\tours\t\n")
    assert read_readings(path) == {"a:b": Meaning(True, "x is 1"), "a:c": Meaning(False, "")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("label\twhere\n", r"readings\.tsv must have the columns"),
        (f"{HEAD}a:b\ttheirs\t\n", r"line 2: a row must be a label, '' or 'ours', and words, got"),
        (f"{HEAD}a:b\t\n", r"line 2: a row must have 3 cells, got 2"),
        (f"{HEAD}a:b\t\tx\na:b\t\ty\n", r"line 3: a label must be given once, got 'a:b'"),
        (f"{HEAD}\t\tx\n", r"line 2: a label must be given once, got ''"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "readings.tsv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_readings(path)


def test_every_reading_is_of_a_statement_that_says_it() -> None:
    by_label = {s.label: s for s in ARUBA.statements}
    for label, reading in READINGS.items():
        assert by_label[label].where == reading.where
        assert reading.is_printed or by_label[label].kind == NOT_PRINTED
