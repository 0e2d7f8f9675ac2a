r"""How a command ends: the exit codes, and the two ways in which a request can be refused."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from arubatheory.statements.untrusted import line

AS_RECORDED, DIFFERS, INTERRUPTED, INTERNAL, USAGE, NOTHING = range(6)
LONGEST = 2000  # characters of a message
MEANINGS = """\
exit codes:
  0  every verdict is as in the ledger (or there is no ledger); a replay agrees with its file
     (in floats, nothing is compared)
  1  a verdict differs from the ledger; with --file, a statement is REFUTED; a replay disagrees
  2  interrupted; what is finished is kept, the same command goes on from there
  3  internal error: the code failed (status ERROR too), the store or the ledger cannot be read, a
     source was edited while the run went on, or workers cannot be had or are of another version
  4  usage: an unknown label, option or value
  5  nothing selected
"""


class Refused(Exception):
    """A request that cannot be met; the command says why and ends with this code."""

    code = USAGE


class UsageError(Refused):
    """A request that makes no sense; the message says what was given."""


class NothingSelected(Refused):
    """A request that makes sense but selects no statement."""

    code = NOTHING


class Broken(Refused):
    """A request on which the code failed: the message says where in the author's own, if it was there."""

    code = INTERNAL


@contextlib.contextmanager
def usage(kinds: type[Exception] | tuple[type[Exception], ...] = ValueError, before: str = "") -> Iterator[None]:
    """Errors of these kinds are the request's doing: a UsageError says what they say."""
    try:
        yield
    except kinds as error:
        raise UsageError(f"{before}{error}") from error


def told(message: str) -> str:
    """A message in one line of text, and not much longer than anyone reads."""
    said = line(message)
    return said if len(said) <= LONGEST else f"{said[:LONGEST]} … ({len(said) - LONGEST:,} more characters)"


def fail(code: int, message: str) -> int:
    """Say what is wrong on stderr, in one line; the exit code."""
    with contextlib.suppress(OSError):  # a terminal that is gone
        print(f"arubatheory: error: {told(message)}", file=sys.stderr, flush=True)
    return code
