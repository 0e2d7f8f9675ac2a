r"""What is wrong with an installation: one finding for each thing looked at, and what to do about those that fail."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import numpy as np
from packaging.requirements import Requirement

from arubatheory.report import ledger
from arubatheory.report.session import STORE
from arubatheory.report.store import Store
from arubatheory.statements.core import Statement
from arubatheory.statements.paper import Paper
from arubatheory.statements.untrusted import RecordError

FOR = {
    "worst-case": "the worst game of n rounds by semidefinite programming",
    "cluster": "campaigns on the workers of a Dask cluster",
    "test": "the test suite",
    "lint": "ruff and mypy",
    "docs": "the documentation as HTML",
}
MOST = 20  # disagreements that are shown
BROWSER = "chromium"  # what the tests marked chromium start


class Finding(NamedTuple):
    """One thing looked at; what is not `needed` may be missing. `advice` is for when it is not `fine`."""

    name: str
    fine: bool
    needed: bool
    text: str
    advice: str = ""

    @property
    def mark(self) -> str:
        """ok, FAIL (needed and not fine) or none (not there, and not needed)."""
        return "ok" if self.fine else "FAIL" if self.needed else "none"


def examine(root: Path, paper: Paper) -> list[Finding]:
    """Look at the versions, the compiler, exact arithmetic, the caches, the store and the record under `root`."""
    return [*_versions(), *_works(root), *_found(root, paper)]


def examine_deep(root: Path, paper: Paper) -> list[Finding]:
    """Put the instrument itself on trial (`crosscheck.agreement`): what disagrees, one finding each."""
    from arubatheory.crosscheck.agreement import disagreements

    seen: Counter[str] = Counter()
    found = list(disagreements(root, paper, seen=seen))
    counted = ", ".join(f"{count:,} {name}" for name, count in sorted(seen.items()))
    shown = [*found[:MOST], *([f"{len(found) - MOST} more like these"] if len(found) > MOST else [])]
    advice = "trust no verdict of this installation: install it again, or undo the last edit of what is named"
    broken = [Finding("deep check", False, True, line, advice) for line in shown]
    return broken or [Finding("deep check", True, True, f"{counted}: all agree")]


def examine_statements(statements: Sequence[Statement]) -> list[Finding]:
    """Put one drawn instance of each statement through every arithmetic: what disagrees or cannot be evaluated."""
    from arubatheory.crosscheck.agreement import drawn_anew

    seen: Counter[str] = Counter()
    advice = "mend what is named; exact code takes integers, and sqrt, log, exp, zeros, identity of arubatheory"
    tried = [s for s in statements if "check" in s.engines]
    found = [Finding(s.label, False, True, line, advice) for s in tried for line in drawn_anew(s, 0, seen)]
    said = f"{len(tried)} statements evaluate in floats and in exact numbers, which agree"
    return found or [Finding("statements", True, True, said)]


def summary(findings: Sequence[Finding]) -> str:
    """The closing line."""
    broken = dict.fromkeys(f.name for f in findings if f.mark == "FAIL")
    return f"does not work: {', '.join(broken)}" if broken else "everything that is needed works"


def requirements() -> dict[str, list[Requirement]]:
    """What the installed distribution asks for, always ("") or with an extra; nothing where it is not installed."""
    try:
        found = metadata.metadata("arubatheory")
    except metadata.PackageNotFoundError:
        return {}
    asked = [Requirement(line) for line in found.get_all("Requires-Dist") or ()]
    wanted: dict[str, list[Requirement]] = {}
    for extra in ("", *(found.get_all("Provides-Extra") or ())):
        wanted[extra] = [r for r in asked if r.marker is None or r.marker.evaluate({"extra": extra})]
        asked = asked if extra else [r for r in asked if r not in wanted[""]]
    return wanted


def _versions() -> Iterator[Finding]:
    version = platform.python_version()
    yield Finding("python", sys.version_info >= (3, 11), True, version, "install Python 3.11 or newer")
    asked = requirements()
    advice = "install it: python -m pip install -e . in the source tree, or a wheel"
    text = f"{_version('arubatheory') or 'not installed'}, from {Path(__file__).parents[1]}"
    yield Finding("arubatheory", bool(asked), True, text, advice)
    for r in asked.pop("", ()):
        fine, text = _have(r)
        yield Finding(r.name, fine, True, text, f"python -m pip install '{r.name}{r.specifier}'")
    for extra, needed in asked.items():
        yield _extra(extra, needed)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _have(r: Requirement) -> tuple[bool, str]:
    version = _version(r.name)
    if version is None:
        return False, f"not installed, needs {r.specifier}"
    fine = r.specifier.contains(version, prereleases=True)
    return fine, version if fine else f"{version} does not do, needs {r.specifier}"


def _extra(extra: str, asked: Sequence[Requirement]) -> Finding:
    states = [(r.name, *_have(r)) for r in asked]
    text = ", ".join(f"{name} {state}" for name, _, state in states)
    purpose = f" ({FOR[extra]})" if extra in FOR else ""
    advice = f"python -m pip install 'arubatheory[{extra}]', if you want it{purpose}"
    return Finding(f"extra {extra}", all(fine for _, fine, _ in states), False, text, advice)


def _works(root: Path) -> Iterator[Finding]:
    reinstall = "python -m pip install --force-reinstall"
    store = "move the file away: it only saves doing again what was done; --root chooses another folder"
    checks: dict[str, tuple[Callable[[], str], str]] = {
        "kernels": (_kernels, f"{reinstall} numba llvmlite, in versions that belong together"),
        "exact numbers": (_exact, f"{reinstall} python-flint"),
        "store": (lambda: _store(root), store),
    }
    for name, (check, advice) in checks.items():
        try:
            yield Finding(name, True, True, check())
        except Exception as error:
            yield Finding(name, False, True, f"{type(error).__name__}: {error}", advice)


def _kernels() -> str:
    """One kernel of the package on the same draws, compiled on floats and uncompiled on rationals."""
    from arubatheory.arithmetic import approximate
    from arubatheory.kernel import compiled
    from arubatheory.problems.draw import GRID, Tape, TapeDraw

    tape = Tape([], [GRID // 3, GRID // 5, GRID // 7, GRID // 2, 0, GRID])
    floats, exact = TapeDraw(tape).spd(3), approximate(TapeDraw(tape, exact=True).spd(3))
    if not np.allclose(floats, exact, rtol=1e-12, atol=0):
        raise ArithmeticError(f"floats and rationals disagree: {floats.tolist()} and {exact.tolist()}")
    how = "numba compiles" if compiled() else "not compiled (NUMBA_DISABLE_JIT is set): slow, but right"
    return f"{how}; floats and rationals agree"


def _exact() -> str:
    from arubatheory.arithmetic import Exact

    third = Exact(1) / 3
    if not (third + third + third == 1 and Exact(2).sqrt() * Exact(2).sqrt() < 2 + third):
        raise ArithmeticError("1/3 + 1/3 + 1/3 is not 1, or the square of the root of 2 is not below 7/3")
    return "flint computes"


def _store(root: Path) -> str:
    path = root / STORE
    if not path.exists():
        existing = next(p for p in path.resolve().parents if p.exists())
        if not os.access(existing, os.W_OK):
            raise PermissionError(f"{existing} is not writable")
        return f"{path} does not exist yet"
    with Store(path) as store:
        return f"{path} holds {store.finished()} finished units"


def _found(root: Path, paper: Paper) -> Iterator[Finding]:
    yield _cache()
    tree = "only the source tree has it: run there, or give its folder by --root"
    yield _ledger(root, paper, tree)
    witnesses = len(list((root / paper.witnesses).glob("*.json")))
    yield Finding("witnesses", witnesses > 0, False, f"{witnesses} in {root / paper.witnesses}", tree)
    drawn = (root / "figures" / "__main__.py").is_file()
    yield Finding("figures", drawn, False, f"{root / 'figures'}" if drawn else f"no figures/ under {root}", tree)
    browser = shutil.which(BROWSER)
    nothing = "nothing to do: only a test that looks at the page as rendered uses one"
    yield Finding("browser", browser is not None, False, browser or f"no {BROWSER}", nothing)


def _cache() -> Finding:
    from arubatheory.kernel import writable_folder

    try:
        return Finding("kernel cache", True, False, f"{writable_folder()} is writable")
    except OSError as error:
        text = f"none, kernels are compiled in memory by every process ({error})"
        return Finding("kernel cache", False, False, text, "set ARUBATHEORY_CACHE to a folder that you can write to")


def _ledger(root: Path, paper: Paper, tree: str) -> Finding:
    path = root / paper.ledger
    try:
        rows = ledger.find(root, paper)
    except RecordError as error:
        return Finding("ledger", False, True, str(error), "get the file again from the source tree")
    text = f"no {path}: the ledger rule is off" if rows is None else f"{path} has {len(rows)} rows"
    return Finding("ledger", rows is not None, False, text, tree)
