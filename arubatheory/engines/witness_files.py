r"""Witnesses in files: their names, reading them, and what stored ones still say of a statement."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from arubatheory.engines.verdict import Status, Verdict, Witness, failure, reached
from arubatheory.engines.witness import redraws, replay
from arubatheory.kernel import source_digest
from arubatheory.statements.core import Statement

FIELDS: dict[type, tuple[str, tuple[str, ...]]] = {
    str: ("a string", ("label", "found_by", "digest", "lhs", "rhs", "measure", "certified", "note")),
    int: ("an integer", ("seed", "bits")),
    dict: ("an object", ("tape", "instance", "margins")),
    list: ("an array", ("curve",)),
}


def witness_files(label: str, folder: Path) -> list[Path]:
    """The witness files of one statement in a folder."""
    return sorted(folder.glob(f"{file_stem(label)}-*.json"))


def file_stem(label: str) -> str:
    """A label as a file name: thm:ftrlomd/omd -> thm-ftrlomd--omd; what a system may refuse is percent-encoded.

    Labels that differ in ":" and "-" only share a name, as do "/" and "--"; a file that holds two such is refused.
    """
    return quote(label.replace("/", "--").replace(":", "-"), safe="")


def read_witness(path: Path) -> Witness:
    """The witness in a file; raises ValueError naming a file that is corrupt."""
    try:
        return _checked(Witness(**json.loads(path.read_text(encoding="utf-8"))))
    except FileNotFoundError:
        raise ValueError(f"there is no witness file {str(path)!r}") from None
    except (OSError, ValueError, TypeError) as error:
        raise ValueError(f"corrupt witness file {str(path)!r}: {error}") from error


def _checked(witness: Witness) -> Witness:
    """A witness whose fields have the types that are read from them; a ValueError names one that has not."""
    number = isinstance(witness.ratio, int | float) and not isinstance(witness.ratio, bool)
    if not (number or witness.ratio is None):
        raise ValueError(f"ratio must be a number or null, got {witness.ratio!r}")
    for kind, (words, names) in FIELDS.items():
        for name in names:
            if not isinstance(getattr(witness, name), kind):
                raise ValueError(f"{name} must be {words}, got {getattr(witness, name)!r}")
    return witness


def stored_verdicts(statement: Statement, folder: Path) -> list[Verdict]:
    """Stored witnesses of a statement that still break it, each as a verdict."""
    verdicts = []
    for path in witness_files(statement.label, folder):
        try:
            witness = read_witness(path)
            if witness.label != statement.label:  # a part's files begin with its whole's name
                continue
            if not redraws(witness, statement):
                raise ValueError(f"the draws of {str(path)!r} do not give its instance: remove it, or record it again")
            outcome = replay(witness, statement).outcome
        except Exception as error:
            verdicts.append(failure(statement.label, "witness", 0, 0, error))
            continue
        if outcome in ("violated", "undefined"):
            known = replace(witness, digest=source_digest())
            said = {"kind": "violation" if outcome == "violated" else "undefined", "found_by": witness.found_by}
            verdicts.append(
                reached(Status.REFUTED, statement.label, "witness", witness.seed, 0, known, simplest=known, **said)
            )
    return verdicts
