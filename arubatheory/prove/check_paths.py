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

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from arubatheory.prove.check_boxes import check_boxes
    from arubatheory.prove.check_cells import ANY, NEGATIVE, Lines, Rejected, check_identity, check_lemma, need
    from arubatheory.prove.check_chains import Moves, check_chain
    from arubatheory.prove.check_slopes import simpler
else:  # beside this file, as check_certificate.py runs it
    from check_boxes import check_boxes
    from check_cells import ANY, NEGATIVE, Lines, Rejected, check_identity, check_lemma, need
    from check_chains import Moves, check_chain
    from check_slopes import simpler


def check_path(cell: Lines, path: Any, moves: Moves) -> None:
    """Reject unless the sides of a path compare, or nothing runs along it."""
    facts: dict[int, int] = {}
    for n, mask in path["steps"]:
        facts[n] = facts.get(n, ANY) & mask
    sides, proof, facts = path["sides"], path["proof"], cell.learned(facts)
    need(sides or path["undefined"], "a path without sides")
    for lemma in proof.get("lemmas", ()):
        k = check_lemma(cell, lemma, facts)
        facts[k] = facts.get(k, ANY) & ~NEGATIVE
    if "by" in proof:
        check_simpler(cell, path, facts, moves)
    elif "boxes" in proof:
        gaps = []
        for left, right in sides:
            cell.nodes.append(("sub", right, left))
            gaps.append(len(cell.nodes) - 1)
        check_boxes(cell, path, facts, gaps)
    elif "chain" in proof:
        check_chain(cell, path, facts, moves)
    elif "against" in proof:
        k, q, e = proof["against"]
        need(type(k) is int and 0 <= k < len(path["steps"]), "a step that is not there")
        n, mask = path["steps"][k]
        check_identity(cell, q, (-1, n), e, facts)
        need(not cell.signs([e], facts)[e] & mask, "nothing is against the path")
    else:
        need(sides and len(proof["sums"]) == len(sides), "a side is left out")
        for (left, right), (q, e) in zip(sides, proof["sums"], strict=True):
            check_identity(cell, q, (left, right), e, facts)
            need(not cell.signs([e], facts)[e] & NEGATIVE, "a sum may be negative")


def check_simpler(cell: Lines, path: Any, facts: dict[int, int], moves: Moves) -> None:
    """Reject unless the claims that this one follows from are proved."""
    ranges = list(cell.ranges)
    claims = simpler(cell, facts, path["sides"], *path["proof"]["by"])
    for (known, sides), part in zip(claims, path["proof"]["parts"], strict=True):
        claim = {"steps": list(known.items()), "sides": sides, "undefined": not sides, "proof": part}
        check_path(cell, claim, moves)
    cell.ranges[:] = ranges


def check_steps(cell: Lines, paths: list[Any], depth: int, facts: dict[int, int]) -> None:
    """Reject unless paths with the same first steps, told by `facts`, leave no sign of the next node out."""
    ended = [p for p in paths if len(p["steps"]) == depth]
    if ended:
        need(len(paths) == 1, "a path goes on where another ends")
        cell.check_defined([n for pair in paths[0]["sides"] for n in pair], facts)
        return
    nodes = {p["steps"][depth][0] for p in paths}
    need(len(nodes) == 1, "paths ask of different nodes")
    (n,) = nodes
    cell.check_defined([n], facts)
    open_ = cell.signs([n], facts)[n]
    for mask in {p["steps"][depth][1] for p in paths}:
        need(type(mask) is int and 0 < mask <= ANY, "a step without a sign")
        open_ &= ~mask
        part = [p for p in paths if p["steps"][depth][1] == mask]
        check_steps(cell, part, depth + 1, {**facts, n: facts.get(n, ANY) & mask})
    need(not open_, "a sign is left out")


def check_data(data: Any) -> None:
    """Reject unless every cell of a certificate is proved."""
    need(data["cells"], "there is no cell")
    seen: list[Any] = []  # cells that differ in their integers alone are one claim
    for one in data["cells"]:
        if (claim := {key: value for key, value in one.items() if key != "integers"}) in seen:
            continue
        cell, paths, moves = Lines(one), one["paths"], Moves(one)
        need(paths, "there is no path")
        check_steps(cell, paths, 0, {})
        for path in paths:
            check_path(cell, path, moves)
        need(any(is_something(cell, path) for path in paths), "both sides are 0")
        seen.append(claim)


def is_something(cell: Lines, path: Any) -> bool:
    """Whether a side of a path is not identically 0; boxes are taken at their word."""
    sides = [n for pair in path["sides"] for n in pair if "against" not in path["proof"]]
    return bool({"boxes", "chain"} & set(path["proof"])) or not all(cell.vanishes(cell.function(n)) for n in sides)


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Room for terms as deep as a run is long, and afterwards what there was."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 20_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


@deep_recursion()
def check(data: Any) -> None:
    """Reject what is no certificate, or one that proves nothing."""
    try:
        check_data(data)
    except Rejected:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError, RecursionError) as error:
        raise Rejected(f"corrupt: {type(error).__name__}: {error}") from error
