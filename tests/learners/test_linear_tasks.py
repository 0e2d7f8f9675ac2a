"""Linear tasks on balls against the general loop, many runs against one after the other, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory.convex.hindsight import hindsight
from arubatheory.kernel import compiled, digest_of
from arubatheory.learners import linear_tasks, meta
from arubatheory.learners.meta import constant_rate, eps_ewoo_rate, eps_ftl_rate, mean, meta_learn, stream
from arubatheory.problems.domains import Domain, ball, box
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import euclidean, mahalanobis
from arubatheory.problems.tasks import Tasks, each, tasks, together

SIMS = {"ewoo": eps_ewoo_rate(3.0, 0.3), "ftl": eps_ftl_rate(3.0, 0.3), "constant": constant_rate(0.7)}
BALL, R = ball([0.5, -1.0, 0.0], 1.5), euclidean(3)


def linear_tasks_of(seed, T=70, d=3):
    """Ragged tasks, some without weight and one whose gradients cancel; more than a block of 64."""
    rng = np.random.default_rng(seed)
    sizes = np.random.default_rng(0).integers(1, 5, T)
    built = [losses("linear", rng.normal(size=(m, d)), rng.normal(size=m), weight=rng.random(m)) for m in sizes]
    built[3] = losses("linear", np.zeros((sizes[3], d)))
    g = rng.normal(size=(sizes[5], d))
    built[5] = losses("linear", g - g.mean(axis=0))
    return tasks(built)


def optima_of(sequence, domain):
    return np.array([domain.center - domain.radius * pull for pull in map(unit_pull, each(sequence))])


def unit_pull(part):
    g = part.weight @ part.a
    return g / max(np.linalg.norm(g), 1e-12)


def assert_same(got, expected, digits=1e-11):
    for name, x, y in zip(got._fields, got, expected, strict=True):
        for a, b in zip(x, y, strict=True) if name == "state" else [(x, y)]:
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=digits, atol=digits, err_msg=name)


# the general loop ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("update", meta.UPDATES)
@pytest.mark.parametrize("sim", SIMS)
def test_it_is_the_general_loop(sim, update, monkeypatch):
    sequence = linear_tasks_of(1)
    given = {"optima": optima_of(sequence, BALL), "update": update}
    got = meta_learn(sequence, BALL, R, mean(BALL.center), SIMS[sim], **given)
    on = meta_learn(sequence, BALL, R, mean(BALL.center), SIMS[sim], state=got.state, **given)
    monkeypatch.setattr(meta, "is_linear", lambda *arguments: False)
    assert_same(got, meta_learn(sequence, BALL, R, mean(BALL.center), SIMS[sim], **given))
    assert_same(on, meta_learn(sequence, BALL, R, mean(BALL.center), SIMS[sim], state=got.state, **given))


@pytest.mark.parametrize("center", [[0.5, -1.0, 0.0], [1e6, -1e6, 3.0], [-1e6] * 3], ids=["near", "far", "opposite"])
def test_one_pass_takes_optima_on_the_sphere_and_none_outside(center):
    sequence, domain = linear_tasks_of(4), ball(center, 1.5)
    on = optima_of(sequence, domain)
    given = (None, sequence, domain, mean(domain.center), SIMS["ftl"])
    assert linear_tasks.learn_linear(*given, on, 0, None) is not None
    assert_same(linear_tasks.learn_linear(*given, None, 0, None), linear_tasks.learn_linear(*given, on, 0, None), 1e-8)
    assert linear_tasks.learn_linear(*given, on + 1e-6 * (on - domain.center), 0, None) is None


def test_optima_are_those_of_hindsight():
    sequence = linear_tasks_of(2, T=7)
    got = meta_learn(sequence, BALL, R, mean(BALL.center), constant_rate(1)).optima
    for t, part in enumerate(each(sequence)):
        if t not in (3, 5):
            np.testing.assert_allclose(got[t], hindsight(part, BALL).action, atol=1e-12)
    assert (got[3] == BALL.center).all()


def test_steps_whose_squares_overflow_are_left_to_the_general_loop():
    sequence, domain, far = (
        tasks([losses("linear", [[1.0, 0.0]] * 3)] * 2),
        ball(np.zeros(2), 1.0),
        constant_rate(1e155),
    )
    optima = np.array([[-1.0, 0.0]] * 2)
    with np.errstate(all="ignore"):
        assert linear_tasks.learn_linear(None, sequence, domain, mean([0.0, 0.0]), far, optima, 0, None) is None
    got = meta_learn(sequence, domain, euclidean(2), mean([0.0, 0.0]), far, optima=optima)
    np.testing.assert_allclose(got.regret, [1.0, 0.0], atol=1e-14)


@pytest.mark.skipif(not compiled(), reason="uncompiled, nothing is kept")
def test_kernels_that_ask_ahead_are_kept():
    assert digest_of(linear_tasks.play_linear._cache.function) != ""


# many runs -------------------------------------------------------------------------------------------------------
def runs_of(n, domain, seed=0):
    sequences = [linear_tasks_of(seed + k, T=9) for k in range(n)]
    return sequences, np.array([optima_of(sequence, domain) for sequence in sequences])


@pytest.mark.parametrize("optima", ["given", "one for all", "one entry", None])
@pytest.mark.parametrize("sim", SIMS)
def test_many_runs_are_one_after_the_other(sim, optima):
    sequences, best = runs_of(3, BALL)
    points = {"given": best, "one for all": best[0], "one entry": best[:1], None: None}[optima]
    got = meta_learn(together(sequences), BALL, R, mean(BALL.center), SIMS[sim], optima=points)
    assert got.average_regret.shape == got.average_upper.shape == (3,)
    for k, sequence in enumerate(sequences):
        own = None if optima is None else points[k] if optima == "given" else best[0]
        single = meta_learn(sequence, BALL, R, mean(BALL.center), SIMS[sim], optima=own)
        assert_same(type(got)(*(x[k] for x in got[:-1]), type(got.state)(*(x[k] for x in got.state))), single, 1e-14)
        assert got.average_regret[k] == pytest.approx(single.average_regret, rel=1e-14)


@pytest.mark.parametrize("geometry", ["ball", "box"])
def test_domains_starts_and_states_differ_from_run_to_run(geometry):
    """On boxes it is the general loop that plays the runs; the losses are the same for all."""
    sequence = linear_tasks_of(4, T=6)
    make = {"ball": lambda r: ball(np.zeros(3), r), "box": lambda r: box([-r] * 3, [r] * 3)}[geometry]
    domains, starts = [make(r) for r in (1.0, 2.0)], np.array([[0.1, 0.2, 0.3], [0.0, -1.0, 0.5]])
    stacked = Domain(domains[0].kind, *(np.stack(x) for x in zip(*(D[1:] for D in domains), strict=True)))
    metric, best = (R if geometry == "ball" else mahalanobis(np.diag([1.0, 2.0, 3.0]))), np.zeros((6, 3))
    got = meta_learn(sequence, stacked, metric, mean(starts), SIMS["ftl"], optima=best)
    on = meta_learn(sequence, stacked, metric, mean(starts), SIMS["ftl"], optima=best, state=got.state)
    for k in range(2):
        single = meta_learn(sequence, domains[k], metric, mean(starts[k]), SIMS["ftl"], optima=best)
        further = meta_learn(
            sequence, domains[k], metric, mean(starts[k]), SIMS["ftl"], optima=best, state=single.state
        )
        np.testing.assert_allclose(got.regret[k], single.regret, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(on.phi[k], further.phi, rtol=1e-13, atol=1e-13)


def test_streams_of_many_runs():
    sequences, best = runs_of(2, BALL)
    whole = meta_learn(together(sequences), BALL, R, mean(BALL.center), SIMS["ftl"], optima=best)
    n = int(sequences[0].offsets[4])
    first = together([Tasks(type(s.losses)(*(x[:n] for x in s.losses)), s.offsets[:5]) for s in sequences])
    rest = together([Tasks(type(s.losses)(*(x[n:] for x in s.losses)), s.offsets[4:] - n) for s in sequences])
    chunks = [(first, best[:, :4]), (rest, best[:, 4:])]
    played = list(stream(chunks, BALL, R, mean(BALL.center), SIMS["ftl"]))
    np.testing.assert_allclose(np.hstack([part.v for part in played]), whole.v, rtol=1e-14)


# bad input -------------------------------------------------------------------------------------------------------
def test_ragged_runs_are_named():
    one, other = linear_tasks_of(0, T=7), linear_tasks_of(0, T=8)
    with pytest.raises(ValueError, match=r"runs must have the same offsets and dimension, got .* in runs 0 and 1"):
        together([one, other])
    with pytest.raises(ValueError, match="runs must hold at least one task sequence, got"):
        together([])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"optima": np.zeros((3, 9, 3))}, r"tasks and optima must have the same number of runs .*\(3, 9, 3\)"),
        ({"optima": np.zeros((2, 8, 3))}, r"optima must have shape \(9, 3\), got \(8, 3\)"),
        ({"optima": np.full((2, 9, 3), 7.0)}, r"optima must lie in the domain, got .*7.* in task 0"),
        ({"start": np.zeros((0, 3))}, "phi must be a vector"),
        ({"start": np.zeros((4, 3))}, r"tasks and phi and optima must have the same number of runs .*\(4, 3\)"),
        ({"start": [[0.5, -1.0, 0.0], [9.0, 0.0, 0.0]]}, r"phi must lie in the domain, got .*9"),
        ({"losses": {"weight": np.ones(7)}}, r"tasks must have one axis of runs in all of its arrays, got shapes"),
        ({"losses": {"weight": np.ones((2, 7))}}, r"tasks must hold losses of one number and dimension.*\(7,\)"),
    ],
)
def test_axes_that_do_not_match_are_named(change, message):
    sequences, best = runs_of(2, BALL)
    both, start = together(sequences), change.pop("start", BALL.center)
    both = both._replace(losses=both.losses._replace(**change.pop("losses", {})))
    with pytest.raises(ValueError, match=message):
        meta_learn(both, BALL, R, mean(start), constant_rate(1), **({"optima": best} | change))
