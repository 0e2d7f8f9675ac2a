r"""What the paper claims: one module per section, and `PAPER`, the tuple of all statements in the order of the paper.

`arubatheory.statements.items` lists every item of the paper without importing any mathematics; `PAPER` is built when
it is first asked for, from the tuple `STATEMENTS` of each section.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arubatheory.statements.core import Statement

    PAPER: tuple[Statement, ...]

__all__ = ["PAPER"]


def __getattr__(name: str) -> Any:
    if name != "PAPER":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arubatheory.statements.paper import PAPER

    globals()["PAPER"] = PAPER
    return PAPER
