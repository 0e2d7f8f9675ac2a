r"""The table of violation probabilities: what it reads off the sides is the probability of a violation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arubatheory.problems.draw import RandomDraw
from arubatheory.statements import PAPER
from arubatheory.statements.core import Sides, all_sides
from arubatheory.statements.statistical.online_to_batch import list_table
from verification.violations import DELTAS, likely, main, slack, violation

BY_LABEL = {s.label: s for s in PAPER}


@pytest.mark.parametrize("delta", [0.9, 0.75, *DELTAS])
def test_the_probability_is_that_of_the_sequences_that_violate(delta: float) -> None:
    statement, rng, positive = BY_LABEL["prp:o2b/upper"], np.random.default_rng(5), 0
    for _ in range(60):
        x = statement.instance(RandomDraw(rng))
        p = list_table(x.table, x.star, x.chances, x.T)
        expected = p.prob[p.risk - p.paid > math.sqrt(2 * x.T * math.log(1 / delta))].sum()
        positive += expected > 0
        assert violation(all_sides(statement, x), delta) == pytest.approx(expected, rel=1e-9, abs=1e-15)
    assert delta < 0.75 or positive > 5


def test_a_level_at_the_threshold_is_no_violation() -> None:
    level = math.log(2)
    assert violation([Sides(level, 3.0, 1.0)], 0.5) == 0
    assert violation([Sides(level, 3.0, 1.0)], 0.51) == math.exp(-3.0)
    assert slack([Sides(0.0, 0.0, 1.0)]) is None


def test_claims_with_a_probability_are_found_by_their_formula() -> None:
    assert {s.label for s in PAPER if likely(s)} >= {"prp:o2b/upper", "cor:o2bwhp/average-iterate", "thm:o2bsb"}
    assert not likely(BY_LABEL["prp:o2bexp"])


def test_the_command_prints_a_row_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prp:o2b/*", "prp:o2bexp", "--draws", "5", "--search", "40"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("`")[1] for line in lines[2:]] == ["prp:o2b/upper", "prp:o2b/lower"]
