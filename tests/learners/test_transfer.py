"""Replicates of Algorithm 1 against the library's own, and risks without sampling against sampled ones."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from made import as_losses, drawn_environment

from arubatheory.kernel import compiled
from arubatheory.learners.meta import constant_rate, eps_ewoo_rate, mean, meta_learn, printed_rate
from arubatheory.learners.mirror_descent import omd
from arubatheory.learners.transfer import (
    CHUNK,
    STAY,
    _by_listing,
    _by_moments,
    _by_walk,
    fresh,
    learned_rate,
    meta_train,
    scale_of,
    transfer_risk,
)
from arubatheory.problems.domains import box
from arubatheory.problems.environments import (
    KINDS,
    atoms,
    bernoulli_tasks,
    environment,
    least,
    minimisers,
    risk,
    sampler,
)
from arubatheory.problems.losses import Losses, evaluate
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import tasks

LINKED = pytest.mark.parametrize("link", KINDS.values(), ids=list(KINDS))
BERNOULLI = bernoulli_tasks([0.5, 0.3, 0.2], [0.1, 0.4, 1.0])


def drawn_losses(E, j, m, rng):
    """m losses of task j from the same uniform numbers as the kernels read."""
    chosen = np.minimum(np.searchsorted(sampler(E).loss[j], rng.random(m), side="right"), 2 * len(E.inputs) - 1)
    return chosen, Losses(*(part[chosen] for part in as_losses(E, j)))


def cube(d):
    return box(np.zeros(d), np.ones(d))


@LINKED
def test_within_a_task_it_is_lazy_ogd(link):
    for seed in range(5):
        E, m, eta = drawn_environment(seed, link, 1, 2), 12, 0.15
        phi = np.random.default_rng(seed).random(2)
        (found,), (regret,) = fresh(E, [phi], [eta], m, np.random.default_rng(seed))
        _, part = drawn_losses(E, 0, m, np.random.default_rng(seed))
        played = omd(part, cube(2), euclidean(2), phi, eta)
        assert found == pytest.approx(risk(E, atoms(E), 0, played.actions.mean(axis=0)), abs=1e-12)
        assert regret == pytest.approx(played.values.sum() - evaluate(part, minimisers(E)[0]).sum(), abs=1e-10)


@pytest.mark.parametrize("sim", [constant_rate(0.3), eps_ewoo_rate(math.sqrt(0.5), 0.2, gamma=0.05)], ids=["v", "ewoo"])
def test_between_tasks_it_is_algorithm_1(sim):
    E, T, m = BERNOULLI, 40, 5
    (rng,) = np.random.default_rng(8).spawn(1)
    parts, optima = [], np.empty((T, 1))
    for t in range(T):
        j = int(np.searchsorted(np.cumsum(E.tasks), rng.random(), side="right"))
        chosen, part = drawn_losses(E, j, m, rng)
        plus = float(chosen.sum())
        optima[t] = least(E.link, 0.5, 0.5, m - plus, plus)
        parts.append(part)
    played = meta_learn(tasks(parts), cube(1), euclidean(1), mean([0.5]), sim, optima=optima)
    found = meta_train(E, sim, T, m, 1, np.random.default_rng(8))
    assert found.phi[0] == pytest.approx(played.phi.mean(axis=0), rel=1e-12)
    assert found.v[0] == pytest.approx(played.v.mean(), rel=1e-9)
    assert found.upper[0] == pytest.approx(played.average_upper, rel=1e-9)
    assert found.regret[0] == pytest.approx(played.average_regret, rel=1e-9)


@LINKED
def test_regrets_stay_below_their_upper_bounds_and_need_not_be_played(link):
    for seed, sim in ((1, constant_rate(0.2)), (2, STAY)):
        E = drawn_environment(seed, link)
        played, counted = (
            meta_train(E, sim, 10, 4, 20, np.random.default_rng(1), playing=playing) for playing in (True, False)
        )
        assert (played.regret <= played.upper + 1e-9).all()
        for name in ("phi", "v", "upper"):
            assert getattr(played, name) == pytest.approx(getattr(counted, name), abs=1e-12)
        if sim == STAY:
            assert played.regret == pytest.approx(played.upper) and counted.regret == pytest.approx(played.upper)
        else:
            assert np.isnan(counted.regret).all()


def test_any_number_of_threads_gives_the_same_replicates():
    n = CHUNK + 3
    one, three = (
        meta_train(BERNOULLI, constant_rate(0.2), 3, 2, n, np.random.default_rng(5), threads=k) for k in (1, 3)
    )
    for a, b in zip(one, three, strict=True):
        assert (a == b).all()
    assert len(np.unique(one.phi)) > 5


@LINKED
def test_the_expected_risk_is_the_mean_of_sampled_ones(link):
    many = 20_000 if compiled() else 300
    for seed in range(4):
        E, m, eta = drawn_environment(seed, link), 5, 0.1 + 0.1 * seed
        phi = np.random.default_rng(seed).random(2)
        exactly = transfer_risk(E, [phi], [eta], m)[0]
        found, _ = fresh(E, np.tile(phi, (many, 1)), np.full(many, eta), m, np.random.default_rng(seed))
        assert abs(found.mean() - exactly) <= 6 * max(found.std(), 1e-9) / math.sqrt(many)


def test_closed_forms_agree_with_the_listing():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        phi, eta, m = rng.random(), 0.5 * rng.random(), 1 + seed % 7
        E = drawn_environment(seed, KINDS["square"])
        assert _by_moments(E, 0, 1, phi, eta, m) == pytest.approx(
            _by_listing(E, atoms(E), 0, 1, phi, eta, m), abs=1e-12
        )
        E = environment("absolute", 1.0, [0.3, 0.7], rng.random((1, 2)), 0.5, 0.5)
        A = atoms(E)
        assert _by_walk(E, A, 0, 1, phi, eta, m) == pytest.approx(_by_listing(E, A, 0, 1, phi, eta, m), abs=1e-12)


def test_a_learner_that_stays_has_the_risk_of_where_it_stays():
    assert transfer_risk(BERNOULLI, [[0.25]], [0.0], 50)[0] == pytest.approx(
        sum(q * risk(BERNOULLI, atoms(BERNOULLI), j, np.array([0.25])) for j, q in enumerate(BERNOULLI.tasks))
    )


def test_steps_beyond_one_half_on_squares_are_listed():
    """The closed form would leave the interval: from 1/2, a step of 2 towards the label 1 ends at 1."""
    E = environment("square", 1.0, 1.0, 1.0, 0.5, 0.5)
    assert transfer_risk(E, [[0.5]], [2.0], 2)[0] == pytest.approx((0.75 - 1) ** 2)


def test_learning_the_rate_of_equal_tasks_shrinks_it():
    E = bernoulli_tasks([1.0], [1.0])
    sim = learned_rate(E, 4, 0.1)
    assert sim.gamma == pytest.approx(2 / (math.sqrt(0.5) * 2) * 0.1**2 / 0.5)
    slow, late = (meta_train(E, sim, T, 4, 1, np.random.default_rng(0)).v[0] for T in (1, 300))
    assert slow == pytest.approx((0.1 + math.hypot(0.1, math.sqrt(0.5))) / 2) and late < slow
    assert scale_of(E, 4) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda E, rng: meta_train(E, STAY, 0, 1, 1, rng), "T must be an integer >= 1, got 0"),
        (lambda E, rng: meta_train(E, STAY, 1, 0, 1, rng), "m must be an integer >= 1, got 0"),
        (lambda E, rng: meta_train(E, STAY, 1, 1, -3, rng), "replicates must be an integer >= 1, got -3"),
        (lambda E, rng: meta_train(E, STAY, 1, 1, 1, rng, threads=0), "threads must be an integer >= 1, got 0"),
        (lambda E, rng: meta_train(E, printed_rate(1.0, 0.1), 1, 1, 1, rng), "sim must be a constant or eps-EWOO"),
        (lambda E, rng: meta_train(E, eps_ewoo_rate(1.0, 0.1), 1, 1, 1, rng), "sim must be a constant or eps-EWOO"),
        (
            lambda E, rng: meta_train(E, STAY._replace(first=-0.5), 1, 1, 1, rng),
            "the constant v of sim must be >= 0 and finite, got -0.5",
        ),
        (lambda E, rng: learned_rate(E, 5, 0.0), "eps must be > 0, got 0.0"),
        (lambda E, rng: transfer_risk(E, [[1.5]], [0.1], 2), "phi must hold points of [0, 1]^1, got [[1.5]]"),
        (lambda E, rng: transfer_risk(E, [[0.5, 0.5]], [0.1], 2), "phi must hold points of [0, 1]^1"),
        (lambda E, rng: transfer_risk(E, [[0.5]], [-0.1], 2), "eta must hold 1 step sizes >= 0, got [-0.1]"),
        (lambda E, rng: fresh(E, [[0.5]], [0.1, 0.1], 2, rng), "eta must hold 1 step sizes >= 0"),
        (lambda E, rng: transfer_risk(E, np.empty((0, 1)), np.empty(0), 2), "phi must hold points of [0, 1]^1"),
        (lambda E, rng: transfer_risk(E, [[0.5]], [np.nan], 2), "eta must be finite, got [nan]"),
        (lambda E, rng: transfer_risk(E, [[0.5]], [0.1], 0), "m must be an integer >= 1, got 0"),
        (
            lambda E, rng: transfer_risk(environment("hinge", 1.0, 1.0, 0.5, 0.5, 0.25), [[0.5]], [0.1], 30),
            "m must be smaller for losses whose courses have to be listed, got 30",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call(BERNOULLI, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: meta_train(BERNOULLI, STAY, 1, 1, 1, 7), "rng must be a Generator, got 7"),
        (lambda: fresh(BERNOULLI, [[0.5]], [0.1], 2, None), "rng must be a Generator, got None"),
        (lambda: transfer_risk(BERNOULLI, "x", [0.1], 2), "phi must hold real numbers, got 'x'"),
        (lambda: transfer_risk(BERNOULLI, [[Fraction(1, 2)]], [0.1], 2), "phi must be in floats"),
    ],
)
def test_other_types_are_named(call, message):
    with pytest.raises(TypeError, match=message):
        call()
