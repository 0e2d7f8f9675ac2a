r"""The paper's statements, in the order of its items."""

from __future__ import annotations

from arubatheory.statements import (
    adaptive,
    aruba,
    bregman,
    convexity,
    coupled,
    coupling,
    descent,
    dynamic_regret,
    epsewoo,
    epsftl,
    ewoo,
    expconcave,
    fsim,
    leader,
    meta,
    online,
)
from arubatheory.statements.core import Statement
from arubatheory.statements.items import ITEMS, item_of


def _place(statement: Statement) -> int:
    item = item_of(statement.label)
    if item is None:
        raise ValueError(f"label must begin with the slug of an item of the paper, got {statement.label!r}")
    return ITEMS.index(item)


_SECTIONS = (
    aruba,
    convexity,
    online,
    descent,
    dynamic_regret,
    ewoo,
    leader,
    coupling,
    coupled,
    expconcave,
    epsewoo,
    bregman,
    epsftl,
    fsim,
    meta,
    adaptive,
)
PAPER: tuple[Statement, ...] = tuple(sorted((s for section in _SECTIONS for s in section.STATEMENTS), key=_place))
