"""The house style: smaller files, the same picture."""

from __future__ import annotations

import io
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from grey import apart
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from figures.house import AS_TEXT, LOOKS, METADATA, STYLE, log_ticks, rows, short, slim, write

SVG = "{http://www.w3.org/2000/svg}"


def drawing(style: dict[str, object]) -> tuple[Figure, str]:
    """A figure with a line, markers and words, and what matplotlib writes of it."""
    with rc_context({**STYLE, **style}):
        fig = Figure(figsize=(3, 2))
        ax = fig.subplots()
        ax.plot(np.arange(20.0), np.sqrt(np.arange(20.0)), marker="o", label="lhs / rhs = 1.23456789")
        ax.legend()
        out = io.StringIO()
        fig.savefig(out, format="svg", metadata=METADATA["svg"])
    return fig, out.getvalue()


@pytest.mark.parametrize("style", [{}, AS_TEXT])
def test_slimming_keeps_the_picture(style: dict[str, object]) -> None:
    _, before = drawing(style)
    after = slim(before)
    assert len(after) < 0.75 * len(before)
    old, new = ElementTree.fromstring(before), ElementTree.fromstring(after)
    for tag in ("path", "use", "text"):
        shapes = [[node for node in tree.iter(SVG + tag)] for tree in (old, new)]
        assert len(shapes[0]) == len(shapes[1])
        for a, b in zip(*shapes, strict=True):
            assert (a.text or "").strip() == (b.text or "").strip()  # words are never touched
            for name in ("x", "y"):
                if a.get(name):
                    # two decimals of a point
                    assert float(b.get(name) or "nan") == pytest.approx(float(a.get(name) or "nan"), abs=0.0051)
            if tag == "path":
                assert numbers(b.get("d")) == pytest.approx(numbers(a.get("d")), abs=0.0051)


def numbers(d: str | None) -> list[float]:
    """The coordinates of a path."""
    return [float(x) for x in "".join(c if c in "0123456789.-" else " " for c in d or "").split()]


def test_every_style_survives() -> None:
    _, before = drawing({})
    after = slim(before)
    sheet = dict(part.split("{") for part in after.split("</style>")[0].split("}") if "{" in part and "." in part)
    styles = [node.get("style") for node in ElementTree.fromstring(before).iter() if node.get("style")]
    expected = {style.replace("; ", ";").replace(": ", ":") for style in styles if style}
    kept = set(sheet.values()) | {
        (node.get("style") or "").replace("; ", ";").replace(": ", ":") for node in ElementTree.fromstring(after).iter()
    }
    assert {style for style in expected if "." not in style} <= kept


def test_looks_differ_without_colour() -> None:
    assert len({look.marker for look in LOOKS}) == len({look.color for look in LOOKS}) == len(LOOKS)
    lines = [Line2D([], [], **look.line) for look in LOOKS]
    assert [pair for pair in combinations(lines, 2) if not apart(*pair)] == []


@pytest.mark.parametrize(
    ("one", "other", "seen"),
    [
        ({"linestyle": ":"}, {"linestyle": (0, (1, 1))}, False),
        ({"linestyle": ":"}, {"linestyle": (0, (1, 4))}, True),
        ({"linestyle": "-."}, {"linestyle": "--"}, True),
        ({"linewidth": 1.4}, {"linewidth": 1.6}, False),
        ({"linewidth": 0.7}, {"linewidth": 1.4}, True),
        ({"marker": "o"}, {"marker": "s"}, True),
        ({"marker": "o"}, {"marker": "o", "linestyle": "none"}, True),
        ({"color": "red"}, {"color": "blue"}, False),
    ],
)
def test_what_is_seen_in_grey(one: dict[str, Any], other: dict[str, Any], seen: bool) -> None:
    assert apart(Line2D([], [], **one), Line2D([], [], **other)) is seen


@pytest.mark.parametrize(
    ("x", "text"),
    [(0.0, "0"), (0.05, "0.05"), (300.0, "300"), (1e6, "10⁶"), (2e-7, "2×10⁻⁷"), (-1e5, "-1×10⁵"), (np.inf, "")],
)
def test_ticks_are_short(x: float, text: str) -> None:
    assert short(x) == text


@pytest.mark.parametrize("high", [3.0, 30.0, 1e9])
def test_a_logarithmic_axis_has_a_few_ticks(high: float) -> None:
    ax = Figure().subplots()
    ax.set_yscale("log")
    ax.set_ylim(1.0, high)
    log_ticks(ax.yaxis)
    seen = [t for t in ax.yaxis.get_majorticklocs() if 1.0 <= t <= high]
    assert 2 <= len(seen) <= 8


def test_the_csv_has_ten_digits(tmp_path: Path) -> None:
    series = {"a": (np.array([1.0]), np.array([1 / 3]))}
    assert list(rows(series)) == [("series", "x", "y"), ("a", "1", "0.3333333333")]
    write(Figure(), series, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes() == b"series,x,y\na,1,0.3333333333\n"
