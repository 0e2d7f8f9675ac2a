r"""What kinks of a regulariser cost where only $B_R\le D^2$ is assumed of it (thm:similarity/sharp/lower).

$R(x) = \frac12\|x\|_2^2 + \kappa\max_i\langle a_i, x\rangle$ for the corners $a_i$ of a regular simplex of unit
vectors, and $\theta_t^\ast = -ca_i$ in turn. With $u_i = e_i - \frac1{d+1}\sum_ke_k$, of squared norm $h=\frac d{d+1}$,
$a_i = u_i/\sqrt h$ and $x = \sqrt hy$ it is $\frac h2\|y\|_2^2 + \kappa\max_i\langle u_i, y\rangle$, so that everything
is rational. And what kinks cost at most, by windows of tasks. The proofs stand in docs/theorems/similarity.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.s3_similarity.kink_rates import ewoo_rate
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import largest, root
from arubatheory.statements.games import MOST_T

NAMED = 100
USES = ("alg:general", "eq:auxregret", "clm:mean", "thm:similarity")


def _cycles(draw: Draw) -> Instance:
    r"""d, whole cycles of tasks, c, $\kappa$, and what SIM plays: any v, or near the best one, s, then a rational."""
    d = draw.size("d", 4)
    T, c, kappa = (d + 1) * draw.size("n", 4, MOST_T), draw.positive(-8, 0), draw.positive(-8, 8)
    v = draw.positive(-8, 8, T)
    if draw.boolean():
        s = c * (draw.number(3, 4) + kappa)
        kappa, v = (s * s - c * c / 2) * d / (c * (d + 1)), draw.positive(-1, 1) * s + 0 * v
    u, h = draw.eye(d + 1) - draw.number(1, d + 1), draw.number(d, d + 1)
    x = Instance(d=d, c=c, kappa=kappa, v=v, a=kappa * u, z=0 * u[0], start=0 * u[0], n=0, bend=h)
    x.star = -c / h * u[np.arange(T) % (d + 1)]
    return x


def _windows(draw: Draw) -> Instance:
    r"""R, the largest of some affine functions that are equal at z and a square; a start after n tasks, z or any; and
    points in turn. In half of the games the slopes point away from them."""
    d, count = draw.size("d", 3), draw.size("points", 4, MOST_T)
    points, kappa = draw.real(-1, 1, (count, d)), draw.positive(-8, 8)
    a = -kappa * points if draw.boolean() else kappa * draw.real(-1, 1, (draw.size("slopes", 4, MOST_T), d))
    T, z = 1 << draw.integer(0, 7), draw.real(-1, 1, d) * draw.integer(0, 1)  # n takes the start far into a game
    x = Instance(star=points[np.arange(T) % count], a=a, z=z, n=1 << draw.integer(0, 20), bend=draw.positive(-16, 4))
    x.start = z if draw.boolean() else draw.real(-1, 1, d)
    return x


def least_cost(d: Any, c: Any, kappa: Any) -> Any:
    r"""$\frac{c^2}2 + \kappa c(1 + \frac1d)$."""
    return c * c / 2 + kappa * c * (d + 1) / d


def starts(x: Instance) -> Array:
    r"""The means $\phi_{n+1}, \dots, \phi_{n+T+1}$, the first standing for n tasks."""
    sums = np.concatenate([0 * x.star[:1], np.cumsum(x.star, axis=0)]) + x.n * x.start
    return np.asarray(sums / np.maximum(x.n + np.arange(len(sums)), 1)[:, None])


def values(x: Instance, points: Array) -> Array:
    r"""$R(p)=\frac q2\|p\|_2^2+\max_k\langle a_k,p-z\rangle$ of every point."""
    return np.array([x.bend * (p @ p) / 2 + largest(x.a @ (p - x.z)) for p in points])


@claim(
    "thm:similarity/sharp/lower",
    r"\RUB_T\ge2G\sqrt m\sqrt{\frac{c^2}2+\kappa c\left(1+\frac1d\right)},\quad V^2=\frac{c^2}2+\frac{\kappa c}d",
    _cycles,
    (Assumption(r"c\in(0,1],\ \kappa,v_t>0", lambda x: min(x.c, 1 - x.c, x.kappa, *x.v)),),
    uses=USES,
)
def lower(x: Instance) -> tuple[Sides, ...]:
    r"""Similar tasks that cost $2\sqrt{d+1}\,V$.

    $\Theta$ is the unit ball, $\phi_1=0$, $\phi_t$ the means, T whole cycles. Of the subgradients of R at $\phi_t$ that
    of the coming corner is played, which is one: the last inequality. The quotient tends to $\sqrt{d+1}$ as
    $\kappa/c\to\infty$. Divided by $G\sqrt m/T$.
    """
    phi, T, coming = starts(x), len(x.v), x.a[np.arange(len(x.v)) % (x.d + 1)]
    R, away = values(x, phi), x.star - phi[:-1]
    heights = values(x, x.star)
    costs = heights - R[:-1] - ((x.bend * phi[:-1] + coming) * away).sum(axis=1)
    excess = sum(max(x.a @ p) - a @ p for p, a in zip(phi, coming, strict=False))
    spread = T * (x.c * x.c / 2 + x.kappa * x.c / x.d)
    return (
        Sides(2 * T * root(least_cost(x.d, x.c, x.kappa)), sum(costs / x.v + x.v)),
        *equality(sum(heights) - T * R[-1], spread),
        Sides(1 + excess, 1 + 0 * excess),
    )


@claim(
    "thm:similarity/sharp/window",
    r"\sum_{t=n+1}^NB_t(\theta_t^\ast)\le(d+1)\left(A_N-A_n+2N\max_{s,t}B_s(\phi_t)\right)\quad\text{for}\quad A_n="
    r"\sum_{t=1}^nR(\theta_t^\ast)-nR(\phi_{n+1})",
    _windows,
    (Assumption(r"q>0", lambda x: x.bend), Assumption(r"n\ge1", lambda x: x.n - 1)),
    uses=("clm:mean",),
)
def window(x: Instance) -> Sides:
    r"""What a kink costs at most in tasks n + 1 to N.

    $B_s$ is the divergence at the means $\phi_s$, at the subgradient that makes task s dearest; the largest is over s
    in the window and t up to N + 1. Any start stands for n tasks. Proved in docs/theorems/similarity.md.
    """
    (T, d), phi = x.star.shape, starts(x)
    R, heights, paid, most = values(x, phi), values(x, x.star), 0 * x.bend, 0 * x.bend
    for t, away in enumerate(x.star - phi[:-1]):
        pieces, slopes = x.a @ (phi[t] - x.z), x.a @ away
        k = min(np.flatnonzero(pieces == max(pieces)), key=lambda k: slopes[k])
        g = x.bend * phi[t] + x.a[k]
        paid, most = paid + (heights[t] - R[t] - g @ away), max(most, *(R - R[t] - (phi - phi[t]) @ g))
    grown = sum(heights) + x.n * R[0] - (x.n + T) * R[T]
    return Sides(paid, (d + 1) * (grown + 2 * (x.n + T) * most))


def quotient(d: Any) -> Any:
    r"""The lower bound over $V + \rho(T, V)$ at $\kappa = 1$, $c = \frac2d$, $T = d^4$."""
    V = 2 / d
    return 2 * root(least_cost(d, 2 / d, 1 + 0 * d)) / (V + ewoo_rate(d**4, V))


@claim(
    "thm:similarity/sharp/dimension-free",
    r"\Breg_R\le4\ \text{over}\ \Theta\implies\frac{\RUB_T}{G\sqrt m}\le400(1+\log T)\left(V+\min\left\{"
    r"\frac{1+\frac1V}{\sqrt T},\frac1{\sqrt[4]T}\right\}\right)",
    lambda draw: Instance(d=draw.number(2 ** draw.integer(1, 96))),
    (Assumption(r"d\ge2", lambda x: x.d - 2),),
    uses=USES,
)
def dimension_free(x: Instance) -> Sides:
    r"""thm:similarity with a constant that does not depend on the dimension.

    The game of thm:similarity/sharp/lower at $\kappa=1$, $c=\frac2d$, $T=d^4$, where $V=\frac2d$ and $\Breg_R\le4$: the
    quotient of the sides grows like $\sqrt d/\log d$. With 100 for the constant; the left side is under-stated.
    """
    return Sides(quotient(x.d), 4 * NAMED * (1 + 4 * np.log(x.d)))
