r"""Section 6: Algorithm 2 and what the text says about it.

State is played by the learner's own kernels (`learners.algorithm2`), which run on exact numbers too. Rates are compared
by their squares $b/g$, so that no root is taken. All of it is coordinate by coordinate; isotropic ARUBA is the case of
one coordinate, with $\|\cdot\|_2^2$ for the squares.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.learners.algorithm2 import add_movement, add_squares, fading_weights, rates_of
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.d_geometry.powersum import power
from arubatheory.papers.aruba.games.diagonal import SCALES
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, each_equal, equality
from arubatheory.statements.games import MOST_D, MOST_T

MOST = 4  # tasks
LARGEST_POWER = 9  # of the number of tasks in a family, summed one by one
SETTINGS = (*SCALES, Assumption("p>0", lambda x: x.p))
STATE = {"given": SETTINGS, "uses": ("alg:aruba",)}


@kernel
def trained(eps: Any, zeta: Any, weights: Array, initial: Array, final: Array, gradients: Array, count: int) -> Any:
    r"""[exact] $b$ and $g$ (d,) of Algorithm 2 after `count` tasks from initial to final (T, d), with gradients
    (T, m, d); `weights` are $k^{-p}$, k = 1, ..., T + 1."""
    b, g = 0 * initial[0] + eps * eps, 0 * initial[0] + zeta * zeta
    for t in range(count):
        for i in range(gradients.shape[1]):
            add_squares(g, gradients[t, i], 1)
        add_movement(b, initial[t], final[t], eps * eps * weights[t + 1])
        g += zeta * zeta * weights[t + 1]
    return b, g


@kernel
def descended(eps: Any, zeta: Any, weights: Array, gradients: Array, half: Any) -> Any:
    r"""[exact] $b$ and $g$ (d,) after tasks of gradient descent with gradients (T, m, d):
    $\phi_t - \hat\theta_t = \eta_t\odot\sum_i\nabla_{t,i}$, of whose square the `half`-th part counts."""
    b, g = 0 * gradients[0, 0] + eps * eps, 0 * gradients[0, 0] + zeta * zeta
    for t in range(gradients.shape[0]):
        along = gradients[t].sum(axis=0)
        b += b / g * along * along / half
        b += eps * eps * weights[t + 1]
        for i in range(gradients.shape[1]):
            add_squares(g, gradients[t, i], 1)
        g += zeta * zeta * weights[t + 1]
    return b, g


def first_square(x: Instance) -> Any:
    r"""$\eta_1^2$."""
    return x.eps / x.zeta * (x.eps / x.zeta)


def squared_rates(x: Instance) -> Array:
    r"""$\eta_t^2$ after `count` tasks."""
    weights = on(fading_weights, x.eps)(x.p, len(x.initial) + 1)
    b, g = on(trained, x.eps)(x.eps, x.zeta, weights, x.initial, x.final, x.gradients, x.count)
    return b / g


def by_descent(x: Instance, gradients: Array, half: Any = 2) -> Any:
    """`descended` with the settings of an instance."""
    weights = on(fading_weights, x.eps)(x.p, len(gradients) + 1)
    return on(descended, x.eps)(x.eps, x.zeta, weights, gradients, half)


# the rates of Algorithm 2 and eq:percoord
def settings(draw: Draw) -> Instance:
    """eps, zeta over many scales, and p: whole in half of the instances."""
    p = draw.number(draw.integer(1, 3)) if draw.boolean() else draw.positive(-4, 4)
    return Instance(eps=draw.positive(-16, 16), zeta=draw.positive(-16, 16), p=p)


def training(draw: Draw) -> Instance:
    r"""T tasks from $\phi_t$ to $\hat\theta_t$ with m gradients, of which `count` are over. Some tasks go nowhere."""
    x = settings(draw)
    d, T, m = draw.size("d", 2, MOST_D), draw.size("T", MOST, MOST_T), draw.size("m", 2, MOST_T)
    x.initial = draw.real(-1, 1, (T, d)) * draw.positive(-16, 16)
    still = draw.boolean()
    x.final = x.initial.copy() if still else x.initial + draw.real(-1, 1, (T, d)) * draw.positive(-16, 16)
    x.gradients = draw.real(-1, 1, (T, m, d)) * draw.positive(-16, 16)
    x.count = draw.integer(0, T)
    return x


def later(draw: Draw) -> Instance:
    """The same with at least one task over."""
    x = training(draw)
    x.count = max(x.count, 1)
    return x


def percoord(first: int, least: int) -> str:
    """eq:percoord with its sums from s = `first`, from task `least` on."""
    return (
        rf"\frac{{b_t}}{{g_t}}=\frac{{\sum_{{s={first}}}^{{t-1}}\varepsilon_s^2"
        r"+\sum_{s=1}^{t-1}\frac12(\theta_s^\ast-\phi_s)^2}"
        rf"{{\sum_{{s={first}}}^{{t-1}}\zeta_s^2+\sum_{{s=1}}^{{t-1}}\sum_{{i=1}}^{{m_s}}\nabla_{{s,i}}^2}}"
        rf"\quad\forall\ t\ge{least}"
    )


def summed(x: Instance, first: int) -> tuple[Array, Array]:
    r"""Numerator and denominator of eq:percoord at task count + 1, its regularisers summed from s = `first`."""
    weights = on(fading_weights, x.eps)(x.p, len(x.initial) + 1)[first : x.count + 1]
    moved, seen = x.initial[: x.count] - x.final[: x.count], x.gradients[: x.count]
    none = x.initial[0] - x.initial[0] + weights.sum() * 0
    top = none + x.eps * x.eps * weights.sum() + (moved * moved / 2).sum(axis=0)
    return top, none + x.zeta * x.zeta * weights.sum() + (seen * seen).sum(axis=(0, 1))


def as_summed(x: Instance, first: int) -> tuple[Sides, ...]:
    """The rates of Algorithm 2 against the printed ones."""
    top, bottom = summed(x, first)
    return each_equal(squared_rates(x), top / bottom)


@claim("eq:percoord/literal", percoord(1, 1), training, **STATE)
def from_one(x: Instance) -> tuple[Sides, ...]:
    r"""The rates of Algorithm 2, from sums over the tasks before t.

    The sums over $s<t$ run over tasks, $s\ge1$. At $t=1$ both are empty and $\eta_1^2=\frac00$, while Algorithm 2 has
    $\varepsilon^2/\zeta^2$. $\hat\theta_t=\theta_t^\ast$ in all readings.
    """
    return as_summed(x, 1)


@claim("eq:percoord/from-two", percoord(1, 2), later, **STATE)
def from_two(x: Instance) -> tuple[Sides, ...]:
    r"""The rates of Algorithm 2 from the second task on, from sums over tasks.

    The regulariser of $s=0$, the first of Algorithm 2, is missing.
    """
    return as_summed(x, 1)


@claim("eq:percoord", percoord(0, 1), training, **STATE, corrects=("eq:percoord/literal", "eq:percoord/from-two"))
def from_zero(x: Instance) -> tuple[Sides, ...]:
    r"""The rates of Algorithm 2, from sums that begin at s = 0.

    $\varepsilon_s^2=\varepsilon^2/(s+1)^p$ is printed for all $t\ge0$; at $s=0$ there is no task, so that only the
    regulariser counts. Then the sums are those of Algorithm 2: $b_1=\varepsilon_0^2$ and task $t$ adds
    $\varepsilon_t^2$.
    """
    return as_summed(x, 0)


# one step a task
STEP = r"\phi_t-\hat\theta_t=\eta_t\odot\nabla_t"


def steps(draw: Draw) -> Instance:
    """Tasks of one gradient step, on scales about that of zeta or on any."""
    x = settings(draw)
    T = draw.size("T", 2 * MOST, MOST_T)
    scale = x.zeta * draw.positive(-8, 8) if draw.boolean() else draw.positive(-16, 16)
    x.gradients = draw.real(-1, 1, T) * scale
    return x


def equal_steps(draw: Draw) -> Instance:
    """T tasks with one gradient step each, and the same gradient in all, T a power of two."""
    T = 2 ** draw.integer(0, LARGEST_POWER)
    eps, zeta = draw.positive(-8, 8), draw.positive(-8, 8)
    return Instance(T=T, eps=eps, zeta=zeta, p=draw.positive(-4, 2), gradient=draw.positive(-8, 8))


def unit_steps(draw: Draw) -> Instance:
    r"""Any number of tasks of one step with $\nabla_t^2 = \zeta^2$, and a regulariser with p >= 1."""
    T = 2 ** draw.integer(0, LARGEST_POWER) if draw.boolean() else draw.size("T", 8, MOST_T)
    eps, zeta = draw.positive(-8, 8), draw.positive(-8, 8)
    p = draw.number(draw.integer(1, 3)) if draw.boolean() else draw.positive(0, 4)
    return Instance(T=T, eps=eps, zeta=zeta, p=p, gradient=zeta)


def stays(x: Instance, half: Any) -> tuple[Sides, ...]:
    r"""$\eta_t = \eta_1$ where the `half`-th part of the squared distance counts."""
    b, g = by_descent(x, x.gradients[:, None, None], half)
    return equality((b / g)[0], first_square(x))


@claim("text:one-step-maml/literal", STEP + r"\implies\eta_t=\eta_1", steps, **STATE)
def stays_with_halves(x: Instance) -> tuple[Sides, ...]:
    r"""With one gradient step per task the learning rate stays fixed.

    The distance is proportional to the gradient, but Algorithm 2 adds half of its square: for
    $\varepsilon=\zeta=p=\nabla_1=1$, $b_2=1+\frac12+\frac12=2$ and $g_2=1+\frac12+1=\frac52$, so
    $\eta_2^2=\frac45\ne1$.
    """
    return stays(x, 2)


def after_equal_steps(x: Instance) -> Any:
    r"""$\eta_{T+1}^2$."""
    weights = power(np.arange(1, x.T + 2), -x.p)  # balls also for a whole p: rationals grow with every task
    b, g = on(descended, x.eps)(x.eps, x.zeta, weights, np.full((x.T, 1, 1), x.gradient), 2)
    return (b / g)[0]


@claim("text:one-step-maml", STEP + r"\implies\eta_t\ge\frac{\eta_1}4", equal_steps, **STATE)
def keeps_a_quarter(x: Instance) -> Sides:
    r"""The learning rate stays fixed up to a constant.

    With 4 for the constant, on equal gradients. No constant will do: $\eta_t$ decays like
    $t^{-\frac12\min\{p,\frac12\}}$.
    """
    return Sides(first_square(x), 16 * after_equal_steps(x))


@claim(
    "text:one-step-maml/corrected",
    r"b_{t+1}=b_t+\varepsilon_t^2+(\phi_t-\hat\theta_t)^2,\ " + STEP + r"\implies\eta_t=\eta_1",
    steps,
    **STATE,
    corrects=("text:one-step-maml", "text:one-step-maml/literal"),
)
def stays_with_squares(x: Instance) -> tuple[Sides, ...]:
    r"""With the whole squared distance in place of its half the learning rate stays fixed.

    $b_t=\eta_1^2g_t$ by induction: $\varepsilon_t^2=\eta_1^2\zeta_t^2$ and the squared distance is
    $\eta_t^2\nabla_t^2$.
    """
    return stays(x, 1)


@claim(
    "text:one-step-maml/between",
    STEP + r"\implies\frac{\varepsilon^2}{\zeta^2}\sqrt{\frac{\zeta^2}{g_t}}\le\eta_t^2"
    r"\le\frac{\varepsilon^2}{\zeta^2}",
    steps,
    **STATE,
)
def shrinks(x: Instance) -> tuple[Sides, ...]:
    r"""With one gradient step the learning rate of Algorithm 2 falls, no faster than the fourth root of g.

    $\eta_{t+1}^2$ is a mean of $\eta_1^2$, $\eta_t^2$ and $\eta_t^2/2$ with weights $\zeta_t^2$, $g_t$ and
    $\nabla_t^2$; and $(g+\zeta_t^2+\frac12\nabla^2)^2\ge g(g+\zeta_t^2+\nabla^2)$, so that $\eta_t^2\sqrt{g_t}$ never
    falls. The lower bound is squared.
    """
    (b,), (g,) = by_descent(x, x.gradients[:, None, None])
    # b and g alone: their quotient would only add roundings
    return Sides(x.eps * x.eps * first_square(x), b * b / g), Sides(b, first_square(x) * g)


@claim(
    "text:one-step-maml/decay",
    STEP + r",\ \nabla_t^2=\zeta^2,\ p\ge1\implies\eta_{T+1}^2\le\frac{13}4\frac{\eta_1^2}{\sqrt{T+1}}",
    unit_steps,
    (*SCALES, Assumption(r"p\ge1", lambda x: x.p - 1)),
    uses=("alg:aruba",),
)
def decays(x: Instance) -> Sides:
    r"""With one step and equal gradients it decays like the fourth root of T, with a constant.

    $b_{t+1}=b_t(1+\frac{\zeta^2}{2g_t})+\varepsilon_t^2$ and $1+\frac x2\le\sqrt{1+x}\,e^{x^2/8}$ give
    $\frac{b_{T+1}}{\sqrt{g_{T+1}}}\le e^{\pi^2/48}\frac{\varepsilon^2}\zeta
    \left(1+\sum_{k\ge2}k^{-\frac32}\right)$, less than
    $\frac{13}4\frac{\varepsilon^2}\zeta$. Both sides squared.
    """
    return Sides(after_equal_steps(x) ** 2 * (x.T + 1), 169 * first_square(x) ** 2 / 16)


# initial rates
@claim("text:initial-rate", r"\eta_1=\sqrt{\frac{b_1}{g_1}}=\frac\varepsilon\zeta", settings, **STATE)
def first_rate(x: Instance) -> tuple[Sides, ...]:
    """The first learning rate is eps/zeta."""
    b, g, out = (np.array([value * value]) for value in (x.eps, x.zeta, x.eps))
    on(rates_of, x.eps)(b, g, out)
    return equality(out[0], x.eps / x.zeta)


def idle(draw: Draw) -> Instance:
    """No gradients and no movement."""
    x = training(draw)
    x.final, x.gradients = x.initial.copy(), 0 * x.gradients
    return x


@claim(
    "text:initial-rate/no-data",
    r"\nabla_{s,i}=0,\ \hat\theta_s=\phi_s\quad\forall\ s<t,\ i\implies\eta_t=\frac\varepsilon\zeta",
    idle,
    SETTINGS,
    uses=("alg:aruba", "eq:percoord"),
)
def rate_without_data(x: Instance) -> tuple[Sides, ...]:
    """So it stays until there is a gradient or a movement."""
    found = squared_rates(x)
    return each_equal(found, [first_square(x)] * len(found))


# coordinates compared
def descents(draw: Draw) -> Instance:
    r"""Two coordinates of tasks of gradient descent, each with gradients on a scale about that of zeta or on any."""
    x = settings(draw)
    T, m = draw.size("T", MOST, MOST_T), draw.size("m", 2, MOST_T)
    scales = [x.zeta * draw.positive(-8, 8) if draw.boolean() else draw.positive(-16, 16) for _ in range(2)]
    x.gradients = draw.real(-1, 1, (T, m, 2)) * draw.array(scales)
    return x


@claim(
    "alg:aruba/smaller-rate",
    r"\phi_s-\hat\theta_s=\eta_s\odot\sum_i\nabla_{s,i}\ \forall\ s<t,\ b_{t,j}<b_{t,k}\implies\eta_{t,j}\le\eta_{t,k}",
    descents,
    **STATE,
)
def less_movement(x: Instance) -> Sides:
    r"""The coordinate along which tasks move less has the smaller rate.

    Section 6: where $\hat\theta_{t,j}$ is usually not far from initialization, $b_j$ will be small and thus so will
    $\eta_j$. But small gradients, which move little, make $g_j$ small as well. After one task of one step, with the
    gradients $0$ and $1$ and $\varepsilon=\zeta=p=1$, $b_2=(\frac32,2)$ and $g_2=(\frac32,\frac52)$:
    $\eta_2^2=(1,\frac45)$. Squares are compared.
    """
    b, g = by_descent(x, x.gradients)
    j, k = (0, 1) if b[0] < b[1] else (1, 0) if b[1] < b[0] else (0, 0)  # one with itself where b is equal
    return Sides((b / g)[j], (b / g)[k])


def noisier(draw: Draw) -> Instance:
    r"""Tasks with two coordinates, along the first of which no movement is larger and no gradient smaller."""
    x = settings(draw)
    T, m = draw.size("T", MOST, MOST_T), draw.size("m", 2, MOST_T)
    moved, seen = (draw.real(-1, 1, shape) * draw.positive(-16, 16) for shape in (T, (T, m)))
    x.initial = draw.real(-1, 1, (T, 2)) * draw.positive(-16, 16)
    x.final = x.initial + np.stack([moved * draw.unit(T), moved], axis=1)
    x.gradients = np.stack([seen, seen * draw.unit((T, m))], axis=2)
    x.count = T
    return x


LESS_MOVED = r"|\phi_{s,j}-\hat\theta_{s,j}|\le|\phi_{s,k}-\hat\theta_{s,k}|"
NO_SMALLER = r"|\nabla_{s,i,j}|\ge|\nabla_{s,i,k}|"
NOISIER = (
    Assumption(LESS_MOVED, lambda x: min(np.diff(abs(x.final - x.initial)).ravel())),
    Assumption(NO_SMALLER, lambda x: min(-np.diff(abs(x.gradients)).ravel())),
)


@claim(
    "alg:aruba/smaller-rate/corrected",
    LESS_MOVED + r",\ " + NO_SMALLER + r"\ \forall\ s<t,\ i\implies\eta_{t,j}\le\eta_{t,k}",
    noisier,
    (*SETTINGS, *NOISIER),
    uses=("alg:aruba",),
)
def noisier_is_slower(x: Instance) -> Sides:
    r"""A coordinate along which tasks move no farther, with gradients no smaller, has no larger rate.

    Then $b_{t,j}\le b_{t,k}$ and $g_{t,j}\ge g_{t,k}$: so it is with noisy gradients, whose steps cancel. Squares are
    compared.
    """
    return Sides(*squared_rates(x))
