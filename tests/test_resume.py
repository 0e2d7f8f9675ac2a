"""A campaign that is killed or interrupted goes on where it was, and ends as if nothing had happened."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from toy import user_file

from arubatheory.cli.codes import DIFFERS, INTERRUPTED

Start = Callable[[Path, str, float, int], subprocess.Popen[str]]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
BOUNDS = {f"my:{name}": factor for name, factor in zip("abcd", (2, 3, 1, 4), strict=True)}


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts campaigns over four slow statements, in sessions of their own that end with the test."""
    with ended_with_the_test() as started:

        def begin(folder: Path, log: str, sleep: float, jobs: int) -> subprocess.Popen[str]:
            started.append(launch(folder, log, sleep, jobs))
            return started[-1]

        yield begin


@contextlib.contextmanager
def ended_with_the_test() -> Iterator[list[subprocess.Popen[str]]]:
    """A list of processes, which are killed at the end with all that they started."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def launch(
    folder: Path, log: str, sleep: float, jobs: int, before: Callable[[], object] = int, terminal: int = subprocess.PIPE
) -> subprocess.Popen[str]:
    """A campaign in a session of its own, with pipes or a terminal; `before` it, in its process, this is called."""
    folder.mkdir(exist_ok=True)
    file = folder.parent / "bounds.py"
    file.write_text(user_file(BOUNDS))
    command = [sys.executable, "-m", "arubatheory", "verify", "--file", str(file), "--budget", "60", "--json"]
    command += ["--jobs", str(jobs), "--root", str(folder)]
    env = {**os.environ, "TOY_LOG": str(folder.parent / log), "TOY_SLEEP": str(sleep)}
    pipes: dict[str, Any] = {"stdout": terminal, "stderr": terminal}

    def listen() -> None:
        """A suite that ignores signals, as a job in the background does, would hand that on to the campaign."""
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        before()

    return subprocess.Popen(command, **pipes, text=True, env=env, start_new_session=True, preexec_fn=listen)


def wait_for(process: subprocess.Popen[str], text: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if text in line:
            return
    raise AssertionError(f"the campaign ended without saying {text!r}")


def results(text: str, folder: Path) -> list[dict[str, Any]]:
    """What a campaign printed, without what may differ: its folder and its seconds."""
    rows = [json.loads(line.replace(str(folder), "")) for line in text.splitlines()]
    return [{k: v for k, v in row.items() if "second" not in k} for row in rows]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("whole")
    out, _ = launch(folder / "root", "log", 0, 1).communicate(timeout=60)
    return results(out, folder)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, jobs: int, start: Start, uninterrupted: Any) -> None:
    root = tmp_path / "root"
    first = start(root, "first", 0.002, jobs)
    wait_for(first, "[3/8]")
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=20)  # its pipes close only when its workers, too, are gone
    second = start(root, "second", 0, jobs)
    out, err = second.communicate(timeout=60)
    assert second.returncode == DIFFERS, err
    finished = [line for line in err.splitlines() if line.startswith("[")]
    assert len(finished) == 8
    done_before = {line.split("] ")[1] for line in finished[:3]}
    again = set((tmp_path / "second").read_text().split())
    for label in BOUNDS:
        units = {line for line in done_before if line.startswith(label + " ")}
        assert (label in again) == (len(units) < 2), (label, done_before)
    assert results(out, tmp_path) == uninterrupted


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("number", SIGNALS)
def test_an_interrupted_run_says_how_far_it_came(tmp_path: Path, jobs: int, number: int, start: Start) -> None:
    process = start(tmp_path / "root", "log", 0.004, jobs)
    wait_for(process, "[1/8]")
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == INTERRUPTED
    assert out == ""
    (line,) = (line for line in err.splitlines() if not line.startswith("["))
    assert line.endswith("of 8 units are finished and kept; the same command goes on from there")
