"""Claims about what meets a condition: a draw that is no instance has nothing to prove; and proofs by contradiction."""

from copy import deepcopy
from fractions import Fraction
from math import comb

import pytest

from arubatheory import Instance, NotAnInstance, Sides, Statement, log, sqrt
from arubatheory.prove.certificate import Unproved, proof_of
from arubatheory.prove.check_cells import ANY, NEGATIVE, Rejected
from arubatheory.prove.check_certificate import check
from arubatheory.prove.check_slopes import simpler
from arubatheory.prove.paths import prove_paths
from arubatheory.prove.program import Program
from arubatheory.prove.replay import objections

ONE = Fraction(1)


def claim(label, holds, lhs, rhs, high=9):
    """A claim about x of [0, high] and a, b of [0, 4] for which a condition holds."""

    def instance(draw):
        i = Instance(x=draw.real(0, high), a=draw.real(0, 4), b=draw.real(0, 4))
        if not holds(i):
            raise NotAnInstance("the condition does not hold")
        return i

    return Statement(f"my:{label}", "claim", "x", instance, lambda i: Sides(lhs(i), rhs(i)))


def quadratic(c=ONE):
    r"""$x^2 \le bx + a^2$ gives $x \le a + b$."""
    return claim("quadratic", lambda i: i.x**2 <= i.b * i.x + i.a**2, lambda i: i.x, lambda i: i.a + c * i.b)


def self_bounded(c=ONE):
    r"""$x \le a + b \sqrt x$ gives $x \le a + b^2 + b \sqrt a$."""
    bound = lambda i: i.a + i.b**2 + c * i.b * sqrt(i.a)  # noqa: E731
    return claim("self", lambda i: i.x <= i.a + i.b * sqrt(i.x), lambda i: i.x, bound, 40)


def telescoped(c=ONE):
    r"""$(b - a)/\sqrt b \le 2(\sqrt b - \sqrt a)$ for $a \le b$."""
    right = lambda i: 2 * c * (sqrt(i.b) - sqrt(i.a))  # noqa: E731
    return claim("telescoped", lambda i: i.a <= i.b > 0, lambda i: (i.b - i.a) / sqrt(i.b), right)


def logarithmic(c=ONE):
    r"""$(b - a)/b \le \log(b/a)$ for $0 < a \le b$."""
    return claim("log", lambda i: 0 < i.a <= i.b, lambda i: (i.b - i.a) / i.b, lambda i: c * log(i.b / i.a))


FAMILIES = [quadratic, self_bounded, telescoped, logarithmic]


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_no_instance_has_nothing_to_prove(family):
    proof = prove_paths(family(), 30)
    assert proof.extent == "in full" and proof.scope.endswith("every branch that is an instance of the claim")
    assert objections(proof, family()) == []
    wrong = family(Fraction(9, 10))
    assert objections(proof, wrong)
    found = prove_paths(wrong, 2)
    assert isinstance(found, Unproved) or found.extent != "in full"


def test_what_is_an_instance_cannot_be_declared_to_be_none():
    proof = prove_paths(quadratic(), 20)
    data = proof.to_json()
    check(data)
    for k, path in enumerate(data["data"]["cells"][0]["paths"]):
        changed = deepcopy(data)
        other = {**path, "sides": [], "undefined": None, "proof": {}}
        changed["data"]["cells"][0]["paths"][k] = other
        if path["undefined"] is not None:
            assert objections(proof_of(changed), quadratic())
        else:  # and what is none needs no proof, but is none
            changed["data"]["cells"][0]["paths"][k] = {**path, "undefined": "the condition does not hold"}
            with pytest.raises((Rejected, LookupError)):
                check(changed)
    del data["shape"]["outside"]
    assert "its scope is not that of its cells" in objections(proof_of(data), quadratic())
    data["shape"] |= {"outside": True, "dimension": "every"}
    assert objections(proof_of(data), quadratic()) == ["its scope is not that of its cells"]


