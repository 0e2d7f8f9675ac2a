r"""The tables of docs/adapting.md: does adapting help?

    python benchmarks/adapting.py

First table: T tasks whose optimal actions lie on a sphere of radius $\sqrt2V$ about a point of the unit ball, losses
$\|x - c\|_2$ with centres in pairs around the optimal action. $D^2 = \max_\theta B_R(\theta\|0) = \frac12$, so that
V/D = 1 is the sphere around the ball itself. TAR is printed in units of $DG\sqrt m$: the mean over the seeds, and half
their range.

Second table: every family of problems/tasks.py at V = 0.3, quadratic losses, on the least ball about 0 that holds the
optimal actions: TAR, the average regret-upper-bound, $2V\bar\sigma$ (no pair $(\phi, v)$ has a smaller bound) and the
bound of cor:epsewoo, with $2\varepsilon$ as in its corrected form, all divided by the mean of $\sigma_t = G_t\sqrt{m}$.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.meta import (
    MetaTrajectory,
    Sim,
    constant_rate,
    descent,
    eps_ewoo_rate,
    eps_ftl_rate,
    mean,
    meta_learn,
)
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import FAMILIES, Tasks

T, M, DIM, NOISE, SEEDS = 1000, 50, 5, 0.5, 5
D, WIDEST = math.sqrt(0.5), math.sqrt(2)  # sqrt(B_R) from the centre of the unit ball, and between any two points
RATIOS = (0.01, 0.03, 0.1, 0.3, 1.0)
LENGTHS = (100, 1000, 10000)
STILL = 1e-300  # a step of OGD that rounds to none: phi stays where it is
Learner = Callable[[Tasks, Array], MetaTrajectory]


def sphere_tasks(rng: np.random.Generator, V: float) -> tuple[Tasks, Array]:
    """T tasks of M distances each, and their optimal actions."""
    directions = rng.normal(size=(T + 1, DIM))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radius = math.sqrt(2) * V
    optima = (1 - radius) / 2 * directions[-1] + radius * directions[:-1]
    optima /= np.maximum(np.linalg.norm(optima, axis=1, keepdims=True), 1)
    steps = NOISE * rng.normal(size=(T, M // 2, DIM)) / math.sqrt(DIM)
    centres = optima[:, None, :] + np.concatenate([steps, -steps], axis=1)
    return Tasks(losses("distance", 0, c=centres.reshape(T * M, DIM)), np.arange(T + 1) * M), optima


def learner(start: Callable[[Array], Any], rate: Callable[[Array], Sim]) -> Learner:
    """Algorithm 1 with INIT and SIM as functions of the optimal actions, which only the oracle looks at."""
    domain, R = ball(np.zeros(DIM), 1.0), euclidean(DIM)
    return lambda tasks, optima: meta_learn(tasks, domain, R, start(optima), rate(optima), optima=optima)


def deviation(optima: Array) -> float:
    """V with B_R, of tasks of one weight."""
    return float(np.sqrt(((optima - optima.mean(axis=0)) ** 2).sum() / len(optima) / 2))


ORIGIN = np.zeros(DIM)
LEARNERS: dict[str, Learner] = {
    "one task at a time": learner(lambda _: descent(ORIGIN, STILL), lambda _: constant_rate(D)),
    "learned start, fixed v = D": learner(lambda _: mean(ORIGIN), lambda _: constant_rate(D)),
    "FTL + eps-EWOO": learner(lambda _: mean(ORIGIN), lambda _: eps_ewoo_rate(WIDEST, D * T**-0.25)),
    "FTL + eps-FTL": learner(lambda _: mean(ORIGIN), lambda _: eps_ftl_rate(WIDEST, D * T**-0.2)),
    "oracle start and v = V": learner(
        lambda optima: descent(optima.mean(axis=0), STILL), lambda optima: constant_rate(deviation(optima))
    ),
}


def first_table() -> None:
    """TAR against V/D."""
    print("| V/D | " + " | ".join(LEARNERS) + " |")
    print("|---" * (len(LEARNERS) + 1) + "|")
    for ratio in RATIOS:
        found: dict[str, list[float]] = {name: [] for name in LEARNERS}
        for seed in range(SEEDS):
            tasks, optima = sphere_tasks(np.random.default_rng(seed), ratio * D)
            for name, play in LEARNERS.items():
                found[name].append(play(tasks, optima).average_regret / (D * math.sqrt(M)))
        cells = [f"{np.mean(x):.3f} ± {np.ptp(x) / 2:.3f}" for x in found.values()]
        print(f"| {ratio} | " + " | ".join(cells) + " |")


def explicit(sigma: Array, V: float, width: float, eps: float) -> float:
    """The right side of cor:epsewoo/explicit/corrected with C = D = `width`, the diameter."""
    mass, count = np.cumsum(sigma), len(sigma)
    started = float((sigma * sigma / mass).sum())
    price = width * sigma.max() / 2 * max(width**2 / eps**2, 1) * (1 + math.log(count + 1))
    return float(
        (min(eps**2 / V, 2 * eps) if V > 0 else 2 * eps) * mass[-1]
        + price
        + math.sqrt(8 * width * width * mass[-1] * started)
        + 2 * V * mass[-1]
    )


def second_table() -> None:
    """TAR, the average upper bound and the explicit one against T, for every family."""
    print("| family | T | TAR | average U | 2V | explicit bound |")
    print("|---|---|---|---|---|---|")
    for name, family in FAMILIES.items():
        for count in LENGTHS:
            made = family(np.random.default_rng(0), count, 10, 2, V=0.3, center=[0.5, 0.0])
            radius = 1.01 * float(np.linalg.norm(made.optima, axis=1).max())
            eps = 2 * radius * count**-0.25
            played = meta_learn(
                made.tasks,
                ball(np.zeros(2), radius),
                euclidean(2),
                mean(np.zeros(2)),
                eps_ewoo_rate(2 * radius, eps),
                optima=made.optima,
            )
            sigma = played.sigma
            away = made.optima - (sigma[:, None] * made.optima).sum(axis=0) / sigma.sum()
            V = math.sqrt(float((sigma * (away * away).sum(axis=1)).sum() / sigma.sum()) / 2)
            bound = explicit(sigma, V, 2 * radius, eps)
            cells = [played.regret.sum(), played.upper.sum(), 2 * V * sigma.sum(), bound]
            print(f"| {name} | {count} | " + " | ".join(f"{x / sigma.sum():.3f}" for x in cells) + " |", flush=True)


def main() -> None:
    """Print both tables in Markdown."""
    first_table()
    print()
    second_table()


if __name__ == "__main__":
    main()
