r"""A certificate on file, looked at again: its algebra, and whether the problem it solves is the statement's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from arubatheory.prove import statement as games
from arubatheory.prove.certificate import GRAM, Proof
from arubatheory.prove.check_certificate import Refused, check
from arubatheory.statements.core import Statement
from arubatheory.statements.untrusted import RecordError, parse_json, read_text

SECOND_LOOKS: dict[str, Callable[[Proof, Statement], Iterator[str]]] = {GRAM: games.differences}


def is_certificate(path: Path) -> bool:
    """Whether a file claims to be a certificate, not a witness; a file that cannot be read claims nothing."""
    try:
        data = parse_json(read_text(path))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "method" in data


def objections(proof: Proof, statement: Statement) -> list[str]:
    """What is wrong with a certificate of a statement; nothing where it proves it within its scope.

    The problem is built anew from what the statement says it is, and compared with that of the certificate.
    """
    if proof.method not in SECOND_LOOKS:
        return [f"a certificate by {proof.method} is not checked here"]
    try:
        check(proof.to_json())
        return list(SECOND_LOOKS[proof.method](proof, statement))
    except Refused as error:
        return [str(error)]
    except (KeyError, TypeError, AttributeError, ValueError, ZeroDivisionError) as error:
        raise RecordError(f"corrupt certificate: {type(error).__name__}: {error}") from error
