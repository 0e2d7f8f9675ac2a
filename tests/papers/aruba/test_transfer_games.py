"""Transfer games: the listing against games played out, against one-level games, and against its own past."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arubatheory import PAPER
from arubatheory.arithmetic import Exact, Undefined, approximate, exact
from arubatheory.engines.exact import certify_instance
from arubatheory.kernel import pure
from arubatheory.papers.aruba.e_batch import o2bexp as transfer
from arubatheory.papers.aruba.games.samples import DIGITS, Tail, listed, rising_sides, tail_sides
from arubatheory.papers.aruba.games.transfer import (
    FREE,
    OGD,
    STAY,
    TABLE,
    TRANSFER,
    expected,
    least_risk,
    listing,
    longest,
    over_tasks,
    plays_from,
    plays_from_average,
    range_of,
    risk_at,
    slope_at,
    transfer_game,
)
from arubatheory.problems.coarse import HypothesisDraw
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.mixtures import Mixture, loss_at, random_mixture
from arubatheory.statements.core import Sides
from arubatheory.statements.functions import root

METHODS = (STAY, OGD, TABLE, FREE)
GRID = np.linspace(0, 1, 2001)
BY_LABEL = {s.label: s for s in PAPER}


def drawn(seed, methods=METHODS):
    return transfer_game(RandomDraw(np.random.default_rng(seed)), methods)


def exactly(seed, methods=METHODS):
    draw = RandomDraw(np.random.default_rng(seed))
    return transfer_game(draw, methods), transfer_game(TapeDraw(draw.tape, exact=True), methods)


def short(seeds, methods=METHODS):
    return [x for x in (drawn(seed, methods) for seed in range(seeds)) if not x.long]


def outcomes(x):
    """The task and its losses, as numbers of M, in the order of the listing."""
    J, K = len(x.q), len(x.M.p) // len(x.q)
    return [(j, [j * K + k for k in losses]) for j in range(J) for losses in itertools.product(range(K), repeat=x.m)]


def played(x, losses, s, row, K):
    """The actions of the method of the game, written out."""
    actions, now, seen, first = [], s, 0, 0
    for i, k in enumerate(losses):
        theta = row[first + seen] if x.method in (TABLE, FREE) else now
        actions.append(theta)
        if x.method == OGD:
            now = min(max(theta - x.eta * slope_at(x.M, k, theta), 0), 1)
        first, seen = first + K**i, seen * K + k % K
    return actions


def values(x, k):
    return np.array([loss_at(x.M, k, theta) for theta in GRID])


@pytest.mark.parametrize("seed", range(24))
def test_every_play_is_the_one_written_out(seed):
    x = drawn(seed)
    J, K = len(x.q), len(x.M.p) // len(x.q)
    p, table = listing(x), np.array([values(x, k) for k in range(len(x.M.p))])
    joint = np.repeat(x.q, K) * x.M.p
    assert least_risk(x) == pytest.approx((joint @ table).min(), abs=1e-3)
    assert risk_at(x, 1.0) == pytest.approx((joint @ table)[-1])
    for a, (j, losses) in enumerate(outcomes(x)):
        own = slice(j * K, j * K + K)
        assert p.outcomes.chance[a] == pytest.approx(x.q[j] * np.prod(x.M.p[losses]))
        assert p.outcomes.best[a] == pytest.approx((x.M.p[own] @ table[own]).min(), abs=1e-3)
        assert p.outcomes.least[a] <= table[losses].sum(axis=0).min() + 1e-12
        assert p.outcomes.least[a] == pytest.approx(sum(loss_at(x.M, k, p.outcomes.star[a]) for k in losses))
        for i, s in enumerate(x.states):
            actions = played(x, losses, s, x.table[i % len(x.table)], K)
            paid = sum(loss_at(x.M, k, theta) for k, theta in zip(losses, actions, strict=True))
            risk = sum(x.M.p[k] * loss_at(x.M, k, np.mean(actions)) for k in range(J * K)[own])
            assert p.plays.risk[i, a] == pytest.approx(risk)
            assert p.plays.regret[i, a] == pytest.approx(paid - p.outcomes.least[a], abs=1e-9)


def test_the_listing_is_what_many_sampled_games_show():
    """Means over 20,000 training runs and as many fresh tasks: within 6 standard errors of the sums."""
    rng, n = np.random.default_rng(0), 20_000
    for x in short(12):
        p = listing(x)
        A = len(p.outcomes.chance)
        taken = rng.choice(A, size=(n, x.T), p=p.outcomes.chance / p.outcomes.chance.sum())
        node, first, width, seen = np.zeros(n, np.int64), 0, 1, np.zeros(n, np.int64)
        regret, risk, state = np.zeros(n), np.zeros(n), np.zeros(n)
        for t in range(x.T):
            node = first + seen
            fresh = rng.choice(A, size=n, p=p.outcomes.chance / p.outcomes.chance.sum())
            regret += p.plays.regret[node, taken[:, t]] / x.T
            risk += p.plays.risk[node, fresh] / x.T
            state += x.states[node] / x.T
            first, seen, width = first + width, seen * A + taken[:, t], width * A
        q = p.training.prob
        for seen_values, listed_values in (
            (regret, p.training.regret),
            (risk, over_tasks(p.training, expected(p.outcomes, p.plays.risk))),
            (state, p.training.state),
        ):
            error = max(seen_values.std() / np.sqrt(n), 1e-12)
            assert abs(seen_values.mean() - q @ listed_values) <= 6 * error


def test_probabilities_sum_to_one_exactly():
    for seed in range(25):
        x, y = exactly(seed)
        p, e = listing(x), listing(y)
        assert sum(e.training.prob) == 1 and sum(e.outcomes.chance) == 1
        assert all(assumption.margin(y) >= 0 for assumption in TRANSFER)
        for floats, rationals in ((p.outcomes, e.outcomes), (p.plays, e.plays), (p.training, e.training)):
            for one, other in zip(floats, rationals, strict=True):
                np.testing.assert_allclose(one, approximate(other), rtol=1e-9, atol=1e-9)


def test_no_loss_leaves_the_unit_interval():
    """Convex functions are largest at the ends."""
    for seed in range(30):
        x, y = exactly(seed)
        for k in range(len(y.M.p)):
            assert max(pure(loss_at)(y.M, k, Exact(0)), pure(loss_at)(y.M, k, Exact(1))) <= 1
            assert values(x, k).min() >= -1e-12


def one_mixture(seed, K, T, m, method):
    """J = 1: the game of one learner against one distribution."""
    draw = RandomDraw(np.random.default_rng(seed))
    M, nodes = random_mixture(draw, K), sum(K**t for t in range(T * m))
    points = draw.unit(nodes)
    x = SimpleNamespace(
        q=np.ones(1),
        M=M,
        m=m,
        T=T,
        method=method,
        states=points if method == STAY else np.zeros(1),
        long=False,
        table=np.zeros((1, 1)) if method == STAY else points[None],
        eta=1.0,
        slack=0.0,
    )
    return x, listed(SimpleNamespace(M=M, points=points, star=draw.unit(), T=T * m, long=False))


@pytest.mark.parametrize(("K", "T"), [(2, 5), (3, 3)])
def test_tasks_of_one_round_are_the_rounds_of_a_one_level_game(K, T):
    x, one = one_mixture(K, K, T, 1, STAY)
    p = listing(x)
    least = np.array([sum(p.outcomes.least[list(o)]) for o in itertools.product(range(K), repeat=T)])
    np.testing.assert_allclose(p.training.prob, one.prob)
    np.testing.assert_allclose(T * p.training.regret + least, one.paid)
    np.testing.assert_allclose(T * over_tasks(p.training, expected(p.outcomes, p.plays.risk)), one.risk)
    np.testing.assert_allclose(expected(p.outcomes, plays_from_average(x, p).risk), one.average)
    assert least_risk(x) == pytest.approx(min(risk_at(x, theta) for theta in GRID), abs=1e-3)


@pytest.mark.parametrize(("K", "m"), [(2, 4), (3, 2)])
def test_one_task_is_a_one_level_game(K, m):
    x, one = one_mixture(K, K, 1, m, TABLE)
    p = listing(x)
    np.testing.assert_allclose(p.outcomes.chance, one.prob)
    np.testing.assert_allclose(p.plays.risk[0], one.average)
    np.testing.assert_allclose(p.plays.regret[0], one.paid - one.least, atol=1e-15)
    np.testing.assert_allclose(p.plays.upper[0], np.maximum(one.paid - one.least, 0), atol=1e-15)


def test_a_meta_learner_that_never_moves_is_known_by_counts():
    games = [x for x in (drawn(seed) for seed in range(120)) if x.long and x.T <= 8]
    assert len(games) >= 20
    for x in games:
        tree = SimpleNamespace(**{**vars(x), "long": False, "states": np.repeat(x.states, 2**x.T - 1)})
        one, other = listing(x), listing(tree)
        counts = np.array([sum(o) for o in itertools.product(range(2), repeat=x.T)])
        np.testing.assert_allclose(np.bincount(counts, other.training.prob), one.training.prob, atol=1e-15)
        for o, c in enumerate(counts):
            assert one.training.upper[c] == pytest.approx(other.training.upper[o])
            assert one.training.regret[c] == pytest.approx(other.training.regret[o])
        if x.method != FREE:
            np.testing.assert_allclose(plays_from_average(x, one).risk[0], plays_from_average(tree, other).risk[0])


def test_a_state_knows_the_past_and_nothing_else():
    """Sequences that agree up to task t meet the same states up to task t + 1, and otherwise never again."""
    for x in short(40):
        visited, A = listing(x).training.visited, len(listing(x).outcomes.chance)
        past = np.array(list(itertools.product(range(A), repeat=x.T)))
        for t in range(x.T):
            same = (past[:, None, :t] == past[None, :, :t]).all(axis=2)
            assert ((visited[:, None, t] == visited[None, :, t]) == same).all()
            assert len(np.unique(visited[:, t])) == A**t


@given(st.data())
def test_upper_bounds_are_bounds_convex_in_the_state_and_at_most_b(data):
    x = transfer_game(HypothesisDraw(data), (STAY, OGD, TABLE))
    p = listing(x)
    assert (p.plays.upper >= p.plays.regret + x.slack - 1e-9).all() and (p.plays.upper >= 0).all()
    assert (p.training.upper >= p.training.regret - 1e-9)[p.training.prob > 0].all()
    states = np.linspace(0, 1, 33)
    upper = plays_from(x, p.outcomes, states).upper
    assert (upper[2:] - 2 * upper[1:-1] + upper[:-2]).min() >= -1e-9 * (1 + upper.max())
    happens = p.outcomes.chance > 0
    assert plays_from_average(x, p).upper[:, happens].max() <= range_of(p) * (1 + 1e-12) + 1e-12


def test_games_are_as_long_as_they_may_be():
    assert [longest(shape) for shape in ((1, 1, 1), (2, 1, 1), (1, 2, 2), (1, 3, 2), (3, 3, 2))] == [64, 8, 3, 1, 1]


# thresholds ----------------------------------------------------------------------------------------------------------
def root_threshold(params, L):
    return root(params[0] * L)


def both(gap, square, prob):
    tail = Tail(gap, square, 0, 0, 4)
    return tail_sides(tail, prob), rising_sides(gap, prob, (square,), root_threshold, 4)


def worst(sides):
    return max(approximate(s.lhs) / max(approximate(s.rhs), 1e-300) for s in sides)


def test_thresholds_without_an_inverse_give_the_same_levels():
    rng = np.random.default_rng(0)
    for _ in range(40):
        n = int(rng.integers(2, 9))
        gap, square, prob = rng.integers(1, 9, n) / 8, rng.integers(1, 9, n) / 8, np.ones(n) / n
        gap[0] = -1
        closed, bisected = both(gap, square, prob)
        assert len(closed) == len(bisected) == n - 1
        found, levels = np.array([s.lhs for s in bisected]), np.array([s.lhs for s in closed])
        assert np.all(found < levels) and np.all(found > levels * (1 - 2.0 ** (1 - DIGITS)) - 2.0**-40)
        np.testing.assert_allclose([s.rhs for s in bisected], [s.rhs for s in closed], rtol=1e-12)
        e = [exact(a) for a in (gap, square, prob)]
        assert worst(both(*e)[1]) == pytest.approx(worst(closed), rel=2.0 ** (2 - DIGITS))


def test_what_cannot_violate_is_less_than_its_size():
    for sides in both(np.array([-1.0, -3.0]), np.ones(2), np.ones(2) / 2):
        assert sides == (Sides(-1, 4),)


def test_a_gap_where_nothing_may_deviate_violates_at_every_delta():
    for number in (lambda a: a, exact):
        prob, gap = number(np.array([0.25, 0.75])), number(np.array([0.5, -1.0]))
        for sides in both(gap, 0 * gap, prob):
            assert sides[0].lhs > sides[0].rhs


def test_a_threshold_that_is_not_a_number_is_undefined():
    gap, prob = np.array([0.5, -1.0]), np.array([0.5, 0.5])
    params = (np.array([1.0, -1.0]),)
    with np.errstate(invalid="ignore"):
        assert np.isnan(rising_sides(gap, prob, params, root_threshold, 1)[0].lhs)
    with pytest.raises(Undefined, match="square root of -"):
        rising_sides(exact(gap), exact(prob), exact(params), root_threshold, 1)


# statements ----------------------------------------------------------------------------------------------------------
def costly(q, m, T):
    """Task 2 costs theta, task 1 nothing, and the state is 1; known by counts."""
    none = np.zeros(2)
    return SimpleNamespace(
        q=np.array([1 - q, q]),
        M=Mixture(np.ones(2), none, np.array([0.0, 1.0]), none, none, none),
        m=m,
        T=T,
        method=STAY,
        states=np.ones(1),
        long=True,
        table=np.zeros((1, m)),
        eta=1.0,
        slack=0.0,
    )


def exact_costly(q, m, T):
    return SimpleNamespace(**{name: exact(value) for name, value in vars(costly(q, m, T)).items()})


@pytest.mark.parametrize(("q", "T", "ratio"), [(0.7153318629, 1, 0.81452875), (0.6442637895, 128, 0.91377595)])
def test_half_is_nearly_the_best_constant(q, T, ratio):
    """2 T (q - c/T)^2 over -log P(Bin(T, q) <= c), at the best q and c; for m = 1 and m = 4 alike."""
    for m in (1, 4):
        sides = BY_LABEL["thm:o2bexp/constant-2/sharper"].sides(costly(q, m, T))
        assert max(s.lhs / s.rhs for s in sides if s.rhs > 0) == pytest.approx(ratio)
        assert max(s.lhs / s.rhs for s in BY_LABEL["thm:o2bexp/rub/realised"].sides(costly(q, m, T))) < 1 / 16


@pytest.mark.parametrize(
    ("label", "m", "outcome"),
    [
        ("thm:o2bexp/proof-7", 19, "holds"),
        ("thm:o2bexp/proof-7", 20, "violated"),
        ("thm:o2bexp/tar/sharper", 20, "holds"),
        ("thm:o2bexp/proof-4", 4, "tie"),
    ],
)
def test_a_regret_is_m_bounded_and_not_root_m_bounded(label, m, outcome):
    """T = 1 and q = 3/4: the regret is m, or 0 with probability 1/4, and (3m/4)^2 > 8m log 4 from m = 20 on."""
    assert certify_instance(BY_LABEL[label], exact_costly(0.75, m, 1)).outcome == outcome


def test_without_a_range_there_is_nothing_to_divide_by():
    y = exact_costly(0.0, 1, 1)
    assert range_of(listing(y)) == 0
    assert certify_instance(BY_LABEL["thm:o2bexp/proof-3"], y).outcome == "undefined"
    assert certify_instance(BY_LABEL["thm:o2bexp/rub/realised"], y).outcome == "holds"


def test_what_the_proof_hands_to_azuma_is_a_loss_only_for_a_large_range():
    """From the state 1/2 the range is m/2, and m/(2 * m/2) + 1/2 = 3/2."""
    y = exact_costly(0.75, 4, 1)
    y.states = y.states / 2
    assert certify_instance(BY_LABEL["thm:o2bexp/proof-4"], y).sides.lhs == Exact(3) / 2
    assert certify_instance(BY_LABEL["thm:o2bexp/proof-4/corrected"], y).outcome == "tie"


def test_the_smallest_bound_is_that_of_what_can_happen():
    for q, largest in ((0.0, 0), (0.75, 4)):
        p = listing(costly(q, 4, 1))
        assert transfer.worst(p, p.training.regret).tolist() == [largest, largest]
        assert transfer.realised(p, p.training.regret).tolist() == [0, 4]
