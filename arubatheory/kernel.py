r"""The one place that calls numba.

`kernel` compiles a numpy-flavoured function; `pure` gives the same function uncompiled, callees included, so that it
runs on arrays of exact numbers; `on(kernel, x)` picks the one that fits the numbers in `x`.

The disk cache of numba does not notice an edit in a callee that lives in another module, nor another value of a
constant, and falls back to folders beside the source. So compiled kernels are kept by us: each in a file named by
everything that the compiler was given, read off the functions in memory and not off their files, which may have been
edited since. What cannot be read off in full is compiled anew in every process, and so is everything where there is no
folder to write to.
"""

from __future__ import annotations

import builtins
import dis
import enum
import functools
import hashlib
import multiprocessing
import os
import pickle
import sys
import tempfile
import types
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite.binding import parse_bitcode
from numba import config
from numba import types as nt
from numba.core import cgutils, serialize
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result
from numba.core.cpu import CPUTargetOptions
from numba.core.dispatcher import Dispatcher
from numba.core.options import TargetOptions
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic, overload

from arubatheory.arithmetic import is_exact
from arubatheory.sources import source_digest

# NaN and infinities must keep their meaning: full fastmath made a violation counter miss a third of its violations.
# `_nrt` and `forceinline` are said since a kernel that says nothing takes after the one that calls it first.
OPTIONS: dict[str, Any] = {"fastmath": {"reassoc", "contract", "nsz"}, "error_model": "numpy", "nogil": True}
OPTIONS |= {"_nrt": True, "forceinline": False, "no_cfunc_wrapper": True}  # no kernel is called from C
# A call with a tuple of arrays counts a reference to each of them up and down: some 100 ns, more than a round takes.
BORROWING: dict[str, Any] = {**OPTIONS, "_nrt": False, "forceinline": True}
# numba has the flag and no name for it. Without it a loop has to ask whether what it reads overlaps what it writes;
# for ten numbers the compiler finds that this takes longer than vector instructions save.
CPUTargetOptions.no_compile = TargetOptions.Mapping("no_compile")
PART: dict[str, Any] = {"no_compile": True, "no_cpython_wrapper": True, "nopython": True}
CPUTargetOptions.noalias = TargetOptions.Mapping("noalias")
APART: dict[str, Any] = {**BORROWING, "noalias": True}
F = TypeVar("F", bound=Callable[..., Any])


# where compiled kernels are kept -------------------------------------------------------------------------------------
IN_MEMORY = "kernels are compiled in memory, as none can be kept: {}; ARUBATHEORY_CACHE may name another folder"
SAID = set[str]()


def cache_folder() -> Path:
    """Where compiled kernels are kept: under $ARUBATHEORY_CACHE or the user's cache folder. Raises OSError for none."""
    given = os.environ.get("ARUBATHEORY_CACHE")
    try:
        users = given or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "arubatheory"
    except RuntimeError as error:
        raise FileNotFoundError("there is no home folder") from error
    return Path(users) / "kernels"


def writable_folder() -> Path:
    """The folder of compiled kernels, made if need be. Raises OSError where nothing can be kept in it."""
    folder = cache_folder()
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    if not _is_safe(folder):
        raise PermissionError(f"{folder} belongs to another user, or others can write to it")
    tempfile.TemporaryFile(dir=folder).close()
    return folder


def _is_safe(folder: Path) -> bool:
    """Whether none but this user or root can have put a file there: to load a kernel is to run what it holds."""
    found, user = folder.stat(), getattr(os, "geteuid", int)()
    return found.st_uid in (0, user) and not found.st_mode & 0o022


def announce_compiling() -> None:
    """Say on stderr that kernels are about to be compiled, where these sources have not met this folder before."""
    try:
        if compiled() and not (cache_folder() / source_digest()).exists():
            (writable_folder() / source_digest()).touch()
            _say("compiling kernels (once)")
    except OSError as error:
        _say(IN_MEMORY, error)


def _say(text: str, reason: object = "") -> None:
    if text not in SAID and multiprocessing.parent_process() is None:  # what a worker would say, its parent has said
        print(text.format(reason), file=sys.stderr)
    SAID.add(text)


