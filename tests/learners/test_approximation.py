"""asu:general on runs of Algorithm 3: the least constants, the bound of thm:fixed, and hand-checked counterexamples."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from arubatheory.engines.rate import rate
from arubatheory.engines.verdict import Status
from arubatheory.learners.approximation import Trade, _largest, approximation, fixed_bound, lipschitz_over
from arubatheory.learners.meta import MetaTrajectory, adaptive_descent, begin, constant_rate, mean, meta_learn
from arubatheory.papers.aruba.f_growth.fixed_learning import STATEMENTS
from arubatheory.papers.aruba.games import approximate as games
from arubatheory.problems.domains import BOX, Domain, ball, box, extreme_points, simplex, space
from arubatheory.problems.draw import RandomDraw
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import bregman, dual_norm, entropy, euclidean, mahalanobis, norm
from arubatheory.problems.tasks import FAMILIES, tasks
from arubatheory.statements.core import Instance, all_sides

BY_LABEL = {s.label: s for s in STATEMENTS}
GEOMETRIES = {
    "ball": (ball(np.zeros(2), 4.0), euclidean(2)),
    "box": (box([-3.0, -3.0], [3.0, 4.0]), mahalanobis([[2.0, 0.5], [0.5, 1.0]])),
    "simplex": (simplex(2, 0.05), entropy(2)),
}
EPS = 0.25


def run(kind, update, T=8, m=12, init=mean, seed=0, family="similar"):
    """Algorithm 3 at a fixed rate on a small family (on the simplex: on distances from drawn points)."""
    domain, R = GEOMETRIES[kind]
    rng = np.random.default_rng(seed)
    if kind == "simplex":
        centres = rng.uniform(0.1, 0.9, T)
        built = [losses("distance", 0, c=np.tile([c, 1 - c], (m, 1))) for c in centres]
        sequence, optima = tasks(built), np.stack([centres, 1 - centres], axis=1)
        start = np.array([0.5, 0.5])
    else:
        sequence, optima, _ = FAMILIES[family](rng, T, m, 2, V=0.5, center=np.zeros(2))
        start = np.array([1.0, -1.0])
    played = meta_learn(
        sequence, domain, R, init(start), constant_rate(EPS), optima=optima, update=update, within="omd"
    )
    return played, R, domain


def handmade(star, hat, phi, sigma, v=EPS):
    """A run of which only what asu:general speaks of is given."""
    star, hat, phi = (np.array(x, dtype=float).reshape(len(sigma), -1) for x in (star, hat, phi))
    sigma, T = np.array(sigma, dtype=float), len(sigma)
    upper = np.array([(np.sum((a - b) ** 2) / 2 / v + v) * s for a, b, s in zip(star, phi, sigma, strict=True)])
    rates = np.full(T, float(v))
    state = begin(mean(phi[0]))
    return MetaTrajectory(phi, rates, rates, sigma, star, hat, np.zeros(T), upper, state)


@pytest.mark.parametrize("kind", GEOMETRIES)
@pytest.mark.parametrize("update", ["last", "average"])
@pytest.mark.parametrize("weights", ["fixed", "learning"])
def test_the_constants_satisfy_both_inequalities_and_no_smaller_ones_do(kind, update, weights):
    played, R, domain = run(kind, update)
    for factor in (1.0, 1.5):
        found = approximation(played, R, domain, weights=weights, kappa=factor, nu=factor)
        B = lambda points, at: np.array([bregman(R, x, y) for x, y in zip(points, at, strict=True)])  # noqa: E731
        weighted = lambda points: np.tile(played.sigma @ points / played.sigma.sum(), (len(points), 1))  # noqa: E731
        lhs = found.alpha @ B(played.optima, played.phi)
        rhs = factor * (found.alpha @ B(played.updates, played.phi))
        assert found.drift == pytest.approx(max(0.0, lhs - rhs), abs=1e-12 * lhs)
        assert found.each.sum() >= found.drift - 1e-12 * lhs
        lhs = played.sigma @ B(played.updates, weighted(played.updates))
        rhs = factor * (played.sigma @ B(played.optima, weighted(played.optima)))
        assert found.gap == pytest.approx(max(0.0, lhs - rhs), abs=1e-12 * lhs)
        assert found.V**2 * played.sigma.sum() * factor == pytest.approx(rhs)
        np.testing.assert_allclose(
            found.alpha, played.sigma if weights == "fixed" else found.alpha[0] / played.sigma[0] * played.sigma
        )


def test_the_trade_between_factor_and_slack_is_a_line():
    trade = Trade(6.0, 2.0)
    assert [trade.slack(c) for c in (1.0, 2.0, 3.0, 4.0)] == [4.0, 2.0, 0.0, 0.0]
    assert trade.factor() == 3.0
    assert (Trade(1.0, 2.0).factor(), Trade(1.0, 0.0).factor(), Trade(0.0, 0.0).factor()) == (1.0, math.inf, 1.0)


def test_learning_weights_are_those_that_the_proof_of_thm_learning_needs():
    played, R, domain = run("ball", "average")
    played = played._replace(v=np.linspace(0.5, 2.0, len(played.v)))
    found = approximation(played, R, domain, weights="learning")
    np.testing.assert_allclose(found.alpha, 0.5 * played.sigma / played.v)


def test_with_optimal_actions_nothing_has_to_be_made_up_for():
    played, R, domain = run("ball", "optimal")
    found = approximation(played, R, domain)
    assert (found.drift, found.gap) == (0.0, 0.0) and not found.each.any()
    assert found.updates.factor() == found.spread.factor() == 1.0
    # the start (1, -1) is sqrt(2) from the centre of a ball of radius 4
    assert found.D**2 == pytest.approx((4 + math.sqrt(2)) ** 2 / 2)
    assert approximation(played, R, domain, references=played.phi).D ** 2 == pytest.approx(8**2 / 2)


@pytest.mark.parametrize("kind", GEOMETRIES)
@pytest.mark.parametrize("update", ["optimal", "last", "average"])
def test_the_regret_upper_bound_is_below_thm_fixed(kind, update):
    for seed, family in ((1, "similar"), (2, "alternating"), (3, "drifting")):
        played, R, domain = run(kind, update, seed=seed, family=family)
        for factor in (1.0, 2.0):
            found = approximation(played, R, domain, kappa=factor, nu=factor)
            assert played.upper.sum() <= fixed_bound(found, played.sigma, EPS)


@pytest.mark.parametrize("update", ["last", "average"])
def test_thm_fixed_for_aogd_with_the_euclidean_regularizer(update):
    played, R, domain = run("ball", update, init=adaptive_descent)
    found = approximation(played, R, domain, init="aogd")
    assert played.upper.sum() <= fixed_bound(found, played.sigma, EPS, "aogd")
    assert found.lipschitz >= approximation(played, R, domain).lipschitz


def test_without_its_price_for_bad_updates_the_bound_is_false():
    """The updates are 0 for ever and so are the starts, while the optima are 3."""
    played = handmade([[3.0]] * 4, [[0.0]] * 4, [[0.0]] * 4, [1.0] * 4)
    found = approximation(played, euclidean(1), ball(np.zeros(1), 3.0))
    assert found.drift == 4 * 4.5 and (found.gap, found.V, found.lipschitz) == (0.0, 0.0, 0.0)
    assert played.upper.sum() <= fixed_bound(found, played.sigma, EPS)
    assert played.upper.sum() - fixed_bound(found, played.sigma, EPS) == pytest.approx(-(18 / EPS + EPS))
    later = found._replace(drift=0.0)
    assert handmade([[3.0]] * 8, [[0.0]] * 8, [[0.0]] * 8, [1.0] * 8).upper.sum() > fixed_bound(later, [1.0] * 8, EPS)


def test_tasks_without_gradients_have_no_weight():
    played = handmade([[1.0], [2.0]], [[1.0], [2.0]], [[0.0], [0.0]], [1.0, 0.0])
    found = approximation(played, euclidean(1), ball(np.zeros(1), 3.0))
    assert found.alpha.shape == (1,) and found.each.shape == (2,) and found.V == 0.0


@pytest.mark.parametrize("kind", GEOMETRIES)
@pytest.mark.parametrize("everywhere", [False, True])
def test_the_lipschitz_constant_bounds_every_slope(kind, everywhere):
    domain, R = GEOMETRIES[kind]
    rng = np.random.default_rng(4)
    corners = np.stack(extreme_points(domain))
    hat = rng.dirichlet(np.ones(len(corners)), 5) @ corners
    around = corners if everywhere else hat
    bound, top = lipschitz_over(R, domain, hat, everywhere), 0.0
    for phi in np.concatenate([around, rng.dirichlet(np.ones(len(around)), 200) @ around]):
        for x in hat:
            slope = (phi - x) / phi if R.kind == 1 else phi - x if R.kind == 0 else R.matrix @ (phi - x)
            top = max(top, float(dual_norm(R, domain, slope)))
    assert top <= bound * (1 + 1e-12)
    assert top >= bound * (1 - 1e-12) or (kind == "ball" and everywhere)  # extreme points of a ball are many more


@pytest.mark.parametrize("kind", GEOMETRIES)
def test_the_diameter_and_the_stretch_bound_what_they_bound(kind):
    played, R, domain = run(kind, "average")
    found = approximation(played, R, domain)
    rng = np.random.default_rng(5)
    corners = np.stack(extreme_points(domain))
    points = np.concatenate([corners, rng.dirichlet(np.ones(len(corners)), 60) @ corners])
    widest = max(float(bregman(R, x, y)) for x in points for y in points)
    assert found.D**2 == pytest.approx(widest)  # opposite extreme points are among them
    ratios = [float(norm(R, domain, x)) / np.linalg.norm(x) for x in rng.normal(size=(2000, 2))]
    assert max(ratios) == pytest.approx(found.stretch, rel=1e-3) and max(ratios) <= found.stretch * (1 + 1e-12)


@pytest.mark.parametrize("d", [1, 5, 8])
@pytest.mark.parametrize("corner", [None, 0.0, 0.25])
def test_the_largest_divergence_on_a_box_is_met_at_one_of_all_its_corners(d, corner):
    domain, basis = box(np.zeros(d), np.arange(1.0, d + 1)), np.random.default_rng(7).normal(size=(d, d))
    phi = None if corner is None else np.full(d, corner)
    corners = np.stack(extreme_points(domain, 1 << d))
    for matrix in (np.eye(d), basis @ basis.T + np.eye(d)):
        R = mahalanobis((matrix + matrix.T) / 2)
        moves = (corners - y for y in (corners if phi is None else [phi]))
        widest = max(float(((x @ R.matrix) * x).sum(axis=1).max()) / 2 for x in moves)
        assert _largest(R, domain, phi) == pytest.approx(widest, rel=1e-12)
    assert _largest(mahalanobis(np.eye(8)), box(np.zeros(8), np.ones(8)), None) == 4.0


def test_the_lipschitz_constant_of_the_entropy_on_a_box_of_many_dimensions():
    """Largest where the last coordinate is least: 2 / 0.5 - 1 times the root of the mass 16."""
    domain = box(np.full(8, 0.5), np.full(8, 2.0))
    assert lipschitz_over(entropy(8), domain, np.full((1, 8), 2.0), True) == 4.0 * 3.0
    assert lipschitz_over(entropy(8), domain, np.full((1, 8), 0.5), True) == 4.0 * 0.75


def test_what_does_not_exist_is_infinite():
    played = handmade([[1.0], [2.0]], [[1.0], [1.0]], [[0.0], [1.0]], [1.0, 1.0])
    found = approximation(played, euclidean(1), space(1), init="aogd")
    assert found.D == found.lipschitz == found.diameter == math.inf and math.isfinite(found.V)
    vertices = handmade(np.eye(2), np.eye(2), [[0.5, 0.5]] * 2, [1.0, 1.0])
    assert approximation(vertices, entropy(2), simplex(2)).lipschitz == math.inf


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"kappa": 0.5}, ValueError, "kappa must be >= 1, got 0.5"),
        ({"nu": math.nan}, ValueError, "nu must be finite, got nan"),
        ({"kappa": "2"}, TypeError, "kappa must be a real number, got '2'"),
        ({"weights": "any"}, ValueError, "weights must be one of fixed, learning, got 'any'"),
        ({"init": "ogd"}, ValueError, "init must be one of ftl, aogd, got 'ogd'"),
        ({"references": [[0.0]]}, ValueError, r"references must have shape \(2, 1\), got \(1, 1\)"),
        ({"references": [[0.0], [9.0]]}, ValueError, "references must lie in the domain, task 1 has"),
        ({"domain": space(2)}, ValueError, "trajectory and domain must agree in dimension, got 1 and 2"),
        ({"trajectory": handmade([[0.0]], [[0.0]], [[0.0]], [0.0])}, ValueError, "must hold a task with a gradient"),
    ],
)
def test_bad_arguments_are_named(change, error, message):
    good = {
        "trajectory": handmade([[1.0], [2.0]], [[1.0], [1.0]], [[0.0], [1.0]], [1.0, 1.0]),
        "R": euclidean(1),
        "domain": ball(np.zeros(1), 3.0),
    }
    with pytest.raises(error, match=message):
        approximation(**(good | change))


def test_bad_arguments_of_the_bound_are_named():
    found = approximation(handmade([[1.0]], [[1.0]], [[0.0]], [1.0]), euclidean(1), ball(np.zeros(1), 3.0))
    with pytest.raises(ValueError, match="eps must be > 0, got 0"):
        fixed_bound(found, [1.0], 0)
    for sigma in ([1.0, -3.0, 2.0], [0.0]):
        with pytest.raises(ValueError, match=re.escape(f"sigma must be >= 0 and not 0 for all tasks, got {sigma}")):
            fixed_bound(found, sigma, 1.0)
    with pytest.raises(ValueError, match=r"sigma must be finite, got \[1.0, nan, 2.0\]"):
        fixed_bound(found, [1.0, math.nan, 2.0], 1.0)
    with pytest.raises(TypeError, match="sigma must be in floats"):
        fixed_bound(found, [Fraction(1, 2)], 1.0)
    with pytest.raises(ValueError, match="init must be one of ftl, aogd, got 'sgd'"):
        fixed_bound(found, [1.0], 1.0, "sgd")
    with pytest.raises(ValueError, match=r"factor must be >= 1, got 0\.5"):
        found.updates.slack(0.5)


# the statements ----------------------------------------------------------------------------------------------------
def test_the_drawn_constants_satisfy_the_inequalities_of_the_assumption():
    rng, tight = np.random.default_rng(6), 0
    for _ in range(400):
        x = games.game(RandomDraw(rng))
        m = games.measure(x, games.FTL)
        c = games.constants(x, m, x.sigma)
        for slack, factor, lhs, rhs in (
            (c.drift, c.kappa, x.sigma @ m.star, x.sigma @ m.hat),
            (c.gap, c.nu, x.sigma @ m.spread, x.sigma @ m.reference),
        ):
            assert factor >= 1 and slack >= 0
            assert lhs <= (slack + factor * rhs) * (1 + 1e-12)
            tight += lhs > 0 and lhs > (slack + factor * rhs) * (1 - 1e-9)
    assert tight > 100


def line(star, first, sigma, R=1.0, high=1.0, **more):
    """A game of the Exact case on [-high, high] with R = K x^2 / 2 in its own norm."""
    star, matrix, T = np.array(star).reshape(-1, 1), np.array([[float(R)]]), len(star)
    ends = np.array([[-high], [high]])
    return Instance(
        R=games.Curve(games.QUADRATIC, matrix, np.zeros(1), matrix),
        corners=ends,
        star=star,
        hat=star,
        reference=star,
        domain=Domain(BOX, ends[0], ends[1], np.zeros(1), np.zeros(1)),
        exact_case=1,
        first=np.array([float(first)]),
        sigma=np.array(sigma, dtype=float),
        kappa=1.0,
        nu=1.0,
        spare=np.zeros(2),
        least=np.zeros(2, int),
        T=T,
        **more,
    )


def test_aogd_in_the_norm_of_a_steep_quadratic_jumps_over_the_optimum():
    """R = 2 x^2, both optima 1, phi_1 = -1: phi_2 = Proj(-1 + 4 * 2) = 1 is the optimum; with optima 0 it is -1 again,
    and costs 2 + 2, while G'^2 (1 + 1/2) / 2 = 3."""
    s = all_sides(BY_LABEL["thm:fixed/aogd"], line([0.0, 0.0], 1.0, [1, 1], R=4.0, eps=1.0))[0]
    assert (s.lhs, s.rhs) == (4.0, 3.0)


