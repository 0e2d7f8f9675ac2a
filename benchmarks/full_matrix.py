r"""Learning a full matrix: a long run of tasks, and one in many dimensions, lazily and with H computed at every task.

    python benchmarks/full_matrix.py [--tasks 10000] [--dimension 100] [--late 0.1 0.3] [--eager]

Tasks are m = 10 quadratics around an optimum with a spectrum of two decades in random directions, drawn on the fly;
each is played by OMD with the H of the rule, which then learns from it (`geometry_steps`). The first table is the lazy
rule for each `late`, whose losses are at most $e^{late}$ times those of FTL: seconds, matrices computed, average regret
and upper bound, and the peak of memory. Solving from scratch at every task is timed at ten tasks spread over the run
and multiplied by their number; --eager plays it instead, which also says what lateness cost in regret. The second table
is the low-rank phase at d = 1000, (m + 1) t < d, where H is computed in the span of what was seen, against a dense
solution at every task. Before them comes
the row of a whole run against numpy with a Cholesky and an eigendecomposition at every task. On one thread.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy reads it when it is first imported
os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from _rows import agree, contest, row

from arubatheory.arithmetic import Array
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


def afresh(tasks: list[tuple[Losses, Array]], d: int, T: int) -> Array:
    """The first of T tasks in numpy, a Cholesky and an eigendecomposition at each: regrets and bounds (2, n)."""
    eps2, zeta2, identity, found = T**-0.25, M * T**-0.25, np.eye(d), np.empty((2, len(tasks)))
    B2, G2, phi = eps2 * identity, zeta2 * identity, np.zeros(d)
    for t, (part, optimum) in enumerate(tasks):
        L = np.linalg.cholesky(G2)
        s, U = np.linalg.eigh(L.T @ B2 @ L)
        X = np.linalg.solve(L.T, U * s**0.25)
        H, summed, gradients, regret = X @ X.T, np.zeros(d), np.empty_like(part.c), 0.0
        for i, c in enumerate(part.c):
            gradients[i] = phi - H @ summed - c
            regret += (gradients[i] @ gradients[i] - (optimum - c) @ (optimum - c)) / 2
            summed += gradients[i]
        away = np.linalg.solve(X, optimum - phi)
        found[:, t] = regret, away @ away / 2 + ((gradients @ X) ** 2).sum()
        B2 += np.outer(optimum - phi, optimum - phi) / 2 + eps2 * identity
        G2 += gradients.T @ gradients + zeta2 * identity
        phi = (t * phi + optimum) / (t + 1)
    return found


def end_to_end(d: int, T: int, late: float, sweeps: int) -> None:
    """The row of a whole run; numpy's tasks cost the same each, so that a few of them tell."""
    tasks, few = list(drawn(d, T)), min(T, 200)

    def steps(count: int, late: float) -> Array:
        played = geometry_steps(tasks[:count], space(d), matrix_rule(d, T, late)[1], np.zeros(d))
        return np.array([(step.regret, step.upper) for step in played]).T

    agree("Cholesky and eigh", afresh(tasks[:60], d, T), steps(60, 0.0), 1e-7)
    ours, peer = f"geometry_steps(), late {late:g}", "numpy's Cholesky and eigh"
    found = contest({ours: lambda: steps(T, late), peer: lambda: afresh(tasks[:few], d, T)}, sweeps)
    found.seconds[peer][:] = [seconds * T / few for seconds in found.seconds[peer]]
    row(f"full matrix, T = {T:,}, d = {d}, m = {M}", ours, [peer], found, 6, faster=True)


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
    end_to_end(d, T, options.late[0] if options.late else 0.1, 5)
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
