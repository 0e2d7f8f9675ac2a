"""Algorithm 1 on losses as functions, and as state: the numbers of `meta_learn`; what it refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from arubatheory.learners import Aruba
from arubatheory.learners.meta import adaptive_descent, eps_ewoo_rate, eps_ftl_rate, mean, meta_learn, printed_rate
from arubatheory.own import Algorithm1, PBall, PNorm, Rounds
from arubatheory.problems.domains import ball, space
from arubatheory.problems.losses import evaluate, losses
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import each, task, tasks, together
from arubatheory.untried.reptile import reptile


def sequences(shared):
    """Four tasks as data, and as functions: in one `Rounds`, or told apart by their part."""
    rng = np.random.default_rng(5)
    shift = rng.normal(size=(4, 1, 3)) / 4
    a = (rng.normal(size=(4, 6, 3)) + shift) / 4
    value, gradient = (lambda x, a: a @ x), (lambda x, a: a)
    parts = [
        Rounds(value if shared else (lambda x, a: a @ x), gradient, part, lipschitz=np.linalg.norm(part, axis=1))
        for part in a
    ]
    return tasks([losses("linear", part) for part in a]), tasks(parts)


SIMS = (eps_ftl_rate(2.0, 0.25), eps_ewoo_rate(2.0, 0.25), printed_rate(2.0, 0.25))


@pytest.mark.parametrize("sim", SIMS, ids=lambda sim: str(sim.code))
@pytest.mark.parametrize("update", ["optimal", "last", "average"])
def test_algorithm_1_on_functions_and_as_state_is_algorithm_1(update, sim):
    data, functions = sequences(update == "last")
    over, R = ball([0.0] * 3, 1.0), euclidean(3)
    init = adaptive_descent(np.zeros(3)) if update == "average" else mean(np.zeros(3))
    expected = meta_learn(data, over, R, init, sim, update=update)
    played = meta_learn(functions, over, R, init, sim, update=update, optima=expected.optima)
    for name in ("phi", "v", "eta", "sigma", "updates", "regret", "upper"):
        np.testing.assert_allclose(getattr(played, name), getattr(expected, name), rtol=1e-9, atol=1e-12, err_msg=name)
    by_hand = Algorithm1(over, R, init, sim._replace(gamma=1.0) if sim.gamma == 0 else sim)
    same = meta_learn(data, over, R, init, by_hand.sim, update=update)
    for t in range(4):
        phi, eta = by_hand.start(same.sigma[t])
        np.testing.assert_allclose(phi, same.phi[t], rtol=1e-9, atol=1e-12)
        assert eta == pytest.approx(same.eta[t], rel=1e-9)
        by_hand = pickle.loads(pickle.dumps(by_hand))
        by_hand.end(same.updates[t])


def test_algorithm_1_over_a_domain_and_with_an_R_of_ones_own():
    data, functions = sequences(True)
    over, R, sim = ball([0.0] * 3, 1.0), euclidean(3), eps_ftl_rate(2.0, 0.25)
    expected = meta_learn(data, over, R, mean(np.zeros(3)), sim)
    for domain, own in ((PBall([0.0] * 3, 1.0, 2), R), (PBall([0.0] * 3, 1.0, 2), PNorm(2)), (over, R)):
        played = meta_learn(functions, domain, own, mean(np.zeros(3)), sim, optima=expected.optima)
        np.testing.assert_allclose(played.upper, expected.upper, rtol=1e-9)
    searched = meta_learn(functions, over, R, mean(np.zeros(3)), sim)
    np.testing.assert_allclose(searched.regret, expected.regret, atol=1e-6)
    one = Algorithm1(PBall([0.0] * 3, 0.25, 2), R, adaptive_descent(np.zeros(3)), sim, sigma=1.0)
    one.start()
    one.end([1.0, 0.0, 0.0])
    assert one.phi.tolist() == [0.25, 0.0, 0.0]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda a: a.start(), ValueError, "sigma must be given here or for all tasks, got None"),
        (lambda a: a.start(0.0), ValueError, "sigma must be > 0, got 0.0"),
        (lambda a: a.end([0.0]), RuntimeError, "end came at the wrong time"),
        (lambda a: (a.start(1.0), a.start(1.0)), RuntimeError, "start came at the wrong time"),
        (lambda a: (a.start(1.0), a.end([0.0, 0.0])), ValueError, r"theta must have shape \(1,\), got \(2,\)"),
        (lambda a: (a.start(1.0), a.end([np.nan])), ValueError, "theta must be finite, got"),
        (lambda a: (a.start(1.0), a.end([1e200])), OverflowError, "the task left the range of float64"),
        (
            lambda a: Algorithm1(space(1), a.R, a.init, eps_ewoo_rate(1.0, 0.5)),
            ValueError,
            "gamma must be given in sim",
        ),
        (
            lambda a: Algorithm1(space(1), PNorm(2), a.init, printed_rate(1, 1)),
            ValueError,
            "init must be mean and sim not",
        ),
        (lambda a: Algorithm1(ball([1.0], 0.5), a.R, a.init, a.sim), ValueError, "phi must lie in the domain, got"),
        (
            lambda a: meta_learn(
                tasks([Rounds(lambda x, a: a @ x, None, np.eye(3))]), space(3), euclidean(3), mean(np.zeros(3)), a.sim
            ),
            ValueError,
            "tasks must hold Rounds with lipschitz, for sigma, got",
        ),
        (
            lambda a: meta_learn(sequences(True)[1], space(3), euclidean(3), mean(np.zeros(3)), a.sim, within="ftrl"),
            ValueError,
            "within must be one of omd, got 'ftrl'",
        ),
    ],
)
def test_algorithm_1_names_what_it_refuses(make, error, message):
    with pytest.raises(error, match=message), np.errstate(all="ignore"):
        make(Algorithm1(space(1), euclidean(1), mean([0.0]), eps_ftl_rate(1.0, 0.5)))


def test_tasks_of_functions_and_of_batches():
    data, functions = sequences(False)
    for t, part in enumerate(each(functions)):
        assert [part.value(np.ones(3), i) for i in range(6)] == evaluate(task(data, t), np.ones(3)).tolist()
    batch = together([data, data])
    for refused in (lambda: together([functions]), lambda: reptile(functions, np.zeros(3), Aruba(np.zeros(3)))):
        with pytest.raises(TypeError, match="must hold Losses here, got Rounds"):
            refused()
    assert task(batch, 2).a.shape == (2, 6, 3) and np.array_equal(task(batch, 2).a[1], task(data, 2).a)
    assert sum(part.a.shape[1] for part in each(batch)) == 24
