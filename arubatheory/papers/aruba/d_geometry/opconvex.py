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
from arubatheory.problems.matrices import inverse, log_det, product, psd_margin, quadratic_trace, trace_product
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.games import MOST_D

USUAL = 3  # dimensions; 4 for the log-determinant
MIXED = r"(t\mathbf X+(1-t)\mathbf Y)"
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
TRACES = {"given": (*MIXTURE, _positive("A")), "uses": ("def:opconvex",)}


def jensen(of: str, below: str = r"\le") -> str:
    r"""That what is said `of` \M is convex, in print."""
    mixed, X, Y = (of.replace(r"\M", point) for point in (MIXED, r"\mathbf X", r"\mathbf Y"))
    return f"{mixed}{below} t{X}+(1-t){Y}"


@kernel
def divergence(x: Array, y: Array) -> Any:
    r"""[exact] $\operatorname{Tr}(X^{-1}(Y - X)) - \log\det Y + \log\det X$, the Bregman divergence
    $\mathcal B(Y\|X)$ of $-\log\det$, and $\operatorname{Tr}(X^{-1}EX^{-1}E)$ for $E = Y - X$."""
    step, upside = y - x, inverse(x)
    remainder = trace_product(upside, step) - log_det(y) + log_det(x)
    return remainder, quadratic_trace(upside, step, upside, step)


def _gradient_game(draw: Draw) -> Instance:
    r"""$X = GG^\top$ and $Y = G(I + S)G^\top$ with $\|S\|_F < 1$, which makes $q = \|S\|_F^2$."""
    d = draw.size("d", USUAL + 1, MOST_D)
    g = draw.eye(d) * draw.positive(-8, 8, d) * draw.positive(-16, 16)
    if draw.boolean():
        g = draw.rotation(d) @ g
    small = matrices.random_symmetric(draw, d) * draw.positive(-12, 0) * 255 / 256 / d
    X, Y = (on(matrices.conjugate, g)(g, middle) for middle in (draw.eye(d), small + draw.eye(d)))
    return Instance(X=X, Y=Y)


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
    d, sigma = draw.size("d", USUAL + 1, MOST_D), draw.positive(-16, 16)
    common = draw.rotation(d) if draw.boolean() else draw.eye(d)
    drawn = []
    for _ in range(2):
        spectrum = draw.positive(-16, 0, d) if draw.boolean() else 1 - draw.unit(d) * draw.positive(-12, -1)
        axes = draw.rotation(d) if draw.boolean() else common
        drawn.append(on(matrices.conjugate, axes)(axes, draw.eye(d) * spectrum * sigma))
    return Instance(sigma=sigma, X=drawn[0], Y=drawn[1])


CONFINED = (*PAIR, _below("X"), _below("Y"))
BOUNDED = {"game": _bounded_game, "given": CONFINED, "uses": ("clm:logdetgrad", "def:convex")}


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


def _only(line: tuple[int, int] = (0, 0), square: int = 0, poles: int = 0) -> Callable[[Draw], OperatorConvex]:
    r"""Always the same f, with 1/x for a pole."""
    return lambda draw: OperatorConvex(
        draw.array(line), draw.array([square]), draw.array([1] * poles), draw.zeros(poles)
    )


RECIPROCAL, SQUARE, IDENTITY = _only(poles=1), _only(square=1), _only(line=(0, 1))


def _any_function(draw: Draw) -> OperatorConvex:
    k = draw.size("poles", 2, MOST_D)
    line = draw.array([1 - draw.integer(0, 2), 1 - draw.integer(0, 2)]) * draw.positive(shape=2)
    shifts = draw.positive(shape=k) * draw.array(draw.integers(0, 1, k).tolist())
    return OperatorConvex(line, draw.array([draw.integer(0, 1) * draw.positive()]), draw.positive(shape=k), shifts)


def _mixture(function: Callable[[Draw], OperatorConvex], directed: bool = False) -> Callable[[Draw], Instance]:
    r"""X, Y, t, f and a weight A: any, or if `directed` $vv^\top$ for a unit vector v."""

    def instance(draw: Draw) -> Instance:
        d = draw.size("d", USUAL, MOST_D)
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


def convexity(x: Instance) -> Sides:
    r"""$\operatorname{Tr}(A\,f(\cdot))$ at the mixture, and the mixture of it at X and Y."""
    # All of f's line stands on the left, where it cancels: what remains is positive on the right.
    (line, *lines), (mixed, X, Y) = _values(x, straight), _values(x, bent)
    return Sides(_traced(x, mixed + (line - _mean(x, *lines))), _mean(x, _traced(x, X), _traced(x, Y)))


