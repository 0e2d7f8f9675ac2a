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
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems import matrices
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import shifted
from arubatheory.problems.matrices import (
    conjugate,
    inverse,
    log_det,
    product,
    psd_margin,
    quadratic_trace,
    trace_product,
)
from arubatheory.statements.core import Assumption, Instance, Sides, equality

MOST = 3  # dimensions; 4 for the log-determinant
MIX = r"t\mathbf X+(1-t)\mathbf Y"
DIVERGENCE = r"-\log\det\mathbf Y+\log\det\mathbf X+\Tr(\mathbf X^{-1}(\mathbf Y-\mathbf X))"


def _positive(name: str, sign: str = "+") -> Assumption:
    return Assumption(rf"\mathbf {name}\in\mathbb S_{sign}^d", lambda x: psd_margin(getattr(x, name)))


def _below(name: str) -> Assumption:
    return Assumption(
        rf"\|\mathbf {name}\|_2\le\sigma", lambda x: psd_margin(on(shifted, x.X)(-getattr(x, name), x.sigma))
    )


PAIR = (_positive("X", "{++}"), _positive("Y", "{++}"))
FRACTION = Assumption(r"t\in[0,1]", lambda x: min(x.t, 1 - x.t))
MIXTURE = (*PAIR, FRACTION)


@kernel
def divergence(x: Array, y: Array) -> Any:
    r"""[exact] $\operatorname{Tr}(X^{-1}(Y - X)) - \log\det Y + \log\det X$, the Bregman divergence
    $\mathcal B(Y\|X)$ of $-\log\det$, and $\operatorname{Tr}(X^{-1}EX^{-1}E)$ for $E = Y - X$."""
    step, upside = y - x, inverse(x)
    remainder = trace_product(upside, step) - log_det(y) + log_det(x)
    return remainder, quadratic_trace(upside, step, upside, step)


def _gradient_game(draw: Draw) -> Instance:
    r"""$X = GG^\top$ and $Y = G(I + S)G^\top$ with $\|S\|_F < 1$, which makes $q = \|S\|_F^2$."""
    d = draw.integer(1, 4)
    g = draw.eye(d) * draw.positive(-8, 8, d) * draw.positive(-16, 16)
    if draw.boolean():
        g = draw.rotation(d) @ g
    small = matrices.random_symmetric(draw, d) * draw.positive(-12, 0) * 255 / 256 / d
    return Instance(X=on(conjugate, g)(g, draw.eye(d)), Y=on(conjugate, g)(g, small + draw.eye(d)))


@claim(
    "clm:logdetgrad",
    r"\frac{q/2}{1+\sqrt q}\le\log\det\mathbf X+\Tr(\mathbf X^{-1}\mathbf E)-\log\det(\mathbf X+\mathbf E)"
    r"\le\frac{q/2}{1-\sqrt q}\quad\text{for}\quad q=\Tr(\mathbf X^{-1}\mathbf E\mathbf X^{-1}\mathbf E)<1",
    _gradient_game,
    PAIR,
)
def gradient(x: Instance) -> tuple[Sides, Sides]:
    r"""The gradient of the log-determinant.

    $\mathbf Y=\mathbf X+\mathbf E$. The remainder of the first order is between two multiples of q, so
    $\mathbf X^{-1}$ is the gradient in $\langle\mathbf G,\mathbf E\rangle=\Tr(\mathbf G\mathbf E)$ over symmetric
    $\mathbf E$. In the entries on and above the diagonal as coordinates, the derivatives off the diagonal are twice
    those.
    """
    remainder, square = on(divergence, x.X)(x.X, x.Y)
    root = np.sqrt(square)
    return Sides(square / 2, remainder * (1 + root)), Sides(remainder * (1 - root), square / 2)


