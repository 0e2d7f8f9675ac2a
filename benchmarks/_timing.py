"""How the benchmarks here take time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any


def measure(peers: dict[str, Callable[[], Any]], repetitions: int) -> dict[str, float]:
    """Median seconds of each peer; the repetitions are interleaved so that a busy machine is busy for all."""
    times: dict[str, list[float]] = {name: [] for name in peers}
    for _ in range(repetitions):
        for name, run in peers.items():
            begin = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(t) for name, t in times.items()}
