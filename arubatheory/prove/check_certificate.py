r"""Check a certificate with integers and fractions alone: no solver, no floats, nothing of the package.

    python check_certificate.py FILE...

A certificate says: `label`, within `scope`. This program verifies its algebra, and exits with 0 if all of it stands, 1
if some number is wrong, 2 if a file is none. Whether the problem in the file is that of the statement, is what
`arubatheory replay FILE` compares.

Method "gram", for every one of its `parts`. Vectors 0, 1, ... of any space and values f0, f1, ... obey the `rows` (a
combination of inner products "g0.1", values "f0" and the number "1" is <= 0, or = 0), and the `matrices` of such
combinations are positive semidefinite. Then `objective` <= `bound` <= `claimed` (1 + slack), because

    objective - bound = sum multiplier * row - sum <multiplier, matrix> - <S, G>,

where G is the Gram matrix of the vectors, no multiplier of a row "<= 0" is negative, those of matrices are positive
semidefinite, and so is S, which the identity itself defines. Semidefinite means $LDL^T$ with exact pivots.
"""

from __future__ import annotations

import importlib
import json
import math
import re
import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

FIELDS = {"label", "digest", "method", "scope", "shape", "slack", "data"}
NUMBER = re.compile(r"-?[0-9]+(/[0-9]*[1-9][0-9]*)?")
PRODUCT = re.compile(r"g([0-9]+)\.([0-9]+)")
VALUE = re.compile(r"f[0-9]+")
LARGEST = 1000  # rows of a matrix
Terms = dict[str, Fraction]
Matrix = list[list[Fraction]]


class Flawed(Exception):
    """The certificate proves nothing: the message says where it breaks."""


def demand(holds: bool, otherwise: str) -> None:
    """Raises Flawed unless something holds."""
    if not holds:
        raise Flawed(otherwise)


def number(text: Any) -> Fraction:
    """The number that an integer or a text "p/q" says."""
    if type(text) is int:
        return Fraction(text)
    demand(isinstance(text, str) and bool(NUMBER.fullmatch(text)), f"{text!r} is not a rational number")
    return Fraction(text)


