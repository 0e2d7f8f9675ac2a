"""Readings of section 3 and of appendices A and C by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from arubatheory import PAPER
from arubatheory.arithmetic import Exact, exact
from arubatheory.engines.check import check
from arubatheory.engines.exact import certify
from arubatheory.engines.verdict import Status
from arubatheory.kernel import on
from arubatheory.learners.ewoo import eps_ewoo
from arubatheory.learners.mirror_descent import play_omd
from arubatheory.papers.aruba.c_dynamic import general as meta
from arubatheory.papers.aruba.games.adaptive import widest_square
from arubatheory.papers.aruba.games.potentials import L2, QUADRATIC, Potential
from arubatheory.papers.aruba.games.tasks import deviation, play
from arubatheory.papers.aruba.s3_similarity import fsim
from arubatheory.problems.constants import lipschitz_squared
from arubatheory.problems.domains import interval, space
from arubatheory.problems.draw import RandomDraw
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import euclidean, mahalanobis
from arubatheory.statements.games import regret_bound

BY_LABEL = {s.label: s for s in PAPER}


# eq:ewoo at T^(-1/4) -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("domain", ["main", "appendix"])
@pytest.mark.parametrize("T", [16, 64, 256])
def test_no_action_is_below_epsilon_where_all_divergences_are_zero(T, domain):
    eps = T**-0.25
    played = eps_ewoo(np.zeros(T), 1.0, 1.0, eps, domain=domain).actions[:, 0]
    assert played.min() >= eps * (1 - 1e-12)
    if T == 256:
        assert played.sum() == pytest.approx({"main": 83.6, "appendix": 99.6}[domain], abs=0.1)


def test_regret_against_small_rates_is_of_order_three_quarters():
    """T = 2^52, eps = 2^-13, v = eps/2: regret is T eps/2 = 2^38."""
    statement = BY_LABEL["eq:ewoo/square-root"]
    sides = statement.sides(SimpleNamespace(T=Exact(2) ** 52, comparator=Exact(1) / 2))
    assert sides.lhs == Exact(2) ** 38
    assert sides.lhs > sides.rhs


def test_what_is_played_at_a_fixed_rate_is_what_eq_ewoo_plays():
    B = np.random.default_rng(1).uniform(0, 1, 32)
    eps = 32**-0.25
    assert np.allclose(
        fsim.main_ewoo(B, eps), eps_ewoo(B, 1.0, 1.0, eps, domain="main").actions[:, 0], rtol=1e-9, atol=0
    )


def test_at_a_fixed_rate_the_order_is_the_square_root():
    """B_t = 0: sum of v_t - v, against sqrt T (1/v + (1 + log(T + 1))/2), for many T."""
    for T in (16, 256, 4096):
        eps = T**-0.25
        played = eps_ewoo(np.zeros(T), 1.0, 1.0, eps, domain="main").actions[:, 0]
        assert played.sum() - T * eps < np.sqrt(T) * (1 + np.log(T + 1)) / 2


# thm:ewoo ----------------------------------------------------------------------------------------------------------
def test_ewoo_has_no_first_action_on_a_segment_in_the_plane():
    """Over [0, 2] x {1} both integrals are 0; over [0, 2] x [1, 3] the first action is (1, 2)."""
    statement, one = BY_LABEL["thm:ewoo/literal"], Exact(1)
    two, flat, low, ones = (np.array([a * one, b * one]) for a, b in ((2, 2), (2, 0), (0, 1), (1, 1)))
    game = dict(low=low, v=np.array([one] * 3), gamma=one, place=ones)
    sides = statement.sides(SimpleNamespace(width=two, **game))
    assert abs(sides.lhs - on(np.log, Exact(5) / 3)(Exact(5) / 3)) < Exact(1) / 10**9
    with pytest.raises(ArithmeticError, match="division of 0 by zero"):
        statement.sides(SimpleNamespace(width=flat, **game))
    verdict = check(statement, 200, 0)
    assert (verdict.status, verdict.kind) == (Status.REFUTED, "undefined")


# thm:ftrlomd -------------------------------------------------------------------------------------------------------
def test_another_norm_on_the_right_is_not_enough():
    """R = x^2/200, losses x and -x, eta = 1/100: the regret against 0 is 1, and with slopes of 1 the bound is 1/50."""
    game = SimpleNamespace(
        losses=losses("linear", [[1.0], [-1.0]]),
        domain=interval(-1, 1),
        R=mahalanobis([[0.01]]),
        phi=np.zeros(1),
        eta=0.01,
        comparator=np.zeros(1),
    )
    actions = play_omd(game.losses, game.domain, game.R, game.phi, game.eta).actions
    assert actions[:, 0].tolist() == [0, -1]
    sides = regret_bound(game, actions, game.comparator)
    assert sides.lhs == 1 <= sides.rhs == pytest.approx(0.01 * 2 / 0.01)  # in the norm of R slopes are 10


# thm:general -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("v", [0.5, 1.0, 7.0])
def test_a_regret_of_sim_that_increases_leaves_three_too_little(v):
    """Divergences 10 and 1: -10/1 - 1 of SIM, min{9, 6} of INIT and 2 of V."""
    x = SimpleNamespace(
        losses=losses("linear", [[1.0, 0.0]]),
        offsets=np.array([0, 1]),
        domain=space(2),
        R=euclidean(2),
        phi=np.array([[4.0, 2.0]]),
        psi=np.ones((1, 2)),
        star=np.zeros((1, 2)),
        v=np.array([v]),
    )
    p = play(x)
    upper, V = meta._upper(p, x), deviation(p)
    assert (p.at_phi[0], p.at_psi[0], p.sigma[0], V) == (10, 1, 1, 1)
    realised = upper - sum(meta.sim_loss(p.at_phi, V, p.sigma))
    assert upper - meta.bound(p, realised, meta.init_regret(p)) == pytest.approx(3)
    _, second = meta.general.sides(x)
    assert second.lhs <= second.rhs


def test_a_task_of_constant_losses_has_no_step_size():
    literal, plain, rng = BY_LABEL["thm:general/literal"], BY_LABEL["thm:general"], np.random.default_rng(0)
    for _ in range(2000):
        draw = RandomDraw(rng)
        x = literal.instance(draw)
        sigma = lipschitz_squared(x.losses, x.domain, x.R)
        tasks = [sigma[x.offsets[t] : x.offsets[t + 1]].sum() for t in range(len(x.v))]
        if min(tasks) == 0 < max(tasks):
            break
    assert certify(literal, draw.tape).outcome == "undefined"
    assert certify(plain, draw.tape).outcome != "undefined"


# D, in three meanings ----------------------------------------------------------------------------------------------
def test_only_the_diameter_bounds_the_slope():
    """On [-1, 1] with the optimum 1: from -1 to -0.99 the slope is 1.995; 1 and sqrt 2 are too little."""
    game = SimpleNamespace(
        domain=interval(-1.0, 1.0), star=np.array([1.0]), first=np.array([-1.0]), second=np.array([-0.99]), G=1.0, m=1
    )
    found = {}
    for reading in ("", "/literal", "/literal-bregman"):
        s = BY_LABEL[f"text:finit-lipschitz{reading}"].sides(game)
        assert s.lhs == pytest.approx((1.995 * 0.01) ** 2)
        found[reading] = s.rhs / 0.01**2
    assert found == pytest.approx({"": 4, "/literal": 1, "/literal-bregman": 2})


def test_the_average_deviation_may_exceed_the_largest_distance():
    """R = 50 x^2, optima 1 and -1: V^2 = 50, the squared distance is 4, the largest divergence 200."""
    R = Potential(QUADRATIC, L2, np.array([[100.0]]), np.zeros(1), np.array([100.0]), np.ones(1))
    game = SimpleNamespace(R=R, domain=interval(-1.0, 1.0), star=np.array([[1.0], [-1.0]]))
    literal, divergence = (BY_LABEL[f"text:v-below-dstar/at-most/{r}"].sides(game) for r in ("literal", "divergence"))
    assert (literal.lhs, literal.rhs) == (50, 4)
    assert (divergence.lhs, divergence.rhs) == (50, 200)


def test_the_widest_of_points_in_either_arithmetic() -> None:
    points = np.array([[0.0, 1.0], [3.0, 1.0], [1.0, -3.0]])
    assert widest_square(points) == 20
    assert widest_square(exact(points)) == Exact(20)
    assert widest_square(points[:1]) == 0
