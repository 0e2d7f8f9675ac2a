r"""Reddi, Kale and Kumar, On the convergence of Adam and beyond, ICLR 2018, theorem 4: AMSGrad, here with $\beta_1=0$.

$v_t=\beta_2v_{t-1}+(1-\beta_2)g_t^2$, $\hat v_t=\max_{s\le t}v_s$, $\alpha_t=\alpha/\sqrt t$.

On trial: SURVIVED at quick and standard (0.4 s, 4.2 s).
"""

import numpy as np

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import GIVEN, clip, linear_game
from arubatheory.problems.scalar import larger


def game(draw: Draw) -> Instance:
    r"""Linear losses on an interval, and AMSGrad's parameters without momentum."""
    x = linear_game(draw)
    x.alpha, x.b2, x.b = draw.positive(-8, 8), draw.real(draw.number(1, 100), draw.number(999, 1000)), 0 * x.g
    return x


@kernel
def played(g, b, b2, alpha, start, u, high):  # type: ignore[no-untyped-def]
    r"""[exact] The regret, $\sqrt{\hat v_T}$, $\sum_t\beta_{1,t}\sqrt{t\hat v_t}/\alpha$ and $\|g_{1:T}\|_2^2$."""
    regret, squares, weighted, x = 0 * u, 0 * u, 0 * u, start
    m, v, top, root = 0 * u, 0 * u, 0 * u, 0 * u
    for t in range(g.shape[0]):
        regret, squares = regret + g[t] * (x - u), squares + g[t] * g[t]
        m, v = b[t] * m + (1 - b[t]) * g[t], b2 * v + (1 - b2) * g[t] * g[t]
        top = larger(top, v)
        root, count = np.sqrt(top), np.sqrt(0 * u + t + 1)
        weighted = weighted + b[t] * root * count / alpha
        if top > 0:
            x = clip(x - alpha / count * m / root, 0 * u, high)
    return regret, root, weighted, squares


@claim(
    "thm:amsgrad",
    r"R_T\le\frac{D_\infty^2\sqrt T}\alpha\sum_i\hat v_{T,i}^{1/2}+\frac{\alpha\sqrt{1+\log T}}{\sqrt{1-\beta_2}}"
    r"\sum_i\|g_{1:T,i}\|_2,\quad\beta_1=0",
    game,
    (*GIVEN, Assumption(r"\alpha>0,\ \beta_2<1", lambda x: min(x.alpha, 1 - x.b2))),
)
def sides(x: Instance) -> Sides:
    r"""AMSGrad without momentum.

    True; on a box the coordinates play apart."""
    regret, root, _, squares = on(played, x.g)(x.g, x.b, x.b2, x.alpha, x.start, x.u, x.D)
    last = x.alpha * np.sqrt((1 + np.log(x.T)) * squares / (1 - x.b2))
    return Sides(regret, x.D * x.D * np.sqrt(x.T) * root / x.alpha + last)
