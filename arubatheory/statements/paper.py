r"""The paper's statements, in the order of its items."""

from __future__ import annotations

from arubatheory.statements import (
    adaptive,
    algorithm2,
    approximate,
    aruba,
    bregman,
    convexity,
    coupled,
    coupling,
    descent,
    diagonal,
    diagonal_theorem,
    dynamic_regret,
    epsewoo,
    epsftl,
    ewoo,
    expconcave,
    fsim,
    full_matrix,
    leader,
    matrix_ftl,
    meta,
    online,
    online_to_batch,
    operators,
    powers,
    preconditioned,
    quadratic_growth,
    rates,
    tie_break,
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
    rates,
    approximate,
    quadratic_growth,
    tie_break,
    algorithm2,
    powers,
    operators,
    diagonal,
    diagonal_theorem,
    matrix_ftl,
    full_matrix,
    preconditioned,
    online_to_batch,
)
PAPER: tuple[Statement, ...] = tuple(sorted((s for section in _SECTIONS for s in section.STATEMENTS), key=_place))
