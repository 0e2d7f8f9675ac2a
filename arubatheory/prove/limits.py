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
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from typing import Any, TypeVar

from arubatheory.engines.pool import DEATH_SIGNAL

X = TypeVar("X")
SHARE = 0.9  # of the time, after which a function should have ended by itself


class Ended(RuntimeError):
    """There is no result: the message says how the process ended."""


def within(seconds: float, function: Callable[[float], X]) -> X:
    """The result of a function that is told how many seconds it has.

    Raises Ended where it has not ended by itself after `seconds`, its process died, or it raised an error.
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
        return _heard(ours, seconds)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        ours.close()


def _heard(pipe: Connection, seconds: float) -> Any:
    end = time.monotonic() + seconds
    try:
        while not pipe.poll(max(end - time.monotonic(), 0)):
            if time.monotonic() >= end:
                raise Ended(f"it was ended after {seconds:.3g} s")
        found, failure = pickle.loads(pipe.recv_bytes())
    except (EOFError, OSError):
        raise Ended("its process died") from None
    if failure:
        raise Ended(failure)
    return found


def _answer(pipe: Connection, function: Callable[[float], Any], seconds: float) -> None:
    """What the copy does: it sends the result, or the error, and ends without what else this process would do."""
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL)
        try:
            said = pickle.dumps((function(SHARE * seconds), ""))
        except Exception as error:
            said = pickle.dumps((None, f"it failed: {type(error).__name__}: {error}"))
        pipe.send_bytes(said)
    finally:
        os._exit(0)
