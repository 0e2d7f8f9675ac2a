r"""Personalisation: one pass over a role's own text from the trained model, by fixed, learned or adapting rates.

What $\eta$ is at test time has two readings: the printed result of Algorithm 2, the rates of the last task ($\eta_T$),
or those that know all tasks ($\eta_{T+1}$, as in the authors' code). "ARUBA++ c" goes on from the latter by `refine`.
"doubled" is what the authors' few-shot code does where it evaluates without ARUBA++ but was given a coefficient for it:
both updates are run on one gradient, the plain one and the adapting one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arubatheory.learners.algorithm2 import Aruba
from practice.charnet import CharNet
from practice.nodes import Node, Step, fixed, hits, learn, ordered

TOGETHER = 30  # nodes side by side
NEXT, LAST, NOT = "learned", "learned, last task's", "none"


def adapting(state: Aruba, c: float, nodes: int, also: Any = 0.0) -> Step:
    """ARUBA++ with coefficient c on each node, each with a state of its own; `also` is added to its rates."""
    states = [state.refine(c) for _ in range(nodes)]

    def step(i: int, gradient: np.ndarray, out: np.ndarray) -> np.ndarray:
        for one, g, row in zip(states, gradient, out, strict=False):
            one.rates(row)
            one.see(g)
        out += also
        out *= gradient
        return out

    return step


def ways(state: Aruba | None, last: Any, steps: Sequence[float], coefficients: Sequence[float]) -> dict[str, Any]:
    """How to personalise, by name: for a number of nodes, their `Step`. "none" leaves the model as it is."""
    found: dict[str, Any] = {f"fixed {eta:g}": lambda n, eta=eta: fixed(eta) for eta in steps}
    if state is not None:
        eta = state.rates()
        found |= {NEXT: lambda n: fixed(eta), LAST: lambda n: fixed(last)}
        found |= {f"ARUBA++ {c:g}": lambda n, c=c: adapting(state, c, n) for c in coefficients}
        if coefficients:
            found["doubled"] = lambda n: adapting(state, 1.0, n, also=eta)
    return found


def personalised(net: CharNet, phi: np.ndarray, nodes: Sequence[Node], way: Any, seed: int) -> np.ndarray:
    """How many characters each node gets right after its own pass, in the order of `nodes`."""
    if way is None:
        return hits(net, phi, nodes)
    found: dict[int, int] = {}
    queue = ordered(nodes)
    for k in range(0, len(queue), TOGETHER):
        some = queue[k : k + TOGETHER]
        theta = learn(net, phi, some, way(len(some)), (seed, 4)).theta
        found |= dict(zip((one.role for one in some), hits(net, theta, some).tolist(), strict=True))
    return np.array([found[one.role] for one in nodes])
