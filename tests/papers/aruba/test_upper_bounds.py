"""The regret upper bound of OGD: what is bounded is what the learner reports, and the witnesses are these."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory.engines.check import check
from arubatheory.engines.verdict import Status
from arubatheory.learners.meta import constant_rate, mean, meta_learn
from arubatheory.papers.aruba.e_batch import upper_bounds
from arubatheory.papers.aruba.e_batch.batch_bounds import batch_epsilon
from arubatheory.problems.domains import ball
from arubatheory.problems.draw import RandomDraw
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import tasks
from arubatheory.statements.core import Instance, statements_in

BY_LABEL = {s.label: s for s in statements_in(vars(upper_bounds))}
FALLEN = {
    "text:upper-bound-bounded/any-step",
    "text:upper-bound-bounded/learned",
    "text:ewoo-bounded/any-epsilon",
    "text:ewoo-bounded/from-zero",
    "text:fixed-rate-strongly-convex/entropy",
}


def test_the_bound_is_the_one_that_the_meta_learner_reports():
    rng = np.random.default_rng(0)
    for _ in range(20):
        m, v, G = int(rng.integers(1, 9)), rng.uniform(0.1, 3), rng.uniform(0.1, 3)
        star, phi = rng.uniform(-0.5, 0.5, (2, 2))
        gradients = rng.normal(size=(m, 2))
        gradients *= G / np.linalg.norm(gradients, axis=1, keepdims=True)
        played = meta_learn(
            tasks([losses("linear", gradients)]),
            ball(np.zeros(2), 1.0),
            euclidean(2),
            mean(phi),
            constant_rate(v),
            optima=star[None],
        )
        x = Instance(star=star, G=G, m=m)
        assert upper_bounds.upper(x, v / (G * np.sqrt(m)), phi) == pytest.approx(played.upper[0], rel=1e-12)


def test_a_learned_rate_makes_the_bound_as_large_as_the_number_of_rounds():
    """At v = epsilon and T = infinity the bound is m/2 to leading order, though the text says O(sqrt m)."""
    for power in (10, 20, 30):
        m = 2.0**power
        x = Instance(star=np.array([1.0]), phi=np.array([0.0]), D=1.0, G=1.0, m=m, T=2.0**400, share=0.0)
        eps = batch_epsilon(m, 2.0**400)
        assert upper_bounds.upper(x, eps / np.sqrt(m), x.phi) == pytest.approx(m / 2, rel=8 / np.sqrt(m))


def test_every_epsilon_of_the_corollary_is_at_most_two():
    """What the constant of text:ewoo-bounded rests on."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        x = upper_bounds._task(RandomDraw(rng))
        assert 0 < batch_epsilon(x.m, x.T) <= 2


@pytest.mark.parametrize("label", sorted(FALLEN))
def test_what_falls_has_a_certified_witness(label):
    verdict = check(BY_LABEL[label], 150, 0)
    assert verdict.status == Status.REFUTED and verdict.simplest.certified == "violated"


def test_what_falls_is_corrected_by_what_does_not():
    corrected = {c for s in BY_LABEL.values() for c in s.corrects}
    assert corrected == FALLEN


def test_the_entropy_is_not_strongly_convex_where_the_optimum_is_a_vertex():
    """theta* = e_3 does not see how phi shares its mass between the other two coordinates."""
    x = Instance(
        star=np.array([0, 0, 1.0]),
        phi=np.array([0.5, 0.25, 0.25]),
        other=np.array([0.25, 0.5, 0.25]),
        share=0.5,
        eta=1.0,
    )
    s = upper_bounds.entropic.sides(x)
    assert s.rhs == pytest.approx(np.log(4)) and s.lhs - s.rhs == pytest.approx(0.5**2 / 8)
