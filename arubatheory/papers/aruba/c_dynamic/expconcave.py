r"""prp:expconcave: how Lipschitz and how exp-concave $\tilde\ell(x) = (\tilde B^2/x + x)\alpha$ is, and its proof.

Points of an interval $[b, b + w]$ are given by shares, $x = b + s_xw$. What decides everything is
$$xy - \tilde B^2 = (b^2 - \tilde B^2) + w(b(s_x + s_y) + s_xs_yw),$$
computed so that nothing cancels on $[\varepsilon, \sqrt{D^2 + \varepsilon^2}]$, where $b^2 - \tilde B^2 = -B^2$ and
$w = D^2/(\varepsilon + \sqrt{D^2 + \varepsilon^2})$: then
$\tilde\ell(x) - \tilde\ell(y) = \alpha(x - y)(xy - \tilde B^2)/(xy)$ and
$\tilde\ell'(x) = \alpha(x^2 - \tilde B^2)/x^2$ are sharp for every ratio of D and $\varepsilon$.

The paper lets $B_t \in [0, D]$ and divides by D: D > 0 is read into it. Derivatives that the proof prints are compared
with truncated power series in exact arithmetic, which know the rules of products and quotients and nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.kernel import kernel, on
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller, twin
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import root

Series = list[Any]
EXTENT_POSITIVE = Assumption(r"D>0", lambda i: i.D)
EPSILON_POSITIVE = Assumption(r"\varepsilon>0", lambda i: i.eps)
WEIGHT = Assumption(r"\alpha_t>0", lambda i: i.alpha)
SIZE = Assumption(r"B_t\in[0,D]", lambda i: min(i.B, i.D - i.B))
POINTS = Assumption(
    r"x,y\in[\varepsilon,\sqrt{D^2+\varepsilon^2}]", lambda i: min(i.x, 1 - i.x, i.y, 1 - i.y)
)  # shares of the interval
CONSTANT = r"\frac2{\alpha_tD}\min\left\{\frac{\varepsilon^2}{D^2},1\right\}"


# one loss on an interval -------------------------------------------------------------------------------------------
@kernel
def exp_concavity_of(alpha: Any, D: Any, eps: Any) -> Any:
    r"""[exact] $\frac2{\alpha D}\min\{\varepsilon^2/D^2, 1\}$."""
    ratio = eps / D
    return 2 / (alpha * D) * smaller(ratio * ratio, ratio - ratio + 1)


@kernel
def gap(offset: Any, base: Any, width: Any, sx: Any, sy: Any) -> Any:
    r"""[exact] $xy - \tilde B^2$ and the magnitudes added, $offset = b^2 - \tilde B^2$."""
    grown = width * (base * (sx + sy) + sx * sy * width)
    return offset + grown, abs(offset) + grown


@kernel
def lipschitz_sides(alpha: Any, offset: Any, base: Any, width: Any, sx: Any, sy: Any, bound: Any) -> Any:
    r"""[exact] $|\tilde\ell(x) - \tilde\ell(y)|$, bound times $|x - y|$, and the scale."""
    x, y = base + sx * width, base + sy * width
    between, size = gap(offset, base, width, sx, sy)
    apart = abs(sx - sy) * width
    rhs = bound * apart
    return alpha * apart * abs(between) / x / y, rhs, alpha * apart * size / x / y + rhs


@kernel
def criterion_sides(alpha: Any, square: Any, offset: Any, base: Any, width: Any, sx: Any, gamma: Any) -> Any:
    r"""[exact] $\gamma\tilde\ell'(x)^2$, $\tilde\ell''(x)$, and the scale."""
    x = base + sx * width
    between, size = gap(offset, base, width, sx, sx)
    slope, rough = alpha * between / x / x, alpha * size / x / x
    rhs = 2 * alpha * square / x / x / x
    return gamma * slope * slope, rhs, gamma * rough * rough + rhs


