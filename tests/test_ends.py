"""However a campaign ends, it ends: signals, processes that die, full disks, clocks that jump, units without an end."""

from __future__ import annotations

import ast
import contextlib
import os
import pty
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_resume import BOUNDS, ended_with_the_test, launch, wait_for

from arubatheory import arithmetic
from arubatheory.cli import main
from arubatheory.cli.codes import AS_RECORDED, DIFFERS, INTERNAL, INTERRUPTED
from arubatheory.engines import pool
from arubatheory.engines.exact import certify
from arubatheory.engines.source import Source
from arubatheory.engines.verdict import Status
from arubatheory.problems.draw import RandomDraw
from arubatheory.report.session import Event, Settings, run
from arubatheory.report.store import Store
from arubatheory.statements.core import Instance, Sides, Statement
from tests.house import MODULES, ROOT, parse

USER = '''
import os, signal, sys, time
from pathlib import Path
from arubatheory.statements.core import Instance, Sides, Statement

HERE = Path(__file__).parent

def once(name):
    """Whether this was never asked before."""
    try:
        (HERE / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True

def pid():
    (HERE / "pid").write_text(str(os.getpid()))

def statement(label, act, engines=("check",), factor=1):
    def sides(i):
        act()
        lhs, rhs = factor * i.x * i.y, i.x * i.x + i.y * i.y
        return Sides(lhs, rhs)
    draw = lambda draw: Instance(x=draw.real(-2, 2), y=draw.real(-2, 2))
    return Statement(label, "claim", "xy", draw, sides, engines=engines)

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def loop():
    while True:
        pass

def hold():
    """One operation that lets no other thread run, for hours."""
    pid()
    sum(range(1 << 50))

'''


