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

from arubatheory.kernel import on
from arubatheory.learners.ewoo_curves import CORNER, CUBE, play_affine, play_curves
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems.curves import Curves, exp_concavity, random_curves, rise
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.games import MOST_T

INTERVAL = CORNER + 1
MAX_ROUNDS, MAX_DIMENSION, DEGREE = 6, 3, 7  # integrals over bodies are exact up to this degree, with 7^d nodes
USES = ("def:ewoo", "def:expconcave", "def:regret")
POSITIVE = Assumption(r"\gamma>0", lambda x: x.gamma)


def _interval(draw: Draw) -> tuple[Any, Any]:
    low = draw.positive()
    return low, low * (1 + draw.positive(-16, 24))


def _allowed(draw: Draw, largest: Any) -> Any:
    r"""The largest $\gamma$, or a smaller one."""
    return largest * draw.positive(-8, 0) if draw.boolean() else largest


def _three_points(draw: Draw) -> Instance:
    low, high = _interval(draw)
    f = random_curves(draw, 1, low, high)
    x, y = (low + (high - low) * draw.unit() for _ in range(2))
    gamma = _allowed(draw, on(exp_concavity, low)(f, low, high))
    return Instance(f=f, low=low, high=high, gamma=gamma, x=x, y=y, part=draw.unit())


def _exp_concavity(x: Instance, f: Curves) -> Any:
    return on(exp_concavity, x.low)(f, x.low, x.high) - x.gamma


def _in_s(name: str) -> Assumption:
    return Assumption(rf"{name}\in S", lambda x: min(getattr(x, name) - x.low, x.high - getattr(x, name)))


@claim(
    "def:expconcave",
    r"\frac{\partial_{xx}f(x)}{(\partial_xf(x))^2}\ge\gamma\ \forall\ x\in S\implies"
    r"\lambda e^{-\gamma f(x)}+(1-\lambda)e^{-\gamma f(y)}\le e^{-\gamma f(\lambda x+(1-\lambda)y)}",
    _three_points,
    (
        POSITIVE,
        Assumption(r"\frac{\partial_{xx}f}{(\partial_xf)^2}\ge\gamma", lambda x: _exp_concavity(x, x.f)),
        _in_s("x"),
        _in_s("y"),
        Assumption(r"\lambda\in[0,1]", lambda x: min(x.part, 1 - x.part)),
    ),
)
def exp_concave(x: Instance) -> Sides:
    r"""The second derivative tells exp-concavity.

    Both sides are divided by the right one, so that nothing overflows. $f$ is $\frac px+qx$, a parabola or $-p\log$
    of an affine function on an interval, and for the last one the two sides are equal.
    """
    rest = 1 - x.part
    middle = x.part * x.x + rest * x.y
    at_x, at_y = (np.exp(-x.gamma * on(rise, middle)(x.f, 0, middle, end)) for end in (x.x, x.y))
    return Sides(x.part * at_x + rest * at_y, x.part + rest)


def _game(draw: Draw) -> Instance:
    kind = draw.integer(CUBE, INTERVAL)
    if kind == INTERVAL:
        return _curve_game(draw)
    d = draw.integer(1, MAX_DIMENSION)
    most = DEGREE if kind == CUBE else DEGREE + 1 - d
    T = draw.size("T", min(MAX_ROUNDS, most), most)
    entries = 2 * d if kind == CUBE else d + 1
    equal = draw.boolean()
    v = np.repeat(draw.positive(shape=(1 if equal else T, entries)), T if equal else 1, axis=0)
    phi = np.ravel([(u, 1 - u) for u in draw.unit(d)]) if kind == CUBE else draw.simplex(d + 1)
    none, low = draw.zeros(0), draw.number(0)
    flat = Curves(np.zeros(0, np.int64), none, none, none)
    return Instance(kind=kind, curves=flat, low=low, high=low + 1, v=v, gamma=draw.positive(), comparator=phi)


