r"""The recorded sharpness of bounds: for each, and each size, up to which factor on its right side it is refuted.

`python -m verification.sharp` makes the table; the documentation shows it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from arubatheory.engines.limits import closed_form, limit, relation
from arubatheory.report.csv_table import Table


class SharpRow(NamedTuple):
    """One bound at one `value` of the size `size` (0: all sizes): constants below `refuted` are refuted by certified
    witnesses, those from `survived` on were not broken in `trials`, and `agree` of `climbs` ended there; `printed` is
    the constant of the claim. Numbers have twelve digits, which guesses need."""

    label: str
    constant: str
    printed: str
    size: str
    value: int
    refuted: str
    survived: str
    trials: int
    climbs: int
    agree: int


def _check(row: SharpRow) -> None:
    if row.value < 0:
        raise ValueError(f"value must be >= 0, got {row.value}")
    if row.constant == "factor" and float(row.refuted) > float(row.survived):
        raise ValueError(f"{row.label}: a factor of {row.refuted} is refuted, {row.survived} is said to survive")


TABLE = Table(SharpRow, _check, "sharp.csv")


def worst(rows: Sequence[SharpRow]) -> SharpRow:
    """The row of the largest constant that is refuted, the first of those that agree to a part in 10^9."""
    most = max(float(row.refuted) for row in rows)
    return next(row for row in rows if float(row.refuted) >= most * (1 - 1e-9))


def interval(row: SharpRow) -> str:
    """As [0.707107, 0.707108]: rounded outwards, to six digits."""
    low = float(row.refuted)
    digits = 5 - math.floor(math.log10(low))
    return f"[{math.floor(low * 10.0**digits) / 10.0**digits:.6g}, {float(row.survived):.6g}]"


def guesses(rows: Sequence[SharpRow]) -> tuple[str, str]:
    """Where the curve over sizes goes, where it only rises or only falls, and what its values may be: guesses."""
    curve = [(row.value, float(row.refuted) * (1 + 1e-9)) for row in rows if row.value]
    values = [x for _, x in curve]
    ends = limit(curve) if values in (sorted(values), sorted(values)[::-1]) else None
    found = relation(curve)
    guess = f"${found}$" if "n" in found else closed_form(float(worst(rows).refuted) * (1 + 1e-9))
    return f"[{max(ends[0], 0.0):.4g}, {ends[1]:.4g}]" if ends else "", guess


def sentence(rows: Sequence[SharpRow]) -> str:
    """The line of a bound in words."""
    whole, (ends, guess) = worst(rows), guesses(rows)
    where = f", for {whole.size} = {whole.value}" if whole.value else ""
    more = [f"extrapolated limit {ends}"] * bool(ends) + [f"a guess: {guess.strip('$')}"] * bool(guess)
    said = f"Sharp {whole.constant} in {interval(whole)} (printed: {whole.printed}){where}"
    return f"{'; '.join([said, *more])}."
