r"""What is known to be >= 0 where a polynomial is: products of variables and nodes with squares, up to its degree."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import Any, NamedTuple

import flint
import numpy as np

LARGEST, WIDEST = 28, 500  # monomials whose combinations are squared, and before some of them are left out
MOST = {2: 32, 3: 20}  # of what is known, where products of so many are tried
DIRECTIONS = 256
Monomial = tuple[int, ...]
Terms = dict[Monomial, flint.fmpq]
ONE = flint.fmpq(1)


class Product(NamedTuple):
    """What is known to be >= 0: a product of nodes, a monomial, and the square of a combination of monomials."""

    nodes: tuple[int, ...]
    monomial: Monomial
    square: tuple[tuple[Monomial, flint.fmpq], ...]
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
        square = {tuple(2 * i for i in _unit(len(self.weights), k)): ONE}
        found = self.reduce(square)
        return math.inf if found == square else 1 if found is not None else 0


def _unit(n: int, k: int) -> Monomial:
    return tuple(int(i == k) for i in range(n))


def plus(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    return tuple(map(operator.add, a, b))


def _atoms(terms: Iterable[Monomial]) -> set[int]:
    return {k for m in terms for k, power in enumerate(m) if power}


def multipliers(
    goal: Terms, known: Sequence[tuple[int, Terms]], ring: Ring, factors: int, inside: bool = False
) -> list[Multiplier]:
    """All of a degree that is not above that of the goal, of at most so many factors, with squares up to that degree;
    or only with those `inside` the goal's Newton polytope."""
    n, top, active = len(next(iter(goal))), ring.degree(goal), _atoms(goal)
    near = [(node, p) for node, p in known if _atoms(p) & active]
    powers = {k: most for k in sorted(active.union(*(_atoms(p) for _, p in near))) if (most := ring.powers(k))}
    odd = {tuple(power % 2 for power in m) for m in goal} | {_unit(n, k) for k in powers} | {(0,) * n}
    found = [Multiplier((), m, {m: ONE}, []) for m in sorted(odd) if _atoms([m]) <= ring.positive]
    found += [Multiplier((node,), (0,) * n, p, []) for node, p in near]
    single = len(found)
    for size in range(2, factors + 1):
        for several in itertools.combinations(found[:single], size) if single <= MOST[size] else ():
            if sum(ring.degree(one.terms) for one in several) <= top and (product := _product(several, ring)):
                found.append(product)
    found = list({(one.nodes, one.monomial): one for one in found}.values())
    degrees = [top - ring.degree(one.terms) for one in found]
    bases = {left: _basis(n, powers, ring, left / 2, WIDEST if inside else LARGEST) for left in {*degrees} if left >= 0}
    found = [one._replace(basis=bases[left]) for one, left in zip(found, degrees, strict=True) if left in bases]
    if not inside:
        return found
    fits = _Inside(goal, ring)
    narrow = [[m for m in one.basis if not any(m) or fits(one.terms, m)] for one in found]
    return [one._replace(basis=_few(basis, ring, LARGEST)) for one, basis in zip(found, narrow, strict=True)]


def _product(several: Sequence[Multiplier], ring: Ring) -> Multiplier | None:
    terms = ring.reduce(reduce(times, (one.terms for one in several)))
    nodes = tuple(node for one in several for node in one.nodes)
    return Multiplier(nodes, reduce(plus, (one.monomial for one in several)), terms, []) if terms else None


class _Inside:
    """Whether a product lies in the Newton polytope of a polynomial and 1, as far as some directions tell: for sums of
    squares alone, no others are needed (Reznick 1978)."""

    def __init__(self, goal: Terms, ring: Ring) -> None:
        self.ring, n = ring, len(next(iter(goal)))
        self.directions = np.random.default_rng(0).standard_normal((DIRECTIONS, n))
        self.tops = np.maximum((self.directions @ np.array(list(goal), float).T).max(axis=1), 0.0) + 1e-9

    def __call__(self, terms: Terms, m: Monomial) -> bool:
        found = self.ring.reduce({plus(plus(m, m), k): c for k, c in terms.items()})
        return not found or bool((self.directions @ np.array(list(found), float).T <= self.tops[:, None]).all())


def _basis(n: int, powers: dict[int, float], ring: Ring, degree: float, most: int) -> list[Monomial]:
    """The monomials of some variables up to a degree, or up to a smaller one where they are too many."""
    found = [(0,) * n]
    for k, largest in powers.items():
        for m in list(found):
            top = min((degree - ring.weight(m)) // ring.weights[k], largest)
            found += [(*m[:k], power, *m[k + 1 :]) for power in range(1, int(top) + 1)]
    return _few(sorted(found, key=ring.weight), ring, most)


def _few(found: list[Monomial], ring: Ring, most: int) -> list[Monomial]:
    """Monomials, sorted by their degrees, or those of smaller degrees where they are too many."""
    while len(found) > most:
        found = [m for m in found if ring.weight(m) < ring.weight(found[-1])]
    return found


def binomials(found: Sequence[Multiplier]) -> Iterator[tuple[Multiplier, Any]]:
    """Multipliers, each with the square of a monomial or of a sum or difference of two."""
    for one in found:
        yield from ((one, ((m, ONE),)) for m in one.basis)
        for a, b in itertools.combinations(one.basis, 2):
            yield from ((one, ((a, ONE), (b, sign * ONE))) for sign in (1, -1))
