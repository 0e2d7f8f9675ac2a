"""clm:chernoff: the listing against all sequences, the binomial family against scipy, and the constants."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from arubatheory import PAPER
from arubatheory.arithmetic import exact, precision
from arubatheory.papers.aruba.e_batch.chernoff import spread
from arubatheory.problems.draw import RandomDraw

BY_LABEL = {s.label: s for s in PAPER if s.label.startswith("clm:chernoff")}


def two_points(T, fewest, p, D=1.0):
    """Two ends of a diameter, the second with probability p."""
    return SimpleNamespace(
        points=np.array([[-D], [D]]), chances=np.array([1 - p, p]), T=T, fewest=fewest, D=D, delta=0.5
    )


def exactly(x):
    return SimpleNamespace(**{name: exact(value) for name, value in vars(x).items()})


def by_sequences(x):
    """(T V^2, sum around phi*) with probability, from all sequences and the definitions."""
    star = x.chances @ x.points
    found = {}
    for codes in product(range(len(x.chances)), repeat=x.T):
        seen = x.points[list(codes)]
        best = ((seen - seen.mean(axis=0)) ** 2).sum()
        around = ((seen - star) ** 2).sum()
        key = (round(best, 9), round(around, 9))
        found[key] = found.get(key, 0.0) + np.prod(x.chances[list(codes)])
    return found


def test_the_listing_is_that_of_all_sequences():
    rng, seen = np.random.default_rng(3), 0
    while seen < 12:
        x = BY_LABEL["clm:chernoff"].instance(RandomDraw(rng))
        if x.fewest or len(x.chances) ** x.T > 1100:
            continue
        x.points, seen = x.points / x.D, seen + 1
        s, expected = spread(x), by_sequences(x)
        found = {}
        for prob, best, around in zip(s.prob, s.best, s.around, strict=True):
            key = (round(best, 9), round(around, 9))
            found[key] = found.get(key, 0.0) + prob
        for total in (1e-12, 0.1, 0.5, 1.0, 2.0):
            for axis in (0, 1):
                mass = [sum(p for k, p in of.items() if k[axis] >= total) for of in (found, expected)]
                assert mass[0] == pytest.approx(mass[1], abs=1e-9)
        assert s.expected == pytest.approx(sum(p * k[1] for k, p in expected.items()))


@pytest.mark.parametrize("T, fewest, p", [(2, 1, 0.5), (16, 5, 0.1), (4096, 60, 0.005), (1 << 30, 120, 2.0**-25)])
def test_the_family_of_two_points_has_the_probabilities_of_scipy(T, fewest, p):
    s = spread(two_points(T, fewest, p))
    expected = binom.sf(fewest - 1, T, p) - binom.sf(T - fewest, T, p)
    assert s.prob[0] == pytest.approx(expected, rel=1e-9)
    assert s.best[0] == pytest.approx(4 * fewest * (1 - fewest / T))
    assert s.expected == pytest.approx(4 * T * p * (1 - p))


def test_at_least_so_many_means_at_least_so_much_variance():
    """Of 12 tasks, 3 to 9 have the second point, and then V^2 is no smaller than with 3."""
    T, fewest, p = 12, 3, 0.25
    s = spread(two_points(T, fewest, p))
    reached = [n for n in range(T + 1) if 4 * n * (1 - n / T) >= s.best[0] - 1e-12]
    assert s.prob[0] == pytest.approx(binom.pmf(reached, T, p).sum())


@pytest.mark.parametrize("T, fewest, p", [(1 << 14, 178, 178 / 3.6 / 2**14), (1 << 30, 4000, 4000 / 3.5 / 2**30)])
def test_the_constants_two_and_three_fail_where_16_over_5_holds(T, fewest, p):
    """The smallest power of two at which they fail, and a large one; in balls, with points that are 2D apart."""
    x = exactly(two_points(T, fewest, p))
    with precision(128):
        (three,) = BY_LABEL["clm:chernoff/two-and-three"].sides(x)
        (more,) = BY_LABEL["clm:chernoff"].sides(x)
        assert three.lhs > three.rhs
        assert more.lhs < more.rhs


def test_half_as_many_tasks_do_not_break_two_and_three():
    for fewest in range(60, 260, 4):
        for q in np.arange(3.0, 4.4, 0.1):
            (s,) = BY_LABEL["clm:chernoff/two-and-three"].sides(two_points(1 << 13, fewest, fewest / q / 2**13))
            assert s.lhs < s.rhs


def test_the_best_constant_is_one_over_log_q():
    """k = max (q - 2)/(q log q - q + 1) is at q = 1 + 2 log q; 3 < 4k < 16/5, and 4/5 is just above k."""
    q = brentq(lambda q: q - 1 - 2 * np.log(q), 2, 10)
    grid = np.linspace(2, 20, 20001)
    best = ((grid - 2) / (grid * np.log(grid) - grid + 1)).max()
    assert best == pytest.approx(1 / np.log(q), abs=1e-6)
    assert 3 < 4 * best < 16 / 5 and best < 4 / 5 < best + 0.005


def test_display_two_of_the_proof_fails_for_64_tasks():
    (s,) = BY_LABEL["clm:chernoff/proof-2/positive"].sides(exactly(two_points(64, 12, 0.075)))
    assert s.lhs > s.rhs
    (s,) = BY_LABEL["clm:chernoff/proof-2/corrected"].sides(two_points(64, 12, 0.075))
    assert s.lhs < s.rhs


def test_any_constant_fails_where_any_minimiser_may_be_taken():
    """D and -D in turn: T D^2 against 16/5 D^2 log(1/delta)."""
    for T in (2, 64):
        points = np.array([[(-1.0) ** t] for t in range(T)])
        s = BY_LABEL["clm:chernoff/any-minimiser"].sides(SimpleNamespace(points=points, D=1.0, delta=0.5))
        assert s.lhs == T
        assert s.rhs == pytest.approx(3.2 * np.log(2))
