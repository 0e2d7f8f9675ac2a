"""The facts that appendix D starts from by other routes: sums of a million terms, pivots of whole matrices, by hand."""

import numpy as np
import pytest
from scipy.integrate import quad

from arubatheory.arithmetic import Exact, approximate
from arubatheory.engines.check import check
from arubatheory.kernel import on
from arubatheory.papers.aruba.d_geometry import opconvex as operators
from arubatheory.papers.aruba.d_geometry import powersum as powers
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.matrices import inverse, product, psd_margin, random_spd
from arubatheory.statements.core import statements_in

LONG = 10**6
PAIR = [((1, 1), (1, 2)), ((2, 0), (0, 3))]
BY_LABEL = {s.label: s for s in (*statements_in(vars(powers)), *statements_in(vars(operators)))}


@pytest.mark.parametrize("p", [1e-6, 0.1, 0.4, 0.5, 0.9, 1 - 1e-6])
def test_power_sums_of_a_million_terms(p):
    """The worst t is 1 for the lower bounds; the ratio of the upper bound rises to 1."""
    t = np.arange(1, LONG + 1, dtype=np.float64)
    sums, claimed = np.cumsum(t**-p), t ** (1 - p)
    lower = powers.lower_constant(p) * claimed
    for total in (sums, sums - 1 + (t + 1) ** -p):
        ratios = lower / total
        assert np.argmax(ratios) == 0
        assert ratios[0] < 1
    ratios = sums * (1 - p) / claimed
    assert np.all(np.diff(ratios) > -1e-13)
    assert ratios[0] == pytest.approx(1 - p)
    assert ratios[-1] < 1 + 1e-9


def test_the_lower_constants_reach_their_limits_at_one_term():
    p = 1 - 2.0**-24
    assert powers.lower_constant(p) == pytest.approx(np.log(1.5), rel=1e-6)
    assert powers.lower_constant(p) * 2**p == pytest.approx(2 * np.log(1.5), rel=1e-6)
    assert powers.lower_constant(0.5) == pytest.approx(2 * (1 - np.sqrt(2 / 3)), rel=1e-15)
    ball = powers.lower_constant(Exact(1) / 2)
    assert approximate(ball) == pytest.approx(2 * (1 - np.sqrt(2 / 3)), rel=1e-15)


@pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 0.99])
@pytest.mark.parametrize("t", [1, 2, 7])
def test_the_antiderivatives_are_the_printed_integrals(p, t):
    assert powers.integral(2, t + 2, p) == pytest.approx(quad(lambda s: (s + 1) ** -p, 1, t + 1)[0], rel=1e-10)
    assert powers.integral(2, t + 2, p) == pytest.approx(((t + 2) ** (1 - p) - 2 ** (1 - p)) / (1 - p), rel=1e-10)
    assert 1 + powers.integral(1, t, p) == pytest.approx(1 + (t ** (1 - p) - 1) / (1 - p), rel=1e-10)


def test_the_printed_weighted_norm_fails_on_one_and_minus_one():
    """<sqrt a, x> is negative at a = 1, x = -1: 0 <= -1."""
    witness = check(BY_LABEL["text:weighted-norm/literal"], 200, 1).simplest
    assert (witness.lhs, witness.rhs, witness.bits) == ("0", "-1", 0)
    assert (witness.instance["a"]["array"], witness.instance["x"]["array"]) == (["1"], ["-1"])
    for label in ("text:weighted-norm/literal/dual", "text:weighted-norm/literal/absolute"):
        assert check(BY_LABEL[label], 200, 1).status == "REFUTED"


def gap(function, x, y, t):
    return t * function(x) + (1 - t) * function(y) - function(t * x + (1 - t) * y)


def square(x):
    return on(product, x)(x, x)


def cube(x):
    return on(product, x)(square(x), x)


@pytest.mark.parametrize("seed", range(20))
def test_the_gaps_of_operator_convex_functions_are_semidefinite_by_exact_pivots(seed):
    """All directions at once, where the statements try one."""

    def drawn(draw):
        return random_spd(draw, 1 + seed % 4), random_spd(draw, 1 + seed % 4), draw.unit()

    draw = RandomDraw(np.random.default_rng(seed))
    drawn(draw)
    x, y, t = drawn(TapeDraw(draw.tape, exact=True))
    assert psd_margin(gap(lambda z: on(inverse, z)(z), x, y, t)) >= 0
    assert psd_margin(gap(square, x, y, t)) >= 0


def test_the_cube_is_convex_for_numbers_and_not_for_matrices():
    """At t = 1/2 the gap of this pair is ((7, -9), (-9, 11))/4, of determinant -1/4."""
    numbers = [np.array([[Exact(a)]], dtype=object) for a in (5, 1)]
    assert psd_margin(gap(cube, *numbers, Exact(1) / 2)) > 0
    x, y = (np.array([[Exact(a) for a in row] for row in rows], dtype=object) for rows in PAIR)
    found = gap(cube, x, y, Exact(1) / 2)
    assert (found * 4).tolist() == [[7, -9], [-9, 11]]
    assert psd_margin(found) < 0
    assert psd_margin(gap(square, x, y, Exact(1) / 2)) >= 0
