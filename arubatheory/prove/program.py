r"""Straight-line programs: what the sides of a claim compute on one path through its branches, and known signs.

A node is a tuple of an operation and its operands: ("var", i), ("const", q), ("add" | "sub" | "mul" | "div", a, b),
("sqrt" | "exp" | "log", a), where a and b are numbers of earlier nodes; equal nodes are one. A sign set is a mask of
`NEGATIVE`, `ZERO` and `POSITIVE`; a step (node, mask, implied) of a path says that the sign of a node lies in the mask,
and whether that follows from the steps before it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

NEGATIVE, ZERO, POSITIVE = 1, 2, 4
ANY = NEGATIVE | ZERO | POSITIVE
BITS = (NEGATIVE, ZERO, POSITIVE)
VALUE = {NEGATIVE: -1, ZERO: 0, POSITIVE: 1}
OF_VALUE = {-1: NEGATIVE, 0: ZERO, 1: POSITIVE}
Node = tuple[Any, ...]
Range = tuple[Fraction, Fraction]


class Turn(NamedTuple):
    """That the sign of a node lies in a mask: decided, or implied by what was decided before."""

    node: int
    mask: int
    implied: bool


class Path(NamedTuple):
    """One path through the branches: its steps, and the pairs (lhs, rhs) of nodes, or why it has no real sides."""

    steps: tuple[Turn, ...]
    sides: tuple[tuple[int, int], ...]
    undefined: str


def masks_of(path: Path) -> dict[int, int]:
    """What the steps of a path say of the sign of each node that they ask of."""
    masks: dict[int, int] = {}
    for step in path.steps:
        masks[step.node] = masks.get(step.node, ANY) & step.mask
    return masks


def merged(paths: Sequence[Path], depth: int = 0) -> list[Path]:
    """Paths, as one those that part in their last steps only, with the same sides."""
    parts: dict[tuple[Turn, ...], list[Path]] = {}
    for path in paths:
        parts.setdefault(path.steps[depth : depth + 1], []).append(path)
    found = [path for step, part in parts.items() for path in (merged(part, depth + 1) if step else part)]
    ended = all(path.sides == found[0].sides != () and len(path.steps) <= depth + 1 for path in found)
    return [found[0]._replace(steps=found[0].steps[:depth])] if ended else found


def opposite(mask: int) -> int:
    """The signs of -x."""
    return (mask & ZERO) | (POSITIVE if mask & NEGATIVE else 0) | (NEGATIVE if mask & POSITIVE else 0)


def _pairs(a: int, b: int) -> list[tuple[int, int]]:
    return [(p, q) for p in BITS for q in BITS if p & a and q & b]


def _sums(a: int, b: int) -> int:
    """The signs of x + y."""
    found = 0
    for p, q in _pairs(a, b):
        found |= (p if q in (p, ZERO) else q) if ZERO in (p, q) or p == q else ANY
    return found


def _products(a: int, b: int) -> int:
    """The signs of x y."""
    return sum({OF_VALUE[VALUE[p] * VALUE[q]] for p, q in _pairs(a, b)})


def sign_between(low: Any, high: Any) -> int:
    """The signs of the numbers of [low, high]."""
    return (NEGATIVE if low < 0 else 0) | (ZERO if low <= 0 <= high else 0) | (POSITIVE if high > 0 else 0)


class Program:
    """Nodes, each once, and the variables' ranges."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.ranges: list[Range] = []
        self._numbers: dict[Node, int] = {}

    def node(self, *node: Any) -> int:
        """The number of a node, which is added if it is new."""
        number = self._numbers.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return number

    def variable(self, low: Fraction, high: Fraction, i: int) -> int:
        """The i-th variable; on every path it has the same range."""
        if i == len(self.ranges):
            self.ranges.append((low, high))
        return self.node("var", i)

    def binary(self, op: str, a: int, b: int) -> int:
        """a op b, simplified where an operand is 0 or 1 or both are numbers; a divisor is not 0."""
        x, y = self.constant(a), self.constant(b)
        if x is not None and y is not None:
            return self.number(x + y if op == "add" else x - y if op == "sub" else x * y if op == "mul" else x / y)
        if op in ("add", "mul") and a > b:
            a, b, x, y = b, a, y, x
        if op == "add" and x == 0:
            return b
        if op in ("add", "sub") and y == 0:
            return a
        if a == b and op in ("sub", "div"):
            return self.number(Fraction(0 if op == "sub" else 1))
        if x == 0 or (op == "mul" and y == 0):
            return self.number(Fraction(0)) if op != "sub" else self.node("mul", self.number(Fraction(-1)), b)
        if (op == "mul" and x == 1) or (op in ("mul", "div") and y == 1):
            return b if y != 1 else a
        if op == "div" and self.nodes[b][0] == "mul" and a in self.nodes[b][1:]:
            rest = self.nodes[b][1] if self.nodes[b][2] == a else self.nodes[b][2]
            return self.binary("div", self.number(Fraction(1)), rest)
        return self.node(op, a, b)

    def number(self, q: Fraction) -> int:
        """The node of a rational number."""
        return self.node("const", q)

    def constant(self, a: int) -> Fraction | None:
        """The rational number that a node is; None for one that is computed."""
        node = self.nodes[a]
        return node[1] if node[0] == "const" else None

    def signs(self, a: int, facts: dict[int, int], known: dict[int, int]) -> int:
        """What the signs of a node can be, from those of its operands and from `facts`; `known` are signs that were
        found before, and what is found now."""
        for n in self.needed([a], known):
            known[n] = facts.get(n, ANY) & self._signs(n, known)
        return known[a]

    def operands(self, n: int) -> list[int]:
        """The numbers of the nodes that a node is computed from."""
        node = self.nodes[n]
        return [] if node[0] in ("var", "const") else list(node[1:])

    def needed(self, wanted: Iterable[int], known: Container[int] = ()) -> list[int]:
        """The nodes that some are computed from, and these, in order, without those below what is `known`."""
        found, waiting = set[int](), list(wanted)
        while waiting:
            n = waiting.pop()
            if n not in found and n not in known:
                found.add(n)
                waiting += self.operands(n)
        return sorted(found)

    def _ends(self, n: int) -> Range:
        """The range of a variable or a number."""
        op, at = self.nodes[n]
        return self.ranges[at] if op == "var" else (at, at)

    def _signs(self, n: int, facts: dict[int, int]) -> int:
        op, *at = self.nodes[n]
        if op in ("const", "var"):
            return sign_between(*self._ends(n))
        s = [facts[k] for k in at]
        if op in ("add", "sub") and all(self.nodes[k][0] in ("var", "const") for k in at):
            (a, b), (c, d) = self._ends(at[0]), self._ends(at[1])
            return sign_between(a + c, b + d) if op == "add" else sign_between(a - d, b - c)
        if op in ("add", "sub"):
            return _sums(s[0], s[1] if op == "add" else opposite(s[1]))
        if op in ("mul", "div"):
            return _products(s[0], s[1]) & (ZERO | POSITIVE if op == "mul" and at[0] == at[1] else ANY)
        return s[0] & ~NEGATIVE if op == "sqrt" else POSITIVE if op == "exp" else ANY
