r"""The recorded sharpness of bounds: for each, and each size, up to which factor on its right side it is refuted.

`python -m verification.sharp` makes the table; the documentation shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from arubatheory.engines.limits import closed_form, limit, relation
from arubatheory.engines.sharpen import Sharp
from arubatheory.report.csv_table import Table
from arubatheory.statements.paper import Paper


class SharpRow(NamedTuple):
    """One bound at one `value` of the size `size` (0: all sizes): constants below `refuted` are refuted by certified
    witnesses, those from `survived` on were not broken in `trials`; `printed` is the constant of the claim."""

    label: str
    constant: str
    printed: str
    size: str
    value: int
    refuted: float | None
    survived: float | None
    trials: int


def _check(row: SharpRow) -> None:
    if row.value < 0:
        raise ValueError(f"value must be >= 0, got {row.value}")
    if row.refuted is not None and row.survived is not None and row.constant == "factor" and row.refuted > row.survived:
        raise ValueError(f"{row.label}: a factor of {row.refuted} is refuted, {row.survived} is said to survive")


TABLE = Table(SharpRow, _check)


def location(paper: Paper) -> Path:
    """The table of a paper, under the root of a run."""
    return paper.folder / "sharp.csv"


def rows_of(label: str, constant: str, printed: object, size: str, found: Iterable[Sharp]) -> list[SharpRow]:
    """What `sharpen` found, as rows."""
    head = (label, constant, str(printed), size)
    return [SharpRow(*head, s.size or 0, s.refuted, s.survived, s.trials) for s in found]


def lines(rows: Sequence[SharpRow]) -> list[str]:
    """The table in Markdown, a line for each bound: the interval over all sizes, where it was attained, and guesses."""
    made = ["| bound | printed | sharp | the worst size | limit (extrapolated) | guess |", "|---|---|---|---|---|---|"]
    for label in dict.fromkeys(row.label for row in rows):
        mine = [row for row in rows if row.label == label]
        whole = max(mine, key=lambda row: row.refuted or 0.0)
        if whole.refuted is None:
            continue
        where = f"{whole.size} = {whole.value}" if whole.value else "free" if whole.size else "no size"
        cells = (f"`{label}`", whole.printed, f"[{whole.refuted:.6g}, {whole.survived:.6g}]", where, *guesses(mine))
        made.append(f"| {' | '.join(cells)} |")
    return made


def guesses(rows: Sequence[SharpRow]) -> tuple[str, str]:
    """Where the curve over sizes goes, and what its values may be: guesses."""
    curve = [(row.value, row.refuted * (1 + 1e-9)) for row in rows if row.value and row.refuted]
    interval = limit(curve)
    alone = max((row.refuted for row in rows if row.refuted), default=None)
    guess = relation(curve) or (closed_form(alone * (1 + 1e-9)) if alone else "")
    return "[{:.4g}, {:.4g}]".format(*interval) if interval else "", f"${guess}$" if "n" in guess else guess
