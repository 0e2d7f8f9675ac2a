r"""Section 6: ARUBA++, which is AdaGrad from a state of Algorithm 2, and Algorithm 2 in federated averaging."""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.kernel import on
from arubatheory.learners.algorithm2 import add_movement, add_squares
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.games import MOST_T


def refinement(draw: Draw) -> Instance:
    """State of one coordinate at meta-test time, and the gradients of the task."""
    b, g, c = draw.positive(-16, 16), draw.positive(-16, 16), draw.positive(-16, 16)
    return Instance(b=b, g=g, c=c, gradients=draw.real(-1, 1, draw.size("m", 4, MOST_T)) * draw.positive(-16, 16))


POSITIVE = (Assumption("b>0", lambda x: x.b), Assumption("g>0", lambda x: x.g), Assumption("c>0", lambda x: x.c))


@claim(
    "alg:aruba/plus-plus",
    r"\frac{b_T}{g_T+c\sum_{j<i}\nabla_j^2}=\frac{b_T/c}{g_T/c+\sum_{j<i}\nabla_j^2}",
    refinement,
    POSITIVE,
    uses=("alg:aruba",),
)
def adagrad(x: Instance) -> tuple[Sides, ...]:
    r"""ARUBA++ is AdaGrad, one gradient late.

    AdaGrad with step size $\sqrt{b_T/c}$, begun at $g_T/c$, coordinate by coordinate; the gradient of step $i$ enters
    the rate of step $i+1$. Printed: $\hat g$ is updated and never initialised, and $\eta$ uses $g_{T,i+1}$ without the
    hat, which is never set; read as one variable. Algorithm 2 returns $\phi_T,\eta_T$, which do not see task $T$.
    """
    found: tuple[Sides, ...] = ()
    state, seen = np.array([x.g]), x.g / x.c
    for i in range(len(x.gradients)):
        found += equality(x.b / state[0], x.b / x.c / seen)
        on(add_squares, x.b)(state, x.gradients[i : i + 1], x.c)
        seen = seen + x.gradients[i] * x.gradients[i]
    return found


def federated_round(draw: Draw) -> Instance:
    """One coordinate of the models that n nodes return in a round, all started from phi."""
    n, scale = draw.size("n", 6, MOST_T), draw.positive(-16, 16)
    return Instance(phi=draw.real(-1, 1) * scale, models=draw.real(-1, 1, n) * scale)


def movements(x: Instance) -> tuple[Any, Any]:
    """What the server's own movement adds to b, and what those of the nodes add."""
    start, (server, nodes) = np.array([x.phi]), (np.array([x.phi - x.phi]) for _ in range(2))
    on(add_movement, start)(server, start, np.array([sum(x.models) / len(x.models)]), 0)
    for k in range(len(x.models)):
        on(add_movement, start)(nodes, start, x.models[k : k + 1], 0)
    return server[0], nodes[0]


AVERAGE, NODES = r"\phi_{r+1}=\frac1n\sum_{k=1}^n\hat\theta_k\implies", r"\sum_{k=1}^n\frac12(\phi_r-\hat\theta_k)^2"
ROUND = {"game": federated_round, "uses": ("alg:aruba",)}


@claim("alg:aruba/fedavg", AVERAGE + r"\frac12(\phi_r-\phi_{r+1})^2=" + NODES, **ROUND)
def server_is_nodes(x: Instance) -> tuple[Sides, ...]:
    r"""FedAvg with each node a task: the movement that the server sees is that of the nodes.

    Section 6 calls each node a task, and computes rates via Algorithm 2 from the difference of the global models. Nodes
    that go to $\phi_r\pm1$ leave $\phi_{r+1}=\phi_r$: the server sees no movement where Algorithm 2 adds 1. (The
    authors' code adds each node's own.)
    """
    return equality(*movements(x))


@claim("alg:aruba/fedavg/corrected", AVERAGE + r"\frac n2(\phi_r-\phi_{r+1})^2\le" + NODES, **ROUND)
def server_below_nodes(x: Instance) -> Sides:
    """The movement that the server sees is at most the n-th part of that of the nodes.

    Convexity of the square; equal where all nodes return the same model.
    """
    server, nodes = movements(x)
    return Sides(len(x.models) * server, nodes)
