"""Numbers that matter: counted over the record, and "any" on the page and in the errata for the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arubatheory.cli import main
from arubatheory.engines.witness_files import read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger
from arubatheory.report.errata import present
from arubatheory.report.plain import instance_lines
from arubatheory.report.simplicity import TABLE, SimplicityRow, free_of, location, told
from arubatheory.statements.untrusted import RecordError
from verification import simplicity as command

ROOT = Path(__file__).resolve().parents[2]
MEAN = ROOT / ARUBA.witnesses / "clm-mean-simplest.json"


def test_what_is_recorded_is_said_of_this_instance_only(tmp_path: Path) -> None:
    witness = read_witness(MEAN)
    row = SimplicityRow("clm:mean", told(witness), 16, 14, "y domain.center")
    TABLE.write(tmp_path / "simplicity.csv", [row])
    rows = TABLE.by_label(tmp_path / "simplicity.csv")
    assert rows == {"clm:mean": [row]} and free_of(rows, witness) == ("y", "domain.center")
    other = replace(witness, instance={**witness.instance, "y": {"number": "1"}})
    assert free_of(rows, other) == free_of({}, witness) == ()


def test_a_row_that_makes_no_sense_is_named(tmp_path: Path) -> None:
    TABLE.write(tmp_path / "simplicity.csv", [SimplicityRow("a", "b", 3, 4, "")])
    with pytest.raises(RecordError, match="matter must be >= 0 and <= 3, got 4"):
        TABLE.read(tmp_path / "simplicity.csv")


def test_the_command_counts_what_the_record_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = ("clm:mean", "clm:chernoff/proof-2", "clm:cdual")
    kept = [row for label, row in (ledger.find(ROOT, ARUBA) or {}).items() if label in labels]
    (tmp_path / ARUBA.witnesses).mkdir(parents=True)
    for name in (MEAN.name, "clm-chernoff--proof-2-simplest.json"):
        (tmp_path / ARUBA.witnesses / name).write_bytes((MEAN.parent / name).read_bytes())
    ledger.write(tmp_path / ARUBA.ledger, kept)
    before = present(ARUBA, tmp_path)
    monkeypatch.setattr(command, "HOME", tmp_path)
    assert command.main() == 0
    found = {row.label: (row.numbers, row.matter, row.free.split()) for row in TABLE.read(tmp_path / location(ARUBA))}
    assert found["clm:mean"][:2] == (16, 5) and "y" in found["clm:mean"][2]
    assert found["clm:chernoff/proof-2"] == (4, 1, ["points", "D", "delta"]) and len(found) == 2
    assert capsys.readouterr().out == (
        "2 witnesses with 20 numbers, of which 14 do not matter\nthat matter: median 1, 95 % 5, most 5\n"
    )
    assert "delta = any" in present(ARUBA, tmp_path) and "delta = any" not in before


def test_quantiles_are_values() -> None:
    assert [command.quantile([3, 1, 2, 9], share) for share in (0.5, 0.75, 0.95)] == [2, 3, 9]


def test_the_table_on_record_is_about_the_present_witnesses() -> None:
    for row in TABLE.read(ROOT / location(ARUBA)):
        name = row.label.replace(":", "-").replace("/", "--")
        assert told(read_witness(ROOT / ARUBA.witnesses / f"{name}-simplest.json")) == row.instance, row.label


def test_replay_says_any_in_exact_arithmetic_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(MEAN), "--exact"]) == 0
    said = capsys.readouterr().out
    assert "  y = any\n" in said and "  alpha = (2, -1)\n" in said and said.rstrip().endswith("both sides as they are")
    assert main(["replay", str(MEAN)]) == 0
    assert "any" not in capsys.readouterr().out


def test_any_stands_in_the_place_of_a_number_of_an_array() -> None:
    data = {"a": {"items": [{"array": ["1", "2", "3", "4"], "shape": [2, 2]}, {"number": "5"}]}}
    assert instance_lines(data, "", ("a[0][3]", "a[1]")) == ["a:", "  0 = (1, 2; 3, any)", "  1 = any"]
