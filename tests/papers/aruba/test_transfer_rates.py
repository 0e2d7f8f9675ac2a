"""Rates of transfer: the worlds are what they say, and their closed forms agree with listings."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from arubatheory import PAPER
from arubatheory.engines.check import check
from arubatheory.engines.rate import rate
from arubatheory.engines.search import search
from arubatheory.engines.statistics import fit
from arubatheory.engines.verdict import Status
from arubatheory.kernel import compiled
from arubatheory.learners.meta import eps_ewoo_rate, mean, meta_learn
from arubatheory.papers.aruba import ARUBA
from arubatheory.papers.aruba.e_batch import batch_bounds as transfer_bounds
from arubatheory.papers.aruba.e_batch import batch_proofs as transfer_proofs
from arubatheory.papers.aruba.e_batch import batch_scbatch as transfer_rates
from arubatheory.papers.aruba.e_batch.batch_scbatch import GROWING, KNOWN, beyond_leading
from arubatheory.papers.aruba.games import known_risks as rate_worlds
from arubatheory.papers.aruba.games.known_risks import COINS, KINKS
from arubatheory.papers.aruba.games.rates import EPS_EWOO, MAIN_EWOO, LearnedRate
from arubatheory.papers.aruba.games.transfer import outcomes_of
from arubatheory.problems.domains import ball
from arubatheory.problems.draw import RandomDraw
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import tasks
from arubatheory.report.standing import Role, role_of
from tests.made import is_suspect

SLUGS = ("cor:statistical", "cor:batch", "cor:scbatch")
STATEMENTS = [s for s in PAPER if s.label.startswith(SLUGS)]
BY_LABEL = {s.label: s for s in STATEMENTS}
RATES = {
    "cor:statistical/known-variance": KNOWN,
    "cor:statistical/learned-rate": MAIN_EWOO,
    "cor:batch": EPS_EWOO,
    "cor:scbatch": KNOWN,
}
FALLEN = {"cor:batch/literal", "cor:scbatch/literal", "cor:scbatch/proof-1", "cor:batch/proof-3/literal"}
SOUGHT = {"cor:scbatch/half", "cor:batch/third"}  # where simple numbers do not suffice
SLOW = pytest.mark.skipif(not compiled(), reason="thousands of tasks, one by one")


# the worlds --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("m", [1, 2, 5, 8])
@pytest.mark.parametrize("heads", rate_worlds.HEADS)
def test_the_average_on_coins_is_that_of_all_sequences(m, heads):
    phi, eta, total = 0.3, 0.21, 0.0
    for coins in itertools.product((0, 1), repeat=m):
        at, middle = phi, 0.0
        for z in coins:
            middle += min(max(at, 0), 1) / m
            at += eta if z else -eta
        total += middle * np.prod([heads if z else 1 - heads for z in coins])
    assert rate_worlds.coin_average(heads, phi, eta, m) == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("m", [1, 2, 7, 300])
def test_majorities_are_binomial(m):
    for heads in rate_worlds.HEADS:
        assert rate_worlds.majority(heads, m) == pytest.approx(binom.sf(m // 2, m, heads), rel=1e-9, abs=1e-18)


def test_the_variance_is_that_of_the_best_actions():
    for m in (1, 4, 9):
        for r in (0.0, 0.2, 0.5):
            assert rate_worlds.variance_root(KINKS, r, m) == pytest.approx(r)
            low, high = (binom.sf(m // 2, m, heads) for heads in rate_worlds.HEADS)
            second = (1 - r * r) * low + r * r * high
            assert rate_worlds.variance_root(COINS, r, m) == pytest.approx(np.sqrt(second * (1 - second)))


def test_a_kink_costs_its_own_loss_at_the_average():
    c, phi, eta, g = 0.4, 0.9, 0.25, rate_worlds.LEFT_SLOPE
    actions = [0.9, 0.65, 0.4, 0.4 + eta * g, 0.4 + eta * g - eta]
    middle = np.mean(actions)
    expected = max(middle - c, g * (c - middle))
    assert rate_worlds.kink_excess(c, phi, eta, 5) == pytest.approx(expected, rel=1e-9)


def test_training_is_that_of_the_meta_learner():
    """Its averages of phi_t and v_t, on one loss a task of slope 1; D = 2 as in the long games of section 3."""
    star = np.random.default_rng(2).uniform(0, 1, 40)
    one = tasks([losses("linear", [[1.0]])] * 40)
    played = meta_learn(
        one, ball(np.zeros(1), 1.0), euclidean(1), mean([0.25]), eps_ewoo_rate(2.0, 0.3), optima=star[:, None]
    )
    phi, v = rate_worlds.average_state(star, 0.25, LearnedRate(EPS_EWOO, 0.3, 1.0))
    assert (phi, v) == pytest.approx((played.phi.mean(), played.v.mean()), rel=1e-9)
    assert rate_worlds.average_state(star, 0.25, 0.7) == pytest.approx((played.phi.mean(), 0.7))


def test_the_excess_is_the_largest_of_the_replicates():
    """And one run is enough where all tasks are equal."""
    x = SimpleNamespace(world=KINKS, start=0.5, seed=3)
    found = rate_worlds.upper_excess(x, 16, 4, 0.25, 0.5)
    rng = np.random.default_rng([3, 16, 4])
    runs = []
    for _ in range(rate_worlds.REPLICATES):
        star = np.where(rng.random(16) < 0.5, 0.75, 0.25)
        runs.append(rate_worlds.transfer_excess(KINKS, 0.25, rate_worlds.average_state(star, 0.5, 0.5)[0], 0.25, 4))
    assert found == max(runs) > min(runs)
    assert rate_worlds.upper_excess(x, 16, 4, 0.0, 0.5) == rate_worlds.transfer_excess(KINKS, 0.0, 0.5, 0.25, 4)


# listed worlds -----------------------------------------------------------------------------------------------------
def test_training_sequences_are_all_of_them():
    rng = np.random.default_rng(4)
    for _ in range(30):
        x = transfer_bounds._world(RandomDraw(rng), transfer_bounds.FEW, transfer_bounds.FEW)
        o = outcomes_of(x)
        found = transfer_bounds.trained(x, o, lambda spread, t: spread + t)
        stars, chances = transfer_bounds.distinct(o)
        assert found.prob.sum() == pytest.approx(1) and len(found.prob) == len(stars) ** (x.T - 1)
        mean_phi = (x.start + (x.T - 1) * (chances @ stars)) / x.T
        assert found.prob @ found.phi == pytest.approx(mean_phi)
        for n, path in enumerate(itertools.product(stars, repeat=x.T - 1)):
            phis = [x.start, *(np.mean(path[: t + 1]) for t in range(x.T - 1))]
            assert found.phi[n] == pytest.approx(np.mean(phis))
            steps = [(s - p) ** 2 / 2 for s, p in zip(path, phis, strict=False)]
            assert found.v[n] == pytest.approx(np.mean([sum(steps[:t]) + t for t in range(x.T)]))


def test_the_weights_of_the_average_have_squares_of_two_over_T_at_most():
    """What the deviation of the average initialisation rests on."""
    for T in (1, 2, 3, 10, 1000, 100_000):
        harmonic = np.cumsum(1 / np.arange(1, T)) if T > 1 else np.zeros(0)
        weights = (harmonic[-1] - np.append(0, harmonic[:-1])) / T if T > 1 else np.zeros(1)
        assert np.sum(weights**2) <= 2 / T


# statements --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("label", sorted(FALLEN | SOUGHT))
def test_what_falls_has_a_certified_witness(label):
    verdict = check(BY_LABEL[label], 400, 3) if label in FALLEN else search(BY_LABEL[label], 6000, 0, first=True)
    assert verdict.status == Status.REFUTED and verdict.simplest.certified == "violated"


def test_an_item_read_for_every_delta_is_not_its_main_reading():
    """The main text has delta <= 1/e for both; for every delta they are as printed, and fall."""
    for slug in ("cor:batch", "cor:scbatch"):
        roles = {label: role_of(BY_LABEL[label], ARUBA) for label in (slug, f"{slug}/literal")}
        assert roles == {slug: Role.MAIN, f"{slug}/literal": Role.LITERAL}
        assert r"\delta\le\frac1e" in BY_LABEL[slug].latex and slug + "/literal" in BY_LABEL[slug].corrects


def test_what_falls_has_a_corrected_form():
    assert {c for s in STATEMENTS for c in s.corrects} == FALLEN | SOUGHT | {"cor:batch/proof-1/state/entropy"}


def test_equal_tasks_break_cor_batch_as_delta_tends_to_one_whatever_the_number_of_tasks():
    for T in (1.0, 4.0, 64.0):
        s = transfer_proofs.all_equal.sides(SimpleNamespace(T=T, m=2.0**90, gap=0.0))
        assert s.lhs > 10 * s.rhs


def test_the_closed_form_is_below_what_is_played():
    """phi = 1 - 1/T and any v of epsilon-EWOO's interval, on losses 1 - x."""
    rng = np.random.default_rng(5)
    for T, m in itertools.product((1, 2, 5), (1, 4, 64, 1024)):
        eps = transfer_bounds.batch_epsilon(float(m), float(T))
        for v in [np.hypot(1, eps), *rng.uniform(eps, np.hypot(1, eps), 5)]:
            actions = np.minimum(1 - 1 / T + v / np.sqrt(m) * np.arange(m), 1)
            bound = transfer_proofs.all_equal.sides(SimpleNamespace(T=float(T), m=float(m), gap=0.5)).lhs
            assert 1 - actions.mean() >= bound * (1 - 1e-12)


