r"""Appendix D: the proof of prp:matrixftl, display by display.

The couplings $\tilde\ell_t'(X) = \frac12\operatorname{Tr}(\tilde B_t^{-2}X\tilde G_t^2X) - \log\det X$ divide every
$\tilde G_t^2$ by its own $\tilde B_t^2$: their sum has another minimiser than $\sum_t\tilde\ell_t$ as soon as the
$\tilde B_t$ differ, in one dimension already. Played points are the leaders, with $X_1 =
(\varepsilon/\zeta)I_d$. The second half is in `matrixftl_chain`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import matrices
from arubatheory.papers.aruba.games.matrices import GAME, invert, spectral, squares_of, trace_of
from arubatheory.problems.draw import Draw
from arubatheory.problems.matrices import log_det, product, psd_margin
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import root
from arubatheory.statements.games import MOST_D

LEADER = r"\tilde B_{1:T}^2=X\tilde G_{1:T}^2X\implies"
COUPLING = r"\tilde\ell_t'(X)=\frac12\Tr(\tilde B_t^{-2}X\tilde G_t^2X)-\log\det X"
SHORT = r"\quad\text{for}\quad S=\sigma_B^2+\varepsilon^2,\ K=m\sigma_G^2+\zeta^2"
SLOPE = r"\|\tilde G_t^2-X_t^{-1}\tilde B_t^2X_t^{-1}\|_2\le"
OTHER_SLOPE = r"\|\tilde G_t^2X\tilde B_t^{-2}-X^{-1}\|_2"
MIDDLE = r"\|\tilde G_t\|_2^2\|X_t\|_2\|\tilde B_t^{-1}\|_2^2+\|X_t^{-1}\|_2\le\frac{K\sqrt S}{\varepsilon^2\zeta}+"
PLANE = {"game": matrices.plane_game, "given": GAME}
POSITIVE = Assumption(r"X,Y\succ0", lambda x: min(psd_margin(x.X), psd_margin(x.Y)))


def with_point(draw: Draw) -> Instance:
    """A game and any X, half of the time near the leader's scale."""
    x = matrices.plane_game(draw)
    x.X = draw.spd(x.B2.shape[1]) * (draw.positive(-2, 2) if draw.boolean() else draw.positive())
    x.near = draw.boolean()
    return x


def _leader(x: Instance) -> tuple[Array, Array, Array, Array, Array]:
    r"""$\tilde B_{1:T}^2$, $\tilde G_{1:T}^2$, their leader X, its inverse, and any Y: X's size times the drawn one, or
    that."""
    B, G = matrices.regularised_sums(x)
    X, inverted = matrices.leader(B, G)
    return B, G, X, inverted, x.X * trace_of(X) if x.near else x.X


@claim(
    "prp:matrixftl/proof-1",
    LEADER + r"\sum_{t=1}^T\tilde\ell_t(X)\le\sum_{t=1}^T\tilde\ell_t(Y)\quad\forall\ Y\succ0",
    with_point,
    GAME,
    uses=("def:ftl", "cor:opconvex"),
)
def leads(x: Instance) -> Sides:
    """The leader of the regularised losses."""
    B, G, X, inverted, Y = _leader(x)
    return Sides(trace_of(inverted, B) + trace_of(X, G), trace_of(invert(Y), B) + trace_of(Y, G))


def _coupled_loss(x: Instance, X: Array) -> Any:
    r"""$\sum_t\frac12\operatorname{Tr}(\tilde B_t^{-2}X\tilde G_t^2X) - T\log\det X$."""
    e, z = squares_of(x)
    pairs = [(invert(matrices.shift(B, e)), matrices.shift(G, z)) for B, G in zip(x.B2, x.G2, strict=True)]
    return sum(trace_of(B, X, G, X) for B, G in pairs) / 2 - matrices.rounds_of(x) * on(log_det, X)(X)


@claim(
    "prp:matrixftl/proof-2",
    LEADER + r"\sum_{t=1}^T\tilde\ell_t'(X)\le\sum_{t=1}^T\tilde\ell_t'(Y)\quad\forall\ Y\succ0,\quad " + COUPLING,
    with_point,
    GAME,
    uses=("def:ftl", "cor:trconvex", "clm:logdetgrad"),
)
def leads_couplings(x: Instance) -> Sides:
    r"""The modified functions have the same leader.

    In one dimension their leader is $X^{-2}=\frac1T\sum_t\tilde G_t^2/\tilde B_t^2$, a mean of ratios and not the
    ratio of the sums.
    """
    _, _, X, _, Y = _leader(x)
    return Sides(_coupled_loss(x, X), _coupled_loss(x, Y))


