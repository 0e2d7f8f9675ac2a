"""The command line on files that mean harm: one clear line, the exit code of that file, and the file as it was."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hostile import GOOD, LEDGERS, RAW, SOURCE, verdicts, witnesses
from toy import run, user_file, verdict, verify, witness

from arubatheory.cli.codes import AS_RECORDED, DIFFERS, INTERNAL, USAGE
from arubatheory.engines.units import Unit
from arubatheory.engines.verdict import Status
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import power, worst_cases
from arubatheory.report.store import Store, StoreError
from arubatheory.statements.untrusted import UNSEEN

Captured = pytest.CaptureFixture[str]
STORED = verdict("clm:scmin", Status.REFUTED, simplest=witness(), worst=witness())
STORE = Path(".cache/arubatheory.sqlite")


def refused(capsys: Captured, code: int, expected: int, *said: str) -> None:
    """The command ended with this code, said one line on stderr, and nothing else."""
    seen = capsys.readouterr()
    assert code == expected, seen
    assert seen.out == ""
    assert len(seen.err.splitlines()) == 1 and seen.err.startswith("arubatheory: error: "), seen.err
    assert len(seen.err) < 3000 and not UNSEEN.search(seen.err)
    for text in said:
        assert text in seen.err


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with a statement whose instances have every kind of part."""
    path = tmp_path_factory.mktemp("user") / "mine.py"
    path.write_text(SOURCE)
    return str(path)


# witnesses ----------------------------------------------------------------------------------------------------------


def test_the_witness_that_is_edited_is_in_order(user: str, tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "witness.json"
    path.write_text(json.dumps(GOOD))
    assert run("replay", str(path), "--file", user, "--exact") == AS_RECORDED
    assert "agrees with the file" in capsys.readouterr().out
    path.write_text(json.dumps({**GOOD, "instance": {**GOOD["instance"], "x": {"number": "-1/2"}}}))
    assert run("replay", str(path), "--file", user, "--exact") == DIFFERS


@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in witnesses(GOOD)])
def test_a_hostile_witness_is_corrupt(user: str, tmp_path: Path, capsys: Captured, data: bytes) -> None:
    path = tmp_path / "witness.json"
    path.write_bytes(data)
    for how in ([], ["--exact"]):
        refused(capsys, run("replay", str(path), "--file", user, *how), USAGE)
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (json.dumps(GOOD).encode() + b" " * (1 << 26), "it has more than 67,108,864 bytes"),
        (json.dumps(GOOD).encode() + b" " * (1 << 23), "it has more than 8,388,608 characters"),
        (RAW["a little too deep"], "its brackets are nested more than 32 deep"),
        (RAW["deep open arrays"], "its brackets are nested more than 32 deep"),
        (RAW["brackets after a string"], "its brackets are nested more than 32 deep"),
    ],
    ids=["bytes", "characters", "depth", "open", "after a string"],
)
def test_limits_hold_before_anything_is_parsed(
    user: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, data: bytes, said: str
) -> None:
    monkeypatch.setattr("json.loads", lambda text: pytest.fail("parsed"))
    path = tmp_path / "witness.json"
    path.write_bytes(data)
    refused(capsys, run("replay", str(path), "--file", user), USAGE, said)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to(path)], ids=["pipe", "circle"])
def test_what_is_no_file_is_no_witness(
    user: str, tmp_path: Path, capsys: Captured, make: Callable[[Path], Any]
) -> None:
    make(tmp_path / "witness.json")
    refused(capsys, run("replay", str(tmp_path / "witness.json"), "--file", user), USAGE, "witness.json")


def test_a_number_that_cannot_be_evaluated_is_no_failure_of_the_code(root: Path, capsys: Captured) -> None:
    Path("mine.py").write_text(
        user_file({"my:a": 4}).replace("        lhs,", "        1 // int(i.x != 9)\n        lhs,")
    )
    assert verify("--file", "mine.py") == DIFFERS
    path = Path(".cache/witnesses/my-a-simplest.json")
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "instance": {**data["instance"], "x": {"number": "9"}}}))
    capsys.readouterr()
    said = "its instance cannot be evaluated (ZeroDivisionError: "
    refused(capsys, run("replay", str(path), "--file", "mine.py", "--exact"), USAGE, said)


# stores -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A store with one verdict."""
    path = tmp_path_factory.mktemp("store") / "store.sqlite"
    with Store(path) as store:
        store.settle(STORED)
        store.keep(Unit("clm:scmin", "check", 150, 3), STORED, 1.0)
    return path.read_bytes()


def planted(content: bytes, **columns: Any) -> Callable[[], list[Any]]:
    """Put the store in place, with these columns; a function that looks at them again."""
    STORE.parent.mkdir()
    STORE.write_bytes(content)
    db = sqlite3.connect(STORE)
    for name, value in columns.items():
        raw = isinstance(value, str) and value.startswith("cast(")
        db.execute(f"UPDATE outcome SET {name} = {value if raw else '?'}", () if raw else (value,))
    db.commit()
    db.close()

    def look() -> list[Any]:
        db = sqlite3.connect(STORE)
        db.text_factory = bytes
        try:
            return db.execute("SELECT * FROM outcome").fetchall()
        finally:
            db.close()

    return look


@pytest.mark.parametrize("value", [pytest.param(value, id=name) for name, value in verdicts(STORED.to_json())])
def test_a_hostile_verdict_is_named(root: Path, kept: bytes, capsys: Captured, value: Any) -> None:
    look = planted(kept, verdict=value)
    before = look()
    refused(capsys, run("show", "clm:scmin"), INTERNAL, f"the store {STORE} cannot be used", "move it away")
    assert look() == before


