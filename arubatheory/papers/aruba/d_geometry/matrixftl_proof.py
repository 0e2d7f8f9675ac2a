r"""Appendix D: the proof of prp:matrixftl, display by display.

The couplings $\tilde\ell_t'(X) = \frac12\operatorname{Tr}(\tilde B_t^{-2}X\tilde G_t^2X) - \log\det X$ divide every
$\tilde G_t^2$ by its own $\tilde B_t^2$: their sum has another minimiser than $\sum_t\tilde\ell_t$ as soon as the
$\tilde B_t$ differ, in one dimension already. Played points are the leaders, with $X_1 =
(\varepsilon/\zeta)I_d$. The second half is in `matrix_ftl_chain`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.games.matrices import (
    GAME,
    geometric,
    invert,
    largest,
    magnified,
    plane_game,
    play,
    regularised_sums,
    rounds_of,
    shift,
    sizes,
    spectral,
    squares_of,
    trace_of,
    with_rounds,
)
from arubatheory.problems.draw import Draw
from arubatheory.problems.matrices import log_det, product, psd_margin
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import root

# leaders -----------------------------------------------------------------------------------------------------------


def with_point(draw: Draw) -> Instance:
    """A game in at most two dimensions and any X, half of the time near the leader's scale."""
    i = plane_game(draw)
    i.X = draw.spd(i.B2.shape[1]) * (draw.positive(-2, 2) if draw.boolean() else draw.positive())
    i.near = draw.boolean()
    return i


def _other(i: Instance, X: Array) -> Array:
    r"""Any positive definite matrix: X's size times the drawn one, or the drawn one."""
    return i.X * trace_of(X) if i.near else i.X


def _leads(i: Instance) -> Sides:
    B, G = regularised_sums(i)
    X = on(geometric, B)(B, G)
    Y = _other(i, X)
    lhs = trace_of(on(geometric, B)(G, B), B) + trace_of(X, G)
    rhs = trace_of(invert(Y), B) + trace_of(Y, G)
    return Sides(lhs, rhs, lhs + rhs)


def _couplings(i: Instance, X: Array) -> tuple[Any, Any]:
    r"""$\sum_t\frac12\operatorname{Tr}(\tilde B_t^{-2}X\tilde G_t^2X)$ and $T\log\det X$."""
    e, z = squares_of(i)
    pairs = [(invert(shift(B, e)), shift(G, z)) for B, G in zip(i.B2, i.G2, strict=True)]
    return sum(trace_of(B, X, G, X) for B, G in pairs) / 2, rounds_of(i) * on(log_det, X)(X)


def _leads_couplings(i: Instance) -> Sides:
    B, G = regularised_sums(i)
    X = on(geometric, B)(B, G)
    return _compared(_couplings(i, X), _couplings(i, _other(i, X)))


def _compared(one: tuple[Any, Any], other: tuple[Any, Any]) -> Sides:
    (a, b), (c, e) = one, other
    return Sides(a - b, c - e, abs(a) + abs(b) + abs(c) + abs(e))


def _diagonal_game(draw: Draw) -> Instance:
    r"""A diagonal game, and any positive diagonal x, half of the time near the leader's scale."""
    i = sizes(draw)
    d = draw.integer(1, 3)
    i.b, i.g, i.near = np.asarray(draw.unit((2, d))), np.asarray(draw.unit((2, d))), draw.boolean()
    i.x = draw.positive(-2, 2, d) if i.near else draw.positive(shape=d)
    i.T = draw.number(2 * 2 ** draw.integer(0, 16))
    return i


def _diagonal_couplings(i: Instance) -> Sides:
    e, z = squares_of(i)
    B = (i.sigma_B**2 * sum(i.b) / 2 + e) * i.T
    G = (i.m * i.sigma_G**2 * sum(i.g) / 2 + z) * i.T
    x = np.sqrt(B / G)
    y = x * i.x if i.near else i.x
    return _compared((sum(G * x * x) / 2, sum(B * np.log(x))), (sum(G * y * y) / 2, sum(B * np.log(y))))


# gradients ---------------------------------------------------------------------------------------------------------


def _one_round(draw: Draw) -> Instance:
    """One loss in at most two dimensions and two points."""
    i = with_rounds(draw, sizes(draw), draw.integer(1, 2))
    d = i.B2.shape[1]
    i.X = draw.spd(d) * draw.positive()
    i.Y = i.X * draw.positive(-2, 2) if draw.boolean() else draw.spd(d) * draw.positive()
    return i


def _last(i: Instance) -> tuple[Array, Array]:
    r"""$\tilde B_T^2$ and $\tilde G_T^2$."""
    e, z = squares_of(i)
    return shift(i.B2[-1], e), shift(i.G2[-1], z)


def _tangent(i: Instance) -> Sides:
    B, inverted = _last(i)[0], invert(i.X)
    at_x, at_y = trace_of(inverted, B), trace_of(invert(i.Y), B)
    slope = trace_of(inverted, B, inverted, i.Y)
    return Sides(2 * at_x - slope, at_y, (2 * at_x + slope + at_y) * magnified(i.X))