@kernel
def concavity_sides(
    alpha: Any, square: Any, offset: Any, base: Any, width: Any, sx: Any, sy: Any, part: Any, gamma: Any
) -> Any:  # fmt: skip
    r"""[exact] With $z = \lambda x + (1 - \lambda)y$ and $r_x = \gamma(\tilde\ell(x) - \tilde\ell(z))$:
    $\lambda(e^{-r_x} - 1 + r_x) + (1 - \lambda)(e^{-r_y} - 1 + r_y)$, $\lambda r_x + (1 - \lambda)r_y$, and the
    scale."""
    sz, x, y = part * sx + (1 - part) * sy, base + sx * width, base + sy * width
    z = base + sz * width
    by_x, size_x = gap(offset, base, width, sx, sz)
    by_y, size_y = gap(offset, base, width, sy, sz)
    far_x, far_y = gamma * alpha * width / z / x * (sx - sz), gamma * alpha * width / z / y * (sy - sz)
    lhs = part * excess(far_x * by_x) + (1 - part) * excess(far_y * by_y)
    apart = (sx - sy) * width
    rhs = gamma * alpha * part * (1 - part) * (apart / x) * (apart / y) * (square / z)
    moved_x, moved_y = abs(far_x) * size_x, abs(far_y) * size_y
    rough = part * moved_x * (moved_x + excess(-moved_x)) + (1 - part) * moved_y * (moved_y + excess(-moved_y))
    return lhs, rhs, lhs + rhs + rough


def _exact_excess(r: Any) -> Any:
    return np.exp(-r) - 1 + r


@twin(_exact_excess)
def excess(r: Any) -> Any:
    r"""[exact] $e^{-r} - 1 + r$, which is about $r^2/2$ near 0."""
    if abs(r) > 1.0:
        return np.exp(-r) - 1.0 + r
    s = 1.0
    for k in range(22, 2, -1):
        s = 1.0 - r / k * s
    return r * r / 2.0 * s


@kernel
def interval_width(D: Any, eps: Any) -> Any:
    r"""[exact] $\sqrt{D^2 + \varepsilon^2} - \varepsilon$."""
    return D / (np.sqrt(D * D + eps * eps) + eps) * D


def scales(draw: Draw) -> tuple[Any, Any]:
    r"""D and $\varepsilon$, of comparable size or not."""
    D, eps = draw.positive(), draw.positive()
    return D, D * draw.positive(-8, 8) if draw.boolean() else eps


def shares(draw: Draw) -> tuple[Any, Any]:
    r"""Two shares of an interval, the second larger by at least $2^{-16}$."""
    step = draw.positive(-16, 0)
    near = draw.unit() * (1 - step)
    return near, near + step


def part_of_segment(draw: Draw) -> Any:
    r"""$\lambda \in (0, 1)$; at 0 and 1 exp-concavity says nothing."""
    odds = draw.positive(-8, 8)
    return odds / (1 + odds)


def _one_loss(draw: Draw) -> Instance:
    D, eps = scales(draw)
    x, y = shares(draw)
    if draw.boolean():
        x, y = y, x
    return Instance(
        D=D, eps=eps, alpha=draw.positive(), B=D * draw.unit(), x=x, y=y, part=part_of_segment(draw),
    )  # fmt: skip


def _lipschitz(i: Instance) -> Sides:
    width = on(interval_width, i.D)(i.D, i.eps)
    bound = i.alpha * (i.D / i.eps) * (i.D / i.eps)
    return Sides(*on(lipschitz_sides, i.D)(i.alpha, -i.B * i.B, i.eps, width, i.x, i.y, bound))


def _steep(i: Instance) -> Sides:
    width = on(interval_width, i.D)(i.D, i.eps)
    x, square = i.eps + i.x * width, (i.D / i.eps) * (i.D / i.eps)
    between, size = on(gap, i.D)(-i.B * i.B, i.eps, width, i.x, i.x)
    return Sides(i.alpha * abs(between) / x / x, i.alpha * square, i.alpha * (size / x / x + square))


def _criterion(i: Instance) -> Sides:
    width, gamma = on(interval_width, i.D)(i.D, i.eps), on(exp_concavity_of, i.D)(i.alpha, i.D, i.eps)
    square = i.B * i.B + i.eps * i.eps
    return Sides(*on(criterion_sides, i.D)(i.alpha, square, -i.B * i.B, i.eps, width, i.x, gamma))


