"""What may be added to variables without changing a claim, and what may not."""

import json
import random
from fractions import Fraction

import numpy as np
import pytest

from arubatheory import Instance, Sides, Statement
from arubatheory.prove import paths
from arubatheory.prove.certificate import Proof, proof_of
from arubatheory.prove.check_boxes import check_boxes
from arubatheory.prove.check_cells import Rejected
from arubatheory.prove.check_certificate import check
from arubatheory.prove.check_shifts import check_shift
from arubatheory.prove.check_slopes import Builder
from arubatheory.prove.paths import prove_paths
from arubatheory.prove.program import Program, floats
from arubatheory.prove.reductions import shifts
from arubatheory.prove.replay import objections

ONE = Fraction(1)
RANGES = [(Fraction(-1), ONE), (Fraction(-1), ONE), (Fraction(0), ONE)]


def softmax(k):
    return np.exp(k[0]) / (np.exp(k[0]) + np.exp(k[1]))


def claim(most):
    """The softmax of two numbers is Lipschitz, up to a number."""
    return Statement(
        label="toy:softmax",
        kind="claim",
        latex="x",
        instance=lambda draw: Instance(x=draw.real(-1, 1, 2), y=draw.real(-1, 1, 2)),
        sides=lambda i: Sides(softmax(i.x) - softmax(i.y), abs(i.x - i.y).sum() / 4 + most),
    )


def program(*nodes):
    return Builder({"ranges": RANGES, "nodes": [["var", 0], ["var", 1], ["var", 2], ["const", "2"], *nodes]})


SHIFTS = {  # nodes, what is added to, and whether the last node keeps its sign
    "a difference": ([["sub", 0, 1]], {0: 1, 1: 1}, True),
    "a difference of which one is moved": ([["sub", 0, 1]], {0: 1}, False),
    "a sum": ([["add", 0, 1]], {0: 1, 1: -1}, True),
    "a sum that moves": ([["add", 0, 1]], {0: 1, 1: 1}, False),
    "a variable": ([["mul", 0, 3]], {0: 1}, False),
    "others": ([["mul", 2, 2]], {0: 1, 1: 1}, True),
    "nothing": ([["mul", 2, 2]], {}, False),
    "twice as far": ([["mul", 3, 1], ["sub", 4, 0]], {0: 1, 1: 1}, False),
    "twice both": ([["mul", 3, 1], ["mul", 0, 3], ["sub", 4, 5]], {0: 1, 1: 1}, True),
    "half of both": ([["div", 1, 3], ["div", 0, 3], ["sub", 4, 5]], {0: 1, 1: 1}, True),
    "over a variable": ([["div", 3, 0]], {0: 1}, False),
    "a product": ([["mul", 0, 1]], {0: 1, 1: -1}, False),
    "an exponential": ([["exp", 0]], {0: 1}, True),  # is positive
    "a sum of exponentials": ([["exp", 0], ["exp", 1], ["sub", 4, 5]], {0: 1, 1: 1}, True),
    "of different ones": ([["exp", 0], ["exp", 1], ["sub", 4, 5]], {0: 1, 1: -1}, False),
    "an exponential and a number": ([["exp", 0], ["sub", 4, 3]], {0: 1}, False),
    "its logarithm": ([["exp", 0], ["exp", 1], ["add", 4, 5], ["log", 6], ["sub", 7, 0]], {0: 1, 1: 1}, True),
    "its root": ([["exp", 0], ["exp", 1], ["sqrt", 4], ["sqrt", 5], ["sub", 6, 7]], {0: 1, 1: 1}, True),
    "an exponential and its root": ([["exp", 0], ["sqrt", 4], ["sub", 4, 5]], {0: 1}, False),
    "the logarithm of a variable": ([["log", 2]], {2: 1}, False),
    "an exponential of one": ([["exp", 0], ["exp", 4]], {0: 1}, False),
}


@pytest.mark.parametrize("name", SHIFTS)
def test_a_shift_leaves_signs_as_they_are_or_is_none(name):
    nodes, moved, holds = SHIFTS[name]
    cell = program(*nodes)
    if holds:
        check_shift(cell, [len(cell.nodes) - 1], moved)
    else:
        with pytest.raises(Rejected):
            check_shift(cell, [len(cell.nodes) - 1], moved)


def test_what_is_no_sign_is_no_shift():
    for other in (2, 0, Fraction(1, 2)):
        with pytest.raises(Rejected, match="no shift"):
            check_shift(program(["sub", 0, 1]), [4], {0: other, 1: other})


