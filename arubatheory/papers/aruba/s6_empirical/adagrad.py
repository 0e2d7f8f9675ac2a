r"""After thm:diagonal: what one coordinate of eq:percoord pays, degenerate or not (text:adagrad-like).

A coordinate is degenerate if its best fixed rate is 0 or infinite: nothing moves, or no gradient is seen. With
$B_t^2 = \frac12(\theta_t^\ast - \phi_t)^2$ and $G_t^2 = \sum_i\nabla_{t,i}^2$ the rate $\eta_t$ pays
$B_t^2/\eta_t + \eta_tG_t^2$ in task t, and the best fixed one $2\sqrt{B_t^2\cdot G_t^2}$ with sums over the tasks.
"""

from __future__ import annotations

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.d_geometry.powersum import power
from arubatheory.papers.aruba.games import diagonal as games
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.games import MOST_T
from arubatheory.statements.growth import FAR, grows

LONGEST = 1 << 16
SPEED = (
    r"\frac1T\sum_{t=1}^T\left(\frac{B_t^2}{\eta_t}+\eta_tG_t^2\right)-\frac2T\sqrt{\sum_{t=1}^TB_t^2\sum_{t=1}^TG_t^2}"
)
USES = ("eq:percoord", "thm:diagonal")


def excess(pattern: int, movement: Array, gradient: Array, T: int) -> float:
    r"""The average of $B_t^2/\eta_t + \eta_tG_t^2$ over T tasks, minus that of the best fixed rate, for eq:percoord
    with $\varepsilon = \zeta = 1$, $p = 2/5$; $B_t^2$ and $G_t^2$ take two levels (2,) each, in turn, in two phases,
    or by the fractional parts of the golden ratio's multiples."""
    t = np.arange(T)
    shown = (t % 2, 2 * t >= T, t * 0.6180339887498949 % 1 < 0.5)[pattern].astype(np.int64)
    B, G = movement[shown], gradient[shown]
    return games.average_paid(B, G, 1.0) - 2 * float(np.sqrt(B.mean() * G.mean()))


def coordinate(draw: Draw) -> Instance:
    r"""Two levels of $B_t^2$ and of $G_t^2$; at least one of each is not 0."""
    levels = [draw.array([draw.positive(-2, 2), draw.positive(-2, 2) * draw.integer(0, 1)]) for _ in range(2)]
    order = draw.integers(0, 1, 2)
    x, y = (level[::-1].copy() if flipped else level for level, flipped in zip(levels, order, strict=True))
    return Instance(pattern=draw.integer(0, 2), movement=x, gradient=y)


def degenerate_coordinate(draw: Draw) -> Instance:
    """The same where nothing moves, or no gradient is seen."""
    x = coordinate(draw)
    name = "gradient" if draw.boolean() else "movement"
    setattr(x, name, 0 * getattr(x, name))
    return x


@claim(
    "text:adagrad-like",
    r"\frac{\Delta_T(B,G)}{\Delta_T(0,G)}=\tilde{\mathcal O}\left(T^{-\frac15}\right)\quad\text{for}\quad "
    r"\Delta_T(B,G)=" + SPEED,
    coordinate,
    uses=USES,
)
@grows(-0.2, 1, longest=LONGEST, limit=FAR)
def quicker(x: Instance, T: int) -> float:
    r"""Convergence is quicker on a coordinate that is not degenerate.

    For $B_t^2=\frac12(\theta_t^\ast-\phi_t)^2$ and $G_t^2=\sum_i\nabla_{t,i}^2$ of one coordinate,
    $\varepsilon=\zeta=1$ and $p=\frac25$ (with $m$ rounds all scales with $\sqrt m$). The excess on a coordinate with
    movement against the one with the same gradients and no movement.
    """
    ours, still = (excess(x.pattern, moved, x.gradient, T) for moved in (x.movement, 0 * x.movement))
    return ours / still


@claim(
    "text:adagrad-like/non-degenerate", SPEED + r"=\tilde{\mathcal O}\left(T^{-\frac25}\right)", coordinate, uses=USES
)
@grows(-0.4, 1, longest=LONGEST, limit=FAR)
def not_degenerate(x: Instance, T: int) -> float:
    r"""The rate on a coordinate that is not degenerate.

    For $B_t^2=\frac12(\theta_t^\ast-\phi_t)^2$ and $G_t^2=\sum_i\nabla_{t,i}^2$ of one coordinate,
    $\varepsilon=\zeta=1$ and $p=\frac25$ (with $m$ rounds all scales with $\sqrt m$). The best rate lies between two
    constants; two levels each in three orders.
    """
    return excess(x.pattern, x.movement, x.gradient, T)


@claim(
    "text:adagrad-like/degenerate",
    r"\sum_{t=1}^TB_t^2\sum_{t=1}^TG_t^2=0\implies " + SPEED + r"=\tilde{\mathcal O}\left(T^{-\frac15}\right)",
    degenerate_coordinate,
    uses=USES,
)
@grows(-0.2, 1, longest=LONGEST, limit=FAR)
def degenerate(x: Instance, T: int) -> float:
    r"""The rate on a degenerate coordinate.

    For $B_t^2=\frac12(\theta_t^\ast-\phi_t)^2$ and $G_t^2=\sum_i\nabla_{t,i}^2$ of one coordinate,
    $\varepsilon=\zeta=1$ and $p=\frac25$ (with $m$ rounds all scales with $\sqrt m$). The best rate is 0 or infinite.
    """
    return excess(x.pattern, x.movement, x.gradient, T)


def without_movement(draw: Draw) -> Instance:
    """T tasks without movement, with the same squared gradients in each."""
    # summed one by one
    T = 2 ** draw.integer(0, 10) if draw.boolean() else draw.size("T", 8, MOST_T)
    return Instance(T=T, eps=draw.positive(-16, 16), zeta=draw.positive(-16, 16), square=draw.positive(-16, 16))


@claim(
    "text:adagrad-like/attained",
    r"B_t=0,\ G_t=G,\ p=\frac25\implies\sum_{t=1}^T\left(\frac{B_t^2}{\eta_t}+\eta_tG_t^2\right)\ge"
    r"\frac{\varepsilon G^2T^{\frac45}}{\sqrt{\frac53\zeta^2+G^2}}",
    without_movement,
    (*games.SCALES, Assumption(r"G^2>0", lambda x: x.square)),
    uses=("eq:percoord",),
)
def attained(x: Instance) -> Sides:
    r"""On a degenerate coordinate it is no quicker.

    $\sum_{k\le t}k^{-p}$ lies between $t^{1-p}$ and $t^{1-p}/(1-p)$, so
    $\eta_t^2\ge\varepsilon^2t^{-p}/(\zeta^2/(1-p)+G^2)$.
    """
    one, seen = 1 + 0 * x.eps, np.full((x.T, 1), x.square)
    rates = games.played(0 * seen, seen, x.eps, x.zeta, one * 2 / 5).actions[:-1]
    least = power(x.T, one * 4 / 5) * x.eps * x.square / np.sqrt(x.zeta * x.zeta * 5 / 3 + x.square)
    return Sides(least, games.paid(0 * seen, seen, rates))