@pytest.fixture
def users(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of statements, each given by its label and further arguments, in Python."""

    def write(head: str = "", **statements: str) -> Path:
        made = [f"{name.upper()} = statement('my:{name}', {given})" for name, given in statements.items()]
        path = tmp_path / "mine.py"
        path.write_text(USER + head + "\n".join(made) + "\n")
        return path

    return write


def verdicts(file: Path, only: str = "", **settings: Any) -> tuple[dict[str, Any], list[Event]]:
    """What a run says of the statements of a file, by their names, and its events."""
    made = Settings(file.parent, **{"budget": "150", "jobs": 2, "source": Source(file), **settings})
    events: list[Event] = []
    outcomes = run(
        [made.trial(s) for label, s in made.source.statements().items() if only in label], made, events.append
    )
    return {o.statement.label.removeprefix("my:"): o.verdict for o in outcomes}, events


def notes(events: list[Event]) -> list[str]:
    return [f"{event.unit.label} {event.note}" for event in events if event.verdict is None]


def is_gone(pid: int) -> bool:
    """Whether a process has ended, be it that nobody has asked how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def soon(true: Callable[[], Any], seconds: float = 15.0) -> bool:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


# processes that die ------------------------------------------------------------------------------------------------
def test_a_unit_whose_process_dies_is_tried_again_and_a_second_death_is_an_error(users: Any) -> None:
    file = users(
        good="int", once="lambda: once('died') and die()", always="die", stops="lambda: sys.exit(0)", two="int"
    )
    found, events = verdicts(file)
    assert [found[name].status for name in ("good", "once", "two")] == [Status.SURVIVED] * 3
    assert (found["stops"].status, found["stops"].error[:13]) == (Status.ERROR, "SystemExit: 0")
    assert found["always"].status is Status.ERROR
    assert found["always"].error == (
        "ChildProcessError: its process died twice, the second time alone: it ended by SIGKILL"
    )
    again = "its process ended by SIGKILL; it is tried again, alone, when all others are done"
    assert sorted(notes(events)) == [f"my:always {again}", f"my:once {again}"]
    undisturbed, _ = verdicts(file, "once", jobs=1, fresh=True)
    assert replace(found["once"], seconds=0.0) == replace(undisturbed["once"], seconds=0.0)


def test_a_process_that_cannot_begin_ends_the_run(users: Any) -> None:
    file = users("import multiprocessing\nmultiprocessing.parent_process() and os._exit(7)\n", a="int", b="int")
    with pytest.raises(OSError, match="no process for units can be started: the last one ended with exit code 7"):
        verdicts(file)


def test_a_statement_that_stops_the_interpreter_is_an_error(users: Any) -> None:
    found, _ = verdicts(users(stops="lambda: sys.exit(0)", good="int"), jobs=1)
    assert (found["stops"].status, found["stops"].error[:13]) == (Status.ERROR, "SystemExit: 0")
    assert found["good"].status is Status.SURVIVED


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, a worker ends when its kernel does")
def test_workers_die_with_their_parent_whatever_they_compute(users: Any, tmp_path: Path) -> None:
    file = users(holds="hold", loops="loop")
    command = [sys.executable, "-m", "arubatheory", "verify", "--file", str(file), "--jobs", "2"]
    parent = subprocess.Popen([*command, "--root", str(tmp_path)], stderr=subprocess.DEVNULL)
    try:
        assert soon(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        worker = int((tmp_path / "pid").read_text())
        assert not is_gone(worker)
    finally:
        parent.kill()
        parent.wait()
    assert soon(lambda: is_gone(worker), 5)


# units without an end ----------------------------------------------------------------------------------------------
SLOW_SEARCH = "import traceback\ndef slow():\n    'search.py' in str(traceback.extract_stack()) and loop()\n"


def test_a_unit_that_takes_too_long_is_idle_and_is_not_done(users: Any) -> None:
    file = users(holds="lambda: once('hung') and hold()", good="int")
    found, _ = verdicts(file, jobs=1, timeout=2.0)
    assert found["good"].status is Status.SURVIVED
    assert (found["holds"].status, found["holds"].trials) == (Status.IDLE, 0)
    assert found["holds"].error == "check was ended after 2 s, before its budget was spent"
    assert found["holds"].sentence == "It was not tried to the end: nothing is said."
    assert found["holds"].seconds >= 2
    with Store(file.parent / ".cache" / "arubatheory.sqlite") as store:
        assert store.finished() == 1
    again, _ = verdicts(file, jobs=1)
    assert {verdict.status for verdict in again.values()} == {Status.SURVIVED}


def test_a_part_that_was_not_tried_to_the_end_is_no_survival_but_a_refutation_stands(users: Any) -> None:
    both = {"true": "slow, ('check', 'search')", "false": "slow, ('check', 'search'), 4"}
    found, _ = verdicts(users(SLOW_SEARCH, loops="loop", good="int", **both), timeout=2.0)
    assert (found["loops"].status, found["loops"].trials) == (Status.IDLE, 0)
    assert found["good"].status is Status.SURVIVED
    reason = "search was ended after 2 s, before its budget was spent"
    assert (found["true"].status, found["true"].error) == (Status.IDLE, reason)
    assert found["true"].trials >= 100
    assert (found["false"].status, found["false"].error) == (Status.REFUTED, reason)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_unit_that_takes_long_is_named(users: Any, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "PATIENCE", 0.3)
    found, events = verdicts(users(slow="lambda: once('slept') and time.sleep(2)", good="int"), jobs=jobs)
    assert {verdict.status for verdict in found.values()} == {Status.SURVIVED}
    named = [note for note in notes(events) if note.startswith("my:slow still runs after ")]
    assert 2 <= len(named) <= 4  # after 0.3 s, and each time that as many seconds have passed again


def growing(steps: int, apart: Any) -> Statement:
    """x < x + apart, where x has almost three times the digits after each of so many exact divisions."""

    def sides(i: Instance) -> Sides:
        x, y = i.x, i.y
        for _ in range(steps):
            x, y = (x * x + y) / (y + 3), x / (x + y + 1)
        return Sides(x, x + apart * (1 + 0 * y))

    return Statement("my:grows", "claim", "x", lambda d: Instance(x=d.real(0, 1), y=d.real(0, 1)), sides)


def test_exact_arithmetic_of_a_statement_that_grows_takes_seconds() -> None:
    draw = RandomDraw(np.random.default_rng(0))
    growing(14, 1).instance(draw)
    certificate = certify(growing(14, 1), draw.tape)
    assert (certificate.outcome, certificate.bits) == ("holds", arithmetic.FIRST_BITS)


def test_balls_in_place_of_rationals_double_their_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arithmetic, "LONGEST", 1 << 12)
    tiny = arithmetic.Exact(2) ** -700
    draw = RandomDraw(np.random.default_rng(0))
    growing(9, tiny).instance(draw)
    certificate = certify(growing(9, tiny), draw.tape)
    assert (certificate.outcome, certificate.bits) == ("holds", 1024)
    assert certify(growing(9, tiny), draw.tape, 512).outcome == "undecided"
    assert certify(growing(9, 0), draw.tape, 512).outcome == "undecided"  # equal: balls cannot tell


# signals -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts the campaign of test_resume, which ends with the test."""
    with ended_with_the_test() as started:

        def begin(jobs: int, **more: Any) -> subprocess.Popen[str]:
            started.append(launch(tmp_path / "root", "log", more.pop("sleep", 0.004), jobs, **more))
            return started[-1]

        yield begin


def error_in(err: str) -> str:
    """The one line that ends a campaign, beside those of its units and of kernels that are compiled for the first
    time."""
    told = [line for line in err.splitlines() if not line.startswith("[") and "compil" not in line]
    assert len(told) == 1, err
    return told[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_to_all_processes_and_more_of_them_leave_one_line(start: Any, number: int) -> None:
    process = start(2)
    wait_for(process, "[1/8]")
    for _ in range(3):
        os.killpg(process.pid, number)
        time.sleep(0.03)
    _, err = process.communicate(timeout=30)
    assert process.returncode == INTERRUPTED
    assert error_in(err).endswith(" of 8 units are finished and kept; the same command goes on from there")


@pytest.mark.skipif(sys.platform != "linux", reason="the children of a process are not listed elsewhere")
def test_processes_that_begin_hear_no_interrupt(start: Any) -> None:
    process = start(2, sleep=0)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    assert soon(lambda: len(children.read_text().split()) >= 2)  # what tracks resources, and a worker
    for _ in range(40):
        for child in children.read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGINT)
        time.sleep(0.02)
    _, err = process.communicate(timeout=30)
    assert process.returncode == DIFFERS
    assert "died" not in err and "ended by" not in err and "Traceback" not in err


def test_a_hang_up_that_is_ignored_stays_ignored(start: Any) -> None:
    process = start(1, before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN), sleep=0.001)
    wait_for(process, "[1/8]")
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=60)
    assert process.returncode == DIFFERS


