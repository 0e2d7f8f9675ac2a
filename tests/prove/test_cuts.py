"""Gaps that are 0 at several points, or that fall again: ranges are cut, and what numbers are at a point is known."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from test_slopes import BOX, ONE, ZERO, Line, checked, claim

from arubatheory.prove.check_cells import Rejected
from arubatheory.prove.check_slopes import unary
from arubatheory.prove.paths import QUICK, prove_paths
from arubatheory.prove.program import Program, merged
from arubatheory.prove.replay import objections
from arubatheory.prove.slopes import Slopes
from arubatheory.prove.tracing import Cell

CHANCES = [(ONE / 100, 99 * ONE / 100)]


def bernstein(c):
    r"""$e^x \le 1 + x + (e - 2) x^2$ up to 1, behind Freedman's inequality: met at 0 and at 1."""
    return claim(
        "bernstein", [(-4, 1)], lambda x: c * np.exp(x) / 1000, lambda x: 1 + x + (np.exp(0 * x + 1) - 2) * x * x
    )


def entropy(p):
    return -p * np.log(p) - (1 - p) * np.log(1 - p)


def parabola(c):
    r"""$4 p (1 - p) \log 2$ is at most the entropy of a coin: met at 1/2, and nearly at the ends."""
    return claim("parabola", CHANCES, lambda p: c * p * (1 - p) * np.log(2 + 0 * p) / 250, entropy)


def moments(c):
    r"""Hoeffding's lemma: $\mathbb E\,e^{x (X - p)} \le e^{x^2/8}$ for a coin X of mean p."""
    bound = lambda p, x: np.exp(1000 * x * x / c)  # noqa: E731
    ranges = [(0, 1), (-3, 3)]
    return claim("moments", ranges, lambda p, x: p * np.exp((1 - p) * x) + (1 - p) * np.exp(-p * x), bound)


def found(statement):
    """Whether every path is proved from simpler claims, in six times as long as that takes."""
    cell = Cell(statement, [])
    paths = merged(cell.paths(9))
    return all(Slopes(cell.program, QUICK).reduced(path, time.process_time() + 6) for path in paths)


@pytest.mark.parametrize("family", [bernstein, parabola])
def test_a_gap_that_falls_again_is_proved_in_parts(family):
    proof = prove_paths(family(1000), 60)
    assert proof.extent == "in full" and '"cut"' in proof.text()
    assert objections(proof, family(1000)) == []
    assert objections(proof, family(1001))
    assert found(family(1000)) and not found(family(1001))


# forged certificates -------------------------------------------------------------------------------------------------
def cut(f, gap, i, q, parts):
    checked(f.p, [], [[f.zero, gap]], {"by": ["cut", i, q], "parts": parts})


def test_both_sides_of_a_cut_are_proved():
    f = Line()  # x^2, below 1/3 and above it
    cut(f, f.square, 0, "1/3", f.sums(f.square, f.square))
    for parts in (f.sums(f.square), f.sums(f.square, f.square, f.square), [], BOX):
        with pytest.raises(Rejected):
            cut(f, f.square, 0, "1/3", parts)


def test_what_holds_on_one_side_of_a_cut_is_not_said_of_the_other():
    f = Line()  # x >= 0 is true from 0 on
    with pytest.raises(Rejected, match="negative"):
        cut(f, f.x, 0, "0", f.sums(f.x, f.x))
    minus = f.p.binary("mul", f.p.number(-ONE), f.x)
    with pytest.raises(Rejected, match="negative"):
        cut(f, minus, 0, "0", f.sums(minus, minus))


@pytest.mark.parametrize("i, q", [(1, "0"), (-1, "0"), (True, "0"), ("0", "0"), (None, "0"), (0, "x"), (0, None)])
def test_a_cut_is_at_a_number_of_a_variable(i, q):
    f = Line()
    with pytest.raises(Rejected):
        cut(f, f.square, i, q, f.sums(f.square, f.square))


def test_of_two_exponentials_the_logarithms_are_compared_first():
    proof = prove_paths(moments(8000), 30)
    assert proof.extent == "in full" and '"logs"' in proof.text() and objections(proof, moments(8000)) == []
    assert objections(proof, moments(8008))


# numbers -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("op", ["sqrt", "log", "exp"])
def test_what_numbers_are_simplified_to_is_what_they_are(op):
    for q in (ZERO, ONE, Fraction(1, 4), Fraction(4, 9), Fraction(2, 9), Fraction(7, 2), Fraction(9), Fraction(1, 100)):
        if op != "log" or q > 0:
            p = Program()
            assert value(p, unary(p, op, p.number(q))) == pytest.approx(getattr(math, op)(q), rel=1e-15)


def test_logarithms_of_inverses_are_one_number_and_roots_of_squares_are_none():
    p = Program()
    assert p.nodes[unary(p, "log", p.number(Fraction(2, 5)))][0] == "mul"
    assert p.nodes[unary(p, "log", p.number(Fraction(5, 2)))] == ("log", p.number(Fraction(5, 2)))
    assert p.constant(unary(p, "sqrt", p.number(Fraction(9, 49)))) == Fraction(3, 7)
    assert p.constant(unary(p, "sqrt", p.number(Fraction(9, 50)))) is None
    for q in (-ONE, ZERO):
        assert p.nodes[unary(p, "log", p.number(q))] == ("log", p.number(q))
    assert p.nodes[unary(p, "sqrt", p.number(-ONE))] == ("sqrt", p.number(-ONE))


def value(p, n):
    """The float that a node without variables is."""
    op, *at = p.nodes[n]
    if op == "const":
        return float(at[0])
    return value(p, at[0]) * value(p, at[1]) if op == "mul" else getattr(math, op)(value(p, at[0]))
