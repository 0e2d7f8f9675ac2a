r"""Which statements a command is about."""

from __future__ import annotations

import argparse
import difflib
import fnmatch
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arubatheory import papers
from arubatheory.cli.codes import NothingSelected, UsageError
from arubatheory.statements.blame import said
from arubatheory.statements.paper import Paper

if TYPE_CHECKING:
    from arubatheory.engines.source import Source
    from arubatheory.statements.core import Statement


def selected(patterns: Sequence[str], labels: Iterable[str], only: bool = False) -> bool:
    """Whether one of the patterns, or no pattern at all, selects one of the labels: as a shell pattern, or, unless
    `only` it is meant, as the label of a whole that it is a part of."""
    pairs = ((x, p) for x in labels for p in patterns)
    return not patterns or any(fnmatch.fnmatchcase(x, p) or (x.startswith(f"{p}/") and not only) for x, p in pairs)


def select(
    patterns: Sequence[str], labels: Iterable[str], source: Source | None = None, only: bool = False
) -> list[str]:
    """The selected labels (of a paper, the default one without a `source`, or of a user's file), in their own order; no
    pattern selects all.

    A pattern without wildcards that is neither a label nor, without a file, an item of the paper is a UsageError;
    selecting nothing is NothingSelected.
    """
    labels = list(labels)
    chosen = [x for x in labels if selected(patterns, [x], only)]
    for pattern in patterns:
        if not selected([pattern], labels, only):
            _explain_nothing(pattern, labels, source)
    if not labels:
        raise NothingSelected("nothing to select: no item has a statement yet; write claim in the place of a stub")
    if not chosen:
        raise NothingSelected(f"nothing selected by {' '.join(patterns) or 'no pattern'}")
    return chosen


def chosen(args: argparse.Namespace, source: Source) -> list[Statement]:
    """The statements that the arguments of a verb select."""
    everything = statements_of(source)
    return [everything[label] for label in select(args.patterns, everything, source, args.only)]


def _explain_nothing(pattern: str, labels: Sequence[str], source: Source | None = None) -> None:
    """Say why a pattern selects nothing: an item without a statement is a remark, an unknown label a UsageError."""
    slugs = [] if source and source.file else [item.slug for item in paper_of(source).items]
    if selected([pattern], slugs):
        print(f"arubatheory: {pattern} has no statement of its own", file=sys.stderr)
    elif not any(c in pattern for c in "*?["):
        raise unknown(pattern, [*slugs, *labels], source)


def unknown(label: str, known: Iterable[str], source: Source | None = None) -> UsageError:
    """The error for a label that nothing has, with those that look like it."""
    known = list(dict.fromkeys(known))
    close = difflib.get_close_matches(label, known, n=3, cutoff=0.8)
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    if source and source.file:
        return UsageError(f"unknown label {label!r}; {hint}{source.file} holds {', '.join(known)}")
    line = shlex.join(["arubatheory", "list", *papers.option(paper_of(source))])
    return UsageError(f"unknown label {label!r}; {hint}`{line}` shows all")


def source_of(args: argparse.Namespace) -> Source:
    """Where the statements come from that a command is about: a user's file, or a paper."""
    from arubatheory.engines.source import Source

    given = Source(getattr(args, "file", None), args.paper)
    if given.file is None:
        return Source(name=papers.name_of(paper_of(given)))
    if args.paper != papers.DEFAULT:
        raise UsageError("--paper does not go with --file: the statements are the file's")
    return given


def paper_of(source: Source | None = None) -> Paper:
    """The paper of a source that is no file, the default one without a source."""
    if source is None:
        return papers.paper()
    with _mending(source):
        return papers.paper(source.name)


def statements_of(source: Source, near: str | None = None) -> dict[str, Statement]:
    """The statements of a user's file, or of a paper: all, or, sooner, those that have to do with a label."""
    folder = str(source.file.resolve().parent) if source.file else None
    if folder and folder not in sys.path:  # the file may import its neighbours; worker processes inherit the path
        sys.path.insert(0, folder)
    with _mending(source):
        if source.file is None and near is not None:
            return {s.label: s for s in paper_of(source).related(near)}
        found = source.statements()
    if source.file and not found:
        raise NothingSelected(f"{name_of(source)} holds no Statement")
    return found


@contextmanager
def _mending(source: Source) -> Iterator[None]:
    """What goes wrong in a file or a folder of the user's is a UsageError: it is the user's to mend."""
    try:
        yield
    except (Exception, SystemExit) as error:  # a file that stops the interpreter is no answer either
        if source.file is None and source.name in papers.names():
            raise
        raise UsageError(f"cannot use {name_of(source)}: {said(error)}") from error


def name_of(source: Source) -> str:
    """What a message calls a source."""
    return f"the file {source.file}" if source.file else f"the paper {source.name}"
