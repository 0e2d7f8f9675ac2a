"""What files are called, and that none is ever half written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from toy import verdict, witness

from arubatheory import PAPER
from arubatheory.engines.verdict import Status
from arubatheory.engines.witness_files import file_stem, witness_files
from arubatheory.report.files import replace_text
from arubatheory.report.outcome import write_witnesses

ROOT = Path(__file__).resolve().parents[2]


def test_a_text_is_written_with_its_folder_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "text.csv"
    assert replace_text(path, "old\r\nä\n") == path
    assert path.read_bytes() == "old\r\nä\n".encode()
    replace_text(path, "new\n")
    assert [p.name for p in path.parent.iterdir()] == ["text.csv"]
    assert path.read_bytes() == b"new\n"


def test_a_text_that_cannot_be_put_in_place_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = replace_text(tmp_path / "text", "old")
    (tmp_path / f"text.{os.getpid()}.new").mkdir()  # in the way of the draft
    with pytest.raises(OSError, match=r"text\.\d+\.new"):
        replace_text(path, "new")
    assert path.read_text() == "old"


def test_the_statements_of_the_paper_have_file_names_of_their_own() -> None:
    plain = {label.replace("/", "--").replace(":", "-") for label in (s.label for s in PAPER)}
    assert {file_stem(s.label) for s in PAPER} == plain
    assert len(plain) == len(PAPER)


@pytest.mark.parametrize("label", ['my:<a> "b"?', "my:a|b*", "my:a\\b", "my:[ab]", "my:50%", "my:ä\n"])
def test_a_label_with_odd_signs_has_a_file_that_every_system_takes(tmp_path: Path, label: str) -> None:
    seen = witness(label)
    path, _ = write_witnesses(tmp_path, verdict(label, Status.REFUTED, simplest=seen))
    assert path is not None and not set(path.name) & set('<>:"/\\|?*[] \n') and path.name.isascii()
    assert witness_files([label, "other"], tmp_path) == {label: [path], "other": []}


def test_a_witness_that_is_no_more_leaves_no_file(tmp_path: Path) -> None:
    seen = witness("my:a")
    path, _ = write_witnesses(tmp_path, verdict("my:a", Status.REFUTED, simplest=seen))
    assert path is not None and path.exists()
    assert write_witnesses(tmp_path, verdict("my:a", Status.SURVIVED)) == (None, None)
    assert not path.exists()


def test_encoded_labels_keep_apart() -> None:
    labels = ["my:a b", "my:a%20b", "my:a+b", "my:a_b"]
    assert len({file_stem(label) for label in labels}) == len(labels)


def test_nothing_else_writes_a_text() -> None:
    sources = [path for top in ("arubatheory", "figures", "verification") for path in (ROOT / top).rglob("*.py")]
    writers = [path for path in sources if ".write_text(" in path.read_text(encoding="utf-8")]
    assert [path.relative_to(ROOT).as_posix() for path in writers] == ["arubatheory/report/files.py"]
