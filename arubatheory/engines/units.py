r"""What a process does at a stretch: one engine's run of fixed budget on one statement.

Its seed is derived from the seed of the whole, the label, the engine and its place in the split, so units are
independent and may run in any order.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from arubatheory.engines.verdict import Verdict, failure
from arubatheory.engines.witness_files import certified_again
from arubatheory.problems.signatures import typed
from arubatheory.statements.core import Statement
from arubatheory.statements.effort import ENGINES, Effort, check_engines, fits, starts

RECORD = "witness"  # the engine of what is on record
PROOFS, WITNESSES = 0, 1  # its shards
CERTIFICATES = "certificates"  # the folder of those on record
ELSEWHERE = {"prove": "arubatheory.prove.engine"}  # engines that stand on others


@dataclass(frozen=True)
class Unit:
    """One engine's run of `budget` evaluations on one statement from one seed: the `shard`-th, counted from 0. `first`:
    it ends at its first certified violation. `files` are witnesses on record, or (the shard `PROOFS`) certificates,
    which `RECORD` looks at again."""

    label: str
    engine: str
    budget: int
    seed: int
    shard: int = 0
    first: bool = False
    files: tuple[Path, ...] = ()


def derived_seed(*parts: object) -> int:
    """A seed of 62 bits from the parts: independent streams for independent units."""
    return int.from_bytes(hashlib.sha256(json.dumps([str(p) for p in parts]).encode()).digest()[:8], "big") >> 2


@typed
def units_of(statement: Statement, effort: Effort) -> Iterator[Unit]:
    """The units of one statement, each made when it is asked for: the budget of each engine that it allows, in parts
    that depend on nothing else."""
    check_engines(effort.engines)
    label, split = statement.label, {e: starts(effort.budget, e) for e in effort.engines if fits(e, statement.engines)}
    first = {e: effort.first and ENGINES[e].goes_on for e in split}
    return (
        Unit(label, e, min(start + p.step, p.stop) - (k and start), derived_seed(effort.seed, label, e, k), k, first[e])
        for e, p in split.items()
        for k, start in enumerate(p)
    )


def engine_of(name: str) -> Callable[..., Verdict]:
    """The function of an engine: (statement, budget, seed) -> verdict; one that `goes_on` takes `first`, too."""
    home = ELSEWHERE.get(name, f"arubatheory.engines.{name}")
    function: Callable[..., Verdict] = getattr(importlib.import_module(home), name)
    return function


def run_unit(statement: Statement, unit: Unit) -> tuple[Verdict, float]:
    """One unit, timed; whatever is raised becomes an ERROR verdict, a statement's call of sys.exit too."""
    start = time.perf_counter()
    try:
        verdict = _verdict(statement, unit)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        verdict = failure(statement.label, unit.engine, unit.seed, unit.budget, error)
    return verdict, time.perf_counter() - start


def _verdict(statement: Statement, unit: Unit) -> Verdict:
    """What an engine says; or what the witnesses on record say, or the certificates, looked at again."""
    if unit.engine != RECORD:
        return engine_of(unit.engine)(statement, unit.budget, unit.seed, **({"first": True} if unit.first else {}))
    if unit.shard == WITNESSES:
        return certified_again(statement, unit.files)
    proved: Verdict = importlib.import_module(ELSEWHERE["prove"]).proved_again(statement, unit.files)
    return proved
