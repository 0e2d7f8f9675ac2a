"""The command line on another paper: a folder of one's own, with its own record, store and page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from toy import run

from arubatheory import papers
from arubatheory.cli.codes import AS_RECORDED, DIFFERS, NOTHING, USAGE
from arubatheory.engines.source import Source
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger
from arubatheory.report.session import stored
from arubatheory.sources import renewed
from arubatheory.statements.paper import SHIPPED
from tests import house

ARUBAS = "arubatheory.papers.aruba"
Captured = pytest.CaptureFixture[str]
START = """
from pathlib import Path
from arubatheory.statements.claim import claims
from arubatheory.statements.items import read_items
from arubatheory.statements.paper import Paper

HOME = Path(__file__).parent
MINE = Paper(
    name="mine",
    title="Bounds of mine",
    reference="A. Author, 2026",
    items=read_items(HOME / "items.tsv"),
    sections={"one.tex": ("Section 1", "squares")},
    modules=tuple(f"{__name__}.{module}" for module in ("one", "two")),
    home=HOME,
    folder=HOME / "verification",
)
claim = claims(MINE.items)
"""
ITEMS = """file\tkind\tnumber\tslug\tparts\tnote
one.tex\ttheorem\t1\tthm:square\t\t
one.tex\tclaim\t2\tclm:cdual\t\t
"""
ONE = '''
from arubatheory.statements.core import Instance, Sides
from . import claim

def pair(draw):
    return Instance(x=draw.real(-2, 2), y=draw.real(-2, 2))

@claim("thm:square", r"2xy\\le x^2+y^2", pair)
def square(i):
    """A square is not negative.

    What is said of it.
    """
    return Sides(2 * i.x * i.y, i.x * i.x + i.y * i.y)

@claim("clm:cdual", r"4xy\\le x^2+y^2", pair, uses=("thm:square",))
def twice(i):
    """Twice as much is too much."""
    return Sides(4 * i.x * i.y, i.x * i.x + i.y * i.y)
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A paper with two items, whose claim has the label of one of ours, and a section without a statement."""
    monkeypatch.chdir(tmp_path)
    return written(tmp_path / "mine")


def written(home: Path, **files: str) -> Path:
    home.mkdir()
    for name, text in {"__init__": START, "one": ONE, "two": "", **files}.items():
        (home / f"{name}.py").write_text(text)
    (home / "items.tsv").write_text(ITEMS)
    return home


def verify(*args: str) -> int:
    return run("verify", "--paper", "mine", "--budget", "150", "--jobs", "1", *args)


def test_list(mine: Path, capsys: Captured) -> None:
    assert run("list", "--paper", "mine") == AS_RECORDED
    out = capsys.readouterr().out.splitlines()
    assert [line.split() for line in out[:2]] == [
        ["thm:square", "1", "theorem", "thm:square"],
        ["clm:cdual", "2", "claim", "clm:cdual"],
    ]
    assert out[3].startswith("2 of 2 items of the paper have a statement")
    assert run("list", "--paper", "mine", "thm:sqare") == USAGE
    assert "did you mean thm:square? `arubatheory list --paper mine` shows all" in capsys.readouterr().err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_false_claim_is_refuted_and_recorded_in_the_paper_s_folder(mine: Path, capsys: Captured, jobs: str) -> None:
    assert verify("--jobs", jobs) == AS_RECORDED
    seen = capsys.readouterr().out
    assert "2 statements: 1 REFUTED, 1 SURVIVED" in seen and "2 of 2 items of the paper have a verdict" in seen
    assert f"no {mine / 'verification' / 'ledger.csv'}: the ledger rule is off" in seen
    assert verify("--record", "--jobs", jobs) == AS_RECORDED
    rows = ledger.read(mine / "verification" / "ledger.csv")
    assert [(r.label, r.status) for r in rows.values()] == [("thm:square", "SURVIVED"), ("clm:cdual", "REFUTED")]
    kept = sorted(path.name for path in (mine / "verification" / "witnesses").iterdir())
    assert kept == ["clm-cdual-simplest.json", "clm-cdual-worst.json"]
    assert not Path("verification").exists()
    ledger.write(mine / "verification" / "ledger.csv", [r._replace(status="REFUTED") for r in rows.values()])
    assert verify() == DIFFERS


def test_show_replay_and_report(mine: Path, capsys: Captured) -> None:
    assert run("report", "--paper", "mine") == NOTHING
    assert "run `arubatheory verify --paper mine` first" in capsys.readouterr().err
    verify("--record")
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "replay" in line and "clm-cdual" in line)
    assert run(*line.split()[1:]) == AS_RECORDED
    assert "agrees with the file" in capsys.readouterr().out
    assert run("show", "--paper", "mine", "clm:cdual") == AS_RECORDED
    seen = capsys.readouterr().out
    for text in ("Twice as much is too much", "uses: thm:square", "verdict: REFUTED.", "ledger: REFUTED"):
        assert text in seen
    assert run("show", "--paper", "mine", "thm:square", "--json") == AS_RECORDED
    (shown,) = json.loads(capsys.readouterr().out)["statements"]
    assert (shown["kind"], shown["number"], shown["used_by"]) == ("theorem", "1", ["clm:cdual"])
    assert run("report", "--paper", "mine") == AS_RECORDED
    (page,) = Path("out").glob("mine-*/index.html")
    assert capsys.readouterr().out.splitlines()[-1] == f"page: {page.resolve()}"
    text = page.read_text(encoding="utf-8")
    assert "“Bounds of mine” (A. Author, 2026)" in text and ARUBA.title not in text
    assert "replay mine/verification/witnesses/clm-cdual-simplest.json --exact --paper mine" in text
    assert str(mine.parent) not in text


