r"""What a learner has played, and its regret.

The regret of actions $\theta_1, \dots, \theta_m$ on losses $\ell_1, \dots, \ell_m$ against a comparator $\theta^\ast$
is $\sum_i \ell_i(\theta_i) - \ell_i(\theta^\ast)$ (def:regret takes the best comparator; see `hindsight`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, Exact, is_exact
from arubatheory.convex.hindsight import Hindsight
from arubatheory.kernel import on
from arubatheory.problems import losses as problem
from arubatheory.problems.losses import Losses
from arubatheory.problems.own.rounds import AnyLosses, Rounds, total
from arubatheory.problems.signatures import typed


class Trajectory(NamedTuple):
    r"""Actions $\theta_i$ (m, d), values $\ell_i(\theta_i)$ (m,), and the gap of each action (m,).

    The gap bounds the suboptimality of $\theta_i$ in the argmin that defines it (0: closed form, exact up to the
    rounding of its evaluation). That objective is 1-strongly convex in the norm of R, so
    $\|\theta_i - \theta_i^{\text{exact}}\|^2 \le 2\,\mathrm{gap}_i$.
    """

    actions: Array
    values: Array
    gap: Array


@typed
def regret(trajectory: Trajectory, losses: AnyLosses, comparator: ArrayLike | Hindsight) -> Any:
    r"""$\sum_i \ell_i(\theta_i) - \ell_i(\theta^\ast)$ for a comparator $\theta^\ast$ (d,) or a `Hindsight`; of n
    runs (n,), with one comparator each (n, d) or one for all.

    With a `Hindsight` its certified `lower` is subtracted, so that the regret is never under-reported.

    Raises ValueError if the trajectory, the losses and the comparator differ in shape, for NaN and infinities;
    TypeError for a comparator that is exact where the losses are floats, or no numbers.
    """
    played = trajectory.actions
    shape = losses.a.shape if isinstance(losses, Losses) else (len(losses), *played.shape[1:])
    batch = isinstance(losses, Losses) and played.ndim == 3
    if played.shape != shape and not batch:
        raise ValueError(f"trajectory must have actions of shape {shape}, got {played.shape}")
    if isinstance(losses, Losses) and is_exact(played) != is_exact(losses.a):
        raise TypeError("trajectory and losses must be both in floats or both exact, got one of each")
    if isinstance(losses, Losses) and batch:
        return _regrets(trajectory, losses, comparator)
    if isinstance(comparator, Hindsight):
        return trajectory.values.sum() - comparator.lower
    x = problem.numbers("comparator", comparator, is_exact(played))
    if x.shape != shape[1:]:
        raise ValueError(f"comparator must have shape {shape[1:]}, got {x.shape}")
    if isinstance(losses, Rounds):
        return trajectory.values.sum() - total(losses, x)
    return trajectory.values.sum() - on(problem.total, losses.a)(losses, len(losses.a), x)


def _regrets(trajectory: Trajectory, losses: Losses, comparator: ArrayLike | Hindsight) -> Array:
    """`regret` of each of n runs, on losses of each or of all."""
    n, m, d = trajectory.actions.shape
    if losses.a.shape not in ((m, d), (1, m, d), (n, m, d)):
        raise ValueError(f"losses must have shape {(m, d)} or {(n, m, d)}, got {losses.a.shape}")
    if isinstance(comparator, Hindsight):
        if np.shape(comparator.lower) not in ((), (n,)):
            raise ValueError(f"comparator must be the best of one run or of {n}, got {np.shape(comparator.lower)}")
        return np.asarray(trajectory.values.sum(axis=1) - comparator.lower)
    x = problem.numbers("comparator", comparator, is_exact(trajectory.actions))
    if x.shape not in ((d,), (n, d)):
        raise ValueError(f"comparator must have shape {(d,)} or {(n, d)}, got {x.shape}")
    part, of = losses.one if losses.a.ndim == 3 else lambda k: losses, on(problem.total, losses.a)
    least = [of(part(k), m, y) for k, y in enumerate(np.broadcast_to(x, (n, d)))]
    return np.asarray(trajectory.values.sum(axis=1) - np.array(least))


@typed
def finite(name: str, trajectory: Trajectory, total: Any = None) -> Trajectory:
    """The trajectory itself, or OverflowError if a float overflowed on the way: then some value is not finite, and
    their `total` neither."""
    total = trajectory.values.sum() if total is None else total
    if not isinstance(total, Exact) and not math.isfinite(total):
        bad = ~np.isfinite(trajectory.values)
        if trajectory.actions.shape[:-1] == bad.shape:
            bad |= ~np.isfinite(trajectory.actions).all(axis=-1)
        if bad.any():
            *run, i = map(int, np.unravel_index(np.argmax(bad), bad.shape))
            raise OverflowError(f"{name} left the range of float64 at round {i}" + (f" of run {run[0]}" if run else ""))
    return trajectory
