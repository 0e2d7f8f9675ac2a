"""Compiled and pure versions of one source, and a cache that notices edits in callees."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import textwrap
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import arubatheory
from arubatheory import kernel as kernels
from arubatheory.arithmetic import Exact, exact
from arubatheory.kernel import cache_folder, kernel, on, pure, source_digest


@kernel
def half(x):
    return x / 2


@kernel
def norm(x):
    s = x[0] - x[0]
    for j in range(x.shape[0]):
        s = s + x[j] * x[j]
    return np.sqrt(s)


@kernel
def half_norm(x):
    return half(norm(x))


@kernel
def even(n):
    return True if n == 0 else odd(n - 1)


@kernel
def odd(n):
    return False if n == 0 else even(n - 1)


@kernel
def with_defaults(x, shift=1):
    return half(x) + shift


def test_the_pure_version_runs_callees_on_exact_numbers():
    x = exact(np.array([3.0, 4.0]))
    result = pure(half_norm)(x)
    assert result == Fraction(5, 2) and result.is_rational
    assert half_norm(np.array([3.0, 4.0])) == 2.5


def test_a_pure_irrational_result_is_a_ball():
    result = pure(half_norm)(exact(np.array([1.0, 1.0])))
    assert isinstance(result, Exact) and not result.is_rational
    assert Fraction(7071, 10000) < result < Fraction(7072, 10000)


def test_mutual_references_end():
    assert pure(even)(10) is True
    assert pure(odd)(10) is False


def test_defaults_survive():
    assert pure(with_defaults)(Exact(1)) == Fraction(3, 2)
    assert with_defaults(1.0) == 1.5


def test_pure_is_cached():
    assert pure(half_norm) is pure(half_norm)


def test_an_ordinary_function_calls_pure_kernels_too():
    def through(x):
        return half_norm(x) + 1

    assert pure(through)(exact(np.array([3.0, 4.0]))) == Fraction(7, 2)
    assert through(np.array([3.0, 4.0])) == 3.5


def test_on_picks_the_version_by_the_numbers():
    assert on(norm, np.zeros(2)) is norm
    assert on(norm, exact(np.zeros(2))) is pure(norm)
    assert on(norm, Exact(1)) is pure(norm)


def test_on_runs_either_version():
    for x in (np.array([3.0, 4.0]), exact(np.array([3.0, 4.0]))):
        assert on(norm, x)(x) == 5


def test_nan_and_infinity_keep_their_meaning():
    @kernel
    def violations(x):
        n = 0
        for j in range(x.shape[0]):
            if not x[j] <= 1:
                n += 1
        return n

    assert violations(np.array([0.0, 2.0, np.nan, np.inf, -np.inf, np.nan])) == 4


def test_the_digest_covers_every_source(tmp_path, monkeypatch):
    package = tmp_path / "package"
    package.mkdir()
    for name in ("kernel.py", "a.py"):
        (package / name).write_text("x = 1\n")
    monkeypatch.setattr(kernels, "__file__", str(package / "kernel.py"))
    digests = []
    for text in ("x = 1\n", "x = 2\n", "x = 1\n"):
        (package / "a.py").write_text(text)
        digests.append(source_digest.__wrapped__())
    assert digests[0] == digests[2] != digests[1]
    (package / "b.py").write_text("")
    assert source_digest.__wrapped__() != digests[0]


def package_of(tmp_path, monkeypatch, sources):
    """A package `package` of the given sources, in which kernels look for imports; cached digests are emptied."""
    for name, text in {"__init__.py": "", "kernel.py": "", **sources}.items():
        file = tmp_path / "package" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    monkeypatch.setattr(kernels, "__file__", str(tmp_path / "package" / "kernel.py"))
    kernels._read.cache_clear()
    kernels.import_digest.cache_clear()
    return lambda name: kernels.import_digest(tmp_path / "package" / name)


IMPORTING = {
    "a.py": "from package.sub import deep, helper\nfrom package.b import (\n    x as z,\n    y,\n)\n",
    "b.py": "def late():\n    import package.c\n    return package.c\n",
    "c.py": "import numpy\n",
    "d.py": "x = 1\n",
    "sub/__init__.py": "from package.e import helper\n",
    "sub/deep.py": "from package.a import z\n",
    "e.py": "helper = 1\n",
}


@pytest.mark.parametrize("edited", ["a.py", "b.py", "c.py", "e.py", "sub/deep.py", "sub/__init__.py"])
def test_an_edit_of_what_a_module_imports_changes_its_digest(tmp_path, monkeypatch, edited):
    """Directly, through a package's own names, inside a function, and in a circle."""
    before = package_of(tmp_path, monkeypatch, IMPORTING)("a.py")
    after = package_of(tmp_path, monkeypatch, {**IMPORTING, edited: IMPORTING[edited] + "new = 1\n"})
    assert after("a.py") != before


