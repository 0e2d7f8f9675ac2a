"""Witnesses travel: written as JSON, read back, judged again; corrupt ones give one clear error."""

import json
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from toy_statements import FALSE, MEANS, TRUE, UNDEFINED

from arubatheory import PAPER, Instance, Sides, Statement
from arubatheory.arithmetic import Exact
from arubatheory.engines.check import check
from arubatheory.engines.exact import BrokenAssumption, Certificate, brief, certify, show
from arubatheory.engines.search import search
from arubatheory.engines.verdict import Status, Verdict, Witness
from arubatheory.engines.witness import decode, decode_instance, encode, make_witness, redraws, replay
from arubatheory.engines.witness_files import certified_again, file_stem, read_witness
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.statements.core import Assumption

ONE = {"array": ["1"], "shape": [1]}


@pytest.fixture(scope="module")
def witness():
    return check(FALSE, 200, 1).simplest


def through_json(witness):
    return Witness(**json.loads(json.dumps(witness.to_json(), allow_nan=False)))


def test_replay_agrees_after_a_trip_through_json(witness):
    seen = replay(through_json(witness), FALSE)
    assert seen.agrees and seen.outcome == "violated" and (seen.lhs, seen.rhs) == (witness.lhs, witness.rhs)


def test_replay_in_floats_certifies_nothing(witness):
    seen = replay(witness, FALSE, exact=False)
    assert seen.outcome == "float" and float(seen.lhs) > float(seen.rhs)


def test_replay_uses_the_stored_instance_not_the_draws(witness):
    changed = replace(witness, instance={k: {"array": ["1/2"], "shape": [1]} for k in ("x", "y")})
    assert replay(changed, FALSE).lhs == "1/16"


def test_replay_checks_the_margins_again(witness):
    strict = replace(FALSE, assumptions=(Assumption("x_1<0", lambda i: -i.x[0]),))
    with pytest.raises(BrokenAssumption, match="x_1<0"):
        replay(witness, strict)


def test_an_undefined_witness_is_valid_json():
    witness = check(UNDEFINED, 200, 1).simplest
    assert replay(through_json(witness), UNDEFINED).outcome == "undefined"


@pytest.mark.parametrize(
    "instance, message",
    [
        ({}, "needs the parts"),
        ({"x": {"array": ["1"], "shape": [1]}}, "needs the parts"),
        ({"x": {"array": ["one"], "shape": [1]}, "y": ONE}, "'one' is not a rational number"),
        ({"x": {"array": ["1/0"], "shape": [1]}, "y": ONE}, "'1/0' is not a rational number"),
        ({"x": {"type": "os.system"}, "y": ONE}, "cannot read the value"),
        ({"x": {"array": ["1", "2"], "shape": [1]}, "y": ONE}, "reshape"),
        ([], "needs the parts"),
    ],
)
def test_corrupt_instances(witness, instance, message):
    with pytest.raises(ValueError, match=message):
        replay(replace(witness, instance=instance), FALSE)


def test_a_witness_of_another_statement(witness):
    with pytest.raises(ValueError, match="belongs to 'toy:too-strong', not to 'toy:means'"):
        replay(witness, MEANS)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"label": "x"}', "\x00"])
def test_corrupt_files(tmp_path, text):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"corrupt witness file .*bad\.json"):
        read_witness(path)


def test_missing_file(tmp_path):
    with pytest.raises(ValueError, match="there is no witness file"):
        read_witness(tmp_path / "none.json")


@pytest.mark.parametrize("change", [{"lhs": "1000000"}, {"rhs": "1/7"}, {"certified": "holds"}])
def test_replay_compares_both_sides_with_the_file(witness, change):
    assert not replay(replace(witness, **change), FALSE).agrees


