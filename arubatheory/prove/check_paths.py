r"""Check the data of a certificate about paths with Python's integers and fractions alone: for `check_certificate.py`.

It holds, for each answer to what integers a claim draws, a straight-line program, the ranges of its variables, and
paths. Verified is: the steps of the paths leave no sign out; what is divided by is not 0, what a root is taken of is
not negative; and on each path lhs <= rhs, or nothing runs along it, by one of

* "lemmas", first: that a node is >= 0, by its root, exponential or logarithm (`check_cells`);
* "sums": nodes q > 0 and e >= 0 by the rules of signs, and q (rhs - lhs) = e by expanding both;
* "against": nodes q > 0 and e with q n = e, whose signs are none that a step allows the node n;
* "by": claims that this one follows from, each with its proof among the "parts" (`check_slopes`);
* "boxes": halvings of boxes, each closed by intervals of integers over 2^96 that are rounded outward;
* "chain": stages, each closed by boxes (`check_chains`).

That the program is what the claim computes is not a matter of this file: `replay` compares them.
"""

from __future__ import annotations

from typing import Any

from arubatheory.prove.check_boxes import check_boxes
from arubatheory.prove.check_cells import ANY, NEGATIVE, Lines, check_identity, check_lemma, masks, need
from arubatheory.prove.check_chains import Moves, check_chain
from arubatheory.prove.check_slopes import Builder, simpler


def check_path(cell: Builder, path: Any, moves: Moves) -> None:
    """Reject unless the sides of a path compare, or nothing runs along it."""
    sides, proof, facts = path["sides"], path["proof"], masks(path["steps"])
    need(sides or path["undefined"], "a path without sides")
    for lemma in proof.get("lemmas", ()):
        k = check_lemma(cell, lemma, facts)
        facts[k] = facts.get(k, ANY) & ~NEGATIVE
    if "by" in proof:
        ranges = list(cell.ranges)
        for (known, pairs), part in zip(simpler(cell, facts, sides, *proof["by"]), proof["parts"], strict=True):
            claim = {"steps": list(known.items()), "sides": pairs, "undefined": not pairs}
            check_path(cell, {**claim, "proof": part}, moves)
        cell.ranges[:] = ranges
    elif "boxes" in proof:
        check_boxes(cell, proof, facts, [cell.added("sub", right, left) for left, right in sides])
    elif "chain" in proof:
        check_chain(cell, path, facts, moves)
    elif "against" in proof:
        k, *pair = proof["against"]
        need(type(k) is int and 0 <= k < len(path["steps"]), "a step that is not there")
        n, mask = path["steps"][k]
        check_identity(cell, (-1, n), pair, mask, facts)
    else:
        need(sides, "a side is left out")
        for gap, pair in zip(sides, proof["sums"], strict=True):
            check_identity(cell, gap, pair, NEGATIVE, facts)


def check_steps(cell: Lines, paths: list[Any]) -> None:
    """Reject unless paths with the same first steps leave no sign of the next node out."""
    waiting: list[tuple[list[Any], int, dict[int, int]]] = [(paths, 0, {})]
    while waiting:
        paths, depth, facts = waiting.pop()
        if any(len(path["steps"]) == depth for path in paths):
            need(len(paths) == 1, "a path goes on where another ends")
            cell.check_defined([n for pair in paths[0]["sides"] for n in pair], facts)
            continue
        n, parts = paths[0]["steps"][depth][0], dict[int, list[Any]]()
        for path in paths:
            need(path["steps"][depth][0] == n, "paths ask of different nodes")
            parts.setdefault(path["steps"][depth][1], []).append(path)
        cell.check_defined([n], facts)
        open_ = cell.signs([n], facts)[n]
        for mask, part in parts.items():
            need(type(mask) is int and 0 < mask <= ANY, "a step without a sign")
            open_ &= ~mask
            waiting.append((part, depth + 1, {**facts, n: facts.get(n, ANY) & mask}))
        need(not open_, "a sign is left out")


def is_something(cell: Lines, path: Any) -> bool:
    """Whether a side of a path is not identically 0; boxes are taken at their word."""
    sides = [n for pair in path["sides"] for n in pair if "against" not in path["proof"]]
    return bool({"boxes", "chain"} & set(path["proof"])) or not all(cell.vanishes(cell.function(n)) for n in sides)


def check_paths(data: Any) -> None:
    """Reject unless every cell of a certificate is proved."""
    need(data["cells"], "there is no cell")
    seen: list[Any] = []  # cells that differ in their integers alone are one claim
    for one in data["cells"]:
        if (claim := {key: value for key, value in one.items() if key != "integers"}) in seen:
            continue
        cell, paths, moves = Builder(one), one["paths"], Moves(one)
        need(paths, "there is no path")
        check_steps(cell, paths)
        for path in paths:
            check_path(cell, path, moves)
        need(any(is_something(cell, path) for path in paths), "both sides are 0")
        seen.append(claim)
