r"""The one place that calls numba.

`kernel` compiles a numpy-flavoured function; `pure` gives the same function uncompiled, callees included, so that it
runs on arrays of exact numbers; `on(kernel, x)` picks the one that fits the numbers in `x`.

The disk cache of numba does not notice an edit in a callee that lives in another module, so the kernels of a module are
kept in a folder named by a digest of that module's source and of all it imports from the package, directly or not: a
callee can only be reached through an import. Only our own compilation looks there.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import config

from arubatheory.arithmetic import is_exact

# NaN and infinities must keep their meaning: full fastmath made a violation counter miss a third of its violations.
OPTIONS: dict[str, Any] = {
    "fastmath": {"reassoc", "contract", "nsz"},
    "error_model": "numpy",
    "nogil": True,
    "cache": True,
}
F = TypeVar("F", bound=Callable[..., Any])


@functools.cache
def source_digest() -> str:
    """SHA-256 (first 16 hex digits) of all Python sources of the package: what a result was computed with."""
    root = Path(__file__).parent
    sha = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        sha.update(path.relative_to(root).as_posix().encode())
        sha.update(path.read_bytes())
    return sha.hexdigest()[:16]


IMPORT = re.compile(r"^[ \t]*(?:from +([\w.]+) +import +(\([^)]*\)|[^\n#]+)|import +([\w.]+))", re.MULTILINE)


@functools.cache
def _read(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """A source file of the package, and the files of the package that it imports from."""
    source = path.read_bytes()
    found = (file for match in IMPORT.finditer(source.decode()) for file in _imported(match))
    return source, tuple(dict.fromkeys(file for file in found if file is not None and file != path))


def _imported(match: re.Match[str]) -> Iterator[Path | None]:
    module, names, plain = match.groups()
    if plain:
        yield _file_of(plain)
    for name in re.findall(r"(\w+)(?: +as +\w+)?", names or ""):
        yield _file_of(f"{module}.{name}") or _file_of(module)


def _file_of(module: str) -> Path | None:
    """The source file of a module of this package, None for other names."""
    package, *parts = module.split(".")
    base = Path(__file__).parent
    if package != base.name:
        return None
    file, folder = base.joinpath(*parts).with_suffix(".py"), base.joinpath(*parts, "__init__.py")
    return file if parts and file.is_file() else folder if folder.is_file() else None


@functools.cache
def import_digest(path: Path) -> str:
    """SHA-256 (first 16 hex digits) of a source file of the package and of all that it imports from the package."""
    reached, waiting = {path}, [path]
    while waiting:
        new = set(_read(waiting.pop())[1]) - reached
        reached |= new
        waiting += new
    sha = hashlib.sha256()
    for file in sorted(reached):
        sha.update(file.name.encode() + b"\0" + _read(file)[0])
    return sha.hexdigest()[:16]


def cache_folder(source: str | Path = __file__) -> Path:
    """Where the compiled kernels of a source file are kept: under $ARUBATHEORY_CACHE or the user's cache folder, by
    digest and checking mode. What a file outside the package calls is unknown: its kernels go by the digest of all."""
    base = (
        os.environ.get("ARUBATHEORY_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "arubatheory"
    )
    path = Path(source).resolve()
    inside = path.is_relative_to(Path(__file__).resolve().parent)
    mode = "checked" if config.BOUNDSCHECK else "plain"
    return Path(base) / f"kernels-{import_digest(path) if inside else source_digest()}-{mode}"


def compiled() -> bool:
    """Whether kernels are compiled at all (NUMBA_DISABLE_JIT unset)."""
    return not config.DISABLE_JIT


def kernel(function: F) -> F:
    """Compile `function` lazily with the project's options; its pure source stays reachable through `pure`."""
    if not compiled():
        return function
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder(function.__code__.co_filename))
    try:
        return numba.njit(**OPTIONS)(function)
    finally:
        config.CACHE_DIR = before


def _is_kernel(value: Any) -> bool:
    return isinstance(value, numba.core.dispatcher.Dispatcher)


@functools.cache
def pure(function: Any) -> Callable[..., Any]:
    """`function` as ordinary Python: every compiled callee among its globals is replaced by its own pure version."""
    if not compiled() or not (_is_kernel(function) or isinstance(function, types.FunctionType)):
        return function
    source = function.py_func if _is_kernel(function) else function
    # A snapshot of its module: kernels are constants there.
    namespace = {name: _Lazy(value) if _is_kernel(value) else value for name, value in source.__globals__.items()}
    result = types.FunctionType(source.__code__, namespace, source.__name__, source.__defaults__, source.__closure__)
    result.__kwdefaults__ = source.__kwdefaults__
    return result


class _Lazy:
    """A compiled callee that turns pure at its first call, so that mutual references end."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any) -> Any:
        return pure(self.function)(*args)


def on(function: F, x: Any) -> F:
    """The version of a kernel for the arithmetic of `x`: compiled for floats, pure for exact numbers."""
    return pure(function) if is_exact(x) else function  # type: ignore[return-value]
