"""Divergences of coins: what is proved of them, and the rules that it needs."""

from fractions import Fraction

import numpy as np
import pytest
from test_cuts import found
from test_slopes import ONE, Line, checked, claim

from arubatheory.kernel import compiled
from arubatheory.prove.check_cells import ANY, POSITIVE, ZERO, Rejected
from arubatheory.prove.check_slopes import unary
from arubatheory.prove.paths import prove_paths
from arubatheory.prove.program import Program
from arubatheory.prove.replay import objections

COINS = [(1, 15)] * 2


def kl(p, q):
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))


def affinity(p, q):
    return np.sqrt(p * q) + np.sqrt((1 - p) * (1 - q))


def divergence(name, left, right):
    """left <= right for coins of 1/16 to 15/16; twice as much is the most that holds near p = q."""
    return lambda c: claim(
        name, COINS, lambda p, q: c * left(p / 16, q / 16) / 1000, lambda p, q: right(p / 16, q / 16)
    )


hellinger = divergence("hellinger", lambda p, q: 2 - 2 * affinity(p, q), kl)
renyi = divergence("renyi", lambda p, q: -2 * np.log(affinity(p, q)), kl)
bretagnolle_huber = divergence("bretagnolle", lambda p, q: (p - q) ** 2, lambda p, q: 1 - np.exp(-kl(p, q)))


@pytest.mark.skipif(not compiled(), reason="tens of thousands of boxes, one by one")
@pytest.mark.parametrize("family", [hellinger, renyi, bretagnolle_huber], ids=["Hellinger", "Renyi", "Huber"])
def test_what_relative_entropy_bounds_is_proved_and_no_more(family):
    proof = prove_paths(family(1000), 60)
    assert getattr(proof, "extent", proof) == "in full"
    assert objections(proof, family(1000)) == []
    assert objections(proof, family(1001))
    assert found(family(1000)) and not found(family(2010))


def ranged(name, ranges, left, right):
    return lambda c: claim(name, ranges, lambda *x: c * left(*x) / 1000, right)


CHANCES, NUMBERS = [(ONE / 100, 99 * ONE / 100)] * 2, [(ONE / 100, 100)] * 2
MEANS = {
    "affinity": ranged("affinity", CHANCES, affinity, lambda p, q: 1 + 0 * p),
    "Hellinger": ranged("hellinger", CHANCES, lambda p, q: 2 - 2 * affinity(p, q), kl),
    "harmonic": ranged("harmonic", NUMBERS, lambda a, b: 2 * a * b / (a + b), lambda a, b: np.sqrt(a * b)),
    "negative": ranged("negative", [(-2, -1)] * 2, lambda a, b: np.sqrt(a * b), lambda a, b: -(a + b) / 2),
}


@pytest.mark.parametrize("family", MEANS.values(), ids=MEANS)
def test_a_root_of_a_product_is_at_most_the_mean(family):
    proof = prove_paths(family(1000), 60)
    assert getattr(proof, "extent", proof) == "in full"
    assert objections(proof, family(1000)) == []
    assert objections(proof, family(1001 if family is not MEANS["Hellinger"] else 2010))


def test_a_root_of_a_product_is_not_at_most_a_mean_that_is_negative():
    """Of the prover: the checker would reject the lemma."""
    below = ranged("negative", [(-2, -1)] * 2, lambda a, b: np.sqrt(a * b), lambda a, b: (a + b) / 2)
    assert not hasattr(prove_paths(below(1000), 0.5), "scope")


# signs ---------------------------------------------------------------------------------------------------------------
def program_of(*ranges):
    program = Program()
    return program, [program.variable(Fraction(low), Fraction(high), i) for i, (low, high) in enumerate(ranges)]


@pytest.mark.parametrize(
    "factors, end, signs",
    [
        ([("div", 16)], 1, POSITIVE),
        ([("div", 15)], 1, POSITIVE | ZERO),
        ([("div", 14)], 1, ANY),
        ([("mul", 2), ("div", -16)], 0, POSITIVE),
        ([("mul", -2), ("mul", -3)], 90, POSITIVE | ZERO),
        ([("mul", -1)], -1, POSITIVE | ZERO),
    ],
)
def test_a_number_less_a_multiple_of_a_variable_has_the_signs_of_its_range(factors, end, signs):
    program, (x,) = program_of((1, 15))
    for op, factor in factors:
        x = program.node(op, x, program.number(Fraction(factor)))
    assert program.sign_at(program.node("sub", program.number(Fraction(end)), x), {}, {}) == signs


def test_a_number_divided_by_a_variable_is_no_multiple_of_it():
    program, (x,) = program_of((1, 15))
    over = program.node("div", program.number(ONE), x)
    assert program.sign_at(program.node("sub", program.number(Fraction(1, 15)), over), {}, {}) == ANY
    assert program.ends(program.node("div", x, program.number(0 * ONE))) is None


def test_what_a_path_says_of_a_multiple_counts_beside_its_range():
    program, (x, y) = program_of((-1, 1), (-1, 1))
    half = program.node("div", x, program.number(2 * ONE))
    both = program.node("add", half, y)
    assert program.sign_at(both, {}, {}) == ANY
    assert program.sign_at(both, {x: POSITIVE, y: POSITIVE | ZERO}, {}) == POSITIVE


def test_the_root_of_a_square_is_what_is_not_negative():
    program, (x, y) = program_of((0, 15), (-1, 15))
    for a in (x, program.binary("sub", program.number(ONE), program.binary("div", x, program.number(16 * ONE)))):
        assert unary(program, "sqrt", program.node("mul", a, a)) == a
    below = program.binary("div", x, program.binary("sub", x, program.number(20 * ONE)))
    for a in (y, below, program.binary("div", x, y)):  # x / y may have no value, and x / (x - 20) is negative
        assert program.nodes[unary(program, "sqrt", program.node("mul", a, a))][0] == "sqrt"


# forged certificates -------------------------------------------------------------------------------------------------
def other_sides(f, left, right, pairs=1):
    checked(f.p, [], [[f.zero, f.square]] * pairs, {"by": ["sides", left, right], "parts": f.sums(f.square)})


def test_other_sides_have_the_same_gap():
    f = Line()  # 0 <= x^2
    x_and_square = f.p.binary("add", f.x, f.square)
    for left, right in ((f.zero, f.square), (f.x, x_and_square)):
        other_sides(f, left, right)
    for left, right in ((f.square, f.zero), (f.zero, f.x), (x_and_square, f.x), (f.x, f.square)):
        with pytest.raises(Rejected, match="another gap"):
            other_sides(f, left, right)


def test_other_sides_are_defined_and_those_of_one_claim():
    f = Line()
    pole = f.p.node("div", f.p.number(ONE), f.x)
    with pytest.raises(Rejected, match="may be undefined"):
        other_sides(f, pole, f.p.binary("add", pole, f.square))
    with pytest.raises(Rejected, match="too many values"):
        other_sides(f, f.zero, f.square, pairs=2)
