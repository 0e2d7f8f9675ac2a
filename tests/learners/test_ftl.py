"""FTL: against its literal definition, an independent solver and exact arithmetic; where no leader exists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from arubatheory.arithmetic import Exact, approximate, exact, precision
from arubatheory.convex.quadratic import nearest_least
from arubatheory.kernel import compiled, pure
from arubatheory.learners import Curvature, Trajectory, ftl, leaders
from arubatheory.learners.flat_leaders import flat_leader
from arubatheory.learners.ftl import curved_value
from arubatheory.problems import domains
from arubatheory.problems import losses as f
from arubatheory.problems import regularizers as reg
from arubatheory.problems.coarse import HypothesisDraw
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, ball, box, contains, interval, simplex, space
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.losses import DISTANCE, LINEAR, LINKS, SQUARE, losses
from arubatheory.problems.random_domains import random_point
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, MAHALANOBIS, entropy, euclidean, mahalanobis
from tests.learners.learner_instances import (
    KINDS,
    MISFITS,
    PAIRS,
    assert_same_up_to,
    constraints,
    contains_point,
    draw_domain,
    draw_losses,
    draw_point,
    draw_regularizer,
    of_all_bent_links,
    spliced,
)

EPS = np.finfo(np.float64).eps
LINKED = [(link, kind) for link in range(len(LINKS)) for kind in KINDS]


def draw_game(draw, domain_kind, regularizer_kind, link=None, m=4, d=2):
    """Losses, a domain, a start and a curvature, all of unit scale; the Euclidean curvature is the ridge."""
    domain = draw_domain(draw, domain_kind, d)
    R = draw_regularizer(draw, regularizer_kind, d)
    L = draw_losses(draw, domain, m, link, ridge=False)
    alpha = (draw.unit(m) + draw.number(1, 8)) * 2
    middle = draw_point(draw, domain) if domain.kind == SPACE else domains.center(domain)
    center = np.array([(draw_point(draw, domain) + middle) / 2 for _ in range(m)])
    phi = draw_point(draw, domain)
    if regularizer_kind == EUCLIDEAN and draw.boolean():
        return L._replace(ridge=alpha, c=center), domain, phi, None
    return L, domain, phi, Curvature(R, alpha, center)


def game(seed, domain_kind, regularizer_kind, **shape):
    return draw_game(
        RandomDraw(np.random.default_rng([seed, domain_kind, regularizer_kind])), domain_kind, regularizer_kind, **shape
    )


def both(seed, domain_kind, regularizer_kind, **shape):
    draw = RandomDraw(np.random.default_rng([seed, domain_kind, regularizer_kind]))
    floats = draw_game(draw, domain_kind, regularizer_kind, **shape)
    return floats, draw_game(TapeDraw(draw.tape, exact=True), domain_kind, regularizer_kind, **shape)


def total(L, n, x, curvature=None):
    """The sum of the first n losses at x, from the definitions, and the magnitudes added."""
    out, size = 0.0, 1e-300
    for i in range(n):
        part = f.value(L, i, x)
        bend = 0.0 if curvature is None else curvature.alpha[i] * reg.bregman(curvature.R, x, curvature.center[i])
        out += part + bend
        reach = np.abs(x).sum() + np.abs(L.c[i]).sum() + (0 if curvature is None else np.abs(curvature.center[i]).sum())
        slope = L.weight[i] * (np.abs(L.a[i]).sum() + 1)
        stretch = 1 if curvature is None else curvature.alpha[i] * (1 + np.abs(curvature.R.matrix).sum())
        size += abs(part) + abs(bend) + slope * (reach + abs(L.b[i])) + (L.ridge[i] + stretch) * reach * (1 + reach)
    return out, size


def independent(L, n, domain, phi, curvature=None):
    """The leader by SLSQP, then by Nelder and Mead's simplices, which do not mind kinks."""
    bounds, extra = constraints(domain)
    positive = curvature is not None and curvature.R.kind == ENTROPY

    def inside(x):
        x = domains.project(domain, x)
        return np.maximum(x, 1e-300) if positive else x

    def value(x):
        return total(L, n, inside(x), curvature)[0]

    begin = phi if curvature is None else curvature.center[0]
    with np.errstate(all="ignore"):
        found = minimize(
            value, begin, method="SLSQP", bounds=bounds, constraints=extra, options={"ftol": 1e-14, "maxiter": 200}
        ).x
    best = min((inside(x) for x in (found, phi, begin, *L.c[:n])), key=value)
    options = {"xatol": 1e-10, "fatol": 1e-13, "maxiter": 400}
    return min(best, inside(minimize(value, best, method="Nelder-Mead", options=options).x), key=value)


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")
@pytest.mark.parametrize(("domain", "regularizer"), PAIRS)
@pytest.mark.parametrize("link", range(len(LINKS)))
def test_no_independent_solver_beats_the_leaders(link, domain, regularizer):
    L, theta, phi, curvature = game(link, domain, regularizer, link=link, m=3)
    got = leaders(L, theta, phi, curvature)
    assert got.actions.shape == (4, 2) and np.array_equal(got.actions[0], phi)
    for n in range(1, 4):
        ours, size = total(L, n, got.actions[n], curvature)
        theirs = total(L, n, independent(L, n, theta, phi, curvature), curvature)[0]
        assert contains(theta, got.actions[n])
        assert ours - theirs <= got.gap[n] + 64 * (n + 4) * EPS * size
        # and the other solver, for all its tolerance of 1e-14, finds the same minimum to the accuracy SLSQP has
        assert theirs - ours <= 1e-4 * size
        assert 0 <= got.gap[n] <= 1e-9 * size


