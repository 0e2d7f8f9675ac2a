r"""`hindsight` on linear and quadratic losses against one pass over the losses, on balls, boxes and simplices.

    python benchmarks/hindsight.py [--sweeps N]

The pass is the compiled sum of the losses at one point, d = 10, T = 10^5; public calls, checks included.
"""

from __future__ import annotations

import numpy as np
from _rows import Peers, agree, contest, row, sweeps_asked

from arubatheory.convex.hindsight import hindsight
from arubatheory.problems.domains import ball, box, simplex
from arubatheory.problems.losses import losses, total

D, ROUNDS = 10, 10**5


def main() -> None:
    """Print the rows."""
    sweeps = sweeps_asked("hindsight against one pass over the losses")
    rng = np.random.default_rng(0)
    a, c = rng.normal(size=(ROUNDS, D)), rng.normal(size=(ROUNDS, D))
    tasks = {"linear": losses("linear", a), "ridge": losses("linear", a, ridge=0.3, c=c), "square": losses("square", a)}
    domains = {"ball": ball(np.zeros(D), 1.0), "box": box(-np.ones(D), np.ones(D)), "simplex": simplex(D)}
    x = np.full(D, 1 / D)
    for link, L in tasks.items():
        for name, domain in domains.items():
            best = hindsight(L, domain)
            if not best.lower <= best.value <= best.lower + 1e-8 * (1 + abs(best.value)):
                raise SystemExit(f"{link} on a {name}: {best.value} is not certified by {best.lower}")
            agree("one pass", [total(L, len(L.b), best.action)], [best.value])
            peers: Peers = {"one pass": lambda L=L: total(L, len(L.b), x)}
            found = contest({**peers, "hindsight()": lambda L=L, domain=domain: hindsight(L, domain)}, sweeps)
            row(f"d = 10, T = 1e5, {link}, {name}", "hindsight()", ["one pass"], found, 3)


if __name__ == "__main__":
    main()
