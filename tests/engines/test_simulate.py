"""The engine simulate on planted claims: wrong constants are suspect, exact probabilities refute, true ones survive."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import toy_chances
from scipy import stats
from tried import stop_after_two, tried

from arubatheory.engines.check import check
from arubatheory.engines.search import search
from arubatheory.engines.simulate import Found, simulate
from arubatheory.engines.source import Source
from arubatheory.engines.statistics import Interval, clopper_pearson, estimate, mean_sequence
from arubatheory.engines.units import Unit, run_unit
from arubatheory.engines.verdict import Status
from arubatheory.kernel import on
from arubatheory.papers.aruba.games.samples import Tail, tail_sides
from arubatheory.problems.draw import RandomDraw, Tape
from arubatheory.problems.environments import grow_binomial
from arubatheory.report.session import Interrupted
from arubatheory.statements.chance import Chance
from arubatheory.statements.core import NotAnInstance, Sides, Statement

TOYS = Path(toy_chances.__file__)


def planted(chance: Chance, instance) -> Statement:
    return Statement(label="planted", kind="claim", latex="y", instance=instance, chance=chance, engines=("simulate",))


def hoeffding(constant: float = 0.5, power: float = 0.5, delta: float = 1.0):
    r"""$P(q - \hat q_T > (c \log(1/\delta))^{1/2} T^{-power}) \le \text{delta}\cdot\delta$; true for c = 1/2."""

    def excess(x, rng, n):
        gap = x.q - rng.binomial(x.T, x.q, n) / x.T
        return gap - math.sqrt(constant * math.log(1 / x.delta)) * x.T**-power

    def instance(draw):
        delta = draw.number(1) / draw.choice((5, 20))
        return SimpleNamespace(q=draw.unit(), T=draw.choice((16, 64, 256)), delta=delta)

    return planted(Chance(excess, delta=lambda x: delta * x.delta), instance)


def coin_mean(offset: float):
    r"""$E[X] \le q + \text{offset}$ for a Bernoulli X of mean q, as an excess in $[-2, 2]$."""

    def instance(draw):
        return SimpleNamespace(q=draw.unit())

    def excess(x, rng, n):
        return (rng.random(n) < x.q) - x.q - offset

    return planted(Chance(excess, reach=lambda x: 2.0), instance)


def test_true_claims_survive():
    for statement in (hoeffding(), coin_mean(0.0), coin_mean(0.3)):
        verdict = simulate(statement, 20_000, 0)
        assert verdict.status == Status.SURVIVED and 19_900 < verdict.trials <= 20_000, verdict.error


@pytest.mark.parametrize("change", [{"constant": 0.05}, {"power": 0.8}, {"delta": 0.01}], ids=str)
def test_a_wrong_constant_power_or_delta_is_suspect(change):
    verdict = simulate(hoeffding(**change), 20_000, 0)
    assert verdict.status == Status.SUSPECT
    assert verdict.simplest is not None and "claimed at most" in verdict.simplest.note
    assert "error 0.01" in verdict.simplest.note


def test_a_wrong_mean_is_suspect():
    verdict = simulate(coin_mean(-0.1), 20_000, 0)
    assert verdict.status == Status.SUSPECT and "mean excess 0." in verdict.worst.note


@pytest.mark.parametrize("seed", range(5))
def test_a_rare_problem_is_found_by_changes_of_others(seed):
    r"""$E[X] \le 19/20$ where X has the mean $\min v_i$: of a thousand problems drawn at random one or two break it."""

    def excess(x, rng, n):
        return (rng.random(n) < min(x.v)) - 0.95

    rare = planted(Chance(excess, reach=lambda x: 1.0), lambda draw: SimpleNamespace(v=[draw.unit() for _ in range(3)]))
    rng = np.random.default_rng(seed)
    assert sum(min(rare.instance(RandomDraw(rng)).v) > 0.95 for _ in range(1000)) <= 5
    assert simulate(rare, 20_000, seed).status == Status.SUSPECT


def test_problems_of_larger_sizes_than_usual_are_tried():
    """Three heads in a row come up with probability at most 3/4: 0.70 in 16 tosses, 0.84 in 24."""

    def excess(x, rng, n):
        heads = rng.random((n, x.T)) < 0.5
        return (heads[:, 2:] & heads[:, 1:-1] & heads[:, :-2]).any(axis=1) - 0.75

    def claim(limit):
        many = planted(Chance(excess, reach=lambda x: 1.0), lambda d: SimpleNamespace(T=d.size("T", 8, limit, least=3)))
        return simulate(many, 20_000, 0).status

    assert claim(16) == Status.SURVIVED and claim(None) == Status.SUSPECT


def test_a_problem_on_which_nothing_is_left_to_chance_lets_others_pass():
    """A probability that is 0, claimed to be at most 0, says less than one a little below what is claimed."""
    still, close = Interval(0.0, 0.0, 0.2, varies=False), Interval(-0.05, -0.3, 0.2)
    sure, clear = Interval(0.5, 0.3, 0.6, varies=False), Interval(0.5, 0.2, 0.7)
    ranked = [Found(SimpleNamespace(), Tape([], []), each, 100).score for each in (still, close, clear, sure)]
    assert ranked == sorted(ranked)


def test_an_exact_probability_above_delta_is_refuted_and_one_below_survives():
    r"""$P(\text{no head in T tosses}) = (1-q)^T \le \delta$ for $T \ge c/q$, c = 1: false for $\delta = 1/4$."""

    def claim(c):
        def instance(draw):
            T = draw.integer(1, 6)
            return SimpleNamespace(T=T, q=draw.unit() * 0 + draw.number(c) / (c * T))

        def sides(x):
            return Sides((1 - x.q) ** x.T, x.q / (4 * x.q))

        return Statement(label="tosses", kind="claim", latex="y", instance=instance, sides=sides)

    for engine in (check, search):
        verdict = engine(claim(1), 300, 0)
        assert verdict.status == Status.REFUTED and verdict.simplest.certified == "violated"


def unequal_tasks(eighths: int = 64, tasks: int = 1, losses: int = 1, confidence: int = 1):
    r"""The transfer bound where nothing but the tasks is left to chance: a learner that stays at the best action of one
    of two tasks pays all of m on the other, so that $U = mN/T$, N binomial, and $B = \sqrt m$. Claimed is
    $$P\Big(q - \frac NT > \sqrt m\Big(\frac{eighths/8}{m^{losses}T^{tasks}}\log\frac1\delta\Big)^{1/2}\Big)
      \le \delta^{confidence} \quad\text{for all }\delta,$$
    with every probability summed exactly; true as printed, for 64, 1, 1 and 1."""

    def instance(draw):
        return SimpleNamespace(T=2 ** draw.integer(0, 6), m=2 ** draw.integer(0, 6), q=draw.unit())

    def sides(x):
        row, zero = np.zeros(x.T + 1, np.asarray(x.q).dtype), x.q - x.q
        row[0] = 1 + zero
        for n in range(1, x.T + 1):
            on(grow_binomial, x.q)(row, n, x.q)
        gap = np.array([x.q - (n + zero) / x.T for n in range(x.T + 1)])
        square = 0 * gap + (1 + zero) * eighths * x.m / (8 * x.m**losses * x.T**tasks)
        found = tail_sides(Tail(gap, square, 0, 0), row)
        return tuple(s._replace(lhs=confidence * s.lhs) for s in found)

    return Statement(label="unequal", kind="claim", latex="y", instance=instance, sides=sides)


@pytest.mark.parametrize("engine", [check, search])
def test_the_transfer_bound_survives_where_its_probability_is_exact(engine):
    verdict = engine(unequal_tasks(), 150, 0)
    assert verdict.status == Status.SURVIVED and 0 < verdict.worst_ratio < 1 / 8


@pytest.mark.parametrize("engine", [check, search])
@pytest.mark.parametrize("change", [{"eighths": 1}, {"tasks": 2}, {"losses": 2}, {"confidence": 32}], ids=str)
def test_a_wrong_constant_power_or_delta_of_the_transfer_bound_is_refuted(engine, change):
    verdict = engine(unequal_tasks(**change), 150, 0)
    assert verdict.status == Status.REFUTED and verdict.simplest.certified == "violated"


def test_the_binomial_interval_is_clopper_and_pearsons():
    for count, n in ((0, 10), (3, 10), (10, 10), (17, 1000)):
        found = clopper_pearson(count, n, 0.05)
        peer = stats.binomtest(count, n).proportion_ci(0.95, "exact")
        assert (found.low, found.high) == pytest.approx((peer.low, peer.high), abs=1e-12)


def test_the_confidence_sequence_holds_at_all_times_as_often_as_it_says():
    rng, missed = np.random.default_rng(0), 0
    for _ in range(1000):
        q = rng.random()
        _, low, high = mean_sequence((rng.random(300) < q).astype(float), 0.1)
        missed += bool((low > q).any() or (high < q).any())
    # at most 100 are expected, with a standard deviation of 9.5
    assert missed <= 100 + 30
    wide, narrow = (mean_sequence(np.full(n, 0.3), 0.01) for n in (100, 10_000))
    assert narrow[2][-1] - narrow[1][-1] < (wide[2][-1] - wide[1][-1]) / 10


def test_the_same_seed_gives_the_same_verdict_and_another_seed_another():
    one, two, other = (simulate(hoeffding(), 2000, seed) for seed in (3, 3, 4))
    assert one == two
    assert other.worst != one.worst


def test_any_number_of_jobs_gives_the_same_verdicts(tmp_path):
    chosen = list(Source(TOYS).statements().values())
    one, two = (tried(tmp_path / str(jobs), chosen, ["simulate"], 2000, 5, file=TOYS, jobs=jobs) for jobs in (1, 2))
    assert one == two
    assert [v.status for v in one.values()] == [Status.SURVIVED, Status.SUSPECT] * 2


def test_an_interrupted_run_says_how_far_it_came_and_goes_on_from_there(tmp_path):
    with pytest.raises(Interrupted, match="2 of 4 units are finished and kept"):
        tried(tmp_path / "1", toy_chances.ALL, ["simulate"], 2000, 5, stop_after_two, file=TOYS)
    seen = []
    resumed = tried(tmp_path / "1", toy_chances.ALL, ["simulate"], 2000, 5, seen.append, file=TOYS)
    assert [(event.done, event.of) for event in seen] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert resumed == tried(tmp_path / "2", toy_chances.ALL, ["simulate"], 2000, 5, file=TOYS)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="count must be between 0 and n = 3, got 4"):
        clopper_pearson(4, 3, 0.1)
    with pytest.raises(ValueError, match="n must be a positive integer, got 0"):
        clopper_pearson(0, 0, 0.1)
    for error in (0.0, 1.0, math.nan):
        with pytest.raises(ValueError, match="error must lie in"):
            clopper_pearson(1, 3, error)
        with pytest.raises(ValueError, match="error must lie in"):
            mean_sequence(np.zeros(3), error)
    for x in (np.zeros(0), np.array([1.5]), np.array([np.nan]), np.zeros((2, 2))):
        with pytest.raises(ValueError, match="x must be a vector of numbers in"):
            mean_sequence(x, 0.1)
    rng, x = np.random.default_rng(0), SimpleNamespace()
    with pytest.raises(ValueError, match="excess must be n = 3 numbers"):
        estimate(Chance(lambda x, rng, n: np.zeros(2), delta=lambda x: 0.1), x, rng, 3, 0.1)
    with pytest.raises(ValueError, match=r"reach must bound the excess, got 1\.0 below 2\.0"):
        estimate(Chance(lambda x, rng, n: np.full(n, 2.0), reach=lambda x: 1.0), x, rng, 3, 0.1)
    for both in (None, lambda x: 0.1):
        with pytest.raises(ValueError, match="needs delta or reach, and not both"):
            estimate(Chance(lambda x, rng, n: np.zeros(n), both, both), x, rng, 3, 0.1)
    for name in ("delta", "reach"):
        for wrong, message in ((math.nan, "finite, got nan"), (math.inf, "finite, got inf"), (-0.5, ">= 0, got -0.5")):
            with pytest.raises(ValueError, match=f"{name} must be {message}"):
                estimate(Chance(lambda x, rng, n: np.zeros(n), **{name: lambda x, y=wrong: y}), x, rng, 3, 0.1)
    with pytest.raises(ValueError, match="budget must be an integer >= 32, got 31"):
        simulate(hoeffding(), 31, 0)
    plain = Statement(label="plain", kind="claim", latex="y", instance=lambda d: None, sides=lambda x: None)
    with pytest.raises(ValueError, match="plain claims nothing about a sample"):
        simulate(plain, 100, 0)
    broken = Chance(lambda x, rng, n: 1 / 0, delta=lambda x: 0.1)
    failed, _ = run_unit(planted(broken, lambda d: SimpleNamespace()), Unit("x", "simulate", 100, 0))
    assert failed.status == Status.ERROR and "ZeroDivisionError" in failed.error


def test_what_is_no_instance_is_left_out_and_counted():
    fair = coin_mean(0.25)

    def some(draw):
        i = fair.instance(draw)
        if 2 * i.q < 1:
            raise NotAnInstance("tails")
        return i

    verdict = simulate(planted(fair.chance, some), 3200, 0)
    left = verdict.uncounted["it is no instance of the claim: tails"]
    assert verdict.status == Status.SURVIVED and left >= 1 and 2400 < verdict.trials <= 3200 - left

    def never(x, rng, n):
        raise NotAnInstance("no coin")

    verdict = simulate(planted(fair.chance._replace(excess=never), fair.instance), 3200, 0)
    assert (verdict.status, verdict.worst, verdict.trials) == (Status.IDLE, None, 0)
    assert verdict.uncounted == {"it is no instance of the claim: no coin": 32}  # of the first lap, nothing goes on


def test_many_replicates_are_asked_for_in_chunks_and_count_alike():
    asked = []

    def excess(x, rng, n):
        asked.append(n)
        return np.where(np.arange(n) % 4, -1.0, 1.0)

    found = estimate(Chance(excess, delta=lambda x: 0.25), SimpleNamespace(), np.random.default_rng(0), 40_000, 0.01)
    assert asked == [16_384, 16_384, 7232] and found.value == 0 and found.high - found.low < 0.02