def test_an_edit_of_another_module_leaves_the_digest(tmp_path, monkeypatch):
    before = package_of(tmp_path, monkeypatch, IMPORTING)("a.py")
    assert package_of(tmp_path, monkeypatch, {**IMPORTING, "d.py": "x = 2\n"})("a.py") == before


def test_every_import_statement_of_the_package_is_seen():
    """The pattern finds what Python's own parser finds."""
    for file in Path(arubatheory.__file__).parent.rglob("*.py"):
        names = set()
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
                assert node.level == 0, file
        files = {kernels._file_of(name) or kernels._file_of(name.rpartition(".")[0]) for name in names}
        assert set(kernels._read(file)[1]) == files - {None, file}, file


def test_the_cache_folder_is_keyed_by_digest_and_mode(monkeypatch, tmp_path):
    monkeypatch.setenv("ARUBATHEORY_CACHE", str(tmp_path))
    monkeypatch.setattr(kernels.config, "BOUNDSCHECK", None)
    assert cache_folder() == tmp_path / f"kernels-{kernels.import_digest(Path(kernels.__file__))}-plain"
    assert cache_folder(__file__) == tmp_path / f"kernels-{source_digest()}-plain"  # outside the package
    monkeypatch.setattr(kernels.config, "BOUNDSCHECK", 1)
    assert cache_folder().name.endswith("-checked")
    monkeypatch.delenv("ARUBATHEORY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder().parent == tmp_path / "xdg" / "arubatheory"


def test_the_users_cache_setting_is_left_alone():
    before = kernels.config.CACHE_DIR
    kernel(lambda x: x)
    assert kernels.config.CACHE_DIR == before


def test_an_edit_in_a_callee_is_noticed_by_the_disk_cache(tmp_path):
    """A copy of kernel.py in a package of its own; the callee lives in another module and changes between two runs."""
    package = tmp_path / "arubatheory"
    package.mkdir()
    source = Path(arubatheory.__file__).parent
    for name in ("kernel.py", "arithmetic.py"):
        (package / name).write_text((source / name).read_text())
    (package / "__init__.py").write_text("")
    (package / "caller.py").write_text(
        textwrap.dedent(
            """
            from arubatheory.callee import inner
            from arubatheory.kernel import kernel

            @kernel
            def outer(x):
                return inner(x)
            """
        )
    )
    results = [_run_with_callee(tmp_path, factor) for factor in (2, 3, 2)]
    assert results == ["10.0 0", "15.0 0", "10.0 1"]


def _run_with_callee(root: Path, factor: int) -> str:
    text = f"from arubatheory.kernel import kernel\n\n@kernel\ndef inner(x):\n    return {factor} * x\n"
    (root / "arubatheory" / "callee.py").write_text(text)
    program = "from arubatheory.caller import outer; y = outer(5.0); print(y, sum(outer.stats.cache_hits.values()))"
    settings = {"ARUBATHEORY_CACHE": str(root / "cache"), "PYTHONPATH": str(root), "NUMBA_DISABLE_JIT": "0"}
    environment = {**os.environ, **settings}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
