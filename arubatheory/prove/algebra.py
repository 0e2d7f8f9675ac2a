r"""Claims that hold as identities, or by the signs of the terms, on a path through the branches.

On a path the gap rhs - lhs is a rational function N/D of the variables and of its roots, exponentials and logarithms.
It is proved >= 0 by two nodes added to the program: a factor q > 0 and a sum e >= 0, whose signs follow from those of
what they are made of, and the identity q (rhs - lhs) = e. Both are checked without this module (`prove.check_paths`):
signs by rules, the identity by expanding it.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial, reduce
from typing import Any

import flint
import numpy as np

from arubatheory.prove.check_cells import ANY, NEGATIVE, POSITIVE, ZERO
from arubatheory.prove.functions import Functions, TooLarge
from arubatheory.prove.lemmas import means, orders, products, ratios, root, tangents
from arubatheory.prove.products import Product, Ring, Terms, times
from arubatheory.prove.program import Path, Program, floats, masks_of, obeyed
from arubatheory.prove.rationals import fraction, rational
from arubatheory.prove.squares import squared
from arubatheory.prove.sums import Candidates

LARGEST_AGAINST, LARGEST_CHOICE = 60, 200  # terms of what is compared with a step, and of what sums are sought for
GAPS = (Fraction(1, 4), Fraction(1, 256))  # by which a node that is said to be 0 may differ from it
STAGES = (  # programs: factors of multipliers, whether squares are few, steps of facial reduction; linear programs then
    (((1, True, 20), (2, True, 6), (3, True, 6), (1, False, 6), (2, False, 6)), 25),
    (((2, True, 20), (3, True, 20), (1, False, 20), (2, False, 20)), 1),
)
ROOTS = 3  # that are squared in turn
BRIEF = 0.1  # seconds for the sign of a node
SAMPLES = 64  # at which the sign of a factor is seen
FARTHEST = 1 << 10  # an end of a range that is further away helps no sum


class Leaf:
    """The algebra of one path: signs that are known there, and nodes that prove."""

    def __init__(self, program: Program, path: Path, lengths: bool = False) -> None:
        self.program, self.path, self.lengths = program, path, lengths
        self.facts = masks_of(path)
        self.found: dict[int, int] = {}
        self.gaps = [program.binary("sub", r, l) for l, r in path.sides]
        self.lemmas: list[list[Any]] = []
        wanted = [*self.gaps, *self.facts]
        ordered = list(orders(program, wanted))
        wanted += [n for pair in ordered for n in pair]
        self.functions = Functions(program, wanted, lengths)
        terms = [_terms(self.functions.known[gap][0]) for gap in self.gaps]
        bounds = [*tangents(program, wanted, self.signs), *ratios(program, self.functions.atoms, terms)]
        bounds += [*products(program, wanted), *means(program, wanted, self.signs)]
        with suppress(TooLarge, ZeroDivisionError):
            self.functions = Functions(program, [*wanted, *(lemma[0] for lemma in bounds)], lengths)
        bounds = [b for b in bounds if b[0] in self.functions.known and program.nodes[b[0]][0] == "sub"]
        self.masks = [self.signs(n) for n in self.functions.atoms]
        for lemma in bounds + [lemma for pair in ordered if (lemma := self.ordered(*pair))]:
            self.learn(lemma)

    def closed(self, until: float) -> dict[str, Any] | None:
        """The data of a proof: a factor and a sum for every gap, or what is against the path; None without one."""
        return self._closed(until) or (self._closed(until) if self.apart(until) else None)

    def apart(self, until: float) -> bool:
        """Learn that differences which are said not to be 0 are positive; whether there are any."""
        count, one = len(self.lemmas), self.program.number(Fraction(1))
        for n, mask in list(self.facts.items()):
            op, *at = self.program.nodes[n]
            known = [self.functions.known[k] for k in at] if op == "sub" and mask == NEGATIVE | POSITIVE else []
            if known and not self.signs(at[0]) & NEGATIVE and all(d.is_constant() for _, d in known):
                (x, c), (y, d) = known
                squares = (x / c - y / d) * (x / c + y / d)
                if (e := self.nonnegative(squares, min(until, time.process_time() + BRIEF), 0)) is not None:
                    self.learn(root(n, one, e))
        return len(self.lemmas) > count

    def _closed(self, until: float) -> dict[str, Any] | None:
        found = self.against()
        sums = [] if found else list(itertools.takewhile(bool, (self.proved(gap, until) for gap in self.gaps)))
        if sums and len(sums) == len(self.gaps):
            return self.data({"sums": sums})
        found = found or self.excluded(until)
        return self.data({"against": found}) if found else None

    def data(self, proof: dict[str, Any]) -> dict[str, Any]:
        """A proof with the lemmas that it needs."""
        needed, kept = set(self.program.below(_named(proof))), list[list[Any]]()
        for lemma in reversed(self.lemmas):
            if lemma[0] in needed:
                needed.update(self.program.below(_named(lemma)))
                kept.insert(0, lemma)
        return {**proof, "lemmas": kept} if kept else proof

    def against(self) -> list[int] | None:
        """A step whose node has another sign: that node, q > 0 and e with q times the node = e."""
        for step in self.path.steps:
            n, d = self.functions.known[step.node]
            factor = None if len(n) > LARGEST_AGAINST or step.implied else self.positive(d)
            for e in (self.sum_of(n * factor[0]), self.product_of(n * factor[0])) if factor else ():
                if factor and not self.signs(e) & step.mask:
                    return [step.node, factor[1], e]
        return None

    def excluded(self, until: float) -> list[int] | None:
        """The same for a node that a step has on one side of 0, as a sum with the other sign."""
        for step in self.path.steps:
            side = 1 if not step.mask & POSITIVE else -1 if not step.mask & NEGATIVE else 0
            n, d = self.functions.known[step.node]
            factor = self.positive(d) if side and not step.implied and len(n) > 1 else None
            for gap in (Fraction(0),) if not step.mask & ZERO else GAPS:
                if factor is None or time.process_time() > until:
                    break
                e = self.chosen(n * factor[0] * side - rational(gap), until)
                if e is not None:
                    e = self.program.binary("add", e, self.program.number(gap))
                    return [step.node, factor[1], self.program.binary("mul", self.program.number(Fraction(side)), e)]
        return None

    def proved(self, gap: int, until: float) -> list[int] | None:
        """The nodes q > 0 and e >= 0 with q gap = e."""
        one, (n, d) = self.program.number(Fraction(1)), self.functions.known[gap]
        if len(n) == 0:
            return [one, self.program.number(Fraction(0))]
        if not self.signs(gap) & NEGATIVE:
            return [one, gap]
        several = self.denominators(gap)
        for brief, extra in itertools.product((True, False) if len(several) > 1 else (False,), several):
            p, more = self.functions.rooted(n * extra)
            factor = self.positive(d * extra * more)
            if factor is not None:
                p = p * factor[0]
                e = self.chosen(p, until, True) if brief else self.nonnegative(p, until, ROOTS)
                if e is not None:
                    return [factor[1], e]
        return None

    def denominators(self, gap: int) -> list[Any]:
        """1, single terms that a gap is divided by somewhere, and what lemmas are, each once."""
        known, nodes = self.functions.known, self.program.nodes
        divisors = [known[nodes[n][2]][0] for n in self.program.below([gap]) if nodes[n][0] == "div"]
        found = [*(d for d in divisors if len(d) == 1), *(known[lemma[0]][1] for lemma in self.lemmas)]
        return [self.functions.context.constant(1), *{str(d): d for d in found if not d.is_constant()}.values()]

    def nonnegative(self, p: Any, until: float, depth: int) -> int | None:
        """A node >= 0 that is the polynomial p: by the signs of its terms or its factors, as a sum of products for half
        of the time, or without one of its roots, so many times."""
        e: int | None = self.sum_of(p)
        if e is not None and self.signs(e) & NEGATIVE and (found := self._factored(p, until, depth)) is not None:
            return found
        if e is not None and self.signs(e) & NEGATIVE:
            rooted = depth and any(power and k in self.functions.squares for k, power in enumerate(p.degrees()))
            e = self.chosen(p, (time.process_time() + until) / 2 if rooted else until)
        return self._rooted(p, until, depth - 1) if e is None and depth else e

    def _factored(self, p: Any, until: float, depth: int) -> int | None:
        """A node >= 0 that is the polynomial p, a product of at least two that have one sign each."""
        c, factors = p.factor()
        node, sign = self.program.number(fraction(abs(c))), 1 if c > 0 else -1
        for f, power in factors if len(factors) > 1 else ():
            factor = self.sum_of(f)
            node = self.powered(node, factor, int(power) // 2 * 2)
            if power % 2:
                side = self._side(factor)
                e, sign = self.nonnegative(f * side, until, depth), sign * side
                if e is None:
                    return None
                node = self.program.binary("mul", node, e)
        return node if len(factors) > 1 and sign > 0 else None

    def _side(self, node: int) -> int:
        """The sign that a node seems to have, at points of the ranges."""
        low, high = np.array(self.program.ranges, float).reshape(-1, 2).T[:, :, None]
        points = low + (high - low) * np.random.default_rng(0).random((len(low), SAMPLES))
        found = floats(self.program, [node], points[:, obeyed(self.program, self.facts, points)])[node]
        return -1 if np.nansum(np.sign(found)) < 0 else 1

    def _rooted(self, p: Any, until: float, depth: int) -> int | None:
        """A node x - y >= 0 that is the polynomial p, where x >= 0 and x^2 >= y^2; one side is all that has a root."""
        for k, atom in enumerate(self.functions.atoms):
            is_root = self.program.nodes[atom][0] == "sqrt" and k in self.functions.squares
            if not is_root or not (parts := _divided(p, k))[1]:
                continue
            rest, other = (self.functions.context.from_dict(part) for part in parts)
            gen = self.functions.context.gens()[k]
            for x, y in ((rest, -other * gen), (other * gen, -rest)):
                if time.process_time() < until and (found := self._square(x, y, until, depth)) is not None:
                    return found
        return None

    def _square(self, x: Any, y: Any, until: float, depth: int) -> int | None:
        squares, factor = self.functions.rooted(x * x - y * y)
        if (q := self.positive(factor)) is None or (left := self.nonnegative(x, until, depth)) is None:
            return None
        if (e := self.nonnegative(squares * q[0], until, depth)) is None:
            return None
        node = self.program.node("sub", left, self.sum_of(y))
        self.functions.known[node] = x - y, self.functions.context.constant(1)
        self.learn(root(node, q[1], e))
        return node

    def ordered(self, node: int, squares: int) -> list[Any] | None:
        """The lemma that a difference of roots is >= 0, where that of their squares is known to be."""
        p, d = self.functions.known[squares]
        signs, e = (self.signs(squares), squares) if not d.is_constant() else self.told(p / d, squares)
        return None if signs & NEGATIVE else root(node, self.program.number(Fraction(1)), e)

    def learn(self, lemma: list[Any]) -> None:
        """Keep that a node is >= 0, and why."""
        node = lemma[0]
        self.lemmas.append(lemma)
        self.facts[node] = self.facts.get(node, ANY) & ~NEGATIVE
        self.found = {n: signs for n, signs in self.found.items() if n < node}

    def chosen(self, n: Any, until: float, brief: bool = False) -> int | None:
        """A sum of products that are >= 0, which is the polynomial n; None where none is found, if it is to be brief by
        one linear program."""
        if len(n) > LARGEST_CHOICE:
            return None
        positive = {k for k, mask in enumerate(self.masks) if not mask & NEGATIVE}
        known, goal, ring = self.known(), _terms(n), Ring(self.weights(), positive, self._normal)
        found = _products(goal, known, ring, until, brief)
        if found is None or not _is_sum(found, known, goal, ring):
            return None
        total = self.program.number(Fraction(0))
        for weight, product in found:
            node = self.sum_of(self._polynomial({product.monomial: weight}))
            if product.square:
                root = self.sum_of(self._polynomial(dict(product.square)))
                node = self.program.binary("mul", node, self.program.binary("mul", root, root))
            node = reduce(partial(self.program.binary, "mul"), product.nodes, node)
            total = self.program.binary("add", total, node)
        return total

    def known(self) -> list[tuple[int, Terms]]:
        """Nodes that are >= 0 on the path, with their polynomials, one of all multiples: those of its steps, and the
        ends of ranges but where lengths count."""
        found: dict[int, Any] = {}
        for n, mask in self.facts.items():
            p, d = self.functions.known[n]
            factor = self.positive(d)
            for sign in (1, -1):
                if factor is not None and not mask & (NEGATIVE if sign > 0 else POSITIVE):
                    node = self.program.binary("mul", self.program.number(Fraction(sign)), n)
                    found[self.program.binary("mul", node, factor[1])] = p * factor[0] * sign
        for atom, gen in zip(self.functions.atoms, self.functions.context.gens(), strict=False):
            op, *at = self.program.nodes[atom]
            for end in self.program.ranges[at[0]] if op == "var" and not self.lengths else ():
                if end and abs(end) <= FARTHEST:
                    rises, ends = end == self.program.ranges[at[0]][0], self.program.number(end)
                    node = self.program.binary("sub", *((atom, ends) if rises else (ends, atom)))
                    found[node] = (gen - rational(end)) * (1 if rises else -1)
        kept = {n: p for n, p in found.items() if not self.signs(n) & NEGATIVE and 0 < len(p) < 60}
        return [*{str(p / abs(p.leading_coefficient())): (n, _terms(p)) for n, p in kept.items()}.values()]

    def weights(self) -> list[float]:
        """The degrees of the variables: of a root half of that of what it is the root of, of all others 1."""
        found: list[float] = []
        for n in self.functions.atoms:
            op, *at = self.program.nodes[n]
            terms = self.functions.known[at[0]][0].to_dict() if op == "sqrt" else {}
            degrees = [sum(w * int(p) for w, p in zip(found, m, strict=False)) for m in terms]
            found.append(max(degrees, default=2) / 2 or 1)
        return found

    def _polynomial(self, terms: Terms) -> Any:
        return self.functions.context.from_dict(terms)

    def _normal(self, terms: Terms) -> Terms | None:
        """Terms without squares of roots; None where a root is one of a fraction."""
        if not any(m[k] > 1 for k in self.functions.squares for m in terms):
            return terms
        p, factor = self.functions.rooted(self._polynomial(terms))
        return _terms(p) if factor.is_constant() else None

    def signs(self, node: int) -> int:
        """What signs a node can have on this path."""
        return self.program.sign_at(node, self.facts, self.found)

    def positive(self, d: Any, over: bool = True) -> tuple[int, int] | None:
        """A sign and a node that is positive, whose product is the polynomial d; None where the sign is not known."""
        c, factors = d.factor()
        sign, q = (1 if c > 0 else -1), self.program.number(fraction(abs(c)))
        for f, power in factors:
            node = self.sum_of(f)
            found = self.signs(node)
            if found not in (NEGATIVE, POSITIVE):
                found, node = self.told(f, node, over)
            if found not in (NEGATIVE, POSITIVE) and not (power % 2 == 0 and not found & ZERO):
                return None
            if found == NEGATIVE:
                node = self.program.binary("mul", self.program.number(Fraction(-1)), node)
                sign = sign * (-1) ** int(power)
            q = self.powered(q, node, int(power))
        return sign, q

    def powered(self, q: int, node: int, power: int) -> int:
        """A node times a power of another, of which squares have a sign."""
        square = self.program.binary("mul", node, node)
        for _ in range(power // 2):
            q = self.program.binary("mul", q, square)
        return self.program.binary("mul", q, node) if power % 2 else q

    def told(self, f: Any, node: int, over: bool = False) -> tuple[int, int]:
        """The sign of a polynomial that a step of the path or a logarithm tells, and a node that has it and is the
        polynomial; `over`: or one that is divided by something of a known sign."""
        nodes = (self.program.nodes[n] for n in self.functions.order)
        under = dict.fromkeys(at[-1] for op, *at in nodes if op in ("div", "log"))
        for known in [*sorted(self.facts, key=lambda n: self.facts[n] & ZERO), *under]:
            n, d = self.functions.known[known]
            if len(n) == len(f) and (over or d.is_constant()):
                c = n.leading_coefficient() / f.leading_coefficient()
                factor = self.positive(d, False) if n == f * c else None
                if factor is not None:
                    whole = self.program.binary("mul", known, factor[1])
                    found = self.program.binary("div", whole, self.program.number(fraction(c) * factor[0]))
                    return self.signs(found), found
        return ANY, node

    def product_of(self, p: Any) -> int:
        """The node of a polynomial as a product of irreducible ones, of which a step may tell the sign."""
        c, factors = p.factor()
        nodes = [self.told(f, self.sum_of(f))[1] for f, power in factors for _ in range(int(power))]
        return reduce(partial(self.program.binary, "mul"), nodes, self.program.number(fraction(c)))

    def sum_of(self, p: Any) -> int:
        """The node of a polynomial: terms whose even powers are squares."""
        total = self.program.number(Fraction(0))
        for powers, c in p.to_dict().items():
            term = self.program.number(fraction(c))
            for k, power in enumerate(powers):
                atom = self.functions.atoms[k] if power else 0
                for _ in range(int(power) // 2):
                    term = self.program.binary("mul", term, self.program.binary("mul", atom, atom))
                if power % 2:
                    term = self.program.binary("mul", term, atom)
            total = self.program.binary("add", total, term)
        return total


def closed(program: Program, path: Path, patience: float, until: float) -> dict[str, Any] | None:
    """The data of a proof of a path by algebra, with so many seconds of patience, and as many again where lengths of
    roots may be kept; None without one. Raises TooLarge for polynomials with too many terms."""
    for lengths in (False, True):
        leaf = Leaf(program, path, lengths)
        if found := leaf.closed(min(until, time.process_time() + patience)):
            return found
        if not leaf.functions.squares:
            break
    return None


def _named(proof: Any) -> Iterator[int]:
    """The nodes that a proof names."""
    if isinstance(proof, dict | list):
        for part in proof.values() if isinstance(proof, dict) else proof:
            yield from _named(part)
    elif isinstance(proof, int):
        yield proof


def _divided(p: Any, k: int) -> list[dict[Any, Any]]:
    """The terms of a polynomial without a variable, and what it multiplies; its powers are 0 and 1."""
    parts: list[dict[Any, Any]] = [{}, {}]
    for powers, c in p.to_dict().items():
        parts[int(powers[k])][(*powers[:k], 0, *powers[k + 1 :])] = c
    return parts


def _products(
    goal: Terms, known: list[tuple[int, Terms]], ring: Ring, until: float, brief: bool = False
) -> list[tuple[flint.fmpq, Product]] | None:
    """Products and factors > 0 whose sum is a polynomial: what its terms suggest, then all squares up to its degree."""
    few = Candidates(goal, known, ring, brief)
    if (found := few.solved(until, 1)) or brief:
        return found
    for programs, rounds in STAGES:
        for factors, inside, steps in programs:
            if time.process_time() > until:
                return None
            if found := squared(goal, known, ring, factors, inside, steps, until):
                return found
        if found := few.solved(until, rounds):
            return found
        few.more()
    return None


def _is_sum(found: list[tuple[flint.fmpq, Product]], known: list[tuple[int, Terms]], goal: Terms, ring: Ring) -> bool:
    """Whether products add up to a polynomial."""
    nodes, total = dict(known), {m: -c for m, c in goal.items()}
    for weight, product in found:
        terms = {product.monomial: weight}
        for factor in [dict(product.square)] * 2 if product.square else []:
            terms = times(terms, factor)
        for n in product.nodes:
            terms = times(terms, nodes[n])
        for m, c in (ring.reduce(terms) or {}).items():
            total[m] = total.get(m, 0) + c
    return not any(total.values())


def _terms(p: Any) -> Terms:
    return {tuple(map(int, m)): c for m, c in p.to_dict().items()}
