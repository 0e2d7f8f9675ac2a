"""Sums of squares with multipliers, and lemmas on roots, exponentials and logarithms."""

import json
from fractions import Fraction

import numpy as np
import pytest

from arubatheory import Instance, Sides, Statement
from arubatheory.prove import paths
from arubatheory.prove.algebra import Leaf
from arubatheory.prove.certificate import Proof, Unproved, proof_of
from arubatheory.prove.check_certificate import Flawed, check
from arubatheory.prove.paths import MOST_CELLS, _tried, prove_paths
from arubatheory.prove.program import merged
from arubatheory.prove.replay import objections
from arubatheory.prove.squares import squares_of
from arubatheory.prove.tracing import Cell

F = Fraction


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A machine with other work takes longer."""
    monkeypatch.setattr(paths, "PATIENCE", 60)


def claim(instance, sides):
    return Statement(label="toy:squares", kind="claim", latex="x", instance=instance, sides=sides)


def pair(draw):
    return Instance(a=draw.real(-1, 1, 2), b=draw.real(-1, 1, 2))


def length(v):
    return np.sqrt((v * v).sum())


def projected_descent(rounds, factor):
    """Twice the regret of steps of length 1 on linear losses over [-1, 1], and what bounds it, times a factor."""

    def instance(draw):
        return Instance(g=draw.real(-1, 1, rounds), u=draw.real(-1, 1), x=draw.real(-1, 1))

    def sides(i):
        x, regret = i.x, 0
        for g in i.g:
            regret = regret + g * (x - i.u)
            x = min(max(x - g, -1), 1)
        return Sides(2 * regret, ((i.x - i.u) ** 2 + (i.g * i.g).sum()) * factor)

    return claim(instance, sides)


def roots_of_sums(factor):
    r"""$\sum_t a_t/\sqrt{a_{1:t}}\le2\sqrt{a_{1:3}}$, the lemma behind AdaGrad, with a factor on the right."""

    def sides(i):
        total, left = 0, 0
        for a in i.a:
            total = total + a
            if total == 0:
                return Sides(0, 1)
            left = left + a / np.sqrt(total)
        return Sides(left, 2 * np.sqrt(total) * factor)

    return claim(lambda draw: Instance(a=draw.real(0, 1, 3)), sides)


def scales(draw):
    return Instance(a=draw.unit(), s=draw.positive(-4, 4), r=draw.positive(-4, 4))


def motzkin(i):
    x, y = (v * v for v in i.a)
    return Sides(3 * x * y, x * x * y + x * y * y + 1)


TRUE = {
    "triangle": claim(pair, lambda i: Sides(length(i.a + i.b), length(i.a) + length(i.b))),
    "means": claim(scales, lambda i: Sides(2 * np.sqrt(i.s * i.r), i.s + i.r)),
    "difference of roots": claim(scales, lambda i: Sides((np.sqrt(i.a) - np.sqrt(i.s)) ** 2, abs(i.a - i.s))),
    "roots of sums": roots_of_sums(1),
    "variance": claim(
        lambda draw: Instance(a=draw.unit(4)), lambda i: Sides(4 * (i.a * i.a).sum() - i.a.sum() ** 2, 4)
    ),
    "Motzkin": claim(pair, motzkin),
    "descent": projected_descent(3, 1),
    "logarithm": claim(scales, lambda i: Sides(np.log(i.s), i.s - 1)),
    "logarithm of a ratio": claim(scales, lambda i: Sides(i.a / (i.a + i.s), np.log((i.a + i.s) / i.s))),
    "relative entropy": claim(scales, lambda i: Sides(i.s - i.r, i.s * (np.log(i.s) - np.log(i.r)))),
    "exponential": claim(pair, lambda i: Sides(1 + i.a[0], np.exp(i.a[0]))),
    "exponential at another point": claim(
        pair, lambda i: Sides(np.exp(i.b[0]) * (1 + i.a[0] - i.b[0]), np.exp(i.a[0]))
    ),
    "powers": claim(scales, lambda i: Sides((i.s + i.r) ** 0.5, i.s**0.5 + i.r**0.5)),
    "what no sign excludes": claim(
        lambda draw: Instance(p=draw.real(F(1, 4), F(3, 4))), lambda i: Sides(np.log(2 - 2 * i.p), 1 - 2 * i.p)
    ),
}
FALSE = {
    "triangle": claim(pair, lambda i: Sides(101 * length(i.a + i.b), 100 * (length(i.a) + length(i.b)))),
    "means": claim(scales, lambda i: Sides(2 * np.sqrt(i.s * i.r), (i.s + i.r) * F(999, 1000))),
    "the smaller root": claim(scales, lambda i: Sides(np.sqrt(i.s), i.s - i.r)),
    "roots of sums": roots_of_sums(F(2, 3)),  # 1 + 25/64 is attained
    "descent": projected_descent(2, F(99, 100)),
    "powers": claim(scales, lambda i: Sides((i.s + i.r) ** 1.5, i.s**1.5 + i.r**1.5)),
    "logarithm": claim(scales, lambda i: Sides(np.log(i.s), F(99, 100) * (i.s - 1))),
    "relative entropy": claim(scales, lambda i: Sides(i.r - i.s, i.s * (np.log(i.s) - np.log(i.r)))),
    "exponential": claim(pair, lambda i: Sides(1 + i.a[0] * F(101, 100), np.exp(i.a[0]))),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_proved(name):
    proof = prove_paths(TRUE[name], 60)
    assert isinstance(proof, Proof), proof
    assert proof.method == "algebra" and proof.shape["whole"]
    assert objections(proof_of(proof.to_json()), TRUE[name]) == []


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_not(name, monkeypatch):
    monkeypatch.setattr(paths, "PATIENCE", 2)
    assert isinstance(_tried(FALSE[name], np.inf, MOST_CELLS, None), Unproved)


@pytest.mark.parametrize("name", ["triangle", "relative entropy", "exponential at another point"])
def test_a_lemma_changed_is_seen(name):
    """Each number of each lemma, and its kind: the certificate is rejected, or another lemma proves as much."""
    text = prove_paths(TRUE[name], 60).text()
    lemmas = [path["proof"]["lemmas"] for path in json.loads(text)["data"]["cells"][0]["paths"]]
    assert all(lemmas)
    for path, lemma, place in [(p, k, j) for p, one in enumerate(lemmas) for k in range(len(one)) for j in range(4)]:
        for other in ("root", "log", "exp") if place == 0 else (-2, -1, 0, 10**6, None):
            data = json.loads(text)
            changed = data["data"]["cells"][0]["paths"][path]["proof"]["lemmas"][lemma]
            if changed[place] != other:
                changed[place] = other
                with pytest.raises(Flawed):
                    check(data)


def test_a_lemma_is_one_of_what_is_nonnegative():
    """x - y >= 0 does not follow from x^2 >= y^2 where x may be negative."""
    proof = json.loads(prove_paths(TRUE["triangle"], 60).text())
    cell = proof["data"]["cells"][0]
    nodes, path = cell["nodes"], cell["paths"][0]
    _, k, q, e = path["proof"]["lemmas"][-1]
    _, x, y = nodes[k]
    nodes += [["const", "-1"], ["mul", len(nodes), x], ["sub", len(nodes) + 1, y]]
    path["proof"]["lemmas"][-1] = ["root", len(nodes) - 1, q, e]
    with pytest.raises(Flawed, match="may be negative"):
        check(proof)


def test_squares_add_up_to_a_matrix():
    matrix = [[F(4), F(2), F(0)], [F(2), F(1), F(0)], [F(0), F(0), F(3)]]
    found = list(squares_of(matrix))
    assert [c for c, _ in found] == [4, 3]
    assert [[sum(c * v[i] * v[j] for c, v in found) for j in range(3)] for i in range(3)] == matrix


def test_without_a_solver_sums_are_sought_by_linear_programs(monkeypatch):
    monkeypatch.setattr("arubatheory.prove.algebra.squared", lambda *_: None)
    assert isinstance(prove_paths(TRUE["means"], 60), Proof)


def test_a_sum_that_is_another_polynomial_is_no_proof(monkeypatch):
    """Whatever proposes products, they are added up once more."""
    cell = Cell(TRUE["variance"], [])
    leaf = Leaf(cell.program, merged(cell.paths(9))[0])
    found = leaf.closed(np.inf)
    assert found is not None
    monkeypatch.setattr("arubatheory.prove.algebra.Candidates.solved", lambda *_: [])
    monkeypatch.setattr("arubatheory.prove.algebra.squared", lambda *_: [])
    assert Leaf(cell.program, merged(cell.paths(9))[0]).closed(np.inf) is None
