r"""Regularisers $R$, their Bregman divergences and the online mirror descent step over each domain.

| kind | constructor | $R(x)$ | 1-strongly convex in | divergence $B_R(x\|y)$ |
|---|---|---|---|---|
| `EUCLIDEAN` | `euclidean(d)` | $\|x\|_2^2/2$ | $\|x\|_2$ | $\|x - y\|_2^2/2$ |
| `ENTROPY` | `entropy(d)` | $\sum x_i \log x_i$ | $\|x\|_1/\sqrt S$ | $\sum x_i \log(x_i/y_i) - x_i + y_i$ |
| `MAHALANOBIS` | `mahalanobis(A)` | $x^\top A x/2$ | $\sqrt{x^\top A x}$ | $(x - y)^\top A (x - y)/2$ |

The norms are `norms.norm_of`. With $S = \sup_{x \in \Theta} \|x\|_1$ the entropy's norm is Pinsker's inequality off
the simplex: the Hessian gives
$\sum v_i^2/x_i \ge (\sum |v_i|)^2/\sum x_i \ge \|v\|_1^2/S$ on the segment between two points of $\Theta$.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import borrowing, kernel
from arubatheory.problems.domains import BALL, BOX, NAMES, SIMPLEX, SPACE, Domain, check_dimension, dimension, project
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, form_of_difference, is_definite, quadratic_form, squared_difference, times
from arubatheory.problems.mirror import entropy_step, quadratic_step
from arubatheory.problems.numbers import as_numbers, as_order, shown
from arubatheory.problems.random_domains import random_point
from arubatheory.problems.scalar import infinite, larger, twin
from arubatheory.problems.signatures import typed

EUCLIDEAN, ENTROPY, MAHALANOBIS = range(3)


class Regularizer(NamedTuple):
    r"""A regulariser by its kind; `matrix` (d, d) is the A of `MAHALANOBIS` and zeros for the others."""

    kind: int
    matrix: Array  # (d, d)


def euclidean(d: int) -> Regularizer:
    r"""$R(x) = \|x\|_2^2/2$ on $\mathbb R^d$. Raises ValueError unless $d \ge 1$."""
    return Regularizer(EUCLIDEAN, np.zeros((as_order(d), d)))


def entropy(d: int) -> Regularizer:
    r"""$R(x) = \sum_i x_i \log x_i$ on the nonnegative orthant of $\mathbb R^d$. Raises ValueError unless $d \ge 1$."""
    return Regularizer(ENTROPY, np.zeros((as_order(d), d)))


def mahalanobis(matrix: Any) -> Regularizer:
    r"""$R(x) = x^\top A x/2$ for a symmetric positive definite A (d, d).

    Raises ValueError when A is not square, not symmetric to the last bit, not finite, or has a pivot that is not
    positive (in doubt, the pivots of a float matrix are computed in rationals).
    """
    a = as_numbers("matrix", matrix)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or a.size == 0:
        raise ValueError(f"matrix must be square, got shape {a.shape}")
    if not np.all(a == a.T):
        raise ValueError(f"matrix must be symmetric, got {shown(matrix)}")
    if not is_definite(a):
        raise ValueError(f"matrix must be positive definite, got {shown(matrix)}")
    return Regularizer(MAHALANOBIS, a)


# kernels -------------------------------------------------------------------------------------------------------
@kernel
def mirror_step(R: Regularizer, domain: Domain, phi: Array, g: Array) -> Array:
    r"""[exact] $\arg\min_{\theta \in \Theta} B_R(\theta \| \phi) + \langle g, \theta\rangle$, all of them (d,).

    Euclidean: $\mathrm{Proj}_\Theta(\phi - g)$. Entropy: $\phi \in \Theta$, boundary included ($\phi_i = 0$ stays 0);
    see `check_pair` for the domains. Exact quadratic programs are rational; roots and exponentials are balls.
    """
    if R.kind == EUCLIDEAN:
        return project(domain, phi - g)
    if R.kind == ENTROPY:
        return entropy_step(domain, phi, g)
    return quadratic_step(R.matrix, domain, phi, g)


@borrowing
def value(R: Regularizer, x: Array) -> Any:
    r"""[exact] $R(x)$ for x (d,). Entropy: $0 \log 0 = 0$, and $+\infty$ (`Undefined` exactly) where some $x_i < 0$."""
    if R.kind == EUCLIDEAN:
        return dot(x, x) / 2
    if R.kind == MAHALANOBIS:
        return quadratic_form(R.matrix, x) / 2
    total = x[0] * 0
    for i in range(x.size):
        if x[i] > 0:
            total += x[i] * np.log(x[i])
        elif x[i] < 0:
            total += infinite(x[i])
    return total


@kernel
def gradient(R: Regularizer, x: Array) -> Array:
    r"""[exact] $\nabla R(x)$ (d,). Entropy: $1 + \log x_i$, $-\infty$ (`Undefined` exactly) where $x_i \le 0$."""
    if R.kind == EUCLIDEAN:
        return x.copy()
    if R.kind == MAHALANOBIS:
        return times(R.matrix, x)
    y = x.copy()
    for i in range(x.size):
        y[i] = 1 + np.log(x[i]) if x[i] > 0 else -infinite(x[i])
    return y


@twin(lambda x, y: larger(x * np.log(x / y) - x + y, x * 0))
def _kullback(x: Any, y: Any) -> Any:
    r"""$x \log(x/y) - x + y \ge 0$ for x, y > 0.

    Near x = y the terms cancel. There, with $t = (x - y)/(x + y)$ and $\log(x/y) = 2 \operatorname{artanh} t$, this is
    $(x - y) t + 2 x t^3 (1/3 + t^2/5 + \dots)$; for $|t| < 1/16$ seven terms leave less than $2^{-56}$ of the sum.
    """
    t = (x - y) / (x + y)
    if abs(t) >= 1 / 16:
        return max(x * np.log(x / y) - x + y, 0.0)
    s = t * t
    series = 1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s * (1 / 13 + s / 15)))))
    return (x - y) * t + 2 * x * t * s * series


@borrowing
def bregman(R: Regularizer, x: Array, y: Array) -> Any:
    r"""[exact] $B_R(x \| y) = R(x) - R(y) - \langle\nabla R(y), x - y\rangle \ge 0$ for x, y (d,).

    Entropy: where $y_i = 0 < x_i$, or a coordinate is negative, $+\infty$ in floats and `Undefined` exactly.
    """
    if R.kind == EUCLIDEAN:
        return squared_difference(x, y) / 2
    if R.kind == MAHALANOBIS:
        return form_of_difference(R.matrix, x, y) / 2
    total = x[0] * 0
    for i in range(x.size):
        if x[i] > 0 and y[i] > 0:
            total += _kullback(x[i], y[i])
        elif x[i] == 0 and y[i] >= 0:
            total += y[i]
        else:
            total += infinite(x[i])
    return total


@borrowing
def mass_bound(domain: Domain) -> Any:
    r"""[exact] $S = \sup_{x \in \Theta} \|x\|_1$ for a bounded domain of the nonnegative orthant (1 for a simplex)."""
    if domain.kind == SIMPLEX:
        return domain.low[0] * 0 + 1
    if domain.kind == SPACE:
        raise ValueError("the entropy is not defined on the whole space")
    if domain.kind == BALL:
        return domain.radius[0] * np.sqrt(domain.radius[0] * 0 + domain.center.size) + domain.center.sum()
    return domain.high.sum()


# pairs ---------------------------------------------------------------------------------------------------------
@typed
def check_pair(R: Regularizer, domain: Domain) -> None:
    r"""Raises ValueError unless R is defined on the domain and differentiable somewhere in it.

    The dimensions must agree. The entropy needs a bounded domain of the nonnegative orthant that holds a point with
    every coordinate positive. TypeError for an R that is no `Regularizer`.
    """
    if not isinstance(R, Regularizer):
        raise TypeError(f"R must be a Regularizer, got {R!r}")
    d = dimension(domain)
    if R.matrix.shape != (d, d):
        raise ValueError(f"R and domain must agree in dimension, got {R.matrix.shape[0]} and {d}")
    if R.kind == ENTROPY and not _entropy_defined(domain):
        needed = "a bounded domain in the nonnegative orthant with a positive point"
        detail = f"low={domain.low}, high={domain.high}, center={domain.center}, radius={domain.radius}"
        raise ValueError(f"R: entropy needs {needed}, got {NAMES[domain.kind]} {detail}")


def _entropy_defined(domain: Domain) -> bool:
    # Python's min and sum: on a few numbers they take a tenth of the time of numpy's.
    if domain.kind == BOX:
        return bool(min(domain.low.tolist()) >= 0 and min(domain.high.tolist()) > 0)
    if domain.kind == BALL:
        least = min(domain.center.tolist())
        return bool(least >= domain.radius[0] and least > 0)
    if domain.kind == SIMPLEX:
        return bool(min(domain.low.tolist()) > 0 or sum(domain.low.tolist()) < 1)
    return False


@typed
def random_regularizer(draw: Draw, d: int, domain: Domain) -> Regularizer:
    """One that is defined on the domain: Euclidean, Mahalanobis with a spectrum in [2^-4, 2^4], or the entropy."""
    check_dimension(d, domain)
    kind = draw.choice((EUCLIDEAN, MAHALANOBIS, ENTROPY) if _entropy_defined(domain) else (EUCLIDEAN, MAHALANOBIS))
    return Regularizer(kind, draw.spd(d) if kind == MAHALANOBIS else draw.zeros((d, d)))


@typed
def random_start(R: Regularizer, domain: Domain, draw: Draw) -> Array:
    r"""A point of the domain at which $\nabla R$ exists: for the entropy every coordinate is positive.

    A drawn point with a coordinate 0 moves a quarter of the way to a point of the domain where none is.
    """
    phi = random_point(domain, draw)
    if R.kind != ENTROPY or min(phi.tolist()) > 0:
        return phi
    if domain.kind == BALL:
        positive = domain.center
    elif domain.kind == BOX:
        positive = domain.high
    else:
        positive = domain.low + (1 - domain.low.sum()) / dimension(domain)
    return phi + (positive - phi) / 4