def _bounded_game(draw: Draw) -> Instance:
    r"""$\sigma$, and two matrices with eigenvalues in $(0, \sigma]$, near $\sigma$ or anywhere."""
    d, sigma = draw.integer(1, 4), draw.positive(-16, 16)
    common = draw.rotation(d) if draw.boolean() else draw.eye(d)
    drawn = []
    for _ in range(2):
        spectrum = draw.positive(-16, 0, d) if draw.boolean() else 1 - draw.unit(d) * draw.positive(-12, -1)
        axes = draw.rotation(d) if draw.boolean() else common
        drawn.append(on(conjugate, axes)(axes, draw.eye(d) * spectrum * sigma))
    return Instance(sigma=sigma, X=drawn[0], Y=drawn[1])


CONFINED = (*PAIR, _below("X"), _below("Y"))
BOUNDED: dict[str, Any] = {"game": _bounded_game, "given": CONFINED, "uses": ("clm:logdetgrad", "def:convex")}


@claim("clm:logdetsc", DIVERGENCE + r"\ge\frac1{2\sigma^2}\|\mathbf Y-\mathbf X\|_2^2", **BOUNDED)
def spectral(x: Instance) -> Sides:
    r"""Strong convexity of the log-determinant.

    The second derivative along $\mathbf E$ is
    $\Tr(\mathbf X^{-1}\mathbf E\mathbf X^{-1}\mathbf E)\ge\|\mathbf E\|_F^2/\sigma^2$.
    """
    norm = matrices.spectral_norm(x.Y - x.X) / x.sigma
    return Sides(norm * norm / 2, on(divergence, x.X)(x.X, x.Y)[0])


@claim("clm:logdetsc/frobenius", DIVERGENCE + r"\ge\frac1{2\sigma^2}\|\mathbf Y-\mathbf X\|_F^2", **BOUNDED)
def frobenius(x: Instance) -> Sides:
    r"""The same in the larger Frobenius norm.

    More than is claimed, and what is needed where the gradients are measured in $\|\cdot\|_F$: the dual of
    $\|\cdot\|_2$ is the sum of the singular values.
    """
    step = (x.Y - x.X) / x.sigma
    return Sides((step * step).sum() / 2, on(divergence, x.X)(x.X, x.Y)[0])


class OperatorConvex(NamedTuple):
    r"""$f(x) = a + bx + cx^2 + \sum_i w_i/(x + s_i)$: line (a, b), square (c,), weights and shifts (k,), of which only
    the line may be negative."""

    line: Array
    square: Array
    weights: Array
    shifts: Array


@kernel
def straight(f: OperatorConvex, x: Array) -> Array:
    r"""[exact] $aI + bX$."""
    return shifted(f.line[1] * x, f.line[0])


@kernel
def bent(f: OperatorConvex, x: Array) -> Array:
    r"""[exact] $f(X) - aI - bX$ for a symmetric positive definite X (d, d)."""
    out = f.square[0] * product(x, x)
    for i in range(f.weights.size):
        out = out + f.weights[i] * inverse(shifted(x, f.shifts[i]))
    return out


def _pair(draw: Draw, d: int) -> tuple[Array, Array]:
    """X and Y: free, of one scale, or apart by a term of rank one, large or small."""
    kind, x = draw.integer(0, 2), matrices.random_spd(draw, d)
    if kind == 0:
        return x, matrices.random_spd(draw, d)
    if kind == 1:
        return draw.spd(d), draw.spd(d)
    v = draw.sphere(d)
    return x, x + np.outer(v, v) * (on(matrices.trace, x)(x) * draw.positive(-16, 16))


def _reciprocal(draw: Draw) -> OperatorConvex:
    return OperatorConvex(draw.zeros(2), draw.zeros(1), draw.array([1]), draw.zeros(1))


def _square(draw: Draw) -> OperatorConvex:
    return OperatorConvex(draw.zeros(2), draw.array([1]), draw.zeros(0), draw.zeros(0))


def _identity(draw: Draw) -> OperatorConvex:
    return OperatorConvex(draw.array([0, 1]), draw.zeros(1), draw.zeros(0), draw.zeros(0))


