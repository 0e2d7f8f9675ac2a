"""Which files a result comes from, and that none is kept under a digest that is not its own."""

from __future__ import annotations

import os
import py_compile
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy import printed_by

from arubatheory import papers, sources
from arubatheory.cli import main
from arubatheory.cli.codes import INTERNAL
from arubatheory.engines.pool import Results
from arubatheory.engines.source import Source
from arubatheory.engines.verdict import Status, reached
from arubatheory.report.session import Settings, _checked, run
from arubatheory.sources import Edited, Snapshot, renewed, snapshot, source_digest

HELPERS = {
    "helper.py": "import deeper\nscale = 2\n",
    "deeper.py": "import os\n",
    "plain/deep.py": "scale = 2\n",
    "pack/__init__.py": "from .inner import scale\n",
    "pack/inner.py": "from ..helper import scale\n",
    "unused.py": "scale = 2\n",
}
STATEMENT = """
from arubatheory.statements.core import Instance, Sides, Statement

def sides(i):
    return Sides(factor() * i.x, 2 * i.x)

BOUND = Statement("my:bound", "claim", r"cx\\le 2x", lambda draw: Instance(x=draw.positive(-2, 2)), sides)
"""


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(textwrap.dedent(text))
    return folder


@pytest.fixture(autouse=True)
def unlooked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """What a test imports of its own files is forgotten after it; what a library loads at first use stays loaded."""
    monkeypatch.setattr(sources, "_looked_at", {})
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if str(tmp_path) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]


# snapshots -----------------------------------------------------------------------------------------------------------
def test_a_digest_is_of_names_and_contents(tmp_path: Path) -> None:
    def digest(**files: str) -> str:
        folder = written(tmp_path / "-".join(files), {f"{name}.py": text for name, text in files.items()})
        return Snapshot(folder.rglob("*.py"), folder).digest

    assert len(digest(a="x = 1")) == 16
    assert len({digest(a="x = 1"), digest(a="x = 2"), digest(b="x = 1"), digest(a="x = 1", b="")}) == 4
    assert digest(a="x = 1") == digest(a="x = 1")


def test_the_packages_digest_is_of_all_its_sources() -> None:
    assert set(sources.OURS.stamps) == set(sources.PACKAGE.rglob("*.py"))
    assert source_digest() == Snapshot(sources.PACKAGE.rglob("*.py"), sources.PACKAGE).digest


def test_the_package_looks_at_its_files_before_it_loads_any() -> None:
    code = (
        "import sys; sys.modules['arubatheory.papers'] = None\ntry:\n    import arubatheory\nexcept ImportError:\n    "
    )
    code += "print(*[name for name in sys.modules if name.startswith('arubatheory.')])"
    assert printed_by(code) == ["arubatheory.papers", "arubatheory.sources"]


def edit(file: Path) -> None:
    file.write_text("x = 2\n")


def touch(file: Path) -> None:
    os.utime(file, ns=(0, 0))


def there_and_back(file: Path) -> None:
    text = file.read_text()
    file.write_text("x = 3\n")
    os.utime(file, ns=(10**18, 10**18))
    file.write_text(text)


def swap(file: Path) -> None:
    """Another file of the same size and time in its place."""
    found = file.stat()
    other = file.with_name("other")
    other.write_text("x = 3\n")
    os.utime(other, ns=(found.st_mtime_ns, found.st_mtime_ns))
    other.replace(file)


@pytest.mark.parametrize("change", [edit, touch, there_and_back, swap, Path.unlink])
def test_whatever_is_done_to_a_file_is_noticed(change: Callable[[Path], None], tmp_path: Path) -> None:
    files = [written(tmp_path, {name: "x = 1\n"}) / name for name in ("a.py", "b.py")]
    taken, unread = Snapshot(files, tmp_path), Snapshot(files, tmp_path)
    taken.check()
    digest = taken.digest
    change(files[1])
    assert (taken.digest, taken.edited) == (digest, files[1])
    for still in (taken.check, lambda: unread.digest):
        with pytest.raises(Edited, match=r"b\.py was edited after it was loaded"):
            still()


