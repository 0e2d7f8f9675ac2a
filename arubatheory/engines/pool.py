r"""Units in many processes: the same verdicts for any number of jobs, and an end whatever becomes of a process.

A unit whose process dies, as where memory is short, is tried once more, alone, when all others are done; if that
process dies too, it is an ERROR. With a timeout, a unit that takes longer is ended with its process, whatever that
computes: an IDLE with the reason.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import Any, NamedTuple

from arubatheory.engines.source import Source
from arubatheory.engines.units import Unit, engine_of, run_unit
from arubatheory.engines.verdict import Status, Verdict, failure, reached
from arubatheory.statements.core import Statement
from arubatheory.statements.effort import USUAL

Results = Generator[tuple[Unit, Verdict, float], None, None]
SPAWN = multiprocessing.get_context("spawn")
HELD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TICK = 0.2  # seconds between two looks at the clock
PATIENCE = 60.0  # seconds after which a unit is said to take long; again after twice as many, and so on
DEATH_SIGNAL = 1  # of a process whose parent dies, Linux's PR_SET_PDEATHSIG


class Care(NamedTuple):
    """How units are looked after: the seconds that each may take (None: as many as it needs), and who is told of one
    that takes long or whose process died."""

    timeout: float | None = None
    say: Callable[[Unit, str], None] = lambda unit, words: None


NO_CARE = Care()


def finished(
    units: Iterable[Unit], statements: Mapping[str, Statement], source: Source, jobs: int, care: Care = NO_CARE
) -> Results:
    """Each unit with its verdict and its seconds, as it is finished. With `jobs` > 1 or a timeout, `statements` are
    those of `source`. Raises OSError where no process can be started."""
    waiting = iter(units)
    first = list(islice(waiting, jobs))
    if len(first) > 1 or (first and care.timeout):
        died: list[Unit] = []
        yield from _Crew(chain(first, waiting), source, care, died).results(len(first))
        for unit in died:
            yield from _Crew(iter([unit]), source, care).results(1)
        return
    for unit in chain(first, waiting):
        with _watched(unit, care):
            result = run_unit(statements[unit.label], unit)
        yield unit, *result


@contextlib.contextmanager
def _watched(unit: Unit, care: Care) -> Iterator[None]:
    """Says that the unit takes long, if it does, while it runs in this process."""
    over, start = threading.Event(), time.monotonic()

    def watch() -> None:
        seconds = 0.0
        while not over.wait(max(seconds, PATIENCE)):
            seconds = time.monotonic() - start
            care.say(unit, _running(unit, seconds))

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _running(unit: Unit, seconds: float) -> str:
    return f"still runs after {seconds:.0f} s" + "; what doubles with a size needs a limit" * (unit.engine == "search")


class _Worker:
    """A process that runs one unit after another, the first as soon as it is ready: then its clock starts."""

    def __init__(self, source: Source, unit: Unit) -> None:
        self.pipe, theirs = SPAWN.Pipe()
        self.process = SPAWN.Process(target=_work, args=(theirs, source), daemon=True)
        self.process.start()
        theirs.close()
        self.ready = False
        self.take(unit)

    def take(self, unit: Unit) -> None:
        """Begin with a unit; if the process is dead by now, `heard` will find out."""
        self.unit, self.start, self.due = unit, time.monotonic(), PATIENCE
        with contextlib.suppress(OSError):
            self.pipe.send(unit)

    def heard(self) -> Any:
        """What the process sent: a result, None once it is ready; raises EOFError if it is dead."""
        try:
            message = self.pipe.recv()
        except OSError as error:
            raise EOFError from error
        if not self.ready:
            self.ready, self.start = True, time.monotonic()
        return message

    def end(self) -> str:
        """End the process, if it has not ended by itself; how it ended."""
        self.process.kill()
        self.process.join()
        code = self.process.exitcode or 0
        self.process.close()
        self.pipe.close()
        return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


class _Crew:
    """Workers that share units. What a dead process was at goes to `died`; without that list, it is an error."""

    def __init__(self, units: Iterator[Unit], source: Source, care: Care, died: list[Unit] | None = None) -> None:
        self.units, self.source, self.care, self.died = units, source, care, died
        self.workers: list[_Worker] = []

    def results(self, jobs: int) -> Results:
        """Each unit with its verdict and its seconds. However it ends, no process is left."""
        try:
            self._hire(jobs)
            while self.workers:
                heard = wait([worker.pipe for worker in self.workers], TICK)
                for worker in list(self.workers):
                    yield from self._answer(worker) if worker.pipe in heard else self._look_after(worker)
        finally:
            for worker in self.workers:
                worker.end()

    def _hire(self, number: int) -> None:
        """Start workers for the units that come next. Signals wait meanwhile: a process begins without them, and each
        that was started is known."""
        resource_tracker.ensure_running()  # which lets signals through again when it is started
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, HELD)
            self.workers += map(partial(_Worker, self.source), islice(self.units, number))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _dismiss(self, worker: _Worker) -> str:
        self.workers.remove(worker)
        return worker.end()

    def _answer(self, worker: _Worker) -> Results:
        """Take what a worker sent, and give it the next unit."""
        try:
            result = worker.heard()
        except EOFError:
            yield from self._lost(worker)
            return
        if result is not None:
            yield worker.unit, *result
            unit = next(self.units, None)
            worker.take(unit) if unit else self._dismiss(worker)

    def _look_after(self, worker: _Worker) -> Results:
        """Say that a unit takes long, and end it when its time is over."""
        seconds, unit, timeout = time.monotonic() - worker.start, worker.unit, self.care.timeout
        if timeout and worker.ready and seconds > timeout:
            self._dismiss(worker)
            self._hire(1)
            reason = f"{unit.engine} was ended after {timeout:g} s, before its budget was spent"
            yield unit, reached(Status.IDLE, unit.label, unit.engine, unit.seed, unit.budget, error=reason), seconds
        elif seconds > worker.due:
            worker.due = 2 * seconds
            self.care.say(unit, _running(unit, seconds))

    def _lost(self, worker: _Worker) -> Results:
        """A process died: its unit is tried again by others, or is an error."""
        unit, how, seconds = worker.unit, self._dismiss(worker), time.monotonic() - worker.start
        if worker.ready:
            self._hire(1)
        elif not self.workers:
            raise ChildProcessError(f"no process for units can be started: the last one {how}")
        if self.died is None:
            error = ChildProcessError(f"its process died twice, the second time alone: it {how}")
            yield unit, failure(unit.label, unit.engine, unit.seed, unit.budget, error), seconds
        else:
            self.died.append(unit)
            self.care.say(unit, f"its process {how}; it is tried again, alone, when all others are done")


def _work(pipe: Any, source: Source) -> None:
    """What a worker does until its pipe is closed. Its parent decides when it ends: it hears no signals of the
    terminal."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD)
    if sys.platform == "linux":  # at once, while a thread waits for a kernel to let it run
        ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    statements = source.statements()
    for name in USUAL:  # what is imported here is in no unit's time
        engine_of(name)
    gc.freeze()  # what is there by now stays: no collection looks at it again
    pipe.send(None)
    with contextlib.suppress(EOFError, BrokenPipeError):
        while unit := pipe.recv():
            pipe.send(run_unit(statements[unit.label], unit))


def _die_with_parent() -> None:
    """A parent that was killed cannot stop its workers, which would hold its pipes open."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
