r"""Straight-line programs of a certificate, their signs and their identities, by Python's integers and fractions alone.

Part of `check_paths.py`, which says what is verified.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable
from fractions import Fraction
from functools import cache, reduce
from typing import Any

NEGATIVE, ZERO, POSITIVE, ANY = 1, 2, 4, 7
BINARY, UNARY = ("add", "sub", "mul", "div"), ("sqrt", "exp", "log")
NUMBER = re.compile(r"-?[0-9]+(/[0-9]*[1-9][0-9]*)?")
MOST_PRODUCTS, LONGEST = 2_000_000, 1 << 14  # of terms in one product; bits of a monomial
Polynomial = dict[int, Any]  # integers or fractions by monomials, which are products of primes: of atoms


class Rejected(Exception):
    """The certificate proves nothing; the message says why."""


def need(holds: Any, reason: str) -> None:
    """Reject unless something holds."""
    if not holds:
        raise Rejected(reason)


def number(text: Any) -> Fraction:
    """The number that an integer or a text "p/q" says."""
    need(NUMBER.fullmatch(str(text)), f"{text!r} is not a rational number")
    return Fraction(text)


# signs ---------------------------------------------------------------------------------------------------------------
@cache
def combined(op: str, a: int, b: int) -> int:
    """The signs of x op y, from those of x and of y."""
    found = [(p, -q if op == "sub" else q) for p in (-1, 0, 1) for q in (-1, 0, 1) if a >> (p + 1) & b >> (q + 1) & 1]
    if op in ("mul", "div"):
        return sum({1 << (p * q + 1) for p, q in found})
    return ANY if any(p * q < 0 for p, q in found) else sum({1 << ((p or q) + 1) for p, q in found})


def signs_between(low: Any, high: Any) -> int:
    """The signs of the numbers of an interval."""
    return (0 if low >= 0 else NEGATIVE) | (0 if low > 0 or high < 0 else ZERO) | (0 if high <= 0 else POSITIVE)


# polynomials of atoms, which are variables, roots, inverses and the like ----------------------------------------------
def plus(a: dict[Any, Any], b: dict[Any, Any], factor: int) -> dict[Any, Any]:
    """a + factor b."""
    out = {**a, **{m: a.get(m, 0) + factor * c for m, c in b.items()}}
    return {m: c for m, c in out.items() if c}


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    """a b."""
    need(len(a) * len(b) <= MOST_PRODUCTS, "an identity too large to expand")
    need(max((1, *a, *b)).bit_length() <= LONGEST, "a power too large")
    out: Polynomial = {}
    for m, c in a.items() if len(a) < len(b) else b.items():
        for k, d in b.items() if len(a) < len(b) else a.items():
            n = m * k
            out[n] = out.get(n, 0) + c * d
    return {m: c for m, c in out.items() if c}


def whole(p: Polynomial) -> tuple[Polynomial, int]:
    """A multiple with integers, and the factor > 0."""
    over = math.lcm(*(c.denominator for c in p.values()))
    return {m: c.numerator * (over // c.denominator) for m, c in p.items()}, over


class Lines:
    """A program with the ranges of its variables."""

    def __init__(self, data: Any) -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self.ranges = [(number(low), number(high)) for low, high in data["ranges"]]
        need(all(low <= high for low, high in self.ranges), "a range is empty")
        for op, *at in data["nodes"]:
            self.added(op, *(map(number, at) if op == "const" else at))
        self.functions: dict[int, Polynomial] = {}
        self.atoms: dict[Any, int] = {}  # primes, of operations and what they are of

    def added(self, op: str, *at: Any) -> int:
        """The number of one more node."""
        least = len(self.ranges) + 1 if op == "var" else len(self.nodes)  # the last variable is that of a line
        need(op in ("const", "var", *BINARY, *UNARY) and len(at) == 1 + (op in BINARY), f"no operation: {op} {at}")
        need(op == "const" or all(type(k) is int and 0 <= k < least for k in at), f"an operand of {op}: {at}")
        self.nodes.append((op, *at))
        return len(self.nodes) - 1

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

    def ends(self, n: int) -> Any:
        """The range of a number, or of a variable times numbers; None of others."""
        factor = Fraction(1)
        while (node := self.nodes[n])[0] in ("mul", "div"):
            n, k = node[1:] if node[0] == "div" or self.nodes[node[2]][0] == "const" else node[:0:-1]
            if self.nodes[k][0] != "const" or not (c := self.nodes[k][1]):
                return None
            factor = factor * c if node[0] == "mul" else factor / c
        ends = self.ranges[node[1]] if node[0] == "var" else node[1:] * 2 if node[0] == "const" else None
        return ends if not ends or factor == 1 else sorted(end * factor for end in ends)

    def sign(self, n: int, known: dict[int, int]) -> int:
        """The signs that a node can have, given those of what it is computed from."""
        op, *at = self.nodes[n]
        if op in BINARY:
            found = combined(op, known[at[0]], known[at[1]]) & (~NEGATIVE if op == "mul" and at[0] == at[1] else ANY)
            if op in ("add", "sub") and None not in (x := [self.ends(k) for k in at]):
                (a, b), (c, d) = x
                found &= signs_between(a + c, b + d) if op == "add" else signs_between(a - d, b - c)
            return found
        if op in UNARY:
            return known[at[0]] & ~NEGATIVE if op == "sqrt" else POSITIVE if op == "exp" else ANY
        return signs_between(*self.ends(n))

    def signs(self, wanted: Iterable[int], facts: dict[int, int], defined: bool = False) -> dict[int, int]:
        """The signs that nodes can have, given those of `facts`; unless they are known to be `defined`, reject what is
        divided by, or what a root or a logarithm is taken of, where its sign is not known."""
        known: dict[int, int] = {}
        for n in self.below(wanted):
            op, *at = self.nodes[n]
            bad = {"div": ZERO, "sqrt": NEGATIVE, "log": NEGATIVE | ZERO}.get(op, 0)
            need(defined or not bad or not known[at[-1]] & bad, f"node {n} may be undefined")
            known[n] = self.sign(n, known) & facts.get(n, ANY)
        return known

    # identities ------------------------------------------------------------------------------------------------
    def function(self, n: int) -> Polynomial:
        """A node as a polynomial of variables, roots and the like, and of inverses of what is divided by."""
        for k in self.below([n], self.functions):
            op, *at = self.nodes[k]
            known = [self.functions[j] for j in self.operands(k)]
            if op == "const":
                found = {1: at[0] if at[0].denominator > 1 else int(at[0])} if at[0] else {}
            elif op in ("add", "sub"):
                found = plus(known[0], known[1], 1 if op == "add" else -1)
            elif op in ("mul", "div"):
                found = times(known[0], known[1] if op == "mul" else self._atom(op, known[1]))
            else:
                found = self._atom(op, known[0] if known else {at[0]: 1})
            self.functions[k] = found
        return self.functions[n]

    def _atom(self, op: str, of: Polynomial) -> Polynomial:
        """An atom; those that it is computed from have smaller primes."""
        if (key := (op, frozenset(of.items()))) not in self.atoms:
            known, least = self.atoms.values(), max(self.atoms.values(), default=1) + 1
            self.atoms[key] = next(p for p in range(least, 2 * least + 1) if all(p % q for q in known))
        return {self.atoms[key]: 1}

    def vanishes(self, p: Polynomial) -> bool:
        """Whether a polynomial is 0 by the relations of its atoms, the last one first: the square of a root is what it
        is the root of, and an inverse times what it is the inverse of is 1."""
        parts = [whole(p)[0]]
        for (op, of), atom in reversed(self.atoms.items()):
            if op in ("sqrt", "div"):
                parts = [rest for part in parts for rest in _without(part, atom, op, *whole(dict(of)))]
        return not any(parts)


def _without(p: Polynomial, atom: int, op: str, known: Polynomial, over: int) -> list[Polynomial]:
    """Polynomials without an atom, which is the root or the inverse of known / over: where all of them are 0, p is."""
    powers: list[Polynomial] = []
    while p:
        powers.append({m: c for m, c in p.items() if m % atom})
        p = {m // atom: c for m, c in p.items() if not m % atom}
    parts = [powers] if op == "div" else [powers[::-2], powers[-2::-2]]  # the largest power of what is put is first
    return [reduce(lambda p, kq: plus(times(p, known), kq[1], over ** kq[0]), enumerate(q), {}) for q in parts if q]


# what is >= 0 ------------------------------------------------------------------------------------------------------
def check_identity(cell: Lines, n: int, pair: Any, bad: int, facts: dict[int, int]) -> None:
    """Reject unless q n = e for the pair (q, e), where q > 0, and the signs of e are none of some that are bad."""
    q, e = pair
    known = cell.signs([q, e], facts)
    need(known[q] == POSITIVE, "a factor may be 0 or negative")
    need(not known[e] & bad, "a sum may be negative, or have the sign that a step allows")
    (p, s), (r, t), (total, u) = (whole(cell.function(k)) for k in (q, n, e))
    need(cell.vanishes(plus(plus({}, times(p, r), u), total, -s * t)), "an identity does not hold")


def tangent(cell: Lines, over: Iterable[int], under: Iterable[int]) -> int:
    r"""The node $U - V(1 + \log U - \log V)$, which is >= 0: U and V are products of some exponentials, and of what
    some logarithms are taken of."""
    one = less = cell.added("const", Fraction(1))
    products = [one, one]
    for side, n in [(0, n) for n in over] + [(1, n) for n in under]:
        op, at = cell.nodes[n]
        need(op in ("exp", "log"), f"node {n} is no exponential, and no logarithm")
        factor, log = (n, at) if op == "exp" else (at, n)
        products[side] = cell.added("mul", products[side], factor)
        less = cell.added("sub" if side else "add", less, log)
    return cell.added("sub", products[0], cell.added("mul", products[1], less))
