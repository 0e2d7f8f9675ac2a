"""Starting the command is light: help imports nothing heavy, and threads are limited before numpy is imported."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arubatheory import cli
from arubatheory.cli import main


def test_help_is_light_and_documents_the_exit_codes() -> None:
    code = "import sys; from arubatheory.cli import main; main(['--help']); main(['verify', '--help']); "
    code += "print(*{'numpy', 'numba', 'flint', 'rich', 'sqlite3', 'hypothesis'} & set(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""
    for text in ("0  every verdict is as in the ledger", "5  nothing selected", "--blind", "--fresh", "doctor"):
        assert text in done.stdout


def test_python_m_arubatheory() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "arubatheory", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("arubatheory 0.")


def test_threads_are_limited_before_numpy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in cli.THREADS:
        monkeypatch.delenv(name, raising=False)
    main(["--version"])
    assert all(os.environ[name] == "1" for name in cli.THREADS)
