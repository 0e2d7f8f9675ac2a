r"""How many instances search evaluates a second on thm:ftrlomd, and where the time goes.

    python benchmarks/search.py [--evaluations N] [--repetitions N]

An evaluation draws an instance (m <= 6 rounds, d <= 3; FTRL: m <= 4), checks the margins of its assumptions, computes
both sides and records the comparison; half of them are random, half are asked for by the evolution strategy. The time
is that of whole calls of `search`, certificates of exact arithmetic included, after a warm-up that compiles. With two
processes each has a shard and a seed of its own, and both are timed from the moment at which both are warm.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402  (it reads the variables when it is first imported)

from arubatheory import PAPER  # noqa: E402
from arubatheory.engines.search import search  # noqa: E402
from arubatheory.problems.draw import RandomDraw  # noqa: E402
from arubatheory.statements.core import Statement, all_sides  # noqa: E402

EVALUATIONS = {"thm:ftrlomd/omd": 40_000, "thm:ftrlomd/ftrl": 2_000}
TARGETS = {("thm:ftrlomd/omd", 2): 20_000.0}
WARM_UP, PARTS = 2_000, 2_000


def statement(label: str) -> Statement:
    """The paper's statement with this label."""
    return next(s for s in PAPER if s.label == label)


def shard(label: str, evaluations: int, seed: int, ready: Barrier, seconds: Any) -> None:
    """One process: warm up, wait for the others, search, and report wall and processor time."""
    tried = statement(label)
    search(tried, WARM_UP, 0)
    ready.wait()
    wall, busy = time.perf_counter(), time.process_time()
    search(tried, evaluations, seed)
    seconds.put((time.perf_counter() - wall, time.process_time() - busy))


def rates(label: str, evaluations: int, processes: int, seed: int) -> tuple[float, float]:
    """Evaluations per second of wall time (all processes together), and per second of processor time and process."""
    context = get_context("spawn")
    ready, seconds = context.Barrier(processes), context.SimpleQueue()
    workers = [
        context.Process(target=shard, args=(label, evaluations, seed + k, ready, seconds)) for k in range(processes)
    ]
    for worker in workers:
        worker.start()
    found = [seconds.get() for _ in workers]
    for worker in workers:
        worker.join()
    total = evaluations * processes
    return total / max(wall for wall, _ in found), total / sum(busy for _, busy in found)


def parts(label: str, evaluations: int) -> dict[str, float]:
    """Microseconds of processor time per evaluation: the whole search, and its parts on random instances."""
    tried, rng, words = statement(label), np.random.default_rng(0), []  # type: ignore[var-annotated]
    search(tried, WARM_UP, 0)

    def timed(job: Callable[[], Iterable[Any]], n: int) -> float:
        start = time.process_time()
        for _ in job():
            pass
        return (time.process_time() - start) / n * 1e6

    with np.errstate(all="ignore"):
        n = min(PARTS, evaluations)
        instances = [tried.instance(RandomDraw(rng, words)) for _ in range(n)]
        return {
            "whole": timed(lambda: [search(tried, evaluations, 1)], evaluations),
            "instance": timed(lambda: (tried.instance(RandomDraw(rng, words)) for _ in range(n)), n),
            "sides": timed(lambda: (all_sides(tried, x) for x in instances), n),
            "margins": timed(lambda: (a.margin(x) for x in instances for a in tried.assumptions), n),
        }


def show_parts(label: str, evaluations: int) -> None:
    """The shares of the parts, and of the rest: recording, climbing, exact arithmetic."""
    found = parts(label, evaluations)
    whole = found.pop("whole")
    found["the rest"] = whole - sum(found.values())
    shares = ", ".join(f"{name} {microseconds / whole:.0%}" for name, microseconds in found.items())
    print(f"{label:18s} {whole:8.1f} us an evaluation: {shares}")


def main() -> int:
    """Print the rates and the shares; the exit code is 0 whatever they are, for times do not travel."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, help="evaluations of each process (40,000; FTRL 2,000)")
    parser.add_argument("--repetitions", type=int, default=3)
    given = parser.parse_args()
    for name in ("evaluations", "repetitions"):
        if getattr(given, name) is not None and getattr(given, name) < 1:
            parser.error(f"{name} must be >= 1, got {getattr(given, name)}")
    for label, standard in EVALUATIONS.items():
        evaluations = given.evaluations or standard
        for processes in (1, 2):
            runs = [rates(label, evaluations, processes, 10 * k + 1) for k in range(given.repetitions)]
            wall, busy = (statistics.median(column) for column in zip(*runs, strict=True))
            target = TARGETS.get((label, processes))
            aim = f"   target {target:,.0f}" if target else ""
            print(
                f"{label:18s} {processes} process(es): {wall:8,.0f} evaluations/s"
                f"   ({busy:,.0f} per second of processor time and process){aim}"
            )
        show_parts(label, evaluations)
    return 0


if __name__ == "__main__":
    sys.exit(main())
