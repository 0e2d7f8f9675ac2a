r"""The verdicts as csv and json inside the page, as links that need neither script nor network."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from arubatheory.report.album import PLAIN
from arubatheory.report.outcome import Outcome, record
from arubatheory.report.standing import role_of

COLUMNS = ("label", "number", "kind", "role", "status", "worst_ratio", "measure", "trials", "ties", "found_by", "seed")


def rows(outcomes: Sequence[Outcome]) -> list[list[Any]]:
    """One row for each statement, in the order of COLUMNS; None where there is no verdict or no ratio (the measure
    is "undefined" where what refutes is a side that is not a real number), "inf" and "-inf" for infinite ratios."""
    found = []
    for outcome in outcomes:
        data = {**record(outcome), "role": role_of(outcome.statement).value}
        verdict = outcome.verdict
        if verdict is not None and verdict.kind == "undefined":
            data |= {"worst_ratio": None, "measure": "undefined"}
        elif verdict is not None and verdict.worst_ratio is not None and math.isinf(verdict.worst_ratio):
            data["worst_ratio"] = str(verdict.worst_ratio)
        found.append([data.get(column) for column in COLUMNS])
    return found


def as_csv(outcomes: Sequence[Outcome]) -> str:
    """The rows as a table with a head."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows(outcomes))
    return out.getvalue()


def as_json(outcomes: Sequence[Outcome]) -> str:
    """The rows as {"columns": [...], "data": [[...]]}, which `pandas.read_json(..., orient="split")` reads."""
    return json.dumps({"columns": COLUMNS, "data": rows(outcomes)}, ensure_ascii=True, separators=(",", ":"))


def links(outcomes: Sequence[Outcome]) -> str:
    """Two links that save the verdicts as files."""
    table = "data:text/csv;charset=utf-8," + quote(as_csv(outcomes), safe=PLAIN)
    data = "data:application/json," + quote(as_json(outcomes), safe=PLAIN.replace("'", '"'))  # in single quotes
    return (
        f'<p class="small">Download the verdicts: <a download="verdicts.csv" href="{table}">csv</a>, '
        f"<a download='verdicts.json' href='{data}'>json</a>.</p>"
    )
