r"""Long games for the rates of section 5: what Algorithm 1 pays on a new task after T independent ones, in floats.

On $\Theta = [0, 1]$ and with losses of slope at most G = 1, in two worlds whose transfer risk is a finite sum:

* `KINKS`: a task is m times the loss $(x-c)_+ + g(c-x)_+$, $c = \frac12 \pm r$ with equal chances. Its best action is c
  and $V_Q = r$. OGD goes back and forth about c with unequal steps, so that its average pays of the order $\eta$; with
  the golden section g they never meet again.
* `COINS`: a task is m losses $|x - Z|$ with $P(Z = 1)$ = 1/5, or 4/5 with the chance $r^2$. The best action of a sample
  is its majority, 0 or 1, and the risk of an average is linear in it: only the mean of every action is needed.

Training needs the optimal actions only: $\phi_t$ is the mean of the past, $v_t$ is fixed or a `rates.LearnedRate`.
What is returned is an upper quantile over `REPLICATES` training runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.papers.aruba.games.rates import LearnedRate
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance

KINKS, COINS = range(2)
REPLICATES = 8  # the largest of them is exceeded by a new one with probability 1/9
HEADS = (0.2, 0.8)
MIDDLE, LEFT_SLOPE = 0.5, 0.6180339887498949
TINY = 1e-20


@kernel
def kink_excess(c: Any, phi: Any, eta: Any, m: int) -> Any:
    r"""The loss $(x-c)_+ + g(c-x)_+$ at the average x of m actions of OGD from $\phi$."""
    x, middle = phi, 0.0
    for _ in range(m):
        middle += x
        x = min(max(x - eta * (1.0 if x > c else -LEFT_SLOPE), 0.0), 1.0)
    x = middle / m
    return x - c if x > c else LEFT_SLOPE * (c - x)


@kernel
def _toss(chance: Array, first: int, last: int, heads: Any) -> Any:
    r"""One coin more: the chances of first, ..., last heads, changed in place, and the new ends. Below `TINY` is 0."""
    for n in range(last + 1, first, -1):
        chance[n] = chance[n] * (1 - heads) + chance[n - 1] * heads
    chance[first] *= 1 - heads
    last += 1
    while chance[first] < TINY:
        chance[first] = 0.0
        first += 1
    while chance[last] < TINY:
        chance[last] = 0.0
        last -= 1
    return first, last


@kernel
def coin_average(heads: Any, phi: Any, eta: Any, m: int) -> Any:
    r"""$E\bar\theta$ of OGD on m losses $|x - Z|$: its actions are from a random walk that is moved into [0, 1]."""
    chance = np.zeros(m + 1)
    chance[0], first, last, total = 1.0, 0, 0, 0.0
    for i in range(m):
        for n in range(first, last + 1):
            total += chance[n] * min(max(phi + eta * (2 * n - i), 0.0), 1.0)
        first, last = _toss(chance, first, last, heads)
    return total / m


@kernel
def majority(heads: Any, m: int) -> Any:
    r"""The probability that more than half of m coins show heads."""
    chance = np.zeros(m + 1)
    chance[0], first, last = 1.0, 0, 0
    for _ in range(m):
        first, last = _toss(chance, first, last, heads)
    return chance[m // 2 + 1 :].sum()


def transfer_excess(world: int, r: float, phi: float, eta: float, m: int) -> float:
    r"""$E_P E_{P^m}\ell_P(\bar\theta) - E_P\min\ell_P$ of OGD from $\phi$ with the step $\eta$."""
    if world == KINKS:
        return float(sum(kink_excess(c, phi, eta, m) for c in (MIDDLE - r, MIDDLE + r)) / 2)
    low, high = (coin_average(heads, phi, eta, m) for heads in HEADS)
    return float((HEADS[1] - HEADS[0]) * ((1 - r * r) * low + r * r * (1 - high)))


def best_actions(world: int, r: float, m: int) -> tuple[Array, float]:
    r"""The two best actions that a sample of m may have, and the probability of the second."""
    if world == KINKS:
        return np.array([MIDDLE - r, MIDDLE + r]), 0.5
    low, high = (float(majority(heads, m)) for heads in HEADS)
    return np.array([0.0, 1.0]), (1 - r * r) * low + r * r * high


def variance_root(world: int, r: float, m: int) -> float:
    r"""$V_Q$."""
    points, second = best_actions(world, r, m)
    return float((points[1] - points[0]) * np.sqrt(second * (1 - second)))


def average_state(star: Array, start: float, v: float | LearnedRate) -> tuple[float, float]:
    r"""The means of $\phi_t$ and of $v_t$, $v_t$ = v or learned."""
    T = len(star)
    phi = np.concatenate([[start], np.cumsum(star)[:-1] / np.arange(1, T)])
    if isinstance(v, float):
        return float(phi.mean()), v
    before = np.concatenate([[0.0], np.cumsum((star - phi) ** 2)[:-1] / 2])
    return float(phi.mean()), float(v.rates(before, np.arange(T, dtype=np.float64)).mean())


def upper_excess(x: Instance, T: int, m: int, r: float, v: float | LearnedRate) -> float:
    r"""The largest transfer excess of the `REPLICATES`; one is enough where all tasks are equal."""
    points, second = best_actions(x.world, r, m)
    rng = np.random.default_rng([int(x.seed), T, m])
    runs = (rng.random(T) < second for _ in range(REPLICATES if points[0] < points[1] else 1))
    states = (average_state(points[run.astype(np.int64)], float(x.start), v) for run in runs)
    return max(transfer_excess(x.world, r, phi, rate / np.sqrt(m), m) for phi, rate in states)


def world(draw: Draw, worlds: tuple[int, ...], decays: tuple[int, ...], powers: tuple[int, ...]) -> Instance:
    r"""A world, $V_Q$ of the order $r = sT^{-a}$ and $m = T^c$ (c = 0: m = 8), $\phi_1$ and the seed of the tasks;
    a in quarters, c in halves."""
    x = Instance(world=draw.choice(worlds), size=draw.positive(-2, -1))
    x.decay, x.power = draw.number(draw.choice(decays), 4), draw.number(draw.choice(powers), 2)
    x.start, x.seed = draw.unit(), draw.integer(0, 1 << 20)
    return x


def equal_tasks(draw: Draw, powers: tuple[int, ...]) -> Instance:
    r"""The world of kinks with r = 0."""
    x = world(draw, (KINKS,), (0,), powers)
    x.size = draw.number(0)
    return x


def rounds(x: Instance, T: int) -> int:
    r"""$m = T^c$."""
    return 8 if x.power == 0 else max(1, round(T**x.power))


def radius(x: Instance, T: int) -> float:
    r"""$r = sT^{-a}$."""
    return float(x.size) * T**-x.decay


WORLD = (
    Assumption(r"\phi_1\in[0,1]", lambda x: min(x.start, 1 - x.start)),
    Assumption(r"0\le r\le\frac12", lambda x: min(x.size, 1 - 2 * x.size)),
)