def _slope(B: Array, G: Array, inverted: Array) -> Array:
    r"""$\tilde G^2 - X^{-1}\tilde B^2X^{-1}$."""
    multiply = on(product, B)
    return G - multiply(inverted, multiply(B, inverted))


def _triangle(i: Instance) -> Sides:
    (B, G), inverted = _last(i), invert(i.X)
    rhs = spectral(G) + spectral(inverted) * spectral(inverted) * spectral(B)
    lhs = spectral(_slope(B, G, inverted))
    return Sides(lhs, rhs, lhs + rhs + magnified(i.X) * rhs)


def played_point(i: Instance) -> tuple[Array, Array]:
    r"""$X_T$ and its inverse."""
    X, Y = on(play, i.B2)(i.B2, i.G2, *squares_of(i))
    return X[-2], Y[-2]


def _played_slope(i: Instance, rhs: Any) -> Sides:
    (B, G), (_, inverted) = _last(i), played_point(i)
    lhs = spectral(_slope(B, G, inverted))
    return Sides(lhs, rhs, lhs + rhs + spectral(inverted) ** 2 * spectral(B))


def _slope_printed(i: Instance) -> Sides:
    return _played_slope(i, (i.sigma_B / i.eps) ** 2 + largest(i)[1])


def _slope_corrected(i: Instance) -> Sides:
    S, K = largest(i)
    return _played_slope(i, S * K / i.eps**2)


def _coupling_slope(i: Instance) -> tuple[Array, Array]:
    r"""$\tilde G^2X\tilde B^{-2} - X^{-1}$ and its symmetric part."""
    (B, G), multiply = _last(i), on(product, i.X)
    A = multiply(multiply(G, i.X), invert(B)) - invert(i.X)
    return A, (A + A.T) / 2


def _norm_bound(i: Instance) -> tuple[Any, Any]:
    (B, G), X = _last(i), i.X
    return spectral(G) * spectral(X) * spectral(invert(B)), spectral(invert(X))


def _coupling_norms(i: Instance) -> tuple[Sides, Sides]:
    A, symmetric = (spectral(x) for x in _coupling_slope(i))
    scale = sum(_norm_bound(i)) * (1 + magnified(i.X) + magnified(_last(i)[0]))
    return Sides(symmetric, A, scale), Sides(A, symmetric, scale)


def _coupling_norm(i: Instance) -> Sides:
    return _coupling_norms(i)[0]


def _coupling_triangle(i: Instance) -> Sides:
    sides, rhs = _coupling_norm(i), sum(_norm_bound(i))
    return Sides(sides.rhs, rhs, sides.scale)


def _middle(i: Instance, last: Any) -> Sides:
    (B, G), (X, inverted) = _last(i), played_point(i)
    S, K = largest(i)
    lhs = spectral(G) * spectral(X) * spectral(invert(B)) + spectral(inverted)
    rhs = K / i.eps**2 * root(S) / i.zeta + root(K) / last
    return Sides(lhs, rhs, (lhs + rhs) * (1 + magnified(B)))


def _middle_printed(i: Instance) -> Sides:
    return _middle(i, i.zeta)


def _middle_corrected(i: Instance) -> Sides:
    return _middle(i, i.eps)


# statements --------------------------------------------------------------------------------------------------------


def step(n: str, title: str, latex: str, instance: Any, sides: Any, *assumptions: Assumption, **more: Any) -> Statement:
    """A display of the proof, under the assumptions of the game unless others are given."""
    return Statement(
        label=f"prp:matrixftl/proof-{n}", kind="proof step", number="D.2", title=title, latex=latex, instance=instance,
        sides=sides, assumptions=assumptions or GAME, step_of="prp:matrixftl", **more,
    )  # fmt: skip


LEADER = r"\tilde B_{1:T}^2=X\tilde G_{1:T}^2X\implies"
COUPLING = r"\tilde\ell_t'(X)=\frac12\Tr(\tilde B_t^{-2}X\tilde G_t^2X)-\log\det X"
SHORT = r"\quad\text{for}\quad S=\sigma_B^2+\varepsilon^2,\ K=m\sigma_G^2+\zeta^2"
SLOPE = r"\|\tilde G_t^2-X_t^{-1}\tilde B_t^2X_t^{-1}\|_2\le"
OTHER_SLOPE = r"\|\tilde G_t^2X\tilde B_t^{-2}-X^{-1}\|_2"
MIDDLE = r"\|\tilde G_t\|_2^2\|X_t\|_2\|\tilde B_t^{-1}\|_2^2+\|X_t^{-1}\|_2\le\frac{K\sqrt S}{\varepsilon^2\zeta}+"
POSITIVE = Assumption(r"X,Y\succ0", lambda i: min(psd_margin(i.X), psd_margin(i.Y)))
POINT = Assumption(r"X\succ0", lambda i: psd_margin(i.X))

