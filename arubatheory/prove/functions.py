r"""The nodes of a program as rational functions, in lowest terms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import flint

from arubatheory.prove.program import Program

LARGEST = 800  # terms of a polynomial
Rational = tuple[Any, Any]


class TooLarge(ArithmeticError):
    """A polynomial has more terms than are followed."""


class Functions:
    """The nodes of a program as rational functions of its variables, roots, exponentials and logarithms. Where lengths
    are kept, the square of a root is not replaced, but replaces that of a variable in it."""

    def __init__(self, program: Program, wanted: Iterable[int], lengths: bool = False) -> None:
        self.program = program
        self.order = program.below(wanted)
        self.atoms = [n for n in self.order if program.nodes[n][0] in ("var", "sqrt", "exp", "log")]
        self.context = flint.fmpq_mpoly_ctx.get(("x", max(len(self.atoms), 1)), flint.Ordering.degrevlex)
        self.known: dict[int, Rational] = {}
        self.squares: dict[int, Rational] = {}  # of atoms, by what they are replaced
        one, gens = self.context.constant(1), self.context.gens()
        for n in self.order:
            op, *at = program.nodes[n]
            if op == "const":
                self.known[n] = self.context.constant(flint.fmpq(at[0].numerator, at[0].denominator)), one
            elif n in self.atoms:
                self.known[n] = gens[k := self.atoms.index(n)], one
                if op == "sqrt":
                    j = self._base(self.known[at[0]]) if lengths else None
                    p, d = self.known[at[0]]
                    self.squares[k if j is None else j] = (p, d) if j is None else (gens[k] ** 2 - p + gens[j] ** 2, d)
            else:
                self.known[n] = self.computed(op, self.known[at[0]], self.known[at[1]])

        if lengths:
            self.known = {n: self.reduced(*value) for n, value in self.known.items()}

    def _base(self, value: Rational) -> int | None:
        """A variable of which a polynomial has the square and nothing else, and that no square of others asks of."""
        p, d = value
        for k, x in enumerate(self.context.gens()) if d == 1 else ():
            rest = p - x * x
            others = [rest, *(n for n, _ in self.squares.values())]
            if k not in self.squares and not any(q.degrees()[k] for q in others):
                return k
        return None

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
        d, more = self.rooted(d * extra)
        n = n * more
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
        """p and a factor, so that what was p times the factor is free of squares that are replaced."""
        for k in sorted(self.squares, reverse=True):
            if len(p) == 0 or (top := int(p.degrees()[k]) // 2) == 0:
                continue
            n, d = self.squares[k]
            parts: dict[int, dict[Any, Any]] = {}
            for powers, c in p.to_dict().items():
                half, rest = divmod(int(powers[k]), 2)
                parts.setdefault(half, {})[(*powers[:k], rest, *powers[k + 1 :])] = c
            terms = (self.context.from_dict(part) * n**half * d ** (top - half) for half, part in parts.items())
            q, more = self.rooted(sum(terms, self.context.constant(0)))
            return q, d**top * more
        return p, self.context.constant(1)


def _quotient(a: Any, b: Any) -> Any:
    return a if b.is_constant() else divmod(a, b)[0]
