"""EWOO against closed forms, mpmath and itself by another route; where scipy's quad is silently wrong, we are right."""

from __future__ import annotations

import functools
import math
import warnings

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from arubatheory.arithmetic import Exact, exact
from arubatheory.kernel import compiled
from arubatheory.learners.ewoo import _density_mean, eps_ewoo, ewoo, exp_concavity, truncated_mean
from arubatheory.problems.losses import losses
from arubatheory.problems.scalar import decay

ACCURACY = 1e-12  # what is promised; the arithmetic alone would allow about 1e-14
DIGITS = 34


@functools.cache
def gauss(n: int) -> list[tuple[mp.mpf, mp.mpf]]:
    """Gauss-Legendre nodes and weights to DIGITS digits, by Newton steps from numpy's."""
    rule = []
    for x in map(mp.mpf, np.polynomial.legendre.leggauss(n)[0]):
        for _ in range(4):
            before, now = mp.mpf(1), x
            for j in range(2, n + 1):
                before, now = now, ((2 * j - 1) * x * now - (j - 1) * before) / j
            slope = n * (x * now - before) / (x * x - 1)
            x = x - now / slope
        rule.append((x, 2 / ((1 - x * x) * slope**2)))
    return rule


def reference(p, q, lo, hi):
    """The mean by 10 panels of 20 nodes in log x on each side of the mode, as far out as log x is at least e^-90."""
    with mp.workdps(DIGITS):
        p, q, lo, hi = map(mp.mpf, (p, q, lo, hi))
        mode = hi if q == 0 else min(max((1 + mp.sqrt(1 + 4 * p * q)) / (2 * q), lo), hi)
        P = p / mode
        slope = 1 if lo < mode < hi else q * mode - P  # Q - P, which is 1 at an inner mode; nothing may cancel

        def depth(v):
            d = mp.expm1(v)
            X = 1 + d if v > -1 else mp.exp(v)
            return d, X, slope * d + P * d * d / X

        def reach(sign, limit):
            near, far = mp.mpf(0), 1 / (1 + abs(slope) + mp.sqrt(P)) / 8
            while far < limit and depth(sign * far)[2] - sign * far < 90:
                near, far = far, far * 2
            for _ in range(3 if far < limit else 0):
                middle = (near + far) / 2
                near, far = (middle, far) if depth(sign * middle)[2] - sign * middle < 90 else (near, middle)
            return sign * min(far, limit)

        above = mass = mp.mpf(0)
        for end in (reach(-1, mp.log(mode / lo) if lo > 0 else mp.inf), reach(1, mp.log(hi / mode))):
            for k in range(10):
                for node, weight in gauss(20):
                    d, X, h = depth(end * (k + (1 + node) / 2) / 10)
                    f = weight * abs(end) * X * mp.exp(-h)
                    mass, above = mass + f, above + f * d
        return mode if mass == 0 else mode * (1 + above / mass)


def error(got, want) -> float:
    return float(abs(mp.mpf(float(got)) / want - 1))


def position(root, ratio, where):
    """(p, q, lo, hi) with sqrt(pq) = root, hi = 1 and sqrt(p/q) at a fraction `where` of [log lo, log hi]."""
    lo = 1 / ratio if math.isfinite(ratio) else 0.0
    peak = math.exp((1 - where) * math.log(lo)) if lo > 0 else 10.0 ** (-12 * (1 - where))
    return root * peak, root / peak, lo, 1.0


# the reference -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("root", [1e-3, 0.7, 30.0, 1e5])
def test_the_reference_is_the_ratio_of_bessel_functions_on_the_half_line(root):
    p, q, hi = root * 0.3, root / 0.3, 300 / root * (1 + root)
    with mp.workdps(DIGITS):
        geometric = mp.sqrt(mp.mpf(p) * mp.mpf(q))
        want = mp.sqrt(mp.mpf(p) / mp.mpf(q)) * mp.besselk(2, 2 * geometric) / mp.besselk(1, 2 * geometric)
        assert abs(reference(p, q, 0, hi) / want - 1) < mp.mpf(10) ** -17
    assert error(truncated_mean(p, q, 0.0, hi), want) < ACCURACY


