r"""Straight-line programs of a certificate, their signs and their identities, by Python's integers and fractions alone.

Part of `check_paths.py`, which says what is verified.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

NEGATIVE, ZERO, POSITIVE, ANY = 1, 2, 4, 7
BINARY, UNARY = ("add", "sub", "mul", "div"), ("sqrt", "exp", "log")
MOST_TERMS = 40_000


class Rejected(ValueError):
    """The certificate proves nothing; the message says why."""


def need(holds: Any, reason: str) -> None:
    """Reject unless something holds."""
    if not holds:
        raise Rejected(reason)


# signs ---------------------------------------------------------------------------------------------------------------
def product_signs(a: int, b: int) -> int:
    """The signs of x y."""
    found = a & b & 0
    for p in (-1, 0, 1):
        for q in (-1, 0, 1):
            if a >> (p + 1) & 1 and b >> (q + 1) & 1:
                found |= 1 << (p * q + 1)
    return found


def sum_signs(a: int, b: int) -> int:
    """The signs of x + y."""
    found = 0
    for p in (-1, 0, 1):
        for q in (-1, 0, 1):
            if a >> (p + 1) & 1 and b >> (q + 1) & 1:
                found |= ANY if p * q < 0 else 1 << ((p or q) + 1)
    return found


def opposite(a: int) -> int:
    """The signs of -x."""
    return (a & ZERO) | (a & NEGATIVE) << 2 | (a & POSITIVE) >> 2


class Lines:
    """A program with the ranges of its variables."""

    def __init__(self, data: Any) -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self.ranges = [(Fraction(low), Fraction(high)) for low, high in data["ranges"]]
        need(all(low <= high for low, high in self.ranges), "a range is empty")
        for node in data["nodes"]:
            op, *at = node
            if op == "const":
                at = [Fraction(at[0])]
            else:
                least = len(self.ranges) if op == "var" else len(self.nodes)
                need(len(at) == (2 if op in BINARY else 1) and op in ("var", *BINARY, *UNARY), f"no operation: {node}")
                need(all(type(k) is int and 0 <= k < least for k in at), f"an operand that is not there: {node}")
            self.nodes.append((op, *at))
        self.functions: dict[int, tuple[dict[Any, Fraction], dict[int, int]]] = {}
        self.factors: list[dict[Any, Fraction]] = []

    def operands(self, n: int) -> tuple[int, ...]:
        """What a node is computed from."""
        return self.nodes[n][1:] if self.nodes[n][0] in BINARY + UNARY else ()

    def below(self, wanted: Any) -> list[int]:
        """Some nodes and all that they are computed from, in order."""
        found, waiting = set(), list(wanted)
        need(all(type(n) is int and 0 <= n < len(self.nodes) for n in waiting), "a node that is not there")
        while waiting:
            if (n := waiting.pop()) not in found:
                found.add(n)
                waiting += self.operands(n)
        return sorted(found)

    def ends(self, n: int) -> tuple[Fraction, Fraction]:
        """The range of a variable, a number, or a sum of two of these."""
        op, *at = self.nodes[n]
        if op in ("const", "var"):
            return (at[0], at[0]) if op == "const" else self.ranges[at[0]]
        (a, b), (c, d) = self.ends(at[0]), self.ends(at[1])
        return (a + c, b + d) if op == "add" else (a - d, b - c)

    def signs(self, wanted: list[int], facts: dict[int, int]) -> dict[int, int]:
        """The signs that nodes can have, given those of `facts`."""
        known: dict[int, int] = {}
        for n in self.below(wanted):
            op, *at = self.nodes[n]
            s = [known[k] for k in self.operands(n)]
            if op in ("const", "var") or (
                op in ("add", "sub") and all(self.nodes[k][0] in ("const", "var") for k in at)
            ):
                low, high = self.ends(n)
                found = (NEGATIVE if low < 0 else 0) | (POSITIVE if high > 0 else 0) | (ZERO if low <= 0 <= high else 0)
            elif op in ("add", "sub"):
                found = sum_signs(s[0], s[1] if op == "add" else opposite(s[1]))
            elif op in ("mul", "div"):
                found = product_signs(s[0], s[1]) & (~NEGATIVE if op == "mul" and at[0] == at[1] else ANY)
            else:
                found = s[0] & ~NEGATIVE if op == "sqrt" else POSITIVE if op == "exp" else ANY
            known[n] = found & facts.get(n, ANY)
        return known

    def check_defined(self, wanted: list[int], facts: dict[int, int]) -> None:
        """Reject what is divided by, or what a root or a logarithm is taken of, where its sign is not known."""
        known = self.signs(wanted, facts)
        for n in known:
            op, *at = self.nodes[n]
            bad = {"div": ZERO, "sqrt": NEGATIVE, "log": NEGATIVE | ZERO}.get(op, 0)
            need(not bad or not known[at[-1]] & bad, f"node {n} may be undefined")

    # identities ------------------------------------------------------------------------------------------------
    def function(self, n: int) -> tuple[dict[Any, Fraction], dict[int, int]]:
        """A node as a polynomial over a product of powers of `factors`; roots and the like are indeterminates."""
        for k in self.below([n]):
            if k not in self.functions:
                self.functions[k] = self._function(k)
        return self.functions[n]

    def _function(self, n: int) -> tuple[dict[Any, Fraction], dict[int, int]]:
        op, *at = self.nodes[n]
        if op == "const":
            return ({(): at[0]} if at[0] else {}), {}
        if op not in BINARY:
            return {((n, 1),): Fraction(1)}, {}
        (a, under), (b, below) = self.functions[at[0]], self.functions[at[1]]
        if op == "mul":
            return times(a, b), {k: under.get(k, 0) + below.get(k, 0) for k in {**under, **below}}
        if op == "div":
            extra = self._factor(b)
            return times(self._raised(a, below), {(): 1 / extra[1]}), {
                k: under.get(k, 0) + (k == extra[0]) for k in {**under, extra[0]: 0} if k >= 0
            }
        common = {k: max(under.get(k, 0), below.get(k, 0)) for k in {**under, **below}}
        a = self._raised(a, {k: common[k] - under.get(k, 0) for k in common})
        b = self._raised(b, {k: common[k] - below.get(k, 0) for k in common})
        return plus(a, b, 1 if op == "add" else -1), common

    def _factor(self, b: dict[Any, Fraction]) -> tuple[int, Fraction]:
        """The number of a divisor among the factors (-1: a number), and what it is that many times."""
        need(b, "a division by 0")
        if set(b) == {()}:
            return -1, b[()]
        lead = b[min(b)]
        scaled = {m: c / lead for m, c in b.items()}
        if scaled not in self.factors:
            self.factors.append(scaled)
        return self.factors.index(scaled), lead

    def _raised(self, a: dict[Any, Fraction], powers: dict[int, int]) -> dict[Any, Fraction]:
        for k, power in powers.items():
            for _ in range(power):
                a = times(a, self.factors[k])
        return a

    def vanishes(self, p: dict[Any, Fraction]) -> bool:
        """Whether a polynomial is 0 by the relations of roots: r^2 is what r is the root of."""
        roots = [n for m in p for n, _ in m if self.nodes[n][0] == "sqrt"]
        if not roots:
            return not p
        top = max(roots)
        parts: dict[int, dict[Any, Fraction]] = {}
        for m, c in p.items():
            powers = dict(m)
            power = powers.pop(top, 0)
            parts.setdefault(power, {})[tuple(sorted(powers.items()))] = c
        most = max(parts) // 2
        n, under = self.function(self.nodes[top][1])
        whole = self._raised({(): Fraction(1)}, under)
        halves: list[dict[Any, Fraction]] = [{}, {}]
        for power, part in parts.items():
            for _ in range(power // 2):
                part = times(part, n)
            for _ in range(most - power // 2):
                part = times(part, whole)
            halves[power % 2] = plus(halves[power % 2], part, 1)
        return all(self.vanishes(half) for half in halves)

    def equal(self, q: int, gap: tuple[int, int], e: int) -> bool:
        """Whether q (r - l) = e, for gap = (l, r); l = -1 is 0."""
        at = len(self.nodes)
        self.nodes += [("sub", gap[1], gap[0])] if gap[0] >= 0 else [("add", gap[1], self._zero())]
        top = len(self.nodes)
        self.nodes += [("mul", q, top - 1), ("sub", top, e)]
        try:
            return self.vanishes(self.function(top + 1)[0])
        finally:
            del self.nodes[at:]
            self.functions = {k: f for k, f in self.functions.items() if k < at}

    def _zero(self) -> int:
        return self.added("const", Fraction(0))

    def added(self, *node: Any) -> int:
        """The number of one more node."""
        self.nodes.append(node)
        return len(self.nodes) - 1

    def operand(self, n: int, op: str) -> int:
        """What a node is that function of."""
        need(type(n) is int and 0 <= n < len(self.nodes) and self.nodes[n][0] == op, f"node {n} is no {op}")
        return int(self.nodes[n][1])


def plus(a: dict[Any, Fraction], b: dict[Any, Fraction], sign: int) -> dict[Any, Fraction]:
    """a + sign b."""
    out = dict(a)
    for m, c in b.items():
        total = out.pop(m, 0) + sign * c
        if total:
            out[m] = total
    return out


def times(a: dict[Any, Fraction], b: dict[Any, Fraction]) -> dict[Any, Fraction]:
    """a b."""
    need(len(a) * len(b) <= 50 * MOST_TERMS, "an identity too large to expand")
    out: dict[Any, Fraction] = {}
    for m, c in a.items():
        for k, d in b.items():
            powers = dict(m)
            for n, power in k:
                powers[n] = powers.get(n, 0) + power
            key = tuple(sorted(powers.items()))
            out[key] = out.get(key, 0) + c * d
    return {m: c for m, c in out.items() if c}


# what is >= 0 ------------------------------------------------------------------------------------------------------
def check_identity(cell: Lines, q: int, gap: tuple[int, int], e: int, facts: dict[int, int]) -> None:
    """Reject unless q > 0 and q gap = e."""
    cell.check_defined([q, e], facts)
    need(cell.signs([q], facts)[q] == POSITIVE, "a factor may be 0 or negative")
    need(cell.equal(q, gap, e), "an identity does not hold")


def check_lemma(cell: Lines, lemma: Any, facts: dict[int, int]) -> int:
    r"""The node of a lemma, which is >= 0; reject unless it is, by one of

    * ["root", k, q, e]: the node k is x - y with x >= 0, and q (x^2 - y^2) = e with q > 0 and e >= 0;
    * ["log", k, N, M]: k = u/v - 1 - (log u - log v), u a product of what the nodes of N are logarithms of, v of M;
    * ["exp", k, n, m]: k = e^u - e^v (1 + u - v) for the exponentials n and m of u and v (-1: that of 0).
    """
    kind, k, first, second = lemma
    cell.check_defined([k], facts)
    if kind == "root":
        op, *at = cell.nodes[k]
        need(op == "sub" and not cell.signs(at, facts)[at[0]] & NEGATIVE, "a root of what may be negative")
        cell.nodes += [("mul", x, x) for x in at[::-1]]
        check_identity(cell, first, (len(cell.nodes) - 2, len(cell.nodes) - 1), second, facts)
        need(not cell.signs([second], facts)[second] & NEGATIVE, "squares may compare the other way")
        return int(k)
    need(kind in ("log", "exp"), "no lemma of a known kind")
    zero, one = cell.added("const", Fraction(0)), cell.added("const", Fraction(1))
    if kind == "log":
        less, ratio = zero, one
        for n, join, op in [(n, "add", "mul") for n in first] + [(n, "sub", "div") for n in second]:
            less, ratio = cell.added(join, less, n), cell.added(op, ratio, cell.operand(n, kind))
        more = cell.added("sub", ratio, one)
    else:
        (more, u), (g, v) = [(one, zero) if n == -1 else (n, cell.operand(n, kind)) for n in (first, second)]
        less = cell.added("mul", g, cell.added("add", one, cell.added("sub", u, v)))
    cell.check_defined([less, more], facts)
    check_identity(cell, one, (less, more), k, facts)
    return int(k)
