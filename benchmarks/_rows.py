"""Rows of a table: a call against what it is measured by, what is to be reached, and what was."""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

Peers = dict[str, Callable[[], Any]]


class Contest(NamedTuple):
    """Processor seconds and page faults of each call, of each sweep."""

    seconds: dict[str, list[float]]
    faults: dict[str, list[int]]


def sweeps_asked(description: str) -> int:
    """The one option of a benchmark: how often every peer has its turn, at least five times."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--sweeps", type=int, default=7)
    return max(int(parser.parse_args().sweeps), 5)


def contest(peers: Peers, sweeps: int = 5) -> Contest:
    """Every peer once in each sweep, in turn: a busy machine is busy for all. The first sweep does not count.

    All on one processor, where it can be chosen: a call that is played by two threads adds up what they wait for.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found = Contest({name: [] for name in peers}, {name: [] for name in peers})
    for sweep in range(sweeps + 1):
        for name, run in peers.items():
            before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_minflt, time.process_time()
            run()
            seconds = time.process_time() - begin
            if sweep:
                found.seconds[name].append(seconds)
                found.faults[name].append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    return found


def agree(name: str, one: Sequence[Any], two: Sequence[Any], tolerance: float = 1e-9) -> None:
    """Ends the benchmark where a contestant's answer differs."""
    for x, y in zip(one, two, strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance, err_msg=f"{name} computes something else")


def row(
    what: str, ours: str, others: Sequence[str], found: Contest, reach: float | None, *, faster: bool = False
) -> None:
    """Prints one row: median and spread, over the sweeps, of our time over the others' together, or (`faster`) of
    the inverse; without a `reach` it is there to compare with."""
    sums = [sum(found.seconds[other][i] for other in others) for i in range(len(found.seconds[ours]))]
    ratios = [b / a if faster else a / b for a, b in zip(found.seconds[ours], sums, strict=True)]
    middle = statistics.median(ratios)
    asked = "to compare"
    if reach is not None:
        verdict = "reached" if (middle >= reach if faster else middle <= reach) else "MISSED"
        asked = f"reach {'>=' if faster else '<='} {reach:g}x: {verdict}"
    versus = " + ".join(others)
    spread = f"{middle:6.2f}x [{min(ratios):.2f}..{max(ratios):.2f}]"
    faults = f"{statistics.median(found.faults[ours]):,.0f} page faults"
    print(f"{what:44s} {ours} / {versus}: {spread}, {asked}; {faults}", flush=True)
