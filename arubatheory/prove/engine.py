r"""The provers as an engine: (statement, seconds, seed) -> verdict, like those that try to refute.

PROVED is said of a claim that is proved in full. Of one that is proved in part the verdict says for what; alone, that
is SURVIVED, and with other engines' verdicts it changes nothing but what is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from arubatheory.engines.verdict import WHOLE, Status, Verdict, combine, reached
from arubatheory.prove import provers
from arubatheory.prove.certificate import Proof, read
from arubatheory.prove.replay import objections
from arubatheory.statements.core import Statement
from arubatheory.statements.untrusted import RecordError

AGAIN = "certificate"  # the engine of what is on record


def prove(statement: Statement, budget: int, seed: int) -> Verdict:
    """What the provers find in at most `budget` seconds; they draw nothing, so that `seed` changes nothing."""
    proofs, reasons = provers.prove(statement, budget)
    return verdict_of(statement, proofs, "prove", "; ".join(reasons), budget, seed)


def verdict_of(
    statement: Statement, proofs: Iterable[Proof], engine: str, unproved: str = "", budget: int = 0, seed: int = 0
) -> Verdict:
    """PROVED, SURVIVED for what is proved in part, or IDLE with the reason where nothing is."""
    said = tuple(proof.said for proof in proofs)
    status = Status.PROVED if any(s.extent == WHOLE for s in said) else Status.SURVIVED if said else Status.IDLE
    return reached(status, statement.label, engine, seed, budget, proofs=said, unproved=unproved)


def proved_again(statement: Statement, files: Sequence[Path]) -> Verdict:
    """What certificates on record still prove of a statement; those of its parts say nothing of it. One that is
    rejected proves nothing, and the reason is said."""
    return combine(statement.label, filter(None, (_again(statement, file) for file in files)), 0)


def _again(statement: Statement, file: Path) -> Verdict | None:
    try:
        proof = read(file)
        if proof.label != statement.label:
            return None
        wrong = objections(proof, statement)
    except RecordError as error:
        wrong = [str(error)]
    if wrong:
        return verdict_of(statement, (), AGAIN, f"{file.name} is rejected, record it again: {wrong[0]}")
    return verdict_of(statement, (proof,), AGAIN)
