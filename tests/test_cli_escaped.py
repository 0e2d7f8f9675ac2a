"""What a user's file, label or folder says is shown as text wherever it goes, and nowhere obeyed."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import os
import pty
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hostile import SOURCE, WORDS
from toy import FALSE, TRUE, run, verdict, verify, witness

from arubatheory.cli.codes import AS_RECORDED, DIFFERS, NOTHING, USAGE
from arubatheory.cli.completion import script
from arubatheory.engines.verdict import Status
from arubatheory.engines.witness_files import file_stem, read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger
from arubatheory.report.article import Beside
from arubatheory.report.csv_table import as_csv
from arubatheory.report.downloads import as_json, as_table
from arubatheory.report.errata import errata
from arubatheory.report.ledger import LedgerRow
from arubatheory.report.outcome import Outcome, write_witnesses
from arubatheory.report.page import page
from arubatheory.report.table import Watch, console, remarks, table
from arubatheory.statements.core import Assumption, Statement
from arubatheory.statements.items import COLUMNS, read_items
from arubatheory.statements.untrusted import UNSEEN, line, visible
from tests.report.nesting import read

Captured = pytest.CaptureFixture[str]
SAID = line(WORDS)
LABELS = [
    "=1+1",
    "+1",
    "-1+1",
    "@x",
    "'=1",
    "[red]x[/red]",
    ":smile:",
    "<b>&amp;</b>",
    "$(id)",
    "`id`",
    "a|b",
    "ä",
    "x" * 3000,
]
UNFIT = [
    "\x1b[31m",
    "\x07",
    "a\x00b",
    "a b",
    "a\tb",
    "a\nb",
    "\u202ea",
    "\u2066a",
    "\ud800",
    "\ufffe",
    "\u2028a",
    "\x9b31m",
    "\u200ba",
]


def hostile(label: str = "clm:scmin") -> Statement:
    """A statement every word of which is hostile, but for its label."""
    said: dict[str, Any] = dict.fromkeys(("kind", "latex", "number", "title", "note", "part_of", "step_of"), WORDS)
    assumptions = (Assumption(WORDS, lambda i: 2 - abs(i.x)),)
    return replace(FALSE, label=label, uses=(WORDS,), corrects=(WORDS,), assumptions=assumptions, **said)


def outcome(label: str = "clm:scmin") -> Outcome:
    """The same for what came of it."""
    said = dict.fromkeys(("lhs", "rhs", "certified", "found_by", "note", "measure", "digest"), WORDS)
    seen = witness(label, **said, margins={WORDS: WORDS}, instance={WORDS: {"type": WORDS, "fields": {WORDS: WORDS}}})
    more = {"error": WORDS, "found_by": WORDS, "digest": WORDS, "engine": WORDS, "simplest": seen, "worst": seen}
    path = Path("folder [red]\x1b[31m") / "w.json"
    return Outcome(hostile(label), verdict(label, Status.REFUTED, **more), simplest=path, worst=path)


def plain(text: str) -> bool:
    return not UNSEEN.search(text) and "\r" not in text


# labels -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", UNFIT, ids=ascii)
def test_a_label_that_cannot_be_seen_is_refused_when_the_statement_is_made(label: str) -> None:
    with pytest.raises(ValueError, match="label must not contain white space or what cannot be seen, got") as caught:
        replace(TRUE, label=label)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        *((name, 5, f"{name} must be a string, got 5") for name in ("number", "title", "note")),
        *((name, 5, f"{name} must be a label or None, got 5") for name in ("part_of", "step_of")),
        ("assumptions", (Assumption(5, abs),), "assumptions must be a tuple of Assumption values"),  # type: ignore[arg-type]
        ("assumptions", (Assumption("x", 5),), "assumptions must be a tuple of Assumption values"),  # type: ignore[arg-type]
    ],
)
def test_words_of_another_kind_are_refused_when_the_statement_is_made(field: str, value: Any, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        replace(TRUE, **{field: value})


@pytest.mark.parametrize("label", LABELS, ids=lambda label: label[:20])
def test_a_label_goes_the_whole_way(root: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, label: str) -> None:
    source = SOURCE.replace("'my:all'", repr(label)).replace('"my:all"', repr(label))
    Path("mine.py").write_text(source)
    assert verify("--file", "mine.py", "--page", "p.html") == DIFFERS
    seen = capsys.readouterr()
    assert label in re.sub(r"\s", "", seen.out) and plain(seen.out) and plain(seen.err)
    (path,) = Path(".cache/witnesses").glob("*-simplest.json")
    assert len(path.name.encode()) < 230 and path.name == f"{file_stem(label)}-simplest.json"
    assert run("replay", str(path), "--exact", "--file", "mine.py") == AS_RECORDED
    assert capsys.readouterr().out.startswith(f"{label}: found by ")
    text = Path("p.html").read_text(encoding="utf-8")
    assert label in read(text).text
    (row,) = downloaded(text)
    assert row["label"] == (f"'{label}" if label[0] in "=+-@'" else label)
    assert verify("--file", "mine.py", "--json") == DIFFERS
    assert json.loads(capsys.readouterr().out)["label"] == label


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def downloaded(text: str) -> list[dict[str, str]]:
    found = re.search(r'csv.gz"? href="?data:application/gzip;base64,([^" >]*)', text)
    assert found
    return list(csv.DictReader(io.StringIO(gzip.decompress(base64.b64decode(found[1])).decode())))


def test_long_labels_keep_apart_and_short_ones_their_names() -> None:
    long = ["x" * 200 + end for end in "ab"] + ["x" * 200, "ä" * 100, "y:" * 100]
    assert len({file_stem(label) for label in long}) == len(long)
    assert all(len(file_stem(label)) <= 200 for label in long)
    assert file_stem("x" * 180) == "x" * 180


# words --------------------------------------------------------------------------------------------------------------


def test_the_page_shows_words_and_stays_well_formed() -> None:
    for paper in (ARUBA, None):
        text = page([outcome("clm:scmin" if paper else "my:own")], Beside(paper, Path(WORDS)))
        root = parsed(text)
        assert plain(text) and text.encode()
        for words in (SAID, "folder"):
            assert words in "".join(root.itertext())
        assert "&amp;" not in [e.text for e in root.iter("{http://www.w3.org/1999/xhtml}b")]


def test_the_downloads_hold_no_formula_and_no_control_character() -> None:
    trials = [outcome(f"{sign}1+cmd|' /C calc'!A0".replace(" ", "")) for sign in "=+-@"] + [outcome()]
    text = as_table(trials, None)
    assert plain(text)
    for cells in csv.reader(io.StringIO(text)):
        assert not [cell for cell in cells if re.match(r"[=+@\t\r]|-(?!\d)", cell)]
    assert json.loads(as_json(trials, None))["data"][0][0].startswith("=1+cmd")
    assert as_json(trials, None).isascii()


@pytest.mark.parametrize("cell", ["=1", "+1", "-1+1", "@x", "\tx", "\rx", "'=1", "''=1", "-x", "=", "-1e5x", "'"])
def test_what_guards_a_cell_is_taken_away_again(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "ledger.csv"
    row = LedgerRow("x", "claim", "IDLE", "-0.5", "1", "check", "", cell, "check", "quick", "0")
    ledger.write(path, [row])
    assert ledger.read(path) == {"x": row._replace(note=visible(cell))}
    assert not re.search(r",[=+@\t\r]", path.read_text()) and ",-0.5," in path.read_text()


@pytest.mark.parametrize("number", ["-1", "-0.5", "-1e-05", "-1.5e+300", "-inf"])
def test_a_number_is_no_formula(number: str) -> None:
    assert as_csv(["x"], [[number]]) == f"x\n{number}\n"


def terminal(render: Any) -> str:
    """What reaches a terminal."""
    lead, follow = pty.openpty()
    with os.fdopen(follow, "w", encoding="utf-8", errors="replace") as stream:
        render(console(stream))
    out = b""
    while chunk := _read(lead):
        out += chunk
    os.close(lead)
    return out.decode()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end is closed
        return b""


def test_the_terminal_gets_no_codes_but_our_own() -> None:
    def render(notes: Any) -> None:
        notes.print(table([outcome()]))
        notes.print(f"page: {WORDS}")
        for remark in remarks([outcome()], Path(WORDS)):
            notes.print(remark, soft_wrap=True)

    text = terminal(render)
    assert "[red]x[/red]" in text and ":smile:" in text and r"\u202e" in text
    ours = re.sub(r"\x1b\[[\d;]*m|\r\n", "", text)
    assert not UNSEEN.search(ours)
    assert {code for code in re.findall(r"\x1b\[([\d;]*)m", text)} <= {"0", "1", "2", "1;31", "1;35"}


def test_progress_is_text(capsys: Captured) -> None:
    from arubatheory.engines.units import Unit
    from arubatheory.report.session import Event

    with Watch() as watch:
        watch(Event(Unit(WORDS, "check", 1, 0), verdict("x", Status.IDLE), 1, 1))
    seen = capsys.readouterr().err
    assert plain(seen) and "[red]x[/red]" in seen


def test_show_and_replay_print_lines_of_their_own_only(
    root: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = f"{WORDS}\nagrees with the file\n  verdict: SURVIVED."
    said: dict[str, Any] = dict.fromkeys(("kind", "number", "title", "note"), words)
    made = replace(FALSE, **said, assumptions=(Assumption(words, lambda i: 2 - abs(i.x)),))
    monkeypatch.setitem(vars(ARUBA), "statements", (made,))
    assert verify("clm:scmin") == AS_RECORDED
    capsys.readouterr()
    assert run("show", "clm:scmin") == AS_RECORDED
    seen = capsys.readouterr().out
    assert plain(seen) and len(re.findall("^  verdict:", seen, re.M)) == 1
    path = Path(".cache/witnesses/clm-scmin-simplest.json")
    data = json.loads(path.read_text())
    hostile_fields = dict.fromkeys(("found_by", "certified", "note", "lhs", "measure", "digest"), words)
    path.write_text(json.dumps({**data, **hostile_fields, "margins": {words: words}}))
    assert run("replay", str(path), "--exact") == DIFFERS
    seen = capsys.readouterr().out
    assert plain(seen) and not re.search("^agrees", seen, re.M) and len(re.findall("^DISAGREES", seen, re.M)) == 1


def test_errata_are_markdown_of_their_own_only(tmp_path: Path) -> None:
    made = replace(hostile(), label="prp:ftl/`</code>|", corrects=(), step_of=None)
    seen = outcome(made.label).verdict
    assert seen is not None and seen.simplest is not None
    path, _ = write_witnesses(tmp_path / ARUBA.witnesses, replace(seen, label=made.label))
    assert path is not None
    row = LedgerRow(made.label, "claim", "REFUTED", "2", "1", WORDS, path.name, "", "check", "quick", "0")
    text = errata(ARUBA, [made], {made.label: row}, tmp_path)
    assert plain(text) and "<b>" not in text.replace(r"\<b>", "").split("```")[0]
    assert text.count("```") == 2 and r"\[red\]" in text
    for code in re.findall("`[^`\n]*`", text):
        assert "|" not in code


def test_words_of_a_witness_file_survive_the_way(tmp_path: Path) -> None:
    seen = witness(note=WORDS, margins={WORDS: "1"})
    path, _ = write_witnesses(tmp_path, verdict(seen.label, Status.REFUTED, simplest=seen))
    assert path is not None and read_witness(path) == seen


def test_labels_that_a_shell_would_obey_are_not_completed() -> None:
    for shell in ("bash", "zsh", "fish"):
        text = script(shell, ["thm:a/b-c", *LABELS[:-1], *UNFIT])
        assert "thm:a/b-c" in text and "id" not in re.findall(r"\w+", text.replace("thm:a/b-c", ""))
        assert plain(text)


@pytest.mark.parametrize("words", UNFIT, ids=ascii)
def test_a_message_is_one_line_of_text(root: Path, capsys: Captured, words: str) -> None:
    Path("mine.py").write_text(f"raise ValueError({f'{words} first' + chr(10) + 'second'!r})")
    for args in (
        ["verify", "--file", "mine.py"],
        ["verify", words],
        ["replay", f"{words}.json"],
        ["list", "--paper", f"x{words}"],
    ):
        if "\0" in words and args[0] != "verify":
            continue
        assert run(*args) in (USAGE, NOTHING)
        seen = capsys.readouterr().err
        assert plain(seen) and len(seen.splitlines()) == 1


def test_a_long_message_is_cut(root: Path, capsys: Captured) -> None:
    Path("mine.py").write_text("raise ValueError('x' * 10**6)")
    assert run("verify", "--file", "mine.py") == USAGE
    assert len(capsys.readouterr().err) < 2200


# a table of contents ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["\x1b[31m", "\x00", "\u202e", "\x07", "\x85", "\u2028", "\x0b", "\ufeff"], ids=ascii)
@pytest.mark.parametrize("column", COLUMNS)
def test_a_table_of_contents_holds_no_control_characters(tmp_path: Path, column: str, words: str) -> None:
    cells = {"file": "a.tex", "kind": "claim", "number": "1", "slug": "clm:a", "parts": "", "note": ""}
    path = tmp_path / "items.tsv"
    path.write_text("\t".join(COLUMNS) + "\n" + "\t".join({**cells, column: f"a{words}b"}.values()) + "\n")
    with pytest.raises(ValueError, match=r"items\.tsv, line 2: a row must hold no control characters") as caught:
        read_items(path)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("data", [b"\xff", b"\x00", b"", "\t".join(COLUMNS).encode("utf-16"), b"x" * 10**6])
def test_a_table_of_contents_that_is_none_is_named(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "items.tsv"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"items\.tsv"):
        read_items(path)
    assert path.read_bytes() == data


def test_a_table_of_contents_of_another_system_is_read(tmp_path: Path) -> None:
    path = tmp_path / "items.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + "\t".join(COLUMNS).encode() + b"\r\na.tex\tclaim\t1\tclm:a\t\t\r\n\r\n")
    assert [item.slug for item in read_items(path)] == ["clm:a"]
