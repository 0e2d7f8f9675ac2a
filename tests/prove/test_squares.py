"""Sums of squares with multipliers, and lemmas on roots, exponentials and logarithms."""

import json
from fractions import Fraction
from functools import cache, partial, reduce
from operator import getitem

import numpy as np
import pytest

from arubatheory import Instance, Sides, Statement
from arubatheory.prove import paths, second_look
from arubatheory.prove.algebra import Leaf
from arubatheory.prove.certificate import Proof, Unproved, proof_of
from arubatheory.prove.check_cells import Rejected
from arubatheory.prove.check_certificate import check
from arubatheory.prove.limits import within
from arubatheory.prove.paths import MOST_CELLS, _tried
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


def optimistic(factor):
    """A step of any length in [0, 1], from where a guess of the slope leads, and what bounds its regret."""

    def instance(draw):
        x, u = draw.unit(2)
        return Instance(x=x, u=u, g=draw.real(-1, 1), guess=draw.real(-1, 1), eta=draw.positive(-4, 4))

    def sides(i):
        at, after = (min(max(i.x - i.eta * slope, 0), 1) for slope in (i.guess, i.g))
        bound = ((i.x - i.u) ** 2 - (after - i.u) ** 2) / (2 * i.eta) + i.eta * (i.g - i.guess) ** 2 / 2
        return Sides(i.g * (at - i.u), bound * factor)

    return claim(instance, sides)


def free_descent(rounds, factor):
    r"""Regret of steps of any length $\eta$ on linear losses over [-1, 1], from anywhere, and what bounds it."""

    def instance(draw):
        return Instance(g=draw.real(-1, 1, rounds), u=draw.real(-1, 1), x=draw.real(-1, 1), eta=draw.positive(-4, 4))

    def sides(i):
        x, regret = i.x, 0
        for g in i.g:
            regret = regret + g * (x - i.u)
            x = min(max(x - i.eta * g, -1), 1)
        return Sides(regret, ((i.x - i.u) ** 2 / (2 * i.eta) + i.eta * (i.g * i.g).sum() / 2) * factor)

    return claim(instance, sides)


def leading(rounds, factor):
    """Be the leader on squares with free weights, and any comparator, times a factor."""

    def instance(draw):
        return Instance(w=draw.positive(-4, 4, rounds), z=draw.real(-1, 1, rounds), u=draw.real(-1, 1))

    def sides(i):
        whole, total, left, right = 0, 0, 0, 0
        for w, z in zip(i.w, i.z, strict=True):
            whole, total = whole + w, total + w * z
            left, right = left + w * (total / whole - z) ** 2, right + w * (i.u - z) ** 2
        return Sides(left, right * factor)

    return claim(instance, sides)


def huber(x):
    return x * x / 2 if abs(x) <= 1 else abs(x) - F(1, 2)


def mixed(more):
    """Huber's loss is convex; with a little more on the left it is not."""

    def sides(i):
        (x, y), t = i.a, i.t
        return Sides(huber((1 - t) * x + t * y) + more * t, (1 - t) * huber(x) + t * huber(y))

    return claim(lambda draw: Instance(a=draw.real(-4, 4, 2), t=draw.unit()), sides)


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


def signed(draw):
    return Instance(a=draw.real(-1, 1))


def nowhere(draw):
    """Every path ends in an error: there is no instance, and no proof of anything."""
    a = draw.real(-1, 1)
    if a * a >= 0:
        raise ValueError("no instance")
    return Instance(a=a)


def motzkin(i):
    x, y = (v * v for v in i.a)
    return Sides(3 * x * y, x * x * y + x * y * y + 1)


def chances(draw):
    return Instance(p=draw.real(F(1, 64), F(63, 64)), q=draw.real(F(1, 64), F(63, 64)), two=draw.number(2))


def units(draw):
    return Instance(p=draw.real(0, 1), q=draw.real(0, 1))


def hellinger(p, q):
    return (np.sqrt(p) - np.sqrt(q)) ** 2 + (np.sqrt(1 - p) - np.sqrt(1 - q)) ** 2


def divergence(p, q):
    return p * (np.log(p) - np.log(q)) + (1 - p) * (np.log(1 - p) - np.log(1 - q))


def inner(draw):
    return Instance(p=draw.real(F(1, 10), F(9, 10)), q=draw.real(F(1, 10), F(9, 10)))


def of_ratios(p, q):
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))


def to_the_ends(draw):
    return Instance(p=draw.real(0, 1), q=draw.real(1, 7) / 8)


def chi_squared(i, factor=1):
    """Of binary distributions, where p may be certain."""
    first = i.p * np.log(i.p / i.q) if i.p > 0 else 0 * i.p
    second = (1 - i.p) * np.log((1 - i.p) / (1 - i.q)) if i.p < 1 else 0 * i.p
    return Sides(first + second, factor * (i.p - i.q) ** 2 / (i.q * (1 - i.q)))


