r"""Luo, Xiong, Liu and Sun, Adaptive gradient methods with dynamic bound of learning rate, ICLR 2019, theorem 4.

AdaBound: $\hat\eta_t=\mathrm{Clip}(\alpha/\sqrt{v_t},\eta_l(t),\eta_u(t))$, $\eta_t=\hat\eta_t/\sqrt t$, here without
momentum. Savarese (On the convergence of AdaBound and its connection to SGD, arXiv 1908.04457) has problems on which it
takes arbitrarily long, by a factor that the theorem does not account for.

On trial: SURVIVED at quick and standard (0.4 s, 5.0 s).
"""

import numpy as np

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import GIVEN, clip, linear_game


def game(draw: Draw) -> Instance:
    r"""Linear losses on an interval, AdaBound's parameters, the limit of its bounds, and their speed."""
    x = linear_game(draw)
    x.alpha, x.b2 = draw.positive(-8, 8), draw.real(draw.number(1, 100), draw.number(999, 1000))
    x.limit, x.speed = draw.positive(-8, 8), draw.positive(-12, 2)
    return x


@kernel
def played(g, b2, alpha, limit, speed, start, u, high):  # type: ignore[no-untyped-def]
    r"""[exact] The regret of AdaBound, and $\hat\eta_T$."""
    regret, v, x, rate = 0 * u, 0 * u, start, limit
    for t in range(g.shape[0]):
        regret = regret + g[t] * (x - u)
        v = b2 * v + (1 - b2) * g[t] * g[t]
        count = speed * (t + 1)
        low, most = limit - limit / (count + 1), limit + limit / count
        rate = clip(alpha / np.sqrt(v), low, most) if v > 0 else most
        x = clip(x - rate / np.sqrt(0 * u + t + 1) * g[t], 0 * u, high)
    return regret, rate


@claim(
    "thm:adabound",
    r"R_T\le\frac{D_\infty^2\sqrt T}2\sum_i\hat\eta_{T,i}^{-1}+(2\sqrt T-1)R_\infty G_2^2,\quad"
    r"R_\infty=\eta_u(1),\ \beta_1=0",
    game,
    (*GIVEN, Assumption(r"\beta_2<1", lambda x: 1 - x.b2)),
)
def sides(x: Instance) -> Sides:
    r"""AdaBound's regret.

    Open: the proof fails, since rates may grow again when $v_t$ falls; but $\eta_u(1)$ is large where these bounds are
    slow to meet, and no game that breaks the inequality itself is known to us."""
    regret, rate = on(played, x.g)(x.g, x.b2, x.alpha, x.limit, x.speed, x.start, x.u, x.D)
    root, largest = np.sqrt(x.T), x.limit + x.limit / x.speed
    return Sides(regret, x.D * x.D * root / (2 * rate) + (2 * root - 1) * largest * x.G * x.G)
