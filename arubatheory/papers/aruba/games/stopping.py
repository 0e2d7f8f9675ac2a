r"""Online learners that stop, against coins: long games in which the learner looks at what it has paid.

Up to constants $\ell_t(\theta) = X_t\theta$ on [0, 1], with independent $X_t$ of two values $a < b$ in [-1, 1] and
$\mu = EX > 0$, so that $\theta^\ast = 0$. The excess $X_t\theta$ has variance $\theta^2\mathrm{Var}X \le
\rho\mu\theta$ from $\rho = \mathrm{Var}X/\mu$ on. With $S_t = X_1 + \dots + X_t$ the learner plays 1 until
$$t\mu > S_t + \sqrt{2\rho\max\{0, S_t\}\lambda} + (3\rho + 2)\lambda,$$
then 0 for good, which costs nothing. Stopped at $\tau$ it has paid $S_\tau$ where $\tau\mu$ was to be expected, and
so it remains: T rounds are T chances to be past a bound at $\delta = e^{-\lambda}$, and by the law of the iterated
logarithm it will be. It plays 0 as well once b has come so much more often that it has little hope to stop.

What has happened by time t is how often b came. The law of $(\tau, S_\tau)$ takes T times as many steps as there are
counts at which the learner goes on; in exact numbers the probabilities are balls, and the decision to stop is rational.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from arubatheory.arithmetic import COUNT, Array, wrapped
from arubatheory.kernel import kernel, on
from arubatheory.papers.aruba.games.samples import Listed, listed, sampled_game, unplayed
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import Mixture, weighted_loss
from arubatheory.problems.scalar import point, twin
from arubatheory.statements.core import Instance

LONGEST = 12  # binary order of the most rounds, at any of which a game may stop


@twin(point)
def _thin(x: Any) -> Any:
    """x, which as a factor of many keeps products of rationals from growing."""
    return x


def _flip_exactly(mass: Array, low: int, high: int, first: Any, second: Any) -> None:
    values, p, q = [one.v for one in mass[low : high + 1]], first.v, second.v
    inner = [p * here + q * before for before, here in itertools.pairwise(values)]
    COUNT.operations += 2 * len(values)
    mass[low : high + 2] = wrapped([p * values[0], *inner, q * values[-1]])


@twin(_flip_exactly)
def _flip(mass: Array, low: int, high: int, first: Any, second: Any) -> None:
    """The masses at counts low, ..., high after one more round, in place; at high + 1 there was none."""
    mass[high + 1] = mass[high] * second
    for c in range(high, low, -1):
        mass[c] = mass[c] * first + mass[c - 1] * second
    mass[low] = mass[low] * first


@kernel
def _past(gap: Any, paid: Any, rho: Any, level: Any) -> Any:
    r"""[exact] Whether $gap > \sqrt{2\rho\max\{0, paid\}\lambda} + (3\rho + 2)\lambda$, without a root."""
    rest = gap - (3 * rho + 2) * level
    return rest > 0 and (not paid > 0 or rest * rest > 2 * rho * level * paid)


@kernel
def list_stopped(M: Mixture, T: int, rho: Any, level: Any, width: int, most: int) -> Listed:
    r"""[exact] Sequences of a coin's losses, told apart by when the learner left 1 for 0 and how often the second loss
    had come. The learner gives up `width` counts above where it stops, and stops when the second loss has come `most`
    times. Sums are those of $\ell_t - \ell_t(0)$; `least` is the smallest of all that may still come: a always."""
    l, row = unplayed(2 * T + width + 2, M.p), 0
    zero = rho - rho
    a, b, mean = M.slope[0], M.slope[1], weighted_loss(M, M.p, 1 + zero) - weighted_loss(M, M.p, zero)
    first, second, mass = _thin(M.p[0]), _thin(M.p[1]), np.zeros(T + 2, M.p.dtype)
    mass[0] = 1 + zero
    low, high = 0, 0  # the counts at which the learner goes on
    for t in range(1, T + 1):
        _flip(mass, low, high, first, second)
        high, end = high + 1, low
        while end <= high and (
            t == T or _past(t * mean - (t - end) * a - end * b, (t - end) * a + end * b, rho, level)
        ):
            end += 1
        over = min(high + 1, most, end + width)
        for c in range(low, high + 1):
            if c < end or c >= over:
                l.prob[row], l.paid[row], l.risk[row] = mass[c], (t - c) * a + c * b, t * mean
                rest = l.paid[row] + (T - t) * a
                l.least[row] = rest if rest < 0 else zero
                l.average[row] = weighted_loss(M, M.p, t * (1 + zero) / T)
                row += 1
        low, high = end, over - 1
        if low > high:
            break
    return Listed(l.prob[:row], l.paid[:row], l.risk[:row], l.compared[:row], l.least[:row], l.average[:row])


def play(x: Instance) -> Listed:
    """The sequences of a game whose learner stops (`level` is its $\\lambda$) or, at level 0, does not."""
    if x.level > 0:
        return on(list_stopped, x.rho)(x.M, x.T, x.rho, x.level, 2 * math.isqrt(x.T) + 2, x.most)
    return listed(x)


def at_least(draw: Draw, rho: Any) -> Any:
    r"""Some number that is not below rho."""
    return rho + draw.positive(-16, 2) if draw.boolean() else rho


def coin_game(
    draw: Draw, in_unit: bool = False, nonnegative: bool = False, levels: tuple[int, int] = (-10, 4)
) -> Instance:
    r"""A coin, $T = 2^0, \dots, 2^{12}$ and a learner that stops at a level $2^{low}, \dots, 2^{high}$. With `in_unit`
    the losses are $X\theta + \max\{0, -X\}$, with values in [0, 1]; with `nonnegative`, $a \ge 0$."""
    kind = draw.integer(0, 2)
    if kind == 2:
        b = draw.positive(-8, 0)
        a = b - (b if nonnegative else 1 + b) * draw.positive(-8, 0)
    else:
        a, b = draw.number(0 if nonnegative else -kind), draw.number(1)
    odds = draw.positive(-8, 8)
    fair = 0 * a if a > 0 else -a / (b - a)  # the probability of b at which EX = 0
    p = (odds + fair) / (odds + 1)
    rho = at_least(draw, p * (1 - p) * (b - a) * (b - a) / (p * b + (1 - p) * a))
    none = draw.zeros(2)
    base = draw.array([-a if in_unit and a < 0 else 0 * a, 0 * a])
    M = Mixture(draw.array([1 - p, p]), base, draw.array([a, b]), none, none, none)
    T, level = 1 << draw.integer(0, LONGEST), draw.positive(*levels)
    points, star = draw.array([1]), draw.number(0)
    return Instance(M=M, points=points, star=star, T=T, long=True, rho=rho, level=level, most=T + 1)


def still(draw: Draw) -> Instance:
    """A game whose learner does not stop."""
    x = sampled_game(draw)
    x.level, x.most = 0 * x.star, x.T + 1
    return x


def unit_game(draw: Draw) -> Instance:
    """Losses in [0, 1] against a learner that stops, or any learner in a short game, or one that stays."""
    if draw.boolean():
        return coin_game(draw, in_unit=True)
    x = still(draw)
    x.rho = x.level
    return x
