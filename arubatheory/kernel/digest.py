r"""What a kernel is compiled from, and how.

The disk cache of numba does not notice an edit in a callee that lives in another module, nor another value of a
constant, and falls back to folders beside the source. So compiled kernels are kept by us, each under a name made of
everything that the compiler was given, read off the functions in memory and not off their files, which may have been
edited since. What cannot be read off in full is compiled anew in every process.
"""

from __future__ import annotations

import builtins
import dis
import enum
import functools
import hashlib
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numba import config
from numba import types as nt
from numba.core.cpu import CPUTargetOptions
from numba.core.dispatcher import Dispatcher
from numba.core.options import TargetOptions

from arubatheory.sources import PACKAGE, Snapshot

# NaN and infinities must keep their meaning: full fastmath made a violation counter miss a third of its violations.
# `_nrt` and `forceinline` are said since a kernel that says nothing takes after the one that calls it first.
OPTIONS: dict[str, Any] = {"fastmath": {"reassoc", "contract", "nsz"}, "error_model": "numpy", "nogil": True}
OPTIONS |= {"_nrt": True, "forceinline": False, "no_cfunc_wrapper": True}  # no kernel is called from C
# A call with a tuple of arrays counts a reference to each of them up and down: some 100 ns, more than a round takes.
BORROWING: dict[str, Any] = {**OPTIONS, "_nrt": False, "forceinline": True}
# numba has the flag and no name for it. Without it a loop has to ask whether what it reads overlaps what it writes;
# for ten numbers the compiler finds that this takes longer than vector instructions save.
CPUTargetOptions.noalias = TargetOptions.Mapping("noalias")
APART: dict[str, Any] = {**BORROWING, "noalias": True}
# Of a kernel as kernels call it no machine code is made; numba has this flag, too, and no name for it.
CPUTargetOptions.no_compile = TargetOptions.Mapping("no_compile")
PART: dict[str, Any] = {"no_compile": True, "no_cpython_wrapper": True, "nopython": True}
LIBRARIES = {"builtins", "math", "cmath", "operator", "numpy", "numba", "scipy"}  # told by their versions and names
COMPILER = Snapshot((PACKAGE / "kernel").glob("*.py"), PACKAGE).digest  # how numba is asked
CONSTANTS = (bool, int, float, complex, str, bytes, type(None), type(...), np.generic, np.ufunc)
SCALARS = (nt.Number, nt.Boolean, nt.NoneType, nt.Omitted, nt.UnicodeType, nt.Literal)
Read = tuple[str, Sequence[Any]]


class _Unreadable(ValueError):
    """Something that cannot be told from another of its kind."""


def digest_of(function: Callable[..., Any], kernels: list[Any] | None = None) -> str:
    """SHA-256 (first 16 hex digits) of what a kernel is compiled from: its code and that of all it calls, the constants
    they name, the compiler. Empty where that cannot be read off: such a kernel is compiled anew in every process. The
    kernels that it names are added to a list, in an order that belongs to the digest."""
    try:
        return sha_of(function, kernels)
    except (TypeError, ValueError):
        return ""


def sha_of(value: Any, kernels: list[Any] | None = None) -> str:
    """The digest of anything that can be read off in full; raises TypeError or ValueError for what cannot."""
    versions = (numba.__version__, np.__version__, sys.implementation.cache_tag)
    how = (OPTIONS, BORROWING, APART, PART, bool(config.BOUNDSCHECK), int(config.OPT), COMPILER)
    sha, met, waiting = hashlib.sha256(), dict[Any, int](), [value, how, versions]
    while waiting:
        value = waiting.pop()
        if function := getattr(getattr(value, "_cache", None), "function", None):
            if kernels is not None:
                kernels.append(value)
            value = function  # `py_func` may have been given a second version (`scalar.twin`)
        known = isinstance(value, types.FunctionType) and value in met
        words, parts = (f"again {met[value]}", ()) if known else _read(value)
        if isinstance(value, types.FunctionType):
            met.setdefault(value, len(met))
        sha.update(f"{words} {len(parts)}\0".encode())
        waiting += parts
    return sha.hexdigest()[:16]


