r"""Section 6: ARUBA++, which is AdaGrad from a state of Algorithm 2, and Algorithm 2 in federated averaging."""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.kernel import on
from arubatheory.learners.algorithm2 import add_squares
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, Statement


def _round(draw: Draw) -> Instance:
    """One coordinate of the models that n nodes return in a round, all started from phi."""
    n, scale = draw.integer(1, 6), draw.positive(-16, 16)
    return Instance(phi=draw.real(-1, 1) * scale, models=draw.real(-1, 1, n) * scale)


def _movements(x: Instance) -> tuple[Any, Any]:
    n = len(x.models)
    server = x.phi - sum(x.models) / n
    return server * server / 2, sum((x.phi - y) * (x.phi - y) for y in x.models) / 2


def _magnitude(x: Instance) -> Any:
    return len(x.models) * (abs(x.phi) + max(abs(x.models))) ** 2


def _server_is_nodes(x: Instance) -> tuple[Sides, ...]:
    server, nodes = _movements(x)
    return tuple(Sides(*pair, _magnitude(x)) for pair in ((server, nodes), (nodes, server)))


def _server_below_nodes(x: Instance) -> Sides:
    server, nodes = _movements(x)
    return Sides(len(x.models) * server, nodes, _magnitude(x))


def _refinement(draw: Draw) -> Instance:
    """State of one coordinate at meta-test time, and the gradients of the task."""
    b, g, c = draw.positive(-16, 16), draw.positive(-16, 16), draw.positive(-16, 16)
    return Instance(b=b, g=g, c=c, gradients=draw.real(-1, 1, draw.integer(1, 4)) * draw.positive(-16, 16))


def _adagrad(x: Instance) -> tuple[Sides, ...]:
    g, step, seen = x.g, x.b / x.c, x.g / x.c
    found: list[Sides] = []
    for gradient in x.gradients:
        ours, theirs = x.b / g, step / seen
        found += [Sides(ours, theirs, ours + theirs), Sides(theirs, ours, ours + theirs)]
        state = np.array([g])
        on(add_squares, x.b)(state, np.array([gradient]), x.c)
        g, seen = state[0], seen + gradient * gradient
    return tuple(found)


# statements -----------------------------------------------------------------------------------------------------------
VARIANTS = (
    Statement(
        label="alg:aruba/plus-plus", kind="algorithm", part_of="alg:aruba",
        title="ARUBA++ is AdaGrad, one gradient late",
        latex=r"\frac{b_T}{g_T+c\sum_{j<i}\nabla_j^2}=\frac{b_T/c}{g_T/c+\sum_{j<i}\nabla_j^2}",
        instance=_refinement, sides=_adagrad, uses=("alg:aruba",),
        assumptions=tuple(Assumption(f"{n}>0", lambda x, n=n: getattr(x, n)) for n in "bgc"),  # type: ignore[misc]
        note=r"AdaGrad with step size $\sqrt{b_T/c}$, begun at $g_T/c$, coordinate by coordinate; the gradient of step "
        r"$i$ enters the rate of step $i+1$. Printed: $\hat g$ is updated and never initialised, and $\eta$ uses "
        r"$g_{T,i+1}$ without the hat, which is never set; read as one variable. Algorithm 2 returns $\phi_T,\eta_T$, "
        r"which do not see task $T$.",
    ),
    Statement(
        label="alg:aruba/fedavg", kind="algorithm", part_of="alg:aruba",
        title="FedAvg with each node a task: the movement that the server sees is that of the nodes",
        latex=r"\phi_{r+1}=\frac1n\sum_{k=1}^n\hat\theta_k\implies\frac12(\phi_r-\phi_{r+1})^2"
        r"=\sum_{k=1}^n\frac12(\phi_r-\hat\theta_k)^2", instance=_round, sides=_server_is_nodes, uses=("alg:aruba",),
        note=r"Section 6 calls each node a task, and computes rates via Algorithm 2 from the difference of the global "
        r"models. Nodes that go to $\phi_r\pm1$ leave $\phi_{r+1}=\phi_r$: the server sees no movement where "
        r"Algorithm 2 adds 1. (The authors' code adds each node's own.)",
    ),
    Statement(
        label="alg:aruba/fedavg/corrected", kind="algorithm", part_of="alg:aruba",
        title="The movement that the server sees is at most the n-th part of that of the nodes",
        latex=r"\phi_{r+1}=\frac1n\sum_{k=1}^n\hat\theta_k\implies\frac n2(\phi_r-\phi_{r+1})^2"
        r"\le\sum_{k=1}^n\frac12(\phi_r-\hat\theta_k)^2", instance=_round, sides=_server_below_nodes,
        uses=("alg:aruba",), corrects=("alg:aruba/fedavg",),
        note="Convexity of the square; equal where all nodes return the same model.",
    ),
)  # fmt: skip
