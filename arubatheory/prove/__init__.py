r"""Claims proved, not merely tried: certificates of rational numbers that anyone can check, each with its scope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arubatheory.prove.certificate import Proof

if TYPE_CHECKING:
    from arubatheory.prove.gram import Unproved
    from arubatheory.prove.performance import certify

__all__ = ["Proof", "Unproved", "certify"]


def __getattr__(name: str) -> Any:
    """`certify` needs PEPit, which takes seconds to import: it is loaded when it is first asked for."""
    if name not in ("Unproved", "certify"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arubatheory.prove import performance

    return getattr(performance, name)
