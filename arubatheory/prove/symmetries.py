r"""What leaves a path's gaps as they are: signs of variables, and variables or rows of them changed for one another.

A symmetry is a list of [i, sign, j]: for the variable i the sign times j is put. It adds a step to the path, that the
first variable is at least as large as what is put for it: of the points that the symmetry makes of one, that where it
is largest is such. The next one must leave that step as it is, too. A checker verifies each from the program alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arubatheory.prove.check_boxes import is_symmetry, opposite
from arubatheory.prove.check_cells import POSITIVE, ZERO
from arubatheory.prove.program import Path, Program, Turn, masks_of

MOST_VARIABLES = 16
Symmetry = list[list[int]]


def with_symmetries(program: Program, path: Path) -> tuple[Path, list[Symmetry]]:
    """A path with a step more for each symmetry that was found: exchanges or signs first, whichever finds more."""
    used = {program.nodes[n][1] for n in _order(program, path) if program.nodes[n][0] == "var"}
    if not path.sides or len(used) > MOST_VARIABLES:
        return path, []
    ways = []
    for kinds in ((_exchanged, _turned), (_turned, _exchanged)):
        found, longer = list[Symmetry](), path
        for kind in kinds:
            longer, more = kind(program, longer, sorted(used))
            found += more
        ways.append((longer, found))
    return max(ways, key=lambda way: len(way[1]))


def _order(program: Program, path: Path) -> list[int]:
    return program.below([*masks_of(path), *(n for pair in path.sides for n in pair)])


def _stepped(program: Program, path: Path, one: Symmetry) -> Path:
    """A path on which the first variable is at least as large as what is put for it."""
    i, sign, j = one[0]
    a, b = (program.node("var", k) for k in (i, j))
    node = a if i == j else program.binary("sub" if sign > 0 else "add", a, b)
    return path._replace(steps=(*path.steps, Turn(node, POSITIVE | ZERO, False)))


def _exchanged(program: Program, path: Path, used: list[int]) -> tuple[Path, list[Symmetry]]:
    """Variables, rows of them, or neighbours in several pairs, changed for one another."""
    found = list[Symmetry]()
    for pairs in _pairs(len(used)):
        moved = {used[i]: (1, used[j]) for pair in pairs for i, j in (pair, pair[::-1])}
        cell = program.lines()
        gaps = [cell.added("sub", right, left) for left, right in path.sides]
        if is_symmetry(cell, masks_of(path), gaps, moved):
            found.append([[i, sign, j] for i, (sign, j) in moved.items()])
            path = _stepped(program, path, found[-1])
    return path, found


def _pairs(n: int) -> Iterator[list[tuple[int, int]]]:
    for size in range(1, n // 2 + 1):
        for i in range(n - 2 * size + 1):
            yield from ([(i + k, j + k) for k in range(size)] for j in range(i + size, n - size + 1))
            yield [(i + 2 * k, i + 2 * k + 1) for k in range(size)]


def _turned(program: Program, path: Path, used: list[int]) -> tuple[Path, list[Symmetry]]:
    """Variables whose signs may be changed together: what asks that a node is even or odd is linear mod 2."""
    found = list[Symmetry]()
    for first, others in _free(_asked(program, path), used):
        found.append([[i, -1, i] for i in (first, *others)])
        path = _stepped(program, path, found[-1])
    return path, found


def _asked(program: Program, path: Path) -> list[int]:
    """Sets of variables, as bits, of which an even number may change signs."""
    masks, odd, asked = masks_of(path), dict[int, int](), list[int]()
    for n in _order(program, path):
        op, *at = program.nodes[n]
        known = [odd[k] for k in program.operands(n)]
        if not known:
            odd[n] = 1 << at[0] if op == "var" else 0
            if op == "var" and program.ranges[at[0]][0] != -program.ranges[at[0]][1]:
                asked.append(odd[n])
        else:
            odd[n] = known[0] ^ known[1] if op in ("mul", "div") else known[0] if op in ("add", "sub") else 0
            asked += [known[0] ^ known[-1]] if op in ("add", "sub") else [] if op in ("mul", "div") else [known[0]]
    asked += [odd[n] for pair in path.sides for n in pair]
    return [*asked, *(odd[n] for n, m in masks.items() if m != opposite(m))]


def _free(asked: Sequence[int], used: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Each variable whose sign is free, and those that change theirs with it; it changes with no other one."""
    rows: dict[int, int] = {}
    for row in asked:
        for pivot, other in rows.items():
            row ^= other if row >> pivot & 1 else 0
        if row:
            pivot = row.bit_length() - 1
            rows = {k: other ^ (row if other >> pivot & 1 else 0) for k, other in rows.items()} | {pivot: row}
    for i in used:
        if i not in rows:
            yield i, [pivot for pivot, row in rows.items() if row >> i & 1]
