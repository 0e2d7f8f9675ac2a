r"""Illustrations of the paper's statements: `python -m figures [NAME...]`.

One module per figure, with `compute() -> Series` (numbers, from the package's own learners) and `draw(fig, series)`
(the picture). What is drawn is what is in the csv beside it. A new figure is a module and one line of `FIGURES`.

Files are the same byte for byte on every run: no dates, a fixed salt for svg names, fonts as outlines.
"""

from __future__ import annotations

import csv
import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Series = dict[str, tuple[np.ndarray, np.ndarray]]
"""What a figure shows: for each named series its abscissae and ordinates, two float arrays of one length."""

FIGURES = {
    "bound_at_work": "Theorem A.1 at work: the regret of lazy OGD, its bound, and how close the two can come",
}
FORMATS = ("svg", "pdf", "png", "csv")

# Okabe and Ito's palette, distinguishable with every common colour vision; series differ in marker or dash as well.
BLUE, VERMILION, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "arubatheory",
    "svg.fonttype": "path",
    "pdf.compression": 6,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "legend.frameon": False,
}
# matplotlib stamps these files with the date and its version unless told otherwise.
METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


def make(name: str, out: Path) -> list[Path]:
    """Compute and draw one figure into the folder `out`; the files written, one for each of `FORMATS`.

    Raises ValueError for a name that is not in `FIGURES`.
    """
    if name not in FIGURES:
        raise ValueError(f"name must be one of {', '.join(FIGURES)}, got {name!r}")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    module = importlib.import_module(f"figures.{name}")
    series: Series = module.compute()
    out.mkdir(parents=True, exist_ok=True)
    with rc_context(STYLE):
        fig = Figure(layout="constrained")
        module.draw(fig, series)
        return [_write(fig, series, out / f"{name}.{suffix}") for suffix in FORMATS]


def _write(fig: Figure, series: Series, path: Path) -> Path:
    suffix = path.suffix[1:]
    if suffix == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows(series))
    else:
        fig.savefig(path, metadata=METADATA[suffix], dpi=200)
    return path


def rows(series: Series) -> Iterable[tuple[str, str, str]]:
    """The lines of the csv: series, x, y. Ten digits are more than a plot shows and fewer than processors dispute."""
    yield ("series", "x", "y")
    for name, (x, y) in series.items():
        yield from ((name, f"{a:.10g}", f"{b:.10g}") for a, b in zip(x, y, strict=True))
