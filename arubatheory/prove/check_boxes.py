r"""Check halvings of boxes by intervals of integers over 2^96, rounded outward, and what made the boxes smaller.

Part of `check_paths.py`, which says what is verified.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from arubatheory.prove.check_cells import ANY, BINARY, NEGATIVE, POSITIVE, ZERO, Lines, Rejected, need, opposite
else:  # beside this file, as check_certificate.py runs it
    from check_cells import ANY, BINARY, NEGATIVE, POSITIVE, ZERO, Lines, Rejected, need, opposite

SCALE = 96
ONE = 1 << SCALE
INF = math.inf


# intervals of integers over 2^SCALE ----------------------------------------------------------------------------------
def floor(q: Any) -> Any:
    """The largest integer over 2^SCALE that is at most q."""
    return q.numerator * ONE // q.denominator


def multiply(a: Any, b: Any) -> Any:
    """The product of two intervals; 0 times an unknown end is 0."""
    (p, q), (r, s) = a, b
    if p >= 0 <= r:
        low, high = p and r and p * r, q and s and q * s
    else:
        products = p and r and p * r, p and s and p * s, q and r and q * r, q and s and q * s
        low, high = min(products), max(products)
    return (low >> SCALE if type(low) is int else low), (-(-high >> SCALE) if type(high) is int else high)


def invert(b: Any, mask: int) -> Any:
    """1/b, where b is not 0 and its sign lies in the mask."""
    low, high = b
    if low > 0 or (low >= 0 and not mask & ZERO) or not mask & (NEGATIVE | ZERO):
        return (0 if high == INF or high <= 0 else ONE * ONE // high), (-(-ONE * ONE // low) if low > 0 else INF)
    if high < 0 or (high <= 0 and not mask & ZERO) or not mask & (POSITIVE | ZERO):
        p, q = invert((-high, -low), opposite(mask))
        return -q, -p
    return -INF, INF


def root(a: Any) -> Any:
    """The root of a >= 0."""
    low, high = max(a[0], 0), max(a[1], 0)
    top = INF if high == INF else math.isqrt((high << SCALE) - 1) + 1 if high else 0
    return math.isqrt(low << SCALE), top


def exponential(x: Any, upward: bool) -> Any:
    """A bound of e^x: the series at x over 2^k, which is below 2^-8, squared k times."""
    if x in (INF, -INF):
        return 0 if x < 0 else INF
    if x < 0:
        other = exponential(-x, not upward)
        return -(-ONE * ONE // other) if upward else ONE * ONE // other
    need(x < 1000 * ONE, "an exponential too large")
    unit, k = SCALE + 64, max(x.bit_length() - SCALE + 8, 0)
    total, term = 0, 1 << unit
    for i in range(1, 60):  # each term is less than 4 too small, and those after the last less than 8 together
        total += term
        term = (term * x >> SCALE + k) // i
        if not term:
            break
    total += 400 + 2 * (term + 1) if upward else 0
    for _ in range(k):
        total = (total * total >> unit) + (1 if upward else 0)
    return (total >> 64) + (1 if upward else 0)


def logarithm(x: Any, upward: bool) -> Any:
    """A bound of log x, from a float that is moved until its exponential is on the right side."""
    if x <= 0 or x == INF:
        return INF if x == INF else -INF
    guess = int((math.log(x) - SCALE * math.log(2)) * 2**60) << (SCALE - 60)
    step = 1 << (SCALE - 44)
    for _ in range(60):
        if (upward and exponential(guess, False) >= x) or (not upward and exponential(guess, True) <= x):
            return guess
        guess, step = guess + (step if upward else -step), 2 * step
    raise Rejected("a logarithm that is not enclosed")


class Box:
    """The nodes of a path as intervals, for boxes of its variables."""

    def __init__(self, cell: Lines, path: Any, facts: dict[int, int], gaps: list[int]) -> None:
        self.cell, self.facts, self.gaps = cell, facts, gaps
        self.order = cell.below([*gaps, *facts])
        self.outer = cell.below(gaps)
        self.lines = {n: (cell.nodes[n][0], cell.nodes[n][1], cell.nodes[n][-1]) for n in self.order}
        self.ends: dict[int, list[Any]] = {}
        for n, mask in facts.items():
            op, *at = cell.nodes[n]
            self._bound(n, Fraction(0), mask)
            if op == "sub" and cell.nodes[at[1]][0] == "const":
                self._bound(at[0], cell.nodes[at[1]][1], mask)
            if op == "sub" and cell.nodes[at[0]][0] == "const":
                self._bound(at[1], cell.nodes[at[0]][1], opposite(mask))
        self.variables, self.column = len(cell.ranges), {n: len(cell.ranges) + k for k, n in enumerate(self.halved())}

    def _bound(self, n: int, end: Fraction, mask: int) -> None:
        ends = self.ends.setdefault(n, [-INF, INF])
        if not mask & NEGATIVE:
            ends[0] = max(ends[0], floor(end))
        if not mask & POSITIVE:
            ends[1] = min(ends[1], -floor(-end))

    def halved(self) -> list[int]:
        """The nodes with two ends, which are halved as variables are."""
        between = [n for n, (low, high) in self.ends.items() if -INF < low < high < INF]
        return sorted(n for n in between if self.cell.nodes[n][0] not in ("var", "const"))

    def values(self, box: Any, order: list[int]) -> tuple[dict[int, Any], dict[int, Any]]:
        """Each node's interval as computed, and clipped to what the steps say, or to the box where that is halved."""
        raw: dict[int, Any] = {}
        seen: dict[int, Any] = {}
        for n in order:
            op, i, j = self.lines[n]
            if op == "const":
                found = floor(i), -floor(-i)
            elif op == "var":
                found = box[i]
            else:
                found = self._value(op, i, j, seen[i], seen[j])
            raw[n] = seen[n] = found
            if n in self.ends:
                low, high = box[self.column[n]] if n in self.column else self.ends[n]
                seen[n] = min(max(found[0], low), high), min(max(found[1], low), high)
        return raw, seen

    def _value(self, op: str, i: int, j: int, a: Any, b: Any) -> Any:
        if op == "add":
            return a[0] + b[0], a[1] + b[1]
        if op == "sub":
            return a[0] - b[1], a[1] - b[0]
        if op == "mul":
            low, high = multiply(a, b)
            if i == j:
                p = max(a[0], -a[1], 0)
                low = max(low, multiply((p, p), (p, p))[0])
            return low, high
        if op == "div":
            return multiply(a, invert(b, self.facts.get(j, ANY)))
        if op == "sqrt":
            return root(a)
        f = exponential if op == "exp" else logarithm
        return f(a[0], False), f(a[1], True)

    def slopes(self, gap: int, raw: dict[int, Any], seen: dict[int, Any], n: int) -> list[Any]:
        """The gradient of a gap, backwards through the program; that of clipping lies in [0, 1]."""
        out: list[Any] = [(0, 0)] * n
        adjoint: dict[int, Any] = {gap: (ONE, ONE)}
        for k in reversed([k for k in self.order if k <= gap]):
            op, *at = self.cell.nodes[k]
            here = adjoint.get(k, (0, 0))
            if here == (0, 0) or op == "const":
                continue
            if raw[k] != seen[k]:
                here = min(here[0], 0), max(here[1], 0)
            if op == "var":
                out[at[0]] = out[at[0]][0] + here[0], out[at[0]][1] + here[1]
                continue
            for operand, factor in zip(at, self._derivatives(op, at, k, seen), strict=True):
                old, more = adjoint.get(operand, (0, 0)), multiply(here, factor) if factor else here
                adjoint[operand] = old[0] + more[0], old[1] + more[1]
        return out

    def _derivatives(self, op: str, at: list[int], k: int, seen: dict[int, Any]) -> list[Any]:
        """By each operand; None stands for 1."""
        if op in ("add", "sub"):
            return [None, None if op == "add" else (-ONE, -ONE)]
        if op == "mul":
            return [seen[at[1]], seen[at[0]]]
        if op == "div":
            over, whole = invert(seen[at[1]], self.facts.get(at[1], ANY)), seen[k]
            return [over, multiply((-whole[1], -whole[0]), over)]
        if op == "exp":
            return [seen[k]]
        return [invert((2 * seen[k][0], 2 * seen[k][1]) if op == "sqrt" else seen[at[0]], POSITIVE)]

    def bound(self, gap: int, box: Any, raw: dict[int, Any], seen: dict[int, Any]) -> tuple[Any, list[Any]]:
        """A lower bound of a gap, by its interval and by the mean value form, and its gradient; from the `values`."""
        slopes = self.slopes(gap, raw, seen, self.variables)
        middle = [((low + high) // 2,) * 2 for low, high in box[: self.variables]] + box[self.variables :]
        value = self.values(middle, [k for k in self.outer if k <= gap])[1][gap][0]
        for (low, high), (c, _), slope in zip(box, middle, slopes, strict=False):
            value = value + multiply(slope, (low - c, high - c))[0]
        return max(seen[gap][0], value if value == value else -INF), slopes

    def closed(self, box: Any) -> bool:
        """Whether nothing runs along the path in a box, or its gaps are >= 0 there."""
        raw, seen = self.values(box, self.order)
        for n, mask in self.facts.items():
            low, high = raw[n]
            signs = (NEGATIVE if low < 0 else 0) | (ZERO if low <= 0 <= high else 0) | (POSITIVE if high > 0 else 0)
            if not signs & mask:
                return True
        if any(raw[n][0] > box[k][1] or raw[n][1] < box[k][0] for n, k in self.column.items()):
            return True
        return bool(self.gaps) and all(seen[gap][0] >= 0 or self._nonnegative(gap, box, raw, seen) for gap in self.gaps)

    def _nonnegative(self, gap: int, box: Any, raw: dict[int, Any], seen: dict[int, Any]) -> bool:
        least, slopes = self.bound(gap, box, raw, seen)
        ends = list(zip(box[: self.variables], slopes, strict=True))
        if least < 0 and all(x[0] == x[1] or (s[0] > -INF and s[1] < INF) for x, s in ends):
            put = [(x[0], x[0]) if s[0] >= 0 else (x[1], x[1]) if s[1] <= 0 else x for x, s in ends]
            pushed = put + box[self.variables :]
            least = self.bound(gap, pushed, *self.values(pushed, self.order))[0]
        return bool(least >= 0)


# what makes a path's box smaller -------------------------------------------------------------------------------------
def zeros(cell: Lines, facts: dict[int, int]) -> set[int]:
    """The variables that the steps say are 0."""
    found, waiting = set(), [n for n, mask in facts.items() if mask == ZERO]
    while waiting:
        op, *at = cell.nodes[waiting.pop()]
        known = cell.signs([n for n in at if op in BINARY], facts)
        if op == "var":
            found.add(at[0])
        elif op in ("sqrt", "div") or (op == "mul" and (at[0] == at[1] or not known[at[1]] & ZERO)):
            waiting.append(at[0])
        elif op == "mul" and not known[at[0]] & ZERO:
            waiting.append(at[1])
        elif op == "add" and not (known[at[0]] | known[at[1]]) & NEGATIVE:
            waiting += at
    return found


def check_scale(cell: Lines, order: list[int], scale: list[int], none: set[int]) -> dict[int, Any]:
    """The power of each node by which a factor of some variables, whose ranges are around or from 0, multiplies it;
    reject where there is none."""
    need(all(cell.ranges[i][0] in (0, -cell.ranges[i][1]) for i in scale), "a scaled variable has another range")
    found: dict[int, Any] = {}  # None: of 0
    for n in order if scale else ():
        op, *at = cell.nodes[n]
        if op in ("const", "var"):
            nothing = not at[0] if op == "const" else at[0] in none
            found[n] = None if nothing else Fraction(int(op == "var" and at[0] in scale))
        else:
            found[n] = power_of(op, [found[k] for k in cell.operands(n)])
    return found


def power_of(op: str, known: list[Any]) -> Any:
    """The power of the factor in a node, from those in its operands."""
    a, b = known[0], known[-1]
    if op in ("add", "sub"):
        need(a is None or b is None or a == b, "a sum of different powers")
        return b if a is None else a
    need(op in ("mul", "sqrt") or b is not None, "a node without a power")
    need(op not in ("exp", "log") or a == 0, "an exponential or a logarithm of what is scaled")
    if a is None or b is None:
        return None
    return a + b if op == "mul" else a - b if op == "div" else a / 2


def check_affine(cell: Lines, gaps: list[int], asked: list[int], i: int) -> None:
    """Reject unless no step asks of a variable and the gaps are affine in it."""
    need(not any(cell.nodes[n] == ("var", i) for n in cell.below(asked)), "a step asks of a corner")
    power: dict[int, int] = {}
    for n in cell.below(gaps):
        op, *at = cell.nodes[n]
        known = [power[k] for k in cell.operands(n)]
        power[n] = int(op == "var" and at[0] == i) if not known else sum(known) if op == "mul" else max(known)
        need(power[n] <= 1 and (op in BINARY[:3] or not any(known[-1:])), "a gap is not affine in a corner")


def roots(cell: Lines, none: set[int], scale: list[int], corners: list[int]) -> list[Any]:
    """The boxes that are to be proved, in the order of the certificate."""
    whole = [(0, 0) if i in none else (floor(p), -floor(-q)) for i, (p, q) in enumerate(cell.ranges)]

    def put(box: list[Any], ends: dict[int, Any]) -> list[Any]:
        return [(ends[i], ends[i]) if i in ends else x for i, x in enumerate(box)]

    boxes = [put(whole, dict.fromkeys(scale, 0))] if scale else [whole]
    boxes += [put(whole, {i: end}) for i in scale for end in whole[i] if end]
    for i in corners:
        boxes = [put(box, {i: end}) for box in boxes for end in dict.fromkeys(whole[i])]
    return boxes


# certificates --------------------------------------------------------------------------------------------------------
def check_boxes(cell: Lines, path: Any, facts: dict[int, int], gaps: list[int]) -> None:
    """Reject unless the halvings close every root."""
    proof, none = path["proof"], zeros(cell, facts)
    scale, corners = proof["scale"], proof["corners"]
    used = [*scale, *corners]
    need(all(type(i) is int and 0 <= i < len(cell.ranges) for i in used), "a variable that is not there")
    need(len(set(used)) == len(used) and not none & set(used), "a variable is put at its ends twice")
    check_scale(cell, cell.below([*gaps, *facts]), scale, none)
    for i in corners:
        check_affine(cell, gaps, list(facts), i)
    boxes, judge = roots(cell, none, scale, corners), Box(cell, path, facts, gaps)
    check_roots(judge, boxes, proof["boxes"])


def check_roots(judge: Box, boxes: list[Any], halvings: Any) -> None:
    """Reject unless each of some boxes has halvings that close it."""
    need(len(boxes) == len(halvings), "a box is left out")
    between = [tuple(judge.ends[n]) for n in judge.column]
    for box, splits in zip(boxes, halvings, strict=True):
        check_halvings(judge, box + between, splits)


def check_halvings(judge: Box, root_box: Any, splits: list[int]) -> None:
    """Reject unless the halvings of one root, in preorder, end in closed boxes."""
    waiting = [root_box]
    for k in splits:
        need(waiting and type(k) is int and -1 <= k < len(root_box), "halvings that do not fit")
        box = waiting.pop()
        if k < 0:
            need(judge.closed(box), f"a box is not closed: {[(float(p) / ONE, float(q) / ONE) for p, q in box]}")
            continue
        low, high = box[k]
        middle = (low + high) // 2
        waiting += [[*box[:k], (middle, high), *box[k + 1 :]], [*box[:k], (low, middle), *box[k + 1 :]]]
    need(not waiting, "a box is left out")
