"""The documentation does what it says: blocks of code run, public names are described, links lead somewhere."""

from __future__ import annotations

import ast
import importlib
import inspect
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from doc_blocks import Block, Session, blocks, commands, first_missing, masked

import arubatheory
from arubatheory import PAPER, testing
from arubatheory.arithmetic import Exact
from arubatheory.cli.parser import VERBS
from arubatheory.papers.aruba import ARUBA
from arubatheory.problems.draw import SCALE, Draw
from arubatheory.report.formula import mathml
from arubatheory.report.slips import read_slips
from arubatheory.statements.effort import BUDGETS, ENGINES

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(p for p in DOCS.rglob("*.md") if "generated" not in p.parts)]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose_of(path: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", text_of(path), flags=re.M | re.S)


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(text_of(p))], ids=relative)
def test_the_code_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    session = Session(capsys)
    for block in blocks(text_of(page)):
        session.run(block)


@pytest.fixture(autouse=True)
def forget_the_modules_of_a_page(tmp_path: Path) -> Iterator[None]:
    """What a page saves and imports is no module for the next one."""
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def test_hardly_anything_is_not_run() -> None:
    skipped = [relative(p) for p in PAGES for block in blocks(text_of(p)) if block.skipped]
    assert len(skipped) <= 5, skipped  # two need libraries that are no dependencies


# what runs the pages can fail ----------------------------------------------------------------------------------------
SAMPLE = """
```python
# a.py
x = 1
```

<!-- not run: it takes a day -->
```python
raise SystemExit
```

```console
$ arubatheory list 'thm:*'   # a comment
thm:general ...
$ echo $?
0
```
"""


def test_blocks_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    found = blocks(SAMPLE)
    assert [(b.language, b.skipped) for b in found] == [("python", False), ("python", True), ("console", False)]
    session = Session(capsys)
    for block in found:
        session.run(block)
    assert Path("a.py").read_text() == "x = 1\n"
    with pytest.raises(AssertionError, match=r"list \(exit code 0\) does not print 'thm:none'"):
        session.run(Block("console", "$ arubatheory list\nthm:none\n", False))
    with pytest.raises(AssertionError, match=r"the exit code is 0, the document says \['1'\]"):
        session.run(Block("console", "$ echo $?\n1\n", False))
    with pytest.raises(ZeroDivisionError):
        session.run(Block("python", "1 / 0\n", False))


def test_outputs_are_compared_up_to_digits() -> None:
    assert masked("  g = (-1/2, 1/4)   ratio 1.06e-03;  1-6.0e-08 ≈2.5 2,606") == masked("g = (1) ratio 2; 3 4 5")
    assert first_missing(["a ... 1.5", "b"], ["a x 2.25", "c", "b"]) is None
    assert first_missing(["b", "a"], ["a", "b"]) == "a"
    assert first_missing(["2 passed in ..."], ["12 passed in 0.1s", "3 passed in 0.1s"]) == "2 passed in ..."
    assert first_missing(["1 statement: 1 REFUTED; 5 trials"], ["1 statement: 1 REFUTED; 2,600 trials"]) is None
    assert first_missing(["1 statement: 1 REFUTED"], ["1 statement: 2 REFUTED"]) == "1 statement: 1 REFUTED"
    assert first_missing(["REFUTED 1"], ["SURVIVED 1"]) == "REFUTED 1"
    assert list(commands("$ one\n1\n$ two\n")) == [("one", ["1"]), ("two", [])]


