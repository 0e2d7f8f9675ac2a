r"""Finished units of work in one SQLite file, so that a campaign may be killed at any moment and run again.

A unit is one engine on one statement. Each finished unit is one transaction of the parent process: after `kill -9`
nothing finished is done twice, and nothing half-done counts. The key holds everything that a verdict depends on:
label, engine, budget, seed, the digest of the sources, and whether stored witnesses were ignored (`blind`: 1; 2 more
where the unit ended at its first violation). An ERROR is kept to be shown, but never counts as done.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

from arubatheory.engines.units import Unit
from arubatheory.engines.verdict import Status, Verdict
from arubatheory.engines.witness_files import verdict_of
from arubatheory.statements.effort import Effort
from arubatheory.statements.untrusted import check, parse_json

APPLICATION = 0x41525542  # "ARUB"
VERSION = 1
SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS unit (
    label TEXT NOT NULL, engine TEXT NOT NULL, budget INTEGER NOT NULL, seed INTEGER NOT NULL,
    digest TEXT NOT NULL, blind INTEGER NOT NULL,
    status TEXT NOT NULL, seconds REAL NOT NULL, verdict TEXT NOT NULL,
    PRIMARY KEY (label, engine, budget, seed, digest, blind)
);
CREATE TABLE IF NOT EXISTS outcome (
    label TEXT PRIMARY KEY, digest TEXT NOT NULL, blind INTEGER NOT NULL, verdict TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS endless (
    label TEXT NOT NULL, effort TEXT NOT NULL, digest TEXT NOT NULL, seeds INTEGER NOT NULL, verdict TEXT NOT NULL,
    PRIMARY KEY (label, effort, digest)
);
CREATE INDEX IF NOT EXISTS unit_status ON unit (status);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
COMMIT;
"""
COUNT = "SELECT count(*) FROM sqlite_master"
WHOLE = 1 << 26  # bytes of a store that is read through before it is used
KEY = "label = ? AND engine = ? AND budget = ? AND seed = ? AND digest = ? AND blind = ?"


class StoreError(RuntimeError):
    """The store cannot be used; the message names the file, which is left as it is."""