def _exp_concave(i: Instance) -> Sides:
    width, gamma = on(interval_width, i.D)(i.D, i.eps), on(exp_concavity_of, i.D)(i.alpha, i.D, i.eps)
    square = i.B * i.B + i.eps * i.eps
    return Sides(
        *on(concavity_sides, i.D)(i.alpha, square, -i.B * i.B, i.eps, width, i.x, i.y, i.part, gamma)
    )  # fmt: skip


# derivatives -------------------------------------------------------------------------------------------------------
def _product(a: Series, b: Series) -> Series:
    """The product of two power series, truncated to their length."""
    return [sum(a[j] * b[k - j] for j in range(k + 1)) for k in range(len(a))]


def _quotient(a: Series, b: Series) -> Series:
    """The quotient of two power series, truncated to their length."""
    out: Series = []
    for k in range(len(a)):
        out.append((a[k] - sum((out[j] * b[k - j] for j in range(k)), a[0] - a[0])) / b[0])
    return out


def _variable(x: Any, order: int) -> Series:
    return [x, x - x + 1, *(x - x for _ in range(order - 1))]


def _constant(x: Any, order: int) -> Series:
    return [x, *(x - x for _ in range(order))]


def _loss_series(alpha: Any, size: Any, x: Any) -> Series:
    r"""$\tilde\ell(x + h)$ up to $h^2$."""
    at, square = _variable(x, 2), _constant(size * size, 2)
    grown = [u + v for u, v in zip(_quotient(square, at), at, strict=True)]
    return _product(grown, _constant(alpha, 2))


def _objective_series(alpha: Any, size: Series, x: Series) -> Series:
    r"""$\frac{2\tilde B^2x}{\alpha(\tilde B^2 - x^2)^2}$ of two series; $\tilde B^2 - x^2$ as a product of sum and
    difference, which does not cancel twice."""
    order = len(x) - 1
    minus, plus = ([a - b for a, b in zip(size, x, strict=True)], [a + b for a, b in zip(size, x, strict=True)])
    apart = _product(minus, plus)
    top = _product(_constant(2 * x[0] / x[0], order), _product(_product(size, size), x))
    return _quotient(top, _product(_constant(alpha, order), _product(apart, apart)))


def _objective(alpha: Any, size: Any, x: Any) -> Any:
    apart = (size - x) * (size + x)
    return 2 * size / apart * size / apart * x / alpha


def _apart(draw: Draw) -> Instance:
    r"""$x \ne \tilde B$, both positive."""
    size, ratio = draw.positive(), draw.positive(-12, 12)
    return Instance(alpha=draw.positive(), size=size, x=size * (2 if ratio == 1 else ratio))


def _equal(a: Any, b: Any, scale: Any) -> tuple[Sides, Sides]:
    return Sides(a, b, scale), Sides(b, a, scale)


def _derivatives(i: Instance) -> tuple[Sides, ...]:
    series, square = _loss_series(i.alpha, i.size, i.x), i.size * i.size
    first = i.alpha * (1 - square / (i.x * i.x))
    second = 2 * i.alpha * square / (i.x * i.x * i.x)
    return (
        *_equal(series[1], first, i.alpha * (1 + square / (i.x * i.x))),
        *_equal(2 * series[2], second, second),
    )


def _spread(i: Instance) -> Any:
    r"""The condition of $\tilde B - x$."""
    return 1 + (i.size + i.x) / abs(i.size - i.x)


def _ratio(i: Instance) -> tuple[Sides, ...]:
    series = _loss_series(i.alpha, i.size, i.x)
    value = _objective(i.alpha, i.size, i.x)
    return _equal(2 * series[2] / (series[1] * series[1]), value, value * _spread(i) * _spread(i))


