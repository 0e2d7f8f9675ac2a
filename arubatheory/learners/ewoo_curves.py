r"""EWOO (def:ewoo) on losses that are data, in whichever arithmetic they come: what statements about EWOO play.

* `inverse_mean`: $p_t/x + q_tx$ on an interval, whose past is $p/x + qx$ again ($\varepsilon$-EWOO is
  `meta.rates_after`): means of truncated generalised inverse Gaussians, by `truncated_mean` in floats.
* `play_curves`: the curves of `problems.curves` on an interval on which they are defined. In floats 64 Gauss nodes on
  each side of the mode, as far out as the density is at least $e^{-36}$ of its largest.
* `play_affine`: $-\frac1\gamma\log\langle v_t, \varphi(x)\rangle$ on the unit cube, $\varphi(x) = (x_1, 1 - x_1, x_2,
  \dots)$, or on its corner $\{x \ge 0, \sum_j x_j \le 1\}$, $\varphi(x) = (x_1, \dots, x_d, 1 - \sum_j x_j)$. Every
  affine function that is positive on the body has this form with v > 0. The density is a product of them, so actions
  are ratios of integrals of polynomials, which a rule of Newton and Cotes with rational nodes and positive rational
  weights takes exactly: on exact numbers the actions of universal portfolios come out rational.

The first two have balls for exact numbers, from `ewoo_exact`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.learners.ewoo import COUNT, DEPTH, NODES, WEIGHTS, truncated_mean
from arubatheory.learners.ewoo_exact import enclosed_curve_mean, enclosed_mean
from arubatheory.problems.curves import Curves, rise, slope
from arubatheory.problems.linear import dot
from arubatheory.problems.scalar import decay, twin

CUBE, CORNER = range(2)
HALVINGS = 200
COTES = np.array([41, 216, 27, 272, 27, 216, 41], dtype=np.int64)  # over 840: exact up to degree 7, all positive
PANELS = COTES.size - 1


# p/x + qx ------------------------------------------------------------------------------------------------------
@twin(enclosed_mean)
def inverse_mean(p: Any, q: Any, lo: Any, hi: Any) -> Any:
    r"""[exact] The mean of the density proportional to $e^{-(p/x + qx)}$ on [lo, hi]."""
    return truncated_mean(p, q, lo, hi)


# curves --------------------------------------------------------------------------------------------------------
@kernel
def _falls(c: Curves, n: int, x: Any) -> Any:
    s = 0.0
    for i in range(n):
        s += slope(c, i, x)
    return s < 0


@kernel
def _mode(c: Curves, n: int, low: Any, high: Any) -> Any:
    if not _falls(c, n, low):
        return low
    if _falls(c, n, high):
        return high
    left, right = low, high
    for _ in range(HALVINGS):
        middle = np.sqrt(left) * np.sqrt(right) if left > 0 and right > 16 * left else left + (right - left) / 2
        if not left < middle < right:
            break
        if _falls(c, n, middle):
            left = middle
        else:
            right = middle
    return left


@kernel
def _depth(c: Curves, n: int, gamma: Any, mode: Any, x: Any) -> Any:
    s = 0.0
    for i in range(n):
        s += rise(c, i, mode, x)
    return gamma * s


@kernel
def _reach(c: Curves, n: int, gamma: Any, mode: Any, end: Any) -> Any:
    """The signed distance from the mode at which the density is e^-36 of its largest, or that of the end."""
    shallow, far = 0.0, end - mode
    if _depth(c, n, gamma, mode, end) <= DEPTH:
        return far
    for _ in range(HALVINGS):
        half = shallow + (far - shallow) / 2 if shallow != 0 else far / 2
        if mode + half == mode:
            break
        if _depth(c, n, gamma, mode, mode + half) > DEPTH:
            far = half
        else:
            shallow = half
        if shallow != 0 and abs(far - shallow) < abs(far) / 64:
            break
    return far


@twin(enclosed_curve_mean)
def curve_mean(c: Curves, n: int, gamma: Any, low: Any, high: Any) -> Any:
    r"""[exact] The mean of the density proportional to $e^{-\gamma(f_0 + \dots + f_{n-1})}$ on [low, high]."""
    low, high = float(low), float(high)
    if n == 0 or not low < high:
        return low + (high - low) / 2
    mode = _mode(c, n, low, high)
    mass, above = 0.0, 0.0
    for side in range(2):
        half = _reach(c, n, gamma, mode, low if side == 0 else high) / 2
        for k in range(COUNT):
            d = half * (1.0 + NODES[k])
            # A mode to the last bit may leave a rise below 0, of the size of a rounding.
            weight = abs(half) * WEIGHTS[k] * decay(min(-_depth(c, n, gamma, mode, mode + d), 0.0))
            mass += weight
            above += weight * d
    return min(max(mode + above / mass, low), high) if mass > 0 else mode


@kernel
def play_curves(c: Curves, gamma: Any, low: Any, high: Any) -> Array:
    r"""[exact] The actions of EWOO on the curves over [low, high], (m,)."""
    actions = np.zeros_like(c.p)
    for t in range(actions.shape[0]):
        actions[t] = curve_mean(c, t, gamma, low, high)
    return actions


# products of affine functions ------------------------------------------------------------------------------------
@kernel
def _node(body: int, k: int, phi: Array, one: Any) -> Any:
    r"""Node k of the product rule, mapped to the body, as $\varphi$; its weight, the Jacobian included.

    The corner is the image of the cube under $x_j = u_j(1 - x_1 - \dots - x_{j-1})$: the last factor of the map is
    again a polynomial, of degree d - 1 more.
    """
    weight, rest = one, one
    for j in range(phi.shape[0] // 2 if body == CUBE else phi.shape[0] - 1):
        i = k % (PANELS + 1)
        k = k // (PANELS + 1)
        weight = weight * COTES[i]
        near, far = one * i / PANELS, one * (PANELS - i) / PANELS
        if body == CUBE:
            phi[2 * j], phi[2 * j + 1] = near, far
        else:
            weight = weight * rest
            phi[j], rest = near * rest, far * rest
    if body == CORNER:
        phi[phi.shape[0] - 1] = rest
    return weight


@kernel
def play_affine(body: int, v: Array) -> Array:
    r"""[exact] The actions of EWOO on the body, as $\varphi(x_t)$ (T, k), where $\gamma$ times the loss is
    $-\log\langle v_t, \varphi(x)\rangle$ with v > 0 (T, k).

    All of $\varphi$ is nonnegative, so nothing ever cancels. Exact for $T \le 7$ on the cube and $T + d \le 8$ on the
    corner, where no integrand has a degree above 7 in a coordinate.
    """
    T, size = v.shape
    actions, mass, phi = np.zeros((T, size), v.dtype), np.zeros(T, v.dtype), np.zeros(size, v.dtype)
    one = v[0, 0] - v[0, 0] + 1
    nodes = (PANELS + 1) ** (size // 2 if body == CUBE else size - 1)
    for k in range(nodes):
        weight = _node(body, k, phi, one)
        for t in range(T):
            if t > 0:
                weight = weight * (dot(v[t - 1], phi) / v[t - 1, 0])
            mass[t] = mass[t] + weight
            for j in range(size):
                actions[t, j] = actions[t, j] + weight * phi[j]
    return actions / mass.reshape(T, 1)
