"""Figures in the style of `figures/`: what is drawn is what stands in the csv beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from figures.house import STYLE, Series, settle, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Picture(NamedTuple):
    """What a figure shows, the function that draws it, and what is seen, in words and numbers."""

    series: Series
    draw: Callable[[Figure, Series], None]
    caption: str


def save(name: str, picture: Picture, out: Path, formats: tuple[str, ...] = ("svg", "png", "csv")) -> list[Path]:
    """Draw a figure into the folder `out`, one file for each format."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    out.mkdir(parents=True, exist_ok=True)
    with rc_context(STYLE):
        fig = Figure(layout="constrained")
        picture.draw(fig, picture.series)
        settle(fig)
        return [write(fig, picture.series, out / f"{name}.{suffix}") for suffix in formats]
