"""The gallery's files: short, in one form, and with sides that are drawn, replayed, and the same in exact numbers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from arubatheory.cli.codes import USAGE
from arubatheory.engines.evaluation import evaluated
from arubatheory.engines.exact import certify
from arubatheory.engines.units import run_unit, units_of
from arubatheory.engines.verdict import Status
from arubatheory.papers.classics import CLASSICS, HOME, value_curve
from arubatheory.problems.draw import RandomDraw, Tape, TapeDraw
from arubatheory.statements.core import Statement
from arubatheory.statements.effort import BUDGETS, Effort
from verification.gallery import SAID, TABLE, TRIALS, TRUE, inscribed, known, merged, paragraph, run

LONGEST = 60
FILES = sorted(HOME / f"{item.note}.py" for item in CLASSICS.items)
HELPERS = {"__init__", "claim", "intervals", "bends"}


def tapes(statement: Statement, n: int) -> list[Tape]:
    """Tapes of drawn instances."""
    rng, found = np.random.default_rng(0), []
    for _ in range(n):
        draw = RandomDraw(rng)
        statement.instance(draw)
        found.append(draw.tape)
    return found


def only_at_standard() -> list[str]:
    """The statements that fall at `standard` and not at `quick`, which `.ci/run` tries, by the table."""
    fell = {(row.label, row.budget) for row in TABLE.read(TRIALS) if row.status == "REFUTED"}
    return [label for label, budget in sorted(fell) if budget == "standard" and (label, "quick") not in fell]


@pytest.mark.parametrize("label", only_at_standard())
def test_what_falls_at_standard_does(label: str) -> None:
    (statement,) = (s for s in CLASSICS.statements if s.label == label)
    units = units_of(statement, Effort(budget="standard", engines=("check", "search"), seed=0, first=True))
    assert any(run_unit(statement, unit)[0].status is Status.REFUTED for unit in units)


def test_a_label_that_is_none_is_one_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["quick", "thm:nothing"]) == USAGE
    assert "unknown label 'thm:nothing'" in capsys.readouterr().err


def test_every_file_is_listed() -> None:
    assert {path.stem for path in HOME.glob("*.py")} - HELPERS == {item.note for item in CLASSICS.items}
    assert len(CLASSICS.items) >= 25
    assert {s.label for s in CLASSICS.statements} == set(CLASSICS.labels)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_read_from_top_to_bottom(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith('r"""') and len(text.splitlines()) <= LONGEST


@pytest.mark.parametrize("statement", CLASSICS.statements, ids=lambda s: s.label)
def test_a_statement_is_drawn_replayed_and_judged(statement: Statement) -> None:
    for tape in tapes(statement, 12):
        instance = statement.instance(TapeDraw(tape))
        seen = evaluated(statement, instance)
        assert seen.counted and evaluated(statement, statement.instance(TapeDraw(tape))) == seen
        for assumption in statement.assumptions:
            assert assumption.margin(instance) >= -1e-9, assumption.latex
        if known(statement) == TRUE:
            assert not seen.apparent or seen.badness <= 1 + 1e-9
    certificate = certify(statement, tape, last_bits=512)
    assert certificate.outcome in ({"holds", "tie"} if known(statement) == TRUE else {"holds", "tie", "violated"})
    assert certificate.outcome == "violated" or not seen.apparent or seen.badness <= 1 + 1e-9


def test_what_the_files_say_is_on_record() -> None:
    rows = TABLE.read(TRIALS)
    assert [row.label for row in rows if row.budget == BUDGETS[0]] == list(CLASSICS.labels)
    assert [r.label for r in rows if r.status not in ("REFUTED", "SURVIVED", "PROVED")] == []
    for item in CLASSICS.items:
        text = (HOME / f"{item.note}.py").read_text(encoding="utf-8")
        assert inscribed(text, paragraph(item, rows)) == text


def test_nothing_true_is_refuted() -> None:
    refuted = {row.label for row in TABLE.read(TRIALS) if row.status == "REFUTED"}
    assert [s.label for s in CLASSICS.statements if known(s) == TRUE and s.label in refuted] == []


def test_new_rows_replace_old_ones_and_words_their_like() -> None:
    row = TABLE.read(TRIALS)[0]
    fresh = row._replace(trials=row.trials + 1)
    assert merged([row], [fresh]) == [fresh] and merged([row], []) == [row]
    once = inscribed('r"""A title."""\n', f"{SAID}one.")
    assert once == f'r"""A title.\n\n{SAID}one.\n"""\n' and inscribed(once, f"{SAID}two.") == once.replace("one", "two")


def test_the_step_of_the_value_curve_is_a_constant_of_its_assumption() -> None:
    (step,) = value_curve.seven_quarters.constants
    for c in (Fraction(1), Fraction(15, 8)):
        drawn = step.at(c).instance(RandomDraw(np.random.default_rng(0)))
        assert drawn.largest == float(c) and 0 <= drawn.eta <= drawn.largest
    assert step.largest and step.printed == Fraction(7, 4)
