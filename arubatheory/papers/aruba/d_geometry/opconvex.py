r"""Appendix D: the log-determinant, operator convexity and convex traces of matrices.

The gradient of $\log\det$ is tried with a remainder from both sides. With $q = \operatorname{Tr}(X^{-1}EX^{-1}E)$ and
the eigenvalues $\mu$ of $X^{-1/2}EX^{-1/2}$, $\sum\mu^2 = q$, the sum of $\mu - \log(1 + \mu)$ lies between
$\frac{q/2}{1+\sqrt q}$ and, for $q < 1$, $\frac{q/2}{1-\sqrt q}$.

Operator convex functions are drawn as $a + bx + cx^2 + \sum_i w_i/(x + s_i)$ with $c, w_i, s_i \ge 0$. All others
are limits of such sums, by their integral representation (Bhatia, Matrix Analysis, ch. V): $-\log x$, $x\log x$ and
powers $x^p$ too. All of it is rational, so that nothing is decided by eigenvectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import shifted
from arubatheory.problems.matrices import (
    conjugate,
    inverse,
    log_det,
    product,
    psd_margin,
    quadratic_trace,
    random_psd,
    random_spd,
    random_symmetric,
    sensitivity,
    spectral_norm,
    trace,
    trace_product,
)
from arubatheory.statements.core import Assumption, Instance, Sides, Statement

MOST = 3  # dimensions; 4 for the log-determinant


# the log-determinant -----------------------------------------------------------------------------------------------
@kernel
def divergence(x: Array, y: Array) -> Any:
    r"""[exact] $\operatorname{Tr}(X^{-1}(Y - X)) - \log\det Y + \log\det X$, the Bregman divergence
    $\mathcal B(Y\|X)$ of $-\log\det$; $\operatorname{Tr}(X^{-1}EX^{-1}E)$ for $E = Y - X$; the scale of the former."""
    step, upside = y - x, inverse(x)
    slope, before, after = trace_product(upside, step), log_det(x), log_det(y)
    scale = abs(before) + abs(after) + trace_product(np.abs(upside), np.abs(step))
    scale = scale + sensitivity(upside, x) + sensitivity(inverse(y), y)
    # X^{-1} is as wrong as X's pivots make it: along the step that costs Tr(X^{-1} dX X^{-1} E).
    scale = scale + sensitivity(product(product(upside, np.abs(step)), upside), x)
    return slope - after + before, quadratic_trace(upside, step, upside, step), scale


def _gradient_game(draw: Draw) -> Instance:
    r"""$X = GG^\top$ and $Y = G(I + S)G^\top$ with $\|S\|_F < 1$, which makes $q = \|S\|_F^2$."""
    d = draw.integer(1, 4)
    g = draw.eye(d) * draw.positive(-8, 8, d) * draw.positive(-16, 16)
    if draw.boolean():
        g = draw.rotation(d) @ g
    small = random_symmetric(draw, d) * draw.positive(-12, 0) * 255 / 256 / d
    return Instance(X=on(conjugate, g)(g, draw.eye(d)), Y=on(conjugate, g)(g, small + draw.eye(d)))


def _gradient(i: Instance) -> tuple[Sides, Sides]:
    remainder, square, scale = on(divergence, i.X)(i.X, i.Y)
    root = np.sqrt(square)
    return Sides(square / 2, remainder * (1 + root), scale), Sides(remainder * (1 - root), square / 2, scale)


def _bounded_game(draw: Draw) -> Instance:
    r"""$\sigma$, and two matrices with eigenvalues in $(0, \sigma]$, near $\sigma$ or anywhere."""
    d, sigma = draw.integer(1, 4), draw.positive(-16, 16)
    common = draw.rotation(d) if draw.boolean() else draw.eye(d)
    matrices = []
    for _ in range(2):
        spectrum = draw.positive(-16, 0, d) if draw.boolean() else 1 - draw.unit(d) * draw.positive(-12, -1)
        axes = draw.rotation(d) if draw.boolean() else common
        matrices.append(on(conjugate, axes)(axes, draw.eye(d) * spectrum * sigma))
    return Instance(sigma=sigma, X=matrices[0], Y=matrices[1])


def _spectral(i: Instance) -> Sides:
    remainder, _, scale = on(divergence, i.X)(i.X, i.Y)
    norm = spectral_norm(i.Y - i.X) / i.sigma
    return Sides(norm * norm / 2, remainder, scale + norm)


def _frobenius(i: Instance) -> Sides:
    remainder, _, scale = on(divergence, i.X)(i.X, i.Y)
    step = (i.Y - i.X) / i.sigma
    square = (step * step).sum()
    return Sides(square / 2, remainder, scale + square)


# operator convex functions -----------------------------------------------------------------------------------------
class Curve(NamedTuple):
    r"""$f(x) = a + bx + cx^2 + \sum_i w_i/(x + s_i)$: line (a, b), square (c,), weights and shifts (k,), of which only
    the line may be negative."""

    line: Array
    square: Array
    weights: Array
    shifts: Array


@kernel
def straight(f: Curve, x: Array) -> Array:
    r"""[exact] $aI + bX$."""
    return shifted(f.line[1] * x, f.line[0])


@kernel
def bent(f: Curve, x: Array) -> Array:
    r"""[exact] $f(X) - aI - bX$ for a symmetric positive definite X (d, d)."""
    out = f.square[0] * product(x, x)
    for i in range(f.weights.size):
        out = out + f.weights[i] * inverse(shifted(x, f.shifts[i]))
    return out


@kernel
def magnitude(a: Array, f: Curve, x: Array) -> Any:
    r"""[exact] The magnitudes behind $\operatorname{Tr}(Af(X))$ for $A \succeq 0$, with what inverses cost."""
    size = trace(x)
    scale = trace(a) * (abs(f.line[0]) + (abs(f.line[1]) + f.square[0] * size) * size)
    for i in range(f.weights.size):
        y = shifted(x, f.shifts[i])
        scale = scale + f.weights[i] * sensitivity(conjugate(inverse(y), a), y)
    return scale


def _pair(draw: Draw, d: int) -> tuple[Array, Array]:
    """X and Y: free, of one scale, or apart by a term of rank one, large or small."""
    kind, x = draw.integer(0, 2), random_spd(draw, d)
    if kind == 0:
        return x, random_spd(draw, d)
    if kind == 1:
        return draw.spd(d), draw.spd(d)
    v = draw.sphere(d)
    return x, x + np.outer(v, v) * (on(trace, x)(x) * draw.positive(-16, 16))


def _mixture(draw: Draw) -> Instance:
    d = draw.integer(1, MOST)
    x, y = _pair(draw, d)
    return Instance(X=x, Y=y, t=draw.unit(), A=random_psd(draw, d))


def _direction(draw: Draw) -> Instance:
    i = _mixture(draw)
    i.v = draw.sphere(i.A.shape[0])
    i.A = np.outer(i.v, i.v)
    return i


def _inverse_curve(draw: Draw) -> Curve:
    return Curve(draw.zeros(2), draw.zeros(1), draw.array([1]), draw.zeros(1))


def _square_curve(draw: Draw) -> Curve:
    return Curve(draw.zeros(2), draw.array([1]), draw.zeros(0), draw.zeros(0))


def _identity_curve(draw: Draw) -> Curve:
    return Curve(draw.array([0, 1]), draw.zeros(1), draw.zeros(0), draw.zeros(0))


def _any_curve(draw: Draw) -> Curve:
    k = draw.integer(1, 2)
    line = draw.array([1 - draw.integer(0, 2), 1 - draw.integer(0, 2)]) * draw.positive(shape=2)
    shifts = draw.positive(shape=k) * draw.array(draw.integers(0, 1, k).tolist())
    return Curve(line, draw.array([draw.integer(0, 1) * draw.positive()]), draw.positive(shape=k), shifts)


def _with_curve(game: Callable[[Draw], Instance], curve: Callable[[Draw], Curve]) -> Callable[[Draw], Instance]:
    def instance(draw: Draw) -> Instance:
        i = game(draw)
        i.f = curve(draw)
        return i

    return instance


def _mean(i: Instance, x: Any, y: Any) -> Any:
    return i.t * x + (1 - i.t) * y


def _scale(i: Instance) -> Any:
    size = on(magnitude, i.X)
    return _mean(i, size(i.A, i.f, i.X), size(i.A, i.f, i.Y)) + size(i.A, i.f, _mean(i, i.X, i.Y))


def _convex(i: Instance) -> Sides:
    r"""$\operatorname{Tr}(Af(tX+(1-t)Y)) \le t\operatorname{Tr}(Af(X)) + (1-t)\operatorname{Tr}(Af(Y))$, with all of
    f's line on the left, where it cancels: what remains is positive on the right."""
    traced, mixed = on(trace_product, i.X), _mean(i, i.X, i.Y)
    lines = on(straight, i.X)(i.f, mixed) - _mean(i, on(straight, i.X)(i.f, i.X), on(straight, i.X)(i.f, i.Y))
    lhs = traced(i.A, on(bent, i.X)(i.f, mixed) + lines)
    rhs = _mean(i, traced(i.A, on(bent, i.X)(i.f, i.X)), traced(i.A, on(bent, i.X)(i.f, i.Y)))
    return Sides(lhs, rhs, _scale(i))