def _diagonal_game(draw: Draw) -> Instance:
    r"""A diagonal game, and any positive diagonal x, half of the time near the leader's scale."""
    x = matrices.sizes(draw)
    d = draw.size("d", 3, MOST_D)
    x.b, x.g, x.near = np.asarray(draw.unit((2, d))), np.asarray(draw.unit((2, d))), draw.boolean()
    x.x = draw.positive(-2, 2, d) if x.near else draw.positive(shape=d)
    x.T = draw.number(2 * 2 ** draw.integer(0, 16))
    return x


def diagonal_sums(x: Instance) -> tuple[Array, Array]:
    r"""$\tilde b_{1:T}^2$ and $\tilde g_{1:T}^2$ (d,) of two rounds, repeated."""
    e, z = squares_of(x)
    return (x.sigma_B**2 * sum(x.b) / 2 + e) * x.T, (x.m * x.sigma_G**2 * sum(x.g) / 2 + z) * x.T


@claim(
    "prp:matrixftl/proof-2/corrected",
    LEADER + r"\sum_{t=1}^T\tilde\ell_t'(X)\le\sum_{t=1}^T\tilde\ell_t'(Y)\quad\text{for diagonal }Y\succ0,\quad "
    r"\tilde\ell_t'(X)=\Tr\left(\frac12\tilde G_t^2X^2-\tilde B_t^2\log X\right)",
    _diagonal_game,
    GAME,
    uses=("def:ftl",),
)
def diagonal_leads(x: Instance) -> Sides:
    """For diagonal matrices, the functions that have the same leader.

    As in prp:diagftl; two rounds, repeated. The proof in general goes without couplings: see
    prp:matrixftl/corrected.
    """
    B, G = diagonal_sums(x)
    leader = np.sqrt(B / G)
    other = leader * x.x if x.near else x.x
    return Sides(*(sum(G * y * y) / 2 - sum(B * np.log(y)) for y in (leader, other)))


def _one_round(draw: Draw) -> Instance:
    """One loss and two points."""
    x = matrices.plane_game(draw)
    d = x.B2.shape[1]
    x.X = draw.spd(d) * draw.positive()
    x.Y = x.X * draw.positive(-2, 2) if draw.boolean() else draw.spd(d) * draw.positive()
    return x


ROUND = {"game": _one_round, "given": (*GAME, POSITIVE)}


def last(x: Instance) -> tuple[Array, Array]:
    r"""$\tilde B_T^2$ and $\tilde G_T^2$."""
    e, z = squares_of(x)
    return matrices.shift(x.B2[-1], e), matrices.shift(x.G2[-1], z)


@claim(
    "prp:matrixftl/proof-3",
    r"\tilde\ell_t(X)+\Tr\left((\tilde G_t^2-X^{-1}\tilde B_t^2X^{-1})(Y-X)\right)\le\tilde\ell_t(Y)",
    **ROUND,
)
def tangent(x: Instance) -> Sides:
    r"""The gradient of the regularised losses.

    $\tilde\ell_t$ is convex and smooth: a matrix with this property is its gradient. What is linear in
    $\tilde G_t^2$ stands on both sides, and is left out.
    """
    (B, _), inverted = last(x), invert(x.X)
    return Sides(2 * trace_of(inverted, B) - trace_of(inverted, B, inverted, x.Y), trace_of(invert(x.Y), B))


def _slope_norm(x: Instance, inverted: Array) -> Any:
    r"""$\|\tilde G_T^2 - X^{-1}\tilde B_T^2X^{-1}\|_2$."""
    (B, G), multiply = last(x), on(product, inverted)
    return spectral(G - multiply(inverted, multiply(B, inverted)))


@claim(
    "prp:matrixftl/proof-4",
    r"\|\tilde G_t^2-X^{-1}\tilde B_t^2X^{-1}\|_2\le\|\tilde G_t\|_2^2+\|X^{-1}\|_2^2\|\tilde B_t\|_2^2",
    **ROUND,
)
def triangle(x: Instance) -> Sides:
    """The triangle inequality for that gradient."""
    (B, G), inverted = last(x), invert(x.X)
    size = spectral(inverted)
    return Sides(_slope_norm(x, inverted), spectral(G) + size * size * spectral(B))


def played_point(x: Instance) -> tuple[Array, Array]:
    r"""$X_T$ and its inverse."""
    X, Y = matrices.played(x.B2, x.G2, *squares_of(x))
    return X[-2], Y[-2]


