r"""Completion scripts for bash, zsh and fish, made from the parser itself: verbs, options, and the paper's labels.

A script is static text, the template of its shell in `completions` filled in: completing never starts Python. Labels
contain a colon, at which bash breaks words; the script puts them together again by itself.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from arubatheory.cli.parser import SHELLS, VERBS, parser
from arubatheory.statements.effort import BUDGETS, ENGINES

LABELS, FILES, FOLDERS = "labels", "files", "folders"
VALUES = {
    "engine": " ".join(ENGINES),
    "budget": " ".join(BUDGETS),
    **dict.fromkeys(("patterns", "label"), LABELS),
    **dict.fromkeys(("paper", "root"), FOLDERS),
    **dict.fromkeys(("file", "page", "output", "witness", "source", "folder", "old", "new"), FILES),
}
"""What the value of an option or an argument may be, by its name in the parser: words, or one of the three kinds."""


class Choice(NamedTuple):
    """An option (or, without a flag, the arguments) of a verb, and what it takes: None for nothing, "" for anything."""

    flag: str
    takes: str | None
    text: str


def script(shell: str, labels: Sequence[str]) -> str:
    """The completion script of a shell. Raises ValueError for a shell that has none."""
    from arubatheory.report.markup import text

    if shell not in SHELLS:
        raise ValueError(f"shell must be one of {', '.join(SHELLS)}, got {shell!r}")
    known = choices()
    arguments = {verb: next((c.takes or "" for c in options if not c.flag), "") for verb, options in known.items()}
    made = text(verbs=VERBS, choices=known, arguments=arguments)
    made.filters["quoted"] = lambda word: "'" + word.replace("'", "'\\''") + "'"
    template = (Path(__file__).parent / "completions" / shell).read_text(encoding="utf-8")
    safe = [label for label in labels if re.fullmatch(r"[\w:./+-]+", label)]  # bash expands the words that it offers
    return made.from_string(template).render(labels=safe).rstrip() + "\n"


def choices() -> dict[str, list[Choice]]:
    """The options and the arguments of each verb."""
    return {name: [c for action in sub._actions for c in _choices(action)] for name, sub in parser().verbs.items()}


def _choices(action: argparse.Action) -> Iterator[Choice]:
    values = " ".join(action.choices) if action.choices else VALUES.get(action.dest, "")
    takes = None if action.nargs == 0 else values
    for flag in [f for f in action.option_strings if f.startswith("--")] or [""]:
        yield Choice(flag, takes, action.help or "")
