r"""Processor seconds of a fresh process that plays `greedy_ogd` once, import included: cached, and nothing compiled.

python benchmarks/start.py [--sweeps N]
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile

import numpy as np
from _rows import agree

CODE = """
import numpy as np
from arubatheory.learners import greedy_ogd
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import losses
print(*greedy_ogd(losses("linear", np.ones((5, 3))), ball(np.zeros(3), 1.0), np.zeros(3), 0.1).values)
"""
EXPECTED = np.maximum(-0.3 * np.arange(5), -np.sqrt(3))


def seconds(folder: str) -> float:
    """Of one process, with its compiled kernels in a folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        check=True,
        env={**os.environ, "ARUBATHEORY_CACHE": folder},
        stdout=subprocess.PIPE,
    )
    agree("the definition", [np.array(done.stdout.split(), np.float64)], [EXPECTED])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(name: str, found: list[float], reach: float) -> None:
    """Prints one row."""
    middle = statistics.median(found)
    verdict = "reached" if middle <= reach else "MISSED"
    print(f"{name}: {middle:.2f} s [{min(found):.2f}..{max(found):.2f}], reach <= {reach} s: {verdict}", flush=True)


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description="a fresh process")
    parser.add_argument("--sweeps", type=int, default=5)
    sweeps = max(parser.parse_args().sweeps, 1)
    cold, cached = [], []
    for _ in range(sweeps):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(seconds(folder))
            cached.append(seconds(folder))
    report("greedy_ogd, cached", cached, 0.9)
    report("greedy_ogd, cold", cold, 3)


if __name__ == "__main__":
    main()
