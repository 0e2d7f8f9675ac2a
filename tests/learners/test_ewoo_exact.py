"""Enclosures of EWOO's actions contain the truth at every precision, and floats agree with them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product

import mpmath as mp
import numpy as np
import pytest
from made import curves
from scipy.integrate import dblquad

from arubatheory.arithmetic import Exact, approximate, ball, exact, precision
from arubatheory.kernel import on
from arubatheory.learners.ewoo import eps_ewoo, ewoo
from arubatheory.learners.ewoo_curves import CORNER, CUBE, curve_mean, inverse_mean, play_affine, play_curves
from arubatheory.learners.ewoo_exact import enclosed_curve_mean, enclosed_mean
from arubatheory.learners.meta import EWOO, Sim, rates_after
from arubatheory.problems.curves import exp_concavity, random_curves, rise
from arubatheory.problems.draw import RandomDraw
from arubatheory.problems.linear import dot

BITS = (128, 256, 1024)


MIXED = curves(["inverse", "quadratic", "loglinear"], [2.0, 0.5, 3.0], [0.25, 1.5, -0.5], [0, 0, 4.0])


def radius(x: Exact) -> float:
    return 0.0 if x.is_rational else float(x.v.rad()) / abs(float(x.v.mid()))


def contains(x: Exact, value: mp.mpf, digits: int) -> bool:
    """Whether the ball meets [value - e, value + e] for a reference of so many digits."""
    middle = mp.mpf(x.v.mid().str(digits + 20, radius=False, more=True)) if not x.is_rational else mp.mpf(str(x))
    return bool(abs(middle - value) <= mp.mpf(str(float(x.v.rad()))) + abs(value) * mp.mpf(10) ** -digits)


def literal(p: float, q: float, lo: float, hi: float) -> mp.mpf:
    """The ratio of the two integrals by mpmath, cut where the integrand changes."""
    p, q, lo, hi = map(mp.mpf, (p, q, lo, hi))
    mode = min(max(mp.sqrt(p / q), lo), hi) if q > 0 else hi
    cuts = sorted({lo, hi, *(x for k in range(-40, 12) if lo < (x := mode * mp.mpf(2) ** k) < hi)})
    inverse = lambda x: p / x if p > 0 else mp.mpf(0)  # noqa: E731
    top = inverse(mode) + q * mode
    density = lambda x: mp.exp(top - inverse(x) - q * x) if x > 0 else mp.exp(top) * (p == 0)  # noqa: E731
    return mean_of(density, cuts)


def mean_of(density, cuts) -> mp.mpf:  # type: ignore[no-untyped-def]
    return mp.quad(lambda x: x * density(x), cuts) / mp.quad(density, cuts)


# p/x + qx ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize(
    ("p", "q", "lo", "hi"),
    [
        (1.0, 2.0, 0.5, 3.0),
        (5.0, 0.0, 0.125, 2.0),
        (0.125, 7.0, 0.0, 1.0),
        (2.0**-30, 40.0, 0.0, 1.0),
        (3.0, 3.0, 2.0, 2.5),
        (1e4, 1e4, 0.25, 4.0),
        (0.0, 3.0, 0.0, 2.0),
    ],
)
def test_the_ball_contains_the_literal_ratio(bits: int, p: float, q: float, lo: float, hi: float) -> None:
    with precision(bits):
        got = enclosed_mean(*map(exact, (p, q, lo, hi)))
        assert radius(got) < 2.0 ** (16 - bits // 2)
        with mp.workdps(60):
            assert contains(got, literal(p, q, lo, hi), 30)


def test_balls_of_higher_precision_lie_in_those_of_lower() -> None:
    numbers = list(map(exact, (0.3, 11.0, 0.0, 1.7)))
    found = []
    for bits in (*BITS, 4096):
        with precision(bits):
            found.append(enclosed_mean(*numbers))
    with precision(8192):
        for wide, narrow in pairwise(found):
            assert wide.v.contains(narrow.v)


@pytest.mark.parametrize("k", range(60))
def test_floats_agree_over_many_scales(k: int) -> None:
    rng = np.random.default_rng(k)
    root, peak, lo = 2.0 ** rng.uniform(-60, 60), 2.0 ** rng.uniform(-70, 10), 2.0 ** rng.uniform(-64, 0) * (k % 4 > 0)
    p, q = float(root * peak), float(root / peak) * (k % 7 > 0)
    with precision(128):
        got = on(inverse_mean, exact(p))(*map(exact, (p, q, lo, 1.0)))
    assert radius(got) < 1e-17
    assert inverse_mean(p, q, lo, 1.0) == pytest.approx(approximate(got), rel=1e-12, abs=0)


def test_an_end_known_as_a_ball_widens_the_answer_by_as_much() -> None:
    with precision(128):
        hi = Exact(2).sqrt()
        at, wide = enclosed_mean(Exact(1), Exact(1), Exact(1), hi), ball(hi, Exact(1) / 1000)
        got = enclosed_mean(Exact(1), Exact(1), Exact(1), wide)
        below, above = (enclosed_mean(Exact(1), Exact(1), Exact(1), exact(x)) for x in (1.4133, 1.4151))
        assert radius(at) < 1e-17 and 1e-4 < radius(got) < 1e-2
        for x in (at, below, above):
            assert got.v.contains(x.v)
        third = enclosed_mean(Exact(1), Exact(2), Exact(Fraction(1, 3)), Exact(Fraction(7, 3)))
    with mp.workdps(50):
        assert contains(third, literal(1, 2, mp.mpf(1) / 3, mp.mpf(7) / 3), 30)


@pytest.mark.parametrize("lo", [0.5, 0.25])
def test_exponents_of_which_half_is_known_still_enclose_what_each_of_them_gives(lo: float) -> None:
    low, high = exact(lo), Exact(100)
    for p in (0, 1) if lo == 0.5 else (1,):
        with precision(128):
            rough = enclosed_mean(ball(p, Fraction(p, 2)), ball(1, Fraction(1, 2)), low, high)
            for a, b in product((1, 3), repeat=2):
                assert rough.v.contains(enclosed_mean(Exact(Fraction(p * a, 2)), Exact(Fraction(b, 2)), low, high).v)


def test_no_weight_a_point_and_ends_too_close_to_tell_apart() -> None:
    assert enclosed_mean(Exact(0), Exact(0), Exact(0), Exact(3)) == Exact(3) / 2
    assert enclosed_mean(Exact(1), Exact(1), Exact(2), Exact(2)) == Exact(2)
    with precision(128):
        one = Exact(1)
        hi = (one + Exact(2) ** -200).sqrt()
        got = enclosed_mean(one, one, one, hi)
        assert got.v.contains(one.v) and radius(got) < 1e-30


@pytest.mark.parametrize("domain", ["appendix", "main"])
def test_eps_ewoo_plays_inside_the_balls(domain: str) -> None:
    rng = np.random.default_rng(5)
    B, alpha, D, eps = rng.uniform(0, 2, 6), rng.uniform(0.5, 1.5, 6), 2.0, 0.3
    played = eps_ewoo(B, alpha, D, eps, domain=domain).actions[:, 0]
    b, a, d, e = map(exact, (B, alpha, D, eps))
    gamma = 2 / (max(a) * d) * (e / d) ** 2
    with precision(128):
        lo = e if domain == "appendix" else Exact(0)
        mass, spread = (np.concatenate([0 * x[:1], np.cumsum(x)[:-1]]) for x in (a, a * (b * b + e * e)))
        got = on(rates_after, a)(Sim(EWOO, d, e, gamma, e, lo), mass, spread)
    assert np.allclose(played, [approximate(x) for x in got], rtol=1e-13, atol=0)
    assert all(radius(x) < 1e-17 for x in got)


# curves --------------------------------------------------------------------------------------------------------
def game(seed: int):  # type: ignore[no-untyped-def]
    draw = RandomDraw(np.random.default_rng(seed))
    m, low = draw.integer(1, 5), draw.positive()
    high = low * (1 + draw.positive(-16, 24))
    c = random_curves(draw, m, low, high)
    return c, exp_concavity(c, low, high), low, high


@pytest.mark.parametrize("seed", range(40))
def test_means_of_curves_in_floats_and_balls(seed: int) -> None:
    c, gamma, low, high = game(seed)
    n = len(c.p)
    with precision(128):
        got = on(curve_mean, exact(low))(exact(c), n, exact(float(gamma)), exact(low), exact(high))
    assert radius(got) < 1e-16
    assert curve_mean(c, n, gamma, low, high) == pytest.approx(approximate(got), rel=2e-5, abs=0)


@pytest.mark.parametrize("bits", (128, 512))
def test_mixed_curves_against_mpmath(bits: int) -> None:
    c, gamma, low, high = MIXED, 0.5, 1.0, 6.0
    terms = (lambda x: 2 / x + x / 4, lambda x: (x - 1.5) ** 2 / 4, lambda x: -3 * mp.log(4 - x / 2))
    for n in range(4):
        with precision(bits):
            got = enclosed_curve_mean(exact(c), n, exact(gamma), exact(low), exact(high))
        with mp.workdps(40):
            want = mean_of(lambda x, n=n: mp.exp(-gamma * sum(f(x) for f in terms[:n])), range(1, 7))
        if n == 0:
            assert got == exact(3.5)
        else:
            with mp.workdps(40):
                assert contains(got, want, 25)
            assert radius(got) < 2.0 ** (16 - bits // 2)
        assert curve_mean(c, n, gamma, low, high) == pytest.approx(float(want), rel=1e-12)


def test_equal_logarithms_are_the_universal_portfolio_of_one_stock() -> None:
    c = curves("loglinear", [1.0] * 6, 1.0, 2.0**-40)
    want = [(k + 1) / (k + 2) for k in range(6)]
    assert np.allclose(play_curves(c, 1.0, 0.0, 1.0), want, rtol=1e-11, atol=0)
    with precision(128):
        got = on(play_curves, exact(c.p))(exact(c), Exact(1), Exact(0), Exact(1))
    assert np.allclose([approximate(x) for x in got], want, rtol=1e-11, atol=0)


def test_the_past_alone_decides() -> None:
    c, gamma, low, high = game(7)
    before = play_curves(c, gamma, low, high)
    for t in range(len(c.p)):
        other = c._replace(p=np.where(np.arange(len(c.p)) < t, c.p, 3 * c.p))
        assert np.array_equal(play_curves(other, gamma, low, high)[: t + 1], before[: t + 1])


def test_the_public_ewoo_takes_curves() -> None:
    c = MIXED
    gamma = exp_concavity(c, 1.0, 6.0)
    got = ewoo(c, gamma, 1.0, 6.0)
    assert np.allclose(got.actions[:, 0], play_curves(c, gamma, 1.0, 6.0), rtol=1e-11, atol=0)
    assert rise(c, 1, 1.5, got.actions[1, 0]) == pytest.approx(got.values[1], rel=1e-12)
    with pytest.raises(ValueError, match=r"losses\[0\] must be exp-concave with gamma=.*, and is not near"):
        ewoo(c, 40.0, 1.0, 6.0)
    with pytest.raises(TypeError, match="losses must be in floats, got exact numbers"):
        ewoo(exact(c), 0.1, 1.0, 6.0)


# products of affine functions ------------------------------------------------------------------------------------
def integral_of_monomial(body: int, powers: tuple[int, ...]) -> Fraction:
    """Over the cube or its corner, by Dirichlet's formula."""
    if body == CUBE:
        return Fraction(1, math.prod(k + 1 for k in powers))
    return Fraction(math.prod(map(math.factorial, powers)), math.factorial(sum(powers) + len(powers)))


