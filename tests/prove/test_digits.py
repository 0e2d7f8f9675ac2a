"""What asks a number for its digits, or how it is represented, may go another way in floats, and is not proved."""

import math
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest

from arubatheory import Instance, Sides, Statement
from arubatheory.arithmetic import is_exact
from arubatheory.prove import provers
from arubatheory.prove.tracing import Cell, Untraceable


def claim(left):
    """That something of x and y of [0, 1] is at most 1 + x, which x itself is."""
    instance = lambda draw: Instance(x=draw.real(0, 1), y=draw.real(0, 1))  # noqa: E731
    return Statement("my:digits", "claim", "x", instance, lambda i: Sides(left(i), 1 + i.x))


def caught(look):
    """What a function says of x, or x where it fails."""

    def left(i):
        with suppress(Exception):
            return look(i.x)
        return i.x

    return claim(left)


REFUSED = {
    "a product with a float": lambda x: 2.5 * x,
    "int": lambda x: 5 * int(x),
    "float": lambda x: 3 * float(x),
    "round": lambda x: round(5 * x),
    "floor": lambda x: math.floor(5 * x),
    "ceil of numpy": lambda x: np.ceil(5 * x),
    "the rest of a division": lambda x: 5 * (x % 1),
    "a whole quotient": lambda x: 5 * x // 1,
    "both": lambda x: divmod(5 * x, 1)[0],
    "an array of floats": lambda x: 3 * np.array([x]).astype(float)[0],
}
LOOKED_AT = {
    "a root that is none of ours": caught(lambda x: 3 * x ** (1 / 3)),
    "a norm": caught(lambda x: 3 * np.linalg.norm(np.array([x, x]), 3)),
    "a text": caught(lambda x: Fraction(f"{5 * x:.3f}")),
    "whether it is exact": claim(lambda i: i.x if is_exact(i.x) else 3 * i.x),
    "whether it is a float": claim(lambda i: 3 * i.x if isinstance(i.x, float) else i.x),
    "the type of an array": claim(lambda i: i.x if np.array([i.x]).dtype == object else 3 * i.x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_error_that_is_caught_is_no_way_around(name):
    with pytest.raises(Untraceable, match=r"digits|does not mix with float"):
        Cell(caught(REFUSED[name]), []).paths(9)
    assert provers.prove(caught(REFUSED[name]), 5, ["paths"])[0] == []


@pytest.mark.parametrize("name", LOOKED_AT)
def test_floats_have_the_same_sides(name):
    found, reasons = provers.prove(LOOKED_AT[name], 5, ["paths"])
    assert found == []
    assert "in floats and" in reasons[0]


@pytest.mark.parametrize(
    "left",
    [lambda i: i.x, lambda i: i.x * i.x * i.y, lambda i: (2**40 * i.x + i.y) / 2**40 - i.y / 2**40, lambda i: i.x / 3],
)
def test_rounding_is_no_objection(left):
    assert [proof.extent for proof in provers.prove(claim(left), 5, ["paths"])[0]] == ["in full"]
