"""Exact numbers: rationals and balls that refuse to guess, and never turn into floats by themselves."""

from __future__ import annotations

import contextlib
import copy
import math
import operator
import pickle
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import flint
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arubatheory import arithmetic
from arubatheory.arithmetic import (
    COUNT,
    Exact,
    Undecided,
    Undefined,
    approximate,
    ball,
    exact,
    is_exact,
    midpoint,
    precision,
)

HALF = Exact(Fraction(1, 2))
ROOT2 = Exact(2).sqrt()
OPERATORS = (operator.add, operator.sub, operator.mul, operator.truediv)
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
fractions = st.fractions(-100, 100, max_denominator=1000)


def encloses(number: Exact, truth: mpmath.mpf) -> bool:
    """Whether the ball (or rational) contains `truth`, an mpmath number of many more digits."""
    if number.is_rational:
        return bool(abs(mpmath.mpf(int(number.v.p)) / int(number.v.q) - truth) < mpmath.mpf(10) ** -150)
    middle, radius = (_to_mpmath(part) for part in (number.v.mid(), number.v.rad()))
    return bool(abs(middle - truth) <= radius)


def _to_mpmath(x: flint.arb) -> mpmath.mpf:
    mantissa, exponent = x.man_exp()
    return mpmath.mpf(int(mantissa)) * mpmath.mpf(2) ** int(exponent)


# traps -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("op", OPERATORS + COMPARISONS)
@pytest.mark.parametrize("number", [HALF, ROOT2])
@pytest.mark.parametrize("stranger", [0.5, np.float64(0.5)])
def test_floats_do_not_leak_in(op, number, stranger):
    with pytest.raises(TypeError, match="does not mix with float"):
        op(number, stranger)
    with pytest.raises(TypeError, match="float"):
        op(stranger, number)


@pytest.mark.parametrize("op", OPERATORS)
def test_truth_values_do_not_mix(op):
    with pytest.raises(TypeError, match="truth value True"):
        op(HALF, True)


def test_max_with_a_float_zero_is_refused():
    with pytest.raises(TypeError, match="does not mix"):
        max(0.0, HALF)


def test_float_buffers_and_math_functions_are_refused():
    buffer = np.zeros(1)
    for number in (HALF, ROOT2):
        with pytest.raises(TypeError, match="never turns into a float"):
            buffer[0] = number
        for function in (float, math.sqrt, math.exp):
            with pytest.raises(TypeError, match="never turns into a float"):
                function(number)


@pytest.mark.parametrize("compare", COMPARISONS)
def test_overlapping_balls_raise(compare):
    other = Exact(3).sqrt() * Exact(2).sqrt() / Exact(3).sqrt()
    with pytest.raises(Undecided):
        compare(ROOT2, other)


def test_branches_of_undecidable_balls_raise_in_max_and_argmin():
    twin = 2 / ROOT2
    with pytest.raises(Undecided):
        max(ROOT2, twin)
    with pytest.raises(Undecided):
        np.argmin(np.array([ROOT2, twin], dtype=object))
    with pytest.raises(Undecided):
        bool(ROOT2 - twin)


def test_separated_balls_compare():
    assert ROOT2 < Exact(3).sqrt() <= Exact(2)
    assert ROOT2 > Fraction(7, 5)
    assert ROOT2 != 1
    assert not ROOT2 == Fraction(3, 2)
    assert bool(ROOT2)


def test_operations_without_a_real_value_are_undefined():
    for action in (lambda: HALF / 0, lambda: 1 / Exact(0), lambda: Exact(0) ** -1):
        with pytest.raises(Undefined, match="by zero"):
            action()
    for action in (lambda: Exact(-1).sqrt(), lambda: (-ROOT2).sqrt()):
        with pytest.raises(Undefined, match="square root of"):
            action()
    for action in (lambda: Exact(0).log(), lambda: Exact(-2).log(), lambda: (-ROOT2).log()):
        with pytest.raises(Undefined, match="logarithm of"):
            action()


def test_operations_that_a_wide_ball_cannot_settle_are_undecided():
    doubtful = ROOT2 - 2 / ROOT2
    for action in (lambda: 1 / doubtful, doubtful.sqrt, doubtful.log):
        with pytest.raises(Undecided):
            action()


def test_a_ball_that_blows_up_is_undecided():
    x = ball(0, 1000)
    with pytest.raises(Undecided, match="blew up"):
        for _ in range(6):
            x = x.exp()


