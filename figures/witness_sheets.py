"""The witnesses of one section of the paper on a page: the rows of `witnesses`, two beside each other."""

from __future__ import annotations

import functools
from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING

from arubatheory.papers.aruba import ARUBA
from figures import witnesses
from figures.house import Series
from figures.witness_panels import draw_row, word
from figures.witness_parts import LENGTHS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEPARATOR = " | "
COLUMNS, MOST = 2, 20


@functools.cache
def _pages() -> dict[str, tuple[str, ...]]:
    by_section: dict[str, list[str]] = {}
    for label in witnesses.refuted():
        item = ARUBA.item_of(label)
        if item is not None:
            by_section.setdefault(PurePath(item.file).stem, []).append(label)
    pages: dict[str, tuple[str, ...]] = {}
    for section, those in by_section.items():
        starts = range(0, len(those), MOST)
        for k, first in enumerate(starts, 1):
            pages[section if len(starts) == 1 else f"{section}_{k}"] = tuple(those[first : first + MOST])
    return pages


def pages() -> tuple[str, ...]:
    """A name for each page: the section of the paper, with a number where it fills several."""
    return tuple(_pages())


def labels(page: str) -> tuple[str, ...]:
    """The refuted statements on a page. Raises ValueError for a page that does not exist."""
    if page not in _pages():
        raise ValueError(f"page must be one of {', '.join(_pages())}, got {page!r}")
    return _pages()[page]


def compute(page: str) -> Series:
    """What the figures of the page's statements show; the names begin with the label."""
    return {f"{label}{SEPARATOR}{name}": xy for label in labels(page) for name, xy in witnesses.compute(label).items()}


def caption(series: Series, page: str) -> str:
    """How many there are, and along what their sides vary."""
    section = page.partition("_")[0]
    each = _each(series)
    found = Counter(witnesses.grown(own) for own in each.values())
    undefined, still = sum("lhs" not in own for own in each.values()), found.pop(None, 0)
    lengths = sum(number for along, number in found.items() if along in LENGTHS)
    others = ", ".join(f"{word(along)} {number}" for along, number in found.items() if along and along not in LENGTHS)
    return (
        f"The simplest witnesses of {len(labels(page))} refuted statements of section {section}: what they are, both "
        f"sides, and how these grow: in {lengths} along a length (tasks, rounds, copies), in {found.total() - lengths} "
        f"along another number{f' ({others})' if others else ''}; in {still - undefined} nothing that "
        f"matters can be drawn differently by itself, and in {undefined} a side is not a real number."
    )


def _each(series: Series) -> dict[str, Series]:
    """The series of each label."""
    each: dict[str, Series] = {}
    for name, xy in series.items():
        label, _, part = name.partition(SEPARATOR)
        each.setdefault(label, {})[part] = xy
    return each


def draw(fig: Figure, series: Series) -> None:
    """A grid of rows."""
    each = _each(series)
    lines = -(-len(each) // COLUMNS)
    fig.set_layout_engine("none")
    fig.set_size_inches(6.2 * COLUMNS, 1.75 * lines)
    grid = fig.subfigures(lines, COLUMNS, squeeze=False, wspace=0.03)
    for part, (label, own) in zip(grid.flat, each.items(), strict=False):
        draw_row(part, own, label)