@pytest.mark.parametrize(("p", "q", "lo", "hi"), [(1, 2, 0.5, 3), (5, 0, 0.1, 2), (0.1, 7, 0.01, 1), (3, 3, 2, 2.5)])
def test_the_reference_is_the_literal_ratio_of_integrals(p, q, lo, hi):
    with mp.workdps(DIGITS):
        cuts = [mp.mpf(lo) + (mp.mpf(hi) - lo) * mp.mpf(k) / 8 for k in range(9)]
        mass, moment = (mp.quad(lambda x, n=n: x**n * mp.exp(-p / x - q * x), cuts) for n in (0, 1))
        assert abs(reference(p, q, lo, hi) / (moment / mass) - 1) < mp.mpf(10) ** -17


# the mean ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("ratio", [1 + 1e-14, 1 + 1e-9, 1 + 1e-3, 2.0, 30.0, 1e3, 1e6, 1e12, math.inf])
def test_the_mean_is_accurate_over_the_whole_range(ratio):
    for power in range(-12, 13, 4):
        for where in (-0.5, 0.05, 0.5, 0.98, 1.5):
            p, q, lo, hi = position(10.0**power, ratio, where)
            assert error(truncated_mean(p, q, lo, hi), reference(p, q, lo, hi)) < ACCURACY, (p, q, lo, hi)


@pytest.mark.parametrize("p", [1e-30, 1e-20, 1e-12, 1e-8, 1e-6, 1e-4, 1e-2])
def test_a_long_left_tail_that_ends_abruptly(p):
    for q in (1e-8, 1.0, 1e2, 1e5):
        for lo in (0.0, 1e-12):
            assert error(truncated_mean(p, q, lo, 1.0), reference(p, q, lo, 1.0)) < ACCURACY, (p, q, lo)


@pytest.mark.parametrize("rate", [1e-15, 1e-6, 0.3, 1.0, 40.0, 1e5, 1e12])
def test_without_the_inverse_term_it_is_a_truncated_exponential(rate):
    for lo, hi in ((0.0, 1.0), (0.5, 2.0), (3.0, 3.1)):
        with mp.workdps(60):
            width, q = mp.mpf(hi) - mp.mpf(lo), mp.mpf(rate)
            want = mp.mpf(lo) + 1 / q - width / mp.expm1(q * width)
        assert error(truncated_mean(0.0, rate, lo, hi), want) < ACCURACY


def test_no_weight_at_all_gives_the_midpoint_and_a_point_gives_itself():
    assert truncated_mean(0.0, 0.0, 0.0, 3.0) == 1.5
    assert truncated_mean(0.0, 0.0, 0.25, 0.75) == 0.5
    for p, q in ((0.0, 0.0), (1e300, 1e300), (1.0, 1e-300)):
        assert truncated_mean(p, q, 0.7, 0.7) == 0.7


def literal(p, q, lo, hi, shift):
    """scipy's quad on the two integrals as they stand, or with the exponent shifted to its maximum."""
    peak = min(max(math.sqrt(p / q), lo), hi)
    top = p / peak + q * peak if shift else 0.0
    weight = lambda x: math.exp(top - p / x - q * x)  # noqa: E731
    moment, mass = quad(lambda x: x * weight(x), lo, hi), quad(weight, lo, hi)
    return (moment[0] / mass[0] if mass[0] > 0 else math.nan), moment[1] + mass[1]


@pytest.mark.parametrize(
    ("root", "ratio", "where", "shift", "wrong"),
    [
        (1e2, 10.0, 0.3, False, 1e-3),  # 6 % of the range of float64 used, and quad stops at its first 21 points
        (1e2, 1e4, 0.5, True, 0.3),
        (1e4, 1e2, 0.5, True, 0.1),
        (1e4, 1e2, 0.3, True, 0.08),
        (1.0, 1e6, 0.3, True, 8.0),  # the answer is off by a factor of 9
        (1.0, 1e12, 0.5, True, math.nan),  # 0/0: the peak lies between the points
        (1e4, 10.0, 0.5, False, math.nan),  # 0/0: the weights underflow
        (1e10, 1e6, 0.5, True, math.nan),
    ],
)
def test_where_quad_is_silently_wrong(root, ratio, where, shift, wrong):
    p, q, lo, hi = position(root, ratio, where)
    want = reference(p, q, lo, hi)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # quad has nothing to say
        answer, estimate = literal(p, q, lo, hi, shift)
    assert estimate < 1e-8
    assert math.isnan(answer) if math.isnan(wrong) else error(answer, want) > wrong
    assert error(truncated_mean(p, q, lo, hi), want) < ACCURACY


scales = st.one_of(st.just(0.0), st.floats(-300, 300).map(lambda e: 10.0**e))


