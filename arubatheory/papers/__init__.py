r"""The papers on trial: one package each, described by the one `Paper` value that it holds."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from arubatheory.statements.paper import Paper

DEFAULT = "aruba"


def paper(name: str | Path = DEFAULT) -> Paper:
    r"""The paper of a package inside `arubatheory.papers`, or of a folder of one's own with an `__init__.py`.

    Raises ValueError for a name or a folder that holds no `Paper`, or more than one.
    """
    module = _package(str(name))
    found = [value for value in vars(module).values() if isinstance(value, Paper)]
    if len(found) != 1:
        raise ValueError(f"paper must hold one Paper value, got {len(found)} in {str(name)!r}")
    return found[0]


def names() -> tuple[str, ...]:
    """The papers that come with the package."""
    return tuple(sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py")))


def _package(name: str) -> ModuleType:
    if name in names():
        return importlib.import_module(f"arubatheory.papers.{name}")
    start = Path(name) / "__init__.py"
    if not start.is_file():
        raise ValueError(f"paper must be one of {', '.join(names())} or a folder with an __init__.py, got {name!r}")
    return _folder(start.resolve())


def _folder(start: Path) -> ModuleType:
    """A user's folder as a package of a name of its own, so that its modules import each other relatively."""
    name = f"_arubatheory_paper_{hashlib.sha256(str(start).encode()).hexdigest()[:12]}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, start, submodule_search_locations=[str(start.parent)])
        assert spec is not None and spec.loader is not None  # the file exists and ends in .py
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]
