"""The README's example does what the README says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from arubatheory import PAPER
from arubatheory.engines.check import check
from arubatheory.engines.search import search
from arubatheory.engines.verdict import Status
from arubatheory.papers.aruba import ARUBA
from arubatheory.statements.core import Statement
from arubatheory.statements.items import Covered

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LEARNING = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page, re.DOTALL)


def example(code: str) -> Statement:
    """The statement that a file with this code would offer."""
    names: dict[str, Any] = {}
    exec(code, names)
    (statement,) = [value for value in names.values() if isinstance(value, Statement)]
    return statement


@pytest.fixture(scope="module")
def code() -> str:
    return next(block for block in blocks(README) if "Statement(" in block)


@pytest.mark.parametrize("engine", [check, search])
def test_the_bound_of_the_example_falls(code: str, engine: Any) -> None:
    verdict = engine(example(code), 1000, 0)
    assert verdict.status is Status.REFUTED
    assert verdict.simplest.certified == verdict.worst.certified == "violated"


@pytest.mark.parametrize("engine", [check, search])
def test_its_correction_survives(code: str, engine: Any) -> None:
    corrected = code.replace("1 + log(i.T))", "2 + 2 * log(i.T))")
    assert corrected != code
    assert engine(example(corrected), 1000, 0).status is Status.SURVIVED


def test_a_bound_of_one_s_own_comes_before_what_was_found() -> None:
    assert README.index("## Your own bound") < README.index("## What was found") and README.count("\n") < 150
    code = next(block for block in blocks(README) if "Statement(" in block)
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 15


def test_every_status_is_explained_in_the_engine_s_own_words() -> None:
    for status in Status:
        assert f"| {status} |" in README


def test_the_example_of_learning_to_learn_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = [block for block in blocks(LEARNING) if "meta_learn" in block]
    exec(block, {})
    regret, upper = map(float, capsys.readouterr().out.split())
    assert 0 < regret < upper


def test_the_example_of_learned_rates_learns_them(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = [block for block in blocks(LEARNING) if "Aruba(" in block]
    exec(block, {})
    along, across = map(float, capsys.readouterr().out.strip(" []\n").split())
    assert along > 2 * across > 0


def test_the_readme_counts_the_items_with_a_verdict() -> None:
    count = ARUBA.coverage(PAPER).count(Covered.STATEMENT)
    assert f"{count} of the paper's {len(ARUBA.items)} items have a verdict" in README
