r"""Check that nothing changes its sign where a number t is added to some variables, or t to some and -t to others, by
Python's integers and fractions alone.

Part of `check_paths.py`, which says what is verified. Then, of the points that differ by t, that is looked at where the
first of these variables is at an end of its range.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from arubatheory.prove.check_cells import Lines, need


def check_shift(cell: Lines, wanted: list[int], moved: dict[int, int]) -> None:
    """Reject unless some nodes keep their signs where t or -t is added to some variables."""
    need(moved and set(moved.values()) <= {1, -1}, "no shift")
    found: dict[int, tuple[Fraction, Fraction]] = {}
    for n in cell.below(wanted):
        op, *at = cell.nodes[n]
        if op in ("const", "var"):
            found[n] = Fraction(0), Fraction(moved.get(at[0], 0) if op == "var" else 0)
        else:
            factors = [cell.nodes[k][1] if cell.nodes[k][0] == "const" else None for k in at]
            found[n] = shifted(op, [found[k] for k in at], factors)
    need(not any(found[n][1] for n in wanted), "what is shifted is not as it was")


def shifted(op: str, known: list[Any], factors: list[Any]) -> tuple[Fraction, Fraction]:
    """What becomes of a node, from what becomes of its operands, which may be numbers: (p, c) where it is multiplied by
    $e^{pt}$, and ct is added; one of both is 0."""
    (p, c), (q, d), x, y = known[0], known[-1], factors[0], factors[-1]
    if op in ("add", "sub"):
        need(p == q, "a sum of different powers")
        return p, c + d if op == "add" else c - d
    if op in ("mul", "div"):
        need((not c or y) and (not d or (x and op == "mul")), "a product with what is added to")
        return (p + q, c * (y or 0) + d * (x or 0)) if op == "mul" else (p - q, c / (y or 1))
    need(not p if op == "exp" else not c, "a function of what is multiplied, or added to")
    return (c, Fraction(0)) if op == "exp" else (Fraction(0), p) if op == "log" else (p / 2, Fraction(0))
