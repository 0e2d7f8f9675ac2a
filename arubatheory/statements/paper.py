r"""The paper's statements, in the order of its items."""

from __future__ import annotations

from arubatheory.statements.core import Statement
from arubatheory.statements.geometry import (
    algorithm2,
    diagonal,
    diagonal_theorem,
    full_matrix,
    matrix_ftl,
    operators,
    powers,
    preconditioned,
)
from arubatheory.statements.items import ITEMS, item_of
from arubatheory.statements.meta import adaptive, approximate, kink_rates, meta, quadratic_growth, rates, tie_break
from arubatheory.statements.single import (
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
    kinks,
    leader,
    online,
)
from arubatheory.statements.statistical import (
    data_dependent,
    fast_transfer,
    online_to_batch,
    sampled,
    self_bounded,
    task_variance,
    transfer,
    transfer_rates,
    upper_bounds,
)


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
    kinks,
    epsftl,
    fsim,
    meta,
    adaptive,
    rates,
    kink_rates,
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
    data_dependent,
    transfer,
    task_variance,
    self_bounded,
    fast_transfer,
    upper_bounds,
    transfer_rates,
    sampled,
)
PAPER: tuple[Statement, ...] = tuple(sorted((s for section in _SECTIONS for s in section.STATEMENTS), key=_place))
