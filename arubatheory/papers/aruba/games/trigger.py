r"""Transfer games with long tasks, in which only a class of each sample matters.

Deviations of the order $1/m$ and $1/\sqrt T$ exceed all that losses in [0, 1] can do as long as every sample can be
listed, as in `transfer`. Here m and T are large: every task has K = 2 losses, $\theta^\ast = 0$ is best for all
tasks, and the within-task method of state s is one of the codes

* `TRIGGER`: $\ell_0 = gx$ and $\ell_1 = gx + 1 - g$, $g\le\frac{15}{16}$; it plays 0, then s for the rest of the task
  if the first loss was $\ell_1$, else 0. The excess $gx$ is no random variable: any $\rho > 0$ fits;
* `STOP`: $\ell_0 = 0$ and $\ell_1 = gx$; it plays s until $\ell_1$ has come, then 0;
* `SWITCH`: m = 2, $\ell_0 = gx$ and $\ell_1 = g(1-x)$; it plays 0, then s. Only s = 1 is used.

Regret and excess risk are s times what they are at s = 1, and the regret at s = 1 has two values: how many of the T
samples have the larger one is binomial. A meta-learner that `wakes` has s = 1 until a regret was positive, then s = 0.

A bound of the regret, R for `TAR` and $U = \max\{R, 0\}$ or OGD's for `RUB`, is read in three ways: `REALISED`, of
each sample its own; `VALID`, for each task the largest over all its samples; `EVERY`, one number that is at least the
average of the realised ones on every training sequence.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.games import transfer as listings
from arubatheory.papers.aruba.games.samples import binomial, nonnegative, self_bounding_margin, squares
from arubatheory.papers.aruba.games.transfer import FREE, TRANSFER, expected, over_tasks
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import Mixture, minimiser, weighted_loss
from arubatheory.statements.core import Assumption, Instance

TRIGGER, STOP, SWITCH = range(FREE + 1, FREE + 4)
TAR, RUB = "TAR", "RUB"
REALISED, VALID, EVERY = "realised", "valid", "every sequence"


class Transfer(NamedTuple):
    r"""Of each training sequence (n,): its probability, the average bound over its tasks, and the mean over its tasks
    of $E_{P\sim Q}E_{P^m}U(s_t)$. Of it and each class of a fresh sample (n, A): m times the excess risk, averaged over
    the states $s_t$ (`TAR`) or of $\bar s$ (`RUB`), and $U(\bar s)$. Of each class (A,): its probability given the
    task, and the task. `reach` is $m$ (`TAR`) or the least $B\sqrt m$ (`RUB`)."""

    prob: Array
    bound: Array
    mean: Array
    excess: Array
    upper: Array
    chance: Array
    task: Array
    reach: Any


def _read(values: Array, reading: str, chance: Array, task: Array) -> Array:
    """Values (N, A) of states and outcomes, or for each task the largest."""
    return largest_of_task(values, chance, task) if reading == VALID else values


def _on_every(bound: Array, prob: Array, reading: str) -> Array:
    """Bounds of the training sequences, or for all of them the largest that can happen."""
    return 0 * bound + max(bound[prob > 0]) if reading == EVERY else bound


def _listed(x: Instance, part: str, reading: str) -> Transfer:
    l = listings.listing(x)
    o, plays, training = l.outcomes, l.plays, l.training
    values = _read(plays.regret if part == TAR else plays.upper, reading, o.chance, o.task)
    bound = _on_every(over_training(x, l, values), training.prob, reading)
    fresh, mean = listings.plays_from_average(x, l), over_tasks(training, expected(o, plays.upper))
    risk, reach = (fresh.risk, listings.range_of(l)) if part == RUB else (over_tasks(training, plays.risk), x.m)
    chance = given_task(x, o.chance, o.task)
    return Transfer(training.prob, bound, mean, x.m * (risk - o.best), fresh.upper, chance, o.task, reach)


def over_training(x: Instance, l: listings.Listing, values: Array) -> Array:
    """The average over its tasks, of each training sequence (n,), of values (N, A) of states and outcomes."""
    return listings.trained(x, l.outcomes.chance, l.plays._replace(regret=values)).regret


def largest_of_task(values: Array, chance: Array, task: Array) -> Array:
    """The largest value (N,) over the outcomes of the same task that can happen, for every outcome (N, A)."""
    out = values.copy()
    for j in set(task[chance > 0].tolist()):
        out[:, task == j] = values[:, (task == j) & (chance > 0)].max(axis=1)[:, None]
    return out


def given_task(x: Instance, chance: Array, task: Array) -> Array:
    """Probabilities of outcomes within their tasks; 0 for tasks that never come."""
    q = x.q[task]
    return chance / np.where(q > 0, q, q + 1)


def _classes(x: Instance) -> tuple[Array, Array, Array, Array]:
    r"""Of each class of a sample (A,): its probability given the task, its task, m times its excess risk, and its
    regret, at s = 1."""
    chances, g = x.M.p[1::2], max(x.M.slope)
    rows = []
    for j, p in enumerate(chances):
        if x.method == TRIGGER:
            rows += [(1 - p, j, 0 * g, 0 * g), (p, j, g * (x.m - 1), g * (x.m - 1))]
        elif x.method == STOP:
            rows += [(p * (1 - p) ** (i - 1), j, g * p * i, g) for i in range(1, x.m + 1)]
            rows.append(((1 - p) ** x.m, j, g * p * x.m, 0 * g))
        else:
            lucky = p * (1 - p)
            rows += [(lucky, j, g * (1 - 2 * p), -g), (1 - lucky, j, g * (1 - 2 * p), g)]
    chance, task, excess, regret = (np.array(v) for v in zip(*rows, strict=True))
    return chance, task, excess, regret


def _of_classes(x: Instance, part: str, reading: str) -> Transfer:
    chance, task, excess, regret = _classes(x)
    upper = nonnegative(regret)
    joint = x.q[task] * chance
    values = _read((regret if part == TAR else upper)[None, :], reading, joint, task)[0]
    prob, bound, state = _awake(x, joint, values) if x.wakes else _counted(x, joint, values)
    bound = _on_every(bound, prob, reading)
    reach = x.m if part == TAR else max(upper[joint > 0])
    each = state[:, None]
    return Transfer(prob, bound, state * sum(joint * upper), each * excess, each * upper, chance, task, reach)


def _counted(x: Instance, joint: Array, values: Array) -> tuple[Array, Array, Array]:
    """Training sequences by how often the larger of two values came: probabilities, mean values and states."""
    can = values[joint > 0]
    low, high, c = min(can), max(can), np.arange(x.T + 1)
    often = sum(joint[values == high])
    prob = on(binomial, x.q)(np.array([1 - often, often], x.q.dtype), x.T)
    return prob, ((x.T - c) * low + c * high) / x.T, 0 * prob + x.states[0]


def _awake(x: Instance, joint: Array, values: Array) -> tuple[Array, Array, Array]:
    """Training sequences by the task t, if any, that wakes the meta-learner of a single trigger game."""
    (quiet, c), (low, high), T = joint, values, x.T
    prob = [c * quiet ** (t - 1) for t in range(1, T + 1)] + [quiet**T]
    bound = [((t - 1) * low + high) / T for t in range(1, T + 1)] + [low]
    state = [(t + 0 * c) / T for t in range(1, T + 1)] + [1 + 0 * c]
    return tuple(np.array(v, x.q.dtype) for v in (prob, bound, state))  # type: ignore[return-value]


def transfer(x: Instance, part: str, reading: str) -> Transfer:
    """What can happen in a game."""
    return (_of_classes if x.method > FREE else _listed)(x, part, reading)


def averaged(x: Instance, t: Transfer, *values: Array) -> tuple[Array, list[Array]]:
    r"""The probabilities (n, F) when every task has a fresh sample of its own, and $E_{P\sim Q}$ of values (n, A)."""
    return with_fresh_samples(x.q, t.prob, t.task, t.chance, *values)


def with_fresh_samples(q: Array, prob: Array, task: Array, chance: Array, *values: Array) -> tuple[Array, list[Array]]:
    """The same of training sequences (n,) and outcomes (A,), each with its task and its probability given the task."""
    weights, means = prob[:, None], [0 * prob[:, None] for _ in values]
    for j in np.flatnonzero(q > 0):
        of = np.flatnonzero((task == j) & (chance > 0))
        weights = (weights[:, :, None] * chance[of]).reshape(len(weights), -1)
        means = [
            (mean[:, :, None] + q[j] * value[:, None, of]).reshape(len(weights), -1)
            for mean, value in zip(means, values, strict=True)
        ]
    return weights, means


def least_risks(x: Instance) -> Array:
    r"""$\min_\theta\ell_P(\theta)$ of every task (J,)."""
    return np.array([on(weighted_loss, x.q)(x.M, w, on(minimiser, x.q)(x.M, w)) for w in _weights(x)], x.q.dtype)


def _weights(x: Instance) -> list[Array]:
    return [on(listings.task_weights, x.q)(x.M, j, len(x.M.p) // len(x.q)) for j in range(len(x.q))]


# J, T and m: all numbers of lucky tasks, and all outcomes of the J fresh samples at once, are summed, exactly too
LARGEST = {TRIGGER: (2, 128, 256), STOP: (1, 16, 64), SWITCH: (1, 64, 2)}


def _game_of_classes(draw: Draw) -> Instance:
    r"""T = 1 .. 128 trigger tasks of m = 1 .. 256 losses, T = 1 .. 16 that stop within 64, or T = 1 .. 64 that switch;
    $\rho$ is what their excess needs, and more."""
    method = draw.choice((TRIGGER, STOP, SWITCH))
    J, T, m = LARGEST[method]
    J, T, m, g = draw.integer(1, J), draw.integer(1, T), draw.integer(2 if method == SWITCH else 1, m), draw.unit()
    p, rho = draw.unit(J), draw.positive(-32, 2)
    if method == TRIGGER:
        g = 15 * g / 16
        base, slope = (0 * g, 1 - g), (g, g)
    elif method == STOP:
        base, slope, rho = (0 * g, 0 * g), (0 * g, g), rho + g * (1 - p[0])
    else:
        p = p / 4
        base, slope, rho = (0 * g, g), (g, -g), rho + 4 * g * p[0] * (1 - p[0]) / (1 - 2 * p[0])
    none, q = draw.zeros(2 * J), draw.simplex(J)
    M = Mixture(np.stack([1 - p, p], axis=1).ravel(), draw.array(base * J), draw.array(slope * J), none, none, none)
    x = Instance(q=q, M=M, m=m, T=T, method=method, states=draw.array([1]), table=draw.zeros((1, 1)), long=True)
    x.rho, x.eta, x.slack = rho, draw.number(1), draw.number(0)
    x.wakes = method == TRIGGER and J == 1 and draw.boolean()
    return x


def _listed_game(draw: Draw) -> Instance:
    r"""A transfer game with squares, $\rho = 4$; with one best action for all losses of a task, $\rho = 1$; or with
    tasks of a single loss and any $\rho$."""
    x = listings.transfer_game(draw)
    K = len(x.M.p) // len(x.q)
    square = draw.boolean()
    x.M = squares(x.M) if square else x.M._replace(slope=0 * x.M.p, z=np.repeat(x.M.z[::K], K))
    x.rho, x.wakes = draw.positive(-32, 2) if K == 1 else draw.number(4 if square else 1), False
    return x


def self_bounded_game(draw: Draw) -> Instance:
    """A game whose tasks are self-bounded."""
    return _game_of_classes(draw) if draw.boolean() else _listed_game(draw)


def self_bounding(x: Instance) -> Any:
    r"""The least $\rho E\Delta\ell(\theta) - \mathrm{Var}\Delta\ell(\theta)$ of a task at $\theta = 0, 1/2, 1$."""
    return min(self_bounding_margin(x.M, w, x.rho, on(minimiser, x.q)(x.M, w)) for w in _weights(x))


MEAN = r"\E_{\ell\sim\mathcal P}"
SELF_BOUNDING = (
    rf"\rho{MEAN}\Delta\ell(\theta)\ge{MEAN}(\Delta\ell(\theta)-{MEAN}\Delta\ell(\theta))^2,\quad\theta=0,\frac12,1"
)
SELF_BOUNDED = (*TRANSFER, Assumption(r"\rho>0", lambda x: x.rho), Assumption(SELF_BOUNDING, self_bounding))