def test_floats_are_not_compared(witness):
    assert replay(witness, FALSE, exact=False).agrees is None


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("ratio", "abc", "ratio must be a number or null, got 'abc'"),
        ("margins", [1], "margins must be an object, got"),
        ("lhs", 3, "lhs must be a string, got 3"),
        ("seed", None, "seed must be an integer, got None"),
    ],
)
def test_a_file_with_a_field_of_another_type_is_corrupt(tmp_path, witness, field, value, message):
    path = tmp_path / "witness.json"
    path.write_text(json.dumps({**witness.to_json(), field: value}))
    with pytest.raises(ValueError, match="corrupt witness file") as caught:
        read_witness(path)
    assert message in str(caught.value)


def test_stored_witnesses_refute_again_and_keep_their_finder(tmp_path, witness):
    path = tmp_path / f"{file_stem(FALSE.label)}-simplest.json"
    path.write_text(json.dumps(witness.to_json()))
    verdict = certified_again(FALSE, [path, path])
    assert verdict.status == Status.REFUTED and verdict.found_by == "check" and verdict.engine == "witness"
    assert certified_again(TRUE, [path]).engine == ""
    path.write_text(json.dumps(replace(witness, certified="float").to_json()))
    assert certified_again(FALSE, [path]).engine == "", "what was measured was never certified"


def test_stored_witness_that_no_longer_fits_is_an_error(tmp_path, witness):
    moved = replace(witness, instance={"z": 1})
    path = tmp_path / f"{file_stem(FALSE.label)}-worst.json"
    path.write_text(json.dumps(moved.to_json()))
    verdict = certified_again(FALSE, [path])
    assert verdict.status == Status.ERROR and "do not give its instance" in verdict.error


def test_verdict_round_trip():
    for verdict in (check(FALSE, 200, 1), search(TRUE, 500, 1)):
        assert Verdict.from_json(json.loads(json.dumps(verdict.to_json()))) == verdict


@pytest.mark.parametrize("statement", PAPER, ids=lambda s: s.label)
def test_every_statement_of_the_paper_has_instances_that_travel(statement):
    draw = RandomDraw(np.random.default_rng(1))
    statement.instance(draw)
    if statement.growth is None and statement.chance is None:
        certificate = certify(statement, draw.tape, 256)
    else:  # measured, never certified: there are no sides to compare
        certificate = Certificate("float", None, 0, statement.instance(TapeDraw(draw.tape, exact=True)), {}, 0)
    witness = through_json(make_witness(statement, draw.tape, certificate, "check", 1))
    assert witness.instance and redraws(witness, statement)
    assert vars(decode_instance(witness.instance, statement)).keys() == witness.instance.keys()
    if certificate.outcome != "float":
        seen = replay(witness, statement, last_bits=256)
        assert seen.agrees, (witness.certified, seen.outcome)


@pytest.mark.parametrize("part", [lambda: 0, 0.25, np.array([0.5]), {"a": 1}])
def test_what_an_instance_may_not_hold_is_named_before_a_search(part):
    with pytest.raises(TypeError, match=f"may not hold a {type(part).__name__}, but exact"):
        encode(part)
    drawn = []

    def instance(draw):
        drawn.append(draw)
        return Instance(x=draw.unit(), part=part)

    with pytest.raises(TypeError, match="may not hold"):
        search(Statement("held", "claim", "x", instance, lambda i: Sides(i.x, 1)), 100, 0)
    assert len(drawn) < 5


@pytest.mark.parametrize("part", [Fraction(1, 4), (Fraction(1, 4), 2), range(3), np.bool_(True), np.array([1, 2])])
def test_an_instance_holds_fractions_and_what_python_counts_with(part):
    back = decode(json.loads(json.dumps(encode(part))), {})
    assert np.all(np.asarray(back) == np.asarray(tuple(part) if isinstance(part, range) else part))


def test_a_side_longer_than_anyone_reads_is_written_as_a_ball():
    third = Exact(Fraction(1, 3))
    assert brief(third) == show(third) == "1/3"
    long = Exact(Fraction(10**500 + 1, 3 * 10**500))
    assert len(show(long)) > 400
    match = re.fullmatch(r"(0\.3+) \+/- (\S+)", brief(long))
    assert match and abs(Fraction(match[1]) - Fraction(10**500 + 1, 3 * 10**500)) <= Fraction(match[2])
