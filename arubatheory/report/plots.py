r"""Small drawings beside a verdict, as inline SVG: how tight the trials were, and how fast a quantity grows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from markupsafe import Markup

from arubatheory.engines.reach import RUNGS
from arubatheory.engines.trial import BINS
from arubatheory.engines.verdict import Verdict, Witness
from arubatheory.report.plain import count
from arubatheory.report.svg import stepwise

WIDTH, HEIGHT = 216, 60
TALL = 92  # the height of a curve
# The axis of all spreads, once for the page: the ratio 0 is at the left end of the first bar, 1 right before the last;
# and the gaps between their bars, which are drawn as one outline. And the axis of ratios by size, from 0 to 1.
GAPS = "".join(f"M{10 * i + 9} 0V44" for i in range(BINS))
AXIS = Markup(
    f'<svg width="0" height="0" aria-hidden="true"><g id="ratios"><path class="gaps" d="{GAPS}"/><path class="axis" '
    f'd="M0 44.5H{WIDTH}M.5 44v5M202 44v5"/><text y="58">0</text><text x="199" y="58">1</text></g><g id="sizes"><path '
    f'class="axis" d="M0 44.5H{WIDTH}"/><path class="claimed" d="M0 6H{WIDTH}"/></g></svg>'
)


def spread(verdict: Verdict) -> Markup:
    """Counted trials by ratio: bars on a logarithmic scale over an axis with ticks at 0 and 1, the last bar for ratios
    of 1 and above; nothing for none."""
    bins = verdict.histogram
    if len(bins) != BINS + 1 or sum(n > 0 for n in bins) < 2:  # one bar says no more than the counts
        return Markup()
    top = math.log1p(max(bins))
    heights = [n and max(1, round(40 * math.log1p(n) / top)) for n in bins]
    heights[BINS:] = [0, heights[BINS]]  # what is 1 or above stands apart
    widths = [1] * BINS + [0.6, 0.8]  # in bars, which the style sheet makes 10 wide
    outline, before = "M0 44", 0
    for height, some in groupby(zip(heights, widths, strict=True), key=itemgetter(0)):
        outline += f"v{before - height}h{sum(wide for _, wide in some):g}"
        before = height
    tight = f", {bins[BINS]:,} of them ≥ 1" if bins[BINS] else ""
    drawing = Markup('<path d="{}V44"/><use href="#ratios"/>').format(outline)
    return _figure(drawing, HEIGHT, f"Ratios of {count(sum(bins), 'trial')}{tight}")


def sizes(verdict: Verdict) -> Markup:
    """The worst ratio by size, for the size of most values: dots in an axis from 0 to 1 or more; nothing for fewer than
    three values, or where a side is not positive."""
    curves = verdict.reach.by_size
    name, points = max(curves.items(), key=lambda pair: len(pair[1]), default=("", []))
    if len(points) < RUNGS or verdict.measure != "lhs/rhs" or any(ratio < 0 for _, ratio in points):
        return Markup()
    top = max(1.0, *(ratio for _, ratio in points))
    step = (WIDTH - 8) / (len(points) - 1)
    places = [(f"{4 + k * step:.0f}", f"{44 - 38 * ratio / top:.1f}") for k, (_, ratio) in enumerate(points)]
    lines = Markup('<path class="axis" d="M0 44.5H{}"/><path class="claimed" d="M0 {:.1f}H{}"/>')
    axis = Markup('<use href="#sizes"/>') if top == 1 else lines.format(WIDTH, 44 - 38 / top, WIDTH)
    drawing = axis + Markup('<path class="dots" d="{}"/>').format(_dots(places))
    return _figure(drawing, HEIGHT, f"Worst ratio by {name}, 1 to {int(points[-1][0])}")


def curve(witness: Witness | None, growth: Any) -> Markup:
    """The measured values of a claim about growth, in logarithms, with the claimed growth drawn through the last one;
    nothing where there are fewer than two positive ones."""
    points = [(T, y) for T, y in (witness.curve if witness else ()) if T > 0 and y and y > 0 and math.isfinite(y)]
    if growth is None or len(points) < 2:
        return Markup()
    (first, _), (last, end) = points[0], points[-1]
    scale = end / _claimed(growth, last)
    claimed = [(T, scale * _claimed(growth, T)) for T in (first * (last / first) ** (k / 12) for k in range(13))]
    at = _frame(points + claimed)
    dots = _dots([at(point) for point in points])
    line = stepwise("M" + "L".join(f"{x} {y}" for x, y in map(at, claimed)))
    n = growth.variable
    power = f" log^{growth.power:g} {n}" if growth.power else ""
    label = f"Measured from {n} = {first:g} to {last:g}; dashed: the claimed growth {n}^{growth.exponent:g}{power}"
    axis = '<path class="axis" d="M0 {}H{}"/><path class="claimed" d="{}"/><path class="dots" d="{}"/>'
    return _figure(Markup(axis).format(TALL - 1.5, WIDTH, line, dots), TALL, label)


def _dots(places: Sequence[tuple[str, str]]) -> str:
    """Lines of no length, whose ends are round."""
    return stepwise("".join(f"M{x} {y}L{x} {y}" for x, y in places))


def _claimed(growth: Any, T: float) -> float:
    return float(T**growth.exponent * math.log(max(T, 2.0)) ** growth.power)


def _frame(points: Sequence[tuple[float, float]]) -> Any:
    """The map from (T, y) to places in the drawing, both logarithmic."""
    xs, ys = [math.log(T) for T, _ in points], [math.log(y) for _, y in points]
    wide, high = max(max(xs) - min(xs), 1e-9), max(max(ys) - min(ys), 1e-9)

    def at(point: tuple[float, float]) -> tuple[str, str]:
        x = 4 + (WIDTH - 8) * (math.log(point[0]) - min(xs)) / wide
        y = TALL - 6 - (TALL - 12) * (math.log(point[1]) - min(ys)) / high
        return f"{x:.0f}", f"{y:.1f}"

    return at


def _figure(drawing: Markup, height: int, label: str) -> Markup:
    """The drawing with its label below, which says all that a reader who cannot see it needs."""
    size = Markup(' viewBox="0,0,{},{}"').format(WIDTH, height) if height != HEIGHT else ""  # else in the style sheet
    figure = Markup('<figure><svg{} aria-hidden="true">{}</svg>{}</figure>')
    return figure.format(size, drawing, Markup("<br/>").join(label.split("; ")))
