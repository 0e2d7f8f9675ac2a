r"""Check proofs that are not by algebra alone, with Python's integers and fractions alone: for `check_certificate.py`.

A certificate of method "boxes" is one of method "algebra" (`check_paths`), in which claims may be proved, too, by

* "boxes": halvings of boxes, each closed by intervals of integers over 2^96 that are rounded outward (`check_boxes`);
* "chain": stages, each closed by boxes (`check_chains`);
* "by": claims that this one follows from, each with its proof among the "parts" (`check_slopes`).
"""

from __future__ import annotations

from typing import Any

from arubatheory.prove.check_boxes import check_boxes
from arubatheory.prove.check_chains import Staged, check_chain
from arubatheory.prove.check_paths import check_claim, check_paths
from arubatheory.prove.check_slopes import Sides, simpler


def by_others(cell: Staged, facts: dict[int, int], sides: Sides, _: list[int], proof: Any) -> None:
    """Reject unless the claims that a claim follows from are proved."""
    ranges = list(cell.ranges)
    for (known, pairs), part in zip(simpler(cell, facts, sides, *proof["by"]), proof["parts"], strict=True):
        check_claim(cell, known, pairs, part, OTHERS)
    cell.ranges[:] = ranges


OTHERS = {"by": by_others, "boxes": check_boxes, "chain": check_chain}


def check_others(data: Any) -> None:
    """Reject unless every cell of a certificate is proved."""
    check_paths(data, Staged, OTHERS)
