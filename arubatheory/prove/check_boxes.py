r"""Check halvings of boxes by intervals of integers over 2^96, rounded outward, and what made the boxes smaller.

Part of `check_paths.py`, which says what is verified.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from arubatheory.prove.check_cells import ANY, NEGATIVE, POSITIVE, ZERO, Lines, combined, need, signs_between
from arubatheory.prove.check_shifts import check_shift

SCALE = 96
ONE = 1 << SCALE
INF = math.inf
ROUNDS = 3  # in which variables are put at their ends


# intervals of integers over 2^SCALE ----------------------------------------------------------------------------------
def floor(q: Any) -> Any:
    """The largest integer over 2^SCALE that is at most q."""
    return q.numerator * ONE // q.denominator


def multiply(a: Any, b: Any) -> Any:
    """The product of two intervals; 0 times an unknown end is 0."""
    (p, q), (r, s) = (a, b) if a[0] >= 0 or a[1] <= 0 else (b, a)
    if p >= 0:
        p, q = (p if r >= 0 else q), (q if s >= 0 else p)
        low, high = p and r and p * r, q and s and q * s
    elif q <= 0:
        p, q = (q if r >= 0 else p), (p if s >= 0 else q)
        low, high = q and s and q * s, p and r and p * r
    else:
        low, high = min(p * s, q * r), max(p * r, q * s)  # each on both sides of 0
    return (low >> SCALE if type(low) is int else low), (-(-high >> SCALE) if type(high) is int else high)


def squared(a: Any, _: Any = None) -> Any:
    """The square of an interval."""
    size = max(a[0], -a[1], 0), max(-a[0], a[1])
    return multiply(size, size)


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
    return math.isqrt(low << SCALE), INF if high == INF else math.isqrt((high << SCALE) - 1) + 1 if high else 0


def exponential(x: Any, upward: bool) -> Any:
    """A bound of e^x: the series at x over 2^k, which is below 2^-8, squared k times."""
    if x in (INF, -INF, 0):
        return ONE if x == 0 else 0 if x < 0 else INF
    if x < 0:
        other = exponential(-x, not upward)
        return -(-ONE * ONE // other) if upward else ONE * ONE // other
    need(x < 1000 * ONE, "an exponential too large")
    unit, k = SCALE + 64, max(x.bit_length() - SCALE + 8, 0)
    total, term, i = 0, 1 << unit, 1
    while term and i < 60:  # each term is less than 4 too small, and those after the last less than 8 together
        total, term, i = total + term, (term * x >> SCALE + k) // i, i + 1
    total += 400 + 2 * (term + 1) if upward else 0
    for _ in range(k):
        total = (total * total >> unit) + (1 if upward else 0)
    return (total >> 64) + (1 if upward else 0)


def logarithm(x: Any, upward: bool) -> Any:
    """A bound of log x, from a float that is moved until its exponential is on the right side."""
    if x <= 0 or x == INF or x == ONE:
        return 0 if x == ONE else INF if x == INF else -INF
    guess = int((math.log(x) - SCALE * math.log(2)) * 2**60) << (SCALE - 60)
    step = 1 << (SCALE - 44)
    while exponential(guess, False) < x if upward else exponential(guess, True) > x:
        guess, step = guess + (step if upward else -step), 2 * step
    return guess


def opposite(a: int) -> int:
    """The signs of -x."""
    return combined("sub", ZERO, a)


RULES: dict[str, Any] = {  # what an operation makes of two intervals; functions have their one twice
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": multiply,
    "sqrt": lambda a, _: root(a),
    "exp": lambda a, _: (exponential(a[0], False), exponential(a[1], True)),
    "log": lambda a, _: (logarithm(a[0], False), logarithm(a[1], True)),
}


class Box:
    """The nodes of a path as intervals, for boxes of its variables."""

    def __init__(self, cell: Lines, facts: dict[int, int], gaps: list[int]) -> None:
        self.cell, self.facts, self.gaps = cell, facts, gaps
        self.numbers = {n for n, (op, *_) in enumerate(cell.nodes) if op == "const"}
        self.ends: dict[int, list[Any]] = {}
        for n, mask in facts.items():
            op, *at = cell.nodes[n]
            self._bound(n, Fraction(0), mask)
            if op == "sub" and cell.nodes[at[1]][0] == "const":
                self._bound(at[0], cell.nodes[at[1]][1], mask)
            if op == "sub" and cell.nodes[at[0]][0] == "const":
                self._bound(at[1], cell.nodes[at[0]][1], opposite(mask))
        self.variables, self.column = len(cell.ranges), {n: len(cell.ranges) + k for k, n in enumerate(self.halved())}
        self.lines, self.outer = (self._lines(cell.below(wanted)) for wanted in ([*gaps, *facts], gaps))

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

    def _lines(self, order: list[int]) -> list[tuple[Any, ...]]:
        """Nodes in order, each with its operation, its operands (of a constant: its interval), how it is computed from
        those, and its ends."""
        found = []
        for n in order:
            op, *at = self.cell.nodes[n]
            i = (floor(at[0]), -floor(-at[0])) if op == "const" else at[0]
            found.append((n, op, i, at[-1], self._rule(op, *at), self.column.get(n, self.ends.get(n))))
        return found

    def _rule(self, op: str, i: Any, j: Any = None) -> Any:
        """How the interval of a node is computed from those of its operands, of which a function has its one twice."""
        if op == "div":
            mask = self.facts.get(j, ANY)
            return lambda a, b: multiply(a, invert(b, mask))
        return squared if op == "mul" and i == j else RULES.get(op)

    def values(self, box: Any, lines: list[tuple[Any, ...]]) -> tuple[list[Any], list[Any]]:
        """Each node's interval as computed, and clipped to what the steps say, or to the box where that is halved."""
        seen: list[Any] = [None] * len(self.cell.nodes)
        raw = seen.copy()
        for n, op, i, j, rule, ends in lines:
            raw[n] = seen[n] = found = rule(seen[i], seen[j]) if rule else box[i] if op == "var" else i
            if ends is not None:
                low, high = box[ends] if type(ends) is int else ends
                if found[0] < low or found[1] > high:
                    seen[n] = min(max(found[0], low), high), min(max(found[1], low), high)
        return raw, seen

    def slopes(self, gap: int, raw: list[Any], seen: list[Any]) -> list[Any]:
        """The gradient of a gap, backwards through the program; that of clipping lies in [0, 1]."""
        out: list[Any] = [(0, 0)] * self.variables
        adjoint: list[Any] = [None] * len(raw)
        adjoint[gap] = ONE, ONE
        for k, op, i, j, *_ in reversed(self.outer):
            if (here := adjoint[k]) is None or op == "const":
                continue
            if raw[k] is not seen[k]:
                here = min(here[0], 0), max(here[1], 0)
            if op == "var":
                out[i] = out[i][0] + here[0], out[i][1] + here[1]
                continue
            for operand, more in self._shares(op, i, j, seen, k, here):
                old = adjoint[operand]
                adjoint[operand] = more if old is None else (old[0] + more[0], old[1] + more[1])
        return out

    def _shares(self, op: str, i: int, j: int, seen: list[Any], k: int, here: Any) -> list[tuple[int, Any]]:
        """What of the slope in a node goes to each of its operands."""
        if op == "add" or op == "sub":
            return [(i, here), (j, here if op == "add" else (-here[1], -here[0]))]
        if op == "mul":
            return [(m, multiply(here, seen[l])) for m, l in ((i, j), (j, i)) if m not in self.numbers]
        whole = seen[k]
        if op == "div":
            over = multiply(here, invert(seen[j], self.facts.get(j, ANY)))
            return [(i, over), *([] if j in self.numbers else [(j, multiply((-whole[1], -whole[0]), over))])]
        factor = whole if op == "exp" else invert((2 * whole[0], 2 * whole[1]) if op == "sqrt" else seen[i], POSITIVE)
        return [(i, multiply(here, factor))]

    def centred(self, gap: int, box: Any, slopes: list[Any]) -> Any:
        """A lower bound of a gap on a box: its value in the middle, and slopes times how far the box reaches."""
        middle = [((low + high) // 2,) * 2 for low, high in box[: self.variables]] + box[self.variables :]
        value = self.values(middle, self.outer)[1][gap][0]
        for (low, high), (c, _), slope in zip(box, middle, slopes, strict=False):
            if low < high:
                value = value + multiply(slope, (low - c, high - c))[0]
        return value if value == value else -INF

    def closed(self, box: Any) -> bool:
        """Whether nothing runs along the path in a box, or its gaps are >= 0 there."""
        raw, seen = self.values(box, self.lines)
        none = any(not signs_between(*raw[n]) & mask for n, mask in self.facts.items())
        none = none or any(raw[n][0] > box[k][1] or raw[n][1] < box[k][0] for n, k in self.column.items())
        return none or (bool(self.gaps) and all(self._nonnegative(gap, box, raw, seen) for gap in self.gaps))

    def _nonnegative(self, gap: int, box: Any, raw: list[Any], seen: list[Any]) -> bool:
        """Whether a gap is >= 0 on a box: by its interval, else where variables in which it is monotone are put at the
        end where it is least, with the slopes of the box or with those there."""
        for _ in range(ROUNDS):
            if seen[gap][0] >= 0:
                return True
            slopes = self.slopes(gap, raw, seen)
            box = pinned(box, slopes)
            if self.centred(gap, box, slopes) >= 0:
                return True
            raw, seen = self.values(box, self.outer)
        return bool(seen[gap][0] >= 0)


def pinned(box: Any, slopes: list[Any]) -> Any:
    """A box with each variable at the end where what has these slopes is least, if it is monotone; the same box where a
    slope is not known, as there may be a pole."""
    ends = list(zip(box, slopes, strict=False))
    if any(x[0] < x[1] and (s[0] == -INF or s[1] == INF) for x, s in ends):
        return box
    put = [(x[0], x[0]) if s[0] >= 0 else (x[1], x[1]) if s[1] <= 0 else x for x, s in ends]
    return put + box[len(put) :]


# what makes a path's box smaller -------------------------------------------------------------------------------------
def zeros(cell: Lines, facts: dict[int, int]) -> set[int]:
    """The variables that the steps say are 0."""
    found, waiting = set(), [n for n, mask in facts.items() if mask == ZERO]
    while waiting:
        op, *at = cell.nodes[n := waiting.pop()]
        known = cell.signs(cell.operands(n), facts)
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
    return None if None in (a, b) else a + b if op == "mul" else a - b if op == "div" else a / 2


def forms(cell: Lines, order: list[int], moved: dict[int, Any], known: dict[Any, int]) -> dict[int, tuple[int, int]]:
    """Each node as a sign times a form, which is a number of `known`: sums and products have no order there. For some
    variables a sign times another one is put."""
    found: dict[int, tuple[int, int]] = {}
    parts: dict[Any, Any] = {number: key for key, number in known.items()}
    for n in order:
        op, *at = cell.nodes[n]
        if op == "const":
            sign, key = (-1 if at[0] < 0 else 1), (op, abs(at[0]))
        elif op == "var":
            sign, i = moved.get(at[0], (1, at[0]))
            key = op, i
        else:
            sign, key = joined(op, [found[k] for k in cell.operands(n)], parts)
        found[n] = sign, known.setdefault(key, len(known))
        parts[found[n][1]] = key
    return found


def joined(op: str, known: list[tuple[int, int]], parts: dict[Any, Any]) -> tuple[int, Any]:
    """The sign and the key of a form."""
    (s, a), (t, b) = known[0], known[-1]
    if op in ("add", "sub"):
        terms = []
        for sign, k in ((s, a), (t if op == "add" else -t, b)):
            terms += [(m, sign * q) for m, q in (parts[k][1] if parts[k][0] == "add" else [(k, 1)])]
        here, other = sorted(terms), sorted((m, -q) for m, q in terms)  # a sum and its negative have one form
        return (1, ("add", tuple(here))) if here <= other else (-1, ("add", tuple(other)))
    if op == "mul":
        return s * t, ("mul", tuple(sorted(m for k in (a, b) for m in (parts[k][1] if parts[k][0] == "mul" else [k]))))
    return (s * t, (op, a, b)) if op == "div" else (1, (op, s, a))


def is_symmetry(cell: Lines, facts: dict[int, int], gaps: list[int], moved: dict[int, Any]) -> bool:
    """Whether gaps, and what the steps say together, stay the same where a sign times another one is put for some
    variables."""
    order, known = cell.below([*gaps, *facts]), dict[Any, int]()
    before, after = (forms(cell, order, put, known) for put in ({}, moved))

    def said(form: dict[int, tuple[int, int]]) -> set[tuple[int, int]]:
        return {(form[n][1], mask if form[n][0] > 0 else opposite(mask)) for n, mask in facts.items()}

    ends = ((cell.ranges[i], cell.ranges[j][::sign], sign) for i, (sign, j) in moved.items())
    same = all(a == (sign * b[0], sign * b[1]) for a, b, sign in ends)
    return same and said(before) == said(after) and all(before[gap] == after[gap] for gap in gaps)


def by_symmetries(cell: Any, facts: dict[int, int], gaps: list[int], symmetries: Any) -> dict[int, int]:
    """The steps, and one more for each symmetry: that the first variable it moves is at least as large as what is put
    for it. Of the points that a symmetry makes of one, that where it is largest is such; reject what is none."""
    facts = dict(facts)
    for given in symmetries:
        moved = {i: (sign, j) for i, sign, j in given}
        need(all(type(i) is int and 0 <= i < len(cell.ranges) for i in moved), "a variable that is not there")
        need({j for _, j in moved.values()} == set(moved) and len(moved) == len(given) > 0, "no permutation")
        need(all(sign in (1, -1) for sign, _ in moved.values()), "no sign")
        need(is_symmetry(cell, facts, gaps, moved), "no symmetry")
        (i, sign, j), node = given[0], {i: cell.node("var", i) for i in moved}
        step = node[i] if (sign, j) == (-1, i) else cell.binary("sub" if sign > 0 else "add", node[i], node[j])
        facts[step] = facts.get(step, ANY) & ~NEGATIVE
    return facts


def degrees(cell: Lines, wanted: Iterable[int], i: int) -> dict[int, int]:
    """The degree of some nodes, and of those that they are computed from, in a variable; 2 for what is not affine."""
    found: dict[int, int] = {}
    for n in cell.below(wanted):
        op, *at = cell.nodes[n]
        known = [found[k] for k in cell.operands(n)]
        if op in ("add", "sub", "mul"):
            found[n] = max(known) if op != "mul" else min(sum(known), 2)
        else:
            affine = op == "div" and not known[1]
            found[n] = int(op == "var" and at[0] == i) if not known else known[0] if affine else 2 * any(known)
    return found


def check_affine(cell: Lines, gaps: list[int], asked: list[int], i: int) -> None:
    """Reject unless no step asks of a variable and the gaps are affine in it."""
    need(not any(degrees(cell, asked, i).values()), "a step asks of a corner")
    need(all(degree < 2 for degree in degrees(cell, gaps, i).values()), "a gap is not affine in a corner")


def roots(
    cell: Lines, none: set[int], scale: list[int], corners: list[int], above: Any = (), shifts: Any = ()
) -> list[Any]:
    """The boxes that are to be proved, in the order of the certificate; the variables `above` are not negative. Of each
    shift, one variable is at the end to which all of its variables move: that which is there first."""
    whole = [(0, 0) if i in none else (floor(p), -floor(-q)) for i, (p, q) in enumerate(cell.ranges)]
    whole = [(max(p, 0), q) if i in above else (p, q) for i, (p, q) in enumerate(whole)]

    def put(box: list[Any], ends: dict[int, Any]) -> list[Any]:
        return [(ends[i], ends[i]) if i in ends else x for i, x in enumerate(box)]

    boxes = [put(whole, dict.fromkeys(scale, 0))] if scale else [whole]
    boxes += [put(whole, {i: end}) for i in scale for end in whole[i] if end]
    for i in corners:
        boxes = [put(box, {i: end}) for box in boxes for end in dict.fromkeys(whole[i])]
    for group in shifts:
        boxes = [put(box, {i: whole[i][sign < 0]}) for box in boxes for i, sign in group]
    return boxes


# certificates --------------------------------------------------------------------------------------------------------
def check_boxes(cell: Any, facts: dict[int, int], _: Any, gaps: list[int], proof: Any) -> None:
    """Reject unless the halvings close every root."""
    scale, corners, shifts, none = proof["scale"], proof["corners"], proof.get("shifts", ()), zeros(cell, facts)
    facts = by_symmetries(cell, facts, gaps, symmetries := proof.get("symmetries", ()))
    above = {i for (i, sign, j), *_ in symmetries if (sign, j) == (-1, i)}
    used = [*scale, *corners, *(i for group in shifts for i, _ in group)]
    need(all(type(i) is int and 0 <= i < len(cell.ranges) for i in used), "a variable that is not there")
    need(len(set(used)) == len(used) and not none & set(used), "a variable is put at its ends twice")
    check_scale(cell, cell.below([*gaps, *facts]), scale, none)
    for i in corners:
        check_affine(cell, gaps, list(facts), i)
    for group in shifts:
        check_shift(cell, [*gaps, *facts], dict(group))
    check_roots(Box(cell, facts, gaps), roots(cell, none, scale, corners, above, shifts), proof["boxes"])


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
        middle = sum(box[k]) // 2
        waiting += [[*box[:k], (middle, box[k][1]), *box[k + 1 :]], [*box[:k], (box[k][0], middle), *box[k + 1 :]]]
    need(not waiting, "a box is left out")
