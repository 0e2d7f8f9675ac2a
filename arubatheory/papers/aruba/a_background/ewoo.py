r"""Appendix A: exp-concave functions (def:expconcave) and the regret of EWOO (thm:ewoo).

Losses of thm:ewoo are of two kinds. In one dimension they are the curves of `problems.curves` on [low, high], with the
largest $\gamma$ that the criterion of def:expconcave allows, or a smaller one. In up to three dimensions they are
$-\frac1\gamma\log$ of affine functions, the edge of exp-concavity, on the unit cube or its corner: EWOO is equivariant
under affine maps, so every box and every simplex is meant. There all integrals are rational. `/literal` keeps boxes
without interior points, where EWOO is not defined.

How tight is the theorem? A product of T functions that are concave and nonnegative on a convex body is, in the mean,
at least $1/\binom{T+d}d$ of its largest value (cones attain it), so that the regret is at most
$\frac1\gamma\log\binom{T+d}d \le \frac d\gamma\log(T + 1)$. In one dimension $-\frac1\gamma\log x$ on (0, 1], against
the comparator 1, attains $\frac1\gamma\log(T + 1)$: the worst ratio at T = 6 is $\log 7/(1 + \log 7) = 0.66$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.learners.ewoo_curves import CORNER, CUBE, affine, play_affine, play_curves
from arubatheory.problems.curves import INVERSE, QUADRATIC, Curves, exp_concavity, random_curves, rise, slope
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, Statement

INTERVAL = CORNER + 1
MAX_ROUNDS, MAX_DIMENSION = 6, 3


def _interval(draw: Draw) -> tuple[Any, Any]:
    low = draw.positive()
    return low, low * (1 + draw.positive(-16, 24))


def _allowed(draw: Draw, largest: Any) -> Any:
    r"""The largest $\gamma$, or a smaller one."""
    return largest * draw.positive(-8, 0) if draw.boolean() else largest


# def:expconcave ----------------------------------------------------------------------------------------------------


def _three_points(draw: Draw) -> Instance:
    low, high = _interval(draw)
    f = random_curves(draw, 1, low, high)
    x, y = (low + (high - low) * draw.unit() for _ in range(2))
    gamma = _allowed(draw, on(exp_concavity, low)(f, low, high))
    return Instance(f=f, low=low, high=high, gamma=gamma, x=x, y=y, part=draw.unit())


@kernel
def exponentials(rise_x: Any, rise_y: Any, part: Any) -> Any:
    r"""$\lambda e^{-r_x} + (1 - \lambda)e^{-r_y}$ and the magnitudes behind it."""
    at_x, at_y = part * np.exp(-rise_x), (1 - part) * np.exp(-rise_y)
    return at_x + at_y, at_x * (1 + abs(rise_x)) + at_y * (1 + abs(rise_y))


@kernel
def _concave_sides(f: Curves, gamma: Any, x: Any, y: Any, part: Any) -> Any:
    middle = part * x + (1 - part) * y
    lhs, scale = exponentials(gamma * rise(f, 0, middle, x), gamma * rise(f, 0, middle, y), part)
    # The middle point is rounded, and so is what the logarithm is taken of.
    moved = gamma * abs(slope(f, 0, middle)) * (abs(x) + abs(y) + magnitude(f, 0, middle))
    return lhs, scale + moved * (1 + lhs)


@kernel
def magnitude(c: Curves, i: int, x: Any) -> Any:
    r"""[exact] The length on the x-axis whose unit roundings are those of $f_i(x)$."""
    if c.code[i] == INVERSE:
        return abs(x)
    if c.code[i] == QUADRATIC:
        return abs(x) + abs(c.q[i])
    return abs(x) + (abs(c.r[i] / c.q[i]) if c.q[i] != 0 else abs(x))


def _is_concave(i: Instance) -> Sides:
    lhs, scale = on(_concave_sides, i.x)(i.f, i.gamma, i.x, i.y, i.part)
    return Sides(lhs, i.part + (1 - i.part), scale)


# thm:ewoo ----------------------------------------------------------------------------------------------------------


def _game(draw: Draw) -> Instance:
    kind = draw.integer(CUBE, INTERVAL)
    if kind == INTERVAL:
        return _curve_game(draw)
    d = draw.integer(1, MAX_DIMENSION)
    T = draw.integer(1, MAX_ROUNDS if kind == CUBE else min(MAX_ROUNDS, 8 - d))
    entries = 2 * d if kind == CUBE else d + 1
    equal = draw.boolean()
    v = draw.positive(shape=(1 if equal else T, entries))
    phi = _point_of_cube(draw.unit(d)) if kind == CUBE else draw.simplex(d + 1)
    nothing = draw.zeros(0)
    empty = Curves(np.zeros(0, np.int64), nothing, nothing, nothing)
    low = draw.number(0)
    return Instance(
        kind=kind, curves=empty, low=low, high=low + 1, v=np.repeat(v, T, axis=0) if equal else v,
        gamma=draw.positive(), comparator=phi,
    )  # fmt: skip


def _point_of_cube(u: Array) -> Array:
    return np.ravel(np.stack([u, 1 - u], axis=1))


def _curve_game(draw: Draw) -> Instance:
    low, high = _interval(draw)
    c = random_curves(draw, draw.integer(1, MAX_ROUNDS), low, high)
    gamma = _allowed(draw, on(exp_concavity, low)(c, low, high))
    u = draw.array([low + (high - low) * draw.unit()])
    return Instance(
        kind=INTERVAL, curves=c, low=low, high=high, v=draw.zeros((0, 0)), gamma=gamma, comparator=u,
    )  # fmt: skip


@kernel
def _curve_regret(c: Curves, gamma: Any, low: Any, high: Any, u: Any) -> Any:
    r"""$\gamma\sum_t f_t(x_t) - f_t(u)$ and the magnitudes added."""
    actions = play_curves(c, gamma, low, high)
    lhs = scale = gamma - gamma
    for t in range(actions.shape[0]):
        x = actions[t]
        grown = gamma * rise(c, t, u, x)
        lhs, scale = lhs + grown, scale + abs(grown)
        scale = scale + gamma * (abs(slope(c, t, x)) * magnitude(c, t, x) + abs(slope(c, t, u)) * magnitude(c, t, u))
    return lhs, scale


@kernel
def _affine_regret(body: int, v: Array, phi: Array) -> Any:
    r"""$\sum_t\log\langle v_t, \varphi(u)\rangle - \log\langle v_t, \varphi(x_t)\rangle$ and the magnitudes added."""
    actions = play_affine(body, v)
    lhs = scale = phi[0] - phi[0]
    for t in range(v.shape[0]):
        grown = np.log(affine(v[t], phi) / affine(v[t], actions[t]))
        lhs, scale = lhs + grown, scale + abs(grown) + 1
    return lhs, scale


def _regret_of_ewoo(i: Instance) -> Sides:
    u, one = i.comparator, i.gamma / i.gamma
    if i.kind == INTERVAL:
        T, d = len(i.curves.p), 1
        lhs, scale = on(_curve_regret, u)(i.curves, i.gamma, i.low, i.high, u[0])
    else:
        T, d = len(i.v), len(u) // 2 if i.kind == CUBE else len(u) - 1
        lhs, scale = on(_affine_regret, u)(i.kind, i.v, u)
    rhs = d * (1 + np.log(one * (T + 1)))
    return Sides(lhs / i.gamma, rhs / i.gamma, (scale + rhs) / i.gamma)


def _flat_body(draw: Draw) -> Instance:
    r"""A box of at most three dimensions, some of them of width 0, and one loss $-\frac1\gamma\log$ of an affine
    function that is positive on it."""
    d = draw.integer(1, MAX_DIMENSION)
    width = draw.positive(shape=d) * draw.integers(0, 1, d)
    return Instance(
        low=draw.real(-1, 1, d), width=width, v=draw.positive(shape=d + 1), gamma=draw.positive(), place=draw.unit(d)
    )


def _one_round(i: Instance) -> Sides:
    r"""The first action $\int_\Theta\theta\,d\theta/\int_\Theta d\theta$, against a point of the box."""
    volume = np.prod(i.width)
    action = volume * (i.low + i.width / 2) / volume
    at_action, at_best = (i.v[0] + i.v[1:] @ away for away in (action - i.low, i.width * i.place))
    grown, rhs = np.log(at_best / at_action), len(i.low) * (1 + np.log(0 * i.gamma + 2))
    return Sides(grown / i.gamma, rhs / i.gamma, (abs(grown) + 1 + rhs) / i.gamma)


def _losses_are_exp_concave(i: Instance) -> Any:
    if i.kind == INTERVAL:
        return on(exp_concavity, i.low)(i.curves, i.low, i.high) - i.gamma
    return i.v.min()


def _is_in_theta(i: Instance) -> Any:
    u = i.comparator
    if i.kind == INTERVAL:
        return min(u[0] - i.low, i.high - u[0])
    sums = u[::2] + u[1::2] if i.kind == CUBE else [sum(u)]
    return min(u.min(), -max(abs(1 - s) for s in sums))


def _in_s(name: str) -> Assumption:
    return Assumption(rf"{name}\in S", lambda i: min(getattr(i, name) - i.low, i.high - getattr(i, name)))


STATEMENTS = (
    Statement(
        label="def:expconcave",
        kind="definition",
        number="A.3",
        title="The second derivative tells exp-concavity",
        latex=r"\frac{\partial_{xx}f(x)}{(\partial_xf(x))^2}\ge\gamma\ \forall\ x\in S\implies"
        r"\lambda e^{-\gamma f(x)}+(1-\lambda)e^{-\gamma f(y)}\le e^{-\gamma f(\lambda x+(1-\lambda)y)}",
        instance=_three_points,
        sides=_is_concave,
        assumptions=(
            Assumption(r"\gamma>0", lambda i: i.gamma),
            Assumption(
                r"\frac{\partial_{xx}f}{(\partial_xf)^2}\ge\gamma",
                lambda i: on(exp_concavity, i.low)(i.f, i.low, i.high) - i.gamma,
            ),
            _in_s("x"),
            _in_s("y"),
            Assumption(r"\lambda\in[0,1]", lambda i: min(i.part, 1 - i.part)),
        ),
        note=r"Both sides are divided by the right one, so that nothing overflows. $f$ is $\frac px+qx$, a parabola or "
        r"$-p\log$ of an affine function on an interval, and for the last one the two sides are equal.",
    ),
    Statement(
        label="thm:ewoo",
        kind="theorem",
        number="A.3",
        title="Regret of exponentially weighted online optimisation",
        latex=r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\theta^\ast)\le\frac d\gamma(1+\log(T+1))"
        r"\quad\forall\ \theta^\ast\in\Theta",
        instance=_game,
        sides=_regret_of_ewoo,
        assumptions=(
            Assumption(r"\gamma>0", lambda i: i.gamma),
            Assumption(r"\ell_t\ \gamma\text{-exp-concave}", _losses_are_exp_concave),
            Assumption(r"\theta^\ast\in\Theta", _is_in_theta),
        ),
        uses=("def:ewoo", "def:expconcave", "def:regret"),
        corrects=("thm:ewoo/literal",),
        note=r"Intervals, boxes and simplices of at most three dimensions, at most 6 rounds; there the regret cannot "
        r"exceed $\frac d\gamma\log(T+1)$, which in one dimension is attained in the limit.",
    ),
    Statement(
        label="thm:ewoo/literal",
        kind="theorem",
        number="A.3",
        title="EWOO on any convex set",
        latex=r"\ell_1(\theta_1)-\ell_1(\theta^\ast)\le\frac d\gamma(1+\log2)\quad\text{for}\quad"
        r"\theta_1=\frac{\int_\Theta\theta\,d\theta}{\int_\Theta d\theta}",
        instance=_flat_body,
        sides=_one_round,
        assumptions=(
            Assumption(r"\gamma>0", lambda i: i.gamma),
            Assumption(r"\theta^\ast\in\Theta", lambda i: min(i.place.min(), (1 - i.place).min())),
        ),
        part_of="thm:ewoo",
        uses=("def:ewoo", "def:expconcave", "def:regret"),
        note=r"The first round. Neither def:ewoo nor the theorem asks for a bounded $\Theta$ with interior points: for "
        r"a point, or a segment in the plane, both integrals are 0, for $\Theta=\mathbb R$ they have no value.",
    ),
)
