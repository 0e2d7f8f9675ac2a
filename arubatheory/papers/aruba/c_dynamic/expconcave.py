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

import functools
from typing import Any, NamedTuple

import numpy as np

from arubatheory.kernel import kernel, on
from arubatheory.learners.ewoo import exp_concavity_of
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller, twin
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import root

Series = list[Any]
EXTENT_POSITIVE = Assumption(r"D>0", lambda x: x.D)
EPSILON_POSITIVE = Assumption(r"\varepsilon>0", lambda x: x.eps)
WEIGHT = Assumption(r"\alpha_t>0", lambda x: x.alpha)
SIZE = Assumption(r"B_t\in[0,D]", lambda x: min(x.B, x.D - x.B))
CONSTANT = r"\frac2{\alpha_tD}\min\left\{\frac{\varepsilon^2}{D^2},1\right\}"


class OnInterval(NamedTuple):
    r"""One loss on an interval: $\alpha$, $\tilde B^2$, $b^2 - \tilde B^2$, b and w."""

    alpha: Any
    square: Any
    offset: Any
    base: Any
    width: Any


@kernel
def gap(f: OnInterval, sx: Any, sy: Any) -> Any:
    r"""[exact] $xy - \tilde B^2$."""
    return f.offset + f.width * (f.base * (sx + sy) + sx * sy * f.width)


@kernel
def concavity_sides(f: OnInterval, sx: Any, sy: Any, part: Any, gamma: Any) -> Any:
    r"""[exact] With $z = \lambda x + (1 - \lambda)y$ and $r_x = \gamma(\tilde\ell(x) - \tilde\ell(z))$:
    $\lambda(e^{-r_x} - 1 + r_x) + (1 - \lambda)(e^{-r_y} - 1 + r_y)$ and $\lambda r_x + (1 - \lambda)r_y$."""
    sz, x, y = part * sx + (1 - part) * sy, f.base + sx * f.width, f.base + sy * f.width
    z, steep = f.base + sz * f.width, gamma * f.alpha * f.width
    lhs = part * excess(steep / z / x * (sx - sz) * gap(f, sx, sz))
    lhs = lhs + (1 - part) * excess(steep / z / y * (sy - sz) * gap(f, sy, sz))
    apart = (sx - sy) * f.width
    return lhs, gamma * f.alpha * part * (1 - part) * (apart / x) * (apart / y) * (f.square / z)


@twin(lambda r: np.exp(-r) - 1 + r)
def excess(r: Any) -> Any:
    r"""[exact] $e^{-r} - 1 + r$, which is about $r^2/2$ near 0."""
    if abs(r) > 1.0:
        return np.exp(-r) - 1.0 + r
    s = 1.0
    for k in range(22, 2, -1):
        s = 1.0 - r / k * s
    return r * r / 2.0 * s


def interval_width(D: Any, eps: Any) -> Any:
    r"""$\sqrt{D^2 + \varepsilon^2} - \varepsilon$."""
    return D / (root(D * D + eps * eps) + eps) * D


def regularised_loss(x: Instance) -> OnInterval:
    r"""The loss of an instance on $[\varepsilon, \sqrt{D^2 + \varepsilon^2}]$."""
    return OnInterval(x.alpha, x.B * x.B + x.eps * x.eps, -x.B * x.B, x.eps, interval_width(x.D, x.eps))


def gamma_of(x: Instance) -> Any:
    r"""The $\gamma$ of prp:expconcave."""
    return on(exp_concavity_of, x.D)(x.alpha, x.D, x.eps)


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


def in_interval(interval: str) -> Assumption:
    """That x and y, given by their shares, lie in the interval."""
    return Assumption(rf"x,y\in{interval}", lambda x: min(x.x, 1 - x.x, x.y, 1 - x.y))


def _one_loss(draw: Draw) -> Instance:
    D, eps = scales(draw)
    x, y = shares(draw)
    if draw.boolean():
        x, y = y, x
    alpha, B = draw.positive(), D * draw.unit()
    return Instance(D=D, eps=eps, alpha=alpha, B=B, x=x, y=y, part=part_of_segment(draw))


INTERVAL = r"[\varepsilon,\sqrt{D^2+\varepsilon^2}]"
ONE_LOSS: dict[str, Any] = {
    "game": _one_loss,
    "given": (WEIGHT, SIZE, EXTENT_POSITIVE, EPSILON_POSITIVE, in_interval(INTERVAL)),
}
STEEPEST = r"\frac{\alpha_tD^2}{\varepsilon^2}"