def test_two_tasks_break_thm_learning():
    """Optima 1 and 1 - h, phi_1 = -1: D^2 = 2; D_1 = D_2 = D. Paid: 2 D + D s + O(h^2); regret: that minus
    2 D sqrt(1 + s)."""
    h, s, D, eps = 2.0**-10, 8.0, math.sqrt(2), 2.0**-10
    place = 2 * D / (D + eps) - 1
    x = line([1.0, 1 - h], -1.0, [1.0, s], eps=eps, sim=0, place=place, more=np.array([0.0, D - eps]))
    found = all_sides(BY_LABEL["thm:learning/ftl/nice"], x)[0]
    paid = 2 * D + (h * h / 2 / D + D) * s
    best = 2 * math.sqrt((2 + h * h / 2 * s) * (1 + s))
    V = h * math.sqrt(s) / (1 + s) / math.sqrt(2)
    learning = h * h / 2 / V * (1 + s * s / (1 + s))
    bound = 2 * D + eps + (paid - best) + learning + 2 * V * (1 + s)
    assert found.lhs - found.rhs == pytest.approx(paid - bound, rel=1e-9)
    assert paid / bound > 1.6
    corrected = all_sides(BY_LABEL["thm:learning/ftl/corrected"], x)[0]
    assert corrected.lhs <= corrected.rhs


