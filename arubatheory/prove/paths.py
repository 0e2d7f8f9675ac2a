r"""Claims proved on every path through their branches: by algebra first, by boxes where that fails.

A *cell* is a claim with an answer to each integer that it draws; its reals are free in the ranges they are drawn from.
It is proved when every path is, and its sides are not all 0 <= 0, or no path is an instance of the claim. What is
proved of a claim are cells, and nothing else.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import arubatheory.prove.boxes as boxes
import arubatheory.prove.chains as chains
from arubatheory.arithmetic import Undecided
from arubatheory.prove.algebra import closed
from arubatheory.prove.certificate import ALGEBRA, BOXES, SECONDS, Proof, Unproved
from arubatheory.prove.check_cells import NEGATIVE, POSITIVE, ZERO, Rejected
from arubatheory.prove.check_others import OTHERS
from arubatheory.prove.functions import TooLarge
from arubatheory.prove.limits import Ended, deep_recursion, spent, within
from arubatheory.prove.program import Path, Program, Turn, masks_of, merged, written
from arubatheory.prove.slopes import Slopes
from arubatheory.prove.tracing import Asked, Cell, Untraceable
from arubatheory.sources import source_digest
from arubatheory.statements.core import Statement

MOST_PATHS, FEW_PATHS = 2000, 48  # of a cell, and where it is tried briefly
MOST_BOXES = 2_000_000
MOST_CELLS, FEW_CELLS = 64, 6
# variables put in order; answers to an integer: a size without a limit has more, and no cells are the whole claim
MOST_ORDERED, MOST_ANSWERS = 3, 64
OCTAVES = 1
PATIENCE, BRIEF = 2.5, 0.2  # seconds of algebra on one path, alone and where boxes come next
QUICK, CLIMB, LONG = 0.01, 0.1, 2.5  # seconds of algebra on each claim that slopes lead to: first, then, and at last
LADDER = ((0.0, 0.3), (QUICK, 3.0), (0.0, 1.0), (CLIMB, 8.0), (0.0, 8.0))  # seconds on one path, by boxes or slopes
BRIEFLY, EFFORT = 0.3, 0.4  # of the time, and of all that: at first, where a claim draws no integers


class Attempt(NamedTuple):
    """What came of one cell: its data if it is proved, else the reason, and the share of its paths that are closed;
    how long the path took that is not."""

    data: dict[str, Any] | None
    reason: str
    closed: float
    asked: tuple[Asked, ...]
    narrowed: bool = False
    vain: float = 0.0


def attempt(
    statement: Statement,
    integers: Sequence[int],
    until: float,
    octaves: int | None,
    patience: float = PATIENCE,
    effort: float = 1.0,
) -> Attempt:
    """Prove one cell of a statement until the clock says `until`, or for half of the time where there are others: by
    algebra with so much patience, or by boxes too, with `octaves`, where scales lie within so many octaves of 1, and
    where there are no reals; with less effort only where there are no others."""
    half = (time.process_time() + until) / 2
    cell = Cell(statement, integers, *(() if octaves is None else (octaves,)))
    paths, reason = _paths(cell, half)
    asked, by_boxes = tuple(cell.asked), octaves is not None or not cell.program.ranges
    if reason or (effort < 1 and (asked or len(paths) > FEW_PATHS)):
        return Attempt(None, reason or "there is more than is looked at briefly", 0.0, asked)
    until, proofs = half if asked else until, list[dict[str, Any]]()
    patience = patience if asked else max(patience, (until - time.process_time()) / 3 / max(len(paths), 1))
    staging = until if effort == 1 else (time.process_time() + until) / 2
    staged, shared = chains.proved(cell.program, paths, staging) if octaves is not None else ({}, {})
    for k, path in enumerate(paths):
        start, known = time.process_time(), {} if path.undefined is None else staged.get(k)
        proof, reason = _proved(cell, path, until, by_boxes, patience, effort) if known is None else (known, "")
        if proof is None or time.process_time() > until:
            reason, vain = path.undefined or reason or "time is up", time.process_time() - start
            return Attempt(None, reason, k / len(paths), asked, vain=vain)
        proofs += proof.get("orders", [{**written(path), "proof": proof}])
    outside = all(path.undefined is None for path in paths)
    if not outside and (reason := _says_nothing(cell, [p for p in proofs if "against" not in p["proof"]])):
        return Attempt(None, reason, 0.0, asked)
    return Attempt({**_data(cell, proofs), **shared}, "", 1.0, asked, cell.narrowed)


def _paths(cell: Cell, until: float) -> tuple[list[Path], str]:
    """The paths of a cell, the shortest first, or why there are none."""
    try:
        return sorted(merged(cell.paths(MOST_PATHS, until)), key=lambda path: len(path.steps)), ""
    except (Untraceable, Undecided) as error:
        return [], str(error)
    except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as error:
        return [], f"its code does not run on indeterminates: {error}"


def _says_nothing(cell: Cell, paths: list[dict[str, Any]]) -> str:
    """Why no path is known to have a side that is not identically 0, as the checker has it."""
    lines, sides = cell.program.lines(), [n for path in paths for pair in path["sides"] for n in pair]
    try:
        return "both sides are 0" if all(map(lines.vanishes, map(lines.function, sides))) else ""
    except Rejected as error:
        return f"whether a side is not 0 is not known: {error}"


def _proved(
    cell: Cell, path: Path, until: float, by_boxes: bool, patience: float, effort: float
) -> tuple[dict[str, Any] | None, str]:
    """The data of a proof of one path, or of its parts; without one, why."""
    try:
        patience = BRIEF if by_boxes else patience
        if found := closed(cell.program, path, patience, until) or _by_order(cell.program, path, patience, until):
            return found, ""
        reason = "no sum of products that are >= 0 was found"
    except TooLarge as error:
        reason = str(error)
    program, length, left = cell.program, len(cell.program.nodes), None
    for climb, seconds in LADDER if by_boxes else LADDER[-2:-1]:  # without boxes, slopes alone, and not in two tries
        end = min(until, time.process_time() + effort * seconds)
        if climb:
            found = Slopes(program, LONG if climb == CLIMB and by_boxes and effort == 1 else climb).reduced(path, end)
        else:
            found, left = boxes.closed(program, path, MOST_BOXES, end)
        if found:
            return found, ""
        program.forget(length)
    if left is None:
        return None, reason
    where = ", ".join(f"[{low:.6g}, {high:.6g}]" for low, high in left.remains[0]) if left.remains else ""
    return None, f"of {left.boxes} boxes there remains {where}, where rhs - lhs >= {left.bound:.3g}"


def _by_order(program: Program, path: Path, patience: float, until: float) -> dict[str, Any] | None:
    """Parts of a path without exponentials and logarithms, one for each order of its two or three variables, proved by
    algebra; None if one is not."""
    ops = {n: program.nodes[n][0] for n in program.below(n for pair in path.sides for n in pair)}
    some = [n for n in ops if ops[n] == "var"] if {"exp", "log"}.isdisjoint(ops.values()) else []
    pairs = itertools.combinations(some, 2) if len(some) <= MOST_ORDERED else ()
    apart = [n for pair in pairs if (n := program.binary("sub", *pair)) not in masks_of(path)]
    turns = [[Turn(n, NEGATIVE, False), Turn(n, ZERO | POSITIVE, False)] for n in apart]
    parts = [path._replace(steps=path.steps + steps) for steps in itertools.product(*turns) if steps]
    proofs = [*itertools.takewhile(bool, (closed(program, part, patience, until) for part in parts))]
    found = [{**written(part), "proof": proof} for part, proof in zip(parts, proofs, strict=False)]
    return {"orders": found} if found and len(found) == len(parts) else None


def nodes_of(program: Program) -> list[list[Any]]:
    """The nodes of a program as JSON holds them."""
    return [[node[0], *(str(x) if node[0] == "const" else x for x in node[1:])] for node in program.nodes]


def _data(cell: Cell, paths: list[dict[str, Any]]) -> dict[str, Any]:
    ranges = [[str(low), str(high)] for low, high in cell.program.ranges]
    given = {"integers": list(cell.integers), "octaves": cell.octaves}
    return {**given, "nodes": nodes_of(cell.program), "ranges": ranges, "paths": paths}


# cells of a statement ------------------------------------------------------------------------------------------------
def neighbours(asked: Sequence[Asked], given: int) -> list[list[int]]:
    """The answers that first differ in one integer after those `given`; choices come first."""
    order = sorted(range(given, len(asked)), key=lambda k: (asked[k].kind != "choice", k))
    return [[*(a.answer for a in asked[:k]), x] for k in order for x in _answers(asked[k]) if x != asked[k].answer]


def _answers(asked: Asked) -> range:
    return range(asked.low, min(asked.high, asked.low + MOST_ANSWERS) + 1)


@deep_recursion()
def prove_paths(statement: Statement, seconds: float = SECONDS) -> Proof | Unproved:
    """A certificate for as many cells of a statement as are proved in the time; without one, the reason.

    A claim about reals alone is tried by all means, briefly. Then algebra tries the cells in turn for half of the time,
    and is ended then whatever it computes; where it proves none, boxes do with what is left, scales within `OCTAVES` of
    1.
    """
    if set(statement.engines) & {"rate", "simulate"}:
        return Unproved("a claim about growth or chance has no sides to compare")
    end = spent() + seconds
    brief = partial(_tried, most=1, octaves=OCTAVES, effort=EFFORT)
    for part, tried in ((BRIEFLY, brief), (1 / 2, partial(_tried, most=MOST_CELLS, octaves=None))):
        try:
            found: Proof | Unproved = within(part * seconds, partial(tried, statement))
        except Ended as error:
            found = Unproved(f"algebra: {error}")
        if isinstance(found, Proof) or spent() >= end:
            return found
    return _tried(statement, end - spent(), FEW_CELLS, OCTAVES)


def _tried(
    statement: Statement, seconds: float, most: int, octaves: int | None, effort: float = 1.0
) -> Proof | Unproved:
    until = time.process_time() + seconds
    proved, reason, closed, patience = list[dict[str, Any]](), "", 0.0, PATIENCE
    waiting, tried, whole = list[list[int]]([[]]), 0, True
    while waiting and tried < most and time.process_time() < until:
        given = waiting.pop(0)
        found = attempt(statement, given, until, octaves, patience, effort)
        tried, closed = tried + 1, max(closed, found.closed)
        whole &= bool(found.data) and not found.narrowed and all(a.high in _answers(a) for a in found.asked)
        if found.data is not None:
            proved.append({**found.data, "asked": [list(a) for a in found.asked]})
            patience = PATIENCE
        elif found.vain > patience / 2:  # what takes long in vain makes the next cells shorter
            patience /= 2
        reason = reason or found.reason
        waiting += neighbours(found.asked, len(given))
    whole = whole and not waiting
    spoken = [cell for cell in proved if any(path["undefined"] is not None for path in cell["paths"])]
    if not spoken or (effort < 1 and not whole):
        more = f" ({closed:.0%} of the paths of a cell are proved)" * (closed > 0)
        return Unproved((reason or "nothing is an instance of the claim") + more, None, closed)
    return _certificate(statement, proved if whole else spoken, whole)


def _certificate(statement: Statement, cells: list[dict[str, Any]], whole: bool) -> Proof:
    method = BOXES if any(OTHERS.keys() & {*p["proof"]} for c in cells for p in c["paths"]) else ALGEBRA
    shape = {"whole": whole, "integers": [c["integers"] for c in cells], "asked": [c.pop("asked") for c in cells]}
    shape["reals"] = [c["ranges"] for c in cells]
    shape |= {"outside": True} if any(p["undefined"] is None for c in cells for p in c["paths"]) else {}
    return Proof(statement.label, source_digest(), method, words(shape), shape, Fraction(0), {"cells": cells})


def words(shape: dict[str, Any]) -> str:
    """The scope of cells in words."""
    every = f"every branch{' that is an instance of the claim' * shape.get('outside', False)}"
    if shape["whole"]:
        return f"the whole claim: all integers that it draws, all reals of the ranges they are drawn from, {every}"
    given = sorted(shape["integers"])
    row = [[k] for k in range(sum(given[0]), sum(given[0]) + len(given))]
    others = f" to {tuple(given[-1])}" if given == row else f", and {len(given) - 1} more"
    kinds = ", ".join(dict.fromkeys(f"[{low}, {high}]" for cell in shape["reals"] for low, high in cell))
    drawn = [f"the integers that are drawn being {tuple(given[0])}{others * (len(given) > 1)}"] * bool(given[0])
    return "; ".join([*drawn, f"all reals of {kinds}" if kinds else "no reals are drawn", every])
