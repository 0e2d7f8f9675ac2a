"""The store: what it keeps, what it refuses, and what it leaves alone."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from toy import verdict, witness

from arubatheory.engines.units import Unit
from arubatheory.engines.verdict import Status
from arubatheory.report.store import VERSION, Store, StoreError

UNIT = Unit("clm:scmin", "check", 150, 2**62 - 1)
SEEN = verdict("clm:scmin", Status.REFUTED, simplest=witness(), worst=witness(ratio=math.inf))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "store.sqlite"


def test_a_kept_unit_is_done_also_after_reopening(path: Path) -> None:
    with Store(path, "a") as store:
        assert store.done(UNIT) is None
        store.keep(UNIT, SEEN, 2.5)
        assert store.done(UNIT) == (SEEN, 2.5)
    with Store(path, "a") as store:
        assert store.done(UNIT) == (SEEN, 2.5)
        assert store.finished() == 1


@pytest.mark.parametrize("change", [{"label": "x"}, {"engine": "search"}, {"budget": 151}, {"seed": 3}])
def test_another_unit_is_not_done(path: Path, change: dict[str, object]) -> None:
    with Store(path, "a") as store:
        store.keep(UNIT, SEEN, 1.0)
        assert store.done(replace(UNIT, **change)) is None  # type: ignore[arg-type]


def test_other_sources_or_a_blind_run_are_another_unit(path: Path) -> None:
    with Store(path, "a") as store:
        store.keep(UNIT, SEEN, 1.0)
    for digest, blind in (("b", False), ("a", True)):
        with Store(path, digest, blind) as store:
            assert store.done(UNIT) is None
            store.keep(UNIT, SEEN, 1.0)
    with Store(path, "a") as store:
        assert store.finished() == 3


def test_a_unit_that_ends_at_its_first_violation_is_no_blind_one(path: Path) -> None:
    with Store(path, "a") as store:
        store.keep(replace(UNIT, first=True), SEEN, 1.0)
    with Store(path, "a", blind=True) as store:
        assert store.done(UNIT) is None


def test_an_error_is_never_done(path: Path) -> None:
    with Store(path) as store:
        store.keep(UNIT, verdict("clm:scmin", Status.ERROR, error="x"), 1.0)
        assert store.done(UNIT) is None
        assert store.finished() == 0
        store.keep(UNIT, SEEN, 1.0)
        assert store.done(UNIT) == (SEEN, 1.0)


def test_a_fresh_run_ignores_and_overwrites(path: Path) -> None:
    with Store(path) as store:
        store.keep(UNIT, SEEN, 1.0)
    with Store(path, fresh=True) as store:
        assert store.done(UNIT) is None
        store.keep(UNIT, SEEN, 9.0)
    with Store(path) as store:
        assert store.done(UNIT) == (SEEN, 9.0)


def test_the_latest_outcome_of_a_statement(path: Path) -> None:
    with Store(path, "a") as store:
        assert store.latest("clm:scmin") is None
        store.settle(SEEN)
        store.settle(replace(SEEN, trials=5))
        assert store.latest("clm:scmin") == (replace(SEEN, trials=5), "a")


def test_a_blind_run_settles_nothing(path: Path) -> None:
    with Store(path, "a", blind=True) as store:
        store.settle(SEEN)
        assert store.latest("clm:scmin") is None
    with Store(path, "a") as store:
        store.settle(SEEN)
    with Store(path, "a", blind=True) as store:
        store.settle(replace(SEEN, status=Status.SURVIVED))
    with Store(path, "a") as store:
        assert store.latest("clm:scmin") == (SEEN, "a")


def test_a_blind_outcome_of_an_older_store_is_not_shown(path: Path) -> None:
    with Store(path, "a") as store:
        store.settle(SEEN)
    db = sqlite3.connect(path)
    with db:
        db.execute("UPDATE outcome SET blind = 1")
    db.close()
    with Store(path, "a") as store:
        assert store.latest("clm:scmin") is None


@pytest.mark.parametrize(
    "content", [b"this is not a database, whatever its name says" * 40, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_corrupt_store_is_named_and_left_as_it_is(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"the store .*store\.sqlite cannot be used: .*; move it away and run again"):
        Store(path)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_a_damaged_store_is_named_and_left_as_it_is(path: Path) -> None:
    with Store(path) as store:
        for k in range(200):
            store.keep(replace(UNIT, seed=k), SEEN, 1.0)
    content = path.read_bytes()
    damaged = content[:8192] + b"\xff" * 4096 + content[12288:]
    path.write_bytes(damaged)
    with pytest.raises(StoreError, match=r"store\.sqlite cannot be used"):
        Store(path)
    assert path.read_bytes() == damaged


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    path.parent.mkdir()
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE mine (x)")
    db.close()
    with pytest.raises(StoreError, match="it is a database of another program"):
        Store(path)


def test_another_version_is_refused(path: Path) -> None:
    Store(path).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()
    with pytest.raises(StoreError, match=f"it has version {VERSION + 1}, this program reads version {VERSION}"):
        Store(path)


def test_an_unreadable_verdict_is_named(path: Path) -> None:
    with Store(path) as store:
        store.keep(UNIT, SEEN, 1.0)
    db = sqlite3.connect(path)
    with db:
        db.execute("UPDATE unit SET verdict = '{}'")
    db.close()
    with Store(path) as store, pytest.raises(StoreError, match="the stored verdict of clm:scmin cannot be read"):
        store.done(UNIT)


def test_a_folder_in_the_way_is_named(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot be used"):
        Store(path)
