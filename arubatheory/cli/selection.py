r"""Which statements a command is about."""

from __future__ import annotations

import difflib
import fnmatch
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arubatheory import papers
from arubatheory.cli.codes import NothingSelected, UsageError
from arubatheory.statements.paper import Paper

if TYPE_CHECKING:
    from arubatheory.engines.source import Source
    from arubatheory.statements.core import Statement


def selects(pattern: str, label: str) -> bool:
    """Whether a pattern selects a label: as a shell pattern, or as the label of a whole that it is a part of."""
    return fnmatch.fnmatchcase(label, pattern) or label.startswith(pattern + "/")


def select(patterns: Sequence[str], labels: Iterable[str], source: Source | None = None) -> list[str]:
    """The selected labels (of a paper, ours by default, or of a user's file), in their own order; no pattern selects
    all.

    A pattern without wildcards that is neither a label nor, without a file, an item of the paper is a UsageError;
    selecting nothing is NothingSelected.
    """
    labels = list(labels)
    chosen = [x for x in labels if not patterns or any(selects(p, x) for p in patterns)]
    for pattern in patterns:
        if not any(selects(pattern, x) for x in labels):
            explain_nothing(pattern, labels, source)
    if not chosen:
        raise NothingSelected(f"nothing selected by {' '.join(patterns) or 'no pattern'}")
    return chosen


def explain_nothing(pattern: str, labels: Sequence[str], source: Source | None = None) -> None:
    """Say why a pattern selects nothing: an item without a statement is a remark, an unknown label a UsageError."""
    slugs = [item.slug for item in (paper_of(source).items if not (source and source.file) else ())]
    if any(selects(pattern, slug) for slug in slugs):
        print(f"arubatheory: {pattern} has no statement of its own", file=sys.stderr)
    elif not any(c in pattern for c in "*?["):
        raise unknown(pattern, dict.fromkeys([*slugs, *labels]), source.file if source else None)


def unknown(label: str, known: Iterable[str], file: Path | None = None) -> UsageError:
    """The error for a label that nothing has, with those that look like it."""
    known = list(known)
    close = difflib.get_close_matches(label, known, n=3, cutoff=0.8)
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    rest = "`arubatheory list` shows all" if file is None else f"{file} holds {', '.join(known)}"
    return UsageError(f"unknown label {label!r}; {hint}{rest}")


def paper_of(source: Source | None = None) -> Paper:
    """The paper of a source that is no file; what is wrong with its name or its folder is the user's to mend."""
    try:
        return papers.paper(source.name if source else papers.DEFAULT)
    except (Exception, SystemExit) as error:  # a folder that stops the interpreter is no answer either
        raise UsageError(f"cannot use the paper: {error}") from error


def statements_of(source: Source) -> dict[str, Statement]:
    """The statements of a paper, or of a user's file; what goes wrong in the latter is the user's to mend."""
    if source.file is None:
        return {s.label: s for s in paper_of(source).statements}
    folder = str(source.file.resolve().parent)
    if folder not in sys.path:  # the file may import its neighbours; worker processes inherit the path
        sys.path.insert(0, folder)
    try:
        found = source.statements()
    except (Exception, SystemExit) as error:
        raise UsageError(f"cannot use the file {source.file}: {type(error).__name__}: {error}") from error
    if not found:
        raise NothingSelected(f"the file {source.file} holds no Statement")
    return found
