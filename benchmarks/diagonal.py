r"""Algorithm 2 on d = 10^7 parameters in float32: bytes a coordinate, time against a copy of memory, peak memory.

    python benchmarks/diagonal.py [--size D] [--repetitions N]

Every call does a few operations a coordinate, so that memory is what bounds it. "bytes" is what the call has to read
and write a coordinate (caches ignored), checks of the input included; the copy moves 8 (it reads 4 and writes 4), and
"of copy" is bytes a second against the copy's in the same run. The peers in numpy do the same job in the
straightforward way, unchecked: `g += x * x`. Peak memory is what numpy allocates on behalf of the learner, by
tracemalloc, beside the caller's own four arrays. Repetitions are interleaved, medians are compared.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from _rows import agree
from _timing import measure

from arubatheory.arithmetic import Array
from arubatheory.learners.algorithm2 import Aruba, Isotropic, add_squares, rates_of

BYTES = 4  # of a float32


class Buffers:
    """What a training loop of one's own holds anyway: a start, an end, a gradient, rates."""

    def __init__(self, d: int) -> None:
        rng = np.random.default_rng(0)
        self.initial = rng.standard_normal(d, dtype=np.float32)
        self.final = rng.standard_normal(d, dtype=np.float32)
        self.gradient = rng.standard_normal(d, dtype=np.float32)
        self.eta = np.zeros(d, np.float32)


def numpy_end(b: Array, g: Array, initial: Array, final: Array) -> None:
    """The last two lines of Algorithm 2 as one writes them in numpy."""
    b += np.float32(0.5) + (initial - final) ** 2 / 2
    g += np.float32(0.5)


def rows(x: Buffers) -> dict[str, tuple[int, Callable[[], Any], Callable[[], Any] | None]]:
    """Name -> (arrays read or written a coordinate, ours, numpy's)."""
    ready, running, isotropic = Aruba(x.initial), Aruba(x.initial), Isotropic(x.initial)
    b, g = np.ones_like(x.initial), np.ones_like(x.initial)
    running.start(out=x.eta)
    isotropic.start()
    one = np.float32(1)

    def task() -> None:
        ready.start(out=x.eta)
        ready.see(x.gradient)
        ready.end(x.initial, x.final)

    def numpy_see() -> None:
        np.add(g, x.gradient * x.gradient, out=g)

    def numpy_task() -> None:
        x.eta[:] = np.sqrt(b / g)
        numpy_see()
        numpy_end(b, g, x.initial, x.final)

    return {
        "rates, kernel": (3, lambda: rates_of(b, g, x.eta), lambda: np.copyto(x.eta, np.sqrt(b / g))),
        "see, kernel": (3, lambda: add_squares(g, x.gradient, one), numpy_see),
        "see": (4, lambda: running.see(x.gradient), numpy_see),
        "see, isotropic": (1, lambda: isotropic.see(x.gradient), lambda: float(x.gradient @ x.gradient)),
        "a task of one step": (15, task, numpy_task),
    }


def compare(x: Buffers) -> None:
    """Ends the benchmark where a task of two steps is not what numpy makes of it."""
    learner, b, g = Aruba(x.initial), np.ones_like(x.initial), np.ones_like(x.initial)
    learner.start(out=x.eta)
    agree("numpy's first rates", [x.eta], [np.sqrt(b / g)], 1e-6)
    for _ in range(2):
        learner.see(x.gradient)
        g += x.gradient * x.gradient
    learner.end(x.initial, x.final)
    numpy_end(b, g, x.initial, x.final)
    learner.start(out=x.eta)
    agree("numpy's second rates", [x.eta], [np.sqrt(b / g)], 1e-5)
    sums = np.ones_like(x.gradient)
    add_squares(sums, x.gradient, np.float32(1))
    rates_of(b, g, x.eta)
    agree("numpy's squares", [sums, x.eta], [1 + x.gradient * x.gradient, np.sqrt(b / g)], 1e-5)


def speed(x: Buffers, repetitions: int) -> None:
    """The table of times."""
    d = x.initial.size
    target = np.zeros_like(x.initial)
    for name, (arrays, ours, numpy) in rows(x).items():
        peers = {"ours": ours, "copy": lambda: np.copyto(target, x.initial)}
        if numpy is not None:
            peers["numpy"] = numpy
        for run in peers.values():
            run()
        t = measure(peers, repetitions)
        moved, rate = arrays * BYTES, arrays * BYTES * d / t["ours"]
        print(
            f"{name:20s} {moved:3d} bytes  {t['ours'] * 1e3:7.1f} ms  {rate / 1e9:6.1f} GB/s  "
            f"{rate / (2 * BYTES * d / t['copy']):5.2f} of copy  {t['numpy'] / t['ours']:5.1f} x faster than numpy"
        )
    moved = 2 * BYTES
    print(f"{'copy':20s} {moved:3d} bytes  {t['copy'] * 1e3:7.1f} ms  {moved * d / t['copy'] / 1e9:6.1f} GB/s")


def memory(x: Buffers) -> None:
    """What is allocated for the state, and at most beyond it in a task."""
    d = x.initial.size
    tracemalloc.start()
    rates = Aruba(x.initial)
    state = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    rates.start(out=x.eta)
    rates.see(x.gradient)
    rates.end(x.initial, x.final)
    beyond = tracemalloc.get_traced_memory()[1] - state
    tracemalloc.stop()
    unit = 1 if sys.platform == "darwin" else 1024
    print(
        f"d = {d}: state {state / 1e6:.1f} MB ({state / d:.2f} bytes a coordinate), beyond it {beyond / 1e3:.1f} kB; "
        f"peak of the process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6:.0f} MB, of which the "
        f"caller's four arrays are {16 * d / 1e6:.0f} MB"
    )


def main() -> None:
    """Print memory and times."""
    parser = argparse.ArgumentParser(description="Algorithm 2 on many parameters, beside a copy of memory")
    parser.add_argument("--size", type=int, default=10**7)
    parser.add_argument("--repetitions", type=int, default=11)
    arguments = parser.parse_args()
    small = Buffers(16)
    for _, ours, _ in rows(small).values():  # compiles
        ours()
    compare(Buffers(1000))
    x = Buffers(max(arguments.size, 1))
    memory(x)
    speed(x, max(arguments.repetitions, 1))


if __name__ == "__main__":
    main()
