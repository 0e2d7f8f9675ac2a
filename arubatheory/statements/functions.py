r"""Drawn convex functions and norms for the facts of convex analysis that the paper starts from.

A function is either a sum of `Losses` (convex links plus ridges) or a regulariser; `Shape` holds both and says which is
meant, so that one instance type serves all. Its strong convexity and smoothness constants hold over a domain, in a
norm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, Exact, Undecided, ball, enclosure, is_exact
from arubatheory.kernel import on, pure
from arubatheory.problems import norms, regularizers
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, Domain, inside, linear_minimizer
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import Losses, random_losses, subgradient, total
from arubatheory.problems.regularizers import Regularizer
from arubatheory.problems.scalar import EPSILON, larger, smaller
from arubatheory.statements.core import Assumption


def squared_norm_of(R: Regularizer, domain: Domain, x: Array) -> Any:
    r"""$\|x\|^2$ in the norm in which R is 1-strongly convex over the domain (rational for a rational x)."""
    return on(norms.norm_square, x)(on(norms.norm_of, x)(R, domain), x)


class Shape(NamedTuple):
    """A convex function: the sum of `losses`, or the regulariser R where `is_regularizer`."""

    is_regularizer: bool
    losses: Losses
    R: Regularizer


def convex_sum(draw: Draw, d: int, domain: Domain, most: int = 3, ridge: bool | None = None) -> Losses:
    """A sum of one to `most` losses of any link."""
    return random_losses(draw, draw.size("n", most), d, domain, ridge=ridge)


def strictly_convex(draw: Draw, d: int, domain: Domain) -> Shape:
    r"""A regulariser, or a sum of losses plus a quadratic with a positive coefficient: all strictly convex."""
    R, losses = regularizers.random_regularizer(draw, d, domain), convex_sum(draw, d, domain, ridge=True)
    losses.ridge[0] = draw.positive(-8, 8)
    return Shape(draw.boolean(), losses, R)


def at(f: Shape, x: Array) -> Any:
    r"""$f(x)$."""
    return on(regularizers.value, x)(f.R, x) if f.is_regularizer else total_of(f.losses, x)


def slope(f: Shape, x: Array) -> Array:
    r"""The subgradient of f at x (at a kink the one its losses hold)."""
    return on(regularizers.gradient, x)(f.R, x) if f.is_regularizer else slope_of(f.losses, x)


def bregman_of(f: Shape, x: Array, y: Array) -> Any:
    r"""$B_f(x\|y) = f(x) - f(y) - \langle\nabla f(y), x - y\rangle$, as printed."""
    return at(f, x) - at(f, y) - sum(slope(f, y) * (x - y))


def total_of(losses: Losses, x: Array) -> Any:
    r"""$\sum_i f_i(x)$."""
    return on(total, x)(losses, len(losses.b), x)


def slope_of(losses: Losses, x: Array) -> Array:
    r"""$\sum_i \nabla f_i(x)$."""
    return sum(on(subgradient, x)(losses, i, x) for i in range(len(losses.b)))  # type: ignore[return-value]


def normal(domain: Domain, x: Array, sizes: Array) -> Array:
    r"""A vector n of the normal cone of the domain at x, $\langle n, y - x\rangle \le 0$ on it, of given sizes >= 0.

    Boxes: outward at active bounds. Simplices: a multiple of the all-ones vector (it is orthogonal to the simplex)
    minus `sizes` where a coordinate is at its floor. Balls: a multiple of $x - c$ on the sphere. On $\mathbb R^d$ and
    inside, 0. Floats take the sphere to be as thick as the rounding of $\|x - c\|^2$.
    """
    zero = sizes[0] - sizes[0]
    out = [zero for _ in x]
    if domain.kind == BALL:
        shift, square = x - domain.center, domain.radius[0] * domain.radius[0]
        inward = square - shift @ shift
        thickness = zero if is_exact(x) else 16 * len(x) * EPSILON * (square + sum(abs(x)) ** 2)
        return shift * sizes[0] if abs(inward) <= thickness else shift * zero
    for j in range(len(x)):
        if domain.kind == BOX:
            out[j] = (sizes[j] if x[j] == domain.high[j] else zero) - (sizes[j] if x[j] == domain.low[j] else zero)
        elif domain.kind == SIMPLEX:
            out[j] = sizes[0] - (sizes[j] if x[j] == domain.low[j] and j > 0 else zero)
    return np.array(out, dtype=x.dtype)


def normality(domain: Domain, x: Array, n: Array) -> Any:
    r"""$\langle n, x\rangle - \max_{y\in\Theta}\langle n, y\rangle \le 0$: the margin of $n \in N_\Theta(x)$."""
    if domain.kind == SPACE:
        return -sum(abs(n))
    if domain.kind == SIMPLEX:
        n = n - n[0]  # multiples of the all-ones vector are orthogonal to the simplex
    return n @ (x - on(linear_minimizer, x)(domain, -n))


def least(values: Iterable[Any]) -> Any:
    """The least of several numbers; of balls that overlap an enclosure of it."""
    return _chosen(smaller, min, values)


def largest(values: Iterable[Any]) -> Any:
    """The largest of several numbers; of balls that overlap an enclosure of it."""
    return _chosen(larger, max, values)


def _chosen(of_two: Callable[..., Any], of_floats: Callable[..., Any], values: Iterable[Any]) -> Any:
    numbers = list(values)
    return reduce(pure(of_two), numbers) if any(map(is_exact, numbers)) else of_floats(numbers)


def depth(domain: Domain, *points: Array) -> Any:
    r"""The least margin with which points (d,), and those of arrays (n, d), lie in the domain."""
    return least(on(inside, p)(domain, p) for some in points for p in np.atleast_2d(some))


def within(latex: str, *names: str) -> Assumption:
    r"""That the points of an instance with these names (arrays (d,) or (n, d)) lie in its domain."""
    return Assumption(latex, lambda x: depth(x.domain, *(getattr(x, name) for name in names)))


def root(square: Any) -> Any:
    """The square root in either arithmetic; Undecided for a ball that reaches below 0."""
    return square.sqrt() if isinstance(square, Exact) else np.sqrt(square)


def enclosed_root(square: Any) -> Any:
    r"""The square root of what is not negative, though its ball may reach below 0: then from 0 to the upper end's."""
    try:
        return root(square)
    except Undecided:
        half = Exact(enclosure(square).abs_upper()).sqrt() / 2
        return ball(half, half)
