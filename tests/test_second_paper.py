"""The laboratory knows no paper: one in a user's folder goes through every command that takes a paper."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arubatheory.cli import AS_RECORDED, DIFFERS, USAGE, main

Captured = pytest.CaptureFixture[str]

START = r"""
from pathlib import Path

from arubatheory.statements.items import read_items
from arubatheory.statements.paper import Paper

TINY = Paper(
    name="tiny",
    title="A tiny paper",
    reference="nobody, 2026",
    items=read_items(Path(__file__).with_name("items.tsv")),
    sections={"tiny.tex": ("Section 1", "two inequalities")},
    modules=(f"{__name__}.s1_means",),
    folder=Path("tiny"),
)
"""
ITEMS = "file\tkind\tnumber\tslug\tparts\tnote\ntiny.tex\tlemma\t1\tlem:one\t\t\ntiny.tex\ttheorem\t2\tthm:two\t\t\n"
SECTION = r'''
from arubatheory.statements.claim import claims
from arubatheory.statements.core import Assumption, Instance, Sides

from . import TINY

claim = claims(TINY.items)


def pair(draw):
    return Instance(x=draw.real(-2, 2), y=draw.real(-2, 2))


@claim("lem:one", r"2xy\le x^2+y^2", pair, (Assumption(r"x\le2", lambda x: 2 - x.x),))
def one(x):
    """Two squares."""
    return Sides(2 * x.x * x.y, x.x * x.x + x.y * x.y)


@claim("lem:one/literal", r"4xy\le x^2+y^2", pair, uses=("lem:one",))
def literal(x):
    """Two squares, too strong."""
    return Sides(4 * x.x * x.y, x.x * x.x + x.y * x.y)
'''


@pytest.fixture
def paper(tmp_path: Path) -> str:
    """The folder of the paper."""
    folder = tmp_path / "papers" / "mine"
    folder.mkdir(parents=True)
    for name, text in {"__init__.py": START, "items.tsv": ITEMS, "s1_means.py": SECTION}.items():
        (folder / name).write_text(text)
    return str(folder)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: Captured, verb: str, *arguments: str) -> tuple[int, str]:
    code = main([verb, *arguments])
    return code, capsys.readouterr().out


def test_list_has_its_items(paper: str, root: Path, capsys: Captured) -> None:
    code, out = run(capsys, "list", "--paper", paper)
    assert code == AS_RECORDED
    assert "lem:one, lem:one/literal" in out and "thm:two" in out
    assert "1 of 2 items of the paper have a statement" in out


def test_verify_show_replay_and_report(paper: str, root: Path, capsys: Captured) -> None:
    tried = ("--paper", paper, "--budget", "150", "--jobs", "2", "--record", "--json")
    code, out = run(capsys, "verify", *tried)
    assert code == AS_RECORDED
    assert [json.loads(line)["status"] for line in out.splitlines()] == ["SURVIVED", "REFUTED"]
    assert (root / "tiny" / "ledger.csv").is_file() and not (root / "verification").exists()
    assert (root / ".cache" / "tiny" / "arubatheory.sqlite").is_file()
    assert not (root / ".cache" / "arubatheory.sqlite").exists()
    code, out = run(capsys, "show", "lem:one", "--paper", paper)
    assert code == AS_RECORDED
    assert "Two squares, too strong" in out and "used by: lem:one/literal" in out and "ledger: REFUTED" in out
    witness = root / "tiny" / "witnesses" / "lem-one--literal-simplest.json"
    code, out = run(capsys, "replay", str(witness), "--exact", "--paper", paper)
    assert code == AS_RECORDED and "agrees with the file" in out
    code, out = run(capsys, "report", "--paper", paper, "--output", "page.html")
    assert code == AS_RECORDED
    assert "A tiny paper" in (root / "page.html").read_text()


def test_a_difference_from_its_ledger_is_told(paper: str, root: Path, capsys: Captured) -> None:
    tried = ("lem:one/literal", "--paper", paper, "--budget", "150", "--jobs", "1")
    assert run(capsys, "verify", *tried, "--record")[0] == AS_RECORDED
    ledger = root / "tiny" / "ledger.csv"
    ledger.write_text(ledger.read_text().replace("REFUTED", "SURVIVED"))
    assert run(capsys, "verify", *tried)[0] == DIFFERS


def test_what_is_no_paper_is_named(root: Path, capsys: Captured) -> None:
    assert main(["list", "--paper", "nothing"]) == USAGE
    assert "cannot use the paper: paper must be one of aruba or a folder" in capsys.readouterr().err
    assert main(["show", "lem:two", "--paper", str(root)]) == USAGE