@settings(max_examples=60)
@given(p=scales, q=scales, hi=st.floats(-140, 140), ratio=st.one_of(st.floats(0, 200), st.just(math.inf)))
def test_extreme_numbers_give_a_right_answer_inside_the_interval(p, q, hi, ratio):
    hi = 10.0**hi
    lo = hi / 10.0**ratio if ratio < math.inf else 0.0
    got = truncated_mean(p, q, lo, hi)
    assert lo <= got <= hi
    assert error(got, reference(p, q, lo, hi)) < ACCURACY


def test_the_largest_and_smallest_numbers():
    big, small = 1.7e308, 5e-324
    for p in (0.0, small, 1.0, big):
        for q in (0.0, small, 1.0, big):
            for lo, hi in ((0.0, 1.0), (small, 1e-300), (1e-300, 1e300), (0.0, 1e300), (1.0, 1 + 2.3e-16)):
                assert lo <= truncated_mean(p, q, lo, hi) <= hi


def test_the_written_out_exponential():
    x = -np.concatenate([np.linspace(0, 3, 700), np.linspace(3, 60, 900), np.linspace(60, 699, 200)])
    with mp.workdps(40):
        worst = max(abs(mp.mpf(float(decay(t))) / mp.exp(mp.mpf(float(t))) - 1) for t in x)
    assert worst < 2.5e-16
    assert decay(0.0) == 1 and 0 <= decay(-1e308) < 1e-300


# epsilon-EWOO --------------------------------------------------------------------------------------------------
def game(seed=0, T=8, D=1.0):
    rng = np.random.default_rng(seed)
    B = rng.uniform(0, D, T) * rng.integers(0, 2, T)
    return B, rng.uniform(0.5, 1.5, T) * 4.0 ** rng.integers(-2, 3, T)


@pytest.mark.parametrize(("domain", "lowest"), [("appendix", 0.3), ("main", 0.0)])
def test_actions_are_those_of_the_definition(domain, lowest):
    B, alpha = game()
    for gamma in (None, 3.0, 1e7):
        got = eps_ewoo(B, alpha, 1.0, 0.3, gamma=gamma, domain=domain)
        rate = 2 / alpha.max() * 0.09 if gamma is None else gamma
        for t in range(8):
            with mp.workdps(DIGITS):
                weights = [mp.mpf(rate) * mp.mpf(x) for x in alpha[:t]]
                p = sum((w * (mp.mpf(b) ** 2 + mp.mpf(0.3) ** 2) for w, b in zip(weights, B, strict=False)), mp.mpf(0))
                want = reference(p, sum(weights, mp.mpf(0)), lowest, mp.sqrt(1 + mp.mpf(0.3) ** 2))
            assert error(got.actions[t, 0], want) < ACCURACY
        assert np.allclose(got.values, alpha * (B**2 / got.actions[:, 0] + got.actions[:, 0]), rtol=1e-15, atol=0)
        assert got.actions.shape == (8, 1) and got.values.shape == got.gap.shape == (8,) and not got.gap.any()


def test_it_agrees_with_ewoo_by_quadrature():
    B, alpha = game(3)
    pairs = [(float(b), float(a)) for b, a in zip(B, alpha, strict=True)]
    terms = [lambda x, b=b, a=a: ((b * b + 0.09) / x + x) * a for b, a in pairs]
    high = math.hypot(1.0, 0.3)
    got = ewoo(terms, exp_concavity(alpha, 1.0, 0.3), 0.3, high)
    assert np.allclose(got.actions, eps_ewoo(B, alpha, 1.0, 0.3).actions, rtol=ACCURACY, atol=0)
    assert np.allclose(got.values, [f(x[0]) for f, x in zip(terms, got.actions, strict=True)], rtol=1e-14, atol=0)


def test_long_sums_stay_accurate():
    T = 200_000 if compiled() else 500
    B, alpha = game(1, T)
    for weights in (alpha, np.full(T, 0.1)):  # equal terms: their roundings do not cancel
        got = eps_ewoo(B, weights, 1.0, 0.1, gamma=2.0).actions[:, 0]
        for t in (63, 64, 65, 128, T - 1):
            p, q = math.fsum(2 * weights[:t] * (B[:t] ** 2 + 0.1**2)), math.fsum(2 * weights[:t])
            # Half of what p and q may be off, 64 + 64 + t/4096 roundings of sums and 8 of a term, and the mean itself.
            allowed = (136 + t / 4096) * 2.0**-53 + 1e-14
            assert error(got[t], reference(p, q, 0.1, math.hypot(1, 0.1))) < allowed