@pytest.mark.parametrize(("domain", "regularizer"), PAIRS)
@pytest.mark.parametrize("seed", range(3))
def test_exact_actions_are_balls_around_the_truth(domain, regularizer, seed):
    floats, game = both(40 + seed, domain, regularizer, m=3)
    got, enclosed = leaders(*floats), leaders(*game)
    assert np.all(approximate(enclosed.gap) < 1e-24)
    matrix = floats[3].R.matrix if regularizer == MAHALANOBIS else np.eye(2)
    spread = 3 if regularizer == ENTROPY else np.linalg.norm(np.linalg.inv(matrix), 2)  # S < 3 for these domains
    for n in range(4):
        rounding = EPS * total(floats[0], n, got.actions[n], floats[3])[1]
        strong = got.mass[n] if n else 1.0
        slack = np.sqrt(2 * spread * (got.gap[n] + 64 * rounding) / strong) + 64 * EPS
        for j in range(2):
            assert contains_point(enclosed.actions[n, j], got.actions[n, j], slack)


def test_values_are_those_of_the_losses():
    for kind, regularizer in PAIRS:
        L, theta, phi, curvature = game(3, kind, regularizer)
        got = ftl(L, theta, phi, curvature)
        assert isinstance(got, Trajectory) and got.actions.shape == L.a.shape
        for i, x in enumerate(got.actions):
            one = total(
                f.rows(L, i, i + 1),
                1,
                x,
                curvature and Curvature(curvature.R, *(part[i : i + 1] for part in curvature[1:])),
            )
            assert got.values[i] == pytest.approx(one[0], rel=0, abs=16 * EPS * one[1])


