r"""Cheap rules for the scalar game of SIM: $\varepsilon$-FTL (prp:ftl), and the rule of the running text (text:v-rule).

The losses are $\ell_t(x) = (B_t^2/x + x)\alpha_t$ with $B_t \in [0, D]$, $\alpha_t > 0$.

* `eps_ftl` plays the leader of $\tilde\ell_t(x) = ((B_t^2 + \varepsilon^2)/x + x)\alpha_t$ over
  $[\varepsilon, \sqrt{D^2 + \varepsilon^2}]$. The past is $a/x + bx$ with $a = \sum_s\alpha_s(B_s^2 + \varepsilon^2)$,
  $b = \sum_s\alpha_s$, so the leader is $\sqrt{a/b}$, which never leaves the interval.
* `v_rule` plays what stands after eq:ewoo,
  $v_{t+1}^2 = \varepsilon^2 t + \sum_{s\le t} B_R(\theta_s\|\phi_t)$. It is not divided by t, and has $\phi_t$ where
  $\phi_s$ would be the loss that SIM met in round s. With both mended,
  $v_{t+1}^2 = \varepsilon^2 + \frac1t\sum_{s\le t} B_R(\theta_s\|\phi_s)$, it is `eps_ftl` with $\alpha_t = 1$,
  $B_s^2 = B_R(\theta_s\|\phi_s)$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, Number
from arubatheory.kernel import kernel, on
from arubatheory.learners.ewoo import scalar_game
from arubatheory.learners.running_means import running_means
from arubatheory.learners.trajectory import Trajectory
from arubatheory.problems.numbers import as_items, as_numbers, as_vector, in_common, real
from arubatheory.problems.scalar import twin


@twin(lambda x, low, high: x)
def within(x: Any, low: Any, high: Any) -> Any:
    """x moved into [low, high] by its last rounding; exact numbers are there already."""
    return min(max(x, low), high)


def leaders(B: Array, alpha: Array, eps: Any, hi: Any, unit: Any, first: Any) -> Array:
    r"""$x_1, \dots, x_{T+1}$: `first`, then $\sqrt{\varepsilon^2 + \sum_{s\le t}\alpha_s B_s^2/\alpha_{1:t}}$.

    Lengths are in units of `unit`, which must be positive: hi keeps floats in their range, a rational keeps exact
    numbers rational up to the root.
    """
    sizes = B / unit
    squares, floor = (sizes * sizes).reshape(-1, 1), (eps / unit) * (eps / unit)
    actions = running_means(squares, alpha, squares[0]).reshape(-1)
    on(_put_within, B)(actions, unit, floor, eps, hi, first)
    return actions


@kernel
def _put_within(actions: Array, unit: Any, floor: Any, eps: Any, hi: Any, first: Any) -> None:
    for t in range(actions.shape[0]):
        actions[t] = within(unit * np.sqrt(actions[t] + floor), eps, hi) if t > 0 else first


def game_values(B: Array, alpha: Array, actions: Array) -> Array:
    r"""$(B_t^2/x_t + x_t)\alpha_t$ (T,), unvalidated, in any arithmetic."""
    values = np.empty_like(B)
    on(_values_into, B)(B, alpha, actions, values)
    return values


@kernel
def _values_into(B: Array, alpha: Array, actions: Array, values: Array) -> None:
    for t in range(B.shape[0]):  # the quotient comes first, so that no square overflows
        values[t] = (B[t] / actions[t] * B[t] + actions[t]) * alpha[t]


def eps_ftl(B: ArrayLike, alpha: ArrayLike, D: float, eps: float, first: float | None = None) -> Trajectory:
    r"""$\varepsilon$-FTL (prp:ftl) on $\ell_t(x) = (B_t^2/x + x)\alpha_t$ with $B_t \in [0, D]$; O(1) a round:
    $$x_t^2 = \varepsilon^2 + \frac{\sum_{s<t}\alpha_s B_s^2}{\alpha_{1:t-1}}.$$

    `B` (T,), `alpha` > 0 (T,) or a number; `first` $= x_1$ is any point of
    $[\varepsilon, \sqrt{D^2 + \varepsilon^2}]$, by default the upper end: there the first loss is at most
    $2\alpha_1\sqrt{D^2 + \varepsilon^2}$ whatever $B_1$, while at $\varepsilon$ it may be
    $\alpha_1(D^2/\varepsilon + \varepsilon)$. Actions (T, 1); values are those of $\ell_t$, without $\varepsilon$,
    since the proposition bounds their regret.

    Raises ValueError for eps <= 0, $B_t$ outside [0, D], $\alpha_t \le 0$, `first` outside the interval, NaN,
    infinities, no rounds, shapes that do not fit, D/eps > 1e150; TypeError for exact numbers and what is no number;
    OverflowError when a loss leaves the range of float64.
    """
    sizes, weights, _, eps, hi = scalar_game(B, alpha, D, eps)
    start = hi if first is None else real("first", first, above=0)
    if not eps <= start <= hi:
        raise ValueError(f"first must lie in [eps, sqrt(D^2 + eps^2)] = [{eps!r}, {hi!r}], got {first!r}")
    with np.errstate(all="ignore"):
        actions = leaders(sizes, weights, eps, hi, hi, start)[:-1]
        values = game_values(sizes, weights, actions)
    if not np.isfinite(values).all():
        raise OverflowError("eps_ftl left the range of float64: a loss is too large")
    return Trajectory(actions[:, None], values, np.zeros(values.size))


@kernel
def printed_rule(divergence: Array, eps: Any, first: Any) -> Array:
    r"""[exact] $v_1, \dots, v_T$ of `v_rule` for divergences (T, T)."""
    actions = np.empty(divergence.shape[0], divergence.dtype)
    actions[0] = first
    for t in range(1, divergence.shape[0]):
        total = eps * eps * t
        for s in range(t):
            total = total + divergence[t - 1, s]
        actions[t] = np.sqrt(total)
    return actions


def v_rule(divergence: ArrayLike, eps: Number, first: Number) -> Array:
    r"""The rule printed after eq:ewoo, $v_{t+1}^2 = \varepsilon^2 t + \sum_{s\le t} B_R(\theta_s^\ast\|\phi_t)$, as it
    stands: $v_1 =$ `first` > 0 and $v_2, \dots, v_T$ (T,). It grows like $\sqrt t$; see `eps_ftl` for the mended one.

    `divergence` (T, T) holds $B_R(\theta_s^\ast\|\phi_t) \ge 0$ in row t and column s; columns s > t are never read.
    O(t) in round t, since every divergence is taken anew. Floats or exact numbers.

    Raises ValueError for eps <= 0, first <= 0, negative divergences, NaN, infinities, no rounds, or another shape.
    """
    table = as_numbers("divergence", divergence)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.size == 0:
        raise ValueError(f"divergence must have shape (T, T), got {table.shape}")
    if not np.all(np.tril(table) >= 0):
        raise ValueError(f"divergence must be >= 0 where s <= t, got {np.tril(table).min()}")
    flat = table.ravel()
    for name, value in (("eps", eps), ("first", first)):
        if as_items(name, value).ndim != 0 or not as_vector(name, value)[0] > 0:
            raise ValueError(f"{name} must be a number > 0, got {value!r}")
        flat = in_common(flat, as_vector(name, value), f"divergence and {name}")[0]
    numbers = [in_common(flat, as_vector("eps", x), "divergence, eps and first")[1][0] for x in (eps, first)]
    return on(printed_rule, flat)(flat.reshape(table.shape), *numbers)