class Store(AbstractContextManager["Store"]):
    """The verdicts of finished units in the file `path`, for runs with this `digest` and `blind`.

    With `fresh`, stored verdicts are ignored and overwritten. Raises StoreError, naming the file, for a file that is
    corrupt, is not a store, or cannot be written.
    """

    def __init__(self, path: Path, digest: str = "", blind: bool = False, fresh: bool = False) -> None:
        self.path, self.digest, self.blind, self.fresh = Path(path), digest, blind, fresh
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _inspect(self.path)
            self._db = _connect(self.path)
        except (sqlite3.Error, OSError) as error:
            raise _failed(self.path, error) from error

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; it may be opened again."""
        self._db.close()

    def done(self, unit: Unit) -> tuple[Verdict, float] | None:
        """The stored verdict of a unit and its seconds; None if it must run: new, ended in an ERROR, or a fresh run."""
        if self.fresh:
            return None
        query = f"SELECT verdict, seconds FROM unit WHERE {KEY} AND status != ?"
        rows = self._rows(query, (*self._key(unit), Status.ERROR.value))
        return self._read(float, unit.label, *rows[0]) if rows else None

    def keep(self, unit: Unit, verdict: Verdict, seconds: float) -> None:
        """Store the verdict of a finished unit, in one transaction."""
        columns = "label, engine, budget, seed, digest, blind, status, seconds, verdict"
        values = (*self._key(unit), verdict.status.value, seconds, json.dumps(verdict.to_json()))
        self._rows(f"INSERT OR REPLACE INTO unit ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)

    def settle(self, verdict: Verdict, under: str = "") -> None:
        """Store what all units of a finished run say of one statement together: what `show` and `report` read; those of
        a user's file `under` a name of its own.

        A blind run settles nothing: what is known of a statement is what stands with its stored witnesses.
        """
        if self.blind:
            return
        values = (f"{under}{verdict.label}", self.digest, json.dumps(verdict.to_json()))
        self._rows("INSERT OR REPLACE INTO outcome (label, digest, blind, verdict) VALUES (?, ?, 0, ?)", values)

    def latest(self, label: str, under: str = "") -> tuple[Verdict, str] | None:
        """The verdict of the last finished run of a statement that was not blind, and its digest."""
        rows = self._rows("SELECT verdict, digest FROM outcome WHERE label = ? AND blind = 0", (f"{under}{label}",))
        return self._read(str, label, *rows[0]) if rows else None

    def so_far(self, label: str, effort: Effort) -> tuple[Verdict, int] | None:
        """What seed after seed has said of a statement, and how many seeds that were; None in a fresh run."""
        if self.fresh:
            return None
        query = "SELECT verdict, seeds FROM endless WHERE label = ? AND effort = ? AND digest = ?"
        rows = self._rows(query, (label, json.dumps(effort), self.digest))
        return self._read(int, label, *rows[0]) if rows else None

    def go_on(self, verdict: Verdict, effort: Effort, seeds: int, done: Iterable[Unit]) -> None:
        """Store what so many seeds have said of a statement, in one transaction; the units of the last are forgotten,
        as it holds what they have found."""
        values = (verdict.label, json.dumps(effort), self.digest, seeds, json.dumps(verdict.to_json()))
        self._rows("BEGIN", ())
        self._rows("REPLACE INTO endless (label, effort, digest, seeds, verdict) VALUES (?, ?, ?, ?, ?)", values)
        for unit in done:
            self._rows(f"DELETE FROM unit WHERE {KEY}", self._key(unit))
        self._rows("COMMIT", ())

    def finished(self) -> int:
        """How many units are stored that count as done."""
        return int(self._rows("SELECT count(*) FROM unit WHERE status != ?", (Status.ERROR.value,))[0][0])

    def _key(self, unit: Unit) -> tuple[Any, ...]:
        return unit.label, unit.engine, unit.budget, unit.seed, self.digest, self.blind + 2 * unit.first

    def _rows(self, query: str, values: Iterable[Any]) -> list[Any]:
        try:
            return self._db.execute(query, tuple(values)).fetchall()
        except (sqlite3.Error, OverflowError) as error:  # an integer of more than 64 bits is none of SQLite's
            raise _failed(self.path, error) from error

    def _read(self, kind: type, label: str, text: Any, beside: Any) -> tuple[Verdict, Any]:
        """The verdict of a row, and what stands in the column beside it, a value of this kind."""
        try:
            check(text, str, "verdict")
            check(beside, kind, {float: "seconds", int: "seeds", str: "digest"}[kind])
            return verdict_of(parse_json(text), label), beside
        except (ValueError, RecursionError) as error:
            raise _unusable(self.path, f"the stored verdict of {label} cannot be read ({error})") from error


def _unusable(path: Path, reason: str, advice: str = "move it away") -> StoreError:
    return StoreError(f"the store {path} cannot be used: {reason}; {advice} and run again")


def _failed(path: Path, error: Exception) -> StoreError:
    """What is said where a file that may be in order cannot be read or written."""
    full = getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
    return _unusable(path, str(error), "make room on the disk") if full else _unusable(path, str(error))


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=30, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.executescript(SCHEMA)
    except sqlite3.Error:
        db.close()
        raise
    return db


def _inspect(path: Path) -> None:
    """Look at an existing file without writing to it: a corrupt or foreign one must stay as it is.

    Of a large one, only the verdicts of statements are read through; a damaged unit is found when it is asked for.
    """
    if not path.exists() or path.stat().st_size == 0:
        return
    asked = ("PRAGMA application_id", "PRAGMA user_version", COUNT)
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=30)) as db:
        application, version, tables = (db.execute(query).fetchone()[0] for query in asked)
        if tables and application != APPLICATION:
            raise _unusable(path, "it is a database of another program")
        if tables and version != VERSION:
            raise _unusable(path, f"it has version {version}, this program reads version {VERSION}")
        part = "1" if path.stat().st_size <= WHOLE else "outcome"
        verdict = db.execute(f"PRAGMA quick_check({part})").fetchone()[0]
    if verdict != "ok":
        raise _unusable(path, f"it is damaged ({verdict})")