@pytest.mark.parametrize("kind", KINDS)
def test_the_running_mean_of_ridges_and_linear_losses(kind):
    """O(d) a round, and the projection of (sum r_s c_s - w_s a_s) / sum r_s."""
    rng = np.random.default_rng(kind)
    theta = (space(3), box([-0.5, 0.0, 0.1], [0.5, 0.2, 2.0]), ball([0.1, 0.2, 0.3], 0.4), simplex(3, 0.05))[kind]
    m = 40
    L = losses(
        "linear",
        rng.normal(size=(m, 3)),
        rng.normal(size=m),
        weight=rng.random(m) * (rng.random(m) < 0.5),
        ridge=rng.random(m),
        c=rng.normal(size=(m, 3)),
    )
    phi = domains.project(theta, rng.normal(size=3))
    got = leaders(L, theta, phi)
    for n in range(1, m + 1):
        sums = (L.ridge[:n, None] * L.c[:n] - L.weight[:n, None] * L.a[:n]).sum(axis=0)
        free = sums / L.ridge[:n].sum()
        size = np.abs(L.ridge[:n, None] * L.c[:n]).sum() + np.abs(L.a[:n]).sum()
        slack = 8 * n * EPS * (1 + size / L.ridge[:n].sum())
        assert np.allclose(got.actions[n], domains.project(theta, free), rtol=0, atol=slack)
    assert np.all(got.gap == 0)


@pytest.mark.parametrize(("domain", "regularizer"), PAIRS)
def test_ftl_is_causal(domain, regularizer):
    L, theta, phi, curvature = game(11, domain, regularizer, m=5)
    other, _, _, bent = game(91, domain, regularizer, m=5)
    curvature = curvature or Curvature(euclidean(2), 0 * L.b, L.c)
    bent = bent or Curvature(curvature.R, other.b * 0, other.c)
    before = ftl(L, theta, phi, curvature)
    for t in range(5):
        mixed = spliced(L, other, t)
        parts = (np.concatenate([x[:t], y[t:]]) for x, y in zip(curvature[1:], bent[1:], strict=True))
        if t == 0 and not (mixed.ridge[0] + bent.alpha[0] > 0):
            continue
        after = ftl(mixed, theta, phi, Curvature(curvature.R, *parts))
        assert_same_up_to(before, after, t)
        assert np.array_equal(before.gap[: t + 1], after.gap[: t + 1])


def test_a_nonlinear_loss_later_leaves_earlier_actions_alone():
    rng = np.random.default_rng(0)
    for last in ("linear", "square", "hinge"):
        L = losses(["linear"] * 5 + [last], rng.normal(size=(6, 2)), ridge=1.0, c=rng.normal(size=(6, 2)))
        short = ftl(f.rows(L, 0, 5), ball([0.0, 0.0], 1.0), [0.0, 0.0])
        assert np.array_equal(ftl(L, ball([0.0, 0.0], 1.0), [0.0, 0.0]).actions[:5], short.actions)


def test_quadratic_leaders_are_rational_in_exact_arithmetic():
    for kind, regularizer in ((BOX, MAHALANOBIS), (SIMPLEX, EUCLIDEAN), (SPACE, MAHALANOBIS)):
        for link in (LINEAR, SQUARE):
            _, (L, theta, phi, curvature) = both(7, kind, regularizer, link=link)
            got = leaders(L, theta, phi, curvature)
            assert all(x.is_rational for x in got.actions.ravel()) and np.all(got.gap == 0)


def test_scalar_closed_forms():
    line = space(1)
    L = losses("linear", [[0.0]] * 3, ridge=[1.0, 2.0, 1.0], c=[[1.0], [4.0], [-5.0]])
    assert leaders(L, line, [7.0]).actions.ravel().tolist() == [7.0, 1.0, 3.0, 1.0]
    L = losses("square", [[1.0], [2.0]], b=[1.0, 6.0])
    assert np.allclose(leaders(L, line, [7.0]).actions.ravel(), [7.0, 1.0, 13 / 5], rtol=8 * EPS)
    # entropy: the leader is the weighted geometric mean, normalised on the simplex
    curve = Curvature(entropy(2), np.array([1.0, 3.0]), np.array([[0.5, 0.5], [0.2, 0.8]]))
    zero = losses("linear", np.zeros((2, 2)))
    mean = np.array([0.5**0.25 * 0.2**0.75, 0.5**0.25 * 0.8**0.75])
    assert np.allclose(leaders(zero, simplex(2), [1.0, 0.0], curve).actions[2], mean / mean.sum(), rtol=8 * EPS)