@pytest.mark.parametrize("label, ratio", [("rem:oracle/last", 5.0), ("rem:oracle/average", 100 / 36 * math.sqrt(2.5))])
def test_the_iterates_of_omd_stay_away_for_all_m(label, ratio):
    for power in (40, 60, 96):
        s = all_sides(BY_LABEL[label], Instance(m=2.0**power))[0]
        assert s.lhs / s.rhs == pytest.approx(ratio, rel=1e-3)


def test_the_two_halves_are_what_omd_plays():
    x = Instance(n=5, w=np.array([1.0, 0.5]), c=np.array([1.0, -1.0]), optimum=1 / 3, phi=0.25, eta=0.5)
    theta, points, paid = x.phi, [], 0.0
    for w, c in zip(x.w, x.c, strict=True):
        for _ in range(x.n):
            points.append(theta)
            paid += w / 2 * (theta - c) ** 2
            theta -= x.eta * w * (theta - c)
    average = 0.75 / 2 * (np.mean(points) - 1 / 3) ** 2
    best = sum(5 * w / 2 * (1 / 3 - c) ** 2 for w, c in zip(x.w, x.c, strict=True))
    upper, regret = (all_sides(BY_LABEL[f"text:approx-o1/{name}"], x)[0] for name in ("average", "regret"))
    assert upper.lhs == pytest.approx(average) and regret.lhs == pytest.approx(average)
    assert regret.rhs == pytest.approx((paid - best) / 10)
    assert upper.rhs == pytest.approx((0.25 - 1 / 3) ** 2 / 2 / (0.5 * 10) + 0.5 * (4 + 1) / 2)


def test_a_smaller_exponent_of_the_cost_of_averages_is_suspect():
    true = BY_LABEL["text:approx-o1/rate"]
    growth = true.growth._replace(longest=512)
    assert rate(replace(true, growth=growth), 12, 1).status == Status.SURVIVED
    assert rate(replace(true, growth=growth._replace(exponent=-0.75)), 4, 1).status == Status.SUSPECT