# coverage ------------------------------------------------------------------------------------------------------------
def undocumented(tree: ast.Module) -> list[str]:
    """The public classes, functions and methods without a docstring; a protocol only repeats the names of others."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            found += [] if ast.get_docstring(node) else [node.name]
            if isinstance(node, ast.ClassDef) and "Protocol" not in map(ast.unparse, node.bases):
                methods = [m for m in node.body if isinstance(m, ast.FunctionDef) and not m.name.startswith("_")]
                found += [f"{node.name}.{m.name}" for m in methods if not ast.get_docstring(m)]
    return found


@pytest.mark.parametrize("folder", ["arubatheory", "figures", "practice", "verification", "benchmarks", "docs/_ext"])
def test_every_public_name_has_a_docstring(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    missing = {relative(path): names for path in files if (names := undocumented(ast.parse(text_of(path))))}
    assert missing == {}


def test_the_coverage_can_fail() -> None:
    source = 'def f(): ...\ndef _g(): ...\nclass C:\n    """C."""\n    def m(self): ...\n    def _n(self): ...\n'
    assert undocumented(ast.parse(source)) == ["f", "C.m"]
    assert undocumented(ast.parse(source.replace("C:", "C(Protocol):"))) == ["f"]


def test_the_reference_has_the_public_names() -> None:
    page = text_of(DOCS / "reference.md")
    described = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]+) \|", page, re.M))))
    assert described == {*arubatheory.__all__, "PAPER"} - {"__version__"}
    assert "automodule:: arubatheory.testing" in page
    assert all(getattr(testing, name).__doc__ for name in testing.__all__)


def test_the_table_of_draws_has_every_method() -> None:
    first = [row.strip("|").split("|")[0] for row in table(DOCS / "howto" / "draw.md")[2:]]
    named = dict(re.findall(r"draw\.(\w+)\(([^)]*)\)", " ".join(first)))
    methods = [name for name, f in vars(Draw).items() if callable(f) and not name.startswith("_")]
    assert sorted(named) == sorted(methods)
    for name in ("integer", "integers", "size", "choice", "unit", "real", "positive", "simplex", "rotation", "spd"):
        written = [p.split("=")[0].strip() for p in named[name].split(",") if p]
        assert written == list(inspect.signature(getattr(Draw, name)).parameters)[1:]
    assert f"low=-{SCALE}, high={SCALE}" in named["positive"]


def test_the_command_line_page_has_every_verb() -> None:
    page = text_of(DOCS / "commands.md")
    assert re.findall(r"^\| `arubatheory (\w+)", page, re.M) == list(VERBS)


def test_the_table_of_budgets_is_that_of_the_code() -> None:
    rows = [[cell.strip("` ") for cell in line.strip("|").split("|")] for line in table(DOCS / "howto" / "campaign.md")]
    engines = rows[0][1:]
    found = {row[0]: dict(zip(engines, (int(n.replace(",", "")) for n in row[1:]), strict=True)) for row in rows[2:]}
    assert found == {b: {name: engine.budgets[b] for name, engine in ENGINES.items()} for b in BUDGETS}


def table(page: Path) -> list[str]:
    """The lines of the first table of a page."""
    first = re.search(r"(?:^\|.*\|\n)+", prose_of(page), re.M)
    return first[0].splitlines() if first else []


def test_the_tutorial_quotes_the_errors_of_exact_numbers() -> None:
    page = " ".join(text_of(DOCS / "tutorial.md").split())
    for wrong in (lambda x: 0.5 * x, math.sqrt):
        with pytest.raises(TypeError) as error:
            wrong(Exact(2))
        assert f'"{error.value}"' in page


# what the site is made with ------------------------------------------------------------------------------------------
@pytest.fixture
def extensions(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx", reason="what makes the site is not installed (pip install 'arubatheory[docs]')")
    monkeypatch.syspath_prepend(DOCS / "_ext")


@pytest.mark.usefixtures("extensions")
@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        (r"$x\le 1$, `f` and 2*x of a_b.", r":math:`x\le 1`, ``f`` and 2\*x of a\_b."),
        ("m `x`s, $T$-th, ($x$)", r"m ``x``\ s, :math:`T`-th, (:math:`x`)"),
        ("$$a\n  = b$$ holds.", ":math:`a = b` holds."),
        ("Two:\n\n* `a` is\n  long;\n* b.", "Two:\n\n* ``a`` is long;\n* b."),
        ("As in\n\n    x = 1\n", "As in\n\n::\n\n    x = 1"),
    ],
)
def test_docstrings_become_restructured_text(docstring: str, expected: str) -> None:
    rst = importlib.import_module("docstrings").rst
    assert rst(docstring) == expected


@pytest.mark.usefixtures("extensions")
def test_the_corrections_name_what_falls_and_the_command_of_each_number() -> None:
    """Twelve printed pages have room for some fifty thousand characters."""
    text = importlib.import_module("corrections").document()
    assert len(text) < 45_000
    falls, sharper = (text.partition(f"## {head}")[2] for head in ("What falls, and", "What is sharper"))
    assert all(f"(`{slug}`; " in falls for slug in read_slips(ARUBA))
    entries = re.findall(r"^\* (.*)$", sharper, re.M)
    assert entries and all(re.search(r"worst ratio seen [^,]+, `arubatheory verify ", entry) for entry in entries)
    witnesses = re.findall(r"^\*Smallest witness\*.*$", falls, re.M)
    assert witnesses and all("`arubatheory replay " in line for line in witnesses)
    for formula in re.findall(r"\$([^$]+)\$", text):
        mathml(formula, macros=ARUBA.macros)


@pytest.mark.usefixtures("extensions")
def test_every_part_of_the_paper_has_a_page_in_the_contents() -> None:
    files = list(dict.fromkeys(item.file for item in ARUBA.everything))
    assert set(ARUBA.sections) == set(files)
    assert sorted(re.findall(r"^generated/paper-(\w+)$", text_of(DOCS / "paper.md"), re.M)) == sorted(
        file.removesuffix(".tex") for file in files
    )


@pytest.mark.usefixtures("extensions")
def test_the_pages_of_the_paper_show_no_source_and_link_to_what_is_there() -> None:
    paper = importlib.import_module("paper")
    nodes, rows, pages = paper.nodes, paper.ledger.find(ROOT, ARUBA) or {}, {}
    for item in ARUBA.everything:
        pages.setdefault(f"{paper._page(item.file)}.html", []).append(paper._item(item, rows))
    places = {
        f"{page}#{place}"
        for page, sections in pages.items()
        for section in sections
        for node in section.findall(nodes.Element)
        for place in node["ids"]
    }
    links = set()
    for section in (section for sections in pages.values() for section in sections):
        links |= {node["refuri"] for node in section.findall(nodes.reference)}
        texts = [t for t in section.findall(nodes.Text) if not isinstance(t.parent, (nodes.math, nodes.math_block))]
        assert [str(t) for t in texts if not isinstance(t.parent, nodes.literal) and set("$\\") & set(t)] == []
    assert links and links <= places


@pytest.mark.usefixtures("extensions")
def test_relations_of_statements_are_links() -> None:
    paper = importlib.import_module("paper")
    nodes = paper.nodes
    s = next(s for s in PAPER if s.corrects and s.uses)
    words = {p.astext().split()[0]: p for p in paper._details(s, None)}
    for word, labels in (("Corrects", s.corrects), ("Uses", s.uses)):
        assert [link.astext() for link in words[word].findall(nodes.reference)] == list(labels)
    mended = next(s for s in PAPER if s.label in paper.LABELS and paper._correcting(s))
    last = next(p for p in paper._details(mended, None) if p.astext().startswith("Corrected by"))
    assert [link.astext() for link in last.findall(nodes.reference)] == list(paper._correcting(mended))


def test_names_of_our_own_must_be_found() -> None:
    settings = {
        target.id: ast.unparse(node.value)
        for node in ast.parse(text_of(DOCS / "conf.py")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    names: dict[str, str] = {name: ast.literal_eval(settings[name]) for name in ("LIBRARIES", "ALIASES")}
    ignored = [re.compile(pattern) for _, pattern in eval(settings["nitpick_ignore_regex"], names)]

    def passes(name: str) -> bool:
        return any(pattern.fullmatch(name) for pattern in ignored)

    assert all(passes(name) for name in ("pathlib.Path", "numpy.ndarray", "Array", "arubatheory.kernel._x"))
    own = ("Statement", "statements.core.Statement", "arubatheory.kernel", "core.Sides", "arubatheory.testing.drawn")
    assert not any(passes(name) for name in own)


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "README.md"], ids=relative)
def test_displayed_formulas_stand_in_paragraphs_of_their_own(page: Path) -> None:
    paragraphs = re.split(r"\n\s*\n", prose_of(page))
    assert [p for p in paragraphs if "$$" in p and not (p.strip()[:2] == p.strip()[-2:] == "$$")] == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_pages_are_linked_as_github_can_follow(page: Path) -> None:
    assert re.findall(r"\{(?:doc|ref)\}`[^`]*`", prose_of(page)) == []


# links ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", prose_of(page))
    made = [t for t in targets if t.startswith("generated/")]  # by the build, which says what is missing
    assert [t for t in targets if t not in made and not (page.parent / t).exists()] == []
