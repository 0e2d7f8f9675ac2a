"""The pictures of witnesses: the certified sides, and redraws in which one thing alone has moved."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from arubatheory.engines.witness import redraws
from arubatheory.statements.core import Instance, Sides
from figures import catalogue, make, witness_panels, witness_parts, witness_sheets, witnesses
from figures.captions import statement

UNDEFINED = "eq:percoord/literal"
SAMPLE = ("rem:oracle/last", "thm:mokhtari/any-reference", "cor:epsewoo/explicit/euclidean", "thm:ftrlomd/omd/literal")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3/4", 0.75),
        ("-2", -2.0),
        ("1.5e+3 +/- 1e-30", 1500.0),
        ("-0.25 +/- 2.1e-40", -0.25),
        ("1" + "0" * 400, np.finfo(np.float64).max),
        ("-1.0e+999 +/- 1e+900", -np.finfo(np.float64).max),
    ],
)
def test_numbers_of_witness_files_are_read(text: str, value: float) -> None:
    assert witness_parts.number(text) == value


def test_every_refuted_statement_has_a_figure_and_a_place_on_a_sheet() -> None:
    refuted = witnesses.refuted()
    assert len(refuted) >= 100
    assert {witnesses.name(label) for label in refuted} <= set(catalogue())
    assert sorted(label for page in witness_sheets.pages() for label in witness_sheets.labels(page)) == sorted(refuted)


@pytest.mark.parametrize("label", SAMPLE)
def test_the_certified_sides_are_shown(label: str) -> None:
    series, found = witnesses.compute(label), witnesses.witness(label)
    lhs, rhs = (float(series[side][1][0]) for side in ("lhs", "rhs"))
    assert (lhs, rhs) == (witness_parts.number(found.lhs), witness_parts.number(found.rhs)) and lhs > rhs
    texts = witness_panels.pair(lhs, rhs)
    assert f"lhs = {texts[0]} > rhs = {texts[1]} (" in witnesses.caption(series, label)


def test_undefined_sides_are_called_so() -> None:
    series = witnesses.compute(UNDEFINED)
    assert "lhs" not in series and not any(name.startswith("lhs") for name in series)
    assert "no real number" in witnesses.caption(series, UNDEFINED)
    assert "drawn differently" not in witnesses.caption(series, UNDEFINED)


@pytest.mark.parametrize(
    ("along", "words"),
    [
        ("length", "Right: both sides as the length of the instance varies."),
        ("T", "Right: both sides as T varies."),
        ("eps", "Right: both sides as eps varies; no length of the instance can be drawn differently by itself."),
        (None, "No length of the instance can be drawn differently by itself."),
    ],
)
def test_a_caption_says_along_what_the_sides_grow(along: str | None, words: str) -> None:
    one, label = (np.zeros(1), np.ones(1)), SAMPLE[0]
    series = {"lhs": one, "rhs": one} | ({f"lhs as {along} varies": one} if along else {})
    assert witnesses.grown(series) == along
    assert witnesses.caption(series, label).endswith(words)


def test_a_sheet_counts_along_what_its_sides_grow() -> None:
    one, page = (np.zeros(1), np.ones(1)), witness_sheets.pages()[0]
    parts = (
        ["lhs", "lhs as T varies"],
        ["lhs", "lhs as m varies"],
        ["lhs", "lhs as eps varies"],
        ["lhs"],
        ["number T"],
    )
    series = {f"label-{k}{witness_sheets.SEPARATOR}{name}": one for k, names in enumerate(parts) for name in names}
    words = witness_sheets.caption(series, page)
    assert "in 2 along a length (tasks, rounds, copies), in 1 along another number (ε 1); in 1 nothing that" in words
    assert "and in 1 a side is not a real number." in words


@pytest.mark.parametrize("label", ["rem:oracle/last", "thm:mokhtari/any-reference", "text:v-rule"])
def test_a_redraw_moves_one_thing_and_the_witness_is_among_them(label: str) -> None:
    of, found = statement(label), witnesses.witness(label)
    assert redraws(found, of)
    broken = witness_parts.broken_by(of, witness_parts.floats(found, of))
    name, grid = witness_parts.growing(of, found, broken) or ("", [])
    assert name in ("m", "length", "T")
    base = witness_parts.floats(found, of)
    for x, other in grid:
        changed = [part for part in vars(base) if not witness_parts._same(getattr(base, part), getattr(other, part))]
        assert changed in ([], [name]) if name != "length" else len(other.losses.b) == x
        assert all(float(a.margin(other)) >= 0 for a in of.assumptions)
    here = len(base.losses.b) if name == "length" else float(getattr(base, name))
    lhs, rhs = witness_parts.curves(of, name, grid, broken).values()
    at = lhs[0].tolist().index(here)
    # The certified sides again, in floats: a few hundred rounded operations.
    assert lhs[1][at] == pytest.approx(witness_parts.number(found.lhs), rel=1e-9)
    assert rhs[1][at] == pytest.approx(witness_parts.number(found.rhs), rel=1e-9)


def test_what_moves_is_told_from_what_does_not() -> None:
    base = Instance(T=2.0, sigma=np.ones(2), word="a")
    assert witness_parts._moved(base, Instance(T=4.0, sigma=np.ones(2), word="a")) == ("T", 2.0, 4.0)
    assert witness_parts._moved(base, Instance(T=2.0, sigma=np.ones(3), word="a")) == ("length", 2.0, 3.0)
    assert witness_parts._moved(base, Instance(T=4.0, sigma=np.zeros(2), word="a")) is None
    assert witness_parts._moved(base, Instance(T=4.0, sigma=np.ones(3), word="a")) is None
    assert witness_parts._moved(base, Instance(T=2.0, sigma=np.ones(2), word="b")) is None
    assert witness_parts._moved(base, base) is None


def test_broken_assumptions_and_undefined_sides_are_not_drawn() -> None:
    of = statement("rem:oracle/last")
    good = witness_parts.floats(witnesses.witness(of.label), of)
    broken = witness_parts.broken_by(of, good)
    assert isinstance(witness_parts.sides_at(of, good, broken), Sides)
    assert witness_parts.sides_at(of, Instance(m=-1.0), broken) is None


def test_losses_are_shown_on_the_line_of_the_claim() -> None:
    label = "thm:ftrlomd/omd/literal"
    series = witnesses.compute(label)
    base = witness_parts.floats(witnesses.witness(label), statement(label))
    s, y = series["loss 1"]
    assert s[0] == -0.5 and s[-1] == 1.5 and len(y) == len(s)
    at_start = witness_parts.value(base.losses, 0, base.phi)
    assert np.interp(0.0, s, y) == pytest.approx(float(at_start), rel=1e-9)


@pytest.mark.parametrize(
    ("x", "text"),
    [(0.75, "3/4"), (3.0, "3"), (2.0**40, "2⁴⁰"), (2.0**-24, "2⁻²⁴"), (0.1, "0.1"), (12345.0, "1.234e+04")],
)
def test_numbers_are_readable(x: float, text: str) -> None:
    assert witness_panels.readable(x) == text


def test_close_sides_get_the_digits_that_tell_them_apart() -> None:
    assert witness_panels.pair(1.0000001, 1.0) == ("1.0000001", "1")
    assert witness_panels.pair(281.3618, 254.1391) == ("281.4", "254.1")


@pytest.mark.parametrize("label", SAMPLE)
def test_pictures_are_small(label: str, tmp_path: Path) -> None:
    svg, table = make(witnesses.name(label), tmp_path)
    assert svg.stat().st_size < 15_000 and table.suffix == ".csv"
    text = svg.read_text(encoding="utf-8")
    lhs, rhs = (float(witnesses.compute(label)[side][1][0]) for side in ("lhs", "rhs"))
    for side, words in zip(("lhs", "rhs"), witness_panels.pair(lhs, rhs), strict=True):
        assert re.search(rf">{side} = {re.escape(words.replace('-', '−'))}<|>{side} = {re.escape(words)}<", text)


def test_ticks_beyond_all_floats_are_no_warning(tmp_path: Path) -> None:
    svg, table = make(witnesses.name("eq:ewoo/exp-concave/literal-epsilon"), tmp_path)
    numbers = [float(line.split(",")[2]) for line in table.read_text().splitlines()[1:]]
    assert svg.exists() and max(map(abs, numbers)) > 1e200


def test_a_sheet_shows_all_that_its_pictures_show(tmp_path: Path) -> None:
    page = min(witness_sheets.pages(), key=lambda p: len(witness_sheets.labels(p)))
    first = [path.read_bytes() for path in make(f"witnesses_{page}", tmp_path)]
    assert [path.read_bytes() for path in make(f"witnesses_{page}", tmp_path)] == first
    names = {
        line.split(",")[0].split(" | ")[0] for line in (tmp_path / f"witnesses_{page}.csv").read_text().split("\n")
    }
    assert set(witness_sheets.labels(page)) <= names | {"series"}
    assert (tmp_path / f"witnesses_{page}.pdf").read_bytes().startswith(b"%PDF")


def test_unknown_labels_and_pages_are_named() -> None:
    with pytest.raises(ValueError, match="label must be that of a refuted statement of the ledger, got 'thm:ewoo'"):
        witnesses.witness("thm:ewoo")
    with pytest.raises(ValueError, match=r"page must be one of .*, got 'nowhere'"):
        witness_sheets.labels("nowhere")
