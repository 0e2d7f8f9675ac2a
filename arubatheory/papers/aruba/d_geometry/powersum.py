r"""Appendix D: sums of powers (clm:powersum), fourth powers (clm:fourthpower), weighted norms (text:weighted-norm).

The antiderivatives of the proof stand for its integrals. With $q = 1 - p$ the differences of powers are written with
$e^x - 1$: near $q = 0$ floats would cancel all digits of $\underline c_p = (1 - (2/3)^q)/q$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import twin
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import root

LONGEST = 10  # sums have 1 to 6 terms, or 2**3 to 2**LONGEST


# sums of powers ----------------------------------------------------------------------------------------------------
@twin(lambda x: np.exp(x) - 1)
def expm1(x: Any) -> Any:
    r"""$e^x - 1$, in floats without cancellation."""
    return np.expm1(x)


@kernel
def power(s: Any, p: Any) -> Any:
    r"""[exact] $s^p$ for an integer $s \ge 1$."""
    return np.exp(p * np.log(s + 0 * p))


@kernel
def power_sum(first: Any, last: Any, p: Any) -> Any:
    r"""[exact] $\sum_{s=first}^{last} s^{-p}$."""
    total = power(first, -p)
    for s in range(first + 1, last + 1):
        total = total + power(s, -p)
    return total


@kernel
def integral(first: Any, last: Any, p: Any) -> Any:
    r"""[exact] $\int_{first}^{last} s^{-p}\,ds = (last^q - first^q)/q$, $q = 1 - p > 0$, for integers."""
    q = 1 - p
    return power(first, q) * expm1(q * (np.log(last + 0 * p) - np.log(first + 0 * p))) / q


@kernel
def lower_constant(p: Any) -> Any:
    r"""[exact] $\underline c_p = (1 - (2/3)^{1-p})/(1 - p)$."""
    q = 1 - p
    return -expm1(q * (np.log(2 + 0 * p) - np.log(3 + 0 * p))) / q


def _sum_game(draw: Draw) -> Instance:
    r"""p in (0, 1), close to either end or not, and t."""
    p = draw.positive(-24, -1) if draw.boolean() else draw.real(1, 63) / 64
    t = 1 << draw.integer(3, LONGEST) if draw.boolean() else draw.integer(1, 6)
    return Instance(p=1 - p if draw.boolean() else p, t=t)


def _sides(lhs: Any, rhs: Any) -> Sides:
    """Terms are rounded as often as there are operations, and they are all positive."""
    return Sides(lhs, rhs, lhs + rhs)


def _claimed(i: Instance, t: int) -> Any:
    return on(lower_constant, i.p)(i.p) * on(power, i.p)(t, 1 - i.p)


def _lower_0(i: Instance) -> Sides:
    return _sides(_claimed(i, i.t), on(power_sum, i.p)(1, i.t, i.p))


def _lower_1(i: Instance) -> Sides:
    return _sides(_claimed(i, i.t), on(power_sum, i.p)(2, i.t + 1, i.p))


def _upper(i: Instance) -> Sides:
    return _sides(on(power_sum, i.p)(1, i.t, i.p), on(power, i.p)(i.t, 1 - i.p) / (1 - i.p))


def _lower_proof(i: Instance) -> tuple[Sides, ...]:
    from_zero, from_one = on(power_sum, i.p)(1, i.t, i.p), on(power_sum, i.p)(2, i.t + 1, i.p)
    area = on(integral, i.p)(2, i.t + 2, i.p)
    longer = _claimed(i, i.t + 2)
    return (
        _sides(from_one, from_zero), _sides(area, from_one), _sides(longer, area),
        _sides(_claimed(i, i.t), longer),
    )  # fmt: skip


def _upper_proof(i: Instance) -> tuple[Sides, ...]:
    total, area = on(power_sum, i.p)(1, i.t, i.p), 1 + on(integral, i.p)(1, i.t, i.p)
    return _sides(total, area), _sides(area, on(power, i.p)(i.t, 1 - i.p) / (1 - i.p))


# vectors -----------------------------------------------------------------------------------------------------------
def _vector(draw: Draw, d: int) -> Array:
    """A direction times a scale or times d of them, or entries 1, 0, -1 of one scale, all of them zero or not."""
    kind = draw.integer(0, 2)
    if kind < 2:
        return draw.sphere(d) * (draw.positive(shape=d) if kind else draw.positive())
    return draw.array((1 - draw.integers(0, 2, d)).tolist()) * draw.positive()


def _any_vector(draw: Draw) -> Instance:
    return Instance(x=_vector(draw, draw.integer(1, 6)))


def _norm(x: Array) -> Any:
    return root(x @ x)


def _fourth(i: Instance) -> Sides:
    square = i.x * i.x
    total = square.sum()
    return Sides((square * square).sum(), total * total, total * total)


def _fourth_proof(i: Instance) -> tuple[Sides, ...]:
    square, found = i.x * i.x, _fourth(i)
    left, right = _norm(square) ** 2, _norm(i.x) ** 4
    return (
        Sides(left, found.lhs, found.scale), Sides(found.lhs, left, found.scale), found,
        Sides(found.rhs, right, found.scale), Sides(right, found.rhs, found.scale),
    )  # fmt: skip


# weighted norms ----------------------------------------------------------------------------------------------------
def _weighted_game(draw: Draw) -> Instance:
    r"""Positive weights a, two vectors, a factor of either sign and a coordinate."""
    d = draw.integer(1, 4)
    a = draw.positive(shape=d) if draw.boolean() else draw.array([draw.positive()] * d)
    return Instance(
        a=a, x=_vector(draw, d), y=_vector(draw, d), factor=draw.choice((1, -1, 0, 3, -3)) * draw.positive(),
        coordinate=draw.integer(0, d - 1),
    )  # fmt: skip


def weighted_norm(a: Array, x: Array) -> Any:
    r"""$\|\sqrt a\odot x\|_2 = \sqrt{\langle a, x^2\rangle}$ for $a \ge 0$ and x, both (d,)."""
    return root(a @ (x * x))


def _functional(a: Array, x: Array) -> Any:
    r"""$\langle\sqrt a, x\rangle$."""
    return np.sqrt(a) @ x


def _size(i: Instance, x: Array) -> Any:
    r"""$\langle\sqrt a, |x|\rangle$."""
    return np.sqrt(i.a) @ abs(x)


def _homogeneous(i: Instance, norm: Any) -> tuple[Sides, Sides]:
    scaled, multiple = norm(i.a, i.factor * i.x), abs(i.factor) * norm(i.a, i.x)
    scale = abs(i.factor) * _size(i, i.x)
    return Sides(scaled, multiple, scale), Sides(multiple, scaled, scale)


def _triangle(i: Instance, norm: Any) -> Sides:
    return Sides(norm(i.a, i.x + i.y), norm(i.a, i.x) + norm(i.a, i.y), _size(i, i.x) + _size(i, i.y))


def _literal_axioms(i: Instance) -> tuple[Sides, ...]:
    value, size = _functional(i.a, i.x), _size(i, i.x)
    return *_homogeneous(i, _functional), _triangle(i, _functional), Sides(0 * value, value, size)


def _weighted_axioms(i: Instance) -> tuple[Sides, ...]:
    norm, j = weighted_norm(i.a, i.x), i.coordinate
    return _triangle(i, weighted_norm), Sides(root(i.a[j]) * abs(i.x[j]), norm, norm)


def _weighted_homogeneous(i: Instance) -> tuple[Sides, ...]:
    return _homogeneous(i, weighted_norm)


def _literal_dual(i: Instance) -> Sides:
    inner = i.x @ i.y
    sizes = _size(i, i.x) * ((1 / np.sqrt(i.a)) @ abs(i.y))
    return Sides(inner, _functional(i.a, i.x) * _functional(1 / i.a, i.y), abs(inner) + sizes)


def _absolute_dual(i: Instance) -> Sides:
    each = abs(i.y) / np.sqrt(i.a)
    return Sides(each.sum(), max(each.tolist()), each.sum())


def _weighted_dual(i: Instance) -> Sides:
    inner, bound = i.x @ i.y, weighted_norm(i.a, i.x) * weighted_norm(1 / i.a, i.y)
    return Sides(inner, bound, bound + abs(i.x) @ abs(i.y))


def _weighted_attained(i: Instance) -> tuple[Sides, Sides]:
    best = i.y / i.a
    inner, bound = best @ i.y, weighted_norm(i.a, best) * weighted_norm(1 / i.a, i.y)
    return Sides(inner, bound, 2 * inner), Sides(bound, inner, 2 * inner)


# statements --------------------------------------------------------------------------------------------------------
RANGE = (
    Assumption(r"p\in(0,1)", lambda i: min(i.p, 1 - i.p)),
    Assumption(r"t\ge1", lambda i: i.t - 1),
)
CONSTANT = r"\underline c_p=\frac{1-\left(\frac23\right)^{1-p}}{1-p}"
FROM_ZERO = r"\sum_{s=0}^{t-1}\frac1{(s+1)^p}"
FROM_ONE = r"\sum_{s=1}^t\frac1{(s+1)^p}"

POWER_SUMS = (
    Statement(
        label="clm:powersum/lower-0", kind="claim", number="D.1", part_of="clm:powersum",
        title="The sum of powers from s = 0, from below",
        latex=FROM_ZERO + r"\ge\underline c_pt^{1-p}\quad\text{for}\quad" + CONSTANT,
        instance=_sum_game, sides=_lower_0, assumptions=RANGE,
        note=r"The ratio of the sides is largest at t = 1, where it tends to $\log\frac32$ for $p\to1$.",
    ),
    Statement(
        label="clm:powersum/lower-1", kind="claim", number="D.1", part_of="clm:powersum",
        title="The sum of powers from s = 1, from below",
        latex=FROM_ONE + r"\ge\underline c_pt^{1-p}\quad\text{for}\quad" + CONSTANT,
        instance=_sum_game, sides=_lower_1, assumptions=RANGE,
        note=r"The ratio of the sides is largest at t = 1, where it tends to $2\log\frac32$ for $p\to1$.",
    ),
    Statement(
        label="clm:powersum/upper", kind="claim", number="D.1", part_of="clm:powersum",
        title="The sum of powers from above",
        latex=r"\sum_{s=1}^t\frac1{s^p}\le\overline c_pt^{1-p}\quad\text{for}\quad\overline c_p=\frac1{1-p}",
        instance=_sum_game, sides=_upper, assumptions=RANGE,
        note=r"For every p the ratio of the sides tends to 1 as t grows.",
    ),
    Statement(
        label="clm:powersum/proof-1", kind="proof step", number="D.1", step_of="clm:powersum",
        title="The display for the lower bounds",
        latex=FROM_ZERO + r"\ge" + FROM_ONE + r"\ge\int_1^{t+1}\frac{ds}{(s+1)^p}"
        r"=\frac{(t+2)^{1-p}-2^{1-p}}{1-p}\ge\underline c_p(t+2)^{1-p}\ge\underline c_pt^{1-p}",
        instance=_sum_game, sides=_lower_proof, assumptions=RANGE,
    ),
    Statement(
        label="clm:powersum/proof-2", kind="proof step", number="D.1", step_of="clm:powersum",
        title="The display for the upper bound",
        latex=r"\sum_{s=1}^t\frac1{s^p}\le1+\int_1^t\frac{ds}{s^p}=1+\frac{t^{1-p}-1}{1-p}\le\overline c_pt^{1-p}",
        instance=_sum_game, sides=_upper_proof, assumptions=RANGE,
    ),
)  # fmt: skip

FOURTH = (
    Statement(
        label="clm:fourthpower", kind="claim", number="D.2", title="The norm of the squares",
        latex=r"\|\mathbf x^2\|_2^2\le\|\mathbf x\|_2^4", instance=_any_vector, sides=_fourth,
        note=r"An equality where at most one coordinate is not 0.",
    ),
    Statement(
        label="clm:fourthpower/proof-1", kind="proof step", number="D.2", step_of="clm:fourthpower",
        title="The display of the proof",
        latex=r"\|\mathbf x^2\|_2^2=\sum_{j=1}^dx_j^4\le\left(\sum_{j=1}^dx_j^2\right)^2=\|\mathbf x\|_2^4",
        instance=_any_vector, sides=_fourth_proof,
    ),
)  # fmt: skip

POSITIVE = (Assumption(r"\mathbf a>\mathbf0", lambda i: min(i.a.tolist())),)
EUCLIDEAN = r"\|\mathbf x\|_{\mathbf a}=\|\sqrt{\mathbf a}\odot\mathbf x\|_2\implies"
HOMOGENEOUS = r"\|c\mathbf x\|_{\mathbf a}=|c|\|\mathbf x\|_{\mathbf a},\quad "
TRIANGLE = r"\|\mathbf x+\mathbf y\|_{\mathbf a}\le\|\mathbf x\|_{\mathbf a}+\|\mathbf y\|_{\mathbf a},\quad "

WEIGHTED = (
    Statement(
        label="text:weighted-norm/literal", kind="claim in text", part_of="text:weighted-norm",
        title="The printed functional is a norm",
        latex=r"\|\mathbf x\|_{\mathbf a}=\langle\sqrt{\mathbf a},\mathbf x\rangle\implies" + HOMOGENEOUS + TRIANGLE
        + r"\|\mathbf x\|_{\mathbf a}\ge0",
        instance=_weighted_game, sides=_literal_axioms, assumptions=POSITIVE,
        note=r"A linear functional has $\|-\mathbf x\|_{\mathbf a}=-\|\mathbf x\|_{\mathbf a}$.",
    ),
    Statement(
        label="text:weighted-norm/literal/dual", kind="claim in text", part_of="text:weighted-norm",
        title="The printed functionals are dual to each other",
        latex=r"\langle\mathbf x,\mathbf y\rangle\le\langle\sqrt{\mathbf a},\mathbf x\rangle"
        r"\langle1/\sqrt{\mathbf a},\mathbf y\rangle",
        instance=_weighted_game, sides=_literal_dual, assumptions=POSITIVE,
        note=r"A norm and its dual satisfy $\langle\mathbf x,\mathbf y\rangle\le\|\mathbf x\|\|\mathbf y\|_\ast$.",
    ),
    Statement(
        label="text:weighted-norm/literal/absolute", kind="claim in text", part_of="text:weighted-norm",
        title="The same with absolute values, a weighted l1 norm, and its dual",
        latex=r"\|\mathbf x\|_{\mathbf a}=\langle\sqrt{\mathbf a},|\mathbf x|\rangle\implies\|\mathbf y\|_{\mathbf "
        r"a^{-1}}=\sum_{j=1}^d\frac{|y_j|}{\sqrt{a_j}}\le\max_j\frac{|y_j|}{\sqrt{a_j}}=\max_{\|\mathbf x\|_{\mathbf "
        r"a}\le1}\langle\mathbf x,\mathbf y\rangle",
        instance=_weighted_game, sides=_absolute_dual, assumptions=POSITIVE,
        note=r"That is a norm; but its dual is a weighted maximum, and $\|\cdot\|_{\mathbf a^{-1}}$ is up to d times "
        r"as large.",
    ),
    Statement(
        label="text:weighted-norm", kind="claim in text", title="The weighted Euclidean norm is a norm",
        latex=EUCLIDEAN + TRIANGLE + r"\|\mathbf x\|_{\mathbf a}\ge\sqrt{a_j}|x_j|",
        instance=_weighted_game, sides=_weighted_axioms, assumptions=POSITIVE,
        corrects=("text:weighted-norm/literal",),
        note=r"The reading that the text's use of $\|\cdot\|_{\mathbf H}$ asks for: an element-wise product, and the "
        r"l2 norm of it, where $\langle\sqrt{\mathbf a},\cdot\rangle$ is printed.",
    ),
    Statement(
        label="text:weighted-norm/homogeneous", kind="claim in text", part_of="text:weighted-norm",
        title="The weighted Euclidean norm is absolutely homogeneous",
        latex=EUCLIDEAN + HOMOGENEOUS + r"c\in\mathbb R",
        instance=_weighted_game, sides=_weighted_homogeneous, assumptions=POSITIVE,
        corrects=("text:weighted-norm/literal",),
    ),
    Statement(
        label="text:weighted-norm/dual", kind="claim in text", part_of="text:weighted-norm",
        title="Weighted Euclidean norms with reciprocal weights: Hölder's inequality",
        latex=EUCLIDEAN
        + r"\langle\mathbf x,\mathbf y\rangle\le\|\mathbf x\|_{\mathbf a}\|\mathbf y\|_{\mathbf a^{-1}}",
        instance=_weighted_game, sides=_weighted_dual, assumptions=POSITIVE,
        corrects=("text:weighted-norm/literal/dual", "text:weighted-norm/literal/absolute"),
    ),
    Statement(
        label="text:weighted-norm/dual/attained", kind="claim in text", part_of="text:weighted-norm",
        title="Weighted Euclidean norms with reciprocal weights: where equality holds",
        latex=EUCLIDEAN + r"\langle\mathbf x,\mathbf y\rangle=\|\mathbf x\|_{\mathbf a}\|\mathbf y\|_{\mathbf a^{-1}}"
        r"\quad\text{at}\quad\mathbf x=\frac{\mathbf y}{\mathbf a}",
        instance=_weighted_game, sides=_weighted_attained, assumptions=POSITIVE,
        corrects=("text:weighted-norm/literal/dual", "text:weighted-norm/literal/absolute"),
    ),
)  # fmt: skip

STATEMENTS = (*POWER_SUMS, *FOURTH, *WEIGHTED)
