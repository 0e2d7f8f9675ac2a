r"""After thm:diagonal: what one coordinate of eq:percoord pays, degenerate or not (text:adagrad-like).

A coordinate is degenerate if its best fixed rate is 0 or infinite: nothing moves, or no gradient is seen. With
$B_t^2 = \frac12(\theta_t^\ast - \phi_t)^2$ and $G_t^2 = \sum_i\nabla_{t,i}^2$ the rate $\eta_t$ pays
$B_t^2/\eta_t + \eta_tG_t^2$ in task t, and the best fixed one $2\sqrt{B_t^2\cdot G_t^2}$ with sums over the tasks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.growth import Growth, growth_sides


@kernel
def regularisers(p: Any, T: int) -> Array:
    r"""[exact] $k^{-p}$, k = 1, ..., T, by $\exp(-p\log k)$."""
    out = np.full(T, p)
    for k in range(T):
        out[k] = np.exp(-p * np.log(0 * p + (k + 1)))
    return out


@kernel
def excess(pattern: int, movement: Array, gradient: Array, T: int) -> Any:
    r"""The average of $B_t^2/\eta_t + \eta_tG_t^2$ over T tasks, minus that of the best fixed rate, for eq:percoord
    with $\varepsilon = \zeta = 1$, $p = 2/5$; $B_t^2$ and $G_t^2$ take two levels (2,) each, in the order of
    `pattern`."""
    b, g, paid, B, G = 0.0, 0.0, 0.0, 0.0, 0.0
    for t in range(T):
        weight = np.exp(-0.4 * np.log(t + 1.0))
        b, g = b + weight, g + weight
        level = _level(pattern, t, T)
        x, y = movement[level], gradient[level]
        eta = np.sqrt(b / g)
        paid += x / eta + eta * y
        b, g, B, G = b + x, g + y, B + x, G + y
    return (paid - 2 * np.sqrt(B * G)) / T


@kernel
def _level(pattern: int, t: int, T: int) -> int:
    """Level 0 or 1 in task t: in turn, in two phases, or by the fractional parts of the golden ratio's multiples."""
    if pattern == 0:
        return t % 2
    if pattern == 1:
        return 1 if 2 * t >= T else 0
    x = t * 0.6180339887498949
    return 1 if x - np.floor(x) < 0.5 else 0


# growth ------------------------------------------------------------------------------------------------------------
def _coordinate(draw: Draw) -> Instance:
    r"""Two levels of $B_t^2$ and of $G_t^2$; at least one of each is not 0."""
    levels = [draw.array([draw.positive(-2, 2), draw.positive(-2, 2) * draw.integer(0, 1)]) for _ in range(2)]
    order = draw.integers(0, 1, 2)
    x, y = (level[::-1].copy() if flipped else level for level, flipped in zip(levels, order, strict=True))
    return Instance(pattern=draw.integer(0, 2), movement=x, gradient=y)


def _degenerate(draw: Draw) -> Instance:
    """The same where nothing moves, or no gradient is seen."""
    x = _coordinate(draw)
    if draw.boolean():
        x.gradient = 0 * x.gradient
    else:
        x.movement = 0 * x.movement
    return x


def _excess(x: Instance, T: int) -> float:
    return float(excess(x.pattern, x.movement, x.gradient, T))


def _relative(x: Instance, T: int) -> float:
    """The excess against that of the coordinate with the same gradients on which nothing moves."""
    return _excess(x, T) / float(excess(x.pattern, 0 * x.movement, x.gradient, T))


def _attained(draw: Draw) -> Instance:
    """T tasks without movement, with the same squared gradients in each."""
    T = 2 ** draw.integer(0, 10) if draw.boolean() else draw.integer(1, 8)
    return Instance(T=T, eps=draw.positive(-16, 16), zeta=draw.positive(-16, 16), square=draw.positive(-16, 16))


@kernel
def paid_without_movement(eps: Any, zeta: Any, weights: Array, square: Any) -> Any:
    r"""[exact] $\sum_t \eta_tG^2$ of eq:percoord where $B_t = 0$ and $G_t^2$ = square."""
    b, g = eps - eps, eps - eps
    paid = eps - eps
    for t in range(weights.shape[0]):
        b = b + eps * eps * weights[t]
        g = g + zeta * zeta * weights[t]
        paid = paid + np.sqrt(b / g) * square
        g = g + square
    return paid


