"""Algebra and boxes: what is true is proved on every path, what is false on none, and a number changed is seen."""

import json
import math
import random
import sys
import time
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from operator import getitem

import numpy as np
import pytest

from arubatheory import Sides, Statement, log, solve, sqrt
from arubatheory.kernel import pure
from arubatheory.prove import boxes, paths
from arubatheory.prove.algebra import closed
from arubatheory.prove.certificate import Proof, Unproved, is_shaped, proof_of
from arubatheory.prove.check_cells import Rejected
from arubatheory.prove.check_certificate import check
from arubatheory.prove.intervals import down, multiplied, up
from arubatheory.prove.paths import Attempt, _by_order, _certificate, _tried, attempt, prove_paths, words
from arubatheory.prove.replay import objections
from arubatheory.prove.second_look import covered
from arubatheory.prove.tracing import Asked, Cell, Untraceable
from arubatheory.statements.core import Instance, equality
from arubatheory.statements.untrusted import RecordError
from verification.false_paths import judged, lies_in
from verification.false_proofs import game


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch):
    """A few hundred boxes take less time than compiling what judges them."""
    for name in ("judge_all", "look_ahead"):
        monkeypatch.setattr(boxes, name, pure(getattr(boxes, name)))


def claim(sides, label="toy:claim", most=2, **drawn):
    def instance(draw):
        n = draw.integer(1, most)
        return Instance(x=draw.real(-1, 1, n), y=draw.real(-1, 1, n), s=draw.positive(), t=draw.unit(), **drawn)

    return Statement(label=label, kind="claim", latex="x", instance=instance, sides=sides)


def projected(i):
    """The projection to [-1, 1] of s y is no further from x than s y."""
    far = i.s * i.y
    near = np.array([min(max(v, -1), 1) for v in far])
    return Sides(((near - i.x) ** 2).sum(), ((far - i.x) ** 2).sum())


ENOUGH = 60.0  # seconds for what takes a few: a limit on the clock must not decide where the machine is slow

