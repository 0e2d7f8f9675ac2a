"""The rates of Algorithm 1: what the long games compute is what it pays, and a faster claim is not let pass."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from arubatheory.arithmetic import Undecided
from arubatheory.engines.check import check
from arubatheory.engines.rate import rate
from arubatheory.engines.search import search
from arubatheory.engines.statistics import fit
from arubatheory.engines.verdict import Status
from arubatheory.kernel import compiled
from arubatheory.learners.ewoo import eps_ewoo
from arubatheory.learners.meta import descent, eps_ewoo_rate, eps_ftl_rate, mean, meta_learn
from arubatheory.papers.aruba.games import rates as rate_games
from arubatheory.papers.aruba.games.rates import (
    EPS_EWOO,
    EPS_FTL,
    MAIN_EWOO,
    PERIODIC,
    SHAPES,
    LearnedRate,
    Stretch,
    average_upper,
    family,
    long_average,
    squares,
    starts,
)
from arubatheory.papers.aruba.s3_similarity import dynamic_rates, similarity_rates
from arubatheory.papers.aruba.s3_similarity import rates as rate_forms
from arubatheory.papers.aruba.s3_similarity.rates import hunted, ratio
from arubatheory.problems.domains import ball
from arubatheory.problems.draw import RandomDraw
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import tasks
from arubatheory.statements.core import statements_in
from arubatheory.statements.growth import Growth
from tests.made import is_suspect, remembering

RATES = {
    "thm:similarity": similarity_rates.MAIN,
    "thm:dynamic": dynamic_rates.MAIN,
    "cor:epsftl": similarity_rates.WITH_FTL,
    "cor:epsewoo": similarity_rates.WITH_EWOO,
    "cor:dynamic": dynamic_rates.WITH_EWOO,
}
BY_LABEL = {s.label: s for rooms in (similarity_rates, dynamic_rates) for s in statements_in(vars(rooms))}
STANDING = [label for label in BY_LABEL if not label.endswith("leading-two")]


def claimed(true, less: float, longest: int | None = None):
    """The statement with a smaller exponent, on a shorter grid if asked for."""
    growth = true.growth._replace(exponent=true.growth.exponent - less, longest=longest or true.growth.longest)
    return replace(true, label=f"{true.label}/false", growth=growth)


SLOW = pytest.mark.skipif(not compiled(), reason="games of sixteen thousand tasks, one by one")


@SLOW
@pytest.mark.parametrize("label", STANDING)
def test_a_smaller_exponent_is_suspect_and_the_claimed_one_is_not(label):
    """A fifth is more than the grids cannot tell apart, a tenth on the longer ones. Where V stays, eps-FTL pays less
    than its corollary says: exponents of -0.65 and below, not -0.4."""
    less, longest = (0.1, None) if BY_LABEL[label].growth.longest > 1 << 20 else (0.2, 1 << 13)
    less = 0.6 if label == "cor:epsftl/rate/fixed" else less
    true = remembering(BY_LABEL[label])
    if true.growth.limit is not None:  # ten million tasks are for campaigns
        true = replace(true, growth=true.growth._replace(limit=1 << 20))
    assert is_suspect(claimed(true, less, longest), 12)
    assert rate(true, 12, 1).status == Status.SURVIVED


@SLOW
def test_the_printed_leading_term_is_suspect_with_an_exponent_of_one_half():
    """Against 2 V the excess stays at 2 V, and what is claimed is of the order T^-1/2 for a fixed V."""
    verdict = rate(BY_LABEL["cor:dynamic/rate/leading-two"], 20, 0)
    assert verdict.status == Status.SUSPECT
    found = re.search(r"exponent (\S+) \[", verdict.worst.note)
    assert float(found.group(1)) == pytest.approx(0.5, abs=0.01)


@SLOW
def test_equal_tasks_pay_epsilon_a_round_for_forty_octaves():
    """V = 0: the excess is eps + O(T^-1/2 log T), so that the exponent is -1/4, or -1/5, to two digits."""
    for code, decay in ((EPS_EWOO, 0.25), (MAIN_EWOO, 0.25), (EPS_FTL, 0.2)):

        def excess(_, T, code=code, decay=decay):
            return long_average([Stretch(1, T, 0.0)], LearnedRate(code, T**-decay, 1.0))

        seen = fit(Growth(excess, -decay, 1.0, 1 << 20, 1 << 60), None)
        assert seen.plain.value == pytest.approx(-decay, abs=0.01)
        assert excess(None, 1 << 60) == pytest.approx(float(1 << 60) ** -decay, rel=0.05)


@pytest.mark.parametrize("code", [EPS_FTL, EPS_EWOO, MAIN_EWOO])
@pytest.mark.parametrize("T", [7, 100, 3001])
def test_a_sum_over_stretches_is_the_sum_over_rounds(code, T):
    sim, h = LearnedRate(code, T**-0.25, 1.0), T // 2
    pieces = [Stretch(1, 1, 0.1), Stretch(2, h, 0.0), Stretch(h + 1, T, 0.0, (0.3,))]
    t = np.arange(1.0, T + 1)
    B = np.where(t > h, 0.3 * (h / np.maximum(t - 1, 1)) ** 2, 0.0)
    B[0] = 0.1
    # The sum of 1/j^2 from h on is exact up to 1/(12 h^3), a block of rounds up to the square of its distance.
    assert long_average(pieces, sim) == pytest.approx(average_upper(B, sim), rel=1e-3 if T < 10 else 2e-5)


@pytest.mark.parametrize("bend", [0.0, 0.5])
def test_long_games_of_other_regularisers_are_played_round_by_round(bend):
    """Two halves at the distance 0.2, R = (3 x_1^2 + x_2^2)/2 + bend (x_1^4 + x_2^4)."""
    T, start, gap = 3000, np.array([0.1, -0.2]), 0.2
    x = SimpleNamespace(shape=rate_forms.HALVES, stiff=3.0, bend=bend, start=start, sigma=1.0)
    star = np.zeros((T, 2))
    star[T // 2 :, 0] = gap
    rate_of = rate_forms.Rate(EPS_EWOO, False, 0.25, 2.0)
    upper, V = rate_forms._long_upper(rate_of, x, T, gap)
    B = rate_games.divergences(x, star, starts(star, start, False))
    assert upper == pytest.approx(average_upper(B, LearnedRate(EPS_EWOO, T**-0.25, 1.0)), rel=2e-5)
    assert V == pytest.approx(rate_games.deviation(x, star, rate_games.block_means(star, 1)))


def test_more_references_are_tried_where_init_is_ogd():
    """Each moves less than the optimal actions do, or is one task late; FTL is compared with the mean."""
    star = np.random.default_rng(0).uniform(-1, 1, (64, 2))
    mean_alone, ogd = (rate_forms._references(rate_forms.Rate(EPS_EWOO, g, 0.25, 2.0), star) for g in (False, True))
    assert len(mean_alone) == 1 and len(ogd) == 2 + 6 + 18 + 5
    paths, most = [rate_games.path(psi) for psi in ogd], rate_games.path(star)
    assert all(psi.shape == star.shape and moved <= most + 1e-9 for psi, moved in zip(ogd, paths, strict=True))


def test_sim_plays_as_eps_ewoo_does():
    B = np.random.default_rng(0).uniform(0, rate_games.D, 50)
    before = np.concatenate([[0], np.cumsum(B * B)[:-1]])
    for code, domain in ((EPS_EWOO, "appendix"), (MAIN_EWOO, "main")):
        v = LearnedRate(code, 0.3, 1.0).rates(before, np.arange(50.0))
        played = eps_ewoo(B, 1.0, rate_games.D, 0.3, domain=domain).actions[:, 0]
        assert np.allclose(v, played, rtol=1e-9, atol=0)


@pytest.mark.parametrize("greedy", [False, True])
def test_the_upper_bounds_are_those_of_the_meta_learner(greedy):
    """One loss a task, of slope 1: sigma = 1. For the first v of eps-FTL both have the upper end."""
    draw = RandomDraw(np.random.default_rng(3))
    for shape in range(len(SHAPES)):
        x = family(draw, (shape,), (0.0,))
        star = rate_games.tasks(x, 40, 0.0)
        linear = tasks([losses("linear", [[0.6, 0.8]])] * 40)
        init = descent(x.start, 1.0) if greedy else mean(x.start)
        for code, sim in ((EPS_EWOO, eps_ewoo_rate(2.0, 0.4)), (EPS_FTL, eps_ftl_rate(2.0, 0.4))):
            played = meta_learn(linear, ball(np.zeros(2), 1.0), euclidean(2), init, sim, optima=star)
            divergence = squares(star - starts(star, x.start, greedy))
            assert average_upper(divergence, LearnedRate(code, 0.4, 1.0)) == pytest.approx(
                played.average_upper, rel=1e-9
            )


def test_every_item_claims_all_five_forms():
    assert set(BY_LABEL) == {
        f"{slug}/rate{part}" for slug in RATES for part in ("", "/fixed", "/vanishing", "/adversarial", "/long")
    } | {"cor:dynamic/rate/leading-two"}


def test_a_rate_is_not_for_check_and_search():
    """It has no sides."""
    for engine in (check, search):
        with pytest.raises(Undecided, match="a slope or the mean of a sample is estimated"):
            engine(claimed(BY_LABEL["cor:epsftl/rate"], 0.3, 1 << 10), 3, 0)


@SLOW
def test_the_pattern_that_was_sought_is_worse_than_drawn_ones():
    """At T = 64 the hunt beats every one of 50 drawn patterns, for each SIM."""
    for rate_of_item in RATES.values():
        excess = ratio(rate_of_item)

        def value(levels, excess=excess):
            x = dict(shape=PERIODIC, decay=0, size=1.0, start=np.array([0.5, 0.0]), sigma=1.0)
            return excess(SimpleNamespace(**x, levels=levels), 64)

        rng = np.random.default_rng(5)
        drawn = max(value(rng.uniform(-1, 1, 8)) for _ in range(50))
        assert value(np.array(hunted(rate_of_item, 0, 1)) / 256) > drawn
