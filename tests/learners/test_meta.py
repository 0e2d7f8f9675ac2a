"""Algorithms 1 and 3 against the paper's lines written out, streams, and what has no weight."""

from __future__ import annotations

import gc
import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate

from arubatheory.arithmetic import exact
from arubatheory.convex.hindsight import hindsight
from arubatheory.learners.eps_ftl import eps_ftl
from arubatheory.learners.ewoo import eps_ewoo
from arubatheory.learners.ftrl import ftrl
from arubatheory.learners.meta import (
    Sim,
    adaptive_descent,
    begin,
    constant_rate,
    descent,
    eps_ewoo_rate,
    eps_ftl_rate,
    mean,
    meta_learn,
    printed_rate,
    stream,
)
from arubatheory.learners.mirror_descent import omd
from arubatheory.learners.running_means import bregman_ftl
from arubatheory.problems.constants import lipschitz_squared
from arubatheory.problems.domains import ball, box, project, simplex, space
from arubatheory.problems.losses import losses, value
from arubatheory.problems.regularizers import bregman, entropy, euclidean, mahalanobis
from arubatheory.problems.tasks import FAMILIES, Tasks, each, task, tasks

D, EPS = 3.0, 0.25
UNIT = ball(np.zeros(2), 2.0)
INITS = {"mean": mean, "aogd": adaptive_descent, "ogd": lambda phi: descent(phi, 0.05)}
SIMS = {
    "ewoo": eps_ewoo_rate(D, EPS),
    "ftl": eps_ftl_rate(D, EPS),
    "printed": printed_rate(D, EPS),
    "constant": constant_rate(0.7),
}
GEOMETRIES = {
    "ball": (UNIT, euclidean(2), [0.5, -0.5]),
    "mahalanobis": (box([-1.0, -1.0], [1.0, 2.0]), mahalanobis([[2.0, 0.5], [0.5, 1.0]]), [0.0, 0.0]),
    "entropy": (simplex(2, 0.05), entropy(2), [0.5, 0.5]),
}


def random_tasks(domain, seed=0, T=6):
    """Ragged tasks of quadratics, distances and linear losses with optimal points of the domain."""
    rng = np.random.default_rng(seed)
    built, optima = [], []
    for t in range(T):
        m = int(rng.integers(1, 5))
        centres = np.array([project(domain, rng.normal(size=2)) for _ in range(m)])
        if t % 2:
            built.append(losses("linear", 0, weight=0, ridge=1, c=centres))
            optima.append(centres.mean(axis=0))
        else:
            built.append(losses("distance", 0, c=np.tile(centres[0], (m, 1))))
            optima.append(centres[0])
    return tasks(built), np.array(optima)


def literal(sequence, optima, domain, R, init, phi, sim):
    """Algorithm 1, line by line: nothing in common with the kernels but OMD and the projection."""
    phi, past, out = np.array(phi), [], []
    sizes = [math.sqrt(lipschitz_squared(part, domain, R).sum()) for part in each(sequence)]
    for t, part in enumerate(each(sequence)):
        sigma, theta = sizes[t], optima[t]
        v = rate(sim, past, max(sizes), R, out)
        eta = v / sigma
        played = omd(part, domain, R, phi, eta)
        regret = played.values.sum() - sum(value(part, i, theta) for i in range(len(part.b)))
        out.append((phi, v, eta, regret, bregman(R, theta, phi) / eta + eta * sigma**2))
        past.append((bregman(R, theta, phi), sigma, theta))
        mass = sum(s for _, s, _ in past)
        if init == "mean":
            phi = sum(s * x for _, s, x in past) / mass
        else:
            step = 1 / mass if init == "aogd" else 0.05
            h = 1e-6
            slope = [(bregman(R, theta, phi + h * e) - bregman(R, theta, phi - h * e)) / (2 * h) for e in np.eye(2)]
            phi = project(domain, phi - step * sigma * np.array(slope))
    return out


