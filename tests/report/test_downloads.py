"""The verdicts inside the page, as csv and json."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
from dataclasses import replace

from toy import TRUE, outcomes, verdict

from arubatheory.engines.verdict import Status
from arubatheory.papers.aruba import ARUBA
from arubatheory.report.downloads import COLUMNS, address, as_json, as_table, rows
from arubatheory.report.outcome import Outcome

EVIL = "<b>,\"'%41#&\n+ é"


def hrefs(found: list[Outcome]) -> list[str]:
    return [address(as_table(found, ARUBA)), address(as_json(found, ARUBA))]


def unpacked(address: str) -> str:
    """What the file holds that an address saves."""
    head, _, packed = address.partition(",")
    assert head == "data:application/gzip;base64"
    return gzip.decompress(base64.b64decode(packed)).decode()


def test_the_links_hold_the_verdicts() -> None:
    table, data = hrefs(outcomes())
    text = unpacked(table)
    assert text == as_table(outcomes(), ARUBA)
    read = list(csv.DictReader(io.StringIO(text)))
    assert [r["label"] for r in read] == [o.statement.label for o in outcomes()]
    assert [r["status"] for r in read] == ["SURVIVED", "REFUTED", "SUSPECT", "ERROR", "IDLE", ""]
    assert json.loads(unpacked(data)) == {"columns": list(COLUMNS), "data": rows(outcomes(), ARUBA)}


def test_any_label_survives_the_way() -> None:
    found = [
        Outcome(replace(TRUE, label="clm:cdual/<b>\"'%41#&+é", number=EVIL), verdict("x", Status.IDLE, found_by=EVIL))
    ]
    table, data = hrefs(found)
    (row,) = csv.DictReader(io.StringIO(unpacked(table)))
    assert (row["label"], row["number"], row["found_by"]) == (found[0].statement.label, EVIL, EVIL)
    assert json.loads(unpacked(data))["data"] == rows(found, ARUBA)


def test_an_infinite_ratio_is_a_word() -> None:
    found = [Outcome(TRUE, verdict("clm:cdual", Status.REFUTED, worst_ratio=float(x))) for x in ("inf", "-inf")]
    assert [row[COLUMNS.index("worst_ratio")] for row in rows(found, ARUBA)] == ["inf", "-inf"]


def test_what_is_undefined_has_no_ratio() -> None:
    """A side that is not a real number refutes; the worst ratio elsewhere is not that of the refutation."""
    (row,) = rows([Outcome(TRUE, verdict("clm:cdual", Status.REFUTED, kind="undefined", worst_ratio=0.14))], ARUBA)
    assert [row[COLUMNS.index(name)] for name in ("worst_ratio", "measure")] == [None, "undefined"]


def test_no_number_is_null_not_nan() -> None:
    nan = [Outcome(TRUE, verdict("clm:cdual", Status.SURVIVED, worst_ratio=float("nan")))]
    assert rows(nan, ARUBA)[0][COLUMNS.index("worst_ratio")] is None