def _slow(x: Instance) -> Sides:
    p = x.eps * 0 + 2
    weights = on(regularisers, x.eps)(p / 5, x.T)
    paid = on(paid_without_movement, x.eps)(x.eps, x.zeta, weights, x.square)
    fifth = np.exp(np.log(x.eps * 0 + x.T) * 4 / 5)
    low = fifth * x.eps * x.square / np.sqrt(x.zeta * x.zeta * 5 / 3 + x.square)
    return Sides(low, paid, low + paid)


# statements ---------------------------------------------------------------------------------------------------------
POSITIVE = (
    Assumption(r"\varepsilon>0", lambda x: x.eps),
    Assumption(r"\zeta>0", lambda x: x.zeta),
    Assumption(r"G^2>0", lambda x: x.square),
)
MODEL = (
    r"For $B_t^2=\frac12(\theta_t^\ast-\phi_t)^2$ and $G_t^2=\sum_i\nabla_{t,i}^2$ of one coordinate, "
    r"$\varepsilon=\zeta=1$ and $p=\frac25$ (with $m$ rounds all scales with $\sqrt m$). "
)
SPEED = (
    r"\frac1T\sum_{t=1}^T\left(\frac{B_t^2}{\eta_t}+\eta_tG_t^2\right)-\frac2T\sqrt{\sum_{t=1}^TB_t^2\sum_{t=1}^TG_t^2}"
)


def _speed(label: str, title: str, latex: str, growth: Growth, note: str, instance: Any) -> Statement:
    return Statement(
        label=label, kind="claim in text", title=title, latex=latex, instance=instance, sides=growth_sides(growth),
        growth=growth, engines=("rate",), uses=("eq:percoord", "thm:diagonal"), note=note,
        part_of=label.partition("/")[0] if "/" in label else None,
    )  # fmt: skip


NON_DEGENERATE = Growth(_excess, -0.4, 1, longest=1 << 16)
DEGENERATE = Growth(_excess, -0.2, 1, longest=1 << 16)
QUICKER = Growth(_relative, -0.2, 1, longest=1 << 16)
ADAGRAD = (
    _speed(
        "text:adagrad-like", "Convergence is quicker on a coordinate that is not degenerate",
        r"\frac{\Delta_T(B,G)}{\Delta_T(0,G)}=\tilde{\mathcal O}\left(T^{-\frac15}\right)\quad\text{for}\quad "
        r"\Delta_T(B,G)=" + SPEED, QUICKER,
        MODEL + "The excess on a coordinate with movement against the one with the same gradients and no movement.",
        _coordinate,
    ),
    _speed(
        "text:adagrad-like/non-degenerate", "The rate on a coordinate that is not degenerate",
        SPEED + r"=\tilde{\mathcal O}\left(T^{-\frac25}\right)", NON_DEGENERATE,
        MODEL + "The best rate lies between two constants; two levels each in three orders.", _coordinate,
    ),
    _speed(
        "text:adagrad-like/degenerate", "The rate on a degenerate coordinate",
        r"\sum_{t=1}^TB_t^2\sum_{t=1}^TG_t^2=0\implies " + SPEED + r"=\tilde{\mathcal O}\left(T^{-\frac15}\right)",
        DEGENERATE, MODEL + "The best rate is 0 or infinite.", _degenerate,
    ),
    Statement(
        label="text:adagrad-like/attained", kind="claim in text", part_of="text:adagrad-like",
        title="On a degenerate coordinate it is no quicker",
        latex=r"B_t=0,\ G_t=G,\ p=\frac25\implies\sum_{t=1}^T\left(\frac{B_t^2}{\eta_t}+\eta_tG_t^2\right)\ge"
        r"\frac{\varepsilon G^2T^{\frac45}}{\sqrt{\frac53\zeta^2+G^2}}", instance=_attained, sides=_slow,
        assumptions=POSITIVE, uses=("eq:percoord",),
        note=r"$\sum_{k\le t}k^{-p}$ lies between $t^{1-p}$ and $t^{1-p}/(1-p)$, so $\eta_t^2\ge\varepsilon^2t^{-p}/"
        r"(\zeta^2/(1-p)+G^2)$.",
    ),
)  # fmt: skip
