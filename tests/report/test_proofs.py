"""What is proved, on record: the table, and what `show` says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arubatheory.cli import main
from arubatheory.papers.aruba import ARUBA, provable
from arubatheory.prove.statement import prove_gram
from arubatheory.report import proofs
from arubatheory.statements.untrusted import RecordError

ROOT = Path(__file__).resolve().parents[2]


def test_the_record_names_statements_and_no_scope_is_larger_than_a_game() -> None:
    rows = [row for row in proofs.TABLE.read(ROOT / proofs.location(ARUBA)) if row.method == "gram"]
    assert {row.label for row in rows} == set(provable.GAMES)
    assert all(row.slack == "0" for row in rows)
    assert {row.label for row in rows if row.extent == proofs.WHOLE} == {
        label for label, game in provable.GAMES.items() if game.startswith("= ")
    }


def test_a_certificate_is_a_row(tmp_path: Path) -> None:
    statement = ARUBA.statement("clm:cdual")
    assert statement is not None
    row = proofs.row_of(prove_gram(statement))  # type: ignore[arg-type]
    assert row[:4] == ("clm:cdual", "gram", "in part", "0")
    proofs.TABLE.write(tmp_path / "proofs.csv", [row])
    assert proofs.TABLE.read(tmp_path / "proofs.csv") == [row]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "prose"}, "unknown method 'prose'"),
        ({"extent": "all"}, "extent must be 'in full' or 'in part'"),
        ({"slack": "-1"}, "slack must be >= 0"),
    ],
)
def test_a_row_that_is_none_is_named(change: dict[str, str], message: str, tmp_path: Path) -> None:
    row = proofs.Proved("clm:cdual", "gram", "in part", "0", "", "every dimension")._replace(**change)
    proofs.TABLE.write(tmp_path / "proofs.csv", [row])
    with pytest.raises(RecordError, match=message):
        proofs.TABLE.read(tmp_path / "proofs.csv")


def test_show_says_what_is_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "lem:btl", "--root", str(ROOT)]) == 0
    assert "proved in part (gram" in capsys.readouterr().out
    assert main(["show", "text:tie-break/outside", "--root", str(ROOT), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["statements"][0]["proved"][0]["extent"] == "in full"
