"""Curves against their derivatives by mpmath, and exp-concavity against a grid: never over-stated, and sharp."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from made import CURVES, curves

from arubatheory.arithmetic import Exact, Undefined, approximate, exact
from arubatheory.kernel import on
from arubatheory.problems.curves import (
    INVERSE,
    LOGLINEAR,
    QUADRATIC,
    Curves,
    exp_concavity,
    random_curves,
    rise,
    slope,
    sums,
    value,
)
from arubatheory.problems.draw import RandomDraw

THREE = curves(CURVES, p=[2.0, 0.5, 3.0], q=[0.25, 1.5, -0.5], r=[0.0, 0.0, 4.0])
LITERAL = (lambda x: 2 / x + x / 4, lambda x: (x - mp.mpf(1.5)) ** 2 / 4, lambda x: -3 * mp.log(4 - x / 2))


def curvature(c, i, x):
    """The second derivative, exactly in exact numbers."""
    if c.code[i] == INVERSE:
        return 2 * c.p[i] / (x * x * x)
    if c.code[i] == QUADRATIC:
        return c.p[i] + 0 * x
    s = c.q[i] / (c.q[i] * x + c.r[i])
    return c.p[i] * s * s


def drawn(seed: int) -> tuple[Curves, float, float]:
    draw = RandomDraw(np.random.default_rng(seed))
    m, low = draw.integer(1, 4), draw.positive()
    high = low * (1 + draw.positive(-16, 24))
    return random_curves(draw, m, low, high), low, high


@pytest.mark.parametrize("i", range(3))
@pytest.mark.parametrize("x", [0.5, 1.5, 2.0, 6.5])
def test_value_slope_and_curvature(i: int, x: float) -> None:
    f = LITERAL[i]
    with mp.workdps(40):
        assert value(THREE, i, x) == pytest.approx(float(f(mp.mpf(x))), rel=1e-14, abs=1e-15)
        for kernel, order in ((slope, 1), (curvature, 2)):
            assert kernel(THREE, i, x) == pytest.approx(float(mp.diff(f, mp.mpf(x), order)), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("i", range(3))
def test_rises_are_differences_of_values_and_keep_their_digits(i: int) -> None:
    f = LITERAL[i]
    for x, y in ((0.5, 6.0), (2.0, 2.0 + 2.0**-40), (1.0, 1.0)):
        with mp.workdps(60):
            want = float(f(mp.mpf(y)) - f(mp.mpf(x)))
        assert rise(THREE, i, x, y) == pytest.approx(want, rel=1e-14, abs=1e-300)
    exactly = exact(THREE)
    gap = on(rise, exact(0.5))(exactly, i, exact(0.5), exact(6.0))
    assert approximate(gap) == pytest.approx(rise(THREE, i, 0.5, 6.0), rel=1e-14)


def test_sums_over_a_range_of_curves() -> None:
    x = np.array([0.5, 1.5, 6.5])
    want = [value(THREE, 1, t) + value(THREE, 2, t) for t in x]
    assert np.allclose(sums(THREE, 1, 3, x), want, rtol=1e-15, atol=0)
    assert [approximate(t) for t in on(sums, exact(x))(exact(THREE), 1, 3, exact(x))] == pytest.approx(want, rel=1e-14)


def test_exact_values_are_rational_where_they_can_be() -> None:
    c = exact(THREE)
    assert on(value, c.p)(c, 0, Exact(2)) == Exact(3) / 2
    assert on(slope, c.p)(c, 1, Exact(2)) == Exact(1) / 4
    assert curvature(c, 2, Exact(2)) == Exact(1) / 12


@pytest.mark.parametrize("seed", range(40))
def test_exp_concavity_is_the_least_ratio_and_never_over_stated(seed: int) -> None:
    c, low, high = drawn(seed)
    gamma = exp_concavity(c, low, high)
    sharp = on(exp_concavity, exact(low))(exact(c), exact(low), exact(high))
    assert sharp.is_rational and not exact(float(gamma)) > sharp
    assert gamma == pytest.approx(approximate(sharp), rel=1e-3)  # next to a minimum f' is a difference of equals
    x, e = np.geomspace(low, high, 200), exact(c)
    points = [exact(float(t)) for t in np.clip(x, low, high)] + [exact(low), exact(high)]
    ratios = []
    for i in range(len(c.p)):
        for t in points:
            first, second = on(slope, t)(e, i, t), curvature(e, i, t)
            assert sharp * first * first <= second
            ratios.append(sharp * first * first / second)
    assert max(ratios) == 1  # at an end of the interval, or everywhere


def test_exp_concavity_by_hand() -> None:
    assert exp_concavity(curves("loglinear", 4.0, 1.0, 0.0), 0.0, 1.0) == pytest.approx(1 / 4, rel=1e-14)
    assert exp_concavity(curves("quadratic", 2.0, 1.5), 1.0, 4.0) == pytest.approx(1 / (2 * 2.5**2), rel=1e-14)
    # The paper's own: D = eps = 1, B = 0, so p = 1 and the right end is sqrt 2: 2 sqrt 2.
    assert exp_concavity(curves("inverse", 1.0, 1.0), 1.0, np.sqrt(2)) == pytest.approx(2 * np.sqrt(2), rel=1e-14)
    assert exp_concavity(curves("inverse", 1.0, 1.0), 0.0, 1.0) == 0
    assert exp_concavity(curves("inverse", 1.0, 1.0), 1.0, 1.0) > 1e28  # a minimum alone
    with pytest.raises(Undefined):
        on(exp_concavity, Exact(1))(exact(curves("inverse", 1.0, 1.0)), Exact(1), Exact(1))


def test_drawn_curves_are_defined_on_their_interval_and_of_all_kinds() -> None:
    seen = set()
    for seed in range(60):
        c, low, high = drawn(seed)
        seen |= set(c.code.tolist())
        assert (c.p > 0).all()
        for i in range(len(c.p)):
            assert np.isfinite([value(c, i, low), value(c, i, high)]).all()
    assert seen == {INVERSE, QUADRATIC, LOGLINEAR}
