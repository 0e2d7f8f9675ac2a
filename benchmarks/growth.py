r"""Processor time a round as T grows from 10^3 to 10^7, d = 2, unit ball: linear but for what is said to be not.

    python benchmarks/growth.py

Public calls, the best of three. The leaders of `ftl` are played on ridges, and those of both on squares, whose sums are
carried, up to T = 10^6. Learners as state, which Python asks for every round, are played on linear losses up to
T = 10^5, and `meta_learn` on tasks of five losses. `ftrl` goes over the past where sums cannot hold it, as `ewoo` does
with any functions: their exponents are printed for few rounds. `v_rule` is given T^2 numbers.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from _rows import agree

from arubatheory.learners import (
    FTL,
    FTRL,
    OMD,
    AdaGrad,
    AdaptiveOGD,
    Aruba,
    BregmanFTL,
    DynamicOGD,
    EpsEWOO,
    EpsFTL,
    Hedge,
    Learner,
    MatrixFTL,
    OnlineNewton,
    OptimisticOMD,
    PreconditionedOMD,
    aogd,
    bregman_ftl,
    dynamic_ogd,
    eps_ewoo,
    eps_ftl,
    ewoo,
    ftl,
    ftrl,
    greedy_ogd,
    omd,
    preconditioned_omd,
)
from arubatheory.learners import play as played
from arubatheory.learners.meta import eps_ewoo_rate, mean, meta_learn
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import Losses, losses, rows
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import Tasks

D, ETA = 2, 0.1
UNIT, PHI, R = ball(np.zeros(D), 1.0), np.zeros(D), euclidean(D)
EIGHTH = np.array([0.125, 0.25])
LEARNERS: dict[str, Callable[[Losses], Any]] = {
    "omd": lambda L: omd(L, UNIT, R, PHI, ETA),
    "greedy_ogd": lambda L: greedy_ogd(L, UNIT, PHI, ETA),
    "dynamic_ogd": lambda L: dynamic_ogd(L, UNIT, PHI, ETA, 0.5),
    "aogd": lambda L: aogd(L, UNIT, PHI, 1.0),
    "ftl": lambda L: ftl(L, UNIT, PHI),
    "ftrl": lambda L: ftrl(L, UNIT, R, PHI, ETA),
}
AS_STATE: dict[str, Callable[[], Learner]] = {
    "OMD": lambda: OMD(UNIT, R, PHI, ETA),
    "DynamicOGD": lambda: DynamicOGD(UNIT, PHI, ETA, 0.5),
    "AdaptiveOGD": lambda: AdaptiveOGD(UNIT, PHI, 1.0),
    "OptimisticOMD": lambda: OptimisticOMD(UNIT, R, PHI, ETA),
    "Hedge": lambda: Hedge(np.array([0.5, 0.5]), ETA),
    "AdaGrad": lambda: AdaGrad(UNIT, PHI, ETA, delta=1.0),
    "OnlineNewton": lambda: OnlineNewton(UNIT, PHI, 1.0, 1.0),
    "PreconditionedOMD": lambda: PreconditionedOMD(UNIT, EIGHTH, PHI),
    "FTRL": lambda: FTRL(UNIT, R, PHI, ETA),
    "FTL": lambda: FTL(UNIT, PHI),
}


def of_means(see: Callable[[Any, int], None], learner: Any) -> Callable[[Losses], None]:
    """A play of a learner that is told of no losses."""

    def play_all(L: Losses) -> None:
        state = copy.deepcopy(learner)
        for t in range(len(L.b)):
            see(state, t)

    return play_all


def task(learner: Aruba, t: int) -> None:
    """One task of one gradient."""
    learner.start()
    learner.see(EIGHTH)
    learner.end(PHI, EIGHTH)


def matrix(learner: MatrixFTL, t: int) -> None:
    """One task of one vector."""
    learner.preconditioner()
    learner.learn(EIGHTH, EIGHTH)


OTHERS: dict[str, tuple[Callable[[Losses], Any], tuple[int, ...]]] = {
    "preconditioned_omd": (lambda L: preconditioned_omd(L, UNIT, EIGHTH, PHI), (10**3, 10**5, 10**6, 10**7)),
    "eps_ewoo": (lambda L: eps_ewoo(np.abs(L.b), 1.0, 4.0, ETA), (10**3, 10**5, 10**6, 10**7)),
    "eps_ftl": (lambda L: eps_ftl(np.abs(L.b), 1.0, 4.0, ETA), (10**3, 10**5, 10**6, 10**7)),
    "bregman_ftl": (lambda L: bregman_ftl(L.a, 1.0, PHI), (10**3, 10**5, 10**6, 10**7)),
    "meta_learn, rounds": (
        lambda L: meta_learn(Tasks(L, np.arange(0, len(L.b) + 1, 5)), UNIT, R, mean(PHI), eps_ewoo_rate(2.0, ETA)),
        (10**3, 10**5, 10**6, 10**7),
    ),
    "EpsEWOO": (of_means(lambda x, t: x.see(0.25), EpsEWOO(1.0, ETA, 0.1)), (10**3, 10**4, 10**5)),
    "EpsFTL": (of_means(lambda x, t: x.see(0.25), EpsFTL(1.0, ETA)), (10**3, 10**4, 10**5)),
    "BregmanFTL": (of_means(lambda x, t: x.see(EIGHTH), BregmanFTL(PHI)), (10**3, 10**4, 10**5)),
    "Aruba, tasks": (of_means(task, Aruba(PHI)), (10**3, 10**4, 10**5)),
    "MatrixFTL, tasks": (of_means(matrix, MatrixFTL(D, 1.0, 1.0)), (10**3, 10**4, 10**5)),
}


def seconds(play: Callable[[Losses], Any], L: Losses) -> float:
    """The best of three."""
    found = []
    for _ in range(3):
        begin = time.process_time()
        play(L)
        found.append(time.process_time() - begin)
    return min(found)


def in_numpy(L: Losses, name: str) -> Any:
    """Actions on linear losses, or of `ftl` and `aogd` on ridges around 0, by their definitions."""
    x, total, mass, actions = PHI, PHI, 0.0, np.empty_like(L.a)
    for t, (g, r) in enumerate(zip(L.a, L.ridge, strict=True)):
        actions[t], total, mass = x, total + g, mass + r
        if name in ("omd", "ftrl", "ftl"):
            moved = -total / mass if name == "ftl" else PHI - ETA * total
        else:
            moved = x - (ETA * g if name != "aogd" else (g + r * x) / (t + 1))
        moved = moved / max(1.0, np.sqrt(moved @ moved))
        x = x + (moved - x) / 2 if name == "dynamic_ogd" else moved
    return actions


def report(name: str, play: Callable[[Losses], Any], L: Losses, sizes: tuple[int, ...], most: float) -> None:
    """Prints nanoseconds a round at each size, and the exponent from the last but two, or the first."""
    play(rows(L, 0, 10))
    times = [seconds(play, rows(L, 0, T)) for T in sizes]
    base = max(len(sizes) - 3, 0)
    exponent = math.log(times[-1] / times[base]) / math.log(sizes[-1] / sizes[base])
    each = ", ".join(f"T = {T:.0e}: {t / T * 1e9:,.0f}" for T, t in zip(sizes, times, strict=True))
    verdict = "reached" if exponent <= most else "MISSED"
    print(f"{name}: ns a round at {each}; exponent {exponent:.2f}, reach <= {most}: {verdict}", flush=True)


def main() -> None:
    """Print the rows."""
    rng = np.random.default_rng(0)
    a, heights = rng.normal(size=(10**7, D)), rng.uniform(-4, 4, 10**7)
    linear, ridge = losses("linear", a, heights), losses("linear", a, ridge=0.5)
    few = {name: rows(ridge if name in ("ftl", "aogd") else linear, 0, 1000) for name in LEARNERS}
    for name, play in LEARNERS.items():
        agree(name, [play(few[name]).actions], [in_numpy(few[name], name)])
        report(name, play, ridge if name in ("ftl", "aogd") else linear, (10**3, 10**5, 10**6, 10**7), 1.1)
    for name, (play_all, sizes) in OTHERS.items():
        report(name, play_all, linear, sizes, 1.1)
    for name, make in AS_STATE.items():
        game = ridge if name == "FTL" else linear
        report(
            f"{name}, as state", lambda L, make=make: played(make(), L, actions=False), game, (10**3, 10**4, 10**5), 1.1
        )
    b, sizes = rng.normal(size=10**6), (10**3, 10**4, 10**5, 10**6)
    for name, ridge_of in (("ftrl", 0.0), ("ftl", 0.5)):
        squares, state = losses("square", a[: 10**6], b, ridge=ridge_of), AS_STATE[name.upper()]
        report(f"{name}, squares", LEARNERS[name], squares, sizes, 1.1)
        report(
            f"{name}, squares, as state",
            lambda L, make=state: played(make(), L, actions=False),
            squares,
            sizes[:3],
            1.1,
        )
    for link in ("absolute", "logistic"):
        report(f"ftrl, {link} losses", LEARNERS["ftrl"], losses(link, a[:400], b[:400]), (100, 200, 400), 2.1)
    report(
        "ewoo",
        lambda L: ewoo(L, 0.1, -1.0, 1.0),
        losses("square", a[:1600, :1] / 4, b[:1600] / 4),
        (100, 400, 1600),
        2.1,
    )


if __name__ == "__main__":
    main()
