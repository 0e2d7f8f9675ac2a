r"""A polynomial as a sum of products that are >= 0: squares, variables of one sign, ends of ranges, steps of the path.

The products are proposed from the terms of the polynomial, a linear program chooses among them, and its choice is
solved again exactly. Where it finds none, the multipliers of the linear program are a functional that is negative on
the polynomial and not on what was proposed; its matrix of moments names the squares that are missing (cutting planes
for the semidefinite program, after Ahmadi and Hall 2015).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from scipy.optimize import linprog  # here, and not where it is called: copies of this process find it loaded
from scipy.sparse import csc_array, eye_array, hstack

from arubatheory.arithmetic import Array
from arubatheory.prove.products import ONE, Monomial, Product, Ring, Terms, binomials, multipliers, plus, times
from arubatheory.prove.rationals import echelon, rational, simplest

MOST_COLUMNS, MOST_ROWS = 6000, 1500
PATIENCE = 2.0  # seconds of one linear program
MOST_CHOSEN = 250  # columns that are solved for exactly
FEW_PAIRS, MOST_PAIRS = 60, 150  # of what is known, whose products are proposed
SMALL = 1e-9
TOGETHER = 64  # monomials of a support at once
COARSE = Fraction(1, 1 << 12)  # relative error of the entries of a square that is added


def _halved(m: Monomial, positive: set[int]) -> tuple[Monomial, Monomial] | None:
    """w and k with m = w k^2, w a product of variables >= 0; None where an odd power is of another one."""
    odd = tuple(p % 2 for p in m)
    if any(p and k not in positive for k, p in enumerate(odd)):
        return None
    return odd, tuple(p // 2 for p in m)


class Candidates:
    """Products for one polynomial, of many pairs or few; `known` are nodes >= 0 with their polynomials."""

    def __init__(self, goal: Terms, known: list[tuple[int, Terms]], ring: Ring, many: bool = False) -> None:
        self.goal, self.positive, self.known, self.ring = goal, ring.positive, known, ring
        self.columns: list[Product] = []
        self.most_pairs = MOST_PAIRS if many else FEW_PAIRS
        self.seen = set[Any]()
        self.one = (0,) * len(next(iter(goal)))
        self.bases: dict[Monomial, set[Monomial]] = {}

    def propose(self, support: Iterable[Monomial], until: float) -> None:
        """Terms of one sign, squares of binomials, and known nodes as they are and times what makes them meet the
        support, until they are too many or the clock says so."""
        support = sorted(support)
        known: list[tuple[tuple[int, ...], Terms]] = [((n,), p) for n, p in self.known]
        pairs = [*itertools.combinations_with_replacement(self.known, 2)]
        known += [((n, k), times(p, q)) for (n, p), (k, q) in pairs] if len(pairs) <= self.most_pairs else []
        for m in sorted({*support, *(m for _, p in known for m in p)}):
            if (half := _halved(m, self.positive)) is not None:
                self._add((), m, (), {m: ONE})
                if m in support:
                    self.bases.setdefault(half[0], set()).add(half[1])
        for w, basis in list(self.bases.items()):
            for a, b in itertools.combinations(sorted(basis), 2):
                for sign in (1, -1):
                    self._add((), w, ((a, ONE), (b, sign * ONE)), {w: ONE})
        for nodes, p in known:
            if len(self.columns) >= MOST_COLUMNS or time.process_time() > until:
                return
            for rest in itertools.chain([self.one], self._apart(support, p)):
                if (nodes, rest, ()) not in self.seen:
                    self._add(nodes, rest, (), {plus(rest, k): c for k, c in p.items()})

    def _apart(self, support: list[Monomial], p: Terms) -> Iterator[Monomial]:
        """What makes a term of p one of the support, a product of squares and variables >= 0."""
        signed = [k for k in range(len(self.one)) if k not in self.positive]
        for start in range(0, len(support), TOGETHER):
            apart = np.array(support[start : start + TOGETHER])[:, None] - np.array([*p])
            fits = (apart >= 0).all(axis=2) & ~(apart[..., signed] % 2).any(axis=2)
            yield from map(tuple, apart[fits].tolist())

    def _add(self, nodes: tuple[int, ...], monomial: Monomial, square: Any, terms: Terms) -> None:
        if (key := (nodes, monomial, square)) in self.seen or len(self.columns) >= MOST_COLUMNS:
            return
        self.seen.add(key)
        if normal := self.ring.reduce(times(terms, times(dict(square), dict(square))) if square else terms):
            self.columns.append(Product(nodes, monomial, square, normal))

    def more(self) -> None:
        """From now on propose more pairs of what is known, and the squares of binomials beside all of it, if they are
        not too many."""
        self.most_pairs = MOST_PAIRS
        found = multipliers(self.goal, self.known, self.ring, 2)
        if sum(len(one.basis) ** 2 for one in found) <= MOST_COLUMNS:
            for one, square in binomials(found):
                self._add(one.nodes, one.monomial, square, one.terms)

    def solved(self, until: float, rounds: int) -> list[tuple[flint.fmpq, Product]] | None:
        """Products and factors > 0 whose sum is the polynomial; None where none were found in so many programs."""
        self.propose(self.goal, until)
        wider = False
        for k in range(rounds):
            if time.process_time() > until or (k and len(self.columns) >= MOST_COLUMNS):
                return None
            chosen, dual = self._program()
            if dual is None:
                return self._exactly(chosen)
            if not dual:
                return None
            before = len(self.columns)
            self._cut(dual)
            if len(self.columns) == before:
                if wider:
                    return None
                wider = True
                self.propose({m for column in self.columns for m in column.terms}, until)
        return None

    def _program(self) -> tuple[list[int], dict[Monomial, float] | None]:
        """The columns that a linear program takes; or, where they do not suffice, its multipliers."""
        rows = {m: i for i, m in enumerate(sorted({*self.goal, *(m for c in self.columns for m in c.terms)}))}
        entries = [(rows[m], j, float(v)) for j, c in enumerate(self.columns) for m, v in c.terms.items()]
        i, j, v = zip(*entries, strict=True) if entries else ((), (), ())
        matrix = csc_array((v, (i, j)), shape=(len(rows), len(self.columns)))
        right = np.zeros(len(rows))
        right[[rows[m] for m in self.goal]] = [float(c) for c in self.goal.values()]
        size = float(np.abs(right).max(initial=0.0)) or 1.0
        slack = eye_array(len(rows))
        cost = np.concatenate([np.zeros(len(self.columns)), np.ones(2 * len(rows))])
        equal: Any = hstack([matrix, slack, -slack])
        found: Any = linprog(cost, A_eq=equal, b_eq=right / size, method="highs", options={"time_limit": PATIENCE})
        if found.status != 0:
            return [], {}
        if found.fun > SMALL:
            return [], {m: -float(found.eqlin.marginals[i]) for m, i in rows.items()}
        return np.flatnonzero(found.x[: len(self.columns)] > SMALL / 100).tolist(), None

    def _exactly(self, chosen: list[int]) -> list[tuple[flint.fmpq, Product]] | None:
        if len(chosen) > MOST_CHOSEN:
            return None
        rows: dict[Monomial, dict[int, flint.fmpq]] = {m: {-1: c} for m, c in self.goal.items()}
        for j in chosen:
            for m, v in self.columns[j].terms.items():
                rows.setdefault(m, {})[j] = v
        try:
            pivots = echelon(list(rows.values()), chosen)
        except ValueError:
            return None
        weights = [(rational(entries.get(-1, Fraction(0))), self.columns[j]) for j, entries in pivots.items()]
        return None if any(w < 0 for w, _ in weights) else [(w, column) for w, column in weights if w]

    def _cut(self, dual: dict[Monomial, float]) -> None:
        """Add the squares on which the functional is most negative."""
        for w, basis in list(self.bases.items()):
            monomials = sorted(basis)
            moments = np.array([[_moment(dual, self.ring.reduce, w, a, b) for a in monomials] for b in monomials])
            if len(monomials) > 1 and np.isfinite(moments).all():
                values, vectors = np.linalg.eigh(moments)
                for k in np.flatnonzero(values < -SMALL)[:3]:
                    self._add((), w, _square(monomials, vectors[:, k]), {w: ONE})


def _moment(dual: dict[Monomial, float], reduce: Any, w: Monomial, a: Monomial, b: Monomial) -> float:
    return sum(float(c) * dual.get(k, 0.0) for k, c in (reduce({plus(plus(w, a), b): ONE}) or {}).items())


def _square(monomials: list[Monomial], vector: Array) -> tuple[tuple[Monomial, flint.fmpq], ...]:
    scaled = vector / np.abs(vector).max()
    entries = [(m, simplest(x, COARSE)) for m, x in zip(monomials, scaled.tolist(), strict=True) if abs(x) > 1e-4]
    return tuple((m, rational(c)) for m, c in entries if c)
