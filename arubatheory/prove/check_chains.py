r"""Check a gap that is proved stage by stage, with Python's integers and fractions alone: for `check_paths.py`.

The variables of a path are shared out to stages, and rhs - lhs is a sum of terms. What later stages know of earlier
ones are two nodes at most: a number y with two ends, and $N \ge 0$, a power p of $s = N^{1/p}$. A *table* of rows
(low, high, a, b) claims of a *cut* between two stages that the terms up to there are at least $-s^q(a + by)$ where y is
in [low, high]. Verified is that tables cover the range of y, and for each stage, each row before it and each row after
it, by boxes, that what is claimed before and the terms of the stage give what is claimed after; after the last stage
0 is claimed. Where a factor of s and of some variables scales every node, only the faces of their box are looked at, so
that s may be any number.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any, NamedTuple

from arubatheory.prove.check_boxes import INF, ONE, Box, check_affine, check_roots, check_scale, floor, roots, zeros
from arubatheory.prove.check_cells import ANY, NEGATIVE, Lines, need, number
from arubatheory.prove.check_slopes import Builder

Y, S, FROM, TO, OWN = 0, 1, (2, 3), (4, 5, 6, 7), 8  # the variables of a stage's program; its own come last
Row = tuple[Fraction, Fraction, Fraction, Fraction]
NOWHERE: list[Row] = [(Fraction(0),) * 4]  # the table before the first stage, and after the last


class Stage(NamedTuple):
    """One stage as a claim of its own: a program, the signs of its nodes, the gap, and what a factor may scale."""

    lines: Lines
    facts: dict[int, int]
    gap: int
    scale: list[int]

    @property
    def key(self) -> Any:
        """What is claimed, but for the tables."""
        return tuple(self.lines.nodes), tuple(self.lines.ranges), tuple(self.facts.items()), self.gap, tuple(self.scale)


def summands(cell: Lines, sides: Any) -> list[tuple[str, int]]:
    """The terms of rhs - lhs, each to be added or subtracted."""
    found, waiting = [], [("add", sides[1]), ("sub", sides[0])]
    while waiting:
        sign, n = waiting.pop()
        op, *at = cell.nodes[n]
        if op in ("add", "sub"):
            waiting += [(sign, at[0]), (sign if op == "add" else "sub" if sign == "add" else "add", at[1])]
        else:
            found.append((sign, n))
    return found


def latest(cell: Lines, order: list[int], stages: list[list[int]], fixed: Any) -> dict[int, int]:
    """The last stage of which each node has a variable; -1 where it has none but those that are fixed."""
    of = {i: k for k, own in enumerate(stages) for i in own} | dict.fromkeys(fixed, -1)
    found: dict[int, int] = {}
    for n in order:
        op, *at = cell.nodes[n]
        need(op != "var" or at[0] in of, "a variable in no stage")
        found[n] = of[at[0]] if op == "var" else max((found[m] for m in cell.operands(n)), default=-1)
    return found


class Chain:
    """The stages of one path, where some variables are fixed."""

    def __init__(self, cell: Lines, sides: Any, facts: dict[int, int], plan: Any, fixed: dict[int, Fraction]) -> None:
        self.cell, self.sides, self.facts, self.plan, self.fixed = cell, sides, facts, plan, fixed
        self.stages, self.cuts, self.power, self.scale = (plan[k] for k in ("stages", "cuts", "power", "scale"))
        self.terms = summands(cell, sides[0])
        self.late = latest(cell, cell.below([*facts, *(n for _, n in self.terms)]), self.stages, fixed)

    def cut(self, k: int) -> Any:
        """y, N and p after a stage; -1 where there is none."""
        return self.cuts[k] if 0 <= k < len(self.cuts) else (-1, -1, 1)

    def stage(self, k: int) -> Stage:
        """The claim of one stage."""
        (y, scale, power), own = self.cut(k - 1), self.stages[k]
        lines = Lines({"ranges": [(Fraction(0), Fraction(1))] * OWN + [self.cell.ranges[i] for i in own], "nodes": []})
        s = lines.added("var", S)
        place = {y: lines.added("var", Y)} if y >= 0 else {}
        place |= {scale: _power(lines, s, power)} if scale >= 0 else {}
        total = lines.added("const", Fraction(0))
        for sign, n in self.terms:
            if max(self.late[n], 0) == k:
                total = lines.added(sign, total, self._put(lines, place, own, n))
        after = self.cut(k)[0]  # of which rows say what the steps do
        asked = [n for n in self.facts if self.late[n] == k and after not in self.cell.operands(n)]
        facts = {self._put(lines, place, own, n): self.facts[n] for n in asked}
        if k < len(self.cuts):
            total = lines.added("add", total, self._claimed(lines, place, own, k, facts))
        if k:
            total = lines.added("sub", total, _bound(lines, FROM, _power(lines, s, self.power), place.get(y, -1)))
        return Stage(lines, facts, total, [S] * (scale >= 0) + [OWN + j for j, i in enumerate(own) if i in self.scale])

    def _put(self, lines: Lines, place: dict[int, int], own: list[int], n: int) -> int:
        """A node in the program of a stage, computed from what the stage knows."""
        for k in self.cell.below([n], place):
            op, *at = self.cell.nodes[k]
            if op == "var" and at[0] not in self.fixed:
                need(at[0] in own, "a stage asks for a variable of another one")
                place[k] = lines.added("var", OWN + own.index(at[0]))
            elif op in ("var", "const"):
                place[k] = lines.added("const", self.fixed[at[0]] if op == "var" else at[0])
            else:
                place[k] = lines.added(op, *[place[m] for m in at])
        return place[n]

    def _claimed(self, lines: Lines, place: dict[int, int], own: list[int], k: int, facts: dict[int, int]) -> int:
        """What is claimed after a stage, times -1; `facts` learn that y is in the row."""
        y, scale, power = self.cut(k)
        s = self._put(lines, place, own, scale) if scale >= 0 else -1
        s = lines.added("sqrt", s) if power == 2 else s
        at = self._put(lines, place, own, y) if y >= 0 else -1
        if y >= 0:
            for low, high in ((lines.added("var", TO[2]), at), (at, lines.added("var", TO[3]))):
                facts[lines.added("sub", high, low)] = ANY & ~NEGATIVE
        return _bound(lines, TO[:2], _power(lines, s, self.power), at)


def _power(lines: Lines, s: int, power: int) -> int:
    """s to a power of 0, 1 or 2."""
    need(power in (0, 1, 2), "no power")
    return lines.added("const", Fraction(1)) if power == 0 else s if power == 1 else lines.added("mul", s, s)


def _bound(lines: Lines, pair: tuple[int, ...], factor: int, y: int) -> int:
    """factor (a + b y)."""
    found = lines.added("var", pair[0])
    if y >= 0:
        found = lines.added("add", found, lines.added("mul", lines.added("var", pair[1]), y))
    return lines.added("mul", factor, found)


def check_cut(chain: Chain, k: int, rows: list[Row], ends: Any) -> None:
    """Reject unless rows cover the ends of y, and N is not negative."""
    y, scale, power = chain.cut(k)
    need(rows, "a table without rows")
    need(power in (1, 2) and (scale >= 0 or chain.power == 0), "no power of a scale")
    need(scale < 0 or not chain.cell.signs([scale], chain.facts)[scale] & NEGATIVE, "a scale may be negative")
    if y >= 0:
        need(rows[0][0] <= ends[0] and ends[1] <= rows[-1][1], "rows do not cover the range of a number")
        need(all(b[0] <= a[1] for a, b in itertools.pairwise(rows)), "rows leave a gap")


def placed(faces: list[Any], before: list[Row], after: list[Row]) -> list[Any]:
    """The boxes of a stage, each face with each row before and each row after it."""
    found = []
    for p, q, face in itertools.product(before, after, faces):
        y, *rest = [(floor(a), -floor(-b)) for a, b in [p[:2], *((x, x) for x in (*p[2:], *q[2:], *q[:2]))]]
        found.append([y, face[S], *rest, *face[OWN:]])
    return found


def ends_of(chain: Chain, k: int) -> Any:
    """The ends of the number that is known after a stage."""
    y = chain.cut(k)[0]
    low, high = Box(chain.cell, chain.facts, []).ends.get(y, [-INF, INF]) if y >= 0 else [0, 0]
    op, *at = chain.cell.nodes[y]
    if op == "var" and at[0] not in chain.scale:
        least, most = chain.cell.ranges[at[0]]
        low, high = max(low, floor(least)), min(high, -floor(-most))
    return tuple(Fraction(int(end), ONE) if math.isfinite(end) else end for end in (low, high))


class Staged(Builder):
    """A program with the stages that its paths share, each checked once: tables before and after, and halvings."""

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self.tables = [[tuple(number(x) for x in row) for row in rows] for rows in data.get("tables", ())]
        need(all(len(row) == 4 for rows in self.tables for row in rows), "a row of another length")
        self.moves, self.seen = data.get("moves", ()), set[Any]()

    def table(self, k: int) -> Any:
        """The rows of a table, that of no cut for -1."""
        need(type(k) is int and -1 <= k < len(self.tables), "a table that is not there")
        return NOWHERE if k < 0 else self.tables[k]

    def check_stages(self, chain: Chain, numbers: list[int]) -> None:
        """Reject unless the stages of a path lead from nothing to nothing, by moves of these numbers."""
        need(len(numbers) == len(chain.stages) == len(chain.cuts) + 1, "a stage is left out")
        moves, at = [self.moves[k] for k in numbers], -1
        for k, (which, move) in enumerate(zip(numbers, moves, strict=True)):
            need(move["before"] == at and (move["after"] < 0) == (k == len(chain.cuts)), "stages that do not meet")
            if (at := move["after"]) >= 0:
                check_cut(chain, k, self.table(at), ends_of(chain, k))
            stage = chain.stage(k)
            if (key := (which, stage.key)) not in self.seen:
                self._check_move(stage, move)
                self.seen.add(key)

    def _check_move(self, stage: Any, move: Any) -> None:
        lines = stage.lines
        check_scale(lines, lines.below([stage.gap, *stage.facts]), stage.scale, set())
        judge, faces = Box(lines, stage.facts, [stage.gap]), roots(lines, set(), stage.scale, [])
        check_roots(judge, placed(faces, self.table(move["before"]), self.table(move["after"])), move["boxes"])


def check_chain(cell: Staged, facts: dict[int, int], sides: Any, _: list[int], proof: Any) -> None:
    """Reject unless the stages of a path are closed, wherever the variables in which its sides are affine end."""
    none, plan = zeros(cell, facts), proof["chain"]
    need(len(sides) == 1, "a chain with more than two sides")
    need(not none & set(plan["corners"]), "a variable is put at its ends twice")
    for i in plan["corners"]:
        check_affine(cell, list(sides[0]), list(facts), i)
    ends = list(itertools.product(*(dict.fromkeys(cell.ranges[i]) for i in plan["corners"])))
    need(len(ends) == len(plan["moves"]), "an end is left out")
    for chosen, numbers in zip(ends, plan["moves"], strict=True):
        fixed = {**dict.fromkeys(none, Fraction(0)), **dict(zip(plan["corners"], chosen, strict=True))}
        cell.check_stages(Chain(cell, sides, facts, plan, fixed), numbers)
