r"""Section 6: Algorithm 2 and what the text says about it.

State is played by the learner's own kernels (`learners.algorithm2`), which run on exact numbers too. Rates are compared by
their squares $b/g$, so that no root is taken. All of it is coordinate by coordinate; isotropic ARUBA is the case of one
coordinate, with $\|\cdot\|_2^2$ for the squares.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, Exact
from arubatheory.kernel import kernel, on
from arubatheory.learners.algorithm2 import add_constant, add_movement, add_squares
from arubatheory.learners.algorithm2 import rates_of as root_ratio
from arubatheory.papers.aruba.s6_empirical.adagrad import ADAGRAD, regularisers
from arubatheory.papers.aruba.s6_empirical.variants import VARIANTS
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, Statement

MOST = 4  # tasks
LARGEST_POWER = 9  # of the number of tasks in a closed family


# state -------------------------------------------------------------------------------------------------------------
@kernel
def trained(eps: Any, zeta: Any, weights: Array, initial: Array, final: Array, gradients: Array, count: int) -> Any:
    r"""[exact] $b$ and $g$ (d,) of Algorithm 2 after `count` tasks from initial to final (T, d), with gradients
    (T, m, d); `weights` are $k^{-p}$, k = 1, ..., T + 1."""
    b, g = initial[0] - initial[0], initial[0] - initial[0]
    add_constant(b, eps * eps)
    add_constant(g, zeta * zeta)
    for t in range(count):
        for i in range(gradients.shape[1]):
            add_squares(g, gradients[t, i], 1)
        add_movement(b, initial[t], final[t], eps * eps * weights[t + 1])
        add_constant(g, zeta * zeta * weights[t + 1])
    return b, g


@kernel
def summed(eps: Any, zeta: Any, weights: Array, initial: Array, final: Array, gradients: Array, count: int,
           first: int) -> Any:  # fmt: skip
    r"""[exact] Numerator and denominator of eq:percoord at task count + 1, its regularisers summed from s = `first`."""
    top, bottom = initial[0] - initial[0], initial[0] - initial[0]
    for s in range(first, count + 1):
        top = top + eps * eps * weights[s]
        bottom = bottom + zeta * zeta * weights[s]
    for s in range(count):
        top = top + (initial[s] - final[s]) * (initial[s] - final[s]) / 2
        for i in range(gradients.shape[1]):
            bottom = bottom + gradients[s, i] * gradients[s, i]
    return top, bottom


@kernel
def ratios(top: Array, bottom: Array) -> Array:
    """[exact] Entry by entry (0/0 is NaN in floats)."""
    return top / bottom


@kernel
def one_step(eps: Any, zeta: Any, weights: Array, squares: Array, half: int) -> Any:
    r"""[exact] $b$ and $g$ after tasks of one step with squared gradients (T,): $(\phi_t - \hat\theta_t)^2 =
    \eta_t^2\nabla_t^2$, of which the `half`-th part counts."""
    b, g = eps * eps, zeta * zeta
    for t in range(squares.shape[0]):
        square = squares[t]
        b = b + (eps * eps * weights[t + 1] + b / g * square / half)
        g = g + (zeta * zeta * weights[t + 1] + square)
    return b, g


@kernel
def descended(eps: Any, zeta: Any, weights: Array, gradients: Array) -> Any:
    r"""[exact] $b$ and $g$ (d,) after tasks of gradient descent with gradients (T, m, d):
    $\phi_t - \hat\theta_t = \eta_t\odot\sum_i\nabla_{t,i}$."""
    none = gradients[0, 0] - gradients[0, 0]
    b, g = none + eps * eps, none + zeta * zeta
    for t in range(gradients.shape[0]):
        along, seen = none, none
        for i in range(gradients.shape[1]):
            along = along + gradients[t, i]
            seen = seen + gradients[t, i] * gradients[t, i]
        b = b + (eps * eps * weights[t + 1] + b / g * along * along / 2)
        g = g + (zeta * zeta * weights[t + 1] + seen)
    return b, g


# instances ---------------------------------------------------------------------------------------------------------
def _settings(draw: Draw) -> Instance:
    """eps, zeta over many scales, and p: whole in half of the instances."""
    p = draw.number(draw.integer(1, 3)) if draw.boolean() else draw.positive(-4, 4)
    return Instance(eps=draw.positive(-16, 16), zeta=draw.positive(-16, 16), p=p)


def _weights(x: Instance, T: int) -> Array:
    r"""$k^{-p}$ for k = 1, ..., T; rational for a whole p."""
    if isinstance(x.p, Exact) and x.p.is_rational and x.p.v.q == 1:
        out = np.empty(T, dtype=object)
        out[:] = [Exact(1) / Exact(k + 1) ** int(x.p.v.p) for k in range(T)]
        return out
    return on(regularisers, x.p)(x.p, T)


def _training(draw: Draw) -> Instance:
    r"""T tasks from $\phi_t$ to $\hat\theta_t$ with m gradients, of which `count` are over. Some tasks go nowhere."""
    x = _settings(draw)
    d, T, m = draw.integer(1, 2), draw.integer(1, MOST), draw.integer(1, 2)
    x.initial = draw.real(-1, 1, (T, d)) * draw.positive(-16, 16)
    still = draw.boolean()
    x.final = x.initial.copy() if still else x.initial + draw.real(-1, 1, (T, d)) * draw.positive(-16, 16)
    x.gradients = draw.real(-1, 1, (T, m, d)) * draw.positive(-16, 16)
    x.count = draw.integer(0, T)
    return x


def _later(draw: Draw) -> Instance:
    """The same with at least one task over."""
    x = _training(draw)
    x.count = max(x.count, 1)
    return x


def _idle(draw: Draw) -> Instance:
    """No gradients and no movement."""
    x = _training(draw)
    x.final, x.gradients = x.initial.copy(), 0 * x.gradients
    return x


def _steps(draw: Draw) -> Instance:
    """Tasks of one gradient step, on scales about that of zeta or on any."""
    x = _settings(draw)
    T = draw.integer(1, 2 * MOST)
    scale = x.zeta * draw.positive(-8, 8) if draw.boolean() else draw.positive(-16, 16)
    x.gradients = draw.real(-1, 1, T) * scale
    return x


def _equal_steps(draw: Draw) -> Instance:
    """T tasks with one gradient step each, and the same gradient in all, T a power of two."""
    T = 2 ** draw.integer(0, LARGEST_POWER)
    eps, zeta = draw.positive(-8, 8), draw.positive(-8, 8)
    return Instance(T=T, eps=eps, zeta=zeta, p=draw.positive(-4, 2), gradient=draw.positive(-8, 8))


def _unit_steps(draw: Draw) -> Instance:
    r"""Any number of tasks of one step with $\nabla_t^2 = \zeta^2$, and a regulariser with p >= 1."""
    T = 2 ** draw.integer(0, LARGEST_POWER) if draw.boolean() else draw.integer(1, 8)
    eps, zeta = draw.positive(-8, 8), draw.positive(-8, 8)
    p = draw.number(draw.integer(1, 3)) if draw.boolean() else draw.positive(0, 4)
    return Instance(T=T, eps=eps, zeta=zeta, p=p, gradient=zeta)


def _descents(draw: Draw) -> Instance:
    r"""Two coordinates of tasks of gradient descent, each with gradients on a scale about that of zeta or on any."""
    x = _settings(draw)
    T, m = draw.integer(1, MOST), draw.integer(1, 2)
    scales = [x.zeta * draw.positive(-8, 8) if draw.boolean() else draw.positive(-16, 16) for _ in range(2)]
    x.gradients = draw.real(-1, 1, (T, m, 2)) * draw.array(scales)
    return x


def _noisier(draw: Draw) -> Instance:
    r"""Tasks with two coordinates, along the first of which no movement is larger and no gradient smaller."""
    x = _settings(draw)
    T, m = draw.integer(1, MOST), draw.integer(1, 2)
    moved, seen = (draw.real(-1, 1, shape) * draw.positive(-16, 16) for shape in (T, (T, m)))
    x.initial = draw.real(-1, 1, (T, 2)) * draw.positive(-16, 16)
    x.final = x.initial + np.stack([moved * draw.unit(T), moved], axis=1)
    x.gradients = np.stack([seen, seen * draw.unit((T, m))], axis=2)
    x.count = T
    return x


# sides -------------------------------------------------------------------------------------------------------------
def _both_ways(left: Array, right: Array) -> tuple[Sides, ...]:
    pairs = [(a, b) for a, b in zip(left, right, strict=True)]
    return tuple(Sides(*pair, abs(a) + abs(b)) for a, b in pairs for pair in ((a, b), (b, a)))


def _squared_rates(x: Instance) -> Array:
    weights = _weights(x, len(x.initial) + 1)
    state = on(trained, x.eps)(x.eps, x.zeta, weights, x.initial, x.final, x.gradients, x.count)
    return on(ratios, x.eps)(*state)


def _percoord(x: Instance, first: int) -> tuple[Sides, ...]:
    weights = _weights(x, len(x.initial) + 1)
    sums = on(summed, x.eps)(x.eps, x.zeta, weights, x.initial, x.final, x.gradients, x.count, first)
    return _both_ways(_squared_rates(x), on(ratios, x.eps)(*sums))


def _first_rate(x: Instance) -> tuple[Sides, ...]:
    b, g = (np.array([value * value]) for value in (x.eps, x.zeta))
    out = np.zeros_like(b)
    on(root_ratio, x.eps)(b, g, out)
    return _both_ways(out, np.array([x.eps / x.zeta]))


def _rate_without_data(x: Instance) -> tuple[Sides, ...]:
    found = _squared_rates(x)
    return _both_ways(found, np.array([x.eps / x.zeta * (x.eps / x.zeta)] * len(found)))


def _after_steps(x: Instance, half: int) -> tuple[Any, Any]:
    weights = _weights(x, len(x.gradients) + 1)
    b, g = on(one_step, x.eps)(x.eps, x.zeta, weights, x.gradients * x.gradients, half)
    return b, g


def _stays(half: int) -> Any:
    def sides(x: Instance) -> tuple[Sides, ...]:
        b, g = _after_steps(x, half)
        return _both_ways(np.array([b / g]), np.array([x.eps / x.zeta * (x.eps / x.zeta)]))

    return sides


def _shrinks(x: Instance) -> tuple[Sides, ...]:
    """b and g alone are in the sides: their quotient would only add roundings."""
    b, g = _after_steps(x, 2)
    first = x.eps / x.zeta
    low, high = (x.eps * first) * (x.eps * first), first * first * g
    return Sides(low, b * b / g, low + b * b / g), Sides(b, high, b + high)


def _after_equal_steps(x: Instance) -> Any:
    r"""$\eta_{T+1}^2$."""
    weights = on(regularisers, x.p)(x.p, x.T + 1)
    b, g = on(one_step, x.eps)(x.eps, x.zeta, weights, np.full(x.T, x.gradient * x.gradient), 2)
    return b / g


def _keeps_a_quarter(x: Instance) -> Sides:
    left, right = x.eps / x.zeta * (x.eps / x.zeta), 16 * _after_equal_steps(x)
    return Sides(left, right, left + right)


def _decays(x: Instance) -> Sides:
    square, first = _after_equal_steps(x), x.eps / x.zeta * (x.eps / x.zeta)
    left, right = square * square * (x.T + 1), 169 * first * first / 16
    return Sides(left, right, left + right)


def _less_movement(x: Instance) -> Sides:
    r"""$\eta^2$ of the coordinate with the smaller b against that of the other; of one with itself where b is equal."""
    b, g = on(descended, x.eps)(x.eps, x.zeta, _weights(x, len(x.gradients) + 1), x.gradients)
    found = b / g
    j, i = (0, 1) if b[0] < b[1] else (1, 0) if b[1] < b[0] else (0, 0)
    return Sides(found[j], found[i], found[0] + found[1])


def _noisier_is_slower(x: Instance) -> Sides:
    found = _squared_rates(x)
    return Sides(found[0], found[1], found[0] + found[1])


def _less_moved(x: Instance) -> Any:
    away = abs(x.final - x.initial)
    return min(away[:, 1] - away[:, 0])


def _no_smaller(x: Instance) -> Any:
    sizes = abs(x.gradients)
    return min((sizes[:, :, 0] - sizes[:, :, 1]).ravel())


# statements --------------------------------------------------------------------------------------------------------
SETTINGS = tuple(
    Assumption(rf"{name}>0", lambda x, key=key: getattr(x, key))  # type: ignore[misc]
    for name, key in ((r"\varepsilon", "eps"), (r"\zeta", "zeta"), ("p", "p"))
)
STEP = r"\phi_t-\hat\theta_t=\eta_t\odot\nabla_t"
PERCOORD = (
    r"\frac{b_t}{g_t}=\frac{\sum_{s=%s}^{t-1}\varepsilon_s^2+\sum_{s=1}^{t-1}\frac12(\theta_s^\ast-\phi_s)^2}"
    r"{\sum_{s=%s}^{t-1}\zeta_s^2+\sum_{s=1}^{t-1}\sum_{i=1}^{m_s}\nabla_{s,i}^2}"
)


def _sums(label: str, title: str, first: int, late: bool, **rest: Any) -> Statement:
    return Statement(
        label=label, kind="equation", title=title,
        latex=PERCOORD % (first, first) + rf"\quad\forall\ t\ge{1 + late}",
        instance=_later if late else _training, sides=lambda x: _percoord(x, first), assumptions=SETTINGS,
        uses=("alg:aruba",), **rest,
    )  # fmt: skip


EQUATION = (
    _sums(
        "eq:percoord/literal", "The rates of Algorithm 2, from sums over the tasks before t", 1, False,
        part_of="eq:percoord",
        note=r"The sums over $s<t$ run over tasks, $s\ge1$. At $t=1$ both are empty and $\eta_1^2=\frac00$, while "
        r"Algorithm 2 has $\varepsilon^2/\zeta^2$. $\hat\theta_t=\theta_t^\ast$ in all readings.",
    ),
    _sums(
        "eq:percoord/from-two", "The rates of Algorithm 2 from the second task on, from sums over tasks", 1, True,
        part_of="eq:percoord",
        note=r"The regulariser of $s=0$, the first of Algorithm 2, is missing.",
    ),
    _sums(
        "eq:percoord", "The rates of Algorithm 2, from sums that begin at s = 0", 0, False,
        corrects=("eq:percoord/literal", "eq:percoord/from-two"),
        note=r"$\varepsilon_s^2=\varepsilon^2/(s+1)^p$ is printed for all $t\ge0$; at $s=0$ there is no task, so that "
        r"only the regulariser counts. Then the sums are those of Algorithm 2: $b_1=\varepsilon_0^2$ and task $t$ adds "
        r"$\varepsilon_t^2$.",
    ),
)  # fmt: skip

ONE_STEP = (
    Statement(
        label="text:one-step-maml/literal", kind="claim in text", part_of="text:one-step-maml",
        title="With one gradient step per task the learning rate stays fixed", latex=STEP + r"\implies\eta_t=\eta_1",
        instance=_steps, sides=_stays(2), assumptions=SETTINGS, uses=("alg:aruba",),
        note=r"The distance is proportional to the gradient, but Algorithm 2 adds half of its square: for "
        r"$\varepsilon=\zeta=p=\nabla_1=1$, $b_2=1+\frac12+\frac12=2$ and $g_2=1+\frac12+1=\frac52$, so "
        r"$\eta_2^2=\frac45\ne1$.",
    ),
    Statement(
        label="text:one-step-maml", kind="claim in text", title="The learning rate stays fixed up to a constant",
        latex=STEP + r"\implies\eta_t\ge\frac{\eta_1}4", instance=_equal_steps, sides=_keeps_a_quarter,
        assumptions=SETTINGS, uses=("alg:aruba",),
        note=r"With 4 for the constant, on equal gradients. No constant will do: $\eta_t$ decays like $t^{-\frac14}$.",
    ),
    Statement(
        label="text:one-step-maml/corrected", kind="claim in text", part_of="text:one-step-maml",
        title="With the whole squared distance in place of its half the learning rate stays fixed",
        latex=r"b_{t+1}=b_t+\varepsilon_t^2+(\phi_t-\hat\theta_t)^2,\ " + STEP + r"\implies\eta_t=\eta_1",
        instance=_steps, sides=_stays(1), assumptions=SETTINGS, uses=("alg:aruba",),
        corrects=("text:one-step-maml", "text:one-step-maml/literal"),
        note=r"$b_t=\eta_1^2g_t$ by induction: $\varepsilon_t^2=\eta_1^2\zeta_t^2$ and the squared distance is "
        r"$\eta_t^2\nabla_t^2$.",
    ),
    Statement(
        label="text:one-step-maml/between", kind="claim in text", part_of="text:one-step-maml",
        title="With one gradient step the learning rate of Algorithm 2 falls, no faster than the fourth root of g",
        latex=STEP + r"\implies\frac{\varepsilon^2}{\zeta^2}\sqrt{\frac{\zeta^2}{g_t}}\le\eta_t^2"
        r"\le\frac{\varepsilon^2}{\zeta^2}", instance=_steps, sides=_shrinks, assumptions=SETTINGS, uses=("alg:aruba",),
        note=r"$\eta_{t+1}^2$ is a mean of $\eta_1^2$, $\eta_t^2$ and $\eta_t^2/2$ with weights $\zeta_t^2$, $g_t$ and "
        r"$\nabla_t^2$; and $(g+\zeta_t^2+\frac12\nabla^2)^2\ge g(g+\zeta_t^2+\nabla^2)$, so that $\eta_t^2\sqrt{g_t}$ "
        r"never falls. The lower bound is squared.",
    ),
    Statement(
        label="text:one-step-maml/decay", kind="claim in text", part_of="text:one-step-maml",
        title="With one step and equal gradients it decays like the fourth root of T, with a constant",
        latex=STEP + r",\ \nabla_t^2=\zeta^2,\ p\ge1\implies\eta_{T+1}^2\le\frac{13}4\frac{\eta_1^2}{\sqrt{T+1}}",
        instance=_unit_steps, sides=_decays, uses=("alg:aruba",),
        assumptions=(*SETTINGS[:2], Assumption(r"p\ge1", lambda x: x.p - 1)),
        note=r"$b_{t+1}=b_t(1+\frac{\zeta^2}{2g_t})+\varepsilon_t^2$ and $1+\frac x2\le\sqrt{1+x}\,e^{x^2/8}$ give "
        r"$\frac{b_{T+1}}{\sqrt{g_{T+1}}}\le e^{\pi^2/48}\frac{\varepsilon^2}\zeta\left(1+\sum_{k\ge2}"
        r"k^{-\frac32}\right)$, less than $\frac{13}4\frac{\varepsilon^2}\zeta$. Both sides squared.",
    ),
)  # fmt: skip

RATES = (
    Statement(
        label="text:initial-rate", kind="claim in text", title="The first learning rate is eps/zeta",
        latex=r"\eta_1=\sqrt{\frac{b_1}{g_1}}=\frac\varepsilon\zeta", instance=_settings, sides=_first_rate,
        assumptions=SETTINGS, uses=("alg:aruba",),
    ),
    Statement(
        label="text:initial-rate/no-data", kind="claim in text", part_of="text:initial-rate",
        title="So it stays until there is a gradient or a movement",
        latex=r"\nabla_{s,i}=0,\ \hat\theta_s=\phi_s\quad\forall\ s<t,\ i\implies\eta_t=\frac\varepsilon\zeta",
        instance=_idle, sides=_rate_without_data, assumptions=SETTINGS, uses=("alg:aruba", "eq:percoord"),
    ),
    Statement(
        label="alg:aruba/smaller-rate", kind="algorithm", part_of="alg:aruba",
        title="The coordinate along which tasks move less has the smaller rate",
        latex=r"\phi_s-\hat\theta_s=\eta_s\odot\sum_i\nabla_{s,i}\ \forall\ s<t,\ b_{t,j}<b_{t,k}"
        r"\implies\eta_{t,j}\le\eta_{t,k}",
        instance=_descents, sides=_less_movement, assumptions=SETTINGS, uses=("alg:aruba",),
        note=r"Section 6: where $\hat\theta_{t,j}$ is usually not far from initialization, $b_j$ will be small and "
        r"thus so will $\eta_j$. But small gradients, which move little, make $g_j$ small as well. After one task of "
        r"one step, with the gradients $0$ and $1$ and $\varepsilon=\zeta=p=1$, $b_2=(\frac32,2)$ and "
        r"$g_2=(\frac32,\frac52)$: $\eta_2^2=(1,\frac45)$. Squares are compared.",
    ),
    Statement(
        label="alg:aruba/smaller-rate/corrected", kind="algorithm", part_of="alg:aruba",
        title="A coordinate along which tasks move no farther, with gradients no smaller, has no larger rate",
        latex=r"|\phi_{s,j}-\hat\theta_{s,j}|\le|\phi_{s,k}-\hat\theta_{s,k}|,\ |\nabla_{s,i,j}|\ge|\nabla_{s,i,k}|"
        r"\ \forall\ s<t,\ i\implies\eta_{t,j}\le\eta_{t,k}",
        instance=_noisier, sides=_noisier_is_slower, uses=("alg:aruba",), corrects=("alg:aruba/smaller-rate",),
        assumptions=(
            *SETTINGS,
            Assumption(r"|\phi_{s,j}-\hat\theta_{s,j}|\le|\phi_{s,k}-\hat\theta_{s,k}|", _less_moved),
            Assumption(r"|\nabla_{s,i,j}|\ge|\nabla_{s,i,k}|", _no_smaller),
        ),
        note=r"Then $b_{t,j}\le b_{t,k}$ and $g_{t,j}\ge g_{t,k}$: so it is with noisy gradients, whose steps cancel. "
        r"Squares are compared.",
    ),
)  # fmt: skip

STATEMENTS = (*EQUATION, *ONE_STEP, *RATES, *VARIANTS, *ADAGRAD)
