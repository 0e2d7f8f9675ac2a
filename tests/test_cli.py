"""The command line: every verb, every exit code, what is printed where, and that a killed run goes on where it was."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy import FALSE, TOYS, TRUE, run, user_file, verify

from arubatheory.cli import main
from arubatheory.cli.codes import AS_RECORDED, DIFFERS, INTERNAL, INTERRUPTED, NOTHING, USAGE
from arubatheory.cli.selection import select
from arubatheory.engines import pool
from arubatheory.engines.source import Source
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger

Captured = pytest.CaptureFixture[str]
KEYS = {
    **dict.fromkeys(("label", "number", "kind", "status", "measure", "found_by", "refutation", "engine"), str),
    **dict.fromkeys(("digest", "error", "measured", "ledger", "sentence", "proved", "unproved"), str),
    "notes": list,
    "reach": dict,
    "uncounted": dict,
    **dict.fromkeys(("proofs", "certificates"), list),
    **dict.fromkeys(("trials", "evaluations", "ties", "overruled", "budget", "seed"), int),
    **{"worst_ratio": float | None, "simplest": str | None, "worst": str | None, "seconds": float},
    "evaluations_per_second": float | None,
}


def lines(capsys: Captured) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def users(folder: Path, **factors: int) -> str:
    path = folder / f"{'_'.join(f'{name}{factor}' for name, factor in factors.items())}.py"
    path.write_text(user_file({f"my:{name}": factor for name, factor in factors.items()}))
    return str(path)


# usage -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "which verb?"),
        (["prove"], "invalid choice: 'prove'"),
        (["verify", "--jobs", "0"], "argument --jobs: must be an integer >= 1 and <= 256, got '0'"),
        (["verify", "--jobs", "two"], "argument --jobs: must be an integer >= 1 and <= 256, got 'two'"),
        (["verify", "--seed", "-1"], "argument --seed: must be an integer >= 0 and <= 9223372036854775807, got '-1'"),
        (["verify", "--jobs", "1000000"], "argument --jobs: must be an integer >= 1 and <= 256, got '1000000'"),
        (["verify", "--seed", f"{2**63}"], "<= 9223372036854775807, got '9223372036854775808'"),
        (["verify", "--timeout", "soon"], "argument --timeout: invalid float value: 'soon'"),
        (["verify", "--timeout", "-1"], "timeout must be a positive number of seconds, got -1.0"),
        (["verify", "--timeout", "nan"], "timeout must be a positive number of seconds, got nan"),
        (["verify", "--root", "nowhere"], "argument --root: must be an existing folder, got 'nowhere'"),
        (
            ["verify", "--budget", "huge"],
            "budget must be one of quick, standard, deep or a positive integer, got 'huge'",
        ),
        (["verify", "--budget", "0"], "budget must be one of quick, standard, deep or a positive integer, got 0"),
        (["verify", "--engine", "prayer"], "engine must be one of check, search, rate, simulate, prove, got 'prayer'"),
        (["verify", "thm:nothing"], "unknown label 'thm:nothing'; `arubatheory list` shows all"),
        (["verify", "clm:cdual", "thm:nothing"], "unknown label 'thm:nothing'"),
        (["verify", "--record", "--blind"], "--record does not go with --blind"),
        (["verify", "--record", "--file", "x.py"], "--record does not go with --file"),
        (["verify", "--file", "missing.py"], "cannot use the file missing.py: "),
        (["show", "thm:nothing"], "unknown label 'thm:nothing'"),
        (["list", "thm:nothing"], "unknown label 'thm:nothing'"),
        (["show", "clm:cdul"], "unknown label 'clm:cdul'; did you mean clm:cdual? `arubatheory list` shows all"),
        (["verify", "thm:copling"], "unknown label 'thm:copling'; did you mean thm:coupling? "),
        (["replay", "missing.json"], "there is no witness file 'missing.json'"),
        (["figures"], "there is no figures/ under ."),
    ],
)
def test_usage_errors(root: Path, capsys: Captured, args: list[str], message: str) -> None:
    assert run(*args) == USAGE
    seen = capsys.readouterr()
    assert message in seen.err
    assert "Traceback" not in seen.err
    assert seen.out == ""


def test_an_unknown_label_of_a_users_file_is_looked_for_there(root: Path, capsys: Captured) -> None:
    (root / "two.py").write_text(user_file({"my:first": 2, "my:other": 2}))
    for label, said in (("my:frist", "did you mean my:first? two.py"), ("thm:general", "'thm:general'; two.py")):
        assert verify("--file", "two.py", label) == USAGE
        assert f"{said} holds my:first, my:other" in capsys.readouterr().err


@pytest.mark.parametrize("stop", ["0", "'text'"])
def test_a_file_that_stops_the_interpreter_is_a_usage_error(root: Path, capsys: Captured, stop: str) -> None:
    (root / "stops.py").write_text(f"import sys\nsys.exit({stop})\n")
    assert run("verify", "--file", "stops.py") == USAGE
    assert f"cannot use the file stops.py: SystemExit: {stop.strip(chr(39))}" in capsys.readouterr().err


@pytest.mark.parametrize("args", [["verify", "lem:*"], ["verify", "thm:general"], ["list", "zzz*"], ["report"]])
def test_nothing_selected(root: Path, capsys: Captured, args: list[str]) -> None:
    assert run(*args) == NOTHING
    assert "error: n" in capsys.readouterr().err


def test_an_item_without_a_statement_is_said(root: Path, capsys: Captured) -> None:
    assert verify("thm:general", "clm:cdual") == AS_RECORDED
    assert "thm:general has no statement of its own" in capsys.readouterr().err


def test_a_label_selects_its_parts() -> None:
    labels = ["a:b", "a:b/c", "a:bd", "e:f/g"]
    assert select(["a:b"], labels) == ["a:b", "a:b/c"]
    assert select(["e:f"], labels) == ["e:f/g"]
    assert select(["*d", "a:b/*"], labels) == ["a:b/c", "a:bd"]
    assert select([], labels) == labels


# list and show -----------------------------------------------------------------------------------------------------


def test_list_shows_every_item_and_the_coverage(root: Path, capsys: Captured) -> None:
    assert run("list") == AS_RECORDED
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 97 + 2
    assert "4 of 97 items of the paper have a statement" in out
    assert run("list", "clm:*", "--json") == AS_RECORDED
    rows = lines(capsys)
    assert {r["label"]: r["statements"] for r in rows}["clm:cdual"] == ["clm:cdual"]
    assert set(rows[0]) == {"label", "kind", "number", "file", "parts", "coverage", "statements"}


def test_list_selects_by_the_labels_of_statements_too(root: Path, capsys: Captured) -> None:
    assert run("list", "*/omd", "--json") == AS_RECORDED
    assert [r["label"] for r in lines(capsys)] == ["thm:ftrlomd"]


def test_show_a_statement_before_and_after_a_run(root: Path, capsys: Captured) -> None:
    assert run("show", "clm:scmin") == AS_RECORDED
    out = capsys.readouterr().out
    for text in (
        "clm:scmin  (claim B.2, main reading)",
        FALSE.latex,
        "uses: clm:cdual",
        "verdict: none stored",
        "ledger: no row",
    ):
        assert text in out
    verify("--record")
    capsys.readouterr()
    assert run("show", "clm:scmin") == AS_RECORDED
    out = capsys.readouterr().out
    for text in ("verdict: REFUTED.", "simplest witness: .cache/witnesses/clm-scmin-simplest.json", "ledger: REFUTED"):
        assert text in out
    assert run("show", "clm:scmin", "--json") == AS_RECORDED
    (data,) = lines(capsys)
    (shown,) = data["statements"]
    assert data["item"]["slug"] == "clm:scmin"
    assert shown["verdict"]["status"] == shown["ledger"]["status"] == "REFUTED"
    assert shown["latex"] == FALSE.latex


def test_show_assumptions_relations_and_bare_items(root: Path, capsys: Captured) -> None:
    assert run("show", "clm:cdual") == AS_RECORDED
    out = capsys.readouterr().out
    assert f"assuming  {TRUE.assumptions[0].latex}" in out
    assert "used by: clm:scmin" in out
    assert run("show", "thm:ftrlomd") == AS_RECORDED
    assert "thm:ftrlomd/omd" in capsys.readouterr().out
    assert run("show", "thm:general") == AS_RECORDED
    assert "no statement of its own" in capsys.readouterr().out


# verify ------------------------------------------------------------------------------------------------------------


def test_json_has_one_object_for_each_statement(root: Path, capsys: Captured) -> None:
    assert verify("--json", "--seed", "5", "clm:cdual", "clm:scmin") == AS_RECORDED
    seen = capsys.readouterr()
    rows = [json.loads(line) for line in seen.out.splitlines()]
    assert [(r["label"], r["status"]) for r in rows] == [("clm:cdual", "SURVIVED"), ("clm:scmin", "REFUTED")]
    for row in rows:
        assert set(row) == set(KEYS)
        for key, kind in KEYS.items():
            assert isinstance(row[key], kind), key
        assert row["seed"] == 5
        assert row["ledger"] == "off"
        assert Path(row["worst"]).is_file()
    assert rows[0]["simplest"] is None
    assert rows[1]["simplest"] == ".cache/witnesses/clm-scmin-simplest.json"
    assert "[4/4]" in seen.err
    assert "the ledger rule is off" in seen.err


def test_the_table_and_the_closing_lines(root: Path, capsys: Captured) -> None:
    assert verify("clm:cdual", "clm:scmin") == AS_RECORDED
    out = capsys.readouterr().out
    assert "2 statements: 1 REFUTED, 1 SURVIVED" in out
    assert "2 of 97 items of the paper have a verdict" in out
    assert "arubatheory replay .cache/witnesses/clm-scmin-simplest.json --exact" in out


def test_engines_may_be_chosen(root: Path, capsys: Captured) -> None:
    assert verify("--json", "--engine", "check", "clm:cdual") == AS_RECORDED
    assert lines(capsys)[0]["engine"] == "check"
    assert verify("--json", "--engine", "check,search", "--engine", "check", "clm:cdual") == AS_RECORDED
    assert lines(capsys)[0]["engine"] == "check+search"


def test_what_is_stored_is_not_done_again_unless_fresh(
    root: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    real = pool.run_unit
    monkeypatch.setattr(pool, "run_unit", lambda s, u: (calls.append(u.engine), real(s, u))[1])
    runs = []
    for extra in ([], [], ["--fresh"], ["--blind"], ["--seed", "1"], []):
        assert verify("--json", "clm:scmin", *extra) == AS_RECORDED
        (row,) = lines(capsys)
        kept = {k: v for k, v in row.items() if "second" not in k and k not in ("simplest", "worst")}
        runs.append((len(calls), kept))
    assert [n for n, _ in runs] == [2, 2, 4, 6, 8, 8]
    assert runs[0][1] == runs[1][1] == runs[2][1] == runs[3][1] == runs[5][1]


def test_the_ledger_decides(root: Path, capsys: Captured) -> None:
    assert verify("--record", "clm:cdual", "clm:scmin") == AS_RECORDED
    rows = ledger.read(root / ARUBA.ledger)
    assert [(r.label, r.status, r.witness) for r in rows.values()] == [
        ("clm:cdual", "SURVIVED", ""),
        ("clm:scmin", "REFUTED", "clm-scmin-simplest.json"),
    ]
    kept = sorted(p.name for p in (root / ARUBA.witnesses).iterdir())
    assert kept == ["clm-scmin-simplest.json", "clm-scmin-worst.json"]
    assert verify("clm:cdual", "clm:scmin") == AS_RECORDED
    ledger.write(root / ARUBA.ledger, [r._replace(status="REFUTED") for r in rows.values()])
    capsys.readouterr()
    assert verify("clm:cdual", "clm:scmin") == DIFFERS
    assert "clm:cdual: the ledger says REFUTED, this run says SURVIVED" in capsys.readouterr().out
    assert main(["verify", "--budget", "149", "--jobs", "1", "clm:cdual"]) == AS_RECORDED
    assert "this run is weaker" in capsys.readouterr().out
    ledger.write(root / ARUBA.ledger, [rows["clm:cdual"]])
    assert verify("clm:scmin") == DIFFERS
    assert "clm:scmin is not in the ledger; this run says REFUTED" in capsys.readouterr().out
    assert verify("thm:ftrlomd") == AS_RECORDED
    assert "thm:ftrlomd/omd is not in the ledger; this run says SURVIVED" in capsys.readouterr().out


def test_recording_some_keeps_the_other_rows_and_their_notes(root: Path) -> None:
    verify("--record", "clm:cdual", "clm:scmin")
    rows = ledger.read(root / ARUBA.ledger)
    ledger.write(root / ARUBA.ledger, [r._replace(note=f"about {r.label}") for r in rows.values()])
    assert verify("--record", "--seed", "3", "clm:scmin", "clm:mean") == INTERNAL
    after = ledger.read(root / ARUBA.ledger)
    assert {k: (r.seed, r.note) for k, r in after.items()} == {
        "clm:cdual": ("0", "about clm:cdual"),
        "clm:scmin": ("3", "about clm:scmin"),
    }


def test_a_kept_witness_refutes_unless_blind(root: Path, capsys: Captured) -> None:
    verify("--record", "clm:scmin")
    capsys.readouterr()
    assert main(["verify", "--budget", "1", "--jobs", "1", "--engine", "search", "--json", "clm:scmin"]) == AS_RECORDED
    assert lines(capsys)[0]["status"] == "REFUTED"
    assert main(["verify", "--budget", "1", "--jobs", "1", "--engine", "search", "--json", "--blind", "clm:scmin"]) == 0
    assert lines(capsys)[0]["status"] in ("IDLE", "REFUTED")


def test_a_blind_run_leaves_what_is_shown_as_it_is(root: Path, capsys: Captured) -> None:
    verify("--record", "clm:scmin")
    capsys.readouterr()
    kept = {path: path.read_bytes() for path in sorted((root / ".cache" / "witnesses").glob("*.json"))}
    run("show", "clm:scmin")
    shown = capsys.readouterr().out
    assert kept and "verdict: REFUTED" in shown
    blind = ["verify", "--budget", "1", "--seed", "4", "--jobs", "1", "--engine", "search", "--json", "clm:scmin"]
    assert main([*blind, "--blind"]) == AS_RECORDED
    assert lines(capsys)[0]["status"] == "IDLE"
    assert {path: path.read_bytes() for path in sorted((root / ".cache" / "witnesses").glob("*.json"))} == kept
    run("show", "clm:scmin")
    assert capsys.readouterr().out == shown


def test_a_blind_run_alone_is_no_stored_verdict(root: Path, capsys: Captured) -> None:
    assert verify("--blind", "clm:scmin") == AS_RECORDED
    assert "arubatheory replay .cache/witnesses/blind/clm-scmin-simplest.json --exact" in capsys.readouterr().out
    assert run("replay", ".cache/witnesses/blind/clm-scmin-simplest.json", "--exact") == AS_RECORDED
    assert run("report") == NOTHING
    run("show", "clm:scmin")
    assert "verdict: none stored" in capsys.readouterr().out


def test_a_budget_that_an_engine_of_a_statement_cannot_work_with(root: Path, capsys: Captured) -> None:
    source = "from dataclasses import replace\nfrom arubatheory.statements.chance import Chance\n" + user_file(
        {"my:a": 2}
    )
    source += (
        "S0 = replace(S0, engines=('simulate',), chance=Chance(lambda i, rng, n: rng.random(n) - 1, lambda i: 0.5))\n"
    )
    (root / "sampled.py").write_text(source)
    assert main(["verify", "--budget", "5", "--file", "sampled.py"]) == USAGE
    assert "budget must be at least 32 for the engine simulate, got 5" in capsys.readouterr().err


def test_a_statement_that_no_engine_of_the_run_can_try_is_named(root: Path, capsys: Captured) -> None:
    only = 'replace(S1, engines=("search",))'
    source = "from dataclasses import replace\n" + user_file({"my:a": 2, "my:b": 2}) + f"S1 = {only}\n"
    (root / "two.py").write_text(source)
    assert verify("--engine", "check,rate", "--file", "two.py") == AS_RECORDED
    seen = capsys.readouterr()
    assert "1 statement: 1 SURVIVED" in seen.out
    assert "arubatheory: left out, as not for check, rate: my:b\n" in seen.err
    assert verify("--engine", "check", "--file", "two.py", "my:a") == AS_RECORDED
    assert "left out" not in capsys.readouterr().err
    many = "".join(f"T{k} = replace(S1, label='my:c{k}')\n" for k in range(22))
    (root / "many.py").write_text(source + many)
    assert verify("--engine", "check", "--file", "many.py") == AS_RECORDED
    assert ": my:b, my:c0, my:c1, " in (err := capsys.readouterr().err)
    assert "my:c18, 3 more\n" in err


def test_a_kept_witness_of_a_part_is_none_of_the_whole(root: Path, capsys: Captured, monkeypatch: Any) -> None:
    part = replace(FALSE, label="clm:cdual/literal")
    monkeypatch.setitem(vars(ARUBA), "statements", (*TOYS.values(), part))
    assert verify("--record", "clm:cdual") == AS_RECORDED
    assert verify("clm:cdual") == AS_RECORDED
    assert "2 statements: 1 REFUTED, 1 SURVIVED" in capsys.readouterr().out


def test_an_error_is_said_every_time_and_is_never_done(root: Path, capsys: Captured) -> None:
    for _ in range(2):
        assert verify("clm:mean", "clm:cdual") == INTERNAL
        seen = capsys.readouterr()
        assert "clm:mean: The code failed, not the claim. RuntimeError: the planted failure" in seen.out
        assert "clm:mean check ERROR" in seen.err


def test_a_users_file(root: Path, capsys: Captured) -> None:
    file = users(root, a=2, b=1)
    assert verify("--file", file, "--json") == AS_RECORDED
    assert [r["status"] for r in lines(capsys)] == ["SURVIVED", "SURVIVED"]
    file = users(root, a=2, b=3)
    assert verify("--file", file) == DIFFERS
    assert f"replay .cache/witnesses/my-b-simplest.json --exact --file {file}" in capsys.readouterr().out
    assert verify("--file", file, "my:a") == AS_RECORDED
    assert verify("--file", file, "my:c") == USAGE


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ("x = 1\n", NOTHING, "holds no Statement"),
        ("1 / 0\n", USAGE, "ZeroDivisionError: division by zero"),
        ("def f(:\n", USAGE, "SyntaxError"),
        (
            user_file({"my:a": 2}) + user_file({"my:a": 3}).replace("S0", "S1"),
            USAGE,
            "two statements with the label 'my:a'",
        ),
        (
            user_file({"my:a": 3, "my-a": 2}),
            USAGE,
            "the labels 'my:a' and 'my-a': the witnesses of both are my-a-*.json",
        ),
        (user_file({"a/b": 2, "a--b": 2}), USAGE, "the witnesses of both are a--b-*.json"),
    ],
)
def test_a_users_file_that_is_no_good(root: Path, capsys: Captured, source: str, code: int, message: str) -> None:
    (root / "bad.py").write_text(source)
    assert verify("--file", "bad.py") == code
    assert message in capsys.readouterr().err


def test_a_corrupt_store_or_ledger_is_one_clear_line(root: Path, capsys: Captured) -> None:
    (root / ".cache").mkdir()
    store = root / ".cache" / "arubatheory.sqlite"
    store.write_bytes(b"nonsense" * 100)
    for args in (["verify", "--budget", "9"], ["report"], ["show", "clm:cdual"]):
        assert run(*args) == INTERNAL
        err = capsys.readouterr().err
        assert err.startswith("arubatheory: error: the store .cache/arubatheory.sqlite cannot be used")
        assert len(err.splitlines()) == 1
    assert store.read_bytes() == b"nonsense" * 100
    store.unlink()
    (root / "verification").mkdir()
    (root / ARUBA.ledger).write_text("label\n")
    assert verify() == INTERNAL
    assert "ledger.csv has no column kind" in capsys.readouterr().err


def test_an_internal_error_shows_where(root: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(Source, "digest", fail)
    assert verify() == INTERNAL
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "internal error: RuntimeError('planted')" in err


def test_ctrl_c_elsewhere(root: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(source: Source) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(Source, "digest", stop)
    assert verify() == INTERRUPTED
    assert capsys.readouterr().err == "arubatheory: error: interrupted; what is finished is kept\n"


# figures, doctor -----------------------------------------------------------------------------------------------------


def test_figures_are_drawn_by_the_package_under_root(root: Path) -> None:
    folder = root / "figures"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "__main__.py").write_text("import sys; open('seen', 'w').write(' '.join(sys.argv[1:])); sys.exit(7)\n")
    assert run("figures", "one", "two") == 7
    assert (root / "seen").read_text() == "one two"


def test_doctor(root: Path, capsys: Captured) -> None:
    assert run("doctor") == AS_RECORDED
    out = capsys.readouterr().out
    for name in ("numpy", "kernels", "exact numbers", "kernel cache", "store", "ledger", "figures"):
        assert f"  {name} " in out
    assert "FAIL" not in out
    assert out.endswith("\neverything that is needed works\n")
    (root / ".cache").mkdir(exist_ok=True)
    (root / ".cache" / "arubatheory.sqlite").write_bytes(b"nonsense" * 100)
    assert run("doctor") == INTERNAL
    out = capsys.readouterr().out
    assert "FAIL  store" in out
    assert "-> move the file away" in out
    assert out.endswith("\ndoes not work: store\n")


def test_a_users_file_may_import_its_neighbours(root: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    (root / "apart").mkdir()
    (root / "apart" / "neighbour_of_mine.py").write_text(user_file({"my:a": 2}))
    (root / "apart" / "mine.py").write_text("from neighbour_of_mine import S0\n")
    assert main(["verify", "--budget", "150", "--jobs", "2", "--json", "--file", "apart/mine.py"]) == AS_RECORDED
    assert [r["status"] for r in lines(capsys)] == ["SURVIVED"]
