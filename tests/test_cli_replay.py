"""The command line: a witness looked at again, and the page of what is stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toy import run, verify

from arubatheory.cli.codes import AS_RECORDED, DIFFERS, USAGE

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def found(root: Path, capsys: Captured) -> Path:
    """The simplest witness of the false toy, after a run."""
    verify("clm:scmin", "clm:cdual")
    capsys.readouterr()
    return Path(".cache/witnesses/clm-scmin-simplest.json")


def test_replay_agrees_in_exact_arithmetic(found: Path, capsys: Captured) -> None:
    assert run("replay", str(found), "--exact") == AS_RECORDED
    out = capsys.readouterr().out
    assert "outcome  violated (rational arithmetic); the file says violated" in out
    assert "agrees with the file" in out
    x, y = (json.loads(found.read_text())["instance"][name]["number"] for name in "xy")
    assert out.endswith(f"\nthe instance:\n  x = {x}\n  y = {y}\n")


def test_a_replay_in_floats_compares_nothing(found: Path, capsys: Captured) -> None:
    wrong = edited(found, lambda data: data.update(lhs="0", rhs="5"))
    assert run("replay", wrong) == AS_RECORDED
    assert "nothing to compare: floats certify nothing, use --exact\n" in capsys.readouterr().out
    measured = edited(found, lambda data: data.update(certified="float", note="exponent 0.9"))
    assert run("replay", measured, "--exact") == AS_RECORDED
    assert "nothing to compare; measured: exponent 0.9\n" in capsys.readouterr().out


def edited(path: Path, edit: Callable[[dict[str, Any]], None]) -> str:
    data = json.loads(path.read_text())
    edit(data)
    target = path.with_name("edited.json")
    target.write_text(json.dumps(data))
    return str(target)


def test_replay_disagrees(found: Path, capsys: Captured) -> None:
    calm = edited(found, lambda data: data["instance"].update(x={"number": "0"}))
    assert run("replay", calm, "--exact") == DIFFERS
    assert "DISAGREES with the file, which says outcome violated, lhs " in capsys.readouterr().out


def test_a_replay_with_other_sides_disagrees(found: Path, capsys: Captured) -> None:
    other = edited(found, lambda data: data.update(lhs="123"))
    assert run("replay", other, "--exact") == DIFFERS
    assert "DISAGREES with the file, which says lhs 123\n" in capsys.readouterr().out


def test_a_replay_with_another_ratio_disagrees(found: Path, capsys: Captured) -> None:
    other = edited(found, lambda data: data.update(ratio=17.5))
    assert run("replay", other, "--exact") == DIFFERS
    assert "DISAGREES with the file, which says ratio 17.5\n" in capsys.readouterr().out


def test_replay_says_when_the_draws_do_not_make_the_instance(found: Path, capsys: Captured) -> None:
    assert run("replay", str(found), "--exact") == AS_RECORDED
    assert "rests on the margins alone" not in capsys.readouterr().out
    run("replay", edited(found, lambda data: data["instance"].update(x={"number": "0"})), "--exact")
    assert "rests on the margins alone" in capsys.readouterr().out


def test_replay_of_a_broken_assumption(found: Path, capsys: Captured) -> None:
    worst = found.with_name("clm-cdual-worst.json")
    outside = edited(worst, lambda data: data["instance"].update(x={"number": "9"}))
    assert run("replay", outside, "--exact") == DIFFERS
    assert "broke the assumption" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda data: data.pop("tape"), "corrupt witness file"),
        (lambda data: data["instance"].pop("x"), "corrupt witness: clm:scmin needs the parts"),
        (lambda data: data.update(label="my:own"), "the witness belongs to 'my:own', not to a known statement"),
    ],
)
def test_replay_of_a_corrupt_witness(found: Path, capsys: Captured, edit: Any, message: str) -> None:
    assert run("replay", edited(found, edit), "--exact") == USAGE
    assert message in capsys.readouterr().err


def test_report_writes_the_page_of_what_is_stored(found: Path, root: Path, capsys: Captured) -> None:
    assert run("report") == AS_RECORDED
    assert capsys.readouterr().out.splitlines()[-1] == f"page: {root / 'out' / 'index.html'}"
    text = (root / "out" / "index.html").read_text(encoding="utf-8")
    assert "replay .cache/witnesses/clm-scmin-simplest.json" in text
    assert "No verdict is stored for this statement." in text
    assert run("report", "--output", "elsewhere/page.html") == AS_RECORDED
    assert (root / "elsewhere" / "page.html").is_file()


def test_the_page_of_a_blind_run_says_so(root: Path, capsys: Captured) -> None:
    for options, said in (((), False), (("--blind",), True)):
        assert verify("clm:cdual", "--page", "p.html", *options) == AS_RECORDED
        assert ("a blind run" in (root / "p.html").read_text(encoding="utf-8")) is said


def test_verify_writes_the_page_too(root: Path, capsys: Captured) -> None:
    assert verify("clm:cdual", "--page", "p.html") == AS_RECORDED
    assert capsys.readouterr().out.splitlines()[-1] == f"page: {root / 'p.html'}"
    assert (root / "p.html").is_file()
