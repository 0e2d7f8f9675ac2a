"""What makes a box smaller before it is halved: signs and exchanges that leave a claim as it is, and no others."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from arubatheory import Instance, Sides, Statement
from arubatheory.kernel import pure
from arubatheory.prove import boxes
from arubatheory.prove.certificate import Proof
from arubatheory.prove.check_boxes import by_symmetries, check_boxes, is_symmetry, opposite
from arubatheory.prove.check_cells import ANY, Rejected
from arubatheory.prove.check_certificate import check
from arubatheory.prove.check_slopes import Builder
from arubatheory.prove.paths import attempt, prove_paths
from arubatheory.prove.program import Path, Program, Turn
from arubatheory.prove.replay import objections
from arubatheory.prove.symmetries import with_symmetries
from arubatheory.sources import source_digest

RANGES = [(Fraction(-1), Fraction(1)), (Fraction(-1), Fraction(1)), (Fraction(0), Fraction(1))]
MOVED = [
    dict(enumerate(zip(s, p, strict=True)))
    for s in itertools.product((1, -1), repeat=3)
    for p in itertools.permutations(range(3))
]


def at(nodes, point):
    """The values of nodes; None where one is divided by 0."""
    found = []
    for op, *k in nodes:
        x = [found[i] for i in k] if op not in ("var", "const") else k
        if op in ("add", "sub"):
            found.append(x[0] + x[1] if op == "add" else x[0] - x[1])
        elif op in ("mul", "div"):
            if op == "div" and x[1] == 0:
                return None
            found.append(x[0] * x[1] if op == "mul" else x[0] / x[1])
        else:
            found.append(point[x[0]] if op == "var" else x[0])
    return found


def signs(x):
    return 4 if x > 0 else 1 if x < 0 else 2


def drawn(rng):
    """A program of three variables, steps and a gap, at random."""
    nodes = [("var", 0), ("var", 1), ("var", 2), ("const", Fraction(rng.choice((-2, 2))))]
    while len(nodes) < rng.randint(5, 9):
        nodes.append((rng.choice(("add", "sub", "mul", "mul", "div")), *(rng.randrange(len(nodes)) for _ in range(2))))
    facts = {rng.randrange(len(nodes)): rng.randint(1, 7) for _ in range(rng.randint(0, 2))}
    return nodes, facts


def test_a_symmetry_leaves_gaps_and_what_steps_say_together():
    rng, seen = random.Random(0), 0
    for _ in range(3000):
        nodes, facts = drawn(rng)
        cell = Builder({"ranges": RANGES, "nodes": []})
        cell.nodes, moved = list(nodes), rng.choice(MOVED)
        if not is_symmetry(cell, facts, [len(nodes) - 1], moved):
            continue
        seen += any(j != i or sign < 0 for i, (sign, j) in moved.items())
        for _ in range(5):
            x = [low + (high - low) * Fraction(rng.randint(0, 8), 8) for low, high in RANGES]
            y = [moved[i][0] * x[moved[i][1]] for i in range(3)]
            assert all(low <= v <= high for v, (low, high) in zip(y, RANGES, strict=True))
            a, b = at(nodes, x), at(nodes, y)
            if a is not None and b is not None:
                assert a[-1] == b[-1]
                assert all(signs(a[n]) & m for n, m in facts.items()) == all(signs(b[n]) & m for n, m in facts.items())
    assert seen > 100


@pytest.mark.parametrize(
    ("symmetries", "reason"),
    [
        ([[[0, 1, 1]]], "no permutation"),
        ([[]], "no permutation"),
        ([[[0, 1, 1], [0, 1, 1]]], "no permutation"),
        ([[[0, 2, 1], [1, 2, 0]]], "no sign"),
        ([[[3, 1, 3]]], "a variable that is not there"),
        ([[[0, 1, 2], [2, 1, 0]]], "no symmetry"),  # of another range
        ([[[2, -1, 2]]], "no symmetry"),  # from 0 to 1
        ([[[0, -1, 0]]], "no symmetry"),  # x y + z
        ([[[0, 1, 1], [1, 1, 0]], [[0, -1, 0], [1, -1, 1]]], "no symmetry"),  # of x >= y, once that is a step
        ([[[0, -1, 0], [1, -1, 1]], [[0, 1, 1], [1, 1, 0]]], "no symmetry"),  # of x >= 0, once that is a step
    ],
)
def test_what_is_no_symmetry_is_rejected(symmetries, reason):
    nodes = [["var", 0], ["var", 1], ["var", 2], ["mul", 0, 1], ["add", 3, 2]]
    cell = Builder({"ranges": RANGES, "nodes": nodes})
    with pytest.raises(Rejected, match=reason):
        by_symmetries(cell, {}, [4], symmetries)
    assert by_symmetries(cell, {}, [4], symmetries[:1] if len(symmetries) == 2 else []) is not None


@pytest.mark.parametrize("symmetry", [[[0, 1, 0]], [[0, 1, 0], [1, -1, 1]]])
def test_a_variable_that_stays_may_be_negative(symmetry):
    """Half of the points of x >= 0 would prove it."""
    cell = Builder({"ranges": RANGES, "nodes": [["var", 0], ["var", 1]]})
    proof = {"scale": [], "corners": [], "boxes": [[-1]], "symmetries": [symmetry]}
    with pytest.raises(Rejected, match="a box is not closed"):
        check_boxes(cell, {}, [], [0], proof)
    proof["symmetries"] = []
    check_boxes(cell, {0: 6}, [], [0], proof)


def test_a_step_that_a_symmetry_changes_forbids_it():
    nodes = [["var", 0], ["var", 1], ["var", 2], ["mul", 0, 1], ["sub", 0, 1]]
    turned, exchanged = {0: (-1, 0), 1: (-1, 1)}, {0: (1, 1), 1: (1, 0)}
    for mask in range(1, ANY + 1):
        cell = Builder({"ranges": RANGES, "nodes": nodes})
        assert is_symmetry(cell, {4: mask}, [3], turned) == (mask == opposite(mask))
        assert is_symmetry(cell, {4: mask}, [3], exchanged) == (mask == opposite(mask))


def test_symmetries_are_found_and_used(monkeypatch):
    """Of two vectors of the plane: turned together, and their coordinates exchanged."""
    monkeypatch.setattr(boxes, "judge_all", pure(boxes.judge_all))
    monkeypatch.setattr(boxes, "look_ahead", pure(boxes.look_ahead))

    def instance(draw):
        return Instance(x=draw.real(-1, 1, 2), y=draw.real(-1, 1, 2))

    def sides(i):
        return Sides((i.x * i.y).sum(), 2 + i.x[0] * i.x[0] / 8)

    statement = Statement("toy:inner", "claim", "x", instance, sides)
    program = Program()
    x = [program.variable(Fraction(-1), Fraction(1), k) for k in range(4)]
    inner = program.binary("add", program.binary("mul", x[0], x[2]), program.binary("mul", x[1], x[3]))
    path, found = with_symmetries(program, Path((), ((inner, program.number(Fraction(3))),), ""))
    assert len(found) == 3 and len(path.steps) == 3  # two rows exchanged, the neighbours in both, or signs
    asked = Turn(program.binary("sub", x[0], x[3]), 4, False)
    assert with_symmetries(program, Path((asked,), path.sides, ""))[1] == []
    monkeypatch.setattr("arubatheory.prove.paths.BRIEF", 0.0)
    found = attempt(statement, [], 1e9, 1)
    assert found.data is not None
    proof = found.data["paths"][0]["proof"]
    assert proof["symmetries"]
    whole = Proof("toy:inner", source_digest(), "boxes", "", {}, Fraction(0), {"cells": [found.data]}).to_json()
    check(whole)
    proof["symmetries"][0][0][1] *= -1
    with pytest.raises(Rejected):
        check(whole)


def test_a_step_of_a_symmetry_is_of_the_node_that_a_claim_has():
    """x >= y says of the claim's own x - y that it is not negative, to the checker as to the prover."""

    def sides(i):
        y = i.x + i.y
        square = (i.x - i.y) * (i.x - i.y)
        length = np.sqrt(square * square + y * np.log(1 + y) * y * np.log(1 + y) + y * y * y * y)
        return Sides(length, Fraction(4632558931, 268339000) + 0 * i.x)

    def draw(draw):
        return Instance(x=draw.real(Fraction(1, 2), 2), y=draw.real(Fraction(1, 2), 2))

    claim = Statement("toy:near", "claim", "x", draw, sides)
    proof = prove_paths(claim, 10)
    assert any("symmetries" in path["proof"] for path in proof.data["cells"][0]["paths"])
    assert objections(proof, claim) == []


def test_a_sum_whose_terms_cancel_has_the_form_of_its_negative():
    """(x - y) - x changes its sign with x and y."""
    nodes = [["var", 0], ["var", 1], ["sub", 0, 1], ["sub", 2, 0], ["mul", 3, 3]]
    cell = Builder({"ranges": RANGES, "nodes": nodes})
    assert is_symmetry(cell, {}, [4], {0: (-1, 0), 1: (-1, 1)})
    assert not is_symmetry(cell, {}, [3], {0: (-1, 0), 1: (-1, 1)})
