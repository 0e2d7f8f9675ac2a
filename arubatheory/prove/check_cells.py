r"""Straight-line programs of a certificate, their signs and their identities, by Python's integers and fractions alone.

Part of `check_paths.py`, which says what is verified.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

NEGATIVE, ZERO, POSITIVE, ANY = 1, 2, 4, 7
BINARY, UNARY = ("add", "sub", "mul", "div"), ("sqrt", "exp", "log")
NUMBER = re.compile(r"-?[0-9]+(/[0-9]*[1-9][0-9]*)?")
MOST_TERMS, DIGIT = 40_000, 16  # of a polynomial; bits of a power


class Rejected(ValueError):
    """The certificate proves nothing; the message says why."""


def need(holds: Any, reason: str) -> None:
    """Reject unless something holds."""
    if not holds:
        raise Rejected(reason)


def number(text: Any) -> Fraction:
    """The number that an integer or a text "p/q" says."""
    if type(text) not in (int, Fraction):
        need(isinstance(text, str) and NUMBER.fullmatch(text), f"{text!r} is not a rational number")
    return Fraction(text)


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


def masks(steps: Iterable[Any]) -> dict[int, int]:
    """The signs of each node that steps (node, mask) leave."""
    found: dict[int, int] = {}
    for n, mask in steps:
        found[n] = found.get(n, ANY) & mask
    return found


# polynomials of atoms, which are variables, roots, inverses and the like ----------------------------------------------
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
    return Polynomial({m: c for m, c in out.items() if c}, a.over * b.over, a.degree + b.degree)


def _digit(m: int, k: int) -> int:
    """The power of the k-th atom in a monomial; not 0 for several of which one has it."""
    return m >> DIGIT * k & ((1 << DIGIT) - 1)


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
        self.ranges = [(number(low), number(high)) for low, high in data["ranges"]]
        need(all(low <= high for low, high in self.ranges), "a range is empty")
        for op, *at in data["nodes"]:
            least = len(self.ranges) + 1 if op == "var" else len(self.nodes)  # the last one is that of a line
            need(op in ("const", "var", *BINARY, *UNARY) and len(at) == 1 + (op in BINARY), f"no operation: {op} {at}")
            need(op == "const" or all(type(k) is int and 0 <= k < least for k in at), f"an operand of {op}: {at}")
            self.added(op, *(map(number, at) if op == "const" else at))
        self.functions: dict[int, Polynomial] = {}
        self.atoms: dict[tuple[str, int], int] = {}
        self.divisors: dict[Any, int] = {}  # of polynomials, the first node that is one

    def added(self, *node: Any) -> int:
        """The number of one more node."""
        self.nodes.append(node)
        return len(self.nodes) - 1

    def operands(self, n: int) -> tuple[int, ...]:
        """What a node is computed from."""
        return self.nodes[n][1:] if self.nodes[n][0] in BINARY + UNARY else ()

    def operand(self, n: int, op: str) -> int:
        """What a node is that function of."""
        need(type(n) is int and 0 <= n < len(self.nodes) and self.nodes[n][0] == op, f"node {n} is no {op}")
        return int(self.nodes[n][1])

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
        """The range of a variable, a number, or a sum of two of these; None of others."""
        op, *at = self.nodes[n]
        if op in ("const", "var"):
            return (at[0], at[0]) if op == "const" else self.ranges[at[0]]
        if op not in ("add", "sub") or any(self.nodes[k][0] not in ("const", "var") for k in at):
            return None
        (a, b), (c, d) = self.ends(at[0]), self.ends(at[1])
        return (a + c, b + d) if op == "add" else (a - d, b - c)

    def signs(self, wanted: Iterable[int], facts: dict[int, int], known: Any = None) -> dict[int, int]:
        """The signs that nodes can have, given those of `facts`; `known` are those found before and now."""
        known = {} if known is None else known
        for n in self.below(wanted, known):
            op, *at = self.nodes[n]
            s = [known[k] for k in self.operands(n)]
            if (ends := self.ends(n)) is not None:
                found = signs_between(*ends)
            elif op in ("add", "sub"):
                found = sum_signs(s[0], s[1] if op == "add" else opposite(s[1]))
            elif op in ("mul", "div"):
                found = product_signs(s[0], s[1]) & (~NEGATIVE if op == "mul" and at[0] == at[1] else ANY)
            else:
                found = s[0] & ~NEGATIVE if op == "sqrt" else POSITIVE if op == "exp" else ANY
            known[n] = found & facts.get(n, ANY)
        return known

    def check_defined(self, wanted: Iterable[int], facts: dict[int, int]) -> None:
        """Reject what is divided by, or what a root or a logarithm is taken of, where its sign is not known."""
        known = self.signs(wanted, facts)
        for n in known:
            op, *at = self.nodes[n]
            bad = {"div": ZERO, "sqrt": NEGATIVE, "log": NEGATIVE | ZERO}.get(op, 0)
            need(not bad or not known[at[-1]] & bad, f"node {n} may be undefined")

    # identities ------------------------------------------------------------------------------------------------
    def function(self, n: int) -> Polynomial:
        """A node as a polynomial of variables, roots and the like, and of inverses of what is divided by."""
        for k in self.below([n], self.functions):
            op, *at = self.nodes[k]
            known = [self.functions[j] for j in self.operands(k)]
            if op == "const":
                found = Polynomial({0: at[0].numerator} if at[0] else {}, at[0].denominator)
            elif op in ("add", "sub"):
                found = plus(known[0], known[1], 1 if op == "add" else -1)
            elif op == "mul":
                found = times(known[0], known[1])
            elif op == "div":
                key = known[1].over, frozenset(known[1].terms.items())
                found = times(known[0], self._atom(op, self.divisors.setdefault(key, at[1])))
            else:
                found = self._atom(op, at[0])
            self.functions[k] = found
        return self.functions[n]

    def _atom(self, op: str, at: int) -> Polynomial:
        """An atom; those that it is computed from have smaller numbers."""
        return Polynomial({1 << DIGIT * self.atoms.setdefault((op, at), len(self.atoms)): 1}, 1, 1)

    def vanishes(self, p: Polynomial) -> bool:
        """Whether a polynomial is 0 by the relations of its atoms, the last one first: the square of a root is what it
        is the root of, and an inverse times what it is the inverse of is 1."""
        waiting = [p]
        while waiting:
            used = reduce(or_, (p := waiting.pop()).terms, 0)
            related = [(k, *atom) for atom, k in self.atoms.items() if atom[0] in ("sqrt", "div") and _digit(used, k)]
            if p.terms and not related:
                return False
            waiting += self._without(p, *related[-1]) if related else []
        return True

    def _without(self, p: Polynomial, k: int, op: str, at: int) -> list[Polynomial]:
        """Polynomials without the k-th atom: where all of them are 0, p is."""
        powers: dict[int, dict[int, int]] = {}
        for m, c in p.terms.items():
            power = _digit(m, k)
            powers.setdefault(power, {})[m - (power << DIGIT * k)] = c
        if op == "div":
            parts = [{max(powers) - i: part for i, part in powers.items()}]
        else:
            parts = [{i // 2: part for i, part in powers.items() if i % 2 == odd} for odd in (0, 1)]
        return [composed(part, self.function(at), p.degree) for part in parts]


# what is >= 0 ------------------------------------------------------------------------------------------------------
def check_identity(cell: Lines, gap: tuple[int, int], pair: Any, bad: int, facts: dict[int, int]) -> None:
    """Reject unless q (r - l) = e for the gap (l, r) and the pair (q, e), where l = -1 is 0, q > 0, and the signs of e
    are none of some that are bad."""
    q, e = pair
    cell.check_defined([q, e], facts)
    known = cell.signs([q, e], facts)
    need(known[q] == POSITIVE, "a factor may be 0 or negative")
    left, right = (cell.function(n) if n >= 0 else Polynomial({}) for n in gap)
    rest = plus(times(cell.function(q), plus(right, left, -1)), cell.function(e), -1)
    need(cell.vanishes(rest), "an identity does not hold")
    need(not known[e] & bad, "a sum may be negative, or have the sign that a step allows")


def check_lemma(cell: Lines, lemma: Any, facts: dict[int, int]) -> int:
    r"""The node of a lemma, which is >= 0; reject unless it is, by one of

    * ["root", k, q, e]: the node k is x - y with x >= 0, and q (x^2 - y^2) = e with q > 0 and e >= 0;
    * ["log", k, N, M]: k = u/v - 1 - (log u - log v), u a product of what the nodes of N are logarithms of, v of M;
    * ["exp", k, n, m]: k = e^u - e^v (1 + u - v) for the exponentials n and m of u and v (-1: that of 0).

    The last two are $U - V(1 + \log U - \log V) \ge 0$, the former over V.
    """
    kind, k, *more = lemma
    cell.check_defined([k], facts)
    if kind == "root":
        op, *at = cell.nodes[k]
        need(op == "sub" and not cell.signs(at, facts)[at[0]] & NEGATIVE, "a root of what may be negative")
        x, y = [cell.added("mul", n, n) for n in at]
        check_identity(cell, (y, x), more, NEGATIVE, facts)
        return int(k)
    need(kind in ("log", "exp"), "no lemma of a known kind")
    one = less = cell.added("const", Fraction(1))
    products = [one, one]
    for side, nodes in enumerate(more if kind == "log" else [[n] * (n != -1) for n in more]):
        for n in nodes:
            log, power = (n, cell.operand(n, kind)) if kind == "log" else (cell.operand(n, kind), n)
            products[side] = cell.added("mul", products[side], power)
            less = cell.added("sub" if side else "add", less, log)
    e = cell.added("sub", products[0], cell.added("mul", products[1], less))
    check_identity(cell, (-1, k), (products[1] if kind == "log" else one, e), 0, facts)
    return int(k)
