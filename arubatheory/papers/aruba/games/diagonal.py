r"""The game of prp:diagftl, and what $(\varepsilon, \zeta, p)$-FTL plays in it (eq:percoord).

The losses are $\ell_t(x) = \|b_t^2/x + g_t^2 \odot x\|_1$ on $x > 0$.

With $w_t = (t+1)^{-p}$ the regularised squares are $\tilde b_t^2 = b_t^2 + \varepsilon^2 w_t$, $\tilde g_t^2 = g_t^2 +
\zeta^2 w_t$ for t = 0, ..., T with $b_0 = g_0 = 0$, and $x_t^2 = \tilde b_{0:t-1}^2/\tilde g_{0:t-1}^2$ in every
coordinate: the rates of Algorithm 2, played by the kernels of its state. Arrays of squares have a row for each t and a
column for each coordinate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.learners.algorithm2 import coordinate_ftl, fading_weights
from arubatheory.learners.running_means import running_means
from arubatheory.papers.aruba.d_geometry.powersum import lower_constant, power
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.games import MOST_D, MOST_T

MOST, LONGEST = 5, 7  # usual free rounds, and the power of two up to which patterns are repeated and played exactly
TERMS = 8  # of the series that are summed


def length(draw: Draw, longest: int = LONGEST) -> int:
    """1 to `MOST` rounds, or a power of 2 up to 2**longest."""
    return 1 << draw.integer(3, longest) if draw.boolean() else draw.size("T", MOST, MOST_T)


def order(draw: Draw, T: int) -> tuple[int, Array]:
    """How many rows a pattern has, and which of them each of the T rounds shows: one for all, two in turn, two phases
    that change at an eighth of the game, or all free (up to `MOST`)."""
    kind = draw.integer(0, 3 if T <= MOST else 2)
    t, change = np.arange(T), draw.integer(0, 8) * T // 8
    return (1, 2, 2, T)[kind], (t * 0, t % 2, (t >= change).astype(np.int64), t)[kind]


def pattern(draw: Draw, T: int, d: int) -> Array:
    """T points (T, d) of the unit ball of l2: 0, on an axis, or free."""
    n, shown = order(draw, T)
    rows: Array = np.stack([_point(draw, d) for _ in range(n)])[shown]
    return rows


def _point(draw: Draw, d: int) -> Array:
    kind = draw.integer(0, 3)
    if kind == 0:
        return draw.zeros(d)
    if kind == 1:
        at = draw.integer(0, d - 1)
        return draw.array([int(j == at) for j in range(d)])
    direction: Array = draw.sphere(d) * draw.unit()
    return direction


def power_of(draw: Draw) -> Any:
    r"""p: 2/5, or anywhere between $2/3 \cdot 2^{-10}$ and $2/3 (1 - 2^{-10})$."""
    if draw.boolean():
        return draw.number(2, 5)
    return draw.number(2, 3) * (1 + 1022 * draw.unit()) / 1024


def diagonal_game(draw: Draw, dimensions: int = 2) -> Instance:
    r"""$b_t$, $g_t$ (T, d) with the bounds D and G of their norms (attained or not, 0 or not), $\varepsilon$, $\zeta$
    of any scale or near those of D and G, p, and any $x^\ast > 0$ (d,)."""
    d, T = draw.size("d", dimensions, MOST_D), length(draw)
    D, eps = _bound_and_scale(draw)
    G, zeta = _bound_and_scale(draw)
    near = D / G if D > 0 and G > 0 and draw.boolean() else eps / zeta
    return _rounds(draw, T, d, near, 8, D=D, G=G, eps=eps, zeta=zeta)


def coordinate_game(draw: Draw) -> Instance:
    """The game of one coordinate."""
    return diagonal_game(draw, 1)


def gentle_game(draw: Draw) -> Instance:
    r"""One coordinate: any game, or a long one in which $b_t$, $g_t$ are below $\varepsilon$, $\zeta$ by few octaves
    and $x^\ast$ is near $x_1$: there coupling is least loose."""
    if not draw.boolean():
        return coordinate_game(draw)
    T, eps, zeta = 1 << draw.integer(4, LONGEST + 1), draw.positive(-4, 4), draw.positive(-4, 4)
    D, G = eps * draw.positive(-4, 0), zeta * draw.positive(-4, 0) * draw.integer(0, 1)
    return _rounds(draw, T, 1, eps / zeta, 1, D=D, G=G, eps=eps, zeta=zeta)


def _rounds(draw: Draw, T: int, d: int, near: Any, octaves: int, **x: Any) -> Instance:
    r"""$b_t$, $g_t$, p and $x^\ast$ beside what is given; the last within octaves of `near`."""
    b, g = x["D"] * pattern(draw, T, d), x["G"] * pattern(draw, T, d)
    return Instance(b=b, g=g, p=power_of(draw), comparator=near * draw.positive(-octaves, octaves, d), **x)


def _bound_and_scale(draw: Draw) -> tuple[Any, Any]:
    bound, kind = draw.positive(), draw.integer(0, 2)
    eps = bound * draw.positive(*((-1, 1), (-8, 8))[kind]) if kind < 2 else draw.positive()
    return (draw.number(0) if draw.integer(0, 7) == 7 else bound), eps


def spare(rows: Array, bound: Any) -> Any:
    r"""How far the squared norms of rows stay below that of a bound."""
    return bound * bound - max(row @ row for row in rows)


LENGTH, ROUNDS = Assumption(r"T\ge1", lambda x: x.T - 1), Assumption(r"m\ge1", lambda x: x.m - 1)
SCALES = (Assumption(r"\varepsilon>0", lambda x: x.eps), Assumption(r"\zeta>0", lambda x: x.zeta))
PARAMETERS = (*SCALES, Assumption(r"0<p<\frac23", lambda x: min(x.p, 2 - 3 * x.p)))
GAME = (
    Assumption(r"\|b_t\|_2\le D", lambda x: spare(x.b, x.D)),
    Assumption(r"\|g_t\|_2\le G", lambda x: spare(x.g, x.G)),
    *PARAMETERS,
    Assumption(r"x^\ast>0", lambda x: min(x.comparator)),
)


def means(points: Array, first: Array) -> Array:
    r"""$\phi_1$ as given, $\phi_t = \theta_{1:t-1}^\ast/(t-1)$ (T, d)."""
    found: Array = running_means(points, 1 + 0 * points[:, 0], first)[:-1]
    return found


class DiagonalPlay(NamedTuple):
    r"""$w_t$ (T + 1,), $\tilde b_t^2$ and $\tilde g_t^2$ (T + 1, d), and $x_1, \dots, x_{T+1}$ (T + 1, d)."""

    w: Array
    beta: Array
    gamma: Array
    actions: Array


def play(x: Instance) -> DiagonalPlay:
    """What the algorithm plays on the game."""
    return played(x.b * x.b, x.g * x.g, x.eps, x.zeta, x.p)


def played(b: Array, g: Array, eps: Any, zeta: Any, p: Any) -> DiagonalPlay:
    r"""What it plays on any squares $b_t^2$, $g_t^2$ (T, d)."""
    return weighted(b, g, eps, zeta, on(fading_weights, b)(p, len(b) + 1))


def weighted(b: Array, g: Array, eps: Any, zeta: Any, w: Array) -> DiagonalPlay:
    r"""The same with any weights $w_0, \dots, w_T$ of the regularisers."""
    beta, gamma = (np.concatenate([0 * x[:1], x]) + (scale * scale * w)[:, None] for x, scale in ((b, eps), (g, zeta)))
    return DiagonalPlay(w, beta, gamma, on(coordinate_ftl, b)(beta, gamma))


def paid(beta: Array, gamma: Array, x: Array) -> Any:
    r"""$\sum_t \|\beta_t/x_t + \gamma_t \odot x_t\|_1$, all (T, d), or at one x (d,)."""
    return (beta / x + gamma * x).sum()


def regret(x: Instance) -> Any:
    r"""$\sum_t \ell_t(x_t) - \ell_t(x^\ast)$."""
    b, g = x.b * x.b, x.g * x.g
    return paid(b, g, play(x).actions[:-1]) - paid(b, g, x.comparator)


def average_paid(b: Array, g: Array, m: float) -> float:
    r"""$\frac1T\sum_t b_t/\eta_t + \eta_tg_t$ for squares (T,) of one coordinate in floats, by eq:percoord with
    $\varepsilon = 1$, $\zeta = \sqrt m$, p = 2/5."""
    b, g = b[:, None], g[:, None]
    return float(paid(b, g, played(b, g, 1.0, np.sqrt(m), 0.4).actions[:-1])) / len(b)


def series(p: Any) -> Any:
    r"""A little more than $\sum_{t\ge1} t^{-1-p/2}$: from the term n = `TERMS` on, by convexity, at most
    $\int_{n-1/2}^\infty s^{-1-p/2}\,ds$."""
    head = power(np.arange(1, TERMS), -1 - p / 2).sum()
    return head + power(TERMS - (1 + 0 * p) / 2, -p / 2) * 2 / p


def proof_constants(p: Any) -> tuple[Any, Any]:
    r"""$C_{p,1}$ and $C_{p,2}$ of the proof, the second with `series`."""
    c = lower_constant(p)
    common = 4 * np.sqrt(2 + 0 * p) * (1 + 1 / c) / (c * np.sqrt(c))
    return common * 2 / (3 * p), common * series(p)


def bound(x: Instance) -> Any:
    r"""The right side of prp:diagftl with $C_p = 4 + 8/p$."""
    T = len(x.b)
    long = power(T, 1 - x.p)
    price = priced(x, long, power(T, (1 - x.p) / 2), long)
    return (4 + 8 / x.p) * (price + quartic(x) * power(T, 3 * x.p / 2) + mixed(x, 1))


def learned(x: Instance, first: Any, second: Any) -> Any:
    r"""$C_1\left(\frac{D+\varepsilon}{\zeta^3}G^4 + \frac{G+\zeta}{\varepsilon^3}D^4\right)T^{3p/2} + C_2(D\zeta +
    G\varepsilon + 2\varepsilon\zeta)d$."""
    return first * quartic(x) * power(len(x.b), 3 * x.p / 2) + second * mixed(x, 2)


def quartic(x: Instance) -> Any:
    r"""$\frac{D+\varepsilon}{\zeta^3}G^4 + \frac{G+\zeta}{\varepsilon^3}D^4$."""
    return (x.D + x.eps) * x.G * (x.G / x.zeta) ** 3 + (x.G + x.zeta) * x.D * (x.D / x.eps) ** 3


def mixed(x: Instance, times: int) -> Any:
    r"""$(D\zeta + G\varepsilon + k\varepsilon\zeta)d$."""
    return (x.D * x.zeta + x.G * x.eps + times * x.eps * x.zeta) * x.b.shape[1]


def priced(x: Instance, first: Any, root: Any, second: Any) -> Any:
    r"""$\sum_j \min\{(\varepsilon^2/x_j + \zeta^2 x_j) A, \sqrt{\zeta^2 b_{j,1:T}^2 + \varepsilon^2 g_{j,1:T}^2}\,B +
    2\varepsilon\zeta C\}$ at $x^\ast$, for A = `first`, B = `root`, C = `second`."""
    near = (x.eps * x.eps / x.comparator + x.zeta * x.zeta * x.comparator) * first
    squares = (x.zeta * x.b) ** 2 + (x.eps * x.g) ** 2
    far = np.sqrt(squares.sum(axis=0)) * root + 2 * x.eps * x.zeta * second
    return sum(on(smaller, x.b)(*pair) for pair in zip(near, far, strict=True))
