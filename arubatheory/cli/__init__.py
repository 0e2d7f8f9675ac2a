r"""The command `arubatheory`. Asking for help imports nothing heavy; every verb imports what it needs."""

from __future__ import annotations

import argparse
import atexit
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from arubatheory.cli.codes import AS_RECORDED, INTERNAL, INTERRUPTED, Refused, fail
from arubatheory.cli.parser import VERBS, parser

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE = 5.0  # seconds in which processes are ended and the last line is written: more signals change nothing


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code says how it ended (see `--help`)."""
    for name in THREADS:  # before numpy is imported: the parallelism is ours, one process a core
        os.environ.setdefault(name, "1")
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal without Unicode shows ? for a sign it lacks
        sys.stdout.reconfigure(errors="replace")
    with _stoppable() as heard:
        return _ended(argv, heard)


class _Stop(KeyboardInterrupt):
    """What a signal raises. After a plain KeyboardInterrupt in a module that is being imported, Python would end itself
    by SIGINT, although it was caught."""


@contextmanager
def _stoppable() -> Iterator[list[float]]:
    """Here SIGTERM and a terminal that hangs up interrupt as Ctrl-C does, unless they are ignored, as by nohup. An
    interrupt that gets lost, as in an import that catches everything, is repeated. Yields when signals were heard."""
    heard: list[float] = []

    def stop(number: int, frame: object) -> None:
        if number == signal.SIGALRM or not heard or time.monotonic() - heard[-1] >= GRACE:
            heard.append(time.monotonic())
            signal.setitimer(signal.ITIMER_REAL, GRACE)
            raise _Stop

    ours = threading.current_thread() is threading.main_thread()
    usual = (signal.SIG_DFL, signal.default_int_handler)
    numbers = [s for s in (*STOPPING, signal.SIGALRM) if ours and signal.getsignal(s) in usual]
    before = {s: signal.signal(s, stop) for s in numbers}
    unraisable = sys.unraisablehook
    sys.unraisablehook = lambda lost: None if lost.exc_type is _Stop else unraisable(lost)  # it is repeated
    try:
        yield heard
    finally:
        sys.unraisablehook = unraisable
        if heard:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
        atexit.unregister(_wind_up)
        atexit.register(_wind_up)


def _wind_up() -> None:
    """All is done: a signal, or what is left for a reader that has gone, would only change the exit code (to 120)."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _ended(argv: Sequence[str] | None, heard: list[float]) -> int:
    args = argparse.Namespace(verb=None)
    try:
        args = parser().parse_args(argv)
        code = _run(args)
        sys.stdout.flush()
        return code
    except BaseException as error:
        if heard or isinstance(error, KeyboardInterrupt):  # an import that is interrupted may raise anything
            return fail(INTERRUPTED, f"interrupted{'; what is finished is kept' * (args.verb == 'verify')}")
        return _failed(error, args.verb)


def _failed(error: BaseException, verb: str | None) -> int:
    if isinstance(error, BrokenPipeError):  # whoever reads has read enough: of a list, but not of a campaign
        return INTERRUPTED if verb == "verify" else AS_RECORDED
    if isinstance(error, Refused):
        return fail(error.code, str(error))
    if isinstance(error, SystemExit) and verb is None:
        return int(error.code or 0)
    from arubatheory.engines.executors import ExecutorError
    from arubatheory.report.store import StoreError
    from arubatheory.sources import Edited
    from arubatheory.statements.untrusted import RecordError

    if isinstance(error, RecordError | StoreError | Edited | ExecutorError | OSError):
        return fail(INTERNAL, str(error))
    import traceback

    with suppress(OSError):
        traceback.print_exception(error)
    return fail(INTERNAL, f"internal error: {error!r}")


def _run(args: argparse.Namespace) -> int:
    if args.version:
        from arubatheory import __version__

        print(f"arubatheory {__version__}")
        return AS_RECORDED
    if args.verb is None:
        parser().error(f"which verb? one of {', '.join(VERBS)}")
    from arubatheory.cli.verbs import RUN

    return RUN[args.verb](args)
