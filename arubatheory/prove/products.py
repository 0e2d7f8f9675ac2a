r"""What is known to be >= 0 where a polynomial is: products of variables and nodes with squares, up to its degree."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

LARGEST = 28  # monomials whose combinations are squared
MOST_PAIRED = 32  # of what is known, where products of two are tried
Monomial = tuple[int, ...]
Terms = dict[Monomial, Fraction]


class Product(NamedTuple):
    """What is known to be >= 0: a product of nodes, a monomial, and the square of a combination of monomials."""

    nodes: tuple[int, ...]
    monomial: Monomial
    square: tuple[tuple[Monomial, Fraction], ...]
    terms: Terms


def times(a: Terms, b: Terms) -> Terms:
    """a b."""
    out: Terms = {}
    for m, c in a.items():
        for k, d in b.items():
            key = plus(m, k)
            out[key] = out[key] + c * d if key in out else c * d
    return {m: c for m, c in out.items() if c}


class Multiplier(NamedTuple):
    """What is >= 0: nodes and a monomial, their product as a polynomial, and the monomials whose combinations are
    squared beside it."""

    nodes: tuple[int, ...]
    monomial: Monomial
    terms: Terms
    basis: list[Monomial]


class Ring(NamedTuple):
    """How polynomials compute: the degree of each variable (of a root, half of what it is the root of), which of them
    are >= 0, and the normal form of a polynomial (None where it has none)."""

    weights: Sequence[float]
    positive: set[int]
    reduce: Callable[[Terms], Terms | None]

    def degree(self, terms: Iterable[Monomial]) -> float:
        """The largest degree of some monomials."""
        return max(map(self.weight, terms), default=0)

    def weight(self, m: Monomial) -> float:
        """The degree of a monomial."""
        return sum(map(operator.mul, self.weights, m))

    def powers(self, k: int) -> float:
        """The largest power of a variable that is no polynomial in others; 0 where its square is no polynomial."""
        square = {tuple(2 * i for i in _unit(len(self.weights), k)): Fraction(1)}
        found = self.reduce(square)
        return math.inf if found == square else 1 if found is not None else 0


def _unit(n: int, k: int) -> Monomial:
    return tuple(int(i == k) for i in range(n))


def plus(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    return tuple(map(operator.add, a, b))


def _atoms(terms: Iterable[Monomial]) -> set[int]:
    return {k for m in terms for k, power in enumerate(m) if power}


def multipliers(goal: Terms, known: Sequence[tuple[int, Terms]], ring: Ring, pairs: bool) -> list[Multiplier]:
    """All of a degree that is not above that of the goal, with those of two factors or without."""
    n, top, active = len(next(iter(goal))), ring.degree(goal), _atoms(goal)
    near = [(node, p) for node, p in known if _atoms(p) & active]
    powers = {k: most for k in sorted(active.union(*(_atoms(p) for _, p in near))) if (most := ring.powers(k))}
    odd = {tuple(power % 2 for power in m) for m in goal} | {_unit(n, k) for k in powers} | {(0,) * n}
    found = [Multiplier((), m, {m: Fraction(1)}, []) for m in sorted(odd) if _atoms([m]) <= ring.positive]
    found += [Multiplier((node,), (0,) * n, p, []) for node, p in near]
    for a, b in itertools.combinations(list(found) if pairs and len(found) <= MOST_PAIRED else [], 2):
        if ring.degree(a.terms) + ring.degree(b.terms) <= top and (terms := ring.reduce(times(a.terms, b.terms))):
            found.append(Multiplier(a.nodes + b.nodes, plus(a.monomial, b.monomial), terms, []))
    found = list({(one.nodes, one.monomial): one for one in found}.values())
    degrees = [top - ring.degree(one.terms) for one in found]
    bases = {left: _basis(n, powers, ring, left / 2) for left in {*degrees} if left >= 0}
    return [one._replace(basis=bases[left]) for one, left in zip(found, degrees, strict=True) if left in bases]


def _basis(n: int, powers: dict[int, float], ring: Ring, most: float) -> list[Monomial]:
    """The monomials of some variables up to a degree, or up to a smaller one where they are too many."""
    found = [(0,) * n]
    for k, largest in powers.items():
        for m in list(found):
            top = min((most - ring.weight(m)) // ring.weights[k], largest)
            found += [(*m[:k], power, *m[k + 1 :]) for power in range(1, int(top) + 1)]
    found.sort(key=ring.weight)
    while len(found) > LARGEST:
        found = [m for m in found if ring.weight(m) < ring.weight(found[-1])]
    return found


def binomials(found: Sequence[Multiplier]) -> Iterator[tuple[Multiplier, Any]]:
    """Multipliers, each with the square of a monomial or of a sum or difference of two."""
    for one in found:
        yield from ((one, ((m, Fraction(1)),)) for m in one.basis)
        for a, b in itertools.combinations(one.basis, 2):
            yield from ((one, ((a, Fraction(1)), (b, Fraction(sign)))) for sign in (1, -1))
