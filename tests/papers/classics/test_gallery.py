"""The gallery's files: short, in one form, and with sides that are drawn, replayed, and the same in exact numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arubatheory.engines.evaluation import evaluated
from arubatheory.engines.exact import certify
from arubatheory.papers.classics import CLASSICS, HOME
from arubatheory.problems.draw import RandomDraw, Tape, TapeDraw
from arubatheory.statements.core import Statement

LONGEST = 60
WORDS = ("True", "False", "Open")
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


def known(statement: Statement) -> str:
    """What the note says is known: its first word."""
    return statement.note.replace(".", " ").replace(",", " ").replace(":", " ").replace(";", " ").split()[0]


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
    assert known(statement) in WORDS
    for tape in tapes(statement, 12):
        instance = statement.instance(TapeDraw(tape))
        seen = evaluated(statement, instance)
        assert seen.counted and evaluated(statement, statement.instance(TapeDraw(tape))) == seen
        for assumption in statement.assumptions:
            assert assumption.margin(instance) >= -1e-9, assumption.latex
        if known(statement) == "True":
            assert not seen.apparent or seen.badness <= 1 + 1e-9
    certificate = certify(statement, tape, last_bits=512)
    assert certificate.outcome in ({"holds", "tie"} if known(statement) == "True" else {"holds", "tie", "violated"})
    assert certificate.outcome == "violated" or not seen.apparent or seen.badness <= 1 + 1e-9
