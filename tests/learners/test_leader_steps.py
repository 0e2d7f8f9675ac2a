"""FTL and FTRL on losses as functions: against closed forms, mirror descent, and points of the domain."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from arubatheory.arithmetic import exact
from arubatheory.learners import FTL, FTRL, ftl, ftrl, omd, play
from arubatheory.own import Intersection, PBall, PNorm, Rounds
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, ball, box, simplex, space
from arubatheory.problems.losses import losses, rows
from arubatheory.problems.own.steps import onto
from arubatheory.problems.projections import projected
from arubatheory.problems.regularizers import entropy, euclidean, mahalanobis

rng = np.random.default_rng(5)
A, TARGETS, PHI = rng.normal(size=(7, 3)), rng.normal(size=7), np.array([0.25, 0.25, 0.5])
ETA, H = 0.5, np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 4.0]])
PLACES = {SPACE: space(3), BOX: box([-0.25] * 3, [0.5] * 3), BALL: ball([0.0] * 3, 0.75), SIMPLEX: simplex(3)}


def miss(x, a, y):
    return float(a @ x - y) ** 2 / 2


def miss_slope(x, a, y):
    return (a @ x - y) * a


def tilt(x, a):
    return float(a @ x)


def tilt_slope(x, a):
    return a


SQUARES, LINES = Rounds(miss, miss_slope, A, TARGETS), Rounds(tilt, tilt_slope, A)


@pytest.mark.parametrize("R", [euclidean(3), mahalanobis(H)], ids=["euclidean", "quadratic"])
def test_ftrl_of_functions_is_the_solution_of_its_linear_system(R):
    played = ftrl(SQUARES, space(3), R, PHI, ETA)
    B = np.eye(3) if R.kind == 0 else H
    for t in range(len(A)):
        wanted = np.linalg.solve(B + ETA * A[:t].T @ A[:t], B @ PHI + ETA * A[:t].T @ TARGETS[:t])
        np.testing.assert_allclose(played.actions[t], wanted, rtol=0, atol=2e-7)
        assert played.values[t] == miss(played.actions[t], A[t], TARGETS[t])
        distance = played.actions[t] - wanted
        assert distance @ distance <= 2 * played.gap[t] + 1e-15 and played.gap[t] < 1e-12


def objective(t, x):
    return (x - PHI) @ (x - PHI) / 2 + ETA * sum(miss(x, A[s], TARGETS[s]) for s in range(t))


@pytest.mark.parametrize("kind", PLACES)
def test_no_point_of_the_domain_beats_ftrl_by_more_than_its_gap(kind):
    domain, far = PLACES[kind], np.random.default_rng(0).normal(size=(200, 3))
    played = ftrl(SQUARES, domain, euclidean(3), projected(domain, PHI), ETA)
    if kind != BOX:  # PHI is a point of the others
        for t in range(len(A)):
            least = min(
                objective(t, projected(domain, played.actions[t] + s * x)) for x in far for s in (1e-4, 1e-2, 1)
            )
            assert least >= objective(t, played.actions[t]) - played.gap[t] - 1e-14
    assert (played.gap >= 0).all() and played.gap.max() < 1e-10


@pytest.mark.parametrize(
    ("domain", "R"),
    [
        *((place, euclidean(3)) for place in PLACES.values()),
        (PBall(np.zeros(3), 1.0, p=1), euclidean(3)),
        (Intersection(PLACES[BALL], PLACES[BOX]), euclidean(3)),
        (PBall(np.zeros(3), 1.0, p=1.5), PNorm(1.5)),
    ],
)
def test_on_linear_functions_ftrl_is_mirror_descent(domain, R):
    start = onto(domain, PHI)
    played, wanted = ftrl(LINES, domain, R, start, ETA), omd(LINES, domain, R, start, ETA)
    np.testing.assert_allclose(played.actions, wanted.actions, rtol=0, atol=1e-6)
    far = ((played.actions - wanted.actions) ** 2).sum(axis=1)
    assert (far <= 2 * played.gap + 1e-12).all()


def test_ftl_of_functions_is_least_squares():
    over = ball([0.0] * 3, 100.0)
    learner = FTL(over, PHI)
    for t in range(len(A)):
        if t >= 3:
            wanted = np.linalg.lstsq(A[:t], TARGETS[:t], rcond=None)[0]
            np.testing.assert_allclose(learner.action, wanted, rtol=0, atol=1e-5)
            assert 0 <= learner.gap < 1e-8
        learner.see(SQUARES.part(t, t + 1))
        learner = pickle.loads(pickle.dumps(learner))
    assert learner.round == 7


@pytest.mark.parametrize("kind", PLACES)
def test_ftl_as_state_is_the_whole_sequence(kind):
    domain, start = PLACES[kind], projected(PLACES[kind], PHI)
    game = losses("linear", A, ridge=0.5, c=-A)
    whole, learner = ftl(game, domain, start), FTL(domain, start)
    assert np.array_equal(play(learner, game).actions, whole.actions)
    rational, more = FTL(exact(domain), exact(start)), exact(game)
    exactly = ftl(more, exact(domain), exact(start)).actions
    for t in range(4):
        assert all(
            x == y if x.is_rational and y.is_rational else x.v.overlaps(y.v)
            for x, y in zip(rational.action, exactly[t], strict=True)
        )
        rational.see(rows(more, t, t + 1))
        rational = pickle.loads(pickle.dumps(rational))


@pytest.mark.parametrize("in_exact", [False, True], ids=["floats", "exact"])
def test_linear_losses_are_remembered_as_one_and_others_each(in_exact):
    number = exact if in_exact else (lambda x: x)
    links = ["linear", "square", "linear", "linear", "square", "linear"]
    game = losses(links, A[:6], TARGETS[:6], weight=[1, 1, 0, 2, 1, 3], ridge=[0.5, 0, 0, 0.25, 1, 0], c=-A[:6])
    game, place, phi, R, eta = (number(x) for x in (game, simplex(3), PHI, euclidean(3), ETA))
    for learner, whole in (
        (FTRL(place, R, phi, eta), ftrl(game, place, R, phi, eta)),
        (FTL(place, phi), ftl(game, place, phi)),
    ):
        for t, wanted in enumerate(whole.actions):
            found = learner.action
            if in_exact:
                assert all(
                    bool(x.v.overlaps(y.v)) if not (x.is_rational and y.is_rational) else x == y
                    for x, y in zip(found, wanted, strict=True)
                )
            else:
                np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
            assert t == 0 or sum(len(part.b) for part in learner.memory) == 1 + links[:t].count("square")
            learner.see(rows(game, t, t + 1))


@pytest.mark.parametrize("kind", PLACES)
def test_squares_as_state_are_summed_as_in_the_whole_sequence(kind):
    domain, start = PLACES[kind], projected(PLACES[kind], PHI)
    game = losses("square", A, TARGETS, ridge=0.5, c=-A)
    for learner, whole in (
        (FTRL(domain, mahalanobis(H), start, ETA), ftrl(game, domain, mahalanobis(H), start, ETA)),
        (FTL(domain, start), ftl(game, domain, start)),
    ):
        for t in range(len(A)):
            assert np.array_equal(learner.action, whole.actions[t]) and learner.gap == whole.gap[t]
            assert t == 0 or learner._kept.numbers[0] == t  # and no loss is read again
            copied = pickle.loads(pickle.dumps(learner))
            copied.see(losses("logistic", A[:1], ridge=0.5))  # a pass over the past, from there on
            assert copied._kept is None and copied.round == t + 1
            aside = copy.copy(learner)
            aside.see(rows(game, (t + 3) % 7, (t + 3) % 7 + 1))  # another round, which learner never hears of
            learner.see(rows(game, t, t + 1))


def test_few_losses_are_copied():
    learner, game = (
        FTRL(PLACES[BALL], euclidean(3), PHI, ETA),
        losses("square", np.tile(A, (10, 1)), np.tile(TARGETS, 10)),
    )
    for t in range(70):
        learner.see(rows(game, t, t + 1))
    sizes = [len(part.b) for part in learner.memory]
    assert sum(sizes) == 70 and len(sizes) <= 8 and sizes[1:] == sorted(sizes[1:], reverse=True)


def test_an_error_names_the_round_and_not_what_is_remembered():
    learner, linear = FTL(exact(simplex(3)), exact(PHI)), exact(losses("linear", A))
    for t in range(4):
        learner.see(rows(linear, t, t + 1))
    with pytest.raises(ValueError, match="those before round 6 are not"):
        learner.see(exact(losses("logistic", A[:1])))
    assert learner.round == 4 and [len(part.b) for part in learner.memory] == [1]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: FTL(space(3), PHI).see([1.0]), TypeError, "seen must be a Losses of one round, or a Rounds of one"),
        (lambda: FTL(space(3), PHI).see(SQUARES), TypeError, "seen must be a Losses of one round, or a Rounds of one"),
        (
            lambda: FTL(space(3), PHI).see(losses("linear", A[:1])),
            ValueError,
            r"losses must have a unique leader on R\^d",
        ),
        (
            lambda: ftrl(SQUARES, simplex(3), entropy(3), PHI, ETA),
            ValueError,
            "R must not be the entropy for losses as functions",
        ),
        (lambda: ftrl(Rounds(miss, None, A, TARGETS), space(3), euclidean(3), PHI, ETA), ValueError, "gradient"),
        (
            lambda: FTRL(exact(space(3)), exact(euclidean(3)), exact(PHI), 1).see(SQUARES.part(0, 1)),
            TypeError,
            "is no exact number|an Exact does not mix|must be exact|an Exact never turns|must be in exact",
        ),
    ],
)
def test_bad_input_is_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_two_kinds_of_losses_do_not_mix_and_change_nothing():
    learner = FTRL(space(3), euclidean(3), PHI, ETA)
    learner.see(SQUARES.part(0, 1))
    before = learner.action
    with pytest.raises(TypeError, match="seen must be Rounds, as before"):
        learner.see(losses("linear", A[:1]))
    assert learner.round == 1 and np.array_equal(learner.action, before)


def test_the_gap_of_a_learner_is_that_of_the_whole_sequence():
    L, over = losses("absolute", A, TARGETS, ridge=1.0), ball([0.0] * 3, 1.0)
    led = (
        (FTRL(over, euclidean(3), PHI, ETA), ftrl(L, over, euclidean(3), PHI, ETA)),
        (FTL(over, PHI), ftl(L, over, PHI)),
    )
    for learner, whole in led:
        assert np.array_equal(play(learner, L).gap, whole.gap) and whole.gap.max() > 0
