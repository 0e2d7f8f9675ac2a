"""`arubatheory.testing`: one line in a suite of one's own, a message that shows the witness, strategies that fit."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import FAILING, FALSE, TRUE, pair, user_file

from arubatheory import PAPER
from arubatheory.cli import main
from arubatheory.cli.codes import AS_RECORDED
from arubatheory.engines.units import engine_of, units_of
from arubatheory.engines.verdict import Status, combine
from arubatheory.statements.chance import Chance
from arubatheory.statements.core import Instance, Sides, Statement
from arubatheory.statements.effort import Effort
from arubatheory.statements.growth import Growth
from arubatheory.testing import assert_survives, drawn, instances

BUDGET = 150


def failure(statement: Statement, **options: Any) -> str:
    """The message of a statement that does not survive."""
    with pytest.raises(AssertionError) as seen:
        assert_survives(statement, **{"budget": BUDGET, **options})
    return str(seen.value)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# survival ------------------------------------------------------------------------------------------------------------
def test_what_survives_passes_with_the_verdict_of_the_command_line(here: Path) -> None:
    verdict = assert_survives(TRUE, budget=BUDGET, seed=3)
    units = units_of(TRUE, Effort(TRUE.engines, BUDGET, 3))
    assert verdict == combine(TRUE.label, [engine_of(u.engine)(TRUE, u.budget, u.seed) for u in units], 3)
    assert (verdict.status, verdict.engine) == (Status.SURVIVED, "check+search")
    assert not list(here.iterdir())


def test_engines_may_be_chosen() -> None:
    assert assert_survives(TRUE, BUDGET, ("search",)).engine == "search"
    assert assert_survives(TRUE, BUDGET, "check").engine == "check"


def grown(exponent: float) -> Statement:
    growth = Growth(lambda i, T: float(T), exponent)
    return replace(TRUE, label="my:growth", growth=growth, engines=("rate",), assumptions=())


def sampled(delta: float) -> Statement:
    chance = Chance(lambda i, rng, n: rng.random(n) - 0.5, delta=lambda i: delta)
    return replace(TRUE, label="my:chance", chance=chance, engines=("simulate",), assumptions=())


def test_growth_and_chance_have_their_own_engines() -> None:
    assert assert_survives(grown(1.0)).engine == "rate"
    assert assert_survives(sampled(0.75)).engine == "simulate"


def test_a_proof_may_be_asked_for_alone() -> None:
    proved = Statement("my:square", "claim", "x", lambda draw: Instance(x=draw.unit()), lambda i: Sides(i.x**2, i.x))
    assert assert_survives(proved, engines=["prove"]).status is Status.PROVED
    with pytest.raises(ValueError, match="engines must include one of rate"):
        assert_survives(grown(1.0), engines=["prove"])


# failure -------------------------------------------------------------------------------------------------------------
def test_a_refutation_shows_the_simplest_witness_and_how_to_replay_it(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "mine.py").write_text(user_file({"my:four": 4}))
    monkeypatch.syspath_prepend(here)
    import mine

    lines = [line.strip() for line in failure(mine.S0).splitlines()]
    path = ".cache/witnesses/my-four-simplest.json"
    assert lines[:3] == [
        "my:four is REFUTED",
        "A witness breaks the claim, and exact or ball arithmetic agrees.",
        r"claim     4xy\le x^2+y^2",
    ]
    kept = json.loads((here / path).read_text())
    parts = {f"{name} = {value['number']}" for name, value in kept["instance"].items()}
    assert {f"lhs       {kept['lhs']}", f"rhs       {kept['rhs']}", f"witness   {path}", *parts} <= set(lines)
    assert lines[-1] == f"again     arubatheory replay {path} --exact --file mine.py"
    assert main(lines[-1].split()[2:]) == AS_RECORDED
    assert "agrees with the file" in capsys.readouterr().out


def test_the_folder_of_the_witness_may_be_chosen(here: Path) -> None:
    assert "witness   kept/clm-scmin-simplest.json" in failure(FALSE, folder="kept")
    assert json.loads((here / "kept" / "clm-scmin-simplest.json").read_text())["certified"] == "violated"


def test_a_statement_that_no_file_holds_has_no_replay_line() -> None:
    message = failure(replace(FALSE, label="my:nameless"))
    assert "again" not in message
    assert message.endswith("to replay it, give the statement a name at the top level of a Python file")


def test_a_statement_of_the_paper_needs_no_file() -> None:
    literal = next(s for s in PAPER if s.label == "eq:regret/literal")
    message = failure(literal, budget=1000, engines=("search",))
    assert message.endswith("arubatheory replay .cache/witnesses/eq-regret--literal-simplest.json --exact")


def test_suspect_says_what_was_measured() -> None:
    message = failure(grown(0.5), budget="quick")
    assert message.startswith("my:growth is SUSPECT\n  An interval at a stated error level says that it breaks")
    assert "measured  exponent 1.000" in message
    assert "ratio" not in message
    assert "violated with probability" in failure(sampled(0.25), budget="quick")


def test_idle_says_how_many_counted() -> None:
    message = failure(replace(TRUE, sides=lambda i: Sides(0, (1 + i.x * i.x) * 2**1000 * 2**1000)))
    assert message.startswith("clm:cdual is IDLE\n  0 of ")
    assert "100 are needed: a trial counts when both sides are finite" in message


def test_an_error_is_the_cause() -> None:
    with pytest.raises(
        AssertionError, match="clm:mean is ERROR\n  the code failed, not the claim: RuntimeError"
    ) as seen:
        assert_survives(FAILING)
    assert isinstance(seen.value.__cause__, RuntimeError)
    broken = Growth(lambda i, T: 1 / 0, 1.0)
    message = failure(replace(grown(1.0), growth=broken), budget="quick")
    said = (
        "my:growth is ERROR\n  the code failed, not the claim: ZeroDivisionError: division by zero (test_testing.py, "
    )
    assert message.startswith(said) and message.endswith(": broken = Growth(lambda i, T: 1 / 0, 1.0))")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"statement": "thm:ftrlomd"}, TypeError, "statement must be a Statement, got 'thm:ftrlomd'"),
        (
            {"budget": "huge"},
            ValueError,
            "budget must be one of quick, standard, deep or a positive integer, got 'huge'",
        ),
        ({"engines": ("prayer",)}, ValueError, "engine must be one of check, .*, prove, got 'prayer'"),
        ({"engines": ("rate",)}, ValueError, r"engines must include one of check, search, got \('rate',\)"),
        ({"engines": ()}, ValueError, r"engines must include one of check, search, got \(\)"),
        ({"seed": -1}, ValueError, "seed must be an integer >= 0, got -1"),
        ({"seed": True}, ValueError, "seed must be an integer >= 0, got True"),
    ],
)
def test_bad_input(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        assert_survives(**{"statement": TRUE, **options})


SUITE = """
import pytest
from mine import S0, S1
from arubatheory.testing import assert_survives

