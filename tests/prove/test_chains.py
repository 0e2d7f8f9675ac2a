"""Claims of many variables, closed stage by stage."""

import json
import random
from fractions import Fraction

import numpy as np
import pytest

from arubatheory import Instance, Sides, Statement
from arubatheory.prove import chains
from arubatheory.prove.certificate import Proof
from arubatheory.prove.check_cells import Rejected
from arubatheory.prove.check_certificate import check
from arubatheory.prove.paths import prove_paths
from arubatheory.prove.program import merged
from arubatheory.prove.replay import objections
from arubatheory.prove.tracing import Cell
from verification.false_proofs import changed, game, holds_in_stages, is_seen


@pytest.fixture(scope="module")
def found():
    """The tutorial's game of three rounds at 1.4, with few samples and rows."""
    with pytest.MonkeyPatch.context() as patch:
        for name, few in (("MANY", 4), ("ROWS", 3), ("SAMPLES", 9)):
            patch.setattr(chains, name, few)
        return prove_paths(game(3, 7, 5), 240)  # two seconds do; where those for stages are over, boxes close all paths


def test_the_game_of_the_tutorial_is_closed_stage_by_stage(found):
    assert isinstance(found, Proof) and found.method == "boxes" and found.shape["whole"]
    (cell,) = found.data["cells"]
    assert sum("chain" in path["proof"] for path in cell["paths"]) > len(cell["paths"]) / 2
    assert any(cut[0] >= 0 for path in cell["paths"] for cut in path["proof"].get("chain", {}).get("cuts", ()))
    assert objections(found, game(3, 7, 5)) == []
    assert objections(found, game(3, 8, 5))


def _lower(cell, plan):
    """Less is claimed after a stage than was proved."""
    k = next(k for k, rows in enumerate(cell["tables"]) if len(rows) == 1 and rows[0][2] != "-1000")
    cell["tables"][k][0][2] = "-9"


def _narrow(cell, plan):
    rows = next(rows for rows in cell["tables"] if len(rows) > 1)
    del rows[-1]


def _none(cell, plan):
    """Tables without rows, between which nothing is to be closed."""
    tables = cell["tables"] = [[] if len(rows) == 1 else rows for rows in cell["tables"]]
    for move in cell["moves"]:
        if any(k >= 0 and not tables[k] for k in (move["before"], move["after"])):
            move["boxes"] = []


def _unclosed(cell, plan):
    max((boxes for move in cell["moves"] for boxes in move["boxes"]), key=len)[:] = [-1]


def _ends(cell, plan):
    del plan["moves"][0]


def _power(cell, plan):
    plan["cuts"][0][2] = 1


def _stages(cell, plan):
    plan["stages"][0].append(plan["stages"][1].pop())


def _last(cell, plan):
    plan["moves"] = [numbers[:-1] for numbers in plan["moves"]]


def _scale(cell, plan):
    plan["scale"] = plan["scale"][1:]


def _corner(cell, plan):
    plan["corners"] = []
    plan["moves"] = plan["moves"][:1]


BROKEN = [_lower, _narrow, _none, _unclosed, _ends, _power, _stages, _last, _scale, _corner]


@pytest.mark.parametrize("broken", BROKEN)
def test_what_is_wrong_in_a_chain_is_seen(found, broken):
    data = json.loads(found.text())
    (cell,) = data["data"]["cells"]
    plans = [path["proof"]["chain"] for path in cell["paths"] if "chain" in path["proof"]]
    for plan in plans:
        broken(cell, plan)
        if broken in (_lower, _narrow, _none, _unclosed):
            break
    with pytest.raises(Rejected):
        check(data)


@pytest.mark.parametrize("seed", range(25))
def test_one_number_changed_is_seen(found, seed):
    data = json.loads(found.text())
    assert is_seen(changed(data, random.Random(seed)), game(3, 7, 5))


def test_a_table_that_claims_too_much_fails_at_a_point(found):
    (cell,) = json.loads(found.text())["data"]["cells"]
    assert holds_in_stages(cell)
    _lower(cell, None)
    assert not holds_in_stages(cell)


def test_no_chain_proves_what_is_false():
    """The worst ratio of four rounds is 1.118."""
    cell = Cell(game(4, 111, 100), [])
    paths = merged(cell.paths(300))
    assert chains.proved(cell.program, paths, 1e9) == ({}, {})


def test_a_scale_is_one_of_the_difference_of_both_sides():
    """A length is a multiple of a factor, and a number is none."""

    def draw(draw):
        return Instance(x=draw.real(0, 1, 3), y=draw.real(0, 1, 3))

    def sides(i):
        both = i.x + i.y
        return Sides(np.sqrt((both * both).sum()), Fraction(297, 80) + 0 * i.x[0])

    claim = Statement("toy:length", "claim", "x", draw, sides)
    proof = prove_paths(claim, 10)
    assert isinstance(proof, Proof) and objections(proof, claim) == []
