r"""A source by its content: what goes to workers that share neither files nor folders with this process.

Statements hold functions, which do not travel. A worker gets the user's files as bytes, lays them out in a folder of
its own as they stand here, and computes only where version and digest come out the same.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import uuid
from multiprocessing.util import Finalize
from pathlib import Path
from typing import NamedTuple

from arubatheory import __version__
from arubatheory.engines.pool import Care, finished
from arubatheory.engines.source import Source
from arubatheory.engines.units import Unit
from arubatheory.engines.verdict import Verdict

HERE = uuid.uuid4().hex
PARTS = ("the package's sources", "Python or the libraries", "the files of the user's")


class Unfit(RuntimeError):
    """A worker would compute something else than this process."""


class Parcel(NamedTuple):
    """A `source` with its `digest`, and the user's `files` of it: names, which count from the folder of the first, and
    contents. Modules among them are found in `folders`. The process that packed it, and one forked off it, has the
    source already: `origin`."""

    source: Source
    digest: str
    version: str
    origin: str
    files: tuple[tuple[str, bytes], ...] = ()
    folders: tuple[str, ...] = ()


def packed(source: Source) -> Parcel:
    """The parcel of a source as it was loaded. Raises Edited if a file has been written since."""
    own, digest = source.snapshot, source.digest()
    if own is None:
        return Parcel(source, digest, __version__, HERE)
    files = tuple((_relative(file, own.home), file.read_bytes()) for file in own.stamps)
    own.check()
    holding = [folder for folder in sys.path if any(file.is_relative_to(Path(folder).resolve()) for file in own.stamps)]
    folders = tuple(_relative(Path(folder).resolve(), own.home) for folder in holding)
    return Parcel(source, digest, __version__, HERE, files, folders)


def _relative(path: Path, home: Path) -> str:
    return Path(os.path.relpath(path, home)).as_posix()


# in a worker -------------------------------------------------------------------------------------------------------
_ALONE = threading.Lock()  # the precision of exact arithmetic is one for a process, and so is Hypothesis
_laid_out: dict[Parcel, tuple[Source, Path]] = {}  # the last


def serve(parcel: Parcel, unit: Unit, timeout: float | None) -> tuple[Verdict, float]:
    """A unit with its seconds, computed in this process or, with a timeout, in one of its own. Raises Unfit where the
    parcel's version or digest is another here."""
    with _ALONE:
        source = unpacked(parcel)
        ((_, verdict, seconds),) = finished([unit], source.statements(), source, 1, Care(timeout))
    return verdict, seconds


def unpacked(parcel: Parcel) -> Source:
    """The source of a parcel, here. Raises Unfit."""
    if parcel.version != __version__:
        raise Unfit(f"a worker has arubatheory {__version__}, this process {parcel.version}")
    source = _source(parcel) if parcel.files and parcel.origin != HERE else parcel.source
    here = source.digest()
    if here != parcel.digest:
        pairs = zip(PARTS, here.split("-"), parcel.digest.split("-"), strict=False)
        what = " and ".join(name for name, a, b in pairs if a != b)
        raise Unfit(f"a worker computes with the digest {here}, this process with {parcel.digest}: {what} differ")
    return source


def _source(parcel: Parcel) -> Source:
    """The source whose files are those of the parcel, laid out once; those of the parcel before are forgotten."""
    if parcel not in _laid_out:
        for _, folder in _laid_out.values():
            _forget(folder)
        _laid_out.clear()
        folder = Path(tempfile.mkdtemp(prefix="arubatheory-")).resolve()
        Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)
        _laid_out[parcel] = _lay_out(parcel, folder), folder
    return _laid_out[parcel][0]


def _lay_out(parcel: Parcel, folder: Path) -> Source:
    """Write the files so that they stand to each other as they did."""
    names = [name for name, _ in parcel.files]
    home = folder.joinpath(*["in"] * max(name.split("/").count("..") for name in (*names, *parcel.folders)))
    for name, content in parcel.files:
        path = Path(os.path.normpath(home / name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for place in reversed(parcel.folders):
        sys.path.insert(0, os.path.normpath(home / place))
    _make_way(folder)
    first = home / names[0]
    return Source(first) if parcel.source.file else Source(name=str(first.parent))


def _make_way(folder: Path) -> None:
    """Forget the modules of this process whose names those of the folder have: it would be given them instead."""
    ours = [entry for entry in sys.path if Path(entry).is_relative_to(folder)]
    for file in folder.rglob("*.py"):
        for entry in ours:
            if file.is_relative_to(entry):
                parts = file.relative_to(entry).with_suffix("").parts
                sys.modules.pop(".".join(parts[:-1] if parts[-1] == "__init__" else parts), None)


def _forget(folder: Path) -> None:
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "/").is_relative_to(folder):
            del sys.modules[name]
    sys.path[:] = [entry for entry in sys.path if not Path(entry).is_relative_to(folder)]
    shutil.rmtree(folder, ignore_errors=True)
