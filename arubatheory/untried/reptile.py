r"""Serial Reptile (Nichol et al., 2018) on synthetic tasks, with the learning rates of Algorithm 2.

A task runs from $\phi$ with one step $\theta \leftarrow \theta - \eta\odot\nabla$ for each of its losses and ends at
$\hat\theta$; then Reptile moves by a share: $\phi \leftarrow \phi + w(\hat\theta - \phi)$.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.learners.algorithm2 import Aruba
from arubatheory.problems.losses import Losses, subgradient, value
from arubatheory.problems.numbers import as_vector, in_floats, real
from arubatheory.problems.tasks import Tasks, as_data, count, each


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


def reptile(tasks: Tasks, phi: Any, rates: Aruba, *, weight: float = 1.0) -> ReptileTrajectory:
    r"""Reptile from $\phi$ (d,) with the share w = `weight` in (0, 1] and `rates`, an `Aruba` or `Isotropic` for
    parameters like phi, which goes on learning.

    Raises ValueError or TypeError naming the argument; OverflowError where an iterate leaves the range of float64 (the
    rates were too large).
    """
    if not isinstance(tasks, Tasks):
        raise TypeError(f"tasks must be a Tasks, got {type(tasks).__name__}")
    as_data("tasks", tasks)
    weight, T, d = real("weight", weight, above=0, most=1), count(tasks), tasks.losses.a.shape[1]
    point = in_floats("phi", as_vector("phi", phi))
    if point.size != d:
        raise ValueError(f"phi must have dimension {d}, got {point.size}")
    if not isinstance(rates, Aruba) or rates.shapes.like != [((d,), np.dtype(np.float64))]:
        raise ValueError(f"rates must be an Aruba for {d} parameters in float64, got {rates!r}")
    phis, thetas, etas, paid = np.empty((T, d)), np.empty((T, d)), np.empty((T, d)), np.empty(T)
    for t, losses in enumerate(each(tasks)):
        phis[t], _ = point, rates.rates(etas[t])
        with np.errstate(all="ignore"):
            thetas[t], squares, paid[t] = descend(losses, point, etas[t])
        if not (np.isfinite(thetas[t]).all() and np.isfinite(squares).all()):
            raise OverflowError(f"task {t} left the range of float64, with rates {etas[t]!r}")
        rates.absorb(point, thetas[t], float(squares.sum()) if rates.scalar else squares)
        point = thetas[t] if weight == 1 else point + weight * (thetas[t] - point)
    return ReptileTrajectory(phis, thetas, etas, paid, point)
