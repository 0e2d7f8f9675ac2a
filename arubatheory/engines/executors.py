r"""Units on other workers than this machine's processes: a Dask cluster, or any `concurrent.futures.Executor`.

Workers share nothing with this process (`engines.parcel`), and it alone keeps results, as they come. A unit whose
worker is lost is tried once more, alone, when all others are done; if that worker is lost too, it is an ERROR.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from arubatheory.engines.parcel import Parcel, Unfit, packed, serve
from arubatheory.engines.pool import PATIENCE, TICK, Care, Results
from arubatheory.engines.source import Source
from arubatheory.engines.units import Unit
from arubatheory.engines.verdict import failure

PROCESSES, DASK = "processes", "dask:"
CONNECT = 5.0  # seconds in which a scheduler must answer
COUNTING = 2.0  # seconds between two looks at how many workers there are
MOST_BROKEN = 3  # executors in a row that may break before anything comes back
INSTALL = "python -m pip install 'arubatheory[cluster]'"


class ExecutorError(RuntimeError):
    """An executor that cannot be had, or that computes nothing: the message names what was asked for."""


class Opened(NamedTuple):
    """An executor at work: how many workers it has now, how it is closed (at once, or when all is done), and what is
    raised for a unit whose worker is lost."""

    executor: Executor
    workers: Callable[[], int]
    close: Callable[[bool], None]
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)


class _Sent(NamedTuple):
    """A unit on its way, since when, and when it is said to take long."""

    unit: Unit
    start: float
    due: float


def check_executor(name: str) -> None:
    """Raises ValueError for what names no executor."""
    kind, _, rest = name.partition(":") if isinstance(name, str) else ("", "", "")
    address = f"{kind}:" == DASK and rest
    if name != PROCESSES and not address and not all(part.isidentifier() for part in f"{kind}.{rest}".split(".")):
        raise ValueError(f"executor must be {PROCESSES}, {DASK}ADDRESS or MODULE:CALLABLE, got {name!r}")


def opened(name: str) -> Opened:
    """The executor of this name. Raises ExecutorError where it cannot be had."""
    return _dask(name) if name.startswith(DASK) else _called(name)


def _dask(name: str) -> Opened:
    try:
        from distributed import Client, KilledWorker
        from distributed.comm import get_address_host_port
    except ImportError as error:
        raise ExecutorError(f"executor {name!r} needs the extra cluster ({error}): {INSTALL}") from error
    for logger in ("distributed", "distributed.client"):  # what they have to say is said by us, once
        logging.getLogger(logger).setLevel(logging.CRITICAL + 1)
    try:
        get_address_host_port(name.removeprefix(DASK), strict=True)  # before a loop is started that has no end
        client = Client(name.removeprefix(DASK), timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, ImportError) as error:
        raise ExecutorError(f"executor {name!r}: no scheduler answers there ({error})") from error

    executor, died = client.get_executor(pure=False), (BrokenExecutor, KilledWorker)
    return Opened(executor, lambda: len(client.nthreads()), lambda done: client.close(timeout=CONNECT), died)


def _called(name: str) -> Opened:
    module, _, function = name.partition(":")
    if os.getcwd() not in sys.path:  # of a command, Python looks beside the script and not here
        sys.path.append(os.getcwd())
    try:
        made: Any = importlib.import_module(module)
        for part in function.split("."):
            made = getattr(made, part)
        made = made()
    except Exception as error:
        raise ExecutorError(f"executor {name!r} cannot be had: {type(error).__name__}: {error}") from error
    if not isinstance(made, Executor):
        raise ExecutorError(f"executor {name!r} must return a concurrent.futures.Executor, got {made!r}")
    executor: Executor = made

    def workers() -> int:
        return getattr(executor, "num_workers", 0) or getattr(executor, "_max_workers", 0) or os.cpu_count() or 1

    return Opened(executor, workers, lambda done: executor.shutdown(wait=done, cancel_futures=True))


@contextlib.contextmanager
def hired(name: str, source: Source, care: Care) -> Iterator[Hands]:
    """The workers of the executor of this name. Raises ExecutorError where it cannot be had."""
    hands = Hands(name, packed(source), care)
    try:
        yield hands
    except BaseException:
        hands.opened.close(False)
        raise
    hands.opened.close(True)


class Hands:
    """The workers of an executor, and the units that are under way with them: two for each worker."""

    def __init__(self, name: str, parcel: Parcel, care: Care) -> None:
        self.name, self.parcel, self.care = name, parcel, care
        self.back = SimpleQueue[Future[Any]]()
        self.out: dict[Future[Any], _Sent] = {}
        self.came = self.broken = 0
        self._open()

    def _open(self) -> None:
        self.opened, self.width, self.counted = opened(self.name), 0, -COUNTING

    def finished(self, units: Iterator[Unit]) -> Results:
        """Each unit with its verdict and its seconds, as they come back. Raises ExecutorError where a worker cannot
        run them, or would compute something else than this process."""
        died: list[Unit] = []
        yield from self._results(units, died)
        for unit in died:
            yield from self._results(iter([unit]))

    def _results(self, units: Iterator[Unit], died: list[Unit] | None = None) -> Results:
        """What a lost worker was at goes to `died`; without that list, it is an error."""
        while self._hand_out(units):
            try:
                future = self.back.get(timeout=TICK)
            except Empty:
                self._look_after()
            else:
                yield from self._result(future, died)

    def _hand_out(self, units: Iterator[Unit]) -> bool:
        """Give the workers what they can take; whether anything is under way."""
        now = time.monotonic()
        if now - self.counted > COUNTING:
            self.width, self.counted = 2 * max(self.opened.workers(), 1), now
        for unit in islice(units, max(self.width - len(self.out), 0)):
            future = self._submit(unit)
            self.out[future] = _Sent(unit, now, now + PATIENCE)
            future.add_done_callback(self.back.put)
        return bool(self.out)

    def _submit(self, unit: Unit) -> Future[Any]:
        """Hand over one unit, to a new executor if the one before is broken."""
        try:
            return self._given(unit)
        except BrokenExecutor as error:
            self.broken += 1
            if self.broken >= MOST_BROKEN and not self.came:
                raise ExecutorError(f"executor {self.name!r} breaks before a unit comes back: {error}") from error
        self.opened.close(False)
        self._open()
        try:
            return self._given(unit)
        except RuntimeError as error:  # as where it is the same again
            raise ExecutorError(f"executor {self.name!r} is broken from the start: {error}") from error

    def _given(self, unit: Unit) -> Future[Any]:
        return self.opened.executor.submit(serve, self.parcel, unit, self.care.timeout)

    def _result(self, future: Future[Any], died: list[Unit] | None) -> Results:
        """What came back for a unit."""
        unit, start, _ = self.out.pop(future)
        if future.cancelled():
            raise ExecutorError(f"executor {self.name!r} has given up {unit.label} {unit.engine}: is it still there?")
        error = future.exception()
        if error is None:
            self.came += 1
            yield unit, *future.result()
        elif isinstance(error, self.opened.lost):
            yield from self._lost(unit, error, time.monotonic() - start, died)
        elif isinstance(error, Unfit):
            raise ExecutorError(f"executor {self.name!r}: {error}")
        elif isinstance(error, Exception):
            said = f"a worker cannot run {unit.label} {unit.engine}: {type(error).__name__}: {error}"
            raise ExecutorError(f"executor {self.name!r}: {said}") from error
        else:
            raise error

    def _lost(self, unit: Unit, how: BaseException, seconds: float, died: list[Unit] | None) -> Results:
        """A worker is lost: its unit is tried again, or is an error."""
        if died is None:
            error = ChildProcessError(f"its worker was lost twice, the second time alone ({type(how).__name__})")
            yield unit, failure(unit.label, unit.engine, unit.seed, unit.budget, error), seconds
        else:
            died.append(unit)
            self.care.say(unit, f"its worker was lost ({how}); it is tried again, alone, when all others are done")

    def _look_after(self) -> None:
        """Say which units are long on their way."""
        now = time.monotonic()
        for future, (unit, start, due) in self.out.items():
            if now > due:
                self.out[future] = _Sent(unit, start, now + now - start)
                there = f"{self.name} has {self.opened.workers()} workers"
                self.care.say(unit, f"is not back after {now - start:.0f} s; {there}")
