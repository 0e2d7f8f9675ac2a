"""What a newcomer meets who writes a bound of her own: each message, in full, where something is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from toy import run

from arubatheory import Instance
from arubatheory.cli.codes import AS_RECORDED, DIFFERS, INTERNAL, NOTHING, USAGE
from arubatheory.engines.source import Source
from arubatheory.testing import instances

Captured = pytest.CaptureFixture[str]
HEAD = """import numpy as np
from types import SimpleNamespace
from arubatheory import Sides, Statement, sqrt

def three(draw):
    return SimpleNamespace(x=draw.real(-1, 1, 3), n=draw.integer(2, 5))

def claim(label, sides, instance=three):
    return Statement(label=f"my:{label}", kind="claim", latex="x", instance=instance, sides=sides, title="A title")

"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(body: str, name: str = "mine.py") -> str:
    Path(name).write_text(HEAD + body)
    return name


def verify(file: str, *args: str) -> int:
    return run("verify", "--file", file, "--budget", "120", "--jobs", "1", *args)


# errors ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "def half(i):\n    return Sides(0.5 * i.x[0], 2)\nS = claim('s', half)\n",
            "TypeError: an Exact does not mix with float 0.5: write x / 2, not 0.5 * x "
            "(mine.py, line 12: return Sides(0.5 * i.x[0], 2)); use integers (p / q is a float), zeros, identity, "
            "sqrt, log, exp of arubatheory: exact in a statement's code",
        ),
        (
            "S = claim('s', lambda i: (1, 2))\n",
            "sides (mine.py, line 11) must return a Sides or a sequence of them, got (1, 2)",
        ),
        (
            "S = claim('s', lambda i: None)\n",
            "must return a Sides or a sequence of them, got None: write Sides(lhs, rhs)",
        ),
        ("S = claim('s', lambda i: Sides(i.x, 2))\n", "both sides (mine.py, line 11) must be numbers, got array(["),
        (
            "S = claim('s', lambda i: Sides(1, 2), lambda draw: {'x': draw.real()})\n",
            "instance (mine.py, line 11) must return an Instance, got dict {'x': 0.0}: write Instance(x=..., y=...)",
        ),
        (
            "S = claim('s', lambda i: Sides(np.linalg.inv(np.outer(i.x, i.x) + np.eye(3))[0, 0], 300))\n",
            "numpy.linalg knows floats only; solve, inverse, norm_at_most and largest_eigenvalue of arubatheory are",
        ),
        (
            "S = claim('s', lambda i: Sides(np.log(i.n) * i.x[0], 9))\n",
            "(mine.py, line 11: S = claim('s', lambda i: Sides(np.log(i.n) * i.x[0], 9))); np.sqrt, np.log, np.exp of "
            "Python's integers are floats: take those of arubatheory, or draw.number(n)",
        ),
        (
            "S = claim('s', lambda i: Sides(i.x, 5), lambda draw: SimpleNamespace(x=draw.real(0.01, 4)))\n",
            "got 0.01 and 4: a float is no exact number, write draw.number(p, q) or a Fraction (mine.py, line 11",
        ),
        ("S = claim('s', lambda i: Sides(np.sqrt(i.n), -1))\n", "a side left exact arithmetic, got the float64"),
        (
            "S = claim('s', lambda i: Sides(0, i.n / 7))\n",
            "p / q of two integers is one: write draw.number(p, q) or Fraction(p, q)",
        ),
    ],
)
def test_an_error_names_the_place_and_what_to_write(body: str, message: str, capsys: Captured) -> None:
    assert verify(written(body)) == INTERNAL
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("my:s:"))
    assert message in line


def test_the_innermost_of_the_author_s_lines_is_named(capsys: Captured) -> None:
    body = "def inner(x):\n    return 0.5 * x\n\ndef outer(i):\n    return Sides(inner(i.x[0]), 2)\n"
    assert verify(written(body + "S = claim('s', outer)\n")) == INTERNAL
    assert "(mine.py, line 12: return 0.5 * x)" in capsys.readouterr().out


def test_the_whole_traceback_on_request(capsys: Captured) -> None:
    file = written(
        "def deep(i):\n    return Sides(i.x[7], 2)\nS = claim('s', deep)\nT = claim('t', lambda i: Sides(0, 1))\n"
    )
    assert verify(file) == INTERNAL
    assert "Traceback" not in capsys.readouterr().err
    assert verify(file, "--traceback") == INTERNAL
    told = capsys.readouterr().err
    assert told.count("Traceback") == 1 and "in deep\n    return Sides(i.x[7], 2)" in told
    assert told.splitlines()[-1].startswith("IndexError: index 7 is out of bounds")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x = 1\ny = 1 / 0\n",
            "cannot use the file bad.py: ZeroDivisionError: division by zero (bad.py, line 2: y = 1 / 0)",
        ),
        ("x = (\n", "cannot use the file bad.py: SyntaxError: '(' was never closed (bad.py, line 1: x = ()"),
    ],
)
def test_a_file_that_cannot_be_imported_says_where(text: str, message: str, capsys: Captured) -> None:
    Path("bad.py").write_text(text)
    assert verify("bad.py") == USAGE
    assert capsys.readouterr().err == f"arubatheory: error: {message}\n"


