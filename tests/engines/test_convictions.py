r"""What must refute nothing that is true, and what must not silence a refutation: machine integers, branches that are
not taken, powers, margins and witnesses that balls leave open."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arubatheory
from arubatheory import Assumption, Instance, NotAnInstance, Sides, Statement, check, log, search, sqrt
from arubatheory.engines.free import parts_of
from arubatheory.engines.simulate import simulate
from arubatheory.engines.verdict import Status, Verdict
from arubatheory.engines.witness import replay
from arubatheory.engines.witness_files import read_witness
from arubatheory.problems.matrices import largest_eigenvalue, psd_margin, spectral_norm
from arubatheory.statements.chance import Chance
from arubatheory.statements.core import Columns


def claim(instance: Any, sides: Any, **more: Any) -> Statement:
    return Statement(label="my:claim", kind="claim", latex="x", instance=instance, sides=sides, **more)


def tried(statement: Statement, budget: int = 400) -> list[Verdict | str]:
    """The verdicts of check and search, or what they raise, as a unit would say it."""
    found: list[Verdict | str] = []
    for engine in (check, search):
        try:
            found.append(engine(statement, budget, 0))
        except (ValueError, TypeError) as error:
            found.append(str(error))
    return found


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize(
    ("instance", "sides"),
    [
        (lambda d: Instance(k=d.integers(1, 100, 12)), lambda i: Sides(1, np.prod(i.k))),
        (lambda d: Instance(k=d.integers(0, 2**40, 2)), lambda i: Sides(0, i.k[0] * i.k[0] + i.k[1])),
        (lambda d: Instance(k=d.integers(0, 2**40, 3)), lambda i: Sides(0, i.k @ i.k)),
    ],
)
def test_integers_that_wrap_around_refute_nothing(instance: Any, sides: Any) -> None:
    for seen in tried(claim(instance, sides)):
        assert "64 bits" in seen if isinstance(seen, str) else seen.status is Status.SURVIVED


def test_integers_of_an_array_refute_what_is_false() -> None:
    def sides(i: Any) -> Sides:
        return Sides(sum(i.k), 20)

    seen = check(claim(lambda d: Instance(k=d.integers(1, 9, 3)), sides), 400, 0)
    assert seen.status is Status.REFUTED


@pytest.mark.parametrize(
    ("instance", "sides"),
    [
        (lambda d: Instance(p=d.simplex(3)), lambda i: Sides(np.sum(np.where(i.p > 0, i.p * np.log(i.p), 0 * i.p)), 0)),
        (lambda d: Instance(x=d.real(-1, 1, 2)), lambda i: Sides(np.sum(np.where(i.x > 0, i.x / i.x, 1 + 0 * i.x)), 2)),
        (lambda d: Instance(x=d.real(1, 2), s=d.integer(2, 3)), lambda i: Sides(0, abs((-i.x) ** (sqrt(i.s) ** 2)))),
    ],
)
def test_what_only_a_branch_that_is_not_taken_makes_undefined_refutes_nothing(instance: Any, sides: Any) -> None:
    for seen in tried(claim(instance, sides)):
        assert isinstance(seen, Verdict) and seen.status in (Status.SURVIVED, Status.IDLE)


def test_a_side_that_is_undefined_in_floats_too_refutes() -> None:
    seen = check(claim(lambda d: Instance(x=d.real(-1, 1)), lambda i: Sides(i.x / i.x, 1)), 400, 0)
    assert seen.status is Status.REFUTED and seen.kind == "undefined"


@pytest.mark.parametrize("stem", ["thm-o2bsc--literal", "thm-o2bwhp--tar", "thm-general--literal"])
def test_a_bound_that_is_no_number_refutes_where_nothing_is_compared_with_it(stem: str) -> None:
    witness = read_witness(Path(__file__).parents[2] / "verification" / "witnesses" / f"{stem}-simplest.json")
    (statement,) = (s for s in arubatheory.PAPER if s.label == witness.label)
    assert witness.certified == "undefined" and replay(witness, statement).agrees


@pytest.mark.parametrize("ask", [largest_eigenvalue, spectral_norm, psd_margin])
def test_a_matrix_that_is_not_symmetric_is_named(ask: Any) -> None:
    from arubatheory.arithmetic import Exact

    matrix = np.array([[Exact(0), Exact(1)], [Exact(0), Exact(0)]])
    with pytest.raises(ValueError, match="matrix must be symmetric, got"):
        ask(matrix)
    assert ask(np.array([[Exact(2), Exact(1)], [Exact(1), Exact(2)]])) >= 1


@pytest.mark.parametrize(
    "margin",
    [
        lambda i: log(i.n) + sum(log(Fraction(1, i.n)) / i.n for _ in range(i.n)),
        lambda i: sqrt(i.n) ** 2 - i.n if i.n == 3 else sqrt(i.n) * sqrt(i.n) - i.n,
    ],
)
def test_a_margin_that_balls_leave_open_makes_a_refutation_suspect(margin: Any) -> None:
    made = claim(lambda d: Instance(n=d.integer(2, 3)), lambda i: Sides(i.n, 2), assumptions=(Assumption("m", margin),))
    for seen in tried(made):
        assert isinstance(seen, Verdict) and seen.status is Status.SUSPECT
        assert seen.worst is not None and seen.worst.margins == {"m": "undecided"}


@pytest.mark.parametrize("instance", [lambda d: sqrt(2) * d.unit(), lambda d: sum(d.sphere(2) * sqrt(2)) / 2])
def test_a_witness_that_holds_a_ball_is_drawn_again_to_be_replayed(instance: Any) -> None:
    made = claim(lambda d: Instance(x=instance(d)), lambda i: Sides(i.x, Fraction(9, 10)))
    for seen in tried(made):
        assert isinstance(seen, Verdict) and seen.simplest is not None and "ball" in str(seen.simplest.instance)
        assert replay(seen.simplest, made).agrees
        assert parts_of(seen.simplest, made).free == ()
        edited = replace(seen.simplest, instance={"x": {"ball": "1 +/- 0.1"}})
        with pytest.raises(ValueError, match="corrupt witness: cannot read the value"):
            replay(edited, made)


def test_a_witness_with_other_parts_than_the_first_draws_is_replayed() -> None:
    def instance(d: Any) -> Instance:
        return Instance(x=d.unit()) if d.boolean() else Instance(x=d.unit(), y=d.unit())

    made = claim(instance, lambda i: Sides(i.x + vars(i).get("y", 0), Fraction(3, 2)))
    for seen in tried(made):
        assert isinstance(seen, Verdict) and seen.simplest is not None and replay(seen.simplest, made).agrees


def test_the_worst_of_what_survives_is_replayed_with_its_precision() -> None:
    from arubatheory import exp

    made = claim(lambda d: Instance(x=d.real(0, 1000)), lambda i: Sides(exp(i.x) - 1, exp(i.x)))
    seen = search(made, 400, 0).worst
    assert seen is not None and seen.certified == "undecided"
    assert replay(seen, made).agrees


def test_what_is_no_instance_in_exact_arithmetic_alone_is_left_out() -> None:
    def instance(d: Any) -> Instance:
        p = [d.number(d.integer(0, 10), 10) for _ in range(3)]
        if not sum(p) < 1:
            raise NotAnInstance("they sum to 1 or more")
        return Instance(p=d.array(p), x=d.unit())

    for seen in tried(claim(instance, lambda i: Sides(np.sum(i.p) * (1 + i.x), 5)), 2500):
        assert isinstance(seen, Verdict) and seen.status is Status.SURVIVED


def test_rounding_is_no_violation_of_a_sample() -> None:
    chance = Chance(lambda i, rng, k: rng.binomial(10, 0.3, k) / 10 - 0.3 - 0.1, delta=lambda i: 0.16)
    less = chance._replace(delta=lambda i: 0.14)
    for made, status in ((chance, Status.SURVIVED), (less, Status.SUSPECT)):
        parts = {"instance": lambda d: Instance(x=d.unit()), "chance": made, "engines": ("simulate",)}
        sample = Statement("my:sample", "claim", "x", **parts)
        assert simulate(sample, 20000, 0).status is status


@pytest.mark.parametrize("shapes", [(2, 3), (3, 2), (0, 0)])
def test_columns_are_of_one_length(shapes: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="lhs and rhs must be vectors"):
        Columns(np.zeros(shapes[0]), np.zeros(shapes[1]))


def test_all_names_of_the_package_bring_no_statements_with_them() -> None:
    assert "PAPER" not in arubatheory.__all__ and len(arubatheory.PAPER) > 600
