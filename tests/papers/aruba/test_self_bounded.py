"""Transfer games of classes against the same games played out loss by loss, and what is proved of thm:o2bwhp."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from arubatheory.engines.exact import certify
from arubatheory.papers.aruba.e_batch import o2bwhp as sb
from arubatheory.papers.aruba.games import trigger as games
from arubatheory.papers.aruba.games.trigger import REALISED, VALID
from arubatheory.problems.draw import RandomDraw, Tape, TapeDraw
from arubatheory.problems.mixtures import Mixture
from arubatheory.statements.core import statements_in

BY_LABEL = {s.label: s for s in statements_in(vars(sb))}
UNIT = 1 << 24


def game(method, q, p, g, m, T, wakes=False, rho=2.0**-20):
    none, J = np.zeros(2 * len(q)), len(q)
    base, slope = {games.TRIGGER: ([0, 1 - g], [g, g]), games.STOP: ([0, 0], [0, g]), games.SWITCH: ([0, g], [g, -g])}[
        method
    ]
    chances = np.stack([1 - np.array(p), p], axis=1).ravel()
    M = Mixture(chances, np.array(base * J, float), np.array(slope * J, float), none, none, none)
    return SimpleNamespace(
        q=np.array(q, float),
        M=M,
        m=m,
        T=T,
        method=method,
        states=np.ones(1),
        table=np.zeros((1, 1)),
        eta=1.0,
        slack=0.0,
        long=True,
        rho=rho,
        wakes=wakes,
    )


def action(method, s, seen):
    if method == games.TRIGGER:
        return s if seen and seen[0] == 1 else 0.0
    if method == games.STOP:
        return 0.0 if 1 in seen else s
    return s if seen else 0.0


def play(x, j, sample, s):
    """The chance of a sample in task j, the regret on it, and m times the excess risk, loss by loss."""
    M, k = x.M, [2 * j + i for i in sample]
    actions = [action(x.method, s, sample[:i]) for i in range(x.m)]
    at = lambda losses, a: sum(M.base[i] + M.slope[i] * a for i in losses)  # noqa: E731
    paid = sum(M.base[i] + M.slope[i] * a for i, a in zip(k, actions, strict=True))
    mean = sum(actions) / x.m
    risk = lambda a: sum(M.p[2 * j + i] * (M.base[2 * j + i] + M.slope[2 * j + i] * a) for i in (0, 1))  # noqa: E731
    chance = np.prod(M.p[k])
    return chance, paid - min(at(k, 0), at(k, 1)), x.m * (risk(mean) - min(risk(0), risk(1)))


def law(pairs):
    """A distribution of tuples, with equal tuples added up."""
    out = {}
    for weight, values in pairs:
        if weight > 0:
            key = tuple(np.round(values, 9) + 0.0)
            out[key] = out.get(key, 0) + weight
    return out


def played_out(x, part):
    """The joint law of the average bound of the training tasks and of the averaged excess of fresh samples."""
    samples = list(itertools.product((0, 1), repeat=x.m))
    one = [(j, sample) for j in range(len(x.q)) for sample in samples]
    for training in itertools.product(one, repeat=x.T):
        weight, bound, state, awake = 1.0, 0.0, 0.0, 1.0
        for j, sample in training:
            chance, regret, _ = play(x, j, sample, awake)
            weight, state = weight * x.q[j] * chance, state + awake / x.T
            bound += (regret if part == games.TAR else max(regret, 0.0)) / x.T
            awake = 0.0 if x.wakes and regret > 0 else awake
        for fresh in itertools.product(samples, repeat=len(x.q)):
            plays = [play(x, j, sample, state) for j, sample in enumerate(fresh)]
            excess = sum(q * e for q, (_, _, e) in zip(x.q, plays, strict=True))
            yield weight * np.prod([chance for chance, _, _ in plays]), (bound, excess)


GAMES = [
    game(games.TRIGGER, [1], [0.25], 0.75, 3, 3),
    game(games.TRIGGER, [1], [0.25], 0.75, 2, 4, wakes=True),
    game(games.TRIGGER, [0.25, 0.75], [0.5, 0.125], 0.75, 2, 2),
    game(games.STOP, [1], [0.375], 0.5, 3, 2),
    game(games.SWITCH, [1], [0.25], 1.0, 2, 3),
]


@pytest.mark.parametrize("part", [games.TAR, games.RUB])
@pytest.mark.parametrize("x", GAMES)
def test_games_of_classes_are_the_games_played_out(x, part):
    t = games.transfer(x, part, games.REALISED)
    weights, (excess,) = games.averaged(x, t, t.excess)
    bounds = np.broadcast_to(t.bound[:, None], weights.shape)
    found = law(zip(weights.ravel(), zip(bounds.ravel(), excess.ravel(), strict=True), strict=True))
    expected = law(played_out(x, part))
    assert found.keys() == expected.keys()
    assert [found[k] for k in expected] == pytest.approx(list(expected.values()), rel=1e-12)


def test_one_task_is_a_task_with_a_sample_of_its_own():
    """Averaged over fresh tasks and samples, both readings are the mean excess; on the left also the least risks."""
    x = game(games.TRIGGER, [0.25, 0.75], [0.5, 0.125], 0.75, 4, 3)
    t = games.transfer(x, games.RUB, games.VALID)
    mean = 3 * 0.75 * (0.25 * 0.5 + 0.75 * 0.125)
    for fresh in (games.averaged, sb.alone, sb.alone_on_the_left):
        weights, (excess,) = fresh(x, t, t.excess)
        assert weights.sum() == pytest.approx(1)
        assert (weights * excess).sum() == pytest.approx(mean)
    least = (sb.alone_on_the_left(x, t, t.excess)[1][0] - t.excess)[0]
    assert least == pytest.approx([4 * 0.25 * (p - 0.21875) for p in (0.5, 0.5, 0.125, 0.125)])


def test_a_bound_that_is_valid_for_every_sample_is_never_below_the_realised_one():
    for x in GAMES:
        realised, valid = (games.transfer(x, games.TAR, r) for r in (games.REALISED, games.VALID))
        mean = [sum(t.prob * t.bound) for t in (realised, valid)]
        assert 0 <= mean[0] <= mean[1]
        assert all(valid.bound >= 0)


def test_every_sequence_is_bounded_by_one_careless_task_of_a_meta_learner_that_wakes():
    x = game(games.TRIGGER, [1], [0.25], 0.75, 5, 8, wakes=True)
    assert games.transfer(x, games.RUB, games.EVERY).bound == pytest.approx(0.75 * 4 / 8)
    assert games.transfer(x, games.RUB, games.VALID).bound[0] == pytest.approx(0.75 * 4 / 8)  # woken at once
    assert games.transfer(x, games.RUB, games.VALID).bound[-1] == pytest.approx(0.75 * 4)  # never


def realised_tape(T, m, q):
    """One task, g = 15/16, rho about 2^-32."""
    return Tape([1, 0, 1, T, m, 0], [UNIT, int(q * UNIT), 0, UNIT])


def test_the_violation_of_the_realised_bound_is_the_binomial_one():
    """T = m = 64, q = 1/4: at delta = 1/5 the bound fails with probability 0.24."""
    statement = BY_LABEL["thm:o2bwhp/rub"]
    x = statement.instance(TapeDraw(realised_tape(64, 64, 0.25)))
    T, C, L = x.T, 15 / 16 * 63, np.log(10)
    count = np.arange(T + 1)
    r = C * count / T + C * np.sqrt(8 * L / T)
    fails = C > r + np.sqrt(2 * x.rho * r * L) + (3 * x.rho + 2) * L
    beyond = 0.25 * binom.pmf(count, T, 0.25)[fails].sum()
    assert beyond > 0.23
    t = games.transfer(x, games.RUB, games.REALISED)
    weights, (excess,) = games.averaged(x, t, t.excess)
    past = excess > sb.printed((t.bound[:, None], t.reach, T, x.rho), np.log(5))
    assert weights[past].sum() == pytest.approx(beyond, rel=1e-12)


def test_right_sides_are_m_times_the_printed_ones():
    R, B, m, T, rho, delta = 3.0, 0.7, 16, 5, 0.6, 0.2
    L, log = np.log(1 / delta), np.log(2 / delta)

    def printed(rate, more=0.0):
        root = np.sqrt(2 * rho / m * (R / m + rate + more) * log)
        return m * (R / m + root + rate + more + (3 * rho + 2) / m * log)

    azuma = B * np.sqrt(8 / (m * T) * log)
    assert sb.printed((R, B * np.sqrt(m), T, rho), L) == pytest.approx(printed(azuma))
    assert sb.printed((R, m, T, rho), L) == pytest.approx(printed(np.sqrt(8 / T * log)))
    assert sb.nonnegative_root((R, m, T, rho), L) == pytest.approx(printed(np.sqrt(8 / T * log)))
    assert sb.nonnegative_root((-R, m, T, rho), L) == pytest.approx(sb.printed((0, m, T, rho), L) - R)
    assert sb.with_worst_sample((R, B * np.sqrt(m), T, rho), L) == pytest.approx(
        printed(azuma, B * np.sqrt(2 / m * log))
    )
    assert sb.section_five((R, B * np.sqrt(m), T, rho), L) == pytest.approx(printed(B * np.sqrt(8 / (m * T) * L)))
    assert sb.hoeffding((R, B * np.sqrt(m), T), log) == pytest.approx(R + m * azuma)
    fresh = R + np.sqrt(2 * rho * R * L) + (3 * rho + 2) * L
    assert sb.fresh((R, np.sqrt(R), rho, m), L) == pytest.approx(fresh)
    assert sb.fresh((R, np.sqrt(R), rho, m), 0.1) == sb.fresh((R, np.sqrt(R), rho, m), np.log(2))
    assert sb.fresh_printed((R, np.sqrt(R), rho, m), log) == pytest.approx(fresh)
    assert sb.fresh_printed((R, np.sqrt(R), rho, m), 0.1) == R
    every = np.log(2 * (m + 1) / delta)
    levels = R + np.sqrt(2 * rho * R * every) + (3 * rho + 4) * every
    assert sb.fresh_at_every_level((R, np.sqrt(R), rho, m), log) == pytest.approx(levels)


@pytest.mark.parametrize("label", ["thm:o2bwhp/rub", "thm:o2bwhp/tar/nonnegative", "thm:statistical/2"])
def test_the_realised_reading_falls_and_the_corrected_one_stands_in_the_same_game(label):
    corrected = {"thm:o2bwhp/tar/nonnegative": "thm:o2bwhp/tar/corrected"}.get(label, label + "/corrected")
    tape = realised_tape(64, 128, 0.125)
    assert certify(BY_LABEL[label], tape).outcome == "violated"
    assert certify(BY_LABEL[corrected], tape).outcome in ("holds", "tie")


def test_a_bound_for_every_training_sequence_falls_to_a_meta_learner_that_wakes():
    tape = Tape([1, 0, 1, 128, 256, 1], [UNIT, UNIT // 128, 0, UNIT])
    for label in ("thm:o2bwhp/rub/every-sequence", "thm:o2bwhp/tar/every-sequence"):
        assert certify(BY_LABEL[label], tape).outcome == "violated"
    assert certify(BY_LABEL["thm:o2bwhp/rub/corrected"], tape).outcome in ("holds", "tie")


@pytest.mark.parametrize("T, outcome", [(22, "tie"), (23, "undefined")])
def test_the_root_of_a_negative_average_regret_needs_23_tasks(T, outcome):
    """The learner guesses both losses of every task: regret -1 in 2 rounds."""
    tape = Tape([1, 2, 1, T, 2], [UNIT, UNIT, UNIT, 0])
    assert certify(BY_LABEL["thm:o2bwhp/tar"], tape).outcome == outcome
    assert certify(BY_LABEL["thm:o2bwhp/tar/nonnegative"], tape).outcome != "undefined"


@pytest.mark.parametrize("method", [games.TRIGGER, games.STOP, games.SWITCH])
def test_the_exponential_inequality_that_proves_the_corrected_form(method):
    r"""E exp(m lambda (mu (1 - kappa) - u)) <= 1 with the regret against theta* for m u."""
    for p, lam in itertools.product((0.05, 0.2, 0.45), (0.1, 0.5, 1.0, 1.4)):
        g, m = 1.0 if method != games.TRIGGER else 15 / 16, 2 if method == games.SWITCH else 12
        rho = {games.TRIGGER: 0.0, games.STOP: g * (1 - p), games.SWITCH: 4 * g * p * (1 - p) / (1 - 2 * p)}[method]
        kappa = rho * lam / (2 * (1 - 2 * lam / 3))
        chance, _, excess, regret = games._classes(game(method, [1], [p], g, m, 1))
        assert sum(chance * np.exp(lam * (excess * (1 - kappa) - regret))) <= 1 + 1e-12


def test_games_are_self_bounded_in_exact_numbers():
    rng, words = np.random.default_rng(0), []
    for _ in range(40):
        draw = RandomDraw(rng, words)
        games.self_bounded_game(draw)
        x = games.self_bounded_game(TapeDraw(draw.tape, exact=True))
        assert all(a.margin(x) >= 0 for a in games.SELF_BOUNDED)


def stopped(m, p, most=None, level=8.0):
    """One task with the losses X theta, P(X = 1) = p, whose learner stops."""
    none = np.zeros(2)
    M = Mixture(np.array([1 - p, p]), none, np.array([0.0, 1.0]), none, none, none)
    return SimpleNamespace(M=M, m=m, rho=1 - p, level=level, most=m + 1 if most is None else most)


def test_line_1_as_printed_fails_for_a_learner_that_stops_at_the_second_one():
    """U = 2, and with probability 1 - 0.49 the learner plays 1 three times or more."""
    x = stopped(4, 0.7, most=2)
    weights, (excess, upper, roots) = sb.stopped(x, VALID)
    assert upper == pytest.approx(2) and roots == pytest.approx(np.sqrt(2))
    assert weights[excess > 2].sum() == pytest.approx(0.51)
    assert sorted(set(np.round(excess[excess > 2], 9))) == pytest.approx([2.1, 2.8])
    sides = sb.first_line(x, sb.fresh_printed, VALID)
    assert max(s.lhs / s.rhs for s in sides) > 1
    assert max(s.lhs / s.rhs for s in sb.first_line(x, sb.fresh, VALID)) < 1


def test_with_the_bound_of_the_fresh_sample_line_1_fails_for_a_learner_that_stops_past_it():
    """At delta = 0.98 with probability 0.490036, and not if all levels are paid for."""
    x = stopped(2336, 0.6, level=-np.log(0.49))
    weights, (excess, upper, roots) = sb.stopped(x, REALISED)
    past = excess > sb.fresh((upper, roots, x.rho, x.m), x.level)
    assert weights[past].sum() == pytest.approx(0.490036, abs=1e-6)
    line = lambda threshold, reading: max(s.lhs / s.rhs for s in sb.first_line(x, threshold, reading))  # noqa: E731
    assert line(sb.fresh, REALISED) > 1
    assert line(sb.fresh, VALID) < 1 and line(sb.fresh_at_every_level, REALISED) < 1


@pytest.mark.parametrize("rho", [0.01, 0.3, 1.0, 4.0])
def test_the_step_of_line_1_with_a_factor_for_every_task(rho):
    r"""$1/(1-\kappa) \le 1 + \frac\rho2y/(1-By)$, $y = \lambda(1-\kappa)$, $B = 2\rho + 4/3$, up to y = 1/B."""
    B = 2 * rho + 4 / 3
    for lam in np.linspace(0, 1 / (rho + 4 / 3), 200)[1:]:
        kappa = rho * lam / (2 * (1 - 2 * lam / 3))
        y = lam * (1 - kappa)
        assert y <= 1 / B + 1e-12
        if B * y < 1 - 1e-9:
            assert 1 / (1 - kappa) <= 1 + rho / 2 * y / (1 - B * y) + 1e-12
    assert B * lam * (1 - kappa) == pytest.approx(1)
