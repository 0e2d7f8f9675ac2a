r"""The one place that calls numba.

`kernel` compiles a numpy-flavoured function, and into it what it calls, but for what is `standing`: that is compiled
once, and called. `pure` gives the same function uncompiled, callees included, so that it runs on arrays of exact
numbers; `on(kernel, x)` picks the one that fits the numbers in `x`.

Compiled kernels are kept on disk, each in a file named by its digest (`digest`); where there is no folder to write to,
everything is compiled anew in every process.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import sys
import tempfile
import types
import uuid
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from llvmlite.binding import parse_assembly, parse_bitcode
from numba import config
from numba import types as nt
from numba.core import cgutils, serialize
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, Flags, compile_result
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic, overload

from arubatheory.arithmetic import is_exact
from arubatheory.kernel.digest import APART, BORROWING, OPTIONS, PART, digest_of, sha_of
from arubatheory.sources import source_digest

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
        self.names: dict[Any, tuple[str, list[Any]]] = {}

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled form for a signature; None where there is none, or none to trust."""
        rtsys.initialize(target_context)  # and no more: what else compiling needs takes a quarter of a second to import
        form, kernels = (*normalize_signature(sig), target_context.codegen().magic_tuple()), list[Any]()
        if not (made := digest_of(self.function, kernels)):
            return None
        try:
            name = f"{self.function.__name__}{self.kind}-{made}-{sha_of(form)}"
            self.names[sig] = name, kernels
            called, body = pickle.loads(_kept(name))
            if any(kernels[k].name_for(args) != symbol for k, args, symbol in called):
                return None  # where a symbol is missing, the process would end
            result = self.rebuild(target_context, *body)
            result.library.needs = {(kernels[k], args) for k, args, _ in called}
            return result
        except Exception:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled under the name of what it was compiled from, as it was before."""
        name, kernels = self.names.pop(sig, ("", []))
        data.library.needs = needs = _needs(data.library)
        if not name or data.library.has_dynamic_globals or {kernel for kernel, _ in needs} - {*kernels}:
            return
        called = [(kernels.index(kernel), args, kernel.name_for(args)) for kernel, args in needs]
        try:
            _write(writable_folder() / name, serialize.dumps((called, data._reduce())))
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


def _needs(library: Any) -> set[Any]:
    """The standing kernels, with their arguments, that have to be in memory before a library is."""
    return getattr(library, "needs", set[Any]()).union(*map(_needs, library._linking_libraries))


def _kept(name: str) -> bytes:
    """What a file in the folder holds: nothing where it is damaged, or where others can have written it."""
    folder = cache_folder()
    kept = (folder / name).read_bytes() if _is_safe(folder) else b""
    return kept[32:] if hashlib.sha256(kept[32:]).digest() == kept[:32] else b""


def _write(file: Path, body: bytes) -> None:
    """All of a file or nothing of it; all may read it, and only its owner write it."""
    part = file.with_name(f"{file.name}.{uuid.uuid4().hex}")
    try:
        with open(part, "xb", opener=partial(os.open, mode=0o644)) as stream:
            stream.write(hashlib.sha256(body).digest() + body)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


# kernels -------------------------------------------------------------------------------------------------------------
def compiled() -> bool:
    """Whether kernels are compiled at all (NUMBA_DISABLE_JIT unset)."""
    return not config.DISABLE_JIT


def kernel(function: F) -> F:
    """Compile `function` lazily with the project's options; its pure source stays reachable through `pure`."""
    return _compile(function, "", OPTIONS, _Kernel)


def standing(function: F) -> F:
    """A kernel that is large and seldom called: kernels share its machine code, and it is optimised with none."""
    return _compile(function, "standing", OPTIONS, _Standing)


def borrowing(function: F) -> F:
    """A kernel of numbers, compiled into its callers: it reads and writes arrays of theirs, and counts no references.

    So it makes no array, returns none, and calls no kernel that returns one: that would never be freed.
    """
    return _compile(function, "borrowing", BORROWING, _Kernel)


def apart(function: F) -> F:
    """A borrowing kernel that is given no array to write to together with another that shares memory with it."""
    return _compile(function, "apart", APART, _Kernel)