def test_where_no_point_falls_paths_are_compared():
    """Of numbers over 2^24 none is a third."""

    def thin(left_out):
        def instance(draw):
            x = draw.unit()
            if left_out and x == ONE / 3:
                raise NotAnInstance("x is a third")
            return Instance(x=x)

        def sides(i):
            return Sides(i.x, i.x**2) if i.x == ONE / 3 else Sides(i.x**2, i.x)

        return Statement("my:thin", "claim", "x", instance, sides)

    proof = prove_paths(thin(True), 10)
    assert proof.extent == "in full" and objections(proof, thin(True)) == []
    assert objections(proof, thin(False)) == ["its paths are not those of the statement"]


def test_a_claim_without_an_instance_is_not_proved():
    found = prove_paths(claim("never", lambda i: i.x < 0, lambda i: i.x, lambda i: i.a), 1)
    assert isinstance(found, Unproved) and "nothing is an instance of the claim" in found.reason


def test_integers_that_make_no_instance_are_covered():
    def binomial(c=ONE):
        def instance(draw):
            n, k, p = draw.integer(0, 3), draw.integer(0, 3), draw.unit()
            if k > n:
                raise NotAnInstance("k is larger than n")
            return Instance(n=n, k=k, p=p)

        some = lambda i: comb(i.n, i.k) * i.p**i.k * (1 - i.p) ** (i.n - i.k)  # noqa: E731
        return Statement("my:binomial", "claim", "x", instance, lambda i: Sides(some(i), c))

    proof = prove_paths(binomial(), 20)
    assert proof.extent == "in full" and objections(proof, binomial()) == []
    part = prove_paths(binomial(ONE * 9 / 10), 5)
    assert part.extent != "in full" and all(n >= k for n, k in part.shape["integers"])
    data = proof.to_json()
    data["data"]["cells"] = [
        cell for cell in data["data"]["cells"] if all(path["undefined"] is None for path in cell["paths"])
    ]
    assert len(data["data"]["cells"]) == 6
    with pytest.raises(Rejected, match="instance"):
        check(data)


def test_an_error_without_a_message_is_not_taken_for_no_instance():
    def instance(draw):
        i = Instance(x=draw.unit())
        if i.x > Fraction(1, 2):
            raise ValueError
        return i

    bare = Statement("my:bare", "claim", "x", instance, lambda i: Sides(i.x, 1))
    assert isinstance(prove_paths(bare, 1), Unproved)


@pytest.mark.parametrize("small", [lambda x: not x > ONE / 2, lambda x: x <= ONE / 2])  # the first or the last path
def test_integers_after_a_condition_are_asked_of(small):
    def instance(draw):
        x = draw.unit()
        if not small(x):
            raise NotAnInstance("x is large")
        return Instance(x=x, n=draw.integer(1, 3))

    late = Statement("my:late", "claim", "x", instance, lambda i: Sides(i.x * (3 - i.n), 1))
    proof = prove_paths(late, 20)
    assert proof.extent == "in full" and objections(proof, late) == []
    assert sorted(proof.shape["integers"]) == [[1], [2], [3]]
    part = prove_paths(Statement("my:late", "claim", "x", instance, lambda i: Sides(i.x * i.n, 1)), 5)
    assert sorted(part.shape["integers"]) == [[1], [2]] and not part.shape["whole"]


def test_a_contradiction_is_one_of_the_gap_alone():
    p = Program()
    x, zero = p.variable(ONE, 2 * ONE, 0), p.number(0 * ONE)
    ((facts, sides),) = simpler(p, {}, [(zero, x)], "absurd")
    assert facts == {x: ANY & NEGATIVE} and sides == [(p.binary("mul", x, x), zero)]
    for pairs in ([], [(zero, x)] * 2):
        with pytest.raises(ValueError):
            simpler(p, {}, pairs, "absurd")
