r"""The command `arubatheory`. Asking for help imports nothing heavy; every verb imports what it needs."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from arubatheory.cli.codes import (
    AS_RECORDED,
    DIFFERS,
    INTERNAL,
    INTERRUPTED,
    NOTHING,
    USAGE,
    NothingSelected,
    Refused,
    fail,
)
from arubatheory.cli.parser import VERBS, parser
from arubatheory.cli.selection import select

__all__ = [
    "AS_RECORDED",
    "DIFFERS",
    "INTERNAL",
    "INTERRUPTED",
    "NOTHING",
    "USAGE",
    "NothingSelected",
    "Refused",
    "fail",
    "main",
    "select",
]

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code says how it ended (see `--help`)."""
    for name in THREADS:  # before numpy is imported: the parallelism is ours, one process a core
        os.environ.setdefault(name, "1")
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal without Unicode shows ? for a sign it lacks
        sys.stdout.reconfigure(errors="replace")
    try:
        return _run(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return AS_RECORDED
    except KeyboardInterrupt:
        return fail(INTERRUPTED, "interrupted")
    except Refused as error:
        return fail(error.code, str(error))
    except Exception as error:
        return _internal(error)


def _run(argv: Sequence[str] | None) -> int:
    args = parser().parse_args(argv)
    if args.version:
        from arubatheory import __version__

        print(f"arubatheory {__version__}")
        return AS_RECORDED
    if args.verb is None:
        parser().error(f"which verb? one of {', '.join(VERBS)}")
    from arubatheory.cli.verbs import RUN

    return RUN[args.verb](args)


def _internal(error: Exception) -> int:
    from arubatheory.report.store import StoreError
    from arubatheory.statements.untrusted import RecordError

    if isinstance(error, RecordError | StoreError):
        return fail(INTERNAL, str(error))
    import traceback

    traceback.print_exception(error)
    return fail(INTERNAL, f"internal error: {error!r}")