def test_the_start_is_arbitrary_and_changes_nothing_else():
    for kind, regularizer in PAIRS:
        L, theta, phi, curvature = game(23, kind, regularizer, link=LINEAR)
        other = phi if kind == SPACE else domains.extreme_points(theta)[0]
        one, two = leaders(L, theta, phi, curvature), leaders(L, theta, other, curvature)
        assert np.array_equal(two.actions[0], other)
        assert np.array_equal(one.actions[1:], two.actions[1:])


# without curvature ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("L", "theta", "round_"),
    [
        (losses("linear", [[1.0, 0.0]] * 3), space(2), 2),
        (losses("absolute", [[1.0, 2.0]] * 3), space(2), 2),
        (losses("square", [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), space(2), 2),
        (losses("hinge", np.zeros((2, 2))), space(2), 2),
        (losses("square", np.eye(2), weight=0.0, ridge=[0.0, 1.0]), space(2), 2),
    ],
)
def test_no_unique_leader_on_the_whole_space(L, theta, round_):
    with pytest.raises(ValueError, match=rf"unique leader on R\^d: those before round {round_} have none"):
        ftl(L, theta, [0.0, 0.0])


@pytest.mark.parametrize(
    ("L", "grows"),
    [
        (losses("logistic", [[1.0], [1.0]]), False),
        (losses("logistic", [[1.0], [-2.0]]), True),
        (losses("hinge", [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]), False),
        (losses("hinge", [[1.0, 0.0], [-1.0, -1.0], [0.0, 1.0]]), True),
        (losses(["distance", "linear"], [[0.0], [3.0]]), False),
        (losses(["distance", "linear"], [[0.0], [0.5]]), True),
        (losses(["square", "linear"], [[1.0], [100.0]]), True),
        (losses(["square", "logistic", "linear"], [[1.0, 1.0], [1.0, -1.0], [-0.5, 0.5]]), False),
        (losses(["square", "logistic", "linear"], [[1.0, 1.0], [1.0, -1.0], [0.5, -0.5]]), True),
        (losses(["huber", "absolute"], np.eye(2)), True),
    ],
)
def test_whether_a_minimum_exists_is_decided_by_growth(L, grows):
    # a last loss makes the others the past of a round
    longer = f.stack([L, f.rows(L, 0, 1)])
    start = np.zeros(L.a.shape[1])
    if grows:
        x, gap = flat_leader(L, space(len(start)), start, len(L.b))
        assert np.isfinite(x).all() and 0 <= gap < 1e-9
    else:
        with pytest.raises(ValueError, match=r"unique leader on R\^d: those before round \d have none"):
            ftl(longer, space(len(start)), start)


def test_the_last_leader_may_fail_to_exist_where_play_is_defined():
    L = losses("linear", [[1.0]])
    assert ftl(L, space(1), [0.5]).actions.ravel().tolist() == [0.5]
    with pytest.raises(ValueError, match="before round 2"):
        leaders(L, space(1), [0.5])


def test_ties_go_to_the_leader_next_to_the_start():
    zero = losses("square", np.zeros((2, 2)), weight=0.0)
    assert np.array_equal(leaders(zero, box([0.0, 0.0], [1.0, 1.0]), [0.25, 0.5]).actions, [[0.25, 0.5]] * 3)
    L = losses("linear", [[0.0, 1.0]])
    assert leaders(L, box([0.0, 0.0], [1.0, 1.0]), [0.25, 0.5]).actions[1].tolist() == [0.25, 0.0]
    L = losses("absolute", [[1.0], [1.0]], b=[0.0, 1.0])  # every point of [0, 1] is a leader
    got = leaders(L, interval(-2.0, 2.0), [0.25])
    assert abs(got.actions[2, 0] - 0.25) < 1e-6 and got.gap[2] <= 1e-12


