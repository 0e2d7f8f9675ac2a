r"""Task sequences: T sequences of losses, $m_t$ of them in task t, and synthetic ones whose structure is known.

The paper measures how similar tasks are by their optimal actions $\theta_t^\ast$: $V^2 = \frac1T\sum_t
\|\theta_t^\ast - \bar\theta^\ast\|_2^2$ for a fixed initialisation (thm:similarity), and the path length
$P = \sum_{t \ge 2} \|\theta_t^\ast - \theta_{t-1}^\ast\|_2$ for a moving one (thm:dynamic). So a family here places the
optimal actions, and the losses of a task are built around its own such that it minimises their sum:

* quadratic: $\frac12\|x - c_i\|_2^2$ with centres in pairs $\theta^\ast \pm \xi$ (an unpaired one at $\theta^\ast$);
* distance: $\|x - c_i\|_2$ with the same centres;
* absolute: $|\langle a_i, x - \theta^\ast\rangle|$ with $\|a_i\|_2 = 1$.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.problems.losses import Losses, losses, rows, stack
from arubatheory.problems.numbers import as_floats, as_items, as_vector, check_count, check_generator, in_floats, real
from arubatheory.problems.own.rounds import AnyLosses
from arubatheory.problems.own.rounds import count as rounds_of
from arubatheory.problems.own.rounds import stack as stack_rounds
from arubatheory.problems.signatures import typed

LARGEST = 2.0**200  # deviations beyond would overflow in the squares of the losses
GROWTH = 40.0  # geometric growth spans at most 2**GROWTH, so that no dyadic scale of the project is left


class Tasks(NamedTuple):
    r"""All losses of all tasks, one after the other; task t holds losses offsets[t], ..., offsets[t + 1] - 1.

    `losses` is a `Losses`, or a `Rounds` of losses as functions.
    """

    losses: Any
    offsets: Array


class Synthetic(NamedTuple):
    r"""A task sequence, its optimal actions (T, d), and their realised deviation $V$."""

    tasks: Tasks
    optima: Array
    V: float


@typed
def tasks(parts: Sequence[AnyLosses]) -> Tasks:
    """The sequence of the given tasks, all `Losses` or all `Rounds`. ValueError if there are none or their dimensions
    differ, TypeError for both kinds."""
    join: Any = stack if all(isinstance(part, Losses) for part in parts) else stack_rounds
    return Tasks(join(parts), np.cumsum([0, *map(rounds_of, parts)], dtype=np.int64))


@typed
def together(runs: Sequence[Tasks]) -> Tasks:
    """Task sequences of the same sizes as n runs of one: the arrays of the losses have an axis of runs in front.

    Raises ValueError for none of them, or where offsets or dimensions differ.
    """
    if not runs:
        raise ValueError(f"runs must hold at least one task sequence, got {runs!r}")
    for k, run in enumerate(runs):
        as_data("runs", run)
        if not np.array_equal(run.offsets, runs[0].offsets) or run.losses.a.shape != runs[0].losses.a.shape:
            found = [(part.offsets.tolist(), part.losses.a.shape) for part in (runs[0], run)]
            raise ValueError(f"runs must have the same offsets and dimension, got {found} in runs 0 and {k}")
    return Tasks(Losses(*map(np.stack, zip(*(run.losses for run in runs), strict=True))), runs[0].offsets)


def as_data(name: str, tasks: Tasks) -> Tasks:
    """The tasks themselves; TypeError where their losses are functions and data are asked for."""
    if not isinstance(tasks.losses, Losses):
        raise TypeError(f"{name} must hold Losses here, got {tasks.losses!r}")
    return tasks


@typed
def task(tasks: Tasks, t: int) -> Any:
    """Task t, 0 <= t < T, of each run of a batch (views, not copies). IndexError outside."""
    if not 0 <= t < count(tasks):
        raise IndexError(f"t must be >= 0 and < {count(tasks)}, got {t!r}")
    start, stop = int(tasks.offsets[t]), int(tasks.offsets[t + 1])
    return rows(tasks.losses, start, stop) if isinstance(tasks.losses, Losses) else tasks.losses.part(start, stop)


@typed
def count(tasks: Tasks) -> int:
    """The number T of tasks."""
    return len(tasks.offsets) - 1


@typed
def each(tasks: Tasks) -> Iterator[Any]:
    """The tasks one by one."""
    return (task(tasks, t) for t in range(count(tasks)))


def deviation(points: Array) -> float:
    r"""$V = (\frac1T\sum_t \|x_t - \bar x\|_2^2)^{1/2}$ of T points (T, d).

    Raises ValueError for no points, another shape, NaN and infinities, TypeError for what is not in floats.
    """
    points = _points(points)
    centred = points - points[0]  # equal points give 0 without rounding
    centred = centred - centred.mean(axis=0)
    return float(np.sqrt((centred * centred).sum() / len(points)))


def path_length(points: Array) -> float:
    r"""$P = \sum_{t \ge 2}\|x_t - x_{t-1}\|_2$ of T points (T, d). Errors as in `deviation`."""
    return float(np.linalg.norm(np.diff(_points(points), axis=0), axis=1).sum())


def _points(points: Any) -> Array:
    x = as_floats("points", points)
    if x.ndim != 2 or x.size == 0:
        raise ValueError(f"points must have shape (T, d) with T, d >= 1, got {x.shape}")
    return x


# losses around an optimal action ---------------------------------------------------------------------------------
def _around(m: Any, optimum: Any, noise: Any) -> tuple[Array, float]:
    """The optimum and the noise, or the error that names what is wrong."""
    check_count("m", m)
    return in_floats("optimum", as_vector("optimum", optimum)), real("noise", noise, least=0, most=LARGEST)


def _pairs(rng: np.random.Generator, m: int, optimum: Array, noise: float) -> Array:
    optimum, noise = _around(m, optimum, noise)
    steps = noise * rng.standard_normal((m // 2, len(optimum))) / np.sqrt(len(optimum))
    return np.concatenate([optimum + steps, optimum - steps, np.tile(optimum, (m % 2, 1))])


@typed
def quadratics(rng: np.random.Generator, m: int, optimum: Array, noise: float = 0.5) -> Losses:
    r"""$\frac12\|x - c_i\|_2^2$, $i \in [m]$, with mean centre `optimum`."""
    return losses("linear", 0, weight=0, ridge=1, c=_pairs(rng, m, optimum, noise))


@typed
def distances(rng: np.random.Generator, m: int, optimum: Array, noise: float = 0.5) -> Losses:
    r"""$\|x - c_i\|_2$, $i \in [m]$, with centres in pairs around `optimum`."""
    return losses("distance", 0, c=_pairs(rng, m, optimum, noise))


@typed
def absolutes(rng: np.random.Generator, m: int, optimum: Array, noise: float = 0.5) -> Losses:
    r"""$|\langle a_i, x - \theta^\ast\rangle|$, $i \in [m]$: every loss vanishes at `optimum` (`noise` has no part)."""
    optimum, _ = _around(m, optimum, noise)
    a = rng.standard_normal((m, len(optimum)))
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    return losses("absolute", a, a @ optimum)


AROUND: dict[str, Callable[..., Losses]] = {"quadratic": quadratics, "distance": distances, "absolute": absolutes}


# families --------------------------------------------------------------------------------------------------------
def _cloud(rng: np.random.Generator, T: int, d: int) -> Array:
    return rng.standard_normal((T, d))


def _direction(rng: np.random.Generator, d: int) -> Array:
    x = rng.standard_normal(d)
    return np.asarray(x / np.linalg.norm(x))


def _along(places: Callable[[Array], Array]) -> Callable[..., Array]:
    """Points on a line: where each of the tasks 0, ..., T - 1 is on it."""
    return lambda rng, T, d: np.outer(places(np.arange(T)), _direction(rng, d))


def _outlier(rng: np.random.Generator, T: int, d: int) -> Array:
    shape = np.zeros((T, d))
    shape[rng.integers(T)] = _direction(rng, d)
    return shape


def _pieces(rng: np.random.Generator, T: int, d: int) -> Array:
    levels = _cloud(rng, min(T, 4), d)
    return levels[np.arange(T) * len(levels) // T]


def _sorted(rng: np.random.Generator, T: int, d: int) -> Array:
    cloud = _cloud(rng, T, d)
    return cloud[np.argsort(cloud[:, 0], kind="stable")]


def _sparse(rng: np.random.Generator, T: int, d: int) -> Array:
    shape = np.zeros((T, d))
    shape[:, rng.integers(d)] = rng.standard_normal(T)
    return shape


def _scaled(shape: Array, V: float) -> Array:
    """The shape moved to mean zero and stretched to deviation V (a single point stays one)."""
    centred = shape - shape.mean(axis=0)
    size = deviation(centred)
    return np.zeros_like(centred) if size == 0 else centred * (V / size)


SHAPES: dict[str, Callable[..., Array]] = {
    # a Gaussian cluster
    "similar": _cloud,
    # equal tasks but one, at distance V T / sqrt(T - 1): V is much smaller than the largest distance
    "one_outlier": _outlier,
    # two points in turn: the longest path for its deviation
    "alternating": _along(lambda t: t % 2),
    # equal steps along a line: path length V (T - 1) sqrt(12 / (T^2 - 1)) < sqrt(12) V, however long
    "drifting": _along(lambda t: t),
    # at most four points, each for one stretch of tasks
    "piecewise_constant": _pieces,
    # steps along a line that grow by a constant factor (2, or less so that they span at most 2^40)
    "geometric_growth": _along(lambda t: 2.0 ** (t * min(1.0, GROWTH / len(t)))),
    # a Gaussian cluster that arrives in the order of its first coordinate
    "sorted_tasks": _sorted,
    # points that differ in one coordinate only
    "sparse_direction": _sparse,
    # one point for all tasks: the deviation is 0, whatever V is asked for
    "equal_tasks": _cloud,
    # independent Gaussians of variance V^2 / d: V is the deviation of the population
    "iid": _cloud,
}


def _actions(family: str, rng: np.random.Generator, T: int, d: int, V: float, center: Any) -> Array:
    center = _check_center(rng, center, d)
    offsets = SHAPES[family](rng, T, d)
    if family == "equal_tasks":
        return center + 0 * offsets
    return center + (offsets / np.sqrt(d) * V if family == "iid" else _scaled(offsets, V))


def _synthetic(
    family: str,
    rng: np.random.Generator,
    T: int,
    m: Any,
    d: int,
    V: float = 1.0,
    *,
    losses: str = "quadratic",
    noise: float = 0.5,
    center: Any = None,
) -> Synthetic:
    sizes = _check_sizes(rng, T, m, d)
    V, noise = real("V", V, least=0, most=LARGEST), real("noise", noise, least=0, most=LARGEST)
    if losses not in AROUND:
        raise ValueError(f"losses must be one of {', '.join(AROUND)}, got {losses!r}")
    optima = _actions(family, rng, T, d, V, center)
    built = [AROUND[losses](rng, k, x, noise) for k, x in zip(sizes, optima, strict=True)]
    return Synthetic(tasks(built), optima, deviation(optima))


FAMILIES: dict[str, Callable[..., Synthetic]] = {name: partial(_synthetic, name) for name in SHAPES}
r"""Name -> family(rng, T, m, d, V=1.0, *, losses="quadratic", noise=0.5, center=None) -> Synthetic, by its `SHAPES`.

m is a positive integer or T of them (ragged tasks); V >= 0 is the deviation of the optimal actions, met up to rounding
where two tasks can differ (T = 1 and equal tasks have deviation 0); `losses` is a key of `AROUND`; `noise` is the root
mean square distance of the centres from the optimal action; `center` (d,) is the mean optimal action (None: a random
unit vector). Raises ValueError or TypeError naming the argument otherwise.
"""


def _check_sizes(rng: Any, T: Any, m: Any, d: Any) -> list[int]:
    check_generator(rng)
    check_count("T", T)
    check_count("d", d)
    sizes = as_items("m", m)
    if sizes.dtype.kind not in "iu" or sizes.shape not in ((), (T,)) or (sizes < 1).any():
        raise ValueError(f"m must be an integer >= 1 or {T} of them, got {m!r}")
    return [int(k) for k in np.broadcast_to(sizes, (T,))]


def _check_center(rng: np.random.Generator, center: Any, d: int) -> Array:
    if center is None:
        return _direction(rng, d)
    point = as_floats("center", center)
    if point.shape != (d,) or not (np.abs(point) <= LARGEST).all():
        raise ValueError(f"center must be {d} numbers of at most 2**200, got {center!r}")
    return point
