r"""All provers on a statement: `prove`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from arubatheory.engines.check import check
from arubatheory.engines.verdict import WHOLE, Status
from arubatheory.prove.certificate import GRAM, SECONDS, Proof, Unproved
from arubatheory.prove.limits import Ended, spent, within
from arubatheory.prove.paths import prove_paths
from arubatheory.prove.replay import objections
from arubatheory.statements.core import Statement
from arubatheory.statements.untrusted import RecordError


def _gram(statement: Statement, seconds: float) -> Proof | Unproved:
    """The Gram prover, which needs a solver."""
    from arubatheory.prove.statement import prove_gram

    return prove_gram(statement, seconds)


REJECTED, DRAWS = "its certificate is rejected", 120
# The second: algebra, and boxes where that fails.
PROVERS: dict[str, Callable[[Statement, float], Proof | Unproved]] = {GRAM: _gram, "paths": prove_paths}


def prove(
    statement: Statement, seconds: float = SECONDS, provers: Sequence[str] = tuple(PROVERS)
) -> tuple[list[Proof], list[str]]:
    """All certificates of a statement that the provers find, in so many seconds of processor time together, and that
    `replay` accepts; and why the others found none. Each prover runs in a process of its own, which ends with the time,
    whatever it computes; that the certificate is looked at comes on top, seconds where it is large.

    Raises ValueError for a prover that there is not, and for seconds that are no positive number.
    """
    if unknown := [name for name in provers if name not in PROVERS]:
        raise ValueError(f"provers must be some of {', '.join(PROVERS)}, got {unknown[0]!r}")
    if not 0 < seconds < math.inf:
        raise ValueError(f"seconds must be a positive number, got {seconds!r}")
    end, found, reasons = spent() + seconds, list[Proof](), list[str]()
    for name in provers:
        one = _accepted(end - spent(), partial(PROVERS[name], statement), statement)
        if isinstance(one, Proof):
            found.append(one)
        else:
            best = "" if one.best is None else f"; there is a proof with the constant 1 + {float(one.best):.1e}"
            reasons.append(f"{name}: {one.reason}{best}")
    return found, reasons


def _accepted(seconds: float, prover: Callable[[float], Proof | Unproved], statement: Statement) -> Proof | Unproved:
    """What a prover finds in time: a certificate that nothing is wrong with, by the checker, by a second look at the
    statement and, for the whole of a claim, by draws that are tried to refute it; or why there is none."""
    try:
        found = within(seconds, prover) if seconds > 0 else Unproved("time is up")
        wrong = objections(found, statement) if isinstance(found, Proof) else []
        whole = isinstance(found, Proof) and found.extent == WHOLE
        wrong += ["a draw refutes the claim"] * (whole and check(statement, DRAWS, 0).status is Status.REFUTED)
    except (Ended, RecordError, ImportError) as error:
        return Unproved(str(error))
    return Unproved(f"{REJECTED}: {wrong[0]}") if wrong else found
