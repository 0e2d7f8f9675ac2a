r"""Learning a full matrix: a long run of tasks, and one in many dimensions, lazily and with H computed at every task.

    python benchmarks/full_matrix.py [--tasks 10000] [--dimension 100] [--late 0.1 0.3] [--eager]

Tasks are m = 10 quadratics around an optimum with a spectrum of two decades in random directions, drawn on the fly;
each is played by OMD with the H of the rule, which then learns from it (`geometry_steps`). The first table is the lazy
rule for each `late`, whose losses are at most $e^{late}$ times those of FTL: seconds, matrices computed, average regret
and upper bound, and the peak of memory. Solving from scratch at every task is timed at ten tasks spread over the run
and multiplied by their number; --eager plays it instead, which also says what lateness cost in regret. The second table
is the low-rank phase at d = 1000, (m + 1) t < d, where H is computed in the span of what was seen, against a dense
solution at every task. On one thread.
"""

from __future__ import annotations

import os

from arubatheory.arithmetic import Array

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy reads it when it is first imported
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from arubatheory.learners.geometry_ftl import MatrixFTL
from arubatheory.learners.matrix_mean import mean_of_factors
from arubatheory.problems.domains import space
from arubatheory.problems.losses import Losses, losses
from arubatheory.untried.geometry_meta import Rule, fixed, geometry_steps, isotropic, per_coordinate

M = 10


def drawn(d: int, T: int) -> Iterator[tuple[Losses, Array]]:
    """T tasks, the same for the same d and T."""
    rng = np.random.default_rng(d)
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0] * np.logspace(0, -2, d)
    for _ in range(T):
        optimum = turn @ rng.standard_normal(d)
        steps = rng.standard_normal((M // 2, d)) / (2 * np.sqrt(d))
        yield losses("linear", 0, weight=0, ridge=1, c=np.concatenate([optimum + steps, optimum - steps])), optimum


def play(d: int, T: int, rule: Rule) -> tuple[float, float, float]:
    """Seconds without the drawing, the average regret and its upper bound."""
    begin, drawing, regret, upper = time.perf_counter(), 0.0, 0.0, 0.0
    for step in geometry_steps(drawn(d, T), space(d), rule, np.zeros(d)):
        regret, upper = regret + step.regret / T, upper + step.upper / T
    whole = time.perf_counter() - begin
    begin = time.perf_counter()
    for _ in drawn(d, T):
        pass
    drawing = time.perf_counter() - begin
    return whole - drawing, regret, upper


def matrix_rule(d: int, T: int, late: float) -> tuple[MatrixFTL, Rule]:
    """thm:fullmatrix's rule and its state."""
    ftl = MatrixFTL(d, T**-0.125, np.sqrt(M) * T**-0.125, late)
    return ftl, Rule(ftl.preconditioner, lambda x, g: ftl.learn(x / np.sqrt(2), g.T))


def from_scratch(d: int, T: int, dense: bool) -> float:
    """Seconds that solving at every one of T tasks would take, from ten of them."""
    ftl, rule = matrix_rule(d, T, 10.0)
    wanted, seconds, steps = set(np.linspace(1, T, 10).astype(int).tolist()), 0.0, 0
    for t, _ in enumerate(geometry_steps(drawn(d, T), space(d), rule, np.zeros(d)), start=1):
        if t in wanted:
            begin = time.perf_counter()
            if dense:
                parts = ((ftl.eps, ftl._B.columns()), (ftl.zeta, ftl._G.columns()))
                mean_of_factors(*(np.hstack([np.sqrt(ftl.t) * c * np.eye(d), F]) for c, F in parts))
            else:
                ftl._solve()
            seconds, steps = seconds + time.perf_counter() - begin, steps + 1
    return seconds / steps * T


def show(name: str, found: tuple[float, float, float], more: str = "") -> None:
    """One line."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name:22s} {found[0]:8.2f} s   regret {found[1]:10.4f}   upper bound {found[2]:10.4f}   "
        f"peak {peak:5.0f} MiB   {more}",
        flush=True,
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="learning a full matrix over many tasks, and in many dimensions")
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--dimension", type=int, default=100)
    parser.add_argument("--late", type=float, nargs="*", default=[0.1, 0.3])
    parser.add_argument("--eager", action="store_true")
    options = parser.parse_args()
    d, T, root = options.dimension, options.tasks, np.sqrt(M)
    for rule in (fixed(0.1, d), per_coordinate(d, 1, root, 0.4), matrix_rule(d, 20, 0.1)[1]):
        play(d, 20, rule)  # compiles
    print(f"d = {d}, T = {T}, m = {M}")
    others: dict[str, Callable[[], Any]] = {
        "fixed step": lambda: fixed(0.1, d),
        "isotropic": lambda: isotropic(d, 1, root, 0.4),
        "per coordinate": lambda: per_coordinate(d, 1, root, 0.4),
    }
    for name, rule in others.items():
        show(name, play(d, T, rule()))
    for late in options.late:
        ftl, learned = matrix_rule(d, T, late)
        show(f"full matrix, late {late}", play(d, T, learned), f"{ftl.solved} matrices computed")
    if options.eager:
        show("full matrix, every task", play(d, T, matrix_rule(d, T, 0.0)[1]))
    else:
        print(f"{'solving at every task':22s} {from_scratch(d, T, False):8.2f} s, estimated from ten tasks")
    d, T = 1000, (1000 - 1) // (M + 1)
    print(f"low-rank phase, d = {d}, T = {T}, m = {M}")
    show("full matrix in the span", play(d, T, matrix_rule(d, T, 0.0)[1]))
    print(f"{'dense at every task':22s} {from_scratch(d, T, True):8.2f} s, estimated from ten tasks")


if __name__ == "__main__":
    main()
