r"""FTL on $b_t^2/x + g_t^2x$ in every coordinate, for any fading of its regularisers (prp:diagftl/sharp).

With $w_s \ge 0$ for the weights $(s+1)^{-p}$, or $1, 0, 0, \dots$ for $p = \infty$, and $Z_T = w_0 + \dots + w_T$. The
sums $a_t^2 = \tilde b_{0:t}^2$ and $c_t^2 = \tilde g_{0:t}^2$ hold the regularisers of round 0, so that $x_t =
a_{t-1}/c_{t-1}$. The proofs stand in docs/theorems/geometry.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.learners.algorithm2 import coordinate_ftl, fading_weights
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.d_geometry.powersum import power
from arubatheory.papers.aruba.games import diagonal as games
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides, each_equal
from arubatheory.statements.functions import root
from arubatheory.statements.games import MOST_D

USES = ("eq:percoord", "def:regret")
LEAST_BOUNDS = 8  # a bound is attained in seven games of eight


def fading_game(draw: Draw) -> Instance:
    r"""$b_t$, $g_t$ (T, d) with bounds of each coordinate, $\varepsilon$, $\zeta$, p or $p = \infty$ (`once`), and
    $x^\ast$."""
    d, T = draw.size("d", 3, MOST_D), games.length(draw)
    x = Instance(b=games.pattern(draw, T, d), g=games.pattern(draw, T, d), once=not draw.boolean(), p=any_power(draw))
    for name in ("b", "g"):
        size = draw.positive() if draw.boolean() else draw.positive(-4, 4)
        rows = getattr(x, name) * size
        spare = size * draw.unit() if draw.integer(0, LEAST_BOUNDS - 1) == LEAST_BOUNDS - 1 else 0 * size
        setattr(x, name, rows)
        setattr(x, name + "_most", abs(rows).max(axis=0) + spare)
    x.eps, x.zeta = draw.positive(-8, 8, 2) if draw.boolean() else draw.positive(shape=2)
    x.comparator = x.eps / x.zeta * draw.positive(-8, 8, d)
    return x


def any_power(draw: Draw) -> Any:
    r"""p: 0, 2/5, 2/3, 1, 2, or anywhere in [0, 3]."""
    named = draw.integer(0, 5)
    return draw.number((0, 6, 10, 15, 30)[named], 15) if named < 5 else 3 * draw.unit()


GAME = (
    Assumption(r"b_j\ge|b_{t,j}|", lambda x: (x.b_most - abs(x.b)).min()),
    Assumption(r"g_j\ge|g_{t,j}|", lambda x: (x.g_most - abs(x.g)).min()),
    *games.SCALES,
    Assumption(r"p\ge0", lambda x: x.p),
    Assumption(r"x^\ast>0", lambda x: min(x.comparator)),
)


def weights(x: Instance) -> Array:
    r"""$w_0, \dots, w_T$."""
    if not x.once:
        faded: Array = on(fading_weights, x.b)(x.p, len(x.b) + 1)
        return faded
    ones: Array = 0 * x.b[:, 0]
    return np.concatenate([1 + ones[:1], ones])


def play(x: Instance) -> games.DiagonalPlay:
    """What FTL plays."""
    return games.weighted(x.b * x.b, x.g * x.g, x.eps, x.zeta, weights(x))


def roots(x: Instance) -> tuple[Array, Array]:
    r"""$a_t$ and $c_t$ (T + 1, d)."""
    p = play(x)
    return np.sqrt(np.cumsum(p.beta, axis=0)), np.sqrt(np.cumsum(p.gamma, axis=0))


def departures(x: Instance) -> Array:
    r"""$D_{t,j} = (a_tc_{t-1} - c_ta_{t-1})^2/(a_{t-1}c_{t-1})$ (T, d)."""
    a, c = roots(x)
    return (a[1:] * c[:-1] - c[1:] * a[:-1]) ** 2 / (a[:-1] * c[:-1])


def slowness(x: Instance) -> Any:
    r"""$T^q$, q = min(p, 1)/2."""
    one = 1 + 0 * x.p
    return power(len(x.b), (one if x.once else on(smaller, one)(x.p, one)) / 2)


def learned(x: Instance) -> Any:
    r"""$\frac14\sum_j(b_j^2+\varepsilon^2)\frac{g_jT^q+\zeta}\varepsilon\log(\dots) + \dots$"""
    slow, pairs = slowness(x), ((x.b_most, x.eps), (x.g_most, x.zeta))
    b, g = ((most**2 + scale**2) * np.log(1 + len(x.b) * (1 + (most / scale) ** 2)) for most, scale in pairs)
    return sum(b * ((x.g_most * slow + x.zeta) / x.eps) + g * ((x.b_most * slow + x.eps) / x.zeta)) / 4


def price(x: Instance) -> Any:
    r"""$\sum_j\min\{(\varepsilon/\sqrt{x_j^\ast} - \zeta\sqrt{x_j^\ast})^2Z_T,
    2\sqrt{Z_T}(\zeta\sqrt{b_{j,1:T}^2} + \varepsilon\sqrt{g_{j,1:T}^2})\}$."""
    Z, y = sum(weights(x)), x.comparator
    near = (x.eps**2 / y + x.zeta**2 * y - 2 * x.eps * x.zeta) * Z
    far = 2 * root(Z) * (x.zeta * np.sqrt((x.b * x.b).sum(axis=0)) + x.eps * np.sqrt((x.g * x.g).sum(axis=0)))
    return sum(on(smaller, x.b)(*pair) for pair in zip(near, far, strict=True))


PRICE = (
    r"\sum_{j=1}^d\min\left\{\left(\frac\varepsilon{\sqrt{x_j^\ast}}-\zeta\sqrt{x_j^\ast}\right)^2Z_T,"
    r"2\sqrt{Z_T}\left(\zeta\sqrt{b_{j,1:T}^2}+\varepsilon\sqrt{g_{j,1:T}^2}\right)\right\}"
)
LEARNED = (
    r"\frac14\sum_{j=1}^d(b_j^2+\varepsilon^2)\frac{g_jT^q+\zeta}\varepsilon\log\left(1+T\left(1+\frac{b_j^2}"
    r"{\varepsilon^2}\right)\right)+(g_j^2+\zeta^2)\frac{b_jT^q+\varepsilon}\zeta\log\left(1+T\left(1+\frac{g_j^2}"
    r"{\zeta^2}\right)\right)"
)
SUMS = r"\quad\text{for}\quad Z_T=\sum_{s=0}^T\frac1{(s+1)^p},\ q=\frac{\min\{p,1\}}2"
DEPARTURES = r"\sum_{t=1}^T\sum_{j=1}^d\frac{(a_{t,j}c_{t-1,j}-c_{t,j}a_{t-1,j})^2}{a_{t-1,j}c_{t-1,j}}"
PLAYED: dict[str, Any] = {"game": fading_game, "given": GAME, "uses": USES}


@claim("prp:diagftl/sharp", r"\sum_{t=1}^T\ell_t(x_t)-\ell_t(x^\ast)\le" + PRICE + "+" + LEARNED + SUMS, **PLAYED)
def sharp(x: Instance) -> Sides:
    r"""Regret of the per-coordinate learner for every $p\ge0$.

    $p=\infty$ (regularised at t = 0 only) included: $Z_T=1$, $q=\frac12$. $T^q$ stands where the paper has
    $T^{3p/2}$, and p = 1, the choice of its experiments, is covered. Proved in docs/theorems/geometry.md.
    """
    b, g = x.b * x.b, x.g * x.g
    regret = games.paid(b, g, play(x).actions[:-1]) - games.paid(b, g, x.comparator)
    return Sides(regret, price(x) + learned(x))


@claim(
    "prp:diagftl/sharp/proof-1",
    r"\sum_{t=1}^T\tilde\ell_t(x_t)=2\sum_{j=1}^d(a_{T,j}c_{T,j}-\varepsilon\zeta)+" + DEPARTURES,
    **PLAYED,
)
def exactly(x: Instance) -> tuple[Sides, ...]:
    """The regret of FTL on its own losses, exactly, coordinate by coordinate."""
    p, (a, c) = play(x), roots(x)
    paid = (p.beta[1:] / p.actions[:-1] + p.gamma[1:] * p.actions[:-1]).sum(axis=0)
    return each_equal(paid, 2 * (a[-1] * c[-1] - x.eps * x.zeta) + departures(x).sum(axis=0))


@claim(
    "prp:diagftl/sharp/proof-2",
    r"\frac{(a_tc_{t-1}-c_ta_{t-1})^2}{a_{t-1}c_{t-1}}\le\frac{c_{t-1}}{a_{t-1}}(a_t-a_{t-1})^2+"
    r"\frac{a_{t-1}}{c_{t-1}}(c_t-c_{t-1})^2",
    **PLAYED,
)
def two_parts(x: Instance) -> tuple[Sides, ...]:
    r"""The two sums move apart by no more than each moves.

    $(u-v)^2\le u^2+v^2$ for $u,v\ge0$.
    """
    a, c = roots(x)
    parts = (c[:-1] / a[:-1]) * (a[1:] - a[:-1]) ** 2 + (a[:-1] / c[:-1]) * (c[1:] - c[:-1]) ** 2
    return tuple(map(Sides, departures(x).ravel(), parts.ravel()))


@claim("prp:diagftl/sharp/proof-3", r"(a_t-a_{t-1})^2\le\frac14\tilde b_t^2\log\frac{a_t^2}{a_{t-1}^2}", **PLAYED)
def one_part(x: Instance) -> tuple[Sides, ...]:
    r"""How far a root moves.

    $(\sqrt{1+s}-1)^2\le\frac s4\log(1+s)$, attained as s → 0.
    """
    a, p = roots(x)[0], play(x)
    logs = np.log(np.cumsum(p.beta, axis=0))
    return tuple(map(Sides, ((a[1:] - a[:-1]) ** 2).ravel(), (p.beta[1:] * (logs[1:] - logs[:-1]) / 4).ravel()))


@claim("prp:diagftl/sharp/proof-4", r"\frac{c_{t-1}}{a_{t-1}}\le\frac{g_jT^q+\zeta}\varepsilon", **PLAYED)
def least_rate(x: Instance) -> tuple[Sides, ...]:
    r"""The smallest rate.

    $Z_{t-1}\ge t^{1-\min\{p,1\}}$.
    """
    a, c = roots(x)
    most = (x.g_most * slowness(x) + x.zeta) / x.eps
    return tuple(Sides(ratio, bound) for row in c[:-1] / a[:-1] for ratio, bound in zip(row, most, strict=True))


@claim(
    "prp:diagftl/sharp/proof-5",
    r"\sqrt{(b^2+\varepsilon^2Z)(g^2+\zeta^2Z)}\le\sqrt{b^2g^2}+\sqrt Z(\zeta\sqrt{b^2}+\varepsilon\sqrt{g^2})"
    r"+\varepsilon\zeta Z\quad\text{for}\quad b^2=b_{j,1:T}^2,\ g^2=g_{j,1:T}^2,\ Z=Z_T",
    **PLAYED,
)
def price_of_regularisers(x: Instance) -> tuple[Sides, ...]:
    """What the regularisers add to the best value."""
    Z, (a, c) = sum(weights(x)), roots(x)
    b, g = np.sqrt((x.b * x.b).sum(axis=0)), np.sqrt((x.g * x.g).sum(axis=0))
    rhs = b * g + root(Z) * (x.zeta * b + x.eps * g) + x.eps * x.zeta * Z
    return tuple(map(Sides, a[-1] * c[-1], rhs))


# from below
def any_learner(draw: Draw) -> Instance:
    r"""T, and the $x_1, \dots, x_T > 0$ that a learner plays while $b_t = 0$ and $g_t = 1$: free, near the adversary's
    threshold, or those of FTL."""
    T, kind = games.length(draw, 10), draw.integer(0, 2)
    if kind == 0:
        return Instance(actions=draw.positive(-8, 8, T) if T <= games.MOST else draw.positive(-8, 8) + draw.zeros(T))
    if kind == 1:
        near = draw.number(1, 1 << (T.bit_length() + 1) // 2) * draw.positive(-2, 1)
        return Instance(actions=near + draw.zeros(T))
    w = draw.array([1, *[0] * T])[:, None]
    gamma = draw.array([0, *[1] * T])[:, None] + draw.positive(-8, 8) * w
    return Instance(actions=on(coordinate_ftl, w)(draw.positive(-8, 8) * w, gamma)[:-1, 0])


@claim(
    "prp:diagftl/sharp/lower",
    r"\frac{\sqrt T}2\le\sup_{b_t,g_t\in[0,1]}\left(\sum_{t=1}^T\ell_t(x_t)-\inf_{x>0}\sum_{t=1}^T\ell_t(x)\right)",
    any_learner,
    (Assumption(r"x_t>0", lambda x: min(x.actions)),),
    uses=USES,
)
def lower(x: Instance) -> Sides:
    r"""No learner of one coordinate does better.

    The adversary: $b_t=0$, $g_t=1$ until $x_t\le\frac1{2\sqrt T}$, then $b_t=1$, $g_t=0$ once, then zeros. It needs
    no more of a learner than its next action, so that $x_1,x_2,\dots$ are what any deterministic learner answers to
    $b=0$, $g=1$; a randomised one has at least the regret of its means. Attained by $x_t=\frac1{2\sqrt T}$ from above.
    """
    T = len(x.actions)
    n = next((t for t, action in enumerate(x.actions) if not action * action * (4 * T) > 1), T)
    paid = sum(x.actions[:n]) + 0 * x.actions[0]
    least = root(T + 0 * paid) / 2
    return Sides(least, paid + 1 / x.actions[n] - 2 * root(n + 0 * paid) if n < T else paid)