def test_a_terminal_that_is_gone_interrupts(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = launch(tmp_path / "root", "log", 0.004, 2, before=lambda: own_terminal(theirs), terminal=theirs)
    os.close(theirs)
    assert soon(lambda: (tmp_path / "log").exists())
    os.close(ours)
    assert process.wait(timeout=20) == INTERRUPTED


def own_terminal(terminal: int) -> None:
    import fcntl
    import termios

    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


def as_process(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Python's end after `python -m`, as of the command, with this code in the place of the command's."""
    (folder / "command.py").write_text("import atexit, os, signal, time\nfrom arubatheory import cli\n" + code)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "command"]
    return subprocess.run(command, text=True, capture_output=True, timeout=20, cwd=folder, env=env)


CARELESS = {
    "swallowed": "try:\n        stop()\n    except BaseException:\n        time.sleep(10)",
    "turned into another error": "try:\n        stop()\n    except BaseException:\n        raise ImportError",
    "met while a module makes a class": "exec('stop()', globals())",
    "met while an object is deleted": "Deleted()\n    time.sleep(10)",
    "followed by more signals": "try:\n        stop()\n    finally:\n        stop(0.1)\n        done()",
}


@pytest.mark.parametrize("name", CARELESS)
def test_an_interrupt_is_never_lost(name: str, tmp_path: Path) -> None:
    code = f"""
cli.GRACE = 0.5
def stop(seconds=10):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(seconds)
def done():
    open("done", "w").close()
class Deleted:
    def __del__(self):
        stop()
def careless(args):
    {CARELESS[name]}
cli._run = careless
raise SystemExit(cli.main(["doctor"]))
"""
    done = as_process(tmp_path, code)
    assert (done.returncode, done.stderr) == (INTERRUPTED, "arubatheory: error: interrupted\n")
    assert (tmp_path / "done").exists() == ("more signals" in name)


def test_a_signal_after_the_end_changes_nothing(tmp_path: Path) -> None:
    code = """
atexit.register(os.kill, os.getpid(), signal.SIGTERM)
raise SystemExit(cli.main(["--version"]))
"""
    done = as_process(tmp_path, code)
    assert (done.returncode, done.stderr) == (AS_RECORDED, "")


def test_handlers_of_the_caller_come_back() -> None:
    before = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)]
    assert main(["--version"]) == AS_RECORDED
    assert [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)] == before


# disks and pipes that take no more ---------------------------------------------------------------------------------
PRINTED = [sys.executable, "-m", "arubatheory", "completion", "zsh"]


def test_a_full_disk_keeps_what_is_finished(start: Any, tmp_path: Path) -> None:
    path = tmp_path / "root" / ".cache" / "arubatheory.sqlite"
    Store(path).close()
    full = start(2, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)), sleep=0)
    _, err = full.communicate(timeout=60)
    assert full.returncode == INTERNAL
    line = error_in(err)
    done = sum(line.startswith("[") for line in err.splitlines())
    assert 0 < done < 8
    assert line.startswith(f"arubatheory: error: the store {path} cannot be used: ")
    assert line.endswith(f"; make room on the disk and run again; {done} of 8 units are finished and kept")
    with Store(path) as store:
        assert store.finished() == done
    again = start(1, sleep=0)
    again.communicate(timeout=60)
    assert again.returncode == DIFFERS


def test_output_that_cannot_be_written_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(PRINTED, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (INTERNAL, "arubatheory: error: [Errno 28] No space left on device\n")


def test_a_campaign_whose_reader_leaves_is_interrupted_and_what_is_printed_is_not(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(
        "PYTHONUNBUFFERED", raising=False
    )  # what is left in a buffer is what fails while Python winds up
    process = start(1)
    wait_for(process, "[1/8]")
    process.stderr.close()
    process.stderr = None
    process.communicate(timeout=30)
    assert process.returncode == INTERRUPTED
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(PRINTED, stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (AS_RECORDED, b"")


# clocks ------------------------------------------------------------------------------------------------------------
def test_a_clock_that_jumps_back_changes_nothing(users: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(10**9, 0, -3600))
    monkeypatch.setattr(time, "time", lambda: float(next(ticks)))
    found, _ = verdicts(users(good="int"), jobs=1)
    assert found["good"].status is Status.SURVIVED and found["good"].seconds >= 0


def test_no_module_asks_for_the_time_of_day() -> None:
    clocks = {"time.time", "time.time_ns", "datetime.now", "datetime.datetime.now"}
    last = {name.rpartition(".")[2] for name in clocks}
    for path in MODULES:
        attributes = [n for n in ast.walk(parse(path)) if isinstance(n, ast.Attribute) and n.attr in last]
        assert not {ast.unparse(node) for node in attributes} & clocks, path


# absurd numbers ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("jobs", 10**6, "jobs must be an integer >= 1 and <= 256, got 1000000"),
        ("jobs", True, "jobs must be an integer >= 1 and <= 256, got True"),
        ("seed", -1, "seed must be an integer >= 0 and <= 9223372036854775807, got -1"),
        ("seed", 2**63, "seed must be an integer >= 0 and <= 9223372036854775807, got 9223372036854775808"),
        ("timeout", 0, "timeout must be a positive number of seconds, got 0"),
        ("timeout", float("inf"), "timeout must be a positive number of seconds, got inf"),
    ],
)
def test_absurd_settings_are_refused_with_the_number(name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Settings(**{name: value})


def test_the_campaign_here_has_eight_units() -> None:
    assert len(BOUNDS) * 2 == 8