def is_semidefinite(matrix: Matrix) -> bool:
    r"""Whether a symmetric matrix is positive semidefinite: no pivot of $LDL^T$ is negative, and where one is 0 its row
    is. Once all are integers, what is left is a multiple of the pivot before, which is divided out (Bareiss 1968)."""
    common, before = math.lcm(*(v.denominator for row in matrix for v in row)), 1
    rest = [[int(v * common) for v in row] for row in matrix]
    while rest:
        pivot, *first = rest[0]
        if pivot < 0 or (pivot == 0 and any(first)):
            return False
        rest = [row[1:] for row in rest[1:]]
        if pivot:
            for row, factor in zip(rest, first, strict=True):
                row[:] = [(pivot * v - factor * w) // before for v, w in zip(row, first, strict=True)]
            before = pivot
    return True


# gram -----------------------------------------------------------------------------------------------------------------
def check_gram(data: dict[str, Any], slack: Fraction) -> None:
    """The identity, the signs and the pivots of every part of a Gram certificate."""
    demand(bool(data["parts"]), "there is nothing in it")
    for part in data["parts"]:
        check_part(part, slack)


def check_part(data: dict[str, Any], slack: Fraction) -> None:
    """Those of one inequality."""
    demand(type(data["points"]) is int and 0 <= data["points"] <= LARGEST, f"points must be 0 to {LARGEST}")
    left, bound, claimed = terms(data["objective"], data["points"]), number(data["bound"]), number(data["claimed"])
    demand(bound <= claimed + slack * abs(claimed), f"{bound} is proved, and {claimed} (1 + {slack}) is claimed")
    add(left, {"1": Fraction(-1)}, bound)
    for row in data["rows"]:
        factor = number(row["multiplier"])
        demand(row["sign"] in ("<= 0", "= 0"), f"a row is neither <= 0 nor = 0: {row['sign']!r}")
        demand(factor >= 0 or row["sign"] == "= 0", f"the multiplier of {row['name']!r} is negative")
        add(left, terms(row["terms"], data["points"]), -factor)
    for matrix in data["matrices"]:
        add_matrix(left, matrix, data["points"])
    rest = {key: value for key, value in left.items() if value and not PRODUCT.fullmatch(key)}
    demand(not rest, f"the two sides differ by {rest}")
    demand(is_semidefinite(gram_of(left, data["points"])), "S is not positive semidefinite")


def terms(given: dict[str, Any], points: int) -> Terms:
    """A combination of inner products, values and the number 1."""
    for key in given:
        found = PRODUCT.fullmatch(key)
        inside = found is not None and int(found[1]) <= int(found[2]) < points
        demand(inside or key == "1" or bool(VALUE.fullmatch(key)), f"{key!r} is no inner product, value or 1")
    return {key: number(value) for key, value in given.items()}


def add(total: Terms, more: Terms, factor: Fraction) -> None:
    """total += factor * more."""
    for key, value in more.items():
        total[key] = total.get(key, Fraction(0)) + factor * value


def add_matrix(left: Terms, matrix: dict[str, Any], points: int) -> None:
    """left += <multiplier, matrix>, once the multiplier is known to be positive semidefinite."""
    demand(type(matrix["size"]) is int and 0 < matrix["size"] <= LARGEST, f"size must be 1 to {LARGEST}")
    weights = symmetric(matrix["multiplier"], matrix["size"])
    for key, entry in matrix["entries"].items():
        i, j = place(key, matrix["size"])
        add(left, terms(entry, points), weights[i][j] * (1 if i == j else 2))
    demand(is_semidefinite(weights), f"the multiplier of {matrix['name']!r} is not positive semidefinite")


def symmetric(entries: dict[str, Any], size: int) -> Matrix:
    """A symmetric matrix by its upper triangle "i,j"; what is missing is 0."""
    found = [[Fraction(0)] * size for _ in range(size)]
    for key, value in entries.items():
        i, j = place(key, size)
        found[i][j] = found[j][i] = number(value)
    return found


def place(key: str, size: int) -> tuple[int, int]:
    """Row and column of an entry of the upper triangle."""
    found = re.fullmatch(r"([0-9]+),([0-9]+)", key)
    demand(found is not None and int(found[1]) <= int(found[2]) < size, f"{key!r} is no entry of the upper triangle")
    assert found is not None
    return int(found[1]), int(found[2])


def gram_of(left: Terms, points: int) -> Matrix:
    """S, with <S, G> = -left."""
    found = [[Fraction(0)] * points for _ in range(points)]
    for key, value in left.items():
        if product := PRODUCT.fullmatch(key):
            i, j = int(product[1]), int(product[2])
            found[i][j] = found[j][i] = found[i][j] - value / (1 if i == j else 2)
    return found


# files ----------------------------------------------------------------------------------------------------------------
def check_paths(data: dict[str, Any], slack: Fraction) -> None:
    """Methods "algebra" and "boxes": by the file beside this one."""
    demand(slack == 0, "a certificate of paths has no slack")
    if not __package__:
        sys.path.append(str(Path(__file__).resolve().parent))  # an isolated interpreter does not look there
    beside = importlib.import_module(f"{__package__}.check_paths" if __package__ else "check_paths")
    try:
        beside.check(data)
    except beside.Rejected as error:
        raise Flawed(str(error)) from None


METHODS: dict[str, Callable[[dict[str, Any], Fraction], None]] = {
    "gram": check_gram,
    "algebra": check_paths,
    "boxes": check_paths,
}


def check(proof: Any) -> None:
    """Raises Flawed unless a certificate, as JSON holds it, proves what it says."""
    demand(isinstance(proof, dict) and set(proof) == FIELDS, f"a certificate holds {', '.join(sorted(FIELDS))}")
    demand(number(proof["slack"]) >= 0, "slack is negative")
    demand(proof["method"] in METHODS, f"{proof['method']!r} is none of the methods {', '.join(METHODS)}")
    try:
        METHODS[proof["method"]](proof["data"], number(proof["slack"]))
    except (KeyError, TypeError, AttributeError, ValueError, IndexError, RecursionError) as error:
        raise Flawed(f"a field is missing, or of the wrong kind: {type(error).__name__}: {error}") from None


def main(files: Iterable[str]) -> int:
    """Check files, and say of each whether it stands; the exit code."""
    worst = 0
    for file in files:
        try:
            proof = json.loads(Path(file).read_text(encoding="utf-8"))
            check(proof)
            print(f"{file}: proved: {proof['label']}, {proof['scope']}")
        except Flawed as error:
            print(f"{file}: rejected: {error}")
            worst = max(worst, 1)
        except (OSError, ValueError, RecursionError) as error:
            print(f"{file}: no certificate: {error}")
            worst = 2
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
