"""Synthetic task sequences have the structure that they are named for, and the optimal actions that they state."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arubatheory.problems import losses as module
from arubatheory.problems.losses import losses
from arubatheory.problems.tasks import AROUND, FAMILIES, count, deviation, each, path_length, task, tasks

EPS = float(np.finfo(np.float64).eps)
RAGGED = [3, 1, 2, 5, 4, 2, 1, 6, 2]
FIXED = [name for name in FAMILIES if name not in ("iid", "equal_tasks")]


def build(name, T=9, m=4, d=3, V=0.75, seed=0, **options):
    return FAMILIES[name](np.random.default_rng(seed), T, m, d, V, **options)


def total(L, x):
    return module.total(L, len(L.link), np.asarray(x, dtype=float))


# any family ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("around", AROUND)
def test_no_point_beats_the_stated_optimum(name, around):
    made = build(name, m=RAGGED, losses=around)
    rng = np.random.default_rng(1)
    for L, best in zip(each(made.tasks), made.optima, strict=True):
        value = total(L, best)
        # A value is the sum of at most six losses of magnitude a few: 100 roundings cover it.
        for scale in (1e-3, 0.1, 1, 3):
            assert value <= total(L, best + scale * rng.standard_normal(3)) + 100 * EPS * (1 + value)
        slope = sum(module.subgradient(L, i, best) for i in range(len(L.link)))
        if around == "quadratic":
            assert np.abs(slope).max() <= 100 * EPS


@pytest.mark.parametrize("name", FAMILIES)
def test_sizes_are_ragged_as_asked(name):
    made = build(name, m=RAGGED)
    assert count(made.tasks) == 9 and made.optima.shape == (9, 3)
    assert [len(L.link) for L in each(made.tasks)] == RAGGED
    assert np.diff(build(name, m=4).tasks.offsets).tolist() == [4] * 9


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("V", [0.0, 1e-6, 0.75, 1e6])
@pytest.mark.parametrize("T", [2, 3, 10, 101])
def test_the_deviation_is_the_given_one(name, V, T):
    made = build(name, T=T, m=1, V=V, center=[1.0, 2.0, 3.0])
    # Centring and stretching round relative to V, adding the centre rounds relative to it.
    assert made.V == pytest.approx(V, rel=1e3 * EPS, abs=50 * EPS)
    assert made.V == deviation(made.optima)
    np.testing.assert_allclose(made.optima.mean(axis=0), [1, 2, 3], atol=100 * EPS * (1 + V))


@pytest.mark.parametrize("name", FAMILIES)
def test_one_task_and_equal_seeds(name):
    assert build(name, T=1, center=[0.0] * 3).optima.shape == (1, 3)
    assert name == "iid" or build(name, T=1).V == 0
    first, second = build(name), build(name)
    assert all(np.array_equal(x, y) for x, y in zip(first.tasks.losses, second.tasks.losses, strict=True))


@pytest.mark.parametrize("name", FAMILIES)
def test_the_default_centre_is_a_unit_vector(name):
    made = build(name, V=0)
    assert np.linalg.norm(made.optima.mean(axis=0)) == pytest.approx(1, rel=20 * EPS)


def test_noise_spreads_the_centres():
    made = build("equal_tasks", T=1, m=4000, d=2, noise=0.5)
    spread = made.tasks.losses.c - made.optima[0]
    # The mean of 2000 squared norms with mean 1/4 and standard deviation 1/4: five standard errors are 0.028.
    assert abs((spread**2).sum(axis=1).mean() - 0.25) < 0.028
    assert (build("equal_tasks", noise=0.0).tasks.losses.c == build("equal_tasks", noise=0.0).optima[0]).all()


# each family -----------------------------------------------------------------------------------------------------
def test_one_outlier():
    made = build("one_outlier", T=10)
    distances = np.linalg.norm(made.optima[:, None] - made.optima[None], axis=2)
    far = distances.max(axis=1) == distances.max()
    pairs = np.sort(distances[np.triu_indices(10, 1)])
    assert pairs[:36].max() == 0
    np.testing.assert_allclose(pairs[36:], 0.75 * 10 / math.sqrt(9), rtol=50 * EPS)
    assert far.any() and made.V < distances.max() / 2


def test_alternating():
    x = build("alternating", T=10).optima
    assert (x[::2] == x[0]).all() and (x[1::2] == x[1]).all()
    assert np.linalg.norm(x[1] - x[0]) == pytest.approx(1.5, rel=50 * EPS)
    assert path_length(x) == pytest.approx(9 * 1.5, rel=100 * EPS)


@pytest.mark.parametrize("T", [2, 10, 1000])
def test_drifting(T):
    x = build("drifting", T=T, m=1).optima
    steps = np.diff(x, axis=0)
    # A step is a difference of points of magnitude up to 3.
    assert np.abs(steps - steps[0]).max() <= 20 * EPS
    truth = 0.75 * (T - 1) * math.sqrt(12 / (T * T - 1))
    assert path_length(x) == pytest.approx(truth, abs=20 * T * EPS) and truth < 0.75 * math.sqrt(12)


def test_piecewise_constant():
    x = build("piecewise_constant", T=12).optima
    changes = np.flatnonzero((np.diff(x, axis=0) != 0).any(axis=1)) + 1
    assert changes.tolist() == [3, 6, 9]
    assert len(np.unique(build("piecewise_constant", T=2).optima, axis=0)) == 2


@pytest.mark.parametrize("T,factor", [(12, 2.0), (100, 2.0**0.4)])
def test_geometric_growth(T, factor):
    x = build("geometric_growth", T=T, m=1, center=[0.0] * 3, V=2.0**30).optima
    steps = np.linalg.norm(np.diff(x, axis=0), axis=1)
    late = steps[-10:]
    np.testing.assert_allclose(late[1:] / late[:-1], factor, rtol=1e5 * EPS)


def test_sorted_tasks():
    x = build("sorted_tasks", T=30).optima
    assert (np.diff(x[:, 0]) > 0).all() and not (np.diff(x[:, 1]) > 0).all()


def test_sparse_direction():
    x = build("sparse_direction", T=20, d=6).optima
    assert ((x != x[0]).any(axis=0)).sum() == 1


def test_equal_tasks():
    made = build("equal_tasks")
    assert made.V == 0 and (made.optima == made.optima[0]).all()


def test_iid_has_the_deviation_of_its_population():
    made = build("iid", T=4000, m=1, d=2, V=2.0, center=[5.0, 5.0])
    # V^2 estimated by 4000 squared norms of mean 4 and standard deviation 4: five standard errors are 0.32.
    assert abs(made.V**2 - 4) < 0.32
    assert made.V != 2.0


def test_similar_is_a_cluster_in_all_directions():
    x = build("similar", T=50).optima
    assert np.linalg.matrix_rank(x - x.mean(axis=0)) == 3


# containers ------------------------------------------------------------------------------------------------------
def test_tasks_of_given_losses():
    parts = [losses("linear", [[1.0]]), losses("hinge", [[2.0], [3.0]]), losses("square", [[4.0]])]
    made = tasks(parts)
    assert made.offsets.tolist() == [0, 1, 3, 4] and made.offsets.dtype == np.int64
    for L, part in zip(each(made), parts, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(L, part, strict=True))
    assert task(made, 1).a.base is not None
    for t in (-1, 3):
        with pytest.raises(IndexError, match=rf"t must be >= 0 and < 3, got {t}"):
            task(made, t)
    with pytest.raises(ValueError, match="parts must hold at least one"):
        tasks([])
    with pytest.raises(ValueError, match="the same dimension"):
        tasks([parts[0], losses("linear", [[1.0, 2.0]])])


def test_deviation_and_path_length():
    points = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 4.0], [0.0, 0.0]])
    assert deviation(points) == 2.5 and path_length(points) == 10
    assert deviation(points[:1]) == 0 and path_length(points[:1]) == 0


@pytest.mark.parametrize("measure", [deviation, path_length])
@pytest.mark.parametrize(
    ("points", "error", "message"),
    [
        (np.array([0.0, 1.0]), ValueError, r"points must have shape \(T, d\) with T, d >= 1, got \(2,\)"),
        (np.empty((0, 2)), ValueError, r"points must have shape \(T, d\) with T, d >= 1, got \(0, 2\)"),
        ([[0.0], [math.nan]], ValueError, "points must be finite"),
        ([[Fraction(1, 2)]], TypeError, "points must be in floats"),
    ],
)
def test_points_of_another_kind_are_named(measure, points, error, message):
    with pytest.raises(error, match=message):
        measure(points)


# bad input -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(
    "error,match,changes",
    [
        (ValueError, "T must be an integer >= 1, got 0", {"T": 0}),
        (ValueError, "T must be an integer >= 1, got 2.0", {"T": 2.0}),
        (ValueError, "d must be an integer >= 1, got True", {"d": True}),
        (ValueError, r"m must be an integer >= 1 or 9 of them, got \[1, 2\]", {"m": [1, 2]}),
        (ValueError, "m must be an integer >= 1 or 9 of them, got 0", {"m": 0}),
        (ValueError, "m must be an integer >= 1 or 9 of them, got 1.5", {"m": 1.5}),
        (ValueError, r"V must be >= 0, got -1", {"V": -1}),
        (ValueError, r"V must be finite, got nan", {"V": math.nan}),
        (TypeError, "V must be a real number, got 'big'", {"V": "big"}),
        (ValueError, r"noise must be finite, got inf", {"noise": math.inf}),
        (ValueError, "losses must be one of quadratic, .* got 'cubic'", {"losses": "cubic"}),
        (ValueError, "center must be 3 numbers", {"center": [1.0]}),
        (TypeError, "center must hold real numbers", {"center": ["a", "b", "c"]}),
    ],
)
def test_bad_arguments_are_named(name, error, match, changes):
    with pytest.raises(error, match=match):
        build(name, **changes)


def test_the_generator_is_checked():
    with pytest.raises(TypeError, match="rng must be a numpy Generator, got 7"):
        FAMILIES["similar"](7, 2, 2, 2)


anything = st.one_of(st.none(), st.booleans(), st.integers(-1, 3), st.floats(), st.lists(st.integers(0, 3), max_size=3))


sizes = st.integers(-1, 3) | st.none()


@given(st.sampled_from(sorted(FAMILIES)), sizes, anything, sizes, anything)
@settings(max_examples=200)
def test_families_give_finite_tasks_or_an_error(name, T, m, d, V):
    try:
        made = FAMILIES[name](np.random.default_rng(0), T, m, d, V)
    except (ValueError, TypeError):
        return
    assert np.isfinite(made.optima).all() and all(np.isfinite(field).all() for field in made.tasks.losses)
