r"""`meta_learn` on linear losses over a ball: against reading the losses once, against a loop in Python, and cold.

    python benchmarks/meta_loop.py [--sweeps N] [--tasks T]

What is measured are public calls of Algorithm 1 with the mean and $\varepsilon$-EWOO, checks included.

* T = 10^4 tasks of 100 losses, d = 100: 800 MB, against a compiled sum of them, optima given and not. `losses()` and
  the call are asked how much resident memory they take beside the data.
* 1,000 instances of 50 tasks of 20 losses, d = 5, as one batch, against what one writes first: a loop in Python over
  instances, tasks and rounds on numpy vectors, v from the two sums that $\varepsilon$-EWOO needs by
  `scipy.integrate.quad`.
* A fresh process with nothing kept, imports included: processor seconds until the first answer.

Then T tasks of 5 rounds in dimension 2, in chunks of 10,000 that are made when they are asked for: processor time, and
the peak of the resident memory after the first chunk and after the last.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from _rows import Peers, agree, contest, row
from scipy import integrate

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.learners.meta import MetaTrajectory, eps_ewoo_rate, mean, meta_learn, stream
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import Losses, losses
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import Tasks, together

D, EPS = 2.0, 0.1
LOOPED = 50  # of the small instances: the loop in Python takes as long for each
CHUNK, SMALL_M, SMALL_D = 10_000, 5, 2
FIRST_CALL = """
import numpy as np
from arubatheory.learners.meta import eps_ewoo_rate, mean, meta_learn
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import tasks
rng = np.random.default_rng(0)
sequence = tasks([losses("linear", rng.normal(size=(20, 5))) for _ in range(50)])
meta_learn(sequence, ball(np.zeros(5), 1.0), euclidean(5), mean(np.zeros(5)), eps_ewoo_rate(2.0, 0.1))
"""


@kernel
def read(a: Array) -> float:
    """The sum of an array (m, d): no learner can avoid reading its data once."""
    flat, total = a.reshape(-1), 0.0
    for i in range(flat.size):
        total += flat[i]
    return total


def learned(tasks: Tasks, d: int, optima: Any) -> MetaTrajectory:
    """The public call."""
    domain, init, sim = ball(np.zeros(d), 1.0), mean(np.zeros(d)), eps_ewoo_rate(D, EPS)
    return meta_learn(tasks, domain, euclidean(d), init, sim, optima=optima)


def resident() -> float:
    """The peak of the resident memory so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def limit(what: str, value: float, most: float, unit: str) -> None:
    """Prints a row that is no ratio."""
    verdict = "reached" if value <= most else "MISSED"
    print(f"{what}: {value:.1f} {unit}, reach <= {most:g} {unit}: {verdict}", flush=True)


# large -----------------------------------------------------------------------------------------------------------
def large(sweeps: int, T: int = 10_000, m: int = 100, d: int = 100) -> None:
    """The rows against reading once."""
    rng, a, best = np.random.default_rng(0), np.empty((T * m, d)), np.empty((T, d))
    for t in range(T):
        part = a[t * m : (t + 1) * m]
        part[:] = rng.standard_normal((m, d)) / 10
        best[t] = -part.sum(axis=0) / np.linalg.norm(part.sum(axis=0))
    before, begin = resident(), time.process_time()
    tasks = Tasks(losses("linear", a), np.arange(T + 1) * m)
    print(f"losses() on {a.nbytes / 1e6:.0f} MB: {time.process_time() - begin:.2f} s")
    limit("losses(), memory beside the data", resident() - before, 50, "MB")
    part = Tasks(losses("linear", a[:m]), np.array([0, m]))
    agree("compiling", learned(part, d, best[:1])[:-1], learned(part, d, None)[:-1])
    before = resident()
    learned(tasks, d, None)
    limit("meta_learn(), memory beside the data", resident() - before, 50, "MB")
    agree("optima=None", learned(tasks, d, best)[:-1], learned(tasks, d, None)[:-1])
    given, free = "meta_learn(optima=)", "meta_learn()"
    peers: Peers = {"reading": lambda: read(a)}
    peers |= {given: lambda: learned(tasks, d, best), free: lambda: learned(tasks, d, None)}
    found = contest(peers, sweeps)
    row(f"T = {T:,}, m = {m}, d = {d}, linear, ball", given, ["reading"], found, 3)
    row(f"T = {T:,}, m = {m}, d = {d}, linear, ball", free, ["reading"], found, 4)


# many small ------------------------------------------------------------------------------------------------------
def ewoo(a: float, b: float, gamma: float) -> float:
    """The EWOO action on losses that sum to a/v + b v."""
    low, high, least = EPS, math.hypot(D, EPS), 2 * math.sqrt(a * b)

    def moment(v: float, k: int) -> float:
        return float(v**k * math.exp(-gamma * (a / v + b * v - least)))

    above, mass = (integrate.quad(moment, low, high, args=(k,))[0] for k in (1, 0))
    return float(above / mass)