@pytest.mark.parametrize("m", [8, 64])
def test_brackets_are_the_printed_ones(m):
    assert beyond_leading(KNOWN, 100, m, 0.3) == pytest.approx((100 * m) ** -0.5 + 0.01)
    assert beyond_leading(EPS_EWOO, 100, m, 0.0) == pytest.approx((m**3 * 100) ** -0.25 + 1 / m + 0.1)
    assert beyond_leading(EPS_EWOO, 100, m, 1e6) == pytest.approx(0.1, rel=1e-5)


def test_every_corollary_claims_all_four_forms():
    parts = ("", "/still", "/fixed", "/rounds")
    assert {s.label for s in GROWING} == {f"{slug}/rate{part}" for slug in RATES for part in parts}


@pytest.mark.parametrize("rule", [KNOWN, EPS_EWOO])
def test_the_leading_term_leads_where_it_outgrows_the_rest(rule):
    """The rest vanishes beside it by more than two orders in twenty of T, or does not vanish."""
    for quarters, halves in itertools.product(transfer_rates.DECAYS, transfer_rates.HALVES):
        a, c = quarters / 4, halves / 2
        rest = []
        for T in (1e20, 1e40):
            m = T**c if c else 8.0
            rest.append(beyond_leading(rule, T, m, T**-a) / (T**-a / m**0.5))
        assert (rest[1] < rest[0] / 100) == transfer_rates.leads(rule, a, c), (a, c, rest)