def log_of_chi(factor):
    return lambda i: Sides(of_ratios(i.p, i.q), factor * np.log(1 + (i.p - i.q) ** 2 / (i.q * (1 - i.q))))


def second_order(factor):
    return lambda i: Sides(of_ratios(i.p, i.q), factor * np.log(i.p**2 / i.q + (1 - i.p) ** 2 / (1 - i.q)))


def entropy(less):
    return lambda i: Sides(-i.p * np.log(i.p) - (1 - i.p) * np.log(1 - i.p), np.log(i.two) - less)


def log_sum(factor):
    def sides(i):
        a, b, c, d = i.a
        whole = (a + c) * (np.log(a + c) - np.log(b + d)) * factor
        return Sides(whole, a * (np.log(a) - np.log(b)) + c * (np.log(c) - np.log(d)))

    return claim(lambda draw: Instance(a=draw.positive(-4, 4, 4)), sides)


def tuned(factor):
    r"""$2\sqrt{ab} \le a/\eta + b\eta$."""
    return claim(
        lambda draw: Instance(a=draw.positive(-4, 4, 3)),
        lambda i: Sides(2 * np.sqrt(i.a[0] * i.a[1]), (i.a[0] / i.a[2] + i.a[1] * i.a[2]) * factor),
    )


def jensen(sign):
    return claim(
        lambda draw: Instance(a=draw.positive(-4, 4, 2)),
        lambda i: Sides(sign * np.log(i.a).sum() / 2, sign * np.log(i.a.sum() / 2)),
    )


def running(factor):
    r"""$\sum_t a_t/(1+a_{1:t}) \le \log(1+a_{1:3})$, behind online Newton steps, with a factor on the right."""

    def sides(i):
        total, left = i.one, 0
        for a in i.a:
            total = total + a
            left = left + a / total
        return Sides(left, np.log(total) * factor)

    return claim(lambda draw: Instance(a=draw.real(0, 1, 3), one=draw.number(1)), sides)


def chord(sign):
    r"""$e^{xy} \le \frac{1-x}2 e^{-y} + \frac{1+x}2 e^y$, the lemma behind Hoeffding's."""

    def sides(i):
        x, y = i.a
        return Sides(sign * np.exp(x * y), sign * ((1 - x) / 2 * np.exp(-y) + (1 + x) / 2 * np.exp(y)))

    return claim(lambda draw: Instance(a=draw.real(-1, 1, 2)), sides)


