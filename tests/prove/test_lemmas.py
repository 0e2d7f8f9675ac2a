"""Lemmas of a certificate by hand: on roots, exponentials and logarithms, and what is near them and false."""

from fractions import Fraction

import numpy as np
import pytest

from arubatheory import Instance, Sides, Statement
from arubatheory.prove.certificate import Unproved
from arubatheory.prove.check_cells import Lines, Rejected
from arubatheory.prove.check_paths import check_paths
from arubatheory.prove.paths import prove_paths
from arubatheory.prove.replay import objections

# x and y are the nodes 2 and 3; the last node of each list is said to be >= 0
LOGARITHMS = [["log", 2], ["log", 3], ["div", 2, 3], ["sub", 6, 1], ["sub", 4, 5], ["sub", 7, 8]]
EXPONENTIALS = [["exp", 2], ["exp", 3], ["sub", 2, 3], ["add", 1, 6], ["mul", 5, 7], ["sub", 4, 8]]
ROOTS = [["mul", 3, 3], ["add", 4, 1], ["sqrt", 5], ["sub", 6, 3]]
HALF, SIGNED = ["1/2", "2"], ["-1", "1"]


def tangent(q, over, under):
    return [9, {"tangent": [q, over, under]}]


def root(k, *pair):
    return [k, {"roots": [pair]}]


LEMMAS = {  # the range of x and y, nodes, a lemma, and what is said against it
    "logarithms": (HALF, LOGARITHMS, tangent(3, [4], [5]), ""),
    "exponentials": (SIGNED, EXPONENTIALS, tangent(1, [4], [5]), ""),
    "a root": (SIGNED, ROOTS, root(7, 1, 1), ""),
    "logarithms of what may be 0": (["0", "2"], LOGARITHMS, tangent(3, [4], [5]), "may be undefined"),
    "logarithms of what is negative": (["-2", "-1"], LOGARITHMS, tangent(3, [4], [5]), "may be undefined"),
    "logarithms the other way": (HALF, LOGARITHMS, tangent(3, [5], [4]), "identity"),
    "a difference the other way": (HALF, [*LOGARITHMS[:-1], ["sub", 8, 7]], tangent(3, [4], [5]), "identity"),
    "half of a ratio": (HALF, LOGARITHMS, tangent(3, [4], []), "identity"),
    "a square": (HALF, LOGARITHMS, tangent(3, [4, 4], [5]), "identity"),
    "no logarithm": (HALF, LOGARITHMS, tangent(3, [2], [3]), "no exponential"),
    "the logarithm of 1 as a number": (HALF, LOGARITHMS, tangent(3, [4], [1]), "no exponential"),
    "an exponential from the end": (SIGNED, EXPONENTIALS, tangent(1, [-8], [5]), "an operand"),
    "a logarithm from the end": (HALF, LOGARITHMS, tangent(3, [4], [-9]), "an operand"),
    "exponentials the other way": (SIGNED, EXPONENTIALS, tangent(1, [5], [4]), "identity"),
    "above a tangent": (SIGNED, [*EXPONENTIALS[:-1], ["sub", 8, 4]], tangent(1, [4], [5]), "identity"),
    "a factor 0": (SIGNED, ROOTS, root(7, 0, 0), "a factor may be 0"),
    "a number that is no difference of squares": (SIGNED, ROOTS, root(7, 1, 0), "identity"),
    "a root less": (SIGNED, [*ROOTS, ["sub", 0, 6], ["sub", 8, 3]], root(9, 1, 1), "may be negative"),
    "a variable less a root": (SIGNED, [*ROOTS[:-1], ["sub", 3, 6], ["sub", 0, 1]], root(7, 1, 8), "negative"),
    "the root of what may be negative": (SIGNED, [["sqrt", 3], ["sub", 4, 3]], root(5, 1, 1), "may be undefined"),
    "squares the other way": (
        ["0", "1"],
        [["add", 3, 1], ["sub", 3, 4], ["mul", 3, 3], ["mul", 4, 4], ["sub", 6, 7]],
        root(5, 1, 8),
        "may be negative",
    ),
    "a factor 0 of a tangent": (SIGNED, EXPONENTIALS, tangent(0, [4], [5]), "a factor may be 0"),
    "a factor of any sign": (SIGNED, EXPONENTIALS, tangent(2, [4], [5]), "a factor may be 0 or negative"),
    "another number than the divisor": (HALF, LOGARITHMS, tangent(1, [4], [5]), "identity"),
    "no difference": (SIGNED, ROOTS, root(6, 1, 1), "no difference"),
    "itself": (SIGNED, ROOTS, [7, {"sums": [[1, 7]]}], "may be negative"),
    "nothing": (SIGNED, ROOTS, [7, {"sums": []}], "shorter"),
    "a node that is not there": (SIGNED, ROOTS, root(-1, 1, 1), "not there"),
}