def _compile(function: F, how: str, options: dict[str, Any], made: Callable[..., Any]) -> F:
    vars(function)["_how"] = how
    return made(function, options) if compiled() else function


class _Standing(CPUDispatcher):  # type: ignore[misc]
    """A kernel as Python calls it. Kernels that call it call the same machine code, by its name."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions={**options, "nopython": True}, pipeline_class=_Named)
        self._cache, self.keys = _Disk(function), dict[Any, object]()

    def add_overload(self, cres: Any) -> None:
        """Machine code is there now: the parts of it find the Python objects that they name."""
        super().add_overload(cres)
        for environment in cres._find_referenced_environments():
            cres.library.codegen.set_env(environment.env_name, environment)

    def name_for(self, args: Any) -> str:
        """The symbol of its machine code, which is in memory then."""
        self.compile(args)
        return str(self.overloads[args].fndesc.mangled_name)

    def get_overload(self, sig: Any) -> Any:
        """What numba knows it by inside kernels. They link an empty library, and remember by it what has to be in
        memory before they are."""
        args = tuple(normalize_signature(sig)[0])
        if args not in self.keys:
            there, self.keys[args] = _Linked(self.targetctx.codegen(), self.py_func.__qualname__), object()
            there._finalized, there._shared_module, there.needs = True, parse_assembly(""), {(self, args)}
            self.targetctx.insert_user_function(self.keys[args], self.overloads[args].fndesc, [there])
        return self.keys[args]


class _Brief(Compiler):  # type: ignore[misc]
    """numba's compiler. Where it assigns to slices it would compile how to put shapes that differ in words, and take as
    long for these words as for a sixth of all kernels."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """As numba's, but for what it says where shapes differ."""
        from numba.np import arrayobj  # which takes long, and is there where anything is compiled

        kept, arrayobj.raise_with_shape_context = arrayobj.raise_with_shape_context, _refuse
        try:
            return super().compile_extra(function)
        finally:
            arrayobj.raise_with_shape_context = kept


class _Named(_Brief):
    """It gives a function the same name in every process: numba's has a number, and flags as sets list them."""

    def define_pipelines(self) -> Any:
        """The passes, which run when the digest has become the number."""
        if made := digest_of(self.state.func_id.func):
            self.state.func_id.unique_id, self.state.flags = int(made, 16), _Flags(self.state.flags)
        return super().define_pipelines()


class _Flags(Flags):  # type: ignore[misc]
    """Flags that a name does not tell: its number does."""

    def get_mangle_string(self) -> str:
        """Nothing."""
        return ""


class _Kernel(_Standing):
    """The same, but that kernels have it compiled into them: for them its type is that of its other form, `_Part`."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, options)
        self.part = _Part(function, options)

    @property
    def _numba_type_(self) -> Any:
        return self.part._type


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


class _Front(_Brief):
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


@cache
def pure(function: Any) -> Callable[..., Any]:
    """`function` as ordinary Python: every compiled callee among its globals is replaced by its own pure version."""
    if not compiled() or not (is_kernel(function) or isinstance(function, types.FunctionType)):
        return function
    source = function.py_func if is_kernel(function) else function
    # A snapshot of its module: kernels are constants there.
    namespace = {k: partial(_purely, v) if is_kernel(v) else v for k, v in source.__globals__.items()}
    held = [cell.cell_contents for cell in source.__closure__ or ()]
    closure = tuple(types.CellType(partial(_purely, v) if is_kernel(v) else v) for v in held)
    result = types.FunctionType(source.__code__, namespace, source.__name__, source.__defaults__, closure)
    result.__kwdefaults__ = source.__kwdefaults__
    return result


def _purely(function: Any, *args: Any) -> Any:
    """What a kernel's callee says: it turns pure at its first call, so that mutual references end."""
    return pure(function)(*args)


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


# slices --------------------------------------------------------------------------------------------------------------
@kernel
def _refuse(there: Any, given: Any) -> None:
    raise ValueError("cannot assign to a slice from an array of another shape")
