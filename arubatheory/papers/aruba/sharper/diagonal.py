r"""Learning a diagonal when regularisers enter once, before the first task, and what no learner can avoid.

With $\varepsilon = D/2$ and $\zeta = G\sqrt{m/2}$ the excess over the best $\phi$ and diagonal H is of order
$DG\sqrt{dmT}$ (thm:diagonal/sharp), and no learner of $(\phi_t, H_t)$ has less, full matrices included
(thm:diagonal/sharp/lower). The proofs stand in docs/theorems/geometry.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.d_geometry import diagonal
from arubatheory.papers.aruba.d_geometry.diagonal import TASKS
from arubatheory.papers.aruba.games import diagonal as games
from arubatheory.papers.aruba.games.matrices import invert
from arubatheory.problems.domains import BALL
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import quadratic_form
from arubatheory.problems.matrices import psd_margin
from arubatheory.statements.core import Assumption, Instance, Sides, each_equal
from arubatheory.statements.functions import root
from arubatheory.statements.games import MOST_D, MOST_T

USES = ("eq:matrix", "eq:percoord", "prp:diagftl/sharp")


def _tasks(draw: Draw) -> Instance:
    return diagonal.diagonal_tasks(draw, 4)


def diameter(x: Instance) -> Any:
    r"""The l2 diameter of $\Theta$."""
    if x.domain.kind == BALL:
        return 2 * x.domain.radius[0]
    return root(sum((x.domain.high - x.domain.low) ** 2))


def moved(x: Instance) -> Array:
    r"""$b_t^2 = \frac12(\theta_t^\ast - \phi_t)^2$ (T, d) for the means $\phi_t$."""
    return diagonal.squares(x, games.means(x.star, x.first))[0]


def least_moved(x: Instance) -> Array:
    r"""$\min_\phi\sum_t\frac12(\theta_{t,j}^\ast - \phi_j)^2$ (d,)."""
    return np.asarray(diagonal.squares(x, sum(x.star) / len(x.star))[0].sum(axis=0))


def best(x: Instance) -> Any:
    r"""$\inf_{\phi,H}\sum_t\U_t(\phi,H)$ over diagonal H."""
    return 2 * sum(np.sqrt(least_moved(x) * diagonal.squares(x, x.first)[1].sum(axis=0)))


def upper(x: Instance) -> Any:
    r"""$\sum_t\U_t(\phi_t,H_t)$."""
    b, g = moved(x), diagonal.squares(x, x.first)[1]
    w = np.concatenate([1 + 0 * x.star[:1, 0], 0 * x.star[:, 0]])
    eps, zeta = diameter(x) / 2, x.G * root(0 * x.G + x.m) / root(2 + 0 * x.G)
    return games.paid(b, g, games.weighted(b, g, eps, zeta, w).actions[:-1])


def excess(size: Any, T: Any, d: Any) -> Any:
    r"""What is paid beyond the infimum, `size` being $DG\sqrt m$."""
    return size * (2 * root(d) * (root(T) + root(T + d / 2)) + root(2 * T * (1 + np.log(T))))


INFIMUM = r"\inf_{\phi,H}\sum_{t=1}^T\U_t(\phi,H)"
CHOICE = r"\quad\text{for}\quad\varepsilon=\frac D2,\ \zeta=G\sqrt{\frac m2},\ p=\infty"


@claim(
    "thm:diagonal/sharp",
    r"\sum_{t=1}^T\U_t(\phi_t,H_t)\le"
    + INFIMUM
    + r"+2DG\sqrt{dm}\left(\sqrt T+\sqrt{T+\frac d2}\right)+\sqrt2DG\sqrt{mT(1+\log T)}"
    + CHOICE,
    _tasks,
    TASKS,
    uses=USES,
)
def sharp(x: Instance) -> Sides:
    r"""The rate of learning a diagonal.

    D is the diameter of $\Theta$, the infimum is over diagonal H and exact, $\phi_1$ is any point. On average
    $O(\sqrt{dm/T})$ where thm:diagonal has $T^{-2/5}$. Proved in docs/theorems/geometry.md.
    """
    T, d = 0 * x.G + len(x.star), 0 * x.G + x.star.shape[1]
    return Sides(upper(x) - best(x), excess(diameter(x) * x.G * root(x.m + 0 * x.G), T, d))


@claim(
    "thm:diagonal/sharp/proof-1",
    r"\sum_{t=1}^T\frac{(\theta_{t,j}^\ast-\phi_{t,j})^2}2=\min_{\phi}\sum_{t=1}^T\frac{(\theta_{t,j}^\ast-\phi_j)^2}2+"
    r"\sum_{t=1}^T\frac{(\theta_{t,j}^\ast-\phi_{t,j})^2}{2t}",
    _tasks,
    TASKS,
    uses=("thm:ftlaogd/ftl",),
)
def price_of_means(x: Instance) -> tuple[Sides, ...]:
    """The regret of the means, exactly."""
    b = moved(x)
    return each_equal(b.sum(axis=0), least_moved(x) + (b / np.arange(1, len(b) + 1)[:, None]).sum(axis=0))


@claim(
    "thm:diagonal/sharp/proof-2",
    r"\sum_{j=1}^d\sqrt{b_j^2g_j^2}\le\sum_{j=1}^d\sqrt{\min_\phi b_j^2(\phi)g_j^2}+DG\sqrt{\frac{mT(1+\log T)}2}"
    r"\quad\text{for}\quad b_j^2=\sum_{t=1}^Tb_{t,j}^2,\ g_j^2=\sum_{t=1}^Tg_{t,j}^2",
    _tasks,
    TASKS,
)
def best_at_the_means(x: Instance) -> Sides:
    r"""The best value on what the means have moved.

    $\sqrt{u+v}\le\sqrt u+\sqrt v$, then Cauchy and Schwarz.
    """
    g, T = diagonal.squares(x, x.first)[1].sum(axis=0), 0 * x.G + len(x.star)
    price = diameter(x) * x.G * root((x.m + 0 * x.G) * T * (1 + np.log(T)) / 2)
    return Sides(sum(np.sqrt(moved(x).sum(axis=0) * g)), best(x) / 2 + price)


# from below
FREE, SCALED = range(2)


def _learner(draw: Draw) -> Instance:
    r"""What a learner plays against the adversary: $\phi_t$ (T, d), $H_t$ (T, d, d), free or near its threshold."""
    d, n = draw.size("d", 3, MOST_D), draw.size("n", 6, MOST_T)
    x = Instance(r=draw.positive(-8, 8), G=draw.positive(-8, 8), m=draw.number(2 * 4 ** draw.integer(0, 4)), n=n)
    kind, T = draw.integer(0, 1), d * n
    if kind == FREE:
        x.phi, x.H = x.r * draw.real(-2, 2, (T, d)), np.array([draw.spd(d) for _ in range(T)]) * draw.positive(-16, 16)
        return x
    size = x.r / x.G * draw.positive(-2, 1) / 2 ** draw.integer(0, 6)
    x.phi, x.H = draw.zeros((T, d)), np.array([draw.eye(d)] * T) * size
    return x


def answered(x: Instance) -> tuple[Any, list[tuple[int, bool]]]:
    r"""$\sum_t\U_t(\phi_t,H_t)$, and for each block how many tasks had gradients, and whether one then moved."""
    paid, blocks, d = 0 * x.r, [], x.phi.shape[1]
    for j in range(d):
        count, moves = 0, False
        for t in range(j * x.n, (j + 1) * x.n):
            star, seen = 0 * x.phi[t], 0 * x.r
            if not moves and x.H[t, j, j] ** 2 * (8 * x.n * x.m) * x.G**2 > x.r**2:
                count, seen = count + 1, x.m * x.G**2 * x.H[t, j, j]
            elif not moves:
                star[j], moves = (-x.r if x.phi[t, j] > 0 else x.r), True
            away = star - x.phi[t]
            paid = paid + seen + on(quadratic_form, away)(invert(x.H[t]), away) / 2
        blocks.append((count, moves))
    return paid, blocks


@claim(
    "thm:diagonal/sharp/lower",
    r"\frac{rG\sqrt{dmT}}{2\sqrt2}\le\sup_{\text{tasks}}\left(\sum_{t=1}^T\U_t(\phi_t,H_t)-" + INFIMUM + r"\right)",
    _learner,
    (Assumption(r"r,G>0", lambda x: min(x.r, x.G)), Assumption(r"H_t\succ0", lambda x: min(map(psd_margin, x.H)))),
    uses=("eq:matrix", "prp:diagftl/sharp/lower"),
)
def lower(x: Instance) -> Sides:
    r"""No learner of starts and matrices does better, full matrices included.

    $\Theta$ contains 0 and $\pm re_j$, m is even, d divides T. Block j of $n=T/d$ tasks: losses $\pm G\theta_j$ in
    equal number, whose minimiser nearest to 0 is 0, until $H_{t,jj}\le r/(2G\sqrt{2mn})$; then once a loss of
    vanishing slope with $\theta_t^\ast=\pm re_j$, its sign against $\phi_{t,j}$; then zeros. The infimum is over
    diagonal H.
    """
    paid, blocks = answered(x)
    size = x.r * x.G * root(0 * x.r + x.m)
    best = sum((root(2 * n + 0 * x.r) * size for n, moves in blocks if moves), 0 * x.r)
    T = x.n * len(blocks)
    return Sides(size * root(0 * x.r + T * len(blocks)) / (2 * root(2 + 0 * x.r)), paid - best)
