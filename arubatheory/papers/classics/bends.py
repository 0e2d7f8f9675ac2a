r"""Smooth convex functions of one variable that several files share, with their minimum 0 at 0.

The derivative is piecewise linear: on each side of 0 it climbs over pieces of given widths with given slopes, the last
of which goes on for ever.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from arubatheory import Draw
from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.problems.scalar import smaller

PIECES = 3


class Bend(NamedTuple):
    r"""Widths (2, PIECES - 1) and slopes (2, PIECES) right and left of 0."""

    widths: Array
    slopes: Array


def random_bend(draw: Draw, low: Any, high: Any) -> Bend:
    """A function whose second derivative lies between `low` and `high`."""
    return Bend(draw.positive(-4, 4, (2, PIECES - 1)), draw.real(low, high, (2, PIECES)))


@kernel
def at(f: Bend, x: Any) -> Any:
    r"""[exact] $f(x)$ and $f'(x)$."""
    side = 0 if x >= 0 else 1
    rest, value, slope = abs(x), 0 * x, 0 * x
    for j in range(f.slopes.shape[1]):
        step = smaller(rest, f.widths[side, j]) if j < f.widths.shape[1] else rest
        value = value + slope * step + f.slopes[side, j] * step * step / 2
        slope, rest = slope + f.slopes[side, j] * step, rest - step
    return value, slope if side == 0 else -slope
