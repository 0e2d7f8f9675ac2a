"""Units on other workers: the same verdicts, whatever workers there are, and an end whatever becomes of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from queue import LifoQueue
from typing import Any

import pytest
from toy import user_file

import arubatheory
from arubatheory.engines import executors, parcel
from arubatheory.engines.executors import ExecutorError, check_executor
from arubatheory.engines.source import Source
from arubatheory.engines.verdict import Status
from arubatheory.report.session import Event, Interrupted, Settings, run
from arubatheory.report.store import Store

BOUNDS = {f"my:{name}": factor for name, factor in zip("abcd", (2, 3, 1, 4), strict=True)}
HELPED = "import helper\nfrom pack.deep import FACTOR\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's file that imports neighbours."""
    (tmp_path / "helper.py").write_text("VALUE = 1\n")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "deep.py").write_text("from .other import FACTOR\n")
    (tmp_path / "pack" / "other.py").write_text("FACTOR = 1\n")
    path = tmp_path / "bounds.py"
    path.write_text(HELPED + user_file(BOUNDS))
    monkeypatch.syspath_prepend(str(tmp_path))
    return path


def verdicts(file: Path, root: str, executor: str, act: Any = None, **more: Any) -> tuple[dict[str, Any], list[Event]]:
    """What a run says of the statements of a file, without seconds, and its events; `act` is called at each."""
    made = Settings(file.parent / root, budget="60", source=Source(file), executor=executor, **more)
    events: list[Event] = []

    def seen(event: Event) -> None:
        events.append(event)
        if act:
            act(event)

    outcomes = run([made.trial(s) for s in made.source.statements().values()], made, seen)
    return {o.statement.label: replace(o.verdict, seconds=0.0) for o in outcomes if o.verdict}, events


# any executor ------------------------------------------------------------------------------------------------------
def threads() -> Executor:
    return ThreadPoolExecutor(3)


def forked() -> Executor:
    return ProcessPoolExecutor(2, get_context("fork"))


class Backwards(ThreadPoolExecutor):
    """What was handed over last is done first."""

    def __init__(self) -> None:
        super().__init__(1)
        self._work_queue: Any = LifoQueue()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one process says of the same statements: a user's file that imports nothing draws the same."""
    path = tmp_path_factory.mktemp("expected") / "bounds.py"
    path.write_text(user_file(BOUNDS))
    return verdicts(path, "root", "processes")[0]


@pytest.mark.parametrize("name", ["threads", "forked", "Backwards"])
def test_every_executor_gives_the_same_verdicts(file: Path, name: str, expected: dict[str, Any]) -> None:
    found, events = verdicts(file, name, f"{__name__}:{name}")
    assert found == expected and {v.status for v in found.values()} == {Status.REFUTED, Status.SURVIVED}
    assert [event.done for event in events] == list(range(1, 9))


def test_an_interrupted_run_goes_on_with_another_executor(file: Path, expected: dict[str, Any]) -> None:
    def impatient(event: Event) -> None:
        if event.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="3 of 8 units are finished and kept"):
        verdicts(file, "root", f"{__name__}:threads", impatient)
    found, events = verdicts(file, "root", f"{__name__}:Backwards")
    assert found == expected and sum(event.stored for event in events) == 3


MORTAL = """
from pathlib import Path
def die_once(i):
    try:
        (Path(HERE) / "died").touch(exist_ok=False)
    except FileExistsError:
        return sides(1)(i)
    os._exit(1)
ONCE = Statement("my:once", "claim", "x", instance, die_once, engines=("check",))
ALWAYS = Statement("my:always", "claim", "x", instance, lambda i: os._exit(1), engines=("check",))
GOOD = Statement("my:good", "claim", "x", instance, sides(1), engines=("check",))
"""


def test_a_unit_whose_worker_is_lost_is_tried_once_more(tmp_path: Path) -> None:
    path = tmp_path / "bounds.py"
    path.write_text(f"HERE = {str(tmp_path)!r}\n" + user_file({}) + MORTAL)
    found, events = verdicts(path, "root", f"{__name__}:forked")
    assert (found["my:once"].error, found["my:good"].error) == ("", "")
    assert found["my:always"].status is Status.ERROR
    assert found["my:always"].error.startswith("ChildProcessError: its worker was lost twice, the second time alone (")
    notes = [event.note for event in events if event.unit.label == "my:once" and not event.verdict]
    assert len(notes) == 1 and notes[0].endswith("it is tried again, alone, when all others are done")


def test_a_timeout_ends_a_unit_and_not_its_worker(tmp_path: Path) -> None:
    path = tmp_path / "bounds.py"
    path.write_text(user_file({}) + "S = Statement('my:loop', 'claim', 'x', instance, lambda i: time.sleep(99))\n")
    found, _ = verdicts(path, "root", f"{__name__}:Backwards", engines=("check",), timeout=0.3)
    assert found["my:loop"].error == "check was ended after 0.3 s, before its budget was spent"


# what is refused ---------------------------------------------------------------------------------------------------
class Broken(ThreadPoolExecutor):
    """Takes nothing."""

    def submit(self, *given: Any, **named: Any) -> Any:
        raise BrokenExecutor("out of order")


def not_one() -> int:
    return 3