def test_equal_labels_of_two_papers_never_meet(mine: Path, capsys: Captured) -> None:
    verify("clm:cdual")
    run("show", "clm:cdual")
    assert "verdict: none stored" in capsys.readouterr().out
    assert run("verify", "--budget", "150", "--jobs", "1", "--engine", "check", "clm:cdual") == AS_RECORDED
    for options, status in ((["--paper", "mine"], "REFUTED"), ([], "SURVIVED")):
        capsys.readouterr()
        run("show", "clm:cdual", *options)
        assert f"verdict: {status}" in capsys.readouterr().out
    assert run("replay", ".cache/witnesses/clm-cdual-worst.json", "--paper", "mine") == USAGE


def test_an_edit_of_the_paper_is_seen(mine: Path) -> None:
    verify("clm:cdual")
    (mine / "two.py").write_text("# another source\n")
    renewed(mine / "__init__.py")  # as another process would
    source, statements = Source(name=str(mine)), papers.paper(mine).statements
    assert [o.current for o in stored(statements, Path(), source) if o.verdict] == [False]
    verify("clm:cdual")
    assert [o.current for o in stored(statements, Path(), source) if o.verdict] == [True]


def test_a_paper_is_named_by_any_path_to_it(mine: Path) -> None:
    found = papers.paper("mine")
    assert papers.paper(mine) is papers.paper("./mine/") is papers.paper(papers.name_of(found)) is found
    assert papers.option(found) == ["--paper", "mine"]
    assert papers.paper() is papers.paper(SHIPPED / "aruba") is ARUBA
    assert (papers.option(ARUBA), papers.option(None), ARUBA.shelf) == ([], [], Path())


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (None, "paper must be one of aruba, classics or a folder with an __init__.py, got 'bad'"),
        ("x = 1\n", "paper must hold one Paper value, got 0 in 'bad'"),
        (START + "\nfrom dataclasses import replace\nOTHER = replace(MINE)\n", "one Paper value, got 2 in 'bad'"),
        (START + "\nSAME = MINE\n1 / 0\n", "ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(0)\n", "SystemExit: 0"),
        (START.replace('"two"', '"three"'), "three"),
        (START.replace('"two"', '"one", "two"').replace("items.tsv", "none.tsv"), "none.tsv"),
    ],
)
def test_a_folder_that_is_no_good_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured, start: str | None, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if start:
        written(tmp_path / "bad", __init__=start)
    for verb in (["list"], ["verify"], ["show", "clm:cdual"], ["report"]):
        assert run(*verb, "--paper", "bad") == USAGE
        seen = capsys.readouterr()
        assert message in seen.err and len(seen.err.splitlines()) == 1
        assert seen.err.startswith("arubatheory: error: cannot use the paper ") and seen.out == ""


def test_a_section_that_is_no_good_is_a_usage_error(mine: Path, capsys: Captured) -> None:
    (mine / "two.py").write_text(ONE)
    assert verify() == USAGE
    assert "label must be given once, got 'thm:square' again" in capsys.readouterr().err
    assert run("verify", "--paper", "mine", "--file", "mine/one.py") == USAGE
    assert "--paper does not go with --file" in capsys.readouterr().err


def sections(*args: str) -> set[str]:
    """The modules with statements of ours that a command imports."""
    code = f"import sys\nfrom arubatheory.cli import main\nmain({list(args)!r})\n"
    code += "print(*sorted(sys.modules), file=sys.stderr)\n"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return set(done.stderr.split()) & set(ARUBA.modules)


def test_show_imports_the_sections_that_name_a_label_and_no_other(tmp_path: Path) -> None:
    root = ("--root", str(tmp_path))
    assert sections("show", *root, "text:multiplicative-weights") == {f"{ARUBAS}.a_background.ftrlomd"}
    users = ("s3_similarity.regret_upper_bound", "s4_adaptive.matrix", "s5_statistical.sampled", "f_growth.oracle")
    naming = {f"{ARUBAS}.{name}" for name in ("a_background.ftrlomd", *users)}
    assert naming <= sections("show", *root, "thm:ftrlomd") <= set(house.reached(naming, house.graph()))
    assert sections("completion", "bash") == sections("show", *root, "thm:nothing") == set()


def test_what_is_related_to_a_label_is_found_in_the_sections_that_name_it() -> None:
    related, fresh = ("uses", "corrects"), replace(ARUBA)
    for item in ARUBA.items:
        near = {s.label for s in fresh.related(item.slug)}
        whole = {s.label for s in ARUBA.statements if f"{s.label}/".startswith(f"{item.slug}/")}
        for s in ARUBA.statements:
            if s.label in whole or s.part_of in whole or any(whole & set(getattr(s, name)) for name in related):
                assert s.label in near
    assert list(ARUBA.labels) == [s.label for s in ARUBA.statements]
