r"""What FTL over matrices pays, exactly (ours:g1), how much that can be (ours:g2), and what being late costs (ours:g6).

FTL plays $X_t = B_{t-1}\#G_{t-1}^{-1}$ for sums $B_t = B_{t-1} + \beta_t$, $G_t = G_{t-1} + \gamma_t$ from positive
definite $B_0, G_0$ on. $F(A, C) = \operatorname{Tr}(A^{1/2}CA^{1/2})^{1/2}$ is the fidelity, and $BW^2(A, C) =
\operatorname{Tr}A + \operatorname{Tr}C - 2F(A, C)$ the squared Bures-Wasserstein distance. Games are those of
`games.matrices`: any in one and two dimensions, diagonal ones in three.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.learners.geometry_ftl import play_leaders
from arubatheory.learners.matrix_mean import closed_mean, root_det
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games.matrices import invert, least_of, shift, spectral, trace_of
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, shifted, times
from arubatheory.problems.matrices import conjugate, log_det, psd_margin, random_psd, random_spd, trace
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import root
from arubatheory.statements.games import MOST_D, MOST_T


def _definite(draw: Draw, d: int) -> Array:
    return random_spd(draw, d) if d < 3 else draw.eye(d) * (draw.positive(-12, 12, d) * draw.positive())


def _semidefinite(draw: Draw, d: int) -> Array:
    if d < 3:
        return random_psd(draw, d)
    return draw.eye(d) * (draw.positive(-12, 12, d) * draw.positive() * draw.integer(0, 1))


def potential_game(draw: Draw) -> Instance:
    r"""$B_0, G_0$ (d, d), and $\beta_t, \gamma_t$ (T, d, d): free, or one pair T times."""
    d = draw.size("d", 3, MOST_D)
    first = _definite(draw, d), _definite(draw, d)
    T = draw.size("T", 5, MOST_T)
    n = T if draw.boolean() else 1
    beta, gamma = (np.array([_semidefinite(draw, d) for _ in range(n)])[np.arange(T) % n] for _ in range(2))
    return Instance(B=first[0], G=first[1], beta=beta, gamma=gamma, delta=draw.positive(-16, 4))


def triple(draw: Draw) -> Instance:
    r"""M positive definite, P and Q positive semidefinite (d, d), and another X."""
    d = draw.size("d", 3, MOST_D)
    size = draw.positive(-16, 16) if draw.boolean() else 1
    M, P, Q = _definite(draw, d), _semidefinite(draw, d) * size, _semidefinite(draw, d)
    return Instance(M=M, P=P, Q=Q, X=_definite(draw, d))


GAME = (
    Assumption(r"B_0,G_0\succ0", lambda x: min(psd_margin(x.B), psd_margin(x.G))),
    Assumption(r"\beta_t,\gamma_t\succeq0", lambda x: min(map(psd_margin, (*x.beta, *x.gamma)))),
    Assumption(r"\delta>0", lambda x: x.delta),
)
TRIPLE = (
    Assumption(r"M,X\succ0", lambda x: min(psd_margin(x.M), psd_margin(x.X))),
    Assumption(r"P,Q\succeq0", lambda x: min(psd_margin(x.P), psd_margin(x.Q))),
)


@kernel
def square_root(A: Array) -> Array:
    r"""[exact] $A^{1/2}$ of a positive definite A (d, d), d <= 2 or diagonal."""
    out = A.copy()
    if A.shape[0] == 2:
        s = root_det(A)
        return shifted(A, s) / np.sqrt(trace(A) + 2 * s)
    for j in range(A.shape[0]):
        out[j, j] = np.sqrt(A[j, j])
    return out


def distance(A: Array, C: Array) -> Any:
    r"""$BW^2(A, C)$."""
    return trace_of(A) + trace_of(C) - least_of(A, C)


def between(X: Array, A: Array) -> Array:
    r"""$X^{1/2}AX^{1/2}$."""
    found: Array = on(conjugate, X)(on(square_root, X)(X), A)
    return found


def totals(x: Instance) -> tuple[Array, Array]:
    r"""$B_0, \dots, B_T$ and $G_0, \dots, G_T$."""
    B, G = ([first] for first in (x.B, x.G))
    for beta, gamma in zip(x.beta, x.gamma, strict=True):
        B.append(B[-1] + beta)
        G.append(G[-1] + gamma)
    return np.array(B), np.array(G)


def leaders(x: Instance) -> tuple[Array, Array]:
    r"""$X_1, \dots, X_{T+1}$ and their inverses."""
    X, Y = on(play_leaders, x.B)(x.B, x.G, x.beta, x.gamma)
    return X, Y


def each_paid(x: Instance, X: Array, Y: Array) -> list[Any]:
    r"""$\operatorname{Tr}(X_t^{-1}\beta_t) + \operatorname{Tr}(X_t\gamma_t)$ for all t, Y holding the inverses."""
    return [trace_of(Y[t], beta) + trace_of(X[t], x.gamma[t]) for t, beta in enumerate(x.beta)]


def departures(x: Instance) -> list[Any]:
    r"""$D_t = BW^2(X_t^{-1/2}B_tX_t^{-1/2}, X_t^{1/2}G_tX_t^{1/2})$ for all t."""
    (X, Y), (B, G) = leaders(x), totals(x)
    return [distance(between(Y[t], B[t + 1]), between(X[t], G[t + 1])) for t in range(len(x.beta))]


PAID = r"\sum_{t=1}^T\operatorname{Tr}(X_t^{-1}\beta_t)+\operatorname{Tr}(X_t\gamma_t)"
DEPARTURE = r"D_t=BW^2(X_t^{-1/2}B_tX_t^{-1/2},X_t^{1/2}G_tX_t^{1/2})"
PLAYED: dict[str, Any] = {"game": potential_game, "given": GAME}
THREE: dict[str, Any] = {"game": triple, "given": TRIPLE}


@claim("ours:g1", PAID + r"=2F(B_T,G_T)-2F(B_0,G_0)+\sum_{t=1}^TD_t,\quad " + DEPARTURE, **PLAYED, uses=("eq:matrix",))
def exact_regret(x: Instance) -> tuple[Sides, ...]:
    r"""What FTL over matrices pays, exactly.

    $X_t=B_{t-1}\#G_{t-1}^{-1}$. The proof is in docs/theorems/geometry.md.
    """
    B, G = totals(x)
    best = least_of(B[-1], G[-1]) - least_of(x.B, x.G)
    return equality(sum(each_paid(x, *leaders(x))), best + sum(departures(x)))


@claim("ours:g1/proof-1", r"2F(M,P+Q+X)\le\operatorname{Tr}(X^{-1}M)+\operatorname{Tr}(X(P+Q+X))", **THREE)
def least_at_the_mean(x: Instance) -> tuple[Sides, ...]:
    r"""The least value of a loss.

    With equality at $X=M\#(P+Q+X)^{-1}$, which is the second pair of sides.
    """
    G = x.P + x.Q + x.X
    X, Y = on(closed_mean, G)(x.M, G), on(closed_mean, G)(G, x.M)
    least = least_of(x.M, G)
    at = trace_of(invert(x.X), x.M) + trace_of(x.X, G)
    return Sides(least, at), *equality(least, trace_of(Y, x.M) + trace_of(X, G))


@claim("ours:g1/proof-2", r"F(X^{-1/2}MX^{-1/2},X^{1/2}(M+P)X^{1/2})=F(M,M+P)", **THREE)
def congruent(x: Instance) -> tuple[Sides, ...]:
    """The fidelity does not change under a congruence of one matrix and the inverse one of the other."""
    G = x.M + x.P
    return equality(least_of(between(invert(x.X), x.M), between(x.X, G)), least_of(x.M, G))


@claim("ours:g2/triangle", r"BW^2(M+P,M+Q)\le BW^2(M,M+P)+BW^2(M,M+Q)", **THREE)
def triangle(x: Instance) -> Sides:
    r"""Squared distances of two enlargements of one matrix.

    An inequality of the triangle for squares: P and Q both only add. Attained at Q = 0.
    """
    M = x.M
    return Sides(distance(M + x.P, M + x.Q), distance(M, M + x.P) + distance(M, M + x.Q))


@claim("ours:g2/length", r"BW^2(M,M+P)\le\frac{\|P\|_2}4\log\frac{\det(M+P)}{\det M}", **THREE)
def length(x: Instance) -> Sides:
    r"""How far a matrix moves that grows.

    By the length of the path $M+sP$. $\frac14$ is approached as P → 0.
    """
    grown = x.M + x.P
    ratio = on(log_det, grown)(grown) - on(log_det, grown)(x.M)
    return Sides(distance(x.M, grown), largest_of(x.P) / 4 * ratio)


@claim("ours:g2/proof-1", r"\operatorname{Tr}(PM^{-1}P)\le\|P\|_2\operatorname{Tr}(M^{-1}P)", **THREE)
def squared_speed(x: Instance) -> Sides:
    r"""The squared speed of a factor.

    Of $K'=\frac12PM^{-1}K$ with $KK^\top=M$, times four.
    """
    inverse = invert(x.M)
    return Sides(trace_of(x.P, inverse, x.P, shift(0 * x.P, 1)), largest_of(x.P) * trace_of(inverse, x.P))


@claim(
    "ours:g2/order",
    r"BW^2(X^{1/2}MX^{1/2},X^{1/2}(M+P)X^{1/2})\le BW^2(Y^{1/2}MY^{1/2},Y^{1/2}(M+P)Y^{1/2})\quad\text{for}\quad Y=X+Q",
    **THREE,
)
def monotone(x: Instance) -> Sides:
    r"""A distance grows with the metric.

    $BW^2(X^{1/2}AX^{1/2},X^{1/2}CX^{1/2})$ is the least $\operatorname{Tr}X(K-L)(K-L)^\top$ over $KK^\top=A$,
    $LL^\top=C$.
    """
    one, other = (distance(between(X, x.M), between(X, x.M + x.P)) for X in (x.X, x.X + x.Q))
    return Sides(one, other)


@claim(
    "ours:g2/proof-2",
    r"\operatorname{Tr}((M^{-1}\#X)P)+2F(M,X)-2F(M+P,X)\le\|P\|_2\operatorname{Tr}(M^{-1}\#X-(M+P)^{-1}\#X)",
    **THREE,
)
def slope_gap(x: Instance) -> Sides:
    r"""What telescopes: by concavity of F, and as the geometric mean is monotone."""
    grown = x.M + x.P
    slope, after = (on(closed_mean, A)(x.X, A) for A in (x.M, grown))
    gap = trace_of(slope, x.P) + least_of(x.M, x.X) - least_of(grown, x.X)
    return Sides(gap, largest_of(x.P) * trace_of(slope - after))


def largest_of(P: Array) -> Any:
    r"""$\|P\|_2$."""
    return spectral(P)


# being late
def determinants(A: Array) -> list[Any]:
    """Those of the matrices of a stack (n, d, d)."""
    return [a[0, 0] * a[1, 1] - a[0, 1] * a[0, 1] if len(a) == 2 else a.diagonal().prod() for a in A]


def solved_at(x: Instance) -> list[int]:
    """For each task the one after which the sums stood that X was last computed from (0: the first ones)."""
    B, G = (determinants(A) for A in totals(x))
    at = [0]
    for t in range(1, len(x.beta)):
        s = at[-1]
        grown = B[t] > (1 + x.delta) * B[s] or G[t] > (1 + x.delta) * G[s]
        at.append(t if grown else s)
    return at


@claim("ours:g6", r"\ell_t(X_s)\le\sqrt{1+\delta}\,\ell_t(X_t)\quad\forall\ t", **PLAYED)
def late(x: Instance) -> tuple[Sides, ...]:
    r"""What it costs to compute X anew only when a determinant has grown by $1+\delta$.

    $s\le t$ is the task at which X was computed last: anew at t when $\det B_{t-1}>(1+\delta)\det B_{s-1}$ or
    $\det G_{t-1}>(1+\delta)\det G_{s-1}$. `MatrixFTL` with `late` at $\frac12\log(1+\delta)$ computes no more
    often, once it has seen d columns, and pays no more.
    """
    X, Y = leaders(x)
    at = np.array(solved_at(x))
    exact, lazy = each_paid(x, X, Y), each_paid(x, X[at], Y[at])
    return tuple(Sides(paid, root(1 + x.delta) * best) for paid, best in zip(lazy, exact, strict=True))


@claim("ours:g6/solves", r"(n-1)\log(1+\delta)\le\log\frac{\det B_T}{\det B_0}+\log\frac{\det G_T}{\det G_0}", **PLAYED)
def solves(x: Instance) -> Sides:
    """How often it is computed, n times in all."""
    grown = sum(on(log_det, A)(A[-1]) - on(log_det, A)(A[0]) for A in totals(x))
    return Sides((len(set(solved_at(x))) - 1) * np.log(1 + x.delta), grown)


@claim(
    "ours:g6/proof-1",
    r"v^\top X_sv\le\sqrt{1+\delta}\,v^\top X_tv,\quad v^\top X_s^{-1}v\le\sqrt{1+\delta}\,v^\top X_t^{-1}v",
    **PLAYED,
)
def near(x: Instance) -> tuple[Sides, ...]:
    r"""Late matrices are near, for v a column of $\beta_t$ or $\gamma_t$.

    $B_{s-1}\preceq B_{t-1}$, and an eigenvalue of their quotient is at most the product of all.
    """
    sides, at = [], solved_at(x)
    for which in leaders(x):
        for t, s in enumerate(at):
            for v in (x.beta[t, 0], x.gamma[t, 0]):
                lazy, exact = (on(dot, v)(v, on(times, v)(which[k], v)) for k in (s, t))
                sides.append(Sides(lazy, root(1 + x.delta) * exact))
    return tuple(sides)
