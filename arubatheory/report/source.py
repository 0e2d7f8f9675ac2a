r"""Where the code of a statement stands: its file from the folder of the project, and a line."""

from __future__ import annotations

import sys
from pathlib import Path

from arubatheory.statements.core import Statement


def sources() -> dict[int, str]:
    """The module that lists each of the paper's statements in STATEMENTS, by the statement's id: "arubatheory/..."."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("arubatheory.statements."):
            for statement in getattr(module, "STATEMENTS", ()):
                found[id(statement)] = name.replace(".", "/") + ".py"
    return found


def line_of(statement: Statement, file: str) -> int | None:
    """The line of `file` where the two sides are computed, or the instance is drawn; None where neither is there."""
    for function in (statement.sides, statement.instance):
        code = getattr(getattr(function, "func", function), "__code__", None)
        if code is not None and Path(code.co_filename).as_posix().endswith(file):
            return int(code.co_firstlineno)
    return None