TRUE = {
    "square": claim(lambda i: equality(((i.x + i.y) ** 2).sum(), (i.x * i.x + 2 * i.x * i.y + i.y * i.y).sum())),
    "means": claim(lambda i: Sides(2 * i.s * i.t, i.s * i.s + i.t * i.t)),
    "Cauchy": claim(lambda i: Sides((i.x * i.y).sum() ** 2, (i.x * i.x).sum() * (i.y * i.y).sum())),
    "ends": claim(lambda i: Sides(i.x[0] * i.x[0], 1)),
    "branch": claim(lambda i: Sides(max(i.x[0], i.y[0]), abs(i.x[0]) + abs(i.y[0]))),
    "projection": claim(projected, most=1),
    "a number under a logarithm and a root": claim(lambda i: Sides(i.s * log(2), i.s * log(2) + i.t * i.t * sqrt(3))),
    "fraction": claim(lambda i: Sides(i.s / (1 + i.s), i.s)),
    "no error": claim(lambda i: Sides(0 * i.t, max(p for p in (i.t, 1 - i.t) if p > 0))),
    "root": claim(lambda i: Sides(np.sqrt(i.s * i.t), (i.s + i.t) / 2)),
    "apart": claim(lambda i: Sides(0 * i.t, 1 if i.s == i.t else abs(1 / (i.s * i.s - i.t * i.t)))),
}
FALSE = {
    "means": claim(lambda i: Sides(i.s * i.t * 2 + i.t, i.s * i.s + i.t * i.t)),
    "one point": claim(lambda i: Sides(0, i.x[0] * i.x[0] if i.x[0] != i.y[0] else i.x[0])),
    "one branch": claim(lambda i: Sides(i.x[0], abs(i.x[0]) if i.t < 1 else -1)),
    "undefined": claim(lambda i: Sides(0, 1 + 0 / i.t)),
    "a root of what may be negative": claim(lambda i: Sides(0, 1 + 0 * np.sqrt(i.x[0]))),
    "nothing against nothing": claim(lambda i: Sides(0 * i.s, i.s - i.s)),
    "nothing but by algebra": claim(lambda i: Sides(i.s * (i.s - i.t) - i.s * i.s + i.s * i.t, (i.s - i.t) * 0)),
    "an error": claim(lambda i: Sides(0, max(p for p in (i.t, i.t * i.s) if p > 0))),
    "beyond the range": claim(lambda i: Sides(2 * i.x[0], 1)),
    "a root beside a divisor": claim(lambda i: Sides(np.sqrt(i.s) * i.t, np.log((1 + i.t) / (1 + np.sqrt(i.s))))),
    "one end": claim(lambda i: Sides(i.x[0] * (1 - i.x[0]), i.t * 0)),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_proved_on_every_path(name):
    proof = prove_paths(TRUE[name], ENOUGH)
    assert isinstance(proof, Proof), proof
    assert proof.shape["whole"] and is_shaped(proof.shape)
    assert objections(proof_of(proof.to_json()), TRUE[name]) == []


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_not(name, monkeypatch):
    monkeypatch.setattr(paths, "MOST_BOXES", 500)
    assert isinstance(prove_paths(FALSE[name], 0.3), Unproved)


def test_boxes_prove_the_game_of_the_tutorial_and_no_better_constant():
    proof = prove_paths(game(2, 113, 100), ENOUGH)
    assert isinstance(proof, Proof) and proof.method == "boxes" and proof.shape["whole"]
    assert objections(proof, game(2, 113, 100)) == []
    assert objections(proof, game(2, 112, 100)) and objections(proof, game(1, 113, 100))
    assert isinstance(prove_paths(game(1, 99, 100), 0.6), Unproved)


@np.errstate(all="ignore")
def test_floats_are_moved_outward_at_least_to_the_next():
    some = np.random.default_rng(1).integers(0, 1 << 64, 2000, dtype=np.uint64).view(np.float64).tolist()
    ends = [sys.float_info.max, sys.float_info.min, 5e-324, np.inf, *(2.0**k for k in range(-1074, 1024, 7))]
    for x in [*some, *ends, *(-x for x in ends)]:
        for y in (x, np.float64(x)):
            assert np.isnan(x) or (down(y) <= np.nextafter(x, -np.inf) and up(y) >= np.nextafter(x, np.inf))
    assert (down(np.nan), up(np.nan), down(0.0), up(0.0)) == (-np.inf, np.inf, 0, 0)
    assert 0 < down(np.inf) < np.inf  # what is unknown has a sign
    assert multiplied(-1e-200, 1e-200, 1e-200, 1.0)[0] < -1e-200 and multiplied(-1e-200, 0.0, 0.0, 1e-200)[0] < 0
    assert multiplied(0.0, 0.0, -np.inf, np.inf) == (0, 0) and multiplied(1e-200, 1.0, 1e-200, np.inf) == (0, np.inf)


def test_a_cell_is_no_whole_claim():
    """The claim holds for n = 1 only."""
    narrow = claim(lambda i: Sides(i.x[0] * i.x[0] * (len(i.x) - 1), i.t * 0))
    narrow = replace(narrow, sides=lambda i: Sides((len(i.x) - 1) * i.t - i.s, 0 * i.t))
    proof = prove_paths(narrow, ENOUGH)
    assert isinstance(proof, Proof) and not proof.shape["whole"] and not is_shaped(proof.shape)
    shape = {**proof.shape, "whole": True}
    assert objections(proof._replace(shape=shape, scope=words(shape)), narrow) == ["it does not cover the whole claim"]
    assert objections(proof._replace(scope=words(shape)), narrow)[0].startswith("its scope must be 'the integers")
    asked = [[[low, high, 2, kind] for low, high, _, kind in cell] for cell in proof.shape["asked"]]
    other = proof._replace(shape={**proof.shape, "asked": asked})
    assert "it says something else of the integers that are drawn" in objections(other, narrow)


@pytest.mark.parametrize(
    "shape", [{"asked": []}, {"asked": ""}, {"reals": []}, {"integers": [], "reals": []}, {"integers": [["2"], [3]]}]
)
def test_a_forged_scope_is_no_error_of_python_s(shape):
    """What names no cell, or fewer than there are; more than there are, and more numbers than are looked at."""
    statement = claim(lambda i: Sides(-i.t * i.t * len(i.x), 0 * i.t))
    proof = prove_paths(statement, ENOUGH)
    assert isinstance(proof, Proof) and objections(proof, statement) == []
    with suppress(RecordError):
        assert objections(proof._replace(shape={**proof.shape, **shape}), statement)
    asked = proof.shape["asked"]
    assert objections(proof._replace(shape={**proof.shape, "asked": [*asked, asked[0]]}), statement)
    short = proof._replace(shape={**proof.shape, "asked": [[one[:3] for one in cell] for cell in asked]})
    assert objections(short, statement) == [] and short.extent == proof.extent


def test_a_deep_program_is_no_error_of_python_s():
    """A side of 50,000 sums, of the form x + 0 + 0 ..., is compared with itself."""
    statement = claim(lambda i: Sides(0 * i.t, i.t * i.t), most=1)
    proof = prove_paths(statement, ENOUGH)
    assert isinstance(proof, Proof)
    data = json.loads(proof.text())["data"]
    nodes, (path,) = data["cells"][0]["nodes"], data["cells"][0]["paths"]
    zero = len(nodes)
    nodes += [["const", "0"], ["const", "1"], ["var", 0], *(["add", zero + 2 + k, zero] for k in range(50_000))]
    path["sides"], path["proof"] = [[len(nodes) - 1] * 2], {"sums": [[zero + 1, zero]]}
    with pytest.raises(RecordError, match="RecursionError"):
        objections(proof._replace(data=data), statement)


def test_what_has_no_reals_is_looked_at_in_intervals_from_the_start():
    def claim(slack):
        return Statement(
            label="harmonic",
            kind="claim",
            latex="H_T",
            instance=lambda draw: Instance(T=draw.size("T", 8)),
            sides=lambda i: Sides(log(i.T) + slack, sum(Fraction(1, t) for t in range(1, i.T + 1))),
        )

    proof = _tried(claim(Fraction(1, 2)), 20, 12, None)
    assert (
        sorted(proof.shape["integers"]) == [[T] for T in range(1, 13)]
        and objections(proof, claim(Fraction(1, 2))) == []
    )
    assert proof.scope.endswith("being (1,) to (12,); no reals are drawn; every branch")
    wrong = _tried(claim(Fraction(3, 5)), 20, 30, None)  # the difference falls to 0.5772...
    assert max(wrong.shape["integers"]) == [21] and len(wrong.shape["integers"]) == 21


def test_sums_of_roots_are_compared_where_no_reals_are_drawn():
    def roots(i):
        return Sides(sum(1 / sqrt(t) for t in range(1, i.T + 1)), 2 * sqrt(i.T))

    proof = prove_paths(Statement("my:roots", "claim", "x", lambda draw: Instance(T=draw.integer(1, 3)), roots), 20)
    assert proof.extent == "in full"


def test_a_matrix_of_drawn_numbers_is_traced():
    def instance(draw):
        x = draw.real(-1, 1, 3)
        return Instance(A=draw.array([[x[0], x[1]], [x[1], 1]]))

    def sides(i):
        (a, b), (c, d) = i.A
        return Sides(a * d - b * c, (a + d) ** 2 / 4)

    claim = Statement("det", "claim", "x", instance, sides)
    proof = prove_paths(claim, ENOUGH)
    assert isinstance(proof, Proof) and proof.shape["whole"] and objections(proof, claim) == []


def test_a_minimum_may_start_from_infinity():
    def least(i):
        best, worst = math.inf, -math.inf
        for x in i.x:
            best, worst = min(best, x), x if x > worst else worst
        return Sides(best, worst)

    proof = prove_paths(claim(least), ENOUGH)
    assert isinstance(proof, Proof) and proof.shape["whole"] and objections(proof, claim(least)) == []


def test_a_linear_system_is_traced_by_its_pivots():
    def first_is_at_most(claimed, a, d):
        def instance(draw):
            x = draw.unit(2)
            return Instance(A=draw.array([[a + x[0], 1], [1, d + x[1]]]), b=draw.array([1, 0]))

        return Statement("system", "claim", "x", instance, lambda i: Sides(solve(i.A, i.b)[0], claimed * i.b[0]))

    claim = first_is_at_most(Fraction(2, 5), 3, 2)  # (2 + y) / ((3 + x) (2 + y) - 1) is 2/5 at x = y = 0
    proof = prove_paths(claim, ENOUGH)
    assert isinstance(proof, Proof) and proof.shape["whole"] and objections(proof, claim) == []
    assert isinstance(prove_paths(first_is_at_most(Fraction(39, 100), 3, 2), 2.0), Unproved)
    assert isinstance(prove_paths(first_is_at_most(2, 0, 0), 2.0), Unproved)  # there is none at x = y = 1


def test_a_scope_in_words_is_that_of_all_cells():
    unit, sign = ["0", "1"], ["-1", "1"]
    shape = {"whole": False, "integers": [[2, 2], [1, 2]], "reals": [[unit], [unit, sign]]}
    several = "the integers that are drawn being (1, 2), and 1 more; all reals of [0, 1], [-1, 1]; every branch"
    assert words(shape) == several
    assert words({**shape, "integers": [[]], "reals": [[unit]]}) == "all reals of [0, 1]; every branch"
    one = {**shape, "integers": [[3]], "reals": [[]]}
    assert words(one) == "the integers that are drawn being (3,); no reals are drawn; every branch"
    assert " (1,), and 1 more; " in words({**shape, "integers": [[3], [1]]})


def test_a_size_without_a_limit_is_no_whole_claim():
    """Each size that is tried is proved, and they are not all that the claim is about."""

    def instance(draw):
        return Instance(x=draw.real(-1, 1, draw.size("rounds", 3)), t=draw.unit())

    statement = replace(TRUE["ends"], instance=instance, sides=lambda i: Sides(0 * i.t, sum(v * v for v in i.x) + 1))
    proof = prove_paths(statement, ENOUGH)
    assert isinstance(proof, Proof) and not proof.shape["whole"] and is_shaped(proof.shape)
    assert objections(proof, statement) == []
    shape = {**proof.shape, "whole": True}
    assert objections(proof._replace(shape=shape, scope=words(shape)), statement) == [
        "it does not cover the whole claim"
    ]


@pytest.mark.parametrize(("integers", "unit", "inside"), [([1], 1 << 23, True), ([1], 1 << 24, False), ([2], 0, False)])
def test_a_witness_lies_in_a_cell_by_its_numbers_too(integers, unit, inside):
    statement, ranges = claim(lambda i: Sides(i.s, 1 + 0 * i.s)), [["-1", "1"], ["-1", "1"], ["1/2", "2"], ["0", "1"]]
    tape = {"integers": integers, "units": [0, 0, unit, 0]}  # a scale of 1, or of 2**32
    assert lies_in(statement, tape, {"integers": [1], "ranges": ranges}) is inside


def squares(factor):
    """True for one number, and with a factor of 2 for two."""
    return claim(lambda i: Sides(i.x.sum() ** 2, factor * (i.x * i.x).sum()))


def test_a_false_claim_may_be_proved_where_it_is_true_and_nowhere_else():
    narrow, wide = prove_paths(squares(1), 2), prove_paths(squares(2), 2)
    said, wrong = judged(squares(1), narrow)
    assert not wrong and "12 with other integers and 0 with other reals" in said
    said, wrong = judged(squares(1), wide)
    assert wrong and "WRONG: a refutation lies in it" in said and "WRONG: violated at" in said
    said, wrong = judged(squares(1), narrow._replace(shape={**narrow.shape, "whole": True}))
    assert wrong and said.endswith("WRONG: the whole of it")
    said, wrong = judged(squares(2), wide)
    assert wrong and "WRONG: no refutation is known" in said
    assert judged(squares(1), narrow._replace(method="gram", data={"parts": []}))[0].endswith("no integers and reals")


def test_a_certificate_that_points_reject_is_not_traced(monkeypatch):
    proof = prove_paths(squares(1), ENOUGH)
    proof.data["cells"][0]["integers"] = [2]
    monkeypatch.setattr(Cell, "paths", lambda *_: pytest.fail("traced"))
    assert "its variables or paths are not those of the statement" in objections(proof, squares(1))[-1]


def test_indeterminates_have_no_digits():
    for look in (float, repr, hash, lambda x: x.v):
        statement = claim(lambda i, look=look: Sides(len(str(look(i.s))), 10))
        found = prove_paths(statement, 1)
        assert isinstance(found, Unproved) or look is repr
    assert isinstance(prove_paths(claim(lambda i: Sides(i.s, i.s if i.s.is_rational else i.s / 2)), 1), Unproved)
    told = claim(lambda i: Sides(i.s, i.s / 2 if i.s.is_rational else i.s))  # no code may: both are to be one number
    found = prove_paths(told, ENOUGH)
    assert isinstance(found, Proof) and objections(found, told)
    with pytest.raises(Untraceable, match="more than 3 paths"):
        Cell(claim(lambda i: Sides(sum(abs(v) for v in (*i.x, *i.y)), 4)), [2]).paths(3)
    with pytest.raises(Untraceable, match="lives only while"):
        kept = []
        Cell(claim(lambda i: Sides(kept.append(i.s) or 0, 1)), []).paths(9)
        kept[0] + 1


def places(data, at=()):
    """Where the numbers of a certificate are."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, dict | list):
            yield from places(value, (*at, key))
        elif (
            isinstance(value, int | str)
            and key not in ("undefined",)
            and not (isinstance(value, str) and value.isalpha())
        ):
            yield (*at, key)


def changed(proof, at, rng):
    """The certificate with one number changed."""
    data = json.loads(json.dumps(proof.to_json()))
    part = data["data"]
    for key in at[:-1]:
        part = part[key]
    old = part[at[-1]]
    part[at[-1]] = (
        (not old)
        if isinstance(old, bool)
        else old + rng.choice((-1, 1))
        if isinstance(old, int)
        else f"{rng.randint(-9, 9)}/7"
    )
    return data


@pytest.mark.parametrize("name", ["Cauchy", "projection", "fraction", "game"])
def test_one_number_changed_is_seen(name):
    """Or the certificate is one all the same: what is checked in full is another proof, or a node that none needs; as
    many octaves as scales have or more are all of them, and a proof may need less than a step says."""
    statement = game(1, 113, 100) if name == "game" else TRUE[name]
    proof, rng = prove_paths(statement, ENOUGH), random.Random(7)
    spots = [at for at in places(proof.data) if at[-2:] != ("cells", 0)]
    for at in rng.sample(spots, 10):
        data = changed(proof, at, rng)
        try:
            check(data)
        except Rejected:
            continue
        said, says = (reduce(getitem, at, whole) for whole in (proof.data, data["data"]))
        less = at[-3:-2] == ("steps",) and at[-1] == 1 and said & says == said
        all_scales = at[-1] == "octaves" and min(said, says) >= 64
        assert objections(proof_of(data), statement) or less or all_scales or {"proof", "nodes"} & {*at}, at


def test_where_a_gap_is_flat_is_looked_for_less_closely_too():
    """Both sides of Pinsker's inequality for a coin against a fair one agree to third order at 8."""
    divergence = lambda p: log(2) + p * log(p) + (1 - p) * log(1 - p)  # noqa: E731
    for factor, seconds, extent in ((Fraction(1), ENOUGH, "in full"), (Fraction(1001, 1000), 2, None)):
        statement = Statement(
            label="my:flat",
            kind="claim",
            latex="x",
            instance=lambda draw: Instance(x=draw.real(1, 15), two=draw.number(2)),
            sides=lambda i, c=factor: Sides(2 * c * (i.x / 16 - 1 / i.two) ** 2, divergence(i.x / 16) + 0 * i.two),
        )
        assert getattr(prove_paths(statement, seconds), "extent", None) == extent


def test_answers_are_all_that_can_be_given():
    assert covered([[(1, 2, 1)], [(1, 2, 2), (0, 1, 0)], [(1, 2, 2), (0, 1, 1)]])
    assert not covered([[(1, 2, 1)], [(1, 2, 2), (0, 1, 0)]])


def test_a_prover_and_a_checker_leave_the_depth_of_recursion_as_it_was():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before - 1)
    try:
        found = prove_paths(TRUE["ends"])
        check(found.to_json())
        assert sys.getrecursionlimit() == before - 1
        with pytest.raises(Rejected):
            check({**found.to_json(), "data": {}})
        assert sys.getrecursionlimit() == before - 1
    finally:
        sys.setrecursionlimit(before)