def _partials(i: Instance, alpha: Any) -> tuple[Sides, ...]:
    r"""The two derivatives of the objective beside the printed ones over `alpha`."""
    size, x = i.size, i.x
    by_x = _objective_series(i.alpha, _constant(size, 1), _variable(x, 1))[1]
    by_size = _objective_series(i.alpha, _variable(size, 1), _constant(x, 1))[1]
    apart = (size - x) * (size + x)
    printed_x = 2 * size * size * (size * size + 3 * x * x) / apart / apart / apart / alpha
    printed_size = -4 * size * x * (size * size + x * x) / apart / apart / apart / alpha
    scale = _spread(i)
    return (
        *_equal(by_x, printed_x, scale * (abs(by_x) + abs(printed_x))),
        *_equal(by_size, printed_size, scale * (abs(by_size) + abs(printed_size))),
    )


def _partials_as_printed(i: Instance) -> tuple[Sides, ...]:
    return _partials(i, i.alpha / i.alpha)


def _partials_corrected(i: Instance) -> tuple[Sides, ...]:
    return _partials(i, i.alpha)


def _three_lengths(draw: Draw) -> Instance:
    small = draw.positive()
    middle = small * (1 + draw.positive(-12, 8))
    return Instance(alpha=draw.positive(), small=small, middle=middle, large=middle * (1 + draw.positive(-12, 8)))


def _monotone(i: Instance) -> tuple[Sides, ...]:
    def compare(low: tuple[Any, Any], high: tuple[Any, Any]) -> Sides:
        lhs, rhs = (_objective(i.alpha, size, x) for size, x in (low, high))
        return Sides(lhs, rhs, sum(f * (1 + (s + x) / abs(s - x)) for f, (s, x) in ((lhs, low), (rhs, high))))

    small, middle, large = i.small, i.middle, i.large
    return (
        compare((large, small), (large, middle)),  # x < B: rising in x,
        compare((large, small), (middle, small)),  # falling in B
        compare((small, large), (small, middle)),  # x > B: falling in x,
        compare((small, large), (middle, large)),  # rising in B
    )


# the two optima ----------------------------------------------------------------------------------------------------


def _ordered(draw: Draw) -> Instance:
    D, eps = scales(draw)
    near, far = shares(draw)
    return Instance(D=D, eps=eps, alpha=draw.positive(), near=near, far=far)


def _on_interval(i: Instance, x_share: Any, size_share: Any) -> tuple[Any, Any]:
    r"""The objective at $x = \varepsilon + s_xw$ and $\tilde B = \varepsilon + s_Bw$, and its scale."""
    width = on(interval_width, i.D)(i.D, i.eps)
    x, size = i.eps + x_share * width, i.eps + size_share * width
    apart = (size_share - x_share) * width * (x + size)
    value = 2 * size / apart * size / apart * x / i.alpha
    return value, value * (1 + 1 / abs(size_share - x_share))


def _lower_value(i: Instance) -> Any:
    r"""$\frac{2(D^2 + \varepsilon^2)\varepsilon}{\alpha D^4}$."""
    ratio = i.eps / i.D
    return 2 * (1 + ratio * ratio) * ratio / (i.alpha * i.D)


def _upper_value(i: Instance) -> Any:
    r"""$\frac{2\varepsilon^2\sqrt{D^2 + \varepsilon^2}}{\alpha D^4}$."""
    ratio = i.eps / i.D
    return 2 * ratio * ratio * root(1 + ratio * ratio) / (i.alpha * i.D)


def _lower_optimum(i: Instance) -> Sides:
    r"""x below $\tilde B$."""
    value, scale = _on_interval(i, i.near, i.far)
    return Sides(_lower_value(i), value, _lower_value(i) + scale)


def _upper_optimum(i: Instance) -> Sides:
    r"""x above $\tilde B$."""
    value, scale = _on_interval(i, i.far, i.near)
    return Sides(_upper_value(i), value, _upper_value(i) + scale)


def _lower_bounded(i: Instance) -> Sides:
    value = _lower_value(i)
    return Sides(2 * i.eps / i.D / (i.alpha * i.D), value, value)


def _upper_bounded(i: Instance) -> Sides:
    value = _upper_value(i)
    return Sides(2 * i.eps / i.D * i.eps / i.D / (i.alpha * i.D), value, value)


