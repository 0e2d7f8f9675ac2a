r"""How close the statements come to their bounds: the worst ratio of every statement on record.

From the ledger, one row for each item of the paper that has a statement: the worst ratio lhs/rhs that was found.
Beyond 1 the claim is broken. Where rhs is not positive the record is lhs - rhs, which says how a claim fails
and not how tight it is: what survived is then left out, what was refuted stands in the last column.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from arubatheory.papers.aruba import ARUBA
from arubatheory.report.ledger import LedgerRow
from figures.captions import recorded
from figures.house import BLUE, GREY, PURPLE, VERMILION, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LARGEST, DECADES, UNBOUNDED = 1e3, 3.0, 1.85  # the axis is linear up to 1, then three decades, then a column
COLUMNS = 3
UNBROKEN = ("SURVIVED", "PROVED")
MARKS: dict[str, dict[str, Any]] = {
    "SURVIVED": {"color": BLUE, "marker": "o", "markerfacecolor": "none"},
    "PROVED": {"color": BLUE, "marker": "s"},
    "SUSPECT": {"color": PURPLE, "marker": "D"},
    "REFUTED": {"color": VERMILION, "marker": "x"},
}


def labels() -> tuple[str, ...]:
    """Every statement with a place in the picture."""
    return tuple(label for label, row in recorded().items() if place(row) is not None and ARUBA.item_of(label))


def place(row: LedgerRow) -> float | None:
    """Where a record stands on the axis: its ratio up to 1, then its logarithm, then the column of no ratio."""
    if row.status not in MARKS:
        return None
    try:
        ratio = float(row.worst_ratio)
    except ValueError:
        ratio = math.inf
    if row.status in UNBROKEN:
        return ratio if 0 < ratio <= 1 else None
    if not 1 < ratio <= LARGEST:
        return UNBOUNDED
    return 1 + 0.7 * math.log10(ratio) / DECADES


def compute(ledger: dict[str, LedgerRow] | None = None) -> Series:
    """For each item and status the places of its statements; ordinates count the items."""
    rows = recorded() if ledger is None else ledger
    found: dict[str, list[tuple[str, float]]] = {}
    for label, row in rows.items():
        item, where = ARUBA.item_of(label), place(row)
        if item is not None and where is not None:
            found.setdefault(item.slug, []).append((row.status, where))
    series: Series = {}
    for k, slug in enumerate(item.slug for item in ARUBA.everything if item.slug in found):
        for status in MARKS:
            places = sorted(where for kind, where in found[slug] if kind == status)
            if places or status == "SURVIVED":
                series[f"{slug}: {status}"] = (np.array(places), np.full(len(places), float(k)))
    return series


def caption(series: Series) -> str:
    """How many statements have each verdict, how many that survived are tight, and the items at the ends."""
    found = {status: _by_place(series, status) for status in MARKS}
    tight = sum(x > 0.99 for status in UNBROKEN for x, _ in found[status])
    drawn = ", ".join(f"{len(those)} {status}" for status, those in found.items())
    beyond = [pair for pair in found["REFUTED"] if pair[0] < UNBOUNDED]
    ends = (("the smallest that survived is of", found["SURVIVED"][:1]), ("the largest refuted one of", beyond[-1:]))
    extremes = "; ".join(f"{words} {slug} ({_ratio(x):.3g})" for words, pairs in ends for x, slug in pairs)
    return (
        f"The worst ratio lhs/rhs on record for every statement, by item of the paper: {drawn}. Of those that survived "
        f"{tight} come within one per cent of their bound. Of the ratios in view {extremes or 'none is extreme'}. The "
        f"axis is linear up to 1 and logarithmic beyond; in the last column are ratios above {LARGEST:g}, sides that "
        "are no numbers, and violations where the right side is not positive."
    )


def _by_place(series: Series, status: str) -> list[tuple[float, str]]:
    """The places and items of all with a status, from left to right."""
    ends = f": {status}"
    return sorted(
        (float(x), name.removesuffix(ends)) for name, (xs, _) in series.items() if name.endswith(ends) for x in xs
    )


def _ratio(place: float) -> float:
    """The ratio at a place before the last column."""
    return place if place <= 1 else 10.0 ** ((place - 1) * DECADES / 0.7)


def draw(fig: Figure, series: Series) -> None:
    """One row for each item, in three columns."""
    slugs = list(dict.fromkeys(name.rpartition(": ")[0] for name in series))
    each = max(-(-len(slugs) // COLUMNS), 1)
    fig.set_size_inches(10.4, 0.185 * each + 1.0)
    axes = fig.subplots(1, COLUMNS, sharex=True)
    for ax, first in zip(axes, range(0, COLUMNS * each, each), strict=True):
        _draw_column(ax, series, slugs[first : first + each], first, each)
    for status, mark in MARKS.items():
        axes[0].plot([], [], linestyle="none", label=status.lower(), markersize=4.5, **mark)
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)


def _draw_column(ax: Axes, series: Series, slugs: list[str], first: int, each: int) -> None:
    ax.axvspan(1, UNBOUNDED + 0.06, color=VERMILION, alpha=0.06, linewidth=0)
    ax.axvline(1, color=GREY, linewidth=0.9)
    for slug in slugs:
        for status, mark in MARKS.items():
            if f"{slug}: {status}" in series:
                ax.plot(*series[f"{slug}: {status}"], linestyle="none", markersize=3.6, **mark)
    ax.set_yticks(np.arange(first, first + len(slugs)), slugs, fontsize=6.8)
    ax.set_ylim(first + each - 0.4, first - 0.6)
    ax.set_xlim(-0.03, UNBOUNDED + 0.06)
    decades = [1 + 0.7 * k / DECADES for k in (1, 2, 3)]
    ax.set_xticks([0, 0.5, 1, *decades, UNBOUNDED], ["0", "½", "1", "10", "10²", "10³", "∞"], fontsize=7)
    ax.set_xlabel("worst ratio lhs/rhs", fontsize=8)
