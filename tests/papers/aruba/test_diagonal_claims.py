"""prp:diagftl and thm:diagonal: closed forms against games that are played, hand-checked witnesses, growth siblings."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import zeta

from arubatheory.arithmetic import Exact, Undefined
from arubatheory.engines.check import check
from arubatheory.engines.rate import rate
from arubatheory.engines.verdict import Status
from arubatheory.kernel import compiled
from arubatheory.papers.aruba.d_geometry import diagftl, diagftl_proof, diagonal, diagonal_rates
from arubatheory.papers.aruba.games import diagonal as games
from arubatheory.problems.draw import RandomDraw
from arubatheory.statements.core import statements_in
from tests.made import is_suspect

LONG = pytest.mark.skipif(not compiled(), reason="hundreds of thousands of tasks, one by one")
MODULES = (diagftl, diagftl_proof, diagonal, diagonal_rates)
CLAIMS = {s.label: s for module in MODULES for s in statements_in(vars(module))}


def game(b, g, eps, zeta_, p, star, D=None, G=None):
    b, g = np.atleast_2d(np.asarray(b, float).T).T, np.atleast_2d(np.asarray(g, float).T).T
    top = [float(np.sqrt((x * x).sum(axis=1)).max()) for x in (b, g)]
    return SimpleNamespace(
        b=b,
        g=g,
        eps=eps,
        zeta=zeta_,
        p=p,
        comparator=np.atleast_1d(np.asarray(star, float)),
        D=top[0] if D is None else D,
        G=top[1] if G is None else G,
    )


def by_the_book(i):
    """x_1, ..., x_T of (eps, zeta, p)-FTL, written out from the proposition."""
    out = []
    for t in range(1, len(i.b) + 1):
        above = sum(i.eps**2 * (s + 1) ** -i.p + i.b[s - 1] ** 2 * (s > 0) for s in range(t))
        below = sum(i.zeta**2 * (s + 1) ** -i.p + i.g[s - 1] ** 2 * (s > 0) for s in range(t))
        out.append(np.sqrt(above / below))
    return np.array(out)


def test_the_actions_are_those_of_the_proposition():
    for seed in range(20):
        i = games.diagonal_game(RandomDraw(np.random.default_rng(seed)))
        np.testing.assert_allclose(games.play(i).actions[:-1], by_the_book(i), rtol=1e-12)


def test_the_first_action_is_eps_over_zeta():
    i = game([0.3], [0.7], 3.0, 4.0, 0.4, 1.0)
    assert games.play(i).actions[0, 0] == 0.75


def test_constants_of_the_proof():
    for p in (0.01, 0.1, 0.4, 0.66):
        c, one_minus = (1 - (2 / 3) ** (1 - p)) / (1 - p), 1 - 3 * p / 2
        first, second = games.proof_constants(p)
        assert first == pytest.approx(4 / (1 - one_minus) * math.sqrt(2) * (1 + 1 / c) / c**1.5)
        exact = 4 * math.sqrt(2) * (1 + 1 / c) * zeta(1 + p / 2) / c**1.5
        assert exact < second < 1.0002 * exact


@pytest.mark.parametrize("T", [1, 2, 16, 256])
def test_without_gradients_the_losses_are_no_smaller_than_the_closed_form(T):
    i = game(np.ones(T), np.zeros(T), 1.0, 1.0, 0.4, 1.0)
    own = games.paid(i.b * i.b, i.g * i.g, games.play(i).actions[:-1])
    closed = CLAIMS["prp:diagftl/literal"].sides(SimpleNamespace(T=float(T), far=2.0**40, comparator=1.0))
    assert own >= closed.lhs and own <= 2 * closed.lhs


@pytest.mark.parametrize("T", [1, 2, 16, 256])
@pytest.mark.parametrize("u", [0.25, 1.0, 4.0])
def test_regret_of_the_regularised_game_is_no_smaller_than_the_closed_form(T, u):
    p = 0.625
    i = game(np.full(T, u * T ** (-p / 3)), np.zeros(T), 1.0, 1.0, p, 1.0)
    i.comparator = games.play(i).actions[-1]
    closed = CLAIMS["prp:diagftl/proof-15"].sides(SimpleNamespace(T=float(T), u=u))
    assert diagftl_proof.regularised_regret(i) >= closed.lhs * (1 - 1e-9) - 1e-12
    assert closed.rhs == pytest.approx(games.learned(i, *games.proof_constants(p)))


@pytest.mark.parametrize("T, m", [(1, 4), (2, 64), (64, 16), (1024, 4096)])
def test_the_diagonal_learner_pays_no_less_than_the_closed_form(T, m):
    """Alternating tasks with gradients 1/m: sum_i of their squares is 1/m."""
    star, H = (-1.0) ** np.arange(T), 0.5
    pays = diagonal_rates.excess(star, np.full(T, 1 / m), m, H=H) + float(np.var(star)) / 2 / H + H / m
    closed = CLAIMS["thm:diagonal"].sides(SimpleNamespace(T=float(T), m=float(m), H=H))
    assert pays >= closed.lhs + 1 / (2 * H) + H / m


def test_the_two_learners_are_one():
    """The vectorised learner of the rates, and the game of the theorem."""
    rng = np.random.default_rng(3)
    star, gradients = rng.uniform(-1, 1, (9, 1)), rng.uniform(0, 1, (9, 1))
    one = np.zeros(1)
    domain = SimpleNamespace(kind=diagonal.BOX, low=one - 1, high=one + 1)
    i = SimpleNamespace(
        domain=domain, star=star, first=one, gradients=gradients, G=1.0, m=4, phi=one + star.mean(), eta=one + 0.7
    )
    upper, fixed = diagonal.upper(i), diagonal.fixed(i, i.phi)
    expected = diagonal_rates.excess(star[:, 0], 4 * gradients[:, 0] ** 2, 4, H=0.7)
    assert (upper - fixed) / 9 == pytest.approx(expected, rel=1e-12)


def test_the_coupling_without_round_zero_fails_by_hand():
    """256 rounds of b = 1/16, g = 0, eps = zeta = 1, p = 5/8, against the best action, in plain floats."""
    w = np.arange(1.0, 258.0) ** -0.625
    beta, gamma = np.append(1.0, 1 / 256 + w[1:]), w
    x = np.sqrt(np.cumsum(beta) / np.cumsum(gamma))[:-1]
    b, g = beta[1:], gamma[1:]
    regret = np.sum(b / x + g * x) - 2 * math.sqrt(b.sum() * g.sum())
    bound = 2 * np.sum((g - b / x**2) * (g * x - b / x) / np.cumsum(g))
    assert regret == pytest.approx(7.0366e-4, rel=1e-3) and bound == pytest.approx(2.9306e-4, rel=1e-3)
    missing = (lambda y: y + 1 / y - 2)(math.sqrt(b.sum() / g.sum()))
    assert regret <= missing + bound


def test_the_printed_norm_is_not_led_by_the_root():
    """b = 1, g = 0, eps = 2, zeta = 1, p = 1/3, T = 1: the norm of the modified losses is less at 2 than at x_2."""
    w = 2 ** (-1 / 3)
    beta, gamma = (4.0, 1 + 4 * w), (1.0, w)

    def norm(x):
        return sum(abs(g * x * x / 2 - b * math.log(x)) for b, g in zip(beta, gamma, strict=True))

    leader = math.sqrt(sum(beta) / sum(gamma))
    assert norm(leader) == pytest.approx(2.11227, rel=1e-5) and norm(2.0) == pytest.approx(2.07894, rel=1e-5)


def test_missing_parentheses_fail_in_one_round():
    """T = 1, b = g = 0, eps = zeta = x = 1, p near 0: 2 * 2^-p <= 1/(1-p) + 1 fails."""
    sides = CLAIMS["prp:diagftl/proof-16/literal"].sides(game([0.0], [0.0], 1.0, 1.0, 1 / 64, 1.0))
    assert sides.lhs == pytest.approx(2 * 2 ** (-1 / 64)) and sides.rhs == pytest.approx(64 / 63 + 1)
    sides = CLAIMS["prp:diagftl/proof-16/literal"].sides(game([0.0] * 8, [0.0] * 8, 1.0, 1.0, 1 / 64, 1.0))
    assert sides.lhs > sides.rhs


def test_the_mean_of_no_tasks_is_undefined():
    verdict = check(CLAIMS["thm:diagonal/literal"], 5, 0)
    assert verdict.status == Status.REFUTED and verdict.kind == "undefined"
    with pytest.raises(Undefined):
        Exact(0) / (1 - 1)


def test_gradients_that_cancel_show_the_square_of_the_sum():
    i = SimpleNamespace(shift=np.zeros((1, 1)), gradients=np.array([[[1.0], [-1.0]]]), eta=np.ones((1, 1)))
    printed, meant = (CLAIMS[f"thm:app:diagonal/proof-2{r}"].sides(i) for r in ("/literal", ""))
    assert (printed[0].lhs, printed[0].rhs) == (2, 0) and (meant[0].lhs, meant[0].rhs) == (2, 2)


def claimed(label, exponent):
    true = CLAIMS[label]
    growth = true.growth._replace(exponent=exponent)
    return replace(true, label=f"{label}/claimed", growth=growth)


@LONG
@pytest.mark.parametrize(
    "label, exponent",
    [("thm:diagonal/rate", -0.6), ("thm:diagonal/rate/degenerate", -0.4), ("thm:diagonal/rate/rounds", 0.49)],
)
def test_a_smaller_exponent_is_suspect(label, exponent):
    assert rate(CLAIMS[label], 20, 1).status == Status.SURVIVED
    assert is_suspect(claimed(label, exponent), 20)


@LONG
def test_tasks_of_many_rounds_do_not_converge_as_printed():
    """The printed bound falls like T^{-1/5}; what is played stays, as the corrected bound does."""
    assert rate(CLAIMS["thm:diagonal/rate/long-tasks"], 20, 1).status == Status.SUSPECT
    assert rate(claimed("thm:diagonal/rate/long-tasks", 0.0), 20, 1).status == Status.SURVIVED
