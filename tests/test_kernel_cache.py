"""No stale kernel, whatever was edited and wherever compiled ones are kept, or are not."""

from __future__ import annotations

import enum
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import arubatheory
from arubatheory import kernel as kernels
from arubatheory.kernel import apart, borrowing, kernel
from arubatheory.kernel.digest import digest_of
from arubatheory.problems import scalar

PACKAGE = Path(arubatheory.__file__).parent
IN_MEMORY = "kernels are compiled in memory"
NOBODY, SOMEBODY = 65534, 54321  # neither is the user of this suite; the second is no user of the system at all


# what a kernel is compiled from --------------------------------------------------------------------------------------
def made(text: str, name: str = "f", **more: Any) -> Any:
    """A kernel of a module with this text."""
    module = types.ModuleType("written")
    vars(module).update(kernel=kernel, borrowing=borrowing, apart=apart, np=np, **more)
    exec(textwrap.dedent(text), vars(module))
    return vars(module)[name]


BASE = """
    @kernel
    def g(x, shift=1):
        return SCALE * x + shift

    @kernel
    def f(x):
        return g(x)
"""
OTHER = types.ModuleType("other")


class Kind(enum.Enum):
    ONE = 1


class Pair(NamedTuple):
    a: int
    b: int = 1


def test_a_digest_is_the_same_wherever_and_whenever_it_is_read() -> None:
    assert len(digest_of(made(BASE, SCALE=2))) == 16
    assert digest_of(made(BASE, SCALE=2)) == digest_of(made("\n\n# a comment\n" + textwrap.dedent(BASE), SCALE=2))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("* x", "/ x"),
        ("g(x)", "-g(x)"),
        ("shift=1", "shift=2"),
        ("shift=1", "*, shift=1"),
        ("+ shift", "+ shift * 1.5"),
    ],
)
def test_an_edit_anywhere_below_changes_the_digest(old: str, new: str) -> None:
    assert digest_of(made(BASE.replace(old, new), SCALE=2)) not in ("", digest_of(made(BASE, SCALE=2)))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (2, 3),
        (2, 2.0),
        (0.0, -0.0),
        (True, 1),
        (np.array([1.0, 2.0]), np.array([1.0, 3.0])),
        (np.array([1.0, 2.0]), np.array([[1.0, 2.0]])),
        (np.zeros(1, np.int64), np.zeros(1)),
        ((1, (2, 3)), (1, (2, 4))),
        ((1, 2), Pair(1, 2)),
        (Pair(1, 2), NamedTuple("Pair", [("b", int), ("a", int)])(1, 2)),
        (Pair, NamedTuple("Pair", [("b", int), ("a", int)])),
        (Kind, enum.Enum("Kind", [("ONE", 2)])),
        (ValueError, TypeError),
        (np.sin, np.cos),
        (abs, max),
        (made(BASE, SCALE=2), made(BASE, SCALE=3)),
    ],
)
def test_what_a_global_name_holds_is_part_of_the_digest(one: Any, two: Any) -> None:
    digests = [digest_of(made(BASE, SCALE=value)) for value in (one, two, one)]
    assert digests[0] == digests[2] != digests[1] and all(digests)


def test_what_a_module_holds_is_part_of_the_digest() -> None:
    text = BASE.replace("SCALE", "other.inner.scale")
    digests = []
    for value in (2, 3):
        other, other.inner = types.ModuleType("other"), types.ModuleType("inner")  # type: ignore[attr-defined]
        other.inner.scale = value
        digests.append(digest_of(made(text, other=other)))
    assert digests[0] != digests[1] and all(digests)


def test_what_a_closure_holds_is_part_of_the_digest() -> None:
    def shifted(by: int) -> Any:
        @kernel
        def f(x):  # type: ignore[no-untyped-def]
            return x + by

        return f

    assert digest_of(shifted(1)) == digest_of(shifted(1)) != digest_of(shifted(2))


def test_kernels_that_call_themselves_and_each_other() -> None:
    text = """
        @kernel
        def f(n):
            return n if n < 1 else f(n - 1) + g(n - 1)

        @kernel
        def g(n):
            return n if n < 1 else f(n - 1)
    """
    digests = [digest_of(made(t)) for t in (text, text, text.replace("else f(n - 1)\n", "else g(n - 1)\n"))]
    assert digests[0] == digests[1] != digests[2] and all(digests)


