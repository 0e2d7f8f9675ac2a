r"""Transfer to a new task: the tables of docs/transfer.md, and how many training sequences a second.

    python benchmarks/transfer.py [--repetitions N] [--replicates N] [--only tables|throughput]

Tables: the excess transfer risk $E_{\mathcal P}E_{\mathcal P^m}\ell_{\mathcal P}(\bar\theta) -
E_{\mathcal P}\min\ell_{\mathcal P}$, in thousandths, of OGD within tasks from the averaged initialisation of T training
tasks. It is computed without sampling for every replicate; printed are the mean over the replicates and 1.96 standard
errors. The best fixed $\eta$ is that of a grid with the least mean, chosen in hindsight. The bound is that of
thm:statistical/1 at $\delta = 0.1$ for eps-EWOO.

Throughput: meta-training replicates of T = 300 tasks with m = 5 losses, by one and two threads, against the same in
plain numpy: a loop over tasks and rounds, and a loop over them that plays all replicates at once.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from _timing import measure

from arubatheory.arithmetic import Array
from arubatheory.learners.meta import constant_rate
from arubatheory.learners.transfer import learned_rate, meta_train, scale_of, transfer_risk
from arubatheory.papers.aruba.s5_statistical.sampled import LEARNED, general_bound, largest_upper
from arubatheory.problems.environments import (
    Environment,
    atoms,
    bernoulli_tasks,
    environment,
    least_risk,
    squared_deviation,
)
from arubatheory.problems.losses import ABSOLUTE, SQUARE
from arubatheory.statements.core import Instance

TASKS, LOSSES, SEQUENCES = (3, 30, 300), (5, 50), 1024
GRIDS = {SQUARE: np.geomspace(0.002, 0.5, 41), ABSOLUTE: np.geomspace(0.002, 8, 61)}  # beyond 1/2 squares overshoot
PLACE, AWAY = np.array([0.3, 0.65, 0.4]), np.array([[1, -1, 1], [-1, 1, 1], [1, 1, -1], [-1, -1, -1]])


def regression(spread: float) -> Environment:
    """Squared losses over three basis vectors; four tasks whose targets are so far around one place."""
    return environment("square", np.full(4, 0.25), np.full(3, 1 / 3), 0.5, PLACE + spread * AWAY, 0.15)


WORLDS: dict[str, Environment] = {
    "squares, tasks alike": regression(0.0),
    "squares, 0.05 off the mean": regression(0.05),
    "squares, 0.15 off the mean": regression(0.15),
    "Bernoulli, tasks alike": bernoulli_tasks(np.full(3, 1 / 3), [0.9, 0.95, 1.0]),
    "Bernoulli, one in ten differs": bernoulli_tasks([0.9, 0.1], [0.95, 0.05]),
    "Bernoulli, half and half": bernoulli_tasks([0.5, 0.5], [0.95, 0.05]),
}


# tables ------------------------------------------------------------------------------------------------------------
def said(excess: Array) -> str:
    """The mean in thousandths with 1.96 standard errors; a number alone where nothing is random."""
    if len(excess) == 1:
        return f"{1e3 * excess[0]:.1f}"
    return f"{1e3 * excess.mean():.1f} ± {1.96e3 * excess.std(ddof=1) / math.sqrt(len(excess)):.1f}"


def best_step(E: Environment, starts: Array, m: int) -> Array:
    """The excess-free risks (n,) at the step size of the grid with the least mean."""
    risks = [transfer_risk(E, starts, np.full(len(starts), eta), m) for eta in GRIDS[E.link]]
    return min(risks, key=lambda r: float(r.mean()))


def row(E: Environment, T: int, m: int, replicates: int) -> list[str]:
    """Alone with the standard and with its best step, transfer with learned and best step, and the bound."""
    d, sigma, least = len(E.inputs), scale_of(E, m), float(least_risk(E, atoms(E)))
    middle = np.full((1, d), 0.5)
    eps = (m * T) ** -0.25 + m**-0.5  # as cor:statistical has it
    sim = learned_rate(E, m, eps)
    trained = meta_train(E, sim, T, m, replicates, np.random.default_rng(T * m), threads=2, playing=False)
    B = largest_upper(Instance(E=E, m=m, rule=LEARNED, v=eps)) / math.sqrt(m)
    bound = general_bound(trained.upper, B, T, m, 0.1)
    risks = (
        transfer_risk(E, middle, [math.sqrt(d / 2) / sigma], m),
        best_step(E, middle, m),
        transfer_risk(E, trained.phi, trained.v / sigma, m),
        best_step(E, trained.phi, m),
    )
    return [said(risk - least) for risk in risks] + [f"{1e3 * bound.mean():.0f}"]


def tables(replicates: int) -> None:
    """Markdown."""
    heads = (
        "world",
        "m",
        "V_Q",
        "T",
        "alone, η = D/(G√m)",
        "alone, best η",
        "transfer, eps-EWOO",
        "transfer, best η",
        "bound",
    )
    print(f"| {' | '.join(heads)} |")
    print("|---" * len(heads) + "|")
    for name, E in WORLDS.items():
        for m in LOSSES:
            V = math.sqrt(squared_deviation(E, m))
            for T in TASKS:
                cells = " | ".join(row(E, T, m, replicates))
                print(f"| {name} | {m} | {V:.3f} | {T} | {cells} |", flush=True)


# throughput --------------------------------------------------------------------------------------------------------
def drawn(E: Environment, rng: np.random.Generator, n: int, T: int, m: int) -> tuple[Array, Array, Array]:
    """Tasks (T, n), inputs and targets (T, m, n)."""
    j = rng.choice(len(E.tasks), (T, n), p=E.tasks)
    i = rng.choice(len(E.inputs), (T, m, n), p=E.inputs)
    sign = np.where(rng.random((T, m, n)) < E.chance[j[:, None], i], 1, -1)
    return j, i, E.centre[j[:, None], i] + sign * E.radius[j[:, None], i]


def numpy_loop(E: Environment, v: float, T: int, m: int, rng: np.random.Generator) -> tuple[Array, float]:
    """One replicate on squares as one writes it first: the averaged start and the average regret."""
    d, eta = len(E.inputs), v / scale_of(E, m)
    phi, total, middle, regret = np.full(d, 0.5), np.zeros(d), np.zeros(d), 0.0
    _, inputs, targets = drawn(E, rng, 1, T, m)
    for t in range(T):
        theta, x, y = phi.copy(), inputs[t, :, 0], targets[t, :, 0]
        pulled = np.zeros(d)
        for i, target in zip(x, y, strict=True):
            gap = theta[i] - target
            regret += gap * gap
            pulled[i] += 2 * gap
            theta = np.clip(phi - eta * pulled, 0, 1)
        counts = np.bincount(x, minlength=d)
        best = np.where(counts > 0, np.bincount(x, y, minlength=d) / np.maximum(counts, 1), 0.5)
        regret -= float(((best[x] - y) ** 2).sum())
        middle += phi / T
        total += best
        phi = total / (t + 1)
    return middle, regret / T


def numpy_batch(E: Environment, v: float, T: int, m: int, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """n replicates at once: the same with a last axis of replicates."""
    d, eta, everyone = len(E.inputs), v / scale_of(E, m), np.arange(n)
    phi, total, middle, regret = np.full((d, n), 0.5), np.zeros((d, n)), np.zeros((d, n)), np.zeros(n)
    _, inputs, targets = drawn(E, rng, n, T, m)
    for t in range(T):
        pulled, sums, counts, theta = np.zeros((d, n)), np.zeros((d, n)), np.zeros((d, n)), phi
        for i, y in zip(inputs[t], targets[t], strict=True):
            gap = theta[i, everyone] - y
            regret += gap * gap
            pulled[i, everyone] += 2 * gap
            sums[i, everyone] += y
            counts[i, everyone] += 1
            theta = np.clip(phi - eta * pulled, 0, 1)
        best = np.where(counts > 0, sums / np.maximum(counts, 1), 0.5)
        for i, y in zip(inputs[t], targets[t], strict=True):
            regret -= (best[i, everyone] - y) ** 2
        middle += phi / T
        total += best
        phi = total / (t + 1)
    return middle.T, regret / T


def throughput(repetitions: int) -> None:
    """Replicates a second, side by side."""
    E, v, T, m = regression(0.1), 0.2, 300, 5
    rng, sim, learned = np.random.default_rng(0), constant_rate(v), learned_rate(E, m, 0.5)
    few = [numpy_loop(E, v, T, m, rng) for _ in range(4)]
    all_at_once = numpy_batch(E, v, T, m, 256, rng)
    ours = meta_train(E, sim, T, m, SEQUENCES, rng, threads=2)
    for peer, starts, regrets in (("batch", *all_at_once), ("loop", *map(np.array, zip(*few, strict=True)))):
        pairs = {"start": (ours.phi.mean(axis=1), starts.mean(axis=1)), "regret": (ours.regret, regrets)}
        for name, (found, theirs) in pairs.items():
            slack = 6 * found.std() / math.sqrt(len(theirs))  # six standard errors of their mean
            gap = abs(found.mean() - theirs.mean())
            assert gap < slack, f"ours and the {peer} disagree on the {name} by {gap}"
    runs: dict[str, tuple[int, Callable[[], Any]]] = {
        "2 threads": (SEQUENCES, lambda: meta_train(E, sim, T, m, SEQUENCES, rng, threads=2)),
        "1 thread": (SEQUENCES, lambda: meta_train(E, sim, T, m, SEQUENCES, rng)),
        "2 threads, eps-EWOO": (SEQUENCES, lambda: meta_train(E, learned, T, m, SEQUENCES, rng, threads=2)),
        "2 threads, labels only": (
            SEQUENCES,
            lambda: meta_train(E, sim, T, m, SEQUENCES, rng, threads=2, playing=False),
        ),
        "numpy, all at once": (256, lambda: numpy_batch(E, v, T, m, 256, rng)),
        "numpy, a loop": (4, lambda: [numpy_loop(E, v, T, m, rng) for _ in range(4)]),
    }
    seconds = measure({name: run for name, (_, run) in runs.items()}, repetitions)
    rates = {name: n / seconds[name] for name, (n, _) in runs.items()}
    print(f"\nT = {T}, m = {m}, squares over 3 basis vectors: replicates a second")
    for name, rate in rates.items():
        loop, batch = rate / rates["numpy, a loop"], rate / rates["numpy, all at once"]
        print(f"  {name:24s} {rate:9.0f}   {loop:7.1f} x the loop   {batch:6.2f} x all at once")


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description="transfer risk against T and m, and training sequences a second")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--only", choices=("tables", "throughput"))
    arguments = parser.parse_args()
    if arguments.only != "throughput":
        tables(max(arguments.replicates, 2))
    if arguments.only != "tables":
        throughput(max(arguments.repetitions, 1))


if __name__ == "__main__":
    main()