def _final_minimum(i: Instance) -> Sides:
    ratio, gamma = i.eps / i.D, on(exp_concavity_of, i.D)(i.alpha, i.D, i.eps)
    rhs = on(smaller, i.D)(2 * ratio / (i.alpha * i.D), 2 * ratio * ratio / (i.alpha * i.D))
    return Sides(gamma, rhs, rhs)


# statements --------------------------------------------------------------------------------------------------------


def _part(part: str, title: str, latex: str, sides: Any, **more: Any) -> Statement:
    return Statement(
        label=f"prp:expconcave/{part}", kind="proposition", number="C.1", title=title, latex=latex,
        instance=_one_loss, sides=sides, assumptions=(WEIGHT, SIZE, EXTENT_POSITIVE, EPSILON_POSITIVE, POINTS),
        part_of="prp:expconcave", **more,
    )  # fmt: skip


def _step(
    n: str, title: str, latex: str, instance: Any, sides: Any, assumptions: tuple[Assumption, ...],
    of: str = "exp-concave", **more: Any,
) -> Statement:  # fmt: skip
    return Statement(
        label=f"prp:expconcave/proof-{n}", kind="proof step", number="C.1", title=title, latex=latex,
        instance=instance, sides=sides, assumptions=assumptions, step_of=f"prp:expconcave/{of}", **more,
    )  # fmt: skip


BOTH_POSITIVE = Assumption(r"x,\tilde B_t>0", lambda i: min(i.x, i.size))
APART = Assumption(r"x\ne\tilde B_t", lambda i: abs(i.x - i.size))
RISING = Assumption(r"0<x_1<x_2<x_3", lambda i: min(i.small, i.middle - i.small, i.large - i.middle))
SHARES = Assumption(
    r"x,\tilde B_t\in[\varepsilon,\sqrt{D^2+\varepsilon^2}]", lambda i: min(i.near, 1 - i.far, i.far - i.near)
)
OBJECTIVE = r"\frac{2\tilde B_t^2x}{\alpha_t(\tilde B_t^2-x^2)^2}"
BY_X = r"\frac{2\tilde B_t^2(\tilde B_t^2+3x^2)}{(\tilde B_t^2-x^2)^3}"
BY_SIZE = r"\frac{4\tilde B_tx(\tilde B_t^2+x^2)}{(\tilde B_t^2-x^2)^3}"
THREE_POINTS_NOTE = (
    r"Tried as $\lambda(e^{-r_x}-1+r_x)+(1-\lambda)(e^{-r_y}-1+r_y)\le\lambda r_x+(1-\lambda)r_y$ for "
    r"$r_x=\gamma(\tilde\ell_t(x)-\tilde\ell_t(\lambda x+(1-\lambda)y))$: the same inequality, but both sides tend to "
    r"0 together. $D>0$ is read into the paper, which divides by $D$."
)
LOWER = r"\frac{2(D^2+\varepsilon^2)\varepsilon}{\alpha_tD^4}"
UPPER = r"\frac{2\varepsilon^2\sqrt{D^2+\varepsilon^2}}{\alpha_tD^4}"
POSITIVE = (WEIGHT, EXTENT_POSITIVE, EPSILON_POSITIVE)
OPTIMA = (*POSITIVE, SHARES)

