r"""Appendix D: sums of powers (clm:powersum), fourth powers (clm:fourthpower), weighted norms (text:weighted-norm).

The antiderivatives of the proof stand for its integrals. With $q = 1 - p$ the differences of powers are written with
$e^x - 1$: near $q = 0$ floats would cancel all digits of $\underline c_p = (1 - (2/3)^q)/q$.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import twin
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import root
from arubatheory.statements.games import MOST_D, MOST_T

LONGEST = 10  # sums have 2**3 to 2**LONGEST terms, one after the other, or few


# sums of powers
@twin(lambda x: np.exp(x) - 1)
def expm1(x: Any) -> Any:
    r"""$e^x - 1$, in floats without cancellation."""
    return np.expm1(x)


def power(s: Any, p: Any) -> Any:
    r"""$s^p$ for s > 0, a number or an array of integers, in the arithmetic of p."""
    return np.exp(p * np.log(s + 0 * p))


def power_sum(first: int, last: int, p: Any) -> Any:
    r"""$\sum_{s=first}^{last} s^{-p}$."""
    return power(np.arange(first, last + 1), -p).sum()


def integral(first: int, last: int, p: Any) -> Any:
    r"""$\int_{first}^{last} s^{-p}\,ds = (last^q - first^q)/q$, $q = 1 - p > 0$."""
    q = 1 - p
    return power(first, q) * on(expm1, p)(q * (np.log(last + 0 * p) - np.log(first + 0 * p))) / q


def lower_constant(p: Any) -> Any:
    r"""$\underline c_p = (1 - (2/3)^{1-p})/(1 - p)$."""
    q = 1 - p
    return -on(expm1, p)(q * (np.log(2 + 0 * p) - np.log(3 + 0 * p))) / q


def sum_game(draw: Draw) -> Instance:
    r"""p in (0, 1), close to either end or not, and t."""
    p = draw.positive(-24, -1) if draw.boolean() else draw.real(1, 63) / 64
    t = 1 << draw.integer(3, LONGEST) if draw.boolean() else draw.size("T", 6, MOST_T)
    return Instance(p=1 - p if draw.boolean() else p, t=t)


RANGE = (Assumption(r"p\in(0,1)", lambda x: min(x.p, 1 - x.p)), Assumption(r"t\ge1", lambda x: x.t - 1))
SUMS = {"game": sum_game, "given": RANGE}
CONSTANT = r"\underline c_p=\frac{1-\left(\frac23\right)^{1-p}}{1-p}"
FROM_ZERO = r"\sum_{s=0}^{t-1}\frac1{(s+1)^p}"
FROM_ONE = r"\sum_{s=1}^t\frac1{(s+1)^p}"


def lower_bound(x: Instance, t: int) -> Any:
    r"""$\underline c_pt^{1-p}$."""
    return lower_constant(x.p) * power(t, 1 - x.p)


@claim("clm:powersum/lower-0", FROM_ZERO + r"\ge\underline c_pt^{1-p}\quad\text{for}\quad" + CONSTANT, **SUMS)
def lower_from_zero(x: Instance) -> Sides:
    r"""The sum of powers from s = 0, from below.

    The ratio of the sides is largest at t = 1, where it tends to $\log\frac32$ for $p\to1$.
    """
    return Sides(lower_bound(x, x.t), power_sum(1, x.t, x.p))


@claim("clm:powersum/lower-1", FROM_ONE + r"\ge\underline c_pt^{1-p}\quad\text{for}\quad" + CONSTANT, **SUMS)
def lower_from_one(x: Instance) -> Sides:
    r"""The sum of powers from s = 1, from below.

    The ratio of the sides is largest at t = 1, where it tends to $2\log\frac32$ for $p\to1$.
    """
    return Sides(lower_bound(x, x.t), power_sum(2, x.t + 1, x.p))


@claim(
    "clm:powersum/upper",
    r"\sum_{s=1}^t\frac1{s^p}\le\overline c_pt^{1-p}\quad\text{for}\quad\overline c_p=\frac1{1-p}",
    **SUMS,
)
def upper(x: Instance) -> Sides:
    """The sum of powers from above.

    For every p the ratio of the sides tends to 1 as t grows.
    """
    return Sides(power_sum(1, x.t, x.p), power(x.t, 1 - x.p) / (1 - x.p))


@claim(
    "clm:powersum/proof-1",
    FROM_ZERO + r"\ge" + FROM_ONE + r"\ge\int_1^{t+1}\frac{ds}{(s+1)^p}"
    r"=\frac{(t+2)^{1-p}-2^{1-p}}{1-p}\ge\underline c_p(t+2)^{1-p}\ge\underline c_pt^{1-p}",
    **SUMS,
)
def lower_chain(x: Instance) -> tuple[Sides, ...]:
    """The display for the lower bounds."""
    sums = power_sum(1, x.t, x.p), power_sum(2, x.t + 1, x.p)
    lines = (*sums, integral(2, x.t + 2, x.p), lower_bound(x, x.t + 2), lower_bound(x, x.t))
    return tuple(Sides(*pair) for pair in zip(lines[1:], lines[:-1], strict=True))


@claim(
    "clm:powersum/proof-2",
    r"\sum_{s=1}^t\frac1{s^p}\le1+\int_1^t\frac{ds}{s^p}=1+\frac{t^{1-p}-1}{1-p}\le\overline c_pt^{1-p}",
    **SUMS,
)
def upper_chain(x: Instance) -> tuple[Sides, ...]:
    """The display for the upper bound."""
    area = 1 + integral(1, x.t, x.p)
    return Sides(power_sum(1, x.t, x.p), area), Sides(area, power(x.t, 1 - x.p) / (1 - x.p))


# vectors
def _vector(draw: Draw, d: int) -> Array:
    """A direction times a scale or times d of them, or entries 1, 0, -1 of one scale, all of them zero or not."""
    kind = draw.integer(0, 2)
    if kind < 2:
        return draw.sphere(d) * (draw.positive(shape=d) if kind else draw.positive())
    return draw.array((1 - draw.integers(0, 2, d)).tolist()) * draw.positive()


def any_vector(draw: Draw) -> Instance:
    """A vector."""
    return Instance(x=_vector(draw, draw.size("d", 6, MOST_T)))


@claim("clm:fourthpower", r"\|\mathbf x^2\|_2^2\le\|\mathbf x\|_2^4", any_vector)
def fourth_power(x: Instance) -> Sides:
    """The norm of the squares.

    An equality where at most one coordinate is not 0.
    """
    square = x.x * x.x
    return Sides(square @ square, square.sum() ** 2)


@claim(
    "clm:fourthpower/proof-1",
    r"\|\mathbf x^2\|_2^2=\sum_{j=1}^dx_j^4\le\left(\sum_{j=1}^dx_j^2\right)^2=\|\mathbf x\|_2^4",
    any_vector,
)
def fourth_power_chain(x: Instance) -> tuple[Sides, ...]:
    """The display of the proof."""
    square = x.x * x.x
    left, fourth, squared, right = root(square @ square) ** 2, square @ square, square.sum() ** 2, root(x.x @ x.x) ** 4
    return *equality(left, fourth), Sides(fourth, squared), *equality(squared, right)


# weighted norms
def weighted_game(draw: Draw) -> Instance:
    r"""Positive weights a, two vectors, a factor of either sign and a coordinate."""
    d = draw.size("d", 4, MOST_D)
    a = draw.positive(shape=d) if draw.boolean() else draw.array([draw.positive()] * d)
    x, y = _vector(draw, d), _vector(draw, d)
    factor = draw.choice((1, -1, 0, 3, -3)) * draw.positive()
    return Instance(a=a, x=x, y=y, factor=factor, coordinate=draw.integer(0, d - 1))


def weighted_norm(a: Array, x: Array) -> Any:
    r"""$\|\sqrt a\odot x\|_2 = \sqrt{\langle a, x^2\rangle}$ for $a \ge 0$ and x, both (d,)."""
    return root(a @ (x * x))


def functional(a: Array, x: Array) -> Any:
    r"""$\langle\sqrt a, x\rangle$."""
    return np.sqrt(a) @ x


Norm = Callable[[Array, Array], Any]
POSITIVE = Assumption(r"\mathbf a>\mathbf0", lambda x: min(x.a.tolist()))
NORMS = {"game": weighted_game, "given": (POSITIVE,)}
NORM, INNER = r"\|\mathbf x\|_{\mathbf a}", r"\langle\mathbf x,\mathbf y\rangle"
EUCLIDEAN = NORM + r"=\|\sqrt{\mathbf a}\odot\mathbf x\|_2\implies"
HOMOGENEOUS = r"\|c\mathbf x\|_{\mathbf a}=|c|\|\mathbf x\|_{\mathbf a},\quad "
TRIANGLE = r"\|\mathbf x+\mathbf y\|_{\mathbf a}\le\|\mathbf x\|_{\mathbf a}+\|\mathbf y\|_{\mathbf a},\quad "


def homogeneous(x: Instance, norm: Norm) -> tuple[Sides, Sides]:
    r"""$\|cx\| = |c|\|x\|$."""
    return equality(norm(x.a, x.factor * x.x), abs(x.factor) * norm(x.a, x.x))


def triangle(x: Instance, norm: Norm) -> Sides:
    r"""$\|x + y\| \le \|x\| + \|y\|$."""
    return Sides(norm(x.a, x.x + x.y), norm(x.a, x.x) + norm(x.a, x.y))


@claim(
    "text:weighted-norm/literal",
    NORM + r"=\langle\sqrt{\mathbf a},\mathbf x\rangle\implies" + HOMOGENEOUS + TRIANGLE + NORM + r"\ge0",
    **NORMS,
)
def literal_axioms(x: Instance) -> tuple[Sides, ...]:
    r"""The printed functional is a norm.

    A linear functional has $\|-\mathbf x\|_{\mathbf a}=-\|\mathbf x\|_{\mathbf a}$.
    """
    value = functional(x.a, x.x)
    return *homogeneous(x, functional), triangle(x, functional), Sides(0 * value, value)


@claim(
    "text:weighted-norm/literal/dual",
    INNER + r"\le\langle\sqrt{\mathbf a},\mathbf x\rangle\langle1/\sqrt{\mathbf a},\mathbf y\rangle",
    **NORMS,
)
def literal_dual(x: Instance) -> Sides:
    r"""The printed functionals are dual to each other.

    A norm and its dual satisfy $\langle\mathbf x,\mathbf y\rangle\le\|\mathbf x\|\|\mathbf y\|_\ast$.
    """
    return Sides(x.x @ x.y, functional(x.a, x.x) * functional(1 / x.a, x.y))


@claim(
    "text:weighted-norm/literal/absolute",
    r"\|\mathbf x\|_{\mathbf a}=\langle\sqrt{\mathbf a},|\mathbf x|\rangle\implies\|\mathbf y\|_{\mathbf "
    r"a^{-1}}=\sum_{j=1}^d\frac{|y_j|}{\sqrt{a_j}}\le\max_j\frac{|y_j|}{\sqrt{a_j}}=\max_{\|\mathbf x\|_{\mathbf "
    r"a}\le1}\langle\mathbf x,\mathbf y\rangle",
    **NORMS,
)
def absolute_dual(x: Instance) -> Sides:
    r"""The same with absolute values, a weighted l1 norm, and its dual.

    That is a norm; but its dual is a weighted maximum, and $\|\cdot\|_{\mathbf a^{-1}}$ is up to d times as
    large.
    """
    each = abs(x.y) / np.sqrt(x.a)
    return Sides(each.sum(), max(each.tolist()))


@claim(
    "text:weighted-norm",
    EUCLIDEAN + TRIANGLE + NORM + r"\ge\sqrt{a_j}|x_j|",
    **NORMS,
    corrects=("text:weighted-norm/literal",),
)
def weighted_axioms(x: Instance) -> tuple[Sides, ...]:
    r"""The weighted Euclidean norm is a norm.

    The reading that the text's use of $\|\cdot\|_{\mathbf H}$ asks for: an element-wise product, and the l2 norm of
    it, where $\langle\sqrt{\mathbf a},\cdot\rangle$ is printed.
    """
    norm, j = weighted_norm(x.a, x.x), x.coordinate
    return triangle(x, weighted_norm), Sides(root(x.a[j]) * abs(x.x[j]), norm)


@claim(
    "text:weighted-norm/homogeneous",
    EUCLIDEAN + HOMOGENEOUS + r"c\in\mathbb R",
    **NORMS,
    corrects=("text:weighted-norm/literal",),
)
def weighted_homogeneous(x: Instance) -> tuple[Sides, ...]:
    """The weighted Euclidean norm is absolutely homogeneous."""
    return homogeneous(x, weighted_norm)


DUAL = NORMS | {"corrects": ("text:weighted-norm/literal/dual", "text:weighted-norm/literal/absolute")}
PRODUCT = r"\|\mathbf x\|_{\mathbf a}\|\mathbf y\|_{\mathbf a^{-1}}"


@claim("text:weighted-norm/dual", EUCLIDEAN + INNER + r"\le" + PRODUCT, **DUAL)
def weighted_dual(x: Instance) -> Sides:
    """Weighted Euclidean norms with reciprocal weights: Hölder's inequality."""
    return Sides(x.x @ x.y, weighted_norm(x.a, x.x) * weighted_norm(1 / x.a, x.y))


@claim(
    "text:weighted-norm/dual/attained",
    EUCLIDEAN + INNER + "=" + PRODUCT + r"\quad\text{at}\quad\mathbf x=\frac{\mathbf y}{\mathbf a}",
    **DUAL,
)
def weighted_attained(x: Instance) -> tuple[Sides, Sides]:
    """Weighted Euclidean norms with reciprocal weights: where equality holds."""
    best = x.y / x.a
    return equality(best @ x.y, weighted_norm(x.a, best) * weighted_norm(1 / x.a, x.y))
