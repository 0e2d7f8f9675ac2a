"""The deep check: plain numbers against mpmath, and what it says of records, floats and outcomes that are wrong."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest

from arubatheory.arithmetic import Exact, Undefined, precision
from arubatheory.crosscheck import agreement
from arubatheory.crosscheck.agreement import disagreements
from arubatheory.crosscheck.plain_numbers import LONGEST, Plain, ends, mapped, meet, plain
from arubatheory.papers.aruba import ARUBA
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Instance, Sides, Statement

WITNESSES = Path(__file__).resolve().parents[1] / "verification" / "witnesses"
NAME = "alg-aruba--fedavg-simplest.json"


# plain numbers ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["sqrt", "exp", "log"])
@pytest.mark.parametrize("q", [Fraction(2), Fraction(1, 3), Fraction(10**6, 7), Fraction(1, 10**9)])
def test_functions_have_the_digits_of_mpmath(name, q):
    got = getattr(Plain(q), name)()
    with mpmath.workdps(130):
        want = getattr(mpmath, name)(mpmath.mpf(q.numerator) / q.denominator)
        rounded = (1 + q) * Fraction(1, 10**119)  # the argument is rounded once, and exp multiplies that by it
        assert abs(mpmath.mpf(str(got.number)) / want - 1) < float(rounded)
    assert not got.is_rational


def test_fractions_stay_fractions_as_long_as_they_are_short():
    third = Plain(Fraction(1, 3))
    for number in (third + 1, 1 - third, third * third, 2 / third, -third, abs(-third), third**-2, third**0):
        assert number.is_rational
    assert (Plain(Fraction(9, 4)).sqrt(), third**-2, 1 - third) == (Fraction(3, 2), 9, Fraction(2, 3))
    long = Plain(Fraction(1, 3**LONGEST))
    assert not long.is_rational and meet(long, Fraction(1, 3**LONGEST))


def test_powers_and_what_numpy_asks_for_are_made_of_the_same():
    q = Fraction(9, 4)
    assert (Plain(q) ** 0.5, Plain(q) ** -1.5, Plain(q) ** Plain(Fraction(2))) == (
        Fraction(3, 2),
        Fraction(8, 27),
        q * q,
    )
    for f in (np.cosh, np.tanh, np.log1p, lambda x: x ** (3 / 16), lambda x: 2**x):
        assert float(f(np.array([Plain(q)]))[0].number) == pytest.approx(f(np.array([float(q)]))[0], rel=1e-14)


def test_what_has_no_value_is_undefined_and_floats_do_not_mix():
    zero, half = Plain(Fraction(0)), Plain(Fraction(1, 2))
    for act in (lambda: 1 / zero, lambda: half / 0, lambda: (-half).sqrt(), zero.log, lambda: zero**-1):
        with pytest.raises(Undefined):
            act()
    for act in (lambda: half + 0.5, lambda: 0.5 < half, lambda: half * True):
        with pytest.raises(TypeError, match="a Plain does not mix with"):
            act()


def test_it_stands_where_an_exact_number_does():
    with precision(128):
        two, root = Plain(Fraction(2)), Exact(2).sqrt()
    assert isinstance(Exact(3) + two, Plain) and Exact(3) - two == 1 and Exact(1) / two == Fraction(1, 2)
    assert meet(two.sqrt(), root) and not meet(two.sqrt() + Fraction(1, 10**30), root)
    assert (Exact(1) < two) and not (Exact(3) <= two)
    array = mapped((np.array([Exact(1), Exact(2)]), 5, "a"), plain)
    assert [type(x) for x in array[0]] == [Plain, Plain] and array[1:] == (5, "a")
    assert np.sqrt(array[0])[1] == two.sqrt() and (array[0] @ array[0]) == 5
    with precision(128):
        low, high = ends(root)
    assert low * low < 2 < high * high and high - low < Fraction(1, 2**120)


# what is said -----------------------------------------------------------------------------------------------------
def lines(root: Path, *statements: Statement, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], Counter[str]]:
    """What the deep check says of a record and of these statements, and what it has counted."""
    monkeypatch.setattr(agreement, "broken_definitions", lambda seed, seen: ())
    monkeypatch.setattr(agreement, "wrong_answers", lambda seed, seen: ())
    seen: Counter[str] = Counter()
    paper: Any = SimpleNamespace(statements=statements, witnesses=Path("witnesses"))
    return list(disagreements(root, paper, seen=seen)), seen


@pytest.fixture
def record(tmp_path: Path) -> Any:
    """Write a witness of the record with some fields changed, alone in a folder."""

    def write(**changes: Any) -> Path:
        data = json.loads((WITNESSES / NAME).read_text()) | changes
        (tmp_path / "witnesses").mkdir(exist_ok=True)
        (tmp_path / "witnesses" / NAME).write_text(json.dumps(data))
        return tmp_path

    return write


FEDAVG = ARUBA.statement("alg:aruba/fedavg")


def test_a_record_that_holds_is_counted(record, monkeypatch):
    said, seen = lines(record(), FEDAVG, monkeypatch=monkeypatch)
    assert said == []
    assert (seen["witnesses"], seen["fresh instances"]) == (1, 1)
    assert seen["sides in plain Python"] >= 4 and seen["sides in floats"] >= 4 and seen["sides in balls"] >= 4


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"lhs": "1/3"}, "on record violated: lhs 1/3, rhs 1/2; now violated: lhs 1, rhs 1/2"),
        ({"certified": "holds"}, "on record holds: lhs 1,"),
        ({"tape": {"integers": [2], "units": [1, 2, 3, 4]}}, "the draws on record no longer give its instance"),
        ({"instance": {}}, "ValueError: corrupt witness"),
        ({"label": "thm:nowhere"}, "KeyError: 'thm:nowhere'"),
    ],
)
def test_a_record_that_does_not_hold_is_named_with_its_file(changes, named, record, monkeypatch):
    said, _ = lines(record(**changes), FEDAVG, monkeypatch=monkeypatch)
    assert any(NAME in line and named in line for line in said), said


def claim(sides: Any) -> Statement:
    def instance(draw: Draw) -> Instance:
        return Instance(x=draw.number(2), y=draw.number(3))

    return Statement("clm:made", "claim", "x <= y", instance, sides)


def off(size: float) -> Any:
    """Sides whose floats are off by so much, relatively."""
    return lambda i: Sides(i.x.sqrt() if isinstance(i.x, Exact) else float(np.sqrt(i.x)) * (1 + size), i.y)


def test_floats_may_be_off_by_a_few_roundings_and_no_more(tmp_path, monkeypatch):
    assert lines(tmp_path, claim(off(4e-16)), monkeypatch=monkeypatch)[0] == []
    (line,) = lines(tmp_path, claim(off(1e-13)), monkeypatch=monkeypatch)[0]
    assert line.startswith("clm:made, seed 0: side 0: 1.41421356") and "in balls of 50 bits" in line


def test_floats_that_call_the_opposite_broken_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(agreement, "compared", lambda lhs, rhs: (*real_compared(lhs, rhs)[:2], 1.0))
    (line,) = lines(tmp_path, claim(off(0)), monkeypatch=monkeypatch)[0]
    assert "inequality 0: floats say" in line


real_compared = agreement.compared


def test_numbers_that_are_wrong_in_one_arithmetic_are_named(tmp_path, monkeypatch):
    made = claim(lambda i: Sides(i.x + 1 if isinstance(i.x, Plain) else i.x, i.y))
    (line, *more) = lines(tmp_path, made, monkeypatch=monkeypatch)[0]
    assert line == "clm:made, seed 0: side 0: Exact(2) in rationals and balls, Plain(3) in plain Python"
    assert more == ["clm:made, seed 0: the outcome is 'holds', and 'tie' in plain Python"]


def test_a_generator_that_fails_is_named(tmp_path, monkeypatch):
    def instance(draw: Draw) -> Instance:
        raise RuntimeError("planted")

    made = Statement("clm:made", "claim", "x", instance, lambda i: Sides(0, 0))
    (line,) = lines(tmp_path, made, monkeypatch=monkeypatch)[0]
    head, _, place = line.partition(" (")
    assert head == "clm:made, seed 0: RuntimeError: planted"
    assert place.startswith("tests/test_crosscheck.py, line ") and place.endswith(': raise RuntimeError("planted"))')


def test_definitions_and_known_answers_hold():
    seen: Counter[str] = Counter()
    assert list(agreement.wrong_answers(0, seen)) == [] == list(agreement.broken_definitions(0, seen))
    assert seen["definitions"] > 1000 and seen["operations"] > 9000 and seen["known answers"] > 70