@pytest.mark.parametrize(("second", "kept"), [(0, False), (0.9, False), (2, True)])
def test_what_python_compiled_in_the_second_of_an_edit_is_forgotten(second: float, kept: bool, tmp_path: Path) -> None:
    """Python itself would load it: it compares seconds and sizes."""
    file = written(tmp_path, {"same_second.py": "x = 1\n"}) / "same_second.py"
    now = 1_700_000_000 * 10**9
    os.utime(file, ns=(now, now))
    compiled = Path(py_compile.compile(str(file), doraise=True))
    file.write_text("x = 2\n")
    os.utime(file, ns=(now + 10**8, now + 10**8))
    os.utime(compiled, ns=(now, now + 10**8 + int(second * 10**9)))
    Snapshot([file], tmp_path)
    assert compiled.exists() == kept
    sys.path.insert(0, str(tmp_path))
    assert __import__("same_second").x == (1 if kept else 2)


# a user's files ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import helper", "deeper helper"),
        ("import os, helper as h", "deeper helper"),
        ("from helper import scale", "deeper helper"),
        ("def late():\n    if True: import helper", "deeper helper"),
        ("from importlib import import_module\nimport_module('helper')", "deeper helper"),
        ("import importlib; importlib.import_module('plain.deep')", "deep"),
        ("from plain import deep", "deep"),
        ("import plain.deep as d", "deep"),
        ("from pack import scale", "__init__ deeper helper inner"),
        ("import pack.inner", "__init__ deeper helper inner"),
        ("import numpy, json, arubatheory.kernel", ""),
        ("import mine", ""),
        ("'import helper'", ""),
        ("import nothing_like_it, helper.nothing", "deeper helper"),
    ],
)
def test_the_files_that_a_users_file_imports(text: str, expected: str, tmp_path: Path) -> None:
    folder = written(tmp_path, {**HELPERS, "mine.py": text})
    found = sources._own_files(folder / "mine.py")
    assert sorted(f.stem for f in found if f.stem != "mine") == expected.split()
    assert found[0] == folder / "mine.py" and len(set(found)) == len(found)


def test_files_elsewhere_on_the_path(tmp_path: Path) -> None:
    written(tmp_path, {"lib/far_away.py": "", "here/mine.py": "import far_away", "here/broken.py": "import far_away ("})
    sys.path.append(str(tmp_path / "lib"))
    assert [f.name for f in sources._own_files(tmp_path / "here" / "mine.py")] == ["mine.py", "far_away.py"]
    assert [f.name for f in sources._own_files(tmp_path / "here" / "broken.py")] == ["broken.py"]


def test_all_of_a_papers_folder_and_what_it_imports(tmp_path: Path) -> None:
    files = {
        "__init__.py": "from . import one",
        "one.py": "import helper",
        "items.tsv": "",
        "sub/two.py": "",
        "x.csv": "",
    }
    folder = written(tmp_path / "paper", files)
    written(tmp_path, HELPERS)
    sys.path.insert(0, str(tmp_path))
    names = ["__init__.py", "items.tsv", "one.py", "two.py", "helper.py", "deeper.py"]
    assert [f.name for f in sources._own_files(folder / "__init__.py")] == names


def user(folder: Path, factor: object = 2) -> Source:
    """A user's statement whose factor is a neighbour's."""
    text = f"def factor():\n    return {factor}\n"
    return Source(written(folder, {"mine.py": "from near import factor\n" + STATEMENT, "near.py": text}) / "mine.py")


def lhs(source: Source) -> float:
    from arubatheory.statements.core import Instance

    return float(source.statements()["my:bound"].sides(Instance(x=1.0)).lhs)


def test_an_edited_neighbour_is_another_digest_and_other_statements(tmp_path: Path) -> None:
    sys.path.insert(0, str(tmp_path))
    seen = []
    for factor in (2, 3, 2):
        source = user(tmp_path, factor)
        seen.append((lhs(source), source.digest()))
        assert source.statements() is source.statements()
    assert [value for value, _ in seen] == [2, 3, 2]
    assert seen[0] == seen[2] and seen[0][1] != seen[1][1]
    assert all(digest.startswith(source_digest() + "-") for _, digest in seen)


def test_a_digest_is_that_of_what_was_loaded(tmp_path: Path) -> None:
    sys.path.insert(0, str(tmp_path))
    source = user(tmp_path, 2)
    before = (lhs(source), source.digest())
    user(tmp_path, 3)
    assert source.digest() == before[1]
    with pytest.raises(Edited, match=r"mine\.py|near\.py"):
        source.check()
    assert lhs(source) == 3 and source.digest() != before[1]
    source.check()