def rate(sim, past, largest, R, out):
    high = math.hypot(D, EPS)
    if sim == "constant":
        return 0.7
    if sim == "ewoo":
        gamma = 2 / (D * largest) * min(EPS**2 / D**2, 1)
        a = sum(s * (b + EPS**2) for b, s, _ in past)
        b = sum(s for _, s, _ in past)
        parts = [
            integrate.quad(lambda v, k=k: v**k * math.exp(-gamma * (a / v + b * v - 2 * math.sqrt(a * b))), EPS, high)[
                0
            ]
            for k in (1, 0)
        ]
        return parts[0] / parts[1]
    if not past:
        return high
    if sim == "ftl":
        return math.sqrt(sum(s * (b + EPS**2) for b, s, _ in past) / sum(s for _, s, _ in past))
    return math.sqrt(EPS**2 * len(past) + sum(bregman(R, x, out[-1][0]) for _, _, x in past))


@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("sim", SIMS)
def test_it_is_the_algorithm_of_the_paper(init, sim, geometry):
    domain, R, phi = GEOMETRIES[geometry]
    sequence, optima = random_tasks(domain)
    got = meta_learn(sequence, domain, R, INITS[init](phi), SIMS[sim], optima=optima)
    expected = literal(sequence, optima, domain, R, init, phi, sim)
    for t, (start, v, eta, regret, upper) in enumerate(expected):
        # central differences and quad are good to about nine digits
        assert np.allclose(got.phi[t], start, rtol=1e-7, atol=1e-8)
        assert np.allclose((got.v[t], got.eta[t], got.upper[t]), (v, eta, upper), rtol=1e-7)
        assert abs(got.regret[t] - regret) <= 1e-6 * (1 + got.upper[t])


