r"""Reddi, Kale and Kumar, On the convergence of Adam and beyond, ICLR 2018, theorem 4: AMSGrad.

Tran and Phong (On the convergence proof of AMSGrad and a new version, IEEE Access 7, 2019) show that a step of its
proof fails: it treats the $\beta_{1,t}$ as equal in a telescoping sum.

On trial: SURVIVED at quick and standard (0.4 s, 4.9 s).
"""

import numpy as np

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import on
from arubatheory.papers.classics import amsgrad
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import GIVEN


def game(draw: Draw) -> Instance:
    r"""AMSGrad's game with any $\beta_{1,t} \le \beta_1$, of which $\gamma = \beta_1/\sqrt{\beta_2} < 1$."""
    x = amsgrad.game(draw)
    x.b1 = draw.real(0, x.b2 * draw.number(99, 100))
    x.b = x.b1 * draw.unit(len(x.g))
    return x


@claim(
    "thm:amsgrad-momentum",
    r"R_T\le\frac{D_\infty^2\sqrt T}{\alpha(1-\beta_1)}\sum_i\hat v_{T,i}^{1/2}+\frac{D_\infty^2}{2(1-\beta_1)}"
    r"\sum_{t,i}\frac{\beta_{1,t}\hat v_{t,i}^{1/2}}{\alpha_t}+\frac{\alpha\sqrt{1+\log T}}{(1-\beta_1)^2(1-\gamma)"
    r"\sqrt{1-\beta_2}}\sum_i\|g_{1:T,i}\|_2",
    game,
    (
        *GIVEN,
        Assumption(r"\gamma<1,\ \beta_2<1", lambda x: min(x.b2 - x.b1 * x.b1, 1 - x.b2)),
        Assumption(r"\beta_{1,t}\le\beta_1", lambda x: x.b1 - x.b.max()),
    ),
)
def sides(x: Instance) -> Sides:
    r"""AMSGrad with momentum.

    Open: the printed proof is wrong, and no counterexample to the bound itself is known to us."""
    regret, root, weighted, squares = on(amsgrad.played, x.g)(x.g, x.b, x.b2, x.alpha, x.start, x.u, x.D)
    left = 1 - x.b1
    last = x.alpha * np.sqrt((1 + np.log(x.T)) * squares / (1 - x.b2)) / (left * left * (1 - x.b1 / np.sqrt(x.b2)))
    return Sides(regret, x.D * x.D * (np.sqrt(x.T) * root / x.alpha + weighted / 2) / left + last)
