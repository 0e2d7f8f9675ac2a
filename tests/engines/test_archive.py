"""What a search remembers of each class of games, and what draws it."""

from __future__ import annotations

import math

import numpy as np

from arubatheory.engines.archive import CLASSES, NEAR, Archive, class_of
from arubatheory.engines.search import _Adversary
from arubatheory.engines.trial import STRUCTURES, Record
from arubatheory.problems.draw import Tape
from arubatheory.problems.rows import LADDER, rung
from arubatheory.statements.core import Instance, Sides, Statement

GAME = Statement("game", "claim", "x", lambda draw: Instance(x=draw.unit()), lambda i: Sides(i.x, 2 + i.x))


def test_the_ladder_classes_sizes():
    assert [rung(k) for k in (1, 4, 8, 9, 10**6)] == [1, 5, 8, 13, LADDER[-1]]
    assert class_of({"rounds": 4, "tasks": 1}, Tape([4, 1], [7])) == (5, 1)
    assert class_of({}, Tape([4, 1], [7] * 9)) == (13,)


def test_the_archive_keeps_what_is_best_of_each_class():
    archive = Archive()
    for k in range(2, 400):
        archive.add(class_of({"rounds": k}, Tape([k], [])), -abs(k - 100.0), Tape([k], []))
    kept = [(where[0], tape.integers[0], badness) for where, (badness, tape) in archive.best(10**6, 1)]
    nearest = {**{k: k for k in (2, 3, 5, 8, 13, 21, 34, 55, 89)}, 144: 100, 233: 145, 377: 234, 610: 378}
    assert kept == sorted(((top, k, -abs(k - 100)) for top, k in nearest.items()), key=lambda found: -found[2])
    of_two = [(where[0], tape.integers[0]) for where, (_, tape) in archive.best(6, 3)]
    assert of_two == [(144, 100), (144, 99), (144, 101), (89, 89), (89, 88), (89, 87)]


def test_the_archive_forgets_the_classes_that_promise_least():
    archive = Archive()
    for k in range(CLASSES + 5):
        archive.add((k, 1), float(k * 7 % (CLASSES + 5)), Tape([k], []))
    kept = [badness for _, (badness, _) in archive.best(10**6, 1)]
    assert kept == [float(k) for k in range(CLASSES + 4, 4, -1)]


def test_a_later_structure_of_the_same_badness_takes_the_place_of_an_earlier_one():
    """So that a search drifts where many games are equally bad."""
    archive = Archive()
    for k in range(STRUCTURES + 2):
        archive.add((5,), 0.5, Tape([k], []))
    assert [tape.integers for _, (_, tape) in archive.best(9, 9)] == [[k + 2] for k in range(STRUCTURES)]
    archive.add((8,), -math.inf, Tape([1], []))
    assert {where for where, _ in archive.best(9, 9)} == {(5,)}


def test_what_hardly_misses_a_tie_promises_no_more_than_one():
    """It waits behind other games, and its class behind other classes; what breaks a claim comes first."""
    archive = Archive()
    for k, badness in enumerate((1.0, 1 - NEAR / 2, 0.5, 1 - 2 * NEAR, 1 + 1e-9)):
        archive.add((5,), badness, Tape([k], []))
    assert [tape.integers[0] for _, (_, tape) in archive.best(10**6, STRUCTURES)] == [4, 3, 2, 0]
    adversary = _Adversary(Record(GAME, "search", 0), 100, np.random.default_rng(0))
    for where, end in (((5,), 0.9), ((8,), 1 - NEAR / 2)):
        adversary._ended(where, 0.5, (end, Tape([1], [1])))
    assert adversary._gains((5,), (0.91, Tape([], []))) and not adversary._gains((8,), (1.0, Tape([], [])))