TRUE = {
    "optimistic": optimistic(1),
    "running sums": running(1),
    "free descent": free_descent(3, 1),
    "be the leader": leading(3, 1),
    "Huber": mixed(0),
    "chord": chord(1),
    "entropy": claim(chances, entropy(0)),
    "divergence": claim(chances, lambda i: Sides(0, divergence(i.p, i.q))),
    "divergence and chi squared": claim(
        chances, lambda i: Sides(divergence(i.p, i.q), (i.p - i.q) ** 2 / (i.q * (1 - i.q)))
    ),
    "divergence and chi squared to the ends": claim(to_the_ends, chi_squared),
    "divergence and the logarithm of chi squared": claim(inner, log_of_chi(1)),
    "divergence of order 2": claim(inner, second_order(1)),
    "logarithms of sums": log_sum(1),
    "the logarithm is concave": jensen(1),
    "tuned": tuned(1),
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
    "Hellinger and total variation": claim(units, lambda i: Sides(hellinger(i.p, i.q), 2 * abs(i.p - i.q))),
    "a difference that is not 0": claim(
        lambda draw: Instance(p=draw.real(F(1, 100), F(99, 100)), q=draw.real(F(1, 100), F(99, 100))),
        lambda i: Sides((i.p - i.q) ** 2 / (i.p + i.q) + (i.p - i.q) ** 2 / (2 - i.p - i.q), 2 * abs(i.p - i.q)),
    ),
    "factors": claim(units, lambda i: Sides(np.exp(i.p) * i.q**2 * i.p**2, np.exp(i.p) * i.q**2 * i.p)),
    "what no sign excludes": claim(
        lambda draw: Instance(p=draw.real(F(1, 4), F(3, 4))), lambda i: Sides(np.log(2 - 2 * i.p), 1 - 2 * i.p)
    ),
}
proved = cache(lambda name: _tried(TRUE[name], 60, MOST_CELLS, None))  # by algebra, however fast slopes would be
FALSE = {
    "running sums": running(F(9, 10)),
    "free descent": free_descent(2, F(99, 100)),
    "be the leader": leading(2, F(999, 1000)),
    "Huber": mixed(F(1, 100)),
    "chord": chord(-1),
    "entropy": claim(chances, entropy(F(1, 1 << 100))),  # at 1/2 alone
    "divergence": claim(chances, lambda i: Sides(F(1, 1 << 100), divergence(i.p, i.q))),
    "divergence the other way": claim(chances, lambda i: Sides(divergence(i.p, i.q), (i.p - i.q) ** 2 * 4)),
    "divergence and the logarithm of chi squared": claim(inner, log_of_chi(F(83, 100))),
    "divergence of order 2": claim(inner, second_order(F(83, 100))),
    "less of chi squared to the ends": claim(to_the_ends, lambda i: chi_squared(i, F(9, 10))),
    "logarithms of sums": log_sum(F(101, 100)),
    "the logarithm is concave": jensen(-1),
    "tuned": tuned(F(999, 1000)),
    "a logarithm of 0": claim(lambda draw: Instance(a=draw.unit()), lambda i: Sides(np.log(i.a), i.a - 1)),
    "the logarithm of a negative number": claim(signed, lambda i: Sides(np.log(i.a), i.a * i.a)),
    "0 over 0": claim(signed, lambda i: Sides(i.a, i.a * i.a / i.a)),
    "over a square": claim(signed, lambda i: Sides(1, 1 / (i.a * i.a))),
    "the root of a square": claim(signed, lambda i: Sides(np.sqrt(i.a * i.a), i.a)),
    "a root of what may be negative": claim(signed, lambda i: Sides(0, np.sqrt(i.a) + 1)),
    "weak where strict": claim(scales, lambda i: Sides(np.log(i.s), i.s - 1 - F(1, 1 << 100))),
    "a tangent that is too high": claim(signed, lambda i: Sides(1 + i.a + F(1, 1 << 100), np.exp(i.a))),
    "at 0 alone": claim(signed, lambda i: Sides(1 + i.a, np.exp(i.a)) if i.a != 0 else Sides(1 + i.a * i.a, i.a)),
    "a hypothesis that says nothing": claim(pair, lambda i: Sides(i.a[0], i.b[0] * (1 if i.a[1] > i.b[1] else 2))),
    "less of total variation": claim(units, lambda i: Sides(hellinger(i.p, i.q), F(9, 5) * abs(i.p - i.q))),
    "two factors of one sign": claim(units, lambda i: Sides(np.exp(i.p) * i.q * (1 - i.p), 0)),
    "roots the other way": claim(pair, lambda i: Sides(length(i.a) + length(i.b), length(i.a + i.b))),
    "nothing is drawn": claim(nowhere, lambda i: Sides(i.a, i.a * i.a)),
    "triangle": claim(pair, lambda i: Sides(101 * length(i.a + i.b), 100 * (length(i.a) + length(i.b)))),
    "means": claim(scales, lambda i: Sides(2 * np.sqrt(i.s * i.r), (i.s + i.r) * F(999, 1000))),
    "the smaller root": claim(scales, lambda i: Sides(np.sqrt(i.s), i.s - i.r)),
    "roots of sums": roots_of_sums(F(2, 3)),  # 1 + 25/64 is attained
    "descent": projected_descent(2, F(99, 100)),
    "optimistic": optimistic(F(99, 100)),
    "powers": claim(scales, lambda i: Sides((i.s + i.r) ** 1.5, i.s**1.5 + i.r**1.5)),
    "logarithm": claim(scales, lambda i: Sides(np.log(i.s), F(99, 100) * (i.s - 1))),
    "relative entropy": claim(scales, lambda i: Sides(i.r - i.s, i.s * (np.log(i.s) - np.log(i.r)))),
    "exponential": claim(pair, lambda i: Sides(1 + i.a[0] * F(101, 100), np.exp(i.a[0]))),
}
# Seconds, a quarter of them for a path: what is near these and true is proved with half of that.
SECONDS = {"Huber": 6.0}
SECONDS |= dict.fromkeys(("entropy", "divergence", "logarithm", "relative entropy", "exponential"), 0.8)
SECONDS |= dict.fromkeys(("weak where strict", "less of total variation", "a tangent that is too high"), 0.8)


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_proved(name):
    proof = proved(name)
    assert isinstance(proof, Proof) and proof.method == "algebra" and proof.shape["whole"], proof
    assert objections(proof_of(proof.to_json()), TRUE[name]) == []


def test_a_copy_of_a_process_that_has_solved_waits_for_none_of_its_threads():
    tried = partial(_tried, TRUE["be the leader"], most=MOST_CELLS, octaves=None)
    tried(60)
    assert isinstance(within(30, tried), Proof)


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_not(name, monkeypatch):
    monkeypatch.setattr(paths, "PATIENCE", SECONDS.get(name, 1.2) / 4)
    assert isinstance(_tried(FALSE[name], SECONDS.get(name, 1.2), MOST_CELLS, None), Unproved)


