"""A user's file with every public name in it: mypy --strict has nothing to say about it (`make types`), and it runs."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from hypothesis import given, settings

from arubatheory import PAPER, Assumption, Instance, Sides, Statement, Status, Verdict, Witness, check, search
from arubatheory.problems.draw import Draw
from arubatheory.testing import assert_survives, drawn, instances


def instance(draw: Draw) -> Instance:
    return SimpleNamespace(x=draw.real(-1, 1))


def sides(i: Instance) -> Sides:
    return Sides(i.x * i.x, 1)


SQUARE = Statement("my:square", "claim", "x^2\\le1", instance, sides, (Assumption("|x|\\le1", lambda i: 1 - abs(i.x)),))


def test_the_public_names_have_these_types(tmp_path: Path) -> None:
    verdict: Verdict = check(SQUARE, 200, 0)
    again: Verdict = assert_survives(SQUARE, budget=200, engines=["search"], seed=1, folder=tmp_path)
    worst: Witness | None = search(SQUARE, 200, 0).worst
    assert verdict.status is again.status is Status.SURVIVED
    assert worst is not None and worst.certified == "tie"
    labels: list[str] = [statement.label for statement in PAPER]
    assert SQUARE.label not in labels


@settings(deadline=None)
@given(instances(SQUARE), drawn(lambda draw: draw.integer(0, 3)))
def test_the_strategies_have_these_types(i: Instance, n: int) -> None:
    assert i.x <= 1 and n <= 3
