r"""The table of violation probabilities: what it reads off the sides is the probability of a violation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from toy import FALSE, verdict, witness

from arubatheory import PAPER
from arubatheory.cli.codes import AS_RECORDED, NOTHING, USAGE
from arubatheory.engines.verdict import Status
from arubatheory.papers.aruba.e_batch import batch_bounds as transfer_bounds
from arubatheory.papers.aruba.e_batch.batch_bounds import AverageStates
from arubatheory.papers.aruba.games.samples import list_table
from arubatheory.papers.aruba.games.transfer import Outcomes
from arubatheory.problems.draw import RandomDraw
from arubatheory.report.outcome import write_witnesses
from arubatheory.statements.core import Instance, Sides, all_sides
from verification import violations
from verification.violations import DELTAS, claimed, likely, main, slack, violation, with_chance

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


def transfers(label: str, count: int) -> Iterator[tuple[Instance, Outcomes, AverageStates]]:
    """Drawn problems of a claim at a known variance, with all training sequences."""
    rng = np.random.default_rng(6)
    for _ in range(count):
        x = BY_LABEL[label].instance(RandomDraw(rng))
        yield x, *transfer_bounds.train_fixed(x)


@pytest.mark.parametrize("delta", [0.99, 0.9, *DELTAS])
def test_a_logarithm_of_more_than_one_over_delta_is_no_larger_probability(delta: float) -> None:
    """log(2/delta) for log(1/delta): what is bounded is P at this delta, not at half of it."""
    for x, o, found in transfers("cor:scbatch/explicit/proof-2", 60):
        away = abs(found.phi - o.chance @ o.star)
        beyond = away > 1 / x.T + math.sqrt(math.log(2 / delta) / x.T)
        sides = all_sides(BY_LABEL["cor:scbatch/explicit/proof-2"], x)
        assert violation(sides, delta) == pytest.approx(found.prob[beyond].sum(), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("delta", DELTAS)
def test_a_claim_for_small_delta_is_blank_above(delta: float) -> None:
    label = "cor:statistical/known-variance"
    assert claimed(BY_LABEL[label], delta) == (delta < 0.5) and claimed(BY_LABEL["prp:o2b/upper"], delta)
    if delta == 0.5:
        return
    for x, o, found in transfers(label, 60):
        V, G, L = math.sqrt(transfer_bounds.variance(o)), transfer_bounds.steep(x), math.log(1 / delta)
        right = 4 * G * (V / math.sqrt(x.m) + (1 / math.sqrt(x.m * x.T) + 1 / x.T) * L)
        beyond = transfer_bounds.excess_risk(x, o, found.phi, V + x.T**-0.5) > right
        expected = found.prob[beyond].sum()
        assert violation(all_sides(BY_LABEL[label], x), delta) == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_a_level_at_the_threshold_is_no_violation() -> None:
    level = math.log(2)
    assert violation([Sides(level, 3.0)], 0.5) == 0
    assert violation([Sides(level, 3.0)], 0.51) == math.exp(-3.0)
    assert slack([Sides(0.0, 0.0)]) is None


def test_claims_with_a_probability_are_found_by_their_formula() -> None:
    assert {s.label for s in PAPER if likely(s)} >= {"prp:o2b/upper", "cor:o2bwhp/average-iterate", "thm:o2bsb"}
    assert not likely(BY_LABEL["prp:o2bexp"])


def test_the_command_prints_a_row_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prp:o2b/*", "clm:mean", "--draws", "5", "--search", "40"]) == AS_RECORDED
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("`")[1] for line in lines[2:]] == ["prp:o2b/upper", "prp:o2b/lower"]


def test_a_label_selects_its_parts() -> None:
    found = [s.label for s in with_chance(["prp:o2b", "prp:o2bexp"])]
    assert found == ["prp:o2bexp/sampled", "prp:o2b/upper", "prp:o2b/lower"]


@pytest.mark.parametrize(
    ("pattern", "code", "message"),
    [
        ("prp:nothing", USAGE, "unknown label 'prp:nothing'"),
        ("zzz*", NOTHING, "nothing selected by zzz*"),
        ("clm:mean", NOTHING, "no claim with probability 1 - delta is selected by clm:mean"),
    ],
)
def test_no_table_is_printed_of_nothing(
    capsys: pytest.CaptureFixture[str], pattern: str, code: int, message: str
) -> None:
    assert main([pattern]) == code
    seen = capsys.readouterr()
    assert seen.out == "" and message in seen.err


def test_witnesses_on_record_are_those_of_the_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(violations, "WITNESSES", tmp_path)
    whole, part = witness("clm:scmin"), witness("clm:scmin/literal")
    write_witnesses(tmp_path, verdict(whole.label, Status.REFUTED, worst=whole))
    write_witnesses(tmp_path, verdict(part.label, Status.REFUTED, simplest=part, worst=part))
    assert violations._recorded(FALSE) == [whole]
    (tmp_path / "clm-scmin-worst.json").write_text("{}")
    with pytest.raises(ValueError, match=r"corrupt witness file .*clm-scmin-worst\.json"):
        violations._recorded(FALSE)


def test_the_command_leaves_blank_what_is_not_claimed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cor:statistical/known-variance", "--draws", "5", "--search", "20"]) == 0
    cells = [cell.strip() for cell in capsys.readouterr().out.splitlines()[2].split("|")]
    assert cells[2] == "" and all(cells[3:6])