def by_hand(a: Array, T: int, optima: Array | None) -> tuple[Array, Array]:
    """Algorithm 1 on one instance (T m, d) as one writes it first: regrets and upper bounds (T,)."""
    tasks = a.reshape(T, -1, a.shape[1])
    sigma = np.sqrt((tasks * tasks).sum(axis=(1, 2)))
    gamma = 2 / (D * sigma.max()) * min(EPS**2 / D**2, 1)
    phi, moment, mass, spread = np.zeros(a.shape[1]), np.zeros(a.shape[1]), 0.0, 0.0
    regret, upper = np.zeros(T), np.zeros(T)
    for t, part in enumerate(tasks):
        pull = part.sum(axis=0)
        theta = -pull / math.sqrt(pull @ pull) if optima is None else optima[t]
        v = ewoo(spread, mass, gamma)
        eta, s = v / sigma[t], phi.copy()
        for g in part:
            norm = math.sqrt(s @ s)
            regret[t] += g @ (s if norm <= 1 else s / norm)
            s -= eta * g
        regret[t] -= pull @ theta
        B = (theta - phi) @ (theta - phi) / 2
        upper[t] = (B / v + v) * sigma[t]
        mass, spread, moment = mass + sigma[t], spread + sigma[t] * (B + EPS**2), moment + sigma[t] * theta
        phi = moment / mass
    return regret, upper


def many(sweeps: int, n: int = 1000, T: int = 50, m: int = 20, d: int = 5) -> None:
    """The rows of a batch."""
    a = np.random.default_rng(1).normal(size=(n, T * m, d))
    pull = a.reshape(n, T, m, d).sum(axis=2)
    best = -pull / np.linalg.norm(pull, axis=2, keepdims=True)
    runs = together([Tasks(losses("linear", x), np.arange(T + 1) * m) for x in a])
    for optima, reach in ((best, 100), (None, 50)):

        def loop(optima: Any = optima) -> tuple[Array, ...]:
            played = [by_hand(x, T, None if optima is None else optima[k]) for k, x in enumerate(a[:LOOPED])]
            return tuple(map(np.array, zip(*played, strict=True)))

        ours = learned(runs, d, optima)
        agree("the loop in Python", (ours.regret[:LOOPED], ours.upper[:LOOPED]), loop(), 1e-5)  # quad: nine digits
        name = f"meta_learn({'' if optima is None else 'optima='}), a batch"
        found = contest({name: lambda optima=optima: learned(runs, d, optima), "a loop in Python": loop}, sweeps)
        found.seconds["a loop in Python"][:] = [s * n / LOOPED for s in found.seconds["a loop in Python"]]
        row(f"{n:,} instances, T = {T}, m = {m}, d = {d}", name, ["a loop in Python"], found, reach, faster=True)


# cold ------------------------------------------------------------------------------------------------------------
def cold(sweeps: int) -> None:
    """The row of a fresh process that finds nothing kept."""
    seconds = []
    for _ in range(sweeps):
        with tempfile.TemporaryDirectory() as folder:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [sys.executable, "-c", FIRST_CALL], check=True, env=os.environ | {"ARUBATHEORY_CACHE": folder}
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print(f"a fresh process takes {min(seconds):.2f} to {max(seconds):.2f} s of processor time")
    limit("meta_learn(), cold, imports included", statistics.median(seconds), 8, "s")


# a stream --------------------------------------------------------------------------------------------------------
def small_tasks(count: int) -> Iterator[tuple[Tasks, Array]]:
    """Chunks of small linear tasks, made when they are asked for."""
    rng = np.random.default_rng(1)
    for start in range(0, count, CHUNK):
        n = min(CHUNK, count - start)
        a = rng.normal(size=(n * SMALL_M, SMALL_D))
        pull = a.reshape(n, SMALL_M, SMALL_D).sum(axis=1)
        best = -pull / np.linalg.norm(pull, axis=1, keepdims=True)
        rest: dict[str, Any] = {name: np.zeros(len(a)) for name in ("b", "ridge", "kink")}
        L = Losses(link=np.zeros(len(a), np.int64), a=a, weight=np.ones(len(a)), c=np.zeros_like(a), **rest)
        yield Tasks(L, np.arange(n + 1) * SMALL_M), best


def long_stream(count: int) -> None:
    """Processor time and peak memory of many small tasks."""
    sim = eps_ewoo_rate(math.sqrt(2), 0.1, gamma=1e-3)
    peaks, total, begin = [], 0.0, time.process_time()
    chunks = small_tasks(count)
    for played in stream(chunks, ball(np.zeros(SMALL_D), 1.0), euclidean(SMALL_D), mean(np.zeros(SMALL_D)), sim):
        total += float(played.regret.sum())
        peaks.append(resident())
    spent = time.process_time() - begin
    print(
        f"stream(): {count:,} tasks x {SMALL_M} rounds x d = {SMALL_D} in chunks of {CHUNK:,}: "
        f"{spent / count * 1e6:.2f} us a task, drawing included; peak {peaks[0]:.0f} MB after the first chunk, "
        f"{peaks[-1]:.0f} MB after the last; average regret {total / count:.4f}"
    )


def main() -> None:
    """Print the rows and the stream's figures."""
    parser = argparse.ArgumentParser(description="the meta-loop against reading once, a loop in Python, and cold")
    parser.add_argument("--sweeps", type=int, default=5)
    parser.add_argument("--tasks", type=int, default=1_000_000)
    arguments = parser.parse_args()
    sweeps = max(arguments.sweeps, 5)
    for count in sorted({1_000, max(arguments.tasks, 1)}):
        long_stream(count)
    many(sweeps)
    large(sweeps)
    cold(sweeps)


if __name__ == "__main__":
    main()
