"""Learners as state: the numbers of the whole sequences, in floats and exactly; pickled, restored, refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from arubatheory.arithmetic import approximate, exact
from arubatheory.kernel import compiled, pure
from arubatheory.learners import (
    FTRL,
    OMD,
    AdaGrad,
    AdaptiveOGD,
    DynamicOGD,
    GreedyOGD,
    Hedge,
    OnlineNewton,
    OptimisticOMD,
    PreconditionedOMD,
    aogd,
    dynamic_ogd,
    ftrl,
    greedy_ogd,
    omd,
    play,
    preconditioned_omd,
    regret,
)
from arubatheory.learners.stepped import played_quickly
from arubatheory.own import Rounds, quantile
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, ball, box, contains, interval, simplex, space
from arubatheory.problems.losses import LINEAR, losses, rows
from arubatheory.problems.own.compiled import summed_compiled
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, MAHALANOBIS, entropy, euclidean, mahalanobis
from tests.learners.learner_instances import KINDS, both

WHOLE = {
    "omd": (lambda p: omd(*p), lambda p: OMD(p.domain, p.R, p.phi, p.eta)),
    "greedy_ogd": (lambda p: greedy_ogd(p.losses, p.domain, p.phi, p.eta), lambda p: GreedyOGD(p.domain, p.phi, p.eta)),
    "dynamic_ogd": (
        lambda p: dynamic_ogd(p.losses, p.domain, p.phi, p.eta, p.eta / (1 + p.eta)),
        lambda p: DynamicOGD(p.domain, p.phi, p.eta, p.eta / (1 + p.eta)),
    ),
    "aogd": (lambda p: aogd(ridged(p), p.domain, p.phi), lambda p: AdaptiveOGD(p.domain, p.phi)),
    "ftrl": (lambda p: ftrl(*p), lambda p: FTRL(p.domain, p.R, p.phi, p.eta)),
    "preconditioned_omd": (
        lambda p: preconditioned_omd(p.losses, p.domain, np.diag(0 * p.phi + p.eta), p.phi),
        lambda p: PreconditionedOMD(p.domain, np.diag(0 * p.phi + p.eta), p.phi),
    ),
}


def ridged(p):
    """The losses with ridges of at least 1."""
    return p.losses._replace(ridge=p.losses.ridge + 1)


def stepped(name, p):
    """The actions, round by round, told gradients and losses in turn."""
    losses, state = ridged(p) if name == "aogd" else p.losses, WHOLE[name][1](p).start()
    actions = []
    for t in range(len(losses.a)):
        actions.append(state.action)
        state.see(rows(losses, t, t + 1))
    return np.array(actions)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", WHOLE)
def test_states_play_the_numbers_of_whole_sequences(name, kind):
    floats, _ = both(2, kind, EUCLIDEAN, m=5)
    if name == "ftrl" and compiled():
        return  # its solver is compiled by itself; uncompiled, the same numbers are compared
    np.testing.assert_allclose(stepped(name, floats), WHOLE[name][0](floats).actions, rtol=1e-12, atol=1e-13)
    _, rational = both(2, kind, EUCLIDEAN, link=LINEAR, m=4)
    if name == "preconditioned_omd" and kind == BALL:
        return  # a multiplier at each step: asked for in test_preconditioned
    whole, seen = WHOLE[name][0](rational).actions, stepped(name, rational)
    for one, other in zip(seen.ravel(), whole.ravel(), strict=True):
        assert one == other if one.is_rational and other.is_rational else approximate(abs(one - other)) < 1e-13


@pytest.mark.parametrize("R", [ENTROPY, MAHALANOBIS])
@pytest.mark.parametrize("kind", [BOX, BALL, SIMPLEX])
def test_mirror_steps_of_other_regularisers(kind, R):
    p, _ = both(4, kind, R, m=4)
    assert np.array_equal(play(OMD(*p[1:]), p.losses).actions, omd(*p).actions)


SLOPES = np.array([[1.0, -0.5, 0.25], [-0.25, 1.0, 0.5], [0.5, 0.5, -1.0], [1.0, 0.0, 0.0]])
PLACES = {SPACE: space(3), BOX: box([-0.25] * 3, [0.5] * 3), BALL: ball([0.0] * 3, 0.5), SIMPLEX: simplex(3)}


def told(learner):
    """Its actions under the gradients SLOPES."""
    actions = [learner.action]
    for g in SLOPES:
        learner.see(exact(g) if learner.phi.dtype == object else g)
        actions.append(learner.action)
    return np.array(actions)


def starts(kind):
    return np.array([0.25, 0.25, 0.5]) if kind == SIMPLEX else np.zeros(3)


def nearest_in_norm(A, domain, free):
    """The point of the domain that is nearest in the norm of A, by descent in the Euclidean one."""
    from arubatheory.problems.projections import projected

    x = projected(domain, free)
    for _ in range(500):
        x = projected(domain, x - A @ (x - free) / np.linalg.eigvalsh(A)[-1])
    return x


def literal(form, kind, delta=0.25, eta=0.5, gamma=0.5, eps=0.25):
    """AdaGrad and the online Newton step as their papers print them."""
    x, seen, domain = starts(kind), np.zeros((3, 3)), PLACES[kind]
    actions = [x]
    for g in SLOPES:
        seen = seen + np.outer(g, g)
        if form == "newton":
            A, rate = eps * np.eye(3) + seen, 1 / gamma
        else:
            values, V = np.linalg.eigh(seen)
            root = (V * np.sqrt(np.maximum(values, 0))) @ V.T
            sizes = {"scalar": np.full(3, np.sqrt(np.trace(seen))), "diagonal": np.sqrt(np.diag(seen))}
            A, rate = delta * np.eye(3) + (root if form == "full" else np.diag(sizes[form])), eta
        x = nearest_in_norm(A, domain, x - rate * np.linalg.solve(A, g))
        actions.append(x)
    return np.array(actions)


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("form", ["scalar", "diagonal", "full", "newton"])
def test_matrix_steps_are_the_printed_ones(form, kind):
    if form == "newton":
        learner = OnlineNewton(PLACES[kind], starts(kind), 0.5, 0.25)
    else:
        learner = AdaGrad(PLACES[kind], starts(kind), 0.5, form, delta=0.25)
    np.testing.assert_allclose(told(learner), literal(form, kind), rtol=0, atol=2e-9)


@pytest.mark.parametrize("kind", [SPACE, BOX])
def test_matrix_steps_enclose_in_exact_numbers(kind):
    domain, phi = exact(PLACES[kind]), exact(starts(kind))
    made = [OnlineNewton(domain, phi, 0.5, 0.25), AdaGrad(domain, phi, 0.5), AdaGrad(domain, phi, 0.5, "scalar")]
    like = [
        OnlineNewton(PLACES[kind], starts(kind), 0.5, 0.25),
        AdaGrad(PLACES[kind], starts(kind), 0.5),
        AdaGrad(PLACES[kind], starts(kind), 0.5, "scalar"),
    ]
    for one, other in zip(made, like, strict=True):
        np.testing.assert_allclose(approximate(told(one)).astype(float), told(other), rtol=1e-13, atol=1e-14)


def test_without_delta_a_direction_without_gradients_stays():
    learner = AdaGrad(space(2), [1.0, 2.0], 0.5)
    learner.see([3.0, 0.0])
    assert learner.action.tolist() == [0.5, 2.0]
    full = AdaGrad(space(2), [1.0, 2.0], 0.5, "full")
    full.see([3.0, 4.0])
    np.testing.assert_allclose(full.action, [0.7, 1.6], atol=1e-15)


def test_hedge_is_exponential_weights():
    hedge = Hedge(3, 0.5)
    weights = np.exp(-0.5 * np.cumsum(np.vstack([np.zeros(3), SLOPES]), axis=0))
    np.testing.assert_allclose(told(hedge), weights / weights.sum(axis=1, keepdims=True), rtol=1e-14)
    rational = Hedge(exact(np.array([0.25, 0.25, 0.5])), 0.5)
    np.testing.assert_allclose(
        approximate(told(rational)).astype(float), told(Hedge([0.25, 0.25, 0.5], 0.5)), rtol=1e-14
    )


@pytest.mark.parametrize("kind", PLACES)
def test_optimism_is_the_printed_two_steps(kind):
    from arubatheory.problems.projections import projected

    learner, z, domain = OptimisticOMD(PLACES[kind], euclidean(3), starts(kind), 0.5), starts(kind), PLACES[kind]
    for g in SLOPES:
        learner.see(g)
        z = projected(domain, z - 0.5 * g)
        np.testing.assert_allclose(learner.action, projected(domain, z - 0.5 * g), atol=1e-15)
        learner.expect([0.0, 0.0, 0.0])
        np.testing.assert_allclose(learner.action, z, atol=1e-15)


def test_lazy_optimism_with_perfect_hints_is_one_round_ahead():
    ahead, plain = OptimisticOMD(simplex(3), entropy(3), [1 / 3] * 3, 0.5, lazy=True), Hedge(3, 0.5)
    for g in SLOPES:
        ahead.expect(g)
        plain.see(g)
        np.testing.assert_allclose(ahead.action, plain.action, rtol=1e-14)
        ahead.see(g)


ALL = {  # made when they are asked for: their first actions are compiled
    "OMD": lambda: OMD(ball([0.0] * 3, 1.0), mahalanobis(np.eye(3)), [0.0] * 3, 0.5),
    "GreedyOGD": lambda: GreedyOGD(space(3), [0.0] * 3, 0.5),
    "DynamicOGD": lambda: DynamicOGD(space(3), [0.0] * 3, 0.5, 0.5),
    "AdaptiveOGD": lambda: AdaptiveOGD(space(3), [0.0] * 3, 2.0),
    "PreconditionedOMD": lambda: PreconditionedOMD(ball([0.0] * 3, 1.0), np.eye(3), [0.0] * 3),
    "OptimisticOMD": lambda: OptimisticOMD(simplex(3), entropy(3), [1 / 3] * 3, 0.5),
    "Hedge": lambda: Hedge(3, 0.5),
    "AdaGrad": lambda: AdaGrad(space(3), [0.0] * 3, 0.5, "full"),
    "OnlineNewton": lambda: OnlineNewton(box([-1.0] * 3, [1.0] * 3), [0.0] * 3, 0.5, 0.25),
}


@pytest.mark.parametrize("name", ALL)
def test_a_state_is_restored_and_started_anew_and_survives_what_it_refuses(name):
    learner = ALL[name]()
    expected, half = told(learner.start()), learner.start()
    for k, g in enumerate(SLOPES):
        restored = pickle.loads(pickle.dumps(half))
        for bad, error in (([1.0], ValueError), ([np.nan] * 3, ValueError), ("x", TypeError), (exact(g), TypeError)):
            with pytest.raises(error, match=r"seen (must|is exact)"):
                restored.see(bad)
        restored.action[...] = 7  # an array of its own
        restored.see(g)
        half = restored
        assert half.round == k + 1 and np.array_equal(half.action, expected[k + 1])
    assert np.array_equal(told(half.start()), expected)
    assert all(contains(learner.domain, x) for x in expected)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Hedge(exact(np.array([0.25, 0.25, 0.5])), 0.5),
        lambda: AdaGrad(exact(PLACES[BOX]), exact(np.zeros(3)), 0.5),
        lambda: OnlineNewton(exact(PLACES[BOX]), exact(np.zeros(3)), 0.5, 0.25),
    ],
    ids=["Hedge", "AdaGrad", "OnlineNewton"],
)
def test_states_that_hold_balls_are_restored(make):
    learner = make()
    for t, g in enumerate(exact(SLOPES)):
        learner.see(g)
        restored = pickle.loads(pickle.dumps(learner))
        for one, other in zip(learner.action, restored.action, strict=True):
            assert one.is_rational == other.is_rational and str(one) == str(other)
        learner = restored
        assert t == 0 or not all(x.is_rational for x in learner.action) or isinstance(learner, OnlineNewton)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: OMD(None, euclidean(1), [0.0], 1.0), TypeError, "domain must be a Domain or have a method project"),
        (
            lambda: OMD(space(1), None, [0.0], 1.0),
            TypeError,
            "R must be a Regularizer or have value, gradient and mirror",
        ),
        (lambda: OMD(space(1), euclidean(1), [0.0], 0.0), ValueError, "eta must be > 0, got 0.0"),
        (lambda: GreedyOGD(ball([0.0], 1.0), [2.0], 1.0), ValueError, r"phi must lie in the domain, got \[2.0\]"),
        (lambda: GreedyOGD(ball([0.0], 1.0), [0.0, 0.0], 1.0), ValueError, r"phi must have shape \(1,\), got \(2,\)"),
        (lambda: DynamicOGD(space(1), [0.0], 1.0, 2.0), ValueError, "h must be <= 1, got 2.0"),
        (lambda: AdaptiveOGD(space(1), [0.0], -1.0), ValueError, "alpha must be numbers >= 0, got -1.0"),
        (lambda: AdaptiveOGD(space(1), [0.0]).see([1.0]), ValueError, "alpha must be given where"),
        (lambda: AdaptiveOGD(space(1), [0.0], [1.0]).see([1.0], -2), ValueError, "alpha must be >= 0, got -2"),
        (lambda: AdaGrad(space(1), [0.0], 1.0, "round"), ValueError, "form must be one of scalar, diagonal, full"),
        (lambda: AdaGrad(simplex(2), [0.5, 0.5], 1.0), ValueError, "delta must be > 0 for the diagonal form over this"),
        (
            lambda: AdaGrad(space(1), exact(np.zeros(1)), 1, "full"),
            TypeError,
            "phi must be in floats for the full form",
        ),
        (lambda: OnlineNewton(space(1), [0.0], 1.0, 0.0), ValueError, "eps must be > 0, got 0.0"),
        (lambda: FTRL(space(1), euclidean(1), [0.0], 1.0).see([1.0]), TypeError, "seen must be a Losses of one round"),
        (lambda: Hedge(0, 1.0), ValueError, "phi must be an integer >= 1, got 0"),
        (lambda: Hedge([0.5, 0.6], 1.0), ValueError, "phi must lie in the domain"),
        (lambda: GreedyOGD(space(1), [0.0], 1e308).see([1e308]), OverflowError, "GreedyOGD left the range of float64"),
        (lambda: OptimisticOMD(space(1), euclidean(1), [0.0], 1).expect([1, 2]), ValueError, "hint must have shape"),
    ],
)
def test_bad_input_is_named(make, error, message):
    with pytest.raises(error, match=message), np.errstate(all="ignore"):
        make()


@pytest.mark.parametrize("name", ["OMD", "GreedyOGD", "DynamicOGD", "AdaptiveOGD", "Hedge"])
def test_compiled_rounds_are_twins_of_stepped_ones(name):
    learner = ALL[name]()
    if compiled() and not isinstance(learner, GreedyOGD):
        return  # each compiles a loop of its own; uncompiled, the same loops are compared for all
    X = np.vstack([SLOPES, -SLOPES])
    losses = quantile(X, X @ [0.5, -1.0, 0.25] + 0.125, 0.25)
    rounds = losses if isinstance(learner, Hedge) else losses._like(losses.data, None, 0.5)
    quick = played_quickly(learner, rounds, True, ask=False)
    stepwise, values = learner.start(), []
    for t in range(8):
        np.testing.assert_allclose(quick.actions[t], stepwise.action, rtol=1e-13, atol=1e-15)
        value, g = rounds.observe(stepwise.action, t)
        values.append(value)
        stepwise.see(g)
    np.testing.assert_allclose(quick.values, values, rtol=1e-13, atol=1e-15)
    assert losses.is_compiled == compiled()
    summed = summed_compiled(rounds, learner.phi)
    assert summed[0] == pytest.approx(sum(rounds.value(learner.phi, t) for t in range(8)), rel=1e-14)


def test_what_compiled_rounds_cannot_say_python_does():
    learner = GreedyOGD(space(3), [1.0, 2.0, 3.0], 0.5)
    for value, message in (
        (np.nan, "value in round 0 must be finite, got nan"),
        (1.0, "gradient in round 0 must have"),
    ):
        bad = Rounds(lambda x, a, v=value: v, lambda x, a, n=3 if value != value else 1: x[:n], np.ones(2))
        assert played_quickly(learner, bad, True, ask=False) is None
        assert summed_compiled(bad, learner.phi) is None
        with pytest.raises(ValueError, match=message if value != value else "gradient in round 0 must have shape"):
            play(learner, bad._like(bad.data, None, None)) if value == value else bad.value(learner.phi, 0)


def test_the_learners_are_those_of_the_gallery():
    """Theorems of the gallery play kernels of their own, made for one coordinate or for many runs: twins of these."""
    from arubatheory.papers.classics import adagrad, hedge, ons, optimistic_hedge

    rng = np.random.default_rng(7)
    costs, best = rng.random((6, 3)), 1
    game = losses("linear", costs)
    found = pure(hedge.regret)(costs, np.full(6, 0.5), best)
    assert found == pytest.approx(regret(play(Hedge(3, 0.5), game), game, np.eye(3)[best]), rel=1e-12)

    hopeful = OptimisticOMD(simplex(3), entropy(3), [1 / 3] * 3, 0.5, lazy=True)
    found, _, _ = pure(optimistic_hedge.played)(-costs, 0.5, best)
    assert found == pytest.approx(regret(play(hopeful, game), game, np.eye(3)[best]), rel=1e-12)

    slopes, half = rng.normal(size=(6, 1)), interval(0.0, 0.75)
    found, _ = pure(adagrad.played)(slopes[:, 0], 0.5, 0.25, 0.5, 0.75)
    line = losses("linear", slopes)
    assert found == pytest.approx(regret(play(AdaGrad(half, [0.25], 0.5), line), line, [0.5]), rel=1e-12)

    a, b = rng.uniform(0.25, 1, (2, 6))
    found, G = pure(ons.played)(a, b, 0.25, 0.75)
    beta = min(1, 1 / (4 * G)) / 2
    newton, paid = OnlineNewton(interval(0.0, 1.0), [0.25], beta, 1 / beta**2), 0.0
    for s, e in zip(a, b, strict=True):
        value = (1 - newton.action[0]) * s + newton.action[0] * e
        paid += np.log((0.25 * s + 0.75 * e) / value)
        newton.see([(s - e) / value])
    assert found == pytest.approx(paid, rel=1e-12)