@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("sim", ["ewoo", "ftl"])
def test_it_is_the_single_learners_composed(geometry, sim):
    """INIT alone, then SIM alone on the divergences from INIT's actions, then OMD alone in each task."""
    domain, R, phi = GEOMETRIES[geometry]
    sequence, optima = random_tasks(domain, seed=3, T=8)
    sigma = np.array([math.sqrt(lipschitz_squared(part, domain, R).sum()) for part in each(sequence)])
    starts = bregman_ftl(optima, sigma, phi)
    B = np.sqrt([bregman(R, x, start) for x, start in zip(optima, starts, strict=True)])
    if sim == "ewoo":
        gamma = 2 / (D * sigma.max()) * (EPS / D) ** 2
        v = eps_ewoo(B, sigma, D, EPS, gamma=gamma).actions[:, 0]
    else:
        v = eps_ftl(B, sigma, D, EPS).actions[:, 0]
    got = meta_learn(sequence, domain, R, mean(phi), SIMS[sim], optima=optima)
    assert np.allclose(got.phi, starts, rtol=1e-13) and np.allclose(got.v, v, rtol=1e-9)
    for t, part in enumerate(each(sequence)):
        paid = omd(part, domain, R, starts[t], v[t] / sigma[t]).values.sum()
        best = sum(value(part, i, optima[t]) for i in range(len(part.b)))
        assert math.isclose(got.regret[t], paid - best, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("within", ["omd", "ftrl"])
def test_regret_stays_below_its_upper_bound(within):
    for seed, name in enumerate(FAMILIES):
        s = FAMILIES[name](np.random.default_rng(seed), 20, 5, 2, V=0.3, losses="distance")
        radius = 1 + float(np.linalg.norm(s.optima, axis=1).max())
        got = meta_learn(
            s.tasks,
            ball(np.zeros(2), radius),
            euclidean(2),
            mean(np.zeros(2)),
            eps_ewoo_rate(2 * radius, 0.3),
            optima=s.optima,
            within=within,
        )
        assert (got.regret <= got.upper * (1 + 1e-12)).all()
        assert got.average_regret <= got.average_upper


@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("linear", [False, True])
def test_within_task_ftrl_is_ftrl(geometry, linear):
    domain, R, phi = GEOMETRIES[geometry]
    sequence, optima = random_tasks(domain)
    if linear:
        g = np.random.default_rng(1).normal(size=sequence.losses.a.shape)
        sequence = sequence._replace(losses=losses("linear", g))
    got = meta_learn(sequence, domain, R, mean(phi), constant_rate(1), optima=optima, within="ftrl")
    for t, part in enumerate(each(sequence)):
        played = ftrl(part, domain, R, got.phi[t], got.eta[t]).values.sum()
        paid = played - sum(value(part, i, optima[t]) for i in range(len(part.b)))
        assert abs(paid - got.regret[t]) <= 1e-8 * (1 + abs(paid))


@pytest.mark.parametrize("within", ["omd", "ftrl"])
def test_the_iterates_of_algorithm_3(within):
    domain, R, phi = GEOMETRIES["ball"]
    sequence, optima = random_tasks(domain)
    play = {"omd": omd, "ftrl": ftrl}[within]
    for update in ("last", "average"):
        got = meta_learn(sequence, domain, R, mean(phi), constant_rate(1), optima=optima, within=within, update=update)
        for t, part in enumerate(each(sequence)):
            nothing = losses("linear", np.zeros((1, 2)), weight=0)
            longer = type(part)(*(np.concatenate([x, y]) for x, y in zip(part, nothing, strict=True)))
            actions = play(longer, domain, R, got.phi[t], got.eta[t]).actions
            expected = actions[-1] if update == "last" else actions[:-1].mean(axis=0)
            assert np.allclose(got.updates[t], expected, rtol=1e-9, atol=1e-12)


def test_a_stream_in_chunks_is_the_whole_sequence():
    domain, R, phi = GEOMETRIES["entropy"]
    sequence, optima = random_tasks(domain, T=7)
    for sim in (eps_ewoo_rate(D, EPS, gamma=0.1), printed_rate(D, EPS)):
        whole = meta_learn(sequence, domain, R, adaptive_descent(phi), sim, optima=optima)
        cuts = [(0, 2), (2, 3), (3, 7)]
        chunks = [(tasks([task(sequence, t) for t in range(a, b)]), optima[a:b]) for a, b in cuts]
        parts = list(stream(chunks, domain, R, adaptive_descent(phi), sim))
        for name in ("phi", "v", "regret", "upper"):
            assert np.array_equal(np.concatenate([getattr(p, name) for p in parts]), getattr(whole, name))


def linear_tasks(T, m, d, rng):
    """Linear losses and the best actions of the unit ball."""
    a = rng.normal(size=(T * m, d))
    pull = a.reshape(T, m, d).sum(axis=1)
    return Tasks(losses("linear", a), np.arange(T + 1) * m), -pull / np.linalg.norm(pull, axis=1, keepdims=True)


def test_the_memory_of_a_stream_does_not_grow_with_its_length():
    def made(chunks):
        rng = np.random.default_rng(0)
        for _ in range(chunks):
            gc.collect()  # uncompiled, garbage in cycles would lie about
            yield linear_tasks(200, 5, 2, rng)

    def peak(chunks):
        learned = stream(made(chunks), ball(np.zeros(2), 1.0), euclidean(2), mean(np.zeros(2)), eps_ftl_rate(1.5, 0.1))
        tracemalloc.start()
        seen = sum(len(played.regret) for played in learned)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return seen, most

    peak(2)  # compiles
    gc.freeze()  # what is there already need not be looked through
    (few, small), (many, large) = peak(3), peak(60)
    gc.unfreeze()
    assert (few, many) == (600, 12000)
    assert large <= 2 * small  # sixty trajectories alone would be five times as much


def test_a_long_stream_loses_no_digits():
    """0.1 added 100,000 times is off by 8,000 roundings if it is added to one sum."""
    T, points = 100_000, np.full((100_000, 1), 0.1)
    sequence = Tasks(losses("linear", np.ones((T, 1))), np.arange(T + 1))
    got = meta_learn(sequence, ball(np.zeros(1), 1.0), euclidean(1), mean([0.0]), eps_ftl_rate(1.5, 0.5), optima=points)
    assert abs(Fraction(got.state.phi[0]) - Fraction(0.1)) <= 32 * Fraction(0.1) / 2**52
    expected = math.sqrt(0.25 + 0.005 / (T - 1))  # only the first task is away from its start
    assert math.isclose(got.v[-1], expected, rel_tol=1e-14)


def test_an_empty_stream_yields_nothing():
    assert list(stream([], UNIT, euclidean(2), mean(np.zeros(2)), eps_ftl_rate(D, EPS))) == []


def test_a_state_of_another_dimension_is_refused():
    domain, R, phi = GEOMETRIES["ball"]
    sequence, optima = random_tasks(domain)
    with pytest.raises(ValueError, match=r"state must belong to dimension 2, got phi of shape \(3,\)"):
        meta_learn(sequence, domain, R, mean(phi), constant_rate(1), optima=optima, state=begin(mean(np.zeros(3))))


def test_missing_optima_are_those_of_the_tie_break():
    """Losses that are flat along a line: of the minimisers the one with the least divergence from the centre."""
    flat = tasks([losses("absolute", [[1.0, 1.0], [1.0, 1.0]], b=[0.5, 0.5])])
    domain, R = box([-1.0, -1.0], [1.0, 2.0]), mahalanobis([[2.0, 0.5], [0.5, 1.0]])
    got = meta_learn(flat, domain, R, mean([0.0, 0.0]), constant_rate(1)).optima[0]
    # x = (0, 1/2) + s (1, -1) with <A (x - phi), (1, -1)> = 0 is at s = 0 for phi = (0, 1/2), the centre
    assert np.allclose(got, [0.0, 0.5], atol=1e-7)
    edge = tasks([losses("linear", [[1.0, 0.0]])])
    got = meta_learn(edge, domain, R, mean([0.0, 0.0]), constant_rate(1)).optima[0]
    # on the face x_1 = -1: A_12 (x_1 - 0) + A_22 (x_2 - 1/2) = 0
    assert np.allclose(got, [-1.0, 1.0], atol=1e-7)
    face = tasks([losses("linear", [[1.0, 0.0, 0.0]])])
    got = meta_learn(face, simplex(3), entropy(3), mean(np.full(3, 1 / 3)), constant_rate(1)).optima[0]
    assert np.allclose(got, [0.0, 0.5, 0.5], atol=1e-7)


def test_missing_optima_are_computed():
    domain, R, phi = GEOMETRIES["ball"]
    sequence, _ = random_tasks(domain, T=3)
    got = meta_learn(sequence, domain, R, mean(phi), constant_rate(1))
    for t, part in enumerate(each(sequence)):
        assert np.array_equal(got.optima[t], hindsight(part, domain, R).action)


def test_tasks_of_constant_losses_have_no_weight():
    domain, R, phi = GEOMETRIES["ball"]
    nothing = losses("linear", np.zeros((2, 2)))
    something = losses("linear", [[1.0, 0.0]])
    far = np.array([[-2.0, 0.0]] * 3)
    for sim in SIMS.values():
        got = meta_learn(tasks([nothing, something, nothing]), domain, R, mean(phi), sim, optima=far)
        assert got.sigma[0] == got.eta[0] == got.regret[0] == got.upper[0] == 0
        assert np.array_equal(got.phi[1], np.array(phi)) and got.v[1] == got.v[0]
        assert np.isfinite(got.upper).all() and got.average_upper > 0


@pytest.mark.parametrize("sim", SIMS)
@pytest.mark.parametrize("init", INITS)
def test_nothing_but_constant_losses(sim, init):
    domain, R, phi = GEOMETRIES["ball"]
    got = meta_learn(tasks([losses("linear", np.zeros((2, 2)))] * 3), domain, R, INITS[init](phi), SIMS[sim])
    assert got.average_regret == got.average_upper == 0 and (got.phi == np.array(phi)).all()
    assert np.isfinite(got.v).all() and (got.v > 0).all()


def test_one_task_and_equal_tasks():
    domain, R, phi = GEOMETRIES["ball"]
    part = losses("linear", [[1.0, 0.0]])
    one = meta_learn(tasks([part]), domain, R, mean(phi), eps_ftl_rate(D, EPS), optima=[[-2.0, 0.0]])
    assert one.phi.shape == (1, 2) and one.average_regret == one.regret[0]
    many = meta_learn(tasks([part] * 50), domain, R, mean(phi), eps_ftl_rate(D, EPS), optima=[[-2.0, 0.0]] * 50)
    assert np.allclose(many.phi[1:], [-2.0, 0.0])
    assert many.v[-1] < many.v[1]  # V = 0: v goes to eps


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"init": mean([5.0, 0.0])}, ValueError, "phi must lie in the domain"),
        ({"init": mean([0.0])}, ValueError, "domain and phi must have dimension 2"),
        ({"optima": np.full((6, 2), 9.0)}, ValueError, "optima must lie in the domain, got .* in task 0"),
        ({"optima": np.full((6, 2), np.nan)}, ValueError, "optima must be finite"),
        ({"optima": np.zeros((5, 2))}, ValueError, r"optima must have shape \(6, 2\), got \(5, 2\)"),
        ({"within": "sgd"}, ValueError, "within must be one of omd, ftrl, got 'sgd'"),
        ({"update": "first"}, ValueError, "update must be one of optimal, last, average, got 'first'"),
        ({"domain": space(2)}, ValueError, "losses that are Lipschitz on the domain, got one that is not"),
        ({"init": mean(exact(np.zeros(2)))}, TypeError, "must be in floats, got exact numbers"),
        ({"init": "mean"}, TypeError, "init must be an Init, got 'mean'"),
        ({"domain": None}, TypeError, "domain must be a Domain or an object with project, got None"),
    ],
)
def test_bad_input_is_named(change, error, message):
    domain, R, phi = GEOMETRIES["ball"]
    sequence, optima = random_tasks(domain)
    arguments = {"domain": domain, "init": mean(phi), "optima": optima} | change
    with pytest.raises(error, match=message):
        meta_learn(sequence, arguments.pop("domain"), R, arguments.pop("init"), constant_rate(1), **arguments)