STATEMENTS = (
    _part("lipschitz", "The regularised losses are Lipschitz",
          r"|\tilde\ell_t(x)-\tilde\ell_t(y)|\le\frac{\alpha_tD^2}{\varepsilon^2}|x-y|", _lipschitz),
    _part("exp-concave", "The regularised losses are exp-concave",
          r"\gamma=" + CONSTANT + r"\implies\lambda e^{-\gamma\tilde\ell_t(x)}+(1-\lambda)e^{-\gamma\tilde\ell_t(y)}"
          r"\le e^{-\gamma\tilde\ell_t(\lambda x+(1-\lambda)y)}", _exp_concave, uses=("def:expconcave",),
          corrects=("eq:ewoo/exp-concave", "eq:ewoo/exp-concave/literal-epsilon"), note=THREE_POINTS_NOTE),
    _part("exp-concave/criterion", "The regularised losses are exp-concave, by the second derivative",
          r"\gamma=" + CONSTANT + r"\implies\gamma(\partial_x\tilde\ell_t)^2\le\partial_{xx}\tilde\ell_t", _criterion,
          uses=("def:expconcave",), note=r"What the proof shows: the criterion of def:expconcave."),
    _step("1", "The derivative is bounded", r"|\partial_x\tilde\ell_t|\le\frac{\alpha_tD^2}{\varepsilon^2}",
          _one_loss, _steep, (WEIGHT, SIZE, EXTENT_POSITIVE, EPSILON_POSITIVE, POINTS), of="lipschitz",
          note="The display of the proof of prp:ftl that this proof refers to."),
    _step("2", "The two derivatives",
          r"\partial_x\tilde\ell_t=\alpha_t\left(1-\frac{\tilde B_t^2}{x^2}\right),\qquad"
          r"\partial_{xx}\tilde\ell_t=\frac{2\alpha_t\tilde B_t^2}{x^3}", _apart, _derivatives,
          (WEIGHT, BOTH_POSITIVE)),
    _step("3", "The ratio that bounds gamma",
          r"\frac{\partial_{xx}\tilde\ell_t}{(\partial_x\tilde\ell_t)^2}=" + OBJECTIVE, _apart, _ratio,
          (WEIGHT, BOTH_POSITIVE, APART)),
    _step("4", "The derivatives of the ratio, as printed",
          r"\partial_x" + OBJECTIVE + "=" + BY_X + r",\qquad\partial_{\tilde B_t}" + OBJECTIVE + "=-" + BY_SIZE,
          _apart, _partials_as_printed, (WEIGHT, BOTH_POSITIVE, APART),
          note=r"The factor $\frac1{\alpha_t}$ of the ratio is lost; only the signs matter to the proof."),
    _step("4/corrected", "The derivatives of the ratio",
          r"\partial_x" + OBJECTIVE + r"=\frac1{\alpha_t}" + BY_X + r",\qquad\partial_{\tilde B_t}" + OBJECTIVE
          + r"=-\frac1{\alpha_t}" + BY_SIZE, _apart, _partials_corrected, (WEIGHT, BOTH_POSITIVE, APART),
          corrects=("prp:expconcave/proof-4",), note=r"With the factor $\frac1{\alpha_t}$."),
    _step("5", "The ratio is monotone on either side of x = B",
          r"h(x,\tilde B)=" + OBJECTIVE.replace("_t", "")
          + r"\implies h(x_1,x_3)\le\min\{h(x_2,x_3),h(x_1,x_2)\},\quad h(x_3,x_1)\le\min\{h(x_2,x_1),h(x_3,x_2)\}",
          _three_lengths, _monotone, (WEIGHT, RISING),
          note=r"The signs of the derivatives, as the next sentences of the proof use them: for $x<\tilde B$ the ratio "
          r"rises in $x$ and falls in $\tilde B$, for $x>\tilde B$ the other way round."),
    _step("6", "The optimum over x < B", r"x<\tilde B_t\implies" + OBJECTIVE + r"\ge" + LOWER, _ordered,
          _lower_optimum, OPTIMA, note=r"The value at $x=\varepsilon$, $\tilde B_t^2=D^2+\varepsilon^2$."),
    _step("7", "A bound of the optimum over x < B", LOWER + r"\ge\frac{2\varepsilon}{\alpha_tD^2}", _ordered,
          _lower_bounded, POSITIVE),
    _step("8", "The optimum over x > B", r"x>\tilde B_t\implies" + OBJECTIVE + r"\ge" + UPPER, _ordered,
          _upper_optimum, OPTIMA, note=r"The value at $x=\sqrt{D^2+\varepsilon^2}$, $\tilde B_t=\varepsilon$."),
    _step("9", "A bound of the optimum over x > B", UPPER + r"\ge\frac{2\varepsilon^2}{\alpha_tD^3}", _ordered,
          _upper_bounded, POSITIVE),
    _step("10", "The constant is below both optima",
          CONSTANT + r"\le\min\left\{\frac{2\varepsilon}{\alpha_tD^2},\frac{2\varepsilon^2}{\alpha_tD^3}\right\}",
          _ordered, _final_minimum, POSITIVE),
)  # fmt: skip