def _read(value: Any) -> Read:
    """A value as the compiler takes it: in words, and the parts that are still to be read."""
    if isinstance(value, CONSTANTS):
        return repr(value), ()
    if isinstance(value, Dispatcher):
        return "compiled", (value.targetoptions, value.py_func)
    if isinstance(value, nt.Type):
        return _read_type(value)
    if name := _name_in_library(value):
        return name, ()
    if isinstance(value, types.FunctionType):
        return _read_function(value)
    if isinstance(value, types.CodeType):
        names = (value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars)
        shape = (value.co_argcount, value.co_kwonlyargcount, value.co_flags)
        return repr((value.co_code, value.co_exceptiontable, names, shape)), value.co_consts
    return _read_parts(value)


def _read_parts(value: Any) -> Read:
    """A value that has parts. Of a class, what a kernel may ask it for: to make a tuple, a member, an error."""
    kind = f"{type(value).__qualname__} {getattr(value, '__qualname__', '')}"
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return f"{value.dtype.descr} {value.shape} {value.strides} {value.tobytes().hex()}", ()
    if isinstance(value, tuple | list):
        return f"{kind} {getattr(value, '_fields', '')}", value
    if isinstance(value, set | frozenset):
        return kind, sorted(value, key=repr)
    if isinstance(value, dict):
        return kind, sorted(value.items())
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return kind, [(member.name, member.value) for member in value]
    if isinstance(value, type) and issubclass(value, tuple | BaseException):
        return kind, (value.__module__, *(getattr(value, name, None) for name in ("_fields", "_field_defaults")))
    raise _Unreadable


def _read_type(value: Any) -> Read:
    """The type of an argument."""
    if isinstance(value, nt.BaseTuple):
        return type(value).__qualname__, (getattr(value, "instance_class", None), *value.types)
    if isinstance(value, nt.Dispatcher):
        return "Dispatcher", (value.dispatcher,)
    if isinstance(value, SCALARS) or (isinstance(value, nt.Array) and isinstance(value.dtype, SCALARS)):
        return str(value), ()
    raise _Unreadable


def _read_function(function: types.FunctionType) -> Read:
    """The code, and what it refers to. A kernel is compiled with the constants of its first call, so that nothing is
    read off a function that has been given other ones since."""
    paths = _globals_of(function.__code__)
    found = [_followed(path, function.__globals__) for path in paths]
    first = vars(function).setdefault("_first", found)
    if any(old is not new for old, new in zip(first, found, strict=True)):
        raise _Unreadable
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    said = f"{function.__module__} {function.__qualname__} {paths} {function.__dict__.get('_how', '')}"
    return said, (function.__code__, function.__defaults__, function.__kwdefaults__, cells, *found)


def _followed(path: Sequence[str], names: dict[str, Any]) -> Any:
    """What stands at the end of a path through modules, as far as they are not a library's."""
    value = names.get(path[0], vars(builtins).get(path[0]))
    for name in path[1:]:
        if not isinstance(value, types.ModuleType) or _name_in_library(value):
            break
        value = getattr(value, name, None)
    return value


def _name_in_library(value: Any) -> str:
    """The name of a module, a function or a class of a library; empty for anything else."""
    if isinstance(value, types.ModuleType):
        home = name = value.__name__
    else:
        home, name = str(getattr(value, "__module__", "")), getattr(value, "__qualname__", "")
    return f"{home} {name}" if name and home.partition(".")[0] in LIBRARIES else ""


@functools.cache
def _globals_of(code: types.CodeType) -> list[list[str]]:
    """The global names that a code loads, each with the attributes that it then asks for."""
    found = [path for part in code.co_consts if isinstance(part, types.CodeType) for path in _globals_of(part)]
    loaded = False
    for step in dis.get_instructions(code):
        asked = loaded and step.opname in ("LOAD_ATTR", "LOAD_METHOD")
        loaded = asked or step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
        if asked:
            found[-1].append(step.argval)
        elif loaded:
            found.append([step.argval])
    return found