@pytest.mark.parametrize("name", ["", "dask:", "dask", "a:b:c", "mpi", 3, None, "no file.py:x"])
def test_an_unknown_executor_is_named(name: Any) -> None:
    with pytest.raises(ValueError, match="executor must be processes, dask:ADDRESS or MODULE:CALLABLE, got") as caught:
        check_executor(name)
    assert str(caught.value).endswith(repr(name))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no_such_module:x", "cannot be had: ModuleNotFoundError: No module named 'no_such_module'"),
        (
            f"{__name__}:no_such_name",
            f"cannot be had: AttributeError: module '{__name__}' has no attribute 'no_such_name'",
        ),
        (f"{__name__}:not_one", "must return a concurrent.futures.Executor, got 3"),
        (f"{__name__}:Broken", "is broken from the start: out of order"),
    ],
)
def test_an_executor_that_cannot_be_had_is_named(file: Path, name: str, reason: str) -> None:
    with pytest.raises(ExecutorError) as caught:
        verdicts(file, "root", name)
    assert str(caught.value) == f"executor {name!r} {reason}; 0 of 8 units are finished and kept"


def test_without_the_extra_it_is_said_how_to_install_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ExecutorError, match=r"needs the extra cluster \(.*\): .*pip install 'arubatheory\[cluster\]'"):
        verdicts(file, "root", "dask:tcp://127.0.0.1:8786")


OURS = parcel.packed(Source()).digest


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"version": "0.0.9"}, f"a worker has arubatheory {arubatheory.__version__}, this process 0.0.9"),
        ({"digest": "1" * 16 + OURS[16:]}, "this process with 1{16}-.*: the package's sources differ"),
        (
            {"origin": "", "files": (("bounds.py", b"import helper"),)},
            "this process with .*: the files of the user's differ",
        ),
    ],
)
def test_a_worker_that_would_compute_something_else_is_refused_and_nothing_is_lost(
    file: Path, other: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(event: Event) -> None:
        if event.done == 2:
            monkeypatch.setattr(executors, "serve", lambda p, *more: parcel.serve(p._replace(**other), *more))

    with pytest.raises(ExecutorError, match=rf"^executor '{__name__}:Backwards': .*{reason}.*; \d of 8 units"):
        verdicts(file, "root", f"{__name__}:Backwards", changed)
    with Store(file.parent / "root" / ".cache" / "arubatheory.sqlite") as store:
        assert store.finished() >= 2


def test_files_are_laid_out_as_they_stood_and_new_ones_take_their_place(tmp_path: Path, monkeypatch: Any) -> None:
    library, home = tmp_path / "library", tmp_path / "far" / "home"
    for folder in (library, home):
        folder.mkdir(parents=True)
        monkeypatch.syspath_prepend(str(folder))
    sent = []
    for value in (2, 5):
        (library / "neighbour.py").write_text(f"VALUE = {value}\n")
        (home / "bounds.py").write_text(user_file({"my:a": value}) + "import neighbour\nT = neighbour.VALUE\n")
        Source(home / "bounds.py").statements()
        sent.append(parcel.packed(Source(home / "bounds.py"))._replace(origin="another process"))
    laid: list[Path] = []
    for value, given in zip((2, 5), sent, strict=True):
        there = parcel.unpacked(given)
        assert there.statements()["my:a"].latex == rf"{value}xy\le x^2+y^2"
        neighbour = sys.modules["neighbour"]
        assert neighbour.VALUE == value and not Path(str(neighbour.__file__)).is_relative_to(tmp_path)
        assert there.digest() == given.digest and parcel.unpacked(given) is there
        assert there.file is not None and sum("arubatheory-" in entry for entry in sys.path) == 2
        before = [file for file in [*laid, there.file] if file.exists()]
        assert before == [there.file], "what was laid out before is removed"
        laid.append(there.file)


# a cluster ---------------------------------------------------------------------------------------------------------
class Cluster:
    """A scheduler and two workers on the loopback address."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.workers = folder, list[subprocess.Popen[bytes]]()
        self.told = folder / "scheduler.json"
        where = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(self.told))
        self.scheduler = self._start("scheduler", *where)

    def begin(self) -> None:
        end = time.monotonic() + 60
        while not (self.told.exists() and self.told.read_text().endswith("}")):  # it is there before it is written
            assert time.monotonic() < end
            time.sleep(0.05)
        for _ in range(2):
            place = ("--local-directory", str(self.folder), "--no-nanny", "--nthreads", "1")
            self.workers.append(self._start("worker", "--scheduler-file", str(self.told), *place))
        self.name = f"dask:{json.loads(self.told.read_text())['address']}"

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        env = {**os.environ, "TOY_LOG": str(self.folder / "log"), "TOY_SLEEP": "0.001"}
        command = [sys.executable, "-m", "distributed.cli.dask_" + kind, "--no-dashboard", *options]
        return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    made = Cluster(tmp_path)
    try:
        made.begin()
        yield made
    finally:
        made.end()


def test_a_cluster_that_loses_a_worker_gives_the_same_verdicts(
    file: Path, cluster: Cluster, expected: dict[str, Any]
) -> None:
    def killer(event: Event) -> None:
        if event.done == 2:
            cluster.workers[0].send_signal(signal.SIGKILL)

    found, events = verdicts(file, "root", cluster.name, killer)
    assert found == expected and len(events) == 8
    assert cluster.workers[0].wait() == -signal.SIGKILL and cluster.workers[1].poll() is None
    cluster.end()
    with pytest.raises(ExecutorError, match=f"executor '{cluster.name}': no scheduler answers there"):
        verdicts(file, "other", cluster.name)
