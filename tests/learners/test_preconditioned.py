"""eq:matrix over each domain: against the definition, the generic step, exact numbers, and the plain iteration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from arubatheory.arithmetic import approximate, exact
from arubatheory.learners.matrix_mean import low_rank_mean, matrix_mean
from arubatheory.learners.mirror_descent import omd
from arubatheory.learners.preconditioned import (
    diagonal_step,
    play_preconditioned,
    preconditioned_descent,
    preconditioned_omd,
)
from arubatheory.learners.preconditioner import Diagonal, Factored, preconditioner
from arubatheory.problems.domains import ball, box, contains, inside, simplex, space
from arubatheory.problems.losses import Losses, losses, subgradient
from arubatheory.problems.regularizers import euclidean, mahalanobis, mirror_step

DOMAINS = {
    "space": space(4),
    "ball": ball([0.5, 0.0, -0.25, 1.0], 0.75),
    "box": box(-0.25, np.array([0.5, 1.0, 0.25, 2.0])),
    "simplex": simplex(4),
    "floored": simplex(4, 0.125),
    "point": ball(np.ones(4), 0.0),
}
STARTS = {
    "space": np.zeros(4),
    "ball": np.array([0.5, 0.25, -0.25, 1.0]),
    "box": np.array([0.25, 0.0, 0.25, 1.0]),
    "simplex": np.array([0.5, 0.5, 0.0, 0.0]),
    "floored": np.array([0.25, 0.5, 0.125, 0.125]),
    "point": np.ones(4),
}


def spd(rng, d, spread=2.0):
    Q = np.linalg.qr(rng.standard_normal((d, d)))[0]
    H = Q * np.exp(spread * rng.uniform(-1, 1, d)) @ Q.T
    return (H + H.T) / 2


def matrices(rng, d=4):
    F, J = rng.standard_normal((d, 1)), rng.standard_normal((d, 2))
    return {
        "diagonal": np.exp(2 * rng.uniform(-1, 1, d)),
        "full": spd(rng, d),
        "low rank": low_rank_mean(0.5, F, 2.0, J),
        "multiple": low_rank_mean(0.5, F[:, :0], 2.0, J[:, :0]),
    }


def some_losses(rng, m=6, d=4):
    L = losses("linear", rng.standard_normal((m, d)), 0)
    K = losses("distance", 0, c=rng.standard_normal((m, d)))
    return Losses(*(np.concatenate([x[: m // 2], y[m // 2 :]]) for x, y in zip(L, K, strict=True)))


def dense(H, d=4):
    return preconditioner(H, d).matrix()


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("kind", ["diagonal", "full", "low rank", "multiple"])
def test_actions_are_mirror_steps_in_the_norm_of_the_inverse(name, kind):
    domain, outside = DOMAINS[name], 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        H, L = matrices(rng)[kind], some_losses(rng)
        played = preconditioned_omd(L, domain, H, STARTS[name])
        inverse = np.linalg.inv(dense(H))
        R = mahalanobis((inverse + inverse.T) / 2)
        summed = np.zeros(4)
        for i, theta in enumerate(played.actions):
            want = mirror_step(R, domain, STARTS[name], summed)
            np.testing.assert_allclose(theta, want, rtol=0, atol=1e-10)
            assert contains(domain, theta)
            outside += not inside(domain, STARTS[name] - dense(H) @ summed) >= 0
            summed = summed + subgradient(L, i, theta)
    assert name == "space" or outside > 10


@pytest.mark.parametrize("name", ["ball", "box", "floored"])
@pytest.mark.parametrize("kind", ["diagonal", "full", "low rank"])
def test_the_last_action_minimises_what_eq_matrix_prints(name, kind):
    rng = np.random.default_rng(3)
    H, L, domain, phi = matrices(rng)[kind], some_losses(rng), DOMAINS[name], STARTS[name]
    played = preconditioned_omd(L, domain, H, phi)
    inverse, last = np.linalg.inv(dense(H)), played.actions[-1]
    summed = np.sum([subgradient(L, i, played.actions[i]) for i in range(5)], axis=0)

    def objective(x):
        return (x - phi) @ inverse @ (x - phi) / 2 + summed @ x

    constraints = []
    if name == "ball":
        constraints = [{"type": "ineq", "fun": lambda x: 0.75**2 - (x - domain.center) @ (x - domain.center)}]
    if name == "floored":
        constraints = [{"type": "eq", "fun": lambda x: x.sum() - 1}, {"type": "ineq", "fun": lambda x: x - 0.125}]
    bounds = list(zip(domain.low, domain.high, strict=True)) if name == "box" else None
    found = minimize(objective, phi, constraints=constraints, bounds=bounds, method="SLSQP", options={"ftol": 1e-14})
    assert objective(last) <= found.fun + 1e-9
    np.testing.assert_allclose(last, found.x, atol=1e-5)


def test_a_multiple_of_the_identity_is_plain_omd():
    rng = np.random.default_rng(0)
    L = some_losses(rng)
    for name, domain in DOMAINS.items():
        want = omd(L, domain, euclidean(4), STARTS[name], 0.3)
        for H in (0.3, np.full(4, 0.3), 0.3 * np.eye(4)):
            np.testing.assert_allclose(preconditioned_omd(L, domain, H, STARTS[name]).actions, want.actions, atol=1e-13)


def test_the_plain_iteration_written_out():
    rng = np.random.default_rng(1)
    L = some_losses(rng)
    for H in matrices(rng).values():
        played = preconditioned_descent(L, H, np.ones(4))
        theta = np.ones(4)
        for i in range(6):
            np.testing.assert_allclose(played.actions[i], theta, atol=1e-13)
            theta = theta - dense(H) @ subgradient(L, i, theta)
        assert np.array_equal(played.actions, preconditioned_omd(L, space(4), H, np.ones(4)).actions)


def test_the_two_iterations_differ_on_a_bounded_domain():
    L, H = losses("linear", [[4.0, 0.0], [-1.0, 0.0], [0.0, 0.0]], 0), np.array([1.0, 1.0])
    lazy = preconditioned_omd(L, box([-1.0, -1.0], [1.0, 1.0]), H, [0.0, 0.0])
    plain = preconditioned_descent(L, H, [0.0, 0.0])
    assert lazy.actions[:, 0].tolist() == [0.0, -1.0, -1.0] and plain.actions[:, 0].tolist() == [0.0, -4.0, -3.0]


@pytest.mark.parametrize("name", ["space", "ball", "box", "simplex"])
def test_floats_are_close_to_exact_numbers(name):
    rng = np.random.default_rng(7)
    L, M = losses("linear", rng.standard_normal((4, 4)).round(3), 0), spd(rng, 4).round(6)
    for H in (np.array([0.5, 2.0, 0.25, 1.0]), (M + M.T) / 2, 0.5):
        floats = preconditioned_omd(L, DOMAINS[name], H, STARTS[name])
        exactly = preconditioned_omd(exact(L), exact(DOMAINS[name]), H, STARTS[name])
        np.testing.assert_allclose(floats.actions, approximate(exactly.actions), atol=1e-12)
        np.testing.assert_allclose(floats.values, approximate(exactly.values), atol=1e-11)


@pytest.mark.parametrize("octaves", [4, 16, 30])
def test_steps_survive_wide_spectra(octaves):
    rng = np.random.default_rng(octaves)
    for _ in range(50):
        eta = 2.0 ** rng.integers(-octaves, octaves + 1, 4)
        free = STARTS["ball"] + 2.0 ** rng.integers(-octaves, octaves) * rng.standard_normal(4)
        theta = diagonal_step(eta, DOMAINS["ball"], free)
        assert contains(DOMAINS["ball"], theta)
        y = theta - DOMAINS["ball"].center
        if not inside(DOMAINS["ball"], free) >= 0:  # H^-1 (free - theta) is a multiple of theta - c
            assert np.linalg.norm(y) == pytest.approx(0.75, rel=1e-12)
            normal = (free - theta) / eta
            assert normal @ y >= np.linalg.norm(normal) * np.linalg.norm(y) * (1 - 1e-6)
        weights = diagonal_step(eta, DOMAINS["simplex"], free)
        assert weights.min() >= 0 and weights.sum() == pytest.approx(1, abs=1e-12)
        tau, held = (free - weights) / eta, weights == 0
        level = tau[~held]
        scale = np.abs(free / eta).max()
        assert np.ptp(level) <= 1e-12 * scale and (tau[held] <= level.max() + 1e-12 * scale).all()


def test_a_point_far_from_the_simplex_falls_on_it():
    for free in ([1e20], [1e17, 1e17], [-1e17, -3e17, 0.0]):
        eta = 2.0 ** np.arange(len(free))
        weights = diagonal_step(eta, simplex(len(free)), np.array(free))
        assert weights.min() >= 0 and weights.sum() == pytest.approx(1, abs=1e-15)


def test_preconditioners_agree_with_their_matrices():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((3, 4))
    for H in matrices(rng).values():
        P = preconditioner(H, 4)
        A = P.matrix()
        np.testing.assert_allclose(P.inverse().matrix() @ A, np.eye(4), atol=1e-12)
        np.testing.assert_allclose(P.squares(X), np.einsum("ni,ij,nj->n", X, A, X), rtol=1e-12)
        np.testing.assert_allclose(P.inverse().squares(X), np.einsum("ni,ij,nj->n", X, np.linalg.inv(A), X), rtol=1e-11)


def test_a_geometric_mean_may_be_the_preconditioner():
    B2, G2 = spd(np.random.default_rng(0), 4), spd(np.random.default_rng(1), 4)
    H = matrix_mean(B2, G2)
    L = some_losses(np.random.default_rng(2))
    played = preconditioned_omd(L, space(4), H, np.zeros(4))
    np.testing.assert_allclose(played.actions[1], -H @ subgradient(L, 0, np.zeros(4)), atol=1e-13)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"H": 0.0}, ValueError, "H must be positive, got 0.0"),
        ({"H": [1.0, -1.0]}, ValueError, r"H must be positive, got \[1.0, -1.0\]"),
        ({"H": [1.0]}, ValueError, r"H must have shape \(2,\) or \(2, 2\), got \(1,\)"),
        ({"H": np.ones((2, 3))}, ValueError, r"H must have shape \(2,\) or \(2, 2\), got \(2, 3\)"),
        ({"H": [[1.0, 0.5], [0.25, 1.0]]}, ValueError, "H must be symmetric, got .*0.25"),
        ({"H": [[1.0, 2.0], [2.0, 1.0]]}, ValueError, "H must be positive definite in floats, got .*2.0"),
        ({"H": [[1.0, 1.0], [1.0, 1.0]]}, ValueError, "H must be positive definite"),
        ({"H": [np.nan, 1.0]}, ValueError, "H must be finite, got .*nan"),
        ({"H": "I"}, TypeError, "H must hold real numbers"),
        ({"H": Diagonal(np.ones(3))}, ValueError, "H must have dimension 2, got 3"),
        ({"H": Factored(1.0, np.empty((3, 0)), np.eye(3), np.eye(3))}, ValueError, "H must have dimension 2, got 3"),
        ({"phi": [3.0, 0.0]}, ValueError, r"phi must lie in the domain, got \[3.0, 0.0\]"),
        ({"phi": [0.0]}, ValueError, r"phi must have shape \(2,\), got \(1,\)"),
        ({"losses": np.ones((1, 2))}, TypeError, "losses must be a Losses( or a Rounds)?, got array"),
        ({"domain": space(3)}, ValueError, "domain must have dimension 2"),
    ],
)
def test_bad_input_is_named(change, error, message):
    good = {"losses": losses("linear", [[1.0, 0.0]]), "domain": ball([0.0, 0.0], 1.0), "H": 1.0, "phi": [0.0, 0.0]}
    with pytest.raises(error, match=message):
        preconditioned_omd(**(good | change))
    if "domain" not in change and change.get("phi") != [3.0, 0.0]:
        arguments = good | change
        arguments.pop("domain")
        with pytest.raises(error, match=message):
            preconditioned_descent(**arguments)


@pytest.mark.parametrize(
    ("H", "message"),
    [
        ([[1, 2], [2, 1]], "H must be symmetric and positive definite"),
        ([1, 2, 3], r"H must have shape \(2,\) or \(2, 2\)"),
    ],
)
def test_bad_exact_input_is_named(H, message):
    L = exact(losses("linear", [[1.0, 0.0]]))
    with pytest.raises(ValueError, match=message):
        preconditioned_omd(L, exact(space(2)), H, [0, 0])


def test_overflow_is_an_error():
    with pytest.raises(OverflowError, match="preconditioned_omd left the range of float64 at round 1"):
        preconditioned_omd(losses("linear", [[1e200], [1e200]], 0), space(1), [1e200], [0.0])


def test_inputs_are_not_modified():
    rng = np.random.default_rng(0)
    for name, domain in DOMAINS.items():
        for H in matrices(rng).values():
            L, phi = some_losses(rng), STARTS[name].copy()
            copies = [x.copy() for x in L]
            play_preconditioned(L, domain, preconditioner(H, 4), phi)
            assert all(np.array_equal(x, y) for x, y in zip(L, copies, strict=True))
            assert np.array_equal(phi, STARTS[name])
