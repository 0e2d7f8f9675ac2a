r"""What exponentials and logarithms are compared with: $e^u\ge e^v(1+u-v)$ and $\log x\le x-1$, as lemmas that
`check_cells` verifies."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from arubatheory.prove.check_cells import NEGATIVE, POSITIVE
from arubatheory.prove.products import Terms
from arubatheory.prove.program import Program

FEW = 4  # exponentials, or logarithms, that are compared with each other
MOST_RATIOS = 12  # of products, whose logarithms are compared with them


def tangents(program: Program, wanted: Iterable[int], signs: Callable[[int], int]) -> Iterator[list[Any]]:
    """Lemmas about the exponentials and logarithms of some nodes: tangents, at 0 or 1 and at each other; beside
    logarithms, those of what is divided by, too."""
    order = program.below(wanted)
    for kind in ("log", "exp"):
        known = [n for n in order if program.nodes[n][0] == kind]
        if kind == "log" and known:
            under = [program.nodes[n][2] for n in order if program.nodes[n][0] == "div"]
            more = [program.node("log", n) for n in under if program.constant(n) is None and signs(n) == POSITIVE]
            known = more if len(more := list(dict.fromkeys([*known, *more]))) < FEW else known
        for n, m in itertools.permutations([-1, *known] if len(known) < FEW else [], 2):
            yield _ratio(program, [n] * (n >= 0), [m] * (m >= 0))


def orders(program: Program, wanted: Iterable[int]) -> list[tuple[int, int]]:
    """Differences of roots and 1, and those of what they are roots of, where they are few."""
    roots, one = [n for n in program.below(wanted) if program.nodes[n][0] == "sqrt"], program.number(Fraction(1))
    some = [(n, program.nodes[n][1]) for n in roots] + [(one, one)] * bool(roots)
    both = [(n, m, a, b) for (n, a), (m, b) in itertools.permutations(some, 2)] if len(roots) <= FEW else []
    return [(program.binary("sub", n, m), program.binary("sub", a, b)) for n, m, a, b in both]


def products(program: Program, wanted: Iterable[int]) -> Iterator[list[Any]]:
    """Lemmas about the products of roots of sums of as many squares: they are at least what the bases' products add up
    to, with either sign."""
    roots = [(n, bases) for n in program.below(wanted) if (bases := _bases(program, n))]
    for (n, a), (m, b) in itertools.combinations(roots[:FEW], 2):
        both, dot, rest = program.binary("mul", n, m), program.number(Fraction(0)), program.number(Fraction(0))
        for p, q in zip(a, b, strict=False):
            dot = program.binary("add", dot, program.binary("mul", p, q))
        for (p, q), (r, s) in itertools.combinations(zip(a, b, strict=False), 2):
            across = program.binary("sub", program.binary("mul", p, s), program.binary("mul", r, q))
            rest = program.binary("add", rest, program.binary("mul", across, across))
        for less in (dot, program.binary("mul", program.number(Fraction(-1)), dot)) if len(a) == len(b) else ():
            yield root(program.node("sub", both, less), program.number(Fraction(1)), rest)


def means(program: Program, wanted: Iterable[int], signs: Callable[[int], int]) -> Iterator[list[Any]]:
    """Lemmas that roots of products are at most half of what both factors add up to."""
    half, one = program.number(Fraction(1, 2)), program.number(Fraction(1))
    for n in program.below(wanted):
        op, *at = program.nodes[program.nodes[n][1]] if program.nodes[n][0] == "sqrt" else ("",)
        if op == "mul" and at[0] != at[1]:
            mean, apart = (program.binary("mul", half, program.binary(kind, *at)) for kind in ("add", "sub"))
            if not signs(mean) & NEGATIVE:
                yield root(program.node("sub", mean, n), one, program.binary("mul", apart, apart))


def root(node: int, q: int, e: int) -> list[Any]:
    """The lemma on a difference x - y, where x is not negative by its sign and q (x^2 - y^2) = e."""
    return [node, {"roots": [[q, e]]}]


def _bases(program: Program, n: int) -> list[int]:
    """What a root is the length of; nothing where it is of something else."""
    op, *waiting = program.nodes[n]
    found = list[int]()
    while op == "sqrt" and waiting:
        kind, *at = program.nodes[waiting.pop()]
        if kind == "add":
            waiting += at[::-1]
        elif kind == "mul" and at[0] == at[1]:
            found.append(at[0])
        else:
            return []
    return found


def ratios(program: Program, atoms: Sequence[int], gaps: Iterable[Terms]) -> Iterator[list[Any]]:
    """Lemmas about the logarithms, and what exponentials are of, among the atoms, that one monomial multiplies in a
    gap, or one of two."""
    kinds = [program.nodes[n] for n in atoms]
    exps = {node[1]: n for n, node in zip(atoms, kinds, strict=True) if node[0] == "exp"}
    logs = {k: exps.get(n, n) for k, n in enumerate(atoms) if kinds[k][0] == "log" or n in exps}
    beside: dict[tuple[int, ...], dict[int, Any]] = {}
    for powers, c in (entry for gap in gaps for entry in gap.items()):
        if sum(powers[k] for k in logs) == 1:
            k = next(k for k in logs if powers[k])
            beside.setdefault((*powers[:k], 0, *powers[k + 1 :]), {})[k] = c
    rows = [{k: c / max(map(abs, row.values())) for k, c in row.items()} for row in beside.values()]
    sums = [{k: a.get(k, 0) + b.get(k, 0) for k in {**a, **b}} for a, b in itertools.combinations(rows, 2)]
    for row in [*rows, *sums][:MOST_RATIOS]:
        if any(row.values()) and all(c in (-1, 0, 1) for c in row.values()):
            yield _ratio(program, *([logs[k] for k in sorted(row) if row[k] == sign] for sign in (-1, 1)))


def _ratio(program: Program, over: list[int], under: list[int]) -> list[Any]:
    """The lemma on a ratio of products of some exponentials, and of what some logarithms are of."""
    ratio, less, q = program.number(Fraction(1)), program.number(Fraction(0)), program.number(Fraction(1))
    for n, join, op in [(n, "add", "mul") for n in over] + [(n, "sub", "div") for n in under]:
        factor, log = (n, program.nodes[n][1])[:: 1 if program.nodes[n][0] == "exp" else -1]
        less, ratio = program.binary(join, less, log), program.binary(op, ratio, factor)
        q = program.binary("mul", q, factor) if op == "div" else q
    one = program.number(Fraction(1))
    return [program.binary("sub", program.binary("sub", ratio, one), less), {"tangent": [q, over, under]}]
