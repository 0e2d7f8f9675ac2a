"""What checks a certificate computes exactly: identities of rational functions and roots, and ends of exponentials."""

import itertools
import random
from fractions import Fraction
from typing import Any

import flint
import pytest

from arubatheory.arithmetic import precision
from arubatheory.prove import rationals
from arubatheory.prove.check_boxes import INF, ONE, exponential, logarithm, multiply, pinned, squared
from arubatheory.prove.check_cells import LONGEST, Lines, Rejected
from arubatheory.prove.check_certificate import check_semidefinite
from arubatheory.prove.check_chains import Staged
from arubatheory.prove.check_others import check_others
from arubatheory.prove.check_paths import check_paths

X, Y, HALF = ["var", 0], ["var", 1], ["const", "1/2"]  # the nodes 0, 1 and 2 of each program
IDENTITIES = {  # further nodes, of which the last is 0, or not
    "shares": (True, ["add", 0, 1], ["div", 0, 3], ["div", 1, 3], ["add", 4, 5], ["div", 2, 2], ["sub", 6, 7]),
    "inverse twice": (True, ["div", 2, 0], ["div", 2, 3], ["sub", 4, 0]),
    "the same divisor twice": (
        *(True, ["sub", 0, 1], ["mul", 2, 3], ["div", 1, 3], ["div", 1, 4]),
        *(["mul", 6, 2], ["sub", 5, 7]),
    ),
    "a quotient over a quotient": (True, ["div", 0, 1], ["div", 1, 0], ["div", 3, 4], ["mul", 3, 3], ["sub", 5, 6]),
    "twice a divisor": (True, ["add", 0, 0], ["div", 2, 3], ["div", 2, 0], ["mul", 5, 2], ["sub", 4, 6]),
    "a root": (True, ["sqrt", 0], ["mul", 3, 3], ["mul", 4, 3], ["mul", 3, 0], ["sub", 5, 6]),
    "the root of a quotient": (True, ["div", 0, 1], ["sqrt", 3], ["mul", 4, 4], ["mul", 5, 1], ["sub", 6, 0]),
    "over a root": (
        *(True, ["sqrt", 0], ["add", 3, 2], ["div", 0, 4], ["sub", 3, 2], ["mul", 5, 4], ["sub", 7, 0]),
        *(["mul", 8, 6],),
    ),
    "a difference of roots": (
        *(True, ["sqrt", 0], ["sqrt", 1], ["sub", 3, 4], ["add", 3, 4], ["mul", 5, 6], ["sub", 0, 1], ["sub", 7, 8]),
    ),
    "one variable for the other": (False, ["sub", 0, 1]),
    "a root and its square": (False, ["sqrt", 0], ["sub", 3, 0]),
    "the square of a root and another variable": (False, ["sqrt", 0], ["mul", 3, 3], ["sub", 4, 1]),
    "two roots": (False, ["sqrt", 0], ["sqrt", 1], ["sub", 3, 4]),
    "two divisors": (False, ["div", 2, 0], ["div", 2, 1], ["sub", 3, 4]),
    "a divisor and its square": (False, ["div", 2, 0], ["div", 3, 0], ["sub", 4, 3]),
    "another number": (False, ["add", 0, 1], ["mul", 2, 3], ["mul", 2, 4], ["sub", 4, 5]),
    "a number over another": (False, ["const", "2/3"], ["div", 2, 3], ["sub", 4, 2]),
}


def lines(*nodes: Any) -> Lines:
    return Lines({"nodes": [X, Y, HALF, *nodes], "ranges": [["1/2", "2"]] * 2})


@pytest.mark.parametrize("name", IDENTITIES)
def test_an_identity_holds_or_does_not(name: str) -> None:
    holds, *nodes = IDENTITIES[name]
    program = lines(*nodes)
    assert program.vanishes(program.function(len(program.nodes) - 1)) == holds


@pytest.mark.parametrize("text", [0.5, True, None, "0.5", "1e3", " 1", "1/0", "-", "٣"])
def test_what_is_no_rational_number_is_none(text: Any) -> None:
    with pytest.raises(Rejected, match="is not a rational number"):
        lines(["const", text])
    with pytest.raises(Rejected, match="is not a rational number"):
        Lines({"nodes": [], "ranges": [[0, text]]})
    with pytest.raises(Rejected, match="is not a rational number"):
        Staged({"nodes": [], "ranges": [], "tables": [[["0", "1", "0", text]]]})


@pytest.mark.parametrize("node", [["const"], ["const", "1", "2"], ["add", 0], ["sqrt", 0, 1], ["sin", 0], ["exp", 3]])
def test_what_is_no_operation_is_none(node: Any) -> None:
    with pytest.raises(Rejected, match=r"no operation|an operand"):
        lines(node)