@claim("prp:matrixftl/proof-5", SLOPE + r"\frac{\sigma_B^2}{\varepsilon^2}+m\sigma_G^2+\zeta^2", **PLANE)
def slope_printed(x: Instance) -> Sides:
    r"""Its bound at the played points.

    $\|X_t^{-1}\|_2^2$ may be as large as $(m\sigma_G^2+\zeta^2)/\varepsilon^2$; the display has $1/\varepsilon^2$
    there, without regard to $\tilde G_{1:t-1}$.
    """
    return Sides(_slope_norm(x, played_point(x)[1]), (x.sigma_B / x.eps) ** 2 + matrices.largest(x)[1])


@claim("prp:matrixftl/proof-5/corrected", SLOPE + r"\frac{SK}{\varepsilon^2}" + SHORT, **PLANE)
def slope_corrected(x: Instance) -> Sides:
    r"""Its bound at the played points.

    $X_t^{-1}\preceq\sqrt K/\varepsilon$ by the monotonicity of the geometric mean, and the norm of a difference of
    positive semidefinite matrices is at most the larger norm.
    """
    S, K = matrices.largest(x)
    return Sides(_slope_norm(x, played_point(x)[1]), S * K / x.eps**2)


def _coupling_slopes(x: Instance) -> tuple[Any, Any]:
    r"""The norms of $\tilde G^2X\tilde B^{-2} - X^{-1}$ and of its symmetric part."""
    (B, G), multiply = last(x), on(product, x.X)
    A = multiply(multiply(G, x.X), invert(B)) - invert(x.X)
    return spectral(A), spectral((A + A.T) / 2)


@claim("prp:matrixftl/proof-6", r"\|\nabla\tilde\ell_t'(X)\|_2=" + OTHER_SLOPE, **ROUND)
def coupling_norms(x: Instance) -> tuple[Sides, Sides]:
    r"""The norm of the gradient of the modified functions.

    The gradient in the symmetric matrices (and in all matrices) is the symmetric part of the matrix on the right,
    which is not symmetric where $\tilde B_t$, X, $\tilde G_t$ do not commute.
    """
    slope, symmetric = _coupling_slopes(x)
    return equality(symmetric, slope)


@claim("prp:matrixftl/proof-6/corrected", r"\|\nabla\tilde\ell_t'(X)\|_2\le" + OTHER_SLOPE, **ROUND)
def coupling_norm(x: Instance) -> Sides:
    """The norm of the gradient of the modified functions, as a bound.

    Taking the symmetric part does not increase the norm.
    """
    slope, symmetric = _coupling_slopes(x)
    return Sides(symmetric, slope)


def _parts(x: Instance, X: Array, inverted: Array) -> Any:
    r"""$\|\tilde G_T\|_2^2\|X\|_2\|\tilde B_T^{-1}\|_2^2 + \|X^{-1}\|_2$."""
    B, G = last(x)
    return spectral(G) * spectral(X) * spectral(invert(B)) + spectral(inverted)


@claim(
    "prp:matrixftl/proof-7", OTHER_SLOPE + r"\le\|\tilde G_t\|_2^2\|X\|_2\|\tilde B_t^{-1}\|_2^2+\|X^{-1}\|_2", **ROUND
)
def coupling_triangle(x: Instance) -> Sides:
    """The triangle inequality for that matrix."""
    return Sides(_coupling_slopes(x)[0], _parts(x, x.X, invert(x.X)))


def _first_part(x: Instance) -> Any:
    r"""$K\sqrt S/(\varepsilon^2\zeta)$."""
    S, K = matrices.largest(x)
    return K / x.eps**2 * root(S) / x.zeta


@claim("prp:matrixftl/proof-8", MIDDLE + r"\frac{\sqrt K}\zeta" + SHORT, **PLANE)
def middle(x: Instance) -> Sides:
    r"""Its bound at the played points.

    $\|X_t^{-1}\|_2$ is at most $\sqrt K/\varepsilon$: with $\zeta$ in its place the display fails for
    $\varepsilon<\zeta$ and no data at all. What fails is the bound of the sum of two norms; the first term alone bounds
    each of the two.
    """
    return Sides(_parts(x, *played_point(x)), _first_part(x) + root(matrices.largest(x)[1]) / x.zeta)


@claim("prp:matrixftl/proof-8/corrected", MIDDLE + r"\frac{\sqrt K}\varepsilon" + SHORT, **PLANE)
def middle_corrected(x: Instance) -> Sides:
    """Its bound at the played points."""
    return Sides(_parts(x, *played_point(x)), _first_part(x) + root(matrices.largest(x)[1]) / x.eps)
