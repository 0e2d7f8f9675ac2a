r"""Does everything that is needed work here? One finding for each thing, with what was found."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from arubatheory.report import ledger
from arubatheory.report.session import STORE
from arubatheory.report.store import Store

NEEDED = ("numpy", "scipy", "numba", "hypothesis", "cmaes", "python-flint", "matplotlib", "rich", "latex2mathml")
EXTRAS = ("mpmath", "pytest", "PEPit", "clarabel")


class Finding(NamedTuple):
    """One thing looked at; what is not `needed` may be missing."""

    name: str
    fine: bool
    needed: bool
    text: str


def examine(root: Path) -> list[Finding]:
    """Look at the versions, the compiler, exact arithmetic, the caches, the store and the ledger under `root`."""
    return [*_versions(), *_works(root), *_found(root)]


def _versions() -> Iterator[Finding]:
    yield Finding("python", True, True, platform.python_version())
    for name in ("arubatheory", *NEEDED, *EXTRAS):
        try:
            yield Finding(name, True, name in NEEDED, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Finding(name, False, name in NEEDED, "not installed")


def _works(root: Path) -> Iterator[Finding]:
    checks: dict[str, Callable[[], str]] = {
        "kernels": _kernels,
        "exact numbers": _exact,
        "kernel cache": _cache,
        "store": lambda: _store(root),
    }
    for name, check in checks.items():
        try:
            yield Finding(name, True, True, check())
        except Exception as error:
            yield Finding(name, False, True, f"{type(error).__name__}: {error}")


def _one_more_than_square(x: int) -> int:
    return x * x + 1


def _kernels() -> str:
    from arubatheory.kernel import compiled, kernel

    answer = kernel(_one_more_than_square)(3)
    if answer != 10:
        raise ArithmeticError(f"a kernel says 3 * 3 + 1 = {answer}")
    return "numba compiles" if compiled() else "not compiled (NUMBA_DISABLE_JIT is set): slow, but right"


def _exact() -> str:
    from arubatheory.arithmetic import Exact

    third = Exact(1) / 3
    if not third + third + third == 1:
        raise ArithmeticError("1/3 + 1/3 + 1/3 is not 1")
    return "flint computes"


def _cache() -> str:
    from arubatheory.kernel import cache_folder

    folder = cache_folder().parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        return f"{folder} is writable"


def _store(root: Path) -> str:
    path = root / STORE
    if not path.exists():
        existing = next(p for p in path.resolve().parents if p.exists())
        if not os.access(existing, os.W_OK):
            raise PermissionError(f"{existing} is not writable")
        return f"{path} does not exist yet"
    with Store(path) as store:
        return f"{path} holds {store.finished()} finished units"


def _found(root: Path) -> Iterator[Finding]:
    path = root / ledger.LOCATION
    try:
        rows = ledger.find(root)
    except ledger.LedgerError as error:
        yield Finding("ledger", False, True, str(error))
    else:
        text = f"no {path}: the ledger rule is off" if rows is None else f"{path} has {len(rows)} rows"
        yield Finding("ledger", rows is not None, False, text)
    drawn = (root / "figures" / "__main__.py").is_file()
    yield Finding("figures", drawn, False, f"{root / 'figures'}" if drawn else f"no figures/ under {root}")