@pytest.mark.parametrize("domain", ["appendix", "main"])
def test_the_past_alone_decides(domain):
    (B, alpha), (C, beta) = game(1, 150), game(2, 150)
    before = eps_ewoo(B, alpha, 1.0, 0.2, gamma=0.7, domain=domain)
    for t in (0, 1, 63, 64, 100, 149):
        other = eps_ewoo(np.append(B[:t], C[t:]), np.append(alpha[:t], beta[t:]), 1.0, 0.2, gamma=0.7, domain=domain)
        assert np.array_equal(before.actions[: t + 1], other.actions[: t + 1])


def test_a_point_interval_is_played():
    assert np.all(eps_ewoo([0.0] * 3, 1.0, 0.0, 0.25).actions == 0.25)
    assert np.all(eps_ewoo([1e-12] * 3, [1.0, 2.0, 3.0], 1e-12, 0.25).actions == 0.25)
    assert np.all(eps_ewoo([0.0] * 3, 1e300, 0.0, 1e-300, gamma=1e290).actions == 1e-300)


def test_the_first_action_is_the_midpoint():
    assert eps_ewoo([0.5], 1.0, 4.0, 3.0).actions[0, 0] == 4.0
    assert eps_ewoo([0.5], 1.0, 4.0, 3.0, domain="main").actions[0, 0] == 2.5


@pytest.mark.parametrize("domain", ["appendix", "main"])
def test_scales_far_apart(domain):
    for unit in (1e-100, 1e-9, 1e9, 1e100):
        for weight, gamma in ((1e-150, 1e-150), (1e150, 1.0), (1e-150, 1e150), (1e150, 1e30)):
            got = eps_ewoo([0, unit, 0.5 * unit], weight, unit, 1e-3 * unit, gamma=gamma, domain=domain).actions
            with mp.workdps(DIGITS):
                rate, eps = mp.mpf(gamma) * mp.mpf(weight), mp.mpf(1e-3 * unit)
                p, lo = rate * (2 * eps**2 + mp.mpf(unit) ** 2), eps if domain == "appendix" else 0
                want = reference(p, 2 * rate, lo, mp.sqrt(mp.mpf(unit) ** 2 + eps**2))
            assert error(got[2, 0], want) < ACCURACY, (unit, weight, gamma)


def test_the_constant_of_the_proposition():
    assert exp_concavity([1.0, 4.0], 2.0, 1.0) == 2 / (4 * 2) / 4
    assert exp_concavity(0.5, 2.0, 3.0) == 2 / (0.5 * 2)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"gamma": 0.0}, ValueError, "gamma must be > 0, got 0.0"),
        ({"gamma": -1}, ValueError, "gamma must be > 0, got -1"),
        ({"gamma": math.nan}, ValueError, "gamma must be finite, got nan"),
        ({"gamma": "2"}, TypeError, "gamma must be a real number, got '2'"),
        ({"gamma": True}, TypeError, "gamma must be a real number, got True"),
        ({"eps": 0.0}, ValueError, "eps must be > 0, got 0.0"),
        ({"eps": -0.1}, ValueError, "eps must be > 0, got -0.1"),
        ({"eps": math.inf}, ValueError, "eps must be finite, got inf"),
        ({"eps": 1e-151}, ValueError, "D / eps must be at most 1e150"),
        ({"D": -1.0}, ValueError, "D must be >= 0, got -1.0"),
        ({"D": math.nan}, ValueError, "D must be finite, got nan"),
        ({"D": 1.7e308, "eps": 1.7e308}, ValueError, "D a moderate float64"),
        ({"B": [0.5, 1.5]}, ValueError, r"B must be at most D=1.0, got .*1.5.* in round 2"),
        ({"B": [0.5, -0.1]}, ValueError, r"B must be >= 0, got .*-0.1.* in round 2"),
        ({"B": [math.nan, 0.0]}, ValueError, "B must be finite"),
        ({"B": []}, ValueError, r"B must not be empty, got \[\]"),
        ({"B": [[0.5, 0.5]]}, ValueError, r"B must be a vector, got an array of shape \(1, 2\)"),
        ({"B": [Exact(0), Exact(1)]}, TypeError, "B must be in floats, got exact numbers"),
        ({"B": ["a", "b"]}, TypeError, "B must hold real numbers"),
        ({"alpha": 0.0}, ValueError, "alpha must be > 0, got .*0.0"),
        ({"alpha": [1.0, -2.0]}, ValueError, "alpha must be > 0, got .*-2.0"),
        ({"alpha": [1.0, math.inf]}, ValueError, "alpha must be finite"),
        (
            {"alpha": [1.0, 1.0, 1.0]},
            ValueError,
            "alpha must be a number or have one entry for each of 2 rounds, got 3",
        ),
        ({"alpha": [1.0]}, ValueError, "alpha must be a number or have one entry for each of 2 rounds, got 1"),
        ({"alpha": []}, ValueError, "alpha must not be empty"),
        ({"domain": "text"}, ValueError, "domain must be 'appendix' or 'main', got 'text'"),
        ({"D": 0.0, "B": [0.0, 0.0], "domain": "main"}, ValueError, "gamma must be given: .* is inf for D=0.0"),
        ({"alpha": 1e308, "gamma": 1e10}, OverflowError, "eps_ewoo left the range of float64"),
        ({"alpha": 1.7e308, "gamma": 1e-300, "D": 9.0, "eps": 9.0}, OverflowError, "a loss is too large"),
    ],
)
def test_bad_input_of_eps_ewoo_is_named(change, kind, message):
    with pytest.raises(kind, match=message):
        eps_ewoo(**{"B": [0.5, 1.0], "alpha": 1.0, "D": 1.0, "eps": 0.5, **change})