def _linear(i: Instance) -> Sides:
    lhs = on(trace_product, i.X)(i.A, _mean(i, i.X, i.Y))
    rhs = _mean(i, on(trace_product, i.X)(i.A, i.X), on(trace_product, i.X)(i.A, i.Y))
    return Sides(lhs, rhs, _scale(i))


def _trace_proof(i: Instance) -> tuple[Sides, ...]:
    def value(x: Array) -> Array:
        return np.asarray(on(bent, x)(i.f, x) + on(straight, x)(i.f, x))

    mixed, traced, scale = value(_mean(i, i.X, i.Y)), on(trace_product, i.X), _scale(i)
    of_gap = traced(i.A, _mean(i, value(i.X), value(i.Y)) - mixed)
    gap_of = _mean(i, traced(i.A, value(i.X)), traced(i.A, value(i.Y))) - traced(i.A, mixed)
    return Sides(0 * of_gap, of_gap, scale), Sides(of_gap, gap_of, scale), Sides(gap_of, of_gap, scale)


def _two_weights(draw: Draw) -> Instance:
    r"""A, B, X and Y positive semidefinite."""
    d = draw.integer(1, MOST)
    x = random_psd(draw, d)
    y = x + random_psd(draw, d) if draw.boolean() else random_psd(draw, d)
    return Instance(A=random_psd(draw, d), B=random_psd(draw, d), X=x, Y=y, t=draw.unit())


