r"""All provers on a statement: `prove`."""

from __future__ import annotations

from collections.abc import Sequence

from arubatheory.prove.certificate import GRAM, Proof
from arubatheory.prove.gram import Unproved
from arubatheory.prove.paths import prove_paths
from arubatheory.prove.statement import SECONDS, prove_gram
from arubatheory.statements.core import Statement

PROVERS = {GRAM: prove_gram, "paths": prove_paths}  # the second: algebra, and boxes where that fails


def prove(
    statement: Statement, seconds: float = SECONDS, provers: Sequence[str] = tuple(PROVERS)
) -> tuple[list[Proof], list[str]]:
    """All certificates of a statement that the provers find, each in so many seconds, and why the others found none.

    Raises ValueError for a prover that there is not.
    """
    if unknown := [name for name in provers if name not in PROVERS]:
        raise ValueError(f"provers must be some of {', '.join(PROVERS)}, got {unknown[0]!r}")
    found = {name: PROVERS[name](statement, seconds) for name in provers}
    reasons = [f"{name}: {one.reason}" for name, one in found.items() if isinstance(one, Unproved)]
    return [one for one in found.values() if isinstance(one, Proof)], reasons
