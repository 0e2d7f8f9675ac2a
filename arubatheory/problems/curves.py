r"""Exp-concave losses on an interval, as data: what EWOO (def:ewoo, thm:ewoo) is run on in one dimension.

| code | $f(x)$ | where | $\gamma$-exp-concave on $[low, high]$ for $1/\gamma \ge$ |
|---|---|---|---|
| INVERSE | $p/x + qx$, $p > 0$, $q \ge 0$ | $x > 0$ | $(qx^2 - p)^2/(2px)$ at $x = low$ and at $x = high$ |
| QUADRATIC | $p(x - q)^2/2$, $p > 0$ | everywhere | $p(x - q)^2$ at $x = low$ and at $x = high$ |
| LOGLINEAR | $-p\log(qx + r)$, $p > 0$ | $qx + r > 0$ | $p$ |

The last column is $\sup f'^2/f''$ over the interval. For INVERSE it is at an end, because the logarithm of
$f''/f'^2 = 2px/(qx^2 - p)^2$ has the slope $-(p + 3qx^2)/(x(qx^2 - p))$: up to the minimum of f it grows, from there on
it falls. LOGLINEAR is the edge of exp-concavity: $e^{-f/p}$ is affine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.problems.draw import Draw
from arubatheory.problems.numbers import check_count, real
from arubatheory.problems.scalar import infinite, log1p, rounding
from arubatheory.problems.signatures import typed

INVERSE, QUADRATIC, LOGLINEAR = range(3)


class Curves(NamedTuple):
    """m losses of one variable: codes (m,) int64 and three parameters (m,) each."""

    code: Array
    p: Array
    q: Array
    r: Array


@kernel
def value(c: Curves, i: int, x: Any) -> Any:
    r"""[exact] $f_i(x)$."""
    if c.code[i] == INVERSE:
        return c.p[i] / x + c.q[i] * x
    if c.code[i] == QUADRATIC:
        return c.p[i] * (x - c.q[i]) * (x - c.q[i]) / 2
    return -c.p[i] * np.log(c.q[i] * x + c.r[i])


@kernel
def slope(c: Curves, i: int, x: Any) -> Any:
    r"""[exact] $f_i'(x)$."""
    if c.code[i] == INVERSE:
        return c.q[i] - c.p[i] / (x * x)
    if c.code[i] == QUADRATIC:
        return c.p[i] * (x - c.q[i])
    return -c.p[i] * c.q[i] / (c.q[i] * x + c.r[i])


@kernel
def sums(c: Curves, start: int, stop: int, x: Array) -> Array:
    r"""[exact] $\sum_{start \le i < stop}f_i(x_k)$ for every k."""
    out = np.zeros_like(x)
    for k in range(x.shape[0]):
        for i in range(start, stop):
            out[k] = out[k] + value(c, i, x[k])
    return out


@kernel
def rise(c: Curves, i: int, x: Any, y: Any) -> Any:
    r"""[exact] $f_i(y) - f_i(x)$, where nothing cancels that need not."""
    if c.code[i] == INVERSE:
        return (y - x) * (c.q[i] - c.p[i] / x / y)
    if c.code[i] == QUADRATIC:
        return c.p[i] * (y - x) * ((x - c.q[i]) + (y - c.q[i])) / 2
    return -c.p[i] * log1p(c.q[i] * (y - x) / (c.q[i] * x + c.r[i]))


@kernel
def _steepness(c: Curves, i: int, x: Any) -> Any:
    r"""Numbers a and b with $f_i'^2/f_i'' = a/b$ at x; floats never under-state a."""
    one = x - x + 1
    if c.code[i] == INVERSE:
        grown = c.q[i] * x * x
        a = abs(grown - c.p[i]) + 4 * rounding(x) * (grown + c.p[i])
        return a * a, 2 * c.p[i] * x
    if c.code[i] == QUADRATIC:
        return c.p[i] * (x - c.q[i]) * (x - c.q[i]), one
    return c.p[i] * one, one


@kernel
def exp_concavity(c: Curves, low: Any, high: Any) -> Any:
    r"""[exact] The largest $\gamma$ with $f_i'' \ge \gamma f_i'^2$ on [low, high] for all i; floats never over-state
    it. Infinite if no curve has a slope there, 0 if an INVERSE reaches down to 0."""
    top, bottom = _steepness(c, 0, low)
    for i in range(c.code.shape[0]):
        for k in range(2):
            a, b = _steepness(c, i, low if k == 0 else high)
            if a * bottom > top * b:
                top, bottom = a, b
    if top == 0:
        return infinite(top)
    return bottom / top * (1 - 16 * rounding(top))


@typed
def random_curves(draw: Draw, m: int, low: Any, high: Any) -> Curves:
    r"""m curves on [low, high] with 0 < low < high: of one code or mixed, of one weight or many.

    Minima lie at a drawn multiple of `low` (INVERSE), inside or beside the interval (QUADRATIC), or at the end at which
    the argument of the logarithm does not come near 0.
    """
    check_count("m", m)
    low, high = (real(name, x, above=0, in_exact=draw.exact) for name, x in (("low", low), ("high", high)))
    same_code, same_weight = draw.boolean(), draw.boolean()
    code, weight = draw.integer(INVERSE, LOGLINEAR), draw.positive()
    rows = []
    for _ in range(m):
        kind = code if same_code else draw.integer(INVERSE, LOGLINEAR)
        w = weight if same_weight else draw.positive()
        rows.append((kind, *_parameters(draw, kind, w, low, high)))
    zero = low - low
    return Curves(
        np.array([row[0] for row in rows], dtype=np.int64),
        *(draw.array([row[k] + zero for row in rows]) for k in (1, 2, 3)),
    )


def _parameters(draw: Draw, code: int, w: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
    if code == INVERSE:
        x = low * draw.positive(-8, 8)
        return w * x * x, w, 0
    if code == QUADRATIC:
        return w, low + (high - low) * draw.real(-1, 2), 0
    near = draw.positive(-16, 16)
    return (w, 1, low * (near - 1)) if draw.boolean() else (w, -1, high * (1 + near))
