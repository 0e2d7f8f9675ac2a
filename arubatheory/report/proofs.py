r"""What is proved, on record: a row for each certificate, with its scope in words."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from arubatheory.engines.verdict import EXTENTS, PART, SMALL, WHOLE
from arubatheory.prove.certificate import METHODS
from arubatheory.report.csv_table import Table


class Proved(NamedTuple):
    """One certificate: `extent` says whether its scope is the whole claim, or at least has sizes of 2 and more; with a
    `slack` s > 0 the right side is multiplied by 1 + s."""

    label: str
    method: str
    extent: str
    slack: str
    digest: str
    scope: str


def _check(row: Proved) -> None:
    if row.method not in METHODS:
        raise ValueError(f"unknown method {row.method!r}")
    if row.extent not in EXTENTS:
        raise ValueError(f"extent must be {WHOLE!r}, {PART!r} or {SMALL!r}, got {row.extent!r}")
    if Fraction(row.slack) < 0:
        raise ValueError(f"slack must be >= 0, got {row.slack}")


TABLE = Table(Proved, _check, "proofs.csv")