def _any_function(draw: Draw) -> OperatorConvex:
    k = draw.integer(1, 2)
    line = draw.array([1 - draw.integer(0, 2), 1 - draw.integer(0, 2)]) * draw.positive(shape=2)
    shifts = draw.positive(shape=k) * draw.array(draw.integers(0, 1, k).tolist())
    return OperatorConvex(line, draw.array([draw.integer(0, 1) * draw.positive()]), draw.positive(shape=k), shifts)


def _mixture(function: Callable[[Draw], OperatorConvex], directed: bool = False) -> Callable[[Draw], Instance]:
    r"""X, Y, t, f and a weight A: any, or if `directed` $vv^\top$ for a unit vector v."""

    def instance(draw: Draw) -> Instance:
        d = draw.integer(1, MOST)
        X, Y = _pair(draw, d)
        x = Instance(X=X, Y=Y, t=draw.unit(), A=matrices.random_psd(draw, d))
        if directed:
            x.v = draw.sphere(d)
            x.A = np.outer(x.v, x.v)
        x.f = function(draw)
        return x

    return instance


def _mean(x: Instance, X: Any, Y: Any) -> Any:
    return x.t * X + (1 - x.t) * Y


def _values(x: Instance, part: Any) -> tuple[Array, Array, Array]:
    """A part of f at the mixture of X and Y, at X, and at Y."""
    mixed, X, Y = (on(part, a)(x.f, a) for a in (_mean(x, x.X, x.Y), x.X, x.Y))
    return mixed, X, Y


def _traced(x: Instance, a: Array) -> Any:
    r"""$\operatorname{Tr}(AB)$."""
    return on(trace_product, a)(x.A, a)


VECTORS = r"Tried as $\mathbf v^\top(\dots)\mathbf v$ on both sides, for all unit vectors $\mathbf v$."


@claim(
    "def:opconvex/inverse",
    rf"({MIX})^{{-1}}\preceq t\mathbf X^{{-1}}+(1-t)\mathbf Y^{{-1}}",
    _mixture(_reciprocal, directed=True),
    MIXTURE,
    note=VECTORS,
)
def of_inverse(x: Instance) -> Sides:
    """Operator convexity of the function in the proof of cor:opconvex: inverse."""
    # All of f's line stands on the left, where it cancels: what remains is positive on the right.
    (line, *lines), (mixed, X, Y) = _values(x, straight), _values(x, bent)
    return Sides(_traced(x, mixed + (line - _mean(x, *lines))), _mean(x, _traced(x, X), _traced(x, Y)))


@claim(
    "def:opconvex/identity",
    rf"({MIX})\preceq t\mathbf X+(1-t)\mathbf Y",
    _mixture(_identity, directed=True),
    MIXTURE,
    note=VECTORS,
)
def of_identity(x: Instance) -> Sides:
    """Operator convexity of the function in the proof of cor:opconvex: identity."""
    return Sides(_traced(x, _mean(x, x.X, x.Y)), _mean(x, _traced(x, x.X), _traced(x, x.Y)))


