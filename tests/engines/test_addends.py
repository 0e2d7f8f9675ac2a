"""The terms of a right side: what is one, and which of them the closest instances need."""

from __future__ import annotations

import pytest

from arubatheory import log, sqrt
from arubatheory.arithmetic import Exact
from arubatheory.engines import trial
from arubatheory.engines.addends import MOST, left_out, needed
from arubatheory.engines.check import check
from arubatheory.engines.reach import Reach, joined
from arubatheory.engines.search import search
from arubatheory.problems.draw import GRID, Tape, TapeDraw
from arubatheory.statements.core import Instance, Sides, Statement


def of(sides, units=(GRID, GRID // 2), integers=()):
    """What leaving out the terms of a right side does at x, y, and n integers."""
    made = Statement(
        "toy", "claim", "x", lambda d: Instance(x=d.unit(), y=d.unit(), n=d.integers(0, 9, len(integers))), sides
    )
    return left_out(made, TapeDraw(Tape(list(integers), list(units)), exact=True))


def test_each_term_is_left_out_alone():
    assert of(lambda i: Sides(i.x + i.y / 2, i.x + i.y)) == (1, 1)
    assert of(lambda i: Sides(i.x, i.x + i.y)) == (1, 0), "a tie without y is not broken"
    assert of(lambda i: Sides(i.x / 2, i.x + i.y), (GRID, 0)) == (1, 0), "a term of 0 is not needed here"
    assert of(lambda i: Sides(0 * i.x, i.x + i.y)) == (0, 0), "nothing is near"
    assert of(lambda i: Sides(i.x, 2 * i.x + i.y)) == (1, 0)
    assert of(lambda i: Sides(i.x, 1 + log(2) * i.y)) == (1, 0), "a printed number is a term, and a ball"


def test_a_term_that_is_negative_cannot_be_needed():
    assert of(lambda i: Sides(i.x / 2, i.x - i.y)) == (1, -1)
    assert of(lambda i: Sides(i.x / 4, -(i.y - i.x))) == (1,), "what is negated is one term"
    assert of(lambda i: Sides(2 * i.x, 3 - i.y + i.x / 8)) == (1, -1, 0)


def test_what_is_multiplied_by_one_number_keeps_its_terms():
    assert of(lambda i: Sides(i.x, (i.x + i.y) * 2 / 3)) == (1, 1)
    assert of(lambda i: Sides(i.x, 2 * (i.x + i.y) * i.x)) == (0, 0)
    assert of(lambda i: Sides(2 * i.x, 2 * (i.x + i.y) * i.x)) == (1, 0)
    assert (
        of(lambda i: Sides(i.x, (1 + i.x) / 2 + i.y)) == (0, 0, 0) != of(lambda i: Sides(i.x, (1 + i.x) / 2)) == (1, 1)
    )
    assert of(lambda i: Sides(i.x / 2, 1 / (i.x + i.y))) == (1,), "a reciprocal is one term"
    assert of(lambda i: Sides(i.x, (i.x + i.y) * (i.x + 1))) == (1,), "and so is a product of sums"
    assert of(lambda i: Sides(i.x, sqrt(i.x + i.y))) == (1,), "and a root"


def total(numbers, start=0):
    for n in numbers:
        start = start + n
    return start


def test_what_a_loop_adds_up_is_one_term():
    assert of(lambda i: Sides(i.x, i.y + i.x * total([i.x, i.x, i.x]) / 4)) == (1, 1)
    assert of(lambda i: Sides(i.x * 3 / 4, i.y + sum([i.x, i.x]) / 4)) == (1, 1)
    assert len(of(lambda i: Sides(i.x, i.x + i.x + i.x))) == 3, "places in the text are different terms"


def test_a_sum_of_many_terms_is_one():
    assert MOST == 6
    assert len(of(lambda i: Sides(i.x, i.x + i.x + i.x + i.x + i.x + i.x))) == 6
    assert len(of(lambda i: Sides(i.x, i.x + i.x + i.x + i.x + i.x + i.x + i.x))) == 1


def test_of_several_inequalities_the_closest_counts():
    assert of(lambda i: (Sides(i.x, 9 * i.x), Sides(i.x, i.x + i.y))) == (1, 0)


def test_nothing_is_said_without_a_value_and_numbers_are_plain_again():
    assert of(lambda i: Sides(i.x, 1 / (i.y - i.y) + i.x)) == ()
    with pytest.raises(RuntimeError):
        of(raising)
    assert type(Exact(1) + 1) is Exact


def raising(i):
    raise RuntimeError(i)


def test_one_of_the_instances_is_enough():
    assert needed([(1, 0), (0, 1)]) == (2, 2)
    assert needed([(1, 0), (0, 1, 1)]) == (2, 1), "another number of terms is another formula"
    assert needed([(1, -1), (1, -1)]) == needed([(1,)]) == needed([(), (1, 1)]) == (0, 0)
    assert needed([(1, -1), (0, 0)]) == (2, 1)


def near(draw):
    return Instance(x=draw.unit(), y=draw.unit())


@pytest.mark.parametrize("engine", [check, search])
def test_a_run_tells_the_terms_that_it_would_have_missed(engine):
    needs_both = Statement("both", "claim", "x", near, lambda i: Sides(i.x + i.y / 2, i.x + i.y))
    seen = engine(needs_both, 400, 0)
    assert seen.reach.terms[1:] == (2, 2)
    said = "of 2 terms on the right, 2 are needed where it was closest"
    assert said in seen.notes
    spare = Statement("spare", "claim", "x", near, lambda i: Sides(i.x / 2, i.x + i.y))
    assert engine(spare, 400, 0).reach.terms[1:] == (2, 1)
    for lost, right in enumerate((lambda i: i.y, lambda i: i.x)):
        without = Statement("lost", "claim", "x", near, lambda i, right=right: Sides(i.x / 2, right(i)))
        assert (engine(without, 400, 0).status == "REFUTED") == (lost == 0)
    alone = Statement("alone", "claim", "x", near, lambda i: Sides(i.x, 2 * i.x))
    assert engine(alone, 400, 0).reach.terms == ()


@pytest.mark.parametrize(("most", "fewest", "largest"), [(trial.TERM_OPERATIONS, 2, 7), (1, 1, 1), (0, 0, 0)])
def test_where_exact_sides_are_dear_fewer_instances_are_looked_at(most, fewest, largest, monkeypatch):
    seen = []
    monkeypatch.setattr(trial, "TERM_OPERATIONS", most)
    monkeypatch.setattr(trial, "left_out", lambda *run: seen.append(left_out(*run)) or seen[-1])
    search(Statement("spare", "claim", "x", near, lambda i: Sides(i.x / 2, i.x + i.y)), 400, 0)
    assert fewest <= len(seen) <= largest


def test_of_several_runs_the_closest_tells():
    runs = [Reach(terms=(0.5, 2, 2)), Reach(terms=(0.9, 2, 1)), Reach()]
    assert joined(runs).terms == joined(runs[::-1]).terms == (0.9, 2, 1)
    assert Reach.from_json({"by_size": {}, "closest": None, "climbs": []}).terms == ()