@pytest.mark.parametrize("verb", [("report",), ("show", "clm:scmin", "--json")])
def test_every_verb_names_the_label_of_a_hostile_verdict(root: Path, kept: bytes, capsys: Captured, verb: Any) -> None:
    planted(kept, verdict=json.dumps({**STORED.to_json(), "worst_ratio": "x"}))
    said = "the stored verdict of clm:scmin cannot be read (worst_ratio must be a number or null, got 'x')"
    refused(capsys, run(*verb), INTERNAL, said)


def test_columns_beside_a_verdict_are_checked_too(root: Path, kept: bytes, capsys: Captured) -> None:
    planted(kept, digest=5.5)
    assert run("show", "clm:scmin") == AS_RECORDED  # a column of text makes text of it
    planted_again = sqlite3.connect(STORE)
    planted_again.execute("UPDATE outcome SET digest = x'00'")
    planted_again.execute("UPDATE unit SET seconds = 'soon'")
    planted_again.commit()
    planted_again.close()
    capsys.readouterr()
    refused(capsys, run("show", "clm:scmin"), INTERNAL, "digest must be a string")
    with Store(STORE) as store, pytest.raises(StoreError, match=r"of clm:scmin .*\(seconds must be a number"):
        store.done(Unit("clm:scmin", "check", 150, 3))


# ledgers and tables -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("data", "said"), LEDGERS.values(), ids=list(LEDGERS))
def test_a_hostile_ledger_is_named_and_left(root: Path, capsys: Captured, data: bytes, said: str) -> None:
    path = Path("verification/ledger.csv")
    path.parent.mkdir()
    path.write_bytes(data)
    refused(capsys, verify("clm:cdual", "--record"), INTERNAL, str(path), said)
    refused(capsys, run("show", "clm:cdual"), INTERNAL, str(path), said)
    assert path.read_bytes() == data and [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_folder_is_no_ledger_that_is_missing(root: Path, capsys: Captured) -> None:
    Path("verification/ledger.csv").mkdir(parents=True)
    refused(capsys, verify("clm:cdual"), INTERNAL, "cannot read verification/ledger.csv: it is not a regular file")


def test_a_ledger_of_another_system_is_read(root: Path, capsys: Captured) -> None:
    assert verify("clm:cdual", "--record") == AS_RECORDED
    path = Path("verification/ledger.csv")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    capsys.readouterr()
    assert verify("clm:cdual", "--json") == AS_RECORDED
    assert json.loads(capsys.readouterr().out)["ledger"] == "same"


HEADS = {power: "label,what,tried,check,search,rate,simulate", worst_cases: ",".join(worst_cases.TABLE.columns)}
TABLES = [
    *((power, f"thm,{cells}", said) for cells, said in (
        ("siblings,x,,,,", "invalid literal for int() with base 10: 'x'"),
        ("siblings,1,,,,", "no engine was asked"),
        ("sisters,1,1,,,", "unknown kind 'sisters'"),
        ("siblings,1", "as many cells as the head"),
        (f"siblings,{'9' * 5000},1,,,", "Exceeds the limit"),
    )),
    *((worst_cases, f"thm,ogd,{cells}", said) for cells, said in (
        ("linear,x,1,1,exact,,,1,,", "invalid literal for int()"),
        ("linear,1,one,1,exact,,,1,,", "could not convert string to float: 'one'"),
        ("linear,1,1,1,guessed,,,1,,", "unknown kind 'guessed'"),
        ("linear,1,1,1,exact,,,1,,,,,", "as many cells as the head"),
    )),
]  # fmt: off


@pytest.mark.parametrize(("table", "text", "said"), TABLES)
def test_a_hostile_table_is_named_before_the_work(
    root: Path, capsys: Captured, table: Any, text: str, said: str
) -> None:
    path = table.TABLE.location(ARUBA)
    path.parent.mkdir()
    path.write_text(f"{HEADS[table]}\n{text}\n")
    refused(capsys, verify("clm:cdual", "--page", "p.html"), INTERNAL, f"{path}, row 1: ", said)
    path.write_bytes(b"\xff\xfe")
    refused(capsys, verify("clm:cdual", "--page", "p.html"), INTERNAL, f"cannot read {path}: ")
    assert not Path("p.html").exists() and not STORE.exists()
    assert path.read_bytes() == b"\xff\xfe"


ENTRY: dict[str, Any] = {
    "name": "x",
    "kind": "figure",
    "title": "",
    "labels": [],
    "caption": "",
    "files": {"svg": "x.svg"},
}
INDICES = [
    *("", "{", "{}", "null", "[1]", "[[]]", "[" * 100_000, '[{"name": "x"}]', "\ufeff"),
    *(json.dumps([{**ENTRY, name: value}]) for name in ENTRY for value in (None, 1, [1], {"svg": 1})),
]


@pytest.mark.parametrize("text", INDICES, ids=range(len(INDICES)))
def test_a_hostile_index_of_figures_is_named_before_the_work(root: Path, capsys: Captured, text: str) -> None:
    path = Path("out/figures/index.json")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    refused(capsys, verify("clm:cdual", "--page", "p.html"), INTERNAL, f"cannot read the index of figures {path}: ")
    assert path.read_text() == text and not STORE.exists()