def test_no_identity_is_too_deep_for_python() -> None:
    """As many relations as calls may nest: squares of roots, and what they are roots of."""
    program = lines()
    total = program.added("const", Fraction(0))
    for k in range(600):
        root = program.added("sqrt", under := program.added("add", 0, program.added("const", Fraction(k))))
        total = program.added("add", total, program.added("sub", program.added("mul", root, root), under))
    assert program.vanishes(program.function(total))
    assert not program.vanishes(program.function(program.added("sub", total, root)))


def test_a_divisor_is_one_whatever_nodes_say_it() -> None:
    """Sixty quotients over the same sum, each time computed anew, need one relation."""
    program = lines()
    total = program.added("const", Fraction(0))
    for k in range(60):
        over = program.added("add", *((0, 1) if k % 2 else (1, 0)))
        total = program.added("add" if k % 2 else "sub", total, program.added("div", 2, over))
    quotient = program.added("div", 2, over)
    assert program.vanishes(program.function(total)) and len(program.atoms) == 3
    assert not program.vanishes(program.function(program.added("add", total, quotient)))


def test_no_power_of_a_variable_is_taken_for_another_variable() -> None:
    """Every atom is a prime, and a power too long to be written down is refused."""
    program = lines(["sqrt", 0], ["exp", 0], ["div", 1, 0], ["exp", 5], ["exp", 0], ["mul", 6, 6])
    for n in range(9):
        program.function(n)
    assert list(program.atoms.values()) == [2, 3, 5, 7, 11, 13] and program.function(8) == {13 * 13: 1}
    squares = lines(["mul", 0, 0], *(["mul", k, k] for k in range(3, 60)))  # x to the power 2^58
    with pytest.raises(Rejected, match="a power too large"):
        squares.function(59)
    assert max(max(p) for p in squares.functions.values()).bit_length() <= 2 * LONGEST


def test_random_programs_vanish_where_they_do_in_another_algebra() -> None:
    """Sums, products and quotients at random, against the polynomials of flint; half of the differences are 0."""
    rng, ring, seen = random.Random(3), flint.fmpz_mpoly_ctx.get(("x", 2), flint.Ordering.lex), set()
    for _ in range(60):
        nodes, known = [], [(x, ring.constant(1)) for x in ring.gens()] + [(ring.constant(1), ring.constant(2))]
        while len(known) < 9:
            op, i, j = rng.choice(("add", "sub", "mul", "div")), rng.randrange(len(known)), rng.randrange(len(known))
            (a, b), (c, d) = known[i], known[j]
            if op == "div" and not len(c):
                continue
            nodes.append([op, i, j])
            known.append(
                (a * d + (c if op == "add" else -c) * b, b * d)
                if op in ("add", "sub")
                else (a * c, b * d)
                if op == "mul"
                else (a * d, b * c)
            )
        program, (n, d) = lines(*nodes), known[-1]
        k = rng.randrange(len(known))
        for at, zero in ((k, n * known[k][1] == known[k][0] * d), (len(known) - 1, True)):
            assert program.vanishes(program.function(program.added("sub", at, len(known) - 1))) == zero
            seen.add(zero)
    assert seen == {True, False}


def test_exponentials_and_logarithms_are_enclosed() -> None:
    rng = random.Random(0)
    spans = (900 * ONE, 40 * ONE, ONE, 1 << 60, 1 << 4)
    with precision(400):
        for span in [*spans] * 40:
            x = rng.randint(-span, span)
            low, high, true = exponential(x, False), exponential(x, True), flint.arb(flint.fmpq(x, ONE)).exp() * ONE
            assert low <= true <= high and (high - low) << 40 <= high + (1 << 44)
            y = abs(x) + 1
            true = flint.arb(flint.fmpq(y, ONE)).log() * ONE
            assert logarithm(y, False) <= true <= logarithm(y, True)


def test_products_of_intervals_are_those_of_their_ends() -> None:
    ends = [-INF, *(k * ONE for k in (-3, -1, 0, 1, 2)), INF]
    some = [pair for pair in itertools.combinations_with_replacement(ends, 2) if pair not in ((-INF, -INF), (INF, INF))]
    for a, b in itertools.product(some, repeat=2):
        products = [p * q / ONE if p and q else 0 for p in a for q in b]
        assert multiply(a, b) == (min(products), max(products))
        assert a != b or squared(a) == (0 if a[0] <= 0 <= a[1] else min(products), max(products))


def test_only_monotone_variables_are_put_at_an_end() -> None:
    box, rest = [(-1, 1), (0, 2), (3, 5), (4, 4)], [(7, 8)]
    assert pinned(box + rest, [(0, 1), (-2, 0), (-1, 1), (-INF, INF)]) == [(-1, -1), (2, 2), (3, 5), (4, 4), (7, 8)]
    assert pinned(box + rest, [(0, 1), (-2, 0), (-1, INF), (0, 0)]) == box + rest


def is_semidefinite(matrix: list[list[Fraction]]) -> bool:
    """Whether the checker takes a matrix for positive semidefinite."""
    size = len(matrix)
    try:
        check_semidefinite({(i, j): matrix[i][j] for i in range(size) for j in range(i, size)}, size, "it")
    except Rejected:
        return False
    return True


