r"""Kingma and Ba, Adam: a method for stochastic optimization, ICLR 2015, theorem 4.1.

$\alpha_t=\alpha/\sqrt t$, $\beta_{1,t}=\beta_1\lambda^{t-1}$, $\gamma=\beta_1^2/\sqrt{\beta_2}<1$; D bounds the
distances of the iterates and of the comparator. Refuted by Reddi, Kale and Kumar (On the convergence of
Adam and beyond, 2018).

On trial: REFUTED at quick and standard (0.5 s, 3.8 s).
"""

import numpy as np

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.problems.scalar import larger, smaller


def game(draw: Draw) -> Instance:
    """Slopes of linear losses on the line, all of Adam's parameters, a start, and a comparator."""
    g, b1 = draw.real(-1, 1, draw.size("T", 12, 60)), draw.real(draw.number(1, 100), draw.number(99, 100))
    b2 = draw.real(b1 * b1, 1 - draw.number(1, 1000))  # then gamma < 1, as b1^2 <= b2 < sqrt(b2)
    x = Instance(g=g, b1=b1, b2=b2, decay=draw.real(draw.number(1, 100), draw.number(99, 100)))
    x.alpha, x.start, x.u = draw.positive(-8, 8), draw.real(), draw.real()
    return x


@kernel
def played(g, b1, b2, decay, alpha, start, u):  # type: ignore[no-untyped-def]
    r"""[exact] Regret, the largest distance D, $\hat v_T$ and $\|g_{1:T}\|_2^2$ of Adam on linear losses."""
    regret, squares, m, v, x = 0 * u, 0 * u, 0 * u, 0 * u, start
    least, most, keep, p1, p2 = smaller(start, u), larger(start, u), b1, 0 * u + 1, 0 * u + 1
    for t in range(g.shape[0]):
        least, most = smaller(least, x), larger(most, x)
        regret, squares = regret + g[t] * (x - u), squares + g[t] * g[t]
        m, v = keep * m + (1 - keep) * g[t], b2 * v + (1 - b2) * g[t] * g[t]
        keep, p1, p2 = keep * decay, p1 * b1, p2 * b2
        if v > 0:
            x = x - alpha / np.sqrt(0 * u + t + 1) * (m / (1 - p1)) / np.sqrt(v / (1 - p2))
    return regret, most - least, v / (1 - p2), squares


@claim(
    "thm:adam",
    r"R(T)\le\frac{D^2}{2\alpha(1-\beta_1)}\sum_i\sqrt{T\hat v_{T,i}}+\frac{\alpha(1+\beta_1)G_\infty}{(1-\beta_1)"
    r"\sqrt{1-\beta_2}(1-\gamma)^2}\sum_i\|g_{1:T,i}\|_2+\sum_i\frac{D_\infty^2G_\infty\sqrt{1-\beta_2}}{2\alpha\beta_1"
    r"(1-\lambda)^2}",
    game,
    (Assumption(r"\gamma<1", lambda x: x.b2 - x.b1 * x.b1 * x.b1 * x.b1), Assumption(r"\alpha>0", lambda x: x.alpha)),
)
def sides(x: Instance) -> Sides:
    r"""Adam's regret bound, T up to 60.

    False as printed. Its average regret need not vanish, and the bound fails after one round already: for g much
    smaller than the distances, and these much smaller than the steps, the left side is the largest term."""
    regret, D, v, squares = on(played, x.g)(x.g, x.b1, x.b2, x.decay, x.alpha, x.start, x.u)
    G, gamma, noise = abs(x.g).max(), x.b1 * x.b1 / np.sqrt(x.b2), np.sqrt(1 - x.b2)
    first = D * D * np.sqrt(len(x.g) * v) / (2 * x.alpha * (1 - x.b1))
    second = x.alpha * (1 + x.b1) * G * np.sqrt(squares) / ((1 - x.b1) * noise * (1 - gamma) * (1 - gamma))
    return Sides(regret, first + second + D * D * G * noise / (2 * x.alpha * x.b1 * (1 - x.decay) * (1 - x.decay)))
