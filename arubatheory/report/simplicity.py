r"""The recorded simplicity of counterexamples: how many numbers of each simplest witness matter, and which do not.

`python -m verification.simplicity` makes the table; the page and the errata write "any" for numbers that do not matter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arubatheory.engines.verdict import Witness
from arubatheory.report.csv_table import Table


class SimplicityRow(NamedTuple):
    """Of the `numbers` of a witness, known by what its `instance` is, `matter` ones matter, of which `own` are made of
    no others, of which `told` have to be told (`engines.told`: what repeats, once); `free` names those that do not
    matter."""

    label: str
    instance: str
    numbers: int
    matter: int
    own: int
    told: int
    free: str


def _check(row: SimplicityRow) -> None:
    for name, most in (("matter", row.numbers), ("own", row.matter), ("told", row.own)):
        if not 0 <= (count := getattr(row, name)) <= most:
            raise ValueError(f"{name} must be >= 0 and <= {most}, got {count}")


TABLE = Table(SimplicityRow, _check, "simplicity.csv")


def told(witness: Witness) -> str:
    """An instance, in twelve characters."""
    return hashlib.sha256(json.dumps(witness.instance, sort_keys=True).encode()).hexdigest()[:12]


def free_of(rows: Mapping[str, Sequence[SimplicityRow]], witness: Witness) -> tuple[str, ...]:
    """The numbers of a witness that do not matter, as recorded; none where another instance is on record."""
    mine = [row for row in rows.get(witness.label, ()) if row.instance == told(witness)]
    return tuple(name for row in mine for name in row.free.split())
