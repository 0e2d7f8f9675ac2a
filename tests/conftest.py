"""One thread per process, and property tests that never depend on the clock, on stored examples or on chance."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402  (numpy reads the variables when it is first imported)

# What a compiler makes stays: to look through all of it again and again was an eighth of its time.
gc.set_threshold(700, 10, 100)

# A deadline would measure the compiler, and so would the health check on the first example.
settings.register_profile(
    "project", deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("project")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The solver's tests come last: of two processes, one starts with the first test and one in the middle, where the
    solver is compiled as well, and each would compile it."""
    items.sort(key=lambda item: item.path.parent.name == "convex")


def pytest_collection_finish() -> None:
    """What was imported and collected stays: nothing of it is garbage, whenever a compiler or a test makes some."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with the toys in the place of the paper's statements."""
    from toy import instead_of_the_paper

    monkeypatch.chdir(tmp_path)
    instead_of_the_paper(monkeypatch)
    return tmp_path


def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    """Say what is left out unless asked for."""
    if config.option.markexpr == "not chromium":
        terminalreporter.line("left out: the tests marked chromium, which need a browser (.ci/run, pytest -m chromium)")