def test_a_paper_of_ones_own_is_looked_at_before_it_is_loaded(tmp_path: Path) -> None:
    paper = """
        from pathlib import Path
        from arubatheory.statements.paper import Paper
        HOME = Path(__file__).parent
        MINE = Paper("mine", "t", "r", (), {}, (), HOME, HOME / "v")
    """
    folder = written(tmp_path / "paper", {"__init__.py": paper, "one.py": "x = 1\n"})
    source = Source(name=str(folder))
    assert papers.paper(str(folder)).name == "mine"
    (folder / "one.py").write_text("x = 2\n")
    with pytest.raises(Edited, match=r"one\.py was edited after it was loaded"):
        source.digest()


def test_other_libraries_are_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    from arubatheory.engines import source as module

    before = Source().digest()
    module._libraries.cache_clear()
    monkeypatch.setattr(module.metadata, "distributions", lambda name: [type("D", (), {"version": f"{name} 1"})])
    assert Source().digest() != before
    module._libraries.cache_clear()
    monkeypatch.undo()
    assert Source().digest() == before


# campaigns -----------------------------------------------------------------------------------------------------------
EDITING = """2
from pathlib import Path
HERE = Path(__file__).parent
def factor():
    if (HERE / "first").exists():
        (HERE / "first").replace(HERE / "second")
        {change}
    return 2
"""
CHANGES = {
    "edited": "(HERE / 'near.py').write_text('def factor():\\n    return 3\\n')",
    "there and back": "t = (HERE / 'near.py').read_text(); (HERE / 'near.py').write_text('('); "
    "(HERE / 'near.py').write_text(t)",
    "broken": "(HERE / 'near.py').write_text('('); 1 / 0",
}


def settings(folder: Path, source: Source, jobs: int = 1) -> Settings:
    return Settings(folder, ("check", "search"), "150", source=source, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("change", list(CHANGES))
def test_nothing_is_kept_that_was_finished_after_an_edit(change: str, jobs: int, tmp_path: Path) -> None:
    sys.path.insert(0, str(tmp_path))
    source = user(tmp_path, EDITING.format(change=CHANGES[change]))
    asked = settings(tmp_path, source, jobs)
    trials = [asked.trial(s) for s in source.statements().values()]
    (tmp_path / "first").touch()
    with pytest.raises(
        Edited, match=r"near\.py was edited after it was loaded: start again; [01] of 2 units are finished"
    ):
        run(trials, asked)
    with asked.store() as store:
        assert store.finished() <= 1
    whole = user(tmp_path, 2)
    again = settings(tmp_path, whole)
    (outcome,) = run([again.trial(s) for s in whole.statements().values()], again)
    assert outcome.verdict and outcome.verdict.status is Status.SURVIVED


def test_a_verdict_of_other_sources_is_refused() -> None:
    verdict = reached(Status.SURVIVED, "my:bound", "check", 0, 20)
    Source().check(verdict)
    with pytest.raises(Edited, match="a process computed with the sources 0123, this one with"):
        Source().check(replace(verdict, digest="0123"))


def test_the_command_says_so_in_a_line(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = user(tmp_path, EDITING.format(change=CHANGES["edited"]))
    (tmp_path / "first").touch()
    assert main(["verify", "--file", str(source.file), "--budget", "20", "--jobs", "1"]) == INTERNAL
    error = capsys.readouterr().err
    said = f"arubatheory: error: {tmp_path / 'near.py'} was edited after it was loaded: start again; "
    assert error.splitlines()[-1].startswith(said) and "Traceback" not in error


def test_what_goes_wrong_after_an_edit_is_the_edits_doing(tmp_path: Path) -> None:
    def failing() -> Results:
        raise ChildProcessError("no process can be started")
        yield

    source = user(tmp_path)
    source.digest()
    with pytest.raises(ChildProcessError, match="no process can be started"):
        next(_checked(failing(), source))
    user(tmp_path, 3)
    with pytest.raises(Edited, match="was edited after it was loaded"):
        next(_checked(failing(), source))


def test_renewing_what_nobody_touched_changes_nothing(tmp_path: Path) -> None:
    file = user(tmp_path).file
    assert file and renewed(file) is renewed(file) is snapshot(file)
