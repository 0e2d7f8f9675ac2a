"""EWOO and learners of sums as state: the numbers of whole sequences; pickled in each round, started anew, refused."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from arubatheory.arithmetic import exact
from arubatheory.learners import EWOO, BregmanFTL, EpsEWOO, EpsFTL, bregman_ftl, eps_ewoo, eps_ftl, ewoo, play
from arubatheory.own import Rounds
from arubatheory.problems.curves import Curves
from arubatheory.problems.losses import losses

rng = np.random.default_rng(3)
T, D, EPS = 150, 2.0, 0.1
SIZES, WEIGHTS = rng.uniform(0, D, T), rng.uniform(0.1, 3, T) * 10.0 ** rng.integers(-5, 5, T)
POINTS = rng.normal(size=(T, 3))
HUGE = np.array([1e-300, 1.0, 1e300, 1e-300, 1.0])  # the scale of the weights has to change
MIXED = Curves(np.array([1, 1, 2, 0]), np.ones(4), np.array([0.5, 0.2, 1.0, 1.0]), np.ones(4))


class Near:
    """A quadratic loss that pickles."""

    def __init__(self, centre):
        self.centre = centre

    def __call__(self, x):
        return (x - self.centre) ** 2 / 2


NEAR = [Near(c) for c in rng.uniform(0, 1, 6)]


def told(learner, seen):
    """Its actions, pickled and restored in each round."""
    actions = []
    for one in seen:
        actions.append(learner.action)
        learner = pickle.loads(pickle.dumps(learner))
        learner.see(*one)
    return np.array(actions)


def rows_of(parts):
    return [(type(parts)(*(x[t : t + 1] for x in parts)),) for t in range(len(parts[1]))]


SQUARES = losses("square", np.ones((6, 1)), rng.uniform(0, 1, 6))
CASES = {  # a learner, what it sees, and the whole sequence; made when asked for, as that compiles
    "eps_ewoo": lambda: (
        EpsEWOO(D, EPS, 1e-3),
        zip(SIZES, WEIGHTS, strict=True),
        eps_ewoo(SIZES, WEIGHTS, D, EPS, gamma=1e-3).actions,
    ),
    "eps_ewoo from 0": lambda: (
        EpsEWOO(D, EPS, 0.5, "main"),
        zip(SIZES, strict=True),
        eps_ewoo(SIZES, 1.0, D, EPS, gamma=0.5, domain="main").actions,
    ),
    "eps_ftl": lambda: (EpsFTL(D, EPS), zip(SIZES, WEIGHTS, strict=True), eps_ftl(SIZES, WEIGHTS, D, EPS).actions),
    "eps_ftl from a point": lambda: (
        EpsFTL(D, EPS, 0.5),
        zip(SIZES, strict=True),
        eps_ftl(SIZES, 1.0, D, EPS, 0.5).actions,
    ),
    "bregman_ftl": lambda: (
        BregmanFTL(np.ones(3)),
        zip(POINTS, WEIGHTS, strict=True),
        bregman_ftl(POINTS, WEIGHTS, np.ones(3)),
    ),
    "huge weights": lambda: (
        BregmanFTL(np.ones(3)),
        zip(POINTS[:5], HUGE, strict=True),
        bregman_ftl(POINTS[:5], HUGE, np.ones(3)),
    ),
    "ewoo on functions": lambda: (EWOO(0.5, 0, 1), zip(NEAR, strict=True), ewoo(NEAR, 0.5, 0, 1).actions),
    "ewoo on curves": lambda: (EWOO(0.2, 0.1, 1), rows_of(MIXED), ewoo(MIXED, 0.2, 0.1, 1).actions),
    "ewoo on losses": lambda: (EWOO(0.2, 0, 1), rows_of(SQUARES), ewoo(SQUARES, 0.2, 0, 1).actions),
    "ewoo at a point": lambda: (EWOO(0.5, 1, 1), zip(NEAR, strict=True), ewoo(NEAR, 0.5, 1, 1).actions),
}


@pytest.mark.parametrize("name", CASES)
def test_states_play_the_numbers_of_whole_sequences(name):
    learner, seen, whole = CASES[name]()
    found = told(learner, seen)
    assert found.shape == whole.shape and np.array_equal(found, whole)
    assert learner.round == 0 and np.array_equal(learner.action, whole[0])


def test_means_are_exact():
    points, weights, first = exact(POINTS[:6]), exact(WEIGHTS[:6]), exact(np.ones(3))
    found = told(BregmanFTL(first), zip(points, weights, strict=True))
    assert all((found == bregman_ftl(points, weights, first)).ravel())


def test_ewoo_plays_sequences():
    assert np.array_equal(play(EWOO(0.2, 0, 1), SQUARES).actions, ewoo(SQUARES, 0.2, 0, 1).actions)
    with pytest.raises(TypeError, match="losses must be a Losses for EWOO, or be shown to it one by one"):
        play(EWOO(0.2, 0, 1), Rounds(lambda x, t: float(x[0]), lambda x, t: x, np.arange(2)))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: EWOO(0, 0, 1), ValueError, "gamma must be > 0, got 0"),
        (lambda: EWOO(1, 1, 0), ValueError, "high must be >= low, got low=1.0, high=0.0"),
        (lambda: EWOO(1, 0, 1).see(3), TypeError, "seen must be a function, or a Losses or Curves of one round, got 3"),
        (lambda: EWOO(1, 0, 1).see(MIXED), TypeError, "seen must be a function, or a Losses or Curves of one"),
        (lambda: EWOO(1, 0, 1).see(lambda x: 0 * x[:1]), ValueError, r"losses\[0\] must return real numbers of shape"),
        (lambda: EWOO(1, 0, 1).see(lambda x: -(x**2) * 9), ValueError, r"losses\[0\] must be exp-concave with gamma=1"),
        (lambda: EpsEWOO(1, 1, 1, "other"), ValueError, "domain must be 'appendix' or 'main', got 'other'"),
        (lambda: EpsEWOO(1, 0, 1), ValueError, "eps must be > 0, got 0"),
        (lambda: EpsEWOO(1, 1, 1).see(2), ValueError, "B must be <= 1, got 2"),
        (lambda: EpsEWOO(1, 1, 1).see(1, 0), ValueError, "alpha must be > 0, got 0"),
        (lambda: EpsEWOO(1, 1, 1e200).see(1, 1e200), OverflowError, "EpsEWOO left the range of float64 in round 0"),
        (lambda: EpsFTL(1, 0.5, 2), ValueError, r"first must lie in \[eps, sqrt\(D\^2 \+ eps\^2\)\]"),
        (lambda: EpsFTL(1, 0.5).see(-1), ValueError, "B must be >= 0, got -1"),
        (lambda: EpsFTL(1, 0.5).see(1, math.nan), ValueError, "alpha must be"),
        (lambda: BregmanFTL([0.0]).see([1.0, 2.0]), ValueError, r"point must have shape \(1,\), got \(2,\)"),
        (lambda: BregmanFTL([0.0]).see([1.0], -1), ValueError, "alpha must be > 0, got -1"),
        (lambda: BregmanFTL([0.0]).see(exact(np.ones(1))), TypeError, "point is exact"),
    ],
)
def test_bad_input_is_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_what_is_refused_changes_nothing():
    learner = EWOO(0.5, 0, 1)
    learner.see(NEAR[0])
    with pytest.raises(TypeError, match="seen must be of one kind in all rounds"):
        learner.see(rows_of(SQUARES)[0][0])
    with pytest.raises(ValueError, match=r"losses\[1\] must be exp-concave"):
        learner.see(lambda x: -9 * x**2)
    learner.see(NEAR[1])
    assert np.array_equal(learner.start().action, [0.5]) and learner.round == 2
    again = EWOO(0.5, 0, 1)
    for near in NEAR[:2]:
        again.see(near)
    assert np.array_equal(again.action, learner.action)


def test_an_overflow_changes_nothing():
    learner, again = EpsEWOO(1, 1, 1e200), EpsEWOO(1, 1, 1e200)
    with pytest.raises(OverflowError):
        learner.see(1, 1e200)
    for one in (learner, again):
        one.see(0.5, 1e-200)
    assert np.array_equal(learner.action, again.action) and learner.round == 1
