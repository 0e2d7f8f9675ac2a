"""What every learner of the registry must do: be causal, refuse bad input, and never answer with NaN."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arubatheory.arithmetic import Exact, exact
from arubatheory.learners import LEARNERS, Trajectory, regret
from arubatheory.problems.coarse import HypothesisDraw
from arubatheory.problems.domains import ball, box, simplex, space
from arubatheory.problems.losses import evaluate, losses
from arubatheory.problems.regularizers import EUCLIDEAN, entropy, euclidean, mahalanobis
from tests.learners.learner_instances import MISFITS, PAIRS, assert_same_up_to, both, draw_problem, problem, spliced

NAMES = sorted(LEARNERS)
PLAYED = [(name, *pair) for name in NAMES for pair in PAIRS if name != "greedy_ogd" or pair[1] == EUCLIDEAN]
UNIT = ball([0.0, 0.0], 1.0)
GOOD = {"losses": losses("linear", [[1.0, 0.0]]), "domain": UNIT, "R": euclidean(2), "phi": [0.0, 0.0], "eta": 1.0}


@pytest.mark.parametrize(("name", "domain", "regularizer"), PLAYED)
def test_learners_are_causal(name, domain, regularizer):
    for seed in range(3):
        p, other = problem(seed, domain, regularizer, m=5), problem(seed + 50, domain, regularizer, m=5)
        before = LEARNERS[name](*p)
        for t in range(5):
            after = LEARNERS[name](*p._replace(losses=spliced(p.losses, other.losses, t)))
            assert_same_up_to(before, after, t)
            assert np.array_equal(before.gap[: t + 1], after.gap[: t + 1])


@pytest.mark.parametrize(("name", "domain", "regularizer"), PLAYED)
def test_a_trajectory_has_the_losses_shape_and_starts_at_phi(name, domain, regularizer):
    p = problem(5, domain, regularizer, m=3)
    got = LEARNERS[name](*p)
    assert isinstance(got, Trajectory)
    assert got.actions.shape == (3, 2) and got.values.shape == got.gap.shape == (3,)
    assert np.allclose(got.actions[0], p.phi, rtol=0, atol=1e-15 * (1 + np.abs(p.phi).max()) * 8)


def test_a_regret_is_against_a_point_of_the_same_dimension():
    played = LEARNERS["omd"](*problem(1, 2, EUCLIDEAN, m=3))
    L = problem(1, 2, EUCLIDEAN, m=3).losses
    assert regret(played, L, [0.5, 0.5]) == pytest.approx(played.values.sum() - evaluate(L, [0.5, 0.5]).sum())
    for x in ([0.5], [0.5, 0.5, 0.5], [[0.5, 0.5]]):
        with pytest.raises(ValueError, match=r"comparator must have shape \(2,\), got \("):
            regret(played, L, x)


@pytest.mark.parametrize("name", NAMES)
def test_inputs_are_not_modified(name):
    p = problem(3, 2, EUCLIDEAN)
    copies = [x.copy() for x in (*p.losses, p.phi)]
    LEARNERS[name](*p)
    assert all(np.array_equal(x, y) for x, y in zip((*p.losses, p.phi), copies, strict=True))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        *MISFITS,
        ({"eta": 0.0}, ValueError, "eta must be > 0, got 0.0"),
        ({"eta": -1}, ValueError, "eta must be > 0, got -1"),
        ({"eta": np.inf}, ValueError, "eta must be finite, got inf"),
        ({"eta": np.nan}, ValueError, "eta must be finite, got nan"),
        ({"eta": True}, TypeError, "eta must be a real number, got True"),
        ({"eta": [1.0]}, TypeError, "eta must be a real number, got"),
        ({"eta": Exact(1)}, TypeError, r"eta must be in floats, got Exact\(1\)"),
    ],
)
def test_bad_input_is_named(name, change, error, message):
    with pytest.raises(error, match=message):
        LEARNERS[name](**GOOD | change)


HALF = exact(box([0.0, 0.0], [0.5, 0.5]))
DEFINITE = mahalanobis([[2.0, 0.5], [0.5, 1.0]])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"domain": HALF}, "domain is exact and the losses are floats"),
        ({"domain": exact(space(2))}, "domain is exact and the losses are floats"),
        ({"domain": None}, "domain must be a Domain( or an object with project)?, got None"),
        ({"losses": exact(losses("linear", [[1.0, 0.0]]))}, "domain is in floats and the losses are exact"),
    ],
)
def test_two_arithmetics_are_named(name, change, message):
    with pytest.raises(TypeError, match=message):
        LEARNERS[name](**GOOD | change)


@pytest.mark.parametrize("name", ["omd", "ftrl"])
def test_a_regulariser_of_another_arithmetic_is_named(name):
    L = losses("linear", [[1.0, 0.0]])
    with pytest.raises(TypeError, match="R is exact and the losses are floats"):
        LEARNERS[name](L, UNIT, exact(DEFINITE), [0.0, 0.0], 1.0)
    with pytest.raises(TypeError, match="R is in floats and the losses are exact: convert R with exact"):
        LEARNERS[name](exact(L), exact(UNIT), DEFINITE, [0, 0], 1)
    with pytest.raises(TypeError, match=r"R must be a Regularizer.*, got None"):
        LEARNERS[name](L, UNIT, None, [0.0, 0.0], 1.0)
    assert LEARNERS[name](exact(L), space(2), exact(DEFINITE), [0, 0], 1).actions.shape == (1, 2)


@pytest.mark.parametrize("name", ["omd", "ftrl"])
def test_the_entropy_needs_its_domain(name):
    L = losses("linear", [[1.0, 0.0]])
    for domain in (space(2), UNIT, box([-1.0, 0.0], [1.0, 1.0])):
        with pytest.raises(ValueError, match="R: entropy needs a bounded domain in the nonnegative orthant"):
            LEARNERS[name](L, domain, entropy(2), [0.0, 0.0], 1.0)
    with pytest.raises(ValueError, match="R and domain must agree in dimension"):
        LEARNERS[name](L, simplex(2), euclidean(3), [0.5, 0.5], 1.0)


@pytest.mark.parametrize("name", NAMES)
def test_step_sizes_that_float64_cannot_hold(name):
    from fractions import Fraction

    with pytest.raises(ValueError, match="eta must be in the range of float64, got Fraction"):
        LEARNERS[name](losses("linear", [[1.0]]), space(1), euclidean(1), [0.0], Fraction(1, 10**400))


@pytest.mark.parametrize("name", NAMES)
def test_exact_losses_take_plain_numbers(name):
    L = exact(losses("linear", [[1.0, 0.5], [1.0, 0.5]]))
    got = LEARNERS[name](L, exact(UNIT), euclidean(2), [0, 0], 0.25)
    assert [str(x) for x in got.actions[1]] == ["Exact(-1/4)", "Exact(-1/8)"]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30)
@given(data=st.data())
def test_drawn_problems_have_finite_answers(name, data):
    domain, regularizer = data.draw(st.sampled_from(PAIRS))
    p = draw_problem(HypothesisDraw(data), domain, regularizer, m=3)
    if name == "greedy_ogd":
        p = p._replace(R=euclidean(2))
    got = LEARNERS[name](*p)
    assert all(np.isfinite(part).all() for part in got)
    assert np.all(got.gap >= 0)


@pytest.mark.parametrize("name", NAMES)
def test_the_gap_of_exact_linear_play_is_an_exact_zero(name):
    _, p = both(1, 1, EUCLIDEAN, link=0, m=3)
    assert all(isinstance(x, Exact) and x == 0 for x in LEARNERS[name](*p).gap)
