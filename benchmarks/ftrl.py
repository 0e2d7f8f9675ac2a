r"""`ftrl` on linear, ridge and squared losses against `omd`, and how its time grows with T and d.

    python benchmarks/ftrl.py [--sweeps N]

Public calls on the unit ball, d = 10, T = 10^5 against `omd` on the same losses; and T = 10^6 over T = 10^4, which is
about 100 where the cost is linear (small T pays for the checks). Least squares: T = 10^4 over 10^3, and d = 80 over
d = 20, which is at most 16 where a round costs O(d^2); the targets have noise, the ball holds the leaders.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _rows import Peers, agree, contest, row, sweeps_asked

from arubatheory.arithmetic import Array
from arubatheory.learners import ftrl, omd
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import LINKS, Losses, losses, rows
from arubatheory.problems.regularizers import euclidean

D, ETA, FEW, SIZES = 10, 0.01, 200, (10**4, 10**5, 10**6)


def by_definition(L: Losses, radius: float, eta: float) -> Array:
    """The actions on a ball around 0 from 0, losses added up anew for every round, where the leaders of squares are
    inside."""
    square, d = L.link == LINKS.index("square"), L.a.shape[1]
    actions, H, g = np.zeros_like(L.a), np.eye(d) / eta, np.zeros(d)
    for t in range(1, len(L.b)):
        w, r, a = L.weight[:t], L.ridge[:t], L.a[:t]
        H = np.eye(d) * (1 / eta + r.sum()) + (a * (w * square[:t])[:, None]).T @ a
        g = a.T @ (w * np.where(square[:t], L.b[:t], -1)) + L.c[:t].T @ r
        actions[t] = np.linalg.solve(H, g)
        actions[t] /= max(1.0, np.linalg.norm(actions[t]) / radius)
    return actions


def compare(name: str, L: Losses, sweeps: int) -> None:
    """The rows of one kind of losses."""
    domain, R, phi = ball(np.zeros(D), 1.0), euclidean(D), np.zeros(D)
    parts = {T: rows(L, 0, T) for T in SIZES}
    agree(
        "the definition", [ftrl(rows(L, 0, FEW), domain, R, phi, ETA).actions], [by_definition(rows(L, 0, FEW), 1, ETA)]
    )
    peers: Peers = {f"T = {T:.0e}": lambda part=part: ftrl(part, domain, R, phi, ETA) for T, part in parts.items()}
    found = contest({**peers, "omd()": lambda: omd(parts[SIZES[1]], domain, R, phi, ETA)}, sweeps)
    found.seconds["ftrl()"], found.faults["ftrl()"] = found.seconds["T = 1e+05"], found.faults["T = 1e+05"]
    row(f"d = 10, T = 1e5, {name}, ball", "ftrl()", ["omd()"], found, 2)
    row(f"d = 10, {name}, ball: T = 1e6 over 1e4", "T = 1e+06", ["T = 1e+04"], found, 150)


def squares(sweeps: int) -> None:
    """The rows of least squares: rounds, and dimensions."""
    rng, calls = np.random.default_rng(1), dict[str, Any]()
    for T, d in ((10**3, D), (10**4, D), (10**3, 20), (10**3, 80)):
        a = rng.normal(size=(T, d))
        L = losses("square", a, a @ np.ones(d) / d + rng.normal(size=T))
        game = L, ball(np.zeros(d), 10.0), euclidean(d), np.zeros(d), 0.1
        few = rows(L, 0, FEW)
        agree("the definition", [ftrl(few, *game[1:]).actions], [by_definition(few, 10, 0.1)])
        calls[f"T = {T:.0e}, d = {d}"] = lambda game=game: ftrl(*game)
    found = contest(calls, sweeps)
    row("squares, ball: T = 1e4 over 1e3", "T = 1e+04, d = 10", ["T = 1e+03, d = 10"], found, 12)
    row("squares, ball: d = 80 over 20", "T = 1e+03, d = 80", ["T = 1e+03, d = 20"], found, 16)


def main() -> None:
    """Print the rows."""
    sweeps = sweeps_asked("FTRL against OMD")
    rng = np.random.default_rng(0)
    a = rng.normal(size=(SIZES[-1], D))
    linear, small = losses("linear", a), losses("linear", a[:300])
    played = [f(small, ball(np.zeros(D), 1.0), euclidean(D), np.zeros(D), ETA) for f in (ftrl, omd)]
    agree("omd, on linear losses", *played)
    compare("linear", linear, sweeps)
    squares(sweeps)
    compare("ridge", losses("linear", a, ridge=0.3, c=rng.normal(size=a.shape)), sweeps)


if __name__ == "__main__":
    main()
