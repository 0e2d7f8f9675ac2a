r"""The verdicts as csv and json inside the page, as links that need neither script nor network."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Sequence
from typing import Any

from arubatheory.report.csv_table import as_csv
from arubatheory.report.outcome import Outcome, record
from arubatheory.report.standing import role_of
from arubatheory.statements.paper import Paper

COLUMNS = (
    *("label", "number", "kind", "role", "status", "proved"),
    *("worst_ratio", "measure", "trials", "ties", "found_by", "seed"),
)


def rows(outcomes: Sequence[Outcome], paper: Paper | None) -> list[list[Any]]:
    """One row for each statement, in the order of COLUMNS; None where there is no verdict or no ratio (the measure
    is "undefined" where what refutes is a side that is not a real number), "inf" and "-inf" for infinite ratios."""
    found = []
    for outcome in outcomes:
        data = {**record(outcome), "role": role_of(outcome.statement, paper).value}
        verdict = outcome.verdict
        if verdict is not None and verdict.kind == "undefined":
            data |= {"worst_ratio": None, "measure": "undefined"}
        elif verdict is not None and verdict.worst_ratio is not None and math.isinf(verdict.worst_ratio):
            data["worst_ratio"] = str(verdict.worst_ratio)
        found.append([data.get(column) for column in COLUMNS])
    return found


def as_table(outcomes: Sequence[Outcome], paper: Paper | None) -> str:
    """The rows as a table with a head."""
    return as_csv(COLUMNS, rows(outcomes, paper))


def as_json(outcomes: Sequence[Outcome], paper: Paper | None) -> str:
    """The rows as {"columns": [...], "data": [[...]]}, which `pandas.read_json(..., orient="split")` reads."""
    return json.dumps({"columns": COLUMNS, "data": rows(outcomes, paper)}, ensure_ascii=True, separators=(",", ":"))


def address(text: str) -> str:
    """A file with this text, compressed, as the address of a link."""
    return "data:application/gzip;base64," + base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
