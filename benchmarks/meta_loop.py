r"""The meta-loop: Algorithm 1 with FTL and eps-EWOO against plain numpy, and a stream of a million tasks.

    python benchmarks/meta_loop.py [--repetitions N] [--tasks T]

First 1,000 tasks of 100 rounds in dimension 10, on linear losses and on quadratics. The peer is what one writes first:
a loop over tasks and rounds on numpy vectors, v by `scipy.integrate.quad`; it is given the Lipschitz constants that
`meta_learn` computes for itself ("kernel" is without them and without validation). No learner can avoid reading the
data of the losses once, so the bound is the time of a copy of those bytes in the same run, halved: a copy reads and
writes. Repetitions are interleaved, medians are compared.

Then T = 1,000,000 tasks of 5 rounds in dimension 2, in chunks of 10,000 that are made when they are asked for: seconds,
and the peak of the resident memory after the first chunk and after the last.
"""

from __future__ import annotations

import argparse
import math
import resource
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from _timing import measure
from scipy import integrate

from arubatheory.arithmetic import Array
from arubatheory.learners.meta import begin, eps_ewoo_rate, mean, meta_learn, play_meta, stream
from arubatheory.problems.constants import lipschitz_squared
from arubatheory.problems.domains import Domain, ball
from arubatheory.problems.losses import Losses, losses
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import Tasks

T, M, DIM, RADIUS, D, EPS = 1000, 100, 10, 2.0, 4.0, 0.2
CHUNK, SMALL_M, SMALL_D = 10_000, 5, 2


def problem(kind: str, rng: np.random.Generator) -> tuple[Tasks, Array]:
    """Tasks and their optimal actions: linear losses whose gradients lean one way, or quadratics."""
    optima = rng.normal(size=(T, DIM)) * 0.2 + 0.3
    offsets = np.arange(T + 1) * M
    if kind == "quadratic":
        noise = rng.normal(size=(T, M, DIM)) * 0.1
        centres = optima[:, None, :] + noise - noise.mean(axis=1, keepdims=True)
        return Tasks(losses("linear", 0, weight=0, ridge=1, c=centres.reshape(T * M, DIM)), offsets), optima
    a = rng.normal(size=(T, M, DIM)) / math.sqrt(DIM) - 0.2 * optima[:, None, :]
    pull = a.sum(axis=1)
    best = -RADIUS * pull / np.linalg.norm(pull, axis=1, keepdims=True)
    return Tasks(losses("linear", a.reshape(T * M, DIM)), offsets), best


def ewoo(a: float, b: float, gamma: float) -> float:
    """The EWOO action on losses that sum to a/v + b v."""
    low, high = EPS, math.hypot(D, EPS)
    least = 2 * math.sqrt(a * b)
    parts = [
        integrate.quad(lambda v, k=k: v**k * math.exp(-gamma * (a / v + b * v - least)), low, high)[0] for k in (1, 0)
    ]
    return float(parts[0] / parts[1])


def numpy_meta(tasks: Tasks, optima: Array, squares: Array, quadratic: bool) -> tuple[Array, Array]:
    """Algorithm 1 as printed, lazy OGD on the ball within tasks; regrets and upper bounds (T,)."""
    L, regret, upper = tasks.losses, np.zeros(T), np.zeros(T)
    sigma = np.sqrt(squares.reshape(T, M).sum(axis=1))
    gamma = 2 / (D * sigma.max()) * min(EPS**2 / D**2, 1)
    phi, moment, mass, spread = np.zeros(DIM), np.zeros(DIM), 0.0, 0.0
    for t in range(T):
        v = ewoo(spread, mass, gamma)
        eta, theta, s = v / sigma[t], optima[t], phi.copy()
        for i in range(t * M, (t + 1) * M):
            norm = math.sqrt(s @ s)
            x = s if norm <= RADIUS else s * (RADIUS / norm)
            if quadratic:
                step, away = x - L.c[i], theta - L.c[i]
                regret[t] += (step @ step - away @ away) / 2
            else:
                step = L.a[i]
                regret[t] += step @ (x - theta)
            s = s - eta * step
        B = (theta - phi) @ (theta - phi) / 2
        upper[t] = (B / v + v) * sigma[t]
        mass, spread, moment = mass + sigma[t], spread + sigma[t] * (B + EPS**2), moment + sigma[t] * theta
        phi = moment / mass
    return regret, upper


