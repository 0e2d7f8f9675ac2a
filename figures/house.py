r"""The house style: one palette, one second sign for each series, and files that never change by themselves.

Colours are Okabe and Ito's, distinguishable with every common colour vision; a series has a marker or a dash of its own
as well, so that a picture can be read in grey. Files carry no date and no version, names inside an svg have a fixed
salt, text is outlines, so that it looks the same wherever it is shown; only in the many small pictures of witnesses it
is text, for the sake of their size.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arubatheory.report.files import replace_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Series = dict[str, tuple[np.ndarray, np.ndarray]]
"""What a figure shows: for each named series its abscissae and ordinates, two float arrays of one length."""

BLUE, VERMILION, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"
ORANGE, SKY, PURPLE, GREY = "#E69F00", "#56B4E9", "#CC79A7", "#666666"

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "arubatheory",
    "svg.fonttype": "path",
    "pdf.compression": 6,
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "legend.handlelength": 2.6,
    "hatch.linewidth": 0.6,
}
DPI = 200
AS_TEXT = {"svg.fonttype": "none"}
# matplotlib stamps these files with the date and its version unless told otherwise.
METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


class Look(NamedTuple):
    """How a series is told from others: by its colour, and once more by its marker or its dash."""

    color: str
    marker: str
    linestyle: Any

    @property
    def line(self) -> dict[str, Any]:
        """Keywords of `plot` for a line without markers."""
        return {"color": self.color, "linestyle": self.linestyle}

    @property
    def dots(self) -> dict[str, Any]:
        """Keywords of `plot` for markers without a line."""
        return {"color": self.color, "marker": self.marker, "linestyle": "none"}

    @property
    def both(self) -> dict[str, Any]:
        """Keywords of `plot` for a line with markers."""
        return {"color": self.color, "marker": self.marker, "linestyle": self.linestyle}


LOOKS = (
    Look(BLUE, "o", "-"),
    Look(VERMILION, "s", "--"),
    Look(GREEN, "^", "-."),
    Look(PURPLE, "D", ":"),
    Look(BLACK, "x", (0, (6, 1.5, 1, 1.5, 1, 1.5))),
    Look(ORANGE, "v", (0, (9, 2))),
    Look(SKY, "P", (0, (1, 4))),
)
LEFT, RIGHT = LOOKS[1], LOOKS[0]  # the two sides of an inequality, in every figure
BOUND = Look(BLACK, "", "-")  # what is claimed


def settle(fig: Figure) -> None:
    """Lay a drawn figure out, once for all its files."""
    fig.draw_without_rendering()
    fig.set_layout_engine("none")


def rows(series: Series) -> Iterable[tuple[str, str, str]]:
    """The lines of the csv: series, x, y. Ten digits are more than a plot shows and fewer than processors dispute."""
    yield ("series", "x", "y")
    for name, (x, y) in series.items():
        yield from ((name, f"{a:.10g}", f"{b:.10g}") for a, b in zip(x, y, strict=True))


def write(fig: Figure, series: Series, path: Path) -> Path:
    """The file of a drawn figure in the format of its suffix: csv (what is drawn), svg, pdf or png."""
    suffix, text = path.suffix[1:], io.StringIO()
    if suffix == "csv":
        csv.writer(text, lineterminator="\n").writerows(rows(series))
        return replace_text(path, text.getvalue())
    if suffix == "svg":
        fig.savefig(text, format="svg", metadata=METADATA[suffix])
        return replace_text(path, slim(text.getvalue()))
    fig.savefig(path, metadata=METADATA[suffix], dpi=DPI)
    return path


def slim(svg: str) -> str:
    """The same picture in about a third of the bytes: no comments, no indentation, a few digits, short names, and a
    style that is used often written once, as a class.

    matplotlib writes six decimals of a point; a printer shows two.
    """
    svg = re.sub(r"<!--.*?-->|<!DOCTYPE.*?>|<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = "".join(_slim_tag(piece) if piece.startswith("<") else piece for piece in re.split(r"(<[^>]*>)\s*", svg))
    svg = re.sub(r"<g>(<(?:path|use) [^>]*/>)</g>", r"\1", svg)
    svg = svg.replace("font-family: 'DejaVu Sans'", "font-family: 'DejaVu Sans', sans-serif")
    return _classes(_short_names(svg)).strip() + "\n"


def _slim_tag(tag: str) -> str:
    """One tag; text between tags is left alone."""
    tag = re.sub(r"-?\d+\.\d{3,}", _rounded, tag)
    tag = re.sub(r"<g id=\"[A-Za-z]+[A-Za-z0-9_.]*\"", "<g", tag)
    tag = re.sub(r" transform=\"rotate\(-0 [^)]*\)\"", "", tag)
    tag = re.sub(r"(?<= d=\")[^\"]*", lambda path: re.sub(r"\s*([A-Za-z])\s*", r"\1", path[0]).strip(), tag)
    return re.sub(r"\s+", " ", tag).replace(" />", "/>").replace(" >", ">")


def _rounded(number: re.Match[str]) -> str:
    value = float(number[0])
    return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) >= 1 else f"{value:.5g}"


def _short_names(svg: str) -> str:
    """Names of glyphs, markers and clips, each used hundreds of times, in two or three characters."""
    names = {name: f"i{k:x}" for k, name in enumerate(dict.fromkeys(re.findall(r" id=\"([^\"]+)\"", svg)))}
    svg = re.sub(r" id=\"([^\"]+)\"", lambda found: f' id="{names[found[1]]}"', svg)
    return re.sub(r"(href=\"|url\()#([^\")]+)", lambda found: f"{found[1]}#{names[found[2]]}", svg)


def _classes(svg: str) -> str:
    """Styles that occur more than once as classes of a style sheet."""
    styles = re.findall(r" style=\"([^\"]+)\"", svg)
    shared = [style for style in dict.fromkeys(styles) if styles.count(style) > 1]
    for k, style in enumerate(shared):
        svg = svg.replace(f' style="{style}"', f' class="c{k:x}"')
    sheet = "".join(f".c{k:x}{{{style.replace('; ', ';').replace(': ', ':')}}}" for k, style in enumerate(shared))
    return svg.replace("</style>", f"{sheet}</style>", 1)


def panel_title(ax: Axes, text: str, size: float = 8.5) -> None:
    """A small title of one panel among many."""
    ax.set_title(text, fontsize=size, pad=3)


def log_ticks(axis: Any, most: int = 6) -> None:
    """A few ticks on a logarithmic axis: powers of ten, or a few between these where it spans little."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    if high < 40 * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 12 * low else (1.0, 3.0), numticks=most + 2))
    else:
        axis.set_major_locator(LogLocator(numticks=most))
    axis.set_major_formatter(FuncFormatter(lambda x, _: short(x)))
    axis.set_minor_locator(LogLocator(subs=()))
    axis.set_minor_formatter(NullFormatter())


def short(x: float) -> str:
    """A number for a tick: 0.05, 300, 10⁶, 2×10⁻⁷; no text for one beyond all floats, which no axis reaches."""
    if not np.isfinite(x):
        return ""
    if x == 0 or 1e-3 <= abs(x) < 1e4:
        return f"{x:.3g}" if abs(x) < 1e3 else f"{x:.0f}"
    mantissa, _, exponent = f"{x:.1e}".partition("e")
    power = "10" + superscript(int(exponent))
    head = mantissa.removesuffix(".0")
    return power if head == "1" else f"{head}×{power}"


def superscript(k: int) -> str:
    """An integer in raised digits."""
    return str(k).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def print_values(ax: Axes, lines: Iterable[tuple[str, str]], size: float = 8.5) -> None:
    """A small table of names and values on axes of their own; a line without a value is a heading."""
    ax.set_axis_off()
    for k, (name, value) in enumerate(lines):
        height, weight = 0.97 - k * 0.095, "normal" if value else "bold"
        ax.text(0.0, height, name, transform=ax.transAxes, fontsize=size, fontweight=weight, va="baseline")
        ax.text(1.0, height, value, transform=ax.transAxes, fontsize=size, va="baseline", ha="right")
