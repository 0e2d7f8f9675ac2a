"""From a source to a folder, from stubs to verdicts, and from one version of a paper to the next."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from arubatheory import papers
from arubatheory.cli import main
from arubatheory.cli.codes import AS_RECORDED, DIFFERS, NOTHING, USAGE
from arubatheory.papers.aruba import ARUBA
from arubatheory.scaffold.folder import quoted, raw
from arubatheory.statements.items import Covered

Captured = pytest.CaptureFixture[str]
SOURCE = r"""\documentclass{article}
\newtheorem{thm}{Theorem}[section]
\newcommand{\half}{\frac12}
\newcommand{\pair}[2][x]{\langle#1,#2\rangle}
\title{Two \emph{squares}}\author{A. Author}
\begin{document}
\section{Means}
\begin{thm}[Means]\label{thm:means} For all $x$ and $y$, $$2xy\le x^2+y^2.$$\end{thm}
\section{"Quoted" \& more}
\begin{thm}\label{thm:twice} Even $4xy\le x^2+y^2$.\end{thm}
\begin{thm} Nothing is said.\end{thm}
\end{document}
"""
GAME = "def pair(draw: Draw) -> Instance:\n    return Instance(x=draw.real(-2, 2), y=draw.real(-2, 2))\n\n\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("paper.tex").write_text(SOURCE)


def run(*args: str) -> int:
    return main([*args])


def verify(name: str, *args: str) -> int:
    return run("verify", "--paper", name, "--budget", "120", "--jobs", "1", *args)


def claimed(name: str, module: str, stub: str, factor: int) -> None:
    """Put a claim in the place of a stub."""
    path = Path(name) / f"{module}.py"
    head, found, rest = path.read_text().partition(f'@stub("{stub}"')
    assert found
    decorator, body = rest.split("\n", 1)
    sides = f"return Sides({factor} * x.x * x.y, x.x * x.x + x.y * x.y)"
    rest = f"{decorator[:-1]}, pair)\n" + body.replace("raise NotImplementedError", sides, 1)
    path.write_text(f'{head}{GAME}@claim("{stub}"{rest}')


def test_a_folder_is_made_and_lists_no_statement(capsys: Captured) -> None:
    assert run("new", "paper.tex", "squares") == AS_RECORDED
    said = capsys.readouterr().out
    assert "1    Means: 1" in said and "3 items, 1 of them without a label in the source: 7 files in squares" in said
    assert "macros with arguments are left to you: pair" in said
    assert run("list", "--paper", "squares") == AS_RECORDED
    rows = [line.split(maxsplit=3) for line in capsys.readouterr().out.splitlines()[:3]]
    assert [row[:3] for row in rows] == [
        ["thm:means", "1.1", "theorem"],
        ["thm:twice", "2.1", "theorem"],
        ["thm:2.2", "2.2", "theorem"],
    ]
    assert rows[0][3] == "no statement: a stub in s1_means.py, line 20"
    assert verify("squares") == NOTHING
    assert "no item has a statement yet; write claim in the place of a stub" in capsys.readouterr().err
    assert verify("squares", "thm:means") == NOTHING
    paper = papers.paper("squares")
    assert (paper.title, paper.reference, paper.macros) == ("Two squares", "A. Author", {"half": r"\frac12"})
    assert paper.coverage().count(Covered.TO_COME) == 3 and not paper.statements
    for name in ("README.md", ".github/workflows/verify.yml", ".pre-commit-config.yaml"):
        assert "@" not in (Path("squares") / name).read_text().replace("actions/checkout@v4", "").replace(
            "actions/setup-python@v5", ""
        ).replace("actions/upload-artifact@v4", "")


def test_a_folder_is_never_written_over(capsys: Captured) -> None:
    Path("paper").mkdir()
    assert run("new", "paper.tex") == AS_RECORDED
    before = (Path("paper") / "s1_means.py").read_text()
    assert run("new", "paper.tex") == USAGE
    assert "paper is there already: name another folder" in capsys.readouterr().err
    assert (Path("paper") / "s1_means.py").read_text() == before
    assert run("new", "none.tex") == USAGE
    Path("bad.tex").write_text("\n\\begin{thm}")
    assert run("new", "bad.tex") == USAGE
    assert "bad.tex, line 2: " in capsys.readouterr().err and not Path("bad").exists()


def test_stubs_become_verdicts_errata_and_a_page(capsys: Captured) -> None:
    run("new", "paper.tex")
    claimed("paper", "s1_means", "thm:means", 2)
    claimed("paper", "s2_quoted_more", "thm:twice", 4)
    assert verify("paper", "--record") == AS_RECORDED
    said = capsys.readouterr().out
    assert "2 statements: 1 REFUTED, 1 SURVIVED" in said and "2 of 3 items of the paper have a verdict" in said
    assert run("report", "--paper", "paper") == AS_RECORDED
    page = Path(capsys.readouterr().out.removeprefix("page: ").strip()).read_text()
    assert "“Two squares” (A. Author)" in page and "thm:2.2" in page and "<svg" in page
    assert run("report", "--errata", "--paper", "paper") == AS_RECORDED
    errata = (Path("paper") / "verification" / "ERRATA.md").read_text()
    assert "thm:twice" in errata and r"4xy\le x^2+y^2" in errata
    assert "thm:means" not in errata and str(Path.cwd()) not in errata
    assert "Made by `arubatheory report --paper paper --errata` from `ledger.csv`" in errata
    assert run("replay", "paper/verification/witnesses", "--exact", "--paper", "paper") == AS_RECORDED
    assert "2 of 2 witnesses say what their files say" in capsys.readouterr().out
    path = Path("paper/verification/witnesses/thm-twice-worst.json")
    path.write_text(path.read_text().replace('"certified": "violated"', '"certified": "holds"'))
    assert run("replay", "paper/verification/witnesses", "--exact", "--paper", "paper") == DIFFERS
    assert "1 of 2 witnesses" in capsys.readouterr().out
    assert run("replay", "paper", "--paper", "paper") == NOTHING


def test_two_versions_are_compared(capsys: Captured) -> None:
    for name, factor in (("v1", 4), ("v2", 2)):
        run("new", "paper.tex", name)
        claimed(name, "s2_quoted_more", "thm:twice", factor)
    claimed("v2", "s1_means", "thm:means", 2)
    assert run("compare", "v1", "v2") == USAGE
    assert "there is no ledger " in capsys.readouterr().err
    for name in ("v1", "v2"):
        verify(name, "--record")
    capsys.readouterr()
    assert run("compare", "v1", "v2") == DIFFERS
    assert (
        capsys.readouterr().out == "thm:means: new, SURVIVED\nthm:twice: REFUTED -> SURVIVED\n2 changed, 0 as before\n"
    )
    assert run("compare", "v2", "v1/verification/ledger.csv", "--json") == DIFFERS
    assert '{"label": "thm:means", "before": "SURVIVED", "after": ""}' in capsys.readouterr().out
    assert run("compare", "v2", "v2") == AS_RECORDED
    assert capsys.readouterr().out == "0 changed, 2 as before\n"
    assert run("compare", "v1", "v2", "thm:twice") == DIFFERS
    assert capsys.readouterr().out == "thm:twice: REFUTED -> SURVIVED\n1 changed, 0 as before\n"
    assert run("compare", "v2", "v2", "thm:tw*", "--only") == AS_RECORDED
    assert capsys.readouterr().out == "0 changed, 1 as before\n"


def test_errata_of_a_shipped_paper_are_those_of_its_script(capsys: Captured) -> None:
    root = Path(__file__).resolve().parents[2]
    assert run("report", "--errata", "--output", "e.md", "--root", str(root)) == AS_RECORDED
    assert Path("e.md").read_text() == (root / ARUBA.errata).read_text()


@pytest.mark.parametrize("text", ["a", r"\le", 'a "b"', "it's", r"\"both\" and 'x'", "ends in \\", "two\nlines", ""])
def test_any_text_is_quoted(text: str) -> None:
    for written in (raw(text), raw(text, docstring=True), quoted(text)):
        assert ast.literal_eval(written) == text


# pytest ------------------------------------------------------------------------------------------------------------
def collected(*args: str) -> tuple[int, str]:
    options = [
        "-p",
        "arubatheory.plugin",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-c",
        "/dev/null",
        "--rootdir",
        ".",
        "--assert=plain",  # to rewrite those of the package takes longer than the tests
    ]
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", *options, *args], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_statements_are_pytest_s_tests() -> None:
    head = "from arubatheory import Instance, Sides, Statement\n"
    body = "def pair(draw):\n    return Instance(x=draw.real(-1, 1))\n"
    for label, rhs in (("true", "1"), ("false", "i.x * i.x"), ("wrong", "0.5 * i.x")):
        body += f"{label} = Statement('my:{label}', 'claim', 'x', pair, lambda i: Sides(i.x, {rhs}))\n"
    Path("mine.py").write_text(head + body)
    Path("broken.py").write_text("import arubatheory\n1 / 0\n")
    code, said = collected(
        "mine.py", "broken.py", "--statements", "--statements-budget", "120", "--continue-on-collection-errors"
    )
    assert code == 1 and "2 failed, 1 passed, 2 errors" in said
    assert "my:false is REFUTED" in said and "again     arubatheory replay" in said and "Traceback" not in said
    assert "mine.py, line 6: wrong = Statement(" in said
    assert "cannot use broken.py: ZeroDivisionError: division by zero (broken.py, line 2: 1 / 0)" in said
    assert collected("mine.py")[0] == 5  # without the option, nothing is collected


def test_the_claims_of_a_folder_are_pytest_s_tests() -> None:
    run("new", "paper.tex")
    claimed("paper", "s1_means", "thm:means", 2)
    code, said = collected("paper", "--statements", "--statements-budget", "120", "-vv")
    assert code == 0 and "thm:means PASSED" in said and "1 passed" in said


def test_the_plugin_is_an_entry_point() -> None:
    text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\n"arubatheory.plugin" = "arubatheory.plugin"' in text
