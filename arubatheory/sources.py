r"""The source files that a result is computed with: their digest, and whether they are still what was loaded.

Nothing tells which text a module was made of. So files are looked at before they are loaded: the package's now (this
module is imported before all others), a user's when they are first asked for. What is computed later is theirs as long
as none of them has been written since.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib.machinery import PathFinder
from importlib.util import cache_from_source
from itertools import chain
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
LIBRARY = Path(os.__file__).resolve().parent
INSTALLED = {"site-packages", "dist-packages"}


class Edited(RuntimeError):
    """A source file has been written since it was loaded: what is computed now belongs to no digest."""


class Snapshot:
    """Source files as they are now, before they are loaded; their names count from `home`."""

    def __init__(self, files: Iterable[Path], home: Path) -> None:
        self.home, self.stamps = home, {file: _stamp(file) for file in files}
        for file in self.stamps:
            _forget_stale(file)

    @cached_property
    def digest(self) -> str:
        """SHA-256 (first 16 hex digits) of names and contents. Raises Edited if they are no longer what they were."""
        sha = hashlib.sha256()
        for name, file in sorted((Path(os.path.relpath(file, self.home)).as_posix(), file) for file in self.stamps):
            sha.update(name.encode() + (file.read_bytes() if file.is_file() else b""))
        self.check()
        return sha.hexdigest()[:16]

    @property
    def edited(self) -> Path | None:
        """A file that was written, moved or removed since, also where it is again as it was: None for none."""
        return next((file for file, stamp in self.stamps.items() if _stamp(file) != stamp), None)

    def check(self) -> None:
        """Raises Edited if a file has been written since."""
        if self.edited:
            raise Edited(f"{self.edited} was edited after it was loaded: start again")


def _stamp(file: Path) -> tuple[int, ...]:
    try:
        found = os.stat(file)
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino


def _forget_stale(file: Path) -> None:
    """Python takes what it compiled a file to for fresh where second and size are the same: not if the file was written
    in that very second."""
    with contextlib.suppress(OSError, NotImplementedError):
        compiled = Path(cache_from_source(str(file)))
        if compiled.stat().st_mtime_ns < file.stat().st_mtime_ns + 10**9:
            compiled.unlink()


OURS = Snapshot(PACKAGE.rglob("*.py"), PACKAGE)


def source_digest() -> str:
    """The digest of all Python sources of the package, as they were loaded: what a result was computed with."""
    return OURS.digest


# a user's files ------------------------------------------------------------------------------------------------------
_looked_at: dict[Path, Snapshot] = {}


def snapshot(entry: Path) -> Snapshot:
    """A user's file, or the folder of an `__init__.py`, and all of the user's that it imports, when first looked at."""
    entry = entry.resolve()
    if entry not in _looked_at:
        _looked_at[entry] = Snapshot(_own_files(entry), entry.parent)
    return _looked_at[entry]


def renewed(entry: Path) -> Snapshot:
    """The same, looked at anew if a file has been written since: then what was loaded of them is forgotten."""
    before = snapshot(entry)
    if not before.edited:
        return before
    old = set(map(str, before.stamps))
    for name in [name for name, module in sys.modules.items() if getattr(module, "__file__", None) in old]:
        del sys.modules[name]
    del _looked_at[entry.resolve()]
    return snapshot(entry)


def _own_files(entry: Path) -> list[Path]:
    found = [entry]
    if entry.name == "__init__.py":
        found += sorted(p for p in entry.parent.rglob("*") if p.suffix in (".py", ".tsv") and p != entry)
    for file in found:
        found += [other for other in dict.fromkeys(_imported(file)) if other not in found]
    return found


def _imported(file: Path) -> Iterator[Path]:
    """The files of the user's that a file imports, wherever in it."""
    try:
        tree = ast.parse(file.read_bytes() if file.suffix == ".py" else b"")
    except (OSError, SyntaxError, ValueError):
        return
    for name, level in chain.from_iterable(map(_names, ast.walk(tree))):
        yield from _files_of(name, [str(file.parents[level - 1])] if level else [str(file.parent), *sys.path])


def _names(node: ast.AST) -> Iterator[tuple[str, int]]:
    """What a piece of code imports, and from how many folders up where that is relative."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, 0) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from ((".".join(filter(None, (node.module, alias.name))), node.level) for alias in node.names)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
        yield from ((str(given.value), 0) for given in node.args[:1] if isinstance(given, ast.Constant))


def _files_of(name: str, folders: Sequence[str]) -> Iterator[Path]:
    """The user's files that are loaded for a module: its own and those of the packages around it."""
    for part in name.split("."):
        found = PathFinder.find_spec(part, folders)
        if found is None:
            return
        if found.origin:
            file = Path(found.origin).resolve()
            if INSTALLED & set(file.parts) or file.is_relative_to(LIBRARY) or file.is_relative_to(PACKAGE):
                return
            yield file
        folders = list(found.submodule_search_locations or ())
