r"""Does geometry help? Regret of a fixed, an isotropic, a diagonal and a full-matrix step on tasks in a subspace.

    python benchmarks/geometry.py [--tasks T] [--seeds N]     # docs/geometry.md, in about a minute

T tasks of m = 10 noisy quadratics in d = 10 dimensions, whose optimal actions vary along one direction: an axis, a
direction in general position, or, for comparison, along all alike. All learners play eq:matrix in the same ball from
the mean of the past optimal actions, and differ in H. The fixed step is the best of a grid for the very tasks it is
played on, which no learner knows. Algorithm 2 knows no optimal action: it learns from where its tasks end, and moves
the start by Reptile. Shown are means over the seeds, with standard errors, of the regret of a task (over the first 30,
and over the last quarter), its upper bound, and the rate $u^\top H u$ along the direction and orthogonal to it, at the
end. A last table has the diagonal and the full-matrix learner with other sizes of their regularisers.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.algorithm2 import Aruba
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import evaluate
from arubatheory.problems.tasks import Tasks, each, quadratics, tasks
from arubatheory.untried.geometry_meta import (
    GeometryTrajectory,
    Rule,
    fixed,
    full_matrix,
    geometry_learn,
    isotropic,
    per_coordinate,
)
from arubatheory.untried.reptile import reptile

D, M, V, NOISE, EARLY = 10, 10, 2.0, 3.0, 30
STEPS = 2.0 ** np.arange(-4, 0.1, 0.5)
WORLDS = {"an axis": "along one axis", "a direction": "along one direction, not an axis", "all": "along all directions"}


class World(NamedTuple):
    """Tasks, their optimal actions (T, d), and an orthonormal basis whose first column is the direction."""

    tasks: Tasks
    optima: Array
    basis: Array


class Outcome(NamedTuple):
    """Mean regret of the early and of the late tasks, mean upper bound of the late, rates along and across."""

    early: float
    late: float
    upper: float
    along: float
    across: float


def world(name: str, T: int, seed: int) -> World:
    """T tasks of one of `WORLDS`; the deviation V of the optimal actions is the same in all."""
    rng = np.random.default_rng(seed)
    basis = np.eye(D) if name == "an axis" else np.linalg.qr(rng.standard_normal((D, D)))[0]
    spread = np.ones(D) / np.sqrt(D) if name == "all" else np.eye(D)[0]
    optima = V * rng.standard_normal((T, D)) * spread @ basis.T
    return World(tasks([quadratics(rng, M, x, NOISE) for x in optima]), optima, basis)


def rules(T: int) -> dict[str, Callable[[], Rule]]:
    """The learned geometries, with the settings of thm:diagonal and thm:fullmatrix."""
    root = np.sqrt(M)
    return {
        "isotropic": lambda: isotropic(D, 1.0, root, 0.4),
        "diagonal": lambda: per_coordinate(D, 1.0, root, 0.4),
        "full matrix": lambda: full_matrix(D, T**-0.125, root * T**-0.125),
    }


def play(w: World, rule: Rule) -> GeometryTrajectory:
    """One learner on the tasks of a world."""
    radius = 1.01 * float(np.linalg.norm(w.optima, axis=1).max()) + 1
    return geometry_learn(w.tasks, ball(np.zeros(D), radius), rule, np.zeros(D), optima=w.optima)


def outcome(w: World, played: GeometryTrajectory) -> Outcome:
    """The numbers of one run."""
    return _outcome(w, played.regret, played.upper, played.H.matrix())


def algorithm_2(w: World) -> Outcome:
    """Serial Reptile with the rates of Algorithm 2, at the settings of the diagonal learner; it has no bound."""
    run = reptile(w.tasks, np.zeros(D), Aruba(np.zeros(D), 1.0, np.sqrt(M), 0.4), weight=0.1)
    best = np.array([evaluate(part, x).sum() for part, x in zip(each(w.tasks), w.optima, strict=True)])
    return _outcome(w, run.paid - best, np.full(len(best), np.nan), np.diag(run.eta[-1]))


def _outcome(w: World, regret: Array, upper: Array, H: Array) -> Outcome:
    rates, late = np.diag(w.basis.T @ H @ w.basis), slice(-len(regret) // 4, None)
    return Outcome(
        *map(float, (regret[:EARLY].mean(), regret[late].mean(), upper[late].mean(), rates[0], rates[1:].mean()))
    )


def best_fixed(w: World) -> Outcome:
    """The fixed step with the least regret over all tasks of this world."""
    runs = [play(w, fixed(step, D)) for step in STEPS]
    return outcome(w, min(runs, key=lambda run: run.average_regret))


def header() -> None:
    """The head of a table in Markdown."""
    print(f"| step | regret, first {EARLY} | regret, last quarter | bound | rate along | across | ms a task |")
    print("|---|---|---|---|---|---|---|")


def show(name: str, runs: list[Outcome], seconds: float, T: int) -> None:
    """One line of a table in Markdown."""
    x = np.array(runs)
    mean, error = x.mean(axis=0), x.std(axis=0, ddof=1) / np.sqrt(len(x)) if len(x) > 1 else 0 * x[0]
    parts = [f"{mean[i]:.2f} ± {error[i]:.2f}" if np.isfinite(mean[i]) else "-" for i in range(3)]
    each_task = seconds / len(x) / T * 1e3
    print(f"| {name} | {' | '.join(parts)} | {mean[3]:.3f} | {mean[4]:.3f} | {each_task:.2f} |")


def regularisers(T: int, seeds: range) -> None:
    """The learners of matrices with eps = zeta / sqrt(m) of several sizes."""
    print(f"\nOther sizes of the regularisers; optimal actions vary {WORLDS['a direction']}\n")
    header()
    for eps in (1.0, T**-0.125, 0.1):
        for name, rule in (("diagonal", per_coordinate), ("full matrix", full_matrix)):
            rest = {"p": 0.4} if rule is per_coordinate else {}
            start = time.perf_counter()
            worlds = (world("a direction", T, seed) for seed in seeds)
            runs = [outcome(w, play(w, rule(D, eps, eps * np.sqrt(M), **rest))) for w in worlds]
            show(f"{name}, ε = {eps:.2f}", runs, time.perf_counter() - start, T)


def main() -> None:
    """Print a table for each world."""
    parser = argparse.ArgumentParser(description="regret with learned geometries on tasks in a subspace")
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    T, seeds = max(arguments.tasks, 40), range(max(arguments.seeds, 1))
    begin = time.perf_counter()
    players: dict[str, Callable[[World], Outcome]] = {"best fixed step": best_fixed, "Algorithm 2": algorithm_2}
    for name, rule in rules(T).items():
        players[name] = lambda w, rule=rule: outcome(w, play(w, rule()))  # type: ignore[misc]
    for player in players.values():  # compiles
        player(world("a direction", 40, 0))
    for key, words in WORLDS.items():
        print(f"\nOptimal actions vary {words}; T = {T}, d = {D}, m = {M}, {len(seeds)} seeds\n")
        header()
        worlds = [world(key, T, seed) for seed in seeds]
        for name in ("best fixed step", "isotropic", "diagonal", "full matrix", "Algorithm 2"):
            start = time.perf_counter()
            runs = [players[name](w) for w in worlds]
            show(name, runs, time.perf_counter() - start, T * (len(STEPS) if name == "best fixed step" else 1))
    regularisers(T, seeds)
    print(f"\n{time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