@SLOW
def test_a_term_that_does_not_lead_is_not_subtracted():
    """V_Q = T^{-3/4} at m = T: relative to the rest, the excess beyond V_Q/sqrt m rises to its limit like 1 - T^{-1/4}.
    Its slope on the grid is positive, but it is no growth: four times as many tasks raise it less and less."""
    x = SimpleNamespace(world=KINKS, size=27940185 / 2**26, decay=0.75, power=1.0, start=3838911 / 2**23, seed=446715)

    def beyond(x, T):
        found, V = transfer_rates.played(KNOWN, x, T, T)
        return (found - V / np.sqrt(T)) / beyond_leading(KNOWN, T, T, V)

    statement = BY_LABEL["cor:scbatch/rate"]
    assert fit(statement.growth._replace(excess=beyond), x).claimed.low > 0
    assert fit(statement.growth, x).claimed.high < 0
    first, second = (beyond(x, 4 * T) - beyond(x, T) for T in (1 << 10, 1 << 14))
    assert 0 < second < 0.7 * first


@SLOW
@pytest.mark.parametrize("slug, without", [(slug, n) for slug in RATES for n in range(2)])
def test_brackets_that_lack_a_term_are_suspect(slug, without):
    """V_Q/sqrt m, or what is learned with it: 1/sqrt(mT) at a known rate, the minimum at a learned one."""
    rule = RATES[slug]

    def lacking(x, T):
        m = rate_worlds.rounds(x, T)
        found, V = transfer_rates.played(rule, x, T, m)
        left = beyond_leading(rule, T, m, V)
        if without == 1:
            left = V / np.sqrt(m) + (1 / T if rule == KNOWN else T**-0.5)
        return found / left

    statement = BY_LABEL[f"{slug}/rate"]
    false = replace(statement, growth=statement.growth._replace(excess=lacking))
    assert is_suspect(false, 20)


@SLOW
@pytest.mark.parametrize("label", ["cor:scbatch/rate/still", "cor:scbatch/rate/rounds", "cor:batch/rate/still"])
def test_growth_as_claimed_survives_and_is_told_in_its_own_variable(label):
    verdict = rate(BY_LABEL[label], 12, 1)
    assert verdict.status == Status.SURVIVED
    assert f"on {'m' if label.endswith('rounds') else 'T'} = " in verdict.worst.note
