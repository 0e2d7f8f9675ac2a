"""Lines as a grey print shows them: what is left to tell two of them apart when their colours are gone."""

from __future__ import annotations

from matplotlib.lines import Line2D

FACTOR, WIDER = 2.0, 1.5  # a dash or a gap twice as long, a line half as wide again: seen without a ruler


def pieces(line: Line2D) -> tuple[float, ...]:
    """The dashes and gaps of one period, in widths of the line; none for a solid line."""
    return tuple(line._unscaled_dash_pattern[1] or ())


def apart(one: Line2D, other: Line2D) -> bool:
    """Whether two lines differ by a marker, by being drawn at all, by width, or by dashes that look different."""
    if one.get_marker() != other.get_marker() or (one.get_linestyle() == "None") != (other.get_linestyle() == "None"):
        return True
    if _far(one.get_linewidth(), other.get_linewidth(), WIDER) or len(pieces(one)) != len(pieces(other)):
        return True
    return any(_far(a, b, FACTOR) for a, b in zip(pieces(one), pieces(other), strict=True))


def _far(a: float, b: float, factor: float) -> bool:
    return max(a, b) >= factor * min(a, b)
