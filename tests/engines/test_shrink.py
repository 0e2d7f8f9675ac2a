"""Simplest means simple: other small games, several numbers at once, rows as those before them."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory.engines.check import check
from arubatheory.engines.exact import certify
from arubatheory.engines.shrink import CHANGES, altered, cost, shrink, words_of
from arubatheory.engines.verdict import Status
from arubatheory.engines.witness import encode_instance
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import GRID, Tape
from arubatheory.statements.core import Instance, NotAnInstance, Sides, Statement


def game(draw):
    T = draw.size("T", 8)
    return Instance(z=draw.real(-1, 1, (T, 2)), eta=draw.unit(), T=T)


def shrunk(sides, integers, units, instance=game):
    """The instance that the violation of a tape is shrunk to, as text."""
    statement = Statement("toy", "claim", "x", instance, sides)
    tape = Tape(integers, units)
    found, certificate = shrink(statement, tape, certify(statement, tape), 4)
    assert certificate.outcome == "violated"
    return found, encode_instance(certificate.instance)


def test_a_smaller_game_is_found_that_is_no_part_of_the_larger_one():
    """One round breaks the claim only at z = (1, 1) and eta = 0, three and more wherever z_1 is positive."""

    def sides(i):
        first = i.z[0, 0]
        return Sides(first, i.eta * first + 1 - i.z[0, 1] * first / 2 if i.T < 3 else 0 * first)

    found, data = shrunk(sides, [5], [3 * GRID // 4, 5] * 5 + [GRID // 3])
    assert found.integers == [1] and data["z"]["array"] == ["1", "1"]


def test_rows_become_equal_and_then_are_one_number():
    """No simple number is near enough: a row can only become the one before, in all of its numbers at once."""

    def sides(i):
        far = sum(abs(i.z[:, 0] - i.eta / i.eta * 3 / 10)) + sum(abs(i.z[:, 1] + i.eta / i.eta * 3 / 10))
        return Sides(i.eta / i.eta, far * 2**18)

    units = [13 * GRID // 20, 7 * GRID // 20]
    found, data = shrunk(sides, [2], [GRID, *units, units[0] + 1, units[1] + 1], two_rounds)
    assert data["z"]["array"][:2] == data["z"]["array"][2:] and found.integers == [2]


def two_rounds(draw):
    return Instance(eta=draw.unit(), z=draw.real(-1, 1, (draw.integer(2, 3), 2)))


def test_two_numbers_are_changed_together():
    """x = y is kept: the one cannot be moved without the other, and not all three; no other game is near z."""

    def three(draw):
        return Instance(x=draw.unit(), z=draw.unit(), y=draw.unit())

    def sides(i):
        return Sides(1 - 64 * abs(i.x - i.y) - 2**13 * abs(10 * i.z - 3), 1 - i.x / 64 - i.y / 64)

    z = 3 * GRID // 10
    found, _ = shrunk(sides, [], [GRID // 3, z, GRID // 3 + 1], three)
    assert found.units in ([GRID, z, GRID], [GRID // 2, z, GRID // 2])


def test_the_same_changes_for_the_same_words_and_no_more_than_said():
    tape = Tape([3, 1, 0], [GRID // 3] * 5)
    for seed in range(50):
        words = words_of(np.random.default_rng(seed))
        other = altered(tape, words)
        assert other == altered(tape, words) and [len(part) for part in other] == [3, 5]
        moved = sum(a != b for part, new in zip(tape, other, strict=True) for a, b in zip(part, new, strict=True))
        assert moved <= CHANGES and min(other.integers) >= 0 and max(other.units) <= GRID
    assert altered(Tape([], []), words_of(np.random.default_rng(0))) == Tape([], [])


@pytest.mark.parametrize("seed", range(3))
def test_games_that_are_none_are_left_out_while_one_is_shortened(seed):
    def odd(draw):
        made = game(draw)
        if made.T % 2 == 0:
            raise NotAnInstance("an odd number of rounds")
        return made

    claim = Statement("odd", "claim", "x", odd, lambda i: Sides(sum(i.z[:, 0]), 2 + 0 * i.eta))
    verdict = check(claim, 2000, seed)
    assert verdict.status is Status.REFUTED and verdict.simplest.instance["T"] == 3


def test_what_is_simple_has_little_to_tell():
    def of(integers, units):
        statement = Statement("toy", "claim", "x", game, lambda i: Sides(i.eta, 1))
        tape = Tape(integers, units)
        return cost(tape, certify(statement, tape).instance)

    equal, other = of([4], [GRID] * 8 + [0]), of([4], [GRID, 0] * 2 + [GRID] * 4 + [0])
    assert equal == (10 + 2, 9, equal[2], 4) and other == (10 + 7, 9, other[2], 4)
    assert of([1], [GRID] * 2 + [0]) < equal < other and cost(Tape([1, 2], [3]), None) == (3, 0, 0, 3)


def test_no_candidate_is_tried_twice(monkeypatch):
    """The descent that cuts games first and the one that does not, and pass after pass, ask for much the same."""
    tried = []

    def noted(tape, **named):
        tried.append((*tape.integers, *tape.units))
        return LenientDraw(tape, **named)

    monkeypatch.setattr("arubatheory.engines.shrink.LenientDraw", noted)
    units = [GRID - 1, GRID - 3, GRID // 3, GRID // 5, GRID // 7, GRID // 9]
    shrunk(lambda i: Sides(i.z[0, 0] * i.z[0, 1], i.eta), [2], [*units, GRID // 11])
    assert len(tried) == len(set(tried)) > 100


@pytest.mark.parametrize("least", [4321, 100, 7])
@pytest.mark.parametrize("is_size", [True, False])
def test_a_large_number_is_halved_towards_the_least_that_breaks_the_claim(least, is_size):
    """Without that, one by one: 500 candidates are no way from 6765 to 4321."""
    tried = []

    def instance(draw):
        return Instance(n=draw.size("n", 8) if is_size else draw.integer(0, 10_000))

    def sides(i):
        tried.append(i.n)
        return Sides(1 if i.n >= least else 0, 0)

    statement = Statement("toy", "claim", "x", instance, sides)
    tape = Tape([6765], [])
    found, _ = shrink(statement, tape, certify(statement, tape))
    assert found.integers == [least] and len(tried) < 300
