"""What an experiment is, and how its units are computed: in processes, kept by seed, taken up again.

A unit is one seeded computation. Its arrays go to one npz file, whose name holds a digest of the unit and of the
sources that compute it: what is there is not computed again, and what was computed by other sources is not used.
"""

from __future__ import annotations

import hashlib
import importlib
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from practice.pictures import Picture
from practice.tables import Table

ROOT = Path(__file__).resolve().parents[1]
CPU = "cpu_seconds"
Arrays = dict[str, np.ndarray]


class Options(NamedTuple):
    """What a run is asked for: small sizes, and folders of the full collections instead of the packed data."""

    quick: bool = False
    shakespeare: str | None = None
    omniglot: str | None = None


class Unit(NamedTuple):
    """One seeded computation of the experiment of that name; `settings` are pairs of a name and a plain value."""

    experiment: str
    name: str
    seed: int
    settings: tuple[tuple[str, Any], ...] = ()

    def get(self, name: str) -> Any:
        """The value of a setting. Raises KeyError for one that the unit does not have."""
        return dict(self.settings)[name]


Results = dict[Unit, Arrays]


class Experiment(Protocol):
    """A module of this package that has these names.

    `units` may list units of other experiments, too: each is computed by the experiment that it names, and `tables` and
    `figures` get the results of all that are listed. `compute` is a function of its unit alone, so that the same seed
    gives the same numbers. `SOURCES` are the files, from the root of the tree, on which numbers depend.
    """

    SOURCES: tuple[str, ...]

    def units(self, options: Options) -> list[Unit]:
        """What is to be computed."""

    def compute(self, unit: Unit) -> Arrays:
        """The arrays of one unit."""

    def tables(self, results: Results) -> list[Table]:
        """The tables of docs/practice.md, by name."""

    def figures(self, results: Results) -> dict[str, Picture]:
        """The figures, by name."""


def experiment(name: str) -> Experiment:
    """The module of an experiment."""
    module: Any = importlib.import_module(f"practice.{name}")
    return module


@cache
def digest(name: str) -> str:
    """Of the sources that compute the units of an experiment."""
    held = hashlib.sha256()
    for source in experiment(name).SOURCES:
        held.update((ROOT / source).read_bytes())
    return held.hexdigest()


def place(unit: Unit, folder: Path) -> Path:
    """The file of a unit's arrays."""
    key = hashlib.sha256(f"{unit!r} {digest(unit.experiment)}".encode()).hexdigest()[:16]
    return folder / unit.experiment / f"{unit.name}-seed{unit.seed}-{key}.npz"


def stored(path: Path) -> Arrays | None:
    """The arrays of a file; None where there is no whole one."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
            return dict(held)
    except Exception:  # half a file, or none: it is computed anew
        return None


def computed(unit: Unit, folder: Path) -> Arrays:
    """Compute a unit and keep it, with the seconds of the processor that it took."""
    began = time.process_time()
    arrays = experiment(unit.experiment).compute(unit)
    arrays[CPU] = np.array(time.process_time() - began)
    path = place(unit, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    with draft.open("wb") as out:
        np.savez_compressed(out, **arrays)  # type: ignore[arg-type]  # its second argument is no array
    draft.replace(path)
    return arrays


def run(units: list[Unit], folder: Path, jobs: int = 1) -> Results:
    """The results of units, those that are not kept in `folder` computed in `jobs` processes, in the given order."""
    found = {unit: stored(place(unit, folder)) for unit in units}
    missing = [unit for unit, arrays in found.items() if arrays is None]
    for k, (unit, arrays) in enumerate(_computed(missing, folder, jobs)):
        found[unit] = arrays
        _say(unit, k + 1, len(missing))
    return {unit: arrays for unit, arrays in found.items() if arrays is not None}


def _computed(units: list[Unit], folder: Path, jobs: int) -> Iterator[tuple[Unit, Arrays]]:
    _say(None, 0, len(units))
    if jobs == 1 or len(units) < 2:
        yield from ((unit, computed(unit, folder)) for unit in units)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        futures = {pool.submit(computed, unit, folder): unit for unit in units}
        try:
            yield from ((futures[future], future.result()) for future in as_completed(futures))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


_BEGAN: list[float] = []


def _say(unit: Unit | None, done: int, units: int) -> None:
    """Progress with the time left, on stderr: one line that changes on a terminal, a line each elsewhere."""
    if unit is None or not _BEGAN:
        _BEGAN[:] = [time.monotonic()]
    if unit is None:
        return
    left = (time.monotonic() - _BEGAN[0]) / done * (units - done)
    bar = "#" * (20 * done // units)
    text = f"[{bar:20}] {done}/{units}  {left / 60:5.1f} min left  {unit.experiment} {unit.name} seed {unit.seed}"
    ends = "\n" if done == units or not sys.stderr.isatty() else "\r"
    print(f"{text[:110]:110}", end=ends, file=sys.stderr, flush=True)
