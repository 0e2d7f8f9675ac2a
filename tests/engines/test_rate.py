"""The rate engine on planted sequences: it finds what grows too fast and says what it cannot tell apart."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from arubatheory.engines.exact import BrokenAssumption
from arubatheory.engines.rate import describe, rate
from arubatheory.engines.statistics import fit, grid, slope
from arubatheory.engines.units import Unit, run_unit
from arubatheory.engines.verdict import Status
from arubatheory.problems.draw import RandomDraw
from arubatheory.statements.core import Assumption, NotAnInstance, Statement
from arubatheory.statements.growth import Growth


def planted(value, exponent, power=0.0, longest=4096, noise=0.0):
    """`value(T)` times a drawn scale and a drawn noise of T, claimed to grow like T^exponent log^power T."""

    def excess(x, T):
        rng = np.random.default_rng([x.seed, T])
        return float(x.scale) * value(T) * math.exp(noise * rng.standard_normal())

    growth = Growth(excess, exponent, power, longest=longest)
    return Statement(
        label="planted",
        kind="claim",
        latex="y",
        growth=growth,
        engines=("rate",),
        instance=lambda draw: SimpleNamespace(scale=draw.positive(-8, 8), seed=draw.integer(0, 1000)),
    )


def test_what_grows_as_claimed_survives():
    for p in (-0.5, 0.25, 1.5):
        verdict = rate(planted(lambda T, p=p: T**p, p, noise=0.05), 20, 0)
        assert verdict.status == Status.SURVIVED
        assert verdict.trials == 20 * len(grid(Growth(lambda x, T: 0.0, p)))


@pytest.mark.parametrize("p", [-0.5, 0.6, 1.5])
def test_a_planted_faster_growth_is_suspect_and_never_refuted(p):
    verdict = rate(planted(lambda T: T ** (p + 0.1), p), 5, 0)
    assert verdict.status == Status.SUSPECT
    assert verdict.worst_ratio == pytest.approx(0.1, abs=1e-9) and verdict.measure == "lhs-rhs"
    assert verdict.simplest is not None and f"claimed {p:g}" in verdict.simplest.note
    assert rate(planted(lambda T: T ** (p + 0.2), p, noise=0.05), 40, 0).status == Status.SUSPECT


def test_a_logarithm_that_is_claimed_is_allowed_and_one_that_is_not_is_seen():
    def value(T):
        return T**-0.5 * math.log(T)

    assert rate(planted(value, -0.5, power=1.0), 20, 0).status == Status.SURVIVED
    assert rate(planted(value, -0.5, power=0.0), 5, 0).status == Status.SUSPECT


def test_what_the_grid_cannot_separate_is_said():
    """T^-2/5 and T^-1/2 log T: with the logarithm divided out the slope of the first is below -1/2 up to 4096."""
    statement = planted(lambda T: T**-0.4, -0.5, power=1.0)
    verdict = rate(statement, 20, 0)
    assert verdict.status == Status.SURVIVED
    seen = fit(statement.growth, SimpleNamespace(scale=1.0, seed=0))
    assert seen.plain.value == pytest.approx(-0.4) and seen.resolution > 0.1
    assert "the grid tells exponents apart that differ by 0.1" in describe(statement.growth, seen)
    assert "exponent -0.400" in verdict.worst.note
    longer = planted(lambda T: T**-0.4, -0.5, power=1.0, longest=1 << 40)
    assert rate(longer, 3, 0).status == Status.SUSPECT


def test_the_variable_has_its_own_name():
    """In every sentence about it: a claim in m that is told in T would be another claim."""
    growth = planted(lambda m: m**0.5 * math.log(m), 0.5, power=1.0).growth._replace(variable="m")
    x = SimpleNamespace(scale=1.0, seed=0)
    text = describe(growth, fit(growth, x))
    assert " on m = 256..4096" in text and "log^1 m divided out" in text and "T" not in text
    still = growth._replace(excess=lambda x, m: -1.0)
    assert describe(still, fit(still, x)) == "no growth on m = 16..4096; claimed 0.5"


def test_nothing_positive_is_no_growth_and_no_trial():
    verdict = rate(planted(lambda T: -1.0, 0.5), 20, 0)
    assert verdict.status == Status.IDLE and "no growth" in verdict.worst.note
    assert (verdict.trials, verdict.evaluations) == (0, 20)


def test_one_family_with_a_slope_is_enough():
    rare = replace(
        planted(lambda T: 1.0, 0.5), instance=lambda draw: SimpleNamespace(scale=draw.integer(-3, 1), seed=0)
    )
    rng = np.random.default_rng(0)
    assert 0 < sum(RandomDraw(rng).integer(-3, 1) > 0 for _ in range(20)) < 20
    verdict = rate(rare, 20, 0)
    assert (verdict.status, verdict.trials) == (Status.SURVIVED, 340)
    assert verdict.worst_ratio == pytest.approx(-0.5)


def test_few_values_are_idle():
    assert rate(planted(lambda T: 1.0, 0.5), 5, 0).status == Status.IDLE


def test_the_interval_is_students():
    rng = np.random.default_rng(0)
    T = 2.0 ** np.arange(4, 14)
    y = T**0.7 * np.exp(rng.normal(size=10))
    line = stats.linregress(np.log(T), np.log(y))
    got = slope(T, y, 0.0)
    half = stats.t.ppf(0.995, 8) * line.stderr
    assert (got.value, got.low, got.high) == pytest.approx((line.slope, line.slope - half, line.slope + half))
    assert slope(T[:2], y[:2], 0.0) is None


def test_the_interval_covers_the_slope_as_often_as_it_says():
    rng, T = np.random.default_rng(1), 2.0 ** np.arange(4, 14)
    inside = 0
    for _ in range(2000):
        got = slope(T, T**0.3 * np.exp(rng.normal(size=10)), 0.0)
        inside += got.low <= 0.3 <= got.high
    # 99 % intervals: 2000 trials miss 20 times on average, with a standard deviation of 4.5
    assert 1980 - 25 <= inside <= 1980 + 20


def test_errors_are_verdicts_or_named():
    with pytest.raises(ValueError, match="budget must be an integer >= 1, got 0"):
        rate(planted(lambda T: 1.0, 0.5), 0, 0)
    plain = Statement(label="plain", kind="claim", latex="y", instance=lambda d: None, sides=lambda x: None)
    with pytest.raises(ValueError, match="plain claims no growth"):
        rate(plain, 1, 0)
    statement = planted(lambda T: 1 / 0, 0.5)
    verdict, _ = run_unit(statement, Unit(statement.label, "rate", 1, 0))
    assert verdict.status == Status.ERROR and "ZeroDivisionError" in verdict.error


def test_the_same_seed_gives_the_same_verdict():
    one, two = (rate(planted(lambda T: T**0.6, 0.5, noise=0.3), 10, 7) for _ in range(2))
    assert one == two


def test_a_rare_family_is_climbed_to_where_it_costs_little():
    """Of eight numbers all must be large for it to show: no family drawn at random is one."""

    def excess(x, T):
        return T**0.5 * (1 + T**0.3 * float(np.mean(x.v)) ** 64)

    growth = Growth(excess, 0.55)
    rare = replace(planted(None, 0.55), growth=growth, instance=lambda draw: SimpleNamespace(v=draw.unit(8)))
    for seed in range(5):
        rng = np.random.default_rng(seed)
        drawn = [fit(growth, rare.instance(RandomDraw(rng)), 20) for _ in range(10)]
        assert max(found.claimed.high for found in drawn) < 0.55
        assert rate(rare, 20, seed).status == Status.SUSPECT


@pytest.mark.parametrize("seed", range(5))
def test_a_climb_by_size_makes_no_true_rate_suspect(seed):
    """Scales and offsets that it takes as far as they go change a constant, and nothing else."""

    def excess(x, T):
        return float(x.scale) * T**0.5 * math.log(T) - float(x.offset) * T**0.25

    true = replace(
        planted(None, 0.5),
        growth=Growth(excess, 0.5, 1.0),
        instance=lambda draw: SimpleNamespace(scale=draw.positive(-8, 8), offset=draw.unit()),
    )
    assert rate(true, 40, seed).status == Status.SURVIVED


def test_what_does_not_last_beyond_the_grid_is_no_growth():
    def late(T):
        return min(T**0.9, 3000**0.4 * T**0.5)

    carried = planted(late, 0.5)
    assert rate(carried, 10, 0).status == Status.SURVIVED
    held = replace(carried, growth=carried.growth._replace(limit=4096))
    verdict = rate(held, 5, 0)
    assert verdict.status == Status.SUSPECT and " on T = 256..4096" in verdict.worst.note
    lasting = rate(planted(lambda T: T**0.6, 0.5), 5, 0)
    assert lasting.status == Status.SUSPECT and " on T = 4096..65536" in lasting.worst.note
    assert [T for T, _ in lasting.worst.curve][-1] == 65536


def late(seen, *scales):
    r"""$\min(cT, T^{1/2})$ for a drawn c: each of them is linear up to $1/c^2$, and none needs a constant above 1."""

    def excess(x, T):
        seen.add(T)
        return min(float(x.scale) * T, T**0.5)

    return replace(
        planted(None, 0.5),
        growth=Growth(excess, 0.5),
        instance=lambda draw: SimpleNamespace(scale=draw.number(draw.choice(scales), 2**14)),
    )


def test_a_family_that_comes_late_to_where_others_are_is_carried_there():
    """With c = 24/2^14 it grows like T up to 466,000, beyond what all are carried to."""
    seen = set()
    assert rate(late(seen, 2**14, 24), 20, 0).status == Status.SURVIVED and max(seen) == 2**20
    assert rate(late(seen, 24), 5, 0).status == Status.SUSPECT  # alone nothing says that it ever ends
    seen.clear()
    assert rate(late(seen, 2**14, 1), 20, 0).status == Status.SUSPECT and max(seen) == 2**16  # it would take too long


def test_a_family_that_no_change_makes_is_drawn_where_it_costs_little():
    """Losses of -1, 0 and 1 that cancel: one draw in 40, so that among ten that go to the grid mostly none does."""

    def excess(x, T):
        return T**0.7 if {-1, 1} <= {*x.g.tolist()} <= {-1, 0, 1} and sum(x.g) == 0 else 1.5 * T**0.5

    growth = Growth(excess, 0.5)
    cancel = replace(planted(None, 0.5), growth=growth, instance=lambda draw: SimpleNamespace(g=draw.real(-1, 1, 6)))
    assert sum(rate(cancel, 20, seed).status == Status.SUSPECT for seed in range(10)) >= 8


def test_a_limit_below_the_grid_is_named():
    planted_one = planted(lambda T: T**0.6, 0.5)
    short = replace(planted_one, growth=planted_one.growth._replace(limit=64))
    with pytest.raises(ValueError, match="needs 1 <= shortest < longest <= limit, got \\(16, 4096\\) and 64"):
        rate(short, 5, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"exponent": math.nan}, "exponent must be finite, got nan"),
        ({"exponent": "1/2"}, "exponent must be a real number, got '1/2'"),
        ({"power": math.inf}, "power must be finite, got inf"),
        ({"shortest": 0}, "needs 1 <= shortest < longest <= limit, got \\(0, 4096\\) and None"),
        ({"shortest": 64, "longest": 64}, "needs 1 <= shortest < longest <= limit, got \\(64, 64\\) and None"),
    ],
    ids=str,
)
def test_a_grid_or_an_exponent_that_is_none_is_named(change, message):
    statement = planted(lambda T: T**0.6, 0.5)
    with pytest.raises((TypeError, ValueError), match=message):
        rate(replace(statement, growth=statement.growth._replace(**change)), 5, 0)


def test_a_margin_that_only_looks_negative_is_asked_exactly():
    """0.1 + 0.2 <= 0.3 as it is drawn, and not in floats; less than that is broken."""

    def tenths(draw):
        return SimpleNamespace(parts=[draw.number(k, 10) for k in (1, 2, 3)], scale=draw.positive(-8, 8), seed=0)

    def held(least):
        return Assumption("a+b<=c", lambda x: x.parts[2] - x.parts[0] - x.parts[1] - least)

    sums = replace(planted(lambda T: T**0.5, 0.5), instance=tenths, assumptions=(held(0),))
    assert 0.3 - 0.1 - 0.2 < 0 and rate(sums, 20, 0).status == Status.SURVIVED
    with pytest.raises(BrokenAssumption, match="the generator broke the assumption 'a\\+b<=c'"):
        rate(replace(sums, assumptions=(held(1),)), 5, 0)


def test_what_cannot_be_carried_stays_suspect():
    def value(T):
        if T > 4096:
            raise NotAnInstance("too long for it")
        return T**0.6

    for late in (value, lambda T: T**0.6 if T <= 4096 else math.inf):
        verdict = rate(planted(late, 0.5), 5, 0)
        assert verdict.status == Status.SUSPECT and verdict.uncounted == {}
        assert " on T = 256..4096" in verdict.worst.note


def test_a_value_of_a_family_is_computed_once():
    """Families that change too little to be another one are met again."""
    statement, calls = planted(lambda T: T**0.6, 0.5), Counter()

    def excess(x, T):
        calls[x.seed, x.scale, T] += 1
        return statement.growth.excess(x, T)

    found = rate(replace(statement, growth=statement.growth._replace(excess=excess)), 20, 0)
    assert found.status is Status.SUSPECT and set(calls.values()) == {1}


def test_what_is_no_instance_is_left_out_and_counted():
    def refusing(one_in):
        def excess(x, T):
            if T == 4096 and x.seed % one_in == 0:
                raise NotAnInstance("too long for it")
            return x.scale * T**0.5

        statement = planted(lambda T: T**0.5, 0.5)
        return replace(statement, growth=statement.growth._replace(excess=excess))

    verdict = rate(refusing(5), 20, 0)
    ((said, many),) = verdict.uncounted.items()
    assert said == "it is no instance of the claim: too long for it" and 0 < many < 20
    assert (verdict.status, verdict.trials, verdict.evaluations) == (Status.SURVIVED, (20 - many) * 17, 20)

    verdict = rate(refusing(1), 20, 0)
    assert (verdict.status, verdict.trials, verdict.worst) == (Status.IDLE, 0, None)
    assert verdict.uncounted == {"it is no instance of the claim: too long for it": 20}
