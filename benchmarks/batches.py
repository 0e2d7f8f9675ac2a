r"""10^4 runs at once (10^3 of d = 100) against numpy that is vectorised over them; the projection of 10^5 points.

    python benchmarks/batches.py [--sweeps N]

Greedy projected descent on the unit ball, linear losses, T = 100. numpy does one round of all runs at a time and writes
the same outputs, every action and value, or values only: on the same arrays, (runs, T, d), of which 3.5 times is asked
for 10^4 runs, and on arrays (T, runs, d), the layout that suits it, to compare. The last row of a dimension is no
contest: making and filling the outputs and reading the gradients once, which nobody can do without, against numpy on
its own arrays. Two threads against one come first, by the
clock, on an idle machine (if it is) and beside as many processes as it has processors.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from _rows import Contest, Peers, agree, contest, row, sweeps_asked

from arubatheory.arithmetic import Array
from arubatheory.learners import greedy_ogd, runs
from arubatheory.problems.domains import ball, project, simplex
from arubatheory.problems.losses import losses
from arubatheory.problems.projections import projected

RUNS, FEW, ROUNDS, ETA, POINTS = 10**4, 10**3, 100, 0.1, 10**5


def in_numpy(a: Array, keep: bool = True) -> tuple[Array, Array]:
    """Actions and values of all runs on gradients (T, runs, d), which may be a view; outputs have their layout."""
    x, values = (
        np.zeros(a.shape[1:]),
        np.empty(a.shape[1::-1]).T if a.strides[0] < a.strides[1] else np.empty(a.shape[:2]),
    )
    actions = np.empty_like(a) if keep else np.empty((0, *a.shape[1:]))
    for t in range(len(a)):
        if keep:
            actions[t] = x
        values[t] = np.einsum("kj,kj->k", a[t], x)
        x = x - ETA * a[t]
        x *= (1 / np.maximum(1, np.sqrt(np.einsum("kj,kj->k", x, x))))[:, None]
    return actions, values


def least(a: Array) -> float:
    """What any play does at least: makes and fills the outputs, and reads the gradients once."""
    np.empty_like(a).fill(0)
    np.empty(a.shape[:2]).fill(0)
    return float(a.sum())


def batches(d: int, runs: int, sweeps: int) -> None:
    """The rows of one dimension."""
    a = np.random.default_rng(0).normal(size=(runs, ROUNDS, d))
    L, domain, phi, swapped = losses("linear", a), ball(np.zeros(d), 1.0), np.zeros(d), a.swapaxes(0, 1).copy()
    peers: Peers = {
        "numpy, same arrays": lambda: in_numpy(a.swapaxes(0, 1)),
        "numpy, arrays (T, runs, d)": lambda: in_numpy(swapped),
        "numpy, arrays (T, runs, d), values only": lambda: in_numpy(swapped, False),
        "greedy_ogd()": lambda: greedy_ogd(L, domain, phi, ETA),
        "greedy_ogd(actions=False)": lambda: greedy_ogd(L, domain, phi, ETA, actions=False),
        "outputs and reading": lambda: least(a),
    }
    ours, bare = peers["greedy_ogd()"](), peers["greedy_ogd(actions=False)"]()
    for name in list(peers)[:3]:
        agree(name, [x.swapaxes(0, 1) for x in peers[name]()][-1:], ours[1:2])
    agree("numpy", [x.swapaxes(0, 1) for x in in_numpy(swapped)], ours[:2])
    agree("actions=False", [bare.values], [ours.values])
    found = contest(peers, sweeps)
    what, (same, own, bare_own) = f"d = {d}, {runs:,} runs of T = 100, ball", list(peers)[:3]
    row(what, "greedy_ogd()", [same], found, 3.5 if runs == RUNS else None, faster=True)
    row(what, "greedy_ogd()", [own], found, None, faster=True)
    row(what, "greedy_ogd(actions=False)", [bare_own], found, None, faster=True)
    row(f"d = {d}, the least", "outputs and reading", [own], found, None, faster=True)


def threads(busy: int, sweeps: int) -> None:
    """The rows of two threads against one, by the clock, beside so many processes that only count, in both ways a user
    has: a batch, which is played by two where a core is idle, and a pool of calls, each of its own sequence."""
    a, domain, phi = np.random.default_rng(0).normal(size=(RUNS, ROUNDS, 10)), ball(np.zeros(10), 1.0), np.zeros(10)
    L, parts, asked, idle = losses("linear", a), [losses("linear", x) for x in a.reshape(16, -1, 10)], runs._spare, [0]
    out, outs = greedy_ogd(L, domain, phi, ETA), [greedy_ogd(x, domain, phi, ETA) for x in parts]

    def spare() -> bool:
        idle.append(asked())
        return bool(idle[-1])

    def batch(count: int) -> None:
        runs._spare = spare if count > 1 else lambda: False
        greedy_ogd(L, domain, phi, ETA, out=out)

    def pool(count: int) -> None:
        with ThreadPoolExecutor(count) as workers:
            list(workers.map(lambda x, room: greedy_ogd(x, domain, phi, ETA, out=room), parts, outs))

    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
    try:
        for name, play in (("a batch", batch), ("a pool of 16 calls", pool)):
            found = Contest({"two threads": [], "one": []}, {"two threads": [0]})
            for sweep in range(2 * sweeps + 1):
                for count, label in ((1, "one"), (2, "two threads")):
                    begin = time.perf_counter()
                    play(count)
                    if sweep:
                        found.seconds[label].append(time.perf_counter() - begin)
            if play is pool or any(idle):
                row(f"{name}, {busy} others, by the clock", "two threads", ["one"], found, 1)
            if play is batch:
                played = f"{sum(idle)} of {2 * sweeps + 1} times"
                print(f"a batch, {busy} others: two threads played {played}, where a core was idle")
    finally:
        runs._spare = asked
        for other in others:
            other.kill()
            other.wait()


def simplex_in_numpy(points: Array) -> Array:
    """The projection onto the simplex by sorting, of all points at once."""
    ordered = -np.sort(-points, axis=1)
    excess = (np.cumsum(ordered, axis=1) - 1) / np.arange(1, points.shape[1] + 1)
    last = np.count_nonzero(ordered > excess, axis=1) - 1
    return np.maximum(points - np.take_along_axis(excess, last[:, None], axis=1), 0)


def ball_in_numpy(points: Array) -> Array:
    """The projection onto the unit ball, of all points at once."""
    norm = np.sqrt(np.einsum("kj,kj->k", points, points))
    return points * (1 / np.maximum(1, norm))[:, None]


def projections(sweeps: int) -> None:
    """The rows of `projected`."""
    points: Any = np.random.default_rng(0).normal(size=(POINTS, 10))
    for name, domain, peer in (
        ("simplex", simplex(10), simplex_in_numpy),
        ("ball", ball(np.zeros(10), 1.0), ball_in_numpy),
    ):
        agree("numpy", [projected(domain, points)], [peer(points)])
        agree("project", [projected(domain, points)[7]], [project(domain, points[7])])
        peers: Peers = {"numpy": lambda peer=peer: peer(points)}
        found = contest({**peers, "projected()": lambda domain=domain: projected(domain, points)}, sweeps)
        row(f"d = 10, 1e5 points, {name}", "projected()", ["numpy"], found, 2, faster=True)


def main() -> None:
    """Print the rows."""
    sweeps = sweeps_asked("many runs and many points at once, against numpy")
    for busy in (0, 1, os.cpu_count() or 1):
        threads(busy, sweeps)
    for d, count in ((2, RUNS), (5, RUNS), (10, RUNS), (100, FEW)):
        batches(d, count, sweeps)
    projections(sweeps)


if __name__ == "__main__":
    main()
