r"""Units in many processes: the same verdicts for any number of jobs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import chain, islice

from arubatheory.engines.source import Source
from arubatheory.engines.units import Unit, run_unit
from arubatheory.engines.verdict import Verdict
from arubatheory.statements.core import Statement

Results = Generator[tuple[Unit, Verdict, float], None, None]
AHEAD = 4  # units a process that are handed out and not finished


def finished(units: Iterable[Unit], statements: Mapping[str, Statement], source: Source, jobs: int) -> Results:
    """Each unit with its verdict and its seconds, as it is finished. With `jobs` > 1, `statements` are those of
    `source`. Raises ValueError for jobs < 1."""
    if jobs < 1:
        raise ValueError(f"jobs must be >= 1, got {jobs}")
    waiting = iter(units)
    first = list(islice(waiting, jobs))
    if len(first) > 1:
        yield from _in_processes(chain(first, waiting), source, len(first))
        return
    for unit in chain(first, waiting):
        yield unit, *run_unit(statements[unit.label], unit)


def _in_processes(units: Iterator[Unit], source: Source, jobs: int) -> Results:
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_start_worker)
    pending: dict[Future[tuple[Verdict, float]], Unit] = {}
    try:
        while True:
            pending |= {pool.submit(_work, source, unit): unit for unit in islice(units, AHEAD * jobs - len(pending))}
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                yield pending.pop(future), *future.result()
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _work(source: Source, unit: Unit) -> tuple[Verdict, float]:
    return run_unit(source.statements()[unit.label], unit)


def _start_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    """A parent that was killed cannot stop its workers, which would hold its pipes open."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