def linearity(x: Instance) -> Sides:
    """The same for the identity, which rounds less."""
    return Sides(_traced(x, _mean(x, x.X, x.Y)), _mean(x, _traced(x, x.X), _traced(x, x.Y)))


@claim("def:opconvex/inverse", jensen(r"\M^{-1}", r"\preceq"), _mixture(RECIPROCAL, directed=True), MIXTURE)
def of_inverse(x: Instance) -> Sides:
    r"""Operator convexity of the function in the proof of cor:opconvex: inverse.

    Tried as $\mathbf v^\top(\dots)\mathbf v$ on both sides, for all unit vectors $\mathbf v$.
    """
    return convexity(x)


@claim("def:opconvex/identity", jensen(r"\M", r"\preceq"), _mixture(IDENTITY, directed=True), MIXTURE)
def of_identity(x: Instance) -> Sides:
    r"""Operator convexity of the function in the proof of cor:opconvex: identity.

    Tried as $\mathbf v^\top(\dots)\mathbf v$ on both sides, for all unit vectors $\mathbf v$.
    """
    return linearity(x)


@claim("def:opconvex/square", jensen(r"\M^2", r"\preceq"), _mixture(SQUARE, directed=True), MIXTURE)
def of_square(x: Instance) -> Sides:
    r"""Operator convexity of the function in the proof of cor:opconvex: square.

    Tried as $\mathbf v^\top(\dots)\mathbf v$ on both sides, for all unit vectors $\mathbf v$.
    """
    return convexity(x)


@claim("clm:opconvex", jensen(r"\Tr(\mathbf A\,f(\M))"), _mixture(_any_function), **TRACES)
def traces(x: Instance) -> Sides:
    r"""Traces of operator convex functions are convex.

    f is drawn as $a+bx+cx^2+\sum_i\frac{w_i}{x+s_i}$, $c,w_i,s_i\ge0$: with their limits these are all operator
    convex functions.
    """
    return convexity(x)


@claim("cor:opconvex/inverse", jensen(r"\Tr(\mathbf A\M^{-1})"), _mixture(RECIPROCAL), **TRACES)
def trace_of_inverse(x: Instance) -> Sides:
    r"""Tr(A/X) is convex.

    $\Tr(\mathbf A\mathbf X^{-1})$ over $\mathbb S_{++}^d$.
    """
    return convexity(x)


@claim("cor:opconvex/linear", jensen(r"\Tr(\mathbf A\M)"), _mixture(IDENTITY), **TRACES)
def trace_of_product(x: Instance) -> Sides:
    """Tr(AX) is convex.

    An equality.
    """
    return linearity(x)


@claim(
    "clm:opconvex/proof-1",
    rf"0\le\Tr(\mathbf A(tf(\mathbf X)+(1-t)f(\mathbf Y)-f{MIXED}))=t\Tr(\mathbf Af(\mathbf X))"
    rf"+(1-t)\Tr(\mathbf Af(\mathbf Y))-\Tr(\mathbf Af{MIXED})",
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
    d = draw.size("d", USUAL, MOST_D)
    X = matrices.random_psd(draw, d)
    Y = X + matrices.random_psd(draw, d) if draw.boolean() else matrices.random_psd(draw, d)
    return Instance(A=matrices.random_psd(draw, d), B=matrices.random_psd(draw, d), X=X, Y=Y, t=draw.unit())


@claim("cor:trconvex", jensen(r"\Tr(\mathbf A\M\mathbf B\M)"), _two_weights, (FRACTION, *map(_positive, "ABXY")))
def quadratic(x: Instance) -> Sides:
    r"""A quadratic trace is convex.

    The two sides differ by
    $t(1-t)\Tr(\mathbf A\mathbf E\mathbf B\mathbf E)=t(1-t)\|\mathbf A^{1/2}\mathbf E\mathbf B^{1/2}\|_F^2$,
    $\mathbf E=\mathbf X-\mathbf Y$: so it is for all symmetric X and Y. It needs no theorem, and not Lieb's, which is
    about $\Tr(\mathbf K^\top\mathbf X^p\mathbf K\mathbf Y^q)$ with $p+q\le1$ and says concave.
    """
    mixed, X, Y = (on(quadratic_trace, a)(x.A, a, x.B, a) for a in (_mean(x, x.X, x.Y), x.X, x.Y))
    return Sides(mixed, _mean(x, X, Y))