@pytest.mark.parametrize("x", [HALF, ROOT2], ids=str)
def test_an_infinite_float_is_compared_with_and_not_computed_with(x):
    """As in `best = math.inf`, from which a minimum starts; 0 as a quotient would be a rounding of an overflow."""
    infinity = math.inf
    assert x < infinity and -infinity < x <= infinity and x != infinity and not x >= infinity and not -infinity == x
    assert min(infinity, x) is x and max(x, -infinity) is x and min(np.float64(math.inf), x) is x
    for action in (lambda: x + infinity, lambda: infinity - x, lambda: 0 * x * infinity, lambda: x / infinity):
        with pytest.raises(Undecided):
            action()
    for action in (lambda: x < math.nan, lambda: x == math.nan, lambda: x + math.nan):
        with pytest.raises(Undecided):
            action()


def test_powers():
    assert HALF**3 == Fraction(1, 8)
    assert HALF**-2 == 4
    assert HALF**0 == 1
    assert HALF ** np.int64(3) == HALF**3.0 == Fraction(1, 8)
    for wrong in (1 / 3, Fraction(1, 3), math.inf, math.nan, "2", None, 1 / 32):
        with pytest.raises(TypeError, match="multiples of 1/16 as powers, got"):
            HALF**wrong


def test_powers_by_roots_stay_rational_where_they_are():
    quarter = Exact(Fraction(1, 4))
    assert quarter**0.5 == HALF and quarter**-1.5 == 8 and (quarter * quarter) ** Fraction(1, 4) == HALF
    assert Exact(0) ** 0.5 == 0 and Exact(16) ** 0.0 == 1
    assert approximate(HALF ** (3 / 16)) == pytest.approx(0.5 ** (3 / 16))
    with pytest.raises(Undefined):
        (-HALF) ** 0.5
    with pytest.raises(Undefined):
        Exact(0) ** -0.5


def test_powers_that_are_numbers_themselves():
    third = Exact(Fraction(1, 3))
    assert HALF ** Exact(2) == 2 ** Exact(-2) == Fraction(1, 4) and Exact(0) ** third == 0 and Exact(0) ** Exact(0) == 1
    assert approximate(HALF**third) == pytest.approx(0.5 ** (1 / 3)) and approximate(2**HALF) == pytest.approx(2**0.5)
    assert approximate(np.array([HALF, third]) ** HALF) == pytest.approx([0.5**0.5, 3**-0.5])
    for wrong in (lambda: (-HALF) ** third, lambda: Exact(0) ** -third):
        with pytest.raises(Undefined):
            wrong()
    with pytest.raises(TypeError, match="write x / 2"):
        0.5**HALF


@pytest.mark.parametrize("name", ["log1p", "log2", "expm1", "sinh", "cosh", "tanh"])
@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(7, 2)])
def test_numpy_s_functions_of_entries_are_near_the_value(name, x):
    """The balls are near what mpmath says."""
    with mpmath.workdps(60):
        truth = {"log2": lambda t: mpmath.log(t, 2)}.get(name, getattr(mpmath, name, None))(
            mpmath.mpf(x.numerator) / x.denominator
        )
        with precision(128):
            seen = getattr(np, name)(np.array([Exact(x)]))[0]
        near = Exact(Fraction(int(mpmath.nint(truth * 10**40)), 10**40))
    with precision(128):
        assert abs(seen - near) < Fraction(1, 10**25)
    assert approximate(seen) == pytest.approx(getattr(np, name)(float(x)), rel=1e-14)


def test_numpy_s_variance_is_exact():
    values = np.array([Exact(1), Exact(2), Exact(6)])
    assert np.var(values) == Fraction(14, 3) and np.vdot(values, values) == 41


# rationals stay rational -----------------------------------------------------------------------------------------
@given(fractions, fractions)
def test_rational_arithmetic_agrees_with_fractions(p, q):
    x, y = Exact(p), Exact(q)
    for op in OPERATORS[:3]:
        assert op(x, y).is_rational
        assert op(x, y) == op(p, q)
        assert op(x, q) == op(p, y) == op(p, q)
    for compare in COMPARISONS:
        assert compare(x, y) is compare(p, q)
    assert abs(x) == abs(p) and -x == -p and +x == p
    assert (y == 0) or x / y == p / q


@given(fractions)
def test_roots_of_rational_squares_stay_rational(p):
    assert (Exact(p) ** 2).sqrt() == abs(p)
    assert (Exact(p) ** 2).sqrt().is_rational


def test_exp_and_log_keep_the_rational_values_they_have():
    assert Exact(0).exp() == 1 and Exact(0).exp().is_rational
    assert Exact(1).log() == 0 and Exact(1).log().is_rational
    assert not Exact(1).exp().is_rational


