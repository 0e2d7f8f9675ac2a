"""Where a run writes is tried before it begins, and folders, papers and pictures may have any name and content."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile import SOURCE, WORDS
from test_cli_papers import written
from toy import run, verify

from arubatheory.cli.codes import AS_RECORDED, DIFFERS, INTERNAL, USAGE
from arubatheory.report.files import check_place, replace_text
from arubatheory.statements.untrusted import UNSEEN, line, visible
from tests.report.nesting import read

Captured = pytest.CaptureFixture[str]
SAID = line(WORDS)


def plain(text: str) -> bool:
    return not UNSEEN.search(text) and "\r" not in text


# places -------------------------------------------------------------------------------------------------------------


def blocked(root: Path, where: str) -> Iterator[str]:
    """Places where nothing can be written: below a file, a folder, too long a name, no file of ours."""
    (root / "file").write_text("x")
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    yield from (
        "file/p.html",
        "folder",
        "x" * 300,
        "/proc/nowhere/p.html",
        "/dev/null",
        "pipe",
        f"{'y/' * 10}{'x' * 250}.html",
    )


@pytest.mark.parametrize("option", ["verify --page", "report --output"])
def test_a_place_that_cannot_be_written_is_refused_before_the_work(root: Path, capsys: Captured, option: str) -> None:
    verify("clm:cdual")
    stored = Path(".cache/arubatheory.sqlite").read_bytes()
    capsys.readouterr()
    for place in blocked(root, option):
        verb, flag = option.split()
        args = ("clm:scmin", "--budget", "10", "--jobs", "1") if verb == "verify" else ()
        assert run(verb, *args, flag, place) == USAGE, place
        seen = capsys.readouterr()
        assert seen.err.startswith("arubatheory: error: cannot write ") and place[:100] in seen.err
        assert len(seen.err.splitlines()) == 1 and seen.out == ""
    assert (root / "file").read_text() == "x" and not Path("/dev/null").is_file()
    assert verb == "report" or Path(".cache/arubatheory.sqlite").read_bytes() == stored


@pytest.mark.parametrize("path", [".cache", ".cache/witnesses", "verification", "verification/witnesses"])
def test_a_file_in_the_place_of_a_folder_is_refused_before_the_work(root: Path, capsys: Captured, path: str) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text("x")
    code = verify("clm:cdual", "--record")
    seen = capsys.readouterr()
    assert code == (USAGE if path != "verification" else 3) and len(seen.err.splitlines()) == 1 and seen.out == ""
    assert path in seen.err and Path(path).read_text() == "x"


def test_a_store_that_is_a_folder_is_refused_before_the_work(root: Path, capsys: Captured) -> None:
    Path(".cache/arubatheory.sqlite").mkdir(parents=True)
    assert verify("clm:cdual") == USAGE
    assert "cannot write .cache/arubatheory.sqlite: " in capsys.readouterr().err


def test_a_place_is_tried_and_left(tmp_path: Path) -> None:
    check_place(tmp_path / "deep" / "p.html")
    assert list((tmp_path / "deep").iterdir()) == []
    old = replace_text(tmp_path / "p.html", "old \ud800")
    check_place(old)
    assert old.read_text() == r"old \ud800"


# folders and pictures -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [os.fsdecode(b"\xff[red]\x1b[31m=x"), "y" * 250], ids=["odd", "long"])
def test_a_folder_of_any_name_is_used_like_another(root: Path, capsys: Captured, name: str) -> None:
    folder = root / name
    folder.mkdir()
    (folder / "mine.py").write_text(SOURCE)
    file = str(folder / "mine.py")
    assert verify("--file", file, "--root", name, "--page", f"{name}/p.html") == DIFFERS
    seen = capsys.readouterr()
    assert plain(seen.out) and plain(seen.err) and visible(name)[:60] in seen.out
    assert plain((folder / "p.html").read_text(encoding="utf-8"))
    assert run("replay", f"{name}/.cache/witnesses/my-all-worst.json", "--file", file, "--exact") == AS_RECORDED


@pytest.mark.parametrize("name", [os.fsdecode(b"\xff[red]\x1b[31m=x"), "y" * 250], ids=["odd", "long"])
def test_a_paper_in_a_folder_of_any_name_is_used_like_another(root: Path, capsys: Captured, name: str) -> None:
    written(root / name)
    assert (
        run("verify", "--paper", name, "--budget", "150", "--jobs", "1", "--record", "--page", "p.html") == AS_RECORDED
    )
    assert run("report", "--paper", name) == AS_RECORDED
    seen = capsys.readouterr()
    assert plain(seen.out) and plain(seen.err) and "2 of 2 items of the paper have a verdict" in seen.out


def test_items_of_kinds_of_one_s_own_stand_in_the_graph(root: Path, capsys: Captured) -> None:
    home = written(root / "mine")
    (home / "items.tsv").write_text((home / "items.tsv").read_text().replace("theorem", "conjecture"))
    assert run("verify", "--paper", "mine", "--budget", "150", "--jobs", "1", "--page", "p.html") == AS_RECORDED
    assert "Conjecture 1" in Path("p.html").read_text(encoding="utf-8")


def test_items_of_a_file_that_is_no_section_are_named(root: Path, capsys: Captured) -> None:
    home = written(root / "other")
    (home / "items.tsv").write_text((home / "items.tsv").read_text().replace("one.tex", "two.tex"))
    for verb in ("list", "report"):
        assert run(verb, "--paper", "other") == USAGE
        assert "sections must name the file of 'thm:square', got none for 'two.tex'" in capsys.readouterr().err


SVG = '<svg xmlns="http://www.w3.org/2000/svg">{}</svg>'
BOMB = "".join(f'<!ENTITY e{k + 1} "{f"&e{k};" * 10}">' for k in range(12))
DRAWINGS = {
    "no xml": "<svg",
    "bomb": f'<!DOCTYPE svg [<!ENTITY e0 "x">{BOMB}]>{SVG.format("&e12;")}',
    "deep": SVG.format("<g>" * 5000 + "</g>" * 5000),
    "words for numbers": SVG.format('<path d="M a b L 1 2"/><use x="e" y="1.e"/>'),
    "not finite": SVG.format('<path d="M inf nan L 1e999 2"/>'),
    "close first": SVG.format('<path d="z"/><path d="zL1 2"/>'),
    "script": SVG.format("<script>alert(1)</script>"),
}


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=list(DRAWINGS))
def test_a_hostile_picture_is_an_image_and_its_words_are_text(root: Path, capsys: Captured, drawing: str) -> None:
    folder = Path("out/figures")
    folder.mkdir(parents=True)
    (folder / "x.svg").write_text(drawing)
    files = {"svg": "../../x.svg", WORDS: WORDS}
    said = {"name": WORDS, "title": WORDS, "caption": WORDS, "labels": ["clm:cdual", WORDS], "files": files}
    (folder / "index.json").write_text(json.dumps([{**said, "kind": kind} for kind in ("figure", "witness")]))
    assert verify("clm:cdual", "--page", "p.html") == AS_RECORDED
    text = Path("p.html").read_text(encoding="utf-8")
    assert plain(text) and SAID in read(text).text
    assert text.count("<script") == 1 and text.count("data:image/svg+xml,") == 2
    assert plain(capsys.readouterr().out)


def test_a_picture_that_cannot_be_read_is_named(root: Path, capsys: Captured) -> None:
    Path("out/figures").mkdir(parents=True)
    Path("out/figures/x.svg").write_bytes(b"\xff")
    assert verify("clm:cdual", "--page", "p.html") == INTERNAL
    assert capsys.readouterr().err.splitlines()[-1].startswith("arubatheory: error: cannot read out/figures/x.svg: ")
