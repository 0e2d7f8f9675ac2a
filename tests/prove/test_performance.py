"""Certificates for PEPit's problems: some of its own examples, a problem of one's own, and what cannot be proved."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from arubatheory.engines import pep_games  # noqa: F401  (PEPit warns when it is imported; this is its door)
from arubatheory.prove import Proof, Unproved, certify
from arubatheory.prove.check_certificate import check
from arubatheory.prove.pep import LONG, Floats, captured, problem_of
from verification import pepit_examples

CHEAP = (  # with an interior and without, an equality, a matrix, two metrics, irrational steps, an optimum 0
    *("gradient_descent_contraction", "online_follow_leader", "conjugate_gradient.py", "gradient_descent_quadratics"),
    *("gradient_descent_lyapunov_1", "online_gradient_descent", "subgradient_method_rsi_eb", "sgd.py"),
)


def descent(step: float = 0.1, n: int = 1) -> Callable[[], Any]:
    """n steps of gradient descent on a 1-smooth convex function."""

    def build() -> Any:
        from PEPit import PEP
        from PEPit.functions import SmoothConvexFunction

        pep = PEP()
        f = pep.declare_function(SmoothConvexFunction, L=1)
        best, x = f.stationary_point(), pep.set_initial_point()
        pep.set_initial_condition((x - best) ** 2 <= 1)
        for _ in range(n):
            x = x - step * f.gradient(x)
        pep.set_performance_metric(f(x) - f(best))
        return pep

    return build


@pytest.mark.parametrize("name", CHEAP)
def test_examples_of_pepit_are_certified(name: str) -> None:
    path = pepit_examples.scripts([f"/{name}"])[0]
    found = pepit_examples.example(path)
    assert isinstance(found.proof, Proof), found.proof
    assert found.slack == 1e-6
    assert float(Fraction(found.proof.data["parts"][0]["bound"])) == pytest.approx(found.dual, rel=2e-6, abs=1e-6)


def test_the_bound_of_a_textbook_is_proved_as_it_stands() -> None:
    found = certify(descent(1.0), 1 / 6)  # L R^2 / (4 n + 2), attained
    assert isinstance(found, Proof)
    assert (found.slack, found.data["parts"][0]["claimed"]) == (0, "1/6")
    assert found.scope == "every dimension; data as given"
    check(found.to_json())


def test_a_bound_that_rounding_would_raise_is_not_the_one_that_is_proved() -> None:
    found = certify(descent(1.0), 1 / 6 - 1e-16)
    assert isinstance(found, Proof)
    assert (
        found.slack > 0
        and "1/6" not in found.data["parts"][0]["claimed"]
        and found.scope != "every dimension; data as given"
    )


def test_a_pep_that_was_built_already_is_certified_too() -> None:
    found = certify(descent()())
    assert isinstance(found, Proof)
    assert float(Fraction(found.data["parts"][0]["bound"])) == pytest.approx(1 / 2.4, rel=2e-6)


def test_a_bound_that_is_too_small_is_not_proved() -> None:
    found = certify(descent(1.0), 0.1666)
    assert isinstance(found, Unproved)
    assert found.reason == "the least bound is 0.166666667, more than the 0.1666 claimed"


def test_a_performance_without_bound_is_not_proved() -> None:
    def free() -> Any:
        pep = descent()()
        pep.list_of_constraints.clear()
        return pep

    found = certify(free)
    assert isinstance(found, Unproved)
    assert "multipliers" in found.reason


@pytest.mark.parametrize("step", [0.5, 1 / math.sqrt(2)])
def test_a_contraction_with_irrational_steps_cannot_be_proved(step: float) -> None:
    def build() -> Any:
        from PEPit import PEP
        from PEPit.functions import SmoothStronglyConvexFunction

        pep = PEP()
        f = pep.declare_function(SmoothStronglyConvexFunction, mu=0.5, L=1)
        best, x = f.stationary_point(), pep.set_initial_point()
        pep.set_performance_metric((x - step * f.gradient(x) - best) ** 2 - (1 - step / 2) ** 2 * (x - best) ** 2)
        return pep

    found = certify(build)
    if step == 0.5:
        assert isinstance(found, Proof)
    else:
        assert isinstance(found, Unproved)
        assert found.reason.startswith("cannot: the optimum is 0 or infinite, and numbers are irrational, rounded by")


def test_floats_are_read_once_and_their_relatives_exactly() -> None:
    reading = Floats()
    root = reading.fraction(1 / math.sqrt(2))
    assert reading.fraction(0.1) == Fraction(1, 10)
    assert reading.fraction(1 - 1 / math.sqrt(2)) == 1 - root
    assert 0 < reading.moved < 1e-13
    near = reading.fraction(1 - 1.5 * 2.0**-46)
    assert near.denominator > LONG
    assert reading.fraction(2.2e-14) != 1 - near  # though so near to it
    assert reading.moved < 1e-13


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"slack": -1}, "slack must be >= 0, got -1"),
        ({"slack": math.nan}, "slack must be a finite number, got nan"),
        ({"bound": "a"}, "bound must be a finite number, got 'a'"),
    ],
)
def test_bad_numbers_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        certify(descent(), **given)


def test_bad_problems_are_named() -> None:
    with pytest.raises(TypeError, match="problem must be a PEP or a function that builds one, got 3"):
        certify(3)
    with pytest.raises(ValueError, match="must be a function that solves or returns one PEP, got 0"):
        problem_of(lambda: None)


def test_pepit_is_left_as_it_was() -> None:
    from PEPit import PEP, Point

    solve, start = PEP.solve, Point.__init__
    with pytest.raises(ZeroDivisionError):
        captured(lambda: 1 // 0)
    assert (PEP.solve, Point.__init__) == (solve, start)
