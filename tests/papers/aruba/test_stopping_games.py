"""Coins whose learner stops: the law against games played out, and what it breaks and leaves standing."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from arubatheory import PAPER
from arubatheory.arithmetic import Exact, approximate, exact, precision
from arubatheory.engines.exact import certify_instance
from arubatheory.kernel import on
from arubatheory.papers.aruba.a_background import selfbounding as dd
from arubatheory.papers.aruba.games import stopping
from arubatheory.papers.aruba.games.samples import FEW, Tail, list_table, tail_sides
from arubatheory.papers.aruba.games.stopping import coin_game, list_stopped, play
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.mixtures import Mixture

BY_LABEL = {s.label: s for s in PAPER}


def coin(p, a, b, T, level, rho=None, most=None):
    none, mean = np.zeros(2), p * b + (1 - p) * a
    rho = p * (1 - p) * (b - a) ** 2 / mean if rho is None else rho
    M = Mixture(np.array([1 - p, p]), none, np.array([a, b], float), none, none, none)
    return SimpleNamespace(
        M=M, points=np.ones(1), star=0.0, T=T, long=True, rho=rho, level=level, most=T + 1 if most is None else most
    )


def exactly(x):
    parts = {name: exact(value) for name, value in vars(x).items()}
    p, (a, b) = parts["M"].p[1], parts["M"].slope
    parts["M"] = parts["M"]._replace(p=np.array([1 - p, p], object))
    parts["rho"] = p * (1 - p) * (b - a) * (b - a) / (p * b + (1 - p) * a)
    return SimpleNamespace(**parts)


def worst(sides):
    """The largest lhs/rhs; -log 1 = 0 has the left side 0."""
    assert all(s.lhs <= 0 for s in sides if not s.rhs > 0)
    return max((approximate(s.lhs / s.rhs) for s in sides if s.rhs > 0), default=0)


def played_out(x, width):
    """Every sequence by itself: its chance, what was paid, T times the risk, and the least that may still come."""
    (a, b), p, law = x.M.slope, x.M.p[1], {}
    mean = p * b + (1 - p) * a
    for sequence in itertools.product((0, 1), repeat=x.T):
        floor, total, count = 0, 0.0, 0
        for t, second in enumerate(sequence, start=1):
            count, total = count + second, total + (b if second else a)

            def past(c, t=t):
                paid = (t - c) * a + c * b
                deviation = np.sqrt(2 * x.rho * max(paid, 0) * x.level) + (3 * x.rho + 2) * x.level
                return t * mean > paid + deviation

            while floor <= t and past(floor):
                floor += 1
            if count < floor or count >= x.most or count >= floor + width:
                break
        key = tuple(np.round((total, t * mean, min(total + (x.T - t) * a, 0)), 9) + 0.0)
        law[key] = law.get(key, 0) + p ** sum(sequence) * (1 - p) ** (x.T - sum(sequence))
    return law


@pytest.mark.parametrize(
    ("x", "width"),
    [
        (coin(0.5, 0, 1, 8, 0.05), 20),
        (coin(0.3, 0, 1, 9, 0.01), 2),
        (coin(0.75, -1, 1, 9, 0.02), 3),
        (coin(0.6, 0.25, 0.75, 7, 0.001), 20),
        (coin(0.5, 0, 1, 8, 5.0, most=2), 20),
        (coin(0.9, -0.5, 1, 8, 0.05, most=4), 20),
        (coin(0.4, 0, 1, 1, 0.05), 20),
    ],
)
def test_the_law_is_that_of_the_game_played_out(x, width):
    p, found = list_stopped(x.M, x.T, x.rho, x.level, width, x.most), {}
    for q, *values in zip(p.prob, p.paid, p.risk, p.least, strict=True):
        key = tuple(np.round(values, 9) + 0.0)
        found[key] = found.get(key, 0) + q
    expected = played_out(x, width)
    assert {k for k, q in found.items() if q > 0} == expected.keys()
    assert [found[k] for k in expected] == pytest.approx(list(expected.values()), rel=1e-12)
    assert p.average * x.T == pytest.approx(p.risk) and not p.compared.any()


def test_exact_numbers_give_the_same_law():
    x = coin(0.3, 0, 1, 64, 0.07)
    with precision(128):
        y = exactly(x)
        p, e = play(x), play(y)
        assert all(np.allclose(approximate(b), a, rtol=1e-12) for a, b in zip(p, e, strict=True))
        gap = sum(e.prob) - 1
        assert abs(gap) < Exact(1) / 2**100


def test_one_more_round_makes_masses_sums_of_neighbours():
    for number in (lambda a: a, exact):
        mass = number(np.array([9.0, 1.0, 2.0, 5.0, 0.0, 9.0]))
        on(stopping._flip, mass)(mass, 1, 3, *number((3.0, 7.0)))
        assert approximate(mass).tolist() == [9, 3, 13, 29, 35, 9]


@pytest.mark.parametrize(
    ("x", "delta", "chance"),
    [
        (coin(0.3, 0, 1, 305, -np.log(0.93)), 0.93, 0.930143),
        (coin(0.5, 0, 1, 501, -np.log(0.9)), 0.9, 0.900105),
        (coin(0.2, 0, 1, 1213, -np.log(0.9), rho=1.0), 0.9, 0.90006),
        (coin(0.9, -1, 1, 1587, -np.log(0.5)), 0.5, 0.50004),
    ],
)
def test_self_bounding_bounds_fail_for_learners_that_stop(x, delta, chance):
    p, L = play(x), -np.log(delta)
    deviation = np.sqrt(2 * x.rho * np.maximum(p.paid, 0) * L) + (3 * x.rho + 2) * L
    assert p.prob[x.T * p.average > p.paid + deviation].sum() == pytest.approx(chance, abs=1e-5)
    ratios = {
        label: worst(BY_LABEL[label].sides(x))
        for label in ("thm:o2bsb", "cor:o2bsb/realised/nonnegative", "thm:o2bsb/corrected", "cor:o2bsb")
    }
    assert [ratio > 1 for ratio in ratios.values()] == [True, True, False, False]


def test_the_violation_is_certified_and_the_corrections_stand():
    x = exactly(coin(0.3125, 0, 1, 512, 0.0625))
    x.r = x.rho * 0 + Exact(1) / 4
    outcomes = {
        label: certify_instance(BY_LABEL[label], x).outcome
        for label in (
            "thm:o2bsb",
            "cor:o2bsb/realised/nonnegative",
            "thm:o2bsb/fixed-level",
            "thm:o2bsb/corrected",
            "cor:o2bsb",
            "cor:o2bsb/realised/corrected",
        )
    }
    assert [outcome == "violated" for outcome in outcomes.values()] == [True] * 2 + [False] * 4
    assert "undecided" not in outcomes.values()


@pytest.mark.parametrize("x", [coin(0.3, 0, 1, 64, 0.07), coin(0.9, -1, 1, 128, 0.3), coin(0.6, 0, 1, 32, 2.0, most=9)])
def test_the_exponential_inequality_that_proves_a_fixed_level(x):
    p = play(x)
    for lam in (0.05, 0.3, 0.8, 1.2, 1.45):
        kappa = x.rho * lam / (2 * (1 - 2 * lam / 3))
        assert p.prob @ np.exp(lam * (p.risk * (1 - kappa) - p.paid)) <= 1 + 1e-12


def test_the_constants_of_the_proofs():
    rng = np.random.default_rng(0)
    for rho, R, l in 2.0 ** rng.uniform(-16, 8, (2000, 3)):
        M = ((np.sqrt(2 * rho * l) + np.sqrt(2 * rho * l + 4 * (R + 2 * l / 3))) / 2) ** 2
        assert M - R == pytest.approx(np.sqrt(2 * rho * M * l) + 2 * l / 3, rel=1e-6, abs=1e-9 * M)
        assert M <= (R + np.sqrt(2 * rho * R * l) + (2 * rho + 4 / 3) * l) * (1 + 1e-12)
        l = max(l, np.log(2))
        assert 1 + np.sqrt(2 * rho * l) + (2 * rho + 4 / 3) * l <= (3 * rho + 4) * l


def test_thresholds_are_t_times_the_printed_ones():
    x, delta = coin(0.3, 0, 1, 16, 0.07), 0.2
    x.r = 0.125
    p, L = play(x), -np.log(delta)
    mean = np.maximum(p.paid / x.T, 0)
    one = dd.self_bounded(x, p)
    for tail, log, add in ((one, L, 2), (dd.at_every_level(x, one), np.log((x.T + 1) / delta), 4)):
        printed = np.sqrt(2 * x.rho * mean / x.T * log) + (3 * x.rho + add) / x.T * log
        found = np.sqrt(tail.square * (L + tail.shift)) + tail.linear * (L + tail.shift)
        assert found == pytest.approx(x.T * printed) and tail.gap == pytest.approx(x.T * p.average - p.paid)
    fixed = dd.at_fixed_level(x, p)
    assert all((fixed.gap == -1) == (p.paid > 2))
    assert fixed.gap[p.paid <= 2] == pytest.approx((x.T * p.average - 2)[p.paid <= 2])
    assert fixed.square == pytest.approx(4 * x.rho) and fixed.linear == pytest.approx(3 * x.rho + 2)


def test_margins_hold_exactly_in_every_game():
    rng, words = np.random.default_rng(0), []
    labels = ("thm:o2bsb", "thm:o2bsb/fixed-level", "cor:o2bsb", "cor:o2bwhp/average-iterate")
    for statement in (BY_LABEL[label] for label in labels):
        kinds = set()
        for _ in range(40):
            draw = RandomDraw(rng, words)
            statement.instance(draw)
            x = statement.instance(TapeDraw(draw.tape, exact=True))
            assert all(a.margin(x) >= 0 for a in statement.assumptions)
            kinds.add(bool(x.level > 0))
        assert kinds == {True, False}


def test_a_coin_has_the_least_rho_it_can_have_or_more():
    for seed in range(60):
        draw = RandomDraw(np.random.default_rng(seed))
        coin_game(draw)
        x = coin_game(TapeDraw(draw.tape, exact=True))
        mean = x.M.p @ x.M.slope
        assert mean > 0 and x.rho * mean >= x.M.p @ (x.M.slope - mean) ** 2
        assert -1 <= x.M.slope[0] < x.M.slope[1] <= 1


def test_many_sequences_are_judged_exactly_as_in_floats():
    n = FEW + 88
    gap = exact(np.arange(1, n + 1) / 64)
    square, prob = 0 * gap + 2, 0 * gap + Exact(1) / (2 * n)
    with precision(128):
        sides = tail_sides(Tail(gap, square, 1, 0), prob)
        found = worst(sides)
    assert len(sides) == 4
    floats = tail_sides(Tail(approximate(gap), approximate(square), 1, 0), approximate(prob))
    assert found == pytest.approx(worst(floats))


def constant_coin(**parts):
    none = exact(np.zeros(2))
    M = Mixture(exact(np.array([0.5, 0.5])), exact(np.array([0.0, 1.0])), none, none, none, none)
    return SimpleNamespace(M=M, points=exact(np.zeros(1)), star=Exact(0), T=1, long=False, **parts)


def test_the_two_lines_of_the_chain_fail_on_different_sequences():
    """1/2 <= X + 0.459 fails at X = 0, and X <= 1/2 + 0.459 at X = 1."""
    x = constant_coin()
    assert certify_instance(BY_LABEL["cor:o2bwhp/proof-2"], x).outcome == "violated"
    assert certify_instance(BY_LABEL["cor:o2bwhp/proof-1"], x).outcome in ("holds", "tie")
    table = SimpleNamespace(table=exact(np.array([[0.0, 1.0]])), star=exact(np.array([0.0, 1.0])), chances=x.M.p, T=1)
    assert certify_instance(BY_LABEL["cor:o2bwhp/proof-2/corrected"], table).outcome in ("holds", "tie")
    p = on(list_table, table.star)(table.table, table.star, table.chances, 1)
    assert list(p.risk - table.chances @ table.star - (p.paid - p.compared)) == [0, 0]