def _quadratic(i: Instance) -> Sides:
    def value(x: Array) -> Any:
        return on(quadratic_trace, x)(i.A, x, i.B, x)

    mass, size = on(trace, i.X), _mean(i, on(trace, i.X)(i.X) ** 2, on(trace, i.X)(i.Y) ** 2)
    return Sides(value(_mean(i, i.X, i.Y)), _mean(i, value(i.X), value(i.Y)), 2 * mass(i.A) * mass(i.B) * size)


# statements --------------------------------------------------------------------------------------------------------
def _definite(name: str) -> Assumption:
    return Assumption(rf"\mathbf {name}\in\mathbb S_{{++}}^d", lambda i: psd_margin(getattr(i, name)))


def _semidefinite(name: str) -> Assumption:
    return Assumption(rf"\mathbf {name}\in\mathbb S_+^d", lambda i: psd_margin(getattr(i, name)))


def _below(name: str) -> Assumption:
    return Assumption(
        rf"\|\mathbf {name}\|_2\le\sigma",
        lambda i: psd_margin(on(shifted, i.X)(-getattr(i, name), i.sigma)),
    )


PAIR = (_definite("X"), _definite("Y"))
FRACTION = Assumption(r"t\in[0,1]", lambda i: min(i.t, 1 - i.t))
MIXTURE = (*PAIR, FRACTION)
TRACES = (*MIXTURE, _semidefinite("A"))
MIX = r"t\mathbf X+(1-t)\mathbf Y"
DIVERGENCE = r"-\log\det\mathbf Y+\log\det\mathbf X+\Tr(\mathbf X^{-1}(\mathbf Y-\mathbf X))"