@pytest.mark.parametrize("name", ["triangle", "relative entropy", "exponential at another point", "entropy"])
def test_a_lemma_changed_is_seen(name):
    """Each number of each lemma and of its proof, and its kind: the certificate is rejected."""
    text = proved(name).text()
    lemmas = [path["proof"]["lemmas"] for path in json.loads(text)["data"]["cells"][0]["paths"]]
    assert all(lemmas)
    for path, lemma in [(p, k) for p, one in enumerate(lemmas) for k in range(len(one))]:
        for *where, last in places(lemmas[path][lemma]):
            for other in ("roots", "logs", "each", -2, -1, 0, 10**6, None, []):
                data = json.loads(text)
                changed = reduce(getitem, where, data["data"]["cells"][0]["paths"][path]["proof"]["lemmas"][lemma])
                if changed[last] != other:
                    changed[last] = other
                    with pytest.raises(Rejected):
                        check(data)


def places(value, at=()):
    """Where the entries of nested lists and dictionaries are."""
    for k, entry in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*at, k)
        yield from places(entry, (*at, k)) if isinstance(entry, dict | list) else ()


@pytest.mark.parametrize("side", [1, 2])
@pytest.mark.parametrize("more", [True, False])
def test_a_lemma_on_logarithms_holds_all_of_them(side, more):
    """One logarithm more, or one less, in the product or below it."""
    proof = json.loads(proved("logarithms of sums").text())
    for path in proof["data"]["cells"][0]["paths"]:
        for _, proof_of_it in path["proof"]["lemmas"]:
            tangent = proof_of_it["tangent"]
            tangent[side] = tangent[side] + (tangent[1] + tangent[2])[:1] if more else tangent[side][1:]
    with pytest.raises(Rejected):
        check(proof)


def test_a_lemma_is_one_of_what_is_nonnegative():
    """x - y >= 0 does not follow from x^2 >= y^2 where x may be negative."""
    proof = json.loads(proved("triangle").text())
    cell = proof["data"]["cells"][0]
    nodes, path = cell["nodes"], cell["paths"][0]
    k, lemma = path["proof"]["lemmas"][-1]
    _, x, y = nodes[k]
    nodes += [["const", "-1"], ["mul", len(nodes), x], ["sub", len(nodes) + 1, y]]
    path["proof"]["lemmas"][-1] = [len(nodes) - 1, lemma]
    with pytest.raises(Rejected, match="what is squared may be negative"):
        check(proof)


def test_squares_add_up_to_a_matrix():
    matrix = [[F(4), F(2), F(0)], [F(2), F(1), F(0)], [F(0), F(0), F(3)]]
    found = list(squares_of(matrix))
    assert [c for c, _ in found] == [4, 3]
    assert [[sum(c * v[i] * v[j] for c, v in found) for j in range(3)] for i in range(3)] == matrix


def test_without_a_solver_sums_are_sought_by_linear_programs(monkeypatch):
    monkeypatch.setattr("arubatheory.prove.algebra.squared", lambda *_: None)
    assert isinstance(_tried(TRUE["means"], 60, MOST_CELLS, None), Proof)


def test_a_sum_that_is_another_polynomial_is_no_proof(monkeypatch):
    """Whatever proposes products, they are added up once more."""
    cell = Cell(TRUE["variance"], [])
    leaf = Leaf(cell.program, merged(cell.paths(9))[0])
    assert leaf.closed(np.inf) is not None
    monkeypatch.setattr("arubatheory.prove.algebra.Candidates.solved", lambda *_: [])
    monkeypatch.setattr("arubatheory.prove.algebra.squared", lambda *_: [])
    assert Leaf(cell.program, merged(cell.paths(9))[0]).closed(np.inf) is None


def test_sides_that_are_one_node_may_be_too_large_to_look_at():
    """rhs - lhs is 0 before anything is expanded; whether the sides are, is not known."""
    large = claim(lambda draw: Instance(a=draw.real(-1, 1, 12)), lambda i: Sides(i.a.sum() ** 16, i.a.sum() ** 16))
    found = _tried(large, np.inf, 1, None)
    assert isinstance(found, Unproved) and "whether a side is not 0 is not known" in found.reason


def test_a_program_that_is_undefined_at_a_point_is_not_that_of_the_claim(monkeypatch):
    """With another end of a range than the claim's, its draws are read as no values of variables: an objection,
    where no point before has told already."""
    different = second_look._different
    monkeypatch.setattr(second_look, "_different", lambda *of: [said for said in different(*of) if not said])
    data = json.loads(proved("divergence").text())
    data["shape"]["reals"][0][0][0] = data["data"]["cells"][0]["ranges"][0][0] = "31/32"
    check(data)  # true as well, of another claim
    assert objections(proof_of(data), TRUE["divergence"])[-1].endswith("logarithm of 0")