@pytest.mark.parametrize("kind", [BOX, BALL, SIMPLEX])
@given(st.integers(0, 10**6))
def test_leaders_of_linear_losses_project_the_start_onto_their_face(kind, seed):
    """The variational inequality of the limit: minimal, and no other minimiser is nearer to the start."""
    draw = RandomDraw(np.random.default_rng([seed, kind]))
    theta = draw_domain(draw, kind, 3)
    phi = random_point(theta, draw)
    g = draw.array([draw.integer(-1, 1) for _ in range(3)])
    x = nearest_least(theta, phi, g)
    assert contains(theta, x)
    least = g @ domains.linear_minimizer(theta, g)
    assert g @ x <= least + 64 * EPS * (1 + np.abs(theta.center).sum() + np.abs(theta.high).sum())
    for y in [*domains.extreme_points(theta), phi]:
        if g @ y <= least + 64 * EPS:
            assert (phi - x) @ (y - x) <= 256 * EPS * (1 + np.abs(phi).sum()) ** 2
    same = pure(nearest_least)(exact(theta), exact(phi), exact(g))
    assert np.allclose(approximate(same), x, rtol=0, atol=64 * EPS * (1 + np.abs(x).sum()))


def test_squares_that_span_need_no_ridge():
    rng = np.random.default_rng(5)
    L = losses("square", np.vstack([np.eye(2), rng.normal(size=(3, 2))]), rng.normal(size=5))
    for theta in (box([-0.1, -0.1], [0.1, 0.3]), ball([0.0, 0.0], 0.2), simplex(2)):
        phi = domains.center(theta)
        floats, rational = leaders(L, theta, phi), None
        for n in range(2, 6):
            assert total(L, n, floats.actions[n])[0] <= total(L, n, independent(L, n, theta, phi))[0] + 1e-13
        if theta.kind == BOX:
            two = f.rows(L, 1, 2)
            with pytest.raises(ValueError, match=r"curved to enclose their leader exactly: those before round 2"):
                leaders(exact(two), exact(theta), exact(phi))
            rational = leaders(exact(losses("square", [[1.0]], b=0.5)), exact(interval(0.0, 1.0)), [Exact(0)])
            assert rational.actions[1, 0] * 2 == 1


# extremes and bad input ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("strength", [2.0**-60, 2.0**60])
@pytest.mark.parametrize(("domain", "regularizer"), [p for p in PAIRS if p[0] != SPACE])
def test_extreme_strengths(domain, regularizer, strength):
    L, theta, phi, curvature = game(9, domain, regularizer)
    if curvature is None:
        L = L._replace(ridge=L.ridge * strength)
    else:
        curvature = curvature._replace(alpha=curvature.alpha * strength)
    got = leaders(L, theta, phi, curvature)
    assert np.isfinite(got.actions).all() and np.isfinite(got.gap).all()
    assert all(contains(theta, x) for x in got.actions)
    for n in range(1, 5):
        assert 0 <= got.gap[n] <= 1e-6 * total(L, n, got.actions[n], curvature)[1]


@pytest.mark.parametrize("link", range(len(LINKS)))
def test_point_domains(link):
    point = np.array([0.25, 0.75])
    a = np.zeros((3, 2)) if link == DISTANCE else [[1.0, 2.0]] * 3
    L = losses(link, a, c=[[3.0, -1.0]] * 3, ridge=1.0)
    for theta in (ball(point, 0.0), box(point, point), simplex(2, point)):
        for R in (euclidean(2), entropy(2), mahalanobis([[2.0, 1.0], [1.0, 2.0]])):
            curve = Curvature(R, np.ones(3), np.array([point] * 3))
            for one in (leaders(L, theta, point, curve), leaders(L, theta, point)):
                assert np.allclose(one.actions, point, rtol=0, atol=4 * EPS)
            with precision(128):
                same = leaders(exact(L), exact(theta), exact(point), exact(curve))
            assert np.allclose(approximate(same.actions), point, rtol=0, atol=4 * EPS)