LEADERS = (
    step("1", "The leader of the regularised losses",
          LEADER + r"\sum_{t=1}^T\tilde\ell_t(X)\le\sum_{t=1}^T\tilde\ell_t(Y)\quad\forall\ Y\succ0",
          with_point, _leads, uses=("def:ftl", "cor:opconvex")),
    step("2", "The modified functions have the same leader",
          LEADER + r"\sum_{t=1}^T\tilde\ell_t'(X)\le\sum_{t=1}^T\tilde\ell_t'(Y)\quad\forall\ Y\succ0,\quad "
          + COUPLING,
          with_point, _leads_couplings, uses=("def:ftl", "cor:trconvex", "clm:logdetgrad"),
          note=r"In one dimension their leader is $X^{-2}=\frac1T\sum_t\tilde G_t^2/\tilde B_t^2$, a mean of ratios "
          r"and not the ratio of the sums."),
    step("2/corrected", "For diagonal matrices, the functions that have the same leader",
          LEADER + r"\sum_{t=1}^T\tilde\ell_t'(X)\le\sum_{t=1}^T\tilde\ell_t'(Y)\quad\text{for diagonal }Y\succ0,\quad "
          r"\tilde\ell_t'(X)=\Tr\left(\frac12\tilde G_t^2X^2-\tilde B_t^2\log X\right)",
          _diagonal_game, _diagonal_couplings, uses=("def:ftl",), corrects=("prp:matrixftl/proof-2",),
          note=r"As in prp:diagftl; two rounds, repeated. The proof in general goes without couplings: see "
          r"prp:matrixftl/corrected."),
)  # fmt: skip

GRADIENTS = (
    step("3", "The gradient of the regularised losses",
          r"\tilde\ell_t(X)+\Tr\left((\tilde G_t^2-X^{-1}\tilde B_t^2X^{-1})(Y-X)\right)\le\tilde\ell_t(Y)",
          _one_round, _tangent, *GAME, POSITIVE,
          note=r"$\tilde\ell_t$ is convex and smooth: a matrix with this property is its gradient. What is linear in "
          r"$\tilde G_t^2$ stands on both sides, and is left out."),
    step("4", "The triangle inequality for that gradient",
          r"\|\tilde G_t^2-X^{-1}\tilde B_t^2X^{-1}\|_2\le\|\tilde G_t\|_2^2+\|X^{-1}\|_2^2\|\tilde B_t\|_2^2",
          _one_round, _triangle, *GAME, POSITIVE),
    step("5", "Its bound at the played points", SLOPE + r"\frac{\sigma_B^2}{\varepsilon^2}+m\sigma_G^2+\zeta^2",
          plane_game, _slope_printed,
          note=r"$\|X_t^{-1}\|_2^2$ may be as large as $(m\sigma_G^2+\zeta^2)/\varepsilon^2$; the display has "
          r"$1/\varepsilon^2$ there, without regard to $\tilde G_{1:t-1}$."),
    step("5/corrected", "Its bound at the played points", SLOPE + r"\frac{SK}{\varepsilon^2}" + SHORT,
          plane_game, _slope_corrected, corrects=("prp:matrixftl/proof-5",),
          note=r"$X_t^{-1}\preceq\sqrt K/\varepsilon$ by the monotonicity of the geometric mean, and the norm of a "
          r"difference of positive semidefinite matrices is at most the larger norm."),
    step("6", "The norm of the gradient of the modified functions",
          r"\|\nabla\tilde\ell_t'(X)\|_2=" + OTHER_SLOPE, _one_round, _coupling_norms, *GAME, POSITIVE,
          note=r"The gradient in the symmetric matrices (and in all matrices) is the symmetric part of the matrix on "
          r"the right, which is not symmetric where $\tilde B_t$, X, $\tilde G_t$ do not commute."),
    step("6/corrected", "The norm of the gradient of the modified functions, as a bound",
          r"\|\nabla\tilde\ell_t'(X)\|_2\le" + OTHER_SLOPE, _one_round, _coupling_norm, *GAME, POSITIVE,
          corrects=("prp:matrixftl/proof-6",), note="Taking the symmetric part does not increase the norm."),
    step("7", "The triangle inequality for that matrix",
          OTHER_SLOPE + r"\le\|\tilde G_t\|_2^2\|X\|_2\|\tilde B_t^{-1}\|_2^2+\|X^{-1}\|_2",
          _one_round, _coupling_triangle, *GAME, POSITIVE),
    step("8", "Its bound at the played points", MIDDLE + r"\frac{\sqrt K}\zeta" + SHORT, plane_game, _middle_printed,
          note=r"$\|X_t^{-1}\|_2$ is at most $\sqrt K/\varepsilon$: with $\zeta$ in its place the display fails for "
          r"$\varepsilon<\zeta$ and no data at all. What fails is the bound of the sum of two norms; the first term "
          r"alone bounds each of the two."),
    step("8/corrected", "Its bound at the played points", MIDDLE + r"\frac{\sqrt K}\varepsilon" + SHORT, plane_game,
          _middle_corrected, corrects=("prp:matrixftl/proof-8",)),
)  # fmt: skip

PROOF = (*LEADERS, *GRADIENTS)
