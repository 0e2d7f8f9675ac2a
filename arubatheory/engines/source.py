r"""Where statements come from: a paper, or a user's file.

Statements may hold lambdas, which do not pickle: worker processes get the source and a label, and import again.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arubatheory import papers
from arubatheory.engines.witness_files import file_stem
from arubatheory.kernel import source_digest
from arubatheory.statements.core import Statement, statements_in
from arubatheory.statements.paper import Paper


class Source(NamedTuple):
    """A user's Python `file`, or the paper with this name or in this folder."""

    file: Path | None = None
    name: str = papers.DEFAULT

    @property
    def paper(self) -> Paper | None:
        """The paper; None for a file. Raises ValueError for a name that is none."""
        return None if self.file else papers.paper(self.name)

    def statements(self) -> dict[str, Statement]:
        """By label: the paper's, or all `Statement` values (also in tuples or lists) of the file."""
        if self.file:
            return _in_file(self.file, self.digest())
        return {s.label: s for s in papers.paper(self.name).statements}

    def digest(self) -> str:
        """What a verdict is computed with: the package's source digest, and the user's own sources' beside it."""
        if self.file is None and self.name in papers.names():
            return source_digest()
        own = [self.file] if self.file else sorted(p for p in Path(self.name).rglob("*") if p.suffix in (".py", ".tsv"))
        if not all(path.is_file() for path in own):
            raise ValueError(f"file must be a Python file with Statement values, got {str(self.file)!r}")
        sha = hashlib.sha256(b"".join(path.read_bytes() for path in own))
        return f"{source_digest()}-{sha.hexdigest()[:8]}"


@cache
def _in_file(file: Path, digest: str) -> dict[str, Statement]:
    """The statements of a file as it was when it had this digest."""
    stems: dict[str, str] = {}
    found: dict[str, Statement] = {}
    for s in statements_in(vars(papers.imported(file, "user", fresh=True))):
        if found.setdefault(s.label, s) is not s:
            raise ValueError(f"file {file} holds two statements with the label {s.label!r}")
        stem = file_stem(s.label)
        if (other := stems.setdefault(stem, s.label)) != s.label:
            both = f"{other!r} and {s.label!r}"
            raise ValueError(f"file {file} holds the labels {both}: the witnesses of both are {stem}-*.json")
    return found
