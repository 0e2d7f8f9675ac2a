"""Learned geometries: the meta-algorithm written out, U_t >= R_t, what each rule sees, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory.learners.geometry_ftl import MatrixFTL
from arubatheory.learners.matrix_mean import matrix_mean
from arubatheory.learners.mirror_descent import omd
from arubatheory.learners.preconditioned import preconditioned_omd
from arubatheory.problems.domains import ball, box, project, simplex, space
from arubatheory.problems.losses import losses, subgradient, total
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import FAMILIES, each, task, tasks
from arubatheory.untried.geometry_meta import (
    Rule,
    fixed,
    full_matrix,
    geometry_learn,
    geometry_steps,
    isotropic,
    per_coordinate,
)

RULES = {
    "fixed": lambda d, m: fixed(0.1, d),
    "isotropic": lambda d, m: isotropic(d, 1.0, np.sqrt(m), 0.4),
    "per coordinate": lambda d, m: per_coordinate(d, 1.0, np.sqrt(m), 0.4),
    "full": lambda d, m: full_matrix(d, 0.5, 0.5 * np.sqrt(m)),
    "lazy": lambda d, m: full_matrix(d, 0.5, 0.5 * np.sqrt(m), late=0.3),
}
DOMAINS = {
    "space": space(3),
    "ball": ball(np.zeros(3), 1.5),
    "box": box(np.zeros(3), np.ones(3)),
    "simplex": simplex(3),
}


def random_tasks(domain, seed, T=8):
    """Ragged tasks of distances, quadratics and linear losses, against arbitrary points of the domain."""
    rng = np.random.default_rng(seed)
    built = []
    for t in range(T):
        m = int(rng.integers(1, 6))
        c, a = rng.standard_normal((m, 3)), rng.standard_normal((m, 3)) * 2.0 ** rng.integers(-3, 4)
        kind = t % 3
        built.append(
            losses("distance", 0, c=c)
            if kind == 0
            else losses("linear", a)
            if kind == 1
            else losses("linear", 0, weight=0, ridge=1, c=c)
        )
    return tasks(built), np.array([project(domain, rng.standard_normal(3)) for _ in range(T)])


def steps(sequence, rule, phi, optima):
    """Task after task in the ball."""
    return list(geometry_steps(zip(each(sequence), optima, strict=True), DOMAINS["ball"], rule, phi))


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("place", DOMAINS)
def test_upper_bounds_hold(name, place):
    domain = DOMAINS[place]
    for seed in range(6):
        sequence, optima = random_tasks(domain, seed)
        start = project(domain, np.full(3, 0.25))
        played = geometry_learn(sequence, domain, RULES[name](3, 3), start, optima=optima)
        assert (played.upper - played.regret >= -1e-12 * (1 + np.abs(played.upper))).all()
        assert played.average_upper >= played.average_regret


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_upper_bounds_hold_on_the_families(name, family):
    sequence, optima, _ = FAMILIES[family](np.random.default_rng(1), 20, 4, 3, losses="absolute")
    domain = ball(np.zeros(3), 1 + np.linalg.norm(optima, axis=1).max())
    played = geometry_learn(sequence, domain, RULES[name](3, 4), np.zeros(3), optima=optima)
    assert (played.upper >= played.regret).all()


def test_the_full_matrix_algorithm_written_out():
    sequence, optima = random_tasks(DOMAINS["ball"], 3, T=6)
    eps, zeta, phi = 0.5, 0.75, np.array([0.25, 0.0, -0.5])
    played = steps(sequence, full_matrix(3, eps, zeta), phi, optima)
    B2, G2 = eps**2 * np.eye(3), zeta**2 * np.eye(3)
    for t in range(6):
        start, L, H = phi if t == 0 else optima[:t].mean(axis=0), task(sequence, t), matrix_mean(B2, G2)
        actions = preconditioned_omd(L, DOMAINS["ball"], H, start).actions
        gradients = np.array([subgradient(L, i, actions[i]) for i in range(len(L.b))])
        away = optima[t] - start
        np.testing.assert_allclose(played[t].phi, start, atol=1e-15)
        upper = away @ np.linalg.solve(H, away) / 2 + np.einsum("ni,ij,nj->", gradients, H, gradients)
        assert played[t].upper == pytest.approx(upper, rel=1e-10)
        values = sum(total(L, i + 1, x) - total(L, i, x) for i, x in enumerate(actions))
        assert played[t].regret == pytest.approx(values - total(L, len(L.b), optima[t]), abs=1e-9)
        np.testing.assert_allclose(played[t].H.matrix(), H, rtol=1e-9)
        B2 = B2 + eps**2 * np.eye(3) + np.outer(away, away) / 2
        G2 = G2 + zeta**2 * np.eye(3) + gradients.T @ gradients


def test_the_rates_written_out():
    sequence, optima = random_tasks(DOMAINS["ball"], 4, T=6)
    eps, zeta, p, phi = 1.0, 2.0, 0.4, np.zeros(3)
    rules = per_coordinate(3, eps, zeta, p), isotropic(3, eps, zeta, p)
    for rule, average in zip(rules, (lambda x: x, lambda x: np.full(3, x.mean())), strict=True):
        played = steps(sequence, rule, phi, optima)
        b, g = np.full(3, eps**2), np.full(3, zeta**2)
        for t in range(6):
            L, eta = task(sequence, t), np.sqrt(b / g)
            np.testing.assert_allclose(played[t].H.eta, eta, rtol=1e-12)
            actions = preconditioned_omd(L, DOMAINS["ball"], eta, played[t].phi).actions
            gradients = np.array([subgradient(L, i, actions[i]) for i in range(len(L.b))])
            b = b + eps**2 / (t + 2) ** p + average((optima[t] - played[t].phi) ** 2 / 2)
            g = g + zeta**2 / (t + 2) ** p + average((gradients**2).sum(axis=0))


def test_a_fixed_multiple_is_plain_omd_from_the_mean():
    sequence, optima = random_tasks(DOMAINS["ball"], 5)
    played = steps(sequence, fixed(0.25, 3), np.zeros(3), optima)
    for t, L in enumerate(each(sequence)):
        values = omd(L, DOMAINS["ball"], euclidean(3), played[t].phi, 0.25).values
        assert played[t].regret == pytest.approx(values.sum() - total(L, len(L.b), optima[t]), abs=1e-12)


def test_the_full_matrix_finds_a_direction_that_no_axis_has():
    sequence, optima, _ = FAMILIES["alternating"](np.random.default_rng(0), 300, 10, 5)
    domain, average = ball(np.zeros(5), 4.0), {}
    for name in RULES:
        average[name] = geometry_learn(sequence, domain, RULES[name](5, 10), np.zeros(5), optima=optima).average_upper
    assert average["full"] < 0.95 * average["per coordinate"] < average["isotropic"] < average["fixed"]
    assert average["lazy"] < 1.05 * average["full"]


def test_hindsight_is_the_default():
    sequence, optima, _ = FAMILIES["similar"](np.random.default_rng(0), 5, 4, 3, losses="quadratic")
    domain, start = ball(np.zeros(3), 5.0), np.zeros(3)
    one = geometry_learn(sequence, domain, RULES["full"](3, 4), start, optima=optima)
    two = geometry_learn(sequence, domain, RULES["full"](3, 4), start)
    np.testing.assert_allclose(one.regret, two.regret, atol=1e-9)


def test_steps_are_the_trajectory_and_take_any_iterable():
    sequence, optima = random_tasks(DOMAINS["box"], 2)
    start = np.full(3, 0.5)
    played = geometry_learn(sequence, DOMAINS["box"], RULES["full"](3, 3), start, optima=optima)
    steps = geometry_steps(zip(each(sequence), optima, strict=True), DOMAINS["box"], RULES["full"](3, 3), start)
    for t, step in enumerate(steps):
        assert step.upper == played.upper[t] and step.regret == played.regret[t]
        assert step.actions.shape == task(sequence, t).a.shape


def test_one_task_of_constant_losses():
    sequence = tasks([losses("linear", np.zeros((2, 3)))])
    for name in RULES:
        played = geometry_learn(sequence, DOMAINS["ball"], RULES[name](3, 2), np.zeros(3), optima=np.zeros((1, 3)))
        assert played.regret.tolist() == [0.0] and played.upper.tolist() == [0.0]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"phi": [3.0, 0.0, 0.0]}, ValueError, r"phi must lie in the domain, got array\(\[3., 0., 0.\]\)"),
        ({"phi": [0.0]}, ValueError, "domain and phi must have dimension 3, got 3 and 1"),
        ({"phi": [[0.0, 0.0, 0.0]]}, ValueError, r"phi must be a vector, got an array of shape \(1, 3\)"),
        ({"optima": np.ones((2, 3))}, ValueError, r"optima must have shape \(8, 3\), got \(2, 3\)"),
        ({"optima": np.full((8, 3), 2.0)}, ValueError, "optima must lie in the domain, got .* in task 0"),
        ({"optima": np.full((8, 3), np.nan)}, ValueError, "optima must be finite"),
        ({"domain": ball(np.zeros(2), 1.0)}, ValueError, "domain and phi must have dimension 3, got 2"),
    ],
)
def test_bad_input_is_named(change, error, message):
    sequence, optima = random_tasks(DOMAINS["ball"], 0)
    good = {
        "tasks": sequence,
        "domain": DOMAINS["ball"],
        "rule": RULES["full"](3, 3),
        "phi": np.zeros(3),
        "optima": optima,
    }
    with pytest.raises(error, match=message):
        geometry_learn(**(good | change))


def test_bad_steps_are_named():
    good = losses("linear", [[1.0, 0.0, 0.0]])
    for L, optimum in ((losses("linear", [[1.0]]), np.zeros(3)), (good, np.full(3, 2.0))):
        with pytest.raises(
            ValueError, match="task 0 must be in floats, have dimension 3 and its optimum in the domain"
        ):
            list(geometry_steps([(L, optimum)], DOMAINS["ball"], RULES["full"](3, 1), np.zeros(3)))
    with pytest.raises(ValueError, match="phi must lie in the domain"):
        list(geometry_steps([], DOMAINS["ball"], RULES["full"](3, 1), np.full(3, 2.0)))


def test_overflow_is_an_error_and_nothing_is_learned_from_it():
    ftl = MatrixFTL(3, 1.0, 1.0)
    rule = Rule(ftl.preconditioner, lambda x, g: ftl.learn(x, g.T))
    steep = [(losses("linear", [[1e300, 0.0, 0.0]] * m), np.zeros(3)) for m in (1, 2)]
    said = "a task left the range of float64"
    for task_, chosen, message in (
        (steep[0], rule, r"G must not exceed 2\^480, got 1.0e\+300"),
        (steep[1], rule, said),
        (steep[0], fixed(1.0, 3), said),
    ):
        with pytest.raises(OverflowError, match=message):
            list(geometry_steps([task_], DOMAINS["space"], chosen, np.zeros(3)))
    assert ftl.t == 1