def compare(kind: str, repetitions: int) -> None:
    """Ours, the kernel alone, numpy and a copy of the data."""
    tasks, optima = problem(kind, np.random.default_rng(0))
    domain, R, sim = ball(np.zeros(DIM), RADIUS), euclidean(DIM), eps_ewoo_rate(D, EPS)
    init, squares = mean(np.zeros(DIM)), lipschitz_squared(tasks.losses, domain, R)
    sigma = np.sqrt(squares.reshape(T, M).sum(axis=1))
    rated = sim._replace(gamma=2 / (D * sigma.max()) * (EPS / D) ** 2)
    data = tasks.losses.c if kind == "quadratic" else tasks.losses.a

    def ours() -> Any:
        return meta_learn(tasks, domain, R, init, sim, optima=optima)

    def kernel() -> Any:
        return play_meta(tasks.losses, tasks.offsets, domain, R, optima, sigma, init, rated, None, 0, begin(init))

    def peer() -> tuple[Array, Array]:
        return numpy_meta(tasks, optima, squares, kind == "quadratic")

    played, (regret, upper) = ours(), peer()
    np.testing.assert_allclose(played.regret, regret, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(played.upper, upper, rtol=1e-6)
    runs: dict[str, Callable[[], Any]] = {"meta_learn": ours, "kernel": kernel, "numpy": peer, "copy": data.copy}
    median = measure(runs, repetitions)
    bound = median["copy"] / 2
    print(f"{kind}: {T} tasks x {M} rounds x d = {DIM}, {data.nbytes / 1e6:.1f} MB of losses")
    for name in ("meta_learn", "kernel", "numpy"):
        seconds = median[name]
        print(
            f"  {name:10s} {seconds * 1e3:9.2f} ms   {seconds / T / M * 1e9:9.1f} ns a round   "
            f"{seconds / bound:8.1f} x reading the data once   {median['numpy'] / seconds:7.1f} x faster than numpy"
        )


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


def resident() -> float:
    """The peak of the resident memory so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def long_stream(count: int) -> None:
    """Seconds and peak memory of many small tasks."""
    domain: Domain = ball(np.zeros(SMALL_D), 1.0)
    sim = eps_ewoo_rate(math.sqrt(2), 0.1, gamma=1e-3)
    peaks, total = [], 0.0
    begun, processor = time.perf_counter(), time.process_time()
    for played in stream(small_tasks(count), domain, euclidean(SMALL_D), mean(np.zeros(SMALL_D)), sim):
        total += float(played.regret.sum())
        peaks.append(resident())
    seconds, spent = time.perf_counter() - begun, time.process_time() - processor
    print(
        f"stream: {count} tasks x {SMALL_M} rounds x d = {SMALL_D} in chunks of {CHUNK}: {seconds:.1f} s "
        f"({spent:.1f} s of processor time), peak {peaks[0]:.0f} MB after the first chunk, {peaks[-1]:.0f} MB "
        f"after the last; average regret {total / count:.4f}"
    )


def main() -> None:
    """Print the comparison and the stream's figures."""
    parser = argparse.ArgumentParser(description="the meta-loop: ours, numpy and a copy of memory side by side")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--tasks", type=int, default=1_000_000)
    arguments = parser.parse_args()
    long_stream(max(arguments.tasks, 1))
    for kind in ("linear", "quadratic"):
        compare(kind, max(arguments.repetitions, 1))


if __name__ == "__main__":
    main()
