r"""Claims that hold as identities, or by the signs of the terms, on a path through the branches.

On a path the gap rhs - lhs is a rational function N/D of the variables and of its roots, exponentials and logarithms. It
is proved >= 0 by two nodes added to the program: a `factor` q > 0 and a `sum` e >= 0, whose signs follow from those of
what they are made of, and the identity q (rhs - lhs) = e. Both are checked without this module
(`prove.check_paths`): signs by rules, the identity by expanding it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import flint

from arubatheory.prove.program import ANY, NEGATIVE, POSITIVE, ZERO, Path, Program, _products, opposite

LARGEST = 4000  # terms of a polynomial
Rational = tuple[Any, Any]
NONNEGATIVE = ZERO | POSITIVE


class TooLarge(ArithmeticError):
    """A polynomial has more terms than are followed."""


class Functions:
    """The nodes of a program as rational functions of its variables and of its roots, exponentials and logarithms."""

    def __init__(self, program: Program, wanted: Iterable[int]) -> None:
        self.program = program
        self.order = program.needed(wanted)
        self.atoms = [n for n in self.order if program.nodes[n][0] in ("var", "sqrt", "exp", "log")]
        self.context = flint.fmpq_mpoly_ctx.get(("x", max(len(self.atoms), 1)), flint.Ordering.degrevlex)
        self.known: dict[int, Rational] = {}
        one, gens = self.context.constant(1), self.context.gens()
        for n in self.order:
            op, *at = program.nodes[n]
            if op == "const":
                self.known[n] = self.context.constant(flint.fmpq(at[0].numerator, at[0].denominator)), one
            elif n in self.atoms:
                self.known[n] = gens[self.atoms.index(n)], one
            else:
                self.known[n] = self._computed(op, self.known[at[0]], self.known[at[1]])

    def _computed(self, op: str, a: Rational, b: Rational) -> Rational:
        if op == "mul":
            return self.reduced(a[0] * b[0], a[1] * b[1])
        if op == "div":
            return self.reduced(a[0] * b[1], a[1] * b[0])
        second = b[0] if op == "add" else -b[0]
        if a[1] == b[1]:
            return self.reduced(a[0] + second, a[1])
        return self.reduced(a[0] * b[1] + second * a[1], a[1] * b[1])

    def reduced(self, n: Any, d: Any) -> Rational:
        """n/d in lowest terms, where powers of roots are those below 2."""
        n, extra = self.rooted(n)
        d = d * extra
        d, extra = self.rooted(d)
        n = n * extra
        if not d.is_constant():
            common = n.gcd(d)
            n, d = _quotient(n, common), _quotient(d, common)
        c = d.leading_coefficient()
        if len(n) + len(d) > LARGEST:
            raise TooLarge(f"a polynomial of {len(n) + len(d)} terms")
        return n / c, d / c

    def rooted(self, p: Any) -> Rational:
        """p and a factor, so that what was p times the factor is free of squares of roots."""
        factor = self.context.constant(1)
        for k in reversed(range(len(self.atoms))):
            op, *at = self.program.nodes[self.atoms[k]]
            if op != "sqrt" or len(p) == 0 or (top := int(p.degrees()[k]) // 2) == 0:
                continue
            n, d = self.known[at[0]]
            parts: dict[int, dict[Any, Any]] = {}
            for powers, c in p.to_dict().items():
                half, rest = divmod(int(powers[k]), 2)
                parts.setdefault(half, {})[(*powers[:k], rest, *powers[k + 1 :])] = c
            p = sum(
                (self.context.from_dict(part) * n**half * d ** (top - half) for half, part in parts.items()),
                self.context.constant(0),
            )
            factor = factor * d**top
            q, more = self.rooted(p)
            return q, factor * more
        return p, factor


def _quotient(a: Any, b: Any) -> Any:
    return a if b.is_constant() else divmod(a, b)[0]


class Leaf:
    """The algebra of one path: signs that are known there, and nodes that prove."""

    def __init__(self, program: Program, path: Path) -> None:
        self.program, self.path = program, path
        self.facts: dict[int, int] = {}
        for step in path.steps:
            self.facts[step.node] = self.facts.get(step.node, ANY) & step.mask
        self.gaps = [program.binary("sub", r, l) for l, r in path.sides]
        self.functions = Functions(program, [*self.gaps, *self.facts])
        self.masks = [program.signs(n, dict(self.facts)) for n in self.functions.atoms]

    def closed(self) -> list[tuple[int, int]] | None:
        """A factor and a sum for every gap; None where one is not found."""
        found = []
        for gap in self.gaps:
            pair = self.proved(gap)
            if pair is None:
                return None
            found.append(pair)
        return found

    def proved(self, gap: int) -> tuple[int, int] | None:
        """The nodes q > 0 and e >= 0 with q gap = e."""
        one, zero = self.program.number(Fraction(1)), self.program.number(Fraction(0))
        if not self.signs(gap) & NEGATIVE:
            return one, gap
        n, d = self.functions.known[gap]
        if len(n) == 0:
            return one, zero
        factor = self.positive(d)
        if factor is None:
            return None
        sign, q = factor
        if sign < 0:
            n = -n
        e = self.sum_of(n)
        return None if self.signs(e) & NEGATIVE else (q, e)

    def signs(self, node: int) -> int:
        """What signs a node can have on this path."""
        return self.program.signs(node, dict(self.facts))

    def positive(self, d: Any) -> tuple[int, int] | None:
        """A sign and a node that is positive, whose product is the polynomial d; None where the sign is not known."""
        c, factors = d.factor()
        sign, q = (1 if c > 0 else -1), self.program.number(_fraction(abs(c)))
        for f, power in factors:
            node = self.sum_of(f)
            found = self.signs(node)
            if found not in (NEGATIVE, POSITIVE):
                found, node = self.told(f, node)
            if found not in (NEGATIVE, POSITIVE) and not (power % 2 == 0 and not found & ZERO):
                return None
            if found == NEGATIVE:
                node = self.program.binary("mul", self.program.number(Fraction(-1)), node)
                sign = sign * (-1) ** int(power)
            for _ in range(int(power)):
                q = self.program.binary("mul", q, node)
        return sign, q

    def told(self, f: Any, node: int) -> tuple[int, int]:
        """The sign of a polynomial that a step of the path tells, and a node that has it and is the polynomial."""
        for known, mask in self.facts.items():
            n, d = self.functions.known[known]
            if len(n) == len(f) and d.is_constant() and not mask & ZERO:
                c = n.leading_coefficient() / f.leading_coefficient()
                if n == f * c:
                    found = self.program.binary("div", known, self.program.number(_fraction(c)))
                    return self.signs(found), found
        return ANY, node

    def sum_of(self, p: Any) -> int:
        """The node of a polynomial: terms whose even powers are squares."""
        total = self.program.number(Fraction(0))
        for powers, c in p.to_dict().items():
            term = self.program.number(_fraction(c))
            for k, power in enumerate(powers):
                atom = self.functions.atoms[k] if power else 0
                for _ in range(int(power) // 2):
                    term = self.program.binary("mul", term, self.program.binary("mul", atom, atom))
                if power % 2:
                    term = self.program.binary("mul", term, atom)
            total = self.program.binary("add", total, term)
        return total


def _fraction(c: Any) -> Fraction:
    c = flint.fmpq(c)
    return Fraction(int(c.p), int(c.q))