@pytest.mark.parametrize("value", [object(), np.array([None]), types.ModuleType("other"), {1: 2, "a": 3}])
def test_what_cannot_be_told_apart_has_no_digest(value: Any) -> None:
    assert digest_of(made(BASE, SCALE=value)) == ""


def test_how_a_kernel_is_compiled_is_part_of_the_digest() -> None:
    borrows = digest_of(made(BASE.replace("@kernel", "@borrowing"), SCALE=2))
    assert digest_of(made(BASE, SCALE=2)) != borrows
    assert digest_of(made(BASE.replace("@kernel", "@apart"), SCALE=2)) not in ("", borrows)


def test_a_constant_that_was_set_anew_after_it_was_read_leaves_no_digest() -> None:
    """Some of what calls it may be compiled with the old one."""
    f = made(BASE, SCALE=2)
    assert digest_of(f)
    names = (f.py_func if hasattr(f, "py_func") else f).__globals__
    names["SCALE"] = 3
    assert digest_of(f) == ""


def test_of_a_pair_of_versions_the_compiled_one_counts() -> None:
    def twins(factor: int) -> Any:
        return scalar.twin(lambda x: x)(made(f"def f(x):\n    return {factor} * x"))

    if kernels.compiled():
        assert digest_of(twins(2)) == digest_of(twins(2)) != digest_of(twins(3))


def test_every_kernel_of_the_package_has_a_digest() -> None:
    from arubatheory import PAPER

    assert PAPER
    found = [v for m in list(sys.modules.values()) if m.__name__.startswith("arubatheory") for v in vars(m).values()]
    mine = [v for v in found if kernels.is_kernel(v)]
    assert [v for v in mine if not digest_of(v)] == []
    assert len(mine) > 300 or not kernels.compiled()


