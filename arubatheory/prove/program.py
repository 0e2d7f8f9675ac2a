r"""Straight-line programs: what the sides of a claim compute on one path through its branches.

A node is a tuple of an operation and its operands: ("var", i), ("const", q), ("add" | "sub" | "mul" | "div", a, b),
("sqrt" | "exp" | "log", a), where a and b are numbers of earlier nodes; equal nodes are one. A sign set is a mask of
`NEGATIVE`, `ZERO` and `POSITIVE`; a step (node, mask, implied) of a path says that the sign of a node lies in the mask,
and whether that follows from the steps before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.prove.check_cells import ANY, Lines
from arubatheory.prove.check_slopes import Builder, masks

OPERATIONS: dict[str, Any] = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
OPERATIONS |= {"sqrt": np.sqrt, "exp": np.exp, "log": np.log}


class Turn(NamedTuple):
    """That the sign of a node lies in a mask: decided, or implied by what was decided before."""

    node: int
    mask: int
    implied: bool


class Path(NamedTuple):
    """One path through the branches: its steps, and the pairs (lhs, rhs) of nodes, or why it has no real sides; None:
    it is no instance of the claim."""

    steps: tuple[Turn, ...]
    sides: tuple[tuple[int, int], ...]
    undefined: str | None


def written(path: Path) -> dict[str, Any]:
    """A path as JSON holds it."""
    steps = [[step.node, step.mask] for step in path.steps]
    return {"steps": steps, "sides": [list(pair) for pair in path.sides], "undefined": path.undefined}


def masks_of(path: Path) -> dict[int, int]:
    """What the steps of a path say of the sign of each node that they ask of."""
    return masks(step[:2] for step in path.steps)


def merged(paths: Sequence[Path], depth: int = 0) -> list[Path]:
    """Paths, as one those that part in their last steps only, with the same sides."""
    parts: dict[tuple[Turn, ...], list[Path]] = {}
    for path in paths:
        parts.setdefault(path.steps[depth : depth + 1], []).append(path)
    found = [path for step, part in parts.items() for path in (merged(part, depth + 1) if step else part)]
    ended = all(path.sides == found[0].sides != () and len(path.steps) <= depth + 1 for path in found)
    return [found[0]._replace(steps=found[0].steps[:depth])] if ended else found


class Program(Builder):
    """Nodes, each once, and the variables' ranges."""

    def __init__(self) -> None:
        super().__init__({"ranges": [], "nodes": []})

    def variable(self, low: Fraction, high: Fraction, i: int) -> int:
        """The i-th variable; on every path it has the same range."""
        if i == len(self.ranges):
            self.ranges.append((low, high))
        return self.node("var", i)

    def variables(self, wanted: Iterable[int]) -> list[int]:
        """Those that some nodes are computed from."""
        return [self.nodes[n][1] for n in self.below(wanted) if self.nodes[n][0] == "var"]

    def lines(self) -> Builder:
        """A copy, as a checker has it."""
        found = Builder({"ranges": self.ranges, "nodes": []})
        found.nodes = list(self.nodes)
        return found

    def sign_at(self, a: int, facts: dict[int, int], known: dict[int, int]) -> int:
        """What the signs of a node can be where it is defined, from those of its operands and from `facts`; `known` are
        signs that were found before, and what is found now."""
        for n in self.below([a], known):
            known[n] = self.sign(n, known) & facts.get(n, ANY)
        return known[a]

    def forget(self, length: int) -> None:
        """Take back the nodes after the first so many."""
        for node in self.nodes[length:]:
            del self.numbers[node]
        del self.nodes[length:]
        self.functions.clear()


def floats(cell: Lines, wanted: Iterable[int], points: Array) -> dict[int, Array]:
    """Some nodes, and what they are computed from, in floats at points (variables, points)."""
    found: dict[int, Array] = {}
    for n in cell.below(wanted):
        op, *at = cell.nodes[n]
        if op in ("const", "var"):
            found[n] = np.full(points.shape[1], float(at[0])) if op == "const" else points[at[0]]
        else:
            with np.errstate(all="ignore"):
                found[n] = OPERATIONS[op](*(found[k] for k in at))
    return found


def obeyed(cell: Lines, facts: dict[int, int], points: Array) -> Array:
    """At which points nodes have the signs that are said of them, in floats."""
    found, kept = floats(cell, facts, points), np.ones(points.shape[1], bool)
    for n, mask in facts.items():
        x = found[n]
        kept &= ((mask & 1 > 0) & (x < 0)) | ((mask & 2 > 0) & (x == 0)) | ((mask & 4 > 0) & (x > 0))
    return kept
