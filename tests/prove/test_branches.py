"""False claims whose draws or values hang on a branch that a trace sees otherwise than a run: none may be proved."""

from fractions import Fraction as F

import numpy as np
import pytest

from arubatheory import Instance, Sides, Statement, largest_eigenvalue, sqrt
from arubatheory.arithmetic import Exact
from arubatheory.prove import provers
from arubatheory.prove.certificate import Unproved, proof_of
from arubatheory.prove.paths import prove_paths
from arubatheory.prove.replay import objections
from arubatheory.prove.second_look import Follower

CLAIMS = {}


def claim(draw, sides):
    """A claim about what is drawn, by the name of its sides."""
    name = sides.__name__
    CLAIMS[name] = Statement(f"my:{name}", "claim", name, lambda d: Instance(**draw(d)), sides)


def integers(d):
    """More integers are drawn where they are small."""
    x = d.real(-1, 1)
    n, m = (d.integer(0, 5), 0) if x > 0 else (d.integer(0, 1), d.integer(0, 1))
    return {"x": x, "n": n, "m": m}


def ranges(d):
    """A narrow branch in which the range is larger."""
    x = d.real(0, 1)
    return {"x": x, "y": d.real(0, 1) if x < F(3, 10) or x > F(31, 100) else d.real(0, 2)}


def scales(d):
    """The same of a scale."""
    x = d.unit()
    return {"x": x, "y": d.positive(-1, 0) if x < F(2, 5) or x > F(41, 100) else d.positive(-1, 1)}


def choices(d):
    """One more option on one side."""
    x = d.positive(-1, 1)
    return {"x": x, "eta": d.choice((F(1, 4), F(1, 2), F(1)) if x > 1 else (F(1, 4), F(1, 2)))}


def vector(d):
    """A number and a vector."""
    return {"x": d.real(0, 1), "v": d.real(0, 1, 2)}


def square(d):
    """A symmetric matrix."""
    a, b, c = d.real(F(-2, 5), F(2, 5), 3)
    return {"A": d.array([[a, b, c], [b, c, a], [c, a, b]])}


def integer(i):
    return Sides(i.n, 1 + i.x * i.x)


def larger_range(i):
    return Sides(i.y, 1)


def larger_scale(i):
    return Sides(i.y, 1 + 0 * i.x)


def undecided(i):
    root = sqrt(i.y + 3 + i.x**3)
    return Sides(i.y if root * root >= i.y + 3 + i.x**3 else 0 * i.y, 1)


def option(i):
    return Sides(i.eta + 0 * i.x, F(1, 2) + i.x / 100)


def equal_to_an_array(i):
    return Sides(int(np.sum(i.x == i.v)), i.v[0])


def unequal_to_an_array(i):
    return Sides(2 - int(np.sum(i.x != i.v)), i.v[0])


def equal_to_a_float(i):
    window = F(3, 10) < i.x < F(31, 100)
    return Sides(1 + i.x, 1) if window and i.x == 0.3046875 else Sides(i.x, 1)


def guarded(i):
    try:
        return Sides(max(1, largest_eigenvalue(i.A)), 1 + i.A[0, 0] ** 2)
    except ArithmeticError:
        return Sides(1, 1 + i.A[0, 0] ** 2)


KEPT = {}


def cached(i):
    if not F(3, 10) < i.x < F(31, 100):
        return Sides(i.x, 1)
    try:
        return Sides(KEPT.setdefault(i.x, 1 + i.x), 1)
    except Exception:
        return Sides(i.x, 1)


claim(integers, integer)
claim(ranges, larger_range)
claim(ranges, undecided)
claim(scales, larger_scale)
claim(choices, option)
claim(vector, equal_to_an_array)
claim(vector, unequal_to_an_array)
claim(vector, equal_to_a_float)
claim(square, guarded)
claim(vector, cached)


@pytest.mark.parametrize("name", CLAIMS)
def test_what_hangs_on_a_branch_is_not_proved(name):
    """Of integers, those that every branch draws may be named: nothing is false of them."""
    found = prove_paths(CLAIMS[name], 2.0)
    if name in ("integer", "option"):
        assert not found.shape["whole"]
        whole = found._replace(shape={**found.shape, "whole": True})
        assert any("does not cover the whole" in wrong for wrong in objections(whole, CLAIMS[name]))
    else:
        assert isinstance(found, Unproved), found.scope


def test_answers_that_differ_from_branch_to_branch_have_no_scope():
    """The first integer is a size of 2 here, and an option of 0 there; both can only be 1."""

    def instance(d):
        x = d.real(-1, 1)
        return Instance(x=x, n=d.size("n", 4) if x > 0 else d.choice((0, 1)))

    found = prove_paths(Statement("my:kinds", "claim", "x", instance, lambda i: Sides(i.n, 2 + i.x**2)), 2.0)
    assert not found.shape["whole"] and found.shape["integers"] == [[1]]


@pytest.mark.parametrize("options", [2, 3], ids=["as many", "more"])
def test_integers_of_a_branch_may_be_fewer(options):
    """A branch that ends early, or draws nothing more, leaves no answer out."""

    def instance(d):
        x = d.real(-1, 1)
        return Instance(x=x, n=d.integer(0, options) if x > 0 else 0)

    claim = Statement("my:fewer", "claim", "x", instance, lambda i: Sides(i.n * i.x, options * abs(i.x)))
    found = prove_paths(claim, 5.0)
    assert not isinstance(found, Unproved)
    assert found.shape["whole"] and len(found.shape["integers"]) == options + 1
    assert not objections(proof_of(found.to_json()), claim)


def test_a_certificate_of_which_no_point_is_decided_is_not_taken(monkeypatch):
    """A run that ends undecided at every point compares nothing."""
    i = lambda d: Instance(x=d.real(0, 1))  # noqa: E731
    claim = Statement("my:seen", "claim", "x", i, lambda i: Sides(i.x**2, i.x))
    found = prove_paths(claim, 5.0)
    assert not objections(found, claim)

    def undecided(self, *_, **__):
        from arubatheory.arithmetic import Undecided

        raise Undecided("x < x")

    monkeypatch.setattr(Follower, "_fractions", undecided)
    assert objections(found, claim) == ["at none of some points the statement is decided"]


def test_an_exact_number_is_compared_with_each_entry_of_an_array():
    x, v = Exact(1), np.array([Exact(1), Exact(2)], dtype=object)
    assert (x == v).tolist() == [True, False] and (x != v).tolist() == [False, True]
    assert x != "1" and not x == "1"


def test_a_proof_of_the_whole_is_not_believed_where_a_draw_refutes_the_claim(monkeypatch):
    """Were certificate and second look both taken in, as by a prover that proves anything."""
    claim = Statement("my:seen", "claim", "x", lambda d: Instance(x=d.real(0, 2)), lambda i: Sides(i.x**2, i.x))
    true = Statement("my:seen", "claim", "x", lambda d: Instance(x=d.real(0, 1)), lambda i: Sides(i.x**2, i.x))
    made = prove_paths(true, 5.0)
    monkeypatch.setitem(provers.PROVERS, "paths", lambda statement, seconds: made)
    monkeypatch.setattr(provers, "objections", lambda proof, statement: [])
    assert provers.prove(true, 5, ["paths"])[0] == [made]
    assert provers.prove(claim, 5, ["paths"]) == ([], ["paths: its certificate is rejected: a draw refutes the claim"])
