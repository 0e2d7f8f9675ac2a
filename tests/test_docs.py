"""The documentation does what it says: blocks of code run, public names are described, links lead somewhere."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from doc_blocks import Block, Session, blocks, commands, first_missing, masked

import arubatheory
from arubatheory import testing
from arubatheory.cli.parser import VERBS
from arubatheory.statements.items import ITEMS

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
    assert len(skipped) <= 3, skipped


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


def test_every_public_name_has_a_docstring() -> None:
    missing = {
        relative(path): names
        for path in sorted((ROOT / "arubatheory").rglob("*.py"))
        if (names := undocumented(ast.parse(text_of(path))))
    }
    assert missing == {}


def test_the_coverage_can_fail() -> None:
    source = 'def f(): ...\ndef _g(): ...\nclass C:\n    """C."""\n    def m(self): ...\n    def _n(self): ...\n'
    assert undocumented(ast.parse(source)) == ["f", "C.m"]
    assert undocumented(ast.parse(source.replace("C:", "C(Protocol):"))) == ["f"]


def test_the_reference_has_the_public_names() -> None:
    page = text_of(DOCS / "reference.md")
    described = set(re.findall(r"^\| `(\w+)`", page, re.M))
    assert described == set(arubatheory.__all__) - {"__version__"}
    assert "automodule:: arubatheory.testing" in page
    assert all(getattr(testing, name).__doc__ for name in testing.__all__)


def test_the_command_line_page_has_every_verb() -> None:
    page = text_of(DOCS / "commands.md")
    assert re.findall(r"^\| `arubatheory (\w+)", page, re.M) == list(VERBS)


# what the site is made with ------------------------------------------------------------------------------------------
@pytest.fixture
def extensions(monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_every_part_of_the_paper_has_a_page_in_the_contents() -> None:
    sections = importlib.import_module("paper").SECTIONS
    files = list(dict.fromkeys(item.file for item in ITEMS))
    assert set(sections) == set(files)
    assert sorted(re.findall(r"^generated/paper-(\w+)$", text_of(DOCS / "paper.md"), re.M)) == sorted(
        file.removesuffix(".tex") for file in files
    )


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "README.md"], ids=relative)
def test_displayed_formulas_stand_in_paragraphs_of_their_own(page: Path) -> None:
    paragraphs = re.split(r"\n\s*\n", prose_of(page))
    assert [p for p in paragraphs if "$$" in p and not (p.strip()[:2] == p.strip()[-2:] == "$$")] == []


# links ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", prose_of(page))
    assert [t for t in targets if not (page.parent / t).exists()] == []
