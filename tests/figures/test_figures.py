"""Figures show what they say, in files that never change by themselves."""

from __future__ import annotations

import csv
import functools
import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
from grey import apart
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from arubatheory.papers.aruba import ARUBA
from arubatheory.report.formula import mathml
from figures import FIGURES, Plate, catalogue, growth, index, make
from figures.__main__ import main
from figures.captions import recorded, statement
from figures.house import settle

SMALL: dict[str, dict[str, Any]] = {
    "similarity": {"T": 220},
    "families": {"lengths": (4, 16)},
    "learned_rates": {"T": 30},
    "posterior": {"after": (3, 30)},
    "growth": {"shown": ("thm:diagonal/rate", "thm:fullmatrix/rate/rounds"), "longest": 128},
    "exponents": {"shown": ("thm:diagonal/rate", "text:adagrad-like"), "seeds": 2, "longest": 128},
    "blocks": {"T": 20},
    "ellipses": {"after": (2, 12)},
    "tightness": {"ledger": {label: row for label, row in recorded().items() if "ewoo" in label}},
    "bound_at_work": {"octaves": 6, "rounds": 4},
    "diagonal_rates": {"octaves": 9},
    "matrix_rates": {"octaves": 7, "doublings": 2},
}
ROOT = Path(__file__).resolve().parents[2]
WITNESS = "witness-thm-mokhtari--any-reference"


def sizes(name: str) -> dict[str, Any]:
    """What a test asks a figure to compute."""
    return SMALL.get(name, {})


class Picture(NamedTuple):
    """A figure as it was laid out, and where its words are."""

    fig: Figure
    words: list[tuple[str, float, Bbox]]


PICTURES: dict[str, Picture] = {}


def beyond(axis: Axis) -> Iterator[Text]:
    """The labels of ticks beyond the ends of an axis, which are never drawn."""
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        if not low - slack <= tick.get_loc() <= high + slack:
            yield from (tick.label1, tick.label2)


def keep(name: str, fig: Figure) -> None:
    """Lay a figure out, and remember it."""
    settle(fig)
    hidden = [label for ax in fig.axes for axis in (ax.xaxis, ax.yaxis) for label in beyond(axis)]
    texts = [text for text in fig.findobj(Text) if text.get_text() and text.get_visible() and text not in hidden]
    PICTURES[name] = Picture(fig, [(t.get_text(), t.get_fontsize(), t.get_window_extent().frozen()) for t in texts])


@pytest.fixture(scope="module", autouse=True)
def coarse() -> Iterator[None]:
    """Pixels are not what is looked at here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("figures.house.DPI", 40)
        yield


@pytest.fixture(scope="module")
def drawn(coarse: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with every figure, small, and one witness; the pictures themselves in `PICTURES`."""
    out = tmp_path_factory.mktemp("figures")
    with pytest.MonkeyPatch.context() as patch:
        for name in [*FIGURES, WITNESS]:
            patch.setattr("figures.settle", functools.partial(keep, name))
            make(name, out, **sizes(name))
    yield out
    PICTURES.clear()


@pytest.mark.parametrize("name", [*FIGURES, WITNESS])
def test_every_format_is_written_and_stable(name: str, drawn: Path, tmp_path: Path) -> None:
    paths = make(name, tmp_path, **sizes(name))
    assert [path.name for path in paths] == [f"{name}.{suffix}" for suffix in catalogue()[name].formats]
    for path in paths:
        assert path.read_bytes() == (drawn / path.name).read_bytes()


ELSEWHERE = """
import sys
from pathlib import Path
from figures import house, make
house.DPI = 40
make("posterior", Path(sys.argv[1]), after=(3, 30))
make(sys.argv[2], Path(sys.argv[1]))
"""