of_square = claim(
    "def:opconvex/square",
    rf"({MIX})^2\preceq t\mathbf X^2+(1-t)\mathbf Y^2",
    _mixture(_square, directed=True),
    MIXTURE,
    title="Operator convexity of the function in the proof of cor:opconvex: square",
    note=VECTORS,
)(of_inverse.sides)
TRACES: dict[str, Any] = {"given": (*MIXTURE, _positive("A")), "uses": ("def:opconvex",)}
traces = claim(
    "clm:opconvex",
    rf"\Tr(\mathbf A\,f(({MIX})))\le t\Tr(\mathbf A\,f(\mathbf X))+(1-t)\Tr(\mathbf A\,f(\mathbf Y))",
    _mixture(_any_function),
    **TRACES,
    title="Traces of operator convex functions are convex",
    note=r"f is drawn as $a+bx+cx^2+\sum_i\frac{w_i}{x+s_i}$, $c,w_i,s_i\ge0$: with their limits these are all "
    r"operator convex functions.",
)(of_inverse.sides)
trace_of_inverse = claim(
    "cor:opconvex/inverse",
    rf"\Tr(\mathbf A({MIX})^{{-1}})\le t\Tr(\mathbf A\mathbf X^{{-1}})+(1-t)\Tr(\mathbf A\mathbf Y^{{-1}})",
    _mixture(_reciprocal),
    **TRACES,
    title="Tr(A/X) is convex",
    note=r"$\Tr(\mathbf A\mathbf X^{-1})$ over $\mathbb S_{++}^d$.",
)(of_inverse.sides)
trace_of_product = claim(
    "cor:opconvex/linear",
    rf"\Tr(\mathbf A({MIX}))\le t\Tr(\mathbf A\mathbf X)+(1-t)\Tr(\mathbf A\mathbf Y)",
    _mixture(_identity),
    **TRACES,
    title="Tr(AX) is convex",
    note="An equality.",
)(of_identity.sides)


@claim(
    "clm:opconvex/proof-1",
    rf"0\le\Tr(\mathbf A(tf(\mathbf X)+(1-t)f(\mathbf Y)-f({MIX})))=t\Tr(\mathbf Af(\mathbf X))"
    rf"+(1-t)\Tr(\mathbf Af(\mathbf Y))-\Tr(\mathbf Af({MIX}))",
    _mixture(_any_function),
    **TRACES,
)
def trace_proof(x: Instance) -> tuple[Sides, ...]:
    r"""The display of the proof.

    The sign $\preceq$ that is printed compares numbers here. f is drawn as $a+bx+cx^2+\sum_i\frac{w_i}{x+s_i}$,
    $c,w_i,s_i\ge0$: with their limits these are all operator convex functions.
    """
    mixed, X, Y = (a + b for a, b in zip(_values(x, bent), _values(x, straight), strict=True))
    of_gap = _traced(x, _mean(x, X, Y) - mixed)
    gap_of = _mean(x, _traced(x, X), _traced(x, Y)) - _traced(x, mixed)
    return Sides(0 * of_gap, of_gap), *equality(of_gap, gap_of)


def _two_weights(draw: Draw) -> Instance:
    r"""A, B, X and Y positive semidefinite."""
    d = draw.integer(1, MOST)
    X = matrices.random_psd(draw, d)
    Y = X + matrices.random_psd(draw, d) if draw.boolean() else matrices.random_psd(draw, d)
    return Instance(A=matrices.random_psd(draw, d), B=matrices.random_psd(draw, d), X=X, Y=Y, t=draw.unit())


@claim(
    "cor:trconvex",
    rf"\Tr(\mathbf A({MIX})\mathbf B({MIX}))\le t\Tr(\mathbf A\mathbf X\mathbf B\mathbf X)"
    r"+(1-t)\Tr(\mathbf A\mathbf Y\mathbf B\mathbf Y)",
    _two_weights,
    (FRACTION, *map(_positive, "ABXY")),
)
def quadratic(x: Instance) -> Sides:
    r"""A quadratic trace is convex.

    The two sides differ by
    $t(1-t)\Tr(\mathbf A\mathbf E\mathbf B\mathbf E)=t(1-t)\|\mathbf A^{1/2}\mathbf E\mathbf B^{1/2}\|_F^2$,
    $\mathbf E=\mathbf X-\mathbf Y$: so it is for all symmetric X and Y. It needs no theorem, and not Lieb's, which is
    about $\Tr(\mathbf K^\top\mathbf X^p\mathbf K\mathbf Y^q)$ with $p+q\le1$ and says concave.
    """
    mixed, X, Y = (on(quadratic_trace, a)(x.A, a, x.B, a) for a in (_mean(x, x.X, x.Y), x.X, x.Y))
    return Sides(mixed, _mean(x, X, Y))
