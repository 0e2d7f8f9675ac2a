r"""Claims proved, not merely tried: certificates of rational numbers that anyone can check, each with its scope."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from arubatheory.prove.certificate import Proof, Unproved

if TYPE_CHECKING:
    from arubatheory.prove.performance import certify
    from arubatheory.prove.provers import prove

__all__ = ["Proof", "Unproved", "certify", "prove"]


def __getattr__(name: str) -> Any:
    """What takes seconds to import (PEPit, for `certify`) is loaded when it is first asked for."""
    if name not in (homes := {"certify": "performance", "prove": "provers"}):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{homes[name]}"), name)