class _Disk(NullCache):  # type: ignore[misc]
    """The compiled forms of one kernel on disk: numba asks it before it compiles, and hands over what it compiled."""

    kind, rebuild = "", staticmethod(CompileResult._rebuild)

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.names: dict[Any, str] = {}

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled form for a signature; None where there is none, or none to trust."""
        rtsys.initialize(target_context)  # and no more: what else compiling needs takes a quarter of a second to import
        made, form = digest_of(self.function), (*normalize_signature(sig), target_context.codegen().magic_tuple())
        if not made:
            return None
        try:
            self.names[sig] = f"{self.function.__name__}{self.kind}-{made}-{_digest(form)}"
            return self.rebuild(target_context, *pickle.loads(_kept(self.names[sig])))
        except Exception:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled under the name of what it was compiled from, as it was before."""
        name = self.names.pop(sig, None)
        if name is None or data.library.has_dynamic_globals:
            return
        try:
            _write(writable_folder() / name, serialize.dumps(data._reduce()))
        except OSError as error:
            _say(IN_MEMORY, error)


class _DiskOfParts(_Disk):
    """The same of what is only linked into callers: bitcode, and no machine code."""

    kind = "-part"

    @staticmethod
    def rebuild(context: Any, library: Any, fndesc: Any, environment: Any, signature: Any, *rest: Any) -> Any:
        """What the compiler had made, but for what only machine code needs."""
        return compile_result(
            typing_context=context.typing_context,
            target_context=context,
            objectmode=False,
            library=_Linked.from_bitcode(context.codegen(), library),
            fndesc=fndesc,
            environment=environment,
            signature=signature,
            referenced_envs=rest[-1],
        )


def _kept(name: str) -> bytes:
    """What a file in the folder holds: nothing where it is damaged, or where others can have written it."""
    folder = cache_folder()
    kept = (folder / name).read_bytes() if _is_safe(folder) else b""
    return kept[32:] if hashlib.sha256(kept[32:]).digest() == kept[:32] else b""


def _write(file: Path, body: bytes) -> None:
    """All of a file or nothing of it; all may read it, and only its owner write it."""
    part = file.with_name(f"{file.name}.{uuid.uuid4().hex}")
    try:
        with open(part, "xb", opener=functools.partial(os.open, mode=0o644)) as stream:
            stream.write(hashlib.sha256(body).digest() + body)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


# what a kernel is compiled from --------------------------------------------------------------------------------------
LIBRARIES = {"builtins", "math", "cmath", "operator", "numpy", "numba", "scipy"}  # told by their versions and names
CONSTANTS = (bool, int, float, complex, str, bytes, type(None), type(...), np.generic, np.ufunc)
SCALARS = (nt.Number, nt.Boolean, nt.NoneType, nt.Omitted, nt.UnicodeType, nt.Literal)
Read = tuple[str, Sequence[Any]]


class _Unreadable(ValueError):
    """Something that cannot be told from another of its kind."""


def digest_of(function: Callable[..., Any]) -> str:
    """SHA-256 (first 16 hex digits) of what a kernel is compiled from: its code and that of all it calls, the constants
    they name, the compiler. Empty where that cannot be read off: such a kernel is compiled anew in every process."""
    try:
        return _digest(function)
    except (TypeError, ValueError):
        return ""


def _digest(value: Any) -> str:
    versions = (
        numba.__version__,
        np.__version__,
        sys.implementation.cache_tag,
        bool(config.BOUNDSCHECK),
        int(config.OPT),
    )
    sha, met, waiting = hashlib.sha256(), dict[Any, int](), [value, OPTIONS, BORROWING, APART, PART, versions]
    while waiting:
        value = waiting.pop()
        if isinstance(cache := getattr(value, "_cache", None), _Disk):
            value = cache.function  # `py_func` may have been given a second version (`scalar.twin`)
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


# kernels -------------------------------------------------------------------------------------------------------------
def compiled() -> bool:
    """Whether kernels are compiled at all (NUMBA_DISABLE_JIT unset)."""
    return not config.DISABLE_JIT


def kernel(function: F) -> F:
    """Compile `function` lazily with the project's options; its pure source stays reachable through `pure`."""
    return _compile(function, OPTIONS)


def borrowing(function: F) -> F:
    """A kernel of numbers, compiled into its callers: it reads and writes arrays of theirs, and counts no references.

    So it makes no array, returns none, and calls no kernel that returns one: that would never be freed.
    """
    vars(function)["_how"] = "borrowing"
    return _compile(function, BORROWING)


