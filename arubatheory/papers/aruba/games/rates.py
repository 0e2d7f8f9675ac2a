r"""Long games for the rates of Algorithm 1: what it pays for T tasks, in floats and with equal $\sigma_t$.

$\Theta$ is the unit ball, D = 2 its diameter, and $\bar U_T/\sigma = \frac1T\sum_t B_t/v_t + v_t$ comes in two ways:

* `average_upper` of a `family`: $\theta_t^\ast$ of a drawn shape, one by one, of size $r = s\,T^{-a}$ (a = 0: the
  deviation V stays; a > 0: it vanishes);
* `long_average` of a list of `Stretch`: sequences for which $B_t$ has a closed form in t, so that the sum over
  T = 2^40 rounds is taken by a few Gauss nodes for each doubling of t. There v is a
  smooth function of t: the first `EXACT` rounds of each stretch are summed one by one, and a block beyond is an
  integral over $[a - 1/2, b + 1/2]$, up to a relative error $O(a^{-2})$.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners import meta
from arubatheory.learners.ewoo import exp_concavity_of
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance

D = 2.0
EPS_FTL, EPS_EWOO, MAIN_EWOO = range(3)
SHAPES = ("equal", "alternating", "drift", "outlier", "random", "pieces", "phases", "geometric", "periodic")
EQUAL, ALTERNATING, DRIFT, OUTLIER, RANDOM, PIECES, PHASES, GEOMETRIC, PERIODIC = range(len(SHAPES))
STEADY = (ALTERNATING, DRIFT, RANDOM, PIECES, PHASES, PERIODIC)  # their V does not vanish by itself
LEVELS, MOST_LEVELS = 4, 6
EXACT = 64
NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


class LearnedRate(NamedTuple):
    r"""SIM for T tasks: its code, $\varepsilon$, $\sigma$. eq:ewoo (`MAIN_EWOO`) integrates from 0 and regularises by
    $\varepsilon^2/v$, which is $\varepsilon^2/\sigma$ beside $B_t$."""

    code: int
    eps: float
    sigma: float

    def rates(self, before: Array, rounds: Array) -> Array:
        r"""$v_t$ from $\sum_{s<t}B_s$ and t - 1."""
        main, hi = self.code == MAIN_EWOO, float(np.hypot(D, self.eps))
        code, low = meta.FTL if self.code == EPS_FTL else meta.EWOO, 0.0 if main else self.eps
        rule = meta.Sim(code, D, self.eps, exp_concavity_of(1.0, D, self.eps), hi, low)
        extra = self.eps * self.eps / (self.sigma if main else 1.0)
        return meta.rates_after(rule, rounds, before + rounds * extra)


def family(
    draw: Draw, shapes: tuple[int, ...], decays: tuple[float, ...], octaves: int = 3, curved: bool = False
) -> Instance:
    r"""A shape, its size s of $[2^{-octaves}, 1]$ and which of the `decays` a is, $\phi_1$, $\sigma$, and what it takes
    to draw the shape at any T; `curved`: R with drawn K and $\kappa$, $K + 12\kappa = c^2 \le 16$, on a ball of radius
    1/c."""
    shape, decay = draw.choice(shapes), draw.choice(tuple(range(len(decays))))
    size, start, sigma = draw.positive(-octaves, 0), draw.real(-1, 1, 2) / 2, draw.positive(-4, 4)
    seed, levels = draw.integer(0, 1 << 20), draw.real(-1, 1, draw.integer(1, MOST_LEVELS))
    x = Instance(
        shape=shape, decay=decay, size=size, start=start, sigma=sigma, seed=seed, levels=levels, place=draw.unit()
    )
    if curved:
        x.bend, x.stiff = draw.number(0), draw.number(1)
    if curved and draw.boolean():
        steep, share = draw.positive(0, 2), draw.unit() * draw.integer(0, 1)
        x.bend = share * (steep * steep - 1) / 12
        x.stiff, x.size, x.start = steep * steep - 12 * x.bend, x.size / steep, x.start / steep
    return x


def divergences(x: Instance, points: Array, at: Array) -> Array:
    r"""$B_R$ of the rows for $R = \frac12(K x_1^2 + x_2^2) + \kappa\sum_j x_j^4$, K = 1 and $\kappa = 0$ where none are
    drawn. Over a ball of radius $(K + 12\kappa)^{-1/2}$ it is at most 2, and its gradients at most
    $2\sqrt{K + 12\kappa}$."""
    steps, stiff, bend = points - at, float(getattr(x, "stiff", 1)), float(getattr(x, "bend", 0))
    square = squares(steps * np.sqrt([stiff, 1.0]) if stiff != 1 else steps)
    if bend == 0:
        return square
    fourth = np.einsum("ij,ij->i", steps * steps, points * points + 2 * points * at + 3 * at * at)
    return np.asarray(square + bend * fourth)


def tasks(x: Instance, T: int, decay: float) -> Array:
    r"""$\theta_t^\ast$ (T, 2) of the drawn shape: on a line through 0, but for random ones and pieces."""
    t = np.arange(T)
    reach = float(x.size) * T**-decay
    if x.shape in (RANDOM, PIECES):
        rng = np.random.default_rng(int(x.seed))
        cloud = rng.uniform(-1, 1, (T if x.shape == RANDOM else LEVELS, 2)) / np.sqrt(2)
        return np.asarray(reach * (cloud if x.shape == RANDOM else cloud[LEVELS * t // T]))
    along = {
        EQUAL: lambda: 0.0 * t,
        ALTERNATING: lambda: 1.0 - 2 * (t % 2),
        DRIFT: lambda: (2 * t + 1) / T - 1,
        OUTLIER: lambda: (t == int(float(x.place) * (T - 1))) * T**decay,
        PHASES: lambda: 1.0 - 2 * (np.floor(np.log2(t + 1)) % 2),
        GEOMETRIC: lambda: 2.0 ** -(t * min(1.0, 40 / T)),
        PERIODIC: lambda: np.array([1, -1, *x.levels], dtype=np.float64)[t % (len(x.levels) + 2)],
    }[x.shape]()
    return np.stack([reach * along, 0.0 * t], axis=1)


def squares(steps: Array) -> Array:
    r"""$\frac12\|\cdot\|^2$ of the rows."""
    return np.asarray(np.einsum("ij,ij->i", steps, steps) / 2)


def starts(star: Array, start: Any, greedy: bool) -> Array:
    r"""$\phi_t$ (T, 2): the mean of the past, or, for OGD with the step $1/\sigma$, the last optimal action."""
    first = np.asarray(start, dtype=np.float64)[None]
    past = star[:-1] if greedy else np.cumsum(star, axis=0)[:-1] / np.arange(1, len(star))[:, None]
    return np.concatenate([first, past])


def average_upper(divergence: Array, sim: LearnedRate) -> float:
    r"""$\bar U_T/\sigma$."""
    T = len(divergence)
    before = np.concatenate([[0.0], np.cumsum(divergence)[:-1]])
    v = sim.rates(before, np.arange(T, dtype=np.float64))
    return float(np.mean(divergence / v + v))


def deviation(x: Instance, star: Array, psi: Array) -> float:
    r"""$V_\Psi$."""
    return float(np.sqrt(np.mean(divergences(x, star, psi))))


def block_means(star: Array, count: int) -> Array:
    r"""$\psi_t$ (T, 2): the means over `count` blocks."""
    block = np.arange(len(star)) * count // len(star)
    sizes = np.bincount(block, minlength=count)
    sums = [np.bincount(block, column, count) for column in star.T]
    return np.asarray((np.stack(sums, axis=1) / sizes[:, None])[block])


def path(psi: Array) -> float:
    r"""$P_\Psi$."""
    return float(np.sqrt(2 * squares(psi[1:] - psi[:-1])).sum())


class Stretch(NamedTuple):
    r"""Rounds `first` to `last` with $B_t = b$, or $\sum_kb_k(h/(t-1))^k$ with h = first - 1 and k = 2, 3, ... where it
    `falls`."""

    first: int
    last: int
    b: float
    falls: tuple[float, ...] = ()

    def divergences(self, t: Array) -> Array:
        """$B_t$."""
        share = (self.first - 1) / np.maximum(t - 1, 1)
        return np.asarray(self.b + sum((b * share**k for k, b in enumerate(self.falls, 2)), 0 * t))

    def before(self, t: Array) -> Array:
        r"""$\sum B_s$ over first <= s < t; $(k-1)\sum_{j=a}^nj^{-k} = (a-\frac12)^{1-k} - (n+\frac12)^{1-k} +
        O(a^{-k-1})$."""
        h, total = self.first - 1, self.b * (t - self.first)
        for k, b in enumerate(self.falls, 1):
            total = total + b * h / k * ((h / (h - 0.5)) ** k - (h / (t - 1.5)) ** k)
        return np.asarray(total)


def long_average(stretches: list[Stretch], sim: LearnedRate) -> float:
    r"""$\bar U_T/\sigma$ over stretches that follow one another from round 1 to round T."""
    total, before = 0.0, 0.0
    for s in stretches:
        t, weight = _rule(s.first, s.last)
        B = s.divergences(t)
        v = sim.rates(before + s.before(t), t - 1)
        total += float(weight @ (B / v + v))
        before += float(s.before(np.array([s.last + 1.0]))[0])
    return total / stretches[-1].last


def _rule(first: int, last: int) -> tuple[Array, Array]:
    r"""Nodes and weights of a sum over first <= t <= last: rounds one by one, then blocks that double in length."""
    edge = min(last, first + EXACT - 1)
    t, weight = [np.arange(first, edge + 1, dtype=np.float64)], [np.ones(edge - first + 1)]
    width = EXACT
    while edge < last:
        stop = min(last, edge + width)
        half = (stop - edge) / 2
        t.append(edge + 0.5 + half * (1 + NODES))
        weight.append(half * WEIGHTS)
        edge, width = stop, 2 * width
    return np.concatenate(t), np.concatenate(weight)


UNIT_BALL = (
    Assumption(r"\|\theta_t^\ast\|_2\le1", lambda x: 1 - x.size),
    Assumption(r"\|\phi_1\|_2\le1", lambda x: 1 - x.start @ x.start),
    Assumption(r"\sigma>0", lambda x: x.sigma),
)
