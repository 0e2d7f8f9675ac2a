r"""Where in an author's own code something went wrong, and what is usually meant by it.

What an author reads of an error is one line: what was raised, the file, the line and its text, and where numbers left
their arithmetic, what to write instead.
"""

from __future__ import annotations

import inspect
import linecache
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from arubatheory.sources import INSTALLED, LIBRARY, PACKAGE

LONGEST = 160  # characters of a source line
PAPERS = PACKAGE / "papers"
LINALG = "numpy.linalg knows floats only; solve, inverse, norm_at_most and largest_eigenvalue of arubatheory are exact "
LINALG += "where they must be, and the norm of a vector x is sqrt(x @ x)"
ROOTS = "use integers (p / q is a float), zeros, identity, sqrt, log, exp of arubatheory: exact in a statement's code"
FLOATS = "np.sqrt, np.log, np.exp of Python's integers are floats: take those of arubatheory, or draw.number(n)"
HINTS = (  # what stands in the message or in the line of the source, and what to do about it
    (r"linalg", LINALG),
    (r"an Exact does not mix with float.*np\.(?:sqrt|log|exp)\(", FLOATS),
    (r"an Exact does not mix with (?:float|ndarray)|an Exact never turns into|left exact arithmetic", ROOTS),
    (r"cannot determine Numba type", "a kernel takes exact numbers through on(kernel, x)(...)"),
)


def said(error: BaseException) -> str:
    """An error in one line: what it says, where in the author's code it was raised, and what to do about it."""
    words, spot = error.msg if isinstance(error, SyntaxError) else str(error), place(error)
    words = f"{type(error).__name__}: {words}"
    hints = [advice for pattern, advice in HINTS if re.search(pattern, f"{words} {spot}")][:1]
    return "; ".join([f"{words} ({spot})" if spot else words, *hints])


def place(error: BaseException) -> str:
    """The innermost frame of the author's: "my_bounds.py, line 12: rhs = 0.5 * i.x"; empty where there is none."""
    if isinstance(error, SyntaxError) and error.filename:
        return _spot(error.filename, error.lineno or 0, error.text or "")
    found = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    file, line = next((f for f in reversed(found) if _is_an_author_s(f[0])), ("", 0))
    return _spot(file, line, linecache.getline(file, line)) if file else ""


def trace(error: BaseException) -> str:
    """The traceback from the first frame of the author's on; whole where there is none."""
    rest: TracebackType | None = error.__traceback__
    while rest and not _is_an_author_s(rest.tb_frame.f_code.co_filename):
        rest = rest.tb_next
    return "".join(traceback.format_exception(type(error), error, rest or error.__traceback__))


def home(function: Callable[..., Any]) -> str:
    """Where a function is written, in brackets with a space before them; empty where that is not known."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f" ({_spot(code.co_filename, code.co_firstlineno, '')})" if code else ""


def _spot(file: str, line: int, text: str) -> str:
    path = Path(file)
    near = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else Path(path.name)
    return f"{near}, line {line}: {text.strip()[:LONGEST]}".removesuffix(": ")


def _is_an_author_s(file: str) -> bool:
    """Whether a file is neither of this package, the statements of its papers apart, nor of a library."""
    path = Path(file)
    if file.startswith("<") or path.is_relative_to(LIBRARY) or INSTALLED & set(path.parts):
        return False
    return PAPERS in path.parents[1:] or not path.is_relative_to(PACKAGE)