@pytest.mark.parametrize("seed", range(2))
def test_survives(seed):
    assert_survives(S0, budget=150, seed=seed)

@pytest.mark.parametrize("seed", range(2))
def test_falls(seed):
    with pytest.raises(AssertionError, match="my:b is REFUTED"):
        assert_survives(S1, budget=150, seed=seed)
"""


def test_it_works_in_a_process_of_xdist(here: Path) -> None:
    (here / "mine.py").write_text(user_file({"my:a": 2, "my:b": 4}))
    (here / "test_mine.py").write_text(SUITE)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        ".",
        "-c",
        "/dev/null",
        "--assert=plain",  # to rewrite those of the package takes longer than the tests
    ]
    done = subprocess.run([*command, "test_mine.py"], capture_output=True, text=True)
    assert "4 passed" in done.stdout, done.stdout + done.stderr


# strategies ----------------------------------------------------------------------------------------------------------
@settings(max_examples=50, deadline=None)
@given(instances(TRUE))
def test_instances_satisfy_the_assumptions(i: Instance) -> None:
    assert set(vars(i)) == {"x", "y"}
    assert all(assumption.margin(i) >= 0 for assumption in TRUE.assumptions)


@settings(max_examples=50, deadline=None)
@given(drawn(lambda draw: draw.spd(2)), st.integers(0, 3))
def test_drawn_things_go_with_other_strategies(a: Any, n: int) -> None:
    assert np.array_equal(a, a.T) and np.linalg.det(a) > 0
    assert 0 <= n <= 3


def test_strategies_shrink_to_simple_instances() -> None:
    from hypothesis import find

    found = find(instances(TRUE), lambda i: i.x + i.y > 1, settings=settings(database=None, max_examples=2000))
    assert (found.x, found.y) in [(2.0, 0.0), (0.0, 2.0), (1.0, 1.0)]


@pytest.mark.parametrize(("function", "value"), [(instances, pair), (drawn, TRUE)])
def test_strategies_refuse_what_they_cannot_draw(function: Any, value: Any) -> None:
    with pytest.raises(TypeError, match="must be a"):
        function(value)
