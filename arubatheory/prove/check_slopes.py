r"""Check claims that follow from simpler ones, with Python's integers and fractions alone: for `check_paths.py`.

* ["each"]: every pair of sides by a proof of its own;
* ["absurd"]: where the gap is negative, its square would be 0 or less;
* ["sides", l, r]: the claim on other sides, whose difference is the same;
* ["logs"]: $l \le r$ where $\log l \le \log r$ and no side is 0 or less;
* ["roots"]: $l \le r$ where $r \ge 0$ and $l^2 \le r^2$; the square of a root is what it is the root of;
* ["powers"]: exponentials of sums are products of powers of exponentials, each of a multiple of a term;
* ["products"]: $\log x_1 + \dots \le \log y_1 + \dots$ where $x_1 \cdots \le y_1 \cdots$;
* ["never", n, q]: no point is on the path, whose steps say that n < 0 (n > 0), as n >= q (n <= -q) by the other steps;
  q is 0, or positive where the steps allow that n is 0;
* ["wider", i, p, q]: the claim for $x_i$ in [p, q], which holds its range;
* ["cut", i, q]: the claim where $x_i \le q$ and where $x_i \ge q$;
* ["line", [i, c], ...]: for some variables $(1 - t) c + t x_i$ is put, with one more variable t of [0, 1]: where that
  is 1, it is the claim;
* ["slopes", i, c, ...]: the gap is $\ge 0$ where the variable $x_i$ is c, a node without $x_i$ that lies in its range,
  and its slope in $x_i$ is $\ge 0$ where $x_i > c$ and $\le 0$ where $x_i < c$. From c to $x_i$ the gap is defined, and
  between them it has a slope, by the steps that hold there: those that do not ask of $x_i$, those of the sign of what
  is affine in it and has that sign at c, and those of further nodes, if it is proved that they have no other sign.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from typing import Any

from arubatheory.prove.check_boxes import Box, degrees, floor, opposite
from arubatheory.prove.check_cells import ANY, BINARY, NEGATIVE, POSITIVE, Lines, need, number, plus, signs_between

MOST_PARTS, MOST_FACTORS = 200, 16  # of a product of sums, and of a power
KNOWN: dict[Any, Fraction] = {("exp", 0): Fraction(1), ("log", 1): Fraction(0), ("sqrt", 0): Fraction(0)}
Sides = list[tuple[int, int]]
Claim = tuple[dict[int, int], Sides]  # what the steps say, and the sides


class Builder(Lines):
    """A program to which nodes are added, each once."""

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self.numbers: dict[tuple[Any, ...], int] = {}
        for n, node in enumerate(self.nodes):
            self.numbers.setdefault(node, n)

    def node(self, *node: Any) -> int:
        """The number of a node, which is added if it is new."""
        number = self.numbers.setdefault(node, len(self.nodes))
        return self.added(*node) if number == len(self.nodes) else number

    def number(self, q: Fraction) -> int:
        """The node of a rational number."""
        return self.node("const", q)

    def constant(self, a: int) -> Fraction | None:
        """The rational number that a node is; None for one that is computed."""
        return self.nodes[a][1] if self.nodes[a][0] == "const" else None

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


def unary(cell: Builder, op: str, a: int) -> int:
    """A root, exponential or logarithm, simplified where its value is known or it undoes another; the logarithm of what
    is below 1 is one of what is above it."""
    q, (of, *at) = cell.constant(a), cell.nodes[a]
    square = (op, of) == ("sqrt", "mul") and at[0] == at[1]
    if (op, of) in (("log", "exp"), ("exp", "log")) or (square and not cell.signs(at, {}, True)[at[0]] & NEGATIVE):
        return int(at[0])
    if op == "log" and q and 0 < q < 1:
        return cell.binary("mul", cell.number(Fraction(-1)), cell.node("log", cell.number(1 / q)))
    if op == "sqrt" and q and q > 0 and q == (root := Fraction(*map(math.isqrt, q.as_integer_ratio()))) ** 2:
        return cell.number(root)
    return cell.number(KNOWN[op, q]) if (op, q) in KNOWN else cell.node(op, a)


def summed(cell: Builder, a: int, b: int) -> int:
    """a + b: c where it is (c - b) + b, and a multiple where it is two of one node whose factors add up to a number."""
    x, y = cell.nodes[a], cell.nodes[b]
    for node, other in ((x, b), (y, a)):
        if node[0] == "sub" and node[2] == other:
            return int(node[1])
    for k in set(x[1:]) & set(y[1:]) if x[0] == y[0] == "mul" else ():
        total = summed(cell, *(node[2 if node[1] == k else 1] for node in (x, y)))
        if cell.constant(total) is not None:
            return cell.binary("mul", total, k)
    return cell.binary("add", a, b)


def put(cell: Builder, top: int, values: dict[int, int]) -> int:
    """A node where nodes are put for some nodes."""
    found: dict[int, int] = {}
    for n in cell.below([top]):
        op, operands = cell.nodes[n][0], [found[k] for k in cell.operands(n)]
        if n in values:
            found[n] = values[n]
        elif operands == list(cell.operands(n)):
            found[n] = n
        elif op == "add":
            found[n] = summed(cell, *operands)
        else:
            found[n] = cell.binary(op, *operands) if op in BINARY else unary(cell, op, *operands)
    return found[top]


def slope(cell: Builder, top: int, i: int) -> int:
    """The derivative of a node in a variable."""
    zero, one = cell.number(Fraction(0)), cell.number(Fraction(1))
    found: dict[int, int] = {}
    for n in cell.below([top]):
        op, *at = cell.nodes[n]
        if op in ("const", "var"):
            found[n] = one if (op, *at) == ("var", i) else zero
            continue
        a, b, p, q = at[0], at[-1], found[at[0]], found[at[-1]]
        if op in ("add", "sub"):
            found[n] = cell.binary(op, p, q)
        elif op == "mul":
            both = cell.binary("mul", p, b), cell.binary("mul", a, q)
            found[n] = cell.binary("add", *both) if a != b else cell.binary("mul", a, cell.binary("add", p, p))
        elif op == "div":
            found[n] = cell.binary("div", cell.binary("sub", p, cell.binary("mul", n, q)), b)
        elif op == "exp":
            found[n] = cell.binary("mul", n, p)
        else:
            found[n] = cell.binary("div", p, a if op == "log" else cell.binary("add", n, n))
    return found[top]


def masks(steps: Iterable[Any]) -> dict[int, int]:
    """The signs of each node that steps (node, mask) leave."""
    found: dict[int, int] = {}
    for n, mask in steps:
        found[n] = found.get(n, ANY) & mask
    return found


def where(cell: Builder, facts: dict[int, int], sides: Sides, values: dict[int, int]) -> Claim:
    """A claim where nodes are put for some nodes."""
    known = masks((put(cell, n, values), mask) for n, mask in facts.items())
    return known, [(put(cell, left, values), put(cell, right, values)) for left, right in sides]


def interval(cell: Builder, n: int, facts: dict[int, int]) -> Any:
    """What a node lies between, over 2^SCALE, where all variables have their ranges."""
    cell.signs([n], facts)
    judge = Box(cell, facts, [n])
    box = [(floor(low), -floor(-high)) for low, high in cell.ranges] + [tuple(judge.ends[k]) for k in judge.column]
    return judge.values(box, judge.outer)[1][n]


def known_signs(cell: Builder, n: int, facts: dict[int, int]) -> int:
    """The signs that a node can have by rules, and by its interval."""
    return signs_between(*interval(cell, n, facts)) & cell.signs([n], facts)[n]


def terms(cell: Builder, n: int) -> dict[int, Fraction]:
    """Nodes, and what they are multiplied by to add up to a node; a number is a multiple of the node 1."""
    op, *at = cell.nodes[n]
    if op == "const":
        return {cell.number(Fraction(1)): at[0]} if at[0] else {}
    if op not in BINARY:
        return {n: Fraction(1)}
    a, one = terms(cell, at[0]), cell.number(Fraction(1))
    y = cell.constant(at[1]) if op == "div" else None
    op, b = ("mul", {one: 1 / y}) if y else (op, {at[1]: Fraction(1)} if op == "div" else terms(cell, at[1]))
    if op in ("add", "sub"):
        return plus(a, b, 1 if op == "add" else -1)
    need(len(a) * len(b) <= MOST_PARTS, "a product of too many terms")
    found: dict[int, Fraction] = {}
    for (j, c), (k, d) in itertools.product(a.items(), b.items()):
        found = plus(found, {cell.binary(op, j, k): c * d}, 1)
    return found


def common(numbers: Collection[Fraction]) -> Fraction:
    """The largest number of which all are whole multiples; 0 without any."""
    return Fraction(math.gcd(*(c.numerator for c in numbers)), math.lcm(*(c.denominator for c in numbers)))


def fraction(cell: Builder, powers: Iterable[tuple[int, Fraction]]) -> tuple[int, int]:
    """Numerator and denominator of a product of nodes with whole powers."""
    found = [cell.number(Fraction(1))] * 2
    for n, k in powers:
        need(abs(k) in range(MOST_FACTORS), "no power, or too large a one")
        for _ in range(int(abs(k))):
            found[k < 0] = cell.binary("mul", found[k < 0], n)
    return found[0], found[1]


def by_each(cell: Builder, facts: dict[int, int], sides: Sides) -> list[Claim]:
    """Each pair of sides as a claim."""
    need(sides, "no sides, so each of them says nothing")
    return [(facts, [pair]) for pair in sides]


def by_logs(cell: Builder, facts: dict[int, int], sides: Sides) -> list[Claim]:
    """That no side is 0 or less; the claim on their logarithms."""
    both = [n for pair in sides for n in pair]
    found: list[Claim] = [({**facts, n: facts.get(n, ANY) & ~POSITIVE}, []) for n in both]
    logs = [(unary(cell, "log", left), unary(cell, "log", right)) for left, right in sides]
    return [*found, ({**facts, **dict.fromkeys(both, POSITIVE)}, logs)]


def by_absurd(cell: Builder, facts: dict[int, int], sides: Sides) -> list[Claim]:
    """That where the gap is negative its square is not positive."""
    (n,) = (cell.binary("sub", right, left) for left, right in sides)
    return [({**facts, n: facts.get(n, ANY) & NEGATIVE}, [(cell.binary("mul", n, n), cell.number(Fraction(0)))])]


def by_roots(cell: Builder, facts: dict[int, int], sides: Sides) -> list[Claim]:
    """That right sides which are no roots are not negative; the claim on squares."""

    def square(n: int) -> int:
        return int(cell.nodes[n][1]) if cell.nodes[n][0] == "sqrt" else cell.binary("mul", n, n)

    found = [(facts, [(cell.number(Fraction(0)), right)]) for _, right in sides if cell.nodes[right][0] != "sqrt"]
    return [*found, (facts, [(square(left), square(right)) for left, right in sides])]


def by_sides(cell: Builder, facts: dict[int, int], sides: Sides, left: int, right: int) -> list[Claim]:
    """The claim on other sides, with the same gap."""
    cell.signs([left, right], facts)
    before, after = (cell.function(cell.binary("sub", r, l)) for l, r in (*sides, (left, right)))
    need(cell.vanishes(plus(before, after, -1)), "another gap")
    return [(facts, [(left, right)])]


def by_powers(cell: Builder, facts: dict[int, int], sides: Sides) -> list[Claim]:
    """The claim where each exponential is a product of powers of those of which all others are products, too."""
    order = cell.below([*facts, *(n for pair in sides for n in pair)])
    sums = {n: terms(cell, cell.nodes[n][1]) for n in order if cell.nodes[n][0] == "exp"}
    units = {k: common([parts[k] for parts in sums.values() if k in parts]) for parts in sums.values() for k in parts}
    bases = {k: unary(cell, "exp", cell.binary("mul", cell.number(c), k)) for k, c in units.items()}
    values = {n: fraction(cell, [(bases[k], c / units[k]) for k, c in parts.items()]) for n, parts in sums.items()}
    return [where(cell, facts, sides, {n: cell.binary("div", *pair) for n, pair in values.items()})]


def by_products(cell: Builder, facts: dict[int, int], sides: Sides) -> list[Claim]:
    """The claim on the exponentials of a multiple of its sides, brought to a common denominator."""
    found = []
    for left, right in sides:
        unit = common((parts := terms(cell, cell.binary("sub", right, left))).values())
        found.append(fraction(cell, [(unary(cell, "exp", k), c / unit) for k, c in parts.items()])[::-1])
    return [(facts, found)]


def by_never(cell: Builder, facts: dict[int, int], _: Sides, n: int, q: str) -> list[Claim]:
    """The claim that a node is on the other side of a number than a step says, by the other steps."""
    mask, rest, least = facts.get(n, ANY), {k: m for k, m in facts.items() if k != n}, number(q)
    need(not mask & NEGATIVE or not mask & POSITIVE, "no step says on which side of 0 a node is")
    need(least > 0 or (least == 0 and mask in (NEGATIVE, POSITIVE)), "a step allows as much")
    cell.signs([n], rest)
    return [(rest, [(n, cell.number(-least)) if not mask & NEGATIVE else (cell.number(least), n)])]


def by_wider(cell: Builder, facts: dict[int, int], sides: Sides, i: int, low: str, high: str) -> list[Claim]:
    """The claim where a variable has a larger range."""
    need(type(i) is int and 0 <= i < len(cell.ranges), "a variable that is not there")
    (least, most), cell.ranges[i] = cell.ranges[i], (number(low), number(high))
    need(cell.ranges[i][0] <= least and most <= cell.ranges[i][1], "a range that leaves some of it out")
    cell.signs([n for pair in sides for n in pair], facts)
    return [(facts, sides)]


def by_cut(cell: Builder, facts: dict[int, int], sides: Sides, i: int, q: str) -> list[Claim]:
    """The claim where a variable is at most a number, and where it is at least that."""
    need(type(i) is int and 0 <= i < len(cell.ranges), "a variable that is not there")
    step = cell.binary("sub", cell.node("var", i), cell.number(number(q)))
    return [({**facts, step: facts.get(step, ANY) & mask}, sides) for mask in (ANY & ~POSITIVE, ANY & ~NEGATIVE)]


def by_line(cell: Builder, facts: dict[int, int], sides: Sides, *line: list[int]) -> list[Claim]:
    """The claim on a line, whose variable is one more."""
    cell.ranges.append((Fraction(0), Fraction(1)))
    t, one = cell.node("var", len(cell.ranges) - 1), cell.number(Fraction(1))
    rest, values = cell.binary("sub", one, t), dict[int, int]()
    for i, c in line:
        need(type(i) is int and 0 <= i < len(cell.ranges) - 1, "a variable that is not there")
        x = cell.node("var", i)
        values[x] = cell.binary("add", cell.binary("mul", rest, c), cell.binary("mul", t, x))
    kept, found = where(cell, {n: m for n, m in facts.items() if put(cell, n, values) == n}, sides, values)
    cell.signs([n for pair in found for n in pair], kept)
    return [(kept, found)]


def between(cell: Builder, facts: dict[int, int], i: int, c: int) -> dict[int, int]:
    """What of the steps holds from c to where a variable is."""
    degree = degrees(cell, [c, *facts], i)
    free = {n: mask for n, mask in facts.items() if not degree[n]}
    need(not degree[c], "where slopes change signs depends on their variable")
    for small, large in ((cell.number(cell.ranges[i][0]), c), (c, cell.number(cell.ranges[i][1]))):
        need(not known_signs(cell, cell.binary("sub", large, small), free) & NEGATIVE, "slopes change signs outside")
    at = {cell.node("var", i): c}
    once = [n for n, mask in facts.items() if degree[n] == 1 and mask != NEGATIVE | POSITIVE]
    return free | {n: facts[n] for n in once if not known_signs(cell, put(cell, n, at), free) & ~facts[n]}


def by_slopes(cell: Builder, facts: dict[int, int], sides: Sides, i: int, c: int, *always: int) -> list[Claim]:
    """That nothing has other signs than steps say of some nodes; the claims where a variable is c, and above it and
    below it where the steps allow that."""
    need(type(i) is int and 0 <= i < len(cell.ranges) and len(sides) == 1, "slopes in no variable, or of two gaps")
    zero, x, gap = cell.number(Fraction(0)), cell.node("var", i), cell.binary("sub", *sides[0][::-1])
    kept, found = between(cell, facts, i, c), list[Claim]()
    for n in always:
        cell.signs([n], kept)
        found.append(({**kept, n: ANY & ~facts[n]}, []))
        kept[n] = facts[n]
    cell.signs([gap], kept)
    rise, step = slope(cell, gap, i), cell.binary("sub", x, c)
    found.append(where(cell, kept, [(zero, gap)], {x: c}))
    beside = cell.signs([step], facts)[step] & opposite(facts.get(cell.numbers.get(("sub", c, x), -1), ANY))
    for sign, pair in ((POSITIVE, (zero, rise)), (NEGATIVE, (rise, zero))):
        if beside & sign:
            found.append(({**kept, step: sign}, [pair]))
            cell.signs([rise], found[-1][0])
    return found


PLACES = by_never, by_wider, by_cut, by_line, by_slopes  # of the path
WAYS = (by_each, by_absurd, by_sides, by_logs, by_roots, by_powers, by_products, *PLACES)
KINDS: dict[str, Callable[..., list[Claim]]] = {way.__name__.removeprefix("by_"): way for way in WAYS}


def simpler(cell: Builder, facts: dict[int, int], sides: Sides, kind: str, *more: Any) -> list[Claim]:
    """The claims that a claim follows from; where it is on a line, there is one more range."""
    need(kind in KINDS, "no way to a claim from others")
    return KINDS[kind](cell, facts, sides, *more)
