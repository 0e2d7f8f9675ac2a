r"""Exponentially weighted online optimisation (def:ewoo) in one dimension, and $\varepsilon$-EWOO (cor:ewoo).

EWOO plays the mean of the density that the past losses leave on the interval,
$$\theta_t = \frac{\int \theta\, e^{-\gamma\sum_{s<t}\ell_s(\theta)}\, d\theta}
    {\int e^{-\gamma\sum_{s<t}\ell_s(\theta)}\, d\theta}.$$

* `ewoo` plays any $\gamma$-exp-concave sequence by scipy's adaptive quadrature: O(t) work in round t.
* `eps_ewoo` plays $\tilde\ell_t(x) = ((B_t^2 + \varepsilon^2)/x + x)\alpha_t$ in O(1) a round. The past is $a/x + bx$
  with $a = \sum_s \alpha_s(B_s^2 + \varepsilon^2)$ and $b = \sum_s \alpha_s$, so the action is the mean of a truncated
  generalised inverse Gaussian, `truncated_mean`$(\gamma a, \gamma b, lo, hi)$.

**The mean of $e^{-(p/x + qx)}$ on $[lo, hi]$.** Let $x_0$ be the mode of the density of $\log x$, that is
$(1 + \sqrt{1 + 4pq})/(2q)$ moved into the interval, $P = p/x_0$, $Q = qx_0$, $X = x/x_0$. Then
$$\frac px + qx = P + Q + h, \qquad h = (X - 1)(Q - P/X) \ge -1,$$
so that nothing overflows and nothing large is subtracted. The part of the interval where $h$ is below `DEPTH` ends at
roots of two quadratics. There Gauss's rule with 64 nodes is applied in $y = X^{1/8}$: in $x$ itself a peak at
$10^{-12}\,hi$ would be missed, in $\log x$ a long left tail takes most of the nodes, and an eighth root is three square
roots. Over the range of parameters in the tests the mean is within $2\cdot10^{-14}$ (in $\log x$: $2\cdot10^{-9}$).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, is_exact
from arubatheory.kernel import kernel
from arubatheory.learners.running_means import carry, positive_weights, summed
from arubatheory.learners.trajectory import Trajectory
from arubatheory.problems.curves import Curves, sums
from arubatheory.problems.losses import Losses, value
from arubatheory.problems.numbers import as_items, as_vector, in_floats, real
from arubatheory.problems.scalar import EPSILON, decay, smaller
from arubatheory.problems.signatures import typed

Loss = Callable[[Array], Array]
Sums = Callable[[int, Array], Array]
LARGEST = float(np.finfo(np.float64).max)

# What lies where h > 36 weighs e^-36 = 2e-16 of the whole, times at most about 40.
DEPTH = 36.0
FARTHEST = 1e17  # points below 1e-17 of the mode weigh nothing, whatever the density does there
SMALL, LEAST = 1e-300, 5e-324  # beside numbers of moderate size they only prevent 0 in a denominator
POINT = 1e-16
CERTAIN = 1e40  # for sqrt(pq) beyond this the density is a point in float64, and only p/q matters

NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)
COUNT = NODES.size


# the mean ------------------------------------------------------------------------------------------------------
@kernel
def _eighth_root(x: Any) -> Any:
    return math.sqrt(math.sqrt(math.sqrt(x)))


@kernel
def _reach(away: Any, near: Any) -> Any:
    r"""The positive root u of $away\,u^2 + (away - near - \mathrm{DEPTH})\,u = \mathrm{DEPTH}$, at most FARTHEST."""
    b = DEPTH - (away - near)
    root = math.sqrt(b * b + 4 * DEPTH * away)
    top = b + root if b > 0 else 2 * DEPTH
    bottom = 2 * away if b > 0 else root - b
    return top / max(bottom, top / FARTHEST)


@kernel
def _offset(P: Any, Q: Any, middle: Any, half: Any) -> Any:
    r"""The mean of $X - 1$ under $e^{-h}\,dX$, $dX = 8y^7\,dy$."""
    above, mass = 0.0, 0.0
    for k in range(COUNT):
        y = middle + half * NODES[k]
        y2 = y * y
        y4 = y2 * y2
        X = y4 * y4
        d = X - 1.0
        weight = WEIGHTS[k] * (decay(-1.0 - d * (Q - P / X)) * (y4 * y2 * y))
        mass += weight
        above += weight * d
    return above / mass


@kernel
def _scaled_mean(p: Any, q: Any, lo: Any, hi: Any) -> Any:
    r"""The mean on [lo, hi] for p and q in units of hi."""
    if p == 0 and q == 0:
        return lo + (hi - lo) / 2
    p, q, least = min(p, LARGEST), min(q, LARGEST), lo / hi
    s = math.sqrt(p) * math.sqrt(q)
    scale = CERTAIN / max(s, CERTAIN)
    p, q, s = p * scale, q * scale, s * scale
    x = max(min((0.5 + math.sqrt(0.25 + s * s)) / max(q, SMALL), 1.0), least)
    P, Q = p / x, q * x
    right = min(_reach(Q, P), (1 - x) / x)
    left = min(_reach(P, Q), (x - least) / max(least, x / FARTHEST + LEAST))
    high, low = _eighth_root(1 + right), _eighth_root(1 / (1 + left))
    if (high - low) / 2 > POINT:
        x = x * (1.0 + _offset(P, Q, (high + low) / 2, (high - low) / 2))
    return min(max(hi * x, lo), hi)


@kernel
def truncated_mean(p: Any, q: Any, lo: Any, hi: Any) -> Any:
    r"""The mean of the density proportional to $e^{-(p/x + qx)}$ on [lo, hi], for $p, q \ge 0$, $0 \le lo \le hi$.

    Finite floats in, a float of [lo, hi] out: lo if the interval is a point, its midpoint for p = q = 0. Relative error
    below $10^{-12}$, and never NaN. Arguments are not validated: it is called once a round.
    """
    p, q, lo, hi = float(p), float(q), float(lo), float(hi)
    if not lo < hi:
        return lo
    return _scaled_mean(p / hi, q * hi, lo, hi)


@kernel
def mean_of_sums(sums: Array, lo: Any, hi: Any) -> Any:
    r"""The action after the past whose $\gamma a/hi$ and $\gamma b\,hi$ are in the two columns of `sums`."""
    return _scaled_mean(summed(sums, 0), summed(sums, 1), lo, hi)


@kernel
def add_size(sums: Array, size: Any, weight: Any, unit: Any, t: int) -> None:
    r"""Adds round t: `size` is $B_t/hi$, `weight` $\gamma hi\,\alpha_t$, and `unit` $(\varepsilon/hi)^2$."""
    sums[0, 0] += weight * (size * size + unit)
    sums[0, 1] += weight
    carry(sums, t)


# epsilon-EWOO --------------------------------------------------------------------------------------------------
@kernel
def _play(B: Array, alpha: Array, gamma: Any, eps: Any, lo: Any, hi: Any) -> Any:
    r"""Actions (T, 1), values (T,) and $\gamma\,hi\,b$ of all rounds.

    Lengths are in units of hi; sums are as in `running_means`.
    """
    T = B.shape[0]
    actions, values, sums = np.empty((T, 1)), np.empty(T), np.zeros((3, 2))
    rate, unit = gamma * hi, (eps / hi) * (eps / hi)
    for t in range(T):
        x = mean_of_sums(sums, lo, hi)
        actions[t, 0], values[t] = x, alpha[t] * (B[t] / x * B[t] + x)
        add_size(sums, B[t] / hi, rate * alpha[t], unit, t)
    return actions, values, summed(sums, 1)


@kernel
def exp_concavity_of(alpha: Any, D: Any, eps: Any) -> Any:
    r"""[exact] $\frac2{\alpha D}\min\{\varepsilon^2/D^2, 1\}$: how exp-concave $((B^2 + \varepsilon^2)/v + v)\alpha$ is
    over $[\varepsilon, \sqrt{D^2+\varepsilon^2}]$ (prp:expconcave)."""
    ratio = smaller(eps / D, 1)
    return 2 / D * ratio * ratio / alpha


def exp_concavity(alpha: ArrayLike, D: float, eps: float) -> float:
    r"""`exp_concavity_of` the largest of the weights `alpha`: that exp-concave are all losses.

    Raises ValueError when it is no positive float64 (D = 0, or extreme scales), and for what `eps_ewoo` refuses.
    """
    D, eps = real("D", D, least=0), real("eps", eps, above=0)
    largest = float(in_floats("alpha", positive_weights(alpha, as_vector("alpha", alpha).size)).max())
    gamma = exp_concavity_of(largest, D, eps) if D > 0 else math.inf
    if not 0 < gamma < math.inf:
        raise ValueError(f"gamma must be given: its value in prp:expconcave is {gamma!r} for D={D!r}, eps={eps!r}")
    return gamma


@typed
def eps_ewoo(
    B: ArrayLike, alpha: ArrayLike, D: float, eps: float, *, gamma: float | None = None, domain: str = "appendix"
) -> Trajectory:
    r"""$\varepsilon$-EWOO (cor:ewoo) on $\ell_t(x) = (B_t^2/x + x)\alpha_t$ with $B_t \in [0, D]$; O(1) a round.

    Actions are EWOO's on $\tilde\ell_t(x) = ((B_t^2 + \varepsilon^2)/x + x)\alpha_t$ over
    $[\varepsilon, \sqrt{D^2 + \varepsilon^2}]$ (`domain="appendix"`) or $[0, \sqrt{D^2 + \varepsilon^2}]$ ("main",
    eq:ewoo; what that display adds is $\varepsilon^2/v$ without the factor $\alpha_t$: the same when $\alpha_t = 1$).
    Values are those of $\ell_t$, without $\varepsilon$, since the corollary bounds their regret.

    `B` (T,), `alpha` (T,) or a number; actions (T, 1). The default of `gamma` is `exp_concavity(alpha, D, eps)`, which
    like the paper's knows $\max_t\alpha_t$ in advance. A larger gamma is played too: the corollary then says nothing.

    Raises ValueError for gamma <= 0, eps <= 0, $B_t$ outside [0, D], $\alpha_t \le 0$, NaN, infinities, no rounds,
    shapes that do not fit, D/eps > 1e150; OverflowError when a sum or a loss leaves the range of float64.
    """
    if domain not in ("appendix", "main"):
        raise ValueError(f"domain must be 'appendix' or 'main', got {domain!r}")
    sizes, weights, D, eps, hi = scalar_game(B, alpha, D, eps)
    lo = eps if domain == "appendix" else 0.0
    if gamma is None:
        gamma = exp_concavity(weights, D, eps) if lo < hi else 1.0
    gamma = real("gamma", gamma, above=0)
    with np.errstate(all="ignore"):
        actions, values, mass = _play(sizes, weights, gamma, eps, lo, hi)
    if not (mass < math.inf and np.isfinite(values).all()):
        raise OverflowError("eps_ewoo left the range of float64: gamma, sum(alpha) or a loss is too large")
    return Trajectory(actions, values, np.zeros(values.size))


# EWOO by quadrature --------------------------------------------------------------------------------------------
def ewoo(
    losses: Losses | Curves | Sequence[Loss], gamma: float, low: float, high: float, *, method: str = "quad"
) -> Trajectory:
    r"""EWOO (def:ewoo) on [low, high] for $\gamma$-exp-concave losses, by scipy.integrate.quad; O(t) work in round t.

    `losses` is a `Losses` with d = 1, `Curves`, or a sequence of functions that map an array of points of the open
    interval to the array of values. Actions have shape (T, 1), and the first one is the midpoint.

    The sum of the past is shifted to its minimum and integrated on both sides of it, as far out as the integrand is at
    least $e^{-40}$: a literal quad over the interval misses the peak once it is narrow.

    What is checked: on 255 inner points of the interval, for every three equally spaced ones, that
    $e^{-\gamma\ell_t}$ is concave up to rounding (values are trusted to 8 units in the last place, points to 2). A loss
    that fails is not $\gamma$-exp-concave; one that passes may still fail between those points.

    Raises ValueError for gamma <= 0, low > high, NaN, infinities, no losses, d > 1, a method other than "quad", values
    of another shape or that are not finite, a loss that fails the check; TypeError for what is neither functions nor
    losses in floats; ArithmeticError when quad reports an error beyond $10^{-9}$ of the interval.
    """
    gamma, low, high = real("gamma", gamma, above=0), real("low", low), real("high", high)
    if low > high:
        raise ValueError(f"high must be >= low, got low={low!r}, high={high!r}")
    if not isinstance(method, str) or method != "quad":
        raise ValueError(f"method must be 'quad', got {method!r}")
    count, cumulative, single = _sequence(losses)
    if count == 0:
        raise ValueError("losses must hold at least one loss, got none")
    actions, values = np.full((count, 1), low + (high - low) / 2), np.empty(count)
    for t in range(count):
        if low < high:
            _check_concave(single, t, gamma, low, high)
            if t > 0:
                actions[t, 0] = _density_mean(partial(_scaled, cumulative, gamma, t), low, high)
        values[t] = _evaluated(single, t, actions[t])[0]
    return Trajectory(actions, values, np.zeros(count))


def action_after(losses: Any, gamma: float, low: float, high: float) -> float:
    """The action of `ewoo` after at least one loss, the last of which is looked at; errors as there."""
    count, cumulative, single = _sequence(losses)
    if not low < high:
        return low
    _check_concave(single, count - 1, gamma, low, high)
    return _density_mean(partial(_scaled, cumulative, gamma, count), low, high)


def _scaled(cumulative: Sums, gamma: float, n: int, x: Array) -> Array:
    return gamma * cumulative(n, x)


def _sequence(losses: Any) -> tuple[int, Sums, Sums]:
    r"""The number of losses, $(n, x) \mapsto \sum_{s<n}\ell_s(x)$, and $(t, x) \mapsto \ell_t(x)$ for points x (k,)."""
    if isinstance(losses, Losses | Curves):
        if is_exact(losses[1]):
            raise TypeError("losses must be in floats, got exact numbers")
        if isinstance(losses, Losses) and losses.a.shape[1] != 1:
            raise ValueError(f"losses must have dimension 1, got {losses.a.shape[1]}")
        between: Any = _sums if isinstance(losses, Losses) else sums
        data = type(losses)(*map(np.ascontiguousarray, losses))
        return len(data[1]), lambda n, x: between(data, 0, n, x), lambda t, x: between(data, t, t + 1, x)
    if isinstance(losses, str) or not isinstance(losses, Sequence) or not all(map(callable, losses)):
        raise TypeError(f"losses must be a Losses or a sequence of functions, got {losses!r}")
    f: list[Loss] = list(losses)

    def cumulative(n: int, x: Array) -> Array:
        return sum((f[s](x) for s in range(1, n)), f[0](x))

    return len(f), cumulative, lambda t, x: f[t](x)


@kernel
def _sums(L: Losses, start: int, stop: int, x: Array) -> Array:
    r"""$\sum_{start \le s < stop}\ell_s(x_k)$ for every k."""
    out = np.zeros(x.size)
    for k in range(x.size):
        for i in range(start, stop):
            out[k] += value(L, i, x[k : k + 1])
    return out


def _evaluated(single: Sums, t: int, x: Array) -> Array:
    """Loss t at points x, or the error that says what is wrong with what it returned."""
    y = as_items(f"losses[{t}]", single(t, x))
    if y.shape != x.shape or y.dtype.kind not in "fiu":
        raise ValueError(f"losses[{t}] must return real numbers of shape {x.shape}, got {y!r}")
    if not np.isfinite(y).all():
        raise ValueError(f"losses[{t}] must be finite inside the interval, got {y[~np.isfinite(y)][0]}")
    return y.astype(np.float64)


def _check_concave(single: Sums, t: int, gamma: float, low: float, high: float) -> None:
    r"""ValueError if $e^{-\gamma\ell_t}$ is not concave on a grid, beyond what rounding explains."""
    x = low + (high - low) * np.arange(1, 256) / 256
    f = _evaluated(single, t, x)
    with np.errstate(under="ignore", over="ignore"):
        weight = np.exp(-gamma * (f - f.min()))
        moved = 2 * EPSILON * max(abs(low), abs(high)) / (x[1] - x[0]) * np.abs(np.diff(weight)).max()
        error = weight * np.minimum(8 * EPSILON * gamma * (np.abs(f) + np.abs(f.min())), 1e300) + 4 * EPSILON + moved
    for step in (1, 2, 4, 8, 16, 32, 64, 127):
        left, middle, right = slice(None, -2 * step), slice(step, -step), slice(2 * step, None)
        excess = (weight[left] + weight[right]) / 2 - weight[middle]
        excess -= (error[left] + error[right]) / 2 + error[middle]
        worst = int(np.argmax(excess))
        if excess[worst] > 0:
            where = f"near {float(x[worst + step])!r}"
            raise ValueError(f"losses[{t}] must be exp-concave with gamma={gamma!r}, and is not {where}")


def _density_mean(potential: Callable[[Array], Array], low: float, high: float) -> float:
    r"""The mean of the density $e^{-potential}$ on [low, high], the potential convex."""
    mode, least = _lowest(potential, low, high)
    left, right = (_depth(potential, least, mode, end) for end in (low, high))
    if not right - left > 4 * EPSILON * max(abs(left), abs(right)):
        return mode

    from scipy.integrate import quad  # imported at first use: half a second that no other learner needs

    def moment(x: float, power: int) -> float:
        return (x - mode) ** power * math.exp(min(least - float(potential(np.array([x]))[0]), 0.0))

    mass = shift = doubt = 0.0
    options: dict[str, Any] = {"epsabs": 0, "epsrel": 1e-13, "limit": 200, "full_output": 1}
    for a, b in ((left, mode), (mode, right)):
        if a < b:
            (m, m_error), (s, s_error) = (quad(moment, a, b, args=(power,), **options)[:2] for power in (0, 1))
            mass, shift, doubt = mass + m, shift + s, doubt + s_error + m_error * (right - left)
    if not doubt <= 1e-9 * mass * (high - low):
        raise ArithmeticError(f"quad is not sure of the action: error {doubt / mass!r} near {mode!r}")
    return min(max(mode + shift / mass, low), high)


def _lowest(potential: Callable[[Array], Array], low: float, high: float) -> tuple[float, float]:
    """The minimiser of a convex function and its value, by nested grids of inner points."""
    best, least = low, math.inf
    for _ in range(14):
        x = np.linspace(low, high, 34)
        y = potential(x[1:-1])
        k = int(np.argmin(y))
        if y[k] < least:
            best, least = float(x[k + 1]), float(y[k])
        low, high = float(x[k]), float(x[k + 2])
    return best, least


def _depth(potential: Callable[[Array], Array], least: float, mode: float, end: float) -> float:
    r"""The point between mode and end where the potential is 40 above its least value, or the end."""
    near, deepest = mode, float(end)
    for _ in range(14):
        x = np.linspace(near, deepest, 34)
        deep = potential(x[1:-1]) - least > 40
        if not deep.any():
            break
        k = int(np.argmax(deep))
        near, deepest = float(x[k]), float(x[k + 1])
        if abs(deepest - near) < abs(deepest - mode) / 8:
            break
    return deepest


# arguments -----------------------------------------------------------------------------------------------------
def scalar_game(B: ArrayLike, alpha: ArrayLike, D: float, eps: float) -> tuple[Array, Array, float, float, float]:
    r"""$B_t \in [0, D]$ and $\alpha_t > 0$ (T,), D, $\varepsilon$ and $\sqrt{D^2 + \varepsilon^2}$ in floats; else the
    error that names them."""
    D, eps = real("D", D, least=0), real("eps", eps, above=0)
    sizes = in_floats("B", as_vector("B", B))
    if sizes.min() < 0:
        raise ValueError(f"B must be >= 0, got {sizes.min()} in round {int(np.argmin(sizes)) + 1}")
    if sizes.max() > D:
        raise ValueError(f"B must be at most D={D!r}, got {sizes.max()} in round {int(np.argmax(sizes)) + 1}")
    weights, hi = in_floats("alpha", positive_weights(alpha, sizes.size)), math.hypot(D, eps)
    if D / eps > 1e150 or not hi < math.inf:  # then (eps/hi)^2 underflows
        raise ValueError(f"D / eps must be at most 1e150 and D a moderate float64, got D={D!r}, eps={eps!r}")
    return sizes, weights, D, eps, hi
