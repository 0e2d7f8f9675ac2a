r"""The game of prp:diagftl, and what $(\varepsilon, \zeta, p)$-FTL plays in it (eq:percoord).

The losses are $\ell_t(x) = \|b_t^2/x + g_t^2 \odot x\|_1$ on $x > 0$.

With $w_t = (t+1)^{-p}$ the regularised squares are $\tilde b_t^2 = b_t^2 + \varepsilon^2 w_t$, $\tilde g_t^2 = g_t^2 +
\zeta^2 w_t$ for t = 0, ..., T with $b_0 = g_0 = 0$, and $x_t^2 = \tilde b_{0:t-1}^2/\tilde g_{0:t-1}^2$ in every
coordinate. Arrays of squares have a row for each t and a column for each coordinate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance

MOST, LONGEST = 5, 7  # free rounds, and the power of two up to which patterns are repeated
TERMS = 8  # of the series that are summed


# drawn games -------------------------------------------------------------------------------------------------------
def length(draw: Draw, longest: int = LONGEST) -> int:
    """1 to `MOST` rounds, or a power of 2 up to 2**longest."""
    return 1 << draw.integer(3, longest) if draw.boolean() else draw.integer(1, MOST)


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
    d, T = draw.integer(1, dimensions), length(draw)
    D, eps = _bound_and_scale(draw)
    G, zeta = _bound_and_scale(draw)
    near = D / G if D > 0 and G > 0 and draw.boolean() else eps / zeta
    return Instance(
        b=D * pattern(draw, T, d), g=G * pattern(draw, T, d), D=D, G=G, eps=eps, zeta=zeta, p=power_of(draw),
        comparator=near * draw.positive(-8, 8, d),
    )  # fmt: skip


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
    return Instance(
        b=D * pattern(draw, T, 1), g=G * pattern(draw, T, 1), D=D, G=G, eps=eps, zeta=zeta, p=power_of(draw),
        comparator=eps / zeta * draw.positive(-1, 1, 1),
    )  # fmt: skip


def _bound_and_scale(draw: Draw) -> tuple[Any, Any]:
    bound, kind = draw.positive(), draw.integer(0, 2)
    eps = bound * draw.positive(*((-1, 1), (-8, 8))[kind]) if kind < 2 else draw.positive()
    return (draw.number(0) if draw.integer(0, 7) == 7 else bound), eps


def _spare(rows: Array, bound: Any) -> Any:
    return bound * bound - max(row @ row for row in rows)


GAME = (
    Assumption(r"\|b_t\|_2\le D", lambda i: _spare(i.b, i.D)),
    Assumption(r"\|g_t\|_2\le G", lambda i: _spare(i.g, i.G)),
    Assumption(r"\varepsilon>0", lambda i: i.eps),
    Assumption(r"\zeta>0", lambda i: i.zeta),
    Assumption(r"0<p<\frac23", lambda i: min(i.p, 2 - 3 * i.p)),
    Assumption(r"x^\ast>0", lambda i: min(i.comparator)),
)


# the algorithm -----------------------------------------------------------------------------------------------------
@kernel
def weights(b: Array, p: Any) -> Array:
    r"""[exact] $w_t = (t+1)^{-p}$, t = 0, ..., T."""
    w = np.empty(b.shape[0] + 1, b.dtype)
    for t in range(b.shape[0] + 1):
        w[t] = np.exp(-p * np.log(0 * p + (t + 1)))
    return w


@kernel
def regularised(b: Array, eps: Any, w: Array) -> Array:
    r"""[exact] $\tilde b_t^2 = b_t^2 + \varepsilon^2 w_t$ (T + 1, d), with $b_0 = 0$."""
    out = np.empty((b.shape[0] + 1, b.shape[1]), b.dtype)
    for j in range(b.shape[1]):
        out[0, j] = eps * eps * w[0]
        for t in range(b.shape[0]):
            out[t + 1, j] = b[t, j] * b[t, j] + eps * eps * w[t + 1]
    return out


@kernel
def leaders(beta: Array, gamma: Array) -> Array:
    r"""[exact] $x_1, \dots, x_{T+1}$ (T + 1, d): the roots of $\tilde b_{0:t-1}^2/\tilde g_{0:t-1}^2$."""
    x = np.empty_like(beta)
    for j in range(beta.shape[1]):
        above, below = 0 * beta[0, j], 0 * beta[0, j]
        for t in range(beta.shape[0]):
            above, below = above + beta[t, j], below + gamma[t, j]
            x[t, j] = np.sqrt(above / below)
    return x


@kernel
def played(beta: Array, gamma: Array, x: Array) -> Any:
    r"""[exact] $\sum_t \|\beta_t/x_t + \gamma_t \odot x_t\|_1$, all arrays (T, d); a sum of nonnegative terms."""
    s = 0 * beta[0, 0]
    for t in range(beta.shape[0]):
        for j in range(beta.shape[1]):
            s = s + (beta[t, j] / x[t, j] + gamma[t, j] * x[t, j])
    return s


def compared(beta: Array, gamma: Array, x: Array) -> Any:
    r"""$\sum_t \|\beta_t/x + \gamma_t \odot x\|_1$ at one x (d,)."""
    return on(played, beta)(beta, gamma, np.stack([x] * len(beta)))


class Run(NamedTuple):
    r"""$w_t$ (T + 1,), $\tilde b_t^2$ and $\tilde g_t^2$ (T + 1, d), and $x_1, \dots, x_{T+1}$ (T + 1, d)."""

    w: Array
    beta: Array
    gamma: Array
    x: Array


def run(i: Instance) -> Run:
    """What the algorithm plays on the game."""
    w = on(weights, i.b)(i.b, i.p)
    beta, gamma = on(regularised, i.b)(i.b, i.eps, w), on(regularised, i.b)(i.g, i.zeta, w)
    return Run(w, beta, gamma, on(leaders, i.b)(beta, gamma))


def regret(i: Instance) -> tuple[Any, Any]:
    r"""$\sum_t \ell_t(x_t) - \ell_t(x^\ast)$ and the magnitudes added."""
    own = on(played, i.b)(i.b * i.b, i.g * i.g, run(i).x[:-1])
    other = compared(i.b * i.b, i.g * i.g, i.comparator)
    return own - other, own + other


# constants and terms of the bounds ---------------------------------------------------------------------------------
def power(T: Any, q: Any) -> Any:
    r"""$T^q$ in the arithmetic of q."""
    return np.exp(q * np.log(0 * q + T))


def lower_constant(p: Any) -> Any:
    r"""$\underline c_p$ of clm:powersum."""
    return (1 - np.exp((1 - p) * (np.log(2 + 0 * p) - np.log(3 + 0 * p)))) / (1 - p)


def series(p: Any) -> Any:
    r"""A little more than $\sum_{t\ge1} t^{-1-p/2}$: from the term n = `TERMS` on, by convexity, at most
    $\int_{n-1/2}^\infty s^{-1-p/2}\,ds$."""
    head = sum(power(t, -1 - p / 2) for t in range(1, TERMS))
    return head + power(TERMS - (1 + 0 * p) / 2, -p / 2) * 2 / p


def proof_constants(p: Any) -> tuple[Any, Any]:
    r"""$C_{p,1}$ and $C_{p,2}$ of the proof, the second with `series`."""
    c = lower_constant(p)
    common = 4 * np.sqrt(2 + 0 * p) * (1 + 1 / c) / (c * np.sqrt(c))
    return common * 2 / (3 * p), common * series(p)


def quartic(i: Instance) -> Any:
    r"""$\frac{D+\varepsilon}{\zeta^3}G^4 + \frac{G+\zeta}{\varepsilon^3}D^4$."""
    over, under = i.G / i.zeta, i.D / i.eps
    return (i.D + i.eps) * i.G * (over * over * over) + (i.G + i.zeta) * i.D * (under * under * under)


def mixed(i: Instance, times: int) -> Any:
    r"""$(D\zeta + G\varepsilon + k\varepsilon\zeta)d$."""
    return (i.D * i.zeta + i.G * i.eps + times * i.eps * i.zeta) * i.b.shape[1]


@kernel
def prices(b: Array, g: Array, eps: Any, zeta: Any, x: Array, first: Any, root: Any, second: Any) -> Any:
    r"""[exact] $\sum_j \min\{(\varepsilon^2/x_j + \zeta^2 x_j) A, \sqrt{\zeta^2 b_{j,1:T}^2 + \varepsilon^2
    g_{j,1:T}^2}\,B + 2\varepsilon\zeta C\}$ for A = `first`, B = `root`, C = `second`."""
    s = 0 * eps
    for j in range(b.shape[1]):
        squares = 0 * eps
        for t in range(b.shape[0]):
            squares = squares + (zeta * b[t, j]) * (zeta * b[t, j]) + (eps * g[t, j]) * (eps * g[t, j])
        near = (eps * eps / x[j] + zeta * zeta * x[j]) * first
        s = s + smaller(near, np.sqrt(squares) * root + 2 * eps * zeta * second)
    return s


def priced(i: Instance, first: Any, root: Any, second: Any) -> Any:
    """`prices` of a game."""
    return on(prices, i.b)(i.b, i.g, i.eps, i.zeta, i.comparator, first, root, second)
