r"""Kingma and Ba, Adam: a method for stochastic optimization, ICLR 2015, lemma 10.4; $\gamma=\beta_1^2/\sqrt{\beta_2}$.

Both moments with their bias corrected, as Adam plays them. That its proof fails was pointed out by Bock, Goppold and
Weiss (An improvement of the convergence proof of the ADAM-optimizer, 2018).

On trial: REFUTED at quick and standard (0.4 s, 4.9 s).
"""

import numpy as np

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.papers.classics.intervals import ROUNDS


def game(draw: Draw) -> Instance:
    r"""Slopes, and decay rates with $\gamma < 1$."""
    b1 = draw.real(0, draw.number(99, 100))
    b2 = draw.real(b1 * b1, draw.number(999, 1000))
    return Instance(g=draw.real(-1, 1, draw.size("T", ROUNDS)), b1=b1, b2=b2)


@kernel
def played(g, b1, b2):  # type: ignore[no-untyped-def]
    r"""[exact] $\sum_t\hat m_t^2/\sqrt{t\hat v_t}$ and $\|g_{1:T}\|_2^2$."""
    total, squares, m, v, p1, p2 = 0 * b1, 0 * b1, 0 * b1, 0 * b1, 0 * b1 + 1, 0 * b1 + 1
    for t in range(g.shape[0]):
        m, v = b1 * m + (1 - b1) * g[t], b2 * v + (1 - b2) * g[t] * g[t]
        p1, p2, squares = p1 * b1, p2 * b2, squares + g[t] * g[t]
        if v > 0:
            mean = m / (1 - p1)
            total = total + mean * mean / np.sqrt(v / (1 - p2) * (t + 1))
    return total, squares


@claim(
    "lem:adam-moments",
    r"\sum_{t=1}^T\frac{\hat m_t^2}{\sqrt{t\hat v_t}}\le\frac2{1-\gamma}\frac1{\sqrt{1-\beta_2}}\|g_{1:T}\|_2",
    game,
    (Assumption(r"\beta_1<1,\ \beta_1^2\le\beta_2<1", lambda x: min(1 - x.b1, x.b2 - x.b1 * x.b1, 1 - x.b2)),),
)
def sides(x: Instance) -> Sides:
    r"""Another lemma of Adam's proof.

    False: its proof rests on lem:adam-roots, which is false (Bock, Goppold and Weiss 2018), and the search finds an
    instance that breaks the inequality itself; we know of none in print."""
    total, squares = on(played, x.g)(x.g, x.b1, x.b2)
    gamma = x.b1 * x.b1 / np.sqrt(x.b2 + (x.b2 == 0) * 1)
    return Sides(total * (1 - gamma) * np.sqrt(1 - x.b2), 2 * np.sqrt(squares))
