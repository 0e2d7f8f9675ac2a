r"""Puts the theorems of *Adaptive Gradient-Based Meta-Learning Methods* (Khodak, Balcan, Talwalkar, 2019) on trial.

A learner plays a problem; a statement compares two numbers of the play; an engine tries to make the comparison fail;
the report says what happened. The subpackages follow that sentence: `problems`, `convex`,
`learners`, `statements`, `papers`, `engines`, `report`.

Nothing heavy is imported here: the names of `__all__` are fetched when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import arubatheory.sources  # noqa: F401  # looks at the files before they are loaded
from arubatheory import papers

if TYPE_CHECKING:
    from arubatheory.engines.check import check
    from arubatheory.engines.search import search
    from arubatheory.engines.verdict import Status, Verdict, Witness
    from arubatheory.problems.draw import Draw
    from arubatheory.problems.plain_math import (
        exp,
        identity,
        inverse,
        largest_eigenvalue,
        log,
        norm_at_most,
        solve,
        sqrt,
        zeros,
    )
    from arubatheory.statements.core import Assumption, Instance, NotAnInstance, Sides, Statement

    PAPER: tuple[Statement, ...]

__version__ = "0.1.0"
__all__ = [
    "Assumption",
    "Draw",
    "Instance",
    "NotAnInstance",
    "Sides",
    "Statement",
    "Status",
    "Verdict",
    "Witness",
    "__version__",
    "check",
    "exp",
    "identity",
    "inverse",
    "largest_eigenvalue",
    "log",
    "norm_at_most",
    "search",
    "solve",
    "sqrt",
    "zeros",
]

_MATHEMATICS = ("exp", "identity", "inverse", "largest_eigenvalue", "log", "norm_at_most", "solve", "sqrt", "zeros")
_HOME = dict.fromkeys(_MATHEMATICS, "arubatheory.problems.plain_math") | {
    "Draw": "arubatheory.problems.draw",
    "Assumption": "arubatheory.statements.core",
    "Instance": "arubatheory.statements.core",
    "NotAnInstance": "arubatheory.statements.core",
    "Sides": "arubatheory.statements.core",
    "Statement": "arubatheory.statements.core",
    "Status": "arubatheory.engines.verdict",
    "Verdict": "arubatheory.engines.verdict",
    "Witness": "arubatheory.engines.verdict",
    "check": "arubatheory.engines.check",
    "search": "arubatheory.engines.search",
}


def __getattr__(name: str) -> Any:
    if name not in (*__all__, "PAPER"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = papers.paper().statements if name == "PAPER" else getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
