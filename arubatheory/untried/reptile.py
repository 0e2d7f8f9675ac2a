r"""Reptile and FedAvg on synthetic tasks, with learning rates that are fixed or learned by Algorithm 2.

Both run a batch of n tasks from one point $\phi$ with the same rates, task k of the batch ending at
$\hat\theta_k$ after one step $\theta \leftarrow \theta - \eta\odot\nabla$ for each of its $m_k$ losses; then

* Reptile (Nichol et al., 2018) moves by a share: $\phi \leftarrow \phi + w\,\frac1n\sum_k(\hat\theta_k - \phi)$; serial
  Reptile is n = 1;
* FedAvg (McMahan et al., 2017) averages: $\phi \leftarrow \sum_k\frac{m_k}{m_{1:n}}\hat\theta_k$.

Rates are learned from every task of a batch (`Aruba.absorb`). The text of section 6 says instead that FedAvg's server
uses its own movement $\phi_r - \phi_{r+1}$: `movement="server"` does that, with the round as one task. It is blind to
nodes that move apart: the movements cancel in the mean, while their squares, in Algorithm 2, add up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.learners.algorithm2 import Aruba
from arubatheory.problems.losses import Losses, subgradient, value
from arubatheory.problems.numbers import as_vector, check_count, in_floats, real, shaped
from arubatheory.problems.tasks import Tasks, count, task

MOVEMENTS = ("nodes", "server")


class ReptileTrajectory(NamedTuple):
    r"""Of each task: where it started $\phi$ and ended $\hat\theta$ (T, d), the rates (T, d), the losses paid (T,); and
    the last `initialization` (d,)."""

    phi: Array
    theta: Array
    eta: Array
    paid: Array
    initialization: Array


@kernel
def descend(L: Losses, phi: Array, eta: Array) -> Any:
    r"""One step for each loss: $\hat\theta$ (d,), $\sum_i\nabla_i^2$ (d,), and the sum of the losses on the way."""
    theta, squares, paid = phi.copy(), 0 * phi, 0.0
    for i in range(L.b.shape[0]):
        paid += value(L, i, theta)
        gradient = subgradient(L, i, theta)
        squares = squares + gradient * gradient
        theta = theta - eta * gradient
    return theta, squares, paid


def reptile(tasks: Tasks, phi: Any, rates: Any, *, weight: float = 1.0, batch: int = 1) -> ReptileTrajectory:
    r"""Reptile from $\phi$ (d,) with the share w = `weight` in (0, 1], in batches of `batch` tasks, the last shorter.

    `rates` is an `Aruba` or `Isotropic` for parameters like phi, which goes on learning, or fixed: a number or d of
    them, >= 0.

    Raises ValueError or TypeError naming the argument; OverflowError where an iterate leaves the range of float64 (the
    rates were too large).
    """
    check_count("batch", batch)
    return _run(tasks, phi, rates, batch, real("weight", weight, above=0, most=1), False, "nodes")


def fedavg(tasks: Tasks, phi: Any, rates: Any, *, nodes: int = 10, movement: str = "nodes") -> ReptileTrajectory:
    r"""FedAvg from $\phi$ (d,) in rounds of `nodes` tasks. `movement` is what the rates learn from: the "nodes", each a
    task, or the "server" alone. Rates and errors as in `reptile`."""
    if movement not in MOVEMENTS:
        raise ValueError(f"movement must be one of {', '.join(MOVEMENTS)}, got {movement!r}")
    check_count("nodes", nodes)
    return _run(tasks, phi, rates, nodes, 1.0, True, movement)


def _start(losses: Losses, phi: Any, rates: Any) -> tuple[Array, Array | None]:
    """phi in floats, with as many parameters as the losses have and the rates are for; and these if they are fixed."""
    d: int = losses.a.shape[1]
    point = in_floats("phi", as_vector("phi", phi))
    if point.size != d:
        raise ValueError(f"phi must have dimension {d}, got {point.size}")
    if isinstance(rates, Aruba):
        if rates.shapes.like != [((d,), np.dtype(np.float64))]:
            raise ValueError(f"rates must be for {d} parameters in float64, got {rates.shapes.like!r}")
        return point, None
    eta = in_floats("rates", shaped("rates", rates, d))
    if (eta < 0).any():
        raise ValueError(f"rates must be >= 0, got {rates!r}")
    return point, eta


def _run(
    tasks: Tasks, phi: Any, rates: Any, batch: int, weight: float, by_size: bool, movement: str
) -> ReptileTrajectory:
    if not isinstance(tasks, Tasks):
        raise TypeError(f"tasks must be a Tasks, got {type(tasks).__name__}")
    in_floats("losses", tasks.losses.a)
    (point, fixed), T = _start(tasks.losses, phi, rates), count(tasks)
    phis, thetas, etas, squares = np.empty((4, T, point.size))
    paid, sizes = np.empty(T), np.diff(tasks.offsets) if by_size else np.ones(T)
    for first in range(0, T, batch):
        part = slice(first, min(first + batch, T))
        phis[part], etas[part] = point, rates.rates(np.empty(point.size)) if fixed is None else fixed
        for t in range(part.start, part.stop):
            with np.errstate(all="ignore"):
                thetas[t], squares[t], paid[t] = descend(task(tasks, t), point, etas[t])
            if not (np.isfinite(thetas[t]).all() and np.isfinite(squares[t]).all()):
                raise OverflowError(f"task {t} left the range of float64, with rates {etas[t]!r}")
        mean = np.average(thetas[part], axis=0, weights=sizes[part])
        after = mean if weight == 1 else point + weight * (mean - point)
        if fixed is None:
            seen = (
                (after[None], squares[part].sum(axis=0)[None])
                if movement == "server"
                else (thetas[part], squares[part])
            )
            for theta, square in zip(*seen, strict=True):
                rates.absorb(point, theta, float(square.sum()) if rates.scalar else square)
        point = after
    return ReptileTrajectory(phis, thetas, etas, paid, point)
