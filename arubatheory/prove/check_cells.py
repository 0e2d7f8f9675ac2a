r"""Straight-line programs of a certificate, their signs and their identities, by Python's integers and fractions alone.

Part of `check_paths.py`, which says what is verified.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

NEGATIVE, ZERO, POSITIVE, ANY = 1, 2, 4, 7
BINARY, UNARY = ("add", "sub", "mul", "div"), ("sqrt", "exp", "log")
MOST_TERMS, DIGIT = 40_000, 16  # of a polynomial; bits of a power


class Rejected(ValueError):
    """The certificate proves nothing; the message says why."""


def need(holds: Any, reason: str) -> None:
    """Reject unless something holds."""
    if not holds:
        raise Rejected(reason)


# signs ---------------------------------------------------------------------------------------------------------------
def pairs(a: int, b: int) -> list[tuple[int, int]]:
    """Signs of x and of y, as -1, 0 and 1."""
    return [(p, q) for p in (-1, 0, 1) for q in (-1, 0, 1) if a >> (p + 1) & 1 and b >> (q + 1) & 1]


def product_signs(a: int, b: int) -> int:
    """The signs of x y."""
    return reduce(or_, (1 << (p * q + 1) for p, q in pairs(a, b)), 0)


def sum_signs(a: int, b: int) -> int:
    """The signs of x + y."""
    return reduce(or_, (ANY if p * q < 0 else 1 << ((p or q) + 1) for p, q in pairs(a, b)), 0)


def signs_between(low: Any, high: Any) -> int:
    """The signs of the numbers of an interval."""
    return (0 if low >= 0 else NEGATIVE) | (0 if low > 0 or high < 0 else ZERO) | (0 if high <= 0 else POSITIVE)


def opposite(a: int) -> int:
    """The signs of -x."""
    return (a & ZERO) | (a & NEGATIVE) << 2 | (a & POSITIVE) >> 2


# polynomials of atoms, which are variables, roots and the like ------------------------------------------------------
class Polynomial(NamedTuple):
    """Integers over one, by monomials: the power of the k-th atom is the k-th digit of base 2^DIGIT. No monomial has a
    larger degree than is said, so that no digit is ever carried."""

    terms: dict[int, int]
    over: int = 1
    degree: int = 0


def plus(a: Polynomial, b: Polynomial, sign: int) -> Polynomial:
    """a + sign b."""
    over = math.lcm(a.over, b.over)
    p, q = over // a.over, sign * over // b.over
    out = {m: c * p for m, c in a.terms.items()} if p > 1 else dict(a.terms)
    for m, c in b.terms.items():
        if total := out.pop(m, 0) + c * q:
            out[m] = total
    return Polynomial(out, over, max(a.degree, b.degree))


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    """a b."""
    need(len(a.terms) * len(b.terms) <= 50 * MOST_TERMS, "an identity too large to expand")
    need(a.degree + b.degree < 1 << DIGIT, "a power too large")
    out: dict[int, int] = {}
    for m, c in a.terms.items():
        for k, d in b.terms.items():
            out[m + k] = out.get(m + k, 0) + c * d
    common = math.gcd(a.over * b.over, *out.values())
    terms = {m: c // common for m, c in out.items() if c}
    return Polynomial(terms, a.over * b.over // common, a.degree + b.degree)


def composed(parts: dict[int, dict[int, int]], x: Polynomial, degree: int) -> Polynomial:
    """The sum of parts times powers of x."""
    total = Polynomial({})
    for k in range(max(parts, default=0), -1, -1):
        total = plus(times(total, x), Polynomial(parts.get(k, {}), 1, degree), 1)
    return total


class Lines:
    """A program with the ranges of its variables."""

    def __init__(self, data: Any) -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self.numbers: dict[tuple[Any, ...], int] = {}
        self.ranges = [(Fraction(low), Fraction(high)) for low, high in data["ranges"]]
        need(all(low <= high for low, high in self.ranges), "a range is empty")
        for node in data["nodes"]:
            op, *at = node
            if op == "const":
                at = [Fraction(at[0])]
            else:
                least = len(self.ranges) + 1 if op == "var" else len(self.nodes)  # the last one is that of a line
                need(len(at) == (2 if op in BINARY else 1) and op in ("var", *BINARY, *UNARY), f"no operation: {node}")
                need(all(type(k) is int and 0 <= k < least for k in at), f"an operand that is not there: {node}")
            self.numbers.setdefault((op, *at), self.added(op, *at))
        self.functions: dict[int, Polynomial] = {}
        self.atoms: dict[tuple[str, Any], int] = {}
        self.inverted: dict[int, Polynomial] = {}  # what an atom is the inverse of

    def added(self, *node: Any) -> int:
        """The number of one more node."""
        self.nodes.append(node)
        return len(self.nodes) - 1

    def node(self, *node: Any) -> int:
        """The number of a node, which is added if it is new."""
        number = self.numbers.setdefault(node, len(self.nodes))
        return self.added(*node) if number == len(self.nodes) else number

    def number(self, q: Fraction) -> int:
        """The node of a rational number."""
        return self.node("const", q)

    def constant(self, a: int) -> Fraction | None:
        """The rational number that a node is; None for one that is computed."""
        node = self.nodes[a]
        return node[1] if node[0] == "const" else None

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

    def operands(self, n: int) -> tuple[int, ...]:
        """What a node is computed from."""
        return self.nodes[n][1:] if self.nodes[n][0] in BINARY + UNARY else ()

    def below(self, wanted: Iterable[int], known: Container[int] = ()) -> list[int]:
        """Some nodes and all that they are computed from, in order, without those below what is `known`."""
        found, waiting = set[int](), list(wanted)
        need(all(type(n) is int and 0 <= n < len(self.nodes) for n in waiting), "a node that is not there")
        while waiting:
            if (n := waiting.pop()) not in found and n not in known:
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

    def signs(self, wanted: Iterable[int], facts: dict[int, int], known: Any = None) -> dict[int, int]:
        """The signs that nodes can have, given those of `facts`; `known` are those found before and now."""
        known = {} if known is None else known
        for n in self.below(wanted, known):
            op, *at = self.nodes[n]
            s = [known[k] for k in self.operands(n)]
            if op in ("const", "var") or (
                op in ("add", "sub") and all(self.nodes[k][0] in ("const", "var") for k in at)
            ):
                found = signs_between(*self.ends(n))
            elif op in ("add", "sub"):
                found = sum_signs(s[0], s[1] if op == "add" else opposite(s[1]))
            elif op in ("mul", "div"):
                found = product_signs(s[0], s[1]) & (~NEGATIVE if op == "mul" and at[0] == at[1] else ANY)
            else:
                found = s[0] & ~NEGATIVE if op == "sqrt" else POSITIVE if op == "exp" else ANY
            known[n] = found & facts.get(n, ANY)
        return known

    def learned(self, facts: dict[int, int]) -> dict[int, int]:
        """What steps say, and that a factor is not 0 where a product is not."""
        facts = dict(facts)
        for n in reversed(self.below(facts)):
            op, *at = self.nodes[n]
            for k in (
                at[: 2 if op == "mul" else 1] if op in ("mul", "div", "sqrt") and not facts.get(n, ANY) & ZERO else ()
            ):
                facts[k] = facts.get(k, ANY) & ~ZERO
        return facts

    def check_defined(self, wanted: list[int], facts: dict[int, int]) -> None:
        """Reject what is divided by, or what a root or a logarithm is taken of, where its sign is not known."""
        known = self.signs(wanted, facts)
        for n in known:
            op, *at = self.nodes[n]
            bad = {"div": ZERO, "sqrt": NEGATIVE, "log": NEGATIVE | ZERO}.get(op, 0)
            need(not bad or not known[at[-1]] & bad, f"node {n} may be undefined")

    # identities ------------------------------------------------------------------------------------------------
    def function(self, n: int) -> Polynomial:
        """A node as a polynomial of variables, roots and the like, and of inverses of what is divided by."""
        for k in self.below([n]):
            if k not in self.functions:
                self.functions[k] = self._function(k)
        return self.functions[n]

    def _function(self, n: int) -> Polynomial:
        op, *at = self.nodes[n]
        if op == "const":
            return Polynomial({0: at[0].numerator} if at[0] else {}, at[0].denominator)
        if op not in BINARY:
            return self._atom(op, at[0])
        a, b = (self.functions[k] for k in at)
        if op in ("add", "sub"):
            return plus(a, b, 1 if op == "add" else -1)
        return times(a, b if op == "mul" else self._inverse(b))

    def _atom(self, op: str, at: Any) -> Polynomial:
        """An atom; those that it is computed from have smaller numbers."""
        return Polynomial({1 << DIGIT * self.atoms.setdefault((op, at), len(self.atoms)): 1}, 1, 1)

    def _inverse(self, b: Polynomial) -> Polynomial:
        """1/b, for a b without common factors of its integers an atom, unless it is a number."""
        need(b.terms, "a division by 0")
        factor = math.gcd(*b.terms.values()) * (1 if b.terms[max(b.terms)] > 0 else -1)
        rest = Polynomial({m: c // factor for m, c in b.terms.items()}, 1, b.degree)
        number = Polynomial({0: b.over if factor > 0 else -b.over}, abs(factor))
        if rest.terms == {0: 1}:
            return number
        atom = self._atom("div", frozenset(rest.terms.items()))
        self.inverted.setdefault(max(atom.terms).bit_length() // DIGIT, rest)
        return times(atom, number)

    def vanishes(self, p: Polynomial) -> bool:
        """Whether a polynomial is 0 by the relations of its atoms, the last one first: the square of a root is what it
        is the root of, and an inverse times what it is the inverse of is 1."""
        used = reduce(or_, p.terms, 0)
        for (op, at), k in reversed(self.atoms.items()):
            if op in ("sqrt", "div") and used >> DIGIT * k & ((1 << DIGIT) - 1):
                return all(self.vanishes(part) for part in self._without(p, k, op, at))
        return not p.terms

    def _without(self, p: Polynomial, k: int, op: str, at: Any) -> list[Polynomial]:
        """Polynomials without the k-th atom: where all of them are 0, p is."""
        powers: dict[int, dict[int, int]] = {}
        for m, c in p.terms.items():
            power = m >> DIGIT * k & ((1 << DIGIT) - 1)
            powers.setdefault(power, {})[m - (power << DIGIT * k)] = c
        if op == "div":
            above = {max(powers) - i: part for i, part in powers.items()}
            return [composed(above, self.inverted[k], p.degree)]
        halves = [{i // 2: part for i, part in powers.items() if i % 2 == odd} for odd in (0, 1)]
        return [composed(half, self.function(at), p.degree) for half in halves]

    def equal(self, q: int, gap: tuple[int, int], e: int) -> bool:
        """Whether q (r - l) = e, for gap = (l, r); l = -1 is 0."""
        left, right = (self.function(n) if n >= 0 else Polynomial({}) for n in gap)
        return self.vanishes(plus(times(self.function(q), plus(right, left, -1)), self.function(e), -1))

    def operand(self, n: int, op: str) -> int:
        """What a node is that function of."""
        need(type(n) is int and 0 <= n < len(self.nodes) and self.nodes[n][0] == op, f"node {n} is no {op}")
        return int(self.nodes[n][1])


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
