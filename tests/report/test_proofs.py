"""What is proved, on record: the table, and what `show` says of it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from arubatheory.cli import main
from arubatheory.engines.witness_files import file_stem
from arubatheory.papers.aruba import ARUBA, provable
from arubatheory.prove import prove
from arubatheory.prove.certificate import read
from arubatheory.prove.replay import objections
from arubatheory.prove.statement import prove_gram
from arubatheory.report import ledger, proofs
from arubatheory.statements.untrusted import RecordError
from verification import proofs as command

ROOT = Path(__file__).resolve().parents[2]


def test_the_record_names_statements_and_no_scope_is_larger_than_a_game() -> None:
    rows = [row for row in proofs.TABLE.read(ROOT / proofs.TABLE.location(ARUBA)) if row.method == "gram"]
    assert {row.label for row in rows} == set(provable.GAMES)
    assert all(row.slack == "0" for row in rows)
    assert {row.label for row in rows if row.extent == proofs.WHOLE} == {
        label for label, game in provable.GAMES.items() if game.startswith("= ")
    }


def test_a_certificate_is_a_row(tmp_path: Path) -> None:
    statement = ARUBA.statement("clm:cdual")
    assert statement is not None
    row = command.row_of(prove_gram(statement))  # type: ignore[arg-type]
    assert row[:4] == ("clm:cdual", "gram", "in part", "0")
    proofs.TABLE.write(tmp_path / "proofs.csv", [row])
    assert proofs.TABLE.read(tmp_path / "proofs.csv") == [row]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "prose"}, "unknown method 'prose'"),
        ({"extent": "all"}, "extent must be 'in full', 'in part' or 'for small sizes'"),
        ({"slack": "-1"}, "slack must be >= 0"),
    ],
)
def test_a_row_that_is_none_is_named(change: dict[str, str], message: str, tmp_path: Path) -> None:
    row = proofs.Proved("clm:cdual", "gram", "in part", "0", "", "every dimension")._replace(**change)
    proofs.TABLE.write(tmp_path / "proofs.csv", [row])
    with pytest.raises(RecordError, match=message):
        proofs.TABLE.read(tmp_path / "proofs.csv")


def test_the_command_proves_writes_and_keeps_what_it_did_not_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "ROOT", tmp_path)
    table, other = (
        tmp_path / proofs.TABLE.location(ARUBA),
        proofs.Proved("lem:btl", "boxes", "in part", "0", "", "T = 2"),
    )
    table.parent.mkdir(parents=True)
    proofs.TABLE.write(table, [other, other._replace(label="clm:scmin", method="gram")])
    assert command.main(["clm:scmin", "--provers", "gram", "--record", "--output", str(tmp_path / "certificates")]) == 0
    said = capsys.readouterr().out
    assert "1 statements proved\n  in full: 0\n" in said and "by Gram, in every dimension: 1\n" in said
    rows = proofs.TABLE.read(table)
    assert [(row.label, row.method) for row in rows] == [("clm:scmin", "gram"), ("lem:btl", "boxes")]
    assert rows[0].scope.startswith("every dimension")
    assert [file.name for file in (tmp_path / "certificates").iterdir()] == ["clm-scmin-gram.json"]


def test_a_prover_that_there_is_not_is_named() -> None:
    statement = ARUBA.statement("clm:cdual")
    assert statement is not None
    with pytest.raises(ValueError, match="provers must be some of gram, paths, got 'prose'"):
        prove(statement, provers=["prose"])


def test_show_says_what_is_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "lem:btl", "--root", str(ROOT)]) == 0
    assert "proved in part (gram" in capsys.readouterr().out
    assert main(["show", "text:tie-break/outside", "--root", str(ROOT), "--json"]) == 0
    proved = json.loads(capsys.readouterr().out)["statements"][0]["proved"]
    assert {row["method"]: row["extent"] for row in proved}["gram"] == "in full"


def test_table_ledger_and_certificates_on_record_agree() -> None:
    rows = proofs.TABLE.read(ROOT / proofs.TABLE.location(ARUBA))
    on_file = sorted((ROOT / ARUBA.certificates).glob("*.json"))
    assert [path.name for path in on_file] == sorted(f"{file_stem(r.label)}-{r.method}.json" for r in rows)
    known = ledger.find(ROOT, ARUBA)
    assert known is not None
    assert {label for label, row in known.items() if row.proved} == {row.label for row in rows}
    full = {row.label for row in rows if row.extent == proofs.WHOLE}
    assert {label for label, row in known.items() if row.status == "PROVED"} == full


@pytest.mark.parametrize("seed", range(6))
def test_certificates_on_record_stand(seed: int) -> None:
    """All of them: python -m verification.proofs --again (a minute)."""
    small = [path for path in sorted((ROOT / ARUBA.certificates).glob("*.json")) if path.stat().st_size < 20_000]
    proof = read(random.Random(seed).choice(small))
    statement = ARUBA.statement(proof.label)
    assert statement is not None
    assert objections(proof, statement) == []
    rows = proofs.TABLE.of(ARUBA, ROOT)[proof.label]
    assert command.row_of(proof) in rows


def test_what_is_on_record_is_counted_by_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--counts"]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    counts = {kind.strip("- "): int(n) for kind, n in (line.split(":") for line in lines)}
    rows = proofs.TABLE.read(ROOT / proofs.TABLE.location(ARUBA))
    assert int(heading.split()[0]) == len({row.label for row in rows})
    assert counts["in full"] == len({row.label for row in rows if row.extent == proofs.WHOLE})
    beyond = {row.label for row in rows if row.extent != proofs.SMALL}
    assert counts["for a shape with sizes of 2 and more, or in full"] == len(beyond)
    assert counts["for small sizes only"] == len({row.label for row in rows} - beyond)
    assert counts["by identities"] >= 29 and counts["by boxes"] >= 20 and counts["by Gram, in every dimension"] >= 30


@pytest.mark.parametrize(("label", "identity"), [("prp:expconcave/proof-2", True), ("prp:expconcave/proof-10", False)])
def test_an_identity_is_one_on_every_path(label: str, identity: bool) -> None:
    statement = ARUBA.statement(label)
    assert statement is not None
    (proof,) = command.kept(statement, {"algebra"})
    assert command.is_identity(proof) is identity


def test_what_is_on_record_stays_unless_as_much_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    statement = ARUBA.statement("alg:aruba/fedavg/corrected")
    assert statement is not None
    (old,) = command.kept(statement, {"algebra"})
    cells = old.data["cells"]
    less, more = old._replace(data={"cells": cells[1:]}), old._replace(data={"cells": [*cells, cells[0]]})
    boxes = less._replace(method="boxes")
    for found, best in (([], [old]), ([less], [old]), ([more], [more]), ([boxes], [boxes, old])):
        assert command.larger(found, statement, False, {"algebra"}) == best
    monkeypatch.setattr(command, "objected", lambda *_: ["it is rejected now"])
    assert command.larger([less], statement, False, {"algebra"}) == [less]