@pytest.mark.parametrize("name", LEMMAS)
def test_a_lemma_by_hand(name):
    """Three that are true, and what is near them and false or undefined."""
    span, nodes, lemma, reason = LEMMAS[name]
    path = {"steps": [], "sides": [[0, max(lemma[0], 0)]], "undefined": ""}
    path["proof"] = {"lemmas": [lemma], "sums": [[1, lemma[0]]]}
    nodes = [["const", "0"], ["const", "1"], ["var", 0], ["var", 1], *nodes]
    data = {"cells": [{"integers": [], "octaves": 1, "nodes": nodes, "ranges": [span, span], "paths": [path]}]}
    if reason:
        with pytest.raises((Rejected, ValueError), match=reason):
            check_paths(data, Lines, {})
    else:
        check_paths(data, Lines, {})
        path["proof"]["lemmas"] = []
        with pytest.raises(Rejected, match="a sum may be negative"):
            check_paths(data, Lines, {})


# what they prove ------------------------------------------------------------------------------------------------------
def projected(v):
    """The nearest point of the unit disc, by the square of the length."""
    square = (v * v).sum()
    return v if square <= 1 else v / np.sqrt(square)


def apart(x, y):
    return ((x - y) * (x - y)).sum()


def largest(i, c):
    """log-sum-exp and the largest of three numbers."""
    return Sides(np.log(np.exp(i.x).sum()) * c, max(i.x) * c + np.log(3 + 0 * i.x[0]))


CLAIMS = {  # numbers that are drawn, sides with a factor, one that makes them false
    "discs": (
        4,
        lambda i, c: Sides(c * apart(projected(i.x[:2]), projected(i.x[2:])), apart(i.x[:2], i.x[2:])),
        "1001",
    ),
    "the largest": (3, largest, "1001"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_is_proved_and_one_near_it_is_not(name):
    n, sides, other = CLAIMS[name]

    def claim(c):
        return Statement("toy:lemma", "claim", "x", lambda draw: Instance(x=draw.real(-2, 2, n)), lambda i: sides(i, c))

    proof = prove_paths(claim(1), 60)
    assert proof.extent == "in full" and objections(proof, claim(1)) == []
    false = claim(Fraction(other) / 1000)
    assert objections(proof, false)
    assert isinstance(prove_paths(false, 2), Unproved)


U = (Fraction(1, 100), Fraction(99, 100))


def relative(p, q):
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))


VARIATIONAL = {
    "Gibbs": lambda i: Sides(i.p * i.x - relative(i.p, i.q), np.log(i.q * np.exp(i.x) + 1 - i.q)),
    "the conjugate of entropy": lambda i: Sides(
        i.p * i.x - i.p * np.log(i.p) - (1 - i.p) * np.log(1 - i.p), np.log(np.exp(i.x) + 1)
    ),
    "Donsker and Varadhan": lambda i: Sides(
        i.p * i.x + (1 - i.p) * i.y, np.log(i.q * np.exp(i.x) + (1 - i.q) * np.exp(i.y)) + relative(i.p, i.q)
    ),
}


@pytest.mark.parametrize("name", VARIATIONAL)
def test_exponents_stand_in_ratios_as_logarithms_do(name):
    def instance(draw):
        return Instance(p=draw.real(*U), q=draw.real(*U), x=draw.real(-2, 2), y=draw.real(-2, 2))

    claim = Statement("toy:ratio", "claim", "x", instance, VARIATIONAL[name])
    proof = prove_paths(claim, 30)
    assert proof.extent == "in full" and objections(proof, claim) == []

    def false(i):
        s = VARIATIONAL[name](i)
        return Sides(s.lhs, s.rhs - Fraction(1, 1000))

    assert isinstance(prove_paths(Statement("toy:ratio", "claim", "x", instance, false), 2), Unproved)


def test_a_lemma_that_is_simplified_to_no_difference_is_none():
    r"""$e^{-1} \ge e^0(1 - 1)$ is no more than that $e^{-1}$ is positive; that it is at most 1/2 is needed."""

    def draw(draw):
        return Instance(x=draw.real(0, 1))

    claim = Statement("toy:inverse", "claim", "x", draw, lambda i: Sides(i.x * np.exp(-1 + 0 * i.x), i.x / 2))
    proof = prove_paths(claim, 30)
    assert proof.extent == "in full" and objections(proof, claim) == []


def test_a_lemma_about_what_is_0_on_a_path_is_none():
    r"""$p_1 > q_1$ and $p_2 > q_2$ leave no total variation V, of which a path says that it is positive."""

    def variation(i):
        V = (abs(i.p - i.q) + abs((1 - i.p) - (1 - i.q))) / 2
        return Sides(0 * V, -V * np.log(V) if V > 0 else 0 * V)

    claim = Statement("toy:variation", "claim", "x", lambda draw: Instance(p=draw.unit(), q=draw.unit()), variation)
    proof = prove_paths(claim, 30)
    assert proof.extent == "in full" and objections(proof, claim) == []
