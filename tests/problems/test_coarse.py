"""Readers of simple numbers and of changed tapes; margins that search looks at."""

from dataclasses import replace

import numpy as np
import pytest

from arubatheory.engines.check import changed
from arubatheory.engines.exact import BrokenAssumption, certify
from arubatheory.engines.search import search
from arubatheory.problems.coarse import COARSE, CoarseDraw, LenientDraw
from arubatheory.problems.draw import GRID, Tape, TapeDraw
from arubatheory.statements.core import Assumption, Instance, Sides, Statement


def drawn(draw):
    return draw.integer(2, 5), draw.unit(3).tolist(), float(draw.positive(-2, 2)), draw.integer(0, 1)


def test_a_changed_tape_is_clamped_and_what_is_missing_is_simplest():
    draw = LenientDraw(Tape([99], [GRID, GRID // 4]))
    assert drawn(draw) == (5, [1, 0.25, 0], 1, 0)
    assert drawn(TapeDraw(draw.tape)) == (5, [1, 0.25, 0], 1, 0), "its own tape fits"
    assert drawn(LenientDraw(Tape([], []))) == (2, [0, 0, 0], 1, 0)


def test_coarse_numbers_are_mostly_simple_and_integers_stay_in_their_range():
    rng, words, simple, met = np.random.default_rng(0), [], 0, set()
    for _ in range(300):
        draw = CoarseDraw(rng, words)
        assert 2 <= drawn(draw)[0] <= 5
        simple += sum(k in COARSE[0] for k in draw.tape.units[:3])
        assert drawn(TapeDraw(draw.tape)), "the tape replays"
        met |= set(draw.tape.units[:3])
    assert 600 < simple < 900 and met >= set(COARSE[0])


def test_a_change_moves_few_numbers_of_one_of_the_best():
    best = {(3,): (0.5, Tape([3], [1, 2, 3, 4])), (1,): (0.7, Tape([1], [9] * 4))}
    rng = np.random.default_rng(0)
    for _ in range(100):
        new = changed(best, rng)
        near = [
            tape for _, tape in best.values() if sum(a != b for a, b in zip(tape.units, new.units, strict=True)) <= 3
        ]
        assert near and len(new.integers) == 1 and new.integers[0] >= 0
    assert changed({(): (0.0, Tape([], []))}, rng) == Tape([], [])


def test_search_looks_at_margins_where_nothing_looks_bad():
    """The margin fails at x = 0, an edge, where the ratio is smallest."""
    made = Statement(
        "toy:rare",
        "claim",
        "x",
        lambda d: Instance(x=d.unit()),
        lambda i: Sides(i.x, 2 + 0 * i.x),
        (Assumption(r"x\ge\frac1{2000}", lambda i: 2000 * i.x - 1),),
    )
    with pytest.raises(BrokenAssumption, match="toy:rare"):
        search(made, 2500, 0)
    assert search(replace(made, assumptions=()), 2500, 0).worst_ratio == 0.5


def test_a_first_precision_of_no_bits_is_refused():
    made = Statement("toy:one", "claim", "x", lambda d: Instance(x=d.unit()), lambda i: Sides(i.x, 2 + 0 * i.x))
    with pytest.raises(ValueError, match="first_bits must be >= 2, got 1"):
        certify(made, Tape([], [0]), first_bits=1)
