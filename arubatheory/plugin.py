r"""Statements as pytest's tests: `pytest my_bounds.py --statements`.

Every `Statement` of a file, and every claim of a paper's folder, is a test that passes where it survives; else its
failure is the witness. Without the option nothing is collected, and nothing heavy imported. pytest finds its hooks,
`pytest_addoption` and `pytest_collect_file`, by the entry point of the package.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from arubatheory.statements.core import Statement

MARK = b"arubatheory"  # what a file with statements has in it


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the command line."""
    group = parser.getgroup("arubatheory")
    group.addoption("--statements", action="store_true", help="collect the statements of files as tests")
    text = "of each engine: quick (default), standard, deep or a number of evaluations"
    group.addoption("--statements-budget", metavar="B", default="quick", help=text)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A Python file that names this package, or the folder of a paper by its `__init__.py`."""
    if not parent.config.getoption("--statements") or file_path.suffix != ".py" or MARK not in file_path.read_bytes():
        return None
    start = file_path.with_name("__init__.py")
    if file_path != start and start.is_file() and b"Paper(" in start.read_bytes():
        return None  # a section of a paper, whose claims are collected with the paper
    return Statements.from_parent(parent, path=file_path)


class Statements(pytest.File):
    """The statements of a file or of a paper."""

    def collect(self) -> Iterator[Claimed]:
        """A test for each; a file that cannot be imported is an error that names the line."""
        from arubatheory.engines.source import Source
        from arubatheory.statements.blame import said

        source = Source(name=str(self.path.parent)) if self.path.name == "__init__.py" else Source(self.path)
        try:
            found = source.statements()
        except Exception as error:
            raise self.CollectError(f"cannot use {self.path.name}: {said(error)}") from error
        for label, statement in found.items():
            yield Claimed.from_parent(self, name=label, statement=statement)


class Claimed(pytest.Item):
    """One statement on trial."""

    def __init__(self, statement: Statement, **more: Any) -> None:
        super().__init__(**more)
        self.statement = statement

    def runtest(self) -> None:
        """Try it; an AssertionError has the witness."""
        from arubatheory.testing import assert_survives

        assert_survives(self.statement, budget=self.config.getoption("--statements-budget"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The witness as `assert_survives` shows it, and no traceback of ours."""
        return str(excinfo.value) if isinstance(excinfo.value, AssertionError) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it is written, and its label."""
        return self.path, None, self.statement.label