LOGDET = (
    Statement(
        label="clm:logdetgrad", kind="claim", number="D.3", title="The gradient of the log-determinant",
        latex=r"\frac{q/2}{1+\sqrt q}\le\log\det\mathbf X+\Tr(\mathbf X^{-1}\mathbf E)-\log\det(\mathbf X+\mathbf E)"
        r"\le\frac{q/2}{1-\sqrt q}\quad\text{for}\quad q=\Tr(\mathbf X^{-1}\mathbf E\mathbf X^{-1}\mathbf E)<1",
        instance=_gradient_game, sides=_gradient, assumptions=PAIR,
        note=r"$\mathbf Y=\mathbf X+\mathbf E$. The remainder of the first order is between two multiples of q, so "
        r"$\mathbf X^{-1}$ is the gradient in $\langle\mathbf G,\mathbf E\rangle=\Tr(\mathbf G\mathbf E)$ over "
        r"symmetric $\mathbf E$. In the entries on and above the diagonal as coordinates, the derivatives off the "
        r"diagonal are twice those.",
    ),
    Statement(
        label="clm:logdetsc", kind="claim", number="D.4", title="Strong convexity of the log-determinant",
        latex=DIVERGENCE + r"\ge\frac1{2\sigma^2}\|\mathbf Y-\mathbf X\|_2^2",
        instance=_bounded_game, sides=_spectral, assumptions=(*PAIR, _below("X"), _below("Y")),
        uses=("clm:logdetgrad", "def:convex"),
        note=r"The second derivative along $\mathbf E$ is $\Tr(\mathbf X^{-1}\mathbf E\mathbf X^{-1}\mathbf E)\ge"
        r"\|\mathbf E\|_F^2/\sigma^2$.",
    ),
    Statement(
        label="clm:logdetsc/frobenius", kind="claim", number="D.4", part_of="clm:logdetsc",
        title="The same in the larger Frobenius norm",
        latex=DIVERGENCE + r"\ge\frac1{2\sigma^2}\|\mathbf Y-\mathbf X\|_F^2",
        instance=_bounded_game, sides=_frobenius, assumptions=(*PAIR, _below("X"), _below("Y")),
        uses=("clm:logdetgrad", "def:convex"),
        note=r"More than is claimed, and what is needed where the gradients are measured in $\|\cdot\|_F$: the dual of "
        r"$\|\cdot\|_2$ is the sum of the singular values.",
    ),
)  # fmt: skip


def _operator(part: str, power: str, curve: Callable[[Draw], Curve], sides: Callable[[Instance], Sides]) -> Statement:
    return Statement(
        label=f"def:opconvex/{part}", kind="definition", number="D.1", part_of="def:opconvex",
        title=f"Operator convexity of the function in the proof of cor:opconvex: {part}",
        latex=rf"({MIX}){power}\preceq t\mathbf X{power}+(1-t)\mathbf Y{power}",
        instance=_with_curve(_direction, curve), sides=sides, assumptions=MIXTURE,
        note=r"Tried as $\mathbf v^\top(\dots)\mathbf v$ on both sides, for all unit vectors $\mathbf v$.",
    )  # fmt: skip


