r"""Claims that hold as identities, or by the signs of the terms, on a path through the branches.

On a path the gap rhs - lhs is a rational function N/D of the variables and of its roots, exponentials and logarithms.
It is proved >= 0 by two nodes added to the program: a factor q > 0 and a sum e >= 0, whose signs follow from those of
what they are made of, and the identity q (rhs - lhs) = e. Both are checked without this module (`prove.check_paths`):
signs by rules, the identity by expanding it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import flint

from arubatheory.prove.program import ANY, NEGATIVE, POSITIVE, ZERO, Path, Program, opposite
from arubatheory.prove.sums import Candidates

LARGEST = 800  # terms of a polynomial
LARGEST_AGAINST, LARGEST_CHOICE = 60, 200  # of one that is compared with a step, and of one that sums are sought for
FARTHEST = 1 << 10  # an end of a range that is further away helps no sum
Rational = tuple[Any, Any]


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
                self.known[n] = self.computed(op, self.known[at[0]], self.known[at[1]])

    def computed(self, op: str, a: Rational, b: Rational) -> Rational:
        """a op b; TooLarge where that has more terms than are followed."""
        if max(len(a[0]), len(a[1])) * max(len(b[0]), len(b[1])) > LARGEST * 50:
            raise TooLarge(f"a product of polynomials of {len(a[0])} and {len(b[0])} terms")
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
        if len(n) + len(d) > 2 * LARGEST:
            raise TooLarge(f"a polynomial of {len(n) + len(d)} terms")
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
        self.found: dict[int, int] = {}
        for step in path.steps:
            self.facts[step.node] = self.facts.get(step.node, ANY) & step.mask
        self.gaps = [program.binary("sub", r, l) for l, r in path.sides]
        self.functions = Functions(program, [*self.gaps, *self.facts, *(n for pair in path.sides for n in pair)])
        self.masks = [self.signs(n) for n in self.functions.atoms]

    def closed(self, until: float) -> dict[str, Any] | None:
        """The data of a proof: a factor and a sum for every gap, or what is against the path; None without one."""
        if (found := self.against()) is not None:
            return {"against": found}
        sums = []
        for gap, sides in zip(self.gaps, self.path.sides, strict=True):
            pair = self.proved(gap, sides, until)
            if pair is None:
                return None
            sums.append(pair)
        return {"sums": sums} if sums else None

    def against(self) -> list[int] | None:
        """A step whose node has another sign: its place, q > 0 and e with q times the node = e."""
        for k, step in enumerate(self.path.steps):
            n, d = self.functions.known[step.node]
            if len(n) > LARGEST_AGAINST or step.implied:
                continue
            factor = self.positive(d)
            if factor is not None:
                e = self.sum_of(n * factor[0])
                if not self.signs(e) & step.mask:
                    return [k, factor[1], e]
        return None

    def proved(self, gap: int, sides: tuple[int, int], until: float) -> list[int] | None:
        """The nodes q > 0 and e >= 0 with q gap = e."""
        one, zero = self.program.number(Fraction(1)), self.program.number(Fraction(0))
        if not self.signs(gap) & NEGATIVE:
            return [one, gap]
        if len(self.functions.known[gap][0]) == 0:
            return [one, zero]
        return self._summed(self.functions.known[gap], one, until) or self._conjugate(gap, sides, until)

    def _summed(self, function: Rational, other: int, until: float) -> list[int] | None:
        """The nodes q > 0 and e >= 0 for a function, which is a gap times a node > 0."""
        n, d = function
        factor = self.positive(d)
        if factor is None:
            return None
        e: int | None = self.sum_of(n * factor[0])
        if e is not None and self.signs(e) & NEGATIVE:
            e = self.chosen(n * factor[0], until)
        if e is None or self.signs(e) & NEGATIVE:
            return None
        return [self.program.binary("mul", factor[1], other), e]

    def _conjugate(self, gap: int, sides: tuple[int, int], until: float) -> list[int] | None:
        r"""With roots, $r - l$ times $r + l > 0$ has fewer of them."""
        total = self.program.binary("add", *sides)
        if not any(self.program.nodes[n][0] == "sqrt" for n in self.functions.atoms) or self.signs(total) != POSITIVE:
            return None
        left, right = (self.functions.known[n] for n in sides)
        sums = self.functions.computed("add", left, right)
        return self._summed(self.functions.computed("mul", self.functions.known[gap], sums), total, until)

    def chosen(self, n: Any, until: float) -> int | None:
        """A sum of products that are >= 0, which is the polynomial n; None where none is found."""
        if len(n) > LARGEST_CHOICE:
            return None
        positive = {k for k, mask in enumerate(self.masks) if not mask & NEGATIVE}
        found = Candidates(_terms(n), positive, self.known(), self._normal).solved(until)
        if found is None:
            return None
        total = self.program.number(Fraction(0))
        for weight, product in found:
            node = self.sum_of(self._polynomial({product.monomial: weight}))
            if product.square:
                root = self.sum_of(self._polynomial(dict(product.square)))
                node = self.program.binary("mul", node, self.program.binary("mul", root, root))
            for other in product.nodes:
                node = self.program.binary("mul", node, other)
            total = self.program.binary("add", total, node)
        return total

    def known(self) -> list[tuple[int, dict[Any, Fraction]]]:
        """Nodes that are >= 0 on the path, with their polynomials: those of its steps, and the ends of ranges."""
        found: dict[int, Any] = {}
        for n, mask in self.facts.items():
            p, d = self.functions.known[n]
            factor = self.positive(d)
            for sign in (1, -1):
                if factor is not None and not (mask if sign > 0 else opposite(mask)) & NEGATIVE:
                    node = self.program.binary("mul", self.program.number(Fraction(sign)), n)
                    found[self.program.binary("mul", node, factor[1])] = p * factor[0] * sign
        for atom, gen in zip(self.functions.atoms, self.functions.context.gens(), strict=False):
            op, *at = self.program.nodes[atom]
            for end in self.program.ranges[at[0]] if op == "var" else ():
                if end and abs(end) <= FARTHEST:
                    rises = end == self.program.ranges[at[0]][0]
                    ends = self.program.number(end)
                    node = self.program.binary("sub", *((atom, ends) if rises else (ends, atom)))
                    found[node] = (gen - _rational(end)) * (1 if rises else -1)
        return [(n, _terms(p)) for n, p in found.items() if not self.signs(n) & NEGATIVE and 0 < len(p) < 60]

    def _polynomial(self, terms: dict[Any, Fraction]) -> Any:
        return self.functions.context.from_dict({m: _rational(c) for m, c in terms.items()})

    def _normal(self, terms: dict[Any, Fraction]) -> dict[Any, Fraction] | None:
        """Terms without squares of roots; None where a root is one of a fraction."""
        p, factor = self.functions.rooted(self._polynomial(terms))
        return _terms(p) if factor.is_constant() else None

    def signs(self, node: int) -> int:
        """What signs a node can have on this path."""
        return self.program.signs(node, self.facts, self.found)

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


def _terms(p: Any) -> dict[Any, Fraction]:
    return {tuple(map(int, m)): _fraction(c) for m, c in p.to_dict().items()}


def _rational(q: Fraction) -> Any:
    return flint.fmpq(q.numerator, q.denominator)


def _fraction(c: Any) -> Fraction:
    c = flint.fmpq(c)
    return Fraction(int(c.p), int(c.q))
