r"""Check a certificate with integers and fractions alone: no solver, no floats, nothing of the package.

    python check_certificate.py FILE...

A certificate says: `label`, within `scope`. This program, with files check_*.py beside it, verifies its algebra,
and exits with 0 if all of it stands, 1 if some number is wrong, 2 if a file is none. Whether the problem in the file is
that of the statement, is what `arubatheory replay FILE` compares.

Method "gram", for every one of its `parts`. Vectors 0, 1, ... of any space and values f0, f1, ... obey the `rows` (a
combination of inner products "g0.1", values "f0" and the number "1" is <= 0, or = 0), and the `matrices` of such
combinations are positive semidefinite. Then `objective` <= `bound` <= `claimed` (1 + slack), because

    objective - bound = sum multiplier * row - sum <multiplier, matrix> - <S, G>,

where G is the Gram matrix of the vectors, no multiplier of a row "<= 0" is negative, those of matrices are positive
semidefinite, and so is S, which the identity itself defines. Semidefinite means $LDL^T$ with exact pivots.

Method "algebra": `check_paths`. Method "boxes", by further files: `check_others`.
"""

from __future__ import annotations

import importlib
import json
import math
import re
import sys
import types
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: its package is the folder that it stands in
    for name in ("arubatheory", "arubatheory.prove"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [str(Path(__file__).resolve().parent)]

from arubatheory.prove.check_cells import Lines, Rejected, need, number
from arubatheory.prove.check_paths import check_paths

FIELDS = {"label", "digest", "method", "scope", "shape", "slack", "data"}
PAIR, NAME = re.compile(r"g?([0-9]+)[.,]([0-9]+)"), re.compile(r"1|f[0-9]+")
LARGEST = 1000  # rows of a matrix
Terms = dict[Any, Fraction]  # values and the number 1 by their names, inner products by their places


def check_part(data: dict[str, Any], slack: Fraction) -> None:
    """The identity, the signs and the pivots of one part of a Gram certificate."""
    points, bound, claimed = data["points"], number(data["bound"]), number(data["claimed"])
    need(bound <= claimed + slack * abs(claimed), f"{bound} is proved, and {claimed} (1 + {slack}) is claimed")
    left = added({"1": -bound}, data["objective"], points, Fraction(1))
    for row in data["rows"]:
        factor, sign = number(row["multiplier"]), row["sign"]
        need(sign == "= 0" or (sign == "<= 0" and factor >= 0), f"neither = 0, nor <= 0, or negative: {row['name']!r}")
        added(left, row["terms"], points, -factor)
    for matrix in data["matrices"]:
        weights = added({}, matrix["multiplier"], matrix["size"], Fraction(1))
        check_semidefinite(weights, matrix["size"], f"the multiplier of {matrix['name']!r}")
        for key, entry in matrix["entries"].items():
            i, j = place(key, matrix["size"])
            added(left, entry, points, weights.get((i, j), Fraction(0)) * (1 if i == j else 2))
    products = {key: -value / (1 if key[0] == key[1] else 2) for key, value in left.items() if type(key) is tuple}
    need(not (rest := {k: v for k, v in left.items() if v and k not in products}), f"the two sides differ by {rest}")
    check_semidefinite(products, points, "S")


def place(key: str, size: int) -> tuple[int, int]:
    """Row and column that "g0.1" or "0,1" says."""
    i, j = map(int, found.groups()) if (found := PAIR.fullmatch(key)) else (1, 0)
    need(i <= j < size, f"{key!r} is no value, and no entry of the upper triangle")
    return i, j


def added(total: Terms, more: dict[str, Any], size: int, factor: Fraction) -> Terms:
    """What was the total, to which factor * more is added."""
    for key, value in more.items():
        at = key if NAME.fullmatch(key) else place(key, size)
        total[at] = total.get(at, Fraction(0)) + factor * number(value)
    return total


def check_semidefinite(upper: Terms, size: int, what: str) -> None:
    r"""Reject unless a symmetric matrix, by its upper triangle, is positive semidefinite: no pivot of $LDL^T$ is
    negative, and where one is 0 its row is. Once all are integers, what is left is a multiple of the pivot before,
    which is divided out (Bareiss 1968)."""
    need(type(size) is int and 0 <= size <= LARGEST, f"a size must be 0 to {LARGEST}")
    common, before = math.lcm(*(value.denominator for value in upper.values())), 1
    rest = [[int(common * upper.get((min(i, j), max(i, j)), 0)) for j in range(size)] for i in range(size)]
    while rest:
        pivot, *first = rest[0]
        need(pivot > 0 or not (pivot or any(first)), f"{what} is not positive semidefinite")
        rest = [row[1:] for row in rest[1:]]
        if pivot:
            for row, factor in zip(rest, first, strict=True):
                row[:] = [(pivot * v - factor * w) // before for v, w in zip(row, first, strict=True)]
            before = pivot


# files ----------------------------------------------------------------------------------------------------------------
def check(proof: Any) -> None:
    """Reject unless a certificate, as JSON holds it, proves what it says."""
    need(isinstance(proof, dict) and set(proof) == FIELDS, f"a certificate holds {', '.join(sorted(FIELDS))}")
    method, slack = proof["method"], number(proof["slack"])
    try:
        need({"gram": slack >= 0, "algebra": not slack, "boxes": not slack}.get(method), f"slack {slack} by {method!r}")
        if method == "gram":
            need(proof["data"]["parts"], "there is nothing in it")
            for part in proof["data"]["parts"]:
                check_part(part, slack)
        elif method == "algebra":
            check_paths(proof["data"], Lines, {})
        else:
            importlib.import_module("arubatheory.prove.check_others").check_others(proof["data"])
    except (KeyError, TypeError, AttributeError, ValueError, IndexError, ArithmeticError, RecursionError) as error:
        raise Rejected(f"a field is missing, or of the wrong kind: {type(error).__name__}: {error}") from None


def main(files: Iterable[str]) -> int:
    """Check files, and say of each whether it stands; the exit code."""
    worst = 0
    for file in files:
        try:
            check(proof := json.loads(Path(file).read_text(encoding="utf-8")))
            print(f"{file}: proved: {proof['label']}, {proof['scope']}")
        except Rejected as error:
            print(f"{file}: rejected: {error}")
            worst = max(worst, 1)
        except (OSError, ValueError, RecursionError, ImportError) as error:
            print(f"{file}: not checked: {error}")
            worst = 2
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
