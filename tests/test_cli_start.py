"""Starting the command: help is light and says what to type, threads are limited before numpy is imported."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest
from toy import printed_by

from arubatheory import cli
from arubatheory.cli import main
from arubatheory.cli.codes import AS_RECORDED
from arubatheory.cli.parser import VERBS, parser
from arubatheory.statements.effort import BUDGETS, ENGINES


def test_help_is_light_and_documents_the_exit_codes() -> None:
    code = "import sys; from arubatheory.cli import main; main(['--help']); main(['verify', '--help']); "
    code += "print(*{'numpy', 'numba', 'flint', 'rich', 'sqlite3', 'hypothesis'} & set(sys.modules), file=sys.stderr); "
    code += "import arubatheory.report.session; "  # what every process of a campaign imports
    code += "print(*{'scipy.special', 'scipy.linalg', 'jinja2', 'rich'} & set(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""
    for text in ("0  every verdict is as in the ledger", "5  nothing selected", "--blind", "--fresh", "doctor"):
        assert text in done.stdout


def test_learners_import_scipy_where_they_need_it() -> None:
    code = "import sys; from arubatheory.learners import matrix_mean; print('scipy.linalg' in sys.modules); "
    code += "matrix_mean([[1.0]], [[1.0]]); print('scipy.linalg' in sys.modules)"
    assert printed_by(code) == ["False", "True"]


def test_a_search_imports_the_climber_and_not_all_of_scipy() -> None:
    code = "import importlib.util, sys; from arubatheory.engines.climb import _strategies; "
    code += "print(*(s.__name__ for s in _strategies()), 'scipy.stats' in sys.modules); "
    code += "print(importlib.util.find_spec('scipy.stats').name)"
    assert printed_by(code) == ["CMA", "SepCMA", "False", "scipy.stats"]


def test_the_help_of_verify_has_the_sizes_of_the_budgets() -> None:
    text = parser().verbs["verify"].format_help()
    for name in BUDGETS:
        sizes = {engine.name: engine.budgets[name] for engine in ENGINES.values()}
        line = next(line for line in text.splitlines() if line.startswith(f"  {name} "))
        assert line.split() == f"{name} {', '.join(f'{engine} {size:,}' for engine, size in sizes.items())}".split()


def test_python_m_arubatheory() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "arubatheory", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("arubatheory 0.")


def test_a_terminal_without_unicode_is_no_error() -> None:
    code = "from arubatheory.cli import main; main(['--version']); print('≈')"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout.splitlines()[1]) == (0, "?")


def test_threads_are_limited_before_numpy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in cli.THREADS:
        monkeypatch.delenv(name, raising=False)
    main(["--version"])
    assert all(os.environ[name] == "1" for name in cli.THREADS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples_that_parse(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == AS_RECORDED
    out = capsys.readouterr().out
    assert f"usage: arubatheory {verb} " in out
    assert "exit codes:" in out
    for example in VERBS[verb].examples:
        assert f"  {example}\n" in out
        words = shlex.split(example, comments=True)
        assert parser().parse_args(words[1 : words.index(">") if ">" in words else None]).verb == verb


def test_help_lists_every_verb_under_its_heading(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == AS_RECORDED
    out = capsys.readouterr().out
    for name, verb in VERBS.items():
        assert f"\n{verb.heading}:\n" in out
        assert f"\n  {name:<12}{verb.text}\n" in out
    assert all(len(line) <= 100 for line in out.splitlines())