def test_roots_of_plain_integers_are_exact(capsys: Captured) -> None:
    body = "S = claim('s', lambda i: Sides(sqrt(i.n) * i.x[0], sqrt(i.n * 4) / 2))\n"
    assert verify(written(body)) == AS_RECORDED
    assert "1 SURVIVED" in capsys.readouterr().out


@pytest.mark.parametrize(("factor", "status"), [("3", AS_RECORDED), ("4", DIFFERS)])
def test_a_minimum_may_start_from_infinity(factor: str, status: int, capsys: Captured) -> None:
    body = """
def least(i):
    best = float("inf")
    for x in i.x:
        best = x * x if x * x < best else best
    return Sides(FACTOR * best, i.x @ i.x)

A = claim("a", least)
"""
    assert verify(written(body.replace("FACTOR", factor)), "--budget", "300") == status
    assert f"1 {'SURVIVED' if status == AS_RECORDED else 'REFUTED'}" in capsys.readouterr().out


def test_drawn_numbers_are_collected_in_nested_lists(capsys: Captured) -> None:
    draw = "lambda draw: SimpleNamespace(A=draw.array([[draw.real(), 1], [0, draw.real()]]))"
    assert verify(written(f"S = claim('s', lambda i: Sides((i.A @ i.A)[0, 1], 2), {draw})\n")) == AS_RECORDED
    assert "1 SURVIVED" in capsys.readouterr().out


# what does not count -------------------------------------------------------------------------------------------------
def test_what_is_idle_says_why(capsys: Captured) -> None:
    file = written("from arubatheory import exp\nS = claim('s', lambda i: Sides(i.x[0], exp(1000 * i.n)))\n")
    assert verify(file) == AS_RECORDED
    said = "my:s: Fewer than 100 trials counted: nothing is said. 0 of 240 counted: a side is not finite in 2"
    assert said in capsys.readouterr().out


SKIPPING = """from arubatheory import NotAnInstance

def odd(draw):
    i = three(draw)
    if i.n % 2 == 0:
        raise NotAnInstance("n is even")
    return i

def apart(i):
    if i.x[0] == i.x[1]:
        raise NotAnInstance("two points coincide")
    return Sides(i.x[0], 2)

S = claim("s", apart, odd)
T = claim("t", lambda i: Sides(i.x[0], 0), odd)
"""


def test_what_is_no_instance_of_a_claim_is_counted_apart(capsys: Captured) -> None:
    file = written(SKIPPING)
    assert verify(file, "my:s", "--json") == AS_RECORDED
    seen = json.loads(capsys.readouterr().out)
    assert seen["status"] == "SURVIVED" and seen["evaluations"] == 240
    assert 200 <= seen["trials"] + sum(seen["uncounted"].values()) <= 240  # a few are asked for a gradient
    assert set(seen["uncounted"]) == {
        f"it is no instance of the claim: {x}" for x in ("n is even", "two points coincide")
    }
    assert verify(file, "my:t") == DIFFERS  # what refutes is an instance of the claim
    assert run("replay", ".cache/witnesses/my-t-simplest.json", "--exact", "--file", file) == AS_RECORDED
    assert "n = 3" in capsys.readouterr().out
    file = written(SKIPPING.replace("i.n % 2 == 0", "i.n < 9"))
    assert verify(file, "my:s") == AS_RECORDED
    message = "nothing is said. 0 of 240 counted: it is no instance of the claim: n is even in 2"
    assert f"my:s: Fewer than 100 trials counted: {message}" in capsys.readouterr().out
    run("show", "my:s", "--file", file)
    assert "left out: it is no instance of the claim: n is even in 2" in capsys.readouterr().out


def test_hypothesis_rejects_what_is_no_instance() -> None:
    statement = Source(Path(written(SKIPPING))).statements()["my:s"]
    seen = []

    @settings(max_examples=20, database=None, suppress_health_check=list(HealthCheck))
    @given(instances(statement))
    def collect(i: Instance) -> None:
        seen.append(i.n % 2)

    collect()
    assert set(seen) == {1}


def test_a_quick_verdict_says_so(capsys: Captured) -> None:
    file = written("S = claim('s', lambda i: Sides(i.x[0], 2))\n")
    assert run("verify", "--file", file, "--budget", "quick", "--jobs", "1") == AS_RECORDED
    assert "SURVIVED (quick)" in capsys.readouterr().out
    assert verify(file) == AS_RECORDED
    assert "SURVIVED (quick)" not in capsys.readouterr().out