OPERATOR = (
    _operator("inverse", "^{-1}", _inverse_curve, _convex),
    _operator("identity", "", _identity_curve, _linear),
    _operator("square", "^2", _square_curve, _convex),
)


def _traced(label: str, kind: str, number: str, title: str, of: str, curve: Callable[[Draw], Curve],
            sides: Callable[[Instance], Sides], note: str) -> Statement:  # fmt: skip
    def value(x: str) -> str:
        return rf"\Tr(\mathbf A{of.replace('X', x)})"

    return Statement(
        label=label, kind=kind, number=number, title=title,
        latex=value(rf"({MIX})") + r"\le t" + value(r"\mathbf X") + "+(1-t)" + value(r"\mathbf Y"),
        instance=_with_curve(_mixture, curve), sides=sides, assumptions=TRACES, uses=("def:opconvex",), note=note,
        part_of=label.partition("/")[0] if "/" in label else None,
    )  # fmt: skip


FAMILY = (
    r"f is drawn as $a+bx+cx^2+\sum_i\frac{w_i}{x+s_i}$, $c,w_i,s_i\ge0$: with their limits these are all operator "
    r"convex functions."
)
TRACED = (
    _traced("clm:opconvex", "claim", "D.5", "Traces of operator convex functions are convex", r"\,f(X)", _any_curve,
            _convex, FAMILY),
    Statement(
        label="clm:opconvex/proof-1", kind="proof step", number="D.5", step_of="clm:opconvex",
        title="The display of the proof",
        latex=r"0\le\Tr(\mathbf A(tf(\mathbf X)+(1-t)f(\mathbf Y)-f(" + MIX + r")))=t\Tr(\mathbf Af(\mathbf X))"
        r"+(1-t)\Tr(\mathbf Af(\mathbf Y))-\Tr(\mathbf Af(" + MIX + "))",
        instance=_with_curve(_mixture, _any_curve), sides=_trace_proof, assumptions=TRACES, uses=("def:opconvex",),
        note=r"The sign $\preceq$ that is printed compares numbers here. " + FAMILY,
    ),
    _traced("cor:opconvex/inverse", "corollary", "D.1", "Tr(A/X) is convex", "X^{-1}", _inverse_curve, _convex,
            r"$\Tr(\mathbf A\mathbf X^{-1})$ over $\mathbb S_{++}^d$."),
    _traced("cor:opconvex/linear", "corollary", "D.1", "Tr(AX) is convex", "X", _identity_curve, _linear,
            r"An equality."),
    Statement(
        label="cor:trconvex", kind="corollary", number="D.2", title="A quadratic trace is convex",
        latex=rf"\Tr(\mathbf A({MIX})\mathbf B({MIX}))\le t\Tr(\mathbf A\mathbf X\mathbf B\mathbf X)"
        r"+(1-t)\Tr(\mathbf A\mathbf Y\mathbf B\mathbf Y)",
        instance=_two_weights, sides=_quadratic,
        assumptions=(FRACTION, *(_semidefinite(name) for name in "ABXY")),
        note=r"The two sides differ by $t(1-t)\Tr(\mathbf A\mathbf E\mathbf B\mathbf E)=t(1-t)"
        r"\|\mathbf A^{1/2}\mathbf E\mathbf B^{1/2}\|_F^2$, $\mathbf E=\mathbf X-\mathbf Y$: so it is for all "
        r"symmetric X and Y. It needs no theorem, and not Lieb's, which is about "
        r"$\Tr(\mathbf K^\top\mathbf X^p\mathbf K\mathbf Y^q)$ with $p+q\le1$ and says concave.",
    ),
)  # fmt: skip

STATEMENTS = (*LOGDET, *OPERATOR, *TRACED)