# rationals that grow ---------------------------------------------------------------------------------------------
def halving(x: Exact, y: Exact, steps: int) -> Iterator[Exact]:
    """A dozen exact divisions, each with almost three times the digits of the one before."""
    for _ in range(steps):
        x, y = (x * x + y) / (y + 3), x / (x + y + 1)
        yield x


def test_a_rational_that_grows_threefold_becomes_a_ball():
    seen = list(halving(exact(0.912), exact(0.294), 15))
    assert seen[10].is_rational and not seen[14].is_rational  # without a limit: 10^8 bits, and minutes
    truth = list(halving(mpmath.mpf(0.912), mpmath.mpf(0.294), 15))
    assert abs(approximate(seen[14]) - truth[14]) <= 1e-12


@given(fractions, fractions, st.lists(st.sampled_from(OPERATORS), min_size=3, max_size=9))
def test_a_rational_beyond_the_limit_is_enclosed_and_never_decided_wrongly(p, q, operators):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arithmetic, "LONG", 16)
        patch.setattr(arithmetic, "LONGEST", 24)
        x, truth, other = Exact(p), p, q
        for op in operators:
            if other == 0:
                return
            x, truth, other = op(x, Exact(other)), op(truth, other), truth
        bits = max(truth.numerator.bit_length(), truth.denominator.bit_length())
        assert not x.is_rational or bits <= 24
        with precision(256):  # `contains` rounds a rational to the precision that is asked for
            assert x.is_rational or x.v.contains(flint.fmpq(truth.numerator, truth.denominator))
        for compare in COMPARISONS:
            with contextlib.suppress(Undecided):
                assert compare(x, q) is compare(truth, q)


def test_a_large_power_of_a_rational_is_a_ball_at_once(monkeypatch):
    tiny = Exact(Fraction(1, 3)) ** 10**12  # with 10^12 digits
    assert not tiny.is_rational and 0 < tiny < Fraction(1, 10**1000) and approximate(tiny) == 0
    assert (Exact(2) ** (1 << 21)).is_rational
    assert (Exact(1) ** 10**30, Exact(-1) ** (10**30 + 1), Exact(0) ** 10**30) == (1, -1, 0)
    monkeypatch.setattr(arithmetic, "LONGEST", 24)
    enclosed = Exact(Fraction(1, 3)) ** 40
    assert not enclosed.is_rational and enclosed.v.contains(flint.fmpq(1, 3**40))


def test_long_rationals_are_counted_inside_a_precision_only(monkeypatch):
    monkeypatch.setattr(arithmetic, "MOST_LONG", 1 << 20)

    def sums(n: int) -> list[bool]:
        x = Exact(2) ** (1 << 17)
        return [(x + k).is_rational for k in range(n)]

    assert all(sums(20))
    for _ in range(2):  # each context counts for itself, one inside another with it
        with precision(128):
            known = sums(4)
            with precision(256):
                known += sums(4)
        assert known == [True] * 5 + [False] * 3
    with precision(128):
        with precision(256):  # the first to count anything
            known = sums(4)
        assert known + sums(4) == [True] * 5 + [False] * 3
    assert all(sums(20))


def test_a_number_of_a_million_digits_is_named_by_a_few():
    large = Exact(7) ** (1 << 20)
    for action in (lambda: large / 0, (-large).sqrt, (-large).log):
        with pytest.raises(Undefined) as caught:
            action()
        assert len(str(caught.value)) < 100
    assert len(repr(large)) < 100


# balls contain the truth -----------------------------------------------------------------------------------------
@given(st.fractions(Fraction(1, 50), 50, max_denominator=100), st.sampled_from([32, 128, 512]))
def test_balls_enclose_what_mpmath_computes(p, bits):
    with mpmath.workprec(2048), precision(bits):
        x, truth = Exact(p), mpmath.mpf(p.numerator) / p.denominator
        assert encloses(x.sqrt(), mpmath.sqrt(truth))
        assert encloses(x.exp(), mpmath.exp(truth))
        assert encloses(x.log(), mpmath.log(truth))
        assert encloses(x.sqrt().exp() - x.log() / 3, mpmath.exp(mpmath.sqrt(truth)) - mpmath.log(truth) / 3)
        assert encloses(abs(x.log()) * x.sqrt(), abs(mpmath.log(truth)) * mpmath.sqrt(truth))


@given(fractions, st.fractions(0, 5, max_denominator=100), st.fractions(-1, 1, max_denominator=100))
def test_a_ball_contains_its_points(centre, radius, t):
    whole = ball(centre, radius)
    point = centre + t * radius
    assert (not whole.is_rational) or radius == 0
    for shifted in (whole - point, whole - centre):
        if shifted.is_rational:
            assert shifted == 0 or radius > 0
        else:
            assert shifted.v.contains(0)


