"""Compiled and pure versions of one source."""

from __future__ import annotations

import ast
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest

from arubatheory import kernel as kernels
from arubatheory.arithmetic import Exact, exact
from arubatheory.kernel import apart, borrowing, kernel, on, pure, standing


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


class Pair(NamedTuple):
    x: np.ndarray
    y: np.ndarray


@borrowing
def scaled_into(pair, factor):
    for j in range(pair.x.shape[0]):
        pair.y[j] = factor * pair.x[j]
    return pair.y[1]


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


@standing
def rooted(x):
    if x < 0:
        raise ValueError("below 0", x)
    return np.sqrt(x)


@kernel
def rooted_within(x):
    return rooted(x)


@kernel
def rooted_twice(x):
    return rooted_within(rooted(x))


@pytest.mark.skipif(not kernels.compiled(), reason="nothing is compiled")
def test_a_standing_kernel_is_machine_code_that_kernels_call_and_others_are_part_of_theirs(monkeypatch, tmp_path):
    monkeypatch.setenv("ARUBATHEORY_CACHE", str(tmp_path))  # what is read from disk has compiled no part
    assert rooted_twice(16.0) == 2
    with pytest.raises(ValueError) as raised:
        rooted_twice(-1.0)
    assert raised.value.args == ("below 0", -1.0)
    assert (len(rooted.overloads), len(rooted_within.overloads), len(rooted_within.part.overloads)) == (1, 0, 1)
    assert rooted_within(4.0) == 2 and len(rooted_within.overloads) == 1
    name = next(iter(rooted.overloads.values())).fndesc.mangled_name
    modules = [k.overloads[k.signatures[0]].library._final_module for k in (rooted_twice, rooted_within)]
    asked = [[f.is_declaration for f in module.functions if f.name == name] for module in modules]
    assert asked == [[True], [True]]


@kernel
def assigned(x, y):
    x[1:] = y


@pytest.mark.skipif(not kernels.compiled(), reason="nothing is compiled")
def test_a_slice_refuses_another_shape_in_few_words_and_outside_of_kernels_in_those_of_numba():
    with pytest.raises(ValueError, match=r"^cannot assign to a slice from an array of another shape$"):
        assigned(np.zeros(4), np.zeros(2))
    with pytest.raises(ValueError, match=r"^cannot assign slice of shape \(\d,\) from input of shape \(\d,\)$"):
        numba.njit(assigned.py_func)(np.zeros(4), np.zeros(2))


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


def test_the_users_cache_setting_is_left_alone():
    before = kernels.config.CACHE_DIR
    kernel(lambda x: x)
    assert kernels.config.CACHE_DIR == before


def _decorated(source: str) -> dict[str, ast.FunctionDef]:
    return {f.name: f for f in ast.parse(source).body if isinstance(f, ast.FunctionDef) and f.decorator_list}


def _marks(f: ast.FunctionDef) -> set[str]:
    return {getattr(x, "id", getattr(getattr(x, "func", None), "id", "")) for x in f.decorator_list}


def _can_leak(sources: dict[str, str]) -> list[str]:
    """Calls in borrowing kernels of kernels that may return an array: neither borrowing themselves nor twins of
    numbers only."""
    known = {name: _decorated(text) for name, text in sources.items()}
    found = []
    for module, text in sources.items():
        names = dict(known[module])
        for line in (x for x in ast.walk(ast.parse(text)) if isinstance(x, ast.ImportFrom)):
            there = known.get(line.module or "", {})
            names |= {x.asname or x.name: there[x.name] for x in line.names if x.name in there}
        for f in (f for f in known[module].values() if {"borrowing", "apart"} & _marks(f)):
            called = {getattr(x.func, "id", "") for x in ast.walk(f) if isinstance(x, ast.Call)} & set(names)
            found += [f"{module}.{f.name}: {c}" for c in sorted(called) if not _returns_numbers(names[c])]
    return found


def _returns_numbers(f: ast.FunctionDef) -> bool:
    of_arrays = any("Array" in ast.unparse(x.annotation) for x in f.args.args if x.annotation)
    return bool({"borrowing", "apart"} & _marks(f)) or ("twin" in _marks(f) and not of_arrays)


def _sources() -> dict[str, str]:
    root = Path(kernels.__file__).parent
    files = root.rglob("*.py")
    return {".".join(("arubatheory", *f.relative_to(root).with_suffix("").parts)): f.read_text() for f in files}


def test_a_borrowing_kernel_calls_none_that_returns_an_array():
    assert _can_leak(_sources()) == []


def test_a_leak_would_be_seen():
    text = "@kernel\ndef make(x: Array) -> Array: ...\n@borrowing\ndef use(x: Array) -> Any:\n    return make(x)[0]\n"
    assert _can_leak({"m": text}) == ["m.use: make"]
    assert _can_leak({"m": text.replace("@borrowing", "@apart")}) == ["m.use: make"]


@pytest.mark.parametrize("made", [scaled_into, apart(pure(scaled_into))], ids=["borrowing", "apart"])
def test_a_borrowing_kernel_has_the_same_values_in_every_arithmetic(made):
    for x in (np.array([3.0, 4.0]), exact(np.array([3.0, 4.0]))):
        y = x.copy()
        assert on(made, x)(Pair(x, y), x[0]) == 12
        assert y.tolist() == [9, 12]


def test_a_borrowing_kernel_cannot_make_an_array():
    @borrowing
    def sum_of_copy(x):
        return x.copy()[0]

    if kernels.compiled():
        with pytest.raises(Exception, match="NRT required"):
            sum_of_copy(np.zeros(2))