# EWOO by quadrature --------------------------------------------------------------------------------------------
def test_the_universal_portfolio_of_one_stock():
    # After k losses -log x the density on [0, 1] is x^k: exp(-loss) is linear, the very edge of exp-concavity.
    got = ewoo([lambda x: -np.log(x)] * 9, 1.0, 0.0, 1.0).actions[:, 0]
    assert np.allclose(got, [(k + 1) / (k + 2) for k in range(9)], rtol=1e-12, atol=0)


def test_squares_give_truncated_normals():
    b = np.array([0.1, 0.9, 0.35, 0.8, 0.2] * 8)
    got = ewoo(losses("square", np.ones((40, 1)), b), 1.0, 0.0, 1.0)
    for t in (1, 2, 20, 39):
        with mp.workdps(DIGITS):
            m, r = mp.mpf(b[:t].mean()), mp.sqrt(t)
            low, high = -m * r, (1 - m) * r
            want = m + (mp.npdf(low) - mp.npdf(high)) / (mp.ncdf(high) - mp.ncdf(low)) / r
        assert error(got.actions[t, 0], want) < 1e-12
    assert np.allclose(got.values, (got.actions[:, 0] - b) ** 2 / 2, rtol=1e-14, atol=1e-300)


def test_losses_and_functions_are_played_alike():
    L = losses("logistic", [[1.0], [-2.0], [0.5]], b=[0.1, 0.2, 0.3], ridge=0.3, c=[[0.2], [0.5], [0.1]])
    terms = [lambda x, i=i: np.log1p(np.exp(-(L.a[i, 0] * x - L.b[i]))) + 0.15 * (x - L.c[i, 0]) ** 2 for i in range(3)]
    one, two = ewoo(L, 0.02, -1.0, 2.0), ewoo(terms, 0.02, -1.0, 2.0)
    assert np.allclose(one.actions, two.actions, rtol=1e-12, atol=0)
    assert np.allclose(one.values, two.values, rtol=1e-14, atol=0)
    assert one.actions[0, 0] == 0.5


def test_a_peak_too_narrow_for_a_literal_quad():
    c = 0.123456789
    weight = lambda x: math.exp(-((1e8 * (x - c)) ** 2))  # noqa: E731
    assert quad(weight, 0, 1) == (0.0, 0.0)
    assert _density_mean(lambda x: (1e8 * (x - c)) ** 2, 0.0, 1.0) == pytest.approx(c, rel=1e-14)
    # At the edge: an exponential of mean 1e-9.
    assert _density_mean(lambda x: 1e9 * x, 0.0, 1.0) == pytest.approx(1e-9, rel=1e-12)


def test_a_mirrored_density_has_the_mirrored_mean_and_takes_no_longer():
    seen = []

    def potential(sign, x):
        seen.append(sign * x.size)
        return 1e9 * sign * x

    right, left = (
        _density_mean(functools.partial(potential, 1), 0.0, 1.0),
        _density_mean(functools.partial(potential, -1), -1.0, 0.0),
    )
    assert right == pytest.approx(-left, rel=1e-13, abs=0) and sum(seen) == 0