def _curve_game(draw: Draw) -> Instance:
    low, high = _interval(draw)
    c = random_curves(draw, draw.size("T", MAX_ROUNDS, MOST_T), low, high)
    gamma = _allowed(draw, on(exp_concavity, low)(c, low, high))
    u = draw.array([low + (high - low) * draw.unit()])
    return Instance(kind=INTERVAL, curves=c, low=low, high=high, v=draw.zeros((0, 0)), gamma=gamma, comparator=u)


def _is_in_theta(x: Instance) -> Any:
    u = x.comparator
    if x.kind == INTERVAL:
        return min(u[0] - x.low, x.high - u[0])
    sums = u[::2] + u[1::2] if x.kind == CUBE else [sum(u)]
    return min(u.min(), -max(abs(1 - s) for s in sums))


@claim(
    "thm:ewoo",
    r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\theta^\ast)\le\frac d\gamma(1+\log(T+1))"
    r"\quad\forall\ \theta^\ast\in\Theta",
    _game,
    (
        POSITIVE,
        Assumption(
            r"\ell_t\ \gamma\text{-exp-concave}",
            lambda x: _exp_concavity(x, x.curves) if x.kind == INTERVAL else x.v.min(),
        ),
        Assumption(r"\theta^\ast\in\Theta", _is_in_theta),
    ),
    uses=USES,
    corrects=("thm:ewoo/literal",),
)
def regret_of_ewoo(x: Instance) -> Sides:
    r"""Regret of exponentially weighted online optimisation.

    Intervals, and boxes and simplices of at most three dimensions and 7 rounds; there the regret cannot exceed
    $\frac d\gamma\log(T+1)$, which in one dimension is attained in the limit.
    """
    u = x.comparator
    if x.kind == INTERVAL:
        d, actions = 1, on(play_curves, u)(x.curves, x.gamma, x.low, x.high)
        regret = sum(on(rise, u)(x.curves, t, u[0], action) for t, action in enumerate(actions))
    else:
        d, actions = len(u) // 2 if x.kind == CUBE else len(u) - 1, on(play_affine, u)(x.kind, x.v)
        regret = sum(np.log(v @ u / (v @ action)) for v, action in zip(x.v, actions, strict=True)) / x.gamma
    one = x.gamma / x.gamma
    return Sides(regret, d * (1 + np.log(one * (len(actions) + 1))) / x.gamma)


def _flat_body(draw: Draw) -> Instance:
    r"""A box of at most three dimensions, some of them of width 0, and one loss $-\frac1\gamma\log$ of an affine
    function that is positive on it."""
    d = draw.integer(1, MAX_DIMENSION)
    width = draw.positive(shape=d) * draw.integers(0, 1, d)
    low, v, gamma = draw.real(-1, 1, d), draw.positive(shape=d + 1), draw.positive()
    return Instance(low=low, width=width, v=v, gamma=gamma, place=draw.unit(d))


@claim(
    "thm:ewoo/literal",
    r"\ell_1(\theta_1)-\ell_1(\theta^\ast)\le\frac d\gamma(1+\log2)\quad\text{for}\quad"
    r"\theta_1=\frac{\int_\Theta\theta\,d\theta}{\int_\Theta d\theta}",
    _flat_body,
    (POSITIVE, Assumption(r"\theta^\ast\in\Theta", lambda x: min(x.place.min(), (1 - x.place).min()))),
    uses=USES,
)
def one_round(x: Instance) -> Sides:
    r"""EWOO on any convex set.

    The first round. Neither def:ewoo nor the theorem asks for a bounded $\Theta$ with interior points: for a point,
    or a segment in the plane, both integrals are 0, for $\Theta=\mathbb R$ they have no value.
    """
    volume = np.prod(x.width)
    action = volume * (x.low + x.width / 2) / volume
    at_action, at_best = (x.v[0] + x.v[1:] @ away for away in (action - x.low, x.width * x.place))
    return Sides(np.log(at_best / at_action) / x.gamma, len(x.low) * (1 + np.log(0 * x.gamma + 2)) / x.gamma)
