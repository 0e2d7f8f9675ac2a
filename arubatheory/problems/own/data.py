r"""The losses of rows of data (X, y), as scikit-learn names them: $\ell_t(\theta)$ of input $x_t$ and target $y_t$.

| function | loss, with $z = \langle x_t, \theta\rangle$ | kind |
|---|---|---|
| `squared` | $\frac12(z - y_t)^2$ | `Losses` |
| `huber` | $\delta^2\,h((z - y_t)/\delta)$, $h(u) = u^2/2$ for $|u| \le 1$, else $|u| - \frac12$ | `Losses` |
| `logistic` | $\log(1 + e^{-sz})$, $s = \pm1$ for the second and the first class | `Losses` |
| `hinge` | $\max(0, 1 - sz)$ | `Losses` |
| `quantile` | $\max(q(y_t - z), (q - 1)(y_t - z))$ | `Rounds` |
| `poisson` | $e^z - y_tz$ | `Rounds` |
| `multinomial` | $\log\sum_k e^{z_k} - z_{y_t}$, $z = \theta x_t$ for $\theta$ (classes, d), flat | `Rounds` |

X is (m, d), y (m,). Where the loss is `Losses`, all else in the package takes it, compiled, and exactly too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.problems.losses import Losses, losses
from arubatheory.problems.numbers import as_floats, as_items, as_vector, in_floats, real
from arubatheory.problems.own.rounds import Rounds


def squared(X: Any, y: Any) -> Losses:
    r"""$\frac12(\langle x_t, \theta\rangle - y_t)^2$. ValueError or TypeError naming X or y, here as below."""
    return losses("square", *_numbers(X, y))


def huber(X: Any, y: Any, delta: float = 1.0) -> Losses:
    r"""$\frac12u^2$ for $|u| \le \delta$, else $\delta|u| - \frac12\delta^2$, of $u = \langle x_t, \theta\rangle - y_t$
    and $\delta > 0$."""
    size, (rows, targets) = real("delta", delta, above=0), _numbers(X, y)
    with np.errstate(over="ignore"):
        scaled, shifts = rows / size, targets / size
    if not (np.isfinite(scaled).all() and np.isfinite(shifts).all() and np.isfinite(size * size)):
        raise ValueError(f"delta must leave X/delta, y/delta and delta^2 in the range of float64, got {delta!r}")
    return losses("huber", scaled, shifts, weight=size * size)


def logistic(X: Any, y: Any) -> Losses:
    r"""$\log(1 + e^{-s_t\langle x_t, \theta\rangle})$; y holds two classes, the larger of which has $s_t = 1$."""
    return losses("logistic", _signed(X, y))


def hinge(X: Any, y: Any) -> Losses:
    r"""$\max(0, 1 - s_t\langle x_t, \theta\rangle)$; y as in `logistic`."""
    return losses("hinge", _signed(X, y))


def quantile(X: Any, y: Any, q: float = 0.5) -> Rounds:
    r"""The pinball loss $\max(qu, (q - 1)u)$ of $u = y_t - \langle x_t, \theta\rangle$, for $q \in (0, 1)$."""
    rows, targets = _numbers(X, y)
    share = real("q", q, above=0, most=1)
    steepest = max(share, 1 - share) * _lengths(rows, X)
    return Rounds(
        _pinball, _pinball_slope, rows, targets, np.full(len(rows), share), lipschitz=steepest, dimension=rows.shape[1]
    )


def poisson(X: Any, y: Any) -> Rounds:
    r"""$e^z - y_tz$ of $z = \langle x_t, \theta\rangle$, the negative log-likelihood of counts $y_t \ge 0$."""
    rows, targets = _numbers(X, y)
    if not (targets >= 0).all():
        raise ValueError(f"y must be >= 0, got {y!r}")
    return Rounds(_counted, _counted_slope, rows, targets, dimension=rows.shape[1])


def multinomial(X: Any, y: Any) -> Rounds:
    r"""$\log\sum_k e^{z_k} - z_{y_t}$; $\theta$ is (classes, d) read row by row, the classes sorted."""
    rows = _rows(X)
    classes, place = _classes(rows, y)
    size = np.full(len(rows), len(classes))
    steepest = np.sqrt(2) * _lengths(rows, X)
    named = {"lipschitz": steepest, "dimension": len(classes) * rows.shape[1]}
    return Rounds(_cross_entropy, _cross_entropy_slope, rows, place, size, **named)


# kernels -------------------------------------------------------------------------------------------------------------
@kernel
def _margin(theta: Array, x: Array) -> Any:
    z = 0.0
    for j in range(x.size):
        z += x[j] * theta[j]
    return z


@kernel
def _pinball(theta: Array, x: Array, y: Any, q: Any) -> Any:
    u = y - _margin(theta, x)
    return q * u if u >= 0 else (q - 1) * u


@kernel
def _pinball_slope(theta: Array, x: Array, y: Any, q: Any) -> Array:
    u = y - _margin(theta, x)
    return x * ((0.0 if u >= 0 else 1.0) - q)


@kernel
def _counted(theta: Array, x: Array, y: Any) -> Any:
    z = _margin(theta, x)
    return np.exp(z) - y * z


@kernel
def _counted_slope(theta: Array, x: Array, y: Any) -> Array:
    return x * (np.exp(_margin(theta, x)) - y)


@kernel
def _shares(theta: Array, x: Array, classes: int) -> Any:
    """The probabilities of the classes, and the logarithm of what they were divided by, with the largest score."""
    z = np.empty(classes)
    for k in range(classes):
        z[k] = _margin(theta[k * x.size : (k + 1) * x.size], x)
    top = z.max()
    p = np.exp(z - top)
    total = p.sum()
    return z, p / total, top + np.log(total)


@kernel
def _cross_entropy(theta: Array, x: Array, y: int, classes: int) -> Any:
    z, _p, level = _shares(theta, x, classes)
    return level - z[y]


@kernel
def _cross_entropy_slope(theta: Array, x: Array, y: int, classes: int) -> Array:
    _z, p, _level = _shares(theta, x, classes)
    g = np.empty(theta.size)
    for k in range(classes):
        weight = p[k] - (1.0 if k == y else 0.0)
        for j in range(x.size):
            g[k * x.size + j] = weight * x[j]
    return g


# arguments -----------------------------------------------------------------------------------------------------------
def _rows(X: Any) -> Array:
    rows = as_floats("X", X)
    if rows.ndim != 2 or rows.size == 0:
        raise ValueError(f"X must have shape (m, d), got {rows.shape}")
    return rows


def _lengths(rows: Array, X: Any) -> Array:
    lengths = np.linalg.norm(rows, axis=1)
    if not np.isfinite(2 * lengths).all():
        raise ValueError(f"X must have rows whose norms are in the range of float64, got {X!r}")
    return lengths


def _numbers(X: Any, y: Any) -> tuple[Array, Array]:
    rows, targets = _rows(X), in_floats("y", as_vector("y", y))
    _check_length(rows, targets, y)
    return rows, targets


def _signed(X: Any, y: Any) -> Array:
    rows = _rows(X)
    classes, place = _classes(rows, y)
    if len(classes) > 2:
        raise ValueError(f"y must hold at most two classes, got {classes.tolist()!r}")
    return np.where(place == len(classes) - 1, 1.0, -1.0)[:, None] * rows


def _classes(rows: Array, y: Any) -> tuple[Array, Array]:
    """The classes, sorted, and the place of each target among them."""
    try:
        classes, place = np.unique(as_items("y", y), return_inverse=True)
    except TypeError as error:
        raise TypeError(f"y must hold classes that can be sorted, got {y!r}") from error
    _check_length(rows, place, y)
    return classes, place.reshape(-1)


def _check_length(rows: Array, targets: Array, y: Any) -> None:
    if targets.shape != rows.shape[:1]:
        raise ValueError(f"y must have shape {rows.shape[:1]}, one for each row of X, got {targets.shape}: {y!r}")