# verbs -------------------------------------------------------------------------------------------------------------
WHOLE = "A = claim('a', lambda i: Sides(i.x[0], 1))\nB = claim('a/part', lambda i: Sides(i.x[0], 2))\n"


def test_a_file_is_listed(capsys: Captured) -> None:
    file = written(WHOLE)
    assert run("list", "--file", file) == AS_RECORDED
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["my:a", "claim", "A", "title"],
        ["my:a/part", "claim", "A", "title"],
    ]
    assert run("list", "my:a", "--only", "--json", "--file", file) == AS_RECORDED
    assert json.loads(capsys.readouterr().out) == {"label": "my:a", "kind": "claim", "title": "A title", "latex": "x"}
    assert run("list", "my:b", "--file", file) == USAGE


def test_a_label_without_its_parts(capsys: Captured) -> None:
    file = written(WHOLE)
    assert verify(file, "my:a", "--only") == AS_RECORDED
    assert "1 statement: 1 SURVIVED" in capsys.readouterr().out
    assert run("show", "my:a", "--only", "--file", file) == AS_RECORDED
    assert "my:a/part" not in capsys.readouterr().out
    assert run("show", "my:a", "--file", file) == AS_RECORDED
    assert "my:a/part" in capsys.readouterr().out


def test_verdicts_of_a_file_are_shown_and_reported(capsys: Captured) -> None:
    file, other = written(WHOLE), written(WHOLE.replace("], 1", "], -1"), "other.py")
    assert run("report", "--file", file) == NOTHING
    assert f"run `arubatheory verify --file {file}` first" in capsys.readouterr().err
    verify(file)
    verify(other)
    for name, status in ((file, "SURVIVED"), (other, "REFUTED")):
        capsys.readouterr()
        assert run("show", "my:a", "--only", "--file", name) == AS_RECORDED
        shown = capsys.readouterr().out
        assert f"verdict: {status}." in shown and "ledger" not in shown
        assert run("report", "--file", name) == AS_RECORDED
        page = Path("out") / Path(name).stem / "index.html"
        assert capsys.readouterr().out == f"page: {page.resolve()}\n" and "my:a/part" in page.read_text()
    assert run("show", "my:b", "--file", file) == USAGE
    assert f"unknown label 'my:b'; {file} holds my:a, my:a/part" in capsys.readouterr().err


PAIR = "A = claim('a', lambda i: Sides(i.x[0], -1))\nB = claim('a/part', lambda i: Sides(i.x[1], -1))\n"
KEPT = ".cache/witnesses"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((KEPT,), 4),
        ((f"{KEPT}/*-simplest.json",), 2),
        ((KEPT, "my:a"), 4),
        ((KEPT, "my:a", "--only"), 2),
        ((f"{KEPT}/*-worst.json", "my:a/*"), 1),
        ((f"{KEPT}/none-*.json",), 0),
    ],
)
def test_witnesses_are_replayed_by_folder_pattern_and_label(
    words: tuple[str, ...], found: int, capsys: Captured
) -> None:
    file = written(PAIR)
    assert verify(file) == DIFFERS
    capsys.readouterr()
    assert run("replay", *words, "--exact", "--file", file) == AS_RECORDED
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith(f"{found} of {found} ") and len(lines) == found + 1


def test_one_witness_and_errata_take_no_pattern(capsys: Captured) -> None:
    file = written(PAIR)
    verify(file)
    assert run("replay", f"{KEPT}/my-a-simplest.json", "my:a", "--file", file) == USAGE
    assert "patterns select among several witnesses, got .cache/witnesses/my-a-simplest.json" in capsys.readouterr().err
    assert run("report", "thm:ftrlomd", "--errata") == USAGE
    assert "--errata is of a whole paper" in capsys.readouterr().err


def test_a_page_of_what_is_selected(capsys: Captured) -> None:
    file = written(PAIR)
    verify(file)
    assert run("report", "my:a", "--only", "--file", file) == AS_RECORDED
    page = (Path("out") / "mine" / "index.html").read_text()
    assert "my:a" in page and "my:a/part" not in page
    assert run("report", "my:b", "--file", file) == USAGE


def test_the_doctor_looks_at_a_file(capsys: Captured) -> None:
    file = written(PAIR + "C = claim('c', lambda i: Sides(0.5 * i.x[0], 1))\n")
    assert run("doctor", "my:a", "--file", file) == AS_RECORDED
    assert "2 statements evaluate in floats and in exact numbers, which agree" in capsys.readouterr().out
    assert run("doctor", "my:a", "--only", "--file", file) == AS_RECORDED
    assert " 1 statements evaluate" in capsys.readouterr().out
    assert run("doctor", "--file", file) == INTERNAL
    told = capsys.readouterr().out
    assert "FAIL  my:c " in told and "(mine.py, line 13: C = claim('c', lambda i: Sides(0.5 * i.x[0], 1)))" in told
