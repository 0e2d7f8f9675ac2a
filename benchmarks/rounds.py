r"""A round of `omd` on bent losses against its parts, each measured alone: linear round, projection and link.

    python benchmarks/rounds.py [--sweeps N]

d = 10, T = 10^5, public calls. The linear round is `omd` on linear losses in $\mathbb R^d$ (it reads the gradients and
writes actions and values); the projection is `projected` of T points, and the link the values of the losses at T
points, both into arrays that are there already. The first rounds are compared with the definition, written out.
"""

from __future__ import annotations

import numpy as np
from _rows import Peers, agree, contest, row, sweeps_asked

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.learners import omd
from arubatheory.problems.domains import Domain, ball, box, simplex, space
from arubatheory.problems.losses import Losses, evaluate, losses, rows, subgradient, values_into
from arubatheory.problems.projections import projected
from arubatheory.problems.regularizers import euclidean

D, ROUNDS, FEW, ETA = 10, 10**5, 1000, 0.01
LINKS = ("square", "logistic", "hinge", "absolute")


@kernel
def links(L: Losses, X: np.ndarray, out: np.ndarray) -> None:
    """The values of the losses, each at its own point."""
    values_into(L, X, out)


def by_definition(L: Losses, domain: Domain, phi: Array) -> tuple[Array, Array]:
    """Actions and values, round by round."""
    actions, paid, total = np.empty_like(L.a), np.empty_like(L.b), np.zeros(D)
    for i in range(len(L.b)):
        actions[i] = projected(domain, phi - ETA * total)
        paid[i] = evaluate(rows(L, i, i + 1), actions[i])[0]
        total += subgradient(L, i, actions[i])
    return actions, paid


def main() -> None:
    """Print the rows."""
    sweeps = sweeps_asked("rounds of OMD against their parts")
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
            agree("the definition", [x[:FEW] for x in out[:2]], by_definition(rows(L, 0, FEW), domain, phi))
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