def test_midpoint_is_a_rational_inside():
    middle = midpoint(ROOT2)
    assert middle.is_rational
    assert not ROOT2.is_rational and ROOT2.v.contains(middle.v)
    assert midpoint(HALF) is HALF
    big = midpoint(Exact(2) ** 300 * ROOT2)
    assert big.is_rational and big > Exact(2) ** 300


def test_precision_is_local_and_narrows_balls():
    widths = []
    for bits in (64, 256):
        with precision(bits):
            widths.append(float(Exact(2).sqrt().v.rad()))
    assert widths[1] < widths[0] * 2.0**-180
    before = flint.ctx.prec
    with pytest.raises(RuntimeError, match="inside"), precision(77):
        raise RuntimeError("inside")
    assert flint.ctx.prec == before


def test_more_bits_settle_a_close_comparison():
    # 577/408 and sqrt(2) agree to 2e-6; a convergent far down the line to 2**-200.
    p, q = 1, 1
    for _ in range(80):
        p, q = p + 2 * q, p + q
    with precision(128), pytest.raises(Undecided):
        assert Exact(2).sqrt() != Fraction(p, q)
    with precision(1024):
        assert Exact(2).sqrt() != Fraction(p, q)


# arrays and conversion -------------------------------------------------------------------------------------------
def test_numpy_works_elementwise():
    x = exact(np.array([0.5, 0.25]))
    assert x.dtype == object
    assert list(x + HALF) == list(HALF + x) == [1, Fraction(3, 4)]
    assert list(1 - x) == [HALF, Fraction(3, 4)]
    assert x @ x == Fraction(5, 16)
    assert list(np.sqrt(x * x)) == list(x)
    assert (x > Fraction(1, 3)).tolist() == [True, False]
    assert list(HALF / x) == [1, 2]


class Pair(NamedTuple):
    a: np.ndarray
    k: int


def test_exact_walks_through_values():
    out = exact((Pair(np.array([[0.1, 2.0]]), 3), 0.5, Fraction(1, 3), "name", np.array([1, 2]), None))
    assert isinstance(out[0], Pair) and out[0].k == 3
    assert out[0].a.shape == (1, 2) and out[0].a[0, 0] == Fraction(0.1)
    assert out[1] == HALF and out[2] == Fraction(1, 3) and out[3] == "name" and out[5] is None
    assert out[4].dtype.kind == "i"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_exact_refuses_what_is_not_finite(bad):
    with pytest.raises(ValueError, match="only a finite number has an exact value"):
        exact(bad)
    with pytest.raises(ValueError, match="finite"):
        exact(np.array([bad]))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_make_the_round_trip(x):
    assert approximate(exact(x)) == x
    assert approximate(exact(np.array([x, 1.0]))).tolist() == [x, 1.0]


def test_approximate_walks_through_values():
    out = approximate((Pair(np.array([HALF, ROOT2], dtype=object), 1), Fraction(1, 4), "name"))
    assert out[0].a.dtype == np.float64
    assert out[0].a[0] == 0.5
    assert abs(out[0].a[1] - math.sqrt(2)) <= np.spacing(math.sqrt(2))
    assert out[1:] == (0.25, "name")


def test_is_exact():
    assert is_exact(HALF) and is_exact(np.array([HALF]))
    assert not is_exact(0.5) and not is_exact(np.zeros(2)) and not is_exact(3)


def test_operations_are_counted():
    before = COUNT.operations
    (HALF + 1) * HALF / 3 - ROOT2.sqrt()
    assert COUNT.operations - before == 5


def test_reprs_and_hashes():
    assert repr(HALF) == "Exact(1/2)"
    assert hash(Exact(Fraction(2, 4))) == hash(HALF)
    assert len({HALF, Exact(Fraction(1, 2))}) == 1


@given(st.fractions(Fraction(1, 10**6), 10**6), st.sampled_from([8, 53, 128, 1000]), st.integers(-400, 400))
def test_numbers_are_pickled_and_copied_as_they_are(p, bits, k):
    with precision(bits):
        numbers = [Exact(p), Exact(p).sqrt(), Exact(p).log(), Exact(p).exp() if p < 1000 else Exact(0)]
        numbers.append(ball(Exact(p).sqrt(), Exact(Fraction(2) ** k)))
        numbers.append(Exact(flint.arb(p.numerator)))  # a ball without a radius
    for number in numbers:
        for again in (pickle.loads(pickle.dumps(number)), copy.deepcopy(number)):
            assert type(again.v) is type(number.v)
            if number.is_rational:
                assert again == number
            else:
                assert again.v.mid().man_exp() == number.v.mid().man_exp()
                assert again.v.rad().man_exp() == number.v.rad().man_exp()