@settings(max_examples=30)
@given(data=st.data())
def test_drawn_problems_have_finite_answers(data):
    domain, regularizer = data.draw(st.sampled_from(PAIRS))
    got = ftl(*draw_game(HypothesisDraw(data), domain, regularizer, m=3))
    assert all(np.isfinite(part).all() for part in got) and np.all(got.gap >= 0)


def test_a_longer_horizon_in_more_dimensions():
    m, d = (48, 6) if compiled() else (6, 6)
    L = of_all_bent_links(m, d, ridge=0.25)
    assert np.all(ftl(L, ball(np.zeros(d), 2.0), np.zeros(d)).gap <= 1e-12 * m)


def test_inputs_are_not_modified():
    L, theta, phi, curvature = game(3, BALL, MAHALANOBIS)
    before = [x.copy() for x in (*L, phi, *curvature[1:])]
    ftl(L, theta, phi, curvature)
    assert all(np.array_equal(x, y) for x, y in zip((*L, phi, *curvature[1:]), before, strict=True))


def test_values_of_curved_losses_at_a_kink_are_enclosed():
    L = exact(losses("absolute", [[1.0]] * 2, b=0.25, ridge=1.0, c=0.25))
    got = ftl(L, exact(interval(0.0, 1.0)), [Exact(0)])
    assert abs(approximate(got.values[1])) < 1e-12 and abs(approximate(got.actions[1, 0]) - 0.25) < 1e-12


UNIT = ball([0.0, 0.0], 1.0)
GOOD = losses("linear", [[1.0, 0.0]] * 2, ridge=1.0)


def curve(**change):
    parts = {"R": euclidean(2), "alpha": np.ones(2), "center": np.zeros((2, 2))}
    return Curvature(**{**parts, **change})


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        *MISFITS,
        ({"curvature": euclidean(2)}, TypeError, "curvature must be a Curvature or None, got Regularizer"),
        ({"curvature": curve(R=entropy(2))}, ValueError, "R: entropy needs a bounded domain"),
        ({"curvature": curve(R=euclidean(3))}, ValueError, "R and domain must agree in dimension"),
        ({"curvature": curve(alpha=[1.0])}, ValueError, r"curvature.alpha must have shape \(2,\), got \(1,\)"),
        ({"curvature": curve(alpha=[1.0, -1.0])}, ValueError, "curvature.alpha must be >= 0"),
        ({"curvature": curve(alpha=[1.0, np.inf])}, ValueError, "alpha must be finite"),
        ({"curvature": curve(center=[0.0, 0.0])}, ValueError, r"curvature.center must have shape \(2, 2\)"),
    ],
)
def test_bad_input_is_named(change, error, message):
    good = {"losses": GOOD, "domain": UNIT, "phi": [0.0, 0.0], "curvature": None}
    for play in (ftl, leaders):
        with pytest.raises(error, match=message):
            play(**{**good, **change})


def test_the_entropy_needs_positive_centres():
    bent = curve(R=entropy(2), center=[[0.5, 0.5], [1.0, 0.0]])
    with pytest.raises(ValueError, match=r"curvature.center must have positive coordinates for the entropy"):
        ftl(GOOD, simplex(2), [0.5, 0.5], bent)
    assert ftl(GOOD, simplex(2), [0.5, 0.5], bent._replace(alpha=np.array([1.0, 0.0]))).gap.max() < 1e-12


def test_overflow_is_an_error():
    L = losses("linear", [[1e308, 0.0]] * 3, ridge=1e-300)
    with pytest.raises(OverflowError, match="ftl left the range of float64 at round"):
        ftl(L, space(2), [0.0, 0.0])


def test_the_value_of_a_curved_loss():
    bent = curve(alpha=np.array([2.0, 0.0]), center=np.ones((2, 2)))
    assert curved_value(GOOD, 0, *bent, np.array([1.0, 3.0])) == 1 + 5 + 4
    assert curved_value(GOOD, 1, *bent, np.array([1.0, 3.0])) == 1 + 5