def test_a_run_with_thousands_of_decisions_is_proved_and_looked_at_again():
    """Each of them follows from the range of t."""

    def sides(i):
        assert all(i.t + k > 0 for k in range(1, 3000))
        return Sides(i.t, 2)

    many = claim(sides, most=1)
    found = prove_paths(many)
    assert isinstance(found, Proof) and objections(found, many) == []


def schur(most):
    """x y (x + y) + ... <= x^3 + y^3 + z^3 + 3 x y z, with another number for 3."""

    def sides(i):
        x, y, z = i.x, i.y, i.z
        mixed = x * y * (x + y) + y * z * (y + z) + z * x * (z + x)
        return Sides(mixed, x**3 + y**3 + z**3 + most * x * y * z)

    def instance(draw):
        return Instance(x=draw.positive(), y=draw.positive(), z=draw.positive())

    return Statement(label="toy:schur", kind="claim", latex="x", instance=instance, sides=sides)


def test_each_order_of_three_numbers_is_a_path_of_its_own(monkeypatch):
    """Schur's inequality, for which no sum of products was found without."""
    monkeypatch.setattr(paths, "closed", lambda p, path, *given: closed(p, path, *given) if path.steps else None)
    for most in (Fraction(3), Fraction(2999, 1000)):
        cell = Cell(schur(most), [])
        (path,) = cell.paths(9)
        assert (_by_order(cell.program, path, 3.0, np.inf) is None) == (most < 3)
    data = attempt(schur(3), [], time.process_time() + ENOUGH, None).data
    found = _certificate(schur(3), [{**data, "asked": []}], True)
    assert objections(found, schur(3)) == [] and len(data["paths"]) == 8
    for k in range(8):
        less = {"cells": [{**data, "paths": data["paths"][:k] + data["paths"][k + 1 :]}]}
        with pytest.raises(Rejected, match="a sign is left out"):
            check(found._replace(data=less).to_json())


def test_what_is_hopeless_shortens_what_follows(monkeypatch):
    """Half of the patience after a path that took it in vain; all of it after a proof, or what took no algebra."""
    vain, given = iter((60, 0, 30, None, 60)), []
    data = {"integers": [], "ranges": [], "paths": [{"undefined": "", "proof": {}}]}

    def attempt(_statement, _integers, _until, _octaves, patience, _effort):
        given.append(patience)
        took = next(vain)
        asked = (Asked(0, 4, 0, "choice"),) if len(given) == 1 else ()
        return Attempt(None, "x", 0.0, asked, vain=took) if took is not None else Attempt({**data}, "", 1.0, asked)

    monkeypatch.setattr(paths, "PATIENCE", 60)
    monkeypatch.setattr(paths, "attempt", attempt)
    assert isinstance(_tried(game(1, 1, 1), np.inf, 9, None), Proof)
    assert given == [60, 30, 30, 15, 60]