def test_the_past_alone_decides_in_ewoo():
    first, second = losses("square", np.ones((4, 1)), b=[0.1, 0.4, 0.9, 0.2]), [0.8, 0.7, 0.3, 0.6]
    before = ewoo(first, 0.5, 0.0, 1.0).actions
    for t in range(4):
        after = ewoo(first._replace(b=np.append(first.b[:t], second[t:])), 0.5, 0.0, 1.0).actions
        assert np.array_equal(before[: t + 1], after[: t + 1])


@pytest.mark.parametrize(
    ("loss", "gamma"),
    [
        (lambda x: x, 1e-3),  # convex, not exp-concave for any gamma
        (lambda x: np.abs(x - 1.3), 0.1),
        (lambda x: (x - 1.5) ** 2 / 2, 4.2),  # exp-concave up to 1/max slope^2 = 4
        (lambda x: -np.log(x), 1.001),
        (lambda x: -(x**2), 1.0),
        (lambda x: 1 / x + x, 40.0),
    ],
)
def test_what_is_not_exp_concave_is_refused(loss, gamma):
    with pytest.raises(ValueError, match=r"losses\[1\] must be exp-concave with gamma=.*, and is not near [12]\."):
        ewoo([lambda x: 0 * x, loss], gamma, 1.0, 2.0)


@pytest.mark.parametrize("offset", [-1e6, 0.0, 1e6])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_rounding_alone_is_not_taken_for_a_lack_of_exp_concavity(offset, scale):
    for edge in (
        lambda x: -scale * np.log(x - offset + 1e-3),
        lambda x: scale * 0 * x + 1e12,
        lambda x: -scale * np.log(1 + np.minimum(x - offset, 0.3)),  # piecewise linear exp(-loss)
        lambda x: scale * (1e9 - np.log(x - offset + 1e-3)),  # a constant beside which the loss loses digits
        lambda x: scale * (-1e9 - np.log(x - offset + 1e-3)),
    ):
        ewoo([edge], 1 / scale, offset, offset + 1)


def test_a_point_interval_in_ewoo():
    got = ewoo(losses("absolute", np.ones((2, 1))), 1.0, 0.5, 0.5)
    assert np.all(got.actions == 0.5) and np.all(got.values == 0.5)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"gamma": 0}, ValueError, "gamma must be > 0, got 0"),
        ({"gamma": math.inf}, ValueError, "gamma must be finite, got inf"),
        ({"gamma": None}, TypeError, "gamma must be a real number, got None"),
        ({"low": 2.0}, ValueError, "high must be >= low, got low=2.0, high=1.0"),
        ({"high": math.nan}, ValueError, "high must be finite, got nan"),
        ({"low": -math.inf}, ValueError, "low must be finite, got -inf"),
        ({"method": "simpson"}, ValueError, "method must be 'quad', got 'simpson'"),
        ({"losses": []}, ValueError, "losses must hold at least one loss, got none"),
        ({"losses": losses("square", [[1.0, 0.0]])}, ValueError, "losses must have dimension 1, got 2"),
        ({"losses": exact(losses("square", [[1.0]]))}, TypeError, "losses must be in floats, got exact numbers"),
        ({"losses": [1.0, 2.0]}, TypeError, r"losses must be a Losses or a sequence of functions, got \[1.0, 2.0\]"),
        ({"losses": np.square}, TypeError, "losses must be a Losses or a sequence of functions"),
        ({"losses": [lambda x: 0.0]}, ValueError, r"losses\[0\] must return real numbers of shape \(255,\), got"),
        ({"losses": [lambda x: x + 1j]}, ValueError, r"losses\[0\] must return real numbers of shape"),
        (
            {"losses": [lambda x: x * math.nan]},
            ValueError,
            r"losses\[0\] must be finite inside the interval, got .*nan",
        ),
    ],
)
def test_bad_input_of_ewoo_is_named(change, kind, message):
    with pytest.raises(kind, match=message):
        ewoo(**{"losses": [np.square], "gamma": 0.5, "low": 0.0, "high": 1.0, **change})


def test_an_unsure_quadrature_is_an_error(monkeypatch):
    monkeypatch.setattr("scipy.integrate.quad", lambda *args, **options: (1.0, 0.5, {}))
    with pytest.raises(ArithmeticError, match="quad is not sure of the action"):
        ewoo([np.square] * 2, 0.5, 0.0, 1.0)