def test_random_programs_keep_their_signs_where_shifts_are_accepted():
    """Against floats: variables moved by t, some the other way; and those that are found are accepted."""
    rng, seen, found = random.Random(2), 0, 0
    points = np.random.default_rng(0).uniform(0.1, 1, (3, 200))
    for _ in range(3000):
        p = Program()
        known = [p.variable(Fraction(-1), ONE, i) for i in range(3)] + [p.number(ONE / 2)]
        for _ in range(rng.randint(1, 5)):
            op, a, b = rng.choice(("add", "sub", "sub", "mul", "div", "exp", "log")), *rng.choices(known, k=2)
            if op == "div" and p.constant(b) == 0:
                continue
            known.append(p.binary(op, a, b) if op not in ("exp", "log") else p.node(op, a))
        moved = {i: rng.choice((1, -1)) for i in rng.sample(range(3), rng.randint(1, 3))}
        for group in shifts(p, [known[-1]], [0, 1, 2]):
            check_shift(p, [known[-1]], dict(group))
            found += len(group) > 1
        try:
            check_shift(p, [known[-1]], moved)
        except Rejected:
            continue
        t = np.zeros((3, 1))
        for i, sign in moved.items():
            t[i] = 0.05 * sign
        here, there = (np.nan_to_num(floats(p, [known[-1]], at)[known[-1]]) for at in (points, points + t))
        sure = (abs(here) > 1e-9) & (abs(here) < 1e9)
        assert (np.sign(here) == np.sign(there))[sure].all()
        seen += len(moved) > 1
    assert seen > 100 and found > 100


def test_a_claim_that_may_be_shifted_is_proved_on_faces(monkeypatch):
    monkeypatch.setattr(paths, "LADDER", ((0.0, 60.0), (0.0, 60.0)))  # slopes prove it, too, where they have the time
    statement = claim(Fraction(1, 20))
    proof = prove_paths(statement, 60)
    assert isinstance(proof, Proof) and proof.shape["whole"] and objections(proof, statement) == []
    text = proof.text()
    used = [k for k, path in enumerate(json.loads(text)["data"]["cells"][0]["paths"]) if path["proof"].get("shifts")]
    assert used
    for change in (
        [],
        [[]],
        [[[0, 1]]],
        [[[0, 1], [1, 1]]],
        [[[0, 1], [1, 1], [2, 1], [3, -1]]],
        [[[9, 1]]],
        [[[-1, 1]]],
    ):
        data = json.loads(text)
        data["data"]["cells"][0]["paths"][used[0]]["proof"]["shifts"] = change
        with pytest.raises(Rejected):
            check(data)
    data = json.loads(text)
    where = data["data"]["cells"][0]["paths"][used[0]]["proof"]
    where["shifts"] = 2 * where["shifts"]
    with pytest.raises(Rejected, match="twice"):
        check(data)
    assert objections(proof_of(json.loads(text)), claim(Fraction(1, 21)))


def test_what_fails_between_the_faces_is_not_proved():
    """A claim that holds where a variable is at its low end alone, and what is no shift of it."""
    cell = Builder({"ranges": [["0", "1"]], "nodes": [["var", 0], ["const", "1/2"], ["sub", 1, 0]]})
    proof = {"scale": [], "corners": [], "boxes": [[-1]], "shifts": [[[0, 1]]]}
    with pytest.raises(Rejected, match="not as it was"):
        check_boxes(cell, {}, [], [2], proof)
    with pytest.raises(Rejected, match="no shift"):
        check_boxes(cell, {}, [], [2], {**proof, "shifts": [[]], "boxes": []})


def test_what_moves_the_other_way_is_at_its_other_end():
    """x + y <= 1 fails at 1 and 1, and holds where x or y is -1."""
    nodes = [["var", 0], ["var", 1], ["const", "1"], ["add", 0, 1], ["sub", 2, 3]]
    cell = Builder({"ranges": [["-1", "1"]] * 2, "nodes": nodes})
    proof = {"scale": [], "corners": [], "boxes": [[-1], [-1]], "shifts": [[[0, 1], [1, -1]]]}
    with pytest.raises(Rejected, match="a box is not closed"):
        check_boxes(cell, {}, [], [4], proof)
    check_boxes(Builder({"ranges": [["-1", "1/2"]] * 2, "nodes": nodes}), {}, [], [4], proof)
