r"""The recorded sharpness of bounds: for each, and each size, up to which factor on its right side it is refuted.

`python -m verification.sharp` makes the table; the documentation shows it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from arubatheory.engines.limits import closed_form, limit, relation
from arubatheory.engines.sharpen import FACTOR, Sharp, above
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


def rows_of(label: str, constant: str, printed: object, size: str, found: Iterable[Sharp]) -> list[SharpRow]:
    """What `sharpen` found, as rows; none of what nothing refutes."""
    head = (label, constant, str(printed), size)
    ends = [(s, f"{s.refuted:.12g}", f"{s.survived:.12g}") for s in found if s.refuted is not None]
    return [SharpRow(*head, s.size or 0, low, high, s.trials, s.climbs, s.agree) for s, low, high in ends]


def lines(rows: Sequence[SharpRow]) -> list[str]:
    """The table in Markdown, a line for each bound: the interval over all sizes, where it was attained, and guesses."""
    made = ["| bound | printed | sharp | the worst size | limit (extrapolated) | guess |", "|---|---|---|---|---|---|"]
    for label in dict.fromkeys(row.label for row in rows):
        mine = [row for row in rows if row.label == label]
        whole = worst(mine)
        where = f"{whole.size} = {whole.value}" if whole.value else f"any {whole.size}" if whole.size else "no size"
        cells = (f"`{label}`", whole.printed, interval(whole), where, *guesses(mine))
        made.append(f"| {' | '.join(cells)} |")
    return made


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


def better(found: Sequence[SharpRow], known: Sequence[SharpRow]) -> list[SharpRow]:
    """What was found of one bound and, in the place of rows that refute less of the same factor, those that were known:
    what a witness refuted stays refuted."""
    before = {row[:5]: row for row in known if row.constant == FACTOR}
    return [max(row, before.get(row[:5], row), key=lambda each: float(each.refuted)) for row in found]


def with_run(rows: Sequence[SharpRow], ratio: float, trials: int) -> list[SharpRow]:
    """The rows of a bound, the last, for all sizes, with the worst ratio of another run where that is larger."""
    *others, whole = rows
    if whole.value or whole.constant != FACTOR or ratio * (1 - 2e-9) <= float(whole.refuted):
        return list(rows)
    ends = f"{ratio * (1 - 1e-9):.12g}", f"{above(ratio):.12g}"
    return [*others, whole._replace(refuted=ends[0], survived=ends[1], trials=whole.trials + trials, climbs=0, agree=0)]
