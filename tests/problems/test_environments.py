"""Distributions over tasks: closed forms against large samples, listings, grids and exact numbers."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from made import as_losses, drawn_environment

from arubatheory.arithmetic import Exact, approximate
from arubatheory.kernel import compiled, on
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.environments import (
    KINDS,
    atoms,
    bernoulli_tasks,
    environment,
    least,
    least_risk,
    lipschitz,
    loss_at,
    minimisers,
    random_environment,
    risk,
    sampler,
    self_bounding,
    slope_at,
    squared_deviation,
)
from arubatheory.problems.losses import evaluate

GRID = np.linspace(0, 1, 201 if compiled() else 21)
MANY = 200_000 if compiled() else 5000
LINKED = pytest.mark.parametrize("link", KINDS.values(), ids=list(KINDS))


def sample(E, rng, T, m):
    """T tasks and m losses of each: the number of a task, and 2i + k for the label k at input i."""
    S = sampler(E)
    drawn = np.searchsorted(S.task, rng.random(T), side="right")
    u = rng.random((T, m))
    return np.minimum(drawn, len(S.task) - 1), np.minimum(
        (u[:, :, None] >= S.loss[drawn][:, None, :]).sum(axis=2), S.loss.shape[1] - 1
    )


def labelled(E, j):
    """Every loss of task j with its probability: ((i, k), p)."""
    d = len(E.inputs)
    return [((i, k), E.inputs[i] * (E.chance[j, i] if k else 1 - E.chance[j, i])) for i in range(d) for k in range(2)]


def optimum(E, j, seen):
    """The empirical minimiser of a sample of labels (i, k)."""
    counts = [[sum(1.0 for label in seen if label == (i, k)) for k in range(2)] for i in range(len(E.inputs))]
    return np.array([least(E.link, E.centre[j, i], E.radius[j, i], *n) for i, n in enumerate(counts)])


@LINKED
def test_the_losses_are_those_of_the_table(link):
    E = drawn_environment(3, link)
    A = atoms(E)
    for j, i, k, x in itertools.product(range(2), range(2), range(2), (0.0, 0.3, 1.0)):
        c, r, s = E.centre[j, i], E.radius[j, i], 2 * k - 1
        paper = {
            KINDS["absolute"]: abs(x - (c + s * r)),
            KINDS["square"]: (x - (c + s * r)) ** 2,
            KINDS["hinge"]: max(0.0, r - s * (x - c)) / (1 + r),
            KINDS["logistic"]: math.log1p(math.exp(-s * (x - c) / r)) / math.log1p(math.exp(1 / r)),
        }[link]
        assert loss_at(E, A, j, i, k, x) == pytest.approx(paper, abs=1e-14)
        theta = np.where(np.arange(2) == i, x, 0.7)
        assert evaluate(as_losses(E, j), theta)[2 * i + k] == pytest.approx(paper, abs=1e-14)
        step = 1e-6 if x < 1 else -1e-6
        slope = (loss_at(E, A, j, i, k, x + step) - loss_at(E, A, j, i, k, x)) / step
        assert slope == pytest.approx(slope_at(E, A, j, i, k, x), abs=1e-3) or link in (
            KINDS["absolute"],
            KINDS["hinge"],
        )
        assert abs(slope) <= lipschitz(E, A) + 1e-9


@LINKED
def test_the_risk_is_the_mean_of_a_large_sample(link):
    for seed in range(3):
        E = drawn_environment(seed, link)
        tasks, seen = sample(E, np.random.default_rng(seed), 1, MANY)
        j, theta = tasks[0], np.array([0.3, 0.8])
        values = evaluate(as_losses(E, j), theta)[seen[0]]
        assert abs(values.mean() - risk(E, atoms(E), j, theta)) <= 6 * max(values.std(), 1e-9) / np.sqrt(MANY)


def test_tasks_are_drawn_with_their_probabilities():
    E = bernoulli_tasks([0.2, 0.0, 0.8], [0.0, 0.5, 1.0])
    tasks, seen = sample(E, np.random.default_rng(0), 20_000, 2)
    share = np.bincount(tasks, minlength=3) / 20_000
    assert share[1] == 0 and abs(share[0] - 0.2) <= 6 * math.sqrt(0.16 / 20_000)
    assert (seen[tasks == 0] == 0).all() and (seen[tasks == 2] == 1).all()


@LINKED
def test_drawn_losses_lie_in_the_unit_interval(link):
    for seed in range(60):
        E = drawn_environment(seed, link)
        A = atoms(E)
        ends = [loss_at(E, A, j, i, k, x) for j, i, k, x in itertools.product(range(2), range(2), range(2), (0.0, 1.0))]
        kinks = [
            loss_at(E, A, j, i, k, E.centre[j, i] + s * E.radius[j, i])
            for j, i, k, s in itertools.product(range(2), range(2), range(2), (-1, 1))
        ]
        assert max(ends) <= 1 + 1e-12 and min(ends + kinks) >= -1e-12


@LINKED
def test_no_action_has_less_than_the_minimiser_and_no_other_minimiser_is_nearer_to_the_middle(link):
    for seed in range(40):
        rng, E = np.random.default_rng(seed), drawn_environment(seed, link, 1, 1)
        A, (minus, plus) = atoms(E), rng.integers(0, 3, 2).astype(float)
        best = least(link, E.centre[0, 0], E.radius[0, 0], minus, plus)

        def total(x, E=E, A=A, minus=minus, plus=plus):
            return minus * loss_at(E, A, 0, 0, 0, x) + plus * loss_at(E, A, 0, 0, 1, x)

        values = np.array([total(x) for x in GRID])
        assert 0 <= best <= 1 and total(best) <= values.min() + 1e-12
        nearer = abs(GRID - 0.5) < abs(best - 0.5) - 1e-6
        assert (values[nearer] > total(best)).all()


@LINKED
def test_slopes_certify_the_minimiser(link):
    """Between a falling and a rising point a convex function is at most width times slope above its minimum."""
    for seed in range(40):
        E, width = drawn_environment(seed + 20, link, 1, 1), 1e-9
        A, p, best = atoms(E), E.chance[0, 0], minimisers(E)[0, 0]
        low, high = max(best - width, 0.0), min(best + width, 1.0)
        left, right = ((1 - p) * slope_at(E, A, 0, 0, 0, x) + p * slope_at(E, A, 0, 0, 1, x) for x in (low, high))
        assert low == 0 or left <= 1e-6
        assert high == 1 or right >= -1e-6


@LINKED
def test_the_deviation_of_the_empirical_minimiser_is_that_of_all_samples(link):
    for seed, m in ((1, 1), (2, 3), (4, 3)):
        E = drawn_environment(seed, link)
        points, weights = [], []
        for j in range(2):
            for course in itertools.product(labelled(E, j), repeat=m):
                points.append(optimum(E, j, [label for label, _ in course]))
                weights.append(E.tasks[j] * math.prod(p for _, p in course))
        mean = np.average(points, axis=0, weights=weights)
        listed = np.average(((points - mean) ** 2).sum(axis=1), weights=weights)
        assert squared_deviation(E, m) == pytest.approx(listed, abs=1e-12)


@LINKED
def test_the_deviation_is_that_of_a_large_sample(link):
    E, m, T = drawn_environment(5, link, 3, 2), 20, MANY // 100
    tasks, seen = sample(E, np.random.default_rng(1), T, m)
    points = np.array([optimum(E, j, [(k // 2, k % 2) for k in row]) for j, row in zip(tasks, seen, strict=True)])
    squares = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
    assert abs(squares.mean() - squared_deviation(E, m)) <= 6 * squares.std() / math.sqrt(T)


@LINKED
def test_rho_bounds_the_variance_everywhere_and_is_attained_in_one_dimension(link):
    for seed in range(30):
        E = drawn_environment(seed, link, 1, 1 + seed % 2)
        A, best = atoms(E), minimisers(E)[0]
        rho, largest, d = self_bounding(E, A), 0.0, len(best)
        if not math.isfinite(rho):
            assert (E.chance == 0.5).any()
            continue
        ends = np.concatenate([GRID, E.centre[0] - E.radius[0], E.centre[0] + E.radius[0]])
        for x in ends:
            theta = np.where(np.arange(d) == 0, x, best)
            gaps = np.array(
                [loss_at(E, A, 0, i, k, theta[i]) - loss_at(E, A, 0, i, k, best[i]) for (i, k), _ in labelled(E, 0)]
            )
            p = np.array([q for _, q in labelled(E, 0)])
            mean, square = p @ gaps, p @ gaps**2
            assert mean >= -1e-12
            assert square - mean**2 <= rho * mean + 1e-9
            largest = max(largest, square / mean if mean > 1e-9 else 0.0)
        if d == 1 and link != KINDS["logistic"]:
            assert largest == pytest.approx(rho, rel=1e-9)


def test_closed_forms():
    E = bernoulli_tasks([0.25, 0.75], [0.1, 0.8])
    A = atoms(E)
    assert risk(E, A, 1, np.array([0.25])) == pytest.approx(0.8 * 0.75 + 0.2 * 0.25)
    assert minimisers(E).ravel().tolist() == [0, 1]
    assert least_risk(E, A) == pytest.approx(0.25 * 0.1 + 0.75 * 0.2)
    ones = 0.25 * 0.1 + 0.75 * 0.8
    assert squared_deviation(E, 1) == pytest.approx(ones * (1 - ones))
    assert self_bounding(E, A) == pytest.approx(1 / 0.6)
    assert self_bounding(bernoulli_tasks([1.0], [0.5]), A) == math.inf
    E = environment("square", [1.0], [0.5, 0.5], 0.25, 0.5, [[0.5, 0.25]])
    assert minimisers(E)[0] == pytest.approx([0.25, 0.375])
    assert least_risk(E, atoms(E)) == pytest.approx((0.75 * 0.25 + 0.75 * 0.25 / 4) / 2)
    assert self_bounding(E, atoms(E)) == pytest.approx(0.75**2 + 4 * 0.25 * 0.75)
    assert self_bounding(environment("square", 1.0, 1.0, 1.0, 0.5, 0.5), atoms(E)) == pytest.approx(1)
    certain = environment("hinge", 1.0, 1.0, 1.0, 0.5, 0.25)
    assert squared_deviation(certain, 7) == 0 and minimisers(certain)[0, 0] == 0.75
    even = environment("logistic", 1.0, 1.0, 0.5, 0.25, 0.125)
    assert minimisers(even)[0, 0] == 0.25


@pytest.mark.parametrize("link", [KINDS[name] for name in ("absolute", "square", "hinge")])
def test_exact_numbers_and_floats_agree(link):
    for seed in range(10):
        draw = RandomDraw(np.random.default_rng(seed))
        E = random_environment(draw, link, 2, 2)
        X = random_environment(TapeDraw(draw.tape, exact=True), link, 2, 2)
        B, one = on(atoms, X.tasks)(X), X.tasks[0]
        assert sum(X.tasks) == 1 and sum(X.inputs) == 1
        for exactly, near in (
            (on(squared_deviation, one)(X, 4), squared_deviation(E, 4)),
            (on(least_risk, one)(X, B), least_risk(E, atoms(E))),
            (on(lipschitz, one)(X, B), lipschitz(E, atoms(E))),
        ):
            assert isinstance(exactly, Exact) and exactly.is_rational
            assert approximate(exactly) == pytest.approx(near, abs=1e-12)


def test_a_logistic_risk_is_a_ball_that_holds_the_float():
    draw = RandomDraw(np.random.default_rng(1))
    E = random_environment(draw, KINDS["logistic"], 2, 1)
    X = random_environment(TapeDraw(draw.tape, exact=True), KINDS["logistic"], 2, 1)
    exactly = on(least_risk, X.tasks)(X, on(atoms, X.tasks)(X))
    assert not exactly.is_rational and approximate(exactly) == pytest.approx(least_risk(E, atoms(E)), rel=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"link": "huber"}, "link must be one of absolute, square, hinge, logistic, got 'huber'"),
        ({"tasks": [0.5, 0.6]}, "tasks must be probabilities that sum to 1, got [0.5, 0.6]"),
        ({"tasks": np.nan}, "tasks must be finite"),
        ({"inputs": [-0.5, 1.5]}, "inputs must be probabilities that sum to 1"),
        ({"chance": 1.5}, "chance must lie in [0, 1], got 1.5"),
        ({"chance": [[0.5, 0.5]]}, "chance must have a shape that broadcasts to (1, 1), got (1, 2)"),
        ({"centre": 0.75}, "centre +- radius must lie in [0, 1], else losses leave it, got 0.75 +- 0.5"),
        ({"radius": -0.5}, "radius must be >= 0, and > 0 for hinge and logistic losses, got -0.5"),
        ({"link": "hinge", "radius": 0.0}, "radius must be >= 0, and > 0 for hinge and logistic losses, got 0.0"),
    ],
    ids=str,
)
def test_a_bad_environment_is_named(change, message):
    good = {"link": "square", "tasks": 1.0, "inputs": 1.0, "chance": 0.5, "centre": 0.5, "radius": 0.5}
    environment(**good)
    with pytest.raises(ValueError, match=re.escape(message)):
        environment(**{**good, **change})


def test_exact_numbers_are_named():
    with pytest.raises(TypeError, match="chance must be in floats, got exact numbers"):
        environment("square", 1.0, 1.0, Fraction(1, 2), 0.5, 0.5)
    with pytest.raises(TypeError, match="tasks must be in floats, got exact numbers"):
        environment("square", Exact(1), 1.0, 0.5, 0.5, 0.5)
    with pytest.raises(TypeError, match="chance must be in floats, got exact numbers"):
        bernoulli_tasks(1.0, Fraction(1, 2))


def test_a_chance_outside_0_1_is_named():
    with pytest.raises(ValueError, match="chance must lie in"):
        bernoulli_tasks([0.5, 0.5], [0.5, 2.0])


@pytest.mark.parametrize("m", [0, -1])
def test_a_deviation_of_no_losses_is_refused(m):
    with pytest.raises(ValueError, match=f"m must be an integer >= 1, got {m}"):
        squared_deviation(bernoulli_tasks(1.0, 0.5), m)