# where compiled kernels are kept -------------------------------------------------------------------------------------
class Place:
    """A package of its own with a kernel and, in another module, its callee, and a folder for the compiled ones."""

    def __init__(self, root: Path) -> None:
        self.root, self.folder = root, root / "cache"
        self.settings: dict[str, str] = {"ARUBATHEORY_CACHE": str(self.folder)}
        self.before: Sequence[str] = ()
        self.how = "kernel"
        package = root / "arubatheory"
        (package / "kernel").mkdir(parents=True, exist_ok=True)
        for name in ("sources.py", "kernel/__init__.py", "kernel/digest.py", "arithmetic.py"):
            (package / name).write_text((PACKAGE / name).read_text())
        (package / "__init__.py").touch()
        head = "from arubatheory.callee import inner\nfrom arubatheory.kernel import kernel\n"
        (package / "caller.py").write_text(head + "@kernel\ndef outer(x):\n    return inner(x)\n")

    def run(self, factor: int, user: int | None = None, counted: str = "f", setup: str = "") -> tuple[float, int, str]:
        """What the kernel says, how many forms of the `counted` one were read from disk, and what stderr says."""
        text = f"from arubatheory.kernel import {self.how}\n@{self.how}\ndef inner(x):\n    return {factor} * x\n"
        (self.root / "arubatheory" / "callee.py").write_text(text)
        program = setup + "from arubatheory.caller import outer as f; x = f(5.0)"
        program += f"; print(x, sum({counted}.stats.cache_hits.values())); f(5)"
        if user is not None:  # what the compiler imports when it first runs may be out of this user's reach
            first = "import numba, os; numba.njit(lambda x: 2 * x)(1.0); import arubatheory.caller"
            program = f"{first}; os.setgroups([]); os.setgid({user}); os.setuid({user}); {program}"
        taken = ("HOME", "XDG_CACHE_HOME", "ARUBATHEORY_CACHE")
        own = {"PYTHONPATH": str(self.root), "NUMBA_DISABLE_JIT": "0", "PYTHONDONTWRITEBYTECODE": "1", **self.settings}
        environment = {**{k: v for k, v in os.environ.items() if k not in taken}, **own}
        command = [*self.before, sys.executable, "-c", program]
        done = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert not [p for p in self.root.rglob("*.nb?")], "numba's own cache"
        value, hits = done.stdout.split()
        return float(value), int(hits), done.stderr

    def lock(self) -> None:
        """Nobody can write to the folder any more, not even root."""
        if os.geteuid() != 0:
            self.folder.chmod(0o555)
            (self.folder / "kernels").chmod(0o555)
            return
        script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
        self.before = ("unshare", "--mount", "sh", "-c", script, str(self.folder))
        if subprocess.run([*self.before, "true"], capture_output=True).returncode:
            pytest.skip("root writes everywhere, and no folder can be mounted read-only here")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A place where two versions have been compiled, in turns."""
    place = Place(tmp_path_factory.mktemp("met"))
    assert [place.run(factor) for factor in (2, 3, 2)] == [(10.0, 0, ""), (15.0, 0, ""), (10.0, 1, "")]
    return place


@pytest.fixture
def warm(tmp_path: Path, met: Place) -> Place:
    """A place that has what was compiled there."""
    shutil.copytree(met.folder, tmp_path / "cache")
    return Place(tmp_path)


@pytest.fixture
def shared() -> Iterator[Place]:
    """A place that all users can get to, and whose cache all can write to."""
    if os.geteuid() != 0:
        pytest.skip("only root can be somebody else")
    with tempfile.TemporaryDirectory() as root:
        Path(root).chmod(0o755)
        result = Place(Path(root))
        result.folder.mkdir()
        result.folder.chmod(0o777)
        yield result


def test_two_versions_share_a_folder_wherever_it_is_taken(warm: Place) -> None:
    assert warm.run(3) == (15.0, 1, "")


def test_a_new_caller_reads_what_it_calls(warm: Place) -> None:
    caller = warm.root / "arubatheory" / "caller.py"
    caller.write_text(caller.read_text().replace("inner(x)", "1 + inner(x)"))
    assert warm.run(2, counted="f.py_func.__globals__['inner'].part") == (11.0, 1, "")
    assert warm.run(2) == (11.0, 1, "")


def test_what_was_compiled_in_another_way_is_compiled_anew(warm: Place) -> None:
    package = warm.root / "arubatheory" / "kernel" / "__init__.py"
    package.write_text(package.read_text() + "# compiles otherwise\n")
    assert [warm.run(2) for _ in range(2)] == [(10.0, 0, ""), (10.0, 1, "")]


@pytest.fixture
def standing(place: Place) -> Place:
    """A place whose inner kernel stands, and is called by a kernel that the outer one calls."""
    place.how, caller = "standing", place.root / "arubatheory" / "caller.py"
    middle = "@kernel\ndef middle(x):\n    return inner(x)\n@kernel\ndef outer(x):\n    return middle(x)\n"
    caller.write_text(caller.read_text().partition("@kernel")[0] + middle)
    assert [place.run(factor)[:2] for factor in (2, 3, 2)] == [(10.0, 0), (15.0, 0), (10.0, 1)]
    return place


def test_a_standing_kernel_has_the_same_name_wherever_it_is_compiled(standing: Place) -> None:
    assert standing.run(2, counted="f.py_func.__globals__['inner']") == (10.0, 1, "")
    for seed in range(4):  # of the order in which sets are listed
        standing.settings["PYTHONHASHSEED"] = str(seed)
        for file in (standing.folder / "kernels").glob("inner-*"):
            file.unlink()
        assert standing.run(2) == (10.0, 1, "")


def test_a_new_caller_of_what_calls_a_standing_kernel_is_read_with_it(standing: Place) -> None:
    caller = standing.root / "arubatheory" / "caller.py"
    caller.write_text(caller.read_text().replace("return middle(x)", "return 1 + middle(x)"))
    assert [standing.run(2) for _ in range(2)] == [(11.0, 0, ""), (11.0, 1, "")]


def test_a_function_of_numba_may_call_a_standing_kernel(standing: Place) -> None:
    caller = standing.root / "arubatheory" / "caller.py"
    caller.write_text("import numba\n" + caller.read_text().replace("@kernel\ndef middle", "@numba.njit\ndef middle"))
    assert [standing.run(2) for _ in range(2)] == [(10.0, 0, ""), (10.0, 1, "")]


def test_what_calls_another_symbol_is_compiled_anew(standing: Place) -> None:
    """To load it would end the process."""
    another = "import arubatheory.kernel as k; k._Standing.name_for = lambda self, args: self.compile(args) and ''; "
    assert standing.run(2, setup=another) == (10.0, 0, "")


def test_a_standing_kernel_may_be_given_a_kernel(place: Place) -> None:
    place.how, caller = "standing", place.root / "arubatheory" / "caller.py"
    given = "import kernel, standing\n@standing\ndef of(g, x):\n    return g(x)\n"
    caller.write_text(caller.read_text().replace("import kernel\n", given).replace("inner(x)", "of(inner, x)"))
    assert [place.run(2)[0] for _ in range(3)] == [10.0] * 3


def test_a_folder_that_cannot_be_made(place: Place) -> None:
    (place.root / "file").touch()
    place.settings["ARUBATHEORY_CACHE"] = str(place.root / "file" / "below")
    for factor in (2, 3):
        value, hits, said = place.run(factor)
        assert (value, hits, said.count(IN_MEMORY)) == (5.0 * factor, 0, 1) and "Not a directory" in said


def test_a_read_only_folder_is_read(warm: Place) -> None:
    warm.lock()
    assert warm.run(2) == (10.0, 1, "")
    value, hits, said = warm.run(4)
    assert (value, hits, said.count(IN_MEMORY)) == (20.0, 0, 1)


def test_a_read_only_empty_folder(place: Place) -> None:
    (place.folder / "kernels").mkdir(parents=True)
    place.lock()
    for factor in (2, 3):
        value, hits, said = place.run(factor)
        assert (value, hits, said.count(IN_MEMORY)) == (5.0 * factor, 0, 1)


def test_no_home_at_all(shared: Place) -> None:
    shared.settings = {}
    for factor in (2, 3):
        value, hits, said = shared.run(factor, SOMEBODY)
        assert (value, hits, said.count(IN_MEMORY)) == (5.0 * factor, 0, 1) and "no home folder" in said


def test_a_damaged_file_is_compiled_anew(warm: Place) -> None:
    for k, file in enumerate(sorted((warm.folder / "kernels").iterdir())):
        data = file.read_bytes()
        file.write_bytes(data[:-100] + bytes([data[-100] ^ 1]) + data[-99:] if data and k % 3 else b"")
    assert warm.run(2) == (10.0, 0, "")
    assert warm.run(2) == (10.0, 1, "")


def test_what_another_user_has_compiled_is_not_run(shared: Place) -> None:
    assert shared.run(2, NOBODY) == (10.0, 0, "")
    assert shared.run(2, NOBODY) == (10.0, 1, "")
    for user, factor in ((SOMEBODY, 2), (SOMEBODY, 3), (None, 2)):
        value, hits, said = shared.run(factor, user)
        assert (value, hits, said.count(IN_MEMORY)) == (5.0 * factor, 0, 1) and "belongs to another user" in said


def test_what_root_has_compiled_is_for_all_to_read(shared: Place) -> None:
    assert shared.run(2) == (10.0, 0, "")
    assert shared.run(2, NOBODY) == (10.0, 1, "")
    value, hits, said = shared.run(3, NOBODY)
    assert (value, hits, said.count(IN_MEMORY)) == (15.0, 0, 1)


def test_what_others_can_write_is_not_run(warm: Place) -> None:
    (warm.folder / "kernels").chmod(0o777)
    value, hits, said = warm.run(2)
    assert (value, hits) == (10.0, 0) and "others can write to it" in said


def test_the_folder_is_under_the_users_or_the_one_that_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("ARUBATHEORY_CACHE", raising=False)
    assert kernels.cache_folder() == tmp_path / "xdg" / "arubatheory" / "kernels"
    monkeypatch.setenv("ARUBATHEORY_CACHE", str(tmp_path))
    assert kernels.writable_folder() == tmp_path / "kernels"
    monkeypatch.setattr(kernels.tempfile, "TemporaryFile", lambda dir: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        kernels.writable_folder()


def test_compiling_is_announced_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    monkeypatch.setattr(kernels, "compiled", lambda: True)
    monkeypatch.setenv("ARUBATHEORY_CACHE", str(tmp_path))
    for said in ("compiling kernels (once)\n", ""):
        kernels.SAID.clear()
        kernels.announce_compiling()
        assert capsys.readouterr().err == said
    (tmp_path / "file").touch()
    monkeypatch.setenv("ARUBATHEORY_CACHE", str(tmp_path / "file"))
    kernels.announce_compiling()
    kernels.announce_compiling()
    assert capsys.readouterr().err.count(IN_MEMORY) == 1
    kernels.SAID.clear()
    monkeypatch.setattr(kernels.multiprocessing, "parent_process", lambda: object())
    kernels.announce_compiling()
    assert capsys.readouterr().err == ""