@claim("prp:expconcave/lipschitz", rf"|\tilde\ell_t(x)-\tilde\ell_t(y)|\le{STEEPEST}|x-y|", **ONE_LOSS)
def _lipschitz(x: Instance) -> Sides:
    """The regularised losses are Lipschitz."""
    f = regularised_loss(x)
    apart = abs(x.x - x.y) * f.width
    lhs = x.alpha * apart * abs(on(gap, x.D)(f, x.x, x.y)) / (x.eps + x.x * f.width) / (x.eps + x.y * f.width)
    return Sides(lhs, x.alpha * (x.D / x.eps) * (x.D / x.eps) * apart)


@claim(
    "prp:expconcave/exp-concave",
    rf"\gamma={CONSTANT}\implies\lambda e^{{-\gamma\tilde\ell_t(x)}}+(1-\lambda)e^{{-\gamma\tilde\ell_t(y)}}"
    r"\le e^{-\gamma\tilde\ell_t(\lambda x+(1-\lambda)y)}",
    **ONE_LOSS,
    uses=("def:expconcave",),
    corrects=("eq:ewoo/exp-concave", "eq:ewoo/exp-concave/literal-epsilon"),
)
def _exp_concave(x: Instance) -> Sides:
    r"""The regularised losses are exp-concave.

    Tried as $\lambda(e^{-r_x}-1+r_x)+(1-\lambda)(e^{-r_y}-1+r_y)\le\lambda r_x+(1-\lambda)r_y$ for
    $r_x=\gamma(\tilde\ell_t(x)-\tilde\ell_t(\lambda x+(1-\lambda)y))$: the same inequality, but both sides tend to 0
    together. $D>0$ is read into the paper, which divides by $D$.
    """
    return Sides(*on(concavity_sides, x.D)(regularised_loss(x), x.x, x.y, x.part, gamma_of(x)))


@claim(
    "prp:expconcave/exp-concave/criterion",
    rf"\gamma={CONSTANT}\implies\gamma(\partial_x\tilde\ell_t)^2\le\partial_{{xx}}\tilde\ell_t",
    **ONE_LOSS,
    uses=("def:expconcave",),
)
def criterion(x: Instance) -> Sides:
    """The regularised losses are exp-concave, by the second derivative.

    What the proof shows: the criterion of def:expconcave.
    """
    f = regularised_loss(x)
    at = x.eps + x.x * f.width
    slope = x.alpha * on(gap, x.D)(f, x.x, x.x) / at / at
    return Sides(gamma_of(x) * slope * slope, 2 * x.alpha * f.square / at / at / at)


FIRST = {"step_of": "prp:expconcave/lipschitz"}


@claim("prp:expconcave/proof-1", rf"|\partial_x\tilde\ell_t|\le{STEEPEST}", **ONE_LOSS, **FIRST)
def steepest(x: Instance) -> Sides:
    """The derivative is bounded.

    The display of the proof of prp:ftl that this proof refers to.
    """
    f = regularised_loss(x)
    at = x.eps + x.x * f.width
    return Sides(x.alpha * abs(on(gap, x.D)(f, x.x, x.x)) / at / at, x.alpha * (x.D / x.eps) * (x.D / x.eps))


# the derivatives in the proof
def _product(a: Series, b: Series) -> Series:
    """The product of two power series, truncated to their length."""
    return [sum(a[j] * b[k - j] for j in range(k + 1)) for k in range(len(a))]


def _quotient(a: Series, b: Series) -> Series:
    """The quotient of two power series, truncated to their length."""
    out: Series = []
    for k in range(len(a)):
        out.append((a[k] - sum((out[j] * b[k - j] for j in range(k)), a[0] - a[0])) / b[0])
    return out


def _series(x: Any, order: int, slope: int = 0) -> Series:
    """The constant x (slope 0), or a variable at x (slope 1)."""
    return [x, x - x + slope, *(x - x for _ in range(order - 1))]


def _loss_series(x: Instance) -> Series:
    r"""$\tilde\ell(x + h)$ up to $h^2$."""
    at = _series(x.x, 2, 1)
    return [(u + v) * x.alpha for u, v in zip(_quotient(_series(x.size * x.size, 2), at), at, strict=True)]


def _objective_series(alpha: Any, size: Series, x: Series) -> Series:
    r"""$\frac{2\tilde B^2x}{\alpha(\tilde B^2 - x^2)^2}$ of two series; $\tilde B^2 - x^2$ as a product of sum and
    difference, which does not cancel twice."""
    apart = _product([a - b for a, b in zip(size, x, strict=True)], [a + b for a, b in zip(size, x, strict=True)])
    top = [2 * a for a in _product(_product(size, size), x)]
    return _quotient(top, [alpha * a for a in _product(apart, apart)])


def _objective(alpha: Any, size: Any, x: Any) -> Any:
    apart = (size - x) * (size + x)
    return 2 * size / apart * size / apart * x / alpha


