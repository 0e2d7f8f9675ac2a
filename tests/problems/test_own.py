"""Problems of one's own: losses as functions, domains with `project`, p-norms, adapters, and what they refuse."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from arubatheory.arithmetic import exact
from arubatheory.learners import (
    AdaptiveOGD,
    GreedyOGD,
    aogd,
    dynamic_ogd,
    greedy_ogd,
    hindsight,
    omd,
    play,
    preconditioned_omd,
    regret,
)
from arubatheory.own import (
    OMD,
    Intersection,
    PBall,
    PNorm,
    Polytope,
    Rounds,
    check_losses,
    hinge,
    huber,
    logistic,
    multinomial,
    poisson,
    quantile,
    squared,
)
from arubatheory.problems.constants import lipschitz
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, ball, box, simplex, space
from arubatheory.problems.losses import evaluate, losses
from arubatheory.problems.own.least import _bound, _line
from arubatheory.problems.own.rounds import total
from arubatheory.problems.own.steps import onto
from arubatheory.problems.regularizers import entropy, euclidean
from arubatheory.problems.tasks import tasks

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(8, 3)) * 16) / 16
Y = np.round(X @ [1, -1, 0.5] * 8) / 8 + 0.25


def error(x, a, b):
    return (a @ x - b) * (a @ x - b) / 2


def error_slope(x, a, b):
    return (a @ x - b) * a


def error_and_slope(x, a, b):
    return error(x, a, b), error_slope(x, a, b)


class Clip:
    """A box that says nothing but how to project."""

    center, diameter = np.zeros(3), np.sqrt(3) / 2

    def project(self, x):
        return np.clip(x, -0.25, 0.25)


FUNCTIONS = {
    "two": Rounds(error, error_slope, X, Y, lipschitz=2.0, curvature=0.5),
    "fused": Rounds(error_and_slope, True, X, Y),
    "listed": Rounds(
        [lambda x, a=a, b=b: error(x, a, b) for a, b in zip(X, Y, strict=True)],
        [lambda x, a=a, b=b: error_slope(x, a, b) for a, b in zip(X, Y, strict=True)],
    ),
}
DATA = losses("square", X, Y)
DOMAINS = {SPACE: space(3), BOX: box([-0.25] * 3, [0.5] * 3), BALL: ball([0.0] * 3, 0.5), SIMPLEX: simplex(3)}
START = {SPACE: np.zeros(3), BOX: np.zeros(3), BALL: np.zeros(3), SIMPLEX: np.full(3, 1 / 3)}
LEARN = {
    "omd": lambda L, o, x: omd(L, o, euclidean(3), x, 0.25),
    "greedy": lambda L, o, x: greedy_ogd(L, o, x, 0.25),
    "dynamic": lambda L, o, x: dynamic_ogd(L, o, x, 0.25, 0.5),
    "aogd": lambda L, o, x: aogd(L, o, x, 0.5),
    "preconditioned": lambda L, o, x: preconditioned_omd(L, o, [0.25, 0.5, 0.125], x),
}


@pytest.mark.parametrize("kind", DOMAINS)
@pytest.mark.parametrize("learn", LEARN)
def test_functions_play_as_the_data_that_they_are(learn, kind):
    expected = LEARN[learn](DATA, DOMAINS[kind], START[kind])
    for rounds in FUNCTIONS.values():
        played = LEARN[learn](rounds, DOMAINS[kind], START[kind])
        np.testing.assert_allclose(played.actions, expected.actions, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(played.values, expected.values, rtol=1e-12, atol=1e-14)
        assert regret(played, rounds, START[kind]) == pytest.approx(regret(expected, DATA, START[kind]), rel=1e-11)


@pytest.mark.parametrize("learn", [name for name in LEARN if name != "preconditioned"])
def test_a_domain_of_ones_own_is_played_as_the_one_that_it_is(learn):
    expected = LEARN[learn](DATA, box([-0.25] * 3, [0.25] * 3), np.zeros(3))
    for L in (DATA, FUNCTIONS["two"]):
        np.testing.assert_allclose(
            LEARN[learn](L, Clip(), np.zeros(3)).actions, expected.actions, rtol=1e-12, atol=1e-14
        )


def test_functions_in_exact_numbers():
    played = omd(
        FUNCTIONS["two"]._like([exact(X), exact(Y)], None, None),
        exact(DOMAINS[BOX]),
        euclidean(3),
        exact(START[BOX]),
        0.25,
    )
    expected = omd(exact(DATA), exact(DOMAINS[BOX]), euclidean(3), exact(START[BOX]), 0.25)
    assert (played.actions == expected.actions).all() and (played.values == expected.values).all()


def test_curvature_is_read_where_alpha_is_not_given():
    played = aogd(FUNCTIONS["two"], space(3), np.zeros(3))
    assert np.array_equal(played.actions, aogd(FUNCTIONS["two"], space(3), np.zeros(3), 0.5).actions)
    one = AdaptiveOGD(space(3), np.zeros(3))
    one.see(FUNCTIONS["two"].part(0, 1))
    assert np.array_equal(one.action, played.actions[1])


# domains and regularisers --------------------------------------------------------------------------------------------
A = np.array([[1.0, 0.5, 0.0], [-1.0, 1.0, 0.25], [0.0, -1.0, 1.0], [0.5, 0.0, -1.0], [-1.0, -1.0, -1.0]])
SIDES = np.array([0.5, 0.25, 0.5, 0.75, 1.0])
SETS = {
    **{f"p={p}": PBall([0.125, 0.25, -0.5], 0.75, p) for p in (1, 1.25, 2, 3, np.inf)},
    "polytope": Polytope(A, SIDES),
    "halfspaces": Intersection(*(Polytope([a], [b]) for a, b in zip(A, SIDES, strict=True))),
    "lens": Intersection(ball([0.0] * 3, 1.0), PBall([0.5, 0.0, 0.0], 1.0, 1), box([-1.0] * 3, [0.5, 1.0, 1.0])),
}


@pytest.mark.parametrize("name", SETS)
def test_projections_are_nearest_points(name):
    chosen, points = SETS[name], np.random.default_rng(1).normal(size=(12, 3)) * 2
    nearest = [chosen.project(x) for x in points]
    for x, y in zip(points, nearest, strict=True):
        assert np.abs(chosen.project(y) - y).max() < 1e-9
        assert all((x - y) @ (z - y) <= 1e-8 for z in nearest)  # what characterises a projection
    assert max(np.linalg.norm(y - z) for y in nearest for z in nearest) <= chosen.diameter + 1e-9


def test_sets_in_two_ways_and_in_closed_form():
    for x in np.random.default_rng(2).normal(size=(8, 3)) * 2:
        np.testing.assert_allclose(SETS["polytope"].project(x), SETS["halfspaces"].project(x), atol=1e-8)
    assert PBall([0.0, 0.0], 1.0, 1).project(np.array([1.0, 0.5])).tolist() == [0.75, 0.25]
    assert PBall([0.0, 0.0], 0.0, 3).project(np.array([1.0, 0.5])).tolist() == [0.0, 0.0]
    assert Polytope([[1.0, 0.0]], [1.0]).diameter == np.inf
    assert Polytope([[1, 0], [-1, 0], [0, 1], [0, -1]], [1, 1, 1, 1]).diameter == pytest.approx(np.sqrt(8))


def test_p_norms_step_by_their_mirror_map():
    R, x, y = PNorm(1.5), np.array([0.5, -1.0, 0.25]), np.array([-0.25, 0.0, 1.0])
    slopes = [(R.value(x + 1e-6 * e) - R.value(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(R.gradient(x), slopes, atol=1e-8)
    np.testing.assert_allclose(R.mirror_step(space(3), x, R.gradient(x) - R.gradient(y)), y, atol=1e-14)
    inside = PBall([0.0] * 3, 0.5, 1.5)
    scaled = R.mirror_step(inside, x, R.gradient(x) - R.gradient(y))
    for z in np.random.default_rng(3).normal(size=(20, 3)):  # nearest in B_R
        assert (R.gradient(y) - R.gradient(scaled)) @ (inside.project(z) - scaled) <= 1e-12
    flat = omd(DATA, ball([0.0] * 3, 0.5), euclidean(3), np.zeros(3), 0.25)
    np.testing.assert_allclose(
        omd(DATA, PBall([0.0] * 3, 0.5, 2), PNorm(2), np.zeros(3), 0.25).actions, flat.actions, atol=1e-14
    )


# the best in hindsight -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", DOMAINS)
@pytest.mark.parametrize("link", ["square", "logistic", "absolute"])
def test_the_best_in_hindsight_is_certified(link, kind):
    L = losses(link, X, Y if link != "logistic" else 0)
    rounds = Rounds(lambda x, t: float(evaluate(L, x)[t]), lambda x, t: slope(L, t, x), np.arange(8), curvature=1e-3)
    known, found = hindsight(L, DOMAINS[kind]), hindsight(rounds, DOMAINS[kind])
    scale = np.abs(evaluate(L, found.action)).sum()
    assert found.lower <= known.value and found.value >= known.lower
    if kind in (BOX, SIMPLEX) or (link != "absolute" and kind == BALL):
        assert found.value - found.lower <= 1e-8 * scale
    assert found.value == pytest.approx(known.value, abs=1e-6 * scale)


@pytest.mark.parametrize("domain", [DOMAINS[BOX], DOMAINS[BALL], DOMAINS[SIMPLEX], Clip(), space(3)])
def test_what_curvature_certifies_of_quadratic_losses_anywhere_is_their_minimum(domain):
    bowls = Rounds(lambda x, c: (x - c) @ (x - c) / 2, lambda x, c: x - c, X, curvature=1.0)
    least = total(bowls, onto(domain, X.mean(axis=0)))
    for x in np.random.default_rng(6).normal(size=(6, 3)):
        bound = _bound(len(X), float(len(X)), domain, _line(bowls, onto(domain, x)))
        assert least * (1 - 1e-12) <= bound <= least


@pytest.mark.parametrize("domain", [DOMAINS[BOX], DOMAINS[BALL], DOMAINS[SIMPLEX], Clip()], ids=["2", "1", "3", "own"])
def test_what_convexity_certifies_of_linear_losses_anywhere_is_their_minimum(domain):
    linear, points = Rounds(lambda x, a: a @ x, lambda x, a: a, X), np.random.default_rng(6).normal(size=(6, 3))
    known = hindsight(losses("linear", X), box([-0.25] * 3, [0.25] * 3) if isinstance(domain, Clip) else domain).value
    for x in points:
        bound = _bound(len(linear), 0.0, domain, _line(linear, onto(domain, x)))
        assert known - 1e-5 <= bound <= known


def slope(L, t, x):
    from arubatheory.problems.losses import subgradient

    return subgradient(L, t, x)


def test_hindsight_over_a_domain_of_ones_own_and_without_gradients():
    known = hindsight(DATA, box([-0.25] * 3, [0.25] * 3))
    for L in (DATA, FUNCTIONS["two"]):
        found = hindsight(L, Clip())
        assert found.value - 1e-9 <= found.lower <= known.value <= found.value + 1e-12
    found = hindsight(Rounds(error, None, X, Y), box([-0.25] * 3, [0.25] * 3))
    assert found.lower == -np.inf and found.value == pytest.approx(known.value, rel=1e-6)
    assert hindsight(FUNCTIONS["fused"], space(3)).lower == -np.inf


# adapters, checks ----------------------------------------------------------------------------------------------------
def formulas(theta, x, y, sign, count, place):
    z = x @ theta[:3]
    u, W = z - y, theta.reshape(-1, 3)
    return {
        "squared": u * u / 2,
        "huber": u * u / 2 if abs(u) <= 0.5 else 0.5 * abs(u) - 0.125,
        "logistic": np.log1p(np.exp(-sign * z)),
        "hinge": max(0.0, 1 - sign * z),
        "quantile": max(-0.25 * u, 0.75 * u),
        "poisson": np.exp(z) - count * z,
        "multinomial": np.log(np.exp(W @ x).sum()) - (W @ x)[place],
    }


WORDS = np.array(["b", "a", "c", "a", "b", "c", "c", "a"])
ADAPTED = {
    "squared": squared(X, Y),
    "huber": huber(X, Y, 0.5),
    "logistic": logistic(X, Y > 0),
    "hinge": hinge(X, np.where(Y > 0, "yes", "no")),
    "quantile": quantile(X, Y, 0.25),
    "poisson": poisson(X, np.arange(8)),
    "multinomial": multinomial(X, WORDS),
}


@pytest.mark.parametrize("name", ADAPTED)
def test_adapters_are_their_formulas(name):
    whole = np.array([0.5, -0.25, 1.0, 0.25, 0.5, -1.0, 0.0, 0.25, 0.125])
    L, theta = ADAPTED[name], whole if name == "multinomial" else whole[:3]
    found = [L.value(theta, t) for t in range(8)] if isinstance(L, Rounds) else evaluate(L, theta)
    places = np.searchsorted(["a", "b", "c"], WORDS)
    rows = [formulas(whole, X[t], Y[t], 1 if Y[t] > 0 else -1, t, places[t])[name] for t in range(8)]
    np.testing.assert_allclose(found, rows, rtol=1e-13)
    check_losses(L, ball(np.zeros(theta.size), 1.0), pairs=8)
    if isinstance(L, Rounds) and L.lipschitz is not None:
        for t in range(8):
            assert np.linalg.norm(L.observe(theta, t)[1]) <= L.lipschitz[t] * (1 + 1e-12)


@pytest.mark.parametrize(
    ("value", "gradient", "message"),
    [
        (lambda x, t: float(np.sin(x).sum()), lambda x, t: np.cos(x), r"losses must be convex, got in round 0 f\(\(x"),
        (lambda x, t: float(x @ x), lambda x, t: x, "gradient must be a subgradient, got in round 0 f"),
        (lambda x, t: float(x @ x), lambda x, t: 2 * x[:1], r"gradient in round 0 must have shape \(3,\), got \(1,\)"),
        (lambda x, t: np.nan, lambda x, t: 2 * x, "value in round 0 must be finite, got nan"),
        (lambda x, t: x, lambda x, t: 2 * x, "value in round 0 must be a real number, got array"),
        (lambda x, t: 0.0, lambda x, t: np.inf * x, "gradient in round 0 must be finite, got array"),
        (lambda x, t: (1.0, x, x), True, r"value in round 0 must be a pair \(value, gradient\), got"),
        (lambda x, t: 1.0, None, "losses must have a gradient to be played, got Rounds"),
    ],
)
def test_losses_that_are_not_what_they_should_be_are_named(value, gradient, message):
    with pytest.raises((ValueError, TypeError), match=message), np.errstate(all="ignore"):
        check_losses(Rounds(value, gradient, np.arange(2)), ball([0.5] * 3, 2.0))


def test_check_losses_names_a_losing_pair():
    rounds = Rounds(lambda x, t: float(-(x @ x)) if t == 2 else 0.0, lambda x, t: (-2 if t == 2 else 0) * x, range(4))
    with pytest.raises(ValueError, match="got in round 2") as caught:
        check_losses(rounds, space(1))
    x, y = (float(part.split("]")[0]) for part in str(caught.value).split("=[")[1:3])
    assert -(((x + y) / 2) ** 2) > -(x * x + y * y) / 2


class Wrong:
    """A domain whose projection answers what it was made with."""

    def __init__(self, answer, diameter=1.0):
        self.answer, self.diameter = answer, diameter

    def project(self, x):
        return self.answer


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: Rounds(3, None, [1]),
            TypeError,
            "value must be a function, or a sequence of one for each round, got 3",
        ),
        (lambda: Rounds(error, 3, [1]), TypeError, "gradient must be a function, .* got 3"),
        (
            lambda: Rounds(error, error_slope),
            ValueError,
            "data must hold one entry for each of at least one round, got",
        ),
        (lambda: Rounds(error, error_slope, X, Y[:2]), ValueError, r"got arrays of lengths \[8, 2\]"),
        (lambda: Rounds(error, error_slope, 3), TypeError, "data must be arrays or sequences .* got 3"),
        (lambda: Rounds([error], [error, error]), ValueError, "gradient must hold 1 functions, as value does, got 2"),
        (lambda: Rounds([error, 3], True), TypeError, "value must hold functions, got"),
        (lambda: Rounds(error, True, X, lipschitz=-1), ValueError, "lipschitz must be >= 0, got -1"),
        (lambda: Rounds(error, True, X, curvature=[1, 2]), ValueError, r"curvature must have a shape that broadcasts"),
        (
            lambda: ADAPTED["quantile"].value(np.zeros(2), 0),
            ValueError,
            "x must have 3 entries for these losses, got 2",
        ),
        (lambda: tasks([DATA, FUNCTIONS["two"]]), TypeError, "parts must be all Rounds or all Losses, got Losses"),
        (
            lambda: greedy_ogd(DATA, Wrong(np.zeros(2)), np.zeros(3), 1.0),
            ValueError,
            r"domain.project\(x\) must have sh",
        ),
        (
            lambda: greedy_ogd(DATA, Wrong(np.full(3, np.nan)), np.zeros(3), 1),
            ValueError,
            r"domain.project\(x\) must be f",
        ),
        (lambda: greedy_ogd(DATA, Wrong(None), np.zeros(3), 1.0), (ValueError, TypeError), r"domain.project\(x\) must"),
        (
            lambda: greedy_ogd(DATA, Clip(), np.ones(3), 1.0),
            ValueError,
            r"phi must lie in the domain, got .* projects to",
        ),
        (lambda: greedy_ogd(DATA, Clip(), np.zeros(3), 1.0, out=3), TypeError, "out must be a Trajectory"),
        (
            lambda: hindsight(DATA, Wrong(np.zeros(3), -1)),
            ValueError,
            "phi must be given for a domain without a center",
        ),
        (lambda: hindsight(DATA, Wrong(np.zeros(3), -1), phi=np.zeros(3)), ValueError, "domain.diameter must be >= 0"),
        (
            lambda: omd(DATA, Clip(), entropy(3), np.zeros(3), 1.0),
            ValueError,
            r"R must be euclidean\(3\), or have a mirr",
        ),
        (
            lambda: omd(DATA, Clip(), PNorm(1.5), np.zeros(3), 1.0),
            ValueError,
            "domain must be the whole space or a PBall",
        ),
        (lambda: preconditioned_omd(DATA, Clip(), 1.0, np.zeros(3)), TypeError, "domain must be a Domain"),
        (lambda: PBall([0.0], -1, 2), ValueError, "radius must be >= 0, got -1"),
        (lambda: PBall([0.0], 1, 0.5), ValueError, "p must be >= 1, got 0.5"),
        (lambda: PNorm(3), ValueError, "p must be <= 2, got 3"),
        (lambda: Polytope([[1.0], [-1.0]], [0, -1]), ValueError, "A and b must leave a point, got"),
        (lambda: Polytope([[0.0]], [1]), ValueError, "A must have no row of zeros, got"),
        (lambda: Polytope([1.0], [1]), ValueError, r"A must have shape \(k, d\) and b \(k,\), got \(1,\) and \(1,\)"),
        (lambda: Intersection(), TypeError, "parts must be Domains or have a method project"),
        (
            lambda: Intersection(ball([0.0], 1.0), box([2.0], [3.0]), sweeps=9).project(np.zeros(1)),
            ValueError,
            "parts must have a point in common, got .* after 9 sweeps",
        ),
        (lambda: squared(X, Y[:2]), ValueError, r"y must have shape \(8,\), one for each row of X, got \(2,\)"),
        (lambda: squared(Y, Y), ValueError, r"X must have shape \(m, d\), got \(8,\)"),
        (lambda: logistic(X, np.arange(8)), ValueError, r"y must hold at most two classes, got \[0, 1"),
        (lambda: poisson(X, -np.arange(8)), ValueError, "y must be >= 0, got array"),
        (lambda: quantile(X, Y, 0.0), ValueError, "q must be > 0, got 0.0"),
        (lambda: huber(X, Y, -1.0), ValueError, "delta must be > 0, got -1.0"),
        (lambda: check_losses(DATA, space(3), pairs=0), ValueError, "pairs must be an integer >= 1, got 0"),
    ],
)
def test_bad_input_is_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


# tasks ---------------------------------------------------------------------------------------------------------------
def test_what_is_played_pickles():
    state = GreedyOGD(SETS["lens"], np.zeros(3), 0.5)
    state.see([1.0, 2.0, 3.0])
    again = pickle.loads(pickle.dumps(state))
    assert np.array_equal(again.action, state.action)
    assert pickle.loads(pickle.dumps(FUNCTIONS["two"])).value(np.zeros(3), 1) == error(np.zeros(3), X[1], Y[1])
    assert play(OMD(space(3), euclidean(3), np.zeros(3), 1.0), FUNCTIONS["two"], actions=False).actions.shape == (0, 3)
    assert lipschitz(ADAPTED["hinge"], space(3)).max() <= np.linalg.norm(X, axis=1).max() * (1 + 1e-12)
