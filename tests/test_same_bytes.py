"""The same verdicts and the same bytes: for any number of jobs, order, hash seed and folder; compiled or not, up to the
last place of floats. docs/howto/campaign.md promises it; `python -m tests.compat` tries other interpreters."""

from __future__ import annotations

import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from arubatheory.engines.evaluation import TIE, rounded
from arubatheory.engines.search import search
from arubatheory.kernel import compiled
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Instance, Sides, Statement
from tests.evidence import CHEAP, ROOT, TOYS, certified, differences, said

BUDGET = 60


def campaign(folder: Path, what: str, jobs: int, hash_seed: str, file: Path = TOYS, package: Path = ROOT) -> Any:
    """What a campaign over the toys or the paper leaves in a folder, and what it prints: by name, without seconds."""
    folder.mkdir(parents=True)
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(package)}
    command = [sys.executable, "-m", "arubatheory", "verify", "--json", "--budget", str(BUDGET), "--jobs", str(jobs)]
    command += ["--file", str(file)] if what == "toys" else ["--engine", "check,search", *CHEAP]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.stdout and "Traceback" not in done.stderr, done.stderr
    left: dict[str, Any] = {path.name: path.read_bytes() for path in sorted(folder.glob(".cache/witnesses/*"))}
    printed = [_timeless(line) for line in done.stdout.splitlines()]
    return {**left, "store": _stored(folder / ".cache" / "arubatheory.sqlite"), "printed": printed}


def unlike(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """The names under which two campaigns left different things; the things themselves are long."""
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]


def _timeless(text: str) -> str:
    return json.dumps({k: v for k, v in json.loads(text).items() if "second" not in k})


def _stored(path: Path) -> list[Any]:
    columns = "label, engine, budget, seed, digest, blind, status, verdict"
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute(f"SELECT {columns} FROM unit ORDER BY label, engine, budget, seed").fetchall()
    return [(*row[:-1], _timeless(row[-1])) for row in rows]


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("one")
    return {what: campaign(folder / what, what, 1, "0") for what in ("toys", "paper")}


def test_the_reference_has_something_to_compare(reference: dict[str, Any]) -> None:
    seen = [json.loads(line) for left in reference.values() for line in left["printed"]]
    assert {row["label"] for row in seen} >= {*CHEAP, "toy:means"}
    assert {row["status"] for row in seen} == {"REFUTED", "SURVIVED", "IDLE", "ERROR"}
    assert len([name for left in reference.values() for name in left if name.endswith("-simplest.json")]) >= 3


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A copy of the user's file, and of the package."""
    folder = tmp_path_factory.mktemp("packages of mine")
    shutil.copytree(ROOT / "arubatheory", folder / "arubatheory", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(TOYS, folder / TOYS.name)
    return folder / TOYS.name, folder


@pytest.mark.parametrize(
    ("what", "jobs", "hash_seed", "copied"),
    [("paper", 2, "1", True), ("toys", 3, "4294967295", True), ("toys", 5, "random", False)],
)
def test_jobs_hash_seed_and_places_leave_every_byte(
    tmp_path: Path, what: str, jobs: int, hash_seed: str, copied: bool, elsewhere: Any, reference: dict[str, Any]
) -> None:
    places = elsewhere if copied else (TOYS, ROOT)
    left = campaign(tmp_path / "a folder" / "elsewhere", what, jobs, hash_seed, *places)
    assert unlike(left, reference[what]) == []


@pytest.fixture(scope="module")
def here() -> dict[str, Any]:
    """What is said in this process, in the order of the statements."""
    return said(CHEAP, BUDGET)


def test_the_order_of_units_leaves_every_byte(here: dict[str, Any]) -> None:
    assert differences(here, said(CHEAP, BUDGET, shuffled=1)) == []


def test_compiled_or_not_the_verdicts_agree_up_to_the_last_place(here: dict[str, Any]) -> None:
    flag = {"NUMBA_DISABLE_JIT": "1" if compiled() else "0"}
    command = [sys.executable, "-m", "tests.evidence", "--budget", str(BUDGET)]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **flag}, capture_output=True, text=True, check=True)
    assert differences(here, json.loads(done.stdout)["said"], floats=True) == []


def test_witnesses_on_record_are_certified_again_byte_by_byte() -> None:
    found = certified(every=30)
    assert len(found) > 8 and {name: True for name in found} == {name: seen["agrees"] for name, seen in found.items()}


# what counts as a difference ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", "SURVIVED"),
        ("trials", -1),
        ("ties", -1),
        ("kind", "?"),
        ("simplest", None),
        ("worst_ratio", 1.0),
        ("reach", {}),
    ],
)
def test_what_is_promised_is_a_difference(here: dict[str, Any], field: str, value: Any) -> None:
    changed = deepcopy(here)
    changed["toy:too-strong check"][field] = value
    for floats in (False, True):
        found = differences(here, changed, floats)
        assert len(found) == 1 and found[0].startswith(f"toy:too-strong check: {field} ")


def test_the_last_place_is_none_where_floats_are_compared(here: dict[str, Any]) -> None:
    changed = deepcopy(here)
    survivor = changed["toy:means search"]
    survivor["worst_ratio"] *= 1 - 2.0**-50
    survivor["histogram"][3] += 1
    survivor["worst"]["lhs"] = "0"
    survivor["reach"]["climbs"] = [0.5]
    assert differences(here, changed, floats=True) == []
    assert len(differences(here, changed)) == 4
    survivor["reach"]["by_size"] = {"n": [[1, 0.5]]}
    assert len(differences(here, changed, floats=True)) == 1


def test_a_unit_that_is_missing_is_a_difference(here: dict[str, Any]) -> None:
    assert differences(here, {}) == sorted(here)


def _summed(backwards: bool) -> Statement:
    """Letters of some rows, summed in one order or the other: many games differ in the last place alone."""

    def instance(draw: Draw) -> Instance:
        return Instance(parts=[draw.number(draw.integer(1, 9), 7) for _ in range(draw.size("T", 6))])

    def sides(x: Instance) -> Sides:
        parts = [v * (2 - v) for v in x.parts[:: -1 if backwards else 1]]
        return Sides(sum(parts), 2 * len(parts))

    return Statement("toy:summed", "claim", r"a\le b", instance, sides)


def test_where_a_search_goes_does_not_hang_on_the_last_place_of_floats():
    for seed in range(4):
        found = [search(_summed(backwards), 400, seed) for backwards in (False, True)]
        one, other = ({"summed": v.to_json() | {"seconds": 0, "digest": ""}} for v in found)
        assert not differences(one, other, floats=True)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_rounded_badness_is_within_a_tie_and_keeps_the_order(a, b):
    assert abs(rounded(a) - a) <= TIE * abs(a)
    assert rounded(a) <= rounded(b) or a > b
    assert rounded(math.inf) == math.inf