def _apart(draw: Draw) -> Instance:
    r"""$x \ne \tilde B$, both positive."""
    size, ratio = draw.positive(), draw.positive(-12, 12)
    return Instance(alpha=draw.positive(), size=size, x=size * (2 if ratio == 1 else ratio))


BOTH_POSITIVE = Assumption(r"x,\tilde B_t>0", lambda x: min(x.x, x.size))
SECOND = {"step_of": "prp:expconcave/exp-concave"}
APART: dict[str, Any] = {
    "game": _apart,
    "given": (WEIGHT, BOTH_POSITIVE, Assumption(r"x\ne\tilde B_t", lambda x: abs(x.x - x.size))),
    **SECOND,
}
OBJECTIVE = r"\frac{2\tilde B_t^2x}{\alpha_t(\tilde B_t^2-x^2)^2}"
BY_X = r"\frac{2\tilde B_t^2(\tilde B_t^2+3x^2)}{(\tilde B_t^2-x^2)^3}"
BY_SIZE = r"\frac{4\tilde B_tx(\tilde B_t^2+x^2)}{(\tilde B_t^2-x^2)^3}"


@claim(
    "prp:expconcave/proof-2",
    r"\partial_x\tilde\ell_t=\alpha_t\left(1-\frac{\tilde B_t^2}{x^2}\right),\qquad"
    r"\partial_{xx}\tilde\ell_t=\frac{2\alpha_t\tilde B_t^2}{x^3}",
    _apart,
    (WEIGHT, BOTH_POSITIVE),
    **SECOND,
)
def _derivatives(x: Instance) -> tuple[Sides, ...]:
    """The two derivatives."""
    series, square = _loss_series(x), x.size * x.size
    second = 2 * x.alpha * square / (x.x * x.x * x.x)
    return (*equality(series[1], x.alpha * (1 - square / (x.x * x.x))), *equality(2 * series[2], second))


@claim("prp:expconcave/proof-3", r"\frac{\partial_{xx}\tilde\ell_t}{(\partial_x\tilde\ell_t)^2}=" + OBJECTIVE, **APART)
def _ratio(x: Instance) -> tuple[Sides, ...]:
    """The ratio that bounds gamma."""
    series = _loss_series(x)
    return equality(2 * series[2] / (series[1] * series[1]), _objective(x.alpha, x.size, x.x))


def _partials(x: Instance, alpha: Any) -> tuple[Sides, ...]:
    r"""The two derivatives of the objective beside the printed ones over `alpha`."""
    size, at = x.size, x.x
    by_x = _objective_series(x.alpha, _series(size, 1), _series(at, 1, 1))[1]
    by_size = _objective_series(x.alpha, _series(size, 1, 1), _series(at, 1))[1]
    apart = (size - at) * (size + at)
    printed_x = 2 * size * size * (size * size + 3 * at * at) / apart / apart / apart / alpha
    printed_size = -4 * size * at * (size * size + at * at) / apart / apart / apart / alpha
    return (*equality(by_x, printed_x), *equality(by_size, printed_size))


@claim(
    "prp:expconcave/proof-4",
    rf"\partial_x{OBJECTIVE}={BY_X},\qquad\partial_{{\tilde B_t}}{OBJECTIVE}=-{BY_SIZE}",
    **APART,
)
def partials_as_printed(x: Instance) -> tuple[Sides, ...]:
    r"""The derivatives of the ratio, as printed.

    The factor $\frac1{\alpha_t}$ of the ratio is lost; only the signs matter to the proof.
    """
    return _partials(x, x.alpha / x.alpha)


@claim(
    "prp:expconcave/proof-4/corrected",
    rf"\partial_x{OBJECTIVE}=\frac1{{\alpha_t}}{BY_X},\qquad\partial_{{\tilde B_t}}{OBJECTIVE}"
    rf"=-\frac1{{\alpha_t}}{BY_SIZE}",
    **APART,
)
def partials_corrected(x: Instance) -> tuple[Sides, ...]:
    r"""The derivatives of the ratio.

    With the factor $\frac1{\alpha_t}$.
    """
    return _partials(x, x.alpha)


def _three_lengths(draw: Draw) -> Instance:
    small = draw.positive()
    middle = small * (1 + draw.positive(-12, 8))
    return Instance(alpha=draw.positive(), small=small, middle=middle, large=middle * (1 + draw.positive(-12, 8)))


