r"""A round of `omd` on bent losses against its parts, each measured alone: linear round, projection and link.

    python benchmarks/rounds.py [--sweeps N]

d = 10, T = 10^5, public calls. The linear round is `omd` on linear losses in $\mathbb R^d$ (it reads the gradients and
writes actions and values); the projection is `projected` of T points, and the link the values of the losses at T
points, both into arrays that are there already.
"""

from __future__ import annotations

import argparse

import numpy as np
from _rows import Peers, contest, row

from arubatheory.kernel import kernel
from arubatheory.learners import omd
from arubatheory.problems.domains import ball, box, simplex, space
from arubatheory.problems.losses import Losses, losses, values_into
from arubatheory.problems.projections import projected
from arubatheory.problems.regularizers import euclidean

D, ROUNDS, ETA = 10, 10**5, 0.01
LINKS = ("square", "logistic", "hinge", "absolute")


@kernel
def links(L: Losses, X: np.ndarray, out: np.ndarray) -> None:
    """The values of the losses, each at its own point."""
    values_into(L, X, out)


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description="rounds of OMD against their parts")
    parser.add_argument("--sweeps", type=int, default=7)
    sweeps = max(parser.parse_args().sweeps, 5)
    rng = np.random.default_rng(0)
    a, b, R, phi = rng.normal(size=(ROUNDS, D)), rng.normal(size=ROUNDS), euclidean(D), np.full(D, 1 / D)
    points, near, paid = rng.normal(size=(ROUNDS, D)), np.empty((ROUNDS, D)), np.empty(ROUNDS)
    kinds = {link: losses(link, a, b) for link in LINKS[:3]}
    kinds["mixed"] = losses(rng.choice(LINKS, size=ROUNDS).tolist(), a, b)
    linear = losses("linear", a, b)
    domains = {"ball": ball(np.zeros(D), 1.0), "box": box(-np.ones(D) / 2, np.ones(D) / 2), "simplex": simplex(D)}
    for link, L in kinds.items():
        for name, domain in domains.items():
            out, other = omd(L, domain, R, phi, ETA), omd(linear, space(D), R, phi, ETA)
            peers: Peers = {
                "omd(out=)": lambda L=L, domain=domain, out=out: omd(L, domain, R, phi, ETA, out=out),
                "linear": lambda other=other: omd(linear, space(D), R, phi, ETA, out=other),
                "projection": lambda domain=domain: projected(domain, points, out=near),
                "link": lambda L=L: links(L, points, paid),
            }
            found = contest(peers, sweeps)
            row(f"d = 10, T = 1e5, {link}, {name}", "omd(out=)", ["linear", "projection", "link"], found, 1.5)


if __name__ == "__main__":
    main()