def test_another_process_writes_the_same_bytes(drawn: Path, tmp_path: Path) -> None:
    """Sets and dictionaries of names are ordered by another hash there."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    command = [sys.executable, "-c", ELSEWHERE, str(tmp_path), WITNESS]
    subprocess.run(command, check=True, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed})
    files = [path for path in tmp_path.iterdir() if path.name != index.FILE]
    assert {path.stem for path in files} == {"posterior", WITNESS}
    for path in files:
        assert path.read_bytes() == (drawn / path.name).read_bytes(), path.name


@pytest.mark.parametrize("name", [*FIGURES, WITNESS])
def test_files_are_well_formed(name: str, drawn: Path) -> None:
    tree = ElementTree.parse(drawn / f"{name}.svg")
    ids = {node.get("id") for node in tree.iter() if node.get("id")}
    text = (drawn / f"{name}.svg").read_text(encoding="utf-8")
    assert set(re.findall(r"href=\"#([^\"]+)|url\(#([^)]+)", text)) <= {(i, "") for i in ids} | {("", i) for i in ids}
    assert set(re.findall(r" class=\"([^\"]+)", text)) <= set(re.findall(r"\.(c[0-9a-f]+)\{", text))
    assert not re.search(r"\d{4}-\d\d-\d\d|matplotlib v", text)
    with (drawn / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows and all(np.isfinite([float(row["x"]), float(row["y"])]).all() for row in rows)
    if name in FIGURES:
        assert (drawn / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (drawn / f"{name}.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("name", [*FIGURES, WITNESS])
def test_no_two_series_differ_by_colour_alone(name: str) -> None:
    for ax in PICTURES[name].fig.axes:
        named = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
        alike = [(one.get_label(), other.get_label()) for one, other in combinations(named, 2) if not apart(one, other)]
        assert [pair for pair in alike if pair[0] != pair[1]] == []


def words_of(name: str) -> str:
    """All that is written in a picture."""
    return "\n".join(text for text, _, _ in PICTURES[name].words)


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("name", ["families", "similarity"])
def test_corrected_guarantees_are_called_so(name: str, drawn: Path) -> None:
    entry = next(entry for entry in index.read(drawn) if entry["name"] == name)
    for label in (label for label in entry["labels"] if label.endswith("/corrected")):
        number = statement(label).number
        assert re.search(rf"{re.escape(number)}[^\n]*, corrected", words_of(name))
        assert f"{number}, corrected" in entry["caption"]


@pytest.mark.usefixtures("drawn")
def test_panels_of_growth_name_their_axis_and_the_claimed_rate(drawn: Path) -> None:
    entry = next(entry for entry in index.read(drawn) if entry["name"] == "growth")
    for label in SMALL["growth"]["shown"]:
        claim = statement(label).growth
        rate = growth.power_law(claim, claim.exponent)
        assert f"${claim.variable}$: fitted " in words_of("growth") and f"claimed {rate}" in words_of("growth")
        assert f"{label} {rate}" in entry["caption"]


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("name", [*FIGURES, WITNESS])
def test_text_is_large_enough_and_on_the_page(name: str) -> None:
    fig, words = PICTURES[name]
    page = fig.bbox.padded(1.5)
    for text, size, box in words:
        if box.width:
            assert size >= 6, text
            assert page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1, text


# captions and index ---------------------------------------------------------------------------------------------------
def test_the_index_says_which_figure_shows_which_statement(drawn: Path) -> None:
    entries = json.loads((drawn / "index.json").read_text(encoding="utf-8"))
    assert [entry["name"] for entry in entries] == [*FIGURES, WITNESS]
    assert [entry["kind"] for entry in entries] == ["figure"] * len(FIGURES) + ["witness"]
    for entry in entries:
        assert entry["labels"] and all(statement(label).label == label for label in entry["labels"])
        assert all((drawn / file).is_file() for file in entry["files"].values())
    assert entries[-1]["labels"] == ["thm:mokhtari/any-reference"]


def test_captions_hold_the_formula_of_their_statement(drawn: Path) -> None:
    for entry in json.loads((drawn / "index.json").read_text(encoding="utf-8")):
        caption = entry["caption"]
        assert caption.count("$") % 2 == 0 and "nan" not in caption.split()
        for piece in caption.split("$")[1::2]:
            mathml(piece, macros=ARUBA.macros)  # raises for what the page could not show
        if len(entry["labels"]) <= 5:
            assert all(statement(label).latex.strip() in caption for label in entry["labels"])


def test_a_partial_run_keeps_the_other_entries(tmp_path: Path) -> None:
    plates = {name: Plate(name, name.upper(), kind, "none") for name, kind in (("a", "figure"), ("b", "witness"))}

    def record(name: str, words: str) -> list[str]:
        for suffix in plates[name].formats:
            (tmp_path / f"{name}.{suffix}").touch()
        index.record(tmp_path, plates[name], ("thm:ewoo",), words)
        return [f"{entry['name']}: {entry['caption'].split(' Theorem')[0]}" for entry in index.read(tmp_path)]

    assert record("b", "Second.") == ["b: Second."]
    assert record("a", "First.") == ["a: First.", "b: Second."]
    assert record("b", "Again.") == ["a: First.", "b: Again."]
    (tmp_path / "a.png").unlink()
    assert record("b", "Third.") == ["b: Third."]


def test_an_index_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / index.FILE).write_text("[]")

    def full(path: Path, text: str, **how: str) -> int:
        with path.open("w", **how) as out:
            out.write(text[:1])
        raise OSError("disk full")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="disk full"):
        index.prune(tmp_path, ())
    assert (tmp_path / index.FILE).read_text() == "[]"


# the command ----------------------------------------------------------------------------------------------------------
def test_the_command_draws_what_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([WITNESS, "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / f"{WITNESS}.{suffix}") for suffix in ("svg", "csv")]


def test_without_a_name_it_draws_all_and_forgets_what_is_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main([WITNESS, "--out", str(tmp_path)]) == 0
    other = "witness-rem-oracle--last"
    monkeypatch.setattr("figures.__main__.catalogue", lambda: {other: catalogue()[other]})
    assert main(["--out", str(tmp_path)]) == 0
    assert len(capsys.readouterr().out.split()) == 4
    assert [entry["name"] for entry in index.read(tmp_path)] == [other]


def test_an_unknown_figure_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing", "--out", str(tmp_path)]) == 4
    assert "name must be one of similarity" in capsys.readouterr().err
    with pytest.raises(ValueError, match="label must be that of a statement of the paper, got 'thm:nothing'"):
        statement("thm:nothing")


def drawn_values(name: str, out: Path) -> Iterator[tuple[str, float, float]]:
    """The rows of a csv."""
    with (out / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield row["series"], float(row["x"]), float(row["y"])


@pytest.mark.parametrize("name", FIGURES)
def test_the_csv_holds_what_is_computed(name: str, drawn: Path) -> None:
    series = importlib.import_module(f"figures.{name}").compute(**sizes(name))
    expected = [(key, *xy) for key, (x, y) in series.items() for xy in zip(x, y, strict=True)]
    found = list(drawn_values(name, drawn))
    assert [row[0] for row in found] == [row[0] for row in expected]
    # ten digits are written
    assert np.allclose([row[1:] for row in found], [row[1:] for row in expected], rtol=1e-9, atol=0)