@claim(
    "prp:expconcave/proof-5",
    r"h(x,\tilde B)="
    + OBJECTIVE.replace("_t", "")
    + r"\implies h(x_1,x_3)\le\min\{h(x_2,x_3),h(x_1,x_2)\},\quad h(x_3,x_1)\le\min\{h(x_2,x_1),h(x_3,x_2)\}",
    _three_lengths,
    (WEIGHT, Assumption(r"0<x_1<x_2<x_3", lambda x: min(x.small, x.middle - x.small, x.large - x.middle))),
    **SECOND,
)
def monotone(x: Instance) -> tuple[Sides, ...]:
    r"""The ratio is monotone on either side of x = B.

    The signs of the derivatives, as the next sentences of the proof use them: for $x<\tilde B$ the ratio rises in
    $x$ and falls in $\tilde B$, for $x>\tilde B$ the other way round.
    """
    h = functools.partial(_objective, x.alpha)
    least, most = h(x.large, x.small), h(x.small, x.large)
    below = (Sides(least, h(x.large, x.middle)), Sides(least, h(x.middle, x.small)))
    return (*below, Sides(most, h(x.small, x.middle)), Sides(most, h(x.middle, x.large)))


# the two optima in the proof
def _ordered(draw: Draw) -> Instance:
    D, eps = scales(draw)
    near, far = shares(draw)
    return Instance(D=D, eps=eps, alpha=draw.positive(), near=near, far=far)


def _on_interval(x: Instance, x_share: Any, size_share: Any) -> Any:
    r"""The objective at $x = \varepsilon + s_xw$ and $\tilde B = \varepsilon + s_Bw$."""
    width = interval_width(x.D, x.eps)
    at, size = x.eps + x_share * width, x.eps + size_share * width
    apart = (size_share - x_share) * width * (at + size)
    return 2 * size / apart * size / apart * at / x.alpha


def _ends(x: Instance) -> tuple[Any, Any]:
    r"""$\frac{2(D^2 + \varepsilon^2)\varepsilon}{\alpha D^4}$ and
    $\frac{2\varepsilon^2\sqrt{D^2 + \varepsilon^2}}{\alpha D^4}$."""
    ratio, unit = x.eps / x.D, 2 / (x.alpha * x.D)
    return (1 + ratio * ratio) * ratio * unit, ratio * ratio * root(1 + ratio * ratio) * unit


LOWER = r"\frac{2(D^2+\varepsilon^2)\varepsilon}{\alpha_tD^4}"
UPPER = r"\frac{2\varepsilon^2\sqrt{D^2+\varepsilon^2}}{\alpha_tD^4}"
POSITIVE = (WEIGHT, EXTENT_POSITIVE, EPSILON_POSITIVE)
SHARES = Assumption(rf"x,\tilde B_t\in{INTERVAL}", lambda x: min(x.near, 1 - x.far, x.far - x.near))


@claim("prp:expconcave/proof-6", rf"x<\tilde B_t\implies{OBJECTIVE}\ge{LOWER}", _ordered, (*POSITIVE, SHARES), **SECOND)
def lower_optimum(x: Instance) -> Sides:
    r"""The optimum over x < B.

    The value at $x=\varepsilon$, $\tilde B_t^2=D^2+\varepsilon^2$.
    """
    return Sides(_ends(x)[0], _on_interval(x, x.near, x.far))


@claim("prp:expconcave/proof-7", LOWER + r"\ge\frac{2\varepsilon}{\alpha_tD^2}", _ordered, POSITIVE, **SECOND)
def _lower_bounded(x: Instance) -> Sides:
    """A bound of the optimum over x < B."""
    return Sides(2 * x.eps / x.D / (x.alpha * x.D), _ends(x)[0])


@claim("prp:expconcave/proof-8", rf"x>\tilde B_t\implies{OBJECTIVE}\ge{UPPER}", _ordered, (*POSITIVE, SHARES), **SECOND)
def upper_optimum(x: Instance) -> Sides:
    r"""The optimum over x > B.

    The value at $x=\sqrt{D^2+\varepsilon^2}$, $\tilde B_t=\varepsilon$.
    """
    return Sides(_ends(x)[1], _on_interval(x, x.far, x.near))


@claim("prp:expconcave/proof-9", UPPER + r"\ge\frac{2\varepsilon^2}{\alpha_tD^3}", _ordered, POSITIVE, **SECOND)
def _upper_bounded(x: Instance) -> Sides:
    """A bound of the optimum over x > B."""
    return Sides(2 * x.eps / x.D * x.eps / x.D / (x.alpha * x.D), _ends(x)[1])


@claim(
    "prp:expconcave/proof-10",
    CONSTANT + r"\le\min\left\{\frac{2\varepsilon}{\alpha_tD^2},\frac{2\varepsilon^2}{\alpha_tD^3}\right\}",
    _ordered,
    POSITIVE,
    **SECOND,
)
def _constant_below(x: Instance) -> Sides:
    """The constant is below both optima."""
    ratio = x.eps / x.D
    return Sides(gamma_of(x), on(smaller, x.D)(2 * ratio / (x.alpha * x.D), 2 * ratio * ratio / (x.alpha * x.D)))
