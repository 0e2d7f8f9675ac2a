r"""The papers on trial: one package each, described by the one `Paper` value that it holds."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

from arubatheory.sources import snapshot
from arubatheory.statements.paper import SHIPPED, Paper

DEFAULT = "aruba"


def paper(name: str | Path = DEFAULT) -> Paper:
    r"""The paper of a package inside `arubatheory.papers`, or of a folder of one's own with an `__init__.py`.

    Raises ValueError for a name or a folder that holds no `Paper`, or more than one.
    """
    found = {id(value): value for value in vars(_package(str(name))).values() if isinstance(value, Paper)}
    if len(found) != 1:
        raise ValueError(f"paper must hold one Paper value, got {len(found)} in {str(name)!r}")
    return found.popitem()[1]


def names() -> tuple[str, ...]:
    """The papers that come with the package."""
    return tuple(sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py")))


def name_of(paper: Paper) -> str:
    """What `paper` finds this paper by, wherever it is asked."""
    return paper.home.name if paper.is_shipped else str(paper.home.resolve())


def option(paper: Paper | None) -> list[str]:
    """How a command asks for a paper: not at all for the default one, or None."""
    if paper is None or name_of(paper) == DEFAULT:
        return []
    return ["--paper", name_of(paper) if paper.is_shipped else Path(os.path.relpath(paper.home)).as_posix()]


def _package(name: str) -> ModuleType:
    start = Path(name).resolve() / "__init__.py"
    if name in names() or start.parents[1] == SHIPPED:
        return importlib.import_module(f"{__name__}.{name if name in names() else start.parent.name}")
    if not start.is_file():
        raise ValueError(f"paper must be one of {', '.join(names())} or a folder with an __init__.py, got {name!r}")
    return imported(start, "paper")


def imported(file: Path, kind: str, fresh: bool = False) -> ModuleType:
    """A user's file as a module of its own name; beside an `__init__.py` modules import each other relatively.

    Raises ValueError for what is no Python file."""
    file = file.resolve()
    name = f"_arubatheory_{kind}_{hashlib.sha256(os.fsencode(file)).hexdigest()[:12]}"
    if name in sys.modules and not fresh:
        return sys.modules[name]
    snapshot(file)
    beside = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=beside)
    if spec is None or spec.loader is None:
        raise ValueError(f"file must be a Python file that is there, with Statement values, got {str(file)!r}")
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
