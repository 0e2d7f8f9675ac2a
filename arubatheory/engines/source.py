r"""Where statements come from: a paper, or a user's file.

Statements may hold lambdas, which do not pickle: worker processes get the source and a label, and import again.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from arubatheory import papers, sources
from arubatheory.engines.verdict import Verdict
from arubatheory.engines.witness_files import file_stem
from arubatheory.sources import Edited, Snapshot, source_digest
from arubatheory.statements.core import Statement, statements_in
from arubatheory.statements.paper import Paper

LIBRARIES = ("cmaes", "hypothesis", "numba", "numpy", "python-flint", "scipy")


class Source(NamedTuple):
    """A user's Python `file`, or the paper with this name or in this folder."""

    file: Path | None = None
    name: str = papers.DEFAULT

    @property
    def paper(self) -> Paper | None:
        """The paper; None for a file. Raises ValueError for a name that is none."""
        return None if self.file else papers.paper(self.name)

    @property
    def shelf(self) -> str:
        """What keeps the verdicts of a file apart from those of others in one store; empty for a paper, which has a
        store of its own."""
        return f"{hashlib.sha256(os.fsencode(self.file.resolve())).hexdigest()[:8]} " if self.file else ""

    @property
    def _own(self) -> Path | None:
        """The first of the user's files, None where there are none. Raises ValueError for what is no file."""
        if self.file is None:
            return None if self.name in papers.names() else Path(self.name) / "__init__.py"
        if not self.file.is_file():
            raise ValueError(f"file must be a Python file that is there, with Statement values, got {str(self.file)!r}")
        return self.file

    @property
    def snapshot(self) -> Snapshot | None:
        """The user's files, the first of them first, as they were loaded; None where there are none."""
        return sources.snapshot(self._own) if self._own else None

    def statements(self) -> dict[str, Statement]:
        """By label: the paper's, or all `Statement` values (also in tuples or lists) of the file."""
        if self.file:
            return _in_file(self.file, sources.renewed(self._own or self.file))
        return {s.label: s for s in papers.paper(self.name).statements}

    def digest(self) -> str:
        """What a verdict is computed with: the digests of the package's sources, of the libraries and of the user's
        own files, as they were loaded."""
        own = f"-{self.snapshot.digest[:8]}" if self.snapshot else ""
        return f"{source_digest()}-{_libraries()}{own}"

    def check(self, verdict: Verdict | None = None) -> None:
        """Raises Edited where a file was written since it was loaded, or the verdict comes from other sources."""
        for files in (sources.OURS, self.snapshot):
            if files:
                files.check()
        if verdict and verdict.digest != source_digest():
            raise Edited(f"a process computed with the sources {verdict.digest}, this one with {source_digest()}")


@cache
def _libraries() -> str:
    """The versions of what else a verdict rests on, as a digest."""
    found = {name: [d.version for d in metadata.distributions(name=name)] for name in LIBRARIES}
    return hashlib.sha256(f"{sys.version_info[:2]} {found}".encode()).hexdigest()[:8]


@cache
def _in_file(file: Path, files: Snapshot) -> dict[str, Statement]:
    """The statements of a file as it was when its files were looked at."""
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
