"""The drawings beside a verdict."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from toy import TRUE, verdict, witness

from arubatheory.engines.rate import rate
from arubatheory.engines.statistics import grid
from arubatheory.engines.trial import BINS
from arubatheory.engines.verdict import Status
from arubatheory.report.plots import AXIS, TALL, WIDTH, curve, spread
from arubatheory.statements.growth import Growth

GROWTH = Growth(lambda i, T: 0.0, 0.5, 1.0)


def numbers(path: str) -> list[tuple[float, float]]:
    """The points of a path that says the way from each to the next one."""
    x, y, found = 0.0, 0.0, []
    for letter, way in re.findall(r"([mhv])([^mhv]*)", path):
        steps = [float(step) for step in re.findall(r"-?(?:\d+(?:\.\d+)?|\.\d+)", way)]
        pairs = zip(steps[::2], steps[1::2], strict=True) if letter == "m" else ((s, 0) for s in steps)
        for right, down in (pair if letter != "v" else pair[::-1] for pair in pairs):
            x, y = round(x + right, 1), round(y + down, 1)
            found.append((x, y))
    return list(dict.fromkeys(found))


def path_of(svg: str, name: str | None) -> str:
    (found,) = (e.get("d") or "" for e in ElementTree.fromstring(svg).iter("path") if e.get("class") == name)
    return found


def bars_of(bins: list[int]) -> dict[int, int]:
    """The heights of the bars that are not empty, by where they begin."""
    outline = path_of(spread(verdict("clm:cdual", Status.SURVIVED, histogram=bins)), None)
    x = height = 0
    found = {}
    for way, length in re.findall(r"([vh])(-?[\d.]+)", outline):
        if way == "v":
            height -= int(length)
        elif height:
            found[x] = height
        x += round(10 * float(length)) if way == "h" else 0  # in bars, which are drawn 10 wide
    assert outline.startswith("M0 44") and outline.endswith("V44")
    return found


def test_a_bar_for_each_bin_that_is_not_empty() -> None:
    bins = [0] * (BINS + 1)
    bins[0], bins[7], bins[BINS] = 1, 1000, 10
    heights = bars_of(bins)
    assert list(heights) == [0, 70, 206]
    assert heights[70] == 40 and heights[0] < heights[206] < heights[70]


def test_what_it_shows_is_also_said() -> None:
    bins = [5] * BINS + [3]
    root = ElementTree.fromstring(spread(verdict("clm:cdual", Status.SURVIVED, histogram=bins)))
    assert "".join(root.itertext()) == "Ratios of 103 trials, 3 of them ≥ 1"


def test_bars_stand_on_an_axis_with_ticks_at_0_and_1() -> None:
    """The bars below 1 stand between the ticks, the bar of 1 and above on the right; gaps keep them apart."""
    axis = ElementTree.fromstring(AXIS)
    ratios = ElementTree.tostring(axis.findall("g")[0], encoding="unicode")
    ticks = [float(x) for x in re.findall(r"M([\d.]+) [\d.]+v", path_of(ratios, "axis"))]
    gaps = [int(x) for x in re.findall(r"M(\d+) 0V44", path_of(AXIS, "gaps"))]
    assert [t.text for t in axis.iter("text")] == ["0", "1"]
    drawing = spread(verdict("clm:cdual", Status.SURVIVED, histogram=[1, 2, 4] * (BINS // 3) + [1, 2, 4]))
    (use,) = (e.get("href") for e in ElementTree.fromstring(drawing).iter("use"))
    assert use == f"#{axis.find('g').get('id')}"
    bars = list(bars_of([1, 2, 4] * (BINS // 3) + [1, 2, 4]))
    assert ticks[0] < bars[0] + 4 and bars[BINS - 1] < ticks[1] < bars[BINS] and len(ticks) == 2
    assert gaps == [x + 9 for x in bars[:BINS]]


@pytest.mark.parametrize("bins", [(), (0,) * (BINS + 1), (1, 2), (0, 9) + (0,) * (BINS - 1)])
def test_no_histogram_no_drawing(bins: tuple[int, ...]) -> None:
    assert spread(verdict("clm:cdual", Status.SURVIVED, histogram=bins)) == ""


def test_measured_values_lie_on_the_claimed_curve_where_they_grow_so() -> None:
    values = [[float(T), 3 * math.sqrt(T) * math.log(T)] for T in grid(GROWTH)]
    drawing = curve(witness(curve=values), GROWTH)
    dots, line = (numbers(path_of(drawing, name)) for name in ("dots", "claimed"))
    assert len(dots) == len(values)
    assert (dots[0], dots[-1]) == (line[0], line[-1])
    assert all(0 <= x <= WIDTH and 0 <= y <= TALL for x, y in dots + line)
    assert "T^0.5 log^1 T" in drawing


def test_a_faster_growth_ends_where_the_claim_does_and_begins_below() -> None:
    values = [[float(T), float(T)] for T in grid(GROWTH)]
    drawing = curve(witness(curve=values), GROWTH._replace(power=0.0))
    dots, line = (numbers(path_of(drawing, name)) for name in ("dots", "claimed"))
    assert dots[-1] == line[-1]
    assert dots[0][1] > line[0][1] + 5  # lower on the page: smaller


@pytest.mark.parametrize(
    "values", [[], [[16.0, 1.0]], [[16.0, -1.0], [32.0, 0.0], [64.0, None]], [[16.0, math.inf]] * 3]
)
def test_nothing_positive_no_curve(values: list[list[float]]) -> None:
    assert curve(witness(curve=values), GROWTH) == ""


def test_the_engine_keeps_what_it_measured() -> None:
    growth = Growth(lambda i, T: (1 + i.x * i.x) * T, 1.0)
    statement = replace(TRUE, growth=growth, engines=("rate",), assumptions=())
    found = rate(statement, 3, 1)
    assert found.worst is not None
    assert [T for T, _ in found.worst.curve] == grid(growth)
    slopes = {f"{y / T:.4g}" for T, y in found.worst.curve}
    assert len(slopes) == 1
    assert type(found).from_json(json.loads(json.dumps(found.to_json()))) == replace(found, histogram=())
    assert curve(found.worst, growth)
