"""Binomial tails against scipy.stats and rational sums, and the worst delta against every delta of a grid."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
import scipy
from packaging.version import Version
from scipy.stats import binom

from arubatheory.arithmetic import Exact, exact, precision
from arubatheory.statements.chance import at_worst, binomial_tail

DIGITS = 1e-7 if Version(scipy.__version__) >= Version("1.17") else 1e-4  # that scipy has of a million millions


def rational_tail(count, n, p):
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(count + 1))


@pytest.mark.parametrize("n", [1, 2, 7, 64, 1000, 1 << 18, 1 << 24])
@pytest.mark.parametrize("p", [0.0, 2.0**-10, 0.3, 0.5, 0.75, 1.0])
def test_a_tail_in_floats_is_that_of_scipy_stats(n, p):
    deviation = np.sqrt(n * p * (1 - p))
    for z in (-6, -3, 0, 2):
        count = int(min(max(n * p + z * deviation, 0), n))
        assert binomial_tail(count, n, p) == pytest.approx(binom.cdf(count, n, p), rel=1e-9)


@pytest.mark.parametrize("count, n", [(0, 1), (1, 1), (0, 5), (3, 5), (17, 40), (60, 200)])
@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 3), Fraction(7, 16), Fraction(1)])
def test_a_ball_holds_the_rational_sum_and_is_thin(count, n, p):
    true = rational_tail(count, n, p)
    with precision(160):
        found = binomial_tail(count, n, Exact(p))
        gap = found - exact(true)
    if found.is_rational:
        assert gap == 0
    else:
        assert gap.v.contains(0)
        assert found.v.rel_accuracy_bits() > 100


def test_a_ball_of_a_million_millions_agrees_with_floats():
    n = 1 << 40
    count = n // 2 - (1 << 20)
    for bits in (128, 256):
        with precision(bits):
            ball = binomial_tail(count, n, Exact(Fraction(1, 2)))
        assert float(ball.v.mid()) == pytest.approx(binomial_tail(count, n, 0.5), rel=DIGITS)


@pytest.mark.parametrize(
    "count, n, p, message",
    [
        (-1, 3, 0.5, "count must be between 0 and n = 3, got -1"),
        (4, 3, 0.5, "count must be between 0 and n = 3, got 4"),
        (1, 3, 1.5, r"p must be <= 1, got 1.5"),
        (1, 3, float("nan"), r"p must be finite, got nan"),
    ],
)
def test_bad_input_is_named(count, n, p, message):
    with pytest.raises(ValueError, match=message):
        binomial_tail(count, n, p)


def fails_somewhere(excess, price, prob, bound, share):
    """Whether P(excess > bound at delta) > delta/share for a delta of a fine grid."""
    delta = np.linspace(0, 1, 4001)[1:-1, None]
    return bool(((prob * (excess > bound(price, delta))).sum(axis=1) > delta[:, 0] / share).any())


@pytest.mark.parametrize("share", [1, 2])
def test_the_worst_delta_decides_like_all_deltas_together(share):
    """Of 200 random listings, some refute and some do not; one price, or dearer outcomes with more excess."""
    rng, seen = np.random.default_rng(0), []
    for _ in range(200):
        n = int(rng.integers(1, 6))
        prob, excess = rng.dirichlet(np.ones(n)), rng.normal(0.3, 1, n).round(1)
        price = np.zeros(n) if rng.random() < 0.5 else np.argsort(np.argsort(-excess)) * 0.1
        scale = rng.uniform(0.2, 3)
        bound = lambda u, delta, scale=scale: scale * np.log(1 / np.asarray(delta)) + u  # noqa: E731
        found = any(s.lhs > s.rhs for s in at_worst(excess, price, prob, bound, share))
        seen.append(found)
        assert found == fails_somewhere(excess, price, prob, bound, share)
    assert 20 < sum(seen) < 180


def test_numbers_of_any_width_are_taken():
    def sides(kind):
        excess, price, prob = (np.array(x, kind) for x in ([0.5, 0.25], [1.0, 2.0], [0.5, 0.5]))
        return at_worst(excess, price, prob, lambda u, delta: u * delta)

    assert sides(np.float16) == sides(np.float32) == sides(np.float64)


def test_what_cannot_happen_claims_nothing():
    (only,) = at_worst(np.ones(2), np.zeros(2), np.zeros(2), lambda u, delta: 0 * delta)
    assert only.lhs == only.rhs == 0