def test_both_ways_of_looking_at_pivots_agree() -> None:
    """Sums of few squares, of which half lose a little: semidefinite with pivots 0, or not."""
    rng, seen = random.Random(5), list[bool]()
    for k in range(200):
        n, r = rng.randint(1, 7), rng.randint(0, 4)
        rows = [[Fraction(rng.randint(-3, 3), rng.randint(1, 5)) for _ in range(n)] for _ in range(r)]
        matrix = [[sum((v[i] * v[j] for v in rows), Fraction(0)) for j in range(n)] for i in range(n)]
        i = rng.randrange(n)
        matrix[i][i] -= Fraction(k % 2, 1000)
        seen.append(is_semidefinite(matrix))
        assert seen[-1] == rationals.is_semidefinite(matrix) and (seen[-1] or k % 2)
    assert seen.count(False) > 50 and not is_semidefinite([[Fraction(0), Fraction(1)], [Fraction(1), Fraction(5)]])


# paths ----------------------------------------------------------------------------------------------------------------
# the nodes 0 to 4: 0, 1, a variable x of [-1, 1], its square and x - x
NODES: list[Any] = [["const", "0"], ["const", "1"], ["var", 0], ["mul", 2, 2], ["sub", 2, 2]]
SQUARE: dict[str, Any] = {"sides": [[0, 3]], "proof": {"sums": [[1, 3]]}}
NOTHING: dict[str, Any] = {"sides": [[0, 0]], "proof": {"sums": [[1, 0]]}}
ONE_STEP = [{"steps": [[2, mask]], **SQUARE} for mask in (1, 2, 4)]
LONGER = [{"steps": [[2, 1], [3, mask]], **SQUARE} for mask in (4, 3)]
SHAPES: dict[str, tuple[list[Any], str]] = {  # paths of one cell, and what is said against them
    "no step": ([{"steps": [], **SQUARE}], ""),
    "every sign": (ONE_STEP, ""),
    "signs in two steps": ([*LONGER[:1], *ONE_STEP[1:]], ""),
    "a sign less": (ONE_STEP[:2], "a sign is left out"),
    "a sign less at first": ([{"steps": [[2, 3]], **SQUARE}], "a sign is left out"),
    "a sign less in the second step": (LONGER[1:] + ONE_STEP[1:], "a sign is left out"),
    "a path within another": ([*ONE_STEP, *LONGER[:1]], "a path goes on where another ends"),
    "a path twice": (ONE_STEP + ONE_STEP[:1], "a path goes on where another ends"),
    "two nodes at first": ([*ONE_STEP[:2], {"steps": [[3, 4]], **SQUARE}], "paths ask of different nodes"),
    "no sign": ([*ONE_STEP, {"steps": [[2, 0]], **SQUARE}], "a step without a sign"),
    "another sign": ([*ONE_STEP, {"steps": [[2, 8]], **SQUARE}], "a step without a sign"),
    "no path": ([], "there is no path"),
    "no sides": ([{"steps": [], "sides": [], "proof": {"sums": []}}], "a side, or the proof of it, is left out"),
    "a proof of no kind": (
        [{"steps": [], **SQUARE, "proof": {"sum": [[1, 0]]}}],
        "a side, or the proof of it, is left out",
    ),
    "sides that are 0": ([{"steps": [], **NOTHING}], "both sides are 0"),
    "sides that are 0, by boxes": (
        [{"steps": [], "sides": [[4, 4]], "proof": {"boxes": [[-1]], "scale": [], "corners": []}}],
        "both sides are 0",
    ),
    "sides that are 0, and a word of boxes": (
        [{"steps": [], "sides": [[0, 0]], "proof": {"by": ["each"], "parts": [{"sums": [[1, 0]]}], "boxes": []}}],
        "both sides are 0",
    ),
    "sides that are 0 on every path": ([{**path, **NOTHING} for path in ONE_STEP], "both sides are 0"),
    "a side that is not there": ([{"steps": [], **SQUARE, "sides": [[-1, 3]]}], "a node that is not there"),
    "where nothing is defined, each of no sides": (
        [*ONE_STEP[2:], {"steps": [[2, 3]], "sides": [], "undefined": "x", "proof": {"by": ["each"], "parts": []}}],
        "each of them says nothing",
    ),
    "a step that is not there": (
        [{"steps": [], "sides": [], "undefined": "x", "proof": {"against": [2, 1, 3]}}],
        "a step that is not there",
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_paths_leave_no_point_out(name: str) -> None:
    found, reason = SHAPES[name]
    cell = {"integers": [], "octaves": 1, "nodes": NODES, "ranges": [["-1", "1"]]}
    data = {"cells": [{**cell, "paths": [{"undefined": "", **path} for path in found]}]}
    if not reason:
        check_paths(data, Lines, {})
    else:
        with pytest.raises(Rejected, match=reason):
            check_others(data)
