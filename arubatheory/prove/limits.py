r"""An end to what may not end: a function in a process of its own, which is ended when its time is over.

Solvers and libraries of polynomials look at no clock. The process is a copy of this one (`os.fork`), because what a
statement computes with does not travel; where there is none, the function has its own clock alone.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, Pipe
from typing import Any, TypeVar

from arubatheory.engines.pool import DEATH_SIGNAL

X = TypeVar("X")
SHARE = 0.9  # of the time, after which a function should have ended by itself
PATIENCE = 4  # times as long a process may take by the wall's clock, where others compute too or it waits


class Ended(RuntimeError):
    """There is no result: the message says how the process ended."""


def spent() -> float:
    """The processor time of this process and of those that it has ended, in seconds."""
    return sum(os.times()[:4])


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Room for terms as deep as a run is long, and afterwards what there was."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 20_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def within(seconds: float, function: Callable[[float], X]) -> X:
    """The result of a function that is told how many seconds of processor time it has.

    Raises Ended where it has not ended by itself after `seconds` of these, or `PATIENCE` times as many of the wall's
    clock, its process died, or it raised an error.
    """
    if not hasattr(os, "fork"):
        return function(seconds)
    ours, theirs = Pipe(duplex=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the copy does not have: it is ended
        child = os.fork()
    if not child:
        _answer(theirs, function, seconds)
    theirs.close()
    try:
        found, failure = _heard(ours, PATIENCE * seconds)
    finally:
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        ours.close()
    if failure is None or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF and failure):
        raise Ended(f"it was ended after {seconds:.3g} s")
    if failure:
        raise Ended(failure)
    return found


def _heard(pipe: Connection, seconds: float) -> tuple[Any, str | None]:
    """What a process sent: a result, and why there is none, which is None where the time is up."""
    try:
        return pickle.loads(pipe.recv_bytes()) if pipe.poll(seconds) else (None, None)
    except (EOFError, OSError):
        return None, "its process died"


def _answer(pipe: Connection, function: Callable[[float], Any], seconds: float) -> None:
    """What the copy does: it sends the result, or the error, and ends without what else this process would do."""
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            said = pickle.dumps((function(SHARE * seconds), ""))
        except Exception as error:
            said = pickle.dumps((None, f"it failed: {type(error).__name__}: {error}"))
        pipe.send_bytes(said)
    finally:
        os._exit(0)