def test_a_rule_of_another_type_is_named():
    domain, R, phi = GEOMETRIES["ball"]
    sequence, optima = random_tasks(domain)
    with pytest.raises(TypeError, match=r"sim must be a Sim, got 0\.5"):
        meta_learn(sequence, domain, R, mean(phi), 0.5, optima=optima)


@pytest.mark.parametrize("offsets", [[0], [0, 0, 13], [1, 13], [0, 5], [0, 7, 3, 13]])
def test_inconsistent_offsets_are_named(offsets):
    domain, R, phi = GEOMETRIES["ball"]
    sequence, _ = random_tasks(domain)
    broken = sequence._replace(offsets=np.array(offsets))
    with pytest.raises(ValueError, match="tasks must"):
        meta_learn(broken, domain, R, mean(phi), constant_rate(1))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: constant_rate(0), "v must be > 0, got 0"),
        (lambda: descent([0.0], -1.0), "step must be > 0, got -1.0"),
        (lambda: eps_ewoo_rate(1, 0), "eps must be > 0, got 0"),
        (lambda: eps_ewoo_rate(math.nan, 1), "D must be finite, got nan"),
        (lambda: eps_ewoo_rate(1, 1, gamma=-1), "gamma must be > 0, got -1"),
        (lambda: eps_ftl_rate(0, 1), "D must be > 0, got 0"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
    assert isinstance(constant_rate(1), Sim)


def test_a_stream_needs_gamma():
    domain, R, phi = GEOMETRIES["ball"]
    with pytest.raises(ValueError, match="gamma must be given for a stream"):
        next(stream([random_tasks(domain)], domain, R, mean(phi), eps_ewoo_rate(D, EPS)))


def test_a_chunk_that_holds_no_tasks_is_named():
    with pytest.raises(TypeError, match="chunks must hold pairs of a Tasks and optima, got 1"):
        list(stream([(1, "x")], ball(np.zeros(2), 1.0), euclidean(2), mean(np.zeros(2)), eps_ftl_rate(1.0, 0.1)))
