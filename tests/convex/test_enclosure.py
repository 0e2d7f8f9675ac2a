"""What encloses a minimiser in exact arithmetic is no error of the claim that asks for it, however far off floats."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory.arithmetic import COUNT, Exact, Undecided, Undefined, approximate, exact, precision
from arubatheory.arithmetic import ball as around
from arubatheory.convex import enclosure
from arubatheory.convex.enclosure import BITS, above, enclosed_minimiser, rational_minorants, refined
from arubatheory.convex.path import products
from arubatheory.convex.problem import Problem
from arubatheory.convex.solver import solve
from arubatheory.kernel import pure
from arubatheory.problems.domains import BALL, SPACE, ball, box, space
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import euclidean

L = exact(losses("absolute", [[0.5, 0.25], [-0.25, 1.0]], [0.5, -2.0]))
P = Problem(L, 2, exact(ball(np.zeros(2), 0.5)), exact(euclidean(2)), exact(np.zeros(2)), Exact(1), Exact(1))


def solved():
    with np.errstate(all="ignore"):  # uncompiled, numpy would warn of pivots that round to zero
        return solve(approximate(P))


def test_a_slack_of_floats_that_no_point_of_the_ball_has_is_no_root_of_a_negative_number():
    state = solved()[2]
    state.ball[0] = 10.0  # (r^2 - |x|^2)/2 is at most 1/8
    with precision(BITS):
        lines = rational_minorants(P, refined(P, state))
    assert all(abs(slope) <= 1 for slope in lines.slope)


def test_what_is_undefined_on_the_way_to_a_minimiser_is_not_decided(monkeypatch):
    def undefined(*_):
        raise Undefined("square root of -1")

    monkeypatch.setattr(enclosure, "rational_minorants", undefined)
    with pytest.raises(Undecided, match="no minimiser was enclosed: square root of -1"):
        enclosed_minimiser(P)


def test_what_is_enclosed_is_where_it_is():
    with precision(BITS):
        theta, radius, gap = enclosed_minimiser(P)
    found, spread = approximate(theta), approximate(radius)
    assert approximate(gap) < 1e-30 and spread.max() < 1e-15
    np.testing.assert_allclose(found, solved()[0], rtol=0, atol=1e-7)


@pytest.mark.parametrize("ratio", [1.0, 2.0**30, 2.0**60])
@pytest.mark.parametrize("rounds", [2, 10])
def test_equal_losses_reach_their_bends_together(rounds, ratio):
    """In the same step: which of them first is undecided, and need not be decided."""
    weight = [ratio, 1 / ratio] * rounds
    equal = exact(losses("huber", [[0.0, 1.0], [-1 / 256, 0.0]] * rounds, [3.0, 0.25] * rounds, weight=weight))
    square = exact(box([0.0, 0.0], [4.0, 4.0]))
    with precision(BITS):
        found = Problem(equal, 2 * rounds, square, P.R, exact(np.ones(2)), Exact(1) / 2**32, Exact(1))
        _theta, radius, _gap = enclosed_minimiser(found)
    assert approximate(radius).max() < 1e-36


def steep(octaves, b):
    """Whose loss pulls 2^(2 octaves) times as hard as the regulariser; what is enclosed, and how far from the kink."""
    start, slope = np.array([-0.984375, -0.828125] * 4), [-0.984375, -0.828125] * 3 + [-0.984375, -0.8359375]
    loss = exact(losses("absolute", [slope], [b], weight=[2.0**octaves]))
    with precision(BITS):
        found = Problem(loss, 1, exact(space(8)), exact(euclidean(8)), exact(start), Exact(2) ** octaves, Exact(1))
        theta, radius, _gap = enclosed_minimiser(found)
        return radius, abs(sum(theta * exact(np.array(slope))) - exact(b))


@pytest.mark.parametrize("b", [1.15, 6.65625])
def test_a_path_that_floats_have_lost_is_followed_from_its_start(b):
    """In floats, Newton's matrix is that of the loss alone."""
    radius, kink = steep(32, b)
    assert approximate(radius).max() < 1e-12 and approximate(kink) < 1e-12


def test_a_gap_beyond_all_floats_is_a_wide_enclosure_and_no_error():
    radius, kink = steep(300, 1.15)
    assert radius[0] > Exact(2) ** 200 and not kink > 8 * radius[0]


@pytest.mark.parametrize("part", ["p", "q", "up", "down"])
def test_a_state_off_the_path_comes_back_to_it(part):
    """Some products are far smaller than the others, and stop all for a while."""
    L = losses("absolute", [[1.0, 0.5], [-0.25, 1.0], [1.0, -1.0]], [0.5, -2.0, 1.0])
    square = exact(box([-4.0, -4.0], [4.0, 4.0]))
    off = Problem(exact(L), 3, square, exact(euclidean(2)), exact(np.zeros(2)), Exact(1), Exact(1))
    with np.errstate(all="ignore"):
        state = solve(approximate(off))[2]
    getattr(state, part)[:2] *= 1e-30
    with precision(BITS):
        assert approximate(pure(products)(off, refined(off, state))[0]) < 1e-50


def test_more_bits_enclose_more_closely():
    widths = []
    for bits in (BITS, 1024):
        with precision(bits):
            widths.append(approximate(enclosed_minimiser(P)[2]))
    assert widths[1] < 1e-60 * widths[0]


def test_a_path_without_products_ends_when_it_has_arrived():
    """It took all of its steps: logistic losses have no products, nor has R^d."""
    bent, spent = exact(losses("logistic", [[1.0, 0.5], [-0.5, 1.0], [0.25, 0.25]], [0.5, -2.0, 0.0])), {}
    for domain in (ball(np.zeros(2), 4.0), space(2)):
        before = COUNT.operations
        with precision(BITS):
            gap = enclosed_minimiser(P._replace(losses=bent, n=3, domain=exact(domain)))[2]
        spent[domain.kind] = COUNT.operations - before
        assert approximate(gap) < 1e-90
    assert spent[SPACE] < spent[BALL]


def test_above_a_ball_is_a_rational_that_no_point_of_it_passes():
    rng = np.random.default_rng(0)
    for bits in [53, 128, 1024] * 50:
        with precision(bits):
            middle, wide = exact(rng.normal(0, 2.0 ** rng.integers(-99, 99), 2))
            some = around(middle, abs(wide)) * around(Exact(1) / 3, Exact(1) / 10 ** int(rng.integers(1, 40)))
            top = above(some)
            assert top.is_rational and bool(top >= some) and not bool(top > some + abs(wide) * 2 + abs(middle))