def apart(function: F) -> F:
    """A borrowing kernel that is given no array to write to together with another that shares memory with it."""
    vars(function)["_how"] = "apart"
    return _compile(function, APART)


def _compile(function: F, options: dict[str, Any]) -> F:
    return _Kernel(function, options) if compiled() else function


class _Kernel(CPUDispatcher):  # type: ignore[misc]
    """A kernel as Python calls it. For the kernels that call it, its type is that of its other form, `_Part`."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions={**options, "nopython": True})
        self._cache, self.part = _Disk(function), _Part(function, options)

    @property
    def _numba_type_(self) -> Any:
        return self.part._type

    def add_overload(self, cres: Any) -> None:
        """Machine code is there now: the parts of it find the Python objects that they name."""
        super().add_overload(cres)
        for environment in cres._find_referenced_environments():
            cres.library.codegen.set_env(environment.env_name, environment)


class _Part(CPUDispatcher):  # type: ignore[misc]
    """A kernel as kernels call it. numba would make machine code of it for its own sake and optimise that again inside
    each caller; here it stays what the compiler's front wrote, and becomes machine code with its caller."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions={**options, **PART}, pipeline_class=_Front)
        self._cache = _DiskOfParts(function)

    def add_overload(self, cres: Any) -> None:
        """Known to callers by a value of its own, in the place of an address."""
        cres = cres._replace(entry_point=object())
        self.targetctx.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres


class _Front(Compiler):  # type: ignore[misc]
    """numba's compiler, writing into a library of ours."""

    def define_pipelines(self) -> Any:
        """The passes, which run when the function's name is known and before a library is made for it."""
        self.state.library = _Linked(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()


class _Linked(JITCodeLibrary):  # type: ignore[misc]
    """What the compiler's front wrote, with all that it calls, to be linked into its callers."""

    serialize_using_object_code = JITCodeLibrary.serialize_using_bitcode

    def _optimize_final_module(self) -> None:
        """Nothing: the caller is optimised as a whole."""

    def _finalize_final_module(self) -> None:
        """Without machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True

    @classmethod
    def from_bitcode(cls, codegen: Any, state: tuple[str, str, bytes]) -> _Linked:
        """What was kept."""
        self = cls(codegen, state[0])
        self._final_module = parse_bitcode(state[2])
        self._finalize_final_module()
        return self


def is_kernel(value: Any) -> bool:
    """Whether it is a compiled function, ours or a user's."""
    return isinstance(value, Dispatcher)


@functools.cache
def pure(function: Any) -> Callable[..., Any]:
    """`function` as ordinary Python: every compiled callee among its globals is replaced by its own pure version."""
    if not compiled() or not (is_kernel(function) or isinstance(function, types.FunctionType)):
        return function
    source = function.py_func if is_kernel(function) else function
    # A snapshot of its module: kernels are constants there.
    namespace = {name: _Lazy(value) if is_kernel(value) else value for name, value in source.__globals__.items()}
    held = [cell.cell_contents for cell in source.__closure__ or ()]
    closure = tuple(types.CellType(_Lazy(value) if is_kernel(value) else value) for value in held)
    result = types.FunctionType(source.__code__, namespace, source.__name__, source.__defaults__, closure)
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


# memory --------------------------------------------------------------------------------------------------------------
def prefetch(array: Any, k: int) -> None:
    """Asks memory for number k of a C-ordered array before it is read: a loop that computes while memory answers needs
    the longer of both times and not their sum. Nothing happens beyond the end, or uncompiled."""


@intrinsic  # type: ignore[untyped-decorator]
def _prefetched(context: Any, array: Any, k: Any) -> Any:
    """llvm.prefetch, to be read, into the nearest cache, of the data cache."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        ir = cgutils.ir
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.bitcast(builder.gep(data, [args[1]]), byte)
        builder.call(instruction, [place, *(word(value) for value in (0, 3, 1))])
        return context.get_dummy_value()

    return nt.void(array, nt.intp), generate


@overload(prefetch, strict=False)  # type: ignore[untyped-decorator]
def _prefetch(array: Any, k: Any) -> Any:
    return lambda array, k: _prefetched(array, k)
