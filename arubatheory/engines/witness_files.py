r"""Witnesses in files: their names, reading them, and what stored ones still say of a statement."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from arubatheory.engines.reach import NOWHERE
from arubatheory.engines.verdict import EXTENTS, Status, Verdict, Witness, combine, failure, reached
from arubatheory.engines.witness import redraws, replay
from arubatheory.problems.draw import Tape
from arubatheory.sources import source_digest
from arubatheory.statements.core import Statement
from arubatheory.statements.untrusted import RecordError, check, parse_json, read_text, short

LONGEST = 180  # characters of a label in a file name: systems take 255 bytes, and what follows the label needs some


def witness_files(labels: Iterable[str], folder: Path) -> dict[str, list[Path]]:
    """The witness files in a folder, by label of a statement: those of its parts are among them, whose names begin with
    its own."""
    paths = sorted(folder.glob("*.json"))
    return {label: [path for path in paths if path.name.startswith(f"{file_stem(label)}-")] for label in labels}


def file_stem(label: str) -> str:
    """A label as a file name: thm:ftrlomd/omd -> thm-ftrlomd--omd; what a system may refuse is percent-encoded, and a
    long one ends in its digest.

    Labels that differ in ":" and "-" only share a name, as do "/" and "--"; a file that holds two such is refused.
    """
    stem = quote(label.replace("/", "--").replace(":", "-"), safe="")
    if len(stem) > LONGEST:
        return f"{stem[:LONGEST]}-{hashlib.sha256(label.encode()).hexdigest()[:16]}"
    return stem


def read_witness(path: Path) -> Witness:
    """The witness in a file; raises RecordError, which is a ValueError, naming a file that is corrupt."""
    try:
        data = parse_json(read_text(path))
        check(data, Witness, "")
        _check_witness(data)
    except FileNotFoundError:
        raise RecordError(f"there is no witness file {str(path)!r}") from None
    except (ValueError, RecursionError) as error:
        raise RecordError(f"corrupt witness file {str(path)!r}: {error}") from error
    return Witness(**data)


def verdict_of(data: Any, label: str) -> Verdict:
    """The verdict of a label that a JSON object is; a ValueError names a field that is none of its kind."""
    if isinstance(data, dict):  # a store of earlier sources has none of these
        data = {"proofs": [], "unproved": "", "uncounted": {}, "reach": asdict(NOWHERE), **data}
    check(data, Verdict, "")
    if data["label"] != label:
        raise ValueError(f"label must be {short(label)}, got {short(data['label'])}")
    for name in ("simplest", "worst"):
        if data[name] is not None:
            _check_witness(data[name])
    for proof in data["proofs"]:
        if proof["extent"] not in EXTENTS:
            raise ValueError(f"extent must be one of {', '.join(EXTENTS)}, got {short(proof['extent'])}")
    return Verdict.from_json(data)


def _check_witness(data: dict[str, Any]) -> None:
    """A ValueError names a field of a witness that has the right kind, and not the right parts."""
    if set(data["tape"]) != set(Tape._fields):
        raise ValueError(f"tape must hold {' and '.join(Tape._fields)}, got {short(sorted(data['tape']))}")
    if any(len(point) != 2 for point in data["curve"]):
        raise ValueError(f"curve must hold pairs, got {short(data['curve'])}")


def certified_again(statement: Statement, files: Iterable[Path]) -> Verdict:
    """What these files still say against a statement: REFUTED if exact arithmetic agrees with one of them again, IDLE
    without an engine if there is nothing that it could agree with, ERROR for a file that is of no use."""
    return combine(statement.label, filter(None, (_again(statement, path) for path in files)), 0)


def _again(statement: Statement, path: Path) -> Verdict | None:
    """What one file says; None if it belongs to a part, was measured and never certified, or no longer refutes."""
    try:
        witness = read_witness(path)
        if witness.label != statement.label:
            return None
        if not redraws(witness, statement):
            raise ValueError(f"the draws of {str(path)!r} do not give its instance: remove it, or record it again")
        outcome = "float" if witness.certified == "float" else replay(witness, statement).outcome
    except Exception as error:
        return failure(statement.label, "witness", 0, 0, error)
    if outcome not in ("violated", "undefined"):
        return None
    known = replace(witness, digest=source_digest())
    said = {"kind": "violation" if outcome == "violated" else "undefined", "found_by": witness.found_by}
    return reached(Status.REFUTED, statement.label, "witness", witness.seed, 0, known, simplest=known, **said)
