r"""All provers on a statement: `prove`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arubatheory.prove.certificate import GRAM, SECONDS, Proof, Unproved
from arubatheory.prove.paths import prove_paths
from arubatheory.statements.core import Statement


def _gram(statement: Statement, seconds: float) -> Proof | Unproved:
    """The Gram prover, which needs a solver."""
    try:
        from arubatheory.prove.statement import prove_gram
    except ImportError as error:
        return Unproved(str(error))
    return prove_gram(statement, seconds)


Prover = Callable[[Statement, float], Proof | Unproved]
PROVERS: dict[str, Prover] = {GRAM: _gram, "paths": prove_paths}  # the second: algebra, and boxes where that fails


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