def expanded(body: int, v: list[list[Fraction]], d: int) -> dict[tuple[int, ...], Fraction]:
    """The product of the affine functions as a polynomial in x."""
    total = {(0,) * d: Fraction(1)}
    for row in v:
        line = {(0,) * d: sum(row[1::2], Fraction(0)) if body == CUBE else row[d]}
        for j in range(d):
            unit = tuple(int(i == j) for i in range(d))
            line[unit] = row[2 * j] - row[2 * j + 1] if body == CUBE else row[j] - row[d]
        grown: dict[tuple[int, ...], Fraction] = {}
        for (a, s), (b, t) in product(total.items(), line.items()):
            key = tuple(i + j for i, j in zip(a, b, strict=True))
            grown[key] = grown.get(key, Fraction(0)) + s * t
        total = grown
    return total


@pytest.mark.parametrize("body", [CUBE, CORNER])
@pytest.mark.parametrize(("d", "T"), [(1, 6), (2, 6), (3, 5)])
def test_universal_portfolios_are_rational_and_right(body: int, d: int, T: int) -> None:
    rng = np.random.default_rng(d)
    size = 2 * d if body == CUBE else d + 1
    v = rng.integers(1, 9, (T, size)).astype(float)
    got = on(play_affine, exact(v))(body, exact(v))
    rows = [[Fraction(x) for x in row] for row in v]
    for t in range(T):
        density = expanded(body, rows[:t], d)
        mass = sum(s * integral_of_monomial(body, k) for k, s in density.items())
        for j in range(d):
            raised = {tuple(e + (i == j) for i, e in enumerate(k)): s for k, s in density.items()}
            want = sum(s * integral_of_monomial(body, k) for k, s in raised.items()) / mass
            assert got[t, 2 * j if body == CUBE else j] == Exact(want)
    assert np.allclose(play_affine(body, v), approximate(got), rtol=1e-13, atol=0)
    sums = got[:, ::2] + got[:, 1::2] if body == CUBE else got.sum(axis=1)
    assert all(x == 1 for x in np.ravel(sums))


def test_a_triangle_by_scipy() -> None:
    v = np.array([[1.0, 5.0, 2.0], [3.0, 0.5, 1.0], [1.0, 1.0, 1.0]])
    density = lambda y, x: math.prod(dot(row, np.array([x, y, 1 - x - y])) for row in v[:2])  # noqa: E731
    mass = dblquad(density, 0, 1, 0, lambda x: 1 - x)[0]
    moment = dblquad(lambda y, x: x * density(y, x), 0, 1, 0, lambda x: 1 - x)[0]
    assert play_affine(CORNER, v)[2, 0] == pytest.approx(moment / mass, rel=1e-12)
