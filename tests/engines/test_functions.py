"""Sides have to be a function of what is drawn; sizes may be 0, integers large, and a refutation is not forgotten."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from tried import tried

from arubatheory.engines.check import check
from arubatheory.engines.moves import doubled
from arubatheory.engines.search import search
from arubatheory.engines.statistics import grid
from arubatheory.engines.units import run_unit, units_of
from arubatheory.engines.verdict import COUNTED_MINIMUM, Status
from arubatheory.engines.witness import replay
from arubatheory.engines.witness_files import file_stem, read_witness
from arubatheory.problems.coarse import CoarseDraw
from arubatheory.problems.draw import Draw, RandomDraw, Tape
from arubatheory.problems.rows import questions
from arubatheory.statements.core import Instance, Sides, Statement
from arubatheory.statements.effort import Effort
from arubatheory.statements.growth import Growth

HERE = Path(__file__)


def claim(name: str, instance: Any, sides: Any) -> Statement:
    return Statement(f"my:{name}", "claim", "x", instance, sides)


def descent(draw: Draw) -> Instance:
    """Gradients, a comparator, a start and a step size."""
    T = draw.size("T", 5)
    return Instance(
        g=draw.real(-1, 1, T), u=draw.real(-2, 2), x=draw.array([draw.real(-1, 1)]), eta=draw.positive(-6, 4)
    )


def played_in_place(i: Instance) -> Sides:
    """The regret of gradient descent, which is true, but that the start is another one when the right side is made."""
    x, regret = i.x, 0
    for g in i.g:
        regret = regret + g * (x[0] - i.u)
        x -= i.eta * g
    return Sides(regret, (i.x[0] - i.u) ** 2 / (2 * i.eta) + i.eta / 2 * sum(g * g for g in i.g))


def overwritten(i: Instance) -> Sides:
    i.x[0] = 5 + 0 * i.u
    return Sides(i.x[0], 2 + 0 * i.u)


def by_chance(i: Instance) -> Sides:
    return Sides(random.randint(0, 3) + 0 * i.u, 2)


@pytest.mark.parametrize("sides", [played_in_place, overwritten, by_chance])
@pytest.mark.parametrize("engine", ["check", "search"])
def test_what_is_no_function_of_the_draws_refutes_nothing(sides, engine):
    random.seed(0)
    statement = claim("impure", descent, sides)
    (unit,) = units_of(statement, Effort((engine,), 300, 0))
    verdict, _ = run_unit(statement, unit)
    assert verdict.status is Status.ERROR and "must be the same each time" in verdict.error


def test_what_computes_with_copies_survives():
    def played(i):
        return played_in_place(Instance(g=i.g, u=i.u, x=i.x.copy(), eta=i.eta))

    def both(i):
        return Sides(played(i).lhs, (i.x[0] - i.u) ** 2 / (2 * i.eta) + i.eta / 2 * sum(g * g for g in i.g))

    assert search(claim("pure", descent, both), 500, 0).status is Status.SURVIVED


class Pair(NamedTuple):
    a: Any
    b: Any


HELD = {
    "a mask": (lambda d: np.array([d.boolean() for _ in range(4)]), lambda i: sum(i.z[i.held])),
    "a list": (lambda d: list(d.real(-1, 1, 3)), lambda i: sum(i.held.copy())),
    "pairs": (
        lambda d: [Pair(d.real(-1, 1), d.boolean()) for _ in range(3)],
        lambda i: sum(p.a for p in i.held if p.b),
    ),
}


@pytest.mark.parametrize("name", HELD)
def test_a_witness_holds_what_the_instance_held(name):
    held, left = HELD[name]
    statement = claim("held", lambda d: Instance(z=d.real(-1, 1, 4), held=held(d)), lambda i: Sides(left(i), 1))
    witness = check(statement, 300, 0).simplest
    assert witness is not None and replay(witness, statement).agrees


EMPTY = {
    "alone": lambda d: Instance(k=d.size("k", 3, least=0)),
    "of an array": lambda d: Instance(k=sum(d.unit(d.size("k", 3, least=0)))),
    "beside another": lambda d: Instance(x=d.unit(d.size("T", 3)), k=d.size("k", 3, least=0)),
    "limited": lambda d: Instance(x=d.unit(d.size("T", 3)), k=d.size("k", 3, limit=5, least=0)),
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_size_may_be_0(name):
    for seed in range(3):
        assert search(claim("empty", EMPTY[name], lambda i: Sides(i.k, i.k + 1)), 1500, seed).status is Status.SURVIVED


def test_no_game_is_doubled_along_a_size_of_0():
    asked = questions(EMPTY["limited"], Tape([2, 0], [0, 0]))
    assert all(doubled(np.random.default_rng(seed), EMPTY["limited"], asked) is None for seed in range(8))


@pytest.mark.parametrize("reader", [RandomDraw, CoarseDraw])
def test_integers_of_a_wide_range_reach_its_end(reader):
    draws = [reader(np.random.default_rng(seed)).integer(0, 2**70) for seed in range(64)]
    assert max(draws) > 2**69 and any(k % 2 for k in draws)
    assert all(0 <= k <= 2**70 for k in draws)


@pytest.mark.parametrize("longest", [5000, 4096, 3000])
def test_no_length_is_beyond_the_longest(longest):
    found = grid(Growth(lambda x, T: 1.0, 0.5, longest=longest))
    assert longest / 2**0.5 < found[-1] <= longest and found == sorted(set(found))
    assert grid(Growth(lambda x, T: 1.0, 0.5, shortest=1, longest=4)) == [1, 2, 3, 4]


def test_a_weaker_run_of_the_same_code_does_not_forget_a_refutation(tmp_path):
    """One evaluation refutes nothing by itself; a run that is blind, or fresh, starts anew."""
    statement = claim("false", descent, lambda i: Sides(sum(g * g for g in i.g), 3 * i.u * i.u))
    assert tried(tmp_path, [statement], ["search"], 500, 0, file=HERE)["my:false"].status is Status.REFUTED
    simplest = tmp_path / ".cache" / "witnesses" / f"{file_stem('my:false')}-simplest.json"
    kept = read_witness(simplest)
    weak = [tried(tmp_path, [statement], ["search"], 1, seed, file=HERE, blind=True)["my:false"] for seed in range(40)]
    seed = next(seed for seed, verdict in enumerate(weak) if verdict.status is Status.IDLE)
    again = tried(tmp_path, [statement], ["search"], 1, seed, file=HERE)["my:false"]
    assert again.status is Status.REFUTED and again.trials < COUNTED_MINIMUM
    assert again.simplest is not None and read_witness(simplest).tape == kept.tape == again.simplest.tape
    assert tried(tmp_path, [statement], ["search"], 1, seed, file=HERE, blind=True)["my:false"].status is Status.IDLE
    assert tried(tmp_path, [statement], ["search"], 1, seed, file=HERE, fresh=True)["my:false"].status is Status.IDLE
