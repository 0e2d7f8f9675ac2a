r"""Check the data of a certificate about paths with Python's integers and fractions alone: for `check_certificate.py`.

It holds, for each answer to what integers a claim draws, a straight-line program, the ranges of its variables, and
paths. Verified is: the steps of the paths leave no sign out; what is divided by is not 0, what a root is taken of is
not negative; and on each path, but those without sides whose "undefined" is null, which are no instances of the claim,
lhs <= rhs, or nothing runs along it, by one of

* "lemmas", first: that nodes are >= 0, each a difference whose sides compare, by any of these;
* "sums": nodes q > 0 and e >= 0 by the rules of signs, and q (rhs - lhs) = e by expanding both;
* "roots": rhs >= 0 by the rules of signs, and q (rhs^2 - lhs^2) = e in the same way;
* "tangent": "sums", where e is $U - V(1 + \log U - \log V)$, of products U and V that are positive;
* "against": a node n and nodes q > 0 and e with q n = e, whose signs are none that the steps allow n;
* other ways, for method "boxes" alone (`check_others`).

That the program is what the claim computes is not a matter of this file: `replay` compares them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from arubatheory.prove.check_cells import ANY, NEGATIVE, Lines, check_identity, need, tangent

Others = Mapping[str, Callable[..., None]]  # checks of a cell, facts, sides and a proof, by a key of the proof


def check_claim(cell: Lines, facts: dict[int, int], sides: Any, proof: Any, others: Others) -> None:
    """Reject unless each left side is at most the right one where nodes have the signs of `facts`; without sides,
    unless that is nowhere."""
    facts = dict(facts)
    for k, part in proof.get("lemmas", ()):
        cell.signs([k], facts)
        op, *at = cell.nodes[k]
        need(op == "sub", "a lemma on what is no difference")
        check_claim(cell, facts, [at[::-1]], part, others)
        facts[k] = facts.get(k, ANY) & ~NEGATIVE
    gaps = [cell.added("sub", right, left) for left, right in sides]
    if other := next(filter(proof.__contains__, others), None):
        others[other](cell, facts, sides, gaps, proof)
    elif "against" in proof:
        n, *pair = proof["against"]
        need(n in facts, "a step that is not there")
        check_identity(cell, n, pair, facts[n], facts)
    elif "tangent" in proof:
        (gap,), (q, over, under) = gaps, proof["tangent"]
        check_identity(cell, gap, (q, e := tangent(cell, over, under)), NEGATIVE, {**facts, e: ANY & ~NEGATIVE})
    else:
        need(gaps and not {"roots", "sums"}.isdisjoint(proof), "a side, or the proof of it, is left out")
        for (left, right), gap, pair in zip(sides, gaps, proof["roots" if "roots" in proof else "sums"], strict=True):
            if "roots" in proof:
                need(not cell.signs([right], facts)[right] & NEGATIVE, "what is squared may be negative")
                gap = cell.added("sub", *(cell.added("mul", n, n) for n in (right, left)))
            check_identity(cell, gap, pair, NEGATIVE, facts)


def check_cell(cell: Lines, paths: list[Any], others: Others) -> None:
    """Reject unless paths with the same first steps leave no sign of the next node out, each is proved, and some side
    is not identically 0, or no path is an instance of the claim."""
    outside, waiting, something = {path["undefined"] for path in paths} == {None}, [(paths, 0, dict[int, int]())], False
    while waiting:
        paths, depth, facts = waiting.pop()
        if any(len(path["steps"]) == depth for path in paths):
            need(len(paths) == 1, "a path goes on where another ends")
            sides, proof = paths[0]["sides"], paths[0]["proof"]
            both = [n for pair in sides for n in pair]
            cell.signs(both, facts)
            if sides or paths[0]["undefined"] is not None:
                check_claim(cell, facts, sides, proof, others)
            something = something or not ("against" in proof or all(map(cell.vanishes, map(cell.function, both))))
            continue
        n, parts = paths[0]["steps"][depth][0], dict[int, list[Any]]()
        for path in paths:
            need(path["steps"][depth][0] == n, "paths ask of different nodes")
            parts.setdefault(path["steps"][depth][1], []).append(path)
        open_ = cell.signs([n], facts)[n]
        for mask, part in parts.items():
            need(type(mask) is int and 0 < mask <= ANY, "a step without a sign")
            open_ &= ~mask
            waiting.append((part, depth + 1, {**facts, n: facts.get(n, ANY) & mask}))
        need(not open_, "a sign is left out")
    need(something or outside, "both sides are 0")


def check_paths(data: Any, lines: Callable[[Any], Lines], others: Others) -> None:
    """Reject unless every cell of a certificate is proved, by its lines and other ways, and one has an instance of the
    claim."""
    for cell in {json.dumps({**one, "integers": None}): one for one in data["cells"]}.values():  # each claim once
        need(cell["paths"], "there is no path")
        check_cell(lines(cell), cell["paths"], others)
    need(any(p["undefined"] is not None for one in data["cells"] for p in one["paths"]), "there is no cell or instance")
