r"""Check claims that follow from simpler ones, with Python's integers and fractions alone: for `check_paths.py`.

* ["each"]: every pair of sides by a proof of its own;
* ["logs"]: $l \le r$ where $\log l \le \log r$ and no side is 0 or less;
* ["roots"]: $l \le r$ where both are roots, and what they are roots of compares;
* ["equal", i, c]: a step says that the variable $x_i$ is c, which has no $x_i$, and c is put for it;
* ["line", [i, c], ...]: for some variables $(1 - t) c + t x_i$ is put, with one more variable t of [0, 1]: where that
  is 1, it is the claim;
* ["slopes", i, c, ...]: the gap is $\ge 0$ where the variable $x_i$ is c, a node without $x_i$ that lies in its range,
  and its slope in $x_i$ is $\ge 0$ where $x_i > c$ and $\le 0$ where $x_i < c$. From c to $x_i$ the gap is defined, and
  between them it has a slope, by the steps that hold there: those that do not ask of $x_i$, those of the sign of what
  is affine in it and has that sign at c, and those of further nodes, if it is proved that they have no other sign.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from arubatheory.prove.check_boxes import Box, degrees, floor
    from arubatheory.prove.check_cells import ANY, BINARY, NEGATIVE, POSITIVE, ZERO, Lines, need, signs_between
else:  # beside this file, as check_certificate.py runs it
    from check_boxes import Box, degrees, floor
    from check_cells import ANY, BINARY, NEGATIVE, POSITIVE, ZERO, Lines, need, signs_between

KNOWN: dict[Any, int] = {("exp", 0): 1, ("log", 1): 0, ("sqrt", 0): 0, ("sqrt", 1): 1}
Sides = list[tuple[int, int]]
Claim = tuple[dict[int, int], Sides]  # what the steps say, and the sides


def unary(cell: Lines, op: str, a: int) -> int:
    """A root, exponential or logarithm, simplified where its value is known."""
    value = KNOWN.get((op, cell.constant(a)))
    if (op, cell.nodes[a][0]) in (("log", "exp"), ("exp", "log")):
        return int(cell.nodes[a][1])
    return cell.node(op, a) if value is None else cell.number(Fraction(value))


def summed(cell: Lines, a: int, b: int) -> int:
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


def put(cell: Lines, top: int, values: dict[int, int]) -> int:
    """A node where nodes are put for some variables."""
    found: dict[int, int] = {}
    for n in cell.below([top]):
        op, *at = cell.nodes[n]
        operands = [found[k] for k in cell.operands(n)]
        if op == "var":
            found[n] = values.get(at[0], n)
        elif operands == list(cell.operands(n)):
            found[n] = n
        elif op == "add":
            found[n] = summed(cell, *operands)
        else:
            found[n] = cell.binary(op, *operands) if op in BINARY else unary(cell, op, *operands)
    return found[top]


def slope(cell: Lines, top: int, i: int) -> int:
    """The derivative of a node in a variable."""
    zero, one = cell.number(Fraction(0)), cell.number(Fraction(1))
    found: dict[int, int] = {}
    for n in cell.below([top]):
        op, *at = cell.nodes[n]
        if op in ("const", "var"):
            found[n] = one if (op, *at) == ("var", i) else zero
            continue
        a, b = at[0], at[-1]
        p, q = found[a], found[b]
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


def where(cell: Lines, facts: dict[int, int], sides: Sides, values: dict[int, int]) -> Claim:
    """A claim where nodes are put for some variables."""
    known: dict[int, int] = {}
    for n, mask in facts.items():
        k = put(cell, n, values)
        known[k] = known.get(k, ANY) & mask
    return known, [(put(cell, left, values), put(cell, right, values)) for left, right in sides]


def known_signs(cell: Lines, n: int, facts: dict[int, int]) -> int:
    """The signs that a node can have by rules, and by its interval where all variables have their ranges."""
    cell.check_defined([n], facts)
    judge = Box(cell, facts, [n])
    box = [(floor(low), -floor(-high)) for low, high in cell.ranges] + [tuple(judge.ends[k]) for k in judge.column]
    return cell.signs([n], facts)[n] & signs_between(*judge.values(box, judge.outer)[1][n])


def by_each(cell: Lines, facts: dict[int, int], sides: Sides) -> list[Claim]:
    """Each pair of sides as a claim."""
    return [(facts, [pair]) for pair in sides]


def by_logs(cell: Lines, facts: dict[int, int], sides: Sides) -> list[Claim]:
    """That no side is 0 or less; the claim on their logarithms."""
    both = [n for pair in sides for n in pair]
    found: list[Claim] = [({**facts, n: facts.get(n, ANY) & ~POSITIVE}, []) for n in both]
    logs = [(unary(cell, "log", left), unary(cell, "log", right)) for left, right in sides]
    return [*found, ({**facts, **dict.fromkeys(both, POSITIVE)}, logs)]


def by_roots(cell: Lines, facts: dict[int, int], sides: Sides) -> list[Claim]:
    """The claim on what the sides are roots of."""
    return [(facts, [(cell.operand(left, "sqrt"), cell.operand(right, "sqrt")) for left, right in sides])]


def by_value(cell: Lines, facts: dict[int, int], sides: Sides, i: int, c: int) -> list[Claim]:
    """The claim where a node is put for the variable that it is, as a step says."""
    x = cell.node("var", i)
    need(not degrees(cell, [c], i)[c], "the value of a variable depends on it")
    told = [facts.get(cell.binary("sub", *pair)) for pair in ((x, c), (c, x))]
    need(ZERO in told, "no step says what a variable is")
    known, found = where(cell, facts, sides, {i: c})
    cell.check_defined([n for pair in found for n in pair], known)
    return [(known, found)]


def by_line(cell: Lines, facts: dict[int, int], sides: Sides, *line: list[int]) -> list[Claim]:
    """The claim on a line, whose variable is one more."""
    cell.ranges.append((Fraction(0), Fraction(1)))
    t, one = cell.node("var", len(cell.ranges) - 1), cell.number(Fraction(1))
    rest, values = cell.binary("sub", one, t), dict[int, int]()
    for i, c in line:
        need(type(i) is int and 0 <= i < len(cell.ranges) - 1, "a variable that is not there")
        values[i] = cell.binary("add", cell.binary("mul", rest, c), cell.binary("mul", t, cell.node("var", i)))
    kept, found = where(cell, {n: m for n, m in facts.items() if put(cell, n, values) == n}, sides, values)
    cell.check_defined([n for pair in found for n in pair], kept)
    return [(kept, found)]


def between(cell: Lines, facts: dict[int, int], i: int, c: int) -> dict[int, int]:
    """What of the steps holds from c to where a variable is."""
    degree = degrees(cell, [c, *facts], i)
    free = {n: mask for n, mask in facts.items() if not degree[n]}
    need(not degree[c], "where slopes change signs depends on their variable")
    for small, large in ((cell.number(cell.ranges[i][0]), c), (c, cell.number(cell.ranges[i][1]))):
        need(not known_signs(cell, cell.binary("sub", large, small), free) & NEGATIVE, "slopes change signs outside")
    kept = dict(free)
    for n, mask in facts.items():
        if degree[n] == 1 and mask != NEGATIVE | POSITIVE and not known_signs(cell, put(cell, n, {i: c}), free) & ~mask:
            kept[n] = mask
    return kept


def by_slopes(cell: Lines, facts: dict[int, int], sides: Sides, i: int, c: int, *always: int) -> list[Claim]:
    """That nothing has other signs than steps say of some nodes; the claims where a variable is c, and above it and
    below it where the steps allow that."""
    need(type(i) is int and 0 <= i < len(cell.ranges) and len(sides) == 1, "slopes in no variable, or of two gaps")
    zero, x, gap = cell.number(Fraction(0)), cell.node("var", i), cell.binary("sub", *sides[0][::-1])
    kept, found = between(cell, facts, i, c), list[Claim]()
    for n in always:
        cell.check_defined([n], kept)
        found.append(({**kept, n: ANY & ~facts[n]}, []))
        kept[n] = facts[n]
    cell.check_defined([gap], kept)
    rise, step = slope(cell, gap, i), cell.binary("sub", x, c)
    found.append(where(cell, kept, [(zero, gap)], {i: c}))
    for sign, pair in ((POSITIVE, (zero, rise)), (NEGATIVE, (rise, zero))):
        if cell.signs([step], facts)[step] & sign:
            found.append(({**kept, step: sign}, [pair]))
            cell.check_defined([rise], found[-1][0])
    return found


KINDS: dict[str, Callable[..., list[Claim]]] = {
    "each": by_each,
    "logs": by_logs,
    "roots": by_roots,
    "equal": by_value,
    "line": by_line,
    "slopes": by_slopes,
}


def simpler(cell: Lines, facts: dict[int, int], sides: Sides, kind: str, *more: Any) -> list[Claim]:
    """The claims that a claim follows from; where it is on a line, there is one more range."""
    need(kind in KINDS, "no way to a claim from others")
    return KINDS[kind](cell, facts, sides, *more)
