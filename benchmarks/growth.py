r"""Processor time a round as T grows from 10^3 to 10^7, d = 2, unit ball: linear but for what is said to be not.

    python benchmarks/growth.py

Public calls, the best of three. The leaders of `ftl` are played on ridges, and those of both on squares, whose sums are
carried, up to T = 10^6. `ftrl` goes over the past where sums cannot hold it: its exponent is printed for absolute and
logistic losses up to T = 400.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from _rows import agree

from arubatheory.learners import aogd, dynamic_ogd, ftl, ftrl, greedy_ogd, omd
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import Losses, losses, rows
from arubatheory.problems.regularizers import euclidean

D, ETA = 2, 0.1
UNIT, PHI, R = ball(np.zeros(D), 1.0), np.zeros(D), euclidean(D)
LEARNERS: dict[str, Callable[[Losses], Any]] = {
    "omd": lambda L: omd(L, UNIT, R, PHI, ETA),
    "greedy_ogd": lambda L: greedy_ogd(L, UNIT, PHI, ETA),
    "dynamic_ogd": lambda L: dynamic_ogd(L, UNIT, PHI, ETA, 0.5),
    "aogd": lambda L: aogd(L, UNIT, PHI, 1.0),
    "ftl": lambda L: ftl(L, UNIT, PHI),
    "ftrl": lambda L: ftrl(L, UNIT, R, PHI, ETA),
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
    a = rng.normal(size=(10**7, D))
    linear, ridge = losses("linear", a), losses("linear", a, ridge=0.5)
    few = {name: rows(ridge if name in ("ftl", "aogd") else linear, 0, 1000) for name in LEARNERS}
    for name, play in LEARNERS.items():
        agree(name, [play(few[name]).actions], [in_numpy(few[name], name)])
        report(name, play, ridge if name in ("ftl", "aogd") else linear, (10**3, 10**5, 10**6, 10**7), 1.1)
    b, sizes = rng.normal(size=10**6), (10**3, 10**4, 10**5, 10**6)
    for name, ridge_of in (("ftrl", 0.0), ("ftl", 0.5)):
        squares = losses("square", a[: 10**6], b, ridge=ridge_of)
        report(f"{name}, squares", LEARNERS[name], squares, sizes, 1.1)
    for link in ("absolute", "logistic"):
        report(f"ftrl, {link} losses", LEARNERS["ftrl"], losses(link, a[:400], b[:400]), (100, 200, 400), 2.1)


if __name__ == "__main__":
    main()
