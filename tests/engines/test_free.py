"""Which numbers of a witness matter: others were tried there, exactly, alone and together."""

from __future__ import annotations

import pytest

from arubatheory.engines import free
from arubatheory.engines.exact import certify
from arubatheory.engines.free import Parts, parts_of
from arubatheory.engines.told import told, written
from arubatheory.engines.witness import make_witness
from arubatheory.problems.draw import GRID, Tape
from arubatheory.report.plain import instance_lines
from arubatheory.statements.core import Assumption, Instance, Sides, Statement


def witness_of(statement, units):
    tape = Tape([], units)
    return make_witness(statement, tape, certify(statement, tape), "check", 0)


def drawn(draw):
    return Instance(x=draw.unit(3), y=draw.unit(), pair=(draw.unit(2), draw.unit()))


def test_numbers_that_change_no_side_are_free():
    first = Statement("first", "claim", "x", drawn, lambda i: Sides(i.x[1] + i.pair[1], i.pair[1]))
    witness = witness_of(first, [GRID // 2] * 7)
    parts = parts_of(witness, first)
    assert parts[:3] == (7, 2, ("x[0]", "x[2]", "y", "pair[0]")) and ("x", "array", 0) in parts.idle
    assert instance_lines(witness.instance, "", parts.free) == [
        "x = (any, 1/2, any)",
        "y = any",
        "pair:",
        "  0 = any",
        "  1 = 1/2",
    ]


def test_what_is_free_alone_and_not_together_is_kept_in_part():
    """A product of two zeros: each may be anything while the other is 0."""

    def zeros(draw):
        return Instance(x=draw.unit(), y=draw.unit())

    product = Statement("product", "claim", "x", zeros, lambda i: Sides(1 + i.x * i.y, 0 * i.x))
    assert parts_of(witness_of(product, [0, 0]), product)[:3] == (2, 1, ("x",))


def test_values_that_assumptions_do_not_admit_say_nothing():
    at_most = Assumption("x=1", lambda i: 0 - (i.x - 1) * (i.x - 1))
    fixed = Statement(
        "fixed", "claim", "x", lambda d: Instance(x=d.unit()), lambda i: Sides(1 + 0 * i.x, 0), (at_most,)
    )
    assert parts_of(witness_of(fixed, [GRID]), fixed) == Parts(1, 1, (), frozenset())


def test_nothing_is_said_once_the_operations_are_spent(monkeypatch: pytest.MonkeyPatch):
    idle = Statement("idle", "claim", "x", lambda d: Instance(x=d.unit(2)), lambda i: Sides(1 + 0 * i.x[0], 0))
    witness = witness_of(idle, [0, 0])
    assert parts_of(witness, idle).free == ("x",)
    monkeypatch.setattr(free, "OPERATIONS", -1)
    assert parts_of(witness, idle) == Parts(2, 2, (), frozenset())


def test_no_more_is_looked_at_than_is_asked_for():
    """x[0] and y matter; once one does, z is not tried, nor entered as free."""

    def three(draw):
        return Instance(x=draw.unit(2), y=draw.unit(), z=draw.unit())

    both = Statement("both", "claim", "x", three, lambda i: Sides(1 + i.x[0] + i.y, 0 * i.x[0]))
    witness = witness_of(both, [GRID] * 4)
    assert parts_of(witness, both).free == parts_of(witness, both, 2).free == ("x[1]", "z")
    assert parts_of(witness, both, 1).free == ("x[1]",)


def test_a_number_that_matters_is_not_tried_with_all_other_values():
    seen = []

    def sides(i):
        seen.append(i.x)
        return Sides(1 + i.x, 0)

    matters = Statement("matters", "claim", "x", lambda d: Instance(x=d.unit()), sides)
    witness = witness_of(matters, [GRID])
    seen.clear()
    assert parts_of(witness, matters).matter == 1 and len(seen) == 2


def array(*entries, shape=None):
    return {"array": [str(x) for x in entries], "shape": list(shape or (len(entries),))}


@pytest.mark.parametrize(
    ("data", "least"),
    [
        ({"x": {"number": "3"}, "y": {"number": "3"}}, 2),  # equal by chance, as far as anyone knows
        ({"x": {"number": "3"}, "n": 7, "word": "omd", "i": {"integers": [1, 2], "shape": [2]}}, 1),
        ({"z": array(1, 1, 1, 1)}, 1),
        ({"z": array(1, -1, 1, -1, 1)}, 2),
        ({"z": array(1, -1, 1)}, 3),  # nothing has come twice
        ({"z": array(1, 0, 0, 1, 0, 0)}, 3),
        ({"z": array(1, 2, 3, 4, 1, 2, 3, 4)}, 8),  # a period of four is none
        ({"z": array(1, 0, 2, 0, 1, 0, 2, 0, shape=(4, 2))}, 4),
        ({"z": array(1, 1, 2, 2, 1, 1, 2, 2, shape=(4, 2))}, 2),  # each row is one number
        ({"Q": array(1, 0, 0, 1, shape=(2, 2))}, 1),
        ({"Q": array(1, 0, 0, 2, shape=(2, 2))}, 2),
        ({"Q": array(1, 1, 0, 2, shape=(2, 2))}, 3),
        ({"x": array(1, 2, 3), "y": array(1, 2, 3)}, 4),
        ({"x": {"ball": "1.4 +/- 0.1"}, "y": {"items": [array(5), {"fields": {"a": array(4, 5)}, "type": "T"}]}}, 3),
    ],
)
def test_what_repeats_is_told_once(data, least):
    assert told(data) == least
    assert written(4, data)[0] == 4 + least


def test_what_is_free_is_not_told():
    data = {"x": array(1, 2, 3, 4), "y": {"number": "3"}, "z": array(7, 7), "again": array(7, 7)}
    assert told(data) == 7 and told(data, {("y", "number"), ("x", "array", 2)}) == 5
    free = {(name, "array", k) for name in ("z", "again") for k in (0, 1)}
    assert told(data, free) == 5, "free arrays are not copies of each other"
