"""What is no argument at all: masked arrays, wrong containers, integers that overflow, sizes that no memory holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from arubatheory.arithmetic import Number, exact
from arubatheory.engines.exact import certify
from arubatheory.engines.units import units_of
from arubatheory.learners import Aruba, hindsight, matrix_mean, omd, regret
from arubatheory.learners.meta import constant_rate, mean, meta_learn
from arubatheory.learners.transfer import meta_train, scale_of
from arubatheory.problems import constants, domains, norms
from arubatheory.problems.coarse import unit_of_rank, unit_of_scale
from arubatheory.problems.domains import Domain, ball, interval
from arubatheory.problems.draw import Draw, RandomDraw, Tape, TapeDraw, on_grid
from arubatheory.problems.losses import evaluate, losses, rows
from arubatheory.problems.matrices import psd_margin, random_spd
from arubatheory.problems.own.steps import OwnDomain
from arubatheory.problems.projections import projected
from arubatheory.problems.regularizers import entropy, euclidean, random_start
from arubatheory.problems.signatures import Reader, typed
from arubatheory.problems.tasks import FAMILIES, count, deviation, each, quadratics, task, tasks
from arubatheory.statements.effort import budget_of

MASKED = np.ma.array([1.0, 2.0], mask=[False, True])
SQUARE = np.ma.array(np.eye(2), mask=[[False, True], [True, False]])
LINEAR = losses("linear", [[1.0, 0.5], [-0.5, 0.25]])
BALL = ball([0.0, 0.0], 2.0)
PLAYED = omd(LINEAR, BALL, euclidean(2), [0.0, 0.0], 0.5)
TASKS = tasks([LINEAR, LINEAR])


def draw() -> RandomDraw:
    return RandomDraw(np.random.default_rng(0))


# masked arrays -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: domains.box(-1, MASKED), "high"),
        (lambda: ball(MASKED, 1), "center"),
        (lambda: domains.contains(BALL, MASKED), "x"),
        (lambda: domains.contains(BALL, [1.0, np.ma.masked]), "x"),
        (lambda: losses("linear", [MASKED, [1.0, 2.0]]), "a"),
        (lambda: losses("linear", np.eye(2), MASKED), "b"),
        (lambda: losses("linear", exact(np.eye(2)), MASKED), "b"),
        (lambda: evaluate(LINEAR, MASKED), "x"),
        (lambda: omd(LINEAR, BALL, euclidean(2), MASKED, 0.5), "phi"),
        (lambda: regret(PLAYED, LINEAR, MASKED), "comparator"),
        (lambda: deviation(SQUARE), "points"),
        (lambda: FAMILIES["similar"](np.random.default_rng(0), 2, np.ma.array([2, 3], mask=[0, 1]), 2), "m"),
        (lambda: meta_learn(TASKS, BALL, euclidean(2), mean([0, 0]), constant_rate(1), optima=SQUARE), "optima"),
        (lambda: matrix_mean(SQUARE, np.eye(2)), "B2"),
        (lambda: psd_margin(SQUARE), "matrix"),
        (lambda: Aruba(MASKED), "params"),
        (lambda: Aruba(np.zeros(2)).absorb(MASKED, np.ones(2), np.ones(2)), "initial"),
        (lambda: Aruba(np.zeros(2)).absorb(np.ones(2), np.ones(2), MASKED), "squares"),
        (lambda: on_grid(MASKED), "points"),
        (lambda: exact(MASKED), "value"),
    ],
)
def test_a_masked_array_is_refused(call: Callable[[], Any], name: str) -> None:
    with pytest.raises(TypeError, match=rf"^{name}\S* must (not be masked|hold real numbers)"):
        call()


# wrong containers --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("wrong", [None, "x", {}, [[1.0, 2.0]], (BALL,), euclidean(2), np.zeros(2)], ids=repr)
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (domains.dimension, "domain must be a Domain"),
        (domains.center, "domain must be a Domain"),
        (domains.radius, "domain must be a Domain"),
        (domains.diameter, "domain must be a Domain"),
        (domains.extreme_points, "domain must be a Domain"),
        (lambda x: domains.contains(x, [0.0]), "domain must be a Domain"),
        (lambda x: constants.lipschitz(x, BALL), "losses must be a Losses"),
        (lambda x: constants.smoothness(LINEAR, x), "domain must be a Domain"),
        (lambda x: norms.squared_norm(x, [1.0]), "norm must be a Norm"),
        (count, "tasks must be a Tasks"),
        (lambda x: list(each(x)), "tasks must be a Tasks"),
        (lambda x: task(x, 0), "tasks must be a Tasks"),
        (lambda x: tasks([x]), "parts must be a sequence of Losses or Rounds"),
        (lambda x: rows(x, 0, 1), "losses must be a Losses"),
        (lambda x: regret(x, LINEAR, [0.0, 0.0]), "trajectory must be a Trajectory"),
        (lambda x: hindsight(LINEAR, x), "domain must be a Domain or an object with project"),
        (lambda x: scale_of(x, 3), "E must be an Environment"),
        (lambda x: random_spd(x, 2), "draw must be a Draw"),
        (lambda x: random_start(euclidean(2), BALL, x), "draw must be a Draw"),
        (lambda x: quadratics(x, 2, [0.0]), "rng must be a Generator"),
        (lambda x: RandomDraw(x), "rng must be a Generator"),
        (lambda x: certify(x, None), "statement must be a Statement"),
        (lambda x: units_of(x, None), "statement must be a Statement"),
    ],
)
def test_a_wrong_container_is_named(call: Callable[[Any], Any], message: str, wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"^{message}, got "):
        call(wrong)


@pytest.mark.parametrize("wrong", ["x", {}, [[1.0, 2.0]], 1.0], ids=repr)
def test_what_is_written_into_is_an_array(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"^out must be an array, got "):
        projected(BALL, [0.5, 0.5], out=wrong)


@pytest.mark.parametrize("far", [1e30, 1e308])
def test_a_point_far_from_the_simplex_is_projected_onto_a_corner(far: float) -> None:
    assert projected(domains.simplex(3), [far, 0.1, 0.2]).tolist() == [1, 0, 0]
    assert projected(domains.simplex(3), [-far, 0.75, 0.25]).tolist() == [0, 0.75, 0.25]


def test_what_each_annotation_asks_for() -> None:
    @typed
    def f(d: int, name: str = "x", *, on: bool = True, some: Sequence[str] = (), at: Domain | None = None) -> Any:
        return d, name, on, some, at

    assert f(np.int8(3)) == (3, "x", True, (), None) and type(f(np.int8(3))[0]) is int
    assert f(d=2, some=["a"], at=None, on=np.True_)[0] == 2
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        f()
    for given, message in (
        ({"d": True}, "d must be an integer, got True"),
        ({"d": 2.0}, "d must be an integer, got 2.0"),
        ({"d": 1, "name": 3}, "name must be a string, got 3"),
        ({"d": 1, "on": 1}, "on must be True or False, got 1"),
        ({"d": 1, "some": ["a", 1]}, r"some must be a sequence of str, got \['a', 1\]"),
        ({"d": 1, "at": 1}, "at must be a Domain or None, got 1"),
    ):
        with pytest.raises(TypeError, match=message):
            f(**given)


def test_a_class_that_fits_is_not_looked_at_twice_unless_its_values_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    @typed
    def f(draw: Draw, at: OwnDomain | None = None) -> None:
        pass

    one, two = draw(), draw()  # of a class below Draw
    seen, read = [], Reader.read
    monkeypatch.setattr(Reader, "read", lambda self, value: seen.append(value) or read(self, value))
    f(one)
    f(two)
    assert seen == [one]
    f(one, at=SimpleNamespace(project=abs))
    with pytest.raises(TypeError, match="at must be an object with project or None, got namespace"):
        f(one, at=SimpleNamespace())  # of the same class as the one that fits


def test_what_numbers_are_is_left_to_their_readers() -> None:
    @typed
    def f(x: ArrayLike, y: ArrayLike | Domain | None = None, z: Number = 0) -> Any:
        return x, y, z

    given = (exact(np.ones(2)), BALL, Fraction(1, 2))
    assert all(kept is part for kept, part in zip(f(*given), given, strict=True))
    assert f([exact(1.0)], ((0, 1), (2, 3)), exact(1.0))[1] == ((0, 1), (2, 3))


# numbers out of reach ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: draw().simplex(0), ValueError, "d must be >= 1, got 0"),
        (lambda: draw().number(1, 0), ValueError, "denominator must be >= 1"),
        (lambda: draw().real(np.nan, 1), ValueError, "low and high must be finite numbers"),
        (lambda: draw().real(None, 1), TypeError, "low and high must be finite numbers"),
        (
            lambda: TapeDraw(Tape([], [0]), exact=True).real(-np.inf, 1),
            ValueError,
            "low and high must be finite numbers",
        ),
        (
            lambda: draw().positive(-2000, 2),
            ValueError,
            r"low and high must lie in \[-1000, 1000\], low first, got low=-2000",
        ),
        (lambda: draw().real(1, -1), ValueError, ".*low first, got 1 and -1"),
        (lambda: TapeDraw(Tape([], [0]), exact=True).real(1, -1), ValueError, ".*low first, got 1 and -1"),
        (lambda: draw().positive(3, 1), ValueError, ".*low first, got low=3, high=1"),
        (lambda: draw().spd(2, 4, -4), ValueError, ".*low first, got low=4, high=-4"),
        (lambda: draw().positive(0.5, 2), TypeError, "low must be an integer, got 0.5"),
        (lambda: draw().integer(0.5, 2), TypeError, "low must be an integer, got 0.5"),
        (lambda: draw().unit((10**6, 10**6)), ValueError, "shape must hold at most"),
        (lambda: draw().unit(-1), ValueError, "shape must be >= 0"),
        (lambda: unit_of_scale(1e-308, -1e308, 3), TypeError, "rank must be an integer, got 1e-308"),
        (lambda: unit_of_rank(-1, True), ValueError, r"rank must lie in \[0, 2\*\*24\], got -1"),
        (lambda: random_spd(draw(), np.int8(-1)), ValueError, "d must be >= 1, got -1"),
        (lambda: random_spd(draw(), 2, 10**6), ValueError, "octaves must be <= 1000, got 1000000"),
        (lambda: task(TASKS, 1e-308), TypeError, "t must be an integer, got 1e-308"),
        (lambda: euclidean(10**6), ValueError, "d must be at most 11585, got 1000000"),
        (lambda: entropy(10**6), ValueError, "d must be at most 11585, got 1000000"),
        (lambda: domains.space(10**12), ValueError, "d must be at most 134217728, got 1000000000000"),
        (lambda: domains.box(-1, np.broadcast_to(1.0, 10**12)), ValueError, "high must hold at most 134217728 numbers"),
        (lambda: losses("linear", np.broadcast_to(1.0, (10**6, 10**6))), ValueError, "a must hold at most"),
        (lambda: budget_of("quick", "x"), ValueError, "engine must be one of check, .*, got 'x'"),
        (lambda: budget_of("quick", ["check"]), ValueError, "engine must be one of check, "),
        (lambda: meta_train(None, constant_rate(1), 1, 1, 1, None), TypeError, "E must be an Environment, got None"),
        (lambda: regret(PLAYED, exact(LINEAR), [0, 0]), TypeError, "trajectory and losses must be both in floats"),
        (lambda: regret(PLAYED, LINEAR, "x"), TypeError, "comparator must hold real numbers"),
        (lambda: interval(exact(1.0), 2.5), TypeError, "low and high must not mix floats and exact numbers"),
    ],
)
def test_a_number_out_of_reach_is_named(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        call()


def test_a_minimum_out_of_reach_is_an_overflow() -> None:
    far = losses("square", [[1.0, 0.0], [0.0, 1.0]], ridge=0.5)
    with pytest.raises(OverflowError, match="hindsight left the range of float64"):
        hindsight(far, domains.space(2), phi=[1e308, 1e308])


# large arrays ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: losses("linear", x.reshape(20, 40)), "a must be finite, got nan at [3, 5] of shape (20, 40)"),
        (lambda x: losses("linear", x.tolist()), "a must be finite, got nan at [125] of shape (800,)"),
        (lambda x: domains.contains(BALL, x[:125]), "x must have 2 entries, got 125: array([0., 0., 0., ..."),
        (lambda x: omd(LINEAR, x, euclidean(2), [0, 0], 1), "domain must be a Domain or an object with project, got "),
        (lambda x: losses("linear", [[1.0], [1.0, 2.0]] * 400), "a must be a regular array, got [[1.0], [1.0, 2.0], "),
    ],
)
def test_an_error_says_where_in_a_large_array_and_stays_short(call: Callable[[Any], Any], message: str) -> None:
    x = np.zeros(800)
    x[125] = np.nan
    with pytest.raises((TypeError, ValueError)) as error:
        call(x)
    assert str(error.value).startswith(message) and len(str(error.value)) < 250
